//! Single rows found by key a second: in natively compiled loops by a hash and by a range index,
//! and by parameterised statements over the wire.

use std::time::{Duration, Instant};

use base::{Collation, SqlType, Value, ValueRef};

use super::database::{Sum, check, create};
use super::items::{Module, create_loop, look_up, value_of};
use super::keys::{NUMBERS, ROWS, step};
use super::{BenchError, Figure};
use crate::client::{
    Argument, ClientError, ConnectOptions, Connection, Driver, Fleet, Outcome, Parameter, Receiver,
    Request, ServerMessage,
};
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// How often a loop looks up each of the million rows in a run.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=2000))]
    rounds: u32,
    /// Clients that send statements.
    #[arg(long, value_name = "N", default_value_t = 32)]
    connections: usize,
    /// How long they send statements in a run.
    #[arg(long, value_name = "N", default_value_t = 3)]
    seconds: u64,
}

/// Different statements that clients send.
const REQUESTS: usize = 16_384;

const TABLE: &str = "CREATE TABLE dbo.Items (
    ItemID int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 1048576),
    Code int NOT NULL INDEX IX_Code UNIQUE NONCLUSTERED,
    Value int NOT NULL
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "PointLookup")?;
    connection.execute(TABLE)?;
    connection.execute(&format!(
        "INSERT INTO dbo.Items (ItemID, Code, Value) SELECT n, n * 7919 % {ROWS}, n * 3 + 1 FROM {NUMBERS}"
    ))?;
    for (index, column) in [("Hash", "ItemID"), ("Range", "Code")] {
        let procedure = format!("dbo.usp_LookUpBy{index}");
        create_loop(&mut connection, &procedure, Module::Native, "dbo.Items", column)?;
    }
    let mut hash = Figure::new("point-lookup", "lookups_per_s", "1/s");
    let mut range = Figure::new("point-lookup", "range_lookups_per_s", "1/s");
    let mut wire = Figure::new("point-lookup", "wire_requests_per_s", "1/s");
    let connect = server.options().with_database("PointLookup");
    for _ in 0..runs {
        hash.values.push(look_up(&mut connection, "dbo.usp_LookUpByHash", options.rounds)?);
        range.values.push(look_up(&mut connection, "dbo.usp_LookUpByRange", options.rounds)?);
        wire.values.push(over_the_wire(&connection, &connect, options)?);
    }
    drop(connection);
    server.stop()?;
    Ok(vec![hash, range, wire])
}

fn over_the_wire(
    connection: &Connection,
    connect: &ConnectOptions,
    options: &Options,
) -> Result<f64, BenchError> {
    let connected: Vec<Connection> = (0..options.connections.max(1))
        .map(|_| Connection::connect(connect))
        .collect::<Result<_, _>>()?;
    let mut key = 0;
    let requests = (0..REQUESTS).map(|_| {
        key = step(key);
        Ok((statement(connection, key)?, value_of(key)))
    });
    let mut clients = Clients {
        requests: requests.collect::<Result<_, ClientError>>()?,
        deadline: Instant::now() + Duration::from_secs(options.seconds),
        sent: 0,
        answered: 0,
        expected: 0,
        found: Sum::default(),
        first_error: None,
    };
    let mut fleet = Fleet::new(connected)?;
    let begin = Instant::now();
    fleet.run(&mut clients)?;
    let elapsed = begin.elapsed();
    if let Some(error) = clients.first_error {
        return Err(ClientError::Server(error).into());
    }
    let found = (clients.found.rows, clients.found.sum);
    check("rows and their sum", found, (clients.answered, clients.expected))?;
    Ok(clients.answered as f64 / elapsed.as_secs_f64())
}

/// A call of `sp_executesql` with one parameter, as drivers send a parameterised statement.
fn statement(connection: &Connection, key: u32) -> Result<Request, ClientError> {
    let text = Value::unicode("SELECT Value FROM dbo.Items WHERE ItemID = @ItemID");
    let parameters = Value::unicode("@ItemID int");
    let nvarchar = SqlType::nvarchar(4000, Collation::DEFAULT);
    let arguments = [
        Parameter::input("", nvarchar, text.as_ref()),
        Parameter::input("", nvarchar, parameters.as_ref()),
        Parameter::input("@ItemID", SqlType::int(), ValueRef::Int(i64::from(key))),
    ];
    connection.prepare_call("sp_executesql", &arguments.map(Argument::Scalar))
}

/// All clients.
struct Clients {
    /// The statements, and what each is to find.
    requests: Vec<(Request, i64)>,
    deadline: Instant,
    sent: usize,
    answered: u64,
    expected: i64,
    found: Sum,
    first_error: Option<Box<ServerMessage>>,
}

impl Driver for Clients {
    fn next(&mut self, _: usize) -> Option<&Request> {
        if Instant::now() >= self.deadline {
            return None;
        }
        let (request, value) = &self.requests[self.sent % REQUESTS];
        self.sent += 1;
        self.expected += value;
        Some(request)
    }

    fn done(&mut self, _: usize, outcome: &Outcome, _: Duration) {
        self.answered += 1;
        if self.first_error.is_none() {
            self.first_error = outcome.first_error.clone();
        }
    }

    fn receiver(&mut self, _: usize) -> &mut dyn Receiver {
        &mut self.found
    }
}

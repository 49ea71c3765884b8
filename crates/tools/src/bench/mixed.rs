//! Inserts, selects, updates and deletes by natively compiled procedures, called over the wire,
//! each call a durable transaction of its own.
//!
//! Of a hundred calls 20 insert a row, 40 select one, 20 update one and 20 delete one. Clients
//! select any of the million rows that are there from the start, update those among them that are
//! their own (so that no client waits for or conflicts with another), and delete the oldest of the
//! rows that they have inserted themselves; a client that has none left inserts one instead.

use std::io;
use std::time::{Duration, Instant};

use base::{SqlType, Value, ValueRef};

use super::database::{check, create, native_procedure, numbers, ordinary_procedure};
use super::items::Module;
use super::keys::ROWS;
use super::{BenchError, Figure, accounts};
use crate::client::{
    Argument, ClientError, ConnectOptions, Connection, Driver, Fleet, Outcome, Parameter, Receiver,
    Request, Row,
};
use crate::local::{DataDir, LocalServer};
use crate::random::Random;
use crate::stress::histogram::Histogram;

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Clients.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// How long a run takes.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seconds: u64,
}

const PROCEDURES: [(&str, &str); 4] = [
    (
        "dbo.usp_Insert @AccountID int NOT NULL, @Number int NOT NULL",
        "INSERT INTO dbo.Accounts (AccountID, CustomerID, OpenedOn, Balance, Updates)
        VALUES (@AccountID, @Number, '2026-01-01', 0, 0);",
    ),
    (
        "dbo.usp_Select @AccountID int NOT NULL",
        "SELECT AccountID, CustomerID, OpenedOn, Balance, Updates FROM dbo.Accounts
        WHERE AccountID = @AccountID;",
    ),
    (
        "dbo.usp_Update @AccountID int NOT NULL, @Number int NOT NULL",
        "UPDATE dbo.Accounts SET Balance += @Number, Updates += 1 WHERE AccountID = @AccountID;
        IF @@ROWCOUNT <> 1 THROW 50001, N'There is no such account.', 1;",
    ),
    (
        "dbo.usp_Delete @AccountID int NOT NULL",
        "DELETE dbo.Accounts WHERE AccountID = @AccountID;
        IF @@ROWCOUNT <> 1 THROW 50001, N'There is no such account.', 1;",
    ),
];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "Mixed")?;
    accounts::create(&mut connection, "SCHEMA_AND_DATA")?;
    create_procedures(&mut connection, Module::Native)?;
    let mut rate = Figure::new("mixed", "transactions_per_s", "1/s");
    let mut p99 = Figure::new("mixed", "p99_ms", "ms");
    p99.decimals = 2;
    let connect = server.options().with_database("Mixed");
    let mut clients = Clients::new(options.connections, Connection::connect(&connect)?);
    for _ in 0..runs {
        let elapsed = clients.run(&connect, Duration::from_secs(options.seconds))?;
        clients.check(&mut connection)?;
        rate.values.push(clients.transactions() as f64 / elapsed.as_secs_f64());
        p99.values.push(clients.times.quantile(0.99).as_secs_f64() * 1e3);
    }
    drop(connection);
    server.stop()?;
    Ok(vec![rate, p99])
}

/// Makes the procedures that clients call.
pub fn create_procedures(connection: &mut Connection, module: Module) -> Result<(), BenchError> {
    for (head, body) in PROCEDURES {
        connection.execute(&match module {
            Module::Native => native_procedure(head, body),
            Module::Ordinary => ordinary_procedure(head, body),
        })?;
    }
    Ok(())
}

/// All clients, and what they have done in all runs.
pub struct Clients {
    /// Makes requests, sends none.
    maker: Connection,
    all: Vec<Client>,
    deadline: Instant,
    /// The transactions of this run.
    times: Histogram,
    first_error: Option<BenchError>,
    totals: Totals,
}

/// What acknowledged calls add up to.
#[derive(Default)]
struct Totals {
    inserted: i64,
    deleted: i64,
    updates: i64,
    balance: i64,
}

/// A client.
struct Client {
    random: Random,
    /// Rows that it has inserted, ever.
    inserted: u32,
    /// How many of them, from the oldest on, it has deleted.
    deleted: u32,
    /// What it does now.
    call: Call,
    request: Option<Request>,
    found: Found,
}

/// A call, and the number of the account.
#[derive(Clone, Copy)]
enum Call {
    Insert(u32),
    Select(u32),
    /// By this number.
    Update(u32, u32),
    Delete(u32),
}

impl Clients {
    /// So many; `maker` makes their requests.
    pub fn new(count: u32, maker: Connection) -> Clients {
        let client = |number: u32| Client {
            random: Random::new(number),
            inserted: 0,
            deleted: 0,
            call: Call::Select(0),
            request: None,
            found: Found::default(),
        };
        Clients {
            maker,
            all: (0..count).map(client).collect(),
            deadline: Instant::now(),
            times: Histogram::default(),
            first_error: None,
            totals: Totals::default(),
        }
    }

    /// Lets them call procedures for some time: how long it took.
    pub fn run(
        &mut self,
        connect: &ConnectOptions,
        time: Duration,
    ) -> Result<Duration, BenchError> {
        let mut fleet = Fleet::connect(connect, self.all.len())?;
        self.times = Histogram::default();
        let begin = Instant::now();
        self.deadline = begin + time;
        fleet.run(self)?;
        match self.first_error.take() {
            Some(error) => Err(error),
            None => Ok(begin.elapsed()),
        }
    }

    /// Whether the table holds what the acknowledged calls have made of it.
    pub fn check(&self, connection: &mut Connection) -> Result<(), BenchError> {
        let query =
            "SELECT COUNT_BIG(*), SUM(CAST(Updates AS bigint)), SUM(Balance) FROM dbo.Accounts";
        let Totals { inserted, deleted, updates, balance } = self.totals;
        let expected = [i64::from(ROWS) + inserted - deleted, updates, balance];
        check("rows, updates and balance", numbers(connection, query)?, expected)
    }

    /// Transactions of the last run.
    pub fn transactions(&self) -> u64 {
        self.times.count()
    }

    fn choose(&mut self, place: usize) -> Call {
        let (number, count) = (place as u32, self.all.len() as u32);
        let client = &mut self.all[place];
        let made = |n: u32| ROWS + n * count + number;
        match client.random.below(100) {
            0..40 => Call::Select(client.random.below(ROWS)),
            40..60 => {
                let own = client.random.below(ROWS / count) * count + number;
                Call::Update(own, 1 + client.random.below(100))
            }
            60..80 if client.deleted < client.inserted => Call::Delete(made(client.deleted)),
            _ => Call::Insert(made(client.inserted)),
        }
    }

    fn prepare(&self, call: Call) -> Result<Request, ClientError> {
        let int = |name, value: u32| {
            let value = ValueRef::Int(i64::from(value));
            Argument::Scalar(Parameter::input(name, SqlType::int(), value))
        };
        let account = |id| int("@AccountID", id);
        let maker = &self.maker;
        match call {
            Call::Insert(id) => {
                maker.prepare_call("dbo.usp_Insert", &[account(id), int("@Number", id / 2)])
            }
            Call::Select(id) => maker.prepare_call("dbo.usp_Select", &[account(id)]),
            Call::Update(id, by) => {
                maker.prepare_call("dbo.usp_Update", &[account(id), int("@Number", by)])
            }
            Call::Delete(id) => maker.prepare_call("dbo.usp_Delete", &[account(id)]),
        }
    }
}

impl Driver for Clients {
    fn next(&mut self, place: usize) -> Option<&Request> {
        if self.first_error.is_some() || Instant::now() >= self.deadline {
            return None;
        }
        let call = self.choose(place);
        let request = self.prepare(call).expect("an int is a value of int");
        let client = &mut self.all[place];
        client.call = call;
        Some(client.request.insert(request))
    }

    fn done(&mut self, place: usize, outcome: &Outcome, time: Duration) {
        if let Some(error) = &outcome.first_error {
            self.first_error.get_or_insert(ClientError::Server(error.clone()).into());
            return;
        }
        self.times.record(time);
        let client = &mut self.all[place];
        match client.call {
            Call::Insert(_) => {
                client.inserted += 1;
                self.totals.inserted += 1;
            }
            Call::Delete(_) => {
                client.deleted += 1;
                self.totals.deleted += 1;
            }
            Call::Update(_, by) => {
                self.totals.updates += 1;
                self.totals.balance += i64::from(by);
            }
            Call::Select(id) => {
                let found = (outcome.rows, client.found.account);
                if let Err(error) = check("one row with this key", found, (1, i64::from(id))) {
                    self.first_error.get_or_insert(error);
                }
            }
        }
    }

    fn receiver(&mut self, place: usize) -> &mut dyn Receiver {
        &mut self.all[place].found
    }
}

/// The number of the account that was selected.
#[derive(Default)]
struct Found {
    account: i64,
}

impl Receiver for Found {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        if let Value::Int(account) = row.get(0).map_err(io::Error::other)?.into_value() {
            self.account = account;
        }
        Ok(())
    }
}

//! The order-processing benchmark: its tables and procedures, their data, and the clients that call
//! them.
//!
//! The scripts are those in `samples/order-processing`; they are part of the program. Clients know
//! what every answer must be, since all data follows from numbers ([`data`]).

mod clients;
pub mod data;
mod load;
pub mod report;
pub mod room;

use std::fmt;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use base::Value;

pub use self::clients::{Kind, Placed, Plan, Tally, Wrong};
pub use self::load::{Loaded, load};

use self::clients::{Clients, Shared};
use self::data::Data;
use crate::client::{ClientError, ConnectOptions, Connection, Fleet};
use crate::local::{DataDir, LocalError, LocalServer, ProcessTime, resident_bytes};
use crate::sample::run_script;

#[cfg(test)]
mod tests;

/// The database that the sample is installed in, by default.
pub const DATABASE: &str = "OrderProcessing";

const DATABASE_SCRIPT: &str = include_str!("../../../../samples/order-processing/1-database.sql");
const INMEM_SCRIPT: &str = include_str!("../../../../samples/order-processing/2-inmem.sql");
const ONDISK_SCRIPT: &str = include_str!("../../../../samples/order-processing/2-ondisk.sql");
const DATA_SCRIPT: &str = include_str!("../../../../samples/order-processing/3-data.sql");

/// The kind of tables.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tables {
    /// Memory-optimized, with natively compiled procedures.
    Inmem,
    /// Disk tables, with ordinary procedures.
    Ondisk,
    /// Disk tables with row caching.
    Rowcache,
}

/// Makes the database, its tables and its procedures.
///
/// # Errors
/// Those of the server and of the connection.
pub fn install(
    connect: &ConnectOptions,
    database: &str,
    tables: Tables,
    data: &Data,
) -> Result<(), ClientError> {
    let mut connection = Connection::connect(&connect.clone().with_database("master"))?;
    let buckets = (data.customers() as u64).next_power_of_two().to_string();
    let script = match tables {
        Tables::Inmem => INMEM_SCRIPT,
        Tables::Ondisk | Tables::Rowcache => ONDISK_SCRIPT,
    };
    let variables = [("database_name", database), ("customer_buckets", &buckets)];
    for script in [DATABASE_SCRIPT, script] {
        run_script(&mut connection, script, &variables)?;
    }
    if tables == Tables::Rowcache {
        connection.execute("ALTER DATABASE CURRENT SET ROW_CACHING ON FOR ALL TABLES")?;
    }
    Ok(())
}

/// Fills the tables by statements of the server instead of [`load`].
///
/// # Errors
/// Those of the server and of the connection.
pub fn fill(connect: &ConnectOptions, database: &str, data: &Data) -> Result<(), ClientError> {
    let mut connection = Connection::connect(connect)?;
    let variables = [("database_name", database), ("scale", &data.scale().to_string())];
    run_script(&mut connection, DATA_SCRIPT, &variables)
}

/// How many clients there are, and what they do.
#[derive(Clone, Copy, Debug)]
pub struct ClientLoad {
    /// Clients.
    pub connections: u32,
    /// Threads that drive them.
    pub drivers: u32,
    /// How long they do so.
    pub time: Duration,
    /// What a client waits between an answer and its next request, on average.
    pub think: Duration,
}

/// What a run has done.
pub struct Run {
    /// What the clients have done.
    pub tally: Tally,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// How long it took to connect.
    pub connecting: Duration,
    /// Processor time of the server during the run, where the system says it.
    pub server_time: Option<Duration>,
    /// ... and of this program.
    pub driver_time: Option<Duration>,
    /// Memory of the server at the end, in bytes.
    pub server_bytes: Option<u64>,
    /// What the connections take of it.
    pub connection_bytes: Option<u64>,
    /// Why it ended early, if it did.
    pub wrong: Option<Wrong>,
}

impl Run {
    /// Transactions a second.
    pub fn transactions_per_s(&self) -> f64 {
        self.tally.transactions() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Processor time of the server for each transaction, in microseconds.
    pub fn server_us(&self) -> Option<f64> {
        self.us_each(self.server_time?)
    }

    /// The same of the clients.
    pub fn driver_us(&self) -> Option<f64> {
        self.us_each(self.driver_time?)
    }

    fn us_each(&self, time: Duration) -> Option<f64> {
        let transactions = self.tally.transactions();
        (transactions > 0).then(|| time.as_secs_f64() * 1e6 / transactions as f64)
    }
}

/// Connects the clients and lets them work. The server is the process with this number.
///
/// # Errors
/// When a client cannot connect. What goes wrong later is part of the run.
pub fn run(
    connect: &ConnectOptions,
    data: Data,
    load: ClientLoad,
    server: u32,
) -> Result<Run, ClientError> {
    let shared = Shared::new(data);
    let drivers = load.drivers.clamp(1, load.connections);
    let before_bytes = resident_bytes(server);
    let begin = Instant::now();
    let fleets = std::thread::scope(|scope| {
        let part = |n: u32| load.connections * n / drivers;
        let connecting = (0..drivers).map(|n| {
            scope.spawn(move || {
                let numbers = part(n)..part(n + 1);
                let fleet = Fleet::connect(connect, numbers.len())?;
                Ok((numbers, fleet))
            })
        });
        let connecting: Vec<_> = connecting.collect();
        let all = connecting.into_iter().map(|thread| thread.join().expect("it does not panic"));
        all.collect::<Result<Vec<_>, ClientError>>()
    })?;
    let connecting = begin.elapsed();
    let connected_bytes = resident_bytes(server);
    let makers = fleets.iter().map(|_| Connection::connect(connect));
    let makers = makers.collect::<Result<Vec<_>, _>>()?;

    let start = Barrier::new(fleets.len());
    let times = [server, std::process::id()].map(ProcessTime::of);
    let begin = Instant::now();
    let plan = Plan {
        think: load.think,
        deadline: begin + load.time,
        fulfils_apart: load.connections > 1,
    };
    std::thread::scope(|scope| {
        let (shared, start) = (&shared, &start);
        let threads = fleets.into_iter().zip(makers).map(|((numbers, mut fleet), maker)| {
            scope.spawn(move || {
                let mut clients = Clients::new(shared, maker, numbers, plan);
                start.wait();
                if let Err(error) = fleet.run(&mut clients) {
                    shared.stop(Wrong::Client(error));
                }
                (clients.tally, fleet)
            })
        });
        let threads: Vec<_> = threads.collect();
        // All connections stay open until the figures are taken.
        let ended: Vec<_> =
            threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect();
        let since = |n: usize, process| Some(ProcessTime::of(process)?.since(times[n]?));
        let mut run = Run {
            tally: Tally::default(),
            elapsed: begin.elapsed(),
            connecting,
            server_time: since(0, server),
            driver_time: since(1, std::process::id()),
            server_bytes: resident_bytes(server),
            connection_bytes: before_bytes
                .zip(connected_bytes)
                .map(|(before, after)| after.saturating_sub(before)),
            wrong: shared.take_wrong(),
        };
        ended.into_iter().for_each(|(own, _)| run.tally.add(own));
        Ok(run)
    })
}

/// Orders that acknowledged calls have left, and how many of the oldest were fulfilled.
#[derive(Default)]
pub struct Expected {
    placed: Vec<Placed>,
    fulfilments: u64,
    /// Calls of both kinds whose answers never came.
    unknown: [u64; 2],
    /// Calls that were made again, unless the time was over.
    conflicts: u64,
}

impl Expected {
    /// Adds what a run has done.
    pub fn add(&mut self, tally: &Tally) {
        self.placed.extend(&tally.placed);
        self.fulfilments += tally.times[Kind::Fulfil as usize].count();
        self.conflicts += tally.conflicts;
        for (own, kind) in self.unknown.iter_mut().zip([Kind::Insert, Kind::Fulfil]) {
            *own += tally.unknown[kind as usize];
        }
    }

    /// Says what of the tables is wrong: an acknowledged order that is not there or not whole, one
    /// that was fulfilled twice, and so on.
    ///
    /// # Errors
    /// Those of the server and of the connection, and what is wrong.
    pub fn check(&mut self, connection: &mut Connection, data: &Data) -> Result<(), Failure> {
        self.check_placed(connection, data)?;
        for (what, query) in WHOLENESS {
            match integers(connection, query)?[..] {
                [0] => {}
                ref other => return Err(Failure::Wrong(format!("{what}: {other:?}"))),
            }
        }
        check_loaded(connection, data)?;
        self.check_fulfilled(connection)
    }

    /// Compares the orders that came later with those that were acknowledged.
    fn check_placed(&mut self, connection: &mut Connection, data: &Data) -> Result<(), Failure> {
        self.placed.sort_unstable();
        let rows = connection.query(&format!(
            "SELECT O_ID, O_C_ID, O_Total FROM dbo.Orders WHERE O_ID > {} ORDER BY O_ID",
            data.orders()
        ))?;
        let mut found = Vec::with_capacity(rows.rows.len());
        for row in &rows.rows {
            let [Value::Int(order), Value::Int(customer), Value::Money(total)] = row[..] else {
                return Err(Failure::Wrong(format!("{row:?} is no order")));
            };
            found.push(Placed { order, customer, total });
        }
        if let Some(twice) = self.placed.windows(2).find(|pair| pair[0].order == pair[1].order) {
            return Err(Failure::Wrong(format!("{twice:?} were acknowledged with one number")));
        }
        let missing = self.placed.iter().find(|placed| found.binary_search(placed).is_err());
        if let Some(missing) = missing {
            return Err(Failure::Wrong(format!("{missing:?} was acknowledged and is not there")));
        }
        let more = (found.len() - self.placed.len()) as u64;
        if more > self.unknown[0] {
            return Err(Failure::Wrong(format!(
                "{more} orders are there that no client knows, and {} answers never came",
                self.unknown[0]
            )));
        }
        Ok(())
    }

    /// Compares what was fulfilled with the calls that did so.
    fn check_fulfilled(&self, connection: &mut Connection) -> Result<(), Failure> {
        let query = "SELECT COUNT_BIG(*), COUNT_BIG(DISTINCT FF_O_ID), \
             (SELECT COUNT_BIG(*) FROM dbo.Orders WHERE O_Status = 2), \
             (SELECT COUNT_BIG(*) FROM dbo.Orders) FROM dbo.Fulfillment";
        let [fulfilled, distinct, status, orders] = integers(connection, query)?[..] else {
            return Err(Failure::Wrong("there is no such result".into()));
        };
        let at_least = (self.fulfilments as i64 * 10).min(orders);
        let at_most = (at_least + self.unknown[1] as i64 * 10).min(orders);
        let is_right =
            (at_least..=at_most).contains(&fulfilled) && [distinct, status] == [fulfilled; 2];
        if !is_right {
            return Err(Failure::Wrong(format!(
                "{fulfilled} fulfilments of {distinct} orders, {status} of which say so; {} calls \
                 fulfilled ten each, and {} have no answer",
                self.fulfilments, self.unknown[1]
            )));
        }
        let query = "SELECT COUNT_BIG(*) FROM dbo.Orders WHERE O_Status = 1 \
             AND O_ID < (SELECT MAX(FF_O_ID) FROM dbo.Fulfillment)";
        let passed_over = integers(connection, query)?;
        let most = 10 * (self.conflicts + self.unknown[1]) as i64;
        if !matches!(passed_over[..], [number] if number <= most) {
            return Err(Failure::Wrong(format!(
                "{passed_over:?} orders are older than one that was fulfilled"
            )));
        }
        Ok(())
    }
}

/// Compares what was loaded with the data, as far as nothing changes it.
fn check_loaded(connection: &mut Connection, data: &Data) -> Result<(), Failure> {
    let query = format!(
        "SELECT COUNT_BIG(*), CAST(CAST(SUM(O_Total) AS decimal(38, 4)) * 10000 AS bigint), \
         (SELECT COUNT_BIG(*) FROM dbo.Customer), (SELECT COUNT_BIG(*) FROM dbo.Products), \
         (SELECT COUNT_BIG(*) FROM dbo.Purchase_Criteria) \
         FROM dbo.Orders WHERE O_ID <= {}",
        data.orders()
    );
    let loaded = integers(connection, &query)?;
    let total: i64 = (1..=data.orders()).map(|order| data.total(order)).sum();
    let expected = [data.orders(), total, data.customers(), data.products(), data.criteria()];
    if loaded != expected {
        return Err(Failure::Wrong(format!(
            "orders that were loaded, their total, customers, products and criteria are \
             {loaded:?} instead of {expected:?}"
        )));
    }
    Ok(())
}

/// What counts must be zero.
const WHOLENESS: [(&str, &str); 3] = [
    (
        "lines of products that are not there, or at other prices",
        "SELECT COUNT_BIG(*) FROM dbo.OrderLines AS l \
         LEFT JOIN dbo.Products AS p ON p.PR_ID = l.OL_PR_ID \
         WHERE p.PR_ID IS NULL OR p.PR_Price <> l.OL_Price",
    ),
    (
        "orders whose lines do not add up to their totals, or that have none",
        "SELECT COUNT_BIG(*) FROM dbo.Orders AS o \
         FULL JOIN (SELECT OL_O_ID, SUM(OL_Price * OL_Quantity) AS total, COUNT(*) AS lines, \
             MAX(OL_Number) AS last FROM dbo.OrderLines GROUP BY OL_O_ID) AS l ON l.OL_O_ID = o.O_ID \
         WHERE o.O_ID IS NULL OR l.OL_O_ID IS NULL OR l.total <> o.O_Total OR l.lines <> l.last",
    ),
    (
        "orders that are fulfilled by one table alone",
        "SELECT COUNT_BIG(*) FROM dbo.Orders AS o \
         FULL JOIN dbo.Fulfillment AS f ON f.FF_O_ID = o.O_ID \
         WHERE o.O_ID IS NULL OR IIF(f.FF_ID IS NULL, 1, 2) <> o.O_Status",
    ),
];

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    /// There is no server.
    Local(LocalError),
    /// The server refuses something, or has gone away.
    Client(ClientError),
    /// An answer or the tables are not as they must be.
    Wrong(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Local(error) => error.fmt(f),
            Failure::Client(error) => error.fmt(f),
            Failure::Wrong(what) => f.write_str(what),
        }
    }
}

impl From<LocalError> for Failure {
    fn from(error: LocalError) -> Failure {
        Failure::Local(error)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        Failure::Client(error)
    }
}

/// A server of its own with the tables, which are loaded.
pub struct Site {
    // Before the directory, which is removed when it is dropped.
    server: LocalServer,
    data: Data,
    loaded: Loaded,
    expected: Expected,
    _dir: DataDir,
}

impl Site {
    /// Starts the server in a temporary directory, and makes and fills the tables.
    ///
    /// # Errors
    /// When the machine has no room for the data, and those of the server.
    pub fn create(purpose: &str, tables: Tables, data: Data) -> Result<Site, Failure> {
        room::for_data(&data, tables).map_err(|missing| Failure::Wrong(missing.to_string()))?;
        let dir = DataDir::temporary(purpose)?;
        let server = LocalServer::start(dir.path(), &[])?;
        install(&server.options(), DATABASE, tables, &data)?;
        let loaded = load(&server.options().with_database(DATABASE), &data, processors())?;
        Ok(Site { server, data, loaded, expected: Expected::default(), _dir: dir })
    }

    /// The server.
    pub fn server(&self) -> &LocalServer {
        &self.server
    }

    /// What was loaded.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// Lets clients work, and looks at what they have left.
    ///
    /// # Errors
    /// When the machine has no room for the connections, those of the server, and what is wrong.
    pub fn run(&mut self, load: ClientLoad) -> Result<Run, Failure> {
        room::for_connections(load.connections)
            .map_err(|missing| Failure::Wrong(missing.to_string()))?;
        let connect = self.server.options().with_database(DATABASE);
        let run = run(&connect, self.data, load, self.server.process_id())?;
        if let Some(wrong) = &run.wrong {
            let (ended, log) = (report::ended(wrong, &run.tally), self.server.end_of_log());
            return Err(Failure::Wrong(format!("{ended}\nThe end of the server's log:\n{log}")));
        }
        self.expected.add(&run.tally);
        self.expected.check(&mut Connection::connect(&connect)?, &self.data)?;
        Ok(run)
    }

    /// Ends the server.
    ///
    /// # Errors
    /// When it does not end in order.
    pub fn stop(self) -> Result<(), Failure> {
        Ok(self.server.stop()?)
    }
}

/// Processors of this machine.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// The integers of a result's only row.
fn integers(connection: &mut Connection, query: &str) -> Result<Vec<i64>, Failure> {
    let result = connection.query(query)?;
    let row = result.rows.first().map_or(&[][..], |row| row);
    let integer = |value: &Value| match value {
        Value::Int(value) => Ok(*value),
        other => Err(Failure::Wrong(format!("{other:?} is no integer"))),
    };
    row.iter().map(integer).collect()
}

//! The sales-order workload: clients that insert orders, each order a durable transaction of its
//! own.

use std::time::{Duration, Instant};

use base::Value;

use crate::client::{
    ClientError, ConnectOptions, Connection, Driver, Fleet, Ignore, Outcome, Receiver, Request,
    ServerMessage,
};
use crate::stress::histogram::Histogram;

/// Orders in one batch of a client.
pub const ORDERS_PER_BATCH: u64 = 20;

/// Which of the two sets of tables orders go into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableSet {
    /// The memory-optimized tables.
    InMemory,
    /// The ordinary tables.
    OnDisk,
}

impl TableSet {
    /// What the names of its tables and procedures end with.
    pub fn suffix(self) -> &'static str {
        match self {
            TableSet::InMemory => "_inmem",
            TableSet::OnDisk => "_ondisk",
        }
    }
}

/// How orders are inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By a natively compiled procedure, into memory-optimized tables.
    Native,
    /// By an ordinary procedure, into memory-optimized tables.
    Interpreted,
    /// By an ordinary procedure, into ordinary tables.
    OnDisk,
}

impl Way {
    /// The tables that orders go into.
    pub fn tables(self) -> TableSet {
        match self {
            Way::Native | Way::Interpreted => TableSet::InMemory,
            Way::OnDisk => TableSet::OnDisk,
        }
    }

    /// What the name of the procedure ends with.
    fn suffix(self) -> &'static str {
        match self {
            Way::Native => "_inmem",
            Way::Interpreted => "_interpreted",
            Way::OnDisk => "_ondisk",
        }
    }

    /// The batch that every client runs again and again: a sample order, inserted this many times
    /// by calls of the procedure.
    pub fn batch(self, orders: u64) -> String {
        let (suffix, way) = (self.tables().suffix(), self.suffix());
        format!(
            "DECLARE @i int = 0, @od Sales.SalesOrderDetailType{suffix}, @SalesOrderID int, \
             @DueDate datetime2 = sysdatetime(), @CustomerID int = rand() * 8000, \
             @BillToAddressID int = rand() * 10000, @ShipToAddressID int = rand() * 10000, \
             @ShipMethodID int = (rand() * 5) + 1; \
             INSERT INTO @od SELECT OrderQty, ProductID, SpecialOfferID \
             FROM Demo.DemoSalesOrderDetailSeed WHERE OrderID = cast((rand()*106) + 1 as int); \
             WHILE (@i < {orders}) BEGIN; \
             EXEC Sales.usp_InsertSalesOrder{way} @SalesOrderID OUTPUT, @DueDate, @CustomerID, \
             @BillToAddressID, @ShipToAddressID, @ShipMethodID, @od; SET @i += 1 END"
        )
    }
}

/// When clients stop.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this time.
    Elapsed(Duration),
    /// When all of them together have run this many batches.
    Batches(u64),
}

/// What a run has done.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Batches that were answered without an error.
    pub batches: u64,
    /// Batches with errors.
    pub failed: u64,
    /// The first error.
    pub first_error: Option<Box<ServerMessage>>,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// How long batches took.
    pub times: Histogram,
    /// Orders that became durable in each second.
    pub by_second: Vec<u64>,
    /// Orders of a batch.
    pub orders_per_batch: u64,
}

impl Run {
    /// Orders that are known to be durable.
    pub fn orders(&self) -> u64 {
        self.batches * self.orders_per_batch
    }

    /// Orders a second.
    pub fn orders_per_s(&self) -> f64 {
        self.orders() as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Orders in each whole second.
    pub fn whole_seconds(&self) -> Vec<u64> {
        let mut whole = self.by_second.clone();
        whole.resize(self.elapsed.as_secs() as usize, 0);
        whole
    }

    /// Orders a second in the first and in the last `seconds` whole seconds; nothing if it took
    /// less.
    pub fn first_and_last(&self, seconds: usize) -> Option<(f64, f64)> {
        let whole = self.whole_seconds();
        let rate = |part: &[u64]| part.iter().sum::<u64>() as f64 / seconds as f64;
        let first = whole.get(..seconds)?;
        Some((rate(first), rate(&whole[whole.len() - seconds..])))
    }
}

/// Connects this many clients and runs the workload, in batches of [`ORDERS_PER_BATCH`].
///
/// # Errors
/// When a connection fails. Errors in answers are counted.
pub fn run(
    options: &ConnectOptions,
    way: Way,
    connections: usize,
    until: Until,
) -> Result<Run, ClientError> {
    run_batches(options, way, connections, until, ORDERS_PER_BATCH)
}

/// As [`run`], in batches of this many orders.
///
/// # Errors
/// When a connection fails. Errors in answers are counted.
pub fn run_batches(
    options: &ConnectOptions,
    way: Way,
    connections: usize,
    until: Until,
    orders_per_batch: u64,
) -> Result<Run, ClientError> {
    let connected: Vec<Connection> =
        (0..connections).map(|_| Connection::connect(options)).collect::<Result<_, _>>()?;
    let Some(first) = connected.first() else { return Ok(Run::default()) };
    let request = first.prepare_batch(&way.batch(orders_per_batch));
    let mut fleet = Fleet::new(connected)?;
    let begin = Instant::now();
    let (deadline, batches) = match until {
        Until::Elapsed(time) => (Some(begin + time), u64::MAX),
        Until::Batches(batches) => (None, batches),
    };
    let run = Run { orders_per_batch, ..Run::default() };
    let mut clients = Clients { request, begin, deadline, left: batches, run, ignore: Ignore };
    fleet.run(&mut clients)?;
    clients.run.elapsed = begin.elapsed();
    Ok(clients.run)
}

/// All clients: they do the same.
struct Clients {
    request: Request,
    begin: Instant,
    deadline: Option<Instant>,
    left: u64,
    run: Run,
    ignore: Ignore,
}

impl Driver for Clients {
    fn next(&mut self, _: usize) -> Option<&Request> {
        if self.left == 0 || self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        self.left -= 1;
        Some(&self.request)
    }

    fn done(&mut self, _: usize, outcome: &Outcome, time: Duration) {
        if outcome.errors == 0 {
            self.run.batches += 1;
            let second = self.begin.elapsed().as_secs() as usize;
            if self.run.by_second.len() <= second {
                self.run.by_second.resize(second + 1, 0);
            }
            self.run.by_second[second] += self.run.orders_per_batch;
            self.run.times.record(time);
            return;
        }
        self.run.failed += 1;
        if self.run.first_error.is_none() {
            self.run.first_error = outcome.first_error.clone();
        }
    }

    fn receiver(&mut self, _: usize) -> &mut dyn Receiver {
        &mut self.ignore
    }
}

/// What a set of tables holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Orders.
    pub orders: i64,
    /// Lines of orders.
    pub lines: i64,
    /// Lines whose order is not there.
    pub orphans: i64,
    /// Orders without lines.
    pub empty: i64,
    /// Orders made by the procedure whose total is not what their lines add up to.
    pub wrong_totals: i64,
}

impl Contents {
    /// Looks.
    ///
    /// # Errors
    /// Those of the server and of the connection.
    pub fn of(connection: &mut Connection, tables: TableSet) -> Result<Contents, ClientError> {
        let suffix = tables.suffix();
        let count = format!("SELECT COUNT_BIG(*) FROM Sales.SalesOrderHeader{suffix}");
        let [orders] = numbers(connection, &count)?;
        // Lines come in the order of the table's key, an order's together, so that nothing has to
        // be kept of them. Orders of the sample proper have been shipped; those of the procedure
        // have status 1.
        let [filled, lines, orphans, wrong_totals] = numbers(
            connection,
            &format!(
                "SELECT COUNT_BIG(h.SalesOrderID), SUM(d.Lines), \
                 SUM(CASE WHEN h.SalesOrderID IS NULL THEN d.Lines END), \
                 COUNT_BIG(CASE WHEN h.Status = 1 AND ABS(h.SubTotal - d.Total) > 0.01 THEN 1 END) \
                 FROM (SELECT SalesOrderID, COUNT_BIG(*) AS Lines, \
                 SUM(UnitPrice - UnitPriceDiscount) AS Total \
                 FROM Sales.SalesOrderDetail{suffix} GROUP BY SalesOrderID) AS d \
                 LEFT OUTER JOIN Sales.SalesOrderHeader{suffix} AS h \
                 ON h.SalesOrderID = d.SalesOrderID OPTION (LOOP JOIN)"
            ),
        )?;
        Ok(Contents { orders, lines, orphans, empty: orders - filled, wrong_totals })
    }

    /// Whether every order is whole.
    pub fn are_whole(&self) -> bool {
        self.orphans == 0 && self.empty == 0 && self.wrong_totals == 0
    }
}

/// The integers of a query's only row; NULL, the sum of nothing, is 0.
fn numbers<const N: usize>(
    connection: &mut Connection,
    query: &str,
) -> Result<[i64; N], ClientError> {
    let rows = connection.query(query)?;
    let row = rows.rows.first().map_or(&[][..], |row| row);
    Ok(std::array::from_fn(|at| match row.get(at) {
        Some(Value::Int(number)) => *number,
        _ => 0,
    }))
}

#[cfg(test)]
mod tests;

//! The sales-order sample, for benchmarks to fill.

use super::BenchError;
use super::database::{check, numbers};
use crate::client::{ClientError, Connection};
use crate::local::LocalServer;
use crate::sample::{self, DataSource};
use crate::workload::{self, ORDERS_PER_BATCH, Until, Way};

/// Installs the sample; the connection is in it.
pub fn install(server: &LocalServer) -> Result<Connection, BenchError> {
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())?;
    Ok(Connection::connect(&server.options().with_database(sample::DATABASE))?)
}

/// Inserts this many orders, about five lines each, into the memory-optimized tables, which have
/// `before`.
pub fn insert(
    server: &LocalServer,
    connection: &mut Connection,
    orders: u64,
    connections: usize,
    before: [i64; 2],
) -> Result<(), BenchError> {
    let connect = server.options().with_database(sample::DATABASE);
    let until = Until::Batches(orders.div_ceil(ORDERS_PER_BATCH));
    let run = workload::run(&connect, Way::Native, connections, until)?;
    if let Some(error) = run.first_error {
        return Err(ClientError::Server(error).into());
    }
    let [orders, _] = rows(connection)?;
    check("orders that were inserted", orders - before[0], run.orders() as i64)
}

/// Orders and lines in the memory-optimized tables.
pub fn rows(connection: &mut Connection) -> Result<[i64; 2], BenchError> {
    numbers(
        connection,
        "SELECT (SELECT COUNT_BIG(*) FROM Sales.SalesOrderHeader_inmem), \
         (SELECT COUNT_BIG(*) FROM Sales.SalesOrderDetail_inmem)",
    )
}

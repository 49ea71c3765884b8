//! What binding and planning may ask of their caller: sizes of tables, and to let other sessions
//! have their turn.

use base::SqlResult;
use base::ids::DbId;
use engine::catalog::def::TableDef;

/// Sizes of tables and indexes. They need not be exact and may have changed when a plan is run.
pub trait Statistics {
    /// How many rows a table has; `None` if that is not known.
    fn rows(&self, database: DbId, table: &TableDef) -> Option<u64>;

    /// How many different keys an index (by its place in [`TableDef::indexes`]) has.
    fn distinct_keys(&self, database: DbId, table: &TableDef, index: usize) -> Option<u64>;

    /// The cost of fetching a row through its entry in an index that does not hold it, in units of
    /// the cost of a row that a scan passes. Zero as long as rows are in memory.
    fn lookup_cost(&self, database: DbId, table: &TableDef) -> f64;

    /// Lets other sessions have their turn once a plan has taken long. Error 3617 when the client
    /// has cancelled.
    fn checkpoint(&self) -> SqlResult<()> {
        Ok(())
    }
}

/// Statistics that know nothing: for plans without a database.
#[derive(Clone, Copy, Debug)]
pub struct NoStatistics;

impl Statistics for NoStatistics {
    fn rows(&self, _: DbId, _: &TableDef) -> Option<u64> {
        None
    }

    fn distinct_keys(&self, _: DbId, _: &TableDef, _: usize) -> Option<u64> {
        None
    }

    fn lookup_cost(&self, _: DbId, _: &TableDef) -> f64 {
        0.0
    }
}

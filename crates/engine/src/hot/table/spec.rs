//! The specification of a table.

use base::ids::StorageId;
use base::types::TypeKind;
use base::{Collation, SqlType};

use crate::hot::filter::RowFilter;
use crate::hot::key::KeyColumn;
use crate::hot::row::RowLayout;

/// What happens when two transactions want to change one row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConflictPolicy {
    /// The second fails: memory-optimized tables.
    FirstWriterWins,
    /// The second waits for the first: disk and row-cached tables, and the catalog.
    Wait,
}

/// The kind of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// A hash index, which finds rows by their whole key. The bucket count is a hint.
    Hash {
        /// How many distinct keys are expected.
        bucket_count: u64,
    },
    /// A range index, which has rows in order.
    Range,
}

/// One index of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexSpec {
    /// Hash or range.
    pub kind: IndexKind,
    /// The key, most significant column first.
    pub columns: Vec<KeyColumn>,
    /// Whether two live rows may not have the same key.
    pub unique: bool,
    /// Which rows the index holds; all if there is no filter.
    pub filter: Option<RowFilter>,
}

/// Start, step and cache size of an identity column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdentitySpec {
    /// The first value.
    pub seed: i64,
    /// The distance between values, not 0.
    pub increment: i64,
    /// Values that one ceiling in the log reserves, at least 1.
    pub block: i64,
}

/// The specification of a table; [`TableSpec::new`] gives the simplest.
#[derive(Clone, PartialEq, Debug)]
pub struct TableSpec {
    /// Names the table in the log.
    pub storage: StorageId,
    /// The types of its columns, without the hidden row number.
    pub columns: Vec<SqlType>,
    /// Names the layout in the log and in checkpoint files.
    pub layout_number: u16,
    /// Its indexes. Ordinals count from 0 in this order, everywhere.
    pub indexes: Vec<IndexSpec>,
    /// Whether its changes go to the log.
    pub logged: bool,
    /// Whether it is a table of the catalog, so that replay treats a commit that changes it as a
    /// barrier.
    pub catalog: bool,
    /// What happens when two transactions want to change one row.
    pub conflicts: ConflictPolicy,
    /// The identity column's counter, if it has one.
    pub identity: Option<IdentitySpec>,
    /// Whether the row cache keeps its rows once they have sunk, to begin with.
    pub caches_rows: bool,
}

impl TableSpec {
    /// A logged memory-optimized table without identity.
    pub fn new(storage: StorageId, columns: Vec<SqlType>, indexes: Vec<IndexSpec>) -> TableSpec {
        TableSpec {
            storage,
            columns,
            layout_number: 1,
            indexes,
            logged: true,
            catalog: false,
            conflicts: ConflictPolicy::FirstWriterWins,
            identity: None,
            caches_rows: false,
        }
    }

    /// The unique index whose key names rows in the log, if one holds every row: of several, the
    /// first with the fewest columns.
    pub fn log_index(&self) -> Option<usize> {
        let whole = |i: &(usize, &IndexSpec)| i.1.unique && i.1.filter.is_none();
        let (ordinal, _) =
            self.indexes.iter().enumerate().filter(whole).min_by_key(|(_, i)| i.columns.len())?;
        Some(ordinal)
    }

    /// The layout of the rows, and the ordinal of the hidden row number if there is one: a table
    /// without a unique index over all rows gets a last column `bigint NOT NULL` that the table
    /// assigns, and a last index, a unique range index over it.
    pub fn layout(&self) -> (RowLayout, Option<usize>) {
        let mut types = self.columns.clone();
        let row_number = self.log_index().is_none().then_some(types.len());
        if row_number.is_some() {
            types.push(BIGINT);
        }
        (RowLayout::new(&types), row_number)
    }
}

const BIGINT: SqlType =
    SqlType { kind: TypeKind::BigInt, precision: 19, scale: 0, length: 8, collation: Collation(0) };

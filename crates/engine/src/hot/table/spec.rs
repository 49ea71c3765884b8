//! What a table is made from.

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

/// How an index finds rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexKind {
    /// By equality of the whole key. The bucket count is a hint.
    Hash {
        /// How many distinct keys are expected.
        bucket_count: u64,
    },
    /// By order.
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
    /// Which rows it holds; all if there is none.
    pub filter: Option<RowFilter>,
}

/// The start and step of an identity column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdentitySpec {
    /// The first value.
    pub seed: i64,
    /// The distance between values, not 0.
    pub increment: i64,
    /// Values that one ceiling in the log reserves, at least 1.
    pub block: i64,
}

/// What a table is made from; [`TableSpec::new`] gives the plainest.
#[derive(Clone, PartialEq, Debug)]
pub struct TableSpec {
    /// Names the table in the log.
    pub storage: StorageId,
    /// The types of its columns, without the hidden row number.
    pub columns: Vec<SqlType>,
    /// Names the layout in versions and in the log.
    pub layout_number: u16,
    /// Its indexes. Ordinals count from 0 in this order, everywhere.
    pub indexes: Vec<IndexSpec>,
    /// Whether its changes go to the log.
    pub logged: bool,
    /// Whether it is a table of the catalog, so that replay treats a commit that changes it as a
    /// barrier.
    pub catalog: bool,
    /// How writers meet.
    pub conflicts: ConflictPolicy,
    /// The identity column's counter, if it has one.
    pub identity: Option<IdentitySpec>,
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
        }
    }

    /// The unique index whose key names rows in the log, if one holds every row: of several the
    /// one with the fewest columns, and of those the first.
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

//! Local tables: table variables, table-valued parameters, `inserted` and `deleted`, worktables,
//! the rows of system views. Rows have the format of stored ones; there are no versions.
//!
//! # A statement on a local table
//!
//! A statement does not see what it writes, as with stored tables: between
//! [`LocalTable::begin_statement`] and its end, rows inserted in it are invisible, rows deleted in
//! it are visible, and changed rows show their old image. That needs an undo log, which also undoes
//! the statement when it fails. A change of an indexed column ends the row and makes a new one, so
//! an index never has one row under two keys.
//!
//! # Invariants
//!
//! * LT1: the bytes of a row do not move or change until the end of the statement that replaced
//!   them.
//! * LT2: outside of a statement every row is settled: it is alive and visible, or its slot is
//!   free.

mod cursor;
mod index;
mod table;
#[cfg(test)]
mod tests;

pub use cursor::{LocalAccess, LocalCursor};
pub use index::LocalIndexSpec;
pub use table::{Changed, Duplicate, Inserted, LocalShape, LocalTable, RowId};

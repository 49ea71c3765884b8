//! Cursors: queries whose rows are taken one by one.
//!
//! # Life of a cursor
//!
//! `DECLARE` binds the query and keeps the values that variables have at that moment. `OPEN` runs
//! it and keeps all rows in a local table, each with the key of its row if there is one. `FETCH`
//! moves over them. `CLOSE` drops the rows; `DEALLOCATE` drops a reference, and the cursor with the
//! last one: names and cursor variables each hold one.
//!
//! # What a cursor sees of changes
//!
//! `STATIC` and `FAST_FORWARD` cursors show the rows as they were. All others show each row anew
//! when it is fetched, sought by its keys, if the query is over different tables, joined if they
//! are several, and neither groups nor combines; where it is not, they are static and read-only, as
//! SQL Server too makes keyset cursors. A table without a unique key has row numbers instead, but
//! not for `KEYSET` cursors. `DYNAMIC` cursors are keyset ones here: a row that is inserted later
//! is not seen; one that is gone is passed over rather than found missing.
//!
//! While such a cursor is open, no other session changes the definition of its table. Its own
//! session may: then nothing can be fetched any more.
//!
//! # Where things are
//!
//! * [`declare`]: what a cursor is made of.
//! * [`statements`]: the statements.
//! * [`fetch`]: moving and reading.
//! * [`current`]: the row that `WHERE CURRENT OF` means, and `CURSOR_STATUS`.
//! * [`remote`]: the procedures by which clients use cursors.

mod current;
mod declare;
mod fetch;
mod remote;
mod statements;
#[cfg(test)]
mod tests;

pub(crate) use current::current_of;

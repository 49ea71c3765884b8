//! Bulk loads: `INSERT BULK` with the rows that follow it on the wire, and `BULK INSERT` from a
//! file, which `rowfile` reads.
//!
//! # Life of a bulk load
//!
//! Either way the rows come one by one. They are converted to the types of their columns and put
//! into a local table; whenever that is full, an `INSERT … SELECT` from it is run, whose plan is
//! made once for the whole load. So identity, defaults, keys, constraints and triggers are those of
//! any other `INSERT` ([`load`]). A load happens in the session's transaction, or in one of its
//! own, and wholly or not at all; with `BATCHSIZE` this holds for each batch.
//!
//! # What makes it different
//!
//! * `CHECK` and `FOREIGN KEY` constraints are looked at with `CHECK_CONSTRAINTS` only, triggers
//!   fire with `FIRE_TRIGGERS` only; then the rows of a batch go in at once, so that a trigger sees
//!   all of them.
//! * NULL for a column that has a default becomes the default, unless `KEEP_NULLS` is given.
//! * An identity column takes the values that come for it. `BULK INSERT` leaves them out unless
//!   `KEEPIDENTITY` is given; on the wire a client that does not want them does not send them.

mod file;
mod load;
#[cfg(test)]
mod tests;
mod wire;

pub use wire::BulkSource;

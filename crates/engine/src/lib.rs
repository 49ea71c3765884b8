//! The storage engine: rows, transactions, the log, the catalog. It never sees SQL text.
//!
//! Folders depend on each other in one direction only:
//! `wait ← log ← hot ← txn ← catalog ← recovery`.

pub mod catalog;
pub mod hot;
pub mod sync;
pub mod txn;
pub mod wait;

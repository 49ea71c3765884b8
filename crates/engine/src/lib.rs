//! The storage engine: rows, transactions, the log, the catalog. It never sees SQL text.
//!
//! Folders depend on each other in one direction only: `{wait, sort} ← {log, cold} ← hot ← txn ←
//! sink ← checkpoint ← recovery`, and on top of these `database`, `engine` and `catalog`. Recovery
//! knows the catalog only as a trait.

pub mod backup;
pub mod catalog;
pub mod checkpoint;
pub mod cold;
pub mod critical;
pub mod database;
pub mod engine;
pub mod error;
pub mod hot;
pub mod instance;
pub mod log;
pub mod pages;
mod prefetch;
pub mod recovery;
pub mod sink;
mod sort;
pub mod sync;
pub mod txn;
pub mod wait;

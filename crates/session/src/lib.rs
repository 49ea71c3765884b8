//! What surrounds statements: batches, variables, control flow, transactions, errors, procedures ([`exec`]), DDL, and
//! the views and procedures by which the server describes itself.
//!
//! # The life of a statement
//!
//! `tsql` gives a syntax tree; `compile` makes a unit of it; `run` runs it against `engine`, and asks this crate for
//! what belongs to the session. [`ddl`] changes the catalog, [`sysview`] and [`sysproc`] are the system views and
//! procedures.

pub mod ddl;
pub mod exec;
pub mod sysproc;
pub mod sysview;

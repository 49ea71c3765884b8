//! From T-SQL to results: binding, planning, the IR and its interpreter, batches, DDL, system views.
//!
//! # The life of a statement
//!
//! `tsql` gives a syntax tree; `bind` resolves names and types; `plan` turns the result into a tree
//! of operators ([`plan::tree`]); `lower` turns that into one straight-line program over typed
//! registers (`ir`); `interp` runs it against `engine`. `exec` is what surrounds statements: batches,
//! variables, control flow, transactions, errors, procedures.
//!
//! `func` is the library of scalar functions, `ddl` changes the catalog, `sysview` and `sysproc` are
//! the views and procedures by which the server describes itself.

pub mod bind;
pub mod ddl;
pub mod exec;
pub mod func;
#[cfg(any(test, feature = "testing"))]
#[allow(clippy::unwrap_used)]
pub mod golden;
pub mod interp;
pub mod ir;
pub mod lower;
pub mod plan;
pub mod sysproc;
pub mod sysview;

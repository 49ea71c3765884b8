//! What surrounds statements: sessions, batches and their steps, transactions, errors, modules,
//! DDL, and the views and procedures by which the server describes itself.
//!
//! `tsql` gives a syntax tree; `compile` makes a unit of it; `run` runs it against `engine`, and
//! asks this crate for what belongs to the session.
//!
//! # Where things are
//!
//! Each of these uses those above it alone.
//!
//! * [`handle`], [`options`], [`files`], [`request`], [`response`]: requests and answers.
//! * [`fault`]: errors, and what they end. [`security`]: permissions.
//! * [`program`]: texts and modules, taken apart into steps; [`plan_cache`] keeps them.
//! * [`instance`]: the server as all sessions share it.
//! * [`session`]: one connection's state. [`context`]: what runs on behalf of a request works with
//!   that.
//! * [`sysproc`], [`sysview`]: the system procedures and views. [`rowfile`]: files of rows.
//!   [`names`]: what the session shows the binder and functions of these and of all else that has a
//!   name.
//! * [`prepare`]: from a text to a program, from a step to its plan.
//! * [`ddl`]: statements that change the catalog. [`builtin`]: system procedures that are written
//!   in Rust.
//! * [`cursor`], [`bulk`], [`admin`]: cursors, bulk loads; backups, DBCC and what else administers
//!   the server.
//! * [`batch`]: what each step of a program does. [`requests`]: what a client can ask of a session.
//!
//! # The life of a request
//!
//! The server calls [`session::Session::batch`], [`session::Session::call`] and their like with a
//! task and a [`response::AnswerWriter`]. A text is looked up in the plan cache, or parsed and
//! taken apart; its steps run one after the other, each data statement as a unit of its own in a
//! statement of the session's transaction, or of one that lives as long as the statement. Errors
//! go to the nearest `TRY`, or to the client, and then decide what they end: the statement, the
//! module, the batch, the transaction, the connection.
//!
//! # Invariants
//!
//! * X1: whatever a request does, it answers with at least one
//!   [`done`](response::AnswerWriter::done), and none of its statements is open afterwards.
//! * X2: what must be durable before the client sees anything is what [`session::Reveal`] says.

pub mod admin;
pub mod batch;
pub mod builtin;
pub mod bulk;
pub mod context;
pub mod cursor;
pub mod ddl;
pub mod fault;
pub mod files;
pub mod handle;
pub mod instance;
pub mod names;
pub mod options;
pub mod plan_cache;
pub mod prepare;
pub mod program;
pub mod request;
pub mod requests;
pub mod response;
pub mod rowfile;
pub mod security;
pub mod session;
pub mod sysproc;
pub mod sysview;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used, clippy::new_without_default)]
pub mod testing;
#[cfg(test)]
mod tests;

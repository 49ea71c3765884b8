//! What surrounds statements: sessions, batches and their steps, transactions, errors, modules.
//!
//! # Where things are
//!
//! * [`instance`]: the server as all sessions share it.
//! * [`session`]: one connection's state, and the requests that a client can make of it.
//! * [`request`]: the shapes of those requests; [`answer`]: where their answers go.
//! * [`program`]: texts and modules, taken apart into steps; [`cache`] keeps them.
//! * [`run`]: what each step does.
//! * [`context`]: what definitions, system procedures, cursors and bulk loads are given to work
//!   with.
//! * [`options`], [`security`]: `SET` options; permissions. [`files`]: those that statements name.
//!
//! # The life of a request
//!
//! The server calls [`session::Session::batch`], [`session::Session::call`] and their like with a
//! task and a [`answer::AnswerWriter`]. A text is looked up in the plan cache, or parsed and
//! taken apart; its steps run one after the other, each data statement as a unit of its own in a
//! statement of the session's transaction, or of one that lives as long as the statement. Errors
//! go to the nearest `TRY`, or to the client, and then decide what they end: the statement, the
//! module, the batch, the transaction, the connection.
//!
//! # What others provide
//!
//! Everything is called with a [`context::Context`] while a step runs:
//!
//! * `crate::ddl::execute(context, statement: &ast::Statement, text: &Arc<str>) -> SqlResult<()>`
//!   for statements that change the catalog or the server; `text` is what positions refer to. It
//!   brackets its changes by [`context::Context::definition`].
//! * `cursor::execute(context, program: &Arc<Program>, step: &Step, frame: &mut Frame) ->
//!   SqlResult<()>` for the steps of cursors.
//! * `crate::sysproc::find(name: &str) -> Option<&'static SystemProcedure>`, and what to call it by.
//!
//! # Invariants
//!
//! * X1: whatever a request does, it answers with at least one
//!   [`done`](answer::AnswerWriter::done), and none of its statements is open afterwards.
//! * X2: what must be durable before the client sees anything is what [`session::Reveal`] says.

pub mod answer;
pub mod bulk;
pub mod cache;
pub mod context;
pub mod cursor;
pub mod files;
pub mod handle;
pub mod instance;
pub mod options;
pub mod program;
pub mod request;
pub mod run;
pub mod security;
pub mod session;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used, clippy::new_without_default)]
pub mod testing;
#[cfg(test)]
mod tests;

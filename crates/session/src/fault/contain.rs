//! A panic of a statement ends its session, not the server.
//!
//! A request runs within [`contained`]. A panic outside the engine's critical sections
//! (`engine::critical`) unwinds to there. Destructors release what the statement held on the way:
//! cursors, leases, files, guards. `Context::after_panic` releases what the session holds: it rolls
//! the transaction back. The session's own state is not trusted any more, so that it ends: the
//! client is sent error 3624, whose severity closes the connection. The panic itself, with its
//! backtrace, is logged where it arises.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use base::{SqlError, message};

/// A panic: its message.
#[derive(Debug)]
pub struct Panicked(Box<dyn Any + Send>);

impl Panicked {
    /// What the panic said.
    pub fn text(&self) -> &str {
        let said = self.0.downcast_ref::<&str>().copied();
        said.or_else(|| self.0.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
    }
}

/// The error that is sent to a client.
pub fn assertion_failed() -> SqlError {
    SqlError::new(&message::ASSERTION_FAILED, &[])
}

/// Runs something that may panic. After a panic the caller ends what the body has worked on.
pub fn contained<T>(body: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(body)).map_err(Panicked)
}

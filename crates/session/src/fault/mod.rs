//! Errors, and what they end.
//!
//! | effect | what ends | the transaction | example |
//! |---|---|---|---|
//! | nothing | only the statement itself, if at all | stays | `RAISERROR` |
//! | statement | the statement | stays | 547, 2627, 8134 |
//! | scope | the batch or module | stays | names that do not exist |
//! | batch | the batch, all modules included | stays | `THROW` |
//! | transaction | the batch | is rolled back | 245, 1205, 41302 |
//! | cancelled | the batch | stays, unless `XACT_ABORT` | the client's attention |
//! | session | the connection | is rolled back | severity 20 and above |
//!
//! [`effects`] says which error has which effect. Under `XACT_ABORT` what ends a statement ends the
//! transaction. Inside a `TRY` nothing of this happens but that the transaction is doomed where it
//! would have been rolled back.

pub mod contain;
pub(crate) mod effects;

use base::{SqlError, message};

use effects::{Place, effect_of};

/// What an error ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "see the module's header")]
pub enum Effect {
    Nothing,
    Statement,
    Scope,
    Batch,
    Transaction,
    Cancelled,
    Session,
}

/// An error on its way to a `CATCH` block or the client.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The error.
    pub error: SqlError,
    /// What it ends.
    pub effect: Effect,
    /// The error was sent to the client; what it ends is still to be ended.
    pub reported: bool,
}

impl Fault {
    /// An error with this effect; that of the client's cancelling ends all.
    pub fn new(error: SqlError, effect: Effect) -> Fault {
        let is_cancelled = error.number() == message::COMMAND_CANCELLED.number;
        let effect = if is_cancelled { Effect::Cancelled } else { effect };
        Fault { error, effect, reported: false }
    }

    /// The client has cancelled, or the session is killed.
    #[cold]
    pub fn cancelled() -> Fault {
        Fault::new(SqlError::new(&message::COMMAND_CANCELLED, &[]), Effect::Cancelled)
    }

    /// The client is gone, or cannot get messages any more.
    #[cold]
    pub fn lost(error: SqlError) -> Fault {
        Fault { error, effect: Effect::Session, reported: true }
    }
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Fault {
        let effect = effect_of(&error, Place::Elsewhere);
        Fault::new(error, effect)
    }
}

impl Fault {
    /// What a statement has failed with that changes the catalog.
    pub(crate) fn of_definition(error: SqlError) -> Fault {
        let effect = effect_of(&error, Place::Definition);
        Fault::new(error, effect)
    }
}

/// What running a step or program gives.
pub type Run<T> = Result<T, Fault>;

/// Error 401: the feature is not implemented.
pub(crate) fn unimplemented(what: &str) -> SqlError {
    SqlError::new(&message::UNIMPLEMENTED, &[&what])
}

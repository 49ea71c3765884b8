//! Errors of definitions, which may be several: the reason, and what it makes impossible.

use base::SqlError;
use base::message::{self, Message};
use compile::bind::BindError;
use engine::catalog::CatalogError;

use crate::context::{Context, catalog_error};

/// Why a definition failed. SQL Server reports the reason, then "Could not create constraint or
/// index. See previous errors."; a `CATCH` block sees the last of them.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is reported first.
    pub before: Vec<SqlError>,
    /// The last error.
    pub error: SqlError,
}

/// What most functions of definitions return.
pub type DdlResult<T> = Result<T, Failure>;

impl Failure {
    /// This failure, followed by another error.
    pub fn then(self, error: SqlError) -> Failure {
        let Failure { mut before, error: first } = self;
        before.push(first);
        Failure { before, error }
    }

    /// This failure, with a line for errors that have none.
    pub fn at_line(self, line: u32) -> Failure {
        let before = self.before.into_iter().map(|e| e.at_line(line)).collect();
        Failure { before, error: self.error.at_line(line) }
    }

    /// The reason.
    pub fn first(self) -> SqlError {
        self.before.into_iter().next().unwrap_or(self.error)
    }

    /// Sends the client all but the last error, unless a `CATCH` block is going to handle them.
    pub fn report(self, context: &mut Context<'_>) -> SqlError {
        let Failure { before, error } = self;
        if context.session.left.handlers == 0 {
            for one in before {
                let one = match context.session.levels.last().and_then(|l| l.module.as_ref()) {
                    Some(module) => one.in_procedure(&module.header.name),
                    None => one,
                };
                if let Err(gone) = context.writer.error(context.task, &one) {
                    return gone;
                }
            }
        }
        error
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Failure {
        Failure { before: Vec::new(), error }
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Failure {
        let mut before: Vec<SqlError> = error.all().collect();
        let error = before.pop().expect("an error is one at least");
        Failure { before, error }
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Failure {
        catalog_error(error).into()
    }
}

/// Error 1750: a constraint could not be made.
pub fn no_constraint() -> SqlError {
    // The catalogue has it as information, but it is raised as an error.
    raised(&message::CONSTRAINT_CREATION_FAILED, 1)
}

/// An error about a constraint, followed by 1750.
pub fn constraint_error(error: SqlError) -> Failure {
    Failure::from(error).then(no_constraint())
}

/// A message whose severity in the catalogue is not the one it is raised with.
pub fn raised(message: &Message, state: u8) -> SqlError {
    SqlError::custom(message.number, 16, state, message.text)
}

/// Lets failures about constraints be followed by 1750.
pub trait AboutConstraint<T> {
    /// The result, in which a failure is followed by 1750.
    fn or_no_constraint(self) -> DdlResult<T>;
}

impl<T> AboutConstraint<T> for DdlResult<T> {
    fn or_no_constraint(self) -> DdlResult<T> {
        self.map_err(|failure| failure.then(no_constraint()))
    }
}

//! Errors that are bugs of the server.

use base::{SqlError, message};

/// Error 8624: a plan or unit that breaks its contract.
pub fn internal(what: &str) -> SqlError {
    let message = &message::INTERNAL_QUERY_ERROR;
    let text = format!("Internal Query Processor Error: {what}.");
    SqlError::custom(message.number, message.severity, message.state, text)
}

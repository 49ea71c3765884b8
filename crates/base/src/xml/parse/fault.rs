//! What is wrong with a text, and where.

use super::DEPTH_MAX;
use crate::error::SqlError;
use crate::message::{self, Message};

/// Why a text cannot be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The text is wrong at a byte; at its length, if something is missing.
    At(&'static Message, usize),
    /// An error that has no place.
    Stopped(SqlError),
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Fault {
        Fault::Stopped(error)
    }
}

impl Fault {
    /// The error with its line and character. What is missing at the end is missed at the last
    /// character.
    #[cold]
    pub(crate) fn error(self, text: &str) -> SqlError {
        let (message, at) = match self {
            Fault::Stopped(error) => return error,
            Fault::At(message, at) => (message, at),
        };
        let (mut line, mut character, mut last) = (1, 0, ' ');
        for c in text[..at].chars() {
            match c {
                '\n' if last == '\r' => {}
                '\n' | '\r' => {
                    line += 1;
                    character = 0;
                }
                _ => character += 1,
            }
            last = c;
        }
        character += usize::from(at < text.len());
        SqlError::new(message, &[&line, &character])
    }
}

/// Error 6335.
#[cold]
pub(super) fn too_deep() -> Fault {
    SqlError::new(&message::XML_TOO_DEEP, &[&DEPTH_MAX]).into()
}

/// Error 6359.
#[cold]
pub(super) fn dtd_not_allowed() -> Fault {
    SqlError::new(&message::XML_DTD_NOT_ALLOWED, &[]).into()
}

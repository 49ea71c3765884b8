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

/// Why a text is no document, with what is known of the place.
#[derive(Debug)]
pub struct Refused {
    /// The error that a conversion to xml would raise.
    pub error: SqlError,
    /// The line of the fault, from 1; 0 if it has no place.
    pub line: usize,
    /// The text of that line, or its beginning.
    pub text: String,
    /// The name at the fault, if it is at one; the prefix that is not declared.
    pub name: String,
    /// The elements that had not ended, the outermost first.
    pub open: Vec<String>,
}

impl Refused {
    /// How much of a line is shown.
    const SHOWN: usize = 256;

    /// The beginning of a text, as messages show it.
    pub(super) fn shown(text: &str) -> String {
        text.chars().take(Refused::SHOWN).collect()
    }

    /// An error that has no place.
    #[cold]
    pub fn without_place(error: SqlError) -> Refused {
        let (text, name) = (String::new(), String::new());
        Refused { error, line: 0, text, name, open: Vec::new() }
    }

    /// What is known of a fault in a text while these elements were open.
    #[cold]
    pub(super) fn new<'t>(
        fault: Fault,
        text: &str,
        open: impl Iterator<Item = &'t str>,
    ) -> Refused {
        let open = open.map(Refused::shown).collect();
        let Fault::At(_, at) = fault else {
            let error = fault.error(text);
            return Refused { error, line: 0, text: String::new(), name: String::new(), open };
        };
        let is_name = |c: char| !c.is_whitespace() && !"<>/&;='\"".contains(c);
        let (before, after) = text.split_at(at);
        let start = before.len()
            - before.chars().rev().take_while(|c| is_name(*c)).map(char::len_utf8).sum::<usize>();
        let end = at + after.find(|c| !is_name(c)).unwrap_or(after.len());
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.matches('\n').count();
        let shown = text[line_start..].lines().next().unwrap_or_default();
        let shown = Refused::shown(shown);
        let name = Refused::shown(&text[start..end]);
        Refused { error: fault.error(text), line, text: shown, name, open }
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

/// Whether an error says that a text is no XML, and not why reading it was stopped.
pub fn is_of_text(error: &SqlError) -> bool {
    let others = [&message::XML_TOO_DEEP, &message::XML_DTD_NOT_ALLOWED];
    (9400..=message::XML_UNSUPPORTED.number).contains(&error.number())
        || others.iter().any(|message| message.number == error.number())
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

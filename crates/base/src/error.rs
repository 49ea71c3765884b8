//! An error or informational message as a client sees it.

use std::fmt;

use crate::message::{self, Message};

/// The messages that quote values which a statement reads.
const QUOTE_VALUES: [&Message; 24] = [
    &message::VALUE_OVERFLOW,
    &message::FLOAT_OVERFLOW,
    &message::NUMBER_TO_MONEY_SPACE,
    &message::TEXT_OVERFLOWS_SMALL_INTEGER,
    &message::TEXT_CONVERSION_FAILED,
    &message::TEXT_OVERFLOWS_INT,
    &message::INVALID_STYLE,
    &message::TRUNCATED_IN_COLUMN,
    &message::TRUNCATED_IN_OBJECT,
    &message::VALIDATION_TEXT_IN_EMPTY,
    &message::VALIDATION_VALUE,
    &message::VALIDATION_ID_TWICE,
    &message::VALIDATION_IDREF,
    &message::VALIDATION_CANONICAL,
    &message::STYLE_NOT_SUPPORTED,
    &message::CULTURE_NOT_SUPPORTED,
    &message::PARSE_FAILED,
    &message::TIME_ZONE_PARAMETER_INVALID,
    &message::ARGUMENT_VALUE_INVALID,
    &message::JSON_PATH_INVALID,
    &message::JSON_TEXT_INVALID,
    &message::XQUERY_SIMPLE_VALUE,
    &message::TEXT_POINTER_INVALID,
    &message::CLR_EXCEPTION,
];

/// What most functions return that a statement can reach.
pub type SqlResult<T> = Result<T, SqlError>;

/// A message with number, severity and state, on its way to a `CATCH` block or to the client.
///
/// Boxed inside, so that a `Result` of it stays two words wide on hot paths.
#[derive(Clone, PartialEq, Eq)]
pub struct SqlError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    number: i32,
    severity: u8,
    state: u8,
    line: u32,
    procedure: Option<Box<str>>,
    text: Box<str>,
}

impl SqlError {
    /// A message of the catalogue with its placeholders filled in.
    pub fn new(message: &Message, args: &[&dyn fmt::Display]) -> SqlError {
        SqlError::custom(message.number, message.severity, message.state, message.format(args))
    }

    /// A message with a text of its own: `RAISERROR`, `THROW`.
    pub fn custom(number: i32, severity: u8, state: u8, text: impl Into<Box<str>>) -> SqlError {
        SqlError(Box::new(Inner {
            number,
            severity,
            state,
            line: 0,
            procedure: None,
            text: text.into(),
        }))
    }

    /// The message number, `ERROR_NUMBER()`.
    pub fn number(&self) -> i32 {
        self.0.number
    }

    /// The severity, `ERROR_SEVERITY()`: up to 10 is information, from 20 on the connection ends.
    pub fn severity(&self) -> u8 {
        self.0.severity
    }

    /// The state, `ERROR_STATE()`.
    pub fn state(&self) -> u8 {
        self.0.state
    }

    /// The line in the batch or procedure, from 1; 0 when none is known yet.
    pub fn line(&self) -> u32 {
        self.0.line
    }

    /// The procedure, function or trigger, if the error arose in one.
    pub fn procedure(&self) -> Option<&str> {
        self.0.procedure.as_deref()
    }

    /// The text, `ERROR_MESSAGE()`.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The same error with another state.
    pub fn with_state(mut self, state: u8) -> SqlError {
        self.0.state = state;
        self
    }

    /// The same error without the values, types and names that its text quotes, if it may quote
    /// values: perhaps its reader must not see them.
    pub fn without_values(self) -> SqlError {
        match QUOTE_VALUES.iter().find(|message| message.number == self.0.number) {
            Some(message) => self.with_text(message.text.replace("%s", "******")),
            None => self,
        }
    }

    /// The same error without the duplicate key that its text quotes.
    pub fn without_key(self) -> SqlError {
        const BEFORE: &str = "The duplicate key value is ";
        match (self.0.number, self.0.text.split_once(BEFORE)) {
            (2601 | 2627, Some((names, _))) => {
                let text = format!("{names}{BEFORE}(******).");
                self.with_text(text)
            }
            _ => self,
        }
    }

    fn with_text(self, text: String) -> SqlError {
        SqlError(Box::new(Inner { text: text.into(), ..*self.0 }))
    }

    /// The same error at this line, unless it already names one.
    pub fn at_line(mut self, line: u32) -> SqlError {
        if self.0.line == 0 {
            self.0.line = line;
        }
        self
    }

    /// The same error in this procedure, unless it already names one.
    pub fn in_procedure(mut self, procedure: &str) -> SqlError {
        if self.0.procedure.is_none() {
            self.0.procedure = Some(procedure.into());
        }
        self
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &*self.0;
        write!(f, "Msg {}, Level {}, State {}", e.number, e.severity, e.state)?;
        if let Some(procedure) = &e.procedure {
            write!(f, ", Procedure {procedure}")?;
        }
        if e.line > 0 {
            write!(f, ", Line {}", e.line)?;
        }
        write!(f, ": {}", e.text)
    }
}

impl fmt::Debug for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SqlError {}

//! An error or informational message as a client sees it.

use std::fmt;

use crate::message::Message;

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

    /// The same error without the values, types and names that its text quotes, if it is about a
    /// conversion: it may be about what its reader must not see.
    pub fn without_values(self) -> SqlError {
        let text = match self.0.number {
            220 => "Arithmetic overflow error for data type ******, value = ******.",
            232 => "Arithmetic overflow error for type ******, value = ******.",
            245 => {
                "Conversion failed when converting the ****** value '******' to data type ******."
            }
            248 => "The conversion of the ****** value '******' overflowed an int column.",
            2628 => {
                "String or binary data would be truncated in table '******', column '******'. \
                 Truncated value: '******'."
            }
            _ => return self,
        };
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

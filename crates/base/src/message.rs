//! The catalogue of messages: number, severity, default state and text, in SQL Server's words
//! where applications match on them.
//!
//! A text holds `%s` for each argument. `sys.messages` lists [`ALL`].

use std::fmt;

/// One entry of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The number that applications look at.
    pub number: i32,
    /// 10 and below: information; 16: the user's mistake; 20 and above: the connection ends.
    pub severity: u8,
    /// The state sent when the raiser has no reason to choose another.
    pub state: u8,
    /// The text, with `%s` for each argument.
    pub text: &'static str,
}

impl Message {
    /// The text with its placeholders filled in; missing arguments print as nothing.
    pub fn format(&self, args: &[&dyn fmt::Display]) -> String {
        let mut out = String::with_capacity(self.text.len() + 16 * args.len());
        let mut parts = self.text.split("%s");
        out.push_str(parts.next().unwrap_or_default());
        for (i, part) in parts.enumerate() {
            if let Some(arg) = args.get(i) {
                out.push_str(&arg.to_string());
            }
            out.push_str(part);
        }
        out
    }

    /// The catalogue's entry for a number, if it has one.
    pub fn find(number: i32) -> Option<&'static Message> {
        ALL.iter().find(|m| m.number == number)
    }
}

macro_rules! messages {
    ($($name:ident = $number:literal, $severity:literal, $state:literal, $text:literal;)*) => {
        $(
            #[doc = concat!("Message ", $number, ": ", $text)]
            pub const $name: Message =
                Message { number: $number, severity: $severity, state: $state, text: $text };
        )*

        /// Every message of the catalogue, in the order of the source.
        pub const ALL: &[Message] = &[$($name),*];
    };
}

messages! {
    INCORRECT_SYNTAX_NEAR = 102, 15, 1, "Incorrect syntax near '%s'.";
    UNCLOSED_QUOTE = 105, 15, 1, "Unclosed quotation mark after the character string '%s'.";
    SYNTAX_NEAR_KEYWORD = 156, 15, 1, "Incorrect syntax near the keyword '%s'.";
    UNDECLARED_VARIABLE = 137, 15, 2, "Must declare the scalar variable \"%s\".";
    INVALID_COLUMN = 207, 16, 1, "Invalid column name '%s'.";
    INVALID_OBJECT = 208, 16, 1, "Invalid object name '%s'.";
    WRITE_CONFLICT = 41302, 16, 110, "The current transaction attempted to update a record that has been updated since this transaction started. The transaction was aborted.";
    REPEATABLE_READ_FAILED = 41305, 16, 0, "The current transaction failed to commit due to a repeatable read validation failure.";
    SERIALIZABLE_FAILED = 41325, 16, 0, "The current transaction failed to commit due to a serializable validation failure.";
}

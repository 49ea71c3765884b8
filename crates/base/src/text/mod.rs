//! Texts: short ones on the stack, numbers as text, identifiers.
//!
//! * [`number`]: how SQL Server writes and reads integers, floats and money; STR().
//! * [`identifier`]: comparing and quoting names.

pub mod identifier;
pub mod number;
mod stack;

pub use stack::StackText;

//! Texts: short ones on the stack, numbers as text, identifiers.

mod stack;

pub use stack::StackText;

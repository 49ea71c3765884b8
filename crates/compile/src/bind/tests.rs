//! Statements bound, lowered and run; errors with numbers, lines and texts.

mod errors;
mod queries;

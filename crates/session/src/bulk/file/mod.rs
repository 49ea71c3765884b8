//! `BULK INSERT`: rows from a character file.

mod insert;
mod options;
mod rows;
#[cfg(test)]
mod tests;

//! `BULK INSERT` and `OPENROWSET(BULK …)`: rows from a file of characters, or of what a format file
//! describes. Both read row by row, and never hold more than one of them.

mod format;
mod insert;
mod options;
mod reading;
mod rows;
mod rowset;
#[cfg(test)]
mod tests;

pub use rowset::file_rows;

//! Files of rows: of characters, or of what a format file describes. `OPENROWSET(BULK …)` and
//! `BULK INSERT` read them row by row, and never hold more than one row.

pub mod format;
pub mod options;
pub mod reading;
mod rows;
mod rowset;
#[cfg(test)]
mod tests;

pub use rowset::file_rows;

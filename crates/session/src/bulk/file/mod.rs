//! `BULK INSERT`: rows from a file of characters, or of what a format file describes.

mod format;
mod insert;
mod options;
mod rows;
#[cfg(test)]
mod tests;

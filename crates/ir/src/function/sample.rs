//! `TABLESAMPLE`: which rows it keeps.

/// The internal function of (percentage, seed, a row's key…), which is 1 for the rows that are kept.
/// A row is kept or not by its key and the seed alone, and the more rows are, the greater the
/// percentage is.
pub const KEEP: &str = "TABLESAMPLE KEEP";

/// Whether a function has that name, which a text can quote, but not call.
pub fn is_internal(name: &str) -> bool {
    name.eq_ignore_ascii_case(KEEP)
}

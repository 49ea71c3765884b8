//! `TABLESAMPLE`: which rows it keeps.

/// The internal function of (percentage, seed, a row's key…): 1 for rows that are kept. Key and
/// seed alone decide that, and a greater percentage keeps all that a smaller one keeps.
pub const KEEP: &str = "TABLESAMPLE KEEP";

/// Whether a function has that name, which a text can quote, but not call.
pub fn is_internal(name: &str) -> bool {
    name.eq_ignore_ascii_case(KEEP)
}

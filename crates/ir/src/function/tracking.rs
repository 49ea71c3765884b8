//! Change tracking: lists of columns.

/// The internal function of a text: lists of columns one behind the other, without their first four
/// bytes, in hexadecimal digits. One list of all of them, each once.
pub const COLUMNS: &str = "CHANGE COLUMNS";

/// Whether a function has that name, which a text can quote, but not call.
pub fn is_internal(name: &str) -> bool {
    name.eq_ignore_ascii_case(COLUMNS)
}

//! Text pointers: the internal functions behind `TEXTPTR`, `READTEXT` and `UPDATETEXT`.
//!
//! A pointer has 16 bytes: the numbers of the table and of the column, and a digest of what names
//! the row. So it is good as long as the row has its key.

/// The function of (table, column, value, what names the row…): the pointer to the value; NULL
/// where that is NULL.
pub const POINTER: &str = "TEXT POINTER";
/// The function of (value, pointer, offset, size): a part of the value.
pub const READ: &str = "TEXT READ";
/// The function of (value, offset, length, data): the value with a part replaced.
pub const SPLICE: &str = "TEXT SPLICE";

/// The bytes of a pointer.
pub const POINTER_BYTES: usize = 16;

/// Whether a function has one of these names, which a text can quote, but not call.
pub fn is_internal(name: &str) -> bool {
    [POINTER, READ, SPLICE].iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// A pointer as messages show it.
pub fn shown(pointer: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::from("0x");
    for byte in &pointer[..pointer.len().min(POINTER_BYTES)] {
        write!(text, "{byte:02X}").expect("a string can be written to");
    }
    text
}

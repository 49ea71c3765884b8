//! Characters that have a meaning in markup, written as references.

use super::write::Sink;
use crate::error::SqlResult;

/// What stands for a byte of text, if it needs a reference there.
fn in_text(byte: u8) -> Option<&'static [u8]> {
    match byte {
        b'&' => Some(b"&amp;"),
        b'<' => Some(b"&lt;"),
        b'>' => Some(b"&gt;"),
        b'\r' => Some(b"&#x0D;"),
        _ => None,
    }
}

/// What stands for a byte in the value of an attribute, if it needs a reference there.
fn in_attribute(byte: u8) -> Option<&'static [u8]> {
    match byte {
        b'"' => Some(b"&quot;"),
        b'\t' => Some(b"&#x09;"),
        b'\n' => Some(b"&#x0A;"),
        _ => in_text(byte),
    }
}

/// Appends text as it stands between tags.
pub fn text(text: &str, out: &mut (impl Sink + ?Sized)) -> SqlResult<()> {
    escaped(text, in_text, out)
}

/// Appends the value of an attribute as it stands between double quotes.
pub fn attribute(value: &str, out: &mut (impl Sink + ?Sized)) -> SqlResult<()> {
    escaped(value, in_attribute, out)
}

#[inline]
fn escaped(
    text: &str,
    reference: fn(u8) -> Option<&'static [u8]>,
    out: &mut (impl Sink + ?Sized),
) -> SqlResult<()> {
    let bytes = text.as_bytes();
    let mut written = 0;
    while let Some(at) = bytes[written..].iter().position(|byte| reference(*byte).is_some()) {
        let at = written + at;
        out.put(&bytes[written..at])?;
        out.put(reference(bytes[at]).expect("it was found"))?;
        written = at + 1;
    }
    out.put(&bytes[written..])
}

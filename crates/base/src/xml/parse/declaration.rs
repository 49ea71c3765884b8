//! `<?xml version="1.0" encoding="…" standalone="…"?>`.

use super::Fault;
use super::chars::skip_white;
use crate::message;

/// What a declaration says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declaration<'t> {
    /// Always 1.0.
    pub version: &'t str,
    /// The name of the encoding, if there is one.
    pub encoding: Option<&'t str>,
    /// Whether the document stands alone, `yes` or `no`, if that is said.
    pub standalone: Option<&'t str>,
    /// Where the declaration's `>` is.
    pub end: usize,
}

/// The declaration at the beginning of a text, if there is one. Error 9441.
pub(crate) fn declaration(text: &str) -> Result<Option<Declaration<'_>>, Fault> {
    let Some(rest) = text.strip_prefix("<?xml") else { return Ok(None) };
    if !rest.starts_with([' ', '\t', '\r', '\n', '?']) {
        return Ok(None);
    }
    let mut at = skip_white(text, "<?xml".len());
    let (version, next) = property(text, at, "version")?;
    if version != "1.0" {
        return Err(wrong(next - 1));
    }
    let mut found = Declaration { version, encoding: None, standalone: None, end: 0 };
    at = separated(text, next)?;
    if text[at..].starts_with("encoding") {
        let (encoding, next) = property(text, at, "encoding")?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if !encoding.starts_with(|c: char| c.is_ascii_alphabetic())
            || !encoding.chars().all(is_name)
        {
            return Err(Fault::At(&message::XML_ENCODING_NAME, next - 1));
        }
        found.encoding = Some(encoding);
        at = separated(text, next)?;
    }
    if text[at..].starts_with("standalone") {
        let (standalone, next) = property(text, at, "standalone")?;
        if !matches!(standalone, "yes" | "no") {
            return Err(wrong(next - 1));
        }
        found.standalone = Some(standalone);
        at = skip_white(text, next);
    }
    if !text[at..].starts_with('?') {
        return Err(wrong(at));
    }
    if !text[at + 1..].starts_with('>') {
        return Err(wrong(at + 1));
    }
    found.end = at + 1;
    Ok(Some(found))
}

fn wrong(at: usize) -> Fault {
    Fault::At(&message::XML_DECLARATION_SYNTAX, at)
}

/// After a property come white space and another one, or the end.
fn separated(text: &str, at: usize) -> Result<usize, Fault> {
    let next = skip_white(text, at);
    let is_end = text[next..].starts_with('?');
    if next == at && !is_end { Err(wrong(at)) } else { Ok(next) }
}

/// The value of a property, and what follows its closing quote.
fn property<'t>(text: &'t str, at: usize, name: &str) -> Result<(&'t str, usize), Fault> {
    if !text[at..].starts_with(name) {
        let is_end = text[at..].starts_with('?');
        return Err(wrong(at + usize::from(is_end)));
    }
    let equal = skip_white(text, at + name.len());
    if !text[equal..].starts_with('=') {
        return Err(Fault::At(&message::XML_EQUAL_EXPECTED, equal));
    }
    let open = skip_white(text, equal + 1);
    let quote = match text.as_bytes().get(open) {
        Some(quote @ (b'"' | b'\'')) => char::from(*quote),
        _ => return Err(Fault::At(&message::XML_LITERAL_EXPECTED, open)),
    };
    match text[open + 1..].find(quote) {
        Some(length) => Ok((&text[open + 1..open + 1 + length], open + 2 + length)),
        None => Err(Fault::At(&message::XML_UNEXPECTED_END, text.len())),
    }
}

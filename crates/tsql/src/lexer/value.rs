//! What tokens stand for: names without quotes, strings without escapes, the text in messages.

use std::borrow::Cow;

use super::token::{Token, TokenKind};

/// The name in `[x]` or `"x"`.
pub(crate) fn quoted_content(text: &str, token: Token) -> Cow<'_, str> {
    let raw = token.span.text(text);
    let content = &raw[1..raw.len() - 1];
    match raw.as_bytes()[0] {
        b'[' if content.contains(']') => Cow::Owned(content.replace("]]", "]")),
        b'"' if content.contains('"') => Cow::Owned(content.replace("\"\"", "\"")),
        _ => Cow::Borrowed(content),
    }
}

/// The value of a string, national or not.
pub(crate) fn string_value(text: &str, token: Token) -> Cow<'_, str> {
    let raw = token.span.text(text);
    let raw = match token.kind {
        TokenKind::National => &raw[1..],
        _ => raw,
    };
    let content = &raw[1..raw.len() - 1];
    let quote = raw.as_bytes()[0];
    let mut value = match (quote, content.as_bytes().contains(&quote)) {
        (_, false) => Cow::Borrowed(content),
        (b'\'', true) => Cow::Owned(content.replace("''", "'")),
        (_, true) => Cow::Owned(content.replace("\"\"", "\"")),
    };
    if value.contains("\\\n") || value.contains("\\\r\n") {
        value = Cow::Owned(join_lines(&value));
    }
    value
}

/// Takes out every backslash at the end of a line together with the line's end. What comes together
/// by that is not looked at again.
fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        joined.push_str(before);
        let end = ["\\\r\n", "\\\n"].into_iter().find(|end| after.starts_with(end));
        match end {
            Some(end) => rest = &after[end.len()..],
            None => {
                joined.push('\\');
                rest = &after[1..];
            }
        }
    }
    joined.push_str(rest);
    joined
}

/// What error 102 shows of a token.
pub(crate) fn near_text(text: &str, token: Token) -> Cow<'_, str> {
    let near = match token.kind {
        TokenKind::Quoted => quoted_content(text, token),
        TokenKind::String | TokenKind::National => string_value(text, token),
        _ => Cow::Borrowed(token.span.text(text)),
    };
    match near {
        Cow::Borrowed(near) => Cow::Borrowed(shown(near)),
        Cow::Owned(near) => Cow::Owned(shown(&near).to_owned()),
    }
}

/// As much of a text as a message shows. Messages have at most 2,047 characters.
pub(crate) fn shown(text: &str) -> &str {
    const SHOWN_MAX: usize = 1900;
    match text.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

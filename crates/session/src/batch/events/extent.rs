//! How much of a batch's text a document shows as its command, without passwords.

use std::borrow::Cow;

use tsql::ast::{DropKind, RoleAction, Span, StatementKind};

/// How much is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Extent {
    /// The statement from its first to its last word.
    Words,
    /// The statement, and what stands between it and the next one.
    ToNext,
    /// The whole batch.
    Batch,
}

fn extent(kind: &StatementKind) -> Extent {
    use StatementKind as S;
    match kind {
        S::Module(_) | S::CreateSchema(_) | S::CreateBindable(_) => Extent::Batch,
        S::Login(_) | S::User(_) | S::Role(_) | S::Permission(_) => Extent::ToNext,
        S::CreateSynonym(_) | S::Sequence(_) | S::CreateType(_) => Extent::ToNext,
        S::AlterAuthorization(_) => Extent::ToNext,
        S::Drop(drop) => match drop.kind {
            DropKind::Login | DropKind::Role | DropKind::ServerRole => Extent::ToNext,
            DropKind::Type | DropKind::Schema => Extent::ToNext,
            _ => Extent::Words,
        },
        _ => Extent::Words,
    }
}

/// The text of a command as triggers see it: passwords are stars.
pub(super) fn command<'t>(text: &'t str, span: Span, kind: &StatementKind) -> Cow<'t, str> {
    let words = match extent(kind) {
        Extent::Batch => return Cow::Borrowed(text),
        Extent::Words => span.text(text),
        Extent::ToNext => {
            let end = after_blanks(text, span.end as usize);
            text.get(span.start as usize..end).unwrap_or_default()
        }
    };
    let has_password = match kind {
        StatementKind::Login(_) | StatementKind::User(_) => true,
        StatementKind::Role(role) => matches!(role.action, RoleAction::Application(..)),
        _ => false,
    };
    match has_password {
        true => Cow::Owned(masked(words)),
        false => Cow::Borrowed(words),
    }
}

/// Where the next word begins: after semicolons, blanks and comments.
fn after_blanks(text: &str, mut at: usize) -> usize {
    loop {
        let semicolon = text[at..].starts_with(';');
        let next = at + if semicolon { 1 } else { blank(&text[at..]) };
        if next == at {
            return at;
        }
        at = next;
    }
}

/// How long the blank or comment is with which a text begins; 0 if it begins with neither.
fn blank(text: &str) -> usize {
    if text.starts_with("--") {
        return text.find('\n').map_or(text.len(), |end| end + 1);
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            if rest.starts_with("/*") {
                (depth, at) = (depth + 1, at + 2);
            } else if rest.starts_with("*/") {
                (depth, at) = (depth - 1, at + 2);
                if depth == 0 {
                    return at;
                }
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        return text.len();
    }
    text.chars().next().filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
}

/// What stands for a password.
const STARS: &str = "'******'";

/// A statement with stars in the place of each value after `PASSWORD =` and `OLD_PASSWORD =`.
fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut state) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let skipped = blank(rest);
        if skipped > 0 {
            out.push_str(&rest[..skipped]);
            at += skipped;
            continue;
        }
        let len = token(rest);
        let own = &rest[..len];
        let is_value = own.starts_with(['\'', '"'])
            || own.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"))
            || own.starts_with(['N', 'n']) && own[1..].starts_with('\'');
        let is_name = ["PASSWORD", "OLD_PASSWORD"].iter().any(|n| own.eq_ignore_ascii_case(n));
        // 1 after the name, 2 after the sign.
        state = match (state, own) {
            (1, "=") => 2,
            _ if is_name => 1,
            (2, _) if is_value => 3,
            _ => 0,
        };
        out.push_str(if state == 3 { STARS } else { own });
        at += len;
    }
    out
}

/// How long the word, string or sign is with which a text begins.
fn token(text: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '$');
    let national = text.starts_with(['N', 'n']) && text[1..].starts_with('\'');
    let start = usize::from(national);
    let close = match text[start..].chars().next() {
        Some('\'') => '\'',
        Some('"') => '"',
        Some('[') => ']',
        Some(c) if word(c) => return text.find(|c| !word(c)).unwrap_or(text.len()),
        Some(c) => return c.len_utf8(),
        None => return text.len(),
    };
    let mut at = start + 1;
    while let Some(end) = text[at..].find(close) {
        at += end + 1;
        // A doubled one is part of it.
        match text[at..].starts_with(close) {
            true => at += 1,
            false => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;

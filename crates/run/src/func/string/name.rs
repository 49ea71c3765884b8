//! Identifiers in texts: QUOTENAME, PARSENAME.

use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::{int, optional_string, text};

/// Characters that a name may have.
const NAME_MAX: usize = 128;

pub(super) fn types_of_quotename(call: &Call<'_>) -> SqlResult<Inferred> {
    // One more than a name has, so that longer ones can be told.
    let mut types = vec![call.unicode(0, NAME_MAX as u16 + 1)?];
    if call.args.len() == 2 {
        types.push(call.unicode(1, 1)?);
    }
    Ok(call.types(SqlType::nvarchar(258, call.collation), &types))
}

pub(super) fn quotename<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text(args[0], types.args[0].collation);
    let quote = args.get(1).map_or_else(|| "[".into(), |q| text(*q, types.args[1].collation));
    Ok(optional_string(ctx.arena, quoted(&name, &quote).as_deref(), &types.result))
}

/// The name between quotes, with the closing one doubled inside; `None` for a name that is too long
/// and for what cannot quote.
fn quoted(name: &str, quote: &str) -> Option<String> {
    let (open, close) = match quote.chars().next() {
        None | Some('[' | ']') => ('[', ']'),
        Some('(' | ')') => ('(', ')'),
        Some('<' | '>') => ('<', '>'),
        Some('{' | '}') => ('{', '}'),
        Some(c @ ('\'' | '"' | '`')) => (c, c),
        Some(_) => return None,
    };
    if name.encode_utf16().count() > NAME_MAX {
        return None;
    }
    let mut out = String::with_capacity(name.len() + 2);
    out.push(open);
    for c in name.chars() {
        out.push(c);
        if c == close {
            out.push(c);
        }
    }
    out.push(close);
    Some(out)
}

pub(super) fn types_of_parsename(call: &Call<'_>) -> SqlResult<Inferred> {
    let name = call.unicode(0, 4000)?;
    Ok(call.types(SqlType::nvarchar(128, call.collation), &[name, call.int(1)?]))
}

pub(super) fn parsename<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text(args[0], types.args[0].collation);
    let part = usize::try_from(int(args[1])).ok().filter(|p| (1..=4).contains(p));
    let parts = split_name(&name);
    let found = part.zip(parts.as_ref()).and_then(|(part, parts)| {
        let at = parts.len().checked_sub(part)?;
        Some(parts[at].as_str()).filter(|p| !p.is_empty())
    });
    Ok(optional_string(ctx.arena, found, &types.result))
}

/// The parts of a name of one to four parts, with quotes undone; parts in the middle may be empty.
/// `None` for what is no such name.
pub(crate) fn split_name(name: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = name.trim();
    loop {
        let (part, after) = first_part(rest)?;
        if part.encode_utf16().count() > NAME_MAX {
            return None;
        }
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next.trim_start(),
            None if after.is_empty() => break,
            None => return None,
        }
    }
    let named = parts.last().is_some_and(|last| !last.is_empty());
    (named && parts.len() <= 4).then_some(parts)
}

/// The part that a name begins with, and what follows it.
fn first_part(name: &str) -> Option<(String, &str)> {
    let close = match name.chars().next() {
        Some('[') => ']',
        Some('"') => '"',
        _ => {
            let end = name.find('.').unwrap_or(name.len());
            let part = name[..end].trim();
            return (!part.contains(['[', ']', '"'])).then(|| (part.into(), &name[end..]));
        }
    };
    let mut part = String::new();
    let mut chars = name[1..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        // A closing quote that comes twice is one of the name's own.
        if c == close && chars.next_if(|(_, next)| *next == close).is_none() {
            return Some((part, name[1 + at + c.len_utf8()..].trim_start()));
        }
        part.push(c);
    }
    None
}

#[cfg(test)]
mod tests;

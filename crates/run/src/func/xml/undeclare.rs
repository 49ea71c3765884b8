//! Nodes that come under a default namespace to which they do not belong.

use base::{Pace, SqlResult};
use ir::function::facts::{COPIED, FnContext};

/// What says that elements without prefix are in no namespace.
const NOTHING: &[u8] = b" xmlns=\"\"";

/// Canonical text in which the outermost elements without prefix that declare no default namespace
/// say that they have none.
pub(super) fn undeclared<'a>(ctx: &FnContext<'a>, text: &'a [u8]) -> SqlResult<&'a [u8]> {
    let mut out = ctx.room(text.len() + NOTHING.len())?;
    let mut written = 0;
    let mut depth = 0_usize;
    // The depth of the element that has declared a default namespace, if one is open.
    let mut settled: Option<usize> = None;
    let (mut at, mut asked) = (0, 0);
    while let Some(start) = next_tag(ctx, text, at)? {
        if start - asked > COPIED {
            ctx.pace()?;
            asked = start;
        }
        let rest = &text[start..];
        if rest.starts_with(b"<!--") {
            at = find(text, start, b"-->").map_or(text.len(), |end| end + 3);
            continue;
        }
        if rest.starts_with(b"<?") {
            at = find(text, start, b"?>").map_or(text.len(), |end| end + 2);
            continue;
        }
        let tag = tag(rest);
        at = start + tag.len();
        if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            if settled == Some(depth) {
                settled = None;
            }
            continue;
        }
        let is_empty = tag.ends_with(b"/>");
        if settled.is_none() {
            let name_end = tag.iter().position(|b| b" />".contains(b)).unwrap_or(tag.len());
            let declares = find(tag, name_end, b" xmlns=\"").is_some_and(|at| is_outside(tag, at));
            if !declares && !tag[..name_end].contains(&b':') {
                let end = start + name_end;
                ctx.append(&mut out, &text[written..end])?;
                out.try_extend(NOTHING)?;
                written = end;
            }
            if !is_empty && (declares || !tag[..name_end].contains(&b':')) {
                settled = Some(depth);
            }
        }
        depth += usize::from(!is_empty);
    }
    ctx.append(&mut out, &text[written..])?;
    Ok(out.finish())
}

/// Where the next tag, comment or instruction begins.
fn next_tag(ctx: &FnContext<'_>, text: &[u8], from: usize) -> SqlResult<Option<usize>> {
    let mut start = from;
    for piece in text[from..].chunks(COPIED) {
        if let Some(at) = piece.iter().position(|byte| *byte == b'<') {
            return Ok(Some(start + at));
        }
        start += piece.len();
        ctx.pace()?;
    }
    Ok(None)
}

fn find(text: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let found = text[from..].windows(what.len()).position(|window| window == what);
    found.map(|at| from + at)
}

/// The tag with which a text begins. Values of attributes stand in double quotes.
fn tag(text: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'>' if !is_quoted => return &text[..at + 1],
            _ => {}
        }
    }
    text
}

/// Whether a place in a tag is outside of quotes.
fn is_outside(tag: &[u8], at: usize) -> bool {
    tag[..at].iter().filter(|byte| **byte == b'"').count() % 2 == 0
}

#[cfg(test)]
mod tests;

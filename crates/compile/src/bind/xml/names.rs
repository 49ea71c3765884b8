//! Which names XML has, and what becomes of others.

use base::{SqlError, message};
use tsql::ast::XmlNamespace;

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    Row,
    Root,
    Column,
    /// The target of a processing instruction.
    Target,
}

impl NameKind {
    fn word(self) -> &'static str {
        match self {
            NameKind::Row => "Row",
            NameKind::Root => "ROOT",
            NameKind::Column => "Column",
            NameKind::Target => "",
        }
    }

    fn phrase(self) -> &'static str {
        match self {
            NameKind::Row => "row",
            NameKind::Root => "ROOT",
            NameKind::Column | NameKind::Target => "column",
        }
    }
}

/// Whether a name, a part of what is `shown`, can be an element's or an attribute's. Errors 6846,
/// 6850, 6867.
pub(super) fn check(
    kind: NameKind,
    shown: &str,
    name: &str,
    namespaces: &[XmlNamespace],
) -> Result<(), SqlError> {
    check_prefix(kind, shown, name, namespaces)?;
    let parts = match name.split_once(':') {
        Some((prefix, local)) if kind != NameKind::Target => [Some(prefix), Some(local)],
        _ => [Some(name), None],
    };
    match parts.into_iter().flatten().find_map(first_fault) {
        Some(fault) => Err(invalid(kind, shown, fault)),
        None => Ok(()),
    }
}

/// Errors 6846 and 6867 about the prefix of a name.
pub(super) fn check_prefix(
    kind: NameKind,
    shown: &str,
    name: &str,
    namespaces: &[XmlNamespace],
) -> Result<(), SqlError> {
    let prefix = match name.split_once(':') {
        _ if kind == NameKind::Target => return Ok(()),
        Some((prefix, _)) => prefix,
        None if name == "xmlns" => name,
        None => return Ok(()),
    };
    let is_declared = |prefix: &str| {
        namespaces.iter().any(|namespace| namespace.prefix.as_deref() == Some(prefix))
    };
    match prefix {
        "xmlns" => Err(SqlError::new(&message::FOR_XML_XMLNS, &[])),
        "" | "xml" => Ok(()),
        prefix if is_declared(prefix) => Ok(()),
        prefix => {
            let args: [&dyn std::fmt::Display; 3] = [&prefix, &kind.phrase(), &shown];
            Err(SqlError::new(&message::FOR_XML_PREFIX_UNDECLARED, &args))
        }
    }
}

/// Error 6850.
pub(super) fn invalid(kind: NameKind, shown: &str, fault: char) -> SqlError {
    let args: [&dyn std::fmt::Display; 4] = [&kind.word(), &shown, &fault, &code_of(fault)];
    SqlError::new(&message::FOR_XML_NAME_INVALID, &args)
}

/// The first UTF-16 unit of a character, as messages show it.
pub(super) fn code_of(character: char) -> String {
    format!("{:04X}", character.encode_utf16(&mut [0; 2])[0])
}

/// The first character of a name without prefix that names do not have there; a colon if it is
/// empty.
pub(super) fn first_fault(name: &str) -> Option<char> {
    let mut characters = name.chars();
    match characters.next() {
        None => Some(':'),
        Some(first) if first == ':' || !begins_name(first) => Some(first),
        Some(_) => characters.find(|c| *c == ':' || !continues_name(*c)),
    }
}

/// A name in which what names do not have is written as `_xHHHH_`, as `RAW` and `AUTO` write it.
pub(in crate::bind) fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    let mut is_first = true;
    while let Some(character) = characters.next() {
        let is_plain = match character {
            '_' => characters.peek() != Some(&'x'),
            ':' => !is_first,
            '\u{300}'.. => is_kept(character, is_first),
            _ if is_first => begins_name(character),
            _ => continues_name(character),
        };
        match (is_plain, u32::from(character)) {
            (true, _) => out.push(character),
            (false, code @ 0x10000..) => out.push_str(&format!("_x{code:06X}_")),
            (false, code) => out.push_str(&format!("_x{code:04X}_")),
        }
        is_first = false;
    }
    out
}

/// Whether a character of U+0300 and above is one of names as the fourth edition of XML 1.0 has
/// them, which SQL Server does not escape; names that are only checked follow the fifth.
fn is_kept(c: char, is_first: bool) -> bool {
    let is_mark = matches!(c,
        '\u{300}'..='\u{345}' | '\u{360}'..='\u{361}' | '\u{20D0}'..='\u{20DC}' | '\u{20E1}'
        | '\u{302A}'..='\u{302F}' | '\u{3099}' | '\u{309A}' | '\u{3005}' | '\u{3031}'..='\u{3035}'
        | '\u{309D}'..='\u{309E}' | '\u{30FC}'..='\u{30FE}');
    let is_letter = match c {
        ..'\u{370}' => false,
        ..'\u{2000}' => begins_name(c),
        _ => matches!(c,
            '\u{2126}' | '\u{212A}'..='\u{212B}' | '\u{212E}' | '\u{2180}'..='\u{2182}' | '\u{3007}'
            | '\u{3021}'..='\u{3029}' | '\u{3041}'..='\u{3094}' | '\u{30A1}'..='\u{30FA}'
            | '\u{3105}'..='\u{312C}' | '\u{4E00}'..='\u{9FA5}' | '\u{AC00}'..='\u{D7A3}'),
    };
    is_letter || (!is_first && is_mark)
}

/// NameStartChar of XML 1.0.
fn begins_name(c: char) -> bool {
    matches!(c,
        ':' | 'A'..='Z' | '_' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// NameChar of XML 1.0.
fn continues_name(c: char) -> bool {
    begins_name(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
            | '\u{203F}'..='\u{2040}')
}

#[cfg(test)]
mod tests;

//! Into hierarchyid from strings and binaries, and back.

use super::{ConvertOptions, binary, not_allowed, strings};
use crate::arena::Arena;
use crate::collation::codepage::{chars_to_string, string_to_unicode, unicode_to_string};
use crate::error::SqlResult;
use crate::hierarchy;
use crate::types::conversion::{Convertibility, convertibility};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// The state of a text that is no node, where a conversion reads it.
const STATE: u8 = 2;

/// Bytes of a text that are looked at: more than any node's text has.
const LOOKED_AT: usize = 4 * hierarchy::UNITS_MAX;

/// Converts to hierarchyid, or from it. Errors 529 and 6522.
pub(super) fn convert_hierarchy<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if from.kind == to.kind {
        return Ok(value);
    }
    if convertibility(from.kind, to.kind) == Convertibility::Never {
        return Err(not_allowed(from, to));
    }
    if to.kind != TypeKind::HierarchyId {
        return from_node(value, from, to, options, arena);
    }
    match value {
        ValueRef::Bytes(bytes) => {
            hierarchy::check(bytes)?;
            Ok(value)
        }
        ValueRef::Chars(text) => {
            let text = chars_to_string(from.collation, &text[..text.len().min(LOOKED_AT)]);
            parsed(&text, arena)
        }
        ValueRef::Unicode(text) => {
            parsed(&unicode_to_string(&text[..text.len().min(LOOKED_AT)]), arena)
        }
        other => unreachable!("{other:?} is not a string or binary"),
    }
}

fn parsed<'a>(text: &str, arena: &'a Arena) -> SqlResult<ValueRef<'a>> {
    let node = hierarchy::parse(text).map_err(|error| error.with_state(STATE))?;
    Ok(ValueRef::Bytes(arena.alloc_bytes(&node)))
}

fn from_node<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let ValueRef::Bytes(node) = value else { unreachable!("{value:?} is not a node") };
    if to.kind.is_binary() {
        let plain = SqlType::varbinary(from.length);
        return binary::to_binary(value, &plain, to, options, arena);
    }
    let mut out = arena.buffer();
    string_to_unicode(&hierarchy::text(node)?, &mut out);
    let text = SqlType::nvarchar(hierarchy::UNITS_MAX as u16, to.collation);
    let options = ConvertOptions { style: None, ..*options };
    strings::to_text(ValueRef::Unicode(out.finish()), &text, to, &options, arena)
}

//! Into hierarchyid from strings and binaries, and back.

use crate::arena::Arena;
use crate::collation::codepage::{chars_to_string, unicode_to_string};
use crate::error::SqlResult;
use crate::hierarchy;
use crate::types::{Collation, SqlType};
use crate::value::ValueRef;

/// The state of a text that is no node, where a conversion reads it.
const STATE: u8 = 2;

/// Bytes of a text that are looked at: more than any node's text has.
const LOOKED_AT: usize = 4 * hierarchy::UNITS_MAX;

/// The node that a string or binary is. Error 6522.
pub(super) fn to_node<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
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

/// The text of a node.
pub(super) fn text_of(node: &[u8]) -> SqlResult<String> {
    hierarchy::text(node)
}

/// The type of such texts.
pub(super) fn text_type() -> SqlType {
    SqlType::nvarchar(hierarchy::UNITS_MAX as u16, Collation::DEFAULT)
}

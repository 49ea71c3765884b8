//! What is in the value of a column set for one column.

use base::collation::codepage::unicode_to_string;
use base::xml::{Document, NodeId, NodeKind, parse_value, write};
use base::{Pace, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;
use ir::function::xml::names;
use xquery::AtomicType;

use super::method::{binary, unicode};
use crate::func::values::bytes;

/// Characters of a name, with each of them written as `_xHHHH_`.
const NAME_UNITS_MAX: u16 = 4000;

pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(names::SET_TEXT, (3, 3), types_of_text, text),
    ScalarFunction::strict(names::SET_BYTES, (3, 3), types_of_bytes, in_base_64),
    ScalarFunction::strict(names::SET_NODES, (3, 3), types_of_nodes, nodes),
];

fn types(call: &Call<'_>, ty: SqlType) -> SqlResult<Inferred> {
    let name = SqlType::nvarchar(NAME_UNITS_MAX, call.collation);
    Ok(call.types(ty, &[SqlType::xml(), name, SqlType::varbinary(SqlType::MAX)]))
}

fn types_of_text(call: &Call<'_>) -> SqlResult<Inferred> {
    types(call, SqlType::nvarchar_max(call.collation))
}

fn types_of_bytes(call: &Call<'_>) -> SqlResult<Inferred> {
    types(call, SqlType::varbinary(SqlType::MAX))
}

fn types_of_nodes(call: &Call<'_>) -> SqlResult<Inferred> {
    types(call, SqlType::xml())
}

/// Calls back with the first element of a column, if there is one. With names of columns, error 207
/// for an element of none of them, and for anything else.
fn element<'a>(
    ctx: &FnContext<'a>,
    args: &[ValueRef<'a>],
    f: impl FnOnce(&Document, NodeId) -> SqlResult<ValueRef<'a>>,
) -> SqlResult<ValueRef<'a>> {
    let document = parse_value(bytes(args[0]), ctx.arena.account(), ctx)?;
    let (wanted, names) = (unicode_to_string(bytes(args[1])), bytes(args[2]));
    let mut found = None;
    for node in document.children(Document::ROOT) {
        ctx.pace()?;
        if !names.is_empty() {
            check(&document, node, names)?;
        }
        let name = document.name(node);
        let is_it =
            document.kind(node) == NodeKind::Element && name.uri.is_empty() && name.local == wanted;
        if is_it && found.is_none() {
            found = Some(node);
            if names.is_empty() {
                break;
            }
        }
    }
    match found {
        Some(node) => f(&document, node),
        None => Ok(ValueRef::Null),
    }
}

/// Error 207 for what is no element with one of these names, and no comment or the like.
fn check(document: &Document, node: NodeId, names: &[u8]) -> SqlResult<()> {
    let name = document.name(node);
    let is_known = |own: &[u8]| own == name.local.as_bytes();
    let unknown = match document.kind(node) {
        NodeKind::Element
            if name.uri.is_empty() && names.split(|byte| *byte == 0).any(is_known) =>
        {
            return Ok(());
        }
        NodeKind::Element => name.local,
        NodeKind::Text => document.value(node).trim(),
        _ => return Ok(()),
    };
    Err(SqlError::new(&message::INVALID_COLUMN, &[&unknown]))
}

/// All text below a node.
fn value(ctx: &FnContext<'_>, document: &Document, node: NodeId) -> SqlResult<String> {
    let mut value = String::new();
    for piece in document.texts(node) {
        ctx.pace()?;
        ctx.arena.admit(piece.len())?;
        value.push_str(piece);
    }
    Ok(value)
}

fn text<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ctx = &*ctx;
    element(ctx, args, |document, node| unicode(ctx, &value(ctx, document, node)?))
}

fn in_base_64<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ctx = &*ctx;
    element(ctx, args, |document, node| {
        let text = value(ctx, document, node)?;
        let invalid = || SqlError::new(&message::CONVERTING_TYPES, &[&"nvarchar", &"varbinary"]);
        let found = binary(ctx, AtomicType::Base64Binary, &text)?.ok_or_else(invalid)?;
        Ok(ValueRef::Bytes(found))
    })
}

fn nodes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ctx = &*ctx;
    element(ctx, args, |document, node| {
        let mut out = ctx.arena.buffer();
        for child in document.children(node) {
            write(document, child, &mut out, ctx)?;
        }
        Ok(ValueRef::Chars(out.finish()))
    })
}

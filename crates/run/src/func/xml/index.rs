//! What XML indexes hold: the entries of documents, and the values that are looked for.

use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::method::names;
use ir::function::rowset::{Emit, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::Call;
use xquery::index::{PATH_BYTES, VALUE_BYTES, beginning, entries};

use super::method::document;
use super::outer::{Held, held};
use crate::func::values::bytes;

/// What the binder calls for a value that a query compares with.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] =
    &[ScalarFunction::strict(names::INDEX_VALUE, (1, 1), types_of_value, value)];

/// The entries of a document.
pub(in crate::func) static ENTRIES: RowsetFunction = RowsetFunction {
    name: names::INDEX_ENTRIES,
    arguments: (1, 1),
    columns: |_| {
        vec![
            column("id", SqlType::int(), false),
            column("hid", SqlType::varbinary(PATH_BYTES as u16), false),
            column("value", SqlType::varbinary(VALUE_BYTES as u16), false),
        ]
    },
    rows: RowsetRows::Filled(rows),
    infer: |_| Ok(RowsetTypes { args: vec![SqlType::xml()], visible: 3 }),
};

fn types_of_value(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::varbinary(VALUE_BYTES as u16), &[call.args[0].ty]))
}

fn value<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let held = held(ctx, args[0], &types.args[0])?;
    let text = match &held {
        Held::Text(text) | Held::Temporal(text) => text.as_bytes(),
        Held::Plain(_) | Held::Xml(_) => return Ok(ValueRef::Null),
    };
    Ok(ValueRef::Bytes(ctx.arena.alloc_bytes(beginning(text))))
}

fn rows<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let (document, _) = document(ctx, 0, bytes(args[0]))?;
    entries(&document, ctx, &mut |entry| {
        let (path, value) = (ValueRef::Bytes(entry.path), ValueRef::Bytes(entry.value));
        emit(&[ValueRef::Int(entry.node.into()), path, value])
    })
}

#[cfg(test)]
mod tests;

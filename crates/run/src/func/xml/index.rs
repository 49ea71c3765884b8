//! What XML indexes hold: the entries of documents, and the values that are looked for.

use base::account::Account;
use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::method::names;
use ir::function::rowset::{Emit, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::Call;
use xquery::index::selective::Selection;
use xquery::index::{Margin, PATH_BYTES, VALUE_BYTES, beginning, entries, number_of};

use super::method::document;
use super::outer::{Held, held};
use crate::func::values::{bytes, float};

/// What the binder calls for a value that a query compares with.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(names::INDEX_VALUE, (1, 1), types_of_value, value),
    ScalarFunction::strict(names::INDEX_BOUND, (3, 3), types_of_bound, bound),
];

/// The entries of a document.
pub(in crate::func) static ENTRIES: RowsetFunction = RowsetFunction {
    name: names::INDEX_ENTRIES,
    arguments: (2, 2),
    columns: |_| {
        vec![
            column("id", SqlType::int(), false),
            column("hid", SqlType::varbinary(PATH_BYTES as u16), false),
            column("value", SqlType::varbinary(VALUE_BYTES as u16), false),
            column("number", SqlType::float(), true),
        ]
    },
    rows: RowsetRows::Filled(rows),
    infer: |_| {
        let args = vec![SqlType::xml(), SqlType::varbinary(SqlType::MAX)];
        Ok(RowsetTypes { args, visible: 4 })
    },
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

fn types_of_bound(call: &Call<'_>) -> SqlResult<Inferred> {
    let float = SqlType::float();
    Ok(call.types(float, &[call.args[0].ty, float, float]))
}

/// A value as a bound of numbers, with margins that say by their signs which bound it is.
fn bound<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (relative, absolute) = (float(args[1]), float(args[2]));
    let is_upper = absolute > 0.0;
    let margin = Margin { relative: relative.abs(), absolute: absolute.abs() };
    let number = number_of(&held(ctx, args[0], &types.args[0])?.value());
    let all = if is_upper { f64::MAX } else { f64::MIN };
    Ok(ValueRef::Float(number.map_or(all, |number| margin.moved(number, is_upper))))
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
    let unlimited;
    let account = match ctx.arena.account() {
        Some(account) => account,
        None => {
            unlimited = Account::new(usize::MAX, "internal");
            &unlimited
        }
    };
    let selection = match args[1].is_null() {
        true => None,
        false => {
            let selection = Selection::decode(bytes(args[1]));
            Some(selection.ok_or_else(|| ir::internal("the paths of a selective index"))?)
        }
    };
    entries(&document, selection.as_ref(), account, ctx, &mut |entry| {
        let (path, value) = (ValueRef::Bytes(entry.path), ValueRef::Bytes(entry.value));
        let number = entry.number.map_or(ValueRef::Null, ValueRef::Float);
        emit(&[ValueRef::Int(entry.node.into()), path, value, number])
    })
}

#[cfg(test)]
mod tests;

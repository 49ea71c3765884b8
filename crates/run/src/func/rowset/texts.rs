//! `sys.dm_exec_sql_text`, `sys.dm_exec_query_plan` and `sys.dm_exec_text_query_plan`: the text,
//! and the plan, that a handle names.

use base::{Collation, SqlResult, SqlType, ValueRef};
use ir::function::facts::{FnContext, HandledText};
use ir::function::rowset::{Emit, RowsetColumn, RowsetTypes, column};
use ir::function::signature::Call;

use crate::func::values::{bytes, string};

/// The longest handle.
const HANDLE: u16 = 64;

pub(super) fn types(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: vec![SqlType::varbinary(HANDLE)], visible: 5 })
}

/// With the offsets of a statement.
pub(super) fn types_of_part(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let args = vec![SqlType::varbinary(HANDLE), SqlType::int(), SqlType::int()];
    Ok(RowsetTypes { args, visible: 5 })
}

pub(super) fn columns_of_plan(args: &[SqlType]) -> Vec<RowsetColumn> {
    let mut columns = columns(args);
    columns[4].name = "query_plan";
    columns
}

pub(super) fn columns(_: &[SqlType]) -> Vec<RowsetColumn> {
    vec![
        column("dbid", SqlType::smallint(), true),
        column("objectid", SqlType::int(), true),
        column("number", SqlType::smallint(), true),
        column("encrypted", SqlType::bit(), false),
        column("text", SqlType::nvarchar_max(Collation::DEFAULT), true),
    ]
}

/// One row; none for NULL and for a text that is not known any more.
pub(super) fn fill<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    match ctx.facts.text_of(bytes(args[0]))? {
        Some(found) => show(ctx, found, emit),
        None => Ok(()),
    }
}

/// As `fill`, with the plan. An end of -1 asks for all statements.
pub(super) fn fill_plan<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let start = match (args.get(1), args.get(2)) {
        (Some(ValueRef::Int(start)), Some(ValueRef::Int(end))) if *end != -1 => Some(*start),
        _ => None,
    };
    match ctx.facts.plan_of(bytes(args[0]), start)? {
        Some(found) => show(ctx, found, emit),
        None => Ok(()),
    }
}

fn show(ctx: &mut FnContext<'_>, found: HandledText, emit: &mut Emit<'_>) -> SqlResult<()> {
    let id = |id: Option<i32>| id.map_or(ValueRef::Null, |id| ValueRef::Int(id.into()));
    let module = id(found.module.map(|id| id.0));
    // Procedures of one name are not numbered.
    let number = if found.module.is_some() { ValueRef::Int(0) } else { ValueRef::Null };
    let encrypted = ValueRef::Int(found.text.is_none().into());
    let ty = SqlType::nvarchar_max(Collation::DEFAULT);
    let text = found.text.map_or(ValueRef::Null, |text| string(ctx.arena, &text, &ty));
    emit(&[id(found.database.map(|id| id.0)), module, number, encrypted, text])
}

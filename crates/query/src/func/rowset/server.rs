//! Functions over what the server does: their rows come from the session.

use base::{Collation, SqlResult, SqlType, ValueRef};

use super::{Emit, RowsetColumn, RowsetTypes, column};
use crate::func::facts::FnContext;
use crate::func::signature::Call;
use crate::sysview::ServerFunction;
use crate::sysview::server::files::VIRTUAL_FILE_STATS;
use crate::sysview::server::log::LOG_INFO;
use crate::sysview::server::physical::INDEX_PHYSICAL_STATS;

/// A database and a file.
pub(super) fn types_of_files(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let args = vec![SqlType::int(); 2];
    Ok(RowsetTypes { args, visible: VIRTUAL_FILE_STATS.columns.len() })
}

pub(super) fn columns_of_files(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&VIRTUAL_FILE_STATS)
}

pub(super) fn fill_files<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, &VIRTUAL_FILE_STATS, args, emit)
}

/// A database, a table, an index, a partition, and how much is read.
pub(super) fn types_of_indexes(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut args = vec![SqlType::int(); 4];
    args.push(SqlType::sysname(Collation::DEFAULT));
    Ok(RowsetTypes { args, visible: INDEX_PHYSICAL_STATS.columns.len() })
}

pub(super) fn columns_of_indexes(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&INDEX_PHYSICAL_STATS)
}

pub(super) fn fill_indexes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, &INDEX_PHYSICAL_STATS, args, emit)
}

/// A database.
pub(super) fn types_of_log(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: vec![SqlType::int()], visible: LOG_INFO.columns.len() })
}

pub(super) fn columns_of_log(_: &[SqlType]) -> Vec<RowsetColumn> {
    columns_of(&LOG_INFO)
}

pub(super) fn fill_log<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    fill(ctx, &LOG_INFO, args, emit)
}

fn columns_of(function: &ServerFunction) -> Vec<RowsetColumn> {
    let of = |(name, ty, nullable): &(&'static str, SqlType, bool)| {
        column(name, SqlType { collation: Collation::DEFAULT, ..*ty }, *nullable)
    };
    function.columns.iter().map(of).collect()
}

fn fill(
    ctx: &FnContext<'_>,
    function: &'static ServerFunction,
    args: &[ValueRef<'_>],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let Some(task) = ctx.task else { return Ok(()) };
    for row in ctx.facts.server_rows(function, args, task)? {
        let values: Vec<ValueRef<'_>> = row.iter().map(base::Value::as_ref).collect();
        emit(&values)?;
    }
    Ok(())
}

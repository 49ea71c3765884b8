//! COUNT and CHECKSUM_AGG.

use base::{Arena, SqlResult, SqlType, TypeKind, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::Call;
use ir::function::state::AggregateState;

use super::refuse;
use crate::func::values::{int, overflow};

fn types_of(call: &Call<'_>, result: SqlType) -> SqlResult<Inferred> {
    let types: Vec<SqlType> = call.args.iter().map(|a| a.ty).collect();
    if call.args.iter().any(|a| a.bare_null || a.ty.kind.is_legacy_lob()) {
        return Err(refuse(call));
    }
    Ok(call.types(result, &types).not_null())
}

pub(super) fn types_of_count(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of(call, SqlType::int())
}

pub(super) fn types_of_count_big(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of(call, SqlType::bigint())
}

/// Whether the row counts: without an argument every row does.
fn counts(args: &[ValueRef<'_>]) -> bool {
    args.first().is_none_or(|value| !value.is_null())
}

pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    state.count += i64::from(counts(args));
    Ok(())
}

pub(super) fn remove(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    state.count -= i64::from(counts(args));
    Ok(())
}

pub(super) fn merge(
    state: &mut AggregateState,
    other: &AggregateState,
    _: &CallTypes,
) -> SqlResult<()> {
    state.count += other.count;
    Ok(())
}

pub(super) fn finish<'a>(
    state: &AggregateState,
    types: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if types.result.kind == TypeKind::Int && i32::try_from(state.count).is_err() {
        return Err(overflow(TypeKind::Int));
    }
    Ok(ValueRef::Int(state.count))
}

pub(super) fn types_of_checksum(call: &Call<'_>) -> SqlResult<Inferred> {
    match call.kind(0) {
        _ if call.args[0].bare_null => Err(refuse(call)),
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int => {
            Ok(call.types(SqlType::int(), &[SqlType::int()]))
        }
        _ => Err(refuse(call)),
    }
}

/// Exclusive or undoes itself.
fn turn(state: &mut AggregateState, args: &[ValueRef<'_>], count: i64) {
    if !args[0].is_null() {
        state.set_sum(state.sum() ^ i128::from(int(args[0])));
        state.count += count;
    }
}

pub(super) fn add_checksum(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    turn(state, args, 1);
    Ok(())
}

pub(super) fn remove_checksum(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    turn(state, args, -1);
    Ok(())
}

pub(super) fn merge_checksum(
    state: &mut AggregateState,
    other: &AggregateState,
    _: &CallTypes,
) -> SqlResult<()> {
    state.set_sum(state.sum() ^ other.sum());
    state.count += other.count;
    Ok(())
}

pub(super) fn finish_checksum<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    Ok(if state.count == 0 { ValueRef::Null } else { ValueRef::Int(state.sum() as i64) })
}

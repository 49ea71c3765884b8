//! SUM and AVG. Integers, money and decimals are added up exactly; only the result must fit its
//! type.

use base::types::operators;
use base::{Arena, SqlResult, SqlType, TypeKind, ValueRef, decimal};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::Call;
use ir::function::state::AggregateState;

use super::refuse;
use crate::func::values::overflow;

fn types_of(call: &Call<'_>, result: fn(&SqlType) -> SqlResult<SqlType>) -> SqlResult<Inferred> {
    if call.args[0].bare_null {
        return Err(refuse(call));
    }
    let ty = call.args[0].ty;
    Ok(call.types(result(&ty)?, &[ty]))
}

pub(super) fn types_of_sum(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of(call, operators::sum)
}

pub(super) fn types_of_avg(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of(call, operators::avg)
}

pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    match args[0] {
        ValueRef::Null => return Ok(()),
        ValueRef::Int(v) | ValueRef::Money(v) => state.set_sum(state.sum() + i128::from(v)),
        ValueRef::Decimal(v) => add_decimal(state, v)?,
        ValueRef::Float(v) => {
            let [sum, _] = state.floats();
            state.set_floats([sum + v, 0.0]);
        }
        other => unreachable!("{other:?} cannot be added up"),
    }
    state.count += 1;
    Ok(())
}

fn add_decimal(state: &mut AggregateState, value: i128) -> SqlResult<()> {
    let sum = state.sum().checked_add(value).ok_or_else(decimal::overflow)?;
    state.set_sum(sum);
    Ok(())
}

pub(super) fn remove(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    match args[0] {
        ValueRef::Null => return Ok(()),
        ValueRef::Int(v) | ValueRef::Money(v) => state.set_sum(state.sum() - i128::from(v)),
        ValueRef::Decimal(v) => add_decimal(state, -v)?,
        other => unreachable!("{other:?} cannot be taken out again"),
    }
    state.count -= 1;
    Ok(())
}

pub(super) fn merge(
    state: &mut AggregateState,
    other: &AggregateState,
    types: &CallTypes,
) -> SqlResult<()> {
    if types.args[0].kind.is_float() {
        let ([a, _], [b, _]) = (state.floats(), other.floats());
        state.set_floats([a + b, 0.0]);
    } else {
        add_decimal(state, other.sum())?;
    }
    state.count += other.count;
    Ok(())
}

pub(super) fn finish_sum<'a>(
    state: &AggregateState,
    types: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if state.count == 0 {
        return Ok(ValueRef::Null);
    }
    let ty = &types.result;
    if ty.kind.is_float() {
        return float(state.floats()[0]);
    }
    exact(state.sum(), ty)
}

pub(super) fn finish_avg<'a>(
    state: &AggregateState,
    types: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if state.count == 0 {
        return Ok(ValueRef::Null);
    }
    let ty = &types.result;
    if ty.kind.is_float() {
        return float(state.floats()[0] / state.count as f64);
    }
    let count = i128::from(state.count);
    if ty.kind.is_decimal() {
        let scale = types.args[0].scale;
        return Ok(ValueRef::Decimal(decimal::divide(state.sum(), scale, count, 0, ty)?));
    }
    // The sum must fit the type, too.
    exact(state.sum(), ty)?;
    exact(state.sum() / count, ty)
}

fn float<'a>(value: f64) -> SqlResult<ValueRef<'a>> {
    if value.is_finite() { Ok(ValueRef::Float(value)) } else { Err(overflow(TypeKind::Float)) }
}

/// An integer, an amount of money or a decimal, if the type has room for it.
fn exact<'a>(value: i128, ty: &SqlType) -> SqlResult<ValueRef<'a>> {
    let narrow = || i64::try_from(value).map_err(|_| overflow(ty.kind));
    Ok(match ty.kind {
        TypeKind::Int => {
            let small = i32::try_from(value).map_err(|_| overflow(ty.kind))?;
            ValueRef::Int(i64::from(small))
        }
        TypeKind::BigInt => ValueRef::Int(narrow()?),
        TypeKind::Money => ValueRef::Money(narrow()?),
        _ if decimal::fits(value, ty.precision) => ValueRef::Decimal(value),
        _ => return Err(decimal::overflow()),
    })
}

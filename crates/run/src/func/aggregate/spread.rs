//! STDEV, STDEVP, VAR, VARP: mean and squared distances from it, kept up to date with each value
//! (Welford, *Note on a method for calculating corrected sums of squares and products*, 1962;
//! merged as Chan, Golub and LeVeque describe, 1979).

use base::{Arena, SqlResult, SqlType, TypeKind, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::signature::Call;
use ir::function::state::AggregateState;

use super::refuse;
use crate::func::values::{float, overflow};

pub(super) fn types_of_spread(call: &Call<'_>) -> SqlResult<Inferred> {
    let kind = call.kind(0);
    if call.args[0].bare_null || !kind.is_numeric() || kind == TypeKind::Bit {
        return Err(refuse(call));
    }
    Ok(call.types(SqlType::float(), &[SqlType::float()]))
}

pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let value = float(args[0]);
    state.count += 1;
    let [mean, squares] = state.floats();
    let distance = value - mean;
    let mean = mean + distance / state.count as f64;
    state.set_floats([mean, squares + distance * (value - mean)]);
    Ok(())
}

pub(super) fn merge(
    state: &mut AggregateState,
    other: &AggregateState,
    _: &CallTypes,
) -> SqlResult<()> {
    if other.count == 0 {
        return Ok(());
    }
    let ([mean_a, squares_a], [mean_b, squares_b]) = (state.floats(), other.floats());
    let (a, b) = (state.count as f64, other.count as f64);
    let distance = mean_b - mean_a;
    let mean = mean_a + distance * b / (a + b);
    let squares = squares_a + squares_b + distance * distance * a * b / (a + b);
    state.set_floats([mean, squares]);
    state.count += other.count;
    Ok(())
}

/// Squares per degree of freedom; NULL without one.
fn variance(state: &AggregateState, freedom: i64) -> Option<f64> {
    (freedom > 0).then(|| state.floats()[1] / freedom as f64)
}

fn result<'a>(value: Option<f64>) -> SqlResult<ValueRef<'a>> {
    match value {
        None => Ok(ValueRef::Null),
        Some(value) if value.is_finite() => Ok(ValueRef::Float(value)),
        Some(_) => Err(overflow(TypeKind::Float)),
    }
}

pub(super) fn finish_var<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    result(variance(state, state.count - 1))
}

pub(super) fn finish_varp<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    result(variance(state, state.count))
}

pub(super) fn finish_stdev<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    result(variance(state, state.count - 1).map(f64::sqrt))
}

pub(super) fn finish_stdevp<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    result(variance(state, state.count).map(f64::sqrt))
}

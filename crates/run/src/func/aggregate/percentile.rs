//! APPROX_PERCENTILE_CONT and APPROX_PERCENTILE_DISC.
//!
//! The binder passes what `WITHIN GROUP` orders by before the fraction, and behind it whether the
//! order is descending.

use base::types::Repr;
use base::{Arena, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::quantiles::Quantiles;
use ir::function::signature::Call;
use ir::function::state::{AggregateState, More};

use super::{own_type, refuse};

pub(super) fn types_of_cont(call: &Call<'_>) -> SqlResult<Inferred> {
    check(call)?;
    Ok(call.types(SqlType::float(), &[SqlType::float(), SqlType::float(), SqlType::bit()]))
}

pub(super) fn types_of_disc(call: &Call<'_>) -> SqlResult<Inferred> {
    check(call)?;
    let own = own_type(call);
    Ok(call.types(own, &[own, SqlType::float(), SqlType::bit()]))
}

/// Error 8117: values must be numbers.
fn check(call: &Call<'_>) -> SqlResult<()> {
    match call.args[0].bare_null || !call.kind(0).is_numeric() {
        true => Err(refuse(call)),
        false => Ok(()),
    }
}

/// A number as an integer in the same order.
fn key(value: ValueRef<'_>) -> i128 {
    match value {
        ValueRef::Int(value) | ValueRef::Money(value) => value.into(),
        ValueRef::Decimal(value) => value,
        ValueRef::Float(value) => {
            // Zero has one sign.
            let bits = (value + 0.0).to_bits() as i64;
            i128::from(if bits < 0 { bits ^ i64::MAX } else { bits })
        }
        other => unreachable!("a number is not {other:?}"),
    }
}

fn float_of(key: i128) -> f64 {
    let bits = key as i64;
    f64::from_bits(if bits < 0 { bits ^ i64::MAX } else { bits } as u64)
}

/// Error 8727.
pub(super) fn add(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    _: &CallTypes,
) -> SqlResult<()> {
    let fraction = match args[1] {
        ValueRef::Float(fraction) if (0.0..=1.0).contains(&fraction) => fraction,
        _ => return Err(SqlError::new(&message::PERCENTILE_OUT_OF_RANGE, &[])),
    };
    let descending = matches!(args[2], ValueRef::Int(1));
    state.set_floats([fraction, f64::from(u8::from(descending))]);
    if args[0].is_null() {
        return Ok(());
    }
    if !matches!(state.more, More::Quantiles(_)) {
        state.more = More::Quantiles(Box::default());
    }
    if let More::Quantiles(quantiles) = &mut state.more {
        let key = key(args[0]);
        quantiles.add(if descending { -key } else { key });
    }
    Ok(())
}

pub(super) fn merge(
    state: &mut AggregateState,
    other: &AggregateState,
    _: &CallTypes,
) -> SqlResult<()> {
    let More::Quantiles(theirs) = &other.more else { return Ok(()) };
    state.set_floats(other.floats());
    match &mut state.more {
        More::Quantiles(own) => own.merge(theirs),
        more => *more = More::Quantiles(theirs.clone()),
    }
    Ok(())
}

/// What was taken in, and which part of it comes before the result.
fn quantiles(state: &AggregateState) -> Option<(&Quantiles, f64, i128)> {
    let [fraction, descending] = state.floats();
    match &state.more {
        More::Quantiles(quantiles) if quantiles.count() > 0 => {
            Some((quantiles, fraction, if descending > 0.0 { -1 } else { 1 }))
        }
        _ => None,
    }
}

/// Between the two values around the place.
pub(super) fn finish_cont<'a>(
    state: &AggregateState,
    _: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let Some((quantiles, fraction, sign)) = quantiles(state) else { return Ok(ValueRef::Null) };
    let place = fraction * (quantiles.count() - 1) as f64;
    let places = [place.floor() as u64, place.ceil() as u64];
    let Some(found) = quantiles.at(places) else { return Ok(ValueRef::Null) };
    let [low, high] = found.map(|key| float_of(sign * key));
    Ok(ValueRef::Float(low + (high - low) * place.fract()))
}

/// The first value that comes before no less than the fraction.
pub(super) fn finish_disc<'a>(
    state: &AggregateState,
    types: &CallTypes,
    _: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let Some((quantiles, fraction, sign)) = quantiles(state) else { return Ok(ValueRef::Null) };
    let place = (fraction * quantiles.count() as f64).ceil() as u64;
    let Some([key]) = quantiles.at([place.saturating_sub(1)]) else { return Ok(ValueRef::Null) };
    let key = sign * key;
    Ok(match types.result.kind.repr() {
        Repr::Int => ValueRef::Int(key as i64),
        Repr::Money => ValueRef::Money(key as i64),
        Repr::Decimal => ValueRef::Decimal(key),
        _ => ValueRef::Float(float_of(key)),
    })
}

//! Functions that keep the type of their argument: ABS, ROUND, POWER and the like.

use base::arithmetic::{evaluate, integer};
use base::decimal::{self, Rounding};
use base::text::number::{round_float, round_integer};
use base::types::operators::{BinaryOperator, Operand, Signature, arithmetic};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::working_type;
use crate::func::values::{float, int, overflow};

/// Ten-thousandths in a unit of money.
const MONEY_UNIT: i64 = 10_000;

pub(super) fn types_of_same(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = working_type(call, 0)?;
    Ok(call.types(ty, &[ty]))
}

pub(super) fn abs<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let kind = types.result.kind;
    Ok(match args[0] {
        ValueRef::Int(v) if v < 0 => ValueRef::Int(integer::negate(kind, v)?),
        ValueRef::Money(v) => ValueRef::Money(v.checked_abs().ok_or_else(|| overflow(kind))?),
        ValueRef::Decimal(v) => ValueRef::Decimal(v.abs()),
        ValueRef::Float(v) => ValueRef::Float(v.abs()),
        other => other,
    })
}

pub(super) fn sign<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(match args[0] {
        ValueRef::Int(v) => ValueRef::Int(v.signum()),
        ValueRef::Money(v) => ValueRef::Money(v.signum() * MONEY_UNIT),
        // One may have no place: the sign of 0.5 as numeric(1,1).
        ValueRef::Decimal(v) => {
            let one = v.signum() * decimal::pow10(types.result.scale.into());
            match decimal::fits(one, types.result.precision) {
                true => ValueRef::Decimal(one),
                false => return Err(decimal::overflow()),
            }
        }
        ValueRef::Float(0.0) => ValueRef::Float(0.0),
        ValueRef::Float(v) => ValueRef::Float(v.signum()),
        other => other,
    })
}

/// The type without digits after the point.
pub(super) fn types_of_whole(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = working_type(call, 0)?;
    let whole = match ty.kind.is_decimal() {
        true => SqlType::exact(ty.kind, ty.precision, 0),
        false => ty,
    };
    Ok(call.types(whole, &[ty]))
}

pub(super) fn ceiling<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(match args[0] {
        ValueRef::Money(v) => {
            // Cut towards zero: up for what is negative.
            let below = v / MONEY_UNIT * MONEY_UNIT;
            let up = if below < v { below.checked_add(MONEY_UNIT) } else { Some(below) };
            ValueRef::Money(up.ok_or_else(|| overflow(types.result.kind))?)
        }
        ValueRef::Decimal(v) => ValueRef::Decimal(decimal::ceiling(v, types.args[0].scale)),
        ValueRef::Float(v) => ValueRef::Float(v.ceil()),
        other => other,
    })
}

pub(super) fn floor<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(match args[0] {
        ValueRef::Money(v) => {
            let down = v.div_euclid(MONEY_UNIT).checked_mul(MONEY_UNIT);
            ValueRef::Money(down.ok_or_else(|| overflow(types.result.kind))?)
        }
        ValueRef::Decimal(v) => ValueRef::Decimal(decimal::floor(v, types.args[0].scale)),
        ValueRef::Float(v) => ValueRef::Float(v.floor()),
        other => other,
    })
}

pub(super) fn types_of_round(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![working_type(call, 0)?];
    for at in 1..call.args.len() {
        types.push(call.int(at)?);
    }
    Ok(call.types(types[0], &types))
}

pub(super) fn round<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let rounding = match args.get(2) {
        Some(&how) if int(how) != 0 => Rounding::Truncate,
        _ => Rounding::Round,
    };
    rounded(args, types, rounding)
}

pub(super) fn truncate<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    rounded(args, types, Rounding::Truncate)
}

fn rounded<'a>(
    args: &[ValueRef<'a>],
    types: &CallTypes,
    rounding: Rounding,
) -> SqlResult<ValueRef<'a>> {
    let digits = int(args[1]) as i32;
    let kind = types.result.kind;
    let checked = |v: i128| i64::try_from(v).map_err(|_| overflow(kind));
    Ok(match args[0] {
        ValueRef::Int(v) => {
            let v = checked(round_integer(v, digits, rounding))?;
            ValueRef::Int(if kind == TypeKind::Int { in_int(v)? } else { v })
        }
        ValueRef::Money(v) => {
            let places = digits.saturating_sub(4);
            ValueRef::Money(checked(round_integer(v, places, rounding))?)
        }
        ValueRef::Decimal(v) => {
            ValueRef::Decimal(decimal::round(v, digits, rounding, &types.result)?)
        }
        ValueRef::Float(v) => ValueRef::Float(round_float(v, digits, rounding)),
        other => other,
    })
}

fn in_int(value: i64) -> SqlResult<i64> {
    i32::try_from(value).map(i64::from).map_err(|_| overflow(TypeKind::Int))
}

pub(super) fn types_of_mod(call: &Call<'_>) -> SqlResult<Inferred> {
    let signature = modulo_signature(&call.args[0].ty, &call.args[1].ty)?;
    Ok(call.types(signature.result, &[signature.left, signature.right]))
}

fn modulo_signature(left: &SqlType, right: &SqlType) -> SqlResult<Signature> {
    arithmetic(BinaryOperator::Modulo, &Operand::from(*left), &Operand::from(*right))
}

pub(super) fn modulo<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let [left, right] = *types.args else { unreachable!("the number of arguments was checked") };
    let signature = Signature { left, right, result: types.result };
    evaluate(BinaryOperator::Modulo, args[0], args[1], &signature, ctx.arena)
}

pub(super) fn types_of_power(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = working_type(call, 0)?;
    let result = match ty.kind.is_decimal() {
        true => SqlType::exact(ty.kind, 38, ty.scale),
        false => ty,
    };
    Ok(call.types(result, &[ty, call.float(1)?]))
}

pub(super) fn power<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (ty, exponent) = (&types.result, float(args[1]));
    let raise = |base: f64| {
        let power = base.powf(exponent);
        match power.is_nan() {
            true => Err(SqlError::new(&message::INVALID_FLOATING_POINT, &[])),
            false => Ok(power),
        }
    };
    Ok(match args[0] {
        ValueRef::Int(v) => ValueRef::Int(integer_power(v, exponent, ty.kind, raise)?),
        ValueRef::Money(v) => ValueRef::Money(to_money(raise(money_as_float(v))?)?),
        ValueRef::Decimal(v) => {
            raise(decimal::to_f64(v, types.args[0].scale))?;
            ValueRef::Decimal(decimal::power_of(v, types.args[0].scale, exponent, ty)?)
        }
        ValueRef::Float(v) => ValueRef::Float(finite(raise(v)?)?),
        other => other,
    })
}

/// A power of an integer: exact where floats are not, cut to an integer where it is none.
fn integer_power(
    base: i64,
    exponent: f64,
    kind: TypeKind,
    raise: impl Fn(f64) -> SqlResult<f64>,
) -> SqlResult<i64> {
    let whole = exponent.fract() == 0.0 && (0.0..64.0).contains(&exponent);
    let power = match whole {
        true => i128::from(base).checked_pow(exponent as u32).ok_or_else(|| overflow(kind))?,
        false => {
            let power = raise(base as f64)?.trunc();
            // Beyond the range of an i64 in any case.
            if power.abs() >= 1e19 {
                return Err(overflow(kind));
            }
            power as i128
        }
    };
    let power = i64::try_from(power).map_err(|_| overflow(kind))?;
    if kind == TypeKind::Int { in_int(power) } else { Ok(power) }
}

fn finite(value: f64) -> SqlResult<f64> {
    if value.is_finite() { Ok(value) } else { Err(overflow(TypeKind::Float)) }
}

fn money_as_float(value: i64) -> f64 {
    value as f64 / MONEY_UNIT as f64
}

fn to_money(value: f64) -> SqlResult<i64> {
    decimal::from_f64(value, 4)
        .and_then(|units| i64::try_from(units).ok())
        .ok_or_else(|| overflow(TypeKind::Money))
}

/// Digits after the point of an angle that is a decimal.
const ANGLE_SCALE: u8 = 18;

pub(super) fn types_of_angle(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = working_type(call, 0)?;
    let result = match ty.kind.is_decimal() {
        true => SqlType::exact(ty.kind, 38, ANGLE_SCALE.max(ty.scale)),
        false => ty,
    };
    Ok(call.types(result, &[ty]))
}

pub(super) fn degrees<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    angle(args[0], types, 180.0 / std::f64::consts::PI)
}

pub(super) fn radians<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    angle(args[0], types, std::f64::consts::PI / 180.0)
}

/// An angle in other units, cut to what its type holds.
fn angle<'a>(value: ValueRef<'a>, types: &CallTypes, factor: f64) -> SqlResult<ValueRef<'a>> {
    let ty = &types.result;
    Ok(match value {
        ValueRef::Int(v) => {
            let turned = (v as f64 * factor).trunc();
            if turned.abs() >= 1e19 {
                return Err(overflow(ty.kind));
            }
            let turned = i64::try_from(turned as i128).map_err(|_| overflow(ty.kind))?;
            ValueRef::Int(if ty.kind == TypeKind::Int { in_int(turned)? } else { turned })
        }
        ValueRef::Money(v) => ValueRef::Money(to_money(money_as_float(v) * factor)?),
        ValueRef::Decimal(v) => {
            let turned = decimal::to_f64(v, types.args[0].scale) * factor;
            ValueRef::Decimal(decimal::from_f64(turned, ty.scale).ok_or_else(decimal::overflow)?)
        }
        ValueRef::Float(v) => ValueRef::Float(finite(v * factor)?),
        other => other,
    })
}

//! Functions that work on floats.

use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, Volatility};
use ir::function::facts::{FnContext, RandomState};
use ir::function::signature::Call;

use crate::func::values::{float, int, overflow};

pub(super) fn types_of_one(call: &Call<'_>) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.float(at)).collect::<SqlResult<_>>()?;
    Ok(call.types(SqlType::float(), &types))
}

/// Error 3623 for what is not a number, 8115 for what is too large.
fn checked<'a>(value: f64) -> SqlResult<ValueRef<'a>> {
    if value.is_nan() {
        Err(SqlError::new(&message::INVALID_FLOATING_POINT, &[]))
    } else if value.is_infinite() {
        Err(overflow(TypeKind::Float))
    } else {
        Ok(ValueRef::Float(value))
    }
}

/// Functions of floats by the way they are computed.
macro_rules! functions {
    ($($name:ident = $compute:expr;)*) => {$(
        pub(super) fn $name<'a>(
            _: &mut FnContext<'a>,
            args: &[ValueRef<'a>],
            _: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            let compute: fn(f64) -> f64 = $compute;
            checked(compute(float(args[0])))
        }
    )*};
}

functions! {
    sqrt = f64::sqrt;
    square = |x| x * x;
    exp = f64::exp;
    log10 = |x| logarithm(x).map_or(f64::NAN, |_| x.log10());
    sin = f64::sin;
    cos = f64::cos;
    tan = f64::tan;
    cot = |x| 1.0 / x.tan();
    asin = f64::asin;
    acos = f64::acos;
    atan = f64::atan;
}

/// The natural logarithm of what has one.
fn logarithm(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.ln())
}

pub(super) fn log<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let x = logarithm(float(args[0]));
    let Some(&base) = args.get(1) else { return checked(x.unwrap_or(f64::NAN)) };
    let base = logarithm(float(base)).filter(|b| *b != 0.0);
    checked(x.zip(base).map_or(f64::NAN, |(x, base)| x / base))
}

pub(super) fn atn2<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (y, x) = (float(args[0]), float(args[1]));
    checked(if x == 0.0 && y == 0.0 { f64::NAN } else { y.atan2(x) })
}

pub(super) fn pi<'a>(
    _: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Float(std::f64::consts::PI))
}

pub(super) fn types_of_rand(call: &Call<'_>) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.int(at)).collect::<SqlResult<_>>()?;
    Ok(call.types(SqlType::float(), &types).with_volatility(Volatility::RuntimeConstant))
}

/// A seed starts the session's sequence anew; NULL is 0.
pub(super) fn rand<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut state = match args.first() {
        None => ctx.facts.random(),
        Some(ValueRef::Null) => RandomState::seeded(0),
        Some(&seed) => RandomState::seeded(int(seed) as i32),
    };
    let number = state.draw();
    ctx.facts.set_random(state);
    Ok(ValueRef::Float(number))
}

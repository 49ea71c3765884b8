//! float and real. A real is rounded to 32 bits after every operation; nothing is ever infinite or
//! no number.

use super::{divide_by_zero, overflow};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::TypeKind;
use crate::types::operators::BinaryOperator;

/// The value as of type `kind`. Error 8115 if it is infinite there, 3623 if it is not a number.
#[inline]
pub fn checked(kind: TypeKind, value: f64) -> SqlResult<f64> {
    let value = if kind == TypeKind::Real { f64::from(value as f32) } else { value };
    if value.is_finite() {
        return Ok(value);
    }
    not_finite(kind, value)
}

#[cold]
fn not_finite(kind: TypeKind, value: f64) -> SqlResult<f64> {
    if value.is_nan() {
        return Err(SqlError::new(&message::INVALID_FLOATING_POINT, &[]));
    }
    Err(overflow(kind))
}

/// Any operator, as of type `kind`. Errors 8115 and 8134.
#[inline]
pub fn apply(op: BinaryOperator, kind: TypeKind, a: f64, b: f64) -> SqlResult<f64> {
    let value = match op {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a * b,
        BinaryOperator::Divide if b == 0.0 => return Err(divide_by_zero()),
        BinaryOperator::Divide => a / b,
        other => unreachable!("{other:?} does not take floats"),
    };
    checked(kind, value)
}

//! bit, tinyint, smallint, int, bigint, all held as `i64`.

use super::{divide_by_zero, overflow};
use crate::error::SqlResult;
use crate::types::TypeKind;
use crate::types::operators::BinaryOperator;

#[inline]
fn narrow(kind: TypeKind, value: Option<i64>) -> SqlResult<i64> {
    let fits = |v: i64| match kind {
        TypeKind::Int => i32::try_from(v).is_ok(),
        TypeKind::BigInt => true,
        TypeKind::SmallInt => i16::try_from(v).is_ok(),
        TypeKind::TinyInt => u8::try_from(v).is_ok(),
        _ => v == 0 || v == 1,
    };
    match value {
        Some(v) if fits(v) => Ok(v),
        _ => Err(overflow(kind)),
    }
}

/// `a + b` as of type `kind`. Error 8115.
#[inline]
pub fn add(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    narrow(kind, a.checked_add(b))
}

/// `a - b`. Error 8115.
#[inline]
pub fn subtract(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    narrow(kind, a.checked_sub(b))
}

/// `a * b`. Error 8115.
#[inline]
pub fn multiply(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    narrow(kind, a.checked_mul(b))
}

/// `a / b`, towards zero. Errors 8134 and 8115.
#[inline]
pub fn divide(kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    if b == 0 {
        return Err(divide_by_zero());
    }
    narrow(kind, a.checked_div(b))
}

/// `a % b`, with the sign of `a`. Error 8134.
#[inline]
pub fn remainder(a: i64, b: i64) -> SqlResult<i64> {
    if b == 0 {
        return Err(divide_by_zero());
    }
    // The smallest integer has no positive counterpart, but its remainder by -1 is 0.
    Ok(a.wrapping_rem(b))
}

/// `-value`. Error 8115.
#[inline]
pub fn negate(kind: TypeKind, value: i64) -> SqlResult<i64> {
    // The negative of a tinyint is a smallint.
    let kind = if kind == TypeKind::TinyInt { TypeKind::SmallInt } else { kind };
    narrow(kind, value.checked_neg())
}

/// `~value`.
#[inline]
pub const fn not(kind: TypeKind, value: i64) -> i64 {
    match kind {
        TypeKind::Bit => 1 - value,
        TypeKind::TinyInt => !value & 0xFF,
        _ => !value,
    }
}

/// Any operator.
#[inline]
pub fn apply(op: BinaryOperator, kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    match op {
        BinaryOperator::Add => add(kind, a, b),
        BinaryOperator::Subtract => subtract(kind, a, b),
        BinaryOperator::Multiply => multiply(kind, a, b),
        BinaryOperator::Divide => divide(kind, a, b),
        BinaryOperator::Modulo => remainder(a, b),
        BinaryOperator::BitAnd => Ok(a & b),
        BinaryOperator::BitOr => Ok(a | b),
        BinaryOperator::BitXor => Ok(a ^ b),
        other => unreachable!("{other:?} is not arithmetic"),
    }
}

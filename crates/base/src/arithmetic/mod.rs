//! Checked arithmetic and comparison of values of one type.
//!
//! The typed functions in [`integer`], [`money`], [`float`] and [`datetime`] (and in
//! [`crate::decimal`]) are what compiled expressions call; [`evaluate`] does the same for any
//! operator on values already converted to the types of its [`Signature`].

mod compare;
pub mod datetime;
pub mod float;
pub mod integer;
pub mod money;

pub use compare::{compare, compare_paced, equal, hash};

use crate::arena::Arena;
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::operators::{BinaryOperator, Signature, UnaryOperator};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// Error 8115 about an expression of this type.
#[cold]
fn overflow(kind: TypeKind) -> SqlError {
    SqlError::new(&message::OVERFLOW_CONVERTING, &[&"expression", &kind])
}

/// Error 8134: division by zero.
#[cold]
fn divide_by_zero() -> SqlError {
    SqlError::new(&message::DIVIDE_BY_ZERO, &[])
}

/// An arithmetic or bitwise operator on operands of the signature's types; concatenation of strings
/// and binaries too. NULL if either operand is. Errors 8115 and 8134.
pub fn evaluate<'a>(
    op: BinaryOperator,
    left: ValueRef<'a>,
    right: ValueRef<'a>,
    signature: &Signature,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    use ValueRef::*;
    let result = &signature.result;
    let kind = result.kind;
    Ok(match (left, right) {
        (Null, _) | (_, Null) => Null,
        (Int(a), Int(b)) => Int(integer::apply(op, kind, a, b)?),
        (Money(a), Money(b)) => Money(money::apply(op, kind, a, b)?),
        (Float(a), Float(b)) => Float(float::apply(op, kind, a, b)?),
        (Decimal(a), Decimal(b)) => {
            let (sa, sb) = (signature.left.scale, signature.right.scale);
            Decimal(match op {
                BinaryOperator::Add => decimal::add(a, sa, b, sb, result)?,
                BinaryOperator::Subtract => decimal::subtract(a, sa, b, sb, result)?,
                BinaryOperator::Multiply => decimal::multiply(a, sa, b, sb, result)?,
                BinaryOperator::Divide => decimal::divide(a, sa, b, sb, result)?,
                BinaryOperator::Modulo => decimal::remainder(a, sa, b, sb, result)?,
                _ => unreachable!("{op:?} does not take decimals"),
            })
        }
        (DateTime(a), DateTime(b)) => DateTime(datetime::apply(op, a, b)?),
        (SmallDateTime(a), SmallDateTime(b)) => SmallDateTime(datetime::apply_small(op, a, b)?),
        (Chars(a), Chars(b)) => Chars(concatenate(a, b, result, arena)),
        (Unicode(a), Unicode(b)) => Unicode(concatenate(a, b, result, arena)),
        (Bytes(a), Bytes(b)) => Bytes(concatenate(a, b, result, arena)),
        (a, b) => unreachable!("{op:?} on {a:?} and {b:?}"),
    })
}

/// The two one after the other, cut to what the result's type holds.
pub fn concatenate<'a>(a: &'a [u8], b: &'a [u8], result: &SqlType, arena: &'a Arena) -> &'a [u8] {
    let limit = result.byte_limit();
    if b.is_empty() {
        return &a[..a.len().min(limit)];
    }
    if a.is_empty() {
        return &b[..b.len().min(limit)];
    }
    let length = a.len().saturating_add(b.len()).min(limit);
    let joined = arena.alloc_zeroed(length);
    let from_a = a.len().min(length);
    joined[..from_a].copy_from_slice(&a[..from_a]);
    joined[from_a..].copy_from_slice(&b[..length - from_a]);
    joined
}

/// An operator before a value of type `ty`, whose result has the type of
/// [`crate::types::operators::unary`]. Error 8115.
pub fn negate<'a>(op: UnaryOperator, value: ValueRef<'a>, ty: &SqlType) -> SqlResult<ValueRef<'a>> {
    use ValueRef::*;
    Ok(match (op, value) {
        (UnaryOperator::Plus, value) | (_, value @ Null) => value,
        (UnaryOperator::Minus, Int(v)) => Int(integer::negate(ty.kind, v)?),
        (UnaryOperator::Minus, Money(v)) => {
            Money(money::apply(BinaryOperator::Subtract, ty.kind, 0, v)?)
        }
        // The ranges of decimals and floats are symmetric.
        (UnaryOperator::Minus, Decimal(v)) => Decimal(-v),
        (UnaryOperator::Minus, Float(v)) => Float(-v),
        (UnaryOperator::BitNot, Int(v)) => Int(integer::not(ty.kind, v)),
        (op, value) => unreachable!("{op:?} {value:?}"),
    })
}

#[cfg(test)]
mod tests;

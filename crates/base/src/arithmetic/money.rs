//! money and smallmoney: 64 bits in ten-thousandths. Products round, quotients are cut.

use super::{divide_by_zero, overflow};
use crate::error::SqlResult;
use crate::types::TypeKind;
use crate::types::operators::BinaryOperator;

/// Any operator, as of type `kind`. Errors 8115 and 8134.
pub fn apply(op: BinaryOperator, kind: TypeKind, a: i64, b: i64) -> SqlResult<i64> {
    let (x, y) = (i128::from(a), i128::from(b));
    let exact = match op {
        BinaryOperator::Add => x + y,
        BinaryOperator::Subtract => x - y,
        BinaryOperator::Multiply => {
            let product = x * y;
            (product + 5000 * product.signum()) / 10_000
        }
        BinaryOperator::Divide | BinaryOperator::Modulo if b == 0 => return Err(divide_by_zero()),
        BinaryOperator::Divide => x * 10_000 / y,
        BinaryOperator::Modulo => x % y,
        other => unreachable!("{other:?} does not take money"),
    };
    i64::try_from(exact)
        .ok()
        .filter(|v| kind == TypeKind::Money || i32::try_from(*v).is_ok())
        .ok_or_else(|| overflow(kind))
}

//! `datetime + datetime` and the like: both count from 1900-01-01, so `datetime + 1` is a day
//! later.

use super::overflow;
use crate::datetime::civil::{
    DATETIME_DAY_MAX, DATETIME_DAY_MIN, DATETIME_TICKS_PER_DAY, SMALLDATETIME_MAX,
};
use crate::error::SqlResult;
use crate::types::TypeKind;
use crate::types::operators::BinaryOperator;
use crate::value::DateTime;

fn sign(op: BinaryOperator) -> i64 {
    match op {
        BinaryOperator::Add => 1,
        BinaryOperator::Subtract => -1,
        other => unreachable!("{other:?} does not take datetimes"),
    }
}

/// `+` or `-`. Error 8115.
pub fn apply(op: BinaryOperator, a: DateTime, b: DateTime) -> SqlResult<DateTime> {
    let day = i64::from(DATETIME_TICKS_PER_DAY);
    let total = |d: DateTime| i64::from(d.days) * day + i64::from(d.ticks);
    let sum = total(a) + sign(op) * total(b);
    let days = sum.div_euclid(day);
    if !(i64::from(DATETIME_DAY_MIN)..=i64::from(DATETIME_DAY_MAX)).contains(&days) {
        return Err(overflow(TypeKind::DateTime));
    }
    Ok(DateTime { days: days as i32, ticks: sum.rem_euclid(day) as u32 })
}

/// `+` or `-` on smalldatetime, in minutes. Error 8115.
pub fn apply_small(op: BinaryOperator, a: i64, b: i64) -> SqlResult<i64> {
    let sum = a + sign(op) * b;
    if (0..=SMALLDATETIME_MAX).contains(&sum) {
        Ok(sum)
    } else {
        Err(overflow(TypeKind::SmallDateTime))
    }
}

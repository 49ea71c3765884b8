//! Comparison, equality and hashing of values of one type.

use std::cmp::Ordering;

use crate::arena::Arena;
use crate::collation;
use crate::convert::{ConvertOptions, convert};
use crate::datetime::Moment;
use crate::decimal;
use crate::error::SqlResult;
use crate::pace::{Pace, STRIDE};
use crate::types::{Repr, SqlType, TypeKind};
use crate::value::ValueRef;
use crate::variant::{Family, content, family};

/// Compares two values of type `ty`; `None` if either is NULL.
///
/// Strings compare under the type's collation, binaries as if padded with zeros,
/// uniqueidentifiers by their last group first, variants by family and then by value.
#[inline]
pub fn compare(a: ValueRef<'_>, b: ValueRef<'_>, ty: &SqlType) -> Option<Ordering> {
    use ValueRef::*;
    Some(match (a, b) {
        (Null, _) | (_, Null) => return None,
        (Int(a), Int(b)) | (Money(a), Money(b)) => a.cmp(&b),
        (Decimal(a), Decimal(b)) => a.cmp(&b),
        (Float(a), Float(b)) => a.partial_cmp(&b)?,
        (Chars(a), Chars(b)) => collation::compare::compare_chars(ty.collation, a, b),
        (Unicode(a), Unicode(b)) => collation::compare::compare_unicode(ty.collation, a, b),
        _ if ty.kind == TypeKind::SqlVariant => return compare_variants(a, b),
        (Bytes(a), Bytes(b)) => compare_bytes(a, b),
        (Date(a), Date(b)) => a.cmp(&b),
        (Time(a), Time(b)) | (DateTime2(a), DateTime2(b)) => a.cmp(&b),
        (SmallDateTime(a), SmallDateTime(b)) => a.cmp(&b),
        (DateTime(a), DateTime(b)) => a.cmp(&b),
        (DateTimeOffset(a), DateTimeOffset(b)) => a.utc_ticks.cmp(&b.utc_ticks),
        (Guid(a), Guid(b)) => compare_guids(&a, &b),
        (a, b) => unreachable!("{a:?} and {b:?} are not both of type {ty}"),
    })
}

/// Whether two values of type `ty` are equal; false if either is NULL.
#[inline]
pub fn equal(a: ValueRef<'_>, b: ValueRef<'_>, ty: &SqlType) -> bool {
    match (a, b) {
        (ValueRef::Chars(_), ValueRef::Chars(_)) | (ValueRef::Unicode(_), ValueRef::Unicode(_)) => {
            collation::equal(ty.collation, a, b)
        }
        _ => compare(a, b, ty) == Some(Ordering::Equal),
    }
}

/// As [`compare`], for values that may be long: strings and binaries.
pub fn compare_paced(
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    ty: &SqlType,
    pace: &dyn Pace,
) -> SqlResult<Option<Ordering>> {
    match (a, b) {
        (ValueRef::Chars(_), ValueRef::Chars(_)) | (ValueRef::Unicode(_), ValueRef::Unicode(_)) => {
            collation::compare_paced(ty.collation, a, b, pace).map(Some)
        }
        (ValueRef::Bytes(x), ValueRef::Bytes(y)) if ty.kind != TypeKind::SqlVariant => {
            let (mut x, mut y) = (x, y);
            while x.len() > STRIDE && y.len() > STRIDE && x[..STRIDE] == y[..STRIDE] {
                pace.pace()?;
                (x, y) = (&x[STRIDE..], &y[STRIDE..]);
            }
            Ok(Some(compare_bytes(x, y)))
        }
        _ => Ok(compare(a, b, ty)),
    }
}

/// The shorter one counts as if zeros followed.
fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    a[..common].cmp(&b[..common]).then_with(|| {
        let longer = |rest: &[u8]| rest.iter().any(|&byte| byte != 0);
        longer(&a[common..]).cmp(&longer(&b[common..]))
    })
}

/// The last six bytes count most, then the fourth, third, second and first group.
fn compare_guids(a: &[u8; 16], b: &[u8; 16]) -> Ordering {
    const ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];
    ORDER.map(|i| a[i]).cmp(&ORDER.map(|i| b[i]))
}

fn compare_variants(a: ValueRef<'_>, b: ValueRef<'_>) -> Option<Ordering> {
    let ((ta, a), (tb, b)) = (content(a)?, content(b)?);
    let (fa, fb) = (family(ta.kind), family(tb.kind));
    if fa != fb {
        return Some(fa.cmp(&fb));
    }
    Some(match fa {
        Family::Guid | Family::Binary => compare(a, b, &ta)?,
        Family::Approximate => compare(a, b, &SqlType::float())?,
        Family::Exact => {
            let ((x, sx), (y, sy)) = (exact(a, &ta)?, exact(b, &tb)?);
            decimal::compare(x, sx, y, sy)
        }
        Family::Temporal => Moment::of(a).compare(Moment::of(b)),
        Family::Character => compare_variant_texts(ta, a, tb, b)?,
    })
}

/// Integers, money and decimals as value and scale.
fn exact(value: ValueRef<'_>, ty: &SqlType) -> Option<(i128, u8)> {
    match value {
        ValueRef::Int(v) => Some((i128::from(v), 0)),
        ValueRef::Money(v) => Some((i128::from(v), 4)),
        ValueRef::Decimal(v) => Some((v, ty.scale)),
        _ => None,
    }
}

/// Different collations order by locale, version, flags and sort id; one collation compares texts.
fn compare_variant_texts(
    ta: SqlType,
    a: ValueRef<'_>,
    tb: SqlType,
    b: ValueRef<'_>,
) -> Option<Ordering> {
    if ta.collation != tb.collation {
        let rank = |ty: &SqlType| {
            let info = ty.collation.info();
            (info.lcid, info.version, info.flags.comparison_style(), info.sort_id, ty.collation.0)
        };
        return Some(rank(&ta).cmp(&rank(&tb)));
    }
    if ta.kind.repr() == tb.kind.repr() {
        return compare(a, b, &ta);
    }
    let arena = Arena::new();
    let wide = SqlType::nvarchar_max(ta.collation);
    let options = ConvertOptions::default();
    let a = convert(a, &ta, &wide, &options, &arena).ok()?;
    let b = convert(b, &tb, &wide, &options, &arena).ok()?;
    compare(a, b, &wide)
}

/// A hash that is equal for equal values of type `ty`; NULL has one, too. Deterministic within a
/// build.
pub fn hash(value: ValueRef<'_>, ty: &SqlType) -> u64 {
    let words = |a: u64, b: u64| {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&a.to_le_bytes());
        bytes[8..].copy_from_slice(&b.to_le_bytes());
        collation::compare::hash_bytes(&bytes)
    };
    let word = |a: i64| words(a as u64, 0);
    match value {
        ValueRef::Null => words(0, 1),
        ValueRef::Int(v) | ValueRef::Money(v) | ValueRef::Time(v) => word(v),
        ValueRef::DateTime2(v) | ValueRef::SmallDateTime(v) => word(v),
        ValueRef::Decimal(v) => words(v as u64, (v >> 64) as u64),
        // Zero has two signs and one hash.
        ValueRef::Float(v) => words((v + 0.0).to_bits(), 0),
        ValueRef::Chars(_) | ValueRef::Unicode(_) => collation::hash(ty.collation, value),
        ValueRef::Date(v) => word(i64::from(v)),
        ValueRef::DateTime(v) => words(v.days as u64, u64::from(v.ticks)),
        ValueRef::DateTimeOffset(v) => word(v.utc_ticks),
        ValueRef::Guid(v) => collation::compare::hash_bytes(&v),
        _ if ty.kind == TypeKind::SqlVariant => hash_variant(value),
        ValueRef::Bytes(bytes) => {
            let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            collation::compare::hash_bytes(&bytes[..end])
        }
        ValueRef::Variant(_) => hash_variant(value),
    }
}

/// Values that compare equal across types of one family hash alike.
fn hash_variant(value: ValueRef<'_>) -> u64 {
    let Some((ty, inner)) = content(value) else { return 0 };
    match ty.kind.repr() {
        Repr::Int | Repr::Money | Repr::Decimal => {
            // Without trailing zeros after the point every scale gives the same number.
            let (mut v, mut scale) = exact(inner, &ty).unwrap_or((0, 0));
            while scale > 0 && v % 10 == 0 {
                v /= 10;
                scale -= 1;
            }
            hash(ValueRef::Decimal(v), &SqlType::decimal(38, 0)) ^ u64::from(scale)
        }
        Repr::Float | Repr::Guid | Repr::Bytes => hash(inner, &ty),
        Repr::Chars | Repr::Unicode => {
            let arena = Arena::new();
            let wide = SqlType::nvarchar_max(ty.collation);
            match convert(inner, &ty, &wide, &ConvertOptions::default(), &arena) {
                Ok(text) => hash(text, &wide),
                Err(_) => 0,
            }
        }
        _ => hash(ValueRef::DateTime2(Moment::of(inner).utc_total()), &SqlType::datetime2(7)),
    }
}

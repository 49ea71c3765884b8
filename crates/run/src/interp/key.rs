//! Ranges of index keys from bounds on columns.

use std::ops::Bound;

use base::ValueRef;
use engine::hot::key::{KeyRange, KeySpec};
use ir::object::NextColumn;
use smallvec::SmallVec;

/// A value, and whether it belongs to the range itself.
pub type ValueBound<'a> = Option<(ValueRef<'a>, bool)>;

/// The keys whose leading columns equal `prefix` and whose next column lies between the bounds,
/// which are given in the order of values, whatever the order of the index. A column without any
/// bound may be NULL; with one it is not.
pub fn key_range(
    spec: &KeySpec,
    next: NextColumn,
    prefix: &[ValueRef<'_>],
    lower: ValueBound<'_>,
    upper: ValueBound<'_>,
) -> KeyRange {
    let no_nulls = next.nullable && (lower.is_some() || upper.is_some());
    // NULL is the smallest value, so the lower bound leaves it out.
    let null = no_nulls.then_some((ValueRef::Null, false));
    let lower = lower.or(null);
    let (first, last) = if next.descending { (upper, lower) } else { (lower, upper) };
    let (first_values, last_values) = (with_bound(prefix, first), with_bound(prefix, last));
    let bound = |bound: ValueBound<'_>, values| match bound {
        Some((_, true)) => Bound::Included(values),
        Some((_, false)) => Bound::Excluded(values),
        None if prefix.is_empty() => Bound::Unbounded,
        None => Bound::Included(values),
    };
    spec.range(bound(first, &first_values[..]), bound(last, &last_values[..]))
}

fn with_bound<'a>(prefix: &[ValueRef<'a>], bound: ValueBound<'a>) -> SmallVec<[ValueRef<'a>; 4]> {
    prefix.iter().copied().chain(bound.map(|b| b.0)).collect()
}

#[cfg(test)]
mod tests;

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
mod tests {
    use base::SqlType;
    use engine::hot::key::{KeyBuf, KeyColumn};
    use engine::hot::row::RowLayout;

    use super::*;

    fn spec(second: KeyColumn) -> KeySpec {
        let layout = RowLayout::new(&[SqlType::int(), SqlType::int()]);
        KeySpec::new(&layout, &[KeyColumn::ascending(0), second])
    }

    /// The values of the second column, from 1 to 5 and NULL, that a range holds beside 7.
    fn found(
        second: KeyColumn,
        lower: ValueBound<'_>,
        upper: ValueBound<'_>,
    ) -> Vec<ValueRef<'static>> {
        let spec = spec(second);
        let next = NextColumn { descending: second.descending, nullable: second.nullable };
        let range = key_range(&spec, next, &[ValueRef::Int(7)], lower, upper);
        let mut values: Vec<ValueRef<'static>> = (1..=5).map(ValueRef::Int).collect();
        values.insert(0, ValueRef::Null);
        values.retain(|value| {
            let mut key = KeyBuf::new();
            spec.encode_values(&[ValueRef::Int(8), *value], &mut key);
            assert!(!range.contains(&key), "another prefix");
            spec.encode_values(&[ValueRef::Int(7), *value], &mut key);
            range.contains(&key)
        });
        values
    }

    #[test]
    fn bounds_mean_the_same_in_both_directions() {
        let ints = |from: i64, to: i64| (from..=to).map(ValueRef::Int).collect::<Vec<_>>();
        for second in [KeyColumn::ascending(1).or_null(), KeyColumn::descending(1).or_null()] {
            let at = |v, inclusive| Some((ValueRef::Int(v), inclusive));
            assert_eq!(found(second, at(2, true), at(4, true)), ints(2, 4));
            assert_eq!(found(second, at(2, false), at(4, false)), ints(3, 3));
            assert_eq!(found(second, at(3, false), None), ints(4, 5));
            assert_eq!(found(second, None, at(3, true)), ints(1, 3));
            assert_eq!(found(second, None, None).len(), 6);
            assert_eq!(found(second, at(4, false), at(2, false)), []);
        }
    }
}

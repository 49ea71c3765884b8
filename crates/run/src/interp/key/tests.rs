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

use super::*;

fn histogram(max: usize, values: impl IntoIterator<Item = (Option<i64>, u64)>) -> Histogram {
    let mut made = Histogram::new(max);
    for (value, rows) in values {
        made.begin(value.map_or(Value::Null, Value::Int));
        (0..rows).for_each(|_| made.count());
    }
    made
}

fn high(step: &Step) -> Option<i64> {
    match step.high {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

#[test]
fn few_values_have_steps_of_their_own() {
    let made = histogram(4, [(None, 2), (Some(1), 1), (Some(5), 3), (Some(9), 4)]);
    let told: Vec<_> = made.steps().iter().map(|s| (high(s), s.equal_rows)).collect();
    assert_eq!(told, [(None, 2), (Some(1), 1), (Some(5), 3), (Some(9), 4)]);
    assert!(
        made.steps().iter().all(|s| (s.range_rows, s.range_values, s.average()) == (0, 0, 1.0))
    );
}

#[test]
fn steps_add_up_to_the_rows_and_values_there_are() {
    for count in [5, 50, 777] {
        // As many rows as the remainder says, so that values differ.
        let rows = |value: i64| 1 + (value * value % 7) as u64;
        let made = histogram(20, (0..count).map(|value| (Some(value * 3), rows(value))));
        let steps = made.steps();
        assert_eq!(steps.len(), (count as usize).min(20));
        let all: u64 = (0..count).map(rows).sum();
        assert_eq!(steps.iter().map(|s| s.equal_rows + s.range_rows).sum::<u64>(), all);
        let values: u64 = steps.iter().map(|s| 1 + s.range_values).sum();
        assert_eq!(values, count as u64);
        assert_eq!((high(&steps[0]), steps[0].range_rows), (Some(0), 0));
        assert_eq!(high(&steps[steps.len() - 1]), Some((count - 1) * 3));
        let mut below = None;
        for step in steps {
            let own = high(step).expect("no value is NULL");
            let inner = (0..count).filter(|v| v * 3 < own && below.is_none_or(|b| v * 3 > b));
            let inner: Vec<_> = inner.collect();
            assert_eq!(step.range_values, inner.len() as u64);
            assert_eq!(step.range_rows, inner.into_iter().map(rows).sum::<u64>());
            assert_eq!(step.equal_rows, rows(own / 3));
            below = Some(own);
        }
    }
}

#[test]
fn ranges_are_about_alike_and_frequent_values_end_steps() {
    let rows = |value: i64| if value % 1000 == 500 { 900 } else { 1 };
    let made = histogram(50, (0..10_000).map(|value| (Some(value), rows(value))));
    let frequent = (0..10).map(|n| n * 1000 + 500);
    for value in frequent {
        let own = made.steps().iter().find(|step| high(step) == Some(value));
        assert_eq!(own.map(|step| step.equal_rows), Some(900), "{value}");
    }
    let largest = made.steps().iter().map(|step| step.range_rows).max();
    assert!(largest.is_some_and(|rows| rows <= 3 * 10_000 / 50), "{largest:?}");
}

#[test]
fn the_lowest_value_above_null_has_a_step() {
    let values = std::iter::once((None, 5)).chain((10..500).map(|value| (Some(value), 1)));
    let made = histogram(10, values);
    let lowest: Vec<_> = made.steps()[..2].iter().map(high).collect();
    assert_eq!(lowest, [None, Some(10)]);
    assert_eq!((made.steps()[1].range_rows, made.steps()[2].range_rows > 0), (0, true));
}

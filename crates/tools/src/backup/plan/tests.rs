use super::SetKind::{Differential, Full, Log};
use super::*;

const SECOND: i64 = 10_000_000;

/// Sets of these kinds, one finished at each second.
fn sets(kinds: &[SetKind]) -> Vec<Set> {
    let set = |(number, kind): (usize, &SetKind)| Set {
        file: "f".to_owned(),
        number,
        kind: *kind,
        finished: number as i64 * SECOND,
        server: Value::Int(1),
    };
    (1..).zip(kinds).map(set).collect()
}

fn plan(kinds: &[SetKind], tenths: i64) -> Result<Vec<usize>, StopError> {
    let stop = Stop { at: tenths * SECOND / 10, server: Value::Int(1) };
    Ok(planned(sets(kinds), &stop)?.iter().map(|set| set.number).collect())
}

#[test]
fn a_plan_begins_at_the_last_full_backup_before_the_time() {
    let kinds = [Full, Log, Differential, Log, Full, Log];
    assert_eq!(plan(&kinds, 5), Err(StopError::TooEarly(SECOND)));
    assert_eq!(plan(&kinds, 15), Ok(vec![1, 2, 4, 6]));
    assert_eq!(plan(&kinds, 35), Ok(vec![1, 2, 3, 4, 6]));
    assert_eq!(plan(&kinds, 55), Ok(vec![5, 6]));
    assert_eq!(plan(&kinds, 65), Err(StopError::TooLate(Some(6 * SECOND))));
    assert_eq!(plan(&[Full], 15), Err(StopError::TooLate(None)));
    assert_eq!(plan(&[Log, Log], 15), Ok(vec![1, 2]), "to what was restored before");
}

#[test]
fn times_of_another_server_say_nothing() {
    let stop = Stop { at: 0, server: Value::Int(2) };
    assert_eq!(planned(sets(&[Full, Log]), &stop).map(|sets| sets.len()), Ok(2));
}

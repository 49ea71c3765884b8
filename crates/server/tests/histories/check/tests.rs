use super::*;
use Step::{Add, Append, List, Set};

fn committed(steps: &[Step]) -> Transaction {
    Transaction { steps: steps.to_vec(), committed: true }
}

fn levels(history: &[Transaction]) -> [bool; 4] {
    use Promise::{ReadCommitted, RepeatableRead, Serializable, Snapshot};
    [ReadCommitted, Snapshot, RepeatableRead, Serializable]
        .map(|promise| check(history, promise).is_ok())
}

#[test]
fn one_after_the_other_is_serializable() {
    let history = [
        committed(&[Append(1, 10), List(1, vec![10])]),
        committed(&[List(1, vec![10]), Append(1, 11), Add(1, 5)]),
        committed(&[List(1, vec![10, 11]), Set(1, vec![5])]),
    ];
    assert_eq!(levels(&history), [true; 4]);
}

#[test]
fn dirty_and_intermediate_reads_are_found() {
    let rolled_back = Transaction { steps: vec![Append(1, 10)], committed: false };
    assert_eq!(levels(&[rolled_back, committed(&[List(1, vec![10])])]), [false; 4]);
    let history = [
        committed(&[Append(1, 10), Append(1, 11)]),
        committed(&[List(1, vec![10])]),
        committed(&[List(1, vec![10, 11])]),
    ];
    assert_eq!(levels(&history), [false; 4]);
}

#[test]
fn lost_writes_and_orders_that_differ_are_found() {
    let lost = [committed(&[Append(1, 10)]), committed(&[List(1, vec![])])];
    assert_eq!(levels(&lost), [false; 4]);
    let lost = [committed(&[Add(1, 10)]), committed(&[Set(1, vec![])])];
    assert_eq!(levels(&lost), [false; 4]);
    let differ = [
        committed(&[Append(1, 10)]),
        committed(&[Append(1, 11)]),
        committed(&[List(1, vec![10])]),
        committed(&[List(1, vec![11, 10])]),
    ];
    assert_eq!(levels(&differ), [false; 4]);
    let own = [committed(&[Append(1, 10), List(1, vec![])]), committed(&[List(1, vec![10])])];
    assert_eq!(levels(&own), [false; 4]);
}

#[test]
fn a_lost_update_is_no_snapshot() {
    let history = [
        committed(&[List(1, vec![]), Append(1, 10)]),
        committed(&[List(1, vec![]), Append(1, 11)]),
        committed(&[List(1, vec![10, 11])]),
    ];
    assert_eq!(levels(&history), [true, false, false, false]);
}

#[test]
fn write_skew_is_a_snapshot_but_no_repeatable_read() {
    let history = [
        committed(&[List(1, vec![]), Append(2, 10)]),
        committed(&[List(2, vec![]), Append(1, 11)]),
        committed(&[List(1, vec![11]), List(2, vec![10])]),
    ];
    assert_eq!(levels(&history), [true, true, false, false]);
}

#[test]
fn a_phantom_skew_is_a_repeatable_read_but_not_serializable() {
    let history = [
        committed(&[Set(1, vec![]), Add(2, 10)]),
        committed(&[Set(2, vec![]), Add(1, 11)]),
        committed(&[Set(1, vec![11]), Set(2, vec![10])]),
    ];
    assert_eq!(levels(&history), [true, true, true, false]);
}

#[test]
fn half_a_transaction_is_no_snapshot() {
    let history = [
        committed(&[Append(1, 10), Append(2, 11)]),
        committed(&[List(1, vec![]), List(2, vec![11])]),
        committed(&[List(1, vec![10]), List(2, vec![11])]),
    ];
    assert_eq!(levels(&history), [true, false, false, false]);
}

#[test]
fn circular_information_flow_is_not_even_read_committed() {
    let history = [
        committed(&[Append(1, 10), List(2, vec![11])]),
        committed(&[Append(2, 11), List(1, vec![10])]),
        committed(&[List(1, vec![10]), List(2, vec![11])]),
    ];
    assert_eq!(levels(&history), [false; 4]);
}

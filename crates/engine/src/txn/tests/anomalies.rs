//! What each isolation level prevents, and what it lets through.

use super::*;

const FWW: ConflictPolicy = ConflictPolicy::FirstWriterWins;
const LEVELS: [Isolation; 4] = [
    Isolation::ReadCommitted,
    Isolation::Snapshot,
    Isolation::RepeatableRead,
    Isolation::Serializable,
];

#[test]
fn no_level_reads_what_is_not_committed() {
    for isolation in LEVELS {
        let harness = Harness::new();
        let table = harness.table(FWW);
        fill(&harness, &table, 0..3);
        let (mut writer, mut reader) =
            (Client::new(&harness, isolation), Client::new(&harness, isolation));
        writer.begin().insert(&table, [7, 70, 0]).expect("a fresh key");
        writer.update(&table, 1, |r| Some([r[0], r[1], 99])).expect("no other writer");
        writer.delete(&table, 2).expect("no other writer");
        reader.begin();
        let before = vec![[0, 0, 0], [1, 10, 1], [2, 20, 2]];
        assert_eq!(reader.all(&table), Ok(before.clone()), "{isolation:?}");
        writer.rollback();
        assert_eq!(reader.all(&table), Ok(before));
        reader.commit().expect("nothing was committed");
    }
}

#[test]
fn only_read_committed_sees_later_commits() {
    for isolation in LEVELS {
        let harness = Harness::new();
        let table = harness.table(FWW);
        fill(&harness, &table, 0..2);
        let mut reader = Client::new(&harness, isolation);
        reader.begin().all(&table).expect("read");
        fill(&harness, &table, 5..6);
        let rows = reader.all(&table).expect("read").len();
        assert_eq!(rows, if isolation == Isolation::ReadCommitted { 3 } else { 2 });
    }
}

#[test]
fn an_update_is_never_lost() {
    for isolation in LEVELS {
        for (policy, error) in [
            (FWW, TxnError::WriteConflict),
            (ConflictPolicy::Wait, TxnError::SnapshotConflict { storage: StorageId(100) }),
        ] {
            let harness = Harness::new();
            let table = harness.table(policy);
            fill(&harness, &table, 0..2);
            let add = |r: Row| Some([r[0], r[1], r[2] + 1]);
            let mut late = Client::new(&harness, isolation);
            late.begin().get(&table, 0).expect("read");
            let mut early = Client::new(&harness, isolation);
            early.autocommit(|c| c.update(&table, 0, add).map(drop)).expect("the first");
            let got = late.update(&table, 0, add);
            match (policy, isolation) {
                // The statement of the second saw the first's commit.
                (_, Isolation::ReadCommitted) => assert_eq!(got, Ok(1)),
                (ConflictPolicy::Wait, Isolation::RepeatableRead | Isolation::Serializable) => {
                    assert_eq!(got, Err(TxnError::Deadlock));
                }
                _ => assert_eq!(got, Err(error.clone())),
            }
            late.rollback();
        }
    }
}

#[test]
fn write_skew_is_refused_from_repeatable_read_on() {
    for isolation in LEVELS {
        let harness = Harness::new();
        let table = harness.table(FWW);
        fill(&harness, &table, 0..2);
        let (mut a, mut b) = (Client::new(&harness, isolation), Client::new(&harness, isolation));
        for client in [&mut a, &mut b] {
            client.begin().all(&table).expect("read");
        }
        a.update(&table, 0, |r| Some([r[0], r[1], -1])).expect("it is free");
        b.update(&table, 1, |r| Some([r[0], r[1], -1])).expect("it is free");
        a.commit().expect("the first");
        let expected = match isolation {
            Isolation::ReadCommitted | Isolation::Snapshot => Ok(()),
            Isolation::RepeatableRead => Err(TxnError::RepeatableRead),
            Isolation::Serializable => Err(TxnError::Serializable),
        };
        assert_eq!(b.commit(), expected, "{isolation:?}");
    }
}

#[test]
fn phantoms_are_refused_by_serializable_alone() {
    for isolation in LEVELS {
        let harness = Harness::new();
        let table = harness.table(FWW);
        fill(&harness, &table, 0..6);
        let mut reader = Client::new(&harness, isolation);
        let ones = ScanRange::Key(key(&table, 2, 1));
        assert_eq!(reader.begin().select(&table, 2, ones).expect("read").len(), 2);
        reader.insert(&table, [100, 1000, 5]).expect("a fresh key");
        let mut writer = Client::new(&harness, Isolation::Snapshot);
        writer.autocommit(|c| c.insert(&table, [50, 500, 1])).expect("a fresh key");
        let expected = match isolation {
            Isolation::Serializable => Err(TxnError::Serializable),
            _ => Ok(()),
        };
        assert_eq!(reader.commit(), expected, "{isolation:?}");
    }
}

#[test]
fn a_change_outside_the_scanned_range_does_no_harm() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..6);
    let mut reader = Client::new(&harness, Isolation::Serializable);
    let range = ScanRange::Key(key(&table, 2, 1));
    reader.begin().select(&table, 2, range).expect("read");
    reader.insert(&table, [100, 1000, 5]).expect("a fresh key");
    fill(&harness, &table, 51..52); // its v is 0
    assert_eq!(reader.commit(), Ok(()));
}

#[test]
fn a_protected_row_must_stay_whatever_the_level() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..2);
    let mut child = Client::new(&harness, Isolation::ReadCommitted);
    child.begin();
    let range = ScanRange::Key(key(&table, 0, 1));
    child
        .statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), 0, range, Direction::Forward);
            let row = cursor.next(txn, task, &table)?.expect("the parent is there");
            txn.protect_read(task, row)
        })
        .expect("read");
    child.insert(&table, [9, 90, 9]).expect("a fresh key");
    let mut parent = Client::new(&harness, Isolation::Snapshot);
    parent.autocommit(|c| c.delete(&table, 1).map(drop)).expect("it is free");
    assert_eq!(child.commit(), Err(TxnError::RepeatableRead));
}

#[test]
fn a_statement_does_not_read_rows_that_it_inserts() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..300);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    let inserted = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), 1, ScanRange::All, Direction::Forward);
        let mut count = 0;
        while let Some(row) = cursor.next(txn, task, &table)? {
            let [id, k, v] = values(&table, txn.row(row));
            // The copy stands further on in the index that is being scanned.
            let copy = bytes(&table, [id + 1_000_000, k + 1, v]);
            txn.insert(task, &table, s.snapshot(), &copy)?;
            count += 1;
        }
        Ok(count)
    });
    assert_eq!(inserted, Ok(300));
    assert_eq!(client.all(&table).expect("read").len(), 600);
}

#[test]
fn moving_every_row_ahead_of_the_scan_moves_each_once() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..500);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    let moved = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), 2, ScanRange::All, Direction::Forward);
        let mut count = 0;
        while let Some(row) = cursor.next(txn, task, &table)? {
            let [id, k, v] = values(&table, txn.row(row));
            let new = bytes(&table, [id, k, v + 1]);
            let written = txn.update(task, s.snapshot(), row, &new)?;
            assert!(matches!(written, Written::Done(_)));
            count += 1;
        }
        Ok(count)
    });
    assert_eq!(moved, Ok(500));
    client.commit().expect("no other writer");
    client.begin();
    let rows = client.all(&table).expect("read");
    assert!(rows.iter().all(|[id, _, v]| *v == id % 3 + 1));
}

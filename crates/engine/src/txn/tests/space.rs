//! Look-ups without a cursor, and rows built in place.

use super::*;

fn insert_all(harness: &Harness, table: &Table, ids: std::ops::Range<i64>) {
    let mut client = Client::new(harness, Isolation::Snapshot);
    let insert_them = |c: &mut Client| ids.into_iter().try_for_each(|i| c.insert(table, [i; 3]));
    client.autocommit(insert_them).expect("fresh keys");
}

#[test]
fn look_ups_find_what_the_snapshot_sees() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    insert_all(&harness, &table, 0..100);
    let mut old = Client::new(&harness, Isolation::Snapshot);
    assert_eq!(old.begin().look_up(&table, 0, 7), Ok(Some([7, 7, 7])));
    let mut writer = Client::new(&harness, Isolation::Snapshot);
    writer.autocommit(|c| c.update(&table, 7, |r| Some([r[0], r[1], 70])).map(drop)).expect("free");
    writer.autocommit(|c| c.delete(&table, 8).map(drop)).expect("free");
    writer.autocommit(|c| c.insert(&table, [100, 100, 100])).expect("free");
    for index in [0, 1] {
        let look = |client: &mut Client, value| {
            client.look_up(&table, index, value).expect("reads succeed")
        };
        assert_eq!(look(&mut old, 7), Some([7, 7, 7]));
        assert_eq!(look(&mut old, 8), Some([8, 8, 8]));
        assert_eq!(look(&mut old, 100), None);
        let mut new = Client::new(&harness, Isolation::Snapshot);
        new.begin();
        assert_eq!(look(&mut new, 7), Some([7, 7, 70]));
        assert_eq!(look(&mut new, 8), None);
        assert_eq!(look(&mut new, 100), Some([100, 100, 100]));
    }
}

#[test]
fn what_was_looked_up_is_protected_as_the_isolation_level_says() {
    for (isolation, id, error) in [
        (Isolation::RepeatableRead, 1, Some(TxnError::RepeatableRead)),
        (Isolation::Serializable, 1, Some(TxnError::Serializable)),
        (Isolation::Serializable, 50, Some(TxnError::Serializable)),
        (Isolation::RepeatableRead, 50, None),
        (Isolation::Snapshot, 1, None),
    ] {
        let harness = Harness::new();
        let table = harness.table(ConflictPolicy::FirstWriterWins);
        insert_all(&harness, &table, 0..10);
        let mut reader = Client::new(&harness, isolation);
        assert_eq!(
            reader.begin().look_up(&table, 0, id).expect("reads succeed").is_some(),
            id < 10
        );
        let mut writer = Client::new(&harness, Isolation::Snapshot);
        let written = match id {
            1 => writer.autocommit(|c| c.update(&table, 1, |r| Some([r[0], r[1], 9])).map(drop)),
            _ => writer.autocommit(|c| c.insert(&table, [id, id, id])),
        };
        written.expect("no other writer");
        reader.insert(&table, [200, 200, 200]).expect("a fresh key");
        assert_eq!(reader.commit().err(), error, "{isolation:?}, {id}");
    }
}

#[test]
fn a_row_built_in_place_is_inserted() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    let mut insert = |row: Row| {
        client.autocommit(|c| {
            c.statement(|txn, task, s| {
                let bytes = bytes(&table, row);
                let mut space = txn.reserve_row(task, &table, bytes.len())?;
                assert!(space.bytes_mut().iter().all(|b| *b == 0));
                space.bytes_mut().copy_from_slice(&bytes);
                txn.insert_reserved(task, &table, s.snapshot(), space).map(drop)
            })
        })
    };
    insert([1, 2, 3]).expect("a fresh key");
    let one = table.memory();
    assert!(matches!(insert([1, 5, 6]), Err(TxnError::DuplicateKey { index: 0, .. })));
    assert!(matches!(insert([4, 2, 6]), Err(TxnError::DuplicateKey { index: 1, .. })));
    assert_eq!(table.memory(), one, "refused rows are freed");
    assert_eq!(client.begin().all(&table), Ok(vec![[1, 2, 3]]));
}

#[test]
fn a_place_that_is_not_used_comes_back() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    let len = bytes(&table, [0; 3]).len();
    client.begin();
    let reserved = client.statement(|txn, task, _| {
        let space = txn.reserve_row(task, &table, len)?;
        assert!(table.memory().used_bytes > 0);
        drop(space);
        Ok(())
    });
    reserved.expect("there is memory");
    assert_eq!(table.memory(), Default::default());
}

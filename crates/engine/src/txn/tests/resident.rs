//! Counts of rows and versions in memory, which must be what a walk finds, whatever happens to a
//! row.

use super::sunk::{SinkHarness, sink_everything};
use super::*;
use crate::hot::anchor::Origin;
use crate::hot::status::Begin;
use crate::hot::tally::{Resident, ResidentRows};
use crate::sink::SinkOptions;
use crate::sync::atomic::Ordering::Relaxed;
use crate::txn::promote::BroughtBack;

/// A table whose rows can sink, and what is asked of its counts.
struct Counted {
    sinking: SinkHarness,
    table: Arc<Table>,
}

impl Counted {
    fn new(patience_ns: u64) -> Counted {
        let sinking =
            SinkHarness::with(1, 64, SinkOptions { patience_ns, ..SinkOptions::default() });
        let index = |c: usize| IndexSpec {
            kind: IndexKind::Range,
            columns: vec![KeyColumn::ascending(c)],
            unique: true,
            filter: None,
        };
        // No index has `v`, so that it changes in place.
        let spec = TableSpec {
            conflicts: ConflictPolicy::Wait,
            caches_rows: true,
            ..TableSpec::new(StorageId(500), vec![INT; 3], vec![index(0), index(1)])
        };
        let table = sinking.harness().manager.create_table(&spec);
        Counted { sinking, table }
    }

    fn client(&self) -> Client<'_> {
        Client::new(self.sinking.harness(), Isolation::ReadCommitted)
    }

    /// Frees what is due.
    fn reclaim(&self) {
        let harness = self.sinking.harness();
        while harness.manager.reclaim(&harness.task(), 1000) > 0 {}
    }

    /// Asserts how many rows and versions there are of rows that were inserted, of rows that came
    /// back, and how many wait to be freed; and that a walk finds as many.
    fn assert(&self, inserted: [u64; 2], back: [u64; 2], waiting: u64, context: &str) {
        let now = self.now();
        let of = |[rows, versions]: [u64; 2]| ResidentRows { rows, versions };
        let expected = Resident { inserted: of(inserted), back: of(back), waiting, ..now };
        assert_eq!(now, expected, "{context}");
    }

    fn now(&self) -> Resident {
        self.sinking.harness().assert_counted();
        self.table.resident(0)
    }

    fn set(&self, client: &mut Client<'_>, id: i64, v: i64) {
        let updated = client.update(&self.table, id, |[id, k, _]| Some([id, k, v]));
        assert_eq!(updated, Ok(1), "no other writer");
    }

    /// One UPDATE in a transaction of its own.
    fn update(&self, id: i64, v: i64) {
        let mut client = self.client();
        self.set(client.begin(), id, v);
        client.commit().expect("no other writer");
    }

    fn delete(&self, id: i64) {
        let mut client = self.client();
        assert_eq!(client.begin().delete(&self.table, id), Ok(1));
        client.commit().expect("no other writer");
    }
}

#[test]
fn a_row_that_stays_in_memory_is_counted_through_its_life() {
    let counted = Counted::new(0);
    let none = [0, 0];
    counted.assert(none, none, 0, "new");
    let mut client = counted.client();
    client.begin().insert(&counted.table, [1, 10, 0]).expect("a fresh key");
    counted.assert([1, 1], none, 0, "inserted, and not committed");
    client.commit().expect("no other writer");
    counted.assert([1, 1], none, 0, "inserted");
    counted.update(1, 1);
    counted.assert([1, 2], none, 0, "updated: the inline version stays with its anchor");
    counted.reclaim();
    counted.set(client.begin(), 1, 2);
    counted.assert([1, 2], none, 0, "updated in the inline version, and not committed");
    client.commit().expect("no other writer");
    counted.assert([1, 2], none, 1, "the version between waits");
    counted.reclaim();
    counted.assert([1, 1], none, 0, "it is freed");
    assert_eq!(client.begin().delete(&counted.table, 1), Ok(1));
    counted.assert([1, 2], none, 0, "deleted by a tombstone, and not committed");
    client.commit().expect("no other writer");
    counted.assert([0, 2], none, 2, "deleted by a tombstone");
    counted.reclaim();
    counted.assert(none, none, 0, "freed");
    fill(counted.sinking.harness(), &counted.table, 2..3);
    assert_eq!(client.begin().delete(&counted.table, 2), Ok(1));
    counted.assert([1, 1], none, 0, "deleted in the head word, and not committed");
    client.commit().expect("no other writer");
    counted.assert([0, 1], none, 1, "deleted in the head word");
    counted.reclaim();
    counted.assert(none, none, 0, "freed");
    let now = counted.now();
    assert_eq!((now.rows_max, now.versions_max), (1, 2));
}

#[test]
fn what_is_rolled_back_leaves_the_counts_as_they_were() {
    let counted = Counted::new(0);
    let (table, none) = (&counted.table, [0, 0]);
    fill(counted.sinking.harness(), table, 0..5);
    // One whose next update takes the inline version.
    counted.update(4, 1);
    counted.reclaim();
    let mut client = counted.client();
    client.begin().insert(table, [10, 100, 0]).expect("a fresh key");
    counted.set(&mut client, 0, 7);
    counted.assert([6, 8], none, 0, "before the savepoint");
    let savepoint = client.txn.as_ref().expect("begun").savepoint();
    client.insert(table, [11, 110, 0]).expect("a fresh key");
    counted.set(&mut client, 0, 8);
    counted.set(&mut client, 4, 8);
    assert_eq!(client.delete(table, 1), Ok(1));
    assert_eq!(client.delete(table, 10), Ok(1));
    assert_eq!(client.update(table, 2, |[_, _, v]| Some([12, 120, v])), Ok(1));
    counted.assert([8, 12], none, 0, "two new rows, two new versions and a tombstone");
    let task = counted.sinking.harness().task();
    client.txn.as_mut().expect("begun").roll_back(&task, savepoint);
    counted.assert([6, 8], none, 0, "after the savepoint");
    let duplicate = client.insert(table, [12, 30, 0]);
    assert!(matches!(duplicate, Err(TxnError::DuplicateKey { .. })));
    counted.assert([6, 8], none, 0, "an insert was refused");
    client.rollback();
    counted.assert([5, 6], none, 0, "after the rollback");
}

/// A row that came back counted as inserted as soon as its inline version was used again.
#[test]
fn a_row_that_came_back_counts_so_until_it_sinks_again() {
    let counted = Counted::new(0);
    let (table, none) = (&counted.table, [0, 0]);
    fill(counted.sinking.harness(), table, 0..5);
    counted.assert([5, 5], none, 0, "not sunk");
    sink_everything(&counted.sinking);
    counted.assert(none, none, 0, "sunk");
    let mut client = counted.client();
    counted.set(client.begin(), 0, 1);
    counted.assert(none, [1, 2], 0, "back, and not committed");
    client.commit().expect("no other writer");
    counted.assert(none, [1, 2], 0, "back");
    for v in 2..6 {
        counted.reclaim();
        counted.update(0, v);
        let now = counted.now();
        assert_eq!((now.inserted.rows, now.back.rows), (0, 1), "update {v}");
    }
    counted.reclaim();
    let moved = client.begin().update(table, 0, |[_, k, v]| Some([20, k + 1, v]));
    assert_eq!(moved, Ok(1));
    let under_way = counted.now();
    client.rollback();
    assert_eq!((under_way.inserted.rows, under_way.back.rows), (0, 2), "both anchors");
    let before = counted.now();
    let moved = client.begin().update(table, 0, |[_, k, v]| Some([20, k + 1, v]));
    assert_eq!(moved, Ok(1));
    client.commit().expect("no other writer");
    let after = counted.now();
    assert_eq!((after.inserted.rows, after.back.rows), (0, 1), "under another key");
    assert_eq!(after.waiting, before.waiting + 3, "the old anchor, its tombstone and its version");
    counted.set(client.begin(), 20, 9);
    client.commit().expect("no other writer");
    counted.delete(1);
    counted.delete(20);
    let now = counted.now();
    assert_eq!((now.inserted, now.back.rows), (ResidentRows::default(), 0), "all are deleted");
    assert_eq!(now.waiting, now.back.versions);
    sink_everything(&counted.sinking);
    counted.assert(none, none, 0, "nothing is left");
}

/// After everything has ended, been freed and been through a round there is nothing to wait for,
/// also of a row that came back and was not changed after all.
#[test]
fn nothing_is_counted_when_all_has_sunk() {
    let counted = Counted::new(0);
    let (table, none) = (&counted.table, [0, 0]);
    fill(counted.sinking.harness(), table, 0..20);
    sink_everything(&counted.sinking);
    let mut client = counted.client();
    for id in 0..4 {
        counted.set(client.begin(), id, 1);
        client.rollback();
    }
    counted.assert(none, [4, 4], 0, "back, and not changed");
    counted.update(5, 1);
    counted.update(5, 2);
    counted.delete(6);
    client.begin().insert(table, [30, 300, 0]).expect("a fresh key");
    client.commit().expect("no other writer");
    let task = counted.sinking.harness().task();
    counted.sinking.sink(&task);
    counted.now();
    counted.sinking.sink(&task);
    let evicted = counted.now();
    assert_eq!((evicted.inserted.rows, evicted.back.rows), (0, 0), "out of the indexes");
    assert_eq!(evicted.waiting, evicted.inserted.versions + evicted.back.versions);
    sink_everything(&counted.sinking);
    counted.assert(none, none, 0, "freed");
    assert_eq!(table.memory().used_bytes, 0);
    assert_eq!(table.row_count(), 20);
}

#[test]
fn a_promotion_that_another_thread_has_done_counts_nothing() {
    let counted = Counted::new(0);
    let (table, none) = (&counted.table, [0, 0]);
    fill(counted.sinking.harness(), table, 0..5);
    sink_everything(&counted.sinking);
    let mut client = counted.client();
    let anchors = client.begin().statement(|txn, task, s| {
        let range = ScanRange::Key(key(table, 0, 3));
        let mut cursor = Cursor::new(s.snapshot(), 0, range, Direction::Forward);
        let row = cursor.next(txn, task, table)?.expect("it is there");
        let bytes = txn.row(row).to_vec();
        let first = txn.promote(task, table, s.snapshot(), true, &bytes)?;
        counted.assert(none, [1, 1], 0, "promoted");
        let second = txn.promote(task, table, s.snapshot(), true, &bytes)?;
        Ok([first, second])
    });
    let Ok([BroughtBack::To(first), BroughtBack::To(second)]) = anchors else {
        panic!("{anchors:?}");
    };
    assert_eq!(first, second);
    counted.assert(none, [1, 1], 0, "promoted once");
    client.rollback();
}

/// The origin is in a begin word, beside what other code reads there.
#[test]
fn a_begin_word_says_the_same_whatever_the_origin_of_its_row() {
    let counted = Counted::new(0);
    let table = &counted.table;
    fill(counted.sinking.harness(), table, 0..2);
    sink_everything(&counted.sinking);
    counted.update(0, 1);
    counted.reclaim();
    let mut client = counted.client();
    counted.set(client.begin(), 0, 2);
    let found = client.statement(|txn, task, s| {
        let range = ScanRange::Key(key(table, 0, 0));
        let mut cursor = Cursor::new(s.snapshot(), 0, range, Direction::Forward);
        let row = cursor.next(txn, task, table)?.expect("it is there").at();
        // SAFETY: the snapshot is registered.
        let word = unsafe { row.version.begin() }.load(Relaxed);
        Ok((word, Begin::from_word(word)))
    });
    let (word, begin) = found.expect("it is the writer's own");
    assert_eq!(Origin::of_begin(word), Origin::Back, "it is in the inline version again");
    assert!(begin.is_owned() && word != begin.word());
    client.rollback();
    assert_eq!(Origin::of_begin(begin.word()), Origin::Inserted);
}

/// What an old snapshot sees waits for it in memory, until the sink has released it.
#[test]
fn versions_that_the_sink_releases_are_counted_until_they_are_freed() {
    let counted = Counted::new(0);
    let (table, none) = (&counted.table, [0, 0]);
    fill(counted.sinking.harness(), table, 0..3);
    sink_everything(&counted.sinking);
    let mut old = Client::new(counted.sinking.harness(), Isolation::Snapshot);
    let rows = old.begin().all(table).expect("no error");
    for v in 10..13 {
        counted.update(0, v);
    }
    counted.reclaim();
    let now = counted.now();
    assert_eq!((now.back.rows, now.waiting), (1, 2), "the old snapshot holds two versions back");
    let task = counted.sinking.harness().task();
    for _ in 0..4 {
        counted.sinking.sink(&task);
        counted.now();
        counted.reclaim();
        counted.now();
    }
    counted.assert(none, none, 0, "released, sunk and freed, while the snapshot is there");
    assert_eq!(old.all(table).expect("no error"), rows);
    old.rollback();
}

#[test]
fn a_table_that_is_dropped_ends_without_rows_and_versions() {
    for sinks in [false, true] {
        let counted = Counted::new(0);
        let (table, none) = (&counted.table, [0, 0]);
        let harness = counted.sinking.harness();
        fill(harness, table, 0..10);
        if sinks {
            sink_everything(&counted.sinking);
            fill(harness, table, 10..20);
        }
        let mut reader = Client::new(harness, Isolation::Snapshot);
        reader.begin().all(table).expect("no error");
        for id in 2..5 {
            counted.update(id, 7);
        }
        counted.update(3, 8);
        counted.delete(3);
        counted.delete(6);
        let now = counted.now();
        assert!(now.waiting > 3 && now.inserted.rows + now.back.rows > 1, "{now:?}");
        assert_eq!(now.back.rows > 0, sinks);
        reader.rollback();
        harness.manager.drop_table(table.storage());
        let mut other = Client::new(harness, Isolation::Snapshot);
        let second = harness.table(ConflictPolicy::Wait);
        other.begin().insert(&second, [1, 1, 1]).expect("a fresh key");
        other.commit().expect("no other writer");
        counted.reclaim();
        assert_eq!(table.memory().used_bytes, 0);
        counted.assert(none, none, 0, "dropped");
    }
}

/// Rows, versions and copies together were the most at the moment at which they were asked for.
#[test]
fn the_most_includes_copies_when_they_are_counted() {
    let counted = Counted::new(0);
    let table = &counted.table;
    fill(counted.sinking.harness(), table, 0..3);
    assert_eq!((table.resident(2).rows_max, table.resident(0).versions_max), (5, 5));
    sink_everything(&counted.sinking);
    let now = table.resident(1);
    assert_eq!((now.inserted.rows, now.rows_max, now.versions_max), (0, 5, 5));
    // Between two such moments the most is seen where a shard reports its memory.
    fill(counted.sinking.harness(), table, 100..5_100);
    sink_everything(&counted.sinking);
    let now = table.resident(0);
    assert_eq!((now.inserted.rows, now.waiting), (0, 0));
    assert!((4_000..=5_000).contains(&now.rows_max), "{now:?}");
}

//! Interleavings of admissions, promotions, evictions and reads, explored by shuttle. Blocks and
//! the index are tiny in this build.

use crossbeam_epoch::Collector;

use super::*;
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::sync::{Arc, thread};

const ITERATIONS: usize = 20_000;

/// A row whose tree has an old entry, and that a transaction brings back and changes.
struct Row {
    cache: RowCache,
    counts: TableCounts,
    collector: Collector,
    /// An anchor of the row is linked.
    in_memory: AtomicBool,
    /// The row's change is committed.
    changed: AtomicBool,
}

impl Row {
    fn new() -> Arc<Row> {
        Arc::new(Row {
            cache: RowCache::new(Budget::new(BUDGET_MIN), BUDGET_MIN, 2).expect("address space"),
            counts: TableCounts::new(1),
            collector: Collector::new(),
            in_memory: AtomicBool::new(false),
            changed: AtomicBool::new(false),
        })
    }

    fn name(n: &[u8; 8]) -> RowName<'_> {
        RowName { space: 1, p: n }
    }

    /// Admits what the tree had before the change.
    fn admit_old(&self, shard: usize) {
        let handle = self.collector.register();
        let settled = || !self.in_memory.load(Acquire);
        let p = 5_u64.to_be_bytes();
        self.cache.admit(&handle.pin(), shard, &self.counts, Row::name(&p), b"old", settled);
    }

    fn change(&self) {
        self.in_memory.store(true, Release);
        self.cache.kill(&self.counts, Row::name(&5_u64.to_be_bytes()));
        self.changed.store(true, Release);
    }

    /// Changes the row if another thread has linked an anchor, whether that has killed yet or not.
    fn change_what_came_back(&self) {
        if self.in_memory.load(Acquire) {
            self.cache.kill(&self.counts, Row::name(&5_u64.to_be_bytes()));
            self.changed.store(true, Release);
        }
    }

    /// Brings the row back and does not change it.
    fn bring_back(&self) {
        self.in_memory.store(true, Release);
        self.cache.kill(&self.counts, Row::name(&5_u64.to_be_bytes()));
    }

    /// A reader that begins after the change does not find the old row.
    fn read(&self) {
        let changed = self.changed.load(Acquire);
        let handle = self.collector.register();
        let guard = handle.pin();
        let found = self.cache.find(&guard, Row::name(&5_u64.to_be_bytes()));
        assert!(found.is_none_or(|row| row == b"old" && !changed), "{found:?}, {changed}");
    }

    /// Admits other rows, until blocks are evicted.
    fn crowd(&self) {
        let handle = self.collector.register();
        for n in 100..140_u64 {
            let p = n.to_be_bytes();
            for _ in 0..2 {
                self.cache.admit(
                    &handle.pin(),
                    1,
                    &self.counts,
                    Row::name(&p),
                    &[n as u8; 40],
                    || true,
                );
            }
            let guard = handle.pin();
            let found = self.cache.find(&guard, Row::name(&p));
            assert!(found.is_none_or(|row| row == [n as u8; 40]));
        }
    }
}

fn check(test: impl Fn() + Clone + Send + Sync + 'static) {
    shuttle::check_random(test.clone(), ITERATIONS);
    shuttle::check_pct(test, ITERATIONS, 3);
}

#[test]
fn no_reader_finds_a_copy_of_a_row_that_has_changed() {
    check(|| {
        let row = Row::new();
        let (admitter, changer, reader) = (row.clone(), row.clone(), row.clone());
        let threads = [
            thread::spawn(move || admitter.admit_old(0)),
            thread::spawn(move || changer.change()),
            thread::spawn(move || reader.read()),
        ];
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        row.read();
    });
}

#[test]
fn a_row_that_another_thread_brings_back_is_killed_before_it_changes() {
    check(|| {
        let row = Row::new();
        let (admitter, promoter, writer, reader) =
            (row.clone(), row.clone(), row.clone(), row.clone());
        let threads = [
            thread::spawn(move || admitter.admit_old(0)),
            thread::spawn(move || promoter.bring_back()),
            thread::spawn(move || writer.change_what_came_back()),
            thread::spawn(move || reader.read()),
        ];
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        row.read();
    });
}

#[test]
fn a_copy_that_moves_is_killed_all_the_same() {
    check(|| {
        let row = Row::new();
        row.admit_old(1);
        row.read();
        let (crowd, changer) = (row.clone(), row.clone());
        let threads =
            [thread::spawn(move || crowd.crowd()), thread::spawn(move || changer.change())];
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        row.read();
    });
}

#[test]
fn a_copy_is_killed_while_the_index_grows() {
    check(|| {
        let row = Row::new();
        row.admit_old(0);
        row.read();
        let (admitter, changer, grower, reader) =
            (row.clone(), row.clone(), row.clone(), row.clone());
        let threads = [
            thread::spawn(move || {
                let handle = grower.collector.register();
                for _ in 0..2 {
                    let _guard = handle.pin();
                    // SAFETY: the guard is there before the call.
                    unsafe { grower.cache.index.grow(|| ()) };
                }
            }),
            thread::spawn(move || changer.change()),
            thread::spawn(move || admitter.admit_old(1)),
            thread::spawn(move || reader.read()),
        ];
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        row.read();
    });
}

#[test]
fn a_block_is_freed_when_no_slot_has_its_copies() {
    check(|| {
        let row = Row::new();
        row.admit_old(1);
        let (crowd, grower) = (row.clone(), row.clone());
        let threads = [
            thread::spawn(move || crowd.crowd()),
            thread::spawn(move || {
                let handle = grower.collector.register();
                let _guard = handle.pin();
                // SAFETY: the guard is there before the call.
                unsafe { grower.cache.index.grow(|| ()) };
            }),
        ];
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        row.crowd();
        row.read();
    });
}

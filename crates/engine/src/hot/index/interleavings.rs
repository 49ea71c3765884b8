//! Interleavings of a few operations, explored by shuttle. Chunks, blocks and nodes are tiny in
//! this build, so that a few rows go through all forms of them.

use std::collections::BTreeSet;

use crossbeam_epoch::Collector;

use super::testing::{Fixture, KeyKind};
use super::{Direction, Index, InsertCheck, Scan};
use crate::hot::anchor::AnchorPtr;
use crate::hot::key::KeyRange;
use crate::sync::{Arc, thread};

/// An index, and the collector through which all threads use it.
struct Shared {
    fixture: Fixture,
    collector: Collector,
}

// SAFETY: the fixture has no state of its own, and an index may be shared.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// A row: its key, its anchor, its number.
#[derive(Clone, Copy)]
struct Row(u32, AnchorPtr, u64);

// SAFETY: the tests follow the anchor only under guards.
unsafe impl Send for Row {}

impl Shared {
    fn new(hash: bool, unique: bool) -> Arc<Shared> {
        let fixture = Fixture::new(hash, unique, KeyKind::Int);
        Arc::new(Shared { fixture, collector: Collector::new() })
    }

    fn add(&self, key: u32, id: u64) -> Row {
        let handle = self.collector.register();
        Row(key, self.fixture.add(&handle.pin(), key, id), id)
    }

    fn remove(&self, row: Row) {
        let handle = self.collector.register();
        self.fixture.remove(&handle.pin(), row.1, row.0, row.2);
        // Frees at once what can be freed, so that a reader that still reaches it fails.
        (0..3).for_each(|_| handle.pin().flush());
    }

    fn seek(&self, key: u32) -> BTreeSet<u64> {
        let handle = self.collector.register();
        let found = self.fixture.seek(&handle.pin(), key);
        let distinct: BTreeSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "found twice");
        distinct
    }

    /// Scans in chunks, each under a guard of its own.
    fn scan(&self, direction: Direction) -> BTreeSet<u64> {
        let handle = self.collector.register();
        let mut scan = Scan::range(KeyRange::all(), direction);
        let mut found = Vec::new();
        while self.fixture.scan(&handle.pin(), &mut scan, 2, &mut found) {}
        let distinct: BTreeSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "found twice");
        distinct
    }

    /// Checks that exactly these rows are there, removes them, and checks that nothing is left.
    fn finish(&self, rows: Vec<Row>) {
        let ids: BTreeSet<u64> = rows.iter().map(|r| r.2).collect();
        assert_eq!(self.scan(Direction::Forward), ids);
        for row in rows {
            assert!(self.seek(row.0).contains(&row.2));
            self.remove(row);
        }
        assert!(self.fixture.index.is_empty() && self.scan(Direction::Forward).is_empty());
        assert_eq!(self.fixture.index.keys(), 0);
        if let Index::Hash(index) = &self.fixture.index {
            let handle = self.collector.register();
            let buckets = index.stats(&handle.pin()).total_buckets * 8;
            let bytes = self.fixture.index.memory().allocated_bytes;
            assert!(bytes == buckets || bytes == 2 * buckets, "a level may be being added");
        }
    }
}

/// Explores interleavings at random and with few preemptions.
fn explore(iterations: usize, test: impl Fn() + Send + Sync + Clone + 'static) {
    // The environment variable `THERMOCLINE_STRESS` multiplies the iterations.
    let factor = std::env::var("THERMOCLINE_STRESS").ok().and_then(|s| s.parse().ok());
    let iterations = iterations * factor.unwrap_or(1);
    shuttle::check_random(test.clone(), iterations);
    shuttle::check_pct(test, iterations, 3);
}

fn spawn<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let shared = shared.clone();
    thread::spawn(move || work(&shared))
}

fn join<T>(thread: thread::JoinHandle<T>) -> T {
    thread.join().expect("the thread has not panicked")
}

#[test]
fn one_of_several_inserts_of_a_key_wins() {
    for hash in [false, true] {
        explore(500, move || {
            let shared = Shared::new(hash, true);
            shared.add(4, 100);
            let threads: Vec<_> = (0..3u64)
                .map(|id| {
                    spawn(&shared, move |s| {
                        let handle = s.collector.register();
                        let guard = handle.pin();
                        let anchor = s.fixture.anchor(5, id);
                        let refuse = &mut |_| InsertCheck::Refuse;
                        let won = s.fixture.insert_checked(&guard, anchor, 5, id, refuse);
                        if !won {
                            s.fixture.discard(anchor, 5, id);
                        }
                        won
                    })
                })
                .collect();
            assert_eq!(threads.into_iter().map(join).filter(|won| *won).count(), 1);
            assert_eq!(shared.seek(5).len(), 1);
        });
    }
}

#[test]
fn keys_are_counted_while_their_rows_come_and_go() {
    explore(500, || {
        let shared = Shared::new(true, false);
        let old = [shared.add(5, 0), shared.add(5, 1), shared.add(6, 2)];
        let threads: Vec<_> = old
            .into_iter()
            .map(|row| {
                spawn(&shared, move |s| {
                    s.remove(row);
                    s.add(row.0, 10 + row.2)
                })
            })
            .collect();
        let rows: Vec<_> = threads.into_iter().map(join).collect();
        assert_eq!(shared.fixture.index.keys(), 2);
        shared.finish(rows);
    });
}

#[test]
fn neighbours_come_and_go_around_a_row() {
    for (hash, unique) in [(true, true), (true, false), (false, true), (false, false)] {
        explore(300, move || {
            let shared = Shared::new(hash, unique);
            let stable = shared.add(5, 0);
            let going = [shared.add(5, 1), shared.add(6, 2), shared.add(4, 3)];
            let remover = spawn(&shared, move |s| going.into_iter().for_each(|row| s.remove(row)));
            let adder = spawn(&shared, |s| {
                let first = s.add(5, 10);
                s.remove(first);
                vec![s.add(6, 11), s.add(5, 12)]
            });
            let reader = spawn(&shared, |s| {
                assert!(s.seek(5).contains(&0));
                assert!(s.scan(Direction::Forward).contains(&0));
            });
            let mut left = join(adder);
            join(remover);
            join(reader);
            left.push(stable);
            shared.finish(left);
        });
    }
}

#[test]
fn a_table_grows_while_rows_are_inserted() {
    for unique in [false, true] {
        explore(100, move || {
            let shared = Shared::new(true, unique);
            let mut rows: Vec<Row> = (0..4).map(|id| shared.add(id as u32, id)).collect();
            let adders: Vec<_> = (1..3u64)
                .map(|n| {
                    spawn(&shared, move |s| {
                        (0..3).map(|i| s.add((10 * n + i) as u32, 10 * n + i)).collect::<Vec<_>>()
                    })
                })
                .collect();
            let reader = spawn(&shared, |s| {
                let found = s.scan(Direction::Forward);
                assert!((0..4).all(|id| found.contains(&id)));
            });
            rows.extend(adders.into_iter().flat_map(join));
            join(reader);
            for row in &rows {
                assert_eq!(shared.seek(row.0), BTreeSet::from([row.2]));
            }
            shared.finish(rows);
        });
    }
}

#[test]
fn buckets_are_taken_away_while_rows_come_and_go() {
    for unique in [false, true] {
        explore(200, move || {
            let shared = Shared::new(true, unique);
            let mut rows: Vec<Row> = (0..9).map(|id| shared.add(id as u32, id)).collect();
            rows.drain(3..).for_each(|row| shared.remove(row));
            let going = rows.pop().expect("three are left");
            let shrinker = spawn(&shared, |s| {
                let handle = s.collector.register();
                for _ in 0..12 {
                    s.fixture.index.shrink(&handle.pin(), 2, true);
                    handle.pin().flush();
                    thread::yield_now();
                }
            });
            let adder = spawn(&shared, move |s| {
                s.remove(going);
                (10..14).map(|id| s.add(id as u32, id)).collect::<Vec<_>>()
            });
            let reader = spawn(&shared, |s| {
                let found = s.scan(Direction::Forward);
                assert!((0..2).all(|id| found.contains(&id)));
                (0..2).for_each(|id| assert_eq!(s.seek(id), BTreeSet::from([u64::from(id)])));
            });
            rows.extend(join(adder));
            join(shrinker);
            join(reader);
            for row in &rows {
                assert_eq!(shared.seek(row.0), BTreeSet::from([row.2]));
            }
            let Index::Hash(index) = &shared.fixture.index else { unreachable!() };
            let handle = shared.collector.register();
            while index.is_shrinking() {
                shared.fixture.index.shrink(&handle.pin(), 64, true);
                handle.pin().flush();
            }
            shared.finish(rows);
        });
    }
}

#[test]
fn a_key_dies_while_a_row_joins_it() {
    for hash in [false, true] {
        explore(500, move || {
            let shared = Shared::new(hash, false);
            let last = shared.add(5, 0);
            let remover = spawn(&shared, move |s| s.remove(last));
            let adders: Vec<_> = (1..3).map(|id| spawn(&shared, move |s| s.add(5, id))).collect();
            join(remover);
            shared.finish(adders.into_iter().map(join).collect());
        });
    }
}

#[test]
fn postings_grow_and_shrink_under_a_scan() {
    explore(300, || {
        let shared = Shared::new(true, false);
        // A node of the list, the group's first place, the chain, and a block.
        let mut rows: Vec<Row> = (0..6).map(|id| shared.add(5, id)).collect();
        let going = rows.split_off(3);
        let remover = spawn(&shared, move |s| going.into_iter().for_each(|row| s.remove(row)));
        let adder = spawn(&shared, |s| {
            let first = [s.add(5, 10), s.add(5, 11), s.add(5, 12)];
            s.remove(first[1]);
            vec![first[0], first[2], s.add(5, 13)]
        });
        let reader = spawn(&shared, |s| {
            let found = s.scan(Direction::Forward);
            assert!((0..3).all(|id| found.contains(&id)));
        });
        rows.extend(join(adder));
        join(remover);
        join(reader);
        shared.finish(rows);
    });
}

#[test]
fn appends_meet_at_the_end_of_a_block() {
    explore(300, || {
        let shared = Shared::new(true, false);
        let mut rows: Vec<Row> = (0..5).map(|id| shared.add(5, id)).collect();
        let adders: Vec<_> = (1..4u64)
            .map(|n| {
                spawn(&shared, move |s| {
                    let row = s.add(5, 10 * n);
                    s.remove(row);
                    [s.add(5, 10 * n + 1), s.add(5, 10 * n + 2)]
                })
            })
            .collect();
        rows.extend(adders.into_iter().flat_map(join));
        shared.finish(rows);
    });
}

#[test]
fn a_block_is_killed_while_it_becomes_active_again() {
    explore(1000, || {
        let shared = Shared::new(true, false);
        // Row 0 is a node of the list, row 1 in the group's first place, rows 2 to 4 in the chain,
        // rows 5 and 6 in a block, and rows 7 and 8 in the active block, which is full. So an
        // append makes the first block active again, if the removal of its last row has not killed
        // it.
        let mut rows: Vec<Row> = (0..9).map(|id| shared.add(5, id)).collect();
        shared.remove(rows.remove(5));
        let last = rows.remove(5);
        let remover = spawn(&shared, move |s| s.remove(last));
        let adder = spawn(&shared, |s| {
            s.remove(s.add(5, 11));
            s.add(5, 12)
        });
        rows.push(join(adder));
        join(remover);
        shared.finish(rows);
    });
}

#[test]
fn a_row_is_inserted_where_leaves_are_merged() {
    for unique in [false, true] {
        explore(1000, move || {
            let shared = Shared::new(false, unique);
            let mut rows: Vec<Row> = (0..5).map(|id| shared.add(10 * id as u32, id)).collect();
            // Afterwards the second leaf has one row.
            shared.remove(rows.remove(4));
            let last = rows.remove(3);
            let remover = spawn(&shared, move |s| s.remove(last));
            let adders = [5, 35].map(|key| spawn(&shared, move |s| s.add(key, u64::from(key))));
            rows.extend(adders.map(join));
            join(remover);
            shared.finish(rows);
        });
    }
}

#[test]
fn nodes_split_and_merge_under_scans() {
    for unique in [false, true] {
        explore(200, move || {
            let shared = Shared::new(false, unique);
            let mut rows: Vec<Row> = (0..10).map(|id| shared.add(10 * id as u32, id)).collect();
            let going = rows.split_off(5);
            let remover = spawn(&shared, move |s| going.into_iter().for_each(|row| s.remove(row)));
            let adder = spawn(&shared, |s| {
                let keys = [55u32, 11, 12, 75, 13, 95];
                keys.map(|key| s.add(key, 100 + u64::from(key))).to_vec()
            });
            let reader = spawn(&shared, |s| {
                for direction in [Direction::Forward, Direction::Backward] {
                    let found = s.scan(direction);
                    assert!((0..5).all(|id| found.contains(&id)));
                }
                assert_eq!(s.seek(20), BTreeSet::from([2]));
            });
            rows.extend(join(adder));
            join(remover);
            join(reader);
            shared.finish(rows);
        });
    }
}

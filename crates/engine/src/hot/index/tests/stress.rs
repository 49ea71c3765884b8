//! Tests with real threads: rows that stay are always found, once; rows that are removed are never
//! found after they were freed (their memory is overwritten).

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::*;

const STABLE: u64 = 600;
const KEYS: u32 = 300;

/// A number of rounds, multiplied by the environment variable `THERMOCLINE_STRESS`.
fn rounds(n: u64) -> u64 {
    let factor = std::env::var("THERMOCLINE_STRESS").ok().and_then(|s| s.parse::<u64>().ok());
    n * factor.unwrap_or(1)
}

/// Small random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// The key of a stable row: some share one.
fn stable_key(id: u64) -> u32 {
    if id % 4 == 0 { 7 } else { (id % u64::from(KEYS)) as u32 }
}

/// Inserts and removes rows of its own, some of them under keys that come and go.
fn churn(f: &Fixture, collector: &Collector, thread: u64, rounds: u64) {
    let handle = collector.register();
    let mut random = Random(thread);
    let mut own = Vec::new();
    for round in 0..rounds {
        let guard = handle.pin();
        if own.len() < 100 || (own.len() < 1500 && random.below(2) == 0) {
            let id = (thread << 40) + STABLE + round;
            let key = match random.below(4) {
                0 => 7,
                1 => random.below(5) as u32,
                _ => random.below(4 * u64::from(KEYS)) as u32,
            };
            own.push((key, f.add(&guard, key, id), id));
        } else {
            let (key, anchor, id) = own.swap_remove(random.below(own.len() as u64) as usize);
            f.remove(&guard, anchor, key, id);
        }
        if round % 2000 == 1999 && random.below(3) == 0 {
            for (key, anchor, id) in own.drain(..) {
                f.remove(&guard, anchor, key, id);
            }
        }
    }
    let guard = handle.pin();
    for (key, anchor, id) in own {
        f.remove(&guard, anchor, key, id);
    }
}

/// Scans in chunks, with a new guard for each, and checks that no row is missing or comes twice.
fn scan_for_ever(f: &Fixture, collector: &Collector, stop: &AtomicBool, is_hash: bool) {
    let handle = collector.register();
    let mut random = Random(99);
    let mut complete = 0;
    while !stop.load(Relaxed) || complete < 3 {
        let backward = !is_hash && random.below(2) == 0;
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let mut scan = Scan::range(KeyRange::all(), direction);
        let mut found = Vec::new();
        loop {
            let n = 1 + random.below(200) as usize;
            if !f.scan(&handle.pin(), &mut scan, n, &mut found) {
                break;
            }
        }
        let distinct: HashSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "a row was returned twice");
        for id in 0..STABLE {
            assert!(distinct.contains(&id), "row {id} was missed");
        }
        complete += 1;
    }
}

fn seek_for_ever(f: &Fixture, collector: &Collector, stop: &AtomicBool) {
    let handle = collector.register();
    let mut random = Random(77);
    while !stop.load(Relaxed) {
        let guard = handle.pin();
        let id = random.below(STABLE);
        let found = f.seek(&guard, stable_key(id));
        assert!(found.contains(&id), "row {id} was not found");
        let distinct: HashSet<u64> = found.iter().copied().collect();
        assert_eq!(distinct.len(), found.len(), "a row was found twice");
    }
}

/// Removes buckets whenever there are too many for a moment.
fn shrink_for_ever(f: &Fixture, collector: &Collector, stop: &AtomicBool) {
    let handle = collector.register();
    while !stop.load(Relaxed) {
        f.index.shrink(&handle.pin(), 64, true);
        handle.pin().flush();
    }
}

fn stress(hash: bool, unique: bool, kind: KeyKind) {
    let collector = Collector::new();
    let f = Fixture::new(hash, unique, kind);
    let handle = collector.register();
    let guard = handle.pin();
    let stable: Vec<_> =
        (0..STABLE).map(|id| (stable_key(id), f.add(&guard, stable_key(id), id), id)).collect();
    drop(guard);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers = [
            scope.spawn(|| scan_for_ever(&f, &collector, &stop, hash)),
            scope.spawn(|| seek_for_ever(&f, &collector, &stop)),
            scope.spawn(|| shrink_for_ever(&f, &collector, &stop)),
        ];
        let (f, collector) = (&f, &collector);
        let writers =
            [1, 2, 3].map(|n| scope.spawn(move || churn(f, collector, n, rounds(15_000))));
        let failed = writers.into_iter().any(|w| w.join().is_err());
        stop.store(true, Relaxed);
        assert!(!failed && readers.into_iter().all(|r| r.join().is_ok()));
    });
    let guard = handle.pin();
    assert_eq!(f.index.len(), STABLE);
    for (key, anchor, id) in stable {
        f.remove(&guard, anchor, key, id);
    }
    assert!(f.index.is_empty());
    match &f.index {
        Index::Hash(index) => {
            drop(guard);
            shrink(&f, &collector);
            let guard = handle.pin();
            // The last doubling is complete only if enough inserts came after it began.
            let buckets = index.stats(&guard).total_buckets * 8;
            let bytes = f.index.memory().allocated_bytes;
            assert!(bytes == buckets || bytes == 2 * buckets, "{bytes} bytes, {buckets} in use");
        }
        Index::Range(index) => {
            // A thread gives up a merge where it meets another thread, so a few nodes may be left.
            assert!(index.stats(&guard).leaf_nodes <= 20, "{:?}", index.stats(&guard));
        }
    }
}

#[test]
fn stable_rows_are_found_once_in_a_unique_hash_index() {
    KINDS.into_iter().for_each(|kind| stress(true, true, kind));
}

#[test]
fn stable_rows_are_found_once_in_a_hash_index() {
    KINDS.into_iter().for_each(|kind| stress(true, false, kind));
}

#[test]
fn stable_rows_are_found_once_in_a_unique_range_index() {
    KINDS.into_iter().for_each(|kind| stress(false, true, kind));
}

#[test]
fn stable_rows_are_found_once_in_a_range_index() {
    KINDS.into_iter().for_each(|kind| stress(false, false, kind));
}

#[test]
fn of_two_inserts_of_one_key_at_most_one_misses_the_other() {
    for hash in [false, true] {
        for kind in KINDS {
            let collector = Collector::new();
            let f = Fixture::new(hash, true, kind);
            let winners: Vec<Vec<u32>> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3u64)
                    .map(|thread| {
                        let (f, collector) = (&f, &collector);
                        scope.spawn(move || {
                            let handle = collector.register();
                            let mut won = Vec::new();
                            for key in 0..rounds(3000) as u32 {
                                let guard = handle.pin();
                                let anchor = f.anchor(key, thread);
                                let refuse = &mut |_| InsertCheck::Refuse;
                                if f.insert_checked(&guard, anchor, key, thread, refuse) {
                                    won.push(key);
                                } else {
                                    f.discard(anchor, key, thread);
                                }
                            }
                            won
                        })
                    })
                    .collect();
                threads.into_iter().map(|t| t.join().expect("no panic")).collect()
            });
            let handle = collector.register();
            let guard = handle.pin();
            let total: usize = winners.iter().map(Vec::len).sum();
            assert_eq!(total as u64, rounds(3000));
            for (thread, keys) in winners.iter().enumerate() {
                for &key in keys {
                    assert_eq!(f.seek(&guard, key), [thread as u64]);
                }
            }
            for key in 0..rounds(3000) as u32 {
                let thread = f.seek(&guard, key)[0];
                let anchor = f.index.seek(&guard, &f.key(key)).next().expect("just found");
                f.remove(&guard, anchor, key, thread);
            }
            assert!(f.index.is_empty());
        }
    }
}

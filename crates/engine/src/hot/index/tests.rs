use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crossbeam_epoch::{Collector, Guard};
use proptest::prelude::*;

use super::testing::{Fixture, KeyKind};
use super::*;
use crate::hot::key::{KeyBuf, KeyRange, KeySpec};
use crate::hot::row::RowLayout;
use crate::sync::Arc;

const KINDS: [KeyKind; 3] = [KeyKind::Int, KeyKind::IntAndBigInt, KeyKind::Text];

/// Calls `test` for hash and range indexes, unique and not, with all kinds of keys.
fn for_all(test: impl Fn(&Fixture, &Guard)) {
    for hash in [false, true] {
        for unique in [false, true] {
            for kind in KINDS {
                let collector = Collector::new();
                let handle = collector.register();
                let fixture = Fixture::new(hash, unique, kind);
                test(&fixture, &handle.pin());
            }
        }
    }
}

fn is_unique(fixture: &Fixture) -> bool {
    match &fixture.index {
        Index::Hash(index) => index.is_unique(),
        Index::Range(index) => index.is_unique(),
    }
}

/// A permutation of 0..n.
fn shuffled(n: u32, seed: u64) -> Vec<u32> {
    let mut keys: Vec<u32> = (0..n).collect();
    let mut state = seed;
    for i in (1..keys.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        keys.swap(i, (state >> 33) as usize % (i + 1));
    }
    keys
}

#[test]
fn what_was_inserted_is_found_and_what_was_removed_is_not() {
    for_all(|f, guard| {
        let rows: Vec<_> =
            shuffled(2000, 1).into_iter().map(|k| (k, f.add(guard, k, u64::from(k)))).collect();
        assert_eq!((f.index.len(), f.index.keys()), (2000, 2000));
        for key in 0..2000 {
            assert_eq!(f.seek(guard, key), [u64::from(key)]);
        }
        assert!(f.seek(guard, 2000).is_empty());
        for &(key, anchor) in &rows[..1000] {
            f.remove(guard, anchor, key, u64::from(key));
            assert!(f.seek(guard, key).is_empty());
        }
        for &(key, _) in &rows[1000..] {
            assert_eq!(f.seek(guard, key), [u64::from(key)]);
        }
        let left: BTreeSet<u64> = rows[1000..].iter().map(|r| u64::from(r.0)).collect();
        let scanned = f.scan_all(guard, Scan::all(), 7);
        assert_eq!(scanned.len(), left.len());
        assert_eq!(scanned.into_iter().collect::<BTreeSet<_>>(), left);
        for &(key, anchor) in &rows[1000..] {
            f.remove(guard, anchor, key, u64::from(key));
        }
        assert!(f.index.is_empty());
    });
}

#[test]
fn rows_that_share_a_key_are_all_found() {
    for_all(|f, guard| {
        let mut rows = Vec::new();
        for id in 0..600u64 {
            let key = if id % 3 == 0 { 7 } else { id as u32 };
            rows.push((key, f.add(guard, key, id), id));
        }
        let expected: Vec<u64> = (0..600).step_by(3).collect();
        let mut found = f.seek(guard, 7);
        if is_unique(f) {
            // The newest comes first.
            assert!(found.is_sorted_by(|a, b| a > b));
        }
        found.sort_unstable();
        found.retain(|&id| id != 7);
        assert_eq!(found, expected);
        for chunk in [1, 2, 50, 1000] {
            let mut all = f.scan_all(guard, Scan::all(), chunk);
            all.sort_unstable();
            assert_eq!(all, (0..600).collect::<Vec<_>>());
        }
        for &(key, anchor, id) in rows.iter().filter(|r| r.2 % 2 == 0) {
            f.remove(guard, anchor, key, id);
        }
        let mut found = f.seek(guard, 7);
        found.sort_unstable();
        found.retain(|&id| id != 7);
        assert_eq!(found, (3..600).step_by(6).collect::<Vec<_>>());
    });
}

#[test]
fn a_unique_index_asks_about_every_anchor_with_the_key() {
    for_all(|f, guard| {
        if !is_unique(f) {
            return;
        }
        for id in 0..4 {
            f.add(guard, 5, id);
            f.add(guard, 5 + 30 * (id as u32 + 1), 100 + id);
        }
        let anchor = f.anchor(5, 9);
        let mut asked = Vec::new();
        let admitted = f.insert_checked(guard, anchor, 5, 9, &mut |other| {
            asked.push(f.id(other));
            if asked.len() == 3 { InsertCheck::Refuse } else { InsertCheck::Allow }
        });
        assert!(!admitted);
        assert_eq!(asked, [3, 2, 1]);
        assert_eq!(f.seek(guard, 5), [3, 2, 1, 0]);
        asked.clear();
        assert!(f.insert_checked(guard, anchor, 5, 9, &mut |other| {
            asked.push(f.id(other));
            InsertCheck::Allow
        }));
        assert_eq!(asked, [3, 2, 1, 0]);
        assert_eq!(f.seek(guard, 5), [9, 3, 2, 1, 0]);
    });
}

#[test]
fn an_index_without_rows_has_no_more_memory_than_a_new_one() {
    for_all(|f, guard| {
        let new = f.index.memory();
        let rows: Vec<_> =
            (0..3000u32).map(|i| (i % 300, f.add(guard, i % 300, u64::from(i)), i)).collect();
        let full = f.index.memory();
        assert!(full.allocated_bytes > new.allocated_bytes);
        assert!(full.used_bytes <= full.allocated_bytes && full.used_bytes > 0);
        for (key, anchor, id) in rows {
            f.remove(guard, anchor, key, u64::from(id));
        }
        let empty = f.index.memory();
        match &f.index {
            // Buckets stay.
            Index::Hash(index) => {
                let buckets = index.stats(guard).total_buckets * 8;
                assert_eq!(empty.allocated_bytes, buckets);
            }
            Index::Range(index) => {
                assert_eq!(empty, new);
                assert_eq!(index.stats(guard).leaf_nodes, 1);
            }
        }
    });
}

/// Makes an index remove the buckets that it does not need, without waiting for several looks.
fn shrink(f: &Fixture, collector: &Collector) {
    let Index::Hash(index) = &f.index else { panic!("range indexes have no buckets") };
    let handle = collector.register();
    let begun = index.stats(&handle.pin()).total_buckets;
    for n in 0.. {
        assert!(n < 10_000, "it ends");
        f.index.shrink(&handle.pin(), 100, true);
        let is_over = !index.is_shrinking() && index.stats(&handle.pin()).total_buckets < begun;
        if is_over {
            break;
        }
        handle.pin().flush();
    }
}

#[test]
fn a_hash_index_gives_buckets_back_and_gets_new_ones() {
    for unique in [false, true] {
        for kind in KINDS {
            let collector = Collector::new();
            let handle = collector.register();
            let f = Fixture::new(true, unique, kind);
            let Index::Hash(index) = &f.index else { unreachable!() };
            let buckets = || index.stats(&handle.pin()).total_buckets;
            let bytes = || f.index.memory().allocated_bytes;
            let stay: Vec<_> =
                (0..40).map(|k| (k, f.add(&handle.pin(), k, u64::from(k)))).collect();
            for round in 1..4 {
                let rows = 2000 * round; // the second and third doublings are cut off at different places
                let more: Vec<_> =
                    (40..rows).map(|k| (k, f.add(&handle.pin(), k, u64::from(k)))).collect();
                assert!(buckets() >= u64::from(rows) / 2);
                more.iter().for_each(|&(k, a)| f.remove(&handle.pin(), a, k, u64::from(k)));
                let before = bytes();
                assert!(before >= buckets() * 8 && buckets() >= 1024);
                shrink(&f, &collector);
                assert_eq!((buckets(), bytes()), (64, 64 * 8), "as many as 40 keys want");
                for key in 0..rows {
                    let expected: &[u64] = if key < 40 { &[u64::from(key)] } else { &[] };
                    assert_eq!(f.seek(&handle.pin(), key), expected);
                }
                let scanned = f.scan_all(&handle.pin(), Scan::all(), 7);
                assert_eq!(scanned.iter().copied().collect::<BTreeSet<_>>(), (0..40).collect());
                assert_eq!((scanned.len(), f.index.keys()), (40, 40));
            }
            stay.iter().for_each(|&(k, a)| f.remove(&handle.pin(), a, k, u64::from(k)));
            shrink(&f, &collector);
            assert_eq!((buckets(), bytes()), (8, 64), "what it began with");
        }
    }
}

#[test]
fn a_hash_index_that_is_filled_again_keeps_its_buckets() {
    let collector = Collector::new();
    let (handle, other) = (collector.register(), collector.register());
    let f = Fixture::new(true, true, KeyKind::Int);
    let Index::Hash(index) = &f.index else { unreachable!() };
    let add = |keys: std::ops::Range<u32>| -> Vec<_> {
        keys.map(|k| (k, f.add(&handle.pin(), k, u64::from(k)))).collect()
    };
    add(0..20);
    let buckets = || index.stats(&handle.pin()).total_buckets;
    add(20..500).iter().for_each(|&(k, a)| f.remove(&handle.pin(), a, k, u64::from(k)));
    let (full, bytes) = (buckets(), f.index.memory().allocated_bytes);
    let early = other.pin();
    f.index.shrink(&handle.pin(), 100, true);
    assert!(index.is_shrinking() && buckets() == 32);
    add(20..500);
    drop(early);
    while index.is_shrinking() {
        f.index.shrink(&handle.pin(), 100, false);
        handle.pin().flush();
    }
    assert_eq!((buckets(), f.index.memory().allocated_bytes), (full, bytes));
    (0..500).for_each(|k| assert_eq!(f.seek(&handle.pin(), k), [u64::from(k)]));
    add(500..2000);
    assert!(buckets() > full);
}

#[test]
fn a_reader_on_the_way_in_through_a_bucket_keeps_it_in_the_list() {
    let collector = Collector::new();
    let (handle, other) = (collector.register(), collector.register());
    let f = Fixture::new(true, true, KeyKind::Int);
    let Index::Hash(index) = &f.index else { unreachable!() };
    let rows: Vec<_> = (0..500).map(|k| (k, f.add(&handle.pin(), k, u64::from(k)))).collect();
    rows[20..].iter().for_each(|&(k, a)| f.remove(&handle.pin(), a, k, u64::from(k)));
    let bytes = f.index.memory().allocated_bytes;
    let step = || {
        (0..10).for_each(|_| {
            f.index.shrink(&handle.pin(), usize::MAX >> 1, true);
            handle.pin().flush();
        });
    };
    let early = other.pin();
    step();
    assert!(index.is_shrinking() && index.stats(&handle.pin()).total_buckets == 32);
    drop(early);
    let early = other.pin();
    step();
    assert_eq!(f.index.memory().allocated_bytes, bytes, "a reader may be on one");
    drop(early);
    step();
    assert!(!index.is_shrinking());
    assert_eq!(f.index.memory().allocated_bytes, 32 * 8);
    (0..20).for_each(|k| assert_eq!(f.seek(&handle.pin(), k), [u64::from(k)]));
}

#[test]
fn a_hash_index_that_shrinks_while_it_doubles_keeps_buckets_that_do_not_count_yet() {
    let (collector, f) = (Collector::new(), Fixture::new(true, true, KeyKind::Int));
    let handle = collector.register();
    let guard = handle.pin();
    let sizes = || match &f.index {
        Index::Hash(index) => (index.stats(&guard).total_buckets * 8, f.index.memory()),
        Index::Range(_) => unreachable!("it was made as a hash index"),
    };
    let mut rows = Vec::new();
    let (buckets, memory) = loop {
        let (buckets, memory) = sizes();
        if rows.len() > 100 && memory.allocated_bytes > buckets {
            break (buckets, memory);
        }
        let key = rows.len() as u32;
        rows.push((key, f.add(&guard, key, u64::from(key))));
    };
    assert_eq!(memory.allocated_bytes, 2 * buckets);
    for (key, anchor) in rows {
        f.remove(&guard, anchor, key, u64::from(key));
    }
    assert_eq!(sizes(), (buckets, memory));
}

#[test]
fn inserting_and_deleting_one_key_for_ever_takes_no_memory() {
    for_all(|f, guard| {
        let steady: Vec<_> = (0..100).map(|id| f.add(guard, 3, id)).collect();
        let mut ring: Vec<_> = (0..100).map(|id| f.add(guard, 3, 1000 + id)).collect();
        let before = f.index.memory().allocated_bytes;
        for round in 0..20_000u64 {
            let at = (round * 37 % 100) as usize;
            f.remove(guard, ring[at], 3, 0);
            ring[at] = f.add(guard, 3, 1000 + round);
            if is_unique(f) && round > 500 {
                break;
            }
        }
        assert!(f.index.memory().allocated_bytes <= before + 4096);
        assert_eq!(f.seek(guard, 3).len(), steady.len() + ring.len());
    });
}

#[test]
fn a_queue_under_one_key_gives_its_memory_back() {
    for hash in [false, true] {
        let collector = Collector::new();
        let handle = collector.register();
        let guard = handle.pin();
        let f = Fixture::new(hash, false, KeyKind::Int);
        let mut queue: std::collections::VecDeque<_> =
            (0..1000).map(|id| f.add(&guard, 1, id)).collect();
        let mut bytes_max = f.index.memory().allocated_bytes;
        for id in 1000..100_000 {
            queue.push_back(f.add(&guard, 1, id));
            let first = queue.pop_front().expect("it has 1000");
            f.remove(&guard, first, 1, 0);
            bytes_max = bytes_max.max(f.index.memory().allocated_bytes);
        }
        assert!(bytes_max < 32 * 1024, "{bytes_max} bytes for 1000 rows");
    }
}

#[test]
fn keys_with_few_rows_take_no_memory_in_a_hash_index() {
    for kind in KINDS {
        let handle = Collector::new().register();
        let guard = handle.pin();
        let f = Fixture::new(true, false, kind);
        let buckets = |f: &Fixture| match &f.index {
            Index::Hash(index) => index.stats(&guard),
            Index::Range(_) => unreachable!("it was made as a hash index"),
        };
        let rows: Vec<_> = (0..800u64).map(|id| (id, f.add(&guard, id as u32 % 100, id))).collect();
        let stats = buckets(&f);
        assert_eq!((f.index.keys(), stats.keys, stats.rows), (100, 100, 800));
        assert_eq!(f.index.memory().allocated_bytes, stats.total_buckets * 8);
        // A ninth row of a key gets postings, and the key is still counted once.
        let more = f.add(&guard, 7, 1000);
        assert!(f.index.memory().allocated_bytes > buckets(&f).total_buckets * 8);
        assert_eq!((f.index.keys(), buckets(&f).keys, f.seek(&guard, 7).len()), (100, 100, 9));
        for &(id, anchor) in rows.iter().filter(|r| r.0 % 100 != 8) {
            f.remove(&guard, anchor, id as u32 % 100, id);
        }
        assert_eq!(f.seek(&guard, 7), [1000]);
        assert_eq!(f.index.keys(), 2);
        f.remove(&guard, more, 7, 1000);
        assert_eq!(f.index.keys(), 1);
        assert_eq!(f.index.memory().allocated_bytes, buckets(&f).total_buckets * 8);
    }
}

#[test]
fn ascending_inserts_fill_the_leaves() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    for kind in KINDS {
        for descending in [false, true] {
            let f = Fixture::new(false, true, kind);
            for i in 0..3000u32 {
                let key = if descending { 3000 - i } else { i };
                f.add(&guard, key, u64::from(key));
            }
            let Index::Range(index) = &f.index else { panic!("a range index") };
            let per_leaf = 3000 / index.stats(&guard).leaf_nodes;
            // Of eight, one place stays free.
            assert!(per_leaf >= 6, "{per_leaf} entries a leaf");
        }
    }
}

#[test]
fn range_scans_go_both_ways() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    for unique in [false, true] {
        for kind in KINDS {
            let f = Fixture::new(false, unique, kind);
            for key in shuffled(500, 3) {
                f.add(&guard, 2 * key, u64::from(2 * key));
            }
            let ranges =
                [(0, 1000), (1, 999), (100, 101), (101, 103), (400, 402), (998, 2000), (5, 5)];
            for (from, to) in ranges {
                let range = KeyRange { lower: f.key(from), upper: Some(f.key(to)) };
                let expected: Vec<u64> =
                    (from..to.min(1000)).filter(|k| k % 2 == 0).map(u64::from).collect();
                for chunk in [1, 3, 1000] {
                    let scan = Scan::range(range.clone(), Direction::Forward);
                    assert_eq!(f.scan_all(&guard, scan, chunk), expected);
                    let scan = Scan::range(range.clone(), Direction::Backward);
                    let mut backward = f.scan_all(&guard, scan, chunk);
                    backward.reverse();
                    assert_eq!(backward, expected);
                }
            }
            let scan = Scan::range(KeyRange::all(), Direction::Backward);
            assert_eq!(f.scan_all(&guard, scan, 10).len(), 500);
        }
    }
}

#[test]
fn the_rows_of_one_key_come_in_chunks() {
    for_all(|f, guard| {
        for id in 0..300 {
            f.add(guard, (id % 2) as u32, id);
            f.add(guard, 2 + id as u32, 1000 + id);
        }
        for chunk in [1, 7, 1000] {
            let mut found = f.scan_all(guard, Scan::key(&f.key(1)), chunk);
            found.sort_unstable();
            assert_eq!(found, (1..300).step_by(2).collect::<Vec<_>>());
            assert!(f.scan_all(guard, Scan::key(&f.key(5000)), chunk).is_empty());
        }
    });
}

#[test]
fn prefixes_of_composite_keys_are_ranges() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    let f = Fixture::new(false, true, KeyKind::IntAndBigInt);
    for key in shuffled(1000, 9) {
        f.add(&guard, key, u64::from(key));
    }
    let mut prefix = KeyBuf::new();
    f.key.encode_values(&[base::ValueRef::Int(42)], &mut prefix);
    let found = f.scan_all(&guard, Scan::range(KeyRange::prefix(&prefix), Direction::Forward), 3);
    assert_eq!(found, (420..430).collect::<Vec<_>>());
}

#[test]
fn a_hash_index_grows_with_its_keys_and_not_with_its_rows() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    for unique in [false, true] {
        let f = Fixture::new(true, unique, KeyKind::Int);
        let Index::Hash(index) = &f.index else { panic!("a hash index") };
        assert_eq!(index.stats(&guard).total_buckets, 8);
        for key in 0..10_000 {
            f.add(&guard, key, u64::from(key));
        }
        let stats = index.stats(&guard);
        assert!((8192..=32768).contains(&stats.total_buckets), "{stats:?}");
        assert_eq!((stats.rows, stats.keys), (10_000, 10_000));
        assert!(stats.keys_max <= 10, "{stats:?}");
        let empty = stats.empty_buckets as f64 / stats.total_buckets as f64;
        assert!((0.3..0.8).contains(&empty), "{stats:?}");
    }
    let f = Fixture::new(true, false, KeyKind::Int);
    let Index::Hash(index) = &f.index else { panic!("a hash index") };
    for id in 0..10_000 {
        f.add(&guard, (id % 3) as u32, id);
    }
    let stats = index.stats(&guard);
    assert_eq!((stats.total_buckets, stats.rows, stats.keys), (8, 10_000, 3));
    assert!(stats.rows_max >= 3333);
}

#[test]
fn a_bucket_count_is_a_hint() {
    for (hint, expected) in [(0, 8), (1000, 1024), (1 << 30, 1 << 20)] {
        let shape = IndexShape {
            layout: Arc::new(RowLayout::new(&[base::SqlType::int()])),
            key: Arc::new(KeySpec::new(
                &RowLayout::new(&[base::SqlType::int()]),
                &[crate::hot::key::KeyColumn::ascending(0)],
            )),
            ordinal: 0,
            links: 1,
            unique: true,
            account: Arc::default(),
        };
        let index = HashIndex::new(shape, hint);
        let collector = Collector::new();
        let handle = collector.register();
        assert_eq!(index.stats(&handle.pin()).total_buckets, expected);
    }
}

#[test]
fn a_hash_index_is_prepared_for_rows_that_will_come() {
    let collector = Collector::new();
    for (unique, rows, expected) in [
        (true, 0, 1024),
        (true, 70_000, 131_072),
        (false, 70_000, 1024),
        (true, 2_000_000, 1 << 21),
    ] {
        let f = Fixture::with_buckets(true, unique, KeyKind::Int, 1024);
        for key in 0..100 {
            f.add(&collector.register().pin(), key, u64::from(key));
        }
        let prepare = || {
            let handle = collector.register();
            while f.index.reserve(&handle.pin(), rows).is_continue() {}
        };
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(prepare))));
        let handle = collector.register();
        let guard = handle.pin();
        let Index::Hash(index) = &f.index else { unreachable!("it was made as one") };
        assert_eq!(index.stats(&guard).total_buckets, expected, "{unique} {rows}");
        assert!(f.index.memory().allocated_bytes >= expected * 8);
        let mut found = f.scan_all(&guard, Scan::all(), 100);
        found.sort_unstable();
        assert_eq!(found, (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn scans_pass_over_empty_buckets_before_and_while_more_are_added() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    for unique in [false, true] {
        let f = Fixture::with_buckets(true, unique, KeyKind::Int, 1024);
        // Levels are added at 1,024 and 2,048 keys, sixteen buckets with each further key.
        for key in 0..2500 {
            if key < 40 || key % 3 == 0 {
                let mut found = f.scan_all(&guard, Scan::all(), 100);
                found.sort_unstable();
                assert_eq!(found, (0..u64::from(key)).collect::<Vec<_>>());
            }
            f.add(&guard, key, u64::from(key));
        }
    }
}

#[test]
fn statistics_in_steps_are_those_at_once() {
    let collector = Collector::new();
    let handle = collector.register();
    let guard = handle.pin();
    for unique in [false, true] {
        let f = Fixture::new(true, unique, KeyKind::Text);
        for id in 0..2000 {
            f.add(&guard, (id * 7 % 1000) as u32, id);
        }
        let Index::Hash(index) = &f.index else { panic!("a hash index") };
        let at_once = index.stats(&guard);
        let mut walk = index.start_stats();
        let in_steps = loop {
            if let Some(stats) = index.step_stats(&guard, &mut walk, 3) {
                break stats;
            }
        };
        assert_eq!(at_once, in_steps);
        assert_eq!(at_once.rows, 2000);
    }
}

/// A step of a random test.
#[derive(Clone, Debug)]
enum Step {
    Insert(u32),
    /// Removes the n-th row.
    Remove(usize),
    Seek(u32),
    /// Goes on with the scan by this many rows.
    Scan(usize),
    StartScan(Option<(u32, u32)>, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop_oneof![3 => 0..200u32, 1 => Just(77u32), 1 => 0..3u32];
    let step = prop_oneof![
        6 => key.clone().prop_map(Step::Insert),
        4 => any::<usize>().prop_map(Step::Remove),
        1 => key.clone().prop_map(Step::Seek),
        2 => (1..40usize).prop_map(Step::Scan),
        1 => (prop::option::of((key.clone(), key)), any::<bool>())
            .prop_map(|(range, back)| Step::StartScan(range, back)),
    ];
    prop::collection::vec(step, 0..600)
}

/// A scan and the rows that it must find: those that were there when it began and still are.
struct Tracked {
    scan: Scan,
    range: KeyRange,
    backward: bool,
    stable: HashSet<u64>,
    seen: Vec<u64>,
    more: bool,
}

struct Model<'a> {
    fixture: &'a Fixture,
    guard: &'a Guard,
    rows: Vec<(u32, AnchorPtr, u64)>,
    by_key: BTreeMap<u32, BTreeSet<u64>>,
    key_of: HashMap<u64, u32>,
    tracked: Option<Tracked>,
    is_hash: bool,
}

impl Model<'_> {
    fn step(&mut self, id: u64, step: Step) {
        let f = self.fixture;
        match step {
            Step::Insert(key) => {
                self.rows.push((key, f.add(self.guard, key, id), id));
                self.by_key.entry(key).or_default().insert(id);
                self.key_of.insert(id, key);
            }
            Step::Remove(n) if !self.rows.is_empty() => {
                let (key, anchor, id) = self.rows.swap_remove(n % self.rows.len());
                f.remove(self.guard, anchor, key, id);
                self.by_key.get_mut(&key).expect("it was there").remove(&id);
                if let Some(tracked) = &mut self.tracked {
                    tracked.stable.remove(&id);
                }
            }
            Step::Remove(_) => {}
            Step::Seek(key) => {
                let found: BTreeSet<u64> = f.seek(self.guard, key).into_iter().collect();
                assert_eq!(found, self.by_key.get(&key).cloned().unwrap_or_default());
            }
            Step::Scan(n) => self.advance(n),
            Step::StartScan(range, backward) => self.start(range, backward),
        }
    }

    fn start(&mut self, range: Option<(u32, u32)>, backward: bool) {
        self.finish();
        let f = self.fixture;
        let range = match range {
            Some((from, to)) if !self.is_hash => {
                KeyRange { lower: f.key(from.min(to)), upper: Some(f.key(from.max(to))) }
            }
            _ => KeyRange::all(),
        };
        let direction = if backward { Direction::Backward } else { Direction::Forward };
        let stable =
            self.rows.iter().filter(|r| range.contains(&f.key(r.0))).map(|r| r.2).collect();
        let scan = Scan::range(range.clone(), direction);
        self.tracked = Some(Tracked { scan, range, backward, stable, seen: vec![], more: true });
    }

    fn advance(&mut self, n: usize) {
        let Some(t) = &mut self.tracked else { return };
        if t.more {
            t.more = self.fixture.scan(self.guard, &mut t.scan, n, &mut t.seen);
        }
    }

    fn finish(&mut self) {
        while self.tracked.as_ref().is_some_and(|t| t.more) {
            self.advance(10);
        }
        let Some(t) = self.tracked.take() else { return };
        let seen: HashSet<u64> = t.seen.iter().copied().collect();
        assert_eq!(seen.len(), t.seen.len(), "a row was returned twice");
        assert!(t.stable.is_subset(&seen), "a row was missed");
        let keys: Vec<KeyBuf> = t.seen.iter().map(|id| self.fixture.key(self.key_of[id])).collect();
        assert!(keys.iter().all(|key| t.range.contains(key)));
        if !self.is_hash {
            assert!(keys.is_sorted_by(|a, b| if t.backward { a >= b } else { a <= b }));
        }
    }
}

fn check_against_model(hash: bool, unique: bool, kind: KeyKind, steps: Vec<Step>) {
    let collector = Collector::new();
    let handle = collector.register();
    let fixture = Fixture::new(hash, unique, kind);
    let mut model = Model {
        fixture: &fixture,
        guard: &handle.pin(),
        rows: vec![],
        by_key: BTreeMap::new(),
        key_of: HashMap::new(),
        tracked: None,
        is_hash: hash,
    };
    for (id, step) in steps.into_iter().enumerate() {
        model.step(id as u64, step);
    }
    model.finish();
    assert_eq!(fixture.index.len(), model.rows.len() as u64);
    let keys = model.by_key.values().filter(|rows| !rows.is_empty()).count();
    if !unique {
        assert_eq!(fixture.index.keys(), keys as u64);
    }
}

proptest! {
    #[test]
    fn agrees_with_a_model(
        hash in any::<bool>(),
        unique in any::<bool>(),
        kind in prop::sample::select(KINDS.to_vec()),
        steps in steps(),
    ) {
        check_against_model(hash, unique, kind, steps);
    }
}

mod stress;

//! Tests of how full trees are, how they are measured and read ahead, and how they are dropped.

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::atomic::Ordering::Relaxed;

use super::*;
use crate::cold::tree::node::Node;
use crate::cold::{PageNumber, Place};

fn measure(pages: &MemoryPages, task: &Task<'_>, tree: Tree) -> Measures {
    let verified = tree.verify(pages, task).expect("the task is not interrupted");
    assert!(verified.findings.is_empty(), "{:?}", verified.findings);
    let measures = tree.measure(pages, task).expect("nothing is damaged");
    let nodes = tree.measure_nodes(pages, task).expect("nothing is damaged");
    let counts = |m: &Measures| (m.levels, m.leaf_pages, m.inner_pages);
    assert_eq!(counts(&nodes), counts(&measures), "whether leaves are read or not");
    assert_eq!(measures, verified.measures);
    measures
}

/// The share of the leaves' bytes that entries take.
fn fill(measures: &Measures) -> f64 {
    measures.leaf_bytes_used as f64 / (measures.leaf_pages * BODY_BYTES as u64) as f64
}

fn load(
    pages: &MemoryPages,
    task: &Task<'_>,
    fill_percent: usize,
    count: u64,
    value: &[u8],
) -> Tree {
    let entries = (0..count).map(|number| (number_key(number), value.to_vec()));
    load_entries(pages, task, fill_percent, entries)
}

fn load_entries(
    pages: &MemoryPages,
    task: &Task<'_>,
    fill_percent: usize,
    entries: impl Iterator<Item = (Vec<u8>, Vec<u8>)>,
) -> Tree {
    let (mut edit, mut count) = (pages.edit(), 0);
    let mut load = BulkLoad::new(&mut edit, task, fill_percent).expect("there is room");
    for (key, value) in entries {
        load.push(&mut edit, task, &key, 0, &value).expect("there is room");
        count += 1;
    }
    let (tree, entries) = load.finish(&mut edit, task).expect("there is room");
    assert_eq!(entries, count);
    edit.finish();
    tree
}

#[test]
fn ascending_inserts_leave_full_leaves() {
    for batch in [1, 100, 10_000] {
        let runtime = runtime();
        let (pages, tree) = empty(&runtime);
        let task = Task::blocking(&runtime);
        let keys: Vec<_> = (0..20_000).map(number_key).collect();
        keys.chunks(batch).for_each(|keys| put_all(&pages, &task, tree, keys));
        let measures = measure(&pages, &task, tree);
        assert_eq!(measures.entries, 20_000);
        assert!(fill(&measures) > 0.95, "{batch}: {measures:?}");
    }
}

#[test]
fn descending_inserts_leave_full_leaves() {
    for batch in [1, 7] {
        let runtime = runtime();
        let (pages, tree) = empty(&runtime);
        let task = Task::blocking(&runtime);
        let keys: Vec<_> = (0..20_000).map(number_key).collect();
        keys.rchunks(batch).for_each(|keys| put_all(&pages, &task, tree, keys));
        let measures = measure(&pages, &task, tree);
        assert_eq!(measures.entries, 20_000);
        assert!(fill(&measures) > 0.95, "{batch}: {measures:?}");
    }
}

#[test]
fn random_inserts_leave_leaves_two_thirds_full() {
    for batch in [1, 1000] {
        let runtime = runtime();
        let (pages, tree) = empty(&runtime);
        let task = Task::blocking(&runtime);
        let mut rng = Rng(5);
        for _ in 0..20_000 / batch {
            let mut keys: Vec<_> = (0..batch).map(|_| number_key(rng.next())).collect();
            keys.sort();
            put_all(&pages, &task, tree, &keys);
        }
        let measures = measure(&pages, &task, tree);
        assert!(fill(&measures) > 0.6, "{batch}: {measures:?}");
    }
}

#[test]
fn a_batch_publishes_a_leaf_once() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 12);
    let tree = load(&pages, &task, 70, 10_000, b"value");
    let leaves = measure(&pages, &task, tree).leaf_pages;
    let keys: Vec<_> = (0..10_000).step_by(10).map(number_key).collect();
    let put = |key| Change { key, action: Action::Put { stamp: 7, value: b"other" } };
    let changes: Vec<Change<'_>> = keys.iter().map(|key| put(key.as_slice())).collect();
    let mut edit = pages.edit();
    let applied = tree.apply(&mut edit, &task, &changes, |_, _| {}).expect("there is room");
    edit.finish();
    assert_eq!((applied.replaced, edit.published), (1000, leaves));
}

#[test]
fn a_bulk_load_fills_leaves_to_the_requested_part() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    for (percent, count) in [(100, 0), (100, 1), (100, 50_000), (70, 50_000), (1, 100)] {
        let pages = MemoryPages::new(&runtime, 1 << 12);
        let tree = load(&pages, &task, percent, count, b"");
        let measures = measure(&pages, &task, tree);
        assert_eq!(measures.entries, count);
        if count > 1000 {
            let target = percent as f64 / 100.0;
            assert!((fill(&measures) - target).abs() < 0.03, "{percent} {measures:?}");
        }
        let expected: Vec<_> = (0..count).map(number_key).collect();
        assert!(keys(&pages, &task, tree, Direction::Forward) == expected);
        let all = measures.leaf_pages + measures.inner_pages;
        assert_eq!(pages.in_use() as u64, all);
    }
}

#[test]
fn a_bulk_load_takes_long_values_and_keys() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 12);
    let mut edit = pages.edit();
    let mut load = BulkLoad::new(&mut edit, &task, 100).expect("there is room");
    let key =
        |n: usize| [format!("{n:04}").into_bytes(), vec![b'k'; n * 40 % 1990], vec![0]].concat();
    let value = |n: usize| vec![n as u8; n * 131 % 20_000];
    for n in 0..300 {
        load.push(&mut edit, &task, &key(n), n as u64, &value(n)).expect("there is room");
    }
    let (tree, _) = load.finish(&mut edit, &task).expect("there is room");
    edit.finish();
    measure(&pages, &task, tree);
    for n in 0..300 {
        let found = tree.find(&pages, &task, &key(n), |entry| {
            entry.stamp == n as u64 && entry.value == value(n)
        });
        assert_eq!(found.expect("nothing is damaged"), Some(true));
    }
}

#[test]
fn keys_that_are_too_long_are_refused() {
    let runtime = runtime();
    let (pages, tree) = empty(&runtime);
    let task = Task::blocking(&runtime);
    let mut edit = pages.edit();
    let longest = vec![1; KEY_BYTES_MAX];
    assert!(!tree.put(&mut edit, &task, &longest, 0, b"x").expect("as long as can be"));
    let longer = vec![1; KEY_BYTES_MAX + 1];
    let refused = tree.put(&mut edit, &task, &longer, 0, b"x");
    assert!(matches!(refused, Err(TreeError::KeyTooLong { len: 2001, max: 2000 })), "{refused:?}");
}

#[test]
fn samples_are_leaves_that_are_spread_evenly() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 13);
    for (count, wanted) in [(0, 10), (1, 10), (100, 10), (100_000, 20)] {
        let tree = load(&pages, &task, 100, count, b"v");
        let mut sample: Vec<(u32, u64)> = Vec::new();
        tree.sample(&pages, &task, wanted, |leaf, entry| {
            let key = entry.key.to_vec();
            sample.push((leaf, u64::from_be_bytes(key.try_into().expect("eight bytes"))));
        })
        .expect("nothing is damaged");
        assert!(sample.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1));
        if count <= 100 {
            // One leaf, which comes ten times, and is taken once.
            assert!(sample.iter().map(|(leaf, key)| (*leaf, *key)).eq((0..count).map(|n| (0, n))));
            continue;
        }
        for leaf in sample.chunk_by(|a, b| a.0 == b.0) {
            let (first, last) = (leaf[0].1, leaf[leaf.len() - 1].1);
            assert_eq!(last - first + 1, leaf.len() as u64, "a leaf is taken whole");
            let ideal = (f64::from(leaf[0].0) + 0.5) * count as f64 / f64::from(wanted);
            let middle = (first + last) as f64 / 2.0;
            assert!((middle - ideal).abs() < 0.02 * count as f64, "{middle} is not near {ideal}");
        }
        assert_eq!(sample.chunk_by(|a, b| a.0 == b.0).count(), wanted as usize);
    }
}

#[test]
fn a_tree_is_dropped_step_by_step() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 13);
    let tree = load(&pages, &task, 50, 30_000, &[1; 50]);
    let mut edit = pages.edit();
    tree.put(&mut edit, &task, b"long", 0, &[1; 50_000]).expect("there is room");
    edit.finish();
    let mut steps = 0;
    loop {
        let before = pages.in_use();
        let mut edit = pages.edit();
        let gone = tree.drop_some(&mut edit, &task, 20, Unread::Stay).expect("nothing is damaged");
        edit.finish();
        steps += 1;
        assert!(before - pages.in_use() <= 30, "about as many as it may");
        if gone == Dropped::Gone {
            break;
        }
    }
    assert_eq!(pages.in_use(), 0);
    assert!(steps > 10);
}

#[test]
fn the_directory_knows_the_trees() {
    let runtime = runtime();
    let (pages, somewhere) = empty(&runtime);
    let task = Task::blocking(&runtime);
    let mut edit = pages.edit();
    let (root, _) = edit.allocate(&task).expect("there is room");
    let directory = Directory::create_at(&mut edit, &task, root).expect("there is room");
    let record = |n: u32| TreeRecord {
        tree: if n == 0 { somewhere } else { Tree::at(PageNumber(u64::from(n))) },
        entries: u64::from(n) << 33,
        flags: n ^ 5,
        user: vec![n as u8; n as usize % 9],
    };
    let id = |n: u32| TreeId { storage: u64::from(n / 3), ordinal: n % 3 };
    for n in 0..1000 {
        directory.put(&mut edit, &task, id(n), &record(n)).expect("there is room");
    }
    assert!(directory.remove(&mut edit, &task, id(7)).expect("there is room"));
    edit.finish();
    let directory = Directory::at(root);
    assert_eq!(directory.get(&pages, &task, id(7)).expect("whole"), None);
    assert_eq!(directory.get(&pages, &task, id(8)).expect("whole"), Some(record(8)));
    let of_two = directory.list(&pages, &task, Some(2)).expect("whole");
    assert_eq!(of_two, [6, 8].map(|n| TreeEntry { id: id(n), record: record(n) }));
    let all = directory.list(&pages, &task, None).expect("whole");
    assert_eq!(all.len(), 999);
}

/// A full store refuses a page in the middle of a batch. The batch is dropped, and the tree is what
/// it was, but for leaves that were done before.
#[test]
fn a_batch_that_fails_leaves_a_whole_tree() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    for quota in 0..40 {
        let (pages, tree) = empty(&runtime);
        let old: Vec<_> = (0..3000).map(|n| number_key(n * 1000)).collect();
        put_all(&pages, &task, tree, &old);
        let new: Vec<_> = (0..3000).map(|n| number_key(n * 977 + 1)).collect();
        let put = |key| Change { key, action: Action::Put { stamp: 0, value: &[2; 20] } };
        let changes: Vec<Change<'_>> = new.iter().map(|key| put(key.as_slice())).collect();
        pages.quota.store(quota, Relaxed);
        let mut edit = pages.edit();
        let applied = tree.apply(&mut edit, &task, &changes, |_, _| {});
        match applied {
            Ok(_) => edit.finish(),
            Err(error) => assert!(matches!(error, TreeError::Page(ColdError::Full(_)))),
        }
        drop(edit);
        measure(&pages, &task, tree);
        let there = keys(&pages, &task, tree, Direction::Backward);
        assert!(old.iter().all(|key| there.binary_search_by(|k| key.cmp(k)).is_ok()));
        pages.quota.store(u64::MAX, Relaxed);
        put_all(&pages, &task, tree, &new);
        measure(&pages, &task, tree);
        let there = keys(&pages, &task, tree, Direction::Forward);
        assert!(new.iter().all(|key| there.binary_search(key).is_ok()));
    }
}

#[test]
fn batches_ask_for_leaves_ahead() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 13);
    let tree = load(&pages, &task, 100, 50_000, &[1; 50]);
    let leaves = measure(&pages, &task, tree).leaf_pages;
    for (step, many) in [(1, true), (50, true), (1000, false)] {
        pages.take_asked();
        let some: Vec<Vec<u8>> = (0..50_000).step_by(step).map(number_key).collect();
        put_all(&pages, &task, tree, &some);
        let ahead = pages.take_asked().len() as u64;
        match many {
            true => assert!(ahead * 10 > leaves * 9 && ahead <= leaves, "{ahead} of {leaves}"),
            false => assert!((40..50).contains(&ahead), "{ahead} for 50 rows"),
        }
    }
    pages.take_asked();
    put_all(&pages, &task, tree, &[number_key(100)]);
    assert_eq!(pages.take_asked(), []);
}

#[test]
fn long_scans_ask_for_leaves_ahead() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 13);
    let tree = load(&pages, &task, 100, 50_000, &[1; 50]);
    let leaves = measure(&pages, &task, tree).leaf_pages;
    for direction in [Direction::Forward, Direction::Backward] {
        pages.take_asked();
        keys(&pages, &task, tree, direction);
        let ahead = pages.take_asked().len() as u64;
        assert!(ahead * 10 > leaves * 9 && ahead < leaves * 5 / 4, "{ahead} of {leaves}");
    }
    pages.take_asked();
    let key = number_key(100);
    let range = Range { lower: Bound::Included(&key), upper: Bound::Included(&key) };
    let mut cursor = tree.cursor(range, Direction::Forward);
    let chunk = cursor.next_chunk(&pages, &task, |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(chunk.expect("nothing is damaged"), Chunk::Ended);
    assert_eq!(pages.take_asked(), []);
}

#[test]
fn long_scans_ask_for_the_nodes_above_leaves_before_those() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 13);
    let tree = load(&pages, &task, 100, 50_000, &[1; 300]);
    let mut above = children_of(&pages, &task, tree.root);
    assert!(above.len() > 4, "{} nodes", above.len());
    for direction in [Direction::Forward, Direction::Backward] {
        pages.take_asked();
        keys(&pages, &task, tree, direction);
        let asked = pages.take_asked();
        let when = |page: PageNumber| asked.iter().position(|&other| other == page);
        for pair in above.windows(2) {
            let leaves = children_of(&pages, &task, pair[0]);
            let last = if direction == Direction::Forward { leaves.last() } else { leaves.first() };
            let (next, last) = (when(pair[1]), when(*last.expect("there is one")));
            assert!(next.is_some() && next < last, "{direction:?}: {next:?}, then {last:?}");
        }
        above.reverse();
    }
}

#[test]
fn long_scans_of_narrow_trees_ask_for_all_nodes_above_leaves() {
    let runtime = runtime();
    let task = Task::blocking(&runtime);
    let pages = MemoryPages::new(&runtime, 1 << 15);
    // Keys differ at both ends, so that separators can be cut at neither end.
    let key = |n: u64| [&(n / 30).to_be_bytes()[..], &[b'k'; 900], &n.to_be_bytes()].concat();
    let entries = (0..30_000_u32).map(|n| (key(n.into()), vec![1; 300]));
    let tree = load_entries(&pages, &task, 40, entries);
    let top = children_of(&pages, &task, tree.root);
    assert!(top.len() > 1, "{} nodes", top.len());
    for direction in [Direction::Forward, Direction::Backward] {
        pages.take_asked();
        keys(&pages, &task, tree, direction);
        let asked: HashSet<PageNumber> = pages.take_asked().into_iter().collect();
        for &node in &top {
            let mut above = children_of(&pages, &task, node);
            assert!((1..50).contains(&children_of(&pages, &task, above[0]).len()));
            if direction == Direction::Backward {
                above.reverse();
            }
            // The scan comes to the first node from its parent, and requests no node ahead of the
            // first leaves.
            let missed = above[2..].iter().filter(|page| !asked.contains(page)).count();
            assert!(above.len() > 20 && missed == 0, "{direction:?}: {missed} of {}", above.len());
        }
    }
}

/// The pages below an inner one.
fn children_of(pages: &MemoryPages, task: &Task<'_>, page: PageNumber) -> Vec<PageNumber> {
    let guard = task.pin();
    let node = Node::open(pages.resident(page, &guard).expect("it is there")).expect("it is whole");
    assert!(node.level() > 0);
    (0..=node.count()).map(|n| node.child(n).expect("it is whole")).collect()
}

#[test]
fn leaves_are_in_one_fragment_if_they_lie_in_the_order_of_their_keys() {
    let runtime = runtime();
    let (pages, tree) = empty(&runtime);
    let task = Task::blocking(&runtime);
    let keys: Vec<_> = (0..20_000).map(number_key).collect();
    put_all(&pages, &task, tree, &keys);
    let order = |reads_leaves, place: &dyn Fn(PageNumber) -> Option<Place>| {
        let measured = tree.measure_order(reads_leaves, &pages, &task, place);
        measured.expect("nothing is damaged")
    };
    let at = std::cell::Cell::new(100);
    let next = |_: PageNumber| {
        at.set(at.get() + 1);
        Some(Place { file: 1, index: at.get() })
    };
    let leaves = measure(&pages, &task, tree).leaf_pages;
    for reads_leaves in [false, true] {
        at.set(100);
        let (measures, found) = order(reads_leaves, &next);
        assert_eq!((measures.leaf_pages, found.placed, found.fragments), (leaves, leaves, 1));
        // From the 101st page on, which is in the middle of an extent.
        let extents = (leaves + 5).div_ceil(8);
        assert_eq!((found.extents, found.extent_runs, found.extent_breaks), (extents, extents, 0));
        let turns = std::cell::Cell::new(0);
        let in_turn = |_: PageNumber| {
            turns.set(turns.get() + 1);
            Some(Place { file: 1, index: if turns.get() % 2 == 0 { 3 } else { 800 } })
        };
        let (_, found) = order(reads_leaves, &in_turn);
        assert_eq!(
            (found.extents, found.extent_runs, found.extent_breaks),
            (2, leaves, leaves - 1)
        );
        let apart = |page: PageNumber| Some(Place { file: 1, index: page.0 as u32 * 2 });
        let (_, found) = order(reads_leaves, &apart);
        assert_eq!((found.placed, found.fragments), (leaves, leaves));
        let (_, found) = order(reads_leaves, &|_| None);
        assert_eq!((found.placed, found.fragments), (0, 0));
    }
}

//! Random batches against a sorted map.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::atomic::Ordering::Relaxed;

use super::*;

type Value = (u64, Vec<u8>);
type Model = BTreeMap<Vec<u8>, Value>;

/// A batch: for each key its new value, or `None` to delete it.
type Batch = BTreeMap<Vec<u8>, Option<Value>>;

/// The shape of a run's keys and values.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Different keys.
    keys: u64,
    /// The most bytes that a key is padded with.
    key_padding: u64,
    /// Whether the padding comes first: keys differ after it, and else before it.
    padding_first: bool,
    /// One in this many values is long.
    long_one_in: u64,
    value_bytes: u64,
}

impl Shape {
    /// No key is a prefix of another: each ends with the only zero.
    fn key(&self, number: u64) -> Vec<u8> {
        let padding = vec![b'p'; (number * 7919 % (self.key_padding + 1)) as usize];
        let digits = format!("{number:06}").into_bytes();
        let parts = match self.padding_first {
            // Most neighbouring numbers have padding of one length.
            true => [vec![b'p'; (number / 50 % (self.key_padding + 1)) as usize], digits],
            false => [digits, padding],
        };
        let mut key = parts.concat();
        key.push(0);
        key
    }

    fn value(&self, rng: &mut Rng) -> Value {
        let stamp = if rng.one_in(2) { 0 } else { rng.next() };
        let len = match rng.one_in(self.long_one_in) {
            true => 1500 + rng.below(30_000),
            false => rng.below(self.value_bytes + 1),
        };
        let start = rng.next() as u8;
        (stamp, (0..len).map(|i| start.wrapping_add(i as u8)).collect())
    }

    fn batch(&self, rng: &mut Rng, model: &Model, phase: u64) -> Batch {
        let count = [1, 1, 2, 10, 100, 1000][rng.below(6) as usize];
        let start = rng.below(self.keys);
        let deletes_of_4 = [0, 1, 3, 4][phase as usize % 4];
        let scattered = rng.one_in(2);
        let mut batch = Batch::new();
        for i in 0..count {
            let number = if scattered { rng.below(self.keys) } else { (start + i) % self.keys };
            let delete = rng.below(4) < deletes_of_4;
            batch.insert(self.key(number), (!delete).then(|| self.value(rng)));
        }
        if phase % 4 == 3 && rng.one_in(20) {
            // Deletes everything.
            batch = model.keys().map(|key| (key.clone(), None)).collect();
        }
        batch
    }
}

fn changes(batch: &Batch) -> Vec<Change<'_>> {
    let mut changes = Vec::new();
    for (key, new) in batch {
        let action = match new {
            Some((stamp, value)) => Action::Put { stamp: *stamp, value },
            None => Action::Delete,
        };
        changes.push(Change { key, action });
    }
    changes
}

/// What a reader may see while a batch is being applied.
struct Allowed<'m> {
    old: &'m Model,
    batch: &'m Batch,
}

impl Allowed<'_> {
    fn check(&self, key: &[u8], found: Option<(u64, &[u8])>) {
        let is = |allowed: Option<&Value>| {
            allowed.map(|(stamp, value)| (*stamp, value.as_slice())) == found
        };
        let as_before = is(self.old.get(key));
        let as_after = self.batch.get(key).is_some_and(|new| is(new.as_ref()));
        assert!(as_before || as_after, "key {:?}: {:?}", String::from_utf8_lossy(key), found);
    }

    /// Whether a scan must find a key.
    fn must_be_there(&self, key: &[u8]) -> bool {
        self.old.contains_key(key) && self.batch.get(key).is_none_or(Option::is_some)
    }

    fn look_up(&self, pages: &MemoryPages, task: &Task<'_>, tree: Tree, key: &[u8]) {
        let found = tree.find(pages, task, key, |entry| {
            assert_eq!(entry.key.to_vec(), key);
            (entry.stamp, entry.value.to_vec())
        });
        let found = found.expect("nothing is damaged");
        self.check(key, found.as_ref().map(|(stamp, value)| (*stamp, value.as_slice())));
    }

    fn scan(
        &self,
        pages: &MemoryPages,
        task: &Task<'_>,
        tree: Tree,
        range: Range<'_>,
        direction: Direction,
        rng: &mut Rng,
    ) {
        let mut cursor = tree.cursor(range, direction);
        let mut found: Vec<Vec<u8>> = Vec::new();
        let break_one_in = [2, 30, u64::MAX >> 12][rng.below(3) as usize];
        loop {
            let rest = cursor.rest().map(<[u8]>::to_vec);
            let chunk = cursor.next_chunk(pages, task, |entry| {
                let key = entry.key.to_vec();
                assert!(is_inside(&key, rest.as_ref().map(Vec::as_slice), direction));
                self.check(&key, Some((entry.stamp, entry.value)));
                found.push(key);
                match rng.one_in(break_one_in) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            if chunk.expect("nothing is damaged") == Chunk::Ended {
                break;
            }
            if let Some(last) = found.last() {
                assert!(!is_inside(last, cursor.rest(), direction), "all is seen up to the rest");
            }
        }
        if direction == Direction::Backward {
            found.reverse();
        }
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "keys ascend");
        let inside = |key: &&Vec<u8>| {
            is_inside(key, range.lower, Direction::Forward)
                && is_inside(key, range.upper, Direction::Backward)
        };
        assert!(found.iter().all(|key| inside(&key)));
        for key in self.old.keys().filter(inside).filter(|key| self.must_be_there(key)) {
            assert!(found.binary_search(key).is_ok(), "{:?}", String::from_utf8_lossy(key));
        }
    }

    fn look_at_all(
        &self,
        pages: &MemoryPages,
        task: &Task<'_>,
        tree: Tree,
        shape: Shape,
        rng: &mut Rng,
    ) {
        for key in self.batch.keys().take(200) {
            self.look_up(pages, task, tree, key);
        }
        for _ in 0..50 {
            self.look_up(pages, task, tree, &shape.key(rng.below(shape.keys)));
        }
        let bounds = [shape.key(rng.below(shape.keys)), shape.key(rng.below(shape.keys))];
        let [low, high] = match bounds[0] < bounds[1] {
            true => bounds,
            false => [bounds[1].clone(), bounds[0].clone()],
        };
        // A bound on leading columns is not a whole key.
        let high = &high[..high.len() - rng.below(3) as usize];
        for direction in [Direction::Forward, Direction::Backward] {
            let range = Range { lower: bound(&low, rng), upper: bound(high, rng) };
            self.scan(pages, task, tree, range, direction, rng);
        }
        let direction = if rng.one_in(2) { Direction::Forward } else { Direction::Backward };
        self.scan(pages, task, tree, Range::ALL, direction, rng);
    }
}

fn bound<'k>(key: &'k [u8], rng: &mut Rng) -> Bound<&'k [u8]> {
    match rng.below(8) {
        0 => Bound::Unbounded,
        1..=3 => Bound::Included(key),
        _ => Bound::Excluded(key),
    }
}

/// Whether a key lies inside the bound where a cursor in this direction begins.
fn is_inside(key: &[u8], bound: Bound<&[u8]>, direction: Direction) -> bool {
    match (bound, direction) {
        (Bound::Unbounded, _) => true,
        (Bound::Included(bound), Direction::Forward) => key >= bound,
        (Bound::Excluded(bound), Direction::Forward) => key > bound,
        (Bound::Included(bound), Direction::Backward) => key <= bound,
        (Bound::Excluded(bound), Direction::Backward) => key < bound,
    }
}

/// Applies a batch, with readers between any two publications, and checks the result.
fn apply(
    pages: &MemoryPages,
    runtime: &Runtime,
    tree: Tree,
    model: &mut Model,
    batch: &Batch,
    shape: Shape,
    rng: &mut Rng,
) {
    let task = Task::blocking(runtime);
    let mut readers = Rng(rng.next() | 1);
    let (old, look_one_in) = (model.clone(), 1 + batch.len() as u64 / 100);
    let mut edit = pages.edit().on_publish(|pages| {
        if readers.one_in(look_one_in) {
            let task = Task::blocking(runtime);
            let allowed = Allowed { old: &old, batch };
            allowed.look_at_all(pages, &task, tree, shape, &mut readers);
        }
    });
    let mut reported = 0;
    let applied = tree.apply(&mut edit, &task, &changes(batch), |index, before| {
        assert_eq!(index, reported);
        reported += 1;
        let (key, _) = batch.iter().nth(index).expect("an index of the batch");
        let before = before.map(|entry| {
            assert_eq!(entry.key.to_vec(), *key);
            (entry.stamp, entry.value.to_vec())
        });
        assert_eq!(before.as_ref(), old.get(key));
    });
    let applied = applied.expect("nothing is damaged");
    edit.finish();
    drop(edit);
    assert_eq!(reported, batch.len());
    let mut expected = Applied::default();
    for (key, new) in batch {
        match (new, model.contains_key(key)) {
            (Some(_), true) => expected.replaced += 1,
            (Some(_), false) => expected.inserted += 1,
            (None, true) => expected.deleted += 1,
            (None, false) => {}
        }
        match new {
            Some(value) => model.insert(key.clone(), value.clone()),
            None => model.remove(key),
        };
    }
    assert_eq!(applied, expected);
    Allowed { old: model, batch: &Batch::new() }.look_at_all(pages, &task, tree, shape, rng);
    let verified = tree.verify(pages, &task).expect("the task is not interrupted");
    assert!(verified.findings.is_empty(), "{:?}", verified.findings);
    let measures = verified.measures;
    assert_eq!(measures.entries, model.len() as u64);
    let all = measures.leaf_pages + measures.inner_pages + measures.overflow_pages;
    assert_eq!(pages.in_use() as u64, all, "pages that are in use can be reached");
}

fn run(seed: u64, shape: Shape, batches: u64) {
    println!("THERMOCLINE_TREE_SEED={seed} for {shape:?}");
    let mut rng = Rng(seed | 1);
    let runtime = runtime();
    let pages = MemoryPages::new(&runtime, 1 << 16);
    let task = Task::blocking(&runtime);
    let mut edit = pages.edit();
    let tree = Tree::create(&mut edit, &task).expect("there is room");
    edit.finish();
    drop(edit);
    let mut model = Model::new();
    for step in 0..batches {
        pages.evicted_per_1024.store([0, 0, 100, 1000][rng.below(4) as usize], Relaxed);
        let batch = shape.batch(&mut rng, &model, step / 10);
        apply(&pages, &runtime, tree, &mut model, &batch, shape, &mut rng);
    }
    let rest = model.keys().map(|key| (key.clone(), None)).collect();
    apply(&pages, &runtime, tree, &mut model, &rest, shape, &mut rng);
    assert_eq!(pages.in_use(), 1, "an empty tree is its root");
}

fn seeds() -> Vec<u64> {
    match std::env::var("THERMOCLINE_TREE_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None => vec![1, Env::real().clock().now_ns()],
    }
}

#[test]
fn short_keys_are_found_as_in_a_map() {
    let shape = Shape {
        keys: 20_000,
        key_padding: 3,
        padding_first: false,
        long_one_in: 1000,
        value_bytes: 60,
    };
    seeds().into_iter().for_each(|seed| run(seed, shape, 30));
}

#[test]
fn long_keys_are_found_as_in_a_map() {
    for padding_first in [true, false] {
        let shape = Shape {
            keys: 2000,
            key_padding: 1690,
            padding_first,
            long_one_in: 50,
            value_bytes: 300,
        };
        seeds().into_iter().for_each(|seed| run(seed, shape, 25));
    }
}

#[test]
fn big_values_are_found_as_in_a_map() {
    let shape = Shape {
        keys: 300,
        key_padding: 20,
        padding_first: true,
        long_one_in: 2,
        value_bytes: 2100,
    };
    seeds().into_iter().for_each(|seed| run(seed, shape, 25));
}

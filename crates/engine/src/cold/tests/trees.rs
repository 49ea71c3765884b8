//! Tests of trees over a store whose pool holds a fraction of their pages: changes that were
//! applied are found, and after a crash all trees are what they were at the last checkpoint.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::*;
use crate::cold::tree::{
    Action, Change, Chunk, Direction, Directory, Dropped, Range, Tree, TreeId, TreeRecord, Unread,
};

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

const TREES: u32 = 3;

struct Forest {
    directory: Directory,
    models: Vec<Model>,
}

impl Forest {
    fn create(store: &Store, task: &Task) -> Forest {
        let mut batch = store.batch();
        let (root, _) = batch.allocate(task).expect("there is memory");
        let directory = Directory::create_at(&mut batch, task, root).expect("there is memory");
        for ordinal in 0..TREES {
            let tree = Tree::create(&mut batch, task).expect("there is memory");
            let record = TreeRecord { tree, entries: 0, flags: 0, user: Vec::new() };
            directory.put(&mut batch, task, id(ordinal), &record).expect("there is memory");
        }
        batch.finish();
        Forest { directory, models: vec![Model::new(); TREES as usize] }
    }

    fn tree(&self, store: &Store, task: &Task, ordinal: u32) -> Tree {
        let record = self.directory.get(store, task, id(ordinal)).expect("the page can be read");
        record.expect("it was created").tree
    }

    fn change(&mut self, store: &Store, task: &Task, rng: &mut SplitMix) {
        let ordinal = rng.below(u64::from(TREES)) as u32;
        let tree = self.tree(store, task, ordinal);
        let model = &mut self.models[ordinal as usize];
        let mut changes = BTreeMap::new();
        for _ in 0..1 + rng.below(120) {
            let key = format!("{:05}", rng.below(4000)).into_bytes();
            let long = if rng.below(40) == 0 { 9000 } else { 120 };
            let value = vec![rng.next_u64() as u8; 1 + rng.below(long) as usize];
            changes.insert(key, (rng.below(3) > 0).then_some(value));
        }
        let batch: Vec<Change<'_>> = changes
            .iter()
            .map(|(key, value)| Change {
                key,
                action: match value {
                    Some(value) => Action::Put { stamp: 0, value },
                    None => Action::Delete,
                },
            })
            .collect();
        let mut edit = store.batch();
        tree.apply(&mut edit, task, &batch, |_, _| {}).expect("there is room");
        edit.finish();
        for (key, value) in changes {
            match value {
                Some(value) => model.insert(key, value),
                None => model.remove(&key),
            };
        }
    }

    fn check(&self, store: &Store, task: &Task) {
        for (ordinal, model) in self.models.iter().enumerate() {
            let tree = self.tree(store, task, ordinal as u32);
            let mut cursor = tree.cursor(Range::ALL, Direction::Forward);
            let mut found = Model::new();
            loop {
                let chunk = cursor.next_chunk(store, task, |entry| {
                    let key = [entry.key.prefix, entry.key.suffix].concat();
                    found.insert(key, entry.value.to_vec());
                    ControlFlow::Continue(())
                });
                if chunk.expect("all pages can be read") == Chunk::Ended {
                    break;
                }
            }
            assert!(found == *model, "tree {ordinal}");
            let verified = tree.verify(store, task).expect("all pages can be read");
            assert!(verified.findings.is_empty(), "{:?}", verified.findings);
        }
    }
}

fn id(ordinal: u32) -> TreeId {
    TreeId { storage: 7, ordinal }
}

#[test]
fn trees_in_a_small_pool_survive_crashes_as_of_the_last_checkpoint() {
    for seed in 1..6 {
        let machine = Machine::new(seed);
        let task = machine.task();
        let mut rng = SplitMix::new(seed);
        let pool = machine.pool(48);
        let mut store = Store::create(&pool, DATABASE, &files(), b"").expect("the disk is new");
        let mut forest = Forest::create(&store, &task);
        checkpoint(&store).expect("the disk is whole");
        let mut durable = forest.models.clone();
        for _ in 0..80 {
            match rng.below(12) {
                0 => {
                    checkpoint(&store).expect("the disk is whole");
                    durable = forest.models.clone();
                }
                1 => forest.check(&store, &task),
                2 => {
                    drop(store);
                    machine.crash();
                    let opened = Store::open(&pool, DATABASE, &files());
                    store = opened.expect("a checkpoint was written").store;
                    forest.models.clone_from(&durable);
                    forest.check(&store, &task);
                }
                3 => {
                    pool.drop_clean();
                }
                _ => forest.change(&store, &task, &mut rng),
            }
        }
        forest.check(&store, &task);
    }
}

#[test]
fn pages_of_a_dropped_tree_can_be_had_again() {
    let machine = Machine::new(1);
    let (task, pool) = (machine.task(), machine.pool(256));
    let store = Store::create(&pool, DATABASE, &files(), b"").expect("the disk is new");
    let mut used = Vec::new();
    for _ in 0..4 {
        let mut edit = store.batch();
        let tree = Tree::create(&mut edit, &task).expect("there is memory");
        for n in 0..3000u32 {
            tree.put(&mut edit, &task, &n.to_be_bytes(), 0, &[7; 100]).expect("there is memory");
        }
        edit.finish();
        checkpoint(&store).expect("the disk is whole");
        used.push(store.space().used_pages);
        let mut edit = store.batch();
        while tree.drop_some(&mut edit, &task, 16, Unread::Stay).expect("there is memory")
            != Dropped::Gone
        {}
        edit.finish();
        checkpoint(&store).expect("the disk is whole");
    }
    assert!(used[3] <= used[0] + 8, "{used:?}");
}

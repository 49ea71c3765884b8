//! Tests of trees against a model, with readers between any two publications.

mod damage;
mod memory;
mod model;
mod nodes;
mod shape;
mod threads;

use std::sync::Arc;

use crossbeam_epoch::Collector;
use env::Env;

use super::*;
use crate::cold::ColdError;
use crate::cold::{Absent, Access, BODY_BYTES, Body, Edit, PAGE_HEADER_BYTES, Pages};
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use memory::MemoryPages;

fn runtime() -> Runtime {
    let timer = Arc::new(ThreadTimer::new());
    Runtime::new(Env::real(), Collector::new(), timer, RuntimeOptions::default())
}

/// A small generator with a seed that can be printed.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// An empty tree in a page table of its own.
fn empty(runtime: &Runtime) -> (MemoryPages, Tree) {
    let pages = MemoryPages::new(runtime, 1 << 16);
    let task = Task::blocking(runtime);
    let mut edit = pages.edit();
    let tree = Tree::create(&mut edit, &task).expect("there is room");
    edit.finish();
    drop(edit);
    (pages, tree)
}

/// Applies operations in one batch.
fn apply(pages: &MemoryPages, task: &Task<'_>, tree: Tree, changes: &[Change<'_>]) -> Applied {
    let mut edit = pages.edit();
    let applied = tree.apply(&mut edit, task, changes, |_, _| {}).expect("nothing is damaged");
    edit.finish();
    applied
}

/// Puts entries with these keys; the value of each is its key.
fn put_all(pages: &MemoryPages, task: &Task<'_>, tree: Tree, keys: &[Vec<u8>]) {
    let put = |key| Change { key, action: Action::Put { stamp: 0, value: key } };
    let changes: Vec<Change<'_>> = keys.iter().map(|key| put(key.as_slice())).collect();
    apply(pages, task, tree, &changes);
}

/// An eight-byte key.
fn number_key(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// All keys, in the direction's order.
fn keys(pages: &MemoryPages, task: &Task<'_>, tree: Tree, direction: Direction) -> Vec<Vec<u8>> {
    let mut cursor = tree.cursor(Range::ALL, direction);
    let mut keys = Vec::new();
    while !cursor.is_ended() {
        let chunk = cursor.next_chunk(pages, task, |entry| {
            keys.push(entry.key.to_vec());
            std::ops::ControlFlow::Continue(())
        });
        assert!(chunk.is_ok(), "nothing is damaged");
    }
    keys
}

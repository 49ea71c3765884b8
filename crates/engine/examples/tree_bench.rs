//! What the cold store's trees cost by themselves, over pages in memory.
//!
//! `cargo run --release -p thermocline-engine --example tree_bench [entries]`
//!
//! Every look-up and scan is checked. `std`'s B-tree of the same entries is there for comparison.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::Arc;

use crossbeam_epoch::Collector;
use engine::cold::ColdError;
use engine::cold::tree::{Action, BulkLoad, Change, Chunk, Direction, Range, Tree};
use engine::cold::{Absent, Access, BODY_BYTES, Body, Edit, PAGE_HEADER_BYTES, PageNumber, Pages};
use engine::wait::{Interrupt, Runtime, RuntimeOptions, Statement, Task, ThreadTimer};
use env::Env;
use memory::MemoryPages;

#[allow(dead_code, reason = "what only tests use")]
#[path = "../src/cold/tree/tests/memory.rs"]
mod memory;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const LOOK_UPS: u64 = 4_000_000;
const BATCH: u64 = 10_000;

fn main() {
    let entries = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().expect("a number"));
    let timer = Arc::new(ThreadTimer::new());
    let runtime = Runtime::new(Env::real(), Collector::new(), timer, RuntimeOptions::default());
    let pages = Arc::new(MemoryPages::new(&runtime, 1 << 17));
    // On a coroutine, as statements are.
    let statement = Statement::new(&runtime, Arc::new(Interrupt::new()), {
        let runtime = runtime.clone();
        move |task| {
            let bench = Bench { env: runtime.env().clone(), pages: &pages, task, entries };
            bench.run();
        }
    });
    let mut statement = std::pin::pin!(statement);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    while statement.as_mut().poll(&mut cx).is_pending() {}
}

struct Bench<'b, 't> {
    env: Env,
    pages: &'b MemoryPages,
    task: &'b Task<'t>,
    entries: u64,
}

/// Numbers in an order that no cache foresees.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ mixed >> 27
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

/// A `bigint`, normalized.
fn key(number: u64) -> [u8; 8] {
    (number ^ 1 << 63).to_be_bytes()
}

fn value(number: u64) -> [u8; 8] {
    number.wrapping_mul(3).to_le_bytes()
}

impl Bench<'_, '_> {
    fn run(&self) {
        let tree = self.bulk();
        self.look_up(tree);
        self.look_up_in_std();
        self.scan(tree, Direction::Forward);
        self.scan(tree, Direction::Backward);
        self.upsert("replace by batches of random keys", tree, |rng, _| rng.below(self.entries));
        self.upsert("insert by batches of random keys", tree, |rng, _| {
            self.entries + rng.below(self.entries)
        });
        self.upsert("insert by batches of ascending keys", tree, |_, i| 2 * self.entries + i);
        let empty = self.empty();
        self.upsert("insert one by one, ascending, batch of 10,000", empty, |_, i| i);
        self.single(self.empty());
    }

    fn time(&self, what: &str, count: u64, work: impl FnOnce()) {
        let start_ns = self.env.clock().now_ns();
        work();
        let elapsed_ns = (self.env.clock().now_ns() - start_ns) as f64;
        let each_ns = elapsed_ns / count as f64;
        println!("{what:48} {each_ns:8.1} ns each, {:6.2} M/s", 1e3 / each_ns);
    }

    fn bulk(&self) -> Tree {
        let mut tree = None;
        self.time("bulk load", self.entries, || {
            let mut edit = self.pages.edit();
            let mut load = BulkLoad::new(&mut edit, self.task, 100).expect("there is room");
            for number in 0..self.entries {
                let (key, value) = (key(number), value(number));
                load.push(&mut edit, self.task, &key, 0, &value).expect("there is room");
            }
            tree = Some(load.finish(&mut edit, self.task).expect("there is room").0);
            edit.finish();
        });
        println!("{} pages", self.pages.in_use());
        tree.expect("it was built")
    }

    fn empty(&self) -> Tree {
        let mut edit = self.pages.edit();
        let tree = Tree::create(&mut edit, self.task).expect("there is room");
        edit.finish();
        tree
    }

    fn look_up(&self, tree: Tree) {
        let mut rng = Rng(1);
        self.time("look up random keys", LOOK_UPS, || {
            for _ in 0..LOOK_UPS {
                let number = rng.below(self.entries);
                let found = tree.find(self.pages, self.task, &key(number), |entry| {
                    entry.value == value(number)
                });
                assert_eq!(found.expect("nothing is damaged"), Some(true));
                self.task.checkpoint().expect("nothing interrupts");
            }
        });
    }

    fn look_up_in_std(&self) {
        let map: BTreeMap<[u8; 8], [u8; 8]> =
            (0..self.entries).map(|number| (key(number), value(number))).collect();
        let mut rng = Rng(1);
        self.time("… in std's B-tree, bulk loaded", LOOK_UPS, || {
            for _ in 0..LOOK_UPS {
                let number = rng.below(self.entries);
                assert_eq!(map.get(&key(number)), Some(&value(number)));
            }
        });
    }

    fn scan(&self, tree: Tree, direction: Direction) {
        let mut sum = 0u64;
        self.time(&format!("scan, {direction:?}"), self.entries, || {
            let mut cursor = tree.cursor(Range::ALL, direction);
            let mut ended = Chunk::More;
            while ended == Chunk::More {
                let chunk = cursor.next_chunk(self.pages, self.task, |entry| {
                    let bytes = entry.value.try_into().expect("eight bytes");
                    sum = sum.wrapping_add(u64::from_le_bytes(bytes));
                    black_box(entry.key);
                    ControlFlow::Continue(())
                });
                ended = chunk.expect("nothing is damaged");
            }
        });
        assert_eq!(sum, 3 * (self.entries * (self.entries - 1) / 2));
    }

    fn upsert(&self, what: &str, tree: Tree, number: impl Fn(&mut Rng, u64) -> u64) {
        let mut rng = Rng(2);
        let mut batches = Vec::new();
        let mut count = 0;
        for batch in 0..30 {
            let mut numbers: Vec<u64> =
                (0..BATCH).map(|i| number(&mut rng, batch * BATCH + i)).collect();
            numbers.sort_unstable();
            numbers.dedup();
            count += numbers.len() as u64;
            let entries: Vec<_> = numbers.into_iter().map(|n| (key(n), value(n))).collect();
            batches.push(entries);
        }
        self.time(what, count, || {
            for batch in &batches {
                let changes: Vec<Change<'_>> = batch
                    .iter()
                    .map(|(key, value)| Change { key, action: Action::Put { stamp: 0, value } })
                    .collect();
                let mut edit = self.pages.edit();
                tree.apply(&mut edit, self.task, &changes, |_, _| {}).expect("there is room");
                edit.finish();
            }
        });
    }

    fn single(&self, tree: Tree) {
        let mut rng = Rng(3);
        let count = 100_000;
        self.time("put one by one, random", count, || {
            for _ in 0..count {
                let number = rng.next();
                let mut edit = self.pages.edit();
                tree.put(&mut edit, self.task, &key(number), 0, &value(number)).expect("room");
                edit.finish();
            }
        });
    }
}

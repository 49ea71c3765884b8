//! Tests of the store as a whole, on simulated disks, and what they share.

use std::path::Path;
use std::sync::Arc;

use crossbeam_epoch::Collector;
use env::Env;
use env::sim::{SimEnv, SplitMix};

use super::*;
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};

mod damage;
mod extension;
mod model;
mod paging;
mod threads;
mod trees;

const DATABASE: u128 = 0xC01D;
const FILE: &str = "/data/a.tpg";

pub(crate) fn runtime(env: &Env) -> Runtime {
    let timer = Arc::new(ThreadTimer::new());
    Runtime::new(env.clone(), Collector::new(), timer, RuntimeOptions::default())
}

/// A simulated machine.
struct Machine {
    sim: SimEnv,
    runtime: Runtime,
}

impl Machine {
    fn new(seed: u64) -> Machine {
        let sim = SimEnv::new(seed);
        sim.fs().set_capacity(None);
        let env = sim.env();
        env.fs().create_dir_all(Path::new("/data")).expect("the disk is new");
        env.fs().sync_dir(Path::new("/")).expect("the disk is new");
        let runtime = runtime(&env);
        Machine { sim, runtime }
    }

    fn task(&self) -> Task<'static> {
        Task::blocking(&self.runtime)
    }

    /// A pool without threads.
    fn pool(&self, frames: u64) -> Pool {
        pool(&self.runtime, frames, 0)
    }

    fn crash(&self) {
        self.sim.fs().power_off();
        self.sim.fs().power_on();
    }
}

fn pool(runtime: &Runtime, frames: u64, io_threads: usize) -> Pool {
    let limit_bytes = frames * PAGE_BYTES as u64;
    let options = PoolOptions { reserve_bytes: 4 * limit_bytes, limit_bytes, io_threads };
    Pool::new(runtime, options).expect("there is address space")
}

fn files() -> Vec<FileSpec> {
    let growth = Growth { initial_pages: 64, step_pages: 64, ..Growth::default() };
    vec![FileSpec { id: 1, path: FILE.into(), growth }]
}

/// Fills a body with words that its value determines.
fn fill(body: &mut Body, value: u64) {
    let mut words = SplitMix::new(value);
    for word in body.chunks_exact_mut(8) {
        word.copy_from_slice(&words.next_u64().to_le_bytes());
    }
    body[..8].copy_from_slice(&value.to_le_bytes());
}

/// The value that a body was filled with.
fn value_of(body: &Body) -> u64 {
    let value = u64::from_le_bytes(body[..8].try_into().expect("eight bytes"));
    let mut expected = [0; BODY_BYTES];
    fill(&mut expected, value);
    assert!(*body == expected, "the image of {value} is not whole");
    value
}

/// Adds pages with these values, and publishes them.
fn add_pages(store: &Store, task: &Task, values: impl Iterator<Item = u64>) -> Vec<PageNumber> {
    let mut batch = store.batch();
    let pages = values
        .map(|value| {
            let (page, body) = batch.allocate(task).expect("there is memory");
            fill(body, value);
            batch.publish(page);
            page
        })
        .collect();
    batch.finish();
    pages
}

fn change(store: &Store, task: &Task, page: PageNumber, value: u64) {
    let mut batch = store.batch();
    fill(batch.edit(task, page).expect("the page is there"), value);
    batch.finish();
}

fn read(store: &Store, task: &Task, page: PageNumber) -> u64 {
    value_of(&store.load(task, page, Access::Point).expect("the page is there"))
}

fn checkpoint(store: &Store) -> Result<CheckpointStats, ColdError> {
    store.write(store.capture(b"info"))
}

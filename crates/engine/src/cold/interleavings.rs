//! Interleavings of a few operations on one page, explored by shuttle: it is looked up, replaced,
//! written, evicted, read again and captured, all at once. Only one thread writes files, and only
//! one reads them, since file operations wait at locks that the checker does not know.

use std::path::Path;

use crossbeam_epoch::Collector;
use env::sim::SimEnv;

use super::memory::Image;
use super::place::{FrameNumber, MapWord};
use super::store_core::PageImage;
use super::sweep::{Eviction, Leaving, evict};
use super::*;
use crate::sync::{Arc, thread};
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};

/// A store with one page.
struct Shared {
    sim: SimEnv,
    runtime: Runtime,
    pool: Pool,
    store: Store,
    page: PageNumber,
}

fn files() -> Vec<FileSpec> {
    let growth = Growth { initial_pages: 64, ..Growth::default() };
    vec![FileSpec { id: 1, path: "/a.tpg".into(), growth }]
}

fn fill(body: &mut Body, value: u64) {
    body[..8].copy_from_slice(&value.to_le_bytes());
    body[BODY_BYTES - 8..].copy_from_slice(&value.to_le_bytes());
}

fn value_of(body: &Body) -> u64 {
    assert_eq!(body[..8], body[BODY_BYTES - 8..], "the image is whole");
    u64::from_le_bytes(body[..8].try_into().expect("eight bytes"))
}

impl Shared {
    fn new() -> Arc<Shared> {
        let sim = SimEnv::new(1);
        let timer = std::sync::Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let runtime = Runtime::new(sim.env(), Collector::new(), timer, options);
        let limit_bytes = 64 * PAGE_BYTES as u64;
        let options = PoolOptions { reserve_bytes: limit_bytes, limit_bytes, io_threads: 0 };
        let pool = Pool::new(&runtime, options).expect("there is memory");
        let store = Store::create(&pool, 7, &files(), b"").expect("the disk is new");
        let mut batch = store.batch();
        let (page, body) = batch.allocate(&Task::blocking(&runtime)).expect("there is memory");
        fill(body, 0);
        batch.finish();
        Arc::new(Shared { sim, runtime, pool, store, page })
    }

    /// Changes the page once for each value. Only one thread does, which is the one that reads
    /// files.
    fn change(&self, values: std::ops::RangeInclusive<u64>) {
        let task = Task::blocking(&self.runtime);
        for value in values {
            let mut batch = self.store.batch();
            let body = batch.edit(&task, self.page).expect("the page is there");
            assert_eq!(value_of(body), value - 1);
            fill(body, value);
            batch.finish();
        }
    }

    fn look(&self, times: usize) {
        let task = Task::blocking(&self.runtime);
        let mut last = 0;
        for _ in 0..times {
            let guard = task.pin();
            if let Ok(body) = self.store.resident(self.page, &guard) {
                let value = value_of(body);
                assert!(value >= last, "an older image comes back");
                last = value;
                thread::yield_now();
                assert_eq!(value_of(body), value, "an image changes under its guard");
            }
        }
    }

    /// Writes the current image and evicts it. Only one thread does, which is the one that writes
    /// files.
    fn write_and_evict(&self) {
        let core = &self.store.core;
        let handle = self.runtime.collector().register();
        let mut unlinked: Vec<FrameNumber> = Vec::new();
        let guard = handle.pin();
        if let MapWord::Frame(frame) = core.map.get(self.page) {
            // SAFETY: the frame was found in the map under the guard (F2).
            let image = unsafe { Image::pinned(&core.memory, frame) };
            core.write_back(&[PageImage { page: self.page, image: &image }])
                .expect("there is room");
            if evict(&self.store.shared, core, self.page, frame, Leaving::Dropped, &guard)
                == Eviction::Done
            {
                unlinked.push(frame);
            }
        }
        core.memory.retire(unlinked, &guard);
        drop(guard);
        // Frees what can be freed, so that a thread that still uses it is detected.
        (0..3).for_each(|_| handle.pin().flush());
    }

    fn checkpoint(&self) {
        self.store.write(self.store.capture(b"")).expect("there is room");
    }
}

/// Explores interleavings at random and with few preemptions.
fn explore(iterations: usize, test: impl Fn() + Send + Sync + Clone + 'static) {
    // `THERMOCLINE_STRESS` multiplies the iterations.
    let factor = std::env::var("THERMOCLINE_STRESS").ok().and_then(|s| s.parse().ok());
    let iterations = iterations * factor.unwrap_or(1);
    shuttle::check_random(test.clone(), iterations);
    shuttle::check_pct(test, iterations, 3);
}

fn spawn(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) + Send + 'static,
) -> thread::JoinHandle<()> {
    let shared = shared.clone();
    thread::spawn(move || work(&shared))
}

#[test]
fn a_page_is_replaced_written_and_evicted_under_its_readers() {
    explore(60, || {
        let shared = Shared::new();
        let threads = [
            spawn(&shared, |shared| shared.change(1..=3)),
            spawn(&shared, |shared| shared.look(4)),
            spawn(&shared, |shared| {
                shared.write_and_evict();
                shared.checkpoint();
                shared.write_and_evict();
            }),
        ];
        threads.into_iter().for_each(|thread| thread.join().expect("it has not panicked"));
        shared.checkpoint();
        shared.checkpoint(); // gives back places that the one before could not know to be free
        // The file's own three extents, the page, its map page and its directory page.
        assert_eq!(shared.store.space().used_pages, 24 + 3);
        assert_eq!(shared.pool.stats().dirty_pages, 0);
        assert!(shared.sim.env().fs().exists(Path::new("/a.tpg")).expect("the power is on"));
        let shared = Arc::into_inner(shared).expect("the threads are gone");
        drop(shared.store);
        let store = Store::open(&shared.pool, 7, &files()).expect("it is whole").store;
        let task = Task::blocking(&shared.runtime);
        let image = store.load(&task, shared.page, Access::Point).expect("it is there");
        assert_eq!(value_of(&image), 3);
    });
}

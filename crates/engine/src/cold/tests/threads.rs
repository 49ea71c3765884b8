//! Tests of readers, writers, evictions, checkpoints and changes of the limit, all at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use env::sim::wait_until;

use super::*;
use crate::wait::{Interrupt, Interrupted};

const PAGES: u64 = 400;
const WRITERS: u64 = 2;

/// Page n belongs to writer n % WRITERS; its value counts up in steps of PAGES.
fn write(store: &Store, runtime: &Runtime, pages: &[PageNumber], writer: u64, stop: &AtomicBool) {
    let (task, mut rng) = (Task::blocking(runtime), SplitMix::new(writer));
    while !stop.load(Relaxed) {
        let mut batch = store.batch();
        for _ in 0..1 + rng.below(6) {
            let n = rng.below(PAGES / WRITERS) * WRITERS + writer;
            let page = pages[n as usize];
            let value = value_of(batch.view(&task, page).unwrap());
            fill(batch.edit(&task, page).unwrap(), value + PAGES);
        }
        batch.finish();
    }
}

fn read_always(
    store: &Store,
    runtime: &Runtime,
    pages: &[PageNumber],
    seed: u64,
    stop: &AtomicBool,
) {
    let (task, mut rng) = (Task::blocking(runtime), SplitMix::new(seed));
    let mut last = vec![0; pages.len()];
    while !stop.load(Relaxed) {
        let n = rng.below(PAGES) as usize;
        let value = {
            let guard = task.pin();
            store.resident(pages[n], &guard).map(value_of)
        };
        let value = match value {
            Ok(value) => value,
            Err(_) => {
                store.read_ahead(&pages[n..(n + 8).min(pages.len())]);
                value_of(&store.load(&task, pages[n], Access::Point).unwrap())
            }
        };
        assert_eq!(value % PAGES, n as u64);
        assert!(value >= last[n], "page {n} goes back from {} to {value}", last[n]);
        last[n] = value;
    }
}

#[test]
fn concurrent_work_leaves_every_page_whole() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 128, 2);
    let (task, stop) = (machine.task(), AtomicBool::new(false));
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..PAGES);
    pool.extend(ExtensionOptions {
        path: "/ssd".into(),
        bytes: 200 * PAGE_BYTES as u64,
        slow_ns: u64::MAX,
    })
    .unwrap();
    let (store_ref, pages_ref, stop_ref) = (&store, &pages[..], &stop);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let runtime = &machine.runtime;
            scope.spawn(move || write(store_ref, runtime, pages_ref, writer, stop_ref));
        }
        for seed in 0..2 {
            let runtime = &machine.runtime;
            scope.spawn(move || read_always(store_ref, runtime, pages_ref, seed, stop_ref));
        }
        // Checkpoints here may capture half-published batches, since the writers go on; each page
        // must be whole all the same.
        for round in 0..12u64 {
            pool.set_limit([48, 300, 32, 128][round as usize % 4] * PAGE_BYTES as u64);
            checkpoint(store_ref).unwrap();
            // So that the other threads get some work done at this limit; nothing depends on how
            // much.
            std::thread::sleep(std::time::Duration::from_millis(40));
            if round % 5 == 4 {
                pool.drop_clean();
            }
        }
        stop.store(true, Relaxed);
    });
    let last: Vec<u64> = pages.iter().map(|&page| read(&store, &task, page)).collect();
    checkpoint(&store).unwrap();
    println!("{:?}\n{:?}", pool.stats(), pool.extension_stats());
    pool.retract();
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    for (n, &page) in pages.iter().enumerate() {
        assert_eq!(read(&store, &task, page), last[n]);
    }
}

#[test]
fn one_read_serves_all_waiters_and_neighbours_are_read_together() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 512, 1);
    let task = machine.task();
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..256);
    checkpoint(&store).unwrap();
    while pool.stats().used_frames > 0 {
        pool.drop_clean();
    }
    let before = pool.stats();
    machine.sim.fs().hold(env::OpKind::Read);
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(env::OpKind::Read);
        let waiting: Vec<_> = (0..4)
            .map(|_| {
                let (store, page, runtime) = (&store, pages[0], &machine.runtime);
                scope.spawn(move || read(store, &Task::blocking(runtime), page))
            })
            .collect();
        // When all of them wait, the reading thread is held at the first page.
        wait_until("all readers wait for one read", || pool.unfinished_reads() == (1, 4));
        store.read_ahead(&pages[1..]);
        machine.sim.fs().release(env::OpKind::Read);
        waiting.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 0));
    });
    // A task that read a page now would break up the run that the page is in.
    wait_until("all is read ahead", || pool.unfinished_reads() == (0, 0));
    for (value, &page) in pages.iter().enumerate() {
        assert_eq!(read(&store, &task, page), value as u64);
    }
    let stats = pool.stats();
    assert_eq!(stats.reads - before.reads, 256);
    assert!(stats.read_calls - before.read_calls <= 20, "{stats:?}");
    assert_eq!(stats.read_ahead, 255);
}

#[test]
fn a_task_that_waits_for_what_is_read_ahead_gets_it_and_nothing_is_read_twice() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 2048, 1);
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &machine.task(), 0..1000);
    checkpoint(&store).unwrap();
    while store.buffer_descriptors().count() > 0 {
        pool.drop_clean();
    }
    machine.sim.fs().hold(env::OpKind::Read);
    store.read_ahead(&pages);
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(env::OpKind::Read);
        let (store, runtime) = (&store, &machine.runtime);
        let waiting = scope.spawn(|| {
            assert_eq!(read(store, &Task::blocking(runtime), pages[900]), 900);
        });
        wait_until("the reader waits for its page", || pool.unfinished_reads() == (1000, 1));
        machine.sim.fs().release(env::OpKind::Read);
        waiting.join().unwrap();
    });
    // A task that looks for a page at the moment when it is linked reads it once more, in vain.
    wait_until("all is read ahead", || pool.unfinished_reads() == (0, 0));
    for (value, &page) in pages.iter().enumerate() {
        assert_eq!(read(&store, &machine.task(), page), value as u64);
    }
    assert_eq!(pool.stats().reads, 1000);
}

#[test]
fn an_interrupted_task_stops_waiting_and_the_read_goes_on() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 64, 1);
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let page = add_pages(&store, &machine.task(), 7..8)[0];
    checkpoint(&store).unwrap();
    while store.buffer_descriptors().count() > 0 {
        pool.drop_clean();
    }
    machine.sim.fs().hold(env::OpKind::Read);
    let interrupt = Arc::new(Interrupt::new());
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(env::OpKind::Read);
        let waiting = scope.spawn(|| {
            let task = Task::blocking_with(&machine.runtime, interrupt.clone());
            store.load(&task, page, Access::Point).map(|image| value_of(&image))
        });
        wait_until("the reader waits for its page", || pool.unfinished_reads() == (1, 1));
        interrupt.raise(Interrupted::Attention);
        let result = waiting.join().unwrap();
        assert!(matches!(result, Err(ColdError::Interrupted(Interrupted::Attention))));
    });
    wait_until("the page is read", || pool.unfinished_reads() == (0, 0));
    assert_eq!(read(&store, &machine.task(), page), 7);
    assert_eq!(pool.stats().reads, 1);
}

#[test]
fn from_a_quick_device_a_task_reads_in_place() {
    for (latency_ns, is_quick) in [(50_000, true), (8_000_000, false)] {
        let machine = Machine::new(3);
        let pool = pool(&machine.runtime, 64, 1);
        let task = machine.task();
        let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
        let pages = add_pages(&store, &task, 0..40);
        checkpoint(&store).unwrap();
        machine.sim.fs().set_latency_ns(env::OpKind::Read, latency_ns);
        while store.buffer_descriptors().count() > 0 {
            pool.drop_clean();
        }
        for (value, &page) in pages.iter().enumerate() {
            assert_eq!(read(&store, &task, page), value as u64);
        }
        // The device's pace is known from the first read on.
        let stats = pool.stats();
        assert_eq!((stats.reads, stats.reads_in_place), (40, if is_quick { 39 } else { 0 }));
        assert_eq!(stats.waits, 40);
        assert!(stats.wait_ns_max >= latency_ns && stats.wait_ns >= 40 * latency_ns, "{stats:?}");
    }
}

#[test]
fn one_task_at_a_time_reads_in_place_and_others_hand_over() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 64, 1);
    let task = machine.task();
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..4);
    checkpoint(&store).unwrap();
    while store.buffer_descriptors().count() > 0 {
        pool.drop_clean();
    }
    assert_eq!(read(&store, &task, pages[0]), 0);
    let reads = || machine.sim.fs().operations_of(env::OpKind::Read);
    let before = reads();
    machine.sim.fs().hold(env::OpKind::Read);
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(env::OpKind::Read);
        let begin = |n: usize| {
            let (store, page, runtime) = (&store, pages[n], &machine.runtime);
            let reading = scope.spawn(move || read(store, &Task::blocking(runtime), page));
            wait_until("the read is held", || reads() == before + n as u64);
            reading
        };
        let reading = [begin(1), begin(2)];
        machine.sim.fs().release(env::OpKind::Read);
        reading.into_iter().zip(1..).for_each(|(thread, n)| assert_eq!(thread.join().unwrap(), n));
    });
    assert_eq!(pool.stats().reads_in_place, 1);
    assert_eq!(read(&store, &task, pages[3]), 3);
    assert_eq!(pool.stats().reads_in_place, 2);
}

#[test]
fn a_damaged_page_that_is_read_in_place_is_an_error_and_the_next_one_is_read() {
    let machine = Machine::new(3);
    let pool = pool(&machine.runtime, 64, 1);
    let task = machine.task();
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..3);
    checkpoint(&store).unwrap();
    let place = store.buffer_descriptors().find(|buffer| buffer.page == pages[1]);
    let offset = place.and_then(|buffer| buffer.place).expect("it was written").offset();
    while store.buffer_descriptors().count() > 0 {
        pool.drop_clean();
    }
    machine.sim.fs().flip_bit(Path::new(FILE), offset * 8 + 4000).unwrap();
    assert_eq!(read(&store, &task, pages[0]), 0);
    let failed = store.load(&task, pages[1], Access::Point);
    assert!(matches!(failed, Err(ColdError::Checksum { .. })), "{failed:?}");
    assert_eq!(read(&store, &task, pages[2]), 2);
    assert_eq!(pool.stats().reads_in_place, 2);
}

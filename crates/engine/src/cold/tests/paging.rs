//! Tests of pages that are written, evicted, read again and freed.

use env::OpKind;
use env::sim::{Fault, FaultKind};

use super::*;

#[test]
fn what_a_checkpoint_wrote_is_there_after_a_crash_and_nothing_else() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(64), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"first").unwrap();
    let pages = add_pages(&store, &task, 0..3000);
    store.write(store.capture(b"cut 7")).unwrap();
    pages.iter().for_each(|&page| change(&store, &task, page, 1 << 40));
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let opened = Store::open(&pool, DATABASE, &files()).unwrap();
    assert_eq!(opened.info, b"cut 7");
    for (value, &page) in pages.iter().enumerate() {
        assert_eq!(read(&opened.store, &task, page), value as u64);
    }
    let space = opened.store.space();
    assert!(space.used_pages >= 3000 && space.used_pages < 3100, "{space:?}");
}

#[test]
fn a_new_store_is_empty_after_a_crash() {
    let machine = Machine::new(1);
    let pool = machine.pool(64);
    drop(Store::create(&pool, DATABASE, &files(), b"first").unwrap());
    machine.crash();
    let opened = Store::open(&machine.pool(64), DATABASE, &files()).unwrap();
    assert_eq!(opened.info, b"first");
    let task = machine.task();
    let absent = opened.store.load(&task, PageNumber(1), Access::Point);
    assert!(matches!(absent, Err(ColdError::Freed(PageNumber(1)))));
}

#[test]
fn a_batch_is_private_until_it_is_published() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(64), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..2);
    let mut batch = store.batch();
    fill(batch.edit(&task, pages[0]).unwrap(), 10);
    fill(batch.edit(&task, pages[1]).unwrap(), 11);
    let (third, body) = batch.allocate(&task).unwrap();
    assert!(body.iter().all(|&byte| byte == 0));
    fill(body, 12);
    assert_eq!(value_of(batch.view(&task, pages[0]).unwrap()), 10);
    assert_eq!(read(&store, &task, pages[0]), 0);
    assert_eq!(store.resident(third, &task.pin()).err(), Some(Absent::Freed));
    let before = store.load(&task, pages[1], Access::Point).unwrap();
    batch.publish(pages[1]);
    assert_eq!((read(&store, &task, pages[1]), value_of(&before)), (11, 1));
    drop(batch); // as after an error
    assert_eq!(read(&store, &task, pages[0]), 0);
    assert_eq!(read(&store, &task, pages[1]), 11);
    let mut batch = store.batch();
    assert_eq!(batch.allocate(&task).unwrap().0, third);
    batch.free(pages[0]);
    batch.finish();
    assert_eq!(store.resident(pages[0], &task.pin()).err(), Some(Absent::Freed));
}

#[test]
fn a_file_is_as_short_as_what_is_in_it_allows() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(256), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..4000);
    checkpoint(&store).unwrap();
    // Pages that stay lie at the end, and here and there.
    let stays = |n: usize| n >= 3900 || n.is_multiple_of(100);
    let mut batch = store.batch();
    let gone = pages.iter().enumerate().filter(|(n, _)| !stays(*n));
    gone.for_each(|(_, &page)| batch.free(page));
    batch.finish();
    checkpoint(&store).unwrap();
    assert!(store.shrink(1, 0).unwrap() < 100, "{:?}", store.space());
    assert!(store.move_out_of_end(1).unwrap() >= 100);
    let changed = pages[3950];
    change(&store, &task, changed, 77);
    checkpoint(&store).unwrap();
    assert!(store.shrink(1, 0).unwrap() > 3000, "{:?}", store.space());
    checkpoint(&store).unwrap();
    let space = store.space();
    assert!(space.total_pages < 400, "{space:?}");
    let left = pages.iter().enumerate().filter(|(n, _)| stays(*n));
    let left: Vec<_> =
        left.map(|(n, &page)| (if n == 3950 { 77 } else { n as u64 }, page)).collect();
    pool.drop_clean();
    left.iter().for_each(|&(value, page)| assert_eq!(read(&store, &task, page), value));
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    left.iter().for_each(|&(value, page)| assert_eq!(read(&store, &task, page), value));
    assert_eq!(store.space().total_pages, space.total_pages);
    let again = add_pages(&store, &task, 0..2000);
    checkpoint(&store).unwrap();
    again.iter().enumerate().for_each(|(n, &page)| assert_eq!(read(&store, &task, page), n as u64));
}

/// Map pages of which no word is used any more are on disk still, and move, too.
#[test]
fn a_file_whose_pages_are_gone_shrinks_after_a_start() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(256), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..4000);
    checkpoint(&store).unwrap();
    let mut batch = store.batch();
    pages[100..].iter().for_each(|&page| batch.free(page));
    batch.finish();
    checkpoint(&store).unwrap();
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    store.move_out_of_end(1).unwrap();
    checkpoint(&store).unwrap();
    store.shrink(1, 0).unwrap();
    checkpoint(&store).unwrap();
    assert!(store.space().total_pages < 400, "{:?}", store.space());
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    let left = pages[..100].iter().enumerate();
    left.for_each(|(n, &page)| assert_eq!(read(&store, &task, page), n as u64));
}

#[test]
fn an_image_stays_as_long_as_its_guard() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(64), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let page = add_pages(&store, &task, 5..6)[0];
    let handle = machine.runtime.collector().register();
    let guard = handle.pin();
    let body = store.resident(page, &guard).unwrap();
    (0..200).for_each(|value| change(&store, &task, page, value));
    pool.drop_clean();
    assert_eq!(value_of(body), 5);
    drop(guard);
    assert_eq!(read(&store, &task, page), 199);
}

#[test]
fn memory_follows_its_limit_up_and_down() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(256), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..2000);
    for (limit, most) in [(64, 64), (16, 16), (512, 512), (32, 32)] {
        pool.set_limit(limit * PAGE_BYTES as u64);
        for (value, &page) in pages.iter().enumerate() {
            assert_eq!(read(&store, &task, page), value as u64);
        }
        let stats = pool.stats();
        assert!(stats.used_frames <= most, "{stats:?}");
        assert!(stats.used_frames >= most / 2, "{stats:?}");
        assert_eq!(stats.beyond_limit, 0);
    }
    assert!(pool.stats().lazy_writes >= 1000);
    let resident = store.buffer_descriptors().count() as u64;
    assert!((16..=32).contains(&resident), "{resident}");
    assert!(pool.drop_clean() >= 16);
    assert!(store.buffer_descriptors().all(|buffer| buffer.place.is_none()));
}

#[test]
fn pinned_pages_stay_and_the_limit_gives_way() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(16), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..100);
    checkpoint(&store).unwrap();
    let pinned: Vec<_> =
        pages[..20].iter().map(|&page| store.load(&task, page, Access::Point).unwrap()).collect();
    assert!(pool.stats().beyond_limit > 0);
    for (value, &page) in pages.iter().enumerate() {
        assert_eq!(read(&store, &task, page), value as u64);
    }
    for (value, image) in pinned.iter().enumerate() {
        assert_eq!(value_of(image), value as u64);
    }
    drop(pinned);
    pages.iter().for_each(|&page| assert!(read(&store, &task, page) < 100));
    assert!(pool.stats().used_frames <= 16);
}

#[test]
fn an_interrupted_or_failed_read_leaves_nothing_behind() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(16), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..40);
    checkpoint(&store).unwrap();
    pool.drop_clean();
    machine.sim.fs().inject(Fault::next(OpKind::Read, FaultKind::Io));
    assert_eq!(read(&store, &task, pages[3]), 3); // the second attempt
    machine.sim.fs().inject(Fault::next(OpKind::Read, FaultKind::Io).times(2));
    let failed = store.load(&task, pages[4], Access::Point);
    assert!(matches!(failed, Err(ColdError::Read(_))));
    assert_eq!(read(&store, &task, pages[4]), 4);
    pool.drop_clean();
    assert_eq!(pool.stats().used_frames, 0);
}

#[test]
fn space_is_used_again_and_cut_off() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(256), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..200);
    for round in 0..30 {
        pages.iter().for_each(|&page| change(&store, &task, page, round));
        checkpoint(&store).unwrap();
    }
    let space = store.space();
    assert!(space.used_pages < 240 && space.total_pages < 700, "{space:?}");
    let mut batch = store.batch();
    pages.iter().for_each(|&page| batch.free(page));
    batch.finish();
    checkpoint(&store).unwrap();
    assert!(store.space().used_pages < 40, "{:?}", store.space());
    assert!(store.shrink(1, 0).unwrap() > 0);
    (0..4).for_each(|_| assert!(pool.drop_clean() <= 200)); // the epoch advances
    let again = add_pages(&store, &task, 0..200);
    assert!(again.iter().all(|page| page.0 <= 200), "numbers are used again");
    checkpoint(&store).unwrap();
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    for (value, &page) in again.iter().enumerate() {
        assert_eq!(read(&store, &task, page), value as u64);
    }
}

#[test]
fn a_full_disk_refuses_the_checkpoint_and_loses_nothing() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(512), machine.task());
    let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
    let pages = add_pages(&store, &task, 0..200);
    machine.sim.fs().set_capacity(Some(machine.sim.fs().used() + 32 * PAGE_BYTES as u64));
    assert!(matches!(checkpoint(&store), Err(ColdError::Full(_))));
    machine.sim.fs().set_capacity(None);
    checkpoint(&store).unwrap();
    drop((store, pool));
    machine.crash();
    let pool = machine.pool(64);
    let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
    for (value, &page) in pages.iter().enumerate() {
        assert_eq!(read(&store, &task, page), value as u64);
    }
}

#[test]
fn images_that_a_failed_sync_may_have_lost_are_written_again() {
    for seed in 0..20 {
        let machine = Machine::new(seed);
        let (pool, task) = (machine.pool(16), machine.task());
        let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
        // Most of them are written to make room, and are not in memory any more.
        let pages = add_pages(&store, &task, 0..100);
        machine.sim.fs().inject(Fault::next(OpKind::Sync, FaultKind::Io).after(seed % 2));
        assert!(matches!(checkpoint(&store), Err(ColdError::File(_) | ColdError::Checksum { .. })));
        if checkpoint(&store).is_err() {
            continue; // the checkpoint has detected the loss
        }
        drop((store, pool));
        machine.crash();
        let pool = machine.pool(16);
        let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
        for (value, &page) in pages.iter().enumerate() {
            assert_eq!(read(&store, &task, page), value as u64, "seed {seed}");
        }
    }
}

#[test]
fn several_files_fill_and_several_databases_share_a_pool() {
    let machine = Machine::new(1);
    let (pool, task) = (machine.pool(64), machine.task());
    let growth = Growth { initial_pages: 64, step_pages: 64, ..Growth::default() };
    let spec = |id, name: &str| FileSpec { id, path: name.into(), growth };
    let mut all = vec![];
    for database in 0..3u128 {
        let specs =
            vec![spec(1, &format!("/data/{database}.1")), spec(2, &format!("/data/{database}.2"))];
        let store = Store::create(&pool, database, &specs[..1], b"").unwrap();
        store.add_file(&specs[1]).unwrap();
        let base = database as u64 * 1000;
        let pages = add_pages(&store, &task, base..base + 300);
        checkpoint(&store).unwrap();
        let files: std::collections::BTreeSet<u8> = pages
            .iter()
            .filter_map(|&page| Some(store.core.map.durable(page)?.place().file))
            .collect();
        assert_eq!(files.len(), 2);
        all.push((store, specs, pages));
    }
    for (database, (store, specs, pages)) in all.into_iter().enumerate() {
        drop(store);
        let missing = Store::open(&pool, database as u128, &specs[..1]);
        assert!(matches!(missing, Err(ColdError::Damaged { .. })));
        let store = Store::open(&pool, database as u128, &specs).unwrap().store;
        for (n, &page) in pages.iter().enumerate() {
            assert_eq!(read(&store, &task, page), database as u64 * 1000 + n as u64);
        }
    }
}

//! Tests of the buffer pool extension: whatever it does, only speed is lost.

use env::OpKind;
use env::sim::{Fault, FaultKind};

use super::*;
use crate::cold::extension::BATCH_PAGES;

const EXTENSION: &str = "/ssd";

fn options(pages: u64) -> ExtensionOptions {
    let bytes = pages * PAGE_BYTES as u64;
    ExtensionOptions { path: EXTENSION.into(), bytes, slow_ns: 50_000_000 }
}

/// A store whose pages do not fit memory, and are all read again and again.
struct Fixture {
    machine: Machine,
    pool: Pool,
    store: Store,
    pages: Vec<PageNumber>,
}

impl Fixture {
    fn new() -> Fixture {
        let machine = Machine::new(1);
        let pool = machine.pool(64);
        let store = Store::create(&pool, DATABASE, &files(), b"").unwrap();
        let pages = add_pages(&store, &machine.task(), 0..150);
        checkpoint(&store).unwrap();
        Fixture { machine, pool, store, pages }
    }

    /// Reads every page three times: twice while it is in memory.
    fn use_all(&self, rounds: usize) {
        let task = self.machine.task();
        for _ in 0..rounds {
            for (value, &page) in self.pages.iter().enumerate() {
                (0..3).for_each(|_| assert_eq!(read(&self.store, &task, page), value as u64));
            }
        }
    }

    /// Reads every page as scans do.
    fn scan(&self) {
        let task = self.machine.task();
        for &page in &self.pages {
            drop(self.store.load(&task, page, Access::Scan).unwrap());
        }
    }

    fn stats(&self) -> ExtensionStats {
        self.pool.extension_stats().unwrap()
    }
}

#[test]
fn pages_that_were_wanted_again_come_back_from_the_extension() {
    let fixture = Fixture::new();
    fixture.pool.extend(options(400)).unwrap();
    fixture.use_all(10);
    let warm = fixture.stats();
    assert!(warm.pages > 80, "{warm:?}");
    let reads = fixture.pool.stats().reads;
    fixture.use_all(10);
    let later = fixture.stats();
    assert!(later.reads > warm.reads + 500, "{later:?}");
    assert!(fixture.pool.stats().reads - reads < 500);
    assert!(later.writes <= warm.writes + 100, "what is there is not written again: {later:?}");
    fixture.pool.retract();
    assert_eq!(fixture.pool.extension_stats(), None);
    fixture.use_all(1);
}

#[test]
fn a_scan_fills_what_was_never_written_and_displaces_nothing() {
    for slots in [400, 64] {
        let fixture = Fixture::new();
        fixture.pool.extend(options(slots)).unwrap();
        fixture.scan();
        let filled = fixture.stats();
        assert!(filled.pages >= slots.min(150 - 64), "{filled:?}");
        let task = fixture.machine.task();
        let found: Vec<_> = (0..5)
            .map(|_| {
                fixture.scan();
                fixture.stats().writes
            })
            .collect();
        // A page that is on its way to the device may be written twice.
        let most = slots.min(150) + BATCH_PAGES as u64;
        assert!(found[4] <= most, "{found:?}");
        assert_eq!(read(&fixture.store, &task, fixture.pages[0]), 0);
    }
}

#[test]
fn how_long_a_page_stays_is_the_age_of_the_oldest() {
    const SECOND_NS: u64 = 1_000_000_000;
    let fixture = Fixture::new();
    let pass = |seconds| fixture.machine.sim.clock().advance_ns(seconds * SECOND_NS);
    fixture.pool.extend(options(64)).unwrap();
    pass(100);
    assert_eq!(fixture.stats().page_stay_s, 0, "nothing is there");
    fixture.scan();
    let filled = fixture.stats();
    assert!(filled.pages > 0 && filled.page_stay_s < 50, "{filled:?}");
    pass(100);
    assert_eq!(fixture.stats().page_stay_s, filled.page_stay_s + 100);
    fixture.use_all(10);
    let renewed = fixture.stats();
    assert!(renewed.evictions >= 128 && renewed.page_stay_s < 50, "{renewed:?}");
    assert_eq!(renewed.outstanding, 0);
}

#[test]
fn what_is_dropped_from_memory_does_not_go_to_the_extension() {
    let fixture = Fixture::new();
    fixture.pool.extend(options(400)).unwrap();
    fixture.scan();
    assert!(fixture.stats().pages > 0);
    fixture.pool.drop_clean();
    assert_eq!(fixture.stats().pages, 0);
}

#[test]
fn rot_in_the_extension_is_noticed_and_read_from_the_file() {
    let fixture = Fixture::new();
    fixture.pool.extend(options(400)).unwrap();
    fixture.use_all(10);
    let length =
        fixture.machine.sim.env().fs().metadata(Path::new(EXTENSION)).unwrap().unwrap().len;
    for page in 0..length / PAGE_BYTES as u64 {
        let bit = (page * PAGE_BYTES as u64 + 77) * 8;
        fixture.machine.sim.fs().flip_bit(Path::new(EXTENSION), bit).unwrap();
    }
    fixture.use_all(2);
    let stats = fixture.stats();
    assert!(stats.mismatches > 0 && !stats.is_enabled, "{stats:?}");
    assert_eq!(fixture.pool.stats().mismatches, 0);
}

#[test]
fn a_failing_or_slow_device_is_given_up() {
    for slow in [false, true] {
        let fixture = Fixture::new();
        fixture.pool.extend(options(400)).unwrap();
        fixture.use_all(3);
        let fs = fixture.machine.sim.fs();
        if slow {
            fs.set_latency_ns(OpKind::Read, 60_000_000);
        } else {
            fs.inject(Fault::next(OpKind::Read, FaultKind::Io).on(EXTENSION).forever());
            fs.inject(Fault::next(OpKind::Write, FaultKind::Io).on(EXTENSION).forever());
        }
        fixture.use_all(5);
        assert!(!fixture.stats().is_enabled, "{:?}", fixture.stats());
        fs.set_latency_ns(OpKind::Read, 0);
        fs.clear_faults();
        fixture.pool.extend(options(100)).unwrap(); // again, and smaller
        fixture.use_all(5);
        assert!(fixture.stats().is_enabled && fixture.stats().slots == 100);
    }
}

#[test]
fn the_extension_is_warm_after_a_clean_restart_and_cold_after_a_crash() {
    for clean in [true, false] {
        let fixture = Fixture::new();
        fixture.pool.extend(options(400)).unwrap();
        fixture.use_all(10);
        let before = fixture.stats().pages;
        let Fixture { machine, pool, store, pages } = fixture;
        if clean {
            pool.retract_warm().unwrap();
        }
        drop((store, pool));
        let pool = machine.pool(64);
        let store = Store::open(&pool, DATABASE, &files()).unwrap().store;
        pool.extend(options(400)).unwrap();
        let fixture = Fixture { machine, pool, store, pages };
        assert_eq!(fixture.stats().pages, if clean { before } else { 0 });
        fixture.use_all(1);
        assert_eq!(fixture.stats().reads > 50, clean, "{:?}", fixture.stats());
        // A directory is used by one start only.
        let Fixture { machine, pool, store, pages: _ } = fixture;
        drop((store, pool));
        let pool = machine.pool(64);
        let _store = Store::open(&pool, DATABASE, &files()).unwrap().store;
        pool.extend(options(400)).unwrap();
        assert_eq!(pool.extension_stats().unwrap().pages, 0);
    }
}

#[test]
fn the_extension_is_ignored_under_another_root() {
    let fixture = Fixture::new();
    fixture.pool.extend(options(400)).unwrap();
    fixture.use_all(10);
    let Fixture { machine, pool, store, pages } = fixture;
    pool.retract_warm().unwrap();
    change(&store, &machine.task(), pages[0], 0);
    checkpoint(&store).unwrap();
    pool.extend(options(400)).unwrap();
    assert_eq!(pool.extension_stats().unwrap().pages, 0);
}

/// A file that is not an extension is left as it is. An extension that a crash has left is used as
/// an empty one.
#[test]
fn a_file_that_is_none_of_an_extension_is_not_touched() {
    let fixture = Fixture::new();
    let env = fixture.machine.sim.env();
    for bytes in [&b"somebody's"[..], &[7; 3 * PAGE_BYTES], &[0; PAGE_BYTES]] {
        env.fs().write_new(EXTENSION.as_ref(), bytes).unwrap();
        let refused = fixture.pool.extend(options(400));
        assert!(matches!(refused, Err(ColdError::Foreign { .. })), "{refused:?}");
        assert_eq!(env.fs().read(EXTENSION.as_ref()).unwrap(), bytes);
        env.fs().remove_file(EXTENSION.as_ref()).unwrap();
    }
    fixture.pool.extend(options(400)).unwrap();
    fixture.use_all(1);
    fixture.pool.retract();
    fixture.pool.extend(options(400)).unwrap();
    assert_eq!(fixture.stats().pages, 0);
}

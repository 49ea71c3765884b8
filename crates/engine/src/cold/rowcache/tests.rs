use crossbeam_epoch::Collector;

use super::*;

const STORAGE: u64 = 7;
/// The first space that a cache gives.
const SPACE: u32 = 1;

fn name(p: &[u8]) -> RowName<'_> {
    RowName { space: SPACE, p }
}

struct Fixture {
    cache: RowCache,
    budget: Arc<Budget>,
    counts: Arc<TableCounts>,
    collector: Collector,
}

impl Fixture {
    fn new(budget: u64) -> Fixture {
        let (budget, counts) = (Budget::new(budget), Arc::new(TableCounts::new(2)));
        let cache = RowCache::new(budget.clone(), 64 << 20, 2).expect("there is address space");
        assert_eq!(cache.open_space(STORAGE, &counts), Some(SPACE));
        Fixture { cache, budget, counts, collector: Collector::new() }
    }

    fn admit(&self, n: u64, row: &[u8]) -> Admission {
        let handle = self.collector.register();
        self.cache.admit(&handle.pin(), 0, &self.counts, name(&n.to_be_bytes()), row, || true)
    }

    fn find(&self, n: u64) -> Option<Vec<u8>> {
        let handle = self.collector.register();
        let guard = handle.pin();
        self.cache.find(&guard, name(&n.to_be_bytes())).map(<[u8]>::to_vec)
    }

    fn kill(&self, n: u64) {
        self.cache.kill(&self.counts, name(&n.to_be_bytes()));
    }
}

fn row(n: u64) -> Vec<u8> {
    vec![n as u8; 100 + (n % 50) as usize]
}

#[test]
fn a_row_is_found_until_it_is_killed() {
    let fixture = Fixture::new(BUDGET_MIN);
    assert_eq!(fixture.find(1), None);
    assert_eq!(fixture.admit(1, &row(1)), Admission::Admitted);
    assert_eq!(fixture.find(1), Some(row(1)));
    assert_eq!(fixture.find(2), None);
    fixture.kill(1);
    assert_eq!(fixture.find(1), None);
    assert_eq!(fixture.admit(1, &row(9)), Admission::Admitted);
    assert_eq!(fixture.find(1), Some(row(9)));
}

#[test]
fn rows_of_other_spaces_are_other_rows() {
    let fixture = Fixture::new(BUDGET_MIN);
    fixture.admit(1, &row(1));
    let handle = fixture.collector.register();
    let guard = handle.pin();
    let space = fixture.cache.open_space(STORAGE, &fixture.counts).unwrap();
    let other = RowName { space, p: &1_u64.to_be_bytes() };
    assert!(fixture.cache.find(&guard, other).is_none());
    fixture.cache.admit(&guard, 0, &fixture.counts, other, &row(2), || true);
    assert_eq!(fixture.find(1), Some(row(1)));
    assert_eq!(fixture.cache.find(&guard, other), Some(&row(2)[..]));
}

#[test]
fn a_row_that_is_in_memory_by_then_is_withdrawn() {
    let fixture = Fixture::new(BUDGET_MIN);
    let handle = fixture.collector.register();
    let guard = handle.pin();
    let p = 1_u64.to_be_bytes();
    let unseen = || {
        // No reader believes the copy before this has answered.
        assert_eq!(fixture.find(1), None);
        false
    };
    let admission = fixture.cache.admit(&guard, 0, &fixture.counts, name(&p), &row(1), unseen);
    assert_eq!((admission, fixture.find(1)), (Admission::Withdrawn, None));
}

#[test]
fn a_row_that_is_killed_while_it_is_admitted_is_not_there() {
    let fixture = Fixture::new(BUDGET_MIN);
    let handle = fixture.collector.register();
    let p = 1_u64.to_be_bytes();
    let changed = || {
        fixture.kill(1);
        true
    };
    let admission =
        fixture.cache.admit(&handle.pin(), 0, &fixture.counts, name(&p), &row(1), changed);
    assert_eq!((admission, fixture.find(1)), (Admission::Withdrawn, None));
}

#[test]
fn a_long_row_is_refused() {
    let fixture = Fixture::new(BUDGET_MIN);
    assert_eq!(fixture.admit(1, &[0; ROW_MAX + 1]), Admission::Refused);
    assert_eq!(fixture.admit(1, &[5; ROW_MAX]), Admission::Admitted);
    assert_eq!(fixture.find(1), Some(vec![5; ROW_MAX]));
}

#[test]
fn a_full_cache_keeps_to_its_budget_and_admits_at_the_second_touch() {
    let fixture = Fixture::new(BUDGET_MIN);
    for n in 0..200_000 {
        fixture.admit(n, &row(n));
        assert!(fixture.budget.used() <= BUDGET_MIN);
    }
    let stats = fixture.counts.stats();
    assert!(stats.first_touches > 100_000, "{stats:?}");
    let before = stats.evicted;
    let (mut first, mut second) = (0, 0);
    for n in 1_000_000..1_002_000 {
        first += u32::from(fixture.admit(n, &row(n)) == Admission::Admitted);
        second += u32::from(fixture.admit(n, &row(n)) == Admission::Admitted);
    }
    // Bits are shared by some keys, and some are cleared between both.
    assert!(first < 100 && second > 1_900, "{first} and {second}");
    assert!(fixture.counts.stats().evicted > before);
}

#[test]
fn what_is_read_stays_while_other_rows_pass() {
    let fixture = Fixture::new(BUDGET_MIN);
    for n in 0..1_000 {
        fixture.admit(n, &row(n));
    }
    for n in 1_000..100_000 {
        // Twice, since the second touch counts.
        fixture.admit(n, &row(n));
        fixture.admit(n, &row(n));
        if n % 2 == 0 {
            fixture.find(n / 2 % 1_000);
        }
    }
    let kept = (0..1_000).filter(|&n| fixture.find(n).is_some()).count();
    let stats = fixture.counts.stats();
    assert!(kept > 950 && stats.evicted > 10_000, "{kept}, {stats:?}");
    assert!((0..1_000).all(|n| fixture.find(n).is_none_or(|found| found == row(n))));
}

#[test]
fn clearing_leaves_nothing() {
    let fixture = Fixture::new(BUDGET_MIN);
    for n in 0..30_000 {
        fixture.admit(n, &row(n));
    }
    let handle = fixture.collector.register();
    fixture.cache.clear(&handle.pin());
    let tables = tables_bytes(fixture.cache.slots());
    assert_eq!(fixture.budget.staying(), tables);
    assert!((0..30_000).all(|n| fixture.find(n).is_none()));
}

#[test]
fn threads_read_what_was_admitted_last_or_nothing() {
    let fixture = Fixture::new(BUDGET_MIN);
    std::thread::scope(|scope| {
        for shard in 0..3_usize {
            let fixture = &fixture;
            scope.spawn(move || {
                let handle = fixture.collector.register();
                for round in 0..150_000_u64 {
                    let n = round.wrapping_mul(0x9E37_79B9) % 40_000;
                    let p = n.to_be_bytes();
                    let guard = handle.pin();
                    match fixture.cache.find(&guard, name(&p)) {
                        Some(found) => assert_eq!(found, row(n)),
                        None => {
                            let counts = &fixture.counts;
                            fixture.cache.admit(&guard, shard, counts, name(&p), &row(n), || true);
                        }
                    }
                    if round % 64 == 0 {
                        fixture.kill(n);
                    }
                }
            });
        }
    });
    let stats = fixture.counts.stats();
    assert!(stats.evicted > 0 && stats.killed > 0, "{stats:?}");
}

#[test]
fn copies_that_were_touched_move_from_a_cold_block() {
    let fixture = Fixture::new(BUDGET_MIN);
    for n in 0..100_000 {
        fixture.admit(n, &row(n));
        fixture.admit(n, &row(n));
        if n % 10 == 0 {
            fixture.find(n);
        }
    }
    let stats = fixture.counts.stats();
    assert!(stats.moved > 5_000 && stats.evicted > 50_000, "{stats:?}");
}

fn key_name(key: &[u8]) -> KeyName<'_> {
    KeyName { space: SPACE, index: 1, key }
}

#[test]
fn a_row_is_found_by_another_key_as_long_as_it_has_a_copy() {
    let fixture = Fixture::new(BUDGET_MIN);
    let handle = fixture.collector.register();
    let guard = handle.pin();
    let find = |key: &[u8]| fixture.cache.find_named(&guard, key_name(key), |row| row[0] == 1);
    fixture.admit(1, &row(1));
    assert_eq!(find(b"one"), None);
    fixture.cache.name(&guard, 0, key_name(b"one"), name(&1_u64.to_be_bytes()));
    assert_eq!(find(b"one"), Some(&row(1)[..]));
    assert_eq!(find(b"two"), None);
    // What a name says is a hint: the row tells whether it has the key.
    assert!(fixture.cache.find_named(&guard, key_name(b"one"), |_| false).is_none());
    fixture.kill(1);
    assert_eq!(find(b"one"), None);
    fixture.admit(1, &row(1));
    assert_eq!(find(b"one"), Some(&row(1)[..]));
}

#[test]
fn the_index_grows_and_loses_no_copy() {
    let fixture = Fixture::new(64 << 20);
    let handle = fixture.collector.register();
    let before = fixture.cache.index.slots();
    let rows = 100_000_u64;
    for n in 0..rows {
        fixture.admit(n, &row(n));
        let guard = handle.pin();
        fixture.cache.name(&guard, 0, key_name(&n.to_le_bytes()), name(&n.to_be_bytes()));
        if n % 100 == 0 {
            fixture.cache.tend(&mut handle.pin());
        }
        if n % 1_000 == 0 {
            let found = (0..=n).filter(|&n| fixture.find(n).is_some()).count() as u64;
            assert!(found >= n - n / 25, "{found} of {n}");
        }
    }
    let slots = fixture.cache.index.slots();
    assert!(slots as u64 > rows && slots > 8 * before, "{slots}");
    let guard = handle.pin();
    let named = (0..rows).filter(|n| {
        let found = fixture.cache.find_named(&guard, key_name(&n.to_le_bytes()), |_| true);
        found.is_some_and(|found| found == row(*n))
    });
    // Names that were not used while the index grew twice are gone.
    let named = named.count();
    assert!(named > 40_000, "{named}");
    let runtime = crate::cold::tests::runtime(&env::Env::real());
    let contents = fixture.cache.contents(&Task::blocking(&runtime)).expect("not interrupted");
    let contents = contents[&SPACE];
    assert!(contents.rows > 98_000 && contents.rows <= rows, "{contents:?}");
    let stats = fixture.cache.stats();
    assert!(stats.slots < 8 * rows, "{stats:?}");
    assert_eq!(
        stats.block_bytes + stats.index_bytes + stats.sketch_bytes,
        fixture.budget.used(),
        "{stats:?}"
    );
}

#[test]
fn a_budget_that_becomes_less_is_kept_to() {
    let fixture = Fixture::new(32 << 20);
    for n in 0..100_000 {
        fixture.admit(n, &row(n));
    }
    assert!(fixture.budget.used() > 12 << 20);
    let handle = fixture.collector.register();
    fixture.budget.set_limit(8 << 20);
    for _ in 0..8 {
        fixture.cache.tend(&mut handle.pin());
    }
    assert!(fixture.budget.used() <= 8 << 20, "{}", fixture.budget.used());
}

#[test]
fn what_comes_back_soon_after_its_eviction_is_counted() {
    let fixture = Fixture::new(BUDGET_MIN);
    for n in 0..60_000 {
        fixture.admit(n, &row(n));
        fixture.admit(n, &row(n));
    }
    assert_eq!(fixture.counts.stats().reused, 0);
    let handle = fixture.collector.register();
    fixture.cache.tend(&mut handle.pin());
    let gone: Vec<u64> = (0..60_000).filter(|&n| fixture.find(n).is_none()).collect();
    for &n in gone.iter().rev().take(1_000) {
        fixture.admit(n, &row(n));
    }
    let reused = fixture.counts.stats().reused;
    assert!(reused > 10, "{reused}");
    assert!(fixture.budget.claim().remembered_bytes > 0);
}

#[test]
fn what_no_reader_finds_gives_its_memory_back() {
    let fixture = Fixture::new(64 << 20);
    for n in 0..50_000 {
        fixture.admit(n, &row(n));
    }
    let before = fixture.budget.used();
    fixture.cache.close_space(SPACE);
    let handle = fixture.collector.register();
    for _ in 0..16 {
        fixture.cache.tend(&mut handle.pin());
    }
    let after = fixture.budget.used();
    assert!(before > 8 << 20 && after < 3 << 20, "{before}, then {after}");
}

#[test]
fn eviction_ends_where_the_budget_does() {
    let fixture = Fixture::new(32 << 20);
    for n in 0..100_000 {
        fixture.admit(n, &row(n));
    }
    let (handle, other) = (fixture.collector.register(), fixture.collector.register());
    // A reader that holds back the epoch, so that nothing is freed.
    let _reader = other.pin();
    fixture.budget.set_limit(12 << 20);
    for _ in 0..20 {
        fixture.cache.tend(&mut handle.pin());
    }
    assert!(fixture.budget.used() > 14 << 20);
    let staying = fixture.budget.staying();
    assert!((11 << 20..=12 << 20).contains(&staying), "{staying}");
}

use super::*;
use env::sim::SplitMix;
use std::collections::HashMap;

/// A pool whose pages are only numbers.
struct Pool {
    queues: Queues,
    limit: usize,
    pages: Marked,
    misses: u64,
}

/// For each page, whether it was read, and its marks.
struct Marked(HashMap<u32, (bool, u8)>);

impl Residents for Marked {
    fn standing(&mut self, entry: Entry) -> Standing {
        let Some((wanted, marks)) = self.0.get_mut(&entry.frame.0) else {
            return Standing::Stale;
        };
        match std::mem::take(wanted) {
            true => Standing::Referenced(*marks),
            false => Standing::Idle,
        }
    }

    fn mark(&mut self, entry: Entry, marks: u8) {
        self.0.get_mut(&entry.frame.0).expect("it is here").1 = marks;
    }
}

impl Pool {
    fn new(limit: usize) -> Pool {
        let pages = Marked(HashMap::new());
        Pool { queues: Queues::default(), limit, pages, misses: 0 }
    }

    fn look(&mut self, page: u32, scan: bool) {
        if let Some((wanted, _)) = self.pages.0.get_mut(&page) {
            *wanted = true;
            return;
        }
        self.misses += 1;
        while self.pages.0.len() >= self.limit {
            let victim = self.queues.victim(&mut self.pages).expect("nothing is pinned");
            self.pages.0.remove(&victim.entry.frame.0);
            if !victim.from_main {
                self.queues.remember(&[u64::from(victim.entry.frame.0)], self.limit);
            }
        }
        let main = if self.queues.take_ghost(u64::from(page)) && !scan { MARK_MAIN } else { 0 };
        let marks = main | if scan { MARK_SCAN } else { 0 };
        self.pages.0.insert(page, (false, marks));
        self.queues.add(Entry { frame: FrameNumber(page), life: 0 }, marks);
    }
}

#[test]
fn a_scan_of_ten_times_the_pool_costs_the_hot_set_nothing() {
    const FRAMES: u32 = 1000;
    const HOT: u32 = 800;
    let mut rng = SplitMix::new(3);
    let mut pool = Pool::new(FRAMES as usize);
    for _ in 0..20 * HOT {
        pool.look(rng.below(u64::from(HOT)) as u32, false);
    }
    pool.misses = 0;
    let mut scan_misses = 0;
    for page in 0..10 * FRAMES {
        let before = pool.misses;
        (0..3).for_each(|_| pool.look(HOT + page, true)); // a chunk of rows at a time
        scan_misses += pool.misses - before;
        // A page of the hot set is read for every two pages of the scan.
        if page % 2 == 0 {
            pool.look(rng.below(u64::from(HOT)) as u32, false);
        }
    }
    assert_eq!(scan_misses, u64::from(10 * FRAMES));
    let hot_misses = pool.misses - scan_misses;
    assert!(hot_misses <= u64::from(HOT) / 20, "{hot_misses} misses of the hot set");
}

#[test]
fn pages_that_are_read_again_stay() {
    let mut pool = Pool::new(100);
    for round in 0..4 {
        for page in 0..50 {
            pool.look(page, false);
        }
        for page in 0..100 {
            pool.look(1000 + round * 100 + page, false); // read only once
        }
    }
    pool.misses = 0;
    (0..50).for_each(|page| pool.look(page, false));
    assert!(pool.misses <= 5, "{} misses", pool.misses);
}

#[test]
fn entries_out_of_date_do_not_pile_up() {
    let mut queues = Queues::default();
    for life in 0..100_000 {
        queues.add(Entry { frame: FrameNumber(0), life }, 0);
        queues.compact(1, |entry| entry.life != life);
    }
    assert!(queues.len() < 2000);
}

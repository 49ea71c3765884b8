use crossbeam_epoch::Collector;
use engine::wait::{Runtime, RuntimeOptions, ThreadTimer};

use super::*;

fn task() -> Task<'static> {
    let timer = Arc::new(ThreadTimer::new());
    let options = RuntimeOptions::default();
    Task::blocking(&Runtime::new(env::Env::real(), Collector::new(), timer, options))
}

fn pool(limit: usize, most: usize) -> Arc<GrantPool> {
    let pool = GrantPool::new();
    pool.set_limit(limit, most);
    pool
}

fn ask(wanted: usize, timeout_ns: u64) -> Ask {
    let session = SessionId(51);
    Ask { session, required: wanted, ideal: wanted, wanted, most: 300, timeout_ns }
}

#[test]
fn a_lease_grows_while_no_statement_waits() {
    let (pool, task) = (pool(1000, 300), task());
    assert_eq!(pool.most(), 250);
    let mut lease = pool.take(&task, ask(100, 0), &Arc::default()).unwrap();
    assert_eq!(lease.reach(), 300);
    assert!(lease.covers(100) && lease.bytes() == 100);
    assert!(lease.covers(110) && lease.bytes() == 150, "by half as much again");
    assert!(lease.covers(300) && !lease.covers(301));
    let others: Vec<Lease> =
        (0..6).map(|_| pool.take(&task, ask(100, 0), &Arc::default()).unwrap()).collect();
    assert_eq!(pool.taken(), 900);
    let error = pool.take(&task, ask(200, 0), &Arc::default()).unwrap_err();
    assert_eq!((error, pool.counts().timeouts), (WaitError::TimedOut, 1));
    assert_eq!(pool.unused(), 900, "no lease is used yet");
    drop((lease, others));
    assert_eq!((pool.taken(), pool.holders().len()), (0, 0));
}

#[test]
fn a_pool_that_becomes_smaller_leaves_leases_alone_and_starves_no_statement() {
    let (pool, task) = (pool(1000, 300), task());
    let mut lease = pool.take(&task, ask(200, 0), &Arc::default()).unwrap();
    pool.set_limit(100, 300);
    assert_eq!((pool.most(), lease.bytes()), (25, 200));
    assert!(lease.covers(200) && !lease.covers(201) && lease.reach() == 200);
    let error = pool.take(&task, ask(150, 0), &Arc::default()).unwrap_err();
    assert_eq!(error, WaitError::TimedOut);
    drop(lease);
    let lease = pool.take(&task, ask(150, 0), &Arc::default()).unwrap();
    assert_eq!((lease.bytes(), pool.taken()), (150, 150));
}

#[test]
fn leases_are_given_in_order_of_arrival() {
    const SECONDS: u64 = 60_000_000_000;
    let (pool, own) = (pool(1000, 1000), task());
    let mut held = pool.take(&own, ask(200, 0), &Arc::default()).unwrap();
    let rest = pool.take(&own, ask(700, 0), &Arc::default()).unwrap();
    let (done, order) = std::sync::mpsc::channel();
    let waiters: Vec<_> = [500, 100, 50]
        .into_iter()
        .enumerate()
        .map(|(before, wanted)| {
            let (pool, done) = (pool.clone(), done.clone());
            let waiter = std::thread::spawn({
                let pool = pool.clone();
                move || {
                    let lease = pool.take(&task(), ask(wanted, SECONDS), &Arc::default());
                    done.send(wanted).unwrap();
                    drop(lease.unwrap());
                }
            });
            while pool.waiting().len() <= before {
                std::thread::yield_now();
            }
            waiter
        })
        .collect();
    // There is room for the small ones, but they have come later; and a statement with a lease
    // does not get ahead.
    assert!(!held.covers(210) && held.reach() == 200);
    assert_eq!(pool.taken(), 900);
    drop(rest);
    waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    let mut served: Vec<usize> = order.try_iter().collect();
    served.sort_unstable();
    assert_eq!(served, [50, 100, 500]);
    assert_eq!((pool.taken(), pool.counts().waits), (200, 3));
}

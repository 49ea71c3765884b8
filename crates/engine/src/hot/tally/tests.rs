use super::*;

#[test]
fn a_limit_refuses_at_the_pool_that_has_it() {
    let server = Arc::new(Pool::new(1 << 20, None));
    let database = Arc::new(Pool::new(1 << 19, Some(server.clone())));
    let tally = Tally::new(2, database.clone());
    assert_eq!(database.admit(), Ok(()));
    assert!(tally.add(0, 1 << 19));
    assert_eq!(database.admit(), Err(Exhausted::Database));
    assert_eq!(database.admit_at_server(), Ok(()));
    database.set_limit(u64::MAX);
    assert!(tally.add(1, 1 << 19));
    assert_eq!(database.admit(), Err(Exhausted::Server));
    assert_eq!(database.admit_at_server(), Err(Exhausted::Server));
    assert_eq!(database.admit_definition(), Ok(()));
    assert_eq!((server.refused(), database.refused()), (2, 1));
    drop(tally);
    assert_eq!((server.total(), database.total()), (0, 0));
}

#[test]
fn small_changes_reach_the_pool_in_steps() {
    let pool = Arc::new(Pool::new(u64::MAX, None));
    let tally = Tally::new(1, pool.clone());
    for _ in 0..1000 {
        tally.add(0, 100);
    }
    let read = tally.read();
    assert_eq!((read.used_bytes, read.allocated_bytes), (100_000, 104_000));
    assert!(pool.total().abs_diff(104_000) < DRIFT as u64 && pool.total() > 0);
    for _ in 0..1000 {
        tally.add(0, -100);
    }
    assert_eq!(tally.read(), RowMemory::default());
}

use super::*;

#[test]
fn a_turn_that_does_not_end_is_stuck_until_it_ends() {
    let env = Env::real();
    let mut watch = Watch::default();
    let running = |resumes| {
        let thread = env::thread::current();
        [WorkerState { thread, resumes, is_running: true }; 2]
    };
    let began = Instant::now();
    watch.look(&env, &running(7), began);
    assert_eq!(watch.look(&env, &running(7), began + INTERVAL), 0);
    let mut sum = 0u64;
    while watch.look(&env, &running(7), began + INTERVAL) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the thread has worked long enough");
        sum = (0..100_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
    }
    assert!(watch.told.is_some());
    assert_eq!(watch.look(&env, &running(8), Instant::now()), 0);
}

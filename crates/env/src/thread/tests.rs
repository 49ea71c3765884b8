use super::*;

#[test]
fn a_thread_that_works_spends_time() {
    let env = Env::real();
    let spent = || cpu_ns(&env, current()).unwrap();
    let before = spent();
    let mut sum = 0u64;
    while spent() < before + 5_000_000 {
        sum = (0..100_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
    }
    std::thread::spawn(move || assert_ne!(current(), 0)).join().unwrap();
    assert_eq!(cpu_ns(&env, u32::MAX), None);
}

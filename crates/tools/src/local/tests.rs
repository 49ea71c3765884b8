use super::*;

#[test]
fn the_busiest_thread_tells_its_processor() {
    let own = std::process::id();
    let before = ThreadTimes::of(own);
    let found = std::iter::repeat_with(|| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        before.busiest_processor_since(own)
    });
    // The busiest may be another test's thread, which has ended by the time that it is asked.
    let processor = found.take(50).find_map(|processor| processor);
    let tells = std::fs::exists("/proc/self/schedstat").unwrap();
    assert_eq!(processor.is_some(), tells);
    assert!(processor.is_none_or(|processor| processor < 4096));
}

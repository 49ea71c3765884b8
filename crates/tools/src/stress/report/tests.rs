use super::*;
use crate::stress::tally::ErrorCount;

#[test]
fn numbers_and_times_are_easy_to_read() {
    assert_eq!(grouped(0), "0");
    assert_eq!(grouped(1_234_567), "1,234,567");
    assert_eq!(clock(Duration::from_millis(3_725_045)), "01:02:05.045");
    for (us, expected) in
        [(870, "870 us"), (1240, "1.24 ms"), (15_500, "15.5 ms"), (2_500_000, "2.50 s")]
    {
        assert_eq!(short(Duration::from_micros(us)), expected);
    }
}

#[test]
fn reports_say_what_went_wrong() {
    let mut tally = Tally { iterations: 5, batches: 5, ..Tally::default() };
    tally.times.record(Duration::from_micros(50));
    let first = "p, line 3: no".to_owned();
    tally.errors.insert(2627, ErrorCount { count: 1200, first });
    let shown = text(&tally, 1, Duration::from_secs(1));
    assert!(shown.contains("iterations      5 (5/s)"), "{shown}");
    assert!(shown.contains("1,200 of number 2627; p, line 3: no"), "{shown}");
    assert!(json(&tally, 1, Duration::from_secs(1)).ends_with("{\"2627\":1200}}"));
}

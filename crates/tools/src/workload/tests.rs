use super::*;

#[test]
fn the_last_seconds_are_whole_ones() {
    let by_second = vec![10, 20, 30, 40, 5];
    let run = |ms| Run {
        elapsed: Duration::from_millis(ms),
        by_second: by_second.clone(),
        ..Run::default()
    };
    assert_eq!(run(4100).first_and_last(2), Some((15.0, 35.0)));
    assert_eq!(run(4100).first_and_last(5), None);
    // No client got an answer in the last seconds.
    assert_eq!(run(7000).first_and_last(2), Some((15.0, 0.0)));
}

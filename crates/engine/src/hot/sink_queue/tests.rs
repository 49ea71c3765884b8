use super::*;

/// A commit of a hundred thousand rows was held back as long as one of a single row, so loads
/// took far more memory than they may.
#[test]
fn a_commit_is_held_back_for_as_much_as_it_has_written() {
    let queue = SinkQueue::new(1);
    assert_eq!(queue.delay_ns(1000), 0);
    queue.set_delay_ns(20_000_000);
    assert_eq!(queue.delay_ns(0), 0);
    assert_eq!(queue.delay_ns(1), 20_000_000);
    assert_eq!(queue.delay_ns(6400), 2_000_000_000);
    assert_eq!(queue.delay_ns(1 << 30), DELAY_MAX_NS);
}

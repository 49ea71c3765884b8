use super::*;

#[test]
fn shares_are_of_what_was_done_meanwhile() {
    let before = Activity { pages_read: 100, cache_hits: 7, tree_hits: 5, ..Activity::default() };
    let after = Activity { pages_read: 125, cache_hits: 37, tree_hits: 15, ..before };
    let done = after.since(&before);
    assert_eq!(resident_percent(done.pages_read, 100), 75.0);
    assert_eq!(resident_percent(done.pages_read, 10), 0.0);
    assert_eq!(done.cache_hit_percent(), Some(75.0));
    assert_eq!(before.since(&before).cache_hit_percent(), None);
}

use super::*;

const DB: DbId = DbId(5);
const A: SessionId = SessionId(51);
const B: SessionId = SessionId(52);

#[test]
fn a_database_is_exclusive_only_when_no_other_session_is_in_it() {
    let usage = DatabaseUsage::default();
    assert!(usage.enter(DB, A) && usage.enter(DB, A) && usage.enter(DB, B));
    assert!(!usage.try_exclusive(DB, A));
    usage.leave(DB, B);
    assert!(usage.try_exclusive(DB, A));
    assert!(!usage.enter(DB, B));
    assert_eq!(usage.sessions_in(DB), [A]);
    usage.release(DB);
    assert!(usage.enter(DB, B));
    usage.leave(DB, A);
    assert_eq!(usage.sessions_in(DB), [A, B], "it had entered twice");
}

#[test]
fn a_single_user_gives_way_to_the_next_one() {
    let usage = DatabaseUsage::default();
    usage.set_single(DB, true);
    assert!(usage.enter(DB, A) && !usage.enter(DB, B));
    usage.leave(DB, A);
    assert!(usage.enter(DB, B) && !usage.enter(DB, A));
    usage.set_single(DB, false);
    usage.release(DB);
    assert!(usage.enter(DB, A));
}

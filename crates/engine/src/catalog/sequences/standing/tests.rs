use super::*;

fn rules(minimum: i128, maximum: i128, increment: i128) -> Rules {
    let start = if increment > 0 { minimum } else { maximum };
    Rules { start, increment, minimum, maximum, cycle: false, cache: 10, life: 0 }
}

fn logged(standing: &mut Standing, end: u64) -> Mark {
    let ceiling = standing.ceiling_ahead();
    standing.raise(ceiling, Lsn(end));
    ceiling.mark
}

/// What the next life hands out after the log has said this.
fn after(rules: Rules, mark: Mark) -> Result<i64, SequenceError> {
    let mut standing = Standing::new(rules);
    standing.recover(Mark::decode(mark.encode()));
    standing.take()
}

#[test]
fn the_last_value_of_bigint_is_handed_out_once() {
    for increment in [1, -1, 1000, -1000] {
        let mut rules = rules(i64::MIN.into(), i64::MAX.into(), increment);
        rules.start = if increment > 0 { rules.maximum } else { rules.minimum };
        let mut standing = Standing::new(rules);
        assert_eq!(standing.take(), Ok(rules.start as i64));
        assert_eq!(standing.take(), Err(SequenceError::Exhausted));
        let mark = logged(&mut standing, 1);
        assert_eq!(after(rules, mark), Err(SequenceError::Exhausted));
        assert_eq!(standing.state().last_used, Some(rules.start as i64));
    }
}

#[test]
fn a_block_ends_where_the_round_does() {
    let mut standing = Standing::new(rules(1, 15, 1));
    for _ in 0..11 {
        standing.take().expect("in range");
    }
    let mark = logged(&mut standing, 1);
    assert_eq!(after(standing.rules, mark), Err(SequenceError::Exhausted));
    let cycling = Rules { cycle: true, ..standing.rules };
    assert_eq!(after(cycling, mark), Ok(1));
}

#[test]
fn a_new_round_is_covered_by_ceilings_of_its_own() {
    let cycling = Rules { cycle: true, cache: 1, ..rules(1, 3, 1) };
    let mut standing = Standing::new(cycling);
    for _ in 0..3 {
        standing.take().expect("it cycles");
        logged(&mut standing, 1);
    }
    assert_eq!(standing.take(), Ok(1));
    assert_eq!(standing.covered_by(), None, "the ceiling of the first round says nothing");
    let mark = logged(&mut standing, 2);
    assert_eq!(after(cycling, mark), Ok(2));
}

#[test]
fn a_ceiling_that_comes_too_late_is_of_an_earlier_life() {
    let old = rules(1, 100, 1);
    let mut standing = Standing::new(old);
    standing.take().expect("in range");
    let late = standing.ceiling_ahead();
    let new = Rules { start: 20, life: 1, ..old };
    standing.follow(new);
    standing.raise(late, Lsn(7));
    assert_eq!(standing.take(), Ok(20));
    assert_eq!(standing.covered_by(), None);
    assert_eq!(after(new, late.mark), Ok(20));
}

#[test]
fn ranges_go_round() {
    let cycling = Rules { cycle: true, ..rules(1, 10, 2) };
    let mut standing = Standing::new(cycling);
    let range = standing.take_range(3).expect("1, 3, 5");
    assert_eq!((range.first, range.last, range.cycles), (1, 5, 0));
    let range = standing.take_range(14).expect("7, 9, two rounds, 1, 3");
    assert_eq!((range.first, range.last, range.cycles), (7, 3, 3));
    assert_eq!(standing.take(), Ok(5));
    let mut standing = Standing::new(rules(1, 10, 2));
    assert_eq!(standing.take_range(6), Err(SequenceError::RangeTooLarge));
    assert_eq!(standing.take(), Ok(1), "what was refused was not taken");
}

#[test]
fn marks_survive_the_log() {
    for value in [i64::MIN, -1, 0, 1, i64::MAX] {
        for (is_last, used, life) in
            [(false, true, None), (true, true, Some(0)), (false, false, Some(u32::MAX))]
        {
            let mark = Mark { value, is_last, used, life };
            assert_eq!(Mark::decode(mark.encode()), mark);
        }
    }
    // As older servers wrote them.
    let old = Mark { value: -3, is_last: false, used: true, life: None };
    assert_eq!(old.encode(), 0xFFFF_FFFF_FFFF_FFFD);
}

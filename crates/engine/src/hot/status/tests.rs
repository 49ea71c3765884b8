use super::*;

#[test]
fn begin_words_keep_slot_and_statement() {
    for (slot, statement) in [(0, 0), (SLOTS_MAX - 1, (1 << STATEMENT_BITS) - 1), (77, 12345)] {
        let begin = Begin::owned(slot, statement);
        assert!(begin.is_owned() && begin.committed().is_none());
        assert_eq!((begin.slot(), begin.statement()), (slot, statement));
        assert_eq!(Begin::from_word(begin.deletion()), begin);
    }
    assert_eq!(Begin::stamp(Lsn(4096)).committed(), Some(Lsn(4096)));
}

#[test]
fn statement_numbers_go_on_from_one_occupant_to_the_next() {
    let slots = SlotTable::new(1);
    let a = slots.acquire(0, 1).expect("free");
    let first = slots.get(a).next_statement();
    slots.release(0, a);
    let b = slots.acquire(0, 2).expect("free");
    assert_eq!(a, b, "the last slot given back is the next one taken");
    assert_eq!(slots.get(b).next_statement(), first + 1);
}

#[test]
fn a_registered_snapshot_holds_the_horizon_back() {
    let slots = SlotTable::new(2);
    let horizon = Horizon::default();
    let slot = slots.acquire(0, 1).expect("free");
    assert_eq!(horizon.register(slots.get(slot), || Lsn(160)), Lsn(160));
    assert_eq!(horizon.advance(&slots, Lsn(800)).safe, Lsn(160));
    slots.get(slot).clear_snapshot();
    assert_eq!(horizon.advance(&slots, Lsn(800)).safe, Lsn(800));
    // A transaction that begins now cannot get a snapshot below what was claimed.
    let calls = std::cell::Cell::new(0);
    let got = horizon.register(slots.get(slot), || {
        calls.set(calls.get() + 1);
        if calls.get() == 1 { Lsn(480) } else { Lsn(960) }
    });
    assert_eq!((got, calls.get()), (Lsn(960), 2));
}

#[test]
fn the_fate_of_a_version_follows_its_owner() {
    let slots = SlotTable::new(1);
    let slot = slots.acquire(0, 9).expect("free");
    let begin = Begin::owned(slot, slots.get(slot).next_statement());
    let place = Word::new(begin.word());
    let fate = || slots.fate(&place, false);
    assert_eq!(fate(), Some(Fate::Owned { begin, status: Status::Active }));
    slots.get(slot).set_status(Status::Stamped(Lsn(320)));
    assert_eq!(fate(), Some(Fate::Owned { begin, status: Status::Stamped(Lsn(320)) }));
    assert!(!slots.settled_below(&place, false, Lsn(320), || unreachable!("it is higher")));
    slots.get(slot).set_status(Status::Committed(Lsn(320)));
    assert_eq!(fate(), Some(Fate::Committed(Lsn(320))));
    place.store(320, Release);
    slots.release(0, slot);
    assert_eq!(fate(), Some(Fate::Committed(Lsn(320))));
    assert!(slots.settled_below(&place, false, Lsn(336), || {}));
}

//! The protocols around begin words, on bare words: a word stands for the begin word of a
//! version, and a shared flag for its memory.

use super::*;
use crate::sync::atomic::AtomicBool;
use crate::sync::{Arc, thread};

/// The end of the log: the next stamp, and the position below which all transactions have
/// published their fate.
#[derive(Default)]
struct Log {
    tail: AtomicU64,
    committed: AtomicU64,
}

impl Log {
    fn new() -> Log {
        Log { tail: AtomicU64::new(16), committed: AtomicU64::new(16) }
    }

    fn reserve(&self) -> Lsn {
        Lsn(self.tail.fetch_add(16, AcqRel))
    }

    /// Publishes in order, as the ring does.
    fn publish(&self, stamp: Lsn) {
        while self.committed.load(Acquire) != stamp.0 {
            thread::yield_now();
        }
        self.committed.store(stamp.0 + 16, Release);
    }

    fn committed(&self) -> Lsn {
        Lsn(self.committed.load(Acquire))
    }
}

fn sees(place: &Word, snapshot: Lsn, slots: &SlotTable) -> bool {
    matches!(slots.fate(place, false), Some(Fate::Committed(stamp)) if stamp < snapshot)
}

#[test]
fn what_a_snapshot_sees_does_not_change_while_peers_commit() {
    shuttle::check_random(
        || {
            let slots = Arc::new(SlotTable::new(1));
            let log = Arc::new(Log::new());
            let places = Arc::new([Word::new(0), Word::new(0)]);
            let writer = |n: usize| {
                let (slots, log, places) = (slots.clone(), log.clone(), places.clone());
                let slot = slots.acquire(0, 1).expect("free");
                let own = slots.get(slot);
                places[n].store(Begin::owned(slot, own.next_statement()).word(), Release);
                thread::spawn(move || {
                    let own = slots.get(slot);
                    own.set_status(Status::Preparing);
                    let stamp = log.reserve();
                    own.set_status(Status::Stamped(stamp));
                    own.set_status(Status::Committed(stamp));
                    log.publish(stamp);
                    places[n].store(stamp.0, Release);
                    slots.release(0, slot);
                    // The slot's next occupant has another status.
                    let again = slots.acquire(0, 2).expect("free");
                    slots.get(again).set_status(Status::Aborted);
                    slots.release(0, again);
                })
            };
            let writers = [writer(0), writer(1)];
            let snapshot = log.committed();
            let first = [0, 1].map(|n| sees(&places[n], snapshot, &slots));
            let second = [0, 1].map(|n| sees(&places[n], snapshot, &slots));
            assert_eq!(first, second);
            writers.into_iter().for_each(|w| w.join().expect("no panic"));
            let third = [0, 1].map(|n| sees(&places[n], snapshot, &slots));
            assert_eq!(first, third, "what was not seen stays unseen");
            let now = log.committed();
            assert_eq!([0, 1].map(|n| sees(&places[n], now, &slots)), [true, true]);
        },
        5000,
    );
}

#[test]
fn only_one_of_two_that_read_each_others_row_commits() {
    shuttle::check_random(
        || {
            let slots = Arc::new(SlotTable::new(1));
            let log = Arc::new(Log::new());
            let places = Arc::new([Word::new(0), Word::new(0)]);
            let begin = |n: usize| {
                let slot = slots.acquire(0, 1).expect("free");
                let statement = slots.get(slot).next_statement();
                places[n].store(Begin::owned(slot, statement).word(), Release);
                slot
            };
            let parts = [begin(0), begin(1)];
            let commit = |n: usize| {
                let (slots, log, places) = (slots.clone(), log.clone(), places.clone());
                thread::spawn(move || {
                    let own = slots.get(parts[n]);
                    own.set_status(Status::Preparing);
                    let stamp = log.reserve();
                    own.set_status(Status::Stamped(stamp));
                    // The other transaction has replaced what this one has read.
                    let invalid = slots.settled_below(&places[1 - n], false, stamp, || {
                        thread::yield_now();
                    });
                    own.set_status(match invalid {
                        true => Status::Aborted,
                        false => Status::Committed(stamp),
                    });
                    log.publish(stamp);
                    !invalid
                })
            };
            let committed: Vec<bool> =
                [commit(0), commit(1)].into_iter().map(|t| t.join().expect("no panic")).collect();
            assert_eq!(committed.iter().filter(|c| **c).count(), 1, "{committed:?}");
        },
        5000,
    );
}

#[test]
fn nothing_that_a_registered_snapshot_needs_is_reclaimed() {
    shuttle::check_random(
        || {
            let slots = Arc::new(SlotTable::new(2));
            let log = Arc::new(Log::new());
            let horizon = Arc::new(Horizon::default());
            // The old version was replaced by the commit at 32.
            let freed = Arc::new(AtomicBool::new(false));
            log.tail.store(48, Release);
            log.committed.store(32, Release);
            let committer = {
                let log = log.clone();
                thread::spawn(move || log.publish(Lsn(32)))
            };
            let reclaimer = {
                let (slots, log, horizon, freed) =
                    (slots.clone(), log.clone(), horizon.clone(), freed.clone());
                thread::spawn(move || {
                    for _ in 0..2 {
                        if horizon.advance(&slots, log.committed()).safe > Lsn(32) {
                            freed.store(true, SeqCst);
                        }
                    }
                })
            };
            let slot = slots.get(slots.acquire(0, 1).expect("free"));
            let snapshot = horizon.register(slot, || log.committed());
            if snapshot <= Lsn(32) {
                assert!(!freed.load(SeqCst), "the snapshot sees the old version");
                thread::yield_now();
                assert!(!freed.load(SeqCst), "and goes on seeing it");
            }
            slot.clear_snapshot();
            committer.join().expect("no panic");
            reclaimer.join().expect("no panic");
        },
        5000,
    );
}

//! What the cache decides for a table by what it has done: how readily rows get copies, and which
//! indexes' keys lead to them.

use super::counts::LookUpStats;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};
use crate::sync::parking::Mutex;

/// Whether the keys of an index lead to copies: `INDEX_HASH_CACHING`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Naming {
    /// As long as it is useful.
    #[default]
    AsUseful = 0,
    /// Always.
    Always = 1,
    /// Never.
    Never = 2,
}

/// Look-ups by the whole key of an index in an interval, below which nothing is decided.
const LOOK_UPS_MIN: u64 = 1_000;
/// Keys of an index lead to copies if at least one in this many look-ups finds one.
const USEFUL_PART: u64 = 10;
/// Intervals after which it is tried again.
const PAUSE: u32 = 30;

/// Whether keys of an index lead to copies.
#[derive(Debug)]
pub struct Names {
    mode: AtomicU8,
    /// Intervals that are left until it is tried again. In the last one they do, but it is not
    /// judged: they are written down first.
    pause: AtomicU32,
    before: Mutex<LookUpStats>,
}

impl Default for Names {
    fn default() -> Names {
        let (mode, pause) = (AtomicU8::new(Naming::AsUseful as u8), AtomicU32::new(0));
        Names { mode, pause, before: Mutex::default() }
    }
}

impl Names {
    /// What is asked for.
    pub fn set(&self, mode: Naming) {
        self.mode.store(mode as u8, Relaxed);
    }

    /// Whether the keys lead to copies now.
    #[inline]
    pub fn are_used(&self) -> bool {
        let mode = self.mode.load(Relaxed);
        mode == Naming::Always as u8
            || mode == Naming::AsUseful as u8 && self.pause.load(Relaxed) <= 1
    }

    /// Decides anew, once in an interval. While there is room, what is not found may be found
    /// later.
    pub(super) fn tune(&self, now: LookUpStats, is_full: bool) {
        let pause = self.pause.load(Relaxed);
        let mut before = self.before.lock();
        if !is_full {
            self.pause.store(0, Relaxed);
            *before = now;
            return;
        }
        // Hits are counted by threads that may lose some to each other.
        let hits = now.hits.saturating_sub(before.hits);
        let others = |of: LookUpStats| of.tree_hits + of.misses;
        let all = hits + others(now).saturating_sub(others(*before));
        if pause > 0 {
            self.pause.store(pause - 1, Relaxed);
            *before = now;
        } else if all >= LOOK_UPS_MIN {
            if hits * USEFUL_PART < all {
                self.pause.store(PAUSE, Relaxed);
            }
            *before = now;
        }
    }
}

/// A probability of one.
const ALWAYS: u32 = 256;
/// The least probability.
const SELDOM: u32 = 16;
/// Evictions of a table's copies in an interval, below which nothing is decided.
const EVICTIONS_MIN: u64 = 256;

/// How readily rows of a table get copies while the cache is full.
#[derive(Debug)]
pub struct Admissions {
    /// The probability, in parts of [`ALWAYS`].
    probability: AtomicU32,
    decision: Mutex<State>,
    tries: AtomicU64,
}

/// What was known when it was decided last.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    evicted_bytes: u64,
    evicted: u64,
    reused: u64,
    last: AdmissionDecision,
}

/// A decision about a table, and its reason.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AdmissionDecision {
    /// The probability with which a row that is looked up a second time gets a copy while the cache
    /// is full.
    pub probability: f64,
    /// The probability before.
    pub before: f64,
    /// Of each MB of the table's copies that was evicted since the decision before, how many rows
    /// were looked up again soon.
    pub reuse: f64,
    /// The same of all tables' copies.
    pub mean_reuse: f64,
    /// How often it was decided.
    pub count: u64,
}

impl Default for AdmissionDecision {
    fn default() -> AdmissionDecision {
        AdmissionDecision { probability: 1.0, before: 1.0, reuse: 0.0, mean_reuse: 0.0, count: 0 }
    }
}

impl Default for Admissions {
    fn default() -> Admissions {
        let (probability, tries) = (AtomicU32::new(ALWAYS), AtomicU64::new(0));
        Admissions { probability, decision: Mutex::default(), tries }
    }
}

/// What was evicted of a table since the last decision, and came back.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Reuse {
    pub evicted: u64,
    pub evicted_bytes: u64,
    pub reused: u64,
}

impl Reuse {
    /// Rows that came back, for each MB that was evicted.
    fn rate(self) -> f64 {
        self.reused as f64 * 1e6 / self.evicted_bytes.max(1) as f64
    }
}

impl Admissions {
    /// Whether a row gets a copy, the cache being full.
    #[inline]
    pub(super) fn allow(&self) -> bool {
        let probability = self.probability.load(Relaxed);
        probability == ALWAYS || {
            let tries = self.tries.fetch_add(1, Relaxed);
            let random = tries.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
            (random as u32) < probability
        }
    }

    /// What has happened since the last decision.
    pub(super) fn since(&self, evicted: u64, evicted_bytes: u64, reused: u64) -> Reuse {
        let before = self.decision.lock();
        Reuse {
            evicted: evicted - before.evicted,
            evicted_bytes: evicted_bytes - before.evicted_bytes,
            reused: reused - before.reused,
        }
    }

    /// Decides anew: rows of a table that come back less than half as often as all do, for each
    /// byte that their copies take, get copies less readily, and others more.
    pub(super) fn tune(&self, own: Reuse, all: Reuse) {
        if own.evicted < EVICTIONS_MIN {
            return;
        }
        let (reuse, mean_reuse) = (own.rate(), all.rate());
        let before = self.probability.load(Relaxed);
        let probability = if reuse < mean_reuse / 2.0 {
            (before / 2).max(SELDOM)
        } else {
            (before * 2).min(ALWAYS)
        };
        self.probability.store(probability, Relaxed);
        let mut state = self.decision.lock();
        let share = |probability: u32| f64::from(probability) / f64::from(ALWAYS);
        let count = state.last.count + 1;
        *state = State {
            evicted: state.evicted + own.evicted,
            evicted_bytes: state.evicted_bytes + own.evicted_bytes,
            reused: state.reused + own.reused,
            last: AdmissionDecision {
                probability: share(probability),
                before: share(before),
                reuse,
                mean_reuse,
                count,
            },
        };
    }

    /// The last decision.
    pub(super) fn last(&self) -> AdmissionDecision {
        self.decision.lock().last
    }

    /// Every row gets a copy from now on, until it is decided anew.
    pub(super) fn reset(&self) {
        self.probability.store(ALWAYS, Relaxed);
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn keys_that_lead_nowhere_are_left_alone_for_a_while() {
        let names = Names::default();
        let look_ups = |hits, tree_hits| LookUpStats { hits, tree_hits, misses: 0 };
        names.tune(look_ups(0, 5_000), false);
        assert!(names.are_used(), "the cache is not full");
        names.tune(look_ups(500, 5_500), true);
        assert!(names.are_used());
        names.tune(look_ups(510, 6_400), true);
        assert!(names.are_used(), "too few look-ups to tell");
        names.tune(look_ups(520, 7_000), true);
        assert!(!names.are_used());
        names.set(Naming::Always);
        assert!(names.are_used());
        names.set(Naming::AsUseful);
        for _ in 1..PAUSE {
            assert!(!names.are_used());
            names.tune(look_ups(520, 9_000), true);
        }
        assert!(names.are_used());
        names.tune(look_ups(520, 12_000), true);
        assert!(names.are_used(), "the first interval is not judged");
        names.set(Naming::Never);
        assert!(!names.are_used());
    }

    #[test]
    fn rows_that_do_not_come_back_get_copies_less_readily() {
        let admissions = Admissions::default();
        let reuse = |reused| Reuse { evicted: 1_000, evicted_bytes: 1 << 20, reused };
        admissions.tune(reuse(100), reuse(100));
        assert_eq!(admissions.last().probability, 1.0);
        for probability in [0.5, 0.25, 0.125, 0.0625, 0.0625] {
            admissions.tune(reuse(10), reuse(100));
            assert_eq!(admissions.last().probability, probability);
        }
        let allowed = (0..1_600).filter(|_| admissions.allow()).count();
        assert!((80..120).contains(&allowed), "{allowed}");
        admissions.tune(reuse(60), reuse(100));
        assert_eq!(admissions.last().probability, 0.125);
        admissions.tune(Reuse { evicted: 10, ..reuse(0) }, reuse(100));
        assert_eq!(admissions.last().count, 7, "too few evictions to tell");
    }
}

//! Slows down clients that guess passwords.
//!
//! Failures are counted per login and address. After a few, each further attempt on that login from
//! that address is answered later, by one second at most; attempts on other logins, and from other
//! addresses, are not. A right password clears the count; otherwise it is forgotten after a while.
//! No login is ever locked out.
//!
//! Checking a password takes processor time on purpose, so attempts queue for it. A pair that
//! fails, or has many attempts under way, is *suspect*: the server gives suspects one queue of
//! their own, so that guesses, however many, do not delay the logins of other clients.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

/// Wrong passwords that are free, and attempts under way that are not suspect.
const FREE: u32 = 5;
const DELAY_MIN_MS: u64 = 100;
const DELAY_MAX_MS: u64 = 1000;
const FORGET_AFTER_NS: u64 = 10 * 60 * 1_000_000_000;
/// Pairs that are remembered at a time.
const PAIRS_MAX: usize = 10_000;

/// A login, as the client names it, and where the client is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Pair {
    from: IpAddr,
    login: Box<str>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    failures: u32,
    /// When the last of them was.
    last_ns: u64,
    /// Attempts that have begun and are not decided.
    under_way: u32,
}

/// Recent failures. Times are nanoseconds on the monotonic clock.
#[derive(Default)]
pub struct Throttle {
    pairs: Mutex<HashMap<Pair, Known>>,
}

/// An attempt to log in, from its beginning to its end.
pub struct Attempt<'t> {
    throttle: &'t Throttle,
    pair: Pair,
}

impl Throttle {
    /// An attempt on a login begins.
    pub fn begin(&self, from: IpAddr, login: &str) -> Attempt<'_> {
        // Names of logins are compared without case by most collations; too many pairs in one do no
        // harm.
        let pair = Pair { from: from.to_canonical(), login: login.to_lowercase().into() };
        self.lock().entry(pair.clone()).or_default().under_way += 1;
        Attempt { throttle: self, pair }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Pair, Known>> {
        self.pairs.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Known {
    fn recent_failures(self, now_ns: u64) -> u32 {
        let is_recent = now_ns.saturating_sub(self.last_ns) < FORGET_AFTER_NS;
        if is_recent { self.failures } else { 0 }
    }
}

impl Attempt<'_> {
    fn known(&self) -> Known {
        self.throttle.lock().get(&self.pair).copied().unwrap_or_default()
    }

    /// How long the attempt has to wait.
    pub fn delay(&self, now_ns: u64) -> Duration {
        match self.known().recent_failures(now_ns).saturating_sub(FREE) {
            0 => Duration::ZERO,
            n => Duration::from_millis((DELAY_MIN_MS << n.min(10)).min(DELAY_MAX_MS)),
        }
    }

    /// Whether the login's password is checked after those of other logins.
    pub fn is_suspect(&self, now_ns: u64) -> bool {
        let known = self.known();
        known.under_way > FREE || known.recent_failures(now_ns) > FREE
    }

    /// The password was wrong.
    pub fn failed(self, now_ns: u64) {
        let mut pairs = self.throttle.lock();
        if pairs.len() >= PAIRS_MAX {
            pairs.retain(|_, known| known.under_way > 0 || known.recent_failures(now_ns) > 0);
        }
        if pairs.len() >= PAIRS_MAX {
            // An attack on everything at once; a pair that goes on guessing is known again soon.
            pairs.clear();
        }
        let known = pairs.entry(self.pair.clone()).or_default();
        known.failures = known.recent_failures(now_ns).saturating_add(1);
        known.last_ns = now_ns;
    }

    /// The password was right.
    pub fn succeeded(self) {
        if let Some(known) = self.throttle.lock().get_mut(&self.pair) {
            known.failures = 0;
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let mut pairs = self.throttle.lock();
        // The pair is gone where all were forgotten meanwhile.
        let Some(known) = pairs.get_mut(&self.pair) else { return };
        known.under_way = known.under_way.saturating_sub(1);
        if known.under_way == 0 && known.failures == 0 {
            pairs.remove(&self.pair);
        }
    }
}

#[cfg(test)]
mod tests;

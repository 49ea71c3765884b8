//! Slows down those who guess passwords.
//!
//! After a few wrong passwords from one address, each further attempt from there is answered later,
//! up to some seconds. A right password makes up for all wrong ones; otherwise they are forgotten
//! after a while. Nobody is ever locked out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

/// Wrong passwords that are free.
const FREE: u32 = 5;
const DELAY_MIN_MS: u64 = 100;
const DELAY_MAX_MS: u64 = 5000;
const FORGET_AFTER_NS: u64 = 10 * 60 * 1_000_000_000;
/// Addresses that are remembered at a time.
const ADDRESSES_MAX: usize = 10_000;

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last_ns: u64,
}

/// Who has given wrong passwords lately. Times are nanoseconds on the monotonic clock.
#[derive(Default)]
pub struct Throttle {
    failures: Mutex<HashMap<IpAddr, Failures>>,
}

impl Throttle {
    /// How long an attempt from this address has to wait.
    pub fn delay(&self, from: IpAddr, now_ns: u64) -> Duration {
        let failures = self.lock();
        let recent = failures.get(&from).filter(|f| now_ns - f.last_ns < FORGET_AFTER_NS);
        let beyond = recent.map_or(0, |f| f.count.saturating_sub(FREE));
        match beyond {
            0 => Duration::ZERO,
            n => Duration::from_millis((DELAY_MIN_MS << n.min(10)).min(DELAY_MAX_MS)),
        }
    }

    /// A password was wrong.
    pub fn failed(&self, from: IpAddr, now_ns: u64) {
        let mut failures = self.lock();
        if failures.len() >= ADDRESSES_MAX {
            failures.retain(|_, f| now_ns - f.last_ns < FORGET_AFTER_NS);
        }
        if failures.len() >= ADDRESSES_MAX {
            // Under attack from everywhere; whoever guesses fastest is found again soon.
            failures.clear();
        }
        let entry = failures.entry(from).or_insert(Failures { count: 0, last_ns: now_ns });
        if now_ns - entry.last_ns >= FORGET_AFTER_NS {
            entry.count = 0;
        }
        entry.count = entry.count.saturating_add(1);
        entry.last_ns = now_ns;
    }

    /// A password was right.
    pub fn succeeded(&self, from: IpAddr) {
        self.lock().remove(&from);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<IpAddr, Failures>> {
        self.failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const A: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const B: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    #[test]
    fn guessing_becomes_slow_for_the_one_who_guesses() {
        let throttle = Throttle::default();
        (0..FREE).for_each(|_| throttle.failed(A, 0));
        assert_eq!(throttle.delay(A, 0), Duration::ZERO);
        throttle.failed(A, 0);
        assert_eq!(throttle.delay(A, 0), Duration::from_millis(200));
        (0..100).for_each(|_| throttle.failed(A, 0));
        assert_eq!(throttle.delay(A, 0), Duration::from_millis(DELAY_MAX_MS));
        assert_eq!(throttle.delay(B, 0), Duration::ZERO);
        throttle.succeeded(A);
        assert_eq!(throttle.delay(A, 0), Duration::ZERO);
    }

    #[test]
    fn wrong_passwords_are_forgotten() {
        let throttle = Throttle::default();
        (0..100).for_each(|_| throttle.failed(A, 0));
        assert_eq!(throttle.delay(A, FORGET_AFTER_NS), Duration::ZERO);
        throttle.failed(A, FORGET_AFTER_NS);
        assert_eq!(throttle.delay(A, FORGET_AFTER_NS), Duration::ZERO);
    }

    #[test]
    fn memory_is_bounded() {
        let throttle = Throttle::default();
        for n in 0..2 * ADDRESSES_MAX as u32 {
            throttle.failed(IpAddr::V4(Ipv4Addr::from_bits(n)), 0);
        }
        assert!(throttle.lock().len() <= ADDRESSES_MAX);
    }
}

//! Durations, counted in buckets no wider than 1/64 of what they hold, so that quantiles of any
//! number of measurements take fixed memory and are right to 1.6 %.

use std::time::Duration;

/// Buckets for each doubling.
const STEPS: u64 = 64;
/// Enough for 2^40 microseconds, which is twelve days.
const BUCKETS: usize = ((40 - 6 + 2) * STEPS) as usize;

/// A count of durations.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    max_us: u64,
    total_us: u128,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: vec![0; BUCKETS].into(), count: 0, max_us: 0, total_us: 0 }
    }
}

impl Histogram {
    /// Counts a duration.
    pub fn record(&mut self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.counts[bucket(us)] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(us);
        self.total_us += u128::from(us);
    }

    /// Adds what another one has counted.
    pub fn add(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.count += other.count;
        self.max_us = self.max_us.max(other.max_us);
        self.total_us += other.total_us;
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest one.
    pub fn max(&self) -> Duration {
        Duration::from_micros(self.max_us)
    }

    /// The average; zero when nothing was counted.
    pub fn mean(&self) -> Duration {
        let mean = self.total_us / u128::from(self.count.max(1));
        Duration::from_micros(u64::try_from(mean).unwrap_or(u64::MAX))
    }

    /// The duration that this share of all (0 to 1) does not exceed; zero when nothing was counted.
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = ((self.count as f64 * share).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_micros(upper_edge(place).min(self.max_us));
            }
        }
        self.max()
    }
}

fn bucket(us: u64) -> usize {
    if us < STEPS {
        return us as usize;
    }
    let doublings = us.ilog2() - STEPS.ilog2();
    let place = u64::from(doublings) * STEPS + (us >> doublings);
    (place as usize).min(BUCKETS - 1)
}

/// The largest value in a bucket.
fn upper_edge(place: usize) -> u64 {
    let place = place as u64;
    if place < STEPS {
        return place;
    }
    let doublings = place / STEPS - 1;
    let steps = place % STEPS + STEPS;
    ((steps + 1) << doublings) - 1
}

#[cfg(test)]
mod tests;

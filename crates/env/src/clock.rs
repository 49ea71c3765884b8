//! Time: a monotonic clock for durations, and the wall clock for dates.

use std::fmt::Debug;

/// Ticks of 100 ns from 0001-01-01 00:00:00 to 1970-01-01 00:00:00, both UTC.
pub const UNIX_EPOCH_TICKS: u64 = 719_162 * 86_400 * TICKS_PER_SECOND;
/// Ticks of the wall clock in a second.
pub const TICKS_PER_SECOND: u64 = 10_000_000;

/// Where time comes from.
pub trait Clock: Send + Sync + Debug {
    /// Nanoseconds since some moment in the past; never goes back. Differences are durations.
    fn now_ns(&self) -> u64;

    /// The date and time in UTC, in ticks of 100 ns since 0001-01-01 00:00:00. May jump when
    /// the clock is set.
    fn utc_ticks(&self) -> u64;

    /// Minutes to add to UTC for local time at that moment (ticks as [`Clock::utc_ticks`] gives
    /// them): positive east of Greenwich, daylight saving included.
    fn local_offset_minutes(&self, utc_ticks: u64) -> i32;

    /// IANA's name of the local time zone, like `Europe/Paris`; `None` if it is not known.
    fn local_zone(&self) -> Option<&str>;

    /// Nanoseconds that the calling thread has spent on a processor. Differences are durations.
    fn thread_cpu_ns(&self) -> u64;

    /// Blocks the calling thread for that long. Simulated clocks jump instead.
    fn sleep_ns(&self, duration_ns: u64);
}

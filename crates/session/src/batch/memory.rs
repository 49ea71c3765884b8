//! The memory that statements ask for before they run.

use base::{SqlError, message};
use compile::plan::optimize::MemoryNeed;
use engine::wait::WaitError;
use run::interp::grants::Ask;

use crate::context::Context;
use crate::fault::Run;

/// What an operator that keeps rows needs to run at all: a few blocks of files.
const OPERATOR_MIN: usize = 128 << 10;
/// Memory for which room is made at once, rather than when it is looked at next.
const LARGE_LEASE: usize = 8 << 20;
/// How long a statement without cost waits, if the limits do not say.
const TIMEOUT_MIN_S: f64 = 25.0;
/// How many rows a server looks at in a second, about.
const ROWS_A_SECOND: f64 = 1e6;

impl Context<'_> {
    /// Waits for the memory that a statement needs. Returns whether it has a lease now. Inside of a
    /// statement that has one, it needs none. Errors 8645, 8657.
    pub(super) fn take_memory(&mut self, need: &MemoryNeed) -> Run<bool> {
        if self.runtime.grant.has_lease() {
            return Ok(false);
        }
        let instance = self.session.instance.clone();
        let (pool, limits) = (&instance.grants, instance.grant_limits());
        let operators = OPERATOR_MIN.saturating_mul(need.operators as usize);
        let required = operators.min(pool.most()).max(limits.query_min_bytes);
        if required > pool.most() {
            let kilobytes = required >> 10;
            let args: [&dyn std::fmt::Display; 5] = [&kilobytes, &"default", &2, &"default", &2];
            return Err(SqlError::new(&message::QUERY_MEMORY_UNAVAILABLE, &args).into());
        }
        let percent = |percent: f64| (pool.most() as f64 * percent / 100.0) as usize;
        let least = need.min_percent.map_or(required, percent).max(required);
        let most = need.max_percent.map_or(pool.most(), percent).max(least);
        let ideal = usize::try_from(need.bytes).unwrap_or(usize::MAX);
        let timeout_s = match limits.wait_s {
            Some(seconds) => seconds,
            None => TIMEOUT_MIN_S * (need.cost / ROWS_A_SECOND).clamp(1.0, 3456.0),
        };
        let ask = Ask {
            session: self.session.id(),
            required,
            ideal: ideal.max(required),
            wanted: ideal.clamp(least, most),
            most,
            timeout_ns: (timeout_s * 1e9) as u64,
        };
        match pool.take(self.task, ask, self.runtime.grant.usage()) {
            Ok(lease) => {
                if lease.bytes() >= LARGE_LEASE {
                    // Pages are to leave before it is used.
                    instance.share_memory();
                }
                self.runtime.grant.begin_lease(lease);
                Ok(true)
            }
            Err(WaitError::TimedOut) => {
                let args: [&dyn std::fmt::Display; 2] = [&"default", &2];
                Err(SqlError::new(&message::OUT_OF_QUERY_MEMORY, &args).into())
            }
            Err(WaitError::Interrupted(_)) => {
                Err(SqlError::new(&message::COMMAND_CANCELLED, &[]).into())
            }
        }
    }
}

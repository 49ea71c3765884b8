//! How `max server memory` is shared out: rows, statements and plans get no more than their shares,
//! and pages of disk tables what all others leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

use base::Account;
use engine::catalog::Catalog;
use run::interp::grants::GrantPool;
use run::interp::memory::Grant;

use super::{Instance, setting};

/// What of `max server memory` is left free, since others take memory faster than pages can leave:
/// one in this many.
const SLACK: u64 = 32;
/// What of `max server memory` pages have at least, whatever else takes memory: one in this many.
const LEAST_SHARE_OF_PAGES: u64 = 8;
/// What values have at least: one in this many.
const LEAST_SHARE_OF_VALUES: u64 = 8;
/// By which part pages become fewer at a time, where statements were granted memory that they have
/// not taken.
const STEPS_OF_PAGES: u64 = 32;
/// What rows may take of it at most, in per cent; SQL Server has 70 to 90, depending on the amount.
const MOST_PERCENT_OF_ROWS: u64 = 75;
/// ... and what must be left beside rows, pages and logs, for what programs, sessions and
/// transactions take.
const LEFT_BY_ROWS: u64 = 64 << 20;
/// What rows may take in any case: one in this many.
const LEAST_SHARE_OF_ROWS: u64 = 2;
/// What plans may take of it at most: one in this many.
const MOST_SHARE_OF_PLANS: usize = 8;
/// What the statements of one session may take of it at most: one in this many.
const MOST_SHARE_OF_A_SESSION: usize = 2;
/// What statements that sort and hash may take of it at most, all together: one in this many.
const MOST_SHARE_OF_QUERIES: usize = 2;

/// What every statement must be able to have: the least that it asks for, unless more is
/// configured.
const QUERY_MEMORY_MIN: usize = 1 << 20;

/// What statements may use, in bytes, beside rows of tables.
#[derive(Clone, Copy, Debug)]
pub struct StatementMemory {
    /// The statements of one session.
    pub session: usize,
    /// What the statements of all sessions may ask for before they run.
    pub query: usize,
    /// Texts and plans that are kept.
    pub plans: usize,
}

/// What is configured, for a server that may use this many bytes in all.
pub type Shares = Box<dyn Fn(u64) -> StatementMemory + Send + Sync>;

/// The limits that are in force.
pub(super) struct Limits {
    shares: Shares,
    /// Bytes that are configured for rows.
    rows: u64,
    session: AtomicUsize,
    /// `min memory per query (KB)` and `query wait (s)`.
    grants: [AtomicI32; 2],
}

/// What is configured about memory that statements ask for.
pub(crate) struct GrantLimits {
    /// `min memory per query (KB)`, in bytes.
    pub query_min_bytes: usize,
    /// `query wait (s)`; without it the statement's cost decides.
    pub wait_s: Option<f64>,
}

impl Limits {
    pub(super) fn new(shares: Shares, rows: u64) -> Limits {
        let grants = [AtomicI32::new(1024), AtomicI32::new(-1)];
        Limits { shares, rows, session: AtomicUsize::new(0), grants }
    }
}

impl Instance {
    /// `max server memory` in bytes, if it is limited.
    pub fn memory_limit(&self) -> Option<u64> {
        let megabytes = self.configuration(setting::MAX_SERVER_MEMORY);
        u64::try_from(megabytes).ok().filter(|_| megabytes != i32::MAX).map(|limit| limit << 20)
    }

    /// Bytes that the server aims not to exceed: `max server memory`, or all that the machine has.
    pub fn target_bytes(&self) -> u64 {
        self.memory_limit().unwrap_or(u64::MAX).min(self.facts().memory_bytes)
    }

    /// Bytes that the process holds; those of rows and pages where the system does not say.
    pub fn resident_bytes(&self) -> u64 {
        let known = || self.host().pool.total() + self.host().pages.resident_bytes();
        env::memory::resident_bytes(self.env()).unwrap_or_else(known)
    }

    /// Bytes that values of all sessions take.
    pub fn value_bytes(&self) -> usize {
        self.values.used()
    }

    /// Shares out `max server memory`: rows get what pages, logs and others need not have; the
    /// pages of disk tables get what the rest of the process leaves, and at least an eighth. Room
    /// for what statements were granted and have not taken is made little by little, since a
    /// statement that reads a page waits while there are more pages than allowed. Returns whether
    /// the process takes more than it should. To be called often.
    pub fn share_memory(&self) -> bool {
        let (pages, rows) = (&self.host().pages, &self.host().pool);
        let Some(limit) = self.memory_limit() else {
            pages.set_limit(u64::MAX);
            self.limit_values(self.facts().memory_bytes);
            return false;
        };
        self.limit_values(limit);
        let resident = env::memory::resident_bytes(self.env());
        let rest = resident.map_or(rows.total(), |all| all.saturating_sub(pages.resident_bytes()));
        rows.set_limit(self.most_of_rows(limit).min(self.limits.rows));
        let aim = limit - limit / SLACK;
        let left = aim.saturating_sub(rest);
        let promised = left.saturating_sub(self.grants.unused() as u64);
        let allowed = pages.limit_bytes();
        let soon = promised.max(allowed - allowed / STEPS_OF_PAGES);
        pages.set_limit(left.min(soon).max(limit / LEAST_SHARE_OF_PAGES));
        resident.is_some_and(|all| all > aim)
    }

    /// Leaves values what all other parts leave of this much memory, pages as far as they must
    /// stay; and at least an eighth.
    fn limit_values(&self, limit: u64) {
        let used = self.values.used() as u64;
        let of_pages = self.host().pages.resident_bytes();
        let stays = of_pages.min(limit / LEAST_SHARE_OF_PAGES);
        let others = self.resident_bytes().saturating_sub(used + of_pages) + stays;
        let left = (limit - limit / SLACK).saturating_sub(others);
        let left = left.max(limit / LEAST_SHARE_OF_VALUES);
        self.values.set_limit(usize::try_from(left).unwrap_or(usize::MAX));
    }

    /// What rows may take of this much memory in all.
    fn most_of_rows(&self, limit: u64) -> u64 {
        let catalogs = self.databases().catalogs();
        let ring = |catalog: &Arc<Catalog>| catalog.database().manager().log().ring_bytes();
        let logs = catalogs.iter().map(ring).sum::<u64>();
        let left = limit.saturating_sub(limit / LEAST_SHARE_OF_PAGES + logs + LEFT_BY_ROWS);
        (limit / 100 * MOST_PERCENT_OF_ROWS).min(left).max(limit / LEAST_SHARE_OF_ROWS)
    }

    /// Makes what is configured about memory effective: at start and when it changes.
    pub fn limit_memory(&self) {
        let settings = [setting::MIN_MEMORY_PER_QUERY, setting::QUERY_WAIT];
        for (limit, setting) in self.limits.grants.iter().zip(settings) {
            limit.store(self.configuration(setting), Relaxed);
        }
        self.host().pool.set_limit(self.limits.rows);
        self.share_memory();
        self.govern();
        let machine = self.facts().memory_bytes;
        let all = self.memory_limit().map_or(machine, |limit| limit.min(machine));
        let shares = (self.limits.shares)(all);
        let all = usize::try_from(all).unwrap_or(usize::MAX);
        let session = shares.session.min(all / MOST_SHARE_OF_A_SESSION);
        self.limits.session.store(session, Relaxed);
        let query = shares.query.min(all / MOST_SHARE_OF_QUERIES);
        self.grants.set_limit(
            query.max(GrantPool::PARTS * QUERY_MEMORY_MIN),
            session.max(QUERY_MEMORY_MIN),
        );
        self.plans.set_limit(shares.plans.min(all / MOST_SHARE_OF_PLANS));
    }

    /// What is configured about memory that statements ask for.
    pub(crate) fn grant_limits(&self) -> GrantLimits {
        let [kilobytes, seconds] = [0, 1].map(|at| self.limits.grants[at].load(Relaxed));
        GrantLimits {
            query_min_bytes: usize::try_from(kilobytes).unwrap_or(0) << 10,
            wait_s: (seconds >= 0).then_some(f64::from(seconds)),
        }
    }

    /// Bytes that the statements of one session may hold beside rows of tables.
    pub(crate) fn session_memory(&self) -> usize {
        self.limits.session.load(Relaxed)
    }

    /// An account of what a session holds, within that of all sessions.
    pub fn session_account(&self) -> Arc<Account> {
        Account::within(&self.values, self.session_memory(), "default")
    }

    /// What a session's statements may hold in memory.
    pub(crate) fn grant(&self) -> Grant {
        let grant = Grant::charged_to(self.session_account());
        match &self.spill {
            Some(space) => grant.with_spill(space.clone()),
            None => grant,
        }
    }
}

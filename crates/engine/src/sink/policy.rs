//! Which tables begin to sink, when rounds run, and how far writers are slowed.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::fence;

use super::{SinkCore, SinkError, State};
use crate::cold::table::ColdTables;
use crate::hot::table::Table;
use crate::wait::Task;

/// A table that takes less than this part of what may stay in memory is left there as long as
/// others take more.
const SMALL_PART: u64 = 64;
/// Rows of disk tables may take this part of what pages may take before they sink...
const ALLOWED_OF_PAGES: u64 = 4;
/// ... and this part of what rows of the database may take...
const ALLOWED_OF_ROWS: u64 = 4;
/// ... and while they sink this multiple of that, before their writers are slowed.
const BACKLOG_OF_ALLOWED: u64 = 2;
/// How often the row cache is tended at most.
const TEND_INTERVAL_NS: u64 = 50_000_000;
/// Estimated time for a scan to pass an anchor whose row is gone, with the tree's entry that it
/// overrides.
const PASS_NS: u64 = 200;
/// Fewest passed anchors that make a round due.
const PASSED_MIN: u64 = 50_000;
/// A round for scans starts no sooner after the last round than this multiple of its duration.
const REST_OF_ROUND: u64 = 4;
/// The longest that a commit of a few rows is held back.
const DELAY_MAX_NS: u64 = 20_000_000;

/// What disk tables take in memory.
struct Load {
    /// Bytes of tables that sink.
    sinking: u64,
    /// Bytes of all disk tables.
    all: u64,
    /// Disk tables that do not sink, the largest first.
    resident: Vec<ResidentTable>,
}

/// A disk table that does not sink.
struct ResidentTable {
    table: Arc<Table>,
    /// What it takes in memory.
    bytes: u64,
}

impl State {
    /// Whether scans have passed anchors of deletions for longer than the last round took, so that
    /// it pays to take them out of memory. The consumers of a queue do this: they look for its
    /// oldest row behind all that were taken.
    fn delays_scans(&self, age_ns: u64) -> bool {
        self.passed >= PASSED_MIN
            && self.passed.saturating_mul(PASS_NS) > self.round_took_ns
            && age_ns >= self.round_took_ns.saturating_mul(REST_OF_ROUND)
    }
}

impl SinkCore {
    /// Checks whether there is work, and does it.
    pub fn watch(&self, task: &Task) -> Result<(), SinkError> {
        let load = self.load();
        self.begin_where_due(&load);
        let passed = self.take_passed();
        let (begun, waiting, age_ns, delays) = {
            let mut state = self.lock();
            let left = !(state.left.is_empty() && state.leaving.is_empty());
            let kept = self.cold.get().is_some_and(|cold| cold.history().rows() > 0);
            let age_ns = task.now_ns().saturating_sub(state.round_ns);
            state.passed += passed;
            (!state.begun.is_empty(), left || kept, age_ns, state.delays_scans(age_ns))
        };
        let presses = load.sinking > self.allowed() / 2;
        let old = age_ns >= self.options.age_ns;
        let waiting = waiting || !self.manager.sinking.is_empty();
        if begun || waiting && (presses || old || delays) || self.is_volatile && self.has_dropped()
        {
            self.round(task)?;
        }
        self.count_keys(task);
        self.tend_row_cache(task);
        self.give_places_back(task)
    }

    /// How many anchors of deletions scans have passed since this was asked last.
    pub(super) fn take_passed(&self) -> u64 {
        let tables = self.manager.tables().all();
        tables.iter().filter(|table| table.sinks()).map(|table| table.take_passed()).sum()
    }

    /// Keeps the row cache within what it may use, and its index large enough.
    fn tend_row_cache(&self, task: &Task) {
        let Some(cache) = self.cold.get().and_then(|cold| cold.store().row_cache()) else { return };
        let (now, last) = (task.now_ns(), self.tended_ns.load(Relaxed));
        if now.saturating_sub(last) < TEND_INTERVAL_NS {
            return;
        }
        self.tended_ns.store(now, Relaxed);
        cache.tend(&mut task.worker().pin());
        if let Some(pool) = self.pool.existing() {
            pool.divide();
        }
    }

    /// Counts the keys of one table whose trees have changed enough.
    fn count_keys(&self, task: &Task) {
        // No trees go meanwhile.
        let _state = self.lock();
        let tables = self.manager.tables().all();
        tables.iter().find(|table| table.count_cold_keys(task));
    }

    /// What rows of disk tables may take before they sink: where memory is short, less than is
    /// configured.
    fn allowed(&self) -> u64 {
        let rows = self.manager.tables().pool().least_limit() / ALLOWED_OF_ROWS;
        self.options.start_bytes.min(self.pool.limit_bytes() / ALLOWED_OF_PAGES).min(rows)
    }

    fn load(&self) -> Load {
        let mut load = Load { sinking: 0, all: 0, resident: Vec::new() };
        for table in self.manager.tables().all() {
            if !table.is_sinkable() {
                continue;
            }
            let indexes = (0..table.links()).map(|index| table.index_memory(index)).sum::<u64>();
            let rows = table.memory().allocated_bytes;
            let bytes = rows + indexes;
            load.all += bytes;
            match table.sinks() {
                // A table from which a transaction has shut other transactions out cannot sink
                // before that is over, however long they wait.
                true if table.gate().closing().is_some() => {}
                true => load.sinking += bytes,
                // It does not begin to sink before it is in memory as a whole; nor without rows: it
                // may be about to be built.
                false if !table.is_loaded() || rows == 0 => {}
                false => load.resident.push(ResidentTable { table, bytes }),
            }
        }
        load.resident.sort_by_key(|own| std::cmp::Reverse(own.bytes));
        load
    }

    /// If disk tables take too much, the largest begin to sink, until what is left is little
    /// enough.
    fn begin_where_due(&self, load: &Load) {
        let mut resident = load.all - load.sinking;
        let allowed = self.allowed();
        for ResidentTable { table, bytes } in &load.resident {
            if resident <= allowed || *bytes <= allowed / SMALL_PART {
                break;
            }
            self.begin(table);
            resident -= bytes;
        }
    }

    /// From now on the rows of this table sink.
    pub(super) fn begin(&self, table: &Table) {
        let log = self.manager.log();
        let mut state = self.lock();
        // One whose trees are being built has no rows yet.
        let is_built = |cold: &Arc<ColdTables>| cold.building().contains(&table.storage().0);
        if table.sinks() || self.cold.get().is_some_and(is_built) {
            return;
        }
        table.sinks_since().set(log.tail());
        // A commit takes its stamp and looks then whether its tables sink: either it finds that
        // this one does, or its stamp is below the bound.
        fence(SeqCst);
        state.begun.insert(table.storage(), log.tail());
    }

    /// Sets how long commits to tables that sink wait: the longer, the more has to sink. To be
    /// called often, and not by the thread that runs rounds, since a round may take long.
    pub fn pace_writers(&self) {
        let load = self.load();
        let bound = self.options.backlog_bytes.min(BACKLOG_OF_ALLOWED * self.allowed()).max(1);
        let excess = load.sinking.saturating_sub(bound);
        let delay = u128::from(excess) * u128::from(DELAY_MAX_NS) / u128::from(bound);
        self.manager
            .sinking
            .set_delay_ns(u64::try_from(delay).unwrap_or(u64::MAX).min(DELAY_MAX_NS));
    }

    /// Lets all disk tables sink, and takes down all that can be. For tests and for callers that
    /// want memory.
    pub fn sink_all(&self, task: &Task) -> Result<(), SinkError> {
        for own in self.load().resident {
            self.begin(&own.table);
        }
        self.manager.log().flush(task)?;
        self.round(task).map(drop)
    }
}

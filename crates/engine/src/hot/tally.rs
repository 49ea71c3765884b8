//! Charges the memory of rows to tables and pools, and counts the rows and versions that take it.
//!
//! A [`Pool`] is what a limit applies to: a database, or the server above it. A [`Tally`] counts
//! for one table. It is sharded by worker, so that inserts on different workers write different
//! cache lines. It reports to its pool when a shard has drifted by [`DRIFT`], so a pool's total is
//! off by at most that much per shard and table.
//!
//! Of a table whose rows can sink a tally counts the rows and versions in memory, too, by their
//! [`Origin`]. Each anchor, and each version that is not inline, is one [`Item`] at a time:
//!
//! ```text
//! allocated → row or version → freed                     rolled back
//!                            → waiting → freed           deleted, replaced or sunk
//! ```
//!
//! What a commit or a round leaves to be freed waits from then on ([`Tally::leave`]), before any
//! other thread can free it. So no count is ever below zero, but for sums that are read while other
//! threads count.

use std::ops::Add;

use crossbeam_utils::CachePadded;

use crate::hot::anchor::Origin;
use crate::hot::heap;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicI64, AtomicU64};

/// Bytes that a shard of a [`Tally`] may gain or lose before it reports to its pool.
pub const DRIFT: i64 = 64 * 1024;

/// Bytes that definitions may take beyond the limit of the server.
const RESERVE: u64 = 64 << 20;

/// What a memory limit applies to.
#[derive(Debug)]
pub struct Pool {
    total: AtomicI64,
    /// Bytes; `u64::MAX` for none.
    limit: AtomicU64,
    /// How often this pool's limit has refused memory.
    refused: AtomicU64,
    parent: Option<Arc<Pool>>,
}

/// Which limit refused an insert or update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// The database's: message 41805.
    Database,
    /// The server's: message 701.
    Server,
}

impl Pool {
    /// A pool below `parent`, or the server's own.
    pub fn new(limit: u64, parent: Option<Arc<Pool>>) -> Pool {
        let (total, refused) = (AtomicI64::new(0), AtomicU64::new(0));
        Pool { total, limit: AtomicU64::new(limit), refused, parent }
    }

    /// Bytes charged to this pool, as far as its tallies have reported.
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed).max(0) as u64
    }

    /// The limit in bytes; `u64::MAX` for none.
    pub fn limit(&self) -> u64 {
        self.limit.load(Relaxed)
    }

    /// The least of the limits of this pool and the pools above.
    pub fn least_limit(&self) -> u64 {
        let above = self.parent.as_ref().map_or(u64::MAX, |parent| parent.least_limit());
        self.limit().min(above)
    }

    /// Bytes that are left below the limit of the server.
    pub fn room_at_server(&self) -> u64 {
        match &self.parent {
            Some(parent) => parent.room_at_server(),
            None => self.limit().saturating_sub(self.total()),
        }
    }

    /// Changes the limit. Memory that is charged already is not affected.
    pub fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Relaxed);
    }

    /// Charges bytes to this pool and the pools above, or gives them back if negative.
    pub fn add(&self, bytes: i64) {
        self.total.fetch_add(bytes, Relaxed);
        if let Some(parent) = &self.parent {
            parent.add(bytes);
        }
    }

    /// Whether an insert or update may take more memory.
    pub fn admit(&self) -> Result<(), Exhausted> {
        match &self.parent {
            _ if self.total() < self.limit() => match &self.parent {
                Some(parent) => parent.admit(),
                None => Ok(()),
            },
            parent => {
                self.refused.fetch_add(1, Relaxed);
                Err(if parent.is_some() { Exhausted::Database } else { Exhausted::Server })
            }
        }
    }

    /// As `admit`, by the limit of the server alone.
    pub fn admit_at_server(&self) -> Result<(), Exhausted> {
        self.parent.as_ref().map_or_else(|| self.admit(), |parent| parent.admit_at_server())
    }

    /// As `admit`, for definitions, which may take some memory beyond the server's limit.
    pub fn admit_definition(&self) -> Result<(), Exhausted> {
        match &self.parent {
            Some(parent) => parent.admit_definition(),
            None if self.total() < self.limit().saturating_add(RESERVE) => Ok(()),
            None => self.admit(),
        }
    }

    /// How often the limit of this pool, not one above, has refused memory.
    pub fn refused(&self) -> u64 {
        self.refused.load(Relaxed)
    }
}

/// Writes of rows that transactions have tried, whether or not they committed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Attempts {
    /// Rows inserted.
    pub inserts: u64,
    /// Rows updated.
    pub updates: u64,
    /// Rows deleted.
    pub deletes: u64,
}

impl Attempts {
    pub(crate) const INSERT: Attempts = Attempts { inserts: 1, updates: 0, deletes: 0 };
    pub(crate) const UPDATE: Attempts = Attempts { inserts: 0, updates: 1, deletes: 0 };
    pub(crate) const DELETE: Attempts = Attempts { inserts: 0, updates: 0, deletes: 1 };
}

/// What an anchor, or a version that is not inline, counts as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// An anchor whose row is not deleted: the row, and its inline version.
    Row,
    /// A version that no commit has replaced.
    Version,
    /// An anchor whose row is deleted or has sunk, with its inline version, or a version that a
    /// commit has replaced, or the tombstone of a deleted row: it waits to be freed.
    Waiting,
}

/// Rows and versions that wait to be freed from now on, by origin.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Left {
    rows: [i64; 2],
    versions: [i64; 2],
}

impl Left {
    /// One row.
    pub fn row(origin: Origin) -> Left {
        let mut left = Left::default();
        left.add_row(origin);
        left
    }

    #[inline]
    pub fn add_row(&mut self, origin: Origin) {
        self.rows[origin as usize] += 1;
    }

    #[inline]
    pub fn add_version(&mut self, origin: Origin) {
        self.versions[origin as usize] += 1;
    }
}

#[derive(Debug, Default)]
struct Shard {
    allocated: AtomicI64,
    used: AtomicI64,
    rows: AtomicI64,
    /// Deleted rows that were taken out of the indexes.
    removed: AtomicI64,
    /// Inserts, updates and deletes tried by transactions that have ended.
    attempts: [AtomicU64; 3],
    /// The value of `allocated` that the pool was told last.
    reported: AtomicI64,
    /// Rows and versions, by [`Origin`] and [`Item`]. Zeros if the table's rows cannot sink.
    items: [[AtomicI64; 3]; 2],
}

/// Memory and rows of one table.
#[derive(Debug)]
pub struct Tally {
    shards: Box<[CachePadded<Shard>]>,
    pool: Arc<Pool>,
    /// Index memory as last reported to the pool.
    indexes: AtomicI64,
    /// The most rows and versions that were seen in memory. Any thread raises them.
    rows_max: AtomicU64,
    versions_max: AtomicU64,
}

/// The sums of a [`Tally`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowMemory {
    /// Bytes taken for anchors and versions.
    pub allocated_bytes: u64,
    /// Bytes of these that are used.
    pub used_bytes: u64,
    /// Committed rows.
    pub rows: u64,
}

/// Rows and versions of one origin.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ResidentRows {
    /// Rows that are in the indexes and not deleted. Those that were inserted count from then on,
    /// committed or not; those that were deleted until the deletion is committed.
    pub rows: u64,
    /// All versions, inline ones and those that wait to be freed included.
    pub versions: u64,
}

/// Rows and versions of one table in memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Resident {
    /// Of rows that were inserted, and have not sunk since.
    pub inserted: ResidentRows,
    /// Of rows that came back from the trees to be changed.
    pub back: ResidentRows,
    /// Rows that are deleted or have sunk, and versions that were replaced, which wait to be freed.
    pub waiting: u64,
    /// The most rows that were seen, copies in the row cache included where these were counted.
    pub rows_max: u64,
    /// As `rows_max`, of versions.
    pub versions_max: u64,
}

impl Add for ResidentRows {
    type Output = ResidentRows;

    fn add(self, other: ResidentRows) -> ResidentRows {
        let (rows, versions) = (self.rows + other.rows, self.versions + other.versions);
        ResidentRows { rows, versions }
    }
}

/// Of two tables together. Each may have had its most at another time: the sums of these are no
/// less than what both had at any time.
impl Add for Resident {
    type Output = Resident;

    fn add(self, other: Resident) -> Resident {
        Resident {
            inserted: self.inserted + other.inserted,
            back: self.back + other.back,
            waiting: self.waiting + other.waiting,
            rows_max: self.rows_max + other.rows_max,
            versions_max: self.versions_max + other.versions_max,
        }
    }
}

impl Tally {
    /// A tally of zero that reports to `pool`.
    pub fn new(shards: usize, pool: Arc<Pool>) -> Tally {
        let shards = (0..shards.max(1)).map(|_| CachePadded::default()).collect();
        let (rows_max, versions_max) = (AtomicU64::new(0), AtomicU64::new(0));
        Tally { shards, pool, indexes: AtomicI64::new(0), rows_max, versions_max }
    }

    /// The pool that the tally reports to.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Counts memory that was taken for `used` bytes (negative: given back). Returns whether it
    /// reported to the pool; the caller should then report the indexes, too.
    pub fn add(&self, shard: usize, used: i64) -> bool {
        let allocated = heap::rounded(used.unsigned_abs() as usize) as i64 * used.signum();
        let s = &self.shards[shard % self.shards.len()];
        s.used.fetch_add(used, Relaxed);
        let now = s.allocated.fetch_add(allocated, Relaxed) + allocated;
        if (now - s.reported.load(Relaxed)).abs() < DRIFT {
            return false;
        }
        // Of several threads at once each adds the difference to the value reported before its own.
        self.pool.add(now - s.reported.swap(now, Relaxed));
        true
    }

    /// Counts an item that was allocated (1) or is about to be freed (-1).
    #[inline]
    pub(crate) fn count(&self, shard: usize, origin: Origin, item: Item, by: i64) {
        let items = &self.shards[shard % self.shards.len()].items;
        items[origin as usize][item as usize].fetch_add(by, Relaxed);
    }

    /// Counts rows and versions as waiting to be freed from now on.
    pub(crate) fn leave(&self, shard: usize, left: &Left) {
        for origin in [Origin::Inserted, Origin::Back] {
            let (rows, versions) = (left.rows[origin as usize], left.versions[origin as usize]);
            if rows + versions == 0 {
                continue;
            }
            if rows > 0 {
                self.count(shard, origin, Item::Row, -rows);
            }
            if versions > 0 {
                self.count(shard, origin, Item::Version, -versions);
            }
            self.count(shard, origin, Item::Waiting, rows + versions);
        }
    }

    /// Reads the rows and versions, and notes how many there are now if there never were so many.
    /// Each of `copies` is a row with one version.
    pub(crate) fn resident(&self, copies: u64) -> Resident {
        let sum = |origin: Origin, item: Item| {
            let of = |s: &CachePadded<Shard>| s.items[origin as usize][item as usize].load(Relaxed);
            self.shards.iter().map(of).sum::<i64>().max(0) as u64
        };
        let mut waiting = 0;
        let mut of = |origin| {
            let [rows, versions, left] =
                [Item::Row, Item::Version, Item::Waiting].map(|item| sum(origin, item));
            waiting += left;
            ResidentRows { rows, versions: rows + versions + left }
        };
        let (inserted, back) = (of(Origin::Inserted), of(Origin::Back));
        let most = |of: &AtomicU64, now: u64| match of.load(Relaxed) {
            before if before >= now => before,
            _ => of.fetch_max(now, Relaxed).max(now),
        };
        Resident {
            inserted,
            back,
            waiting,
            rows_max: most(&self.rows_max, inserted.rows + back.rows + copies),
            versions_max: most(&self.versions_max, inserted.versions + back.versions + copies),
        }
    }

    /// Counts rows that a commit added or removed.
    pub fn add_rows(&self, shard: usize, rows: i64) {
        self.shards[shard % self.shards.len()].rows.fetch_add(rows, Relaxed);
    }

    /// Counts the rows that a transaction that ends has tried to write.
    pub fn add_attempts(&self, shard: usize, attempts: &Attempts) {
        let Attempts { inserts, updates, deletes } = *attempts;
        let own = &self.shards[shard % self.shards.len()].attempts;
        for (count, n) in own.iter().zip([inserts, updates, deletes]).filter(|(_, n)| *n > 0) {
            count.fetch_add(n, Relaxed);
        }
    }

    /// Rows that transactions have tried to write since the table was made.
    pub fn attempts(&self) -> Attempts {
        let sum = |at: usize| self.shards.iter().map(|s| s.attempts[at].load(Relaxed)).sum();
        Attempts { inserts: sum(0), updates: sum(1), deletes: sum(2) }
    }

    /// Counts a deleted row that was taken out of the indexes.
    pub fn count_removed(&self, shard: usize) {
        self.shards[shard % self.shards.len()].removed.fetch_add(1, Relaxed);
    }

    /// Deleted rows that were taken out of the indexes since the table was made.
    pub fn removed(&self) -> u64 {
        self.shards.iter().map(|s| s.removed.load(Relaxed)).sum::<i64>().max(0) as u64
    }

    /// Tells the pool how much memory the table's indexes take now.
    pub fn report_indexes(&self, bytes: i64) {
        let before = self.indexes.swap(bytes, Relaxed);
        if bytes != before {
            self.pool.add(bytes - before);
        }
    }

    /// The sums.
    pub fn read(&self) -> RowMemory {
        let sum = |f: fn(&Shard) -> &AtomicI64| {
            self.shards.iter().map(|s| f(s).load(Relaxed)).sum::<i64>().max(0) as u64
        };
        RowMemory {
            allocated_bytes: sum(|s| &s.allocated),
            used_bytes: sum(|s| &s.used),
            rows: sum(|s| &s.rows),
        }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        let is_nothing_left = || {
            let left: [i64; 6] = std::array::from_fn(|at| {
                self.shards.iter().map(|s| s.items[at / 3][at % 3].load(Relaxed)).sum()
            });
            left == [0; 6]
        };
        // The table's rows are freed before.
        debug_assert!(std::thread::panicking() || is_nothing_left(), "{self:?}");
        let reported: i64 = self.shards.iter().map(|s| s.reported.load(Relaxed)).sum();
        self.pool.add(-reported - self.indexes.load(Relaxed));
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

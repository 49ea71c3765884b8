//! Memory reclamation: versions that no snapshot can see any more, deleted rows, dropped tables.
//!
//! # Life of a dead version
//!
//! A commit that replaces a version queues it with its own stamp. When the [`Horizon`] has passed
//! the stamp, every snapshot sees the newer version and no walk goes further down, so the old one
//! is freed at once, without waiting for an epoch, and without touching the newer one: the chain
//! word that still points to it is never followed again. Each version is replaced by one commit, so
//! each is queued, and freed, once.
//!
//! A deleted row is queued with its deletion's stamp. When the horizon has passed it, the anchor is
//! unlinked from the indexes. Readers may still stand on it, so its memory is freed through the
//! epoch.
//!
//! Garbage of tables that sink has queues of its own. A version in them that an old snapshot sees
//! is freed before that snapshot ends, once the sink has *released* it: the cold store has it, and
//! no chain leads to it. A row that has left memory is freed when every active statement began
//! after the row left ([`Bounds::oldest_statement`]).
//!
//! A dropped table is taken apart when its gate is empty: index by index, along the structure of
//! each. Its rows are not unlinked, and are freed without waiting for an epoch.
//!
//! # Invariants
//!
//! * R1: a table lives until everything queued for it has been processed. So only [`Tables`] makes
//!   tables, and a dropped table is kept until the horizon has passed the moment at which its gate
//!   was closed, and a pass over all queues that began later has left nothing of older commits in
//!   them.
//! * R2: a version is queued only after its replacement's begin word is a stamp.
//!
//! # Callers
//!
//! Every commit that queues garbage also frees a few entries of its worker's queue. A background
//! task calls [`Reclaimer::pass`] for the rest, so that memory comes back without load, too.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::OnceLock;

use base::ids::{Lsn, StorageId};
use crossbeam_epoch::Guard;
use crossbeam_utils::CachePadded;

use crate::cold::table::ColdTables;
use crate::hot::anchor::{AnchorPtr, RELEASED, VersionPtr};
use crate::hot::key::{KeyBuf, KeySpec};
use crate::hot::row::RowLayout;
use crate::hot::status::{Bounds, Horizon, SlotTable};
use crate::hot::table::{SinksSince, Table, TablePtr, TableSpec, Teardown};
use crate::hot::tally::{Item, Pool};
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicU64, AtomicUsize};
use crate::sync::{Arc, Mutex, MutexGuard, RwLock};

/// A version or row to free.
#[derive(Clone, Copy)]
pub struct Garbage {
    table: TablePtr,
    /// The address of a version, or of an anchor with [`ANCHOR`] set, or of an anchor that is
    /// already unlinked with [`SUNK`] set.
    item: u64,
}

const ANCHOR: u64 = 1;
const SUNK: u64 = 2;

/// What a commit leaves to be freed.
pub struct CommitGarbage<'a> {
    /// Garbage of tables that sink.
    pub of_sinking: &'a mut Vec<Garbage>,
    /// The rest.
    pub items: &'a mut Vec<Garbage>,
}

/// A horizon, and the slots of the transactions by which it advances.
#[derive(Clone, Copy)]
pub struct HorizonSource<'a> {
    /// The horizon.
    pub horizon: &'a Horizon,
    /// The slots.
    pub slots: &'a SlotTable,
}

impl Garbage {
    /// A replaced version that is not inline.
    pub fn version(table: TablePtr, version: VersionPtr) -> Garbage {
        Garbage { table, item: version.address() }
    }

    /// A deleted row.
    pub fn anchor(table: TablePtr, anchor: AnchorPtr) -> Garbage {
        Garbage { table, item: anchor.address() | ANCHOR }
    }

    /// A row that has left memory: it is in no index any more.
    pub fn sunk(table: TablePtr, anchor: AnchorPtr) -> Garbage {
        Garbage { table, item: anchor.address() | SUNK }
    }
}

/// What a [`Garbage`] is.
#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) enum Queued {
    /// A replaced version.
    Version(VersionPtr),
    /// A deleted row, which is still in the indexes.
    Deleted,
    /// A row that has left memory.
    Sunk(AnchorPtr),
}

/// Garbage of one or several commits.
struct Batch {
    /// The lowest stamp of the commits.
    first: Lsn,
    /// The highest stamp of the commits; the batch is freed once the horizon has passed it.
    stamp: Lsn,
    items: Vec<Garbage>,
}

/// Small commits share a batch up to this size.
const BATCH: usize = 64;
/// Entries that a commit processes of its worker's queue.
const ASSIST: usize = 16;
/// Entries that a pass processes under one lock.
const SLICE: usize = 256;
/// A queue recomputes the horizon each time this many commits have added garbage to it.
const ADVANCE_EVERY: usize = 32;

/// Garbage in the order in which it came.
#[derive(Default)]
struct Batches {
    list: VecDeque<Batch>,
    /// The last batch takes no more items: a dropped table or a sink round waits until it is freed.
    is_closed: bool,
}

#[derive(Default)]
struct Queue {
    of_sinking: Batches,
    of_others: Batches,
    commits: usize,
    counts: QueueStats,
}

/// A dropped table.
struct DroppedTable {
    table: Arc<Table>,
    /// The committed position when the gate had closed, or just above it. The table is freed after
    /// all garbage of commits below this.
    stamp: Lsn,
    /// How far the table has been taken apart.
    teardown: Teardown,
}

impl Drop for DroppedTable {
    fn drop(&mut self) {
        // SAFETY: this runs when the rows are freed already, or when the database shuts down: then
        // no thread uses the table any more, and the queues are empty.
        unsafe { self.table.take_apart(0, usize::MAX, &mut self.teardown) };
    }
}

/// Counts of one queue since the database started, for `sys.dm_xtp_gc_queue_stats`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct QueueStats {
    /// Versions and rows queued.
    pub enqueued: u64,
    /// Versions and rows that have left the queue.
    pub dequeued: u64,
    /// Those of them that commits have freed.
    pub assisted: u64,
    /// The most that were queued at a time.
    pub depth_max: u64,
}

impl QueueStats {
    /// Versions and rows that are queued.
    pub fn depth(&self) -> u64 {
        self.enqueued - self.dequeued
    }

    fn enqueue(&mut self, items: usize) {
        self.enqueued += items as u64;
        self.depth_max = self.depth_max.max(self.depth());
    }

    fn dequeue(&mut self, items: usize) {
        self.dequeued += items as u64;
    }
}

/// Counts of all queues since the database started, for `sys.dm_xtp_gc_stats`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReclaimStats {
    /// Versions and rows queued.
    pub enqueued: u64,
    /// Versions and rows freed.
    pub dequeued: u64,
    /// Those of them that commits have freed; passes freed the others.
    pub assisted: u64,
    /// Tables freed.
    pub tables: u64,
}

/// A database's garbage, and its dropped tables.
pub struct Reclaimer {
    queues: Box<[CachePadded<Mutex<Queue>>]>,
    /// Rows that have left memory.
    unlinked: Mutex<Queue>,
    retired: Mutex<Vec<DroppedTable>>,
    /// Held during a pass.
    passing: Mutex<()>,
    tables_freed: AtomicU64,
    waiting: AtomicUsize,
}

impl Reclaimer {
    /// No garbage yet; one queue per worker.
    pub fn new(shards: usize) -> Reclaimer {
        Reclaimer {
            queues: (0..shards.max(1)).map(|_| CachePadded::default()).collect(),
            unlinked: Mutex::default(),
            retired: Mutex::default(),
            passing: Mutex::default(),
            tables_freed: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Queues the garbage of the commit with this stamp, at least one item, and frees some of what
    /// is due.
    pub fn enqueue(
        &self,
        shard: usize,
        guard: &Guard,
        stamp: Lsn,
        garbage: CommitGarbage<'_>,
        source: HorizonSource<'_>,
        durable: impl Fn() -> Lsn,
    ) {
        let CommitGarbage { items, of_sinking } = garbage;
        let mut queue = lock(&self.queues[shard % self.queues.len()]);
        queue.counts.enqueue(items.len() + of_sinking.len());
        queue.of_others.add(stamp, items);
        queue.of_sinking.add(stamp, of_sinking);
        queue.commits += 1;
        let mut safe = source.horizon.safe();
        if queue.commits >= ADVANCE_EVERY {
            queue.commits = 0;
            safe = source.horizon.advance(source.slots, durable()).safe;
        }
        let done = queue.process(shard, guard, safe, ASSIST);
        queue.counts.assisted += done as u64;
    }

    /// Queues rows that the sink has unlinked; `stamp` is the committed position after that.
    pub(crate) fn enqueue_unlinked(&self, stamp: Lsn, items: &mut Vec<Garbage>) {
        let mut queue = lock(&self.unlinked);
        queue.counts.enqueue(items.len());
        queue.of_sinking.add(stamp, items);
    }

    /// Frees the versions that the sink has released.
    ///
    /// # Safety
    /// Every active statement began after the sink released the last of them.
    pub(crate) unsafe fn free_released(&self, shard: usize, guard: &Guard) {
        for queue in &self.queues {
            let mut queue = lock(queue);
            let done = queue.of_sinking.free_released(shard, guard);
            queue.counts.dequeue(done);
        }
    }

    /// Hands the deleted rows of a table that begins to sink over to the sink, by dropping them
    /// from the queues. All commits that may queue such rows have ended.
    pub(crate) fn hand_over(&self, table: TablePtr) {
        for queue in &self.queues {
            let mut queue = lock(queue);
            let handed = queue.hand_over(table);
            queue.counts.dequeue(handed);
        }
    }

    /// Frees up to `budget` entries of all queues. Returns how many it freed; fewer than the budget
    /// means that nothing more is due, or that another thread is in a pass: one runs at a time.
    pub fn pass(
        &self,
        shard: usize,
        guard: &Guard,
        budget: usize,
        horizon: &Horizon,
        slots: &SlotTable,
        durable: Lsn,
    ) -> usize {
        let Ok(_alone) = self.passing.try_lock() else { return 0 };
        let bounds = horizon.advance(slots, durable);
        let safe = bounds.safe;
        let mut done = self.free_unlinked(shard, guard, bounds, budget);
        if done == budget {
            return done;
        }
        for queue in &self.queues {
            loop {
                // In slices, so that commits on the queue's worker do not wait for long.
                let slice = SLICE.min(budget - done);
                let processed = lock(queue).process(shard, guard, safe, slice);
                done += processed;
                if done == budget {
                    return done;
                }
                if processed < slice {
                    break;
                }
            }
        }
        done + self.free_tables(shard, safe, budget - done)
    }

    /// Removes buckets that hash indexes have not needed for a while. Does nothing if another
    /// thread does this or is in a pass, which may be taking a dropped table apart.
    pub(crate) fn shrink_indexes(
        &self,
        tables: &Tables,
        guard: &Guard,
        budget: usize,
        look: bool,
    ) -> usize {
        let Ok(_alone) = self.passing.try_lock() else { return 0 };
        let mut done = 0;
        for table in tables.all() {
            if done == budget {
                break;
            }
            done += table.shrink_indexes(guard, budget - done, look);
        }
        done
    }

    fn free_unlinked(&self, shard: usize, guard: &Guard, bounds: Bounds, budget: usize) -> usize {
        lock(&self.unlinked).process(shard, guard, bounds.oldest_statement, budget)
    }

    /// The stamp below which all garbage has been freed, of commits that had ended when the horizon
    /// was computed as `safe`. Called in a pass, after the queues have been processed. Closes the
    /// last batch of each queue, so that garbage of later commits does not delay it.
    fn freed_below(&self, safe: Lsn) -> Lsn {
        let oldest = |queue: &CachePadded<Mutex<Queue>>| {
            let mut queue = lock(queue);
            queue.of_others.close().min(queue.of_sinking.close())
        };
        let unlinked = lock(&self.unlinked).of_sinking.close();
        self.queues.iter().map(oldest).fold(safe.min(unlinked), Lsn::min)
    }

    /// Waits for a pass in progress and frees everything that is due. Returns whether all garbage
    /// of commits below `bound` is freed.
    pub fn settle(
        &self,
        shard: usize,
        guard: &Guard,
        bound: Lsn,
        horizon: &Horizon,
        slots: &SlotTable,
        durable: Lsn,
    ) -> bool {
        let _alone = lock(&self.passing);
        let bounds = horizon.advance(slots, durable);
        self.free_unlinked(shard, guard, bounds, usize::MAX);
        for queue in &self.queues {
            lock(queue).process(shard, guard, bounds.safe, usize::MAX);
        }
        self.freed_below(bounds.safe) >= bound
    }

    fn free_tables(&self, shard: usize, safe: Lsn, budget: usize) -> usize {
        if self.waiting.load(Relaxed) == 0 {
            return 0;
        }
        let freed_below = self.freed_below(safe);
        let due = {
            let mut retired = lock(&self.retired);
            let ready = |e: &DroppedTable| e.stamp <= freed_below && e.table.gate().is_empty(0);
            retired.iter().position(ready).map(|place| retired.swap_remove(place))
        };
        let Some(mut due) = due else { return 0 };
        // SAFETY: the gate is empty and stays so, since the table is retired, and no garbage of it
        // is queued (R1). Passes run one at a time.
        let freed = unsafe { due.table.take_apart(shard, budget, &mut due.teardown) };
        let is_over = due.table.is_apart(&due.teardown);
        let mut retired = lock(&self.retired);
        if is_over {
            self.tables_freed.fetch_add(1, Relaxed);
        } else {
            retired.push(due);
        }
        self.waiting.store(retired.len(), Relaxed);
        freed.max(1)
    }

    /// Frees everything that is queued, whether or not a snapshot sees it. Called only when the
    /// database shuts down.
    pub(crate) fn drain(&self, guard: &Guard) {
        for queue in &self.queues {
            lock(queue).process(0, guard, Lsn::MAX, usize::MAX);
        }
        lock(&self.unlinked).process(0, guard, Lsn::MAX, usize::MAX);
    }

    /// Keeps a dropped table until nothing points into it any more, then frees its rows.
    pub fn retire(&self, table: Arc<Table>, stamp: Lsn) {
        let mut retired = lock(&self.retired);
        retired.push(DroppedTable { table, stamp, teardown: Teardown::default() });
        self.waiting.store(retired.len(), Relaxed);
    }

    /// Counts of all queues since the database started.
    pub fn stats(&self) -> ReclaimStats {
        let mut stats =
            ReclaimStats { tables: self.tables_freed.load(Relaxed), ..ReclaimStats::default() };
        for queue in self.queue_stats() {
            stats.enqueued += queue.enqueued;
            stats.dequeued += queue.dequeued;
            stats.assisted += queue.assisted;
        }
        stats
    }

    /// Counts of each queue since the database started: those of the workers, then that of rows
    /// that have left memory.
    pub fn queue_stats(&self) -> Vec<QueueStats> {
        let of_workers = self.queues.iter().map(|queue| lock(queue).counts);
        of_workers.chain(std::iter::once_with(|| lock(&self.unlinked).counts)).collect()
    }

    /// Calls a function with everything that is queued of a table.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn each_queued(&self, table: TablePtr, mut visit: impl FnMut(Queued)) {
        let queues = self.queues.iter().map(|queue| &**queue).chain([&self.unlinked]);
        for queue in queues {
            let queue = lock(queue);
            let batches = queue.of_others.list.iter().chain(&queue.of_sinking.list);
            let items = batches.flat_map(|batch| &batch.items).filter(|own| own.table == table);
            items.for_each(|own| visit(own.queued()));
        }
    }

    /// Bytes of the queues themselves, without the versions and rows in them: allocated, and used.
    pub fn queue_memory(&self) -> (u64, u64) {
        let of = |queue: &Queue| {
            let (others, sinking) = (queue.of_others.memory(), queue.of_sinking.memory());
            (others.0 + sinking.0, others.1 + sinking.1)
        };
        let of_workers = self.queues.iter().map(|queue| of(&lock(queue)));
        of_workers.fold(of(&lock(&self.unlinked)), |sum, own| (sum.0 + own.0, sum.1 + own.1))
    }
}

impl Queue {
    fn process(&mut self, shard: usize, guard: &Guard, safe: Lsn, budget: usize) -> usize {
        let mut done = self.of_others.process(shard, guard, safe, budget);
        if done < budget {
            done += self.of_sinking.process(shard, guard, safe, budget - done);
        }
        self.counts.dequeue(done);
        done
    }

    /// Drops the deleted rows of this table, and moves its versions to those of tables that sink.
    /// Returns how many rows it dropped.
    fn hand_over(&mut self, table: TablePtr) -> usize {
        let mut handed = 0;
        for batch in &mut self.of_others.list {
            let items = std::mem::take(&mut batch.items).into_iter();
            let (its, others): (Vec<_>, Vec<_>) = items.partition(|item| item.table == table);
            batch.items = others;
            let (rows, versions): (Vec<_>, Vec<_>) =
                its.into_iter().partition(|item| item.item & ANCHOR != 0);
            handed += rows.len();
            if !versions.is_empty() {
                let (first, stamp) = (batch.first, batch.stamp);
                self.of_sinking.list.push_back(Batch { first, stamp, items: versions });
            }
        }
        handed
    }
}

impl Batches {
    fn add(&mut self, stamp: Lsn, items: &mut Vec<Garbage>) {
        if items.is_empty() {
            return;
        }
        let is_closed = std::mem::take(&mut self.is_closed);
        match self.list.back_mut() {
            Some(last) if !is_closed && last.items.len() + items.len() <= BATCH => {
                last.first = last.first.min(stamp);
                last.stamp = last.stamp.max(stamp);
                last.items.append(items);
            }
            _ if items.len() < BATCH => {
                let mut fresh = Vec::with_capacity(BATCH);
                fresh.append(items);
                self.list.push_back(Batch { first: stamp, stamp, items: fresh });
            }
            _ => {
                let items = std::mem::take(items);
                self.list.push_back(Batch { first: stamp, stamp, items });
            }
        }
    }

    /// Bytes of the list: allocated, and used.
    fn memory(&self) -> (u64, u64) {
        let bytes = |batches: usize, items: usize| {
            (batches * size_of::<Batch>() + items * size_of::<Garbage>()) as u64
        };
        let sum = |count: fn(&Vec<Garbage>) -> usize| {
            self.list.iter().map(|batch| count(&batch.items)).sum::<usize>()
        };
        (bytes(self.list.capacity(), sum(Vec::capacity)), bytes(self.list.len(), sum(Vec::len)))
    }

    /// Closes the last batch: later garbage goes to another one. Returns the lowest stamp of a
    /// commit whose garbage is still queued.
    fn close(&mut self) -> Lsn {
        self.is_closed = true;
        self.list.iter().map(|batch| batch.first).min().unwrap_or(Lsn::MAX)
    }

    fn process(&mut self, shard: usize, guard: &Guard, safe: Lsn, budget: usize) -> usize {
        let mut done = 0;
        while let Some(batch) = self.list.front_mut() {
            if batch.stamp >= safe {
                break;
            }
            while let Some(garbage) = batch.items.pop() {
                garbage.free(shard, guard);
                done += 1;
                if done == budget {
                    return done;
                }
            }
            self.list.pop_front();
        }
        done
    }

    fn free_released(&mut self, shard: usize, guard: &Guard) -> usize {
        let mut done = 0;
        for batch in &mut self.list {
            batch.items.retain(|item| {
                let is_released = item.is_released();
                if is_released {
                    item.free(shard, guard);
                    done += 1;
                }
                !is_released
            });
        }
        self.list.retain(|batch| !batch.items.is_empty());
        done
    }
}

impl Garbage {
    /// Whether it is a version that the sink has released.
    fn is_released(&self) -> bool {
        if self.item & (ANCHOR | SUNK) != 0 {
            return false;
        }
        let version = VersionPtr::from_address(self.item).expect("it was a version");
        // SAFETY: a version that is queued is still allocated.
        unsafe { version.older() }.load(Relaxed) & RELEASED != 0
    }

    #[cfg(all(test, not(feature = "shuttle")))]
    fn queued(&self) -> Queued {
        let anchor = || AnchorPtr::from_address(self.item & !SUNK).expect("it was an anchor");
        match self.item & (ANCHOR | SUNK) {
            0 => Queued::Version(VersionPtr::from_address(self.item).expect("it was a version")),
            SUNK => Queued::Sunk(anchor()),
            _ => Queued::Deleted,
        }
    }

    fn free(self, shard: usize, guard: &Guard) {
        // SAFETY: the table lives while garbage of it is queued (R1).
        let table = unsafe { self.table.get() };
        if self.item & ANCHOR != 0 {
            let anchor = AnchorPtr::from_address(self.item & !ANCHOR).expect("it was an anchor");
            // SAFETY: the deletion lies below the horizon, and no other entry names the anchor.
            unsafe { table.remove_dead(shard, guard, anchor) };
        } else if self.item & SUNK != 0 {
            let anchor = AnchorPtr::from_address(self.item & !SUNK).expect("it was an anchor");
            // SAFETY: the anchor is unlinked, every active statement began later, and no other
            // entry names it.
            unsafe { table.retire_anchor(shard, guard, anchor, Item::Waiting) };
        } else {
            let version = VersionPtr::from_address(self.item).expect("it was a version");
            // SAFETY: the replacement lies below the horizon, so that no walk goes further down, or
            // the sink has released the version; and no other entry names it.
            unsafe { table.free_version(shard, version, Item::Waiting) };
        }
    }
}

/// The registry of a database's tables by storage, which also makes them. Together with
/// [`Reclaimer`] it owns each table until the reclaimer has freed it (R1).
pub struct Tables {
    map: RwLock<Registry>,
    shards: usize,
    pool: Arc<Pool>,
    /// The trees that recovery has found, for the tables that are made after that.
    cold: OnceLock<Arc<ColdTables>>,
}

#[derive(Default)]
struct Registry {
    tables: HashMap<StorageId, Arc<Table>>,
    /// How the log names rows. This includes tables that are gone, as long as the log may still
    /// have records of them.
    log_keys: HashMap<StorageId, Arc<LogKey>>,
}

/// How the rows of a table are named in the log.
#[derive(Debug)]
pub(crate) struct LogKey {
    layout: Arc<RowLayout>,
    key: Arc<KeySpec>,
    sinks_since: SinksSince,
}

impl LogKey {
    /// Replaces `key` by the key by which the log names this row.
    pub fn encode(&self, row: &[u8], key: &mut KeyBuf) {
        self.key.encode_row(&self.layout, row, key);
    }

    /// Whether the sink, and not checkpoint files, keeps what a commit at this position did to the
    /// table.
    pub fn sinks(&self, stamp: Lsn) -> bool {
        self.sinks_since.get().is_some_and(|since| since <= stamp)
    }
}

impl Tables {
    /// An empty registry. The tables' memory will be charged to `pool`, sharded by worker.
    pub fn new(shards: usize, pool: Arc<Pool>) -> Tables {
        let (map, cold) = (RwLock::default(), OnceLock::new());
        Tables { map, shards: shards.max(1), pool, cold }
    }

    /// Makes a table and registers it. The storage id must never have been used.
    pub fn create(&self, spec: &TableSpec) -> Arc<Table> {
        let table = Arc::new(Table::new(spec, self.shards, self.pool.clone()));
        let trees = self.cold.get().and_then(|cold| cold.get(spec.storage.0));
        if let Some(trees) = trees.filter(|_| table.is_sinkable()) {
            table.tally().add_rows(0, trees.rows() as i64);
            table.sinks_since().set(Lsn::ZERO);
            table.set_cold(trees);
        }
        let mut map = self.map.write().expect("no panic under this lock");
        let before = map.tables.insert(spec.storage, table.clone());
        assert!(before.is_none(), "a storage id is used once: {}", spec.storage);
        if table.is_logged() {
            let (layout, key) = (table.layout().clone(), table.key_spec(table.log_index()).clone());
            let sinks_since = table.sinks_since().clone();
            map.log_keys.insert(spec.storage, Arc::new(LogKey { layout, key, sinks_since }));
        }
        table
    }

    /// Sets the trees that recovery has found: a table that is made from now on and has trees among
    /// them begins with the rows in them.
    pub(crate) fn set_recovered_trees(&self, cold: Arc<ColdTables>) {
        let set = self.cold.set(cold);
        assert!(set.is_ok(), "a database is recovered once");
    }

    /// The highest storage that had trees when the database was recovered, whether or not it has a
    /// table.
    pub(crate) fn last_storage_with_trees(&self) -> u64 {
        self.cold.get().map_or(0, |cold| cold.last_storage())
    }

    /// How the log names rows of a logged table; known until [`Tables::forget_log_keys`].
    pub(crate) fn log_key_of(&self, storage: StorageId) -> Option<Arc<LogKey>> {
        self.map.read().expect("no panic under this lock").log_keys.get(&storage).cloned()
    }

    /// The storages of all tables, and those of logged tables that are gone and not forgotten, as
    /// they are at one moment.
    pub(crate) fn storages(&self) -> (HashSet<StorageId>, HashSet<StorageId>) {
        let map = self.map.read().expect("no panic under this lock");
        let gone = map.log_keys.keys().filter(|storage| !map.tables.contains_key(storage));
        (map.tables.keys().copied().collect(), gone.copied().collect())
    }

    /// Forgets the log keys of tables that are gone, once the log has no records of them.
    pub(crate) fn forget_log_keys(&self, gone: &HashSet<StorageId>) {
        let mut map = self.map.write().expect("no panic under this lock");
        map.log_keys.retain(|storage, _| !gone.contains(storage));
    }

    /// The number of shards of each table's gate and counters: about one per worker.
    pub fn shards(&self) -> usize {
        self.shards
    }

    /// What the tables' memory is charged to.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The table of a storage.
    pub fn get(&self, storage: StorageId) -> Option<Arc<Table>> {
        self.map.read().expect("no panic under this lock").tables.get(&storage).cloned()
    }

    /// All tables, in no order.
    pub fn all(&self) -> Vec<Arc<Table>> {
        self.map.read().expect("no panic under this lock").tables.values().cloned().collect()
    }

    /// Takes a table out of the registry. The caller must hand it to [`Reclaimer::retire`]; only
    /// recovery, while it alone uses the tables, may drop it at once.
    pub(crate) fn remove(&self, storage: StorageId) -> Option<Arc<Table>> {
        self.map.write().expect("no panic under this lock").tables.remove(&storage)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while reclaiming")
}

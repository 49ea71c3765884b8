//! The appliers: threads that put the rows of commits into tables.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use base::ids::{Lsn, ObjectId, StorageId};
use crossbeam_epoch::LocalHandle;

use super::loads::Loaded;
use super::{
    CatalogChange, Counters, RecoveredTables, RecoveryCatalog, RecoveryError, RecoveryOptions,
};
use crate::checkpoint::{CheckpointError, EndedLater, Files};
use crate::cold::table::ColdTable;
use crate::critical;
use crate::hot::identity::Position;
use crate::hot::key::KeyBuf;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;
use crate::log::{CommittedTransaction, Operation, PROMOTED};
use crate::sink::ColdPlace;
use crate::sync::plain::{Mutex, MutexGuard};
use crate::wait::{Runtime, Task};

type Result<T> = std::result::Result<T, RecoveryError>;
type Batch = Arc<Vec<CommittedTransaction>>;

/// A message to an applier.
enum Message {
    Apply(Batch),
    /// Says so when everything before is applied. Tables may have changed afterwards.
    Settle(Sender<()>),
}

/// Batches on their way to an applier.
const QUEUE: usize = 4;
/// Operations applied under one epoch guard.
const OPERATIONS_PER_GUARD: usize = 256;

/// An operation that is not a row, kept for the catalog.
enum Other {
    Sequence { sequence: ObjectId, ceiling: i128 },
    Unknown { kind: u8, layout: u16, storage: StorageId, payload: Vec<u8> },
}

impl Other {
    fn as_operation(&self) -> Operation<'_> {
        match self {
            Other::Sequence { sequence, ceiling } => {
                Operation::SequenceCeiling { sequence: *sequence, ceiling: *ceiling }
            }
            Other::Unknown { kind, layout, storage, payload } => {
                Operation::Other { kind: *kind, layout: *layout, storage: *storage, payload }
            }
        }
    }
}

/// Identity ceilings of storages that are not known yet.
pub(super) type Early = HashMap<StorageId, Position>;

/// An operation that is not a row, of the commit with this stamp.
struct DeferredOperation {
    stamp: Lsn,
    operation: Other,
}

/// What the appliers share.
struct Shared {
    tables: Arc<Tables>,
    /// What commits below this did is in the checkpoint's files, but for tables that have trees.
    files_end: Lsn,
    /// Where trees are built.
    place: Arc<ColdPlace>,
    /// The first thing that went wrong.
    failure: Mutex<Option<RecoveryError>>,
    /// Operations that are not rows, for the catalog.
    others: Mutex<Vec<DeferredOperation>>,
    /// Until a commit makes their tables.
    early: Mutex<Early>,
    counters: Arc<Counters>,
}

impl Shared {
    fn recover_ceiling(&self, storage: StorageId, position: Position) {
        match self.tables.get(storage) {
            Some(table) => recover_identity(&table, position),
            // The table was dropped since, or is made by a commit further on: values are taken, and
            // ceilings logged, before the transaction that made it commits.
            None => drop(lock(&self.early).insert(storage, position)),
        }
    }
}

/// The threads, as the one that reads the log sees them. They end when this is dropped.
pub(super) struct Appliers {
    shared: Arc<Shared>,
    senders: Vec<SyncSender<Message>>,
    /// Each gives what its commits have ended of the rows in files.
    threads: Vec<JoinHandle<EndedLater>>,
    /// Applies the commits that change the catalog, between barriers.
    own: Applier,
}

impl Appliers {
    /// Starts the threads. What commits below `files_end` did is in the files.
    pub fn start(
        tables: &Arc<Tables>,
        runtime: &Runtime,
        files: &Files,
        files_end: Lsn,
        place: &Arc<ColdPlace>,
        options: &RecoveryOptions,
    ) -> Appliers {
        let shared = Arc::new(Shared {
            tables: tables.clone(),
            files_end,
            place: place.clone(),
            failure: Mutex::default(),
            others: Mutex::default(),
            early: Mutex::default(),
            counters: options.progress.0.clone(),
        });
        let parts = options.threads.max(1);
        let (mut senders, mut threads) = (Vec::new(), Vec::new());
        for part in 0..parts {
            let (sender, receiver) = sync_channel(QUEUE);
            let (shared, runtime) = (shared.clone(), runtime.clone());
            let ended = files.ended_later();
            let run = critical::thread("applier", move || {
                Applier::new(shared, &runtime, part, parts, ended).run(&receiver)
            });
            let builder = std::thread::Builder::new().name(format!("applier {part}"));
            threads.push(builder.spawn(run).expect("the system has threads for recovery"));
            senders.push(sender);
        }
        let own = Applier::new(shared.clone(), runtime, 0, 1, files.ended_later());
        Appliers { shared, senders, threads, own }
    }

    /// Hands commits to the appliers, in log order.
    pub fn send(&mut self, batch: Vec<CommittedTransaction>) -> Result<()> {
        self.check()?;
        if !batch.is_empty() {
            let batch = Arc::new(batch);
            for sender in &self.senders {
                let sent = sender.send(Message::Apply(batch.clone()));
                sent.expect("appliers listen until they are told to end");
            }
        }
        Ok(())
    }

    /// Applies a commit that changes the catalog, after everything before it.
    pub fn barrier(
        &mut self,
        catalog: &mut dyn RecoveryCatalog,
        commit: CommittedTransaction,
    ) -> Result<()> {
        self.settle(catalog)?;
        let mut changes = Vec::new();
        self.own.apply_catalog(&commit, &mut changes)?;
        if !changes.is_empty() {
            let tables = RecoveredTables { tables: &self.shared.tables };
            catalog
                .changed(&tables, commit.lsn, &changes)
                .map_err(|what| RecoveryError::Catalog { stamp: commit.lsn, what })?;
            self.recover_early();
        }
        self.own.known.clear();
        self.own.apply(&commit, Rows::User)?;
        self.hand_others(catalog)
    }

    /// What the checkpoint says of an identity column.
    pub fn recover_ceiling(&self, storage: StorageId, position: Position) {
        self.shared.recover_ceiling(storage, position);
    }

    /// Gives tables that have just been made the ceilings that were logged before them.
    fn recover_early(&self) {
        lock(&self.shared.early).retain(|storage, position| {
            let table = self.shared.tables.get(*storage);
            if let Some(table) = &table {
                recover_identity(table, *position);
            }
            table.is_none()
        });
    }

    /// Waits until everything is applied, and hands the catalog what is its own.
    pub fn settle(&mut self, catalog: &mut dyn RecoveryCatalog) -> Result<()> {
        let (sender, receiver) = channel();
        for applier in &self.senders {
            let sent = applier.send(Message::Settle(sender.clone()));
            sent.expect("appliers listen until they are told to end");
        }
        drop(sender);
        while receiver.recv().is_ok() {}
        self.check()?;
        self.hand_others(catalog)
    }

    fn hand_others(&mut self, catalog: &mut dyn RecoveryCatalog) -> Result<()> {
        for DeferredOperation { stamp, operation } in
            std::mem::take(&mut *lock(&self.shared.others))
        {
            catalog
                .operation(stamp, &operation.as_operation())
                .map_err(|what| RecoveryError::Catalog { stamp, what })?;
        }
        Ok(())
    }

    /// Waits until everything is applied; what has ended of the rows in files and the ceilings of
    /// tables that are not known yet, or the first thing that went wrong.
    pub fn finish(mut self, catalog: &mut dyn RecoveryCatalog) -> Result<(Vec<EndedLater>, Early)> {
        self.settle(catalog)?;
        self.senders.clear();
        let threads = std::mem::take(&mut self.threads).into_iter();
        let mut ended: Vec<EndedLater> =
            threads.map(|t| t.join().expect("appliers do not panic")).collect();
        ended.push(std::mem::take(&mut self.own.ended));
        let early = std::mem::take(&mut *lock(&self.shared.early));
        Ok((ended, early))
    }

    fn check(&self) -> Result<()> {
        match &*lock(&self.shared.failure) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

impl Drop for Appliers {
    fn drop(&mut self) {
        self.senders.clear();
        for thread in self.threads.drain(..) {
            // One that has panicked has printed why; what it left is not used.
            let _ = thread.join();
        }
    }
}

/// Which rows of a commit are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    All,
    /// Those of other tables than the catalog's.
    User,
    /// Those of tables that have trees.
    Sinking,
}

/// Applies one part of all rows.
struct Applier {
    shared: Arc<Shared>,
    task: Task<'static>,
    handle: LocalHandle,
    part: u64,
    parts: u64,
    /// Tables seen since the last barrier.
    known: HashMap<StorageId, Option<Arc<Table>>>,
    key: KeyBuf,
    /// What the current commit has loaded into storages that have no trees.
    loaded: BTreeMap<StorageId, Loaded>,
    /// What this one's commits have ended of the rows in files.
    ended: EndedLater,
}

impl Applier {
    fn new(
        shared: Arc<Shared>,
        runtime: &Runtime,
        part: usize,
        parts: usize,
        ended: EndedLater,
    ) -> Applier {
        let (task, handle) = (Task::blocking(runtime), runtime.collector().register());
        let (part, parts) = (part as u64, parts as u64);
        let (known, key, loaded) = (HashMap::new(), KeyBuf::default(), BTreeMap::new());
        Applier { shared, task, handle, part, parts, known, key, loaded, ended }
    }

    fn run(mut self, receiver: &Receiver<Message>) -> EndedLater {
        let mut failed = false;
        while let Ok(message) = receiver.recv() {
            match message {
                Message::Apply(_) if failed => {}
                Message::Apply(batch) => {
                    let result = batch.iter().try_for_each(|c| self.apply(c, Rows::All));
                    if let Err(error) = result {
                        failed = true;
                        lock(&self.shared.failure).get_or_insert(error);
                    }
                }
                Message::Settle(done) => {
                    self.known.clear();
                    // The thread that asked may have ended because of an error.
                    let _ = done.send(());
                }
            }
        }
        self.ended
    }

    /// Applies this applier's part of a commit.
    fn apply(&mut self, commit: &CommittedTransaction, rows: Rows) -> Result<()> {
        let rows = if commit.lsn < self.shared.files_end { Rows::Sinking } else { rows };
        let mut operations = commit.body.operations();
        let mut guard = self.handle.pin();
        let mut count = 0_u64;
        while let Some(operation) = operations.next()? {
            count += 1;
            if count % OPERATIONS_PER_GUARD as u64 == 0 {
                guard.repin();
            }
            self.key.clear();
            let operation = match operation {
                Operation::Load { storage, .. } | Operation::Unload { storage, .. }
                    if !self.loads(storage) =>
                {
                    continue;
                }
                Operation::Load { storage, .. } | Operation::Unload { storage, .. }
                    if self.builds(storage) =>
                {
                    drop(guard);
                    self.load(commit, &operation, rows)?;
                    guard = self.handle.pin();
                    continue;
                }
                Operation::Load { storage, layout, row } => {
                    Operation::Upsert { storage, layout, replaces: None, row }
                }
                Operation::Unload { storage, key } => {
                    Operation::Delete { storage, replaces: PROMOTED, key }
                }
                operation => operation,
            };
            if !self.loaded.is_empty() {
                drop(guard);
                self.finish_loads(commit.lsn)?;
                guard = self.handle.pin();
            }
            match operation {
                Operation::Upsert { storage, layout, replaces, row } => {
                    let Some(table) = self.table(storage, commit, rows)? else { continue };
                    let row = table.well_formed(row).filter(|_| layout == table.layout_number());
                    let bad = RecoveryError::BadRow { stamp: commit.lsn, storage };
                    let row = row.ok_or(bad)?;
                    table.log_key(row, &mut self.key);
                    if self.is_mine(&table) {
                        let Some(cold) = table.cold() else {
                            if let Some(stamp) = replaces {
                                self.end_in_files(&table, stamp, commit.lsn)?;
                            }
                            table
                                .recover_upsert(
                                    self.part as usize,
                                    &guard,
                                    &self.key,
                                    row,
                                    commit.lsn,
                                    None,
                                )
                                .map_err(|_| RecoveryError::OutOfMemory)?;
                            continue;
                        };
                        // To read pages may take waiting, without a guard.
                        drop(guard);
                        table.tally().add_rows(0, i64::from(replaces.is_none()));
                        self.apply_sinking(
                            &table,
                            cold,
                            Some(row),
                            replaces.is_some(),
                            commit.lsn,
                        )?;
                        guard = self.handle.pin();
                    }
                }
                Operation::Delete { storage, replaces, key } => {
                    let Some(table) = self.table(storage, commit, rows)? else { continue };
                    self.key.set(key);
                    if !self.is_mine(&table) {
                        continue;
                    }
                    match table.cold() {
                        None if self.end_in_files(&table, replaces, commit.lsn)? => {}
                        None => table.recover_delete(self.part as usize, &guard, &self.key, None),
                        Some(cold) => {
                            drop(guard);
                            table.tally().add_rows(0, -1);
                            self.apply_sinking(&table, cold, None, true, commit.lsn)?;
                            guard = self.handle.pin();
                        }
                    }
                }
                other if self.part == 0 && rows != Rows::Sinking => {
                    self.apply_other(commit, &other);
                }
                _ => {}
            }
        }
        drop(guard);
        self.finish_loads(commit.lsn)?;
        if self.part == 0 {
            self.shared.counters.operations.fetch_add(count, Relaxed);
        }
        Ok(())
    }

    /// Takes a row that the commit has loaded into a storage without trees, or taken out of there.
    fn load(
        &mut self,
        commit: &CommittedTransaction,
        operation: &Operation<'_>,
        rows: Rows,
    ) -> Result<()> {
        let (Operation::Load { storage, .. } | Operation::Unload { storage, .. }) = *operation
        else {
            unreachable!("nothing else is loaded");
        };
        let Some(table) = self.table(storage, commit, rows)? else { return Ok(()) };
        let row = match *operation {
            Operation::Load { layout, row, .. } => {
                let row = table.well_formed(row).filter(|_| layout == table.layout_number());
                let row = row.ok_or(RecoveryError::BadRow { stamp: commit.lsn, storage })?;
                table.log_key(row, &mut self.key);
                Some(row)
            }
            Operation::Unload { key, .. } => {
                self.key.set(key);
                None
            }
            _ => unreachable!("checked above"),
        };
        let begin = || Loaded::begin(&self.task, &table, &self.shared.place);
        self.loaded.entry(storage).or_insert_with(begin).put(&self.key, row)
    }

    /// Builds the trees of what the current commit has loaded.
    fn finish_loads(&mut self, stamp: Lsn) -> Result<()> {
        while let Some((_, loaded)) = self.loaded.pop_first() {
            loaded.finish(&self.task, &self.shared.place, stamp)?;
        }
        Ok(())
    }

    /// Notes that the row with the current key, written by the commit at `replaced`, has ended.
    /// Returns whether it is in files that are not loaded yet, and not in memory.
    ///
    /// A row that had been in trees ([`PROMOTED`]): no root has these trees, since the table has
    /// none now. So the row came from these files or this log, and the table must go on sinking.
    /// The log alone does not say which file has the row; so checkpoints must not gather what was
    /// done to it.
    fn end_in_files(&mut self, table: &Table, replaced: Lsn, stamp: Lsn) -> Result<bool> {
        if replaced == PROMOTED {
            table.sinks_since().include(stamp);
        }
        if replaced >= self.shared.files_end || !table.loading().is_pending() {
            return Ok(false);
        }
        let storage = table.storage();
        if replaced == PROMOTED {
            self.ended.push_key(storage, &self.key);
            return Ok(false);
        }
        match self.ended.push(storage, replaced, &self.key) {
            true => Ok(true),
            false => Err(CheckpointError::Inconsistent { stamp, storage }.into()),
        }
    }

    /// The row with the current key of a table that has trees is this one now, or gone. The tree
    /// may have had it, if there was one.
    fn apply_sinking(
        &self,
        table: &Table,
        cold: &ColdTable,
        row: Option<&[u8]>,
        was_there: bool,
        stamp: Lsn,
    ) -> Result<()> {
        let mut sunk = Vec::new();
        let in_tree = was_there && cold.find(&self.task, &self.key, &mut sunk)?;
        let (shard, guard) = (self.part as usize, self.handle.pin());
        let sunk = in_tree.then_some(&*sunk);
        let applied = table.recover_sinking(shard, &guard, &self.key, sunk, row, stamp);
        applied.map_err(|_| RecoveryError::OutOfMemory)
    }

    fn defer(&self, commit: &CommittedTransaction, operation: Other) {
        let deferred = DeferredOperation { stamp: commit.lsn, operation };
        lock(&self.shared.others).push(deferred);
    }

    fn apply_other(&self, commit: &CommittedTransaction, operation: &Operation<'_>) {
        match operation {
            Operation::IdentityCeiling { storage, ceiling } => {
                self.shared.recover_ceiling(*storage, Position::decode(*ceiling));
            }
            // The catalog's rows say the same.
            Operation::DropStorage { .. } | Operation::TruncateStorage { .. } => {}
            Operation::SequenceCeiling { sequence, ceiling } => {
                let operation = Other::Sequence { sequence: *sequence, ceiling: *ceiling };
                self.defer(commit, operation);
            }
            Operation::Other { kind, layout, storage, payload } => {
                let payload = payload.to_vec();
                let (kind, layout, storage) = (*kind, *layout, *storage);
                self.defer(commit, Other::Unknown { kind, layout, storage, payload });
            }
            Operation::Upsert { .. }
            | Operation::Delete { .. }
            | Operation::Load { .. }
            | Operation::Unload { .. } => unreachable!("they are rows"),
        }
    }

    /// Applies the catalog rows of a commit, and passes on what they were and are.
    fn apply_catalog(
        &mut self,
        commit: &CommittedTransaction,
        changes: &mut Vec<CatalogChange>,
    ) -> Result<()> {
        let mut operations = commit.body.operations();
        let guard = self.handle.pin();
        while let Some(operation) = operations.next()? {
            let (storage, new) = match operation {
                Operation::Upsert { storage, row, .. } => (storage, Some(row)),
                Operation::Delete { storage, .. } => (storage, None),
                _ => continue,
            };
            let Some(table) = self.shared.tables.get(storage).filter(|t| t.is_catalog()) else {
                continue;
            };
            self.key.clear();
            let mut old = None;
            match operation {
                Operation::Upsert { layout, row, .. } => {
                    let row = table.well_formed(row).filter(|_| layout == table.layout_number());
                    let bad = RecoveryError::BadRow { stamp: commit.lsn, storage };
                    let row = row.ok_or(bad)?;
                    table.log_key(row, &mut self.key);
                    table
                        .recover_upsert(0, &guard, &self.key, row, commit.lsn, Some(&mut old))
                        .map_err(|_| RecoveryError::OutOfMemory)?;
                }
                Operation::Delete { key, .. } => {
                    self.key.set(key);
                    table.recover_delete(0, &guard, &self.key, Some(&mut old));
                }
                _ => unreachable!("only rows come here"),
            }
            changes.push(CatalogChange { storage, old, new: new.map(Into::into) });
        }
        Ok(())
    }

    /// Whether rows that were loaded into this storage have to be applied: not if its trees have
    /// them, or if what made it was taken back.
    fn loads(&mut self, storage: StorageId) -> bool {
        let tables = &self.shared.tables;
        let known = self.known.entry(storage).or_insert_with(|| tables.get(storage));
        let has_them = |table: &Arc<Table>| table.cold().is_some_and(|cold| cold.is_built());
        known.as_ref().is_some_and(|table| !has_them(table))
    }

    /// Whether that is done by building the trees. Of a table whose trees came later, when it sank,
    /// they may have been rows in memory; and a storage is loaded by the commit that makes it,
    /// which one applier alone has.
    fn builds(&self, storage: StorageId) -> bool {
        let table = self.known.get(&storage).and_then(Option::as_ref);
        self.parts == 1 && table.is_some_and(|table| table.cold().is_none())
    }

    /// The table of a row, or `None` if its rows are not meant or are gone.
    fn table(
        &mut self,
        storage: StorageId,
        commit: &CommittedTransaction,
        rows: Rows,
    ) -> Result<Option<Arc<Table>>> {
        let tables = &self.shared.tables;
        let known = self.known.entry(storage).or_insert_with(|| tables.get(storage));
        match known {
            Some(table) if rows == Rows::User && table.is_catalog() => Ok(None),
            Some(table) => Ok(match table.cold() {
                Some(cold) => cold.durable() <= commit.lsn.0,
                None => rows != Rows::Sinking,
            }
            .then(|| table.clone())),
            // A commit that drops a table may have changed its rows before.
            None if rows != Rows::All => Ok(None),
            None => Err(RecoveryError::UnknownTable { stamp: commit.lsn, storage }),
        }
    }

    /// Whether the row with the current key is this applier's.
    fn is_mine(&self, table: &Table) -> bool {
        let spec = table.key_spec(table.log_index());
        // The high bits: the hash index of the same key uses the low ones for its buckets.
        self.parts == 1 || (spec.hash_key(&self.key) >> 48) % self.parts == self.part
    }
}

fn recover_identity(table: &Table, position: Position) {
    if let Some(counter) = table.identity() {
        counter.recover(position);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic under these locks")
}

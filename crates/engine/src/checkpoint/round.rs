//! A round: gathering what the log holds, closing the pair, and making it count.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use base::ids::{Lsn, StorageId};
use env::Clock;

use super::counters::Counters;
use super::ended::Ended;
use super::error::{CheckpointError, Result};
use super::gather::{Gathered, Surroundings};
use super::manifest::{CommitRange, Delta, Manifest, Pair, Retired};
use super::names::{self, FileId, Named};
use super::objects::ObjectStore;
use super::pins::Pins;
use super::weigh::{Contents, Weight};
use super::{CheckpointOptions, SequenceOf};
use crate::log::replay::{Assembler, hold_bytes};
use crate::log::store::{Batch, BatchReader, LogStore};
use crate::sink::{self, SinkError};
use crate::sync::plain::{Mutex, MutexGuard, RwLock};
use crate::txn::Manager;
use crate::wait::Task;

/// What is worth reading of the log, or getting rid of, in parts of a data file.
pub(super) const FOLLOW_PART: u64 = 8;
/// Delta files of a pair; one more, and they are put together.
const DELTAS: usize = 4;

/// What a [`CheckpointCore`] is made from.
pub(crate) struct CoreParts {
    pub objects: Arc<dyn ObjectStore>,
    pub store: Arc<dyn LogStore>,
    pub manager: Arc<Manager>,
    /// What has the rows that the files do not have.
    pub sink: Arc<sink::SinkCore>,
    /// What backups need.
    pub pins: Arc<Pins>,
    pub options: CheckpointOptions,
    pub sequence_of: SequenceOf,
    /// The last checkpoint.
    pub manifest: Manifest,
    /// The highest number of any manifest that was ever begun.
    pub last_number: u64,
    /// What is known of what the files hold.
    pub contents: Contents,
    /// Where this life of the log began.
    pub life: Lsn,
    /// Streams of chunks that began before this lead nowhere.
    pub alive: Lsn,
}

/// Makes the checkpoints of a database.
pub(crate) struct CheckpointCore {
    pub objects: Arc<dyn ObjectStore>,
    store: Arc<dyn LogStore>,
    pub manager: Arc<Manager>,
    pub sink: Arc<sink::SinkCore>,
    pub pins: Arc<Pins>,
    pub options: CheckpointOptions,
    sequence_of: SequenceOf,
    life: Lsn,
    alive: Lsn,
    state: Mutex<State>,
    /// The last manifest, for readers that must not wait for a round.
    pub published: RwLock<Arc<Manifest>>,
    /// Ends a round that is under way. Set once, when the database closes.
    pub closing: AtomicBool,
    /// Ends merging: the shutdown waits for the last checkpoint. Set once.
    pub ending: AtomicBool,
    pub counters: Counters,
    /// The file that a merge is writing, if one is. Written by the merge.
    pub merging: Mutex<Option<MergeTarget>>,
    /// Whether files are there that only a backup needs, or needed. Written by rounds.
    left_behind: AtomicBool,
    /// Why there is no checkpoint of all that is durable; nothing if no round has failed since the
    /// last one.
    pub failure: Mutex<Option<CheckpointError>>,
}

/// A file that a merge is writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MergeTarget {
    pub id: FileId,
    pub range: CommitRange,
    pub bytes: u64,
    /// The checkpoint that it will be part of.
    pub begun: u64,
}

/// What one round leaves to the next.
pub(super) struct State {
    /// The last checkpoint.
    pub manifest: Manifest,
    /// The manifest before it, which can take its place as far as the log reaches back.
    previous: Option<u64>,
    pub follower: Option<Follower>,
    last_number: u64,
    next_file: u64,
    /// Where the log starts that each checkpoint needs, in the order of their ends.
    starts: Vec<LogStart>,
    /// Tables that are gone, and by when at the latest: their rows are needed until that is in the
    /// files.
    gone: HashMap<StorageId, Lsn>,
    /// What the files of the manifest hold, as far as it was asked for.
    contents: Contents,
    /// Whether all is merged that the last checkpoint and the tables that are gone made due.
    pub has_merged: bool,
}

/// Where the log starts that is needed by what is complete up to the end of a checkpoint.
struct LogStart {
    end: Lsn,
    start: Lsn,
}

/// How far the log has been followed.
pub(super) struct Follower {
    tail: Box<dyn BatchReader>,
    assembler: Assembler,
    pub gathered: Gathered,
    /// All that was durable below this has been read. It may lie after the end of what was, where
    /// only filler is.
    read: Lsn,
}

impl Follower {
    /// A manifest of what has been gathered has what commits below this did.
    fn covers(&self) -> Lsn {
        self.read.max(self.tail.end().end)
    }

    /// Gathers what is known to have been committed with this batch.
    fn gather(&mut self, surroundings: &Surroundings<'_>, batch: Arc<Batch>) -> Result<()> {
        self.assembler.push(batch);
        while let Some(commit) = self.assembler.next()? {
            if commit.lsn >= self.gathered.from {
                self.gathered.add(surroundings, &commit)?;
            }
        }
        Ok(())
    }
}

impl CheckpointCore {
    pub fn new(parts: CoreParts) -> CheckpointCore {
        let CoreParts { objects, store, manager, sink, pins, options, sequence_of, .. } = parts;
        let CoreParts { manifest, last_number, contents, life, alive, .. } = parts;
        let counters = Counters::default();
        counters.through.store(manifest.through.0, Relaxed);
        counters.gathered.store(manifest.through.0, Relaxed);
        let published = RwLock::new(Arc::new(manifest.clone()));
        let next_file = manifest.next_file;
        let complete = manifest.sunk.unwrap_or(Lsn::MAX).min(manifest.through);
        let starts = vec![LogStart { end: complete, start: manifest.log_start }];
        let state = State {
            manifest,
            starts,
            previous: None,
            follower: None,
            last_number,
            next_file,
            gone: HashMap::new(),
            contents,
            has_merged: false,
        };
        let (state, closing) = (Mutex::new(state), AtomicBool::new(false));
        CheckpointCore {
            objects,
            store,
            manager,
            sink,
            pins,
            options,
            sequence_of,
            life,
            alive,
            state,
            published,
            closing,
            ending: AtomicBool::new(false),
            counters,
            merging: Mutex::default(),
            left_behind: AtomicBool::new(false),
            failure: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a round does not panic")
    }

    /// Bytes of durable log after the last checkpoint, as they lie in its files as far as they have
    /// been gathered: there a commit that travels alone takes a page.
    pub fn lag(&self) -> u64 {
        self.counters.behind.load(Relaxed) + self.unread()
    }

    /// Whether the log after the last checkpoint is worth another.
    fn is_due(&self) -> bool {
        self.lag() >= self.options.log_bytes
    }

    /// Bytes of durable log that have not been gathered.
    pub fn unread(&self) -> u64 {
        self.manager.log().durable().0.saturating_sub(self.counters.gathered.load(Relaxed))
    }

    /// A checkpoint of everything that is durable now.
    pub fn checkpoint(&self) -> Result<()> {
        self.round(|state| {
            self.gather(state)?;
            self.close_pair(state)
        })
    }

    /// Gathers what is durable now, and closes pairs that are full.
    pub fn follow(&self) -> Result<()> {
        self.round(|state| {
            self.gather(state)?;
            match self.is_due() {
                true => self.close_pair(state),
                false => Ok(()),
            }
        })
    }

    /// Sees to it that the files are not much larger than what lives in them, also when nothing is
    /// going on that would make a checkpoint: what has ended makes one if it is worth it, and what
    /// waits for the next checkpoint goes with a manifest that is like the last.
    pub fn tidy(&self) -> Result<()> {
        let left_behind = self.left_behind.load(Relaxed);
        if self.unread() == 0 && !left_behind && self.is_tidy() && !self.sink.has_dropped() {
            return Ok(());
        }
        self.round(|state| {
            self.gather(state)?;
            if self.sink.has_dropped() {
                match self.close_pair(state) {
                    // That comes before anything that was gathered is used, and the trees can wait.
                    Err(CheckpointError::Sink(SinkError::InTheWay)) => {}
                    closed => closed?,
                }
            }
            if state.is_settled() {
                if !state.manifest.retired.is_empty() {
                    let next = state.next_manifest();
                    self.install(state, next)?;
                }
                self.merge_where_due(state)?;
            }
            let may_be_wasteful = !state.is_settled() || state.is_dropping();
            if self.is_due() || may_be_wasteful && self.is_wasteful(state)? {
                self.close_pair(state)?;
            }
            match self.left_behind.load(Relaxed) {
                true => self.remove_files(state),
                false => Ok(()),
            }
        })
    }

    /// Removes at once what waits for the next checkpoint.
    pub fn collect_garbage(&self) -> Result<()> {
        self.round(|state| {
            if !state.is_settled() {
                self.close_pair(state)?;
            }
            if !state.manifest.retired.is_empty() {
                let next = state.next_manifest();
                self.install(state, next)?;
            }
            state.previous = None;
            self.remove_files(state)
        })
    }

    /// Runs a round. If it fails, what was gathered is forgotten and read again by the next.
    pub(super) fn round<T>(&self, run: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        let mut state = self.lock();
        let result = run(&mut state);
        if let Err(error) = &result {
            state.forget();
            self.counters.behind.store(0, Relaxed);
            self.counters.gathered.store(state.manifest.through.0, Relaxed);
            self.counters.failures.fetch_add(1, Relaxed);
            if !matches!(error, CheckpointError::Closed) {
                self.note(Some(error.clone()));
            }
        } else if state.is_settled() {
            self.note(None);
        }
        result
    }

    /// Why there is no checkpoint of all that is durable. What was gathered alone does not end
    /// that.
    fn note(&self, failure: Option<CheckpointError>) {
        *self.failure.lock().expect("no panic under this lock") = failure;
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        self.manager.runtime().env().clock()
    }

    fn task(&self) -> Task<'static> {
        Task::blocking(self.manager.runtime())
    }

    fn surroundings(&self) -> Surroundings<'_> {
        let (objects, tables) = (&*self.objects, self.manager.tables());
        Surroundings { objects, tables, sequence_of: self.sequence_of }
    }

    /// Starts after the last checkpoint.
    fn start_following(&self, state: &State) -> Result<Follower> {
        let Manifest { log_start, through, .. } = state.manifest;
        let mut gathered = Gathered::behind(&state.manifest);
        gathered.next.next_file = state.next_file;
        let mut assembler = Assembler::new(self.store.clone(), log_start, through);
        assembler.hold_bytes = hold_bytes(self.manager.tables().pool().least_limit());
        let (tail, read) = (self.store.follow(log_start)?, through);
        Ok(Follower { tail, assembler, gathered, read })
    }

    /// Gathers what is durable and not gathered yet.
    fn gather(&self, state: &mut State) -> Result<()> {
        // First, so that what is gathered may come to where they were dropped.
        self.note_gone(state);
        self.sink.note_dropped();
        let durable = self.manager.log().durable();
        let (clock, counters) = (self.clock(), &self.counters);
        if state.follower.is_none() {
            state.follower = Some(self.start_following(state)?);
        }
        loop {
            let follower = state.follower.as_mut().expect("made above");
            if self.closing.load(Acquire) {
                return Err(CheckpointError::Closed); // pairs with Checkpoints::stop
            }
            let Some(batch) = counters.reads.time(clock, || follower.tail.next())? else {
                follower.read = durable;
                return Ok(());
            };
            counters.log_bytes.fetch_add(batch.header.padded_len(), Relaxed);
            if batch.header.end > state.manifest.through {
                counters.behind.fetch_add(batch.header.padded_len(), Relaxed);
            }
            counters.scans.time(clock, || follower.gather(&self.surroundings(), batch))?;
            counters.gathered.store(follower.tail.end().end.0, Relaxed);
            let Some(data) = &follower.gathered.data else { continue };
            counters.open_bytes.store(data.bytes(), Relaxed);
            counters.open_file.store(data.id().0, Release); // pairs with the view's Acquire
            if data.bytes() >= self.options.data_bytes {
                self.close_pair(state)?;
            }
        }
    }

    /// Closes the pair under construction at the end of what was gathered, and makes it count.
    fn close_pair(&self, state: &mut State) -> Result<()> {
        let Some(follower) = &mut state.follower else { return Ok(()) };
        let (through, covers) = (follower.tail.end().end, follower.covers());
        let last = &state.manifest;
        let more_may_sink = last.sunk.is_some_and(|sunk| sunk < through);
        if through < last.through || through == last.through && !more_may_sink {
            return Ok(self.sink.cover(&self.task(), covers)?);
        }
        let sunk = self.sink.checkpoint(&self.task(), through)?;
        let number = state.last_number + 1;
        let from = follower.gathered.from;
        if let Some(data) = follower.gathered.data.take() {
            let id = data.id();
            let written = data.finish(through)?;
            self.counters.rows.fetch_add(written.rows, Relaxed);
            self.counters.data_bytes.fetch_add(written.bytes, Relaxed);
            follower.gathered.next.pairs.push(Pair {
                id,
                from,
                to: through,
                bytes: written.bytes,
                rows: written.rows,
                deltas: Vec::new(),
                begun: number,
                merged: false,
            });
        }
        let ended = std::mem::take(&mut follower.gathered.ended);
        for (file, ended) in ended {
            self.write_ended(&mut follower.gathered.next, file, ended)?;
        }
        let log_needs = &self.manager.log_needs;
        let start = follower.assembler.oldest_open(self.alive, &log_needs.abandoned());
        let life = self.life;
        let needed = |stamp: &Lsn, global: &mut _| log_needs.is_needed(global, *stamp < life);
        let next = &mut follower.gathered.next;
        next.decisions.retain(needed);
        next.through = through;
        next.sunk = sunk;
        let start = start.map_or(through, |start| start.min(through));
        // What has not sunk is in the log only.
        let complete = sunk.map_or(through, |sunk| sunk.min(through));
        let place = state.starts.partition_point(|kept| kept.end <= complete);
        let start_then = match complete == through {
            true => Some(start),
            false => state.starts[..place].last().map(|kept| kept.start),
        };
        // The first root may speak of a position before the last checkpoint. Its tables sink since
        // one after that.
        next.log_start = start_then.map_or(last.log_start, |start| start.max(last.log_start));
        let next = next.clone();
        self.install(state, next)?;
        self.counters.behind.store(0, Relaxed);
        state.starts.drain(..place.saturating_sub(1));
        state.starts.push(LogStart { end: through, start });
        // The checkpoint counts, whatever becomes of what was dropped: that waits for the next one.
        if let Err(error) = self.sink.cover(&self.task(), covers) {
            self.note(Some(error.into()));
        }
        self.merge_where_due(state)
    }

    /// Writes down what has ended of a pair.
    fn write_ended(&self, next: &mut Manifest, file: FileId, mut ended: Ended) -> Result<()> {
        let (objects, database) = (&*self.objects, next.database);
        let id = FileId(next.next_file);
        next.next_file += 1;
        let pair = next.pairs.iter_mut().find(|pair| pair.id == file);
        let pair = pair.expect("rows end in files that the manifest names");
        let range = pair.range();
        if pair.deltas.len() >= DELTAS {
            for delta in pair.deltas.drain(..) {
                ended.read(objects, database, &delta, range)?;
            }
        }
        let rows = ended.len() as u64;
        let bytes = ended.write(objects, database, id, pair.from)?;
        self.counters.delta_bytes.fetch_add(bytes, Relaxed);
        pair.deltas.push(Delta { id, bytes, rows });
        Ok(())
    }

    /// Makes a manifest of what is current, and gives up what it does not need (K2).
    pub(super) fn install(&self, state: &mut State, mut next: Manifest) -> Result<()> {
        state.last_number += 1;
        next.number = state.last_number;
        next.written_ticks = self.clock().utc_ticks();
        next.retired = retired(&state.manifest, &next);
        // Ceilings of other unknown storages are kept: a commit that makes those may be to come.
        let is_over =
            |storage: &StorageId| state.gone.get(storage).is_some_and(|by| *by <= next.through);
        next.identities.retain(|storage, _| !is_over(storage));
        // Counters and decisions that were read already from the log after this manifest.
        let beyond = state.follower.as_ref().filter(|f| f.tail.end().end > next.through);
        let beyond = beyond.map(|follower| {
            let Manifest { identities, sequences, decisions, .. } = &follower.gathered.next;
            let mut identities = identities.clone();
            identities.retain(|storage, _| !is_over(storage));
            (identities, sequences.clone(), decisions.clone())
        });
        // A failure from here on must not use a number again.
        next.next_file = next.next_file.max(state.next_file);
        state.next_file = next.next_file;
        self.objects.put(&names::manifest(next.number), &next.encode())?;
        state.previous = Some(state.manifest.number).filter(|number| *number > 0);
        self.counters.checkpoints.fetch_add(1, Relaxed);
        self.counters.through.store(next.through.0, Relaxed);
        if let Some(follower) = &mut state.follower {
            let carried = std::mem::take(&mut follower.gathered.ended);
            debug_assert!(carried.is_empty() && follower.gathered.data.is_none());
            follower.gathered = Gathered::behind(&next);
            if let Some((identities, sequences, decisions)) = beyond {
                let gathered = &mut follower.gathered.next;
                *gathered = Manifest { identities, sequences, decisions, ..gathered.clone() };
            }
        }
        *self.published.write().expect("no panic under this lock") = Arc::new(next.clone());
        state.contents.keep(&next);
        state.manifest = next;
        self.forget_gone(state);
        self.note(None);
        self.remove_files(state)?;
        self.truncate_log()
    }

    /// Gives up the log that neither recovery nor a backup needs.
    pub fn truncate_log(&self) -> Result<()> {
        let pins = self.pins.lock();
        let start = self.published.read().expect("no panic under this lock").log_start;
        Ok(self.store.truncate_before(pins.log_start(start))?)
    }

    /// Removes the files that neither the manifest nor the pair under construction nor a backup
    /// needs. A later manifest may be whole though it could not be made durable, so it goes before
    /// the files that it names.
    fn remove_files(&self, state: &State) -> Result<()> {
        let (manifest, pins) = (&state.manifest, self.pins.lock());
        let open = state.follower.as_ref().and_then(|f| f.gathered.data.as_ref()).map(|d| d.id());
        let mut kept: HashSet<FileId> = files_of(manifest).map(|file| file.id).collect();
        kept.extend(manifest.retired.iter().map(|file| file.id).chain(open));
        let mut left_behind = false;
        let objects = self.objects.list()?;
        for (name, _) in &objects {
            let is_later = |it| matches!(it, Named::Manifest(number) if number > manifest.number);
            if names::parse(name).is_some_and(is_later) {
                self.objects.remove_for_good(name)?;
            }
        }
        for (name, _) in objects {
            let keep = match names::parse(&name) {
                Some(Named::Data(id) | Named::Delta(id)) => {
                    let pinned = !kept.contains(&id) && pins.has(id);
                    left_behind |= pinned;
                    kept.contains(&id) || pinned
                }
                Some(Named::Manifest(number)) => {
                    number >= manifest.number || Some(number) == state.previous
                }
                None => true,
            };
            if !keep {
                self.objects.remove(&name)?;
            }
        }
        self.left_behind.store(left_behind, Relaxed);
        Ok(())
    }

    /// Notes which tables are gone by now; those that are there.
    fn note_gone(&self, state: &mut State) -> HashSet<StorageId> {
        let (there, dropped) = self.manager.tables().storages();
        // Whatever dropped them took its stamp before they were found gone.
        let now = self.manager.log().tail();
        for storage in dropped {
            state.gone.entry(storage).or_insert_with(|| {
                state.has_merged = false;
                now
            });
        }
        there
    }

    /// The tables whose rows are needed by a checkpoint through this position, which has been
    /// gathered.
    pub(super) fn needed_tables(&self, state: &mut State, through: Lsn) -> HashSet<StorageId> {
        let mut needed = self.note_gone(state);
        let gone_later = state.gone.iter().filter(|(_, by)| **by > through);
        needed.extend(gone_later.map(|(storage, _)| *storage));
        let (tables, last) = (self.manager.tables(), &state.manifest);
        // What has sunk for good is in pages, once recovery must have those. Nothing that is still
        // to be gathered may be for the files, since that could speak of rows in them.
        let is_sunk = |storage: &StorageId| {
            let table = tables.get(*storage);
            table.is_some_and(|table| {
                table.sinks_since().get().is_some_and(|since| since <= last.through)
                    && table.cold().is_some_and(|cold| cold.durable() > 0)
            })
        };
        if last.sunk.is_some() {
            needed.retain(|storage| !is_sunk(storage));
        }
        needed
    }

    /// Forgets how rows of tables were named that were gone before the last checkpoint: log that is
    /// still to be gathered does not speak of them.
    fn forget_gone(&self, state: &mut State) {
        let through = state.manifest.through;
        let is_over = |by: &Lsn| *by <= through;
        let over = state.gone.iter().filter(|(_, by)| is_over(by));
        let over: HashSet<StorageId> = over.map(|(storage, _)| *storage).collect();
        state.gone.retain(|_, by| !is_over(by));
        if !over.is_empty() {
            self.manager.tables().forget_log_keys(&over);
        }
    }

    /// What lives in the pairs of the last checkpoint, by now.
    pub(super) fn weigh(
        &self,
        state: &mut State,
        needed: &HashSet<StorageId>,
    ) -> Result<Vec<Weight>> {
        let State { manifest, follower, contents, .. } = state;
        let ended = follower.as_ref().map(|follower| &follower.gathered.ended);
        let (objects, database) = (&*self.objects, manifest.database);
        let weights = manifest.pairs.iter().map(|pair| {
            let more = ended.and_then(|ended| ended.get(&pair.id));
            contents.weigh(objects, database, pair, needed, more)
        });
        weights.collect()
    }

    /// Whether no file waits for the next checkpoint, and nothing has ended that the files hold.
    fn is_tidy(&self) -> bool {
        let mut state = self.lock();
        self.note_gone(&mut state);
        let nothing_ended = |f: &Follower| f.gathered.ended.is_empty();
        state.manifest.retired.is_empty()
            && state.has_merged
            && !state.is_dropping()
            && state.follower.as_ref().is_none_or(nothing_ended)
    }

    /// Whether the files are half as large again as what would live in them if the pair were
    /// closed, and larger than that by a part of a data file.
    fn is_wasteful(&self, state: &mut State) -> Result<bool> {
        let gathered = state.follower.as_ref().map(|follower| follower.tail.end().end);
        let through = gathered.unwrap_or(state.manifest.through);
        let needed = self.needed_tables(state, through);
        let mut bytes: u64 = state.manifest.retired.iter().map(|file| file.bytes).sum();
        let mut live = 0;
        for weight in self.weigh(state, &needed)? {
            bytes += weight.bytes;
            live += weight.live;
        }
        Ok(bytes > live + (live / 2).max(self.options.data_bytes / FOLLOW_PART))
    }
}

impl State {
    /// Whether nothing has been gathered since the last checkpoint.
    pub fn is_settled(&self) -> bool {
        let settled = |f: &Follower| f.gathered.data.is_none() && f.gathered.ended.is_empty();
        self.follower.as_ref().is_none_or(settled)
    }

    /// Whether tables are gone of which the last checkpoint does not know that.
    fn is_dropping(&self) -> bool {
        self.gone.values().any(|by| *by > self.manifest.through)
    }

    /// The last manifest, to make the next of; its next file was never used.
    pub fn next_manifest(&self) -> Manifest {
        let used = self.follower.as_ref().map_or(0, |f| f.gathered.next.next_file);
        let next_file = self.next_file.max(self.manifest.next_file).max(used);
        Manifest { next_file, ..self.manifest.clone() }
    }

    /// Where the log starts that a manifest needs which ends where the last did.
    pub fn log_start(&self, next: &Manifest) -> Lsn {
        let complete = next.sunk.unwrap_or(Lsn::MAX).min(next.through);
        let place = self.starts.partition_point(|kept| kept.end <= complete);
        self.starts[..place].last().map_or(next.log_start, |kept| next.log_start.max(kept.start))
    }

    /// Files up to what this manifest says may have been begun.
    pub fn used(&mut self, next: &Manifest) {
        self.next_file = self.next_file.max(next.next_file);
    }

    /// Goes back to the last checkpoint.
    fn forget(&mut self) {
        if let Some(follower) = self.follower.take() {
            self.next_file = self.next_file.max(follower.gathered.next.next_file);
        }
    }
}

/// The data and delta files that a manifest names, as they would be if they were retired.
fn files_of(manifest: &Manifest) -> impl Iterator<Item = Retired> + '_ {
    manifest.pairs.iter().flat_map(|pair| {
        let range = pair.range();
        let data = Retired {
            id: pair.id,
            delta: false,
            merged: true,
            bytes: pair.bytes,
            rows: pair.rows,
            range,
        };
        let delta = move |delta: &Delta| {
            let Delta { id, bytes, rows } = *delta;
            Retired { id, delta: true, merged: true, bytes, rows, range }
        };
        std::iter::once(data).chain(pair.deltas.iter().map(delta))
    })
}

/// The files of one manifest that the next does not name.
fn retired(before: &Manifest, next: &Manifest) -> Vec<Retired> {
    let kept: BTreeMap<FileId, ()> = files_of(next).map(|file| (file.id, ())).collect();
    files_of(before).filter(|file| !kept.contains_key(&file.id)).collect()
}

//! Gathering: from the commits in the log to a data file, and to what has ended of other data
//! files.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use base::ids::{Lsn, StorageId};

use super::SequenceOf;
use super::data::{BlockBuilder, DataWriter, ROW_HEADER, Written};
use super::ended::Ended;
use super::error::{CheckpointError, Result};
use super::manifest::Manifest;
use super::names::FileId;
use super::objects::ObjectStore;
use crate::hot::key::KeyBuf;
use crate::hot::reclaim::{LogKey, Tables};
use crate::log::{CommittedTransaction, Operation, PROMOTED};

/// Rows of a table that make a block.
const BLOCK_BYTES: usize = 256 << 10;
/// Rows of all tables that wait for their blocks to fill.
const WAITING_BYTES: usize = 8 << 20;

/// A data file that rows are added to, table by table.
pub(super) struct OpenData {
    writer: DataWriter,
    blocks: BTreeMap<StorageId, BlockBuilder>,
    waiting: usize,
}

impl OpenData {
    pub fn create(
        objects: &dyn ObjectStore,
        database: u128,
        id: FileId,
        from: Lsn,
    ) -> Result<OpenData> {
        let writer = DataWriter::create(objects, database, id, from)?;
        Ok(OpenData { writer, blocks: BTreeMap::new(), waiting: 0 })
    }

    /// Bytes of the file if it were closed now, about.
    pub fn bytes(&self) -> u64 {
        self.writer.len() + self.waiting as u64
    }

    pub fn id(&self) -> FileId {
        self.writer.id()
    }

    /// Adds a row. The stamps of a table's rows come in order.
    pub fn push(&mut self, storage: StorageId, layout: u16, stamp: Lsn, row: &[u8]) -> Result<()> {
        let block = self.blocks.entry(storage).or_insert_with(|| BlockBuilder::new(layout));
        if block.layout() != layout {
            self.waiting -= block.len();
            self.writer.append(storage, block)?;
            *block = BlockBuilder::new(layout);
        }
        block.push(stamp, row);
        self.waiting += ROW_HEADER + row.len();
        if block.len() >= BLOCK_BYTES {
            self.waiting -= block.len();
            self.writer.append(storage, block)?;
            self.blocks.remove(&storage);
        } else if self.waiting >= WAITING_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        for (storage, mut block) in std::mem::take(&mut self.blocks) {
            self.writer.append(storage, &mut block)?;
        }
        self.waiting = 0;
        Ok(())
    }

    pub fn finish(mut self, to: Lsn) -> Result<Written> {
        self.flush()?;
        self.writer.finish(to)
    }
}

/// What the commits after a manifest have done so far.
pub(super) struct Gathered {
    /// The manifest with the counters and decisions as they are by now; its files are those of the
    /// last checkpoint.
    pub next: Manifest,
    /// Where gathering began.
    pub from: Lsn,
    /// The rows, if there are any.
    pub data: Option<OpenData>,
    /// What has ended of the files of the manifest, and of this one, by number.
    pub ended: BTreeMap<FileId, Ended>,
    keys: HashMap<StorageId, Arc<LogKey>>,
    key: KeyBuf,
}

/// The environment of the database that is gathered.
pub(super) struct Surroundings<'a> {
    pub objects: &'a dyn ObjectStore,
    pub tables: &'a Tables,
    pub sequence_of: SequenceOf,
}

/// A row that a commit has ended.
struct EndedRow<'a> {
    storage: StorageId,
    /// The commit that wrote it.
    stamp: Lsn,
    /// Its key; nothing if that is the current one.
    key: Option<&'a [u8]>,
    /// The commit that ended it.
    by: Lsn,
}

impl Gathered {
    /// Nothing yet, after this manifest.
    pub fn behind(manifest: &Manifest) -> Gathered {
        Gathered {
            next: manifest.clone(),
            from: manifest.through,
            data: None,
            ended: BTreeMap::new(),
            keys: HashMap::new(),
            key: KeyBuf::default(),
        }
    }

    /// Adds what a commit did.
    pub fn add(
        &mut self,
        surroundings: &Surroundings<'_>,
        commit: &CommittedTransaction,
    ) -> Result<()> {
        if let Some(global) = commit.global.filter(|g| g.coordinator == self.next.database) {
            self.next.decisions.insert(commit.lsn, global);
        }
        let mut operations = commit.body.operations();
        while let Some(operation) = operations.next()? {
            match operation {
                Operation::Upsert { storage, .. }
                | Operation::Load { storage, .. }
                | Operation::Unload { storage, .. }
                | Operation::Delete { storage, .. }
                    if !self.keeps(surroundings, storage, commit.lsn) => {}
                // A recovery that replays this has the table sink from here on, if the table was
                // still there after this commit. No file is asked for the rows of a table that was
                // not.
                Operation::Upsert { replaces: Some(PROMOTED), .. }
                | Operation::Delete { replaces: PROMOTED, .. } => {}
                Operation::Load { storage, layout, row } => {
                    self.data(surroundings)?.push(storage, layout, commit.lsn, row)?;
                }
                Operation::Upsert { storage, layout, replaces, row } => {
                    if let Some(stamp) = replaces {
                        self.key_of(surroundings, storage, commit.lsn, row)?;
                        let ended = EndedRow { storage, stamp, key: None, by: commit.lsn };
                        self.end(surroundings, ended)?;
                    }
                    self.follow_sequence(surroundings, storage, row);
                    self.data(surroundings)?.push(storage, layout, commit.lsn, row)?;
                }
                Operation::Delete { storage, replaces, key } => {
                    let (stamp, by) = (replaces, commit.lsn);
                    self.end(surroundings, EndedRow { storage, stamp, key: Some(key), by })?;
                }
                // Of a table that has trees, or has had them and sinks after a replay.
                Operation::Unload { storage, .. } => {
                    let stamp = commit.lsn;
                    return Err(CheckpointError::Inconsistent { stamp, storage });
                }
                Operation::IdentityCeiling { storage, ceiling } => {
                    self.next.identities.insert(storage, ceiling);
                }
                Operation::SequenceCeiling { sequence, ceiling } => {
                    self.next.sequences.entry(sequence).or_default().ceiling = Some(ceiling);
                }
                // The catalog's rows say the same.
                Operation::DropStorage { .. } | Operation::TruncateStorage { .. } => {}
                Operation::Other { storage, .. } => {
                    return Err(CheckpointError::Inconsistent { stamp: commit.lsn, storage });
                }
            }
        }
        Ok(())
    }

    /// A sequence that is restarted forgets its ceiling.
    fn follow_sequence(&mut self, surroundings: &Surroundings<'_>, storage: StorageId, row: &[u8]) {
        if let Some(sequence) = (surroundings.sequence_of)(storage, row) {
            let state = self.next.sequences.entry(sequence.id).or_default();
            if state.restarts.is_some_and(|before| before != sequence.restarts) {
                state.ceiling = None;
            }
            state.restarts = Some(sequence.restarts);
        }
    }

    fn data(&mut self, surroundings: &Surroundings<'_>) -> Result<&mut OpenData> {
        if self.data.is_none() {
            let id = self.take_number();
            let data = OpenData::create(surroundings.objects, self.next.database, id, self.from)?;
            self.data = Some(data);
        }
        Ok(self.data.as_mut().expect("made above"))
    }

    /// A number for a file.
    pub fn take_number(&mut self) -> FileId {
        self.next.next_file += 1;
        FileId(self.next.next_file - 1)
    }

    /// The key by which the log would name this row.
    fn key_of(
        &mut self,
        surroundings: &Surroundings<'_>,
        storage: StorageId,
        stamp: Lsn,
        row: &[u8],
    ) -> Result<()> {
        let unknown = CheckpointError::Inconsistent { stamp, storage };
        let key = self.known(surroundings, storage).ok_or(unknown)?;
        key.encode(row, &mut self.key);
        Ok(())
    }

    /// Whether the files, and not the sink, keep what this commit did to the table. Neither does if
    /// the table was gone when the commit was over: it may have made the storage, and given it up
    /// for another.
    fn keeps(&mut self, surroundings: &Surroundings<'_>, storage: StorageId, stamp: Lsn) -> bool {
        self.known(surroundings, storage).is_some_and(|key| !key.sinks(stamp))
    }

    fn known(
        &mut self,
        surroundings: &Surroundings<'_>,
        storage: StorageId,
    ) -> Option<Arc<LogKey>> {
        match self.keys.get(&storage) {
            Some(key) => Some(key.clone()),
            None => {
                let key = surroundings.tables.log_key_of(storage)?;
                Some(self.keys.entry(storage).or_insert(key).clone())
            }
        }
    }

    /// Notes that a row has ended.
    fn end(&mut self, surroundings: &Surroundings<'_>, row: EndedRow<'_>) -> Result<()> {
        let EndedRow { storage, stamp, key, by } = row;
        let key = key.unwrap_or(&self.key);
        let own = self.data.as_ref().filter(|_| stamp >= self.from).map(OpenData::id);
        match own.or_else(|| self.next.pair_of(stamp).map(|pair| pair.id)) {
            Some(file) => self.ended.entry(file).or_default().push(storage, stamp, key),
            // It had sunk in a life before, and trees and table are gone since.
            None if surroundings.tables.get(storage).is_none() => {}
            None => return Err(CheckpointError::Inconsistent { stamp: by, storage }),
        }
        Ok(())
    }
}

//! Delta files: which rows of a data file later commits have ended.
//!
//! ```text
//! file    header (as a data file's), checksum of what follows u64, entry*
//! entry   storage u64 | stamp u64 | length u32 | key
//! ```
//!
//! A row is named by its table, the stamp of the commit that wrote it, and its key in the log's
//! index. Entries are in that order. Rows of a block are in the order of their stamps too, so that
//! going through both together tells live rows from ended ones.

use std::path::Path;
use std::sync::Arc;

use base::ids::{Lsn, StorageId};

use super::data::{FILE_HEADER, check_header, file_header, u32_at, u64_at};
use super::error::{CheckpointError, Result};
use super::manifest::{CommitRange, Delta};
use super::names::FileId;
use super::objects::ObjectStore;

const FILE_MAGIC: u32 = u32::from_le_bytes(*b"TcCx");
const ENTRY_HEADER: usize = 20;
const BODY: usize = FILE_HEADER + 8;

/// Rows that have ended.
#[derive(Clone, Default, Debug)]
pub(super) struct Ended {
    entries: Vec<Entry>,
    keys: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    storage: StorageId,
    stamp: Lsn,
    start: usize,
    len: u32,
}

impl Ended {
    /// How many.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The tables that they are of, each as often as it has some.
    pub fn storages(&self) -> impl Iterator<Item = StorageId> + '_ {
        self.entries.iter().map(|entry| entry.storage)
    }

    /// The row of the commit at `stamp` with this key has ended.
    pub fn push(&mut self, storage: StorageId, stamp: Lsn, key: &[u8]) {
        let len = u32::try_from(key.len()).expect("keys are short");
        self.entries.push(Entry { storage, stamp, start: self.keys.len(), len });
        self.keys.extend_from_slice(key);
    }

    /// Adds those of another.
    pub fn append(&mut self, other: &Ended) {
        let start = self.keys.len();
        self.keys.extend_from_slice(&other.keys);
        let moved = |entry: &Entry| Entry { start: start + entry.start, ..*entry };
        self.entries.extend(other.entries.iter().map(moved));
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        &self.keys[entry.start..entry.start + entry.len as usize]
    }

    /// Puts the entries in order, to be looked up and written.
    pub fn sort(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by(|a, b| {
            let (left, right) = ((a.storage, a.stamp), (b.storage, b.stamp));
            left.cmp(&right).then_with(|| self.key(a).cmp(self.key(b)))
        });
        self.entries = entries;
    }

    /// Those of one table, to go through together with a block. They have been put in order.
    pub fn of(&self, storage: StorageId) -> EndedOf<'_> {
        let start = self.entries.partition_point(|entry| entry.storage < storage);
        let len = self.entries[start..].partition_point(|entry| entry.storage == storage);
        EndedOf { ended: self, left: &self.entries[start..start + len] }
    }

    /// Writes the entries, in order, as what has ended of a data file that begins at `from`.
    /// Returns the file's length.
    pub fn write(
        &mut self,
        objects: &dyn ObjectStore,
        database: u128,
        id: FileId,
        from: Lsn,
    ) -> Result<u64> {
        self.sort();
        let mut bytes = file_header(FILE_MAGIC, database, id, from).to_vec();
        bytes.reserve(8 + self.entries.len() * ENTRY_HEADER + self.keys.len());
        bytes.extend_from_slice(&[0; 8]);
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.storage.0.to_le_bytes());
            bytes.extend_from_slice(&entry.stamp.0.to_le_bytes());
            bytes.extend_from_slice(&entry.len.to_le_bytes());
            bytes.extend_from_slice(self.key(entry));
        }
        let checksum = u64::from(crc32c::crc32c(&bytes[BODY..]));
        bytes[FILE_HEADER..BODY].copy_from_slice(&checksum.to_le_bytes());
        objects.put(&id.delta(), &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Adds what a delta file says of a data file that covers `range`.
    pub fn read(
        &mut self,
        objects: &dyn ObjectStore,
        database: u128,
        delta: &Delta,
        range: CommitRange,
    ) -> Result<()> {
        let Delta { id, bytes: len, .. } = *delta;
        let name = id.delta();
        let path: Arc<Path> = objects.path(&name).into();
        let damaged = |offset: usize, what| {
            let (file, offset) = (path.clone(), offset as u64);
            CheckpointError::Damaged { file, offset, range: Some(range), what }
        };
        let file = objects.open(&name)?;
        if file.len()? != len || len < BODY as u64 {
            return Err(damaged(0, "the file's length has changed"));
        }
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, 0)?;
        let header = bytes.first_chunk().expect("the length was checked");
        let from = check_header(&path, header, FILE_MAGIC, database, id)
            .map_err(|error| error.within(range))?;
        if from != range.from {
            return Err(damaged(40, "the file belongs to another data file"));
        }
        if u64_at(&bytes, FILE_HEADER) != u64::from(crc32c::crc32c(&bytes[BODY..])) {
            return Err(damaged(BODY, "the checksum is wrong"));
        }
        let mut rest = &bytes[BODY..];
        while let Some((head, after)) = rest.split_first_chunk::<ENTRY_HEADER>() {
            let split = after.split_at_checked(u32_at(head, 16) as usize);
            let Some((key, after)) = split else { break };
            self.push(StorageId(u64_at(head, 0)), Lsn(u64_at(head, 8)), key);
            rest = after;
        }
        match rest.is_empty() {
            true => Ok(()),
            false => Err(damaged(bytes.len() - rest.len(), "an entry makes no sense")),
        }
    }
}

/// See [`Ended::of`].
pub(super) struct EndedOf<'a> {
    ended: &'a Ended,
    left: &'a [Entry],
}

impl EndedOf<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Whether there is nothing that can have ended any more.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether any row of this commit has ended. Stamps are asked for in order.
    pub fn has_stamp(&mut self, stamp: Lsn) -> bool {
        let below = self.left.iter().take_while(|entry| entry.stamp < stamp).count();
        self.left = &self.left[below..];
        self.left.first().is_some_and(|entry| entry.stamp == stamp)
    }

    /// Whether the row of this commit with this key has ended; after [`EndedOf::has_stamp`].
    pub fn has_row(&self, stamp: Lsn, key: &[u8]) -> bool {
        let len = self.left.partition_point(|entry| entry.stamp == stamp);
        self.left[..len].binary_search_by(|entry| self.ended.key(entry).cmp(key)).is_ok()
    }
}

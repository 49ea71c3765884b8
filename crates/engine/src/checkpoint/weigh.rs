//! How many rows of a pair are live: those that have not ended, of tables whose rows are still
//! needed.
//!
//! A data file's directory says how many rows of which table it has, and the manifest how many rows
//! of a pair have ended. Of which tables those were is read from the delta files, of pairs that
//! have rows of tables that are gone; and all of it is remembered as long as the files are current.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use base::ids::StorageId;

use super::data::DataFile;
use super::ended::Ended;
use super::error::Result;
use super::manifest::{Manifest, Pair};
use super::names::FileId;
use super::objects::ObjectStore;

/// What matters of a pair to whether it is merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Weight {
    /// Bytes of all its files.
    pub bytes: u64,
    /// Rows that live.
    pub rows: u64,
    /// Bytes that those take, estimated.
    pub live: u64,
    /// Whether anything in it does not live.
    pub has_thinned: bool,
}

/// What files hold, as far as it has been read.
#[derive(Clone, Default)]
pub(crate) struct Contents {
    /// Of data files.
    parts: HashMap<FileId, Arc<[Part]>>,
    /// Of delta files: how many rows of which table they say have ended.
    ended: HashMap<FileId, Arc<[EndedRows]>>,
}

/// The rows of one table in a data file.
#[derive(Clone, Copy, Debug)]
struct Part {
    storage: StorageId,
    rows: u64,
    bytes: u64,
}

/// How many rows of a table a delta file says have ended.
#[derive(Clone, Copy, Debug)]
struct EndedRows {
    storage: StorageId,
    rows: u64,
}

impl Contents {
    /// Takes over what the directory of a data file says.
    pub(super) fn add(&mut self, id: FileId, file: &DataFile) {
        self.parts.insert(id, parts_of(file));
    }

    /// Weighs a pair of which `more` has ended besides. Rows of tables that are not needed do not
    /// live.
    pub(super) fn weigh(
        &mut self,
        objects: &dyn ObjectStore,
        database: u128,
        pair: &Pair,
        needed: &HashSet<StorageId>,
        more: Option<&Ended>,
    ) -> Result<Weight> {
        let parts = match self.parts.get(&pair.id) {
            Some(parts) => parts,
            None => {
                let file = DataFile::open(objects, database, pair.id, pair.range())?;
                self.parts.entry(pair.id).or_insert(parts_of(&file))
            }
        };
        let is_needed = |storage: &StorageId| needed.contains(storage);
        let kept = parts.iter().filter(|part| is_needed(&part.storage));
        let (rows, bytes) = kept.fold((0, 0), |(r, b), part| (r + part.rows, b + part.bytes));
        let all_bytes: u64 = parts.iter().map(|part| part.bytes).sum();
        let mut ended = 0;
        if rows == pair.rows {
            ended = pair.ended() + more.map_or(0, Ended::len) as u64;
        } else if rows > 0 {
            for delta in &pair.deltas {
                let counts = match self.ended.get(&delta.id) {
                    Some(counts) => counts,
                    None => {
                        let mut read = Ended::default();
                        read.read(objects, database, delta, pair.range())?;
                        self.ended.entry(delta.id).or_insert(counts_of(&read))
                    }
                };
                let of_kept = counts.iter().filter(|count| is_needed(&count.storage));
                ended += of_kept.map(|count| count.rows).sum::<u64>();
            }
            let more = more.map(|more| more.storages().filter(is_needed).count());
            ended += more.unwrap_or(0) as u64;
        }
        let live = rows.saturating_sub(ended);
        let part = |bytes: u64, of: u64, all: u64| {
            (u128::from(bytes) * u128::from(of) / u128::from(all.max(1))) as u64
        };
        Ok(Weight {
            bytes: pair.all_bytes(),
            rows: live,
            live: part(part(pair.bytes, bytes, all_bytes), live, rows),
            has_thinned: live < pair.rows,
        })
    }

    /// Forgets the files that the manifest does not name.
    pub(super) fn keep(&mut self, manifest: &Manifest) {
        let current: HashSet<FileId> = manifest.files().collect();
        self.parts.retain(|file, _| current.contains(file));
        self.ended.retain(|file, _| current.contains(file));
    }
}

fn parts_of(file: &DataFile) -> Arc<[Part]> {
    let mut parts = BTreeMap::new();
    for block in file.blocks() {
        let storage = block.storage;
        let part = parts.entry(storage).or_insert(Part { storage, rows: 0, bytes: 0 });
        part.rows += u64::from(block.rows);
        part.bytes += u64::from(block.len);
    }
    parts.into_values().collect()
}

fn counts_of(ended: &Ended) -> Arc<[EndedRows]> {
    let mut counts: BTreeMap<StorageId, u64> = BTreeMap::new();
    for storage in ended.storages() {
        *counts.entry(storage).or_default() += 1;
    }
    counts.into_iter().map(|(storage, rows)| EndedRows { storage, rows }).collect()
}

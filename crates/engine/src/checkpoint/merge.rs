//! Merging neighbouring pairs that have thinned out.
//!
//! Pairs without live rows are removed at once. A run of neighbours is merged if its live rows fit
//! into one data file, and either a third of its bytes are dead or no pair has more than half of
//! the live ones; so a row is copied a few times in its life at most. A single pair is merged with
//! itself if a third of it is dead. So files are at most half as large again as their live rows.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use base::ids::{Lsn, StorageId};

use super::data::{BlockBuffer, DataFile, Rows};
use super::ended::Ended;
use super::error::{CheckpointError, Result};
use super::gather::OpenData;
use super::manifest::{CommitRange, Manifest, Pair};
use super::names::FileId;
use super::round::{CheckpointCore, MergeTarget, State};
use super::weigh::Weight;
use crate::hot::key::KeyBuf;

/// The run to be merged next, if one is due.
pub(super) fn due(pairs: &[Weight], target_bytes: u64) -> Option<Range<usize>> {
    let is_dead = |pair: &Weight| pair.rows == 0;
    if let Some(start) = pairs.iter().position(is_dead) {
        let len = pairs[start..].iter().take_while(|pair| is_dead(pair)).count();
        return Some(start..start + len);
    }
    for (start, first) in pairs.iter().enumerate() {
        let (mut bytes, mut live, mut largest) = (0, 0, 0);
        let mut best = None;
        for (place, pair) in pairs.iter().enumerate().skip(start) {
            bytes += pair.bytes;
            live += pair.live;
            largest = largest.max(pair.live);
            let run = start..place + 1;
            // A transaction may have made one that is larger.
            if live > target_bytes && run.len() > 1 {
                break;
            }
            // Others at its ends would be copied for nothing.
            let has_thinned = first.has_thinned && pair.has_thinned;
            let thin = has_thinned && bytes >= live + live / 2;
            if thin && bytes > SMALL || run.len() > 1 && largest <= live / 2 {
                best = Some(run);
            }
        }
        if best.is_some() {
            return best;
        }
    }
    None
}

/// A single pair below this is not worth copying for its dead rows.
const SMALL: u64 = 4 << 10;

/// Takes a row: its table, layout and stamp, and its bytes.
type Keep<'a> = dyn FnMut(StorageId, u16, Lsn, &[u8]) -> Result<()> + 'a;

impl CheckpointCore {
    /// Merges what is due. Nothing may have been gathered since the last checkpoint.
    pub(super) fn merge_where_due(&self, state: &mut State) -> Result<()> {
        if !self.options.merges || !state.is_settled() {
            return Ok(());
        }
        let needed = self.needed_tables(state, state.manifest.through);
        state.has_merged = false;
        while !self.ending.load(Relaxed) {
            let Some(run) = due(&self.weigh(state, &needed)?, self.options.data_bytes) else {
                state.has_merged = true;
                break;
            };
            self.merge(state, run, &needed)?;
        }
        Ok(())
    }

    /// Merges the pairs that lie within a range of stamps, after a checkpoint: `false` if there are
    /// none.
    pub fn merge_range(&self, range: CommitRange) -> Result<bool> {
        self.checkpoint()?;
        self.round(|state| {
            let pairs = &state.manifest.pairs;
            let start = pairs.partition_point(|pair| pair.from < range.from);
            let end = pairs.partition_point(|pair| pair.to <= range.to);
            match start < end && state.is_settled() {
                true => {
                    let needed = self.needed_tables(state, state.manifest.through);
                    self.merge(state, start..end, &needed).map(|()| true)
                }
                false => Ok(false),
            }
        })
    }

    fn merge(
        &self,
        state: &mut State,
        run: Range<usize>,
        needed: &HashSet<StorageId>,
    ) -> Result<()> {
        let mut next = state.next_manifest();
        // A root that lacks a table whose rows the files are about to lose is none to begin with.
        if next.sunk.is_some() {
            next.sunk = next.sunk.max(self.sink.durable());
            next.log_start = state.log_start(&next);
        }
        let id = FileId(next.next_file);
        next.next_file += 1;
        state.used(&next);
        let merged = self.copy_live(&next, &next.pairs[run.clone()], id, needed);
        let installed = merged.and_then(|merged| {
            next.pairs.splice(run, merged);
            self.counters.merges.fetch_add(1, Relaxed);
            self.install(state, next)
        });
        self.show_target(None);
        installed
    }

    fn show_target(&self, target: Option<MergeTarget>) {
        *self.merging.lock().expect("no panic under this lock") = target;
    }

    /// Copies the live rows of neighbouring pairs into one, if there are any.
    fn copy_live(
        &self,
        next: &Manifest,
        pairs: &[Pair],
        id: FileId,
        needed: &HashSet<StorageId>,
    ) -> Result<Option<Pair>> {
        let range = CommitRange { from: pairs[0].from, to: pairs[pairs.len() - 1].to };
        let mut data = None;
        let begun = next.number + 1;
        for pair in pairs {
            self.copy_pair(next, pair, needed, &mut |storage, layout, stamp, row| {
                if data.is_none() {
                    data = Some(OpenData::create(&*self.objects, next.database, id, range.from)?);
                }
                data.as_mut().expect("made above").push(storage, layout, stamp, row)
            })?;
            let written = data.as_ref().map(OpenData::bytes);
            self.show_target(written.map(|bytes| MergeTarget { id, range, bytes, begun }));
        }
        let Some(data) = data else { return Ok(None) };
        let written = data.finish(range.to)?;
        self.counters.data_bytes.fetch_add(written.bytes, Relaxed);
        Ok(Some(Pair {
            id,
            from: range.from,
            to: range.to,
            bytes: written.bytes,
            rows: written.rows,
            deltas: Vec::new(),
            begun,
            merged: true,
        }))
    }

    fn copy_pair(
        &self,
        next: &Manifest,
        pair: &Pair,
        needed: &HashSet<StorageId>,
        keep: &mut Keep<'_>,
    ) -> Result<()> {
        let (objects, tables) = (&*self.objects, self.manager.tables());
        let file = DataFile::open(objects, next.database, pair.id, pair.range())?;
        if !file.blocks().iter().any(|block| needed.contains(&block.storage)) {
            return Ok(());
        }
        let mut ended = Ended::default();
        for delta in &pair.deltas {
            ended.read(objects, next.database, delta, pair.range())?;
        }
        ended.sort();
        let (mut buffer, mut key) = (BlockBuffer::default(), KeyBuf::default());
        for block in file.blocks().iter().filter(|block| needed.contains(&block.storage)) {
            if self.closing.load(Acquire) {
                return Err(CheckpointError::Closed); // pairs with Checkpoints::stop
            }
            let range = file.read_block(block, &mut buffer)?;
            let mut ended = ended.of(block.storage);
            let mut rows = Rows(&buffer.bytes()[range]);
            while let Some(row) = rows.next() {
                let bad = || file.damaged(block.offset, "a row is longer than its block");
                let (stamp, row) = row.ok_or_else(bad)?;
                if !ended.is_empty() && ended.has_stamp(stamp) {
                    let storage = block.storage;
                    let unknown = CheckpointError::Inconsistent { stamp, storage };
                    tables.log_key_of(storage).ok_or(unknown)?.encode(row, &mut key);
                    if ended.has_row(stamp, &key) {
                        continue;
                    }
                }
                keep(block.storage, block.layout, stamp, row)?;
            }
        }
        Ok(())
    }
}

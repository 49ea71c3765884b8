//! The history: past versions of sunk rows, for old snapshots that still see them.
//!
//! It is a table like any other, among those of its database:
//!
//! ```text
//! p     storage u64 | the row's p | begin u64      big-endian
//! row   end u64, big-endian | the row's bytes
//! s     end u64, big-endian
//! ```
//!
//! Snapshots above `begin` and up to `end` see the row as it is here. The second index is ordered
//! by `end`, so that versions that no snapshot sees any more come first.
//!
//! # Invariants
//!
//! * HI1: a version is here before the entry in its table's tree changes, and as long as a
//!   registered snapshot sees it. So a reader that finds an entry too new for its snapshot finds
//!   here the version that it sees, or the row did not exist.
//! * HI2: a row that has a version here has an entry in the clustered tree of its table, if only a
//!   stub; and the tree of each other index has it under all keys that its versions here have.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use base::ids::Lsn;

use super::error::{ColdResult, damaged};
use super::{ColdTable, RowChange, RowKeys};
use crate::cold::tree::{Chunk, Direction, Range};
use crate::sync::parking::RwLock;
use crate::wait::Task;

/// The storage id of the history: no other table of its database has it.
pub(super) const STORAGE: u64 = 0;
/// How many indexes it has, the one with the rows first.
pub(super) const INDEXES: usize = 2;
const ENDED: usize = 1;

const WORD: usize = size_of::<u64>();

/// A version of a row that was replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastRow {
    /// The storage of its table.
    pub storage: u64,
    /// The row's identity key.
    pub p: Vec<u8>,
    /// When the version was committed.
    pub begin: Lsn,
    /// When the change that replaced it was committed.
    pub end: Lsn,
    /// Its bytes.
    pub row: Vec<u8>,
}

impl PastRow {
    fn key(&self) -> Vec<u8> {
        [&prefix(self.storage, &self.p)[..], &self.begin.0.to_be_bytes()].concat()
    }

    fn parse(key: &[u8], value: &[u8]) -> Option<PastRow> {
        let (storage, rest) = key.split_first_chunk()?;
        let (p, begin) = rest.split_last_chunk()?;
        let (end, row) = value.split_first_chunk()?;
        let word = |bytes: &[u8; WORD]| u64::from_be_bytes(*bytes);
        let (begin, end) = (Lsn(word(begin)), Lsn(word(end)));
        Some(PastRow { storage: word(storage), p: p.to_vec(), begin, end, row: row.to_vec() })
    }

    /// Whether a snapshot at this position sees it.
    fn is_seen(&self, as_of: Lsn) -> bool {
        self.begin < as_of && as_of <= self.end
    }
}

fn prefix(storage: u64, p: &[u8]) -> Vec<u8> {
    [&storage.to_be_bytes()[..], p].concat()
}

struct Keys;

impl RowKeys for Keys {
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool {
        debug_assert_eq!(index, ENDED);
        out.extend_from_slice(&row[..WORD]);
        true
    }
}

/// The history of all tables of a database. It has trees once it has had a version.
#[derive(Default)]
pub struct History {
    table: RwLock<Option<Arc<ColdTable>>>,
}

impl History {
    pub(super) fn set(&self, table: Arc<ColdTable>) {
        *self.table.write() = Some(table);
    }

    fn table(&self) -> Option<Arc<ColdTable>> {
        self.table.read().clone().filter(|table| table.rows() > 0)
    }

    /// How many versions it has.
    pub fn rows(&self) -> u64 {
        self.table.read().as_ref().map_or(0, |table| table.rows())
    }

    /// Adds versions. The history may have some already. The caller is the thread that changes
    /// trees (S3).
    pub(super) fn note(table: &ColdTable, task: &Task, rows: &[PastRow]) -> ColdResult<()> {
        let values = rows
            .iter()
            .map(|past| (past.key(), [&past.end.0.to_be_bytes()[..], &past.row].concat()));
        let mut values: Vec<(Vec<u8>, Vec<u8>)> = values.collect();
        values.sort();
        values.dedup_by(|later, first| later.0 == first.0);
        let changes: Vec<RowChange<'_>> =
            values.iter().map(|(key, row)| RowChange::put(key, row)).collect();
        table.apply(task, &changes, &Keys)
    }

    /// Appends the version of a row that a snapshot at this position sees to `out`. Returns whether
    /// there is one.
    pub(super) fn find(
        &self,
        task: &Task,
        storage: u64,
        p: &[u8],
        as_of: Lsn,
        out: &mut Vec<u8>,
    ) -> ColdResult<bool> {
        let mut found = false;
        self.each(task, storage, p, |past| {
            found = past.is_seen(as_of);
            if found {
                out.extend_from_slice(&past.row);
            }
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }

    /// Returns all versions of a row.
    pub fn versions(&self, task: &Task, storage: u64, p: &[u8]) -> ColdResult<Vec<PastRow>> {
        let mut versions = Vec::new();
        self.each(task, storage, p, |past| {
            versions.push(past);
            ControlFlow::Continue(())
        })?;
        Ok(versions)
    }

    fn each(
        &self,
        task: &Task,
        storage: u64,
        p: &[u8],
        mut take: impl FnMut(PastRow) -> ControlFlow<()>,
    ) -> ColdResult<()> {
        let Some(table) = self.table() else { return Ok(()) };
        let mut cursor = table.cursor_at(0, &prefix(storage, p));
        let (mut is_done, mut is_damaged) = (false, false);
        loop {
            let chunk = cursor.next_chunk(task, |entry| {
                // No row's `p` begins with another's, but keys here go on with `begin` after `p`,
                // so that one of another row may begin with this `p`.
                let past = entry.row.and_then(|row| PastRow::parse(entry.key, row));
                is_damaged |= past.is_none();
                is_done = match past {
                    Some(past) if past.p == p => take(past).is_break(),
                    Some(_) => false,
                    None => true,
                };
                if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if is_damaged {
                return Err(damaged(table.tree(0), "a row of the history makes no sense"));
            }
            if is_done || chunk == Chunk::Ended {
                return Ok(());
            }
        }
    }

    /// Returns some of the versions that were replaced below this position, at most about `limit`.
    pub fn ended_below(&self, task: &Task, bound: Lsn, limit: usize) -> ColdResult<Vec<PastRow>> {
        let Some(table) = self.table() else { return Ok(Vec::new()) };
        let upper = bound.0.to_be_bytes();
        let range = Range { lower: Bound::Unbounded, upper: Bound::Excluded(&upper[..]) };
        let mut cursor = table.cursor(ENDED, range, Direction::Forward);
        let (mut keys, mut ended, mut row) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let chunk = cursor.next_chunk(task, |entry| {
                keys.push(entry.p.to_vec());
                ControlFlow::Continue(())
            })?;
            if keys.len() >= limit || chunk == Chunk::Ended {
                break;
            }
        }
        keys.sort();
        for key in keys {
            row.clear();
            if table.find(task, &key, &mut row)? {
                let past = PastRow::parse(&key, &row);
                ended.push(past.ok_or_else(|| {
                    damaged(table.tree(0), "a row of the history makes no sense")
                })?);
            }
        }
        Ok(ended)
    }

    /// Removes versions that no snapshot sees; `rows` may be in any order. The caller is the thread
    /// that changes trees (S3).
    pub fn forget(&self, task: &Task, rows: &[PastRow]) -> ColdResult<()> {
        let Some(table) = self.table() else { return Ok(()) };
        let mut keys: Vec<Vec<u8>> = rows.iter().map(PastRow::key).collect();
        keys.sort();
        let changes: Vec<RowChange<'_>> = keys.iter().map(|key| RowChange::delete(key)).collect();
        table.apply(task, &changes, &Keys)
    }
}

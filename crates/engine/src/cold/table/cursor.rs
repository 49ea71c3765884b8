//! Cursors over the rows of a table that have sunk.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use super::ColdResult;
use crate::cold::Store;
use crate::cold::tree::{Chunk, Cursor, TreeError};
use crate::wait::Task;

/// An entry of an index, for as long as a closure looks at it.
#[derive(Clone, Copy, Debug)]
pub struct ColdEntry<'a> {
    /// The whole key in the tree: `p`, or `s ++ p`.
    pub key: &'a [u8],
    /// The row's key in this index: the same as `p` in the clustered one.
    pub s: &'a [u8],
    /// What identifies the row.
    pub p: &'a [u8],
    /// The row, in the clustered index.
    pub row: Option<&'a [u8]>,
}

/// A position in the cold part of an index; see [`ColdTable::cursor`](super::ColdTable::cursor).
pub struct ColdCursor {
    store: Arc<Store>,
    cursor: Cursor,
    clustered: bool,
    key: Vec<u8>,
}

impl ColdCursor {
    pub(super) fn new(store: Arc<Store>, cursor: Cursor, clustered: bool) -> ColdCursor {
        ColdCursor { store, cursor, clustered, key: Vec::new() }
    }

    /// Hands the entries of the next leaf to `take`, until it breaks; the one with which it breaks counts
    /// as taken. A chunk may be empty though there is more. `take` must not wait; the task may be
    /// suspended between entries and leaves: no epoch guard may be alive.
    pub fn next_chunk(
        &mut self,
        task: &Task,
        mut take: impl FnMut(ColdEntry<'_>) -> ControlFlow<()>,
    ) -> ColdResult<Chunk> {
        super::checkpoint(task)?;
        let (key, clustered) = (&mut self.key, self.clustered);
        let mut malformed = false;
        let chunk = self.cursor.next_chunk(&*self.store, task, |entry| {
            key.clear();
            entry.key.append_to(key);
            if clustered {
                return take(ColdEntry { key, s: key, p: key, row: Some(entry.value) });
            }
            let p_len = entry.value.try_into().ok().map(u16::from_le_bytes);
            match p_len.and_then(|len| key.len().checked_sub(usize::from(len))) {
                Some(s_len) => {
                    let (s, p) = key.split_at(s_len);
                    take(ColdEntry { key, s, p, row: None })
                }
                None => {
                    malformed = true;
                    ControlFlow::Break(())
                }
            }
        })?;
        match malformed {
            false => Ok(chunk),
            true => Err(self.malformed()),
        }
    }

    /// Up to where everything has been seen, as the direction goes, in keys of the tree.
    pub fn rest(&self) -> Bound<&[u8]> {
        self.cursor.rest()
    }

    /// Whether everything has been seen.
    pub fn is_ended(&self) -> bool {
        self.cursor.is_ended()
    }

    #[cold]
    fn malformed(&self) -> TreeError {
        super::damaged(self.cursor.tree(), "an entry of a secondary index makes no sense")
    }
}

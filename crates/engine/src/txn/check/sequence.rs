//! What one scan shows of an index: its order, and that keys lead to rows.

use super::report::{TableCheck, TableFault};
use crate::cold::table::ORDERED_BYTES;
use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::index::Index;
use crate::hot::key::{KeyBuf, SeekKey};
use crate::hot::table::Table;
use crate::wait::Task;

/// A scan of an index that checks it.
pub(super) struct Sequence<'t> {
    table: &'t Table,
    index: usize,
    is_ordered: bool,
    /// The index's part of the previous key.
    previous: Option<KeyBuf>,
}

impl<'t> Sequence<'t> {
    /// A scan before the first row.
    pub fn new(table: &'t Table, index: usize) -> Sequence<'t> {
        Sequence { table, index, is_ordered: is_ordered(table, index), previous: None }
    }

    /// Checks the next row and its key, of which the first `own_len` bytes are the index's part.
    pub fn look(
        &mut self,
        task: &Task,
        row: RowAt,
        key: &[u8],
        own_len: usize,
        check: &mut TableCheck,
    ) {
        let (own, index) = (&key[..own_len], self.index);
        if row.anchor != AnchorPtr::COLD && !self.is_found(task, row.anchor, own) {
            check.add(TableFault::Missing { index }, 1);
        }
        if !self.is_ordered {
            return;
        }
        let kept = |key: &[u8]| key.len().min(ORDERED_BYTES);
        match &mut self.previous {
            None => self.previous = Some(KeyBuf::from(own)),
            Some(previous) => {
                if own[..kept(own)] < previous[..kept(previous)] {
                    check.add(TableFault::Order { index }, 1);
                }
                if *own == **previous && self.table.is_unique(index) {
                    check.add(TableFault::Duplicate { index }, 1);
                }
                previous.set(own);
            }
        }
    }

    /// Whether the index leads from a key to a row in memory; where many rows have the key, to one
    /// of them. A row that has left memory since it was read is in the index's tree, which the sums
    /// check.
    fn is_found(&self, task: &Task, anchor: AnchorPtr, own: &[u8]) -> bool {
        let (table, index) = (self.table, self.index);
        let unique = table.is_unique(index);
        let found = |other| (!unique || other == anchor).then_some(());
        table.find(&task.pin(), index, SeekKey::Bytes(own), found).is_some()
            || table.cold().is_some()
    }
}

/// Whether the entries of an index come in the order of their keys.
pub(super) fn is_ordered(table: &Table, index: usize) -> bool {
    matches!(table.index_at(index), Index::Range(_))
}

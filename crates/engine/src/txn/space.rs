//! Rows that are built in place, in the memory where they will stay.

use std::slice;

use crate::hot::anchor::AnchorPtr;
use crate::hot::table::Table;
use crate::txn::error::TxnResult;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

/// A place for one row in a table's memory, zeros at first, that no other thread can reach. It
/// becomes a row by [`Transaction::insert_reserved`] and is given back if it is dropped before.
pub struct RowSpace<'t> {
    table: &'t Table,
    anchor: AnchorPtr,
    len: usize,
    /// The shard of the table's account to which it is charged.
    shard: usize,
}

impl Transaction {
    /// Takes memory for a row of this many bytes, or returns why memory is refused: for callers
    /// that build rows in place instead of copying them ([`Transaction::insert`]).
    #[inline]
    pub fn reserve_row<'t>(
        &mut self,
        task: &Task,
        table: &'t Table,
        len: usize,
    ) -> TxnResult<RowSpace<'t>> {
        self.enter_table(task, table)?;
        assert!(len >= table.layout().least_len(), "a row has at least its fixed part");
        let shard = task.worker().index();
        let anchor = table.reserve_anchor(shard, len)?;
        Ok(RowSpace { table, anchor, len, shard })
    }
}

impl<'t> RowSpace<'t> {
    /// The memory for the row's bytes, in the table's layout. The insert fills in a hidden row
    /// number.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is this place's alone, that long, and initialised.
        unsafe {
            let row = self.anchor.inline(self.table.links()).row();
            slice::from_raw_parts_mut(row.as_ptr(), self.len)
        }
    }

    pub(super) fn table(&self) -> &'t Table {
        self.table
    }

    /// The anchor, which the caller owns from now on.
    pub(super) fn into_anchor(self) -> AnchorPtr {
        let anchor = self.anchor;
        std::mem::forget(self);
        anchor
    }
}

impl Drop for RowSpace<'_> {
    fn drop(&mut self) {
        // SAFETY: reserved with this length, and given back only here.
        unsafe { self.table.free_reserved(self.shard, self.anchor, self.len) };
    }
}

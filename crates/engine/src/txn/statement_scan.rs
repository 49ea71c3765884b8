//! A statement that goes through one index, in steps between which its caller does other things.

use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::{Isolation, Snapshot};
use crate::txn::error::TxnResult;
use crate::txn::row_ref::RowRef;
use crate::txn::session::ReadAt;
use crate::txn::transaction::{Statement, Transaction};
use crate::wait::Task;

/// A statement in progress and its cursor over all of an index. End it with the transaction's
/// [`end_scan`](Transaction::end_scan) or [`rollback_scan`](Transaction::rollback_scan).
pub struct StatementScan {
    /// Reads in `statement`, and is not handed out.
    cursor: Cursor<'static>,
    statement: Statement,
}

impl StatementScan {
    /// The next row; see [`Cursor::next`].
    pub fn next<'c>(
        &'c mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &'c Table,
    ) -> TxnResult<Option<RowRef<'c>>> {
        self.cursor.next(txn, task, table)
    }

    /// The statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
}

impl Transaction {
    /// Begins a statement that reads all of an index at what is committed.
    pub fn begin_scan(&mut self, index: usize) -> StatementScan {
        let statement = self.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        // SAFETY: only the cursor has the snapshot, only a scan whose statement is in progress is
        // asked for rows (ending it takes it), and these borrow the scan.
        let snapshot: Snapshot<'static> = unsafe { statement.snapshot().unbound() };
        let cursor = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
        StatementScan { cursor, statement }
    }

    /// Ends a scan's statement; see [`Transaction::end_statement`].
    pub fn end_scan(&mut self, mut scan: StatementScan) {
        self.end_statement(&mut scan.statement);
    }

    /// Ends a scan's statement and undoes what it wrote.
    pub fn rollback_scan(&mut self, task: &Task, mut scan: StatementScan) {
        self.rollback_statement(task, &mut scan.statement);
    }
}

//! Identity columns: their counters hand values out, and the log keeps what they have come to.

use base::ids::Lsn;

use crate::hot::identity::{Counter, Position, TakeError};
use crate::hot::table::Table;
use crate::log::record::{BodySink, record_len};
use crate::log::{Operation, RecordFlags, RecordKind};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::manager::Manager;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

impl Transaction {
    /// The next value of a table's identity column.
    #[inline]
    pub fn next_identity(&self, task: &Task, table: &Table) -> TxnResult<i64> {
        self.manager().take_identity(task, table, 1)
    }
}

impl Manager {
    /// The next `count` values of a table's identity column: the first of them.
    pub fn take_identity(&self, task: &Task, table: &Table, count: u32) -> TxnResult<i64> {
        let counter = identity_of(table);
        let log = |position| self.log_identity(task, table, position);
        counter.take(task, count, log).map_err(|error| match error {
            TakeError::Exhausted => TxnError::CounterExhausted,
            TakeError::Log(error) => error,
        })
    }

    /// Somebody inserts an explicit value into an identity column.
    pub fn observe_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<()> {
        identity_of(table).observe(task, value, |position| self.log_identity(task, table, position))
    }

    /// `DBCC CHECKIDENT (…, RESEED, value)`.
    pub fn reseed_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<()> {
        identity_of(table).reseed(task, value, |position| self.log_identity(task, table, position))
    }

    /// A table takes the place of another, or is made with the next value given: its identity
    /// counter goes on at this position.
    pub fn continue_identity(
        &self,
        task: &Task,
        table: &Table,
        position: Position,
    ) -> TxnResult<()> {
        self.log_identity(task, table, position)?;
        identity_of(table).recover(position);
        Ok(())
    }

    /// Logs a position of a table's counter.
    pub(crate) fn log_identity(
        &self,
        task: &Task,
        table: &Table,
        position: Position,
    ) -> TxnResult<()> {
        if !table.is_logged() {
            return Ok(());
        }
        let ceiling = position.encode();
        let storage = table.storage();
        self.log_operation(task, &Operation::IdentityCeiling { storage, ceiling }).map(drop)
    }

    /// Appends one operation as a commit of its own, outside of any transaction: the ceilings of
    /// counters. Returns the end of the record; nobody has to wait for it, since what relies on it
    /// comes later in the log.
    pub fn log_operation(&self, task: &Task, operation: &Operation<'_>) -> TxnResult<Lsn> {
        let log = self.log();
        if !log.is_logged() {
            return Ok(Lsn::ZERO);
        }
        let mut body = Vec::with_capacity(operation.encoded_len());
        operation.encode(&mut body);
        let mut space = log.reserve_waiting(task, record_len(body.len()))?;
        space.put(&body);
        Ok(space.publish(RecordKind::Commit, RecordFlags::NONE, Lsn::ZERO))
    }
}

fn identity_of(table: &Table) -> &Counter {
    table.identity().expect("asked only of tables with an identity column")
}

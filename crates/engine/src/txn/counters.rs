//! Identity columns: their counters hand out values, and the log has the counters' ceilings.

use base::ids::Lsn;

use crate::hot::identity::{CeilingLog, Counter, Position, TakeError, Taken};
use crate::hot::table::Table;
use crate::log::record::{RecordWriter, record_len};
use crate::log::{Operation, RecordFlags, RecordKind};
use crate::sync::atomic::Ordering::Relaxed;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::manager::Manager;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

impl Transaction {
    /// Takes the next value of a table's identity column. The session sends its client nothing more
    /// before the log record is durable that keeps the value from being handed out again.
    #[inline]
    pub fn next_identity(&self, task: &Task, table: &Table) -> TxnResult<i64> {
        let taken = self.manager().take(task, table, 1)?;
        self.session().note_shown(taken.covered_by);
        Ok(taken.first)
    }
}

impl Manager {
    /// Takes the next `count` values of a table's identity column, which no client sees. Returns
    /// the first of them.
    pub fn take_identity(&self, task: &Task, table: &Table, count: u32) -> TxnResult<i64> {
        self.take(task, table, count).map(|taken| taken.first)
    }

    #[inline]
    fn take(&self, task: &Task, table: &Table, count: u32) -> TxnResult<Taken> {
        let log = IdentityLog { manager: self, task, table };
        identity_of(table).take(task, count, log).map_err(|error| match error {
            TakeError::Exhausted => TxnError::CounterExhausted,
            TakeError::Log(error) => error,
        })
    }

    /// Moves a counter past an explicit value that a session inserts into the identity column.
    /// Returns what has to be durable before a client sees a later one.
    pub fn observe_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<Lsn> {
        let counter = identity_of(table);
        counter.observe(task, value, IdentityLog { manager: self, task, table })?;
        Ok(counter.covered_by())
    }

    /// `DBCC CHECKIDENT (…, RESEED, value)`. Returns what has to be durable before it is
    /// acknowledged.
    pub fn reseed_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<Lsn> {
        let counter = identity_of(table);
        counter.reseed(task, value, IdentityLog { manager: self, task, table })?;
        Ok(counter.covered_by())
    }

    /// Sets `IDENTITY_CACHE`: whether the ceilings of identity columns are ahead of their values.
    /// While it is off, the log says where each column stands. Returns what has to be durable
    /// before it is acknowledged.
    pub fn set_identity_cache(&self, task: &Task, on: bool) -> TxnResult<Lsn> {
        let was_on = !self.identity_cache_off.swap(!on, Relaxed);
        let mut end = Lsn::ZERO;
        if on || !was_on {
            return Ok(end);
        }
        for table in self.tables().all() {
            if let Some(counter) = table.identity() {
                counter.give_back(task, IdentityLog { manager: self, task, table: &table })?;
                end = end.max(counter.covered_by());
            }
        }
        Ok(end)
    }

    /// Sets and logs the position of a table's identity counter: for a table that takes the place
    /// of another, or is made with the next value given.
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

    /// Logs a position of a table's counter; returns the end of the record.
    pub(crate) fn log_identity(
        &self,
        task: &Task,
        table: &Table,
        position: Position,
    ) -> TxnResult<Lsn> {
        if !table.is_logged() {
            return Ok(Lsn::ZERO);
        }
        let ceiling = position.encode();
        let storage = table.storage();
        self.log_operation(task, &Operation::IdentityCeiling { storage, ceiling })
    }

    /// Appends one operation as a commit of its own, outside of any transaction: for the ceilings
    /// of counters. Returns the end of the record. Records that rely on it come later in the log; a
    /// client must not see what relies on it before it is durable.
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

/// The ceilings of a table's identity column, in its database's log.
struct IdentityLog<'a> {
    manager: &'a Manager,
    task: &'a Task<'a>,
    table: &'a Table,
}

impl CeilingLog<TxnError> for IdentityLog<'_> {
    fn block(&self) -> i64 {
        match self.manager.identity_cache_off.load(Relaxed) {
            true => 1,
            false => self.table.identity_block(),
        }
    }

    fn append(self, position: Position) -> TxnResult<Lsn> {
        self.manager.log_identity(self.task, self.table, position)
    }
}

fn identity_of(table: &Table) -> &Counter {
    table.identity().expect("asked only of tables with an identity column")
}

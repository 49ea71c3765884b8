//! What a commit puts into the log: the rows that a transaction leaves behind.

use base::ids::Lsn;

use crate::hot::anchor::{DELETED, INLINE};
use crate::hot::key::KeyBuf;
use crate::hot::table::Table;
use crate::hot::visibility;
use crate::log::{GlobalTransaction, Operation, RecordFlags};
use crate::prefetch::prefetch_row;
use crate::sync::atomic::Ordering::Acquire;
use crate::txn::error::TxnResult;
use crate::txn::load_set::Loads;
use crate::txn::transaction::Transaction;
use crate::txn::write_set::{PREFETCH_AHEAD, Write, WriteKind};
use crate::wait::Task;

/// The body of a commit (or prepare) record, and the chunks before it.
#[derive(Default)]
pub(super) struct Redo {
    pub body: Vec<u8>,
    /// The stream of chunks that the body ends, if it was too long for one record.
    pub stream: Option<Lsn>,
    pub flags: RecordFlags,
}

impl Redo {
    /// Whether there is nothing to be logged.
    pub fn is_empty(&self) -> bool {
        self.body.is_empty() && self.stream.is_none()
    }
}

impl Transaction {
    /// Adds an operation that is not a change of a row to the commit record, after the rows. A
    /// rollback to an earlier savepoint takes it out again.
    pub fn log_operation(&mut self, operation: &Operation<'_>) {
        operation.encode(&mut self.operations);
    }

    /// Logs a row that is in the trees of a storage that this transaction makes, so that the log
    /// has all that a restore needs. The pages have the row before the transaction commits.
    pub fn log_load(&mut self, task: &Task, table: &Table, row: &[u8]) -> TxnResult<()> {
        if !self.manager().log.is_logged() {
            return Ok(());
        }
        let (storage, layout) = (table.storage(), table.layout_number());
        Operation::Load { storage, layout, row }.encode(&mut self.loads.operations);
        self.flush_loads(task)
    }

    /// Appends loaded rows to the log once they are longer than a piece.
    pub(super) fn flush_loads(&mut self, task: &Task) -> TxnResult<()> {
        let piece = self.piece_max();
        if self.loads.operations.len() > piece {
            let loads = std::mem::take(&mut self.loads);
            let (body, stream) = (loads.operations, loads.stream);
            let mut redo = Redo { body, stream, ..Redo::default() };
            let flushed = self.flush_chunks(task, &mut redo, piece);
            self.loads = Loads { stream: redo.stream, operations: redo.body };
            flushed?;
        }
        Ok(())
    }

    /// Forgets loaded rows, and abandons their stream of chunks.
    pub(super) fn forget_loads(&mut self, task: &Task) {
        let loads = std::mem::take(&mut self.loads);
        self.disown_stream(task, loads.stream);
    }

    /// The bytes of the longest piece of a stream, so that the last one can also carry the name of
    /// a transaction over several databases.
    fn piece_max(&self) -> usize {
        self.manager().log.body_max() - crate::log::record::GLOBAL_LEN
    }

    /// Whether a commit would leave something in the log.
    pub fn has_logged_writes(&self) -> bool {
        // SAFETY: the gates of the tables are held.
        let logged = |w: &Write| unsafe { self.table_of(w) }.is_logged();
        self.manager().log.is_logged()
            && (!self.operations.is_empty()
                || !self.loads.is_empty()
                || self.writes.iter().any(logged))
    }

    /// Calls the functions that [`Transaction::before_commit`] has registered.
    pub(super) fn run_preparations(&mut self, task: &Task) -> TxnResult<()> {
        let owner = self.session.owner().id().0;
        std::mem::take(&mut self.preparations)
            .into_iter()
            .try_for_each(|prepare| prepare(task, owner))
    }

    /// Encodes what the transaction leaves behind. What exceeds one record goes to the log at
    /// once, in chunks; nothing of it counts until the commit record is there. A transaction that
    /// has changed tracked tables takes its version after that, unless it has one.
    pub(super) fn redo(
        &mut self,
        task: &Task,
        global: Option<GlobalTransaction>,
    ) -> TxnResult<Redo> {
        self.run_preparations(task)?;
        let mut redo = Redo { body: std::mem::take(&mut self.buffer), ..Redo::default() };
        if !self.manager().log.is_logged() {
            self.take_version(task)?;
            return Ok(redo);
        }
        if !self.loads.is_empty() {
            let Loads { stream, operations } = std::mem::take(&mut self.loads);
            redo.body.extend_from_slice(&operations);
            redo.stream = stream;
            if stream.is_some() {
                redo.flags = redo.flags.with(RecordFlags::CHUNKED);
            }
        }
        let result = self.encode(task, &mut redo);
        if let Err(error) = result {
            self.disown_stream(task, redo.stream);
            return Err(error);
        }
        if let Some(global) = global {
            redo.flags = redo.flags.with(RecordFlags::GLOBAL);
            redo.body.splice(0..0, global.encode());
        }
        Ok(redo)
    }

    fn encode(&mut self, task: &Task, redo: &mut Redo) -> TxnResult<()> {
        self.encode_rows(task, redo, 0)?;
        let encoded = self.writes.len();
        self.take_version(task)?;
        self.encode_rows(task, redo, encoded)?;
        redo.body.extend_from_slice(&self.operations);
        self.flush_chunks(task, redo, self.piece_max())
    }

    /// Encodes the rows from this entry of the write set on.
    fn encode_rows(&self, task: &Task, redo: &mut Redo, from: usize) -> TxnResult<()> {
        let piece = self.piece_max();
        let mut key = KeyBuf::default();
        let writes = &self.writes[from..];
        for (place, write) in writes.iter().enumerate() {
            if let Some(ahead) = writes.get(place + PREFETCH_AHEAD) {
                prefetch_row(ahead.version.address());
            }
            // SAFETY: the gate of the table is held, and what was written is this transaction's.
            unsafe {
                let table = self.table_of(write);
                if !table.is_logged() {
                    continue;
                }
                if table.is_catalog() {
                    redo.flags = redo.flags.with(RecordFlags::CATALOG);
                }
                if let Some(operation) = self.operation(table, write, &mut key) {
                    operation.encode(&mut redo.body);
                }
            }
            if redo.body.len() > piece {
                self.flush_chunks(task, redo, piece)?;
            }
        }
        Ok(())
    }

    /// Appends whole pieces to the log, so that at most one is left.
    fn flush_chunks(&self, task: &Task, redo: &mut Redo, piece: usize) -> TxnResult<()> {
        let mut done = 0;
        while redo.body.len() - done > piece {
            let body = &redo.body[done..done + piece];
            redo.stream = Some(self.manager().log.append_chunk(task, redo.stream, body)?);
            redo.flags = redo.flags.with(RecordFlags::CHUNKED);
            done += piece;
        }
        redo.body.drain(..done);
        Ok(())
    }

    /// The log's operation for an entry of the write set; none if a later entry replaced it, or if
    /// the row was inserted by this transaction and is gone.
    ///
    /// # Safety
    /// The entry is this transaction's and the table's.
    pub(super) unsafe fn operation<'a>(
        &self,
        table: &'a Table,
        write: &Write,
        key: &'a mut KeyBuf,
    ) -> Option<Operation<'a>> {
        let storage = table.storage();
        // SAFETY: the row is this transaction's until its begin words are replaced.
        unsafe {
            let head = write.anchor.head().load(Acquire);
            let inline = write.anchor.inline(table.links());
            match write.kind {
                WriteKind::Insert | WriteKind::Reuse | WriteKind::Update => {
                    let (newest, version) = match write.kind {
                        WriteKind::Update => (head == write.version.address(), write.version),
                        _ => (head & (DELETED | INLINE) == INLINE, inline),
                    };
                    newest.then(|| Operation::Upsert {
                        storage,
                        layout: table.layout_number(),
                        replaces: self.replaces(table, write),
                        row: table.row(version),
                    })
                }
                WriteKind::Delete | WriteKind::Tombstone => {
                    debug_assert!(head & DELETED != 0 || head == write.version.address());
                    // What this transaction itself inserted is not known to the log.
                    let replaces = self.replaces(table, write)?;
                    table.log_key(table.row(inline), key);
                    Some(Operation::Delete { storage, replaces, key })
                }
            }
        }
    }

    /// The stamp of the committed version that this entry replaces, if there is one; 0 if that
    /// version is in the trees, or will be when the transaction commits.
    ///
    /// # Safety
    /// The entry is this transaction's and the table's.
    unsafe fn replaces(&self, table: &Table, write: &Write) -> Option<Lsn> {
        // SAFETY: what this transaction wrote and replaced stays until it ends.
        let stamp = unsafe {
            visibility::newest_committed(write.anchor, table.links(), &self.manager().slots)
        };
        match self.owns(table.pointer()) {
            true => stamp.map(|_| Lsn::ZERO),
            false => stamp,
        }
    }

    /// # Safety
    /// The entry is this transaction's.
    pub(super) unsafe fn table_of(&self, write: &Write) -> &Table {
        // SAFETY: the gate of the table is held.
        unsafe { self.held[write.table as usize].table.get() }
    }

    /// Logs that a stream of chunks is abandoned, for replay. If the log takes no more records,
    /// replay drops the stream at the log's end, and checkpoints learn of it from
    /// [`LogNeeds`](crate::txn::log_needs::LogNeeds).
    pub(super) fn disown_stream(&self, task: &Task, stream: Option<Lsn>) {
        if let Some(stream) = stream {
            let manager = self.manager();
            if manager.log.append_abort(task, RecordFlags::NONE, stream).is_err() {
                manager.log_needs.note_abandoned(stream);
            }
        }
    }

    /// Keeps the buffer for the session's next commit.
    pub(super) fn reuse_redo(&mut self, redo: Redo) {
        self.buffer = redo.body;
    }
}

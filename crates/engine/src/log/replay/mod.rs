//! Reading the log back: from batches to committed transactions, in commit order.
//!
//! A thread of its own reads ahead and checks checksums; [`Replay::next`] takes records apart and
//! puts transactions together. A transaction's operations stay in the batches they came in, shared
//! and uncopied, so that it can be handed to whichever thread applies it.
//!
//! Chunks of a transaction are held until its commit or abort record comes. While all that is held
//! is small, the batches themselves are; beyond a bound only their places, and the batches are read
//! (and checked) again when the transaction commits. Streams that never end are dropped with the
//! log's end; prepared transactions that never end are handed over as in doubt.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use base::ids::Lsn;

use super::error::LogError;
use super::record::{
    GLOBAL_LEN, GlobalTransaction, RECORD_HEADER, RecordFlags, RecordHeader, RecordKind,
};
use super::store::{Batch, BatchReader, LogEnd, LogStore};

mod body;

pub use body::{Body, Operations};
use body::{Held, Piece};

/// Batches read ahead.
const BATCHES_AHEAD: usize = 8;
/// Bytes of batches that may be held in memory for chunks of transactions that have not ended.
const HOLD_BYTES: usize = 64 << 20;

/// A transaction that committed.
#[derive(Clone, Debug)]
pub struct CommittedTransaction {
    /// Its stamp.
    pub lsn: Lsn,
    /// Of its commit record: [`RecordFlags::CATALOG`] also if its prepare record had it.
    pub flags: RecordFlags,
    /// The transaction over several databases that it is part of, or decides.
    pub global: Option<GlobalTransaction>,
    /// What it did.
    pub body: Body,
}

/// A transaction that was prepared and whose fate the log does not tell.
#[derive(Clone, Debug)]
pub struct PreparedTransaction {
    /// The position of its prepare record, by which its commit or abort record will name it.
    pub lsn: Lsn,
    /// Of its prepare record.
    pub flags: RecordFlags,
    /// Whose coordinator knows.
    pub global: GlobalTransaction,
    /// What it did.
    pub body: Body,
}

/// How a log ends.
#[derive(Clone, Debug)]
pub struct ReplayEnd {
    /// Where it ends; what [`super::Log::open`] takes.
    pub end: LogEnd,
    /// Prepared transactions whose coordinators must be asked, in order.
    pub in_doubt: Vec<PreparedTransaction>,
    /// Transactions whose chunks are in the log, but not their end.
    pub unfinished: usize,
}

/// How far reading has come.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<Counters>);

#[derive(Default, Debug)]
struct Counters {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Bytes read, and bytes in all. The second is an estimate until the end is reached.
    pub fn bytes(&self) -> (u64, u64) {
        (self.0.done.load(Relaxed), self.0.total.load(Relaxed))
    }
}

/// Reads a log back.
pub struct Replay {
    store: Arc<dyn LogStore>,
    from: Lsn,
    arriving: Option<Receiver<Arrival>>,
    reader: Option<JoinHandle<()>>,
    progress: Progress,
    current: Option<Current>,
    streams: HashMap<Lsn, Held>,
    held_bytes: usize,
    hold_bytes: usize,
    prepared: HashMap<Lsn, PreparedTransaction>,
    end: Option<LogEnd>,
}

enum Arrival {
    Batch(Arc<Batch>),
    End(LogEnd),
    Failed(LogError),
}

/// The batch being taken apart.
struct Current {
    batch: Arc<Batch>,
    /// The next record: its place in the payload and its position.
    offset: usize,
    lsn: Lsn,
}

impl Replay {
    /// Starts to read from this position on, where a record starts.
    pub fn start(store: Arc<dyn LogStore>, from: Lsn) -> Result<Replay, LogError> {
        let reader = store.read_from(from)?;
        let progress = Progress::default();
        let own = progress.clone();
        let (send, arriving) = sync_channel(BATCHES_AHEAD);
        let reader = std::thread::Builder::new()
            .name("log reader".into())
            .spawn(move || read_ahead(reader, &send, &own))
            .map_err(|error| LogError::Fenced(format!("no thread to read: {error}").into()))?;
        Ok(Replay {
            store,
            from,
            arriving: Some(arriving),
            reader: Some(reader),
            progress,
            current: None,
            streams: HashMap::new(),
            held_bytes: 0,
            hold_bytes: HOLD_BYTES,
            prepared: HashMap::new(),
            end: None,
        })
    }

    /// Holds at most about this many bytes for unfinished transactions.
    pub fn with_hold_bytes(mut self, bytes: usize) -> Replay {
        self.hold_bytes = bytes;
        self
    }

    /// How far reading has come; may be asked from another thread.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// The next transaction that committed, in order of stamps, or `None` at the end of the log.
    ///
    /// # Errors
    /// After an error there is nothing more to be had.
    #[allow(clippy::should_implement_trait, reason = "it fails, and then it is over")]
    pub fn next(&mut self) -> Result<Option<CommittedTransaction>, LogError> {
        loop {
            if self.current.is_none() && !self.next_batch()? {
                return Ok(None);
            }
            if let Some(committed) = self.next_record()? {
                return Ok(Some(committed));
            }
        }
    }

    /// How the log ends.
    ///
    /// # Panics
    /// If [`Replay::next`] has not given `None`.
    pub fn finish(mut self) -> ReplayEnd {
        let end = self.end.expect("the log has been read to its end");
        let mut in_doubt: Vec<_> = std::mem::take(&mut self.prepared).into_values().collect();
        in_doubt.sort_unstable_by_key(|prepared| prepared.lsn);
        ReplayEnd { end, in_doubt, unfinished: self.streams.len() }
    }

    fn next_batch(&mut self) -> Result<bool, LogError> {
        let Some(arriving) = &self.arriving else { return Ok(false) };
        let arrival = arriving.recv();
        match arrival {
            Ok(Arrival::Batch(batch)) => {
                let lsn = batch.header.first;
                self.current = Some(Current { batch, offset: 0, lsn });
                return Ok(true);
            }
            Ok(Arrival::End(end)) => self.end = Some(end),
            Ok(Arrival::Failed(error)) => {
                self.arriving = None;
                return Err(error);
            }
            Err(_) => panic!("the log reader has panicked"),
        }
        self.arriving = None;
        Ok(false)
    }

    /// Takes the next record of the current batch; a transaction, if it completes one.
    fn next_record(&mut self) -> Result<Option<CommittedTransaction>, LogError> {
        let current = self.current.as_mut().expect("there is a batch");
        let Some((header, lsn, piece)) = current.next()? else {
            self.current = None;
            return Ok(None);
        };
        if lsn < self.from {
            return Ok(None);
        }
        match header.kind {
            RecordKind::Filler => Ok(None),
            RecordKind::Chunk => self.hold_chunk(header, piece).map(|()| None),
            RecordKind::Abort => {
                match header.flags.has(RecordFlags::PREPARED) {
                    true => drop(self.prepared.remove(&header.related)),
                    false => drop(self.take_stream(header.related)),
                }
                Ok(None)
            }
            RecordKind::Prepare => self.prepare(header, lsn, piece).map(|()| None),
            RecordKind::Commit => self.commit(header, lsn, piece).map(Some),
        }
    }

    fn hold_chunk(&mut self, header: RecordHeader, piece: Piece) -> Result<(), LogError> {
        let piece = match self.held_bytes + piece.holds_bytes() > self.hold_bytes {
            true => piece.let_go(),
            false => piece,
        };
        self.held_bytes += piece.holds_bytes();
        self.streams.entry(header.related).or_default().push(piece);
        Ok(())
    }

    fn take_stream(&mut self, stream: Lsn) -> Option<Held> {
        let held = self.streams.remove(&stream)?;
        self.held_bytes -= held.iter().map(Piece::holds_bytes).sum::<usize>();
        Some(held)
    }

    /// The stream that a record ends, if it ends one, and what the record itself carries.
    fn assemble(
        &mut self,
        header: &RecordHeader,
        mut piece: Piece,
    ) -> Result<(Option<GlobalTransaction>, Body), LogError> {
        let mut global = None;
        if header.flags.has(RecordFlags::GLOBAL) {
            let bytes = piece.cut_front(GLOBAL_LEN);
            let what = "a transaction over several databases is not named";
            let decoded = bytes.as_ref().and_then(|bytes| GlobalTransaction::decode(bytes.bytes()));
            global = Some(decoded.ok_or_else(|| piece.damaged(what))?);
        }
        let ends_prepared = header.flags.has(RecordFlags::PREPARED);
        let mut pieces = match header.flags.has(RecordFlags::CHUNKED) && !ends_prepared {
            true => {
                // A stream that began before the position from which we read was over by then.
                let what = "the chunks of a transaction are missing";
                self.take_stream(header.related).ok_or_else(|| piece.damaged(what))?
            }
            false => Held::default(),
        };
        pieces.push(piece);
        Ok((global, Body::new(self.store.clone(), pieces)))
    }

    fn prepare(&mut self, header: RecordHeader, lsn: Lsn, piece: Piece) -> Result<(), LogError> {
        let nameless = piece.damaged("a prepared transaction has no name");
        let (global, body) = self.assemble(&header, piece)?;
        let global = global.ok_or(nameless)?;
        let flags = header.flags;
        self.prepared.insert(lsn, PreparedTransaction { lsn, flags, global, body });
        Ok(())
    }

    fn commit(
        &mut self,
        header: RecordHeader,
        lsn: Lsn,
        piece: Piece,
    ) -> Result<CommittedTransaction, LogError> {
        if !header.flags.has(RecordFlags::PREPARED) {
            let (global, body) = self.assemble(&header, piece)?;
            return Ok(CommittedTransaction { lsn, flags: header.flags, global, body });
        }
        let unknown = || piece.damaged("a transaction commits that was not prepared");
        let prepared = self.prepared.remove(&header.related).ok_or_else(unknown)?;
        let PreparedTransaction { flags, global, body, .. } = prepared;
        let flags = header.flags.with(flags);
        Ok(CommittedTransaction { lsn, flags, global: Some(global), body })
    }
}

impl Current {
    /// The next record, or `None` at the end of the batch.
    fn next(&mut self) -> Result<Option<(RecordHeader, Lsn, Piece)>, LogError> {
        let payload = self.batch.payload();
        let damaged = |what| self.batch.damaged(self.offset, what);
        let Some((words, _)) = payload[self.offset..].split_first_chunk::<RECORD_HEADER>() else {
            let ends = self.offset == payload.len() && self.lsn == self.batch.header.end;
            return if ends { Ok(None) } else { Err(damaged("a batch ends too early")) };
        };
        let word = |at| u64::from_le_bytes(words[at..at + 8].try_into().expect("eight bytes"));
        let header = RecordHeader::decode([word(0), word(8)])
            .ok_or_else(|| damaged("a record makes no sense"))?;
        let (stored, lsn) = (header.stored_len(), self.lsn);
        if payload.len() - self.offset < stored
            || self.batch.header.end.0 - lsn.0 < header.len.into()
        {
            return Err(damaged("a record is longer than its batch"));
        }
        let start = self.offset + RECORD_HEADER;
        let piece = Piece::new(self.batch.clone(), start..start + header.body_len());
        self.offset += stored;
        self.lsn = Lsn(lsn.0 + u64::from(header.len));
        Ok(Some((header, lsn, piece)))
    }
}

/// The reading thread: ends with the log, with an error, or when nobody listens any more.
fn read_ahead(mut reader: Box<dyn BatchReader>, send: &SyncSender<Arrival>, progress: &Progress) {
    loop {
        let arrival = match reader.next() {
            Ok(Some(batch)) => Arrival::Batch(batch),
            Ok(None) => Arrival::End(reader.end()),
            Err(error) => Arrival::Failed(error),
        };
        let (done, total) = reader.progress();
        progress.0.done.store(done, Relaxed);
        progress.0.total.store(total, Relaxed);
        let is_last = !matches!(arrival, Arrival::Batch(_));
        if send.send(arrival).is_err() || is_last {
            return;
        }
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.arriving = None; // so that the reader does not wait for us
        if let Some(reader) = self.reader.take() {
            // Its panic, if any, has been reported by `next`.
            let _ = reader.join();
        }
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (done, total) = self.progress.bytes();
        write!(f, "Replay({done} of {total} bytes)")
    }
}

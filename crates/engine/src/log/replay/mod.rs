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

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use base::ids::Lsn;

use super::error::LogError;
use super::record::{GlobalTransaction, RecordFlags};
use super::store::{Batch, BatchReader, LogEnd, LogStore};

mod assemble;
mod body;

pub(crate) use assemble::{Assembler, hold_bytes};
pub use body::{Body, Operations};

/// Batches read ahead.
const BATCHES_AHEAD: usize = 8;

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

/// A transaction that was prepared and whose outcome is not in the log.
#[derive(Clone, Debug)]
pub struct PreparedTransaction {
    /// The position of its prepare record, by which its commit or abort record will name it.
    pub lsn: Lsn,
    /// Where its first record is: a chunk, or the prepare record itself.
    pub first: Lsn,
    /// Of its prepare record.
    pub flags: RecordFlags,
    /// The transaction over several databases that it is part of: the coordinator knows its fate.
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

/// The progress of reading.
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
    arriving: Option<Receiver<Arrival>>,
    reader: Option<JoinHandle<()>>,
    progress: Progress,
    assembler: Assembler,
    /// The end of the log; before that is found, and if it is not, of the current batch.
    end: Option<LogEnd>,
    stopping: bool,
}

enum Arrival {
    Batch(Arc<Batch>),
    End(LogEnd),
    Failed(LogError),
}

impl Replay {
    /// Starts to read from this position on, where a record starts.
    pub fn start(store: Arc<dyn LogStore>, from: Lsn) -> Result<Replay, LogError> {
        Replay::start_complete_to(store, from, from)
    }

    /// As `start`, where transactions that began before that were over before `complete`: they are
    /// passed over.
    pub(crate) fn start_complete_to(
        store: Arc<dyn LogStore>,
        from: Lsn,
        complete: Lsn,
    ) -> Result<Replay, LogError> {
        let reader = store.read_from(from)?;
        let progress = Progress::default();
        let own = progress.clone();
        let (send, arriving) = sync_channel(BATCHES_AHEAD);
        let reader = std::thread::Builder::new()
            .name("log reader".into())
            .spawn(move || read_ahead(reader, &send, &own))
            .map_err(|error| LogError::Fenced(format!("no thread to read: {error}").into()))?;
        Ok(Replay {
            arriving: Some(arriving),
            reader: Some(reader),
            progress,
            assembler: Assembler::new(store, from, complete),
            end: None,
            stopping: false,
        })
    }

    /// Holds at most about this many bytes for unfinished transactions.
    pub fn with_hold_bytes(mut self, bytes: usize) -> Replay {
        self.assembler.hold_bytes = bytes;
        self
    }

    /// The progress of reading; any thread may look at it.
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
            if let Some(committed) = self.assembler.next()? {
                return Ok(Some(committed));
            }
            if self.stopping || !self.next_batch()? {
                return Ok(None);
            }
        }
    }

    /// Lets the log end, as far as it is read here, after the batch of the transaction that came
    /// last.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// Where the batch ends of the transaction that came last.
    pub fn batch_end(&self) -> Lsn {
        self.end.map_or(Lsn::ZERO, |end| end.end)
    }

    /// How the log ends, or the part of it that was read.
    ///
    /// # Panics
    /// If [`Replay::next`] has not given `None`.
    pub fn finish(mut self) -> ReplayEnd {
        let end = self.end.expect("the log has been read to its end");
        let in_doubt = self.assembler.take_in_doubt();
        ReplayEnd { end, in_doubt, unfinished: self.assembler.unfinished() }
    }

    fn next_batch(&mut self) -> Result<bool, LogError> {
        let Some(arriving) = &self.arriving else { return Ok(false) };
        let arrival = arriving.recv();
        match arrival {
            Ok(Arrival::Batch(batch)) => {
                self.end = Some(LogEnd::behind(&batch));
                self.assembler.push(batch);
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
}

/// The reading thread: ends with the log, with an error, or when the receiver is gone.
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
        self.arriving = None; // so that the reader does not wait for this thread
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

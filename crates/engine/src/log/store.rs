//! The interface between the log and its storage.
//!
//! The local segment files ([`super::local`]) are the one implementation; a partition of a log
//! service is meant to be another. What the log relies on:
//!
//! * S1: a batch writer belongs to an epoch. Opening one with a higher epoch *fences* earlier ones:
//!   they can write nothing any more.
//! * S2: batches become durable in the order in which they were submitted, and a batch is durable
//!   only if those before it are.
//! * S3: an outcome other than `Durable` is final: the batch writer accepts nothing afterwards.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use base::ids::Lsn;

use super::batch::{BATCH_HEADER, BatchHeader};
use super::error::LogError;

/// A place in a store: a segment (or partition), and an offset in it. Ordered as the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Position {
    /// The segment's number.
    pub segment: u64,
    /// Where in it.
    pub offset: u64,
}

/// Where a log ends, as found by reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogEnd {
    /// After the last record.
    pub end: Lsn,
    /// Where the next record goes; see [`LogEnd::resume_at`].
    pub next: Lsn,
    /// The highest epoch seen; 0 if there is no batch at all.
    pub epoch: u64,
    /// Where the next batch goes.
    pub position: Position,
    /// Where the last batch is, if there is one.
    pub last_batch: Option<Position>,
    /// Whether the last batch says that the log was shut down in order.
    pub clean: bool,
    /// Bytes that looked like a batch and were cut as the torn end of a crash.
    pub torn: bool,
}

impl LogEnd {
    /// The end of a log of which nothing is known after this batch.
    pub fn behind(batch: &Batch) -> LogEnd {
        LogEnd {
            end: batch.header.end,
            next: batch.header.end,
            epoch: batch.header.epoch,
            position: batch.position,
            last_batch: Some(batch.position),
            clean: false,
            torn: false,
        }
    }

    /// Lets the log go on at this position, if it is above its end.
    ///
    /// Space that holds nothing but filler counts as durable without being written, so that after a
    /// crash the log may end below a position that was `durable` before. What keeps such positions
    /// elsewhere (a checkpoint, a replica) lets the log go on above them, so that it never sees a
    /// stamp given twice.
    pub fn resume_at(self, lsn: Lsn) -> LogEnd {
        LogEnd { next: self.next.max(lsn), ..self }
    }
}

/// A piece of a store: a segment's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoredSegment {
    /// Its number, from 1, as [`Position::segment`].
    pub number: u64,
    /// Bytes that it takes.
    pub size_bytes: u64,
    /// Where the log begins in it; `None` as long as it is only prepared.
    pub first: Option<Lsn>,
}

/// Where a database's log is kept.
pub trait LogStore: Send + Sync + Debug {
    /// Reads from the batch that holds this position on.
    ///
    /// # Errors
    /// [`LogError::Missing`] if the log begins after it.
    fn read_from(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError>;

    /// Follows a log that is being written, from the batch that holds this position on. At the end
    /// of what is durable [`BatchReader::next`] gives `None`, and goes on when there is more.
    ///
    /// # Errors
    /// As for [`LogStore::read_from`].
    fn follow(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError>;

    /// Reads one batch again.
    fn read_batch(&self, position: Position) -> Result<Arc<Batch>, LogError>;

    /// Opens the log for writing after its end, in an epoch above all before (S1). What it has been
    /// told, and what room there is, comes through `events`, maybe before this returns.
    fn open_writer(
        &self,
        end: &LogEnd,
        events: Arc<dyn WriterEvents>,
    ) -> Result<Box<dyn BatchWriter>, LogError>;

    /// Gives up what lies before this position, as far as that is easily done.
    fn truncate_before(&self, lsn: Lsn) -> Result<(), LogError>;

    /// Bytes that the log takes: in use, and prepared.
    fn size_bytes(&self) -> u64;

    /// The pieces that the log takes, in its order: those in use, then those prepared.
    fn segments(&self) -> Vec<StoredSegment>;
}

/// Reads batches in order, checked.
pub trait BatchReader: Send {
    /// The next batch, or `None` at the end of the log.
    fn next(&mut self) -> Result<Option<Arc<Batch>>, LogError>;

    /// Bytes read so far, and in all; the second is an estimate until the end is found.
    fn progress(&self) -> (u64, u64);

    /// Where the log ends. Only after [`BatchReader::next`] has given `None`.
    fn end(&self) -> LogEnd;
}

/// What has become of submitted batches.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything below this position is durable.
    Durable(Lsn),
    /// This batch writer writes no more; what was not reported durable is not, or will not be seen.
    Fenced(LogError),
    /// It is not known what became of the batches that were not reported durable.
    Unknown(LogError),
}

/// What a batch writer reports to the log. Called from any thread.
pub trait WriterEvents: Send + Sync {
    /// Submitted batches are durable, or have failed.
    fn outcome(&self, outcome: Outcome);

    /// There is room for this many pages (of [`super::batch::BATCH_ALIGN`] bytes) more than before,
    /// or fewer. Writers without bound grant `i64::MAX / 2` once.
    fn room(&self, pages: i64);

    /// Preparing more room has failed (`Some`), or works again (`None`).
    fn preparation(&self, failure: Option<LogError>);
}

/// Writes batches in order.
pub trait BatchWriter: Send {
    /// The longest batch, header included, that the next call may carry. Every record fits.
    fn batch_limit(&self) -> usize;

    /// Takes a batch. Waits for no other machine; a writer on a local disk may use the calling
    /// thread to write, since that thread has nothing else to do. Every batch ends in an outcome.
    fn submit(&mut self, batch: &mut NewBatch);

    /// Asks for room, after [`WriterEvents::preparation`] has reported a failure.
    fn poke(&self);
}

/// A batch on its way out.
#[derive(Debug)]
pub struct NewBatch {
    /// [`BATCH_HEADER`] bytes of room for the writer to seal, and the payload.
    pub bytes: Vec<u8>,
    /// As in [`BatchHeader`].
    pub flags: u16,
    /// Position of the first record.
    pub first: Lsn,
    /// Position after the last record.
    pub end: Lsn,
    /// Records in the payload.
    pub records: u32,
}

impl NewBatch {
    /// Without records yet.
    pub fn new(first: Lsn, flags: u16, mut buffer: Vec<u8>) -> NewBatch {
        buffer.clear();
        buffer.resize(BATCH_HEADER, 0);
        NewBatch { bytes: buffer, flags, first, end: first, records: 0 }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }
}

/// A batch that was read, and whose checksum is right.
#[derive(Debug)]
pub struct Batch {
    /// What it says of itself.
    pub header: BatchHeader,
    /// Where it was.
    pub position: Position,
    /// The file it was in.
    pub file: Arc<Path>,
    /// Header and payload.
    pub bytes: Box<[u8]>,
}

impl Batch {
    /// The records.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[BATCH_HEADER..]
    }

    /// The message when something in the payload, at this offset, makes no sense.
    pub fn damaged(&self, payload_offset: usize, what: &'static str) -> LogError {
        LogError::Damaged {
            file: self.file.clone(),
            offset: self.position.offset + (BATCH_HEADER + payload_offset) as u64,
            what,
        }
    }
}

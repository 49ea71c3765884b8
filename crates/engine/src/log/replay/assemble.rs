//! Putting transactions together from the records of batches.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use base::ids::Lsn;

use super::body::{Body, Held, Piece};
use super::{CommittedTransaction, PreparedTransaction};
use crate::log::error::LogError;
use crate::log::record::{
    GLOBAL_LEN, GlobalTransaction, RECORD_HEADER, RecordFlags, RecordHeader, RecordKind,
};
use crate::log::store::{Batch, LogStore};

/// Bytes of batches that may be held in memory for chunks of transactions that have not ended: a
/// part of what rows may take, and at least and at most.
const HOLD_PART: u64 = 16;
const HOLD_MIN: u64 = 1 << 20;
const HOLD_MAX: u64 = 64 << 20;

/// What may be held where rows may take this many bytes.
pub(crate) fn hold_bytes(memory: u64) -> usize {
    (memory / HOLD_PART).clamp(HOLD_MIN, HOLD_MAX) as usize
}

/// Takes batches in order and gives the transactions that they complete.
pub(crate) struct Assembler {
    store: Arc<dyn LogStore>,
    /// Records before this position do not count.
    from: Lsn,
    /// Commits before this position are not needed if what they did begins before `from`.
    complete: Lsn,
    current: Option<Current>,
    streams: HashMap<Lsn, Held>,
    held_bytes: usize,
    /// Chunks beyond this are read again when their transaction commits.
    pub hold_bytes: usize,
    prepared: HashMap<Lsn, PreparedTransaction>,
    /// Prepare records of transactions that began before `from`.
    passed: HashSet<Lsn>,
}

/// The batch being taken apart.
struct Current {
    batch: Arc<Batch>,
    /// The next record: its place in the payload and its position.
    offset: usize,
    lsn: Lsn,
}

impl Assembler {
    /// For batches of this log, of which records from this position on count. A transaction that
    /// began before that was over before `complete`, whose commit may lie after others' beginnings.
    pub fn new(store: Arc<dyn LogStore>, from: Lsn, complete: Lsn) -> Assembler {
        Assembler {
            store,
            from,
            complete,
            current: None,
            streams: HashMap::new(),
            held_bytes: 0,
            hold_bytes: HOLD_MAX as usize,
            prepared: HashMap::new(),
            passed: HashSet::new(),
        }
    }

    /// Takes the next batch. What the one before completed has been taken out.
    pub fn push(&mut self, batch: Arc<Batch>) {
        debug_assert!(self.current.is_none(), "the batch before is done with");
        let lsn = batch.header.first;
        self.current = Some(Current { batch, offset: 0, lsn });
    }

    /// The next transaction that committed; `None` when another batch is needed.
    #[allow(clippy::should_implement_trait, reason = "it fails, and then it is over")]
    pub fn next(&mut self) -> Result<Option<CommittedTransaction>, LogError> {
        while self.current.is_some() {
            if let Some(committed) = self.next_record()? {
                return Ok(Some(committed));
            }
        }
        Ok(None)
    }

    /// The first position at or after `alive` from which records may still be needed: the oldest
    /// stream of chunks that has not ended, or the oldest prepared transaction with its chunks,
    /// that is not among the `abandoned` ones. Streams of an earlier life of the log lead nowhere.
    pub fn oldest_open(&self, alive: Lsn, abandoned: &[Lsn]) -> Option<Lsn> {
        let open = |stream: &Lsn| *stream >= alive && !abandoned.contains(stream);
        let streams = self.streams.keys().copied().filter(open).min();
        let prepared = self.prepared.values().filter(|p| !abandoned.contains(&p.lsn));
        let prepared = prepared.map(|p| p.first).min();
        streams.into_iter().chain(prepared).min()
    }

    /// Streams that have not ended.
    pub fn unfinished(&self) -> usize {
        self.streams.len()
    }

    /// The prepared transactions whose outcome no record has given, in order.
    pub fn take_in_doubt(&mut self) -> Vec<PreparedTransaction> {
        let mut in_doubt: Vec<_> = std::mem::take(&mut self.prepared).into_values().collect();
        in_doubt.sort_unstable_by_key(|prepared| prepared.lsn);
        in_doubt
    }

    /// Takes the next record of the current batch; a transaction, if it completes one.
    fn next_record(&mut self) -> Result<Option<CommittedTransaction>, LogError> {
        let current = self.current.as_mut().expect("there is a batch");
        let Some(Record { header, lsn, piece }) = current.next()? else {
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
            RecordKind::Commit => self.commit(header, lsn, piece),
        }
    }

    /// Whether what this record, at this position, is about is a transaction that began before what
    /// is read, and is known to be over.
    fn is_passed(&self, header: &RecordHeader, lsn: Lsn) -> bool {
        let prepared = header.flags.has(RecordFlags::PREPARED);
        let goes_on = prepared || header.flags.has(RecordFlags::CHUNKED);
        let begun_before = header.related < self.from || self.passed.contains(&header.related);
        goes_on && begun_before && lsn < self.complete
    }

    fn hold_chunk(&mut self, header: RecordHeader, piece: Piece) -> Result<(), LogError> {
        if header.related < self.from {
            return Ok(());
        }
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
                // One that began before the position from which the reader starts, and is needed,
                // would have kept that.
                let what = "the chunks of a transaction are missing";
                self.take_stream(header.related).ok_or_else(|| piece.damaged(what))?
            }
            false => Held::default(),
        };
        pieces.push(piece);
        Ok((global, Body::new(self.store.clone(), pieces)))
    }

    fn prepare(&mut self, header: RecordHeader, lsn: Lsn, piece: Piece) -> Result<(), LogError> {
        if self.is_passed(&header, lsn) {
            self.passed.insert(lsn);
            return Ok(());
        }
        let nameless = piece.damaged("a prepared transaction has no name");
        let (global, body) = self.assemble(&header, piece)?;
        let global = global.ok_or(nameless)?;
        let flags = header.flags;
        let first = if flags.has(RecordFlags::CHUNKED) { header.related } else { lsn };
        self.prepared.insert(lsn, PreparedTransaction { lsn, first, flags, global, body });
        Ok(())
    }

    fn commit(
        &mut self,
        header: RecordHeader,
        lsn: Lsn,
        piece: Piece,
    ) -> Result<Option<CommittedTransaction>, LogError> {
        if self.is_passed(&header, lsn) {
            return Ok(None);
        }
        if !header.flags.has(RecordFlags::PREPARED) {
            let (global, body) = self.assemble(&header, piece)?;
            return Ok(Some(CommittedTransaction { lsn, flags: header.flags, global, body }));
        }
        let unknown = || piece.damaged("a transaction commits that was not prepared");
        let prepared = self.prepared.remove(&header.related).ok_or_else(unknown)?;
        let PreparedTransaction { flags, global, body, .. } = prepared;
        let flags = header.flags.with(flags);
        Ok(Some(CommittedTransaction { lsn, flags, global: Some(global), body }))
    }
}

/// A record and its place.
struct Record {
    header: RecordHeader,
    lsn: Lsn,
    piece: Piece,
}

impl Current {
    /// The next record, or `None` at the end of the batch.
    fn next(&mut self) -> Result<Option<Record>, LogError> {
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
        Ok(Some(Record { header, lsn, piece }))
    }
}

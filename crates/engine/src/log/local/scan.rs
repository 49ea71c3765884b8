//! Reading segments back: the chain of batches, and what lies at its end.

use std::sync::Arc;

use base::ids::Lsn;
use env::{File, OpenMode};

use super::Inner;
use super::segment::{FIRST_BATCH, Segment};
use crate::log::batch::{
    BATCH_ALIGN, BATCH_HEADER, BATCH_MAX, BatchHeader, CLEAN_END, EPOCH_START,
};
use crate::log::error::LogError;
use crate::log::store::{Batch, BatchReader, LogEnd, Position};

/// Bytes that are read at once.
const WINDOW: usize = 2 << 20;

/// Reads the active segments in order.
pub struct LocalReader {
    inner: Arc<Inner>,
    segments: std::vec::IntoIter<Segment>,
    /// The segment being read, its file, and the bytes at hand.
    current: Option<Open>,
    offset: u64,
    /// Batches that end here or before are not delivered.
    from: Lsn,
    end: LogEnd,
    done_bytes: u64,
    total_bytes: u64,
}

struct Open {
    segment: Segment,
    file: Arc<dyn File>,
    window: Vec<u8>,
    window_offset: u64,
}

impl Open {
    /// These bytes of the segment, which lie within it.
    fn bytes(&mut self, offset: u64, len: usize) -> Result<&[u8], LogError> {
        let at_hand = self.window_offset..self.window_offset + self.window.len() as u64;
        if !at_hand.contains(&offset) || offset + len as u64 > at_hand.end {
            let wanted = WINDOW.max(len).min((self.segment.size - offset) as usize);
            self.window.resize(wanted, 0);
            self.window_offset = offset;
            if let Err(error) = self.file.read_exact_at(&mut self.window, offset) {
                self.window.clear();
                return Err(error.into());
            }
        }
        let start = (offset - self.window_offset) as usize;
        Ok(&self.window[start..start + len])
    }

    /// The batch at this offset, if one is there that belongs to this segment and is whole.
    fn batch(
        &mut self,
        offset: u64,
        database: u128,
    ) -> Result<Option<(BatchHeader, &[u8])>, LogError> {
        let (salt, size) = (self.segment.salt, self.segment.size);
        if offset + BATCH_ALIGN as u64 > size {
            return Ok(None);
        }
        let Some(header) = BatchHeader::decode(self.bytes(offset, BATCH_HEADER)?) else {
            return Ok(None);
        };
        let ours = header.salt == salt && header.database == database;
        if !ours || offset + header.padded_len() > size {
            return Ok(None);
        }
        let bytes = self.bytes(offset, header.whole_len())?;
        Ok(header.matches(bytes).then_some((header, bytes)))
    }
}

impl LocalReader {
    pub fn new(inner: Arc<Inner>, segments: Vec<Segment>, from: Lsn) -> LocalReader {
        let total_bytes = segments.iter().map(|segment| segment.size - FIRST_BATCH).sum();
        let first = segments.first().map_or(from, |segment| segment.first);
        let end = LogEnd {
            end: first,
            next: first,
            epoch: 0,
            position: Position::default(),
            last_batch: None,
            clean: false,
            torn: false,
        };
        LocalReader {
            inner,
            segments: segments.into_iter(),
            current: None,
            offset: 0,
            from,
            end,
            done_bytes: 0,
            total_bytes,
        }
    }

    /// Goes on in the next segment, if there is one.
    fn open_next(&mut self) -> Result<bool, LogError> {
        let Some(segment) = self.segments.next() else { return Ok(false) };
        let file = self.inner.env.fs().open(&segment.path, OpenMode::Read)?;
        self.offset = FIRST_BATCH;
        self.end.position = Position { segment: segment.number, offset: FIRST_BATCH };
        self.current = Some(Open { segment, file, window: Vec::new(), window_offset: 0 });
        Ok(true)
    }

    /// The batch at the current offset, if the chain goes on there.
    fn try_batch(&mut self) -> Result<Option<Arc<Batch>>, LogError> {
        let open = self.current.as_mut().expect("a segment is open");
        let Some((header, bytes)) = open.batch(self.offset, self.inner.database)? else {
            return Ok(None);
        };
        let takes_over = header.epoch > self.end.epoch && header.flags & EPOCH_START != 0;
        let chained = header.previous_end == self.end.end
            && (takes_over || header.epoch == self.end.epoch || self.end.epoch == 0);
        if !chained {
            return Ok(None);
        }
        let bytes = bytes.into();
        let position = Position { segment: open.segment.number, offset: self.offset };
        let file = open.segment.path.clone();
        Ok(Some(Arc::new(Batch { header, position, file, bytes })))
    }

    fn accept(&mut self, batch: &Batch) {
        self.offset += batch.header.padded_len();
        self.done_bytes += batch.header.padded_len();
        self.end = LogEnd {
            end: batch.header.end,
            next: batch.header.end,
            epoch: batch.header.epoch,
            position: Position { offset: self.offset, ..batch.position },
            last_batch: Some(batch.position),
            clean: batch.header.flags & CLEAN_END != 0,
            torn: false,
        };
    }

    /// Decides why no batch of the chain is at the current offset: the segment has ended (false),
    /// the log has ended (true), or something that was there is gone.
    fn chain_ends(&mut self) -> Result<bool, LogError> {
        let Some(next) = self.segments.as_slice().first() else {
            return self.log_ends().map(|()| true);
        };
        if next.first == self.end.end {
            return Ok(false);
        }
        Err(self.damaged("a batch is missing before the next segment begins"))
    }

    /// Makes sure that nothing good follows in the last segment: then it is the end (F1).
    fn log_ends(&mut self) -> Result<(), LogError> {
        let (from, end, database) = (self.offset, self.end, self.inner.database);
        let open = self.current.as_mut().expect("a segment is open");
        if from + BATCH_ALIGN as u64 > open.segment.size {
            return Ok(());
        }
        let salt = open.segment.salt.to_le_bytes();
        let torn = open.bytes(from, BATCH_HEADER)?[40..48] == salt;
        let mut offset = from;
        while offset + BATCH_ALIGN as u64 <= open.segment.size {
            let later = open
                .batch(offset, database)?
                .is_some_and(|(header, _)| header.first >= end.end && header.epoch >= end.epoch);
            if later {
                return Err(self.damaged("a batch is damaged, and there are good ones behind it"));
            }
            offset += BATCH_ALIGN as u64;
        }
        self.end.torn = torn;
        Ok(())
    }

    fn damaged(&self, what: &'static str) -> LogError {
        let open = self.current.as_ref().expect("a segment is open");
        LogError::Damaged { file: open.segment.path.clone(), offset: self.offset, what }
    }
}

impl BatchReader for LocalReader {
    fn next(&mut self) -> Result<Option<Arc<Batch>>, LogError> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                self.total_bytes = self.done_bytes;
                return Ok(None);
            }
            if let Some(batch) = self.try_batch()? {
                self.accept(&batch);
                let is_before = batch.header.end <= self.from && batch.header.first < self.from;
                if is_before {
                    continue;
                }
                return Ok(Some(batch));
            }
            if self.chain_ends()? {
                // Nothing is left to open: the next call comes to the same end.
                self.total_bytes = self.done_bytes;
                return Ok(None);
            }
            self.current = None;
        }
    }

    fn progress(&self) -> (u64, u64) {
        (self.done_bytes, self.total_bytes)
    }

    fn end(&self) -> LogEnd {
        self.end
    }
}

/// Reads the batches of a log that is being written, as far as they have been.
pub struct LocalTail {
    reader: LocalReader,
    /// Everything up to here has been written and synced; what may be after is not looked at.
    limit: Lsn,
}

impl LocalTail {
    /// Goes on where this reader stands.
    pub fn new(reader: LocalReader) -> LocalTail {
        LocalTail { reader, limit: Lsn::ZERO }
    }

    /// Finds out how far batches have been written since; false if nothing was.
    fn look_again(&mut self) -> bool {
        let reader = &mut self.reader;
        let limit = reader.inner.segments.lock().written;
        // What is at hand was read before, when there was less.
        if let Some(open) = &mut reader.current {
            open.window.clear();
        }
        self.limit = limit;
        limit > reader.end.end
    }

    /// Adds the segments that have been activated since.
    fn refill(&mut self) {
        let reader = &mut self.reader;
        let last = reader.current.as_ref().map_or(0, |open| open.segment.number);
        let segments = reader.inner.segments.lock();
        let later = segments.active.iter().filter(|segment| segment.number > last);
        reader.segments = later.cloned().collect::<Vec<_>>().into_iter();
    }
}

impl BatchReader for LocalTail {
    fn next(&mut self) -> Result<Option<Arc<Batch>>, LogError> {
        while self.reader.end.end < self.limit || self.look_again() {
            if self.reader.current.is_none() {
                if self.reader.segments.as_slice().is_empty() {
                    self.refill();
                }
                assert!(self.reader.open_next()?, "what was written is in a segment");
            }
            if let Some(batch) = self.reader.try_batch()? {
                self.reader.accept(&batch);
                if batch.header.end <= self.reader.from && batch.header.first < self.reader.from {
                    continue;
                }
                return Ok(Some(batch));
            }
            self.refill();
            match self.reader.segments.as_slice().first() {
                Some(next) if next.first == self.reader.end.end => self.reader.current = None,
                _ => return Err(self.reader.damaged("a batch that was written cannot be read")),
            }
        }
        Ok(None)
    }

    fn progress(&self) -> (u64, u64) {
        self.reader.progress()
    }

    fn end(&self) -> LogEnd {
        self.reader.end
    }
}

/// Reads and checks one batch.
pub fn read_batch(inner: &Inner, segment: &Segment, offset: u64) -> Result<Arc<Batch>, LogError> {
    let file = inner.env.fs().open(&segment.path, OpenMode::Read)?;
    let damaged = || LogError::Damaged {
        file: segment.path.clone(),
        offset,
        what: "a batch that was good is not any more",
    };
    let room = segment.size.saturating_sub(offset).min(BATCH_MAX as u64) as usize;
    let mut bytes = vec![0; room];
    file.read_exact_at(&mut bytes, offset)?;
    let header = BatchHeader::decode(&bytes).ok_or_else(damaged)?;
    let whole = bytes.get(..header.whole_len()).filter(|whole| {
        header.salt == segment.salt && header.database == inner.database && header.matches(whole)
    });
    let bytes = whole.ok_or_else(damaged)?.into();
    let position = Position { segment: segment.number, offset };
    Ok(Arc::new(Batch { header, position, file: segment.path.clone(), bytes }))
}

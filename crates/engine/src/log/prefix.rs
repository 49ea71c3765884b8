//! The beginning of a log that has more.

use std::sync::Arc;

use base::ids::Lsn;

use super::error::LogError;
use super::store::{
    Batch, BatchReader, BatchWriter, LogEnd, LogStore, Position, StoredSegment, WriterEvents,
};

/// A log up to the end of one of its batches, to be read. Nothing is given up of it.
#[derive(Debug)]
pub(crate) struct Prefix {
    store: Arc<dyn LogStore>,
    end: LogEnd,
}

impl Prefix {
    /// The log in `store` up to this end, as [`super::Replay::finish`] gives it.
    pub fn new(store: Arc<dyn LogStore>, end: LogEnd) -> Prefix {
        Prefix { store, end }
    }
}

impl LogStore for Prefix {
    fn read_from(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        let reader = self.store.read_from(from)?;
        let at = LogEnd { end: from.min(self.end.end), next: from, ..self.end };
        Ok(Box::new(PrefixReader { reader, until: self.end.end, at }))
    }

    fn follow(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        self.read_from(from)
    }

    fn read_batch(&self, position: Position) -> Result<Arc<Batch>, LogError> {
        self.store.read_batch(position)
    }

    fn open_writer(
        &self,
        _: &LogEnd,
        _: Arc<dyn WriterEvents>,
    ) -> Result<Box<dyn BatchWriter>, LogError> {
        Err(LogError::Fenced("it is read only".into()))
    }

    fn truncate_before(&self, _: Lsn) -> Result<(), LogError> {
        Ok(())
    }

    fn size_bytes(&self) -> u64 {
        self.store.size_bytes()
    }

    fn segments(&self) -> Vec<StoredSegment> {
        self.store.segments()
    }
}

struct PrefixReader {
    reader: Box<dyn BatchReader>,
    until: Lsn,
    /// Where the last batch that was given ends.
    at: LogEnd,
}

impl BatchReader for PrefixReader {
    fn next(&mut self) -> Result<Option<Arc<Batch>>, LogError> {
        if self.at.end >= self.until {
            return Ok(None);
        }
        let batch = self.reader.next()?;
        self.at = batch.as_ref().map_or(self.at, |batch| LogEnd::behind(batch));
        Ok(batch)
    }

    fn progress(&self) -> (u64, u64) {
        self.reader.progress()
    }

    fn end(&self) -> LogEnd {
        self.at
    }
}

//! Writing batches into segments.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use base::ids::Lsn;
use env::File;

use super::Inner;
use super::prepare::Preparer;
use super::scan;
use super::segment::{FIRST_BATCH, Segment, SegmentHeader, State};
use crate::log::batch::{BATCH_ALIGN, BATCH_HEADER, BATCH_MAX, BatchHeader, EPOCH_START};
use crate::log::error::LogError;
use crate::log::store::{BatchWriter, LogEnd, NewBatch, Outcome, WriterEvents};

/// The writer's end of a local log.
pub struct LocalWriter {
    inner: Arc<Inner>,
    events: Arc<dyn WriterEvents>,
    epoch: u64,
    active: Active,
    previous_end: Lsn,
    has_failed: bool,
    preparer: Preparer,
}

/// The segment that batches go to.
struct Active {
    segment: Segment,
    file: Arc<dyn File>,
    offset: u64,
    /// Pages granted of what is left from where writing began, and pages used since.
    granted: i64,
    used: i64,
}

impl LocalWriter {
    /// Opens the log after its end in this epoch, and starts the epoch durably.
    pub fn open(
        inner: Arc<Inner>,
        end: &LogEnd,
        epoch: u64,
        events: Arc<dyn WriterEvents>,
    ) -> Result<LocalWriter, LogError> {
        inner.env.fs().sync_dir(&inner.dir)?;
        let prepared: Vec<u64> =
            inner.segments.lock().prepared.iter().map(|segment| segment.size).collect();
        for size in prepared {
            events.room(inner.options.granted_pages(size));
        }
        let preparer = Preparer::start(inner.clone(), events.clone())?;
        let last = inner.segments.lock().active.back().cloned();
        let active = match last {
            None => Active::next(&inner, end.end, epoch)?, // its room is among the prepared
            Some(segment) => {
                let active = Active::last(&inner, segment, end)?;
                events.room(active.granted);
                active
            }
        };
        let mut writer = LocalWriter {
            inner,
            events,
            epoch,
            active,
            previous_end: end.end,
            has_failed: false,
            preparer,
        };
        writer.write(&mut NewBatch::new(end.next, EPOCH_START, Vec::new()))?;
        writer.events.room(-1); // what every empty batch costs
        Ok(writer)
    }

    fn write(&mut self, batch: &mut NewBatch) -> Result<(), LogError> {
        if self.inner.epoch.load(SeqCst) != self.epoch {
            return Err(LogError::Fenced("another writer has opened the log".into())); // S1
        }
        let padded = batch.bytes.len().next_multiple_of(BATCH_ALIGN);
        if self.active.offset + padded as u64 > self.active.segment.size {
            self.roll()?;
        }
        let header = BatchHeader {
            flags: batch.flags,
            payload_len: (batch.bytes.len() - BATCH_HEADER) as u32,
            database: self.inner.database,
            epoch: self.epoch,
            salt: self.active.segment.salt,
            first: batch.first,
            end: batch.end,
            previous_end: self.previous_end,
            written_ticks: self.inner.env.clock().utc_ticks(),
            records: batch.records,
        };
        header.seal(&mut batch.bytes);
        batch.bytes.resize(padded, 0);
        self.active.file.write_all_at(&batch.bytes, self.active.offset)?;
        self.active.file.sync_data()?; // F1
        self.active.offset += padded as u64;
        self.active.used += (padded / BATCH_ALIGN) as i64;
        self.previous_end = batch.end;
        self.inner.segments.lock().written = batch.end;
        Ok(())
    }

    /// Goes on in the next segment.
    fn roll(&mut self) -> Result<(), LogError> {
        let Active { granted, used, .. } = self.active;
        self.active = Active::next(&self.inner, self.previous_end, self.epoch)?;
        // The segment's margin paid for what does not fit; what was used of the margin itself is
        // room that was not counted (F5).
        self.events.room(used - granted);
        Ok(())
    }
}

impl Active {
    /// Activates the next prepared segment, waiting for one if need be. Its room has been granted.
    fn next(inner: &Arc<Inner>, first: Lsn, epoch: u64) -> Result<Active, LogError> {
        let mut segments = inner.segments.lock();
        let mut segment = loop {
            if let Some(segment) = segments.prepared.pop_front() {
                break segment;
            }
            if let Some(failure) = &segments.failure {
                return Err(failure.clone());
            }
            inner.changed.wait(&mut segments);
        };
        drop(segments);
        inner.changed.notify_all(); // another one is wanted
        segment.first = first;
        let file = inner.open_file(&segment)?;
        write_header(inner, &segment, &*file, epoch)?;
        inner.segments.lock().active.push_back(segment.clone());
        let granted = inner.options.granted_pages(segment.size);
        Ok(Active { segment, file, offset: FIRST_BATCH, granted, used: 0 })
    }

    /// Goes on in the last active segment.
    fn last(inner: &Arc<Inner>, segment: Segment, end: &LogEnd) -> Result<Active, LogError> {
        assert_eq!(segment.number, end.position.segment, "the log ends in its last segment");
        let file = inner.open_file(&segment)?;
        make_sure_of(inner, &segment, &*file, end)?;
        let left = (segment.size - end.position.offset) / BATCH_ALIGN as u64;
        let granted = left as i64 - inner.options.overhead_pages() + 1; // the header has been passed
        let offset = end.position.offset;
        Ok(Active { segment, file, offset, granted, used: 0 })
    }
}

/// Rewrites what may have been read from the cache alone, and syncs the last batch (F4); the header
/// is synced with the batch that follows (F3).
fn make_sure_of(
    inner: &Arc<Inner>,
    segment: &Segment,
    file: &dyn File,
    end: &LogEnd,
) -> Result<(), LogError> {
    if let Some(last) = end.last_batch {
        let own;
        let (of_last, file_of_last) = if last.segment == segment.number {
            (segment.clone(), file)
        } else {
            let segments = inner.segments.lock();
            let found = segments.active.iter().find(|segment| segment.number == last.segment);
            let found = found.expect("the last batch is in an active segment").clone();
            drop(segments);
            own = inner.open_file(&found)?;
            (found, &*own)
        };
        let batch = scan::read_batch(inner, &of_last, last.offset)?;
        file_of_last.write_all_at(&batch.bytes, last.offset)?;
        file_of_last.sync_data()?;
    }
    write_header(inner, segment, file, end.epoch)
}

fn write_header(
    inner: &Inner,
    segment: &Segment,
    file: &dyn File,
    epoch: u64,
) -> Result<(), LogError> {
    let header = SegmentHeader {
        state: State::Active,
        database: inner.database,
        number: segment.number,
        size: segment.size,
        salt: segment.salt,
        first: segment.first,
        epoch,
        written_ticks: inner.env.clock().utc_ticks(),
    };
    Ok(file.write_all_at(&header.encode(), 0)?)
}

impl BatchWriter for LocalWriter {
    fn batch_limit(&self) -> usize {
        let left = self.active.segment.size - self.active.offset;
        let room = if left >= (BATCH_HEADER + self.inner.options.record_max) as u64 {
            left
        } else {
            let next = self.inner.segments.lock().prepared.front().map(|segment| segment.size);
            next.unwrap_or(self.inner.options.first_bytes) - FIRST_BATCH
        };
        room.min(BATCH_MAX as u64) as usize
    }

    fn submit(&mut self, batch: &mut NewBatch) {
        if self.has_failed {
            return;
        }
        let end = batch.end;
        match self.write(batch) {
            Ok(()) => self.events.outcome(Outcome::Durable(end)),
            Err(error) => {
                self.has_failed = true;
                self.events.outcome(Outcome::Fenced(error));
            }
        }
    }

    fn poke(&self) {
        self.preparer.poke();
    }
}

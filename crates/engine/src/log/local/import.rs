//! Importing a log that was written elsewhere, as a restore does: its batches are put into segments
//! of another database, under that one's name.
//!
//! Positions, records and times stay as they are. All batches get epoch 1: the writer that opens
//! the log later begins a higher one. A segment is exactly as long as its batches, so that nothing
//! is ever added to it, and is headed and synced when it is full; numbers go on from import to
//! import. The restore knows which segments count, and removes others ([`remove_segments`]) before
//! the log is opened: a crash may leave one without a header.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::ids::Lsn;
use env::stream::Appender;
use env::{Env, File, OpenMode};

use super::segment::{self, FIRST_BATCH, SegmentHeader, State};
use crate::log::batch::{BATCH_ALIGN, BATCH_HEADER, BatchHeader};
use crate::log::error::LogError;

/// The epoch of imported batches.
const EPOCH: u64 = 1;

/// Takes batches in order and makes segments of them.
pub struct Import {
    env: Env,
    dir: PathBuf,
    database: u128,
    segment_bytes: u64,
    next_number: u64,
    /// The segment being written.
    open: Option<Open>,
    /// Where the batch before ended.
    end: Lsn,
    buffer: Vec<u8>,
}

struct Open {
    header: SegmentHeader,
    /// For the header; batches go past the system's cache.
    file: Arc<dyn File>,
    batches: Appender,
}

impl Import {
    /// Goes on after `end`, where the batch before ended, in the segment of this number. The
    /// directory is made if it does not exist. Segments take about this many bytes.
    pub fn begin(
        env: &Env,
        dir: &Path,
        database: u128,
        number: u64,
        end: Lsn,
        segment_bytes: u64,
    ) -> Result<Import, LogError> {
        env.fs().create_dir_all(dir)?;
        Ok(Import {
            env: env.clone(),
            dir: dir.to_path_buf(),
            database,
            segment_bytes,
            next_number: number,
            open: None,
            end,
            buffer: Vec::new(),
        })
    }

    /// Where the last batch ended.
    pub fn end(&self) -> Lsn {
        self.end
    }

    /// Adds a batch, of which this is the payload.
    pub fn push(&mut self, batch: &BatchHeader, payload: &[u8]) -> Result<(), LogError> {
        debug_assert!(batch.first >= self.end, "batches come in order");
        if self.open.as_ref().is_some_and(|open| open.batches.position() >= self.segment_bytes) {
            self.close()?;
        }
        if self.open.is_none() {
            self.open = Some(self.open_segment()?);
        }
        let open = self.open.as_mut().expect("opened above");
        self.buffer.clear();
        self.buffer.resize(BATCH_HEADER, 0);
        self.buffer.extend_from_slice(payload);
        let header = BatchHeader {
            flags: 0,
            payload_len: payload.len() as u32,
            database: self.database,
            epoch: EPOCH,
            salt: open.header.salt,
            previous_end: self.end,
            ..*batch
        };
        header.seal(&mut self.buffer);
        self.buffer.resize(self.buffer.len().next_multiple_of(BATCH_ALIGN), 0);
        open.batches.append(&self.buffer)?;
        self.end = batch.end;
        Ok(())
    }

    /// Ends the import, and makes it durable; the number of the next segment. There is one at
    /// least, with no batch if there was none.
    pub fn finish(mut self) -> Result<u64, LogError> {
        if self.open.is_none() {
            self.open = Some(self.open_segment()?);
        }
        self.close()?;
        self.env.fs().sync_dir(&self.dir)?;
        Ok(self.next_number)
    }

    fn open_segment(&mut self) -> Result<Open, LogError> {
        let header = SegmentHeader {
            state: State::Active,
            database: self.database,
            number: self.next_number,
            size: 0,
            salt: self.env.rng().next_u64(),
            first: self.end,
            epoch: EPOCH,
            written_ticks: self.env.clock().utc_ticks(),
        };
        let path = self.dir.join(segment::name(header.number));
        let file = self.env.fs().open(&path, OpenMode::CreateNew)?;
        self.next_number += 1;
        let direct = self.env.fs().open_direct(&path, OpenMode::Write)?;
        let batches = Appender::new(&self.env, direct, FIRST_BATCH);
        Ok(Open { header, file, batches })
    }

    /// Heads and syncs the open segment.
    fn close(&mut self) -> Result<(), LogError> {
        let Some(Open { header, file, batches }) = self.open.take() else { return Ok(()) };
        let offset = batches.finish()?;
        file.set_len(offset)?;
        file.write_all_at(&SegmentHeader { size: offset, ..header }.encode(), 0)?;
        Ok(file.sync_all()?)
    }
}

/// Removes all segments but those of these numbers, and what was being made into one.
pub fn remove_segments(env: &Env, dir: &Path, keep: &RangeInclusive<u64>) -> Result<(), LogError> {
    let fs = env.fs();
    if !fs.exists(dir)? {
        return Ok(());
    }
    let mut removed = false;
    for entry in fs.list(dir)? {
        let number = segment::number_of(&entry.name);
        let stray = number.is_some_and(|number| !keep.contains(&number));
        if stray || segment::is_leftover(&entry.name) {
            fs.remove_file(&dir.join(&entry.name))?;
            removed = true;
        }
    }
    if removed {
        fs.sync_dir(dir)?;
    }
    Ok(())
}

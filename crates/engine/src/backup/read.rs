//! Reading a backup set, and verifying one.

use crate::log::batch::BatchHeader;

use super::block::{BlockKind, BlockReader};
use super::error::Result;
use super::media::Media;
use super::set::{BackupSet, FileHead};
use super::{Progress, STEP_BYTES};

/// Goes through a set, and sees to it that it is made as it should be.
pub(super) struct SetReader {
    blocks: BlockReader,
    /// The file whose bytes follow.
    file: Option<OpenFile>,
    seen_log: bool,
    progress: Progress,
}

/// A file of which not all bytes have been read.
struct OpenFile {
    head: FileHead,
    missing: u64,
}

/// What comes next in a set.
pub(super) enum Event<'a> {
    /// A file, whose bytes follow.
    File(FileHead),
    /// Bytes of the file.
    Data {
        /// The file.
        head: FileHead,
        /// The bytes.
        bytes: &'a [u8],
        /// Whether they are the last.
        is_last: bool,
    },
    /// Batches of the log.
    Log(Batches<'a>),
    /// The end of the set.
    End,
}

/// Batches one after another, each header and payload.
pub(super) struct Batches<'a> {
    bytes: &'a [u8],
}

impl SetReader {
    pub fn new(media: &Media, set: &BackupSet) -> Result<SetReader> {
        let blocks = media.read(set.number)?;
        let total = set.end.data_bytes + set.end.log_bytes;
        Ok(SetReader { blocks, file: None, seen_log: false, progress: Progress { done: 0, total } })
    }

    /// The progress of reading.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    pub fn next(&mut self) -> Result<Event<'_>> {
        let at = self.blocks.offset();
        // Looked up before, as the bytes of a block borrow the reader.
        let misplaced = self.blocks.damaged(at, "a block is in the wrong place");
        let senseless = self.blocks.damaged(at, "a block makes no sense");
        let (kind, bytes) = self.blocks.next()?;
        match kind {
            BlockKind::File if self.file.is_none() && !self.seen_log => {
                let head =
                    FileHead::decode(bytes).filter(|head| head.bytes > 0).ok_or(senseless)?;
                self.file = Some(OpenFile { head, missing: head.bytes });
                Ok(Event::File(head))
            }
            BlockKind::Data => {
                let OpenFile { head, missing } = self.file.take().ok_or(misplaced)?;
                let left = missing.checked_sub(bytes.len() as u64).ok_or(senseless)?;
                self.file = (left > 0).then_some(OpenFile { head, missing: left });
                self.progress.done += bytes.len() as u64;
                Ok(Event::Data { head, bytes, is_last: left == 0 })
            }
            BlockKind::Log if self.file.is_none() => {
                self.seen_log = true;
                self.progress.done += bytes.len() as u64;
                let batches = Batches { bytes };
                match (Batches { bytes }).all(|batch| batch.is_some()) {
                    true => Ok(Event::Log(batches)),
                    false => Err(senseless),
                }
            }
            BlockKind::End if self.file.is_none() => Ok(Event::End),
            _ => Err(misplaced),
        }
    }
}

impl<'a> Iterator for Batches<'a> {
    /// `None` if the bytes make no sense.
    type Item = Option<(BatchHeader, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let batch = || {
            let header = BatchHeader::decode(self.bytes)?;
            let (whole, rest) = self.bytes.split_at_checked(header.whole_len())?;
            let payload = &whole[crate::log::batch::BATCH_HEADER..];
            header.matches(whole).then_some((header, payload, rest))
        };
        Some(match batch() {
            Some((header, payload, rest)) => {
                self.bytes = rest;
                Some((header, payload))
            }
            None => {
                self.bytes = &[];
                None
            }
        })
    }
}

/// `RESTORE VERIFYONLY`: reads a set without restoring it.
pub struct Verification {
    reader: SetReader,
}

impl Verification {
    /// Of this set.
    pub fn begin(media: &Media, set: &BackupSet) -> Result<Verification> {
        Ok(Verification { reader: SetReader::new(media, set)? })
    }

    /// Reads the next part. Returns the progress, and whether that was all. Blocks the thread.
    pub fn step(&mut self) -> Result<(Progress, bool)> {
        let until = self.reader.progress().done + STEP_BYTES;
        while self.reader.progress().done < until {
            if matches!(self.reader.next()?, Event::End) {
                return Ok((self.reader.progress(), true));
            }
        }
        Ok((self.reader.progress(), false))
    }
}

//! Streams of records: lengths and bytes, one after the other, across blocks.

use std::ops::Range;

use base::{Scratch, SqlResult};
use engine::wait::Task;

use super::file::{HEADER, Reading, SpillFile};

/// Records in the order in which they were appended.
#[derive(Debug, Default)]
pub struct Stream {
    blocks: Vec<u32>,
    /// The block that is being filled.
    tail: Vec<u8>,
    records: u64,
    bytes: u64,
}

/// Bytes before a record that say how long it is.
const LENGTH: usize = 4;

impl Stream {
    /// Without records.
    pub fn new() -> Stream {
        Stream::default()
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Bytes of the records.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a record that consists of these parts.
    pub fn append(
        &mut self,
        file: &mut SpillFile,
        task: &Task<'_>,
        parts: &[&[u8]],
    ) -> SqlResult<()> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(len).expect("a record is shorter than 4 GB").to_le_bytes();
        self.records += 1;
        self.bytes += len as u64;
        // A length never crosses the end of a block, so that a reader finds it in one piece.
        if self.tail.len() + LENGTH > file.block_bytes() {
            self.write_tail(file, task)?;
        }
        self.put(file, task, &length)?;
        parts.iter().try_for_each(|part| self.put(file, task, part))
    }

    fn put(&mut self, file: &mut SpillFile, task: &Task<'_>, mut bytes: &[u8]) -> SqlResult<()> {
        loop {
            if self.tail.is_empty() {
                self.tail = file.buffer();
            }
            let room = file.block_bytes() - self.tail.len();
            let (here, later) = bytes.split_at(bytes.len().min(room));
            self.tail.extend_from_slice(here);
            if later.is_empty() {
                return Ok(());
            }
            bytes = later;
            self.write_tail(file, task)?;
        }
    }

    fn write_tail(&mut self, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<()> {
        if !self.tail.is_empty() {
            let block = file.write(task, std::mem::take(&mut self.tail))?;
            self.blocks.push(block);
        }
        Ok(())
    }

    /// Writes what is left and gives its buffer back, since no more records come for now.
    pub fn finish(&mut self, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<()> {
        self.write_tail(file, task)
    }

    /// Reads the records, and gives the blocks back on the way.
    pub fn read(mut self, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<Reader> {
        self.finish(file, task)?;
        file.flush(task)?;
        Reader::start(self, true, file, task)
    }

    /// Gives the blocks back unread.
    pub fn discard(self, file: &mut SpillFile) {
        file.free(self.blocks);
    }
}

/// Reads the records of a stream in order.
#[derive(Debug)]
pub struct Reader {
    stream: Stream,
    /// Whether blocks are given back when they have been read.
    frees: bool,
    /// The block to ask for next.
    next: usize,
    ahead: Option<Reading>,
    block: Vec<u8>,
    /// Where the unread part of the block begins.
    at: usize,
    /// Where the current record is: within the block, or put together in `whole`.
    record: Range<usize>,
    is_cut: bool,
    whole: Scratch,
    left: u64,
}

impl Reader {
    fn start(
        stream: Stream,
        frees: bool,
        file: &mut SpillFile,
        task: &Task<'_>,
    ) -> SqlResult<Reader> {
        let left = stream.records;
        let mut reader = Reader {
            stream,
            frees,
            next: 0,
            ahead: None,
            block: Vec::new(),
            at: 0,
            record: 0..0,
            is_cut: false,
            whole: Scratch::default(),
            left,
        };
        reader.look_ahead(file, task);
        Ok(reader)
    }

    /// Steps to the next record. Returns whether there is one.
    pub fn advance(&mut self, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        if self.at + LENGTH > self.block.len() {
            self.next_block(file, task)?;
        }
        let length = [0, 1, 2, 3].map(|byte| self.block[self.at + byte]);
        let len = u32::from_le_bytes(length) as usize;
        self.at += LENGTH;
        self.is_cut = len > self.block.len() - self.at;
        if self.is_cut {
            self.put_together(len, file, task)?;
        } else {
            self.record = self.at..self.at + len;
            self.at += len;
        }
        Ok(true)
    }

    /// The mean length of a record in bytes.
    pub fn mean_bytes(&self) -> u64 {
        self.stream.bytes / self.stream.records.max(1)
    }

    /// How many records come after the current one.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The current record, until the next step.
    #[inline]
    pub fn record(&self) -> &[u8] {
        if self.is_cut { self.whole.bytes() } else { &self.block[self.record.clone()] }
    }

    fn put_together(&mut self, len: usize, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<()> {
        let mut whole = std::mem::take(&mut self.whole);
        let bytes = whole.begin(len, file.account())?;
        loop {
            let here = (len - bytes.len()).min(self.block.len() - self.at);
            bytes.extend_from_slice(&self.block[self.at..self.at + here]);
            self.at += here;
            if bytes.len() == len {
                break;
            }
            self.next_block(file, task)?;
        }
        self.whole = whole;
        Ok(())
    }

    fn next_block(&mut self, file: &mut SpillFile, task: &Task<'_>) -> SqlResult<()> {
        let reading = self.ahead.take().expect("a stream has as many blocks as its records need");
        file.keep_buffer(std::mem::take(&mut self.block));
        self.block = file.end_read(task, reading, self.frees)?;
        self.at = HEADER;
        self.look_ahead(file, task);
        Ok(())
    }

    fn look_ahead(&mut self, file: &mut SpillFile, task: &Task<'_>) {
        if let Some(&block) = self.stream.blocks.get(self.next) {
            self.ahead = Some(file.begin_read(task, block));
            self.next += 1;
        }
    }
}

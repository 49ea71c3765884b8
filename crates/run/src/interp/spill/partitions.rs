//! Partitions: rows that found no room, partitioned by the hash of their keys, so that each part
//! can be worked on by itself.

use base::SqlResult;
use engine::wait::Task;

use super::{Reader, SpillFile, Stream};

/// Bits of a hash that tell partitions of one level apart.
const BITS: u32 = 4;
const FAN_OUT: usize = 1 << BITS;
/// The deepest level, with which all bits of a hash are used.
const DEPTH_MAX: u32 = u64::BITS / BITS - 1;

/// See the module's header. What does not fit when a partition is read becomes partitions of the
/// next level.
#[derive(Debug)]
pub struct Partitions {
    file: SpillFile,
    /// The partitions that are being written.
    open: Vec<Stream>,
    /// Their level: which bits tell them apart.
    depth: u32,
    /// The partitions to be read, the last one first, each with the level of the rows that will not
    /// fit then.
    closed: Vec<(Stream, u32)>,
    /// The partition that is being read.
    reader: Option<Reader>,
}

impl Partitions {
    /// Without rows.
    pub fn new(file: SpillFile) -> Partitions {
        Partitions { file, open: Vec::new(), depth: 0, closed: Vec::new(), reader: None }
    }

    /// Bytes of memory that writing takes.
    pub fn held_bytes(&self) -> usize {
        (FAN_OUT + 4) * self.file.block_bytes()
    }

    /// Adds a row of these parts to the partition of a hash. The lower bits of a hash are left to
    /// hash tables.
    pub fn add(&mut self, task: &Task<'_>, hash: u64, parts: &[&[u8]]) -> SqlResult<()> {
        if self.open.is_empty() {
            self.open.resize_with(FAN_OUT, Stream::new);
        }
        let shift = u64::BITS - BITS * (self.depth + 1);
        let partition = (hash >> shift) as usize % FAN_OUT;
        self.open[partition].append(&mut self.file, task, parts)
    }

    /// Starts to read the next partition. Returns whether there is one. What is added from now on
    /// is a level deeper.
    pub fn next(&mut self, task: &Task<'_>) -> SqlResult<bool> {
        self.reader = None;
        for mut stream in std::mem::take(&mut self.open) {
            if stream.records() > 0 {
                stream.finish(&mut self.file, task)?;
                self.closed.push((stream, (self.depth + 1).min(DEPTH_MAX)));
            }
        }
        let Some((stream, depth)) = self.closed.pop() else { return Ok(false) };
        self.depth = depth;
        self.reader = Some(stream.read(&mut self.file, task)?);
        Ok(true)
    }

    /// Steps to the next row of the partition. Returns whether there is one.
    pub fn advance(&mut self, task: &Task<'_>) -> SqlResult<bool> {
        match &mut self.reader {
            Some(reader) => reader.advance(&mut self.file, task),
            None => Ok(false),
        }
    }

    /// The current row, until the next step.
    pub fn record(&self) -> &[u8] {
        self.reader.as_ref().map_or(&[], Reader::record)
    }

    /// Adds the current row to the partitions of the next level.
    pub fn put_off(&mut self, task: &Task<'_>, hash: u64) -> SqlResult<()> {
        let Some(reader) = self.reader.take() else { return Ok(()) };
        let result = self.add(task, hash, &[reader.record()]);
        self.reader = Some(reader);
        result
    }
}

/// Reads the fields of a record that [`put_number`] and [`put`] wrote.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'r>(pub &'r [u8]);

impl<'r> Fields<'r> {
    /// Whether nothing is left.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        let (number, rest) = self.0.split_first_chunk().expect("a record has all its fields");
        self.0 = rest;
        u64::from_le_bytes(*number)
    }

    /// The next bytes.
    pub fn bytes(&mut self) -> &'r [u8] {
        let len = self.number() as usize;
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }
}

/// Appends a number to a record.
pub fn put_number(record: &mut Vec<u8>, number: u64) {
    record.extend_from_slice(&number.to_le_bytes());
}

/// Appends bytes to a record.
pub fn put(record: &mut Vec<u8>, bytes: &[u8]) {
    put_number(record, bytes.len() as u64);
    record.extend_from_slice(bytes);
}

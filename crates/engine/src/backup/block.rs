//! Blocks: what a backup set is written and checked in.
//!
//! ```text
//!  0 magic u32         4 kind u8   5 packing u8   6 zero u16
//!  8 CRC-32C u32      12 stored u32
//! 16 raw u32          20 zero u32
//! 24 number u64       32 bytes, `stored` of them
//! ```
//!
//! The checksum covers everything after it. Numbers count the blocks of a set from 0. `raw` is the
//! length of the bytes before they were packed, which is by LZ4 (1) or not at all (0).

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use env::stream::{Appender, ReadAhead};
use env::{Env, File};

use super::error::{BackupError, Result};

const MAGIC: u32 = u32::from_le_bytes(*b"TcKb");
/// Bytes before a block's own.
pub(super) const BLOCK_HEADER: usize = 32;
/// Bytes of a block before they are packed, at most.
pub(super) const BLOCK_MAX: usize = 1 << 20;

const PLAIN: u8 = 0;
const LZ4: u8 = 1;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum BlockKind {
    /// The description of the set.
    Header = 1,
    /// The description of a file, whose bytes follow.
    File = 2,
    /// Bytes of the file.
    Data = 3,
    /// Batches of the log.
    Log = 4,
    /// The end of the set, and what can be said of it only then.
    End = 5,
}

impl BlockKind {
    fn of(code: u8) -> Option<BlockKind> {
        use BlockKind as K;
        [K::Header, K::File, K::Data, K::Log, K::End].into_iter().find(|kind| *kind as u8 == code)
    }
}

/// Writes blocks into a file.
pub(super) struct BlockWriter {
    out: Appender,
    start: u64,
    number: u64,
    packs: bool,
    packed: Vec<u8>,
}

impl BlockWriter {
    /// From this offset on, which is that of a whole page, of a file that was opened past the
    /// cache.
    pub fn new(env: &Env, file: Arc<dyn File>, offset: u64, packs: bool) -> BlockWriter {
        let out = Appender::new(env, file, offset);
        BlockWriter { out, start: offset, number: 0, packs, packed: Vec::new() }
    }

    /// Where the first block is.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The number of the next block.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Where the next block goes.
    pub fn offset(&self) -> u64 {
        self.out.position()
    }

    /// Adds a block. An error may be that of an earlier one.
    pub fn write(&mut self, kind: BlockKind, bytes: &[u8]) -> Result<()> {
        debug_assert!(bytes.len() <= BLOCK_MAX, "blocks have a bound");
        let (packing, stored) = match self.pack(kind, bytes) {
            Some(len) => (LZ4, &self.packed[..len]),
            None => (PLAIN, bytes),
        };
        let mut header = [0; BLOCK_HEADER];
        let mut put = |at: usize, field: &[u8]| header[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC.to_le_bytes());
        put(4, &[kind as u8, packing]);
        put(12, &(stored.len() as u32).to_le_bytes());
        put(16, &(bytes.len() as u32).to_le_bytes());
        put(24, &self.number.to_le_bytes());
        let checksum = checksum(&header, stored);
        header[8..12].copy_from_slice(&checksum.to_le_bytes());
        self.out.append(&header).map_err(BackupError::device)?;
        self.out.append(stored).map_err(BackupError::device)?;
        self.number += 1;
        Ok(())
    }

    /// Waits until all blocks are in the file, with zeros up to a whole page; they are not durable
    /// yet.
    pub fn finish(self) -> Result<()> {
        self.out.finish().map(drop).map_err(BackupError::device)
    }

    /// Packs the bytes, if that makes them fewer. Returns how many.
    fn pack(&mut self, kind: BlockKind, bytes: &[u8]) -> Option<usize> {
        if !self.packs || !matches!(kind, BlockKind::Data | BlockKind::Log) {
            return None;
        }
        self.packed.resize(lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
        let packed = lz4_flex::block::compress_into(bytes, &mut self.packed);
        packed.ok().filter(|len| *len < bytes.len())
    }
}

/// Over everything but the magic and the checksum itself.
fn checksum(header: &[u8; BLOCK_HEADER], stored: &[u8]) -> u32 {
    let own = crc32c::crc32c_append(crc32c::crc32c(&header[4..8]), &header[12..]);
    crc32c::crc32c_append(own, stored)
}

/// Reads the blocks of a set back.
pub(super) struct BlockReader {
    path: Arc<Path>,
    source: Source,
    offset: u64,
    end: u64,
    number: u64,
    stored: Vec<u8>,
    raw: Vec<u8>,
}

/// What is before a block's bytes.
struct Head {
    bytes: [u8; BLOCK_HEADER],
    stored: usize,
    raw: usize,
    checksum: u32,
}

/// How the bytes come.
enum Source {
    /// Each when it is asked for.
    Asked(Arc<dyn File>),
    /// All, one after the other.
    Ahead(Box<ReadAhead>),
}

impl BlockReader {
    /// For some of the blocks that lie in this part of a file.
    pub fn new(path: Arc<Path>, file: Arc<dyn File>, part: Range<u64>) -> BlockReader {
        BlockReader::of(path, Source::Asked(file), part)
    }

    /// For all of them, of a file that was opened past the cache.
    pub fn ahead(env: &Env, path: Arc<Path>, file: Arc<dyn File>, part: Range<u64>) -> BlockReader {
        let ahead = ReadAhead::new(env, file, part.clone());
        BlockReader::of(path, Source::Ahead(Box::new(ahead)), part)
    }

    fn of(path: Arc<Path>, source: Source, part: Range<u64>) -> BlockReader {
        let (stored, raw) = (Vec::new(), Vec::new());
        BlockReader { path, source, offset: part.start, end: part.end, number: 0, stored, raw }
    }

    /// Where the next block is.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes to the last block of the set, which is at this offset; the blocks come when they are
    /// asked for.
    pub fn skip_to_end(&mut self, offset: u64, number: u64) {
        debug_assert!(
            matches!(self.source, Source::Asked(_)),
            "what comes by itself cannot be skipped"
        );
        (self.offset, self.number) = (offset, number);
    }

    /// The message when the bytes at this offset make no sense.
    pub fn damaged(&self, offset: u64, what: &'static str) -> BackupError {
        BackupError::Damaged { file: self.path.clone(), offset, what }
    }

    /// The number of the next block within the set.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Goes over the next block without a look at its bytes, unless it is the last: then it stays
    /// the next one.
    pub fn skip(&mut self) -> Result<BlockKind> {
        debug_assert!(
            matches!(self.source, Source::Asked(_)),
            "what comes by itself cannot be skipped"
        );
        let head = self.head()?;
        let kind = self.kind_of(&head)?;
        if kind != BlockKind::End {
            self.offset += (BLOCK_HEADER + head.stored) as u64;
            self.number += 1;
        }
        Ok(kind)
    }

    /// The header of the next block, whose bytes are in the set's part of the file.
    fn head(&mut self) -> Result<Head> {
        let at = self.offset;
        let room = self.end.saturating_sub(at);
        if room < BLOCK_HEADER as u64 {
            return Err(self.damaged(at, "the backup set ends in the middle"));
        }
        let mut bytes = [0; BLOCK_HEADER];
        self.read(&mut bytes, at)?;
        let u32_at =
            |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let (magic, stored, raw) = (u32_at(0), u32_at(12) as usize, u32_at(16) as usize);
        if magic != MAGIC || stored > raw || raw > BLOCK_MAX {
            return Err(self.damaged(at, "there is no block"));
        }
        if room < (BLOCK_HEADER + stored) as u64 {
            return Err(self.damaged(at, "a block is longer than the backup set"));
        }
        Ok(Head { bytes, stored, raw, checksum: u32_at(8) })
    }

    /// The kind of the next block, if it is that of the number which is next.
    fn kind_of(&self, head: &Head) -> Result<BlockKind> {
        let number = u64::from_le_bytes(head.bytes[24..32].try_into().expect("eight bytes"));
        let kind = BlockKind::of(head.bytes[4]).filter(|_| number == self.number);
        kind.ok_or_else(|| self.damaged(self.offset, "a block is missing"))
    }

    /// The next block.
    pub fn next(&mut self) -> Result<(BlockKind, &[u8])> {
        let at = self.offset;
        let head = self.head()?;
        let (stored, raw) = (head.stored, head.raw);
        let mut bytes = std::mem::take(&mut self.stored);
        bytes.resize(stored, 0);
        let read = self.read(&mut bytes, at + BLOCK_HEADER as u64);
        self.stored = bytes;
        read?;
        if head.checksum != checksum(&head.bytes, &self.stored) {
            return Err(self.damaged(at, "a block's checksum is wrong"));
        }
        let kind = self.kind_of(&head)?;
        self.offset += (BLOCK_HEADER + stored) as u64;
        self.number += 1;
        match head.bytes[5] {
            PLAIN if stored == raw => Ok((kind, &self.stored)),
            LZ4 => {
                self.raw.resize(raw, 0);
                let unpacked = lz4_flex::block::decompress_into(&self.stored, &mut self.raw);
                match unpacked {
                    Ok(len) if len == raw => Ok((kind, &self.raw)),
                    _ => Err(self.damaged(at, "a block cannot be unpacked")),
                }
            }
            _ => Err(self.damaged(at, "a block is packed in an unknown way")),
        }
    }

    /// Fills the buffer with what is at this offset, which is after what was read before.
    fn read(&mut self, into: &mut [u8], offset: u64) -> Result<()> {
        let got = match &mut self.source {
            Source::Asked(file) => file.read_at(into, offset),
            Source::Ahead(ahead) => ahead.read(into),
        };
        match got.map_err(BackupError::device)? == into.len() {
            true => Ok(()),
            false => Err(self.damaged(offset, "the file is too short")),
        }
    }
}

//! Blocks: what a backup set is written and checked in.
//!
//! ```text
//!  0 magic u32         4 kind u8   5 packing u8   6 zero u16
//!  8 CRC-32C u32      12 stored u32
//! 16 raw u32          20 zero u32
//! 24 number u64       32 bytes, `stored` of them
//! ```
//!
//! The checksum covers everything behind it. Numbers count the blocks of a set from 0. `raw` is the length
//! of the bytes before they were packed, which is by LZ4 (1) or not at all (0).

use std::path::Path;
use std::sync::Arc;

use env::File;

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
    file: Arc<dyn File>,
    start: u64,
    offset: u64,
    number: u64,
    packs: bool,
    buffer: Vec<u8>,
}

impl BlockWriter {
    pub fn new(file: Arc<dyn File>, offset: u64, packs: bool) -> BlockWriter {
        BlockWriter { file, start: offset, offset, number: 0, packs, buffer: Vec::new() }
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
        self.offset
    }

    pub fn write(&mut self, kind: BlockKind, bytes: &[u8]) -> Result<()> {
        debug_assert!(bytes.len() <= BLOCK_MAX, "blocks have a bound");
        self.buffer.clear();
        self.buffer.resize(BLOCK_HEADER, 0);
        let packing = self.fill(kind, bytes);
        let stored = self.buffer.len() - BLOCK_HEADER;
        let mut put = |at: usize, field: &[u8]| {
            self.buffer[at..at + field.len()].copy_from_slice(field);
        };
        put(0, &MAGIC.to_le_bytes());
        put(4, &[kind as u8, packing]);
        put(12, &(stored as u32).to_le_bytes());
        put(16, &(bytes.len() as u32).to_le_bytes());
        put(24, &self.number.to_le_bytes());
        let checksum = checksum(&self.buffer);
        self.buffer[8..12].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all_at(&self.buffer, self.offset).map_err(BackupError::device)?;
        self.offset += self.buffer.len() as u64;
        self.number += 1;
        Ok(())
    }

    /// Adds the bytes to the buffer, packed if that makes them fewer; how.
    fn fill(&mut self, kind: BlockKind, bytes: &[u8]) -> u8 {
        if self.packs && matches!(kind, BlockKind::Data | BlockKind::Log) {
            let most = lz4_flex::block::get_maximum_output_size(bytes.len());
            self.buffer.resize(BLOCK_HEADER + most, 0);
            let packed = lz4_flex::block::compress_into(bytes, &mut self.buffer[BLOCK_HEADER..]);
            if let Ok(len) = packed
                && len < bytes.len()
            {
                self.buffer.truncate(BLOCK_HEADER + len);
                return LZ4;
            }
            self.buffer.truncate(BLOCK_HEADER);
        }
        self.buffer.extend_from_slice(bytes);
        PLAIN
    }
}

/// Over everything but the magic and the checksum itself.
fn checksum(block: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&block[4..8]), &block[12..])
}

/// Reads the blocks of a set back.
pub(super) struct BlockReader {
    path: Arc<Path>,
    file: Arc<dyn File>,
    offset: u64,
    end: u64,
    number: u64,
    stored: Vec<u8>,
    raw: Vec<u8>,
}

impl BlockReader {
    /// For the blocks that lie in this part of a file.
    pub fn new(path: Arc<Path>, file: Arc<dyn File>, (offset, end): (u64, u64)) -> BlockReader {
        let (stored, raw) = (Vec::new(), Vec::new());
        BlockReader { path, file, offset, end, number: 0, stored, raw }
    }

    /// Where the next block is.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Goes to the last block of the set, which is at this offset.
    pub fn skip_to_end(&mut self, offset: u64, number: u64) {
        (self.offset, self.number) = (offset, number);
    }

    /// What is said when the bytes at this offset make no sense.
    pub fn damaged(&self, offset: u64, what: &'static str) -> BackupError {
        BackupError::Damaged { file: self.path.clone(), offset, what }
    }

    /// The next block.
    pub fn next(&mut self) -> Result<(BlockKind, &[u8])> {
        let at = self.offset;
        let room = self.end.saturating_sub(at);
        if room < BLOCK_HEADER as u64 {
            return Err(self.damaged(at, "the backup set ends in the middle"));
        }
        self.stored.resize(BLOCK_HEADER, 0);
        self.read(0, at)?;
        let u32_at = |bytes: &[u8], at: usize| {
            u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
        };
        let (magic, stored) = (u32_at(&self.stored, 0), u32_at(&self.stored, 12) as usize);
        let raw = u32_at(&self.stored, 16) as usize;
        if magic != MAGIC || stored > raw || raw > BLOCK_MAX {
            return Err(self.damaged(at, "there is no block"));
        }
        if room < (BLOCK_HEADER + stored) as u64 {
            return Err(self.damaged(at, "a block is longer than the backup set"));
        }
        self.stored.resize(BLOCK_HEADER + stored, 0);
        self.read(BLOCK_HEADER, at + BLOCK_HEADER as u64)?;
        if u32_at(&self.stored, 8) != checksum(&self.stored) {
            return Err(self.damaged(at, "a block's checksum is wrong"));
        }
        let number = u64::from_le_bytes(self.stored[24..32].try_into().expect("eight bytes"));
        let kind = BlockKind::of(self.stored[4]).filter(|_| number == self.number);
        let Some(kind) = kind else {
            return Err(self.damaged(at, "a block is missing"));
        };
        self.offset += (BLOCK_HEADER + stored) as u64;
        self.number += 1;
        let bytes = &self.stored[BLOCK_HEADER..];
        match self.stored[5] {
            PLAIN if stored == raw => Ok((kind, &self.stored[BLOCK_HEADER..])),
            LZ4 => {
                self.raw.resize(raw, 0);
                let unpacked = lz4_flex::block::decompress_into(bytes, &mut self.raw);
                match unpacked {
                    Ok(len) if len == raw => Ok((kind, &self.raw)),
                    _ => Err(self.damaged(at, "a block cannot be unpacked")),
                }
            }
            _ => Err(self.damaged(at, "a block is packed in an unknown way")),
        }
    }

    fn read(&mut self, from: usize, offset: u64) -> Result<()> {
        let got = self.file.read_at(&mut self.stored[from..], offset);
        match got.map_err(BackupError::device)? == self.stored.len() - from {
            true => Ok(()),
            false => Err(self.damaged(offset, "the file is too short")),
        }
    }
}

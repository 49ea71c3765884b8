//! Data files: the rows that commits of a range of stamps have written.
//!
//! ```text
//! file     header, blocks, directory, trailer
//! header   magic u32 | version u16 | zero u16 | CRC-32C u32 | zero u32 | database u128 |
//!          file u64 | from u64 | zero, 16 bytes
//! block    magic u32 | CRC-32C u32 | storage u64 | layout u16 | zero u16 | rows u32 | length u32 |
//!          zero u32 | row*
//! row      stamp u64 | length u32 | row bytes
//! entry    offset u64 | length u32 | rows u32 | storage u64 | layout u16 | zero, 6 bytes
//! trailer  magic u32 | CRC-32C u32 | entries u64 | from u64 | to u64
//! ```
//!
//! All integers are little-endian. A block holds rows of one table, in the order of their stamps,
//! and so do the blocks of a table within a file. Every checksum covers what follows it: that of
//! the header the header, that of a block the block, that of the trailer also the directory before
//! it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use base::ids::{Lsn, StorageId};
use env::File;
use env::memory::{AlignedBytes, DIRECT_ALIGN, HUGE_PAGE};

use super::error::{CheckpointError, Result};
use super::manifest::CommitRange;
use super::names::FileId;
use super::objects::{NewObject, ObjectStore};

/// Bytes of a file's header.
pub(super) const FILE_HEADER: usize = 64;
const BLOCK_HEADER: usize = 32;
const ENTRY: usize = 32;
const TRAILER: usize = 32;
/// Bytes of a row before its own.
pub(super) const ROW_HEADER: usize = 12;

const FILE_MAGIC: u32 = u32::from_le_bytes(*b"TcCd");
const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"TcCb");
const TRAILER_MAGIC: u32 = u32::from_le_bytes(*b"TcCe");
const VERSION: u16 = 1;

/// Where a block lies, and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockInfo {
    /// Of the block's header in the file.
    pub offset: u64,
    /// Bytes of its rows.
    pub len: u32,
    /// Its rows.
    pub rows: u32,
    /// Their table.
    pub storage: StorageId,
    /// Their layout.
    pub layout: u16,
}

/// The rows of one table, on their way into a block.
#[derive(Debug)]
pub(super) struct BlockBuilder {
    layout: u16,
    rows: u32,
    bytes: Vec<u8>,
}

impl BlockBuilder {
    pub fn new(layout: u16) -> BlockBuilder {
        BlockBuilder { layout, rows: 0, bytes: vec![0; BLOCK_HEADER] }
    }

    /// Bytes of the rows.
    pub fn len(&self) -> usize {
        self.bytes.len() - BLOCK_HEADER
    }

    pub fn layout(&self) -> u16 {
        self.layout
    }

    pub fn push(&mut self, stamp: Lsn, row: &[u8]) {
        let len = u32::try_from(row.len()).expect("a row is shorter than 4 GB");
        self.bytes.extend_from_slice(&stamp.0.to_le_bytes());
        self.bytes.extend_from_slice(&len.to_le_bytes());
        self.bytes.extend_from_slice(row);
        self.rows += 1;
    }

    fn seal(&mut self, storage: StorageId) -> &[u8] {
        let len = u32::try_from(self.len()).expect("blocks are closed long before 4 GB");
        let mut put = |at: usize, field: &[u8]| {
            self.bytes[at..at + field.len()].copy_from_slice(field);
        };
        put(0, &BLOCK_MAGIC.to_le_bytes());
        put(8, &storage.0.to_le_bytes());
        put(16, &self.layout.to_le_bytes());
        put(20, &self.rows.to_le_bytes());
        put(24, &len.to_le_bytes());
        let checksum = crc32c::crc32c(&self.bytes[8..]);
        self.bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        &self.bytes
    }
}

/// A data file that is being written.
pub(super) struct DataWriter {
    id: FileId,
    from: Lsn,
    object: Box<dyn NewObject>,
    offset: u64,
    blocks: Vec<BlockInfo>,
}

/// The size of a data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    pub bytes: u64,
    pub rows: u64,
}

impl DataWriter {
    pub fn create(
        objects: &dyn ObjectStore,
        database: u128,
        id: FileId,
        from: Lsn,
    ) -> Result<DataWriter> {
        let mut object = objects.create(&id.data())?;
        object.append(&file_header(FILE_MAGIC, database, id, from))?;
        Ok(DataWriter { id, from, object, offset: FILE_HEADER as u64, blocks: Vec::new() })
    }

    pub fn id(&self) -> FileId {
        self.id
    }

    /// Bytes written so far.
    pub fn len(&self) -> u64 {
        self.offset
    }

    pub fn append(&mut self, storage: StorageId, block: &mut BlockBuilder) -> Result<()> {
        let (layout, rows, len) = (block.layout, block.rows, block.len() as u32);
        self.object.append(block.seal(storage))?;
        self.blocks.push(BlockInfo { offset: self.offset, len, rows, storage, layout });
        self.offset += (BLOCK_HEADER + len as usize) as u64;
        Ok(())
    }

    /// Closes the file, whose commits have stamps below `to`, and makes it durable.
    pub fn finish(mut self, to: Lsn) -> Result<Written> {
        let mut tail = Vec::with_capacity(self.blocks.len() * ENTRY + TRAILER);
        for block in &self.blocks {
            tail.extend_from_slice(&block.offset.to_le_bytes());
            tail.extend_from_slice(&block.len.to_le_bytes());
            tail.extend_from_slice(&block.rows.to_le_bytes());
            tail.extend_from_slice(&block.storage.0.to_le_bytes());
            tail.extend_from_slice(&u64::from(block.layout).to_le_bytes());
        }
        let mut trailer = [0; TRAILER];
        trailer[..4].copy_from_slice(&TRAILER_MAGIC.to_le_bytes());
        trailer[8..16].copy_from_slice(&(self.blocks.len() as u64).to_le_bytes());
        trailer[16..24].copy_from_slice(&self.from.0.to_le_bytes());
        trailer[24..].copy_from_slice(&to.0.to_le_bytes());
        let checksum = crc32c::crc32c_append(crc32c::crc32c(&tail), &trailer[8..]);
        trailer[4..8].copy_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(&trailer);
        self.object.append(&tail)?;
        self.object.finish()?;
        let rows = self.blocks.iter().map(|block| u64::from(block.rows)).sum();
        Ok(Written { bytes: self.offset + tail.len() as u64, rows })
    }
}

/// The header of a data or delta file.
pub(super) fn file_header(magic: u32, database: u128, id: FileId, from: Lsn) -> [u8; FILE_HEADER] {
    let mut header = [0; FILE_HEADER];
    let mut put = |at: usize, field: &[u8]| header[at..at + field.len()].copy_from_slice(field);
    put(0, &magic.to_le_bytes());
    put(4, &VERSION.to_le_bytes());
    put(16, &database.to_le_bytes());
    put(32, &id.0.to_le_bytes());
    put(40, &from.0.to_le_bytes());
    let checksum = crc32c::crc32c(&header[16..]);
    header[8..12].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Makes a data or delta file, of which these are the first bytes, another database's; `false` if
/// that is not what they are.
pub(crate) fn adopt(bytes: &mut [u8], database: u128) -> bool {
    let Some(header) = bytes.first_chunk_mut::<FILE_HEADER>() else { return false };
    if u32_at(header, 8) != crc32c::crc32c(&header[16..]) {
        return false;
    }
    header[16..32].copy_from_slice(&database.to_le_bytes());
    let checksum = crc32c::crc32c(&header[16..]);
    header[8..12].copy_from_slice(&checksum.to_le_bytes());
    true
}

/// Checks the header of a data or delta file; the start of its range.
pub(super) fn check_header(
    file: &Arc<Path>,
    header: &[u8; FILE_HEADER],
    magic: u32,
    database: u128,
    id: FileId,
) -> Result<Lsn> {
    let damaged =
        |what| Err(CheckpointError::Damaged { file: file.clone(), offset: 0, range: None, what });
    if u32_at(header, 0) != magic {
        return damaged("this is no such file");
    }
    let version = u16::from_le_bytes([header[4], header[5]]);
    if version != VERSION {
        return Err(CheckpointError::UnknownVersion { file: file.clone(), version });
    }
    if u32_at(header, 8) != crc32c::crc32c(&header[16..]) {
        return damaged("the header's checksum is wrong");
    }
    // The checksum does not cover what is in front of it and after it.
    if header[6..8] != [0; 2] || header[12..16] != [0; 4] {
        return damaged("unused bytes of the header are set");
    }
    let owner = u128::from_le_bytes(header[16..32].try_into().expect("sixteen bytes"));
    if owner != database {
        return Err(CheckpointError::ForeignDatabase(file.clone()));
    }
    if u64_at(header, 32) != id.0 {
        return damaged("the file has another file's name");
    }
    Ok(Lsn(u64_at(header, 40)))
}

/// A data file that is read.
pub(super) struct DataFile {
    path: Arc<Path>,
    file: Arc<dyn File>,
    /// The file past the system's cache: for blocks, of which each is read once.
    direct: Arc<dyn File>,
    range: CommitRange,
    blocks: Vec<BlockInfo>,
}

/// Where one block after the other is read to, with what is around it in the same pages of the
/// file.
#[derive(Default)]
pub(super) struct BlockBuffer(Option<AlignedBytes>);

impl BlockBuffer {
    /// `len` bytes with any content.
    fn take(&mut self, len: usize) -> &mut [u8] {
        let is_short = self.0.as_ref().is_none_or(|bytes| bytes.len() < len);
        if is_short {
            let len = len.next_multiple_of(HUGE_PAGE);
            self.0 = Some(AlignedBytes::for_long_reads(1, len).remove(0));
        }
        &mut self.0.as_mut().expect("made above")[..len]
    }

    /// What was read.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl DataFile {
    /// Opens a file, which covers these commits, and reads its directory.
    pub fn open(
        objects: &dyn ObjectStore,
        database: u128,
        id: FileId,
        range: CommitRange,
    ) -> Result<DataFile> {
        let name = id.data();
        let path: Arc<Path> = objects.path(&name).into();
        let (file, direct) = (objects.open(&name)?, objects.open_direct(&name)?);
        let mut opened = DataFile { path, file, direct, range, blocks: Vec::new() };
        let mut header = [0; FILE_HEADER];
        opened.read(&mut header, 0)?;
        let from = check_header(&opened.path, &header, FILE_MAGIC, database, id)
            .map_err(|error| error.within(range))?;
        if from != range.from {
            return Err(opened.damaged(40, "the file begins elsewhere"));
        }
        opened.read_directory()?;
        Ok(opened)
    }

    /// What the blocks hold, in the order of the file.
    pub fn blocks(&self) -> &[BlockInfo] {
        &self.blocks
    }

    fn read_directory(&mut self) -> Result<()> {
        let len = self.file.len()?;
        let end = len.checked_sub(TRAILER as u64).filter(|end| *end >= FILE_HEADER as u64);
        let end = end.ok_or_else(|| self.damaged(len, "the file has no end"))?;
        let mut trailer = [0; TRAILER];
        self.read(&mut trailer, end)?;
        if u32_at(&trailer, 0) != TRAILER_MAGIC {
            return Err(self.damaged(end, "the file has no end"));
        }
        let room = (end - FILE_HEADER as u64) / ENTRY as u64;
        let count = u64_at(&trailer, 8);
        if count > room {
            return Err(self.damaged(end, "the directory is longer than the file"));
        }
        let start = end - count * ENTRY as u64;
        let mut directory = vec![0; count as usize * ENTRY];
        self.read(&mut directory, start)?;
        let checksum = crc32c::crc32c_append(crc32c::crc32c(&directory), &trailer[8..]);
        if checksum != u32_at(&trailer, 4) {
            return Err(self.damaged(start, "the directory's checksum is wrong"));
        }
        let range = CommitRange { from: Lsn(u64_at(&trailer, 16)), to: Lsn(u64_at(&trailer, 24)) };
        if range != self.range {
            return Err(self.damaged(end, "the file covers other commits"));
        }
        let block = |entry: &[u8]| BlockInfo {
            offset: u64_at(entry, 0),
            len: u32_at(entry, 8),
            rows: u32_at(entry, 12),
            storage: StorageId(u64_at(entry, 16)),
            layout: u64_at(entry, 24) as u16,
        };
        self.blocks = directory.chunks_exact(ENTRY).map(block).collect();
        Ok(())
    }

    /// Reads a block into `buffer`; where its rows are in there.
    pub fn read_block(&self, block: &BlockInfo, buffer: &mut BlockBuffer) -> Result<Range<usize>> {
        let start = (block.offset % DIRECT_ALIGN as u64) as usize;
        let end = start + BLOCK_HEADER + block.len as usize;
        let pages = buffer.take(end.next_multiple_of(DIRECT_ALIGN));
        if self.direct.read_at(pages, block.offset - start as u64)? < end {
            return Err(self.damaged(block.offset, "the file is too short"));
        }
        let bytes = &pages[start..end];
        let sound = u32_at(bytes, 0) == BLOCK_MAGIC
            && u32_at(bytes, 4) == crc32c::crc32c(&bytes[8..])
            && u64_at(bytes, 8) == block.storage.0
            && u32_at(bytes, 20) == block.rows
            && u32_at(bytes, 24) == block.len;
        match sound {
            true => Ok(start + BLOCK_HEADER..end),
            false => Err(self.damaged(block.offset, "a block's checksum is wrong")),
        }
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        match self.file.read_at(buffer, offset)? == buffer.len() {
            true => Ok(()),
            false => Err(self.damaged(offset, "the file is too short")),
        }
    }

    /// The message when something in the file makes no sense.
    pub fn damaged(&self, offset: u64, what: &'static str) -> CheckpointError {
        let (file, range) = (self.path.clone(), Some(self.range));
        CheckpointError::Damaged { file, offset, range, what }
    }
}

/// Goes through the rows of a block.
pub(super) struct Rows<'a>(pub &'a [u8]);

impl<'a> Rows<'a> {
    /// The next row with its stamp; `Some(None)` if the bytes make no sense.
    pub fn next(&mut self) -> Option<Option<(Lsn, &'a [u8])>> {
        if self.0.is_empty() {
            return None;
        }
        let row = || {
            let (head, rest) = self.0.split_first_chunk::<ROW_HEADER>()?;
            let len = u32_at(head, 8) as usize;
            let (row, rest) = rest.split_at_checked(len)?;
            Some((Lsn(u64_at(head, 0)), row, rest))
        };
        Some(row().map(|(stamp, row, rest)| {
            self.0 = rest;
            (stamp, row)
        }))
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

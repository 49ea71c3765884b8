//! The root: what a checkpoint writes last, and from which all its pages are reached.
//!
//! ```text
//! magic: u64 | version: u32 | length: u32 | checksum: u32 | 0: u32
//!   | database: u128 | sequence: u64
//! | next stamp: u64 | end of page numbers: u64 | files: u32 | info: u32 | directory: u32 | 0: u32
//! | (file: u32, pages: u32)* | directory word* | info
//! ```
//!
//! Two slots of an extent each hold the last two roots; the one with the greater sequence number is
//! current. A slot is overwritten only when the other holds a root that is known to be durable.

use super::place::{DiskWord, Place};

/// The most bytes that a slot takes.
pub const ROOT_BYTES_MAX: usize = 64 << 10;
/// The most bytes of info that a caller may keep with a checkpoint.
pub const INFO_BYTES_MAX: usize = 4096;
/// The most directory pages that a root can name.
pub const DIRECTORY_MAX: usize = 4096;
/// The version of the files' format that this program writes.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: u64 = u64::from_le_bytes(*b"TCROOT\0\x01");
const FIXED_BYTES: usize = 80;

/// A file of a database, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileLength {
    /// The file.
    pub id: u8,
    /// Its length in pages.
    pub pages: u32,
}

/// A durable state of a database's pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The database.
    pub database: u128,
    /// Greater than that of any root before.
    pub sequence: u64,
    /// No image that this root can reach has this stamp or a greater one.
    pub next_stamp: u64,
    /// No page has this number or a greater one.
    pub numbers_end: u64,
    /// The files.
    pub files: Vec<FileLength>,
    /// Where the directory's pages are; `None` for those that were never written.
    pub directory: Vec<Option<DiskWord>>,
    /// The info that the caller keeps with the checkpoint.
    pub info: Vec<u8>,
}

/// Why bytes are not a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotRoot {
    /// Empty, torn or corrupted.
    Damaged,
    /// It has a later format version.
    UnknownVersion(u32),
}

impl Root {
    /// Encodes the root as it is written.
    pub fn encode(&self) -> Vec<u8> {
        assert!(self.info.len() <= INFO_BYTES_MAX && self.directory.len() <= DIRECTORY_MAX);
        let mut out = Vec::new();
        out.extend(MAGIC.to_le_bytes());
        out.extend(FORMAT_VERSION.to_le_bytes());
        out.extend([0; 12]); // length and checksum come last
        out.extend(self.database.to_le_bytes());
        for value in [self.sequence, self.next_stamp, self.numbers_end] {
            out.extend(value.to_le_bytes());
        }
        for count in [self.files.len(), self.info.len(), self.directory.len(), 0] {
            out.extend((count as u32).to_le_bytes());
        }
        debug_assert_eq!(out.len(), FIXED_BYTES);
        for &FileLength { id, pages } in &self.files {
            out.extend(u32::from(id).to_le_bytes());
            out.extend(pages.to_le_bytes());
        }
        for word in &self.directory {
            out.extend(word.map_or(0, DiskWord::to_bits).to_le_bytes());
        }
        out.extend(&self.info);
        assert!(out.len() <= ROOT_BYTES_MAX, "a root fits its slot");
        let length = out.len() as u32;
        out[12..16].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32c::crc32c(&out);
        out[16..20].copy_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Decodes a root from what was read from a slot.
    pub fn decode(bytes: &[u8]) -> Result<Root, NotRoot> {
        let mut reader = RootBytes(bytes);
        let (magic, version) = (reader.u64()?, reader.u32()?);
        let length = reader.u32()? as usize;
        if magic != MAGIC || length < FIXED_BYTES || length > bytes.len() {
            return Err(NotRoot::Damaged);
        }
        let mut whole = bytes[..length].to_vec();
        whole[16..20].fill(0);
        if reader.u32()? != crc32c::crc32c(&whole) {
            return Err(NotRoot::Damaged);
        }
        if version != FORMAT_VERSION {
            return Err(NotRoot::UnknownVersion(version));
        }
        reader.u32()?;
        let database = u128::from_le_bytes(reader.take()?);
        let (sequence, next_stamp, numbers_end) = (reader.u64()?, reader.u64()?, reader.u64()?);
        let (files, info, directory) = (reader.u32()?, reader.u32()?, reader.u32()?);
        reader.u32()?;
        let files = (0..files)
            .map(|_| {
                let id = u8::try_from(reader.u32()?).map_err(|_| NotRoot::Damaged)?;
                Ok(FileLength { id, pages: reader.u32()? })
            })
            .collect::<Result<_, NotRoot>>()?;
        let directory = (0..directory)
            .map(|_| Ok(DiskWord::from_bits(reader.u64()?)))
            .collect::<Result<_, NotRoot>>()?;
        let info = reader.0.get(..info as usize).ok_or(NotRoot::Damaged)?.to_vec();
        Ok(Root { database, sequence, next_stamp, numbers_end, files, directory, info })
    }
}

/// The bytes that are left to be decoded.
struct RootBytes<'a>(&'a [u8]);

impl RootBytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], NotRoot> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(NotRoot::Damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, NotRoot> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, NotRoot> {
        self.take().map(u64::from_le_bytes)
    }
}

/// What the checkpoint knows of the durable root.
#[derive(Debug)]
pub(super) struct CheckpointState {
    /// The sequence number of the last root that was written or tried.
    pub sequence: u64,
    /// Which slot holds the durable root.
    pub slot: usize,
    /// Where the map pages are, by chunk.
    pub chunks: Vec<Option<DiskWord>>,
    /// Where the directory pages are.
    pub directory: Vec<Option<DiskWord>>,
    /// Places of map and directory pages of checkpoints that failed. A root that may have reached
    /// the disk names them, so they are free only when the next one is durable.
    pub orphans: Vec<Place>,
    /// Whether there is a capture that has not been written or dropped.
    pub captured: bool,
    /// How many copies of a durable root are being read, and the places that would be free without
    /// them (K4).
    pub pins: usize,
    pub held: Vec<Place>,
}

impl CheckpointState {
    /// The state of a store whose durable root is this one, in this slot.
    pub fn new(root: &Root, slot: usize) -> CheckpointState {
        CheckpointState {
            sequence: root.sequence,
            slot,
            chunks: Vec::new(),
            directory: root.directory.clone(),
            orphans: Vec::new(),
            captured: false,
            pins: 0,
            held: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;

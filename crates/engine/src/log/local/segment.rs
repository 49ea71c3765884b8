//! One segment file: its name, its header, and how it is made.
//!
//! ```text
//!  0 magic u32       4 version u16  6 state u16  8 CRC-32C u32  12 collations u32
//! 16 database u128  32 number u64  40 size u64  48 salt u64
//! 56 first u64      64 epoch u64   72 written u64
//! ```
//!
//! The header has the first page of the file and lies within one sector, which the disk writes
//! whole. Batches follow from the second page on.
//!
//! `collations` is the version of the collations' data by which the database's keys are made
//! ([`base::collation::rules::DATA_VERSION`]), or 0 in files from before there was any. Keys of
//! another version would be in another order, so such a database is not opened.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::collation::rules::DATA_VERSION;
use base::ids::Lsn;
use env::{Env, File, FileError, OpKind, OpenMode};

use crate::log::batch::BATCH_ALIGN;
use crate::log::error::LogError;

/// Bytes before the first batch.
pub const FIRST_BATCH: u64 = BATCH_ALIGN as u64;
/// The extension of a segment's file.
const SEGMENT: &str = "tlog";
/// The extension of a file that is being made into a segment.
const NEW: &str = "new";
/// The extension of a file that was a segment and may become one again.
pub const SPARE: &str = "spare";

const MAGIC: u32 = u32::from_le_bytes(*b"TcLs");
const VERSION: u16 = 2;
const HEADER: usize = 80;
/// Bytes of zeros that are written at once.
const ZEROS: u64 = 1 << 20;
/// Bytes of zeros after which they are synced, so that no commit's sync has to wait for many.
const SYNC_EVERY: u64 = 4 << 20;

/// What is known of a segment file.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Segments are numbered from 1.
    pub number: u64,
    /// Bytes of the file.
    pub size: u64,
    /// The random number in its batches.
    pub salt: u64,
    /// `end` of the batch before its first one; 0 while prepared.
    pub first: Lsn,
    /// The file.
    pub path: Arc<Path>,
}

/// Whether a segment is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum State {
    /// It holds no batches yet.
    Prepared = 1,
    /// It holds batches, or is about to.
    Active = 2,
}

/// What a segment says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegmentHeader {
    pub state: State,
    pub database: u128,
    pub number: u64,
    pub size: u64,
    pub salt: u64,
    pub first: Lsn,
    pub epoch: u64,
    pub written_ticks: u64,
}

impl SegmentHeader {
    /// The header's page.
    pub fn encode(&self) -> [u8; BATCH_ALIGN] {
        let mut page = [0; BATCH_ALIGN];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC.to_le_bytes());
        put(4, &VERSION.to_le_bytes());
        put(6, &(self.state as u16).to_le_bytes());
        put(12, &DATA_VERSION.to_le_bytes());
        put(16, &self.database.to_le_bytes());
        put(32, &self.number.to_le_bytes());
        put(40, &self.size.to_le_bytes());
        put(48, &self.salt.to_le_bytes());
        put(56, &self.first.0.to_le_bytes());
        put(64, &self.epoch.to_le_bytes());
        put(72, &self.written_ticks.to_le_bytes());
        let checksum = checksum(&page);
        page[8..12].copy_from_slice(&checksum.to_le_bytes());
        page
    }

    /// The header in this page.
    fn decode(page: &[u8; BATCH_ALIGN]) -> Result<SegmentHeader, BadHeader> {
        let u16_at = |at| u16::from_le_bytes(field(page, at));
        let u64_at = |at| u64::from_le_bytes(field(page, at));
        if u32::from_le_bytes(field(page, 0)) != MAGIC {
            return Err(BadHeader::Damaged("this is no log segment"));
        }
        if u32::from_le_bytes(field(page, 8)) != checksum(page) {
            return Err(BadHeader::Damaged("the segment header's checksum is wrong"));
        }
        match u16_at(4) {
            VERSION => {}
            version => return Err(BadHeader::UnknownVersion(version)),
        }
        match u32::from_le_bytes(field(page, 12)) {
            0 | DATA_VERSION => {}
            version => return Err(BadHeader::OtherCollations(version)),
        }
        let state = match u16_at(6) {
            1 => State::Prepared,
            2 => State::Active,
            _ => return Err(BadHeader::Damaged("the segment's state is unknown")),
        };
        Ok(SegmentHeader {
            state,
            database: u128::from_le_bytes(field(page, 16)),
            number: u64_at(32),
            size: u64_at(40),
            salt: u64_at(48),
            first: Lsn(u64_at(56)),
            epoch: u64_at(64),
            written_ticks: u64_at(72),
        })
    }

    fn segment(&self, path: PathBuf) -> Segment {
        let SegmentHeader { number, size, salt, first, .. } = *self;
        Segment { number, size, salt, first, path: path.into() }
    }
}

enum BadHeader {
    Damaged(&'static str),
    UnknownVersion(u16),
    OtherCollations(u32),
}

/// Over the header without the checksum itself.
fn checksum(page: &[u8; BATCH_ALIGN]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&page[..8]), &page[12..HEADER])
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("a slice of N bytes")
}

/// The name of the segment of this number.
pub fn name(number: u64) -> String {
    format!("{number:08}.{SEGMENT}")
}

/// The number of the segment of this name.
pub fn number_of(name: &OsStr) -> Option<u64> {
    let number = name.to_str()?.strip_suffix(SEGMENT)?.strip_suffix('.')?;
    number.parse().ok().filter(|_| number.len() >= 8)
}

/// Whether this is what a crash left of making or giving up a segment.
pub fn is_leftover(name: &OsStr) -> bool {
    let path = Path::new(name);
    let ours = path.extension().is_some_and(|extension| extension == NEW || extension == SPARE);
    ours && number_of(path.with_extension(SEGMENT).as_os_str()).is_some()
}

/// Makes a segment: zeros, header, sync, name, sync. `None` if cancelled in the middle.
pub fn make(
    env: &Env,
    dir: &Path,
    header: &SegmentHeader,
    cancelled: &dyn Fn() -> bool,
) -> Result<Option<Segment>, LogError> {
    let new = dir.join(name(header.number)).with_extension(NEW);
    if env.fs().free_space(dir)? < header.size {
        // Found out before the last bytes of the disk are taken from other files.
        return Err(FileError::new(OpKind::Write, &new, ErrorKind::StorageFull.into()).into());
    }
    let file = env.fs().open(&new, OpenMode::Create)?;
    let made = fill_with_zeros(&*file, header.size, cancelled).and_then(|filled| {
        if filled {
            file.write_all_at(&header.encode(), 0)?;
            file.sync_all()?;
        }
        Ok(filled)
    });
    drop(file);
    if !matches!(made, Ok(true)) {
        // Nothing rests on the removal: what stays is removed at the next start.
        let _ = env.fs().remove_file(&new);
        return Ok(made.map(|_| None)?);
    }
    give_name(env, dir, &new, header).map(Some)
}

/// Makes a segment of a spare file of the same size, whose old batches the new salt disowns.
pub fn remake(
    env: &Env,
    dir: &Path,
    spare: &Path,
    header: &SegmentHeader,
) -> Result<Segment, LogError> {
    let file = env.fs().open(spare, OpenMode::Write)?;
    file.write_all_at(&header.encode(), 0)?;
    file.sync_all()?;
    give_name(env, dir, spare, header)
}

fn give_name(
    env: &Env,
    dir: &Path,
    from: &Path,
    header: &SegmentHeader,
) -> Result<Segment, LogError> {
    let path = dir.join(name(header.number));
    env.fs().rename(from, &path)?;
    env.fs().sync_dir(dir)?;
    Ok(header.segment(path))
}

fn fill_with_zeros(
    file: &dyn File,
    size: u64,
    cancelled: &dyn Fn() -> bool,
) -> env::FileResult<bool> {
    let mut offset = 0;
    while offset < size {
        if cancelled() {
            return Ok(false);
        }
        let len = (size - offset).min(ZEROS);
        file.write_zeros_at(len as usize, offset)?;
        offset += len;
        if offset % SYNC_EVERY == 0 && offset < size {
            file.sync_data()?;
        }
    }
    Ok(true)
}

/// The segment of this number, as its file says.
pub fn open(
    env: &Env,
    dir: &Path,
    database: u128,
    number: u64,
) -> Result<(Segment, State), LogError> {
    let path = dir.join(name(number));
    let file = env.fs().open(&path, OpenMode::Read)?;
    let damaged = |offset, what| LogError::Damaged { file: path.clone().into(), offset, what };
    let mut page = [0; BATCH_ALIGN];
    if file.read_at(&mut page, 0)? < page.len() {
        return Err(damaged(0, "the segment has no header"));
    }
    let header = SegmentHeader::decode(&page).map_err(|bad| match bad {
        BadHeader::Damaged(what) => damaged(0, what),
        BadHeader::UnknownVersion(version) => {
            LogError::UnknownVersion { file: path.clone().into(), version }
        }
        BadHeader::OtherCollations(version) => {
            LogError::OtherCollations { file: path.clone().into(), version }
        }
    })?;
    if header.database != database {
        return Err(LogError::ForeignDatabase { file: path.into() });
    }
    if header.number != number {
        return Err(damaged(32, "the segment has another segment's name"));
    }
    let len = file.len()?;
    if len != header.size {
        return Err(damaged(len.min(header.size), "the segment's length has changed"));
    }
    let state = header.state;
    Ok((header.segment(path), state))
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

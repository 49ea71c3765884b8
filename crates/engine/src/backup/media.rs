//! Backup files ("media"): several sets one after another, and a directory of those that are whole.
//!
//! ```text
//! header      one page: magic, 8 bytes | version u16 | zero u16 | CRC-32C u32 | description
//! directory   twice, 16 KB each:
//!             magic u32 | CRC-32C u32 | generation u64 | end u64 | count u64 | entry*
//! entry       offset u64 | length u64 | last block u64 | its number u64
//! sets        blocks; each begins at a whole page
//! ```
//!
//! Of the two directories the whole one of the higher generation counts. When a set has been
//! written and synced, the other one is written with one entry more, and synced: so a set counts
//! when it is whole, and what is left of one that was begun goes before the next is written. A new
//! file is written under another name, and gets its own when its first set is whole; then it takes
//! the place of what was there.
//!
//! # A directory that is damaged
//!
//! If only one of the two is whole, the other may have been newer: it was damaged, or the server
//! crashed while it was written. In both cases its additional set was whole and synced before. So
//! sets are looked for after the end of the one that is whole ([`Media::find_unlisted`]), and count
//! as if they were listed; the next directory is written in the place of the damaged one. A set
//! that was begun and not finished does not make a directory damaged, and differs from these by its
//! missing end. Where a set begins after the end, has none, and no whole one is before it, it is
//! unknown whether it ever counted: then nothing is added to the file.
//!
//! Checksums cover everything after them, in the page or in what is used of the directory.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use env::{Env, File, FileError, FileResult, OpKind, OpenMode};

use super::block::{BlockKind, BlockReader, BlockWriter};
use super::error::{BackupError, Result};
use super::fields::{Reader, Writer};
use super::set::{BackupSet, SetEnd, SetHeader};

const MAGIC: &[u8; 8] = b"TcBackup";
/// What files of SQL Server's begin with.
const SQL_SERVER: [&[u8]; 2] = [b"TAPE", b"MSSQLBAK"];
const VERSION: u16 = 1;
const PAGE: usize = 4096;
const DIRECTORY_MAGIC: u32 = u32::from_le_bytes(*b"TcKd");
const DIRECTORY: usize = 16 << 10;
const DIRECTORY_HEADER: usize = 32;
const ENTRY: usize = 32;
/// Where the first set begins.
const SETS: u64 = (PAGE + 2 * DIRECTORY) as u64;
/// Sets that fit the directory.
const SETS_MAX: usize = (DIRECTORY - DIRECTORY_HEADER) / ENTRY;
/// Ends the name of a file whose first set is being written.
const PARTIAL: &str = ".partial";

/// What a file says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediaHeader {
    /// Its name for ever.
    pub guid: u128,
    /// When it was begun, in UTC ticks of 100 ns since 0001-01-01.
    pub created_ticks: u64,
    /// `MEDIANAME`.
    pub name: Option<Box<str>>,
    /// `MEDIADESCRIPTION`.
    pub description: Option<Box<str>>,
}

/// Where a set is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    offset: u64,
    len: u64,
    /// Its last block: where, and its number.
    last: u64,
    number: u64,
}

/// The directory of a file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Directory {
    generation: u64,
    sets: Vec<Place>,
}

/// A backup file.
pub struct Media {
    env: Env,
    path: Arc<Path>,
    file: Arc<dyn File>,
    /// The file past the system's cache: for the blocks of sets.
    direct: Arc<dyn File>,
    /// What it says of itself.
    pub header: MediaHeader,
    directory: Directory,
    /// It has its own name only when its first set is whole.
    partial: Option<PathBuf>,
}

impl Media {
    /// Opens an existing file, to add to it or only to read it.
    pub fn open(env: &Env, path: &Path, mode: OpenMode) -> Result<Media> {
        let file = env.fs().open_named(path, mode).map_err(BackupError::device)?;
        let path: Arc<Path> = path.into();
        let header = read_header(&path, &*file)?;
        let mut newest: Option<Directory> = None;
        let mut other_is_damaged = false;
        for place in [0, 1] {
            match read_directory(&*file, place).map_err(BackupError::device)? {
                Slot::Whole(directory) => {
                    let is_newer = |newest: &Directory| newest.generation < directory.generation;
                    if newest.as_ref().is_none_or(is_newer) {
                        newest = Some(directory);
                    }
                }
                Slot::Unwritten => {}
                Slot::Damaged => other_is_damaged = true,
            }
        }
        let what = "there is no whole directory";
        let offset = PAGE as u64;
        let damaged = || BackupError::Damaged { file: path.clone(), offset, what };
        let directory = newest.ok_or_else(damaged)?;
        let direct = env.fs().open_named_direct(&path, mode).map_err(BackupError::device)?;
        let mut media =
            Media { env: env.clone(), path, file, direct, header, directory, partial: None };
        if other_is_damaged {
            media.find_unlisted(mode != OpenMode::Read)?;
        }
        Ok(media)
    }

    /// Adds the whole sets after the end of the directory, whose newer copy may be damaged. Error
    /// if `adds` is set and a set begins there that may have been in it, but is not whole.
    fn find_unlisted(&mut self, adds: bool) -> Result<()> {
        let len = self.file.len().map_err(BackupError::device)?;
        let mut found = false;
        while self.directory.sets.len() < SETS_MAX {
            let start = self.next_set();
            let mut blocks = BlockReader::new(self.path.clone(), self.file.clone(), start..len);
            let begins = match blocks.next() {
                Ok((BlockKind::Header, bytes)) => SetHeader::decode(bytes).is_some(),
                Ok(_) | Err(BackupError::Damaged { .. }) => false,
                Err(error) => return Err(error),
            };
            if !begins {
                break;
            }
            match find_end(&mut blocks, start) {
                Ok(place) => self.directory.sets.push(place),
                // What is after a set that no directory has was never in one itself.
                Err(BackupError::Damaged { .. }) if found || !adds => break,
                Err(error) => return Err(error),
            }
            found = true;
        }
        Ok(())
    }

    /// Begins a new file in the place of what may be there, which stays until the first set is
    /// whole.
    pub fn create(env: &Env, path: &Path, header: MediaHeader) -> Result<Media> {
        let mut name = path.as_os_str().to_owned();
        name.push(PARTIAL);
        let partial = PathBuf::from(name);
        let create = || {
            remove_left(env, &partial)?;
            let file = env.fs().open_named(&partial, OpenMode::CreateNew)?;
            file.write_all_at(&encode_header(&header), 0)?;
            file.write_all_at(&[0; 2 * DIRECTORY], PAGE as u64)?;
            Ok((file, env.fs().open_named_direct(&partial, OpenMode::Write)?))
        };
        let (file, direct) = create().map_err(BackupError::device)?;
        let directory = Directory::default();
        let (env, path) = (env.clone(), path.into());
        Ok(Media { env, path, file, direct, header, directory, partial: Some(partial) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many sets there are.
    pub fn count(&self) -> usize {
        self.directory.sets.len()
    }

    /// What the set of this number, counted from 1, says of itself.
    pub fn set(&self, number: usize) -> Result<BackupSet> {
        let place = self.place(number)?;
        let part = place.offset..place.offset + place.len;
        let mut blocks = BlockReader::new(self.path.clone(), self.file.clone(), part);
        let header = match blocks.next()? {
            (BlockKind::Header, bytes) => SetHeader::decode(bytes),
            _ => None,
        };
        let header = header
            .ok_or_else(|| blocks.damaged(place.offset, "the beginning of a set makes no sense"))?;
        blocks.skip_to_end(place.last, place.number);
        let end = match blocks.next()? {
            (BlockKind::End, bytes) => SetEnd::decode(bytes),
            _ => None,
        };
        let end =
            end.ok_or_else(|| blocks.damaged(place.last, "the end of a set makes no sense"))?;
        Ok(BackupSet { number, header, end })
    }

    /// Error if a set is to be kept beyond this time: UTC ticks of 100 ns since 0001-01-01. One
    /// that is damaged is not.
    pub fn check_expired(&self, now_ticks: u64) -> Result<()> {
        let mut last: Option<(u64, i32)> = None;
        for number in 1..=self.count() {
            let header = match self.set(number) {
                Ok(set) => set.header,
                Err(BackupError::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            let expires = header.expires_ticks.filter(|expires| *expires > now_ticks);
            last = last.max(expires.map(|expires| (expires, header.offset_minutes)));
        }
        last.map_or(Ok(()), |(ticks, offset)| Err(BackupError::NotExpired(ticks, offset)))
    }

    /// The blocks of the set of this number after the first, which describes it.
    pub(super) fn read(&self, number: usize) -> Result<BlockReader> {
        let Place { offset, len, .. } = self.place(number)?;
        let (path, file) = (self.path.clone(), self.direct.clone());
        let mut blocks = BlockReader::ahead(&self.env, path, file, offset..offset + len);
        blocks.next()?;
        Ok(blocks)
    }

    fn place(&self, number: usize) -> Result<Place> {
        let place = number.checked_sub(1).and_then(|at| self.directory.sets.get(at)).copied();
        place.ok_or_else(|| BackupError::NoSuchSet(self.path.clone(), number))
    }

    /// Begins a set after the others.
    pub(super) fn begin_set(&self, packs: bool) -> Result<BlockWriter> {
        if self.directory.sets.len() == SETS_MAX {
            return Err(BackupError::MediaFull(self.path.clone()));
        }
        let start = self.next_set();
        // So that blocks of two sets never look like those of one.
        let cut = || match self.file.len()? > start {
            true => self.file.set_len(start).and_then(|()| self.file.sync_all()),
            false => Ok(()),
        };
        cut().map_err(BackupError::device)?;
        Ok(BlockWriter::new(&self.env, self.direct.clone(), start, packs))
    }

    /// Where the next set begins: at a whole page.
    fn next_set(&self) -> u64 {
        self.directory.end().next_multiple_of(PAGE as u64)
    }

    /// The set that was begun ends with its block of this number, which lies at `last`: makes it
    /// count. Returns the set's number.
    pub(super) fn end_set(&mut self, blocks: BlockWriter, last: u64, number: u64) -> Result<usize> {
        let (offset, end) = (self.next_set(), blocks.offset());
        blocks.finish()?;
        let place = Place { offset, len: end - offset, last, number };
        let mut next = self.directory.clone();
        next.generation += 1;
        next.sets.push(place);
        let commit = || {
            // The last write was of a whole page, and may have been before of more.
            self.file.set_len(end)?;
            self.file.sync_data()?;
            let slot = next.generation % 2;
            self.file.write_all_at(&next.encode(), PAGE as u64 + slot * DIRECTORY as u64)?;
            self.file.sync_all()?;
            if let Some(partial) = &self.partial {
                self.env.fs().rename(partial, &self.path)?;
            }
            let above = self.path.parent().filter(|above| !above.as_os_str().is_empty());
            self.env.fs().sync_dir(above.unwrap_or(Path::new(".")))
        };
        commit().map_err(BackupError::device)?;
        self.partial = None;
        self.directory = next;
        Ok(self.directory.sets.len())
    }
}

impl Drop for Media {
    /// A new file whose first set failed is removed.
    fn drop(&mut self) {
        if let Some(partial) = self.partial.take() {
            // It was never looked at; the next backup overwrites it.
            let _ = self.env.fs().remove_file(&partial);
        }
    }
}

/// Removes what an interrupted backup has left under the name of a new file. A file that is
/// something else stays: the backup fails with `AlreadyExists`.
fn remove_left(env: &Env, partial: &Path) -> FileResult<()> {
    let there = match env.fs().open_named(partial, OpenMode::Read) {
        Ok(there) => there,
        Err(error) if error.is_not_found() => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut begins = [0; MAGIC.len()];
    let got = there.read_at(&mut begins, 0)?;
    // A crash may have come before the header was on disk.
    if begins == *MAGIC || begins[..got].iter().all(|byte| *byte == 0) {
        return env.fs().remove_file(partial);
    }
    Err(FileError::new(OpKind::Open, partial, ErrorKind::AlreadyExists.into()))
}

fn encode_header(header: &MediaHeader) -> Vec<u8> {
    let mut out = Writer(vec![0; 16]);
    out.u128(header.guid);
    out.u64(header.created_ticks);
    // What does not fit the page is cut: these are words for people.
    let cut = |text: &Option<Box<str>>| {
        text.as_deref().map(|text| text.chars().take(255).collect::<String>())
    };
    out.option(cut(&header.name).as_deref(), Writer::text);
    out.option(cut(&header.description).as_deref(), Writer::text);
    let mut page = out.0;
    page.resize(PAGE, 0);
    page[..8].copy_from_slice(MAGIC);
    page[8..10].copy_from_slice(&VERSION.to_le_bytes());
    let checksum = crc32c::crc32c(&page[16..]);
    page[12..16].copy_from_slice(&checksum.to_le_bytes());
    page
}

fn read_header(path: &Arc<Path>, file: &dyn File) -> Result<MediaHeader> {
    let mut page = vec![0; PAGE];
    let got = file.read_at(&mut page, 0).map_err(BackupError::device)?;
    if got < PAGE || &page[..8] != MAGIC {
        let is_sql_server = SQL_SERVER.iter().any(|magic| page.starts_with(magic));
        return Err(BackupError::Foreign { file: path.clone(), is_sql_server });
    }
    let version = u16::from_le_bytes([page[8], page[9]]);
    if version != VERSION {
        return Err(BackupError::UnknownVersion { file: path.clone(), version });
    }
    let damaged = |what| BackupError::Damaged { file: path.clone(), offset: 0, what };
    if page[12..16] != crc32c::crc32c(&page[16..]).to_le_bytes() {
        return Err(damaged("the header's checksum is wrong"));
    }
    // The checksum does not cover what is in front of it.
    if page[10..12] != [0; 2] {
        return Err(damaged("unused bytes of the header are set"));
    }
    let mut from = Reader(&page[16..]);
    let mut read = || {
        Some(MediaHeader {
            guid: from.u128()?,
            created_ticks: from.u64()?,
            name: from.option(Reader::text)?,
            description: from.option(Reader::text)?,
        })
    };
    read().ok_or_else(|| damaged("the header makes no sense"))
}

/// What is in the place of a directory.
enum Slot {
    Whole(Directory),
    /// Only zeros, as in a file whose second set is not there yet.
    Unwritten,
    Damaged,
}

fn read_directory(file: &dyn File, place: u64) -> FileResult<Slot> {
    let mut bytes = vec![0; DIRECTORY];
    let got = file.read_at(&mut bytes, PAGE as u64 + place * DIRECTORY as u64)?;
    Ok(match Directory::decode(&bytes).filter(|_| got == DIRECTORY) {
        Some(directory) => Slot::Whole(directory),
        None if bytes.iter().all(|byte| *byte == 0) => Slot::Unwritten,
        None => Slot::Damaged,
    })
}

/// The place of a set that begins there and whose first block has been read, if its blocks follow
/// each other to its end. Only the last is checked: reading the set checks all.
fn find_end(blocks: &mut BlockReader, offset: u64) -> Result<Place> {
    while blocks.skip()? != BlockKind::End {}
    let (last, number) = (blocks.offset(), blocks.number());
    let stored = match blocks.next()? {
        (BlockKind::End, bytes) => SetEnd::decode(bytes).map(|end| end.stored_bytes),
        _ => None,
    };
    match stored == Some(last - offset) {
        true => Ok(Place { offset, len: blocks.offset() - offset, last, number }),
        false => Err(blocks.damaged(last, "the end of a set makes no sense")),
    }
}

impl Directory {
    /// Where the last set ends.
    fn end(&self) -> u64 {
        self.sets.last().map_or(SETS, |last| last.offset + last.len)
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer(vec![0; 8]);
        out.u64(self.generation);
        out.u64(self.end());
        out.u64(self.sets.len() as u64);
        for set in &self.sets {
            [set.offset, set.len, set.last, set.number].into_iter().for_each(|word| out.u64(word));
        }
        let mut bytes = out.0;
        bytes[..4].copy_from_slice(&DIRECTORY_MAGIC.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[8..]);
        bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Directory> {
        let mut from = Reader(bytes);
        let (magic, checksum) = (from.u32()?, from.u32()?);
        let (generation, end, count) = (from.u64()?, from.u64()?, from.u64()?);
        let count = usize::try_from(count).ok().filter(|count| *count <= SETS_MAX)?;
        let used = DIRECTORY_HEADER + count * ENTRY;
        if magic != DIRECTORY_MAGIC || checksum != crc32c::crc32c(&bytes[8..used]) {
            return None;
        }
        let place = |from: &mut Reader<'_>| {
            let [offset, len] = [from.u64()?, from.u64()?];
            Some(Place { offset, len, last: from.u64()?, number: from.u64()? })
        };
        let sets = (0..count).map(|_| place(&mut from)).collect::<Option<Vec<_>>>()?;
        let directory = Directory { generation, sets };
        (directory.end() == end).then_some(directory)
    }
}

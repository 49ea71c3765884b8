//! Copies of the pages that the durable root reaches: a backup reads a store as a copy, and a
//! restore writes a copy to a new store.
//!
//! ```text
//! root, 64 KB as in its slot | pages as they are in the file, in order of their places
//! ```
//!
//! # Life of a copy
//!
//! 1. [`Store::pin_durable`] lists the pages, of trees, map and directory, that the durable root
//!    reaches.
//! 2. [`DurablePages`] reads them, ahead of its caller and bypassing the pool, and verifies each.
//!    Batches and checkpoints go on. A check of a database ends here.
//! 3. [`CopyWriter`] writes each to its place in a file of another database, with that database's
//!    checksum.
//!
//! # Invariants
//!
//! * K4: while a pin lives, no place is written that the durable root reached when the pin was
//!   made: checkpoints hold the places that they would give back, until the last pin is gone.

use std::sync::Arc;

use env::Env;
use env::memory::AlignedBytes;
use env::stream::{BUFFER_BYTES, Piece, Worker, WriteBehind};

use super::error::ColdError;
use super::file::{DataFile, FileSpec};
use super::image::{Kind, Reseal, Seed, verify};
use super::page::{PAGE_BYTES, PageNumber};
use super::place::{DiskWord, Place};
use super::places::{EXTENT_PAGES, RESERVED_EXTENTS, RUN_PAGES_MAX};
use super::root::{FileLength, ROOT_BYTES_MAX, Root};
use super::store::Store;
use super::store_core::StoreCore;

/// The most bytes that are read or written at a time.
pub const COPY_BYTES_MAX: usize = RUN_PAGES_MAX as usize * PAGE_BYTES;

/// A pin on the pages that the durable root reached at one moment, and a reader of them.
pub struct DurablePages {
    listing: Arc<Listing>,
    /// The thread that reads ahead, if one was started.
    ahead: Option<Worker<CopyChunk, ReadChunk>>,
    overlaps: bool,
    /// How many chunks are being read, and the offset where the next begins.
    under_way: usize,
    next: u64,
    free: Vec<AlignedBytes>,
    /// The chunk that was read last.
    buffer: AlignedBytes,
}

/// The root and the pages of a copy.
struct Listing {
    core: Arc<StoreCore>,
    root: Vec<u8>,
    /// In order of their places.
    pages: Vec<Listed>,
}

/// A part of the copy to be read, and the buffer for it.
struct CopyChunk {
    offset: u64,
    len: usize,
    buffer: AlignedBytes,
}

/// A chunk that a thread has read, and whether it could.
struct ReadChunk {
    chunk: CopyChunk,
    result: Result<(), ColdError>,
}

/// A part of the copy that is in the buffer, and whether it could be read.
struct ReadPart {
    offset: u64,
    /// Its length: 0 at the end.
    len: usize,
    result: Result<(), ColdError>,
}

/// Chunks that are read ahead.
const CHUNKS_AHEAD: usize = 3;

/// A page that cannot be read, or whose image is not the one that was written there.
#[derive(Clone, Debug)]
pub struct LostImage {
    /// Its number if it is a tree's page; `None` for a page of the map or the directory.
    pub page: Option<PageNumber>,
    /// Where it is.
    pub place: Place,
    /// Why.
    pub error: ColdError,
}

/// A page, and where it is.
#[derive(Clone, Copy)]
struct Listed {
    kind: Kind,
    number: u64,
    word: DiskWord,
}

impl Store {
    /// Pins the pages that the durable root reaches.
    pub fn pin_durable(&self) -> Result<DurablePages, ColdError> {
        let core = &self.core;
        let first = core.files.read().values().next().expect("a store has a file").clone();
        // While this lock is held, no root is written.
        let mut state = core.checkpoint.lock();
        let no_root = |_| ColdError::NoRoot { path: first.path().clone() };
        let root = first.read_root(state.slot)?.map_err(no_root)?;
        let listed = |kind, words: &[Option<DiskWord>]| -> Vec<Listed> {
            let words = (0..).zip(words);
            words
                .filter_map(|(number, word)| Some(Listed { kind, number, word: (*word)? }))
                .collect()
        };
        let mut pages = listed(Kind::Directory, &state.directory);
        pages.append(&mut listed(Kind::Map, &state.chunks));
        pages.extend((1..root.numbers_end).filter_map(|number| {
            let word = core.map.durable(PageNumber(number))?;
            Some(Listed { kind: Kind::Data, number, word })
        }));
        state.pins += 1;
        drop(state);
        pages.sort_unstable_by_key(|page| page.word.place());
        let mut encoded = root.encode();
        encoded.resize(ROOT_BYTES_MAX, 0);
        let listing = Arc::new(Listing { core: core.clone(), root: encoded, pages });
        let overlaps = core.memory.env.fs().overlaps();
        let (ahead, under_way, next) = (None, 0, 0);
        let mut free = AlignedBytes::for_long_reads(CHUNKS_AHEAD + 1, COPY_BYTES_MAX);
        let buffer = free.remove(0);
        Ok(DurablePages { listing, ahead, overlaps, under_way, next, free, buffer })
    }
}

impl Listing {
    /// Bytes of the copy: whole pages, and at least a root.
    fn bytes(&self) -> u64 {
        (self.root.len() + self.pages.len() * PAGE_BYTES) as u64
    }

    /// Returns the pages in a part of the copy, and how many bytes of the root are in front of
    /// them.
    fn pages_of(&self, offset: u64, len: usize) -> (usize, &[Listed]) {
        let front = if offset == 0 { self.root.len() } else { 0 };
        let first = (offset as usize + front - self.root.len()) / PAGE_BYTES;
        (front, &self.pages[first..first + (len - front) / PAGE_BYTES])
    }

    /// Reads a part of the copy.
    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), ColdError> {
        let (mut at, mut pages) = self.pages_of(offset, into.len());
        into[..at].copy_from_slice(&self.root[..at]);
        while !pages.is_empty() {
            let (run, rest) = pages.split_at(adjacent(pages, |page| page.word.place()));
            let bytes = &mut into[at..at + run.len() * PAGE_BYTES];
            let read = self.core.read_places(run[0].word.place(), bytes);
            read.map_err(|error| ColdError::Read(Arc::new(error)))?;
            at += bytes.len();
            pages = rest;
        }
        Ok(())
    }

    /// Returns the pages in a part, as it was read, that fail verification.
    fn mismatches(&self, offset: u64, part: &[u8]) -> impl Iterator<Item = LostImage> {
        let (front, pages) = self.pages_of(offset, part.len());
        let images = pages.iter().zip(part[front..].chunks_exact(PAGE_BYTES));
        images.filter_map(|(page, image)| Some(page.lost(self.verify(page, image).err()?)))
    }

    fn verify(&self, page: &Listed, image: &[u8]) -> Result<(), ColdError> {
        verify(image, self.core.seed, page.kind, page.number, page.word)
            .map_err(|what| self.core.mismatch(PageNumber(page.number), page.word, what))?;
        Ok(())
    }

    /// Reads a part page by page. Returns the pages that are lost.
    fn read_each(&self, offset: u64, buffer: &mut [u8]) -> Vec<LostImage> {
        let (_, pages) = self.pages_of(offset, buffer.len());
        let image = &mut buffer[..PAGE_BYTES];
        let mut read = |page: &Listed| {
            let read = self.core.read_places(page.word.place(), image);
            read.map_err(|error| ColdError::Read(Arc::new(error)))?;
            self.verify(page, image)
        };
        pages.iter().filter_map(|page| Some(page.lost(read(page).err()?))).collect()
    }
}

impl Listed {
    fn lost(&self, error: ColdError) -> LostImage {
        let page = (self.kind == Kind::Data).then_some(PageNumber(self.number));
        LostImage { page, place: self.word.place(), error }
    }
}

impl DurablePages {
    /// Bytes of the copy: whole pages, and at least a root.
    pub fn bytes(&self) -> u64 {
        self.listing.bytes()
    }

    /// Reads the next bytes of the copy: [`COPY_BYTES_MAX`], or what is left; none at its end.
    /// Blocks the thread.
    pub fn read(&mut self) -> Result<&[u8], ColdError> {
        let ReadPart { offset, len, result } = self.read_next();
        result?;
        // This thread verifies, not the one that reads ahead: else the disk would be idle
        // meanwhile.
        let part = &self.buffer[..len];
        self.listing.mismatches(offset, part).next().map_or(Ok(part), |lost| Err(lost.error))
    }

    /// Reads the next bytes of the copy, and adds the lost pages among them to `lost`. Returns
    /// `None` at the end. Blocks the thread.
    pub fn check_next(&mut self, lost: &mut Vec<LostImage>) -> Option<()> {
        let ReadPart { offset, len, result } = self.read_next();
        let part = &mut self.buffer[..len];
        match result {
            Ok(()) => lost.extend(self.listing.mismatches(offset, part)),
            Err(_) => lost.append(&mut self.listing.read_each(offset, part)),
        }
        (len > 0).then_some(())
    }

    /// Reads the next chunk.
    fn read_next(&mut self) -> ReadPart {
        self.ask();
        if self.under_way > 0 {
            let worker = self.ahead.as_ref().expect("a thread reads");
            let ReadChunk { chunk, result } = worker.take();
            self.under_way -= 1;
            let CopyChunk { offset, len, buffer } = chunk;
            self.free.push(std::mem::replace(&mut self.buffer, buffer));
            return ReadPart { offset, len, result };
        }
        let (offset, len) = self.take_next();
        let result = self.listing.read(offset, &mut self.buffer[..len]);
        ReadPart { offset, len, result }
    }

    /// Takes the next chunk: returns where it begins, and its length, which is 0 at the end.
    fn take_next(&mut self) -> (u64, usize) {
        let offset = self.next;
        let len = (self.bytes() - offset).min(COPY_BYTES_MAX as u64);
        self.next += len;
        (offset, len as usize)
    }

    /// Hands the next chunks to the thread that reads ahead, up to [`CHUNKS_AHEAD`] at a time.
    fn ask(&mut self) {
        if self.ahead.is_none() && self.overlaps && self.bytes() > COPY_BYTES_MAX as u64 {
            let listing = self.listing.clone();
            self.ahead = Worker::start("read pages", move |mut chunk: CopyChunk| {
                let result = listing.read(chunk.offset, &mut chunk.buffer[..chunk.len]);
                ReadChunk { chunk, result }
            });
            self.overlaps = self.ahead.is_some();
        }
        while self.ahead.is_some() && self.under_way < CHUNKS_AHEAD && self.next < self.bytes() {
            let (offset, len) = self.take_next();
            let buffer = self.free.pop().expect("there is one more than are under way");
            let worker = self.ahead.as_ref().expect("it was started");
            worker.give(CopyChunk { offset, len, buffer });
            self.under_way += 1;
        }
    }
}

impl Drop for DurablePages {
    fn drop(&mut self) {
        // This waits for a read that is under way, before its places may be written.
        self.ahead = None;
        let core = &self.listing.core;
        let mut state = core.checkpoint.lock();
        state.pins -= 1;
        if state.pins == 0 {
            let mut space = core.space.lock();
            std::mem::take(&mut state.held).into_iter().for_each(|place| space.give(place));
        }
    }
}

/// Counts how many of the places, from the first on, are consecutive.
fn adjacent<T>(pages: &[T], place: impl Fn(&T) -> Place) -> usize {
    let breaks = |pair: &[T]| place(&pair[1]) != place(&pair[0]).plus(1);
    pages.windows(2).position(breaks).map_or(pages.len(), |last| last + 1)
}

/// Writes a copy to a store's file, for another database.
pub struct CopyWriter {
    file: DataFile,
    behind: WriteBehind,
    from: u128,
    to: u128,
    reseal: Reseal,
    root: Option<Root>,
    /// The length of the file, in pages.
    pages: u32,
}

impl CopyWriter {
    /// Creates the file. The copy is of the database `from`, and the file is for the database `to`.
    pub fn create(
        env: &Env,
        spec: &FileSpec,
        from: u128,
        to: u128,
    ) -> Result<CopyWriter, ColdError> {
        let pages = (RESERVED_EXTENTS + 1) * EXTENT_PAGES;
        let file = DataFile::create(env, spec, to, pages)?;
        let behind = WriteBehind::new(env, file.file().clone());
        let reseal = Reseal::new(Seed::new(from), Seed::new(to));
        Ok(CopyWriter { file, behind, from, to, reseal, root: None, pages })
    }

    /// Writes bytes that [`DurablePages::read`] returned. Returns `false` if they are malformed. An
    /// error may be that of an earlier call. Blocks the thread.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<bool, ColdError> {
        if self.root.is_none() {
            let Some((root, rest)) = bytes.split_at_checked(ROOT_BYTES_MAX) else {
                return Ok(false);
            };
            bytes = rest;
            self.root = Root::decode(root).ok().filter(|root| root.database == self.from);
        }
        if self.root.is_none() || bytes.len() % PAGE_BYTES != 0 || bytes.len() > BUFFER_BYTES {
            return Ok(false);
        }
        let mut buffer = self.behind.buffer()?;
        buffer[..bytes.len()].copy_from_slice(bytes);
        let pages = buffer[..bytes.len()].chunks_exact_mut(PAGE_BYTES);
        let Some(places) = pages.map(|page| self.reseal.reseal(page)).collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        let reserved = RESERVED_EXTENTS * EXTENT_PAGES;
        if places.iter().any(|place| place.file != self.file.id() || place.index < reserved) {
            return Ok(false);
        }
        let (mut at, mut pieces) = (0, Vec::<Piece>::new());
        while at < places.len() {
            let run = adjacent(&places[at..], |place| *place);
            let part = at * PAGE_BYTES..(at + run) * PAGE_BYTES;
            pieces.push(Piece { part, offset: places[at].offset() });
            at += run;
            self.pages = self.pages.max(places[at - 1].index + 1);
        }
        self.behind.write(buffer, pieces)?;
        Ok(true)
    }

    /// Finishes the file and makes it durable. Returns `false` if the copy had no root.
    pub fn finish(mut self) -> Result<bool, ColdError> {
        let Some(mut root) = self.root else { return Ok(false) };
        self.behind.finish()?;
        let pages = self.pages.next_multiple_of(EXTENT_PAGES);
        self.file.set_pages(pages)?;
        self.file.sync()?;
        root.database = self.to;
        root.files = vec![FileLength { id: self.file.id(), pages }];
        self.file.write_root(0, &root)?;
        self.file.sync()?;
        Ok(true)
    }
}

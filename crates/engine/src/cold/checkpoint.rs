//! Checkpoints: make all changed pages durable at once, by writing a root that reaches them.
//!
//! # Life of a checkpoint
//!
//! 1. [`Store::capture`] takes references to the images that have changed since the last capture,
//!    while no batch is half published. After that batches go on.
//! 2. [`Store::write`] writes those images that are not on disk yet, then the map pages that name
//!    them, then the directory pages that name those; all to free places. It syncs.
//! 3. It writes the new root into the slot that does not hold the durable one, and syncs.
//! 4. Only then does it give back the places that the new root does not reach.
//!
//! # Invariants
//!
//! * K1: a place that the durable root reaches, or one that the root being made will reach, is not
//!   written.
//! * K2: a superseded image that is on disk is put on the list `superseded` exactly once. The flip
//!   of the next checkpoint that is captured after that frees its place, unless the previous root
//!   reaches the place: then the flip frees it as one that the new root replaces.
//! * K3: the slot of the durable root is never written, so the next root overwrites one of which it
//!   is unknown whether it has reached the disk.
//!
//! # Failure
//!
//! A write or sync that fails ends the checkpoint: the old root stays, and the captured pages count
//! as changed again. Images written before a failed sync may be lost though they can still be read;
//! the next checkpoint writes them once more.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use env::Env;
use env::memory::AlignedBytes;

use super::error::ColdError;
use super::file::{DataFile, FileSpec};
use super::frame::OnDisk;
use super::image::{Kind, verify};
use super::map::CHUNK_WORDS;
use super::memory::Image;
use super::page::{Body, PAGE_BYTES, PageNumber};
use super::place::{DiskWord, MapWord, Place};
use super::places::Space;
use super::pool::Pool;
use super::root::{CheckpointState, INFO_BYTES_MAX, NotRoot, Root};
use super::store::Store;
use super::store_core::{Numbers, PageImage, StoreCore, StoredImage};

/// The changed pages of one moment. If a capture is dropped before it is durable, its pages count
/// as changed again.
pub struct Capture {
    core: Arc<StoreCore>,
    pages: Vec<CapturedPage>,
    superseded: Vec<StoredImage>,
    freed: Vec<PageNumber>,
    numbers_end: u64,
    info: Vec<u8>,
    is_durable: bool,
}

struct CapturedPage {
    page: PageNumber,
    state: Captured,
}

enum Captured {
    Free,
    OnDisk(DiskWord),
    Dirty(Image),
}

/// Where the next root finds a page; nowhere if the page is free.
struct PageWord {
    page: PageNumber,
    word: Option<DiskWord>,
}

/// What a checkpoint did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CheckpointStats {
    /// The new root's number.
    pub sequence: u64,
    /// Pages that had changed.
    pub changed_pages: u64,
    /// Map and directory pages that were written.
    pub map_pages: u64,
    /// Places that became free.
    pub freed_pages: u64,
}

/// An opened store, and the info that its last checkpoint keeps for the caller.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// The info that was passed to [`Store::capture`].
    pub info: Vec<u8>,
}

impl Store {
    /// Creates empty files for a database. The store is durable, with this info, when this returns.
    pub fn create(
        pool: &Pool,
        database: u128,
        specs: &[FileSpec],
        info: &[u8],
    ) -> Result<Store, ColdError> {
        let (env, mut files, mut space) =
            (&pool.shared().memory.env, BTreeMap::new(), Space::default());
        for spec in specs {
            let pages = spec.growth.initial();
            let file = DataFile::create(env, spec, database, pages)?;
            files.insert(spec.id, Arc::new(file));
            space.add(spec.id, pages, spec.growth);
        }
        let root = Root {
            database,
            sequence: 1,
            next_stamp: 1,
            numbers_end: 1,
            files: space.lengths(),
            directory: Vec::new(),
            info: info.to_vec(),
        };
        let first = files.values().next().expect("a store has a file").clone();
        first.write_root(0, &root)?;
        first.sync()?;
        Ok(Store::register(pool, database, files, space, CheckpointState::new(&root, 0)))
    }

    /// Opens the store as its last durable checkpoint left it.
    pub fn open(pool: &Pool, database: u128, specs: &[FileSpec]) -> Result<Opened, ColdError> {
        let env = &pool.shared().memory.env;
        let (files, root, slot) = open_files(env, database, specs)?;
        let mut space = Space::default();
        for spec in specs.iter().filter(|spec| files.contains_key(&spec.id)) {
            space.add(spec.id, files[&spec.id].pages()?, spec.growth);
        }
        // A root that can be read may never have reached the disk, and what follows overwrites
        // places that only the previous root reaches. So the root is written and synced once more.
        files.values().try_for_each(|file| file.sync())?;
        let first = files.values().next().expect("a store has a file").clone();
        first.write_root(slot, &root)?;
        first.sync()?;
        let state = CheckpointState::new(&root, slot);
        let store = Store::register(pool, database, files, space, state);
        store.core.read_map(&root)?;
        Ok(Opened { store, info: root.info })
    }

    /// Captures all pages that have changed since the last capture. Takes a short time. The caller
    /// makes sure that no batch is half published. `info` comes back when the store is opened.
    ///
    /// # Panics
    /// If there is another capture that has been neither written nor dropped, or if the info is
    /// longer than 4 KB.
    pub fn capture(&self, info: &[u8]) -> Capture {
        assert!(info.len() <= INFO_BYTES_MAX, "a root has room for 4 KB");
        let core = &self.core;
        let mut state = core.checkpoint.lock();
        assert!(!std::mem::replace(&mut state.captured, true), "one checkpoint at a time");
        drop(state);
        let alone = core.publishing.write();
        let superseded = std::mem::take(&mut *core.superseded.lock());
        let freed = std::mem::take(&mut *core.freed.lock());
        let handle = core.memory.collector.register();
        let changed = core.map.take_changed();
        let mut pages = Vec::with_capacity(changed.len());
        for some in changed.chunks(1024) {
            let guard = handle.pin();
            pages.extend(
                some.iter().map(|&page| CapturedPage { page, state: core.captured(page, &guard) }),
            );
        }
        let numbers_end = core.numbers.lock().end;
        drop(alone);
        let (core, info) = (core.clone(), info.to_vec());
        Capture { core, pages, superseded, freed, numbers_end, info, is_durable: false }
    }

    /// Makes a capture durable. Blocks the thread; batches go on meanwhile. After an error the
    /// previous checkpoint is still the durable one, and the next capture includes the pages of
    /// this one.
    pub fn write(&self, mut capture: Capture) -> Result<CheckpointStats, ColdError> {
        assert!(Arc::ptr_eq(&self.core, &capture.core), "the capture is of this store");
        let core = &self.core;
        core.rewrite_suspects(&mut capture)?;
        let words = core.write_captured(&capture)?;
        let mut state = core.checkpoint.lock();
        let mut pages = MapPages::default();
        let flipped = core
            .write_map(&words, &state, &mut pages)
            .and_then(|()| core.flip(&capture, &mut state, &pages));
        if let Err(error) = flipped {
            state.orphans.extend(pages.written.iter().map(|word| word.place()));
            return Err(error);
        }
        capture.is_durable = true;
        let freed = core.give_back_unreached(&mut capture, &words, &mut state, &pages);
        Ok(CheckpointStats {
            sequence: state.sequence,
            changed_pages: words.len() as u64,
            map_pages: pages.written.len() as u64,
            freed_pages: freed,
        })
    }

    /// The sequence number of the last root that was written or tried.
    pub fn root_sequence(&self) -> u64 {
        self.core.checkpoint.lock().sequence
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.core.checkpoint.lock().captured = false;
        if !self.is_durable {
            self.pages.iter().for_each(|own| self.core.map.mark_changed(own.page));
            self.core.superseded.lock().append(&mut self.superseded);
            self.core.freed.lock().append(&mut self.freed);
        }
    }
}

/// Map and directory pages of a new root.
#[derive(Default)]
struct MapPages {
    chunks: BTreeMap<usize, DiskWord>,
    directory: BTreeMap<usize, DiskWord>,
    written: Vec<DiskWord>,
}

impl StoreCore {
    fn captured(self: &Arc<Self>, page: PageNumber, _guard: &crossbeam_epoch::Guard) -> Captured {
        match self.map.get(page) {
            MapWord::Free => Captured::Free,
            MapWord::Disk(word) => Captured::OnDisk(word),
            MapWord::Frame(frame) => match self.memory.state(frame).on_disk() {
                OnDisk::At(word) => Captured::OnDisk(word),
                // SAFETY: the frame was found in the map under the guard (F2).
                _ => Captured::Dirty(unsafe { Image::pinned(&self.memory, frame) }),
            },
        }
    }

    /// Writes the captured images that are not on disk. Returns where each captured page is.
    fn write_captured(&self, capture: &Capture) -> Result<Vec<PageWord>, ColdError> {
        let mut words = Vec::with_capacity(capture.pages.len());
        let (mut dirty, mut at) = (Vec::new(), Vec::new());
        for (n, CapturedPage { page, state }) in capture.pages.iter().enumerate() {
            let word = match state {
                Captured::Free => None,
                Captured::OnDisk(word) => Some(*word),
                Captured::Dirty(image) => match image.state().on_disk() {
                    OnDisk::At(word) => Some(word),
                    OnDisk::Nowhere | OnDisk::Superseded => {
                        dirty.push(PageImage { page: *page, image });
                        at.push(n);
                        None
                    }
                },
            };
            words.push(PageWord { page: *page, word });
        }
        self.write_images(&dirty, |n, word| words[at[n]].word = Some(word))?;
        Ok(words)
    }

    /// Writes captured images once more that a failed sync may have lost.
    fn rewrite_suspects(self: &Arc<Self>, capture: &mut Capture) -> Result<(), ColdError> {
        let suspects = self.writer.lock().suspects.clone();
        if suspects.is_empty() {
            return Ok(());
        }
        for CapturedPage { page, state } in &mut capture.pages {
            let word = match state {
                Captured::OnDisk(word) => *word,
                Captured::Dirty(image) => match image.state().on_disk() {
                    OnDisk::At(word) => word,
                    OnDisk::Nowhere | OnDisk::Superseded => continue,
                },
                Captured::Free => continue,
            };
            if suspects.contains(&word) {
                let body = self.read_page(Kind::Data, page.0, word)?;
                let mut moved = None;
                let fill = |_: usize, bytes: &mut [u8]| bytes.copy_from_slice(&body[..]);
                self.write_pages(Kind::Data, &[page.0], fill, |_, to| moved = Some(to))?;
                let to = moved.expect("one page was written");
                self.relocate(*page, word, to);
                *state = Captured::OnDisk(to);
            }
        }
        Ok(())
    }

    /// Notes that the page's image at `from` was copied to `to`, and is to be read there. The place
    /// that is not used goes on the list of superseded ones.
    pub(super) fn relocate(&self, page: PageNumber, from: DiskWord, to: DiskWord) {
        let _nothing_leaves = self.memory.sweeping.lock();
        let handle = self.memory.collector.register();
        let _guard = handle.pin();
        loop {
            let old = match self.map.get(page) {
                MapWord::Frame(frame) => match self.memory.state(frame).relocated(from, to) {
                    Ok(()) => from,
                    Err(_) => to, // superseded, by a writer that has put `from` on the list
                },
                MapWord::Disk(word) if word == from => {
                    let (from_word, to_word) = (MapWord::Disk(from), MapWord::Disk(to));
                    match self.map.exchange(page, from_word, to_word) {
                        Ok(()) => from,
                        Err(_) => continue,
                    }
                }
                MapWord::Disk(_) | MapWord::Free => to,
            };
            return self.superseded.lock().push(StoredImage { page, word: old });
        }
    }

    /// Reads and verifies a page without the pool, for checkpoints, opening and shrinking.
    pub(super) fn read_page(
        &self,
        kind: Kind,
        number: u64,
        word: DiskWord,
    ) -> Result<Box<Body>, ColdError> {
        let mut page = AlignedBytes::new(PAGE_BYTES);
        let read = self.read_places(word.place(), &mut page);
        read.map_err(|error| ColdError::Read(Arc::new(error)))?;
        let verified = verify(&page, self.seed, kind, number, word);
        let number = PageNumber(number);
        verified.map(|body| Box::new(*body)).map_err(|what| self.mismatch(number, word, what))
    }

    /// Writes the map pages whose words change, then the directory pages that name them.
    fn write_map(
        &self,
        words: &[PageWord],
        state: &CheckpointState,
        pages: &mut MapPages,
    ) -> Result<(), ColdError> {
        let chunk_of = |page: PageNumber| page.0 as usize / CHUNK_WORDS;
        let changed: Vec<_> = words.chunk_by(|a, b| chunk_of(a.page) == chunk_of(b.page)).collect();
        let numbers: Vec<u64> = changed.iter().map(|some| chunk_of(some[0].page) as u64).collect();
        let fill = |n: usize, body: &mut [u8]| {
            let first = numbers[n] * CHUNK_WORDS as u64;
            let old = |word: usize| self.map.durable(PageNumber(first + word as u64));
            let new = changed[n].iter().map(|own| ((own.page.0 - first) as usize, own.word));
            fill_words(body, old, new);
        };
        let MapPages { chunks, directory, written } = pages;
        self.write_pages(Kind::Map, &numbers, fill, |n, word| {
            chunks.insert(numbers[n] as usize, word);
            written.push(word);
        })?;
        let new: Vec<(usize, DiskWord)> = chunks.iter().map(|(&n, &word)| (n, word)).collect();
        let changed: Vec<_> = new.chunk_by(|a, b| a.0 / CHUNK_WORDS == b.0 / CHUNK_WORDS).collect();
        let numbers: Vec<u64> =
            changed.iter().map(|some| (some[0].0 / CHUNK_WORDS) as u64).collect();
        let fill = |n: usize, body: &mut [u8]| {
            let first = numbers[n] as usize * CHUNK_WORDS;
            let old = |word: usize| state.chunks.get(first + word).copied().flatten();
            fill_words(
                body,
                old,
                changed[n].iter().map(|&(chunk, word)| (chunk - first, Some(word))),
            );
        };
        self.write_pages(Kind::Directory, &numbers, fill, |n, word| {
            directory.insert(numbers[n] as usize, word);
            written.push(word);
        })
    }

    /// Syncs all that was written, then writes the new root and syncs it.
    fn flip(
        &self,
        capture: &Capture,
        state: &mut CheckpointState,
        pages: &MapPages,
    ) -> Result<(), ColdError> {
        let files: Vec<_> = self.files.read().values().cloned().collect();
        let unsynced = std::mem::take(&mut self.writer.lock().unsynced);
        if let Err(error) = files.iter().try_for_each(|file| file.sync()) {
            self.writer.lock().suspects.extend(unsynced.iter().map(|image| image.word));
            return Err(error.into());
        }
        state.sequence += 1;
        let mut directory = state.directory.clone();
        replace_words(&mut directory, &pages.directory);
        let root = Root {
            database: self.database,
            sequence: state.sequence,
            next_stamp: self.writer.lock().next_stamp,
            numbers_end: capture.numbers_end,
            files: self.space.lock().lengths(),
            directory,
            info: capture.info.clone(),
        };
        let slot = 1 - state.slot;
        files[0].write_root(slot, &root)?;
        // If this sync fails, it may lose images that were written meanwhile, too.
        let unsynced: Vec<_> = self.writer.lock().unsynced.clone();
        if let Err(error) = files[0].sync() {
            self.writer.lock().suspects.extend(unsynced.iter().map(|image| image.word));
            return Err(error.into());
        }
        state.slot = slot;
        Ok(())
    }

    /// Gives back the places that the new root, which is durable, does not reach. Returns how many.
    fn give_back_unreached(
        self: &Arc<Self>,
        capture: &mut Capture,
        words: &[PageWord],
        state: &mut CheckpointState,
        pages: &MapPages,
    ) -> u64 {
        self.writer.lock().suspects.clear();
        let mut freed: Vec<Place> = std::mem::take(&mut state.orphans);
        for StoredImage { page, word } in std::mem::take(&mut capture.superseded) {
            // A place that the previous root reaches is freed below (K2).
            if self.map.durable(page) != Some(word) {
                freed.push(word.place());
            }
        }
        for PageWord { page, word } in words {
            let old = self.map.durable(*page);
            if old != *word {
                freed.extend(old.map(DiskWord::place));
                self.map.set_durable(*page, *word);
            }
        }
        freed.extend(replace_words(&mut state.chunks, &pages.chunks));
        freed.extend(replace_words(&mut state.directory, &pages.directory));
        self.recycle(std::mem::take(&mut capture.freed));
        let count = freed.len() as u64;
        match state.pins {
            0 => {
                let mut space = self.space.lock();
                freed.iter().for_each(|place| space.give(*place));
            }
            _ => state.held.append(&mut freed),
        }
        count
    }

    /// Makes page numbers available again once no reader under a guard can hold an image that names
    /// them.
    fn recycle(self: &Arc<Self>, freed: Vec<PageNumber>) {
        if !freed.is_empty() {
            let core = Arc::downgrade(self);
            let handle = self.memory.collector.register();
            handle.pin().defer(move || {
                if let Some(core) = core.upgrade() {
                    core.numbers.lock().free.extend(freed);
                }
            });
        }
    }

    // ---- opening ----

    /// Reads the map that the root names, and takes the places of all pages that it names.
    fn read_map(&self, root: &Root) -> Result<(), ColdError> {
        let mut space = self.space.lock();
        let mut state = self.checkpoint.lock();
        let mut take = |word: DiskWord| match space.take_place(word.place()) {
            true => Ok(()),
            false => {
                let id = word.place().file;
                let files = self.files.read();
                let file = files.get(&id).or_else(|| files.values().next());
                let path = file.expect("a store has a file").path().clone();
                Err(ColdError::Damaged { path, what: "a place is named twice or does not exist" })
            }
        };
        for (n, word) in root.directory.iter().enumerate() {
            let Some(word) = word else { continue };
            take(*word)?;
            let body = self.read_page(Kind::Directory, n as u64, *word)?;
            for (m, word) in words_of(&body).enumerate() {
                let Some(word) = word else { continue };
                take(word)?;
                let chunk = n * CHUNK_WORDS + m;
                replace_words(&mut state.chunks, &BTreeMap::from([(chunk, word)]));
                self.read_chunk(chunk, word, &mut take)?;
            }
        }
        // Images that were written after this root are lost, but their stamps may be on disk.
        // Skipping a random number of stamps keeps the new ones apart from those.
        let mut skipped = [0; 8];
        self.env().rng().fill(&mut skipped);
        let skipped = u64::from_le_bytes(skipped) % (1 << 20);
        self.writer.lock().next_stamp = root.next_stamp + 1 + skipped;
        let mut numbers = Numbers { free: Vec::new(), end: root.numbers_end };
        for page in (1..root.numbers_end).rev().map(PageNumber) {
            if self.map.get(page) == MapWord::Free {
                self.map.ensure(page);
                numbers.free.push(page);
            }
        }
        *self.numbers.lock() = numbers;
        Ok(())
    }

    fn read_chunk(
        &self,
        chunk: usize,
        word: DiskWord,
        take: &mut impl FnMut(DiskWord) -> Result<(), ColdError>,
    ) -> Result<(), ColdError> {
        let body = self.read_page(Kind::Map, chunk as u64, word)?;
        for (n, word) in words_of(&body).enumerate() {
            if let Some(word) = word {
                take(word)?;
                self.map.restore(PageNumber((chunk * CHUNK_WORDS + n) as u64), word);
            }
        }
        Ok(())
    }
}

/// Fills a map or directory page with the old words, and with the new ones over them.
fn fill_words(
    body: &mut [u8],
    old: impl Fn(usize) -> Option<DiskWord>,
    new: impl Iterator<Item = (usize, Option<DiskWord>)>,
) {
    let mut put = |n: usize, word: Option<DiskWord>| {
        let bits = word.map_or(0, DiskWord::to_bits);
        body[8 * n..8 * n + 8].copy_from_slice(&bits.to_le_bytes());
    };
    (0..CHUNK_WORDS).for_each(|n| put(n, old(n)));
    new.for_each(|(n, word)| put(n, word));
}

fn words_of(body: &Body) -> impl Iterator<Item = Option<DiskWord>> + '_ {
    body.chunks_exact(8)
        .map(|bits| DiskWord::from_bits(u64::from_le_bytes(bits.try_into().expect("eight bytes"))))
}

/// Stores words at their indexes. Returns the places that the replaced words name.
fn replace_words(words: &mut Vec<Option<DiskWord>>, new: &BTreeMap<usize, DiskWord>) -> Vec<Place> {
    if let Some((&last, _)) = new.last_key_value() {
        words.resize(words.len().max(last + 1), None);
    }
    new.iter().filter_map(|(&n, &word)| words[n].replace(word)).map(DiskWord::place).collect()
}

type Files = BTreeMap<u8, Arc<DataFile>>;

/// Opens the files that the newest whole root names.
fn open_files(
    env: &Env,
    database: u128,
    specs: &[FileSpec],
) -> Result<(Files, Root, usize), ColdError> {
    let first = specs.iter().min_by_key(|spec| spec.id).expect("a store has a file");
    let file = DataFile::open(env, first, database)?;
    let (root, slot) = newest_root(&file, database)?;
    let mut files = Files::from([(file.id(), Arc::new(file))]);
    let named: HashSet<u8> = root.files.iter().map(|file| file.id).collect();
    for spec in specs.iter().filter(|spec| named.contains(&spec.id) && spec.id != first.id) {
        files.insert(spec.id, Arc::new(DataFile::open(env, spec, database)?));
    }
    match named.iter().find(|id| !files.contains_key(id)) {
        None => Ok((files, root, slot)),
        Some(_) => {
            let path: Arc<Path> = first.path.as_path().into();
            Err(ColdError::Damaged { path, what: "it names a file that the catalog does not know" })
        }
    }
}

fn newest_root(file: &DataFile, database: u128) -> Result<(Root, usize), ColdError> {
    let path = || file.path().clone();
    let mut newest: Option<(Root, usize)> = None;
    let mut unknown = None;
    for slot in [0, 1] {
        match file.read_root(slot)? {
            Ok(root) if root.database != database => {
                return Err(ColdError::Foreign { path: path() });
            }
            Ok(root) if newest.as_ref().is_none_or(|(other, _)| other.sequence < root.sequence) => {
                newest = Some((root, slot));
            }
            Ok(_) | Err(NotRoot::Damaged) => {}
            Err(NotRoot::UnknownVersion(version)) => unknown = Some(version),
        }
    }
    match (newest, unknown) {
        (_, Some(version)) => Err(ColdError::UnknownVersion { path: path(), version }),
        (Some(newest), None) => Ok(newest),
        (None, None) => Err(ColdError::NoRoot { path: path() }),
    }
}

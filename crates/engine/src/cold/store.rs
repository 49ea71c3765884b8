//! A store: the pages of one database, in its files and in the server's pool.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crossbeam_epoch::Guard;
use env::memory::AlignedBytes;
use env::{Env, FileError};

use super::batch::Batch;
use super::checkpoint::CheckpointState;
use super::counters::add;
use super::error::{ColdError, Mismatch};
use super::file::{DataFile, FileActivity, FileSpec};
use super::frame::OnDisk;
use super::image::{Kind, Seed, seal};
use super::io::{Request, Wanted};
use super::map::{Map, NUMBERS_MAX};
use super::pace::Pace;
use super::page::{Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
use super::pages::{Absent, Access, Pages};
use super::place::{DiskWord, FrameNumber, MapWord, Place};
use super::places::{EXTENT_PAGES, RUN_PAGES_MAX, Run, Space, SpaceStats};
use super::pool::{Image, Pool, Shared};
use crate::sync::parking::{Mutex, RwLock};
use crate::wait::Task;

/// The pages of one database. Dropping it forgets what no checkpoint has written.
pub struct Store {
    pub(super) core: Arc<Core>,
}

/// What the store shares with the pool's threads and with its batches.
pub struct Core {
    /// The store's place in the pool's table.
    pub(super) slot: u16,
    pub(super) database: u128,
    pub(super) seed: Seed,
    pub(super) shared: Arc<Shared>,
    pub(super) map: Map,
    pub(super) files: RwLock<BTreeMap<u8, Arc<DataFile>>>,
    pub(super) space: Mutex<Space>,
    pub(super) numbers: Mutex<Numbers>,
    /// Images on disk that are not current any more, by page. Whether their places are free is
    /// known at the flip of the next checkpoint that is captured from now on.
    pub(super) superseded: Mutex<Vec<(PageNumber, DiskWord)>>,
    /// Pages that were freed since the last capture.
    pub(super) freed: Mutex<Vec<PageNumber>>,
    /// Held shared while a page gets another image and the old one is put on the list, and
    /// exclusively by a capture, for which both must have happened or neither (K2).
    pub(super) publishing: RwLock<()>,
    pub(super) writer: Mutex<Writer>,
    pub(super) checkpoint: Mutex<CheckpointState>,
    /// How long single pages took to be read from the files.
    pub(super) pace: Pace,
}

/// Which page numbers can be had.
#[derive(Debug)]
pub(super) struct Numbers {
    pub free: Vec<PageNumber>,
    pub end: u64,
}

/// What writing needs, and remembers until the next sync.
pub(super) struct Writer {
    buffer: AlignedBytes,
    pub next_stamp: u64,
    /// Images written since the last sync began.
    pub unsynced: Vec<(PageNumber, DiskWord)>,
    /// Images of which a failed sync leaves it unknown whether they have reached the disk.
    pub suspects: HashSet<DiskWord>,
}

/// A page in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDescriptor {
    /// The page.
    pub page: PageNumber,
    /// Where it was read from or written to; nothing if it is dirty.
    pub place: Option<Place>,
    /// Whether it is pinned.
    pub is_pinned: bool,
    /// Whether it was looked at since the replacement last did.
    pub is_referenced: bool,
}

impl Store {
    /// Registers a store with the pool; its files and state are the caller's to supply.
    pub(super) fn register(
        pool: &Pool,
        database: u128,
        files: BTreeMap<u8, Arc<DataFile>>,
        space: Space,
        state: CheckpointState,
    ) -> Store {
        let shared = pool.shared();
        let mut stores = shared.stores.write();
        let slot = stores.iter().position(Option::is_none).unwrap_or(stores.len());
        let core = Arc::new(Core {
            slot: u16::try_from(slot).expect("a server has fewer than 32768 databases"),
            database,
            seed: Seed::new(database),
            shared: shared.clone(),
            map: Map::new(),
            files: RwLock::new(files),
            space: Mutex::new(space),
            numbers: Mutex::new(Numbers { free: Vec::new(), end: 1 }),
            superseded: Mutex::default(),
            freed: Mutex::default(),
            publishing: RwLock::new(()),
            writer: Mutex::new(Writer {
                buffer: AlignedBytes::new(RUN_PAGES_MAX as usize * PAGE_BYTES),
                next_stamp: 1,
                unsynced: Vec::new(),
                suspects: HashSet::new(),
            }),
            checkpoint: Mutex::new(state),
            pace: Pace::new(),
        });
        match slot == stores.len() {
            true => stores.push(Some(core.clone())),
            false => stores[slot] = Some(core.clone()),
        }
        drop(stores);
        Store { core }
    }

    /// Changes of pages that become visible one by one.
    pub fn batch(&self) -> Batch {
        Batch::new(self.core.clone())
    }

    /// Which database's pages these are.
    pub fn database(&self) -> u128 {
        self.core.database
    }

    /// How the files' pages are used.
    pub fn space(&self) -> SpaceStats {
        self.core.space.lock().stats()
    }

    /// What has been done with the files since they were opened, taken together.
    pub fn activity(&self) -> FileActivity {
        let files = self.core.files.read();
        files.values().fold(FileActivity::default(), |sum, file| sum.and(&file.activity()))
    }

    /// Where the file has a page as it is now; nothing if it is newer than there.
    pub(crate) fn place_of(&self, page: PageNumber) -> Option<Place> {
        match self.core.map.get(page) {
            MapWord::Disk(word) => Some(word.place()),
            MapWord::Frame(frame) => match self.core.shared.state(frame).on_disk() {
                OnDisk::At(word) => Some(word.place()),
                OnDisk::Nowhere | OnDisk::Gone => None,
            },
            MapWord::Free => None,
        }
    }

    /// Places of images that have been replaced since the last capture, which the next root gives
    /// back.
    pub fn superseded_pages(&self) -> u64 {
        self.core.superseded.lock().len() as u64
    }

    /// Adds a file. A checkpoint is to follow: until then the store opens without it.
    pub fn add_file(&self, spec: &FileSpec) -> Result<(), ColdError> {
        let core = &self.core;
        let pages = spec.growth.initial();
        let file = DataFile::create(core.env(), spec, core.database, pages)?;
        core.files.write().insert(spec.id, Arc::new(file));
        core.space.lock().add(spec.id, pages, spec.growth);
        Ok(())
    }

    /// Cuts the free extents at a file's end off, down to this many pages; how many they were. What
    /// lies before them stays where it is, unless [`Store::vacate`] and a checkpoint have moved it.
    pub fn shrink(&self, file: u8, least_pages: u32) -> Result<u64, ColdError> {
        let mut space = self.core.space.lock();
        space.open_end();
        let Some(&(_, before)) = space.lengths().iter().find(|(id, _)| *id == file) else {
            return Ok(0);
        };
        let least = least_pages.next_multiple_of(EXTENT_PAGES).min(before);
        let needed = space.needed_pages(file).max(least);
        self.core.file(file).set_pages(needed)?;
        space.cut(file, needed);
        Ok(u64::from(before - needed))
    }

    /// The store's pages that are in memory.
    pub fn buffer_descriptors(&self) -> impl Iterator<Item = BufferDescriptor> + '_ {
        self.core.map.resident().map(|(page, frame)| {
            let state = self.core.shared.state(frame);
            let place = match state.on_disk() {
                OnDisk::At(word) => Some(word.place()),
                OnDisk::Nowhere | OnDisk::Gone => None,
            };
            let (is_pinned, is_referenced) = (state.references() > 1, state.is_referenced());
            BufferDescriptor { page, place, is_pinned, is_referenced }
        })
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.core.shared.stores.write()[self.core.slot as usize] = None;
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let frames: Vec<_> = self.map.resident().map(|(_, frame)| frame).collect();
        let is_dirty =
            |frame: &&FrameNumber| self.shared.state(**frame).supersede() == OnDisk::Nowhere;
        let dirty = frames.iter().filter(is_dirty).count() as u64;
        self.shared.dirty.fetch_sub(dirty, std::sync::atomic::Ordering::Relaxed);
        let handle = self.shared.collector.register();
        let guard = handle.pin();
        self.shared.retire(frames, &guard);
    }
}

impl Core {
    pub(super) fn env(&self) -> &Env {
        &self.shared.env
    }

    pub(super) fn file(&self, id: u8) -> Arc<DataFile> {
        self.files.read().get(&id).expect("places are in files of the store").clone()
    }

    /// Whether the frame holds the page's current image. If so, it stays while the guard lives.
    pub(super) fn is_linked(&self, page: PageNumber, frame: FrameNumber, _: &Guard) -> bool {
        self.map.get(page) == MapWord::Frame(frame)
    }

    /// Reads pages that lie next to each other.
    pub(super) fn read_places(&self, first: Place, pages: &mut [u8]) -> Result<(), FileError> {
        self.file(first.file).read(first.index, pages)
    }

    /// What was read there is not the page's image.
    pub(super) fn mismatch(&self, page: PageNumber, word: DiskWord, what: Mismatch) -> ColdError {
        add(&self.shared.counters.mismatches, 1);
        let place = word.place();
        let file = self.file(place.file).path().clone();
        let error = ColdError::Checksum { file, place, page, what };
        self.note_unreadable(page, word, &error);
        error
    }

    /// Notes a page that could not be read.
    pub(super) fn note_unreadable(&self, page: PageNumber, word: DiskWord, why: &ColdError) {
        self.shared.unreadable.note((self.database, page, word.place()), why);
    }

    // ---- reading ----

    #[inline]
    pub(super) fn resident<'g>(
        &self,
        page: PageNumber,
        guard: &'g Guard,
    ) -> Result<&'g Body, Absent> {
        self.shared.counters.look_up(guard);
        match self.map.get(page) {
            MapWord::Frame(frame) => {
                self.shared.state(frame).touch();
                // SAFETY: it was found in the map under the guard, which outlives the result (F2).
                Ok(unsafe { self.shared.frames.body(frame) })
            }
            MapWord::Disk(_) => Err(Absent::Evicted),
            MapWord::Free => Err(Absent::Freed),
        }
    }

    /// The page's image if it is in memory, and where that is on disk, without taking it for
    /// wanted.
    pub(super) fn peek<'g>(&self, page: PageNumber, _: &'g Guard) -> Option<(&'g Body, OnDisk)> {
        match self.map.get(page) {
            MapWord::Frame(frame) => {
                let on_disk = self.shared.state(frame).on_disk();
                // SAFETY: it was found in the map under the guard, which outlives the result (F2).
                Some((unsafe { self.shared.frames.body(frame) }, on_disk))
            }
            MapWord::Disk(_) | MapWord::Free => None,
        }
    }

    /// The current image if it is in memory, or where it is.
    fn pin(self: &Arc<Self>, task: &Task, page: PageNumber) -> Result<Image, MapWord> {
        let _guard = task.pin();
        match self.map.get(page) {
            // SAFETY: it was found in the map under the guard (F2).
            MapWord::Frame(frame) => Ok(unsafe { Image::pinned(&self.shared, frame) }),
            word => Err(word),
        }
    }

    pub(super) fn load(
        self: &Arc<Self>,
        task: &Task,
        page: PageNumber,
        hint: Access,
    ) -> Result<Image, ColdError> {
        let word = match self.pin(task, page) {
            Ok(image) => {
                if hint == Access::Point {
                    image.state().touch();
                }
                return Ok(image);
            }
            Err(MapWord::Disk(word)) => word,
            Err(_) => return Err(ColdError::Freed(page)),
        };
        let (counters, clock) = (&self.shared.counters, self.env().clock());
        add(&counters.misses, 1);
        let began_ns = clock.now_ns();
        let image = self.fetch(task, page, word, hint);
        counters.waited(clock.now_ns() - began_ns);
        image
    }

    /// The current image, which was there a moment ago.
    fn fetch(
        self: &Arc<Self>,
        task: &Task,
        page: PageNumber,
        mut word: DiskWord,
        hint: Access,
    ) -> Result<Image, ColdError> {
        loop {
            let reader = &self.shared.reader;
            let image = match reader.known(self, word) {
                Some(request) => {
                    if hint == Access::Point {
                        reader.hurry(&request);
                    }
                    request.wait(task)?
                }
                None => {
                    let frame = self.shared.take(task)?;
                    let wanted = Wanted::new(self, page, word, hint, frame);
                    reader.read(&self.shared, task, wanted)?
                }
            };
            if let Some(image) = image {
                return Ok(image);
            }
            word = match self.pin(task, page) {
                Ok(image) => return Ok(image),
                Err(MapWord::Disk(word)) => word,
                Err(_) => return Err(ColdError::Freed(page)),
            };
        }
    }

    pub(super) fn read_ahead(self: &Arc<Self>, pages: &[PageNumber]) {
        if !self.shared.reader.reads_ahead() {
            return;
        }
        let on_disk = pages.iter().filter_map(|&page| match self.map.get(page) {
            MapWord::Disk(word) => Some((page, word)),
            MapWord::Frame(_) | MapWord::Free => None,
        });
        let unread = self.shared.reader.unknown(self, on_disk.collect());
        let images = self.shared.take_if_plenty(unread.len());
        let requests = unread.into_iter().zip(images).map(|((page, word), image)| {
            Request::new(Wanted::new(self, page, word, Access::Scan, image), true)
        });
        self.shared.reader.submit_ahead(requests.collect());
    }

    // ---- changing ----

    /// A number for a new page.
    pub(super) fn take_number(&self) -> Result<PageNumber, ColdError> {
        let mut numbers = self.numbers.lock();
        if let Some(page) = numbers.free.pop() {
            return Ok(page);
        }
        if numbers.end >= NUMBERS_MAX {
            return Err(self.full());
        }
        let page = PageNumber(numbers.end);
        self.map.ensure(page);
        numbers.end += 1;
        Ok(page)
    }

    /// Makes a private image the page's current one. The frame that had the last one is to be
    /// retired.
    #[must_use]
    pub(super) fn link(&self, page: PageNumber, image: Image) -> Option<FrameNumber> {
        let state = image.state();
        state.adopt(self.slot, page);
        if let MapWord::Frame(old) = self.map.get(page) {
            // It takes its predecessor's place in the replacement.
            state.set_marks(self.shared.state(old).marks());
            if self.shared.state(old).is_referenced() {
                state.touch();
            }
        }
        self.shared.dirty.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let frame = image.into_frame();
        let _publishing = self.publishing.read();
        let old = self.map.publish(page, MapWord::Frame(frame));
        self.shared.enqueue(&[frame]);
        self.supersede(page, old)
    }

    /// There is no such page any more. The frame that had its image is to be retired.
    #[must_use]
    pub(super) fn unlink(&self, page: PageNumber) -> Option<FrameNumber> {
        let _publishing = self.publishing.read();
        let old = self.map.publish(page, MapWord::Free);
        if old == MapWord::Free {
            return None; // it was freed before; its number must not be had twice
        }
        self.freed.lock().push(page);
        self.supersede(page, old)
    }

    fn supersede(&self, page: PageNumber, old: MapWord) -> Option<FrameNumber> {
        match old {
            MapWord::Free => None,
            MapWord::Disk(word) => {
                self.superseded.lock().push((page, word));
                None
            }
            MapWord::Frame(frame) => {
                match self.shared.state(frame).supersede() {
                    OnDisk::At(word) => self.superseded.lock().push((page, word)),
                    OnDisk::Nowhere => {
                        self.shared.dirty.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                    }
                    OnDisk::Gone => unreachable!("an image is superseded once"),
                }
                Some(frame)
            }
        }
    }

    // ---- writing ----

    fn full(&self) -> ColdError {
        let files = self.files.read();
        ColdError::Full(files.values().next().expect("a store has a file").path().clone())
    }

    /// Takes places for up to this many pages; grows a file if need be.
    fn take_run(&self, wanted: u32) -> Result<Run, ColdError> {
        let mut space = self.space.lock();
        let mut refused = None;
        loop {
            if let Some(run) = space.take_run(wanted, refused.is_some()) {
                return Ok(run);
            }
            if space.open_end() {
                continue;
            }
            if let Some(error) = refused {
                return Err(error);
            }
            refused = match space.growable() {
                Some((id, pages)) => match self.file(id).set_pages(pages) {
                    Ok(()) => {
                        space.grow(id, pages);
                        None
                    }
                    Err(error) => Some(error),
                },
                None => Some(self.full()),
            };
        }
    }

    /// Writes pages to free places, one after the other as far as there is room. `fill` writes the
    /// body of the n-th; `written` is told where it is. After an error the rest has not been
    /// written.
    pub(super) fn write_pages(
        &self,
        kind: Kind,
        numbers: &[u64],
        mut fill: impl FnMut(usize, &mut [u8]),
        mut written: impl FnMut(usize, DiskWord),
    ) -> Result<(), ColdError> {
        let mut done = 0;
        while done < numbers.len() {
            let run = self.take_run((numbers.len() - done) as u32)?;
            let mut writer = self.writer.lock();
            let stamp = writer.next_stamp;
            writer.next_stamp += u64::from(run.pages);
            let bytes = run.pages as usize * PAGE_BYTES;
            let pages = writer.buffer[..bytes].chunks_exact_mut(PAGE_BYTES);
            for (n, page) in pages.enumerate() {
                fill(done + n, &mut page[PAGE_HEADER_BYTES..]);
                let (stamp, place) = (stamp + n as u64, run.place.plus(n as u32));
                seal(page, self.seed, kind, numbers[done + n], stamp, place);
            }
            let file = self.file(run.place.file);
            if let Err(error) = file.write(run.place.index, &writer.buffer[..bytes]) {
                drop(writer);
                let mut space = self.space.lock();
                (0..run.pages).for_each(|n| space.give(run.place.plus(n)));
                return Err(error.into());
            }
            for n in 0..run.pages as usize {
                let place = run.place.plus(n as u32);
                let word = DiskWord::new(place, stamp + n as u64);
                if kind == Kind::Data {
                    writer.unsynced.push((PageNumber(numbers[done + n]), word));
                }
                written(done + n, word);
            }
            drop(writer);
            add(&self.shared.counters.writes, run.pages as usize);
            done += run.pages as usize;
        }
        Ok(())
    }

    /// Writes images that are not on disk yet. `written` is told where each is, also if another
    /// thread has written it meanwhile.
    pub(super) fn write_images(
        &self,
        images: &[(PageNumber, &Image)],
        mut written: impl FnMut(usize, DiskWord),
    ) -> Result<(), ColdError> {
        let numbers: Vec<u64> = images.iter().map(|(page, _)| page.0).collect();
        let fill = |n: usize, body: &mut [u8]| body.copy_from_slice(&images[n].1[..]);
        self.write_pages(Kind::Data, &numbers, fill, |n, word| {
            let (page, image) = images[n];
            match image.state().written(word) {
                Ok(()) => {
                    self.shared.dirty.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                    written(n, word);
                }
                Err(OnDisk::At(other)) => {
                    self.space.lock().give(word.place());
                    written(n, other);
                }
                Err(_) => {
                    // Only a checkpoint that has captured it will ask for it.
                    self.superseded.lock().push((page, word));
                    written(n, word);
                }
            }
        })
    }

    /// Writes images back so that they may leave memory.
    pub(super) fn write_back(&self, images: &[(PageNumber, &Image)]) -> Result<(), ColdError> {
        let dirty: Vec<_> = images
            .iter()
            .filter(|(_, image)| image.state().on_disk() == OnDisk::Nowhere)
            .copied()
            .collect();
        self.write_images(&dirty, |_, _| {})
    }
}

impl Pages for Store {
    type Pinned = Image;

    #[inline]
    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent> {
        self.core.resident(page, guard)
    }

    fn load(&self, task: &Task, page: PageNumber, hint: Access) -> Result<Image, ColdError> {
        self.core.load(task, page, hint)
    }

    fn read_ahead(&self, pages: &[PageNumber]) {
        self.core.read_ahead(pages);
    }

    fn read_ahead_max(&self) -> usize {
        self.core.shared.read_ahead_max()
    }
}

//! The pages of one database: which image is current, and how it is changed and written.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crossbeam_epoch::Guard;
use env::memory::AlignedBytes;
use env::{Env, FileError};

use super::counters::add;
use super::error::{ColdError, Mismatch};
use super::file::DataFile;
use super::frame::OnDisk;
use super::image::{Kind, Seed, seal};
use super::map::{Map, NUMBERS_MAX};
use super::memory::{Image, Memory};
use super::pace::Pace;
use super::page::{Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
use super::pages::Absent;
use super::place::{DiskWord, FrameNumber, MapWord, Place};
use super::places::{Run, Space};
use super::root::CheckpointState;
use super::rowcache::{RowCache, SharedSettings};
use super::unreadable::ImageId;
use crate::sync::parking::{Mutex, RwLock};
use crate::wait::Task;

/// The part of a store that it shares with the pool's threads and with its batches.
pub struct StoreCore {
    /// The store's place in the pool's table.
    pub(super) slot: u16,
    pub(super) database: u128,
    pub(super) seed: Seed,
    pub(super) memory: Arc<Memory>,
    pub(super) map: Map,
    pub(super) files: RwLock<BTreeMap<u8, Arc<DataFile>>>,
    pub(super) space: Mutex<Space>,
    pub(super) numbers: Mutex<Numbers>,
    /// Images that have been superseded since the last capture. The flip of the next checkpoint
    /// frees their places (K2).
    pub(super) superseded: Mutex<Vec<StoredImage>>,
    /// Pages that were freed since the last capture.
    pub(super) freed: Mutex<Vec<PageNumber>>,
    /// Held shared while a page gets another image and the old one is put on the list, and
    /// exclusively by a capture, for which both must have happened or neither (K2).
    pub(super) publishing: RwLock<()>,
    pub(super) writer: Mutex<Writer>,
    pub(super) checkpoint: Mutex<CheckpointState>,
    /// How long single pages took to be read from the files.
    pub(super) pace: Pace,
    /// Copies of single rows of its trees, if rows are cached.
    pub(super) row_cache: OnceLock<RowCache>,
    pub(super) row_cache_settings: Arc<SharedSettings>,
}

/// The page numbers that are free: those in `free`, and all from `end` on.
#[derive(Debug)]
pub(super) struct Numbers {
    pub free: Vec<PageNumber>,
    pub end: u64,
}

/// An image that is on disk.
#[derive(Clone, Copy)]
pub(super) struct StoredImage {
    pub page: PageNumber,
    pub word: DiskWord,
}

/// An image in memory.
#[derive(Clone, Copy)]
pub(super) struct PageImage<'i> {
    pub page: PageNumber,
    pub image: &'i Image,
}

/// The state of writes: a buffer, the next stamp, and the images that no sync has made durable.
pub(super) struct Writer {
    pub buffer: AlignedBytes,
    pub next_stamp: u64,
    /// Images written since the last sync began.
    pub unsynced: Vec<StoredImage>,
    /// Images that a failed sync may have lost.
    pub suspects: HashSet<DiskWord>,
}

impl Drop for StoreCore {
    fn drop(&mut self) {
        let frames: Vec<_> = self.map.resident().map(|(_, frame)| frame).collect();
        let is_dirty =
            |frame: &&FrameNumber| self.memory.state(**frame).supersede() == OnDisk::Nowhere;
        let dirty = frames.iter().filter(is_dirty).count() as u64;
        self.memory.dirty.fetch_sub(dirty, Relaxed);
        let handle = self.memory.collector.register();
        let guard = handle.pin();
        self.memory.retire(frames, &guard);
    }
}

impl StoreCore {
    /// Empties the row cache, if there is one.
    pub(super) fn clear_row_cache(&self) {
        if let Some(cache) = self.row_cache.get() {
            cache.clear(&self.memory.collector.register().pin());
        }
    }

    /// Whether there is a row cache that must not change its share.
    pub(super) fn holds_division(&self) -> bool {
        self.row_cache.get().is_some() && !self.row_cache_settings.is_tuning()
    }

    pub(super) fn env(&self) -> &Env {
        &self.memory.env
    }

    pub(super) fn file(&self, id: u8) -> Arc<DataFile> {
        self.files.read().get(&id).expect("places are in files of the store").clone()
    }

    /// Whether the frame holds the page's current image. If so, the image stays while the guard
    /// lives.
    pub(super) fn is_linked(&self, page: PageNumber, frame: FrameNumber, _: &Guard) -> bool {
        self.map.get(page) == MapWord::Frame(frame)
    }

    /// The number by which the replacement remembers the page after its eviction.
    pub(super) fn identity_of(&self, page: PageNumber) -> u64 {
        u64::from(self.slot) << 48 | page.0
    }

    /// Reads consecutive pages.
    pub(super) fn read_places(&self, first: Place, pages: &mut [u8]) -> Result<(), FileError> {
        self.file(first.file).read(first.index, pages)
    }

    /// Counts and notes a read that returned other bytes than the page's image. Returns the error.
    pub(super) fn mismatch(&self, page: PageNumber, word: DiskWord, what: Mismatch) -> ColdError {
        add(&self.memory.counters.mismatches, 1);
        let place = word.place();
        let file = self.file(place.file).path().clone();
        let error = ColdError::Checksum { file, place, page, what };
        self.note_unreadable(page, word, &error);
        error
    }

    /// Notes a page that could not be read.
    pub(super) fn note_unreadable(&self, page: PageNumber, word: DiskWord, why: &ColdError) {
        let image = ImageId { database: self.database, page, place: word.place() };
        self.memory.unreadable.note(image, why);
    }

    // ---- reading ----

    #[inline]
    pub(super) fn resident<'g>(
        &self,
        page: PageNumber,
        guard: &'g Guard,
    ) -> Result<&'g Body, Absent> {
        self.memory.counters.look_up(guard);
        match self.map.get(page) {
            MapWord::Frame(frame) => {
                self.memory.state(frame).touch();
                // SAFETY: the frame was found in the map under the guard, which outlives the result
                // (F2).
                Ok(unsafe { self.memory.frames.body(frame) })
            }
            MapWord::Disk(_) => Err(Absent::Evicted),
            MapWord::Free => Err(Absent::Freed),
        }
    }

    /// The page's image if it is in memory, and where that is on disk. Does not mark the frame as
    /// read.
    pub(super) fn peek<'g>(&self, page: PageNumber, _: &'g Guard) -> Option<(&'g Body, OnDisk)> {
        match self.map.get(page) {
            MapWord::Frame(frame) => {
                let on_disk = self.memory.state(frame).on_disk();
                // SAFETY: the frame was found in the map under the guard, which outlives the result
                // (F2).
                Some((unsafe { self.memory.frames.body(frame) }, on_disk))
            }
            MapWord::Disk(_) | MapWord::Free => None,
        }
    }

    /// Pins the current image if it is in memory; else returns where it is.
    pub(super) fn pin(&self, task: &Task, page: PageNumber) -> Result<Image, MapWord> {
        let _guard = task.pin();
        match self.map.get(page) {
            // SAFETY: the frame was found in the map under the guard (F2).
            MapWord::Frame(frame) => Ok(unsafe { Image::pinned(&self.memory, frame) }),
            word => Err(word),
        }
    }

    // ---- changing ----

    /// Takes a number for a new page.
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

    /// Makes a private image the page's current one. Returns the previous image's frame, which the
    /// caller retires.
    #[must_use]
    pub(super) fn link(&self, page: PageNumber, image: Image) -> Option<FrameNumber> {
        let state = image.state();
        state.set_identity(self.slot, page);
        if let MapWord::Frame(old) = self.map.get(page) {
            // The new frame takes the old one's place in the replacement.
            state.set_marks(self.memory.state(old).marks());
            if self.memory.state(old).is_referenced() {
                state.touch();
            }
        }
        self.memory.dirty.fetch_add(1, Relaxed);
        let frame = image.into_frame();
        let _publishing = self.publishing.read();
        let old = self.map.publish(page, MapWord::Frame(frame));
        self.memory.enqueue(&[frame]);
        self.supersede(page, old)
    }

    /// Frees the page. Returns the frame of its image, which the caller retires.
    #[must_use]
    pub(super) fn unlink(&self, page: PageNumber) -> Option<FrameNumber> {
        let _publishing = self.publishing.read();
        let old = self.map.publish(page, MapWord::Free);
        if old == MapWord::Free {
            return None; // it was freed before; its number must not be freed twice
        }
        self.freed.lock().push(page);
        self.supersede(page, old)
    }

    fn supersede(&self, page: PageNumber, old: MapWord) -> Option<FrameNumber> {
        match old {
            MapWord::Free => None,
            MapWord::Disk(word) => {
                self.superseded.lock().push(StoredImage { page, word });
                None
            }
            MapWord::Frame(frame) => {
                match self.memory.state(frame).supersede() {
                    OnDisk::At(word) => self.superseded.lock().push(StoredImage { page, word }),
                    OnDisk::Nowhere => {
                        self.memory.dirty.fetch_sub(1, Relaxed);
                    }
                    OnDisk::Superseded => unreachable!("an image is superseded once"),
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

    /// Writes pages to free places, consecutive ones as far as there is room. `fill` fills in the
    /// body of the n-th; `written` gets its place. After an error the remaining pages have not been
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
                    let page = PageNumber(numbers[done + n]);
                    writer.unsynced.push(StoredImage { page, word });
                }
                written(done + n, word);
            }
            drop(writer);
            add(&self.memory.counters.writes, run.pages as usize);
            done += run.pages as usize;
        }
        Ok(())
    }

    /// Writes images that are not on disk yet. `written` gets the place of each, also if another
    /// thread has written it meanwhile.
    pub(super) fn write_images(
        &self,
        images: &[PageImage<'_>],
        mut written: impl FnMut(usize, DiskWord),
    ) -> Result<(), ColdError> {
        let numbers: Vec<u64> = images.iter().map(|own| own.page.0).collect();
        let fill = |n: usize, body: &mut [u8]| body.copy_from_slice(&images[n].image[..]);
        self.write_pages(Kind::Data, &numbers, fill, |n, word| {
            let PageImage { page, image } = images[n];
            match image.state().written(word) {
                Ok(()) => {
                    self.memory.dirty.fetch_sub(1, Relaxed);
                    written(n, word);
                }
                Err(OnDisk::At(other)) => {
                    self.space.lock().give(word.place());
                    written(n, other);
                }
                Err(_) => {
                    // It was superseded: only a checkpoint that has captured it needs it.
                    self.superseded.lock().push(StoredImage { page, word });
                    written(n, word);
                }
            }
        })
    }

    /// Writes the dirty ones of these images, so that they can be evicted.
    pub(super) fn write_back(&self, images: &[PageImage<'_>]) -> Result<(), ColdError> {
        let dirty: Vec<_> = images
            .iter()
            .filter(|own| own.image.state().on_disk() == OnDisk::Nowhere)
            .copied()
            .collect();
        self.write_images(&dirty, |_, _| {})
    }
}

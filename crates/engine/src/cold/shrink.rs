//! Shrinking files: images at the end are moved to free places in front of it, and the end is cut
//! off.
//!
//! An image is moved by writing a copy of it, which readers then use. The next root names the new
//! place, and gives the old one back; so nothing here needs a sync of its own.

use std::sync::Arc;

use super::error::ColdError;
use super::frame::OnDisk;
use super::image::Kind;
use super::map::CHUNK_WORDS;
use super::page::PageNumber;
use super::place::{DiskWord, MapWord};
use super::places::RUN_PAGES_MAX;
use super::store::Store;
use super::store_core::{StoreCore, StoredImage};

impl Store {
    /// Moves images out of the end of a file, as far as they have room in front of it. Until
    /// [`Store::shrink`] nothing is written to that end, unless there is no other room. The caller
    /// makes a checkpoint next, and then calls [`Store::shrink`]. Returns how many images were
    /// moved.
    ///
    /// The caller makes sure that no checkpoint runs meanwhile; batches may. After an error some
    /// images have been moved.
    pub fn move_out_of_end(&self, file: u8) -> Result<u64, ColdError> {
        let core = &self.core;
        let (chunks, directory) = {
            let state = core.checkpoint.lock();
            (state.chunks.clone(), state.directory.clone())
        };
        let maps = chunks.len() + directory.len();
        let Some(end) = core.space.lock().close_end(file, maps as u32) else { return Ok(0) };
        let is_beyond = |word: &DiskWord| {
            let place = word.place();
            place.file == file && place.index >= end
        };
        // The checkpoint writes a map page anew if a page that it names has changed.
        for (words, pages) in [(&chunks, CHUNK_WORDS), (&directory, CHUNK_WORDS * CHUNK_WORDS)] {
            let words = words.iter().enumerate();
            for (number, _) in words.filter(|(_, word)| word.as_ref().is_some_and(is_beyond)) {
                core.map.mark_changed(PageNumber((number * pages) as u64));
            }
        }
        let last = core.numbers.lock().end;
        let mut beyond = (1..last).map(PageNumber).filter_map(|page| {
            let word = core.clean_word(page)?;
            is_beyond(&word).then_some(StoredImage { page, word })
        });
        let mut moved = 0;
        loop {
            let some: Vec<_> = beyond.by_ref().take(RUN_PAGES_MAX as usize).collect();
            if some.is_empty() {
                return Ok(moved);
            }
            moved += core.move_images(&some).inspect_err(|_| {
                core.space.lock().open_end();
            })?;
        }
    }
}

impl StoreCore {
    /// Where the page's current image is on disk; `None` if it is not there.
    fn clean_word(&self, page: PageNumber) -> Option<DiskWord> {
        let handle = self.memory.collector.register();
        let _guard = handle.pin();
        match self.map.get(page) {
            MapWord::Disk(word) => Some(word),
            MapWord::Frame(frame) => match self.memory.state(frame).on_disk() {
                OnDisk::At(word) => Some(word),
                OnDisk::Nowhere | OnDisk::Superseded => None,
            },
            MapWord::Free => None,
        }
    }

    /// Copies images to other places, and makes readers use the copies. An image that cannot be
    /// read is an error, unless it has been replaced meanwhile. Returns how many were copied.
    fn move_images(self: &Arc<Self>, images: &[StoredImage]) -> Result<u64, ColdError> {
        let mut bodies = Vec::with_capacity(images.len());
        for &StoredImage { page, word } in images {
            match self.read_page(Kind::Data, page.0, word) {
                Ok(body) => bodies.push((page, word, body)),
                Err(error) if self.clean_word(page) == Some(word) => return Err(error),
                Err(_) => {}
            }
        }
        let numbers: Vec<u64> = bodies.iter().map(|(page, ..)| page.0).collect();
        let mut places = Vec::with_capacity(bodies.len());
        let fill = |n: usize, bytes: &mut [u8]| bytes.copy_from_slice(&bodies[n].2[..]);
        let written = self.write_pages(Kind::Data, &numbers, fill, |_, to| places.push(to));
        for ((page, from, _), to) in bodies.iter().zip(&places) {
            self.relocate(*page, *from, *to);
            self.map.mark_changed(*page);
        }
        written.map(|()| places.len() as u64)
    }
}

//! Free space: which places of a store's files are taken.
//!
//! Places are handed out in runs, cut from whole free extents as long as there are any, so that
//! pages that are written in sequence lie in sequence. Holes in partly taken extents are filled
//! when they are a good part of the file, or when the file cannot grow.

use std::ops::Range;

use super::place::Place;
use super::root::FileLength;

/// Pages of an extent.
pub const EXTENT_PAGES: u32 = 8;
/// Extents at the beginning of a file that hold no pages.
pub const RESERVED_EXTENTS: u32 = 3;
/// The longest run that is handed out: a megabyte.
pub const RUN_PAGES_MAX: u32 = 128;
/// Holes are filled before the file grows when they are more than one in this many of its pages.
const HOLES_OF: u32 = 5;
/// Free places that are kept in front of the end that a file is to lose, for pages that are written
/// meanwhile.
const SPARE_PAGES: u32 = 64;
const FULL: u8 = u8::MAX;

/// How a file grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// Pages of a new file.
    pub initial_pages: u32,
    /// The fewest pages that are added at a time.
    pub step_pages: u32,
    /// The part of the file that is added at a time, in percent, if that is more.
    pub percent: u32,
    /// The most pages that `percent` stands for.
    pub step_pages_max: u32,
    /// The greatest length of the file.
    pub pages_max: u32,
}

impl Default for Growth {
    /// 64 MB, or 10 % up to 1 GB.
    fn default() -> Growth {
        const MB: u32 = (1 << 20) / 8192;
        Growth {
            initial_pages: 8 * MB,
            step_pages: 64 * MB,
            percent: 10,
            step_pages_max: 1024 * MB,
            pages_max: u32::MAX - EXTENT_PAGES,
        }
    }
}

impl Growth {
    /// The length of a file of this length after it has grown; `None` if it may not grow.
    pub fn next(&self, pages: u32) -> Option<u32> {
        let part = (u64::from(pages) * u64::from(self.percent) / 100) as u32;
        let step = self.step_pages.max(part.min(self.step_pages_max)).max(EXTENT_PAGES);
        let grown = pages.saturating_add(step).min(self.pages_max) / EXTENT_PAGES * EXTENT_PAGES;
        (grown > pages).then_some(grown)
    }

    /// The length of a new file.
    pub fn initial(&self) -> u32 {
        let least = (RESERVED_EXTENTS + 1) * EXTENT_PAGES;
        self.initial_pages.max(least).next_multiple_of(EXTENT_PAGES)
    }
}

/// Consecutive places that are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first.
    pub place: Place,
    /// How many.
    pub pages: u32,
}

/// How the pages of files are used.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SpaceStats {
    /// All pages.
    pub total_pages: u64,
    /// Pages taken by images (current ones, and superseded ones until the next checkpoint), by the
    /// map, and by the files' headers and roots.
    pub used_pages: u64,
}

impl SpaceStats {
    /// Pages that are free without growing a file.
    pub fn free_pages(&self) -> u64 {
        self.total_pages - self.used_pages
    }
}

/// The places that are taken in the files of one store.
#[derive(Debug, Default)]
pub struct Space {
    files: Vec<FileSpace>,
}

#[derive(Debug)]
struct FileSpace {
    id: u8,
    growth: Growth,
    /// A bit for each page, a byte for each extent.
    taken: Vec<u8>,
    taken_pages: u32,
    free_extents: u32,
    /// No extent before this one is free.
    first_free: usize,
    /// No extent before this one has a hole.
    first_hole: usize,
    /// The pages that are left of the run of free extents that was begun last.
    begun: Range<u32>,
    /// No page from here on is handed out.
    closed: u32,
}

impl Space {
    /// Adds an empty file.
    pub fn add(&mut self, id: u8, pages: u32, growth: Growth) {
        let mut file = FileSpace {
            id,
            growth,
            taken: Vec::new(),
            taken_pages: 0,
            free_extents: 0,
            first_free: 0,
            first_hole: 0,
            begun: 0..0,
            closed: u32::MAX,
        };
        file.grow(pages);
        for index in 0..RESERVED_EXTENTS * EXTENT_PAGES {
            file.take(index);
        }
        self.files.push(file);
    }

    /// Takes up to this many consecutive places, without growing a file. Returns `None` if no place
    /// is free, or if only holes are and a file should grow before they are filled; `holes` fills
    /// them in any case.
    pub fn take_run(&mut self, wanted: u32, holes: bool) -> Option<Run> {
        let wanted = wanted.min(RUN_PAGES_MAX);
        let roomy = self.files.iter_mut().max_by_key(|file| file.open_pages())?;
        if let Some(run) = roomy.take_from_extents(wanted) {
            return Some(run);
        }
        let file = self.files.iter_mut().max_by_key(|file| file.free_pages())?;
        let many = file.free_pages() > file.pages() / HOLES_OF;
        if many || holes || file.is_closed() { file.take_hole(wanted) } else { None }
    }

    /// Takes this place, when the map is read. Returns `false` if there is no such place or it is
    /// taken.
    pub fn take_place(&mut self, place: Place) -> bool {
        let Some(file) = self.files.iter_mut().find(|file| file.id == place.file) else {
            return false;
        };
        let free = place.index < file.pages() && !file.is_taken(place.index);
        if free {
            file.take(place.index);
        }
        free
    }

    /// Gives a place back.
    ///
    /// # Panics
    /// If it was not taken.
    pub fn give(&mut self, place: Place) {
        let file = self.file(place.file);
        assert!(file.is_taken(place.index), "{place:?} is given back once");
        file.give(place.index);
    }

    /// The file that would be shortest after it has grown, and its length then; `None` if no file
    /// may grow.
    pub fn growable(&self) -> Option<(u8, u32)> {
        let growable = |file: &FileSpace| Some((file.id, file.growth.next(file.pages())?));
        self.files.iter().filter_map(growable).min_by_key(|&(_, pages)| pages)
    }

    /// Notes that the file has grown to this many pages.
    pub fn grow(&mut self, id: u8, pages: u32) {
        self.file(id).grow(pages);
    }

    /// Stops handing out places at the end of a file. Returns where that end begins: in front of it
    /// is room for all places that are taken, and for this many more. Returns `None` if the file
    /// has no room to spare.
    pub fn close_end(&mut self, id: u8, more: u32) -> Option<u32> {
        let file = self.file(id);
        let end = (file.taken_pages + more + SPARE_PAGES).next_multiple_of(EXTENT_PAGES);
        if end >= file.pages() {
            return None;
        }
        (file.closed, file.begun) = (end, 0..0);
        Some(end)
    }

    /// Hands out places at the end of files again. Returns whether the end of a file was closed.
    pub fn open_end(&mut self) -> bool {
        let closed = self.files.iter().any(FileSpace::is_closed);
        self.files.iter_mut().for_each(|file| file.closed = u32::MAX);
        closed
    }

    /// How many pages the file would keep if the free extents at its end were cut off.
    pub fn needed_pages(&mut self, id: u8) -> u32 {
        let taken = &self.file(id).taken;
        taken.iter().rposition(|&extent| extent != 0).map_or(0, |last| last as u32 + 1)
            * EXTENT_PAGES
    }

    /// Notes that the file was truncated to this many pages. The extents that were cut off are
    /// free.
    pub fn cut(&mut self, id: u8, pages: u32) {
        let file = self.file(id);
        let cut = file.taken.split_off((pages / EXTENT_PAGES) as usize);
        assert!(cut.iter().all(|&extent| extent == 0), "what is cut off is free");
        file.free_extents -= cut.len() as u32;
        file.begun = 0..0;
    }

    /// The files and their lengths.
    pub fn lengths(&self) -> Vec<FileLength> {
        self.files.iter().map(|file| FileLength { id: file.id, pages: file.pages() }).collect()
    }

    /// How all files are used.
    pub fn stats(&self) -> SpaceStats {
        SpaceStats {
            total_pages: self.files.iter().map(|file| u64::from(file.pages())).sum(),
            used_pages: self.files.iter().map(|file| u64::from(file.taken_pages)).sum(),
        }
    }

    fn file(&mut self, id: u8) -> &mut FileSpace {
        self.files.iter_mut().find(|file| file.id == id).expect("the store has this file")
    }
}

impl FileSpace {
    fn pages(&self) -> u32 {
        self.taken.len() as u32 * EXTENT_PAGES
    }

    fn free_pages(&self) -> u32 {
        self.pages() - self.taken_pages
    }

    /// Free pages in whole extents, and in the run that was begun last.
    fn open_pages(&self) -> u32 {
        self.begun.end - self.begun.start + self.free_extents * EXTENT_PAGES
    }

    fn is_closed(&self) -> bool {
        self.closed != u32::MAX
    }

    /// The extents that may be handed out.
    fn open_extents(&self) -> &[u8] {
        &self.taken[..self.taken.len().min((self.closed / EXTENT_PAGES) as usize)]
    }

    fn is_taken(&self, page: u32) -> bool {
        self.taken[(page / EXTENT_PAGES) as usize] & (1 << (page % EXTENT_PAGES)) != 0
    }

    fn take(&mut self, page: u32) {
        let extent = &mut self.taken[(page / EXTENT_PAGES) as usize];
        self.free_extents -= u32::from(*extent == 0);
        *extent |= 1 << (page % EXTENT_PAGES);
        self.taken_pages += 1;
    }

    fn give(&mut self, page: u32) {
        let number = (page / EXTENT_PAGES) as usize;
        let extent = &mut self.taken[number];
        *extent &= !(1 << (page % EXTENT_PAGES));
        self.taken_pages -= 1;
        self.first_hole = self.first_hole.min(number);
        if *extent == 0 {
            self.free_extents += 1;
            self.first_free = self.first_free.min(number);
        }
    }

    fn grow(&mut self, pages: u32) {
        let extents = (pages / EXTENT_PAGES) as usize;
        let added = extents.saturating_sub(self.taken.len());
        self.taken.resize(self.taken.len() + added, 0);
        self.free_extents += added as u32;
    }

    fn take_from_extents(&mut self, wanted: u32) -> Option<Run> {
        if self.begun.is_empty() || self.is_taken(self.begun.start) {
            self.begun = self.begin()?;
        }
        let mut end = self.begun.start;
        while end < self.begun.end.min(self.begun.start + wanted) && !self.is_taken(end) {
            end += 1;
        }
        let first = std::mem::replace(&mut self.begun.start, end);
        Some(self.take_all(first, end))
    }

    /// Finds the first free extents that are consecutive, at most as many as the longest run takes.
    fn begin(&mut self) -> Option<Range<u32>> {
        if self.free_extents == 0 {
            return None;
        }
        let open = self.open_extents();
        let free = open.get(self.first_free..)?.iter().position(|&extent| extent == 0)?;
        let first = self.first_free + free;
        let most = (RUN_PAGES_MAX / EXTENT_PAGES) as usize;
        let count = open[first..].iter().take(most).take_while(|&&e| e == 0).count();
        self.first_free = first;
        Some(first as u32 * EXTENT_PAGES..(first + count) as u32 * EXTENT_PAGES)
    }

    fn take_hole(&mut self, wanted: u32) -> Option<Run> {
        let open = self.open_extents();
        let hole = open.get(self.first_hole..)?.iter().position(|&extent| extent != FULL)?;
        let pages = open.len() as u32 * EXTENT_PAGES;
        self.first_hole += hole;
        let extent = self.taken[self.first_hole];
        let first = self.first_hole as u32 * EXTENT_PAGES + extent.trailing_ones();
        let mut end = first;
        while end < pages.min(first + wanted) && !self.is_taken(end) {
            end += 1;
        }
        Some(self.take_all(first, end))
    }

    fn take_all(&mut self, first: u32, end: u32) -> Run {
        (first..end).for_each(|page| self.take(page));
        Run { place: Place { file: self.id, index: first }, pages: end - first }
    }
}

#[cfg(test)]
mod tests;

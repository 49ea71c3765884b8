//! Places in files, and the word by which the page map says where a page is.

use super::page::PAGE_BYTES;

/// Where a page's image lies on disk: a file and a page within it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file's number within its database, from 1.
    pub file: u8,
    /// The page within the file, from 0.
    pub index: u32,
}

impl Place {
    /// Bytes from the beginning of the file.
    pub fn offset(self) -> u64 {
        u64::from(self.index) * PAGE_BYTES as u64
    }

    /// The place this many pages further on.
    pub fn plus(self, pages: u32) -> Place {
        Place { file: self.file, index: self.index + pages }
    }

    /// As one number.
    pub fn to_bits(self) -> u64 {
        u64::from(self.file) << 32 | u64::from(self.index)
    }
}

/// A place and the stamp of the image that was written there: how the map names an image on disk,
/// both in the file and in memory.
///
/// ```text
/// file: 8 | index: 32 | low bits of the stamp: 22 | 01
/// ```
///
/// Every write gets a stamp that is one more than the last. If a write is lost, its place holds an
/// image with another stamp. The chance that the low bits are equal is one in four million.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiskWord(u64);

const TAG_BITS: u32 = 2;
const STAMP_BITS: u32 = 22;
const DISK_TAG: u64 = 0b01;
const FRAME_TAG: u64 = 0b10;
const TAG_MASK: u64 = 0b11;

impl DiskWord {
    /// The image with this stamp at this place.
    pub fn new(place: Place, stamp: u64) -> DiskWord {
        let stamp = (stamp & ((1 << STAMP_BITS) - 1)) << TAG_BITS;
        DiskWord(place.to_bits() << (TAG_BITS + STAMP_BITS) | stamp | DISK_TAG)
    }

    /// The word that [`DiskWord::to_bits`] encoded; `None` if the number is no such word.
    pub fn from_bits(bits: u64) -> Option<DiskWord> {
        let word = DiskWord(bits);
        (bits & TAG_MASK == DISK_TAG && word.place().file != 0).then_some(word)
    }

    /// As one number, never 0.
    pub fn to_bits(self) -> u64 {
        self.0
    }

    /// Where the image lies.
    pub fn place(self) -> Place {
        let place = self.0 >> (TAG_BITS + STAMP_BITS);
        Place { file: (place >> 32) as u8, index: place as u32 }
    }

    /// The low bits of the image's stamp, which [`DiskWord::has_stamp`] takes in its place.
    pub fn stamp_bits(self) -> u64 {
        self.0 >> TAG_BITS & ((1 << STAMP_BITS) - 1)
    }

    /// Whether an image with this stamp is the one that the word names.
    pub fn has_stamp(self, stamp: u64) -> bool {
        DiskWord::new(self.place(), stamp) == self
    }
}

impl std::fmt::Debug for DiskWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { file, index } = self.place();
        write!(f, "{file}:{index}#{}", self.stamp_bits())
    }
}

/// A frame, counted from the beginning of the pool's memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FrameNumber(pub u32);

/// The map's word for a page: where its current image is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapWord {
    /// The page does not exist.
    Free,
    /// Its current image is on disk.
    Disk(DiskWord),
    /// Its current image is in memory.
    Frame(FrameNumber),
}

impl MapWord {
    /// As the number that is stored.
    #[inline]
    pub fn to_bits(self) -> u64 {
        match self {
            MapWord::Free => 0,
            MapWord::Disk(word) => word.0,
            MapWord::Frame(frame) => u64::from(frame.0) << TAG_BITS | FRAME_TAG,
        }
    }

    /// The word that [`MapWord::to_bits`] encoded.
    #[inline]
    pub fn from_bits(bits: u64) -> MapWord {
        match bits & TAG_MASK {
            FRAME_TAG => MapWord::Frame(FrameNumber((bits >> TAG_BITS) as u32)),
            DISK_TAG => MapWord::Disk(DiskWord(bits)),
            _ => MapWord::Free,
        }
    }
}

#[cfg(test)]
mod tests;

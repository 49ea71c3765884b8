//! The format of pages on disk: a checksummed header that identifies the page, and the body.
//!
//! ```text
//! checksum: u32 | kind: u8 | 0: 3 | number: u64 | stamp: u64 | place: u64 | body
//! ```
//!
//! All integers are little-endian. The checksum is a CRC-32C of everything after it, seeded by the
//! database's identity, so that a page of another database does not pass.

use super::error::Mismatch;
use super::page::{Body, PAGE_BYTES, PAGE_HEADER_BYTES};
use super::place::{DiskWord, Place};

/// What a page holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A page of a tree. The number is the page's.
    Data = 1,
    /// Words of the page map. The number is that of the chunk.
    Map = 2,
    /// Words that say where the map's pages are. The number is the directory page's index.
    Directory = 3,
}

/// The initial value of a database's checksums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed(u32);

impl Seed {
    /// The seed of the database with this identity.
    pub fn new(database: u128) -> Seed {
        Seed(crc32c::crc32c(&database.to_le_bytes()))
    }

    fn checksum(self, page: &[u8]) -> u32 {
        crc32c::crc32c_append(self.0, &page[4..])
    }
}

/// Writes the header in front of the body.
pub fn seal(page: &mut [u8], seed: Seed, kind: Kind, number: u64, stamp: u64, place: Place) {
    assert_eq!(page.len(), PAGE_BYTES, "a whole page");
    page[4..8].copy_from_slice(&[kind as u8, 0, 0, 0]);
    page[8..16].copy_from_slice(&number.to_le_bytes());
    page[16..24].copy_from_slice(&stamp.to_le_bytes());
    page[24..32].copy_from_slice(&place.to_bits().to_le_bytes());
    let checksum = seed.checksum(page);
    page[..4].copy_from_slice(&checksum.to_le_bytes());
}

/// Checks that the page is the image that the word names. Returns its body.
pub fn verify(
    page: &[u8],
    seed: Seed,
    kind: Kind,
    number: u64,
    word: DiskWord,
) -> Result<&Body, Mismatch> {
    let integer = |at: usize| u64::from_le_bytes(page[at..at + 8].try_into().expect("eight bytes"));
    let checksum = u32::from_le_bytes(page[..4].try_into().expect("four bytes"));
    if checksum != seed.checksum(page) {
        return Err(Mismatch::Checksum);
    }
    if page[4] != kind as u8 || integer(8) != number || integer(24) != word.place().to_bits() {
        return Err(Mismatch::Identity);
    }
    if !word.has_stamp(integer(16)) {
        return Err(Mismatch::Stamp);
    }
    Ok(page[PAGE_HEADER_BYTES..PAGE_BYTES].try_into().expect("the page is whole"))
}

/// Turns images of one database into images of another.
#[derive(Clone, Copy, Debug)]
pub struct Reseal {
    from: Seed,
    /// The difference of the two databases' checksums. It is the same for all pages, since a CRC is
    /// linear.
    difference: u32,
}

impl Reseal {
    pub fn new(from: Seed, to: Seed) -> Reseal {
        let any = [0; PAGE_BYTES];
        Reseal { from, difference: from.checksum(&any) ^ to.checksum(&any) }
    }

    /// Changes a page's checksum. Returns the page's place; `None` if the page is not the first
    /// database's.
    pub fn reseal(self, page: &mut [u8]) -> Option<Place> {
        let checksum = self.from.checksum(page);
        if page[..4] != checksum.to_le_bytes() {
            return None;
        }
        page[..4].copy_from_slice(&(checksum ^ self.difference).to_le_bytes());
        let bits = u64::from_le_bytes(page[24..32].try_into().expect("eight bytes"));
        Some(Place { file: u8::try_from(bits >> 32).ok()?, index: bits as u32 })
    }
}

#[cfg(test)]
mod tests;

//! A page: its size and its number.

use std::fmt;

/// Bytes of a page, header included.
pub const PAGE_BYTES: usize = 8192;
/// Bytes of the store's own header at the start of every page. Trees see what follows it.
pub const PAGE_HEADER_BYTES: usize = 32;
/// Bytes of a page that trees see.
pub const BODY_BYTES: usize = PAGE_BYTES - PAGE_HEADER_BYTES;

/// A page's logical number, for life; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct PageNumber(pub u64);

impl PageNumber {
    /// No page.
    pub const NONE: PageNumber = PageNumber(0);
}

impl fmt::Debug for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageNumber({})", self.0)
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The bytes of a page after the header. They begin at a multiple of eight bytes.
pub type Body = [u8; BODY_BYTES];

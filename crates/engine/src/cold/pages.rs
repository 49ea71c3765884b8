//! What trees see of the cold store: pages by number, read by reference and changed in batches.
//!
//! A page's image is immutable once it is published. A writer that changes a page makes a private
//! copy, changes that, and publishes it by one atomic store. Readers hold an epoch guard (or a
//! pin), write nothing that is shared, and never see a torn page.

use std::fmt;
use std::ops::Deref;

use crossbeam_epoch::Guard;

use super::error::ColdError;
use crate::wait::Task;

/// Bytes of a page, header included.
pub const PAGE_BYTES: usize = 8192;
/// The store's own header at the start of every page. Trees see what is behind it.
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

/// What lies behind the header, at a multiple of eight bytes.
pub type Body = [u8; BODY_BYTES];

/// Why a page's image cannot be had at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It is not in memory: [`Pages::load`] it.
    Evicted,
    /// There is no such page any more: start again from the root.
    Freed,
}

/// What a page is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// For itself; it may be wanted again.
    Point,
    /// As one of many that are passed by: it does not push others out of memory.
    Scan,
}

/// Reading pages.
pub trait Pages: Sync {
    /// An image that stays in memory while this lives, across suspensions too. Not a latch: newer
    /// images may be published meanwhile.
    type Pinned: Deref<Target = Body> + Send;

    /// The current image, if it is in memory. It lives as long as the guard, and never changes.
    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent>;

    /// The current image, read from the extension or the file if need be. The task is suspended
    /// meanwhile: no epoch guard may be alive. [`ColdError::Freed`] if there is no such page.
    fn load(&self, task: &Task, page: PageNumber, hint: Access) -> Result<Self::Pinned, ColdError>;

    /// These pages will be wanted soon (a scan's next leaves, and nodes above them). Never waits.
    fn read_ahead(&self, pages: &[PageNumber]);

    /// How many leaves a scan may have read ahead, so that they are still in memory when it comes
    /// to them.
    fn read_ahead_max(&self) -> usize;
}

/// Changing pages: a batch of private images, invisible to readers until they are published. After
/// an error the batch is dropped: what was published stays, what was freed is, nothing else is left
/// behind.
pub trait Edit: Pages {
    /// The page as this batch sees it, to be changed: a private copy, made at the first call since
    /// the page was last published.
    fn edit(&mut self, task: &Task, page: PageNumber) -> Result<&mut Body, ColdError>;

    /// The page as this batch sees it: the private copy if there is one, else the current image.
    fn view(&mut self, task: &Task, page: PageNumber) -> Result<&Body, ColdError>;

    /// A new page, zeroed and private.
    fn allocate(&mut self, task: &Task) -> Result<(PageNumber, &mut Body), ColdError>;

    /// A page that nothing published points to any more, nor anything that this batch will publish.
    /// To free a page twice does nothing.
    fn free(&mut self, page: PageNumber);

    /// Makes the page's private image the current one, at once: new right siblings before what
    /// points to them. Does nothing if there is no private image.
    fn publish(&mut self, page: PageNumber);

    /// Publishes all that is left, in any order, then frees what is to be freed.
    fn finish(&mut self);
}

//! The traits through which trees use the cold store: pages by number, read by reference and
//! changed in batches.
//!
//! A page's image is immutable once it is published. A writer that changes a page makes a private
//! copy, changes that, and publishes it by one atomic store. Readers hold an epoch guard (or a
//! pin), take no latch, and never see a torn page.

use std::ops::Deref;

use crossbeam_epoch::Guard;

use super::error::ColdError;
use super::page::{Body, PageNumber};
use crate::wait::Task;

/// Why a page's image is not in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It is not in memory: [`Pages::load`] it.
    Evicted,
    /// The page has been freed: start again from the root.
    Freed,
}

/// How a page is accessed: a hint for the replacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// By a look-up: the page may be used again.
    Point,
    /// By a look-up of a row that is kept elsewhere from then on: it is no reason to keep the page.
    Once,
    /// By a scan of many pages: the page does not push others out of memory.
    Scan,
}

/// Reads pages.
pub trait Pages: Sync {
    /// An image that stays in memory while this lives, across suspensions too. Not a latch: newer
    /// images may be published meanwhile.
    type Pinned: Deref<Target = Body> + Send;

    /// The current image, if it is in memory. It lives as long as the guard, and never changes.
    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent>;

    /// The current image, read from the extension or the file if need be. The task is suspended
    /// meanwhile: no epoch guard may be alive. [`ColdError::Freed`] if there is no such page.
    fn load(&self, task: &Task, page: PageNumber, hint: Access) -> Result<Self::Pinned, ColdError>;

    /// Requests pages that will be needed soon (a scan's next leaves, and nodes above them). Never
    /// waits.
    fn read_ahead(&self, pages: &[PageNumber]);

    /// How many leaves a scan may have read ahead, so that they are still in memory when it comes
    /// to them.
    fn read_ahead_max(&self) -> usize;
}

/// Reads pages for look-ups of rows that are kept elsewhere from then on.
pub struct Once<'p, P>(pub &'p P);

impl<P: Pages> Pages for Once<'_, P> {
    type Pinned = P::Pinned;

    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent> {
        self.0.resident(page, guard)
    }

    fn load(&self, task: &Task, page: PageNumber, hint: Access) -> Result<P::Pinned, ColdError> {
        let hint = if hint == Access::Point { Access::Once } else { hint };
        self.0.load(task, page, hint)
    }

    fn read_ahead(&self, pages: &[PageNumber]) {
        self.0.read_ahead(pages);
    }

    fn read_ahead_max(&self) -> usize {
        self.0.read_ahead_max()
    }
}

/// Changes pages: a batch of private images, invisible to readers until they are published. After
/// an error the batch is dropped: published images stay, freed pages are freed, and nothing else is
/// left.
pub trait Edit: Pages {
    /// The page as this batch sees it, to be changed: a private copy, made at the first call since
    /// the page was last published.
    fn edit(&mut self, task: &Task, page: PageNumber) -> Result<&mut Body, ColdError>;

    /// The page as this batch sees it: the private copy if there is one, else the current image.
    fn view(&mut self, task: &Task, page: PageNumber) -> Result<&Body, ColdError>;

    /// A new page, zeroed and private.
    fn allocate(&mut self, task: &Task) -> Result<(PageNumber, &mut Body), ColdError>;

    /// Frees a page when the batch is finished or dropped. No published page points to it any more,
    /// nor will one that this batch publishes. Freeing a page twice does nothing.
    fn free(&mut self, page: PageNumber);

    /// Makes the page's private image the current one, at once. Does nothing if there is no private
    /// image. The caller publishes new right siblings before the pages that point to them.
    fn publish(&mut self, page: PageNumber);

    /// Publishes the private images that are left, in any order, then frees the pages to be freed.
    fn finish(&mut self);
}

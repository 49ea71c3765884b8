//! Batches: private images of pages that one writer changes and publishes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crossbeam_epoch::Guard;

use super::error::ColdError;
use super::memory::Image;
use super::page::{Body, PageNumber};
use super::pages::{Absent, Access, Edit, Pages};
use super::place::FrameNumber;
use super::shared::Shared;
use super::store_core::StoreCore;
use super::{load, sweep};
use crate::wait::Task;

/// A batch hands its unlinked frames to the epoch when it has this many.
const RETIRE_AT: usize = 64;

/// Changes of a store's pages by one writer. Two batches never change the same page.
pub struct Batch {
    core: Arc<StoreCore>,
    shared: Arc<Shared>,
    /// Images that only this batch can reach.
    private: BTreeMap<PageNumber, Image>,
    /// Pages that this batch has allocated and not published yet.
    made: BTreeSet<PageNumber>,
    freed: Vec<PageNumber>,
    /// The image of the page that `view` returned last.
    viewed: Option<Image>,
    unlinked: Vec<FrameNumber>,
}

impl Batch {
    pub(super) fn new(core: Arc<StoreCore>, shared: Arc<Shared>) -> Batch {
        Batch {
            core,
            shared,
            private: BTreeMap::new(),
            made: BTreeSet::new(),
            freed: Vec::new(),
            viewed: None,
            unlinked: Vec::new(),
        }
    }

    fn retire(&mut self) {
        if !self.unlinked.is_empty() {
            // `publish` gets no task whose guard it could use, and a batch may retire many frames.
            let handle = self.core.memory.collector.register();
            let guard = handle.pin();
            self.core.memory.retire(std::mem::take(&mut self.unlinked), &guard);
        }
    }

    fn free_pages(&mut self) {
        for page in std::mem::take(&mut self.freed) {
            match self.made.remove(&page) {
                true => self.core.numbers.lock().free.push(page), // no reader has ever seen it
                false => self.unlinked.extend(self.core.unlink(page)),
            }
        }
    }

    fn body(&mut self, page: PageNumber) -> &mut Body {
        let image = self.private.get_mut(&page).expect("the caller has made it");
        // SAFETY: images in `private` have not been linked and are never cloned (F1).
        unsafe { image.body_mut() }
    }
}

impl Pages for Batch {
    type Pinned = Image;

    fn resident<'g>(&self, page: PageNumber, guard: &'g Guard) -> Result<&'g Body, Absent> {
        self.core.resident(page, guard)
    }

    fn load(&self, task: &Task, page: PageNumber, hint: Access) -> Result<Image, ColdError> {
        load::load(&self.shared, &self.core, task, page, hint)
    }

    fn read_ahead(&self, pages: &[PageNumber]) {
        load::read_ahead(&self.shared, &self.core, pages);
    }

    fn read_ahead_max(&self) -> usize {
        self.core.memory.read_ahead_max()
    }
}

impl Edit for Batch {
    fn edit(&mut self, task: &Task, page: PageNumber) -> Result<&mut Body, ColdError> {
        if !self.private.contains_key(&page) {
            let current = load::load(&self.shared, &self.core, task, page, Access::Point)?;
            self.private.insert(page, sweep::take(&self.shared, task)?);
            *self.body(page) = *current;
        }
        Ok(self.body(page))
    }

    fn view(&mut self, task: &Task, page: PageNumber) -> Result<&Body, ColdError> {
        if let Some(image) = self.private.get(&page) {
            return Ok(image);
        }
        let image = load::load(&self.shared, &self.core, task, page, Access::Point)?;
        Ok(self.viewed.insert(image))
    }

    fn allocate(&mut self, task: &Task) -> Result<(PageNumber, &mut Body), ColdError> {
        let image = sweep::take(&self.shared, task)?;
        let page = self.core.take_number()?;
        self.private.insert(page, image);
        self.made.insert(page);
        let body = self.body(page);
        body.fill(0);
        Ok((page, body))
    }

    fn free(&mut self, page: PageNumber) {
        self.freed.push(page);
    }

    fn publish(&mut self, page: PageNumber) {
        if let Some(image) = self.private.remove(&page) {
            self.made.remove(&page);
            self.unlinked.extend(self.core.link(page, image));
            if self.unlinked.len() >= RETIRE_AT {
                self.retire();
            }
        }
    }

    fn finish(&mut self) {
        self.freed.iter().for_each(|page| drop(self.private.remove(page)));
        while let Some((&page, _)) = self.private.first_key_value() {
            self.publish(page);
        }
        self.viewed = None;
        self.free_pages();
        self.retire();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Callers publish what pointed to a page before they free it (T6), so that freed pages can
        // be freed though the other changes are dropped.
        self.free_pages();
        self.retire();
        self.core.numbers.lock().free.extend(&self.made);
    }
}

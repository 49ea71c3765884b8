//! Lists the pages in the buffer pool and its extension.

use super::frame::OnDisk;
use super::page::{Body, PageNumber};
use super::place::Place;
use super::pool::Pool;
use super::store_core::StoreCore;
use crate::wait::{Interrupted, Task};

/// Pages that are listed before other sessions get a turn.
const STEP: usize = 256;

/// A page that the pool holds.
pub struct Held<'a> {
    /// The database it belongs to.
    pub database: u128,
    /// Where its image was read from or written to; `None` if the image is not on disk.
    pub place: Option<Place>,
    /// Its body; `None` if the page is in the extension.
    pub body: Option<&'a Body>,
}

impl Pool {
    /// Calls `each` for all pages in memory, database by database, then for those in the extension.
    /// Pages that come or go meanwhile may be missed.
    pub fn each_page(
        &self,
        task: &Task,
        mut each: impl FnMut(Held<'_>),
    ) -> Result<(), Interrupted> {
        for core in self.shared().open_stores() {
            let pages: Vec<_> = core.map.resident().map(|(page, _)| page).collect();
            for some in pages.chunks(STEP) {
                show(&core, task, some, &mut each);
                task.checkpoint()?;
            }
        }
        let extension = self.shared().reader.extension.read().clone();
        let held = extension.map_or_else(Vec::new, |extension| extension.held());
        for some in held.chunks(STEP) {
            for &(database, place) in some {
                each(Held { database, place: Some(place), body: None });
            }
            task.checkpoint()?;
        }
        Ok(())
    }
}

fn show(core: &StoreCore, task: &Task, pages: &[PageNumber], each: &mut impl FnMut(Held<'_>)) {
    let guard = task.pin();
    for &page in pages {
        if let Some((body, disk)) = core.peek(page, &guard) {
            let place = match disk {
                OnDisk::At(word) => Some(word.place()),
                OnDisk::Nowhere | OnDisk::Superseded => None,
            };
            each(Held { database: core.database, place, body: Some(body) });
        }
    }
}

//! Loads pages into memory for tasks.

use std::sync::Arc;

use super::counters::add;
use super::error::ColdError;
use super::io::{Request, Wanted};
use super::memory::Image;
use super::page::PageNumber;
use super::pages::Access;
use super::place::{DiskWord, MapWord};
use super::shared::Shared;
use super::store_core::{StoreCore, StoredImage};
use super::sweep;
use crate::wait::Task;

/// Returns the current image of a page, and reads it if it is not in memory.
pub(super) fn load(
    shared: &Arc<Shared>,
    core: &Arc<StoreCore>,
    task: &Task,
    page: PageNumber,
    hint: Access,
) -> Result<Image, ColdError> {
    let word = match core.pin(task, page) {
        Ok(image) => {
            if hint == Access::Point {
                image.state().touch();
            }
            return Ok(image);
        }
        Err(MapWord::Disk(word)) => word,
        Err(_) => return Err(ColdError::Freed(page)),
    };
    let (counters, clock) = (&core.memory.counters, core.env().clock());
    add(&counters.misses, 1);
    task.count_page_read();
    let began_ns = clock.now_ns();
    let image = fetch(shared, core, task, page, word, hint);
    counters.waited(clock.now_ns() - began_ns);
    image
}

/// Returns the current image of a page that was not in memory: on disk it is at `word`, or was a
/// moment ago.
fn fetch(
    shared: &Arc<Shared>,
    core: &Arc<StoreCore>,
    task: &Task,
    page: PageNumber,
    mut word: DiskWord,
    hint: Access,
) -> Result<Image, ColdError> {
    loop {
        let reader = &shared.reader;
        let image = match reader.known(core, word) {
            Some(request) => {
                if hint != Access::Scan {
                    reader.make_urgent(&request);
                }
                request.wait(task)?
            }
            None => {
                let frame = sweep::take(shared, task)?;
                let wanted = Wanted::new(core, page, word, hint, frame);
                reader.read(task, wanted)?
            }
        };
        if let Some(image) = image {
            return Ok(image);
        }
        word = match core.pin(task, page) {
            Ok(image) => return Ok(image),
            Err(MapWord::Disk(word)) => word,
            Err(_) => return Err(ColdError::Freed(page)),
        };
    }
}

/// Requests pages that will be needed soon, if the pool has threads that read.
pub(super) fn read_ahead(shared: &Arc<Shared>, core: &Arc<StoreCore>, pages: &[PageNumber]) {
    if !shared.reader.reads_ahead() {
        return;
    }
    let on_disk = pages.iter().filter_map(|&page| match core.map.get(page) {
        MapWord::Disk(word) => Some(StoredImage { page, word }),
        MapWord::Frame(_) | MapWord::Free => None,
    });
    let unread = shared.reader.unknown(core, on_disk.collect());
    let images = core.memory.take_for_read_ahead(unread.len());
    let requests = unread.into_iter().zip(images).map(|(own, image)| {
        Request::new(Wanted::new(core, own.page, own.word, Access::Scan, image), true)
    });
    shared.reader.submit_ahead(requests.collect());
}

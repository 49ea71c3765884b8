//! Makes room in memory: evicts clean pages, and writes dirty ones before it evicts them.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_epoch::{Guard, LocalHandle};

use super::counters::add;
use super::error::ColdError;
use super::evict::{Entry, Residents, Standing, Victim};
use super::frame::OnDisk;
use super::memory::{Image, LimitPolicy};
use super::page::PageNumber;
use super::place::{FrameNumber, MapWord};
use super::shared::Shared;
use super::store_core::{PageImage, StoreCore};
use crate::wait::{Task, WaitError};

/// Victims that are chosen at a time.
const BATCH: usize = 128;
/// How often the sweeper looks without being called.
const IDLE: Duration = Duration::from_millis(100);
/// How long a task waits for a frame before it takes one beyond the limit.
const FRAME_WAIT_NS_MAX: u64 = 200_000_000;
/// How long the sweeper waits for the epoch when no frame is available.
const PAUSE_NS: u64 = 200_000;

/// The work of the sweeper's thread.
pub fn run(shared: &Arc<Shared>) {
    let handle = shared.memory.collector.register();
    while shared.memory.await_call(IDLE) {
        while shared.memory.is_short(1) || shared.memory.awaits_epoch() {
            let useful = sweep(shared, &handle);
            if shared.memory.awaits_epoch() {
                shared.memory.env.clock().sleep_ns(PAUSE_NS); // a guard holds back the epoch
            } else if !useful {
                break;
            }
            if shared.memory.is_closing() {
                return;
            }
        }
        move_epoch(&handle);
    }
}

/// Evicts pages until there are enough free frames again. Returns whether it evicted any.
pub fn sweep(shared: &Arc<Shared>, handle: &LocalHandle) -> bool {
    let sweeping = shared.memory.sweeping.lock();
    let mut useful = false;
    while shared.memory.is_short(2) {
        let chosen = choose(shared, handle);
        if chosen.is_empty() {
            break;
        }
        let mut batch = EvictionBatch::new(shared, handle);
        for page in chosen {
            batch.evict_or_defer(page);
        }
        useful |= batch.finish();
        if batch.dirty_failed {
            break;
        }
    }
    drop(sweeping);
    move_epoch(handle);
    useful
}

/// Takes a private frame. Waits for one if need be; if none becomes free for a while, exceeds the
/// limit.
pub fn take(shared: &Arc<Shared>, task: &Task) -> Result<Image, ColdError> {
    let memory = &shared.memory;
    if let Some(image) = memory.try_take(LimitPolicy::Within) {
        return Ok(image);
    }
    if memory.has_threads {
        let deadline_ns = task.now_ns() + FRAME_WAIT_NS_MAX;
        let waited = memory.freed.wait_until(task, deadline_ns, || {
            memory.call_sweeper();
            memory.try_take(LimitPolicy::Within)
        });
        match waited {
            Ok(image) => return Ok(image),
            Err(WaitError::Interrupted(why)) => return Err(why.into()),
            Err(WaitError::TimedOut) => {}
        }
    } else {
        let handle = memory.collector.register();
        for _ in 0..4 {
            sweep(shared, &handle);
            if let Some(image) = memory.try_take(LimitPolicy::Within) {
                return Ok(image);
            }
        }
    }
    let beyond = memory.try_take(LimitPolicy::Beyond);
    beyond.ok_or_else(|| memory.write_error.lock().clone().unwrap_or(ColdError::NoFrames))
}

/// Advances the epoch, which frees retired frames that no guard protects any more.
fn move_epoch(handle: &LocalHandle) {
    for _ in 0..4 {
        handle.pin().flush();
    }
}

fn choose(shared: &Arc<Shared>, handle: &LocalHandle) -> Vec<ChosenPage> {
    let guard = handle.pin();
    let mut queues = shared.memory.queues.lock();
    let mut view = FrameView { shared, guard: &guard, found: None };
    let mut chosen = Vec::new();
    while chosen.len() < BATCH {
        let Some(victim) = queues.victim(&mut view) else { break };
        let IdlePage { core, page } =
            view.found.take().expect("an idle frame was found in its store");
        chosen.push(ChosenPage { core, page, victim });
        // A tiny pool does not evict more than it has to.
        if chosen.len() as u32 > shared.memory.limit() / 8 {
            break;
        }
    }
    chosen
}

/// Shows frames to the replacement.
struct FrameView<'a> {
    shared: &'a Arc<Shared>,
    guard: &'a Guard,
    /// The page in the last idle frame.
    found: Option<IdlePage>,
}

/// A page that no thread uses.
struct IdlePage {
    core: Arc<StoreCore>,
    page: PageNumber,
}

/// A page that is to be evicted.
struct ChosenPage {
    core: Arc<StoreCore>,
    page: PageNumber,
    victim: Victim,
}

/// A page that is to be evicted, and must be written first.
struct DirtyPage {
    core: Arc<StoreCore>,
    page: PageNumber,
    image: Image,
    victim: Victim,
}

impl Residents for FrameView<'_> {
    fn standing(&mut self, entry: Entry) -> Standing {
        let state = self.shared.memory.state(entry.frame);
        if state.life() != entry.life {
            return Standing::Stale;
        }
        let (slot, page) = state.identity();
        let stores = self.shared.stores.read();
        let core = stores.get(slot as usize).and_then(Option::as_ref);
        let Some(core) = core.filter(|core| core.is_linked(page, entry.frame, self.guard)) else {
            return Standing::Stale;
        };
        if state.references() > 1 {
            return Standing::Pinned;
        }
        if state.take_referenced() {
            return Standing::Referenced(state.marks());
        }
        self.found = Some(IdlePage { core: core.clone(), page });
        Standing::Idle
    }

    fn mark(&mut self, entry: Entry, marks: u8) {
        self.shared.memory.state(entry.frame).set_marks(marks);
    }
}

/// The eviction of a batch of victims.
struct EvictionBatch<'a> {
    shared: &'a Arc<Shared>,
    handle: &'a LocalHandle,
    unlinked: Vec<FrameNumber>,
    /// Identities of pages that were evicted without having been used again.
    unwanted: Vec<u64>,
    dirty: Vec<DirtyPage>,
    dirty_failed: bool,
}

impl<'a> EvictionBatch<'a> {
    fn new(shared: &'a Arc<Shared>, handle: &'a LocalHandle) -> EvictionBatch<'a> {
        let (unlinked, unwanted, dirty) = (Vec::new(), Vec::new(), Vec::new());
        EvictionBatch { shared, handle, unlinked, unwanted, dirty, dirty_failed: false }
    }

    /// Evicts a page if it is clean, else notes that it must be written first.
    fn evict_or_defer(&mut self, chosen: ChosenPage) {
        let ChosenPage { core, page, victim } = chosen;
        let guard = self.handle.pin();
        if !core.is_linked(page, victim.entry.frame, &guard) {
            return;
        }
        match evict(self.shared, &core, page, victim.entry.frame, victim.into(), &guard) {
            Eviction::Done => self.note_left(&core, page, victim),
            Eviction::Overtaken => {}
            Eviction::Dirty => {
                // SAFETY: `is_linked` found the frame in the map under the guard (F2).
                let image = unsafe { Image::pinned(&self.shared.memory, victim.entry.frame) };
                self.dirty.push(DirtyPage { core, page, image, victim });
            }
        }
    }

    fn note_left(&mut self, core: &StoreCore, page: PageNumber, victim: Victim) {
        self.unlinked.push(victim.entry.frame);
        if !victim.from_main {
            self.unwanted.push(core.identity_of(page));
        }
    }

    /// Writes the dirty pages, evicts them, too, and retires all frames. Returns whether any page
    /// was evicted.
    fn finish(&mut self) -> bool {
        let mut dirty = std::mem::take(&mut self.dirty);
        // By store and number, so that neighbours are written to consecutive places.
        dirty.sort_by_key(|own| (own.core.slot, own.page));
        for group in dirty.chunk_by(|a, b| a.core.slot == b.core.slot) {
            let images = group.iter().map(|own| PageImage { page: own.page, image: &own.image });
            let images: Vec<_> = images.collect();
            match group[0].core.write_back(&images) {
                Ok(()) => *self.shared.memory.write_error.lock() = None,
                Err(error) => {
                    *self.shared.memory.write_error.lock() = Some(error);
                    self.dirty_failed = true;
                }
            }
            add(&self.shared.memory.counters.lazy_writes, images.len());
        }
        for DirtyPage { core, page, image, victim } in dirty {
            drop(image);
            self.evict_written(&core, page, victim);
        }
        let useful = !self.unlinked.is_empty();
        self.shared
            .memory
            .queues
            .lock()
            .remember(&self.unwanted, self.shared.memory.limit() as usize);
        let guard = self.handle.pin();
        self.shared.memory.retire(std::mem::take(&mut self.unlinked), &guard);
        useful
    }

    fn evict_written(&mut self, core: &Arc<StoreCore>, page: PageNumber, victim: Victim) {
        let guard = self.handle.pin();
        let frame = victim.entry.frame;
        let is_wanted = self.shared.memory.state(frame).is_referenced();
        if core.is_linked(page, frame, &guard) {
            let done = !is_wanted
                && evict(self.shared, core, page, frame, victim.into(), &guard) == Eviction::Done;
            match done {
                true => self.note_left(core, page, victim),
                false => self.shared.memory.enqueue(&[frame]),
            }
        }
    }
}

/// Why an image is evicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// To make room; its page was used again after it came in.
    FromMain,
    /// To make room; its page was not used again.
    FromSmall,
    /// All clean pages are dropped.
    Dropped,
}

impl From<Victim> for Leaving {
    fn from(victim: Victim) -> Leaving {
        if victim.from_main { Leaving::FromMain } else { Leaving::FromSmall }
    }
}

/// The result of an eviction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eviction {
    /// The image has left memory.
    Done,
    /// The image must be written first.
    Dirty,
    /// A newer image was published.
    Overtaken,
}

/// Unlinks a clean image, and offers it to the extension unless all pages are dropped. The caller
/// found the frame in the map under the guard.
pub fn evict(
    shared: &Arc<Shared>,
    core: &Arc<StoreCore>,
    page: PageNumber,
    frame: FrameNumber,
    leaving: Leaving,
    _guard: &Guard,
) -> Eviction {
    let state = shared.memory.state(frame);
    let word = match state.on_disk() {
        OnDisk::At(word) => word,
        OnDisk::Nowhere => return Eviction::Dirty,
        OnDisk::Superseded => return Eviction::Overtaken,
    };
    if core.map.exchange(page, MapWord::Frame(frame), MapWord::Disk(word)).is_err() {
        return Eviction::Overtaken;
    }
    add(&shared.memory.counters.evictions, 1);
    shared.memory.note_age(state.since_s());
    let from_main = leaving == Leaving::FromMain;
    if leaving != Leaving::Dropped {
        let extension = shared.reader.extension.read();
        if let Some(extension) = extension.as_ref().filter(|e| e.wants(core, word, from_main)) {
            // SAFETY: the frame was found in the map under the guard, which is alive (F2).
            extension.admit(core, page, word, unsafe { shared.memory.frames.body(frame) });
        }
    }
    Eviction::Done
}

/// Evicts all clean pages that are not pinned. Returns how many.
pub fn drop_clean(shared: &Arc<Shared>) -> u64 {
    let sweeping = shared.memory.sweeping.lock();
    let handle = shared.memory.collector.register();
    let mut dropped = 0;
    for core in shared.open_stores() {
        let resident: Vec<_> = core.map.resident().collect();
        for some in resident.chunks(BATCH) {
            let guard = handle.pin();
            let mut unlinked = Vec::new();
            for &(page, frame) in some {
                if core.is_linked(page, frame, &guard)
                    && shared.memory.state(frame).references() == 1
                    && evict(shared, &core, page, frame, Leaving::Dropped, &guard) == Eviction::Done
                {
                    unlinked.push(frame);
                }
            }
            dropped += unlinked.len() as u64;
            shared.memory.retire(unlinked, &guard);
        }
    }
    drop(sweeping);
    move_epoch(&handle);
    dropped
}

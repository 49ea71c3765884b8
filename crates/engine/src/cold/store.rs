//! A store: the pages of one database, in its files and in the server's pool.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use crossbeam_epoch::Guard;
use env::memory::AlignedBytes;

use super::batch::Batch;
use super::error::ColdError;
use super::file::{DataFile, FileActivity, FileSpec};
use super::frame::OnDisk;
use super::image::Seed;
use super::load;
use super::map::Map;
use super::memory::Image;
use super::pace::Pace;
use super::page::{Body, PAGE_BYTES, PageNumber};
use super::pages::{Absent, Access, Pages};
use super::place::{MapWord, Place};
use super::places::{EXTENT_PAGES, RUN_PAGES_MAX, Space, SpaceStats};
use super::pool::Pool;
use super::root::CheckpointState;
use super::rowcache::{RowCache, SharedSettings};
use super::shared::Shared;
use super::store_core::{Numbers, StoreCore, Writer};
use crate::sync::parking::{Mutex, RwLock};
use crate::wait::Task;

/// Threads that write to a row cache without getting in each other's way.
const ROW_CACHE_SHARDS: usize = 16;

/// The pages of one database. Dropping it discards what no checkpoint has written.
pub struct Store {
    pub(super) core: Arc<StoreCore>,
    pub(super) shared: Arc<Shared>,
}

/// A page in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDescriptor {
    /// The page.
    pub page: PageNumber,
    /// Where its image was read from or written to; `None` if the page is dirty.
    pub place: Option<Place>,
    /// Whether it is pinned.
    pub is_pinned: bool,
    /// Whether it was read since the replacement last looked at it.
    pub is_referenced: bool,
}

impl Store {
    /// The cache of single rows, which is made now if there is none. `None` if there is no address
    /// space for it.
    pub fn make_row_cache(&self) -> Option<&RowCache> {
        if let Some(cache) = self.core.row_cache.get() {
            return Some(cache);
        }
        let memory = &self.shared.memory;
        let most = u64::from(memory.frames.count()) * PAGE_BYTES as u64;
        let cache = RowCache::new(memory.row_caches.clone(), most, ROW_CACHE_SHARDS).ok()?;
        let cache = cache.with_settings(self.core.row_cache_settings.clone());
        let cache = self.core.row_cache.get_or_init(|| cache);
        self.shared.divide();
        Some(cache)
    }

    /// The cache of single rows, if rows are cached.
    #[inline]
    pub fn row_cache(&self) -> Option<&RowCache> {
        self.core.row_cache.get()
    }

    /// What is set for the cache of single rows, whether there is one or not.
    pub fn row_cache_settings(&self) -> &SharedSettings {
        &self.core.row_cache_settings
    }

    /// Registers a store with the pool. The caller supplies its files and its state.
    pub(super) fn register(
        pool: &Pool,
        database: u128,
        files: BTreeMap<u8, Arc<DataFile>>,
        space: Space,
        state: CheckpointState,
    ) -> Store {
        let shared = pool.shared();
        let mut stores = shared.stores.write();
        let slot = stores.iter().position(Option::is_none).unwrap_or(stores.len());
        let core = Arc::new(StoreCore {
            slot: u16::try_from(slot).expect("a server has fewer than 32768 databases"),
            database,
            seed: Seed::new(database),
            memory: shared.memory.clone(),
            map: Map::new(),
            files: RwLock::new(files),
            space: Mutex::new(space),
            numbers: Mutex::new(Numbers { free: Vec::new(), end: 1 }),
            superseded: Mutex::default(),
            freed: Mutex::default(),
            publishing: RwLock::new(()),
            writer: Mutex::new(Writer {
                buffer: AlignedBytes::new(RUN_PAGES_MAX as usize * PAGE_BYTES),
                next_stamp: 1,
                unsynced: Vec::new(),
                suspects: HashSet::new(),
            }),
            checkpoint: Mutex::new(state),
            pace: Pace::new(),
            row_cache: OnceLock::new(),
            row_cache_settings: Arc::default(),
        });
        match slot == stores.len() {
            true => stores.push(Some(core.clone())),
            false => stores[slot] = Some(core.clone()),
        }
        drop(stores);
        Store { core, shared: shared.clone() }
    }

    /// Begins a batch: changes of pages that become visible one by one.
    pub fn batch(&self) -> Batch {
        Batch::new(self.core.clone(), self.shared.clone())
    }

    /// The database that has these pages.
    pub fn database(&self) -> u128 {
        self.core.database
    }

    /// How the files' pages are used.
    pub fn space(&self) -> SpaceStats {
        self.core.space.lock().stats()
    }

    /// The sums of all files' counts since they were opened.
    pub fn activity(&self) -> FileActivity {
        let files = self.core.files.read();
        files.values().fold(FileActivity::default(), |sum, file| sum.and(&file.activity()))
    }

    /// Where a page's current image is on disk; `None` if it is not there.
    pub(crate) fn place_of(&self, page: PageNumber) -> Option<Place> {
        match self.core.map.get(page) {
            MapWord::Disk(word) => Some(word.place()),
            MapWord::Frame(frame) => match self.core.memory.state(frame).on_disk() {
                OnDisk::At(word) => Some(word.place()),
                OnDisk::Nowhere | OnDisk::Superseded => None,
            },
            MapWord::Free => None,
        }
    }

    /// Counts the places of images that have been superseded since the last capture. The next root
    /// gives them back.
    pub fn superseded_pages(&self) -> u64 {
        self.core.superseded.lock().len() as u64
    }

    /// Adds a file. The caller makes a checkpoint next: until then the store opens without the
    /// file.
    pub fn add_file(&self, spec: &FileSpec) -> Result<(), ColdError> {
        let core = &self.core;
        let pages = spec.growth.initial();
        let file = DataFile::create(core.env(), spec, core.database, pages)?;
        core.files.write().insert(spec.id, Arc::new(file));
        core.space.lock().add(spec.id, pages, spec.growth);
        Ok(())
    }

    /// Cuts off the free extents at a file's end, down to `least_pages`. Returns how many pages
    /// were cut off. Images do not move; [`Store::move_out_of_end`] and a checkpoint can move them
    /// out of the end before.
    pub fn shrink(&self, file: u8, least_pages: u32) -> Result<u64, ColdError> {
        let mut space = self.core.space.lock();
        space.open_end();
        let Some(before) = space.lengths().iter().find(|own| own.id == file).map(|own| own.pages)
        else {
            return Ok(0);
        };
        let least = least_pages.next_multiple_of(EXTENT_PAGES).min(before);
        let needed = space.needed_pages(file).max(least);
        self.core.file(file).set_pages(needed)?;
        space.cut(file, needed);
        Ok(u64::from(before - needed))
    }

    /// The store's pages that are in memory.
    pub fn buffer_descriptors(&self) -> impl Iterator<Item = BufferDescriptor> + '_ {
        self.core.map.resident().map(|(page, frame)| {
            let state = self.core.memory.state(frame);
            let place = match state.on_disk() {
                OnDisk::At(word) => Some(word.place()),
                OnDisk::Nowhere | OnDisk::Superseded => None,
            };
            let (is_pinned, is_referenced) = (state.references() > 1, state.is_referenced());
            BufferDescriptor { page, place, is_pinned, is_referenced }
        })
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.shared.stores.write()[self.core.slot as usize] = None;
    }
}

impl Pages for Store {
    type Pinned = Image;

    #[inline]
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

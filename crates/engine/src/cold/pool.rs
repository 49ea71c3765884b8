//! The buffer pool: one per server, for the pages of all its databases.
//!
//! Row caches take a part of what it may use. The rest is for frames, which are handed out up to a
//! limit that changes at any time. A **sweeper** keeps some of
//! them free: it evicts clean pages, and writes dirty ones to new places first. A pool without
//! threads of its own sweeps and reads on the thread that needs the page; simulations run like
//! that.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;

use env::memory::AlignedBytes;
use env::{FileError, OpKind};

use super::counters::PoolStats;
use super::division::Decision;
use super::error::ColdError;
use super::extension::{Extension, ExtensionOptions, ExtensionStats, OpenRoots};
use super::io::{RUN_PAGES, Reader};
use super::memory::Memory;
use super::page::PAGE_BYTES;
use super::shared::Shared;
use super::store_core::StoreCore;
use super::sweep;
use super::unreadable::UnreadableImage;
use crate::critical;
use crate::sync::parking::{Mutex, RwLock};
use crate::wait::Runtime;

/// How a pool is made.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// Address space: the most that the limit can be raised to.
    pub reserve_bytes: u64,
    /// The initial limit.
    pub limit_bytes: u64,
    /// Threads that read, besides the sweeper; 0 for a pool without any threads.
    pub io_threads: usize,
}

/// The fewest frames that a pool works with.
pub const FRAMES_MIN: u32 = 16;

/// The server's buffer pool. Dropping it ends its threads; stores should be gone by then.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// A pool without pages.
    pub fn new(runtime: &Runtime, options: PoolOptions) -> Result<Pool, ColdError> {
        let frames = |bytes: u64| u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let reserved = frames(options.reserve_bytes.max(options.limit_bytes));
        // Some more, for frames beyond the limit; address space costs nothing.
        let reserved = reserved.max(FRAMES_MIN).saturating_add(reserved / 8 + 64);
        let limit = frames(options.limit_bytes).max(FRAMES_MIN);
        let has_threads = options.io_threads > 0;
        let shared = Arc::new(Shared {
            memory: Arc::new(Memory::new(runtime, reserved, limit, has_threads)?),
            reader: Reader::new(has_threads),
            stores: RwLock::default(),
            limit_bytes: AtomicU64::new(options.limit_bytes),
            division: Mutex::default(),
        });
        let mut pool = Pool { shared, threads: Vec::new() };
        pool.start_threads(options.io_threads)?;
        Ok(pool)
    }

    fn start_threads(&mut self, readers: usize) -> Result<(), ColdError> {
        for buffer in AlignedBytes::for_long_reads(readers, RUN_PAGES * PAGE_BYTES) {
            self.start_thread("cold read", move |shared| {
                shared.reader.run(&shared.memory, buffer)
            })?;
        }
        if readers > 0 {
            self.start_thread("cold sweep", sweep::run)?;
        }
        Ok(())
    }

    fn start_thread(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Arc<Shared>) + Send + 'static,
    ) -> Result<(), ColdError> {
        let shared = self.shared.clone();
        let run = critical::thread(name, move || work(&shared));
        let thread = std::thread::Builder::new().name(name.into()).spawn(run);
        let failed = |error| FileError::new(OpKind::Open, "thread".as_ref(), error);
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Changes how much memory the pool may use, row caches included. A lower limit takes effect as
    /// pages are evicted, soon.
    pub fn set_limit(&self, bytes: u64) {
        self.shared.limit_bytes.store(bytes, Relaxed);
        self.divide();
    }

    /// Leaves frames what row caches do not take. To be called often where there are row caches.
    pub fn divide(&self) {
        self.shared.divide();
    }

    /// Bytes that row caches take, and that they may take.
    pub fn row_cache_bytes(&self) -> [u64; 2] {
        let caches = &self.shared.memory.row_caches;
        [caches.used(), caches.limit()]
    }

    /// Empties all row caches.
    pub fn clear_row_caches(&self) {
        self.shared.open_stores().iter().for_each(|core| core.clear_row_cache());
    }

    /// How what the pool may use is divided, and why.
    pub fn division(&self) -> Decision {
        self.shared.division.lock().last()
    }

    /// Bytes of memory that the pool has from the system, those of row caches included.
    pub fn resident_bytes(&self) -> u64 {
        self.shared.memory.resident_bytes() + self.shared.memory.row_caches.used()
    }

    /// Bytes that the pool may use, row caches included.
    pub fn limit_bytes(&self) -> u64 {
        self.shared.limit_bytes.load(Relaxed)
    }

    /// The pool's counters and its current state.
    pub fn stats(&self) -> PoolStats {
        self.shared.memory.stats()
    }

    /// How many reads are requested and not done, and how many tasks wait for them.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(super) fn unfinished_reads(&self) -> (usize, usize) {
        self.shared.reader.unfinished()
    }

    /// Evicts all clean pages that are not pinned, and empties the extension. Returns how many
    /// pages were evicted.
    pub fn drop_clean(&self) -> u64 {
        let dropped = sweep::drop_clean(&self.shared);
        if let Some(extension) = &*self.shared.reader.extension.read() {
            extension.clear();
        }
        dropped
    }

    /// Takes the images in data files that could not be read, or were not what was written there.
    /// Each is reported once.
    pub fn take_unreadable(&self) -> Vec<UnreadableImage> {
        self.shared.memory.unreadable.take()
    }

    /// Uses a file as the extension, in the place of any other. Images that a clean shutdown left
    /// in it are used for stores that are open by now, so the caller opens those first.
    pub fn extend(&self, options: ExtensionOptions) -> Result<(), ColdError> {
        self.retract();
        let memory = &self.shared.memory;
        let extension =
            Extension::open(&memory.env, options, &self.open_roots(), memory.has_threads)?;
        *self.shared.reader.extension.write() = Some(extension);
        Ok(())
    }

    /// Stops using the extension.
    pub fn retract(&self) {
        let extension = self.shared.reader.extension.write().take();
        if let Some(extension) = extension {
            extension.close();
        }
    }

    /// Writes the extension's directory for the next start, and stops using it. Called at a clean
    /// shutdown, after the last checkpoint of every store and before the stores are closed.
    pub fn retract_warm(&self) -> Result<(), ColdError> {
        let extension = self.shared.reader.extension.write().take();
        extension.map_or(Ok(()), |extension| extension.close_warm(&self.open_roots()))
    }

    /// The databases that are open, and the sequence numbers of their roots.
    fn open_roots(&self) -> OpenRoots {
        let root = |core: &Arc<StoreCore>| (core.database, core.checkpoint.lock().sequence);
        self.shared.open_stores().iter().map(root).collect()
    }

    /// The extension's counters and state, if there is one.
    pub fn extension_stats(&self) -> Option<ExtensionStats> {
        self.shared.reader.extension.read().as_ref().map(|extension| extension.stats())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retract();
        self.shared.memory.close();
        self.shared.reader.close();
        for thread in self.threads.drain(..) {
            // A thread panics only on a broken invariant, and then the panic has been reported.
            let _ = thread.join();
        }
    }
}

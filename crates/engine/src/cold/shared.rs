//! The part of the pool that its threads and stores share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::division::{Claims, Division};
use super::io::Reader;
use super::memory::Memory;
use super::page::PAGE_BYTES;
use super::pool::FRAMES_MIN;
use super::store_core::StoreCore;
use super::sweep;
use crate::sync::parking::{Mutex, RwLock};

/// The part of the pool that its threads and stores share: memory, reader, the list of
/// stores, and what row caches get.
pub(super) struct Shared {
    pub memory: Arc<Memory>,
    pub reader: Reader,
    /// The stores that are open, by slot.
    pub stores: RwLock<Vec<Option<Arc<StoreCore>>>>,
    /// Bytes that frames and row caches may use together.
    pub limit_bytes: AtomicU64,
    pub division: Mutex<Division>,
}

/// What is kept free for row caches to grow into: one in this many bytes of the limit.
const HEADROOM_PART: u64 = 64;
/// What frames have at least: one in this many.
const LEAST_SHARE_OF_FRAMES: u64 = 8;

impl Shared {
    /// Leaves frames what row caches do not take of the limit.
    pub fn divide(self: &Arc<Self>) {
        let (memory, limit) = (&self.memory, self.limit_bytes.load(Relaxed));
        let caches = &memory.row_caches;
        let share = self.division.lock().row_caches(Claims {
            limit,
            now_s: memory.now_s(),
            row_caches: caches.is_in_use().then(|| caches.claim()),
            is_full: caches.used() > caches.limit() - caches.limit() / 8,
            pages: memory.claim(),
            page_misses: memory.counters.misses.load(Relaxed),
            is_held: self.stores.read().iter().flatten().any(|core| core.holds_division()),
        });
        caches.set_limit(share);
        let taken = match caches.is_in_use() {
            true => (caches.used() + limit / HEADROOM_PART).min(share.max(caches.used())),
            false => 0,
        };
        let frames = limit.saturating_sub(taken).max(limit / LEAST_SHARE_OF_FRAMES);
        let frames = u32::try_from(frames / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let frames = frames.clamp(FRAMES_MIN, memory.frames.count());
        if frames == memory.limit() {
            return;
        }
        memory.set_limit(frames);
        if !memory.has_threads {
            sweep::sweep(self, &memory.collector.register());
        }
    }

    /// The stores that are open.
    pub fn open_stores(&self) -> Vec<Arc<StoreCore>> {
        self.stores.read().iter().flatten().cloned().collect()
    }
}

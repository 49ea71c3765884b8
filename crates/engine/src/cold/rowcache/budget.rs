//! What all row caches of a server may take together.

use crate::cold::division::Claim;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// Bytes that row caches may take and have taken.
#[derive(Debug, Default)]
pub struct Budget {
    limit: AtomicU64,
    used: AtomicU64,
    /// What of that is about to be given back, and waits for the epoch.
    retired: AtomicU64,
    /// How many caches there are.
    caches: AtomicU64,
    /// Rows that trees were asked for, and those of them that had been evicted not long before.
    asked: AtomicU64,
    came_back: AtomicU64,
    /// What copies took that are remembered: by all caches together.
    remembered: AtomicU64,
}

/// Bytes that count until this is dropped.
#[derive(Debug)]
pub struct Taken {
    budget: Arc<Budget>,
    bytes: u64,
    is_retired: bool,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(limit: u64) -> Arc<Budget> {
        let budget = Budget::default();
        budget.set_limit(limit);
        Arc::new(budget)
    }

    /// Bytes that may be taken.
    pub fn limit(&self) -> u64 {
        self.limit.load(Relaxed)
    }

    /// Changes how many bytes may be taken.
    pub fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Relaxed);
    }

    /// Bytes that are taken, those of blocks that wait for the epoch included.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Bytes that are taken, but for those that are about to be given back.
    pub fn staying(&self) -> u64 {
        self.used().saturating_sub(self.retired.load(Relaxed))
    }

    /// Whether there is any cache.
    pub fn is_in_use(&self) -> bool {
        self.caches.load(Relaxed) > 0
    }

    /// There is one cache more...
    pub fn add_cache(&self) {
        self.caches.fetch_add(1, Relaxed);
    }

    /// ... or less.
    pub fn remove_cache(&self) {
        self.caches.fetch_sub(1, Relaxed);
    }

    /// A row was looked up in a tree, and perhaps had been evicted not long before.
    pub fn asked(&self, came_back: bool) {
        self.asked.fetch_add(1, Relaxed);
        if came_back {
            self.came_back.fetch_add(1, Relaxed);
        }
    }

    /// A cache remembers copies that took so many bytes, instead of so many.
    pub fn remembers(&self, bytes: u64, instead_of: u64) {
        self.remembered.fetch_add(bytes.wrapping_sub(instead_of), Relaxed);
    }

    /// What row caches have to say for a larger share of the memory.
    pub fn claim(&self) -> Claim {
        Claim {
            came_back: self.came_back.load(Relaxed),
            remembered_bytes: self.remembered.load(Relaxed),
            asked: self.asked.load(Relaxed),
        }
    }

    /// Takes bytes, whether there is room or not.
    pub fn take(self: &Arc<Budget>, bytes: u64) -> Taken {
        self.used.fetch_add(bytes, Relaxed);
        Taken { budget: self.clone(), bytes, is_retired: false }
    }
}

impl Taken {
    /// Changes how many bytes count.
    pub fn set(&mut self, bytes: u64) {
        self.budget.used.fetch_add(bytes.wrapping_sub(self.bytes), Relaxed);
        self.bytes = bytes;
    }

    /// They are about to be given back: when this is dropped.
    pub fn retire(&mut self) {
        self.is_retired = true;
        self.budget.retired.fetch_add(self.bytes, Relaxed);
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        if self.is_retired {
            self.budget.retired.fetch_sub(self.bytes, Relaxed);
        }
        self.set(0);
    }
}

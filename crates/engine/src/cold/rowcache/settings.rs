//! What is set for the row cache of a database. It is there before the cache is, and outlives it.

use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::atomic::{AtomicBool, AtomicU64};

/// The most that a row cache may take, and whether it follows what it has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheSettings {
    /// Bytes that the cache may take; `u64::MAX` for no limit of its own.
    pub ceiling: u64,
    /// Whether what follows from what the cache has done is decided anew now and then.
    pub is_tuning: bool,
}

impl Default for CacheSettings {
    fn default() -> CacheSettings {
        CacheSettings { ceiling: u64::MAX, is_tuning: true }
    }
}

/// The settings as a cache reads them.
#[derive(Debug)]
pub struct SharedSettings {
    /// Written by administrators' sessions; a reader may see the former value for a moment.
    ceiling: AtomicU64,
    /// Likewise.
    is_tuning: AtomicBool,
}

impl Default for SharedSettings {
    fn default() -> SharedSettings {
        let CacheSettings { ceiling, is_tuning } = CacheSettings::default();
        SharedSettings { ceiling: AtomicU64::new(ceiling), is_tuning: AtomicBool::new(is_tuning) }
    }
}

impl SharedSettings {
    /// Bytes that the cache may take.
    pub fn ceiling(&self) -> u64 {
        self.ceiling.load(Relaxed)
    }

    /// See [`CacheSettings::is_tuning`].
    pub fn is_tuning(&self) -> bool {
        self.is_tuning.load(Relaxed)
    }

    /// Changes all.
    pub fn set(&self, settings: CacheSettings) {
        self.ceiling.store(settings.ceiling, Relaxed);
        self.is_tuning.store(settings.is_tuning, Relaxed);
    }
}

//! What all users of the pool share.

use std::sync::Arc;

use super::io::Reader;
use super::memory::Memory;
use super::store_core::Core;
use crate::sync::parking::RwLock;

/// What all users of the pool share: its memory, how pages are read into it, and the stores.
pub(super) struct Shared {
    pub memory: Arc<Memory>,
    pub reader: Reader,
    /// By slot. A store that is open is in here.
    pub stores: RwLock<Vec<Option<Arc<Core>>>>,
}

impl Shared {
    /// The stores that are open.
    pub fn open_stores(&self) -> Vec<Arc<Core>> {
        self.stores.read().iter().flatten().cloned().collect()
    }
}

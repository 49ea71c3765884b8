//! The part of the pool that its threads and stores share.

use std::sync::Arc;

use super::io::Reader;
use super::memory::Memory;
use super::store_core::StoreCore;
use crate::sync::parking::RwLock;

/// The part of the pool that its threads and stores share: memory, reader, and the list of stores.
pub(super) struct Shared {
    pub memory: Arc<Memory>,
    pub reader: Reader,
    /// The stores that are open, by slot.
    pub stores: RwLock<Vec<Option<Arc<StoreCore>>>>,
}

impl Shared {
    /// The stores that are open.
    pub fn open_stores(&self) -> Vec<Arc<StoreCore>> {
        self.stores.read().iter().flatten().cloned().collect()
    }
}

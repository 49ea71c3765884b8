//! Atomics, locks and threads for latch-free code: the standard library's, or shuttle's when the
//! interleaving checker drives the tests (feature `shuttle`).

#[cfg(not(feature = "shuttle"))]
pub use std::{
    hint::spin_loop,
    sync::{Arc, Condvar, Mutex, RwLock, atomic},
    thread,
};

#[cfg(feature = "shuttle")]
pub use shuttle::{
    hint::spin_loop,
    sync::{Arc, Condvar, Mutex, RwLock, atomic},
    thread,
};

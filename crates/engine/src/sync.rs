//! Atomics, locks and threads for latch-free code: the standard library's, or shuttle's when the
//! interleaving checker drives the tests (feature `shuttle`).
//!
//! [`Word`] is the atomic for memory that the engine lays out itself (anchors, versions): it is
//! eight bytes in both builds, while shuttle's own atomics are larger.
//!
//! The locks are the standard library's and parking_lot's, with this crate's guards ([`held`]).

pub mod held;

#[cfg(not(feature = "shuttle"))]
pub use self::held::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
#[cfg(not(feature = "shuttle"))]
pub use std::{
    hint::spin_loop,
    sync::{Arc, atomic},
    thread,
};

#[cfg(feature = "shuttle")]
pub use shuttle::{
    hint::spin_loop,
    sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic},
    thread,
};

/// `count` zeros. Fresh memory from the system stays untouched until they are used.
#[cfg(not(feature = "shuttle"))]
pub fn zeros(count: usize) -> Box<[atomic::AtomicU64]> {
    use zerocopy::FromZeros;
    <[atomic::AtomicU64]>::new_box_zeroed_with_elems(count)
        .unwrap_or_else(|_| std::alloc::handle_alloc_error(std::alloc::Layout::new::<u64>()))
}

/// `count` zeros.
#[cfg(feature = "shuttle")]
pub fn zeros(count: usize) -> Box<[atomic::AtomicU64]> {
    (0..count).map(|_| atomic::AtomicU64::new(0)).collect()
}

/// Locks without poisoning. Under the interleaving checker a thread that waits for one lets other
/// threads run, so that a lock may be held where the checker switches threads.
pub mod parking {
    #[cfg(not(feature = "shuttle"))]
    pub use super::held::parking::{Condvar, Mutex, RwLock};

    #[cfg(feature = "shuttle")]
    pub use super::checked::{Mutex, RwLock};

    #[cfg(feature = "shuttle")]
    pub use parking_lot::Condvar;
}

/// The locks of code that the interleaving checker does not drive.
pub mod plain {
    pub use super::held::parking;
    pub use super::held::{Mutex, MutexGuard, OwnGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
}

/// A 64-bit atomic in memory that the engine lays out itself.
#[cfg(not(feature = "shuttle"))]
pub type Word = std::sync::atomic::AtomicU64;

#[cfg(feature = "shuttle")]
pub use checked::Word;

#[cfg(feature = "shuttle")]
mod checked {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use parking_lot::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    /// Lets other threads run until `attempt` succeeds.
    fn until<G>(attempt: impl Fn() -> Option<G>) -> G {
        loop {
            if let Some(guard) = attempt() {
                return guard;
            }
            shuttle::thread::yield_now();
        }
    }

    /// As [`parking_lot::Mutex`].
    #[derive(Debug, Default)]
    pub struct Mutex<T>(parking_lot::Mutex<T>);

    impl<T> Mutex<T> {
        /// As [`parking_lot::Mutex::new`].
        pub const fn new(value: T) -> Mutex<T> {
            Mutex(parking_lot::Mutex::new(value))
        }

        /// As [`parking_lot::Mutex::lock`].
        pub fn lock(&self) -> MutexGuard<'_, T> {
            until(|| self.0.try_lock())
        }

        /// As [`parking_lot::Mutex::try_lock`].
        pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.try_lock()
        }
    }

    /// As [`parking_lot::RwLock`].
    #[derive(Debug, Default)]
    pub struct RwLock<T>(parking_lot::RwLock<T>);

    impl<T> RwLock<T> {
        /// As [`parking_lot::RwLock::new`].
        pub const fn new(value: T) -> RwLock<T> {
            RwLock(parking_lot::RwLock::new(value))
        }

        /// As [`parking_lot::RwLock::read`].
        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            until(|| self.0.try_read())
        }

        /// As [`parking_lot::RwLock::write`].
        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            until(|| self.0.try_write())
        }
    }

    /// A 64-bit atomic before every access of which the checker may switch to another thread.
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub struct Word(AtomicU64);

    macro_rules! forward {
        ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {$(
            #[doc = concat!("As [`AtomicU64::", stringify!($name), "`].")]
            pub fn $name(&self, $($arg: $ty),*) -> $out {
                // Not a yield, which would demote the thread and so hide long runs of one thread.
                shuttle::thread::sleep(Duration::ZERO);
                self.0.$name($($arg),*)
            }
        )*};
    }

    impl Word {
        /// As [`AtomicU64::new`].
        pub const fn new(value: u64) -> Word {
            Word(AtomicU64::new(value))
        }

        /// As [`AtomicU64::get_mut`].
        pub fn get_mut(&mut self) -> &mut u64 {
            self.0.get_mut()
        }

        forward! {
            load(order: Ordering) -> u64;
            store(value: u64, order: Ordering) -> ();
            swap(value: u64, order: Ordering) -> u64;
            fetch_add(value: u64, order: Ordering) -> u64;
            fetch_sub(value: u64, order: Ordering) -> u64;
            fetch_and(value: u64, order: Ordering) -> u64;
            fetch_or(value: u64, order: Ordering) -> u64;
            compare_exchange(current: u64, new: u64, success: Ordering, failure: Ordering)
                -> Result<u64, u64>;
            compare_exchange_weak(current: u64, new: u64, success: Ordering, failure: Ordering)
                -> Result<u64, u64>;
        }
    }
}

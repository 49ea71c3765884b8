//! Locks whose guards see to two rules: none is alive where a coroutine suspends (A5), and a panic
//! that would let go of one ends the process (K2 of [`crate::critical`]).
//!
//! With debug assertions each thread counts the guards that it holds, and [`assert_none`] looks at
//! that. Guards of read-write locks that only read count, too, but a panic may let go of them:
//! nothing is half changed. The locks look like the standard library's (and shuttle's), but they
//! are never poisoned.

use std::ops::{Deref, DerefMut};
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::thread::panicking;
use std::time::Duration;

#[cfg(debug_assertions)]
thread_local! {
    static HELD: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

// Neither function is inlined: a coroutine that has changed threads must not use the address of the
// counter of the thread that it was on before.
#[cfg(debug_assertions)]
#[inline(never)]
fn taken() {
    HELD.set(HELD.get() + 1);
}

#[cfg(debug_assertions)]
#[inline(never)]
fn given() {
    // A guard may go while the thread's own variables do.
    let _ = HELD.try_with(|held| held.set(held.get() - 1));
}

#[cfg(not(debug_assertions))]
#[inline(always)]
fn taken() {}

#[cfg(not(debug_assertions))]
#[inline(always)]
fn given() {}

/// Panics, with debug assertions, if the calling thread holds a guard.
#[cfg(debug_assertions)]
#[inline(never)]
pub fn assert_none() {
    assert_eq!(HELD.get(), 0, "no lock is held at a wait (A5)");
}

/// Panics, with debug assertions, if the calling thread holds a guard.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn assert_none() {}

/// The guard of a lock under which data may be half changed.
#[derive(Debug)]
pub struct Held<G> {
    guard: G,
    /// Whether no panic was unwinding when the lock was taken: destructors take locks, too.
    was_calm: bool,
}

impl<G> Held<G> {
    #[inline]
    fn new(guard: G) -> Held<G> {
        taken();
        Held { guard, was_calm: !panicking() }
    }
}

impl<G> Drop for Held<G> {
    #[inline]
    fn drop(&mut self) {
        given();
        if self.was_calm && panicking() {
            crate::critical::end_process(&"code that holds a lock");
        }
    }
}

impl<G: Deref> Deref for Held<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Held<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// The guard of a lock of which a panic may let go.
#[derive(Debug)]
pub struct Lent<G>(G);

impl<G> Lent<G> {
    #[inline]
    fn new(guard: G) -> Lent<G> {
        taken();
        Lent(guard)
    }
}

impl<G> Drop for Lent<G> {
    #[inline]
    fn drop(&mut self) {
        given();
    }
}

impl<G: Deref> Deref for Lent<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.0
    }
}

impl<G: DerefMut> DerefMut for Lent<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.0
    }
}

/// As [`std::sync::Mutex`].
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

/// A guard of [`Mutex`].
pub type MutexGuard<'a, T> = Held<std::sync::MutexGuard<'a, T>>;
/// A guard of what is one statement's own: [`Mutex::lock_own`].
pub type OwnGuard<'a, T> = Lent<std::sync::MutexGuard<'a, T>>;

impl<T> Mutex<T> {
    /// As [`std::sync::Mutex::new`].
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(std::sync::Mutex::new(value))
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As [`std::sync::Mutex::lock`], but always `Ok`.
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(Held::new(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Locks what is one statement's own: a panic may leave it as it is, since nothing else will
    /// look at it.
    #[inline]
    pub fn lock_own(&self) -> OwnGuard<'_, T> {
        Lent::new(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// As [`std::sync::Mutex::try_lock`], but never poisoned.
    #[inline]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Ok(Held::new(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Ok(Held::new(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        }
    }

    /// As [`std::sync::Mutex::get_mut`], but always `Ok`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        Ok(self.0.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

/// As [`std::sync::RwLock`].
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(std::sync::RwLock<T>);

/// A guard of [`RwLock`] that reads.
pub type RwLockReadGuard<'a, T> = Lent<std::sync::RwLockReadGuard<'a, T>>;
/// A guard of [`RwLock`] that may write.
pub type RwLockWriteGuard<'a, T> = Held<std::sync::RwLockWriteGuard<'a, T>>;

impl<T> RwLock<T> {
    /// As [`std::sync::RwLock::new`].
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(std::sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// As [`std::sync::RwLock::read`], but always `Ok`.
    #[inline]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        Ok(Lent::new(self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// As [`std::sync::RwLock::write`], but always `Ok`.
    #[inline]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        Ok(Held::new(self.0.write().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The same locks over parking_lot's.
pub mod parking {
    use super::*;

    /// As [`parking_lot::Mutex`].
    #[derive(Debug, Default)]
    pub struct Mutex<T: ?Sized>(parking_lot::Mutex<T>);

    /// A guard of [`Mutex`].
    pub type MutexGuard<'a, T> = Held<parking_lot::MutexGuard<'a, T>>;

    impl<T> Mutex<T> {
        /// As [`parking_lot::Mutex::new`].
        pub const fn new(value: T) -> Mutex<T> {
            Mutex(parking_lot::Mutex::new(value))
        }
    }

    impl<T: ?Sized> Mutex<T> {
        /// As [`parking_lot::Mutex::lock`].
        #[inline]
        pub fn lock(&self) -> MutexGuard<'_, T> {
            Held::new(self.0.lock())
        }

        /// As [`parking_lot::Mutex::try_lock`].
        #[inline]
        pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            self.0.try_lock().map(Held::new)
        }

        /// As [`parking_lot::Mutex::get_mut`].
        pub fn get_mut(&mut self) -> &mut T {
            self.0.get_mut()
        }
    }

    /// As [`parking_lot::RwLock`].
    #[derive(Debug, Default)]
    pub struct RwLock<T: ?Sized>(parking_lot::RwLock<T>);

    /// A guard of [`RwLock`] that reads.
    pub type RwLockReadGuard<'a, T> = Lent<parking_lot::RwLockReadGuard<'a, T>>;
    /// A guard of [`RwLock`] that may write.
    pub type RwLockWriteGuard<'a, T> = Held<parking_lot::RwLockWriteGuard<'a, T>>;

    impl<T> RwLock<T> {
        /// As [`parking_lot::RwLock::new`].
        pub const fn new(value: T) -> RwLock<T> {
            RwLock(parking_lot::RwLock::new(value))
        }
    }

    impl<T: ?Sized> RwLock<T> {
        /// As [`parking_lot::RwLock::read`].
        #[inline]
        pub fn read(&self) -> RwLockReadGuard<'_, T> {
            Lent::new(self.0.read())
        }

        /// As [`parking_lot::RwLock::write`].
        #[inline]
        pub fn write(&self) -> RwLockWriteGuard<'_, T> {
            Held::new(self.0.write())
        }
    }

    /// As [`parking_lot::Condvar`].
    #[derive(Debug, Default)]
    pub struct Condvar(parking_lot::Condvar);

    impl Condvar {
        /// As [`parking_lot::Condvar::new`].
        pub const fn new() -> Condvar {
            Condvar(parking_lot::Condvar::new())
        }

        /// As [`parking_lot::Condvar::wait`].
        pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
            self.0.wait(&mut guard.guard);
        }

        /// As [`parking_lot::Condvar::wait_for`].
        pub fn wait_for<T: ?Sized>(
            &self,
            guard: &mut MutexGuard<'_, T>,
            at_most: Duration,
        ) -> parking_lot::WaitTimeoutResult {
            self.0.wait_for(&mut guard.guard, at_most)
        }

        /// As [`parking_lot::Condvar::notify_one`].
        pub fn notify_one(&self) -> bool {
            self.0.notify_one()
        }

        /// As [`parking_lot::Condvar::notify_all`].
        pub fn notify_all(&self) -> usize {
            self.0.notify_all()
        }
    }
}

//! How a session reaches into its running statement.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed, Ordering::SeqCst};
use std::task::Waker;

use crate::sync::plain::{Mutex, MutexGuard};

/// Why a statement shall end before it is finished.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Interrupted {
    /// The client cancelled the request; the session goes on.
    Attention = 1,
    /// The session ends: KILL, a lost connection, shutdown.
    Kill = 2,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Interrupted::Attention => "the request was cancelled by the client",
            Interrupted::Kill => "the session is being ended",
        })
    }
}

impl std::error::Error for Interrupted {}

/// A flag that a session shares with its statement. One statement at a time listens.
#[derive(Default, Debug)]
pub struct Interrupt {
    /// An [`Interrupted`], or 0. Written by any thread; it only rises between two calls of `clear`.
    raised: AtomicU8,
    /// The waker of the statement that listens.
    listener: Mutex<Option<Waker>>,
}

impl Interrupt {
    /// Not raised.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Asks the statement to end. A kill outranks an attention.
    pub fn raise(&self, why: Interrupted) {
        self.raised.fetch_max(why as u8, SeqCst);
        let listener = self.lock_listener().take();
        if let Some(waker) = listener {
            waker.wake();
        }
    }

    /// Takes an attention back, before the next request starts. A kill stays.
    pub fn clear(&self) {
        let attention = Interrupted::Attention as u8;
        // If it is a kill or nothing, there is nothing to take back.
        let _ = self.raised.compare_exchange(attention, 0, SeqCst, SeqCst);
    }

    /// Whether and why the statement shall end.
    #[inline]
    pub fn raised(&self) -> Option<Interrupted> {
        match self.raised.load(Relaxed) {
            0 => None,
            1 => Some(Interrupted::Attention),
            _ => Some(Interrupted::Kill),
        }
    }

    /// Wakes this waker when the flag is raised. Check [`Interrupt::raised`] afterwards: the lock
    /// orders this against `raise`, which sets the flag first.
    pub fn listen(&self, waker: &Waker) {
        let mut listener = self.lock_listener();
        match &mut *listener {
            Some(known) => known.clone_from(waker),
            None => *listener = Some(waker.clone()),
        }
    }

    /// Removes the listener.
    pub(super) fn unlisten(&self) {
        self.lock_listener().take();
    }

    fn lock_listener(&self) -> MutexGuard<'_, Option<Waker>> {
        self.listener.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

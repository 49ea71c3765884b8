//! Waiting without blocking a thread: statements on coroutines, and what they wait at.
//!
//! # Life of a statement
//!
//! A [`Statement`] is made of a closure and polled by any executor. The first poll takes a stack
//! and starts the closure on it with a [`Task`]; it runs until it returns (`Poll::Ready`) or waits.
//! A wait registers the executor's waker at what is waited for, looks once more, and suspends the
//! coroutine (`Poll::Pending`); the next poll, maybe on another thread, goes on after the wait. At
//! the end the stack goes back to its pool.
//!
//! * [`Task`] is what code on the coroutine holds: wait, checkpoint, sleep, the current worker.
//! * [`Worker`] is what belongs to a polling thread: epoch handle, number, counters.
//! * [`Interrupt`] is how a session reaches into its statement: attention, kill.
//! * [`Timer`] is the executor's timer.
//! * [`WaitList`], [`Event`], [`LsnWaiters`]: what tasks wait for.
//! * [`OffLoad`] has threads for what blocks: a statement waits for a [`Job`] there.
//! * [`Runtime`] holds what all statements of a server share.
//!
//! # Invariants
//!
//! * P1: nothing that belongs to a thread is held across a suspension: no worker, epoch guard, lock
//!   guard or thread-local value (A5). Suspending panics if a worker is borrowed or an epoch guard
//!   of its handle is alive and, with debug assertions, if a guard of [`crate::sync`]'s locks is;
//!   the rest is the caller's duty.
//! * P2: the waker is registered first and the condition checked afterwards; the thread that makes
//!   the condition true does so first and wakes afterwards.
//! * P3: only what can be undone is interrupted. Commit, rollback and clean-up use
//!   [`Task::wait`], which ends only when its condition is true.
//! * P4: an unfinished statement that is dropped is finished first (see [`Statement`]); its stack
//!   is freed only when nothing is on it.
//!
//! # Failure
//!
//! A panic inside a statement unwinds its coroutine and comes out of the poll, unless the statement
//! catches it; in critical sections it ends the process ([`crate::critical`]). Memory for stacks
//! that cannot be had ends the statement with [`OutOfStacks`] before it starts. A stack that
//! overflows meets its guard and ends the process; what recurses asks `base::stack` for room.

mod interrupt;
mod list;
mod lsn;
mod off_load;
mod runtime;
mod stack;
mod statement;
mod task;
mod timer;
mod worker;

pub use interrupt::{Interrupt, Interrupted};
pub use list::{Event, Registration, WaitList};
pub use lsn::{LsnRegistration, LsnWaiters};
pub use off_load::{Job, OffLoad};
pub use runtime::{Runtime, RuntimeOptions};
pub use stack::OutOfStacks;
pub use statement::Statement;
pub use task::{DiskReads, Task, WaitError};
pub use timer::{Armed, ThreadTimer, Timer};
pub use worker::{Worker, WorkerCounters, WorkerState, WorkerStats};

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;

use crate::sync::{Mutex, MutexGuard};

/// Locks; a panic elsewhere while the lock was held does not matter, since everything under these
/// locks is whole between any two lines.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

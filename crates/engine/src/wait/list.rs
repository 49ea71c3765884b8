//! Lists of wakers: a task that waits for a condition registers here, the thread that makes it true
//! wakes all.

use std::fmt;
use std::task::{Poll, Waker};

use smallvec::SmallVec;

use super::task::{Task, WaitError};
use super::{Interrupted, lock};
use crate::sync::Mutex;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::sync::atomic::{AtomicBool, AtomicUsize, fence};

/// The waiters for one condition.
///
/// ```text
/// waiter:  register the waker, then check the condition, then suspend
/// waker:   make the condition true, then wake_all
/// ```
#[derive(Default)]
pub struct WaitList {
    /// Registered wakers. Written under the lock; read without it by `wake_all`, whose fence pairs
    /// with the one in [`Registration::arm`]: either the waiter sees the condition or the waker
    /// sees the waiter.
    armed: AtomicUsize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl WaitList {
    /// A list without waiters.
    pub fn new() -> WaitList {
        WaitList::default()
    }

    /// How many wait.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub fn waiting(&self) -> usize {
        self.armed.load(Relaxed)
    }

    /// A place in the list, not yet armed.
    pub fn register(&self) -> Registration<'_> {
        Registration { list: self, slot: None }
    }

    /// Wakes all registered waiters. Costs a fence and a load when there are none.
    pub fn wake_all(&self) {
        fence(SeqCst);
        if self.armed.load(Relaxed) == 0 {
            return;
        }
        let mut woken: SmallVec<[Waker; 8]> = SmallVec::new();
        let mut slots = lock(&self.slots);
        woken.extend(slots.wakers.iter_mut().filter_map(Option::take));
        self.armed.store(0, Relaxed);
        drop(slots);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Waits until `ready` returns a value.
    pub fn wait<T>(&self, task: &Task, mut ready: impl FnMut() -> Option<T>) -> T {
        if let Some(value) = ready() {
            return value;
        }
        let mut place = self.register();
        task.wait(|cx| {
            place.arm(cx.waker());
            ready().map_or(Poll::Pending, Poll::Ready)
        })
    }

    /// Waits until `ready` returns a value or the statement is interrupted.
    pub fn wait_interruptible<T>(
        &self,
        task: &Task,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<T, Interrupted> {
        let mut place = self.register();
        task.wait_interruptible(|cx| {
            place.arm(cx.waker());
            ready().map_or(Poll::Pending, Poll::Ready)
        })
    }

    /// Waits until `ready` returns a value, the statement is interrupted, or the clock of the task
    /// ([`Task::now_ns`]) reaches the deadline.
    pub fn wait_until<T>(
        &self,
        task: &Task,
        deadline_ns: u64,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Result<T, WaitError> {
        let mut place = self.register();
        task.wait_until(deadline_ns, |cx| {
            place.arm(cx.waker());
            ready().map_or(Poll::Pending, Poll::Ready)
        })
    }
}

impl fmt::Debug for WaitList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WaitList({} waiting)", self.armed.load(Relaxed))
    }
}

/// A place in a [`WaitList`]; given back when dropped.
#[derive(Debug)]
pub struct Registration<'a> {
    list: &'a WaitList,
    slot: Option<usize>,
}

impl Registration<'_> {
    /// From now on, and until it has been woken once, `wake_all` wakes this waker. Check the
    /// condition afterwards.
    pub fn arm(&mut self, waker: &Waker) {
        let mut slots = lock(&self.list.slots);
        let slot = match self.slot {
            Some(slot) => slot,
            None => match slots.free.pop() {
                Some(slot) => slot,
                None => {
                    slots.wakers.push(None);
                    slots.wakers.len() - 1
                }
            },
        };
        self.slot = Some(slot);
        match &mut slots.wakers[slot] {
            Some(known) => known.clone_from(waker),
            empty => {
                *empty = Some(waker.clone());
                self.list.armed.store(self.list.armed.load(Relaxed) + 1, Relaxed);
            }
        }
        drop(slots);
        fence(SeqCst); // pairs with the fence in wake_all
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        let Some(slot) = self.slot else { return };
        let mut slots = lock(&self.list.slots);
        if slots.wakers[slot].take().is_some() {
            self.list.armed.store(self.list.armed.load(Relaxed) - 1, Relaxed);
        }
        slots.free.push(slot);
        if slots.free.len() == slots.wakers.len() {
            *slots = Slots::default(); // a crowd has left: its memory need not stay
        }
    }
}

/// Something that happens once, or until it is reset.
#[derive(Default, Debug)]
pub struct Event {
    happened: AtomicBool,
    waiting: WaitList,
}

impl Event {
    /// Has not happened.
    pub fn new() -> Event {
        Event::default()
    }

    /// The event has happened: all waiters go on, and no task waits until the event is reset.
    pub fn set(&self) {
        self.happened.store(true, Release); // pairs with the load in is_set
        self.waiting.wake_all();
    }

    /// The event has not happened yet.
    pub fn reset(&self) {
        self.happened.store(false, Relaxed);
    }

    /// Whether the event has happened. What was done before [`Event::set`] is visible if so.
    pub fn is_set(&self) -> bool {
        self.happened.load(Acquire)
    }

    /// How many wait for it.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub fn waiting(&self) -> usize {
        self.waiting.waiting()
    }

    /// Waits until it happens.
    pub fn wait(&self, task: &Task) {
        self.waiting.wait(task, || self.is_set().then_some(()));
    }

    /// Waits until it happens or the statement is interrupted.
    pub fn wait_interruptible(&self, task: &Task) -> Result<(), Interrupted> {
        self.waiting.wait_interruptible(task, || self.is_set().then_some(()))
    }
}

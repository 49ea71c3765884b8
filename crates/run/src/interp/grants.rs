//! Memory grants: what statements that sort and hash may hold, all of them together.
//!
//! # Life of a lease
//!
//! A statement asks for as much as its plan is estimated to need, before it opens anything. If the
//! pool does not have that, or other statements wait already, it waits in a queue, in order of
//! arrival, until its deadline. What the pool gives it is its *lease*. The lease grows when an
//! object needs more, as long as no statement waits, up to what one statement may have; after that
//! the object spills. The lease ends with the statement.
//!
//! A statement without sorts and hash tables takes no lease, and neither does a statement that runs
//! inside another one: a statement that holds a lease must not wait for a second one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use base::ids::SessionId;
use engine::sync::plain::{Mutex, MutexGuard};
use engine::wait::{Task, WaitError, WaitList};

/// See the module's header.
#[derive(Debug)]
pub struct GrantPool {
    /// Bytes of all leases together.
    limit: AtomicUsize,
    /// Bytes of one lease, at most.
    most: AtomicUsize,
    state: Mutex<State>,
    /// Wakes the statements in the queue, which then look again.
    freed: WaitList,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    /// Leases, by number, and numbers to be used again.
    holders: Vec<Option<Holder>>,
    free: Vec<usize>,
    queue: VecDeque<Waiting>,
    last_ticket: u64,
    counts: Counts,
}

/// What has happened since the server started.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Statements that have waited.
    pub waits: u64,
    /// Nanoseconds that they have waited, in total.
    pub wait_ns: u64,
    /// Nanoseconds of the longest wait.
    pub wait_ns_max: u64,
    /// Waits that timed out.
    pub timeouts: u64,
}

/// What a statement asks for; bytes.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// The session that asks.
    pub session: SessionId,
    /// Bytes without which the statement does not run.
    pub required: usize,
    /// Bytes that it is estimated to need.
    pub ideal: usize,
    /// Bytes that it asks for.
    pub wanted: usize,
    /// Bytes to which its lease may grow.
    pub most: usize,
    /// The longest time that it waits.
    pub timeout_ns: u64,
}

/// A statement that has a lease.
#[derive(Clone, Debug)]
pub struct Holder {
    /// What was asked for.
    pub ask: Ask,
    /// Bytes of the lease.
    pub granted: usize,
    /// When it was asked for, on the monotonic clock.
    pub asked_ns: u64,
    /// When it was granted, on the same clock.
    pub granted_ns: u64,
    /// What the statement holds.
    pub usage: Arc<Usage>,
}

/// A statement that waits for a lease.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// What was asked for.
    pub ask: Ask,
    /// When it was asked for, on the monotonic clock.
    pub asked_ns: u64,
    ticket: u64,
}

/// What a statement's objects hold: written by the statement, read by views.
#[derive(Debug, Default)]
pub struct Usage {
    /// Bytes, now.
    pub bytes: AtomicUsize,
    /// The most bytes so far.
    pub most: AtomicUsize,
}

impl Usage {
    /// Notes that the statement holds this many bytes.
    pub fn note(&self, bytes: usize) {
        self.bytes.store(bytes, Relaxed);
        if bytes > self.most.load(Relaxed) {
            self.most.store(bytes, Relaxed);
        }
    }

    /// Begins to count for another statement.
    pub fn restart(&self) {
        self.most.store(self.bytes.load(Relaxed), Relaxed);
    }
}

impl GrantPool {
    /// One statement may have the pool divided by this.
    pub const PARTS: usize = 4;

    /// An empty pool; [`GrantPool::set_limit`] sets its size.
    pub fn new() -> Arc<GrantPool> {
        Arc::new(GrantPool {
            limit: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            state: Mutex::default(),
            freed: WaitList::new(),
        })
    }

    /// Sets the bytes of all leases together. One statement gets at most a quarter of them, and at
    /// most `most`. Leases that exist stay as they are.
    pub fn set_limit(&self, limit: usize, most: usize) {
        {
            let _state = self.state();
            self.limit.store(limit, Relaxed);
            self.most.store(most.min(limit / GrantPool::PARTS), Relaxed);
        }
        self.freed.wake_all();
    }

    /// Bytes of all leases together, at most.
    pub fn limit(&self) -> usize {
        self.limit.load(Relaxed)
    }

    /// Bytes that one statement may have.
    pub fn most(&self) -> usize {
        self.most.load(Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes a lease: at once if the pool has the bytes and no statement waits, else after its turn
    /// in the queue.
    pub fn take(
        self: &Arc<Self>,
        task: &Task<'_>,
        ask: Ask,
        usage: &Arc<Usage>,
    ) -> Result<Lease, WaitError> {
        let now = task.now_ns();
        let mut state = self.state();
        if state.queue.is_empty() && state.taken + ask.wanted <= self.limit() {
            let holder = Holder {
                ask,
                granted: ask.wanted,
                asked_ns: now,
                granted_ns: now,
                usage: usage.clone(),
            };
            let number = state.admit(holder);
            drop(state);
            return Ok(self.lease(number, ask));
        }
        state.last_ticket += 1;
        let ticket = state.last_ticket;
        state.queue.push_back(Waiting { ask, asked_ns: now, ticket });
        drop(state);
        self.wait(task, ask, ticket, now, usage)
    }

    #[cold]
    fn wait(
        self: &Arc<Self>,
        task: &Task<'_>,
        ask: Ask,
        ticket: u64,
        asked_ns: u64,
        usage: &Arc<Usage>,
    ) -> Result<Lease, WaitError> {
        let deadline = asked_ns.saturating_add(ask.timeout_ns);
        let admitted = self.freed.wait_until(task, deadline, || {
            let mut state = self.state();
            let first = state.queue.front().is_some_and(|first| first.ticket == ticket);
            let fits = state.taken + ask.wanted <= self.limit();
            // The pool may have become smaller than the request, which is then granted when there
            // is no other lease.
            if !first || !(fits || state.taken == 0) {
                return None;
            }
            state.queue.pop_front();
            let (granted, usage) = (ask.wanted, usage.clone());
            Some(state.admit(Holder { ask, granted, asked_ns, granted_ns: asked_ns, usage }))
        });
        let now = task.now_ns();
        let mut state = self.state();
        let waited = now.saturating_sub(asked_ns);
        state.counts.waits += 1;
        state.counts.wait_ns += waited;
        state.counts.wait_ns_max = state.counts.wait_ns_max.max(waited);
        match &admitted {
            Ok(number) => {
                if let Some(holder) = &mut state.holders[*number] {
                    holder.granted_ns = now;
                }
            }
            Err(error) => {
                state.queue.retain(|waiting| waiting.ticket != ticket);
                state.counts.timeouts += u64::from(*error == WaitError::TimedOut);
            }
        }
        drop(state);
        // The statement that is first now may go on.
        self.freed.wake_all();
        admitted.map(|number| self.lease(number, ask))
    }

    fn lease(self: &Arc<Self>, number: usize, ask: Ask) -> Lease {
        Lease { pool: self.clone(), number, bytes: ask.wanted, most: ask.most.max(ask.wanted) }
    }

    /// The statements that have a lease.
    pub fn holders(&self) -> Vec<Holder> {
        self.state().holders.iter().flatten().cloned().collect()
    }

    /// The statements that wait for a lease, in order of arrival.
    pub fn waiting(&self) -> Vec<Waiting> {
        self.state().queue.iter().copied().collect()
    }

    /// Bytes of leases that their holders do not use yet.
    pub fn unused(&self) -> usize {
        let state = self.state();
        let unused = |it: &Holder| it.granted.saturating_sub(it.usage.bytes.load(Relaxed));
        state.holders.iter().flatten().map(unused).sum()
    }

    /// Bytes of all leases.
    pub fn taken(&self) -> usize {
        self.state().taken
    }

    /// What has happened so far.
    pub fn counts(&self) -> Counts {
        self.state().counts
    }
}

impl State {
    fn admit(&mut self, holder: Holder) -> usize {
        self.taken += holder.granted;
        match self.free.pop() {
            Some(number) => {
                self.holders[number] = Some(holder);
                number
            }
            None => {
                self.holders.push(Some(holder));
                self.holders.len() - 1
            }
        }
    }
}

/// Memory that a statement may use; given back when dropped.
#[derive(Debug)]
pub struct Lease {
    pool: Arc<GrantPool>,
    number: usize,
    bytes: usize,
    most: usize,
}

impl Lease {
    /// Bytes of the lease.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the lease is this large, or can be extended to that.
    #[inline]
    pub fn covers(&mut self, bytes: usize) -> bool {
        bytes <= self.bytes || self.extend(bytes)
    }

    /// Makes the lease this large, and half as large again if the pool has that, unless a statement
    /// waits.
    #[cold]
    fn extend(&mut self, bytes: usize) -> bool {
        if bytes > self.most {
            return false;
        }
        let mut state = self.pool.state();
        let left = self.pool.limit().saturating_sub(state.taken);
        let more = (bytes - self.bytes).max(self.bytes / 2).min(self.most - self.bytes);
        let more = if more <= left { more } else { bytes - self.bytes };
        if more > left || !state.queue.is_empty() {
            return false;
        }
        state.taken += more;
        self.bytes += more;
        if let Some(holder) = &mut state.holders[self.number] {
            holder.granted = self.bytes;
        }
        true
    }

    /// How large the lease could be made now.
    pub fn reach(&self) -> usize {
        let state = self.pool.state();
        let left = self.pool.limit().saturating_sub(state.taken);
        let left = if state.queue.is_empty() { left } else { 0 };
        (self.bytes + left).min(self.most).max(self.bytes)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.taken -= self.bytes;
        state.holders[self.number] = None;
        state.free.push(self.number);
        let waited_for = !state.queue.is_empty();
        drop(state);
        if waited_for {
            self.pool.freed.wake_all();
        }
    }
}

#[cfg(test)]
mod tests;

//! Waiting for a lock.

use std::task::Poll;

use crate::txn::locks::lock_wait::LockWait;
use crate::txn::locks::mode::LockMode;
use crate::txn::locks::row_keys::RowKeys;
use crate::txn::locks::space::{LockSpace, Request};
use crate::txn::locks::target::Target;
use crate::txn::waits::Gates;
use crate::wait::{Task, WaitError};

/// How long a request waits for a lock that other owners have.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Patience {
    /// As `SET LOCK_TIMEOUT` says.
    #[default]
    Session,
    /// This many milliseconds; for ever if negative.
    Milliseconds(i64),
    /// Not at all.
    None,
}

/// A lock that was granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The mode that its owner held before, for the same lifetime.
    pub before: LockMode,
    /// Whether it had to wait.
    pub waited: bool,
    /// Whether another lock of the owner covers it, so that there is nothing to give back.
    pub covered: bool,
}

/// Why a lock was not granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockFault {
    /// Other owners have it, and the time to wait was over, or there was none.
    Timeout,
    /// Waiting would never have ended.
    Deadlock,
    /// The client has cancelled.
    Interrupted,
    /// There is no memory for it.
    OutOfMemory,
}

impl LockSpace {
    /// Takes a lock, waiting for it as long as `patience` says. `gates` are those the owner is
    /// inside of; `pause` is called before it waits.
    pub fn take(
        &self,
        task: &Task,
        request: Request,
        keys: &dyn RowKeys,
        patience: Patience,
        gates: Gates,
        pause: impl FnOnce(),
    ) -> Result<Taken, LockFault> {
        let owner = request.owner.clone();
        let timeout_ms = match patience {
            Patience::Session => owner.lock_timeout_ms(),
            Patience::Milliseconds(ms) => ms,
            Patience::None => 0,
        };
        let (ticket, before) = {
            let mut inner = self.lock();
            let before = inner.held_for(owner.id(), &request.target, request.lifetime);
            if inner.is_covered(&request) {
                return Ok(Taken { before, waited: false, covered: true });
            }
            // Definitions can be changed, and above all dropped, when memory has run out.
            let is_exempt = matches!(request.target, Target::Insert | Target::Definition(_));
            if !is_exempt && !self.has_memory() {
                return Err(LockFault::OutOfMemory);
            }
            let holders = inner.blockers(&request, keys, inner.waiting.len());
            if holders.is_empty() {
                self.charge(inner.add(&request));
                inner.tell_graph(&self.graph);
                return Ok(Taken { before, waited: false, covered: false });
            }
            if timeout_ms == 0 {
                return Err(LockFault::Timeout);
            }
            let wait = LockWait::of(&request.target, request.mode);
            owner.set_place(self.place(&request.target));
            if self.graph.register_lock(&owner, wait, holders.clone(), gates).is_err() {
                return Err(LockFault::Deadlock);
            }
            (inner.enqueue(request.clone(), keys, holders), before)
        };
        pause();
        let ready = |cx: &mut std::task::Context<'_>| {
            owner.set_waker(cx.waker());
            match owner.is_awake() {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        };
        let waited = match timeout_ms {
            ..0 => task.wait_interruptible(ready).map_err(WaitError::from),
            _ => task.wait_until(task.now_ns() + timeout_ms as u64 * 1_000_000, ready),
        };
        self.end_wait(&request, before, ticket, waited)
    }

    /// Ends a wait, and returns its outcome.
    fn end_wait(
        &self,
        request: &Request,
        before: LockMode,
        ticket: u64,
        waited: Result<(), WaitError>,
    ) -> Result<Taken, LockFault> {
        let mut inner = self.lock();
        // The wait is cancelled under the mutex, since a grant tells the graph under it, too.
        let victim = self.graph.cancel(&request.owner).is_err();
        if inner.leave_queue(ticket) {
            inner.promote(self);
            return Err(match waited {
                _ if victim => LockFault::Deadlock,
                Err(WaitError::Interrupted(_)) => LockFault::Interrupted,
                _ => LockFault::Timeout,
            });
        }
        drop(inner);
        if victim {
            // The lock was granted as well: it is given back.
            match &request.target {
                Target::Span(span) => self.abandon(request.owner.id(), span),
                target => self.weaken(request.owner.id(), target, request.lifetime, before),
            }
            return Err(LockFault::Deadlock);
        }
        Ok(Taken { before, waited: true, covered: false })
    }
}

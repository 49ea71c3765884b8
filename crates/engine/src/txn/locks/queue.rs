//! Waiting for a lock.

use std::task::Poll;

use crate::txn::locks::LockMode;
use crate::txn::locks::definitions::Thing;
use crate::txn::locks::space::{LockSpace, Request, RowKeys, Target};
use crate::txn::waits::Gates;
use crate::wait::{Task, WaitError};

/// How long a request waits for a lock that other owners have.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Patience {
    /// As `SET LOCK_TIMEOUT` says.
    #[default]
    Session,
    /// So many milliseconds; negative for ever.
    Milliseconds(i64),
    /// Not at all.
    None,
}

/// A lock that was granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// What its owner held before, for as long.
    pub before: LockMode,
    /// Whether it had to wait.
    pub waited: bool,
    /// Whether it has all of it by another lock, so that there is nothing to give back.
    pub covered: bool,
}

/// Why a lock was not granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockFault {
    /// Others have it, and time was up, if there was any.
    Timeout,
    /// Waiting would never have ended.
    Deadlock,
    /// The client has cancelled.
    Interrupted,
    /// There is no memory for it.
    OutOfMemory,
}

/// What a session waits for, in short: for the system views.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LockWait {
    /// Kind of lock.
    pub kind: LockKind,
    /// The mode asked for.
    pub mode: LockMode,
}

/// Kinds of locks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum LockKind {
    Table,
    Row,
    Range,
    Insert,
    Application,
    /// A definition.
    Definition,
    /// The name of one, or all of them.
    Name,
}

impl LockWait {
    fn for_request(request: &Request) -> LockWait {
        let kind = match request.target {
            Target::Whole => LockKind::Table,
            Target::Row(_) => LockKind::Row,
            Target::Span(_) => LockKind::Range,
            Target::Insert => LockKind::Insert,
            Target::Name(_) => LockKind::Application,
            Target::Thing(Thing::One(..) | Thing::Kind(_)) => LockKind::Definition,
            Target::Thing(Thing::All | Thing::Name(..)) => LockKind::Name,
        };
        LockWait { kind, mode: request.mode }
    }

    /// SQL Server's name for such a wait.
    pub fn wait_type(&self) -> &'static str {
        match (self.kind, self.mode.range_name(), self.mode.name()) {
            (LockKind::Insert, ..) => "LCK_M_RIn_NL",
            (LockKind::Range, "RangeS-S", _) => "LCK_M_RS_S",
            (LockKind::Range, "RangeS-U", _) => "LCK_M_RS_U",
            (LockKind::Range, ..) => "LCK_M_RX_X",
            (LockKind::Definition, _, "X") => "LCK_M_SCH_M",
            (LockKind::Definition, ..) => "LCK_M_SCH_S",
            (_, _, "IS") => "LCK_M_IS",
            (_, _, "IX") => "LCK_M_IX",
            (_, _, "S") => "LCK_M_S",
            (_, _, "U") => "LCK_M_U",
            (_, _, "SIX") => "LCK_M_SIX",
            (_, _, "UIX") => "LCK_M_UIX",
            _ => "LCK_M_X",
        }
    }
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
            // Definitions can be changed, dropped above all, where memory has run out.
            let is_exempt = matches!(request.target, Target::Insert | Target::Thing(_));
            if !is_exempt && !self.has_memory() {
                return Err(LockFault::OutOfMemory);
            }
            let holders = inner.in_the_way(&request, keys, inner.waiting.len());
            if holders.is_empty() {
                self.charge(inner.add(&request));
                inner.tell_graph(&self.graph);
                return Ok(Taken { before, waited: false, covered: false });
            }
            if timeout_ms == 0 {
                return Err(LockFault::Timeout);
            }
            let wait = LockWait::for_request(&request);
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

    /// What became of a wait.
    fn end_wait(
        &self,
        request: &Request,
        before: LockMode,
        ticket: u64,
        waited: Result<(), WaitError>,
    ) -> Result<Taken, LockFault> {
        let mut inner = self.lock();
        // Under the mutex: a grant tells the graph under it, too.
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
            // It was granted as well, but will not be used.
            match &request.target {
                Target::Span(span) => self.abandon(request.owner.id(), span),
                target => self.weaken(request.owner.id(), target, request.lifetime, before),
            }
            return Err(LockFault::Deadlock);
        }
        Ok(Taken { before, waited: true, covered: false })
    }
}

//! Application locks: `sp_getapplock`, `sp_releaseapplock`, `APPLOCK_TEST`.
//!
//! Locks are named by database, principal and resource. A session holds them for a transaction or
//! until it releases them. Who waits stands in line: a request is granted when no holder and no
//! earlier waiter is in its way.
//!
//! Circles of waiting are found among application locks; one that also goes through rows ends by the
//! lock's timeout.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base::ids::{DbId, SessionId};
use engine::wait::{Interrupted, Task, WaitError, WaitList};

/// How strong a lock is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum LockMode {
    IntentShared,
    Shared,
    Update,
    IntentExclusive,
    Exclusive,
}

impl LockMode {
    /// What `@LockMode` calls it.
    pub fn parse(name: &str) -> Option<LockMode> {
        let modes = [
            ("IntentShared", LockMode::IntentShared),
            ("Shared", LockMode::Shared),
            ("Update", LockMode::Update),
            ("IntentExclusive", LockMode::IntentExclusive),
            ("Exclusive", LockMode::Exclusive),
        ];
        modes.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, mode)| mode)
    }

    /// The name that `APPLOCK_MODE` shows.
    pub fn name(self) -> &'static str {
        match self {
            LockMode::IntentShared => "IntentShared",
            LockMode::Shared => "Shared",
            LockMode::Update => "Update",
            LockMode::IntentExclusive => "IntentExclusive",
            LockMode::Exclusive => "Exclusive",
        }
    }

    fn is_compatible(self, other: LockMode) -> bool {
        use LockMode::*;
        match (self, other) {
            (Exclusive, _) | (_, Exclusive) => false,
            (IntentShared, _) | (_, IntentShared) => true,
            (Shared, Shared | Update) | (Update, Shared) => true,
            (IntentExclusive, IntentExclusive) => true,
            _ => false,
        }
    }

    /// Whether holding this one is as good as holding the other.
    fn covers(self, other: LockMode) -> bool {
        use LockMode::*;
        match self {
            Exclusive => true,
            Update => matches!(other, Update | Shared | IntentShared),
            IntentExclusive => matches!(other, IntentExclusive | IntentShared),
            Shared => matches!(other, Shared | IntentShared),
            IntentShared => other == IntentShared,
        }
    }
}

/// How long a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LockOwner {
    /// Until the transaction ends.
    Transaction,
    /// Until it is released or the session ends.
    Session,
}

/// Names a lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockName {
    /// The database of the principal.
    pub database: DbId,
    /// The principal, `public` for everybody.
    pub principal: Arc<str>,
    /// The resource; upper and lower case differ.
    pub resource: Arc<str>,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockOutcome {
    /// Granted at once.
    Granted,
    /// Granted after waiting.
    GrantedAfterWait,
    /// The time was up.
    TimedOut,
    /// Waiting would never have ended.
    Deadlock,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    session: SessionId,
    owner: LockOwner,
    mode: LockMode,
    count: u32,
}

#[derive(Default)]
struct Resource {
    held: Vec<Held>,
    /// By order of arrival.
    waiting: Vec<(SessionId, LockMode, u64)>,
}

#[derive(Default)]
struct Inner {
    resources: HashMap<LockName, Resource>,
    tickets: u64,
}

/// The application locks of a server.
#[derive(Default)]
pub struct ApplicationLocks {
    inner: Mutex<Inner>,
    changed: WaitList,
}

impl ApplicationLocks {
    /// Takes a lock. `deadline_ns` is on the task's clock; `None` waits for ever.
    pub fn acquire(
        &self,
        task: &Task,
        session: SessionId,
        name: &LockName,
        mode: LockMode,
        owner: LockOwner,
        deadline_ns: Option<u64>,
    ) -> Result<LockOutcome, Interrupted> {
        let ticket = {
            let mut inner = self.lock();
            inner.tickets += 1;
            let ticket = inner.tickets;
            let resource = inner.resources.entry(name.clone()).or_default();
            if resource.try_take(session, mode, owner, ticket) {
                return Ok(LockOutcome::Granted);
            }
            if deadline_ns.is_some_and(|deadline| deadline <= task.now_ns()) {
                inner.forget_if_unused(name);
                return Ok(LockOutcome::TimedOut);
            }
            resource.waiting.push((session, mode, ticket));
            if inner.closes_a_circle(session) {
                inner.stop_waiting(name, ticket);
                return Ok(LockOutcome::Deadlock);
            }
            ticket
        };
        let waited = self.changed.wait_until(task, deadline_ns.unwrap_or(u64::MAX), || {
            let mut inner = self.lock();
            let resource = inner.resources.get_mut(name).expect("it has a waiter");
            resource.try_take(session, mode, owner, ticket).then_some(())
        });
        self.lock().stop_waiting(name, ticket);
        self.changed.wake_all();
        match waited {
            Ok(()) => Ok(LockOutcome::GrantedAfterWait),
            Err(WaitError::TimedOut) => Ok(LockOutcome::TimedOut),
            Err(WaitError::Interrupted(why)) => Err(why),
        }
    }

    /// Gives back a lock once. `false` if it is not held.
    pub fn release(&self, session: SessionId, name: &LockName, owner: LockOwner) -> bool {
        let mut inner = self.lock();
        let Some(resource) = inner.resources.get_mut(name) else { return false };
        let is_it = |h: &Held| h.session == session && h.owner == owner;
        let Some(place) = resource.held.iter().position(is_it) else { return false };
        resource.held[place].count -= 1;
        if resource.held[place].count == 0 {
            resource.held.remove(place);
        }
        inner.forget_if_unused(name);
        drop(inner);
        self.changed.wake_all();
        true
    }

    /// Gives back everything that a session holds for its transaction, or everything.
    pub fn release_all(&self, session: SessionId, owner: Option<LockOwner>) {
        let mut inner = self.lock();
        if inner.resources.is_empty() {
            return;
        }
        let keep = |h: &Held| h.session != session || owner.is_some_and(|o| o != h.owner);
        inner.resources.values_mut().for_each(|r| r.held.retain(keep));
        inner.resources.retain(|_, r| !r.held.is_empty() || !r.waiting.is_empty());
        drop(inner);
        self.changed.wake_all();
    }

    /// The mode in which a session holds a lock.
    pub fn mode(&self, session: SessionId, name: &LockName, owner: LockOwner) -> Option<LockMode> {
        let inner = self.lock();
        let held = &inner.resources.get(name)?.held;
        held.iter().find(|h| h.session == session && h.owner == owner).map(|h| h.mode)
    }

    /// Whether a session would get a lock at once.
    pub fn is_available(&self, session: SessionId, name: &LockName, mode: LockMode) -> bool {
        let inner = self.lock();
        inner.resources.get(name).is_none_or(|r| r.is_free(session, mode, u64::MAX))
    }

    /// Every lock that is held: its name, the session, the mode, the owner.
    pub fn held(&self) -> Vec<(LockName, SessionId, LockMode, LockOwner)> {
        let inner = self.lock();
        let of = |(name, r): (&LockName, &Resource)| {
            let row = |h: &Held| (name.clone(), h.session, h.mode, h.owner);
            r.held.iter().map(row).collect::<Vec<_>>()
        };
        inner.resources.iter().flat_map(of).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Resource {
    /// Whether nobody, and no waiter before this ticket, is in the way.
    fn is_free(&self, session: SessionId, mode: LockMode, ticket: u64) -> bool {
        let others = self.held.iter().filter(|h| h.session != session);
        let earlier = self.waiting.iter().filter(|w| w.0 != session && w.2 < ticket);
        let holds = self.held.iter().any(|h| h.session == session);
        others.map(|h| h.mode).all(|m| m.is_compatible(mode))
            // Whoever holds the lock already goes before those who wait for it.
            && (holds || earlier.map(|w| w.1).all(|m| m.is_compatible(mode)))
    }

    fn try_take(
        &mut self,
        session: SessionId,
        mode: LockMode,
        owner: LockOwner,
        ticket: u64,
    ) -> bool {
        if !self.is_free(session, mode, ticket) {
            return false;
        }
        match self.held.iter_mut().find(|h| h.session == session && h.owner == owner) {
            Some(held) => {
                held.count += 1;
                if !held.mode.covers(mode) {
                    held.mode = mode;
                }
            }
            None => self.held.push(Held { session, owner, mode, count: 1 }),
        }
        true
    }
}

impl Inner {
    fn stop_waiting(&mut self, name: &LockName, ticket: u64) {
        if let Some(resource) = self.resources.get_mut(name) {
            resource.waiting.retain(|w| w.2 != ticket);
        }
        self.forget_if_unused(name);
    }

    fn forget_if_unused(&mut self, name: &LockName) {
        let unused = |r: &Resource| r.held.is_empty() && r.waiting.is_empty();
        if self.resources.get(name).is_some_and(unused) {
            self.resources.remove(name);
        }
    }

    /// Whether a session that waits is waited for, over however many others, by itself.
    fn closes_a_circle(&self, start: SessionId) -> bool {
        let mut seen = vec![start];
        let mut at = 0;
        while at < seen.len() {
            let waiter = seen[at];
            for resource in self.resources.values() {
                let waits = resource.waiting.iter().filter(|w| w.0 == waiter);
                for (_, mode, _) in waits {
                    for held in resource.held.iter().filter(|h| h.session != waiter) {
                        if held.mode.is_compatible(*mode) {
                            continue;
                        }
                        if held.session == start {
                            return true;
                        }
                        if !seen.contains(&held.session) {
                            seen.push(held.session);
                        }
                    }
                }
            }
            at += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use engine::wait::{Runtime, RuntimeOptions, ThreadTimer};

    use super::*;

    fn task() -> Task<'static> {
        let timer = Arc::new(ThreadTimer::new());
        let collector = crossbeam_epoch::Collector::new();
        let options = RuntimeOptions::default();
        Task::blocking(&Runtime::new(env::Env::real(), collector, timer, options))
    }

    fn name(resource: &str) -> LockName {
        LockName { database: DbId(5), principal: "public".into(), resource: resource.into() }
    }

    const A: SessionId = SessionId(51);
    const B: SessionId = SessionId(52);
    const OWNER: LockOwner = LockOwner::Session;

    #[test]
    fn locks_exclude_each_other_by_mode() {
        let (locks, task) = (ApplicationLocks::default(), task());
        let take = |session, mode| {
            locks.acquire(&task, session, &name("r"), mode, OWNER, Some(0)).unwrap()
        };
        assert_eq!(take(A, LockMode::Shared), LockOutcome::Granted);
        assert_eq!(take(B, LockMode::Update), LockOutcome::Granted);
        assert_eq!(take(A, LockMode::Exclusive), LockOutcome::TimedOut);
        assert!(locks.release(B, &name("r"), OWNER));
        assert_eq!(take(A, LockMode::Exclusive), LockOutcome::Granted);
        assert_eq!(locks.mode(A, &name("r"), OWNER), Some(LockMode::Exclusive));
        assert!(!locks.is_available(B, &name("r"), LockMode::IntentShared));
        assert!(locks.release(A, &name("r"), OWNER));
        assert_eq!(take(B, LockMode::Shared), LockOutcome::TimedOut, "it was taken twice");
        locks.release_all(A, None);
        assert_eq!(take(B, LockMode::Shared), LockOutcome::Granted);
        assert!(!locks.release(A, &name("r"), OWNER));
    }

    #[test]
    fn waiting_in_a_circle_is_refused() {
        let locks = Arc::new(ApplicationLocks::default());
        let main = task();
        let exclusive = LockMode::Exclusive;
        locks.acquire(&main, A, &name("1"), exclusive, OWNER, None).unwrap();
        locks.acquire(&main, B, &name("2"), exclusive, OWNER, None).unwrap();
        let theirs = locks.clone();
        let thread = std::thread::spawn(move || {
            theirs.acquire(&task(), B, &name("1"), exclusive, OWNER, None).unwrap()
        });
        while locks.lock().resources[&name("1")].waiting.is_empty() {
            std::thread::yield_now();
        }
        let outcome = locks.acquire(&main, A, &name("2"), exclusive, OWNER, None).unwrap();
        assert_eq!(outcome, LockOutcome::Deadlock);
        locks.release_all(A, None);
        assert_eq!(thread.join().unwrap(), LockOutcome::GrantedAfterWait);
    }
}

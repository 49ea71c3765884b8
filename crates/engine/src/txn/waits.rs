//! The waits-for graph: one for the whole server.
//!
//! # Life of a wait
//!
//! A transaction that finds a row, a key or a gate taken registers itself behind the owner, looks
//! once more whether it is still taken, and sleeps. When the owner's transaction ends, it wakes the
//! first of those that wait for each row and puts the others behind that one: so a thousand waiters
//! for one row cost one wake-up a commit, and they are served in order. The one that was woken
//! carries the *baton* for the row: if it does not take the row after all, it passes the baton on
//! ([`WaitGraph::pass`]). Those that wait for a gate are all woken.
//!
//! An owner that waits for a table to be loaded is behind no other owner, and is woken when the
//! load ends.
//!
//! An owner that waits for a lock ([`super::locks`]) stands in that lock's queue, which wakes it
//! when the lock is granted. The queue tells the graph all owners in its way, and when they change.
//!
//! # Invariants
//!
//! * W1: an owner waits for one thing at a time.
//! * W2: an owner that sleeps is behind an owner that will end or release what it has, or is the
//!   victim of a cycle: every new edge is checked for a cycle when it is made. Moving sleepers
//!   behind one that was just woken makes none, since that one waits for nothing.
//! * W3: `stripes` is not zero for an owner that has waiters. So an owner without waiters ends
//!   without taking the graph's lock.
//!
//! # Lock order
//!
//! The graph's lock is taken last. Wakers are called after it is released.

use std::collections::HashMap;
use std::task::Waker;

use base::ids::{DbId, SessionId, StorageId};
use smallvec::SmallVec;

use crate::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::sync::atomic::{AtomicI8, AtomicI64, AtomicU8, AtomicU32, AtomicU64};
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::txn::locks::{LockMode, LockWait, LockedDefinition, Target};
use crate::txn::write_set::{ChangedRow, Window};

/// Identifies a session's transaction in the graph, across databases. Never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OwnerId(pub u64);

/// A resource that an owner waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// A row, or the key that it occupies: the anchor's address.
    Row(u64),
    /// A table's gate, which another owner is closing: the table's address.
    Gate(u64),
    /// A range that another owner has locked: the table's address.
    Lock(u64),
}

/// What an owner waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocker {
    /// Another owner has this resource.
    Owner(OwnerId, Resource),
    /// The transactions inside this gate must leave.
    Drain(u64),
    /// The owner stands in a queue for this lock.
    Lock(LockWait),
    /// The rows of the table at this address are not all in memory yet.
    Load(u64),
}

/// What an owner waits for, as the system views name it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WaitPlace {
    /// Something in a database that has a definition.
    Definition(DbId, LockedDefinition),
    /// A table, or a part of it.
    Part(DbId, StorageId, Target),
    /// A name: an application lock.
    Name(Arc<str>),
}

/// An owner that waits: for the system views.
#[derive(Clone, Debug)]
pub struct Waits {
    /// The session.
    pub session: SessionId,
    /// Its id in the graph.
    pub owner: OwnerId,
    /// What it waits for.
    pub blocker: Blocker,
    /// The owners that are known to be in its way.
    pub holders: Holders,
    /// The lock mode in which it wants a row that another owner has changed.
    pub wish: LockMode,
    /// The place of what it waits for, if it is known.
    pub place: Option<WaitPlace>,
}

/// Owners in the way of another one.
pub type Holders = SmallVec<[OwnerId; 4]>;

/// Why a wait has ended without a grant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Chosen as the victim of a cycle: message 1205.
    Deadlock,
}

const RUNNING: u8 = 0;
const WAITING: u8 = 1;
const VICTIM: u8 = 2;

/// A session as the graph knows it.
#[derive(Debug)]
pub struct Owner {
    id: OwnerId,
    session: SessionId,
    /// `SET DEADLOCK_PRIORITY`, -10 to 10: the lowest of a cycle is the victim.
    priority: AtomicI8,
    /// `SET LOCK_TIMEOUT`, in milliseconds; negative for none.
    timeout_ms: AtomicI64,
    /// What it would cost to undo the transaction: its writes.
    cost: AtomicU64,
    /// See [`Waits::wish`].
    wish: AtomicU8,
    /// See [`Waits::place`].
    place: Mutex<Option<WaitPlace>>,
    /// Where the session's transactions show their writes.
    window: Arc<Window>,
    state: AtomicU8,
    waker: Mutex<Option<Waker>>,
}

impl Owner {
    /// The owner's id in the graph.
    pub fn id(&self) -> OwnerId {
        self.id
    }

    /// The session.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// `SET DEADLOCK_PRIORITY`, -10 to 10.
    pub fn set_deadlock_priority(&self, priority: i8) {
        self.priority.store(priority, Relaxed);
    }

    /// `SET LOCK_TIMEOUT` in milliseconds: negative to wait for ever, 0 not to wait at all.
    pub fn set_lock_timeout(&self, milliseconds: i64) {
        self.timeout_ms.store(milliseconds, Relaxed);
    }

    /// See [`Owner::set_lock_timeout`].
    pub fn lock_timeout_ms(&self) -> i64 {
        self.timeout_ms.load(Relaxed)
    }

    /// Sets what undoing the transaction would cost. Called before each wait.
    pub fn set_cost(&self, writes: u64) {
        self.cost.store(writes, Relaxed);
    }

    /// Sets the lock mode in which the owner waits for rows of other owners. Called before a wait.
    pub(crate) fn set_wish(&self, mode: LockMode) {
        self.wish.store(mode.bits(), Relaxed);
    }

    fn wish(&self) -> LockMode {
        LockMode::of_bits(self.wish.load(Relaxed))
    }

    /// Sets what the owner waits for. Called before it waits.
    pub(crate) fn set_place(&self, place: Option<WaitPlace>) {
        *self.place.lock().expect("no panic under this lock") = place;
    }

    fn place(&self) -> Option<WaitPlace> {
        self.place.lock().expect("no panic under this lock").clone()
    }

    /// Where its session's transactions show their writes.
    pub(super) fn window(&self) -> &Arc<Window> {
        &self.window
    }

    /// The rows that the session's transaction has changed, each once, in tables whose writers
    /// wait; as far as it shows them, and of each database no more than
    /// [`CHANGED_ROWS_MAX`](super::CHANGED_ROWS_MAX).
    pub fn changed_rows(&self) -> Vec<ChangedRow> {
        self.window.changed_rows()
    }

    /// Whether the wait is over.
    pub fn is_awake(&self) -> bool {
        self.state.load(SeqCst) != WAITING
    }

    /// The waker to call when the wait is over; look at [`Owner::is_awake`] afterwards.
    pub fn set_waker(&self, waker: &Waker) {
        *self.waker.lock().expect("no panic under this lock") = Some(waker.clone());
    }

    fn wake(&self, state: u8) -> Option<Waker> {
        self.state.store(state, SeqCst);
        self.waker.lock().expect("no panic under this lock").take()
    }
}

struct Waiting {
    owner: Arc<Owner>,
    blocker: Blocker,
    /// The owners in its way, if it waits for a lock.
    holders: Holders,
    /// The gates that the waiter is inside of: owners that wait for one of them to empty wait for
    /// it.
    gates: Gates,
    /// Order of arrival.
    ticket: u64,
}

#[derive(Default)]
struct Inner {
    waiting: HashMap<OwnerId, Waiting>,
    behind: HashMap<OwnerId, Vec<OwnerId>>,
    draining: HashMap<u64, OwnerId>,
    next_ticket: u64,
}

const STRIPES: usize = 1024;

/// The waits-for graph of a server.
pub struct WaitGraph {
    inner: Mutex<Inner>,
    /// How many owners wait behind those whose ids fall into each stripe (W3).
    stripes: Box<[AtomicU32]>,
    next_owner: AtomicU64,
}

impl Default for WaitGraph {
    fn default() -> WaitGraph {
        WaitGraph {
            inner: Mutex::default(),
            stripes: (0..STRIPES).map(|_| AtomicU32::new(0)).collect(),
            next_owner: AtomicU64::new(1),
        }
    }
}

type Wakers = SmallVec<[Waker; 4]>;

/// The gates that an owner is inside of.
pub type Gates = SmallVec<[u64; 4]>;

impl WaitGraph {
    /// A new owner for a session.
    pub fn owner(&self, session: SessionId) -> Arc<Owner> {
        Arc::new(Owner {
            id: OwnerId(self.next_owner.fetch_add(1, Relaxed)),
            session,
            priority: AtomicI8::new(0),
            timeout_ms: AtomicI64::new(-1),
            cost: AtomicU64::new(0),
            wish: AtomicU8::new(LockMode::EXCLUSIVE.bits()),
            place: Mutex::default(),
            window: Arc::default(),
            state: AtomicU8::new(RUNNING),
            waker: Mutex::new(None),
        })
    }

    /// Registers a wait. The caller then looks once more whether it is still blocked, and sleeps
    /// until [`Owner::is_awake`] or calls [`WaitGraph::cancel`].
    ///
    /// If the wait closes a cycle, one of its owners is the victim: this one (the error), or
    /// another, which is woken.
    pub fn register(
        &self,
        owner: &Arc<Owner>,
        blocker: Blocker,
        gates: impl IntoIterator<Item = u64>,
    ) -> Result<(), Refusal> {
        let gates = gates.into_iter().collect();
        self.wait(owner, blocker, Holders::new(), gates)
    }

    /// As `register`, for a lock that the owners in `holders` keep from it. The lock's queue calls
    /// [`WaitGraph::grant`] when none of them does any more.
    pub(crate) fn register_lock(
        &self,
        owner: &Arc<Owner>,
        lock: LockWait,
        holders: Holders,
        gates: Gates,
    ) -> Result<(), Refusal> {
        self.wait(owner, Blocker::Lock(lock), holders, gates)
    }

    fn wait(
        &self,
        owner: &Arc<Owner>,
        blocker: Blocker,
        holders: Holders,
        gates: Gates,
    ) -> Result<(), Refusal> {
        let mut inner = self.lock();
        let ticket = inner.next_ticket;
        inner.next_ticket += 1;
        owner.state.store(WAITING, SeqCst);
        let waiting = Waiting { owner: owner.clone(), blocker, holders, gates, ticket };
        let before = inner.waiting.insert(owner.id, waiting);
        assert!(before.is_none(), "an owner waits for one thing at a time (W1)");
        match blocker {
            Blocker::Owner(holder, _) => self.put_behind(&mut inner, holder, owner.id),
            Blocker::Drain(gate) => {
                inner.draining.insert(gate, owner.id);
            }
            Blocker::Lock(_) | Blocker::Load(_) => {}
        }
        let mut wakers = Wakers::new();
        let mut refused = false;
        while let Some(victim) = inner.victim(owner.id) {
            if victim == owner.id {
                self.remove(&mut inner, owner.id);
                owner.state.store(RUNNING, SeqCst);
                refused = true;
                break;
            }
            let waiting = self.remove(&mut inner, victim).expect("a victim waits");
            wakers.extend(waiting.owner.wake(VICTIM));
        }
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
        if refused { Err(Refusal::Deadlock) } else { Ok(()) }
    }

    /// Sets which owners are in the way of one that waits for a lock, and resolves cycles that this
    /// makes.
    pub(crate) fn update_blockers(&self, owner: OwnerId, holders: Holders) {
        let mut inner = self.lock();
        let Some(waiting) = inner.waiting.get_mut(&owner) else { return };
        if !matches!(waiting.blocker, Blocker::Lock(_)) || waiting.holders == holders {
            return;
        }
        waiting.holders = holders;
        let mut wakers = Wakers::new();
        while let Some(victim) = inner.victim(owner) {
            let waiting = self.remove(&mut inner, victim).expect("a victim waits");
            wakers.extend(waiting.owner.wake(VICTIM));
        }
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Wakes an owner that has got the lock that it waits for. An owner that does not wait any more
    /// finds the lock itself.
    pub(crate) fn grant(&self, owner: OwnerId) {
        let mut inner = self.lock();
        let is_lock = |w: &Waiting| matches!(w.blocker, Blocker::Lock(_));
        if !inner.waiting.get(&owner).is_some_and(is_lock) {
            return;
        }
        let waiting = self.remove(&mut inner, owner);
        drop(inner);
        waiting.and_then(|w| w.owner.wake(RUNNING)).into_iter().for_each(Waker::wake);
    }

    /// Ends an owner's wait, for whatever reason. Fails if the owner was made a victim.
    pub fn cancel(&self, owner: &Arc<Owner>) -> Result<(), Refusal> {
        let mut inner = self.lock();
        self.remove(&mut inner, owner.id);
        owner.waker.lock().expect("no panic under this lock").take();
        match owner.state.swap(RUNNING, SeqCst) {
            VICTIM => Err(Refusal::Deadlock),
            _ => Ok(()),
        }
    }

    /// Wakes waiters of an owner whose transaction, or the part of it in one database, has ended.
    pub fn ended(&self, owner: OwnerId) {
        if self.stripe(owner).load(SeqCst) != 0 {
            self.release(owner, None);
        }
    }

    /// Passes on the baton of an owner that was woken for this resource and did not take it.
    pub fn pass(&self, owner: OwnerId, resource: Resource) {
        if self.stripe(owner).load(SeqCst) != 0 {
            self.release(owner, Some(resource));
        }
    }

    /// Wakes the owner that closes this gate, since another owner has left it.
    pub fn left(&self, gate: u64) {
        let inner = self.lock();
        let closer = inner.draining.get(&gate).and_then(|o| inner.waiting.get(o));
        // Only woken: it looks at the gate, and stays registered until it cancels.
        let waker =
            closer.and_then(|w| w.owner.waker.lock().expect("no panic under this lock").clone());
        drop(inner);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Wakes the owners that wait for this table, since it is loaded, or never will be.
    pub(crate) fn loaded(&self, table: u64) {
        let mut inner = self.lock();
        let waits = inner.waiting.iter().filter(|(_, w)| w.blocker == Blocker::Load(table));
        let waits: Vec<OwnerId> = waits.map(|(id, _)| *id).collect();
        let woken = waits.iter().filter_map(|id| self.remove(&mut inner, *id));
        let wakers: Wakers = woken.filter_map(|w| w.owner.wake(RUNNING)).collect();
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Owners that wait: for the system views.
    pub fn waits(&self) -> Vec<Waits> {
        let inner = self.lock();
        let of = |w: &Waiting| {
            let holders = match w.blocker {
                Blocker::Owner(holder, _) => smallvec::smallvec![holder],
                Blocker::Drain(_) | Blocker::Load(_) => Holders::new(),
                Blocker::Lock(_) => w.holders.clone(),
            };
            let (session, owner, wish) = (w.owner.session, w.owner.id, w.owner.wish());
            Waits { session, owner, blocker: w.blocker, holders, wish, place: w.owner.place() }
        };
        inner.waiting.values().map(of).collect()
    }

    fn release(&self, owner: OwnerId, only: Option<Resource>) {
        let mut wakers = Wakers::new();
        let mut inner = self.lock();
        let Some(mut behind) = inner.behind.remove(&owner) else { return };
        self.stripe(owner).fetch_sub(behind.len() as u32, SeqCst);
        behind.sort_by_key(|id| inner.waiting[id].ticket);
        let mut first: SmallVec<[(Resource, OwnerId); 4]> = SmallVec::new();
        for id in behind {
            let Blocker::Owner(_, resource) = inner.waiting[&id].blocker else {
                unreachable!("those that wait for something else are behind no owner")
            };
            if only.is_some_and(|r| r != resource) {
                self.put_behind(&mut inner, owner, id);
                continue;
            }
            let leader = match resource {
                Resource::Row(_) => first.iter().find(|(r, _)| *r == resource).map(|(_, o)| *o),
                Resource::Gate(_) | Resource::Lock(_) => None,
            };
            match leader {
                Some(leader) => {
                    let waiting = inner.waiting.get_mut(&id).expect("it is behind the owner");
                    waiting.blocker = Blocker::Owner(leader, resource);
                    self.put_behind(&mut inner, leader, id);
                }
                None => {
                    first.push((resource, id));
                    let waiting = inner.waiting.remove(&id).expect("it is behind the owner");
                    wakers.extend(waiting.owner.wake(RUNNING));
                }
            }
        }
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn put_behind(&self, inner: &mut Inner, holder: OwnerId, waiter: OwnerId) {
        inner.behind.entry(holder).or_default().push(waiter);
        self.stripe(holder).fetch_add(1, SeqCst);
    }

    fn remove(&self, inner: &mut Inner, owner: OwnerId) -> Option<Waiting> {
        let waiting = inner.waiting.remove(&owner)?;
        match waiting.blocker {
            Blocker::Drain(gate) => {
                inner.draining.remove(&gate);
            }
            Blocker::Lock(_) | Blocker::Load(_) => {}
            Blocker::Owner(holder, _) => {
                let behind = inner.behind.get_mut(&holder).expect("the waiter is behind it");
                behind.retain(|id| *id != owner);
                if behind.is_empty() {
                    inner.behind.remove(&holder);
                }
                self.stripe(holder).fetch_sub(1, SeqCst);
            }
        }
        Some(waiting)
    }

    fn stripe(&self, owner: OwnerId) -> &AtomicU32 {
        &self.stripes[owner.0 as usize % STRIPES]
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no panic while holding the graph")
    }
}

impl Inner {
    /// The victim of a cycle through `start`, if there is one.
    fn victim(&self, start: OwnerId) -> Option<OwnerId> {
        let cycle = self.cycle(start)?;
        let price = |id: &OwnerId| {
            let owner = &self.waiting[id].owner;
            // Of equals, the one that closed the cycle.
            (owner.priority.load(Relaxed), owner.cost.load(Relaxed), *id != start)
        };
        cycle.into_iter().min_by_key(price)
    }

    fn cycle(&self, start: OwnerId) -> Option<Vec<OwnerId>> {
        let mut path = vec![start];
        let mut edges = vec![self.blockers(start)];
        let mut seen = std::collections::HashSet::from([start]);
        while let Some(next) = edges.last_mut() {
            match next.pop() {
                None => {
                    edges.pop();
                    path.pop();
                }
                Some(id) if id == start => return Some(path),
                Some(id) if seen.insert(id) && self.waiting.contains_key(&id) => {
                    path.push(id);
                    edges.push(self.blockers(id));
                }
                Some(_) => {}
            }
        }
        None
    }

    /// The owners that an owner waits for. Of those inside a gate only the ones that wait are
    /// known, and only they can be part of a cycle.
    fn blockers(&self, id: OwnerId) -> Vec<OwnerId> {
        let Some(waiting) = self.waiting.get(&id) else { return Vec::new() };
        match waiting.blocker {
            Blocker::Owner(holder, _) => vec![holder],
            Blocker::Lock(_) => waiting.holders.to_vec(),
            Blocker::Load(_) => Vec::new(),
            Blocker::Drain(gate) => self
                .waiting
                .iter()
                .filter(|(other, w)| **other != id && w.gates.contains(&gate))
                .map(|(other, _)| *other)
                .collect(),
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

#[cfg(all(test, feature = "shuttle"))]
mod interleavings;

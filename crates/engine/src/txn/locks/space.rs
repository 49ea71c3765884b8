//! A lock space: the locks on one table and its parts, those of definitions in a database, or the
//! application locks of a server.
//!
//! # Life of a request
//!
//! A request is granted at once if no granted lock and no earlier request in the queue is in its
//! way. Otherwise it joins the queue, in order of arrival, and its owner sleeps on the waits-for
//! graph. An owner that releases something looks through the queue and grants what can be granted.
//! An owner that has a lock already and requests a stronger one goes before owners that have none.
//!
//! # Invariants
//!
//! * L1: two granted requests of different owners never conflict, but for spans and locks on the
//!   table that are pending.
//! * L2: the graph knows for each waiting request every owner that is in its way.
//!
//! # Lock order
//!
//! The mutex of a space, then the graph's. No thread waits while holding either.

use std::collections::HashMap;

use base::ids::{DbId, SessionId, StorageId};
use smallvec::SmallVec;

use crate::hot::key::KeyBuf;
use crate::hot::tally::Pool;
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::txn::locks::mode::LockMode;
use crate::txn::locks::row_keys::RowKeys;
use crate::txn::locks::target::{Lifetime, Span, Target};
use crate::txn::waits::{Holders, Owner, OwnerId, WaitGraph, WaitPlace};

/// Approximate bytes of memory that a lock takes: its grant, its place in the tables, and its entry
/// in its owner's list.
const LOCK_BYTES: i64 = 128;

/// A request for a lock.
#[derive(Clone)]
pub struct Request {
    /// The owner that wants it.
    pub owner: Arc<Owner>,
    /// What it wants to lock.
    pub target: Target,
    /// The lock's mode.
    pub mode: LockMode,
    /// For how long.
    pub lifetime: Lifetime,
    /// Whether the owner has written something or locked parts of the table: owners of pending
    /// locks wait for it, and it does not wait for them.
    pub established: bool,
}

/// A lock that an owner has.
#[derive(Clone, Debug)]
struct Grant {
    owner: OwnerId,
    session: SessionId,
    mode: LockMode,
    lifetime: Lifetime,
    /// How often it was taken: application locks have to be given back as often.
    count: u32,
    /// Whether its owner still waits for transactions that have changed or locked rows of the table
    /// or range.
    pending: bool,
}

/// A range that an owner has locked.
#[derive(Clone, Debug)]
struct SpanGrant {
    span: Span,
    grant: Grant,
}

/// A request in the queue.
pub(super) struct Waiter {
    request: Request,
    keys: Box<[Option<KeyBuf>]>,
    ticket: u64,
    holders: Holders,
}

impl Waiter {
    /// Whether both requests are for the same target or for ranges that meet, or one is for a range
    /// and the other for a row that is or will be in it.
    fn meets(&self, request: &Request, keys: &dyn RowKeys) -> bool {
        let holds = |span: &Span, keys: &dyn RowKeys| {
            keys.key(span.index).is_some_and(|key| span.holds(&key))
        };
        match (&self.request.target, &request.target) {
            (Target::Span(a), Target::Span(b)) => a.meets(b),
            (Target::Insert, Target::Insert) => false,
            (Target::Span(span), Target::Row(_) | Target::Insert) => holds(span, keys),
            (Target::Row(_) | Target::Insert, Target::Span(span)) => holds(span, &self.keys),
            (a, b) => a == b,
        }
    }
}

#[derive(Default)]
pub(super) struct Inner {
    granted: HashMap<Target, SmallVec<[Grant; 1]>>,
    spans: Vec<SpanGrant>,
    /// In order of arrival.
    pub waiting: Vec<Waiter>,
    next_ticket: u64,
    /// What each owner has in `granted`, spans left out.
    owned: HashMap<OwnerId, Vec<(Target, Lifetime)>>,
}

/// See the module's header.
pub struct LockSpace {
    inner: Mutex<Inner>,
    pub(super) graph: Arc<WaitGraph>,
    pool: Option<Arc<Pool>>,
    of: SpaceOf,
}

/// What the locks of a space are on.
enum SpaceOf {
    Names,
    Definitions(DbId),
    Table(DbId, StorageId),
}

/// A lock, or a request for one: for the system views.
#[derive(Clone, Debug)]
pub struct LockInfo {
    /// What is locked.
    pub target: Target,
    /// The session that has it, or wants it.
    pub session: SessionId,
    /// The owner's id in the graph.
    pub owner: OwnerId,
    /// The mode granted or asked for.
    pub mode: LockMode,
    /// For how long.
    pub lifetime: Lifetime,
    /// How often it was taken; 0 while it is waited for.
    pub count: u32,
    /// Whether its owner has a weaker lock on it already, while this one is waited for.
    pub converts: bool,
}

impl LockSpace {
    /// The lock space of names, without locks. Their memory is not charged.
    pub fn of_names(graph: Arc<WaitGraph>) -> LockSpace {
        LockSpace { inner: Mutex::default(), graph, pool: None, of: SpaceOf::Names }
    }

    /// The lock space of a table, without locks. Their memory is charged to the pool.
    pub fn of_table(
        graph: Arc<WaitGraph>,
        pool: Arc<Pool>,
        database: DbId,
        storage: StorageId,
    ) -> LockSpace {
        let of = SpaceOf::Table(database, storage);
        LockSpace { inner: Mutex::default(), graph, pool: Some(pool), of }
    }

    /// The lock space of a database's definitions, without locks. Their memory is charged to the
    /// pool.
    pub fn of_definitions(graph: Arc<WaitGraph>, pool: Arc<Pool>, database: DbId) -> LockSpace {
        let of = SpaceOf::Definitions(database);
        LockSpace { inner: Mutex::default(), graph, pool: Some(pool), of }
    }

    /// A target in this space, as the place of a wait.
    pub(super) fn place(&self, target: &Target) -> Option<WaitPlace> {
        match (target, &self.of) {
            (Target::Name(name), _) => Some(WaitPlace::Name(name.clone())),
            (Target::Definition(definition), SpaceOf::Definitions(database)) => {
                Some(WaitPlace::Definition(*database, definition.clone()))
            }
            (target, SpaceOf::Table(database, table)) => {
                Some(WaitPlace::Part(*database, *table, target.clone()))
            }
            (_, SpaceOf::Names | SpaceOf::Definitions(_)) => None,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no panic while holding a lock space")
    }

    /// Whether there is memory for another lock.
    pub(super) fn has_memory(&self) -> bool {
        self.pool.as_ref().is_none_or(|pool| pool.admit().is_ok())
    }

    pub(super) fn charge(&self, locks: i64) {
        if let Some(pool) = self.pool.as_ref().filter(|_| locks != 0) {
            pool.add(locks * LOCK_BYTES);
        }
    }

    /// The mode in which an owner holds something, all lifetimes together.
    pub fn held(&self, owner: OwnerId, target: &Target) -> LockMode {
        self.lock().held(owner, target)
    }

    /// The mode in which an owner holds something for this long.
    pub fn held_for(&self, owner: OwnerId, target: &Target, lifetime: Lifetime) -> LockMode {
        self.lock().held_for(owner, target, lifetime)
    }

    /// Whether an owner would get a lock at once.
    pub fn is_available(&self, request: &Request, keys: &dyn RowKeys) -> bool {
        let inner = self.lock();
        inner.blockers(request, keys, inner.waiting.len()).is_empty()
    }

    /// Lowers the mode in which an owner holds something for this long; with a mode of none,
    /// releases it.
    pub(super) fn weaken(&self, owner: OwnerId, target: &Target, lifetime: Lifetime, to: LockMode) {
        let mut inner = self.lock();
        self.charge(inner.set_mode(owner, target, lifetime, to));
        inner.promote(self);
    }

    /// Gives back once what was taken once or more. Returns whether it was held.
    pub fn give_back(&self, owner: OwnerId, target: &Target, lifetime: Lifetime) -> bool {
        let mut inner = self.lock();
        let Some(grant) = inner.grant_of(owner, target, lifetime) else { return false };
        grant.count -= 1;
        if grant.count == 0 {
            self.charge(inner.set_mode(owner, target, lifetime, LockMode::NONE));
            inner.promote(self);
        }
        true
    }

    /// Releases all that an owner holds for this lifetime or a shorter one.
    pub fn end(&self, owner: OwnerId, lifetime: Lifetime) {
        let mut inner = self.lock();
        let freed = inner.remove(owner, |_, held| held <= lifetime);
        if freed != 0 {
            self.charge(-freed);
            inner.promote(self);
        }
    }

    /// Whether an owner holds anything.
    pub(super) fn is_held_by(&self, owner: OwnerId) -> bool {
        let inner = self.lock();
        inner.owned.contains_key(&owner) || inner.spans.iter().any(|s| s.grant.owner == owner)
    }

    /// Whether an owner other than this one holds anything.
    pub(crate) fn is_held_by_others(&self, owner: OwnerId) -> bool {
        self.lock().owned.keys().any(|other| *other != owner)
    }

    /// Releases the parts of a table that an owner has locked as a whole.
    pub(super) fn end_parts(&self, owner: OwnerId) {
        let mut inner = self.lock();
        let freed = inner.remove(owner, |target, _| *target != Target::Whole);
        self.charge(-freed);
        inner.promote(self);
    }

    /// Sets whether an owner's lock on the table is pending.
    pub(super) fn set_pending(&self, owner: OwnerId, lifetime: Lifetime, pending: bool) {
        if let Some(grant) = self.lock().grant_of(owner, &Target::Whole, lifetime) {
            grant.pending = pending;
        }
    }

    /// Makes an owner's pending span count for all other owners. Fails if a span of another owner,
    /// which was let past it while it was pending, counts already, and returns that owner.
    pub(super) fn end_pending(&self, owner: OwnerId, span: &Span) -> Result<(), OwnerId> {
        let mut inner = self.lock();
        let own = |s: &SpanGrant| s.grant.owner == owner && s.span == *span && s.grant.pending;
        let Some(place) = inner.spans.iter().position(own) else { return Ok(()) };
        let mode = inner.spans[place].grant.mode;
        let conflicts = |s: &&SpanGrant| {
            s.grant.owner != owner
                && !s.grant.pending
                && s.span.meets(span)
                && !s.grant.mode.is_compatible(mode)
        };
        if let Some(other) = inner.spans.iter().find(conflicts) {
            return Err(other.grant.owner);
        }
        inner.spans[place].grant.pending = false;
        Ok(())
    }

    /// Whether an owner holds a span that this one meets.
    pub(super) fn holds_span(&self, owner: OwnerId, span: &Span) -> bool {
        let inner = self.lock();
        inner.spans.iter().any(|s| s.grant.owner == owner && s.span.meets(span))
    }

    /// Releases a span that is still pending.
    pub(super) fn abandon(&self, owner: OwnerId, span: &Span) {
        let mut inner = self.lock();
        let before = inner.spans.len();
        inner.spans.retain(|s| s.grant.owner != owner || s.span != *span || !s.grant.pending);
        self.charge(inner.spans.len() as i64 - before as i64);
        inner.promote(self);
    }

    /// Whether another owner's span keeps this request's owner from a row with these keys.
    pub(super) fn is_in_span(&self, request: &Request, keys: &dyn RowKeys) -> bool {
        let mut holders = Holders::new();
        self.lock().spans_in_the_way(request, keys, &mut holders);
        !holders.is_empty()
    }

    /// Another owner whose lock on a row conflicts with this mode.
    pub(super) fn row_holder(&self, owner: OwnerId, row: u64, mode: LockMode) -> Option<OwnerId> {
        let inner = self.lock();
        let mut grants = inner.granted.get(&Target::Row(row))?.iter();
        let other = |g: &&Grant| g.owner != owner && !g.mode.is_compatible(mode);
        grants.find(other).map(|g| g.owner)
    }

    /// Whether another owner's lock on any row conflicts with this mode.
    pub(super) fn has_row_holder(&self, owner: OwnerId, mode: LockMode) -> bool {
        let other = |g: &Grant| g.owner != owner && !g.mode.is_compatible(mode);
        let inner = self.lock();
        let mut granted = inner.granted.iter();
        granted.any(|(target, grants)| matches!(target, Target::Row(_)) && grants.iter().any(other))
    }

    /// All locks and requests.
    pub fn list(&self) -> Vec<LockInfo> {
        let inner = self.lock();
        let granted = |target: &Target, grant: &Grant| LockInfo {
            target: target.clone(),
            session: grant.session,
            owner: grant.owner,
            mode: grant.mode,
            lifetime: grant.lifetime,
            count: grant.count,
            converts: false,
        };
        let mut list = Vec::new();
        for (target, grants) in &inner.granted {
            list.extend(grants.iter().map(|g| granted(target, g)));
        }
        let span = |s: &SpanGrant| granted(&Target::Span(s.span.clone()), &s.grant);
        list.extend(inner.spans.iter().map(span));
        list.extend(inner.waiting.iter().map(|w| LockInfo {
            target: w.request.target.clone(),
            session: w.request.owner.session(),
            owner: w.request.owner.id(),
            mode: w.request.mode,
            lifetime: w.request.lifetime,
            count: 0,
            converts: !inner.held(w.request.owner.id(), &w.request.target).is_none(),
        }));
        list
    }
}

impl Inner {
    pub fn held(&self, owner: OwnerId, target: &Target) -> LockMode {
        let grants = self.granted.get(target).into_iter().flatten();
        let own = grants.filter(|g| g.owner == owner);
        own.fold(LockMode::NONE, |mode, grant| mode.and(grant.mode))
    }

    pub fn held_for(&self, owner: OwnerId, target: &Target, lifetime: Lifetime) -> LockMode {
        let mut grants = self.granted.get(target).into_iter().flatten();
        let own = grants.find(|g| g.owner == owner && g.lifetime == lifetime);
        own.map_or(LockMode::NONE, |g| g.mode)
    }

    /// The mode in which an owner holds something for at least this long.
    fn held_as_long(&self, owner: OwnerId, target: &Target, lifetime: Lifetime) -> LockMode {
        let grants = self.granted.get(target).into_iter().flatten();
        let own = grants.filter(|g| g.owner == owner && g.lifetime >= lifetime);
        own.fold(LockMode::NONE, |mode, grant| mode.and(grant.mode))
    }

    fn grant_of(
        &mut self,
        owner: OwnerId,
        target: &Target,
        lifetime: Lifetime,
    ) -> Option<&mut Grant> {
        let grants = self.granted.get_mut(target)?;
        grants.iter_mut().find(|g| g.owner == owner && g.lifetime == lifetime)
    }

    /// Whether locks that the owner has cover the request.
    pub fn is_covered(&self, request: &Request) -> bool {
        let owner = request.owner.id();
        let whole = || match &request.target {
            Target::Row(_) | Target::Span(_) | Target::Insert => {
                let has = self.held_as_long(owner, &Target::Whole, request.lifetime);
                has.covers(request.mode) && has.covers(LockMode::SHARED)
            }
            Target::Whole | Target::Name(_) | Target::Definition(_) => false,
        };
        let own = match &request.target {
            Target::Span(span) => self.spans.iter().any(|s| {
                s.grant.owner == owner
                    && !s.grant.pending
                    && s.span.contains(span)
                    && s.grant.mode.covers(request.mode)
            }),
            Target::Name(_) | Target::Insert => false,
            // Such locks are given back one by one, and so are counted.
            Target::Definition(_) if request.lifetime == Lifetime::Session => false,
            target => self.held_as_long(owner, target, request.lifetime).covers(request.mode),
        };
        own || whole()
    }

    /// The owners that keep a request from being granted. Of the queue, the first `before` requests
    /// count.
    pub fn blockers(&self, request: &Request, keys: &dyn RowKeys, before: usize) -> Holders {
        let mut holders = Holders::new();
        let owner = request.owner.id();
        let mut is_in_the_way = |other: OwnerId, mode: LockMode| {
            let conflicts = other != owner && !mode.is_compatible(request.mode);
            if conflicts && !holders.contains(&other) {
                holders.push(other);
            }
        };
        let mut converts = false;
        match &request.target {
            Target::Whole | Target::Row(_) | Target::Name(_) | Target::Definition(_) => {
                for grant in self.granted.get(&request.target).into_iter().flatten() {
                    converts |= grant.owner == owner;
                    if !(grant.pending && request.established) {
                        is_in_the_way(grant.owner, grant.mode);
                    }
                }
            }
            Target::Span(span) => {
                let counts = |s: &&SpanGrant| {
                    s.span.meets(span) && !(s.grant.pending && request.established)
                };
                for other in self.spans.iter().filter(counts) {
                    is_in_the_way(other.grant.owner, other.grant.mode);
                }
            }
            Target::Insert => {}
        }
        if !converts {
            // A waiter that waits for this owner already cannot go first.
            let goes_first = |w: &&Waiter| !w.holders.contains(&owner) && w.meets(request, keys);
            for other in self.waiting[..before].iter().filter(goes_first) {
                is_in_the_way(other.request.owner.id(), other.request.mode);
            }
        }
        if matches!(request.target, Target::Row(_) | Target::Insert) {
            self.spans_in_the_way(request, keys, &mut holders);
        }
        holders
    }

    fn spans_in_the_way(&self, request: &Request, keys: &dyn RowKeys, holders: &mut Holders) {
        let mut known: SmallVec<[(usize, Option<KeyBuf>); 4]> = SmallVec::new();
        for own in &self.spans {
            let (index, other) = (own.span.index, own.grant.owner);
            let spares = other == request.owner.id()
                || own.grant.pending && request.established
                || own.grant.mode.is_compatible(request.mode)
                || holders.contains(&other);
            if spares {
                continue;
            }
            if !known.iter().any(|(at, _)| *at == index) {
                known.push((index, keys.key(index)));
            }
            let key = known.iter().find(|(at, _)| *at == index).and_then(|(_, key)| key.as_ref());
            if key.is_some_and(|key| own.span.holds(key)) {
                holders.push(other);
            }
        }
    }

    /// Grants a request. Returns how many locks that has added.
    pub fn add(&mut self, request: &Request) -> i64 {
        let Request { owner, target, mode, lifetime, .. } = request;
        let grant = Grant {
            owner: owner.id(),
            session: owner.session(),
            mode: *mode,
            lifetime: *lifetime,
            count: 1,
            pending: matches!(target, Target::Span(_)),
        };
        match target {
            Target::Insert => 0,
            Target::Span(span) => {
                self.spans.push(SpanGrant { span: span.clone(), grant });
                1
            }
            target => {
                if let Some(known) = self.grant_of(owner.id(), target, *lifetime) {
                    known.count += 1;
                    known.mode = known.mode.and(*mode);
                    return 0;
                }
                self.granted.entry(target.clone()).or_default().push(grant);
                self.owned.entry(owner.id()).or_default().push((target.clone(), *lifetime));
                1
            }
        }
    }

    /// Puts a request into the queue. Returns its ticket.
    pub fn enqueue(&mut self, request: Request, keys: &dyn RowKeys, holders: Holders) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let keys = (0..keys.count()).map(|index| keys.key(index)).collect();
        self.waiting.push(Waiter { request, keys, ticket, holders });
        ticket
    }

    /// Takes a request out of the queue. Returns whether it was still there.
    pub fn leave_queue(&mut self, ticket: u64) -> bool {
        let place = self.waiting.iter().position(|w| w.ticket == ticket);
        place.map(|place| self.waiting.remove(place)).is_some()
    }

    /// Sets the mode of a grant; with a mode of none, removes it. Returns how many locks that has
    /// added.
    fn set_mode(
        &mut self,
        owner: OwnerId,
        target: &Target,
        lifetime: Lifetime,
        to: LockMode,
    ) -> i64 {
        if !to.is_none() {
            if let Some(grant) = self.grant_of(owner, target, lifetime) {
                grant.mode = to;
                grant.count = grant.count.saturating_sub(1).max(1);
            }
            return 0;
        }
        let Some(grants) = self.granted.get_mut(target) else { return 0 };
        let before = grants.len();
        grants.retain(|g| g.owner != owner || g.lifetime != lifetime);
        let removed = before - grants.len();
        if grants.is_empty() {
            self.granted.remove(target);
        }
        if let Some(owned) = self.owned.get_mut(&owner) {
            // A lock that is released early is mostly one of the last that were taken.
            let is_it = |own: &(Target, Lifetime)| own.0 == *target && own.1 == lifetime;
            if let Some(place) = owned.iter().rposition(is_it) {
                owned.swap_remove(place);
            }
            if owned.is_empty() {
                self.owned.remove(&owner);
            }
        }
        -(removed as i64)
    }

    /// Removes the locks of an owner that `picks` selects. Returns how many there were.
    fn remove(&mut self, owner: OwnerId, picks: impl Fn(&Target, Lifetime) -> bool) -> i64 {
        let mut removed = 0;
        if let Some(owned) = self.owned.remove(&owner) {
            let mut kept = Vec::new();
            for (target, lifetime) in owned {
                if !picks(&target, lifetime) {
                    kept.push((target, lifetime));
                    continue;
                }
                removed += 1;
                if let Some(grants) = self.granted.get_mut(&target) {
                    grants.retain(|g| g.owner != owner || g.lifetime != lifetime);
                    if grants.is_empty() {
                        self.granted.remove(&target);
                    }
                }
            }
            if !kept.is_empty() {
                self.owned.insert(owner, kept);
            }
        }
        let before = self.spans.len();
        self.spans.retain(|s| {
            let target = || Target::Span(s.span.clone());
            s.grant.owner != owner || !picks(&target(), s.grant.lifetime)
        });
        removed + (before - self.spans.len()) as i64
    }

    /// Grants what can be granted by now, and tells the graph which owners are in the way of the
    /// other requests (L2).
    pub fn promote(&mut self, space: &LockSpace) {
        let mut at = 0;
        while at < self.waiting.len() {
            let waiter = &self.waiting[at];
            if !self.blockers(&waiter.request, &waiter.keys, at).is_empty() {
                at += 1;
                continue;
            }
            let waiter = self.waiting.remove(at);
            space.charge(self.add(&waiter.request));
            space.graph.grant(waiter.request.owner.id());
        }
        self.tell_graph(&space.graph);
    }

    /// Tells the graph which owners are in the way of waiting requests, where that has changed.
    pub fn tell_graph(&mut self, graph: &WaitGraph) {
        for at in 0..self.waiting.len() {
            let waiter = &self.waiting[at];
            let holders = self.blockers(&waiter.request, &waiter.keys, at);
            let waiter = &mut self.waiting[at];
            if waiter.holders != holders {
                waiter.holders.clone_from(&holders);
                graph.update_blockers(waiter.request.owner.id(), holders);
            }
        }
    }
}

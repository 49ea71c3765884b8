//! Application locks: `sp_getapplock`, `sp_releaseapplock`, `APPLOCK_MODE`, `APPLOCK_TEST`.
//!
//! Locks are named by database, principal and resource. A session holds them for a transaction or
//! until it releases them. They are one of the engine's lock spaces, so that sessions wait in order
//! of arrival, and deadlocks are found whether they go through rows or names.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use base::ids::DbId;
use engine::txn::locks::{
    Lifetime, LockFault, LockInfo, LockMode, LockSpace, NoKeys, Patience, Request, Target,
};
use engine::txn::{Gates, Owner, WaitGraph};
use engine::wait::Task;

/// The modes of application locks and their names, as `@LockMode` and `APPLOCK_MODE` have them. The
/// two with an intent and another part are what conversions make.
const MODES: [(&str, LockMode); 5] = [
    ("IntentShared", LockMode::INTENT_SHARED),
    ("Shared", LockMode::SHARED),
    ("Update", LockMode::UPDATE),
    ("IntentExclusive", LockMode::INTENT_EXCLUSIVE),
    ("Exclusive", LockMode::EXCLUSIVE),
];

/// What `@LockMode` calls a mode.
pub fn parse_mode(name: &str) -> Option<LockMode> {
    MODES.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, mode)| mode)
}

/// The name that `APPLOCK_MODE` shows.
pub fn mode_name(mode: LockMode) -> &'static str {
    let own = MODES.into_iter().find(|(_, known)| *known == mode);
    match own {
        Some((name, _)) => name,
        None if mode.is_none() => "NoLock",
        None if mode.covers(LockMode::UPDATE) => "UpdateIntentExclusive",
        None => "SharedIntentExclusive",
    }
}

/// What `@LockOwner` calls a lifetime.
pub fn parse_owner(name: &str) -> Option<Lifetime> {
    match name.to_ascii_lowercase().as_str() {
        "transaction" => Some(Lifetime::Transaction),
        "session" => Some(Lifetime::Session),
        _ => None,
    }
}

/// Names a lock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockName {
    /// The database of the principal.
    pub database: DbId,
    /// The principal, `public` for all.
    pub principal: Arc<str>,
    /// The resource; upper and lower case differ.
    pub resource: Arc<str>,
}

/// Between the parts of a target's name; no principal's name has it.
const SEPARATOR: char = '\0';

impl LockName {
    fn target(&self) -> Target {
        let LockName { database, principal, resource } = self;
        Target::Name(format!("{}{SEPARATOR}{principal}{SEPARATOR}{resource}", database.0).into())
    }

    /// The name behind a target.
    pub fn of(target: &Target) -> Option<LockName> {
        let Target::Name(name) = target else { return None };
        LockName::of_key(name)
    }

    /// The name of a lock, from the target's own name.
    pub fn of_key(name: &str) -> Option<LockName> {
        let mut parts = name.splitn(3, SEPARATOR);
        let database = parts.next()?.parse().ok()?;
        let (principal, resource) = (parts.next()?.into(), parts.next()?.into());
        Some(LockName { database: DbId(database), principal, resource })
    }
}

/// The application locks of a server.
pub struct ApplicationLocks {
    space: LockSpace,
    /// Whether one has ever been asked for: most servers have none, and no transaction's end should
    /// look for them.
    used: AtomicBool,
}

impl ApplicationLocks {
    /// Without locks.
    pub fn new(graph: Arc<WaitGraph>) -> ApplicationLocks {
        ApplicationLocks { space: LockSpace::of_names(graph), used: AtomicBool::new(false) }
    }

    /// Takes a lock. Returns whether it had to be waited for. `gates` are those that the session's
    /// transaction is inside of.
    pub fn acquire(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        name: &LockName,
        (mode, lifetime): (LockMode, Lifetime),
        patience: Patience,
        gates: Gates,
    ) -> Result<bool, LockFault> {
        self.used.store(true, Relaxed);
        let request = request(owner, name, mode, lifetime);
        let taken = self.space.take(task, request, &NoKeys, patience, gates, || ())?;
        Ok(taken.waited)
    }

    /// Gives back a lock once. `false` if it is not held.
    pub fn release(&self, owner: &Arc<Owner>, name: &LockName, lifetime: Lifetime) -> bool {
        self.space.give_back(owner.id(), &name.target(), lifetime)
    }

    /// Gives back everything that a session holds for its transaction, or for itself as well.
    pub fn release_all(&self, owner: &Arc<Owner>, lifetime: Lifetime) {
        // A session's own locks were taken by itself, so that it sees its own store.
        if self.used.load(Relaxed) {
            self.space.end(owner.id(), lifetime);
        }
    }

    /// The mode in which a session holds a lock.
    pub fn mode(&self, owner: &Arc<Owner>, name: &LockName, lifetime: Lifetime) -> LockMode {
        self.space.held_for(owner.id(), &name.target(), lifetime)
    }

    /// Whether a session would get a lock at once.
    pub fn is_available(&self, owner: &Arc<Owner>, name: &LockName, mode: LockMode) -> bool {
        self.space.is_available(&request(owner, name, mode, Lifetime::Session), &NoKeys)
    }

    /// Every lock that is held or waited for.
    pub fn list(&self) -> Vec<LockInfo> {
        self.space.list()
    }
}

fn request(owner: &Arc<Owner>, name: &LockName, mode: LockMode, lifetime: Lifetime) -> Request {
    let (owner, target) = (owner.clone(), name.target());
    Request { owner, target, mode, lifetime, established: true }
}

#[cfg(test)]
mod tests;

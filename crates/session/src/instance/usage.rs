//! Which sessions are in which database.

use std::collections::{BTreeMap, BTreeSet};

use base::ids::{DbId, SessionId};
use engine::sync::plain::{Mutex, MutexGuard};

/// How many times each session is in each database: as its current one, and by transactions.
#[derive(Default)]
pub struct DatabaseUsage {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    users: BTreeMap<(DbId, SessionId), u32>,
    /// Databases that only this session may enter: one that is being dropped or altered, or that is
    /// in `SINGLE_USER` mode.
    exclusive: BTreeMap<DbId, SessionId>,
    /// Databases in `SINGLE_USER` mode: the session that enters one has it until it leaves.
    single: BTreeSet<DbId>,
}

impl DatabaseUsage {
    /// A session enters a database. `false` if another one has it for itself.
    #[must_use]
    pub fn enter(&self, database: DbId, session: SessionId) -> bool {
        let mut inner = self.lock();
        if inner.exclusive.get(&database).is_some_and(|holder| *holder != session) {
            return false;
        }
        if inner.single.contains(&database) {
            inner.exclusive.insert(database, session);
        }
        *inner.users.entry((database, session)).or_default() += 1;
        true
    }

    /// A session leaves a database.
    pub fn leave(&self, database: DbId, session: SessionId) {
        let mut inner = self.lock();
        if let Some(count) = inner.users.get_mut(&(database, session)) {
            *count -= 1;
            if *count == 0 {
                inner.users.remove(&(database, session));
                let holds = inner.exclusive.get(&database) == Some(&session);
                if holds && inner.single.contains(&database) {
                    inner.exclusive.remove(&database);
                }
            }
        }
    }

    /// The sessions in a database, by id.
    pub fn sessions_in(&self, database: DbId) -> Vec<SessionId> {
        let first = (database, SessionId(i16::MIN));
        let inner = self.lock();
        let range = inner.users.range(first..).take_while(|((d, _), _)| *d == database);
        range.map(|((_, session), _)| *session).collect()
    }

    /// Takes a database for one session, if no other is in it.
    #[must_use]
    pub fn try_exclusive(&self, database: DbId, session: SessionId) -> bool {
        let mut inner = self.lock();
        let first = (database, SessionId(i16::MIN));
        let mut range = inner.users.range(first..).take_while(|((d, _), _)| *d == database);
        let others = range.any(|((_, user), _)| *user != session);
        let taken = inner.exclusive.get(&database).is_some_and(|holder| *holder != session);
        if others || taken {
            return false;
        }
        inner.exclusive.insert(database, session);
        true
    }

    /// Keeps other sessions than this one from entering a database; those inside stay.
    pub fn close(&self, database: DbId, session: SessionId) {
        self.lock().exclusive.insert(database, session);
    }

    /// Lets all sessions enter again; in `SINGLE_USER` mode, one.
    pub fn release(&self, database: DbId) {
        self.lock().exclusive.remove(&database);
    }

    /// Begins or ends `SINGLE_USER` mode.
    pub fn set_single(&self, database: DbId, single: bool) {
        let mut inner = self.lock();
        match single {
            true => drop(inner.single.insert(database)),
            false => drop(inner.single.remove(&database)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests;

//! The databases that a session has used, and what it remembers of them.
//!
//! What is shared by all sessions (catalogs, schemas) is reached through what is kept here, so that
//! a statement that finds everything as it was writes no memory that other sessions use.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use base::SqlResult;
use base::ids::DbId;
use engine::catalog::def::{DatabaseDef, LoginDef};
use engine::catalog::{Catalog, Schema};
use engine::txn::{DatabaseSession, Owner};

use crate::instance::Instance;
use crate::instance::login::admits;
use crate::security::DatabaseUser;

/// A database that the session has used.
pub struct DatabaseAccess {
    /// `DB_ID()`
    pub id: DbId,
    /// Its catalog.
    pub catalog: Arc<Catalog>,
    /// The session's place in it.
    pub place: Arc<DatabaseSession>,
    schema: RefCell<Arc<Schema>>,
    /// The database as master knows it, with the version of master's schema.
    def: RefCell<(u64, Arc<DatabaseDef>)>,
    /// The user that the session is in it.
    user: RefCell<Option<CachedUser>>,
    next: OnceCell<Box<DatabaseAccess>>,
}

/// What a session shows a database for it to say which user the session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Its login.
    Login,
    /// That the database has authenticated it, as a contained user.
    Contained,
    /// Nothing that counts here: another database has vouched for it.
    Nothing,
}

/// The user that a session is in a database, and what that depends on.
struct CachedUser {
    schema: u64,
    master: u64,
    /// Changes with `EXECUTE AS`.
    identity: u64,
    user: Option<Arc<DatabaseUser>>,
}

/// A list that only grows while it is shared, so that what it has handed out stays.
#[derive(Default)]
pub struct DatabaseList {
    first: OnceCell<Box<DatabaseAccess>>,
    /// What [`Instance::database_changes`] said when the list was begun.
    changes: Cell<u64>,
}

impl DatabaseList {
    /// A database. Errors 911 and those of databases that cannot be used.
    pub fn get(
        &self,
        instance: &Instance,
        owner: &Arc<Owner>,
        id: DbId,
    ) -> SqlResult<&DatabaseAccess> {
        let mut place = &self.first;
        while let Some(access) = place.get() {
            if access.id == id {
                return Ok(access);
            }
            place = &access.next;
        }
        if self.first.get().is_none() {
            self.changes.set(instance.database_changes());
        }
        let access = DatabaseAccess::new(instance, owner, id)?;
        Ok(place.get_or_init(|| Box::new(access)))
    }

    /// A database, if it was used before.
    pub fn known(&self, id: DbId) -> Option<&DatabaseAccess> {
        self.iter().find(|access| access.id == id)
    }

    /// All that were used.
    pub fn iter(&self) -> impl Iterator<Item = &DatabaseAccess> {
        let mut place = &self.first;
        std::iter::from_fn(move || {
            let access = place.get()?;
            place = &access.next;
            Some(&**access)
        })
    }

    /// Whether a database is still the one that is there.
    pub fn holds(&self, instance: &Instance, id: DbId) -> bool {
        // Mostly none has come or gone since the list was begun.
        self.changes.get() == instance.database_changes()
            || self.known(id).is_none_or(|access| {
                instance.catalog(id).is_ok_and(|catalog| Arc::ptr_eq(&catalog, &access.catalog))
            })
    }

    /// Forgets everything if databases have come or gone since. Between statements outside of a
    /// transaction. Tells whether it did.
    pub fn refresh(&mut self, instance: &Instance) -> bool {
        let changes = instance.database_changes();
        let stale = self.changes.replace(changes) != changes;
        if stale {
            self.first = OnceCell::new();
        }
        stale
    }
}

impl DatabaseAccess {
    fn new(instance: &Instance, owner: &Arc<Owner>, id: DbId) -> SqlResult<DatabaseAccess> {
        let catalog = instance.catalog(id)?;
        let master = instance.databases().master();
        let (version, def) = (master.version(), instance.database_def(id));
        let def = def.ok_or_else(|| {
            instance.unavailable(id, &engine::error::EngineError::NoSuchDatabase(id))
        })?;
        Ok(DatabaseAccess {
            id,
            place: catalog.database().session(owner),
            schema: RefCell::new(catalog.current()),
            def: RefCell::new((version, def)),
            user: RefCell::new(None),
            next: OnceCell::new(),
            catalog,
        })
    }

    /// The version of the current schema.
    #[inline]
    pub fn version(&self) -> u64 {
        self.catalog.version()
    }

    /// The current schema.
    pub fn schema(&self) -> Arc<Schema> {
        self.with_schema(Arc::clone)
    }

    /// Runs a function on the current schema.
    pub fn with_schema<T>(&self, look: impl FnOnce(&Arc<Schema>) -> T) -> T {
        if self.schema.borrow().version() != self.version() {
            *self.schema.borrow_mut() = self.catalog.current();
        }
        look(&self.schema.borrow())
    }

    /// Runs a function on the database's own definition: its name and options.
    pub fn with_def<T>(&self, instance: &Instance, look: impl FnOnce(&DatabaseDef) -> T) -> T {
        let version = instance.databases().master().version();
        if self.def.borrow().0 != version {
            if let Some(def) = instance.database_def(self.id) {
                *self.def.borrow_mut() = (version, def);
            }
        }
        look(&self.def.borrow().1)
    }

    /// The database's name.
    pub fn name(&self, instance: &Instance) -> Arc<str> {
        self.with_def(instance, |def| def.name.clone())
    }

    /// The user that a login is here; `None` if it may not use the database, now that it is
    /// restricted perhaps. `identity` changes with the login. In a context that another database
    /// has vouched for, and that is not trusted here, it is `guest`.
    pub fn user(
        &self,
        instance: &Instance,
        login: &LoginDef,
        claim: impl FnOnce() -> Claim,
        identity: u64,
    ) -> Option<Arc<DatabaseUser>> {
        let (schema, master) = (self.version(), instance.databases().master().version());
        if let Some(cached) = &*self.user.borrow() {
            let now = (cached.schema, cached.master, cached.identity);
            if now == (schema, master, identity) {
                return cached.user.clone();
            }
        }
        let server = instance.databases().master().current();
        let claim = claim();
        let user = self.with_def(instance, |def| {
            let schema = self.schema();
            let user = match claim {
                Claim::Login => DatabaseUser::for_login(&server, login, &schema, &def.owner_sid),
                Claim::Contained => DatabaseUser::contained(&schema, &login.sid),
                Claim::Nothing => DatabaseUser::guest(&schema),
            };
            user.filter(|user| admits(&server, def, login, user)).map(Arc::new)
        });
        let cached = CachedUser { schema, master, identity, user: user.clone() };
        *self.user.borrow_mut() = Some(cached);
        user
    }
}

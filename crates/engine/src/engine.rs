//! The engine: the databases of a server.

use std::collections::{BTreeMap, HashSet};

use base::ids::DbId;

use crate::database::{Database, Host, RecoveringDatabase};
use crate::error::EngineError;
use crate::log::GlobalTransaction;
use crate::recovery::RecoveryCatalog;
use crate::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use crate::txn::{TxnError, Unavailable};
use crate::wait::Task;

/// What is known of one database.
#[derive(Clone)]
enum Entry {
    Open(Arc<Database>),
    Closed(Unavailable),
}

/// The databases of a server by id.
pub struct Engine {
    host: Host,
    databases: RwLock<BTreeMap<DbId, Entry>>,
}

/// A database whose log has been read, and its catalog.
pub struct ReplayedDatabase<C> {
    /// The database.
    pub database: RecoveringDatabase,
    /// What the log has told of its catalog.
    pub catalog: C,
}

/// What has become of a database whose log had been read.
pub struct OpenedDatabase<C> {
    /// Which it is.
    pub id: DbId,
    /// What recovery has told of its catalog.
    pub catalog: C,
    /// The database, or why it could not be opened.
    pub result: Result<Arc<Database>, EngineError>,
}

impl Engine {
    /// A server without databases.
    pub fn new(host: Host) -> Engine {
        Engine { host, databases: RwLock::default() }
    }

    /// What the databases share.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// A database was made, or opened after it was recovered.
    pub fn add(&self, database: Database) -> Result<Arc<Database>, EngineError> {
        let id = database.id();
        let mut databases = self.write();
        if let Some(Entry::Open(_)) = databases.get(&id) {
            return Err(EngineError::DatabaseExists(id));
        }
        let database = Arc::new(database);
        databases.insert(id, Entry::Open(database.clone()));
        Ok(database)
    }

    /// A database exists and cannot be used.
    pub fn set_unavailable(&self, id: DbId, why: Unavailable) {
        if let Some(Entry::Open(database)) = self.write().insert(id, Entry::Closed(why)) {
            database.manager().set_available(Err(why));
        }
    }

    /// Takes a database out: DROP DATABASE, after its sessions have left it.
    pub fn remove(&self, id: DbId) -> Option<Arc<Database>> {
        match self.write().remove(&id)? {
            Entry::Open(database) => {
                database.manager().set_available(Err(Unavailable::Offline));
                Some(database)
            }
            Entry::Closed(_) => None,
        }
    }

    /// A database, if it is open; why not, otherwise.
    pub fn database(&self, id: DbId) -> Result<Arc<Database>, EngineError> {
        match self.read().get(&id) {
            Some(Entry::Open(database)) => Ok(database.clone()),
            Some(Entry::Closed(why)) => Err(TxnError::Unavailable(*why).into()),
            None => Err(EngineError::NoSuchDatabase(id)),
        }
    }

    /// All databases that are open.
    pub fn databases(&self) -> Vec<Arc<Database>> {
        let open = |entry: &Entry| match entry {
            Entry::Open(database) => Some(database.clone()),
            Entry::Closed(_) => None,
        };
        self.read().values().filter_map(open).collect()
    }

    /// Opens databases whose logs have been read, each with its catalog, resolving by each other's
    /// decisions what is in doubt. All databases of a server are recovered together; `unreadable`
    /// are the uuids of those whose logs could not be read: what waits for their decision cannot be
    /// opened. A coordinator that is in neither has been dropped, after it saw to it that nothing
    /// was in doubt. Databases that fail are reported and left out.
    pub fn open_recovered<C: RecoveryCatalog>(
        &self,
        task: &Task,
        replayed: Vec<ReplayedDatabase<C>>,
        unreadable: &[u128],
    ) -> Vec<OpenedDatabase<C>> {
        let decisions: HashSet<GlobalTransaction> =
            replayed.iter().flat_map(|own| own.database.recovery().decisions()).copied().collect();
        let open = |replayed: ReplayedDatabase<C>| {
            let ReplayedDatabase { database, mut catalog } = replayed;
            let id = database.identity().id;
            if database.recovery().in_doubt().any(|g| unreadable.contains(&g.coordinator)) {
                let why = Unavailable::Recovering;
                self.set_unavailable(id, why);
                let result = Err(TxnError::Unavailable(why).into());
                return OpenedDatabase { id, catalog, result };
            }
            let result = database
                .open(task, &mut catalog, |global| decisions.contains(global))
                .and_then(|database| self.add(database));
            if let Err(error) = &result {
                self.set_unavailable(id, error.unavailable());
            }
            OpenedDatabase { id, catalog, result }
        };
        let opened: Vec<_> = replayed.into_iter().map(open).collect();
        if unreadable.is_empty() && opened.iter().all(|own| own.result.is_ok()) {
            let databases = opened.iter().filter_map(|own| own.result.as_ref().ok());
            databases.for_each(|database| database.manager().log_needs.settle_earlier());
        }
        opened
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<DbId, Entry>> {
        self.databases.read().expect("no panic under this lock")
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<DbId, Entry>> {
        self.databases.write().expect("no panic under this lock")
    }
}

//! A session: one connection's state.
//!
//! # Where things are
//!
//! * [`Session`] is what the server holds; [`SessionState`] is all of it but the memory for running
//!   units, which is lent to the interpreter together with the state (as its `Host`).
//! * [`transaction`]: the open transaction and its statements.
//! * [`databases`]: the databases that the session has used.
//! * [`identity`]: the login and user for which it acts.
//! * [`authority`]: how far that reaches.
//! * [`temporary`]: its temporary tables.
//! * [`level`]: the modules and texts that are running, one within another.
//! * [`prepared`], [`cursors`], [`loads`]: what its client has prepared, declared and announced.
//! * [`native`], [`reads`], [`arguments`]: what runs, has read, and passes on.

pub mod arguments;
pub mod authority;
pub mod cursors;
pub mod databases;
pub mod identity;
pub mod level;
pub mod loads;
pub mod locking;
pub(crate) mod native;
pub mod prepared;
pub mod reads;
pub mod reveal;
pub mod temporary;
pub mod transaction;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use base::datetime::Language;
use base::ids::{DbId, ObjectId, SessionId};
use base::value::Variant;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::{LoginDef, UserAccess};
use engine::catalog::{Catalog, Schema};
use engine::txn::{Durability, Owner};
use engine::wait::Interrupt;

use crate::instance::Instance;
use crate::instance::login::Authenticated;
use crate::instance::sessions::{ClientInfo, SessionEntry, SessionStatus};
use crate::options::{ClientKind, Options};
use crate::security::DatabaseUser;
use crate::session::native::NativeRun;
use ir::function::documents::Documents;
use ir::function::facts::{RandomState, StatementTime};
use ir::function::prepared::PreparedDocuments;
use run::interp::Runtime;

use databases::{Claim, DatabaseAccess, DatabaseList};
use identity::Identity;
use level::Level;
use temporary::TemporaryTables;
use transaction::{OpenStatement, Origin, TransactionState};

pub use reveal::Reveal;

/// One connection.
pub struct Session {
    pub(crate) state: SessionState,
    pub(crate) runtime: Runtime,
}

/// How a session begins.
pub struct LoginOptions {
    /// The login.
    pub who: Authenticated,
    /// In which database: [`Instance::login_database`].
    pub database: DbId,
    /// What is known of the client.
    pub client: ClientInfo,
    /// Which defaults its options have.
    pub kind: ClientKind,
    /// In which language.
    pub language: &'static Language,
}

/// All that a session knows but its memory for running units.
pub struct SessionState {
    /// The server.
    pub instance: Arc<Instance>,
    /// How other sessions see the session.
    pub entry: Arc<SessionEntry>,
    /// `SET` options.
    pub options: Options,
    /// The database whose options those have taken that the session has not set, and at which
    /// version of master.
    pub(crate) inherits_from: Option<(DbId, u64)>,
    /// The open transaction.
    pub transaction: TransactionState,
    /// The statements that are open, one within another.
    pub statements: Vec<OpenStatement>,
    /// The natively compiled modules that run, one within another.
    pub(crate) native: Vec<NativeRun>,
    /// The user of a database that a natively compiled module runs as, if not as the session's own.
    pub(crate) acting: Option<(DbId, Arc<DatabaseUser>)>,
    /// What the statement that runs has read, under `STATISTICS IO`.
    pub(crate) reads: Vec<crate::session::reads::TableReads>,
    /// The computations of the statement that runs whose results became NULL.
    pub(crate) arithmetic: ArithmeticNotes,
    /// Whether the answer that goes out could end here: the last token sent was a *done*.
    pub(crate) answered: bool,
    /// What runs, one within another. The first is the batch.
    pub levels: Vec<Level>,
    /// The current database.
    pub database: DbId,
    /// The login and user for which it acts.
    pub identity: Identity,
    /// Its temporary tables.
    pub temporary: TemporaryTables,
    /// What statements have left behind for those that follow.
    pub left: Left,
    /// When the current statement first asked for the time, if it has.
    pub time: Cell<Option<StatementTime>>,
    /// The XML documents that the request has parsed.
    pub documents: Documents,
    /// The XML documents that it has prepared.
    pub prepared_documents: PreparedDocuments,
    /// `SET IDENTITY_INSERT`.
    pub identity_insert: Option<(DbId, ObjectId)>,
    /// The `EXEC` of a procedure that changes the catalog, for the triggers that wait for that.
    pub(crate) command: Option<Box<str>>,
    /// `SET CONTEXT_INFO`.
    pub context_info: Option<Box<[u8]>>,
    /// `sp_set_session_context`: values, and whether they may change.
    pub session_context: HashMap<Box<str>, (Variant, bool)>,
    /// Texts that the client has prepared.
    pub prepared: crate::session::prepared::Prepared,
    /// Its cursors.
    pub cursors: crate::session::cursors::Cursors,
    /// The rows of tables that `WHERE CURRENT OF` may mean while such a statement is bound.
    pub standing_on: Vec<compile::bind::CursorRow>,
    /// What the last `INSERT BULK` has announced, until its rows come.
    pub bulk: Option<crate::session::loads::PendingBulk>,
    /// The level of a bulk load's statements: they share the successor of the table that one of
    /// them begins.
    pub loads_from: Option<usize>,
    /// The name of the current database was sent to the client since this was last cleared.
    pub database_told: bool,
    /// The databases that were current where it went to others for a call, the innermost last. It
    /// is in them all.
    pub(crate) left_for_call: Vec<DbId>,
    databases: DatabaseList,
    owner: Arc<Owner>,
    reveal: Reveal,
    pub(crate) random: Cell<RandomState>,
    /// What it began with, for a reset.
    pub(crate) initial: Initial,
}

/// Which computations have failed with NULL as their result.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct ArithmeticNotes {
    pub overflowed: bool,
    pub divided_by_zero: bool,
    /// Outside of a function's domain.
    pub undefined: bool,
}

pub(crate) struct Initial {
    pub options: Options,
    pub database: DbId,
    pub login: Arc<LoginDef>,
}

/// What statements leave behind for those that follow.
#[derive(Clone, Copy, Default, Debug)]
pub struct Left {
    /// `@@ROWCOUNT`
    pub row_count: i64,
    /// `@@ERROR`
    pub error: i32,
    /// `@@IDENTITY`
    pub identity: Option<i128>,
    /// `SCOPE_IDENTITY()` of batches, which goes from one to the next.
    pub batch_identity: Option<i128>,
    /// `@@FETCH_STATUS`
    pub fetch_status: i32,
    /// `@@CURSOR_ROWS`
    pub cursor_rows: i32,
    /// How many TRY blocks are around what runs, in all levels.
    pub handlers: u32,
}

impl Session {
    /// A session for a login. Errors 924 and 17809.
    pub fn open(instance: &Arc<Instance>, login: LoginOptions) -> SqlResult<Session> {
        let LoginOptions { who, database, client, kind, language } = login;
        let options = Options::at_login(kind, language);
        let clock = instance.env().clock();
        let status = SessionStatus {
            login: who.login.clone(),
            original_login: who.login.clone(),
            contained_in: who.contained_in,
            database,
            options: options.clone(),
            transaction_count: 0,
            transaction: None,
            last_request: (clock.utc_ticks(), clock.utc_ticks()),
            requests: 0,
            request: None,
            last_text: "".into(),
            elapsed_ns: 0,
            row_count: 1,
            last_error: 0,
            context_info: None,
        };
        let entry = instance.sessions.add(|id| {
            let owner = instance.host().owner(id);
            (Arc::default(), owner, client, clock.utc_ticks(), status)
        });
        let entry = entry
            .ok_or_else(|| SqlError::new(&message::TOO_MANY_CONNECTIONS, &[&i16::MAX, &""]))?;
        if !instance.usage.enter(database, entry.id) {
            instance.sessions.remove(entry.id);
            let name = instance.database_name(database);
            return Err(SqlError::new(&message::DATABASE_SINGLE_USER, &[&name]));
        }
        let mut seed = [0; 8];
        instance.env().rng().fill(&mut seed);
        let initial = Initial { options: options.clone(), database, login: who.login.clone() };
        let mut state = SessionState {
            owner: entry.owner.clone(),
            identity: Identity::new(who.login, who.contained_in),
            options,
            inherits_from: None,
            transaction: TransactionState::default(),
            statements: Vec::new(),
            native: Vec::new(),
            acting: None,
            answered: false,
            levels: Vec::new(),
            database,
            temporary: TemporaryTables::default(),
            left: Left::default(),
            arithmetic: ArithmeticNotes::default(),
            time: Cell::new(None),
            documents: Documents::default(),
            prepared_documents: PreparedDocuments::default(),
            identity_insert: None,
            loads_from: None,
            database_told: false,
            left_for_call: Vec::new(),
            command: None,
            context_info: None,
            session_context: HashMap::new(),
            prepared: crate::session::prepared::Prepared::default(),
            cursors: Default::default(),
            standing_on: Vec::new(),
            bulk: None,
            reads: Vec::new(),
            databases: DatabaseList::default(),
            reveal: Reveal::default(),
            random: Cell::new(RandomState::from_bits(u64::from_le_bytes(seed))),
            initial,
            instance: instance.clone(),
            entry,
        };
        state.inherit_options();
        state.entry.status().options = state.options.clone();
        let runtime = Runtime::new(instance.grant());
        Ok(Session { state, runtime })
    }

    /// `@@SPID`
    pub fn id(&self) -> SessionId {
        self.state.entry.id
    }

    /// The login that logged in.
    pub fn login_name(&self) -> Arc<str> {
        self.state.identity.original().name.clone()
    }

    /// A panic has ended what the server did on the session's behalf.
    pub fn note_panic(&self, panicked: &crate::fault::contain::Panicked) {
        self.state.instance.note_panic(self.id(), panicked.text());
    }

    /// How other sessions see the session.
    pub fn entry(&self) -> &Arc<SessionEntry> {
        &self.state.entry
    }

    /// Raised to cancel a request or to end the session; statements are made with it.
    pub fn interrupt(&self) -> &Arc<Interrupt> {
        &self.state.entry.interrupt
    }

    /// What must be durable before anything is sent to the client.
    pub fn reveal(&self) -> &Reveal {
        &self.state.reveal
    }

    /// The current database.
    pub fn database(&self) -> DbId {
        self.state.database
    }

    /// The current options.
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// The open transaction's number for the wire, 0 for none.
    pub fn transaction_id(&self) -> u64 {
        match self.state.transaction.is_user() {
            true => self.state.transaction.id(),
            false => 0,
        }
    }
}

impl SessionState {
    /// `@@SPID`
    pub fn id(&self) -> SessionId {
        self.entry.id
    }

    /// A database, as the session remembers it. Errors 911, 922, 924, 942 …
    pub fn access(&self, id: DbId) -> SqlResult<&DatabaseAccess> {
        if let Some(known) = self.databases.known(id) {
            return Ok(known);
        }
        let access = self.databases.get(&self.instance, &self.owner, id)?;
        self.reveal.add(&access.place);
        Ok(access)
    }

    /// The schema of a database as the session's transaction sees it.
    pub fn schema(&self, database: DbId) -> SqlResult<Arc<Schema>> {
        match self.transaction.working_schema(database) {
            Some(schema) => Ok(schema),
            None => Ok(self.access(database)?.schema()),
        }
    }

    /// The version of that.
    pub fn schema_version(&self, database: DbId) -> SqlResult<u64> {
        match self.transaction.working_schema(database) {
            Some(schema) => Ok(schema.version()),
            None => Ok(self.access(database)?.version()),
        }
    }

    /// A database's catalog.
    pub fn catalog(&self, database: DbId) -> SqlResult<Arc<Catalog>> {
        Ok(self.access(database)?.catalog.clone())
    }

    /// The user that the session is in a database. Errors 916, 923.
    pub fn user(&self, database: DbId) -> SqlResult<Arc<DatabaseUser>> {
        let confined = self.identity.confined();
        let own = confined.filter(|confined| confined.database == database);
        if let Some(user) = own.and_then(|own| own.user.as_ref()) {
            return Ok(user.clone());
        }
        let access = self.access(database)?;
        let login = self.identity.login();
        let claim = || match confined {
            None => Claim::Login,
            Some(own) if own.database == database => Claim::Contained,
            Some(own) if self.is_trusted_in(database, own.database) => Claim::Login,
            Some(_) => Claim::Nothing,
        };
        let user = access.user(&self.instance, login, claim, self.identity.serial());
        user.ok_or_else(|| {
            let name = access.name(&self.instance);
            let mode = access.with_def(&self.instance, |def| def.options.user_access);
            match mode {
                UserAccess::Restricted => SqlError::new(&message::DATABASE_RESTRICTED, &[&name]),
                _ => SqlError::new(&message::PRINCIPAL_NOT_IN_DATABASE, &[&login.name, &name]),
            }
        })
    }

    /// What runs. There is always a level while a request runs.
    pub fn level(&self) -> &Level {
        self.levels.last().expect("a request runs")
    }

    /// What runs, to be changed.
    pub fn level_mut(&mut self) -> &mut Level {
        self.levels.last_mut().expect("a request runs")
    }

    /// The database in which names are resolved: the module's, or else the session's.
    pub fn name_database(&self) -> DbId {
        match self.levels.last() {
            Some(level) if level.module.is_some() => level.database,
            _ => self.database,
        }
    }

    /// How commits in a database are acknowledged.
    pub fn durability(&self, asked: bool) -> Durability {
        use engine::catalog::def::DelayedDurability as D;
        let access = self.access(self.database);
        let option = access.map(|a| a.with_def(&self.instance, |d| d.options.delayed_durability));
        match option {
            Ok(D::Forced) => Durability::Delayed,
            Ok(D::Allowed) if asked => Durability::Delayed,
            _ => Durability::Full,
        }
    }

    /// Begins a transaction. None may be open.
    pub fn begin_transaction(&mut self, origin: Origin, name: &str) {
        let id = self.instance.next_transaction_id();
        let now = self.instance.env().clock().utc_ticks();
        self.transaction.begin(origin, id, name.into(), now, self.options.isolation);
    }

    /// A statement begins, which takes the time when it first asks for it.
    pub fn note_time(&mut self) {
        self.time.set(None);
    }

    /// Whether a database that it knows is the one that is there.
    pub fn database_holds(&self, database: DbId) -> bool {
        self.databases.holds(&self.instance, database)
    }

    /// Takes the options that the session has not set from its database, if that is another one or
    /// has changed.
    pub fn inherit_options(&mut self) {
        let version = self.instance.databases().master().version();
        if self.inherits_from == Some((self.database, version)) {
            return;
        }
        if let Some(def) = self.instance.database_def(self.database) {
            self.options.inherit(&def.options);
        }
        self.inherits_from = Some((self.database, version));
    }

    /// Sets the session's options, and inherits those of the database that are not set.
    pub fn replace_options(&mut self, options: Options) {
        self.options = options;
        self.inherits_from = None;
        self.inherit_options();
    }

    /// Forgets what it knows of databases, if some have come or gone and nothing is open.
    pub fn refresh_databases(&mut self) {
        if !self.transaction.is_open() && self.databases.refresh(&self.instance) {
            self.reveal.forget_durable();
        }
    }

    /// Goes to another database.
    pub fn change_database(&mut self, database: DbId) -> SqlResult<()> {
        self.access(database)?;
        if database == self.database {
            return Ok(());
        }
        if !self.instance.usage.enter(database, self.id()) {
            let name = self.instance.database_name(database);
            return Err(SqlError::new(&message::DATABASE_SINGLE_USER, &[&name]));
        }
        self.instance.usage.leave(self.database, self.id());
        self.database = database;
        self.entry.status().database = database;
        self.inherit_options();
        Ok(())
    }

    /// Goes to another database for a call, and stays in the current one to come back to.
    pub fn visit_database(&mut self, database: DbId) -> SqlResult<()> {
        let from = self.database;
        if !self.instance.usage.enter(from, self.id()) {
            let name = self.instance.database_name(from);
            return Err(SqlError::new(&message::DATABASE_SINGLE_USER, &[&name]));
        }
        let gone = self.change_database(database);
        match gone {
            Ok(()) => self.left_for_call.push(from),
            Err(_) => self.instance.usage.leave(from, self.id()),
        }
        gone
    }

    /// Comes back from a call in another database.
    pub fn end_visit(&mut self) -> SqlResult<()> {
        let from = self.left_for_call.pop().expect("a visit has begun");
        let back = self.change_database(from);
        self.instance.usage.leave(from, self.id());
        back
    }

    /// Whether a database is the current one, or will be again when a call returns.
    pub fn is_in_database(&self, database: DbId) -> bool {
        self.database == database || self.left_for_call.contains(&database)
    }
}

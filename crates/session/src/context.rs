//! The context of code that runs on behalf of a request: the task, the session, memory for units,
//! and where answers go.
//!
//! Steps, definitions (`crate::ddl`), system procedures, cursors and bulk loads all work with a
//! [`Context`]. What they change in a database they change within a statement or definition that
//! the context opens, so that it is undone when they fail.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use engine::catalog::def::{DateTime, Permission, Securable, SecurableClass};
use engine::catalog::{Catalog, CatalogError, Schema, SchemaEdit};
use engine::error::EngineError;
use engine::hot::tally::Exhausted;
use engine::txn::locks::DefinitionKind;
use engine::txn::{Transaction, TxnError};
use engine::wait::Task;
use run::interp::Runtime;
use run::interp::errors::from_message;

use crate::instance::Instance;
use crate::response::{AnswerWriter, EnvironmentChange};
use crate::security::{self, DatabaseUser};
use crate::session::SessionState;
use crate::session::transaction::{self, Origin};

/// How often a definition is tried while other sessions change what it finds.
const DEFINITIONS_MAX: u32 = 100;

/// See the module's header.
pub struct Context<'c> {
    /// The coroutine or thread.
    pub task: &'c Task<'c>,
    /// The session.
    pub session: &'c mut SessionState,
    /// The session's memory for running units.
    pub runtime: &'c mut Runtime,
    /// Where answers go.
    pub writer: &'c mut dyn AnswerWriter,
}

impl<'c> Context<'c> {
    /// This context for work within it, perhaps with another writer.
    pub fn with_writer<'d>(&'d mut self, writer: &'d mut dyn AnswerWriter) -> Context<'d> {
        Context { task: self.task, session: self.session, runtime: self.runtime, writer }
    }

    /// Does what waits for files in the way of a thread, on a thread of its own: databases are
    /// opened like that.
    pub fn off_load<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Instance, &Task<'_>) -> T + Send + 'static,
    ) -> T {
        let instance = self.instance();
        let own = instance.clone();
        let job = instance.databases().backup_threads().begin(self.task, move || {
            let task = Task::blocking(&own.host().runtime);
            work(&own, &task)
        });
        job.wait(self.task)
    }

    /// The server.
    pub fn instance(&self) -> Arc<Instance> {
        self.session.instance.clone()
    }

    /// The database in which names are resolved.
    pub fn database(&self) -> DbId {
        self.session.name_database()
    }

    /// The schema of a database as the session's transaction sees it.
    pub fn schema(&self, database: DbId) -> SqlResult<Arc<Schema>> {
        self.session.schema(database)
    }

    /// A database's catalog.
    pub fn catalog(&self, database: DbId) -> SqlResult<Arc<Catalog>> {
        self.session.catalog(database)
    }

    /// The user that the session is in a database. Error 916.
    pub fn user(&self, database: DbId) -> SqlResult<Arc<DatabaseUser>> {
        self.session.user(database)
    }

    /// Local time, for dates of creation.
    pub fn now(&self) -> DateTime {
        engine::instance::now(self.session.instance.env())
    }

    /// Sends a message.
    pub fn inform(&mut self, message: SqlError) -> SqlResult<()> {
        self.writer.inform(self.task, &message)
    }

    /// Tells the client that its environment has changed.
    pub fn environment(&mut self, change: &EnvironmentChange<'_>) -> SqlResult<()> {
        self.writer.environment(self.task, change)
    }

    /// Whether a user's transaction is open.
    pub fn in_user_transaction(&self) -> bool {
        self.session.transaction.is_user()
    }

    /// Error 574 if a user's transaction is open.
    pub fn refuse_in_transaction(&self, statement: &str) -> SqlResult<()> {
        match self.in_user_transaction() {
            true => {
                let message = &message::STATEMENT_NOT_ALLOWED_IN_USER_TRANSACTION;
                Err(SqlError::new(message, &[&statement]))
            }
            false => Ok(()),
        }
    }

    /// The session's part in a database, which it enters if it has not yet. A transaction is
    /// open: definitions run within [`Context::definition`].
    pub fn transaction(&mut self, database: DbId) -> SqlResult<&mut Transaction> {
        let access = self.session.access(database)?;
        let place = access.place.clone();
        let instance = &self.session.instance;
        let part = self.session.transaction.enter(self.task, database, &place);
        part.map_err(|error| instance.engine_error(database, &error))
    }

    /// The session's part in a database and the edit of its schema. Within
    /// [`Context::definition`]; errors 3930, 3906.
    pub fn edit(&mut self, database: DbId) -> SqlResult<(&mut Transaction, &mut SchemaEdit)> {
        transaction::check_may_write(&self.session.transaction)?;
        let instance = self.instance();
        if self.session.access(database)?.with_def(&instance, |def| def.options.read_only) {
            let name = instance.database_name(database);
            return Err(SqlError::new(&message::DATABASE_READ_ONLY, &[&name]));
        }
        let catalog = self.catalog(database)?;
        self.transaction(database)?;
        Ok(self.session.transaction.edit(database, &catalog))
    }

    /// As [`Context::edit`], at the beginning of a definition statement. Everything that is checked
    /// about the schema is checked after this, in the schema that [`Context::schema`] gives then:
    /// it is the same until the statement ends.
    pub fn lock_edit(&mut self, database: DbId) -> SqlResult<()> {
        let task = self.task;
        let (part, edit) = self.edit(database)?;
        let locked = edit.lock(task, part);
        locked.map_err(|error| self.catalog_error_in(database, error))
    }

    /// The first of these ids on that is free for a definition of a kind, and that no other
    /// transaction is about to use.
    pub fn free_id(&mut self, database: DbId, kind: DefinitionKind, id: i32) -> SqlResult<i32> {
        let (part, edit) = self.edit(database)?;
        Ok(edit.free_id(part, kind, id))
    }

    /// As [`Context::lock_edit`], for a statement that relies on all of the schema: no other
    /// transaction changes it until this one ends.
    pub fn lock_to_verify(&mut self, database: DbId) -> SqlResult<()> {
        let task = self.task;
        let (part, edit) = self.edit(database)?;
        let locked = edit.lock_to_verify(task, part);
        locked.map_err(|error| self.catalog_error_in(database, error))
    }

    /// Changes the schema of a database: [`Context::edit`] with the errors of the catalog turned
    /// into messages.
    pub fn change<T>(
        &mut self,
        database: DbId,
        change: impl FnOnce(&Task, &mut Transaction, &mut SchemaEdit) -> Result<T, CatalogError>,
    ) -> SqlResult<T> {
        let task = self.task;
        let (part, edit) = self.edit(database)?;
        let changed = change(task, part, edit);
        changed.map_err(|error| self.catalog_error_in(database, error))
    }

    /// The message of an error of a database's catalog.
    pub fn catalog_error_in(&self, database: DbId, error: CatalogError) -> SqlError {
        match error {
            CatalogError::Transaction(
                error @ (TxnError::OutOfMemory(Exhausted::Database) | TxnError::LogFull),
            ) => self.session.instance.engine_error(database, &error),
            other => catalog_error(other),
        }
    }

    /// Runs something that changes schemas or rows through [`Context::edit`] and
    /// [`Context::transaction`]: in the open transaction, or in one of its own that is committed
    /// when it succeeds. When it fails, what it has done is undone. It is done once more where
    /// another transaction has changed what it had found in the schema.
    pub fn definition<T>(
        &mut self,
        mut body: impl FnMut(&mut Context<'_>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let own = !self.session.transaction.is_open();
        if own {
            self.session.begin_transaction(Origin::Statement, "");
        }
        let mark = self.session.transaction.keep_mark();
        self.session.transaction.begin_definition();
        let mut result = body(self);
        for _ in 1..DEFINITIONS_MAX {
            if result.is_ok() || !self.session.transaction.restarts_definition() {
                break;
            }
            self.session.transaction.rollback_to_mark(self.task, &mark);
            result = body(self);
        }
        self.session.transaction.end_definition();
        self.session.transaction.drop_mark();
        match &result {
            Ok(_) if own => {
                let durability = self.session.durability(false);
                let committed = self.session.commit(self.task, durability);
                self.session.transaction_ended();
                committed?;
            }
            Ok(_) => {}
            Err(_) if own => {
                self.session.transaction.rollback(self.task);
                self.session.transaction_ended();
            }
            Err(_) => self.session.transaction.rollback_to_mark(self.task, &mark),
        }
        if !own {
            self.leave_tables();
        }
        result.map_err(|error| self.as_victim(error))
    }

    /// An error of a definition, in which a deadlock names the session: the catalog does not know
    /// it.
    fn as_victim(&self, error: SqlError) -> SqlError {
        match error.number() == message::DEADLOCK_VICTIM.number {
            true => SqlError::new(&message::DEADLOCK_VICTIM, &[&self.session.id().0, &"lock"]),
            false => error,
        }
    }

    /// Leaves the tables that the transaction has only read, if no statement is open.
    pub(crate) fn leave_tables(&mut self) {
        if self.session.statements.is_empty() && self.session.native.is_empty() {
            self.session.transaction.leave_tables();
        }
    }

    /// Whether the session has a permission on an object, schema, type, or on the database.
    pub fn may(&self, database: DbId, target: Securable, permission: Permission) -> bool {
        let Ok(user) = self.user(database) else { return false };
        let Ok(schema) = self.schema(database) else { return false };
        user.may(&schema, target, permission)
    }

    /// Error 229 unless the session has a permission on an object.
    pub fn demand_on_object(
        &self,
        database: DbId,
        object: ObjectId,
        permission: Permission,
    ) -> SqlResult<()> {
        let target = Securable { class: SecurableClass::Object, major: object.0, minor: 0 };
        if self.may(database, target, permission) {
            return Ok(());
        }
        let name = self.session.instance.database_name(database);
        Err(security::denied(&*self.schema(database)?, &name, object, permission))
    }

    /// Error 262 unless the session has a permission on the database.
    pub fn demand_on_database(&self, database: DbId, permission: Permission) -> SqlResult<()> {
        if self.may(database, security::WHOLE_DATABASE, permission) {
            return Ok(());
        }
        Err(database_permission(self.session, database, permission))
    }

    /// Whether the session's login has a permission on the server.
    pub fn login_may(&self, permission: Permission) -> bool {
        self.session.login_may(security::WHOLE_SERVER, permission)
    }

    /// Notes a temporary table that was made for the level that runs.
    pub fn add_temporary(&mut self, name: &str, object: ObjectId) {
        let level = self.session.levels.len();
        if !self.in_user_transaction()
            && let Ok(tempdb) = self.schema(DbId::TEMPDB)
        {
            let is_there = |id| tempdb.object(id).is_some();
            self.session.temporary.forget_dropped(is_there);
        }
        self.session.temporary.add(name, object, level);
    }

    /// Notes a temporary procedure. Whatever level made it, it stays as long as the session.
    pub fn add_temporary_procedure(&mut self, name: &str, object: ObjectId) {
        self.session.temporary.add(name, object, 1);
    }
}

/// Error 262: the permission is missing in the database.
pub(crate) fn database_permission(
    session: &SessionState,
    database: DbId,
    permission: Permission,
) -> SqlError {
    let name = session.instance.database_name(database);
    let args: [&dyn std::fmt::Display; 2] = [&permission.description(), &name];
    SqlError::new(&message::DATABASE_PERMISSION_DENIED, &args)
}

/// The message of an error of the engine that is about no table in particular.
pub fn engine_error(error: &TxnError) -> SqlError {
    from_message(error, &[])
}

/// The message of an error of a checkpoint.
pub fn checkpoint_error(error: &EngineError) -> SqlError {
    match error {
        EngineError::Txn(error) => engine_error(error),
        other => SqlError::custom(
            other.number(),
            other.severity(),
            other.state(),
            format!("The checkpoint failed: {other}"),
        ),
    }
}

/// The message of an error of the catalog.
pub fn catalog_error(error: CatalogError) -> SqlError {
    error.into_sql().unwrap_or_else(|error| engine_error(&error))
}

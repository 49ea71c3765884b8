//! The session as functions see it.

use std::sync::Arc;

use base::datetime::{DateSettings, Zone};
use base::ids::{DbId, ObjectId, SessionId};
use base::value::Variant;
use base::{SqlError, SqlResult, Value, ValueRef, message};
use engine::catalog::Schema;
use engine::catalog::def::{
    DatabaseDef, DatabaseState, Permission, PrincipalId, SchemaId, Securable, SecurableClass,
};
use engine::txn::locks::Lifetime;
use engine::wait::Task;
use ir::function::SessionFacts;
use ir::function::documents::Documents;
use ir::function::facts::{
    Connection, Counters, CursorScope, HandledText, Login, MetadataFacts, Progress, RandomState,
    Seen, ServerFacts, ServerRowset, Settings, StatementTime, SystemObject, TakeBytes,
};
use ir::function::prepared::PreparedDocuments;

use crate::files::reading;
use crate::instance::locks::{self, LockName};
use crate::security::WHOLE_SERVER;
use crate::session::SessionState;
use crate::sysview::function::{FunctionContext, server_function};
use crate::sysview::seen;

impl MetadataFacts for SessionState {
    fn current_database(&self) -> DbId {
        self.name_database()
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        SessionState::schema(self, database).ok()
    }

    fn user(&self, database: DbId) -> Option<PrincipalId> {
        SessionState::user(self, database).ok().map(|user| user.id)
    }

    fn temporary_table(&self, name: &str) -> Option<ObjectId> {
        let tempdb = SessionState::schema(self, DbId::TEMPDB).ok()?;
        self.find_temporary(&tempdb, name)
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        crate::names::system::described(schema, name)
    }

    fn system_object_by_id(&self, id: ObjectId) -> Option<SystemObject> {
        crate::names::system::described_by_id(id)
    }

    fn system_definition(&self, id: ObjectId) -> Option<String> {
        crate::names::system::definition(id)
    }

    fn identity_value(&self, database: DbId, table: ObjectId) -> Option<i64> {
        let catalog = self.catalog(database).ok()?;
        let schema = SessionState::schema(self, database).ok()?;
        let stored = catalog.table(schema.table(table)?)?;
        let counter = stored.identity()?;
        self.access(database).ok()?.place.note_shown(counter.covered_by());
        counter.position().used.then(|| counter.current())
    }

    fn last_rowversion(&self, database: DbId) -> u64 {
        let Ok(access) = self.access(database) else { return 0 };
        let last = access.catalog.sequences().last_row_version();
        access.place.note_shown(last.covered_by);
        last.first as u64
    }

    fn min_active_rowversion(&self, database: DbId) -> u64 {
        self.last_rowversion(database) + 1
    }

    fn sees(&self, database: DbId, object: ObjectId) -> Seen {
        let (Ok(user), Ok(schema)) =
            (SessionState::user(self, database), SessionState::schema(self, database))
        else {
            return Seen::Nothing;
        };
        match seen(&user, database, &schema, object) {
            Seen::Definition => Seen::Definition,
            _ if self.login_may(WHOLE_SERVER, Permission::ViewAnyDefinition) => Seen::Definition,
            less => less,
        }
    }

    fn is_permitted(&self, database: DbId, target: Securable, permission: Permission) -> bool {
        use SecurableClass as C;
        if matches!(target.class, C::Server | C::ServerPrincipal | C::Endpoint) {
            return self.login_may(target, permission);
        }
        // What the server itself provides in every database, `public` may read and call.
        let is_own = target.class == C::Object && target.major < 0;
        if is_own && matches!(permission, Permission::Select | Permission::Execute) {
            return SessionState::user(self, database).is_ok();
        }
        let (Ok(user), Ok(schema)) =
            (SessionState::user(self, database), SessionState::schema(self, database))
        else {
            return false;
        };
        user.may(&schema, target, permission)
    }
}

impl SessionState {
    /// A temporary table or procedure that the session sees by this name.
    pub(crate) fn find_temporary(&self, tempdb: &Schema, name: &str) -> Option<ObjectId> {
        self.temporary_of(tempdb, name, |id| tempdb.object(id).is_some())
    }

    /// A temporary table that the session sees by this name.
    pub(crate) fn find_temporary_table(&self, tempdb: &Schema, name: &str) -> Option<ObjectId> {
        self.temporary_of(tempdb, name, |id| tempdb.table(id).is_some())
    }

    /// A temporary procedure that the session sees by this name.
    pub(crate) fn find_temporary_procedure(&self, tempdb: &Schema, name: &str) -> Option<ObjectId> {
        self.temporary_of(tempdb, name, |id| tempdb.module(id).is_some())
    }

    fn temporary_of(
        &self,
        tempdb: &Schema,
        name: &str,
        fits: impl Fn(ObjectId) -> bool,
    ) -> Option<ObjectId> {
        if name.starts_with("##") {
            let found = tempdb.find_object(SchemaId::DBO, name)?.id();
            return fits(found).then_some(found);
        }
        self.temporary.find(name).find(|id| fits(*id))
    }
}

impl SessionState {
    /// The application lock of this name, if there is such a principal.
    fn application_lock(&self, principal: &str, resource: &str) -> Option<LockName> {
        let database = self.name_database();
        let found = self.schema(database).ok()?.find_principal(principal)?.name.clone();
        Some(LockName { database, principal: found, resource: resource.into() })
    }
}

impl SessionFacts for SessionState {
    fn time(&self) -> StatementTime {
        if let Some(time) = self.time.get() {
            return time;
        }
        let clock = self.instance.env().clock();
        let utc = clock.utc_ticks();
        let time = StatementTime {
            utc_ticks: utc as i64,
            offset_minutes: clock.local_offset_minutes(utc) as i16,
        };
        self.time.set(Some(time));
        time
    }

    fn zone(&self) -> Option<&'static Zone> {
        self.instance.env().clock().local_zone().and_then(Zone::by_iana_name)
    }

    fn transaction_time(&self) -> i64 {
        let began = self.transaction.began_utc();
        began.map_or_else(|| self.time().utc_ticks, |utc| utc as i64)
    }

    fn database_state(&self, database: &DatabaseDef) -> DatabaseState {
        match database.options.state {
            DatabaseState::Online => self.instance.databases().state(database),
            state => state,
        }
    }

    fn dates(&self) -> DateSettings {
        self.options.dates
    }

    fn settings(&self) -> Settings {
        self.options.settings
    }

    fn progress(&self) -> Progress {
        let level = self.levels.last();
        let small = |identity: Option<i128>| identity.and_then(|v| i64::try_from(v).ok());
        Progress {
            row_count: self.left.row_count,
            error: self.left.error,
            transaction_count: self.transaction.count(),
            transaction_state: self.transaction.state(),
            transaction_id: self.transaction.id() as i64,
            request_id: 0,
            nest_level: level.map_or(0, |l| l.nesting),
            module: level.and_then(|l| l.module.as_ref()).map(|m| m.id()),
            fetch_status: self.left.fetch_status,
            cursor_rows: self.left.cursor_rows,
            scope_identity: small(level.and_then(|l| l.identity)),
            last_identity: small(self.left.identity),
        }
    }

    fn session_id(&self) -> SessionId {
        self.id()
    }

    fn caught_error(&self) -> Option<SqlError> {
        self.levels.iter().rev().find_map(|level| level.caught.last()).cloned()
    }

    fn login(&self) -> Login {
        let login = self.identity.login();
        let counts = self.server_login().is_some();
        Login { id: login.id, name: login.name.clone(), sid: login.sid.clone(), counts }
    }

    fn connection(&self) -> Arc<Connection> {
        self.entry.client.connection.clone()
    }

    fn server(&self) -> Arc<ServerFacts> {
        self.instance.facts().clone()
    }

    fn counters(&self) -> Counters {
        self.instance.counters()
    }

    fn context_info(&self) -> Option<Box<[u8]>> {
        self.context_info.clone()
    }

    fn session_context(&self, key: &str) -> Option<&Variant> {
        let key = base::text::identifier::fold_identifier(key);
        self.session_context.get(&*key).map(|(value, _)| value)
    }

    fn application_lock_mode(
        &self,
        principal: &str,
        resource: &str,
        by_session: bool,
    ) -> Option<&'static str> {
        let name = self.application_lock(principal, resource)?;
        let lifetime = if by_session { Lifetime::Session } else { Lifetime::Transaction };
        Some(locks::mode_name(self.instance.locks.mode(&self.entry.owner, &name, lifetime)))
    }

    fn application_lock_is_free(
        &self,
        principal: &str,
        resource: &str,
        mode: &str,
    ) -> Option<bool> {
        let name = self.application_lock(principal, resource)?;
        let mode = locks::parse_mode(mode)?;
        Some(self.instance.locks.is_available(&self.entry.owner, &name, mode))
    }

    fn documents(&self) -> Option<&Documents> {
        Some(&self.documents)
    }

    fn prepared_documents(&self) -> Option<&PreparedDocuments> {
        Some(&self.prepared_documents)
    }

    fn cursor_status(&self, scope: CursorScope, name: &str) -> i32 {
        self.status_of_cursor(scope, name)
    }

    fn trigger_nesting(&self, trigger: Option<ObjectId>) -> i32 {
        let is_it = |level: &&crate::session::level::Level| match (&level.trigger, trigger) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(_), Some(id)) => level.module.as_ref().is_some_and(|m| m.id() == id),
        };
        self.levels.iter().filter(is_it).count() as i32
    }

    fn event_data(&self) -> Option<Arc<str>> {
        match self.levels.last()?.trigger.as_ref()? {
            crate::session::level::TriggerLevel::Event(document) => Some(document.clone()),
            crate::session::level::TriggerLevel::Rows { .. } => None,
        }
    }

    fn random(&self) -> RandomState {
        self.random.get()
    }

    fn set_random(&self, state: RandomState) {
        self.random.set(state);
    }

    fn text_of(&self, handle: &[u8]) -> SqlResult<Option<HandledText>> {
        if !crate::session::authority::sees_server(self) {
            return Err(crate::session::authority::denied_server_state());
        }
        Ok(super::texts::text_of(self, handle))
    }

    fn plan_of(&self, handle: &[u8], start: Option<i64>) -> SqlResult<Option<HandledText>> {
        if !crate::session::authority::sees_server(self) {
            return Err(crate::session::authority::denied_server_state());
        }
        Ok(super::texts::plan_of(self, handle, start))
    }

    fn read_file(&self, path: &str, take: &mut TakeBytes<'_>) -> SqlResult<()> {
        if !self.login_may(WHOLE_SERVER, Permission::AdministerBulkOperations) {
            return Err(SqlError::new(&message::BULK_PERMISSION, &[]));
        }
        let fs = self.instance.env().fs();
        reading::read_whole(fs, self.instance.files(), path, take)
    }

    fn server_rows(
        &self,
        function: ServerRowset,
        args: &[ValueRef<'_>],
        task: &Task<'_>,
    ) -> SqlResult<Vec<Vec<Value>>> {
        let context = FunctionContext { task, instance: &self.instance, facts: self };
        (server_function(function).rows)(&context, args)
    }

    fn random_bytes(&self, bytes: &mut [u8]) {
        self.instance.env().rng().fill(bytes);
    }

    fn sequential_guid(&self) -> [u8; 16] {
        self.instance.sequential_guid()
    }
}

//! Levels: what a module or dynamic SQL has for itself while it runs, and gives back when it ends.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::DefinitionKey;
use engine::catalog::def::{ExecuteAs, ModuleDef, PrincipalId, SchemaId};

use super::call::NESTING_MAX;
use crate::context::Context;
use crate::ddl::is_private;
use crate::fault::Run;
use crate::program::Program;
use crate::session::identity::{Impersonation, Protection};
use crate::session::level::Level;

/// What a level takes of the stack at most, but for the compilation of its statements.
const LEVEL_BYTES: usize = if cfg!(debug_assertions) { 768 << 10 } else { 256 << 10 };

impl Context<'_> {
    /// Runs a function at a level of its own, for a module or dynamic SQL, and gives with its
    /// result the severest error that was reported in it.
    pub(crate) fn in_level<T>(
        &mut self,
        program: &Program,
        trigger: Option<crate::session::level::TriggerLevel>,
        run: impl FnOnce(&mut Context<'_>) -> Run<T>,
    ) -> (Run<T>, u8) {
        // Levels nest on the stack, too, with what runs a statement at each.
        let _ = base::stack::reserve(LEVEL_BYTES);
        let nesting = self.session.levels.last().map_or(0, |level| level.nesting + 1);
        if nesting > NESTING_MAX {
            let error = SqlError::new(&message::NESTING_LEVEL_EXCEEDED, &[&NESTING_MAX]);
            return (Err(error.into()), 0);
        }
        let insert_exec = self.session.levels.last().is_some_and(|level| level.insert_exec);
        let of_database = |m: &&Arc<ModuleDef>| !m.header.ms_shipped && !m.is_temporary();
        let schema = program.module.as_ref().filter(of_database).map(|m| m.header.schema);
        // Triggers on the database or the server are in no schema.
        let schema = schema.filter(|schema| *schema >= SchemaId::DBO);
        self.session.levels.push(Level {
            kind: program.kind,
            module: program.module.clone(),
            database: program.database,
            schema,
            identity: None,
            caught: Vec::new(),
            trigger,
            nesting,
            insert_exec,
            cursors: Default::default(),
            severity: 0,
        });
        let reads = std::mem::take(&mut self.session.reads);
        let options = self.session.options.clone();
        // What the server reads for itself hides nothing; a module that this calls is not its own.
        self.session.options.sees_all_rows &= program.module.is_none();
        let inherits_from = self.session.inherits_from;
        let identity_insert = self.session.identity_insert;
        let database = self.session.database;
        let result = match self.impersonate_for(program) {
            Ok(()) => self.check_table_types(program).and_then(|()| run(self)),
            Err(error) => Err(error.into()),
        };
        let severity = self.session.level().severity;
        self.restore_options(options);
        self.session.inherits_from = inherits_from;
        self.session.identity_insert = identity_insert;
        self.session.reads = reads;
        let ended = self.end_level();
        let back = match self.session.database == database {
            true => Ok(()),
            false => {
                let from = self.session.database;
                self.session.change_database(database).and_then(|()| self.tell_database(from, None))
            }
        };
        match (result, ended.and(back)) {
            (Ok(_), Err(error)) => (Err(error.into()), severity),
            (result, _) => (result, severity),
        }
    }

    /// The options are the caller's again.
    fn restore_options(&mut self, options: crate::options::Options) {
        let (before, after) = (self.session.options.settings, options.settings);
        if before.lock_timeout != after.lock_timeout {
            self.session.entry.owner.set_lock_timeout(i64::from(after.lock_timeout));
        }
        if self.session.options.deadlock_priority != options.deadlock_priority {
            self.session.entry.owner.set_deadlock_priority(options.deadlock_priority);
        }
        if before.textsize != after.textsize {
            self.writer.set_text_size(usize::try_from(after.textsize).unwrap_or(usize::MAX));
        }
        self.session.options = options;
    }

    /// A module's `EXECUTE AS`. In natively compiled ones nothing would see it.
    fn impersonate_for(&mut self, program: &Program) -> base::SqlResult<()> {
        let Some(module) = program.module.as_deref().filter(|m| !m.native) else { return Ok(()) };
        let database = program.database;
        let Some(principal) = self.principal_of(database, module)? else { return Ok(()) };
        if module.event_trigger().is_some_and(|trigger| trigger.server) {
            return self.impersonate_login(principal);
        }
        let Some((login, confined)) = self.session.context_of(database, principal)? else {
            return Err(self.cannot_act_as(database, principal)?);
        };
        self.impersonate(Impersonation {
            login,
            confined: Some(confined),
            database,
            level: self.session.levels.len(),
            protection: Protection::Clause,
        })
    }

    /// The `EXECUTE AS` of a trigger on the server. Error 15406.
    fn impersonate_login(&mut self, login: PrincipalId) -> base::SqlResult<()> {
        let master = self.session.instance.databases().master().current();
        let login = master
            .server()
            .logins()
            .get(login)
            .cloned()
            .ok_or_else(|| SqlError::new(&message::LOGIN_CANNOT_EXECUTE_AS, &[&login.0]))?;
        self.impersonate(Impersonation {
            login,
            confined: None,
            database: DbId::MASTER,
            level: self.session.levels.len(),
            protection: Protection::Clause,
        })
    }

    /// The principal as which a module runs; none for its caller.
    pub(super) fn principal_of(
        &self,
        database: DbId,
        module: &ModuleDef,
    ) -> base::SqlResult<Option<PrincipalId>> {
        Ok(match module.execute_as {
            ExecuteAs::Caller => None,
            ExecuteAs::Principal(id) => Some(id),
            ExecuteAs::Owner => {
                let schema = self.schema(database)?;
                let of_schema = schema.schemas().get(module.header.schema).map(|s| s.owner);
                Some(module.header.owner.or(of_schema).unwrap_or(PrincipalId::DBO))
            }
        })
    }

    /// Error 15517: the session cannot act as the principal.
    pub(super) fn cannot_act_as(
        &self,
        database: DbId,
        principal: PrincipalId,
    ) -> base::SqlResult<SqlError> {
        let schema = self.schema(database)?;
        let name = schema.principals().get(principal).map_or("".into(), |p| p.name.clone());
        Ok(SqlError::new(&message::PRINCIPAL_CANNOT_EXECUTE_AS, &[&name]))
    }

    /// The current level has ended: drops what belongs to it.
    fn end_level(&mut self) -> base::SqlResult<()> {
        let level = self.session.levels.len();
        let mut dropped = Ok(());
        if !self.session.temporary.is_empty() && level > 1 {
            let ended = self.session.temporary.end_level(level);
            if self.in_user_transaction() {
                self.session.temporary.leave_behind(&ended);
            }
            dropped = self.drop_temporary(&ended);
        }
        if self.session.identity.end_level(level) {
            self.tell_login();
        }
        self.end_cursors();
        self.session.levels.pop();
        dropped
    }

    /// Drops the temporary tables of levels that have ended in a transaction, where its rollback
    /// has brought them back. Called at the end of a request.
    pub(crate) fn drop_left_behind(&mut self) {
        if self.in_user_transaction() {
            return;
        }
        let left = self.session.temporary.take_left_behind();
        if self.drop_temporary(&left).is_err() {
            self.session.temporary.leave_behind(&left);
        }
    }

    /// The session has ended or begins anew: drops its temporary tables.
    ///
    /// Global ones may be in use by other sessions. Such tables are left to whichever session ends
    /// next.
    pub(crate) fn end_temporary(&mut self) -> base::SqlResult<()> {
        let ended = self.session.temporary.end_session();
        if ended.is_empty() && !self.session.instance.has_left_temporary() {
            return Ok(());
        }
        let tempdb = self.schema(DbId::TEMPDB)?;
        let is_own =
            |id: &ObjectId| tempdb.object(*id).is_some_and(|object| is_private(object.name()));
        let (own, global): (Vec<ObjectId>, Vec<ObjectId>) = ended.into_iter().partition(is_own);
        let dropped = self.drop_temporary(&own);
        let left = self.session.instance.take_left_temporary();
        let in_use = |id: &ObjectId| self.undisturbed(0, |it| it.drop_in_tempdb(&[*id])).is_err();
        let in_use = global.into_iter().chain(left).filter(in_use).collect();
        self.session.instance.leave_temporary(in_use);
        dropped
    }

    /// Drops temporary tables that are this session's alone, whether or not the statement is
    /// interrupted and whatever LOCK_TIMEOUT says: nothing would do it later. Only work of the
    /// server itself can be inside one, and that is soon done.
    fn drop_temporary(&mut self, tables: &[ObjectId]) -> base::SqlResult<()> {
        match self.session.transaction.is_doomed() {
            true => Ok(()),
            false => self.undisturbed(-1, |it| it.drop_in_tempdb(tables)),
        }
    }

    /// Runs a function to its end; it may wait for other sessions this long at most.
    fn undisturbed<T>(&mut self, timeout_ms: i64, body: impl FnOnce(&mut Self) -> T) -> T {
        let owner = self.session.entry.owner.clone();
        let before = owner.lock_timeout_ms();
        owner.set_lock_timeout(timeout_ms);
        let task = self.task;
        let done = task.undisturbed(|| body(self));
        owner.set_lock_timeout(before);
        done
    }

    fn drop_in_tempdb(&mut self, tables: &[ObjectId]) -> base::SqlResult<()> {
        if tables.is_empty() {
            return Ok(());
        }
        self.definition(|context| {
            let tempdb = context.schema(DbId::TEMPDB)?;
            let mut all = tables.iter().filter_map(|id| tempdb.object(*id));
            if all.any(|object| !is_private(object.name())) {
                context.lock_edit(DbId::TEMPDB)?;
            }
            let tempdb = context.schema(DbId::TEMPDB)?;
            for id in tables.iter().filter(|id| tempdb.object(**id).is_some()) {
                context.change(DbId::TEMPDB, |task, part, edit| {
                    edit.drop(task, part, DefinitionKey::Object(*id))
                })?;
            }
            Ok(())
        })
    }
}

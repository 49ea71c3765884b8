//! Statements about the server: `BACKUP`, `KILL`, `CHECKPOINT`, `RECONFIGURE`,
//! `ALTER SERVER CONFIGURATION`, `SHUTDOWN`, `EXECUTE AS`, `REVERT`.

use std::sync::Arc;

use base::ids::{DbId, SessionId};
use base::{SqlError, Value, message};
use engine::catalog::Definition;
use engine::catalog::def::{ConfigurationDef, Permission, PrincipalId};
use tsql::ast::{self, Literal, StatementKind};

use super::{Fault, Run};
use crate::exec::context::{Context, checkpoint_error};
use crate::exec::program::{Program, Step};
use crate::exec::security::DatabaseUser;
use crate::exec::session::identity::{Impersonation, Protection};
use crate::interp::Frame;

/// Bytes of a cookie.
const COOKIE_LEN: usize = 100;

impl Context<'_> {
    /// Runs a statement about the server; `false` if it is none.
    pub(super) fn administer(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        statement: &ast::Statement,
        frame: &mut Frame,
    ) -> Run<bool> {
        match &statement.kind {
            StatementKind::Checkpoint(_) => {
                self.demand_on_database(self.session.database, Permission::Checkpoint)?;
                self.checkpoint()?;
            }
            StatementKind::Reconfigure { .. } => self.reconfigure()?,
            StatementKind::ServerConfiguration(statement) => self.configure_server(statement)?,
            StatementKind::ResourceGovernor(statement) => self.govern(statement)?,
            StatementKind::Shutdown { no_wait } => {
                if !self.login_may(Permission::Shutdown) {
                    return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
                }
                let name = self.session.identity.login().name.clone();
                self.inform(SqlError::new(&message::SHUTDOWN_BY_LOGIN, &[&name]))
                    .map_err(Fault::lost)?;
                self.session.instance.shut_down(*no_wait);
            }
            StatementKind::Backup(backup) => self.back_up(program, step, backup, frame)?,
            StatementKind::Kill(kill) => self.kill(kill)?,
            StatementKind::Dbcc(dbcc) => self.dbcc(program, step, dbcc, frame)?,
            StatementKind::ExecuteAs(execute) => self.execute_as(program, step, execute, frame)?,
            StatementKind::Revert(cookie) => {
                self.revert(program, step, cookie.as_deref(), frame)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Everything that is committed goes to checkpoint files.
    fn checkpoint(&mut self) -> Run<()> {
        let catalog = self.catalog(self.session.database)?;
        let done = catalog.database().checkpoint(self.task);
        done.map_err(|error| checkpoint_error(&error).into())
    }

    /// Makes configured values effective.
    fn reconfigure(&mut self) -> Run<()> {
        if !self.login_may(Permission::AlterSettings) {
            return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
        }
        self.refuse_in_transaction("RECONFIGURE")?;
        let master = self.schema(DbId::MASTER)?;
        let dynamic = engine::catalog::builtin::CONFIGURATIONS.iter().filter(|c| c.dynamic);
        let changed: Vec<ConfigurationDef> = dynamic
            .filter_map(|known| master.server().configuration(known.id).cloned())
            .filter(|configured| configured.value != configured.in_use)
            .collect();
        self.definition(|context| {
            context.lock_edit(DbId::MASTER)?;
            for configured in changed {
                let now = ConfigurationDef { in_use: configured.value, ..configured };
                context.change(DbId::MASTER, |task, part, edit| {
                    edit.put(task, part, Definition::Configuration(now))
                })?;
            }
            Ok(())
        })?;
        self.session.instance.limit_memory();
        Ok(())
    }

    /// `KILL`. Errors 6101, 6104, 6106.
    fn kill(&mut self, kill: &ast::Kill) -> Run<()> {
        if !self.login_may(Permission::AlterAnyConnection) {
            return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
        }
        let Literal::Integer(id) = kill.target else {
            let shown = match &kill.target {
                Literal::String(text) | Literal::National(text) => text.to_string(),
                _ => String::new(),
            };
            return Err(SqlError::new(&message::KILL_INVALID_SESSION, &[&shown]).into());
        };
        let id = i16::try_from(id).unwrap_or(0);
        if SessionId(id) == self.session.id() {
            return Err(SqlError::new(&message::KILL_SELF, &[]).into());
        }
        match self.session.instance.sessions.get(SessionId(id)) {
            Some(_) if kill.status_only => Ok(()),
            Some(entry) => {
                entry.kill();
                Ok(())
            }
            None => Err(SqlError::new(&message::KILL_UNKNOWN_SESSION, &[&id]).into()),
        }
    }

    /// `EXECUTE AS`. Errors 15406, 15517, 15159.
    fn execute_as(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        execute: &ast::ExecuteAsStatement,
        frame: &mut Frame,
    ) -> Run<()> {
        let (login, user) = match &execute.principal {
            ast::ExecuteAsPrincipal::Caller => return Ok(()),
            ast::ExecuteAsPrincipal::Login(name) => {
                let name = self.text(program, step, frame, name)?.unwrap_or_default();
                (self.impersonated_login(&name)?, None)
            }
            ast::ExecuteAsPrincipal::User(name) => {
                let name = self.text(program, step, frame, name)?.unwrap_or_default();
                let (login, user) = self.impersonated_user(&name)?;
                (login, Some((self.session.database, user, name.into())))
            }
        };
        let protection = match (&execute.cookie, execute.no_revert) {
            (Some(_), _) => {
                let mut cookie = vec![0; COOKIE_LEN];
                self.session.instance.env().rng().fill(&mut cookie);
                Protection::Cookie(cookie.into())
            }
            (None, true) => Protection::NoRevert,
            (None, false) => Protection::None,
        };
        if let (Some(variable), Protection::Cookie(cookie)) = (&execute.cookie, &protection) {
            let (id, _) = program.variables.find_scalar(&variable.name, step.declared)?;
            frame.set_owned(id, &Value::Bytes(cookie.clone()));
        }
        let impersonation = Impersonation {
            login,
            user,
            database: self.session.database,
            level: self.session.levels.len(),
            protection,
        };
        if !self.session.identity.impersonate(impersonation) {
            return Err(SqlError::new(&message::IMPERSONATION_TOO_DEEP, &[&32]).into());
        }
        self.tell_login();
        Ok(())
    }

    fn impersonated_login(&self, name: &str) -> Run<Arc<engine::catalog::def::LoginDef>> {
        let master = self.session.instance.databases().master().current();
        let is_self = self.session.identity.login().name.eq_ignore_ascii_case(name);
        let found = master.find_login(name).filter(|login| {
            login.kind != engine::catalog::def::PrincipalKind::Role
                && (is_self || self.session.is_sysadmin() || {
                    use engine::catalog::def::{Securable, SecurableClass as C};
                    let target =
                        Securable { class: C::ServerPrincipal, major: login.id.0, minor: 0 };
                    let me = self.session.identity.login().id;
                    crate::exec::security::login_may(&master, me, target, Permission::Impersonate)
                })
        });
        found
            .cloned()
            .ok_or_else(|| SqlError::new(&message::LOGIN_CANNOT_EXECUTE_AS, &[&name]).into())
    }

    fn impersonated_user(
        &self,
        name: &str,
    ) -> Run<(Arc<engine::catalog::def::LoginDef>, Arc<DatabaseUser>)> {
        use engine::catalog::def::{PrincipalKind, Securable, SecurableClass as C};
        let database = self.session.database;
        let schema = self.schema(database)?;
        let me = self.user(database)?;
        let found = schema.find_principal(name).filter(|user| {
            let target = Securable { class: C::DatabasePrincipal, major: user.id.0, minor: 0 };
            let may =
                me.is_owner || me.id == user.id || me.may(&schema, target, Permission::Impersonate);
            user.kind != PrincipalKind::Role && may
        });
        let Some(user) = found else {
            return Err(SqlError::new(&message::PRINCIPAL_CANNOT_EXECUTE_AS, &[&name]).into());
        };
        let master = self.session.instance.databases().master().current();
        let login = user.sid.as_deref().and_then(|sid| master.server().login_with_sid(sid));
        // Somebody without a login of their own is nobody at the server.
        let login = login.cloned().unwrap_or_else(|| {
            let mut nobody = (**self.session.identity.original()).clone();
            nobody.id = PrincipalId::SERVER_PUBLIC;
            nobody.name = user.name.clone();
            nobody.roles = Vec::new();
            Arc::new(nobody)
        });
        Ok((login, Arc::new(DatabaseUser::of(&schema, user))))
    }

    /// `REVERT`. Error 15199.
    fn revert(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        cookie: Option<&ast::Expr>,
        frame: &mut Frame,
    ) -> Run<()> {
        let given = match cookie {
            Some(cookie) => Some(self.value_of(program, step, frame, cookie, None)?.0),
            None => None,
        };
        let level = self.session.levels.len();
        let Some(top) = self.session.identity.top().filter(|top| top.level == level) else {
            return Ok(());
        };
        if top.database != self.session.database {
            let name = self.session.instance.database_name(top.database);
            return Err(SqlError::new(&message::REVERT_WRONG_DATABASE, &[&name]).into());
        }
        let right = match (&top.protection, &given) {
            (Protection::None, None) => true,
            (Protection::Cookie(cookie), Some(Value::Bytes(given))) => cookie == given,
            _ => false,
        };
        if !right {
            return Err(SqlError::new(&message::NO_PERMISSION_FOR_ACTION, &[]).into());
        }
        self.session.identity.revert();
        self.tell_login();
        Ok(())
    }

    /// Lets others see on whose behalf the session acts.
    fn tell_login(&mut self) {
        let login = self.session.identity.login();
        self.session.entry.status().login = (login.id, login.name.clone());
    }
}

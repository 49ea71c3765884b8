//! Statements about the server: `BACKUP`, `KILL`, `CHECKPOINT`, `RECONFIGURE`,
//! `ALTER SERVER CONFIGURATION`, `SHUTDOWN`, `EXECUTE AS`, `REVERT`.

use std::sync::Arc;

use base::ids::{DbId, SessionId};
use base::{SqlError, SqlResult, message};
use engine::catalog::Definition;
use engine::catalog::def::{ConfigurationDef, Permission};
use run::interp::Frame;
use tsql::ast::{self, Literal, StatementKind};

use crate::context::{Context, checkpoint_error};
use crate::fault::{Fault, Run};
use crate::instance::setting;
use crate::program::{Program, Step};

impl Context<'_> {
    /// Runs a statement about the server; `false` if it is none.
    pub(crate) fn administer(
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
            StatementKind::Reconfigure { with_override } => self.reconfigure(*with_override)?,
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

    /// Makes configured values effective. Errors 297, 574, 12818, 12830.
    fn reconfigure(&mut self, with_override: bool) -> Run<()> {
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
        let disrupts = self.disrupts_contained(&changed, with_override)?;
        self.definition(|context| {
            context.lock_edit(DbId::MASTER)?;
            for &configured in &changed {
                let now = ConfigurationDef { in_use: configured.value, ..configured };
                context.change(DbId::MASTER, |task, part, edit| {
                    edit.put(task, part, Definition::Configuration(now))
                })?;
            }
            Ok(())
        })?;
        self.session.instance.limit_memory();
        if disrupts {
            let told = SqlError::new(&message::CONTAINED_DATABASES_DISRUPTED, &[]);
            self.inform(told).map_err(Fault::lost)?;
        }
        Ok(())
    }

    /// Whether new settings take the contained databases' users their way in. Errors 12818, 12830.
    fn disrupts_contained(
        &self,
        changed: &[ConfigurationDef],
        with_override: bool,
    ) -> SqlResult<bool> {
        let master = self.schema(DbId::MASTER)?;
        if !master.server().databases().iter().any(|database| database.options.contained) {
            return Ok(false);
        }
        let options = |c: &ConfigurationDef| c.id == setting::USER_OPTIONS && c.value != 0;
        if changed.iter().any(options) {
            return Err(SqlError::new(&message::CONTAINED_USER_OPTIONS, &[]));
        }
        let off = |c: &ConfigurationDef| c.id == setting::CONTAINED_AUTHENTICATION && c.value == 0;
        let disrupts = changed.iter().any(off);
        match disrupts && !with_override {
            true => Err(SqlError::new(&message::CONTAINED_DATABASES_REMAIN, &[])),
            false => Ok(disrupts),
        }
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
}

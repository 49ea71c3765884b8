//! `DBCC`: checks of what is stored ([`check`], [`constraints`]), files that become shorter ([`shrink`]), how full logs are
//! ([`performance`]), and what sessions and the server are up to ([`state`]).
//!
//! Whatever a command finds wrong with data is sent as an error of its own; the command itself goes on and
//! succeeds.

mod check;
mod constraints;
mod error_log;
mod performance;
mod shrink;
mod state;
mod storage;

use std::sync::Arc;

use base::convert::display;
use base::ids::{DbId, ObjectId};
use base::{SqlError, Value, message};
use engine::catalog::def::{Permission, TableDef};
use tsql::ast::{self, Literal};

use super::callee::parse_name;
use super::{Fault, Run};
use crate::exec::context::{Context, engine_error};
use crate::exec::program::{Program, Step};
use crate::exec::security;
use crate::interp::Frame;

type Shown<'a> = &'a dyn std::fmt::Display;

/// What may stand behind `WITH`; commands ignore what means nothing to them.
const OPTIONS: [&str; 12] = [
    "ALL_CONSTRAINTS",
    "ALL_ERRORMSGS",
    "COUNT_ROWS",
    "DATA_PURITY",
    "ESTIMATEONLY",
    "EXTENDED_LOGICAL_CHECKS",
    "MAXDOP",
    "MARK_IN_USE_FOR_REMOVAL",
    "NO_INFOMSGS",
    "PHYSICAL_ONLY",
    "TABLERESULTS",
    "TABLOCK",
];

impl Context<'_> {
    /// `DBCC`. Errors 2526 for commands that mean nothing here, 2532 for options.
    pub(super) fn dbcc(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        dbcc: &ast::Dbcc,
        frame: &mut Frame,
    ) -> Run<()> {
        if dbcc.options.iter().any(|option| !OPTIONS.contains(&&**option)) {
            return Err(SqlError::new(&message::DBCC_OPTION_INVALID, &[]).into());
        }
        match &*dbcc.command {
            "FREEPROCCACHE" | "FREESYSTEMCACHE" => self.session.instance.plans.clear(),
            "DROPCLEANBUFFERS" => {
                if let Some(pool) = self.session.instance.host().pages.existing() {
                    pool.drop_clean();
                }
            }
            "FREESESSIONCACHE" | "UPDATEUSAGE" | "TRACEON" | "TRACEOFF" | "CLEANTABLE"
            | "TRACESTATUS" => {}
            "ERRORLOG" => self.cycle_error_log()?,
            "SHRINKDATABASE" => self.shrink_database(dbcc)?,
            "SHRINKFILE" => self.shrink_file(dbcc)?,
            "CHECKDB" | "CHECKALLOC" | "CHECKCATALOG" => self.check_database(dbcc)?,
            "CHECKTABLE" => self.check_one_table(dbcc)?,
            "CHECKCONSTRAINTS" => self.check_constraints(dbcc)?,
            "CHECKIDENT" => self.check_identity(program, step, dbcc, frame)?,
            "INPUTBUFFER" => self.input_buffer(dbcc)?,
            "OPENTRAN" => self.open_transaction(dbcc)?,
            "DBREINDEX" => self.rebuild_indexes(dbcc)?,
            "CHECKFILEGROUP" => self.check_file_group(dbcc)?,
            "SQLPERF" => self.performance(dbcc)?,
            "USEROPTIONS" => self.user_options()?,
            _ => return Err(SqlError::new(&message::DBCC_UNKNOWN, &[]).into()),
        }
        match informs(dbcc) {
            true => self.tell(SqlError::new(&message::DBCC_COMPLETED, &[])),
            false => Ok(()),
        }
    }

    fn tell(&mut self, message: SqlError) -> Run<()> {
        self.inform(message).map_err(Fault::lost)
    }

    /// Error 2571 unless the session's user owns a database.
    fn demand_owner(&self, database: DbId, command: &str) -> Run<()> {
        let user = self.user(database)?;
        if user.is_owner || self.may(database, security::WHOLE_DATABASE, Permission::Control) {
            return Ok(());
        }
        let login = self.session.identity.login().name.clone();
        Err(SqlError::new(&message::DBCC_PERMISSION, &[&login, &command]).into())
    }

    /// The table that an argument names, or whose id it is. Error 2501.
    fn dbcc_table(&self, argument: Option<&ast::Expr>) -> Run<(DbId, Arc<TableDef>)> {
        let Some(argument) = argument else {
            return Err(SqlError::new(&message::DBCC_UNKNOWN, &[]).into());
        };
        if let ast::ExprKind::Literal(Literal::Integer(id)) = argument.kind {
            let database = self.database();
            let schema = self.schema(database)?;
            let table = schema.table(ObjectId(id)).cloned();
            let unknown = || SqlError::new(&message::DBCC_OBJECT_NOT_FOUND, &[&id]);
            return Ok((database, table.ok_or_else(unknown)?));
        }
        let name = word(argument);
        let parsed = parse_name(&name).ok();
        let found = parsed.map(|name| self.find_table(&name)).transpose()?;
        found
            .flatten()
            .ok_or_else(|| SqlError::new(&message::DBCC_OBJECT_NOT_FOUND, &[&name]).into())
    }

    /// The database that an argument names, or whose id it is; the current one without, and for 0.
    /// Errors 2520, 2521.
    fn dbcc_database(&self, argument: Option<&ast::Expr>) -> Run<DbId> {
        let instance = &self.session.instance;
        let Some(argument) = argument else { return Ok(self.database()) };
        let found = match &argument.kind {
            ast::ExprKind::Literal(Literal::Integer(0)) => return Ok(self.database()),
            ast::ExprKind::Literal(Literal::Integer(id)) => {
                let unknown = || SqlError::new(&message::DBCC_DATABASE_ID_NOT_FOUND, &[id]);
                instance.database_def(DbId(*id)).ok_or_else(unknown)
            }
            _ => {
                let name = word(argument);
                let unknown = || SqlError::new(&message::DBCC_DATABASE_NOT_FOUND, &[&name]);
                instance.find_database(&name).ok_or_else(unknown)
            }
        };
        Ok(found?.id)
    }

    /// `DBCC CHECKIDENT`. Errors 2501, 2560, 7997.
    fn check_identity(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        dbcc: &ast::Dbcc,
        frame: &mut Frame,
    ) -> Run<()> {
        let words: Vec<String> = dbcc.arguments.iter().map(word).collect();
        let name = words.first().cloned().unwrap_or_default();
        let (database, table) = self.dbcc_table(dbcc.arguments.first())?;
        self.demand_on_object(database, table.id(), Permission::Alter)?;
        let catalog = self.catalog(database)?;
        let stored = catalog.table(&table);
        let counter = stored.as_ref().and_then(|stored| stored.identity());
        let (Some(stored), Some(counter)) = (&stored, counter) else {
            return Err(SqlError::new(&message::DBCC_CHECKIDENT_NO_IDENTITY, &[&name]).into());
        };
        let position = counter.position();
        let current = match position.used {
            true => counter.current().to_string(),
            false => "NULL".to_owned(),
        };
        let reseeds = words.get(1).is_none_or(|w| w.eq_ignore_ascii_case("RESEED"));
        if let Some(value) = dbcc.arguments.get(2).filter(|_| reseeds) {
            let value = self.integer(program, step, frame, value)?;
            let value =
                value.ok_or_else(|| SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&3]))?;
            let reseeded = catalog.database().reseed_identity(self.task, stored, value);
            let end = reseeded.map_err(|error| Fault::from(engine_error(&error)))?;
            self.session.access(database)?.place.note_shown(end);
        }
        if informs(dbcc) {
            let args: [Shown; 2] = [&current, &current];
            self.tell(SqlError::new(&message::DBCC_CHECKIDENT_CURRENT, &args))?;
        }
        Ok(())
    }
}

/// Whether informational messages are wanted.
fn informs(dbcc: &ast::Dbcc) -> bool {
    !has_option(dbcc, "NO_INFOMSGS")
}

fn has_option(dbcc: &ast::Dbcc, wanted: &str) -> bool {
    dbcc.options.iter().any(|option| &**option == wanted)
}

/// An argument as a word.
fn word(argument: &ast::Expr) -> String {
    match &argument.kind {
        ast::ExprKind::Literal(Literal::String(text) | Literal::National(text)) => text.to_string(),
        ast::ExprKind::Literal(Literal::Integer(value)) => {
            display(Value::Int(i64::from(*value)).as_ref(), &base::SqlType::int())
        }
        ast::ExprKind::Column(column) => match &column.qualifier {
            Some(qualifier) => format!("{qualifier}.{}", column.column.name),
            None => column.column.name.to_string(),
        },
        _ => String::new(),
    }
}

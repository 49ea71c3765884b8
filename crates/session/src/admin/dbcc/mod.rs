//! `DBCC`: checks of what is stored ([`check`], [`constraints`]), files that become shorter
//! ([`shrink`]), how trees lie in them ([`fragmentation`]), how full logs are and what they consist
//! of ([`performance`], [`log`]), what values columns have ([`statistics`]), and what sessions and
//! the server are up to ([`state`]).
//!
//! Whatever a command finds wrong with data is sent as an error of its own; the command itself goes
//! on and succeeds.

mod check;
mod constraints;
mod error_log;
mod fragmentation;
mod histogram;
mod log;
mod performance;
mod shrink;
mod state;
mod statistics;
mod storage;

use std::borrow::Cow;
use std::sync::Arc;

use base::convert::display;
use base::ids::{DbId, ObjectId};
use base::{SqlError, Value, message};
use engine::catalog::def::{Permission, TableDef};
use run::interp::Frame;
use tsql::ast::{self, Literal};

use crate::context::{Context, engine_error};
use crate::fault::{Fault, Run};
use crate::names::callee::parse_name;
use crate::program::{Program, Step};
use crate::security;

type Shown<'a> = &'a dyn std::fmt::Display;

/// What may stand after `WITH`; commands ignore what means nothing to them.
const OPTIONS: [&str; 18] = [
    "ALL_CONSTRAINTS",
    "ALL_ERRORMSGS",
    "ALL_INDEXES",
    "ALL_LEVELS",
    "COUNT_ROWS",
    "DATA_PURITY",
    "DENSITY_VECTOR",
    "ESTIMATEONLY",
    "EXTENDED_LOGICAL_CHECKS",
    "FAST",
    "HISTOGRAM",
    "MAXDOP",
    "MARK_IN_USE_FOR_REMOVAL",
    "NO_INFOMSGS",
    "PHYSICAL_ONLY",
    "STAT_HEADER",
    "TABLERESULTS",
    "TABLOCK",
];

/// A command.
struct Command {
    name: &'static str,
    needs: Needs,
    kind: Kind,
}

/// What a command does.
#[derive(Clone, Copy)]
enum Kind {
    CheckConstraints,
    CheckDatabase,
    CheckFileGroup,
    CheckIdentity,
    CheckTable,
    ClearPlans,
    CycleErrorLog,
    DropCleanBuffers,
    InputBuffer,
    LogInfo,
    /// There is nothing to be done here that the command is for.
    Nothing,
    OpenTransaction,
    Performance,
    RebuildIndexes,
    ShowFragmentation,
    ShowStatistics,
    ShrinkDatabase,
    ShrinkFile,
    UserOptions,
}

/// What a session needs to give a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Needs {
    /// Nothing.
    Nothing,
    /// A permission on the server.
    Server(Permission),
    /// To be an administrator of the server.
    Administrator,
    /// To be an owner of the session's database.
    Owner,
    /// It depends on the arguments: the command looks itself.
    Argument,
}

/// The commands, each with what it needs.
const COMMANDS: &[Command] = {
    const fn command(name: &'static str, needs: Needs, kind: Kind) -> Command {
        Command { name, needs, kind }
    }
    use Kind as K;
    use Needs as N;
    use Permission as P;
    &[
        command("CHECKALLOC", N::Argument, K::CheckDatabase),
        command("CHECKCATALOG", N::Argument, K::CheckDatabase),
        command("CHECKCONSTRAINTS", N::Argument, K::CheckConstraints),
        command("CHECKDB", N::Argument, K::CheckDatabase),
        command("CHECKFILEGROUP", N::Owner, K::CheckFileGroup),
        command("CHECKIDENT", N::Argument, K::CheckIdentity),
        command("CHECKTABLE", N::Argument, K::CheckTable),
        command("CLEANTABLE", N::Owner, K::Nothing),
        command("DBREINDEX", N::Argument, K::RebuildIndexes),
        command("DROPCLEANBUFFERS", N::Server(P::AlterServerState), K::DropCleanBuffers),
        command("ERRORLOG", N::Administrator, K::CycleErrorLog),
        command("FREEPROCCACHE", N::Server(P::AlterServerState), K::ClearPlans),
        command("FREESESSIONCACHE", N::Server(P::AlterServerState), K::Nothing),
        command("FREESYSTEMCACHE", N::Server(P::AlterServerState), K::ClearPlans),
        command("INPUTBUFFER", N::Argument, K::InputBuffer),
        command("LOGINFO", N::Administrator, K::LogInfo),
        command("OPENTRAN", N::Argument, K::OpenTransaction),
        command("SHOWCONTIG", N::Argument, K::ShowFragmentation),
        command("SHOW_STATISTICS", N::Argument, K::ShowStatistics),
        command("SHRINKDATABASE", N::Argument, K::ShrinkDatabase),
        command("SHRINKFILE", N::Argument, K::ShrinkFile),
        command("SQLPERF", N::Argument, K::Performance),
        command("TRACEOFF", N::Administrator, K::Nothing),
        command("TRACEON", N::Administrator, K::Nothing),
        command("TRACESTATUS", N::Nothing, K::Nothing),
        command("UPDATEUSAGE", N::Owner, K::Nothing),
        command("USEROPTIONS", N::Nothing, K::UserOptions),
    ]
};

impl Command {
    fn find(name: &str) -> Option<&'static Command> {
        COMMANDS.iter().find(|command| command.name == name)
    }
}

impl Context<'_> {
    /// Checks that the session may run a command. Error 2571.
    fn demand_for(&self, command: &Command) -> Run<()> {
        let may = match command.needs {
            Needs::Nothing | Needs::Argument => true,
            Needs::Server(permission) => self.login_may(permission),
            Needs::Administrator => self.session.is_sysadmin(),
            Needs::Owner => return self.demand_owner(self.database(), command.name),
        };
        match may {
            true => Ok(()),
            false => Err(self.not_for(command.name).into()),
        }
    }

    /// Error 2571: the session may not run the command.
    fn not_for(&self, command: &str) -> SqlError {
        let login = &self.session.identity.login().name;
        let args: [Shown; 2] = [login, &command];
        SqlError::new(&message::DBCC_PERMISSION, &args)
    }

    /// `DBCC`. Errors 2526 for commands that mean nothing here, 2532 for options.
    pub(crate) fn dbcc(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        dbcc: &ast::Dbcc,
        frame: &mut Frame,
    ) -> Run<()> {
        if dbcc.options.iter().any(|option| !OPTIONS.contains(&&**option)) {
            return Err(SqlError::new(&message::DBCC_OPTION_INVALID, &[]).into());
        }
        let Some(command) = Command::find(&dbcc.command) else {
            return Err(SqlError::new(&message::DBCC_UNKNOWN, &[]).into());
        };
        self.demand_for(command)?;
        let dbcc = &*self.with_values(program, step, dbcc, frame)?;
        match command.kind {
            Kind::ClearPlans => self.session.instance.plans.clear(),
            Kind::DropCleanBuffers => {
                if let Some(pool) = self.session.instance.host().pages.existing() {
                    pool.drop_clean();
                    pool.clear_row_caches();
                }
            }
            Kind::Nothing => {}
            Kind::CycleErrorLog => self.cycle_error_log()?,
            Kind::RebuildIndexes => self.rebuild_indexes(dbcc)?,
            Kind::CheckFileGroup => self.check_file_group(dbcc)?,
            Kind::ShrinkDatabase => self.shrink_database(dbcc)?,
            Kind::ShrinkFile => self.shrink_file(dbcc)?,
            Kind::CheckDatabase => self.check_database(dbcc)?,
            Kind::CheckTable => self.check_one_table(dbcc)?,
            Kind::CheckConstraints => self.check_constraints(dbcc)?,
            Kind::CheckIdentity => self.check_identity(program, step, dbcc, frame)?,
            Kind::InputBuffer => self.input_buffer(dbcc)?,
            Kind::LogInfo => self.log_info(dbcc)?,
            Kind::ShowFragmentation => self.show_fragmentation(dbcc)?,
            Kind::ShowStatistics => self.show_statistics(dbcc, step.line)?,
            Kind::OpenTransaction => self.open_transaction(dbcc)?,
            Kind::Performance => self.performance(dbcc)?,
            Kind::UserOptions => self.user_options()?,
        }
        match informs(dbcc) {
            true => self.tell(SqlError::new(&message::DBCC_COMPLETED, &[])),
            false => Ok(()),
        }
    }

    /// A command with the values of variables in their places. Error 2560 for NULL.
    fn with_values<'d>(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        dbcc: &'d ast::Dbcc,
        frame: &mut Frame,
    ) -> Run<Cow<'d, ast::Dbcc>> {
        let mut dbcc = Cow::Borrowed(dbcc);
        for at in 0..dbcc.arguments.len() {
            let argument = &dbcc.arguments[at];
            if !matches!(argument.kind, ast::ExprKind::Variable(_)) {
                continue;
            }
            let literal = match self.value_of(program, step, frame, argument, None)? {
                (Value::Null, _) => {
                    return Err(
                        SqlError::new(&message::DBCC_PARAMETER_INVALID, &[&(at + 1)]).into()
                    );
                }
                (Value::Int(value), _) if i32::try_from(value).is_ok() => {
                    Literal::Integer(value as i32)
                }
                (value, ty) => Literal::National(display(value.as_ref(), &ty).into()),
            };
            dbcc.to_mut().arguments[at].kind = ast::ExprKind::Literal(literal);
        }
        Ok(dbcc)
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
        Err(self.not_for(command).into())
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

#[cfg(test)]
mod tests;

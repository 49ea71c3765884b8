//! What the steps of a program do.
//!
//! # The life of a program's run
//!
//! The caller has put a [`Level`](crate::session::level::Level) on the session's stack and made a
//! frame with the parameters' values. [`Context::run_program`] walks the steps. A step that fails
//! gives a [`Fault`]: the error, and what it ends. The nearest `TRY` of this program takes it; or
//! it goes to the caller, if a `TRY` is around the call; or it is sent to the client, and ends what
//! it ends.
//!
//! # Where things are
//!
//! * [`failure`]: what a failed statement leaves.
//! * [`data`]: statements that read or change data. [`into`], [`insert_exec`]: statements of two
//!   halves.
//! * [`expression`]: variables, conditions.
//! * [`call`], [`dynamic`], [`canonical`], [`result_sets`]: `EXEC`.
//! * [`events`]: triggers that wait for changes of the catalog, and for logins.
//! * [`function`], [`trigger`], [`native`]: modules that statements run. [`host`]: what their units
//!   ask of the session.
//! * [`transaction`], [`set`], [`showplan`], [`statistics`], [`message`], [`wait`],
//!   [`impersonate`]: as their names say.
//! * [`format_only`]: `FMTONLY`: only the columns of results.

pub mod call;
pub mod canonical;
mod commands;
pub mod data;
pub mod documents;
mod dynamic;
pub(crate) mod events;
pub mod expression;
pub(crate) mod failure;
mod format_only;
pub mod function;
pub mod host;
mod impersonate;
pub mod insert_exec;
pub mod into;
pub mod level;
mod memory;
pub mod message;
pub mod native;
pub mod result_sets;
pub mod rows;
mod set;
pub mod showplan;
pub mod statistics;
pub mod transaction;
pub mod trigger;
pub mod wait;

use std::sync::Arc;

use base::{SqlError, SqlResult, Value, message as messages};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::instance::activity::Activity;
use crate::program::{Program, ProgramKind, Step, StepId, StepKind};
use crate::response::{DoneScope, StatementDone, command};
use run::interp::Frame;

/// Where a step goes on.
#[derive(Debug)]
pub enum Flow {
    /// At the next one.
    Next,
    /// There.
    Jump(StepId),
    /// The program is done.
    Return(Option<Value>),
}

impl Context<'_> {
    /// Runs a program from its first step. The value is what `RETURN` says.
    pub(crate) fn run_program(
        &mut self,
        program: &Arc<Program>,
        frame: &mut Frame,
    ) -> Run<Option<Value>> {
        let mut at: StepId = 0;
        while let Some(step) = program.steps.get(at as usize) {
            let level = self.session.level_mut();
            level.caught.truncate(usize::from(step.catch_depth));
            let handled = u32::from(step.handler.is_some());
            self.session.left.handlers += handled;
            let done = self.step(program, step, frame);
            self.session.left.handlers -= handled;
            at = match done {
                Ok(Flow::Next) => {
                    self.tell_reads()?;
                    self.tell_arithmetic().map_err(Fault::lost)?;
                    at + 1
                }
                Ok(Flow::Jump(to)) => {
                    self.tell_reads()?;
                    self.tell_arithmetic().map_err(Fault::lost)?;
                    if let Err(fault) = self.check_interrupt() {
                        return Err(self.end_request(fault));
                    }
                    to
                }
                Ok(Flow::Return(value)) => return Ok(value),
                Err(fault) => {
                    self.session.reads.clear();
                    self.fault(program, step, at, fault)?
                }
            };
        }
        Ok(None)
    }

    /// Lets other sessions have their turn; the fault of a request that was cancelled.
    pub(crate) fn check_interrupt(&self) -> Run<()> {
        self.task.checkpoint().map_err(|_| Fault::cancelled())
    }

    fn step(&mut self, program: &Arc<Program>, step: &Step, frame: &mut Frame) -> Run<Flow> {
        if let Some(activity) = Activity::of(&step.kind) {
            self.session.entry.activity.set(activity);
        }
        if self.session.options.no_exec && !matches!(step.kind, StepKind::SetOption(_)) {
            self.plan_of(program, step)?;
            return Ok(Flow::Next);
        }
        if self.session.options.format_only {
            return self.format_step(program, step, frame);
        }
        match &step.kind {
            StepKind::Nothing => {}
            StepKind::Jump(to) => return Ok(Flow::Jump(*to)),
            StepKind::JumpUnless(_, to) => {
                let holds = self.condition(program, step, frame)?;
                return Ok(if holds { Flow::Next } else { Flow::Jump(*to) });
            }
            StepKind::Data(_) => self.data(program, step, frame)?,
            StepKind::Assign { declaration, .. } => {
                self.assign(program, step, frame, *declaration)?;
            }
            StepKind::Return(None) => return Ok(Flow::Return(None)),
            StepKind::Return(Some(_)) => {
                return Ok(Flow::Return(Some(self.value(program, step, frame)?)));
            }
            StepKind::Print(_) => self.print(program, step, frame)?,
            StepKind::Throw(throw) => self.throw(program, step, throw.as_deref(), frame)?,
            StepKind::RaiseError(raise) => self.raise_error(program, step, raise, frame)?,
            StepKind::WaitFor(wait) => self.wait_for(program, step, wait, frame)?,
            StepKind::Execute(execute) => self.execute(program, step, execute, frame)?,
            StepKind::InsertExecute(insert) => self.insert_exec(program, step, insert, frame)?,
            StepKind::SelectInto(select) => self.select_into(program, step, select, frame)?,
            StepKind::BeginTransaction(begin) => self.begin(program, step, begin, frame)?,
            StepKind::Commit(commit) => self.commit(commit)?,
            StepKind::Rollback(name) => self.rollback(program, step, name.as_ref(), frame)?,
            StepKind::SaveTransaction(name) => self.save(program, step, name, frame)?,
            StepKind::SetOption(option) => self.set_option(program, step, option, frame)?,
            StepKind::Use(name) => self.use_database(name, step.line)?,
            StepKind::Definition(statement) => self.define(program, step, statement, frame)?,
            StepKind::DeclareCursor(_)
            | StepKind::SetCursor(_)
            | StepKind::AssignCursor(..)
            | StepKind::OpenCursor(_)
            | StepKind::Fetch(_)
            | StepKind::CloseCursor(_)
            | StepKind::DeallocateCursor(_) => self.cursor(program, step, frame)?,
        }
        Ok(Flow::Next)
    }

    /// A statement that changes the catalog or the server.
    fn define(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        statement: &tsql::ast::Statement,
        frame: &mut Frame,
    ) -> Run<()> {
        self.session.note_time();
        match &statement.kind {
            tsql::ast::StatementKind::BulkInsert(bulk) => return self.bulk_insert(bulk),
            tsql::ast::StatementKind::InsertBulk(_) if program.steps.len() > 1 => {
                return Err(SqlError::new(&messages::BULK_IN_MULTI_STATEMENT, &[]).into());
            }
            tsql::ast::StatementKind::InsertBulk(bulk) => {
                self.announce_bulk(bulk)?;
                return self.done(command::NONE, None).map_err(Fault::lost);
            }
            _ => {}
        }
        if begins_transaction(&statement.kind) {
            self.begin_implicitly()?;
        }
        let cell = std::cell::RefCell::new(frame);
        self.announced(program, step, &statement.kind, |context, part| {
            let frame = &mut **cell.borrow_mut();
            context.define_one(program, step, part.unwrap_or(statement), frame)
        })?;
        self.session.left.row_count = 0;
        self.done(commands::of_definition(&statement.kind), None).map_err(Fault::lost)
    }

    /// A statement that changes the catalog or the server, or the part of one that is about one
    /// thing.
    fn define_one(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        statement: &tsql::ast::Statement,
        frame: &mut Frame,
    ) -> Run<()> {
        if self.administer(program, step, statement, frame)? {
            return Ok(());
        }
        if let tsql::ast::StatementKind::XmlCollection(collection) = &statement.kind {
            let text = self.schema_text(program, step, &collection.schemas, frame)?;
            let done = crate::ddl::define_collection(self, collection, &text);
            return done.map_err(Fault::of_definition);
        }
        crate::ddl::execute(self, statement, &program.text).map_err(Fault::of_definition)
    }

    /// The schemas of a collection as text of the type xml. Errors 6352, 6361 and those of reading
    /// xml.
    fn schema_text(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        schemas: &tsql::ast::Expr,
        frame: &mut Frame,
    ) -> Run<String> {
        let (value, ty) = self.value_of(program, step, frame, schemas, None)?;
        let is_null =
            matches!(schemas.kind, tsql::ast::ExprKind::Literal(tsql::ast::Literal::Null));
        if is_null {
            return Err(SqlError::new(&messages::COLLECTION_NULL, &[]).into());
        }
        let is_text = ty.kind.is_character() || ty.kind.is_binary();
        if !is_text && (ty.kind != base::TypeKind::Xml || ty.xml_use().is_some()) {
            return Err(SqlError::new(&messages::COLLECTION_PARAMETER, &[]).into());
        }
        let arena = base::Arena::charged_to(self.runtime.grant.account().clone());
        let pace = ir::function::facts::StatementPace(self.task);
        let options = base::ConvertOptions { pace: &pace, ..Default::default() };
        match base::convert(value.as_ref(), &ty, &base::SqlType::xml(), &options, &arena)? {
            base::ValueRef::Chars(bytes) => {
                arena.admit(bytes.len())?;
                Ok(String::from_utf8_lossy(bytes).into_owned())
            }
            _ => Err(SqlError::new(&messages::COLLECTION_NULL, &[]).into()),
        }
    }

    /// `USE`.
    fn use_database(&mut self, name: &tsql::ast::Ident, line: u32) -> Run<()> {
        if self.session.levels.len() > 1 && self.session.level().kind != ProgramKind::Dynamic {
            let error = SqlError::new(
                &messages::NOT_ALLOWED_IN,
                &[&"USE", &"a procedure, function or trigger"],
            );
            return Err(error.into());
        }
        self.change_database(&name.name, line)?;
        self.session.left.row_count = 0;
        self.done_setting()
    }

    /// Goes to another database by name and tells the client. Errors 911, 916.
    pub(crate) fn change_database(&mut self, name: &str, line: u32) -> SqlResult<()> {
        let Some(def) = self.session.instance.find_database(name) else {
            return Err(SqlError::new(&messages::DATABASE_NOT_FOUND, &[&name]));
        };
        if self.session.identity.role().is_some() && def.id != self.session.database {
            return Err(SqlError::new(&messages::USE_IN_APPLICATION_ROLE, &[]));
        }
        self.session.user(def.id)?;
        let before = self.session.database;
        self.session.change_database(def.id)?;
        self.tell_database(before, Some(line))
    }

    /// Tells the client about the current database; by a message too, with the line of the
    /// statement.
    pub(crate) fn tell_database(
        &mut self,
        before: base::ids::DbId,
        line: Option<u32>,
    ) -> SqlResult<()> {
        use crate::response::EnvironmentChange as Change;
        self.session.database_told = true;
        let instance = self.session.instance.clone();
        let now = self.session.database;
        let (old_name, new_name) = (instance.database_name(before), instance.database_name(now));
        self.environment(&Change::Database(&new_name, &old_name))?;
        let collation = |id| instance.database_def(id).map(|def| def.collation);
        if let (Some(new), Some(old)) = (collation(now), collation(before))
            && new != old
        {
            self.environment(&Change::Collation(new, old))?;
        }
        match line {
            Some(line) => {
                let told = SqlError::new(&messages::CONTEXT_DATABASE_CHANGED, &[&new_name]);
                // At login the message has state 2.
                self.inform(told.with_state(1).at_line(line))
            }
            None => Ok(()),
        }
    }

    /// A statement is done and has succeeded.
    pub(crate) fn done(&mut self, command: u16, rows: Option<u64>) -> SqlResult<()> {
        self.session.left.error = 0;
        self.tell_done(command, rows, false)
    }

    /// A statement that sets something up for later statements has succeeded, which is not reported
    /// to the client of a module.
    pub(super) fn done_setting(&mut self) -> Run<()> {
        if self.session.level().kind != ProgramKind::Batch {
            self.session.left.error = 0;
            return Ok(());
        }
        self.done(command::NONE, None).map_err(Fault::lost)
    }

    /// Tells the client that a statement is done.
    pub(crate) fn tell_done(
        &mut self,
        command: u16,
        rows: Option<u64>,
        failed: bool,
    ) -> SqlResult<()> {
        let nocount = self.session.options.settings.nocount;
        let in_module = self.session.level().kind != ProgramKind::Batch;
        let rows = rows.filter(|_| !nocount);
        // Under NOCOUNT the client gets nothing but the ends of rows, errors and, of batches,
        // changes.
        let silent = rows.is_none() && !failed && command != command::SELECT;
        let unheard = in_module
            || matches!(command, command::NONE | command::CONDITION | command::FETCH_INTO);
        if nocount && silent && unheard {
            return Ok(());
        }
        let scope = if in_module { DoneScope::InModule } else { DoneScope::Batch };
        let in_transaction = self.session.transaction.count() > 0;
        self.send_done(&StatementDone { scope, command, rows, failed, in_transaction })
    }

    /// Sends the client a *done*.
    pub(crate) fn send_done(&mut self, done: &StatementDone) -> SqlResult<()> {
        self.session.answered = done.scope != DoneScope::InModule;
        self.writer.done(self.task, done)
    }
}

/// Whether a definition is one that begins a transaction under `IMPLICIT_TRANSACTIONS`: `ALTER
/// TABLE`, `CREATE`, `DROP`, `GRANT`, `DENY`, `REVOKE` and `TRUNCATE TABLE`, but nothing about
/// databases.
fn begins_transaction(kind: &tsql::ast::StatementKind) -> bool {
    use tsql::ast::StatementKind as S;
    match kind {
        S::CreateTable(_) | S::AlterTable(_) | S::TruncateTable(_) => true,
        S::CreateIndex(_)
        | S::CreateXmlIndex(_)
        | S::CreateSpatialIndex(_)
        | S::DropIndex(_)
        | S::AlterIndex(_) => true,
        S::CreateStatistics(_) | S::DropStatistics(_) => true,
        S::Module(_) | S::CreateSchema(_) | S::AlterSchema(_) | S::CreateType(_) => true,
        S::Sequence(_) | S::CreateSynonym(_) | S::DropTrigger(_) | S::XmlCollection(_) => true,
        S::SecurityPolicy(_) | S::Sensitivity(_) => true,
        S::User(_) | S::Role(_) | S::Permission(_) | S::AlterAuthorization(_) => true,
        S::Drop(drop) => drop.kind != tsql::ast::DropKind::Database,
        _ => false,
    }
}

//! Natively compiled modules: one unit, one atomic block.
//!
//! The block is a transaction of its own, or a savepoint of the one that is open: what it does is
//! done as a whole or not at all. Its statements bracket themselves
//! ([`Host::begin_statement`](run::interp::Host)).

use std::sync::Arc;

use base::datetime::DateSettings;
use base::{SqlError, SqlResult, Value, ValueRef, message};
use compile::bind::BoundNative;
use compile::bind::context::{BindContext, BindResult, Names};
use compile::plan::statistics::Statistics;
use engine::catalog::def::TableKind;
use engine::hot::visibility::Isolation;
use engine::txn::{Durability, ReadAt};
use engine::wait::Task;
use ir::site::{ModuleArg, ResultSite, StatementKind, StatementSite};
use run::interp::lent::{Bracket, Lent};
use run::interp::local::LocalTable;
use run::interp::{
    self, Execution, Frame, ModuleCall, Outcome, OutputRow, ResultWriter, TableSlot, TriggerCall,
};
use tsql::ast::IsolationLevel;

use crate::batch::host::engine_isolation;
use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::names::{EngineStatistics, StatementNames};
use crate::program::variables::VariableKind;
use crate::program::{NativePlan, Program, bind_options, new_frame};
use crate::response::{AnswerWriter, DoneScope, ResultsOnly, StatementDone, command};
use crate::session::SessionState;
use crate::session::locking::DiskLevel;
use crate::session::native::NativeRun;
use crate::session::transaction::{OpenAs, OpenStatement, Origin, Touched};

/// How often a module is compiled again because its tables change.
const COMPILATIONS_MAX: u32 = 100;

impl Context<'_> {
    /// Runs a natively compiled module; the frame holds its parameters.
    pub(crate) fn run_native(
        &mut self,
        program: &Arc<Program>,
        frame: &mut Frame,
    ) -> Run<Option<Value>> {
        if self.session.options.isolation == IsolationLevel::Snapshot {
            return Err(SqlError::new(&message::SESSION_SNAPSHOT_NOT_ALLOWED, &[]).into());
        }
        let acting = self.acting_in(program)?.map(|user| (program.database, user));
        let outside = std::mem::replace(&mut self.session.acting, acting);
        let ran = self.run_native_acting(program, frame);
        self.session.acting = outside;
        ran
    }

    /// Runs a module in its context.
    fn run_native_acting(
        &mut self,
        program: &Arc<Program>,
        frame: &mut Frame,
    ) -> Run<Option<Value>> {
        for _ in 0..COMPILATIONS_MAX {
            let plan = self.native_plan(program)?;
            self.check_native(&plan.facts, program)?;
            let ran = self.run_native_plan(&plan, program, frame).map_err(|fault| Fault {
                error: match program.name() {
                    Some(name) => fault.error.in_procedure(name),
                    None => fault.error,
                },
                ..fault
            })?;
            if let Some(outcome) = ran {
                if outcome.identity.is_some() {
                    self.session.level_mut().identity = outcome.identity;
                }
                return Ok(outcome.returned);
            }
        }
        Err(SqlError::new(&message::DEFINITION_CHANGED, &[&""]).into())
    }

    /// `FMTONLY`: the columns of a module's results.
    pub(super) fn announce_native(&mut self, program: &Arc<Program>) -> Run<()> {
        let plan = self.native_plan(program)?;
        for result in &plan.unit.results {
            self.writer.start(self.task, result)?;
            self.done(command::SELECT, Some(0))?;
        }
        Ok(())
    }

    /// The unit of a module.
    fn native_plan(&mut self, program: &Arc<Program>) -> Run<Arc<NativePlan>> {
        let kept = program.native.lock().unwrap_or_else(|p| p.into_inner()).clone();
        let names = StatementNames {
            session: self.session,
            variables: &program.variables,
            declared: program.variables.len() as u32,
            hidden: &[],
        };
        if let Some(plan) = kept
            && plan.dependencies.still_hold(&names)
        {
            return Ok(plan);
        }
        let bound = bind_native(program, &names, &EngineStatistics::new(self.session, self.task));
        let bound = bound.map_err(|e| self.not_bound(e, Effect::Scope))?;
        let unit = compile::lower::native(&bound.module, compile::lower::Options::default())?;
        let plan = Arc::new(NativePlan {
            unit,
            isolation: bound.module.isolation,
            delayed_durability: bound.module.delayed_durability,
            dates: bound.dates,
            variables: bound.module.variables,
            tables: bound.tables,
            facts: bound.facts,
            dependencies: bound.dependencies,
        });
        let account = self.runtime.grant.account();
        let compiled = self.session.instance.compiler.compile_module(self.task, &plan, account);
        compiled.map_err(|_| Fault::cancelled())?;
        if self.is_shareable(&plan.dependencies) {
            *program.native.lock().unwrap_or_else(|p| p.into_inner()) = Some(plan.clone());
        }
        Ok(plan)
    }

    /// Runs a module's unit; `None` if its plan is stale.
    fn run_native_plan(
        &mut self,
        plan: &NativePlan,
        program: &Program,
        frame: &mut Frame,
    ) -> Run<Option<Outcome>> {
        let own = !self.session.transaction.is_open();
        if own {
            self.session.begin_transaction(Origin::Statement, "");
        } else if !plan.facts.written.is_empty() {
            crate::session::transaction::check_may_write(&self.session.transaction)?;
        }
        let begun = self.begin_native(plan, program, own);
        if !matches!(begun, Ok(true)) {
            if own {
                self.session.transaction.rollback(self.task);
            }
            return begun.map(|_| None);
        }
        extend_frame(frame, plan);
        let two_digit_year_cutoff = self.session.options.dates.two_digit_year_cutoff;
        let dates = DateSettings { two_digit_year_cutoff, ..plan.dates };
        let outside = std::mem::replace(&mut self.session.options.dates, dates);
        let mut writer = NativeWriter { inner: self.writer, rows: None };
        let mut execution = Execution {
            task: self.task,
            host: self.session,
            runtime: self.runtime,
            frame,
            writer: &mut writer,
            row_limit: None,
        };
        let ran = interp::run(&plan.unit, &mut execution);
        let ran = ran.map_err(|error| plan.facts.shown(error));
        self.session.options.dates = outside;
        let sent = writer.finish(self.task);
        let ran = ran.and_then(|outcome| sent.map(|()| outcome));
        let ended = self.end_native(plan, own, ran);
        self.leave_tables();
        ended.map(Some)
    }

    /// Enters tables and puts the run on the session's stack. `false` if the plan is stale.
    fn begin_native(&mut self, plan: &NativePlan, program: &Program, own: bool) -> Run<bool> {
        if !self.enter_tables(&plan.unit, &plan.facts, &plan.dependencies)? {
            return Ok(false);
        }
        let isolation = engine_isolation(plan.isolation).max(Isolation::Snapshot);
        let touched = Touched {
            memory_optimized: true,
            memory_optimized_strictly: isolation > Isolation::Snapshot,
            disk_strictly: false,
        };
        self.check_strictness(touched)?;
        self.session.transaction.note_tables(touched);
        let logged = plan.unit.tables.iter().any(|t| t.table.kind != TableKind::MemorySchemaOnly);
        let at = match plan.facts.is_read_only() && own && plan.unit.module_calls.is_empty() {
            _ if !logged => ReadAt::Published,
            true => {
                let access = self.session.access(program.database)?;
                let log = access.catalog.database().manager().log();
                match access.schema().visible_from() <= log.durable() {
                    true => ReadAt::Durable,
                    false => ReadAt::Committed,
                }
            }
            false => ReadAt::Committed,
        };
        let mark = self.session.transaction.mark();
        self.session.native.push(NativeRun {
            how: OpenAs { isolation, at, disk: DiskLevel::UNLOCKED },
            database: program.database,
            blocks: vec![mark],
            bracket: None,
            counted: self.session.counts_statements_of(program),
            began_ns: 0,
        });
        Ok(true)
    }

    /// Ends the atomic block.
    fn end_native(
        &mut self,
        plan: &NativePlan,
        own: bool,
        ran: SqlResult<Outcome>,
    ) -> Run<Outcome> {
        let session = &mut *self.session;
        session.close_native_statement(self.task, ran.is_ok());
        let run = session.native.pop();
        let run = run.ok_or_else(|| ir::internal("a native run has been lost"))?;
        match ran {
            Ok(outcome) => {
                if own {
                    session.transaction.check_reads();
                    let durability = match session.durability(plan.delayed_durability) {
                        _ if plan.delayed_durability && session.allows_delay() => {
                            Durability::Delayed
                        }
                        durability => durability,
                    };
                    let committed = session.commit(self.task, durability);
                    session.transaction_ended();
                    committed?;
                }
                Ok(outcome)
            }
            Err(error) => {
                if own {
                    session.transaction.rollback(self.task);
                    session.transaction_ended();
                } else {
                    session.transaction.rollback_to_mark(self.task, &run.blocks[0]);
                }
                Err(error.into())
            }
        }
    }
}

/// Binds a natively compiled module's body.
pub(super) fn bind_native(
    program: &Program,
    names: &dyn Names,
    statistics: &dyn Statistics,
) -> BindResult<BoundNative> {
    let module = program.module.as_deref();
    let module = module.ok_or_else(|| ir::internal("a text is never native"))?;
    let parse = tsql::ParseOptions { quoted_identifier: module.uses_quoted_identifier };
    let batch = tsql::parse_batch(&module.definition, parse)?;
    let tree = batch.statements.iter().find_map(|statement| match &statement.kind {
        tsql::ast::StatementKind::Module(statement) => Some(&statement.module),
        _ => None,
    });
    let tree = tree.ok_or_else(|| ir::internal("the text makes no module"))?;
    let options =
        compile::bind::BindOptions { native: true, ..bind_options(program.options, program.kind) };
    let context = BindContext { names, options, statistics };
    compile::bind::native(&context, module, tree)
}

impl SessionState {
    /// Whether runs of a native module's statements are counted.
    fn counts_statements_of(&self, program: &Program) -> bool {
        let collection = &self.instance.collection;
        collection.counts_statements()
            && program
                .object()
                .is_some_and(|id| collection.counts_statements_of(program.database, id))
    }

    /// Whether commits in the current database may be delayed where that is asked for.
    fn allows_delay(&self) -> bool {
        use engine::catalog::def::DelayedDurability as D;
        let access = self.access(self.name_database());
        access.is_ok_and(|a| {
            a.with_def(&self.instance, |def| def.options.delayed_durability != D::Disabled)
        })
    }

    /// The statement of a native module that is open ends.
    fn close_native_statement(&mut self, task: &Task, succeeded: bool) {
        let Some(run) = self.native.last_mut() else { return };
        let Some(bracket) = run.bracket.take() else { return };
        if let Some(open) = self.statements.pop() {
            match (bracket, succeeded) {
                (Bracket::Open, false) => open.rollback(task, &mut self.transaction),
                (Bracket::Open | Bracket::Idle, _) => open.end(&mut self.transaction),
                (Bracket::Ended, _) => {}
            }
        }
    }

    /// A data statement of a native module begins.
    pub(crate) fn begin_native_statement(
        &mut self,
        task: &Task,
        _: &StatementSite,
    ) -> SqlResult<()> {
        self.note_time();
        let run = self.native.last_mut().ok_or_else(no_run)?;
        if run.counted {
            run.began_ns = task.now_ns();
        }
        if run.bracket == Some(Bracket::Idle) {
            run.bracket = Some(Bracket::Open);
            return Ok(());
        }
        if run.bracket == Some(Bracket::Ended)
            && let Some(open) = self.statements.last_mut()
            && !open.is_empty()
        {
            run.bracket = Some(Bracket::Open);
            open.begin_again(&mut self.transaction);
            return Ok(());
        }
        let (database, how) = (run.database, run.how);
        self.close_native_statement(task, true);
        let mut open = OpenStatement::new(database);
        if self.transaction.part(database).is_some() {
            self.open_in(&mut open, database, how)?;
        }
        self.statements.push(open);
        self.native.last_mut().ok_or_else(no_run)?.bracket = Some(Bracket::Open);
        Ok(())
    }

    /// A data statement of a native module has succeeded.
    pub(crate) fn end_native_statement(
        &mut self,
        task: &Task,
        statement: &StatementSite,
        outcome: &Outcome,
    ) -> SqlResult<()> {
        if let Some(run) = self.native.last().filter(|run| run.counted) {
            statement.runs.note(run.began_ns, task.now_ns(), outcome.rows);
        }
        self.note_success(statement, outcome);
        if let (Some(run), Some(open)) = (self.native.last_mut(), self.statements.last_mut())
            && run.bracket == Some(Bracket::Open)
        {
            run.bracket = match open.can_reuse(&mut self.transaction) {
                true => Some(Bracket::Idle),
                false => {
                    open.end_in(&mut self.transaction);
                    Some(Bracket::Ended)
                }
            };
        }
        Ok(())
    }

    /// What a statement that has succeeded leaves for `@@ROWCOUNT` and the like.
    #[inline]
    pub(crate) fn note_success(&mut self, statement: &StatementSite, outcome: &Outcome) {
        if statement.kind != StatementKind::Expression {
            self.left.row_count = outcome.rows as i64;
        }
        self.left.error = 0;
        if outcome.identity.is_some() {
            self.left.identity = outcome.identity;
            self.level_mut().identity = outcome.identity;
        }
    }

    /// Lends the transaction to the native module that runs, unless its statements are counted.
    pub(crate) fn lend_to_native(&mut self) -> Option<Lent> {
        let run = self.native.last().filter(|run| !run.counted)?;
        let bracket = run.bracket?;
        let open = self.statements.last_mut()?;
        let (database, how) = open.only()?;
        let transaction = self.transaction.lend(database)?;
        let statement = open.take()?;
        let OpenAs { isolation, at, .. } = how;
        Some(Lent { database, transaction, statement, isolation, at, bracket })
    }

    /// Takes the transaction back from a native module's run.
    pub(crate) fn take_back_from_native(&mut self, lent: Lent) {
        self.transaction.take_back(lent.transaction);
        let (run, open) = (self.native.last_mut(), self.statements.last_mut());
        let (run, open) = run.zip(open).expect("the module that has borrowed still runs");
        run.bracket = Some(lent.bracket);
        open.replace(lent.statement);
    }

    /// A nested atomic block of a native module begins.
    pub(crate) fn begin_native_block(&mut self, depth: u16) -> SqlResult<()> {
        let mark = self.transaction.mark();
        let run = self.native.last_mut().ok_or_else(no_run)?;
        run.blocks.truncate(usize::from(depth));
        run.blocks.push(mark);
        Ok(())
    }

    /// An atomic block of a native module has succeeded.
    pub(crate) fn end_native_block(&mut self, depth: u16) -> SqlResult<()> {
        let run = self.native.last_mut().ok_or_else(no_run)?;
        run.blocks.truncate(usize::from(depth));
        Ok(())
    }

    /// An error in the reach of a native module's handler.
    pub(crate) fn catch_native(
        &mut self,
        task: &Task,
        error: SqlError,
        atomic_depth: u16,
    ) -> SqlResult<()> {
        let fault = Fault::from(error);
        self.close_native_statement(task, false);
        let run = self.native.last_mut().ok_or_else(no_run)?;
        // What ends the transaction is not for a module inside of it to handle.
        if fault.effect >= Effect::Transaction {
            return Err(fault.error);
        }
        let depth = usize::from(atomic_depth) + 1;
        if run.blocks.len() > depth {
            let mark = run.blocks[depth].clone();
            run.blocks.truncate(depth);
            self.transaction.rollback_to_mark(task, &mark);
        }
        self.left.error = fault.error.number();
        let level = self.level_mut();
        let error = match &level.module {
            Some(module) => fault.error.in_procedure(&module.header.name),
            None => fault.error,
        };
        level.caught.push(error);
        Ok(())
    }

    /// Runs the triggers of what a native module's statement has changed, within that statement.
    pub(crate) fn fire_native(&mut self, task: &Task, call: TriggerCall<'_>) -> SqlResult<()> {
        let TriggerCall { unit, statement, transitions, writer, runtime } = call;
        let mut results = ResultsOnly(writer);
        let mut context = Context { task, session: self, runtime, writer: &mut results };
        let sites = statement.transitions.iter().map(|&at| &unit.transitions[usize::from(at)]);
        let kept =
            |at: usize| u16::try_from(at).is_ok_and(|at| statement.transitions.contains(&at));
        let transitions = transitions.into_iter().enumerate().filter(|t| kept(t.0));
        let transitions = transitions.map(|t| t.1).collect();
        context.fire(unit, sites, transitions).map_err(|fault| fault.error)
    }

    /// A native module calls another one.
    pub(crate) fn call_native(&mut self, task: &Task, call: ModuleCall<'_>) -> SqlResult<()> {
        let ModuleCall { site, values, frame: caller, writer, runtime } = call;
        self.close_native_statement(task, true);
        let database = self.native.last().ok_or_else(no_run)?.database;
        let schema = self.schema(database)?;
        let module = schema.module(site.module).cloned();
        let module = module.ok_or_else(|| SqlError::new(&message::DEFINITION_CHANGED, &[&""]))?;
        let mut results = ResultsOnly(writer);
        let mut context = Context { task, session: self, runtime, writer: &mut results };
        let program = context.module_program(database, &module).map_err(|f| f.error)?;
        let mut frame = new_frame(&program.variables);
        let parameters = program.variables.parameters();
        for (at, argument) in site.args.iter().enumerate() {
            let default = module.parameters[at].default.clone().unwrap_or(Value::Null);
            match (&parameters[at].kind, argument) {
                (VariableKind::Scalar { id, .. }, ModuleArg::Default) => {
                    frame.set_owned(*id, &default);
                }
                (VariableKind::Scalar { id, .. }, ModuleArg::Value(..)) => {
                    frame.set(*id, values[at]);
                }
                (VariableKind::Scalar { id, ty, .. }, ModuleArg::Output(var)) => {
                    let from = *caller.ty(*var);
                    let value = context.converted(&caller.get(*var).to_owned(), &from, ty)?;
                    frame.set_owned(*id, &value);
                }
                (VariableKind::Table { id, .. }, ModuleArg::Table(var)) => {
                    if let Some(lent) = caller.lend(*var) {
                        *frame.table_mut(*id) = TableSlot::Shared(lent);
                    }
                }
                _ => {}
            }
        }
        let (result, _) = context.in_level(&program, None, |c| c.run_body(&program, &mut frame));
        let result = result.map_err(|fault| fault.error);
        for (at, argument) in site.args.iter().enumerate() {
            match (&parameters[at].kind, argument) {
                (VariableKind::Scalar { id, ty, .. }, ModuleArg::Output(var)) => {
                    let to = *caller.ty(*var);
                    let value = context.converted(&frame.get(*id).to_owned(), ty, &to)?;
                    caller.set_owned(*var, &value);
                }
                (VariableKind::Table { id, .. }, ModuleArg::Table(var)) => {
                    *frame.table_mut(*id) = TableSlot::None;
                    caller.take_back(*var);
                }
                _ => {}
            }
        }
        let status = match result? {
            Some(Value::Int(status)) => status,
            _ => 0,
        };
        if let Some(var) = site.status {
            caller.set(var, ValueRef::Int(status));
        }
        Ok(())
    }
}

/// The variables of a module that are not parameters.
fn extend_frame(frame: &mut Frame, plan: &NativePlan) {
    for at in frame.len()..plan.variables.len() {
        frame.declare(plan.variables[at]);
    }
    for table in &plan.tables {
        let shape = run::interp::local::LocalShape::of(table);
        frame.declare_table(TableSlot::Own(Box::new(LocalTable::new(shape))));
    }
}

#[cold]
fn no_run() -> SqlError {
    ir::internal("a native statement runs outside of a module")
}

/// Where the result sets of a native module go: each is done when the next begins, or the module
/// ends.
struct NativeWriter<'s> {
    inner: &'s mut dyn AnswerWriter,
    /// The rows of the result set that is open.
    rows: Option<u64>,
}

impl NativeWriter<'_> {
    fn finish(&mut self, task: &Task) -> SqlResult<()> {
        match self.rows.take() {
            None => Ok(()),
            Some(rows) => self.inner.done(
                task,
                &StatementDone {
                    scope: DoneScope::InModule,
                    command: command::SELECT,
                    rows: Some(rows),
                    failed: false,
                    in_transaction: false,
                },
            ),
        }
    }
}

impl ResultWriter for NativeWriter<'_> {
    fn start(&mut self, task: &Task, result: &ResultSite) -> SqlResult<()> {
        self.finish(task)?;
        self.rows = Some(0);
        self.inner.start(task, result)
    }

    fn row(&mut self, task: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        self.rows = self.rows.map(|rows| rows + 1);
        self.inner.row(task, row)
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

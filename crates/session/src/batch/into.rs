//! `SELECT … INTO`: a table is made of the query's columns, then filled, as one.

use std::sync::Arc;

use base::{SqlError, message};
use compile::bind::context::BindContext;
use compile::lower;
use run::interp::{Frame, Outcome};
use tsql::ast;

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::names::{EngineStatistics, StatementNames};
use crate::prepare::build::into_of;
use crate::program::plan::StepPlan;
use crate::program::{Program, Step, bind_options, located_all};
use crate::response::command;

impl Context<'_> {
    /// `SELECT … INTO`.
    pub(super) fn select_into(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        select: &ast::SelectStatement,
        frame: &mut Frame,
    ) -> Run<()> {
        self.session.note_time();
        let began_ns = self.task.now_ns();
        self.begin_implicitly()?;
        let into = into_of(&select.query);
        let into = into.ok_or_else(|| ir::internal("a SELECT INTO names its table"))?;
        let outcome = self.announced_table(program, step, &into.table, |c| {
            c.within_definition(|c| c.make_and_fill(program, step, select, frame))
        })?;
        step.runs.note(began_ns, self.task.now_ns(), outcome.rows);
        self.session.left.row_count = outcome.rows as i64;
        if outcome.identity.is_some() {
            self.session.left.identity = outcome.identity;
            self.session.level_mut().identity = outcome.identity;
        }
        self.done(command::SELECT_INTO, Some(outcome.rows)).map_err(Fault::lost)
    }

    /// [`Context::definition`] for what fails with a fault.
    pub(crate) fn within_definition<T>(
        &mut self,
        mut body: impl FnMut(&mut Context<'_>) -> Run<T>,
    ) -> Run<T> {
        let mut fault = None;
        let done = self.definition(|context| {
            body(context).map_err(|failed| {
                let error = failed.error.clone();
                fault = Some(failed);
                error
            })
        });
        done.map_err(|error| fault.unwrap_or_else(|| error.into()))
    }

    fn make_and_fill(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        select: &ast::SelectStatement,
        frame: &mut Frame,
    ) -> Run<Outcome> {
        let into = into_of(&select.query);
        let into = into.ok_or_else(|| ir::internal("a SELECT INTO names its table"))?;
        let columns = self.with_binding(program, step, |context| {
            compile::bind::select_into_columns(context, select)
        });
        let columns =
            columns.map_err(|e| self.not_bound(located_all(e, program, step), Effect::Scope))?;
        let made = crate::ddl::select_into(self, into, &columns.columns);
        let (database, table) = made.map_err(|error| match error.number() {
            // About the names of the columns.
            1038 | 2705 => Fault::new(error, crate::fault::Effect::Scope),
            _ => error.into(),
        })?;
        let options = self.session.compile_options(program.module.as_deref());
        let bound = self
            .with_binding(program, step, |context| {
                compile::bind::select_into(context, select, database, &table)
            })
            .map_err(|e| Fault::new(e.error, Effect::Scope))?;
        let lowering = options.lowering();
        let unit = lower::statement(&bound.plan, lowering)?;
        let (facts, dependencies) = (bound.facts, bound.dependencies);
        let plan = StepPlan { unit, facts, dependencies, options };
        let ran = self.run_plan(&plan, frame, |c, unit, frame| c.run_unit(unit, frame))?;
        ran.ok_or_else(|| SqlError::new(&message::DEFINITION_CHANGED, &[&table.header.name]).into())
    }

    /// Runs a function with a binder set up as for a step.
    pub(crate) fn with_binding<T>(
        &self,
        program: &Program,
        step: &Step,
        bind: impl FnOnce(&BindContext<'_>) -> T,
    ) -> T {
        let names = StatementNames {
            session: self.session,
            variables: &program.variables,
            declared: step.declared,
            hidden: &[],
        };
        let statistics = EngineStatistics::new(self.session, self.task);
        let options = self.session.compile_options(program.module.as_deref());
        let options = bind_options(options, program.kind);
        bind(&BindContext { names: &names, options, statistics: &statistics })
    }
}

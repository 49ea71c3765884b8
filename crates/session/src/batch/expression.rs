//! Variables and conditions.

use std::sync::Arc;

use base::convert::{ConvertOptions, Overlong};
use base::ids::DbId;
use base::xml::schema::Collections;
use base::{SqlError, SqlResult, SqlType, Value, message};
use ir::Unit;
use ir::function::clr::spatial::FORMS;
use ir::function::facts::StatementPace;
use run::interp::{self, Execution, Frame};
use tsql::ast;

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::program::plan::StepPlan;
use crate::program::{Program, Step};
use crate::response::command;

impl Context<'_> {
    /// `SET @v = …`, or the value of a `DECLARE`.
    pub(super) fn assign(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        declaration: bool,
    ) -> Run<()> {
        self.evaluated(program, step, frame, |context, unit, frame| {
            context.run_unit(unit, frame).map(drop)
        })?;
        self.tell_arithmetic().map_err(Fault::lost)?;
        if declaration {
            self.session.left.row_count = 1;
            self.session.left.error = 0;
            return Ok(());
        }
        self.done_assigning(1)
    }

    /// Variables have their values, as this many rows gave them: a `SELECT` that counts its rows
    /// and returns none.
    pub(super) fn done_assigning(&mut self, rows: u64) -> Run<()> {
        self.session.left.row_count = rows as i64;
        if self.session.options.settings.nocount {
            self.session.left.error = 0;
            return Ok(());
        }
        self.done(command::SELECT, Some(rows)).map_err(Fault::lost)
    }

    /// Whether a step's condition is true.
    pub(super) fn condition(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<bool> {
        let holds = self.evaluated(program, step, frame, |context, unit, frame| {
            Ok(interp::test(unit, &mut context.execution(frame))?)
        })?;
        self.session.left.row_count = 0;
        self.done(command::CONDITION, None).map_err(Fault::lost)?;
        Ok(holds)
    }

    /// The value of a step's expression.
    pub(super) fn value(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<Value> {
        self.evaluated(program, step, frame, |context, unit, frame| {
            Ok(interp::evaluate(unit, &mut context.execution(frame))?)
        })
    }

    /// Runs a step that is an expression.
    fn evaluated<T>(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        mut run: impl FnMut(&mut Context<'_>, &Unit, &mut Frame) -> Run<T>,
    ) -> Run<T> {
        self.session.note_time();
        loop {
            let plan = self.plan_of(program, step)?;
            let plan = plan.ok_or_else(|| ir::internal("an expression has no plan"))?;
            // Only those that read tables are queries.
            let began_ns = (!plan.unit.tables.is_empty()).then(|| self.task.now_ns());
            let ran = self.run_plan(&plan, frame, |c, unit, frame| run(c, unit, frame))?;
            if let Some(value) = ran {
                if let Some(began_ns) = began_ns {
                    step.runs.note(began_ns, self.task.now_ns(), 1);
                }
                self.session.instance.compiler.consider(&plan);
                return Ok(value);
            }
        }
    }

    /// The value of an expression that stands in a step, with its type; converted as an assignment
    /// does it, if a type is given.
    pub(crate) fn value_of(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
        value: &ast::Expr,
        ty: Option<SqlType>,
    ) -> Run<(Value, SqlType)> {
        if let Some(known) = self.simple_value(program, step, frame, value)?
            && ty.is_none_or(|ty| ty == known.1)
        {
            return Ok(known);
        }
        let compiled = self.session.compile_expr(self.task, program, step, value, ty);
        let plan = compiled.map_err(|error| Fault::new(error.error, Effect::Scope))?;
        self.value_of_plan(&plan, frame)
    }

    /// A variable's value.
    fn simple_value(
        &self,
        program: &Program,
        step: &Step,
        frame: &Frame,
        value: &ast::Expr,
    ) -> SqlResult<Option<(Value, SqlType)>> {
        let ast::ExprKind::Variable(name) = &value.kind else { return Ok(None) };
        let Ok((id, ty)) = program.variables.find_scalar(name, step.declared) else {
            return Ok(None);
        };
        let value = frame.get(id);
        self.runtime.grant.admit(value.byte_len())?;
        Ok(Some((value.to_owned(), ty)))
    }

    /// The value of a compiled expression, with its type.
    pub(crate) fn value_of_plan(
        &mut self,
        plan: &StepPlan,
        frame: &mut Frame,
    ) -> Run<(Value, SqlType)> {
        let ty = plan.unit.result.map_or(SqlType::int(), |(_, ty)| ty);
        let ran = self.run_plan(plan, frame, |context, unit, frame| {
            Ok(interp::evaluate(unit, &mut context.execution(frame))?)
        })?;
        match ran {
            Some(value) => Ok((value, ty)),
            None => Err(SqlError::new(&message::DEFINITION_CHANGED, &[&""]).into()),
        }
    }

    /// What a unit runs in.
    pub(crate) fn execution<'e>(&'e mut self, frame: &'e mut Frame) -> Execution<'e> {
        Execution {
            task: self.task,
            host: self.session,
            runtime: self.runtime,
            frame,
            writer: self.writer.results(),
            row_limit: None,
        }
    }

    /// A value converted as an assignment to a variable or parameter does it.
    pub(crate) fn converted(
        &self,
        value: &Value,
        from: &SqlType,
        to: &SqlType,
    ) -> SqlResult<Value> {
        self.converted_or_cut(value, from, to, Overlong::Cut)
    }

    /// As `converted`, for a column of a table-valued parameter, which cuts nothing. Error 8152,
    /// with the state that it has there.
    pub(crate) fn assigned(&self, value: &Value, from: &SqlType, to: &SqlType) -> SqlResult<Value> {
        const STATE: u8 = 30;
        let converted = self.converted_or_cut(value, from, to, Overlong::Refuse);
        converted.map_err(|error| match error.number() {
            8152 => error.with_state(STATE),
            _ => error,
        })
    }

    fn converted_or_cut(
        &self,
        value: &Value,
        from: &SqlType,
        to: &SqlType,
        overlong: Overlong<'_>,
    ) -> SqlResult<Value> {
        let database = self.session.name_database();
        self.converted_in(database, value, from, to, overlong)
    }

    /// As [`Context::converted`], to a type of this database.
    pub(crate) fn converted_in(
        &self,
        database: DbId,
        value: &Value,
        from: &SqlType,
        to: &SqlType,
        overlong: Overlong<'_>,
    ) -> SqlResult<Value> {
        if from == to || value.is_null() {
            return Ok(value.clone());
        }
        let arena = base::Arena::charged_to(self.runtime.grant.account().clone());
        let pace = StatementPace(self.task);
        let schema = to.xml_use().and_then(|_| self.session.schema(database).ok());
        let collections = schema.as_deref().map(|schema| schema as &dyn Collections);
        let options = ConvertOptions {
            overlong,
            collections,
            dates: self.session.options.dates,
            pace: &pace,
            spatial: Some(FORMS),
            ..ConvertOptions::default()
        };
        base::types::conversion::check_implicit_types(from, to)?;
        Ok(base::convert(value.as_ref(), from, to, &options, &arena)?.to_owned())
    }
}

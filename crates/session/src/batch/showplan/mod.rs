//! Plans instead of what statements do (`SHOWPLAN_TEXT`, `SHOWPLAN_ALL`, `SHOWPLAN_XML`), and after
//! what they have done (`STATISTICS PROFILE`, `STATISTICS XML`).
//!
//! Under `SHOWPLAN` a batch, text or procedure that a client asks for is walked from its first step
//! to the last, whatever its jumps say, and so are the procedures that it executes. Nothing is done
//! but `USE`, and temporary tables are made, so that what follows can be planned.
//!
//! A statement whose run is to be shown gets a unit of its own that counts what its operators do;
//! plans that are kept never count.

mod plans;

use std::ops::Range;
use std::sync::Arc;

use base::ids::ObjectId;
use base::{Collation, SqlError, SqlType, Value, message};
use compile::lower;
use compile::plan::show::xml::{ShownStatement, document};
use compile::plan::show::{Actual, ShownOperator, ShownPlan};
use ir::site::StatementKind;
use run::interp::{Frame, Outcome};
use tsql::ast;

use crate::context::Context;
use crate::fault::{Effect, Run};
use crate::names::EngineStatistics;
use crate::names::callee::Callee;
use crate::options::ShowPlan;
use crate::program::plan::StepPlan;
use crate::program::{Program, Step, StepKind, located_all};
use crate::session::SessionState;

/// The column in which clients look for documents.
const XML_COLUMN: &str = "Microsoft SQL Server 2005 XML Showplan";

/// How often a statement is compiled again because its tables change.
const COMPILATIONS_MAX: u32 = 100;

const TEXT: SqlType = SqlType::nvarchar_max(Collation::DEFAULT);

impl Context<'_> {
    /// Shows the plans of a program, if plans are shown instead of running it and the program is
    /// not one that ends that. Returns whether they were shown.
    pub(crate) fn show_program(&mut self, program: &Arc<Program>) -> Run<bool> {
        let Some(how) = self.session.options.show_plan else { return Ok(false) };
        if program.steps.iter().any(crate::prepare::sets_showplan) {
            return Ok(false);
        }
        self.session.check_showplan(&[self.session.database])?;
        let mut shown = Vec::new();
        self.collect_plans(program, &mut Vec::new(), &mut shown)?;
        match how {
            ShowPlan::Xml if !shown.is_empty() => self.send_document(program, &shown)?,
            ShowPlan::Xml => {}
            ShowPlan::Text => {
                for statement in shown {
                    let text = vec![vec![Value::unicode(&statement.text)]];
                    self.send_rows(&[("StmtText", TEXT)], text)?;
                    let Some(plan) = statement.plan else { continue };
                    let line = |at| vec![Value::unicode(&plan.line(at))];
                    let lines = (0..plan.operators.len()).map(line).collect();
                    self.send_rows(&[("StmtText", TEXT)], lines)?;
                }
            }
            ShowPlan::All => {
                for (at, statement) in shown.iter().enumerate() {
                    self.send_rows(&columns_of_all(), rows_of_all(statement, at + 1))?;
                }
            }
        }
        Ok(true)
    }

    /// The statements of a program, and of the modules that it executes; `within` are those that
    /// are at it.
    fn collect_plans(
        &mut self,
        program: &Arc<Program>,
        within: &mut Vec<ObjectId>,
        shown: &mut Vec<ShownStatement>,
    ) -> Run<()> {
        for step in &program.steps {
            match &step.kind {
                StepKind::Nothing | StepKind::Jump(_) => continue,
                StepKind::Use(name) => self.use_database(name, step.line)?,
                _ => {}
            }
            let found = self.session.plan_to_show(program, step);
            let found = found.map_err(|error| {
                self.not_bound(located_all(error, program, step), Effect::Scope)
            })?;
            if let Some(found) = found {
                self.session.check_showplan(&found.facts.databases)?;
                self.check_permissions(&found.facts)?;
                shown.push(found.statement);
                continue;
            }
            shown.push(ShownStatement {
                text: plans::text_of(program, step),
                kind: plans::kind_of(program, step, false),
                plan: None,
                machine_code_bytes: 0,
                elapsed_ns: None,
            });
            match &step.kind {
                StepKind::Execute(execute) => self.collect_of_callee(execute, within, shown)?,
                StepKind::Definition(statement) if makes_temporary_table(statement) => {
                    crate::ddl::execute(self, statement, &program.text)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn collect_of_callee(
        &mut self,
        execute: &ast::Execute,
        within: &mut Vec<ObjectId>,
        shown: &mut Vec<ShownStatement>,
    ) -> Run<()> {
        let ast::ExecuteTarget::Procedure { name: ast::ProcedureName::Name(name, number), .. } =
            &execute.target
        else {
            return Ok(());
        };
        let callee = self.find_numbered(name, *number)?;
        let Callee::Module(database, module) = callee else { return Ok(()) };
        self.check_execute(database, module.id())?;
        // Of what is encrypted nothing is shown, and of recursion one turn.
        if module.encrypted || within.contains(&module.id()) {
            return Ok(());
        }
        self.session.check_showplan(&[database])?;
        let program = self.module_program(database, &module)?;
        within.push(module.id());
        let collected = self.collect_of_module(&program, within, shown);
        within.pop();
        collected
    }

    /// The statements of a module.
    fn collect_of_module(
        &mut self,
        program: &Arc<Program>,
        within: &mut Vec<ObjectId>,
        shown: &mut Vec<ShownStatement>,
    ) -> Run<()> {
        if program.module.as_ref().is_some_and(|module| module.native) {
            let found = self.session.native_plans_to_show(program);
            shown.extend(found.map_err(|error| self.not_bound(error, Effect::Scope))?);
            return Ok(());
        }
        self.in_level(program, None, |c| c.collect_plans(program, within, shown)).0
    }

    fn send_document(&mut self, program: &Program, shown: &[ShownStatement]) -> Run<()> {
        let options = self.session.compile_options(program.module.as_deref());
        let text = document(shown, &plans::Shown { state: self.session, options });
        self.send_rows(&[(XML_COLUMN, TEXT)], vec![vec![Value::unicode(&text)]])
    }

    /// Whether what the current statement does is to be shown when it is done. Functions cannot
    /// return anything, and what is collected for an `INSERT` is not for clients.
    pub(super) fn shows_runs(&self) -> bool {
        let options = &self.session.options;
        (options.statistics_profile || options.statistics_xml)
            && !options.format_only
            && !self.session.levels.iter().any(|level| level.is_function() || level.insert_exec)
    }

    /// Runs a data statement, and shows what its operators have done.
    pub(super) fn data_shown(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<()> {
        let began_ns = self.task.now_ns();
        let (outcome, kind, plan) = self.run_counted(program, step, frame)?;
        let ended_ns = self.task.now_ns();
        step.runs.note(began_ns, ended_ns, outcome.rows);
        self.conclude(&outcome, kind)?;
        let shown = ShownStatement {
            text: plans::text_of(program, step),
            kind: plans::kind_of(program, step, true),
            plan: Some(plan),
            machine_code_bytes: 0,
            elapsed_ns: Some(ended_ns - began_ns),
        };
        // What is shown changes nothing of what the statement has left behind.
        let left = self.session.left;
        if self.session.options.statistics_profile {
            self.send_rows(&columns_of_profile(), rows_of_profile(&shown))?;
        }
        if self.session.options.statistics_xml {
            self.send_document(program, &[shown])?;
        }
        self.session.left = left;
        Ok(())
    }

    fn run_counted(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<(Outcome, StatementKind, ShownPlan)> {
        let StepKind::Data(statement) = &step.kind else {
            return Err(ir::internal("a data step").into());
        };
        let options = self.session.compile_options(program.module.as_deref());
        let lowering = lower::Options { counts_operators: true, ..options.lowering() };
        for _ in 0..COMPILATIONS_MAX {
            let bound =
                self.with_binding(program, step, |c| compile::bind::statement(c, statement));
            let bound = bound.map_err(|error| {
                self.not_bound(located_all(error, program, step), Effect::Scope)
            })?;
            self.session.check_showplan(&bound.facts.databases)?;
            let unit = lower::statement(&bound.plan, lowering)?;
            let (facts, dependencies) = (bound.facts, bound.dependencies);
            let plan = StepPlan { unit, facts, dependencies, options };
            let kind = plan.unit.kind.unwrap_or(StatementKind::Expression);
            let mut shown = ShownPlan::of(&bound.plan, &EngineStatistics::at_once(self.session));
            let ran = self.run_plan(&plan, frame, |context, unit, frame| {
                context.run_unit_and_triggers(unit, frame)
            })?;
            if let Some(outcome) = ran {
                shown.count(&plan.unit.counters, &outcome.counted, outcome.rows);
                return Ok((outcome, kind, shown));
            }
        }
        Err(SqlError::new(&message::DEFINITION_CHANGED, &[&""]).into())
    }
}

impl SessionState {
    /// The document about a program's statements, or the wanted ones of them, for views. What
    /// cannot be planned now is left out.
    pub(crate) fn document_of(
        &self,
        program: &Program,
        is_wanted: &dyn Fn(Range<u32>) -> bool,
    ) -> String {
        let mut shown = Vec::new();
        for step in &program.steps {
            if is_wanted(step.place())
                && let Ok(Some(found)) = self.plan_to_show(program, step)
            {
                shown.push(found.statement);
            }
        }
        let options = self.compile_options(program.module.as_deref());
        document(&shown, &plans::Shown { state: self, options })
    }
}

fn makes_temporary_table(statement: &ast::Statement) -> bool {
    match &statement.kind {
        ast::StatementKind::CreateTable(table) => table.name.name.name.starts_with('#'),
        _ => false,
    }
}

/// The columns of `SHOWPLAN_ALL`.
fn columns_of_all() -> Vec<(&'static str, SqlType)> {
    let (int, real) = (SqlType::int(), SqlType::real());
    vec![
        ("StmtText", TEXT),
        ("StmtId", int),
        ("NodeId", int),
        ("Parent", int),
        ("PhysicalOp", TEXT),
        ("LogicalOp", TEXT),
        ("Argument", TEXT),
        ("DefinedValues", TEXT),
        ("EstimateRows", real),
        ("EstimateIO", real),
        ("EstimateCPU", real),
        ("AvgRowSize", int),
        ("TotalSubtreeCost", real),
        ("OutputList", TEXT),
        ("Warnings", TEXT),
        ("Type", TEXT),
        ("Parallel", SqlType::bit()),
        ("EstimateExecutions", real),
    ]
}

/// Those of `STATISTICS PROFILE`.
fn columns_of_profile() -> Vec<(&'static str, SqlType)> {
    let mut columns = vec![("Rows", SqlType::bigint()), ("Executes", SqlType::bigint())];
    columns.extend(columns_of_all());
    columns
}

fn real(value: f64) -> Value {
    Value::Float(f64::from(value as f32))
}

fn int(value: usize) -> Value {
    Value::Int(value as i64)
}

fn rows_of_all(statement: &ShownStatement, id: usize) -> Vec<Vec<Value>> {
    let plan = statement.plan.as_ref();
    let estimate = |of: fn(&ShownPlan) -> f64| plan.map_or(Value::Null, |plan| real(of(plan)));
    let mut rows = vec![vec![
        Value::unicode(&statement.text),
        int(id),
        int(1),
        int(0),
        Value::Null,
        Value::Null,
        Value::unicode("1"),
        Value::Null,
        estimate(ShownPlan::rows),
        Value::Null,
        Value::Null,
        Value::Null,
        estimate(ShownPlan::cost),
        Value::Null,
        Value::Null,
        Value::unicode(&statement.kind),
        int(0),
        Value::Null,
    ]];
    if let Some(plan) = plan {
        let row = |(at, operator)| row_of_operator(plan, at, operator, id);
        rows.extend(plan.operators.iter().enumerate().map(row));
    }
    rows
}

/// A row of `SHOWPLAN_ALL`. Operators are numbered after the statement, which is 1.
fn row_of_operator(plan: &ShownPlan, at: usize, operator: &ShownOperator, id: usize) -> Vec<Value> {
    let named = |name: &str| match name {
        "" => Value::Null,
        _ if operator.is_label => Value::Null,
        name => Value::unicode(name),
    };
    vec![
        Value::unicode(&plan.line(at)),
        int(id),
        int(at + 2),
        int(operator.parent.map_or(1, |parent| parent + 2)),
        named(&operator.physical),
        named(&operator.logical),
        named(&operator.argument),
        Value::Null,
        real(operator.estimate.rows),
        real(0.0),
        real(operator.estimate.cost),
        int(0),
        real(operator.subtree_cost),
        Value::Null,
        Value::Null,
        Value::unicode("PLAN_ROW"),
        int(0),
        real(operator.estimate.executions),
    ]
}

/// The rows of `SHOWPLAN_ALL` with what was counted before them.
fn rows_of_profile(statement: &ShownStatement) -> Vec<Vec<Value>> {
    let operators = statement.plan.iter().flat_map(|plan| &plan.operators);
    let mut counted: Vec<Option<Actual>> = operators.map(|operator| operator.actual).collect();
    let whole = counted.first().copied().flatten().map(|root| Actual { executions: 1, ..root });
    counted.insert(0, whole);
    let with_counts = |(row, actual): (Vec<Value>, Option<Actual>)| {
        let actual = actual.unwrap_or_default();
        let counts = [Value::Int(actual.rows as i64), Value::Int(actual.executions as i64)];
        counts.into_iter().chain(row).collect()
    };
    rows_of_all(statement, 1).into_iter().zip(counted).map(with_counts).collect()
}

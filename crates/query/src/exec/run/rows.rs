//! Result sets that come from no statement: plans that are shown.

use base::{SqlType, Value};

use super::{Fault, Run};
use crate::bind::context::{Dependencies, Facts};
use crate::exec::context::Context;
use crate::exec::program::plan::StepPlan;
use crate::exec::program::{Program, Step, StepKind};
use crate::exec::sink::command;
use crate::interp::Frame;
use crate::lower;
use crate::plan::expr::{ColId, Expr, ExprKind};
use crate::plan::tree::{Destination, Node, OutputColumn, Plan, SelectPlan};

impl Context<'_> {
    /// Sends rows to the client as a result set of its own.
    pub(crate) fn send_rows(
        &mut self,
        columns: &[(&str, SqlType)],
        rows: Vec<Vec<Value>>,
    ) -> Run<()> {
        let count = rows.len() as u64;
        let ids: Vec<ColId> = (1..=columns.len() as u32).map(ColId).collect();
        let constant = |(value, (_, ty)): (Value, &(&str, SqlType))| {
            let nullable = value.is_null();
            Expr { kind: ExprKind::Constant(value), ty: *ty, nullable }
        };
        let row = |row: Vec<Value>| row.into_iter().zip(columns).map(constant).collect();
        let root = Node::Values { columns: ids.clone(), rows: rows.into_iter().map(row).collect() };
        let output = |(column, (name, ty)): (&ColId, &(&str, SqlType))| OutputColumn {
            column: *column,
            name: (*name).into(),
            ty: *ty,
            nullable: true,
            base: None,
        };
        let output = ids.iter().zip(columns).map(output).collect();
        let plan = Plan::Select(SelectPlan { root, output, destination: Destination::Client });
        let unit = lower::statement(&plan, lower::Options::default())?;
        let options = self.session.compile_options(None);
        let (facts, dependencies) = (Facts::default(), Dependencies::default());
        let plan = StepPlan { unit, facts, dependencies, options };
        let mut frame = Frame::default();
        self.run_plan(&plan, &mut frame, |c, unit, frame| c.run_unit(unit, frame))?;
        self.done(command::SELECT, Some(count)).map_err(Fault::lost)
    }

    /// `SHOWPLAN_TEXT`: a step's text and operators instead of what it does. `false` if it has none.
    pub(super) fn show_plan(&mut self, program: &Program, step: &Step) -> Run<bool> {
        let StepKind::Data(statement) = &step.kind else { return Ok(false) };
        let bound = self.with_binding(program, step, |c| crate::bind::statement(c, statement));
        let bound = bound.map_err(|e| Fault::new(e.error, super::Effect::Scope))?;
        let shown = crate::plan::print::statement(&bound.plan);
        let text = step.span.text(&program.text);
        let lines = std::iter::once(text).chain(shown.lines());
        let rows = lines.map(|line| vec![Value::unicode(line)]).collect();
        let ty = SqlType::nvarchar_max(base::Collation::DEFAULT);
        self.send_rows(&[("StmtText", ty)], rows)?;
        Ok(true)
    }
}

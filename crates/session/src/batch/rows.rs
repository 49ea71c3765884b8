//! Result sets that come from no statement.

use base::{SqlType, Value};
use compile::bind::context::{Dependencies, Facts};
use compile::lower;
use compile::plan::expr::{ColId, Expr, ExprKind};
use compile::plan::tree::{Destination, Node, OutputColumn, Plan, SelectPlan};
use ir::site::ResultColumn;
use run::interp::Frame;

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::program::plan::StepPlan;
use crate::response::command;

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
            shown: ResultColumn {
                name: (*name).into(),
                ty: *ty,
                nullable: true,
                base: None,
                schemas: None,
                classified: None,
            },
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
}

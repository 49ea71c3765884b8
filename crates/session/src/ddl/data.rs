//! What definitions ask about data: whether rows break a rule, and what values rows get.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value};
use compile::bind::{self, BindContext, BindOptions, BoundExpr, define};
use compile::lower;
use compile::plan::expr::ExprKind;
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::TableDef;
use engine::hot::row::RowLayout;
use ir::Unit;
use ir::operator::VarId;
use run::interp::{self, Frame};

use super::failure::DdlResult;
use super::names::DefinitionNames;
use crate::context::Context;
use crate::program::plan::StepPlan;

/// Whether a query has any row. Names in it are those of a database.
pub fn exists(context: &mut Context<'_>, database: DbId, query: &str) -> DdlResult<bool> {
    let text = format!("CASE WHEN EXISTS ({query}) THEN 1 ELSE 0 END");
    let options = tsql::ParseOptions { quoted_identifier: true };
    let expr = tsql::parse_expression(&text, options)?;
    let names = DefinitionNames::new(context.session, database);
    let options = BindOptions { sees_all_rows: true, ..BindOptions::default() };
    let bind = BindContext { names: &names, options, statistics: &NoStatistics };
    let bound = bind::expression(&bind, &expr, Some(SqlType::int()))?;
    Ok(evaluate(context, bound)? == Value::Int(1))
}

/// The value of a bound expression without variables.
pub fn evaluate(context: &mut Context<'_>, bound: BoundExpr) -> DdlResult<Value> {
    if let ExprKind::Constant(value) = bound.expr.kind {
        return Ok(value);
    }
    let options = context.session.compile_options(None);
    let lowering = options.lowering();
    let unit = lower::scalar(&bound.expr, lowering)?;
    let mut facts = bound.facts;
    // A user that may define something may have it checked.
    facts.accesses.clear();
    let plan = StepPlan { unit, facts, dependencies: bound.dependencies, options };
    let mut frame = Frame::new([]);
    match context.value_of_plan(&plan, &mut frame) {
        Ok((value, _)) => Ok(value),
        Err(fault) => Err(fault.error.into()),
    }
}

/// Expressions over the columns of one row, evaluated for one row after another.
pub struct RowValues {
    units: Vec<Unit>,
    frame: Frame,
}

/// An expression over a row, and the type that its value is to have.
pub struct RowExpr<'e> {
    /// Its text, as the catalog keeps it.
    pub text: &'e str,
    /// The type of its value.
    pub ty: SqlType,
}

impl RowValues {
    /// Compiles expressions over the stored columns of a table.
    pub fn new(
        context: &Context<'_>,
        database: DbId,
        table: &Arc<TableDef>,
        exprs: &[RowExpr<'_>],
    ) -> DdlResult<RowValues> {
        let names = DefinitionNames::new(context.session, database);
        let bind = BindContext {
            names: &names,
            options: BindOptions::default(),
            statistics: &NoStatistics,
        };
        let options = tsql::ParseOptions { quoted_identifier: true };
        let mut units = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let tree = tsql::parse_expression(expr.text, options)?;
            let bound = define::over_variables(&bind, table, &tree, expr.ty)?;
            let unit = lower::scalar(&bound, lower::Options::default())?;
            context.session.instance.compiler.prepare(&unit);
            units.push(unit);
        }
        Ok(RowValues { units, frame: Frame::new(table.stored_columns().map(|c| c.ty)) })
    }

    /// The values for one row of the table.
    pub fn of_row(
        &mut self,
        context: &mut Context<'_>,
        layout: &RowLayout,
        row: &[u8],
    ) -> DdlResult<Vec<Value>> {
        for at in 0..self.frame.len() {
            self.frame.set(VarId(at as u32), layout.get(row, at));
        }
        let mut values = Vec::with_capacity(self.units.len());
        for unit in &self.units {
            let value = interp::evaluate(unit, &mut context.execution(&mut self.frame))?;
            values.push(value);
        }
        Ok(values)
    }
}

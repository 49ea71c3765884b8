//! Statements as wholes: what sessions and definitions ask for.

use std::sync::Arc;

use base::types::XmlCollectionName;
use base::{SqlError, SqlType, message};
use engine::catalog::def::{IdentityDef, TableDef};
use ir::operator::VarId;
use ir::site::BaseColumn;
use tsql::ast::{self, StatementKind};

use super::binder::{Binder, Mentions, NoColumns, Undeclared};
use super::context::*;
use super::query::unimplemented;
use super::scalar::Origin;
use super::scope::{BaseRef, OutCol};
use super::select::{Output, Usage};
use crate::plan::expr::{Expr, Pred};
use crate::plan::optimize::{self, PlanContext};
use crate::plan::tree::{Destination, OutputColumn, Plan, ResultColumn, SelectPlan};
use crate::plan::walk::Part;

/// A bound statement.
#[derive(Clone, Debug)]
pub struct Bound {
    /// What is done.
    pub plan: Plan,
    /// What must be known before it is done.
    pub facts: Facts,
    /// What must stay as it is for it to be right.
    pub dependencies: Dependencies,
}

/// A bound scalar expression.
#[derive(Clone, Debug)]
pub struct BoundExpr {
    /// Its value.
    pub expr: Expr,
    /// What must be known before it is evaluated.
    pub facts: Facts,
    /// What must stay as it is for it to be right.
    pub dependencies: Dependencies,
}

/// A bound condition.
#[derive(Clone, Debug)]
pub struct BoundPred {
    /// The condition.
    pub pred: Pred,
    /// What must be known before it is tested.
    pub facts: Facts,
    /// What must stay as it is for it to be right.
    pub dependencies: Dependencies,
}

/// A column of a query's result, for callers that build on the query.
#[derive(Clone, Debug)]
pub struct QueryColumn {
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The stored column that it shows unchanged.
    pub base: Option<BaseColumn>,
    /// The identity that it has in a table that `SELECT INTO` makes: by `IDENTITY(…)`, or since it
    /// shows such a column.
    pub identity: Option<IdentityDef>,
}

/// The columns of a query.
#[derive(Clone, Debug)]
pub struct QueryColumns {
    /// Its columns.
    pub columns: Vec<QueryColumn>,
    /// What was looked at on the way.
    pub facts: Facts,
    /// What must stay as it is for this to be right.
    pub dependencies: Dependencies,
}

/// An undeclared variable.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// Its name with `@`.
    pub name: Arc<str>,
    /// The type that it should have.
    pub ty: SqlType,
}

/// Binds and plans a data statement. A `SELECT … INTO` is bound by [`select_into`] once its table
/// exists.
pub fn statement(context: &BindContext<'_>, statement: &ast::Statement) -> BindResult<Bound> {
    base::on_purpose::reached(base::on_purpose::Place::Binder);
    let line = statement.span.line;
    bound(context, line, |binder| binder.data_statement(statement))
}

/// Binds and plans the second half of a `SELECT … INTO`: its rows go into the table that was made
/// of its [`query_columns`].
pub fn select_into(
    context: &BindContext<'_>,
    select: &ast::SelectStatement,
    database: base::ids::DbId,
    table: &Arc<TableDef>,
) -> BindResult<Bound> {
    let line = select.query.span.line;
    bound(context, line, |binder| binder.select_into(select, database, table))
}

fn bound(
    context: &BindContext<'_>,
    line: u32,
    f: impl FnOnce(&mut Binder<'_>) -> BindResult<Plan>,
) -> BindResult<Bound> {
    let mut binder = Binder::new(context)?;
    let mut plan = binder.collecting(f).at(line)?;
    binder.use_derived_indexes(&mut plan).at(line)?;
    let plan = binder.planned(plan).at(line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(Bound { plan, facts, dependencies })
}

/// Binds a scalar expression outside of queries, converted as an assignment to a variable of a type
/// does it if one is given.
pub fn expression(
    context: &BindContext<'_>,
    expr: &ast::Expr,
    ty: Option<SqlType>,
) -> BindResult<BoundExpr> {
    let mut binder = Binder::new(context)?;
    let line = expr.span.line;
    let bound = binder.collecting(|b| b.value(expr, ty)).at(line)?;
    let expr = binder.planned_expr(bound).at(line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(BoundExpr { expr, facts, dependencies })
}

/// As `expression`, for what refuses column names with error 128: `PRINT`, `RAISERROR` and the
/// like.
pub fn constant_expression(
    context: &BindContext<'_>,
    expr: &ast::Expr,
    ty: Option<SqlType>,
) -> BindResult<BoundExpr> {
    let mut binder = Binder::new(context)?;
    binder.no_columns = NoColumns::NotPermitted;
    let line = expr.span.line;
    let bound = binder.value(expr, ty).at(line)?;
    let expr = binder.planned_expr(bound).at(line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(BoundExpr { expr, facts, dependencies })
}

/// As `constant_expression`, for `PRINT`. Error 2722 if it calls methods of type xml.
pub fn printed_expression(context: &BindContext<'_>, expr: &ast::Expr) -> BindResult<BoundExpr> {
    let mut binder = Binder::new(context)?;
    binder.no_columns = NoColumns::NotPermitted;
    binder.mentions = Some(Mentions::default());
    let line = expr.span.line;
    let bound = binder.value(expr, None).at(line)?;
    if binder.mentions.as_ref().is_some_and(|mentions| mentions.xml_methods) {
        return Err(SqlError::new(&message::XML_METHOD_NOT_ALLOWED, &[]).at_line(line).into());
    }
    let expr = binder.planned_expr(bound).at(line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(BoundExpr { expr, facts, dependencies })
}

/// Binds what `SET @v = e` or `SET @v += e` assigns, of the variable's type.
pub fn assigned_value(
    context: &BindContext<'_>,
    variable: &ast::Variable,
    op: ast::AssignOp,
    value: &ast::Expr,
) -> BindResult<(VarId, BoundExpr)> {
    let mut binder = Binder::new(context)?;
    let (id, ty) = binder.assignable(variable)?;
    let bound = binder.collecting(|b| {
        let scalar = b.assigned_value(variable, op, value)?;
        b.coerce_to_variable(scalar, ty)
    });
    let bound = bound.at(value.span.line)?;
    let expr = binder.planned_expr(bound).at(value.span.line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok((id, BoundExpr { expr, facts, dependencies }))
}

/// Binds a condition outside of queries.
pub fn condition(context: &BindContext<'_>, condition: &ast::Condition) -> BindResult<BoundPred> {
    let mut binder = Binder::new(context)?;
    let pred = binder.collecting(|b| b.condition(condition)).at(condition.span.line)?;
    let pred = binder.planned_pred(pred).at(condition.span.line)?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(BoundPred { pred, facts, dependencies })
}

/// What a type means to a database: aliases are looked up. Errors 243, 2715 and those of
/// declarations.
pub fn data_type(
    context: &BindContext<'_>,
    ty: &ast::DataType,
    subject: base::types::declare::Subject<'_>,
    ordinal: u32,
) -> BindResult<super::DeclaredType> {
    /// The length of strings that declare none.
    const DECLARED_LENGTH: u16 = 1;
    Binder::new(context)?.data_type(ty, subject, ordinal, DECLARED_LENGTH)
}

/// The columns of a view's or inline function's query.
pub fn query_columns(
    context: &BindContext<'_>,
    with: Option<&ast::With>,
    query: &ast::Query,
) -> BindResult<QueryColumns> {
    columns_of(context, with, query, Usage::View)
}

/// The columns of a `SELECT … INTO`, to make a table of. Errors 194, 8108, 8109 beside those of the
/// query.
pub fn select_into_columns(
    context: &BindContext<'_>,
    select: &ast::SelectStatement,
) -> BindResult<QueryColumns> {
    columns_of(context, select.with.as_ref(), &select.query, Usage::Statement)
}

fn columns_of(
    context: &BindContext<'_>,
    with: Option<&ast::With>,
    query: &ast::Query,
    usage: Usage,
) -> BindResult<QueryColumns> {
    let mut binder = Binder::new(context)?;
    let line = query.span.line;
    let output = binder.collecting(|b| b.with_tables(with, |b| b.query(query, usage))).at(line)?;
    let columns = binder.query_columns(output);
    let Binder { facts, dependencies, .. } = binder;
    Ok(QueryColumns { columns, facts, dependencies })
}

/// The result set that a statement will return; `None` if it returns none.
pub fn describe(
    context: &BindContext<'_>,
    statement: &ast::Statement,
) -> BindResult<Option<Vec<ResultColumn>>> {
    let mut binder = Binder::new(context)?;
    let line = statement.span.line;
    Ok(match binder.collecting(|b| b.data_statement(statement)).at(line)? {
        Plan::Select(select) => match select.destination {
            Destination::Client => Some(select.output.into_iter().map(|o| o.shown).collect()),
            Destination::Variables(_) => None,
        },
        Plan::Insert(plan) => described(plan.effects.output),
        Plan::Update(plan) => described(plan.effects.output),
        Plan::Delete(plan) => described(plan.effects.output),
        Plan::Merge(plan) => described(plan.effects.output),
    })
}

fn described(output: Option<Vec<(Expr, ResultColumn)>>) -> Option<Vec<ResultColumn>> {
    output.map(|output| output.into_iter().map(|(_, column)| column).collect())
}

/// A part of a text that may use variables without a declaration.
#[derive(Clone, Copy)]
pub enum Fragment<'f> {
    /// A statement that reads or changes data.
    Statement(&'f ast::Statement),
    /// The condition of an `IF` or `WHILE`.
    Condition(&'f ast::Condition),
    /// A value, and the type of the variable that it is assigned to.
    Value(&'f ast::Expr, Option<SqlType>),
}

/// The variables that a part of a text uses without a declaration, with the types that they should
/// have: what they are compared with, assigned to or computed with. Errors of the text.
pub fn suggest_parameters(
    context: &BindContext<'_>,
    fragment: Fragment<'_>,
) -> BindResult<Vec<Suggestion>> {
    let mut binder = Binder::new(context)?;
    binder.undeclared = Some(Vec::new());
    match fragment {
        Fragment::Statement(statement) => {
            binder.data_statement(statement).at(statement.span.line)?;
        }
        Fragment::Condition(condition) => {
            binder.condition(condition).at(condition.span.line)?;
        }
        Fragment::Value(value, ty) => {
            let scalar = binder.scalar(value).at(value.span.line)?;
            if let Some(ty) = ty {
                binder.coerce(scalar, ty).at(value.span.line)?;
            }
        }
    }
    let mut undeclared = binder.undeclared.take().unwrap_or_default();
    for at in 0..undeclared.len() {
        if let Some(like) = undeclared[at].like {
            let ty = undeclared[at].ty.or(undeclared[usize::from(like)].ty);
            undeclared[at].ty = ty;
        }
    }
    let suggestion = |Undeclared { name, ty, .. }| {
        // What nothing is known about could be anything.
        let ty = ty.unwrap_or(SqlType::nvarchar(4000, binder.collation()));
        Suggestion { name, ty }
    };
    Ok(undeclared.into_iter().map(suggestion).collect())
}

impl Binder<'_> {
    /// An expression, converted as an assignment to a variable of a type does it if one is given.
    fn value(&mut self, expr: &ast::Expr, ty: Option<SqlType>) -> BindResult<Expr> {
        let scalar = self.scalar(expr)?;
        match ty {
            Some(ty) => self.coerce_to_variable(scalar, ty),
            None => Ok(scalar.expr),
        }
    }

    /// A statement that reads or changes data.
    pub(super) fn data_statement(&mut self, statement: &ast::Statement) -> BindResult<Plan> {
        let line = statement.span.line;
        self.verb = match &statement.kind {
            StatementKind::Insert(_) => "INSERT",
            StatementKind::Update(_) => "UPDATE",
            StatementKind::Delete(_) => "DELETE",
            StatementKind::Merge(_) => "MERGE",
            _ => "SELECT",
        };
        match &statement.kind {
            StatementKind::Select(select) => self.select_statement(select),
            StatementKind::Insert(insert) => {
                self.in_context(insert.with.as_ref(), |b| b.insert(insert))
            }
            StatementKind::Update(update) => {
                self.in_context(update.with.as_ref(), |b| b.update(update))
            }
            StatementKind::Delete(delete) => {
                self.in_context(delete.with.as_ref(), |b| b.delete(delete))
            }
            StatementKind::Merge(merge) => self.in_context(merge.with.as_ref(), |b| b.merge(merge)),
            StatementKind::Text(text) => self.text_statement(text),
            _ => Err(unimplemented("statement", line)),
        }
    }

    /// `SELECT` to the client or to variables. Error 10734.
    fn select_statement(&mut self, select: &ast::SelectStatement) -> BindResult<Plan> {
        self.query_hints(&select.options)?;
        let output =
            self.with_tables(select.with.as_ref(), |b| b.query(&select.query, Usage::Statement))?;
        let Output { node, columns, assigns, .. } = output;
        if !assigns.is_empty() {
            let destination = Destination::Variables(assigns);
            return Ok(Plan::Select(SelectPlan { root: node, output: Vec::new(), destination }));
        }
        let output = columns.into_iter().map(|column| self.output_column(column)).collect();
        Ok(Plan::Select(SelectPlan { root: node, output, destination: Destination::Client }))
    }

    fn query_columns(&self, output: Output) -> Vec<QueryColumn> {
        let column = |column: OutCol| {
            let shown = column.base.as_ref().map(|b| &b.table.columns[b.ordinal]);
            let identity = match column.origin {
                Origin::Identity(at) => self.identities.get(usize::from(at)).copied(),
                _ => shown.and_then(|def| def.identity),
            };
            QueryColumn {
                name: column.name,
                ty: column.ty,
                nullable: column.nullable,
                identity,
                base: column.base.map(base_column),
            }
        };
        output.columns.into_iter().map(column).collect()
    }

    /// Lets the planner improve a statement's plan. Error 8622 if none obeys the hints.
    pub fn planned(&mut self, mut plan: Plan) -> BindResult<Plan> {
        self.classify_plan(&mut plan);
        self.mask_plan(&mut plan)?;
        let with_views = self.with_views(&plan)?;
        optimize::statement(&mut plan, &mut self.plan_context())?;
        if let Some(mut with_views) = with_views {
            optimize::statement(&mut with_views, &mut self.plan_context())?;
            plan = self.cheaper(plan, with_views);
        }
        let need = optimize::memory(&plan, &mut self.plan_context());
        self.facts.needs(need);
        Ok(plan)
    }

    /// As `planned`, for the queries in an expression.
    pub fn planned_expr(&mut self, mut expr: Expr) -> BindResult<Expr> {
        self.mask_value(&mut expr)?;
        optimize::expression(&mut expr, &mut self.plan_context())?;
        let need = optimize::memory_inside(Part::Expr(&expr), &mut self.plan_context());
        self.facts.needs(need);
        Ok(expr)
    }

    /// As `planned`, for the queries in a condition.
    pub fn planned_pred(&mut self, mut pred: Pred) -> BindResult<Pred> {
        optimize::condition(&mut pred, &mut self.plan_context())?;
        let need = optimize::memory_inside(Part::Pred(&pred), &mut self.plan_context());
        self.facts.needs(need);
        Ok(pred)
    }

    fn plan_context(&mut self) -> PlanContext<'_> {
        PlanContext { ids: &mut self.ids, hints: &self.hints, statistics: self.statistics }
    }
}

impl Binder<'_> {
    /// A column as it is described to the client.
    fn output_column(&self, column: OutCol) -> OutputColumn {
        OutputColumn {
            column: column.id,
            shown: ResultColumn {
                name: column.name.unwrap_or_else(|| "".into()),
                ty: column.ty,
                nullable: column.nullable,
                base: column.base.map(base_column),
                schemas: self.schemas_of(&column.ty),
                classified: None,
            },
        }
    }

    /// The schemas that values of a type follow, as clients are told them.
    pub(super) fn schemas_of(&self, ty: &SqlType) -> Option<Arc<XmlCollectionName>> {
        let name = || self.names.database_name(self.env.database);
        self.env.schema.xml_collection_name(ty, &name)
    }
}

fn base_column(base: BaseRef) -> BaseColumn {
    BaseColumn { table: base.table, ordinal: base.ordinal }
}

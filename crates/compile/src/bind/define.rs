//! What tables define by expressions: checks, defaults, computed columns and filters of indexes.
//!
//! For DDL the functions here find out what such a definition is: its canonical text, its type,
//! what it mentions, and whether it may stand there at all. For statements [`Binder::over_row`] and
//! [`Binder::default_of`] bind what the catalog keeps of it.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlType, Value, message};
use engine::catalog::def::{
    BoundRule, ColumnDef, ColumnId, Comparison, FilterDef, FilterTerm, FilterTest, Name, Reference,
    ReferenceClass, TableDef,
};
use ir::operator::VarId;
use ir::read::ReadOptions;
use tsql::ast::{self, CompareOp, ConditionKind};
use tsql::print;

use super::binder::{Binder, Env, Mentions, NoColumns, Variables};
use super::context::{AtLine, BindContext, BindError, BindResult};
use super::scalar::{Label, Origin, Scalar};
use super::scope::{Clause, Exposed, Rows, ScanSource, Source, TableName, TableSchema};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::hints::AccessHint;
use crate::plan::tree;
use crate::plan::walk::{self, Part, PartMut, Parts};

/// What a definition turns out to be.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The text that the catalog keeps, in parentheses.
    pub text: Name,
    /// The type of the value; `bit` for a condition.
    pub ty: SqlType,
    /// Whether the value may be NULL.
    pub nullable: bool,
    /// The columns of the table that it uses, in ascending order.
    pub columns: Vec<ColumnId>,
    /// The functions and sequences that it uses.
    pub references: Vec<Reference>,
    /// Whether equal rows always give equal results.
    pub deterministic: bool,
    /// Whether it reads data, itself or through functions.
    pub reads_data: bool,
    /// Whether it calls methods of type xml.
    pub xml_methods: bool,
    /// Whether it contains strings that have the database's collation.
    pub uses_database_collation: bool,
    /// The value, where it is the same for all rows; of the column's type for a default.
    pub constant: Option<Value>,
}

/// A `CHECK` constraint of a table. All columns of the table must be there, the types of computed
/// ones included. Errors 207, 1046, 11719 and those of its expressions.
pub fn check(
    context: &BindContext<'_>,
    table: &Arc<TableDef>,
    condition: &ast::Condition,
) -> BindResult<Definition> {
    let mut binder = definer(context)?;
    let (pred, scan) = binder.over_table(table, |b| b.condition(condition))?;
    let text = print::check_definition(condition);
    tsql::parse_condition(&text, definition_options())?;
    let collated = uses_collation(&pred, &binder);
    Ok(binder.definition(text, SqlType::bit(), true, used(table, &scan), collated))
}

/// An expression as the catalog keeps it. Error 191 if it could not be read again: where operators
/// chain, that form nests parentheses.
fn kept(expr: &ast::Expr) -> BindResult<String> {
    let text = print::expression_definition(expr);
    tsql::parse_expression(&text, definition_options())?;
    Ok(text)
}

/// A computed column of a table. Other computed columns may be in the table with any type: to use
/// one is error 1759. Errors 207, 1046, 11719 and those of its expressions.
pub fn computed(
    context: &BindContext<'_>,
    table: &Arc<TableDef>,
    expr: &ast::Expr,
) -> BindResult<Definition> {
    let mut binder = definer(context)?;
    binder.stored_only = true;
    let (value, scan) = binder.over_table(table, |b| b.scalar(expr))?;
    let text = kept(expr)?;
    let collated = uses_collation(&value.expr, &binder);
    let (ty, nullable) = (value.expr.ty, value.expr.nullable);
    let found = binder.definition(text, ty, nullable, used(table, &scan), collated);
    Ok(Definition { constant: value.value().cloned(), ..found })
}

/// The default of a column, of which the type and the name count. Errors 128, 206, 257, 1046.
pub fn default(
    context: &BindContext<'_>,
    column: &ColumnDef,
    value: &ast::Expr,
) -> BindResult<Definition> {
    let mut binder = definer(context)?;
    let env = binder.module_env(binder.env.database, binder.env.default_schema)?;
    let scalar = binder.in_env(env, |b| b.default_value(value))?;
    let collated = uses_collation(&scalar.expr, &binder);
    let line = value.span.line;
    let expr = binder.coerce_to_column(scalar, column.ty).at(line)?;
    let text = kept(value)?;
    let constant = match &expr.kind {
        ExprKind::Constant(constant) => Some(constant.clone()),
        _ => None,
    };
    let found = binder.definition(text, column.ty, expr.nullable, Vec::new(), collated);
    Ok(Definition { constant, ..found })
}

/// The condition of a rule as the catalog keeps it. Errors 128, 160, 1046, 4105 and those of its
/// expressions, as far as they do not depend on the type of what it is bound to.
pub fn rule(
    context: &BindContext<'_>,
    variable: Option<&Name>,
    condition: &ast::Condition,
) -> BindResult<Name> {
    let mut binder = definer(context)?;
    let mut env = binder.module_env(binder.env.database, binder.env.default_schema)?;
    let anything = variable.map(|variable| (variable.clone(), Scalar::null(), usize::MAX));
    env.variables = Variables::Parameters(Arc::new(anything.into_iter().collect()));
    let bound = binder.in_env(env, |b| b.rule_condition(condition));
    free_of_functions(&mut binder, bound.map(|_| ()))?;
    if variable.is_none() {
        return Err(SqlError::new(&message::RULE_WITHOUT_VARIABLE, &[]).at_line(1).into());
    }
    let text = print::check_definition(condition);
    tsql::parse_condition(&text, definition_options())?;
    Ok(text.into())
}

/// The value of a default that belongs to no column yet, as the catalog keeps it. Errors 128, 137,
/// 1046, 4105 and those of its expression.
pub fn free_default(context: &BindContext<'_>, value: &ast::Expr) -> BindResult<Name> {
    let mut binder = definer(context)?;
    let env = binder.module_env(binder.env.database, binder.env.default_schema)?;
    let bound = binder.in_env(env, |b| b.default_value(value));
    free_of_functions(&mut binder, bound.map(|_| ()))?;
    Ok(kept(value)?.into())
}

/// Error 4105 for what calls users' functions, or would if they existed.
fn free_of_functions(binder: &mut Binder<'_>, bound: BindResult<()>) -> BindResult<()> {
    let mentions = binder.mentions.take().unwrap_or_default();
    let refused = |line: u32| {
        let error = SqlError::new(&message::FUNCTION_IN_BINDABLE, &[]);
        Err(BindError::from(error.with_state(3).at_line(line)))
    };
    match bound {
        Ok(()) if mentions.functions.is_empty() => Ok(()),
        Ok(()) => refused(1),
        Err(failed) if failed.error.number() == message::CANNOT_BIND_FUNCTION.number => {
            refused(failed.error.line())
        }
        Err(failed) => Err(failed),
    }
}

/// The filter of an index: simple tests of columns, all of which must hold. `kind` is what messages
/// call the index. Errors 207, 10609, 10735 and those of its conversions.
pub fn filter(
    context: &BindContext<'_>,
    table: &TableDef,
    kind: &str,
    index: &str,
    condition: &ast::Condition,
) -> BindResult<FilterDef> {
    let mut binder = definer(context)?;
    binder.no_columns = NoColumns::NotPermitted;
    let mut filter = Filter { binder, table, kind, index, terms: Vec::new() };
    filter.condition(condition)?;
    let text = print::filter_definition(condition);
    tsql::parse_condition(&text, definition_options())?;
    Ok(FilterDef { definition: text.into(), terms: filter.terms })
}

/// An expression over one row of a table, of this type, in which variables stand for the columns: a
/// stored column is the variable whose number is its place in the row.
pub fn over_variables(
    context: &BindContext<'_>,
    table: &Arc<TableDef>,
    expr: &ast::Expr,
    ty: SqlType,
) -> BindResult<Expr> {
    let mut binder = definer(context)?;
    binder.stored_only = true;
    let (mut value, scan) = binder.over_table(table, |binder| {
        let value = binder.scalar(expr)?;
        binder.coerce_to_variable(value, ty)
    })?;
    let mut variables = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        if let (Some(id), Some(place)) = (scan.ids[at], table.layout_position(at)) {
            let kind = ExprKind::Variable(VarId(place as u32));
            variables.push((id, Expr { kind, ty: column.ty, nullable: column.nullable }));
        }
    }
    substitute_in(&mut value, &variables);
    Ok(value)
}

/// A binder that notes what a definition mentions.
fn definer<'c>(context: &BindContext<'c>) -> BindResult<Binder<'c>> {
    let mut binder = Binder::new(context)?;
    binder.scalar_only = true;
    binder.mentions = Some(Mentions::default());
    Ok(binder)
}

/// The columns that were used.
fn used(table: &TableDef, scan: &ScanSource) -> Vec<ColumnId> {
    let ids = table.columns.iter().zip(&scan.ids);
    ids.filter(|(_, id)| id.is_some()).map(|(column, _)| column.id).collect()
}

/// Whether an expression contains a string of the database's collation.
fn uses_collation(whole: &dyn Parts, binder: &Binder<'_>) -> bool {
    let mut found = false;
    let ours = |ty: &SqlType| ty.kind.is_character() && ty.collation == binder.collation();
    walk::visit(whole, &mut |part| {
        if let Part::Expr(expr) = part {
            found |= ours(&expr.ty) && !matches!(expr.kind, ExprKind::Column(_));
        }
    });
    found
}

impl Binder<'_> {
    fn over_table<T>(
        &mut self,
        table: &Arc<TableDef>,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<(T, ScanSource)> {
        let database = self.env.database;
        self.over_row(database, table, vec![None; table.columns.len()], f)
    }

    fn definition(
        &mut self,
        text: String,
        ty: SqlType,
        nullable: bool,
        columns: Vec<ColumnId>,
        uses_database_collation: bool,
    ) -> Definition {
        let mentions = self.mentions.take().unwrap_or_default();
        let mentioned = mentions.functions.iter().chain(&mentions.sequences);
        Definition {
            text: text.into(),
            ty,
            nullable,
            columns,
            references: mentioned.map(|(name, id)| reference(name, *id)).collect(),
            deterministic: !mentions.nondeterministic,
            reads_data: mentions.reads_data,
            xml_methods: mentions.xml_methods,
            uses_database_collation,
            constant: None,
        }
    }

    /// Runs a function with a binder that sees the columns of one row of a table and nothing else.
    /// `ids` names the columns that have names already, by place in [`TableDef::columns`]; the
    /// others get theirs in the result as far as they are used.
    pub fn over_row<T>(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        ids: Vec<Option<ColId>>,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<(T, ScanSource)> {
        let env = self.definition_env(database, table)?;
        self.in_env(env, |binder| {
            binder.open_block(Clause::Other);
            let number = binder.next_scan();
            let source = row_source(database, table, ids, number);
            binder.block().sources.push(source);
            binder.block().show_all();
            let result = f(binder);
            let mut block = binder.close_block();
            let Some(Source { rows: Rows::Scan(scan), .. }) = block.sources.pop() else {
                unreachable!("a row has been put there")
            };
            Ok((result?, *scan))
        })
    }

    /// A column's default; a bare NULL if it has none.
    pub fn default_of(
        &mut self,
        database: DbId,
        table: &TableDef,
        column: &ColumnDef,
    ) -> BindResult<Scalar> {
        let Some(text) = column.default_text() else { return Ok(Scalar::null()) };
        let value = tsql::parse_expression(text, definition_options())?;
        let env = self.definition_env(database, table)?;
        self.in_env(env, |binder| binder.default_value(&value))
    }

    /// The condition of a rule about a value of one of its columns.
    pub fn rule(
        &mut self,
        database: DbId,
        table: &TableDef,
        rule: &BoundRule,
        value: Expr,
    ) -> BindResult<Pred> {
        let condition = tsql::parse_condition(&rule.condition, definition_options())?;
        let mut env = self.definition_env(database, table)?;
        let scalar = Scalar { label: Label::column(&value.ty), expr: value, origin: Origin::Plain };
        env.variables =
            Variables::Parameters(Arc::new(vec![(rule.variable.clone(), scalar, usize::MAX)]));
        self.in_env(env, |binder| binder.rule_condition(&condition))
    }

    fn rule_condition(&mut self, condition: &ast::Condition) -> BindResult<Pred> {
        let no_columns = std::mem::replace(&mut self.no_columns, NoColumns::NotPermitted);
        let bound = self.condition(condition);
        self.no_columns = no_columns;
        bound
    }

    /// The surroundings of a table's definitions.
    fn definition_env(&mut self, database: DbId, table: &TableDef) -> BindResult<Env> {
        let mut env = self.module_env(self.home_of(database), table.header.schema)?;
        env.through = Some((database, table.id()));
        env.ansi_nulls = table.ansi_nulls;
        Ok(env)
    }

    /// The expression of a default.
    fn default_value(&mut self, value: &ast::Expr) -> BindResult<Scalar> {
        let no_columns = std::mem::replace(&mut self.no_columns, NoColumns::NotPermitted);
        let in_default = std::mem::replace(&mut self.in_default, true);
        let bound = self.scalar(value);
        self.no_columns = no_columns;
        self.in_default = in_default;
        bound
    }
}

/// How the texts that the catalog keeps are read.
pub(super) fn definition_options() -> tsql::ParseOptions {
    tsql::ParseOptions { quoted_identifier: true }
}

/// A table as a source of one current row.
pub(super) fn row_source(
    database: DbId,
    table: &Arc<TableDef>,
    ids: Vec<Option<ColId>>,
    number: u32,
) -> Source {
    let schema = TableSchema::Of(table.header.schema);
    let scan = ScanSource {
        number,
        source: tree::Source::Table { database, table: table.clone() },
        listed: Vec::new(),
        ids,
        row: None,
        row_number: None,
        sample: None,
        filter: None,
        options: ReadOptions::default(),
        hint: AccessHint::default(),
        computed: Vec::new(),
    };
    Source {
        exposed: Exposed {
            name: table.header.name.clone(),
            table: Some(TableName { database, schema, written: "".into() }),
        },
        rows: Rows::Scan(Box::new(scan)),
        optional: false,
        view: None,
        written: None,
    }
}

/// Puts expressions in the place of columns.
pub(super) fn substitute(whole: &mut dyn Parts, values: &[(ColId, Expr)]) {
    if values.is_empty() {
        return;
    }
    whole.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) => substitute_in(expr, values),
        PartMut::Pred(pred) => substitute(pred, values),
        PartMut::Node(node) => substitute(node, values),
    });
}

/// As `substitute`, where the whole expression may be such a column.
pub(super) fn substitute_in(expr: &mut Expr, values: &[(ColId, Expr)]) {
    match expr.kind {
        ExprKind::Column(column) => {
            if let Some((_, value)) = values.iter().find(|(of, _)| *of == column) {
                *expr = value.clone();
            }
        }
        _ => substitute(expr, values),
    }
}

fn reference(name: &ast::ObjectName, id: ObjectId) -> Reference {
    let part = |ident: &Option<ast::Ident>| ident.as_ref().map(|i| i.name.clone());
    Reference {
        class: ReferenceClass::Object,
        server: part(&name.server),
        database: part(&name.database),
        schema: part(&name.schema),
        name: name.name.name.clone(),
        id: Some(id.0),
        column: None,
        schema_bound: true,
        caller_dependent: false,
        ambiguous: false,
    }
}

/// A filter of an index while it is taken apart.
struct Filter<'f> {
    binder: Binder<'f>,
    table: &'f TableDef,
    kind: &'f str,
    index: &'f str,
    terms: Vec<FilterTerm>,
}

impl Filter<'_> {
    fn condition(&mut self, condition: &ast::Condition) -> BindResult<()> {
        let line = condition.span.line;
        match &condition.kind {
            ConditionKind::And(parts) => parts.iter().try_for_each(|part| self.condition(part)),
            ConditionKind::IsNull { operand, negated } => {
                let column = self.column(operand).ok_or_else(|| self.refused(line))??;
                let test = if *negated { FilterTest::IsNotNull } else { FilterTest::IsNull };
                self.term(column, test)
            }
            ConditionKind::Compare { op, left, right } => {
                let (column, op, value) = match (self.column(left), self.column(right)) {
                    (Some(column), None) => (column?, *op, right),
                    (None, Some(column)) => (column?, mirrored(*op), left),
                    _ => return Err(self.refused(line)),
                };
                let value = self.constant(column, value)?;
                self.term(column, FilterTest::Compare(comparison(op), value))
            }
            ConditionKind::InList { operand, list, negated: false } => {
                let column = self.column(operand).ok_or_else(|| self.refused(line))??;
                let values = list.iter().map(|value| self.constant(column, value));
                let values = values.collect::<BindResult<Vec<Value>>>()?;
                self.term(column, FilterTest::In(values))
            }
            _ => Err(self.refused(line)),
        }
    }

    fn term(&mut self, column: usize, test: FilterTest) -> BindResult<()> {
        self.terms.push(FilterTerm { column: self.table.columns[column].id, test });
        Ok(())
    }

    /// The column that an expression is. Errors 207, 10609, 10619.
    fn column(&self, expr: &ast::Expr) -> Option<BindResult<usize>> {
        let ast::ExprKind::Column(column) = &expr.kind else { return None };
        let name = &column.column;
        let same = |c: &ColumnDef| self.binder.same_name(&c.name, &name.name);
        let Some(place) = self.table.columns.iter().position(same) else {
            let error = SqlError::new(&message::INVALID_COLUMN, &[&name.name]);
            return Some(Err(error.at_line(name.span.line).into()));
        };
        let found = &self.table.columns[place];
        if found.computed.is_some() || found.ty.kind.is_clr() {
            let table = &self.table.header.name;
            let args: [&dyn std::fmt::Display; 4] = [&self.kind, &self.index, table, &found.name];
            let error = match found.computed {
                Some(_) => SqlError::new(&message::FILTERED_INDEX_COMPUTED, &args),
                None => SqlError::new(&message::FILTERED_INDEX_CLR, &args),
            };
            return Some(Err(error.at_line(name.span.line).into()));
        }
        Some(Ok(place))
    }

    /// A constant of a column's type.
    fn constant(&mut self, column: usize, value: &ast::Expr) -> BindResult<Value> {
        let line = value.span.line;
        let scalar = self.binder.scalar(value)?;
        if scalar.origin == Origin::Null {
            return Err(self.refused(line));
        }
        let expr = self.binder.coerce(scalar, self.table.columns[column].ty).at(line)?;
        match expr.kind {
            ExprKind::Constant(value) if !value.is_null() => Ok(value),
            _ => Err(self.refused(line)),
        }
    }

    /// Error 10735: the filter is not one that an index may have.
    fn refused(&self, line: u32) -> BindError {
        let args: [&dyn std::fmt::Display; 3] = [&self.kind, &self.index, &self.table.header.name];
        SqlError::new(&message::FILTERED_INDEX_WHERE, &args).at_line(line).into()
    }
}

/// The comparison with its sides exchanged.
fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
        same => same,
    }
}

fn comparison(op: CompareOp) -> Comparison {
    match op {
        CompareOp::Equal => Comparison::Equal,
        CompareOp::NotEqual => Comparison::NotEqual,
        CompareOp::Less => Comparison::Less,
        CompareOp::LessOrEqual => Comparison::LessOrEqual,
        CompareOp::Greater => Comparison::Greater,
        CompareOp::GreaterOrEqual => Comparison::GreaterOrEqual,
    }
}

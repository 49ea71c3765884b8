//! What stands for a query or expression of its own: views, inline functions, computed columns.
//!
//! Each is bound anew wherever it is used, in the surroundings of its definition: names are looked
//! for in its database and schema, and it sees neither blocks nor variables of the query that uses
//! it.

use std::rc::Rc;
use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::{ColumnDef, ModuleDef, ModuleKind, SchemaId};
use ir::operator::CastMode;
use tsql::ast::{self, Argument, FunctionBody, Module, ObjectName, StatementKind};

use super::access_hint::Inherited;
use super::binder::{Binder, Variables};
use super::context::{AtLine, BindError, BindResult, SystemView};
use super::dml::shown_conditions;
use super::scalar::Scalar;
use super::scope::{Clause, ColumnAt, OutCol, Rows, ViewColumn, ViewRows};
use super::select::{Output, Usage, computed};
use super::system_time::Moments;
use crate::plan::expr::Expr;
use crate::plan::tree::Node;

/// An argument of an inline function, and the outermost block that it refers to.
pub(super) type InlineArgument = (Scalar, usize);

/// What the use of a view hands down to what the view reads.
pub(super) struct Expanded {
    pub inherited: Inherited,
    pub moments: Option<Rc<Moments>>,
    pub usage: Usage,
}

impl Binder<'_> {
    /// A view's rows. Errors of its query, 4502 if it yields too few columns.
    pub fn view_rows(
        &mut self,
        database: DbId,
        view: &Arc<ModuleDef>,
        Expanded { inherited, moments, usage }: Expanded,
        shown: &ObjectName,
    ) -> BindResult<Rows> {
        let line = shown.span.line;
        let tree = self.names.module_tree(database, view)?;
        let Some(Module::View(text)) = module_of(&tree) else { return Err(unreadable(view)) };
        let mut env = self.module_env(database, view.header.schema)?;
        env.through = Some((database, view.id()));
        env.ansi_nulls = view.uses_ansi_nulls;
        env.quoted_identifier = view.uses_quoted_identifier;
        env.inherited = inherited;
        env.system_time = moments;
        let usage = if usage == Usage::Target { usage } else { Usage::View };
        let query = &text.query;
        let output = self.module_query(&view.header.name, &shown.to_string(), line, |b| {
            b.in_env(env, |b| b.with_tables(query.with.as_ref(), |b| b.query(&query.query, usage)))
        })?;
        let ModuleKind::View { columns, with_check_option, .. } = &view.kind else {
            return Err(unreadable(view));
        };
        let mut rows = self.renamed(database, output, columns, &view.header.name)?;
        if usage == Usage::Target {
            self.seen_through(database, view, *with_check_option, &mut rows);
            self.may_take_rows(database, view, shown, &mut rows);
        }
        self.hide_view_rows(database, view, &mut rows)?;
        Ok(rows)
    }

    /// Notes on a view's columns what a statement that changes them must respect: the rule of a
    /// view within this one, or this one's, which includes it.
    fn seen_through(&self, database: DbId, view: &ModuleDef, checks: bool, rows: &mut Rows) {
        let Rows::Derived(Some(node), columns) = rows else { return };
        let checked = checks.then(|| shown_conditions(node).into());
        for base in columns.iter_mut().filter_map(|column| column.base.as_mut()) {
            if checked.is_some() {
                base.checked.clone_from(&checked);
            }
            if self.env.depth == 0 {
                base.view = Some((database, view.id()));
            }
        }
        if self.env.depth == 0 {
            for inner in columns.iter_mut().flat_map(|column| &mut column.views) {
                inner.permitted = Some((database, view.id()));
            }
        }
    }

    /// Notes on a view's columns which view they belong to, if it has triggers: those may take its
    /// rows.
    fn may_take_rows(
        &mut self,
        database: DbId,
        view: &Arc<ModuleDef>,
        shown: &ObjectName,
        rows: &mut Rows,
    ) {
        if view.triggers.is_empty() {
            return;
        }
        let mark = self.free_column();
        let Rows::Derived(Some(node), columns) = rows else { return };
        let one = Scalar::constant(base::SqlType::int(), base::Value::Int(1)).expr;
        *node = computed(std::mem::replace(node, Node::OneRow), vec![(mark, one)]);
        let of = Arc::new(ViewRows {
            database,
            view: view.clone(),
            written: shown.to_string(),
            columns: columns.iter().map(|c| c.id).collect(),
            mark,
        });
        let permitted = (self.env.depth == 0).then(|| (database, view.id()));
        for (ordinal, column) in columns.iter_mut().enumerate() {
            column.views.insert(0, ViewColumn { rows: of.clone(), ordinal, permitted });
        }
    }

    /// The rows of a view that the server provides, about a database.
    pub fn system_view_rows(
        &mut self,
        database: DbId,
        view: &'static SystemView,
    ) -> BindResult<Rows> {
        let options = tsql::ParseOptions { quoted_identifier: true };
        let tree = tsql::parse_batch(view.query, options)?;
        let Some(StatementKind::Select(select)) = tree.statements.first().map(|s| &s.kind) else {
            let error = SqlError::new(&message::VIEW_BINDING_ERRORS, &[&view.name]);
            return Err(error.into());
        };
        let env = self.module_env(database, SchemaId::SYS)?;
        let output = self.in_env(env, |b| {
            b.with_tables(select.with.as_ref(), |b| b.query(&select.query, Usage::View))
        })?;
        Ok(Rows::Derived(Some(output.node), output.columns))
    }

    /// The arguments of an inline function, of its parameters' types.
    pub fn inline_arguments(
        &mut self,
        module: &ModuleDef,
        items: &[Argument],
        name: &ObjectName,
        line: u32,
    ) -> BindResult<Vec<InlineArgument>> {
        let count = module.parameters.len();
        if items.len() != count {
            let message = match items.len() < count {
                true => &message::TOO_FEW_ARGUMENTS,
                false => &message::TOO_MANY_ARGUMENTS,
            };
            return Err(SqlError::new(message, &[&name.to_string()]).at_line(line).into());
        }
        let mut args = Vec::with_capacity(count);
        for (item, parameter) in items.iter().zip(&module.parameters) {
            let before = std::mem::replace(&mut self.outermost, usize::MAX);
            let bound = match item {
                Argument::Expr(expr) => self.scalar(expr),
                Argument::Default(_) => {
                    let value = parameter.default.clone().unwrap_or(base::Value::Null);
                    Ok(Scalar::constant(parameter.ty, value))
                }
            };
            let outermost = std::mem::replace(&mut self.outermost, before);
            self.outermost = self.outermost.min(outermost);
            let expr = self.coerce_to_variable(bound?, parameter.ty).at(line)?;
            args.push((Scalar::computed(expr), outermost));
        }
        Ok(args)
    }

    /// An inline function's rows.
    pub fn inline_rows(
        &mut self,
        database: DbId,
        module: &Arc<ModuleDef>,
        args: Vec<InlineArgument>,
        inherited: Inherited,
        shown: &ObjectName,
    ) -> BindResult<Rows> {
        let tree = self.names.module_tree(database, module)?;
        let body = match module_of(&tree) {
            Some(Module::Function(function)) => &function.body,
            _ => return Err(unreadable(module)),
        };
        let FunctionBody::Inline { with, query } = body else { return Err(unreadable(module)) };
        let mut env = self.module_env(database, module.header.schema)?;
        env.through = Some((database, module.id()));
        env.ansi_nulls = module.uses_ansi_nulls;
        env.quoted_identifier = module.uses_quoted_identifier;
        env.inherited = inherited;
        env.system_time = self.env.system_time.clone();
        let named = module.parameters.iter().zip(args);
        let named = named.map(|(p, (arg, outermost))| (p.name.clone(), arg, outermost)).collect();
        env.variables = Variables::Parameters(Arc::new(named));
        let name = &module.header.name;
        let output = self.module_query(name, &shown.to_string(), shown.span.line, |b| {
            b.in_env(env, |b| b.with_tables(with.as_ref(), |b| b.query(query, Usage::View)))
        })?;
        let ModuleKind::InlineFunction { columns } = &module.kind else {
            return Err(unreadable(module));
        };
        self.renamed(database, output, columns, &module.header.name)
    }

    /// A query's columns under the names that were found when the module was made.
    fn renamed(
        &self,
        database: DbId,
        output: Output,
        names: &[ColumnDef],
        module: &str,
    ) -> BindResult<Rows> {
        let Output { node, mut columns, .. } = output;
        if columns.len() < names.len() {
            return Err(SqlError::new(&message::VIEW_FEWER_COLUMNS, &[&module]).into());
        }
        columns.truncate(names.len());
        let rename = |(column, def): (OutCol, &ColumnDef)| OutCol {
            name: Some(def.name.clone()),
            ty: self.type_here(database, column.ty),
            ..column
        };
        let columns = columns.into_iter().zip(names).map(rename).collect();
        Ok(Rows::Derived(Some(node), columns))
    }

    /// The value of a computed column that rows do not hold, from the other columns of its row.
    pub fn computed_column(&mut self, at: ColumnAt) -> BindResult<Expr> {
        let of = &self.blocks[at.block].sources[at.source];
        let Rows::Scan(scan) = &of.rows else { unreachable!("only tables have computed columns") };
        let table = scan.table().expect("only tables have computed columns").clone();
        let database = scan.database().unwrap_or(self.env.database);
        let def = &table.columns[at.ordinal];
        let computed = def.computed.as_ref().expect("it is not stored");
        let options = tsql::ParseOptions { quoted_identifier: table.quoted_identifier };
        let text = match def.column_set {
            false => Some(tsql::parse_expression(&computed.definition, options)?),
            true => None,
        };
        let mut env = self.module_env(self.home_of(database), table.header.schema)?;
        env.through = Some((database, table.id()));
        env.ansi_nulls = table.ansi_nulls;
        // The source moves to a block of its own, where its columns are all there is.
        self.open_block(Clause::Other);
        let top = self.blocks.len() - 1;
        let place = super::scope::Source::placeholder();
        let own = std::mem::replace(&mut self.blocks[at.block].sources[at.source], place);
        let optional = own.optional;
        self.blocks[top].sources.push(super::scope::Source { optional: false, ..own });
        self.blocks[top].show_all();
        self.references.push(Vec::new());
        let result = self.in_env(env, |b| {
            let value = match &text {
                Some(text) => b.scalar(text)?,
                None => b.column_set_value(&table)?,
            };
            b.convert_explicitly(value, def.ty)
        });
        self.references.pop();
        let mut own = self.close_block().sources.pop().expect("it was pushed above");
        own.optional = optional;
        self.blocks[at.block].sources[at.source] = own;
        result
    }

    /// Where the names of a table's definitions are looked for: those of temporary tables mean what
    /// they mean to the session.
    pub fn home_of(&self, database: DbId) -> DbId {
        if database == DbId::TEMPDB { self.env.database } else { database }
    }

    fn convert_explicitly(&mut self, value: Scalar, ty: base::SqlType) -> BindResult<Expr> {
        if value.is_untyped() {
            return self.coerce(value, ty);
        }
        Ok(self.cast(value.expr, ty, CastMode::Explicit))
    }
}

/// The module that a text creates.
pub(super) fn module_of(tree: &ast::Batch) -> Option<&Module> {
    tree.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Module(module) => Some(&module.module),
        _ => None,
    })
}

/// Error 4413: the text is not what the catalog says it is.
fn unreadable(module: &ModuleDef) -> BindError {
    SqlError::new(&message::VIEW_BINDING_ERRORS, &[&module.header.name]).into()
}

//! Security policies: their predicates as conditions on the rows of a table.
//!
//! A predicate is a call of an inline function. It is expanded wherever the table, or the view, is
//! read or written, as a condition on the row: one of the function's own where it reads nothing, so
//! that indexes find what it lets through; else `EXISTS`.
//!
//! What a predicate of a schema-bound policy reads needs no permission. While the predicates of a
//! table are bound, the table shows all of its rows: a predicate that reads its own table judges no
//! row of what it reads.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::{
    BlockedOperation, ColumnId, ModuleDef, ModuleKind, Permission, PredicateDef, PredicateKind,
    ReferenceClass, SecurityPolicyDef, TableDef, TableKind, TableRole,
};
use engine::catalog::{Object, Schema};
use tsql::ast::{self, Argument, ObjectName};

use super::access_hint::Inherited;
use super::binder::Binder;
use super::context::{Access, BindError, BindResult, NameDependency};
use super::define::{definition_options, substitute};
use super::names::invalid_object;
use super::scope::Rows;
use crate::plan::expr::{ColId, Expr, Pred, Subquery};
use crate::plan::tree::Node;
use crate::plan::walk::has_subquery;

/// The names of a row's columns, by place in [`TableDef::columns`].
type RowNames = Vec<Option<ColId>>;

/// A predicate with its policy.
type Found<'t> = (&'t SecurityPolicyDef, &'t PredicateDef);

impl Binder<'_> {
    /// Whether the predicates of a table apply.
    fn is_judged(&self, database: DbId, table: &TableDef) -> bool {
        !table.policies.is_empty()
            && !self.options.sees_all_rows
            && !self.judged.contains(&(database, table.id()))
    }

    /// Lets a scan of a table yield only the rows that its policies show.
    pub(super) fn hide_rows(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        rows: &mut Rows,
    ) -> BindResult<()> {
        let Rows::Scan(scan) = rows else { return Ok(()) };
        if !self.is_judged(database, table) {
            return Ok(());
        }
        let (shown, ids) = self.shown_rows(database, table, scan.ids.clone())?;
        scan.ids = ids;
        scan.filter = match shown.len() {
            0 => None,
            _ => Some(Pred::And(shown)),
        };
        Ok(())
    }

    /// Lets a view yield only the rows that its policies show.
    pub(super) fn hide_view_rows(
        &mut self,
        database: DbId,
        view: &ModuleDef,
        rows: &mut Rows,
    ) -> BindResult<()> {
        let Rows::Derived(Some(node), columns) = rows else { return Ok(()) };
        if view.policies.is_empty() {
            return Ok(());
        }
        let ids = columns.iter().map(|column| Some(column.id)).collect();
        let (shown, _) = self.shown_rows(database, &Arc::new(row_of_view(view)), ids)?;
        if !shown.is_empty() {
            let input = Box::new(std::mem::replace(node, Node::OneRow));
            *node = Node::Filter { input, predicate: Pred::And(shown) };
        }
        Ok(())
    }

    /// What must hold of a row under these names that its table's policies show. Returns the names
    /// of further columns that this uses, too.
    pub(super) fn shown_rows(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        mut ids: RowNames,
    ) -> BindResult<(Vec<Pred>, RowNames)> {
        let mut shown = Vec::new();
        if self.is_judged(database, table) {
            for found in predicates(table, |p| p.kind == PredicateKind::Filter) {
                let (pred, names) = self.predicate(database, table, found, ids)?;
                shown.push(pred);
                ids = names;
            }
        }
        Ok((shown, ids))
    }

    /// The conditions under which rows with these names may be written by an operation, each with
    /// the columns that it uses.
    pub(super) fn block_predicates(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        operation: BlockedOperation,
        ids: &RowNames,
    ) -> BindResult<Vec<(Pred, Vec<ColumnId>)>> {
        let mut blocks = Vec::new();
        if self.is_judged(database, table) {
            for found in predicates(table, |p| p.blocks(operation)) {
                let (pred, _) = self.predicate(database, table, found, ids.clone())?;
                blocks.push((pred, columns_of(table, found.1)));
            }
        }
        Ok(blocks)
    }

    /// A predicate over a row under these names. Errors of its function, followed by 33512.
    fn predicate(
        &mut self,
        database: DbId,
        table: &Arc<TableDef>,
        (policy, predicate): Found<'_>,
        ids: RowNames,
    ) -> BindResult<(Pred, RowNames)> {
        self.facts.hides_values = true;
        let noted = self.noted.take();
        let accesses = std::mem::take(&mut self.facts.accesses);
        let objects = std::mem::take(&mut self.dependencies.objects);
        let schema_bound = std::mem::replace(&mut self.options.schema_bound, false);
        self.judged.push((database, table.id()));
        self.references.push(Vec::new());
        let outermost = std::mem::replace(&mut self.outermost, usize::MAX);
        let bound = self.over_row(database, table, ids, |b| b.called(database, policy, predicate));
        self.outermost = outermost;
        self.references.pop();
        self.judged.pop();
        self.options.schema_bound = schema_bound;
        let used = std::mem::replace(&mut self.dependencies.objects, objects);
        self.dependencies.hidden.extend(used);
        let own = std::mem::replace(&mut self.facts.accesses, accesses);
        if !policy.schema_bound {
            own.into_iter().for_each(|access| self.facts.add_access(access));
        }
        self.noted = noted;
        let (mut pred, scan) = bound.map_err(|error| match policy.schema_bound {
            true => error,
            false => unbound(error, &table.header.name),
        })?;
        substitute(&mut pred, &scan.computed);
        let mut ids = scan.ids;
        // What rows do not hold is in the condition itself.
        for (ordinal, id) in ids.iter_mut().enumerate() {
            if table.layout_position(ordinal).is_none() {
                *id = None;
            }
        }
        Ok((pred, ids))
    }

    /// The call of a predicate's function in the innermost block. Errors 208, 33513 and those of
    /// arguments.
    fn called(
        &mut self,
        database: DbId,
        policy: &SecurityPolicyDef,
        predicate: &PredicateDef,
    ) -> BindResult<Pred> {
        let name = name_of(predicate);
        let module = self.predicate_function(database, predicate, &name)?;
        if !policy.schema_bound {
            let (object, permission) = (module.id(), Permission::Select);
            let (columns, through) = (Vec::new(), None);
            self.facts.add_access(Access { database, object, permission, columns, through });
        }
        let mut arguments = Vec::with_capacity(predicate.arguments.len());
        for text in &predicate.arguments {
            arguments.push(Argument::Expr(tsql::parse_expression(text, definition_options())?));
        }
        let level = self.blocks.len();
        let arguments = self.inline_arguments(&module, &arguments, &name, 0)?;
        let rows = self.inline_rows(database, &module, arguments, Inherited::default(), &name)?;
        let correlated = self.outermost < level;
        let Rows::Derived(Some(mut node), _) = rows else {
            return Err(ir::internal("an inline function is a query").into());
        };
        let mut conditions = Vec::new();
        if take_conditions(&mut node, &mut conditions) {
            return Ok(Pred::And(conditions));
        }
        let subquery = Subquery { plan: node, column: ColId(0), correlated, implied: false };
        Ok(Pred::Exists(Box::new(subquery)))
    }

    fn predicate_function(
        &mut self,
        database: DbId,
        predicate: &PredicateDef,
        name: &ObjectName,
    ) -> BindResult<Arc<ModuleDef>> {
        let schema = self.schema_of(database)?;
        let place = schema.find_schema(&predicate.schema).map(|found| found.id);
        let object = place.and_then(|place| schema.find_object(place, &predicate.function));
        self.dependencies.names.push(NameDependency {
            database,
            schema: place,
            name: predicate.function.clone(),
            object: object.map(|found| found.id()),
        });
        match object {
            Some(Object::Module(module)) if is_inline(module) => {
                self.note_object(database, &schema, module.id());
                Ok(module.clone())
            }
            Some(_) => {
                let target = schema.object(predicate.table).map_or("", |target| &**target.name());
                Err(SqlError::new(&message::PREDICATE_FUNCTION_NOT_INLINE, &[&target]).into())
            }
            None => Err(BindError { missing: false, ..invalid_object(name) }),
        }
    }
}

/// A view as a table of its columns, over which predicates are expressions.
pub fn row_of_view(view: &ModuleDef) -> TableDef {
    let mut table = TableDef::new(view.header.clone(), TableKind::Disk, TableRole::Type);
    table.columns = view.columns().unwrap_or_default().to_vec();
    table.max_column_id = table.columns.last().map_or(ColumnId(0), |column| column.id);
    table.ansi_nulls = view.uses_ansi_nulls;
    table.quoted_identifier = view.uses_quoted_identifier;
    table.policies.clone_from(&view.policies);
    table
}

/// What the arguments of a predicate mention: the columns of the table, by id.
pub fn columns_of(table: &TableDef, predicate: &PredicateDef) -> Vec<ColumnId> {
    let of_table = predicate.references.iter().filter(|reference| {
        reference.class == ReferenceClass::Object && reference.id == Some(table.id().0)
    });
    of_table.filter_map(|reference| reference.column).collect()
}

/// Whether a module is an inline function.
fn is_inline(module: &ModuleDef) -> bool {
    matches!(module.kind, ModuleKind::InlineFunction { .. })
}

/// The predicates of enabled policies on a table.
fn predicates(table: &TableDef, which: impl Fn(&PredicateDef) -> bool) -> Vec<Found<'_>> {
    let enabled = table.policies.iter().filter(|policy| policy.enabled);
    let all = enabled.flat_map(|policy| policy.predicates.iter().map(move |p| (&**policy, p)));
    all.filter(|(_, predicate)| predicate.table == table.id() && which(predicate)).collect()
}

/// The name of a predicate's function.
fn name_of(predicate: &PredicateDef) -> ObjectName {
    let span = ast::Span::default();
    let ident = |name: &Arc<str>| ast::Ident { name: name.clone(), quoted: true, span };
    ObjectName {
        server: None,
        database: None,
        schema: Some(ident(&predicate.schema)),
        name: ident(&predicate.function),
        span,
    }
}

/// Followed by error 33512: what a predicate that is not schema-bound uses has changed.
fn unbound(error: BindError, table: &str) -> BindError {
    if error.error.number() == message::PREDICATE_FUNCTION_NOT_INLINE.number {
        return error;
    }
    error.followed_by(SqlError::new(&message::PREDICATE_UNBOUND, &[&table]))
}

/// Takes the conditions out of a query of one row, if it is that: `SELECT … WHERE …`.
fn take_conditions(node: &mut Node, conditions: &mut Vec<Pred>) -> bool {
    if !is_one_row(node) {
        return false;
    }
    let mut rest = std::mem::replace(node, Node::OneRow);
    loop {
        rest = match rest {
            Node::Filter { input, predicate } => {
                conditions.push(predicate);
                *input
            }
            Node::Compute { input, columns } => {
                conditions.iter_mut().for_each(|condition| substitute(condition, &columns));
                *input
            }
            _ => break,
        };
    }
    // Conditions further down come first.
    conditions.reverse();
    true
}

/// Whether an operator yields one row or none, by conditions alone.
fn is_one_row(node: &Node) -> bool {
    match node {
        Node::OneRow => true,
        Node::Filter { input, .. } => is_one_row(input),
        Node::Compute { input, columns } => {
            // A query in a column must not be duplicated.
            let plain = |column: &(ColId, Expr)| !has_subquery(&column.1);
            columns.iter().all(plain) && is_one_row(input)
        }
        _ => false,
    }
}

/// What a predicate of a policy would be.
pub struct PredicateDefinition {
    /// The arguments as the catalog keeps them.
    pub arguments: Vec<Arc<str>>,
    /// The columns of the table that they use, in ascending order.
    pub columns: Vec<ColumnId>,
}

/// Checks a predicate: that its function takes arguments over the columns of a table. Errors 207,
/// 313, 1046, 8144 and those of conversions.
pub fn predicate_definition(
    context: &super::context::BindContext<'_>,
    schema: &Schema,
    table: &Arc<TableDef>,
    function: &Arc<ModuleDef>,
    call: &ast::PredicateCall,
) -> BindResult<PredicateDefinition> {
    let database = schema.database();
    let mut binder = Binder::new(context)?;
    binder.options.sees_all_rows = true;
    let mut arguments = Vec::with_capacity(call.arguments.len());
    for argument in &call.arguments {
        let text = tsql::print::expression(argument);
        tsql::parse_expression(&text, definition_options())?;
        arguments.push(text.into());
    }
    let names = vec![None; table.columns.len()];
    let given: Vec<Argument> = call.arguments.iter().cloned().map(Argument::Expr).collect();
    let line = call.function.span.line;
    let (_, scan) = binder.over_row(database, table, names, |b| {
        let scalar_only = std::mem::replace(&mut b.scalar_only, true);
        let bound = b.inline_arguments(function, &given, &call.function, line);
        b.scalar_only = scalar_only;
        let rows =
            b.inline_rows(database, function, bound?, Inherited::default(), &call.function)?;
        drop(rows);
        Ok(())
    })?;
    let used = table.columns.iter().zip(&scan.ids).filter(|(_, id)| id.is_some());
    Ok(PredicateDefinition { arguments, columns: used.map(|(column, _)| column.id).collect() })
}

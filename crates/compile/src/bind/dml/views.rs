//! Indexed views: what a row that is written means for their rows.
//!
//! A view joins each of its tables once. So what a row changes in it is the view's query with the
//! row in the place of its table: rows that come or go, or amounts that are added to the sums and
//! counts of groups. The other tables are read as they are now, whatever the level, since the
//! view's rows are as of now for all transactions.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlType, Value, message};
use engine::catalog::Schema;
use engine::catalog::def::{IndexDef, IndexKind, ModuleDef, TableDef};
use ir::operator::{CastMode, CompareOp};
use ir::read::ReadOptions;
use tsql::ast;

use super::effects::{Write, stored_places};
use super::{BindResult, Binder, Changing, column};
use crate::bind::access_hint::Inherited;
use crate::bind::context::BindContext;
use crate::bind::expand::module_of;
use crate::bind::scalar::Scalar;
use crate::bind::scope::OutCol;
use crate::bind::select::Usage;
use crate::bind::statement::Bound;
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{
    Access, DeletePlan, GroupsPlan, InsertPlan, JoinKind, NewValue, Node, Plan, RowEffects, Scan,
    Source, Target, ViewChange, ViewPlan,
};
use crate::plan::walk::{PartMut, Parts};

/// The clustered index of a view, by its place among those of the table with the view's rows, if
/// there is one and it is not disabled.
pub(in crate::bind) fn kept_index(rows: &TableDef) -> Option<usize> {
    let kept = |i: &IndexDef| i.kind == IndexKind::Clustered && !i.disabled;
    rows.indexes.iter().position(kept)
}

/// What a column of a grouped view is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bind) enum Role {
    /// What rows are grouped by.
    Group,
    /// `COUNT_BIG(*)`.
    Count,
    /// A sum, or another count.
    Amount,
}

/// What a view shows of one row of a table.
struct Shown {
    node: Node,
    columns: Vec<Expr>,
    roles: Option<Vec<Role>>,
    /// The row's columns that are used, by layout position.
    places: Vec<usize>,
}

/// A view whose rows are kept.
struct KeptView<'v> {
    database: DbId,
    view: &'v Arc<ModuleDef>,
    rows: &'v Arc<TableDef>,
    /// The place of the view's key.
    index: usize,
}

impl Binder<'_> {
    /// What follows for indexed views from writing rows of a table. Error 1934.
    pub(super) fn views(
        &mut self,
        schema: &Arc<Schema>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Vec<ViewPlan>> {
        let mut plans = Vec::new();
        for id in &changing.table.indexed_views {
            let rows = schema.table(*id).cloned();
            let view = rows.as_ref().and_then(|rows| schema.module(rows.rows_of.as_ref()?.view));
            let (Some(rows), Some(view)) = (&rows, view.cloned()) else {
                return Err(ir::internal("an indexed view has rows").into());
            };
            let database = changing.database;
            self.note_object(database, schema, rows.id());
            let Some(index) = kept_index(rows) else { continue };
            self.options.check_for_derived_indexes(self.verb)?;
            self.note_object(database, schema, view.id());
            self.note_changed(database, rows);
            let kept = KeptView { database, view: &view, rows, index };
            plans.extend(self.view_plan(&kept, changing, write)?);
        }
        Ok(plans)
    }

    fn view_plan(
        &mut self,
        kept: &KeptView<'_>,
        changing: &Changing,
        write: &Write,
    ) -> BindResult<Option<ViewPlan>> {
        let new = self.shown(kept, changing, &changing.new)?;
        let columns = new.places.clone();
        let sets = |set: &Vec<usize>| columns.iter().any(|at| set.contains(at));
        let updates = write.update.as_ref().is_some_and(sets);
        // Rows that get other keys are taken away, and come back.
        let moves = write.update.as_ref().is_some_and(|set| {
            let unique = changing.table.indexes.iter().filter(|i| i.unique && !i.disabled);
            let mut keys = unique.flat_map(|i| i.key.iter().map(|k| k.column));
            keys.any(|key| stored_places(&changing.table, &[key]).iter().any(|at| set.contains(at)))
        });
        if !(write.insert || write.delete || updates || moves) {
            return Ok(None);
        }
        let mut plan =
            ViewPlan { columns, inserted: Vec::new(), deleted: Vec::new(), updated: Vec::new() };
        if write.insert || moves {
            plan.inserted = self.view_changes(kept, None, Some(new))?;
        }
        if write.delete || moves {
            let old = self.shown(kept, changing, &changing.old)?;
            plan.deleted = self.view_changes(kept, Some(old), None)?;
        }
        if updates {
            let old = self.shown(kept, changing, &changing.old)?;
            let new = self.shown(kept, changing, &changing.new)?;
            plan.updated = self.view_changes(kept, Some(old), Some(new))?;
        }
        Ok(Some(plan))
    }

    /// The view's query, with a row under these names in the place of its table.
    fn shown(
        &mut self,
        kept: &KeptView<'_>,
        changing: &Changing,
        names: &[ColId],
    ) -> BindResult<Shown> {
        let options = ReadOptions { newest: true, ..ReadOptions::default() };
        let (mut node, columns) = self.view_query(kept.database, kept.view, options)?;
        let mut places = Vec::new();
        put_row(&mut node, changing.table.id(), names, &mut places);
        places.sort_unstable();
        places.dedup();
        let roles = roles(&node, &columns);
        let mut values = Vec::with_capacity(columns.len());
        for (shown, def) in columns.iter().zip(&kept.rows.columns) {
            let value = column(shown.id, shown.ty, shown.nullable);
            values.push(self.cast(value, def.ty, CastMode::Explicit));
        }
        Ok(Shown { node, columns: values, roles, places })
    }

    /// The query of a view, whose reader needs no permission for what it reads.
    pub(in crate::bind) fn view_query(
        &mut self,
        database: DbId,
        view: &Arc<ModuleDef>,
        reads: ReadOptions,
    ) -> BindResult<(Node, Vec<OutCol>)> {
        let tree = self.names.module_tree(database, view)?;
        let Some(ast::Module::View(text)) = module_of(&tree) else {
            return Err(SqlError::new(&message::VIEW_BINDING_ERRORS, &[&view.header.name]).into());
        };
        let mut env = self.module_env(database, view.header.schema)?;
        env.ansi_nulls = view.uses_ansi_nulls;
        env.quoted_identifier = view.uses_quoted_identifier;
        env.inherited = Inherited { reads, forced: None };
        let masked = self.reads_masked;
        let query = &text.query;
        let output = self.in_env(env, |b| {
            b.with_tables(query.with.as_ref(), |b| b.query(&query.query, Usage::View))
        })?;
        self.reads_masked = masked;
        Ok((output.node, output.columns))
    }

    /// What changes in a view where rows of its query go and others come.
    fn view_changes(
        &mut self,
        kept: &KeptView<'_>,
        old: Option<Shown>,
        new: Option<Shown>,
    ) -> BindResult<Vec<ViewChange>> {
        let roles = old.as_ref().or(new.as_ref()).and_then(|shown| shown.roles.clone());
        if let Some(roles) = roles {
            let groups = self.groups_plan(kept, &roles, old, new)?;
            return Ok(vec![ViewChange::Add(groups)]);
        }
        let mut changes = Vec::new();
        if let Some(old) = old {
            changes.push(ViewChange::Delete(self.delete_shown(kept, old)));
        }
        if let Some(new) = new {
            changes.push(ViewChange::Insert(insert_shown(kept, new)));
        }
        Ok(changes)
    }

    /// Deletes the rows that a query yields.
    fn delete_shown(&mut self, kept: &KeptView<'_>, old: Shown) -> DeletePlan {
        let (found, row, names) = self.found(kept, &old.columns);
        let key = kept.rows.indexes[kept.index].key.iter();
        let same = key.filter_map(|k| {
            let at = kept.rows.column_ordinal(k.column)?;
            Some(Pred::NotDistinct(own_column(kept, &names, at), old.columns[at].clone()))
        });
        let recheck = Some(Pred::And(same.collect()));
        let input = Node::NestedLoop {
            kind: JoinKind::Inner,
            outer: Box::new(old.node),
            inner: Box::new(found),
            predicate: None,
        };
        DeletePlan {
            target: target(kept),
            input,
            row,
            old_columns: names.into_iter().enumerate().collect(),
            recheck,
            effects: RowEffects::default(),
        }
    }

    /// The look-up of the view's row with the key that these columns have, the column that names
    /// the row, and the names of its columns.
    fn found(&mut self, kept: &KeptView<'_>, columns: &[Expr]) -> (Node, ColId, Vec<ColId>) {
        let names: Vec<ColId> = kept.rows.columns.iter().map(|_| self.free_column()).collect();
        let row = self.free_column();
        let key = kept.rows.indexes[kept.index].key.iter();
        let key = key.filter_map(|k| Some(columns[kept.rows.column_ordinal(k.column)?].clone()));
        let scan = Node::Scan(Box::new(Scan {
            source: Source::Table { database: kept.database, table: kept.rows.clone() },
            columns: names.iter().copied().enumerate().collect(),
            access: Access::Key { index: kept.index, key: key.collect() },
            residual: None,
            row: Some(row),
            options: ReadOptions { newest: true, ..ReadOptions::default() },
            hint: AccessHint::default(),
        }));
        (scan, row, names)
    }

    fn groups_plan(
        &mut self,
        kept: &KeptView<'_>,
        roles: &[Role],
        old: Option<Shown>,
        new: Option<Shown>,
    ) -> BindResult<GroupsPlan> {
        let is_amount = |at: &usize| roles[*at] != Role::Group;
        let nets = old.is_some() && new.is_some();
        let old = old.map(|old| self.negated(old, roles)).transpose()?;
        let (amounts, columns) = match (old, new) {
            (Some(old), Some(new)) => self.netted(kept, roles, old, new)?,
            (Some(shown), None) | (None, Some(shown)) => (shown.node, shown.columns),
            (None, None) => return Err(ir::internal("a change of nothing").into()),
        };
        let zero = |b: &mut Self, ty: SqlType| {
            let zero = Scalar::constant(SqlType::int(), Value::Int(0)).expr;
            b.cast(zero, ty, CastMode::Explicit)
        };
        let mut changed = Vec::new();
        if nets {
            for at in (0..columns.len()).filter(is_amount) {
                let (amount, zero) = (columns[at].clone(), zero(self, columns[at].ty));
                changed.push(Pred::Compare(CompareOp::Ne, amount, zero));
            }
        }
        let changes = if nets { Pred::Or(changed) } else { Pred::Const(Some(true)) };
        let Some(count) = roles.iter().position(|role| *role == Role::Count) else {
            return Err(ir::internal("an indexed view counts the rows of its groups").into());
        };
        let (found, row, names) = self.found(kept, &columns);
        let key = &kept.rows.indexes[kept.index].key;
        let mut same = Vec::new();
        let mut values = Vec::with_capacity(columns.len());
        for (at, def) in kept.rows.columns.iter().enumerate() {
            let own = own_column(kept, &names, at);
            if roles[at] == Role::Group {
                if !key.iter().any(|k| k.column == def.id) {
                    same.push(Pred::NotDistinct(own.clone(), columns[at].clone()));
                }
                values.push(own);
                continue;
            }
            let (own, amount) = (Scalar::computed(own), Scalar::computed(columns[at].clone()));
            let sum = self.binary(ast::BinaryOp::Add, own, amount)?.expr;
            values.push(self.cast(sum, def.ty, CastMode::Explicit));
        }
        let (total, none) = (values[count].clone(), zero(self, values[count].ty));
        Ok(GroupsPlan {
            target: target(kept),
            amounts,
            changes,
            begins: Pred::Compare(CompareOp::Gt, columns[count].clone(), none.clone()),
            found,
            row,
            old_columns: names,
            same: Pred::And(same),
            ends: Pred::Compare(CompareOp::Eq, total, none),
            values,
            first: columns,
            index: kept.index,
        })
    }

    /// Groups with amounts that are taken away.
    fn negated(&mut self, shown: Shown, roles: &[Role]) -> BindResult<Shown> {
        let Shown { node, columns, places, .. } = shown;
        let mut computed = Vec::new();
        let mut negated = Vec::with_capacity(columns.len());
        for (value, role) in columns.into_iter().zip(roles) {
            if *role == Role::Group {
                negated.push(value);
                continue;
            }
            let zero = Scalar::constant(SqlType::int(), Value::Int(0));
            let ty = value.ty;
            let less = self.binary(ast::BinaryOp::Subtract, zero, Scalar::computed(value))?;
            let less = self.cast(less.expr, ty, CastMode::Explicit);
            let id = self.free_column();
            negated.push(column(id, ty, less.nullable));
            computed.push((id, less));
        }
        let node = Node::Compute { input: Box::new(node), columns: computed };
        Ok(Shown { node, columns: negated, roles: None, places })
    }

    /// What is taken away from groups and what is added, together.
    fn netted(
        &mut self,
        kept: &KeptView<'_>,
        roles: &[Role],
        old: Shown,
        new: Shown,
    ) -> BindResult<(Node, Vec<Expr>)> {
        let inputs = [old, new].map(|Shown { node, columns, .. }| {
            let ids: Vec<ColId> = columns.iter().map(|_| self.free_column()).collect();
            let all = ids.iter().copied().zip(columns).collect();
            (Node::Compute { input: Box::new(node), columns: all }, ids)
        });
        let together: Vec<ColId> = roles.iter().map(|_| self.free_column()).collect();
        let sum = self.names.functions().aggregate("SUM");
        let sum = sum.ok_or_else(|| ir::internal("there is SUM"))?;
        let (mut groups, mut aggregates, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for ((&id, role), def) in together.iter().zip(roles).zip(&kept.rows.columns) {
            let (named, input) = (self.free_column(), column(id, def.ty, def.nullable));
            match role {
                Role::Group => groups.push((named, input)),
                _ => {
                    let (args, order) = (vec![input], Vec::new());
                    let sum = Aggregate { function: sum, args, distinct: false, order, ty: def.ty };
                    aggregates.push((named, sum));
                }
            }
            columns.push(column(named, def.ty, def.nullable || *role != Role::Group));
        }
        let node = Node::Aggregate {
            input: Box::new(Node::Union { inputs: inputs.into(), columns: together }),
            groups,
            aggregates,
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        Ok((node, columns))
    }
}

fn target(kept: &KeptView<'_>) -> Target {
    Target::Table { database: kept.database, table: kept.rows.clone() }
}

/// A column of the view's row, by its place.
fn own_column(kept: &KeptView<'_>, names: &[ColId], at: usize) -> Expr {
    let def = &kept.rows.columns[at];
    column(names[at], def.ty, def.nullable)
}

/// Inserts the rows that a query yields.
fn insert_shown(kept: &KeptView<'_>, new: Shown) -> InsertPlan {
    InsertPlan {
        target: target(kept),
        source: new.node,
        values: new.columns.into_iter().map(NewValue::Expr).collect(),
        converted: Vec::new(),
        effects: RowEffects::default(),
        lock: None,
    }
}

/// Puts a row under these names in the place of the table that it is of. Notes which columns are
/// used.
fn put_row(node: &mut Node, table: ObjectId, names: &[ColId], places: &mut Vec<usize>) {
    if let Node::Scan(scan) = node
        && let Source::Table { table: of, .. } = &scan.source
        && of.id() == table
    {
        let of = of.clone();
        let used = scan.columns.iter().filter_map(|&(at, id)| {
            let (def, name) = (of.stored_columns().nth(at)?, names.get(at)?);
            Some((id, column(*name, def.ty, def.nullable)))
        });
        let columns: Vec<(ColId, Expr)> = used.collect();
        places.extend(scan.columns.iter().map(|c| c.0));
        let residual = scan.residual.take();
        *node = crate::bind::select::computed(Node::OneRow, columns);
        if let Some(predicate) = residual {
            let input = Box::new(std::mem::replace(node, Node::OneRow));
            *node = Node::Filter { input, predicate };
        }
        return;
    }
    node.parts_mut(&mut |part| {
        if let PartMut::Node(node) = part {
            put_row(node, table, names, places);
        }
    });
}

/// What the columns of a view are, if it groups rows; `None` for a column that is computed of
/// groups or aggregates.
pub(in crate::bind) fn roles_of(node: &Node, columns: &[OutCol]) -> Option<Vec<Option<Role>>> {
    let (groups, aggregates, computed) = grouping(node)?;
    let role = |shown: &OutCol| {
        let mut id = shown.id;
        while let Some((_, of)) = computed.iter().find(|c| c.0 == id) {
            let ExprKind::Column(inner) = of.kind else { return None };
            id = inner;
        }
        if groups.iter().any(|g| g.0 == id) {
            return Some(Role::Group);
        }
        let (_, aggregate) = aggregates.iter().find(|a| a.0 == id)?;
        match aggregate.function.name.eq_ignore_ascii_case("COUNT_BIG") && aggregate.args.is_empty()
        {
            true => Some(Role::Count),
            false => Some(Role::Amount),
        }
    };
    Some(columns.iter().map(role).collect())
}

/// The groups and aggregates of a query, and what is computed of them.
#[allow(clippy::type_complexity, reason = "these are parts of an operator")]
pub(in crate::bind) fn grouping(
    node: &Node,
) -> Option<(&[(ColId, Expr)], &[(ColId, Aggregate)], Vec<&(ColId, Expr)>)> {
    let (mut node, mut computed) = (node, Vec::new());
    while let Node::Compute { input, columns } = node {
        computed.extend(columns);
        node = input;
    }
    match node {
        Node::Aggregate { groups, aggregates, .. } => Some((groups, aggregates, computed)),
        _ => None,
    }
}

fn roles(node: &Node, columns: &[OutCol]) -> Option<Vec<Role>> {
    roles_of(node, columns)?.into_iter().collect()
}

/// Plans the insert of all rows that a view shows.
pub fn view_rows(
    context: &BindContext<'_>,
    database: DbId,
    view: &Arc<ModuleDef>,
    rows: &Arc<TableDef>,
) -> BindResult<Bound> {
    let mut binder = Binder::new(context)?;
    let schema = binder.schema_of(database)?;
    // The rows as they are when no other transaction is changing them, at every level.
    let options = ReadOptions { newest: true, ..ReadOptions::default() };
    let (node, columns) = binder.view_query(database, view, options)?;
    binder.note_object(database, &schema, view.id());
    binder.note_object(database, &schema, rows.id());
    binder.note_changed(database, rows);
    let mut values = Vec::with_capacity(columns.len());
    for (shown, def) in columns.iter().zip(&rows.columns) {
        let value = column(shown.id, shown.ty, shown.nullable);
        values.push(binder.cast(value, def.ty, CastMode::Explicit));
    }
    let kept = KeptView { database, view, rows, index: 0 };
    let shown = Shown { node, columns: values, roles: None, places: Vec::new() };
    let plan = insert_shown(&kept, shown);
    let plan = binder.planned(Plan::Insert(Box::new(plan)))?;
    let Binder { facts, dependencies, .. } = binder;
    Ok(Bound { plan, facts, dependencies })
}

//! Queries that indexed views answer: a part of a statement that joins the tables of a view as the
//! view does, or groups them in a way that can be made of the view's groups, is answered from the
//! view's rows where that costs less. The statement need not name the view: where it does, the
//! view's query is such a part.
//!
//! The conditions of the view must be among those of the part; what else the part asks must be told
//! from the view's columns. What follows from what is not looked into: a narrower range, say.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlType, Value};
use engine::catalog::def::{ModuleDef, TableDef};
use ir::operator::{CastMode, CompareOp};
use ir::read::ReadOptions;

use super::binder::Binder;
use super::context::BindResult;
use super::define::substitute_in;
use super::dml::{grouping, kept_index};
use crate::lower::columns::uses_in_plan;
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred};
use crate::plan::hints::AccessHint;
use crate::plan::show::total_cost;
use crate::plan::tree::{Access, JoinKind, Node, Plan, Scan, Source};
use crate::plan::walk::{PartMut, Parts, same_aggregate, same_expr, same_pred};

/// The most times that one view is used in a statement.
const USES_MAX: usize = 16;

/// Tables that are joined, and the conditions on what they yield.
#[derive(Default)]
struct Joined {
    /// Each table with the columns that are read of it.
    tables: Vec<(ObjectId, Vec<(usize, ColId)>)>,
    conditions: Vec<Pred>,
    computed: Vec<(ColId, Expr)>,
    options: Option<ReadOptions>,
}

/// An indexed view as queries are compared with it.
struct Candidate {
    database: DbId,
    rows: Arc<TableDef>,
    joined: Joined,
    /// What each column shows.
    shown: Vec<Shows>,
    is_grouped: bool,
}

/// What a column of a view shows.
#[derive(Clone)]
enum Shows {
    /// A value of each row, or of each group.
    Value(Expr),
    /// An aggregate of each group.
    Aggregate(Aggregate),
}

/// What takes the place of a part of a statement, and the columns that it does not yield any more.
struct Replaced {
    node: Node,
    missing: Vec<ColId>,
}

impl Binder<'_> {
    /// The statement as indexed views answer it, if one of them can answer a part of it.
    pub(super) fn with_views(&mut self, plan: &Plan) -> BindResult<Option<Plan>> {
        let tables = std::mem::take(&mut self.view_tables);
        if tables.is_empty() || self.expands_views || self.options.wrong_for_indexes().is_some() {
            return Ok(None);
        }
        let mut result: Option<Plan> = None;
        let mut tried: Vec<(DbId, ObjectId)> = Vec::new();
        for (database, table) in tables {
            for id in &table.indexed_views {
                if tried.contains(&(database, *id)) {
                    continue;
                }
                tried.push((database, *id));
                let Some(candidate) = self.candidate(database, *id)? else { continue };
                for _ in 0..USES_MAX {
                    self.deeper(0)?;
                    let mut changed = result.as_ref().unwrap_or(plan).clone();
                    let root = input_of(&mut changed);
                    let Some(missing) = self.replace(root, &candidate) else { break };
                    if uses_any(&changed, &missing) {
                        break;
                    }
                    result = Some(changed);
                }
            }
        }
        self.view_tables.clear();
        Ok(result)
    }

    /// The cheaper one of two plans for a statement.
    pub(super) fn cheaper(&self, plan: Plan, with_views: Plan) -> Plan {
        let cost = |plan: &Plan| total_cost(plan, self.statistics);
        match cost(&with_views) < cost(&plan) {
            true => with_views,
            false => plan,
        }
    }

    fn candidate(&mut self, database: DbId, rows: ObjectId) -> BindResult<Option<Candidate>> {
        let schema = self.schema_of(database)?;
        let rows = schema.table(rows).filter(|rows| kept_index(rows).is_some()).cloned();
        let Some(rows) = rows else { return Ok(None) };
        let view: Option<Arc<ModuleDef>> =
            rows.rows_of.as_ref().and_then(|of| schema.module(of.view)).cloned();
        let Some(view) = view else { return Ok(None) };
        let options = ReadOptions::default();
        let (node, columns) = self.view_query(database, &view, options)?;
        self.note_object(database, &schema, rows.id());
        self.note_table(database, &rows, &options);
        let is_grouped = grouping(&node).is_some();
        let (input, groups, aggregates, above) = match taken_apart(node) {
            Some(parts) => parts,
            None => return Ok(None),
        };
        let Some(joined) = joined(&input) else { return Ok(None) };
        let mut shown = Vec::with_capacity(columns.len());
        for column in &columns {
            let kind = ExprKind::Column(column.id);
            let mut value = Expr { kind, ty: column.ty, nullable: column.nullable };
            expand(&mut value, &above);
            let ExprKind::Column(id) = value.kind else {
                expand(&mut value, &joined.computed);
                shown.push(Shows::Value(value));
                continue;
            };
            if let Some((_, aggregate)) = aggregates.iter().find(|a| a.0 == id) {
                let mut aggregate = aggregate.clone();
                aggregate.args.iter_mut().for_each(|arg| expand(arg, &joined.computed));
                shown.push(Shows::Aggregate(aggregate));
                continue;
            }
            if let Some((_, group)) = groups.iter().find(|g| g.0 == id) {
                value = group.clone();
            }
            expand(&mut value, &joined.computed);
            shown.push(Shows::Value(value));
        }
        Ok(Some(Candidate { database, rows, joined, shown, is_grouped }))
    }

    /// Has the view answer the first part that it can answer. Returns the columns that are lost by
    /// that.
    fn replace(&mut self, node: &mut Node, view: &Candidate) -> Option<Vec<ColId>> {
        if self.deeper(0).is_err() {
            return None;
        }
        let replaced = match view.is_grouped {
            true => self.groups_from(node, view),
            false => self.rows_from(node, view),
        };
        if let Some(Replaced { node: new, missing }) = replaced {
            *node = new;
            return Some(missing);
        }
        let mut found = None;
        node.parts_mut(&mut |part| {
            if found.is_none() {
                found = self.replace_in(part, view);
            }
        });
        found
    }

    fn replace_in(&mut self, part: PartMut<'_>, view: &Candidate) -> Option<Vec<ColId>> {
        let whole: &mut dyn Parts = match part {
            PartMut::Node(node) => return self.replace(node, view),
            PartMut::Expr(expr) => expr,
            PartMut::Pred(pred) => pred,
        };
        if self.deeper(0).is_err() {
            return None;
        }
        let mut found = None;
        whole.parts_mut(&mut |part| {
            if found.is_none() {
                found = self.replace_in(part, view);
            }
        });
        found
    }

    /// A join as the view has it, from the view's rows.
    fn rows_from(&mut self, node: &Node, view: &Candidate) -> Option<Replaced> {
        if !matches!(node, Node::Filter { .. } | Node::NestedLoop { .. } | Node::Scan(_)) {
            return None;
        }
        let query = joined(node)?;
        let known = Known::of(self, view, &query)?;
        let mut columns = Vec::new();
        let mut missing = Vec::new();
        for (_, read) in &query.tables {
            for &(_, id) in read {
                match known.column(id) {
                    Some(value) => columns.push((id, value)),
                    None => missing.push(id),
                }
            }
        }
        for (id, of) in &query.computed {
            let mut of = of.clone();
            expand(&mut of, &query.computed);
            match known.rewrite(&mut of) {
                true => columns.push((*id, of)),
                false => missing.push(*id),
            }
        }
        let input = known.scan(view, &query, known.rest.clone());
        let node = Node::Compute { input: Box::new(input), columns };
        Some(Replaced { node, missing })
    }

    /// Groups of a join as the view has it, from groups of the view.
    fn groups_from(&mut self, node: &Node, view: &Candidate) -> Option<Replaced> {
        let Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id: None, .. } =
            node
        else {
            return None;
        };
        if !grouping_sets.is_empty() {
            return None;
        }
        let query = joined(input)?;
        let known = Known::of(self, view, &query)?;
        let mut kept = Vec::with_capacity(groups.len());
        for (id, group) in groups {
            let mut group = group.clone();
            expand(&mut group, &query.computed);
            if !known.rewrite(&mut group) {
                return None;
            }
            kept.push((*id, group));
        }
        let (mut sums, mut results) = (Vec::new(), Vec::new());
        for (id, aggregate) in aggregates {
            let mut wanted = aggregate.clone();
            wanted.args.iter_mut().for_each(|arg| expand(arg, &query.computed));
            let (sum, is_count) = self.summed(&known, wanted)?;
            let own = self.free_column();
            let total = Expr { kind: ExprKind::Column(own), ty: sum.ty, nullable: true };
            let mut result = match is_count && groups.is_empty() {
                true => or_zero(total),
                false => total,
            };
            result = self.cast(result, aggregate.ty, CastMode::Explicit);
            sums.push((own, sum));
            results.push((*id, result));
        }
        let input = known.scan(view, &query, known.rest.clone());
        let node = Node::Aggregate {
            input: Box::new(input),
            groups: kept,
            aggregates: sums,
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        let node = Node::Compute { input: Box::new(node), columns: results };
        Some(Replaced { node, missing: Vec::new() })
    }

    /// An aggregate of a query made of those of a view's groups, and whether it counts.
    fn summed(&self, known: &Known, wanted: Aggregate) -> Option<(Aggregate, bool)> {
        let name = wanted.function.name;
        if matches!(name, "MIN" | "MAX") {
            let mut extreme = wanted;
            return extreme
                .args
                .iter_mut()
                .all(|arg| known.rewrite(arg))
                .then_some((extreme, false));
        }
        if !matches!(name, "SUM" | "COUNT" | "COUNT_BIG") || wanted.distinct {
            return None;
        }
        let counts = name != "SUM";
        let is_it = |of: &Aggregate| match counts {
            true => {
                of.function.name == "COUNT_BIG"
                    && !of.distinct
                    && crate::plan::walk::same_exprs(&of.args, &wanted.args)
            }
            false => same_aggregate(of, &wanted),
        };
        let (at, of) = known.shown.iter().enumerate().find_map(|(at, shown)| match shown {
            Shows::Aggregate(of) if is_it(of) => Some((at, of)),
            _ => None,
        })?;
        let kind = ExprKind::Column(known.ids[at]);
        let args = vec![Expr { kind, ty: of.ty, nullable: true }];
        let function = self.names.functions().aggregate("SUM")?;
        let sum = Aggregate { function, args, distinct: false, order: Vec::new(), ty: of.ty };
        Some((sum, counts))
    }
}

/// What a query knows of a view's row.
struct Known {
    /// What the view's columns show, in the query's columns.
    shown: Vec<Shows>,
    /// The names of the view's columns.
    ids: Vec<ColId>,
    /// All columns of the query's tables.
    own: Vec<ColId>,
    /// What the query asks beside what the view does, over the view's columns.
    rest: Vec<Pred>,
}

impl Known {
    /// `None` if the query does not join the view's tables, or not as the view does.
    fn of(binder: &mut Binder<'_>, view: &Candidate, query: &Joined) -> Option<Known> {
        if query.tables.len() != view.joined.tables.len() {
            return None;
        }
        let mut names: Vec<(ColId, Expr)> = Vec::new();
        for (table, read) in &view.joined.tables {
            let mut same = query.tables.iter().filter(|(of, _)| of == table);
            let (Some((_, own)), None) = (same.next(), same.next()) else { return None };
            for (at, id) in read {
                let Some((_, known)) = own.iter().find(|c| c.0 == *at) else { continue };
                // The type is the column's, which the expression keeps.
                let kind = ExprKind::Column(*known);
                names.push((*id, Expr { kind, ty: SqlType::int(), nullable: true }));
            }
        }
        let mut conditions: Vec<Option<Pred>> =
            query.conditions.iter().cloned().map(Some).collect();
        for condition in &view.joined.conditions {
            let mut condition = condition.clone();
            rename(&mut condition, &names);
            let met = conditions
                .iter_mut()
                .find(|own| own.as_ref().is_some_and(|own| means_the_same(own, &condition)))?;
            *met = None;
        }
        let mut shown = view.shown.clone();
        for of in &mut shown {
            match of {
                Shows::Value(value) => rename_expr(value, &names),
                Shows::Aggregate(aggregate) => {
                    aggregate.args.iter_mut().for_each(|arg| rename_expr(arg, &names));
                }
            }
        }
        let ids = view.rows.columns.iter().map(|_| binder.free_column()).collect();
        let own = query.tables.iter().flat_map(|(_, read)| read.iter().map(|c| c.1));
        let mut known = Known { shown, ids, own: own.collect(), rest: Vec::new() };
        let mut rest = Vec::new();
        for mut condition in conditions.into_iter().flatten() {
            if !known.rewrite_parts(&mut condition) {
                return None;
            }
            rest.push(condition);
        }
        known.rest = rest;
        // A column of another type than what it shows is of no use.
        for (shown, def) in known.shown.iter().zip(&view.rows.columns) {
            if let Shows::Value(value) = shown
                && value.ty != def.ty
            {
                return None;
            }
        }
        Some(known)
    }

    /// A column of the query's tables, if the view shows it.
    fn column(&self, id: ColId) -> Option<Expr> {
        let is_it = |shown: &Shows| match shown {
            Shows::Value(value) => matches!(value.kind, ExprKind::Column(of) if of == id),
            Shows::Aggregate(_) => false,
        };
        let at = self.shown.iter().position(is_it)?;
        let Shows::Value(value) = &self.shown[at] else { return None };
        Some(Expr { kind: ExprKind::Column(self.ids[at]), ..value.clone() })
    }

    /// Puts the view's columns in the place of what they show. Whether nothing else is left of the
    /// tables.
    fn rewrite(&self, expr: &mut Expr) -> bool {
        let at = self.shown.iter().position(|shown| match shown {
            Shows::Value(value) => same_expr(value, expr),
            Shows::Aggregate(_) => false,
        });
        if let Some(at) = at {
            expr.kind = ExprKind::Column(self.ids[at]);
            return true;
        }
        match expr.kind {
            ExprKind::Column(id) => !self.own.contains(&id),
            _ => self.rewrite_parts(expr),
        }
    }

    fn rewrite_parts(&self, whole: &mut dyn Parts) -> bool {
        let mut complete = base::stack::deeper();
        whole.parts_mut(&mut |part| {
            if complete {
                complete = match part {
                    PartMut::Expr(expr) => self.rewrite(expr),
                    PartMut::Pred(pred) => self.rewrite_parts(pred),
                    PartMut::Node(node) => self.rewrite_parts(node),
                };
            }
        });
        complete
    }

    /// The view's rows that meet some conditions.
    fn scan(&self, view: &Candidate, query: &Joined, rest: Vec<Pred>) -> Node {
        let scan = Node::Scan(Box::new(Scan {
            source: Source::Table { database: view.database, table: view.rows.clone() },
            columns: self.ids.iter().copied().enumerate().collect(),
            access: Access::Full,
            residual: None,
            row: None,
            options: query.options.unwrap_or_default(),
            hint: AccessHint::default(),
        }));
        match rest.is_empty() {
            true => scan,
            false => Node::Filter { input: Box::new(scan), predicate: Pred::And(rest) },
        }
    }
}

/// What is below the groups of a view's query, the groups and aggregates, and what is computed of
/// them.
#[allow(clippy::type_complexity, reason = "these are parts of an operator")]
fn taken_apart(
    node: Node,
) -> Option<(Node, Vec<(ColId, Expr)>, Vec<(ColId, Aggregate)>, Vec<(ColId, Expr)>)> {
    if grouping(&node).is_none() {
        return Some((node, Vec::new(), Vec::new(), Vec::new()));
    }
    let (mut node, mut above) = (node, Vec::new());
    loop {
        match node {
            Node::Compute { input, columns } => {
                above.splice(0..0, columns);
                node = *input;
            }
            Node::Aggregate { input, groups, aggregates, .. } => {
                return Some((*input, groups, aggregates, above));
            }
            _ => return None,
        }
    }
}

/// Takes a join apart, if it is an inner one of tables.
fn joined(node: &Node) -> Option<Joined> {
    let mut found = Joined::default();
    gather(node, &mut found).then_some(())?;
    let computed = std::mem::take(&mut found.computed);
    for condition in &mut found.conditions {
        expand_pred(condition, &computed);
    }
    found.computed = computed;
    (!found.tables.is_empty()).then_some(found)
}

fn gather(node: &Node, found: &mut Joined) -> bool {
    if !base::stack::deeper() {
        return false;
    }
    match node {
        Node::Filter { input, predicate } => {
            flatten(predicate, &mut found.conditions);
            gather(input, found)
        }
        Node::NestedLoop { kind: JoinKind::Inner, outer, inner, predicate } => {
            predicate.iter().for_each(|predicate| flatten(predicate, &mut found.conditions));
            gather(outer, found) && gather(inner, found)
        }
        Node::Compute { input, columns } => {
            let complete = gather(input, found);
            found.computed.extend(columns.iter().cloned());
            complete
        }
        Node::Scan(scan) => {
            let Source::Table { table, .. } = &scan.source else { return false };
            let is_plain = matches!(scan.access, Access::Full)
                && scan.residual.is_none()
                && scan.row.is_none()
                && scan.hint == AccessHint::default()
                && found.options.is_none_or(|options| options == scan.options)
                && !locks(&scan.options);
            found.options = Some(scan.options);
            found.tables.push((table.id(), scan.columns.clone()));
            is_plain
        }
        _ => false,
    }
}

/// Whether rows are locked, or left out since they are locked: those of the tables are meant.
fn locks(options: &ReadOptions) -> bool {
    options.update_lock || options.exclusive_lock || options.table_lock || options.read_past
}

fn flatten(pred: &Pred, out: &mut Vec<Pred>) {
    match pred {
        Pred::And(all) => all.iter().for_each(|pred| flatten(pred, out)),
        Pred::Const(Some(true)) => {}
        other => out.push(other.clone()),
    }
}

/// Puts what is computed in the place of its columns, the last ones first: they may be made of
/// those before.
fn expand(expr: &mut Expr, computed: &[(ColId, Expr)]) {
    for one in computed.iter().rev() {
        substitute_in(expr, std::slice::from_ref(one));
    }
}

fn expand_pred(pred: &mut Pred, computed: &[(ColId, Expr)]) {
    pred.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) => expand(expr, computed),
        PartMut::Pred(pred) => expand_pred(pred, computed),
        PartMut::Node(_) => {}
    });
}

/// Gives columns other names.
fn rename(pred: &mut Pred, names: &[(ColId, Expr)]) {
    pred.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) => rename_expr(expr, names),
        PartMut::Pred(pred) => rename(pred, names),
        PartMut::Node(_) => {}
    });
}

fn rename_expr(expr: &mut Expr, names: &[(ColId, Expr)]) {
    if let ExprKind::Column(id) = &mut expr.kind {
        if let Some((_, Expr { kind: ExprKind::Column(to), .. })) =
            names.iter().find(|name| name.0 == *id)
        {
            *id = *to;
        }
        return;
    }
    expr.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) => rename_expr(expr, names),
        PartMut::Pred(pred) => rename(pred, names),
        PartMut::Node(_) => {}
    });
}

/// Whether two conditions say the same of a row.
fn means_the_same(a: &Pred, b: &Pred) -> bool {
    if same_pred(a, b) {
        return true;
    }
    let (Pred::Compare(op, left, right), Pred::Compare(other, c, d)) = (a, b) else { return false };
    let turned = match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        same => *same,
    };
    turned == *other && same_expr(left, d) && same_expr(right, c)
}

/// A count, which is 0 rather than NULL.
fn or_zero(total: Expr) -> Expr {
    let (ty, kind) = (total.ty, ExprKind::Constant(Value::Int(0)));
    let zero = Expr { kind, ty, nullable: false };
    let branches = vec![(Pred::IsNull(total.clone()), zero)];
    let kind = ExprKind::Case { branches, otherwise: Some(Box::new(total)) };
    Expr { kind, ty, nullable: true }
}

/// The rows that a statement reads.
fn input_of(plan: &mut Plan) -> &mut Node {
    match plan {
        Plan::Select(select) => &mut select.root,
        Plan::Insert(insert) => &mut insert.source,
        Plan::Update(update) => &mut update.input,
        Plan::Delete(delete) => &mut delete.input,
        Plan::Merge(merge) => &mut merge.input,
    }
}

/// Whether a statement uses one of these columns.
fn uses_any(plan: &Plan, columns: &[ColId]) -> bool {
    if columns.is_empty() {
        return false;
    }
    let mut uses = false;
    uses_in_plan(plan, &mut |col| uses |= columns.contains(&col));
    uses
}

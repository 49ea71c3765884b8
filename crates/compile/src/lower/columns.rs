//! What is known about a statement's columns before it is lowered: their types, and how often each
//! is used, so that sorters and hash tables keep only what is needed above them.

use std::collections::HashMap;

use base::SqlType;
use engine::catalog::naming_index;

use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, SortKey, Subquery};
use crate::plan::tree::*;
use crate::plan::walk::outputs;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ColumnType {
    /// Values of a SQL type.
    Sql(SqlType),
    /// References to rows of a table.
    Row,
}

/// The columns of a statement.
#[derive(Debug, Default)]
pub struct Columns {
    types: HashMap<ColId, ColumnType>,
    uses: HashMap<ColId, u32>,
    /// Columns that have the type of another one.
    aliases: Vec<(ColId, ColId)>,
    worktables: HashMap<WorktableId, Vec<ColId>>,
}

impl Columns {
    /// Looks through a plan.
    pub fn of_plan(plan: &Plan) -> Columns {
        let mut columns = Columns::default();
        Walk::new(&mut columns).plan(plan);
        columns.resolve();
        columns
    }

    /// Looks through an expression.
    pub fn of_expr(expr: &Expr) -> Columns {
        let mut columns = Columns::default();
        Walk::new(&mut columns).expr(expr);
        columns.resolve();
        columns
    }

    /// Looks through a condition.
    pub fn of_pred(pred: &Pred) -> Columns {
        let mut columns = Columns::default();
        Walk::new(&mut columns).pred(pred);
        columns.resolve();
        columns
    }

    /// Looks through one more expression.
    pub fn add_expr(&mut self, expr: &Expr) {
        Walk::new(self).expr(expr);
        self.resolve();
    }

    /// Gives columns that have another's type that type, whichever of the two is known: an input
    /// without rows may not know what its columns are, but what reads them does.
    fn resolve(&mut self) {
        let mut news = true;
        while std::mem::take(&mut news) {
            for &(col, of) in &self.aliases {
                let known = |col| self.types.get(&col).copied();
                let (to, ty) = match (known(col), known(of)) {
                    (None, Some(ty)) => (col, ty),
                    (Some(ty), None) => (of, ty),
                    _ => continue,
                };
                self.types.insert(to, ty);
                news = true;
            }
        }
    }

    /// The type of a column; a column that nothing mentions is an integer that is never read.
    pub fn ty(&self, col: ColId) -> ColumnType {
        self.types.get(&col).copied().unwrap_or(ColumnType::Sql(SqlType::int()))
    }

    /// The columns that an operator and its inputs yield and that something outside it uses.
    pub fn wanted_from(&self, node: &Node) -> Vec<ColId> {
        self.wanted_beside(node, [])
    }

    /// As `wanted_from`, for uses in these expressions.
    pub fn wanted_beside<'e>(
        &self,
        node: &Node,
        but: impl IntoIterator<Item = &'e Expr>,
    ) -> Vec<ColId> {
        let mut inside: HashMap<ColId, u32> = HashMap::new();
        let count = &mut |col| *inside.entry(col).or_default() += 1;
        uses_in_node(node, count);
        but.into_iter().for_each(|expr| uses_in_expr(expr, count));
        outputs(node)
            .into_iter()
            .filter(|col| {
                let total = self.uses.get(col).copied().unwrap_or(0);
                total > inside.get(col).copied().unwrap_or(0)
            })
            .collect()
    }
}

/// Calls `f` for every use of a column in a statement.
pub fn uses_in_plan(plan: &Plan, f: &mut dyn FnMut(ColId)) {
    Walk::new(&mut Uses(f)).plan(plan);
}

/// Calls `f` for every use of a column in an operator and all that is inside it.
pub fn uses_in_node(node: &Node, f: &mut dyn FnMut(ColId)) {
    Walk::new(&mut Uses(f)).node(node);
}

/// Calls `f` for every use of a column in an expression.
pub fn uses_in_expr(expr: &Expr, f: &mut dyn FnMut(ColId)) {
    Walk::new(&mut Uses(f)).expr(expr);
}

/// Calls `f` for every use of a column in a condition.
pub fn uses_in_pred(pred: &Pred, f: &mut dyn FnMut(ColId)) {
    Walk::new(&mut Uses(f)).pred(pred);
}

/// What a walk through a plan calls back with.
trait Visitor {
    /// A column is used, as this type if the use knows it.
    fn used(&mut self, col: ColId, ty: Option<SqlType>);
    /// A column is made.
    fn defined(&mut self, _col: ColId, _ty: ColumnType) {}
    /// A column is made of another one.
    fn alias(&mut self, _col: ColId, _of: ColId) {}
    /// A worktable keeps these columns.
    fn worktable(&mut self, _worktable: WorktableId, _columns: &[ColId]) {}
    /// A worktable is read into these columns.
    fn worktable_read(&mut self, _worktable: WorktableId, _columns: &[ColId]) {}
}

struct Uses<'f>(&'f mut dyn FnMut(ColId));

impl Visitor for Uses<'_> {
    fn used(&mut self, col: ColId, _: Option<SqlType>) {
        (self.0)(col);
    }
}

impl Visitor for Columns {
    fn used(&mut self, col: ColId, ty: Option<SqlType>) {
        *self.uses.entry(col).or_default() += 1;
        if let Some(ty) = ty {
            self.types.entry(col).or_insert(ColumnType::Sql(ty));
        }
    }

    fn defined(&mut self, col: ColId, ty: ColumnType) {
        self.types.insert(col, ty);
    }

    fn alias(&mut self, col: ColId, of: ColId) {
        self.aliases.push((col, of));
    }

    fn worktable(&mut self, worktable: WorktableId, columns: &[ColId]) {
        self.worktables.insert(worktable, columns.to_vec());
    }

    fn worktable_read(&mut self, worktable: WorktableId, columns: &[ColId]) {
        let of = self.worktables.get(&worktable).map_or(&[][..], Vec::as_slice);
        self.aliases.extend(columns.iter().copied().zip(of.iter().copied()));
    }
}

/// Walks through plans, inputs before what uses them.
struct Walk<'v> {
    visitor: &'v mut dyn Visitor,
    /// Columns of the rows that are being changed: these are read from the rows, wherever the
    /// operators below have them.
    of_target: Vec<ColId>,
}

impl<'v> Walk<'v> {
    fn new(visitor: &'v mut dyn Visitor) -> Walk<'v> {
        Walk { visitor, of_target: Vec::new() }
    }

    fn col(&mut self, col: ColId) {
        self.visitor.used(col, None);
    }

    fn define(&mut self, col: ColId, ty: SqlType) {
        self.visitor.defined(col, ColumnType::Sql(ty));
    }

    fn aliases(&mut self, columns: &[ColId], of: &[ColId]) {
        for (&col, &of) in columns.iter().zip(of) {
            self.visitor.alias(col, of);
        }
    }

    fn cols(&mut self, cols: &[ColId]) {
        cols.iter().for_each(|&col| self.col(col));
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|e| self.expr(e));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Variable(_) | ExprKind::NextValue(_) => {}
            ExprKind::Column(col) if self.of_target.contains(col) => {}
            ExprKind::Column(col) => self.visitor.used(*col, Some(expr.ty)),
            ExprKind::Cast { operand, style, .. } => {
                self.expr(operand);
                self.exprs(style.as_deref());
            }
            ExprKind::Arith { left, right, .. } | ExprKind::Concat(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Negate(operand) | ExprKind::BitNot(operand) => self.expr(operand),
            ExprKind::Case { branches, otherwise } => {
                for (pred, result) in branches {
                    self.pred(pred);
                    self.expr(result);
                }
                self.exprs(otherwise.as_deref());
            }
            ExprKind::Call { args, .. } => self.exprs(args),
            ExprKind::UserFunction { args, .. } => self.exprs(args.iter().flatten()),
            ExprKind::Subquery(subquery) => self.subquery(subquery, Some(expr.ty)),
        }
    }

    fn subquery(&mut self, subquery: &Subquery, ty: Option<SqlType>) {
        self.node(&subquery.plan);
        self.visitor.used(subquery.column, ty);
    }

    fn pred(&mut self, pred: &Pred) {
        match pred {
            Pred::Const(_) => {}
            Pred::Compare(_, a, b) | Pred::NotDistinct(a, b) => self.exprs([a, b]),
            Pred::IsNull(e) | Pred::Bit(e) => self.expr(e),
            Pred::Like { subject, pattern, escape } => {
                self.exprs([subject, pattern]);
                self.exprs(escape);
            }
            Pred::In(e, list) => {
                self.expr(e);
                self.exprs(list);
            }
            Pred::Exists(subquery) => self.subquery(subquery, None),
            Pred::Quantified { left, subquery, .. } => {
                self.expr(left);
                self.subquery(subquery, Some(left.ty));
            }
            Pred::And(list) | Pred::Or(list) => list.iter().for_each(|p| self.pred(p)),
            Pred::Not(p) => self.pred(p),
        }
    }

    fn keys(&mut self, keys: &[SortKey]) {
        keys.iter().for_each(|k| self.expr(&k.expr));
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        self.exprs(&aggregate.args);
        self.keys(&aggregate.order);
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::OneRow => {}
            Node::Values { columns, rows } => {
                rows.iter().for_each(|row| self.exprs(row));
                for (col, expr) in columns.iter().zip(rows.iter().flatten()) {
                    self.define(*col, expr.ty);
                }
            }
            Node::Scan(scan) => self.scan(scan),
            Node::Filter { input, predicate } => {
                self.node(input);
                self.pred(predicate);
            }
            Node::Compute { input, columns } => {
                self.node(input);
                for (col, expr) in columns {
                    self.expr(expr);
                    self.define(*col, expr.ty);
                }
            }
            Node::NestedLoop { outer, inner, predicate, .. } => {
                self.node(outer);
                self.node(inner);
                predicate.iter().for_each(|p| self.pred(p));
            }
            Node::HashJoin { probe, build, keys, residual, .. } => {
                self.node(probe);
                self.node(build);
                self.exprs(keys.iter().flat_map(|(a, b)| [a, b]));
                residual.iter().for_each(|p| self.pred(p));
            }
            Node::Aggregate { input, groups, aggregates, grouping_id, .. } => {
                self.node(input);
                for (col, expr) in groups {
                    self.expr(expr);
                    self.define(*col, expr.ty);
                }
                for (col, aggregate) in aggregates {
                    self.aggregate(aggregate);
                    self.define(*col, aggregate.ty);
                }
                grouping_id.iter().for_each(|&col| self.define(col, SqlType::int()));
            }
            Node::Window { input, partition, order, functions, columns } => {
                self.node(input);
                self.exprs(partition);
                self.keys(order);
                for (col, function) in functions {
                    self.window_function(function);
                    self.define(*col, function.ty);
                }
                self.cols(columns);
            }
            _ => self.list_node(node),
        }
    }

    /// The operators that name columns without expressions.
    fn list_node(&mut self, node: &Node) {
        match node {
            Node::Distinct { input, columns } => {
                self.node(input);
                self.cols(columns);
            }
            Node::Sort { input, keys, limit, columns } => {
                self.node(input);
                self.keys(keys);
                self.exprs(limit);
                self.cols(columns);
            }
            Node::Top { input, count, ties, .. } => {
                self.node(input);
                self.expr(count);
                ties.iter().for_each(|cols| self.cols(cols));
            }
            Node::Offset { input, offset, fetch } => {
                self.node(input);
                self.expr(offset);
                self.exprs(fetch);
            }
            Node::Counted { input } => self.node(input),
            Node::Union { inputs, columns } => {
                for (input, of) in inputs {
                    self.node(input);
                    self.cols(of);
                    self.aliases(columns, of);
                }
            }
            Node::Recursive { worktable, anchor, step, columns, .. } => {
                self.node(&anchor.0);
                self.cols(&anchor.1);
                self.aliases(columns, &anchor.1);
                self.visitor.worktable(*worktable, &anchor.1);
                self.node(&step.0);
                self.cols(&step.1);
            }
            Node::Spool { worktable, input, body } => {
                self.node(&input.0);
                self.cols(&input.1);
                self.visitor.worktable(*worktable, &input.1);
                self.node(body);
            }
            Node::Worktable { worktable, columns } => {
                self.visitor.worktable_read(*worktable, columns);
            }
            _ => unreachable!("node() has the others"),
        }
    }

    fn scan(&mut self, scan: &Scan) {
        for ty in source_columns(&scan.source).into_iter().enumerate() {
            let of = scan.columns.iter().filter(|c| c.0 == ty.0);
            of.for_each(|c| self.visitor.defined(c.1, ColumnType::Sql(ty.1.0)));
        }
        if let Some(row) = scan.row {
            self.visitor.defined(row, ColumnType::Row);
        }
        if let Source::Function(_, args) = &scan.source {
            self.exprs(args);
        }
        if let Source::UserFunction(_, args, _) = &scan.source {
            self.exprs(args.iter().flatten());
        }
        match &scan.access {
            Access::Full => {}
            Access::Seek { key, .. } | Access::Key { key, .. } => self.exprs(key),
            Access::RowNumber(number) => self.expr(number),
            Access::Like { prefix, pattern, .. } => {
                self.exprs(prefix);
                self.expr(pattern);
            }
            Access::Range { prefix, lower, upper, .. } => {
                self.exprs(prefix);
                self.exprs(lower.iter().chain(upper).map(|b| &b.value));
            }
        }
        scan.residual.iter().for_each(|p| self.pred(p));
    }

    fn window_function(&mut self, function: &WindowFunction) {
        match &function.kind {
            WindowKind::RowNumber
            | WindowKind::Rank
            | WindowKind::DenseRank
            | WindowKind::Distribution(_) => {}
            WindowKind::Ntile(e) => self.expr(e),
            WindowKind::Shift { value, offset, default, .. } => {
                self.exprs([value, offset]);
                self.exprs(default);
            }
            WindowKind::Edge { value, .. } => self.expr(value),
            WindowKind::Percentile { value, fraction, .. } => self.exprs([value, fraction]),
            WindowKind::Aggregate(aggregate, _) => self.aggregate(aggregate),
        }
    }
}

// Statements.
impl Walk<'_> {
    fn plan(&mut self, plan: &Plan) {
        match plan {
            Plan::Select(select) => {
                self.node(&select.root);
                for output in &select.output {
                    self.visitor.used(output.column, Some(output.shown.ty));
                }
                if let Destination::Variables(variables) = &select.destination {
                    variables.iter().for_each(|v| self.col(v.1));
                }
            }
            Plan::Insert(insert) => self.insert(insert),
            Plan::Update(update) => self.update(update),
            Plan::Delete(delete) => self.delete(delete),
            Plan::Merge(merge) => self.merge(merge),
        }
    }

    fn insert(&mut self, insert: &InsertPlan) {
        self.node(&insert.source);
        self.new_values(&insert.values);
        self.effects(&insert.effects, &insert.target);
    }

    fn update(&mut self, update: &UpdatePlan) {
        self.node(&update.input);
        self.col(update.row);
        let outside = self.of_target.len();
        match &update.target {
            Target::Instead { .. } => self.cols(&update.old_columns),
            _ => self.of_target.extend(&update.old_columns),
        }
        update.set.iter().for_each(|(_, value)| self.new_value(value));
        self.exprs(update.assign.iter().map(|a| &a.1));
        update.recheck.iter().for_each(|p| self.pred(p));
        self.effects(&update.effects, &update.target);
        self.of_target.truncate(outside);
    }

    fn delete(&mut self, delete: &DeletePlan) {
        self.node(&delete.input);
        self.col(delete.row);
        let outside = self.of_target.len();
        let old = delete.old_columns.iter().map(|c| c.1);
        match &delete.target {
            Target::Instead { .. } => old.for_each(|col| self.col(col)),
            _ => self.of_target.extend(old),
        }
        delete.recheck.iter().for_each(|p| self.pred(p));
        self.effects(&delete.effects, &delete.target);
        self.of_target.truncate(outside);
    }

    fn merge(&mut self, merge: &MergePlan) {
        self.node(&merge.input);
        self.col(merge.row);
        self.col(merge.source_present);
        if let Some(action) = merge.action {
            let collation = base::Collation::default();
            self.define(action, SqlType::nvarchar(10, collation));
        }
        let outside = self.of_target.len();
        match &merge.target {
            Target::Instead { .. } => self.cols(&merge.old_columns),
            _ => self.of_target.extend(&merge.old_columns),
        }
        merge.first.iter().for_each(|p| self.pred(p));
        self.pred(&merge.on);
        for clause in &merge.clauses {
            clause.condition.iter().for_each(|p| self.pred(p));
            match &clause.action {
                MergeAction::Update(set) => set.iter().for_each(|(_, v)| self.new_value(v)),
                MergeAction::Delete => {}
                MergeAction::Insert(values) => self.new_values(values),
            }
        }
        self.effects(&merge.effects, &merge.target);
        self.of_target.truncate(outside);
    }

    fn new_values(&mut self, values: &[NewValue]) {
        values.iter().for_each(|v| self.new_value(v));
    }

    fn new_value(&mut self, value: &NewValue) {
        if let NewValue::Expr(expr) = value {
            self.expr(expr);
        }
    }

    fn effects(&mut self, effects: &RowEffects, target: &Target) {
        let table = target.table();
        let columns: Vec<SqlType> = table.stored_columns().map(|c| c.ty).collect();
        for names in [&effects.new_columns, &effects.old_columns] {
            for (&col, &ty) in names.iter().zip(&columns) {
                self.define(col, ty);
            }
        }
        effects.checks.iter().for_each(|c| self.pred(&c.predicate));
        effects.blocks.iter().for_each(|b| self.pred(&b.predicate));
        for reference in &effects.references {
            self.exprs(&reference.key);
            self.node(&reference.lookup);
        }
        for referenced in &effects.referenced_by {
            match &referenced.action {
                ReferencedAction::Refuse { referencing, referenced } => {
                    self.node(referencing);
                    self.node(referenced);
                }
                ReferencedAction::Delete(delete) => self.delete(delete),
                ReferencedAction::Update(update) => self.update(update),
            }
        }
        self.exprs(effects.output.iter().flatten().map(|o| &o.0));
        effects.output_into.iter().for_each(|insert| self.insert(insert));
        if let Some(history) = &effects.history {
            self.pred(&history.in_order);
            self.insert(&history.insert);
        }
        for index in &effects.derived_indexes {
            index.delete.iter().for_each(|delete| self.delete(delete));
            index.insert.iter().for_each(|insert| self.insert(insert));
        }
        for view in &effects.views {
            let changes = view.inserted.iter().chain(&view.deleted).chain(&view.updated);
            changes.for_each(|change| self.view_change(change));
        }
        if let Some(tracking) = &effects.tracking {
            tracking.inserts().for_each(|insert| self.insert(insert));
        }
    }

    fn view_change(&mut self, change: &ViewChange) {
        match change {
            ViewChange::Delete(delete) => self.delete(delete),
            ViewChange::Insert(insert) => self.insert(insert),
            ViewChange::Add(groups) => {
                self.node(&groups.amounts);
                self.pred(&groups.changes);
                self.pred(&groups.begins);
                self.node(&groups.found);
                self.col(groups.row);
                let outside = self.of_target.len();
                self.of_target.extend(&groups.old_columns);
                for (&col, column) in
                    groups.old_columns.iter().zip(groups.target.table().stored_columns())
                {
                    self.define(col, column.ty);
                }
                self.pred(&groups.same);
                self.pred(&groups.ends);
                self.exprs(groups.values.iter().chain(&groups.first));
                self.of_target.truncate(outside);
            }
        }
    }
}

/// The columns of a source by their place in its rows, with whether they may be NULL.
pub fn source_columns(source: &Source) -> Vec<(SqlType, bool)> {
    match source {
        Source::Table { table, .. } => {
            let number = naming_index(table).is_none().then(|| (SqlType::bigint(), false));
            table.stored_columns().map(|c| (c.ty, c.nullable)).chain(number).collect()
        }
        Source::TableVar(_, table)
        | Source::Transition(_, table)
        | Source::Stream(_, table)
        | Source::UserFunction(_, _, table) => {
            table.stored_columns().map(|c| (c.ty, c.nullable)).collect()
        }
        Source::System(_, view) => view.columns.iter().map(|c| (c.ty, c.nullable)).collect(),
        Source::Function(function, args) => {
            let types: Vec<SqlType> = args.iter().map(|a| a.ty).collect();
            (function.columns)(&types).iter().map(|c| (c.ty, c.nullable)).collect()
        }
    }
}

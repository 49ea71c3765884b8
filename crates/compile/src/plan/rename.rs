//! Giving the columns of what is used twice names of their own (invariant E3 of [`super::expr`]).

use std::collections::HashMap;

use crate::plan::expr::{ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::ids::Ids;
use crate::plan::tree::{Node, WorktableId};
use crate::plan::walk::{Part, PartMut, Parts, visit};

/// New names for what is defined inside the queries of an expression; what they use of the outside
/// stays.
pub fn rename_inside_expr(expr: &mut Expr, ids: &mut Ids) {
    let mut names = Names::default();
    visit(expr, &mut |part| {
        if let Part::Node(node) = part {
            names.define(node, ids);
        }
    });
    if !names.is_empty() {
        names.in_expr(expr);
    }
}

/// As `rename_inside_expr`, for a condition.
pub fn rename_inside_pred(pred: &mut Pred, ids: &mut Ids) {
    let mut names = Names::default();
    visit(pred, &mut |part| {
        if let Part::Node(node) = part {
            names.define(node, ids);
        }
    });
    if !names.is_empty() {
        names.in_pred(pred);
    }
}

/// As `rename_inside_expr`, for an operator and all that is inside it. Returns what its columns are
/// called now.
pub fn rename_node(node: &mut Node, ids: &mut Ids) -> HashMap<ColId, ColId> {
    let mut names = Names::default();
    names.define(node, ids);
    visit(node, &mut |part| {
        if let Part::Node(node) = part {
            names.define(node, ids);
        }
    });
    names.in_node(node);
    names.columns
}

/// Old names and their new ones.
#[derive(Default)]
struct Names {
    columns: HashMap<ColId, ColId>,
    worktables: HashMap<WorktableId, WorktableId>,
}

impl Names {
    fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.worktables.is_empty()
    }

    /// Finds names for what an operator itself defines.
    fn define(&mut self, node: &Node, ids: &mut Ids) {
        let mut column = |id: &ColId| {
            let _ = self.columns.entry(*id).or_insert_with(|| ids.column());
        };
        match node {
            Node::Values { columns, .. }
            | Node::Union { columns, .. }
            | Node::Recursive { columns, .. }
            | Node::Worktable { columns, .. } => columns.iter().for_each(column),
            Node::Scan(scan) => {
                scan.columns.iter().map(|c| &c.1).chain(&scan.row).for_each(column);
            }
            Node::Compute { columns, .. } => columns.iter().map(|c| &c.0).for_each(column),
            Node::Aggregate { groups, aggregates, grouping_id, .. } => {
                groups.iter().map(|g| &g.0).for_each(&mut column);
                aggregates.iter().map(|a| &a.0).chain(grouping_id).for_each(column);
            }
            Node::Window { functions, .. } => functions.iter().map(|f| &f.0).for_each(column),
            _ => {}
        }
        if let Node::Recursive { worktable, .. } | Node::Spool { worktable, .. } = node {
            self.worktables.entry(*worktable).or_insert_with(|| ids.worktable());
        }
    }

    fn column(&self, column: &mut ColId) {
        if let Some(new) = self.columns.get(column) {
            *column = *new;
        }
    }

    fn all<'c>(&self, columns: impl IntoIterator<Item = &'c mut ColId>) {
        columns.into_iter().for_each(|c| self.column(c));
    }

    fn in_expr(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Column(column) => self.column(column),
            ExprKind::Subquery(subquery) => self.subquery(subquery),
            _ => {}
        }
        self.in_parts(expr);
    }

    fn in_pred(&self, pred: &mut Pred) {
        if let Pred::Exists(subquery) | Pred::Quantified { subquery, .. } = pred {
            self.subquery(subquery);
        }
        self.in_parts(pred);
    }

    fn subquery(&self, subquery: &mut Subquery) {
        self.column(&mut subquery.column);
    }

    fn in_parts(&self, whole: &mut dyn Parts) {
        whole.parts_mut(&mut |part| match part {
            PartMut::Expr(expr) => self.in_expr(expr),
            PartMut::Pred(pred) => self.in_pred(pred),
            PartMut::Node(node) => self.in_node(node),
        });
    }

    fn in_node(&self, node: &mut Node) {
        match node {
            Node::Values { columns, .. } | Node::Distinct { columns, .. } => self.all(columns),
            Node::Sort { columns, .. } => self.all(columns),
            Node::Scan(scan) => {
                self.all(scan.columns.iter_mut().map(|c| &mut c.1));
                self.all(&mut scan.row);
            }
            Node::Compute { columns, .. } => self.all(columns.iter_mut().map(|c| &mut c.0)),
            Node::Aggregate { groups, aggregates, grouping_id, .. } => {
                self.all(groups.iter_mut().map(|g| &mut g.0));
                self.all(aggregates.iter_mut().map(|a| &mut a.0));
                self.all(grouping_id);
            }
            Node::Top { ties, .. } => self.all(ties.iter_mut().flatten()),
            Node::Union { inputs, columns } => {
                self.all(inputs.iter_mut().flat_map(|i| &mut i.1));
                self.all(columns);
            }
            Node::Window { functions, columns, .. } => {
                self.all(functions.iter_mut().map(|f| &mut f.0));
                self.all(columns);
            }
            Node::Recursive { worktable, anchor, step, columns, .. } => {
                self.worktable(worktable);
                self.all(&mut anchor.1);
                self.all(&mut step.1);
                self.all(columns);
            }
            Node::Worktable { worktable, columns } => {
                self.worktable(worktable);
                self.all(columns);
            }
            Node::Spool { worktable, input, .. } => {
                self.worktable(worktable);
                self.all(&mut input.1);
            }
            Node::OneRow
            | Node::Filter { .. }
            | Node::NestedLoop { .. }
            | Node::HashJoin { .. }
            | Node::Offset { .. }
            | Node::Counted { .. } => {}
        }
        self.in_parts(node);
    }

    fn worktable(&self, worktable: &mut WorktableId) {
        if let Some(new) = self.worktables.get(worktable) {
            *worktable = *new;
        }
    }
}

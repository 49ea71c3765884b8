//! Leaves out columns that nothing above uses: what is sorted is copied, what is computed costs
//! time.
//!
//! Whatever uses a column stands above the operator that yields it, or on the inner side of a
//! nested loop around it. So the tree is walked from the top, inner sides first, with the set of
//! the columns that have been asked for.

use super::columns::{ColSet, expr_nature, expr_uses};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::tree::Node;
use crate::plan::walk::{PartMut, Parts};

/// Leaves out what is not among `wanted` and not needed for it.
pub fn prune(node: &mut Node, wanted: ColSet) {
    Pruning { wanted }.node(node);
}

struct Pruning {
    /// The columns that have been asked for so far.
    wanted: ColSet,
}

impl Pruning {
    fn want(&mut self, columns: &[ColId]) {
        self.wanted.extend_from(columns);
    }

    /// Asks for what an expression uses, and prunes the queries inside it.
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Column(col) => self.wanted.insert(*col),
            ExprKind::Subquery(subquery) => {
                self.wanted.insert(subquery.column);
                self.node(&mut subquery.plan);
            }
            _ => self.inside(expr),
        }
    }

    fn pred(&mut self, pred: &mut Pred) {
        if let Pred::Quantified { subquery, .. } = pred {
            self.wanted.insert(subquery.column);
        }
        self.inside(pred);
    }

    fn inside(&mut self, whole: &mut dyn Parts) {
        whole.parts_mut(&mut |part| match part {
            PartMut::Expr(expr) => self.expr(expr),
            PartMut::Pred(pred) => self.pred(pred),
            PartMut::Node(node) => self.node(node),
        });
    }

    /// Asks for what an operator's own expressions use, then prunes its inputs.
    fn node(&mut self, node: &mut Node) {
        self.shorten(node);
        node.parts_mut(&mut |part| match part {
            PartMut::Expr(expr) => self.expr(expr),
            PartMut::Pred(pred) => self.pred(pred),
            PartMut::Node(_) => {}
        });
        match node {
            Node::NestedLoop { outer, inner, .. } => {
                self.node(inner);
                self.node(outer);
            }
            Node::Spool { input, body, .. } => {
                self.node(body);
                self.want(&input.1);
                self.node(&mut input.0);
            }
            _ => node.parts_mut(&mut |part| {
                if let PartMut::Node(input) = part {
                    self.node(input);
                }
            }),
        }
    }

    /// Takes from an operator what nothing above has asked for.
    fn shorten(&mut self, node: &mut Node) {
        match node {
            Node::Sort { columns, .. } => columns.retain(|c| self.wanted.contains(*c)),
            Node::Compute { input, columns } => {
                let wanted = &self.wanted;
                // A column may be made of an earlier one of the same operator.
                let mut own = ColSet::default();
                columns.iter().for_each(|(_, e)| own.add(&expr_uses(e)));
                columns.retain(|(c, e)| {
                    wanted.contains(*c) || own.contains(*c) || expr_nature(e).volatile
                });
                if columns.is_empty() {
                    *node = std::mem::replace(&mut **input, Node::OneRow);
                    self.shorten(node);
                }
            }
            Node::Window { input, functions, columns, .. } => {
                columns.retain(|c| self.wanted.contains(*c));
                functions.retain(|f| self.wanted.contains(f.0));
                if functions.is_empty() {
                    *node = std::mem::replace(&mut **input, Node::OneRow);
                    return self.shorten(node);
                }
                self.wanted.extend_from(columns);
            }
            Node::Aggregate { aggregates, .. } if aggregates.len() > 1 => {
                let any = aggregates.iter().any(|a| self.wanted.contains(a.0));
                let first = aggregates[0].0;
                aggregates.retain(|a| self.wanted.contains(a.0) || (!any && a.0 == first));
            }
            Node::Union { inputs, columns } => {
                let mut keep: Vec<bool> =
                    columns.iter().map(|c| self.wanted.contains(*c)).collect();
                if let (false, Some(first)) = (keep.contains(&true), keep.first_mut()) {
                    *first = true;
                }
                retain_places(columns, &keep);
                for (_, of) in inputs {
                    retain_places(of, &keep);
                    self.wanted.extend_from(of);
                }
            }
            Node::Distinct { columns, .. } => self.wanted.extend_from(columns),
            Node::Top { ties: Some(ties), .. } => self.wanted.extend_from(ties),
            Node::Recursive { anchor, step, .. } => {
                self.wanted.extend_from(&anchor.1);
                self.wanted.extend_from(&step.1);
            }
            _ => {}
        }
    }
}

/// Keeps the columns at some places.
fn retain_places(columns: &mut Vec<ColId>, keep: &[bool]) {
    let mut places = keep.iter();
    columns.retain(|_| places.next().copied().unwrap_or(true));
}

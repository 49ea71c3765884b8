//! Conditions with queries inside that are joins: `EXISTS`, `IN (SELECT …)` and their negations.

use ir::operator::CompareOp;

use super::columns::pred_nature;
use super::condition::{column_of, split};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::tree::{JoinKind, Node, Source};

/// Whether a condition can become a join. One that no row decides is better evaluated once.
pub fn can_join(pred: &Pred) -> bool {
    match pred {
        Pred::Exists(subquery) => subquery.correlated,
        Pred::Quantified { op: CompareOp::Eq, all: false, left, .. } => is_simple(left),
        Pred::Not(inner) => match &**inner {
            Pred::Exists(subquery) => subquery.correlated,
            Pred::Quantified { op: CompareOp::Eq, all: false, left, subquery } => {
                is_never_unknown(left, subquery)
            }
            _ => false,
        },
        Pred::Quantified { op: CompareOp::Ne, all: true, left, subquery } => {
            is_never_unknown(left, subquery)
        }
        _ => false,
    }
}

/// Whether the left side can be evaluated for each row of the right side.
fn is_simple(left: &Expr) -> bool {
    super::columns::expr_nature(left).is_plain()
}

/// Whether a correlated `NOT IN` compares nothing with NULL, so that it is `NOT EXISTS`.
fn is_never_unknown(left: &Expr, subquery: &Subquery) -> bool {
    subquery.correlated
        && is_simple(left)
        && !left.nullable
        && is_never_null(&subquery.plan, subquery.column)
}

/// Whether an operator certainly yields no NULL in a column.
fn is_never_null(node: &Node, col: ColId) -> bool {
    match node {
        Node::Scan(scan) => {
            let (Source::Table { table, .. } | Source::TableVar(_, table)) = &scan.source else {
                return false;
            };
            let Some((at, _)) = scan.columns.iter().find(|c| c.1 == col) else { return false };
            table.stored_columns().nth(*at).is_some_and(|c| !c.nullable)
        }
        Node::Filter { input, .. } | Node::Top { input, .. } | Node::Distinct { input, .. } => {
            is_never_null(input, col)
        }
        Node::Compute { input, columns } => match columns.iter().find(|c| c.0 == col) {
            Some((_, expr)) => !expr.nullable,
            None => is_never_null(input, col),
        },
        Node::NestedLoop { kind: JoinKind::Inner, outer, inner, .. } => {
            is_never_null(outer, col) || is_never_null(inner, col)
        }
        _ => false,
    }
}

/// A join that a condition is.
pub struct ConditionJoin {
    /// Its kind.
    pub kind: JoinKind,
    /// Its right side.
    pub right: Node,
    /// The conditions between the sides.
    pub on: Vec<Pred>,
    /// See [`Subquery::implied`].
    pub implied: bool,
}

/// The join that a condition is.
///
/// # Panics
/// Unless [`can_join`].
pub fn as_join(pred: Pred) -> ConditionJoin {
    match pred {
        Pred::Exists(subquery) => right_side(JoinKind::Semi, *subquery, None),
        Pred::Quantified { op: CompareOp::Eq, left, subquery, .. } => {
            right_side(JoinKind::Semi, *subquery, Some(left))
        }
        Pred::Quantified { left, subquery, .. } => {
            right_side(JoinKind::Anti, *subquery, Some(left))
        }
        Pred::Not(inner) => match *inner {
            Pred::Exists(subquery) => right_side(JoinKind::Anti, *subquery, None),
            Pred::Quantified { left, subquery, .. } => {
                right_side(JoinKind::Anti, *subquery, Some(left))
            }
            _ => unreachable!("can_join() lets nothing else pass"),
        },
        _ => unreachable!("can_join() lets nothing else pass"),
    }
}

fn right_side(kind: JoinKind, subquery: Subquery, left: Option<Expr>) -> ConditionJoin {
    let Subquery { plan, column, implied, .. } = subquery;
    let mut on = Vec::new();
    let wants_column = left.is_some();
    if let Some(left) = left {
        let right = Expr { kind: ExprKind::Column(column), ty: left.ty, nullable: true };
        on.push(Pred::Compare(CompareOp::Eq, left, right));
    }
    let right = opened(plan, wants_column, &mut on);
    ConditionJoin { kind, right, on, implied }
}

/// Takes conditions off the top of a query of which only the existence of rows matters, and what
/// neither adds nor drops rows.
fn opened(node: Node, wants_column: bool, on: &mut Vec<Pred>) -> Node {
    match node {
        Node::Filter { input, predicate } if !pred_nature(&predicate).volatile => {
            split(predicate, on);
            opened(*input, wants_column, on)
        }
        Node::Compute { input, .. } if !wants_column && on.is_empty() => {
            opened(*input, wants_column, on)
        }
        Node::Compute { input, columns }
            if columns.iter().all(|c| column_of(&c.1).is_none()) && is_filter(&input) =>
        {
            let input = Box::new(opened(*input, wants_column, on));
            Node::Compute { input, columns }
        }
        Node::Sort { input, limit: None, .. } | Node::Distinct { input, .. } => {
            opened(*input, wants_column, on)
        }
        other => other,
    }
}

fn is_filter(node: &Node) -> bool {
    matches!(node, Node::Filter { .. })
}

//! Joins: which side is the outer one, and how they are computed.

use crate::plan::expr::{CompareOp, Expr, Pred};
use crate::plan::tree::{JoinKind, Node};
use crate::plan::walk;

/// Makes something of right and full joins that can be lowered.
pub fn make_lowerable(node: &mut Node) {
    let Node::NestedLoop { kind, outer, inner, predicate } = node else { return };
    match kind {
        JoinKind::RightOuter => {
            std::mem::swap(outer, inner);
            *kind = JoinKind::LeftOuter;
        }
        JoinKind::FullOuter => {
            let probe = std::mem::replace(outer, Box::new(Node::OneRow));
            let build = std::mem::replace(inner, Box::new(Node::OneRow));
            *node = hash_join(JoinKind::FullOuter, probe, build, conjuncts(predicate.take()));
        }
        _ => {}
    }
}

/// A join by hashing on whatever equalities there are.
fn hash_join(kind: JoinKind, probe: Box<Node>, build: Box<Node>, on: Vec<Pred>) -> Node {
    let (left, right) = (walk::outputs(&probe), walk::outputs(&build));
    let only = |e: &Expr, side: &[_], other: &[_]| {
        let uses = walk::uses(e);
        uses.iter().any(|c| side.contains(c)) && !uses.iter().any(|c| other.contains(c))
    };
    let (mut keys, mut rest) = (Vec::new(), Vec::new());
    for pred in on {
        match pred {
            Pred::Compare(CompareOp::Eq, a, b)
                if a.ty == b.ty && only(&a, &left, &right) && only(&b, &right, &left) =>
            {
                keys.push((a, b));
            }
            Pred::Compare(CompareOp::Eq, a, b)
                if a.ty == b.ty && only(&b, &left, &right) && only(&a, &right, &left) =>
            {
                keys.push((b, a));
            }
            other => rest.push(other),
        }
    }
    let residual = match rest.len() {
        0 => None,
        1 => rest.pop(),
        _ => Some(Pred::And(rest)),
    };
    Node::HashJoin { kind, probe, build, keys, null_equal: false, residual }
}

/// The parts of a conjunction.
fn conjuncts(pred: Option<Pred>) -> Vec<Pred> {
    match pred {
        None => Vec::new(),
        Some(Pred::And(list)) => list.into_iter().flat_map(|p| conjuncts(Some(p))).collect(),
        Some(other) => vec![other],
    }
}

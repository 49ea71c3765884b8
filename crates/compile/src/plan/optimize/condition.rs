//! Conditions: their parts, simpler forms of them, and what follows from them.

use base::Value;
use ir::function::NullBehaviour;
use ir::operator::CompareOp;

use super::columns::{ColSet, expr_uses};
use crate::plan::expr::{ColId, Expr, ExprKind, Pred};
use crate::plan::walk::{PartMut, Parts, same_expr};

/// Splits a condition into parts that all have to be true, each in a simple form. A part that is
/// never true is left as such; one that always is, is not.
pub fn split(pred: Pred, out: &mut Vec<Pred>) {
    match simplified(pred) {
        Pred::And(list) => out.extend(list),
        Pred::Const(Some(true)) => {}
        // Nothing distinguishes false from unknown here.
        Pred::Const(_) => out.push(Pred::Const(Some(false))),
        other => out.push(other),
    }
}

/// All of these conditions as one.
pub fn all(mut list: Vec<Pred>) -> Option<Pred> {
    match list.len() {
        0 => None,
        1 => list.pop(),
        _ => Some(Pred::And(list)),
    }
}

/// A condition that is true, false and unknown for the same rows. `AND` and `OR` have no `AND` or
/// `OR` of their kind inside, `NOT` has neither inside, and constants are gone where they decide
/// nothing.
fn simplified(pred: Pred) -> Pred {
    match pred {
        Pred::And(list) => connected(list, false),
        Pred::Or(list) => connected(list, true),
        Pred::Not(inner) => negated(*inner),
        Pred::In(e, mut list) if list.len() == 1 => {
            let only = list.pop().expect("it has one");
            Pred::Compare(CompareOp::Eq, e, only)
        }
        other => folded(other),
    }
}

fn connected(list: Vec<Pred>, or: bool) -> Pred {
    let mut parts = Vec::with_capacity(list.len());
    for part in list {
        match simplified(part) {
            Pred::And(inner) if !or => parts.extend(inner),
            Pred::Or(inner) if or => parts.extend(inner),
            Pred::Const(Some(value)) if value == or => return Pred::Const(Some(or)),
            Pred::Const(Some(_)) => {}
            other => parts.push(other),
        }
    }
    if or {
        join_equalities(&mut parts);
    }
    match parts.len() {
        0 => Pred::Const(Some(!or)),
        1 => parts.pop().expect("it has one"),
        _ if or => Pred::Or(parts),
        _ => Pred::And(parts),
    }
}

fn negated(pred: Pred) -> Pred {
    let each = |list: Vec<Pred>| list.into_iter().map(|p| Pred::Not(Box::new(p))).collect();
    match pred {
        Pred::Not(inner) => simplified(*inner),
        Pred::And(list) => connected(each(list), true),
        Pred::Or(list) => connected(each(list), false),
        Pred::Const(value) => Pred::Const(value.map(|v| !v)),
        Pred::Compare(op, a, b) => folded(Pred::Compare(opposite(op), a, b)),
        other => match simplified(other) {
            Pred::Const(value) => Pred::Const(value.map(|v| !v)),
            Pred::Compare(op, a, b) => Pred::Compare(opposite(op), a, b),
            other => Pred::Not(Box::new(other)),
        },
    }
}

/// A comparison that is false where this one is true.
fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Le => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Le,
    }
}

/// A comparison with its sides exchanged.
pub fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Ge => CompareOp::Le,
        same => same,
    }
}

/// Decides comparisons of constants.
fn folded(pred: Pred) -> Pred {
    match &pred {
        Pred::Compare(op, a, b) => match (&a.kind, &b.kind) {
            (ExprKind::Constant(Value::Null), _) | (_, ExprKind::Constant(Value::Null)) => {
                Pred::Const(None)
            }
            (ExprKind::Constant(x), ExprKind::Constant(y)) => {
                let order = base::arithmetic::compare(x.as_ref(), y.as_ref(), &a.ty);
                match order {
                    Some(order) => Pred::Const(Some(op.accepts(order))),
                    None => pred,
                }
            }
            _ => pred,
        },
        Pred::IsNull(e) => match &e.kind {
            ExprKind::Constant(value) => Pred::Const(Some(value.is_null())),
            _ if !e.nullable => Pred::Const(Some(false)),
            _ => pred,
        },
        _ => pred,
    }
}

/// `a = 1 OR a = 2` is `a IN (1, 2)`.
fn join_equalities(parts: &mut Vec<Pred>) {
    let split = |pred: &Pred| match pred {
        Pred::Compare(CompareOp::Eq, a, b) if matches!(a.kind, ExprKind::Column(_)) => {
            expr_uses(b).is_empty()
        }
        Pred::In(a, list) => {
            matches!(a.kind, ExprKind::Column(_)) && list.iter().all(|e| expr_uses(e).is_empty())
        }
        _ => false,
    };
    let mut at = 0;
    while at < parts.len() {
        if !split(&parts[at]) {
            at += 1;
            continue;
        }
        let subject = match &parts[at] {
            Pred::Compare(_, a, _) | Pred::In(a, _) => a.clone(),
            _ => unreachable!("split() lets nothing else pass"),
        };
        let mut list = Vec::new();
        let mut next = at;
        while next < parts.len() {
            let same = split(&parts[next])
                && matches!(&parts[next], Pred::Compare(_, a, _) | Pred::In(a, _) if same_expr(a, &subject));
            if same {
                match parts.remove(next) {
                    Pred::Compare(_, _, b) => list.push(b),
                    Pred::In(_, more) => list.extend(more),
                    _ => unreachable!("split() lets nothing else pass"),
                }
            } else {
                next += 1;
            }
        }
        let joined = match list.len() {
            1 => Pred::Compare(CompareOp::Eq, subject, list.pop().expect("it has one")),
            _ => Pred::In(subject, list),
        };
        parts.insert(at, joined);
        at += 1;
    }
}

/// Whether a condition is never true for a row that has NULL in all of these columns.
pub fn rejects_null(pred: &Pred, columns: &ColSet) -> bool {
    let strict = |e: &Expr| is_strict(e, columns);
    match pred {
        Pred::Const(value) => *value != Some(true),
        Pred::Compare(_, a, b) => strict(a) || strict(b),
        Pred::Like { subject, pattern, .. } => strict(subject) || strict(pattern),
        Pred::In(e, _) | Pred::Quantified { left: e, all: false, .. } => strict(e),
        Pred::Not(inner) => match &**inner {
            Pred::IsNull(e) => strict(e),
            Pred::Compare(_, a, b) => strict(a) || strict(b),
            Pred::Like { subject, pattern, .. } => strict(subject) || strict(pattern),
            Pred::In(e, _) => strict(e),
            _ => false,
        },
        Pred::NotDistinct(a, b) => (strict(a) && !b.nullable) || (strict(b) && !a.nullable),
        Pred::And(list) => list.iter().any(|p| rejects_null(p, columns)),
        Pred::Or(list) => list.iter().all(|p| rejects_null(p, columns)),
        _ => false,
    }
}

/// Whether an expression is NULL when these columns are.
fn is_strict(expr: &Expr, columns: &ColSet) -> bool {
    match &expr.kind {
        ExprKind::Column(col) => columns.contains(*col),
        ExprKind::Cast { operand, .. } => is_strict(operand, columns),
        ExprKind::Arith { left, right, .. } | ExprKind::Concat(left, right) => {
            is_strict(left, columns) || is_strict(right, columns)
        }
        ExprKind::Negate(e) | ExprKind::BitNot(e) => is_strict(e, columns),
        ExprKind::Call { function, args } => {
            function.nulls == NullBehaviour::Strict && args.iter().any(|a| is_strict(a, columns))
        }
        _ => false,
    }
}

/// Puts expressions in the place of columns.
pub fn substitute(whole: &mut dyn Parts, with: &dyn Fn(ColId) -> Option<Expr>) {
    whole.parts_mut(&mut |part| match part {
        PartMut::Expr(expr) => substitute_expr(expr, with),
        PartMut::Pred(pred) => substitute(pred, with),
        PartMut::Node(node) => substitute(node, with),
    });
}

/// [`substitute`] in an expression that may itself be such a column.
pub fn substitute_expr(expr: &mut Expr, with: &dyn Fn(ColId) -> Option<Expr>) {
    if let ExprKind::Column(col) = expr.kind {
        if let Some(mut new) = with(col) {
            new.nullable |= expr.nullable;
            *expr = new;
        }
        return;
    }
    substitute(expr, with);
}

/// The column that an expression is.
pub fn column_of(expr: &Expr) -> Option<ColId> {
    match expr.kind {
        ExprKind::Column(col) => Some(col),
        _ => None,
    }
}

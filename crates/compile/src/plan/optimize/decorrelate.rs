//! Scalar subqueries that are joins: an aggregate over the rows that equal the outer row in some
//! columns.
//!
//! `(SELECT SUM(l.x) FROM line AS l WHERE l.o = o.id)` reads all of `line` for each row of `o`
//! unless an index finds the rows. Where that costs more, `line` is grouped once, by `l.o`, and the
//! groups are outer-joined to `o`. The query's value is then an expression over the group's row,
//! which is missing where the query finds nothing: `COUNT` is 0 there, and the others are NULL.
//!
//! # What stays as it is
//!
//! All of the inner rows are aggregated, also those that no outer row asks for. So nothing inside
//! the groups may fail ([`never_fails`]). A sum that may not fit its type is added up in a wider
//! one, and narrowed above the join, for the outer rows whose value is asked for.

use base::types::conversion::may_overflow;
use base::{SqlType, TypeKind, Value};
use ir::operator::{ArithOp, CastMode, CompareOp};

use super::Optimizer;
use super::columns::{ColSet, expr_nature, expr_uses, outside_uses, pred_uses, yields};
use super::condition::{all, substitute_expr};
use super::joins::key_type;
use super::operators::filtered;
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, Subquery};
use crate::plan::hints::AccessHint;
use crate::plan::tree::{Access, JoinKind, Node, Source};
use crate::plan::walk::{self, Part, PartMut, Parts};

/// How much less a join must cost than the query for each row: what is known of sizes is vague.
const GAIN: f64 = 0.7;
/// What it costs to put a row into its group, and to find a row's group, in rows looked at.
const GROUPING: f64 = 2.0;
const PROBING: f64 = 1.5;
/// What the least or greatest value costs where an index has the rows in order.
const END_COST: f64 = 3.0;
/// More digits than these leave no room for a sum of as many rows as there can be.
const SUMMED_DIGITS_MAX: u8 = 26;
/// As many digits as a decimal can have.
const WIDEST_DECIMAL: u8 = 38;

/// A query that is a join.
struct Grouped {
    /// Yields a row for each group.
    groups: Node,
    /// Which group belongs to an outer row.
    on: Vec<Pred>,
    /// The query's value, over the columns of the group, which are NULL where there is none.
    value: Expr,
}

impl Optimizer<'_, '_> {
    /// The operator with joins in the place of queries in its expressions, where they cost less.
    /// `conditions` are those on what it yields.
    pub fn decorrelated(&mut self, node: Node, conditions: &[Pred]) -> Node {
        let hints = self.context.hints;
        if hints.force_order
            || hints.first_rows
            || !(hints.methods.is_empty() && hints.joins.is_empty())
        {
            return node;
        }
        match node {
            Node::Filter { input, mut predicate } if asks(&predicate) => {
                let mut taking = {
                    let parts = match &predicate {
                        Pred::And(list) => &list[..],
                        one => std::slice::from_ref(one),
                    };
                    let known: Vec<&Pred> =
                        parts.iter().chain(conditions).filter(|p| !asks(*p)).collect();
                    Taking::new(&input, self.guess(&input, &known).rows)
                };
                self.take_inside(&mut predicate, &mut taking);
                Node::Filter { input: Box::new(with_groups(*input, taking.found)), predicate }
            }
            Node::Compute { input, mut columns } if columns.iter().any(|c| is_or_asks(&c.1)) => {
                let made: ColSet = columns.iter().map(|c| c.0).collect();
                let known: Vec<&Pred> =
                    conditions.iter().filter(|p| !pred_uses(p).meets(&made)).collect();
                let mut taking = Taking::new(&input, self.guess(&input, &known).rows);
                columns.iter_mut().for_each(|(_, expr)| self.take(expr, &mut taking));
                Node::Compute { input: Box::new(with_groups(*input, taking.found)), columns }
            }
            other => other,
        }
    }

    /// Takes the queries out of an expression.
    fn take(&mut self, expr: &mut Expr, taking: &mut Taking) {
        let ExprKind::Subquery(subquery) = &expr.kind else {
            return self.take_inside(expr, taking);
        };
        if !taking.keeps_order
            && let Some(found) = self.as_groups(subquery, &expr.ty, taking)
        {
            *expr = found.value.clone();
            taking.found.push(found);
        }
    }

    fn take_inside(&mut self, whole: &mut dyn Parts, taking: &mut Taking) {
        whole.parts_mut(&mut |part| match part {
            PartMut::Expr(expr) => self.take(expr, taking),
            PartMut::Pred(pred) => self.take_inside(pred, taking),
            PartMut::Node(_) => {}
        });
    }

    /// The groups that a query is about, if it is such a query and they cost less.
    fn as_groups(&mut self, subquery: &Subquery, ty: &SqlType, taking: &Taking) -> Option<Grouped> {
        let outside = outside_uses(&subquery.plan);
        let is_near = outside.known(&outside, &taking.available);
        if !subquery.correlated || outside.is_empty() || !is_near {
            return None;
        }
        let mut value = column(subquery.column, *ty);
        let mut node = &subquery.plan;
        while let Node::Compute { input, columns } = node {
            if !columns.iter().all(|c| expr_nature(&c.1).is_plain())
                || expr_uses(&value).meets(&outside)
            {
                return None;
            }
            let with = |col| columns.iter().find(|c| c.0 == col).map(|c| c.1.clone());
            substitute_expr(&mut value, &with);
            node = input;
        }
        let Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id, .. } = node
        else {
            return None;
        };
        if !groups.is_empty()
            || !grouping_sets.is_empty()
            || grouping_id.is_some()
            || value.ty != *ty
        {
            return None;
        }
        let inner = Inner::of(input, &outside)?;
        if !self.pays(&inner, aggregates, taking.rows) {
            return None;
        }
        let (mut made, mut results) = (Vec::new(), Vec::new());
        for (col, aggregate) in aggregates {
            let name = self.context.ids.column();
            let (aggregate, result) = never_failing(aggregate, name)?;
            made.push((name, aggregate));
            results.push((*col, result));
        }
        substitute_expr(&mut value, &|col| {
            results.iter().find(|r| r.0 == col).map(|r| r.1.clone())
        });
        value.nullable = true;
        let (mut groups, mut on) = (Vec::new(), Vec::new());
        for (outer, key) in inner.keys {
            let name = self.context.ids.column();
            on.push(Pred::Compare(CompareOp::Eq, outer.clone(), column(name, key.ty)));
            groups.push((name, key.clone()));
        }
        let local = inner.local.into_iter().cloned().collect();
        let groups = Node::Aggregate {
            input: Box::new(filtered(inner.source.clone(), local)),
            groups,
            aggregates: made,
            grouping_sets: Vec::new(),
            grouping_id: None,
            ordered: false,
        };
        Some(Grouped { groups, on, value })
    }

    /// Whether grouping all inner rows once costs less than finding those of each outer row.
    fn pays(&self, inner: &Inner<'_>, aggregates: &[(ColId, Aggregate)], rows: f64) -> bool {
        let conditions: Vec<&Pred> =
            inner.local.iter().copied().chain(inner.between.iter().copied()).collect();
        let each = self.guess(inner.source, &conditions);
        let alone = self.guess(inner.source, &inner.local);
        let is_end =
            aggregates.len() == 1 && matches!(aggregates[0].1.function.name, "MIN" | "MAX");
        let cost = match each.seeks && is_end {
            true => each.cost.min(END_COST),
            false => each.cost,
        };
        alone.cost + GROUPING * alone.rows + PROBING * rows < GAIN * rows * cost
    }
}

/// Queries that are taken out of what is evaluated for the rows of an operator.
struct Taking {
    /// The columns of that operator.
    available: ColSet,
    /// How many rows it is expected to yield.
    rows: f64,
    /// Its rows must stay in their order.
    keeps_order: bool,
    found: Vec<Grouped>,
}

impl Taking {
    fn new(input: &Node, rows: f64) -> Taking {
        let (available, keeps_order) = (yields(input), is_kept_in_order(input));
        Taking { available, rows, keeps_order, found: Vec::new() }
    }
}

/// The rows that a query aggregates.
struct Inner<'p> {
    source: &'p Node,
    /// Conditions on these rows alone.
    local: Vec<&'p Pred>,
    /// Equalities with the outer row.
    between: Vec<&'p Pred>,
    /// Their sides: of the outer row, and of these.
    keys: Vec<(&'p Expr, &'p Expr)>,
}

impl<'p> Inner<'p> {
    /// Takes conditions off the top of a query. `None` if these are not all that depends on the
    /// outer row, or if something may fail.
    fn of(mut node: &'p Node, outside: &ColSet) -> Option<Inner<'p>> {
        let (mut local, mut between, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        while let Node::Filter { input, predicate } = node {
            let mut parts = vec![predicate];
            while let Some(part) = parts.pop() {
                if let Pred::And(list) = part {
                    parts.extend(list);
                } else if !pred_uses(part).meets(outside) {
                    local.push(part);
                } else {
                    keys.push(key(part, outside)?);
                    between.push(part);
                }
            }
            node = input;
        }
        let is_safe = local.iter().all(|p| pred_never_fails(p))
            && !outside_uses(node).meets(outside)
            && node_never_fails(node);
        (is_safe && !keys.is_empty()).then_some(Inner { source: node, local, between, keys })
    }
}

/// The sides of an equality between the outer row and an inner one.
fn key<'p>(pred: &'p Pred, outside: &ColSet) -> Option<(&'p Expr, &'p Expr)> {
    let Pred::Compare(CompareOp::Eq, a, b) = pred else { return None };
    let (a_uses, b_uses) = (expr_uses(a), expr_uses(b));
    let is_outer = |uses: &ColSet| !uses.is_empty() && uses.known(uses, outside);
    let is_inner = |uses: &ColSet| !uses.is_empty() && !uses.meets(outside);
    let (outer, inner) = match () {
        () if is_outer(&a_uses) && is_inner(&b_uses) => (a, b),
        () if is_outer(&b_uses) && is_inner(&a_uses) => (b, a),
        () => return None,
    };
    let fits = never_fails(a) && never_fails(b) && key_type(a, b).is_some();
    fits.then_some((outer, inner))
}

/// The rows with their groups. A join keeps no order, so it goes below a sort.
fn with_groups(node: Node, grouped: Vec<Grouped>) -> Node {
    if grouped.is_empty() {
        return node;
    }
    if let Node::Sort { input, keys, limit, mut columns } = node {
        for found in &grouped {
            columns.extend(walk::outputs(&found.groups));
        }
        let input = Box::new(with_groups(*input, grouped));
        return Node::Sort { input, keys, limit, columns };
    }
    grouped.into_iter().fold(node, |outer, found| Node::NestedLoop {
        kind: JoinKind::LeftOuter,
        outer: Box::new(outer),
        inner: Box::new(found.groups),
        predicate: all(found.on),
    })
}

/// Whether rows come in an order that a join above would lose, where it cannot go below the sort.
fn is_kept_in_order(node: &Node) -> bool {
    fn sorts(node: &Node) -> bool {
        match node {
            Node::Sort { .. } | Node::Offset { .. } => true,
            Node::Filter { input, .. }
            | Node::Compute { input, .. }
            | Node::Top { input, .. }
            | Node::Counted { input }
            | Node::Spool { body: input, .. } => sorts(input),
            _ => false,
        }
    }
    match node {
        Node::Sort { input, limit: None, .. } => is_kept_in_order(input),
        other => sorts(other),
    }
}

/// Whether there is a query for one value in an expression or condition.
fn asks(whole: &dyn Parts) -> bool {
    let mut found = false;
    whole.parts(&mut |part| match part {
        Part::Expr(expr) => found = found || is_or_asks(expr),
        Part::Pred(pred) => found = found || asks(pred),
        Part::Node(_) => {}
    });
    found
}

fn is_or_asks(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Subquery(_)) || asks(expr)
}

/// An aggregate that never fails under a new name, and what the value of `aggregate` is, over that
/// column, for a group that may be missing. `None` if there is no such aggregate.
fn never_failing(aggregate: &Aggregate, name: ColId) -> Option<(Aggregate, Expr)> {
    let Aggregate { function, args, order, ty, .. } = aggregate;
    if !order.is_empty() || !args.iter().all(never_fails) {
        return None;
    }
    let own = column(name, *ty);
    match (function.name, ty.kind) {
        ("COUNT" | "COUNT_BIG", _) => Some((aggregate.clone(), or_zero(own))),
        ("MIN" | "MAX", _) => Some((aggregate.clone(), own)),
        ("SUM" | "AVG", TypeKind::Decimal | TypeKind::Numeric) => {
            (args[0].ty.precision <= SUMMED_DIGITS_MAX).then(|| (aggregate.clone(), own))
        }
        ("SUM", _) => {
            let (wide, wide_sum) = match ty.kind {
                TypeKind::Int => (SqlType::bigint(), SqlType::bigint()),
                TypeKind::BigInt => (SqlType::decimal(19, 0), SqlType::decimal(38, 0)),
                TypeKind::Money => (SqlType::decimal(19, 4), SqlType::decimal(38, 4)),
                _ => return None,
            };
            let args = args.iter().map(|arg| converted(arg.clone(), wide)).collect();
            let sum = Aggregate { args, ty: wide_sum, ..aggregate.clone() };
            Some((sum, narrowed(column(name, wide_sum), *ty)))
        }
        _ => None,
    }
}

/// What a count is where there is no group.
fn or_zero(count: Expr) -> Expr {
    let ty = count.ty;
    let zero = Expr { kind: ExprKind::Constant(Value::Int(0)), ty, nullable: false };
    let branches = vec![(Pred::IsNull(count.clone()), zero)];
    Expr { kind: ExprKind::Case { branches, otherwise: Some(Box::new(count)) }, ty, nullable: true }
}

/// A sum as of the type that it has in the statement; error 8115 about this type if it does not
/// fit, as of adding two of its greatest values.
fn narrowed(sum: Expr, ty: SqlType) -> Expr {
    let ends = match ty.kind {
        TypeKind::Int => [i64::from(i32::MIN), i64::from(i32::MAX)].map(Value::Int),
        TypeKind::Money => [i64::MIN, i64::MAX].map(Value::Money),
        _ => [i64::MIN, i64::MAX].map(Value::Int),
    };
    let [least, greatest] = ends.map(|value| {
        let kind = ExprKind::Constant(value);
        Expr { kind, ty, nullable: false }
    });
    let outside = Pred::Or(vec![
        Pred::Compare(CompareOp::Lt, sum.clone(), converted(least, sum.ty)),
        Pred::Compare(CompareOp::Gt, sum.clone(), converted(greatest.clone(), sum.ty)),
    ]);
    let (left, right) = (Box::new(greatest.clone()), Box::new(greatest));
    let overflow =
        Expr { kind: ExprKind::Arith { op: ArithOp::Add, left, right }, ty, nullable: true };
    let otherwise = Some(Box::new(converted(sum, ty)));
    let kind = ExprKind::Case { branches: vec![(outside, overflow)], otherwise };
    Expr { kind, ty, nullable: true }
}

fn column(name: ColId, ty: SqlType) -> Expr {
    Expr { kind: ExprKind::Column(name), ty, nullable: true }
}

fn converted(expr: Expr, ty: SqlType) -> Expr {
    if expr.ty == ty {
        return expr;
    }
    let nullable = expr.nullable;
    let kind = ExprKind::Cast { operand: Box::new(expr), mode: CastMode::Explicit, style: None };
    Expr { kind, ty, nullable }
}

/// Whether an expression has a value, or is NULL, whatever its columns are.
fn never_fails(expr: &Expr) -> bool {
    let ty = &expr.ty;
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Column(_) | ExprKind::Variable(_) => true,
        ExprKind::Cast { operand, style: None, .. } => {
            never_fails(operand) && conversion_never_fails(&operand.ty, ty)
        }
        ExprKind::Arith { op, left, right } => {
            // A decimal has room for its result unless it is as wide as can be.
            let fits = match op {
                ArithOp::Add | ArithOp::Subtract | ArithOp::Multiply => {
                    ty.kind.is_decimal() && ty.precision < WIDEST_DECIMAL
                }
                ArithOp::BitAnd | ArithOp::BitOr | ArithOp::BitXor => ty.kind.is_integer(),
                ArithOp::Divide | ArithOp::Modulo => false,
            };
            fits && never_fails(left) && never_fails(right)
        }
        ExprKind::Case { branches, otherwise } => {
            branches.iter().all(|(when, then)| pred_never_fails(when) && never_fails(then))
                && otherwise.as_ref().is_none_or(|e| never_fails(e))
        }
        ExprKind::Call { function, args } => {
            function.name == "ISNULL" && args.iter().all(|arg| arg.ty == *ty && never_fails(arg))
        }
        _ => false,
    }
}

fn conversion_never_fails(from: &SqlType, to: &SqlType) -> bool {
    let is_exact =
        |ty: &SqlType| ty.kind.is_integer() || ty.kind.is_decimal() || ty.kind.is_money();
    match from.kind.is_character() && to.kind.is_character() {
        true => from.length <= to.length && !from.is_max() && !to.is_max(),
        false => is_exact(from) && is_exact(to) && !may_overflow(from, to),
    }
}

/// Whether a condition is true, false or unknown whatever its columns are.
fn pred_never_fails(pred: &Pred) -> bool {
    match pred {
        Pred::Const(_) => true,
        Pred::Compare(_, a, b) | Pred::NotDistinct(a, b) => never_fails(a) && never_fails(b),
        Pred::IsNull(e) | Pred::Bit(e) => never_fails(e),
        Pred::Like { subject, pattern, escape: None } => {
            never_fails(subject) && never_fails(pattern)
        }
        Pred::In(e, list) => never_fails(e) && list.iter().all(never_fails),
        Pred::And(list) | Pred::Or(list) => list.iter().all(pred_never_fails),
        Pred::Not(inner) => pred_never_fails(inner),
        _ => false,
    }
}

/// Whether an operator yields its rows whatever they are: tables that are joined, with conditions
/// and computed columns. What hints say of how rows are found and locked is meant for the query as
/// written.
fn node_never_fails(node: &Node) -> bool {
    match node {
        Node::Scan(scan) => {
            matches!(scan.source, Source::Table { .. } | Source::TableVar(..))
                && matches!(scan.access, Access::Full)
                && scan.hint == AccessHint::default()
                && !(scan.options.update_lock || scan.options.exclusive_lock)
                && scan.residual.as_ref().is_none_or(pred_never_fails)
        }
        Node::Filter { input, predicate } => pred_never_fails(predicate) && node_never_fails(input),
        Node::Compute { input, columns } => {
            columns.iter().all(|c| never_fails(&c.1)) && node_never_fails(input)
        }
        Node::NestedLoop { outer, inner, predicate, .. } => {
            predicate.as_ref().is_none_or(pred_never_fails)
                && node_never_fails(outer)
                && node_never_fails(inner)
        }
        _ => false,
    }
}

//! Operator by operator: where conditions go, and which orders come for free.

use base::Value;
use ir::operator::CompareOp;
use smallvec::SmallVec;

use super::Optimizer;
use super::access::over_list;
use super::columns::{ColSet, expr_nature, expr_uses, pred_nature, pred_uses, yields};
use super::condition::{all, column_of, mirrored, split, substitute};
use super::order::{Order, Want};
use super::terms::{Terms, indexed};
use crate::plan::expr::{Aggregate, ColId, Expr, ExprKind, Pred, SortKey};
use crate::plan::hints::AccessHint;
use crate::plan::rename::{rename_inside_pred, rename_node};
use crate::plan::tree::{Access, JoinKind, Node, Scan};
use crate::plan::walk;

/// The operator that passes rows on for which all conditions hold.
pub fn filtered(node: Node, conditions: Vec<Pred>) -> Node {
    match all(conditions) {
        None => node,
        Some(predicate) => Node::Filter { input: Box::new(node), predicate },
    }
}

/// The operator, evaluated only if conditions hold that no row decides.
pub fn guarded(node: Node, conditions: Vec<Pred>) -> Node {
    match all(conditions) {
        None => node,
        Some(predicate) => Node::NestedLoop {
            kind: JoinKind::Inner,
            outer: Box::new(Node::Filter { input: Box::new(Node::OneRow), predicate }),
            inner: Box::new(node),
            predicate: None,
        },
    }
}

/// Whether what a security policy says of a source's rows can become a join.
fn hides_by_query(scan: &Scan) -> bool {
    let parts = |pred: &Pred| match pred {
        Pred::And(list) => list.iter().any(has_join),
        pred => has_join(pred),
    };
    matches!(scan.access, Access::Full) && scan.residual.as_ref().is_some_and(parts)
}

fn has_join(pred: &Pred) -> bool {
    match pred {
        Pred::And(list) => list.iter().any(has_join),
        pred => super::subqueries::can_join(pred),
    }
}

/// A source with what a security policy says of its rows as a condition on them.
pub fn unhidden(mut scan: Box<Scan>) -> Node {
    let hidden = scan.residual.take();
    filtered(Node::Scan(scan), hidden.into_iter().collect())
}

impl Optimizer<'_, '_> {
    /// Improves an operator and keeps only the rows that meet some conditions. The queries inside
    /// the conditions have been looked at, unless they can become joins.
    pub fn rows(&mut self, node: Node, mut conditions: Vec<Pred>, want: &Want) -> Node {
        if !self.goes_on(1) {
            return node;
        }
        match self.decorrelated(node, &conditions) {
            Node::Filter { input, predicate } => {
                let mut own = Vec::new();
                split(predicate, &mut own);
                self.inside_conditions(&mut own);
                own.append(&mut conditions);
                match own.iter().any(super::subqueries::can_join) {
                    true => self.joined(*input, own, want),
                    false => self.rows(*input, own, want),
                }
            }
            Node::Scan(scan) if hides_by_query(&scan) => {
                self.rows(unhidden(scan), conditions, want)
            }
            Node::Scan(scan) => self.scan(*scan, conditions, want),
            node @ Node::NestedLoop { .. } => self.joined(node, conditions, want),
            node @ Node::Compute { .. } => self.computed(node, conditions, want),
            node @ Node::HashJoin { .. } => self.given_hash_join(node, conditions),
            node @ Node::Aggregate { .. } => self.aggregate(node, conditions),
            Node::Distinct { input, columns } => {
                let (inside, outside) = self.movable(conditions);
                let want = Want { few: want.few && want.is_empty(), ..Want::nothing() };
                let input = Box::new(self.rows(*input, inside, &want));
                filtered(Node::Distinct { input, columns }, outside)
            }
            node @ Node::Sort { .. } => self.sort(node, conditions),
            Node::Top { input, mut count, percent, ties } => {
                self.inside_expr(&mut count);
                let want = match percent {
                    true => Want::nothing(),
                    false => Want { few: is_little(&count), ..want.clone() },
                };
                let input = Box::new(self.rows(*input, Vec::new(), &want));
                filtered(Node::Top { input, count, percent, ties }, conditions)
            }
            Node::Offset { input, mut offset, mut fetch } => {
                self.inside_expr(&mut offset);
                fetch.iter_mut().for_each(|e| self.inside_expr(e));
                let input = Box::new(self.rows(*input, Vec::new(), want));
                filtered(Node::Offset { input, offset, fetch }, conditions)
            }
            Node::Counted { input } => {
                let input = Box::new(self.rows(*input, Vec::new(), want));
                filtered(Node::Counted { input }, conditions)
            }
            Node::Union { inputs, columns } => self.union(inputs, columns, conditions),
            node @ Node::Window { .. } => self.window(node, conditions, want),
            Node::Recursive { worktable, anchor, step, columns, max_rounds } => {
                let anchor = Box::new((self.whole(anchor.0), anchor.1));
                let step = Box::new((self.whole(step.0), step.1));
                let node = Node::Recursive { worktable, anchor, step, columns, max_rounds };
                filtered(node, conditions)
            }
            Node::Spool { worktable, input, body } => {
                let input = Box::new((self.whole(input.0), input.1));
                let body = Box::new(self.rows(*body, conditions, want));
                Node::Spool { worktable, input, body }
            }
            node @ (Node::OneRow | Node::Worktable { .. }) => filtered(node, conditions),
            Node::Values { columns, mut rows } => {
                rows.iter_mut().flatten().for_each(|e| self.inside_expr(e));
                filtered(Node::Values { columns, rows }, conditions)
            }
        }
    }

    /// An operator of which nothing is known.
    pub fn whole(&mut self, node: Node) -> Node {
        self.rows(node, Vec::new(), &Want::nothing())
    }

    /// Looks at the queries inside of conditions that stay conditions.
    pub fn inside_conditions(&mut self, conditions: &mut [Pred]) {
        for pred in conditions {
            if !super::subqueries::can_join(pred) {
                self.inside_pred(pred);
            }
        }
    }

    /// Conditions that can be evaluated earlier, and those that cannot.
    fn movable(&self, conditions: Vec<Pred>) -> (Vec<Pred>, Vec<Pred>) {
        conditions.into_iter().partition(|p| !pred_nature(p).volatile)
    }

    /// Rows of one source.
    pub fn scan(&mut self, mut scan: Scan, conditions: Vec<Pred>, want: &Want) -> Node {
        let mut list = Vec::new();
        if let Some(residual) = scan.residual.take() {
            split(residual, &mut list);
            self.inside_conditions(&mut list);
        }
        self.scan_parts(&mut scan);
        list.extend(conditions);
        let own: ColSet = scan.columns.iter().map(|c| c.1).chain(scan.row).collect();
        let mut once = Vec::new();
        let mut each = Vec::with_capacity(list.len());
        for pred in list {
            match !pred_uses(&pred).meets(&own) && !pred_nature(&pred).volatile {
                true => once.push(pred),
                false => each.push(pred),
            }
        }
        if once.iter().any(|p| matches!(p, Pred::Const(value) if *value != Some(true))) {
            // No row has to be found.
            scan.hint = AccessHint::default();
        }
        guarded(self.scan_rows(scan, each, want, true), once)
    }

    fn scan_rows(&mut self, mut scan: Scan, mut each: Vec<Pred>, want: &Want, lossy: bool) -> Node {
        if indexed(&scan.source).is_none() || !matches!(scan.access, Access::Full) {
            scan.residual = all(each);
            return Node::Scan(Box::new(scan));
        }
        let mut certain = None;
        let (found, taken) = {
            let borrowed: SmallVec<[&Pred; 8]> = each.iter().collect();
            let terms = Terms::of(&scan, &borrowed, lossy);
            let choice = self.choose(&scan, &borrowed, &terms, want);
            match self.choose_list(&scan, &borrowed, &terms, &choice) {
                Some(found) => (Some(found), SmallVec::new()),
                None => {
                    self.refused |= choice.is_forbidden();
                    certain = choice.certain(&terms);
                    (None, choice.apply(&mut scan, &terms))
                }
            }
        };
        if let Some((condition, mut list)) = found {
            let name = self.context.ids.column();
            let column = |col| Expr { kind: ExprKind::Column(col), ty: list.ty, nullable: true };
            let equal = Pred::Compare(CompareOp::Eq, column(list.column), column(name));
            if list.exact {
                each.remove(condition);
            }
            each.push(equal);
            return over_list(list.rows(name), self.scan_rows(scan, each, &Want::nothing(), false));
        }
        let fallback = certain.map(|certain| {
            let hint = AccessHint::default();
            let scan = Scan { access: Access::Full, hint, ..scan.clone() };
            (certain, self.scan_rows(scan, each.clone(), &Want::nothing(), false))
        });
        let mut at = 0;
        each.retain(|_| {
            at += 1;
            !taken.contains(&(at - 1))
        });
        scan.residual = all(each);
        let node = Node::Scan(Box::new(scan));
        match fallback {
            Some((certain, fallback)) => self.either(certain, node, fallback),
            None => node,
        }
    }

    /// One operator if a condition holds that no row decides, another one if not. Both yield the
    /// same columns.
    fn either(&mut self, condition: Pred, first: Node, second: Node) -> Node {
        let columns = walk::outputs(&first);
        let not = Pred::Not(Box::new(condition.clone()));
        let inputs = [(condition, first), (not, second)].map(|(condition, mut node)| {
            let names = rename_node(&mut node, self.context.ids);
            let of = columns.iter().map(|c| names.get(c).copied().unwrap_or(*c)).collect();
            (guarded(node, vec![condition]), of)
        });
        Node::Union { inputs: inputs.into(), columns }
    }

    /// New columns. They are computed where they are, but conditions on them may go below.
    fn computed(&mut self, node: Node, conditions: Vec<Pred>, want: &Want) -> Node {
        let Node::Compute { input, mut columns } = node else { return node };
        let plain = columns.iter().all(|c| expr_nature(&c.1).is_plain());
        let joins =
            matches!(*input, Node::NestedLoop { .. } | Node::Filter { .. } | Node::Compute { .. });
        if plain && joins {
            return self.joined(Node::Compute { input, columns }, conditions, want);
        }
        columns.iter_mut().for_each(|(_, e)| self.inside_expr(e));
        let known = |col: ColId| columns.iter().find(|c| c.0 == col);
        let own: ColSet = columns.iter().map(|c| c.0).collect();
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for mut pred in conditions {
            let uses = pred_uses(&pred);
            let moves = !pred_nature(&pred).volatile
                && columns.iter().all(|(c, e)| !uses.contains(*c) || expr_nature(e).is_plain());
            if moves {
                if uses.meets(&own) {
                    substitute(&mut pred, &|col| known(col).map(|c| c.1.clone()));
                }
                below.push(pred);
            } else {
                above.push(pred);
            }
        }
        let available = yields(&input);
        let input = Box::new(self.rows(*input, below, &want.within(&available)));
        filtered(Node::Compute { input, columns }, above)
    }

    /// A join that the binder has decided to be computed by hashing: a set operation.
    fn given_hash_join(&mut self, node: Node, conditions: Vec<Pred>) -> Node {
        let Node::HashJoin { kind, probe, build, mut keys, null_equal, mut residual } = node else {
            return node;
        };
        for (a, b) in &mut keys {
            self.inside_expr(a);
            self.inside_expr(b);
        }
        residual.iter_mut().for_each(|p| self.inside_pred(p));
        let (left, right) = (yields(&probe), yields(&build));
        let takes = |kind: JoinKind| match kind {
            JoinKind::Inner => (true, true),
            JoinKind::RightOuter => (false, true),
            JoinKind::FullOuter => (false, false),
            _ => (true, false),
        };
        let (on_probe, on_build) = takes(kind);
        let (mut below_probe, mut below_build, mut above) = (Vec::new(), Vec::new(), Vec::new());
        for pred in conditions {
            let uses = pred_uses(&pred);
            let moves = !pred_nature(&pred).volatile;
            if moves && on_probe && !uses.meets(&right) {
                below_probe.push(pred);
            } else if moves && on_build && !uses.meets(&left) {
                below_build.push(pred);
            } else {
                above.push(pred);
            }
        }
        let probe = Box::new(self.rows(*probe, below_probe, &Want::nothing()));
        let build = Box::new(self.rows(*build, below_build, &Want::nothing()));
        filtered(Node::HashJoin { kind, probe, build, keys, null_equal, residual }, above)
    }

    fn aggregate(&mut self, node: Node, conditions: Vec<Pred>) -> Node {
        let Node::Aggregate {
            input,
            mut groups,
            mut aggregates,
            grouping_sets,
            grouping_id,
            ordered,
        } = node
        else {
            return node;
        };
        groups.iter_mut().for_each(|(_, e)| self.inside_expr(e));
        aggregates.iter_mut().for_each(|(_, a)| self.inside(a));
        aggregates.iter_mut().for_each(|(_, a)| count_rows(a));
        let (mut below, mut above) = (Vec::new(), Vec::new());
        let results: ColSet = aggregates.iter().map(|a| a.0).chain(grouping_id).collect();
        for mut pred in conditions {
            let moves = !groups.is_empty()
                && grouping_sets.is_empty()
                && !pred_uses(&pred).meets(&results)
                && pred_nature(&pred).is_plain()
                && groups.iter().all(|g| expr_nature(&g.1).is_plain());
            if moves {
                let group = |col| groups.iter().find(|g| g.0 == col).map(|g| g.1.clone());
                substitute(&mut pred, &group);
                below.push(pred);
            } else {
                above.push(pred);
            }
        }
        let end = match groups.is_empty() && grouping_sets.is_empty() {
            true => end_wanted(&aggregates),
            false => None,
        };
        let want = match end {
            Some((col, descending)) => {
                Want { keys: SmallVec::from_slice(&[(col, descending)]), few: true }
            }
            None => Want::nothing(),
        };
        // An order that the aggregates rely on must stay.
        let mut input = match ordered {
            true => Box::new(self.rows(*input, Vec::new(), &want)),
            false => Box::new(self.rows(*input, std::mem::take(&mut below), &want)),
        };
        if ordered && !below.is_empty() {
            input = Box::new(filtered(*input, below));
        }
        if let Some((col, descending)) = end {
            input = Box::new(only_end(*input, &aggregates[0].1, col, descending));
        }
        let columns: Option<ColSet> = groups.iter().map(|g| column_of(&g.1)).collect();
        let together = || columns.is_some_and(|columns| Order::of(&input).groups(&columns));
        let plain = !groups.is_empty() && grouping_sets.is_empty();
        let mut ordered =
            ordered || (plain && self.context.hints.hash_group != Some(true) && together());
        if plain && !ordered && self.context.hints.hash_group == Some(false) {
            input = Box::new(sorted_by(*input, &groups));
            ordered = true;
        }
        let node =
            Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id, ordered };
        filtered(node, above)
    }

    fn sort(&mut self, node: Node, conditions: Vec<Pred>) -> Node {
        let Node::Sort { input, mut keys, mut limit, columns } = node else { return node };
        keys.iter_mut().for_each(|k| self.inside_expr(&mut k.expr));
        limit.iter_mut().for_each(|e| self.inside_expr(e));
        let (below, above) = match limit {
            None => self.movable(conditions),
            Some(_) => (Vec::new(), conditions),
        };
        let is_few = limit.as_ref().is_some_and(is_little) || self.context.hints.first_rows;
        let want = Want::of(&keys, is_few);
        let input = self.rows(*input, below, &want);
        // With a limit it is the operator above that counts.
        let node = match Order::of(&input).satisfies(&keys) {
            true => input,
            false => Node::Sort { input: Box::new(input), keys, limit, columns },
        };
        filtered(node, above)
    }

    fn union(
        &mut self,
        inputs: Vec<(Node, Vec<ColId>)>,
        columns: Vec<ColId>,
        conditions: Vec<Pred>,
    ) -> Node {
        let (below, above) = self.movable(conditions);
        let last = inputs.len().saturating_sub(1);
        let mut below = Some(below);
        let mut improved = Vec::with_capacity(inputs.len());
        for (at, (input, of)) in inputs.into_iter().enumerate() {
            let mut own = match at == last {
                true => below.take().unwrap_or_default(),
                false => below.clone().unwrap_or_default(),
            };
            let types = column_types(&own, &columns);
            for pred in &mut own {
                if at != last {
                    rename_inside_pred(pred, self.context.ids);
                }
                substitute(pred, &|col| {
                    let place = columns.iter().position(|c| *c == col)?;
                    let ty = types.iter().find(|t| t.0 == col)?.1;
                    Some(Expr { kind: ExprKind::Column(of[place]), ty, nullable: true })
                });
            }
            let input = self.rows(input, own, &Want::nothing());
            improved.push((input, of));
        }
        filtered(Node::Union { inputs: improved, columns }, above)
    }

    /// Window functions. Functions that only number rows take them as they come, if that is in
    /// order.
    fn window(&mut self, node: Node, conditions: Vec<Pred>, want: &Want) -> Node {
        let Node::Window { input, mut partition, mut order, mut functions, columns } = node else {
            return node;
        };
        let available = yields(&input);
        partition.retain(|e| !is_fixed(e, &available));
        order.retain(|k| !is_fixed(&k.expr, &available));
        partition.iter_mut().for_each(|e| self.inside_expr(e));
        order.iter_mut().for_each(|k| self.inside_expr(&mut k.expr));
        functions.iter_mut().for_each(|(_, f)| self.inside(f));
        // A condition on what all rows of a partition share drops partitions as a whole.
        let shared: ColSet = partition.iter().filter_map(column_of).collect();
        let made: ColSet = functions.iter().map(|f| f.0).collect();
        let (below, above): (Vec<_>, Vec<_>) = conditions.into_iter().partition(|p| {
            let uses = pred_uses(p);
            !pred_nature(p).volatile && uses.known(&available, &shared) && !uses.meets(&made)
        });
        let numbers = partition.is_empty() && functions.iter().all(|f| f.1.is_row_number());
        let last = above.iter().filter_map(|p| last_number(p, &made)).min();
        let wanted = want.before(&made);
        let mut want = match numbers {
            true if order.is_empty() => wanted.within(&available),
            true => Want::of(&order, wanted.few && wanted.is_empty()),
            false => Want::nothing(),
        };
        want.few |= numbers && last.is_some_and(|last| last <= FEW);
        let input = Box::new(self.rows(*input, below, &want));
        if numbers && Order::of(&input).satisfies(&order) {
            order.clear();
        }
        let node = Node::Window { input, partition, order, functions, columns };
        match last.filter(|_| node.numbers_rows()) {
            Some(last) => filtered(first_rows(node, last.max(0)), above),
            None => filtered(node, above),
        }
    }
}

/// The last row number that can meet a condition, if the condition sets such a bound.
fn last_number(condition: &Pred, numbers: &ColSet) -> Option<i64> {
    let Pred::Compare(op, a, b) = condition else { return None };
    let is_number = |e: &Expr| column_of(e).is_some_and(|col| numbers.contains(col));
    let (op, bound) = match (is_number(a), is_number(b)) {
        (true, false) => (*op, b),
        (false, true) => (mirrored(*op), a),
        _ => return None,
    };
    match (op, &bound.kind) {
        (CompareOp::Eq | CompareOp::Le, ExprKind::Constant(Value::Int(last))) => Some(*last),
        (CompareOp::Lt, ExprKind::Constant(Value::Int(end))) => end.checked_sub(1),
        _ => None,
    }
}

/// Whether an expression has the same value for all rows with these columns.
fn is_fixed(expr: &Expr, columns: &ColSet) -> bool {
    let nature = expr_nature(expr);
    !nature.volatile && !nature.costly && !expr_uses(expr).meets(columns)
}

/// Rows in an order that brings the rows of each group together.
fn sorted_by(input: Node, groups: &[(ColId, Expr)]) -> Node {
    let key = |g: &(ColId, Expr)| SortKey { expr: g.1.clone(), descending: false };
    let (keys, columns) = (groups.iter().map(key).collect(), walk::outputs(&input));
    Node::Sort { input: Box::new(input), keys, limit: None, columns }
}

/// The types that conditions use columns as.
fn column_types(conditions: &[Pred], columns: &[ColId]) -> Vec<(ColId, base::SqlType)> {
    use crate::plan::walk::{Part, visit};
    let mut types = Vec::new();
    for pred in conditions {
        visit(pred, &mut |part| {
            if let Part::Expr(Expr { kind: ExprKind::Column(col), ty, .. }) = part
                && columns.contains(col)
            {
                types.push((*col, *ty));
            }
        });
    }
    types
}

/// A count of values that are never NULL counts rows.
fn count_rows(aggregate: &mut Aggregate) {
    let counts = matches!(aggregate.function.name, "COUNT" | "COUNT_BIG") && !aggregate.distinct;
    let is_value = |e: &Expr| matches!(e.kind, ExprKind::Column(_) | ExprKind::Constant(_));
    if counts && aggregate.args.iter().all(|e| is_value(e) && !e.nullable) {
        aggregate.args.clear();
    }
}

/// The column of which one end alone is wanted: `MIN(a)` or `MAX(a)` (descending).
fn end_wanted(aggregates: &[(ColId, Aggregate)]) -> Option<(ColId, bool)> {
    let [(_, Aggregate { function, args, .. })] = aggregates else { return None };
    let [arg] = &args[..] else { return None };
    match function.name {
        "MIN" => Some((column_of(arg)?, false)),
        "MAX" => Some((column_of(arg)?, true)),
        _ => None,
    }
}

/// The first row with a value, if the rows come in order of that value.
fn only_end(input: Node, aggregate: &Aggregate, col: ColId, descending: bool) -> Node {
    let arg = aggregate.args[0].clone();
    let key = SortKey { expr: arg.clone(), descending };
    let order = Order::of(&input);
    if order.is_single() || !order.satisfies(&[key]) {
        return input;
    }
    debug_assert_eq!(column_of(&arg), Some(col), "the argument is the column");
    let input = match arg.nullable {
        true => filtered(input, vec![Pred::Not(Box::new(Pred::IsNull(arg)))]),
        false => input,
    };
    first_rows(input, 1)
}

/// The first `count` rows of an input.
fn first_rows(input: Node, count: i64) -> Node {
    let ty = base::SqlType::bigint();
    let count = Expr { kind: ExprKind::Constant(Value::Int(count)), ty, nullable: false };
    Node::Top { input: Box::new(input), count, percent: false, ties: None }
}

/// As many rows as a `TOP` may yield that are few.
const FEW: i64 = 1000;

/// Whether a `TOP` yields few rows, as far as is known.
fn is_little(count: &Expr) -> bool {
    !matches!(count.kind, ExprKind::Constant(Value::Int(count)) if count > FEW)
}

//! A naive evaluator of plans over values, without IR and registers. Units must give the results
//! that it gives.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use base::arithmetic::compare;
use base::{Arena, SqlError, SqlResult, SqlType, Value};
use compile::plan::expr::*;
use compile::plan::tree::*;
use ir::inst::int_range;
use ir::site::ArithSite;

use crate::interp::ops;

/// The columns of a row, and of what encloses it.
pub type Env = HashMap<ColId, Value>;

/// The rows of tables by their name.
#[derive(Default)]
pub struct Reference {
    pub tables: HashMap<Arc<str>, Vec<Vec<Value>>>,
    worktables: HashMap<WorktableId, Vec<Vec<Value>>>,
    /// Rows made so far; too many end the evaluation.
    work: usize,
}

/// What ends an evaluation that grows too large.
pub const TOO_MUCH: i32 = -1;

const WORK_MAX: usize = 400_000;

impl Reference {
    pub fn rows(&mut self, node: &Node, outer: &Env) -> SqlResult<Vec<Env>> {
        let rows = self.node(node, outer)?;
        self.work += rows.len() + 1;
        if self.work > WORK_MAX {
            return Err(SqlError::custom(TOO_MUCH, 16, 1, "too much"));
        }
        Ok(rows)
    }

    fn node(&mut self, node: &Node, outer: &Env) -> SqlResult<Vec<Env>> {
        match node {
            Node::OneRow => Ok(vec![outer.clone()]),
            Node::Values { columns, rows } => rows
                .iter()
                .map(|row| {
                    let mut env = outer.clone();
                    for (col, e) in columns.iter().zip(row) {
                        env.insert(*col, self.expr(e, outer)?);
                    }
                    Ok(env)
                })
                .collect(),
            Node::Scan(scan) => self.scan(scan, outer),
            Node::Filter { input, predicate } => {
                let rows = self.rows(input, outer)?;
                self.filter(rows, Some(predicate))
            }
            Node::Compute { input, columns } => {
                let mut rows = self.rows(input, outer)?;
                for row in &mut rows {
                    for (col, e) in columns {
                        let value = self.expr(e, row)?;
                        row.insert(*col, value);
                    }
                }
                Ok(rows)
            }
            Node::NestedLoop { kind, outer: left, inner, predicate } => {
                let mut out = Vec::new();
                for row in self.rows(left, outer)? {
                    let mut found = Vec::new();
                    for pair in self.rows(inner, &row)? {
                        found.push((self.opt(predicate.as_ref(), &pair)?, pair));
                    }
                    joined(*kind, row, inner, found, &mut out);
                }
                Ok(out)
            }
            Node::HashJoin { .. } => self.hash_join(node, outer),
            Node::Distinct { input, columns } => {
                let mut out: Vec<Env> = Vec::new();
                for row in self.rows(input, outer)? {
                    if !out.iter().any(|o| columns.iter().all(|c| same(&o[c], &row[c]))) {
                        out.push(row);
                    }
                }
                Ok(out)
            }
            Node::Sort { input, keys, limit, .. } => {
                let mut rows = self.sorted(input, keys, outer)?;
                if let Some(limit) = limit {
                    rows.truncate(self.count(limit, outer)?);
                }
                Ok(rows)
            }
            Node::Top { input, count, percent: false, ties } => {
                let rows = self.rows(input, outer)?;
                let count = self.count(count, outer)?;
                let cut = rows.len().min(count);
                let tied = |row: &Env| match ties {
                    Some(ties) if cut > 0 => ties.iter().all(|c| same(&rows[cut - 1][c], &row[c])),
                    _ => false,
                };
                let more = rows[cut..].iter().take_while(|r| tied(r)).count();
                Ok(rows[..cut + more].to_vec())
            }
            Node::Counted { input } => self.rows(input, outer),
            Node::Offset { input, offset, fetch } => {
                let rows = self.rows(input, outer)?;
                let skip = self.count(offset, outer)?;
                let take = match fetch {
                    Some(fetch) => self.count(fetch, outer)?,
                    None => usize::MAX,
                };
                Ok(rows.into_iter().skip(skip).take(take).collect())
            }
            Node::Union { inputs, columns } => {
                let mut out = Vec::new();
                for (input, of) in inputs {
                    for row in self.rows(input, outer)? {
                        let mut env = outer.clone();
                        for (col, of) in columns.iter().zip(of) {
                            env.insert(*col, row[of].clone());
                        }
                        out.push(env);
                    }
                }
                Ok(out)
            }
            Node::Spool { worktable, input, body } => {
                let rows = self.rows(&input.0, outer)?;
                let kept = |row: &Env| input.1.iter().map(|c| row[c].clone()).collect();
                self.worktables.insert(*worktable, rows.iter().map(kept).collect());
                self.rows(body, outer)
            }
            Node::Worktable { worktable, columns } => {
                let rows = self.worktables[worktable].clone();
                Ok(rows.into_iter().map(|row| named(outer, columns, row)).collect())
            }
            Node::Aggregate { .. } => self.aggregate(node, outer),
            Node::Window { .. } => self.window(node, outer),
            other => panic!("the generator does not make {other:?}"),
        }
    }

    fn scan(&mut self, scan: &Scan, outer: &Env) -> SqlResult<Vec<Env>> {
        let table = match &scan.source {
            Source::Table { table, .. } => table,
            Source::Function(_, args) => return self.series(scan, args, outer),
            other => panic!("the generator does not make {other:?}"),
        };
        let stored = self.tables[&table.header.name].clone();
        let index = |index: usize| -> Vec<(usize, SqlType)> {
            let place = |c| table.column_ordinal(c).unwrap();
            table.indexes[index]
                .key
                .iter()
                .map(|k| (place(k.column), table.columns[place(k.column)].ty))
                .collect()
        };
        let mut out = Vec::new();
        for row in stored {
            let mut found = true;
            let mut test = |(column, ty): (usize, SqlType), e: &Expr, op: CompareOp| {
                let value = self.expr(e, outer)?;
                let order = compare(row[column].as_ref(), value.as_ref(), &ty);
                found &= order.is_some_and(|o| ops::holds(op, o, Ordering::Equal));
                Ok::<(), SqlError>(())
            };
            match &scan.access {
                Access::Full => {}
                Access::RowNumber(_) | Access::Key { .. } => {
                    unreachable!("these queries name no rows")
                }
                Access::Like { index: at, prefix, .. } => {
                    for (column, e) in index(*at).into_iter().zip(prefix) {
                        test(column, e, CompareOp::Eq)?;
                    }
                }
                Access::Seek { index: at, key } => {
                    for (column, e) in index(*at).into_iter().zip(key) {
                        test(column, e, CompareOp::Eq)?;
                    }
                }
                Access::Range { index: at, prefix, lower, upper, .. } => {
                    let columns = index(*at);
                    for (column, e) in columns.iter().zip(prefix) {
                        test(*column, e, CompareOp::Eq)?;
                    }
                    if let Some(bound) = lower {
                        let op = if bound.inclusive { CompareOp::Ge } else { CompareOp::Gt };
                        test(columns[prefix.len()], &bound.value, op)?;
                    }
                    if let Some(bound) = upper {
                        let op = if bound.inclusive { CompareOp::Le } else { CompareOp::Lt };
                        test(columns[prefix.len()], &bound.value, op)?;
                    }
                }
            }
            if found {
                let mut env = outer.clone();
                for (column, col) in &scan.columns {
                    env.insert(*col, row[*column].clone());
                }
                out.push(env);
            }
        }
        self.filter(out, scan.residual.as_ref())
    }

    fn series(&mut self, scan: &Scan, args: &[Expr], outer: &Env) -> SqlResult<Vec<Env>> {
        let values = args.iter().map(|e| self.expr(e, outer)).collect::<SqlResult<Vec<_>>>()?;
        let row = |number: Value| {
            let mut env = outer.clone();
            env.extend(scan.columns.iter().map(|c| (c.1, number.clone())));
            env
        };
        let rows = super::series::numbers(&values, &args[0].ty).into_iter().map(row).collect();
        self.filter(rows, scan.residual.as_ref())
    }

    fn filter(&mut self, rows: Vec<Env>, predicate: Option<&Pred>) -> SqlResult<Vec<Env>> {
        let mut out = Vec::new();
        for row in rows {
            if self.opt(predicate, &row)? == Some(true) {
                out.push(row);
            }
        }
        Ok(out)
    }

    fn opt(&mut self, predicate: Option<&Pred>, row: &Env) -> SqlResult<Option<bool>> {
        predicate.map_or(Ok(Some(true)), |p| self.pred(p, row))
    }

    fn count(&mut self, e: &Expr, outer: &Env) -> SqlResult<usize> {
        match self.expr(e, outer)? {
            Value::Int(n) if n >= 0 => Ok(n as usize),
            other => panic!("{other:?} rows"),
        }
    }

    fn hash_join(&mut self, node: &Node, outer: &Env) -> SqlResult<Vec<Env>> {
        let Node::HashJoin { kind, probe, build, keys, null_equal, residual } = node else {
            panic!("only called for hash joins");
        };
        let built = self.rows(build, outer)?;
        let mut matched = vec![false; built.len()];
        let mut out = Vec::new();
        let probed = self.rows(probe, outer)?;
        for left in probed {
            let mut found = Vec::new();
            for (at, right) in built.iter().enumerate() {
                let mut pair = left.clone();
                pair.extend(right.iter().map(|(c, v)| (*c, v.clone())));
                let mut truth = Some(true);
                for (a, b) in keys {
                    let (x, y) = (self.expr(a, &left)?, self.expr(b, right)?);
                    let equal = match (null_equal, x.is_null() || y.is_null()) {
                        (true, true) => Some(x.is_null() && y.is_null()),
                        (false, true) => None,
                        _ => Some(equal(&x, &y, &a.ty)),
                    };
                    truth = and(truth, equal);
                }
                // A condition is looked at only where the keys have not decided.
                if truth != Some(false) {
                    truth = and(truth, self.opt(residual.as_ref(), &pair)?);
                }
                matched[at] |= truth == Some(true);
                found.push((truth, pair));
            }
            joined(*kind, left, build, found, &mut out);
        }
        if matches!(kind, JoinKind::RightOuter | JoinKind::FullOuter) {
            for (right, _) in built.iter().zip(&matched).filter(|(_, m)| !**m) {
                let mut row = right.clone();
                nulls(probe, &mut row);
                out.push(row);
            }
        }
        Ok(out)
    }

    fn sorted(&mut self, input: &Node, keys: &[SortKey], outer: &Env) -> SqlResult<Vec<Env>> {
        let mut rows = Vec::new();
        for row in self.rows(input, outer)? {
            let mut values = Vec::new();
            for key in keys {
                values.push(self.expr(&key.expr, &row)?);
            }
            rows.push((values, row));
        }
        rows.sort_by(|(a, _), (b, _)| order(keys, a, b));
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    pub fn expr(&mut self, e: &Expr, row: &Env) -> SqlResult<Value> {
        Ok(match &e.kind {
            ExprKind::Constant(value) => value.clone(),
            ExprKind::Column(col) => {
                row.get(col).unwrap_or_else(|| panic!("{col:?} is not known")).clone()
            }
            ExprKind::Arith { op, left, right } => {
                let (a, b) = (self.expr(left, row)?, self.expr(right, row)?);
                if a.is_null() || b.is_null() {
                    return Ok(Value::Null);
                }
                let arena = Arena::new();
                let site = ArithSite {
                    op: *op,
                    left: left.ty,
                    right: right.ty,
                    result: e.ty,
                    exact: false,
                };
                ops::arith(&site, a.as_ref(), b.as_ref(), &arena)?.to_owned()
            }
            ExprKind::Concat(left, right) => {
                let (a, b) = (self.expr(left, row)?, self.expr(right, row)?);
                match (a, b) {
                    (Value::Chars(a), Value::Chars(b)) => Value::Chars([a, b].concat()[..].into()),
                    (Value::Unicode(a), Value::Unicode(b)) => {
                        Value::Unicode([a, b].concat()[..].into())
                    }
                    _ => Value::Null,
                }
            }
            ExprKind::Negate(operand) => match self.expr(operand, row)? {
                Value::Int(v) => Value::Int(-v),
                Value::Decimal(v) => Value::Decimal(-v),
                Value::Float(v) => Value::Float(-v),
                _ => Value::Null,
            },
            ExprKind::Cast { operand, mode, .. } => {
                let value = self.expr(operand, row)?;
                let arena = Arena::new();
                let options = base::ConvertOptions::default();
                let (from, to) = (&operand.ty, &e.ty);
                match mode {
                    CastMode::Try => {
                        base::try_convert(value.as_ref(), from, to, &options, &arena)?.to_owned()
                    }
                    _ => base::convert(value.as_ref(), from, to, &options, &arena)?.to_owned(),
                }
            }
            ExprKind::Case { branches, otherwise } => {
                for (pred, result) in branches {
                    if self.pred(pred, row)? == Some(true) {
                        return self.expr(result, row);
                    }
                }
                match otherwise {
                    Some(otherwise) => self.expr(otherwise, row)?,
                    None => Value::Null,
                }
            }
            ExprKind::Subquery(subquery) => {
                let rows = self.rows(&subquery.plan, row)?;
                match &rows[..] {
                    [] => Value::Null,
                    [one] => one[&subquery.column].clone(),
                    _ => return Err(SqlError::custom(512, 16, 1, "several rows")),
                }
            }
            other => panic!("the generator does not make {other:?}"),
        })
    }

    pub fn pred(&mut self, p: &Pred, row: &Env) -> SqlResult<Option<bool>> {
        Ok(match p {
            Pred::Const(value) => *value,
            Pred::Compare(op, a, b) => {
                let (x, y) = (self.expr(a, row)?, self.expr(b, row)?);
                compare(x.as_ref(), y.as_ref(), &a.ty).map(|o| ops::holds(*op, o, Ordering::Equal))
            }
            Pred::IsNull(e) => Some(self.expr(e, row)?.is_null()),
            Pred::NotDistinct(a, b) => {
                let (x, y) = (self.expr(a, row)?, self.expr(b, row)?);
                match x.is_null() || y.is_null() {
                    true => Some(x.is_null() && y.is_null()),
                    false => Some(equal(&x, &y, &a.ty)),
                }
            }
            Pred::Like { subject, pattern, .. } => {
                let (s, p) = (self.expr(subject, row)?, self.expr(pattern, row)?);
                if s.is_null() || p.is_null() {
                    return Ok(None);
                }
                let collation = subject.ty.collation;
                let pattern = base::collation::LikePattern::new(collation, p.as_ref(), None)?;
                Some(pattern.matches(s.as_ref(), &base::Unpaced)?)
            }
            Pred::In(e, list) => {
                let x = self.expr(e, row)?;
                let mut result = Some(false);
                for item in list {
                    let y = self.expr(item, row)?;
                    let equal = match x.is_null() || y.is_null() {
                        true => None,
                        false => Some(equal(&x, &y, &e.ty)),
                    };
                    result = or(result, equal);
                }
                result
            }
            Pred::Exists(subquery) => Some(!self.rows(&subquery.plan, row)?.is_empty()),
            Pred::Quantified { op, all, left, subquery } => {
                let x = self.expr(left, row)?;
                let mut result = Some(*all);
                for found in self.rows(&subquery.plan, row)? {
                    let holds = compare(x.as_ref(), found[&subquery.column].as_ref(), &left.ty)
                        .map(|o| ops::holds(*op, o, Ordering::Equal));
                    result = if *all { and(result, holds) } else { or(result, holds) };
                }
                result
            }
            Pred::And(list) => {
                let mut result = Some(true);
                for p in list {
                    if result != Some(false) {
                        result = and(result, self.pred(p, row)?);
                    }
                }
                result
            }
            Pred::Or(list) => {
                let mut result = Some(false);
                for p in list {
                    if result != Some(true) {
                        result = or(result, self.pred(p, row)?);
                    }
                }
                result
            }
            Pred::Not(p) => self.pred(p, row)?.map(|b| !b),
            Pred::Bit(e) => match self.expr(e, row)? {
                Value::Int(v) => Some(v != 0),
                _ => None,
            },
        })
    }

    /// Groups by looking through all there are; sums and counts by hand.
    fn aggregate(&mut self, node: &Node, outer: &Env) -> SqlResult<Vec<Env>> {
        let Node::Aggregate { input, groups, aggregates, grouping_sets, grouping_id, .. } = node
        else {
            panic!("only called for aggregates");
        };
        let rows = self.rows(input, outer)?;
        let sets = match grouping_sets.is_empty() {
            true => vec![vec![true; groups.len()]],
            false => grouping_sets.clone(),
        };
        let mut out = Vec::new();
        for set in sets {
            let mut found: Vec<(Vec<Value>, Vec<Env>)> = Vec::new();
            if !set.contains(&true) {
                found.push((vec![Value::Null; groups.len()], Vec::new()));
            }
            for row in &rows {
                let mut key = Vec::new();
                for (kept, (_, e)) in set.iter().zip(groups) {
                    key.push(if *kept { self.expr(e, row)? } else { Value::Null });
                }
                let known =
                    found.iter_mut().find(|(k, _)| k.iter().zip(&key).all(|(a, b)| same(a, b)));
                match known {
                    Some((_, members)) => members.push(row.clone()),
                    None => found.push((key, vec![row.clone()])),
                }
            }
            for (key, members) in found {
                let mut env = outer.clone();
                env.extend(groups.iter().zip(key).map(|((c, _), v)| (*c, v)));
                if let Some(col) = grouping_id {
                    let mask = set.iter().enumerate().filter(|(_, k)| !**k);
                    env.insert(*col, Value::Int(mask.map(|(i, _)| 1 << i).sum()));
                }
                for (col, aggregate) in aggregates {
                    let value = self.aggregate_of(aggregate, &members)?;
                    env.insert(*col, value);
                }
                out.push(env);
            }
        }
        Ok(out)
    }

    fn aggregate_of(&mut self, aggregate: &Aggregate, members: &[Env]) -> SqlResult<Value> {
        if aggregate.args.is_empty() {
            return Ok(Value::Int(members.len() as i64));
        }
        let ty = aggregate.args[0].ty;
        let mut values: Vec<Value> = Vec::new();
        for member in members {
            let value = self.expr(&aggregate.args[0], member)?;
            let known = aggregate.distinct && values.iter().any(|v| equal(v, &value, &ty));
            if !value.is_null() && !known {
                values.push(value);
            }
        }
        let least =
            |a: &Value, b: &Value| compare(a.as_ref(), b.as_ref(), &ty).unwrap_or(Ordering::Equal);
        let number = |v: &Value| match v {
            Value::Int(v) => i128::from(*v),
            Value::Decimal(v) => *v,
            other => panic!("{other:?} is not summed"),
        };
        Ok(match aggregate.function.name {
            "COUNT" | "COUNT_BIG" => Value::Int(values.len() as i64),
            _ if values.is_empty() => Value::Null,
            "MIN" => values.into_iter().min_by(least).unwrap_or_default(),
            "MAX" => values.into_iter().max_by(least).unwrap_or_default(),
            "SUM" => {
                let sum: i128 = values.iter().map(number).sum();
                match int_range(&aggregate.ty) {
                    Some(_) => Value::Int(sum as i64),
                    None => Value::Decimal(sum),
                }
            }
            other => panic!("the generator does not make {other}"),
        })
    }

    /// Window functions by definition: each row looks at all others.
    fn window(&mut self, node: &Node, outer: &Env) -> SqlResult<Vec<Env>> {
        let Node::Window { input, partition, order: keys, functions, .. } = node else {
            panic!("only called for windows");
        };
        let mut rows = Vec::new();
        for row in self.rows(input, outer)? {
            let mut p = Vec::new();
            for e in partition {
                p.push(self.expr(e, &row)?);
            }
            let mut o = Vec::new();
            for key in keys {
                o.push(self.expr(&key.expr, &row)?);
            }
            rows.push((p, o, row));
        }
        let mut out = Vec::new();
        let mut seen: Vec<Vec<Value>> = Vec::new();
        for at in 0..rows.len() {
            let mine = rows[at].0.clone();
            if seen.iter().any(|s| s.iter().zip(&mine).all(|(a, b)| same(a, b))) {
                continue;
            }
            let is_mine = |p: &[Value]| p.iter().zip(&mine).all(|(a, b)| same(a, b));
            let mut members: Vec<(Vec<Value>, Env)> = (rows.iter())
                .filter(|(p, _, _)| is_mine(p))
                .map(|(_, o, r)| (o.clone(), r.clone()))
                .collect();
            members.sort_by(|a, b| order(keys, &a.0, &b.0));
            seen.push(mine);
            for place in 0..members.len() {
                let mut row = members[place].1.clone();
                for (col, function) in functions {
                    let value = self.window_function(function, keys, &members, place)?;
                    row.insert(*col, value);
                }
                out.push(row);
            }
        }
        Ok(out)
    }

    fn window_function(
        &mut self,
        function: &WindowFunction,
        keys: &[SortKey],
        members: &[(Vec<Value>, Env)],
        place: usize,
    ) -> SqlResult<Value> {
        let before = |a: &(Vec<Value>, Env)| order(keys, &a.0, &members[place].0).is_lt();
        let peers = |a: &(Vec<Value>, Env)| order(keys, &a.0, &members[place].0).is_eq();
        let rank = members.iter().filter(|m| before(m)).count();
        let frame = |frame: &Frame| -> std::ops::Range<usize> {
            let first_peer = members.iter().position(peers).unwrap_or(place);
            let last_peer = members.iter().rposition(peers).unwrap_or(place);
            let from = match frame.start {
                FrameBound::UnboundedPreceding => 0,
                FrameBound::Preceding(n) => place.saturating_sub(n as usize),
                FrameBound::CurrentRow if frame.rows => place,
                FrameBound::CurrentRow => first_peer,
                FrameBound::Following(n) => place + n as usize,
                FrameBound::UnboundedFollowing => members.len(),
            };
            let to = match frame.end {
                FrameBound::UnboundedPreceding => 0,
                FrameBound::Preceding(n) => (place + 1).saturating_sub(n as usize),
                FrameBound::CurrentRow if frame.rows => place + 1,
                FrameBound::CurrentRow => last_peer + 1,
                FrameBound::Following(n) => place + n as usize + 1,
                FrameBound::UnboundedFollowing => members.len(),
            };
            from.min(members.len())..to.min(members.len()).max(from.min(members.len()))
        };
        Ok(match &function.kind {
            WindowKind::RowNumber => Value::Int(place as i64 + 1),
            WindowKind::Rank => Value::Int(rank as i64 + 1),
            WindowKind::DenseRank => {
                let mut distinct: Vec<&Vec<Value>> = Vec::new();
                for m in members.iter().filter(|m| before(m)) {
                    if !distinct.iter().any(|d| order(keys, d, &m.0).is_eq()) {
                        distinct.push(&m.0);
                    }
                }
                Value::Int(distinct.len() as i64 + 1)
            }
            WindowKind::Shift { value, offset, back, ignore_nulls, default } => {
                let Value::Int(away) = self.expr(offset, &members[place].1)? else {
                    return Ok(Value::Null);
                };
                let mut values: Vec<Value> =
                    members.iter().map(|m| self.expr(value, &m.1)).collect::<SqlResult<_>>()?;
                let own = values[place].clone();
                let mut others = match back {
                    true => values.drain(..place).rev().collect::<Vec<_>>(),
                    false => values.split_off(place + 1),
                };
                others.retain(|v| !(*ignore_nulls && v.is_null()));
                match usize::try_from(away - 1) {
                    Err(_) => own,
                    Ok(at) if at < others.len() => others.swap_remove(at),
                    Ok(_) => match default {
                        Some(default) => self.expr(default, &members[place].1)?,
                        None => Value::Null,
                    },
                }
            }
            WindowKind::Edge { value, last, ignore_nulls, frame: f } => {
                let rows = members[frame(f)].iter();
                let mut values: Vec<Value> =
                    rows.map(|m| self.expr(value, &m.1)).collect::<SqlResult<_>>()?;
                values.retain(|v| !(*ignore_nulls && v.is_null()));
                let found = if *last { values.pop() } else { values.into_iter().next() };
                found.unwrap_or(Value::Null)
            }
            WindowKind::Aggregate(aggregate, f) => {
                let rows: Vec<Env> = members[frame(f)].iter().map(|m| m.1.clone()).collect();
                self.aggregate_of(aggregate, &rows)?
            }
            other => panic!("the generator does not make {other:?}"),
        })
    }
}

fn named(outer: &Env, columns: &[ColId], row: Vec<Value>) -> Env {
    let mut env = outer.clone();
    env.extend(columns.iter().copied().zip(row));
    env
}

/// The rows that a join makes of a left row and what it found on the right.
fn joined(
    kind: JoinKind,
    left: Env,
    right: &Node,
    found: Vec<(Option<bool>, Env)>,
    out: &mut Vec<Env>,
) {
    let any = |wanted: Option<bool>| found.iter().any(|f| f.0 == wanted);
    match kind {
        JoinKind::Semi => {
            if any(Some(true)) {
                out.push(left);
            }
        }
        JoinKind::Anti => {
            if !any(Some(true)) {
                out.push(left);
            }
        }
        JoinKind::AntiNullAware => {
            if !any(Some(true)) && !any(None) {
                out.push(left);
            }
        }
        _ => {
            let keeps_left = matches!(kind, JoinKind::LeftOuter | JoinKind::FullOuter);
            if keeps_left && !any(Some(true)) {
                let mut row = left;
                nulls(right, &mut row);
                out.push(row);
            }
            out.extend(found.into_iter().filter(|f| f.0 == Some(true)).map(|f| f.1));
        }
    }
}

/// Makes the columns of an operator NULL.
fn nulls(node: &Node, row: &mut Env) {
    for col in compile::plan::walk::outputs(node) {
        row.insert(col, Value::Null);
    }
}

pub fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

pub fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|x| !x), b.map(|x| !x)).map(|x| !x)
}

fn equal(a: &Value, b: &Value, ty: &SqlType) -> bool {
    compare(a.as_ref(), b.as_ref(), ty) == Some(Ordering::Equal)
}

/// Equality that counts NULLs as equal; strings by the collation that the generator uses.
pub fn same(a: &Value, b: &Value) -> bool {
    let ty = match a {
        Value::Null => return b.is_null(),
        Value::Chars(_) => SqlType::varchar(8000, compile::plan::testing::generate::COLLATION),
        Value::Unicode(_) => SqlType::nvarchar(4000, compile::plan::testing::generate::COLLATION),
        Value::Decimal(_) => SqlType::decimal(38, 0),
        Value::Float(_) => SqlType::float(),
        Value::Date(_) => SqlType::date(),
        _ => SqlType::bigint(),
    };
    !b.is_null() && equal(a, b, &ty)
}

/// The order of two rows' keys; NULL is smallest.
fn order(keys: &[SortKey], a: &[Value], b: &[Value]) -> Ordering {
    for ((key, x), y) in keys.iter().zip(a).zip(b) {
        let order = match (x.is_null(), y.is_null()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => compare(x.as_ref(), y.as_ref(), &key.expr.ty).unwrap_or(Ordering::Equal),
        };
        let order = if key.descending { order.reverse() } else { order };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

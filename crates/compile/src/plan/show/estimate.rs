//! Estimates for the operators of a finished plan, for showing it.
//!
//! The planner compares alternatives before it knows their operators (`optimize::estimate`); this
//! module estimates the plan that was chosen, with all that is known of tables.

use std::collections::HashMap;

use base::Value;
use base::ids::DbId;
use engine::catalog::def::TableDef;
use ir::unit::NodeKey;

use crate::plan::expr::{ExprKind, Pred};
use crate::plan::print::key_of;
use crate::plan::statistics::Statistics;
use crate::plan::tree::{Access, JoinKind, Node, Plan, Scan, Source};
use crate::plan::walk::{Part, Parts};

/// What is expected of an operator each time that it is executed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// How many rows it makes.
    pub rows: f64,
    /// How often it is executed.
    pub executions: f64,
    /// What it costs by itself.
    pub cost: f64,
}

impl Default for Estimate {
    fn default() -> Estimate {
        Estimate { rows: 1.0, executions: 1.0, cost: 0.0 }
    }
}

/// Rows of tables and functions of which nothing is known.
const UNKNOWN: f64 = 100.0;
/// The part of rows for which a condition holds.
const HOLDS: f64 = 0.3;
/// What a row costs that is read, and one that is passed on.
const READ: f64 = 1e-6;
const PASSED: f64 = 1e-7;

/// The estimates of all operators of a statement.
pub fn of_plan(plan: &Plan, statistics: &dyn Statistics) -> HashMap<NodeKey, Estimate> {
    let input = match plan {
        Plan::Select(select) => &select.root,
        Plan::Insert(insert) => &insert.source,
        Plan::Update(update) => &update.input,
        Plan::Delete(delete) => &delete.input,
        Plan::Merge(merge) => &merge.input,
    };
    let mut estimator = Estimator { statistics, found: HashMap::new() };
    estimator.node(input, 1.0);
    estimator.found
}

/// What a finished plan is expected to cost.
pub fn total_cost(plan: &Plan, statistics: &dyn Statistics) -> f64 {
    of_plan(plan, statistics).values().map(|of| of.cost * of.executions).sum()
}

struct Estimator<'s> {
    statistics: &'s dyn Statistics,
    found: HashMap<NodeKey, Estimate>,
}

impl Estimator<'_> {
    /// Notes what is expected of an operator and of what is below: how many rows it makes.
    fn node(&mut self, node: &Node, executions: f64) -> f64 {
        let rows = match node {
            Node::NestedLoop { kind, outer, inner, predicate } => {
                let outer = self.node(outer, executions);
                let inner = self.node(inner, executions * outer);
                if let Some(predicate) = predicate {
                    self.queries(Part::Pred(predicate), executions * outer);
                }
                let part = if predicate.is_some() { HOLDS } else { 1.0 };
                joined(*kind, outer, outer * inner * part)
            }
            _ => {
                let mut inputs = Vec::new();
                node.parts(&mut |part| match part {
                    Part::Node(input) => inputs.push(self.node(input, executions)),
                    expression => self.queries(expression, executions),
                });
                self.rows(node, &inputs)
            }
        };
        let cost = match node {
            Node::Scan(scan) => self.looked_at(scan) * READ,
            _ => rows * PASSED,
        };
        self.found.insert(key_of(node), Estimate { rows, executions, cost });
        rows
    }

    /// Notes what is expected of the queries within an expression.
    fn queries(&mut self, part: Part<'_>, executions: f64) {
        let mut each = |part: Part<'_>| match part {
            Part::Node(query) => drop(self.node(query, executions)),
            within => self.queries(within, executions),
        };
        match part {
            Part::Expr(expr) => expr.parts(&mut each),
            Part::Pred(pred) => pred.parts(&mut each),
            Part::Node(query) => each(Part::Node(query)),
        }
    }

    /// How many rows an operator makes of its inputs' rows.
    fn rows(&self, node: &Node, inputs: &[f64]) -> f64 {
        let input = inputs.first().copied().unwrap_or(1.0);
        match node {
            Node::OneRow => 1.0,
            Node::Values { rows, .. } => rows.len() as f64,
            Node::Scan(scan) => self.looked_at(scan) * scan.residual.as_ref().map_or(1.0, part_of),
            Node::Filter { predicate, .. } => input * part_of(predicate),
            Node::HashJoin { kind, residual, .. } => {
                let build = inputs.get(1).copied().unwrap_or(1.0);
                let part = if residual.is_some() { HOLDS } else { 1.0 };
                joined(*kind, input, input.max(build) * part)
            }
            Node::Aggregate { groups, .. } if groups.is_empty() => 1.0,
            Node::Aggregate { .. } | Node::Distinct { .. } => (input * HOLDS).max(1.0),
            Node::Sort { limit: Some(limit), .. } => input.min(constant(&limit.kind)),
            Node::Top { count, percent: false, .. } => input.min(constant(&count.kind)),
            Node::Top { count, .. } => input * constant(&count.kind).min(100.0) / 100.0,
            Node::Offset { fetch: Some(fetch), .. } => input.min(constant(&fetch.kind)),
            Node::Union { .. } => inputs.iter().sum(),
            Node::Recursive { .. } => inputs.iter().sum::<f64>() * 10.0,
            Node::Worktable { .. } => UNKNOWN,
            Node::Spool { .. } => inputs.last().copied().unwrap_or(1.0),
            Node::Compute { .. }
            | Node::Sort { .. }
            | Node::Offset { .. }
            | Node::Counted { .. }
            | Node::Window { .. }
            | Node::NestedLoop { .. } => input,
        }
    }

    /// How many rows a scan fetches.
    fn looked_at(&self, scan: &Scan) -> f64 {
        let (database, table) = match &scan.source {
            Source::Table { database, table } => (*database, &**table),
            _ => return UNKNOWN,
        };
        let all = self.statistics.rows(database, table).map_or(UNKNOWN, |rows| rows as f64);
        let found = match &scan.access {
            Access::Full => return all,
            Access::RowNumber(_) | Access::Key { .. } => return 1.0,
            Access::Seek { index, .. } => all * self.one_key(database, table, *index, all),
            Access::Like { index, prefix, .. } => {
                all * HOLDS * self.prefix(database, table, *index, prefix.len(), all)
            }
            Access::Range { index, prefix, lower, upper, .. } => {
                let bounds = usize::from(lower.is_some()) + usize::from(upper.is_some());
                let part = HOLDS.powi(bounds as i32);
                all * part * self.prefix(database, table, *index, prefix.len(), all)
            }
        };
        found.max(1.0)
    }

    /// The part of rows with the same values in an index's first columns.
    fn prefix(&self, database: DbId, table: &TableDef, index: usize, len: usize, all: f64) -> f64 {
        match len {
            0 => 1.0,
            len if len == table.indexes[index].key.len() => {
                self.one_key(database, table, index, all)
            }
            _ => HOLDS,
        }
    }

    /// The part of rows with the same key.
    fn one_key(&self, database: DbId, table: &TableDef, index: usize, all: f64) -> f64 {
        if table.indexes[index].unique {
            return 1.0 / all.max(1.0);
        }
        let keys = self.statistics.distinct_keys(database, table, index);
        keys.map_or(HOLDS, |keys| 1.0 / (keys as f64).max(1.0))
    }
}

fn joined(kind: JoinKind, left: f64, pairs: f64) -> f64 {
    match kind {
        JoinKind::Inner | JoinKind::RightOuter => pairs,
        JoinKind::LeftOuter | JoinKind::FullOuter => pairs.max(left),
        JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware => left * 0.5,
    }
}

/// The part of rows for which a condition holds.
fn part_of(pred: &Pred) -> f64 {
    match pred {
        Pred::And(list) => HOLDS.powi(list.len().min(3) as i32),
        Pred::Const(Some(true)) => 1.0,
        _ => HOLDS,
    }
}

/// The number of rows, or percentage, that an expression asks for, if it is a constant.
fn constant(kind: &ExprKind) -> f64 {
    match kind {
        ExprKind::Constant(Value::Int(count)) => *count as f64,
        ExprKind::Constant(Value::Float(percent)) => *percent,
        ExprKind::Cast { operand, .. } => constant(&operand.kind),
        _ => UNKNOWN,
    }
}

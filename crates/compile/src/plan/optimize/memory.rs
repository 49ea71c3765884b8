//! How much memory a plan is guessed to need, for sorts, hash tables and groups.

use base::Value;

use super::columns::{ColSet, yields};
use super::{Optimizer, PlanContext};
use crate::plan::expr::{Expr, ExprKind};
use crate::plan::tree::{Node, Plan};
use crate::plan::walk::{Part, Parts};

/// What a statement is guessed to need beside rows of tables, if any of its operators keeps rows.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MemoryNeed {
    /// Operators that keep rows.
    pub operators: u32,
    /// Bytes of all of them.
    pub bytes: u64,
    /// What the statement is guessed to cost, in rows looked at.
    pub cost: f64,
    /// `OPTION (MIN_GRANT_PERCENT)`
    pub min_percent: Option<f64>,
    /// `OPTION (MAX_GRANT_PERCENT)`
    pub max_percent: Option<f64>,
}

/// Bytes of a column that is kept, on average.
const COLUMN: f64 = 20.0;
/// Bytes that a row costs beside its columns.
const ROW: f64 = 64.0;
/// Bytes of an aggregate's state.
const STATE: f64 = 48.0;
/// For how many different values a distinct aggregate asks at most.
const VALUES: f64 = 65_536.0;

/// What a statement needs, as it has been improved; nothing if no operator keeps rows.
pub fn memory(plan: &Plan, context: &mut PlanContext<'_>) -> Option<MemoryNeed> {
    let hints = context.hints;
    let optimizer = Optimizer::new(context);
    let input = match plan {
        Plan::Select(select) => &select.root,
        Plan::Insert(insert) => &insert.source,
        Plan::Update(update) => &update.input,
        Plan::Delete(delete) => &delete.input,
        Plan::Merge(merge) => &merge.input,
    };
    optimizer.need(Part::Node(input)).map(|need| need.hinted(hints))
}

/// As `memory`, for the queries in an expression or condition.
pub fn memory_inside(part: Part<'_>, context: &mut PlanContext<'_>) -> Option<MemoryNeed> {
    let hints = context.hints;
    let optimizer = Optimizer::new(context);
    optimizer.need(part).map(|need| need.hinted(hints))
}

impl MemoryNeed {
    fn hinted(self, hints: &crate::plan::hints::PlanHints) -> MemoryNeed {
        MemoryNeed { min_percent: hints.min_grant, max_percent: hints.max_grant, ..self }
    }
}

impl Optimizer<'_, '_> {
    fn need(&self, part: Part<'_>) -> Option<MemoryNeed> {
        let mut need = MemoryNeed::default();
        self.add_need(part, &mut need);
        (need.operators > 0).then(|| {
            if let Part::Node(node) = part {
                need.cost = self.guess(node, &[]).cost;
            }
            need
        })
    }

    fn add_need(&self, part: Part<'_>, need: &mut MemoryNeed) {
        match part {
            Part::Node(node) => {
                if let Some((rows, bytes)) = self.kept(node) {
                    need.operators += 1;
                    need.bytes = need.bytes.saturating_add((rows * bytes) as u64);
                }
                if let Some((sets, bytes)) = self.seen(node) {
                    need.operators += sets;
                    need.bytes = need.bytes.saturating_add(bytes as u64);
                }
                node.parts(&mut |part| self.add_need(part, need));
            }
            Part::Expr(expr) => expr.parts(&mut |part| self.add_need(part, need)),
            Part::Pred(pred) => pred.parts(&mut |part| self.add_need(part, need)),
        }
    }

    /// How many sets of values distinct aggregates keep, and the bytes of all of them.
    fn seen(&self, node: &Node) -> Option<(u32, f64)> {
        let Node::Aggregate { input, aggregates, .. } = node else { return None };
        let sets = aggregates.iter().filter(|a| a.1.distinct && !a.1.function.ignores_duplicates);
        let sets = u32::try_from(sets.count()).ok().filter(|sets| *sets > 0)?;
        // How many values are different is not known. They are as many as there are rows at most,
        // and mostly far fewer; what is too little is asked for when it is needed.
        let values = self.guess(input, &[]).rows.clamp(1.0, VALUES);
        Some((sets, values * (ROW + COLUMN) * f64::from(sets)))
    }

    /// How many rows an operator keeps, and the bytes of one.
    fn kept(&self, node: &Node) -> Option<(f64, f64)> {
        let rows = |node: &Node| self.guess(node, &[]).rows.max(1.0);
        let columns = |count: usize| ROW + COLUMN * count as f64;
        Some(match node {
            Node::Sort { input, limit, columns: kept, keys } => {
                let limit = limit.as_ref().and_then(count).unwrap_or(f64::MAX);
                (rows(input).min(limit), columns(kept.len() + keys.len()))
            }
            Node::Window { input, columns: kept, order, partition, functions }
                if !node.numbers_rows() =>
            {
                let kept = kept.len() + order.len() + partition.len() + functions.len();
                (rows(input), columns(kept))
            }
            Node::HashJoin { build, keys, .. } => {
                (rows(build), columns(yields(build).len() + keys.len()))
            }
            Node::Distinct { columns: kept, .. } => (rows(node), columns(kept.len())),
            Node::Aggregate { groups, aggregates, ordered: false, .. } if !groups.is_empty() => {
                let bytes = columns(2 * groups.len()) + STATE * aggregates.len() as f64;
                (rows(node), bytes)
            }
            _ => return None,
        })
    }
}

fn count(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Constant(Value::Int(count)) => Some(*count as f64),
        _ => None,
    }
}

impl ColSet {
    fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }
}

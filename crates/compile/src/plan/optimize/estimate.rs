//! Guesses: how many rows operators yield, and what that costs.

use base::Value;
use ir::function::clr::spatial::{COVER, PART_FOUND};
use smallvec::SmallVec;

use super::Optimizer;
use super::access::selectivity;
use super::order::Want;
use super::terms::Terms;
use crate::plan::expr::{ExprKind, Pred};
use crate::plan::tree::{Access, JoinKind, Node, Source};

/// What is expected of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// How many rows it yields.
    pub rows: f64,
    /// In rows looked at.
    pub cost: f64,
    /// Whether an index finds the rows.
    pub seeks: bool,
    /// Whether they come in the order that was asked about.
    pub ordered: bool,
}

impl Guess {
    fn of(rows: f64, cost: f64) -> Guess {
        Guess { rows, cost, seeks: false, ordered: false }
    }
}

impl Optimizer<'_, '_> {
    /// What is expected of an operator that has not been improved yet, under some conditions.
    pub fn guess(&self, node: &Node, conditions: &[&Pred]) -> Guess {
        self.guess_ordered(node, conditions, &Want::nothing())
    }

    /// As `guess`, where rows in some order are worth more.
    pub fn guess_ordered(&self, node: &Node, conditions: &[&Pred], want: &Want) -> Guess {
        if !self.goes_on(1 + conditions.len()) {
            return Guess::of(1.0, 1.0);
        }
        let part: f64 = conditions.iter().map(|p| selectivity(p)).product();
        let input = match node {
            Node::Scan(scan) => {
                if !matches!(scan.access, Access::Full) {
                    return Guess { seeks: true, ..Guess::of(10.0 * part, 10.0) };
                }
                let mut all: SmallVec<[&Pred; 8]> = conditions.iter().copied().collect();
                scan.residual.iter().for_each(|p| flatten(p, &mut all));
                let terms = Terms::of(scan, &all, true);
                let choice = self.choose(scan, &all, &terms, want);
                let listed = self.choose_list(scan, &all, &terms, &choice);
                let cost = listed.as_ref().map_or(choice.cost, |l| l.1.cost);
                let seeks = choice.seeks() || listed.is_some();
                let ordered = choice.ordered && listed.is_none();
                return Guess { rows: choice.rows, cost, seeks, ordered };
            }
            Node::Filter { input, predicate } => {
                let mut all: SmallVec<[&Pred; 8]> = conditions.iter().copied().collect();
                flatten(predicate, &mut all);
                return self.guess_ordered(input, &all, want);
            }
            Node::Compute { input, .. }
            | Node::Sort { input, .. }
            | Node::Distinct { input, .. } => {
                return self.guess_ordered(input, conditions, want);
            }
            Node::OneRow => return Guess::of(1.0, 0.1),
            Node::Values { rows, .. } => {
                let rows = rows.len() as f64;
                return Guess::of(rows * part, rows);
            }
            Node::NestedLoop { outer, inner, .. } if is_spatial_search(outer) => {
                let (ranges, all) = (self.guess(outer, &[]), self.guess(inner, &[]));
                let rows = (all.rows * PART_FOUND).max(1.0);
                return Guess { seeks: true, ..Guess::of(rows * part, ranges.rows + rows) };
            }
            Node::NestedLoop { kind, outer, inner, predicate } if *kind != JoinKind::FullOuter => {
                let outer = self.guess_ordered(outer, conditions, want);
                let mut all: SmallVec<[&Pred; 8]> = conditions.iter().copied().collect();
                predicate.iter().for_each(|p| flatten(p, &mut all));
                return joined(*kind, outer, self.guess(inner, &all), self.guess(inner, &[]));
            }
            Node::NestedLoop { outer: left, inner: right, .. }
            | Node::HashJoin { probe: left, build: right, .. } => {
                let (left, right) = (self.guess(left, &[]), self.guess(right, &[]));
                let rows = left.rows.max(right.rows);
                return Guess::of(rows * part, left.cost + right.cost + rows);
            }
            Node::Top { input, count, percent, .. } => {
                let input = self.guess(input, &[]);
                let rows = match (&count.kind, percent) {
                    (ExprKind::Constant(Value::Int(count)), false) => *count as f64,
                    _ => input.rows,
                };
                return Guess::of(input.rows.min(rows) * part, input.cost);
            }
            Node::Aggregate { input, groups, .. } => {
                let input = self.guess(input, &[]);
                let rows = if groups.is_empty() { 1.0 } else { (input.rows * 0.3).max(1.0) };
                return Guess::of((rows * part).max(0.1), input.cost + input.rows);
            }
            Node::Union { inputs, .. } => {
                let each = inputs.iter().map(|i| self.guess(&i.0, &[]));
                let sum = each.fold((0.0, 0.0), |s, g| (s.0 + g.rows, s.1 + g.cost));
                return Guess::of(sum.0 * part, sum.1);
            }
            Node::Offset { input, .. } | Node::Window { input, .. } | Node::Counted { input } => {
                input
            }
            Node::Spool { body, .. } => body,
            Node::Recursive { anchor, .. } => {
                let first = self.guess(&anchor.0, &[]);
                return Guess::of(first.rows * 10.0 * part, first.cost * 10.0);
            }
            Node::Worktable { .. } => return Guess::of(20.0 * part, 20.0),
        };
        let inner = self.guess(input, &[]);
        Guess::of(inner.rows * part, inner.cost)
    }
}

/// Whether an operator yields where a spatial index is searched: what is found there does not
/// depend on how many ranges there are.
fn is_spatial_search(node: &Node) -> bool {
    match node {
        Node::Scan(scan) => matches!(&scan.source, Source::Function(f, _) if f.name == COVER),
        _ => false,
    }
}

fn joined(kind: JoinKind, outer: Guess, inner: Guess, alone: Guess) -> Guess {
    let pairs = match inner.seeks {
        true => outer.rows * inner.rows,
        false => (outer.rows * inner.rows).min(outer.rows.max(alone.rows)),
    };
    let rows = match kind {
        JoinKind::Inner => pairs,
        JoinKind::LeftOuter | JoinKind::RightOuter => pairs.max(outer.rows),
        _ => outer.rows * 0.5,
    };
    let nested = outer.rows * inner.cost;
    let hashed = alone.cost + 2.0 * alone.rows + outer.rows;
    let ordered = outer.ordered;
    Guess { rows, cost: outer.cost + nested.min(hashed), seeks: outer.seeks, ordered }
}

/// The parts of a conjunction.
fn flatten<'p>(pred: &'p Pred, out: &mut SmallVec<[&'p Pred; 8]>) {
    match pred {
        Pred::And(list) => list.iter().for_each(|p| flatten(p, out)),
        other => out.push(other),
    }
}

//! Plans as clients are shown them: operators with estimates, as rows (`SHOWPLAN_ALL`, `STATISTICS
//! PROFILE`) and as XML.
//!
//! A [`ShownPlan`] is made from a plan's lines ([`print`](super::print)) and what is guessed of its
//! operators ([`estimate`]); the counts of a run may be added. [`xml`] writes it down.

mod estimate;
pub mod xml;

use std::collections::HashMap;

use crate::plan::print::{self, LineObject};
use crate::plan::statistics::Statistics;
use crate::plan::tree::Plan;
use ir::unit::{NodeKey, OperatorCounter};

pub use estimate::{Estimate, total_cost};

/// A statement's plan.
#[derive(Clone, Debug)]
pub struct ShownPlan {
    /// The operators, inputs after what uses them.
    pub operators: Vec<ShownOperator>,
}

/// An operator of a plan.
#[derive(Clone, Debug)]
pub struct ShownOperator {
    /// How many operators it is below.
    pub depth: usize,
    /// The one above, by its place among [`ShownPlan::operators`].
    pub parent: Option<usize>,
    /// The text of the operator's line.
    pub text: String,
    /// What it is called: `Hash Match`.
    pub physical: String,
    /// What it does: `Inner Join`.
    pub logical: String,
    /// With what.
    pub argument: String,
    /// What is expected of it.
    pub estimate: Estimate,
    /// What is expected of it and all below, whenever they are executed.
    pub subtree_cost: f64,
    /// What it reads or changes.
    pub object: Option<LineObject>,
    /// Whether it is not an operator, but the name of the query within an expression that follows.
    pub is_label: bool,
    /// What it has done.
    pub actual: Option<Actual>,
    node: Option<NodeKey>,
}

/// What an operator has done in a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Actual {
    /// How often it has begun.
    pub executions: u64,
    /// How many rows it has made.
    pub rows: u64,
}

impl ShownPlan {
    /// A statement's plan.
    pub fn of(plan: &Plan, statistics: &dyn Statistics) -> ShownPlan {
        let estimates = estimate::of_plan(plan, statistics);
        let mut operators: Vec<ShownOperator> = Vec::new();
        for line in print::lines(plan) {
            let parent = operators.iter().rposition(|above| above.depth < line.depth);
            let OperatorNames { physical, logical, argument } = names(&line.text);
            let estimate = match line.node.and_then(|node| estimates.get(&node)) {
                Some(estimate) => *estimate,
                None => Estimate::default(),
            };
            operators.push(ShownOperator {
                depth: line.depth,
                parent,
                text: line.text,
                physical,
                logical,
                argument,
                estimate,
                subtree_cost: estimate.cost * estimate.executions,
                object: line.object,
                is_label: line.is_label,
                actual: None,
                node: line.node,
            });
        }
        for at in (1..operators.len()).rev() {
            let Some(parent) = operators[at].parent else { continue };
            operators[parent].subtree_cost += operators[at].subtree_cost;
            // What changes a table changes what its input yields.
            if operators[parent].node.is_none() {
                operators[parent].estimate.rows = operators[at].estimate.rows;
                operators[parent].estimate.executions = operators[at].estimate.executions;
            }
        }
        ShownPlan { operators }
    }

    /// Adds what a run of the plan's unit has counted; `rows` are those of the statement.
    pub fn count(&mut self, counters: &[OperatorCounter], counted: &[(u64, u64)], rows: u64) {
        let mut actual: HashMap<NodeKey, Actual> = HashMap::new();
        for (counter, (executions, made)) in counters.iter().zip(counted) {
            let sum = actual.entry(counter.node).or_default();
            sum.executions += executions;
            sum.rows += made;
        }
        for operator in &mut self.operators {
            operator.actual = match operator.node {
                Some(node) => actual.get(&node).copied(),
                None if operator.is_label => None,
                None => Some(Actual { executions: 1, rows }),
            };
        }
    }

    /// How many rows the statement is expected to return or change.
    pub fn rows(&self) -> f64 {
        self.operators.first().map_or(1.0, |root| root.estimate.rows)
    }

    /// The cost of the plan, estimated.
    pub fn cost(&self) -> f64 {
        self.operators.first().map_or(0.0, |root| root.subtree_cost)
    }

    /// An operator as a line of its tree.
    pub fn line(&self, at: usize) -> String {
        let operator = &self.operators[at];
        format!("{}  |--{}", "     ".repeat(operator.depth), operator.text)
    }
}

/// What the line of an operator says of it.
struct OperatorNames {
    physical: String,
    logical: String,
    argument: String,
}

fn names(text: &str) -> OperatorNames {
    let (head, inside) = match text.split_once('(') {
        Some((head, inside)) => (head, inside.strip_suffix(')').unwrap_or(inside)),
        None => (text, ""),
    };
    let (physical, logical) = match head {
        "Nested Loops" | "Hash Match" => {
            let (logical, argument) = inside.split_once(", ").unwrap_or((inside, ""));
            let (physical, logical) = (head.into(), logical.into());
            return OperatorNames { physical, logical, argument: argument.into() };
        }
        "Stream Aggregate" => (head, "Aggregate"),
        "Sort" if inside.starts_with("TOP ") => (head, "TopN Sort"),
        "Distinct" => ("Hash Match", "Flow Distinct"),
        "Window" => ("Window Aggregate", "Window Aggregate"),
        "Sequence Project" => (head, "Compute Scalar"),
        "Recursion" => ("Concatenation", "Concatenation"),
        "Table Spool" => (head, "Lazy Spool"),
        "Eager Spool" => ("Table Spool", head),
        "Table Insert" | "Table Update" | "Table Delete" | "Table Merge" => (head, &head[6..]),
        _ => (head, head),
    };
    OperatorNames { physical: physical.into(), logical: logical.into(), argument: inside.into() }
}

#[cfg(test)]
mod tests;

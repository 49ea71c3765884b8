//! The optimizer: from the operators that the binder wrote down to those that cost least.
//!
//! The binder leaves every scan full, every join a nested loop in the order written and every
//! condition where the statement has it. What comes out yields the same rows.
//!
//! # How it goes
//!
//! One walk from the top (`operators`) carries conditions down as far as they may go, and the order
//! that a sort above would like. Joins and what lies between them are taken apart and put together
//! in a better order (`joins`), `EXISTS` and `IN` among them (`subqueries`), and aggregates of the
//! rows that equal an outer one (`decorrelate`). A source decides for an index when it knows its
//! conditions (`access`). On the way up a sort whose input is in order already is removed
//! (`order`). A second walk drops columns that are not used (`prune`).
//!
//! # What it never does
//!
//! It moves no condition that may have another value each time, and repeats no query inside a
//! condition. A condition that an index has taken in only in part stays where it was.

mod access;
mod columns;
mod condition;
mod decorrelate;
mod estimate;
mod forced;
mod joins;
mod memory;
mod operators;
mod order;
mod prune;
mod subqueries;
mod terms;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use base::message::Message;
use base::{SqlError, SqlResult, message};

use self::columns::{ColSet, yields};
pub use self::memory::{MemoryNeed, memory, memory_inside};
use self::order::Want;
use self::prune::prune;
use crate::plan::expr::{Expr, Pred};
use crate::plan::hints::PlanHints;
use crate::plan::ids::Ids;
use crate::plan::statistics::Statistics;
use crate::plan::tree::*;
use crate::plan::walk::{PartMut, Parts};

/// What the optimizer knows beside the plan.
pub struct PlanContext<'a> {
    /// Gives names to new columns: the one that the statement's other columns are from.
    pub ids: &'a mut Ids,
    /// What the statement demands.
    pub hints: &'a PlanHints,
    /// Sizes of tables.
    pub statistics: &'a dyn Statistics,
}

impl std::fmt::Debug for PlanContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanContext").field("hints", &self.hints).finish_non_exhaustive()
    }
}

/// How much one optimization may do, in operators looked at: it ends within about a second. Two
/// hundred joined tables take a tenth of that.
const WORK_MAX: u64 = 2_000_000;

/// Improves a statement's plan. Error 8622 if none obeys the hints, 8623 if that takes too much
/// work, 8631 if it nests too deeply.
pub fn statement(plan: &mut Plan, context: &mut PlanContext<'_>) -> SqlResult<()> {
    base::on_purpose::reached(base::on_purpose::Place::Planner);
    Optimizer::run(context, |optimizer| optimizer.plan(plan))
}

/// Improves the queries inside an expression that stands for itself. Errors as of [`statement`].
pub fn expression(expr: &mut Expr, context: &mut PlanContext<'_>) -> SqlResult<()> {
    Optimizer::run(context, |optimizer| optimizer.inside(expr))
}

/// Improves the queries inside a condition that stands for itself. Errors as of [`statement`].
pub fn condition(pred: &mut Pred, context: &mut PlanContext<'_>) -> SqlResult<()> {
    Optimizer::run(context, |optimizer| optimizer.inside(pred))
}

/// The state of one optimization.
struct Optimizer<'o, 'a> {
    context: &'o mut PlanContext<'a>,
    /// Hints demand what cannot be done.
    refused: bool,
    /// Operators looked at so far.
    work: Cell<u64>,
    /// Why it has given up. What is left to do is then skipped.
    failure: Cell<Option<&'static Message>>,
}

impl<'o, 'a> Optimizer<'o, 'a> {
    fn new(context: &'o mut PlanContext<'a>) -> Optimizer<'o, 'a> {
        Optimizer { context, refused: false, work: Cell::new(0), failure: Cell::new(None) }
    }

    fn run(
        context: &'o mut PlanContext<'a>,
        improve: impl FnOnce(&mut Optimizer<'o, 'a>),
    ) -> SqlResult<()> {
        let mut optimizer = Optimizer::new(context);
        improve(&mut optimizer);
        if let Some(message) = optimizer.failure.get() {
            return Err(SqlError::new(message, &[]));
        }
        match optimizer.refused {
            true => Err(SqlError::new(&message::NO_QUERY_PLAN_HINTS, &[])),
            false => Ok(()),
        }
    }
}

impl Optimizer<'_, '_> {
    /// Counts this much work a level deeper. Returns whether to go on; if not, what the caller
    /// returns does not matter.
    fn goes_on(&self, work: usize) -> bool {
        if self.failure.get().is_some() {
            return false;
        }
        self.work.set(self.work.get() + work as u64);
        if self.context.statistics.checkpoint().is_err() {
            self.failure.set(Some(&message::COMMAND_CANCELLED));
        } else if self.work.get() > WORK_MAX {
            self.failure.set(Some(&message::OUT_OF_PLAN_RESOURCES));
        } else if !base::stack::deeper() {
            self.failure.set(Some(&message::STACK_LIMIT));
        }
        self.failure.get().is_none()
    }

    fn plan(&mut self, plan: &mut Plan) {
        match plan {
            Plan::Select(select) => {
                let want = Want { few: self.context.hints.first_rows, ..Want::nothing() };
                let root = std::mem::replace(&mut select.root, Node::OneRow);
                select.root = self.rows(root, Vec::new(), &want);
                let mut wanted: ColSet = select.output.iter().map(|o| o.column).collect();
                if let Destination::Variables(variables) = &select.destination {
                    variables.iter().for_each(|v| wanted.insert(v.1));
                }
                prune(&mut select.root, wanted);
            }
            Plan::Insert(insert) => self.insert(insert),
            Plan::Update(update) => self.update(update),
            Plan::Delete(delete) => self.delete(delete),
            Plan::Merge(merge) => self.merge(merge),
        }
    }

    fn insert(&mut self, insert: &mut InsertPlan) {
        self.input(&mut insert.source);
        insert.values.iter_mut().for_each(|v| self.new_value(v));
        self.effects(&mut insert.effects);
    }

    fn update(&mut self, update: &mut UpdatePlan) {
        self.input(&mut update.input);
        update.set.iter_mut().for_each(|(_, v)| self.new_value(v));
        update.assign.iter_mut().for_each(|(_, e)| self.inside(e));
        update.recheck.iter_mut().for_each(|p| self.inside(p));
        self.effects(&mut update.effects);
    }

    fn delete(&mut self, delete: &mut DeletePlan) {
        self.input(&mut delete.input);
        delete.recheck.iter_mut().for_each(|p| self.inside(p));
        self.effects(&mut delete.effects);
    }

    fn merge(&mut self, merge: &mut MergePlan) {
        self.input(&mut merge.input);
        self.inside(&mut merge.on);
        merge.first.iter_mut().for_each(|p| self.inside(p));
        for clause in &mut merge.clauses {
            clause.condition.iter_mut().for_each(|p| self.inside(p));
            match &mut clause.action {
                MergeAction::Update(set) => set.iter_mut().for_each(|(_, v)| self.new_value(v)),
                MergeAction::Delete => {}
                MergeAction::Insert(values) => values.iter_mut().for_each(|v| self.new_value(v)),
            }
        }
        self.effects(&mut merge.effects);
    }

    fn new_value(&mut self, value: &mut NewValue) {
        if let NewValue::Expr(expr) = value {
            self.inside(expr);
        }
    }

    fn effects(&mut self, effects: &mut RowEffects) {
        effects.checks.iter_mut().for_each(|c| self.inside(&mut c.predicate));
        effects.blocks.iter_mut().for_each(|b| self.inside(&mut b.predicate));
        for reference in &mut effects.references {
            self.node(&mut reference.lookup);
        }
        for referenced in &mut effects.referenced_by {
            match &mut referenced.action {
                ReferencedAction::Refuse { referencing, referenced } => {
                    self.node(referencing);
                    self.node(referenced);
                }
                ReferencedAction::Delete(delete) => self.delete(delete),
                ReferencedAction::Update(update) => self.update(update),
            }
        }
        effects.output.iter_mut().flatten().for_each(|(e, _)| self.inside(e));
        if let Some(history) = &mut effects.history {
            self.inside(&mut history.in_order);
            self.insert(&mut history.insert);
        }
        for index in &mut effects.derived_indexes {
            index.delete.iter_mut().for_each(|delete| self.delete(delete));
            index.insert.iter_mut().for_each(|insert| self.insert(insert));
        }
        for view in &mut effects.views {
            let changes = view.inserted.iter_mut().chain(&mut view.deleted);
            changes.chain(&mut view.updated).for_each(|change| self.view_change(change));
        }
        if let Some(tracking) = &mut effects.tracking {
            tracking.inserts_mut().for_each(|insert| self.insert(insert));
        }
        if let Some(insert) = &mut effects.output_into {
            self.insert(insert);
        }
    }

    fn view_change(&mut self, change: &mut ViewChange) {
        match change {
            ViewChange::Delete(delete) => self.delete(delete),
            ViewChange::Insert(insert) => self.insert(insert),
            ViewChange::Add(groups) => {
                self.input(&mut groups.amounts);
                self.node(&mut groups.found);
            }
        }
    }

    /// Improves the queries inside an operator or expression.
    fn inside(&mut self, whole: &mut dyn Parts) {
        if !self.goes_on(1) {
            return;
        }
        whole.parts_mut(&mut |part| match part {
            PartMut::Expr(expr) => self.inside(expr),
            PartMut::Pred(pred) => self.inside(pred),
            PartMut::Node(node) => self.node(node),
        });
    }

    fn inside_expr(&mut self, expr: &mut Expr) {
        self.inside(expr);
    }

    fn inside_pred(&mut self, pred: &mut Pred) {
        self.inside(pred);
    }

    /// What a statement that writes rows reads: all of its columns count.
    fn input(&mut self, node: &mut Node) {
        let wanted = yields(node);
        self.node(node);
        prune(node, wanted);
    }

    fn node(&mut self, node: &mut Node) {
        let whole = std::mem::replace(node, Node::OneRow);
        *node = self.whole(whole);
    }

    /// The queries inside a source's arguments and keys.
    fn scan_parts(&mut self, scan: &mut Scan) {
        match &mut scan.source {
            Source::Function(_, args) => args.iter_mut().for_each(|e| self.inside(e)),
            Source::UserFunction(_, args, _) => {
                args.iter_mut().flatten().for_each(|e| self.inside(e));
            }
            _ => {}
        }
        self.inside(&mut scan.access);
    }
}

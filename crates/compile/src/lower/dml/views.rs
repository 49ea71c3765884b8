//! The rows of indexed views: what a changed row means for them is done as soon as the row is
//! written.
//!
//! The look-ups and changes are a statement within the statement ([`Inst::Advance`]), which sees
//! all that has been written so far, and whose own changes the next one sees. So however many rows
//! and tables a statement changes, each change finds the view as the rows before it have left it.

use base::SqlResult;
use ir::builder::Label;
use ir::inst::{Inst, RegType};
use ir::site::Rule;

use crate::lower::Lowering;
use crate::lower::columns::{uses_in_expr, uses_in_pred};
use crate::lower::dml::{Changed, Deferred, keeps_keys};
use crate::lower::pred::Ways;
use crate::plan::expr::{ColId, Expr, ExprKind};
use crate::plan::tree::{GroupsPlan, InsertPlan, NewValue, RowEffects, ViewChange};

/// What happens to a row.
#[derive(Clone, Copy)]
pub enum RowChange<'s> {
    /// It is inserted, or comes back with other keys.
    Inserted,
    /// It is deleted, or taken away to come back.
    Deleted,
    /// These columns of it are set.
    Updated(&'s [usize]),
}

impl Lowering {
    /// What a changed row means for indexed views. The names of old and new columns are bound.
    pub fn follow_views(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        change: RowChange<'_>,
    ) -> SqlResult<()> {
        for view in &effects.views {
            let changes = match change {
                RowChange::Inserted => &view.inserted,
                RowChange::Deleted => &view.deleted,
                RowChange::Updated(set) if !view.columns.iter().any(|at| set.contains(at)) => {
                    continue;
                }
                RowChange::Updated(_) => &view.updated,
            };
            self.b.emit(Inst::Advance);
            for change in changes {
                let outside = self.enter();
                self.follow_view(target, change)?;
                self.leave(outside);
            }
            self.b.emit(Inst::Retreat);
        }
        Ok(())
    }

    fn follow_view(&mut self, target: &Changed, change: &ViewChange) -> SqlResult<()> {
        match change {
            ViewChange::Delete(delete) => {
                self.touch_for(&delete.input)?;
                self.delete_rows(delete, target.word, &mut Deferred::default(), false)
            }
            ViewChange::Insert(insert) => self.insert_shown(insert),
            ViewChange::Add(groups) => self.add_to_groups(groups),
        }
    }

    fn insert_shown(&mut self, insert: &InsertPlan) -> SqlResult<()> {
        self.touch_for(&insert.source)?;
        for value in &insert.values {
            if let NewValue::Expr(expr) = value {
                self.touch_in(expr)?;
            }
        }
        let other = self.target(&insert.target, &insert.effects, "INSERT");
        self.produce(&insert.source, &mut |l| {
            l.insert_row(&other, insert, None, &mut Deferred::default(), false)
        })
    }

    /// Loads the columns that an expression uses and that are known by now.
    fn touch_in(&mut self, expr: &Expr) -> SqlResult<()> {
        let mut columns = Vec::new();
        uses_in_expr(expr, &mut |col| columns.push(col));
        self.touch_known(&columns)
    }

    fn touch_known(&mut self, columns: &[ColId]) -> SqlResult<()> {
        columns.iter().try_for_each(|&col| match self.scope.get(col) {
            Some(_) => self.touch(col),
            None => Ok(()),
        })
    }

    /// Adds what a row means to the groups of a view.
    fn add_to_groups(&mut self, plan: &GroupsPlan) -> SqlResult<()> {
        self.touch_for(&plan.amounts)?;
        let effects = RowEffects::default();
        let target = self.target(&plan.target, &effects, "UPDATE");
        let set: Vec<usize> = (plan.values.iter().enumerate())
            .filter(|(_, value)| !matches!(value.kind, ExprKind::Column(_)))
            .map(|(at, _)| at)
            .collect();
        let site = &mut self.b.unit.targets[usize::from(target.id)];
        site.looks_again = Some(plan.index);
        site.keeps_keys = keeps_keys(&target, &set);
        let strict = self.target(&plan.target, &effects, "UPDATE");
        self.produce(&plan.amounts, &mut |l| l.add_amounts(plan, &target, &strict))
    }

    fn add_amounts(
        &mut self,
        plan: &GroupsPlan,
        target: &Changed,
        strict: &Changed,
    ) -> SqlResult<()> {
        let outside = self.enter();
        let next = self.b.label();
        self.unless_jump(&plan.changes, next)?;
        // The row is looked for in a loop.
        self.touch_for(&plan.found)?;
        let mut columns = Vec::new();
        for pred in [&plan.begins, &plan.ends, &plan.same] {
            uses_in_pred(pred, &mut |col| columns.push(col));
        }
        for value in plan.values.iter().chain(&plan.first) {
            uses_in_expr(value, &mut |col| columns.push(col));
        }
        self.touch_known(&columns)?;
        let (again, taken) = (self.b.here(), self.b.label());
        let inside = self.enter();
        self.produce(&plan.found, &mut |l| l.change_group(plan, target, [next, again, taken]))?;
        self.leave(inside);
        // There is no such group yet.
        self.insert_group(plan, target, again)?;
        self.b.jump(next);
        // A group that has the same key is another one, or has gone meanwhile.
        self.b.place(taken);
        self.insert_group(plan, strict, next)?;
        self.b.place(next);
        self.leave(outside);
        Ok(())
    }

    /// Changes the row that the look-up has found, or deletes it.
    fn change_group(
        &mut self,
        plan: &GroupsPlan,
        target: &Changed,
        [next, again, taken]: [Label; 3],
    ) -> SqlResult<()> {
        let found = self.column(plan.row)?;
        let row = self.b.reg(RegType::Row);
        self.b.emit(Inst::Move { dst: row, src: found.reg });
        let newer = self.b.here();
        let outside = self.enter();
        self.bind_target(target, row, &plan.old_columns);
        self.unless_jump(&plan.same, taken)?;
        let (lost, ends, stays) = (self.b.label(), self.b.label(), self.b.label());
        let ways = Ways { yes: ends, no: stays, unknown: stays, fall_yes: true };
        let status = self.status_reg();
        let inside = self.enter();
        self.pred(&plan.ends, ways)?;
        self.b.place(ends);
        self.b.emit(Inst::Delete { target: target.id, row, status });
        self.switch_status(status, next, newer, again, lost);
        // What is known of a group that ends is not known of others.
        self.leave(inside);
        self.b.place(stays);
        let mut values = Vec::with_capacity(plan.values.len());
        for value in &plan.values {
            values.push(self.expr(value)?);
        }
        let bytes = self.build_row(target, &values);
        self.b.emit(Inst::Update { target: target.id, row, bytes, status });
        self.switch_status(status, next, newer, again, lost);
        self.b.place(lost);
        self.violate(target, Rule::MissingGroup);
        self.leave(outside);
        Ok(())
    }

    /// Inserts the row of a new group; goes to `ignored` if another transaction has done so
    /// meanwhile, where the target looks again.
    fn insert_group(
        &mut self,
        plan: &GroupsPlan,
        target: &Changed,
        ignored: Label,
    ) -> SqlResult<()> {
        let outside = self.enter();
        let (begins, lost) = (self.b.label(), self.b.label());
        let ways = Ways { yes: begins, no: lost, unknown: lost, fall_yes: false };
        self.pred(&plan.begins, ways)?;
        self.b.place(lost);
        self.violate(target, Rule::MissingGroup);
        self.b.place(begins);
        let mut values = Vec::with_capacity(plan.first.len());
        for value in &plan.first {
            values.push(self.expr(value)?);
        }
        let bytes = self.build_row(target, &values);
        let row = self.b.reg(RegType::Row);
        self.b.emit(Inst::Insert { target: target.id, bytes, row, ignored: ignored.pc() });
        self.leave(outside);
        Ok(())
    }
}

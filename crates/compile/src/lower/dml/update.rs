//! `UPDATE`.
//!
//! New rows of a statement that sets columns of a unique key are held, unless it can meet one row
//! at most.

use base::SqlResult;
use engine::catalog::def::BlockedOperation;
use ir::inst::{Inst, Reg, RegType};
use ir::operator::VarId;

use crate::lower::Lowering;
use crate::lower::columns::uses_in_expr;
use crate::lower::dml::held::{HeldCascade, Release};
use crate::lower::dml::{
    Changed, Deferred, OldRow, RowChange, keeps_keys, may_load, touches_unique_key, yields_one_row,
};
use crate::lower::expr::NullTo;
use crate::lower::scope::Val;
use crate::plan::expr::Expr;
use crate::plan::tree::UpdatePlan;

impl Lowering {
    /// The whole statement.
    pub fn update_statement(&mut self, update: &UpdatePlan) -> SqlResult<()> {
        self.assigned = update.assign.iter().map(|a| a.0).collect();
        let mut deferred = Deferred::default();
        self.update_rows(update, "UPDATE", &mut deferred, true)?;
        self.check_deferred(deferred)
    }

    /// Updates the rows of a plan, for itself or on behalf of another statement's row.
    pub fn update_rows(
        &mut self,
        update: &UpdatePlan,
        word: &'static str,
        deferred: &mut Deferred,
        counted: bool,
    ) -> SqlResult<()> {
        let mut target = self.target(&update.target, &update.effects, word);
        target.set = update.set.iter().map(|s| s.0).collect();
        let output = self.announce_output(&update.effects);
        if target.instead {
            self.update_instead(&target, update, output, counted)?;
            self.place_full(counted);
            return Ok(());
        }
        // Rows that are changed on behalf of others' may be met again by the statement.
        self.b.unit.targets[usize::from(target.id)].loads =
            counted && may_load(&target, &update.effects);
        let set = target.set.clone();
        self.b.unit.targets[usize::from(target.id)].keeps_keys = keeps_keys(&target, &set);
        // A cascade's input yields the rows that refer to one; the statement may change others.
        let yields_one = counted && yields_one_row(&update.input);
        let hold = touches_unique_key(&target, &set) && !yields_one;
        let (input, old) = (&update.input, &update.old_columns[..]);
        let held = hold.then(|| self.hold_rows(&target, &update.effects, input, old, true));
        self.produce(&update.input, &mut |l| {
            let (done, newer, next) = (l.b.label(), l.b.label(), l.b.label());
            let found = l.column(update.row)?;
            if found.nullable {
                // An outer join has none, and what comes out of a worktable might be missing.
                l.guard(found.reg, NullTo { dst: None, label: next });
            }
            let row = l.b.reg(RegType::Row);
            l.b.emit(Inst::Move { dst: row, src: found.reg });
            let again = l.b.here();
            let outside = l.enter();
            l.bind_target(&target, row, &update.old_columns);
            l.bind_target(&target, row, &update.effects.old_columns);
            let values = l.changed_row(&target, update, row)?;
            let status = l.status_reg();
            let trace = l.b.reg(RegType::I64);
            if held.is_some() {
                l.b.emit(Inst::TakeAway { target: target.id, row, status, trace });
            } else {
                let bytes = l.build_row(&target, &values);
                l.b.emit(Inst::Update { target: target.id, row, bytes, status });
            }
            l.switch_status(status, done, newer, next, next);
            l.b.place(done);
            l.store_variables();
            match &held {
                Some(held) => {
                    l.follow_views(&target, &update.effects, RowChange::Deleted)?;
                    l.hold_row(held, &values, Some((row, trace)))?;
                }
                None => {
                    l.follow_views(&target, &update.effects, RowChange::Updated(&set))?;
                    l.test_references(&target, &update.effects, Some(&set), deferred)?;
                    l.follow_references(&target, &update.effects, Some(&set), deferred)?;
                    l.after_row(&target, &update.effects, output, Some(&values), OldRow::Row(row))?;
                }
            }
            l.count(counted);
            l.b.jump(next);
            l.leave(outside);
            l.b.place(newer);
            let outside = l.enter();
            l.bind_target(&target, row, &update.old_columns);
            if let Some(recheck) = &update.recheck {
                l.unless_jump(recheck, next)?;
            }
            l.leave(outside);
            l.b.jump(again);
            l.b.place(next);
            Ok(())
        })?;
        self.place_full(counted);
        let Some(held) = held else { return Ok(()) };
        if !counted {
            deferred.held.push_back(HeldCascade::new(held, target, update));
            return Ok(());
        }
        let UpdatePlan { effects, old_columns, .. } = update;
        let release = Release { effects, old_columns, set: Some(&set), output };
        self.release_rows(&held, &target, &release, deferred)
    }

    /// Keeps the rows for the triggers that run instead.
    fn update_instead(
        &mut self,
        target: &Changed,
        update: &UpdatePlan,
        output: Option<u16>,
        counted: bool,
    ) -> SqlResult<()> {
        self.produce(&update.input, &mut |l| {
            let outside = l.enter();
            let old = l.column_regs(&update.old_columns)?;
            // All old columns are the input's, so no row is looked at.
            let row = l.b.reg(RegType::Row);
            let values = l.changed_row(target, update, row)?;
            l.store_variables();
            l.after_row(target, &update.effects, output, Some(&values), OldRow::Values(&old))?;
            l.count(counted);
            l.leave(outside);
            Ok(())
        })
    }

    /// The new columns of a row: those that are set, and the others as they are. Variables that are
    /// assigned on the way are stored by [`Lowering::store_variables`] once the row is changed: it
    /// may have to be looked at again, or turn out to be none of the statement's.
    pub fn changed_row(
        &mut self,
        target: &Changed,
        update: &UpdatePlan,
        row: Reg,
    ) -> SqlResult<Vec<Val>> {
        self.test_blocks(target, &update.effects, BlockedOperation::BeforeUpdate)?;
        let new_columns = &update.effects.new_columns;
        let (early, late): (Vec<_>, Vec<_>) =
            update.assign.iter().partition(|(_, e)| !uses_any(e, new_columns));
        self.assign_variables(&early)?;
        let mut values: Vec<Option<Val>> = vec![None; target.columns.len()];
        self.set_columns(target, update, false, &mut values)?;
        for (at, column) in target.columns.iter().enumerate() {
            if values[at].is_none() && !update.set.iter().any(|s| s.0 == at) {
                let val = match update.old_columns.get(at) {
                    Some(&old) => self.column(old)?,
                    None => {
                        let at = at as u16;
                        self.load(Val::new(row), target.layout, at, column.nullable, false)
                    }
                };
                values[at] = Some(val);
                if let Some(&col) = new_columns.get(at) {
                    self.bind(col, val);
                }
            }
        }
        self.set_columns(target, update, true, &mut values)?;
        self.assign_variables(&late)?;
        let mut values: Vec<Val> = values.into_iter().flatten().collect();
        self.test_not_null(target, &mut values, &update.effects);
        self.test_checks(target, &update.effects)?;
        self.test_blocks(target, &update.effects, BlockedOperation::AfterUpdate)?;
        Ok(values)
    }

    fn set_columns(
        &mut self,
        target: &Changed,
        update: &UpdatePlan,
        computed: bool,
        values: &mut [Option<Val>],
    ) -> SqlResult<()> {
        let mut done: Vec<(usize, Val)> = Vec::new();
        for (at, value) in &update.set {
            if target.columns[*at].computed == computed {
                let val = self.new_value(target, *at, value)?;
                done.push((*at, val));
            }
        }
        // All right-hand sides see the old row, so the new names are bound afterwards.
        for (at, val) in done {
            values[at] = Some(val);
            if let Some(&col) = update.effects.new_columns.get(at) {
                self.bind(col, val);
            }
        }
        Ok(())
    }

    fn assign_variables(&mut self, assign: &[&(VarId, Expr)]) -> SqlResult<()> {
        for (var, expr) in assign {
            let val = self.expr(expr)?;
            self.pending.insert(*var, val);
        }
        Ok(())
    }

    /// Stores the variables that the current row assigns.
    fn store_variables(&mut self) {
        let mut pending: Vec<(VarId, Val)> = self.pending.drain().collect();
        pending.sort_unstable_by_key(|(var, _)| var.0);
        for (var, val) in pending {
            self.b.emit(Inst::StoreVar { var: var.0, src: val.reg });
        }
    }
}

/// Whether an expression uses one of these columns.
fn uses_any(expr: &Expr, columns: &[crate::plan::expr::ColId]) -> bool {
    let mut uses = false;
    uses_in_expr(expr, &mut |col| uses |= columns.contains(&col));
    uses
}

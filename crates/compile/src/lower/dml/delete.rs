//! `DELETE`.

use base::SqlResult;
use engine::catalog::def::BlockedOperation;
use ir::inst::{Inst, RegType};

use crate::lower::Lowering;
use crate::lower::dml::{Changed, Deferred, OldRow, RowChange, may_load};
use crate::lower::expr::NullTo;
use crate::lower::scope::Val;
use crate::plan::expr::ColId;
use crate::plan::tree::DeletePlan;

impl Lowering {
    /// The whole statement.
    pub fn delete_statement(&mut self, delete: &DeletePlan) -> SqlResult<()> {
        let full = self.full.expect("plan() has made it");
        let mut deferred = Deferred::default();
        self.delete_rows(delete, "DELETE", &mut deferred, true)?;
        self.b.place(full);
        self.check_deferred(deferred)
    }

    /// Deletes the rows of a plan, for itself or on behalf of another statement's row.
    pub fn delete_rows(
        &mut self,
        delete: &DeletePlan,
        word: &'static str,
        deferred: &mut Deferred,
        counted: bool,
    ) -> SqlResult<()> {
        let target = self.target(&delete.target, &delete.effects, word);
        let output = self.announce_output(&delete.effects);
        if target.instead {
            return self.delete_instead(&target, delete, output, counted);
        }
        // Rows that are changed on behalf of others' may be met again by the statement.
        self.b.unit.targets[usize::from(target.id)].loads =
            counted && may_load(&target, &delete.effects);
        self.produce(&delete.input, &mut |l| {
            let (done, newer, next) = (l.b.label(), l.b.label(), l.b.label());
            let found = l.column(delete.row)?;
            if found.nullable {
                // An outer join has none, and what comes out of a worktable might be missing.
                l.guard(found.reg, NullTo { dst: None, label: next });
            }
            let row = l.b.reg(RegType::Row);
            l.b.emit(Inst::Move { dst: row, src: found.reg });
            let again = l.b.here();
            let status = l.status_reg();
            // The old row is needed after the deletion, and `row` may change once more before.
            l.b.emit(Inst::Delete { target: target.id, row, status });
            l.switch_status(status, done, newer, next, next);
            l.b.place(newer);
            let outside = l.enter();
            l.bind_old(&target, row, &delete.old_columns);
            if let Some(recheck) = &delete.recheck {
                l.unless_jump(recheck, next)?;
            }
            l.leave(outside);
            l.b.jump(again);
            l.b.place(done);
            let outside = l.enter();
            l.bind_old(&target, row, &delete.old_columns);
            l.bind_target(&target, row, &delete.effects.old_columns);
            l.follow_views(&target, &delete.effects, RowChange::Deleted)?;
            l.test_blocks(&target, &delete.effects, BlockedOperation::BeforeDelete)?;
            l.follow_references(&target, &delete.effects, None, deferred)?;
            l.after_row(&target, &delete.effects, output, None, OldRow::Row(row))?;
            l.count(counted);
            l.leave(outside);
            l.b.place(next);
            Ok(())
        })
    }

    /// Keeps the rows for the triggers that run instead.
    fn delete_instead(
        &mut self,
        target: &Changed,
        delete: &DeletePlan,
        output: Option<u16>,
        counted: bool,
    ) -> SqlResult<()> {
        let columns: Vec<ColId> = delete.old_columns.iter().map(|c| c.1).collect();
        self.produce(&delete.input, &mut |l| {
            let old = l.column_regs(&columns)?;
            l.after_row(target, &delete.effects, output, None, OldRow::Values(&old))?;
            l.count(counted);
            Ok(())
        })
    }

    /// Binds the input's names of a target's columns to the row itself.
    fn bind_old(&mut self, target: &Changed, row: ir::Reg, columns: &[(usize, ColId)]) {
        for &(at, col) in columns {
            let nullable = target.is_nullable(at);
            let (row, layout, column) = (Val::new(row), target.layout, at as u16);
            let binding = crate::lower::scope::Binding::Stored { row, layout, column, nullable };
            self.scope.bind(col, binding);
        }
    }
}

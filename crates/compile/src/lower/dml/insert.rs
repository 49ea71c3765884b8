//! `INSERT`.

use std::sync::Arc;

use base::SqlResult;
use base::ids::DbId;
use engine::catalog::def::BlockedOperation;
use engine::catalog::def::TableDef;
use ir::inst::{Inst, RegType};
use ir::object::{AccessDesc, CursorDesc, ObjectDesc, ReadPurpose};
use ir::read::ReadOptions;

use crate::lower::Lowering;
use crate::lower::dml::{Changed, Deferred, OldRow, RowChange, may_load};
use crate::lower::scope::Val;
use crate::plan::expr::ColId;
use crate::plan::tree::{InsertPlan, NewValue, RowEffects, Target};

impl Lowering {
    /// The whole statement.
    pub fn insert_statement(&mut self, insert: &InsertPlan) -> SqlResult<()> {
        let full = self.full.expect("plan() has made it");
        let target = self.target(&insert.target, &insert.effects, "INSERT");
        if !target.instead {
            self.b.unit.targets[usize::from(target.id)].loads = may_load(&target, &insert.effects);
        }
        let outputs = self.announce_output(&insert.effects);
        let mut deferred = Deferred::default();
        if let (Some(lock), Target::Table { database, table }) = (insert.lock, &insert.target) {
            self.lock_table(*database, table, lock);
        }
        let assigned = |(col, at): &(ColId, usize)| (*col, target.assigned_column(*at));
        self.converted = insert.converted.iter().map(assigned).collect();
        self.produce(&insert.source, &mut |l| {
            l.insert_row(&target, insert, outputs, &mut deferred, true)
        })?;
        self.b.place(full);
        self.check_deferred(deferred)
    }

    /// Locks a table as a reader with these options does that looks at one row of it at most.
    fn lock_table(&mut self, database: DbId, table: &Arc<TableDef>, options: ReadOptions) {
        let table = self.use_table(database, table, false);
        let access = AccessDesc::Full { index: None };
        let purpose = ReadPurpose::Query;
        let (unread, fleeting) = (false, false);
        let desc = CursorDesc { table, access, options, purpose, unread, fleeting };
        let cursor = self.b.object(ObjectDesc::Cursor(desc));
        let (row, mark, done) = (self.b.reg(RegType::Row), self.b.mark(), self.b.label());
        self.b.emit(Inst::Open { cursor });
        self.b.emit(Inst::Mark { mark });
        self.b.emit(Inst::Next { cursor, row, mark, done: done.pc() });
        self.b.place(done);
    }

    /// Inserts the current row of a plan's source.
    pub fn insert_row(
        &mut self,
        target: &Changed,
        insert: &InsertPlan,
        output: Option<u16>,
        deferred: &mut Deferred,
        counted: bool,
    ) -> SqlResult<()> {
        let outside = self.enter();
        let values = self.new_row(target, &insert.values, &insert.effects)?;
        self.write_new_row(target, &values, &insert.effects, output, deferred, counted)?;
        self.leave(outside);
        Ok(())
    }

    /// Computes a new row's columns and tests them.
    pub fn new_row(
        &mut self,
        target: &Changed,
        values: &[NewValue],
        effects: &RowEffects,
    ) -> SqlResult<Vec<Val>> {
        let mut row: Vec<Option<Val>> = vec![None; target.columns.len()];
        for computed in [false, true] {
            for (at, value) in values.iter().enumerate() {
                if target.columns[at].computed == computed {
                    let val = self.new_value(target, at, value)?;
                    row[at] = Some(val);
                    if let Some(&col) = effects.new_columns.get(at) {
                        self.bind(col, val);
                    }
                }
            }
        }
        let mut row: Vec<Val> = row.into_iter().flatten().collect();
        self.test_not_null(target, &mut row, effects);
        self.test_checks(target, effects)?;
        self.test_blocks(target, effects, BlockedOperation::AfterInsert)?;
        Ok(row)
    }

    /// Computes one new column.
    pub fn new_value(&mut self, target: &Changed, at: usize, value: &NewValue) -> SqlResult<Val> {
        let column = &target.columns[at];
        match value {
            NewValue::Expr(expr) => {
                if column.identity {
                    let site = &mut self.b.unit.targets[usize::from(target.id)];
                    site.explicit_identity = Some(at);
                }
                let outside = self.assigned_column.replace(target.assigned_column(at));
                let val = self.expr(expr);
                self.assigned_column = outside;
                val
            }
            NewValue::Identity => {
                let dst = self.b.reg_for(&column.ty);
                self.b.emit(Inst::Identity { dst, target: target.id });
                Ok(Val::new(dst))
            }
            NewValue::RowVersion => {
                let dst = self.b.reg(RegType::Bytes);
                self.b.emit(Inst::RowVersion { dst, target: target.id });
                Ok(Val::new(dst))
            }
            NewValue::ChangeNumber { database, commits } => {
                let dst = self.b.reg(RegType::I64);
                let table = self.use_table(*database, commits, false);
                self.b.emit(Inst::ChangeNumber { dst, table });
                Ok(Val::new(dst))
            }
            NewValue::ChangeStep => {
                let dst = self.b.reg(RegType::I64);
                self.b.emit(Inst::ChangeStep { dst, target: target.id });
                Ok(Val::new(dst))
            }
        }
    }

    /// Builds and inserts a row and does what follows from it.
    pub fn write_new_row(
        &mut self,
        target: &Changed,
        values: &[Val],
        effects: &RowEffects,
        output: Option<u16>,
        deferred: &mut Deferred,
        counted: bool,
    ) -> SqlResult<()> {
        if target.instead {
            self.after_row(target, effects, output, Some(values), OldRow::None)?;
            self.count(counted);
            return Ok(());
        }
        let ignored = self.b.label();
        let bytes = self.build_row(target, values);
        let row = self.b.reg(RegType::Row);
        let id = target.id;
        self.b.emit(Inst::Insert { target: id, bytes, row, ignored: ignored.pc() });
        self.follow_views(target, effects, RowChange::Inserted)?;
        self.test_references(target, effects, None, deferred)?;
        self.after_row(target, effects, output, Some(values), OldRow::None)?;
        self.count(counted);
        self.b.place(ignored);
        Ok(())
    }
}

//! New rows that wait until all old ones are gone.
//!
//! A statement may give one row the key that another is about to leave: `SET id = id + 1`, or a
//! `MERGE` that inserts what it deletes elsewhere. Then old rows are deleted as the input yields
//! them, and the new ones are inserted when it is exhausted. A cascade's input is exhausted when
//! the statement has changed its last row.

use base::{SqlResult, SqlType};
use ir::inst::{Inst, Reg, RegType};
use ir::object::{ObjId, ObjectDesc, WorkDesc};

use crate::lower::Lowering;
use crate::lower::columns::{uses_in_expr, uses_in_node};
use crate::lower::dml::{Changed, Deferred, OldRow, RowChange};
use crate::lower::scope::Val;
use crate::plan::expr::ColId;
use crate::plan::tree::{NewValue, Node, RowEffects, UpdatePlan};
use crate::plan::walk::outputs;

/// A worktable of new rows. A row that replaces another is followed by the old one, if that is
/// asked for, and by where it was; then comes what else is needed of the input.
pub struct Held {
    work: ObjId,
    layout: u16,
    columns: usize,
    /// Whether the rows replace others.
    replaces: bool,
    has_old: bool,
    /// What `OUTPUT` shows of the other tables.
    others: Vec<ColId>,
}

/// What follows from rows that were held.
pub struct Release<'p> {
    /// The statement's effects.
    pub effects: &'p RowEffects,
    /// The names of the target's columns as the input yields them.
    pub old_columns: &'p [ColId],
    /// Which columns were set, if the rows replace others.
    pub set: Option<&'p [usize]>,
    /// Where `OUTPUT` goes.
    pub output: Option<u16>,
}

/// The rows that a cascade has changed, for all rows of the statement that it followed.
pub struct HeldCascade {
    held: Held,
    target: Changed,
    effects: RowEffects,
    old_columns: Vec<ColId>,
    set: Vec<usize>,
}

impl HeldCascade {
    pub fn new(held: Held, target: Changed, update: &UpdatePlan) -> HeldCascade {
        HeldCascade {
            held,
            target,
            effects: update.effects.clone(),
            old_columns: update.old_columns.clone(),
            set: update.set.iter().map(|s| s.0).collect(),
        }
    }
}

impl Lowering {
    /// A worktable for the new rows of a statement, or of a cascade: all rows that it changes for
    /// the statement.
    pub fn hold_rows(
        &mut self,
        target: &Changed,
        effects: &RowEffects,
        input: &Node,
        old_columns: &[ColId],
        replaces: bool,
    ) -> Held {
        let mut others = shown(effects);
        let is_old = |col: &ColId| old_columns.contains(col) || effects.old_columns.contains(col);
        let asks = effects.keep_transitions
            || effects.history.is_some()
            || !effects.derived_indexes.is_empty()
            || effects.tracking.is_some()
            || !effects.referenced_by.is_empty();
        let has_old = replaces && (asks || others.iter().any(is_old));
        if !others.is_empty() {
            let inside = outputs(input);
            others.retain(|col| inside.contains(col) && !is_old(col));
        }
        let mut types: Vec<SqlType> = target.columns.iter().map(|c| c.ty).collect();
        if has_old {
            types.push(crate::lower::join::row_type());
        }
        if replaces {
            types.push(SqlType::bigint());
        }
        types.extend(others.iter().map(|&col| self.stored_type(col)));
        let layout = self.b.layout_of(&types);
        let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        self.b.in_prologue(|b| b.emit(Inst::WorkClear { work }));
        Held { work, layout, columns: target.columns.len(), replaces, has_old, others }
    }

    /// Keeps a new row, and the one that it replaces with where that was.
    pub fn hold_row(
        &mut self,
        held: &Held,
        values: &[Val],
        replaced: Option<(Reg, Reg)>,
    ) -> SqlResult<()> {
        let mut regs: Vec<Reg> = values.iter().map(|v| v.reg).collect();
        debug_assert_eq!((regs.len(), replaced.is_some()), (held.columns, held.replaces));
        if let Some((row, trace)) = replaced {
            regs.extend(held.has_old.then(|| self.kept_row(row)));
            regs.push(trace);
        }
        for &col in &held.others {
            regs.push(self.column(col)?.reg);
        }
        let list = self.b.list(&regs);
        self.b.emit(Inst::WorkPush { work: held.work, list });
        Ok(())
    }

    /// Inserts the rows that a cascade has held.
    pub fn release_cascade(
        &mut self,
        cascade: &HeldCascade,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let HeldCascade { held, target, effects, old_columns, set } = cascade;
        let release = Release { effects, old_columns, set: Some(set), output: None };
        let outside = self.enter();
        self.release_rows(held, target, &release, deferred)?;
        self.leave(outside);
        Ok(())
    }

    /// Inserts the rows that were held. They have been counted.
    pub fn release_rows(
        &mut self,
        held: &Held,
        target: &Changed,
        release: &Release<'_>,
        deferred: &mut Deferred,
    ) -> SqlResult<()> {
        let Release { effects, old_columns, set, output } = *release;
        self.scan_work(held.work, &mut |l, held_row| {
            let mut values = Vec::with_capacity(held.columns);
            for (at, column) in target.columns.iter().enumerate() {
                let place = at as u16;
                let val = l.load(Val::new(held_row), held.layout, place, column.nullable, false);
                values.push(val);
                if let Some(&col) = effects.new_columns.get(at) {
                    l.bind(col, val);
                }
            }
            let mut place = held.columns as u16;
            let old = held.has_old.then(|| {
                let old = l.load(Val::new(held_row), held.layout, place, false, true).reg;
                place += 1;
                old
            });
            let trace = held.replaces.then(|| {
                let trace = l.load(Val::new(held_row), held.layout, place, false, false).reg;
                place += 1;
                trace
            });
            match old {
                Some(old) => {
                    l.bind_target(target, old, old_columns);
                    l.bind_target(target, old, &effects.old_columns);
                }
                None if set.is_none() => l.bind_nulls(target, &effects.old_columns),
                None => {}
            }
            for (place, &col) in (place..).zip(&held.others) {
                let val = l.load(Val::new(held_row), held.layout, place, true, false);
                l.bind(col, val);
            }
            let bytes = l.build_row(target, &values);
            let (row, ignored) = (l.b.reg(RegType::Row), l.b.label());
            match trace {
                Some(trace) => l.b.emit(Inst::PutBack { target: target.id, bytes, row, trace }),
                None => {
                    let ignored = ignored.pc();
                    l.b.emit(Inst::Insert { target: target.id, bytes, row, ignored });
                }
            }
            l.follow_views(target, effects, RowChange::Inserted)?;
            l.test_references(target, effects, set, deferred)?;
            if set.is_some() {
                l.follow_references(target, effects, set, deferred)?;
            }
            let old = old.map_or(OldRow::None, OldRow::Row);
            l.after_row(target, effects, output, Some(&values), old)?;
            l.b.place(ignored);
            Ok(())
        })
    }
}

/// The columns that `OUTPUT` shows.
fn shown(effects: &RowEffects) -> Vec<ColId> {
    let mut columns = Vec::new();
    for (expr, _) in effects.output.iter().flatten() {
        uses_in_expr(expr, &mut |col| columns.push(col));
    }
    if let Some(into) = &effects.output_into {
        uses_in_node(&into.source, &mut |col| columns.push(col));
        for value in &into.values {
            if let NewValue::Expr(expr) = value {
                uses_in_expr(expr, &mut |col| columns.push(col));
            }
        }
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

//! Joins.

use base::{SqlResult, SqlType};
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};
use ir::object::{ObjId, ObjectDesc, WorkDesc};
use ir::operator::CompareOp;

use crate::lower::columns::{ColumnType, uses_in_pred};
use crate::lower::hash_join::HashJoin;
use crate::lower::scope::{Binding, Val};
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, Pred};
use crate::plan::tree::{JoinKind, Node};

/// How columns reach the routine behind a join: rows in the registers that they are in, values in
/// registers of their own, so that all of them can be given others, or be made NULL.
#[derive(Debug, Default)]
pub struct Passage {
    /// Registers that values are moved to, and from.
    pub moves: Vec<(Reg, Reg)>,
    /// Rows, as they are before the routine, and their layouts.
    pub rows: Vec<(Val, u16)>,
    /// What the columns are inside the routine.
    pub bindings: Vec<(ColId, Binding)>,
}

/// A routine: code that is entered from several places.
pub struct Routine {
    pub link: Reg,
    entry: Label,
}

impl Lowering {
    /// A routine, to be written by [`Lowering::write_routine`].
    pub fn routine(&mut self) -> Routine {
        Routine { link: self.b.lasting_reg(RegType::I64), entry: self.b.label() }
    }

    /// Enters a routine and comes back.
    pub fn enter_routine(&mut self, routine: &Routine) {
        self.b.emit(Inst::Gosub { link: routine.link, to: routine.entry.pc() });
    }

    /// Writes a routine; control passes by it.
    pub fn write_routine(
        &mut self,
        routine: Routine,
        body: impl FnOnce(&mut Lowering) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let end = self.b.label();
        self.b.jump(end);
        self.b.place(routine.entry);
        let outside = self.enter();
        self.loops += 1;
        body(self)?;
        self.loops -= 1;
        self.leave(outside);
        self.b.emit(Inst::Return { link: routine.link });
        self.b.place(end);
        Ok(())
    }

    /// Prepares to pass these columns, as they are bound now, to a routine. `outer`: all of them
    /// may be made NULL.
    pub fn passage(&mut self, cols: &[ColId], outer: bool) -> Passage {
        let mut passage = Passage::default();
        for &col in cols {
            match self.scope.get(col) {
                Some(Binding::Stored { row, layout, column, nullable }) => {
                    if !passage.rows.iter().any(|(known, _)| known.reg == row.reg) {
                        passage.rows.push((row, layout));
                    }
                    let row = Val { nullable: row.nullable || outer, ..row };
                    let binding = Binding::Stored { row, layout, column, nullable };
                    passage.bindings.push((col, binding));
                }
                Some(Binding::Value(val)) => {
                    let dst = self.b.reg(self.b.unit.reg_type(val.reg));
                    passage.moves.push((dst, val.reg));
                    let val = Val { reg: dst, nullable: val.nullable || outer };
                    passage.bindings.push((col, Binding::Value(val)));
                }
                None => {
                    let dst = self.null_column(col);
                    passage.moves.push((dst, dst));
                    passage.bindings.push((col, Binding::Value(Val::nullable(dst))));
                }
            }
        }
        for &(dst, src) in &passage.moves {
            let inst = if dst == src { Inst::SetNull { dst } } else { Inst::Move { dst, src } };
            self.b.emit(inst);
        }
        passage
    }

    /// A passage for a side that turned out to have no rows at all.
    pub fn empty_passage(&mut self, cols: &[ColId]) -> Passage {
        let mut passage = Passage::default();
        for &col in cols {
            let dst = self.null_column(col);
            passage.moves.push((dst, dst));
            passage.bindings.push((col, Binding::Value(Val::nullable(dst))));
        }
        passage
    }

    fn null_column(&mut self, col: ColId) -> Reg {
        match self.columns.ty(col) {
            ColumnType::Sql(ty) => self.b.reg_for(&ty),
            ColumnType::Row => self.b.reg(RegType::Row),
        }
    }

    /// Makes everything that is passed NULL.
    pub fn pass_nulls(&mut self, passage: &Passage) {
        let rows = passage.rows.iter().map(|(row, _)| row.reg);
        for dst in passage.moves.iter().map(|(dst, _)| *dst).chain(rows) {
            self.b.emit(Inst::SetNull { dst });
        }
    }

    /// Binds what was passed, inside the routine.
    pub fn receive(&mut self, passage: &Passage) {
        for &(col, binding) in &passage.bindings {
            self.scope.bind(col, binding);
        }
    }

    /// For each outer row, the inner side.
    pub fn nested_loop(
        &mut self,
        kind: JoinKind,
        outer: &Node,
        inner: &Node,
        predicate: Option<&Pred>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let wanted = self.columns.wanted_from(inner);
        self.produce(outer, &mut |l| {
            l.touch_for(inner)?;
            l.touch_pred(predicate)?;
            match kind {
                JoinKind::Inner => l.produce(inner, &mut |l| {
                    let skip = l.b.label();
                    l.unless_jump_opt(predicate, skip)?;
                    consume(l)?;
                    l.b.place(skip);
                    Ok(())
                }),
                JoinKind::LeftOuter => l.nested_left(inner, predicate, &wanted, consume),
                JoinKind::Semi => {
                    let (found, next) = (l.b.label(), l.b.label());
                    l.produce(inner, &mut |l| {
                        let skip = l.b.label();
                        l.unless_jump_opt(predicate, skip)?;
                        l.b.jump(found);
                        l.b.place(skip);
                        Ok(())
                    })?;
                    l.b.jump(next);
                    l.b.place(found);
                    consume(l)?;
                    l.b.place(next);
                    Ok(())
                }
                JoinKind::Anti | JoinKind::AntiNullAware => {
                    let next = l.b.label();
                    l.produce(inner, &mut |l| {
                        let skip = l.b.label();
                        match (kind, predicate) {
                            (JoinKind::AntiNullAware, Some(p)) => l.if_false_jump(p, skip)?,
                            _ => l.unless_jump_opt(predicate, skip)?,
                        }
                        l.b.jump(next);
                        l.b.place(skip);
                        Ok(())
                    })?;
                    consume(l)?;
                    l.b.place(next);
                    Ok(())
                }
                JoinKind::RightOuter | JoinKind::FullOuter => {
                    Err(ir::internal("a nested loop cannot be a right or full join"))
                }
            }
        })
    }

    fn nested_left(
        &mut self,
        inner: &Node,
        predicate: Option<&Pred>,
        wanted: &[ColId],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let routine = self.routine();
        let matched = self.b.reg(RegType::I64);
        self.b.emit(Inst::Int { dst: matched, value: 0 });
        let mut passage = None;
        self.produce(inner, &mut |l| {
            let skip = l.b.label();
            l.unless_jump_opt(predicate, skip)?;
            l.b.emit(Inst::Int { dst: matched, value: 1 });
            passage = Some(l.passage(wanted, true));
            l.enter_routine(&routine);
            l.b.place(skip);
            Ok(())
        })?;
        let passage = passage.unwrap_or_else(|| self.empty_passage(wanted));
        self.left_unmatched(matched, &passage, &routine);
        self.write_routine(routine, |l| {
            l.receive(&passage);
            consume(l)
        })
    }

    /// If nothing has matched, enters the routine with NULLs.
    pub fn left_unmatched(&mut self, matched: Reg, passage: &Passage, routine: &Routine) {
        let over = self.b.label();
        let to = over.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: matched, value: 0, to });
        self.pass_nulls(passage);
        self.enter_routine(routine);
        self.b.place(over);
    }

    pub fn unless_jump_opt(&mut self, pred: Option<&Pred>, otherwise: Label) -> SqlResult<()> {
        pred.map_or(Ok(()), |p| self.unless_jump(p, otherwise))
    }

    pub fn touch_pred(&mut self, pred: Option<&Pred>) -> SqlResult<()> {
        let mut cols = Vec::new();
        if let Some(pred) = pred {
            uses_in_pred(pred, &mut |col| cols.push(col));
        }
        cols.into_iter().try_for_each(|col| self.touch(col))
    }

    /// The type under which a column is kept in worktables, sorters and hash tables.
    pub fn stored_type(&self, col: ColId) -> SqlType {
        match self.columns.ty(col) {
            ColumnType::Sql(ty) => ty,
            ColumnType::Row => row_type(),
        }
    }

    /// `NOT IN` with more than one key, or a further condition: every build row is looked at.
    pub fn anti_by_list(&mut self, join: &HashJoin<'_>, consume: Consume<'_>) -> SqlResult<()> {
        let mut conditions: Vec<Pred> = (join.keys.iter())
            .map(|(a, b)| match join.null_equal {
                true => Pred::NotDistinct(a.clone(), b.clone()),
                false => Pred::Compare(CompareOp::Eq, a.clone(), b.clone()),
            })
            .collect();
        conditions.extend(join.residual.cloned());
        let condition = Pred::And(conditions);
        let mut wanted = Vec::new();
        uses_in_pred(&condition, &mut |col| wanted.push(col));
        let built = crate::plan::walk::outputs(join.build);
        wanted.retain(|col| built.contains(col));
        wanted.sort_unstable();
        wanted.dedup();
        let types: Vec<SqlType> = wanted.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        self.b.emit(Inst::WorkClear { work });
        self.produce(join.build, &mut |l| l.push_columns(work, &wanted))?;
        self.produce(join.probe, &mut |l| {
            let next = l.b.label();
            l.touch_pred(Some(&condition))?;
            l.scan_work(work, &mut |l, row| {
                l.bind_row(row, layout, &wanted);
                let skip = l.b.label();
                l.if_false_jump(&condition, skip)?;
                l.b.jump(next);
                l.b.place(skip);
                Ok(())
            })?;
            consume(l)?;
            l.b.place(next);
            Ok(())
        })
    }

    /// Adds a row of these columns to a worktable.
    pub fn push_columns(&mut self, work: ObjId, columns: &[ColId]) -> SqlResult<()> {
        let regs: Vec<Reg> = self.stored_regs(columns)?.iter().map(|v| v.reg).collect();
        let list = self.b.list(&regs);
        self.b.emit(Inst::WorkPush { work, list });
        Ok(())
    }

    /// Binds columns to a row that has them in this order.
    pub fn bind_row(&mut self, row: Reg, layout: u16, columns: &[ColId]) {
        for (at, &col) in columns.iter().enumerate() {
            let row = Val::new(row);
            let binding = Binding::Stored { row, layout, column: at as u16, nullable: true };
            self.scope.bind(col, binding);
        }
    }
}

/// The type that references to rows are kept under: 16 bytes.
pub fn row_type() -> SqlType {
    SqlType::uniqueidentifier()
}

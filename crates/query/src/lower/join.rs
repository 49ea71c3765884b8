//! Joins.

use base::{SqlResult, SqlType};

use crate::ir::builder::Label;
use crate::ir::inst::{Inst, Reg, RegType};
use crate::ir::key::KeyShape;
use crate::ir::object::{HashDesc, KeyPart, ObjId, ObjectDesc, WorkDesc};
use crate::lower::columns::{ColumnType, uses_in_pred};
use crate::lower::expr::NullTo;
use crate::lower::scope::{Binding, Val};
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, CompareOp, Expr, Pred};
use crate::plan::tree::{JoinKind, Node};

/// The parts of a [`Node::HashJoin`].
pub struct HashJoin<'p> {
    pub kind: JoinKind,
    pub probe: &'p Node,
    pub build: &'p Node,
    pub keys: &'p [(Expr, Expr)],
    pub null_equal: bool,
    pub residual: Option<&'p Pred>,
}

/// How the columns of one side of an outer join reach the routine behind it: rows in the registers
/// that they are in, values in registers of their own. All of them can be made NULL.
#[derive(Debug, Default)]
pub struct Passage {
    moves: Vec<(Reg, Reg)>,
    rows: Vec<Reg>,
    bindings: Vec<(ColId, Binding)>,
}

/// A routine: code that is entered from several places.
pub struct Routine {
    link: Reg,
    entry: Label,
}

impl Lowering {
    /// A routine, to be written by [`Lowering::write_routine`].
    pub fn routine(&mut self) -> Routine {
        Routine { link: self.b.reg(RegType::I64), entry: self.b.label() }
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
        body(self)?;
        self.leave(outside);
        self.b.emit(Inst::Return { link: routine.link });
        self.b.place(end);
        Ok(())
    }

    /// Prepares to pass these columns, as they are bound now, to a routine.
    pub fn passage(&mut self, cols: &[ColId]) -> Passage {
        let mut passage = Passage::default();
        for &col in cols {
            match self.scope.get(col) {
                Some(Binding::Stored { row, layout, column, nullable }) => {
                    if !passage.rows.contains(&row.reg) {
                        passage.rows.push(row.reg);
                    }
                    let row = Val::nullable(row.reg);
                    let binding = Binding::Stored { row, layout, column, nullable };
                    passage.bindings.push((col, binding));
                }
                Some(Binding::Value(val)) => {
                    let dst = self.b.reg(self.b.unit.reg_type(val.reg));
                    passage.moves.push((dst, val.reg));
                    passage.bindings.push((col, Binding::Value(Val::nullable(dst))));
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
    fn empty_passage(&mut self, cols: &[ColId]) -> Passage {
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
    fn pass_nulls(&mut self, passage: &Passage) {
        for &dst in passage.moves.iter().map(|(dst, _)| dst).chain(&passage.rows) {
            self.b.emit(Inst::SetNull { dst });
        }
    }

    /// Binds what was passed, inside the routine.
    fn receive(&mut self, passage: &Passage) {
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
                    Err(super::scope::internal("a nested loop cannot be a right or full join"))
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
            passage = Some(l.passage(wanted));
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
    fn left_unmatched(&mut self, matched: Reg, passage: &Passage, routine: &Routine) {
        let over = self.b.label();
        let to = over.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: matched, value: 0, to });
        self.pass_nulls(passage);
        self.enter_routine(routine);
        self.b.place(over);
    }

    fn unless_jump_opt(&mut self, pred: Option<&Pred>, otherwise: Label) -> SqlResult<()> {
        pred.map_or(Ok(()), |p| self.unless_jump(p, otherwise))
    }

    fn touch_pred(&mut self, pred: Option<&Pred>) -> SqlResult<()> {
        let mut cols = Vec::new();
        if let Some(pred) = pred {
            uses_in_pred(pred, &mut |col| cols.push(col));
        }
        cols.into_iter().try_for_each(|col| self.touch(col))
    }

    /// A join by hashing.
    pub fn hash_join(&mut self, join: &HashJoin<'_>, consume: Consume<'_>) -> SqlResult<()> {
        if join.kind == JoinKind::AntiNullAware
            && (join.keys.len() != 1 || join.residual.is_some() || join.null_equal)
        {
            return self.anti_by_list(join, consume);
        }
        let outside = self.enter();
        let end = self.b.label();
        let hash = self.hash_build(join)?;
        if matches!(join.kind, JoinKind::Inner | JoinKind::Semi | JoinKind::RightOuter) {
            self.b.emit(Inst::HashEmpty { hash: hash.object, to: end.pc() });
        }
        match join.kind {
            JoinKind::Inner | JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware => {
                self.produce(join.probe, &mut |l| l.hash_probe(join, &hash, consume))?;
            }
            JoinKind::LeftOuter => self.produce(join.probe, &mut |l| {
                let routine = l.routine();
                let wanted = hash.passage();
                l.hash_matches(join, &hash, &mut |l| {
                    l.enter_routine(&routine);
                    Ok(())
                })?;
                l.left_unmatched(hash.matched, &wanted, &routine);
                l.write_routine(routine, |l| {
                    l.receive(&wanted);
                    consume(l)
                })
            })?,
            JoinKind::RightOuter | JoinKind::FullOuter => {
                self.hash_right(join, &hash, consume)?;
            }
        }
        self.leave(outside);
        self.b.place(end);
        Ok(())
    }

    /// Fills the hash table.
    fn hash_build(&mut self, join: &HashJoin<'_>) -> SqlResult<HashSide> {
        let wanted = self.columns.wanted_from(join.build);
        let types: Vec<SqlType> = wanted.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let row = self.b.list(&[]);
        let hash = self.b.object(ObjectDesc::Hash(HashDesc {
            build: [].into(),
            probe: [].into(),
            shape: KeyShape::new(join.keys.iter().map(|k| (k.0.ty, false))),
            row,
            layout,
        }));
        let has_null = self.b.reg(RegType::I64);
        self.b.emit(Inst::Int { dst: has_null, value: 0 });
        self.b.emit(Inst::HashClear { hash });
        let keeps_unkeyed = matches!(join.kind, JoinKind::RightOuter | JoinKind::FullOuter);
        let mut nullable = vec![true; wanted.len()];
        self.produce(join.build, &mut |l| {
            let (null, next) = (l.b.label(), l.b.label());
            let vals = l.stored_regs(&wanted)?;
            let mut keys = Vec::with_capacity(join.keys.len());
            for (_, key) in join.keys {
                let reg = match join.null_equal {
                    true => l.expr(key)?.reg,
                    false => l.strict(key, NullTo { dst: None, label: null })?,
                };
                keys.push(KeyPart { reg, ty: key.ty });
            }
            nullable = vals.iter().map(|v| v.nullable).collect();
            let regs: Vec<Reg> = vals.iter().map(|v| v.reg).collect();
            let list = l.b.list(&regs);
            let ObjectDesc::Hash(desc) = &mut l.b.unit.objects[usize::from(hash.0)] else {
                unreachable!("made above");
            };
            (desc.build, desc.row) = (keys.into(), list);
            l.b.emit(Inst::HashPush { hash });
            l.b.jump(next);
            l.b.place(null);
            if keeps_unkeyed {
                l.b.emit(Inst::HashPushUnkeyed { hash });
            } else if join.kind == JoinKind::AntiNullAware {
                l.b.emit(Inst::Int { dst: has_null, value: 1 });
            }
            l.b.place(next);
            Ok(())
        })?;
        let row = self.b.reg(RegType::Row);
        let matched = self.b.reg(RegType::I64);
        Ok(HashSide { object: hash, wanted, nullable, layout, row, matched, has_null })
    }

    /// The type under which a column is kept in worktables, sorters and hash tables.
    pub fn stored_type(&self, col: ColId) -> SqlType {
        match self.columns.ty(col) {
            ColumnType::Sql(ty) => ty,
            ColumnType::Row => row_type(),
        }
    }

    /// For one probe row: a loop over its matches. NULL keys have none.
    fn hash_matches(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        found: &mut dyn FnMut(&mut Lowering) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let outside = self.enter();
        self.touch_pred(join.residual)?;
        let inside = self.enter();
        let none = self.b.label();
        self.b.emit(Inst::Int { dst: hash.matched, value: 0 });
        self.hash_look(join, hash, none)?;
        let object = hash.object;
        let next = |row, mark, done| Inst::HashNext { hash: object, row, mark, done };
        self.loop_into(hash.row, next, &mut |l, row| {
            let skip = l.b.label();
            hash.bind(l, Val::new(row));
            l.unless_jump_opt(join.residual, skip)?;
            l.b.emit(Inst::Int { dst: hash.matched, value: 1 });
            found(l)?;
            l.b.place(skip);
            Ok(())
        })?;
        self.leave(inside);
        self.b.place(none);
        self.leave(outside);
        Ok(())
    }

    /// Computes a probe row's keys and looks for them; leaves if one is NULL.
    fn hash_look(&mut self, join: &HashJoin<'_>, hash: &HashSide, none: Label) -> SqlResult<()> {
        let mut keys = Vec::with_capacity(join.keys.len());
        for (key, _) in join.keys {
            let reg = match join.null_equal {
                true => self.expr(key)?.reg,
                false => self.strict(key, NullTo { dst: None, label: none })?,
            };
            keys.push(KeyPart { reg, ty: key.ty });
        }
        let ObjectDesc::Hash(desc) = &mut self.b.unit.objects[usize::from(hash.object.0)] else {
            unreachable!("hash_build() has made it");
        };
        desc.probe = keys.into();
        self.b.emit(Inst::HashProbe { hash: hash.object });
        Ok(())
    }

    /// One probe row of an inner, semi or anti join.
    fn hash_probe(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let (found, next) = (self.b.label(), self.b.label());
        match join.kind {
            JoinKind::Inner => return self.hash_matches(join, hash, consume),
            JoinKind::Semi => {
                self.hash_matches(join, hash, &mut |l| {
                    l.b.jump(found);
                    Ok(())
                })?;
                self.b.jump(next);
                self.b.place(found);
                consume(self)?;
            }
            JoinKind::AntiNullAware => {
                let pass = self.b.label();
                self.b.emit(Inst::HashEmpty { hash: hash.object, to: pass.pc() });
                let to = next.pc();
                self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: hash.has_null, value: 0, to });
                let outside = self.enter();
                self.hash_look(join, hash, next)?;
                self.leave(outside);
                let mark = self.b.mark();
                self.b.emit(Inst::Mark { mark });
                let (object, row) = (hash.object, hash.row);
                self.b.emit(Inst::HashNext { hash: object, row, mark, done: pass.pc() });
                self.b.jump(next);
                self.b.place(pass);
                // With NULL keys alone the table has no row, but not nothing.
                self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: hash.has_null, value: 0, to });
                consume(self)?;
            }
            _ => {
                self.hash_matches(join, hash, &mut |l| {
                    l.b.jump(next);
                    Ok(())
                })?;
                consume(self)?;
            }
        }
        self.b.place(next);
        Ok(())
    }

    /// A right or full join: matches as they come, then build rows without one.
    fn hash_right(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let wanted = self.columns.wanted_from(join.probe);
        let routine = self.routine();
        let build = hash.passage();
        let object = hash.object;
        let mut probe = None;
        self.produce(join.probe, &mut |l| {
            // The values that the routine gets are the probe row's, so they are passed once per row.
            probe = Some(l.passage(&wanted));
            l.hash_matches(join, hash, &mut |l| {
                l.b.emit(Inst::HashMark { hash: object });
                l.enter_routine(&routine);
                Ok(())
            })?;
            if join.kind == JoinKind::FullOuter {
                l.left_unmatched(hash.matched, &build, &routine);
            }
            Ok(())
        })?;
        let probe = probe.unwrap_or_else(|| self.empty_passage(&wanted));
        self.b.emit(Inst::HashRewind { hash: object });
        self.pass_nulls(&probe);
        let next = |row, mark, done| Inst::HashUnmatched { hash: object, row, mark, done };
        self.loop_into(hash.row, next, &mut |l, _| {
            l.enter_routine(&routine);
            Ok(())
        })?;
        self.write_routine(routine, |l| {
            l.receive(&probe);
            l.receive(&build);
            consume(l)
        })
    }

    /// `NOT IN` with more than one key, or a further condition: every build row is looked at.
    fn anti_by_list(&mut self, join: &HashJoin<'_>, consume: Consume<'_>) -> SqlResult<()> {
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
        let built = crate::lower::columns::outputs(join.build);
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

/// A hash table and how its rows are read.
struct HashSide {
    object: ObjId,
    wanted: Vec<ColId>,
    nullable: Vec<bool>,
    layout: u16,
    row: Reg,
    /// Whether the probe row at hand has a match.
    matched: Reg,
    /// Whether a build row had a NULL key.
    has_null: Reg,
}

impl HashSide {
    fn bindings(&self, row: Val) -> impl Iterator<Item = (ColId, Binding)> + '_ {
        let layout = self.layout;
        (self.wanted.iter().zip(&self.nullable).enumerate()).map(move |(at, (&col, &nullable))| {
            (col, Binding::Stored { row, layout, column: at as u16, nullable })
        })
    }

    fn bind(&self, lowering: &mut Lowering, row: Val) {
        for (col, binding) in self.bindings(row) {
            lowering.scope.bind(col, binding);
        }
    }

    /// The row reaches routines in its own register.
    fn passage(&self) -> Passage {
        let bindings = self.bindings(Val::nullable(self.row)).collect();
        Passage { moves: Vec::new(), rows: vec![self.row], bindings }
    }
}

/// The type that references to rows are kept under: 16 bytes.
pub fn row_type() -> SqlType {
    SqlType::uniqueidentifier()
}

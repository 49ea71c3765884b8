//! Joins by hashing.
//!
//! # The code
//!
//! ```text
//!        for each build row:   HashPush
//!        for each probe row:   HashProbe ── its partition is in files ──▶ HashPutOff
//!                              enter the probe routine
//! again: for each build row without a match (right and full joins): enter the outer routine
//!        HashPartition ── none left ──▶ end
//!        HashReplay: for each row that was put off, back in its registers: enter the probe routine
//!        jump to again
//! ```
//!
//! The **probe routine** goes through the matches of a probe row. Where rows without a match count,
//! what is done with a row is written in the **outer routine**, which both enter.
//!
//! A probe row is put off as its columns' values, so that code which joins it at once does not have
//! to load them. When it is replayed, the rows in which the routine expects them are built anew.

use base::{SqlResult, SqlType};
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};
use ir::key::KeyShape;
use ir::object::{HashDesc, KeyPart, ObjId, ObjectDesc};
use ir::operator::CompareOp;
use ir::site::RowSite;

use crate::lower::columns::ColumnType;
use crate::lower::expr::NullTo;
use crate::lower::join::{Passage, Routine};
use crate::lower::scope::{Binding, Val};
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, Expr, Pred};
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

impl HashJoin<'_> {
    /// Whether probe rows without a match are passed on.
    fn passes_unmatched(&self) -> bool {
        use JoinKind::*;
        matches!(self.kind, LeftOuter | FullOuter | Anti | AntiNullAware)
    }

    /// Whether build rows without a match are passed on.
    fn passes_unmatched_build(&self) -> bool {
        matches!(self.kind, JoinKind::RightOuter | JoinKind::FullOuter)
    }

    fn matches_once(&self) -> bool {
        matches!(self.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::AntiNullAware)
    }
}

/// A hash table and how its rows are read.
struct HashSide {
    object: ObjId,
    wanted: Vec<ColId>,
    nullable: Vec<bool>,
    layout: u16,
    row: Reg,
    /// Whether the current probe row has a match.
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
        let row = Val::nullable(self.row);
        let bindings = self.bindings(row).collect();
        Passage { moves: Vec::new(), rows: vec![(row, self.layout)], bindings }
    }
}

/// The routines of a join.
struct Routines {
    probe: Routine,
    /// The place in the probe routine after the matches, where rows go that can have none.
    unmatched: Label,
    outer: Routine,
}

/// How a probe row is put off: its columns, and whether rows that may be NULL are there.
struct PutOff {
    layout: u16,
    columns: Vec<(ColId, bool)>,
    rows: Vec<Reg>,
}

impl Lowering {
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
        let routines =
            Routines { probe: self.routine(), unmatched: self.b.label(), outer: self.routine() };
        let wanted = self.columns.wanted_beside(join.probe, join.keys.iter().map(|key| &key.0));
        let mut probed = None;
        self.produce(join.probe, &mut |l| {
            let passage = l.passage(&wanted, join.passes_unmatched_build());
            let put_off = l.hash_probe(join, &hash, &wanted, &routines)?;
            probed = Some((passage, put_off));
            Ok(())
        })?;
        let (passage, put_off) = match probed {
            Some((passage, put_off)) => (passage, put_off),
            None => {
                let passage = self.empty_passage(&wanted);
                let layout = self.b.layout_of(&[]);
                (passage, PutOff { layout, columns: Vec::new(), rows: Vec::new() })
            }
        };
        self.hash_away(join, &hash, &routines, &passage, &put_off)?;
        let Routines { probe, unmatched, outer } = routines;
        self.write_routine(probe, |l| {
            l.receive(&passage);
            l.probe_routine(join, &hash, &outer, unmatched, consume)
        })?;
        if matches!(join.kind, JoinKind::LeftOuter | JoinKind::RightOuter | JoinKind::FullOuter) {
            self.write_routine(outer, |l| {
                l.receive(&passage);
                l.receive(&hash.passage());
                consume(l)
            })?;
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
            probe_layout: layout,
            spills: true,
            matches_once: join.matches_once(),
            wants_unmatched: join.passes_unmatched_build(),
        }));
        let has_null = self.b.reg(RegType::I64);
        self.b.emit(Inst::Int { dst: has_null, value: 0 });
        self.b.emit(Inst::HashClear { hash });
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
            let desc = l.hash_desc(hash);
            (desc.build, desc.row) = (keys.into(), list);
            l.b.emit(Inst::HashPush { hash });
            l.b.jump(next);
            l.b.place(null);
            if join.passes_unmatched_build() {
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

    fn hash_desc(&mut self, hash: ObjId) -> &mut HashDesc {
        match &mut self.b.unit.objects[usize::from(hash.0)] {
            ObjectDesc::Hash(desc) => desc,
            _ => unreachable!("hash_build() has made it"),
        }
    }

    /// One probe row: it is looked up, or put off.
    fn hash_probe(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        wanted: &[ColId],
        routines: &Routines,
    ) -> SqlResult<PutOff> {
        let (away, next) = (self.b.label(), self.b.label());
        let unmatched = if join.passes_unmatched() { self.b.label() } else { next };
        self.b.emit(Inst::Int { dst: hash.matched, value: 0 });
        let mut null = unmatched;
        if join.kind == JoinKind::AntiNullAware {
            // Nothing is unknown about a list without any row. Else NULL may be in it, and is it.
            self.b.emit(Inst::HashEmpty { hash: hash.object, to: unmatched.pc() });
            let to = next.pc();
            self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: hash.has_null, value: 0, to });
            null = next;
        }
        let inside = self.enter();
        let mut keys = Vec::with_capacity(join.keys.len());
        for (key, _) in join.keys {
            let reg = match join.null_equal {
                true => self.expr(key)?.reg,
                false => self.strict(key, NullTo { dst: None, label: null })?,
            };
            keys.push(KeyPart { reg, ty: key.ty });
        }
        self.hash_desc(hash.object).probe = keys.into();
        self.b.emit(Inst::HashProbe { hash: hash.object, away: away.pc() });
        self.leave(inside);
        self.enter_routine(&routines.probe);
        self.b.jump(next);
        self.b.place(away);
        let put_off = self.put_off(hash.object, wanted)?;
        if join.passes_unmatched() {
            self.b.jump(next);
            self.b.place(unmatched);
            if join.kind == JoinKind::AntiNullAware {
                // With NULL keys alone the table has no row, but not nothing.
                let to = next.pc();
                self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: hash.has_null, value: 0, to });
            }
            let (link, to) = (routines.probe.link, routines.unmatched.pc());
            self.b.emit(Inst::Gosub { link, to });
        }
        self.b.place(next);
        Ok(put_off)
    }

    /// Puts the current probe row off.
    fn put_off(&mut self, hash: ObjId, wanted: &[ColId]) -> SqlResult<PutOff> {
        let inside = self.enter();
        let bound: Vec<ColId> =
            wanted.iter().copied().filter(|&col| self.scope.get(col).is_some()).collect();
        let mut rows: Vec<Reg> = Vec::new();
        for &col in &bound {
            if let Some(Binding::Stored { row: Val { reg, nullable: true }, .. }) =
                self.scope.get(col)
                && !rows.contains(&reg)
            {
                rows.push(reg);
            }
        }
        let vals = self.stored_regs(&bound)?;
        let mut regs: Vec<Reg> = vals.iter().map(|val| val.reg).collect();
        regs.extend(rows.iter().map(|&row| self.is_there(row)));
        let mut types: Vec<SqlType> = bound.iter().map(|&col| self.stored_type(col)).collect();
        types.extend(rows.iter().map(|_| SqlType::int()));
        let layout = self.b.layout_of(&types);
        self.hash_desc(hash).probe_layout = layout;
        let list = self.b.list(&regs);
        self.b.emit(Inst::HashPutOff { hash, list });
        self.leave(inside);
        let columns = bound.into_iter().zip(vals.iter().map(|val| val.nullable)).collect();
        Ok(PutOff { layout, columns, rows })
    }

    /// 1, or NULL if a row is.
    fn is_there(&mut self, row: Reg) -> Reg {
        let (dst, end) = (self.b.reg(RegType::I64), self.b.label());
        self.b.emit(Inst::Guard { dst, a: row, to: end.pc() });
        self.b.emit(Inst::Int { dst, value: 1 });
        self.b.place(end);
        dst
    }

    /// What comes when all probe rows have been seen.
    fn hash_away(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        routines: &Routines,
        passage: &Passage,
        put_off: &PutOff,
    ) -> SqlResult<()> {
        let object = hash.object;
        let done = self.b.label();
        let again = self.b.here();
        if join.passes_unmatched_build() {
            self.b.emit(Inst::HashRewind { hash: object });
            self.pass_nulls(passage);
            let next = |row, mark, done| Inst::HashUnmatched { hash: object, row, mark, done };
            self.loop_into(hash.row, next, &mut |l, _| {
                l.enter_routine(&routines.outer);
                Ok(())
            })?;
        }
        self.b.emit(Inst::HashPartition { hash: object, done: done.pc() });
        let matched = hash.matched;
        self.b.emit(Inst::Int { dst: matched, value: 0 });
        self.pass_nulls_unbound(passage);
        let nothing = self.nothing(passage);
        let next = |row, mark, done| Inst::HashReplay { hash: object, row, matched, mark, done };
        self.loop_rows(next, &mut |l, row| {
            l.restore(row, passage, put_off, &nothing);
            l.enter_routine(&routines.probe);
            Ok(())
        })?;
        self.b.jump(again);
        self.b.place(done);
        Ok(())
    }

    /// Columns that are not known below have no value.
    fn pass_nulls_unbound(&mut self, passage: &Passage) {
        for &(dst, src) in &passage.moves {
            if dst == src {
                self.b.emit(Inst::SetNull { dst });
            }
        }
    }

    /// NULL for each type of register that the rows of a passage have columns of.
    fn nothing(&mut self, passage: &Passage) -> Vec<(RegType, Reg)> {
        let mut nothing: Vec<(RegType, Reg)> = Vec::new();
        for &(_, layout) in &passage.rows {
            for column in self.b.unit.layouts[usize::from(layout)].clone().columns() {
                let ty = RegType::of(&column.ty);
                if !nothing.iter().any(|(known, _)| *known == ty) {
                    let dst = self.b.reg(ty);
                    self.b.emit(Inst::SetNull { dst });
                    nothing.push((ty, dst));
                }
            }
        }
        nothing
    }

    /// Puts a row that was put off back into the registers of a passage.
    fn restore(
        &mut self,
        from: Reg,
        passage: &Passage,
        put_off: &PutOff,
        nothing: &[(RegType, Reg)],
    ) {
        let layout = put_off.layout;
        let mut loaded: Vec<(Reg, u16, Reg)> = Vec::new();
        for (at, &(col, nullable)) in (0..).zip(&put_off.columns) {
            let binding = passage.bindings.iter().find(|(bound, _)| *bound == col);
            let is_row = self.columns.ty(col) == ColumnType::Row;
            match binding {
                Some((_, Binding::Value(val))) => {
                    let inst = self.load_inst(val.reg, from, layout, at, nullable, is_row);
                    self.b.emit(inst);
                }
                Some((_, Binding::Stored { row, column, .. })) => {
                    let val = self.load(Val::new(from), layout, at, nullable, is_row);
                    loaded.push((row.reg, *column, val.reg));
                }
                None => {}
            }
        }
        for &(row, layout) in &passage.rows {
            let end = self.b.label();
            if let Some(at) = put_off.rows.iter().position(|reg| *reg == row.reg) {
                let column = (put_off.columns.len() + at) as u16;
                let flag = self.load(Val::new(from), put_off.layout, column, true, false).reg;
                self.b.emit(Inst::Guard { dst: row.reg, a: flag, to: end.pc() });
            }
            let columns = self.b.unit.layouts[usize::from(layout)].clone();
            let regs: Vec<Reg> = (0..)
                .zip(columns.columns())
                .map(|(at, column): (u16, _)| {
                    let known = loaded.iter().find(|l| (l.0, l.1) == (row.reg, at));
                    let null = || nothing.iter().find(|n| n.0 == RegType::of(&column.ty));
                    known.map(|l| l.2).or_else(|| null().map(|n| n.1))
                })
                .map(|reg| reg.expect("nothing() has one for each type"))
                .collect();
            let columns = self.b.list(&regs);
            self.b.unit.rows.push(RowSite { layout, columns });
            let site = (self.b.unit.rows.len() - 1) as u32;
            let bytes = self.b.reg(RegType::Bytes);
            self.b.emit(Inst::BuildRow { dst: bytes, site });
            self.b.emit(Inst::BytesRow { dst: row.reg, bytes });
            self.b.place(end);
        }
    }

    /// The matches of a probe row that has been looked up.
    fn probe_routine(
        &mut self,
        join: &HashJoin<'_>,
        hash: &HashSide,
        outer: &Routine,
        unmatched: Label,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let (found, end) = (self.b.label(), self.b.label());
        let outside = self.enter();
        self.touch_pred(join.residual)?;
        let object = hash.object;
        let next = |row, mark, done| Inst::HashNext { hash: object, row, mark, done };
        self.loop_into(hash.row, next, &mut |l, row| {
            let skip = l.b.label();
            hash.bind(l, Val::new(row));
            l.unless_jump_opt(join.residual, skip)?;
            l.b.emit(Inst::Int { dst: hash.matched, value: 1 });
            match join.kind {
                JoinKind::Inner => consume(l)?,
                JoinKind::Semi => l.b.jump(found),
                JoinKind::Anti | JoinKind::AntiNullAware => l.b.jump(end),
                JoinKind::LeftOuter => l.enter_routine(outer),
                JoinKind::RightOuter | JoinKind::FullOuter => {
                    l.b.emit(Inst::HashMark { hash: object });
                    l.enter_routine(outer);
                }
            }
            l.b.place(skip);
            Ok(())
        })?;
        self.leave(outside);
        self.b.place(unmatched);
        match join.kind {
            JoinKind::Inner | JoinKind::RightOuter => self.b.place(found),
            JoinKind::Semi => {
                self.b.jump(end);
                self.b.place(found);
                consume(self)?;
            }
            JoinKind::Anti | JoinKind::AntiNullAware => {
                self.b.place(found);
                let (a, to) = (hash.matched, end.pc());
                self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a, value: 0, to });
                consume(self)?;
            }
            JoinKind::LeftOuter | JoinKind::FullOuter => {
                self.b.place(found);
                self.left_unmatched(hash.matched, &hash.passage(), outer);
            }
        }
        self.b.place(end);
        Ok(())
    }
}

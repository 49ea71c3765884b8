//! Plans inside expressions.
//!
//! A correlated one is lowered where it stands and runs for every row. One that is not is evaluated
//! the first time it is needed: a register says whether that has happened.

use base::{SqlError, SqlResult, SqlType, message};
use ir::builder::Label;
use ir::inst::{Inst, MarkId, Reg, RegType};
use ir::key::KeyShape;
use ir::object::{
    AccessDesc, HashDesc, KeyPart, LocalCursorDesc, LocalSource, ObjId, ObjectDesc, WorkDesc,
};
use ir::operator::CompareOp;

use crate::lower::columns::uses_in_node;
use crate::lower::expr::NullTo;
use crate::lower::pred::Ways;
use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{Expr, Subquery};
use crate::plan::tree::Node;

/// A flag that is 0 until something has been done once.
pub struct Once {
    flag: Reg,
    done: Label,
}

impl Lowering {
    /// Goes on the first time, and jumps to what [`Lowering::once_done`] places afterwards.
    pub fn once(&mut self) -> Once {
        let flag = self.b.reg(RegType::I64);
        self.b.in_prologue(|b| b.emit(Inst::Int { dst: flag, value: 0 }));
        let done = self.b.label();
        let to = done.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: flag, value: 0, to });
        Once { flag, done }
    }

    pub fn once_done(&mut self, once: Once) {
        self.b.emit(Inst::Int { dst: once.flag, value: 1 });
        self.b.place(once.done);
    }

    /// Loads the columns from outside that a plan uses, since it uses them in loops.
    pub fn touch_for(&mut self, node: &Node) -> SqlResult<()> {
        let mut cols = Vec::new();
        uses_in_node(node, &mut |col| cols.push(col));
        cols.into_iter().try_for_each(|col| self.touch(col))
    }

    /// Computes a scalar subquery's value in `dst`. Returns whether it may be NULL (it may).
    pub fn scalar_subquery(
        &mut self,
        subquery: &Subquery,
        ty: &SqlType,
        dst: Reg,
    ) -> SqlResult<bool> {
        let outside = self.enter();
        if subquery.correlated {
            self.touch_for(&subquery.plan)?;
            let inside = self.enter();
            self.one_value(subquery, dst, false)?;
            self.leave(inside);
            return Ok(true);
        }
        // The value must outlive the loops around the first use, so it has a register of its own,
        // defined from the start.
        let kept = self.b.reg_for(ty);
        self.b.in_prologue(|b| b.emit(Inst::SetNull { dst: kept }));
        let once = self.once();
        self.one_value(subquery, kept, true)?;
        self.once_done(once);
        self.leave(outside);
        self.b.emit(Inst::Move { dst, src: kept });
        Ok(true)
    }

    /// Runs a subquery's plan for its one value. `keep` it for the rest of the statement, or until
    /// the next turn of a surrounding loop.
    fn one_value(&mut self, subquery: &Subquery, dst: Reg, keep: bool) -> SqlResult<()> {
        self.b.emit(Inst::SetNull { dst });
        let first_mark = self.b.unit.marks;
        let single = yields_one_row(&subquery.plan);
        let found = (!single).then(|| {
            let found = self.b.reg(RegType::I64);
            self.b.emit(Inst::Int { dst: found, value: 0 });
            found
        });
        let is_bytes = self.b.unit.reg_type(dst) == RegType::Bytes;
        self.produce_again(&subquery.plan, &mut |l| {
            if let Some(found) = found {
                let first = l.b.label();
                let to = first.pc();
                l.b.emit(Inst::JumpImm { op: CompareOp::Eq, a: found, value: 0, to });
                l.b.raise(SqlError::new(&message::SUBQUERY_MORE_THAN_ONE_ROW, &[]));
                l.b.place(first);
                l.b.emit(Inst::Int { dst: found, value: 1 });
            }
            let val = l.column(subquery.column)?;
            if is_bytes && keep {
                l.b.emit(Inst::Keep { dst, src: val.reg });
            } else {
                l.b.emit(Inst::Move { dst, src: val.reg });
                if is_bytes {
                    l.move_marks(first_mark);
                }
            }
            Ok(())
        })
    }

    /// The loops of a plan give back, with each turn, what the arena got since their marks. A value
    /// found inside them that is used after them must not be among that, so all marks of the plan
    /// are moved after it.
    fn move_marks(&mut self, first: u16) {
        for mark in first..self.b.unit.marks {
            self.b.emit(Inst::Mark { mark: MarkId(mark) });
        }
    }

    /// `EXISTS`.
    pub fn exists(&mut self, subquery: &Subquery, ways: Ways) -> SqlResult<()> {
        if subquery.correlated {
            self.touch_for(&subquery.plan)?;
            let inside = self.enter();
            self.produce_again(&subquery.plan, &mut |l| {
                l.b.jump(ways.yes);
                Ok(())
            })?;
            self.leave(inside);
            self.go_to(ways.no, ways);
            return Ok(());
        }
        let result = self.b.reg(RegType::I64);
        self.b.in_prologue(|b| b.emit(Inst::Int { dst: result, value: 0 }));
        let outside = self.enter();
        let once = self.once();
        let end = self.b.label();
        self.produce_again(&subquery.plan, &mut |l| {
            l.b.emit(Inst::Int { dst: result, value: 1 });
            l.b.jump(end);
            Ok(())
        })?;
        self.b.place(end);
        self.once_done(once);
        self.leave(outside);
        let to = ways.yes.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: result, value: 0, to });
        self.go_to(ways.no, ways);
        Ok(())
    }

    /// `left op ANY (subquery)` or `ALL`.
    pub fn quantified(
        &mut self,
        op: CompareOp,
        all: bool,
        left: &Expr,
        subquery: &Subquery,
        ways: Ways,
    ) -> SqlResult<()> {
        let left_val = self.expr(left)?;
        if subquery.correlated {
            self.touch_for(&subquery.plan)?;
        }
        let inside = self.enter();
        let mut q = Quantified { op, all, left: left_val, ty: left.ty, ways, unknown: None };
        if ways.unknown != q.undecided() {
            let unknown = self.b.reg(RegType::I64);
            self.b.emit(Inst::Int { dst: unknown, value: 0 });
            q.unknown = Some(unknown);
        }
        if subquery.correlated {
            self.produce_again(&subquery.plan, &mut |l| {
                let right = l.column(subquery.column)?;
                l.quantified_row(&q, right);
                Ok(())
            })?;
        } else if matches!((op, all), (CompareOp::Eq, false) | (CompareOp::Ne, true)) {
            self.quantified_by_hash(&q, subquery)?;
        } else {
            self.quantified_by_list(&q, subquery)?;
        }
        self.leave(inside);
        if let Some(unknown) = q.unknown {
            let to = ways.unknown.pc();
            self.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: unknown, value: 0, to });
        }
        self.go_to(q.undecided(), ways);
        Ok(())
    }

    /// Compares with one row of the subquery.
    fn quantified_row(&mut self, q: &Quantified, right: Val) {
        let (next, null) = (self.b.label(), self.b.label());
        for val in [q.left, right] {
            if val.nullable {
                self.guard(val.reg, NullTo { dst: None, label: null });
            }
        }
        let ways = match q.all {
            true => Ways { yes: next, no: q.ways.no, unknown: null, fall_yes: true },
            false => Ways { yes: q.ways.yes, no: next, unknown: null, fall_yes: false },
        };
        self.compare_regs(q.op, q.left.reg, right.reg, &q.ty, ways);
        self.b.jump(next);
        self.b.place(null);
        if let Some(unknown) = q.unknown {
            self.b.emit(Inst::Int { dst: unknown, value: 1 });
        }
        self.b.place(next);
    }

    /// The rows are collected once; each use looks through them.
    fn quantified_by_list(&mut self, q: &Quantified, subquery: &Subquery) -> SqlResult<()> {
        let layout = self.b.layout_of(&[q.ty]);
        let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        let once = self.once();
        self.b.emit(Inst::WorkClear { work });
        self.collect_column(subquery, work)?;
        self.once_done(once);
        self.scan_work(work, &mut |l, row| {
            let right = l.load(Val::new(row), layout, 0, true, false);
            l.quantified_row(q, right);
            Ok(())
        })
    }

    fn collect_column(&mut self, subquery: &Subquery, work: ObjId) -> SqlResult<()> {
        let inside = self.enter();
        self.produce_again(&subquery.plan, &mut |l| {
            let val = l.column(subquery.column)?;
            let list = l.b.list(&[val.reg]);
            l.b.emit(Inst::WorkPush { work, list });
            Ok(())
        })?;
        self.leave(inside);
        Ok(())
    }

    /// Equality with one of the rows: they are hashed once.
    fn quantified_by_hash(&mut self, q: &Quantified, subquery: &Subquery) -> SqlResult<()> {
        let layout = self.b.layout_of(&[]);
        let build = self.b.reg_for(&q.ty);
        let row = self.b.list(&[]);
        let hash = self.b.object(ObjectDesc::Hash(HashDesc {
            build: [KeyPart { reg: build, ty: q.ty }].into(),
            probe: [KeyPart { reg: q.left.reg, ty: q.ty }].into(),
            shape: KeyShape::of(&[q.ty]),
            row,
            layout,
            probe_layout: layout,
            spills: false,
            matches_once: true,
            wants_unmatched: false,
        }));
        let has_null = self.b.reg(RegType::I64);
        self.b.in_prologue(|b| b.emit(Inst::Int { dst: has_null, value: 0 }));
        let once = self.once();
        self.b.emit(Inst::HashClear { hash });
        let inside = self.enter();
        self.produce_again(&subquery.plan, &mut |l| {
            let (null, next) = (l.b.label(), l.b.label());
            let val = l.column(subquery.column)?;
            if val.nullable {
                l.guard(val.reg, NullTo { dst: None, label: null });
            }
            l.b.emit(Inst::Move { dst: build, src: val.reg });
            l.b.emit(Inst::HashPush { hash });
            l.b.jump(next);
            l.b.place(null);
            l.b.emit(Inst::HashPushUnkeyed { hash });
            l.b.emit(Inst::Int { dst: has_null, value: 1 });
            l.b.place(next);
            Ok(())
        })?;
        self.leave(inside);
        self.once_done(once);
        // Not a row: undecided whatever the left side is.
        let (end, null) = (self.b.label(), self.b.label());
        self.b.emit(Inst::HashEmpty { hash, to: end.pc() });
        if q.left.nullable {
            self.guard(q.left.reg, NullTo { dst: None, label: null });
        }
        let found = if q.all { q.ways.no } else { q.ways.yes };
        let none = self.b.label();
        self.b.emit(Inst::HashProbe { hash, away: none.pc() });
        let mark = self.b.mark();
        self.b.emit(Inst::Mark { mark });
        let row = self.b.reg(RegType::Row);
        self.b.emit(Inst::HashNext { hash, row, mark, done: none.pc() });
        self.b.jump(found);
        self.b.place(none);
        if let Some(unknown) = q.unknown {
            self.b.emit(Inst::Move { dst: unknown, src: has_null });
        }
        self.b.jump(end);
        self.b.place(null);
        if let Some(unknown) = q.unknown {
            self.b.emit(Inst::Int { dst: unknown, value: 1 });
        }
        self.b.place(end);
        Ok(())
    }

    /// [`Lowering::produce`] of what may be run more than once, and whose rows may outlive that.
    fn produce_again(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        self.loops += 1;
        let produced = self.produce(node, consume);
        self.loops -= 1;
        produced
    }

    /// A loop over the rows of a worktable.
    pub fn scan_work(
        &mut self,
        work: ObjId,
        body: &mut dyn FnMut(&mut Lowering, Reg) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let desc = LocalCursorDesc {
            source: LocalSource::Work(work),
            access: AccessDesc::Full { index: None },
        };
        let cursor = self.b.object(ObjectDesc::LocalCursor(desc));
        self.b.emit(Inst::LocalOpen { cursor });
        self.loop_rows(|row, mark, done| Inst::LocalNext { cursor, row, mark, done }, body)
    }

    fn go_to(&mut self, to: Label, ways: Ways) {
        let next = if ways.fall_yes { ways.yes } else { ways.no };
        if to != next {
            self.b.jump(to);
        }
    }
}

/// What a quantified comparison is about.
struct Quantified {
    op: CompareOp,
    all: bool,
    left: Val,
    ty: SqlType,
    ways: Ways,
    /// Set when a comparison was unknown, where that matters.
    unknown: Option<Reg>,
}

impl Quantified {
    /// Where the code goes on when no row has decided.
    fn undecided(&self) -> Label {
        if self.all { self.ways.yes } else { self.ways.no }
    }
}

/// Whether a plan yields exactly one row, or at most one that is certain to be the only one.
fn yields_one_row(node: &Node) -> bool {
    match node {
        Node::OneRow => true,
        Node::Values { rows, .. } => rows.len() <= 1,
        Node::Aggregate { groups, grouping_sets, .. } => {
            groups.is_empty() && grouping_sets.len() <= 1
        }
        Node::Filter { input, .. } | Node::Compute { input, .. } => yields_one_row(input),
        Node::Sort { input, .. } => yields_one_row(input),
        _ => false,
    }
}

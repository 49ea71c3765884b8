//! `ORDER BY`, `TOP`, `OFFSET … FETCH`.

use base::{SqlError, SqlResult, SqlType, Value, message};
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};
use ir::object::{AccessDesc, LocalCursorDesc, LocalSource, ObjectDesc, Order, SortDesc, WorkDesc};
use ir::operator::CompareOp;

use crate::lower::columns::ColumnType;
use crate::lower::expr::NullTo;
use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering};
use crate::plan::expr::{ColId, Expr, SortKey};
use crate::plan::tree::Node;

impl Lowering {
    /// Rows in order.
    pub fn sort(
        &mut self,
        input: &Node,
        keys: &[SortKey],
        limit: Option<&Expr>,
        columns: &[ColId],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let types: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let row = self.b.list(&[]);
        let sort = self.b.object(ObjectDesc::Sort(SortDesc { order: Order::none(), row, layout }));
        let outside = self.enter();
        let limit = match limit {
            Some(limit) => Some(self.row_count(limit)?),
            None => None,
        };
        self.b.emit(Inst::SortClear { sort, limit });
        self.produce(input, &mut |l| {
            let order = Order::new(l.order_keys(keys)?);
            let regs: Vec<Reg> = l.stored_regs(columns)?.iter().map(|v| v.reg).collect();
            let list = l.b.list(&regs);
            l.b.unit.objects[usize::from(sort.0)] =
                ObjectDesc::Sort(SortDesc { order, row: list, layout });
            l.b.emit(Inst::SortPush { sort });
            Ok(())
        })?;
        self.b.emit(Inst::SortFinish { sort });
        let next = |row, mark, done| Inst::SortNext { sort, row, mark, done };
        self.loop_rows(next, &mut |l, row| {
            l.bind_row(row, layout, columns);
            consume(l)
        })?;
        self.leave(outside);
        Ok(())
    }

    /// A number that is not NULL and at least `min`.
    fn at_least(
        &mut self,
        number: &Expr,
        min: i32,
        null: &message::Message,
        small: &message::Message,
    ) -> SqlResult<Reg> {
        let (is_null, end) = (self.b.label(), self.b.label());
        let reg = self.strict(number, NullTo { dst: None, label: is_null })?;
        self.b.emit(Inst::JumpImm { op: CompareOp::Ge, a: reg, value: min, to: end.pc() });
        self.b.raise(SqlError::new(small, &[]));
        self.b.place(is_null);
        self.b.raise(SqlError::new(null, &[]));
        self.b.place(end);
        Ok(reg)
    }

    /// A number of rows.
    fn row_count(&mut self, count: &Expr) -> SqlResult<Reg> {
        self.at_least(count, 0, &message::TOP_OR_FETCH_INVALID, &message::TOP_NEGATIVE)
    }

    /// The first rows.
    pub fn top(
        &mut self,
        input: &Node,
        count: &Expr,
        percent: bool,
        ties: Option<&[ColId]>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let outside = self.enter();
        if percent {
            self.top_percent(input, count, ties, consume)?;
        } else {
            let count = self.row_count(count)?;
            self.first_rows(input, count, ties, consume)?;
        }
        self.leave(outside);
        Ok(())
    }

    /// As many rows as a register says, and their equals if `ties` are given.
    fn first_rows(
        &mut self,
        input: &Node,
        count: Reg,
        ties: Option<&[ColId]>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let end = self.b.label();
        let left = self.counter(count);
        self.b.emit(Inst::JumpImm { op: CompareOp::Le, a: left, value: 0, to: end.pc() });
        match ties {
            None => self.produce(input, &mut |l| {
                consume(l)?;
                l.decrement(left);
                l.b.emit(Inst::JumpImm { op: CompareOp::Le, a: left, value: 0, to: end.pc() });
                Ok(())
            })?,
            Some(ties) => self.with_ties(input, left, ties, end, consume)?,
        }
        self.b.place(end);
        Ok(())
    }

    fn decrement(&mut self, reg: Reg) {
        self.b.emit(Inst::Step { dst: reg, a: reg, by: -1 });
    }

    /// The last row that counts is put aside; what follows is compared with it.
    fn with_ties(
        &mut self,
        input: &Node,
        left: Reg,
        ties: &[ColId],
        end: Label,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let types: Vec<SqlType> = ties.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let last = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        let desc = LocalCursorDesc {
            source: LocalSource::Work(last),
            access: AccessDesc::Full { index: None },
        };
        let cursor = self.b.object(ObjectDesc::LocalCursor(desc));
        self.produce(input, &mut |l| {
            let (pass, over) = (l.b.label(), l.b.label());
            for &col in ties {
                l.touch(col)?;
            }
            l.b.emit(Inst::JumpImm { op: CompareOp::Gt, a: left, value: 0, to: pass.pc() });
            let inside = l.enter();
            let mark = l.b.mark();
            l.b.emit(Inst::Mark { mark });
            l.b.emit(Inst::LocalOpen { cursor });
            let row = l.b.reg(RegType::Row);
            l.b.emit(Inst::LocalNext { cursor, row, mark, done: end.pc() });
            for (at, (&col, ty)) in ties.iter().zip(&types).enumerate() {
                let here = l.column(col)?;
                let there = l.load(
                    Val::new(row),
                    layout,
                    at as u16,
                    true,
                    l.columns.ty(col) == ColumnType::Row,
                );
                l.unless_same(here, there, ty, end);
            }
            l.leave(inside);
            l.b.place(pass);
            l.decrement(left);
            l.b.emit(Inst::JumpImm { op: CompareOp::Ne, a: left, value: 0, to: over.pc() });
            l.b.emit(Inst::WorkClear { work: last });
            l.push_columns(last, ties)?;
            l.b.place(over);
            consume(l)
        })
    }

    /// Goes on if two values are equal or both NULL.
    fn unless_same(&mut self, a: Val, b: Val, ty: &SqlType, otherwise: Label) {
        let (null, same) = (self.b.label(), self.b.label());
        self.b.emit(Inst::JumpNull { a: a.reg, to: null.pc() });
        self.b.emit(Inst::JumpNull { a: b.reg, to: otherwise.pc() });
        self.jump_if_equal(a.reg, b.reg, ty, same);
        self.b.jump(otherwise);
        self.b.place(null);
        self.b.emit(Inst::JumpNotNull { a: b.reg, to: otherwise.pc() });
        self.b.place(same);
    }

    /// A percentage: all rows are collected and counted first.
    fn top_percent(
        &mut self,
        input: &Node,
        percent: &Expr,
        ties: Option<&[ColId]>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let share = self.percentage(percent)?;
        let mut columns = self.columns.wanted_from(input);
        for &col in ties.unwrap_or_default() {
            if !columns.contains(&col) {
                columns.push(col);
            }
        }
        let types: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        let work = self.b.object(ObjectDesc::Work(WorkDesc { layout }));
        self.b.emit(Inst::WorkClear { work });
        self.produce(input, &mut |l| l.push_columns(work, &columns))?;
        let rows = self.b.reg(RegType::I64);
        self.b.emit(Inst::WorkCount { dst: rows, work });
        let count = self.b.reg(RegType::I64);
        self.b.emit(Inst::Percent { dst: count, rows, percent: share });
        let id = crate::plan::tree::WorktableId(u32::MAX - self.worktables.len() as u32);
        self.worktables.insert(id, crate::lower::Worktable { object: work, layout });
        let collected = Node::Worktable { worktable: id, columns };
        self.first_rows(&collected, count, ties, consume)
    }

    /// A percentage between 0 and 100, as a float.
    fn percentage(&mut self, percent: &Expr) -> SqlResult<Reg> {
        let (bad, end) = (self.b.label(), self.b.label());
        let reg = self.strict(percent, NullTo { dst: None, label: bad })?;
        let zero = self.constant(&SqlType::float(), &Value::Float(0.0)).reg;
        let hundred = self.constant(&SqlType::float(), &Value::Float(100.0)).reg;
        self.b.emit(Inst::JumpFloat { op: CompareOp::Lt, a: reg, b: zero, to: bad.pc() });
        self.b.emit(Inst::JumpFloat { op: CompareOp::Le, a: reg, b: hundred, to: end.pc() });
        self.b.place(bad);
        self.b.raise(SqlError::new(&message::PERCENT_OUT_OF_RANGE, &[]));
        self.b.place(end);
        Ok(reg)
    }

    /// Skips rows, then passes on as many as wanted.
    pub fn offset(
        &mut self,
        input: &Node,
        offset: &Expr,
        fetch: Option<&Expr>,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let outside = self.enter();
        let end = self.b.label();
        let (null, small) = (&message::OFFSET_NOT_INTEGER, &message::OFFSET_NEGATIVE);
        let skip = self.at_least(offset, 0, null, small)?;
        let skip = self.counter(skip);
        let (null, small) = (&message::TOP_OR_FETCH_INVALID, &message::FETCH_NOT_POSITIVE);
        let left = fetch.map(|fetch| self.at_least(fetch, 1, null, small)).transpose()?;
        let left = left.map(|left| self.counter(left));
        self.produce(input, &mut |l| {
            let (pass, next) = (l.b.label(), l.b.label());
            let to = pass.pc();
            l.b.emit(Inst::JumpImm { op: CompareOp::Le, a: skip, value: 0, to });
            l.decrement(skip);
            l.b.jump(next);
            l.b.place(pass);
            consume(l)?;
            if let Some(left) = left {
                l.decrement(left);
                l.b.emit(Inst::JumpImm { op: CompareOp::Le, a: left, value: 0, to: end.pc() });
            }
            l.b.place(next);
            Ok(())
        })?;
        self.leave(outside);
        self.b.place(end);
        Ok(())
    }

    /// A register that counts down from another one.
    fn counter(&mut self, from: Reg) -> Reg {
        let counter = self.b.reg(RegType::I64);
        self.b.emit(Inst::Move { dst: counter, src: from });
        counter
    }
}

//! Literal rows, unions, worktables: recursion and spools.

use base::{SqlError, SqlResult, SqlType, message};
use ir::inst::{Inst, Reg, RegType};
use ir::object::{ObjectDesc, WorkDesc};
use ir::operator::CompareOp;

use crate::lower::columns::ColumnType;
use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering, Worktable};
use crate::plan::expr::{ColId, Expr};
use crate::plan::tree::{Node, WorktableId};

impl Lowering {
    /// Literal rows.
    pub fn values(
        &mut self,
        columns: &[ColId],
        rows: &[Vec<Expr>],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        match rows {
            [] => Ok(()),
            [row] => {
                let outside = self.enter();
                let sequences = std::mem::take(&mut self.next_values);
                for (&col, expr) in columns.iter().zip(row) {
                    let val = self.expr(expr)?;
                    self.bind(col, val);
                }
                consume(self)?;
                self.next_values = sequences;
                self.leave(outside);
                Ok(())
            }
            _ => {
                let regs = self.shared_regs(columns);
                let mut nullable = vec![false; columns.len()];
                let routine = self.routine();
                let mark = self.b.mark();
                self.b.emit(Inst::Mark { mark });
                for row in rows {
                    let inside = self.enter();
                    for (at, expr) in row.iter().enumerate() {
                        nullable[at] |= self.expr_into(expr, regs[at])?;
                    }
                    self.leave(inside);
                    self.enter_routine(&routine);
                    self.b.emit(Inst::Reset { mark });
                    self.next_values.clear();
                }
                self.write_routine(routine, |l| {
                    l.bind_shared(columns, &regs, &nullable);
                    consume(l)
                })
            }
        }
    }

    /// Registers through which several inputs reach one routine.
    fn shared_regs(&mut self, columns: &[ColId]) -> Vec<Reg> {
        let ty = |l: &Lowering, col| match l.columns.ty(col) {
            ColumnType::Sql(ty) => RegType::of(&ty),
            ColumnType::Row => RegType::Row,
        };
        columns.iter().map(|&col| self.b.reg(ty(self, col))).collect()
    }

    fn bind_shared(&mut self, columns: &[ColId], regs: &[Reg], nullable: &[bool]) {
        for ((&col, &reg), &nullable) in columns.iter().zip(regs).zip(nullable) {
            self.bind(col, Val { reg, nullable });
        }
    }

    /// The rows of all inputs, one after the other.
    pub fn union(
        &mut self,
        inputs: &[(Node, Vec<ColId>)],
        columns: &[ColId],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let regs = self.shared_regs(columns);
        let mut nullable = vec![false; columns.len()];
        let routine = self.routine();
        let outside = self.enter();
        for (input, of) in inputs {
            self.produce(input, &mut |l| {
                for (at, val) in l.column_regs(of)?.into_iter().enumerate() {
                    l.b.emit(Inst::Move { dst: regs[at], src: val.reg });
                    nullable[at] |= val.nullable;
                }
                l.enter_routine(&routine);
                Ok(())
            })?;
        }
        self.leave(outside);
        self.write_routine(routine, |l| {
            l.bind_shared(columns, &regs, &nullable);
            consume(l)
        })
    }

    fn new_worktable(&mut self, columns: &[ColId]) -> Worktable {
        let types: Vec<SqlType> = columns.iter().map(|&c| self.stored_type(c)).collect();
        let layout = self.b.layout_of(&types);
        Worktable { object: self.b.object(ObjectDesc::Work(WorkDesc { layout })), layout }
    }

    /// What a worktable holds.
    pub fn worktable(
        &mut self,
        id: WorktableId,
        columns: &[ColId],
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let Some(work) = self.worktables.get(&id).cloned() else {
            return Err(ir::internal("a worktable is read where it is not filled"));
        };
        self.scan_work(work.object, &mut |l, row| {
            l.bind_row(row, work.layout, columns);
            consume(l)
        })
    }

    /// Evaluates the input once, then the body, which may read it often.
    pub fn spool(
        &mut self,
        id: WorktableId,
        input: &Node,
        columns: &[ColId],
        body: &Node,
        consume: Consume<'_>,
    ) -> SqlResult<()> {
        let work = self.new_worktable(columns);
        self.b.emit(Inst::WorkClear { work: work.object });
        self.produce(input, &mut |l| l.push_columns(work.object, columns))?;
        self.worktables.insert(id, work);
        self.produce(body, consume)
    }

    /// Rounds: each reads the rows of the round before and makes those of the next.
    pub fn recursive(&mut self, node: &Node, consume: Consume<'_>) -> SqlResult<()> {
        let Node::Recursive { worktable, anchor, step, columns, max_rounds } = node else {
            unreachable!("only called for recursion");
        };
        let current = self.new_worktable(&anchor.1);
        let next = self.new_worktable(&anchor.1);
        self.worktables.insert(*worktable, current.clone());
        let rounds = self.b.reg(RegType::I64);
        self.b.emit(Inst::Int { dst: rounds, value: 0 });
        for work in [&current, &next] {
            self.b.emit(Inst::WorkClear { work: work.object });
        }
        self.produce(&anchor.0, &mut |l| l.push_columns(next.object, &anchor.1))?;
        let (end, count) = (self.b.label(), self.b.reg(RegType::I64));
        let round = self.b.here();
        self.b.emit(Inst::Checkpoint);
        self.b.emit(Inst::WorkSwap { a: current.object, b: next.object });
        self.b.emit(Inst::WorkClear { work: next.object });
        self.b.emit(Inst::WorkCount { dst: count, work: current.object });
        let to = end.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Eq, a: count, value: 0, to });
        if *max_rounds > 0 {
            self.stop_recursion(rounds, *max_rounds);
        }
        self.scan_work(current.object, &mut |l, row| {
            l.bind_row(row, current.layout, columns);
            consume(l)
        })?;
        self.b.emit(Inst::Step { dst: rounds, a: rounds, by: 1 });
        self.produce(&step.0, &mut |l| l.push_columns(next.object, &step.1))?;
        self.b.jump(round);
        self.b.place(end);
        Ok(())
    }

    /// Raises 530 if a further round has given rows although it should not have been needed.
    fn stop_recursion(&mut self, rounds: Reg, max: u32) {
        let go_on = self.b.label();
        let value = i32::try_from(max).unwrap_or(i32::MAX);
        let to = go_on.pc();
        self.b.emit(Inst::JumpImm { op: CompareOp::Le, a: rounds, value, to });
        self.b.raise(SqlError::new(&message::MAXRECURSION_EXHAUSTED, &[&max]));
        self.b.place(go_on);
    }
}

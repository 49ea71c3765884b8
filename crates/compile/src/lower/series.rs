//! Series: loops that count. Their rows exist only in registers.

use base::{SqlError, SqlResult, SqlType, Value, message};
use ir::builder::Label;
use ir::inst::{Inst, Reg, RegType};
use ir::operator::CompareOp;

use crate::lower::scope::Val;
use crate::lower::{Consume, Lowering};
use crate::plan::expr::Expr;
use crate::plan::tree::Scan;

impl Lowering {
    /// The loop over the numbers from the first argument to the second. Error 9830 for a step of 0.
    ///
    /// The first number needs no sum, so the loop is entered after the instruction that counts.
    pub fn series(&mut self, scan: &Scan, args: &[Expr], consume: Consume<'_>) -> SqlResult<()> {
        let ty = args[0].ty;
        let done = self.b.label();
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            given.push(self.expr(arg)?);
        }
        for val in given.iter().filter(|val| val.nullable) {
            self.b.emit(Inst::JumpNull { a: val.reg, to: done.pc() });
        }
        let (start, stop) = (given[0].reg, given[1].reg);
        let step = match given.get(2) {
            Some(step) => self.given_step(step.reg, start, stop, &ty, done),
            None => self.step_towards(start, stop, &ty),
        };
        let value = self.b.reg_for(&ty);
        self.b.emit(Inst::Move { dst: value, src: start });
        let (mark, first) = (self.b.mark(), self.b.label());
        self.b.emit(Inst::Mark { mark });
        self.b.jump(first);
        let head = self.b.here();
        self.b.emit(Inst::SeriesNext { value, step, stop, mark, done: done.pc() });
        self.b.place(first);
        self.turn(head, done, &mut |l| {
            for &(_, col) in &scan.columns {
                l.bind(col, Val::new(value));
            }
            l.passed(scan, consume)
        })
    }

    /// Goes on with a step that is not 0, if the series has a number.
    fn given_step(&mut self, step: Reg, start: Reg, stop: Reg, ty: &SqlType, none: Label) -> Reg {
        let zero = self.units(ty, 0);
        let (counts, down, some) = (self.b.label(), self.b.label(), self.b.label());
        self.jump_ordered(CompareOp::Ne, step, zero, counts);
        let error = &message::ARGUMENT_VALUE_INVALID;
        self.b.raise(SqlError::new(error, &[&0, &3, &"generate_series"]));
        self.b.place(counts);
        self.jump_ordered(CompareOp::Lt, step, zero, down);
        self.jump_ordered(CompareOp::Gt, start, stop, none);
        self.b.jump(some);
        self.b.place(down);
        self.jump_ordered(CompareOp::Lt, start, stop, none);
        self.b.place(some);
        step
    }

    /// 1 or -1: the series has a number.
    fn step_towards(&mut self, start: Reg, stop: Reg, ty: &SqlType) -> Reg {
        let one = if ty.kind.is_decimal() { base::decimal::pow10(ty.scale.into()) } else { 1 };
        let (up, down) = (self.units(ty, one), self.units(ty, -one));
        let step = self.b.reg_for(ty);
        let known = self.b.label();
        self.b.emit(Inst::Move { dst: step, src: up });
        self.jump_ordered(CompareOp::Le, start, stop, known);
        self.b.emit(Inst::Move { dst: step, src: down });
        self.b.place(known);
        step
    }

    /// A constant of an integer or decimal type, in units of its scale.
    fn units(&mut self, ty: &SqlType, units: i128) -> Reg {
        match ty.kind.is_decimal() {
            true => self.constant(ty, &Value::Decimal(units)).reg,
            false => self.int(units as i64),
        }
    }

    /// Jumps if this comparison of two integers, or decimals of one scale, is true.
    fn jump_ordered(&mut self, op: CompareOp, a: Reg, b: Reg, to: Label) {
        let to = to.pc();
        self.b.emit(match self.b.unit.reg_type(a) {
            RegType::I128 => Inst::JumpDecimal { op, a, b, to },
            _ => Inst::JumpInt { op, a, b, to },
        });
    }
}

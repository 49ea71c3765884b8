//! Arithmetic, comparisons and conversions of numbers.
//!
//! What needs more than a few machine instructions (rounding, strings, dates, functions) is left to
//! the helpers. So are values for which the fast path does not hold: for them the code goes to a
//! cold block that calls the helper for the instruction.

use base::SqlType;
use base::types::Repr;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};
use ir::inst::{FloatOp, Inst, IntKind, IntOp, Pc, Reg};
use ir::operator::{ArithOp, CastMode, CompareOp};
use ir::site::{ArithSite, CastSite};
use ir::{RegType, Unit};
use run::interp::machine_code::constant_words;

use crate::emit::{Emitter, Val};

/// Whether an instruction is compiled here.
pub fn is_inline(unit: &Unit, inst: &Inst) -> bool {
    use Inst::*;
    match *inst {
        IntArith { .. } | FloatArith { .. } | Step { .. } => true,
        JumpInt { .. } | JumpImm { .. } | JumpDecimal { .. } | JumpFloat { .. } => true,
        CastInt { .. } | CastIntFloat { .. } => true,
        CastIntDecimal { site, .. } => i64::try_from(unit.casts[site as usize].factor).is_ok(),
        Arith { site, .. } => decimal_arith(&unit.ariths[site as usize]).is_some(),
        Cast { site, .. } => widening(&unit.casts[site as usize]).is_some(),
        Const { index, .. } => {
            constant_words(unit.constants[index as usize].value.as_ref()).is_some()
        }
        _ => false,
    }
}

/// Decimal arithmetic whose result always fits, as the rules for precision and scale have it unless
/// they run into 38 digits.
#[derive(Clone, Copy)]
enum Exact {
    /// The sum or difference, of operands that are multiplied by these powers first.
    Sum { subtract: bool, left: i128, right: i128 },
    /// The product.
    Product,
}

fn decimal_arith(site: &ArithSite) -> Option<Exact> {
    let ArithSite { op, left, right, result, exact: _ } = site;
    if [left, right, result].iter().any(|ty| ty.kind.repr() != Repr::Decimal) {
        return None;
    }
    match op {
        ArithOp::Add | ArithOp::Subtract => {
            let whole = (left.precision - left.scale).max(right.precision - right.scale);
            let scale = left.scale.max(right.scale);
            let exact = result.scale == scale && result.precision > whole + scale;
            exact.then(|| Exact::Sum {
                subtract: *op == ArithOp::Subtract,
                left: power(scale - left.scale),
                right: power(scale - right.scale),
            })
        }
        ArithOp::Multiply => {
            let exact = result.scale == left.scale + right.scale
                && result.precision >= left.precision + right.precision;
            exact.then_some(Exact::Product)
        }
        _ => None,
    }
}

fn power(exponent: u8) -> i128 {
    10i128.pow(u32::from(exponent))
}

/// A conversion between decimals that cannot fail: what the units are multiplied by.
fn widening(site: &CastSite) -> Option<i128> {
    let (from, to): (&SqlType, &SqlType) = (&site.from, &site.to);
    if from.kind.repr() != Repr::Decimal || to.kind.repr() != Repr::Decimal {
        return None;
    }
    let wider = to.scale >= from.scale && to.precision - to.scale >= from.precision - from.scale;
    let plain = site.style.is_none() && site.mode != CastMode::Try;
    (plain && wider).then(|| power(to.scale - from.scale))
}

fn int_condition(op: CompareOp) -> IntCC {
    match op {
        CompareOp::Eq => IntCC::Equal,
        CompareOp::Ne => IntCC::NotEqual,
        CompareOp::Lt => IntCC::SignedLessThan,
        CompareOp::Le => IntCC::SignedLessThanOrEqual,
        CompareOp::Gt => IntCC::SignedGreaterThan,
        CompareOp::Ge => IntCC::SignedGreaterThanOrEqual,
    }
}

fn float_condition(op: CompareOp) -> FloatCC {
    match op {
        CompareOp::Eq => FloatCC::Equal,
        CompareOp::Ne => FloatCC::NotEqual,
        CompareOp::Lt => FloatCC::LessThan,
        CompareOp::Le => FloatCC::LessThanOrEqual,
        CompareOp::Gt => FloatCC::GreaterThan,
        CompareOp::Ge => FloatCC::GreaterThanOrEqual,
    }
}

impl Emitter<'_, '_> {
    /// Writes an instruction of this file.
    pub fn scalar(&mut self, inst: &Inst) {
        match *inst {
            Inst::IntArith { op, kind, dst, a, b } => self.int_arith(inst, op, kind, dst, a, b),
            Inst::FloatArith { op, real, dst, a, b } => {
                self.float_arith(inst, op, real, dst, a, b);
            }
            Inst::Step { dst, a, by } => {
                let a = self.get(a).low;
                let value = self.b.ins().iadd_imm(a, i64::from(by));
                self.set(dst, Val::word(value));
            }
            Inst::JumpInt { op, a, b, to } => {
                let (a, b) = (self.get(a).low, self.get(b).low);
                let holds = self.b.ins().icmp(int_condition(op), a, b);
                self.branch(holds, to);
            }
            Inst::JumpImm { op, a, value, to } => {
                let a = self.get(a).low;
                let holds = self.b.ins().icmp_imm(int_condition(op), a, i64::from(value));
                self.branch(holds, to);
            }
            Inst::JumpDecimal { op, a, b, to } => self.jump_decimal(op, a, b, to),
            Inst::JumpFloat { op, a, b, to } => {
                let (a, b) = (self.get(a).low, self.get(b).low);
                let holds = self.b.ins().fcmp(float_condition(op), a, b);
                self.branch(holds, to);
            }
            Inst::CastInt { dst, src, site } => self.cast_int(inst, dst, src, site),
            Inst::CastIntDecimal { dst, src, site } => {
                self.cast_int_decimal(inst, dst, src, site);
            }
            Inst::CastIntFloat { dst, src } => {
                let src = self.get(src).low;
                let value = self.b.ins().fcvt_from_sint(types::F64, src);
                self.set(dst, Val::word(value));
            }
            Inst::Arith { dst, a, b, site } => {
                let exact = decimal_arith(&self.unit.ariths[site as usize]);
                self.decimal_arith(exact.expect("the instruction is inline"), dst, a, b);
            }
            Inst::Cast { dst, src, site } => {
                let factor = widening(&self.unit.casts[site as usize]);
                let units = self.units(src);
                let units = self.scaled(units, factor.expect("the instruction is inline"));
                self.set_units(dst, units);
            }
            Inst::Const { dst, index } => self.constant(dst, index),
            ref inst => unreachable!("{inst:?} is not of this file"),
        }
    }

    fn constant(&mut self, dst: Reg, index: u32) {
        let value = self.unit.constants[index as usize].value.as_ref();
        let (low, high) = constant_words(value).expect("the instruction is inline");
        let low = match self.unit.reg_type(dst) {
            RegType::F64 => self.b.ins().f64const(f64::from_bits(low)),
            _ => self.b.ins().iconst(types::I64, low as i64),
        };
        let high = self.b.ins().iconst(types::I64, high as i64);
        self.set(dst, Val::wide(low, high));
    }

    fn int_arith(&mut self, inst: &Inst, op: IntOp, kind: IntKind, dst: Reg, a: Reg, b: Reg) {
        let (a, b) = (self.get(a).low, self.get(b).low);
        let big = kind == IntKind::BigInt;
        let value = match op {
            IntOp::And => self.b.ins().band(a, b),
            IntOp::Or => self.b.ins().bor(a, b),
            IntOp::Xor => self.b.ins().bxor(a, b),
            IntOp::Div | IntOp::Mod => self.divide(inst, op == IntOp::Mod, a, b),
            // Operands of 32 bits cannot overflow 64.
            IntOp::Add if !big => self.b.ins().iadd(a, b),
            IntOp::Sub if !big => self.b.ins().isub(a, b),
            IntOp::Mul if !big => self.b.ins().imul(a, b),
            IntOp::Add => {
                let value = self.b.ins().iadd(a, b);
                let (x, y) = (self.b.ins().bxor(a, value), self.b.ins().bxor(b, value));
                let differ = self.b.ins().band(x, y);
                self.require_not_negative(differ, inst);
                value
            }
            IntOp::Sub => {
                let value = self.b.ins().isub(a, b);
                let (x, y) = (self.b.ins().bxor(a, b), self.b.ins().bxor(a, value));
                let differ = self.b.ins().band(x, y);
                self.require_not_negative(differ, inst);
                value
            }
            IntOp::Mul => {
                let value = self.b.ins().imul(a, b);
                let upper = self.b.ins().smulhi(a, b);
                let sign = self.b.ins().sshr_imm(value, 63);
                let fits = self.b.ins().icmp(IntCC::Equal, upper, sign);
                self.require(fits, inst);
                value
            }
        };
        let checked = matches!(op, IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div);
        if checked && !big {
            let fits = self.in_range(value, kind);
            self.require(fits, inst);
        }
        self.set(dst, Val::word(value));
    }

    fn require_not_negative(&mut self, value: Value, inst: &Inst) {
        let fits = self.b.ins().icmp_imm(IntCC::SignedGreaterThanOrEqual, value, 0);
        self.require(fits, inst);
    }

    /// Quotient or remainder. The machine refuses to divide by zero and the smallest by -1; so -1
    /// goes another way.
    fn divide(&mut self, inst: &Inst, remainder: bool, a: Value, b: Value) -> Value {
        let not_zero = self.b.ins().icmp_imm(IntCC::NotEqual, b, 0);
        self.require(not_zero, inst);
        let (minus, plain, done) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let result = self.b.append_block_param(done, types::I64);
        let is_minus = self.b.ins().icmp_imm(IntCC::Equal, b, -1);
        self.b.ins().brif(is_minus, minus, &[], plain, &[]);
        self.b.switch_to_block(minus);
        let value = match remainder {
            true => self.b.ins().iconst(types::I64, 0),
            false => {
                let negated = self.b.ins().ineg(a);
                let fits = self.b.ins().icmp_imm(IntCC::NotEqual, a, i64::MIN);
                self.require(fits, inst);
                negated
            }
        };
        self.b.ins().jump(done, &[value.into()]);
        self.b.switch_to_block(plain);
        let value = match remainder {
            true => self.b.ins().srem(a, b),
            false => self.b.ins().sdiv(a, b),
        };
        self.b.ins().jump(done, &[value.into()]);
        self.b.switch_to_block(done);
        result
    }

    /// Whether a value is one of an integer type's.
    fn in_range(&mut self, value: Value, kind: IntKind) -> Value {
        let narrow = match kind {
            IntKind::Bit | IntKind::TinyInt => {
                let (_, max) = kind.range();
                return self.b.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, value, max);
            }
            IntKind::SmallInt => types::I16,
            IntKind::Int => types::I32,
            IntKind::BigInt => return self.b.ins().iconst(types::I8, 1),
        };
        let cut = self.b.ins().ireduce(narrow, value);
        let back = self.b.ins().sextend(types::I64, cut);
        self.b.ins().icmp(IntCC::Equal, back, value)
    }

    fn float_arith(&mut self, inst: &Inst, op: FloatOp, real: bool, dst: Reg, a: Reg, b: Reg) {
        let (a, b) = (self.get(a).low, self.get(b).low);
        let mut value = match op {
            FloatOp::Add => self.b.ins().fadd(a, b),
            FloatOp::Sub => self.b.ins().fsub(a, b),
            FloatOp::Mul => self.b.ins().fmul(a, b),
            // By zero it gives an infinity or none, which fails below.
            FloatOp::Div => self.b.ins().fdiv(a, b),
        };
        if real {
            let rounded = self.b.ins().fdemote(types::F32, value);
            value = self.b.ins().fpromote(types::F64, rounded);
        }
        let magnitude = self.b.ins().fabs(value);
        let infinity = self.b.ins().f64const(f64::INFINITY);
        let finite = self.b.ins().fcmp(FloatCC::LessThan, magnitude, infinity);
        self.require(finite, inst);
        self.set(dst, Val::word(value));
    }

    fn cast_int(&mut self, inst: &Inst, dst: Reg, src: Reg, site: u32) {
        let value = self.get(src).low;
        let fits = self.in_range(value, self.unit.casts[site as usize].int);
        self.unless(fits, inst, |e| e.set(dst, Val::word(value)));
    }

    fn cast_int_decimal(&mut self, inst: &Inst, dst: Reg, src: Reg, site: u32) {
        let site = &self.unit.casts[site as usize];
        let (factor, bound) = (site.factor as i64, site.bound);
        let value = self.get(src).low;
        let (low, high) = match factor {
            1 => (value, self.b.ins().sshr_imm(value, 63)),
            _ => {
                let factor = self.b.ins().iconst(types::I64, factor);
                (self.b.ins().imul(value, factor), self.b.ins().smulhi(value, factor))
            }
        };
        // |units| < bound, as one unsigned comparison; twice the bound is below 2^128.
        let units = self.b.ins().iconcat(low, high);
        let shift = self.wide_constant(bound - 1);
        let span = self.wide_constant((bound - 1).wrapping_mul(2));
        let shifted = self.b.ins().iadd(units, shift);
        let fits = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, shifted, span);
        self.unless(fits, inst, |e| e.set(dst, Val::wide(low, high)));
    }

    /// If the condition is not 0, what `short` writes; otherwise the helper executes the
    /// instruction.
    fn unless(&mut self, condition: Value, inst: &Inst, short: impl FnOnce(&mut Self)) {
        let (plain, cold, next) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, plain, &[], cold, &[]);
        self.b.set_cold_block(cold);
        self.b.switch_to_block(cold);
        self.otherwise_step(inst);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(plain);
        short(self);
        self.b.ins().jump(next, &[]);
        self.b.switch_to_block(next);
    }

    // ---- decimals

    /// A decimal's units.
    fn units(&mut self, reg: Reg) -> Value {
        let (low, high) = self.get_wide(reg);
        self.b.ins().iconcat(low, high)
    }

    fn set_units(&mut self, dst: Reg, units: Value) {
        let (low, high) = self.b.ins().isplit(units);
        self.set(dst, Val::wide(low, high));
    }

    fn wide_constant(&mut self, value: i128) -> Value {
        let low = self.b.ins().iconst(types::I64, value as i64);
        let high = self.b.ins().iconst(types::I64, (value >> 64) as i64);
        self.b.ins().iconcat(low, high)
    }

    fn scaled(&mut self, units: Value, factor: i128) -> Value {
        if factor == 1 {
            return units;
        }
        let factor = self.wide_constant(factor);
        self.b.ins().imul(units, factor)
    }

    fn decimal_arith(&mut self, exact: Exact, dst: Reg, a: Reg, b: Reg) {
        let (a, b) = (self.units(a), self.units(b));
        let units = match exact {
            Exact::Product => self.b.ins().imul(a, b),
            Exact::Sum { subtract, left, right } => {
                let (a, b) = (self.scaled(a, left), self.scaled(b, right));
                match subtract {
                    true => self.b.ins().isub(a, b),
                    false => self.b.ins().iadd(a, b),
                }
            }
        };
        self.set_units(dst, units);
    }

    fn jump_decimal(&mut self, op: CompareOp, a: Reg, b: Reg, to: Pc) {
        let (a, b) = (self.units(a), self.units(b));
        let holds = self.b.ins().icmp(int_condition(op), a, b);
        self.branch(holds, to);
    }
}

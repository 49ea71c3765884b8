//! Instructions on scalars that need more than registers: conversions, strings, functions,
//! variables, memory.

use base::{Arena, SqlResult, ValueRef};
use ir::RegType;
use ir::function::FnContext;
use ir::function::facts::StatementPace;
use ir::inst::{Inst, Reg};
use ir::site::{LikePattern, LikeSite, UserCallSite};
use smallvec::SmallVec;

use crate::interp::dispatch::Flow;
use crate::interp::frame::LONG;
use crate::interp::machine::{Machine, registers};
use crate::interp::memory::build_row;
use crate::interp::objects::cursor::keep_row;
use crate::interp::registers::Values;
use crate::interp::slot::Slot;
use crate::interp::{ops, row};

/// Whether a value is so long that work on it must be paced.
#[inline]
fn is_long(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => b.len() > LONG,
        _ => false,
    }
}

impl Machine<'_, '_> {
    /// Executes an instruction on scalars.
    pub(super) fn scalar(&mut self, inst: Inst) -> SqlResult<Flow> {
        match inst {
            Inst::Const { dst, index } => {
                let constant = &self.unit.constants[index as usize];
                let slot = ops::slot(constant.value.as_ref(), self.ty(dst), &self.act.keep);
                self.set(dst, slot);
            }
            Inst::GuardList { dst, list, to } => {
                if self.unit.list(list).iter().any(|&reg| self.slot(reg).is_null()) {
                    self.set(dst, Slot::NULL);
                    return Ok(Flow::Jump(to));
                }
            }
            Inst::JumpCompare { op, a, b, site, to } => {
                let ty = &self.unit.compares[site as usize].ty;
                let regs = self.registers();
                let (a, b) = (regs.value(a, ty), regs.value(b, ty));
                let holds = match op {
                    _ if is_long(a) && is_long(b) => {
                        let pace = StatementPace(self.exec.task);
                        base::arithmetic::compare_paced(a, b, ty, &pace)?
                            .is_some_and(|o| ops::holds(op, o, std::cmp::Ordering::Equal))
                    }
                    ir::operator::CompareOp::Eq => base::arithmetic::equal(a, b, ty),
                    ir::operator::CompareOp::Ne => !base::arithmetic::equal(a, b, ty),
                    _ => base::arithmetic::compare(a, b, ty)
                        .is_some_and(|o| ops::holds(op, o, std::cmp::Ordering::Equal)),
                };
                if holds {
                    return Ok(Flow::Jump(to));
                }
            }
            Inst::JumpLike { subject, site, to } => {
                if self.is_like(subject, &self.unit.likes[site as usize])? {
                    return Ok(Flow::Jump(to));
                }
            }
            Inst::JumpIn { a, set, to } => {
                let set = &self.unit.sets[set as usize];
                let value = registers(&self.act.slots).value(a, &set.ty);
                let account = self.exec.runtime.grant.account();
                if set.contains(value, &mut self.act.key, account)? {
                    return Ok(Flow::Jump(to));
                }
            }
            Inst::Percent { dst, rows, percent } => {
                let (rows, percent) = (self.slot(rows).as_int(), self.slot(percent).as_float());
                self.set(dst, Slot::int(ops::percent(rows, percent)));
            }
            _ => return self.computation(inst),
        }
        Ok(Flow::Next)
    }

    /// Instructions that compute a value, with memory of the arena.
    fn computation(&mut self, inst: Inst) -> SqlResult<Flow> {
        let unit = self.unit;
        let regs = registers(&self.act.slots);
        let arena = &self.act.arena;
        let (host, task) = (&*self.exec.host, self.exec.task);
        let slot = |dst: Reg, value| ops::slot(value, unit.registers[usize::from(dst.0)], arena);
        let cast = |dst, site, value, style| -> SqlResult<Slot> {
            Ok(slot(dst, ops::cast(site, value, style, host, task, arena)?))
        };
        let (dst, slot) = match inst {
            Inst::Arith { dst, a, b, site } => {
                let site = &unit.ariths[site as usize];
                let (a, b) = (regs.value(a, &site.left), regs.value(b, &site.right));
                (dst, slot(dst, ops::arith(site, a, b, arena)?))
            }
            Inst::Unary { dst, a, site } => {
                let site = &unit.unaries[site as usize];
                (dst, slot(dst, ops::unary(site, regs.value(a, &site.ty))?))
            }
            Inst::CastInt { dst, src, site } => {
                let site = &unit.casts[site as usize];
                let value = regs.slot(src).as_int();
                let (min, max) = site.int.range();
                match min <= value && value <= max {
                    true => (dst, Slot::int(value)),
                    false => (dst, cast(dst, site, ValueRef::Int(value), None)?),
                }
            }
            Inst::CastIntDecimal { dst, src, site } => {
                let site = &unit.casts[site as usize];
                let value = regs.slot(src).as_int();
                let units = i128::from(value).checked_mul(site.factor);
                match units.filter(|u| u.abs() < site.bound) {
                    Some(units) => (dst, Slot::wide(units)),
                    None => (dst, cast(dst, site, ValueRef::Int(value), None)?),
                }
            }
            Inst::Cast { dst, src, site } => {
                let site = &unit.casts[site as usize];
                let style = site.style.map(|reg| regs.slot(reg).as_int());
                (dst, cast(dst, site, regs.value(src, &site.from), style)?)
            }
            Inst::Concat { dst, a, b, site } => {
                let result = &unit.concats[site as usize].result;
                let (a, b) = (regs.bytes(a), regs.bytes(b));
                let joined = match a.len() + b.len() > LONG {
                    true => ops::concatenate_long(a, b, result, self.exec.task, arena)?,
                    false => base::arithmetic::concatenate(a, b, result, arena),
                };
                (dst, Slot::bytes(joined))
            }
            Inst::Call { dst, site } => {
                self.call_library(dst, site)?;
                return Ok(Flow::Next);
            }
            inst => unreachable!("{inst:?} is of another family"),
        };
        self.set(dst, slot);
        Ok(Flow::Next)
    }

    /// Calls a function of the library.
    #[inline(always)]
    pub(super) fn call_library(&mut self, dst: Reg, site: u32) -> SqlResult<()> {
        base::on_purpose::reached(base::on_purpose::Place::Function);
        let site = &self.unit.calls[site as usize];
        let arena = &self.act.arena;
        let (facts, task) = (self.exec.host.facts(), Some(self.exec.task));
        let mut context = FnContext { arena, facts, task, memo: Some(&site.memo) };
        let result = match self.unit.list(site.args) {
            [] => (site.function.eval)(&mut context, &[], &site.types)?,
            list => {
                let args = self.registers().values(list, site.types.args.iter());
                (site.function.eval)(&mut context, &args, &site.types)?
            }
        };
        let slot = ops::slot(result, self.ty(dst), arena);
        self.set(dst, slot);
        Ok(())
    }

    fn is_like(&self, subject: Reg, site: &LikeSite) -> SqlResult<bool> {
        let regs = self.registers();
        let subject = regs.value(subject, &site.ty);
        match &site.pattern {
            LikePattern::Constant(pattern) => {
                pattern.matches(subject, &StatementPace(self.exec.task))
            }
            LikePattern::Dynamic(pattern, escape) => {
                let pattern = regs.value(*pattern, &site.ty);
                let escape = escape.map(|e| regs.value(e, &site.ty));
                let collation = site.ty.collation;
                let pattern = base::collation::LikePattern::new(collation, pattern, escape)?;
                pattern.matches(subject, &StatementPace(self.exec.task))
            }
        }
    }

    /// Rows, arenas, variables.
    pub(super) fn memory(&mut self, inst: Inst) -> SqlResult<Flow> {
        match inst {
            Inst::BuildRow { dst, site } => {
                let site = &self.unit.rows[site as usize];
                let layout = &self.unit.layouts[usize::from(site.layout)];
                let list = self.unit.list(site.columns);
                let slots = registers(&self.act.slots).slots(list);
                let account = self.exec.runtime.grant.account();
                // SAFETY: I1: one register per column of the layout, each of its type.
                let row = unsafe { build_row(layout, slots, &mut self.act.row, account)? };
                self.act.arena.admit(row.len())?;
                let built = Slot::bytes(self.act.arena.alloc_bytes(row));
                self.act.row.clear();
                self.set(dst, built);
            }
            Inst::BytesRow { dst, bytes } => {
                let row = Slot::row(registers(&self.act.slots).bytes(bytes).as_ptr(), 0);
                self.set(dst, row);
            }
            Inst::RowBytes { dst, row, layout } => {
                let layout = &self.unit.layouts[usize::from(layout)];
                // SAFETY: I1: the register holds a row of this layout.
                let bytes = unsafe { row::bytes(self.slot(row).row_bytes(), layout) };
                self.set(dst, Slot::bytes(bytes));
            }
            Inst::Mark { mark } => {
                self.act.marks[usize::from(mark.0)] = self.act.arena.mark();
            }
            Inst::Reset { mark } => self.reset(mark),
            Inst::Keep { dst, src } => {
                let slot = self.slot(src);
                let kept = match slot.is_null() {
                    true => slot,
                    false => {
                        let bytes = registers(&self.act.slots).bytes(src);
                        Slot::bytes(self.copied(bytes, &self.act.keep)?)
                    }
                };
                self.set(dst, kept);
            }
            Inst::KeepRow { dst, src } => {
                let slot = self.slot(src);
                let kept = match slot.is_null() {
                    true => slot,
                    // SAFETY: I1: the register holds a row of the engine, which is alive in this
                    // turn of the loop.
                    false => unsafe { keep_row(&slot, &self.act.keep) },
                };
                self.set(dst, kept);
            }
            Inst::CopyVar { dst, var } => {
                let ty = *self.exec.frame.ty(ir::operator::VarId(var));
                // SAFETY: the variable's value is of its type and its own.
                let value = unsafe { self.exec.frame.load(var).value(&ty) };
                let slot = match value {
                    ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => {
                        Slot::bytes(self.copied(b, &self.act.arena)?)
                    }
                    value => Slot::from_value(value),
                };
                self.set(dst, slot);
            }
            Inst::StoreVar { var, src } => self.store_long(var, src)?,
            Inst::CallUser { dst, site } => {
                let value = self.call_user(&self.unit.user_calls[site as usize])?;
                let slot = self.owned(&value, self.ty(dst))?;
                self.set(dst, slot);
            }
            Inst::NextValue { dst, site } => {
                let sequence = self.unit.sequences[site as usize].sequence;
                let value = self.exec.host.next_value(self.exec.task, sequence)?;
                let slot = self.owned(&value, self.ty(dst))?;
                self.set(dst, slot);
            }
            inst => unreachable!("{inst:?} is of another family"),
        }
        Ok(Flow::Next)
    }

    /// A slot with a copy of a value, which lives until the next turn of its loop.
    fn owned(&self, value: &base::Value, ty: RegType) -> SqlResult<Slot> {
        let arena = &self.act.arena;
        Ok(match value.as_ref() {
            ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b)
                if ty == RegType::Bytes =>
            {
                Slot::bytes(self.copied(b, arena)?)
            }
            value => ops::slot(value, ty, arena),
        })
    }

    /// A copy of bytes; many are copied piece by piece.
    #[inline]
    fn copied<'a>(&self, bytes: &[u8], arena: &'a Arena) -> SqlResult<&'a [u8]> {
        match bytes.len() > LONG {
            true => ops::copied_long(bytes, self.exec.task, arena),
            false => Ok(arena.alloc_bytes(bytes)),
        }
    }

    /// Assigns a variable a value that may be long.
    pub(super) fn store_long(&mut self, var: u32, src: Reg) -> SqlResult<()> {
        let slot = self.slot(src);
        let account = self.exec.runtime.grant.account();
        // SAFETY: I1: the register has the variable's type.
        unsafe { self.exec.frame.store_long(var, &slot, account, self.exec.task) }
    }

    fn call_user(&mut self, site: &UserCallSite) -> SqlResult<base::Value> {
        self.give_back();
        let regs = registers(&self.act.slots);
        let args = optional_values(regs, &site.args, &site.types);
        let exec = &mut *self.exec;
        exec.host.call_function(exec.task, exec.runtime, site.function, &args)
    }

    /// Gives the arena back to a mark.
    #[inline(always)]
    pub(super) fn reset(&mut self, mark: ir::inst::MarkId) {
        self.act.arena.reset_to(self.act.marks[usize::from(mark.0)]);
    }
}

/// The arguments of a user's function.
pub(super) fn optional_values<'r>(
    regs: crate::interp::registers::Registers<'r>,
    args: &[Option<Reg>],
    types: &[base::SqlType],
) -> SmallVec<[Option<(ValueRef<'r>, base::SqlType)>; 8]> {
    let value = |(reg, ty): (&Option<Reg>, &base::SqlType)| reg.map(|r| (regs.value(r, ty), *ty));
    args.iter().zip(types).map(value).collect()
}

/// The arguments of a library function that makes rows.
pub(super) fn values<'r>(
    regs: crate::interp::registers::Registers<'r>,
    args: &[Reg],
    types: &[base::SqlType],
) -> Values<'r> {
    regs.values(args, types.iter())
}

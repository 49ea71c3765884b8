//! The dispatch loop: executes the instructions that run most often, and passes on all others.

use base::{SqlError, SqlResult};
use ir::Unit;
use ir::inst::{Inst, NOT_NULL, Pc, Reg};

use crate::interp::frame::Frame;
use crate::interp::machine::Machine;
use crate::interp::slot::Slot;
use crate::interp::{TURNS_PER_HEAT, ops, row};

/// Where to go after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// To the next one.
    Next,
    /// To another one.
    Jump(Pc),
    /// The unit has ended.
    Halt,
}

/// Why [`hot`] returned.
enum Exit {
    /// At an instruction for [`Machine::step`].
    Step(Inst),
    /// The instruction has failed.
    Error(SqlError),
}

impl Machine<'_, '_> {
    /// Runs from `pc` on until the unit ends or an instruction fails; then `pc` is after the failed
    /// one.
    pub(super) fn run(&mut self) -> SqlResult<()> {
        if let Some(code) = self.unit.machine_code.get() {
            return self.run_code(&**code);
        }
        let result = self.interpret();
        self.unit.warm(1 + self.turns / TURNS_PER_HEAT);
        result
    }

    fn interpret(&mut self) -> SqlResult<()> {
        let mut pc = self.pc;
        loop {
            let exit = hot(self.unit, &mut self.act.slots, self.exec.frame, &mut pc);
            self.pc = pc;
            match exit {
                Exit::Step(inst) => match self.step(inst)? {
                    Flow::Next => {}
                    Flow::Jump(to) => pc = to.0 as usize,
                    Flow::Halt => return Ok(()),
                },
                Exit::Error(error) => return Err(error),
            }
        }
    }
}

#[inline(always)]
fn get(slots: &[Slot], reg: Reg) -> Slot {
    slots[usize::from(reg.0)]
}

#[inline(always)]
fn set(slots: &mut [Slot], reg: Reg, slot: Slot) {
    slots[usize::from(reg.0)] = slot;
}

/// Executes instructions that need nothing but registers and variables; returns at the first one
/// that needs more.
fn hot(unit: &Unit, slots: &mut [Slot], frame: &mut Frame, place: &mut usize) -> Exit {
    let code = &unit.code[..];
    let mut pc = *place;
    macro_rules! jump_if {
        ($condition:expr, $to:expr) => {
            if $condition {
                pc = $to.0 as usize;
            }
        };
    }
    let exit = loop {
        let inst = code[pc];
        pc += 1;
        match inst {
            Inst::Load { kind, dst, row, column, offset } => {
                let from = get(slots, row).row_bytes();
                // SAFETY: I1: the register holds a row of the layout that has this column.
                let value = unsafe {
                    match column != NOT_NULL && row::is_null(from, column) {
                        true => Slot::NULL,
                        false => row::load(kind, from, offset),
                    }
                };
                set(slots, dst, value);
            }
            Inst::JumpInt { op, a, b, to } => {
                let (a, b) = (get(slots, a).as_int(), get(slots, b).as_int());
                jump_if!(ops::holds(op, a, b), to);
            }
            Inst::JumpImm { op, a, value, to } => {
                jump_if!(ops::holds(op, get(slots, a).as_int(), i64::from(value)), to);
            }
            Inst::IntArith { op, kind, dst, a, b } => {
                let (a, b) = (get(slots, a).as_int(), get(slots, b).as_int());
                match ops::int(op, kind, a, b) {
                    Some(value) => set(slots, dst, Slot::int(value)),
                    None => break Exit::Error(ops::int_error(op, kind, b)),
                }
            }
            Inst::Jump { to } => pc = to.0 as usize,
            Inst::JumpNull { a, to } => jump_if!(get(slots, a).is_null(), to),
            Inst::JumpNotNull { a, to } => jump_if!(!get(slots, a).is_null(), to),
            Inst::Guard { dst, a, to } => {
                if get(slots, a).is_null() {
                    set(slots, dst, Slot::NULL);
                    pc = to.0 as usize;
                }
            }
            Inst::Guard2 { dst, a, b, to } => {
                if get(slots, a).is_null() || get(slots, b).is_null() {
                    set(slots, dst, Slot::NULL);
                    pc = to.0 as usize;
                }
            }
            Inst::Move { dst, src } => set(slots, dst, get(slots, src)),
            Inst::Int { dst, value } => set(slots, dst, Slot::int(value)),
            Inst::SetNull { dst } => set(slots, dst, Slot::NULL),
            Inst::Step { dst, a, by } => {
                let value = get(slots, a).as_int().wrapping_add(i64::from(by));
                set(slots, dst, Slot::int(value));
            }
            Inst::LoadVar { dst, var } => set(slots, dst, frame.load(var)),
            Inst::StoreVar { var, src } => {
                // SAFETY: I1: the register has the variable's type.
                if !unsafe { frame.store(var, &get(slots, src)) } {
                    break Exit::Step(inst);
                }
            }
            Inst::JumpDecimal { op, a, b, to } => {
                let (a, b) = (get(slots, a).as_wide(), get(slots, b).as_wide());
                jump_if!(ops::holds(op, a, b), to);
            }
            Inst::JumpFloat { op, a, b, to } => {
                let (a, b) = (get(slots, a).as_float(), get(slots, b).as_float());
                jump_if!(ops::holds(op, a, b), to);
            }
            Inst::LoadVariable { dst, row, column, place } => {
                let from = get(slots, row).row_bytes();
                // SAFETY: I1, as for `Load`.
                let value = unsafe {
                    match column != NOT_NULL && row::is_null(from, column) {
                        true => Slot::NULL,
                        false => row::load_variable(from, &unit.places[place as usize]),
                    }
                };
                set(slots, dst, value);
            }
            Inst::LoadFixed { dst, row, column, width, offset } => {
                let from = get(slots, row).row_bytes();
                // SAFETY: I1, as for `Load`.
                let value = unsafe {
                    match column != NOT_NULL && row::is_null(from, column) {
                        true => Slot::NULL,
                        false => row::load_fixed(from, offset, width),
                    }
                };
                set(slots, dst, value);
            }
            Inst::Gosub { link, to } => {
                set(slots, link, Slot::int(pc as i64));
                pc = to.0 as usize;
            }
            Inst::Return { link } => pc = get(slots, link).as_int() as usize,
            Inst::Switch { on, table } => {
                pc = unit.switches[table as usize][get(slots, on).as_int() as usize].0 as usize;
            }
            Inst::FloatArith { op, real, dst, a, b } => {
                match ops::float(op, real, get(slots, a).as_float(), get(slots, b).as_float()) {
                    Ok(value) => set(slots, dst, Slot::float(value)),
                    Err(error) => break Exit::Error(error),
                }
            }
            Inst::CastIntFloat { dst, src } => {
                set(slots, dst, Slot::float(get(slots, src).as_int() as f64));
            }
            other => break Exit::Step(other),
        }
    };
    *place = pc;
    exit
}

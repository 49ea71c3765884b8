//! Machine code of units: how it is made, what it is called with, and what it may call.
//!
//! A [`CodeGenerator`] (the crate `native` has one) turns a unit into a [`MachineCode`], which
//! lives in the unit and runs in the interpreter's place. What a few machine instructions can do it
//! does itself, on registers, columns and variables; for everything else it calls the [`helpers`],
//! which execute the current instruction as the interpreter does. So the two agree by construction
//! on all but what is compiled inline, and objects, statements and errors are one implementation.
//!
//! # Invariants
//!
//! * M1: code is made from the unit that it is kept in, and is dropped with it. What a unit says
//!   about tables never changes (a changed table is another unit), so code cannot outlive its
//!   table's definition.
//! * M2: an instruction that is executed by a helper finds its operands in memory, and leaves its
//!   results there. Whatever else machine code keeps in the processor's registers does not concern
//!   the helpers.
//! * M3: when a helper reports an error, machine code returns at once; a handler of the unit
//!   is entered anew, with its operands in memory.
//! * M4: no panic unwinds through machine code. A helper that can report an error catches a panic,
//!   keeps it in the machine and reports an error; [`Machine::run_code`] resumes the unwinding
//!   after the machine code has returned. In the others (`row_memory`, `copy`, `look_ahead`), which
//!   only touch memory, a panic ends the process (K5 of `engine::critical`).

use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use base::on_purpose::{Place, reached};
use base::{SqlError, SqlResult, ValueRef};
use ir::inst::Inst;
use ir::machine_code::{MachineCode, Run, outcome};

use crate::interp::dispatch::Flow;
use crate::interp::machine::Machine;
use crate::interp::ops;
use crate::interp::slot::Slot;

/// The layout of a register in memory.
pub mod layout {
    use super::*;

    /// Bytes from one register to the next.
    pub const SLOT: i32 = size_of::<Slot>() as i32;
    /// Where the lower word is: integers, floats, addresses.
    pub const LOW: i32 = offset_of!(Slot, lo) as i32;
    /// Where the upper word is: the upper half of a decimal, a length, or what names a row.
    pub const HIGH: i32 = offset_of!(Slot, hi) as i32;
    /// Where the null flag is, a byte of 0 or 1.
    pub const NULL: i32 = offset_of!(Slot, null) as i32;
}

/// The words of a register that holds a constant; `None` where it would be an address.
pub fn constant_words(value: ValueRef<'_>) -> Option<(u64, u64)> {
    use ValueRef::*;
    let address = matches!(value, Null | Chars(_) | Unicode(_) | Bytes(_) | Variant(_));
    (!address).then(|| Slot::from_value(value).words())
}

/// The functions that machine code calls. All but `copy` take the run that the code was given;
/// those that execute an instruction take its place, too.
pub mod helpers {
    use super::*;

    /// A helper that executes an instruction.
    pub type Step = unsafe extern "C" fn(*mut Run, u32) -> u32;

    /// The fastest helper that executes an instruction.
    pub fn of(inst: &Inst) -> Step {
        match inst {
            Inst::StoreVar { .. } => store_variable,
            Inst::Open { .. } => open,
            Inst::Find { .. } => find,
            Inst::Next { .. } => next,
            Inst::SeriesNext { .. } => series_next,
            Inst::Call { .. } => call,
            Inst::BeginStatement { .. } => begin_statement,
            Inst::EndStatement { .. } => end_statement,
            Inst::Count { .. } => count,
            Inst::Checkpoint => checkpoint,
            Inst::Identity { .. } => identity,
            Inst::Update { .. } => update,
            Inst::Delete { .. } => delete,
            Inst::Insert { .. } => insert,
            _ => step,
        }
    }

    /// Executes the instruction.
    ///
    /// # Safety
    /// `run` is the run that [`Machine::run_code`] gave to the machine code that calls, and that
    /// code waits. `pc` is the place of an instruction of its unit whose operands are in memory
    /// (M2).
    pub unsafe extern "C" fn step(run: *mut Run, pc: u32) -> u32 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        caught(machine, |machine| {
            let inst = machine.unit.code[pc as usize];
            let flow = machine.step(inst);
            machine.told(pc, flow)
        })
    }

    /// Runs the body of a helper; a panic becomes an error of the run (M4).
    #[inline(always)]
    fn caught<'m, 'e>(
        machine: &mut Machine<'m, 'e>,
        body: impl FnOnce(&mut Machine<'m, 'e>) -> u32,
    ) -> u32 {
        let done = catch_unwind(AssertUnwindSafe(|| {
            reached(Place::Helper);
            body(machine)
        }));
        done.unwrap_or_else(|panicked| {
            machine.panicked = Some(panicked);
            outcome::FAILED
        })
    }

    /// Helpers that each execute one kind of instruction.
    macro_rules! steps {
        ($($name:ident: $inst:pat => |$machine:ident| $flow:expr;)*) => {$(
            /// See [`of`].
            ///
            /// # Safety
            /// As for [`step`].
            unsafe extern "C" fn $name(run: *mut Run, pc: u32) -> u32 {
                // SAFETY: `run` comes from the calling machine code, which waits until this helper
                // returns.
                let machine = unsafe { machine(run) };
                caught(machine, |$machine| {
                    let $inst = $machine.unit.code[pc as usize] else {
                        unreachable!("the code was made from another unit");
                    };
                    let flow = $flow;
                    $machine.told(pc, flow)
                })
            }
        )*};
    }

    steps! {
        open: Inst::Open { cursor } => |machine| machine.open_stored(cursor).map(|()| Flow::Next);
        find: Inst::Find { cursor, row, mark, done } => |machine| {
            machine.find_stored(cursor, row, mark, done)
        };
        next: Inst::Next { cursor, row, mark, done } => |machine| {
            machine.reset(mark);
            machine.next_stored(cursor, row, done)
        };
        series_next: Inst::SeriesNext { value, step, stop, mark, done } => |machine| {
            machine.reset(mark);
            machine.turn().map(|()| machine.next_of_series(value, step, stop, done))
        };
        call: Inst::Call { dst, site } => |machine| {
            machine.call_library(dst, site).map(|()| Flow::Next)
        };
        begin_statement: Inst::BeginStatement { statement } => |machine| {
            machine.begin_statement(statement).map(|()| Flow::Next)
        };
        end_statement: Inst::EndStatement { statement } => |machine| {
            machine.end_statement(statement).map(|()| Flow::Next)
        };
        count: Inst::Count { full } => |machine| Ok(match machine.count() {
            true => Flow::Jump(full),
            false => Flow::Next,
        });
        checkpoint: Inst::Checkpoint => |machine| machine.turn().map(|()| Flow::Next);
        identity: Inst::Identity { dst, target } => |machine| {
            machine.identity(dst, target).map(|()| Flow::Next)
        };
        update: Inst::Update { target, row, bytes, status } => |machine| {
            machine.update(target, row, bytes, status).map(|()| Flow::Next)
        };
        delete: Inst::Delete { target, row, status } => |machine| {
            machine.delete(target, row, status).map(|()| Flow::Next)
        };
        insert: Inst::Insert { target, bytes, row, ignored } => |machine| {
            machine.insert(target, bytes, row, ignored)
        };
    }

    /// Assigns a variable of bytes.
    ///
    /// # Safety
    /// As for [`step`]; the instruction is an [`Inst::StoreVar`].
    unsafe extern "C" fn store_variable(run: *mut Run, pc: u32) -> u32 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        caught(machine, |machine| {
            let Inst::StoreVar { var, src } = machine.unit.code[pc as usize] else {
                unreachable!("the code was made from another unit");
            };
            let slot = machine.slot(src);
            // SAFETY: I1: the register has the variable's type.
            if unsafe { machine.exec.frame.store(var, &slot) } {
                return outcome::NEXT;
            }
            let stored = machine.store_long(var, src).map(|()| Flow::Next);
            machine.told(pc, stored)
        })
    }

    /// Fails with the error of integer or float arithmetic whose operands are in memory.
    ///
    /// # Safety
    /// As for [`step`]. If the operands do not make the instruction fail, the error is a wrong one.
    pub unsafe extern "C" fn fail(run: *mut Run, pc: u32) -> u32 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        caught(machine, |machine| {
            let error = machine.arithmetic_error(pc);
            machine.failed(pc, error)
        })
    }

    /// Takes zeroed memory of the arena for a row of this length.
    ///
    /// # Safety
    /// As for [`step`].
    pub unsafe extern "C" fn row_memory(run: *mut Run, len: u64) -> *mut u8 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        machine.act.arena.alloc_zeroed(len as usize).as_mut_ptr()
    }

    /// Takes zeroed memory for the next row of this target; returns null if there is an error.
    ///
    /// # Safety
    /// As for [`step`]; the target is a table.
    pub unsafe extern "C" fn reserve(run: *mut Run, pc: u32, target: u32, len: u64) -> *mut u8 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        let mut place = std::ptr::null_mut();
        caught(machine, |machine| match machine.reserve(target as u16, len as usize) {
            Ok(row) => {
                place = row;
                outcome::NEXT
            }
            Err(error) => machine.failed(pc, error),
        });
        place
    }

    /// Executes an [`Inst::Insert`] of the row that was built in the memory from [`reserve`].
    ///
    /// # Safety
    /// As for [`step`].
    pub unsafe extern "C" fn insert_reserved(run: *mut Run, pc: u32) -> u32 {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        caught(machine, |machine| {
            let Inst::Insert { target, row, ignored, .. } = machine.unit.code[pc as usize] else {
                unreachable!("the code was made from another unit");
            };
            let flow = machine.insert_reserved(target, row, ignored);
            machine.told(pc, flow)
        })
    }

    /// Prefetches what an [`Inst::Find`] will need when the key, a number, is `next` and then
    /// `after`.
    ///
    /// # Safety
    /// As for [`step`].
    pub unsafe extern "C" fn look_ahead(run: *mut Run, pc: u32, next: i64, after: i64) {
        // SAFETY: `run` comes from the calling machine code, which waits until this helper returns.
        let machine = unsafe { machine(run) };
        if let Inst::Find { cursor, .. } = machine.unit.code[pc as usize] {
            machine.look_ahead(cursor, next, after);
        }
    }

    /// Copies bytes.
    ///
    /// # Safety
    /// `len` bytes can be read at `from` and written at `to`, and the two ranges do not overlap.
    pub unsafe extern "C" fn copy(to: *mut u8, from: *const u8, len: u64) {
        // SAFETY: the caller ensures that both ranges are valid and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from, to, len as usize) };
    }

    /// The machine behind a run.
    ///
    /// # Safety
    /// `run` is the address of a machine, as [`Machine::run_code`] gave it to machine code. Until
    /// the reference is no longer used, that code and `run_code` wait, and no other reference to
    /// the machine is made.
    #[inline(always)]
    unsafe fn machine<'r, 'm, 'e>(run: *mut Run) -> &'r mut Machine<'m, 'e> {
        // SAFETY: the caller ensures that this is the address of a machine that waits, and that
        // there is no other reference to it.
        unsafe { &mut *run.cast::<Machine<'m, 'e>>() }
    }
}

impl Machine<'_, '_> {
    /// Runs the unit's code from `pc` on, which is 0 or a handler.
    pub(super) fn run_code(&mut self, code: &dyn MachineCode) -> SqlResult<()> {
        let at_handler = |pc| self.unit.handlers.iter().position(|h| h.handler as usize == pc);
        let start = match self.pc {
            0 => 0,
            pc => at_handler(pc).expect("a run starts at a handler or at the start") as u32 + 1,
        };
        let slots = self.act.slots.as_mut_ptr().cast();
        let variables = self.exec.frame.slots_mut().cast();
        let run = std::ptr::from_mut(self).cast();
        // SAFETY: the code is that of this unit (M1); registers and variables are as many as the
        // unit has, and do not move while it runs.
        let outcome = unsafe { code.entry()(run, slots, variables, start) };
        if let Some(panicked) = self.panicked.take() {
            resume_unwind(panicked);
        }
        match self.failure.take() {
            Some(error) => Err(error),
            None => {
                debug_assert_eq!(outcome, outcome::HALTED);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn told(&mut self, pc: u32, flow: SqlResult<Flow>) -> u32 {
        match flow {
            Ok(Flow::Next) => outcome::NEXT,
            Ok(Flow::Jump(_)) => outcome::JUMP,
            Ok(Flow::Halt) => outcome::HALTED,
            Err(error) => self.failed(pc, error),
        }
    }

    #[cold]
    fn failed(&mut self, pc: u32, error: SqlError) -> u32 {
        self.pc = pc as usize + 1;
        self.failure = Some(error);
        outcome::FAILED
    }

    #[cold]
    fn arithmetic_error(&self, pc: u32) -> SqlError {
        match self.unit.code[pc as usize] {
            Inst::IntArith { op, kind, b, .. } => ops::int_error(op, kind, self.slot(b).as_int()),
            Inst::FloatArith { op, real, a, b, .. } => {
                let (a, b) = (self.slot(a).as_float(), self.slot(b).as_float());
                match ops::float(op, real, a, b) {
                    Err(error) => error,
                    Ok(_) => ir::internal("float arithmetic failed in code alone"),
                }
            }
            inst => unreachable!("{inst:?} does not fail so"),
        }
    }
}

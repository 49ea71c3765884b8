//! A unit that runs: its activation, and what surrounds it.

use std::sync::Arc;

use base::arena::Mark;
use base::{Account, Arena, Scratch, SqlError, SqlResult, Value, ValueRef, message};
use engine::txn::RowSpace;
use ir::inst::{Inst, Pc, Reg};
use ir::key::ChargedKey;
use ir::site::TargetTable;
use ir::{RegType, Unit};

use crate::interp::lent::Lent;
use crate::interp::local::LocalTable;
use crate::interp::memory::Grant;
use crate::interp::objects::{Object, Pools};
use crate::interp::registers::Registers;
use crate::interp::slot::Slot;
use crate::interp::{Execution, Outcome, TableSlot, Transition};

/// What a session keeps for running units: activations and objects that wait to be used again, and
/// the account of their memory.
#[derive(Debug)]
pub struct Runtime {
    #[expect(clippy::vec_box, reason = "they are moved for each statement")]
    idle: Vec<Box<Activation>>,
    pub(super) pools: Pools,
    /// What the session's statements may hold in memory.
    pub grant: Grant,
}

impl Runtime {
    /// A runtime whose statements' memory is charged to this grant.
    pub fn new(grant: Grant) -> Runtime {
        Runtime { idle: Vec::new(), pools: Pools::default(), grant }
    }

    /// Frees the registers and arenas that wait for the next run.
    #[cfg(any(test, feature = "testing"))]
    pub fn forget_idle(&mut self) {
        self.idle.clear();
    }
}

/// Registers, objects and scratch memory of one run.
#[derive(Debug)]
pub(super) struct Activation {
    pub slots: Vec<Slot>,
    pub objects: Vec<Object>,
    pub marks: Vec<Mark>,
    /// Values that live until the loop that made them begins its next turn.
    pub arena: Arena,
    /// Values that live as long as the run.
    pub keep: Arena,
    pub key: ChargedKey,
    pub row: Scratch,
}

impl Activation {
    /// An activation whose values are charged to this account.
    fn new(account: &Arc<Account>) -> Activation {
        let arena = || Arena::charged_to(account.clone());
        Activation {
            slots: Vec::new(),
            objects: Vec::new(),
            marks: Vec::new(),
            arena: arena(),
            keep: arena(),
            key: ChargedKey::new(),
            row: Scratch::default(),
        }
    }
}

/// Arenas of this size go back to the system when a run ends.
const ARENA_KEPT: usize = 256 << 10;

/// Activations that a session keeps.
const IDLE_MAX: usize = 8;

/// A unit that runs.
pub(super) struct Machine<'m, 'e> {
    pub unit: &'m Unit,
    pub act: Box<Activation>,
    pub exec: &'m mut Execution<'e>,
    pub outcome: Outcome,
    /// The instruction after the one that is being executed, when that may fail.
    pub pc: usize,
    /// Memory for a row that machine code is building in its place.
    pub space: Option<RowSpace<'m>>,
    /// The transaction, while the session has lent it.
    pub lent: Option<Lent>,
    /// The error for which machine code has returned.
    pub failure: Option<SqlError>,
    /// The panic of a helper for which machine code has returned.
    pub panicked: Option<Box<dyn std::any::Any + Send>>,
    /// Counts loop turns between checkpoints.
    pub turns: u32,
    /// Whether the unit changes table variables.
    changes_variables: bool,
    /// Whether statements are open on the table variables that the unit changes.
    local_open: bool,
    /// Whether the client has been told that duplicates are ignored.
    pub told_ignored: bool,
    /// The rows that a unit with changes has counted, once it has run.
    pub rows_written: u64,
}

/// Runs `f` with a machine for a unit.
pub(super) fn with<T>(
    unit: &Unit,
    exec: &mut Execution<'_>,
    f: impl FnOnce(&mut Machine<'_, '_>) -> SqlResult<T>,
) -> SqlResult<T> {
    let idle = exec.runtime.idle.pop();
    let mut act = idle.unwrap_or_else(|| Box::new(Activation::new(exec.runtime.grant.account())));
    if act.slots.len() < unit.registers.len() {
        act.slots.resize(unit.registers.len(), Slot::NULL);
    }
    if act.marks.len() < usize::from(unit.marks) {
        act.marks.resize(usize::from(unit.marks), act.arena.mark());
    }
    let Execution { runtime, .. } = exec;
    act.objects.extend(unit.objects.iter().map(|desc| runtime.pools.take(unit, desc)));
    let outcome = Outcome::default();
    let counts_reads = exec.host.counts_reads();
    if counts_reads {
        // Objects come from runs that did not count.
        for object in &mut act.objects {
            let _ = object.take_counts();
        }
    }
    let mut machine = Machine {
        unit,
        act,
        exec,
        outcome,
        pc: 0,
        space: None,
        lent: None,
        failure: None,
        panicked: None,
        turns: 0,
        changes_variables: changes_variables(unit),
        local_open: false,
        told_ignored: false,
        rows_written: 0,
    };
    let result = f(&mut machine);
    if counts_reads {
        machine.report_reads();
    }
    machine.end();
    result
}

fn changes_variables(unit: &Unit) -> bool {
    unit.targets.iter().any(|t| matches!(t.table, TargetTable::Variable(_)))
}

impl Machine<'_, '_> {
    /// Gives the activation and its objects back to the runtime.
    fn end(self) {
        let Machine { mut act, exec, .. } = self;
        let runtime = &mut *exec.runtime;
        for object in act.objects.drain(..) {
            runtime.pools.give(object, &mut runtime.grant);
        }
        for arena in [&mut act.arena, &mut act.keep] {
            if arena.allocated_bytes() > ARENA_KEPT {
                *arena = Arena::charged_to(runtime.grant.account().clone());
            } else {
                arena.reset();
            }
        }
        if runtime.idle.len() < IDLE_MAX {
            runtime.idle.push(act);
        }
    }

    /// Runs the unit from its first instruction, with statements open on the local tables that it
    /// changes. The outcome is the unit's.
    pub fn run_unit(&mut self) -> SqlResult<Outcome> {
        // Native modules open a statement where each of theirs begins.
        if self.unit.statements.is_empty() {
            self.begin_local();
        }
        self.begin_transitions();
        let result = self.run_handled();
        self.give_back();
        self.end_local(result.is_ok());
        result?;
        let mut outcome = std::mem::take(&mut self.outcome);
        self.rows_written = outcome.rows;
        let counted = |reg| self.slot(reg).as_int() as u64;
        let counters = self.unit.counters.iter();
        outcome.counted = counters.map(|c| (counted(c.executions), counted(c.rows))).collect();
        outcome.transitions.retain(|t| !t.inserted.is_empty() || !t.deleted.is_empty());
        Ok(outcome)
    }

    /// Makes tables for the rows that triggers will see.
    pub fn begin_transitions(&mut self) {
        self.outcome.transitions.extend(self.unit.transitions.iter().map(|site| {
            let layout = &self.unit.layouts[usize::from(site.layout)];
            Transition {
                table: site.table.clone(),
                kind: site.kind,
                inserted: LocalTable::plain(layout.clone()),
                deleted: LocalTable::plain(layout.clone()),
            }
        }));
    }

    /// The table variables that the unit changes.
    fn local_targets(&mut self) -> impl Iterator<Item = &mut LocalTable> {
        let mut changed: Vec<usize> = (self.unit.targets.iter())
            .filter_map(|t| match t.table {
                TargetTable::Variable(var) => Some(var.0 as usize),
                TargetTable::Table(_) => None,
            })
            .collect();
        changed.sort_unstable();
        changed.dedup();
        let frame = &mut *self.exec.frame;
        frame.tables_mut().enumerate().filter_map(move |(at, slot)| match slot {
            TableSlot::Own(table) if changed.binary_search(&at).is_ok() => Some(&mut **table),
            _ => None,
        })
    }

    /// Begins a statement on the table variables that the unit changes.
    #[inline]
    pub fn begin_local(&mut self) {
        if self.changes_variables {
            self.local_targets().for_each(LocalTable::begin_statement);
            self.local_open = true;
        }
    }

    /// Ends the statement in the local tables: keeps or undoes its changes.
    #[inline]
    pub fn end_local(&mut self, succeeded: bool) {
        if self.local_open {
            self.local_open = false;
            self.end_local_statements(succeeded);
        }
    }

    #[cold]
    fn end_local_statements(&mut self, succeeded: bool) {
        for table in self.local_targets() {
            match succeeded {
                true => table.end_statement(),
                false => table.rollback_statement(),
            }
        }
    }

    /// Runs the unit; on an error, goes on at the handler that covers the failed instruction.
    fn run_handled(&mut self) -> SqlResult<()> {
        loop {
            let Err(error) = self.run() else { return Ok(()) };
            let failed = Pc(self.pc as u32 - 1);
            if self.gives_null(failed, &error) {
                continue;
            }
            let error = match self.unit.line_at(failed) {
                Some(line) => error.at_line(line),
                None => error,
            };
            let Some(handler) = self.unit.handler_at(failed) else { return Err(error) };
            let (to, depth) = (handler.handler, handler.atomic_depth);
            self.end_local(false);
            let task = self.exec.task;
            self.host().catch(task, error, depth)?;
            self.pc = to as usize;
        }
    }

    /// With `ARITHABORT` and `ANSI_WARNINGS` off, makes the result of a failed computation NULL.
    fn gives_null(&mut self, failed: Pc, error: &SqlError) -> bool {
        if !self.unit.arithmetic_errors_are_null {
            return false;
        }
        let dst = match self.unit.code[failed.0 as usize] {
            Inst::IntArith { dst, .. }
            | Inst::FloatArith { dst, .. }
            | Inst::Arith { dst, .. }
            | Inst::Unary { dst, .. }
            | Inst::CastInt { dst, .. }
            | Inst::CastIntDecimal { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Call { dst, .. }
            | Inst::GroupResult { dst, .. }
            | Inst::WindowResult { dst, .. } => dst,
            _ => return false,
        };
        if !is_arithmetic(error) {
            return false;
        }
        self.set(dst, Slot::NULL);
        self.host().note_arithmetic_error(error);
        true
    }

    /// Sets a register.
    #[inline(always)]
    pub fn set(&mut self, reg: Reg, slot: Slot) {
        self.act.slots[usize::from(reg.0)] = slot;
    }

    /// A register's type.
    #[inline(always)]
    pub fn ty(&self, reg: Reg) -> RegType {
        self.unit.registers[usize::from(reg.0)]
    }

    /// A register.
    #[inline(always)]
    pub fn slot(&self, reg: Reg) -> Slot {
        self.act.slots[usize::from(reg.0)]
    }

    /// The registers.
    #[inline(always)]
    pub fn registers(&self) -> Registers<'_> {
        registers(&self.act.slots)
    }

    /// Counts a loop turn; every 64th is a [`Machine::checkpoint`].
    #[inline(always)]
    pub fn turn(&mut self) -> SqlResult<()> {
        self.turns = self.turns.wrapping_add(1);
        if self.turns & 63 == 0 { self.checkpoint() } else { Ok(()) }
    }

    /// Lets other sessions run. Fails if the client has sent attention, or values have taken more
    /// memory than there is.
    #[inline(never)]
    pub fn checkpoint(&mut self) -> SqlResult<()> {
        self.exec.runtime.grant.check()?;
        self.exec.task.checkpoint().map_err(|_| interrupted())
    }

    /// The value of a unit that is an expression. Error 701 where there is no room for a long one.
    pub fn result(&self) -> SqlResult<Value> {
        let Some((reg, ty)) = &self.unit.result else { return Ok(Value::Null) };
        self.kept(self.registers().value(*reg, ty))
    }

    /// A copy of a value. Error 701 where there is no room for a long one.
    pub fn kept(&self, value: ValueRef<'_>) -> SqlResult<Value> {
        self.exec.runtime.grant.admit(value.byte_len())?;
        Ok(value.to_owned())
    }

    /// The outcome of a unit that is a condition.
    pub fn truth(&self) -> bool {
        self.unit.result.is_some_and(|(reg, _)| {
            debug_assert_eq!(self.unit.reg_type(reg), RegType::I64);
            self.slot(reg).as_int() != 0
        })
    }
}

/// The registers of a machine whose other parts are in use.
#[inline(always)]
pub(super) fn registers(slots: &[Slot]) -> Registers<'_> {
    // SAFETY: I1: units keep their registers as U1, U2 and U4 promise, and an address is read
    // through only within the instruction that reads the register.
    unsafe { Registers::new(slots) }
}

/// The error of a statement that the client has cancelled.
#[cold]
pub(super) fn interrupted() -> SqlError {
    SqlError::new(&message::COMMAND_CANCELLED, &[])
}

/// Whether an error is one that gives NULL under `ARITHABORT` and `ANSI_WARNINGS` OFF.
pub(super) fn is_arithmetic(error: &SqlError) -> bool {
    let arithmetic = [
        message::DIVIDE_BY_ZERO.number,
        message::OVERFLOW_CONVERTING.number,
        message::VALUE_OVERFLOW.number,
        message::FLOAT_OVERFLOW.number,
        message::INVALID_FLOATING_POINT.number,
    ];
    arithmetic.contains(&error.number())
}

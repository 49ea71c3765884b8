//! Writes units: registers, labels, instructions, sites.

use std::collections::HashMap;
use std::sync::Arc;

use base::{SqlError, SqlResult, SqlType, Value};
use engine::hot::row::RowLayout;

use crate::Unit;
use crate::error::internal;
use crate::inst::{Inst, MarkId, Pc, Reg, RegList, RegType};
use crate::object::{ObjId, ObjectDesc};
use crate::operand::Access;
use crate::site::{Constant, Handler};
use crate::unit::UnitParts;

/// A place in the code that may not be written yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label(u32);

impl Label {
    /// The label as a jump's target, until [`Builder::finish`] resolves it.
    pub fn pc(self) -> Pc {
        Pc(self.0)
    }
}

/// Writes a unit, instruction by instruction.
///
/// Code is written in **sections**, which [`Builder::finish`] puts one after the other. The first
/// is for constants. A statement has two, its **prologue** and its body, written side by side: what
/// is evaluated once per statement goes to the prologue whenever it is come across
/// ([`Builder::in_prologue`]).
///
/// A statement does not read registers of another. In a long unit later statements reuse those of
/// earlier ones, since code generation takes memory by registers times instructions.
#[derive(Debug)]
pub struct Builder {
    /// The unit so far; its tables may be filled directly.
    pub unit: UnitParts,
    sections: Vec<Vec<Inst>>,
    /// Where instructions go.
    current: usize,
    /// Where [`Builder::in_prologue`] puts them.
    prologue: usize,
    /// The section and place of each label.
    labels: Vec<Option<(usize, usize)>>,
    handlers: Vec<(Label, Label, Label, u16)>,
    switches: Vec<Vec<Label>>,
    lines: Vec<((usize, usize), u32)>,
    /// In a long unit: the registers of the current statement, and free ones by their types.
    of_statement: Vec<Reg>,
    unused: HashMap<RegType, Vec<Reg>>,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder {
            unit: UnitParts::default(),
            sections: vec![Vec::new(), Vec::new(), Vec::new(), Vec::new()],
            current: 3,
            prologue: 2,
            labels: Vec::new(),
            handlers: Vec::new(),
            switches: Vec::new(),
            lines: Vec::new(),
            of_statement: Vec::new(),
            unused: HashMap::new(),
        }
    }
}

/// The section of constants.
const CONSTANTS: usize = 0;

/// A unit with this many registers is long.
const LONG_REGISTERS: usize = 1000;

/// A register that no unit has because it has too many.
const REGISTERS_MAX: usize = u16::MAX as usize;

impl Builder {
    /// An empty unit.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// A new register.
    ///
    /// # Panics
    /// When a unit would need more than 65,535; [`Builder::is_full`] says so before.
    pub fn reg(&mut self, ty: RegType) -> Reg {
        if !self.is_long() {
            return self.lasting_reg(ty);
        }
        let unused = self.unused.get_mut(&ty).and_then(Vec::pop);
        let reg = unused.unwrap_or_else(|| self.lasting_reg(ty));
        self.of_statement.push(reg);
        reg
    }

    /// Whether statements reuse registers of earlier ones.
    pub fn is_long(&self) -> bool {
        self.unit.registers.len() >= LONG_REGISTERS
    }

    /// As [`Builder::reg`], for a register that is never reused.
    pub fn lasting_reg(&mut self, ty: RegType) -> Reg {
        let reg = Reg(u16::try_from(self.unit.registers.len()).expect("is_full() is watched"));
        self.unit.registers.push(ty);
        reg
    }

    /// A new register for values of a SQL type.
    pub fn reg_for(&mut self, ty: &SqlType) -> Reg {
        self.reg(RegType::of(ty))
    }

    /// Whether the unit is about to run out of registers, or of numbers for objects, layouts and
    /// results: error 8623 instead of a panic.
    pub fn is_full(&self) -> bool {
        let unit = &self.unit;
        let most = unit.registers.len().max(unit.objects.len()).max(unit.layouts.len());
        let most = most.max(unit.targets.len()).max(unit.transitions.len());
        most.max(unit.results.len()).max(usize::from(unit.marks)) + 4096 > REGISTERS_MAX
    }

    /// A new list of registers.
    pub fn list(&mut self, regs: &[Reg]) -> RegList {
        let start = self.unit.lists.len() as u32;
        self.unit.lists.extend_from_slice(regs);
        RegList { start, len: regs.len() as u16 }
    }

    /// A new arena mark.
    pub fn mark(&mut self) -> MarkId {
        self.unit.marks += 1;
        MarkId(self.unit.marks - 1)
    }

    /// A new object.
    pub fn object(&mut self, desc: ObjectDesc) -> ObjId {
        self.unit.objects.push(desc);
        ObjId((self.unit.objects.len() - 1) as u16)
    }

    /// The place of a layout among the unit's.
    pub fn layout(&mut self, layout: &Arc<RowLayout>) -> u16 {
        let known = self.unit.layouts.iter().position(|l| Arc::ptr_eq(l, layout));
        known.unwrap_or_else(|| {
            self.unit.layouts.push(layout.clone());
            self.unit.layouts.len() - 1
        }) as u16
    }

    /// The layout of rows with columns of these types.
    pub fn layout_of(&mut self, types: &[SqlType]) -> u16 {
        let same = |l: &Arc<RowLayout>| l.columns().iter().map(|c| &c.ty).eq(types.iter());
        if let Some(known) = self.unit.layouts.iter().position(same) {
            return known as u16;
        }
        self.layout(&Arc::new(RowLayout::new(types)))
    }

    /// A constant that is not NULL.
    pub fn constant(&mut self, ty: SqlType, value: Value) -> u32 {
        debug_assert!(!value.is_null(), "NULL is no constant");
        self.unit.constants.push(Constant { ty, value });
        (self.unit.constants.len() - 1) as u32
    }

    /// An error that some instruction may raise, or a message.
    pub fn error(&mut self, error: SqlError) -> u32 {
        self.unit.errors.push(error);
        (self.unit.errors.len() - 1) as u32
    }

    /// A new label, to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label((self.labels.len() - 1) as u32)
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        let at = (self.current, self.sections[self.current].len());
        let old = self.labels[label.0 as usize].replace(at);
        debug_assert!(old.is_none(), "a label is placed once");
    }

    /// A new label, placed here.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.place(label);
        label
    }

    /// Adds an instruction. Targets are labels' [`Label::pc`].
    pub fn emit(&mut self, inst: Inst) {
        self.sections[self.current].push(inst);
    }

    /// Jumps.
    pub fn jump(&mut self, to: Label) {
        self.emit(Inst::Jump { to: to.pc() });
    }

    /// Jumps to one of several places, by a register.
    pub fn switch(&mut self, on: Reg, targets: Vec<Label>) {
        self.switches.push(targets);
        self.emit(Inst::Switch { on, table: (self.switches.len() - 1) as u32 });
    }

    /// Raises an error.
    pub fn raise(&mut self, error: SqlError) {
        let error = self.error(error);
        self.emit(Inst::Raise { error });
    }

    /// Declares that errors between two labels go to a handler. Inner handlers are declared first.
    pub fn handler(&mut self, from: Label, to: Label, handler: Label, atomic_depth: u16) {
        self.handlers.push((from, to, handler, atomic_depth));
    }

    /// Notes that what follows belongs to this line of the module.
    pub fn line(&mut self, line: u32) {
        if self.lines.last().is_none_or(|l| l.1 != line) {
            self.lines.push(((self.current, self.sections[self.current].len()), line));
        }
    }

    /// Starts a statement: a new prologue, which starts here, and a new body after it.
    pub fn start_statement(&mut self) {
        for reg in self.of_statement.drain(..) {
            self.unused.entry(self.unit.reg_type(reg)).or_default().push(reg);
        }
        self.sections.extend([Vec::new(), Vec::new(), Vec::new()]);
        self.current = self.sections.len() - 1;
        self.prologue = self.current - 1;
    }

    /// Writes an instruction in front of the statement's prologue.
    pub fn emit_before_statement(&mut self, inst: Inst) {
        self.sections[self.prologue - 1].push(inst);
    }

    /// Writes what `f` emits into the statement's prologue.
    pub fn in_prologue<T>(&mut self, f: impl FnOnce(&mut Builder) -> T) -> T {
        let outside = std::mem::replace(&mut self.current, self.prologue);
        let result = f(self);
        self.current = outside;
        result
    }

    /// Writes a constant's instruction, which runs once and first.
    pub fn emit_constant(&mut self, inst: Inst) {
        self.sections[CONSTANTS].push(inst);
    }

    /// Ends the unit: puts the prologue first, resolves labels, verifies. A unit that
    /// breaks its contract is error 8624, in debug builds a panic that shows it.
    pub fn finish(mut self) -> SqlResult<Unit> {
        self.emit(Inst::Halt);
        let starts: Vec<usize> = (self.sections.iter())
            .scan(0, |at, section| {
                *at += section.len();
                Some(*at - section.len())
            })
            .collect();
        let labels = std::mem::take(&mut self.labels);
        let resolve = |label: u32| {
            let (section, at) =
                labels[label as usize].expect("every label that is used has been placed");
            Pc((starts[section] + at) as u32)
        };
        let mut unit = self.unit;
        unit.code = self.sections.concat();
        for inst in &mut unit.code {
            if let Some(target) = inst.target_mut() {
                *target = resolve(target.0);
            }
        }
        unit.switches =
            self.switches.iter().map(|t| t.iter().map(|l| resolve(l.0)).collect()).collect();
        unit.handlers = (self.handlers.iter())
            .map(|&(from, to, handler, atomic_depth)| Handler {
                from: resolve(from.0).0,
                to: resolve(to.0).0,
                handler: resolve(handler.0).0,
                atomic_depth,
            })
            .collect();
        unit.lines = (self.lines.iter())
            .map(|&((section, at), line)| (Pc((starts[section] + at) as u32), line))
            .collect();
        note_unread(&mut unit);
        let problem = |problem| internal(&format!("lowering made a bad unit: {problem}"));
        unit.verified().map_err(problem)
    }
}

/// Marks the cursors whose rows no instruction reads, though some take them.
fn note_unread(unit: &mut UnitParts) {
    let mut read = vec![false; unit.registers.len()];
    for inst in &unit.code {
        inst.operands(unit, &mut |operand| {
            let reads = matches!(operand.access, Access::Read | Access::ReadNullable);
            read[usize::from(operand.reg.0)] |= reads;
        });
    }
    // By cursor: nothing if no instruction goes through its rows.
    let mut unread: Vec<Option<bool>> = vec![None; unit.objects.len()];
    for inst in &unit.code {
        let (cursor, is_read) = match inst {
            Inst::Next { cursor, row, .. } => (cursor, read[usize::from(row.0)]),
            Inst::GroupCount { cursor, .. } => (cursor, false),
            _ => continue,
        };
        *unread[usize::from(cursor.0)].get_or_insert(true) &= !is_read;
    }
    for (object, unread) in unit.objects.iter_mut().zip(unread) {
        if let ObjectDesc::Cursor(desc) = object {
            desc.unread = unread.unwrap_or(false);
        }
    }
}

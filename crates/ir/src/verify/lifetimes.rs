//! Finds the registers whose memory each instruction frees (invariant U4).
//!
//! The arena is a stack: resetting it to a mark frees what was allocated since the mark was set.
//! For each mark this module follows the code backwards from the resets to where the mark is set,
//! and collects the registers that point to memory allocated on these paths. The flow of values
//! (the parent module) knows whether such a register still holds that pointer.
//!
//! An assignment of a variable frees the memory of registers that point into it.

use std::collections::{HashMap, HashSet};

use super::routines::Routines;
use super::successors;
use crate::UnitParts;
use crate::inst::{Inst, MarkId, Reg, RegType};
use crate::operand::Access;

/// The registers whose memory is freed, by the instruction that frees it.
pub(super) struct Lifetimes {
    ended: HashMap<usize, Vec<Reg>>,
}

impl Lifetimes {
    /// Analyses all instructions of a unit.
    pub fn find(unit: &UnitParts, routines: &Routines) -> Lifetimes {
        let mut found = Lifetimes { ended: HashMap::new() };
        let backward = Backward::find(unit);
        let mut ends: HashMap<MarkId, Vec<usize>> = HashMap::new();
        for (at, inst) in unit.code.iter().enumerate() {
            if let Some(mark) = given_back(inst) {
                ends.entry(mark).or_default().push(at);
            }
        }
        for (mark, ends) in ends {
            let taken = taken_since(unit, routines, &backward, mark, &ends);
            for end in ends {
                found.ended.entry(end).or_default().extend(&taken);
            }
        }
        found.end_variables(unit);
        found
    }

    /// The registers that may point to memory that this instruction frees.
    pub fn ended_at(&self, at: usize) -> &[Reg] {
        self.ended.get(&at).map_or(&[], Vec::as_slice)
    }

    fn end_variables(&mut self, unit: &UnitParts) {
        let mut loads: HashMap<u32, HashSet<Reg>> = HashMap::new();
        for inst in &unit.code {
            if let Inst::LoadVar { dst, var } = *inst
                && unit.reg_type(dst) == RegType::Bytes
            {
                loads.entry(var).or_default().insert(dst);
            }
        }
        let all: Vec<usize> = (0..unit.code.len()).collect();
        for registers in loads.values_mut() {
            follow_moves(unit, &all, registers);
        }
        for (at, inst) in unit.code.iter().enumerate() {
            if let Inst::StoreVar { var, .. } = inst
                && let Some(registers) = loads.get(var)
            {
                self.ended.entry(at).or_default().extend(registers);
            }
        }
    }
}

/// The mark to which the instruction resets the arena.
fn given_back(inst: &Inst) -> Option<MarkId> {
    use Inst::*;
    match *inst {
        Reset { mark }
        | Next { mark, .. }
        | LocalNext { mark, .. }
        | SeriesNext { mark, .. }
        | StreamNext { mark, .. }
        | SortNext { mark, .. }
        | HashReplay { mark, .. }
        | HashNext { mark, .. }
        | HashUnmatched { mark, .. }
        | GroupNext { mark, .. }
        | SetNext { mark, .. }
        | WindowNext { mark, .. } => Some(mark),
        _ => None,
    }
}

/// The mark that the instruction sets.
fn mark_set(inst: &Inst) -> Option<MarkId> {
    match *inst {
        Inst::Mark { mark } | Inst::Find { mark, .. } => Some(mark),
        _ => None,
    }
}

/// The control flow of a unit, backwards.
struct Backward {
    /// The predecessors of each instruction, error handlers included. A call of a routine is a
    /// predecessor of the instruction after it.
    before: Vec<Vec<usize>>,
    /// The calls of each routine, by its first instruction.
    calls: HashMap<usize, Vec<usize>>,
}

impl Backward {
    fn find(unit: &UnitParts) -> Backward {
        let mut before = vec![Vec::new(); unit.code.len()];
        let mut calls: HashMap<usize, Vec<usize>> = HashMap::new();
        for (at, inst) in unit.code.iter().enumerate() {
            match *inst {
                Inst::Gosub { to, .. } => {
                    before[at + 1].push(at);
                    calls.entry(to.0 as usize).or_default().push(at);
                }
                _ => successors(unit, at).for_each(|next| before[next].push(at)),
            }
        }
        for handler in &unit.handlers {
            before[handler.handler as usize].extend(handler.from as usize..handler.to as usize);
        }
        Backward { before, calls }
    }
}

/// Collects the instructions on paths from where a mark is set.
struct Ways<'u> {
    unit: &'u UnitParts,
    routines: &'u Routines,
    backward: &'u Backward,
    mark: MarkId,
    found: HashSet<usize>,
    /// The routines that were followed backwards, each with whether a path through it leaves the
    /// mark as it was.
    through: HashMap<Reg, bool>,
}

impl Ways<'_> {
    /// Follows the code backwards from some instructions; if they belong to the routine of this
    /// link, to its beginning at most. Returns whether a path from there does not set the mark.
    fn back(&mut self, from: impl Iterator<Item = usize>, routine: Option<Reg>) -> bool {
        let Backward { before, calls } = self.backward;
        let mut work: Vec<usize> = from.collect();
        let (mut seen, mut is_open) = (HashSet::new(), false);
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            self.found.insert(at);
            if mark_set(&self.unit.code[at]) == Some(self.mark) {
                continue;
            }
            if let Inst::Gosub { link, .. } = self.unit.code[at]
                && !self.is_open_through(link)
            {
                continue;
            }
            work.extend(&before[at]);
            match (routine, calls.get(&at)) {
                // All calls of one entry have the same link.
                (Some(routine), Some(calls)) => {
                    let first = &self.unit.code[calls[0]];
                    is_open |= matches!(first, Inst::Gosub { link, .. } if *link == routine);
                }
                (None, Some(calls)) => work.extend(calls.iter().flat_map(|&call| &before[call])),
                (_, None) => {}
            }
        }
        is_open
    }

    /// Whether a path through a routine does not set the mark.
    fn is_open_through(&mut self, link: Reg) -> bool {
        if let Some(&is_open) = self.through.get(&link) {
            return is_open;
        }
        let routines = self.routines;
        let Some(routine) = routines.get(link) else { return true };
        self.through.insert(link, false); // routines call each other without cycles
        let is_open = self.back(routine.returns.iter().copied(), Some(link));
        self.through.insert(link, is_open);
        is_open
    }
}

/// The registers that point to memory allocated on paths from where the mark is set to these
/// instructions.
fn taken_since(
    unit: &UnitParts,
    routines: &Routines,
    backward: &Backward,
    mark: MarkId,
    ends: &[usize],
) -> HashSet<Reg> {
    let (found, through) = (HashSet::new(), HashMap::new());
    let mut ways = Ways { unit, routines, backward, mark, found, through };
    let mut from: Vec<usize> = Vec::new();
    for end in ends {
        from.extend(&backward.before[*end]);
        let calls = backward.calls.get(end).into_iter().flatten();
        from.extend(calls.flat_map(|&call| &backward.before[call]));
    }
    ways.back(from.into_iter(), None);
    let ways: Vec<usize> = ways.found.into_iter().collect();
    let taken = ways.iter().flat_map(|&at| pointers_taken(unit, &unit.code[at]));
    let mut taken: HashSet<Reg> = taken.collect();
    follow_moves(unit, &ways, &mut taken);
    taken
}

/// Adds the registers whose pointers are derived from registers in the set.
fn follow_moves(unit: &UnitParts, way: &[usize], registers: &mut HashSet<Reg>) {
    loop {
        let known = registers.len();
        for &at in way {
            let inst = &unit.code[at];
            if source_of(inst).is_some_and(|from| registers.contains(&from)) {
                inst.operands(unit, &mut |operand| {
                    if writes_pointer(operand.access, operand.ty) {
                        registers.insert(operand.reg);
                    }
                });
            }
        }
        if registers.len() == known {
            return;
        }
    }
}

/// The register to whose memory the instruction's result points.
fn source_of(inst: &Inst) -> Option<Reg> {
    match *inst {
        Inst::Move { src, .. } => Some(src),
        Inst::LoadFixed { row, .. }
        | Inst::LoadVariable { row, .. }
        | Inst::RowBytes { row, .. } => Some(row),
        Inst::BytesRow { bytes, .. } => Some(bytes),
        _ => None,
    }
}

/// The registers that get pointers to memory that the instruction may allocate in the arena.
fn pointers_taken(unit: &UnitParts, inst: &Inst) -> Vec<Reg> {
    let mut taken = Vec::new();
    // Constants, variables and kept values are not in the part of the arena that marks reset.
    let elsewhere = matches!(
        inst,
        Inst::Const { .. } | Inst::LoadVar { .. } | Inst::Keep { .. } | Inst::KeepRow { .. }
    );
    if !elsewhere && source_of(inst).is_none() {
        inst.operands(unit, &mut |operand| {
            if writes_pointer(operand.access, operand.ty) {
                taken.push(operand.reg);
            }
        });
    }
    taken
}

fn writes_pointer(access: Access, ty: RegType) -> bool {
    matches!(access, Access::Write | Access::WriteNullable)
        && matches!(ty, RegType::Bytes | RegType::Row)
}

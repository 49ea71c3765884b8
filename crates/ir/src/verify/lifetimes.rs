//! Which registers lose their memory at which instruction (invariant U4).
//!
//! The arena is a stack: giving it back to a mark ends what was taken since the mark was set. For
//! each mark this follows the code backwards from where the arena is given back to where the mark
//! is set, and collects the registers that are made to point into the arena on the way. It does not
//! say whether such a register still holds that value; the flow of values does.
//!
//! An assignment of a variable ends the registers that point into it.

use std::collections::{HashMap, HashSet};

use super::routines::Routines;
use super::successors;
use crate::Unit;
use crate::inst::{Inst, MarkId, Reg, RegType};
use crate::operand::Access;

/// The registers whose memory ends, by the instruction that ends it.
pub(super) struct Lifetimes {
    ended: HashMap<usize, Vec<Reg>>,
}

impl Lifetimes {
    /// Of all the unit's instructions.
    pub fn find(unit: &Unit, routines: &Routines) -> Lifetimes {
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

    /// The registers that may point to memory that this instruction gives back.
    pub fn ended_at(&self, at: usize) -> &[Reg] {
        self.ended.get(&at).map_or(&[], Vec::as_slice)
    }

    fn end_variables(&mut self, unit: &Unit) {
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

/// The mark that the instruction gives the arena back to.
fn given_back(inst: &Inst) -> Option<MarkId> {
    use Inst::*;
    match *inst {
        Reset { mark }
        | Next { mark, .. }
        | LocalNext { mark, .. }
        | SeriesNext { mark, .. }
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

/// The way back through a unit.
struct Backward {
    /// The instructions from which control comes to each, into error handlers, too. A call of a
    /// routine is one step to what follows it.
    before: Vec<Vec<usize>>,
    /// The calls that lead to the first instruction of a routine.
    calls: HashMap<usize, Vec<usize>>,
}

impl Backward {
    fn find(unit: &Unit) -> Backward {
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

/// The instructions on ways from where a mark is set.
struct Ways<'u> {
    unit: &'u Unit,
    routines: &'u Routines,
    backward: &'u Backward,
    mark: MarkId,
    found: HashSet<usize>,
    /// The routines that were gone through from their ends, and whether the mark may be set before
    /// their beginning.
    through: HashMap<Reg, bool>,
}

impl Ways<'_> {
    /// Goes back from some instructions, at most to the beginning of the routine of this link if
    /// they are of one. Returns whether there is a way from there on which the mark is not set.
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
                // All calls that lead to an instruction are of one routine.
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

    /// Whether there is a way through a routine on which the mark is not set.
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

/// The registers that are made to point into the arena on ways from where the mark is set to these
/// instructions.
fn taken_since(
    unit: &Unit,
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

/// Adds the registers that get their pointers from others that are in the set.
fn follow_moves(unit: &Unit, way: &[usize], registers: &mut HashSet<Reg>) {
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

/// The register that the instruction's result points to the same memory as.
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

/// The registers that the instruction makes point to memory which it may take from the arena.
fn pointers_taken(unit: &Unit, inst: &Inst) -> Vec<Reg> {
    let mut taken = Vec::new();
    // Constants, variables and what is kept lie elsewhere.
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

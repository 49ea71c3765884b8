//! Checks invariants U1 to U4 of a unit by following every path through it.
//!
//! For each instruction it computes what each register can be when control arrives there: not yet
//! defined, NULL, a value, a value whose memory has been given back, or several of these. Jumps
//! refine that knowledge: after a guard its operand is a value. The code of an error handler knows
//! what held at every instruction that it protects.
//!
//! Code that is entered by [`Inst::Gosub`] (a **routine**) is followed once for all its callers,
//! with what they know about the registers that it uses. When it returns, a caller knows about
//! registers that the routine writes what the routine knows, and about the others what it knew
//! before.

use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

mod lifetimes;
mod objects;
mod routines;

use crate::UnitParts;
use crate::inst::{Inst, Pc, Reg};
use crate::object::ObjectDesc;
use crate::operand::{Access, Operand};
use lifetimes::Lifetimes;
use objects::{kind_of, object_of, other_object_of};
use routines::{Routine, Routines};

/// What is wrong with a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where.
    pub at: Pc,
    /// What.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.at.0, self.what)
    }
}

const UNDEFINED: u8 = 1;
const NULL: u8 = 2;
const VALUE: u8 = 4;
/// Beside [`VALUE`]: it may point to memory that has been given back.
const GONE: u8 = 8;

/// What each register can be: four bits for each, in pieces that states share until one of them
/// changes. So states of large units, which differ in few registers, are cheap to keep and compare.
#[derive(Clone)]
struct State(Vec<Rc<Piece>>);

type Piece = [u64; 64];

impl State {
    /// How many registers a word tells of.
    const PER_WORD: usize = 16;
    /// And how many a piece.
    const PER_PIECE: usize = State::PER_WORD * 64;

    /// The same is known of all registers.
    fn of_all(registers: usize, known: u8) -> State {
        let piece = Rc::new([u64::MAX / 0xF * u64::from(known); 64]);
        State(vec![piece; registers.div_ceil(State::PER_PIECE)])
    }

    /// The piece and word of a register, and its bits there.
    fn place(reg: Reg) -> (usize, usize, usize) {
        let at = usize::from(reg.0);
        let (piece, at) = (at / State::PER_PIECE, at % State::PER_PIECE);
        (piece, at / State::PER_WORD, at % State::PER_WORD * 4)
    }

    fn get(&self, reg: Reg) -> u8 {
        let (piece, word, shift) = State::place(reg);
        (self.0[piece][word] >> shift & 0xF) as u8
    }

    fn set(&mut self, reg: Reg, to: u8) {
        if self.get(reg) != to {
            let (piece, word, shift) = State::place(reg);
            let word = &mut Rc::make_mut(&mut self.0[piece])[word];
            *word = *word & !(0xF << shift) | u64::from(to) << shift;
        }
    }
}

impl State {
    /// The register is not NULL.
    fn refine(&mut self, reg: Reg) {
        self.set(reg, self.get(reg) & !NULL);
    }

    /// The memory of these registers is given back.
    fn end(&mut self, registers: &[Reg]) {
        for &reg in registers {
            if self.get(reg) & VALUE != 0 {
                self.set(reg, self.get(reg) | GONE);
            }
        }
    }
}

/// Checks a unit.
pub fn verify(unit: &UnitParts) -> Result<(), Problem> {
    let len = unit.code.len();
    if unit.code.last().is_none_or(|last| !last.never_falls_through()) {
        return Err(Problem { at: Pc(len as u32), what: "control runs off the end".into() });
    }
    for handler in &unit.handlers {
        if handler.handler as usize >= len || handler.to as usize > len {
            return Err(Problem { at: Pc(handler.handler), what: "no such instruction".into() });
        }
    }
    for (at, inst) in unit.code.iter().enumerate() {
        if successors(unit, at).any(|to| to >= len) {
            let what = format!("{inst:?}: control leaves the unit");
            return Err(Problem { at: Pc(at as u32), what });
        }
    }
    let mut states: Vec<Option<State>> = vec![None; len];
    states[0] = Some(State::of_all(unit.registers.len(), UNDEFINED));
    let mut routines = Routines::find(unit);
    let lifetimes = Lifetimes::find(unit, &routines);
    routines.note_ends(&lifetimes);
    let kept = kept_states(unit);
    // In code order, so that a join of forward branches is followed once for all of them.
    let mut work = BTreeSet::from([0]);
    while let Some(at) = work.pop_first() {
        let state = match kept[at] {
            true => states[at].clone(),
            false => states[at].take(),
        };
        // It may have been followed since it was put on the list.
        let Some(mut state) = state else { continue };
        let flow = Flow { unit, at, inst: &unit.code[at] };
        flow.check(&state)?;
        state.end(lifetimes.ended_at(at));
        for handler in unit.handlers.iter().filter(|h| (h.from..h.to).contains(&(at as u32))) {
            let handler = handler.handler as usize;
            if merge(&mut states[handler], &state) {
                work.insert(handler);
            }
        }
        for (next, after) in flow.edges(state, &routines, &states) {
            if merge(&mut states[next], &after) {
                work.insert(next);
            }
        }
    }
    Ok(())
}

/// The instructions whose states are compared or asked for again: those that loops come back to,
/// error handlers, and those about routines. What any other can find is forgotten once it has been
/// followed, or large units would need memory for as many states as they have instructions.
fn kept_states(unit: &UnitParts) -> Vec<bool> {
    let mut kept = vec![false; unit.code.len()];
    for (at, inst) in unit.code.iter().enumerate() {
        successors(unit, at).filter(|&next| next <= at).for_each(|next| kept[next] = true);
        if matches!(inst, Inst::Gosub { .. } | Inst::Return { .. }) {
            kept[at] = true;
            successors(unit, at).for_each(|next| kept[next] = true);
        }
    }
    unit.handlers.iter().for_each(|handler| kept[handler.handler as usize] = true);
    kept
}

/// The instructions that may come next, a routine's return aside.
fn successors(unit: &UnitParts, at: usize) -> impl Iterator<Item = usize> + '_ {
    let inst = &unit.code[at];
    let switch: &[Pc] = match inst {
        Inst::Switch { table, .. } => &unit.switches[*table as usize],
        _ => &[],
    };
    let falls = !inst.never_falls_through() || matches!(inst, Inst::Gosub { .. });
    let target = inst.target().map(|t| t.0 as usize);
    falls.then_some(at + 1).into_iter().chain(target).chain(switch.iter().map(|t| t.0 as usize))
}

/// Adds what is possible on one more path. Returns whether that adds anything.
fn merge(into: &mut Option<State>, from: &State) -> bool {
    let Some(state) = into else {
        *into = Some(from.clone());
        return true;
    };
    let mut news = false;
    for (old, new) in state.0.iter_mut().zip(&from.0) {
        if Rc::ptr_eq(old, new) {
            continue;
        }
        if old.iter().zip(new.iter()).any(|(old, new)| old | new != *old) {
            news = true;
            let words = Rc::make_mut(old).iter_mut();
            words.zip(new.iter()).for_each(|(old, new)| *old |= new);
        }
    }
    news
}

struct Flow<'u> {
    unit: &'u UnitParts,
    at: usize,
    inst: &'u Inst,
}

impl Flow<'_> {
    fn problem(&self, what: impl Into<String>) -> Problem {
        Problem { at: Pc(self.at as u32), what: format!("{:?}: {}", self.inst, what.into()) }
    }

    /// Types of operands, definedness and nullness of what is read, kinds of objects.
    fn check(&self, state: &State) -> Result<(), Problem> {
        let mut result = Ok(());
        self.inst.operands(self.unit, &mut |operand| {
            if result.is_ok() {
                result = self.check_operand(operand, state);
            }
        });
        result?;
        for (id, wanted) in object_of(self.inst).into_iter().chain(other_object_of(self.inst)) {
            let found = self.unit.objects.get(usize::from(id.0)).map(kind_of);
            if found != Some(wanted) {
                return Err(self.problem(format!("object {} is {found:?}", id.0)));
            }
            if let (Inst::Find { .. }, ObjectDesc::Cursor(cursor)) =
                (self.inst, &self.unit.objects[usize::from(id.0)])
                && !cursor.finds_one(&self.unit.tables[usize::from(cursor.table)].table)
            {
                return Err(self.problem(format!("cursor {} may yield several rows", id.0)));
            }
        }
        Ok(())
    }

    fn check_operand(&self, operand: Operand, state: &State) -> Result<(), Problem> {
        let Operand { reg, access, ty } = operand;
        let Some(&actual) = self.unit.registers.get(usize::from(reg.0)) else {
            return Err(self.problem(format!("no register r{}", reg.0)));
        };
        if actual != ty {
            return Err(self.problem(format!("r{} is {actual:?} instead of {ty:?}", reg.0)));
        }
        let known = state.get(reg);
        let reads = matches!(access, Access::Read | Access::ReadNullable);
        if reads && known & UNDEFINED != 0 {
            return Err(self.problem(format!("r{} may be undefined", reg.0)));
        }
        if access == Access::Read && known & NULL != 0 {
            return Err(self.problem(format!("r{} may be NULL", reg.0)));
        }
        if reads && known & GONE != 0 {
            return Err(self.problem(format!("memory of r{} may have been given back", reg.0)));
        }
        Ok(())
    }

    /// Where control can go from here, and what registers can be there.
    fn edges(
        &self,
        state: State,
        routines: &Routines,
        states: &[Option<State>],
    ) -> Vec<(usize, State)> {
        match *self.inst {
            Inst::Gosub { link, to } => return self.call(state, link, to, routines, states),
            Inst::Return { link } => {
                let Some(routine) = routines.get(link) else { return Vec::new() };
                let callers = routine.callers.iter();
                let known = callers.filter_map(|&at| Some((at, states[at].as_ref()?)));
                return known
                    .map(|(caller, known)| (caller + 1, returned(routine, link, known, &state)))
                    .collect();
            }
            Inst::Switch { table, .. } => {
                let targets = &self.unit.switches[table as usize];
                return targets.iter().map(|pc| (pc.0 as usize, state.clone())).collect();
            }
            _ => {}
        }
        let mut edges = Vec::new();
        let (may_jump, may_pass) = self.null_ways(&state);
        if let Some(target) = self.inst.target()
            && may_jump
        {
            let mut jumped = state.clone();
            self.jump(&mut jumped);
            edges.push((target.0 as usize, jumped));
        }
        if !self.inst.never_falls_through() && may_pass {
            let mut next = state;
            self.pass(&mut next);
            edges.push((self.at + 1, next));
        }
        edges
    }

    /// Into a routine, and to what follows the call, by what is known of where the routine ends.
    fn call(
        &self,
        state: State,
        link: Reg,
        to: Pc,
        routines: &Routines,
        states: &[Option<State>],
    ) -> Vec<(usize, State)> {
        let Some(routine) = routines.get(link) else { return Vec::new() };
        let mut edges: Vec<(usize, State)> = (routine.returns.iter())
            .filter_map(|&at| states[at].as_ref())
            .map(|end| (self.at + 1, returned(routine, link, &state, end)))
            .collect();
        // Registers that the routine does not use are left out: otherwise every caller would
        // change the state at its entry, and the routine would be followed once for each.
        let mut entered = State::of_all(self.unit.registers.len(), 0);
        routine.uses.iter().for_each(|&reg| entered.set(reg, state.get(reg)));
        entered.set(link, VALUE);
        edges.push((to.0 as usize, entered));
        edges
    }

    /// Whether a test for NULL can jump, and whether it can fall through, by what is known.
    fn null_ways(&self, state: &State) -> (bool, bool) {
        let may = |reg: Reg, what: u8| state.get(reg) & what != 0;
        match *self.inst {
            Inst::JumpNull { a, .. } | Inst::Guard { a, .. } => (may(a, NULL), may(a, VALUE)),
            Inst::JumpNotNull { a, .. } => (may(a, VALUE), may(a, NULL)),
            Inst::Guard2 { a, b, .. } => {
                (may(a, NULL) || may(b, NULL), may(a, VALUE) && may(b, VALUE))
            }
            Inst::GuardList { list, .. } => {
                let list = self.unit.list(list);
                let any_null = list.iter().any(|&reg| may(reg, NULL));
                (any_null, list.iter().all(|&reg| may(reg, VALUE)))
            }
            _ => (true, true),
        }
    }

    /// What registers can be when the instruction falls through.
    fn pass(&self, state: &mut State) {
        match *self.inst {
            Inst::Move { dst, src } => state.set(dst, state.get(src)),
            Inst::JumpNull { a, .. } | Inst::Guard { a, .. } => state.refine(a),
            Inst::JumpNotNull { a, .. } => state.set(a, NULL),
            Inst::Guard2 { a, b, .. } => {
                state.refine(a);
                state.refine(b);
            }
            Inst::GuardList { list, .. } => {
                self.unit.list(list).iter().for_each(|&reg| state.refine(reg));
            }
            ref inst => inst.operands(self.unit, &mut |operand| match operand.access {
                Access::Read | Access::ReadNullable => {}
                Access::Write => state.set(operand.reg, VALUE),
                Access::WriteNullable => state.set(operand.reg, NULL | VALUE),
                Access::WriteNull => state.set(operand.reg, NULL),
            }),
        }
    }

    /// What registers can be when the instruction jumps.
    fn jump(&self, state: &mut State) {
        match *self.inst {
            Inst::JumpNull { a, .. } => state.set(a, NULL),
            Inst::JumpNotNull { a, .. } => state.refine(a),
            Inst::Guard { dst, .. } | Inst::Guard2 { dst, .. } | Inst::GuardList { dst, .. } => {
                state.set(dst, NULL);
            }
            _ => {}
        }
    }
}

/// What a caller that knew `known` knows when its routine has returned.
fn returned(routine: &Routine, link: Reg, known: &State, end: &State) -> State {
    let mut after = known.clone();
    for &reg in &routine.writes {
        after.set(reg, end.get(reg));
    }
    for &reg in routine.ends.difference(&routine.writes) {
        after.end(&[reg]);
    }
    after.set(link, VALUE);
    after
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

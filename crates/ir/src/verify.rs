//! Checks invariants U1 to U3 of a unit by following every path through it.
//!
//! For each instruction it computes what each register can be when control arrives there: not yet
//! defined, NULL, a value, or several of these. Jumps refine that knowledge: after a guard its
//! operand is a value. The code of an error handler knows what held at every instruction that it
//! protects.
//!
//! Code that is entered by [`Inst::Gosub`] (a **routine**) is followed once for all its callers.
//! When it returns, a caller knows about registers that the routine writes what the routine knows,
//! and about the others what it knew before.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::Unit;
use crate::inst::{Inst, Pc, Reg};
use crate::object::{ObjId, ObjectDesc};
use crate::operand::{Access, Operand};

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

/// What each register can be: four bits for each, so that large units are cheap to compare and
/// copy.
#[derive(Clone)]
struct State(Box<[u64]>);

impl State {
    /// How many registers a word tells of.
    const PER_WORD: usize = 16;

    /// Nothing is defined.
    fn undefined(registers: usize) -> State {
        let all = u64::MAX / 0xF * u64::from(UNDEFINED);
        State(vec![all; registers.div_ceil(State::PER_WORD)].into())
    }

    fn get(&self, reg: Reg) -> u8 {
        let at = usize::from(reg.0);
        (self.0[at / State::PER_WORD] >> (at % State::PER_WORD * 4) & 0xF) as u8
    }

    fn set(&mut self, reg: Reg, to: u8) {
        let at = usize::from(reg.0);
        let shift = at % State::PER_WORD * 4;
        let word = &mut self.0[at / State::PER_WORD];
        *word = *word & !(0xF << shift) | u64::from(to) << shift;
    }
}

/// Checks a unit.
pub fn verify(unit: &Unit) -> Result<(), Problem> {
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
    states[0] = Some(State::undefined(unit.registers.len()));
    let routines = Routines::find(unit);
    let kept = kept_states(unit);
    let mut work = vec![0];
    while let Some(at) = work.pop() {
        let state = match kept[at] {
            true => states[at].clone(),
            false => states[at].take(),
        };
        // It may have been followed since it was put on the list.
        let Some(state) = state else { continue };
        let flow = Flow { unit, at, inst: &unit.code[at] };
        flow.check(&state)?;
        let mut edges = flow.edges(&state, &routines, &states);
        let handlers = unit.handlers.iter().filter(|h| (h.from..h.to).contains(&(at as u32)));
        edges.extend(handlers.map(|h| (h.handler as usize, state.clone())));
        for (next, after) in edges {
            if merge(&mut states[next], &after) {
                work.push(next);
            }
        }
        if let Inst::Gosub { link, .. } = unit.code[at] {
            // What the caller knows may matter where the routine returns.
            let returns = routines.returns(link);
            work.extend(returns.iter().copied().filter(|&r| states[r].is_some()));
        }
    }
    Ok(())
}

/// The instructions whose states are compared or asked for again: those that several ways lead to,
/// and those about routines. What any other can find is forgotten once it has been followed, or
/// large units would need memory for as many states as they have instructions.
fn kept_states(unit: &Unit) -> Vec<bool> {
    let mut ways = vec![0u32; unit.code.len()];
    ways[0] = 1;
    let mut kept = vec![false; unit.code.len()];
    for (at, inst) in unit.code.iter().enumerate() {
        successors(unit, at).for_each(|next| ways[next] += 1);
        if matches!(inst, Inst::Gosub { .. } | Inst::Return { .. }) {
            kept[at] = true;
            successors(unit, at).for_each(|next| kept[next] = true);
        }
    }
    unit.handlers.iter().for_each(|handler| kept[handler.handler as usize] = true);
    kept.iter().zip(ways).map(|(&kept, ways)| kept || ways > 1).collect()
}

/// The instructions that may come next, a routine's return aside.
fn successors(unit: &Unit, at: usize) -> impl Iterator<Item = usize> + '_ {
    let inst = &unit.code[at];
    let switch: &[Pc] = match inst {
        Inst::Switch { table, .. } => &unit.switches[*table as usize],
        _ => &[],
    };
    let falls = !inst.never_falls_through() || matches!(inst, Inst::Gosub { .. });
    let target = inst.target().map(|t| t.0 as usize);
    falls.then_some(at + 1).into_iter().chain(target).chain(switch.iter().map(|t| t.0 as usize))
}

/// The routines of a unit, by the register that links them to their callers.
struct Routines {
    routines: HashMap<Reg, Routine>,
}

#[derive(Default)]
struct Routine {
    /// The instructions that enter it.
    callers: Vec<usize>,
    /// The instructions that leave it.
    returns: Vec<usize>,
    /// The registers that it writes.
    writes: HashSet<Reg>,
}

impl Routines {
    fn find(unit: &Unit) -> Routines {
        let mut found = Routines { routines: HashMap::new() };
        for (at, inst) in unit.code.iter().enumerate() {
            match *inst {
                Inst::Gosub { link, .. } => {
                    found.routines.entry(link).or_default().callers.push(at);
                }
                Inst::Return { link } => found.routines.entry(link).or_default().returns.push(at),
                _ => {}
            }
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); unit.code.len()];
        for at in 0..unit.code.len() {
            // A call is one step here; the routine called is added by its own writes.
            let call = matches!(unit.code[at], Inst::Gosub { .. });
            for next in successors(unit, at).filter(|&next| !call || next == at + 1) {
                before[next].push(at);
            }
        }
        let links: Vec<Reg> = found.routines.keys().copied().collect();
        let mut calls: HashMap<Reg, HashSet<Reg>> = HashMap::new();
        for &link in &links {
            let (writes, inner) = found.body_of(unit, link, &before);
            calls.insert(link, inner);
            found.routines.get_mut(&link).expect("it is one of the keys").writes = writes;
        }
        // Routines call each other without cycles, so this ends after as many rounds as they nest.
        loop {
            let mut news = false;
            for &link in &links {
                let inner: Vec<Reg> = (calls[&link].iter())
                    .flat_map(|inner| found.routines[inner].writes.iter().copied())
                    .collect();
                let writes = &mut found.routines.get_mut(&link).expect("a key").writes;
                let known = writes.len();
                writes.extend(inner);
                news |= writes.len() > known;
            }
            if !news {
                return found;
            }
        }
    }

    /// The registers written, and the routines called, on the ways from a routine's entry to its
    /// returns.
    fn body_of(
        &self,
        unit: &Unit,
        link: Reg,
        before: &[Vec<usize>],
    ) -> (HashSet<Reg>, HashSet<Reg>) {
        let routine = &self.routines[&link];
        let entries: HashSet<usize> = (routine.callers.iter())
            .filter_map(|&c| unit.code[c].target().map(|t| t.0 as usize))
            .collect();
        let (mut writes, mut calls) = (HashSet::new(), HashSet::new());
        let mut seen = HashSet::new();
        let mut work = routine.returns.clone();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            unit.code[at].operands(unit, &mut |operand| {
                if !matches!(operand.access, Access::Read | Access::ReadNullable) {
                    writes.insert(operand.reg);
                }
            });
            if let Inst::Gosub { link, .. } = unit.code[at] {
                calls.insert(link);
            }
            if !entries.contains(&at) {
                work.extend(&before[at]);
            }
        }
        (writes, calls)
    }

    fn returns(&self, link: Reg) -> &[usize] {
        self.routines.get(&link).map_or(&[], |r| &r.returns)
    }
}

/// Adds what is possible on one more path. Returns whether that adds anything.
fn merge(into: &mut Option<State>, from: &State) -> bool {
    let Some(state) = into else {
        *into = Some(from.clone());
        return true;
    };
    let mut news = false;
    for (old, new) in state.0.iter_mut().zip(&from.0) {
        news |= *old | *new != *old;
        *old |= *new;
    }
    news
}

struct Flow<'u> {
    unit: &'u Unit,
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
        Ok(())
    }

    /// Where control can go from here, and what registers can be there.
    fn edges(
        &self,
        state: &State,
        routines: &Routines,
        states: &[Option<State>],
    ) -> Vec<(usize, State)> {
        if let Inst::Return { link } = *self.inst {
            return self.return_edges(state, link, routines, states);
        }
        let (next, jumped) = self.after(state);
        if let Inst::Switch { table, .. } = *self.inst {
            let targets = &self.unit.switches[table as usize];
            return targets.iter().map(|pc| (pc.0 as usize, next.clone())).collect();
        }
        let mut edges = Vec::new();
        let (may_jump, may_pass) = self.null_ways(state);
        if let Some(target) = self.inst.target()
            && may_jump
        {
            edges.push((target.0 as usize, jumped));
        }
        if !self.inst.never_falls_through() && may_pass {
            edges.push((self.at + 1, next));
        }
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

    fn return_edges(
        &self,
        state: &State,
        link: Reg,
        routines: &Routines,
        states: &[Option<State>],
    ) -> Vec<(usize, State)> {
        let Some(routine) = routines.routines.get(&link) else { return Vec::new() };
        let mut edges = Vec::new();
        for &caller in &routine.callers {
            let Some(known) = &states[caller] else { continue };
            let mut after = known.clone();
            for reg in &routine.writes {
                after.set(*reg, state.get(*reg));
            }
            after.set(link, VALUE);
            edges.push((caller + 1, after));
        }
        edges
    }

    /// What registers can be after the instruction, when it falls through and when it jumps.
    fn after(&self, state: &State) -> (State, State) {
        let mut next = state.clone();
        let mut jumped = state.clone();
        let set = |state: &mut State, reg: Reg, to: u8| state.set(reg, to);
        match *self.inst {
            Inst::Gosub { link, .. } => set(&mut jumped, link, VALUE),
            Inst::Move { dst, src } => {
                let known = state.get(src);
                set(&mut next, dst, known);
            }
            Inst::JumpNull { a, .. } => {
                set(&mut next, a, VALUE);
                set(&mut jumped, a, NULL);
            }
            Inst::JumpNotNull { a, .. } => {
                set(&mut next, a, NULL);
                set(&mut jumped, a, VALUE);
            }
            Inst::Guard { dst, a, .. } => {
                set(&mut next, a, VALUE);
                set(&mut jumped, dst, NULL);
            }
            Inst::Guard2 { dst, a, b, .. } => {
                set(&mut next, a, VALUE);
                set(&mut next, b, VALUE);
                set(&mut jumped, dst, NULL);
            }
            Inst::GuardList { dst, list, .. } => {
                self.unit.list(list).iter().for_each(|&reg| set(&mut next, reg, VALUE));
                set(&mut jumped, dst, NULL);
            }
            ref inst => inst.operands(self.unit, &mut |operand| match operand.access {
                Access::Read | Access::ReadNullable => {}
                Access::Write => set(&mut next, operand.reg, VALUE),
                Access::WriteNullable => set(&mut next, operand.reg, NULL | VALUE),
                Access::WriteNull => set(&mut next, operand.reg, NULL),
            }),
        }
        (next, jumped)
    }
}

/// The kinds of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Cursor,
    LocalCursor,
    Work,
    Sort,
    Hash,
    Groups,
    Set,
    Window,
}

fn kind_of(object: &ObjectDesc) -> Kind {
    match object {
        ObjectDesc::Cursor(_) => Kind::Cursor,
        ObjectDesc::LocalCursor(_) => Kind::LocalCursor,
        ObjectDesc::Work(_) => Kind::Work,
        ObjectDesc::Sort(_) => Kind::Sort,
        ObjectDesc::Hash(_) => Kind::Hash,
        ObjectDesc::Groups(_) => Kind::Groups,
        ObjectDesc::Set(_) => Kind::Set,
        ObjectDesc::Window(_) => Kind::Window,
    }
}

/// The object that an instruction works on, and the kind that it must have.
fn object_of(inst: &Inst) -> Option<(ObjId, Kind)> {
    use Inst::*;
    Some(match *inst {
        Open { cursor } | Find { cursor, .. } | Next { cursor, .. } => (cursor, Kind::Cursor),
        LocalOpen { cursor } | LocalNext { cursor, .. } => (cursor, Kind::LocalCursor),
        FillRowset { work, .. }
        | WorkClear { work }
        | WorkPush { work, .. }
        | WorkSwap { a: work, .. }
        | WorkCount { work, .. } => (work, Kind::Work),
        SortClear { sort, .. }
        | SortPush { sort }
        | SortFinish { sort }
        | SortNext { sort, .. } => (sort, Kind::Sort),
        HashClear { hash }
        | HashPush { hash }
        | HashPushUnkeyed { hash }
        | HashProbe { hash, .. }
        | HashPutOff { hash, .. }
        | HashPartition { hash, .. }
        | HashReplay { hash, .. }
        | HashNext { hash, .. }
        | HashMark { hash }
        | HashRewind { hash }
        | HashUnmatched { hash, .. }
        | HashEmpty { hash, .. } => (hash, Kind::Hash),
        GroupClear { groups }
        | GroupFind { groups, .. }
        | GroupSame { groups, .. }
        | GroupEmpty { groups, .. }
        | GroupAdd { groups, .. }
        | GroupCount { groups, .. }
        | GroupRewind { groups }
        | GroupNext { groups, .. }
        | GroupResult { groups, .. } => (groups, Kind::Groups),
        SetClear { set } | SetAdd { set, .. } | SetNext { set, .. } => (set, Kind::Set),
        WindowClear { window }
        | WindowPush { window }
        | WindowFinish { window }
        | WindowNext { window, .. }
        | WindowResult { window, .. } => (window, Kind::Window),
        _ => return None,
    })
}

/// As `object_of`, for the second object of an instruction that works on two.
fn other_object_of(inst: &Inst) -> Option<(ObjId, Kind)> {
    match *inst {
        Inst::GroupCount { cursor, .. } => Some((cursor, Kind::Cursor)),
        Inst::WorkSwap { b, .. } => Some((b, Kind::Work)),
        _ => None,
    }
}

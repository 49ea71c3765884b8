//! The routines of a unit: code that [`Inst::Gosub`] enters and [`Inst::Return`] leaves.

use std::collections::{HashMap, HashSet};

use super::lifetimes::Lifetimes;
use super::successors;
use crate::UnitParts;
use crate::inst::{Inst, Reg};
use crate::operand::Access;

/// The routines of a unit, by the register that links them to their callers. They call each other
/// without cycles.
pub(super) struct Routines {
    routines: HashMap<Reg, Routine>,
}

/// A routine, with what the routines that it calls do.
#[derive(Default)]
pub(super) struct Routine {
    /// The instructions that enter it.
    pub callers: Vec<usize>,
    /// The instructions that leave it.
    pub returns: Vec<usize>,
    /// The registers that any code reachable from its entry reads or writes.
    pub uses: HashSet<Reg>,
    /// The registers that it writes on paths to a return.
    pub writes: HashSet<Reg>,
    /// The registers whose memory it may free on these paths.
    pub ends: HashSet<Reg>,
    /// Its instructions on these paths.
    body: Vec<usize>,
    /// The routines that it calls on these paths.
    calls: HashSet<Reg>,
}

impl Routines {
    /// The routines of a unit; [`Routine::ends`] is filled in later.
    pub fn find(unit: &UnitParts) -> Routines {
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
        if found.routines.is_empty() {
            return found;
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); unit.code.len()];
        for at in 0..unit.code.len() {
            // A call is one step here; the routine called is added by its own writes.
            let call = matches!(unit.code[at], Inst::Gosub { .. });
            for next in successors(unit, at).filter(|&next| !call || next == at + 1) {
                before[next].push(at);
            }
        }
        for routine in found.routines.values_mut() {
            routine.follow_back(unit, &before);
            routine.follow_on(unit);
        }
        found.add_called(|routine| &mut routine.writes);
        found
    }

    /// Fills in the registers whose memory the routines may free.
    pub fn note_ends(&mut self, lifetimes: &Lifetimes) {
        for routine in self.routines.values_mut() {
            let body = routine.body.iter();
            routine.ends = body.flat_map(|&at| lifetimes.ended_at(at)).copied().collect();
        }
        self.add_called(|routine| &mut routine.ends);
    }

    /// Adds to a set of each routine those of the routines that it calls.
    fn add_called(&mut self, set: impl Fn(&mut Routine) -> &mut HashSet<Reg>) {
        let links: Vec<Reg> = self.routines.keys().copied().collect();
        // This ends after as many rounds as routines nest.
        loop {
            let mut news = false;
            for &link in &links {
                let calls: Vec<Reg> = self.routines[&link].calls.iter().copied().collect();
                for called in calls {
                    let inner = self.routines.get_mut(&called).map(&set).cloned();
                    let outer = set(self.routines.get_mut(&link).expect("it is one of the keys"));
                    let known = outer.len();
                    outer.extend(inner.into_iter().flatten());
                    news |= outer.len() > known;
                }
            }
            if !news {
                return;
            }
        }
    }

    /// The routine of this link, if there is one.
    pub fn get(&self, link: Reg) -> Option<&Routine> {
        self.routines.get(&link)
    }
}

impl Routine {
    fn entries(&self, unit: &UnitParts) -> HashSet<usize> {
        let calls = self.callers.iter();
        calls.filter_map(|&at| unit.code[at].target().map(|to| to.0 as usize)).collect()
    }

    /// Finds the body: what lies on ways from an entry to a return.
    fn follow_back(&mut self, unit: &UnitParts, before: &[Vec<usize>]) {
        let entries = self.entries(unit);
        let mut seen = HashSet::new();
        let mut work = self.returns.clone();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            self.body.push(at);
            unit.code[at].operands(unit, &mut |operand| {
                if !matches!(operand.access, Access::Read | Access::ReadNullable) {
                    self.writes.insert(operand.reg);
                }
            });
            if let Inst::Gosub { link, .. } = unit.code[at] {
                self.calls.insert(link);
            }
            if !entries.contains(&at) {
                work.extend(&before[at]);
            }
        }
    }

    /// Finds all that code uses that control can come to from an entry before it returns, in error
    /// handlers and called routines, too.
    fn follow_on(&mut self, unit: &UnitParts) {
        let mut seen = HashSet::new();
        let mut work: Vec<usize> = self.entries(unit).into_iter().collect();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            unit.code[at].operands(unit, &mut |operand| {
                self.uses.insert(operand.reg);
            });
            work.extend(successors(unit, at));
            let handlers = unit.handlers.iter().filter(|h| (h.from..h.to).contains(&(at as u32)));
            work.extend(handlers.map(|handler| handler.handler as usize));
        }
    }
}

//! Which registers have to be in memory, and where control joins.

use std::collections::HashMap;

use ir::inst::{Inst, Reg};
use ir::operand::Access;
use ir::site::TargetTable;
use ir::{RegType, Unit};

use crate::emit::is_inline;

/// What is known of one register.
#[derive(Clone, Copy, Default, Debug)]
pub struct Use {
    /// A helper or a handler finds it in memory: inline results are stored there as well.
    pub in_memory: bool,
    /// Inline code reads it: what helpers write is loaded.
    pub in_code: bool,
    /// It can be NULL.
    pub nullable: bool,
}

/// What is known of a unit.
#[derive(Debug)]
pub struct Analysis {
    /// By register.
    pub uses: Vec<Use>,
    /// Whether an instruction is one that others jump to.
    pub joins: Vec<bool>,
    /// By handler: the registers that its code may read before it writes them.
    pub live_at_handler: Vec<Vec<Reg>>,
    /// The [`Inst::Gosub`]s of a link register, by register.
    pub callers: HashMap<Reg, Vec<usize>>,
    /// The targets of rows that are built in their place, by the register of their bytes: rows of a
    /// table that are built for one insert and nothing else.
    pub in_place: HashMap<Reg, u16>,
}

impl Analysis {
    /// Looks at a unit.
    pub fn of(unit: &Unit) -> Analysis {
        let mut uses = vec![Use::default(); unit.registers.len()];
        let mut joins = vec![false; unit.code.len()];
        let mut callers: HashMap<Reg, Vec<usize>> = HashMap::new();
        for (at, inst) in unit.code.iter().enumerate() {
            let inline = is_inline(unit, inst);
            inst.operands(unit, &mut |operand| {
                let known = &mut uses[usize::from(operand.reg.0)];
                match operand.access {
                    Access::Read | Access::ReadNullable if inline => known.in_code = true,
                    Access::Read | Access::ReadNullable => known.in_memory = true,
                    Access::WriteNullable | Access::WriteNull => known.nullable = true,
                    Access::Write => {}
                }
            });
            if let Some(to) = inst.target() {
                joins[to.0 as usize] = true;
            }
            match *inst {
                Inst::Switch { table, .. } => {
                    unit.switches[table as usize].iter().for_each(|to| joins[to.0 as usize] = true);
                }
                Inst::Gosub { link, .. } => {
                    joins[at + 1] = true;
                    callers.entry(link).or_default().push(at);
                }
                _ => {}
            }
        }
        // What an expression leaves in its register is read when the unit has ended.
        if let Some((reg, _)) = unit.result {
            uses[usize::from(reg.0)].in_memory = true;
        }
        // So is what operators have counted.
        for reg in unit.counters.iter().flat_map(|c| [c.executions, c.rows]) {
            uses[usize::from(reg.0)].in_memory = true;
        }
        let live_at_handler = handlers(unit, &callers);
        for reg in live_at_handler.iter().flatten() {
            uses[usize::from(reg.0)].in_memory = true;
            uses[usize::from(reg.0)].in_code = true;
        }
        unit.handlers.iter().for_each(|h| joins[h.handler as usize] = true);
        let in_place = rows_in_place(unit);
        Analysis { uses, joins, live_at_handler, callers, in_place }
    }

    /// The target that a row is built in the place of.
    pub fn target_of(&self, bytes: Reg) -> Option<u16> {
        self.in_place.get(&bytes).copied()
    }

    /// The instructions that a routine's [`Inst::Return`] may go back behind.
    pub fn callers_of(&self, link: Reg) -> &[usize] {
        self.callers.get(&link).map_or(&[], |sites| sites)
    }

    /// What is known of a register.
    pub fn of_reg(&self, reg: Reg) -> Use {
        self.uses[usize::from(reg.0)]
    }
}

fn rows_in_place(unit: &Unit) -> HashMap<Reg, u16> {
    let mut uses = vec![(0u32, 0u32); unit.registers.len()];
    for inst in &unit.code {
        inst.operands(unit, &mut |operand| {
            let (reads, writes) = &mut uses[usize::from(operand.reg.0)];
            match operand.access {
                Access::Read | Access::ReadNullable => *reads += 1,
                _ => *writes += 1,
            }
        });
    }
    let mut built_at = vec![usize::MAX; unit.registers.len()];
    for (at, inst) in unit.code.iter().enumerate().rev() {
        if let Inst::BuildRow { dst, .. } = *inst {
            built_at[usize::from(dst.0)] = at;
        }
    }
    let is_built = |reg: Reg, before: usize| built_at[usize::from(reg.0)] < before;
    (unit.code.iter().enumerate())
        .filter_map(|(at, inst)| match *inst {
            Inst::Insert { target, bytes, .. } => Some((at, target, bytes)),
            _ => None,
        })
        .filter(|&(at, target, bytes)| {
            let table = unit.targets[usize::from(target)].table;
            matches!(table, TargetTable::Table(_))
                && uses[usize::from(bytes.0)] == (1, 1)
                && is_built(bytes, at)
        })
        .map(|(_, target, bytes)| (bytes, target))
        .collect()
}

/// Whether registers of a type use the upper word.
pub fn is_wide(ty: RegType) -> bool {
    !matches!(ty, RegType::I64 | RegType::F64)
}

/// For each handler, the registers that are live where it starts: found by going through the code
/// backwards until nothing changes.
fn handlers(unit: &Unit, callers: &HashMap<Reg, Vec<usize>>) -> Vec<Vec<Reg>> {
    if unit.handlers.is_empty() {
        return Vec::new();
    }
    let words = unit.registers.len().div_ceil(64);
    let mut live = vec![vec![0u64; words]; unit.code.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in (0..unit.code.len()).rev() {
            let mut now = vec![0u64; words];
            for next in successors(unit, callers, at) {
                now.iter_mut().zip(&live[next]).for_each(|(a, b)| *a |= b);
            }
            let mut reads = Vec::new();
            unit.code[at].operands(unit, &mut |operand| {
                let (word, bit) = (usize::from(operand.reg.0) / 64, operand.reg.0 % 64);
                match operand.access {
                    Access::Read | Access::ReadNullable => reads.push((word, bit)),
                    // A guard writes only where it jumps.
                    _ if conditional(&unit.code[at]) => {}
                    _ => now[word] &= !(1 << bit),
                }
            });
            reads.iter().for_each(|&(word, bit)| now[word] |= 1 << bit);
            if now != live[at] {
                live[at] = now;
                changed = true;
            }
        }
    }
    let registers = |at: u32| {
        let live = &live[at as usize];
        (0..unit.registers.len() as u16)
            .filter(|&r| live[usize::from(r) / 64] >> (r % 64) & 1 == 1)
            .map(Reg)
            .collect()
    };
    unit.handlers.iter().map(|h| registers(h.handler)).collect()
}

/// Whether an instruction writes its result on some of its ways only.
pub fn conditional(inst: &Inst) -> bool {
    inst.target().is_some()
}

fn successors(unit: &Unit, callers: &HashMap<Reg, Vec<usize>>, at: usize) -> Vec<usize> {
    let inst = &unit.code[at];
    let mut next: Vec<usize> = inst.target().map(|to| to.0 as usize).into_iter().collect();
    match *inst {
        Inst::Switch { table, .. } => {
            next.extend(unit.switches[table as usize].iter().map(|to| to.0 as usize));
        }
        Inst::Return { link } => {
            next.extend(callers.get(&link).into_iter().flatten().map(|site| site + 1));
        }
        _ if !inst.never_falls_through() => next.push(at + 1),
        _ => {}
    }
    // An error inside a handler's reach goes on there.
    next.extend(
        unit.handlers
            .iter()
            .filter(|h| (h.from..h.to).contains(&(at as u32)))
            .map(|h| h.handler as usize),
    );
    next
}

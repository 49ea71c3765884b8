//! Looking ahead in loops: what the next turns will look for is asked for while this turn works.
//!
//! A loop that looks for single rows by computed keys waits for memory twice a turn, for the place
//! in the index (a bucket, a leaf) and for the row, and its turns are too long for the processor to
//! overlap them by itself. If the keys come from integer arithmetic alone, code can run that
//! arithmetic ahead: the place is fetched for the turn after the next, and for the next one the
//! row, whose place is there by then.
//!
//! What is computed ahead is a guess, which costs time if it is wrong and nothing else: it takes
//! the loop's code as it lies, conditions and NULLs aside, changes nothing, and never fails.

use std::collections::BTreeMap;

use base::types::Repr;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlags, Value, types};
use ir::inst::{Inst, IntOp, Reg};
use ir::object::{AccessDesc, ObjId, ObjectDesc};
use ir::operand::Access;
use ir::{RegType, Unit};
use run::interp::machine_code::{constant_words, layout};

use crate::emit::Emitter;

/// Instructions that are worth computing twice a turn.
const STEPS_MAX: usize = 24;

/// Where a loop keeps a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    Reg(u16),
    Var(u32),
}

/// How one turn's key follows from the one before.
#[derive(Debug)]
pub struct Ahead {
    /// Instructions, in the order in which they are executed from one look-up to the next.
    steps: Vec<usize>,
    key: Reg,
}

impl Ahead {
    /// What the look-up at this place has to compute for the next turn of its loop; `None` if it is
    /// in no loop, or if that cannot be told.
    pub fn of(unit: &Unit, at: usize) -> Option<Ahead> {
        let Inst::Find { cursor, .. } = unit.code[at] else { return None };
        let key = number_key(unit, cursor)?;
        let (head, end) = innermost_loop(unit, at)?;
        let turn: Vec<usize> = (head..at).rev().chain((at + 1..end).rev()).collect();
        let (mut wanted, mut written, mut steps) =
            (vec![Place::Reg(key.0)], Vec::new(), Vec::new());
        for pc in turn {
            let inst = &unit.code[pc];
            let Some(place) = sets(unit, inst, &wanted) else { continue };
            let reads = reads(unit, inst)?;
            steps.push(pc);
            written.push(place);
            wanted.retain(|other| *other != place);
            wanted.extend(reads.into_iter().flatten());
            if steps.len() > STEPS_MAX {
                return None;
            }
        }
        steps.reverse();
        // A key that does not follow from the turn before is the same in all turns.
        let changes = wanted.iter().any(|place| written.contains(place));
        changes.then_some(Ahead { steps, key })
    }
}

/// The register of a key that is one number.
fn number_key(unit: &Unit, cursor: ObjId) -> Option<Reg> {
    let ObjectDesc::Cursor(desc) = &unit.objects[usize::from(cursor.0)] else { return None };
    match &desc.access {
        AccessDesc::Seek { key, .. } => match &key[..] {
            [part] if part.ty.kind.repr() == Repr::Int => Some(part.reg),
            _ => None,
        },
        _ => None,
    }
}

/// The first and last instruction of the smallest loop around a place.
fn innermost_loop(unit: &Unit, at: usize) -> Option<(usize, usize)> {
    let jumps_back = |end: usize| match unit.code[end] {
        Inst::Jump { to } if to.0 as usize <= at => Some((to.0 as usize, end)),
        _ => None,
    };
    (at + 1..unit.code.len()).find_map(jumps_back)
}

/// Which of the wanted places an instruction sets, apart from NULL.
fn sets(unit: &Unit, inst: &Inst, wanted: &[Place]) -> Option<Place> {
    if let Inst::StoreVar { var, .. } = *inst {
        return wanted.contains(&Place::Var(var)).then_some(Place::Var(var));
    }
    let mut found = None;
    inst.operands(unit, &mut |operand| {
        let place = Place::Reg(operand.reg.0);
        let writes = matches!(operand.access, Access::Write | Access::WriteNullable);
        if writes && wanted.contains(&place) {
            found = Some(place);
        }
    });
    found
}

/// What an instruction computes its number from; `None` if it is not one to be computed ahead.
fn reads(unit: &Unit, inst: &Inst) -> Option<[Option<Place>; 2]> {
    let reg = |reg: Reg| Some(Place::Reg(reg.0));
    match *inst {
        Inst::IntArith { a, b, .. } => Some([reg(a), reg(b)]),
        Inst::Move { src, .. } | Inst::StoreVar { src, .. } if is_number(unit, src) => {
            Some([reg(src), None])
        }
        Inst::CastInt { src, .. } => Some([reg(src), None]),
        Inst::Step { a, .. } => Some([reg(a), None]),
        Inst::Int { .. } => Some([None, None]),
        Inst::Const { dst, .. } if is_number(unit, dst) => Some([None, None]),
        Inst::LoadVar { dst, var } if is_number(unit, dst) => Some([Some(Place::Var(var)), None]),
        _ => None,
    }
}

fn is_number(unit: &Unit, reg: Reg) -> bool {
    unit.reg_type(reg) == RegType::I64
}

/// What is known of places after some turns.
type Known = BTreeMap<Place, Value>;

impl Emitter<'_, '_> {
    /// Asks for what the current look-up will need in the next turns of its loop.
    pub fn look_ahead(&mut self) {
        let Some(ahead) = Ahead::of(self.unit, self.at) else { return };
        let mut known = Known::new();
        let [next, after] = [(); 2].map(|()| {
            ahead.steps.iter().for_each(|&pc| self.guess(pc, &mut known));
            self.read(Place::Reg(ahead.key.0), &mut known)
        });
        self.ask_ahead(next, after);
    }

    fn guess(&mut self, pc: usize, known: &mut Known) {
        let (place, value) = match self.unit.code[pc] {
            Inst::IntArith { op, dst, a, b, .. } => {
                let a = self.read(Place::Reg(a.0), known);
                let b = self.read(Place::Reg(b.0), known);
                (Place::Reg(dst.0), self.wrapping(op, a, b))
            }
            Inst::Move { dst, src } | Inst::CastInt { dst, src, .. } => {
                (Place::Reg(dst.0), self.read(Place::Reg(src.0), known))
            }
            Inst::StoreVar { var, src } => (Place::Var(var), self.read(Place::Reg(src.0), known)),
            Inst::LoadVar { dst, var } => (Place::Reg(dst.0), self.read(Place::Var(var), known)),
            Inst::Step { dst, a, by } => {
                let a = self.read(Place::Reg(a.0), known);
                (Place::Reg(dst.0), self.b.ins().iadd_imm(a, i64::from(by)))
            }
            Inst::Int { dst, value } => (Place::Reg(dst.0), self.b.ins().iconst(types::I64, value)),
            Inst::Const { dst, index } => {
                let value = self.unit.constants[index as usize].value.as_ref();
                let (low, _) = constant_words(value).expect("a number is no address");
                (Place::Reg(dst.0), self.b.ins().iconst(types::I64, low as i64))
            }
            ref inst => unreachable!("{inst:?} is not computed ahead"),
        };
        known.insert(place, value);
    }

    fn read(&mut self, place: Place, known: &mut Known) -> Value {
        if let Some(&value) = known.get(&place) {
            return value;
        }
        let value = match place {
            Place::Reg(reg) => self.get(Reg(reg)).low,
            Place::Var(var) => {
                let offset = var as i32 * layout::SLOT + layout::LOW;
                let variables = self.variables();
                self.b.ins().load(types::I64, MemFlags::trusted(), variables, offset)
            }
        };
        known.insert(place, value);
        value
    }

    /// Arithmetic that never fails.
    fn wrapping(&mut self, op: IntOp, a: Value, b: Value) -> Value {
        match op {
            IntOp::Add => self.b.ins().iadd(a, b),
            IntOp::Sub => self.b.ins().isub(a, b),
            IntOp::Mul => self.b.ins().imul(a, b),
            IntOp::And => self.b.ins().band(a, b),
            IntOp::Or => self.b.ins().bor(a, b),
            IntOp::Xor => self.b.ins().bxor(a, b),
            IntOp::Div | IntOp::Mod => {
                // The machine refuses 0, and -1 with the least number.
                let one_up = self.b.ins().iadd_imm(b, 1);
                let bad = self.b.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, one_up, 1);
                let one = self.b.ins().iconst(types::I64, 1);
                let divisor = self.b.ins().select(bad, one, b);
                match op {
                    IntOp::Div => self.b.ins().sdiv(a, divisor),
                    _ => self.b.ins().srem(a, divisor),
                }
            }
        }
    }
}

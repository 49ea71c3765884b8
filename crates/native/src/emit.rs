//! A unit as a Cranelift function: its frame, control flow, and calls of helpers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockCall, InstBuilder, JumpTableData, MemFlags, SigRef, Signature, TrapCode,
    Type, Value, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, Variable};
use ir::inst::{Inst, Pc, Reg};
use ir::machine_code::outcome;
use ir::operand::Access;
use ir::{RegType, Unit};
use run::interp::machine_code::{helpers, layout};

use crate::analysis::{Analysis, is_wide};
use crate::{row, scalar};

/// The signature of [`ir::machine_code::Entry`].
pub fn signature(isa: &dyn TargetIsa) -> Signature {
    let mut signature = Signature::new(isa.default_call_conv());
    signature.params.extend([types::I64, types::I64, types::I64, types::I32].map(AbiParam::new));
    signature.returns.push(AbiParam::new(types::I32));
    signature
}

/// Whether an instruction is compiled rather than executed by a helper.
pub fn is_inline(unit: &Unit, inst: &Inst) -> bool {
    use Inst::*;
    match *inst {
        Jump { .. } | Switch { .. } | Gosub { .. } | Return { .. } | Halt => true,
        JumpNull { .. } | JumpNotNull { .. } => true,
        Guard { .. } | Guard2 { .. } | GuardList { .. } | SetNull { .. } => true,
        Move { .. } | Int { .. } | LoadVar { .. } => true,
        StoreVar { src, .. } => unit.reg_type(src) != RegType::Bytes,
        _ => scalar::is_inline(unit, inst) || row::is_inline(inst),
    }
}

/// The Cranelift variables of a register.
#[derive(Clone, Copy)]
struct Place {
    low: Variable,
    high: Option<Variable>,
    null: Option<Variable>,
}

/// A register's value.
#[derive(Clone, Copy)]
pub struct Val {
    /// The lower word.
    pub low: Value,
    /// The upper word, of types that have one.
    pub high: Option<Value>,
    /// 1 if it is NULL; `None` if it cannot be.
    pub null: Option<Value>,
}

impl Val {
    /// A value of one word that is not NULL.
    pub fn word(low: Value) -> Val {
        Val { low, high: None, null: None }
    }

    /// A value of two words that is not NULL.
    pub fn wide(low: Value, high: Value) -> Val {
        Val { low, high: Some(high), null: None }
    }
}

/// Where a run's memory is.
#[derive(Clone, Copy)]
struct Frame {
    run: Value,
    slots: Value,
    variables: Value,
}

/// The signatures of helpers.
#[derive(Clone, Copy)]
struct Signatures {
    step: SigRef,
    row_memory: SigRef,
    reserve: SigRef,
    copy: SigRef,
    look_ahead: SigRef,
}

/// Writes a unit's function.
pub struct Emitter<'u, 'f> {
    pub unit: &'u Unit,
    pub b: FunctionBuilder<'f>,
    analysis: Analysis,
    places: Vec<Place>,
    /// The block of each instruction that control joins at.
    blocks: Vec<Option<Block>>,
    frame: Frame,
    signatures: Signatures,
    /// The current instruction.
    pub at: usize,
}

impl<'u, 'f> Emitter<'u, 'f> {
    /// An emitter that has opened the function.
    pub fn new(unit: &'u Unit, mut b: FunctionBuilder<'f>, isa: &dyn TargetIsa) -> Self {
        let analysis = Analysis::of(unit);
        let places = (unit.registers.iter().zip(&analysis.uses))
            .map(|(&ty, known)| Place {
                low: b.declare_var(if ty == RegType::F64 { types::F64 } else { types::I64 }),
                high: is_wide(ty).then(|| b.declare_var(types::I64)),
                null: known.nullable.then(|| b.declare_var(types::I8)),
            })
            .collect();
        let joins = analysis.joins.iter();
        let blocks = joins.map(|&joins| joins.then(|| b.create_block())).collect();
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params = b.block_params(entry);
        let frame = Frame { run: params[0], slots: params[1], variables: params[2] };
        let mut sign = |params: &[Type], returns: &[Type]| {
            let mut signature = Signature::new(isa.default_call_conv());
            signature.params.extend(params.iter().copied().map(AbiParam::new));
            signature.returns.extend(returns.iter().copied().map(AbiParam::new));
            b.import_signature(signature)
        };
        let signatures = Signatures {
            step: sign(&[types::I64, types::I32], &[types::I32]),
            row_memory: sign(&[types::I64, types::I64], &[types::I64]),
            reserve: sign(&[types::I64, types::I32, types::I32, types::I64], &[types::I64]),
            copy: sign(&[types::I64, types::I64, types::I64], &[]),
            look_ahead: sign(&[types::I64, types::I32, types::I64, types::I64], &[]),
        };
        Emitter { unit, b, analysis, places, blocks, frame, signatures, at: 0 }
    }

    /// Writes the function.
    pub fn emit(mut self) {
        self.enter();
        for at in 0..self.unit.code.len() {
            self.at = at;
            if let Some(block) = self.blocks[at] {
                if !self.has_ended() {
                    self.b.ins().jump(block, &[]);
                }
                self.b.switch_to_block(block);
            } else if self.has_ended() {
                // Unreachable.
                continue;
            }
            let inst = self.unit.code[at];
            self.inst(&inst);
        }
        self.b.seal_all_blocks();
        self.b.finalize();
    }

    /// Whether control has left the current block.
    fn has_ended(&self) -> bool {
        let func = &self.b.func;
        let last = self.b.current_block().and_then(|block| func.layout.last_inst(block));
        last.is_some_and(|inst| func.dfg.insts[inst].opcode().is_terminator())
    }

    /// Emits the jumps from the function's start to the unit's start or to a handler.
    fn enter(&mut self) {
        if self.unit.handlers.is_empty() {
            return;
        }
        let entry = self.b.current_block().expect("`new` has switched to it");
        let start = self.b.block_params(entry)[3];
        let body = self.b.create_block();
        let doors: Vec<Block> = self.unit.handlers.iter().map(|_| self.b.create_block()).collect();
        let mut targets = vec![body];
        targets.extend(&doors);
        self.table(start, &targets);
        for (number, door) in doors.into_iter().enumerate() {
            self.b.switch_to_block(door);
            for reg in self.analysis.live_at_handler[number].clone() {
                self.reload(reg);
            }
            let handler = self.unit.handlers[number].handler;
            self.jump(Pc(handler));
        }
        self.b.switch_to_block(body);
    }

    /// Emits a jump to the block of this index.
    fn table(&mut self, index: Value, targets: &[Block]) {
        if targets.is_empty() {
            // The end of a routine that is never called.
            self.b.ins().trap(TrapCode::unwrap_user(1));
            return;
        }
        let pool = &mut self.b.func.dfg.value_lists;
        let calls: Vec<BlockCall> =
            targets.iter().map(|&target| BlockCall::new(target, [], pool)).collect();
        let data = JumpTableData::new(BlockCall::new(targets[0], [], pool), &calls);
        let table = self.b.create_jump_table(data);
        self.b.ins().br_table(index, table);
    }

    fn inst(&mut self, inst: &Inst) {
        match *inst {
            Inst::Jump { to } => self.jump(to),
            Inst::Halt => self.leave(outcome::HALTED),
            Inst::Switch { on, table } => {
                let on = self.get(on).low;
                let on = self.b.ins().ireduce(types::I32, on);
                let targets = &self.unit.switches[table as usize];
                let targets: Vec<Block> = targets.iter().map(|&to| self.block(to)).collect();
                self.table(on, &targets);
            }
            Inst::Gosub { link, to } => {
                let callers = self.analysis.callers_of(link);
                let number = callers.iter().position(|&site| site == self.at);
                let number = number.expect("the analysis has seen every call") as i64;
                let number = self.b.ins().iconst(types::I64, number);
                self.set(link, Val::word(number));
                self.jump(to);
            }
            Inst::Return { link } => {
                let sites = self.analysis.callers_of(link).to_vec();
                let targets: Vec<Block> =
                    sites.iter().map(|&site| self.block(Pc(site as u32 + 1))).collect();
                let number = self.get(link).low;
                let number = self.b.ins().ireduce(types::I32, number);
                self.table(number, &targets);
            }
            Inst::JumpNull { a, to } => {
                if let Some(null) = self.get(a).null {
                    self.branch(null, to);
                }
            }
            Inst::JumpNotNull { a, to } => match self.get(a).null {
                Some(null) => self.branch_unless(null, to),
                None => self.jump(to),
            },
            Inst::Guard { dst, a, to } => self.guard(dst, &[a], to),
            Inst::Guard2 { dst, a, b, to } => self.guard(dst, &[a, b], to),
            Inst::GuardList { dst, list, to } => self.guard(dst, self.unit.list(list), to),
            Inst::SetNull { dst } => self.set_null(dst),
            Inst::Move { dst, src } => {
                let value = self.get(src);
                self.set(dst, value);
            }
            Inst::Int { dst, value } => {
                let value = self.b.ins().iconst(types::I64, value);
                self.set(dst, Val::word(value));
            }
            Inst::LoadVar { dst, var } => {
                let base = self.frame.variables;
                self.load_slot(dst, base, var as i32 * layout::SLOT);
                self.store(dst);
            }
            Inst::StoreVar { var, src } if self.unit.reg_type(src) != RegType::Bytes => {
                let value = self.get(src);
                let base = self.frame.variables;
                self.store_slot(value, base, var as i32 * layout::SLOT);
            }
            ref inst if is_inline(self.unit, inst) => match row::is_inline(inst) {
                true => self.row(inst),
                false => self.scalar(inst),
            },
            Inst::Insert { bytes, .. } if self.analysis.target_of(bytes).is_some() => {
                self.step(helpers::insert_reserved, inst);
            }
            ref inst => {
                if let Inst::Find { .. } = inst {
                    self.look_ahead();
                }
                self.step(helpers::of(inst), inst);
            }
        }
    }

    /// Emits a jump if one of these is NULL, before which `dst` becomes NULL.
    fn guard(&mut self, dst: Reg, regs: &[Reg], to: Pc) {
        let nulls: Vec<Value> = regs.iter().filter_map(|&reg| self.get(reg).null).collect();
        let Some(null) = nulls.into_iter().reduce(|a, b| self.b.ins().bor(a, b)) else { return };
        let (is_null, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(null, is_null, &[], next, &[]);
        self.b.switch_to_block(is_null);
        self.set_null(dst);
        self.jump(to);
        self.b.switch_to_block(next);
    }

    /// The block of an instruction that others jump to.
    fn block(&self, to: Pc) -> Block {
        self.blocks[to.0 as usize].expect("the analysis has seen every jump")
    }

    /// Emits a jump to an instruction.
    pub fn jump(&mut self, to: Pc) {
        let block = self.block(to);
        self.b.ins().jump(block, &[]);
    }

    /// Emits a jump to an instruction if the condition is not 0.
    pub fn branch(&mut self, condition: Value, to: Pc) {
        let (block, next) = (self.block(to), self.b.create_block());
        self.b.ins().brif(condition, block, &[], next, &[]);
        self.b.switch_to_block(next);
    }

    fn branch_unless(&mut self, condition: Value, to: Pc) {
        let (block, next) = (self.block(to), self.b.create_block());
        self.b.ins().brif(condition, next, &[], block, &[]);
        self.b.switch_to_block(next);
    }

    /// Emits the end of the run.
    fn leave(&mut self, outcome: u32) {
        let outcome = self.b.ins().iconst(types::I32, i64::from(outcome));
        self.b.ins().return_(&[outcome]);
    }

    // ---- registers

    /// The value of a register.
    pub fn get(&mut self, reg: Reg) -> Val {
        let place = self.places[usize::from(reg.0)];
        Val {
            low: self.b.use_var(place.low),
            high: place.high.map(|high| self.b.use_var(high)),
            null: place.null.map(|null| self.b.use_var(null)),
        }
    }

    /// Both words of a register.
    pub fn get_wide(&mut self, reg: Reg) -> (Value, Value) {
        let value = self.get(reg);
        (value.low, value.high.expect("the type has two words"))
    }

    /// Sets a register.
    pub fn set(&mut self, reg: Reg, value: Val) {
        self.define(reg, value);
        self.store(reg);
    }

    fn define(&mut self, reg: Reg, value: Val) {
        let place = self.places[usize::from(reg.0)];
        self.b.def_var(place.low, value.low);
        if let (Some(high), Some(value)) = (place.high, value.high) {
            self.b.def_var(high, value);
        }
        if let Some(null) = place.null {
            let flag = value.null.unwrap_or_else(|| self.b.ins().iconst(types::I8, 0));
            self.b.def_var(null, flag);
        }
    }

    /// Makes a register NULL.
    fn set_null(&mut self, reg: Reg) {
        let low = match self.unit.reg_type(reg) {
            RegType::F64 => self.b.ins().f64const(0.0),
            _ => self.b.ins().iconst(types::I64, 0),
        };
        let high = is_wide(self.unit.reg_type(reg)).then(|| self.b.ins().iconst(types::I64, 0));
        let null = Some(self.b.ins().iconst(types::I8, 1));
        self.set(reg, Val { low, high, null });
    }

    /// Stores a register's value in memory, if it is read from there.
    fn store(&mut self, reg: Reg) {
        if self.analysis.of_reg(reg).in_memory {
            self.spill(reg);
        }
    }

    /// Stores a register's value in memory.
    fn spill(&mut self, reg: Reg) {
        let value = self.get(reg);
        let slots = self.frame.slots;
        self.store_slot(value, slots, i32::from(reg.0) * layout::SLOT);
    }

    fn store_slot(&mut self, value: Val, base: Value, offset: i32) {
        let flags = MemFlags::trusted();
        self.b.ins().store(flags, value.low, base, offset + layout::LOW);
        if let Some(high) = value.high {
            self.b.ins().store(flags, high, base, offset + layout::HIGH);
        }
        let null = value.null.unwrap_or_else(|| self.b.ins().iconst(types::I8, 0));
        self.b.ins().store(flags, null, base, offset + layout::NULL);
    }

    /// Takes a register's value from memory.
    fn reload(&mut self, reg: Reg) {
        let slots = self.frame.slots;
        self.load_slot(reg, slots, i32::from(reg.0) * layout::SLOT);
    }

    fn load_slot(&mut self, reg: Reg, base: Value, offset: i32) {
        let flags = MemFlags::trusted();
        let ty = self.unit.reg_type(reg);
        let word = if ty == RegType::F64 { types::F64 } else { types::I64 };
        let low = self.b.ins().load(word, flags, base, offset + layout::LOW);
        let high =
            is_wide(ty).then(|| self.b.ins().load(types::I64, flags, base, offset + layout::HIGH));
        let null = self.analysis.of_reg(reg).nullable;
        let null = null.then(|| self.b.ins().load(types::I8, flags, base, offset + layout::NULL));
        self.define(reg, Val { low, high, null });
    }

    // ---- helpers

    fn call(&mut self, signature: SigRef, address: usize, args: &[Value]) -> Option<Value> {
        let address = self.b.ins().iconst(types::I64, address as i64);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }

    /// Emits the call of a helper for the current instruction. Returns the helper's result.
    fn call_step(&mut self, helper: helpers::Step) -> Value {
        let at = self.b.ins().iconst(types::I32, self.at as i64);
        let (run, signature) = (self.frame.run, self.signatures.step);
        self.call(signature, helper as usize, &[run, at]).expect("the signature has a result")
    }

    /// Emits the call of a helper for an instruction whose operands are in memory.
    fn step(&mut self, helper: helpers::Step, inst: &Inst) {
        let result = self.call_step(helper);
        let (other, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(result, other, &[], next, &[]);
        self.b.switch_to_block(other);
        match inst.target() {
            Some(to) => {
                let failed = self.b.create_block();
                let jumps = self.b.ins().icmp_imm(IntCC::Equal, result, i64::from(outcome::JUMP));
                let block = self.block(to);
                self.b.ins().brif(jumps, block, &[], failed, &[]);
                self.b.set_cold_block(failed);
                self.b.switch_to_block(failed);
            }
            None => self.b.set_cold_block(other),
        }
        self.b.ins().return_(&[result]);
        self.b.switch_to_block(next);
        self.reload_results(inst);
    }

    /// Takes from memory what a helper has written, as far as inline code reads it.
    fn reload_results(&mut self, inst: &Inst) {
        let mut written = Vec::new();
        inst.operands(self.unit, &mut |operand| {
            if !matches!(operand.access, Access::Read | Access::ReadNullable) {
                written.push(operand.reg);
            }
        });
        for reg in written {
            if self.analysis.of_reg(reg).in_code {
                self.reload(reg);
            }
        }
    }

    /// Emits the call of the helper that executes the current instruction, for a case that the
    /// instruction's inline code does not cover. The current block is for this case alone;
    /// afterwards the current block is one in which the result is there.
    pub fn otherwise_step(&mut self, inst: &Inst) {
        self.spill_operands(inst);
        let result = self.call_step(helpers::step);
        let (failed, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(result, failed, &[], next, &[]);
        self.b.set_cold_block(failed);
        self.b.switch_to_block(failed);
        self.b.ins().return_(&[result]);
        self.b.switch_to_block(next);
        self.b.set_cold_block(next);
        self.reload_results(inst);
    }

    /// Emits a check that a condition is not 0. If it is, the run fails with the error of the
    /// current arithmetic instruction.
    pub fn require(&mut self, condition: Value, inst: &Inst) {
        let (fails, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, next, &[], fails, &[]);
        self.b.set_cold_block(fails);
        self.b.switch_to_block(fails);
        self.spill_operands(inst);
        let result = self.call_step(helpers::fail);
        self.b.ins().return_(&[result]);
        self.b.switch_to_block(next);
    }

    fn spill_operands(&mut self, inst: &Inst) {
        let mut read = Vec::new();
        inst.operands(self.unit, &mut |operand| {
            if matches!(operand.access, Access::Read | Access::ReadNullable) {
                read.push(operand.reg);
            }
        });
        for reg in read {
            self.spill(reg);
        }
    }

    /// Emits the call that takes zeroed memory for the row of this many bytes that `bytes` will
    /// point to: in its table if it is inserted next, else in the arena.
    pub fn row_memory(&mut self, bytes: Reg, len: Value) -> Value {
        if let Some(target) = self.analysis.target_of(bytes) {
            return self.reserve(target, len);
        }
        let (run, signature) = (self.frame.run, self.signatures.row_memory);
        let row = self.call(signature, helpers::row_memory as *const () as usize, &[run, len]);
        row.expect("the signature has a result")
    }

    fn reserve(&mut self, target: u16, len: Value) -> Value {
        let at = self.b.ins().iconst(types::I32, self.at as i64);
        let target = self.b.ins().iconst(types::I32, i64::from(target));
        let (run, signature) = (self.frame.run, self.signatures.reserve);
        let address = helpers::reserve as *const () as usize;
        let row = self.call(signature, address, &[run, at, target, len]);
        let row = row.expect("the signature has a result");
        let (failed, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(row, next, &[], failed, &[]);
        self.b.set_cold_block(failed);
        self.b.switch_to_block(failed);
        self.leave(outcome::FAILED);
        self.b.switch_to_block(next);
        row
    }

    /// Where the module's variables are.
    pub fn variables(&self) -> Value {
        self.frame.variables
    }

    /// Emits prefetches of the memory that the current look-up will need in its next turns.
    pub fn ask_ahead(&mut self, next: Value, after: Value) {
        let at = self.b.ins().iconst(types::I32, self.at as i64);
        let (run, signature) = (self.frame.run, self.signatures.look_ahead);
        let address = helpers::look_ahead as *const () as usize;
        self.call(signature, address, &[run, at, next, after]);
    }

    /// Emits a copy of bytes.
    pub fn copy(&mut self, to: Value, from: Value, len: Value) {
        let signature = self.signatures.copy;
        self.call(signature, helpers::copy as *const () as usize, &[to, from, len]);
    }
}

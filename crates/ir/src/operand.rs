//! Which registers an instruction reads and writes, and where it can go: one description for
//! verifier, printer and code generators.

use crate::UnitParts;
use crate::inst::{Inst, Pc, Reg, RegType};
use crate::object::{AccessDesc, KeyPart, ObjId, ObjectDesc, OrderKey};
use crate::site::{LikePattern, ModuleArg, RowsetSite};

/// How an instruction uses a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads a value that must not be NULL.
    Read,
    /// Reads a value or NULL.
    ReadNullable,
    /// Writes a value that is not NULL.
    Write,
    /// Writes a value or NULL.
    WriteNullable,
    /// Makes the register NULL.
    WriteNull,
}

/// A use of a register by an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Which register.
    pub reg: Reg,
    /// How it is used.
    pub access: Access,
    /// The type that the instruction demands.
    pub ty: RegType,
}

impl Inst {
    /// The other instruction that may come next, if there is one (switches have more).
    pub fn target(&self) -> Option<Pc> {
        let mut copy = *self;
        copy.target_mut().copied()
    }

    /// [`Inst::target`], for changing it.
    pub fn target_mut(&mut self) -> Option<&mut Pc> {
        use Inst::*;
        match self {
            Jump { to }
            | Gosub { to, .. }
            | GroupSame { to, .. }
            | GroupEmpty { to, .. }
            | JumpNull { to, .. }
            | JumpNotNull { to, .. }
            | Guard { to, .. }
            | Guard2 { to, .. }
            | GuardList { to, .. }
            | JumpInt { to, .. }
            | JumpImm { to, .. }
            | JumpDecimal { to, .. }
            | JumpFloat { to, .. }
            | JumpCompare { to, .. }
            | JumpLike { to, .. }
            | JumpIn { to, .. }
            | HashEmpty { to, .. } => Some(to),
            Find { done, .. }
            | Next { done, .. }
            | LocalNext { done, .. }
            | SeriesNext { done, .. }
            | StreamNext { done, .. }
            | SortNext { done, .. }
            | SetNext { done, .. }
            | HashNext { done, .. }
            | HashUnmatched { done, .. }
            | HashPartition { done, .. }
            | HashReplay { done, .. }
            | GroupNext { done, .. }
            | WindowNext { done, .. } => Some(done),
            SetAdd { seen, .. } => Some(seen),
            HashProbe { away, .. } => Some(away),
            Insert { ignored, .. } => Some(ignored),
            Count { full } => Some(full),
            _ => None,
        }
    }

    /// Whether the instruction may take memory from the arena.
    pub fn may_fill_arena(&self) -> bool {
        use Inst::*;
        !matches!(
            self,
            Load { .. }
                | LoadFixed { .. }
                | LoadVariable { .. }
                | LoadVar { .. }
                | StoreVar { .. }
                | Move { .. }
                | Int { .. }
                | SetNull { .. }
                | IntArith { .. }
                | FloatArith { .. }
                | CastIntFloat { .. }
                | Step { .. }
                | Jump { .. }
                | JumpNull { .. }
                | JumpNotNull { .. }
                | JumpInt { .. }
                | JumpImm { .. }
                | JumpDecimal { .. }
                | JumpFloat { .. }
                | Guard { .. }
                | Guard2 { .. }
                | Count { .. }
        )
    }

    /// Whether control never goes from this instruction to the one after it.
    pub fn never_falls_through(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Gosub { .. }
                | Inst::Return { .. }
                | Inst::Switch { .. }
                | Inst::Halt
                | Inst::Raise { .. }
                | Inst::Violate { .. }
                | Inst::Throw { .. }
                | Inst::Rethrow
        )
    }

    /// Calls `f` for every use of a register, reads before writes.
    pub fn operands(&self, unit: &UnitParts, f: &mut dyn FnMut(Operand)) {
        let mut visit = Visitor { unit, f };
        if !visit.scalar(self) && !visit.object(self) {
            visit.statement(self);
        }
    }
}

struct Visitor<'a, 'f> {
    unit: &'a UnitParts,
    f: &'f mut dyn FnMut(Operand),
}

impl Visitor<'_, '_> {
    fn tell(&mut self, reg: Reg, access: Access, ty: RegType) {
        (self.f)(Operand { reg, access, ty });
    }

    fn read(&mut self, reg: Reg, ty: RegType) {
        self.tell(reg, Access::Read, ty);
    }

    fn write(&mut self, reg: Reg, ty: RegType) {
        self.tell(reg, Access::Write, ty);
    }

    /// A read that takes the register as it is.
    fn read_any(&mut self, reg: Reg) {
        self.tell(reg, Access::ReadNullable, self.unit.reg_type(reg));
    }

    fn read_list(&mut self, list: crate::RegList) {
        for &reg in self.unit.list(list) {
            self.read_any(reg);
        }
    }

    fn read_keys(&mut self, keys: &[KeyPart]) {
        for key in keys {
            self.tell(key.reg, Access::ReadNullable, RegType::of(&key.ty));
        }
    }

    fn read_order(&mut self, keys: &[OrderKey]) {
        for key in keys {
            self.tell(key.reg, Access::ReadNullable, RegType::of(&key.ty));
        }
    }

    /// Visits an instruction on scalars and NULL. Returns whether it was one.
    fn scalar(&mut self, inst: &Inst) -> bool {
        use Access::*;
        use Inst::*;
        use RegType::*;
        match *inst {
            Switch { on, .. } => self.read(on, I64),
            Gosub { link, .. } => self.write(link, I64),
            Return { link } => self.read(link, I64),
            JumpNull { a, .. } | JumpNotNull { a, .. } => self.read_any(a),
            Guard { dst, a, .. } => {
                self.read_any(a);
                self.tell(dst, WriteNull, self.unit.reg_type(dst));
            }
            Guard2 { dst, a, b, .. } => {
                self.read_any(a);
                self.read_any(b);
                self.tell(dst, WriteNull, self.unit.reg_type(dst));
            }
            GuardList { dst, list, .. } => {
                self.read_list(list);
                self.tell(dst, WriteNull, self.unit.reg_type(dst));
            }
            SetNull { dst } => self.tell(dst, WriteNull, self.unit.reg_type(dst)),
            Move { dst, src } => {
                self.read_any(src);
                self.tell(dst, WriteNullable, self.unit.reg_type(src));
            }
            Int { dst, .. } => self.write(dst, I64),
            Const { dst, index } => {
                let ty = RegType::of(&self.unit.constants[index as usize].ty);
                self.write(dst, ty);
            }
            IntArith { dst, a, b, .. } => self.binary(dst, a, b, I64),
            FloatArith { dst, a, b, .. } => self.binary(dst, a, b, F64),
            Step { dst, a, .. } => {
                self.read(a, I64);
                self.write(dst, I64);
            }
            Percent { dst, rows, percent } => {
                self.read(rows, I64);
                self.read(percent, F64);
                self.write(dst, I64);
            }
            JumpInt { a, b, .. } => self.pair(a, b, I64),
            JumpDecimal { a, b, .. } => self.pair(a, b, I128),
            JumpFloat { a, b, .. } => self.pair(a, b, F64),
            JumpImm { a, .. } => self.read(a, I64),
            _ => return self.sited(inst),
        }
        true
    }

    fn pair(&mut self, a: Reg, b: Reg, ty: RegType) {
        self.read(a, ty);
        self.read(b, ty);
    }

    fn binary(&mut self, dst: Reg, a: Reg, b: Reg, ty: RegType) {
        self.pair(a, b, ty);
        let nulls = self.unit.arithmetic_errors_are_null;
        self.tell(dst, if nulls { Access::WriteNullable } else { Access::Write }, ty);
    }

    /// Visits an instruction on scalars that is described by a site.
    fn sited(&mut self, inst: &Inst) -> bool {
        use Access::*;
        use Inst::*;
        let unit = self.unit;
        let result =
            if unit.arithmetic_errors_are_null { Access::WriteNullable } else { Access::Write };
        match *inst {
            Arith { dst, a, b, site } => {
                let site = &unit.ariths[site as usize];
                self.read(a, RegType::of(&site.left));
                self.read(b, RegType::of(&site.right));
                self.tell(dst, result, RegType::of(&site.result));
            }
            Unary { dst, a, site } => {
                let ty = RegType::of(&unit.unaries[site as usize].ty);
                self.read(a, ty);
                self.tell(dst, result, ty);
            }
            JumpCompare { a, b, site, .. } => {
                self.pair(a, b, RegType::of(&unit.compares[site as usize].ty));
            }
            JumpLike { subject, site, .. } => {
                self.read(subject, RegType::Bytes);
                if let LikePattern::Dynamic(pattern, escape) = unit.likes[site as usize].pattern {
                    self.read(pattern, RegType::Bytes);
                    if let Some(escape) = escape {
                        self.read(escape, RegType::Bytes);
                    }
                }
            }
            JumpIn { a, set, .. } => self.read(a, RegType::of(&unit.sets[set as usize].ty)),
            CastInt { dst, src, .. } => {
                self.read(src, RegType::I64);
                self.tell(dst, result, RegType::I64);
            }
            CastIntDecimal { dst, src, .. } => {
                self.read(src, RegType::I64);
                self.tell(dst, result, RegType::I128);
            }
            CastIntFloat { dst, src } => {
                self.read(src, RegType::I64);
                self.write(dst, RegType::F64);
            }
            Cast { dst, src, site } => {
                let site = &unit.casts[site as usize];
                self.read(src, RegType::of(&site.from));
                if let Some(style) = site.style {
                    self.read(style, RegType::I64);
                }
                let may_fail_to_null = site.mode == crate::operator::CastMode::Try;
                let access = if may_fail_to_null { WriteNullable } else { result };
                self.tell(dst, access, RegType::of(&site.to));
            }
            Concat { dst, a, b, .. } => self.pair_into(dst, a, b),
            Call { dst, site } => {
                let site = &unit.calls[site as usize];
                let strict = site.function.nulls == crate::function::NullBehaviour::Strict;
                for &reg in unit.list(site.args) {
                    let access = if strict { Read } else { ReadNullable };
                    self.tell(reg, access, unit.reg_type(reg));
                }
                self.tell(dst, WriteNullable, RegType::of(&site.types.result));
            }
            CallUser { dst, site } => {
                let site = &unit.user_calls[site as usize];
                for &reg in site.args.iter().flatten() {
                    self.read_any(reg);
                }
                self.tell(dst, WriteNullable, RegType::of(&site.result));
            }
            NextValue { dst, site } => {
                self.write(dst, RegType::of(&unit.sequences[site as usize].ty));
            }
            _ => return self.memory(inst),
        }
        true
    }

    fn pair_into(&mut self, dst: Reg, a: Reg, b: Reg) {
        self.pair(a, b, RegType::Bytes);
        self.write(dst, RegType::Bytes);
    }

    /// Visits an instruction on rows, memory or variables.
    fn memory(&mut self, inst: &Inst) -> bool {
        use Access::*;
        use Inst::*;
        use RegType::*;
        let load = |column| if column == super::inst::NOT_NULL { Write } else { WriteNullable };
        match *inst {
            Load { kind, dst, row, column, .. } => {
                self.read(row, Row);
                self.tell(dst, load(column), kind.reg_type());
            }
            LoadFixed { dst, row, column, .. } | LoadVariable { dst, row, column, .. } => {
                self.read(row, Row);
                self.tell(dst, load(column), Bytes);
            }
            BuildRow { dst, site } => {
                self.read_list(self.unit.rows[site as usize].columns);
                self.write(dst, Bytes);
            }
            BytesRow { dst, bytes } => {
                self.read(bytes, Bytes);
                self.write(dst, Row);
            }
            RowBytes { dst, row, .. } => {
                self.read(row, Row);
                self.write(dst, Bytes);
            }
            Keep { dst, src } => {
                self.tell(src, ReadNullable, Bytes);
                self.tell(dst, WriteNullable, Bytes);
            }
            KeepRow { dst, src } => {
                self.tell(src, ReadNullable, Row);
                self.tell(dst, WriteNullable, Row);
            }
            LoadVar { dst, .. } | CopyVar { dst, .. } => {
                self.tell(dst, WriteNullable, self.unit.reg_type(dst));
            }
            StoreVar { src, .. } => self.read_any(src),
            _ => return false,
        }
        true
    }

    /// Visits the registers that position a cursor.
    fn key(&mut self, cursor: ObjId) {
        let access = match &self.unit.objects[usize::from(cursor.0)] {
            ObjectDesc::Cursor(c) => &c.access,
            ObjectDesc::LocalCursor(c) => &c.access,
            _ => return,
        };
        if let AccessDesc::Key { key, .. } = access {
            return self.read_keys(key);
        }
        for part in access.parts() {
            self.read(part.reg, RegType::of(&part.ty));
        }
    }

    /// Visits an instruction on objects. Returns whether it was one.
    fn object(&mut self, inst: &Inst) -> bool {
        use Access::*;
        use Inst::*;
        use RegType::*;
        let unit = self.unit;
        match *inst {
            Open { cursor } | LocalOpen { cursor } => self.key(cursor),
            Find { cursor, row, .. } => {
                self.key(cursor);
                self.write(row, Row);
            }
            Next { row, .. }
            | LocalNext { row, .. }
            | StreamNext { row, .. }
            | SortNext { row, .. }
            | SetNext { row, .. }
            | HashNext { row, .. }
            | HashUnmatched { row, .. }
            | GroupNext { row, .. }
            | WindowNext { row, .. } => self.write(row, Row),
            SeriesNext { value, step, stop, .. } => {
                let ty = match unit.reg_type(value) {
                    I128 => I128,
                    _ => I64,
                };
                for reg in [value, step, stop] {
                    self.read(reg, ty);
                }
                self.write(value, ty);
            }
            FillRowset { site, .. } => match &unit.rowsets[site as usize] {
                RowsetSite::System(..) => {}
                RowsetSite::Function { args, .. } => self.read_list(*args),
                RowsetSite::User { args, .. } => {
                    args.iter().flatten().for_each(|&reg| self.read_any(reg));
                }
            },
            WorkPush { list, .. }
            | GroupFind { keys: list, .. }
            | GroupSame { keys: list, .. }
            | HashPutOff { list, .. }
            | SetAdd { list, .. } => {
                self.read_list(list);
            }
            WorkCount { dst, .. } => self.write(dst, I64),
            SortClear { limit: Some(limit), .. } => self.read(limit, I64),
            SortPush { sort: id } | HashPush { hash: id } => {
                self.push(&unit.objects[usize::from(id.0)]);
            }
            HashPushUnkeyed { hash } => {
                if let ObjectDesc::Hash(hash) = &unit.objects[usize::from(hash.0)] {
                    self.read_list(hash.row);
                }
            }
            WindowPush { window } => self.push(&unit.objects[usize::from(window.0)]),
            HashReplay { row, matched, .. } => {
                self.read(matched, I64);
                self.write(row, Row);
                self.write(matched, I64);
            }
            HashProbe { hash, .. } => {
                if let ObjectDesc::Hash(hash) = &unit.objects[usize::from(hash.0)] {
                    self.read_keys(&hash.probe);
                }
            }
            GroupAdd { groups, aggregate } => {
                if let ObjectDesc::Groups(g) = &unit.objects[usize::from(groups.0)] {
                    let aggregate = &g.aggregates[usize::from(aggregate)];
                    self.read_list(aggregate.args);
                    self.read_order(&aggregate.order.keys);
                }
            }
            GroupResult { dst, .. } | WindowResult { dst, .. } => {
                self.tell(dst, WriteNullable, unit.reg_type(dst));
            }
            _ => return false,
        }
        true
    }

    fn push(&mut self, object: &ObjectDesc) {
        match object {
            ObjectDesc::Sort(sort) => {
                self.read_order(&sort.order.keys);
                self.read_list(sort.row);
            }
            ObjectDesc::Hash(hash) => {
                self.read_keys(&hash.build);
                self.read_list(hash.row);
            }
            ObjectDesc::Window(window) => {
                self.read_order(&window.partition.keys);
                self.read_order(&window.order.keys);
                self.read_list(window.row);
            }
            _ => {}
        }
    }

    /// Visits an instruction for changes, results or native modules.
    fn statement(&mut self, inst: &Inst) {
        use Access::*;
        use Inst::*;
        use RegType::*;
        match *inst {
            Insert { bytes, row, .. } => {
                self.read(bytes, Bytes);
                self.write(row, Row);
            }
            Update { row, bytes, status, .. } => {
                self.read(row, Row);
                self.read(bytes, Bytes);
                self.tell(row, Write, Row);
                self.write(status, I64);
            }
            Delete { row, status, .. } => {
                self.read(row, Row);
                self.write(row, Row);
                self.write(status, I64);
            }
            TakeAway { row, status, trace, .. } => {
                self.read(row, Row);
                self.write(row, Row);
                self.write(status, I64);
                self.write(trace, I64);
            }
            PutBack { bytes, row, trace, .. } => {
                self.read(bytes, Bytes);
                self.read(trace, I64);
                self.write(row, Row);
            }
            Identity { dst, .. } => self.write(dst, self.unit.reg_type(dst)),
            RowVersion { dst, .. } => self.write(dst, Bytes),
            ChangeNumber { dst, .. } | ChangeStep { dst, .. } => self.write(dst, I64),
            Emit { list, .. } | KeepTransition { list, .. } => self.read_list(list),
            CallModule { site } => {
                for arg in &self.unit.module_calls[site as usize].args {
                    if let ModuleArg::Value(reg, ty) = arg {
                        self.tell(*reg, ReadNullable, RegType::of(ty));
                    }
                }
            }
            Throw { number, message, state } => {
                self.read(number, I64);
                self.read(message, Bytes);
                self.read(state, I64);
            }
            SetReturn { src } => self.read_any(src),
            _ => {}
        }
    }
}

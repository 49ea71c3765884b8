//! Columns out of rows, and rows out of columns: at offsets that are constants of the code.

use base::TypeKind;
use base::types::Repr;
use cranelift_codegen::ir::{InstBuilder, MemFlags, Type, Value, types};
use engine::hot::row::{Place, RowColumn, RowLayout};
use ir::inst::{Inst, LoadKind, NOT_NULL, Reg};
use ir::site::VariablePlace;

use crate::emit::{Emitter, Val};

/// Whether an instruction is compiled here.
pub fn is_inline(inst: &Inst) -> bool {
    use Inst::*;
    matches!(inst, Load { .. } | LoadFixed { .. } | LoadVariable { .. } | BuildRow { .. })
}

/// Reads and writes of rows, whose columns are not aligned. They do not trap.
fn unaligned() -> MemFlags {
    MemFlags::new().with_notrap()
}

impl Emitter<'_, '_> {
    /// Writes an instruction of this file.
    pub fn row(&mut self, inst: &Inst) {
        match *inst {
            Inst::Load { kind, dst, row, column, offset } => {
                let row = self.get(row).low;
                let null = self.null_bit(row, column);
                let value = self.load(kind, row, offset as i32);
                self.set(dst, Val { null, ..value });
            }
            Inst::LoadFixed { dst, row, column, width, offset } => {
                let row = self.get(row).low;
                let null = self.null_bit(row, column);
                let start = self.b.ins().iadd_imm(row, i64::from(offset));
                let len = self.b.ins().iconst(types::I64, i64::from(width));
                self.set(dst, Val { null, ..Val::wide(start, len) });
            }
            Inst::LoadVariable { dst, row, column, place } => {
                let row = self.get(row).low;
                let null = self.null_bit(row, column);
                let value = self.load_variable(row, &self.unit.places[place as usize], null);
                self.set(dst, Val { null, ..value });
            }
            Inst::BuildRow { dst, site } => self.build(dst, site),
            ref inst => unreachable!("{inst:?} is not of this file"),
        }
    }

    /// The null flag of a column. What is loaded of a column that is NULL is in the row as well,
    /// and it is not looked at.
    fn null_bit(&mut self, row: Value, column: u16) -> Option<Value> {
        if column == NOT_NULL {
            return None;
        }
        let byte = self.b.ins().load(types::I8, unaligned(), row, i32::from(column / 8));
        let shifted = self.b.ins().ushr_imm(byte, i64::from(column % 8));
        Some(self.b.ins().band_imm(shifted, 1))
    }

    fn load(&mut self, kind: LoadKind, row: Value, at: i32) -> Val {
        let signed = |e: &mut Self, ty: Type| {
            let narrow = e.b.ins().load(ty, unaligned(), row, at);
            e.b.ins().sextend(types::I64, narrow)
        };
        let unsigned = |e: &mut Self, ty: Type, at: i32| {
            let narrow = e.b.ins().load(ty, unaligned(), row, at);
            e.b.ins().uextend(types::I64, narrow)
        };
        match kind {
            LoadKind::U8 => Val::word(unsigned(self, types::I8, at)),
            LoadKind::I16 => Val::word(signed(self, types::I16)),
            LoadKind::I32 => Val::word(signed(self, types::I32)),
            LoadKind::U32 => Val::word(unsigned(self, types::I32, at)),
            LoadKind::I64 => Val::word(self.b.ins().load(types::I64, unaligned(), row, at)),
            LoadKind::DateTime => {
                let days = unsigned(self, types::I32, at);
                let ticks = unsigned(self, types::I32, at + 4);
                let days = self.b.ins().ishl_imm(days, 32);
                Val::word(self.b.ins().bor(days, ticks))
            }
            LoadKind::F32 => {
                let real = self.b.ins().load(types::F32, unaligned(), row, at);
                Val::word(self.b.ins().fpromote(types::F64, real))
            }
            LoadKind::F64 => Val::word(self.b.ins().load(types::F64, unaligned(), row, at)),
            LoadKind::I64Wide => {
                let low = self.b.ins().load(types::I64, unaligned(), row, at);
                Val::wide(low, self.b.ins().sshr_imm(low, 63))
            }
            LoadKind::I128 | LoadKind::Guid | LoadKind::Row => {
                let low = self.b.ins().load(types::I64, unaligned(), row, at);
                Val::wide(low, self.b.ins().load(types::I64, unaligned(), row, at + 8))
            }
            LoadKind::Offset => {
                let low = self.b.ins().load(types::I64, unaligned(), row, at);
                let minutes = self.b.ins().load(types::I16, unaligned(), row, at + 8);
                Val::wide(low, self.b.ins().sextend(types::I64, minutes))
            }
        }
    }

    fn load_variable(&mut self, row: Value, place: &VariablePlace, null: Option<Value>) -> Val {
        let (ty, width) = if place.wide { (types::I32, 4) } else { (types::I16, 2) };
        let mut end_at = self.b.ins().iadd_imm(row, i64::from(place.end_at));
        if let Some(null) = null {
            // A row without end offsets has other bytes, which do no harm.
            let first = self.b.ins().iadd_imm(row, i64::from(width));
            end_at = self.b.ins().select(null, first, end_at);
        }
        let offset = |e: &mut Self, at: i32| {
            let narrow = e.b.ins().load(ty, unaligned(), end_at, at);
            e.b.ins().uextend(types::I64, narrow)
        };
        let end = offset(self, 0);
        let base = self.b.ins().iadd_imm(row, i64::from(place.base));
        if !place.preceded {
            return Val::wide(base, end);
        }
        let start = offset(self, -width);
        let len = self.b.ins().isub(end, start);
        Val::wide(self.b.ins().iadd(base, start), len)
    }

    /// Builds a row as [`RowLayout::build`] does.
    fn build(&mut self, dst: Reg, site: u32) {
        let site = &self.unit.rows[site as usize];
        let layout = &*self.unit.layouts[usize::from(site.layout)];
        let values: Vec<Val> =
            self.unit.list(site.columns).iter().map(|&reg| self.get(reg)).collect();
        let columns = layout.columns();
        let lengths: Vec<Option<Value>> = (columns.iter().zip(&values))
            .map(|(column, value)| match column.place {
                Place::Variable { .. } => Some(self.length(value)),
                Place::Fixed { .. } => None,
            })
            .collect();
        let mut total = self.b.ins().iconst(types::I64, layout.header_len() as i64);
        for len in lengths.iter().flatten() {
            total = self.b.ins().iadd(total, *len);
        }
        let lacks_offsets = self.lacks_offsets(layout, &values);
        if let Some(lacks) = lacks_offsets {
            let least = self.b.ins().iconst(types::I64, layout.least_len() as i64);
            total = self.b.ins().select(lacks, least, total);
        }
        let row = self.row_memory(dst, total);
        self.store_variable(row, layout, &values, &lengths, lacks_offsets);
        self.null_bitmap(row, &values);
        for (column, value) in columns.iter().zip(&values) {
            if let Place::Fixed { offset, width } = column.place {
                self.store_fixed(row, column, value, offset as i32, width);
            }
        }
        self.set(dst, Val::wide(row, total));
    }

    /// Whether the row of these values has no end offsets, unless it always has them.
    fn lacks_offsets(&mut self, layout: &RowLayout, values: &[Val]) -> Option<Value> {
        let columns = layout.columns().iter().zip(values);
        let mut variable = columns.filter(|(c, _)| matches!(c.place, Place::Variable { .. }));
        if !layout.may_lack_offsets() {
            return None;
        }
        let first = variable.next()?.1.null?;
        variable.try_fold(first, |all, (_, value)| Some(self.b.ins().band(all, value.null?)))
    }

    /// How many bytes a value has; none if it is NULL.
    fn length(&mut self, value: &Val) -> Value {
        let len = value.high.expect("bytes have a length");
        match value.null {
            None => len,
            Some(null) => {
                let none = self.b.ins().iconst(types::I64, 0);
                self.b.ins().select(null, none, len)
            }
        }
    }

    fn null_bitmap(&mut self, row: Value, values: &[Val]) {
        for (at, eight) in values.chunks(8).enumerate() {
            let mut byte: Option<Value> = None;
            for (bit, value) in eight.iter().enumerate() {
                let Some(null) = value.null else { continue };
                let null = self.b.ins().ishl_imm(null, bit as i64);
                byte = Some(match byte {
                    None => null,
                    Some(byte) => self.b.ins().bor(byte, null),
                });
            }
            if let Some(byte) = byte {
                self.b.ins().store(unaligned(), byte, row, at as i32);
            }
        }
    }

    /// Stores a fixed-width column; of NULL, zeros.
    fn store_fixed(&mut self, row: Value, column: &RowColumn, value: &Val, at: i32, width: u32) {
        let store = |e: &mut Self, word: Value, ty: Type, at: i32| {
            let word = match value.null {
                None => word,
                Some(null) => {
                    let zero = e.b.ins().iconst(types::I64, 0);
                    e.b.ins().select(null, zero, word)
                }
            };
            let word = if ty == types::I64 { word } else { e.b.ins().ireduce(ty, word) };
            e.b.ins().store(unaligned(), word, row, at);
        };
        let low = value.low;
        match column.ty.kind.repr() {
            Repr::Int
            | Repr::Money
            | Repr::Date
            | Repr::Time
            | Repr::SmallDateTime
            | Repr::DateTime2 => store(self, low, integer(width), at),
            Repr::DateTime => {
                let days = self.b.ins().ushr_imm(low, 32);
                store(self, days, types::I32, at);
                store(self, low, types::I32, at + 4);
            }
            Repr::Float => self.store_float(row, column.ty.kind, value, at),
            Repr::Chars | Repr::Unicode | Repr::Bytes | Repr::Variant => {
                let len = self.length(value);
                let most = self.b.ins().iconst(types::I64, i64::from(width));
                let len = self.b.ins().umin(len, most);
                let to = self.b.ins().iadd_imm(row, i64::from(at));
                self.copy(to, low, len);
            }
            Repr::Decimal | Repr::Guid | Repr::DateTimeOffset => {
                let high = value.high.expect("the type has two words");
                store(self, low, types::I64, at);
                match width {
                    8 => {}
                    10 => store(self, high, types::I16, at + 8),
                    _ => store(self, high, types::I64, at + 8),
                }
            }
        }
    }

    fn store_float(&mut self, row: Value, kind: TypeKind, value: &Val, at: i32) {
        let mut float = value.low;
        if let Some(null) = value.null {
            let zero = self.b.ins().f64const(0.0);
            float = self.b.ins().select(null, zero, float);
        }
        if kind == TypeKind::Real {
            float = self.b.ins().fdemote(types::F32, float);
        }
        self.b.ins().store(unaligned(), float, row, at);
    }

    /// Stores the variable-length columns and where they end. Of a row without end offsets, which
    /// would be zeros, this clears what the fixed part is stored over afterwards.
    fn store_variable(
        &mut self,
        row: Value,
        layout: &RowLayout,
        values: &[Val],
        lengths: &[Option<Value>],
        lacks_offsets: Option<Value>,
    ) {
        let mut offsets = self.b.ins().iadd_imm(row, i64::from(layout.offsets_at()));
        if let Some(lacks) = lacks_offsets {
            offsets = self.b.ins().select(lacks, row, offsets);
        }
        let (ty, width) = if layout.wide_offsets() { (types::I32, 4) } else { (types::I16, 2) };
        let mut end = None;
        for ((column, value), len) in layout.columns().iter().zip(values).zip(lengths) {
            let (Place::Variable { ordinal }, Some(len)) = (column.place, *len) else { continue };
            let base = self.b.ins().iadd_imm(row, layout.header_len() as i64);
            let (to, after) = match end {
                None => (base, len),
                Some(end) => (self.b.ins().iadd(base, end), self.b.ins().iadd(end, len)),
            };
            self.copy(to, value.low, len);
            let cut = self.b.ins().ireduce(ty, after);
            let at = (ordinal * width) as i32;
            self.b.ins().store(unaligned(), cut, offsets, at);
            end = Some(after);
        }
    }
}

fn integer(width: u32) -> Type {
    match width {
        1 => types::I8,
        2 => types::I16,
        4 => types::I32,
        _ => types::I64,
    }
}

//! Rows of results that are made of values rather than by a unit.

use std::marker::PhantomData;

use base::types::Repr;
use base::{SqlType, ValueRef};
use ir::Reg;
use ir::site::ResultColumn;
use smallvec::SmallVec;

use crate::interp::OutputRow;
use crate::interp::registers::Registers;
use crate::interp::slot::Slot;

/// A row of values, in the form that result writers take.
pub struct ValueRow<'v> {
    slots: SmallVec<[Slot; 16]>,
    list: SmallVec<[Reg; 16]>,
    columns: &'v [ResultColumn],
    values: PhantomData<ValueRef<'v>>,
}

impl<'v> ValueRow<'v> {
    /// A row of these columns. Values are of their columns' types; variants are encoded.
    pub fn new(columns: &'v [ResultColumn], values: &[ValueRef<'v>]) -> ValueRow<'v> {
        assert_eq!(columns.len(), values.len(), "a value for each column");
        for (column, value) in columns.iter().zip(values) {
            assert!(is_of(value, &column.ty), "{value:?} is no {:?}", column.ty);
        }
        ValueRow {
            slots: values.iter().map(|value| Slot::from_value(*value)).collect(),
            list: (0..values.len()).map(|at| Reg(at as u16)).collect(),
            columns,
            values: PhantomData,
        }
    }

    /// The row.
    pub fn row(&self) -> OutputRow<'_> {
        // SAFETY: the values that the slots were made from are borrowed for as long as the row
        // lives, and `new` has checked that they are of their columns' types.
        let registers = unsafe { Registers::new(&self.slots) };
        OutputRow { registers, list: &self.list, columns: self.columns }
    }
}

/// Whether a value is in the representation of a type.
fn is_of(value: &ValueRef<'_>, ty: &SqlType) -> bool {
    let repr = ty.kind.repr();
    match value {
        ValueRef::Null => true,
        ValueRef::Int(_) => repr == Repr::Int,
        ValueRef::Money(_) => repr == Repr::Money,
        ValueRef::Decimal(_) => repr == Repr::Decimal,
        ValueRef::Float(_) => repr == Repr::Float,
        ValueRef::Chars(_) => repr == Repr::Chars,
        ValueRef::Unicode(_) => repr == Repr::Unicode,
        ValueRef::Bytes(_) => matches!(repr, Repr::Bytes | Repr::Variant),
        ValueRef::Date(_) => repr == Repr::Date,
        ValueRef::Time(_) => repr == Repr::Time,
        ValueRef::DateTime(_) => repr == Repr::DateTime,
        ValueRef::SmallDateTime(_) => repr == Repr::SmallDateTime,
        ValueRef::DateTime2(_) => repr == Repr::DateTime2,
        ValueRef::DateTimeOffset(_) => repr == Repr::DateTimeOffset,
        ValueRef::Guid(_) => repr == Repr::Guid,
        ValueRef::Variant(_) => false,
    }
}

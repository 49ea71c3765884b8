//! Reading registers as values.

use base::{SqlType, ValueRef};
use ir::inst::Reg;
use ir::object::{KeyPart, OrderKey};
use smallvec::SmallVec;

use crate::interp::key::ValueBound;
use crate::interp::slot::Slot;

/// Some values, usually few.
pub type Values<'r> = SmallVec<[ValueRef<'r>; 8]>;

/// The registers of a unit that runs, as the current instruction finds them.
#[derive(Clone, Copy)]
pub struct Registers<'r>(&'r [Slot]);

impl<'r> Registers<'r> {
    /// The registers of a unit.
    ///
    /// # Safety
    /// During `'r`, the bytes that registers point to are alive and unchanged (invariant U4 of
    /// [`ir`]), and the methods are asked only for registers that are defined, by the type that
    /// they have (U1, U2).
    pub unsafe fn new(slots: &'r [Slot]) -> Registers<'r> {
        Registers(slots)
    }

    /// A register as it is.
    #[inline]
    pub fn slot(self, reg: Reg) -> &'r Slot {
        &self.0[usize::from(reg.0)]
    }

    /// The value of a register of this type.
    #[inline]
    pub fn value(self, reg: Reg, ty: &SqlType) -> ValueRef<'r> {
        // SAFETY: `new` was promised that the register has this type and that its bytes, if any,
        // are alive during `'r`.
        unsafe { self.slot(reg).value(ty) }
    }

    /// The bytes that a register points to.
    #[inline]
    pub fn bytes(self, reg: Reg) -> &'r [u8] {
        // SAFETY: `new` was promised that such a register holds bytes that are alive during `'r`.
        unsafe { self.slot(reg).as_bytes() }
    }

    /// The values of registers of these types.
    pub fn values<'t>(
        self,
        regs: &[Reg],
        types: impl IntoIterator<Item = &'t SqlType>,
    ) -> Values<'r> {
        regs.iter().zip(types).map(|(reg, ty)| self.value(*reg, ty)).collect()
    }

    /// The values of an order's keys.
    pub fn order(self, keys: &[OrderKey]) -> Values<'r> {
        keys.iter().map(|k| self.value(k.reg, &k.ty)).collect()
    }

    /// The values of a hash table's keys.
    pub fn keys(self, keys: &[KeyPart]) -> Values<'r> {
        keys.iter().map(|k| self.value(k.reg, &k.ty)).collect()
    }

    /// A bound of a range, and whether it belongs to the range.
    pub fn bound(self, bound: &Option<(KeyPart, bool)>) -> ValueBound<'r> {
        bound.map(|(part, inclusive)| (self.value(part.reg, &part.ty), inclusive))
    }

    /// Several registers as they are.
    pub fn slots<'l>(self, regs: &'l [Reg]) -> impl Iterator<Item = &'r Slot> + Clone + 'l
    where
        'r: 'l,
    {
        regs.iter().map(move |reg| self.slot(*reg))
    }
}

//! The variables of a module or batch.

use std::sync::Arc;

use base::account::{Account, Charged};
use base::{SqlResult, SqlType, Value, ValueRef};
use engine::wait::Task;
use ir::RegType;
use ir::function::facts::{COPIED, paced};
use ir::operator::{TableVarId, VarId};

use crate::interp::local::LocalTable;
use crate::interp::memory::Grant;
use crate::interp::slot::Slot;

/// A table variable or table-valued parameter.
#[derive(Debug)]
pub enum TableSlot {
    /// Not declared yet.
    None,
    /// A variable of this frame's.
    Own(Box<LocalTable>),
    /// A parameter, or a variable lent to a callee: read only.
    Shared(Arc<LocalTable>),
}

impl TableSlot {
    /// The table, to be read.
    pub fn get(&self) -> Option<&LocalTable> {
        match self {
            TableSlot::None => None,
            TableSlot::Own(table) => Some(table),
            TableSlot::Shared(table) => Some(table),
        }
    }
}

/// Values of more bytes than this are copied piece by piece, and charged.
pub(super) const LONG: usize = 8000;

/// The bytes of a variable. Those of long values are charged to the session.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    charged: Option<Charged>,
}

/// The variables of a module or batch that runs, and the rows that its trigger is about.
#[derive(Debug, Default)]
pub struct Frame {
    types: Vec<SqlType>,
    /// The values of the scalar variables, where machine code finds them; those of bytes point into
    /// `bytes`.
    slots: Vec<Slot>,
    /// The bytes of variables that have some.
    bytes: Vec<Kept>,
    tables: Vec<TableSlot>,
    /// A trigger's `inserted` rows.
    pub inserted: Option<Arc<LocalTable>>,
    /// A trigger's `deleted` rows.
    pub deleted: Option<Arc<LocalTable>>,
}

impl Frame {
    /// A frame of scalar variables of these types, all NULL.
    pub fn new(types: impl IntoIterator<Item = SqlType>) -> Frame {
        let types = types.into_iter();
        let count = types.size_hint().0;
        let mut frame = Frame {
            types: Vec::with_capacity(count),
            slots: Vec::with_capacity(count),
            bytes: Vec::with_capacity(count),
            ..Frame::default()
        };
        for ty in types {
            frame.declare(ty);
        }
        frame
    }

    /// Declares a scalar variable, which is NULL.
    pub fn declare(&mut self, ty: SqlType) -> VarId {
        self.types.push(ty);
        self.slots.push(Slot::NULL);
        self.bytes.push(Kept::default());
        VarId((self.slots.len() - 1) as u32)
    }

    /// Declares a table variable.
    pub fn declare_table(&mut self, table: TableSlot) -> TableVarId {
        self.tables.push(table);
        TableVarId((self.tables.len() - 1) as u32)
    }

    /// How many scalar variables there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// A variable's type.
    pub fn ty(&self, var: VarId) -> &SqlType {
        &self.types[var.0 as usize]
    }

    /// A variable's value.
    pub fn get(&self, var: VarId) -> ValueRef<'_> {
        // SAFETY: the bytes are the variable's own, borrowed for as long as the value.
        unsafe { self.load(var.0).value(self.ty(var)) }
    }

    /// Sets a variable. The value is of its type; a variant may come in either form.
    ///
    /// # Panics
    /// If the value is one of bytes and the variable is not, or the other way round.
    pub fn set(&mut self, var: VarId, value: ValueRef<'_>) {
        use ValueRef::{Bytes, Chars, Null, Unicode, Variant};
        let is_bytes = matches!(value, Chars(_) | Unicode(_) | Bytes(_) | Variant(_));
        let takes_bytes = RegType::of(&self.types[var.0 as usize]) == RegType::Bytes;
        assert!(matches!(value, Null) || is_bytes == takes_bytes, "{value:?} is of another type");
        if let ValueRef::Variant(variant) = value {
            let mut bytes = Vec::new();
            let inner = variant.value.as_ref();
            base::variant::encode_variant(&variant.ty, inner, &mut bytes);
            self.store_slot(var.0, &Slot::bytes(&bytes));
            return;
        }
        // A value from outside of a unit (a parameter, a default) has been charged where it was
        // made.
        self.store_slot(var.0, &Slot::from_value(value));
    }

    /// Sets a variable to an owned value.
    pub fn set_owned(&mut self, var: VarId, value: &Value) {
        self.set(var, value.as_ref());
    }

    /// The variable as a slot; its bytes stay in the variable.
    #[inline]
    pub(super) fn load(&self, var: u32) -> Slot {
        self.slots[var as usize]
    }

    /// Sets a variable from a slot and returns true. If the value is long, does nothing and returns
    /// false: [`Frame::store_long`] sets such a value.
    ///
    /// # Safety
    /// If the slot is not NULL, it is of the variable's type; if that is a type of bytes, the bytes
    /// are alive and unchanged until they are copied here.
    #[inline]
    pub(super) unsafe fn store(&mut self, var: u32, slot: &Slot) -> bool {
        let var = var as usize;
        if slot.is_null() || RegType::of(&self.types[var]) != RegType::Bytes {
            self.slots[var] = *slot;
            return true;
        }
        if slot.words().1 as usize > LONG {
            return false;
        }
        self.slots[var] = keep_bytes(&mut self.bytes[var], slot);
        true
    }

    /// Sets a variable from a slot with a long value. Error 701 where the account has no room for
    /// it.
    ///
    /// # Safety
    /// As for [`Frame::store`]; the variable is of bytes and the value is not NULL.
    #[cold]
    pub(super) unsafe fn store_long(
        &mut self,
        var: u32,
        slot: &Slot,
        account: &Arc<Account>,
        task: &Task<'_>,
    ) -> SqlResult<()> {
        // SAFETY: the value is of bytes, which the caller ensures are alive. If they are a piece of
        // the variable's own old value, they are alive until that is replaced below.
        let value = unsafe { slot.as_bytes() };
        let charged = Charged::take(account, value.len())?;
        let mut bytes = Vec::with_capacity(value.len());
        for piece in value.chunks(COPIED) {
            paced(task)?;
            bytes.extend_from_slice(piece);
        }
        self.slots[var as usize] = Slot::bytes(&bytes);
        self.bytes[var as usize] = Kept { bytes, charged: Some(charged) };
        Ok(())
    }

    /// The values of the scalar variables, for machine code, which reads all of them and writes
    /// those that have no bytes.
    pub(super) fn slots_mut(&mut self) -> *mut Slot {
        self.slots.as_mut_ptr()
    }

    /// Sets a variable to the value of a slot, which may lie in the variable's own bytes.
    #[inline]
    fn store_slot(&mut self, var: u32, slot: &Slot) {
        let var = var as usize;
        self.slots[var] = match slot.is_null() || RegType::of(&self.types[var]) != RegType::Bytes {
            true => *slot,
            false => keep_bytes(&mut self.bytes[var], slot),
        };
    }

    /// A table variable.
    pub fn table(&self, var: TableVarId) -> &TableSlot {
        &self.tables[var.0 as usize]
    }

    /// A table variable, to be changed or replaced.
    pub fn table_mut(&mut self, var: TableVarId) -> &mut TableSlot {
        &mut self.tables[var.0 as usize]
    }

    /// All table variables.
    pub(super) fn tables_mut(&mut self) -> impl Iterator<Item = &mut TableSlot> {
        self.tables.iter_mut()
    }

    /// Gives back what the frame's own tables were charged, before it is dropped.
    pub fn release(&mut self, grant: &mut Grant) {
        for slot in &mut self.tables {
            if let TableSlot::Own(table) = slot {
                table.release(grant);
            }
        }
    }

    /// Lends a table variable to a callee, until [`Frame::take_back`].
    pub fn lend(&mut self, var: TableVarId) -> Option<Arc<LocalTable>> {
        let slot = &mut self.tables[var.0 as usize];
        let shared = match std::mem::replace(slot, TableSlot::None) {
            TableSlot::None => return None,
            TableSlot::Own(table) => Arc::from(table),
            TableSlot::Shared(table) => table,
        };
        *slot = TableSlot::Shared(shared.clone());
        Some(shared)
    }

    /// Makes a table variable the frame's own again, once the callee has dropped it.
    pub fn take_back(&mut self, var: TableVarId) {
        let slot = &mut self.tables[var.0 as usize];
        *slot = match std::mem::replace(slot, TableSlot::None) {
            TableSlot::Shared(table) => match Arc::try_unwrap(table) {
                Ok(table) => TableSlot::Own(Box::new(table)),
                Err(table) => TableSlot::Shared(table),
            },
            other => other,
        };
    }
}

/// Copies the bytes of a slot into `own`, where they may lie already, and returns a slot that
/// points to them.
fn keep_bytes(own: &mut Kept, slot: &Slot) -> Slot {
    let (address, len) = slot.words();
    if own.charged.is_some() {
        // The memory of a long value is freed with the value.
        // SAFETY: the slot is of bytes that are alive, as in the last branch. If they lie in `own`,
        // they are alive until it is replaced.
        let bytes = unsafe { slot.as_bytes() }.to_vec();
        *own = Kept { bytes, charged: None };
        return Slot::bytes(&own.bytes);
    }
    let own = &mut own.bytes;
    let start = own.as_ptr() as u64;
    if (start..start + own.len() as u64).contains(&address) {
        let at = (address - start) as usize;
        own.copy_within(at..at + len as usize, 0);
        own.truncate(len as usize);
    } else {
        own.clear();
        // SAFETY: the caller of `Frame::set` borrows the bytes, and that of `Frame::store` ensures
        // that they are alive. They do not lie in `own`, so clearing it leaves them as they are.
        own.extend_from_slice(unsafe { slot.as_bytes() });
    }
    Slot::bytes(own)
}

#[cfg(test)]
mod tests;

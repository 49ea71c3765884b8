//! Registers: sixteen bytes and a null flag, whose type the unit knows.
//!
//! A slot that holds bytes or a row holds an address. The invariants of units (`ir`, U1, U2 and U4)
//! say when it may be read through: the register was defined as bytes, and the memory behind the
//! address has not been given back. The functions that read through addresses are unsafe for that
//! reason; `interp` calls them for verified units only.

use base::types::Repr;
use base::value::{DateTime, DateTimeOffset};
use base::{SqlType, ValueRef};

/// A register. Machine code knows its layout.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Slot {
    pub(super) lo: u64,
    pub(super) hi: u64,
    pub(super) null: bool,
}

impl Slot {
    /// NULL.
    pub const NULL: Slot = Slot { lo: 0, hi: 0, null: true };

    /// Whether the slot is NULL.
    #[inline(always)]
    pub fn is_null(&self) -> bool {
        self.null
    }

    /// An integer.
    #[inline(always)]
    pub fn int(value: i64) -> Slot {
        Slot { lo: value as u64, hi: 0, null: false }
    }

    /// The integer it holds.
    #[inline(always)]
    pub fn as_int(&self) -> i64 {
        self.lo as i64
    }

    /// A decimal's units.
    #[inline(always)]
    pub fn wide(value: i128) -> Slot {
        Slot { lo: value as u64, hi: (value >> 64) as u64, null: false }
    }

    /// The 128-bit integer it holds.
    #[inline(always)]
    pub fn as_wide(&self) -> i128 {
        (u128::from(self.hi) << 64 | u128::from(self.lo)) as i128
    }

    /// A float.
    #[inline(always)]
    pub fn float(value: f64) -> Slot {
        Slot { lo: value.to_bits(), hi: 0, null: false }
    }

    /// The float it holds.
    #[inline(always)]
    pub fn as_float(&self) -> f64 {
        f64::from_bits(self.lo)
    }

    /// The address and the length of bytes.
    #[inline(always)]
    pub fn bytes(value: &[u8]) -> Slot {
        Slot { lo: value.as_ptr() as u64, hi: value.len() as u64, null: false }
    }

    /// The bytes it points to.
    ///
    /// # Safety
    /// The slot holds the address and the length of bytes, as [`Slot::bytes`] writes them, and
    /// those bytes are alive and unchanged during `'a`.
    #[inline(always)]
    pub unsafe fn as_bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: the caller ensures that `lo` and `hi` are the address and the length of a slice
        // that is alive and unchanged during `'a`.
        unsafe { std::slice::from_raw_parts(self.lo as *const u8, self.hi as usize) }
    }

    /// A row: where its bytes are, and what names it to its table.
    #[inline(always)]
    pub fn row(bytes: *const u8, name: u64) -> Slot {
        Slot { lo: bytes as u64, hi: name, null: false }
    }

    /// Where the row's bytes start.
    #[inline(always)]
    pub fn row_bytes(&self) -> *const u8 {
        self.lo as *const u8
    }

    /// What names the row to its table.
    #[inline(always)]
    pub fn row_name(&self) -> u64 {
        self.hi
    }

    /// The two words, in the order in which a row stores them.
    #[inline(always)]
    pub fn words(&self) -> (u64, u64) {
        (self.lo, self.hi)
    }

    /// A slot from two words.
    #[inline(always)]
    pub fn from_words(lo: u64, hi: u64) -> Slot {
        Slot { lo, hi, null: false }
    }

    /// Sixteen bytes.
    #[inline(always)]
    pub fn guid(value: [u8; 16]) -> Slot {
        Slot::wide(i128::from_le_bytes(value))
    }

    /// The sixteen bytes it holds.
    #[inline(always)]
    pub fn as_guid(&self) -> [u8; 16] {
        self.as_wide().to_le_bytes()
    }

    /// An instant with its offset.
    #[inline(always)]
    pub fn offset(value: DateTimeOffset) -> Slot {
        Slot { lo: value.utc_ticks as u64, hi: value.offset_minutes as u64, null: false }
    }

    /// The instant it holds.
    #[inline(always)]
    pub fn as_offset(&self) -> DateTimeOffset {
        DateTimeOffset { utc_ticks: self.lo as i64, offset_minutes: self.hi as i16 }
    }

    /// A `datetime` in one integer that orders as it does.
    #[inline(always)]
    pub fn pack(value: DateTime) -> i64 {
        i64::from(value.days) << 32 | i64::from(value.ticks)
    }

    /// The `datetime` that [`Slot::pack`] packed.
    #[inline(always)]
    pub fn unpack(value: i64) -> DateTime {
        DateTime { days: (value >> 32) as i32, ticks: value as u32 }
    }

    /// A value. Of bytes, the slot holds the address. A variant must be in its encoded form.
    #[inline]
    pub fn from_value(value: ValueRef<'_>) -> Slot {
        match value {
            ValueRef::Null => Slot::NULL,
            ValueRef::Int(v) | ValueRef::Money(v) | ValueRef::Time(v) => Slot::int(v),
            ValueRef::SmallDateTime(v) | ValueRef::DateTime2(v) => Slot::int(v),
            ValueRef::Date(v) => Slot::int(i64::from(v)),
            ValueRef::DateTime(v) => Slot::int(Slot::pack(v)),
            ValueRef::Decimal(v) => Slot::wide(v),
            ValueRef::Float(v) => Slot::float(v),
            ValueRef::Chars(v) | ValueRef::Unicode(v) | ValueRef::Bytes(v) => Slot::bytes(v),
            ValueRef::DateTimeOffset(v) => Slot::offset(v),
            ValueRef::Guid(v) => Slot::guid(v),
            ValueRef::Variant(_) => unreachable!("variants are encoded in registers"),
        }
    }

    /// The value it holds, if its type is this one.
    ///
    /// # Safety
    /// If the slot is not NULL, it is of this type; and if the type is one of bytes, what
    /// [`Slot::as_bytes`] demands holds.
    #[inline]
    pub unsafe fn value<'a>(&self, ty: &SqlType) -> ValueRef<'a> {
        if self.null {
            return ValueRef::Null;
        }
        match ty.kind.repr() {
            Repr::Int => ValueRef::Int(self.as_int()),
            Repr::Money => ValueRef::Money(self.as_int()),
            Repr::Decimal => ValueRef::Decimal(self.as_wide()),
            Repr::Float => ValueRef::Float(self.as_float()),
            // SAFETY: a type of bytes, for which the caller ensures what `as_bytes` demands.
            Repr::Chars => ValueRef::Chars(unsafe { self.as_bytes() }),
            // SAFETY: a type of bytes, for which the caller ensures what `as_bytes` demands.
            Repr::Unicode => ValueRef::Unicode(unsafe { self.as_bytes() }),
            // SAFETY: a type of bytes, for which the caller ensures what `as_bytes` demands.
            Repr::Bytes | Repr::Variant => ValueRef::Bytes(unsafe { self.as_bytes() }),
            Repr::Date => ValueRef::Date(self.as_int() as i32),
            Repr::Time => ValueRef::Time(self.as_int()),
            Repr::DateTime => ValueRef::DateTime(Slot::unpack(self.as_int())),
            Repr::SmallDateTime => ValueRef::SmallDateTime(self.as_int()),
            Repr::DateTime2 => ValueRef::DateTime2(self.as_int()),
            Repr::DateTimeOffset => ValueRef::DateTimeOffset(self.as_offset()),
            Repr::Guid => ValueRef::Guid(self.as_guid()),
        }
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.null { f.write_str("NULL") } else { write!(f, "{:x}:{:x}", self.hi, self.lo) }
    }
}

#[cfg(test)]
mod tests;

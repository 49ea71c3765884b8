//! Key columns of at most eight bytes, read from a row as one word; and the order of bytes in other
//! columns of constant width.

use base::ValueRef;
use base::types::{SqlType, TypeKind};

use crate::hot::key::KeyBuf;

/// Reads a NOT NULL column of constant width up to eight bytes as an unsigned number that compares
/// as the column does. The number is inverted if the column is descending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyWord {
    offset: u32,
    /// Bytes of the number, in the row and in the key.
    width: u8,
    load: Load,
    /// Combined with the number by exclusive or: sign bit, and all bits if descending.
    flip: u64,
}

/// How the little-endian number in the row is changed before the flip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Load {
    Plain,
    /// `datetime`: the row has days, then ticks; days are more significant.
    Swapped,
    Real,
    Float,
}

impl KeyWord {
    /// The reader of a fixed column of this type at this offset of a row, or `None` if the type
    /// cannot be read as a word.
    pub(super) fn new(ty: &SqlType, offset: u32, descending: bool) -> Option<KeyWord> {
        use TypeKind::*;
        let (width, load, signed) = match ty.kind {
            Bit | TinyInt => (1, Load::Plain, false),
            SmallInt => (2, Load::Plain, true),
            Int | SmallMoney | Date => (4, Load::Plain, true),
            SmallDateTime => (4, Load::Plain, false),
            BigInt | Money | Time | DateTime2 | DateTimeOffset => (8, Load::Plain, true),
            Decimal | Numeric if ty.precision <= 18 => (8, Load::Plain, true),
            DateTime => (8, Load::Swapped, true),
            Real => (4, Load::Real, false),
            Float => (8, Load::Float, false),
            _ => return None,
        };
        let sign = if signed { 1 << (8 * width - 1) } else { 0 };
        let all = if descending { u64::MAX >> (64 - 8 * width) } else { 0 };
        Some(KeyWord { offset, width: width as u8, load, flip: sign ^ all })
    }

    /// Bytes of the number.
    #[inline]
    pub fn width(self) -> usize {
        usize::from(self.width)
    }

    /// Where the column's bytes start in a row.
    #[inline]
    pub fn offset(self) -> usize {
        self.offset as usize
    }

    /// The number in a row.
    #[inline(always)]
    pub fn read(self, row: &[u8]) -> u64 {
        let at = &row[self.offset()..];
        self.normalize(match self.width {
            8 => u64::from_le_bytes(first(at)),
            4 => u64::from(u32::from_le_bytes(first(at))),
            2 => u64::from(u16::from_le_bytes(first(at))),
            _ => u64::from(at[0]),
        })
    }

    /// The number of a value of the column's type.
    pub fn of(self, value: ValueRef<'_>) -> u64 {
        let raw = match value {
            ValueRef::Int(v) | ValueRef::Money(v) | ValueRef::Time(v) | ValueRef::DateTime2(v) => {
                v as u64
            }
            ValueRef::SmallDateTime(v) => v as u64,
            ValueRef::Decimal(v) => v as u64,
            ValueRef::Date(v) => v as u64,
            ValueRef::DateTimeOffset(v) => v.utc_ticks as u64,
            ValueRef::DateTime(v) => u64::from(v.ticks) << 32 | u64::from(v.days as u32),
            ValueRef::Float(v) if self.load == Load::Real => u64::from((v as f32).to_bits()),
            ValueRef::Float(v) => v.to_bits(),
            other => unreachable!("{other:?} in a key column of {self:?}"),
        };
        self.of_number(raw)
    }

    /// The number of a value of the column's type whose bytes in a row are the number `raw`.
    #[inline]
    pub fn of_number(self, raw: u64) -> u64 {
        self.normalize(raw & u64::MAX >> (64 - 8 * self.width()))
    }

    /// The number in the first bytes of a normalized key.
    #[inline]
    pub fn in_key(self, key: &[u8]) -> u64 {
        match self.width {
            8 => u64::from_be_bytes(first(key)),
            4 => u64::from(u32::from_be_bytes(first(key))),
            2 => u64::from(u16::from_be_bytes(first(key))),
            _ => u64::from(key[0]),
        }
    }

    /// Adds the number to a normalized key.
    #[inline]
    pub(super) fn append(self, word: u64, key: &mut KeyBuf) {
        key.extend_word(self.bytes_of(word), self.width());
    }

    /// The bytes of a number in a normalized key: the first `width` bytes of the result.
    #[inline]
    pub fn bytes_of(self, word: u64) -> [u8; 8] {
        (word << (64 - 8 * self.width())).to_be_bytes()
    }

    #[inline]
    fn normalize(self, raw: u64) -> u64 {
        const SIGN_32: u64 = 1 << 31;
        let ordered = match self.load {
            Load::Plain => raw,
            Load::Swapped => raw.rotate_left(32),
            // The two zeros are equal.
            Load::Real if raw == SIGN_32 => SIGN_32,
            Load::Real if raw & SIGN_32 != 0 => !raw & u64::from(u32::MAX),
            Load::Real => raw | SIGN_32,
            Load::Float => ordered_float(raw),
        };
        ordered ^ self.flip
    }
}

/// A number that compares as the float with these bits does.
#[inline]
pub(super) fn ordered_float(bits: u64) -> u64 {
    const SIGN: u64 = 1 << 63;
    match bits {
        // The two zeros are equal.
        SIGN => SIGN,
        _ if bits & SIGN != 0 => !bits,
        _ => bits | SIGN,
    }
}

#[inline]
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("the slice has been cut to N bytes")
}

/// Bytes of a uniqueidentifier from the most to the least significant in comparisons.
pub(super) fn guid(v: [u8; 16]) -> [u8; 16] {
    const ORDER: [usize; 16] = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];
    ORDER.map(|i| v[i])
}

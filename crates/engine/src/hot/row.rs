//! The bytes of a row, the same in memory, in the log and on pages.
//!
//! ```text
//! null bitmap | fixed part | variable end offsets | variable part
//! ```
//!
//! * The null bitmap has one bit per column, set when the column is NULL.
//! * The fixed part holds fixed-width columns by falling width, little-endian, each at an offset
//!   that is constant for the layout. A NULL column's bytes are zero.
//! * End offsets count from the start of the variable part. They are `u16`, or `u32` if the
//!   variable part may exceed 65,535 bytes, as with a `(max)` column. A NULL column is empty.
//! * A row whose variable-length columns are all NULL ends with the fixed part: it has no end
//!   offsets. (Every row has them in a layout with more than 64 columns, or whose null bitmap and
//!   fixed part are together shorter than eight bytes or than the end offsets.)

use std::slice;

use base::types::{Repr, SqlType, TypeKind};
use base::value::{DateTime, DateTimeOffset};
use base::{Value, ValueRef};

/// The first bytes of a row, which tell whether it has end offsets: the null bits of up to 64
/// columns.
const FIRST_BYTES: usize = 8;

/// Where one column of a layout is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At this offset from the start of the row, this many bytes wide.
    Fixed {
        /// Bytes from the start of the row.
        offset: u32,
        /// Width in bytes.
        width: u32,
    },
    /// The n-th variable-length column.
    Variable {
        /// Its place among the variable-length columns.
        ordinal: u32,
    },
}

/// One column of a layout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowColumn {
    /// Its declared type.
    pub ty: SqlType,
    /// Where its bytes are.
    pub place: Place,
}

/// How the columns of a storage lie in a row's bytes. Immutable once made; a change of columns
/// makes a new layout.
#[derive(Clone, PartialEq, Debug)]
pub struct RowLayout {
    columns: Box<[RowColumn]>,
    /// Where the variable end offsets start, which is also the length of a row without any.
    offsets_at: u32,
    variable_columns: u32,
    wide_offsets: bool,
    /// The null bits of the variable-length columns in the first eight bytes: a row with all of
    /// them set has no end offsets. 0 if every row has end offsets, or none does.
    tailless: u64,
}

/// Bytes that a value of this type takes in the fixed part, or `None` if its length varies.
pub fn fixed_width(ty: &SqlType) -> Option<u32> {
    use TypeKind::*;
    Some(match ty.kind {
        Bit | TinyInt => 1,
        SmallInt => 2,
        Int | Real | SmallMoney | Date | SmallDateTime => 4,
        BigInt | Money | Float | Time | DateTime | DateTime2 | RowVersion => 8,
        Decimal | Numeric if ty.precision <= 18 => 8,
        Decimal | Numeric => 16,
        DateTimeOffset => 10,
        UniqueIdentifier => 16,
        Char | NChar | Binary => u32::from(ty.length),
        VarChar | NVarChar | VarBinary | Text | NText | Image | SqlVariant | Json | Xml
        | HierarchyId | Geometry | Geography => return None,
    })
}

impl RowLayout {
    /// The layout of rows with these columns, in the order of the table's columns.
    pub fn new(types: &[SqlType]) -> RowLayout {
        let bitmap = types.len().div_ceil(8) as u32;
        let mut fixed: Vec<(usize, u32)> =
            types.iter().enumerate().filter_map(|(i, t)| Some((i, fixed_width(t)?))).collect();
        // Whole words first; odd widths (char(3), datetimeoffset) last, so that they misalign
        // nothing.
        fixed.sort_by_key(|&(i, w)| (!w.is_power_of_two() || w > 16, std::cmp::Reverse(w), i));
        let mut columns: Vec<RowColumn> = types
            .iter()
            .map(|&ty| RowColumn { ty, place: Place::Variable { ordinal: 0 } })
            .collect();
        let mut offset = bitmap;
        for (i, width) in fixed {
            columns[i].place = Place::Fixed { offset, width };
            offset += width;
        }
        let mut variable_columns = 0;
        for column in &mut columns {
            if let Place::Variable { ordinal } = &mut column.place {
                *ordinal = variable_columns;
                variable_columns += 1;
            }
        }
        // A worktable's row may have so many long columns that two bytes are too short for their
        // end offsets.
        let variable_len_max: usize = (types.iter().filter(|t| fixed_width(t).is_none()))
            .map(|t| if t.is_max() { usize::MAX >> 16 } else { usize::from(t.length) })
            .sum();
        let wide_offsets = variable_len_max > usize::from(u16::MAX);
        let is_variable = |c: &RowColumn| matches!(c.place, Place::Variable { .. });
        let offsets_len = variable_columns * if wide_offsets { 4 } else { 2 };
        let tailless = match types.len() <= 64 && offset >= offsets_len.max(FIRST_BYTES as u32) {
            true => (columns.iter().enumerate())
                .fold(0, |bits, (i, c)| bits | u64::from(is_variable(c)) << i),
            false => 0,
        };
        RowLayout {
            columns: columns.into(),
            offsets_at: offset,
            variable_columns,
            wide_offsets,
            tailless,
        }
    }

    /// The columns in table order.
    pub fn columns(&self) -> &[RowColumn] {
        &self.columns
    }

    /// Whether every row of this layout has the same length.
    pub fn is_fixed(&self) -> bool {
        self.variable_columns == 0
    }

    /// Bytes before the variable part.
    pub fn header_len(&self) -> usize {
        (self.offsets_at + self.variable_columns * self.offset_width()) as usize
    }

    /// Where the end offsets of the variable-length columns start.
    pub fn offsets_at(&self) -> u32 {
        self.offsets_at
    }

    /// Whether those offsets take four bytes instead of two.
    pub fn wide_offsets(&self) -> bool {
        self.wide_offsets
    }

    fn offset_width(&self) -> u32 {
        if self.wide_offsets { 4 } else { 2 }
    }

    /// Whether rows whose variable-length columns are all NULL have no end offsets.
    pub fn may_lack_offsets(&self) -> bool {
        self.tailless != 0
    }

    /// The length of the shortest row.
    pub fn least_len(&self) -> usize {
        match self.may_lack_offsets() {
            true => self.offsets_at as usize,
            false => self.header_len(),
        }
    }

    /// Bytes before the variable part of the row that starts at `row`. `row` reaches at least to
    /// the end of the fixed part.
    #[inline]
    fn header_len_of(&self, row: &[u8]) -> usize {
        let first = row.first_chunk::<FIRST_BYTES>().map_or(0, |first| u64::from_le_bytes(*first));
        match self.tailless != 0 && first & self.tailless == self.tailless {
            true => self.offsets_at as usize,
            false => self.header_len(),
        }
    }

    /// The length of the row that starts at `row`, which may be longer than the row, but not
    /// shorter than its bytes before the variable part.
    pub fn row_len(&self, row: &[u8]) -> usize {
        match (self.variable_columns, self.header_len_of(row)) {
            (0, header) => header,
            (_, header) if header < self.header_len() => header,
            (n, header) => header + self.end_offset(row, n - 1),
        }
    }

    /// The row that starts at this address.
    ///
    /// # Safety
    /// A row of this layout is there, and neither changes nor goes away during `'a`.
    #[inline]
    pub unsafe fn row_at<'a>(&self, start: *const u8) -> &'a [u8] {
        // SAFETY: the caller promises that a row of this layout is there for `'a`. Each slice lies
        // within the row, and its bytes tell how far the next one reaches.
        unsafe {
            let fixed = slice::from_raw_parts(start, self.offsets_at as usize);
            let header = slice::from_raw_parts(start, self.header_len_of(fixed));
            slice::from_raw_parts(start, self.row_len(header))
        }
    }

    /// Checks stored bytes and returns the row in them, or `None` if they are not a row. Logs of
    /// older versions hold rows with end offsets that they do not need; these are cut off.
    pub fn checked<'r>(&self, row: &'r [u8]) -> Option<&'r [u8]> {
        let header = (row.len() >= self.least_len()).then(|| self.header_len_of(row))?;
        let len = (row.len() >= header).then(|| self.row_len(row))?;
        let old = len < self.header_len()
            && row.len() == self.header_len()
            && row[len..].iter().all(|&byte| byte == 0);
        (row.len() == len || old).then(|| &row[..len])
    }

    fn end_offset(&self, row: &[u8], ordinal: u32) -> usize {
        let at = (self.offsets_at + ordinal * self.offset_width()) as usize;
        if self.wide_offsets {
            u32::from_le_bytes(array(&row[at..])) as usize
        } else {
            u16::from_le_bytes(array(&row[at..])) as usize
        }
    }

    /// Whether a column is NULL.
    pub fn is_null(&self, row: &[u8], column: usize) -> bool {
        row[column / 8] & (1 << (column % 8)) != 0
    }

    /// The bytes of a column as they lie in the row; empty when a variable column is NULL.
    pub fn bytes<'r>(&self, row: &'r [u8], column: usize) -> &'r [u8] {
        match self.columns[column].place {
            Place::Fixed { offset, width } => &row[offset as usize..(offset + width) as usize],
            Place::Variable { .. } if self.is_null(row, column) => &[],
            Place::Variable { ordinal } => {
                let base = self.header_len();
                let start = if ordinal == 0 { 0 } else { self.end_offset(row, ordinal - 1) };
                &row[base + start..base + self.end_offset(row, ordinal)]
            }
        }
    }

    /// A column's value. A `sql_variant` is returned as [`ValueRef::Bytes`] in its encoded form.
    pub fn get<'r>(&self, row: &'r [u8], column: usize) -> ValueRef<'r> {
        if self.is_null(row, column) {
            return ValueRef::Null;
        }
        decode(&self.columns[column].ty, self.bytes(row, column))
    }

    /// Builds a row from one value per column; each must be of the column's representation and
    /// within its length (conversion has made it so).
    pub fn build(&self, values: &[ValueRef<'_>], out: &mut Vec<u8>) {
        assert_eq!(values.len(), self.columns.len(), "one value per column");
        let start = out.len();
        let is_present = |(c, v): (&RowColumn, &ValueRef<'_>)| {
            matches!(c.place, Place::Variable { .. }) && !v.is_null()
        };
        let has_offsets =
            !self.may_lack_offsets() || self.columns.iter().zip(values).any(is_present);
        out.resize(start + if has_offsets { self.header_len() } else { self.least_len() }, 0);
        for (i, (column, value)) in self.columns.iter().zip(values).enumerate() {
            if value.is_null() {
                out[start + i / 8] |= 1 << (i % 8);
            }
            match column.place {
                Place::Fixed { offset, width } => {
                    let at = start + offset as usize;
                    encode_fixed(&column.ty, value, &mut out[at..at + width as usize]);
                }
                Place::Variable { .. } if !has_offsets => {}
                Place::Variable { ordinal } => {
                    match value {
                        ValueRef::Null => {}
                        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => {
                            out.extend_from_slice(b);
                        }
                        other => unreachable!("{other:?} in a column of type {:?}", column.ty),
                    }
                    let end = out.len() - start - self.header_len();
                    let at = start + (self.offsets_at + ordinal * self.offset_width()) as usize;
                    if self.wide_offsets {
                        out[at..at + 4].copy_from_slice(&(end as u32).to_le_bytes());
                    } else {
                        out[at..at + 2].copy_from_slice(&(end as u16).to_le_bytes());
                    }
                }
            }
        }
    }

    /// [`RowLayout::build`] into a fresh vector, from owned values.
    pub fn build_owned(&self, values: &[Value]) -> Vec<u8> {
        let refs: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let mut out = Vec::new();
        self.build(&refs, &mut out);
        out
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("the slice is at least N bytes")
}

/// Reads a non-null value of type `ty` from its bytes in a row.
pub fn decode<'r>(ty: &SqlType, b: &'r [u8]) -> ValueRef<'r> {
    match ty.kind.repr() {
        Repr::Int => ValueRef::Int(match ty.kind {
            TypeKind::Bit | TypeKind::TinyInt => i64::from(b[0]),
            TypeKind::SmallInt => i64::from(i16::from_le_bytes(array(b))),
            TypeKind::Int => i64::from(i32::from_le_bytes(array(b))),
            _ => i64::from_le_bytes(array(b)),
        }),
        Repr::Money if b.len() == 4 => ValueRef::Money(i64::from(i32::from_le_bytes(array(b)))),
        Repr::Money => ValueRef::Money(i64::from_le_bytes(array(b))),
        Repr::Decimal if b.len() == 8 => {
            ValueRef::Decimal(i128::from(i64::from_le_bytes(array(b))))
        }
        Repr::Decimal => ValueRef::Decimal(i128::from_le_bytes(array(b))),
        Repr::Float if b.len() == 4 => ValueRef::Float(f64::from(f32::from_le_bytes(array(b)))),
        Repr::Float => ValueRef::Float(f64::from_le_bytes(array(b))),
        Repr::Chars => ValueRef::Chars(b),
        Repr::Unicode => ValueRef::Unicode(b),
        Repr::Bytes | Repr::Variant => ValueRef::Bytes(b),
        Repr::Date => ValueRef::Date(i32::from_le_bytes(array(b))),
        Repr::Time => ValueRef::Time(i64::from_le_bytes(array(b))),
        Repr::DateTime => ValueRef::DateTime(DateTime {
            days: i32::from_le_bytes(array(b)),
            ticks: u32::from_le_bytes(array(&b[4..])),
        }),
        Repr::SmallDateTime => ValueRef::SmallDateTime(i64::from(u32::from_le_bytes(array(b)))),
        Repr::DateTime2 => ValueRef::DateTime2(i64::from_le_bytes(array(b))),
        Repr::DateTimeOffset => ValueRef::DateTimeOffset(DateTimeOffset {
            utc_ticks: i64::from_le_bytes(array(b)),
            offset_minutes: i16::from_le_bytes(array(&b[8..])),
        }),
        Repr::Guid => ValueRef::Guid(array(b)),
    }
}

fn encode_fixed(ty: &SqlType, value: &ValueRef<'_>, out: &mut [u8]) {
    let width = out.len();
    match *value {
        ValueRef::Null => out.fill(0),
        ValueRef::Int(v) | ValueRef::Money(v) => out.copy_from_slice(&v.to_le_bytes()[..width]),
        ValueRef::Decimal(v) => out.copy_from_slice(&v.to_le_bytes()[..width]),
        ValueRef::Float(v) if width == 4 => out.copy_from_slice(&(v as f32).to_le_bytes()),
        ValueRef::Float(v) => out.copy_from_slice(&v.to_le_bytes()),
        ValueRef::Date(v) => out.copy_from_slice(&v.to_le_bytes()),
        ValueRef::SmallDateTime(v) => out.copy_from_slice(&(v as u32).to_le_bytes()),
        ValueRef::Time(v) | ValueRef::DateTime2(v) => out.copy_from_slice(&v.to_le_bytes()),
        ValueRef::DateTime(v) => {
            out[..4].copy_from_slice(&v.days.to_le_bytes());
            out[4..].copy_from_slice(&v.ticks.to_le_bytes());
        }
        ValueRef::DateTimeOffset(v) => {
            out[..8].copy_from_slice(&v.utc_ticks.to_le_bytes());
            out[8..].copy_from_slice(&v.offset_minutes.to_le_bytes());
        }
        ValueRef::Guid(v) => out.copy_from_slice(&v),
        // char, nchar and binary arrive padded to their length.
        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => out.copy_from_slice(b),
        ValueRef::Variant(_) => unreachable!("a variant in a fixed column of type {ty:?}"),
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

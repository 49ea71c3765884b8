//! The bytes of rows: columns into registers and registers into rows.
//!
//! Columns are read by address, at offsets that are constants of the unit. That is unsafe, and
//! sound because of what verified units ensure: a row register points to a row of the layout that
//! the unit was lowered for (U1, U2), and the row stays where it is (U4).

use base::SqlType;
use base::types::{Repr, TypeKind};
use base::value::{DateTime, DateTimeOffset};
use engine::hot::row::{Place, RowColumn, RowLayout};
use ir::inst::LoadKind;
use ir::site::VariablePlace;

use crate::interp::slot::Slot;

/// Whether a column's null bit is set.
///
/// # Safety
/// `row` points to a row with more columns than `column`, which is alive and unchanged during the
/// call.
#[inline(always)]
pub unsafe fn is_null(row: *const u8, column: u16) -> bool {
    // SAFETY: every row starts with a bitmap of all its columns, and the caller ensures that
    // `column` is one of them.
    let byte = unsafe { *row.add(usize::from(column / 8)) };
    byte & (1 << (column % 8)) != 0
}

/// Reads `N` bytes.
///
/// # Safety
/// The `N` bytes at the offset `at` belong to the row, which is alive and unchanged during the
/// call.
#[inline(always)]
unsafe fn read<const N: usize>(row: *const u8, at: u32) -> [u8; N] {
    // SAFETY: the caller ensures that the `N` bytes belong to the row; an array of bytes has no
    // alignment.
    unsafe { row.add(at as usize).cast::<[u8; N]>().read() }
}

/// Reads a fixed-width column that is not NULL.
///
/// # Safety
/// `row` points to a row of a layout that has a column of this kind at this offset. The row is
/// alive and unchanged during the call.
#[inline(always)]
pub unsafe fn load(kind: LoadKind, row: *const u8, offset: u32) -> Slot {
    // SAFETY: the caller ensures that a column of this kind is at the offset, and each arm reads no
    // more bytes than a column of its kind has.
    unsafe {
        match kind {
            LoadKind::U8 => Slot::int(i64::from(read::<1>(row, offset)[0])),
            LoadKind::I16 => Slot::int(i64::from(i16::from_le_bytes(read(row, offset)))),
            LoadKind::I32 => Slot::int(i64::from(i32::from_le_bytes(read(row, offset)))),
            LoadKind::U32 => Slot::int(i64::from(u32::from_le_bytes(read(row, offset)))),
            LoadKind::I64 => Slot::int(i64::from_le_bytes(read(row, offset))),
            LoadKind::DateTime => Slot::int(Slot::pack(DateTime {
                days: i32::from_le_bytes(read(row, offset)),
                ticks: u32::from_le_bytes(read(row, offset + 4)),
            })),
            LoadKind::F32 => Slot::float(f64::from(f32::from_le_bytes(read(row, offset)))),
            LoadKind::F64 => Slot::float(f64::from_le_bytes(read(row, offset))),
            LoadKind::I64Wide => Slot::wide(i128::from(i64::from_le_bytes(read(row, offset)))),
            LoadKind::I128 => Slot::wide(i128::from_le_bytes(read(row, offset))),
            LoadKind::Guid => Slot::guid(read(row, offset)),
            LoadKind::Offset => Slot::offset(DateTimeOffset {
                utc_ticks: i64::from_le_bytes(read(row, offset)),
                offset_minutes: i16::from_le_bytes(read(row, offset + 8)),
            }),
            LoadKind::Row => {
                let lo = u64::from_le_bytes(read(row, offset));
                Slot::from_words(lo, u64::from_le_bytes(read(row, offset + 8)))
            }
        }
    }
}

/// A fixed number of bytes of a row.
///
/// # Safety
/// The `width` bytes at `offset` belong to the row, which is alive and unchanged while the slot is
/// used.
#[inline(always)]
pub unsafe fn load_fixed(row: *const u8, offset: u32, width: u16) -> Slot {
    // SAFETY: the caller ensures that the `width` bytes at `offset` belong to the row, which is
    // alive and unchanged while the slot is used.
    Slot::bytes(unsafe { std::slice::from_raw_parts(row.add(offset as usize), usize::from(width)) })
}

/// A variable-length column that is not NULL.
///
/// # Safety
/// `row` points to a row of a layout that has a variable-length column at this place, and the
/// column is not NULL in it. The row is alive and unchanged while the slot is used.
#[inline(always)]
pub unsafe fn load_variable(row: *const u8, place: &VariablePlace) -> Slot {
    // SAFETY: the caller ensures that the row has a value in this column. So it has end offsets,
    // which are where `place` says, and they bound the column within the row.
    unsafe {
        let end_at = place.end_at;
        let (start, end) = match (place.wide, place.preceded) {
            (false, false) => (0, u32::from(u16::from_le_bytes(read(row, end_at)))),
            (false, true) => (
                u32::from(u16::from_le_bytes(read(row, end_at - 2))),
                u32::from(u16::from_le_bytes(read(row, end_at))),
            ),
            (true, false) => (0, u32::from_le_bytes(read(row, end_at))),
            (true, true) => {
                (u32::from_le_bytes(read(row, end_at - 4)), u32::from_le_bytes(read(row, end_at)))
            }
        };
        let at = row.add((place.base + start) as usize);
        Slot::bytes(std::slice::from_raw_parts(at, (end - start) as usize))
    }
}

/// All bytes of a row.
///
/// # Safety
/// `row` points to a row of this layout that is alive and unchanged during `'a`.
pub unsafe fn bytes<'a>(row: *const u8, layout: &RowLayout) -> &'a [u8] {
    // SAFETY: the caller ensures what `row_at` demands: a row of this layout that is alive and
    // unchanged during `'a`.
    unsafe { layout.row_at(row) }
}

/// The length of the row that [`build`] makes of these slots.
///
/// # Safety
/// As for [`build`].
#[inline]
pub unsafe fn built_len<'s>(layout: &RowLayout, slots: impl Iterator<Item = &'s Slot>) -> usize {
    let mut len = layout.least_len();
    if !layout.is_fixed() {
        for (column, slot) in layout.columns().iter().zip(slots) {
            if matches!(column.place, Place::Variable { .. }) && !slot.is_null() {
                // SAFETY: the slot is not NULL and its column is of bytes; the caller ensures that
                // the slot has the column's type and that the bytes are alive.
                len = len.max(layout.header_len()) + unsafe { slot.as_bytes() }.len();
            }
        }
    }
    len
}

/// Whether the row of these slots has end offsets.
fn has_offsets<'s>(layout: &RowLayout, slots: impl Iterator<Item = &'s Slot>) -> bool {
    let is_present = |(column, slot): (&RowColumn, &Slot)| {
        matches!(column.place, Place::Variable { .. }) && !slot.is_null()
    };
    !layout.may_lack_offsets() || layout.columns().iter().zip(slots).any(is_present)
}

/// Appends a row of registers to `out`.
///
/// # Safety
/// There is one slot per column of the layout, in the same order. A slot that is not NULL is of the
/// column's type (or a row, where the layout has sixteen bytes for it); if that is a type of bytes,
/// the bytes are alive and unchanged during the call.
pub unsafe fn build<'s>(
    layout: &RowLayout,
    slots: impl Iterator<Item = &'s Slot> + Clone,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let has_offsets = has_offsets(layout, slots.clone());
    out.resize(start + if has_offsets { layout.header_len() } else { layout.least_len() }, 0);
    let base = out.len();
    for (at, (column, slot)) in layout.columns().iter().zip(slots).enumerate() {
        if slot.is_null() {
            out[start + at / 8] |= 1 << (at % 8);
        }
        match column.place {
            Place::Fixed { offset, width } if !slot.is_null() => {
                let at = start + offset as usize;
                let bytes = &mut out[at..at + width as usize];
                // SAFETY: the slot is not NULL; the caller ensures that it has the column's type
                // and that its bytes, if any, are alive.
                unsafe { store(&column.ty, slot, bytes) };
            }
            Place::Fixed { .. } => {}
            Place::Variable { .. } if !has_offsets => {}
            Place::Variable { ordinal } => {
                if !slot.is_null() {
                    // SAFETY: the slot is not NULL and its column is of bytes; the caller ensures
                    // that the slot has the column's type and that the bytes are alive.
                    out.extend_from_slice(unsafe { slot.as_bytes() });
                }
                let end = (out.len() - base) as u32;
                let width = if layout.wide_offsets() { 4 } else { 2 };
                let at = start + (layout.offsets_at() + ordinal * width) as usize;
                out[at..at + width as usize].copy_from_slice(&end.to_le_bytes()[..width as usize]);
            }
        }
    }
}

/// Writes a fixed-width column.
///
/// # Safety
/// The slot is not NULL and of the column's type. If that is a type of bytes, the bytes are alive
/// and unchanged during the call.
#[inline]
unsafe fn store(ty: &SqlType, slot: &Slot, out: &mut [u8]) {
    let width = out.len();
    match ty.kind.repr() {
        Repr::Int
        | Repr::Money
        | Repr::Date
        | Repr::Time
        | Repr::SmallDateTime
        | Repr::DateTime2 => out.copy_from_slice(&slot.as_int().to_le_bytes()[..width]),
        Repr::Decimal => out.copy_from_slice(&slot.as_wide().to_le_bytes()[..width]),
        Repr::Float if ty.kind == TypeKind::Real => {
            out.copy_from_slice(&(slot.as_float() as f32).to_le_bytes());
        }
        Repr::Float => out.copy_from_slice(&slot.as_float().to_le_bytes()),
        Repr::DateTime => {
            let value = Slot::unpack(slot.as_int());
            out[..4].copy_from_slice(&value.days.to_le_bytes());
            out[4..].copy_from_slice(&value.ticks.to_le_bytes());
        }
        Repr::DateTimeOffset => {
            let value = slot.as_offset();
            out[..8].copy_from_slice(&value.utc_ticks.to_le_bytes());
            out[8..].copy_from_slice(&value.offset_minutes.to_le_bytes());
        }
        // A reference to a row is stored like a uniqueidentifier.
        Repr::Guid => {
            let (lo, hi) = slot.words();
            out[..8].copy_from_slice(&lo.to_le_bytes());
            out[8..].copy_from_slice(&hi.to_le_bytes());
        }
        Repr::Chars | Repr::Unicode | Repr::Bytes | Repr::Variant => {
            // SAFETY: the type is one of bytes; the caller ensures that the slot has it and that
            // the bytes are alive.
            let bytes = unsafe { slot.as_bytes() };
            let len = bytes.len().min(width);
            out[..len].copy_from_slice(&bytes[..len]);
        }
    }
}

#[cfg(test)]
mod tests;

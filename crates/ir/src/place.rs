//! Where a layout has its columns, as instructions say it.

use base::SqlType;
use base::types::{Repr, TypeKind};
use engine::catalog::def::TableDef;
use engine::catalog::naming_index;
use engine::hot::row::{RowLayout, fixed_width};

use crate::inst::LoadKind;
use crate::site::VariablePlace;

/// The layout of an engine table's rows: the stored columns, and a hidden row number where no
/// unique index names the rows.
pub fn engine_layout(table: &TableDef) -> RowLayout {
    let mut types: Vec<SqlType> = table.stored_columns().map(|c| c.ty).collect();
    if naming_index(table).is_none() {
        types.push(SqlType::bigint());
    }
    RowLayout::new(&types)
}

/// Where the n-th variable-length column of a layout lies.
pub fn variable_place(layout: &RowLayout, ordinal: u32) -> VariablePlace {
    let width = if layout.wide_offsets() { 4 } else { 2 };
    VariablePlace {
        end_at: layout.offsets_at() + ordinal * width,
        preceded: ordinal > 0,
        base: layout.header_len() as u32,
        wide: layout.wide_offsets(),
    }
}

/// How a fixed-width column is loaded; `None` for plain bytes.
pub fn load_kind(ty: &SqlType, width: u32) -> Option<LoadKind> {
    debug_assert_eq!(fixed_width(ty), Some(width), "the layout follows the type");
    Some(match (ty.kind.repr(), width) {
        (Repr::Int, 1) => LoadKind::U8,
        (Repr::Int, 2) => LoadKind::I16,
        (Repr::Int | Repr::Money | Repr::Date, 4) => LoadKind::I32,
        (Repr::SmallDateTime, _) => LoadKind::U32,
        (Repr::DateTime, _) => LoadKind::DateTime,
        (Repr::Int | Repr::Money | Repr::Time | Repr::DateTime2, _) => LoadKind::I64,
        (Repr::Float, 4) => LoadKind::F32,
        (Repr::Float, _) => LoadKind::F64,
        (Repr::Decimal, 8) => LoadKind::I64Wide,
        (Repr::Decimal, _) => LoadKind::I128,
        (Repr::Guid, _) => LoadKind::Guid,
        (Repr::DateTimeOffset, _) => LoadKind::Offset,
        (Repr::Date, _) | (Repr::Chars | Repr::Unicode | Repr::Bytes | Repr::Variant, _) => {
            debug_assert!(ty.kind != TypeKind::Date, "a date is four bytes");
            return None;
        }
    })
}

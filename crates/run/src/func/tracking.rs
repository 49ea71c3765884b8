//! Change tracking: lists of columns. A list is four bytes of zero, and the columns' ids in four
//! bytes each, the lowest first.

use base::pace::STRIDE;
use base::{Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;
use ir::function::tracking::COLUMNS;

use super::values::{bytes, int};

/// Bytes of a column's id, and of what stands before the first one.
const ID_LEN: usize = 4;
/// The most bytes of a list: as many columns as a table may have.
const LIST_MAX: u16 = 4100;

/// The function that there is, and one that only the server's texts call.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("CHANGE_TRACKING_IS_COLUMN_IN_MASK", (2, 2), types_of_test, is_in_mask)
        .own_nulls(),
    ScalarFunction::strict(COLUMNS, (1, 1), types_of_columns, columns),
];

fn types_of_test(call: &Call<'_>) -> SqlResult<Inferred> {
    match call.args[0].ty.kind {
        TypeKind::Int if !call.args[0].bare_null => {}
        _ => return Err(call.refuse(0)),
    }
    let mask = call.args[1];
    if mask.ty.kind.is_character() && !mask.bare_null {
        let args: [&dyn std::fmt::Display; 2] = [&mask.ty.kind, &TypeKind::VarBinary];
        return Err(SqlError::new(&message::IMPLICIT_CONVERSION_NOT_ALLOWED, &args));
    }
    Ok(call.types(SqlType::bit(), &[SqlType::int(), SqlType::varbinary(8000)]))
}

/// Whether a list of columns has a column; no list means all. Error 22101.
fn is_in_mask<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    if args[1].is_null() {
        return Ok(ValueRef::Int(1));
    }
    let mask = bytes(args[1]);
    if mask.len() < 2 * ID_LEN {
        return Err(SqlError::new(&message::CHANGE_MASK_INVALID, &[]));
    }
    let column = (int(args[0]) as i32).to_le_bytes();
    let found = mask[ID_LEN..].chunks_exact(ID_LEN).any(|id| id == column);
    Ok(ValueRef::Int(found.into()))
}

fn types_of_columns(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::varchar_max(call.collation);
    Ok(call.types(SqlType::varbinary(LIST_MAX), &[text]))
}

/// The columns of several lists, each once, in the order of their first mention.
fn columns<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ValueRef::Chars(digits) = args[0] else {
        return Err(ir::internal("lists of columns are digits"));
    };
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap_or_default() as u8;
    let mut list = vec![0; ID_LEN];
    let mut seen = std::collections::BTreeSet::new();
    for (place, id) in digits.chunks_exact(2 * ID_LEN).enumerate() {
        if place % (STRIDE / (2 * ID_LEN)) == 0 {
            ctx.pace()?;
        }
        let mut own = [0; ID_LEN];
        for (byte, pair) in own.iter_mut().zip(id.chunks_exact(2)) {
            *byte = digit(pair[0]) << 4 | digit(pair[1]);
        }
        if list.len() < usize::from(LIST_MAX) && seen.insert(own) {
            list.extend(own);
        }
    }
    Ok(ValueRef::Bytes(ctx.arena.alloc_bytes(&list)))
}

//! `OPENROWSET(BULK 'path', SINGLE_BLOB | SINGLE_CLOB | SINGLE_NCLOB)`: a file as one value.

use base::{Pace, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::FileContent;
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::Call;

use crate::func::values::text;

/// The mark at the beginning of a file in UTF-16.
const WIDE_MARK: &[u8] = &[0xFF, 0xFE];
/// The longest path.
const PATH_MAX: u16 = 4000;

/// What reads a file as a content of this kind. The function takes the path.
pub(in crate::func) fn function(content: FileContent) -> &'static RowsetFunction {
    match content {
        FileContent::Bytes => &BYTES,
        FileContent::Narrow => &NARROW,
        FileContent::Wide => &WIDE,
    }
}

static BYTES: RowsetFunction = RowsetFunction {
    name: "OPENROWSET",
    arguments: (1, 1),
    columns: |_| vec![column("BulkColumn", SqlType::varbinary_max(), true)],
    rows: RowsetRows::Filled(fill_bytes),
    infer: types,
};

static NARROW: RowsetFunction = RowsetFunction {
    columns: |args| vec![column("BulkColumn", SqlType::varchar_max(args[0].collation), true)],
    rows: RowsetRows::Filled(fill_narrow),
    ..BYTES
};

static WIDE: RowsetFunction = RowsetFunction {
    columns: |args| vec![column("BulkColumn", SqlType::nvarchar_max(args[0].collation), true)],
    rows: RowsetRows::Filled(fill_wide),
    ..BYTES
};

fn types(call: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: vec![call.unicode(0, PATH_MAX)?], visible: 1 })
}

/// All that the file has.
fn read<'a>(ctx: &FnContext<'a>, args: &[ValueRef<'a>], types: &[SqlType]) -> SqlResult<&'a [u8]> {
    let mut all = ctx.arena.buffer();
    ctx.facts.read_file(&text(args[0], types[0].collation), &mut |piece| {
        ctx.pace()?;
        base::account::check_length(all.len() + piece.len())?;
        all.try_extend(piece)
    })?;
    Ok(all.finish())
}

fn fill_bytes<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    emit(&[ValueRef::Bytes(read(ctx, args, types)?)])
}

/// The bytes are characters of the database's code page. Error 4806 for UTF-16, 4864 for what is
/// none in UTF-8.
fn fill_narrow<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let all = read(ctx, args, types)?;
    if all.starts_with(WIDE_MARK) {
        return Err(SqlError::new(&message::SINGLE_CLOB_IS_UNICODE, &[]));
    }
    if types[0].collation.is_utf8() && std::str::from_utf8(all).is_err() {
        return Err(SqlError::new(&message::BULK_CONVERSION, &[&1, &1, &"BulkColumn"]));
    }
    emit(&[ValueRef::Chars(all)])
}

/// Error 4809 for what is not UTF-16.
fn fill_wide<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    match read(ctx, args, types)?.strip_prefix(WIDE_MARK) {
        Some(units) if units.len() % 2 == 0 => emit(&[ValueRef::Unicode(units)]),
        _ => Err(SqlError::new(&message::SINGLE_NCLOB_IS_NOT_UNICODE, &[])),
    }
}

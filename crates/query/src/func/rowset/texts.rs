//! `sys.dm_exec_sql_text`: the text that a handle names.

use base::{Collation, SqlResult, SqlType, ValueRef};

use super::{Emit, RowsetColumn, RowsetTypes, column};
use crate::func::facts::FnContext;
use crate::func::signature::Call;
use crate::func::values::{bytes, string};

/// The longest handle.
const HANDLE: u16 = 64;

pub(super) fn types(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: vec![SqlType::varbinary(HANDLE)], visible: 5 })
}

pub(super) fn columns(_: &[SqlType]) -> Vec<RowsetColumn> {
    vec![
        column("dbid", SqlType::smallint(), true),
        column("objectid", SqlType::int(), true),
        column("number", SqlType::smallint(), true),
        column("encrypted", SqlType::bit(), false),
        column("text", SqlType::nvarchar_max(Collation::DEFAULT), true),
    ]
}

/// One row; none for NULL and for a text that nobody knows any more. Texts that clients send belong to no
/// database and no module.
pub(super) fn fill<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    if args[0].is_null() {
        return Ok(());
    }
    let Some(text) = ctx.facts.text_of(bytes(args[0]))? else { return Ok(()) };
    let text = string(ctx.arena, &text, &SqlType::nvarchar_max(Collation::DEFAULT));
    emit(&[ValueRef::Null, ValueRef::Null, ValueRef::Null, ValueRef::Int(0), text])
}

//! `INDEX ENTRY`: what statements ask about the keys of indexes whose columns could be too long.

use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::{int, text};

/// The one that there is. No name that is written without quotes has a blank.
pub(super) static FUNCTIONS: &[ScalarFunction] =
    &[ScalarFunction::strict("INDEX ENTRY", (4, 4), types_of_entry, entry)];

fn types_of_entry(call: &Call<'_>) -> SqlResult<Inferred> {
    let types = [call.int(0)?, call.name_argument(1)?, call.int(2)?, call.name_argument(3)?];
    Ok(call.types(SqlType::int(), &types))
}

/// The length of an entry of an index of a name, with a limit, of a kind. Error 1946 if it is
/// longer.
fn entry<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (length, limit) = (int(args[0]), int(args[2]));
    if length <= limit {
        return Ok(args[0]);
    }
    let name = text(args[1], types.args[1].collation);
    let kind = text(args[3], types.args[3].collation);
    let args: [&dyn std::fmt::Display; 4] = [&length, &name, &limit, &kind];
    Err(SqlError::new(&message::INDEX_KEY_TOO_LONG, &args))
}

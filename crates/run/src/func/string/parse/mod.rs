//! PARSE and TRY_PARSE: numbers and dates as a culture writes them.
//!
//! The call's second argument is a NULL of the type that is wanted; its third one, the culture.

mod moment;
mod number;

use base::convert::convert;
use base::{ConvertOptions, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::culture::Culture;
use crate::func::values::text;

/// The type of `PARSE` and `TRY_PARSE`. Errors 8116 and 10761.
pub(super) fn types_of_parse(call: &Call<'_>) -> SqlResult<Inferred> {
    let wanted = call.args[1].ty;
    if call.args[0].bare_null {
        return Err(call.refuse(0));
    }
    if !is_parsed(&wanted) {
        let name = call.name.to_ascii_lowercase();
        let error = &message::FUNCTION_DATA_TYPE_INVALID;
        return Err(SqlError::new(error, &[&wanted.kind, &name]));
    }
    let mut types = vec![call.unicode(0, 4000)?, wanted];
    if call.args.len() == 3 {
        types.push(call.unicode(2, 128)?);
    }
    Ok(call.types(wanted, &types))
}

/// Numbers, dates and times.
fn is_parsed(ty: &SqlType) -> bool {
    use base::TypeKind::Bit;
    ty.kind.is_numeric() && ty.kind != Bit || ty.kind.is_temporal()
}

/// Error 9819 for a text that is nothing of the kind, 9818 for a culture that is not known.
pub(super) fn parse<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some((culture, name)) = culture(ctx, args, types)? else { return Ok(ValueRef::Null) };
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let own = text(args[0], types.args[0].collation);
    read(ctx, &own, &types.result, culture)
        .ok_or_else(|| SqlError::new(&message::PARSE_FAILED, &[&own, &types.result.kind, &name]))
}

/// NULL where [`parse`] fails on the text. Error 9818.
pub(super) fn try_parse<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some((culture, _)) = culture(ctx, args, types)? else { return Ok(ValueRef::Null) };
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let own = text(args[0], types.args[0].collation);
    Ok(read(ctx, &own, &types.result, culture).unwrap_or(ValueRef::Null))
}

/// The culture and its name as it was given; `None` if that is NULL. Without one, the session's
/// language decides.
fn culture<'a>(
    ctx: &FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<Option<(&'static Culture, String)>> {
    match args.get(2) {
        None => Ok(Some((Culture::of(ctx.facts.dates().language), String::new()))),
        Some(ValueRef::Null) => Ok(None),
        Some(name) => {
            let name = text(*name, types.args[2].collation);
            let found = Culture::by_name(name.trim())
                .ok_or_else(|| SqlError::new(&message::CULTURE_NOT_SUPPORTED, &[&name]))?;
            Ok(Some((found, name)))
        }
    }
}

fn read<'a>(
    ctx: &FnContext<'a>,
    own: &str,
    wanted: &SqlType,
    culture: &Culture,
) -> Option<ValueRef<'a>> {
    if wanted.kind.is_temporal() {
        let time = ctx.facts.time();
        let today = (time.utc_ticks / base::datetime::civil::TICKS_PER_DAY) as i32;
        return moment::parse(own, culture, today, &ctx.facts.dates())?.to(wanted);
    }
    let plain = number::parse(own, wanted.kind, culture)?;
    let from = SqlType::varchar(8000, base::Collation::DEFAULT);
    let plain = ValueRef::Chars(ctx.arena.alloc_bytes(plain.as_bytes()));
    convert(plain, &from, wanted, &ConvertOptions::default(), ctx.arena).ok()
}

#[cfg(test)]
mod tests;

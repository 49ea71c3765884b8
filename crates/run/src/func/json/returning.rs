//! `JSON_VALUE(document, path RETURNING type)`: a call whose third argument is a NULL of the type.

use base::convert::{Overlong, convert, try_convert};
use base::json::Scalar;
use base::types::conversion::check_explicit;
use base::{Collation, ConvertOptions, SqlError, SqlResult, SqlType, ValueRef, decimal, message};
use ir::function::descriptor::{CallTypes, Inferred, Volatility};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::document::{type_of_document, type_of_path};
use super::read::{self, ScalarFound};
use crate::func::values::string;

/// The state of a string that is too long for its type.
const TOO_LONG: u8 = 34;

pub(super) fn types_of_returning(call: &Call<'_>) -> SqlResult<Inferred> {
    let Call { args, collation, volatility, .. } = *call;
    let call = Call { name: "JSON_VALUE", args, collation, volatility };
    let wanted = call.args[2].ty.with_collation(call.collation);
    let types = [type_of_document(&call, 0)?, type_of_path(&call, 1)?, wanted];
    let inferred = call.types(wanted, &types);
    // How a string is read as a date depends on the session.
    Ok(match wanted.kind.is_temporal() {
        true => inferred.with_volatility(Volatility::RuntimeConstant),
        false => inferred,
    })
}

/// The scalar to which a path leads as of the type; NULL if there is none, or if it does not
/// convert. In strict mode errors 13608, 13623 and that of the conversion. Error 529 for what never
/// converts.
pub(super) fn json_value_returning<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let wanted = &types.result;
    let Some(found) = read::scalar(ctx, args, types)? else { return Ok(ValueRef::Null) };
    let is_strict = found.is_strict;
    let Some((value, from)) = scalar(ctx, &found, wanted)? else { return Ok(ValueRef::Null) };
    check_explicit(from.kind, wanted.kind)?;
    let options = ConvertOptions {
        overlong: Overlong::Refuse,
        dates: ctx.facts.dates(),
        pace: &*ctx,
        ..ConvertOptions::default()
    };
    match is_strict {
        true => convert(value, &from, wanted, &options, ctx.arena).map_err(with_state),
        false => try_convert(value, &from, wanted, &options, ctx.arena),
    }
}

fn with_state(error: SqlError) -> SqlError {
    match error.number() == message::TRUNCATED.number {
        true => error.with_state(TOO_LONG),
        false => error,
    }
}

/// A scalar and its own type: an int, bigint or decimal, a bit, a string; nothing for `null`.
fn scalar<'a>(
    ctx: &FnContext<'a>,
    found: &ScalarFound<'_>,
    wanted: &SqlType,
) -> SqlResult<Option<(ValueRef<'a>, SqlType)>> {
    let ScalarFound { text, kind, range, .. } = found;
    let string_type = SqlType::nvarchar_max(match wanted.kind.is_character() {
        true => wanted.collation,
        false => Collation::DEFAULT,
    });
    Ok(match kind {
        Scalar::Null => None,
        Scalar::String => {
            let mut out = ctx.room(2 * range.len())?;
            text.write_string(&(range.start + 1..range.end - 1), ctx, &mut out)?;
            Some((ValueRef::Unicode(out.finish()), string_type))
        }
        Scalar::True | Scalar::False if wanted.kind.is_character() => {
            let word = if *kind == Scalar::True { "true" } else { "false" };
            Some((string(ctx.arena, word, &string_type), string_type))
        }
        Scalar::True | Scalar::False => {
            Some((ValueRef::Int((*kind == Scalar::True).into()), SqlType::bit()))
        }
        Scalar::Number => Some(number(text.part(range))),
    })
}

/// A number of canonical JSON.
fn number(token: &[u8]) -> (ValueRef<'static>, SqlType) {
    let text = std::str::from_utf8(token).unwrap_or("0");
    if let Ok(whole) = text.parse::<i64>() {
        let ty = if i32::try_from(whole).is_ok() { SqlType::int() } else { SqlType::bigint() };
        return (ValueRef::Int(whole), ty);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let units = format!("{whole}{fraction}").parse().unwrap_or_default();
    let digits = whole.trim_start_matches(['-', '0']).len() + fraction.len();
    let ty = SqlType::decimal(digits.clamp(1, 38) as u8, fraction.len() as u8);
    debug_assert!(decimal::fits(units, ty.precision), "canonical numbers have up to 38 digits");
    (ValueRef::Decimal(units), ty)
}

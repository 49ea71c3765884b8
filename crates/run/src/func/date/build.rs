//! Dates from numbers, their offsets, and the ends of months.

use base::datetime::Moment;
use base::datetime::build::{
    Parts, end_of_month, from_parts, is_date, offset_from_minutes, offset_from_text, switch_offset,
    to_datetimeoffset,
};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::temporal;
use crate::func::values::{flag, int, text};

fn all_ints(call: &Call<'_>, result: SqlType) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.int(at)).collect::<SqlResult<_>>()?;
    Ok(call.types(result, &types))
}

pub(super) fn types_of_date(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::date())
}

pub(super) fn types_of_datetime(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::datetime())
}

pub(super) fn types_of_smalldatetime(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::smalldatetime())
}

pub(super) fn types_of_time(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::time(scale(call, TypeKind::Time)?))
}

pub(super) fn types_of_datetime2(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::datetime2(scale(call, TypeKind::DateTime2)?))
}

pub(super) fn types_of_datetimeoffset(call: &Call<'_>) -> SqlResult<Inferred> {
    all_ints(call, SqlType::datetimeoffset(scale(call, TypeKind::DateTimeOffset)?))
}

/// The scale, which the last argument gives as a constant. Error 10760 for anything else.
fn scale(call: &Call<'_>, kind: TypeKind) -> SqlResult<u8> {
    call.constant_int(call.args.len() - 1)
        .and_then(|scale| u8::try_from(scale).ok())
        .filter(|scale| *scale <= 7)
        .ok_or_else(|| SqlError::new(&message::SCALE_ARGUMENT_INVALID, &[&kind]))
}

/// Functions that make a value of the result's type from its parts, which are named in the order of
/// the arguments.
macro_rules! from_arguments {
    ($($name:ident: $($part:ident)*;)*) => {$(
        pub(super) fn $name<'a>(
            _: &mut FnContext<'a>,
            args: &[ValueRef<'a>],
            types: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            let mut numbers = args.iter().map(|v| int(*v) as i32);
            let mut parts = Parts::default();
            $(parts.$part = numbers.next().expect("the number of arguments was checked");)*
            from_parts(&parts, &types.result)
        }
    )*};
}

from_arguments! {
    date: year month day;
    datetime: year month day hour minute second fraction;
    smalldatetime: year month day hour minute;
    time: hour minute second fraction;
    datetime2: year month day hour minute second fraction;
    datetimeoffset: year month day hour minute second fraction offset_hours offset_minutes;
}

pub(super) fn types_of_eomonth(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 0, SqlType::date(), true)?;
    if ty.kind == TypeKind::Time {
        return Err(call.refuse(0));
    }
    let mut types = vec![ty];
    if call.args.len() == 2 {
        types.push(call.int(1)?);
    }
    Ok(call.types(SqlType::date(), &types))
}

pub(super) fn eomonth<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    end_of_month(args[0], args.get(1).map_or(0, |v| int(*v)))
}

/// The type of an offset: minutes, or a text like `+02:00`.
fn types_of_offset(call: &Call<'_>, at: usize) -> SqlResult<SqlType> {
    if call.kind(at).is_character() { call.unicode(at, 40) } else { call.int(at) }
}

fn offset(value: ValueRef<'_>, ty: &SqlType, function: &str) -> SqlResult<i16> {
    match value {
        ValueRef::Int(minutes) => offset_from_minutes(minutes, function),
        other => offset_from_text(&text(other, ty.collation), function),
    }
}

pub(super) fn types_of_switchoffset(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 0, SqlType::datetimeoffset(7), true)?;
    let ty = match ty.kind {
        TypeKind::DateTimeOffset => ty,
        TypeKind::DateTime2 => SqlType::datetimeoffset(ty.scale),
        TypeKind::DateTime => SqlType::datetimeoffset(3),
        TypeKind::Date | TypeKind::SmallDateTime => SqlType::datetimeoffset(0),
        _ => return Err(call.refuse(0)),
    };
    Ok(call.types(ty, &[ty, types_of_offset(call, 1)?]))
}

pub(super) fn switchoffset<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ValueRef::DateTimeOffset(value) = args[0] else {
        unreachable!("{:?} is not of the type that was asked for", args[0])
    };
    let offset = offset(args[1], &types.args[1], "switchoffset")?;
    Ok(ValueRef::DateTimeOffset(switch_offset(value, offset)?))
}

pub(super) fn types_of_todatetimeoffset(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 0, SqlType::datetime2(7), true)?;
    let result = match ty.kind {
        TypeKind::DateTimeOffset | TypeKind::DateTime2 => SqlType::datetimeoffset(ty.scale),
        TypeKind::DateTime => SqlType::datetimeoffset(3),
        TypeKind::Date | TypeKind::SmallDateTime => SqlType::datetimeoffset(0),
        _ => return Err(call.refuse(0)),
    };
    Ok(call.types(result, &[ty, types_of_offset(call, 1)?]))
}

pub(super) fn todatetimeoffset<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let offset = offset(args[1], &types.args[1], "todatetimeoffset")?;
    to_datetimeoffset(args[0], offset, &types.result)
}

pub(super) fn types_of_isdate(call: &Call<'_>) -> SqlResult<Inferred> {
    let asked = match call.kind(0) {
        TypeKind::DateTime | TypeKind::SmallDateTime => call.args[0].ty,
        kind if kind.is_temporal() => return Err(call.refuse(0)),
        _ => call.text(0)?,
    };
    Ok(call.types(SqlType::int(), &[asked]).not_null())
}

pub(super) fn isdate<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(flag(match args[0] {
        ValueRef::Null => false,
        value @ (ValueRef::Chars(_) | ValueRef::Unicode(_)) => {
            is_date(&text(value, types.args[0].collation), &ctx.facts.dates())
        }
        value => Moment::of(value).to(&SqlType::datetime()).is_some(),
    }))
}

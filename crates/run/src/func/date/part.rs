//! Parts of dates: taking them out, adding and subtracting them.

use base::datetime::civil::Civil;
use base::datetime::part::{
    date_add, date_bucket, date_diff, date_diff_big, date_name, date_part, date_trunc,
};
use base::datetime::{DatePart, Moment};
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, Volatility};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::{depends_on_first_day, part, part_of_call, temporal};
use crate::func::values::{int, string};

/// What strings become where their fraction of a second may matter.
const TEXT_AS: SqlType = SqlType::datetime2(7);

pub(super) fn types_of_dateadd(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 2, SqlType::datetime(), true)?;
    part_of_call(call).check("dateadd", ty.kind)?;
    Ok(call.types(ty, &[SqlType::int(), call.int(1)?, ty]))
}

pub(super) fn dateadd<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    date_add(part(args[0]), int(args[1]), args[2], &types.result)
}

fn types_of_difference(call: &Call<'_>, result: SqlType) -> SqlResult<Inferred> {
    let start = temporal(call, 1, TEXT_AS, true)?;
    let end = temporal(call, 2, TEXT_AS, true)?;
    Ok(call.types(result, &[SqlType::int(), start, end]))
}

pub(super) fn types_of_datediff(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of_difference(call, SqlType::int())
}

pub(super) fn types_of_datediff_big(call: &Call<'_>) -> SqlResult<Inferred> {
    types_of_difference(call, SqlType::bigint())
}

pub(super) fn datediff<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let end = |at: usize| (args[at], types.args[at].kind);
    Ok(ValueRef::Int(i64::from(date_diff(part(args[0]), end(1), end(2))?)))
}

pub(super) fn datediff_big<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let end = |at: usize| (args[at], types.args[at].kind);
    Ok(ValueRef::Int(date_diff_big(part(args[0]), end(1), end(2))?))
}

pub(super) fn types_of_datepart(call: &Call<'_>) -> SqlResult<Inferred> {
    let part = part_of_call(call);
    let ty = temporal(call, 1, TEXT_AS, true)?;
    part.check("datepart", ty.kind)?;
    let volatility = if depends_on_first_day(part) {
        Volatility::RuntimeConstant
    } else {
        Volatility::Deterministic
    };
    Ok(call.types(SqlType::int(), &[SqlType::int(), ty]).with_volatility(volatility))
}

pub(super) fn datepart<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    part_as_int(ctx, part(args[0]), args[1], &types.args[1])
}

fn part_as_int<'a>(
    ctx: &FnContext<'a>,
    part: DatePart,
    value: ValueRef<'a>,
    ty: &SqlType,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(i64::from(date_part(part, value, ty.kind, &ctx.facts.dates())?)))
}

pub(super) fn types_of_one_part(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::int(), &[temporal(call, 0, TEXT_AS, true)?]))
}

/// Functions that take out one part.
macro_rules! parts {
    ($($name:ident = $part:ident;)*) => {$(
        pub(super) fn $name<'a>(
            ctx: &mut FnContext<'a>,
            args: &[ValueRef<'a>],
            types: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            part_as_int(ctx, DatePart::$part, args[0], &types.args[0])
        }
    )*};
}

parts! {
    day_of_week = Weekday;
    day_of_year = DayOfYear;
    week = Week;
    quarter = Quarter;
    hour = Hour;
    minute = Minute;
    second = Second;
}

/// Year, month and day, which need nothing of the session.
macro_rules! calendar_parts {
    ($($name:ident = $field:ident, $part:ident;)*) => {$(
        pub(super) fn $name<'a>(
            _: &mut FnContext<'a>,
            args: &[ValueRef<'a>],
            types: &CallTypes,
        ) -> SqlResult<ValueRef<'a>> {
            DatePart::$part.check("datepart", types.args[0].kind)?;
            let day = Civil::from_days(Moment::of(args[0]).days);
            Ok(ValueRef::Int(i64::from(day.$field)))
        }
    )*};
}

calendar_parts! {
    year = year, Year;
    month = month, Month;
    day = day, Day;
}

pub(super) fn types_of_datename(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 1, TEXT_AS, true)?;
    part_of_call(call).check("datename", ty.kind)?;
    Ok(call.types(SqlType::nvarchar(30, call.collation), &[SqlType::int(), ty]))
}

pub(super) fn datename<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    part_as_name(ctx, part(args[0]), args[1], &types.args[1], &types.result)
}

fn part_as_name<'a>(
    ctx: &FnContext<'a>,
    part: DatePart,
    value: ValueRef<'a>,
    ty: &SqlType,
    result: &SqlType,
) -> SqlResult<ValueRef<'a>> {
    let name = date_name(part, value, ty.kind, &ctx.facts.dates())?;
    Ok(string(ctx.arena, name.as_str(), result))
}

pub(super) fn types_of_one_name(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 0, TEXT_AS, true)?;
    Ok(call.types(SqlType::nvarchar(30, call.collation), &[ty]))
}

pub(super) fn day_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    part_as_name(ctx, DatePart::Weekday, args[0], &types.args[0], &types.result)
}

pub(super) fn month_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    part_as_name(ctx, DatePart::Month, args[0], &types.args[0], &types.result)
}

pub(super) fn types_of_datetrunc(call: &Call<'_>) -> SqlResult<Inferred> {
    let part = part_of_call(call);
    let ty = temporal(call, 1, TEXT_AS, false)?;
    part.check("datetrunc", ty.kind)?;
    let volatility = if depends_on_first_day(part) {
        Volatility::RuntimeConstant
    } else {
        Volatility::Deterministic
    };
    Ok(call.types(ty, &[SqlType::int(), ty]).with_volatility(volatility))
}

pub(super) fn datetrunc<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    date_trunc(part(args[0]), args[1], &types.result, &ctx.facts.dates())
}

pub(super) fn types_of_bucket(call: &Call<'_>) -> SqlResult<Inferred> {
    let part = part_of_call(call);
    let ty = temporal(call, 2, TEXT_AS, false)?;
    part.check("date_bucket", ty.kind)?;
    if matches!(
        part,
        DatePart::DayOfYear
            | DatePart::Weekday
            | DatePart::Microsecond
            | DatePart::Nanosecond
            | DatePart::TzOffset
            | DatePart::IsoWeek
    ) {
        return Err(SqlError::new(
            &message::DATEPART_NOT_SUPPORTED,
            &[&part.name(), &"date_bucket"],
        ));
    }
    let mut types = vec![SqlType::int(), call.int(1)?, ty];
    if call.args.len() == 4 {
        temporal(call, 3, ty, true)?;
        types.push(ty);
    }
    Ok(call.types(ty, &types))
}

/// The start of the bucket that a date lies in: buckets are this many parts wide and counted from
/// the origin, midnight of 1900-01-01 unless it is given.
pub(super) fn bucket<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (part, width, ty) = (part(args[0]), int(args[1]), &types.result);
    if width <= 0 {
        return Err(SqlError::new(&message::BUCKET_WIDTH_INVALID, &[&"date_bucket"]));
    }
    let origin = match args.get(3) {
        Some(&origin) => origin,
        None => Moment::BASE.to(ty).expect("every type holds 1900-01-01"),
    };
    date_bucket(part, width, args[2], origin, ty)
}

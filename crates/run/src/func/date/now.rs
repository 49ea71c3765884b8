//! The time at which the statement or its transaction started.

use base::datetime::civil::{Civil, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use base::datetime::{Moment, Zone};
use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::string;

fn never_null(call: &Call<'_>, ty: SqlType) -> SqlResult<Inferred> {
    Ok(call.types(ty, &[]).not_null())
}

pub(super) fn types_of_datetime(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::datetime())
}

pub(super) fn types_of_datetime2(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::datetime2(7))
}

pub(super) fn types_of_offset(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::datetimeoffset(7))
}

pub(super) fn types_of_date(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::date())
}

pub(super) fn types_of_zone(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::varchar(256, call.collation))
}

pub(super) fn types_of_date_text(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::varchar(10, call.collation))
}

pub(super) fn types_of_time_text(call: &Call<'_>) -> SqlResult<Inferred> {
    never_null(call, SqlType::varchar(8, call.collation))
}

/// The time in the server's zone.
fn local_moment(ctx: &FnContext<'_>) -> Moment {
    let time = ctx.facts.time();
    let local = time.utc_ticks + i64::from(time.offset_minutes) * TICKS_PER_MINUTE;
    Moment::from_total(local, time.offset_minutes)
}

/// A moment as of the result's type. A clock outside the type's range shows its first day.
fn as_result<'a>(moment: Moment, types: &CallTypes) -> SqlResult<ValueRef<'a>> {
    let value = moment.to(&types.result).or_else(|| Moment::BASE.to(&types.result));
    Ok(value.expect("every type holds 1900-01-01"))
}

pub(super) fn local<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    as_result(local_moment(ctx), types)
}

pub(super) fn utc<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    as_result(Moment::from_total(ctx.facts.time().utc_ticks, 0), types)
}

pub(super) fn transaction<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    as_result(Moment::from_total(ctx.facts.transaction_time(), 0), types)
}

/// `+02:00`
fn offset_text(minutes: i16) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The server's zone; one without a name of Windows' is known by its offset alone.
fn server_zone(ctx: &FnContext<'_>) -> Result<&'static Zone, i16> {
    let minutes = ctx.facts.time().offset_minutes;
    let utc = || Zone::by_name("UTC").filter(|_| minutes == 0);
    ctx.facts.zone().or_else(utc).ok_or(minutes)
}

pub(super) fn zone<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = match server_zone(ctx) {
        Ok(zone) => zone.title.to_owned(),
        Err(minutes) => format!("(UTC{})", offset_text(minutes)),
    };
    Ok(string(ctx.arena, &name, &types.result))
}

pub(super) fn zone_id<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = match server_zone(ctx) {
        Ok(zone) => zone.name.to_owned(),
        Err(minutes) => format!("UTC{}", offset_text(minutes)),
    };
    Ok(string(ctx.arena, &name, &types.result))
}

pub(super) fn date_text<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let day = Civil::from_days(local_moment(ctx).days);
    let text = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    Ok(string(ctx.arena, &text, &types.result))
}

pub(super) fn time_text<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let seconds = local_moment(ctx).ticks / TICKS_PER_SECOND;
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Ok(string(ctx.arena, &text, &types.result))
}

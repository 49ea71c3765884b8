//! What masks of columns show instead of values. The binder calls these; no text can.

use base::{SqlResult, SqlType, ValueRef};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::{bytes, float, int};
use base::datetime::civil::Civil;

/// 100 ns a day and a second.
const TICKS_PER_DAY: i64 = 864_000_000_000;
const TICKS_PER_SECOND: i64 = 10_000_000;

/// The largest whole number that a float and a `bigint` both have.
const WHOLE_MAX: f64 = 9_223_372_036_854_774_784.0;

pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("MASK EMAIL", (1, 1), types_of_email, email).native(),
    ScalarFunction::strict("MASK PARTIAL", (4, 4), types_of_partial, partial).native(),
    ScalarFunction::strict("MASK RANDOM", (3, 3), types_of_random, random).volatile().native(),
    ScalarFunction::strict("MASK DATETIME", (2, 2), types_of_datetime, datetime).native(),
];

fn types_of_email(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::nvarchar_max(call.collation);
    Ok(call.types(text, &[text]))
}

/// The first character of a string.
fn first(text: &[u8]) -> &[u8] {
    let is_high = |unit: &[u8]| unit[1] & 0xFC == 0xD8;
    match text.get(..2) {
        Some(unit) if is_high(unit) => text.get(..4).unwrap_or(unit),
        Some(unit) => unit,
        None => &[],
    }
}

fn utf16(text: &str) -> impl Iterator<Item = u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes)
}

fn email<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let shown = first(bytes(args[0]));
    let masked: Vec<u8> = match shown.is_empty() {
        true => utf16("xxxx").collect(),
        false => shown.iter().copied().chain(utf16("XXX@XXXX.com")).collect(),
    };
    Ok(ValueRef::Unicode(ctx.arena.alloc_bytes(&masked)))
}

/// A string, how many characters of its beginning are shown, a text, and how many of its end.
fn types_of_partial(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::nvarchar_max(call.collation);
    Ok(call.types(text, &[text, SqlType::int(), text, SqlType::int()]))
}

fn partial<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (text, padding) = (bytes(args[0]), bytes(args[2]));
    let units = |at: usize| usize::try_from(int(args[at])).unwrap_or(0).saturating_mul(2);
    let (before, after) = (units(1), units(3));
    if text.len() <= before.saturating_add(after) {
        return Ok(args[2]);
    }
    let masked = [&text[..before], padding, &text[text.len() - after..]].concat();
    Ok(ValueRef::Unicode(ctx.arena.alloc_bytes(&masked)))
}

/// The least and the most, and whether whole numbers are asked for.
fn types_of_random(call: &Call<'_>) -> SqlResult<Inferred> {
    let float = SqlType::float();
    Ok(call.types(float, &[float, float, SqlType::int()]))
}

fn random<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let mut seed = [0; 8];
    ctx.facts.random_bytes(&mut seed);
    // 53 bits, from 0 to less than 1.
    let share = (u64::from_le_bytes(seed) >> 11) as f64 / (1_u64 << 53) as f64;
    let (low, high) = (float(args[0]), float(args[1]));
    let value = match int(args[2]) {
        0 => low + share * (high - low),
        _ => (low + share * (high - low + 1.0)).floor().min(WHOLE_MAX),
    };
    Ok(ValueRef::Float(value.min(high)))
}

/// A point in time, and the part that is hidden: 0 for the year, to 5 for the second.
fn types_of_datetime(call: &Call<'_>) -> SqlResult<Inferred> {
    let time = SqlType::datetime2(7);
    Ok(call.types(time, &[time, SqlType::int()]))
}

fn datetime<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let ValueRef::DateTime2(value) = args[0] else {
        unreachable!("the argument is of the type that was asked for")
    };
    let days = value.div_euclid(TICKS_PER_DAY);
    let seconds = value.rem_euclid(TICKS_PER_DAY) / TICKS_PER_SECOND;
    let civil = Civil::from_days(days as i32);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let (civil, seconds) = match int(args[1]) {
        0 => (Civil { year: 2000, ..civil }, seconds),
        1 => (Civil { month: 1, ..civil }, seconds),
        2 => (Civil { day: 1, ..civil }, seconds),
        3 => (civil, seconds - hour * 3600),
        4 => (civil, seconds - minute * 60),
        _ => (civil, seconds - second),
    };
    Ok(ValueRef::DateTime2(i64::from(civil.days()) * TICKS_PER_DAY + seconds * TICKS_PER_SECOND))
}

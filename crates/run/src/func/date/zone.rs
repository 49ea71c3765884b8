//! `AT TIME ZONE`. The zones and their rules are `base`'s.

use base::datetime::build::switch_offset;
use base::datetime::civil::TICKS_PER_MINUTE;
use base::datetime::{Moment, Zone};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::text;

/// Error 8116 for what is not a date with a time.
pub(super) fn types_of_zone(call: &Call<'_>) -> SqlResult<Inferred> {
    let (ty, bare_null) = (call.args[0].ty, call.args[0].bare_null);
    let scale = match ty.kind {
        TypeKind::DateTimeOffset | TypeKind::DateTime2 if !bare_null => ty.scale,
        TypeKind::DateTime if !bare_null => 3,
        TypeKind::SmallDateTime if !bare_null => 0,
        kind => {
            // The operator is named as it is written, unlike functions.
            let kind = if bare_null { "NULL" } else { kind.name() };
            return Err(SqlError::new(&message::ARGUMENT_TYPE_INVALID, &[&kind, &1, &call.name]));
        }
    };
    Ok(call.types(SqlType::datetimeoffset(scale), &[ty, call.name_argument(1)?]))
}

/// What a call found last: a constant zone is looked up once.
struct Found {
    name: Box<[u8]>,
    zone: &'static Zone,
}

/// Error 9820 for a zone that is not known.
fn zone(ctx: &FnContext<'_>, name: ValueRef<'_>, types: &CallTypes) -> SqlResult<&'static Zone> {
    let find = || {
        let name = text(name, types.args[1].collation);
        Zone::by_name(name.trim_end())
            .ok_or_else(|| SqlError::new(&message::TIME_ZONE_PARAMETER_INVALID, &[&name]))
    };
    let (Some(memo), ValueRef::Chars(bytes)) = (ctx.memo, name) else { return find() };
    let found = memo.get_or_make(|| Ok(Found { name: bytes.into(), zone: find()? }))?;
    if *found.name == *bytes { Ok(found.zone) } else { find() }
}

/// A local time gets the zone's offset; what has one is moved to it. Errors 9813 and 9820.
pub(super) fn at_time_zone<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let zone = zone(ctx, args[1], types)?;
    if let ValueRef::DateTimeOffset(value) = args[0] {
        let offset = zone.offset_at(value.utc_ticks).minutes;
        return Ok(ValueRef::DateTimeOffset(switch_offset(value, offset)?));
    }
    let moment = Moment::of(args[0]);
    debug_assert_eq!(moment.offset, 0, "it has no offset of its own");
    let instant = zone.instant_of(moment.total());
    let local = instant.utc_ticks + i64::from(instant.minutes) * TICKS_PER_MINUTE;
    Moment::from_total(local, instant.minutes)
        .to(&types.result)
        .ok_or_else(|| SqlError::new(&message::TIME_ZONE_OVERFLOW, &[&"todatetimeoffset"]))
}

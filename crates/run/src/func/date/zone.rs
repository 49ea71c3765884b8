//! `AT TIME ZONE`, for zones whose offset never changes.

use base::datetime::Moment;
use base::datetime::build::{switch_offset, to_datetimeoffset};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::temporal;
use crate::func::values::text;

/// Zones without daylight saving time: name and minutes east of Greenwich.
pub const FIXED_ZONES: &[(&str, i16)] = &[
    ("Dateline Standard Time", -720),
    ("UTC-11", -660),
    ("Hawaiian Standard Time", -600),
    ("UTC-09", -540),
    ("UTC-08", -480),
    ("US Mountain Standard Time", -420),
    ("Central America Standard Time", -360),
    ("SA Pacific Standard Time", -300),
    ("SA Western Standard Time", -240),
    ("SA Eastern Standard Time", -180),
    ("UTC-02", -120),
    ("Cape Verde Standard Time", -60),
    ("UTC", 0),
    ("Greenwich Standard Time", 0),
    ("W. Central Africa Standard Time", 60),
    ("South Africa Standard Time", 120),
    ("E. Africa Standard Time", 180),
    ("Arab Standard Time", 180),
    ("Arabian Standard Time", 240),
    ("West Asia Standard Time", 300),
    ("India Standard Time", 330),
    ("Nepal Standard Time", 345),
    ("Central Asia Standard Time", 360),
    ("Myanmar Standard Time", 390),
    ("SE Asia Standard Time", 420),
    ("China Standard Time", 480),
    ("Singapore Standard Time", 480),
    ("Taipei Standard Time", 480),
    ("Tokyo Standard Time", 540),
    ("Korea Standard Time", 540),
    ("AUS Central Standard Time", 570),
    ("E. Australia Standard Time", 600),
    ("West Pacific Standard Time", 600),
    ("Central Pacific Standard Time", 660),
    ("UTC+12", 720),
    ("UTC+13", 780),
    ("Line Islands Standard Time", 840),
];

pub(super) fn types_of_zone(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = temporal(call, 0, SqlType::datetime2(7), false)?;
    let scale = match ty.kind {
        TypeKind::DateTimeOffset | TypeKind::DateTime2 => ty.scale,
        TypeKind::DateTime => 3,
        TypeKind::SmallDateTime => 0,
        _ => return Err(call.refuse(0)),
    };
    Ok(call.types(SqlType::datetimeoffset(scale), &[ty, call.name_argument(1)?]))
}

/// A local time gets the zone's offset; what has one is moved to it. Error 9820 for a zone that is
/// not known.
pub(super) fn at_time_zone<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text(args[1], types.args[1].collation);
    let zone = FIXED_ZONES.iter().find(|(zone, _)| zone.eq_ignore_ascii_case(name.trim_end()));
    let Some(&(_, offset)) = zone else {
        return Err(SqlError::new(&message::TIME_ZONE_PARAMETER_INVALID, &[&name]));
    };
    match args[0] {
        ValueRef::DateTimeOffset(value) => {
            Ok(ValueRef::DateTimeOffset(switch_offset(value, offset)?))
        }
        local => {
            debug_assert_eq!(Moment::of(local).offset, 0, "it has no offset of its own");
            to_datetimeoffset(local, offset, &types.result)
        }
    }
}

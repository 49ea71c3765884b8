//! Settings, languages and messages.

use base::datetime::zone::Offset;
use base::datetime::{Language, Zone};
use base::{SqlType, Value};
use engine::catalog::builtin::CONFIGURATIONS as KNOWN;

use super::super::FilledView;
use super::super::cells::*;

pub static CONFIGURATIONS: FilledView = FilledView {
    schema: "sys",
    name: "configurations",
    columns: &[
        column("configuration_id", INT, false),
        column("name", nvar(35), false),
        column("value", VARIANT, true),
        column("minimum", VARIANT, true),
        column("maximum", VARIANT, true),
        column("value_in_use", VARIANT, true),
        column("description", nvar(255), false),
        column("is_dynamic", BIT, false),
        column("is_advanced", BIT, false),
    ],
    fill: |cx| {
        let number = |value: i32| variant(SqlType::int(), Value::Int(value.into()));
        let master = cx.instance.databases().master().current();
        for own in KNOWN {
            let set = master.server().configuration(own.id);
            let (value, in_use) =
                set.map_or((own.default, own.default), |set| (set.value, set.in_use));
            cx.push([
                int(own.id),
                text(own.name),
                number(value),
                number(own.minimum),
                number(own.maximum),
                number(in_use),
                text(own.description),
                bit(own.dynamic),
                bit(own.advanced),
            ]);
        }
        Ok(())
    },
};

pub static SYSLANGUAGES: FilledView = FilledView {
    schema: "sys",
    name: "syslanguages",
    columns: &[
        column("langid", SMALL, false),
        column("dateformat", nfix(3), false),
        column("datefirst", TINY, false),
        column("upgrade", INT, true),
        column("name", SYSNAME, false),
        column("alias", SYSNAME, false),
        column("months", nvar(372), true),
        column("shortmonths", nvar(132), true),
        column("days", nvar(217), true),
        column("lcid", INT, false),
        column("msglangid", SMALL, false),
    ],
    fill: |cx| {
        for own in Language::all() {
            cx.push([
                int(own.id),
                text(own.order.name()),
                int(own.first_day),
                int(0),
                text(own.name),
                text(own.alias),
                text(&own.months.join(",")),
                text(&own.short_months.join(",")),
                text(&own.days.join(",")),
                int(own.lcid),
                int(own.message_language),
            ]);
        }
        Ok(())
    },
};

/// `us_english`
const ENGLISH: i32 = 1033;

pub static MESSAGES: FilledView = FilledView {
    schema: "sys",
    name: "messages",
    columns: &[
        column("message_id", INT, false),
        column("language_id", SMALL, false),
        column("severity", TINY, true),
        column("is_event_logged", BIT, false),
        column("text", nvar(2048), false),
    ],
    fill: |cx| {
        for own in base::message::ALL.iter() {
            cx.push([int(own.number), int(ENGLISH), int(own.severity), bit(false), text(own.text)]);
        }
        let master = cx.instance.databases().master().current();
        for own in master.server().messages() {
            cx.push([
                int(own.id),
                int(own.language),
                int(own.severity),
                bit(own.event_logged),
                text(&own.text),
            ]);
        }
        Ok(())
    },
};

/// The zones that `AT TIME ZONE` takes.
pub static TIME_ZONE_INFO: FilledView = FilledView {
    schema: "sys",
    name: "time_zone_info",
    columns: &[
        column("name", SYSNAME, false),
        column("current_utc_offset", nvar(6), false),
        column("is_currently_dst", BIT, false),
    ],
    fill: |cx| {
        let now = cx.instance.env().clock().utc_ticks() as i64;
        for zone in Zone::all() {
            let Offset { minutes, daylight } = zone.offset_at(now);
            let sign = if minutes < 0 { '-' } else { '+' };
            let east = minutes.unsigned_abs();
            let offset = format!("{sign}{:02}:{:02}", east / 60, east % 60);
            cx.push([text(zone.name), text(&offset), bit(daylight)]);
        }
        Ok(())
    },
};

//! Settings, languages and messages.

use base::datetime::Language;
use base::{SqlType, Value};
use engine::catalog::builtin::CONFIGURATIONS as KNOWN;

use super::super::FilledView;
use super::super::cells::*;

pub static CONFIGURATIONS: FilledView = FilledView {
    schema: "sys",
    name: "configurations",
    columns: &[
        ("configuration_id", INT, false),
        ("name", nvar(35), false),
        ("value", VARIANT, true),
        ("minimum", VARIANT, true),
        ("maximum", VARIANT, true),
        ("value_in_use", VARIANT, true),
        ("description", nvar(255), false),
        ("is_dynamic", BIT, false),
        ("is_advanced", BIT, false),
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
        ("langid", SMALL, false),
        ("dateformat", nfix(3), false),
        ("datefirst", TINY, false),
        ("upgrade", INT, true),
        ("name", SYSNAME, false),
        ("alias", SYSNAME, false),
        ("months", nvar(372), true),
        ("shortmonths", nvar(132), true),
        ("days", nvar(217), true),
        ("lcid", INT, false),
        ("msglangid", SMALL, false),
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
        ("message_id", INT, false),
        ("language_id", SMALL, false),
        ("severity", TINY, true),
        ("is_event_logged", BIT, false),
        ("text", nvar(2048), false),
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

/// The zones that `AT TIME ZONE` takes; none of them knows daylight saving time.
pub static TIME_ZONE_INFO: FilledView = FilledView {
    schema: "sys",
    name: "time_zone_info",
    columns: &[
        ("name", SYSNAME, false),
        ("current_utc_offset", nvar(6), false),
        ("is_currently_dst", BIT, false),
    ],
    fill: |cx| {
        for (name, minutes) in run::func::FIXED_ZONES {
            let sign = if *minutes < 0 { '-' } else { '+' };
            let east = minutes.unsigned_abs();
            let offset = format!("{sign}{:02}:{:02}", east / 60, east % 60);
            cx.push([text(name), text(&offset), bit(false)]);
        }
        Ok(())
    },
};

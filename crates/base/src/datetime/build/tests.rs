use super::*;
use crate::value::DateTime;

#[test]
fn parts_make_values_or_error_289() {
    let parts = Parts {
        year: 2010,
        month: 12,
        day: 31,
        hour: 23,
        minute: 59,
        second: 59,
        fraction: 0,
        ..Parts::default()
    };
    assert_eq!(
        from_parts(&parts, &SqlType::date()).unwrap(),
        ValueRef::Date(Civil { year: 2010, month: 12, day: 31 }.days())
    );
    let time = Parts { hour: 14, minute: 23, second: 44, fraction: 50, ..Parts::default() };
    assert_eq!(
        from_parts(&time, &SqlType::time(2)).unwrap(),
        ValueRef::Time(
            14 * TICKS_PER_HOUR + 23 * TICKS_PER_MINUTE + 44 * TICKS_PER_SECOND + 5_000_000
        )
    );
    let datetime = Parts { fraction: 997, ..Parts::default() };
    assert_eq!(
        from_parts(&datetime, &SqlType::datetime()).unwrap(),
        ValueRef::DateTime(DateTime { days: 0, ticks: 299 })
    );
    for bad in [
        Parts { month: 13, ..parts },
        Parts { day: -1, ..parts },
        Parts { hour: 24, ..parts },
        Parts { fraction: 10_000_000, ..parts },
        Parts { offset_hours: 15, ..parts },
        Parts { offset_hours: 14, offset_minutes: 1, ..parts },
        Parts { offset_hours: 1, offset_minutes: -1, ..parts },
    ] {
        let e = from_parts(&bad, &SqlType::datetimeoffset(7)).unwrap_err();
        assert_eq!(
            (e.number(), e.text()),
            (
                289,
                "Cannot construct data type datetimeoffset, some of the arguments have values which are not valid."
            )
        );
    }
}

#[test]
fn months_end_and_offsets_switch() {
    let day = |y, m, d| ValueRef::Date(Civil { year: y, month: m, day: d }.days());
    assert_eq!(end_of_month(day(2024, 1, 31), 1).unwrap(), day(2024, 2, 29));
    assert_eq!(end_of_month(day(2024, 1, 31), 0).unwrap(), day(2024, 1, 31));
    assert_eq!(end_of_month(day(9999, 12, 1), 1).unwrap_err().number(), 517);
    let v = DateTimeOffset { utc_ticks: TICKS_PER_HOUR, offset_minutes: 0 };
    assert_eq!(switch_offset(v, -30).unwrap().offset_minutes, -30);
    assert_eq!(switch_offset(v, -61).unwrap_err().number(), 9813);
    assert_eq!(offset_from_text("+05:30", "switchoffset").unwrap(), 330);
    let e = offset_from_text("5", "switchoffset").unwrap_err();
    assert_eq!(e.text(), "The timezone provided to builtin function switchoffset is invalid.");
    assert_eq!(offset_from_minutes(841, "switchoffset").unwrap_err().number(), 9812);
}

#[test]
fn isdate_says_what_converts_to_datetime() {
    let s = DateSettings::default();
    for (text, expected) in [
        ("2009-05-12 10:19:41.177", true),
        ("1752-12-31", false),
        ("2009-13-01", false),
        ("10:00", true),
        ("x", false),
    ] {
        assert_eq!(is_date(text, &s), expected, "{text}");
    }
}

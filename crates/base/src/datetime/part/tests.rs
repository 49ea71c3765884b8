use super::super::language::{DateOrder, Language};
use super::super::parse::{Dialect, parse};
use super::*;

fn value(text: &str, ty: &SqlType) -> ValueRef<'static> {
    let p = parse(text, Dialect::New, Some(DateOrder::Ymd), &DateSettings::default()).unwrap();
    Moment { days: p.days, ticks: p.ticks, offset: p.offset.unwrap_or(0) }.to(ty).unwrap()
}

fn us() -> DateSettings {
    DateSettings::default()
}

#[test]
fn parts_are_sql_servers() {
    let ty = SqlType::datetimeoffset(7);
    let v = value("2007-10-30 12:15:32.1234567 +05:10", &ty);
    for (part, expected) in [
        ("year", 2007),
        ("qq", 4),
        ("m", 10),
        ("dy", 303),
        ("day", 30),
        ("week", 44),
        ("weekday", 3),
        ("hh", 12),
        ("n", 15),
        ("ss", 32),
        ("ms", 123),
        ("mcs", 123_456),
        ("ns", 123_456_700),
        ("tz", 310),
        ("isowk", 44),
    ] {
        let part = DatePart::parse(part, "datepart").unwrap();
        assert_eq!(date_part(part, v, ty.kind, &us()).unwrap(), expected, "{part:?}");
    }
    let british = DateSettings::of(Language::by_name("british").unwrap());
    assert_eq!(date_part(Weekday, v, ty.kind, &british).unwrap(), 2);
    assert_eq!(date_name(Month, v, ty.kind, &us()).unwrap().as_str(), "October");
    assert_eq!(date_name(Weekday, v, ty.kind, &us()).unwrap().as_str(), "Tuesday");
    assert_eq!(date_name(TzOffset, v, ty.kind, &us()).unwrap().as_str(), "+05:10");
    assert_eq!(date_name(Day, v, ty.kind, &us()).unwrap().as_str(), "30");
}

#[test]
fn datetime_milliseconds_are_as_shown() {
    let ty = SqlType::datetime();
    let v = value("2020-01-01 00:00:00.997", &ty);
    assert_eq!(date_part(Millisecond, v, ty.kind, &us()).unwrap(), 997);
    let v = value("2020-01-01 00:00:00.003", &ty);
    assert_eq!(date_part(Millisecond, v, ty.kind, &us()).unwrap(), 3);
    assert_eq!(date_part(Microsecond, v, ty.kind, &us()).unwrap(), 3333);
}

#[test]
fn adding_clamps_months_and_overflows() {
    let dt2 = SqlType::datetime2(7);
    for (part, n, from, to) in [
        (Month, 1, "2006-08-31", "2006-09-30"),
        (Month, -1, "2024-03-31", "2024-02-29"),
        (Year, 1, "2024-02-29", "2025-02-28"),
        (Quarter, 2, "2024-01-15", "2024-07-15"),
        (Week, -1, "2024-01-03", "2023-12-27"),
        (Hour, 25, "2024-01-01 01:00:00", "2024-01-02 02:00:00"),
        (Nanosecond, 149, "2024-01-01", "2024-01-01 00:00:00.0000001"),
        (Nanosecond, 150, "2024-01-01", "2024-01-01 00:00:00.0000002"),
        (Nanosecond, -1, "2024-01-01", "2024-01-01"),
    ] {
        assert_eq!(
            date_add(part, n, value(from, &dt2), &dt2).unwrap(),
            value(to, &dt2),
            "{part:?} {n}"
        );
    }
    let date = SqlType::date();
    let e = date_add(Hour, 1, value("2024-01-01", &date), &date).unwrap_err();
    assert_eq!(
        (e.number(), e.text()),
        (9810, "The datepart hour is not supported by date function dateadd for data type date.")
    );
    let datetime = SqlType::datetime();
    let e = date_add(Year, -300, value("2024-01-01", &datetime), &datetime).unwrap_err();
    assert_eq!(
        (e.number(), e.text()),
        (517, "Adding a value to a 'datetime' column caused an overflow.")
    );
    for n in [i64::MAX, i64::MIN, i64::from(i32::MAX)] {
        assert_eq!(
            date_add(Year, n, value("2024-01-01", &datetime), &datetime).unwrap_err().number(),
            517
        );
    }
    assert_eq!(
        date_add(Day, i64::from(i32::MAX), value("2024-01-01", &datetime), &datetime)
            .unwrap_err()
            .number(),
        517
    );
    let time = SqlType::time(0);
    assert_eq!(
        date_add(Hour, 3, value("23:00:00", &time), &time).unwrap(),
        value("02:00:00", &time)
    );
    assert_eq!(
        date_add(Hour, -30, value("02:00:00", &time), &time).unwrap(),
        value("20:00:00", &time)
    );
    let e = date_add(IsoWeek, 1, value("2024-01-01", &datetime), &datetime).unwrap_err();
    assert_eq!(e.number(), 9806);
    // Each step rounds to a datetime again.
    let v = date_add(Millisecond, 1, value("2024-01-01", &datetime), &datetime).unwrap();
    assert_eq!(v, value("2024-01-01", &datetime));
}

#[test]
fn differences_count_boundaries() {
    let ty = SqlType::datetime2(7);
    let diff = |part, a, b| date_diff(part, (value(a, &ty), ty.kind), (value(b, &ty), ty.kind));
    let (a, b) = ("2005-12-31 23:59:59.9999999", "2006-01-01 00:00:00.0000000");
    for part in
        [Year, Quarter, Month, DayOfYear, Day, Week, Hour, Minute, Second, Millisecond, Microsecond]
    {
        assert_eq!(diff(part, a, b).unwrap(), 1, "{part:?}");
        assert_eq!(diff(part, b, a).unwrap(), -1, "{part:?}");
    }
    assert_eq!(diff(Week, "2024-01-06", "2024-01-07").unwrap(), 1);
    assert_eq!(diff(Week, "2024-01-07", "2024-01-13").unwrap(), 0);
    let e = diff(Second, "1900-01-01", "2024-01-01").unwrap_err();
    assert_eq!(e.number(), 535);
    assert_eq!(
        e.text(),
        "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is too large. Try to use datediff with a less precise datepart."
    );
    let (a, b) = (value("1900-01-01", &ty), value("2024-01-01", &ty));
    assert_eq!(date_diff_big(Second, (a, ty.kind), (b, ty.kind)).unwrap(), 3_913_056_000);
    let datetime = SqlType::datetime();
    let ms = |t| (value(t, &datetime), datetime.kind);
    assert_eq!(date_diff(Millisecond, ms("00:00:00"), ms("00:00:00.007")).unwrap(), 7);
}

#[test]
fn truncation_finds_the_parts_beginning() {
    let ty = SqlType::datetime2(7);
    let v = value("2021-12-08 11:30:15.1234567", &ty);
    for (part, expected) in [
        (Year, "2021-01-01"),
        (Quarter, "2021-10-01"),
        (Month, "2021-12-01"),
        (Week, "2021-12-05"),
        (IsoWeek, "2021-12-06"),
        (DayOfYear, "2021-12-08"),
        (Day, "2021-12-08"),
        (Hour, "2021-12-08 11:00:00"),
        (Minute, "2021-12-08 11:30:00"),
        (Second, "2021-12-08 11:30:15"),
        (Millisecond, "2021-12-08 11:30:15.1230000"),
        (Microsecond, "2021-12-08 11:30:15.1234560"),
    ] {
        assert_eq!(date_trunc(part, v, &ty, &us()).unwrap(), value(expected, &ty), "{part:?}");
    }
}

#[test]
fn unknown_parts_are_refused() {
    let e = DatePart::parse("fortnight", "dateadd").unwrap_err();
    assert_eq!((e.number(), e.text()), (155, "'fortnight' is not a recognized dateadd option."));
}

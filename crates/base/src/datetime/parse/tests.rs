use super::super::civil::TICKS_PER_DAY;
use super::super::language::Language;
use super::*;

fn settings(order: DateOrder) -> DateSettings {
    DateSettings { order, ..DateSettings::default() }
}

fn read(text: &str, dialect: Dialect, order: DateOrder) -> Result<String, ParseError> {
    let p = parse(text, dialect, None, &settings(order))?;
    let c = Civil::from_days(p.days);
    let t = p.ticks / 10_000;
    let mut out = format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}",
        c.year,
        c.month,
        c.day,
        t / 3_600_000,
        t / 60_000 % 60,
        t / 1000 % 60,
        t % 1000
    );
    if let Some(offset) = p.offset {
        out.push_str(&format!(" {offset:+}"));
    }
    Ok(out)
}

#[test]
fn all_documented_forms_are_read() {
    use DateOrder::*;
    for (text, order, expected) in [
        ("", Mdy, "1900-01-01 00:00:00.000"),
        ("4/15/1996", Mdy, "1996-04-15 00:00:00.000"),
        ("4-15-96", Mdy, "1996-04-15 00:00:00.000"),
        ("04.15.49", Mdy, "2049-04-15 00:00:00.000"),
        ("04.15.50", Mdy, "1950-04-15 00:00:00.000"),
        ("15/04/1996", Dmy, "1996-04-15 00:00:00.000"),
        ("1996/04/15", Mdy, "1996-04-15 00:00:00.000"),
        ("96/04/15", Ymd, "1996-04-15 00:00:00.000"),
        ("96/15/04", Ydm, "1996-04-15 00:00:00.000"),
        ("04/96/15", Myd, "1996-04-15 00:00:00.000"),
        ("15/96/04", Dym, "1996-04-15 00:00:00.000"),
        ("04/1996/15", Mdy, "1996-04-15 00:00:00.000"),
        ("Apr 15, 1996", Mdy, "1996-04-15 00:00:00.000"),
        ("April 15 96", Mdy, "1996-04-15 00:00:00.000"),
        ("15 Apr 1996", Mdy, "1996-04-15 00:00:00.000"),
        ("15-Apr-1996", Mdy, "1996-04-15 00:00:00.000"),
        ("15 96 apr", Mdy, "1996-04-15 00:00:00.000"),
        ("1996 APR 15", Mdy, "1996-04-15 00:00:00.000"),
        ("1996 15 APR", Mdy, "1996-04-15 00:00:00.000"),
        ("Apr 1996", Mdy, "1996-04-01 00:00:00.000"),
        ("1996 apr", Mdy, "1996-04-01 00:00:00.000"),
        ("19960415", Dmy, "1996-04-15 00:00:00.000"),
        ("960415", Dmy, "1996-04-15 00:00:00.000"),
        ("1996", Dmy, "1996-01-01 00:00:00.000"),
        ("1996-04-15T14:30:20.123", Mdy, "1996-04-15 14:30:20.123"),
        ("1996-04-15 14:30:20:123", Mdy, "1996-04-15 14:30:20.123"),
        ("1996-04-15 14:30:20.1", Mdy, "1996-04-15 14:30:20.100"),
        ("1996-04-15 14:30:20:1", Mdy, "1996-04-15 14:30:20.001"),
        ("19960415 2:30PM", Mdy, "1996-04-15 14:30:00.000"),
        ("19960415 4 am", Mdy, "1996-04-15 04:00:00.000"),
        ("12:30AM", Mdy, "1900-01-01 00:30:00.000"),
        ("12:30 pm", Mdy, "1900-01-01 12:30:00.000"),
        ("14:30 4/15/1996", Mdy, "1996-04-15 14:30:00.000"),
        ("Jan  1 2020  1:30PM", Mdy, "2020-01-01 13:30:00.000"),
        ("{ts '1996-04-15 14:30:20'}", Mdy, "1996-04-15 14:30:20.000"),
        ("{d '1996-04-15'}", Mdy, "1996-04-15 00:00:00.000"),
        ("{t '14:30:20'}", Mdy, "1900-01-01 14:30:20.000"),
    ] {
        assert_eq!(read(text, Dialect::Old, order).as_deref(), Ok(expected), "{text}");
        assert_eq!(read(text, Dialect::New, order).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn the_dialects_differ() {
    use DateOrder::*;
    assert_eq!(read("1996-04-05", Dialect::Old, Dmy).as_deref(), Ok("1996-05-04 00:00:00.000"));
    assert_eq!(read("1996-04-05", Dialect::New, Dmy).as_deref(), Ok("1996-04-05 00:00:00.000"));
    for order in [Mdy, Dmy, Ydm] {
        for text in [
            "1996-04-15T14:30:20.123",
            "{ts '1996-04-15 14:30:20.123'}",
            "{ TS'1996-04-15 14:30:20:123' }",
        ] {
            let expected = Ok("1996-04-15 14:30:20.123");
            assert_eq!(read(text, Dialect::Old, order).as_deref(), expected, "{text}");
            assert_eq!(read(text, Dialect::New, order).as_deref(), expected, "{text}");
        }
        let day = Ok("1996-04-05 00:00:00.000");
        assert_eq!(read("{d '1996-04-05'}", Dialect::Old, order).as_deref(), day);
    }
    for (text, ticks) in [
        ("10:00:00.123456749", 1_234_567),
        ("10:00:00.12345675", 1_234_568),
        ("10:00:00.123456700", 1_234_567),
        ("10:00:00.999999999", 10_000_000),
    ] {
        let p = parse(text, Dialect::New, None, &settings(Mdy)).unwrap();
        assert_eq!(p.ticks, 10 * TICKS_PER_HOUR + ticks, "{text}");
    }
    let fraction = "1996-04-05 10:00:00.1234567";
    assert_eq!(read(fraction, Dialect::Old, Mdy), Err(ParseError::Syntax));
    assert!(read(fraction, Dialect::New, Mdy).is_ok());
    let offset = "2007-05-08 12:35:29. 1234567 +12:15";
    assert_eq!(read(offset, Dialect::Old, Mdy), Err(ParseError::Syntax));
    assert_eq!(read(offset, Dialect::New, Mdy).as_deref(), Ok("2007-05-08 12:35:29.123 +735"));
    assert_eq!(
        read("2007-05-08T12:35:29Z", Dialect::Old, Mdy).as_deref(),
        Ok("2007-05-08 12:35:29.000 +0")
    );
}

#[test]
fn nonsense_is_refused() {
    use DateOrder::Mdy;
    for (text, expected) in [
        ("abc", ParseError::Syntax),
        ("13/13/2000", ParseError::Range),
        ("2023-02-29", ParseError::Range),
        ("25:00", ParseError::Range),
        ("10:60", ParseError::Range),
        ("0000-01-01", ParseError::Range),
        ("1/2", ParseError::Syntax),
        ("1/2/3/4", ParseError::Syntax),
        ("1/2-2000", ParseError::Syntax),
        ("Apr 15", ParseError::Syntax),
        ("Foo 15 2000", ParseError::Syntax),
        ("123", ParseError::Syntax),
        ("2000-01-01 2000-01-01", ParseError::Syntax),
        ("10:00 11:00", ParseError::Syntax),
        ("{ts 'x'}", ParseError::Syntax),
        ("é", ParseError::Syntax),
        ("10:00:00.1234567890", ParseError::Syntax),
    ] {
        assert_eq!(read(text, Dialect::New, Mdy), Err(expected), "{text}");
    }
    assert_eq!(parse_offset("+14:01"), Err(ParseError::Range));
    assert_eq!(parse_offset("14:00"), Err(ParseError::Syntax));
    assert_eq!(parse_offset("-14:00"), Ok(-840));
}

#[test]
fn styles_and_languages_override() {
    let us = DateSettings::default();
    let p = parse("01/02/2000", Dialect::New, Some(DateOrder::Dmy), &us).unwrap();
    assert_eq!(Civil::from_days(p.days), Civil::new(2000, 2, 1).unwrap());
    let german = DateSettings::of(Language::by_name("german").unwrap());
    let p = parse("1. März 2000 13:00", Dialect::New, None, &german).unwrap();
    assert_eq!(Civil::from_days(p.days), Civil::new(2000, 3, 1).unwrap());
    assert_eq!(p.ticks, TICKS_PER_DAY / 24 * 13);
}

#[test]
fn dates_of_xml_have_time_zones() {
    for (text, expected) in [
        ("2022-01-02Z", "2022-01-02 00:00:00.000 +0"),
        ("2022-01-02+02:00", "2022-01-02 00:00:00.000 +120"),
        ("2022-01-02-05:30", "2022-01-02 00:00:00.000 -330"),
    ] {
        assert_eq!(read(text, Dialect::New, DateOrder::Dmy).as_deref(), Ok(expected), "{text}");
        assert_eq!(read(text, Dialect::Old, DateOrder::Mdy), Err(ParseError::Syntax), "{text}");
    }
    for text in [
        "2022-01-02Z 10:00",
        "2022-01-02+02:00 10:00",
        "2022/01/02Z",
        "2022-01-02-05",
        "01-02-2022Z",
    ] {
        assert_eq!(read(text, Dialect::New, DateOrder::Mdy), Err(ParseError::Syntax), "{text}");
    }
}

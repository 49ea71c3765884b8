use base::datetime::civil::{Civil, DAY_MAX};

use super::*;

/// The name in a line.
fn name_in(line: &Line) -> &'static str {
    line.text.trim_start().split('|').next().unwrap()
}

/// The name of a culture.
fn name_of(culture: &Culture) -> &'static str {
    let is_it = |line: &&Line| line.culture.get().is_some_and(|own| std::ptr::eq(own, culture));
    TABLE_LINES.lines.iter().find(is_it).map(name_in).unwrap()
}

#[test]
fn every_line_of_the_table_is_read() {
    let table = &*TABLE_LINES;
    assert_eq!(table.lines.len(), 622);
    for (at, line) in table.lines.iter().enumerate() {
        let (culture, name) = (table.culture(at), name_in(line));
        assert!(std::ptr::eq(Culture::by_name(name).unwrap(), culture), "{name}");
        assert!(!culture.currency_sign().is_empty(), "{name}");
        for pattern in [culture.currency.0, culture.currency.1, culture.percent] {
            assert_eq!(pattern.matches('#').count(), 1, "{name}");
        }
    }
}

#[test]
fn a_language_alone_means_its_first_culture() {
    for (name, found) in [
        ("de", "de-DE"),
        ("EN", "en-US"),
        ("pt", "pt-BR"),
        ("zh", "zh-CN"),
        ("zh-hant", "zh-TW"),
        ("sr", "sr-Latn-RS"),
        ("no", "nb-NO"),
        ("fa", "fa-IR"),
    ] {
        assert_eq!(name_of(Culture::by_name(name).unwrap()), found);
    }
    assert_eq!(Culture::by_name("PT-br").unwrap().currency_sign(), "R$");
    assert_eq!(Culture::by_name("nn-NO").unwrap().currency_sign(), "kr");
    assert!(Culture::by_name("xx-YY").is_none());
    assert!(Culture::by_name("en-").is_none());
}

#[test]
fn every_language_has_a_culture() {
    for language in Language::all() {
        assert_eq!(name_of(Culture::of(language)), language.culture);
    }
}

#[test]
fn separators_are_those_of_the_formats() {
    for (name, date, time) in [
        ("en-US", '/', ':'),
        ("de-DE", '.', ':'),
        ("fi-FI", '.', '.'),
        ("sv-SE", '-', ':'),
        ("hu-HU", '.', ':'),
        ("fr-CA", '-', ':'),
        ("id-ID", '/', '.'),
    ] {
        let culture = Culture::by_name(name).unwrap();
        assert_eq!((culture.date_separator, culture.time_separator), (date, time), "{name}");
    }
}

#[test]
fn groups_have_the_sizes_of_the_culture() {
    let follows = |name: &str| -> Vec<i32> {
        let grouping = Culture::by_name(name).unwrap().grouping;
        (0..10).filter(|power| grouping.follows(*power)).collect()
    };
    assert_eq!(follows("en-US"), [3, 6, 9]);
    assert_eq!(follows("hi-IN"), [3, 5, 7, 9]);
}

#[test]
fn calendars_count_every_day_once() {
    for calendar in [Calendar::Gregorian, Calendar::Buddhist, Calendar::UmAlQura, Calendar::Persian]
    {
        let mut before = None;
        for days in (0..=DAY_MAX).filter(|days| days % 31 < 2 || (693_000..760_000).contains(days))
        {
            let Some(civil) = calendar.of_days(days) else { continue };
            assert_eq!(calendar.to_days(civil.year, civil.month, civil.day), Some(days));
            assert!(before < Some(civil), "{calendar:?} {civil:?}");
            before = Some(civil);
        }
        assert_eq!(calendar.to_days(1400, 13, 1), None);
        assert_eq!(calendar.to_days(1400, 1, 32), None);
        assert_eq!(calendar.to_days(1400, 0, 1), None);
    }
}

#[test]
fn known_days_of_calendars_are_met() {
    let day = |year, month, day| Civil { year, month, day }.days();
    for (calendar, days, found) in [
        (Calendar::Buddhist, day(2024, 2, 29), Some((2567, 2, 29))),
        (Calendar::UmAlQura, day(1900, 4, 30), Some((1318, 1, 1))),
        (Calendar::UmAlQura, day(2024, 7, 7), Some((1446, 1, 1))),
        (Calendar::UmAlQura, day(2077, 11, 16), Some((1500, 12, 30))),
        (Calendar::UmAlQura, day(1900, 4, 29), None),
        (Calendar::UmAlQura, day(2077, 11, 17), None),
        (Calendar::Persian, day(2024, 3, 20), Some((1403, 1, 1))),
        (Calendar::Persian, day(2025, 3, 20), Some((1403, 12, 30))),
        (Calendar::Persian, day(2030, 5, 25), Some((1409, 3, 4))),
        (Calendar::Persian, day(622, 3, 21), Some((1, 1, 1))),
        (Calendar::Persian, day(622, 3, 20), None),
    ] {
        let own = calendar.of_days(days).map(|c| (c.year, c.month, c.day));
        assert_eq!(own, found, "{calendar:?} {days}");
    }
}

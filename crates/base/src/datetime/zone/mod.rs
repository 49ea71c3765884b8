//! Time zones by their Windows names: their offsets from UTC at any time.
//!
//! The names are Windows' (`zones.txt`), the offsets those of IANA's time zone database, which the
//! program carries with it. Windows begins with yearly rules about 2005 and applies the first one
//! to all years before; so does this: up to the end of [`rules::RULE_YEAR`] the offsets follow that
//! year's rule, and its standard time where it has none. Local mean times, war times and the like
//! are therefore not there, and 1900-01-01 has an offset that `datetimeoffset` can hold.
//!
//! A zone reads its rules when it is first asked. What is asked then is a binary search over the
//! changes of two centuries, or the rule of a year for other times.

mod read;
mod rules;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use self::rules::Rules;
use super::civil::{TICKS_PER_MINUTE, TICKS_PER_SECOND};

/// One line for each zone; its head says how to read it.
const TABLE: &str = include_str!("zones.txt");

static ZONES: LazyLock<Vec<Zone>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).map(of_line).collect());

/// The zones in the order of their names, whatever the case.
static BY_NAME: LazyLock<Vec<&'static Zone>> = LazyLock::new(|| {
    let mut zones: Vec<_> = ZONES.iter().collect();
    zones.sort_by(|a, b| compare(a.name, b.name));
    zones
});

/// IANA's names and the zones that they mean.
static BY_IANA_NAME: LazyLock<HashMap<&'static str, &'static Zone>> = LazyLock::new(|| {
    ZONES.iter().flat_map(|zone| zone.source.split(' ').map(move |name| (name, zone))).collect()
});

/// A time zone.
#[derive(Debug)]
pub struct Zone {
    /// Its name, like `W. Europe Standard Time`.
    pub name: &'static str,
    /// How Windows shows it: `(UTC+01:00) Amsterdam, Berlin, …`.
    pub title: &'static str,
    /// IANA's names of the zones that keep its time, or a rule in POSIX's form.
    source: &'static str,
    rules: OnceLock<Rules>,
}

/// An offset from UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offset {
    /// Minutes east of Greenwich.
    pub minutes: i16,
    /// Whether it is daylight saving time.
    pub daylight: bool,
}

/// What a local time is in a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instant {
    /// Units of 100 ns since 0001-01-01, UTC.
    pub utc_ticks: i64,
    /// The offset in force then.
    pub minutes: i16,
}

fn of_line(line: &'static str) -> Zone {
    let fields: Vec<&'static str> = line.split('|').collect();
    let [name, title, source] = fields[..] else { panic!("a zone has three fields: {line}") };
    Zone { name, title, source, rules: OnceLock::new() }
}

/// The order of names, whatever their case.
fn compare(a: &str, b: &str) -> Ordering {
    let folded = |b: u8| b.to_ascii_lowercase();
    a.bytes().map(folded).cmp(b.bytes().map(folded))
}

impl Zone {
    /// All zones, in the order of their offsets.
    pub fn all() -> &'static [Zone] {
        &ZONES
    }

    /// The zone of this name, in any case.
    pub fn by_name(name: &str) -> Option<&'static Zone> {
        let at = BY_NAME.binary_search_by(|zone| compare(zone.name, name)).ok()?;
        Some(BY_NAME[at])
    }

    /// The zone that CLDR pairs with a name of IANA's, like `Europe/Paris`.
    pub fn by_iana_name(name: &str) -> Option<&'static Zone> {
        BY_IANA_NAME.get(name).copied()
    }

    fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| {
            let first = self.source.split(' ').next().unwrap_or_default();
            read::rules(first).expect("the zones of the table are in the database")
        })
    }

    /// The offset at a moment in UTC, in units of 100 ns since 0001-01-01.
    pub fn offset_at(&self, utc_ticks: i64) -> Offset {
        self.rules().at(utc_ticks.div_euclid(TICKS_PER_SECOND))
    }

    /// What a local time is, in units of 100 ns since 0001-01-01. Where clocks are set ahead, times
    /// that are skipped move ahead as the clocks do; where they are set back, times that come twice
    /// are those before the change.
    pub fn instant_of(&self, local_ticks: i64) -> Instant {
        let (before, after) = self.rules().of_local(local_ticks.div_euclid(TICKS_PER_SECOND));
        let utc_ticks = local_ticks - i64::from(before.minutes) * TICKS_PER_MINUTE;
        Instant { utc_ticks, minutes: after.minutes }
    }
}

#[cfg(test)]
mod tests;

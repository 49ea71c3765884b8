//! When a zone's offset changes: a list of changes, and yearly rules before and after it.

use super::Offset;
use crate::datetime::civil::{Civil, days_in_month, weekday};

/// The last year that follows its own rule together with all years before.
pub(super) const RULE_YEAR: i32 = 2005;
/// The first year whose changes are listed.
const LISTED_FROM: i32 = 1900;
/// The last year whose changes are listed.
const LISTED_TO: i32 = 2100;
/// Seconds in a day. No two changes are nearer to each other, and no offset is larger.
const DAY: i64 = 86_400;

/// A change of the offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// Seconds since 0001-01-01, UTC.
    pub at: i64,
    /// The offset from then on.
    pub offset: Offset,
}

/// A day of each year and a local time on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct YearDay {
    /// 1 to 12.
    pub month: u32,
    /// 1 to 4: which of the month's days of that name; 5: the last one.
    pub week: u32,
    /// 1 is Monday, 7 Sunday.
    pub weekday: u32,
    /// Seconds since midnight; may lie on other days.
    pub seconds: i64,
}

impl YearDay {
    /// The local time in a year, in seconds since 0001-01-01.
    fn in_year(self, year: i32) -> i64 {
        let first = Civil { year, month: self.month, day: 1 }.days();
        let mut days = first + (self.weekday + 7 - weekday(first)) as i32 % 7;
        days += 7 * (self.week as i32 - 1);
        if days >= first + days_in_month(year, self.month) as i32 {
            days -= 7;
        }
        i64::from(days) * DAY + self.seconds
    }

    /// The rule that a local time in seconds since 0001-01-01 follows.
    fn of(local: i64) -> YearDay {
        let days = local.div_euclid(DAY) as i32;
        let civil = Civil::from_days(days);
        let is_last = civil.day + 7 > days_in_month(civil.year, civil.month);
        let week = if is_last { 5 } else { (civil.day - 1) / 7 + 1 };
        let seconds = local.rem_euclid(DAY);
        YearDay { month: civil.month, week, weekday: weekday(days), seconds }
    }
}

/// What happens every year.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Yearly {
    /// The offset stays.
    Fixed(Offset),
    /// Daylight saving time.
    Saving {
        /// The offset outside of it, and in it.
        offsets: [Offset; 2],
        /// When it begins, in standard time.
        begins: YearDay,
        /// When it ends, in daylight saving time.
        ends: YearDay,
    },
}

fn seconds(offset: Offset) -> i64 {
    i64::from(offset.minutes) * 60
}

impl Yearly {
    /// The changes of a year in their order.
    fn changes(&self, year: i32) -> impl Iterator<Item = Change> {
        let mut both = [None; 2];
        if let Yearly::Saving { offsets: [standard, saving], begins, ends } = *self {
            let begin = Change { at: begins.in_year(year) - seconds(standard), offset: saving };
            let end = Change { at: ends.in_year(year) - seconds(saving), offset: standard };
            both = [Some(begin), Some(end)];
            if begin.at > end.at {
                both.swap(0, 1);
            }
        }
        both.into_iter().flatten()
    }

    /// The offset before the first change of a year.
    fn before_changes(&self) -> Offset {
        match *self {
            Yearly::Fixed(offset) => offset,
            Yearly::Saving { offsets: [standard, saving], begins, ends } => {
                if begins.month < ends.month { standard } else { saving }
            }
        }
    }

    /// The changes of the years around a moment, and the offset before them.
    fn around(&self, moment: i64) -> (Offset, Vec<Change>) {
        let year = Civil::from_days(moment.div_euclid(DAY) as i32).year;
        (self.before_changes(), (year - 1..=year + 1).flat_map(|y| self.changes(y)).collect())
    }
}

/// The rules of a zone.
#[derive(Debug)]
pub(super) struct Rules {
    early: Yearly,
    late: Yearly,
    /// The offset before the first of the changes.
    first: Offset,
    /// The changes of the listed years.
    changes: Vec<Change>,
    /// Where they begin and end.
    listed: std::ops::Range<i64>,
}

fn year_begins(year: i32) -> i64 {
    i64::from(Civil { year, month: 1, day: 1 }.days()) * DAY
}

impl Rules {
    /// From the offset at first, all changes in their order, and the rule after the last one.
    pub fn new(first: Offset, history: Vec<Change>, late: Yearly) -> Rules {
        let mut known = history;
        let last = known.last().map_or(i64::MIN, |change| change.at);
        let from = known.last().map_or(LISTED_FROM, |c| {
            Civil::from_days(c.at.div_euclid(DAY) as i32).year.clamp(LISTED_FROM, LISTED_TO)
        });
        known.extend((from..=LISTED_TO).flat_map(|y| late.changes(y)).filter(|c| c.at > last));
        let early = early_rule(first, &known);
        let split = year_begins(RULE_YEAR + 1);
        let mut changes: Vec<Change> =
            (LISTED_FROM..=RULE_YEAR).flat_map(|year| early.changes(year)).collect();
        changes.extend(at_split(early, first, &known, split));
        changes.extend(known.into_iter().filter(|change| change.at >= split));
        Rules {
            early,
            late,
            first: early.before_changes(),
            changes,
            listed: year_begins(LISTED_FROM)..year_begins(LISTED_TO),
        }
    }

    /// The offset at a moment in seconds since 0001-01-01, UTC.
    pub fn at(&self, utc: i64) -> Offset {
        self.with_changes(utc, |first, changes| {
            match changes.partition_point(|change| change.at <= utc) {
                0 => first,
                after => changes[after - 1].offset,
            }
        })
    }

    /// The offsets of a local time in seconds since 0001-01-01: the one to count it by, and the one
    /// in force then. They differ where clocks skip it.
    pub fn of_local(&self, local: i64) -> (Offset, Offset) {
        self.with_changes(local, |first, changes| {
            let near = changes.partition_point(|change| change.at + DAY <= local);
            let mut offset = if near == 0 { first } else { changes[near - 1].offset };
            for change in changes[near..].iter().take_while(|change| change.at - DAY <= local) {
                // Clocks show the first of these when they are set to the second.
                let (old, new) = (change.at + seconds(offset), change.at + seconds(change.offset));
                if local < old {
                    return (offset, offset);
                }
                if local < new {
                    return (offset, change.offset);
                }
                offset = change.offset;
            }
            (offset, offset)
        })
    }

    /// Calls a function with the changes about a moment and the offset before them.
    fn with_changes<R>(&self, moment: i64, ask: impl FnOnce(Offset, &[Change]) -> R) -> R {
        if self.listed.contains(&moment) {
            return ask(self.first, &self.changes);
        }
        let yearly = if moment < self.listed.start { &self.early } else { &self.late };
        let (first, changes) = yearly.around(moment);
        ask(first, &changes)
    }
}

/// The rule of [`RULE_YEAR`]: daylight saving time if that year begins and ends it once, between
/// two periods of the same standard time; otherwise the year's last standard time.
fn early_rule(first: Offset, known: &[Change]) -> Yearly {
    let (begin, end) = (year_begins(RULE_YEAR), year_begins(RULE_YEAR + 1));
    let mut offset = first;
    let mut standard = first;
    let mut moves = Vec::new();
    for change in known.iter().take_while(|change| change.at < end) {
        if change.at >= begin && change.offset.minutes != offset.minutes {
            moves.push((*change, offset));
        }
        offset = change.offset;
        if !offset.daylight {
            standard = offset;
        }
    }
    let day = |(change, before): (Change, Offset)| YearDay::of(change.at + seconds(before));
    match moves[..] {
        [a, b] if a.0.offset.daylight && b.0.offset == a.1 && !a.1.daylight => {
            Yearly::Saving { offsets: [a.1, a.0.offset], begins: day(a), ends: day(b) }
        }
        [a, b] if b.0.offset.daylight && b.0.offset == a.1 && !a.0.offset.daylight => {
            Yearly::Saving { offsets: [a.0.offset, a.1], begins: day(b), ends: day(a) }
        }
        _ => Yearly::Fixed(standard),
    }
}

/// The change from the early rule to what is known, if the two disagree when they meet.
fn at_split(early: Yearly, first: Offset, known: &[Change], split: i64) -> Option<Change> {
    let reached = known.iter().take_while(|c| c.at < split).last().map_or(first, |c| c.offset);
    let ruled = early.changes(RULE_YEAR).last().map_or(early.before_changes(), |c| c.offset);
    (reached != ruled).then_some(Change { at: split, offset: reached })
}

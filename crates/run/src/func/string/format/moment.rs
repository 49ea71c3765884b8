//! Dates and times by standard (`D`) and custom (`yyyy-MM-dd`) formats.

use base::datetime::Moment;
use base::datetime::civil::{TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, weekday};
use base::{TypeKind, ValueRef};

use super::super::culture::Culture;
use super::ServerZone;

/// A date and time by a format; `None` for a format that does not exist, or a date that the
/// culture's calendar does not reach.
pub(super) fn format(
    value: ValueRef<'_>,
    kind: TypeKind,
    pattern: &str,
    culture: &Culture,
    server: &ServerZone<'_>,
) -> Option<String> {
    let moment = Moment::of(value);
    let has_offset = kind == TypeKind::DateTimeOffset;
    let shown = Shown { moment, has_offset, culture, server, has_day: false };
    let mut letters = pattern.chars();
    match (letters.next(), letters.next()) {
        (None, _) => shown.custom(&standard('G', culture, shown.has_offset)?),
        (Some(letter), None) => {
            let custom = standard(letter, culture, shown.has_offset)?;
            let culture = if fixed_culture(letter) { Culture::invariant() } else { culture };
            // These show the time in UTC.
            let moment = match letter {
                'u' | 'r' | 'R' if has_offset => Moment::from_total(moment.utc_total(), 0),
                'U' => Moment::from_total(server.with_offset(moment).utc_total(), 0),
                _ => moment,
            };
            Shown { moment, culture, ..shown }.custom(&custom)
        }
        _ => shown.custom(pattern),
    }
}

/// Whether a format has `d` or `dd` outside quotes.
fn shows_day(pattern: &str) -> bool {
    pattern.split('\'').step_by(2).any(|part| {
        let mut runs = part.split(|c| c != 'd').map(str::len);
        runs.any(|length| matches!(length, 1 | 2))
    })
}

/// Formats that look the same in every culture.
fn fixed_culture(letter: char) -> bool {
    matches!(letter, 'o' | 'O' | 'r' | 'R' | 's' | 'u')
}

/// The custom format that a letter stands for.
fn standard(letter: char, culture: &Culture, has_offset: bool) -> Option<String> {
    let ((short_date, long_date), (short_time, long_time)) = (culture.dates, culture.times);
    Some(match letter {
        'd' => short_date.into(),
        'D' => long_date.into(),
        'f' => format!("{long_date} {short_time}"),
        'U' if has_offset => return None,
        'F' | 'U' => format!("{long_date} {long_time}"),
        'g' => format!("{short_date} {short_time}"),
        'G' if has_offset => format!("{short_date} {long_time} zzz"),
        'G' => format!("{short_date} {long_time}"),
        'M' | 'm' => culture.parts.0.into(),
        'Y' | 'y' => culture.parts.1.into(),
        'o' | 'O' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK".into(),
        'r' | 'R' => "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'".into(),
        's' => "yyyy'-'MM'-'dd'T'HH':'mm':'ss".into(),
        'u' => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'".into(),
        't' => short_time.into(),
        'T' => long_time.into(),
        _ => return None,
    })
}

/// A moment and how it is to be shown.
struct Shown<'c> {
    moment: Moment,
    has_offset: bool,
    culture: &'c Culture,
    server: &'c ServerZone<'c>,
    /// The format has the day of the month: months beside it may have another name.
    has_day: bool,
}

impl Shown<'_> {
    fn custom(&self, pattern: &str) -> Option<String> {
        let has_day = shows_day(pattern);
        Shown { has_day, ..*self }.fields(pattern)
    }

    fn fields(&self, pattern: &str) -> Option<String> {
        let mut out = String::new();
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push(chars.next()?),
                '\'' | '"' => quoted(c, &mut chars, &mut out)?,
                '%' if chars.peek().is_none_or(|next| *next == '%') => return None,
                '%' => {}
                '/' => out.push(self.culture.date_separator),
                ':' => out.push(self.culture.time_separator),
                _ if "dfFghHKmMstyz".contains(c) => {
                    let mut count = 1;
                    while chars.next_if_eq(&c).is_some() {
                        count += 1;
                    }
                    self.field(c, count, &mut out)?;
                }
                _ => out.push(c),
            }
        }
        Some(out)
    }

    /// A letter that comes this many times.
    fn field(&self, letter: char, count: usize, out: &mut String) -> Option<()> {
        let day = self.culture.calendar.of_days(self.moment.days)?;
        let ticks = self.moment.ticks;
        let hour = ticks / TICKS_PER_HOUR;
        let padded = |out: &mut String, number: i64| out.push_str(&format!("{number:0>count$}"));
        let two = |out: &mut String, number: i64| {
            let width = count.min(2);
            out.push_str(&format!("{number:0>width$}"));
        };
        match (letter, count) {
            ('d', 1 | 2) => two(out, day.day.into()),
            ('d', count) => {
                let day = weekday(self.moment.days) as usize - 1;
                out.push_str(match count {
                    3 => self.culture.short_day(day),
                    _ => self.culture.day(day),
                });
            }
            ('M', 1 | 2) => two(out, day.month.into()),
            ('M', 3) => out.push_str(self.culture.short_month(day.month, self.has_day)),
            ('M', _) => out.push_str(self.culture.month(day.month, self.has_day)),
            ('y', 1 | 2) => two(out, (day.year % 100).into()),
            ('y', _) => padded(out, day.year.into()),
            ('h', _) => two(out, (hour + 11) % 12 + 1),
            ('H', _) => two(out, hour),
            ('m', _) => two(out, ticks / TICKS_PER_MINUTE % 60),
            ('s', _) => two(out, ticks / TICKS_PER_SECOND % 60),
            ('f' | 'F', 1..=7) => fraction(ticks, letter, count, out),
            ('t', _) => {
                let (before, after) = self.culture.halves;
                let half = if hour < 12 { before } else { after };
                out.extend(half.chars().take(if count == 1 { 1 } else { usize::MAX }));
            }
            ('z', _) => self.offset(count, out),
            ('K', _) if self.has_offset => self.offset(3, out),
            ('K', _) => {}
            ('g', _) => out.push_str(self.culture.era),
            _ => return None,
        }
        Some(())
    }

    /// Hours of the offset, or hours and minutes.
    fn offset(&self, count: usize, out: &mut String) {
        let moment = self.moment;
        let moment = if self.has_offset { moment } else { self.server.with_offset(moment) };
        let minutes = moment.offset;
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, rest) = (minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60);
        out.push_str(&match count {
            1 => format!("{sign}{hours}"),
            2 => format!("{sign}{hours:02}"),
            _ => format!("{sign}{hours:02}:{rest:02}"),
        });
    }
}

/// Digits of a second; `F` drops zeros at the end, and the point before it if nothing is left.
fn fraction(ticks: i64, letter: char, count: usize, out: &mut String) {
    let digits = format!("{:07}", ticks % TICKS_PER_SECOND);
    let digits = &digits[..count];
    let digits = if letter == 'F' { digits.trim_end_matches('0') } else { digits };
    if digits.is_empty() && out.ends_with('.') {
        out.pop();
    }
    out.push_str(digits);
}

/// Copies what stands in quotes; `None` if they are not closed.
fn quoted(
    quote: char,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
) -> Option<()> {
    loop {
        match chars.next()? {
            '\\' => out.push(chars.next()?),
            c if c == quote => return Some(()),
            c => out.push(c),
        }
    }
}

/// A time by a format for spans of time: separators must be quoted.
pub(super) fn format_time(value: ValueRef<'_>, pattern: &str, culture: &Culture) -> Option<String> {
    let ticks = Moment::of(value).ticks;
    let (hours, minutes) = (ticks / TICKS_PER_HOUR, ticks / TICKS_PER_MINUTE % 60);
    let seconds = ticks / TICKS_PER_SECOND % 60;
    let fraction = ticks % TICKS_PER_SECOND;
    match pattern {
        "" | "c" | "t" | "T" => {
            let whole = format!("{hours:02}:{minutes:02}:{seconds:02}");
            let with_fraction = fraction != 0;
            return Some(if with_fraction { format!("{whole}.{fraction:07}") } else { whole });
        }
        "g" => {
            let digits = format!("{fraction:07}");
            let digits = digits.trim_end_matches('0');
            let mut shown = format!("{hours}:{minutes:02}:{seconds:02}");
            if !digits.is_empty() {
                shown.push(culture.point);
                shown.push_str(digits);
            }
            return Some(shown);
        }
        "G" => {
            let point = culture.point;
            return Some(format!("0:{hours:02}:{minutes:02}:{seconds:02}{point}{fraction:07}"));
        }
        _ => {}
    }
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let number = match c {
            '\\' => {
                out.push(chars.next()?);
                continue;
            }
            '\'' | '"' => {
                quoted(c, &mut chars, &mut out)?;
                continue;
            }
            '%' if chars.peek().is_some() => continue,
            'h' => hours,
            'm' => minutes,
            's' => seconds,
            'd' => 0,
            'f' | 'F' => fraction,
            _ => return None,
        };
        let mut count = 1;
        while chars.next_if_eq(&c).is_some() {
            count += 1;
        }
        match c {
            'f' | 'F' if count <= 7 => self::fraction(ticks, c, count, &mut out),
            'h' | 'm' | 's' if count <= 2 => out.push_str(&format!("{number:0>count$}")),
            'd' if count <= 8 => out.push_str(&format!("{number:0>count$}")),
            _ => return None,
        }
    }
    Some(out)
}

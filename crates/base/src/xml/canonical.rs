//! Canonical text of numbers and moments, as SQL Server writes values of XML Schema's types.

/// Digits of exact numbers behind the point.
pub const SCALE: u8 = 10;
/// One, of an exact number.
pub const UNIT: i128 = 10_000_000_000;

/// A number in units of 10⁻¹⁰ without needless digits.
pub fn exact_text(value: i128) -> String {
    let (whole, rest) = (value.unsigned_abs() / UNIT as u128, value.unsigned_abs() % UNIT as u128);
    let sign = if value < 0 { "-" } else { "" };
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{rest:010}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// A number of so many digits: plainly from 10⁻⁶ to 10⁶, else with an exponent.
pub fn double_text(value: f64, precision: usize) -> String {
    if value == 0.0 {
        return if value.is_sign_negative() { "-0.0E0" } else { "0.0E0" }.into();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "INF"
        } else {
            "-INF"
        }
        .into();
    }
    let written = format!("{value:.*e}", precision - 1);
    let (mantissa, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    if !(-6..6).contains(&exponent) {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        return format!("{mantissa}{point}E{exponent}");
    }
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    match digits.len() > whole {
        true => format!("{sign}{}.{}", &digits[..whole], &digits[whole..]),
        false => format!("{sign}{digits:0<whole$}"),
    }
}

/// The number that text says as `xs:double`; infinite ones as well, but not NaN.
pub fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_ascii();
    match text {
        "INF" => return Some(f64::INFINITY),
        "-INF" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let is_digit = |c: u8| c.is_ascii_digit() || matches!(c, b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(is_digit) {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The types of moments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentKind {
    /// `xs:dateTime`
    DateTime,
    /// `xs:date`
    Date,
    /// `xs:time`
    Time,
    /// `xs:gYearMonth`
    YearMonth,
    /// `xs:gYear`
    Year,
    /// `xs:gMonthDay`
    MonthDay,
    /// `xs:gDay`
    Day,
    /// `xs:gMonth`
    Month,
}

/// A moment, or a time that comes again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its place on the line of time in units of 100 ns; without a time zone as if it were UTC.
    pub ticks: i128,
    /// The canonical text.
    pub text: String,
}

const SECOND: i128 = 10_000_000;
const DAY: i128 = 86_400 * SECOND;

/// The moment that a text says; years are 1 to 9999. What is smaller than 100 ns is cut.
pub fn moment(text: &str, kind: MomentKind) -> Option<Moment> {
    let text = text.trim_ascii();
    let (mut days, mut date_text, rest) = date_of(text, kind)?;
    let mut ticks = 0;
    let mut time_text = String::new();
    let mut rest = rest;
    if kind == MomentKind::DateTime {
        rest = rest.strip_prefix('T')?;
    }
    if matches!(kind, MomentKind::DateTime | MomentKind::Time) {
        let (time, written, left) = time_of(rest)?;
        (ticks, time_text, rest) = (time, written, left);
        if ticks == DAY {
            ticks = 0;
            time_text = "00:00:00".into();
            if kind == MomentKind::DateTime {
                days += 1;
                date_text = shown_date(days)?;
            }
        }
    }
    let (offset, zone_text) = zone_of(rest)?;
    let joint = if kind == MomentKind::DateTime { "T" } else { "" };
    let text = format!("{date_text}{joint}{time_text}{zone_text}");
    Some(Moment { ticks: days * DAY + ticks - offset, text })
}

/// The days, the text and what follows it.
fn date_of(text: &str, kind: MomentKind) -> Option<(i128, String, &str)> {
    use MomentKind as K;
    if kind == K::Time {
        return Some((0, String::new(), text));
    }
    let has_year = matches!(kind, K::DateTime | K::Date | K::YearMonth | K::Year);
    let (year, mut rest) = match has_year {
        true => digits(text, 4)?,
        // A leap year, so that each day of a year is in it.
        false => (2000, text.strip_prefix('-')?),
    };
    if year == 0 {
        return None;
    }
    let (mut month, mut day) = (1, 1);
    if !matches!(kind, K::Year | K::Day) {
        (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    }
    if kind == K::Day {
        rest = rest.strip_prefix('-')?;
    }
    if matches!(kind, K::DateTime | K::Date | K::MonthDay | K::Day) {
        (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    }
    if day < 1 || day > month_length(year, month)? {
        return None;
    }
    let written = text[..text.len() - rest.len()].to_string();
    Some((days_of(year, month, day), written, rest))
}

fn month_length(year: i128, month: i128) -> Option<i128> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    Some(match month {
        2 => 28 + i128::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    })
}

fn days_of(year: i128, month: i128, day: i128) -> i128 {
    // Years begin in March, so that the leap day is the last of one.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day
}

/// The date of a number of days, if its year has four digits.
fn shown_date(days: i128) -> Option<String> {
    let mut year = days * 400 / 146_097 + 1;
    while days_of(year, 1, 1) > days {
        year -= 1;
    }
    let month = (1..=12).rfind(|month| days_of(year, *month, 1) <= days)?;
    let day = days - days_of(year, month, 1) + 1;
    (year <= 9999).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// A time of day in ticks, at most a whole day; its text, and what follows it.
fn time_of(text: &str) -> Option<(i128, String, &str)> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, mut rest) = digits(rest.strip_prefix(':')?, 2)?;
    if hour > 24 || minute > 59 || second > 59 {
        return None;
    }
    let mut ticks = (3600 * hour + 60 * minute + second) * SECOND;
    let mut written = text[..8].to_string();
    if let Some(fraction) = rest.strip_prefix('.') {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        let kept = fraction.get(..end.min(7)).filter(|_| end > 0)?;
        ticks += format!("{kept:0<7}").parse::<i128>().ok()?;
        let shown = kept.trim_end_matches('0');
        if !shown.is_empty() {
            written.push('.');
            written.push_str(shown);
        }
        rest = &fraction[end..];
    }
    (ticks <= DAY).then_some((ticks, written, rest))
}

/// The offset of a time zone in ticks, and its text.
fn zone_of(text: &str) -> Option<(i128, &str)> {
    match text.as_bytes() {
        [] => Some((0, "")),
        b"Z" => Some((0, "Z")),
        [sign @ (b'+' | b'-'), ..] => {
            let (hours, left) = digits(&text[1..], 2)?;
            let (minutes, left) = digits(left.strip_prefix(':')?, 2)?;
            if !left.is_empty() || minutes > 59 || 60 * hours + minutes > 14 * 60 {
                return None;
            }
            let offset = (3600 * hours + 60 * minutes) * SECOND;
            let shown = if offset == 0 { "Z" } else { text };
            Some((if *sign == b'+' { offset } else { -offset }, shown))
        }
        _ => None,
    }
}

/// A whole number of exactly so many digits at the beginning, and what follows it.
fn digits(text: &str, count: usize) -> Option<(i128, &str)> {
    let (head, rest) = text.split_at_checked(count)?;
    let is_number = head.bytes().all(|c| c.is_ascii_digit());
    is_number.then(|| head.parse().ok()).flatten().map(|value| (value, rest))
}

/// A duration: months and units of 100 ns, which are not comparable with each other in general.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duration {
    /// Years and months.
    pub months: i128,
    /// Days and less.
    pub ticks: i128,
    /// The canonical text, without what is 0.
    pub text: String,
}

/// The duration that a text says as `xs:duration`.
pub fn duration(text: &str) -> Option<Duration> {
    let text = text.trim_ascii();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let rest = rest.strip_prefix('P')?;
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let mut written = String::new();
    let mut fields = [0i128; 6];
    let mut fraction = 0;
    let mut count = 0;
    for (part, units, first) in [(date, "YMD", 0), (time.unwrap_or(""), "HMS", 3)] {
        let mut rest = part;
        let mut shown = String::new();
        for (at, unit) in units.chars().enumerate() {
            let Some((value, left)) = rest.split_once(unit) else { continue };
            let (whole, decimals) = match value.split_once('.') {
                Some((whole, decimals)) if unit == 'S' && !decimals.is_empty() => (whole, decimals),
                Some(_) => return None,
                None => (value, ""),
            };
            let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
            if whole.is_empty() || whole.len() > 18 || !is_number(whole) || !is_number(decimals) {
                return None;
            }
            fields[first + at] = whole.parse().ok()?;
            let kept = &decimals[..decimals.len().min(7)];
            fraction = format!("{kept:0<7}").parse::<i128>().ok()?;
            let kept = kept.trim_end_matches('0');
            if fields[first + at] != 0 || !kept.is_empty() {
                shown.push_str(&fields[first + at].to_string());
                if !kept.is_empty() {
                    shown.push('.');
                    shown.push_str(kept);
                }
                shown.push(unit);
            }
            count += 1;
            rest = left;
        }
        if !rest.is_empty() {
            return None;
        }
        if first == 3 && !shown.is_empty() {
            written.push('T');
        }
        written.push_str(&shown);
    }
    if count == 0 {
        return None;
    }
    let [years, months, days, hours, minutes, seconds] = fields;
    let months = sign * (12 * years + months);
    let seconds = 3600 * (24 * days + hours) + 60 * minutes + seconds;
    let ticks = sign * (seconds * SECOND + fraction);
    let sign = if sign < 0 && !written.is_empty() { "-" } else { "" };
    let text = if written.is_empty() { "PT0S".into() } else { format!("{sign}P{written}") };
    Some(Duration { months, ticks, text })
}

#[cfg(test)]
mod tests;

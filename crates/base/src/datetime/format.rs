//! Writing dates and times: the styles of CONVERT.

use super::civil::{Civil, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, hijri};
use super::language::Language;
use crate::text::StackText;
use crate::types::TypeKind;

/// What is written, as the local time of its type.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Days since 0001-01-01.
    pub days: i32,
    /// Units of 100 ns since midnight.
    pub ticks: i64,
    /// Offset in minutes, for datetimeoffset.
    pub offset: i16,
    /// The type it is of.
    pub kind: TypeKind,
    /// Digits of the fraction.
    pub scale: u8,
}

/// Why a style cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StyleError {
    /// There is no such style: error 281.
    Unknown,
    /// It shows nothing of this type: error 9809.
    NotForType,
}

/// The date and the time part of a style, written in the letters that [`put`] knows.
struct Style {
    date: &'static str,
    between: &'static str,
    time: &'static str,
}

const fn style(date: &'static str, between: &'static str, time: &'static str) -> Option<Style> {
    Some(Style { date, between, time })
}

fn find(number: i32) -> Option<Style> {
    match number {
        0 | 100 => style("b e Y", " ", "I:Mp"),
        1 => style("m/d/y", "", ""),
        101 => style("m/d/Y", "", ""),
        2 => style("y.m.d", "", ""),
        102 => style("Y.m.d", "", ""),
        3 => style("d/m/y", "", ""),
        103 => style("d/m/Y", "", ""),
        4 => style("d.m.y", "", ""),
        104 => style("d.m.Y", "", ""),
        5 => style("d-m-y", "", ""),
        105 => style("d-m-Y", "", ""),
        6 => style("d b y", "", ""),
        106 => style("d b Y", "", ""),
        7 => style("b d, y", "", ""),
        107 => style("b d, Y", "", ""),
        8 | 24 | 108 => style("", "", "H:M:S"),
        9 | 109 => style("b e Y", " ", "I:M:SFp"),
        10 => style("m-d-y", "", ""),
        110 => style("m-d-Y", "", ""),
        11 => style("y/m/d", "", ""),
        111 => style("Y/m/d", "", ""),
        12 => style("ymd", "", ""),
        112 => style("Ymd", "", ""),
        13 | 113 => style("d b Y", " ", "H:M:SF"),
        14 | 114 => style("", "", "H:M:SF"),
        20 | 120 => style("Y-m-d", " ", "H:M:S"),
        21 | 25 | 121 => style("Y-m-d", " ", "H:M:Sf"),
        22 => style("m/d/y", " ", "I:M:S p"),
        23 => style("Y-m-d", "", ""),
        126 | 127 => style("Y-m-d", "T", "H:M:So"),
        130 => style("h k j", " ", "I:M:SFp"),
        131 => style("h/i/j", " ", "I:M:SFp"),
        _ => None,
    }
}

/// Whether there is a style of this number, for reading or writing.
pub fn is_style(number: i32) -> bool {
    find(number).is_some()
}

/// The style that `CAST` writes a type in.
pub const fn default_style(kind: TypeKind) -> i32 {
    match kind {
        TypeKind::DateTime | TypeKind::SmallDateTime => 0,
        _ => 121,
    }
}

/// The longest text that any style writes, in bytes of UTF-8.
pub const LENGTH_MAX: usize = 96;

/// Writes a value in a style.
pub fn format(
    value: &Written,
    number: i32,
    language: &Language,
) -> Result<StackText<LENGTH_MAX>, StyleError> {
    let style = find(number).ok_or(StyleError::Unknown)?;
    let (has_date, has_time) = match value.kind {
        TypeKind::Date => (true, false),
        TypeKind::Time => (false, true),
        _ => (true, true),
    };
    let date = if has_date { style.date } else { "" };
    let time = if has_time { style.time } else { "" };
    if date.is_empty() && time.is_empty() {
        return Err(StyleError::NotForType);
    }
    let mut out = StackText::new();
    let mut value = *value;
    let zulu = number == 127 && value.kind == TypeKind::DateTimeOffset;
    if zulu {
        let utc = value.ticks - i64::from(value.offset) * TICKS_PER_MINUTE;
        value.days += utc.div_euclid(24 * TICKS_PER_HOUR) as i32;
        value.ticks = utc.rem_euclid(24 * TICKS_PER_HOUR);
    }
    put(&value, date, language, &mut out);
    if !date.is_empty() && !time.is_empty() {
        out.push_str(style.between);
    }
    put(&value, time, language, &mut out);
    if zulu {
        out.push(b'Z');
    } else if value.kind == TypeKind::DateTimeOffset && !time.is_empty() {
        if number != 126 {
            out.push(b' ');
        }
        put_offset(value.offset, &mut out);
    }
    Ok(out)
}

/// Writes `+hh:mm`.
pub fn put_offset<const N: usize>(minutes: i16, out: &mut StackText<N>) {
    out.push(if minutes < 0 { b'-' } else { b'+' });
    out.push_padded(u32::from(minutes.unsigned_abs() / 60), 2);
    out.push(b':');
    out.push_padded(u32::from(minutes.unsigned_abs() % 60), 2);
}

const HIJRI_MONTHS: [&str; 12] = [
    "محرم",
    "صفر",
    "ربيع الاول",
    "ربيع الثاني",
    "جمادى الاولى",
    "جمادى الثانية",
    "رجب",
    "شعبان",
    "رمضان",
    "شوال",
    "ذو القعدة",
    "ذو الحجة",
];

/// Writes a pattern. Letters: `Y y m d` numbers, `e` day padded with a blank, `b` month's short
/// name, `h i j k` Islamic day, month, year and month's name, `H` hour of 24, `I` hour of 12 padded
/// with a blank, `M S` minute and second, `F f` fraction, `o` fraction unless it is zero, `p` AM or
/// PM.
fn put(value: &Written, pattern: &str, language: &Language, out: &mut StackText<LENGTH_MAX>) {
    let civil = Civil::from_days(value.days);
    let hour = (value.ticks / TICKS_PER_HOUR) as u32;
    for letter in pattern.bytes() {
        match letter {
            b'Y' => out.push_padded(civil.year as u32, 4),
            b'y' => out.push_padded(civil.year as u32 % 100, 2),
            b'm' => out.push_padded(civil.month, 2),
            b'd' => out.push_padded(civil.day, 2),
            b'e' => put_blank_padded(civil.day, out),
            b'b' => out.push_str(language.short_months[civil.month as usize - 1]),
            b'h' => put_blank_padded(hijri(value.days).2, out),
            b'i' => out.push_padded(hijri(value.days).1, 2),
            b'j' => out.push_padded(hijri(value.days).0.unsigned_abs(), 4),
            b'k' => out.push_str(HIJRI_MONTHS[(hijri(value.days).1 as usize + 11) % 12]),
            b'H' => out.push_padded(hour, 2),
            b'I' => put_blank_padded(if hour % 12 == 0 { 12 } else { hour % 12 }, out),
            b'M' => out.push_padded((value.ticks / TICKS_PER_MINUTE % 60) as u32, 2),
            b'S' => out.push_padded((value.ticks / TICKS_PER_SECOND % 60) as u32, 2),
            b'F' => {
                let old = matches!(value.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
                put_fraction(value, if old { b':' } else { b'.' }, out);
            }
            b'f' => put_fraction(value, b'.', out),
            b'o' if value.ticks % TICKS_PER_SECOND != 0 => put_fraction(value, b'.', out),
            b'o' => {}
            b'p' => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            other => {
                out.push(other);
            }
        }
    }
}

fn put_blank_padded(number: u32, out: &mut StackText<LENGTH_MAX>) {
    if number < 10 {
        out.push(b' ');
    }
    out.push_padded(number, 1);
}

fn put_fraction(value: &Written, point: u8, out: &mut StackText<LENGTH_MAX>) {
    let digits = if value.kind == TypeKind::SmallDateTime { 3 } else { value.scale };
    if digits > 0 {
        out.push(point);
        let fraction = value.ticks % TICKS_PER_SECOND / 10i64.pow(7 - u32::from(digits));
        out.push_padded(fraction as u32, usize::from(digits));
    }
}

#[cfg(test)]
mod tests;

//! The calendars that cultures count years in.
//!
//! Dates are days since 0001-01-01. The Buddhist calendar is the Gregorian one with other years; Um
//! al-Qura is a table of the lengths of months, from 1318 to 1500 of the Hijra; the Persian one has
//! eight leap years in 33, as the astronomical one has between the 19th century and the 23rd.

use base::datetime::civil::Civil;

/// A calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::func::string) enum Calendar {
    Gregorian,
    Buddhist,
    UmAlQura,
    Persian,
}

/// The year of the Buddhist era in which the first year of ours falls, less one.
const BUDDHIST: i32 = 543;
/// The first year of the table, and its first day: 1900-04-30.
const HIJRI_YEAR: i32 = 1318;
const HIJRI_DAY: i32 = 693_714;
/// The first day of the Persian calendar: 0622-03-21.
const PERSIAN_DAY: i32 = 226_894;

/// For each year of the Hijra the months of 30 days, the first one in the lowest bit; the others
/// have 29.
const LONG_MONTHS: [u16; 183] = [
    0x56D, 0xB5A, 0x752, 0xF25, 0xE8A, 0xD16, 0xA56, 0xAB5, 0x6B4, 0xDA9, 0xB92, 0xB25, 0x64B,
    0xA9B, 0x35A, 0x6D9, 0x5D4, 0xDA5, 0xD4A, 0xA95, 0x536, 0x975, 0x2F4, 0x6E9, 0x6D4, 0x6A9,
    0x535, 0x25D, 0x4BD, 0x9BA, 0x3B4, 0xB69, 0xB2A, 0xA55, 0x4AD, 0xA5D, 0x2DA, 0x6D9, 0xEAA,
    0xE94, 0xD2A, 0xC56, 0x4AE, 0xA6D, 0x56A, 0xD55, 0xD4A, 0xA93, 0x52B, 0xA5B, 0x53A, 0x6B5,
    0xEA9, 0xD52, 0xD29, 0xA55, 0x4AD, 0x56D, 0xAEA, 0x6E4, 0xED1, 0xDA2, 0xAAA, 0x95A, 0x2DA,
    0x5B9, 0xBB2, 0x764, 0x6C9, 0x555, 0x2AB, 0x4DB, 0xABA, 0x5B4, 0xDA9, 0xD52, 0xAA5, 0x92D,
    0x26D, 0x8ED, 0x2DA, 0xAD5, 0xAA5, 0xA4B, 0x497, 0x937, 0x2B6, 0x975, 0xD69, 0xD52, 0xC95,
    0x92B, 0x25B, 0x4DB, 0x9D5, 0x5D2, 0xDA5, 0xD4A, 0xA95, 0x54D, 0xAAD, 0x3AA, 0xBD2, 0xBC4,
    0xB89, 0xA95, 0x52D, 0x5AD, 0xB6A, 0x6D4, 0xDC9, 0xD92, 0xAA6, 0x956, 0x2AE, 0x56D, 0x36A,
    0xB55, 0xAAA, 0x94D, 0x49D, 0x95D, 0x2BA, 0x5B5, 0x5AA, 0xD55, 0xA9A, 0x92E, 0x26E, 0x55D,
    0xADA, 0x6D4, 0x6A5, 0xB27, 0xA4D, 0x4AD, 0x56D, 0xB5A, 0x754, 0xF49, 0xE92, 0xD26, 0xA56,
    0x356, 0x6B5, 0xBAA, 0xB92, 0xB25, 0x68B, 0xA9B, 0x55A, 0xADA, 0x5B4, 0xDA9, 0xB52, 0xA9A,
    0x536, 0x276, 0x575, 0xAF2, 0x6D4, 0x6A9, 0x555, 0x2AD, 0x4BD, 0x9BA, 0x574, 0xB69, 0xB52,
    0xA95, 0x52D, 0xA5D, 0x4DA, 0xAD9, 0x6B2, 0xE95, 0xE2A, 0xC96, 0x92E, 0xAAD, 0x56A, 0xD65,
    0xD4A,
];

impl Calendar {
    /// As the table of cultures calls it.
    pub fn by_name(name: &str) -> Option<Calendar> {
        Some(match name {
            "gregorian" => Calendar::Gregorian,
            "buddhist" => Calendar::Buddhist,
            "umalqura" => Calendar::UmAlQura,
            "persian" => Calendar::Persian,
            _ => return None,
        })
    }

    /// Year, month and day of a date; `None` where the calendar does not reach.
    pub fn of_days(self, days: i32) -> Option<Civil> {
        let gregorian = Civil::from_days(days);
        match self {
            Calendar::Gregorian => Some(gregorian),
            Calendar::Buddhist => Some(Civil { year: gregorian.year + BUDDHIST, ..gregorian }),
            Calendar::UmAlQura => hijri(days),
            Calendar::Persian => persian(days),
        }
    }

    /// The date of a year, month and day, in days since 0001-01-01; `None` if there is none.
    pub fn to_days(self, year: i32, month: u32, day: u32) -> Option<i32> {
        match self {
            Calendar::Gregorian => Some(Civil::new(year, month, day)?.days()),
            Calendar::Buddhist => Some(Civil::new(year - BUDDHIST, month, day)?.days()),
            Calendar::UmAlQura => {
                let at = usize::try_from(year - HIJRI_YEAR).ok()?;
                let long = *LONG_MONTHS.get(at)?;
                if !(1..=12).contains(&month) || day < 1 || day > month_length(long, month) {
                    return None;
                }
                let years: u32 = LONG_MONTHS[..at].iter().map(|y| year_length(*y)).sum();
                let months: u32 = (1..month).map(|m| month_length(long, m)).sum();
                Some(HIJRI_DAY + (years + months + day - 1) as i32)
            }
            Calendar::Persian => {
                let fits = (1..=9378).contains(&year) && (1..=12).contains(&month);
                if !fits || day < 1 || day > persian_month_length(year, month) {
                    return None;
                }
                Some(persian_year(year) + persian_months(month) + day as i32 - 1)
            }
        }
    }

    /// The year that two digits mean, as sessions understand it in our calendar.
    pub fn full_year(self, two_digits: i32, cutoff: i32) -> i32 {
        let last = match self {
            Calendar::Gregorian => cutoff,
            Calendar::Buddhist => cutoff + BUDDHIST,
            Calendar::UmAlQura => 1451,
            Calendar::Persian => 1410,
        };
        last - (last - two_digits).rem_euclid(100)
    }
}

fn month_length(long: u16, month: u32) -> u32 {
    29 + u32::from(long >> (month - 1) & 1)
}

fn year_length(long: u16) -> u32 {
    12 * 29 + long.count_ones()
}

fn hijri(days: i32) -> Option<Civil> {
    let mut rest = u32::try_from(days - HIJRI_DAY).ok()?;
    for (year, &long) in (HIJRI_YEAR..).zip(&LONG_MONTHS) {
        if rest >= year_length(long) {
            rest -= year_length(long);
            continue;
        }
        let mut month = 1;
        while rest >= month_length(long, month) {
            rest -= month_length(long, month);
            month += 1;
        }
        return Some(Civil { year, month, day: rest + 1 });
    }
    None
}

/// The first day of a year.
fn persian_year(year: i32) -> i32 {
    PERSIAN_DAY + 365 * (year - 1) + (8 * year + 21).div_euclid(33)
}

/// Days before a month.
fn persian_months(month: u32) -> i32 {
    let months = month as i32 - 1;
    if months <= 6 { 31 * months } else { 30 * months + 6 }
}

fn persian_month_length(year: i32, month: u32) -> u32 {
    match month {
        1..=6 => 31,
        7..=11 => 30,
        _ => (persian_year(year + 1) - persian_year(year)) as u32 - 336,
    }
}

fn persian(days: i32) -> Option<Civil> {
    let since = days - PERSIAN_DAY;
    if since < 0 {
        return None;
    }
    let mut year = 1 + (33 * since + 3) / 12_053;
    // The estimate may be a year off.
    while persian_year(year) > days {
        year -= 1;
    }
    while persian_year(year + 1) <= days {
        year += 1;
    }
    let of_year = days - persian_year(year);
    let month = if of_year < 186 { of_year / 31 } else { (of_year - 6) / 30 } as u32 + 1;
    Some(Civil { year, month, day: (of_year - persian_months(month)) as u32 + 1 })
}

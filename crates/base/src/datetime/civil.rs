//! The proleptic Gregorian calendar and the clock, on the numbers that values are made of.

/// Units of 100 ns in a second.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
/// Units of 100 ns in a minute.
pub const TICKS_PER_MINUTE: i64 = 60 * TICKS_PER_SECOND;
/// Units of 100 ns in an hour.
pub const TICKS_PER_HOUR: i64 = 60 * TICKS_PER_MINUTE;
/// Units of 100 ns in a day.
pub const TICKS_PER_DAY: i64 = 24 * TICKS_PER_HOUR;
/// Days from 0001-01-01 to 1900-01-01.
pub const DAYS_1900: i32 = 693_595;
/// 9999-12-31, in days since 0001-01-01.
pub const DAY_MAX: i32 = 3_652_058;
/// 1753-01-01, where `datetime` begins, in days since 1900-01-01.
pub const DATETIME_DAY_MIN: i32 = -53_690;
/// 9999-12-31 in days since 1900-01-01.
pub const DATETIME_DAY_MAX: i32 = DAY_MAX - DAYS_1900;
/// Units of 1/300 s in a day.
pub const DATETIME_TICKS_PER_DAY: u32 = 24 * 60 * 60 * 300;
/// 2079-06-06 23:59, the last `smalldatetime`, in minutes since 1900-01-01.
pub const SMALLDATETIME_MAX: i64 = 65_535 * 1440 + 1439;

/// A day of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Civil {
    /// 1 to 9999.
    pub year: i32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
}

/// Whether a year has 366 days.
pub const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days of a month; 0 for a month that does not exist.
pub const fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 0,
    }
}

impl Civil {
    /// A day if it exists between 0001-01-01 and 9999-12-31.
    pub fn new(year: i32, month: u32, day: u32) -> Option<Civil> {
        ((1..=9999).contains(&year) && day >= 1 && day <= days_in_month(year, month))
            .then_some(Civil { year, month, day })
    }

    /// The day that is `days` after 0001-01-01.
    pub fn from_days(days: i32) -> Civil {
        // Years are counted from March, so that the leap day ends them; eras have 400 years.
        let z = days + 306;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * day_of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + i32::from(month <= 2);
        Civil { year, month: month as u32, day: (day_of_year - (153 * shifted + 2) / 5 + 1) as u32 }
    }

    /// Days since 0001-01-01.
    pub const fn days(self) -> i32 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = self.month as i32;
        let shifted = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * shifted + 2) / 5 + self.day as i32 - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 306
    }

    /// Day of the year, from 1.
    pub const fn day_of_year(self) -> i32 {
        self.days() - Civil { year: self.year, month: 1, day: 1 }.days() + 1
    }

    /// The day `months` later, or the month's last day if it has no such day.
    pub fn add_months(self, months: i64) -> Option<Civil> {
        let index = i64::from(self.year) * 12 + i64::from(self.month) - 1;
        let index = index.checked_add(months)?;
        let year = i32::try_from(index.div_euclid(12)).ok()?;
        let month = index.rem_euclid(12) as u32 + 1;
        Civil::new(year, month, self.day.min(days_in_month(year, month)))
    }
}

/// The day of the week of a day since 0001-01-01: 1 is Monday, 7 Sunday.
pub const fn weekday(days: i32) -> u32 {
    days.rem_euclid(7) as u32 + 1
}

/// The ISO 8601 week, 1 to 53.
pub fn iso_week(days: i32) -> i32 {
    // The week belongs to the year that its Thursday is in.
    let thursday = days - (weekday(days) as i32 - 1) + 3;
    (Civil::from_days(thursday).day_of_year() - 1) / 7 + 1
}

/// Rounds units of 100 ns to `scale` digits after the second, half up; may give a whole day.
pub const fn round_ticks(ticks: i64, scale: u8) -> i64 {
    if scale >= 7 {
        return ticks;
    }
    let unit = 10i64.pow(7 - scale as u32);
    (ticks + unit / 2).div_euclid(unit) * unit
}

/// Year, month and day of the Islamic calendar (tabular, leap years 2, 5, 7, 10, 13, 16, 18, 21,
/// 24, 26, 29 of 30), for styles 130 and 131.
pub fn hijri(days: i32) -> (i32, u32, u32) {
    let l = days + 1_721_426 - 1_948_440 + 10_632;
    let cycle = (l - 1).div_euclid(10_631);
    let l = l - 10_631 * cycle + 354;
    let j = ((10_985 - l) / 5316) * ((50 * l) / 17_719) + (l / 5670) * ((43 * l) / 15_238);
    let l = l - ((30 - j) / 15) * ((17_719 * j) / 50) - (j / 16) * ((15_238 * j) / 43) + 29;
    let month = (24 * l) / 709;
    let day = l - (709 * month) / 24;
    (30 * cycle + j - 30, month as u32, day as u32)
}

#[cfg(test)]
mod tests;

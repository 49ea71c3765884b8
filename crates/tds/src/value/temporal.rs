//! Dates and times: their integers on the wire, and their texts for clients that know them only as
//! nvarchar.

use base::value::DateTimeOffset;

/// Units of 100 ns in a day.
pub const TICKS_PER_DAY: i64 = 864_000_000_000;
/// Days from 0001-01-01 to 9999-12-31.
pub const DATE_MAX: i32 = 3_652_058;
/// Minutes that the offset of a datetimeoffset may have, either way.
pub const OFFSET_MINUTES_MAX: i16 = 840;

/// Bytes that a time of day takes.
pub const fn time_width(scale: u8) -> usize {
    match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    }
}

/// Units of 100 ns in a unit of 10^-`scale` seconds.
const fn ticks_per_unit(scale: u8) -> i64 {
    10i64.pow(7 - scale as u32)
}

/// A time of day as the integer that is sent.
pub const fn time_to_wire(ticks: i64, scale: u8) -> u64 {
    (ticks / ticks_per_unit(scale)) as u64
}

/// The time of day that an integer stands for; nothing when it is not within a day.
pub fn time_from_wire(units: u64, scale: u8) -> Option<i64> {
    let ticks = i64::try_from(units).ok()?.checked_mul(ticks_per_unit(scale))?;
    (ticks < TICKS_PER_DAY).then_some(ticks)
}

/// Year, month and day of a day counted from 0001-01-01 in the Gregorian calendar.
fn civil(days: i32) -> (u32, u32, u32) {
    // Years are counted from March here, so that the leap day is the last day of its year.
    let shifted = days.max(0) as u32 + 306;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u32::from(month <= 2), month, day)
}

/// A text of at most 34 ASCII characters.
#[derive(Clone, Copy, Debug)]
pub struct ShortText {
    bytes: [u8; 34],
    length: usize,
}

impl ShortText {
    const fn new() -> ShortText {
        ShortText { bytes: [0; 34], length: 0 }
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    fn number(&mut self, mut value: u32, digits: usize) {
        for at in (self.length..self.length + digits).rev() {
            self.bytes[at] = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.length += digits;
    }

    fn date(&mut self, days: i32) {
        let (year, month, day) = civil(days);
        self.number(year, 4);
        self.push(b'-');
        self.number(month, 2);
        self.push(b'-');
        self.number(day, 2);
    }

    fn time(&mut self, ticks: i64, scale: u8) {
        let seconds = (ticks / 10_000_000) as u32;
        self.number(seconds / 3600, 2);
        self.push(b':');
        self.number(seconds / 60 % 60, 2);
        self.push(b':');
        self.number(seconds % 60, 2);
        if scale > 0 {
            self.push(b'.');
            let fraction = (ticks % 10_000_000) / ticks_per_unit(scale);
            self.number(fraction as u32, scale.into());
        }
    }

    /// The characters.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// `yyyy-mm-dd`
pub fn date_text(days: i32) -> ShortText {
    let mut text = ShortText::new();
    text.date(days);
    text
}

/// `hh:mm:ss[.nnnnnnn]`
pub fn time_text(ticks: i64, scale: u8) -> ShortText {
    let mut text = ShortText::new();
    text.time(ticks, scale);
    text
}

/// `yyyy-mm-dd hh:mm:ss[.nnnnnnn]`
pub fn datetime2_text(ticks: i64, scale: u8) -> ShortText {
    let mut text = date_text((ticks / TICKS_PER_DAY) as i32);
    text.push(b' ');
    text.time(ticks % TICKS_PER_DAY, scale);
    text
}

/// `yyyy-mm-dd hh:mm:ss[.nnnnnnn] ±hh:mm`, in local time.
pub fn datetimeoffset_text(value: DateTimeOffset, scale: u8) -> ShortText {
    let local = value.utc_ticks + i64::from(value.offset_minutes) * 600_000_000;
    let mut text = datetime2_text(local.max(0), scale);
    let minutes = u32::from(value.offset_minutes.unsigned_abs());
    text.push(b' ');
    text.push(if value.offset_minutes < 0 { b'-' } else { b'+' });
    text.number(minutes / 60, 2);
    text.push(b':');
    text.number(minutes % 60, 2);
    text
}

#[cfg(test)]
mod tests;

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
mod tests {
    use super::*;

    fn text(t: ShortText) -> String {
        String::from_utf8(t.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn dates_print_as_in_sql_server() {
        assert_eq!(text(date_text(0)), "0001-01-01");
        assert_eq!(text(date_text(DATE_MAX)), "9999-12-31");
        assert_eq!(text(date_text(730_178)), "2000-02-29");
        assert_eq!(text(date_text(693_595)), "1900-01-01");
        assert_eq!(text(time_text(0, 0)), "00:00:00");
        assert_eq!(text(time_text(TICKS_PER_DAY - 1, 7)), "23:59:59.9999999");
        assert_eq!(text(time_text(TICKS_PER_DAY - 10_000, 3)), "23:59:59.999");
        let noon = 730_178 * TICKS_PER_DAY + TICKS_PER_DAY / 2;
        assert_eq!(text(datetime2_text(noon, 0)), "2000-02-29 12:00:00");
        let offset = DateTimeOffset { utc_ticks: noon, offset_minutes: -330 };
        assert_eq!(text(datetimeoffset_text(offset, 7)), "2000-02-29 06:30:00.0000000 -05:30");
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = civil(0);
        for days in 1..=DATE_MAX {
            let now = civil(days);
            let next_day = now == (last.0, last.1, last.2 + 1);
            let next_month = now == (last.0, last.1 + 1, 1) && last.2 >= 28;
            let next_year = now == (last.0 + 1, 1, 1) && (last.1, last.2) == (12, 31);
            assert!(next_day || next_month || next_year, "{last:?} then {now:?}");
            last = now;
        }
        assert_eq!(last, (9999, 12, 31));
    }

    #[test]
    fn times_of_day_have_a_limit() {
        for scale in 0..=7 {
            let day = TICKS_PER_DAY / ticks_per_unit(scale);
            assert_eq!(time_from_wire(day as u64, scale), None);
            assert_eq!(
                time_from_wire(day as u64 - 1, scale),
                Some(TICKS_PER_DAY - ticks_per_unit(scale))
            );
            assert_eq!(time_to_wire(TICKS_PER_DAY - 1, scale), day as u64 - 1);
        }
        assert_eq!(time_from_wire(u64::MAX, 0), None);
    }
}

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

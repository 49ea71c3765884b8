use super::*;

fn shown(text: &str, kind: MomentKind) -> String {
    moment(text, kind).map_or("-".into(), |moment| moment.text)
}

#[test]
fn moments_lose_zeros_and_roll_over() {
    use MomentKind as K;
    assert_eq!(shown("2020-01-02T03:04:05.000+02:00", K::DateTime), "2020-01-02T03:04:05+02:00");
    assert_eq!(shown("2020-01-02T03:04:05-00:00", K::DateTime), "2020-01-02T03:04:05Z");
    assert_eq!(shown("2020-02-28T24:00:00", K::DateTime), "2020-02-29T00:00:00");
    assert_eq!(shown("2019-12-31T24:00:00", K::DateTime), "2020-01-01T00:00:00");
    assert_eq!(shown("9999-12-31T24:00:00", K::DateTime), "-");
    assert_eq!(shown("24:00:00", K::Time), "00:00:00");
    assert_eq!(shown("24:00:01", K::Time), "-");
    assert_eq!(shown("03:04:05.1200", K::Time), "03:04:05.12");
    assert_eq!(shown("2019-02-29", K::Date), "-");
    assert_eq!(shown("2020-13-01", K::Date), "-");
    assert_eq!(shown("--02-29", K::MonthDay), "--02-29");
    assert_eq!(shown("---31Z", K::Day), "---31Z");
    assert_eq!(shown("--12", K::Month), "--12");
    assert_eq!(shown("2020-02", K::YearMonth), "2020-02");
    assert_eq!(shown("2020", K::Year), "2020");
    assert_eq!(shown("0000", K::Year), "-");
    assert_eq!(shown("2020-01-01T00:00:00+14:01", K::DateTime), "-");
}

#[test]
fn days_are_counted_and_shown_alike() {
    for year in [1, 4, 100, 400, 1600, 1999, 2000, 2001, 9999] {
        for month in 1..=12 {
            for day in [1, 2, 28, month_length(year, month).unwrap()] {
                let days = days_of(year, month, day);
                assert_eq!(
                    shown_date(days).unwrap(),
                    format!("{year:04}-{month:02}-{day:02}"),
                    "{days}"
                );
            }
        }
    }
}

#[test]
fn durations_drop_what_is_zero() {
    let shown = |text| duration(text).map_or("-".into(), |found| found.text);
    assert_eq!(shown("P1Y2M3DT4H5M6.000S"), "P1Y2M3DT4H5M6S");
    assert_eq!(shown("P0Y"), "PT0S");
    assert_eq!(shown("-P0Y1M"), "-P1M");
    assert_eq!(shown("PT0.50S"), "PT0.5S");
    for wrong in ["P", "PT", "P1", "P1S", "PT1Y", "P1.5Y", "1Y", "P1YT", "P-1Y", "P1M1Y"] {
        assert_eq!(shown(wrong), "-", "{wrong}");
    }
}

use super::*;

#[test]
fn days_and_calendar_agree_over_all_years() {
    let mut days = 0;
    for year in 1..=9999 {
        for month in 1..=12 {
            for day in [1, days_in_month(year, month)] {
                let civil = Civil { year, month, day };
                let expected = days + day as i32 - 1;
                assert_eq!(civil.days(), expected);
                assert_eq!(Civil::from_days(expected), civil);
            }
            days += days_in_month(year, month) as i32;
        }
    }
    assert_eq!(days - 1, DAY_MAX);
}

#[test]
fn known_days_have_their_numbers() {
    assert_eq!(Civil::new(1900, 1, 1).unwrap().days(), DAYS_1900);
    assert_eq!(Civil::new(1753, 1, 1).unwrap().days() - DAYS_1900, DATETIME_DAY_MIN);
    assert_eq!(Civil::new(2079, 6, 6).unwrap().days() - DAYS_1900, 65_535);
    assert_eq!(weekday(DAYS_1900), 1);
    assert!(Civil::new(2023, 2, 29).is_none());
    assert!(Civil::new(0, 1, 1).is_none() && Civil::new(10_000, 1, 1).is_none());
    for (y, m, d, week) in [(2005, 1, 1, 53), (2008, 12, 29, 1), (2010, 1, 3, 53), (2024, 1, 1, 1)]
    {
        assert_eq!(iso_week(Civil { year: y, month: m, day: d }.days()), week);
    }
    assert_eq!(hijri(Civil { year: 2006, month: 4, day: 25 }.days()), (1427, 3, 26));
    assert_eq!(Civil { year: 2023, month: 1, day: 31 }.add_months(1), Civil::new(2023, 2, 28));
    assert_eq!(Civil { year: 9999, month: 12, day: 1 }.add_months(1), None);
}

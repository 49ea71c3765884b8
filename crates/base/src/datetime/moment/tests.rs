use proptest::prelude::*;

use super::super::civil::{Civil, TICKS_PER_SECOND};
use super::*;

fn at(seconds: f64) -> Moment {
    let ticks = (seconds * TICKS_PER_SECOND as f64).round() as i64;
    Moment { ticks, ..Moment::BASE }
}

#[test]
fn datetime_rounds_to_thirds_of_centiseconds() {
    for (seconds, ticks) in [
        (0.001, 0),
        (0.002, 1),
        (0.003, 1),
        (0.004, 1),
        (0.005, 2),
        (0.006, 2),
        (0.007, 2),
        (0.008, 2),
        (0.009, 3),
        (0.998, 299),
        (0.999, 300),
    ] {
        let Some(ValueRef::DateTime(d)) = at(seconds).to(&SqlType::datetime()) else { panic!() };
        assert_eq!(d.ticks, ticks, "{seconds}");
    }
    let end_of_day = at(86_399.999);
    let Some(ValueRef::DateTime(d)) = end_of_day.to(&SqlType::datetime()) else { panic!() };
    assert_eq!((d.days, d.ticks), (1, 0));
}

#[test]
fn smalldatetime_rounds_at_half_a_minute() {
    for (seconds, minutes) in [(29.998, 0), (29.999, 1), (30.0, 1), (89.998, 1)] {
        assert_eq!(
            at(seconds).to(&SqlType::smalldatetime()),
            Some(ValueRef::SmallDateTime(minutes))
        );
    }
}

#[test]
fn ranges_end_where_the_types_end() {
    let day = |y, m, d| Moment { days: Civil { year: y, month: m, day: d }.days(), ..Moment::BASE };
    assert_eq!(day(1752, 12, 31).to(&SqlType::datetime()), None);
    assert!(day(1753, 1, 1).to(&SqlType::datetime()).is_some());
    assert_eq!(day(1899, 12, 31).to(&SqlType::smalldatetime()), None);
    assert_eq!(day(2079, 6, 7).to(&SqlType::smalldatetime()), None);
    assert!(day(1, 1, 1).to(&SqlType::datetime2(7)).is_some());
    let last = Moment { ticks: TICKS_PER_DAY - 1, ..day(9999, 12, 31) };
    assert_eq!(last.to(&SqlType::datetime()), None);
    assert!(last.to(&SqlType::datetime2(0)).is_some());
    let first = Moment { offset: 60, ..day(1, 1, 1) };
    assert_eq!(first.to(&SqlType::datetimeoffset(7)), None);
}

proptest! {
    #[test]
    fn values_survive_a_round_trip(days in 0..=DAY_MAX, ticks in 0..TICKS_PER_DAY, scale in 0u8..=7,
                                   offset in -840i16..=840) {
        let moment = Moment { days, ticks, offset };
        for ty in [SqlType::date(), SqlType::time(scale), SqlType::datetime(), SqlType::smalldatetime(),
                   SqlType::datetime2(scale), SqlType::datetimeoffset(scale)] {
            if let Some(value) = moment.to(&ty) {
                prop_assert_eq!(Moment::of(value).to(&ty), Some(value), "{}", ty);
            }
        }
    }
}

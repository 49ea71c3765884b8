use super::super::language::US_ENGLISH;
use super::*;

fn written(kind: TypeKind, scale: u8) -> Written {
    let ticks = 13 * TICKS_PER_HOUR + 5 * TICKS_PER_MINUTE + 9 * TICKS_PER_SECOND + 1_230_000;
    let days = Civil { year: 2006, month: 4, day: 5 }.days();
    Written { days, ticks, offset: 330, kind, scale }
}

fn text(kind: TypeKind, scale: u8, number: i32) -> Result<String, StyleError> {
    format(&written(kind, scale), number, &US_ENGLISH).map(|t| t.as_str().to_string())
}

#[test]
fn datetime_styles_are_sql_servers() {
    for (number, expected) in [
        (0, "Apr  5 2006  1:05PM"),
        (1, "04/05/06"),
        (101, "04/05/2006"),
        (2, "06.04.05"),
        (103, "05/04/2006"),
        (4, "05.04.06"),
        (105, "05-04-2006"),
        (6, "05 Apr 06"),
        (107, "Apr 05, 2006"),
        (8, "13:05:09"),
        (9, "Apr  5 2006  1:05:09:123PM"),
        (110, "04-05-2006"),
        (11, "06/04/05"),
        (12, "060405"),
        (112, "20060405"),
        (13, "05 Apr 2006 13:05:09:123"),
        (114, "13:05:09:123"),
        (20, "2006-04-05 13:05:09"),
        (121, "2006-04-05 13:05:09.123"),
        (22, "04/05/06  1:05:09 PM"),
        (23, "2006-04-05"),
        (126, "2006-04-05T13:05:09.123"),
        (127, "2006-04-05T13:05:09.123"),
        (131, " 6/03/1427  1:05:09:123PM"),
    ] {
        assert_eq!(text(TypeKind::DateTime, 3, number), Ok(expected.to_string()), "{number}");
    }
    assert_eq!(text(TypeKind::DateTime, 3, 15), Err(StyleError::Unknown));
}

#[test]
fn other_types_show_their_part_of_a_style() {
    for (kind, scale, number, expected) in [
        (TypeKind::Date, 0, 121, Ok("2006-04-05")),
        (TypeKind::Date, 0, 0, Ok("Apr  5 2006")),
        (TypeKind::Date, 0, 108, Err(StyleError::NotForType)),
        (TypeKind::Time, 7, 121, Ok("13:05:09.1230000")),
        (TypeKind::Time, 0, 121, Ok("13:05:09")),
        (TypeKind::Time, 7, 0, Ok(" 1:05PM")),
        (TypeKind::Time, 7, 101, Err(StyleError::NotForType)),
        (TypeKind::DateTime2, 7, 121, Ok("2006-04-05 13:05:09.1230000")),
        (TypeKind::DateTime2, 7, 109, Ok("Apr  5 2006  1:05:09.1230000PM")),
        (TypeKind::DateTime2, 0, 121, Ok("2006-04-05 13:05:09")),
        (TypeKind::SmallDateTime, 0, 121, Ok("2006-04-05 13:05:09.123")),
        (TypeKind::DateTimeOffset, 2, 121, Ok("2006-04-05 13:05:09.12 +05:30")),
        (TypeKind::DateTimeOffset, 2, 126, Ok("2006-04-05T13:05:09.12+05:30")),
        (TypeKind::DateTimeOffset, 2, 127, Ok("2006-04-05T07:35:09.12Z")),
        (TypeKind::DateTimeOffset, 2, 101, Ok("04/05/2006")),
    ] {
        assert_eq!(text(kind, scale, number), expected.map(str::to_string), "{kind} {number}");
    }
}

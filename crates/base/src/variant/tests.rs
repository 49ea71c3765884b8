use super::*;

#[test]
fn every_type_comes_back() {
    let c = Collation::DEFAULT;
    for (ty, value) in [
        (SqlType::bit(), ValueRef::Int(1)),
        (SqlType::tinyint(), ValueRef::Int(255)),
        (SqlType::smallint(), ValueRef::Int(-5)),
        (SqlType::int(), ValueRef::Int(i64::from(i32::MIN))),
        (SqlType::bigint(), ValueRef::Int(i64::MIN)),
        (SqlType::smallmoney(), ValueRef::Money(-1)),
        (SqlType::money(), ValueRef::Money(i64::MAX)),
        (SqlType::decimal(18, 4), ValueRef::Decimal(-12345)),
        (SqlType::numeric(38, 0), ValueRef::Decimal(crate::decimal::MAX)),
        (SqlType::real(), ValueRef::Float(1.5)),
        (SqlType::float(), ValueRef::Float(-0.1)),
        (SqlType::varchar(20, c), ValueRef::Chars(b"abc")),
        (SqlType::nchar(2, c), ValueRef::Unicode(&[65, 0, 66, 0])),
        (SqlType::varbinary(3), ValueRef::Bytes(&[1, 2])),
        (SqlType::date(), ValueRef::Date(700_000)),
        (SqlType::time(3), ValueRef::Time(5)),
        (SqlType::datetime(), ValueRef::DateTime(DateTime { days: -1, ticks: 299 })),
        (SqlType::smalldatetime(), ValueRef::SmallDateTime(60)),
        (SqlType::datetime2(7), ValueRef::DateTime2(123)),
        (
            SqlType::datetimeoffset(0),
            ValueRef::DateTimeOffset(DateTimeOffset { utc_ticks: 9, offset_minutes: -60 }),
        ),
        (SqlType::uniqueidentifier(), ValueRef::Guid([7; 16])),
    ] {
        let mut bytes = Vec::new();
        encode_variant(&ty, value, &mut bytes);
        assert_eq!(decode_variant(&bytes), Some((ty, value)), "{ty}");
        for end in 0..bytes.len().min(3) {
            let _ = decode_variant(&bytes[..end]);
        }
    }
    assert_eq!(decode_variant(&[]), None);
    assert_eq!(decode_variant(&[200, 1]), None);
}

#[test]
fn what_no_value_of_a_type_is_does_not_come_back() {
    let offset = |utc_ticks, offset_minutes| {
        ValueRef::DateTimeOffset(DateTimeOffset { utc_ticks, offset_minutes })
    };
    for (ty, value) in [
        (SqlType::bit(), ValueRef::Int(2)),
        (SqlType::decimal(3, 0), ValueRef::Decimal(1000)),
        (SqlType::float(), ValueRef::Float(f64::NAN)),
        (SqlType::date(), ValueRef::Date(DAY_MAX + 1)),
        (SqlType::time(7), ValueRef::Time(TICKS_PER_DAY)),
        (SqlType::datetime2(7), ValueRef::DateTime2(-1)),
        (SqlType::smalldatetime(), ValueRef::SmallDateTime(SMALLDATETIME_MAX + 1)),
        (SqlType::datetime(), ValueRef::DateTime(DateTime { days: i32::MAX, ticks: 0 })),
        (SqlType::datetime(), ValueRef::DateTime(DateTime { days: 0, ticks: u32::MAX })),
        (SqlType::datetimeoffset(7), offset(i64::MAX, 0)),
        (SqlType::datetimeoffset(7), offset(TICKS_PER_DAY, 841)),
    ] {
        let mut bytes = Vec::new();
        encode_variant(&ty, value, &mut bytes);
        assert_eq!(decode_variant(&bytes), None, "{ty}");
    }
}

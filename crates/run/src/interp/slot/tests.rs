use super::*;

#[test]
fn values_come_back_as_they_went_in() {
    let text = "abc".as_bytes();
    let cases = [
        (SqlType::int(), ValueRef::Int(-5)),
        (SqlType::money(), ValueRef::Money(i64::MIN)),
        (SqlType::decimal(38, 4), ValueRef::Decimal(-(10i128.pow(38) - 1))),
        (SqlType::float(), ValueRef::Float(-0.5)),
        (SqlType::varbinary(10), ValueRef::Bytes(text)),
        (SqlType::date(), ValueRef::Date(-1)),
        (SqlType::datetime(), ValueRef::DateTime(DateTime { days: -53690, ticks: 25_919_999 })),
        (
            SqlType::datetimeoffset(7),
            ValueRef::DateTimeOffset(DateTimeOffset { utc_ticks: 77, offset_minutes: -840 }),
        ),
        (SqlType::uniqueidentifier(), ValueRef::Guid([0xFE; 16])),
        (SqlType::int(), ValueRef::Null),
    ];
    for (ty, value) in cases {
        // SAFETY: `text` outlives the slot.
        assert_eq!(unsafe { Slot::from_value(value).value(&ty) }, value, "{ty:?}");
    }
}

#[test]
fn packed_datetimes_order_as_they_do() {
    let at = |days, ticks| Slot::pack(DateTime { days, ticks });
    assert!(at(-1, 25_919_999) < at(0, 0));
    assert!(at(-2, 5) < at(-1, 0));
    assert!(at(3, 1) < at(3, 2));
}

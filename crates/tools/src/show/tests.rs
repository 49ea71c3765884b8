use base::{Collation, Value};

use super::*;

#[test]
fn values_are_shown_as_sqlcmd_shows_them() {
    let at = |days, ticks| Value::DateTime(DateTime { days, ticks });
    let mut guid = [0; 16];
    guid[..8].copy_from_slice(&[0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0xD0, 0x11]);
    let cases: Vec<(Value, SqlType, &str)> = vec![
        (Value::Null, SqlType::int(), "NULL"),
        (Value::Int(-5), SqlType::int(), "-5"),
        (Value::Int(1), SqlType::bit(), "1"),
        (Value::Money(-12_345), SqlType::money(), "-1.2345"),
        (Value::Decimal(-5), SqlType::decimal(9, 1), "-0.5"),
        (Value::Float(1.0), SqlType::float(), "1.0"),
        (Value::Float(0.1), SqlType::float(), "0.1"),
        (Value::Float(1e20), SqlType::float(), "1.0E+20"),
        (Value::Float(-1.5e-7), SqlType::float(), "-1.5E-7"),
        (Value::Float(f64::from(0.1f32)), SqlType::real(), "0.1"),
        (Value::unicode("é\u{1F600}"), SqlType::nvarchar(9, Collation::DEFAULT), "é\u{1F600}"),
        (Value::chars("é", Collation::DEFAULT), SqlType::varchar(9, Collation::DEFAULT), "é"),
        (Value::Bytes([1, 0xAB].into()), SqlType::varbinary(9), "0x01AB"),
        (at(0, 1), SqlType::datetime(), "1900-01-01 00:00:00.003"),
        (at(-1, 2), SqlType::datetime(), "1899-12-31 00:00:00.007"),
        (Value::SmallDateTime(61), SqlType::smalldatetime(), "1900-01-01 01:01:00"),
        (Value::Date(0), SqlType::date(), "0001-01-01"),
        (Value::Guid(guid), SqlType::uniqueidentifier(), "6F9619FF-8B86-11D0-0000-000000000000"),
    ];
    for (value, ty, expected) in cases {
        let mut text = String::new();
        write_value(value.as_ref(), &ty, &mut text);
        assert_eq!(text, expected, "{ty:?}");
    }
}

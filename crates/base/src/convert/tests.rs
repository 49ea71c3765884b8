use proptest::prelude::*;

use super::*;
use crate::collation::codepage::{string_to_chars, string_to_unicode};
use crate::datetime::{Language, Moment};
use crate::types::{Convertibility, conversion::convertibility};
use crate::value::{DateTime, DateTimeOffset, Value};

const C: Collation = Collation::DEFAULT;

fn chars(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    string_to_chars(C, text, &mut out);
    out
}

/// Casts a varchar to `to` and that back to a varchar, or gives number and text of the error.
fn cast(text: &str, to: SqlType) -> String {
    styled(text, to, None)
}

fn styled(text: &str, to: SqlType, style: Option<i32>) -> String {
    let arena = Arena::new();
    let bytes = chars(text);
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    let from = SqlType::varchar(bytes.len().clamp(1, 8000) as u16, C);
    match convert(ValueRef::Chars(&bytes), &from, &to, &options, &arena) {
        Ok(value) => show(value, &to),
        Err(e) => format!("{} {}", e.number(), e.text()),
    }
}

/// A value as varchar, binaries in hexadecimal, floats exactly.
fn show(value: ValueRef<'_>, ty: &SqlType) -> String {
    let arena = Arena::new();
    let style = match ty.kind {
        TypeKind::Binary | TypeKind::VarBinary | TypeKind::RowVersion => Some(1),
        TypeKind::Money | TypeKind::SmallMoney => Some(2),
        kind if kind.is_temporal() => Some(121),
        _ => None,
    };
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    let target = SqlType::varchar(8000, C);
    match convert(value, ty, &target, &options, &arena).unwrap() {
        ValueRef::Chars(bytes) => crate::collation::codepage::chars_to_string(C, bytes),
        other => format!("{other:?}"),
    }
}

fn between(value: ValueRef<'_>, from: SqlType, to: SqlType, style: Option<i32>) -> String {
    let arena = Arena::new();
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    match convert(value, &from, &to, &options, &arena) {
        Ok(value) => show(value, &to),
        Err(e) => format!("{} {}", e.number(), e.text()),
    }
}

#[test]
fn text_becomes_numbers_or_sql_servers_errors() {
    for (text, to, expected) in [
        (" 42 ", SqlType::int(), "42"),
        ("", SqlType::int(), "0"),
        ("-", SqlType::int(), "0"),
        (
            "abc",
            SqlType::int(),
            "245 Conversion failed when converting the varchar value 'abc' to data type int.",
        ),
        (
            "1.5",
            SqlType::int(),
            "245 Conversion failed when converting the varchar value '1.5' to data type int.",
        ),
        (
            "99999999999",
            SqlType::int(),
            "248 The conversion of the varchar value '99999999999' overflowed an int column.",
        ),
        (
            "99999",
            SqlType::smallint(),
            "244 The conversion of the varchar value '99999' overflowed an INT2 column. Use a larger integer column.",
        ),
        (
            "256",
            SqlType::tinyint(),
            "244 The conversion of the varchar value '256' overflowed an INT1 column. Use a larger integer column.",
        ),
        (
            "99999999999999999999",
            SqlType::bigint(),
            "8115 Arithmetic overflow error converting expression to data type bigint.",
        ),
        ("x", SqlType::bigint(), "8114 Error converting data type varchar to bigint."),
        ("true", SqlType::bit(), "1"),
        ("FALSE", SqlType::bit(), "0"),
        ("17", SqlType::bit(), "1"),
        (
            "yes",
            SqlType::bit(),
            "245 Conversion failed when converting the varchar value 'yes' to data type bit.",
        ),
        ("1.235", SqlType::decimal(5, 2), "1.24"),
        ("", SqlType::decimal(5, 2), "8114 Error converting data type varchar to numeric."),
        ("1e3", SqlType::decimal(5, 2), "8114 Error converting data type varchar to numeric."),
        (
            "12345",
            SqlType::decimal(5, 2),
            "8115 Arithmetic overflow error converting varchar to data type numeric.",
        ),
        ("1e3", SqlType::float(), "1000"),
        ("x", SqlType::float(), "8114 Error converting data type varchar to float."),
        (
            "1e400",
            SqlType::float(),
            "8115 Arithmetic overflow error converting expression to data type float.",
        ),
        ("$1,234.56789", SqlType::money(), "1234.5679"),
        (
            "x",
            SqlType::money(),
            "235 Cannot convert a char value to money. The char value has incorrect syntax.",
        ),
        (
            "99999999999999999",
            SqlType::money(),
            "236 The conversion from char data type to money resulted in a money overflow error.",
        ),
        (
            "x",
            SqlType::smallmoney(),
            "293 Cannot convert char value to smallmoney. The char value has incorrect syntax.",
        ),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            SqlType::uniqueidentifier(),
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        (
            "{6f9619ff-8b86-d011-b42d-00c04fc964ff}",
            SqlType::uniqueidentifier(),
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FFwhatever",
            SqlType::uniqueidentifier(),
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
        ),
        (
            "6F9619FF",
            SqlType::uniqueidentifier(),
            "8169 Conversion failed when converting from a character string to uniqueidentifier.",
        ),
    ] {
        assert_eq!(cast(text, to), expected, "{text:?} to {to}");
    }
}

#[test]
fn text_becomes_dates_or_sql_servers_errors() {
    for (text, to, style, expected) in [
        ("2006-12-12 23:59:59.997", SqlType::datetime(), None, "2006-12-12 23:59:59.997"),
        ("2006-12-12 23:59:59.999", SqlType::datetime(), None, "2006-12-13 00:00:00.000"),
        ("2006-12-12 12:30:30", SqlType::smalldatetime(), None, "2006-12-12 12:31:00.000"),
        ("2006-12-12 12:30:30.5", SqlType::date(), None, "2006-12-12"),
        ("12:30:30.1234567", SqlType::time(3), None, "12:30:30.123"),
        (
            "2006-12-12 12:30:30.1234567 +02:00",
            SqlType::datetime2(7),
            None,
            "2006-12-12 12:30:30.1234567",
        ),
        (
            "2006-12-12 12:30:30 +02:00",
            SqlType::datetimeoffset(0),
            None,
            "2006-12-12 12:30:30 +02:00",
        ),
        ("", SqlType::date(), None, "1900-01-01"),
        ("05/06/2007", SqlType::date(), Some(103), "2007-06-05"),
        ("05/06/2007", SqlType::date(), Some(101), "2007-05-06"),
        (
            "x",
            SqlType::datetime(),
            None,
            "241 Conversion failed when converting date and/or time from character string.",
        ),
        (
            "2006-02-30",
            SqlType::datetime(),
            None,
            "242 The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.",
        ),
        (
            "1752-12-31",
            SqlType::datetime(),
            None,
            "242 The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.",
        ),
        (
            "2006-02-30",
            SqlType::date(),
            None,
            "241 Conversion failed when converting date and/or time from character string.",
        ),
        (
            "x",
            SqlType::smalldatetime(),
            None,
            "295 Conversion failed when converting character string to smalldatetime data type.",
        ),
        (
            "2080-01-01",
            SqlType::smalldatetime(),
            None,
            "242 The conversion of a varchar data type to a smalldatetime data type resulted in an out-of-range value.",
        ),
        (
            "2006-12-12 10:00:00.1234567",
            SqlType::datetime(),
            None,
            "241 Conversion failed when converting date and/or time from character string.",
        ),
    ] {
        assert_eq!(styled(text, to, style), expected, "{text:?} to {to}");
    }
}

#[test]
fn numbers_round_or_cut_by_their_pair() {
    use ValueRef::*;
    let d = SqlType::decimal;
    for (value, from, to, expected) in [
        (Decimal(159), d(5, 2), SqlType::int(), "1"),
        (Decimal(-159), d(5, 2), SqlType::int(), "-1"),
        (Money(15_000), SqlType::money(), SqlType::int(), "2"),
        (Money(-15_000), SqlType::money(), SqlType::int(), "-2"),
        (Float(1.99), SqlType::float(), SqlType::int(), "1"),
        (
            Float(4e9),
            SqlType::float(),
            SqlType::int(),
            "232 Arithmetic overflow error for type int, value = 4000000000.000000.",
        ),
        (
            Int(300),
            SqlType::int(),
            SqlType::tinyint(),
            "220 Arithmetic overflow error for data type tinyint, value = 300.",
        ),
        (
            Int(-1),
            SqlType::int(),
            SqlType::tinyint(),
            "220 Arithmetic overflow error for data type tinyint, value = -1.",
        ),
        (
            Int(1 << 40),
            SqlType::bigint(),
            SqlType::int(),
            "8115 Arithmetic overflow error converting expression to data type int.",
        ),
        (
            Int(1000),
            SqlType::int(),
            d(5, 2),
            "8115 Arithmetic overflow error converting int to data type numeric.",
        ),
        (
            Decimal(123_456),
            d(8, 2),
            d(5, 2),
            "8115 Arithmetic overflow error converting numeric to data type numeric.",
        ),
        (Decimal(1235), d(5, 3), d(5, 2), "1.24"),
        (Float(0.5), SqlType::float(), d(1, 0), "1"),
        (Int(7), SqlType::int(), SqlType::bit(), "1"),
        (Int(36_524), SqlType::int(), SqlType::datetime(), "2000-01-01 00:00:00.000"),
        (Float(0.5), SqlType::float(), SqlType::datetime(), "1900-01-01 12:00:00.000"),
        (
            Int(-100_000),
            SqlType::int(),
            SqlType::datetime(),
            "8115 Arithmetic overflow error converting expression to data type datetime.",
        ),
        (
            DateTime(crate::value::DateTime { days: 1, ticks: 12 * 1_080_000 }),
            SqlType::datetime(),
            SqlType::int(),
            "2",
        ),
        (
            DateTime(crate::value::DateTime { days: 1, ticks: 6 * 1_080_000 }),
            SqlType::datetime(),
            SqlType::float(),
            "1.25",
        ),
        (
            Int(1),
            SqlType::int(),
            SqlType::date(),
            "529 Explicit conversion from data type int to date is not allowed.",
        ),
        (
            Int(1),
            SqlType::int(),
            SqlType::uniqueidentifier(),
            "529 Explicit conversion from data type int to uniqueidentifier is not allowed.",
        ),
        (
            Money(1 << 60),
            SqlType::money(),
            SqlType::smallmoney(),
            "8115 Arithmetic overflow error converting expression to data type smallmoney.",
        ),
        (
            Float(1e300),
            SqlType::float(),
            SqlType::real(),
            "232 Arithmetic overflow error for type real, value =",
        ),
    ] {
        let got = between(value, from, to, None);
        if expected.ends_with('=') {
            assert!(got.starts_with(expected));
        } else {
            assert_eq!(got, expected, "{value:?} to {to}");
        }
    }
}

#[test]
fn numbers_as_text_star_or_fail_when_too_long() {
    use ValueRef::*;
    let v = |n| SqlType::varchar(n, C);
    for (value, from, to, style, expected) in [
        (Int(12345), SqlType::int(), v(3), None, "*"),
        (
            Int(12345),
            SqlType::int(),
            SqlType::nvarchar(3, C),
            None,
            "8115 Arithmetic overflow error converting expression to data type nvarchar.",
        ),
        (
            Int(12345),
            SqlType::bigint(),
            v(3),
            None,
            "8115 Arithmetic overflow error converting expression to data type varchar.",
        ),
        (Int(5), SqlType::int(), SqlType::char(3, C), None, "5  "),
        (Money(12_345_678), SqlType::money(), v(30), None, "1234.57"),
        (Money(12_345_678), SqlType::money(), v(30), Some(1), "1,234.57"),
        (Money(12_345_678), SqlType::money(), v(30), Some(2), "1234.5678"),
        (
            Money(12_345_678),
            SqlType::money(),
            v(3),
            None,
            "234 There is insufficient result space to convert a money value to varchar.",
        ),
        (
            Decimal(12345),
            SqlType::decimal(5, 2),
            v(3),
            None,
            "8115 Arithmetic overflow error converting numeric to data type varchar.",
        ),
        (Float(1_234_567.0), SqlType::float(), v(30), None, "1.23457e+006"),
        (Float(1_234_567.0), SqlType::float(), v(30), Some(2), "1.234567000000000e+006"),
        (
            Float(123_456.0),
            SqlType::float(),
            v(3),
            None,
            "232 Arithmetic overflow error for type varchar, value = 123456.000000.",
        ),
        (
            Guid([0; 16]),
            SqlType::uniqueidentifier(),
            v(10),
            None,
            "8170 Insufficient result space to convert uniqueidentifier value to char.",
        ),
        (
            DateTime(crate::value::DateTime { days: 0, ticks: 0 }),
            SqlType::datetime(),
            v(30),
            None,
            "Jan  1 1900 12:00AM",
        ),
        (
            DateTime(crate::value::DateTime { days: 0, ticks: 1 }),
            SqlType::datetime(),
            v(30),
            Some(121),
            "1900-01-01 00:00:00.003",
        ),
        (
            DateTime(crate::value::DateTime { days: 0, ticks: 0 }),
            SqlType::datetime(),
            v(10),
            Some(121),
            "1900-01-01",
        ),
        (
            DateTime(crate::value::DateTime { days: 0, ticks: 0 }),
            SqlType::datetime(),
            v(10),
            Some(999),
            "281 999 is not a valid style number when converting from datetime to a character string.",
        ),
        (
            Date(0),
            SqlType::date(),
            v(30),
            Some(108),
            "9809 The style 108 is not supported for conversions from date to varchar.",
        ),
        (Int(1), SqlType::bit(), v(1), None, "1"),
        (Bytes(&[0xAB, 0x01]), SqlType::varbinary(2), v(30), Some(1), "0xAB01"),
        (Bytes(&[0xAB, 0x01]), SqlType::varbinary(2), v(30), Some(2), "AB01"),
        (Bytes(b"hi"), SqlType::varbinary(2), v(30), None, "hi"),
    ] {
        assert_eq!(between(value, from, to, style), expected, "{value:?} to {to}");
    }
}

#[test]
fn binaries_hold_the_bytes_that_sql_server_shows() {
    use ValueRef::*;
    let b = SqlType::varbinary(30);
    for (value, from, to, expected) in [
        (Int(1), SqlType::int(), b, "0x00000001"),
        (Int(1), SqlType::int(), SqlType::binary(2), "0x0001"),
        (Int(1), SqlType::int(), SqlType::binary(8), "0x0000000000000001"),
        (Int(-1), SqlType::smallint(), b, "0xFFFF"),
        (Int(255), SqlType::tinyint(), b, "0xFF"),
        (Money(10_000), SqlType::money(), b, "0x0000000000002710"),
        (Decimal(12345), SqlType::decimal(10, 2), b, "0x0A02000139300000"),
        (Decimal(-1), SqlType::decimal(10, 2), b, "0x0A02000001000000"),
        (Float(1.0), SqlType::float(), b, "0x3FF0000000000000"),
        (
            DateTime(crate::value::DateTime { days: 1, ticks: 2 }),
            SqlType::datetime(),
            b,
            "0x0000000100000002",
        ),
        (Date(1), SqlType::date(), b, "0x010000"),
        (Time(10_000_000), SqlType::time(0), b, "0x00010000"),
        (Chars(b"ab"), SqlType::varchar(2, C), b, "0x6162"),
        (Chars(b"ab"), SqlType::varchar(2, C), SqlType::binary(3), "0x616200"),
        (Unicode(&[97, 0]), SqlType::nvarchar(1, C), b, "0x6100"),
    ] {
        assert_eq!(between(value, from, to, None), expected, "{value:?} of {from} to {to}");
    }
    assert_eq!(styled("0xAb01", b, Some(1)), "0xAB01");
    assert_eq!(styled("Ab01", b, Some(2)), "0xAB01");
    assert_eq!(styled("xyz", b, Some(1)), "8114 Error converting data type varchar to varbinary.");
    assert_eq!(
        between(Bytes(&[1, 2, 3, 4, 5]), b, SqlType::int(), None),
        (0x0203_0405).to_string()
    );
    assert_eq!(between(Bytes(&[0xFF]), b, SqlType::int(), None), "255");
    assert_eq!(
        between(Bytes(&[1]), b, SqlType::float(), None),
        "529 Explicit conversion from data type varbinary to float is not allowed."
    );
}

#[test]
fn strings_are_cut_padded_and_recoded() {
    let arena = Arena::new();
    let options = ConvertOptions::default();
    let text = chars("Grüße");
    let from = SqlType::varchar(10, C);
    let run = |to: SqlType| convert(ValueRef::Chars(&text), &from, &to, &options, &arena).unwrap();
    assert_eq!(run(SqlType::varchar(3, C)), ValueRef::Chars(&chars("Grü")));
    assert_eq!(run(SqlType::char(7, C)), ValueRef::Chars(&chars("Grüße  ")));
    let mut wide = Vec::new();
    string_to_unicode("Grüße ", &mut wide);
    assert_eq!(run(SqlType::nchar(6, C)), ValueRef::Unicode(&wide));
    let utf8 = Collation::LATIN1_BIN2_UTF8;
    assert_eq!(run(SqlType::varchar(3, utf8)), ValueRef::Chars(b"Gr"));
    assert_eq!(run(SqlType::varchar(20, utf8)), ValueRef::Chars("Grüße".as_bytes()));
    // What does not change is not copied.
    match run(SqlType::varchar(20, C)) {
        ValueRef::Chars(bytes) => assert_eq!(bytes.as_ptr(), text.as_ptr()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn assignment_refuses_what_would_be_lost() {
    let arena = Arena::new();
    let refuse = |overlong| ConvertOptions { overlong, ..ConvertOptions::default() };
    let from = SqlType::varchar(10, C);
    let to = SqlType::varchar(3, C);
    let named = refuse(Overlong::RefuseFor { table: "db.dbo.t", column: "c" });
    let e = convert(ValueRef::Chars(b"abcdef"), &from, &to, &named, &arena).unwrap_err();
    assert_eq!(e.number(), 2628);
    assert_eq!(
        e.text(),
        "String or binary data would be truncated in table 'db.dbo.t', column 'c'. Truncated value: 'abc'."
    );
    let plain = refuse(Overlong::Refuse);
    let e = convert(ValueRef::Chars(b"abcdef"), &from, &to, &plain, &arena).unwrap_err();
    assert_eq!(e.number(), 8152);
    let blanks = convert(ValueRef::Chars(b"abc   "), &from, &to, &plain, &arena).unwrap();
    assert_eq!(blanks, ValueRef::Chars(b"abc"));
    let e = convert(
        ValueRef::Bytes(&[1, 0]),
        &SqlType::varbinary(2),
        &SqlType::varbinary(1),
        &plain,
        &arena,
    );
    assert_eq!(e.unwrap_err().number(), 8152);
}

#[test]
fn try_convert_gives_null_but_not_for_impossible_pairs() {
    let arena = Arena::new();
    let options = ConvertOptions::default();
    let from = SqlType::varchar(3, C);
    let value = ValueRef::Chars(b"abc");
    assert_eq!(
        try_convert(value, &from, &SqlType::int(), &options, &arena).unwrap(),
        ValueRef::Null
    );
    let e = try_convert(ValueRef::Int(1), &SqlType::int(), &SqlType::date(), &options, &arena);
    assert_eq!(e.unwrap_err().number(), 529);
}

#[test]
fn values_are_displayed_as_keys_are_listed() {
    for (value, ty, expected) in [
        (ValueRef::Null, SqlType::int(), "<NULL>"),
        (ValueRef::Int(-5), SqlType::int(), "-5"),
        (ValueRef::Chars(b"abc  "), SqlType::char(5, C), "abc  "),
        (ValueRef::Bytes(&[1, 0xAB]), SqlType::varbinary(2), "0x01AB"),
        (
            ValueRef::Bytes(&[0, 0, 0, 0, 0, 0, 7, 0xD1]),
            SqlType::rowversion(),
            "0x00000000000007D1",
        ),
        (
            ValueRef::DateTime(DateTime { days: 0, ticks: 0 }),
            SqlType::datetime(),
            "Jan  1 1900 12:00AM",
        ),
        (ValueRef::Unicode(&[0xAC, 0x20]), SqlType::nvarchar(1, C), "€"),
    ] {
        assert_eq!(display(value, &ty), expected);
    }
}

#[test]
fn variants_wrap_and_unwrap() {
    let arena = Arena::new();
    let options = ConvertOptions::default();
    let variant = SqlType::sql_variant();
    let wrapped =
        convert(ValueRef::Decimal(150), &SqlType::decimal(5, 2), &variant, &options, &arena)
            .unwrap();
    assert!(matches!(wrapped, ValueRef::Bytes(_)));
    let again = convert(wrapped, &variant, &variant, &options, &arena).unwrap();
    assert_eq!(again, wrapped);
    let int = convert(wrapped, &variant, &SqlType::int(), &options, &arena).unwrap();
    assert_eq!(int, ValueRef::Int(1));
    let e = convert(ValueRef::Chars(b"x"), &SqlType::varchar_max(C), &variant, &options, &arena);
    assert_eq!(
        e.unwrap_err().text(),
        "Operand type clash: varchar(max) is incompatible with sql_variant"
    );
}

#[test]
fn dates_read_in_the_sessions_language() {
    let arena = Arena::new();
    let dates = DateSettings::of(Language::by_name("British").unwrap());
    let options = ConvertOptions { dates, ..ConvertOptions::default() };
    let from = SqlType::varchar(10, C);
    let value =
        convert(ValueRef::Chars(b"01/02/2003"), &from, &SqlType::datetime(), &options, &arena)
            .unwrap();
    assert_eq!(show(value, &SqlType::datetime()), "2003-02-01 00:00:00.000");
    assert_eq!(Moment::of(value).offset, 0);
}

#[test]
fn strings_become_json_and_json_strings() {
    let json = SqlType::json();
    assert_eq!(cast(r#" [ "\u0041" ] "#, json), r#"["A"]"#);
    let wide = SqlType::nvarchar_max(C);
    for (text, expected) in [("[\"né\"]", "[\"né\"]"), ("[\"é\",x]", "x 6")] {
        let bytes = Value::unicode(text);
        let got = between(bytes.as_ref(), wide, json, None);
        let place = "13609 JSON text is not properly formatted. Unexpected character 'x' is found at position 6.";
        assert_eq!(got, expected.replace("x 6", place));
    }
    let document = ValueRef::Chars("[\"é\"]".as_bytes());
    assert_eq!(between(document, json, SqlType::varchar(5, C), None), "[\"é\"]");
    assert_eq!(between(document, json, SqlType::nchar(7, C), None), "[\"é\"]  ");
    for short in [SqlType::varchar(4, C), SqlType::nvarchar(4, C)] {
        let refused = "13639 Target string size is too small to represent the JSON instance.";
        assert_eq!(between(document, json, short, None), refused);
    }
    let refused = "529 Explicit conversion from data type json to text is not allowed.";
    assert_eq!(between(document, json, SqlType::text(C), None), refused);
}

#[test]
fn strings_and_binaries_become_xml_and_back() {
    let xml = SqlType::xml();
    assert_eq!(cast("<a> <b></b> é</a>", xml), "<a><b/> é</a>");
    let wide = SqlType::nvarchar_max(C);
    for (text, expected) in [
        ("<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é</a>", "<a>é</a>"),
        (
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><a/>",
            "9402 XML parsing: line 1, character 38, unable to switch the encoding",
        ),
    ] {
        assert_eq!(between(Value::unicode(text).as_ref(), wide, xml, None), expected);
    }
    for (text, expected) in [
        ("<?xml version=\"1.0\" encoding=\"utf-8\"?><a>é</a>", "<a>é</a>"),
        (
            "<?xml version=\"1.0\" encoding=\"bogus\"?><a/>",
            "9401 XML parsing: line 1, character 38, unrecognized encoding",
        ),
        (
            "<?xml version=\"1.0\" encoding=\"utf-16\"?><a/>",
            "9402 XML parsing: line 1, character 39, unable to switch the encoding",
        ),
    ] {
        let value = ValueRef::Chars(text.as_bytes());
        assert_eq!(between(value, SqlType::varchar_max(C), xml, None), expected);
        let value = ValueRef::Bytes(text.as_bytes());
        assert_eq!(between(value, SqlType::varbinary_max(), xml, None), expected);
    }
    let half = ValueRef::Unicode(b"<\0a\0>\0\0\xD8");
    let refused = "9420 XML parsing: line 1, character 4, illegal xml character";
    assert_eq!(between(half, wide, xml, None), refused);
    let document = ValueRef::Chars("<é/>".as_bytes());
    assert_eq!(between(document, xml, SqlType::varchar(4, C), None), "<é/>");
    assert_eq!(between(document, xml, SqlType::nchar(6, C), None), "<é/>  ");
    for short in [SqlType::varchar(3, C), SqlType::nvarchar(3, C)] {
        let refused = "6354 Target string size is too small to represent the XML instance";
        assert_eq!(between(document, xml, short, None), refused);
    }
    let refused =
        "6355 Conversion of one or more characters from XML to target collation impossible";
    let wide = ValueRef::Chars("<a>Ж</a>".as_bytes());
    assert_eq!(between(wide, xml, SqlType::varchar_max(C), None), refused);
    let refused = "529 Explicit conversion from data type xml to text is not allowed.";
    assert_eq!(between(document, xml, SqlType::text(C), None), refused);
}

#[test]
fn try_cast_to_json_absorbs_only_what_is_no_document() {
    let tried = |text: &str| {
        let from = SqlType::varchar_max(C);
        let (arena, options) = (Arena::new(), ConvertOptions::default());
        let value = ValueRef::Chars(text.as_bytes());
        let result = try_convert(value, &from, &SqlType::json(), &options, &arena);
        result.map(|value| value.is_null()).map_err(|e| e.number())
    };
    assert_eq!(tried("[1]"), Ok(false));
    assert_eq!(tried("[1"), Ok(true));
    assert_eq!(tried("[1e99]"), Err(1007));
    assert_eq!(tried(&"[".repeat(200)), Err(13645));
}

fn any_type() -> impl Strategy<Value = SqlType> {
    (
        prop::sample::select(TypeKind::ALL.to_vec()),
        1u16..60,
        1u8..=38,
        0u8..=38,
        1u16..=66,
        any::<bool>(),
    )
        .prop_map(|(kind, length, precision, scale, collation, max)| {
            let plain = SqlType::of_kind(kind, Collation(collation));
            match kind {
                TypeKind::Decimal | TypeKind::Numeric => {
                    SqlType::exact(kind, precision, scale.min(precision))
                }
                TypeKind::Time => SqlType::time(scale % 8),
                TypeKind::DateTime2 => SqlType::datetime2(scale % 8),
                TypeKind::DateTimeOffset => SqlType::datetimeoffset(scale % 8),
                TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary if max => {
                    SqlType { length: SqlType::MAX, ..plain }
                }
                TypeKind::NChar | TypeKind::NVarChar => SqlType { length: 2 * length, ..plain },
                TypeKind::Char | TypeKind::VarChar | TypeKind::Binary | TypeKind::VarBinary => {
                    SqlType { length, ..plain }
                }
                _ => plain,
            }
        })
}

/// Values of a type that conversion itself could have produced.
fn value_of(
    ty: SqlType,
    seed: &[u8],
    text: &str,
    arena: &Arena,
) -> Option<(SqlType, Vec<u8>, i128)> {
    let _ = arena;
    let number = seed.iter().fold(0i128, |n, &b| n << 7 ^ i128::from(b));
    Some((
        ty,
        if ty.kind.is_unicode() {
            let mut out = Vec::new();
            string_to_unicode(text, &mut out);
            out
        } else if ty.kind.is_chars() {
            let mut out = Vec::new();
            string_to_chars(ty.collation, text, &mut out);
            out
        } else {
            seed.to_vec()
        },
        number,
    ))
}

fn value_ref<'a>(ty: &SqlType, bytes: &'a [u8], n: i128) -> ValueRef<'a> {
    let limit = ty.byte_limit().min(bytes.len());
    let cut = &bytes[..if ty.kind.is_unicode() { limit & !1 } else { limit }];
    let day = n.rem_euclid(3_652_059) as i64;
    let ticks = n.rem_euclid(864_000_000_000) as i64;
    match ty.kind.repr() {
        Repr::Int => match ty.kind {
            TypeKind::Bit => ValueRef::Int((n & 1) as i64),
            TypeKind::TinyInt => ValueRef::Int((n & 255) as i64),
            TypeKind::SmallInt => ValueRef::Int(i64::from(n as i16)),
            TypeKind::Int => ValueRef::Int(i64::from(n as i32)),
            _ => ValueRef::Int(n as i64),
        },
        Repr::Money if ty.kind == TypeKind::SmallMoney => ValueRef::Money(i64::from(n as i32)),
        Repr::Money => ValueRef::Money(n as i64),
        Repr::Decimal => ValueRef::Decimal(n % crate::decimal::pow10(u32::from(ty.precision))),
        Repr::Float if ty.kind == TypeKind::Real => ValueRef::Float(f64::from(n as f32)),
        Repr::Float => ValueRef::Float(if f64::from_bits(n as u64).is_finite() {
            f64::from_bits(n as u64)
        } else {
            n as f64
        }),
        Repr::Chars => ValueRef::Chars(cut),
        Repr::Unicode => ValueRef::Unicode(cut),
        Repr::Bytes => ValueRef::Bytes(cut),
        Repr::Date => ValueRef::Date(day as i32),
        Repr::Time => ValueRef::Time(ticks),
        Repr::DateTime => ValueRef::DateTime(DateTime {
            days: (day as i32).min(3_012_153) - 53_690,
            ticks: (ticks % 25_920_000) as u32,
        }),
        Repr::SmallDateTime => ValueRef::SmallDateTime(n.rem_euclid(65_536 * 1440) as i64),
        Repr::DateTime2 => ValueRef::DateTime2(day * 864_000_000_000 + ticks),
        Repr::DateTimeOffset => ValueRef::DateTimeOffset(DateTimeOffset {
            utc_ticks: (day.clamp(1, 3_652_057)) * 864_000_000_000 + ticks,
            offset_minutes: (n % 841) as i16,
        }),
        Repr::Guid => {
            let mut guid = [0; 16];
            guid[..bytes.len().min(16)].copy_from_slice(&bytes[..bytes.len().min(16)]);
            ValueRef::Guid(guid)
        }
        Repr::Variant => ValueRef::Bytes(bytes),
    }
}

fn likely_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+ $]{0,2}[0-9]{0,12}[.,]?[0-9]{0,5}(e[+-]?[0-9]{1,3})?",
        "[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}[ T]?([0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\\.[0-9]{1,8})?)?)?( ?[AP]M)?",
        "(Jan|Feb|may|[a-z]{3}) ?[0-9]{1,4},? ?[0-9]{0,4}",
        "\\PC{0,12}",
        "0x[0-9a-fA-F]{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Whatever is converted to whatever: no panic, a value that is of its type, and error 529
    /// exactly where the chart says that types do not convert.
    #[test]
    fn conversion_never_panics(from in any_type(), to in any_type(), text in likely_text(),
                               seed in prop::collection::vec(any::<u8>(), 0..24),
                               style in prop::option::of(prop_oneof![0i32..30, 100i32..132])) {
        let arena = Arena::new();
        let (from, bytes, n) = value_of(from, &seed, &text, &arena).unwrap();
        let value = value_ref(&from, &bytes, n);
        for overlong in [Overlong::Cut, Overlong::Refuse] {
            let options = ConvertOptions { style, overlong, ..ConvertOptions::default() };
            let result = convert(value, &from, &to, &options, &arena);
            let never = convertibility(from.kind, to.kind) == Convertibility::Never;
            match result {
                Ok(value) => {
                    prop_assert!(!never, "{from} to {to} is not allowed");
                    check_of_type(value, &to)?;
                }
                Err(e) if never => prop_assert_eq!(e.number(), 529, "{} to {}: {}", from, to, e),
                Err(e) => {
                    // Shapes are made by what the options have for them: nothing here.
                    let has_shape = from.kind.is_spatial() || to.kind.is_spatial();
                    let may_not = from.kind == TypeKind::SqlVariant || has_shape;
                    prop_assert!(e.number() != 529 || may_not, "{} to {}: {}", from, to, e);
                }
            }
        }
    }
}

fn check_of_type(value: ValueRef<'_>, ty: &SqlType) -> Result<(), TestCaseError> {
    let fits = match (value, ty.kind.repr()) {
        (ValueRef::Int(v), Repr::Int) => match ty.kind {
            TypeKind::Bit => (0..=1).contains(&v),
            TypeKind::TinyInt => (0..=255).contains(&v),
            TypeKind::SmallInt => i16::try_from(v).is_ok(),
            TypeKind::Int => i32::try_from(v).is_ok(),
            _ => true,
        },
        (ValueRef::Money(v), Repr::Money) => ty.kind == TypeKind::Money || i32::try_from(v).is_ok(),
        (ValueRef::Decimal(v), Repr::Decimal) => crate::decimal::fits(v, ty.precision),
        (ValueRef::Float(v), Repr::Float) => v.is_finite(),
        (ValueRef::Chars(b), Repr::Chars) => {
            b.len() <= ty.byte_limit()
                && (ty.kind != TypeKind::Char || b.len() == usize::from(ty.length))
        }
        (ValueRef::Unicode(b), Repr::Unicode) => {
            b.len() % 2 == 0
                && b.len() <= ty.byte_limit()
                && (ty.kind != TypeKind::NChar || b.len() == usize::from(ty.length))
        }
        (ValueRef::Bytes(b), Repr::Bytes) => {
            b.len() <= ty.byte_limit()
                && (!matches!(ty.kind, TypeKind::Binary | TypeKind::RowVersion)
                    || b.len() == usize::from(ty.length))
        }
        (ValueRef::Bytes(_), Repr::Variant) => true,
        (ValueRef::Date(_), Repr::Date)
        | (ValueRef::Time(_), Repr::Time)
        | (ValueRef::DateTime(_), Repr::DateTime)
        | (ValueRef::SmallDateTime(_), Repr::SmallDateTime)
        | (ValueRef::DateTime2(_), Repr::DateTime2)
        | (ValueRef::DateTimeOffset(_), Repr::DateTimeOffset)
        | (ValueRef::Guid(_), Repr::Guid) => true,
        _ => false,
    };
    prop_assert!(fits, "{:?} is not a {}", value, ty);
    Ok(())
}

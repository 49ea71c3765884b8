use super::*;
use crate::decimal::Rounding;

#[test]
fn integers_are_read() {
    for (text, expected) in [
        ("", Ok(0)),
        ("  12 ", Ok(12)),
        ("- 5", Ok(-5)),
        ("+", Ok(0)),
        ("-9223372036854775808", Ok(i64::MIN)),
        ("9223372036854775808", Err(IntegerError::Overflow)),
        ("1.0", Err(IntegerError::Syntax)),
        ("12\r", Err(IntegerError::Syntax)),
        ("99999999999999999999x", Err(IntegerError::Syntax)),
    ] {
        assert_eq!(parse_integer(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn floats_are_read_and_written() {
    for (text, expected) in [
        ("1.5", Some(1.5)),
        ("  -1e3 ", Some(-1000.0)),
        ("1D2", Some(100.0)),
        (".5", Some(0.5)),
        ("5.", Some(5.0)),
        ("", Some(0.0)),
        ("e5", None),
        ("1e", None),
        ("1e5.5", None),
        ("1.2.3", None),
        ("inf", None),
        ("nan", None),
        ("-", None),
        ("1 2", None),
    ] {
        assert_eq!(parse_float(text.as_bytes()), expected, "{text:?}");
    }
    for (value, style, expected) in [
        (1.0, 0, "1"),
        (123_456.0, 0, "123456"),
        (1_234_567.0, 0, "1.23457e+006"),
        (1_000_000.0, 0, "1e+006"),
        (999_999.5, 0, "1e+006"),
        (0.0001, 0, "0.0001"),
        (0.00001, 0, "1e-005"),
        (-1.5, 0, "-1.5"),
        (1.0 / 3.0, 0, "0.333333"),
        (1e300, 0, "1e+300"),
        (0.0, 0, "0"),
        (-0.0, 0, "0"),
        (1_234_567.0, 1, "1.2345670e+006"),
        (1_234_567.0, 2, "1.234567000000000e+006"),
        (0.1, 3, "1.0000000000000001e-001"),
        (0.0, 1, "0.0000000e+000"),
    ] {
        assert_eq!(format_float(value, style).as_str(), expected, "{value} in style {style}");
    }
}

#[test]
fn money_is_read_and_written() {
    for (text, expected) in [
        ("$1,234.56789", Ok(12_345_679)),
        ("-$5", Ok(-50_000)),
        ("$-5", Ok(-50_000)),
        ("€ 5", Ok(50_000)),
        ("", Ok(0)),
        (".", Ok(0)),
        ("1.5.5", Err(MoneyError::Syntax)),
        ("abc", Err(MoneyError::Syntax)),
        ("1-", Err(MoneyError::Syntax)),
        ("922337203685477.5807", Ok(i64::MAX)),
        ("922337203685477.5808", Err(MoneyError::Overflow)),
    ] {
        assert_eq!(parse_money(text), expected, "{text:?}");
    }
    for (value, style, expected) in [
        (12_345_678, 0, "1234.57"),
        (12_345_678, 1, "1,234.57"),
        (12_345_678, 2, "1234.5678"),
        (-50, 0, "-0.01"),
        (-49, 0, "0.00"),
        (i64::MIN, 1, "-922,337,203,685,477.58"),
        (i64::MAX, 126, "922337203685477.5807"),
    ] {
        assert_eq!(format_money(value, style).as_str(), expected);
    }
}

#[test]
fn isnumeric_is_generous() {
    for (text, expected) in [
        ("12", true),
        ("1e5", true),
        ("$", true),
        ("-", true),
        (".", true),
        (",", true),
        ("", false),
        (" ", false),
        ("12x", false),
    ] {
        assert_eq!(is_numeric(text), expected, "{text:?}");
    }
}

#[test]
fn str_and_round_follow_sql_server() {
    for (value, length, decimals, expected) in [
        (123.45, 6, 1, " 123.5"),
        (123.45, 2, 2, "**"),
        (123.45, 10, 0, "       123"),
        (-5.0, 10, 0, "        -5"),
        (1.999, 4, 2, "2.00"),
        (12345.6789, 7, 4, "12345.7"),
    ] {
        assert_eq!(str_function(value, length, decimals).as_deref(), Some(expected));
    }
    assert_eq!(str_function(1.0, -1, 0), None);
    assert_eq!(round_float(2.5, 0, Rounding::Round), 3.0);
    assert_eq!(round_float(-2.5, 0, Rounding::Round), -3.0);
    assert_eq!(round_float(150.75, 0, Rounding::Truncate), 150.0);
    assert_eq!(round_float(748.58, -2, Rounding::Round), 700.0);
    assert_eq!(round_float(1e300, 20, Rounding::Round), 1e300);
    assert_eq!(round_integer(-1550, -2, Rounding::Round), -1600);
    assert_eq!(round_integer(1550, -2, Rounding::Truncate), 1500);
    assert_eq!(round_integer(5, -1, Rounding::Round), 10);
    assert_eq!(round_integer(5, -25, Rounding::Round), 0);
}

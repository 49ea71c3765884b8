use ir::function::json::{Marks, PIECE_UNITS, RowPart, RowShape, names};

use crate::func::testing::{check, check_errors, check_types, run, type_of};

/// Bytes as a literal.
fn literal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

/// A call with what the binder adds to it.
fn made(name: &str, args: &[&str], keeps_nulls: bool, json: &[bool]) -> String {
    let marks = literal(&Marks::encode(keeps_nulls, json.iter().copied()));
    let args: Vec<&str> = args.iter().copied().chain([&*marks]).collect();
    run(name, &args).unwrap_or_else(|error| error.to_string())
}

/// A value as an array's only element, without the brackets.
fn rendered(value: &str) -> String {
    let array = made("JSON_ARRAY", &[value], true, &[]);
    array.trim_start_matches('[').trim_end_matches(']').to_owned()
}

#[test]
fn numbers_are_written_as_they_are() {
    for (value, expected) in [
        ("NULL", "null"),
        ("int:NULL", "null"),
        ("5", "5"),
        ("bigint:-9223372036854775808", "-9223372036854775808"),
        ("bit:1", "true"),
        ("bit:0", "false"),
        ("numeric(10,2):1", "1.00"),
        ("decimal(38,0):12345678901234567890", "12345678901234567890"),
        ("0.5", "0.5"),
        ("money:12.34", "12.3400"),
        ("smallmoney:-1.5", "-1.5000"),
        ("float:1.5", "1.500000000000000e+000"),
        ("float:0.1", "1.000000000000000e-001"),
        ("float:-0.0", "-0.000000000000000e+000"),
        ("float:1e300", "1.000000000000000e+300"),
        ("real:1.5", "1.5000000e+000"),
        ("real:0.1", "1.0000000e-001"),
    ] {
        assert_eq!(rendered(value), expected, "{value}");
    }
}

#[test]
fn dates_and_times_are_iso_without_a_fraction_of_zeros() {
    for (value, expected) in [
        ("date:2020-01-02", "\"2020-01-02\""),
        ("datetime:2020-01-02", "\"2020-01-02T00:00:00\""),
        ("datetime:2020-01-02 03:04:05.997", "\"2020-01-02T03:04:05.997\""),
        ("datetime:2020-01-02 03:04:05.100", "\"2020-01-02T03:04:05.100\""),
        ("smalldatetime:2020-01-02 03:04", "\"2020-01-02T03:04:00\""),
        ("datetime2(7):2020-01-02 03:04:05.1234567", "\"2020-01-02T03:04:05.1234567\""),
        ("datetime2(3):2020-01-02 03:04:05", "\"2020-01-02T03:04:05\""),
        ("datetime2(0):2020-01-02 03:04:05", "\"2020-01-02T03:04:05\""),
        ("time(7):03:04:05.0000001", "\"03:04:05.0000001\""),
        ("time(2):03:04:05", "\"03:04:05\""),
        ("datetimeoffset(2):2020-01-02 03:04:05.5 -05:30", "\"2020-01-02T03:04:05.50-05:30\""),
        ("datetimeoffset(7):2020-01-02 03:04:05 +01:00", "\"2020-01-02T03:04:05+01:00\""),
        ("datetimeoffset(2):2020-01-02 03:04:05.5 +00:00", "\"2020-01-02T03:04:05.50Z\""),
        ("datetimeoffset(0):2020-01-02 03:04:05 +00:00", "\"2020-01-02T03:04:05Z\""),
    ] {
        assert_eq!(rendered(value), expected, "{value}");
    }
}

#[test]
fn other_values_are_strings() {
    for (value, expected) in [
        ("'ab'", "\"ab\""),
        ("char(4):ab", "\"ab  \""),
        ("N'é😀'", "\"é😀\""),
        ("text:a/b", "\"a\\/b\""),
        ("'a\"b\\c'", "\"a\\\"b\\\\c\""),
        ("0x", "\"\""),
        ("0x41", "\"QQ==\""),
        ("0x4142", "\"QUI=\""),
        ("0x414243", "\"QUJD\""),
        ("0x0102FF", "\"AQL/\""),
        ("image:0x01", "\"AQ==\""),
        (
            "uniqueidentifier:12345678-1234-1234-1234-1234567890ab",
            "\"12345678-1234-1234-1234-1234567890AB\"",
        ),
        ("sql_variant:a/b", "\"a\\/b\""),
        ("sql_variant:NULL", "null"),
    ] {
        assert_eq!(rendered(value), expected, "{value}");
    }
}

#[test]
fn control_characters_are_escaped_in_each_kind_of_string() {
    let controls = "\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f} \u{7f}";
    let expected = r#""\u0001\b\t\n\u000b\f\r\u001f "#.to_owned() + "\u{7f}\"";
    for value in [format!("varchar(20):{controls}"), format!("nvarchar(20):{controls}")] {
        assert_eq!(rendered(&value), expected, "{value:?}");
    }
}

/// Strings are written piece by piece, which must not show.
#[test]
fn long_strings_are_whole() {
    let text = "é/".repeat(20_000);
    let expected = format!("\"{}\"", "é\\/".repeat(20_000));
    for ty in ["varchar(max)", "nvarchar(max)"] {
        assert_eq!(rendered(&format!("{ty}:{text}")), expected, "{ty}");
    }
    let bytes = literal(&[0; 30_000]);
    assert_eq!(rendered(&bytes), format!("\"{}\"", "A".repeat(40_000)));
}

#[test]
fn objects_and_arrays_treat_null_as_they_are_told() {
    let none = &[false; 4][..];
    let pairs = &["'a'", "1", "'b'", "NULL"][..];
    for (name, args, keeps_nulls, expected) in [
        ("JSON_OBJECT", &[][..], true, "{}"),
        ("JSON_ARRAY", &[], false, "[]"),
        ("JSON_OBJECT", pairs, true, r#"{"a":1,"b":null}"#),
        ("JSON_OBJECT", pairs, false, r#"{"a":1}"#),
        ("JSON_OBJECT", &["'a'", "1", "'a'", "2"], false, r#"{"a":1,"a":2}"#),
        ("JSON_ARRAY", &["NULL", "1", "NULL", "'x'"], false, r#"[1,"x"]"#),
        ("JSON_ARRAY", &["NULL", "1", "NULL", "'x'"], true, r#"[null,1,null,"x"]"#),
        (names::ELEMENT, &["NULL"], true, "null,"),
        (names::ELEMENT, &["NULL"], false, "NULL"),
        (names::MEMBER, &["'a'", "'b'"], false, r#""a":"b","#),
        (names::MEMBER, &["'a'", "NULL"], true, r#""a":null,"#),
        (names::MEMBER, &["'a'", "NULL"], false, "NULL"),
    ] {
        assert_eq!(made(name, args, keeps_nulls, none), expected, "{name} {args:?}");
    }
}

#[test]
fn json_text_is_written_as_it_is() {
    let array = "nvarchar(max):[1, \"a/b\"]";
    assert_eq!(made("JSON_ARRAY", &[array], false, &[true]), "[[1, \"a/b\"]]");
    assert_eq!(made("JSON_ARRAY", &[array], false, &[false]), r#"["[1, \"a\/b\"]"]"#);
    let object = made("JSON_OBJECT", &["'a'", array, "'b'", array], false, &[false, true]);
    assert_eq!(object, r#"{"a":[1, "a/b"],"b":"[1, \"a\/b\"]"}"#);
    assert_eq!(made(names::MEMBER, &["'a'", array], false, &[false, true]), "\"a\":[1, \"a/b\"],");
}

#[test]
fn names_of_properties_are_strings_whatever_they_are_of() {
    for (key, expected) in [
        ("1", "1"),
        ("float:1.5", "1.500000000000000e+000"),
        ("bit:1", "true"),
        ("0x41", "QQ=="),
        ("datetime:2024-01-02 03:04:05", "2024-01-02T03:04:05"),
        ("money:1.5", "1.5000"),
        ("sql_variant:x", "x"),
        ("'a/\"'", "a\\/\\\""),
    ] {
        let object = made("JSON_OBJECT", &[key, "1"], false, &[]);
        assert_eq!(object, format!("{{\"{expected}\":1}}"), "{key}");
    }
    let text = "User error : Name parameter value in 'json_object' cannot be null";
    check_errors(&[
        ("JSON_OBJECT", &["varchar(5):NULL", "1", "0x00"], 13638, text),
        (names::MEMBER, &["NULL", "1", "0x00"], 13638, text),
    ]);
}

#[test]
fn documents_are_long_strings_that_only_parts_may_be_null() {
    check_types(&[
        ("JSON_OBJECT", &["0x00"], "nvarchar(max) not null"),
        ("JSON_ARRAY", &["'a'", "0x0000"], "nvarchar(max) not null"),
        (names::ELEMENT, &["'a'", "0x0000"], "nvarchar(max)"),
        (names::PIECES, &["N'a'"], "bigint"),
    ]);
    assert_eq!(type_of(names::ROW, &["0x00"]), "nvarchar(max) not null");
    check_errors(&[("JSON_OBJECT", &["'a'", "0x0000"], 102, "Incorrect syntax near ')'.")]);
}

fn row(shape: &RowShape, values: &[&str]) -> String {
    let shape = literal(&shape.clone().into_bytes());
    let args: Vec<&str> = values.iter().copied().chain([&*shape]).collect();
    run(names::ROW, &args).unwrap()
}

#[test]
fn objects_of_rows_leave_out_what_is_null_and_objects_without_properties() {
    for (keeps_nulls, values, expected) in [
        (false, ["1", "'x'", "2"], r#"{"a":1,"o\/":{"p":{"q":"x"}},"b":2},"#),
        (false, ["1", "NULL", "2"], r#"{"a":1,"b":2},"#),
        (false, ["NULL", "'x'", "NULL"], r#"{"o\/":{"p":{"q":"x"}}},"#),
        (false, ["NULL", "NULL", "NULL"], "{},"),
        (true, ["NULL", "NULL", "2"], r#"{"a":null,"o\/":{"p":{"q":null}},"b":2},"#),
    ] {
        let mut shape = RowShape::new(keeps_nulls);
        shape.value("a", false);
        shape.open("o/");
        shape.open("p");
        shape.value("q", false);
        shape.close();
        shape.close();
        shape.value("b", true);
        assert_eq!(row(&shape, &values), expected, "{values:?}");
    }
}

#[test]
fn objects_of_outer_levels_stay_open() {
    let mut shape = RowShape::new(false);
    shape.value("a", false);
    shape.array("c\"");
    assert_eq!(row(&shape, &["1"]), r#"{"a":1,"c\"":["#);
    assert_eq!(row(&shape, &["NULL"]), r#"{"c\"":["#);
    let mut shape = RowShape::new(false);
    shape.array("");
    assert_eq!(row(&shape, &[]), r#"{"":["#);
}

#[test]
fn shapes_are_read_as_they_were_written_and_end_where_bytes_do() {
    let mut shape = RowShape::new(true);
    shape.open("é");
    shape.value("", true);
    shape.close();
    let bytes = shape.into_bytes();
    let parts: Vec<RowPart<'_>> = RowShape::parts(&bytes).collect();
    let value = RowPart::Value { name: &[b'"', 0, b'"', 0, b':', 0], json: true };
    let open = RowPart::Open(&[b'"', 0, 0xE9, 0, b'"', 0, b':', 0]);
    assert_eq!(parts, [open, value, RowPart::Close]);
    assert!(RowShape::keeps_nulls(&bytes));
    assert_eq!(RowShape::parts(&bytes[..4]).count(), 0);
    assert_eq!(RowShape::parts(&[]).count(), 0);
}

#[test]
fn documents_are_cut_into_pieces_of_equal_length() {
    let document = format!("nvarchar(max):{}{}b", "a".repeat(PIECE_UNITS - 1), "😀");
    check(&[
        (names::PIECES, &[&document], "2"),
        (names::PIECES, &["N'x'"], "1"),
        (names::PIECES, &["nvarchar(max):NULL"], "NULL"),
        (names::PIECE, &["N'abc'", "1"], "abc"),
        (names::PIECE, &["N'abc'", "2"], "NULL"),
        (names::PIECE, &["N'abc'", "0"], "NULL"),
    ]);
    // The pair of surrogates is cut in two.
    let first = run(names::PIECE, &[&document, "1"]).unwrap();
    assert_eq!(first.encode_utf16().count(), PIECE_UNITS);
    assert!(first.ends_with('\u{FFFD}'), "{first}");
    assert_eq!(run(names::PIECE, &[&document, "2"]).unwrap(), "\u{FFFD}b");
}

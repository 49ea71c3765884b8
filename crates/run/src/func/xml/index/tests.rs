use super::*;
use crate::func::testing::check;

#[test]
fn values_are_the_beginnings_of_texts() {
    let long = format!("nvarchar(200):{}", "x".repeat(200));
    let cut = format!("0x{}", "78".repeat(VALUE_BYTES));
    check(&[
        (names::INDEX_VALUE, &["nvarchar(10):é"], "0xC3A9"),
        (names::INDEX_VALUE, &["varchar(10):ab "], "0x616220"),
        (names::INDEX_VALUE, &["nvarchar(10):NULL"], "NULL"),
        (names::INDEX_VALUE, &[&long], &cut),
    ]);
}

/// N2: whatever a conversion takes for a number has one in its entry, and about the same.
#[test]
fn numbers_of_entries_are_those_of_conversions() {
    use base::convert::{ConvertOptions, convert};
    let texts = [
        "",
        " ",
        "0",
        "-0",
        "5",
        "-5",
        "+5",
        " 5 ",
        "- 5",
        "-",
        "+",
        ".",
        "5.",
        ".5",
        "1.005",
        "1e2",
        "1E-2",
        "1d2",
        "9999999999999999",
        "0.1234567890123456",
        "-1.5",
        "00012",
        "1e400",
        "x",
        "1,5",
        "$1",
        "true",
        "2020-01-01",
        "12:00:00",
        "2147483647",
        "1 2",
    ];
    let types = [
        SqlType::int(),
        SqlType::bigint(),
        SqlType::float(),
        SqlType::real(),
        SqlType::decimal(38, 2),
        SqlType::decimal(18, 0),
    ];
    let from = SqlType::nvarchar_max(base::Collation::DEFAULT);
    let arena = base::Arena::new();
    for text in texts {
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for to in &types {
            let options = ConvertOptions::default();
            let Ok(value) = convert(ValueRef::Unicode(&units), &from, to, &options, &arena) else {
                continue;
            };
            let value = match value {
                ValueRef::Int(value) => value as f64,
                ValueRef::Decimal(value) => base::decimal::to_f64(value, to.scale),
                ValueRef::Float(value) => value,
                other => panic!("{other:?}"),
            };
            let own = xquery::index::number(text).unwrap_or_else(|| panic!("{text:?} as {to:?}"));
            let step =
                if to.kind == base::TypeKind::Decimal { 0.1f64.powi(to.scale.into()) } else { 0.0 };
            let margin = 1e-9 + step + value.abs() * 1e-6;
            assert!((own - value).abs() <= margin, "{text:?} as {to:?}: {own} and {value}");
        }
    }
}

#[test]
fn bounds_are_moved_in_the_direction_of_their_margins() {
    check(&[
        (names::INDEX_BOUND, &["int:5", "float:-0", "float:-0.5"], "4.5"),
        (names::INDEX_BOUND, &["decimal(5,2):1.25", "float:0.1", "float:0.125"], "1.5"),
        (names::INDEX_BOUND, &["int:NULL", "float:0", "float:1"], "NULL"),
    ]);
}

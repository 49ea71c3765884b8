use super::*;

#[test]
fn the_chart_has_its_known_corners() {
    use Convertibility::{Explicit, Implicit, Never};
    for (from, to, expected) in [
        (Int, Date, Never),
        (Int, DateTime, Implicit),
        (DateTime, Int, Explicit),
        (DateTime, Date, Implicit),
        (Date, Time, Never),
        (VarChar, VarBinary, Explicit),
        (VarBinary, VarChar, Implicit),
        (VarBinary, Float, Never),
        (VarBinary, Int, Implicit),
        (Int, UniqueIdentifier, Never),
        (UniqueIdentifier, VarChar, Implicit),
        (SqlVariant, Int, Explicit),
        (Int, SqlVariant, Implicit),
        (Text, VarChar, Implicit),
        (Text, NVarChar, Explicit),
        (Image, VarChar, Never),
        (Bit, Money, Implicit),
        (DateTime2, Int, Never),
        (NChar, Xml, Implicit),
        (NText, Xml, Implicit),
        (Image, Xml, Implicit),
        (Xml, VarBinary, Explicit),
        (Xml, NVarChar, Explicit),
        (Xml, NText, Never),
        (Xml, SqlVariant, Never),
        (SqlVariant, Xml, Never),
        (Int, Xml, Never),
        (Json, Xml, Never),
        (NChar, Json, Implicit),
        (Json, VarChar, Explicit),
        (Text, Json, Never),
        (Json, NText, Never),
        (Json, SqlVariant, Never),
        (SqlVariant, Json, Never),
        (Json, VarBinary, Never),
    ] {
        assert_eq!(convertibility(from, to), expected, "{from} to {to}");
    }
}

#[test]
fn forbidden_pairs_raise_sql_servers_errors() {
    let e = check_explicit(Int, Date).unwrap_err();
    assert_eq!(e.number(), 529);
    assert_eq!(e.text(), "Explicit conversion from data type int to date is not allowed.");
    assert_eq!(check_implicit(DateTime, Int).unwrap_err().number(), 257);
    let e = check_implicit(Int, Date).unwrap_err();
    assert_eq!(e.number(), 206);
    assert_eq!(e.text(), "Operand type clash: int is incompatible with date");
}

#[test]
fn conversions_that_hold_every_value_do_not_overflow() {
    let collation = crate::Collation::DEFAULT;
    for (from, to, expected) in [
        (SqlType::tinyint(), SqlType::smallint(), false),
        (SqlType::smallint(), SqlType::tinyint(), true),
        (SqlType::int(), SqlType::bigint(), false),
        (SqlType::bigint(), SqlType::int(), true),
        (SqlType::bit(), SqlType::tinyint(), false),
        (SqlType::int(), SqlType::bit(), false),
        (SqlType::int(), SqlType::decimal(10, 0), false),
        (SqlType::int(), SqlType::decimal(10, 1), true),
        (SqlType::decimal(9, 0), SqlType::int(), false),
        (SqlType::decimal(10, 0), SqlType::int(), true),
        (SqlType::decimal(5, 2), SqlType::decimal(6, 3), false),
        (SqlType::decimal(5, 2), SqlType::decimal(5, 1), true),
        (SqlType::decimal(38, 0), SqlType::float(), false),
        (SqlType::int(), SqlType::money(), false),
        (SqlType::bigint(), SqlType::money(), true),
        (SqlType::float(), SqlType::real(), true),
        (SqlType::real(), SqlType::float(), false),
        (SqlType::float(), SqlType::int(), true),
        (SqlType::int(), SqlType::datetime(), true),
        (SqlType::varchar(5, collation), SqlType::int(), false),
        (SqlType::varchar(5, collation), SqlType::decimal(5, 0), true),
        (SqlType::varchar(5, collation), SqlType::varchar(1, collation), false),
        (SqlType::date(), SqlType::varchar(1, collation), false),
        (SqlType::decimal(5, 2), SqlType::varchar(2, collation), true),
        (SqlType::varbinary(9), SqlType::int(), false),
    ] {
        assert_eq!(may_overflow(&from, &to), expected, "{from:?} to {to:?}");
    }
}

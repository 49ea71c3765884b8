use super::*;

#[test]
fn names_are_found_in_any_case() {
    let c = Collation::by_name("sql_latin1_general_cp1_ci_as").unwrap();
    assert_eq!(c, Collation::DEFAULT);
    assert_eq!(Collation::LATIN1_BIN2.name(), "Latin1_General_BIN2");
    assert_eq!(Collation::LATIN1_BIN2_UTF8.name(), "Latin1_General_100_BIN2_UTF8");
    let e = Collation::by_name("Klingon_CI_AS").unwrap_err();
    assert_eq!((e.number(), e.text()), (448, "Invalid collation 'Klingon_CI_AS'."));
}

#[test]
fn wire_forms_are_sql_servers() {
    for (name, bytes) in [
        ("SQL_Latin1_General_CP1_CI_AS", [0x09, 0x04, 0xD0, 0x00, 0x34]),
        ("SQL_Latin1_General_CP1_CS_AS", [0x09, 0x04, 0xC0, 0x00, 0x33]),
        ("Latin1_General_CI_AS", [0x09, 0x04, 0xD0, 0x00, 0x00]),
        ("Latin1_General_100_CI_AS", [0x09, 0x04, 0xD0, 0x20, 0x00]),
        ("Latin1_General_BIN2", [0x09, 0x04, 0x00, 0x02, 0x00]),
        ("Latin1_General_100_CI_AS_SC_UTF8", [0x09, 0x04, 0xD0, 0x24, 0x00]),
        ("Latin1_General_100_BIN2_UTF8", [0x09, 0x04, 0x00, 0x26, 0x00]),
    ] {
        let c = Collation::by_name(name).unwrap();
        assert_eq!(c.to_tds(), bytes, "{name}");
        assert_eq!(Collation::from_tds(bytes), Some(c), "{name}");
    }
    assert_eq!(Collation::from_tds([1, 2, 3, 4, 5]), None);
}

#[test]
fn descriptions_read_like_fn_helpcollations() {
    assert_eq!(
        Collation::DEFAULT.description(),
        "Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data"
    );
    assert_eq!(
        Collation::LATIN1_BIN2.description(),
        "Latin1-General, binary code point comparison sort"
    );
}

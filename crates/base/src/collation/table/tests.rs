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

#[test]
fn there_are_as_many_as_in_sql_server() {
    let mut names: Vec<&str> = Collation::all().map(|c| c.name()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (5602, 5602));
    assert_eq!(names.iter().filter(|name| name.starts_with("SQL_")).count(), 77);
    for c in Collation::all() {
        assert_eq!(Collation::by_name(&c.name().to_uppercase()).unwrap(), c);
        assert!(c.exists() && !c.description().is_empty());
    }
    assert!(!Collation(0).exists() && !Collation(127).exists() && !Collation(u16::MAX).exists());
}

/// Ids are in catalogs.
#[test]
fn ids_stay() {
    for (name, id) in [
        ("SQL_Latin1_General_CP1_CI_AS", 1),
        ("Greek_100_CI_AS", 66),
        ("SQL_1xCompat_CP850_CI_AS", 67),
        ("SQL_SwedishStd_Pref_CP1_CI_AS", 115),
        ("Latin1_General_CI_AI_WS", 131),
        ("Albanian_BIN", 560),
        ("Japanese_XJIS_140_BIN2_UTF8", 9554),
    ] {
        assert_eq!(Collation::by_name(name).map(|c| c.0), Ok(id), "{name}");
    }
}

#[test]
fn combinations_that_do_not_exist_have_no_name() {
    for name in [
        "Japanese_CI_AS_SC",
        "Japanese_CI_AS_VSS",
        "Japanese_XJIS_100_CI_AS_VSS",
        "Japanese_XJIS_140_CI_AS_SC",
        "Japanese_XJIS_140_CI_AS_SC_UTF8",
        "Latin1_General_CI_AS_UTF8",
        "Latin1_General_100_CI_AS_UTF8",
        "Latin1_General_100_BIN_UTF8",
        "Latin1_General_90_CI_AS",
        "Latin1_General_CI_AS_WS_KS",
        "Latin1_General",
        "",
    ] {
        assert!(Collation::by_name(name).is_err(), "{name}");
    }
}

#[test]
fn families_have_their_languages_on_the_wire() {
    for (name, bytes) in [
        ("Japanese_XJIS_140_CI_AS", [0x11, 0x04, 0xD0, 0x30, 0x00]),
        ("Chinese_PRC_Stroke_90_CS_AS", [0x04, 0x08, 0xC2, 0x10, 0x00]),
        ("German_PhoneBook_CI_AI", [0x07, 0x04, 0xF1, 0x00, 0x00]),
        ("Turkish_100_BIN2", [0x1F, 0x04, 0x00, 0x22, 0x00]),
        ("SQL_Czech_CP1250_CI_AS", [0x05, 0x04, 0xD0, 0x00, 84]),
    ] {
        let c = Collation::by_name(name).unwrap();
        assert_eq!(c.to_tds(), bytes, "{name}");
        assert_eq!(Collation::from_tds(bytes), Some(c), "{name}");
    }
    let vss = Collation::by_name("Japanese_XJIS_140_CI_AS_VSS").unwrap();
    assert_eq!(
        vss.description(),
        "Japanese-XJIS-140, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary characters, variation selector sensitive"
    );
    let czech = Collation::by_name("SQL_Czech_CP1250_CS_AS").unwrap();
    assert_eq!(
        czech.description(),
        "Czech, case-sensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 83 on Code Page 1250 for non-Unicode Data"
    );
}

use super::*;

fn every_type() -> Vec<SqlType> {
    let c = Collation(1);
    let mut types = vec![
        SqlType::bit(),
        SqlType::tinyint(),
        SqlType::smallint(),
        SqlType::int(),
        SqlType::bigint(),
        SqlType::smallmoney(),
        SqlType::money(),
        SqlType::real(),
        SqlType::float(),
        SqlType::date(),
        SqlType::smalldatetime(),
        SqlType::datetime(),
        SqlType::uniqueidentifier(),
        SqlType::sql_variant(),
        SqlType::image(),
        SqlType::text(c),
        SqlType::ntext(c),
        SqlType::char(10, c),
        SqlType::varchar(8000, c),
        SqlType::varchar_max(c),
        SqlType::nchar(10, c),
        SqlType::nvarchar(4000, c),
        SqlType::nvarchar_max(c),
        SqlType::binary(3),
        SqlType::varbinary(8000),
        SqlType::varbinary_max(),
    ];
    for scale in 0..=7 {
        types.extend([
            SqlType::time(scale),
            SqlType::datetime2(scale),
            SqlType::datetimeoffset(scale),
        ]);
    }
    for precision in 1..=38 {
        types.extend([SqlType::decimal(precision, 0), SqlType::numeric(precision, precision)]);
    }
    types
}

#[test]
fn every_type_survives_the_wire() {
    for ty in every_type() {
        for nullable in [false, true] {
            let info = TypeInfo::for_sql(&ty, nullable, TdsVersion::V7_4);
            let mut bytes = Vec::new();
            info.write(&mut bytes, Some("db"));
            let mut r = ByteReader::new(&bytes);
            assert_eq!(TypeInfo::read(&mut r, UdtForm::Described), Ok(info));
            assert!(r.is_empty());
            assert_eq!(info.to_sql(Collation(1)), ty);
        }
    }
}

#[test]
fn old_versions_get_types_that_they_know() {
    let names = |ty: SqlType, version| {
        let info = TypeInfo::for_sql(&ty, true, version);
        (info.ty, info.length)
    };
    let c = Collation(1);
    use TdsVersion::{V7_1, V7_2, V7_3A};
    assert_eq!(names(SqlType::varchar_max(c), V7_1), (WireType::Text, 0x7FFF_FFFF));
    assert_eq!(names(SqlType::nvarchar_max(c), V7_1), (WireType::NText, 0x7FFF_FFFE));
    assert_eq!(names(SqlType::varbinary_max(), V7_1), (WireType::Image, 0x7FFF_FFFF));
    assert_eq!(names(SqlType::nvarchar_max(c), V7_2), (WireType::NVarChar, 0xFFFF));
    assert_eq!(names(SqlType::date(), V7_2), (WireType::NVarChar, 20));
    assert_eq!(names(SqlType::time(7), V7_2), (WireType::NVarChar, 32));
    assert_eq!(names(SqlType::datetime2(0), V7_2), (WireType::NVarChar, 38));
    assert_eq!(names(SqlType::datetimeoffset(7), V7_2), (WireType::NVarChar, 68));
    assert_eq!(names(SqlType::datetimeoffset(7), V7_3A), (WireType::DateTimeOffset, 10));
}

#[test]
fn xml_with_schemas_names_them() {
    let info = TypeInfo::for_sql(&SqlType::xml(), true, TdsVersion::V7_4);
    let schemas =
        XmlCollectionName { database: "d".into(), schema: "dbo".into(), name: "cé".into() };
    let mut bytes = Vec::new();
    info.write_of(&mut bytes, Some(&schemas), None);
    let expected = b"\xF1\x01\x01d\0\x03d\0b\0o\0\x02\0c\0\xE9\0";
    assert_eq!(bytes, expected);
    let mut r = ByteReader::new(&bytes);
    assert_eq!(TypeInfo::read(&mut r, UdtForm::Described), Ok(info));
    assert!(r.is_empty());
    let mut bytes = Vec::new();
    info.write_of(&mut bytes, None, None);
    assert_eq!(bytes, [0xF1, 0]);
    // An old client gets ntext, which has none.
    let old = TypeInfo::for_sql(&SqlType::xml(), true, TdsVersion::V7_1);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    old.write_of(&mut with, Some(&schemas), None);
    old.write(&mut without, None);
    assert_eq!(with, without);
}

/// What a client sends as json may be anything.
#[test]
fn json_is_a_byte_and_comes_as_a_string() {
    let info = TypeInfo::for_sql(&SqlType::json(), true, TdsVersion::V7_4);
    let mut bytes = Vec::new();
    info.write(&mut bytes, Some("db"));
    assert_eq!(bytes, [0xF4]);
    assert_eq!(info.layout(Place::Row), Layout::Chunked);
    let read = TypeInfo::read(&mut ByteReader::new(&bytes), UdtForm::Described).unwrap();
    assert_eq!(read.to_sql(Collation(1)), SqlType::varchar_max(Collation::LATIN1_BIN2_UTF8));
    let old = TypeInfo::for_sql(&SqlType::json(), true, TdsVersion::V7_1);
    assert_eq!((old.ty, old.length), (WireType::Text, 0x7FFF_FFFF));
}

/// What a client sends as a CLR type may be anything.
#[test]
fn clr_types_have_names_and_come_as_binaries() {
    let info = TypeInfo::for_sql(&SqlType::hierarchyid(), true, TdsVersion::V7_4);
    assert_eq!(info.layout(Place::Row), Layout::Chunked);
    let mut bytes = Vec::new();
    info.write(&mut bytes, Some("db"));
    assert_eq!(bytes[..8], [0xF0, 0x7C, 0x03, 2, b'd', 0, b'b', 0]);
    assert_eq!(bytes[8..16], [3, b's', 0, b'y', 0, b's', 0, 11]);
    for (database, form) in [(Some("db"), UdtForm::Described), (None, UdtForm::Named)] {
        bytes.clear();
        info.write(&mut bytes, database);
        let mut r = ByteReader::new(&bytes);
        let read = TypeInfo::read(&mut r, form).unwrap();
        assert!(r.is_empty());
        assert_eq!(read.clr, Some(TypeKind::HierarchyId));
        assert_eq!(read.to_sql(Collation(1)), SqlType::varbinary_max());
    }
    let other = [0xF0, 0, 0, 1, b'x', 0];
    let read = TypeInfo::read(&mut ByteReader::new(&other), UdtForm::Named);
    assert_eq!(read, Err(ProtocolError::UnsupportedType(0xF0)));
    let old = TypeInfo::for_sql(&SqlType::hierarchyid(), true, TdsVersion::V7_1);
    assert_eq!((old.ty, old.length), (WireType::VarBinary, 892));
}

#[test]
fn overlong_decimals_are_as_long_as_their_digits_allow() {
    let info =
        TypeInfo::read(&mut ByteReader::new(&[0x6A, 0x6A, 10, 2]), UdtForm::Described).unwrap();
    assert_eq!((info.length, info.precision, info.scale), (17, 10, 2));
}

/// A client that sends NULL may know neither length nor digits.
#[test]
fn what_is_announced_without_length_or_digits_is_read() {
    let read = |bytes: &[u8]| TypeInfo::read(&mut ByteReader::new(bytes), UdtForm::Described);
    let c = Collation(1);
    assert_eq!(read(&[0x24, 0]).map(|i| i.to_sql(c)), Ok(SqlType::uniqueidentifier()));
    assert_eq!(read(&[0x68, 0]).map(|i| i.to_sql(c)), Ok(SqlType::bit()));
    assert_eq!(read(&[0x6C, 17, 0, 0]).map(|i| i.to_sql(c)), Ok(SqlType::numeric(38, 0)));
    assert_eq!(read(&[0x6A, 17, 0, 1]), Err(ProtocolError::TypeScale(0x6A)));
}

#[test]
fn impossible_declarations_are_refused() {
    let read = |bytes: &[u8]| TypeInfo::read(&mut ByteReader::new(bytes), UdtForm::Described);
    assert_eq!(read(&[0x26, 3]), Err(ProtocolError::TypeLength(0x26)));
    assert_eq!(read(&[0x24, 15]), Err(ProtocolError::TypeLength(0x24)));
    assert_eq!(read(&[0x29, 8]), Err(ProtocolError::TypeScale(0x29)));
    assert_eq!(read(&[0x6A, 17, 39, 0]), Err(ProtocolError::TypeScale(0x6A)));
    assert_eq!(read(&[0x6A, 17, 10, 11]), Err(ProtocolError::TypeScale(0x6A)));
    assert_eq!(read(&[0x6A, 1, 10, 1]), Err(ProtocolError::TypeLength(0x6A)));
    assert_eq!(read(&[0xA5, 0x41, 0x1F]), Err(ProtocolError::TypeLength(0xA5)));
    assert_eq!(read(&[0xE7, 3, 0, 9, 4, 0, 0, 0]), Err(ProtocolError::TypeLength(0xE7)));
    assert_eq!(read(&[0xE7, 4, 0, 9, 4]), Err(ProtocolError::Truncated));
    assert_eq!(read(&[0xF0]), Err(ProtocolError::Truncated));
    assert_eq!(read(&[0xF5]), Err(ProtocolError::UnsupportedType(0xF5)));
    assert_eq!(read(&[0xF1, 1, 1, b'd', 0, 0, 2]), Err(ProtocolError::Truncated));
    assert_eq!(read(&[0x99]), Err(ProtocolError::UnknownType(0x99)));
}

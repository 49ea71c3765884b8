use super::*;

#[test]
fn info_is_in_the_order_of_kinds() {
    for (i, kind) in TypeKind::ALL.into_iter().enumerate() {
        assert_eq!(kind as usize, i);
        assert_eq!(TypeKind::from_user_type_id(kind.user_type_id()), Some(kind));
    }
    assert_eq!(TypeKind::SqlVariant.info().name, "sql_variant");
    assert_eq!(TypeKind::Bit.info().user_type_id, 104);
}

#[test]
fn types_print_as_declared() {
    let c = Collation(1);
    for (ty, text) in [
        (SqlType::nvarchar(50, c), "nvarchar(50)"),
        (SqlType::decimal(18, 2), "decimal(18,2)"),
        (SqlType::varchar_max(c), "varchar(max)"),
        (SqlType::datetime2(3), "datetime2(3)"),
        (SqlType::rowversion(), "timestamp"),
        (SqlType::text(c), "text"),
        (SqlType::binary(8), "binary(8)"),
        (SqlType::int(), "int"),
        (SqlType::json(), "json"),
        (SqlType::xml(), "xml"),
    ] {
        assert_eq!(ty.to_string(), text);
    }
}

#[test]
fn columns_show_sql_servers_sizes() {
    for (ty, length, precision, scale) in [
        (SqlType::decimal(9, 0), 5, 9, 0),
        (SqlType::decimal(10, 0), 9, 10, 0),
        (SqlType::decimal(38, 10), 17, 38, 10),
        (SqlType::time(0), 3, 8, 0),
        (SqlType::time(7), 5, 16, 7),
        (SqlType::datetime2(3), 7, 23, 3),
        (SqlType::datetime2(7), 8, 27, 7),
        (SqlType::datetimeoffset(0), 8, 26, 0),
        (SqlType::datetimeoffset(7), 10, 34, 7),
        (SqlType::varbinary_max(), -1, 0, 0),
        (SqlType::json(), -1, 0, 0),
        (SqlType::xml(), -1, 0, 0),
        (SqlType::nvarchar(50, Collation(1)), 100, 0, 0),
    ] {
        assert_eq!((ty.max_length(), ty.precision, ty.scale), (length, precision, scale), "{ty}");
    }
}

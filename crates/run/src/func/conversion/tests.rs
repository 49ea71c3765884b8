use crate::func::testing::{check, check_errors, check_types};

#[test]
fn what_converts_to_a_number_is_numeric() {
    check(&[
        ("ISNUMERIC", &["'12.5'"], "1"),
        ("ISNUMERIC", &["'$1,000'"], "1"),
        ("ISNUMERIC", &["'1e5'"], "1"),
        ("ISNUMERIC", &["'abc'"], "0"),
        ("ISNUMERIC", &["''"], "0"),
        ("ISNUMERIC", &["'-'"], "1"),
        ("ISNUMERIC", &["'12a'"], "0"),
        ("ISNUMERIC", &["N' 5 '"], "1"),
        ("ISNUMERIC", &["5"], "1"),
        ("ISNUMERIC", &["bit:1"], "1"),
        ("ISNUMERIC", &["date:2020-01-01"], "0"),
        ("ISNUMERIC", &["0x05"], "0"),
        ("ISNUMERIC", &["NULL"], "0"),
        ("ISNUMERIC", &["sql_variant:x"], "0"),
    ]);
    check_types(&[("ISNUMERIC", &["'a'"], "int not null")]);
}

#[test]
fn isnull_keeps_the_first_type() {
    check(&[
        ("ISNULL", &["NULL", "5"], "5"),
        ("ISNULL", &["varchar(2):NULL", "'abcdef'"], "ab"),
        ("ISNULL", &["3", "5"], "3"),
        ("ISNULL", &["int:NULL", "int:NULL"], "NULL"),
    ]);
    check_types(&[
        ("ISNULL", &["NULL", "'abc'"], "varchar(3) not null"),
        ("ISNULL", &["varchar(2):a", "'abcdef'"], "varchar(2) not null"),
        ("ISNULL", &["int:1", "int:2"], "int"),
        ("ISNULL", &["int:1", "1.5"], "int not null"),
        ("ISNULL", &["NULL", "NULL"], "int"),
    ]);
    check_errors(&[("ISNULL", &["1"], 174, "The isnull function requires 2 argument(s).")]);
}

#[test]
fn the_greatest_and_the_least_are_chosen() {
    check(&[
        ("GREATEST", &["'6.62'", "3.1415", "'7'"], "7.0000"),
        ("GREATEST", &["1", "NULL", "3"], "3"),
        ("LEAST", &["'b'", "'A'", "'c'"], "A"),
        ("LEAST", &["date:2020-01-02", "date:2019-01-01"], "2019-01-01"),
        ("GREATEST", &["NULL", "NULL"], "NULL"),
        ("GREATEST", &["5"], "5"),
    ]);
    check_types(&[
        ("GREATEST", &["1", "2.5"], "numeric(11,1) not null"),
        ("LEAST", &["int:1", "int:2"], "int"),
        ("LEAST", &["varchar(5):a", "N'abcdefgh'"], "nvarchar(8) not null"),
    ]);
    check_errors(&[(
        "GREATEST",
        &["1", "date:2020-01-01"],
        206,
        "Operand type clash: int is incompatible with date",
    )]);
}

#[test]
fn variants_say_what_they_hold() {
    check(&[
        ("SQL_VARIANT_PROPERTY", &["1.50", "'BaseType'"], "nvarchar(128) numeric"),
        ("SQL_VARIANT_PROPERTY", &["1.50", "'Precision'"], "int 3"),
        ("SQL_VARIANT_PROPERTY", &["1.50", "'Scale'"], "int 2"),
        ("SQL_VARIANT_PROPERTY", &["N'abc'", "'MaxLength'"], "int 6"),
        ("SQL_VARIANT_PROPERTY", &["5", "'basetype'"], "nvarchar(128) int"),
        (
            "SQL_VARIANT_PROPERTY",
            &["'a'", "'Collation'"],
            "nvarchar(128) SQL_Latin1_General_CP1_CI_AS",
        ),
        ("SQL_VARIANT_PROPERTY", &["5", "'Collation'"], "NULL"),
        ("SQL_VARIANT_PROPERTY", &["5", "'nonsense'"], "NULL"),
    ]);
    check_errors(&[(
        "SQL_VARIANT_PROPERTY",
        &["varchar(max):a", "'BaseType'"],
        8116,
        "Argument data type varchar is invalid for argument 1 of sql_variant_property function.",
    )]);
}

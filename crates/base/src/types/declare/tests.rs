use super::TypeArguments::{Max, None as NoArguments, Numbers};
use super::*;

fn at(subject: Subject<'static>) -> Declaration<'static> {
    Declaration { subject, ordinal: 1, line: 3, default_length: 1, collation: Collation(1) }
}

fn ok(name: &str, arguments: TypeArguments) -> String {
    declare(name, arguments, &at(Subject::Type)).unwrap().to_string()
}

#[test]
fn names_and_numbers_become_types() {
    assert_eq!(ok("INT", NoArguments), "int");
    assert_eq!(ok("Dec", Numbers(&[10, 2])), "decimal(10,2)");
    assert_eq!(ok("numeric", NoArguments), "numeric(18,0)");
    assert_eq!(ok("nvarchar", Numbers(&[4000])), "nvarchar(4000)");
    assert_eq!(ok("varchar", Max), "varchar(max)");
    assert_eq!(ok("character varying", Numbers(&[20])), "varchar(20)");
    assert_eq!(ok("float", Numbers(&[24])), "real");
    assert_eq!(ok("double precision", NoArguments), "float");
    assert_eq!(ok("datetime2", NoArguments), "datetime2(7)");
    assert_eq!(ok("time", Numbers(&[0])), "time(0)");
    assert_eq!(ok("rowversion", NoArguments), "timestamp");
    assert_eq!(ok("sysname", NoArguments), "nvarchar(128)");
    assert_eq!(ok("char", NoArguments), "char(1)");
}

#[test]
fn bad_declarations_raise_sql_servers_errors() {
    for (name, arguments, subject, number, text) in [
        (
            "varchar",
            Numbers(&[9000][..]),
            Subject::Column("a"),
            131,
            "The size (9000) given to the column 'a' exceeds the maximum allowed for any data type (8000).",
        ),
        (
            "varchar",
            Numbers(&[9000]),
            Subject::Type,
            131,
            "The size (9000) given to the type 'varchar' exceeds the maximum allowed for any data type (8000).",
        ),
        (
            "nvarchar",
            Numbers(&[5000]),
            Subject::Parameter("@p"),
            2717,
            "The size (5000) given to the parameter '@p' exceeds the maximum allowed (4000).",
        ),
        (
            "varchar",
            Numbers(&[0]),
            Subject::Type,
            1001,
            "Line 3: Length or precision specification 0 is invalid.",
        ),
        ("datetime2", Numbers(&[8]), Subject::Type, 1002, "Line 3: Specified scale 8 is invalid."),
        (
            "decimal",
            Numbers(&[5, 6]),
            Subject::Type,
            192,
            "The scale must be less than or equal to the precision.",
        ),
        (
            "decimal",
            Numbers(&[39, 0]),
            Subject::Column("a"),
            2750,
            "Column or parameter #1: Specified column precision 39 is greater than the maximum precision of 38.",
        ),
        (
            "int",
            Numbers(&[4]),
            Subject::Type,
            2716,
            "Column, parameter, or variable #1: Cannot specify a column width on data type int.",
        ),
        (
            "json",
            Max,
            Subject::Type,
            2716,
            "Column, parameter, or variable #1: Cannot specify a column width on data type json.",
        ),
        (
            "foo",
            NoArguments,
            Subject::Type,
            2715,
            "Column, parameter, or variable #1: Cannot find data type foo.",
        ),
    ] {
        let e = declare(name, arguments, &at(subject)).unwrap_err();
        assert_eq!((e.number(), e.text()), (number, text));
    }
}

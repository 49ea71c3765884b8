use ir::function::Functions;
use ir::function::descriptor::{DATE_PARTS, Volatility, part_code};

use crate::func::Library;
use crate::func::testing::{
    TestSession, bind, call, check, check_errors, check_in, check_types, run,
};

#[test]
fn parts_come_back_from_their_codes() {
    for part in DATE_PARTS {
        assert_eq!(DATE_PARTS[part_code(part) as usize], part);
    }
}

#[test]
fn the_statements_time_is_shown_in_every_type() {
    check(&[
        ("GETDATE", &[], "2024-02-29 14:14:15.123"),
        ("CURRENT_TIMESTAMP", &[], "2024-02-29 14:14:15.123"),
        ("GETUTCDATE", &[], "2024-02-29 13:14:15.123"),
        ("SYSDATETIME", &[], "2024-02-29 14:14:15.1234567"),
        ("SYSUTCDATETIME", &[], "2024-02-29 13:14:15.1234567"),
        ("SYSDATETIMEOFFSET", &[], "2024-02-29 14:14:15.1234567 +01:00"),
        ("CURRENT_DATE", &[], "2024-02-29"),
        ("CURRENT_TIMEZONE_ID", &[], "UTC+01:00"),
    ]);
    let zone = base::datetime::Zone::by_iana_name("Europe/Paris");
    check_in(
        &TestSession { zone, ..TestSession::default() },
        &[
            ("CURRENT_TIMEZONE_ID", &[], "Romance Standard Time"),
            ("CURRENT_TIMEZONE", &[], "(UTC+01:00) Brussels, Copenhagen, Madrid, Paris"),
        ],
    );
    check_types(&[
        ("GETDATE", &[], "datetime not null"),
        ("SYSDATETIME", &[], "datetime2(7) not null"),
        ("SYSDATETIMEOFFSET", &[], "datetimeoffset(7) not null"),
    ]);
    check_errors(&[("GETDATE", &["1"], 174, "The getdate function requires 0 argument(s).")]);
}

#[test]
fn dates_are_added_to() {
    check(&[
        ("DATEADD", &["part:month", "1", "'20060831'"], "2006-09-30 00:00:00.000"),
        ("DATEADD", &["part:dd", "1", "date:2024-02-28"], "2024-02-29"),
        ("DATEADD", &["part:hh", "25", "time(0):10:00"], "11:00:00"),
        ("DATEADD", &["part:ns", "150", "datetime2(7):2020-01-01"], "2020-01-01 00:00:00.0000002"),
        ("DATEADD", &["part:day", "1", "0"], "1900-01-02 00:00:00.000"),
        ("DATEADD", &["part:year", "1", "NULL"], "NULL"),
        ("DATEADD", &["part:year", "NULL", "0"], "NULL"),
        ("DATEADD", &["part:quarter", "2", "datetime:2020-01-31"], "2020-07-31 00:00:00.000"),
        ("DATEADD", &["part:day", "1.9", "date:2020-01-01"], "2020-01-02"),
        (
            "DATEADD",
            &["part:minute", "1", "smalldatetime:2020-01-01 10:00"],
            "2020-01-01 10:01:00.000",
        ),
    ]);
    check_types(&[
        ("DATEADD", &["part:day", "1", "'20200101'"], "datetime"),
        ("DATEADD", &["part:day", "1", "date:2020-01-01"], "date"),
        ("DATEADD", &["part:day", "1", "datetime2(3):2020-01-01"], "datetime2(3)"),
    ]);
    check_errors(&[
        (
            "DATEADD",
            &["part:hour", "1", "date:2020-01-01"],
            9810,
            "The datepart hour is not supported by date function dateadd for data type date.",
        ),
        (
            "DATEADD",
            &["part:year", "9000", "datetime:2020-01-01"],
            517,
            "Adding a value to a 'datetime' column caused an overflow.",
        ),
        (
            "DATEADD",
            &["part:day", "bigint:3000000000", "date:2020-01-01"],
            8115,
            "Arithmetic overflow error converting expression to data type int.",
        ),
        ("DATEADD", &["part:foo", "1", "0"], 155, "'foo' is not a recognized dateadd option."),
    ]);
}

#[test]
fn dates_are_subtracted() {
    check(&[
        ("DATEDIFF", &["part:day", "'2005-12-31 23:59:59'", "'2006-01-01 00:00:00'"], "1"),
        ("DATEDIFF", &["part:year", "'2005-12-31'", "'2006-01-01'"], "1"),
        ("DATEDIFF", &["part:week", "date:2024-03-02", "date:2024-03-03"], "1"),
        ("DATEDIFF", &["part:ms", "datetime:2020-01-01", "datetime:2020-01-01 00:00:00.007"], "7"),
        ("DATEDIFF", &["part:month", "0", "datetime:2020-05-01"], "1444"),
        ("DATEDIFF", &["part:hour", "time:10:00", "time:12:59"], "2"),
        ("DATEDIFF", &["part:day", "NULL", "0"], "NULL"),
        (
            "DATEDIFF_BIG",
            &["part:ns", "datetime2:2020-01-01", "datetime2:2020-01-02"],
            "86400000000000",
        ),
    ]);
    check_types(&[("DATEDIFF_BIG", &["part:day", "0", "0"], "bigint")]);
    check_errors(&[(
        "DATEDIFF",
        &["part:ms", "date:1900-01-01", "date:2020-01-01"],
        535,
        "The datediff function resulted in an overflow. The number of dateparts separating two date/time instances is too large. Try to use datediff with a less precise datepart.",
    )]);
}

#[test]
fn parts_are_taken_out() {
    check(&[
        ("DATEPART", &["part:weekday", "date:2024-02-29"], "5"),
        ("DATEPART", &["part:iso_week", "date:2021-01-03"], "53"),
        ("DATEPART", &["part:tz", "datetimeoffset:2020-01-01 10:00 -02:00"], "-120"),
        ("DATEPART", &["part:mcs", "'2020-01-01 00:00:00.1234567'"], "123456"),
        ("DATEPART", &["part:year", "0"], "1900"),
        ("DATENAME", &["part:month", "date:2024-02-29"], "February"),
        ("DATENAME", &["part:dw", "date:2024-02-29"], "Thursday"),
        ("DATENAME", &["part:year", "date:2024-02-29"], "2024"),
        ("YEAR", &["'2024-02-29'"], "2024"),
        ("MONTH", &["datetime:2024-02-29"], "2"),
        ("DAY", &["datetimeoffset:2024-02-29 23:30 -02:00"], "29"),
        ("YEAR", &["date:NULL"], "NULL"),
        ("YEAR", &["NULL"], "NULL"),
        ("DATEPART", &["part:microsecond", "NULL"], "NULL"),
        ("DATENAME", &["part:month", "NULL"], "NULL"),
    ]);
    let german = base::datetime::Language::by_name("German").unwrap();
    let dates = base::datetime::DateSettings::of(german);
    let german = TestSession { dates, ..TestSession::default() };
    check_in(
        &german,
        &[
            ("DATEPART", &["part:weekday", "date:2024-02-29"], "4"),
            ("DATENAME", &["part:month", "date:2024-03-01"], "März"),
            ("ISDATE", &["'29.02.2024'"], "1"),
        ],
    );
    check_types(&[("DATENAME", &["part:year", "0"], "nvarchar(30)")]);
    check_errors(&[
        (
            "DATETRUNC",
            &["part:year", "NULL"],
            8116,
            "Argument data type NULL is invalid for argument 2 of datetrunc function.",
        ),
        (
            "YEAR",
            &["time:10:00"],
            9810,
            "The datepart year is not supported by date function datepart for data type time.",
        ),
    ]);
}

#[test]
fn what_depends_on_the_session_is_not_deterministic() {
    let volatility = |name, args: &[&str]| bind(name, args).unwrap().volatility;
    let date = "date:2024-02-29";
    assert_eq!(volatility("DATEPART", &["part:year", date]), Volatility::Deterministic);
    assert_eq!(volatility("DATEPART", &["part:weekday", date]), Volatility::RuntimeConstant);
    assert_eq!(volatility("DATENAME", &["part:year", date]), Volatility::RuntimeConstant);
    assert_eq!(volatility("GETDATE", &[]), Volatility::RuntimeConstant);
    assert_eq!(volatility("NEWID", &[]), Volatility::Volatile);
}

#[test]
fn dates_are_truncated_and_put_into_buckets() {
    check(&[
        (
            "DATETRUNC",
            &["part:hour", "datetime2(7):2021-12-08 11:30:15.1234567"],
            "2021-12-08 11:00:00.0000000",
        ),
        ("DATETRUNC", &["part:month", "date:2021-12-08"], "2021-12-01"),
        ("DATETRUNC", &["part:iso_week", "date:2021-12-08"], "2021-12-06"),
        ("DATE_BUCKET", &["part:week", "1", "date:2020-06-15"], "2020-06-15"),
        ("DATE_BUCKET", &["part:week", "2", "date:2020-06-15"], "2020-06-08"),
        (
            "DATE_BUCKET",
            &["part:month", "4", "datetime:2020-06-15 21:22:11"],
            "2020-05-01 00:00:00.000",
        ),
        (
            "DATE_BUCKET",
            &["part:hour", "6", "datetime2(0):2020-06-15 21:22:11"],
            "2020-06-15 18:00:00",
        ),
        (
            "DATE_BUCKET",
            &["part:week", "5", "datetime2(7):2020-06-15 21:22:11", "datetime2(7):2019-01-01"],
            "2020-06-09 00:00:00.0000000",
        ),
    ]);
    check_errors(&[
        (
            "DATE_BUCKET",
            &["part:day", "0", "date:2020-01-01"],
            9834,
            "Invalid bucket width value passed to date_bucket function. Only positive values are allowed.",
        ),
        (
            "DATETRUNC",
            &["part:hour", "date:2020-01-01"],
            9810,
            "The datepart hour is not supported by date function datetrunc for data type date.",
        ),
    ]);
}

/// A time wraps at midnight, so that a loop that looked for a start at or before the value never
/// ended where the origin's time was later than the value's.
#[test]
fn buckets_are_computed_on_both_sides_of_the_origin() {
    let bucket = |args: &[&str]| run("DATE_BUCKET", args).unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["part:minute", "1", "time:00:00:00", "time:23:59:59.999999"], "23:59:59.9999990"),
        (&["part:minute", "1", "time:23:59:59.999999", "time:00:00:00"], "23:59:00.0000000"),
        (&["part:hour", "5", "time:01:00", "time:02:00"], "21:00:00.0000000"),
        (&["part:hour", "2147483647", "time:23:00"], "00:00:00.0000000"),
        (&["part:millisecond", "1", "time(0):00:00:00", "time(0):23:59:59"], "00:00:00"),
        (&["part:month", "1", "date:2023-03-30", "date:2023-01-31"], "2023-02-28"),
        (&["part:month", "1", "date:2022-12-30", "date:2023-01-31"], "2022-11-30"),
        (&["part:year", "4", "date:1999-12-31", "date:2000-02-29"], "1996-02-29"),
        (&["part:quarter", "2147483647", "date:2023-03-30"], "1900-01-01"),
        (&["part:week", "2147483647", "datetime:2023-03-30"], "1900-01-01 00:00:00.000"),
        (&["part:millisecond", "7", "datetime:1900-01-01 00:00:00.007"], "1900-01-01 00:00:00.007"),
        (&["part:second", "45", "smalldatetime:1900-01-01 00:01"], "1900-01-01 00:01:00.000"),
        (
            &["part:day", "1", "datetime2(7):9999-12-31 23:59:59.9999999"],
            "9999-12-31 00:00:00.0000000",
        ),
        (
            &[
                "part:day",
                "1",
                "datetimeoffset(0):2020-01-01 23:00 -03:00",
                "datetimeoffset(0):2020-01-05 00:00 +02:00",
            ],
            "2020-01-02 00:00:00 +02:00",
        ),
    ];
    for (args, expected) in cases {
        assert_eq!(bucket(args), *expected, "{args:?}");
    }
    let before = "Adding a value to a 'date' column caused an overflow.";
    check_errors(&[
        ("DATE_BUCKET", &["part:month", "2147483647", "date:1800-01-01"], 517, before),
        ("DATE_BUCKET", &["part:day", "2147483647", "date:1800-01-01"], 517, before),
    ]);
}

#[test]
fn dates_are_made_of_numbers() {
    check(&[
        ("DATEFROMPARTS", &["2010", "12", "31"], "2010-12-31"),
        (
            "DATETIMEFROMPARTS",
            &["2010", "12", "31", "23", "59", "59", "3"],
            "2010-12-31 23:59:59.003",
        ),
        ("SMALLDATETIMEFROMPARTS", &["2010", "12", "31", "23", "59"], "2010-12-31 23:59:00.000"),
        ("TIMEFROMPARTS", &["23", "59", "59", "5", "1"], "23:59:59.5"),
        ("TIMEFROMPARTS", &["14", "23", "44", "500", "3"], "14:23:44.500"),
        (
            "DATETIME2FROMPARTS",
            &["2011", "8", "15", "14", "23", "44", "5", "1"],
            "2011-08-15 14:23:44.5",
        ),
        (
            "DATETIMEOFFSETFROMPARTS",
            &["2011", "8", "15", "14", "30", "0", "500", "12", "30", "3"],
            "2011-08-15 14:30:00.500 +12:30",
        ),
        ("DATEFROMPARTS", &["2010", "NULL", "31"], "NULL"),
        ("EOMONTH", &["'12/1/2011'"], "2011-12-31"),
        ("EOMONTH", &["date:2024-01-15", "1"], "2024-02-29"),
        ("EOMONTH", &["datetime:2024-01-15", "-1"], "2023-12-31"),
    ]);
    check_types(&[
        ("TIMEFROMPARTS", &["23", "59", "59", "5", "1"], "time(1)"),
        ("EOMONTH", &["datetime:2024-01-15"], "date"),
    ]);
    check_errors(&[
        (
            "DATEFROMPARTS",
            &["2010", "13", "31"],
            289,
            "Cannot construct data type date, some of the arguments have values which are not valid.",
        ),
        (
            "TIMEFROMPARTS",
            &["1", "2", "3", "4", "int:3"],
            10760,
            "Scale argument is not valid. Valid expressions for data type time scale argument are integer constants and integer constant expressions.",
        ),
    ]);
}

#[test]
fn offsets_are_switched() {
    let noon = "datetimeoffset(0):2020-01-01 12:00:00 +00:00";
    check(&[
        ("SWITCHOFFSET", &[noon, "'-08:00'"], "2020-01-01 04:00:00 -08:00"),
        ("SWITCHOFFSET", &[noon, "90"], "2020-01-01 13:30:00 +01:30"),
        (
            "TODATETIMEOFFSET",
            &["datetime2(0):2020-01-01 12:00", "'+02:00'"],
            "2020-01-01 12:00:00 +02:00",
        ),
        ("TODATETIMEOFFSET", &["datetime:2020-01-01 12:00", "NULL"], "NULL"),
        ("AT TIME ZONE", &["datetime2(0):2020-01-01 12:00", "'UTC'"], "2020-01-01 12:00:00 +00:00"),
        ("AT TIME ZONE", &[noon, "'India Standard Time'"], "2020-01-01 17:30:00 +05:30"),
        (
            "AT TIME ZONE",
            &["datetime:2022-03-27 02:01:00", "'central european standard time '"],
            "2022-03-27 03:01:00.000 +02:00",
        ),
        (
            "AT TIME ZONE",
            &["smalldatetime:2022-10-30 02:00", "'Central European Standard Time'"],
            "2022-10-30 02:00:00 +02:00",
        ),
        ("AT TIME ZONE", &[noon, "nvarchar(9):NULL"], "NULL"),
        ("AT TIME ZONE", &[noon, "NULL"], "NULL"),
    ]);
    check_errors(&[
        (
            "SWITCHOFFSET",
            &[noon, "'+15:00'"],
            9812,
            "The timezone provided to builtin function switchoffset is invalid.",
        ),
        (
            "AT TIME ZONE",
            &[noon, "'Nowhere'"],
            9820,
            "The time zone parameter 'Nowhere' provided to AT TIME ZONE clause is invalid.",
        ),
        (
            "AT TIME ZONE",
            &["'2020-01-01'", "'UTC'"],
            8116,
            "Argument data type varchar is invalid for argument 1 of AT TIME ZONE function.",
        ),
        (
            "AT TIME ZONE",
            &["NULL", "'UTC'"],
            8116,
            "Argument data type NULL is invalid for argument 1 of AT TIME ZONE function.",
        ),
        (
            "AT TIME ZONE",
            &["datetime2(0):0001-01-01", "'Tokyo Standard Time'"],
            9813,
            "The timezone provided to builtin function todatetimeoffset would cause the \
             datetimeoffset to overflow the range of valid date range in either UTC or local time.",
        ),
    ]);
}

#[test]
fn texts_are_recognized_as_dates() {
    check(&[
        ("ISDATE", &["'2009-05-12 10:19:41.177'"], "1"),
        ("ISDATE", &["'29/02/2024'"], "0"),
        ("ISDATE", &["'no'"], "0"),
        ("ISDATE", &["NULL"], "0"),
        ("ISDATE", &["2008"], "1"),
        ("ISDATE", &["datetime:2020-01-01"], "1"),
    ]);
    check_types(&[("ISDATE", &["'a'"], "int not null")]);
    check_errors(&[(
        "ISDATE",
        &["date:2020-01-01"],
        8116,
        "Argument data type date is invalid for argument 1 of isdate function.",
    )]);
}

#[test]
fn odbc_has_names_of_its_own() {
    let session = TestSession::default();
    let odbc =
        |name: &str, args: &[&str]| call(&session, Library.odbc(name).unwrap(), args).unwrap();
    assert_eq!(odbc("curdate", &[]), "2024-02-29");
    assert_eq!(odbc("CURTIME", &[]), "14:14:15");
    assert_eq!(odbc("now", &[]), run("GETDATE", &[]).unwrap());
    assert_eq!(odbc("DayName", &["date:2024-02-29"]), "Thursday");
    assert_eq!(odbc("monthname", &["date:2024-02-29"]), "February");
    assert_eq!(odbc("quarter", &["date:2024-05-29"]), "2");
    assert_eq!(odbc("hour", &["datetime:2024-05-29 17:00"]), "17");
    assert_eq!(odbc("dayofyear", &["date:2024-02-29"]), "60");
    assert_eq!(odbc("truncate", &["1.79", "1"]), "1.70");
    assert_eq!(odbc("mod", &["7", "3"]), "1");
    assert_eq!(odbc("locate", &["'b'", "'abc'"]), "2");
}

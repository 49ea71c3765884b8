//! Expressions: every function of the library, casts and operators, over values that are easily got
//! wrong.

use testkit::hostile::Source;
use testkit::rng::Rng;

/// Values at the edges of their types, and others that code forgets.
const VALUES: &[&str] = &[
    "NULL",
    "0",
    "1",
    "-1",
    "2",
    "255",
    "256",
    "32767",
    "2147483647",
    "-2147483648",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999999999999999999999",
    "-99999999999999999999999999999999999999",
    "0.00000000000000000000000000000000000001",
    "0.1",
    "-0.5",
    "1e308",
    "-1e308",
    "1e-308",
    "1e0",
    "922337203685477.5807",
    "$-922337203685477.5808",
    "''",
    "' '",
    "'a'",
    "'A '",
    "'abc'",
    "N'é'",
    "N'日本'",
    "N'\u{1F600}'",
    "'%'",
    "'[a-'",
    "'%[^%_'",
    "'12'",
    "' 12.5 '",
    "'1e5'",
    "'0x1F'",
    "'2024-02-29'",
    "'20240229 23:59:59.9999999'",
    "'2024-02-29T23:59:59.999+14:00'",
    "'9999-12-31 23:59:59.997'",
    "'0001-01-01'",
    "'23:59:59.9999999'",
    "'00:00:00'",
    "'mi'",
    "'dbo.t'",
    "'t'",
    "'master'",
    "'sa'",
    "'en-us'",
    "'G'",
    "'yyyy-MM-dd HH:mm:ss.fffffff'",
    "'#,##0.00;(#,##0.00)'",
    "0x",
    "0x00",
    "0xFFFFFFFFFFFFFFFF",
    "0x0123456789ABCDEF0123456789ABCDEF01",
    "CAST('23:59:59.9999999' AS time)",
    "CAST('00:00:00.0000001' AS time)",
    "CAST('0001-01-01' AS date)",
    "CAST('9999-12-31' AS date)",
    "CAST('1753-01-01' AS datetime)",
    "CAST('9999-12-31T23:59:59.997' AS datetime)",
    "CAST('2079-06-06T23:59:00' AS smalldatetime)",
    "CAST('9999-12-31T23:59:59.9999999' AS datetime2)",
    "CAST('0001-01-01T00:00:00+14:00' AS datetimeoffset)",
    "CAST('9999-12-31T23:59:59.9999999-14:00' AS datetimeoffset)",
    "CAST('00000000-0000-0000-0000-000000000000' AS uniqueidentifier)",
    "CAST(1 AS bit)",
    "CAST(3.4e38 AS real)",
    "CAST(7 AS sql_variant)",
    "'{\"a\":[1,\"x\",{\"b\":null}]}'",
    "CAST('{\"a\":[1,\"x\",{\"b\":null}]}' AS json)",
    "CAST('<a b=\"1\">x<c/>&amp;</a>' AS xml)",
    "'$.a'",
    "'strict $.a[*].b'",
    "CAST(NULL AS sql_variant)",
    "CAST('x' AS sql_variant)",
    "CAST(NULL AS int)",
    "CAST(NULL AS varchar(max))",
    "CAST(NULL AS datetime2)",
    "CAST('text' AS text)",
    "CAST('a' AS char(8000))",
    "REPLICATE('ab', 4000)",
    "REPLICATE(N'%a', 2000)",
    "REPLICATE(CAST('ab' AS varchar(max)), 100000)",
    "REPLICATE(CAST(N'x' AS nvarchar(max)), 300000)",
    "CAST(REPLICATE('ab', 4000) AS varbinary(max))",
    "'é' COLLATE Latin1_General_100_CI_AS_SC_UTF8",
    "N'ß' COLLATE Latin1_General_BIN2",
    "i",
    "b",
    "v",
    "n",
    "d",
    "f",
    "m",
    "x",
    "OBJECT_ID('t')",
    "@@SPID",
    "DB_ID()",
];

/// Types with sizes that matter.
pub const TYPES: &[&str] = &[
    "bit",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "decimal(38,0)",
    "decimal(38,38)",
    "decimal(5,2)",
    "money",
    "smallmoney",
    "real",
    "float",
    "date",
    "time(0)",
    "time(7)",
    "datetime",
    "smalldatetime",
    "datetime2(0)",
    "datetime2(7)",
    "datetimeoffset(0)",
    "datetimeoffset(7)",
    "char(1)",
    "char(8000)",
    "varchar(1)",
    "varchar(30)",
    "varchar(8000)",
    "varchar(max)",
    "json",
    "xml",
    "nchar(1)",
    "nvarchar(1)",
    "nvarchar(4000)",
    "nvarchar(max)",
    "binary(1)",
    "binary(8000)",
    "varbinary(3)",
    "varbinary(max)",
    "uniqueidentifier",
    "sql_variant",
    "text",
    "ntext",
    "image",
    "rowversion",
    "sysname",
];

const DATE_PARTS: &[&str] = &[
    "year",
    "quarter",
    "month",
    "dayofyear",
    "day",
    "week",
    "weekday",
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
    "tzoffset",
    "iso_week",
    "nothing",
];

const AGGREGATES: &[&str] = &[
    "COUNT",
    "COUNT_BIG",
    "SUM",
    "AVG",
    "MIN",
    "MAX",
    "STDEV",
    "STDEVP",
    "VAR",
    "VARP",
    "CHECKSUM_AGG",
    "APPROX_COUNT_DISTINCT",
    "STRING_AGG",
    "JSON_ARRAYAGG",
    "JSON_OBJECTAGG",
];

/// What may stand after the values in calls of the functions that make JSON.
const JSON_NULLS: &[&str] = &["", "", " NULL ON NULL", " ABSENT ON NULL"];

const WINDOWS: &[&str] = &[
    "ROW_NUMBER()",
    "RANK()",
    "DENSE_RANK()",
    "NTILE(3)",
    "PERCENT_RANK()",
    "CUME_DIST()",
    "LAG(%, 1)",
    "LEAD(%, 2, %)",
    "FIRST_VALUE(%)",
    "LAST_VALUE(%)",
    "SUM(%)",
    "MIN(%)",
];

const OPERATORS: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^"];
const COMPARISONS: &[&str] = &["=", "<>", "<", ">=", "!<", "LIKE", "NOT LIKE"];

/// Chooses one.
pub fn one<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.between(0, from.len() as u64) as usize]
}

/// A value.
pub fn value(rng: &mut Rng) -> String {
    one(rng, VALUES).to_owned()
}

/// An expression, at most this deep.
pub fn expression(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 {
        return value(rng);
    }
    let inner = |rng: &mut Rng| expression(rng, depth - 1);
    if rng.once_in(6) {
        return Source { rng, other: &value }.expression();
    }
    match rng.between(0, 15) {
        0 | 1 => value(rng),
        2..=6 => call(rng, depth - 1),
        7 => format!("({} {} {})", inner(rng), one(rng, OPERATORS), inner(rng)),
        8 | 9 => conversion(rng, depth - 1),
        10 => format!(
            "CASE WHEN {} THEN {} ELSE {} END",
            condition(rng, depth - 1),
            inner(rng),
            inner(rng)
        ),
        11 => format!("COALESCE({}, {})", inner(rng), inner(rng)),
        12 => format!("(SELECT {} FROM t)", aggregate(rng, depth - 1)),
        13 if rng.between(0, 1) == 0 => for_xml(rng, depth - 1),
        13 => for_json(rng, depth - 1),
        _ => format!("-{}", inner(rng)),
    }
}

/// A condition.
pub fn condition(rng: &mut Rng, depth: u32) -> String {
    let inner = |rng: &mut Rng| expression(rng, depth.saturating_sub(1));
    match rng.between(0, 7) {
        0..=2 => format!("{} {} {}", inner(rng), one(rng, COMPARISONS), inner(rng)),
        3 => format!("{} IS NULL", inner(rng)),
        4 => format!("{} IN ({}, {})", inner(rng), inner(rng), inner(rng)),
        5 => format!("{} BETWEEN {} AND {}", inner(rng), inner(rng), inner(rng)),
        _ => {
            format!("NOT ({} = {} OR EXISTS (SELECT 1 FROM t WHERE i = 1))", inner(rng), inner(rng))
        }
    }
}

/// A call of any function, mostly with as many arguments as it takes.
pub fn call(rng: &mut Rng, depth: u32) -> String {
    let functions: Vec<_> = run::func::all().collect();
    let function = functions[rng.between(0, functions.len() as u64) as usize];
    if function.name.starts_with("JSON_OBJECT") || function.name.starts_with("JSON_ARRAY") {
        return json(rng, function.name, depth);
    }
    if function.name.contains(' ') {
        let (a, b) = (expression(rng, depth), expression(rng, depth));
        return match function.name {
            "TRIM FROM" => format!("TRIM({a} FROM {b})"),
            name if name.contains("JSON") => format!("[{name}]({a}, {b})"),
            _ => format!("({a} AT TIME ZONE 'UTC')"),
        };
    }
    if function.name.starts_with("@@") {
        return function.name.to_owned();
    }
    let (least, most) = function.arguments;
    let most = u64::from(most).min(u64::from(least) + 3);
    let mut count = rng.between(u64::from(least), most + 1);
    if rng.between(0, 30) == 0 {
        count += 1;
    }
    let mut arguments: Vec<String> = (0..count).map(|_| expression(rng, depth)).collect();
    if function.takes_date_part && !arguments.is_empty() {
        arguments[0] = one(rng, DATE_PARTS).into();
    }
    format!("{}({})", function.name, arguments.join(", "))
}

/// An object or an array of values.
fn json(rng: &mut Rng, name: &str, depth: u32) -> String {
    let member = |rng: &mut Rng| match name {
        "JSON_OBJECT" => format!("{}: {}", expression(rng, depth), expression(rng, depth)),
        _ => expression(rng, depth),
    };
    let members: Vec<String> = (0..rng.between(0, 4)).map(|_| member(rng)).collect();
    format!("{name}({}{})", members.join(", "), one(rng, JSON_NULLS))
}

/// A document of the table, or of a value.
fn for_json(rng: &mut Rng, depth: u32) -> String {
    const NAMES: &[&str] = &["a", "a.b", "a.c", "a.b.c", "d/e", "b"];
    const OPTIONS: &[&str] =
        &["", ", ROOT", ", ROOT('r')", ", INCLUDE_NULL_VALUES", ", WITHOUT_ARRAY_WRAPPER"];
    let column = |rng: &mut Rng| {
        let value = expression(rng, depth);
        format!("{value} AS [{}]", one(rng, NAMES))
    };
    let columns: Vec<String> = (0..rng.between(1, 4)).map(|_| column(rng)).collect();
    let mode = if rng.between(0, 2) == 0 { "AUTO" } else { "PATH" };
    let from = if rng.between(0, 2) == 0 { "" } else { " FROM t ORDER BY i" };
    let options = one(rng, OPTIONS);
    format!("(SELECT {}{from} FOR JSON {mode}{options})", columns.join(", "))
}

/// The same as XML.
fn for_xml(rng: &mut Rng, depth: u32) -> String {
    const NAMES: &[&str] =
        &["@a", "a", "a/b", "a/@c", "text()", "data()", "*", "comment()", "x!1!y", "b"];
    const MODES: &[&str] = &["RAW", "AUTO", "PATH", "PATH('')", "RAW('r')", "EXPLICIT"];
    const OPTIONS: &[&str] =
        &["", ", ROOT", ", ROOT('r')", ", ELEMENTS", ", ELEMENTS XSINIL", ", BINARY BASE64"];
    let column = |rng: &mut Rng| {
        let value = expression(rng, depth);
        format!("{value} AS [{}]", one(rng, NAMES))
    };
    let columns: Vec<String> = (0..rng.between(1, 4)).map(|_| column(rng)).collect();
    let mode = one(rng, MODES);
    let first = if mode == "EXPLICIT" { "1 AS Tag, 0 AS Parent, " } else { "" };
    let from = if rng.between(0, 2) == 0 { "" } else { " FROM t ORDER BY i" };
    let options = one(rng, OPTIONS);
    format!("(SELECT {first}{}{from} FOR XML {mode}{options})", columns.join(", "))
}

/// A conversion, with or without a style.
pub fn conversion(rng: &mut Rng, depth: u32) -> String {
    let (to, from) = (one(rng, TYPES), one(rng, TYPES));
    let value = expression(rng, depth);
    let attempt = if rng.between(0, 3) == 0 { "TRY_" } else { "" };
    match rng.between(0, 5) {
        0 => format!("{attempt}CAST(CAST({value} AS {from}) AS {to})"),
        1 => format!("{attempt}CAST({value} AS {to})"),
        2 => {
            let style = rng.between(0, 150);
            format!("{attempt}CONVERT({to}, {attempt}CAST({value} AS {from}), {style})")
        }
        3 => format!("{attempt}CONVERT({to}, {value}, {})", self::value(rng)),
        _ => format!("{attempt}PARSE({value} AS {to} USING 'de-DE')"),
    }
}

/// A window function over the table.
pub fn window(rng: &mut Rng) -> String {
    let mut function = one(rng, WINDOWS).to_owned();
    while function.contains('%') {
        function = function.replacen('%', &value(rng).replace('%', "_"), 1);
    }
    let frame = match rng.between(0, 5) {
        0 => " ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
        1 => " ROWS UNBOUNDED PRECEDING",
        2 => " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        _ => "",
    };
    let partition = if rng.between(0, 2) == 0 { "PARTITION BY b " } else { "" };
    let order = if rng.between(0, 4) == 0 { "" } else { "ORDER BY i" };
    format!("{function} OVER ({partition}{order}{frame})")
}

/// An aggregate over the table.
pub fn aggregate(rng: &mut Rng, depth: u32) -> String {
    let name = one(rng, AGGREGATES);
    let argument = expression(rng, depth);
    let distinct = if rng.between(0, 3) == 0 { "DISTINCT " } else { "" };
    match name {
        "STRING_AGG" => format!("STRING_AGG({argument}, {})", value(rng)),
        "JSON_ARRAYAGG" => format!("JSON_ARRAYAGG({argument}{})", one(rng, JSON_NULLS)),
        "JSON_OBJECTAGG" => {
            format!("JSON_OBJECTAGG({}: {argument}{})", value(rng), one(rng, JSON_NULLS))
        }
        _ => format!("{name}({distinct}{argument})"),
    }
}

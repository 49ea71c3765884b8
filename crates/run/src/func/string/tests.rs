use base::{Collation, SqlType, Value};
use ir::function::Functions;
use ir::function::descriptor::{ArgType, Typing};

use crate::func::Library;
use crate::func::testing::{TestSession, check, check_errors, check_in, check_types};

#[test]
fn lengths_are_counted() {
    check(&[
        ("LEN", &["'abc  '"], "3"),
        ("LEN", &["N'abc '"], "3"),
        ("LEN", &["''"], "0"),
        ("LEN", &["'   '"], "0"),
        ("LEN", &["NULL"], "NULL"),
        ("LEN", &["12345"], "5"),
        ("LEN", &["N'😀'"], "2"),
        ("DATALENGTH", &["'abc  '"], "5"),
        ("DATALENGTH", &["N'abc'"], "6"),
        ("DATALENGTH", &["5"], "4"),
        ("DATALENGTH", &["bigint:5"], "8"),
        ("DATALENGTH", &["bit:1"], "1"),
        ("DATALENGTH", &["1.5"], "5"),
        ("DATALENGTH", &["decimal(38,0):12345678901234567890123"], "13"),
        ("DATALENGTH", &["datetime:2020-01-01"], "8"),
        ("DATALENGTH", &["date:2020-01-01"], "3"),
        ("DATALENGTH", &["time(0):10:00"], "3"),
        ("DATALENGTH", &["datetimeoffset(7):2020-01-01"], "10"),
        ("DATALENGTH", &["uniqueidentifier:00000000-0000-0000-0000-000000000000"], "16"),
        ("DATALENGTH", &["sql_variant:abc"], "6"),
        ("DATALENGTH", &["int:NULL"], "NULL"),
        ("DATALENGTH", &["char(5):a"], "5"),
        ("DATALENGTH", &["0x010203"], "3"),
    ]);
    check_types(&[
        ("LEN", &["'abc'"], "int"),
        ("LEN", &["nvarchar(max):abc"], "bigint"),
        ("DATALENGTH", &["varbinary(max):0x01"], "bigint"),
        ("DATALENGTH", &["text:abc"], "int"),
    ]);
    check_errors(&[
        ("LEN", &[], 174, "The len function requires 1 argument(s)."),
        ("LEN", &["'a'", "'b'"], 174, "The len function requires 1 argument(s)."),
        (
            "LEN",
            &["text:a"],
            8116,
            "Argument data type text is invalid for argument 1 of len function.",
        ),
    ]);
}

#[test]
fn pieces_are_cut_out() {
    check(&[
        ("LEFT", &["'abcdef'", "2"], "ab"),
        ("LEFT", &["'abc'", "10"], "abc"),
        ("LEFT", &["'abc'", "0"], ""),
        ("LEFT", &["12345", "2"], "12"),
        ("LEFT", &["NULL", "2"], "NULL"),
        ("RIGHT", &["'abcdef'", "2"], "ef"),
        ("RIGHT", &["N'abc'", "10"], "abc"),
        ("RIGHT", &["'abc'", "0"], ""),
        ("SUBSTRING", &["'abcdef'", "2", "3"], "bcd"),
        ("SUBSTRING", &["'abcdef'", "0", "3"], "ab"),
        ("SUBSTRING", &["'abcdef'", "-2", "3"], ""),
        ("SUBSTRING", &["'abcdef'", "5", "100"], "ef"),
        ("SUBSTRING", &["'abcdef'", "7", "1"], ""),
        ("SUBSTRING", &["0x01020304", "2", "2"], "0x0203"),
        ("SUBSTRING", &["N'añb'", "2", "1"], "ñ"),
        ("SUBSTRING", &["'abc'", "1", "2147483648"], "abc"),
        ("SUBSTRING", &["text:abcdef", "2", "2"], "bc"),
        ("REVERSE", &["'abc'"], "cba"),
        ("REVERSE", &["N'añ'"], "ña"),
        ("REVERSE", &["123"], "321"),
        ("UPPER", &["'abc é'"], "ABC É"),
        ("LOWER", &["N'ÀBC'"], "àbc"),
        ("LOWER", &["NULL"], "NULL"),
    ]);
    check_types(&[
        ("LEFT", &["'abcdef'", "2"], "varchar(2)"),
        ("LEFT", &["'abc'", "10"], "varchar(3)"),
        ("LEFT", &["N'abcdef'", "2"], "nvarchar(2)"),
        ("LEFT", &["varchar(50):a", "int:3"], "varchar(50)"),
        ("LEFT", &["varchar(max):a", "3"], "varchar(max)"),
        ("LEFT", &["char(10):a", "0"], "varchar(1)"),
        ("RIGHT", &["nchar(10):a", "3"], "nvarchar(3)"),
        ("SUBSTRING", &["nvarchar(50):a", "1", "10"], "nvarchar(10)"),
        ("SUBSTRING", &["binary(8):0x01", "1", "3"], "varbinary(3)"),
        ("SUBSTRING", &["ntext:a", "1", "3"], "nvarchar(4000)"),
        ("SUBSTRING", &["image:0x01", "1", "3"], "varbinary(8000)"),
        ("UPPER", &["char(10):a"], "varchar(10)"),
        ("REVERSE", &["nchar(4):a"], "nvarchar(4)"),
    ]);
    check_errors(&[
        (
            "LEFT",
            &["'abc'", "-1"],
            537,
            "Invalid length parameter passed to the LEFT or SUBSTRING function.",
        ),
        ("RIGHT", &["'abc'", "-1"], 536, "Invalid length parameter passed to the RIGHT function."),
        (
            "SUBSTRING",
            &["'abc'", "1", "-1"],
            537,
            "Invalid length parameter passed to the LEFT or SUBSTRING function.",
        ),
        (
            "SUBSTRING",
            &["5", "1", "1"],
            8116,
            "Argument data type int is invalid for argument 1 of substring function.",
        ),
        (
            "SUBSTRING",
            &["NULL", "1", "1"],
            8116,
            "Argument data type NULL is invalid for argument 1 of substring function.",
        ),
        ("SUBSTRING", &["'a'", "1"], 174, "The substring function requires 3 argument(s)."),
        (
            "UPPER",
            &["sql_variant:a"],
            8116,
            "Argument data type sql_variant is invalid for argument 1 of upper function.",
        ),
    ]);
}

#[test]
fn ends_are_trimmed() {
    check(&[
        ("LTRIM", &["'  a b  '"], "a b  "),
        ("RTRIM", &["'  a b  '"], "  a b"),
        ("RTRIM", &["N'  a b  '"], "  a b"),
        ("TRIM", &["'  a b  '"], "a b"),
        ("TRIM", &["N' é '"], "é"),
        ("TRIM", &["'   '"], ""),
        ("RTRIM", &["''"], ""),
        ("TRIM FROM", &["'xxaXbxX'", "'x'"], "aXb"),
        ("TRIM FROM", &["'#! test '", "'#! '"], "test"),
        ("LTRIM", &["'123abc.'", "'123.'"], "abc."),
        ("RTRIM", &["'.123abc.'", "'abc.'"], ".123"),
        ("RTRIM", &["'aaa'", "'a'"], ""),
        ("TRIM FROM", &["'aaa'", "'a'"], ""),
        ("LTRIM", &["N'éa'", "'é'"], "a"),
        ("LTRIM", &["'abc'", "''"], "abc"),
        ("LTRIM", &["NULL"], "NULL"),
    ]);
    check_types(&[
        ("RTRIM", &["char(10):a"], "varchar(10)"),
        ("LTRIM", &["N'abc'"], "nvarchar(3)"),
    ]);
    check_errors(&[(
        "LTRIM",
        &["'a'", "varchar(max):b"],
        8116,
        "Argument data type varchar is invalid for argument 2 of ltrim function.",
    )]);
}

#[test]
fn strings_are_found_and_replaced() {
    check(&[
        ("CHARINDEX", &["'b'", "'abcb'"], "2"),
        ("CHARINDEX", &["'B'", "'abcb'", "3"], "4"),
        ("CHARINDEX", &["'x'", "'abc'"], "0"),
        ("CHARINDEX", &["''", "'abc'"], "0"),
        ("CHARINDEX", &["N'c'", "'abc'"], "3"),
        ("CHARINDEX", &["'a'", "'abca'", "-5"], "1"),
        ("CHARINDEX", &["'a'", "'abca'", "99"], "0"),
        ("CHARINDEX", &["NULL", "'abc'"], "NULL"),
        ("CHARINDEX", &["'a'", "'abc'", "int:NULL"], "NULL"),
        ("PATINDEX", &["'%b_d%'", "'abcd'"], "2"),
        ("PATINDEX", &["'%[0-9]%'", "'abc1'"], "4"),
        ("PATINDEX", &["'abc'", "'abc'"], "1"),
        ("PATINDEX", &["'b%'", "'abc'"], "0"),
        ("PATINDEX", &["'%ter%'", "text:interesting data"], "3"),
        ("REPLACE", &["'abcdefghicde'", "'CDE'", "'xxx'"], "abxxxfghixxx"),
        ("REPLACE", &["'aaa'", "'a'", "'bb'"], "bbbbbb"),
        ("REPLACE", &["'abc'", "''", "'x'"], "abc"),
        ("REPLACE", &["'abc'", "'b'", "''"], "ac"),
        ("REPLACE", &["'abc'", "'b'", "NULL"], "NULL"),
        ("REPLACE", &["'a b'", "' '", "N'é'"], "aéb"),
        ("REPLACE", &["1231", "1", "9"], "9239"),
        ("TRANSLATE", &["'2*[3+4]/{7-2}'", "'[]{}'", "'()()'"], "2*(3+4)/(7-2)"),
        ("TRANSLATE", &["'abcdef'", "'abc'", "'bcd'"], "bcddef"),
        ("TRANSLATE", &["'abc'", "NULL", "'bcd'"], "NULL"),
        ("STUFF", &["'abcdef'", "2", "3", "'ijklmn'"], "aijklmnef"),
        ("STUFF", &["'abc'", "1", "0", "'x'"], "xabc"),
        ("STUFF", &["'abc'", "3", "99", "'x'"], "abx"),
        ("STUFF", &["'abc'", "4", "1", "'x'"], "NULL"),
        ("STUFF", &["'abc'", "0", "1", "'x'"], "NULL"),
        ("STUFF", &["'abc'", "1", "-1", "'x'"], "NULL"),
        ("STUFF", &["'abc'", "2", "1", "NULL"], "ac"),
        ("STUFF", &["NULL", "2", "1", "'x'"], "NULL"),
        ("STUFF", &["'abc'", "2", "1", "N'é'"], "aéc"),
        ("STUFF", &["0x010203", "2", "1", "0xFFFF"], "0x01FFFF03"),
    ]);
    check_types(&[
        ("CHARINDEX", &["'b'", "varchar(max):a"], "bigint"),
        ("CHARINDEX", &["'b'", "'a'"], "int"),
        ("PATINDEX", &["'b'", "nvarchar(max):a"], "bigint"),
        ("REPLACE", &["'a'", "'b'", "'c'"], "varchar(8000)"),
        ("REPLACE", &["'a'", "N'b'", "'c'"], "nvarchar(4000)"),
        ("REPLACE", &["varchar(max):a", "'b'", "'c'"], "varchar(max)"),
        ("STUFF", &["varchar(10):a", "1", "1", "varchar(5):x"], "varchar(15)"),
        ("TRANSLATE", &["varchar(10):a", "'b'", "'c'"], "varchar(10)"),
    ]);
    check_errors(&[
        (
            "TRANSLATE",
            &["'a'", "'ab'", "'c'"],
            9828,
            "The second and third arguments of the TRANSLATE built-in function must contain an equal number of characters.",
        ),
        (
            "PATINDEX",
            &["'%1%'", "123"],
            8116,
            "Argument data type int is invalid for argument 2 of patindex function.",
        ),
        ("CHARINDEX", &["'a'"], 189, "The charindex function requires 2 to 3 arguments."),
    ]);
}

#[test]
fn strings_are_put_together() {
    check(&[
        ("CONCAT", &["'a'", "NULL", "5", "N'é'"], "a5é"),
        ("CONCAT", &["NULL", "NULL"], ""),
        ("CONCAT", &["'a '", "1.50", "date:2020-01-02"], "a 1.502020-01-02"),
        ("CONCAT_WS", &["', '", "'a'", "NULL", "'b'"], "a, b"),
        ("CONCAT_WS", &["NULL", "'a'", "'b'"], "ab"),
        ("CONCAT_WS", &["','", "NULL", "NULL"], ""),
        ("CONCAT_WS", &["','", "1", "2", "3"], "1,2,3"),
        ("REPLICATE", &["'ab'", "3"], "ababab"),
        ("REPLICATE", &["'ab'", "0"], ""),
        ("REPLICATE", &["'ab'", "-1"], "NULL"),
        ("REPLICATE", &["0", "3"], "000"),
        ("SPACE", &["3"], "   "),
        ("SPACE", &["-1"], "NULL"),
        ("CHAR", &["65"], "A"),
        ("CHAR", &["233"], "é"),
        ("CHAR", &["256"], "NULL"),
        ("CHAR", &["-1"], "NULL"),
        ("NCHAR", &["8364"], "€"),
        ("NCHAR", &["65536"], "NULL"),
        ("ASCII", &["'Abc'"], "65"),
        ("ASCII", &["''"], "NULL"),
        ("ASCII", &["N'€'"], "128"),
        ("ASCII", &["5"], "53"),
        ("UNICODE", &["N'€'"], "8364"),
        ("UNICODE", &["'é'"], "233"),
        ("UNICODE", &["N''"], "NULL"),
    ]);
    check_types(&[
        ("CONCAT", &["varchar(10):a", "varchar(20):b"], "varchar(30) not null"),
        ("CONCAT", &["varchar(10):a", "N'b'"], "nvarchar(11) not null"),
        ("CONCAT", &["varchar(8000):a", "'b'"], "varchar(8000) not null"),
        ("CONCAT", &["varchar(max):a", "1"], "varchar(max) not null"),
        ("CONCAT_WS", &["','", "varchar(10):a", "varchar(20):b"], "varchar(31) not null"),
        ("REPLICATE", &["'ab'", "3"], "varchar(6)"),
        ("REPLICATE", &["'ab'", "int:3"], "varchar(8000)"),
        ("REPLICATE", &["N'ab'", "100000"], "nvarchar(4000)"),
        ("SPACE", &["3"], "varchar(3)"),
        ("CHAR", &["65"], "char(1)"),
        ("NCHAR", &["65"], "nchar(1)"),
    ]);
    check_errors(&[
        ("CONCAT", &["'a'"], 189, "The concat function requires 2 to 254 arguments."),
        ("CONCAT_WS", &["','", "'a'"], 189, "The concat_ws function requires 3 to 254 arguments."),
    ]);
    let long = crate::func::testing::run("REPLICATE", &["'abc'", "10000"]).unwrap();
    assert_eq!(long.len(), 8000);
    let longer = crate::func::testing::run("REPLICATE", &["varchar(max):abc", "10000"]).unwrap();
    assert_eq!(longer.len(), 30_000);
}

#[test]
fn names_are_quoted_and_split() {
    check(&[
        ("QUOTENAME", &["'abc[]def'"], "[abc[]]def]"),
        ("QUOTENAME", &["'abc'", "'\"'"], "\"abc\""),
        ("QUOTENAME", &["'a)b'", "'('"], "(a))b)"),
        ("QUOTENAME", &["'a'", "'{'"], "{a}"),
        ("QUOTENAME", &["'a'", "'>'"], "<a>"),
        ("QUOTENAME", &["'a'", "'x'"], "NULL"),
        ("QUOTENAME", &["NULL"], "NULL"),
        ("PARSENAME", &["'AdventureWorks.dbo.[Person.X]'", "1"], "Person.X"),
        ("PARSENAME", &["'AdventureWorks.dbo.Person'", "2"], "dbo"),
        ("PARSENAME", &["'AdventureWorks.dbo.Person'", "3"], "AdventureWorks"),
        ("PARSENAME", &["'AdventureWorks.dbo.Person'", "4"], "NULL"),
        ("PARSENAME", &["'a..b'", "2"], "NULL"),
        ("PARSENAME", &["'1.2.3.4'", "4"], "1"),
        ("PARSENAME", &["'1.2.3.4.5'", "1"], "NULL"),
    ]);
    let long = format!("'{}'", "a".repeat(129));
    check(&[("QUOTENAME", &[&long], "NULL")]);
    check_types(&[
        ("QUOTENAME", &["'abc'"], "nvarchar(258)"),
        ("PARSENAME", &["'abc'", "1"], "nvarchar(128)"),
    ]);
}

#[test]
fn words_sound_alike() {
    check(&[
        ("SOUNDEX", &["'Smith'"], "S530"),
        ("SOUNDEX", &["'Smythe'"], "S530"),
        ("SOUNDEX", &["'Robert'"], "R163"),
        ("SOUNDEX", &["'Tymczak'"], "T522"),
        ("SOUNDEX", &["'Pfister'"], "P236"),
        ("SOUNDEX", &["'Ashcraft'"], "A261"),
        ("SOUNDEX", &["''"], "0000"),
        ("DIFFERENCE", &["'Green'", "'Greene'"], "4"),
        ("DIFFERENCE", &["'Blotchet-Halls'", "'Greene'"], "0"),
    ]);
}

#[test]
fn numbers_and_messages_are_printed() {
    check(&[
        ("STR", &["123.45", "6", "1"], " 123.5"),
        ("STR", &["123.45"], "       123"),
        ("STR", &["123.45", "2", "2"], "**"),
        ("STR", &["-5", "3"], " -5"),
        ("STR", &["5", "-1"], "NULL"),
        ("STRING_ESCAPE", &["N'a\"b\\c/d\u{1}'", "'json'"], "a\\\"b\\\\c\\/d\\u0001"),
        (
            "FORMATMESSAGE",
            &["'%s has %d rows, %05d, %x'", "'t'", "7", "42", "255"],
            "t has 7 rows, 00042, ff",
        ),
        ("FORMATMESSAGE", &["'%I64d'", "bigint:5000000000"], "5000000000"),
        ("FORMATMESSAGE", &["'a %s'", "NULL"], "a (null)"),
        ("FORMATMESSAGE", &["NULL"], "NULL"),
        ("FORMATMESSAGE", &["8134"], "Divide by zero error encountered."),
        ("FORMATMESSAGE", &["208", "'t'"], "Invalid object name 't'."),
        ("FORMATMESSAGE", &["99999"], "NULL"),
    ]);
    check_types(&[
        ("STR", &["1"], "varchar(10)"),
        ("STR", &["1", "5", "2"], "varchar(5)"),
        ("STRING_ESCAPE", &["'a'", "'json'"], "nvarchar(max)"),
    ]);
    check_errors(&[
        (
            "FORMATMESSAGE",
            &["'%d'", "'x'"],
            2786,
            "The data type of substitution parameter 1 does not match the expected type of the format specification.",
        ),
        (
            "FORMATMESSAGE",
            &["'%d'", "1.5"],
            2748,
            "Cannot specify numeric data type (parameter 1) as a substitution parameter.",
        ),
    ]);
}

#[test]
fn supplementary_characters_count_once_where_the_collation_knows_them() {
    let collation = Collation::by_name("Latin1_General_100_CI_AS_SC").unwrap();
    let bind = |name: &str, args: &[ArgType<'_>]| {
        Library.scalar(name).unwrap().bind(args, Typing { collation }).unwrap()
    };
    let two = Value::Int(2);
    let args =
        [ArgType::of(SqlType::nvarchar(50, collation)), ArgType::constant(SqlType::int(), &two)];
    assert_eq!(bind("LEFT", &args).ty, SqlType::nvarchar(4, collation));
    assert_eq!(bind("NCHAR", &args[1..]).ty, SqlType::nvarchar(2, collation));
    let utf8 = Collation::LATIN1_BIN2_UTF8;
    let args = [ArgType::of(SqlType::varchar(50, utf8)), args[1]];
    let left = Library.scalar("LEFT").unwrap().bind(&args, Typing { collation: utf8 }).unwrap();
    assert_eq!(left.ty, SqlType::varchar(8, utf8));
}

#[test]
fn the_language_chooses_users_messages() {
    use base::ids::DbId;
    use engine::catalog::def::MessageDef;
    use engine::catalog::{Definition, Schema};
    let message = |language, text: &str| {
        Definition::Message(std::sync::Arc::new(MessageDef {
            id: 50_001,
            language,
            severity: 16,
            event_logged: false,
            text: text.into(),
        }))
    };
    let definitions = [message(1033, "%d rows"), message(1031, "%d Zeilen")];
    let master = Schema::from_definitions(DbId::MASTER, Collation::DEFAULT, definitions).unwrap();
    let mut session = TestSession { schemas: vec![master.into()], ..TestSession::default() };
    check_in(&session, &[("FORMATMESSAGE", &["50001", "3"], "3 rows")]);
    session.dates.language = base::datetime::Language::by_name("German").unwrap();
    check_in(&session, &[("FORMATMESSAGE", &["50001", "3"], "3 Zeilen")]);
}

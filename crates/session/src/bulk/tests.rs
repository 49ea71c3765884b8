//! Bulk loads end to end.

use std::path::Path;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use base::{Collation, SqlResult, SqlType, Value, ValueRef};
use engine::wait::Task;

use super::BulkSource;
use crate::testing::TestServer;

/// Rows as a client sends them.
struct Rows {
    types: Vec<SqlType>,
    rows: std::vec::IntoIter<Vec<Value>>,
}

impl Rows {
    fn new(types: &[SqlType], rows: Vec<Vec<Value>>) -> Rows {
        Rows { types: types.to_vec(), rows: rows.into_iter() }
    }
}

impl BulkSource for Rows {
    fn columns(&mut self, _: &Task) -> SqlResult<Vec<SqlType>> {
        Ok(self.types.clone())
    }

    fn next(
        &mut self,
        _: &Task,
        take: &mut dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()>,
    ) -> SqlResult<bool> {
        let Some(row) = self.rows.next() else { return Ok(false) };
        let values: Vec<ValueRef<'_>> = row.iter().map(Value::as_ref).collect();
        take(&values)?;
        Ok(true)
    }
}

const NVARCHAR: SqlType = SqlType::nvarchar(100, Collation::DEFAULT);

const TABLE: &str = "create table t (id int identity primary key, n int not null default 7,
  s nvarchar(5) null, constraint small check (n < 100))";

fn text(value: &str) -> Value {
    Value::unicode(value)
}

#[test]
fn rows_from_the_wire_are_inserted_like_any_others() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(TABLE);
    assert_eq!(session.run("insert bulk t (n int, s nvarchar(10)) with (tablock)"), "");
    let rows = (0..5000).map(|i| vec![Value::Int(i % 200), text("abc  ")]).collect();
    let mut source = Rows::new(&[SqlType::bigint(), NVARCHAR], rows);
    assert_eq!(session.bulk(&mut source), "(5000 rows)");
    let summary = session.run("select count(*), min(id), max(id), sum(n), max(s) from t");
    assert_eq!(summary.lines().nth(1), Some("5000|1|5000|497500|abc  "));
}

#[test]
fn a_failed_load_leaves_nothing_and_says_why() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(TABLE);
    let mut load = |options: &str, rows: Vec<Vec<Value>>| {
        session.run(&format!("insert bulk t (n int, s nvarchar(5)) {options}"));
        let answer = session.bulk(&mut Rows::new(&[SqlType::int(), NVARCHAR], rows));
        let left = session.run("select count(*) from t; delete t");
        let left = left.lines().nth(1).unwrap_or_default().to_owned();
        format!("{} / {left}", answer.lines().next().unwrap_or_default())
    };
    let many = |last: Vec<Value>| {
        let mut rows: Vec<Vec<Value>> =
            (0..3000).map(|i| vec![Value::Int(i % 50), Value::Null]).collect();
        rows.push(last);
        rows
    };
    let long = vec![Value::Int(1), text("too long")];
    let expected = "Msg 4815, Level 16, State 1, Line 1: Received an invalid column length from \
        the bcp client for colid 2. / 0";
    assert_eq!(load("", many(long)), expected);
    let checked = load("with (check_constraints)", many(vec![Value::Int(100), Value::Null]));
    assert!(checked.starts_with("Msg 547, ") && checked.ends_with(" / 0"), "{checked}");
    assert_eq!(load("", many(vec![Value::Int(100), Value::Null])), "(3001 rows) / 3001");
    let null = load("with (keep_nulls)", many(vec![Value::Null, Value::Null]));
    assert!(null.starts_with("Msg 515, ") && null.ends_with(" / 0"), "{null}");
    assert_eq!(load("", many(vec![Value::Null, Value::Null])), "(3001 rows) / 3001");
}

#[test]
fn a_load_belongs_to_the_open_transaction() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(TABLE);
    session.run("begin tran");
    session.run("insert bulk t (n int)");
    let rows = vec![vec![Value::Int(1)], vec![Value::Int(2)]];
    assert_eq!(session.bulk(&mut Rows::new(&[SqlType::int()], rows)), "(2 rows)");
    assert!(session.run("select count(*) from t").contains("\n2\n"));
    session.run("rollback");
    assert!(session.run("select count(*) from t").contains("\n0\n"));
}

#[test]
fn identity_values_and_triggers_are_asked_for() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(TABLE);
    session.run("create table log (n int, total int)");
    session.run(
        "create trigger tr on t after insert as
        insert log select count(*), sum(n) from inserted",
    );
    let rows = || (1..=3000).map(|i| vec![Value::Int(i * 2), Value::Int(1)]).collect();
    let types = [SqlType::int(), SqlType::int()];
    session.run("insert bulk t (id int, n int)");
    assert_eq!(session.bulk(&mut Rows::new(&types, rows())), "(3000 rows)");
    assert_eq!(session.run("select count(*) c from log"), "c\n0\n(1 row)");
    assert_eq!(session.run("select max(id) m from t"), "m\n6000\n(1 row)");
    session.run("delete t");
    session.run("insert bulk t (id int, n int) with (fire_triggers)");
    assert_eq!(session.bulk(&mut Rows::new(&types, rows())), "(1 row)\n(3000 rows)");
    assert_eq!(session.run("select n, total from log"), "n|total\n3000|3000\n(1 row)");
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(TABLE);
    let first = |answer: String| answer.split(',').next().unwrap_or_default().to_owned();
    assert_eq!(first(session.run("insert bulk missing (n int)")), "Msg 208");
    assert_eq!(first(session.run("insert bulk t (m int)")), "Msg 207");
    assert!(session.run("select 1; insert bulk t (n int)").contains("Msg 428"));
    let none = session.bulk(&mut Rows::new(&[SqlType::int()], Vec::new()));
    assert_eq!(first(none), "Msg 4891");
    session.run("insert bulk t (n int)");
    let wrong = session.bulk(&mut Rows::new(&[SqlType::uniqueidentifier()], Vec::new()));
    assert_eq!(first(wrong), "Msg 4816");
}

/// A server with a table, and a file that is loaded into it.
fn load_file(table: &str, options: &str, content: &[u8]) -> String {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(table);
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    fs.write_new(Path::new("/in/t.txt"), content).unwrap();
    let answer = session.run(&format!("bulk insert t from '/in/t.txt' {options}"));
    format!("{answer}\n{}", session.run("select * from t order by 1"))
}

#[test]
fn files_are_loaded() {
    let table =
        "create table t (a int not null, b varchar(10) null, c date null default '2000-01-01')";
    let answer = load_file(table, "", b"1\tx\t2020-02-03\r\n2\t\t\r\n");
    assert_eq!(answer, "(2 rows)\na|b|c\n1|x|2020-02-03\n2|NULL|2000-01-01\n(2 rows)");
    let csv = "with (format = 'csv', firstrow = 2, codepage = '65001', keepnulls)";
    let answer = load_file(table, csv, "a,b,c\n1,\"é,\"\"\",\n".as_bytes());
    assert_eq!(answer, "(1 row)\na|b|c\n1|é,\"|NULL\n(1 row)");
}

#[test]
fn bad_rows_of_files_are_left_out_up_to_a_number() {
    let table = "create table t (a int not null, b varchar(3) null)";
    let answer = load_file(table, "", b"1\ta\nx\tb\n3\tlong\n99999999999\td\n5\te\n");
    let expected = "\
Msg 4864, Level 16, State 1, Line 1: Bulk load data conversion error (type mismatch or invalid character for the specified codepage) for row 2, column 1 (a).
Msg 4863, Level 16, State 1, Line 1: Bulk load data conversion error (truncation) for row 3, column 2 (b).
Msg 4867, Level 16, State 1, Line 1: Bulk load data conversion error (overflow) for row 4, column 1 (a).
(2 rows)
a|b
1|a
5|e
(2 rows)";
    assert_eq!(answer, expected);
    let answer = load_file(table, "with (maxerrors = 1)", b"1\ta\nx\tb\n3\tlong\n");
    let numbers: Vec<&str> = answer.lines().filter_map(|l| l.split(',').next()).collect();
    assert_eq!(
        numbers,
        ["Msg 4864", "Msg 4863", "Msg 4865", "Msg 7399", "Msg 7330", "a|b", "(0 rows)"]
    );
    let answer = load_file(table, "", b"1\ta\n2");
    assert!(answer.starts_with("Msg 4832"), "{answer}");
    let answer = load_file(table, "with (batchsize = 1)", b"1\ta\n2");
    assert!(answer.ends_with("1|a\n(1 row)"), "{answer}");
}

#[test]
fn constraints_that_a_load_ignores_are_not_trusted() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table parent (id int primary key) insert parent values (1)");
    session.run(
        "create table t (n int constraint small check (n < 100), p int constraint up references parent)",
    );
    let mut load = |options: &str, n: i64| {
        session.run(&format!("insert bulk t (n int, p int) {options}"));
        let row = vec![Value::Int(n), Value::Int(n)];
        let answer = session.bulk(&mut Rows::new(&[SqlType::int(), SqlType::int()], vec![row]));
        let trust = session.run(
            "select (select is_not_trusted from sys.check_constraints) as c,
                (select is_not_trusted from sys.foreign_keys) as f,
                objectproperty(object_id('small'), 'CnstIsNotTrusted') as p",
        );
        format!("{answer} {}", trust.lines().nth(1).unwrap())
    };
    assert_eq!(load("with (check_constraints)", 1), "(1 row) 0|0|0");
    assert_eq!(load("", 100), "(1 row) 1|1|1");
    let refused = session.run("alter table t with check check constraint all");
    assert!(refused.starts_with("Msg 547, Level 16, State 0"), "{refused}");
    session.run("update t set n = 1, p = 1 alter table t with check check constraint all");
    let trust = session.run(
        "select is_not_trusted from sys.check_constraints
        union all select is_not_trusted from sys.foreign_keys",
    );
    assert_eq!(trust, "is_not_trusted\n0\n0\n(2 rows)");
    // It is part of the transaction that loads.
    session.run("begin tran insert bulk t (n int)");
    session.bulk(&mut Rows::new(&[SqlType::int()], vec![vec![Value::Int(500)]]));
    session.run("rollback");
    assert!(session.run("select is_not_trusted from sys.check_constraints").contains("\n0\n"));
}

#[test]
fn loads_into_one_table_go_on_side_by_side() {
    let server = TestServer::new();
    server.session().run("create table t (n int constraint small check (n < 100))");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let instance = server.instance.clone();
            scope.spawn(move || {
                let server = TestServer::of(instance);
                let mut session = server.session();
                for _ in 0..10 {
                    session.run("insert bulk t (n int)");
                    let rows = (0..200).map(|n| vec![Value::Int(n)]).collect();
                    let answer = session.bulk(&mut Rows::new(&[SqlType::int()], rows));
                    assert_eq!(answer, "(200 rows)");
                }
            });
        }
    });
    let count = server.session().run("select count(*) as n from t");
    assert_eq!(count, "n\n4000\n(1 row)");
}

#[test]
fn files_are_read_whole() {
    let server = TestServer::new();
    let mut session = server.session();
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    let long = "x".repeat(200_000);
    let files: [(&str, &[u8]); 5] = [
        ("text", b"[1, 2, \"\xE9\"]"),
        ("wide", b"\xFF\xFEa\0\xE9\0"),
        ("odd", b"\xFF\xFEa\0b"),
        ("empty", b""),
        ("long", long.as_bytes()),
    ];
    for (name, content) in files {
        fs.write_new(Path::new(&format!("/in/{name}")), content).unwrap();
    }
    let mut read = |file: &str, content: &str, value: &str| {
        session
            .run(&format!("select {value} as v from openrowset(bulk '/in/{file}', {content}) as f"))
    };
    let one = |value: &str| format!("v\n{value}\n(1 row)");
    assert_eq!(read("text", "single_clob", "BulkColumn"), one("[1, 2, \"é\"]"));
    assert_eq!(read("text", "SINGLE_BLOB", "f.BulkColumn"), one("0x5B312C20322C2022E9225D"));
    assert_eq!(read("wide", "SINGLE_NCLOB", "BulkColumn"), one("aé"));
    assert_eq!(read("long", "SINGLE_CLOB", "len(BulkColumn)"), one("200000"));
    assert_eq!(read("empty", "SINGLE_CLOB", "len(BulkColumn)"), one("0"));
    assert_eq!(
        read("text", "SINGLE_CLOB", "(select count(*) from openjson(BulkColumn))"),
        one("3")
    );
    let failures = [
        ("wide", "SINGLE_CLOB", "Msg 4806"),
        ("text", "SINGLE_NCLOB", "Msg 4809"),
        ("odd", "SINGLE_NCLOB", "Msg 4809"),
        ("missing", "SINGLE_BLOB", "Msg 4860"),
        ("text", "FORMATFILE = '/in/f'", "Msg 4860"),
        ("text", "FORMAT = 'CSV'", "Msg 472"),
    ];
    for (file, content, number) in failures {
        let answer = read(file, content, "BulkColumn");
        assert!(answer.contains(number), "{file} as {content}: {answer}");
    }
    let named =
        "select x from openrowset(bulk '/in/text', single_clob) as f (x) where x like '%2%'";
    assert!(session.run(named).contains("[1, 2"));
    let twice = "select count(*) from openrowset(bulk '/in/text', single_clob) a, \
                 openrowset(bulk '/in/wide', single_blob) b";
    assert!(session.run(twice).contains("(1 row)"));
    let unnamed = session.run("select * from openrowset(bulk '/in/text', single_clob)");
    assert!(unnamed.contains("Msg 491"), "{unnamed}");
    let ad_hoc = session.run("select * from openrowset('SQLNCLI', 'x', 'select 1') as f");
    assert!(ad_hoc.contains("Msg 15281"), "{ad_hoc}");
    session.run("create login reader with password = 'Zx9$kkkk'; create user reader");
    let denied = "execute as user = 'reader'; \
                  select * from openrowset(bulk '/in/text', single_clob) as f; revert";
    let answer = session.run(denied);
    assert!(answer.contains("Msg 4834"), "{answer}");
}

/// Loads a file that a format file describes into a new table, and shows the table.
fn load_formatted(
    server: &TestServer,
    table: &str,
    options: &str,
    format: &str,
    content: &[u8],
) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (mut session, number) = (server.session(), NEXT.fetch_add(1, Relaxed));
    session.run("drop table if exists t");
    session.run(table);
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    fs.write_new(Path::new(&format!("/in/{number}.txt")), content).unwrap();
    fs.write_new(Path::new(&format!("/in/{number}.fmt")), format.as_bytes()).unwrap();
    let load = format!(
        "bulk insert t from '/in/{number}.txt' with (formatfile = '/in/{number}.fmt'{options})"
    );
    let answer = session.run(&load).replace(&format!("/in/{number}.fmt"), "/in/t.fmt");
    format!("{answer}\n{}", session.run("select * from t order by 1"))
}

const PEOPLE: &str = "create table t (id int not null, name nvarchar(10) null, \
                      born date null default '2000-01-01', note varchar(5) null)";

#[test]
fn format_files_order_skip_and_delimit_fields() {
    let server = TestServer::new();
    let format = "14.0\r\n4\r\n\
        1  SQLCHAR  0  20  \",\"      2  name  Latin1_General_CI_AS\r\n\
        2  SQLCHAR  0  20  \"|\"      0  extra \"\"\r\n\
        3  SQLCHAR  0  3   \"\"       1  id    \"\"\r\n\
        4  SQLCHAR  0  10  \"\\r\\n\"   3  born  RAW\r\n";
    let data = b"J\xF6rg,left out|  12020-02-03\r\n,x|  2\r\nc,y|  32001-01-01";
    let expected = "(3 rows)\nid|name|born|note\n1|J\u{f6}rg|2020-02-03|NULL\n\
                    2|NULL|2000-01-01|NULL\n3|c|2001-01-01|NULL\n(3 rows)";
    assert_eq!(load_formatted(&server, PEOPLE, "", format, data), expected);
    // Fields of characters were read as UTF-16.
    let answer = load_formatted(&server, PEOPLE, ", datafiletype = 'widechar'", format, data);
    assert_eq!(answer, expected);
    let answer =
        load_formatted(&server, PEOPLE, ", keepnulls, firstrow = 2, lastrow = 2", format, data);
    assert_eq!(answer, "(1 row)\nid|name|born|note\n2|NULL|NULL|NULL\n(1 row)");
}

#[test]
fn format_files_describe_prefixes_wide_and_native_values() {
    let server = TestServer::new();
    let format = "9.0
5
1 SQLINT 0 4 \"\" 1 id \"\"
2 SQLNCHAR 2 20 \"\" 2 name \"\"
3 SQLDATE 1 3 \"\" 3 born \"\"
4 SQLCHAR 1 5 \";\" 4 note \"\"
5 SQLDECIMAL 1 19 \"\" 5 d \"\"
";
    let table = "create table t (id bigint, name nvarchar(10), born date, note varchar(5), \
                 d decimal(9, 2))";
    let mut data = Vec::new();
    data.extend((-7_i32).to_le_bytes());
    data.extend([4, 0, b'a', 0, 0x09, 1]);
    data.extend([3, 1, 0, 0]);
    data.extend(b"\x03abc;");
    data.extend([19, 5, 2, 0]);
    data.extend(12_345_i128.to_le_bytes());
    data.extend(8_i32.to_le_bytes());
    data.extend([0xFF, 0xFF, 0xFF]);
    data.extend(b"\0;\xFF");
    let expected = "(2 rows)\nid|name|born|note|d\n-7|a\u{109}|0001-01-02|abc|-123.45\n\
                    8|NULL|NULL||NULL\n(2 rows)";
    assert_eq!(load_formatted(&server, table, "", format, &data), expected);
    let cut = load_formatted(&server, table, "", format, &data[..data.len() - 2]);
    assert!(cut.starts_with("Msg 4832"), "{cut}");
}

#[test]
fn format_files_may_be_xml() {
    let server = TestServer::new();
    let format = r#"<?xml version="1.0"?>
<BCPFORMAT xmlns="http://schemas.microsoft.com/sqlserver/2004/bulkload/format"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <RECORD>
    <FIELD ID="1" xsi:type="CharTerm" TERMINATOR="\t" MAX_LENGTH="12"/>
    <FIELD ID="2" xsi:type="CharTerm" TERMINATOR=";" MAX_LENGTH="12"/>
    <FIELD ID="3" xsi:type="CharFixed" LENGTH="3" COLLATION="Latin1_General_CI_AS"/>
    <FIELD ID="4" xsi:type="NativeFixed"/>
    <FIELD ID="5" xsi:type="CharTerm" TERMINATOR="\r\n" MAX_LENGTH="12"/>
  </RECORD>
  <ROW>
    <COLUMN SOURCE="4" NAME="id" xsi:type="SQLINT"/>
    <COLUMN SOURCE="3" NAME="name" xsi:type="SQLNVARCHAR"/>
    <COLUMN SOURCE="1" NAME="born" xsi:type="SQLDATE"/>
    <COLUMN SOURCE="5" NAME="note" xsi:type="SQLVARYCHAR"/>
  </ROW>
</BCPFORMAT>"#;
    let data = b"2020-02-03\tout;abc\x01\0\0\0n\r\n\tout;d  \x02\0\0\0\r\n";
    let expected =
        "(2 rows)\nid|name|born|note\n1|abc|2020-02-03|n\n2|d  |2000-01-01|NULL\n(2 rows)";
    assert_eq!(load_formatted(&server, PEOPLE, "", format, data), expected);
    let wrong = [
        (
            "TERMINATOR=\";\" MAX",
            "MAX",
            "Msg 4859, Level 16, State 1, Line 1: Line 6 in format file \"/in/t.fmt\": required attribute \"TERMINATOR\" is missing.",
        ),
        (
            "LENGTH=\"3\" COLL",
            "LENGTH=\"x\" COLL",
            "Msg 4858, Level 16, State 1, Line 1: Line 7 in format file \"/in/t.fmt\": bad value x for attribute \"LENGTH\".",
        ),
        (
            "MAX_LENGTH=\"12\"/>",
            "LENGTH=\"1\"/>",
            "Msg 4857, Level 16, State 1, Line 1: Line 5 in format file \"/in/t.fmt\": Attribute \"LENGTH\" could not be specified for this type.",
        ),
        (
            "SOURCE=\"1\"",
            "SOURCE=\"9\"",
            "Msg 4858, Level 16, State 1, Line 1: Line 14 in format file \"/in/t.fmt\": bad value 9 for attribute \"SOURCE\".",
        ),
        (
            "SQLINT",
            "SQLNONE",
            "Msg 4858, Level 16, State 1, Line 1: Line 12 in format file \"/in/t.fmt\": bad value SQLNONE for attribute \"xsi:type\".",
        ),
        (
            "LENGTH=\"3\" COLL",
            "LENGTH=\"0\" COLL",
            "Msg 4858, Level 16, State 1, Line 1: Line 7 in format file \"/in/t.fmt\": bad value 0 for attribute \"LENGTH\".",
        ),
        ("SQLINT", "SQLUDT", "Msg 401"),
        ("</ROW>", "", "Msg 4862"),
        ("<RECORD>", "<RECORDS/><RECORD>", "(2 rows)"),
    ];
    for (from, to, expected) in wrong {
        let answer = load_formatted(&server, PEOPLE, "", &format.replacen(from, to, 1), data);
        assert!(answer.starts_with(expected), "{to}: {answer}");
    }
}

#[test]
fn format_files_that_make_no_sense_are_refused() {
    let server = TestServer::new();
    let line = "1 SQLCHAR 0 20 \"\\n\" 1 id \"\"\n";
    let cases = [
        ("17.9\n1\n", line, "Msg 4820"),
        ("14.0\n", "", "Msg 4821"),
        ("14.0\nx\n", line, "Msg 4822"),
        ("14.0\n0\n", line, "Msg 4822"),
        ("14.0\n2\n", line, "Msg 4823"),
        ("14.0\n1\n", "2 SQLCHAR 0 20 \"\\n\" 1 id \"\"\n", "Msg 4823"),
        ("14.0\n1\n", "1 SQLWHAT 0 20 \"\\n\" 1 id \"\"\n", "Msg 4824"),
        ("14.0\n1\n", "1 SQLCHAR 3 20 \"\\n\" 1 id \"\"\n", "Msg 4825"),
        ("14.0\n1\n", "1 SQLCHAR 0 x \"\\n\" 1 id \"\"\n", "Msg 4826"),
        ("14.0\n1\n", "1 SQLCHAR 0 0 \"\" 1 id \"\"\n", "Msg 4826"),
        ("14.0\n1\n", "1 SQLCHAR 0 20 , 1 id \"\"\n", "Msg 4827"),
        ("14.0\n1\n", "1 SQLCHAR 0 20 \"\\n\" 9 id \"\"\n", "Msg 4828"),
        ("14.0\n1\n", "1 SQLCHAR 0 20 \"\\n\" 1\n", "Msg 4829"),
        ("14.0\n1\n", "1 SQLCHAR 0 20 \"\\n\" 1 id Nowhere_CI\n", "Msg 4839"),
        ("14.0\n1\n", "1 SQLTIME 0 5 \"\" 1 id \"\"\n", "Msg 401"),
        ("7.0\n1\n", "1 SQLCHAR 0 20 \"\\n\" 1 id\n", "(1 row)"),
    ];
    for (head, line, expected) in cases {
        let answer = load_formatted(&server, PEOPLE, "", &format!("{head}{line}"), b"5\n");
        assert!(answer.starts_with(expected), "{head}{line}: {answer}");
    }
    let answer =
        load_formatted(&server, PEOPLE, ", format = 'csv'", &format!("14.0\n1\n{line}"), b"5\n");
    assert!(answer.starts_with("(1 row)"), "{answer}");
    let mut session = server.session();
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    fs.write_new(Path::new("/in/t.txt"), b"5\n").unwrap();
    let missing = session.run("bulk insert t from '/in/t.txt' with (formatfile = '/in/no.fmt')");
    assert!(missing.starts_with("Msg 4860"), "{missing}");
}

/// What a load inserts into a tracked table are changes like any others.
#[test]
fn loads_into_tracked_tables_are_changes() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d
go
alter database d set change_tracking = on
go
use d
go
create table t (id int primary key, v int)
alter table t enable change_tracking",
    );
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    fs.write_new(Path::new("/in/t.txt"), b"1\t1\n2\t2\n").unwrap();
    assert_eq!(session.run("bulk insert t from '/in/t.txt'"), "(2 rows)");
    session.run("insert bulk t (id int, v int)");
    let rows = vec![vec![Value::Int(3), Value::Int(3)]];
    session.bulk(&mut Rows::new(&[SqlType::int(), SqlType::int()], rows));
    let changes = "select id, sys_change_operation as op, sys_change_version as v \
                   from changetable(changes t, 0) as c order by id";
    assert_eq!(session.run(changes), "id|op|v\n1|I|1\n2|I|1\n3|I|2\n(3 rows)");
}

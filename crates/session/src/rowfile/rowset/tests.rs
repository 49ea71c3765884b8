use std::path::Path;

use env::sim::SimEnv;

use crate::instance::memory::StatementMemory;
use crate::testing::{TestServer, TestSession};

/// Files of this server below `/in`.
fn put(server: &TestServer, files: &[(&str, &[u8])]) {
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    for (name, content) in files {
        fs.write_new(Path::new(&format!("/in/{name}")), content).unwrap();
    }
}

const FORMAT: &[u8] = b"16.0
3
1 SQLCHAR 0 12 \",\" 1 id \"\"
2 SQLCHAR 0 0 \",\" 3 note Latin1_General_CI_AS
3 SQLCHAR 0 8 \"\\n\" 2 amount \"\"
";

const XML: &[u8] = br#"<?xml version="1.0"?>
<BCPFORMAT xmlns="http://schemas.microsoft.com/sqlserver/2004/bulkload/format"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
 <RECORD>
  <FIELD ID="1" xsi:type="CharTerm" TERMINATOR="," MAX_LENGTH="12"/>
  <FIELD ID="2" xsi:type="CharTerm" TERMINATOR="," MAX_LENGTH="20"/>
  <FIELD ID="3" xsi:type="CharTerm" TERMINATOR="\n" MAX_LENGTH="8"/>
 </RECORD>
 <ROW>
  <COLUMN SOURCE="1" NAME="id" xsi:type="SQLINT" NULLABLE="NO"/>
  <COLUMN SOURCE="3" NAME="amount" xsi:type="SQLDECIMAL" PRECISION="9" SCALE="2"/>
  <COLUMN SOURCE="2" NAME="note" xsi:type="SQLNVARCHAR"/>
 </ROW>
</BCPFORMAT>"#;

fn server() -> TestServer {
    let server = TestServer::new();
    put_all(&server);
    server
}

fn put_all(server: &TestServer) {
    put(
        server,
        &[
            ("f.fmt", FORMAT),
            ("f.xml", XML),
            ("rows", b"1,one,1.5\n2,,2.5\n3,three,\n"),
            ("bad", b"1,one,1.5\nx,two,2.5\n3,three,3.5\n"),
            ("csv", b"id,note,amount\n1,\"a,\"\"b\"\"\",1.5\n2,\"two\nlines\",2\n"),
            ("unsorted", b"2,b,1\n1,a,1\n"),
            ("twice", b"1,a,1\n1,b,1\n"),
        ],
    );
}

#[test]
fn format_files_name_and_type_the_columns() {
    let server = server();
    let mut session = server.session();
    let text = session.run(
        "select * from openrowset(bulk '/in/rows', formatfile = '/in/f.fmt') as f order by id",
    );
    assert_eq!(text, "id|amount|note\n1|1.5|one\n2|2.5|NULL\n3|NULL|three\n(3 rows)");
    let xml = "openrowset(bulk '/in/rows', formatfile = '/in/f.xml') as f";
    let types = session.run(&format!(
        "select top 0 * into #t from {xml};
         select name, type_name(user_type_id) as type, max_length, precision, scale, is_nullable
         from tempdb.sys.columns where object_id = object_id('tempdb..#t')"
    ));
    let expected = "(0 rows)\nname|type|max_length|precision|scale|is_nullable\n\
                    id|int|4|10|0|0\namount|decimal|5|9|2|1\nnote|nvarchar|40|0|0|1\n(3 rows)";
    assert_eq!(types, expected);
    let sums = session.run(&format!("select sum(amount) as s, count(*) as n from {xml}"));
    assert!(sums.contains("4.00|3"), "{sums}");
    let named =
        format!("select f.b, x.n from {xml} (a, b, c) join (values (2), (3)) x (n) on n = a");
    assert_eq!(session.run(&named), "b|n\n2.50|2\nNULL|3\n(2 rows)");
    let one =
        format!("select (select note from {xml} where id = 1) as a, (select max(id) from {xml})");
    assert!(session.run(&one).contains("one|3"), "{one}");
    let several = session.run(&format!("select (select id from {xml})"));
    assert!(several.contains("Msg 512"), "{several}");
}

#[test]
fn csv_takes_terminators_from_the_format_file() {
    let server = server();
    let answer = server.session().run(
        "select * from openrowset(bulk '/in/csv', formatfile = '/in/f.fmt', format = 'csv',
           firstrow = 2) as f",
    );
    assert_eq!(answer, "id|amount|note\n1|1.5|a,\"b\"\n2|2|two\nlines\n(2 rows)");
    let mut session = server.session();
    session.run("create table t (id int, amount decimal(9, 2), note varchar(20))");
    session.run(
        "bulk insert t from '/in/csv' with (formatfile = '/in/f.fmt', format = 'csv',
           firstrow = 2)",
    );
    assert_eq!(session.run("select sum(amount) as s from t"), "s\n3.50\n(1 row)");
}

#[test]
fn bad_rows_are_left_out_up_to_a_number() {
    let server = server();
    let mut session = server.session();
    let read = "select id from openrowset(bulk '/in/bad', formatfile = '/in/f.xml'";
    let answer = session.run(&format!("{read}, errorfile = '/in/errors') as f"));
    let refused = "Bulk load data conversion error (type mismatch or invalid character for the \
                   specified codepage) for row 2, column 1 (id).";
    assert_eq!(answer.lines().collect::<Vec<_>>(), ["id", "1", refused, "3", "(2 rows)"]);
    let fs = server.instance.env().fs();
    assert_eq!(fs.read(Path::new("/in/errors")).unwrap(), b"x,two,2.5\n");
    let notes = fs.read(Path::new("/in/errors.Error.Txt")).unwrap();
    assert!(String::from_utf8(notes).unwrap().starts_with("Row 2 File Offset 10"));
    let again = session.run(&format!("{read}, errorfile = '/in/errors') as f"));
    assert!(again.contains("Msg 4870"), "{again}");
    let none = session.run(&format!("{read}, maxerrors = 0) as f"));
    let parts = ["type mismatch", "maximum number of errors (0)", "reported an error", "Msg 7330"];
    assert!(parts.iter().all(|part| none.contains(part)), "{none}");
}

#[test]
fn orders_are_checked() {
    let server = server();
    let mut session = server.session();
    let mut read = |file: &str, order: &str| {
        session.run(&format!(
            "select count(*) from openrowset(bulk '/in/{file}', formatfile = '/in/f.xml', \
             order ({order}) as f"
        ))
    };
    assert!(read("rows", "id) unique").contains("(1 row)"));
    assert!(read("unsorted", "id)").contains("Msg 5325"));
    assert!(read("unsorted", "id desc)").contains("(1 row)"));
    assert!(read("twice", "id)").contains("(1 row)"));
    assert!(read("twice", "id) unique").contains("Msg 5326"));
    assert!(read("twice", "other)").contains("Msg 207"));
}

/// Runs a statement that must fail, and gives the number.
fn number(session: &mut TestSession<'_>, statement: &str) -> String {
    let answer = session.run(statement);
    let number = answer.split("Msg ").nth(1).and_then(|rest| rest.split(',').next());
    number.unwrap_or_default().to_string()
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let server = server();
    let mut session = server.session();
    let cases = [
        ("format = 'csv') as f", "472"),
        ("firstrow = 2) as f", "15808"),
        ("formatfile = '/in/none') as f", "4860"),
        ("formatfile = '/in/f.fmt')", "491"),
        ("single_clob, single_blob) as f", "471"),
        ("single_clob, formatfile = '/in/f.fmt') as f", "4137"),
        ("formatfile = '/in/f.fmt', formatfile = '/in/f.fmt') as f", "4130"),
        ("formatfile = '/in/f.fmt', format = 'csv') with (a int) as f", "5374"),
        ("formatfile = '/in/f.fmt', data_source = 's') as f", "12703"),
        ("formatfile = '/in/f.fmt', fieldterminator = ',') as f", "102"),
        ("formatfile = '/in/f.fmt', firstrow = 3, lastrow = 2) as f", "4880"),
        ("formatfile = '/in/f.fmt', format = 'csv', fieldquote = 'ab') as f", "4878"),
        ("formatfile = '/in/rows') as f", "4820"),
    ];
    for (options, expected) in cases {
        let statement = format!("select * from openrowset(bulk '/in/rows', {options}");
        assert_eq!(number(&mut session, &statement), expected, "{options}");
    }
    let missing = "select * from openrowset(bulk '/in/no', formatfile = '/in/f.fmt') as f";
    assert!(session.run(missing).contains("Msg 4860, Level 16, State 4"));
    let changed =
        "update f set id = 1 from openrowset(bulk '/in/rows', formatfile = '/in/f.fmt') f";
    assert_eq!(number(&mut session, changed), "4143");
    session.run("create login reader with password = 'Zx9$kkkk'; create user reader");
    let denied = format!("execute as user = 'reader'; {missing}");
    assert!(session.run(&denied).starts_with("Msg 4834"));
}

#[test]
fn loads_heed_the_hints() {
    let server = server();
    let mut session = server.session();
    session.run(
        "create table t (id int identity primary key, amount decimal(9, 2) default 7,
           note nvarchar(20), constraint few check (amount < 2))",
    );
    session.run("create trigger log_t on t after insert as print 'fired'");
    let rows = "select * from openrowset(bulk '/in/rows', formatfile = '/in/f.xml') as f";
    let checked = session.run(&format!("insert t with (keepidentity) {rows}"));
    assert!(checked.starts_with("Msg 547"), "{checked}");
    let trusted = "select is_not_trusted as n from sys.check_constraints where name = 'few'";
    assert_eq!(session.run(trusted), "n\n0\n(1 row)");
    let loaded = session.run(&format!(
        "insert t with (keepidentity, keepdefaults, ignore_constraints, ignore_triggers) {rows}"
    ));
    assert_eq!(loaded, "(3 rows)");
    assert_eq!(
        session.run("select * from t order by id"),
        "id|amount|note\n1|1.50|one\n2|2.50|NULL\n3|7.00|three\n(3 rows)"
    );
    assert_eq!(session.run(trusted), "n\n1\n(1 row)");
    let next = session.run("insert t (amount) values (1); select max(id) as id from t");
    assert!(next.ends_with("id\n4\n(1 row)"), "{next}");
    let elsewhere = session.run("insert t with (keepidentity) select 1, 2, 'x'");
    assert!(elsewhere.starts_with("Msg 8171"), "{elsewhere}");
    let read = session.run("select * from t with (ignore_triggers)");
    assert!(read.starts_with("Msg 8171"), "{read}");
}

#[test]
fn rows_stream_in_little_memory() {
    const MEGABYTE: usize = 1 << 20;
    let server = TestServer::with(&SimEnv::new(1), |options| {
        options.memory = Box::new(|_| StatementMemory {
            session: 4 * MEGABYTE,
            query: 2 * MEGABYTE,
            plans: 64 * MEGABYTE,
        });
    });
    put_all(&server);
    let mut content = Vec::new();
    for n in 0..60_000 {
        content.extend_from_slice(format!("{n},{},{}\n", "x".repeat(100), n % 7).as_bytes());
    }
    put(&server, &[("long", &content)]);
    let mut session = server.session();
    let rows = "openrowset(bulk '/in/long', formatfile = '/in/f.fmt') as f";
    let answer = session.run(&format!(
        "select count(*) as n, max(cast(id as int)) as last, max(note) as note from {rows}"
    ));
    assert!(answer.contains(&format!("60000|59999|{}", "x".repeat(100))), "{answer}");
    let first = session.run(&format!("select top 1 id from {rows}"));
    assert_eq!(first, "id\n0\n(1 row)");
}

//! Rows that come from the client: bulk loads and table-valued parameters.

use base::{SqlType, Value, ValueRef};
use tds::client::request::TableColumnSpec;
use tools::client::{Argument, BulkOptions, ClientError, Results, TableArgument};

use crate::sql::number;
use crate::support::TestServer;

#[test]
fn a_bulk_load_of_many_rows() {
    const ROWS: i64 = 50_000;
    let server = TestServer::shared();
    let mut connection = server.connect();
    connection.execute("create table many_rows (id int primary key, v nvarchar(40))").unwrap();
    let target = connection.bulk_target("many_rows", false).unwrap();
    let text: Vec<u8> = "some text".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let outcome = connection.bulk_load(&target, &BulkOptions::default(), |rows| {
        (0..ROWS).try_for_each(|id| rows.row(&[ValueRef::Int(id), ValueRef::Unicode(&text)][..]))
    });
    assert_eq!(outcome.unwrap().affected, ROWS as u64);
    assert_eq!(
        number(&mut connection, "select count(*) from many_rows where v = N'some text'"),
        ROWS
    );
    assert_eq!(number(&mut connection, "select count(distinct id) from many_rows"), ROWS);
}

#[test]
fn a_bulk_load_that_fails_leaves_nothing() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    connection.execute("create table failing_load (id int primary key, v int not null)").unwrap();
    let target = connection.bulk_target("failing_load", false).unwrap();
    let options = BulkOptions::default();
    // The server refuses the load.
    let outcome = connection.bulk_load(&target, &options, |rows| {
        (0..10_000_i64).try_for_each(|id| rows.row(&[ValueRef::Int(id / 2), ValueRef::Int(id)][..]))
    });
    let error = outcome.unwrap_err();
    assert_eq!(error.server_message().map(|m| m.error.number()), Some(2627), "{error:?}");
    assert_eq!(number(&mut connection, "select count(*) from failing_load"), 0);
    // The client cancels the load.
    for rows_before in [0, 10, 100_000] {
        let outcome = connection.bulk_load(&target, &options, |rows| {
            (0..rows_before)
                .try_for_each(|id| rows.row(&[ValueRef::Int(id), ValueRef::Int(id)][..]))?;
            Err(ClientError::Closed)
        });
        assert!(matches!(outcome, Err(ClientError::Closed)), "{outcome:?}");
        assert_eq!(number(&mut connection, "select count(*) from failing_load"), 0);
    }
}

#[test]
fn a_table_as_a_parameter() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    for text in [
        "create type dbo.pairs as table (a int not null, b nvarchar(20))",
        "create procedure take_pairs @from int, @pairs dbo.pairs readonly as
         select sum(a) as s, max(b) as m, count(*) as c from @pairs where a >= @from",
    ] {
        connection.execute(text).unwrap();
    }
    let int = TableColumnSpec { ty: SqlType::int(), default: false };
    let text = TableColumnSpec { ty: SqlType::nvarchar(20, Default::default()), default: false };
    let rows: Vec<Vec<Value>> =
        (0..100).map(|n| vec![Value::Int(n), Value::Unicode(Box::new([b'x', 0]))]).collect();
    let mut results = Results::default();
    let table = TableArgument {
        name: "@pairs",
        type_name: ("dbo", "pairs"),
        columns: &[int, text],
        rows: &rows,
    };
    let from = tds::client::request::Parameter::input("@from", SqlType::int(), ValueRef::Int(50));
    let arguments = [Argument::Scalar(from), Argument::Table(table)];
    connection.call("take_pairs", &arguments, &mut results).unwrap();
    let expected =
        vec![Value::Int((50..100).sum()), Value::Unicode(Box::new([b'x', 0])), Value::Int(50)];
    assert_eq!(results.sets[0].rows, [expected], "{:?}", results.messages);
}

/// A table-valued parameter of one column of this type, and what the server says.
fn with_rows(
    connection: &mut tools::client::Connection,
    (ty, rows): (SqlType, &[Vec<Value>]),
    procedure: &str,
) -> (Vec<(i32, u8)>, Vec<Vec<Value>>) {
    let results = results_with_rows(connection, (ty, rows), procedure);
    let messages = results.messages.iter().map(|m| (m.error.number(), m.error.state())).collect();
    (messages, results.sets.into_iter().flat_map(|set| set.rows).collect())
}

/// All that a procedure answers which takes these rows of one column.
fn results_with_rows(
    connection: &mut tools::client::Connection,
    (ty, rows): (SqlType, &[Vec<Value>]),
    procedure: &str,
) -> Results {
    let column = TableColumnSpec { ty, default: false };
    let columns = &[column];
    let table = TableArgument { name: "@rows", type_name: ("", ""), columns, rows };
    let mut results = Results::default();
    let _ = connection.call(procedure, &[Argument::Table(table)], &mut results);
    results
}

fn utf16(text: &str) -> Value {
    Value::Unicode(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
}

/// Values too long for the table type's column were cut. The error says why, which parameter it is,
/// and that nothing was done.
#[test]
fn a_table_parameter_that_does_not_conform_is_refused() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    for (name, ty) in [
        ("v", "varbinary(5)"),
        ("n", "nvarchar(5)"),
        ("d", "decimal(4, 2)"),
        ("i", "int not null"),
        ("u", "int primary key"),
        ("k", "int check (c < 10)"),
    ] {
        connection.execute(&format!("create type nc_{name} as table (c {ty})")).unwrap();
        let text = format!(
            "create procedure nc_take_{name} @rows nc_{name} readonly as select c from @rows"
        );
        connection.execute(&text).unwrap();
    }
    let n = SqlType::nvarchar(20, Default::default());
    let bytes = |count: u8| vec![Value::Bytes((0..count).collect())];
    let mut call = |ty, rows: &[Vec<Value>], procedure: &str| {
        with_rows(&mut connection, (ty, rows), procedure)
    };
    let told = |number, state| vec![(number, state), (8061, 1), (3621, 0)];
    let v = SqlType::varbinary(8);
    assert_eq!(call(v, &[bytes(8)], "nc_take_v"), (told(8152, 30), vec![]));
    assert_eq!(call(v, &[bytes(5)], "nc_take_v"), (vec![], vec![bytes(5)]));
    assert_eq!(call(n, &[vec![utf16("abcdef")]], "nc_take_n"), (told(8152, 30), vec![]));
    // Trailing blanks may be cut.
    let (messages, rows) = call(n, &[vec![utf16("abcde  ")]], "nc_take_n");
    assert_eq!((messages, rows), (vec![], vec![vec![utf16("abcde")]]));
    let decimal = SqlType::decimal(10, 2);
    let large = vec![Value::Decimal(12_345)];
    assert_eq!(call(decimal, &[large], "nc_take_d").0, told(8115, 8));
    assert_eq!(call(n, &[vec![utf16("x")]], "nc_take_d").0, told(8114, 5));
    assert_eq!(call(SqlType::int(), &[vec![Value::Null]], "nc_take_i").0, told(515, 2));
    let twice = [vec![Value::Int(1)], vec![Value::Int(1)]];
    assert_eq!(call(SqlType::int(), &twice, "nc_take_u").0, told(2627, 1));
    let check = |n| vec![vec![Value::Int(1)], vec![Value::Int(n)]];
    assert_eq!(call(SqlType::int(), &check(10), "nc_take_k").0, told(547, 0));
    assert_eq!(call(SqlType::int(), &check(9), "nc_take_k").1.len(), 2);
    // A duplicate key's reason is the end of the insertion.
    let int = SqlType::int();
    for (rows, procedure, reason) in [
        (&twice[..], "nc_take_u", "SQL Server error is: 3602, state: 30"),
        (&[vec![Value::Null]], "nc_take_i", "SQL Server error is: 515, state: 2"),
    ] {
        let results = results_with_rows(&mut connection, (int, rows), procedure);
        let told = results.messages.iter().find(|m| m.error.number() == 8061).unwrap();
        assert!(told.error.text().ends_with(reason), "{}", told.error.text());
    }
    // The connection goes on.
    assert_eq!(number(&mut connection, "select 1"), 1);
}

/// A call of `sp_executesql` whose last parameter these bytes are, after its name and status.
fn call_with(parameter: &[u8], declaration: &str) -> Vec<u8> {
    use tds::writer::PutBytes;
    let mut content = crate::support::batch("");
    content.put_u16(0xFFFF);
    content.put_u16(10);
    content.put_u16(0);
    for text in ["select isnull(convert(varchar(40), @p), 'none')", declaration] {
        content.put(&[0, 0, 0xE7, 0x40, 0x1F, 9, 4, 0, 0, 0]);
        content.put_u16(2 * text.len() as u16);
        content.put_utf16(text);
    }
    content.put(&[2]);
    content.put_utf16("@p");
    content.put(&[0]);
    content.put(parameter);
    content
}

#[test]
fn null_may_be_announced_without_a_length() {
    let server = TestServer::shared();
    let mut raw = crate::support::Raw::login(&server);
    for (declaration, parameter) in [
        ("@p uniqueidentifier", &[0x24, 0, 0][..]),
        ("@p uniqueidentifier", &[0x24, 16, 0]),
        ("@p bit", &[0x68, 0, 0]),
        ("@p decimal(10, 2)", &[0x6A, 17, 0, 0, 0]),
        ("@p varbinary(10)", &[0xA5, 0, 0, 0xFF, 0xFF]),
        ("@p datetime2(3)", &[0x2A, 3, 0]),
        ("@p date", &[0x28, 0]),
    ] {
        raw.send(tds::packet::PacketType::Rpc, &call_with(parameter, declaration));
        let answer = raw.answer().expect("the server answers");
        let row = [tds::token::ROW, 4, 0, b'n', b'o', b'n', b'e'];
        assert!(answer.windows(row.len()).any(|w| w == row), "{declaration}: {answer:02x?}");
    }
}

/// The driver for Java announces in COLMETADATA the length of the first value, and in INSERT BULK
/// the column's own.
#[test]
fn a_bulk_load_is_judged_by_what_the_statement_says() {
    use tds::writer::PutBytes;
    let server = TestServer::shared();
    let mut connection = server.connect();
    let table = "create table judged (id int, t smalldatetime, v varchar(5), \
                 g uniqueidentifier default newsequentialid(), n int default next value for judging)";
    connection.execute("create sequence judging as int start with 7").unwrap();
    connection.execute(table).unwrap();
    let mut raw = crate::support::Raw::login(&server);
    let mut load = |statement: &str, value: &str| {
        raw.send(tds::packet::PacketType::SqlBatch, &crate::support::batch(statement));
        raw.answer().expect("the server answers");
        let mut rows = vec![tds::token::COLMETADATA];
        rows.put_u16(1);
        rows.put(&[0, 0, 0, 0, 1, 0, 0xA7, 4, 0, 9, 4, 0, 0, 52, 1]);
        rows.put_utf16("c");
        rows.push(tds::token::ROW);
        rows.put_u16(value.len() as u16);
        rows.put(value.as_bytes());
        rows.push(tds::token::DONE);
        rows.put(&[0; 12]);
        raw.send(tds::packet::PacketType::BulkLoad, &rows);
        let answer = raw.answer().expect("the server answers");
        let error = answer.first() == Some(&tds::token::ERROR);
        error.then(|| i32::from_le_bytes(answer[3..7].try_into().unwrap()))
    };
    let statement = "insert bulk judged (t varchar(50))";
    assert_eq!(load(statement, "2025-05-13 14:30:45.0"), None);
    assert_eq!(load("insert bulk judged (t varchar(20))", "2025-05-13 14:30:45.0"), Some(4815));
    assert_eq!(load("insert bulk judged (v varchar(5))", "abcde"), None);
    assert_eq!(load("insert bulk judged (v varchar(5))", "abcdef"), Some(4815));
    assert_eq!(load("insert bulk judged (v varchar(6))", "abcdef"), Some(2628));
    assert_eq!(load("insert bulk judged (id varchar(6))", "abcdef"), Some(245));
    let count =
        "select count(distinct g) * 100 + sum(n) from judged where t is not null or v = 'abcde'";
    assert_eq!(number(&mut connection, count), 215);
}

/// Columns that come as NULL take their defaults, those of which a statement may not say, too.
#[test]
fn a_bulk_load_takes_every_kind_of_default() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    let table = "create table defaulted (id int identity, \
                 g uniqueidentifier default newsequentialid(), a int)";
    connection.execute(table).unwrap();
    let target = connection.bulk_target("defaulted", false).unwrap();
    let outcome = connection.bulk_load(&target, &BulkOptions::default(), |rows| {
        (0..3_i64).try_for_each(|a| rows.row(&[ValueRef::Null, ValueRef::Int(a)][..]))
    });
    assert_eq!(outcome.unwrap().affected, 3);
    assert_eq!(number(&mut connection, "select count(distinct g) from defaulted"), 3);
}

#[test]
fn columns_of_a_table_parameter_that_are_not_sent_take_their_defaults() {
    let server = TestServer::shared();
    let mut connection = server.connect();
    for text in [
        "create type defaults as table (i int identity(5, 5), a int, b int not null default 7, \
         c as a * 2 persisted, d nvarchar(10) default N'none')",
        "create procedure take_defaults @rows defaults readonly as \
         select i * 1000 + a * 100 + b * 10 + c from @rows where d = N'none' order by i",
    ] {
        connection.execute(text).unwrap();
    }
    let of = |default| TableColumnSpec { ty: SqlType::int(), default };
    let columns = [of(true), of(false), of(true), of(true), of(true)];
    let row = |n| vec![Value::Null, Value::Int(n), Value::Null, Value::Null, Value::Null];
    let rows = [row(1), row(2)];
    let table =
        TableArgument { name: "@rows", type_name: ("", ""), columns: &columns, rows: &rows };
    let mut results = Results::default();
    connection.call("take_defaults", &[Argument::Table(table)], &mut results).unwrap();
    let expected = [vec![Value::Int(5172)], vec![Value::Int(10_274)]];
    assert_eq!(results.sets[0].rows, expected, "{:?}", results.messages);
}

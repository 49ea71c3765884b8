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
    // The server does not want it.
    let outcome = connection.bulk_load(&target, &options, |rows| {
        (0..10_000_i64).try_for_each(|id| rows.row(&[ValueRef::Int(id / 2), ValueRef::Int(id)][..]))
    });
    let error = outcome.unwrap_err();
    assert_eq!(error.server_message().map(|m| m.error.number()), Some(2627), "{error:?}");
    assert_eq!(number(&mut connection, "select count(*) from failing_load"), 0);
    // The client changes its mind.
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

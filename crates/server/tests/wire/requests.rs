//! Batches, calls and transactions, token by token.

use base::{SqlType, Value, ValueRef};
use tds::client::request::{self, Parameter, RpcWriter};
use tds::packet::{PacketType, Reset};
use tds::server::request::IsolationLevel;
use tds::server::rpc::ProcedureId;
use tds::{MessageWriter, TdsVersion};

use crate::support::{Raw, TestServer, batch};
use crate::trace::lines;

const VERSION: TdsVersion = TdsVersion::V7_4;

fn run(raw: &mut Raw, text: &str) -> Vec<String> {
    raw.send(PacketType::SqlBatch, &batch(text));
    lines(&raw.answer().expect("an answer"))
}

fn sent(raw: &mut Raw, write: impl FnOnce(&mut MessageWriter)) -> Vec<String> {
    let mut out = MessageWriter::new();
    write(&mut out);
    raw.send_bytes(out.ready());
    lines(&raw.answer().expect("an answer"))
}

/// Makes a table, which its test alone uses.
fn table(raw: &mut Raw, name: &str) {
    run(raw, &format!("create table {name} (id int not null primary key, v nvarchar(50))"));
}

fn unicode(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn of_a_batch_the_last_done_alone_says_that_nothing_follows() {
    let mut raw = Raw::login(TestServer::shared());
    assert_eq!(run(&mut raw, "select 1 as a"), ["columns a", "row 1", "done select 1"]);
    assert_eq!(
        run(&mut raw, "select 1 as a select N'x' as b, null as c"),
        [
            "columns a",
            "row 1",
            "done select 1 more",
            "columns b, c",
            "row x, NULL",
            "done select 1"
        ]
    );
    assert_eq!(run(&mut raw, ""), ["done"]);
    assert_eq!(run(&mut raw, "-- nothing"), ["done"]);
    assert_eq!(run(&mut raw, "print 'hello'").first().unwrap(), "info: hello");
}

#[test]
fn counts_are_those_of_rows() {
    let mut raw = Raw::login(TestServer::shared());
    table(&mut raw, "counts_are");
    assert_eq!(run(&mut raw, "insert counts_are values (1, N'a'), (2, N'b')"), ["done insert 2"]);
    assert_eq!(run(&mut raw, "update counts_are set v = N'c'"), ["done update 2"]);
    assert_eq!(run(&mut raw, "delete counts_are where id = 1"), ["done delete 1"]);
    let silent = run(&mut raw, "set nocount on; delete counts_are; set nocount off");
    assert!(silent.iter().all(|line| !line.contains("delete 1")), "{silent:?}");
}

#[test]
fn errors_of_a_statement_do_not_end_the_batch() {
    let mut raw = Raw::login(TestServer::shared());
    assert_eq!(
        run(&mut raw, "select 1/0 as a; select 2 as b"),
        [
            "columns a",
            "error 8134",
            "done select error more",
            "columns b",
            "row 2",
            "done select 1"
        ]
    );
    assert_eq!(run(&mut raw, "select ("), ["error 102", "done error"]);
    assert_eq!(run(&mut raw, "select * from no_such_table"), ["error 208", "done select error"]);
}

#[test]
fn calls_return_rows_outputs_and_a_status() {
    let mut raw = Raw::login(TestServer::shared());
    run(
        &mut raw,
        "create procedure calls_return @a int, @b int = 5, @c int output as
         begin select @a as a; set @c = @a + @b; return 7 end",
    );
    let answer = sent(&mut raw, |out| {
        let mut rpc = RpcWriter::begin(out, VERSION, 0, Reset::None);
        rpc.call("calls_return", 0);
        rpc.parameter(&Parameter::input("@a", SqlType::int(), ValueRef::Int(3))).unwrap();
        rpc.parameter(&Parameter::output("@c", SqlType::int(), ValueRef::Null)).unwrap();
        rpc.end();
    });
    assert_eq!(
        answer,
        [
            "columns a",
            "row 3",
            "doneinproc select 1 more",
            "status 7",
            "value 1 @c = 8",
            "doneproc execute",
        ]
    );
}

#[test]
fn texts_take_parameters() {
    let mut raw = Raw::login(TestServer::shared());
    let statement = unicode("set @o = @p * 2; select @p as p");
    let declaration = unicode("@p int, @o int output");
    let ty = |bytes: &[u8]| SqlType::nvarchar((bytes.len() / 2) as u16, Default::default());
    let answer = sent(&mut raw, |out| {
        let mut rpc = RpcWriter::begin(out, VERSION, 0, Reset::None);
        rpc.call_id(ProcedureId::ExecuteSql, 0);
        for text in [&statement, &declaration] {
            rpc.parameter(&Parameter::input("", ty(text), ValueRef::Unicode(text))).unwrap();
        }
        rpc.parameter(&Parameter::input("@p", SqlType::int(), ValueRef::Int(21))).unwrap();
        rpc.parameter(&Parameter::output("@o", SqlType::int(), ValueRef::Null)).unwrap();
        rpc.end();
    });
    assert_eq!(
        answer,
        [
            "columns p",
            "row 21",
            "doneinproc select 1 more",
            "status 0",
            "value 3 @o = 42",
            "doneproc execute",
        ]
    );
}

#[test]
fn several_calls_in_a_message_are_told_apart() {
    let mut raw = Raw::login(TestServer::shared());
    run(&mut raw, "create procedure several_calls @a int as select @a as a");
    let answer = sent(&mut raw, |out| {
        let mut rpc = RpcWriter::begin(out, VERSION, 0, Reset::None);
        for value in 1..=2 {
            rpc.call("several_calls", 0);
            rpc.parameter(&Parameter::input("", SqlType::int(), ValueRef::Int(value))).unwrap();
        }
        rpc.end();
    });
    assert_eq!(
        answer,
        [
            "columns a",
            "row 1",
            "doneinproc select 1 more",
            "status 0",
            "doneproc execute in-batch more",
            "columns a",
            "row 2",
            "doneinproc select 1 more",
            "status 0",
            "doneproc execute",
        ]
    );
}

#[test]
fn transactions_are_begun_and_ended_by_request() {
    let mut raw = Raw::login(TestServer::shared());
    table(&mut raw, "transactions_are");
    let level = Some(IsolationLevel::ReadCommitted);
    let begun = sent(&mut raw, |out| request::begin_transaction(out, VERSION, 0, level, ""));
    assert_eq!(begun[0], "begin");
    run(&mut raw, "insert transactions_are values (1, N'a')");
    sent(&mut raw, |out| request::save(out, VERSION, 0, "here"));
    run(&mut raw, "insert transactions_are values (2, N'b')");
    sent(&mut raw, |out| request::rollback(out, VERSION, 0, "here"));
    let committed = sent(&mut raw, |out| request::commit(out, VERSION, 0));
    assert_eq!(committed[0], "commit");
    sent(&mut raw, |out| request::begin_transaction(out, VERSION, 0, None, ""));
    run(&mut raw, "insert transactions_are values (3, N'c')");
    let undone = sent(&mut raw, |out| request::rollback(out, VERSION, 0, ""));
    assert_eq!(undone[0], "rollback");
    let left = run(&mut raw, "select id from transactions_are");
    assert_eq!(left, ["columns id", "row 1", "done select 1"]);
    let alone = sent(&mut raw, |out| request::commit(out, VERSION, 0));
    assert_eq!(alone[0], "error 3902");
}

#[test]
fn a_reset_makes_a_session_as_it_was() {
    let mut raw = Raw::login(TestServer::shared());
    run(&mut raw, "create table #gone (id int); set nocount on; begin transaction; use tempdb");
    let answer = sent(&mut raw, |out| {
        request::batch(out, VERSION, 0, Reset::Session, "select @@trancount as t, db_name() as d");
    });
    assert!(answer.contains(&"reset".to_string()), "{answer:?}");
    assert!(answer.contains(&"row 0, master".to_string()), "{answer:?}");
    assert_eq!(run(&mut raw, "select * from #gone"), ["error 208", "done select error"]);
}

#[test]
fn the_client_is_told_of_its_database_and_language() {
    let mut raw = Raw::login(TestServer::shared());
    let answer = run(&mut raw, "use tempdb");
    assert!(answer.contains(&"database tempdb".to_string()), "{answer:?}");
    assert!(answer.contains(&"info 5701".to_string()), "{answer:?}");
}

#[test]
fn all_types_survive_the_way() {
    let mut connection = TestServer::shared().connect();
    let rows = connection
        .query(
            "select cast(1 as bit), cast(2 as tinyint), cast(-3 as smallint), 4, cast(5 as bigint),
             cast('6.78' as decimal(10, 2)), cast(9.5 as float), cast(1.5 as real), $12.34,
             'abc', N'äöü', 0x0102, cast('2024-02-29' as date), cast('12:34:56.789' as time(3)),
             cast('2024-02-29T12:34:56' as datetime), cast(N'long' as nvarchar(max)),
             cast('long' as varchar(max)), cast(0x03 as varbinary(max)), newid(),
             cast(42 as sql_variant), cast(null as int), cast(null as sql_variant)",
        )
        .unwrap();
    let row = &rows.rows[0];
    assert_eq!(row.len(), 22);
    assert_eq!(&row[..5], [1, 2, -3, 4, 5].map(Value::Int));
    assert_eq!(row[5], Value::Decimal(678));
    assert!(row[..20].iter().all(|value| !value.is_null()));
    assert!(row[20..].iter().all(Value::is_null));
}

#[test]
fn a_large_result_arrives_whole() {
    let mut connection = TestServer::shared().connect();
    let rows = connection
        .query(
            "with n as (select 1 as i union all select i + 1 from n where i < 20000)
             select i, replicate('x', 100) as x from n option (maxrecursion 0)",
        )
        .unwrap();
    let numbers: Vec<i64> = rows
        .rows
        .iter()
        .map(|row| match row[0] {
            Value::Int(value) => value,
            _ => panic!("not a number"),
        })
        .collect();
    assert_eq!(numbers, (1..=20_000).collect::<Vec<_>>());
}

#[test]
fn killed_sessions_end() {
    let server = TestServer::new();
    let mut idle = server.connect();
    let spid = idle.query("select @@spid").unwrap().rows[0][0].clone();
    let Value::Int(spid) = spid else { panic!("not a number") };
    let mut killer = server.connect();
    killer.execute(&format!("kill {spid}")).unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while server.running().server().connections() > 1 {
        assert!(std::time::Instant::now() < deadline, "the session ends");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(idle.execute("select 1").is_err());
}

//! Batches, calls and transactions, token by token.

use base::{SqlType, Value, ValueRef};
use tds::client::request::{self, Parameter, RpcWriter};
use tds::client::{Token, TokenReader};
use tds::packet::{PacketType, Reset};
use tds::server::request::IsolationLevel;
use tds::server::rpc::ProcedureId;
use tds::{MessageWriter, TdsVersion};

use crate::sql;
use crate::support::{Raw, TestServer, batch, wait_until};
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    table(&mut raw, "counts_are");
    assert_eq!(run(&mut raw, "insert counts_are values (1, N'a'), (2, N'b')"), ["done insert 2"]);
    assert_eq!(run(&mut raw, "update counts_are set v = N'c'"), ["done update 2"]);
    assert_eq!(run(&mut raw, "delete counts_are where id = 1"), ["done delete 1"]);
    let silent = run(&mut raw, "set nocount on; delete counts_are; set nocount off");
    assert!(silent.iter().all(|line| !line.contains("delete 1")), "{silent:?}");
}

/// What gives variables values counts as a SELECT without columns, and conditions end as statements
/// do, but declarations have no end on the wire: clients that go from one end to the next rely on
/// it.
#[test]
fn assignments_and_conditions_end_as_statements() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let text = "declare @i int = 0 while @i < 2 set @i += 1 select @i as i
                select @i = n from (values (1), (2)) as r(n) if @i = 2 print @i";
    let counted = run(&mut raw, text);
    assert_eq!(
        counted,
        [
            "done 0xc0 more",
            "done select 1 more",
            "done 0xc0 more",
            "done select 1 more",
            "done 0xc0 more",
            "columns i",
            "row 2",
            "done select 1 more",
            "done select 2 more",
            "done 0xc0 more",
            "info: 2",
            "done"
        ]
    );
    let silent = run(&mut raw, &format!("set nocount on {text} set nocount off"));
    assert_eq!(silent, ["columns i", "row 2", "done select more", "info: 2", "done"]);
    assert_eq!(run(&mut raw, "declare @i int"), ["done"]);
    assert_eq!(
        run(&mut raw, "declare @i int = 1 / 0 select @@rowcount as n"),
        ["error 8134", "done select error more", "columns n", "row 0", "done select 1"]
    );
    assert_eq!(
        run(&mut raw, "declare @i int = 1 select @@rowcount as n"),
        ["columns n", "row 1", "done select 1"]
    );
}

#[test]
fn statements_of_modules_end_one_by_one_unless_nothing_is_counted() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let body = "declare @v int = 1, @c int
                declare c cursor local for select 1 union all select 2
                open c
                fetch c into @v
                fetch c
                close c
                deallocate c
                if @v = 1 print N'one'
                raiserror (N'told', 0, 1)
                set @c = 2";
    run(&mut raw, &format!("create procedure end_one_by_one as {body}"));
    run(&mut raw, &format!("create procedure end_silently as set nocount on {body}"));
    assert_eq!(
        run(&mut raw, "exec end_one_by_one"),
        [
            "doneinproc more",
            "doneinproc more",
            "doneinproc 0x21 more",
            "columns ",
            "row 2",
            "doneinproc select 1 more",
            "doneinproc more",
            "doneinproc more",
            "doneinproc 0xc0 more",
            "info: one",
            "doneinproc more",
            "info 50000",
            "doneinproc more",
            "doneinproc select 1 more",
            "status 0",
            "doneproc execute"
        ]
    );
    assert_eq!(
        run(&mut raw, "exec end_silently"),
        [
            "columns ",
            "row 2",
            "doneinproc select more",
            "info: one",
            "info 50000",
            "status 0",
            "doneproc execute"
        ]
    );
}

#[test]
fn errors_of_a_statement_do_not_end_the_batch() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
            "doneinproc select 1 more",
            "status 7",
            "value 1 @c = 8",
            "doneproc execute",
        ]
    );
}

#[test]
fn texts_take_parameters() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
            "doneinproc select 1 more",
            "columns p",
            "row 21",
            "doneinproc select 1 more",
            "status 0",
            "value 3 @o = 42",
            "doneproc execute",
        ]
    );
}

/// A call by number of a procedure whose arguments are integers and texts.
fn called(raw: &mut Raw, id: ProcedureId, options: u16, args: &[(Value, bool)]) -> Vec<String> {
    sent(raw, |out| {
        let mut rpc = RpcWriter::begin(out, VERSION, 0, Reset::None);
        rpc.call_id(id, options);
        for (value, output) in args {
            let ty = match value {
                Value::Unicode(text) => {
                    SqlType::nvarchar((text.len() / 2) as u16, Default::default())
                }
                _ => SqlType::int(),
            };
            let parameter = match output {
                true => Parameter::output("", ty, value.as_ref()),
                false => Parameter::input("", ty, value.as_ref()),
            };
            rpc.parameter(&parameter).unwrap();
        }
        rpc.end();
    })
}

#[test]
fn columns_that_the_client_knows_are_not_announced_until_they_change() {
    const NO_METADATA: u16 = 2;
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    table(&mut raw, "columns_known");
    run(&mut raw, "insert columns_known values (1, N'a')");
    let text = |text: &str| (Value::unicode(text), false);
    let prepared = [(Value::Null, true), text(""), text("select id, v from columns_known")];
    let answer = called(&mut raw, ProcedureId::PrepExec, 0, &prepared);
    assert_eq!(answer[..2], ["columns id, v", "row 1, a"]);
    let bytes = |raw: &mut Raw, options: u16| {
        let mut out = MessageWriter::new();
        let mut rpc = RpcWriter::begin(&mut out, VERSION, 0, Reset::None);
        rpc.call_id(ProcedureId::Execute, options);
        rpc.parameter(&Parameter::input("", SqlType::int(), ValueRef::Int(1))).unwrap();
        rpc.end();
        raw.send_bytes(out.ready());
        raw.answer().unwrap()
    };
    // `COLMETADATA` with the count that stands for none.
    let is_silent = |answer: &[u8]| answer[..3] == [0x81, 0xFF, 0xFF];
    assert!(!is_silent(&bytes(&mut raw, 0)));
    assert!(is_silent(&bytes(&mut raw, NO_METADATA)));
    run(&mut raw, "drop table columns_known create table columns_known (id bigint, v int)");
    assert!(!is_silent(&bytes(&mut raw, NO_METADATA)));
    assert!(is_silent(&bytes(&mut raw, NO_METADATA)));
}

#[test]
fn calls_in_canonical_form_are_prepared_by_their_number() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    run(
        &mut raw,
        "create procedure canonical_form @a int, @b int output as
         begin set @b = @a * 2; return 7 end",
    );
    let text = Value::unicode("{? = call canonical_form(?, ?)}");
    let out = (Value::Null, true);
    let args = [out.clone(), (text, false), out.clone(), (Value::Int(4), false), out];
    let answer = called(&mut raw, ProcedureId::PrepExecRpc, 0, &args);
    let expected = ["status 0", "value 0  = 1", "value 2  = 7", "value 4  = 8", "doneproc execute"];
    assert_eq!(answer[answer.len() - 5..], expected);
}

#[test]
fn cursors_tell_where_their_columns_come_from() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    table(&mut raw, "cursors_tell");
    run(&mut raw, "insert cursors_tell values (1, N'a'), (2, N'b'), (3, N'c')");
    let text = Value::unicode("select id as number, v, 1 + 1 as two from cursors_tell");
    let [keyset, optimistic] = [1, 4].map(Value::Int);
    let out = (Value::Null, true);
    let args = [out.clone(), (text, false), (keyset, true), (optimistic, true), out];
    let answer = called(&mut raw, ProcedureId::CursorOpen, 0, &args);
    assert_eq!(answer[0], "columns number, v, two, ROWSTAT");
    // `TABNAME` and `COLINFO`: a key with another name, a column, an expression, what is not shown.
    assert!(answer[1].starts_with("Other(164, "), "{answer:?}");
    let columns = "[1, 1, 40, 2, 105, 0, 100, 0, 2, 1, 0, 3, 0, 4, 4, 0, 20]";
    assert_eq!(answer[2], format!("Other(165, {columns})"));
    let cursor = answer.iter().find_map(|line| line.strip_prefix("value 0  = ")).unwrap();
    let cursor = Value::Int(cursor.parse().unwrap());
    let fetch = |raw: &mut Raw, kind: i64, row: i64, count: i64| {
        let args = [cursor.clone(), Value::Int(kind), Value::Int(row), Value::Int(count)];
        let args = args.map(|arg| (arg, false));
        let mut answer = called(raw, ProcedureId::CursorFetch, 0, &args);
        answer.retain(|line| line.starts_with("row") || line.starts_with("error"));
        answer
    };
    assert_eq!(fetch(&mut raw, 8, 0, 2), ["row 2, b, 2, 1", "row 3, c, 2, 1"]);
    // Back without adjustment: what there is before the block.
    assert_eq!(fetch(&mut raw, 0x200, 0, 2), ["row 1, a, 2, 1"]);
    run(&mut raw, "delete cursors_tell where id = 2");
    let gone = ["row 1, a, 2, 1", "row NULL, NULL, NULL, 2", "row 3, c, 2, 1"];
    assert_eq!(fetch(&mut raw, 1, 0, 5), gone);
    assert_eq!(fetch(&mut raw, 0x80, 0, 0), gone);
}

#[test]
fn several_calls_in_a_message_are_told_apart() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
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
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let answer = run(&mut raw, "use tempdb");
    assert!(answer.contains(&"database tempdb".to_string()), "{answer:?}");
    assert!(answer.contains(&"info 5701".to_string()), "{answer:?}");
    let line = |answer: &[u8]| {
        let mut reader = TokenReader::new(VERSION, Default::default());
        reader.feed(answer);
        loop {
            match reader.next().unwrap() {
                Some(Token::Message(message)) => return message.error.line(),
                Some(_) => {}
                None => panic!("no message"),
            }
        }
    };
    raw.send(PacketType::SqlBatch, &batch("\n\nuse master"));
    assert_eq!(line(&raw.answer().unwrap()), 3);
    raw.send(PacketType::SqlBatch, &batch("\nset language Deutsch"));
    assert_eq!(line(&raw.answer().unwrap()), 2);
}

#[test]
fn all_types_survive_the_way() {
    let server = TestServer::shared();
    let mut connection = server.connect();
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
    let server = TestServer::shared();
    let mut connection = server.connect();
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
    wait_until("the session ends", || server.running().server().connections() == 1);
    assert!(idle.execute("select 1").is_err());
}

#[test]
fn packets_are_counted() {
    let server = TestServer::shared();
    let mut raw = Raw::login(&server);
    let mut counts = || -> Vec<i64> {
        let text = "select cast(num_reads as varchar(11)) + ' ' + cast(num_writes as varchar(11))
            + ' ' + cast(@@pack_received - num_reads as varchar(11))
            + ' ' + cast(@@pack_sent - num_writes as varchar(11))
            from sys.dm_exec_connections where session_id = @@spid";
        let answer = run(&mut raw, text);
        let row = answer.iter().find_map(|line| line.strip_prefix("row ")).expect("a row");
        let parsed = row.split(' ').map(|number| number.parse().unwrap()).collect();
        // A long answer, and a text that takes more than one packet.
        let long =
            format!("select replicate(cast('x' as varchar(max)), 100000) -- {}", "y".repeat(9000));
        assert!(run(&mut raw, &long).last().unwrap().starts_with("done select"));
        parsed
    };
    let (before, after) = (counts(), counts());
    let (read, sent) = (after[0] - before[0], after[1] - before[1]);
    assert!((3..=10).contains(&read), "{read} packets came: the text has 18 kB");
    assert!((10..=40).contains(&sent), "{sent} packets went: the answer has 100 kB");
    assert!(after[2] >= 0 && after[3] >= 0, "the server counts all sessions' packets");
}

/// The time that requests had waited was shown as if they had worked.
#[test]
fn processor_time_is_not_spent_by_waiting() {
    let server = TestServer::new();
    let mut connection = server.connect();
    let mut told = |text: &str| sql::number(&mut connection, text);
    let spent = "select cpu_time from sys.dm_exec_sessions where session_id = @@spid";
    let of_request = "select cpu_time from sys.dm_exec_requests where session_id = @@spid";
    let before = told(spent);
    let waited = told(&format!("waitfor delay '0:0:2' {of_request}"));
    assert!(waited < 1000, "{waited} ms");
    let waited = told(spent) - before;
    assert!(waited < 1000, "{waited} ms");
    // It works until the server says that it has, however busy the machine is.
    let works = format!(
        "declare @until datetime2 = dateadd(s, 60, sysutcdatetime()), @i int = 0
         while ({of_request}) < 250 and sysutcdatetime() < @until set @i += 1"
    );
    let worked = told(&format!("{works} {of_request}"));
    assert!(worked >= 250, "{worked} ms");
    let all = told(spent) - before;
    assert!(all >= worked, "{all} ms");
}

//! Control flow, variables, messages.

use crate::testing::TestServer;

#[test]
fn a_batch_answers_with_rows_and_counts() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.run("select 1 as a, 'x' as b"), "a|b\n1|x\n(1 row)");
    assert_eq!(session.run("print 'hello' print 1+1"), "hello\n2");
    assert_eq!(
        session.run("declare @i int = 3 set @i += 4 select @i, @@rowcount"),
        "|\n7|1\n(1 row)"
    );
}

#[test]
fn loops_and_branches_go_where_they_should() {
    let server = TestServer::new();
    let mut session = server.session();
    let answer = session.run(
        "declare @i int = 0 while 1 = 1 begin set @i += 1 if @i = 2 continue if @i > 3 break print @i end",
    );
    assert_eq!(answer, "1\n3");
}

#[test]
fn errors_go_to_the_nearest_catch() {
    let server = TestServer::new();
    let mut session = server.session();
    let answer = session.run(
        "begin try select 1/0 end try begin catch print error_message() print error_number() end catch",
    );
    assert_eq!(answer, "\nDivide by zero error encountered.\n8134");
    let answer = session.run("select 1/0 print 'next'");
    let expected = "\nMsg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.\nnext";
    assert_eq!(answer, expected);
    assert_eq!(
        session.run("raiserror('a %d %s', 16, 3, 5, 'b') print @@error"),
        "Msg 50000, Level 16, State 3, Line 1: a 5 b\n50000"
    );
    assert_eq!(
        session.run("throw 50001, 'x', 2; print 1"),
        "Msg 50001, Level 16, State 2, Line 1: x"
    );
}

#[test]
fn compile_errors_come_before_anything_runs() {
    let server = TestServer::new();
    let mut session = server.session();
    let answer = session.run("print 1 select nothing");
    assert_eq!(answer, "Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.");
    let answer = session.run("print 1\nselect * from nowhere\nprint 2");
    assert_eq!(answer, "1\nMsg 208, Level 16, State 1, Line 2: Invalid object name 'nowhere'.");
    let answer = session.run("print 1 selec 2");
    assert!(answer.starts_with("Msg 102, Level 15"), "{answer}");
}

#[test]
fn dynamic_sql_runs_in_its_own_scope() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(
        session
            .run("exec('select 1 as a') exec sp_executesql N'select @p+1 as b', N'@p int', @p = 4"),
        "a\n1\n(1 row)\nb\n5\n(1 row)"
    );
    let answer = session.run(
        "declare @o int exec sp_executesql N'set @x = @x * 2', N'@x int output', @x = @o output select @o",
    );
    assert_eq!(answer, "\nNULL\n(1 row)");
}

#[test]
fn a_cancelled_batch_ends_at_once_and_keeps_its_transaction() {
    use engine::wait::Interrupted;

    use crate::response::After;

    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d\ngo\ncreate table t (a int)");
    session.run("begin tran insert t values (1)");
    let endless = "begin try while 1 = 1 set rowcount 0 end try begin catch print 'not' end catch print 'not'";
    assert_eq!(session.run_interrupted(endless, Interrupted::Attention), "");
    assert_eq!(session.after, After::GoOn);
    assert_eq!(
        session.run_interrupted("waitfor delay '01:00' print 'not'", Interrupted::Attention),
        ""
    );
    assert_eq!(session.run("select @@trancount as tc, count(*) as n from t"), "tc|n\n1|1\n(1 row)");
    session.run("set xact_abort on");
    assert_eq!(session.run_interrupted(endless, Interrupted::Attention), "");
    assert_eq!(session.run("select @@trancount as tc, count(*) as n from t"), "tc|n\n0|0\n(1 row)");
    let counting = "select count(*) from generate_series(1, 9000000000000000000) print 'not'";
    assert_eq!(session.run_interrupted(counting, Interrupted::Attention), "");
    session.run_interrupted("print 'x' waitfor delay '01:00'", Interrupted::Kill);
    assert_eq!(session.after, After::Disconnect);
}

//! Procedures, functions, triggers.

use base::{Collation, SqlType, Value};

use crate::testing::TestServer;

fn answers(script: &str) -> String {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d");
    session.script(script)
}

#[test]
fn procedures_take_arguments_and_return() {
    let answer = answers(
        "create procedure p @a int, @b int = 5, @c int output as
        set @c = @a + @b return 7
        go
        declare @x int, @s int
        exec @s = p 1, @c = @x output select @x, @s
        exec p @b = 1, @a = 2, @c = @x output select @x
        exec p
        exec p 1, 2, 3, 4
        exec p @d = 1
        exec nothing",
    );
    let expected = "|\n6|7\n(1 row)\nreturn 7\n\n3\n(1 row)\n\
        Msg 201, Level 16, State 4, Procedure p, Line 0: Procedure or function 'p' expects parameter '@a', which was not supplied.";
    assert!(answer.starts_with("return 7\n|\n6|7"), "{answer}\n{expected}");
    assert!(answer.contains("Msg 201, Level 16, State 4"), "{answer}");
    assert!(answer.contains("Msg 8144, Level 16, State 2"), "{answer}");
    assert!(answer.contains("Msg 8145, Level 16, State 1"), "{answer}");
    assert!(answer.ends_with("Could not find stored procedure 'nothing'."), "{answer}");
}

#[test]
fn an_error_in_a_procedure_has_its_name_and_line() {
    let answer = answers(
        "create procedure p as
        select 1/0
        print 'after'
        go
        exec p
        begin try exec p end try begin catch print error_procedure() print error_line() end catch",
    );
    assert_eq!(
        answer,
        "\nMsg 8134, Level 16, State 1, Procedure p, Line 2: Divide by zero error encountered.\n\
        after\nreturn -6\n\np\n2"
    );
}

#[test]
fn functions_are_called_by_statements() {
    let answer = answers(
        "create function f(@x int) returns int as begin declare @r int = 1
        while @x > 1 begin set @r *= @x set @x -= 1 end return @r end
        go
        create function g(@n int) returns @r table (i int) as begin
        declare @i int = 1 while @i <= @n begin insert @r values (@i) set @i += 1 end return end
        go
        select dbo.f(5) as f
        select i, dbo.f(i) as f from g(3)",
    );
    assert_eq!(answer, "f\n120\n(1 row)\ni|f\n1|1\n2|2\n3|6\n(3 rows)");
}

#[test]
fn triggers_see_what_was_changed_and_may_refuse() {
    let answer = answers(
        "create table t (id int primary key, v int) create table log (what varchar(20), n int)
        go
        create trigger tr on t after insert, update, delete as
        insert log select 'ins', count(*) from inserted
        insert log select 'del', count(*) from deleted
        if update(v) and exists (select * from inserted where v < 0) rollback
        go
        insert t values (1, 1), (2, 2)
        update t set v = 5 where id = 1
        delete t
        select * from log
        go
        insert t values (3, -1) print 'not'
        go
        select count(*) as n from t print @@trancount",
    );
    let expected = "(1 row)\n(1 row)\n(2 rows)\n(1 row)\n(1 row)\n(1 row)\n(1 row)\n(1 row)\n(2 rows)\n\
        what|n\nins|2\ndel|0\nins|1\ndel|1\nins|0\ndel|2\n(6 rows)\n(1 row)\n(1 row)\n\
        Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.\n\
        n\n0\n(1 row)\n0";
    assert_eq!(answer, expected);
}

#[test]
fn insert_exec_takes_all_rows() {
    let answer = answers(
        "create table t (a int, b varchar(10))
        go
        create procedure p as select 1, 'x' select 2, 'y'
        go
        insert t exec p
        insert t (a) exec('select 3')
        select * from t",
    );
    assert_eq!(answer, "(2 rows)\n(1 row)\na|b\n1|x\n2|y\n3|NULL\n(3 rows)");
}

#[test]
fn native_procedures_are_atomic() {
    let answer = answers(
        "alter database d add filegroup m contains memory_optimized_data
        alter database d add file (name = 'm1', filename = '/srv/m1') to filegroup m
        go
        create table t (id int identity primary key nonclustered, v int not null)
            with (memory_optimized = on)
        go
        create procedure p @v int, @id int output with native_compilation, schemabinding as
        begin atomic with (transaction isolation level = snapshot, language = N'us_english')
        insert dbo.t (v) values (@v)
        set @id = scope_identity()
        if @v < 0 throw 50001, 'negative', 1
        select id, v from dbo.t where id = @id
        end
        go
        declare @id int
        exec p 10, @id output
        print @id
        exec p -1, @id output
        select count(*) as n from t",
    );
    // The first line tells where the file has gone.
    let (_, answer) = answer.split_once('\n').unwrap();
    assert_eq!(
        answer,
        "id|v\n1|10\n(1 row)\n1\nMsg 50001, Level 16, State 1, Procedure p, Line 5: negative\nn\n1\n(1 row)"
    );
}

#[test]
fn nesting_has_an_end() {
    let answer = answers("create procedure p as exec p\ngo\nexec p");
    assert!(
        answer.starts_with(
            "Msg 217, Level 16, State 1, Procedure p, Line 1: Maximum stored procedure"
        ),
        "{answer}"
    );
}

#[test]
fn functions_and_triggers_nest_as_deep_as_procedures() {
    let answer = answers(
        "create function f(@x int) returns int as begin return dbo.f(@x) end
        go
        select dbo.f(1)
        go
        create table a (x int) create table b (x int)
        go
        create trigger ta on a after insert as insert b select x from inserted
        go
        create trigger tb on b after insert as insert a select x from inserted
        go
        insert a values (1)
        go
        select count(*) as n from a",
    );
    let messages: Vec<&str> = answer.lines().filter(|line| line.contains("Msg 217")).collect();
    assert_eq!(messages.len(), 2, "{answer}");
    assert!(answer.ends_with("n\n0\n(1 row)"), "{answer}");
}

#[test]
fn insert_exec_is_one_statement() {
    let answer = answers(
        "create table t (a int check (a < 5)) create table log (a int)
        go
        create procedure p as insert log values (1) print @@trancount select 9
        go
        insert t exec p
        go
        select count(*) as n from log print @@trancount",
    );
    assert!(answer.contains("Msg 547"), "{answer}");
    assert!(answer.starts_with("1\n"), "{answer}");
    assert!(answer.ends_with("The statement has been terminated.\nn\n0\n(1 row)\n0"), "{answer}");
}

#[test]
fn a_remote_call_runs_in_the_database_of_its_name() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    let text = Value::unicode("select db_name() as d");
    let text = ("", SqlType::nvarchar(40, Collation::DEFAULT), text, false);
    for name in ["d..sp_executesql", "[d].dbo.sp_executesql", "d.sys.sp_executesql"] {
        let answer = session.call(name, std::slice::from_ref(&text));
        assert!(answer.starts_with("d\nd\n(1 row)"), "{name}: {answer}");
    }
    assert_eq!(session.run("select db_name() as d"), "d\nmaster\n(1 row)");
}

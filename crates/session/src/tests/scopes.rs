//! What belongs to which scope: options, temporary tables, identities, counts.

use base::{Collation, SqlType, Value};

use super::{TestServer, answers_after, check};
use crate::options::ClientKind;
use crate::testing::TestSession;

#[test]
fn scopes_keep_what_is_theirs() {
    let setup = "create table t (id int identity(10, 1) primary key, v int)
    create table log (id int identity(500, 1), what int)
    go
    create trigger tr on t after insert as insert log select v from inserted
    go
    create procedure makes as create table #inner (x int) insert #inner values (1)
    select count(*) as c from #outer select x from #inner
    go
    create procedure hides as create table #outer (y varchar(5)) insert #outer values ('mine')
    select * from #outer
    go
    create procedure sets as set nocount on set language German set xact_abort on
    go
    create procedure counts as begin tran";
    check(
        setup,
        &[
            (
                "create table #outer (x int)\ngo\nexec makes",
                "(1 row)\nc\n0\n(1 row)\nx\n1\n(1 row)",
            ),
            (
                "select * from #inner",
                "Msg 208, Level 16, State 1, Line 1: Invalid object name '#inner'.",
            ),
            ("exec hides select * from #outer", "(1 row)\ny\nmine\n(1 row)\nx\n(0 rows)"),
            (
                "exec sets print @@language print @@options & 16384",
                "Changed language setting to Deutsch.\nus_english\n0",
            ),
            (
                "insert t values (1) select scope_identity() as s, @@identity as i, ident_current('t') as c",
                "(1 row)\n(1 row)\ns|i|c\n10|500|10\n(1 row)",
            ),
            (
                "exec('insert log values (9)') select scope_identity() as s, @@identity as i",
                "(1 row)\ns|i\n10|501\n(1 row)",
            ),
            (
                "exec counts print @@trancount rollback",
                "Msg 266, Level 16, State 2, Procedure counts, Line 1: Transaction count after EXECUTE indicates \
            a mismatching number of BEGIN and COMMIT statements. Previous count = 0, current count = 1.\n1",
            ),
            ("set nocount on select 1 as a set nocount off", "a\n1"),
            ("set rowcount 1 select v from t, log set rowcount 0", "v\n1\n(1 row)"),
            (
                "select 1 as a union all select 2 print @@rowcount if @@rowcount = 1 print 'x' print @@rowcount",
                "a\n1\n2\n(2 rows)\n2\n0",
            ),
            (
                "declare @t table (a int primary key, b int default 5) insert @t (a) values (1), (2) update @t set b = 6 where a = 2 select * from @t",
                "(2 rows)\n(1 row)\na|b\n1|5\n2|6\n(2 rows)",
            ),
            (
                "exec('use tempdb print db_name()') print db_name()",
                "Changed database context to 'tempdb'.\ntempdb\nd",
            ),
        ],
    );
}

#[test]
fn definitions_are_undone_with_their_transaction() {
    let answer = answers_after(
        "",
        "begin tran create table u (a int) insert u values (1) select * from u rollback
        select object_id('u') as id
        go
        begin tran create table w (a int) commit select count(*) as n from w",
    );
    assert_eq!(answer, "(1 row)\na\n1\n(1 row)\nid\nNULL\n(1 row)\nn\n0\n(1 row)");
}

#[test]
fn procedures_take_tables() {
    let answer = answers_after(
        "create type pairs as table (a int not null primary key, b varchar(5))
        go
        create procedure p @p pairs readonly, @n int output as select @n = count(*) from @p select * from @p",
        "declare @x pairs, @n int insert @x values (1, 'x'), (2, 'y') exec p @x, @n output print @n
        insert @x values (3, 'z') exec p @p = @x, @n = @n output print @n",
    );
    assert_eq!(
        answer,
        "(2 rows)\na|b\n1|x\n2|y\n(2 rows)\n2\n(1 row)\na|b\n1|x\n2|y\n3|z\n(3 rows)\n3"
    );
}

#[test]
fn clients_call_and_prepare() {
    let server = TestServer::new();
    let mut session = server.session();
    let text = |text: &str| (SqlType::nvarchar_max(Collation::DEFAULT), Value::unicode(text));
    let (ty, statement) = text("select @a + 1 as b set @o = @a * 2");
    let (_, declared) = text("@a int, @o int output");
    let answer = session.call(
        "sp_executesql",
        &[
            ("", ty, statement.clone(), false),
            ("", ty, declared.clone(), false),
            ("@a", SqlType::int(), Value::Int(20), false),
            ("@o", SqlType::int(), Value::Null, true),
        ],
    );
    assert_eq!(answer, "b\n21\n(1 row)\n@o = 40");
    let answer = session.call(
        "sp_prepare",
        &[
            ("", SqlType::int(), Value::Null, true),
            ("", ty, declared, false),
            ("", ty, statement, false),
            ("", SqlType::int(), Value::Int(1), false),
        ],
    );
    assert_eq!(answer, "b\n(0 rows)\n@handle = 1");
    let answer = session.call(
        "sp_execute",
        &[
            ("", SqlType::int(), Value::Int(1), false),
            ("", SqlType::int(), Value::Int(3), false),
            ("", SqlType::int(), Value::Null, true),
        ],
    );
    assert_eq!(answer, "b\n4\n(1 row)\n@o = 6");
    assert_eq!(session.call("sp_unprepare", &[("", SqlType::int(), Value::Int(1), false)]), "");
    let answer = session.call("sp_execute", &[("", SqlType::int(), Value::Int(1), false)]);
    assert!(answer.starts_with("Msg 8179, Level 16, State 2"), "{answer}");
}

#[test]
fn a_reset_session_is_as_after_its_login() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table #t (a int) set nocount on begin tran");
    session.reset();
    assert_eq!(session.run("select @@trancount as n"), "n\n0\n(1 row)");
    assert!(session.run("select * from #t").contains("Invalid object name '#t'"));
}

#[test]
fn sessions_of_old_libraries_have_the_options_of_their_database() {
    let server = TestServer::new();
    let mut session = server.session_by("sa", ClientKind::DbLibrary);
    session
        .script("create database d\ngo\nalter database d set ansi_nulls on, quoted_identifier on");
    session.run("alter database d set concat_null_yields_null on");
    let told = "select sessionproperty('ansi_nulls') n, sessionproperty('quoted_identifier') q,
        sessionproperty('concat_null_yields_null') c, sessionproperty('ansi_warnings') w, len('a' + null) l";
    let check = |session: &mut TestSession<'_>, expected: &str| {
        let answer = session.run(told);
        assert!(answer.contains(expected), "{expected}: {answer}");
    };
    check(&mut session, "0|0|0|0|1");
    session.run("use d");
    check(&mut session, "1|1|1|0|NULL");
    session.run("set ansi_warnings on");
    session.run("use master");
    check(&mut session, "0|0|0|1|1");
    // Another session alters the database that this one is in.
    session.run("use d");
    server.session().run("alter database d set ansi_nulls off, ansi_warnings off");
    check(&mut session, "0|1|1|1|NULL");
    // What an ODBC login sets stays as it is.
    let mut odbc = server.session();
    odbc.run("use d");
    check(&mut odbc, "1|1|1|1|NULL");
}

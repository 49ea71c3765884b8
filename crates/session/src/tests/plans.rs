//! Plans that are kept follow what they depend on.

use std::sync::Arc;

use base::ids::DbId;

use super::TestServer;
use crate::context::Context;
use crate::program::ProgramKind;
use crate::testing::TextWriter;

#[test]
fn plans_follow_the_catalog() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.script("create database d\ngo\nuse d\ngo\ncreate table t (a int) insert t values (1)");
    two.run("use d");
    let query = "select * from t";
    assert_eq!(one.run(query), "a\n1\n(1 row)");
    assert_eq!(two.run("alter table t add b int null"), "");
    assert_eq!(one.run(query), "a|b\n1|NULL\n(1 row)");
    assert_eq!(two.run("truncate table t insert t values (2, 3)"), "(1 row)");
    assert_eq!(one.run(query), "a|b\n2|3\n(1 row)");
    let answer =
        two.script("drop table t create table t (c varchar(5))\ngo\ninsert t values ('x')");
    assert_eq!(answer, "(1 row)");
    assert_eq!(one.run(query), "c\nx\n(1 row)");
    // A transaction's own definitions are its own.
    two.run("begin tran create table u (a int)");
    assert_eq!(two.run("select count(*) as n from u"), "n\n0\n(1 row)");
    assert!(one.run("select count(*) as n from u").starts_with("Msg 208"));
    two.run("rollback");
    assert!(two.run("select count(*) as n from u").starts_with("Msg 208"));
    // Modules, too.
    two.run("create procedure p as select 1 as old");
    assert_eq!(one.run("exec p"), "old\n1\n(1 row)");
    two.run("alter procedure p as select 2 as new");
    assert_eq!(one.run("exec p"), "new\n2\n(1 row)");
    // Options are part of what a plan depends on.
    let compare = "select case when null = null then 1 else 0 end as e";
    assert_eq!(one.run(compare), "e\n0\n(1 row)");
    one.run("set ansi_nulls off");
    assert_eq!(one.run(compare), "e\n1\n(1 row)");
}

#[test]
fn temporary_tables_of_one_name_are_different_tables() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.run("create table #t (a int) insert #t values (1)");
    two.run("create table #t (b varchar(5)) insert #t values ('x')");
    let query = "select * from #t";
    for _ in 0..2 {
        assert_eq!(one.run(query), "a\n1\n(1 row)");
        assert_eq!(two.run(query), "b\nx\n(1 row)");
    }
    one.run("drop table #t create table #t (c int)");
    assert_eq!(one.run(query), "c\n(0 rows)");
    assert_eq!(two.run(query), "b\nx\n(1 row)");
}

#[test]
fn what_a_session_holds_is_given_back() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(
        "declare @t table (a int, b varchar(8000)) declare @i int = 0
        while @i < 50 begin insert @t values (@i, replicate('x', 8000)) set @i += 1 end
        select count(*) from @t",
    );
    session.run("exec('declare @t table (a int) insert @t values (1)')");
    let runtime = &mut session.session().runtime;
    runtime.forget_idle();
    assert_eq!(runtime.grant.used(), 0);
    let plans = server.instance.plans.statistics();
    assert!(plans.entries >= 3 && plans.bytes > 0, "{plans:?}");
    session.run("dbcc freeproccache");
    assert!(server.instance.plans.statistics().entries <= 1);
}

#[test]
fn users_do_what_they_may() {
    let server = TestServer::new();
    let mut admin = server.session();
    let answer = admin.script(
        "create login ann with password = 'Str0ng!Pass'
        go
        create database d
        go
        use d
        create user ann for login ann
        create table t (a int) create table s (a int)
        grant select on t to ann
        go
        create procedure p as select count(*) as n from s
        go
        grant execute on p to ann",
    );
    assert!(!answer.contains("Msg "), "{answer}");
    let mut ann = server.session_of("ann");
    assert_eq!(ann.run("use d select * from t"), "Changed database context to 'd'.\na\n(0 rows)");
    assert_eq!(
        ann.run("select * from s"),
        "Msg 229, Level 14, State 5, Line 1: The SELECT permission was denied on the object 's', database 'd', schema 'dbo'."
    );
    assert!(ann.run("insert t values (1)").contains("The INSERT permission was denied"));
    assert_eq!(ann.run("exec p"), "n\n0\n(1 row)");
    let refused = ann.run("exec sp_recompile 't'");
    assert!(refused.contains("you do not have permission"), "{refused}");
    assert_eq!(
        admin.run("exec sp_recompile 't'"),
        "Object 't' was successfully marked for recompilation."
    );
    assert!(ann.run("create table x (a int)").contains("Msg 262"));
    assert_eq!(
        admin.run("execute as user = 'ann' select user_name() as u revert select user_name() as u"),
        "u\nann\n(1 row)\nu\ndbo\n(1 row)"
    );
    assert!(admin.run("execute as user = 'ann' select * from s").contains("Msg 229"));
}

/// An index that is read for its order alone costs a look-up for each row of a table that has sunk;
/// few rows are sorted instead.
#[test]
fn what_has_sunk_is_not_read_through_an_index_for_its_order() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d
        go
        use d
        go
        create table t (id int primary key, s int, v int); create index ix on t (s)
        insert t select value, 20000 - value, 0 from generate_series(1, 20000)",
    );
    let mut plan_of = |query: &str| {
        session.run("set showplan_text on");
        let plan = session.run(query);
        session.run("set showplan_text off");
        plan
    };
    let part = "select sum(v) from (select top (5000) v from t where id < 2000 order by s) as x";
    let first = "select top (5) v from t order by s";
    let whole = "select v from t order by s";
    for query in [part, first, whole] {
        let plan = plan_of(query);
        assert!(plan.contains("[ix]") && !plan.contains("Sort"), "{plan}");
    }
    server.sink();
    session.run("update statistics d.dbo.t");
    let mut plan_of = |query: &str| {
        session.run("set showplan_text on");
        let plan = session.run(&format!("{query} option (recompile)"));
        session.run("set showplan_text off");
        plan
    };
    let plan = plan_of(part);
    assert!(!plan.contains("[ix]") && plan.contains("Sort"), "{plan}");
    for query in [first, whole] {
        let plan = plan_of(query);
        assert!(plan.contains("[ix]") && !plan.contains("Sort"), "{plan}");
    }
}

/// A database was dropped while a plan that looks at it was made. It was kept, and kept the tables
/// of the database for good.
#[test]
fn a_plan_of_a_database_that_has_been_dropped_is_not_kept() {
    let server = TestServer::new();
    let (mut admin, mut user) = (server.session(), server.session());
    admin.run("create database d");
    admin.run("create table d.dbo.t (id int not null primary key)");
    let mut made = 0;
    let run = |context: &mut Context<'_>| {
        let text = "select count(*) as gone from d.dbo.t";
        let program = context.text_program(text, "", ProgramKind::Dynamic)?;
        let plan = |step| {
            context.session.compile_step(context.task, &program, step, &[]).expect("it is there")
        };
        let plans: Vec<_> = program.steps.iter().map(plan).collect();
        let database = server.instance.find_database("d").expect("it was made").id;
        assert!(context.session.database_holds(database));
        let dropped = admin.run("drop database d");
        assert!(!context.session.database_holds(database));
        assert!(context.session.database_holds(DbId::MASTER));
        assert!(!dropped.contains("Msg "), "{dropped}");
        for (step, plan) in program.steps.iter().zip(plans) {
            let Some(plan) = plan else { continue };
            context.keep_plan(step, &Arc::new(plan));
            made += 1;
        }
        Ok(())
    };
    let mut writer = TextWriter::default();
    user.session().request(&server.task, "", ProgramKind::Batch, &mut writer, run);
    assert_eq!(made, 1, "the statement has a plan");
    let entries = server.instance.plans.entries();
    let of_it: Vec<_> = entries.iter().filter(|entry| entry.text().contains("as gone")).collect();
    assert_eq!(of_it.len(), 1);
    assert!(of_it[0].program().steps.iter().all(|step| step.plan().is_none()));
}

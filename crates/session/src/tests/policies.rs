//! Security policies: restarts, and several sessions.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int primary key, owner sysname not null, v int not null)
insert t values (1, 'dbo', 10), (2, 'ann', 20)
go
create function f (@owner sysname) returns table with schemabinding as
return select 1 as ok where @owner = user_name()
go
create security policy p add filter predicate dbo.f(owner) on dbo.t,
  add block predicate dbo.f(owner) on dbo.t after insert with (state = on)";

#[test]
fn policies_hold_after_a_power_cut() {
    let sim = SimEnv::new(29);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        assert!(session.durable("update t set v += 1").is_some());
        session.run("begin tran alter security policy p with (state = off)");
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run("select id, v from t"), "id|v\n1|11\n(1 row)");
    let refused = session.run("insert t values (3, 'ann', 30)");
    assert!(refused.starts_with("Msg 33504,"), "{refused}");
    let shown = session.run("select predicate_definition as d from sys.security_predicates");
    assert_eq!(shown, "d\n([dbo].[f]([owner]))\n([dbo].[f]([owner]))\n(2 rows)");
}

/// A row that another transaction has moved out of sight meanwhile is judged again.
#[test]
fn a_row_that_is_hidden_while_a_statement_waits_for_it_stays_as_it_is() {
    let server = TestServer::new();
    let mut first = server.session();
    first.script(SETUP);
    first.run("alter security policy p drop block predicate on dbo.t after insert");
    first.run("begin tran");
    assert_eq!(first.run("update t set owner = 'ann' where id = 1"), "(1 row)");
    let instance = server.instance.clone();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        server.session().run("use d; update t set v = 99 where id = 1")
    });
    let waits = "select count(*) as n from sys.dm_tran_locks where request_status = 'WAIT'";
    for _ in 0..10_000 {
        if first.run(waits) == "n\n1\n(1 row)" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(first.run(waits), "n\n1\n(1 row)");
    first.run("commit");
    assert!(waiting.join().expect("it ends").ends_with("(0 rows)"));
    first.run("alter security policy p with (state = off)");
    assert_eq!(first.run("select id, v from t order by id"), "id|v\n1|10\n2|20\n(2 rows)");
}

/// A plan that a session keeps prepared follows a policy that another one changes.
#[test]
fn plans_of_other_sessions_follow_a_policy() {
    let server = TestServer::new();
    let (mut first, mut second) = (server.session(), server.session());
    first.script(SETUP);
    second.run("use d");
    let count = "select count(*) as n from t";
    assert_eq!(second.run(count), "n\n1\n(1 row)");
    first.run("begin tran alter security policy p with (state = off)");
    first.run("commit");
    assert_eq!(second.run(count), "n\n2\n(1 row)");
    first.run("drop security policy p");
    assert_eq!(second.run("insert t values (3, 'ann', 30)"), "(1 row)");
}

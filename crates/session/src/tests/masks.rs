//! Masked columns: restarts, and plans that several users share.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create user ann without login
create table t (id int primary key, mail varchar(40) masked with (function = 'email()') not null)
insert t values (1, 'rob@example.org')
grant select on t to ann
go
create procedure p as select mail from t
go
grant execute on p to ann";

const SHOWN: &str = "mail\nrob@example.org\n(1 row)";
const MASKED: &str = "mail\nrXXX@XXXX.com\n(1 row)";

#[test]
fn masks_are_there_after_a_power_cut() {
    let sim = SimEnv::new(31);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        assert!(session.durable("insert t values (2, 'x')").is_some());
        session.run("begin tran alter table t alter column mail drop masked");
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let masks = session.run("select masking_function as f from sys.masked_columns");
    assert_eq!(masks, "f\nemail()\n(1 row)");
    session.run("execute as user = 'ann'");
    assert_eq!(session.run("select mail from t where id = 1"), MASKED);
}

#[test]
fn a_plan_shows_to_each_user_what_it_may_see() {
    let server = TestServer::new();
    let (mut first, mut second) = (server.session(), server.session());
    first.script(SETUP);
    second.run("use d");
    second.run("execute as user = 'ann'");
    for _ in 0..2 {
        assert_eq!(first.run("exec p"), SHOWN);
        assert_eq!(second.run("exec p"), MASKED);
        assert_eq!(first.run("select mail from t"), SHOWN);
        assert_eq!(second.run("select mail from t"), MASKED);
    }
    first.run("grant unmask on t to ann");
    assert_eq!(second.run("exec p"), SHOWN);
    first.run("revoke unmask on t to ann");
    assert_eq!(second.run("exec p"), MASKED);
    first.run("alter table t alter column mail drop masked");
    assert_eq!(second.run("exec p"), SHOWN);
}

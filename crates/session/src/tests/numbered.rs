//! Procedures with numbers: after a power cut, and called by clients.

use base::{SqlType, Value};
use env::sim::SimEnv;

use crate::testing::TestServer;

const GROUP: &str = "create database d
go
use d
go
create procedure p as select 1 as n
go
create procedure p;2 @x int = 5 as select 10 + @x as n
go
create procedure p;3 as select 3 as n
go
alter procedure p;3 as select 33 as n";

#[test]
fn a_group_survives_a_power_cut() {
    let sim = SimEnv::new(37);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        assert_eq!(session.script(GROUP).matches("Msg").count(), 0);
        assert!(session.durable("create table t (id int)").is_some());
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    for (call, n) in [("p", 1), ("p;1", 1), ("p;2", 15), ("p;2 7", 17), ("p;3", 33)] {
        assert_eq!(session.run(&format!("exec {call}")), format!("n\n{n}\n(1 row)"), "{call}");
    }
}

#[test]
fn clients_call_procedures_by_number() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(GROUP);
    let args = [("@x", SqlType::int(), Value::Int(3), false)];
    assert!(session.call("p;2", &args).contains("n\n13"));
    assert!(session.call("dbo.p;1", &[]).contains("n\n1"));
    assert!(session.call("p;9", &[]).contains("2812"));
}

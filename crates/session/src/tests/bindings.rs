//! Rules and defaults: after a power cut, and in bulk loads.

use std::path::Path;

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create rule positive as @v > 0
go
create default seven as 7
go
create type amount from int
go
exec sp_bindrule 'positive', 'amount'
exec sp_bindefault 'seven', 'amount'
create table t (id int not null primary key, n amount null)";

/// What is bound is the catalog's, and is there after a power cut as it was before.
#[test]
fn bindings_survive_a_power_cut() {
    let sim = SimEnv::new(31);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        assert_eq!(session.script(SETUP).matches("Msg").count(), 0);
        assert!(session.durable("insert t (id) values (1)").is_some());
        session.run("begin tran; exec sp_unbindrule 't.n'");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run("insert t (id) values (2)"), "(1 row)");
    assert!(session.run("insert t values (3, -1)").contains("Msg 513, Level 16, State 0"));
    assert_eq!(session.run("select sum(n) as n from t"), "n\n14\n(1 row)");
    let types = "select object_name(rule_object_id) as r, object_name(default_object_id) as d
                 from sys.types where name = 'amount'";
    assert_eq!(session.run(types), "r|d\npositive|seven\n(1 row)");
    assert!(session.run("drop rule positive").starts_with("Msg 3716"));
}

#[test]
fn bulk_loads_check_rules_and_fill_in_defaults() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.script(SETUP).matches("Msg").count(), 0);
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/in")).unwrap();
    fs.write_new(Path::new("/in/good"), b"1\t5\n2\t\n").unwrap();
    fs.write_new(Path::new("/in/bad"), b"3\t-5\n").unwrap();
    assert_eq!(session.run("bulk insert t from '/in/good'"), "(2 rows)");
    let bad = session.run("bulk insert t from '/in/bad'");
    assert!(bad.contains("Msg 513"), "{bad}");
    assert_eq!(session.run("select * from t order by id"), "id|n\n1|5\n2|7\n(2 rows)");
}

#[test]
fn memory_optimized_tables_take_no_bindings() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.script(SETUP).matches("Msg").count(), 0);
    session.run("alter database d add filegroup mem contains memory_optimized_data");
    session.run("alter database d add file (name = 'mem', filename = 'mem') to filegroup mem");
    let options = "with (memory_optimized = on)";
    let table = "id int not null primary key nonclustered";
    let typed = session.run(&format!("create table m ({table}, n amount null) {options}"));
    assert!(typed.starts_with("Msg 10794"), "{typed}");
    session.run(&format!("create table m ({table}, n int null) {options}"));
    for bind in ["sp_bindrule 'positive'", "sp_bindefault 'seven'"] {
        let answer = session.run(&format!("exec {bind}, 'm.n'"));
        assert!(answer.starts_with("Msg 10794"), "{answer}");
    }
}

//! XML schema collections after a restart, and in databases that do not have them.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SCHEMA: &str = "<s:schema xmlns:s=\"http://www.w3.org/2001/XMLSchema\"><s:element name=\"r\" \
                      type=\"s:int\"/></s:schema>";
const MORE: &str = "<s:schema xmlns:s=\"http://www.w3.org/2001/XMLSchema\"><s:element name=\"q\" \
                    type=\"s:date\"/></s:schema>";

#[test]
fn collections_are_there_after_a_restart() {
    let sim = SimEnv::new(7);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("create database d");
    session.run("use d");
    session.run(&format!("create xml schema collection c as '{SCHEMA}'"));
    session.run(&format!("alter xml schema collection c add '{MORE}'"));
    session.run(&format!("create xml schema collection gone as '{SCHEMA}'"));
    session.run("drop xml schema collection gone");
    session.run("create table t (x xml(document c)); insert t values ('<r> 01 </r>')");
    session.run(&format!("begin tran; create xml schema collection undone as '{SCHEMA}'"));
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let names = session.run("select name from sys.xml_schema_collections order by name");
    assert!(names.contains("c\nsys\n"), "{names}");
    assert!(!names.contains("gone") && !names.contains("undone"), "{names}");
    let refused = session.run("insert t values ('<r>x</r>')");
    assert!(refused.contains("Msg 6926"), "{refused}");
    let taken = session.run("insert t values ('<q>2020-01-02-00:00</q>'); select x from t");
    assert!(taken.contains("<r>1</r>\n<q>2020-01-02Z</q>\n"), "{taken}");
    let used = session.run("drop xml schema collection c");
    assert!(used.contains("Msg 6328"), "{used}");
}

#[test]
fn types_of_another_database_have_no_collection_here() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    session.run("create database e");
    let other = SCHEMA.replace("int", "string");
    session.run(&format!("use e; create xml schema collection c as '{other}'"));
    session.run(&format!("use d; create xml schema collection c as '{SCHEMA}'"));
    session.run("use d; create table t (x xml(c)); insert t values ('<r>1</r>')");
    session.run("use e; create table u (x xml(c)); insert u values ('<r>text</r>')");
    // The collections have one number, but what the other one let in is not of this one.
    let refused = session.run("use d; insert t select x from e.dbo.u");
    assert!(refused.contains("Msg 6926"), "{refused}");
    let refused = session.run("use d; insert e.dbo.u values ('<r>text</r>')");
    assert!(refused.contains("Msg 401"), "{refused}");
    session.run("use e; exec('create view v as select x from u')");
    let refused = session.run("use d; insert t select x from e.dbo.v");
    assert!(refused.contains("Msg 6926"), "{refused}");
    let copied = session.run("use d; select x into copy from e.dbo.u; select * from copy");
    assert!(copied.contains("<r>text</r>"), "{copied}");
    session.run("use e; exec('create procedure p @x xml(c) as select @x')");
    let taken = session.run("use d; exec e.dbo.p '<r>text</r>'");
    assert!(taken.contains("<r>text</r>"), "{taken}");
}

#[test]
fn permissions_on_collections_are_asked_for() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    session.run(&format!("use d; create xml schema collection c as '{SCHEMA}'"));
    session.run("create user u without login");
    let refused = session.run(&format!(
        "execute as user = 'u'; create xml schema collection own as '{SCHEMA}'; revert"
    ));
    assert!(refused.contains("Msg 262"), "{refused}");
    let refused = session.run("execute as user = 'u'; drop xml schema collection c; revert");
    assert!(refused.contains("Msg 3701"), "{refused}");
    let granted = session.run("grant control on xml schema collection::c to u");
    assert!(!granted.contains("Msg"), "{granted}");
    let dropped = session.run("execute as user = 'u'; drop xml schema collection c; revert");
    assert!(!dropped.contains("Msg"), "{dropped}");
}

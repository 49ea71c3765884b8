//! XML indexes: after a power cut, and with several sessions.

use env::sim::SimEnv;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, x xml)
insert t select value, '<a><b c=\"' + cast(value as varchar) + '\"/></a>' from generate_series(1, 300)
create primary xml index ix on t (x)
create xml index path on t (x) using xml index ix for path";

/// How many entries there are, and whether each of them is of a row.
const ENTRIES: &str = "select p.rows from sys.partitions p join sys.internal_tables i
    on i.object_id = p.object_id where p.index_id = 1";

fn find(value: &str) -> String {
    format!("select id from t where x.exist('/a/b[@c=\"{value}\"]') = 1 order by id")
}

/// Rows and entries are those of the same transactions after a power cut, and go on.
#[test]
fn an_index_and_its_table_survive_a_power_cut_together() {
    let sim = SimEnv::new(23);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        assert_eq!(session.script(SETUP).matches("Msg").count(), 0);
        let change = "update t set x = '<a><b c=\"new\"/></a>' where id = 7";
        assert!(session.durable(change).is_some());
        assert!(session.durable("delete t where id = 8").is_some());
        session.run("begin tran update t set x = '<a><b c=\"lost\"/></a>'");
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run(&find("new")), "id\n7\n(1 row)");
    assert_eq!(session.run(&find("9")), "id\n9\n(1 row)");
    for gone in ["7", "8", "lost"] {
        assert_eq!(session.run(&find(gone)), "id\n(0 rows)", "{gone}");
    }
    assert_eq!(session.run(ENTRIES), "rows\n897\n(1 row)");
    session.run("insert t values (8, '<a><b c=\"again\"/></a>')");
    assert_eq!(session.run(&find("again")), "id\n8\n(1 row)");
    assert_eq!(session.run(ENTRIES), "rows\n900\n(1 row)");
}

/// A statement that waits for another transaction's change of a row replaces the entries of the
/// newest version, not of the one that its snapshot has.
#[test]
fn entries_of_a_version_that_was_waited_for_are_replaced() {
    let server = TestServer::new();
    let (mut one, mut two) = (server.session(), server.session());
    one.script(SETUP);
    two.run("use d");
    one.run("begin tran update t set x = '<a><b c=\"one\"/></a>' where id = 1");
    two.run("set lock_timeout 0");
    let waits = two.run("update t set x = '<a><b c=\"two\"/></a>' where id = 1");
    assert!(waits.contains("Msg 1222"), "{waits}");
    one.run("commit");
    two.run("update t set x = '<a><b c=\"two\"/></a>' where id = 1");
    assert_eq!(two.run(&find("one")), "id\n(0 rows)");
    assert_eq!(two.run(&find("two")), "id\n1\n(1 row)");
    assert_eq!(two.run(ENTRIES), "rows\n900\n(1 row)");
}

/// A snapshot sees the entries of its rows.
#[test]
fn a_snapshot_finds_the_rows_that_it_sees() {
    let server = TestServer::new();
    let (mut reader, mut writer) = (server.session(), server.session());
    writer.script(SETUP);
    writer.run("alter database d set allow_snapshot_isolation on");
    reader.run("use d; set transaction isolation level snapshot; begin tran");
    assert_eq!(reader.run(&find("5")), "id\n5\n(1 row)");
    writer.run("update t set x = '<a><b c=\"moved\"/></a>' where id = 5");
    assert_eq!(reader.run(&find("5")), "id\n5\n(1 row)");
    assert_eq!(reader.run(&find("moved")), "id\n(0 rows)");
    reader.run("commit");
    assert_eq!(reader.run(&find("moved")), "id\n5\n(1 row)");
}

//! Row caching of tables that other sessions use, and after a restart.

use env::sim::SimEnv;

use crate::testing::{TestServer, TestSession};

const SETUP: &str = "create database d
go
use d
go
create table t (id int not null primary key, n int not null)
create table heap (id int not null, n int not null)
insert t values (1, 10), (2, 20)
insert heap values (1, 10), (2, 20)";

fn set_up(server: &TestServer) -> TestSession<'_> {
    let mut session = server.session();
    let answer = session.script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    session
}

/// What the catalog says of the tables by name, and what the engine does.
fn cached(server: &TestServer) -> Vec<(String, bool, bool)> {
    let databases = server.instance.databases();
    let catalog = databases.catalog(databases.find("d").expect("it was made").id).expect("open");
    let schema = catalog.current();
    let mut tables: Vec<_> = schema
        .tables()
        .map(|def| {
            let table = catalog.table(def).expect("it has a storage");
            (def.header.name.to_string(), def.row_cached, table.caches_rows())
        })
        .collect();
    tables.sort();
    tables
}

fn expected(heap: bool, t: bool) -> Vec<(String, bool, bool)> {
    vec![("heap".to_owned(), heap, heap), ("t".to_owned(), t, t)]
}

#[test]
fn a_table_is_switched_beside_transactions_that_have_read_it() {
    let server = TestServer::new();
    let mut reader = set_up(&server);
    reader.run("begin transaction; select * from t; select * from heap");
    let mut other = server.session();
    other.run("use d; set lock_timeout 0");
    for table in ["t", "heap"] {
        let answer = other.run(&format!("alter table {table} set (row_caching = on)"));
        assert_eq!(answer.trim(), "", "{table}");
    }
    assert_eq!(cached(&server), expected(true, true));
    let answer = reader.run("update t set n = n + 1; commit; select sum(n) from t");
    assert!(answer.contains("32"), "{answer}");
}

#[test]
fn a_switch_waits_for_the_transaction_that_writes_the_table() {
    let server = TestServer::new();
    let mut writer = set_up(&server);
    writer.run("begin transaction; update t set n = n + 1");
    let mut other = server.session();
    other.run("use d; set lock_timeout 0");
    let answer = other.run("alter table t set row_caching on");
    assert!(answer.contains("Msg 1222"), "{answer}");
    assert_eq!(cached(&server), expected(false, false));
    writer.run("commit");
    assert_eq!(other.run("alter table t set row_caching on").trim(), "");
    assert_eq!(cached(&server), expected(false, true));
}

/// A table that is in use stops the statement; those before it and the default are switched.
#[test]
fn a_table_in_use_stops_the_switch_of_all_tables_with_a_count() {
    let server = TestServer::new();
    let mut writer = set_up(&server);
    writer.run("begin transaction; update heap set n = n + 1");
    let mut other = server.session();
    other.run("use d; set lock_timeout 0");
    let answer = other.run("alter database d set row_caching on for all tables");
    let stopped = "Altered the property 'row_caching' for 1 tables, 50% completed.";
    assert!(answer.contains(stopped) && answer.contains("Msg 1222"), "{answer}");
    assert!(answer.contains("Msg 5069"), "{answer}");
    assert_eq!(cached(&server), expected(false, true));
    writer.run("commit");
    let answer = other.run("alter database d set row_caching on for all tables");
    assert!(answer.contains("for 1 tables, 100% completed."), "{answer}");
    assert_eq!(cached(&server), expected(true, true));
}

#[test]
fn options_are_there_after_the_power_has_failed() {
    let sim = SimEnv::new(9);
    let server = TestServer::on(&sim);
    let mut session = set_up(&server);
    session.run("create index i on t (n) with (index_hash_caching = off)");
    session.run("alter database d set row_caching on for all tables");
    session.run("alter table heap set row_caching off");
    session.run("begin transaction; alter table t set row_caching off");
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    assert_eq!(cached(&server), expected(false, true));
    let mut session = server.session();
    let answer = session.run(
        "use d; create table u (id int); select is_row_caching_on from sys.tables where name = 'u'
         select index_hash_caching_desc from sys.indexes where name = 'i'",
    );
    assert!(answer.contains("\n1\n") && answer.contains("\nOFF\n"), "{answer}");
}

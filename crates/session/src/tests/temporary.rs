//! Temporary tables: how long they are there, and those that are larger than memory.

use std::sync::Arc;

use base::ids::DbId;
use engine::database::Database;
use env::sim::SimEnv;

use super::TestServer;

/// Memory for rows.
const ROWS: u64 = 16 << 20;

fn server() -> TestServer {
    let server = TestServer::with(&SimEnv::new(11), |_| {});
    server.instance.host().pool.set_limit(ROWS);
    server
}

fn tempdb(server: &TestServer) -> Arc<Database> {
    let databases = server.instance.databases().engine().databases();
    databases.into_iter().find(|database| database.id() == DbId::TEMPDB).expect("it is there")
}

fn sunk_rows(server: &TestServer) -> u64 {
    tempdb(server).sink_stats().map_or(0, |stats| stats.rows)
}

/// Pages of its file that are in use, with all that has sunk written.
fn used_pages(server: &TestServer) -> u64 {
    tempdb(server).shrink_data_file(&server.task, false, Some(1)).unwrap();
    tempdb(server).data_file_space().expect("rows have sunk").used_pages
}

/// More rows than memory takes, in one statement: a table's successor is built on the disk.
#[test]
fn select_into_a_temporary_table_is_not_bound_by_memory() {
    let server = server();
    let mut session = server.session();
    let made = session.run(
        "select value as id, replicate('x', 400) as v into #t from generate_series(1, 60000)
        create index ix on #t (id)",
    );
    assert!(!made.contains("Msg "), "{made}");
    assert!(server.instance.host().pool.total() < ROWS);
    let asked = "select count(*) as n, sum(id) as s, max(len(v)) as l from #t";
    assert_eq!(session.run(asked), "n|s|l\n60000|1800030000|400\n(1 row)");
    assert_eq!(
        session.run("select id, len(v) as l from #t where id = 777"),
        "id|l\n777|400\n(1 row)"
    );
    let answer = session.run(
        "begin tran
        update #t set v = 'y' where id <= 10
        delete #t where id > 59990
        insert #t values (0, 'z')
        rollback
        update #t set id = -id where id = 5",
    );
    assert!(!answer.contains("Msg "), "{answer}");
    assert_eq!(session.run(asked), "n|s|l\n60000|1800029990|400\n(1 row)");
    // What is dropped gives its pages back, without a checkpoint.
    server.sink();
    let before = used_pages(&server);
    session.run("drop table #t");
    server.reclaim();
    let is_given_back = || {
        server.sink();
        used_pages(&server) < before / 10
    };
    assert!((0..100).any(|_| is_given_back()), "{before} pages, then {}", used_pages(&server));
}

/// Rows that are committed leave memory, as those of other disk tables do, and go with their table.
#[test]
fn rows_of_temporary_tables_sink() {
    let server = server();
    let mut session = server.session();
    let before = sunk_rows(&server);
    session.run("create table #t (id int primary key, v varchar(20)) create table ##g (a int)");
    session.run("insert #t select value, concat('v', value) from generate_series(1, 1000)");
    session.run("insert ##g select value from generate_series(1, 500)");
    server.sink();
    assert!(sunk_rows(&server) >= before + 1500, "{}", sunk_rows(&server));
    let mut other = server.session();
    assert_eq!(other.run("select sum(a) as s from ##g"), "s\n125250\n(1 row)");
    assert_eq!(session.run("select v from #t where id = 500"), "v\nv500\n(1 row)");
    session.run("delete #t where id % 2 = 0 update #t set v = 'new' where id = 1");
    server.sink();
    let asked = "select count(*) as n, min(v) as a, max(v) as b from #t";
    assert_eq!(session.run(asked), "n|a|b\n500|new|v999\n(1 row)");
    assert_eq!(session.run("truncate table #t select count(*) as n from #t"), "n\n0\n(1 row)");
    session.run("drop table #t, ##g");
    server.sink();
    assert!(session.run("select * from #t").contains("Msg 208"));
}

/// A session that ended with a global temporary table took the server down: the table was dropped
/// without the DDL lock, which is needed to change what other sessions see.
#[test]
fn a_session_takes_its_global_temporary_tables_along() {
    let server = TestServer::new();
    let mut session = server.session();
    let made =
        session.run("create table ##g (a int) create table #t (a int) insert ##g values (1)");
    assert!(!made.contains("Msg "), "{made}");
    let mut other = server.session();
    assert_eq!(other.run("select a from ##g"), "a\n1\n(1 row)");
    drop(session);
    assert!(other.run("select a from ##g").contains("Msg 208"));
    let left = "select count(*) as n from tempdb.sys.tables where name like '#%'";
    assert_eq!(other.run(left), "n\n0\n(1 row)");
}

//! System-versioned tables: several sessions, restarts, what runs in the background.

use base::ids::DbId;
use env::sim::SimEnv;

use crate::admin::{retention, unattended};
use crate::ddl::temporal::cleanup;
use crate::testing::TestServer;

const SETUP: &str = "create database d
go
alter database d add filegroup m contains memory_optimized_data
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
use d
go
create table t (id int primary key, v int, s datetime2 generated always as row start hidden,
  e datetime2 generated always as row end hidden, period for system_time (s, e))
  with (system_versioning = on (history_table = dbo.past, history_retention_period = 1 day))
go
insert t (id, v) values (1, 10), (2, 20)";

/// 50 versions that are older than the retention, and one that is not.
const AGE: &str = "alter table t set (system_versioning = off)
go
insert past select 3, n.value, '2020-01-01', '2020-01-02' from generate_series(1, 50) n
insert past values (4, 40, '2020-01-01', dateadd(hour, -1, sysutcdatetime()))
alter table t set (system_versioning = on (history_table = dbo.past, data_consistency_check = off,
  history_retention_period = 1 day))";

const VERSIONS: &str = "select id, v from t for system_time all order by id, v";

#[test]
fn a_transaction_that_began_too_early_cannot_end_a_version() {
    let server = TestServer::new();
    let (mut early, mut late) = (server.session(), server.session());
    early.script(SETUP);
    late.run("use d");
    early.run("begin tran");
    late.run("waitfor delay '00:00:00.010' update t set v = 11 where id = 1");
    let refused = "Msg 13535, Level 16, State 0, Line 1: Data modification failed on \
                   system-versioned table 'd.dbo.t' because transaction time was earlier than \
                   period start time for affected records.";
    for change in ["update t set v = 12 where id = 1", "delete t where id = 1"] {
        let answer = early.run(change);
        assert!(answer.starts_with(refused), "{answer}");
    }
    assert_eq!(early.run("update t set v = 21 where id = 2"), "(1 row)");
    early.run("commit");
    assert_eq!(late.run(VERSIONS), "id|v\n1|10\n1|11\n2|20\n2|21\n(4 rows)");
}

/// Both tables are there after a power cut, with the same transactions in both, and go on.
#[test]
fn a_table_and_its_history_survive_a_power_cut_together() {
    let sim = SimEnv::new(11);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        let answer = session.run(
            "create table m (id int primary key nonclustered, v int, s datetime2 generated always \
             as row start, e datetime2 generated always as row end, period for system_time (s, e)) \
             with (memory_optimized = on, system_versioning = on)",
        );
        assert_eq!(answer, "");
        session.run("insert m (id, v) values (1, 10) update m set v = 11");
        assert!(session.durable("update t set v += 1").is_some());
        assert!(session.durable("delete t where id = 2").is_some());
        session.run("begin tran update t set v = 99");
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run(VERSIONS), "id|v\n1|10\n1|11\n2|20\n2|21\n(4 rows)");
    let shown = "select name, temporal_type, object_name(history_table_id) as h, \
                 history_retention_period as n, history_retention_period_unit_desc as u \
                 from sys.tables where name in ('t', 'past') order by name";
    let expected = "name|temporal_type|h|n|u\npast|1|NULL|NULL|NULL\nt|2|past|1|DAY\n(2 rows)";
    assert_eq!(session.run(shown), expected);
    assert_eq!(session.run("update t set v += 1"), "(1 row)");
    assert_eq!(session.run(VERSIONS), "id|v\n1|10\n1|11\n1|12\n2|20\n2|21\n(5 rows)");
    session.run("update m set v = 12");
    let versions = "select id, v from m for system_time all order by v";
    assert_eq!(session.run(versions), "id|v\n1|10\n1|11\n1|12\n(3 rows)");
    let periods = session.run("select object_name(object_id) as t from sys.periods order by 1");
    assert_eq!(periods, "t\nm\nt\n(2 rows)");
}

#[test]
fn versions_leave_the_history_when_their_retention_is_over() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.script(AGE);
    let rows = "select id, count(*) as n from past group by id order by id";
    assert_eq!(session.run(rows), "id|n\n3|50\n4|1\n(2 rows)");
    session.run("alter database d set temporal_history_retention off");
    assert_eq!(retention::keep(&server.instance, &server.task).tables, 0);
    assert_eq!(session.run(rows), "id|n\n3|50\n4|1\n(2 rows)");
    session.run("alter database d set temporal_history_retention on");
    assert_eq!(retention::keep(&server.instance, &server.task).tables, 1);
    assert_eq!(session.run(rows), "id|n\n4|1\n(1 row)");
    assert_eq!(retention::keep(&server.instance, &server.task).tables, 1);
    assert_eq!(session.run(rows), "id|n\n4|1\n(1 row)");
}

/// The plan of an update changes with its table: it must not go on writing versions.
#[test]
fn plans_follow_versioning() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    let (update, count) = ("update t set v += 1 where id = 1", "select count(*) as n from past");
    session.run(update);
    assert_eq!(session.run(count), "n\n1\n(1 row)");
    session.run("alter table t set (system_versioning = off)");
    session.run(update);
    assert_eq!(session.run(count), "n\n1\n(1 row)");
    session.run(
        "alter table t set (system_versioning = on (history_table = dbo.past, \
         data_consistency_check = off))",
    );
    session.run(update);
    assert_eq!(session.run(count), "n\n2\n(1 row)");
}

/// The pass looked for a login of the name `sa` that may log in, and did nothing without one.
#[test]
fn the_retention_does_not_depend_on_what_sa_is_called() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.script(AGE);
    let refused = session.run("alter server role sysadmin drop member sa");
    assert!(refused.starts_with("Msg 15405"), "{refused}");
    session.run("alter login sa disable");
    session.run("alter login sa with name = administrator");
    let pass = retention::keep(&server.instance, &server.task);
    assert_eq!((pass.tables, pass.failures), (1, Vec::new()));
    assert_eq!(session.run("select count(*) as n from past"), "n\n1\n(1 row)");
}

/// The batch went on for as long as the procedure said that it had removed all rows that it may,
/// and a procedure that had failed said nothing: the pass never ended.
#[test]
fn a_clean_up_that_fails_ends() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    let database = server.instance.find_database("d").map_or(DbId::MASTER, |def| def.id);
    let schema = server.instance.catalog(database).unwrap().current();
    let batches = cleanup::batches(&schema, 10);
    session.run("alter table t set (system_versioning = off)");
    let ended: Vec<_> = batches
        .iter()
        .map(|(_, text)| unattended::run(&server.instance, &server.task, database, text))
        .collect();
    assert_eq!(ended, [Err(13746)]);
}

/// Error 517: the limit was before the calendar.
#[test]
fn a_retention_may_reach_back_before_the_calendar() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.script(AGE);
    session
        .run("alter table t set (system_versioning = on (history_retention_period = 9999 years))");
    let removed =
        "declare @n int exec sp_cleanup_temporal_history 'dbo', 't', @n output select @n as n";
    assert_eq!(session.run(removed), "n\n0\n(1 row)");
    session.run("alter table t set (system_versioning = on (history_retention_period = 3 years))");
    assert_eq!(session.run(removed), "n\n50\n(1 row)");
}

/// Columns of a history took another type or name although a schema-bound view was made on them.
#[test]
fn what_uses_a_history_stands_against_changes_of_its_columns() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.script(
        "create view w with schemabinding as select v from dbo.past
go
alter table t add x varchar(10)
go
create index ix on past (x)",
    );
    let is_refused = |answer: &str| answer.contains("Msg 5074") || answer.contains("Msg 15336");
    for change in [
        "alter table t alter column v bigint",
        "alter table t alter column x int",
        "exec sp_rename 't.v', 'u', 'column'",
    ] {
        let answer = session.run(change);
        assert!(is_refused(&answer), "{change}: {answer}");
    }
    assert_eq!(session.run("alter table t alter column x varchar(20)"), "");
    session.script("drop view w\ngo\ndrop index ix on past");
    session.run("exec sp_rename 't.v', 'u', 'column'");
    assert_eq!(
        session.run("alter table t alter column x int alter table t alter column u bigint"),
        ""
    );
    session.run("update t set u += 1 where id = 1");
    assert_eq!(session.run("select u, x from past"), "u|x\n10|NULL\n(1 row)");
}

//! Change tracking: several sessions, restarts, bulk loads, what runs in the background.

use env::sim::SimEnv;

use crate::admin::retention;
use crate::testing::TestServer;

const SETUP: &str = "create database d
go
alter database d set change_tracking = on
go
use d
go
create table t (id int primary key, v int)
alter table t enable change_tracking";

/// Longer than changes are kept.
const THREE_DAYS_NS: u64 = 3 * 86_400 * 1_000_000_000;

const CHANGES: &str = "select id, sys_change_operation as op, sys_change_version as v \
                       from changetable(changes t, 0) as c order by id";

/// Versions are those of commits, in their order: what began first may get the later one.
#[test]
fn versions_follow_the_order_of_commits() {
    let server = TestServer::new();
    let (mut early, mut late) = (server.session(), server.session());
    early.script(SETUP);
    late.run("use d");
    early.run("begin tran insert t values (1, 1)");
    assert_eq!(late.run("insert t values (2, 2)"), "(1 row)");
    assert_eq!(late.run(CHANGES), "id|op|v\n2|I|1\n(1 row)");
    early.run("commit");
    assert_eq!(late.run(CHANGES), "id|op|v\n1|I|2\n2|I|1\n(2 rows)");
    let snapshot = "select change_tracking_current_version() as v";
    late.run("alter database d set allow_snapshot_isolation on");
    late.run("set transaction isolation level snapshot begin tran");
    assert_eq!(late.run(snapshot), "v\n2\n(1 row)");
    early.run("update t set v = 3");
    assert_eq!(late.run(snapshot), "v\n2\n(1 row)");
    assert_eq!(late.run(CHANGES), "id|op|v\n1|I|2\n2|I|1\n(2 rows)");
    late.run("commit");
    assert_eq!(late.run(snapshot), "v\n3\n(1 row)");
}

/// A reader that locks what it reads holds up no commit, nor does a clean-up in a transaction that
/// goes on: internal tables are read from versions.
#[test]
fn readers_at_locking_levels_hold_up_no_commit() {
    let sim = SimEnv::new(13);
    let server = TestServer::on(&sim);
    let (mut reader, mut writer) = (server.session(), server.session());
    writer.script(SETUP);
    writer.run("insert t values (1, 1) set lock_timeout 1000");
    reader.run("use d set transaction isolation level serializable begin tran");
    assert_eq!(reader.run(CHANGES), "id|op|v\n1|I|1\n(1 row)");
    assert_eq!(writer.run("insert t values (2, 2)"), "(1 row)");
    sim.clock().advance_ns(THREE_DAYS_NS);
    let clean_up = "declare @n bigint \
                    exec sp_flush_CT_internal_table_on_demand null, @n output select @n as n";
    assert_eq!(reader.run(clean_up), "n\n1\n(1 row)");
    assert_eq!(writer.run("insert t values (3, 3)"), "(1 row)");
    reader.run("commit");
    assert_eq!(writer.run(CHANGES), "id|op|v\n2|I|2\n3|I|3\n(2 rows)");
}

/// Many sessions commit at once, and a reader that knows a version knows all before it.
#[test]
fn no_version_appears_below_one_that_was_seen() {
    const WRITERS: i32 = 3;
    const COMMITS: i32 = 20;
    let server = TestServer::new();
    server.session().script(SETUP);
    let seen = "declare @v bigint = change_tracking_current_version() \
                select @v - count(*) as missing from changetable(changes t, 0) as c \
                where sys_change_version <= @v";
    let writer = |writer: i32| {
        let instance = server.instance.clone();
        std::thread::spawn(move || {
            let server = TestServer::of(instance);
            let mut session = server.session();
            session.run("use d");
            for number in 0..COMMITS {
                let id = writer * COMMITS + number;
                assert_eq!(session.run(&format!("insert t values ({id}, 0)")), "(1 row)");
            }
        })
    };
    let writers: Vec<_> = (0..WRITERS).map(writer).collect();
    let mut session = server.session();
    session.run("use d");
    for _ in 0..COMMITS {
        assert_eq!(session.run(seen), "missing\n0\n(1 row)");
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let all = "select count(*) as n, count(distinct commit_ts) as d, max(commit_ts) as v \
               from sys.dm_tran_commit_table";
    let n = WRITERS * COMMITS;
    assert_eq!(session.run(all), format!("n|d|v\n{n}|{n}|{n}\n(1 row)"));
}

/// Rows and what is known of their changes are there after a power cut, or neither is; versions and
/// numbers go on.
#[test]
fn changes_survive_a_power_cut_with_their_rows() {
    let sim = SimEnv::new(11);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        session.script(
            "alter database d add filegroup m contains memory_optimized_data
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
create table m (id int primary key nonclustered, v int) with (memory_optimized = on)
alter table m enable change_tracking with (track_columns_updated = on)
go
insert m values (1, 1)
go
create procedure p with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  update dbo.m set v = 2 where id = 1
  insert dbo.m values (2, 2)
end
go
exec p",
        );
        assert!(session.durable("insert t values (1, 1), (2, 2)").is_some());
        assert!(session.durable("delete t where id = 2").is_some());
        session.run("begin tran insert t values (3, 3)");
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(session.run("select id from t"), "id\n1\n(1 row)");
    assert_eq!(session.run(CHANGES), "id|op|v\n1|I|3\n2|D|4\n(2 rows)");
    let of_m = "select id, sys_change_operation as op, sys_change_version as v, \
                sys_change_columns as c from changetable(changes m, 1) as x order by id";
    assert_eq!(session.run(of_m), "id|op|v|c\n1|U|2|NULL\n2|I|2|NULL\n(2 rows)");
    assert_eq!(session.run("insert t values (4, 4)"), "(1 row)");
    let refused = session.run("exec p");
    assert!(refused.contains("Msg 2627"), "{refused}");
    assert_eq!(session.run(CHANGES), "id|op|v\n1|I|3\n2|D|4\n4|I|5\n(3 rows)");
    let commits = "select count(*) as n, count(distinct xdes_id) as x, max(commit_ts) as v \
                   from sys.dm_tran_commit_table";
    assert_eq!(session.run(commits), "n|x|v\n5|5|5\n(1 row)");
}

/// The row that gives a commit its version comes behind the chunks of a commit that is longer than
/// a record, also where it is prepared.
#[test]
fn a_commit_of_many_chunks_has_its_version() {
    let sim = SimEnv::new(14);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        session.script(
            "create database e
go
alter database e set change_tracking = on
go
use e
go
create table t (id int primary key, v int)
alter table t enable change_tracking
go
use d",
        );
        let many = "select value, 0 from generate_series(1, 5000)";
        assert!(session.durable(&format!("insert t {many}")).is_some());
        session.run(&format!("begin tran update t set v = 1 insert e.dbo.t {many}"));
        assert!(session.durable("commit").is_some());
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    for (database, op, last) in [("d", "I", 2), ("e", "I", 1)] {
        session.run(&format!("use {database}"));
        let seen = "select count(*) as n, min(sys_change_operation) as op, \
                    min(sys_change_version) as v, change_tracking_current_version() as l \
                    from changetable(changes t, 0) as c";
        let expected = format!("n|op|v|l\n5000|{op}|{last}|{last}\n(1 row)");
        assert_eq!(session.run(seen), expected);
    }
}

/// A transaction over several databases gets a version in each of them.
#[test]
fn a_transaction_over_two_databases_has_a_version_in_each() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.script(
        "create database e
go
alter database e set change_tracking = on
go
use e
go
create table t (id int primary key)
alter table t enable change_tracking
insert t values (0)
go
begin tran
insert e.dbo.t values (1)
insert d.dbo.t values (1, 1)
commit",
    );
    let both = "select 'd' as n, sys_change_version as v from changetable(changes d.dbo.t, 0) x \
                union all select 'e', sys_change_version from changetable(changes e.dbo.t, 0) x \
                order by 1, 2";
    assert_eq!(session.run(both), "n|v\nd|1\ne|1\ne|2\n(3 rows)");
}

/// What is older than the retention is gone, and the version up to which it was says so.
#[test]
fn aged_changes_are_removed_but_for_the_newest_commit() {
    let sim = SimEnv::new(12);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.script(SETUP);
    session.run("insert t values (1, 1) insert t values (2, 2) update t set v = 3 where id = 1");
    let state =
        "select min_valid_version as m, cleanup_version as c from sys.change_tracking_tables";
    let pass = retention::keep(&server.instance, &server.task);
    assert_eq!(pass.failures, Vec::<String>::new());
    assert_eq!(session.run(state), "m|c\n0|0\n(1 row)");
    assert_eq!(session.run(CHANGES), "id|op|v\n1|I|3\n2|I|2\n(2 rows)");
    sim.clock().advance_ns(THREE_DAYS_NS);
    session.run("alter database d set change_tracking (auto_cleanup = off)");
    retention::keep(&server.instance, &server.task);
    assert_eq!(session.run(state), "m|c\n0|0\n(1 row)");
    session.run("alter database d set change_tracking (auto_cleanup = on)");
    let pass = retention::keep(&server.instance, &server.task);
    assert_eq!(pass.failures, Vec::<String>::new());
    assert_eq!(session.run(state), "m|c\n2|2\n(1 row)");
    assert_eq!(session.run(CHANGES), "id|op|v\n1|U|3\n(1 row)");
    let commits = "select commit_ts as v from sys.dm_tran_commit_table";
    assert_eq!(session.run(commits), "v\n3\n(1 row)");
    session.run("insert t values (4, 4)");
    assert_eq!(session.run(CHANGES), "id|op|v\n1|U|3\n4|I|4\n(2 rows)");
}

/// How the queries find changes: commits after the version, and the changes of each.
#[test]
fn changes_are_found_by_their_commits() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(SETUP);
    session.run("set showplan_text on");
    let plan = session.run(CHANGES);
    assert!(plan.contains("syscommittab_index_1"), "{plan}");
    assert!(plan.contains("Seek") || plan.contains("seek"), "{plan}");
    let plan = session
        .run("select * from t cross apply changetable(version t, (id), (t.id), forceseek) as v");
    assert!(plan.contains("_index_2"), "{plan}");
}

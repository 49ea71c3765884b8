//! Row caching of tables that other sessions use, and after a restart.

use env::sim::SimEnv;

use crate::testing::{TestServer, TestSession, rows};

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

/// Lets the rows of `d` sink.
fn sink(server: &TestServer) {
    let databases = server.instance.databases();
    let catalog = databases.catalog(databases.find("d").expect("it was made").id).expect("open");
    server.sink_rows_of(catalog.database());
}

#[test]
fn rows_that_were_looked_up_leave_copies_which_look_ups_find_and_changes_take_away() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run("alter table t add constraint u unique (n); alter table t set (row_caching = on)");
    // The table uses the cache from its first round on.
    sink(&server);
    session.run("insert t values (3, 40), (4, 50), (5, 60)");
    session.run("select * from t where id = 3; select * from t where n = 50");
    sink(&server);
    let counts = "select index_id, inserted_rows, migrated_rows, cached_rows, hash_hits, tree_hits, \
                  misses, kept_rows, invalidations from sys.dm_db_row_cache_stats order by index_id";
    assert_eq!(rows(&session.run(counts)), "1|0|0|2|0|0|0|2|0\n2|NULL|NULL|NULL|0|0|0|NULL|NULL");
    session.run("select * from t where id = 3; select * from t where id = 7");
    // The first look-up by the other key finds the row by its identity key.
    session.run("select * from t where n = 50; select * from t where n = 50");
    assert_eq!(rows(&session.run(counts)), "1|0|0|2|1|0|1|2|0\n2|NULL|NULL|NULL|1|1|0|NULL|NULL");
    session.run("update t set n = 30 where id = 4");
    assert_eq!(rows(&session.run("select id from t where n = 30")), "4");
    assert_eq!(rows(&session.run("select id from t where n = 50")), "");
    let answer = rows(&session.run(counts));
    // One row, which has come back; its anchor under the old key waits to be freed.
    assert!(answer.starts_with("1|0|1|1|"), "{answer}");
    // The row leaves a copy again, and another key leads to it.
    sink(&server);
    assert_eq!(rows(&session.run("select n from t where id = 4")), "30");
    session.run("dbcc dropcleanbuffers with no_infomsgs");
    let cached = "select cached_rows from sys.dm_db_row_cache_stats where cached_rows is not null";
    assert_eq!(rows(&session.run(cached)), "0");
    assert_eq!(rows(&session.run("select n from t where id = 4")), "30");
    assert_eq!(rows(&session.run(cached)), "1");
    session.run("alter table t set (row_caching = off)");
    assert_eq!(rows(&session.run(cached)), "0");
}

#[test]
fn keys_of_an_index_without_hash_caching_lead_to_no_copies() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run(
        "alter table t set (row_caching = on); \
         create unique index u on t (n) with (index_hash_caching = off)",
    );
    sink(&server);
    session.run("select * from t where n = 20; select * from t where n = 20");
    let used = "select is_hash_caching_used, hash_hits, tree_hits from sys.dm_db_row_cache_stats \
                where index_id = 2";
    assert_eq!(rows(&session.run(used)), "0|0|2");
    session.run("alter index u on t set (index_hash_caching = on)");
    session.run("select * from t where n = 20; select * from t where n = 20");
    assert_eq!(rows(&session.run(used)), "1|1|3");
}

#[test]
fn a_table_is_brought_into_the_row_cache_when_asked() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    sink(&server);
    let prewarm = "exec sys.sp_row_cache_prewarm 't'";
    let answer = session.run(prewarm);
    assert!(answer.contains("Msg 50000, Level 16, State 1"), "{answer}");
    let answer = session.run("exec sys.sp_row_cache_prewarm 'none'");
    assert!(answer.contains("Msg 15165"), "{answer}");
    session.run("alter table t set (row_caching = on); update t set n = 0 where id = 1");
    // The row that is in memory has no copy.
    assert_eq!(session.run(prewarm).trim(), "1 rows of the table 't' are in the row cache now.");
    assert_eq!(rows(&session.run("select n from t where id = 2")), "20");
    let hits = "select hash_hits from sys.dm_db_row_cache_stats where index_id = 1";
    // The update has found one, too.
    assert_eq!(rows(&session.run(hits)), "2");
    session.run("create user ann without login; grant select on t to ann");
    let answer = session.run("execute as user = 'ann'; exec sys.sp_row_cache_prewarm 't'; revert");
    assert!(answer.contains("Msg "), "{answer}");
}

/// The ceiling of the row cache of `d`, if there is one.
fn ceiling(server: &TestServer) -> Option<u64> {
    let databases = server.instance.databases();
    let catalog = databases.catalog(databases.find("d").expect("it was made").id).expect("open");
    catalog.database().row_cache_stats().map(|stats| stats.ceiling)
}

#[test]
fn a_named_row_cache_is_the_ceiling_of_its_database_after_a_restart_too() {
    const MB: u64 = 1 << 20;
    let sim = SimEnv::new(10);
    let server = TestServer::on(&sim);
    let mut session = set_up(&server);
    session.run("exec sp_cacheconfig 'c', '300M', row_storage");
    session.run("alter database d row storage on c");
    assert_eq!(ceiling(&server), None);
    // The row cache is made later.
    session.run("alter table t set row_caching on");
    sink(&server);
    assert_eq!(ceiling(&server), Some(300 * MB));
    session.run("exec sp_cacheconfig 'c', '400M'");
    assert_eq!(ceiling(&server), Some(400 * MB));
    session.run("exec sp_dboption d, 'auto imrs partition tuning', false");
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d; checkpoint");
    sink(&server);
    assert_eq!(ceiling(&server), Some(400 * MB));
    let tuning = "exec sp_dboption d, 'auto imrs partition tuning'";
    assert!(session.run(tuning).contains("OFF"));
    session.run("alter database d row storage off");
    assert_eq!(ceiling(&server), Some(u64::MAX));
}

#[test]
fn rows_in_memory_are_counted_by_cache_and_by_table() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run(
        "exec sp_cacheconfig 'c', '300M', row_storage; alter database d row storage on c; \
         alter table t set row_caching on",
    );
    let by_table = "exec sp_imrs show, rowcounts, c";
    // Rows and versions: now, and the most; of these inserted, migrated, cached; waiting.
    let counts = |rows: [u64; 2], versions: [u64; 2], by_kind: [[u64; 3]; 2], waiting: u64| {
        let [[inserted, migrated, cached], [inserted_versions, migrated_versions, _]] = by_kind;
        let [all, all_max] = rows;
        let [versions, versions_max] = versions;
        format!(
            "{all}|{all_max}|{versions}|{versions_max}|{inserted}|{migrated}|{cached}|\
             {inserted_versions}|{migrated_versions}|{waiting}"
        )
    };
    let expected = |counts: &str| format!("d|[Any]|[Totals]|{counts}\nd|dbo|t|{counts}");
    let inserted = counts([2, 2], [2, 2], [[2, 0, 0], [2, 0, 0]], 0);
    assert_eq!(rows(&session.run(by_table)), expected(&inserted));
    sink(&server);
    server.reclaim();
    let sunk = counts([0, 2], [0, 2], [[0; 3]; 2], 0);
    assert_eq!(rows(&session.run(by_table)), expected(&sunk));
    session.run("select * from t where id = 1; select * from t where id = 2");
    let cached = counts([2, 2], [2, 2], [[0, 0, 2], [0, 0, 2]], 0);
    assert_eq!(rows(&session.run(by_table)), expected(&cached));
    session.run("update t set n = n + 1 where id = 1; insert t values (3, 30)");
    let changed = counts([3, 3], [4, 4], [[1, 1, 1], [1, 2, 1]], 0);
    assert_eq!(rows(&session.run(by_table)), expected(&changed));
    let by_cache = rows(&session.run("exec sp_imrs 'show', 'rowcounts'"));
    assert_eq!(by_cache, format!("c|d|{changed}"));
    // The row came back, and is so also when its first version is used again.
    server.reclaim();
    session.run("update t set n = n + 1 where id = 1");
    let changed = counts([3, 3], [4, 4], [[1, 1, 1], [1, 2, 1]], 1);
    assert_eq!(rows(&session.run(by_table)), expected(&changed));
    session.run("delete t");
    let deleted = counts([0, 3], [5, 5], [[0; 3], [1, 4, 0]], 5);
    assert_eq!(rows(&session.run(by_table)), expected(&deleted));
    sink(&server);
    server.reclaim();
    let gone = counts([0, 3], [0, 5], [[0; 3]; 2], 0);
    assert_eq!(rows(&session.run(by_table)), expected(&gone));
    let used = rows(&session.run(
        "select CacheName, DBName, TotalSizeKB, iif(UsedSizeKB > 0, 1, 0), \
         iif(HighWaterMarkKB >= UsedSizeKB, 1, 0), Status from master..monIMRSCache",
    ));
    assert_eq!(used, "c|d|307200|1|1|Active");
}

#[test]
fn statement_snapshot_reads_versions_whatever_the_database_says() {
    let server = TestServer::new();
    let mut writer = set_up(&server);
    writer.run("use master; alter database d set read_committed_snapshot off; use d");
    let mut reader = server.session();
    reader.run("use d; set lock_timeout 0");
    writer.run("begin transaction; update t set n = 11 where id = 1");
    assert!(reader.run("select n from t where id = 1").contains("Msg 1222"));
    reader.run("set transaction isolation level statement snapshot; begin transaction");
    assert_eq!(rows(&reader.run("select n from t where id = 1")), "10");
    writer.run("commit");
    assert_eq!(rows(&reader.run("select n from t where id = 1")), "11");
    assert!(reader.run("dbcc useroptions").contains("read committed snapshot"));
}

/// A table whose rows are looked up by key is made anew in each of these ways.
#[test]
fn copies_are_of_the_storage_that_a_table_has_now() {
    let anew = [
        ("truncate table t; insert t values (1, 11), (2, 22)", "11\n22"),
        ("alter table t alter column n bigint not null", "10\n20"),
        ("alter table t rebuild", "10\n20"),
        (
            "alter table t drop constraint pk; create unique clustered index c on t (id desc)",
            "10\n20",
        ),
        ("drop table t; create table t (id int primary key, n int); insert t values (2, 7)", "\n7"),
        ("begin transaction; truncate table t; rollback", "10\n20"),
        (
            "alter table t set row_caching off; update t set n = -n; alter table t set row_caching on",
            "-10\n-20",
        ),
    ];
    for (statements, expected) in anew {
        let server = TestServer::new();
        let mut session = set_up(&server);
        session.run(
            "drop table t; create table t (id int not null constraint pk primary key, n int) \
             with (row_caching = on); insert t values (1, 10), (2, 20)",
        );
        sink(&server);
        let find = |session: &mut TestSession<'_>| {
            [1, 2]
                .map(|id| rows(&session.run(&format!("select n from t where id = {id}"))))
                .join("\n")
        };
        assert_eq!(find(&mut session), "10\n20");
        let answer = session.run(statements);
        assert!(!answer.contains("Msg "), "{statements}: {answer}");
        assert_eq!(find(&mut session), expected, "{statements}");
        sink(&server);
        assert_eq!(find(&mut session), expected, "{statements}, after the rows have sunk");
        assert_eq!(find(&mut session), expected, "{statements}, again");
        let answer = session.run("dbcc checktable('t') with no_infomsgs");
        assert_eq!(answer.trim(), "", "{statements}");
    }
}

/// What a cursor has read of a copy stays when the copy goes between two statements.
#[test]
fn a_row_that_was_read_outlives_its_copy() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run(
        "create table wide (id int primary key, v varchar(2000)) with (row_caching = on); \
         insert wide select value, replicate(char(65 + value % 26), 2000) from generate_series(0, 99)",
    );
    sink(&server);
    session.run(
        "declare c cursor static global for select v from wide where id = 1 \
         declare d cursor dynamic global for select v from wide where id = 2; open c; open d; \
         declare @v varchar(2000), @w varchar(2000); fetch c into @v; fetch d into @w",
    );
    let mut other = server.session();
    other.run("use d; dbcc dropcleanbuffers with no_infomsgs; truncate table heap");
    // The memory of the block that went has other rows.
    other.run("declare @i int = 0, @v varchar(2000); while @i < 100 begin select @v = v from wide where id = @i; set @i += 1 end");
    let answer = session.run(
        "declare @v varchar(2000) = (select v from wide where id = 1), @i int = 0; \
         dbcc dropcleanbuffers with no_infomsgs; \
         while @i < 100 begin declare @w varchar(2000) = (select v from wide where id = @i); set @i += 1 end; \
         select iif(@v = replicate('B', 2000), 'whole', @v); close c; open c; fetch c into @v; \
         select iif(@v = replicate('B', 2000), 'whole', @v)",
    );
    assert_eq!(rows(&answer), "whole\n\nwhole");
}

#[test]
fn statistics_tell_rows_of_the_row_cache_from_pages() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run("alter table t set (row_caching = on)");
    sink(&server);
    session.run("checkpoint; dbcc dropcleanbuffers with no_infomsgs; set statistics io on");
    let lines = |session: &mut TestSession<'_>, text: &str| -> Vec<String> {
        let answer = session.run(text);
        let lines = answer.lines().filter(|line| line.starts_with("Table '"));
        lines.map(|line| line.split(", page server").next().unwrap_or(line).to_owned()).collect()
    };
    let io = |scans: u32, rows: u32, pages: u32| {
        format!("Table 't'. Scan count {scans}, logical reads {rows}, physical reads {pages}")
    };
    let cached = |rows: u32| format!("Table 't'. Row cache reads {rows}.");
    let look_up = "select n from t where id = 2";
    // The tree is a leaf, which is not in memory.
    assert_eq!(lines(&mut session, look_up), [io(0, 1, 1), cached(0)]);
    assert_eq!(lines(&mut session, look_up), [io(0, 1, 0), cached(1)]);
    assert_eq!(lines(&mut session, "select sum(n) from t"), [io(1, 2, 0), cached(0)]);
    let heap = lines(&mut session, "select sum(n) from heap");
    assert_eq!(heap.len(), 1, "{heap:?}");
}

#[test]
fn readers_that_lock_find_copies_and_wait_for_locks_all_the_same() {
    let server = TestServer::new();
    let mut session = set_up(&server);
    session.run("use master; alter database d set read_committed_snapshot off; use d");
    session.run("alter table t set (row_caching = on)");
    sink(&server);
    session.run("dbcc dropcleanbuffers with no_infomsgs; set lock_timeout 0");
    let read_from_trees = "select cached_rows, tree_hits from sys.dm_db_row_cache_stats";
    let hits = "select hash_hits from sys.dm_db_row_cache_stats";
    let look_up = "select n from t where id = 2";
    assert_eq!(rows(&session.run(look_up)), "20");
    assert_eq!(rows(&session.run(read_from_trees)), "1|1");
    for level in ["read committed", "repeatable read", "serializable"] {
        session.run(&format!("set transaction isolation level {level}"));
        let before = rows(&session.run(hits));
        assert_eq!(rows(&session.run(look_up)), "20", "{level}");
        assert_eq!(rows(&session.run(read_from_trees)), "1|1", "{level}");
        assert_ne!(rows(&session.run(hits)), before, "{level}");
    }
    let with_lock = "select n from t with (updlock) where id = 2";
    assert_eq!(rows(&session.run(with_lock)), "20");

    let mut other = server.session();
    other.run("use d; begin transaction; select * from t with (xlock, rowlock) where id = 2");
    assert!(session.run(look_up).contains("Msg 1222"));
    assert_eq!(rows(&session.run("select n from t with (nolock) where id = 2")), "20");
    other.run("update t set n = 21 where id = 2");
    assert!(session.run(look_up).contains("Msg 1222"));
    other.run("commit");
    assert_eq!(rows(&session.run(look_up)), "21");
    sink(&server);
    assert_eq!(rows(&session.run(look_up)), "21");
    other.run("delete t where id = 2");
    assert_eq!(rows(&session.run(look_up)), "");
}

//! Every view can be read.

use engine::wait::Interrupted;
use env::sim::wait_until;

use super::*;
use crate::testing::{TestServer, TestSession, rows};

#[test]
fn every_view_can_be_read_from_every_database() {
    let server = TestServer::new();
    let mut session = server.session();
    for database in ["master", "tempdb", "msdb"] {
        for (schema, name) in names() {
            let text =
                session.run(&format!("USE {database}; SELECT TOP (5) * FROM {schema}.{name}"));
            assert!(!text.contains("Msg "), "{database}.{schema}.{name}: {text}");
        }
    }
}

#[test]
fn ids_are_unique_and_not_those_of_procedures() {
    let views = names().map(|(schema, name)| id_of(schema, name));
    let functions = FUNCTIONS.iter().map(|name| id_of("sys", name));
    let procedures = crate::sysproc::all().map(|own| own.id.0);
    let mut all: Vec<i32> = views.chain(functions).chain(procedures).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn names_of_views_are_unique() {
    let mut all: Vec<String> = names().map(|(s, n)| format!("{s}.{n}").to_lowercase()).collect();
    all.sort();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}

/// `name type`, with a question mark if the column may be NULL, one line a column.
fn shape(session: &mut crate::testing::TestSession, view: &str) -> String {
    let answer = session.run(&format!("exec sp_describe_first_result_set N'SELECT * FROM {view}'"));
    let column = |line: &str| {
        let cells: Vec<&str> = line.split('|').collect();
        let unknown = if cells[3] == "1" { "?" } else { "" };
        format!("  {} {}{unknown}\n", cells[2], cells[5])
    };
    format!("{view}\n{}", rows(&answer).lines().map(column).collect::<String>())
}

#[test]
fn columns_are_those_of_sql_server() {
    let server = TestServer::new();
    let mut session = server.session();
    let mut views: Vec<String> = names().map(|(s, n)| format!("{s}.{n}")).collect();
    views.sort();
    let shapes: Vec<String> = views.iter().map(|view| shape(&mut session, view)).collect();
    let path = testkit::golden::file(env!("CARGO_MANIFEST_DIR"), "src/sysview/views.txt");
    testkit::golden::check(&path, &shapes.concat(), "\nsys.");
}

/// Queries of a server that has done nearly nothing, each with the rows that it returns.
const OF_A_NEW_SERVER: &[(&str, &str)] = &[
    (
        "select committed_target_kb, visible_target_kb from sys.dm_os_sys_info",
        "4194304|4194304",
    ),
    (
        "select cntr_value from sys.dm_os_performance_counters where counter_name = 'Target Server Memory (KB)'",
        "4194304",
    ),
    (
        "select cntr_value from sys.dm_os_performance_counters where counter_name = 'User Connections'",
        "1",
    ),
    (
        "select rtrim(counter_name), cntr_value from sys.dm_os_performance_counters
         where object_name = 'SQLServer:Buffer Manager' and counter_name in ('Page life expectancy', 'Database pages')
         order by 1",
        "Database pages|0\nPage life expectancy|0",
    ),
    (
        "select count(*), sum(cntr_value) from sys.dm_os_performance_counters
         where object_name = 'SQLServer:Buffer Manager' and counter_name like 'Extension %'",
        "8|0",
    ),
    (
        "select cntr_value from sys.dm_os_performance_counters
         where object_name = 'SQLServer:Latches' and counter_name = 'Latch Waits/sec'",
        "0",
    ),
    ("select sum(waiting_requests_count) from sys.dm_os_latch_stats", "NULL"),
];

#[test]
fn a_new_server_tells_of_its_memory_and_that_nothing_was_read() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table t (id int primary key); insert t values (1)");
    for (query, expected) in OF_A_NEW_SERVER {
        assert_eq!(rows(&session.run(query)), *expected, "{query}");
    }
}

#[test]
fn a_session_that_waits_for_a_row_is_shown_with_the_one_that_has_it() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d");
    session.run("use d; create table t (id int primary key, n int); insert t values (1, 0)");
    session.run("begin transaction; update t set n = 1");
    let instance = server.instance.clone();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        server.session().run("use d; update t set n = 2")
    });
    let query = "select request_session_id - @@spid, resource_type, request_mode, request_status, request_owner_type
         from sys.dm_tran_locks where resource_type = 'KEY' order by 1";
    let mut shown = String::new();
    wait_until("it waits", || {
        shown = rows(&session.run(query));
        shown.contains("WAIT")
    });
    assert_eq!(shown, "0|KEY|X|GRANT|TRANSACTION\n1|KEY|U|WAIT|TRANSACTION");
    let blocked =
        "select blocking_session_id - @@spid, status, wait_type, text from sys.dm_exec_requests
         cross apply sys.dm_exec_sql_text(sql_handle) where session_id <> @@spid";
    assert_eq!(rows(&session.run(blocked)), "0|suspended|LCK_M_U|use d; update t set n = 2");
    let processes =
        "select spid - @@spid, blocked - @@spid, rtrim(status), rtrim(lastwaittype) from sys.sysprocesses
         where spid = @@spid or blocked = @@spid order by 1 desc";
    let shown = rows(&session.run(processes));
    assert!(shown.starts_with("1|0|suspended|LCK_M_U\n0|"), "{shown}");
    assert!(shown.contains("|running|"), "{shown}");
    let transactions = "select count(*) from sys.dm_db_xtp_transactions where state_desc = 'ACTIVE' and session_id >= @@spid";
    assert_eq!(rows(&session.run(transactions)), "2");
    session.run("commit");
    assert!(waiting.join().unwrap().ends_with("(1 row)"));
}

#[test]
fn a_session_that_waits_for_a_time_is_suspended() {
    let server = TestServer::new();
    let mut session = server.session();
    let instance = server.instance.clone();
    let (send, receive) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        let mut session = server.session();
        send.send(session.session().interrupt().clone()).unwrap();
        session.run_interruptibly("waitfor delay '10:00'")
    });
    let interrupt = receive.recv().unwrap();
    let query = "select status, wait_type, command, blocking_session_id from sys.dm_exec_requests
         where session_id <> @@spid";
    let mut shown = String::new();
    wait_until("it waits", || {
        shown = rows(&session.run(query));
        shown.contains("|WAITFOR|")
    });
    assert_eq!(shown, "suspended|WAITFOR|WAITFOR|0");
    let listed = session.run("exec sp_who2 'active'");
    assert!(listed.contains("|SUSPENDED|"), "{listed}");
    interrupt.raise(Interrupted::Attention);
    assert_eq!(waiting.join().unwrap(), "");
}

#[test]
fn users_see_their_own_sessions_and_not_the_servers_state() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create login ann with password = 'Str0ng!Pass'");
    let mut ann = server.session_of("ann");
    let count = "select count(*) from sys.dm_exec_sessions";
    assert_eq!(rows(&session.run(count)), "2");
    assert_eq!(rows(&ann.run(count)), "1");
    let refused = "VIEW SERVER STATE permission was denied on object 'server', database 'master'.";
    assert!(ann.run("select * from sys.dm_tran_locks").ends_with(refused));
    assert!(ann.run("select * from sys.dm_db_partition_stats").contains("Msg 262, "));
    assert!(ann.run("select * from sys.dm_exec_sql_text(0x02)").contains("Msg 300, "));
    assert!(!ann.run("exec sp_spaceused").contains("Msg "));
    session.script("grant view server state to ann");
    assert_eq!(rows(&ann.run(count)), "2");
    assert_eq!(rows(&ann.run("select count(*) from sys.dm_db_xtp_object_stats")), "0");
}

#[test]
fn buffer_descriptors_say_whose_pages_are_in_memory() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d
go
use d
go
create table c (id int not null primary key, k int not null, note nvarchar(max) null, index ix_k (k))
go
create table h (id int not null)
go
insert c (id, k) select value, 10000 - value from generate_series(1, 10000)
go
insert c values (20000, 1, replicate(cast(N'x' as nvarchar(max)), 30000))
go
insert h select value from generate_series(1, 10)",
    );
    let count = "select count(*) from sys.dm_os_buffer_descriptors where database_id = db_id()";
    assert_eq!(rows(&session.run(count)), "0");
    let clerk =
        "select pages_kb from sys.dm_os_memory_clerks where type = 'MEMORYCLERK_SQLBUFFERPOOL'";
    let unused = rows(&session.run(clerk)).parse::<i64>().unwrap();
    server.sink();
    let used = rows(&session.run(clerk)).parse::<i64>().unwrap();
    let pages = rows(&session.run(count)).parse::<i64>().unwrap();
    assert!(pages > 20 && used >= unused && used >= 8 * pages, "{used} KB, {pages} pages");
    let by_index = "select object_name(p.object_id) as name, p.index_id, b.page_type, min(b.page_level) as low,
            max(b.page_level) as high, sum(b.row_count) as rows, max(cast(b.is_modified as int)) as modified
        from sys.dm_os_buffer_descriptors b
        join sys.allocation_units a on a.allocation_unit_id = b.allocation_unit_id
        join sys.partitions p on p.hobt_id = a.container_id
        where b.database_id = db_id() and (b.page_type <> 'INDEX_PAGE' or b.page_level = 0)
        group by p.object_id, p.index_id, b.page_type order by 1, 2, 3";
    let expected = |modified: u8| {
        format!(
            "c|1|DATA_PAGE|0|0|10001|{modified}\nc|1|TEXT_MIX_PAGE|0|0|8|{modified}\n\
             c|2|INDEX_PAGE|0|0|10001|{modified}\nh|0|DATA_PAGE|0|0|10|{modified}"
        )
    };
    assert_eq!(rows(&session.run(by_index)), expected(1));
    let places =
        "select count(*), count(page_id), count(distinct page_id), min(file_id), max(file_id),
            sum(case when free_space_in_bytes between 0 and 8192 then 0 else 1 end)
        from sys.dm_os_buffer_descriptors where database_id = db_id()";
    let unplaced = rows(&session.run(places));
    let unplaced = unplaced.lines().next().expect("there is a row"); // a warning of NULL follows
    assert!(unplaced.ends_with("|0|0|NULL|NULL|0"), "nothing is on disk yet: {unplaced}");
    session.run("checkpoint");
    assert_eq!(rows(&session.run(by_index)), expected(0));
    let placed = rows(&session.run(places));
    let placed: Vec<&str> = placed.split('|').collect();
    assert!(placed[0] == placed[1] && placed[1] == placed[2], "{placed:?}");
    assert_eq!(placed[3..], ["1", "1", "0"]);
    // Pages of long values are not among those in the row.
    let in_memory = "select count(*) from sys.dm_os_buffer_descriptors b
        join sys.allocation_units a on a.allocation_unit_id = b.allocation_unit_id
        join sys.partitions p on p.hobt_id = a.container_id
        where p.object_id = object_id('c') and p.index_id = 1 and b.page_type <> 'TEXT_MIX_PAGE'";
    let used = "select in_row_used_page_count from sys.dm_db_partition_stats
        where object_id = object_id('c') and index_id = 1";
    let pages = |answer: String| rows(&answer).parse::<i64>().unwrap();
    let (in_memory, used) = (pages(session.run(in_memory)), pages(session.run(used)));
    // Beside pages there is what the table has kept of its memory.
    assert!((in_memory..in_memory + 100).contains(&used) && in_memory > 20, "{used}, {in_memory}");
    session.run("dbcc dropcleanbuffers");
    assert_eq!(rows(&session.run(count)), "0");
}

const IN_MEMORY: &str = "
create database d
go
alter database d add filegroup f contains memory_optimized_data
go
alter database d add file (name = 'f', filename = 'f') to filegroup f
go
use d
go
create table m (id int not null primary key nonclustered hash with (bucket_count = 1000), k int not null,
  note varchar(100) not null, index ix_k (k)) with (memory_optimized = on)
go
insert m select value, value, replicate('x', 100) from generate_series(1, 2000)";

#[test]
fn the_collector_tells_what_it_has_freed() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(IN_MEMORY);
    server.reclaim();
    let number = |text: String| rows(&text).parse::<i64>().unwrap();
    let examined = "select rows_examined from sys.dm_xtp_gc_stats";
    let before = number(session.run(examined));
    session.run("delete m where id > 500");
    // What is replaced first is part of the row, and stays.
    session.run("update m set note = 'y' where id <= 100; update m set note = 'z' where id <= 100");
    let waiting = "select sum(current_queue_depth) from sys.dm_xtp_gc_queue_stats";
    let (waits, freed) = (number(session.run(waiting)), number(session.run(examined)) - before);
    assert_eq!(waits + freed, 1600, "deleted rows and old versions");
    server.reclaim();
    assert_eq!(number(session.run(waiting)), 0);
    assert_eq!(number(session.run(examined)) - before, 1600);
    let shares =
        "select rows_examined - parallel_assist_count - idle_worker_count from sys.dm_xtp_gc_stats";
    assert_eq!(number(session.run(shares)), 0);
    let queues = "select sum(total_dequeues) - sum(total_enqueues) + sum(current_queue_depth),
            sum(total_dequeues) - (select rows_examined from sys.dm_xtp_gc_stats),
            case when max(maximum_queue_depth) >= 1000 then 1 else 0 end
        from sys.dm_xtp_gc_queue_stats";
    assert_eq!(rows(&session.run(queues)), "0|0|1");
    let indexes =
        "select object_name(object_id), index_id, rows_expired, rows_expired_removed, phantom_scans_retries
        from sys.dm_db_xtp_index_stats order by 2";
    assert_eq!(rows(&session.run(indexes)), "m|2|1500|1500|NULL\nm|3|1500|1500|NULL");
}

/// What one row of an answer says.
fn one(session: &mut crate::testing::TestSession<'_>, columns: &str, from: &str) -> String {
    rows(&session.run(&format!("select {columns} from {from}")))
}

#[test]
fn rows_that_were_to_be_written_are_counted_whatever_became_of_them() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(IN_MEMORY);
    let stats = "sys.dm_db_xtp_object_stats";
    let columns = "row_insert_attempts, row_update_attempts, row_delete_attempts, write_conflicts, \
                   unique_constraint_violations, case when object_address is not null then 1 end";
    let before = one(&mut session, columns, stats);
    let numbers: Vec<i64> = before.split('|').map(|n| n.parse().unwrap()).collect();
    let [inserts, updates, deletes, conflicts, duplicates, 1] = numbers[..] else {
        panic!("{before}")
    };
    session.run("insert m select value, value, 'x' from generate_series(10001, 10010)");
    session.run("update m set note = 'a' where id between 10001 and 10004");
    // A key: the row moves, and is one update.
    session.run("update m set id = 20001 where id = 10001");
    session.run("delete m where id = 20001");
    let mut expected = [inserts + 10, updates + 5, deletes + 1, conflicts, duplicates, 1];
    let shown = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>().join("|");
    assert_eq!(one(&mut session, columns, stats), shown(&expected));
    // What is taken back was tried, and what is refused.
    session.run("begin tran insert m values (30001, 0, 'x') update m with (snapshot) set note = 'b' where id = 10002 rollback");
    assert!(session.run("insert m values (10002, 0, 'x')").contains("Msg 2627, "));
    assert!(session.run("update m set id = 10002 where id = 10003").contains("Msg 2627, "));
    expected[0] += 2;
    expected[1] += 2;
    expected[4] += 2;
    assert_eq!(one(&mut session, columns, stats), shown(&expected));
    let mut other = server.session();
    other.run("use d");
    session.run("begin tran delete m with (snapshot) where id = 10002");
    assert_eq!(one(&mut session, columns, stats), shown(&expected), "it is not over");
    assert!(
        other
            .run("update m with (snapshot) set note = 'c' where id = 10002")
            .contains("Msg 41302, ")
    );
    session.run("commit");
    expected[1] += 1;
    expected[2] += 1;
    expected[3] += 1;
    assert_eq!(one(&mut session, columns, stats), shown(&expected));
}

#[test]
fn transactions_in_progress_tell_what_they_have_read_and_written() {
    let server = TestServer::new();
    let (mut session, mut other) = (server.session(), server.session());
    session.script(IN_MEMORY);
    other.run("use d");
    let look = "select read_set_row_count, write_set_row_count, scan_set_count, savepoint_garbage_count, \
                case when log_bytes_required > 0 then 1 else 0 end, case when allocated_bytes > 0 then 1 else 0 end, \
                last_error, is_prepared, is_speculative, commit_dependency_count, state_desc, result_desc \
                from sys.dm_db_xtp_transactions where session_id > 50 and write_set_row_count > 0";
    session.run("begin tran");
    session.run("insert m values (30001, 0, 'x'), (30002, 0, 'x'), (30003, 0, 'x')");
    assert_eq!(rows(&other.run(look)), "0|3|0|0|1|1|0|0|0|0|ACTIVE|IN PROGRESS");
    session.run("select count(*) from m with (repeatableread) where k between 1 and 5");
    session.run("select count(*) from m with (serializable) where k between 6 and 8");
    session.run("save tran s");
    session.run("delete m with (snapshot) where id in (30001, 30002)");
    session.run("rollback tran s");
    session.run("declare @n int = (select count(*) from m with (snapshot) where id = 1)");
    assert_eq!(rows(&other.run(look)), "5|3|1|2|1|1|0|0|0|0|ACTIVE|IN PROGRESS");
    session.run("rollback");
    assert_eq!(rows(&other.run(look)), "");
}

#[test]
fn how_full_files_and_logs_are_is_told() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\ncreate login ann with password = 'Str0ng!Pass'");
    session.run("use d; create table t (id int primary key, filler char(4000))");
    // Meanwhile a thread may prepare a segment of the log, whose room does not count at once.
    let used = |session: &mut TestSession<'_>| -> i64 {
        let answer = session.run("select used_log_space_in_bytes from sys.dm_db_log_space_usage");
        rows(&answer).parse().unwrap()
    };
    wait_until("what is written is in the log", || {
        let before = used(&mut session);
        session.run(
            "insert t select isnull((select max(id) from t), 0) + value, 'x' from generate_series(1, 20)",
        );
        used(&mut session) - before >= 20 * 4000
    });
    let makes_sense = "select count(*) from sys.dm_db_log_space_usage where database_id = db_id()
          and used_log_space_in_bytes < total_log_size_in_bytes and log_space_in_bytes_since_last_backup >= 0
          and abs(used_log_space_in_percent - 100.0 * used_log_space_in_bytes / total_log_size_in_bytes) < 0.01";
    wait_until("how full the log is", || rows(&session.run(makes_sense)) == "1");
    let files = "select db_name(u.database_id), f.name, u.filegroup_id, iif(f.size = u.total_page_count, 'same', 'other'),
            u.total_page_count - u.allocated_extent_page_count - u.unallocated_extent_page_count,
            iif(u.user_object_reserved_page_count >= 10, 'some', 'few')
          from sys.dm_db_file_space_usage u join sys.database_files f on f.file_id = u.file_id";
    wait_until("how full the file is", || rows(&session.run(files)) == "d|d|1|same|0|some");
    let view = "select total_log_size_in_bytes / 1048576e0 from sys.dm_db_log_space_usage";
    wait_until("the command and the view tell the same", || {
        let told = session.run("dbcc sqlperf (logspace)");
        assert!(
            told.starts_with("Database Name|Log Size (MB)|Log Space Used (%)|Status\n"),
            "{told}"
        );
        let of_d: Vec<&str> =
            told.lines().find(|line| line.starts_with("d|")).unwrap().split('|').collect();
        let megabytes: f64 = rows(&session.run(view)).parse().unwrap();
        assert!(of_d[2].parse::<f64>().unwrap() > 0.0 && of_d[3] == "0", "{told}");
        (of_d[1].parse::<f64>().unwrap() - megabytes).abs() < 0.1
    });
    assert!(session.run("dbcc sqlperf (nonsense)").contains("Msg 2560, "));
    let mut ann = server.session_of("ann");
    assert!(ann.run("dbcc sqlperf (logspace)").contains("Msg 297, "));
    assert!(ann.run("select * from sys.dm_db_log_space_usage").contains("Msg 300, "));
}

#[test]
fn what_was_read_and_written_is_counted_by_file() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\ncreate login ann with password = 'Str0ng!Pass'");
    session.run("use d; create table t (id int primary key, filler char(4000))");
    let counts = |session: &mut TestSession<'_>| {
        let query =
            "select num_of_reads, num_of_bytes_read, num_of_writes, num_of_bytes_written, io_stall,
              size_on_disk_bytes from sys.dm_io_virtual_file_stats(db_id(), null) order by file_id";
        let told = rows(&session.run(query));
        let row = |line: &str| line.split('|').map(|v| v.parse().unwrap()).collect::<Vec<i64>>();
        told.lines().map(row).collect::<Vec<_>>()
    };
    let before = counts(&mut session);
    session.run("insert t select value, 'x' from generate_series(1, 100)");
    let after = counts(&mut session);
    assert!(after[1][3] - before[1][3] >= 100 * 4000, "the log: {before:?} {after:?}");
    assert!(after[1][2] > before[1][2], "{before:?} {after:?}");
    assert_eq!(after[1][5] % 4096, 0);
    assert_eq!(after[0], before[0], "nothing has sunk");
    server.sink();
    session.run("checkpoint");
    let sunk = counts(&mut session);
    assert!(sunk[0][3] >= 100 * 4000 && sunk[0][2] > 0, "{sunk:?}");
    assert!(sunk[0][5] >= 100 * 4000, "{sunk:?}");
    let waits =
        "select waiting_tasks_count from sys.dm_os_wait_stats where wait_type = 'PAGEIOLATCH_SH'";
    let waits = |session: &mut TestSession<'_>| rows(&session.run(waits)).parse::<i64>().unwrap();
    let waited = waits(&mut session);
    session.run("declare @n int = (select count(filler) from t)");
    assert_eq!(waits(&mut session), waited, "all pages are in memory");
    session.run("dbcc dropcleanbuffers; declare @n int = (select count(filler) from t)");
    assert!(waits(&mut session) > waited);
    let read = counts(&mut session);
    assert!(read[0][1] - sunk[0][1] >= 100 * 4000, "{sunk:?} {read:?}");
    assert_eq!(read[0][2..4], sunk[0][2..4], "reading writes nothing");
    let all = "select count(*) from sys.databases d where not exists
         (select * from sys.dm_io_virtual_file_stats(null, 1) s where s.database_id = d.database_id)";
    assert_eq!(rows(&session.run(all)), "0");
    let one = "select count(*), min(file_id) from sys.dm_io_virtual_file_stats(db_id('d'), 2)";
    assert_eq!(rows(&session.run(one)), "1|2");
    let mut ann = server.session_of("ann");
    assert!(ann.run("select * from sys.dm_io_virtual_file_stats(1, 1)").contains("Msg 300, "));
}

#[test]
fn trees_of_disk_tables_are_measured() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d\ngo\ncreate login ann with password = 'Str0ng!Pass'\ngo
alter database d add filegroup m contains memory_optimized_data\ngo
alter database d add file (name = m, filename = '/m') to filegroup m",
    );
    session.run("use d; create table t (id int primary key, k int, filler char(2000))");
    session.run("create index k on t (k); create table heap (a int)");
    session.run("create table m (id int primary key nonclustered) with (memory_optimized = on)");
    session.run(
        "insert t select value, -value, 'x' from generate_series(1, 400); insert heap values (1)",
    );
    let limited = "select object_name(object_id), index_id, index_type_desc, index_depth, index_level,
          page_count, iif(fragment_count between 1 and page_count, 'some', 'none'), record_count, avg_page_space_used_in_percent
        from sys.dm_db_index_physical_stats(db_id(), null, null, null, null) order by 1 desc, 2";
    let in_memory = "t|1|CLUSTERED INDEX|0|0|0|none|NULL|NULL\nt|2|NONCLUSTERED INDEX|0|0|0|none|NULL|NULL\nheap|0|HEAP|0|0|0|none|NULL|NULL";
    assert_eq!(rows(&session.run(limited)), in_memory);
    server.sink();
    session.run("checkpoint");
    let sunk = rows(&session.run(limited));
    // Three rows fit into a page.
    assert!(
        sunk.starts_with("t|1|CLUSTERED INDEX|2|0|134|some|NULL|NULL\nt|2|NONCLUSTERED INDEX|"),
        "{sunk}"
    );
    assert!(sunk.ends_with("heap|0|HEAP|1|0|1|some|NULL|NULL"), "{sunk}");
    let detailed = "select record_count, iif(avg_page_space_used_in_percent between 60 and 100, 'full', 'empty'),
          iif(avg_record_size_in_bytes between 2000 and 2100, 'sound', 'odd'), iif(s.hobt_id = p.partition_id, 'same', 'other')
        from sys.dm_db_index_physical_stats(db_id('d'), object_id('t'), 1, 1, 'DETAILED') s
        join sys.partitions p on p.object_id = object_id('t') and p.index_id = 1";
    let detailed = session.run(detailed);
    assert_eq!(rows(&detailed), "400|full|sound|same", "{detailed}");
    let order =
        "select iif(avg_fragmentation_in_percent = (fragment_count - 1) * 100e0 / page_count
           and avg_fragment_size_in_pages = page_count * 1e0 / fragment_count, 'right', 'wrong')
        from sys.dm_db_index_physical_stats(db_id(), object_id('t'), 1, null, 'limited')";
    assert_eq!(rows(&session.run(order)), "right");
    assert!(
        session
            .run("select * from sys.dm_db_index_physical_stats(null, null, null, null, 'odd')")
            .contains("Msg 2560, ")
    );
    let of_t =
        "select count(*) from sys.dm_db_index_physical_stats(db_id('d'), 1, null, null, null)";
    assert!(server.session_of("ann").run(of_t).contains("Msg 262, "));
}

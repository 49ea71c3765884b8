//! Every view can be read.

use engine::wait::Interrupted;
use env::sim::wait_until;

use super::*;
use crate::testing::{TestServer, TestSession};

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

/// The rows of an answer, without the heading and the count.
fn rows(answer: &str) -> String {
    let is_count = |line: &str| line.ends_with(" rows)") || line == "(1 row)";
    let lines: Vec<&str> = answer.lines().skip(1).filter(|line| !is_count(line)).collect();
    lines.join("\n")
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

const SCHEMA: &str = "
create schema s
go
create type s.code from varchar(10) not null
go
create table p (id int not null constraint PK_p primary key, code s.code, note nvarchar(max) null)
go
create table c (id int identity, p int null constraint FK_c references p (id) on delete cascade,
  amount decimal(10, 2) constraint DF_c default 1, constraint CK_c check (amount > 0))
go
create index IX_c on c (p desc) include (amount)
go
create view v as select id, note from p
go
create procedure q @a nvarchar(20), @b int output as select @b = 1
go
create function f (@a int) returns table as return select id, code from p where id = @a
go
insert p values (1, 'a', null), (2, 'b', 'x')
go
insert c (p) values (1), (1), (2)";

/// Queries, each with the rows that it returns.
const CONTENTS: &[(&str, &str)] = &[
    (
        "select i.name, s.row_count from sys.dm_db_partition_stats s join sys.indexes i
         on i.object_id = s.object_id and i.index_id = s.index_id order by s.object_id, i.index_id",
        "PK_p|2\nNULL|3\nIX_c|3",
    ),
    (
        "select count(*) from sys.allocation_units a join sys.partitions p on p.hobt_id = a.container_id
         where a.total_pages >= a.used_pages and a.used_pages >= a.data_pages and a.data_pages > 0",
        "3",
    ),
    (
        "select column_name, data_type, character_maximum_length, numeric_precision, domain_schema, domain_name
         from information_schema.columns order by table_name, ordinal_position",
        "id|int|NULL|10|NULL|NULL
p|int|NULL|10|NULL|NULL
amount|decimal|NULL|10|NULL|NULL
id|int|NULL|10|NULL|NULL
code|varchar|10|NULL|s|code
note|nvarchar|-1|NULL|NULL|NULL
id|int|NULL|10|NULL|NULL
note|nvarchar|-1|NULL|NULL|NULL",
    ),
    (
        "select table_name, column_name, data_type from information_schema.routine_columns order by 2",
        "f|code|varchar\nf|id|int",
    ),
    ("select view_name, table_schema, table_name from information_schema.view_table_usage", "v|dbo|p"),
    (
        "select domain_name, data_type, character_octet_length from information_schema.domains",
        "code|varchar|10",
    ),
    ("select table_name, column_name from information_schema.column_domain_usage", "p|code"),
    (
        "select parameter_name, parameter_mode, data_type, character_octet_length
         from information_schema.parameters where specific_name = 'q' order by ordinal_position",
        "@a|IN|nvarchar|40\n@b|INOUT|int|NULL",
    ),
    (
        "select routine_type, data_type, max_dynamic_result_sets from information_schema.routines order by 1",
        "FUNCTION|TABLE|0\nPROCEDURE|NULL|-1",
    ),
    (
        "select object_name(object_id('sys.objects')), object_schema_name(object_id('INFORMATION_SCHEMA.TABLES')),
         objectproperty(object_id('sys.all_views'), 'IsView'), left(object_definition(object_id('sys.all_views')), 25)",
        "objects|INFORMATION_SCHEMA|1|CREATE VIEW sys.all_views",
    ),
    (
        "select count(*) from sys.system_views v full join (select * from sys.all_objects
         where type = 'V' and is_ms_shipped = 1) o on o.object_id = v.object_id where v.name is null or o.name is null",
        "0",
    ),
    ("select rows from sysindexes where id = object_id('c') and indid < 2", "3"),
    ("select colid, left(text, 16) from syscomments where id = object_id('v')", "1|create view v as"),
    ("select text from syscomments where id = object_id('CK_c')", "([amount]>(0))"),
    ("select name, sysadmin, dbcreator from syslogins where name = 'sa'", "sa|1|0"),
    ("select name, seed_value, is_computed from sys.identity_columns", "id|1|0"),
    (
        "select type from sys.all_objects where object_id = object_id('sys.fn_helpcollations')",
        "IF",
    ),
    (
        "select name, type from sys.all_objects where object_id = object_id('sp_help')",
        "sp_help|P ",
    ),
    (
        "select c.name from sys.all_columns c where c.object_id = object_id('sys.schemas') order by column_id",
        "name\nschema_id\nprincipal_id",
    ),
    ("select text from sys.dm_exec_requests r cross apply sys.dm_exec_sql_text(r.sql_handle)", ""),
    ("select current_utc_offset from sys.time_zone_info where name = 'India Standard Time'", "+05:30"),
    ("select count(*) from sys.dm_os_memory_clerks where type = 'MEMORYCLERK_XTP' and name = 'DB_ID_2'", "1"),
    (
        "select committed_target_kb, visible_target_kb from sys.dm_os_sys_info",
        "4194304|4194304",
    ),
    (
        "select cntr_value from sys.dm_os_performance_counters where counter_name = 'Target Server Memory (KB)'",
        "4194304",
    ),
    (
        "select locked_page_allocations_kb, process_physical_memory_low from sys.dm_os_process_memory",
        "0|0",
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
    (
        "select 1 from sys.dm_os_performance_counters where counter_name = 'Target pages' and cntr_value > 0",
        "1",
    ),
];

#[test]
fn views_show_what_was_created() {
    let server = TestServer::new();
    let mut session = server.session();
    assert_eq!(session.script("create database d"), "");
    session.run("use d");
    session.script(SCHEMA);
    for (query, expected) in CONTENTS {
        let answer = session.run(query);
        // A request that asks for texts finds its own.
        let expected = if expected.is_empty() { query } else { expected };
        assert_eq!(rows(&answer), *expected, "{query}");
    }
}

#[test]
fn locks_show_the_session_in_a_database_and_what_it_has() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d");
    session.run("use d; exec sp_getapplock 'x', 'Exclusive', 'Session'");
    let answer = session.run(
        "select resource_type, db_name(resource_database_id), request_mode, request_status, request_owner_type
         from sys.dm_tran_locks where request_session_id = @@spid order by 1",
    );
    let expected = "APPLICATION|d|X|GRANT|SESSION\nDATABASE|d|S|GRANT|SHARED_TRANSACTION_WORKSPACE";
    assert_eq!(rows(&answer), expected);
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
fn memory_consumers_add_up_to_what_tables_and_indexes_use() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(IN_MEMORY);
    let consumers = "select memory_consumer_id, memory_consumer_type, memory_consumer_type_desc,
            memory_consumer_desc, index_id
        from sys.dm_db_xtp_memory_consumers where object_id = object_id('m') order by index_id";
    let expected =
        "1|2|VARHEAP|Table heap|NULL\n2|3|HASH|Hash index|2\n3|2|VARHEAP|Range index heap|3";
    assert_eq!(rows(&session.run(consumers)), expected);
    let sums = "select count(*) from sys.dm_db_xtp_table_memory_stats t
        join (select object_id, sum(case when index_id is null then allocated_bytes else 0 end) as rows,
            sum(case when index_id is null then used_bytes else 0 end) as used_rows,
            sum(case when index_id is null then 0 else allocated_bytes end) as indexes,
            sum(case when index_id is null then 0 else used_bytes end) as used_indexes
            from sys.dm_db_xtp_memory_consumers group by object_id) c on c.object_id = t.object_id
        where (c.rows + 1023) / 1024 = t.memory_allocated_for_table_kb
        and (c.used_rows + 1023) / 1024 = t.memory_used_by_table_kb
        and (c.indexes + 1023) / 1024 = t.memory_allocated_for_indexes_kb
        and (c.used_indexes + 1023) / 1024 = t.memory_used_by_indexes_kb and t.memory_used_by_table_kb > 200";
    assert_eq!(rows(&session.run(sums)), "1");
    let system = "select memory_consumer_type_desc, memory_consumer_desc from sys.dm_xtp_system_memory_consumers
        where allocated_bytes > 0 and (used_bytes <= allocated_bytes or used_bytes is null) order by 2";
    let found = rows(&session.run(system)).replace("VARHEAP|Garbage collection queues\n", "");
    assert_eq!(found, "PGPOOL|Log buffers\nLOOKASIDE|Transactions");
}

#[test]
fn buckets_are_counted_and_rows_of_a_key_are_a_chain() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(IN_MEMORY);
    session.script(
        "create table one (id int not null primary key nonclustered, k int not null index i hash with (bucket_count = 64),
            n int not null index j hash with (bucket_count = 8)) with (memory_optimized = on)
        go
        insert one select value, 7, value % 100 from generate_series(1, 500)",
    );
    let chains = |table: &str| {
        format!(
            "select index_id, total_bucket_count, empty_bucket_count, avg_chain_length, max_chain_length
            from sys.dm_db_xtp_hash_index_stats where object_id = object_id('{table}') order by 1"
        )
    };
    let one = rows(&session.run(&chains("one")));
    let (first, second) = one.split_once('\n').expect("two indexes");
    assert_eq!(first, "3|64|63|500|500", "one key");
    // A hundred keys, so that there are more buckets than were asked for.
    let second: Vec<i64> = second.split('|').map(|n| n.parse().unwrap()).collect();
    let [4, buckets, empty, average, longest] = second[..] else { panic!("{second:?}") };
    assert!((64..=256).contains(&buckets), "{second:?}");
    // As documented: rows by buckets that have some.
    assert_eq!(average, 500 / (buckets - empty), "{second:?}");
    assert!(longest % 5 == 0 && longest >= average, "{second:?}");
    // Chains of an index that is unique.
    let unique = rows(&session.run(&chains("m")));
    let unique: Vec<i64> = unique.split('|').map(|n| n.parse().unwrap()).collect();
    let [2, buckets, empty, average, longest] = unique[..] else { panic!("{unique:?}") };
    assert!(buckets & (buckets - 1) == 0 && buckets >= 1024, "{unique:?}");
    assert!(
        empty > 0 && average == 2000 / (buckets - empty) && (2..20).contains(&longest),
        "{unique:?}"
    );
}

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
fn searches_and_scans_of_indexes_are_counted() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(
        "create database d
go
alter database d add filegroup m contains memory_optimized_data
go
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
use d
go
create table s (h int not null primary key nonclustered hash with (bucket_count = 64), r int not null index r)
with (memory_optimized = on)
go
insert s select value, value from generate_series(1, 1000)",
    );
    let read = |session: &mut crate::testing::TestSession<'_>| -> Vec<Vec<i64>> {
        let columns = "scans_started, scans_retries, rows_returned, rows_touched, rows_expiring, \
                       phantom_scans_started, phantom_rows_touched";
        let answer = one(session, columns, "sys.dm_db_xtp_index_stats order by index_id");
        let numbers = |line: &str| line.split('|').map(|n| n.parse().unwrap()).collect();
        answer.lines().map(numbers).collect()
    };
    let mut run = |text: &str| {
        let before = read(&mut session);
        let answer = session.run(text);
        assert!(!answer.contains("Msg "), "{answer}");
        let after = read(&mut session);
        let less = |(after, before): (&Vec<i64>, &Vec<i64>)| -> Vec<i64> {
            after.iter().zip(before).map(|(after, before)| after - before).collect()
        };
        after.iter().zip(&before).map(less).collect::<Vec<_>>()
    };
    const NOTHING: [i64; 7] = [0; 7];
    assert_eq!(run("select r from s where h = 7"), [vec![1, 0, 1, 1, 0, 0, 0], NOTHING.to_vec()]);
    assert_eq!(
        run("select r from s where h = 7000"),
        [vec![1, 0, 0, 0, 0, 0, 0], NOTHING.to_vec()]
    );
    assert_eq!(
        run("select h from s where r between 101 and 400"),
        [NOTHING.to_vec(), vec![1, 0, 300, 300, 0, 0, 0]]
    );
    // Two statements, and what the commit looks through again for the first.
    let serializable = "begin tran \
        select h from s with (serializable) where r between 1 and 10 \
        update s with (snapshot) set r = -1 where h = 500 \
        commit";
    assert_eq!(run(serializable), [vec![1, 0, 1, 1, 0, 0, 0], vec![1, 0, 10, 10, 0, 1, 10]]);
    // Rows that are gone are still in the index.
    run("delete s where h between 1 and 20 or h = 500");
    let found = run("select h from s where r between 1 and 100");
    assert_eq!((found[1][0], found[1][2]), (1, 80));
    assert_eq!(found[1][3], 80 + found[1][4], "{found:?}");
}

#[test]
fn a_range_index_tells_what_happens_to_its_pages() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script(IN_MEMORY);
    session.run("insert m select value, value, 'x' from generate_series(10001, 20000)");
    let view = "sys.dm_db_xtp_nonclustered_index_stats where index_id = (select max(index_id) from \
                sys.dm_db_xtp_nonclustered_index_stats)";
    let rows_now = one(&mut session, "count(*)", "m").parse::<i64>().unwrap();
    let removed = one(&mut session, "max(rows_expired_removed)", "sys.dm_db_xtp_index_stats");
    let updates = rows_now + 2 * removed.parse::<i64>().unwrap();
    let shown = one(
        &mut session,
        "page_update_count, page_update_retry_count, page_split_retry_count, page_merge_retry_count, delta_pages, \
         case when page_split_count > 0 and leaf_pages > 1 and internal_pages > 0 then 1 end, \
         case when outstanding_retired_nodes between 0 and page_split_count + 2 * page_merge_count + 1 then 1 end, \
         page_consolidation_count, page_consolidation_retry_count, key_split_count, key_merge_count",
        view,
    );
    assert_eq!(shown, format!("{updates}|0|0|0|0|1|1|0|0|NULL|NULL"));
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
    let used = "select used_log_space_in_bytes from sys.dm_db_log_space_usage";
    let before: i64 = rows(&session.run(used)).parse().unwrap();
    session.run("insert t select value, 'x' from generate_series(1, 20)");
    let after: i64 = rows(&session.run(used)).parse().unwrap();
    assert!(after - before >= 20 * 4000, "{before} {after}");
    let makes_sense = "select count(*) from sys.dm_db_log_space_usage where database_id = db_id()
          and used_log_space_in_bytes < total_log_size_in_bytes and log_space_in_bytes_since_last_backup >= 0
          and abs(used_log_space_in_percent - 100.0 * used_log_space_in_bytes / total_log_size_in_bytes) < 0.01";
    assert_eq!(rows(&session.run(makes_sense)), "1");
    let files = "select db_name(u.database_id), f.name, u.filegroup_id, iif(f.size = u.total_page_count, 'same', 'other'),
            u.total_page_count - u.allocated_extent_page_count - u.unallocated_extent_page_count,
            iif(u.user_object_reserved_page_count >= 10, 'some', 'few')
          from sys.dm_db_file_space_usage u join sys.database_files f on f.file_id = u.file_id";
    assert_eq!(rows(&session.run(files)), "d|d|1|same|0|some");
    let told = session.run("dbcc sqlperf (logspace)");
    assert!(told.starts_with("Database Name|Log Size (MB)|Log Space Used (%)|Status\n"), "{told}");
    let of_d: Vec<&str> =
        told.lines().find(|line| line.starts_with("d|")).unwrap().split('|').collect();
    let view = "select total_log_size_in_bytes / 1048576e0 from sys.dm_db_log_space_usage";
    let megabytes: f64 = rows(&session.run(view)).parse().unwrap();
    assert!((of_d[1].parse::<f64>().unwrap() - megabytes).abs() < 0.1, "{told}");
    assert!(of_d[2].parse::<f64>().unwrap() > 0.0 && of_d[3] == "0", "{told}");
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

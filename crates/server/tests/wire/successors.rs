//! Tables that get another storage at once, and are larger than memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir, wait_until_sunk};

const FLAGS: [&str; 4] = ["--max-memory", "40MB", "--disk-table-memory", "2MB"];
/// Disk tables sink beyond this, as the flags say.
const DISK_TABLES_KB: i64 = 2 << 10;
/// What pages may take with all the rest.
const LIMIT: &str = "exec sp_configure 'show advanced options', 1; reconfigure; \
                     exec sp_configure 'max server memory (MB)', 160; reconfigure";
/// Rows of about 200 bytes; in memory, with two indexes, they would take about twice as much: more
/// than is allowed.
const ROWS: i64 = 150_000;
const PART: i64 = 10_000;
/// What the process may take in all, a log whose chunks are held until their transaction ends and
/// an unoptimized program included.
const MEMORY_MAX: u64 = 240 << 20;

fn number(connection: &mut Connection, text: &str) -> i64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(number) => number,
        ref other => panic!("{other:?}"),
    }
}

/// The number of the error that a batch fails with.
fn refusal(connection: &mut Connection, text: &str) -> i32 {
    let error = connection.execute(text).unwrap_err();
    error.server_message().expect("the server says why").error.number()
}

fn connect(server: &Process) -> Connection {
    Connection::connect(&server.options()).unwrap()
}

/// A table that has sunk, but for little.
fn fill(connection: &mut Connection) {
    connection
        .execute("create table t (id int not null primary key, n int not null, v varchar(200))")
        .unwrap();
    for from in (0..ROWS).step_by(PART as usize) {
        let to = from + PART - 1;
        let text = format!(
            "insert t select value, (value * cast(7919 as bigint)) % {ROWS}, \
             replicate(char(97 + value % 26), 180) from generate_series({from}, {to})"
        );
        connection.execute(&text).unwrap();
    }
    connection.execute("checkpoint").unwrap();
    wait_until_sunk(connection, 2 * DISK_TABLES_KB);
    connection.execute("checkpoint").unwrap();
}

/// Runs a function and returns the most memory that the process took meanwhile.
fn most_memory(server: &Process, run: impl FnOnce()) -> u64 {
    let (most, over) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Relaxed) {
                most.fetch_max(server.memory(), Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        run();
        over.store(true, Relaxed);
    });
    most.load(Relaxed)
}

const SUM: &str = "select sum(cast(n as bigint) * id % 1000003) from t";

#[test]
fn a_load_finds_its_way_where_rows_that_stay_have_taken_most_of_memory() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    for text in [
        "create database d",
        "alter database d add filegroup f contains memory_optimized_data",
        "alter database d add file (name = 'f', filename = 'f') to filegroup f",
        "use d",
        "create table m (id int not null primary key nonclustered, v varchar(200)) with (memory_optimized = on)",
        "insert m select value, replicate('m', 180) from generate_series(1, 140000)",
        "create table t (id int not null primary key, v varchar(200))",
        "insert t select value, replicate('t', 180) from generate_series(1, 60000)",
    ] {
        connection.execute(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    assert_eq!(
        number(&mut connection, "select count(*) + (select count(*) from m) from t"),
        200_000
    );
}

#[test]
fn indexes_of_a_table_that_has_sunk_are_built_in_little_memory() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill(&mut connection);
    connection.execute(LIMIT).unwrap();
    let (sum, before) = (number(&mut connection, SUM), server.memory());
    let most = most_memory(&server, || {
        connection.execute("create unique index ix on t (n) include (v)").unwrap();
    });
    println!("{} MB, then at most {} MB", before >> 20, most >> 20);
    assert!(most < MEMORY_MAX, "{most} bytes of memory");
    let by_index = "select count(*) from t with (index(ix)) where n between 10 and 1009";
    let found = number(&mut connection, by_index);
    assert_eq!(found, 1000);
    // One that is not unique is refused, and leaves the table as it was.
    connection.execute(&format!("update t set v = 'twice' where id in (5, {})", ROWS - 5)).unwrap();
    assert_eq!(refusal(&mut connection, "create unique index twice on t (v)"), 1505);
    connection.execute("begin tran; alter table t add extra int; rollback").unwrap();
    assert_eq!(number(&mut connection, SUM), sum);
    // In the transaction that made it the new storage is a table as any other.
    connection
        .execute(
            "begin tran; create index by_v on t (v); delete t where id = 7; \
             insert t values (7, 7 * 7919, 'again'); update t set n = n where id < 100; commit",
        )
        .unwrap();
    assert_eq!(number(&mut connection, SUM), sum);
    server.kill();

    let server = Process::start(dir.path(), &FLAGS);
    assert!(server.memory() < 200 << 20, "the rows are in pages");
    let mut connection = connect(&server);
    assert_eq!(number(&mut connection, "select count(*) from t"), ROWS);
    assert_eq!(number(&mut connection, SUM), sum);
    assert_eq!(number(&mut connection, by_index), 1000);
    let again = "select count(*) from t with (index(by_v)) where v in ('again', 'twice')";
    assert_eq!(number(&mut connection, again), 3);
    assert_eq!(refusal(&mut connection, "insert t values (-1, 7, 'x')"), 2601);
    let left = std::fs::read_dir(dir.path().join("databases/master")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.ends_with(".sort")), "files of sorts are gone");
}

/// A load of many more rows than memory may have, in one statement.
fn load(first: i64) -> String {
    format!(
        "insert t select value, (value * cast(7919 as bigint)) % {ROWS}, \
         replicate(char(97 + value % 26), 180) from generate_series({first}, {})",
        first + ROWS - 1
    )
}

#[test]
fn a_transaction_may_load_more_than_memory_takes() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute(
            "create table t (id int not null primary key, n int not null, v varchar(200)); \
             create index ix on t (n); insert t values (-1, -1, 'first'), (-2, -2, 'second')",
        )
        .unwrap();
    // Rolled back, in part and as a whole; and refused as a whole because of one row.
    connection.execute(&format!("begin tran; {}; rollback", load(1))).unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t"), 2);
    let twice = format!(
        "insert t select value % {}, 1, replicate('x', 180) from generate_series(1, {ROWS})",
        ROWS - 1
    );
    assert_eq!(refusal(&mut connection, &twice), 2627);
    assert_eq!(number(&mut connection, "select count(*) from t"), 2);
    connection
        .execute(&format!(
            "begin tran; insert t values (0, 0, 'before'); save tran s; {}; delete t where id = 5; \
             rollback tran s; insert t values (-3, -3, 'after'); commit",
            load(1)
        ))
        .unwrap();
    assert_eq!(number(&mut connection, "select sum(id * 10) + count(*) from t"), -56);
    // In the transaction the table is one as any other, before and after.
    connection
        .execute(&format!(
            "begin tran; update t set v = 'changed' where id = -1; delete t where id = -2; {}; \
             if (select count(*) from t) <> {ROWS} + 3 throw 50000, 'rows are missing', 1; \
             delete t where id = 7; update t set v = 'again' where id = 8; {}; \
             if (select count(*) from t where n = 1 and id > 0) <> 2 throw 50000, 'no', 1; commit",
            load(1),
            load(ROWS + 1)
        ))
        .unwrap();
    let check = |connection: &mut Connection| {
        assert_eq!(number(connection, "select count(*) from t"), 2 * ROWS + 2);
        let few = "select count(*) from t where id in (-1, 8) and v in ('changed', 'again') \
                   or id in (-2, 7)";
        assert_eq!(number(connection, few), 2);
        let found =
            number(connection, "select count(*) from t with (index(ix)) where n between 0 and 99");
        assert_eq!(found, 201 - i64::from((7 * 7919) % ROWS < 100));
    };
    check(&mut connection);
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    check(&mut connection);
    assert_eq!(refusal(&mut connection, "insert t values (9, 9, 'x')"), 2627);
}

/// Rows of about 700 bytes, so many that all of them do not fit into memory.
const WIDE: i64 = 60_000;

/// A table with a secondary index that has sunk, and holds `id`, `n` and a long text.
fn fill_wide(connection: &mut Connection, table: &str, key: &str) {
    connection
        .execute(&format!(
            "create table {table} (id int not null {key}, n int not null, v varchar(800)); \
             create index ix on {table} (n)"
        ))
        .unwrap();
    for from in (1..=WIDE).step_by(PART as usize) {
        let to = from + PART - 1;
        let text = format!(
            "insert {table} select value, value % 1000, replicate('a', 700) \
             from generate_series({from}, {to})"
        );
        connection.execute(&text).unwrap();
    }
    connection.execute("checkpoint").unwrap();
    wait_until_sunk(connection, 2 * DISK_TABLES_KB);
    connection.execute("checkpoint").unwrap();
}

/// What a table holds: rows, sums of `id` and `n`, rows by the index, and rows whose text is `v`.
fn sums(connection: &mut Connection, table: &str, v: &str) -> [i64; 5] {
    let text = format!(
        "select count(*), sum(cast(id as bigint)), sum(cast(n as bigint)), \
         (select count(*) from {table} with (index(ix)) where n between 10 and 19), \
         sum(case when v = {v} then 1 else 0 end) from {table}"
    );
    let rows = connection.query(&text).unwrap().rows;
    [0, 1, 2, 3, 4].map(|column| match rows[0][column] {
        Value::Int(number) => number,
        ref other => panic!("{other:?}"),
    })
}

/// No index disagrees with its table.
fn check_table(connection: &mut Connection, table: &str) {
    connection.execute(&format!("dbcc checktable ('{table}') with no_infomsgs")).unwrap();
}

#[test]
fn a_statement_may_change_more_rows_than_memory_takes() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill_wide(&mut connection, "t", "primary key");
    let all = WIDE * (WIDE + 1) / 2;
    let before = [WIDE, all, WIDE / 1000 * 499_500, WIDE / 100, WIDE];
    let old = "replicate('a', 700)";
    assert_eq!(sums(&mut connection, "t", old), before);

    // Undone as a whole, and because of one row.
    connection
        .execute("begin tran; update t set n = n + 1, v = replicate('b', 700); rollback")
        .unwrap();
    assert_eq!(sums(&mut connection, "t", old), before);
    let bad = format!("update t set v = replicate('b', 700), n = 1 / ({WIDE} - id)");
    assert_eq!(refusal(&mut connection, &bad), 8134);
    assert_eq!(sums(&mut connection, "t", old), before);

    // Keys of a secondary index, and then the unique key.
    connection.execute("update t set n = n + 1, v = replicate('b', 700)").unwrap();
    let n = before[2] + WIDE;
    let changed = "replicate('b', 700)";
    assert_eq!(sums(&mut connection, "t", changed), [WIDE, all, n, WIDE / 100, WIDE]);
    connection.execute("update t set id = id + 1").unwrap();
    assert_eq!(sums(&mut connection, "t", changed), [WIDE, all + WIDE, n, WIDE / 100, WIDE]);
    check_table(&mut connection, "t");

    // In one transaction with what comes before and after.
    connection
        .execute(&format!(
            "begin tran; delete t where id = 2; delete t where id > 100; \
             if @@rowcount <> {WIDE} - 99 throw 50000, 'rows are not counted', 1; \
             if (select count(*) from t) <> 98 throw 50000, 'rows are left', 1; \
             insert t values (1, 5, 'new'); update t set n = 6 where id = 1; commit"
        ))
        .unwrap();
    assert_eq!(sums(&mut connection, "t", "'new'")[0], 99);
    check_table(&mut connection, "t");
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    assert_eq!(sums(&mut connection, "t", "'new'")[..2], [99, 1 + (3..=100).sum::<i64>()]);
    check_table(&mut connection, "t");
}

#[test]
fn merges_joins_heaps_and_triggers_may_change_more_rows_than_memory_takes() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill_wide(&mut connection, "t", "");
    connection.execute("create table log (inserted int, deleted int, seen int, now int)").unwrap();
    connection
        .execute(
            "create trigger after_update on t after update as insert log \
             select count(*), (select count(*) from deleted where v like 'a%'), \
             (select count(*) from t where v like 'b%'), @@rowcount from inserted",
        )
        .unwrap();
    // A heap, with rows that are found by a join, each once.
    connection
        .execute(&format!(
            "update t set v = replicate('b', 700), n = s.value from t \
             join generate_series(1, {WIDE}) s on s.value = t.id where t.id <> 5"
        ))
        .unwrap();
    let changed = WIDE - 1;
    let query = format!(
        "select count(*) from log where inserted = {changed} and deleted = {changed} \
         and seen = {changed} and now = {changed}"
    );
    assert_eq!(number(&mut connection, &query), 1);
    check_table(&mut connection, "t");
    connection.execute("drop trigger after_update").unwrap();

    // Rows that are updated, inserted and deleted.
    connection
        .execute(&format!(
            "merge t using generate_series({}, {}) s on t.id = s.value \
             when matched then update set v = replicate('c', 700) \
             when not matched then insert values (s.value, 7, replicate('d', 700)) \
             when not matched by source then delete;",
            WIDE / 2 + 1,
            WIDE * 3 / 2
        ))
        .unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t where v like 'c%'"), WIDE / 2);
    assert_eq!(number(&mut connection, "select count(*) from t where n = 7"), WIDE / 2);
    assert_eq!(number(&mut connection, "select min(id) from t"), WIDE / 2 + 1);
    assert_eq!(number(&mut connection, "select count(*) from t"), WIDE);
    check_table(&mut connection, "t");

    // The same row twice: a MERGE says so, and nothing has happened.
    let twice = format!(
        "merge t using (select value from generate_series({0}, {1}) \
         union all select {1}) s on t.id = s.value \
         when matched then update set v = replicate('e', 700);",
        WIDE / 2 + 1,
        WIDE * 3 / 2
    );
    assert_eq!(refusal(&mut connection, &twice), 8672);
    assert_eq!(number(&mut connection, "select count(*) from t where v like 'e%'"), 0);
    check_table(&mut connection, "t");
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    assert_eq!(number(&mut connection, "select count(*) from t where v like 'c%'"), WIDE / 2);
    assert_eq!(number(&mut connection, "select count(*) from t where v like 'd%'"), WIDE / 2);
    check_table(&mut connection, "t");
}

#[test]
fn a_merge_may_take_keys_that_it_frees_later() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill_wide(&mut connection, "t", "primary key");
    let all = WIDE * (WIDE + 1) / 2;
    let n = WIDE / 1000 * 499_500;

    // No row matches: all keys are inserted before the rows that have them are deleted.
    connection
        .execute(&format!(
            "merge t using generate_series(1, {WIDE}) s on t.n = -s.value \
             when not matched then insert values (s.value, 999 - s.value % 1000, replicate('b', 700)) \
             when not matched by source then delete;"
        ))
        .unwrap();
    let found = sums(&mut connection, "t", "replicate('b', 700)");
    assert_eq!(found, [WIDE, all, n, WIDE / 100, WIDE]);
    check_table(&mut connection, "t");

    // Keys are passed on, in either order, and without a change of what other indexes have.
    for (id, v) in [("id + 1", "c"), ("id - 1", "d"), (&format!("{} - id", WIDE + 1), "e")] {
        let merge = format!(
            "merge t using generate_series(0, {}) s on t.id = s.value \
             when matched then update set id = {id}, v = replicate('{v}', 700);",
            WIDE + 1
        );
        connection.execute(&merge).unwrap();
        let all = all + if v == "c" { WIDE } else { 0 };
        let found = sums(&mut connection, "t", &format!("replicate('{v}', 700)"));
        assert_eq!(found, [WIDE, all, n, WIDE / 100, WIDE]);
        check_table(&mut connection, "t");
    }

    // One key stays taken.
    let twice = format!(
        "merge t using generate_series(1, {WIDE}) s on t.id = -s.value \
         when not matched then insert values (s.value, 1, replicate('f', 700)) \
         when not matched by source and t.id <> 77 then delete;"
    );
    assert_eq!(refusal(&mut connection, &twice), 2627);
    let found = sums(&mut connection, "t", "replicate('e', 700)");
    assert_eq!(found, [WIDE, all, n, WIDE / 100, WIDE]);
    check_table(&mut connection, "t");
}

/// A successor has the rows that are there now: snapshots which are older see none of them.
#[test]
fn a_snapshot_is_refused_rather_than_given_rows_that_it_must_not_see() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute("create database d; alter database d set allow_snapshot_isolation on")
        .unwrap();
    connection.execute("use d").unwrap();
    fill_wide(&mut connection, "t", "primary key");
    connection.execute("create table other (id int not null primary key)").unwrap();
    let mut reader = connect(&server);
    reader.execute("use d; set transaction isolation level snapshot; begin tran").unwrap();
    assert_eq!(number(&mut reader, "select count(*) from other"), 0);
    connection.execute("insert t values (0, 0, 'new'); insert other values (1)").unwrap();
    connection.execute("update t set v = replicate('b', 700)").unwrap();
    assert_eq!(number(&mut reader, "select count(*) from other"), 0);
    assert_eq!(refusal(&mut reader, "select count(*) from t"), 3961);
    assert_eq!(number(&mut reader, "select @@trancount"), 0);
    assert_eq!(number(&mut reader, "select count(*) from t"), WIDE + 1);

    // One that changes rows itself.
    reader.execute("begin tran").unwrap();
    assert_eq!(number(&mut reader, "select count(*) from other"), 1);
    connection.execute("insert t values (-1, 0, 'newer')").unwrap();
    assert_eq!(refusal(&mut reader, "update t set v = replicate('c', 700)"), 701);
    reader.execute("if @@trancount > 0 rollback").unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t where v like 'b%'"), WIDE + 1);
    assert_eq!(number(&mut connection, "select count(*) from t where id = -1"), 1);
    check_table(&mut connection, "t");
}

#[test]
fn what_a_function_undoes_is_not_the_statement_that_calls_it() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute(
            "create database d; \
             alter database d add filegroup mem contains memory_optimized_data; \
             alter database d add file (name = 'mem', filename = 'mem') to filegroup mem",
        )
        .unwrap();
    connection.execute("use d").unwrap();
    fill_wide(&mut connection, "t", "primary key");
    connection
        .execute(
            "create function dbo.catches(@n int) returns int \
             with native_compilation, schemabinding as begin atomic with \
             (transaction isolation level = snapshot, language = N'us_english') \
             declare @result int = 0; \
             begin try set @result = @n / (@n - @n); end try \
             begin catch set @result = @n + 1; end catch; \
             return @result; end",
        )
        .unwrap();
    connection.execute("update t set n = dbo.catches(n), v = replicate('b', 700)").unwrap();
    let found = sums(&mut connection, "t", "replicate('b', 700)");
    let n = WIDE / 1000 * 499_500 + WIDE;
    assert_eq!(found, [WIDE, WIDE * (WIDE + 1) / 2, n, WIDE / 100, WIDE]);
    check_table(&mut connection, "t");
}

/// Does it again as long as it is the victim of a deadlock, or finds a table that another has
/// changed.
fn insist(connection: &mut Connection, text: &str) {
    while let Err(error) = connection.execute(text) {
        let number = error.server_message().expect("the server says why").error.number();
        assert_eq!(number, 1205, "{error}");
    }
}

#[test]
fn what_others_change_meanwhile_is_not_lost() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill_wide(&mut connection, "t", "primary key");
    let (over, changed) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for first in [1, 2] {
            let (over, changed, mut other) = (&over, &changed, connect(&server));
            scope.spawn(move || {
                let mut id = first;
                while !over.load(Relaxed) {
                    insist(&mut other, &format!("update t set n = n + 1 where id = {id}"));
                    id = (id + 7919) % WIDE + 1;
                    changed.fetch_add(1, Relaxed);
                }
            });
        }
        for v in ["b", "c"] {
            let all = format!("update t set n = n + 1, v = replicate('{v}', 700)");
            insist(&mut connection, &all);
        }
        over.store(true, Relaxed);
    });
    let changed = changed.load(Relaxed) as i64;
    assert!(changed > 0);
    let found = sums(&mut connection, "t", "replicate('c', 700)");
    let n = WIDE / 1000 * 499_500 + 2 * WIDE + changed;
    assert_eq!((found[0], found[2], found[4]), (WIDE, n, WIDE));
    check_table(&mut connection, "t");
}

/// What a transaction has put into a successor sinks as other rows do, although it may still be
/// rolled back.
#[test]
fn a_transaction_of_many_statements_may_change_more_rows_than_memory_takes() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute(
            "create table t (id int not null primary key, n int not null, v varchar(800)); \
             create index ix on t (n); insert t values (-1, -1, 'first')",
        )
        .unwrap();
    const STEP: i64 = 5000;
    let insert = |connection: &mut Connection, from: i64| {
        let text = format!(
            "insert t (id, n, v) select value, value % 1000, replicate('a', 700) \
             from generate_series({from}, {})",
            from + STEP - 1
        );
        connection.execute(&text).unwrap();
    };
    let all = 2 * WIDE;
    // Rolled back: in part, where a savepoint keeps what is after it in memory, and as a whole.
    connection.execute("begin tran").unwrap();
    (1..=all / 2).step_by(STEP as usize).for_each(|from| insert(&mut connection, from));
    connection.execute("save tran s").unwrap();
    insert(&mut connection, all + 1);
    connection.execute("update t set n = n + 1 where id <= 1000; rollback tran s").unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t"), all / 2 + 1);
    assert_eq!(number(&mut connection, "select count(*) from t where n = 0"), all / 2000);
    connection.execute("rollback").unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t"), 1);
    check_table(&mut connection, "t");

    // Rows are inserted, updated and deleted, one part after the other; statements fail in between,
    // and the table gets a new storage.
    connection.execute("begin tran").unwrap();
    for from in (1..=all).step_by(STEP as usize) {
        insert(&mut connection, from);
        let again = format!("insert t (id, n, v) values ({from}, 0, '')");
        assert_eq!(refusal(&mut connection, &again), 2627);
        let some = format!("id between {from} and {}", from + STEP - 1);
        connection
            .execute(&format!(
                "update t set v = replicate('b', 700), n = n + 1 where {some} and id % 2 = 0; \
                 delete t where {some} and id % 5 = 0; \
                 if @@rowcount <> {STEP} / 5 throw 50000, 'rows are missing', 1"
            ))
            .unwrap();
        if from == all / 2 + 1 {
            connection.execute("alter table t add extra int not null default 7").unwrap();
        }
    }
    let check = |connection: &mut Connection| {
        let left = all / 5 * 4;
        let text = "select count(*) from t where v like 'a%'";
        assert_eq!(number(connection, text), left / 2);
        let text = "select count(*) from t where v like 'b%'";
        assert_eq!(number(connection, text), left / 2);
        let text = "select count(*) from t with (index(ix)) where n between 0 and 99";
        assert_eq!(number(connection, text), all / 1000 * 80);
        assert_eq!(number(connection, "select min(id) from t"), -1);
        assert_eq!(number(connection, "select count(*) from t where extra = 7"), left + 1);
        check_table(connection, "t");
    };
    check(&mut connection);
    connection.execute("commit").unwrap();
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    // The storages that the transaction has made and given up are gone from the catalog.
    connection.execute("checkpoint").unwrap();
    check(&mut connection);
    assert_eq!(refusal(&mut connection, "insert t (id, n) values (2, 0)"), 2627);
}

/// What may be undone together with something else does not sink before.
#[test]
fn a_procedure_whose_rows_are_inserted_may_fail_after_it_has_written_much() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute(
            "create table t (id int not null primary key, v varchar(800)); \
             create table u (id int not null primary key, v varchar(800)); \
             create table r (n int)",
        )
        .unwrap();
    let fill = |table: &str, from: i64, count: i64| {
        format!(
            "insert {table} select value, replicate('a', 700) \
             from generate_series({from}, {})",
            from + count - 1
        )
    };
    const STEP: i64 = 5000;
    let steps = |from: i64| [0, 1, 2].map(|n| fill("t", from + n * STEP, STEP)).join("; ");
    let body = steps(WIDE + 1);
    connection.execute(&format!("create procedure two as {body}; select 1, 2")).unwrap();
    connection.execute(&format!("create procedure one as {body}; select 1")).unwrap();
    connection.execute("begin tran").unwrap();
    connection.execute(&fill("t", 1, WIDE)).unwrap();
    assert_eq!(refusal(&mut connection, "insert r exec two"), 213);
    assert_eq!(number(&mut connection, "select count(*) from t"), WIDE);
    assert_eq!(number(&mut connection, "select @@trancount"), 1);
    connection.execute("insert r exec one").unwrap();
    connection.execute(&steps(2 * WIDE + 1)).unwrap();
    // Another table has no storage that is the transaction's own, until it needs one.
    for from in (1..=WIDE).step_by(STEP as usize) {
        connection.execute(&fill("u", from, STEP)).unwrap();
    }
    connection.execute("commit").unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t"), WIDE + 6 * STEP);
    assert_eq!(number(&mut connection, "select count(*) from u"), WIDE);
    assert_eq!(number(&mut connection, "select count(*) from r"), 1);
    check_table(&mut connection, "t");
    check_table(&mut connection, "u");
}

/// Bulk loads come in many statements of one transaction, which share a successor.
#[test]
fn a_bulk_load_may_have_more_rows_than_memory_takes() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    connection
        .execute("create table t (id int not null primary key, n int, v varchar(800))")
        .unwrap();
    let files = TempDir::made();
    let file = files.path().join("rows.csv");
    let text = "a".repeat(700);
    let rows = 4 * WIDE;
    let lines: String = (0..rows).map(|id| format!("{id},{},{text}\n", id % 7)).collect();
    std::fs::write(&file, lines).unwrap();
    let load = format!("bulk insert t from '{}' with (fieldterminator = ',')", file.display());
    connection.execute("insert t values (-1, 0, 'first')").unwrap();
    connection.execute(&load).unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t"), rows + 1);
    // A key that is there twice, found at the end: the batch is undone.
    assert_eq!(refusal(&mut connection, &load), 2627);
    assert_eq!(number(&mut connection, "select count(*) from t"), rows + 1);
    connection.execute(&format!("begin tran; delete t where id >= 0; {load}; commit")).unwrap();
    assert_eq!(number(&mut connection, "select count(*) from t where n = 3"), (rows + 3) / 7);
    check_table(&mut connection, "t");
}

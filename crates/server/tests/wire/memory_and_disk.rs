//! The queries by which the sales-order sample is watched: before orders are inserted, after that,
//! after the demo's reset, after another run. Each query is that of SQL Server's documentation, and
//! its figures must be those of the tables.

use std::time::{Duration, Instant};

use base::Value;
use server::config::{Bytes, Config};
use tools::client::Connection;
use tools::sample::{self, DataSource};
use tools::workload::{self, ORDERS_PER_BATCH, Until, Way};

use crate::sql;
use crate::support::{Process, TempDir, TestServer};

const BATCHES: u64 = 300;
/// How long memory and files may take to go after what they held was deleted.
const SOON: Duration = Duration::from_secs(60);

const CLERKS: &str = "SELECT type
   , name
, pages_kb/1024 AS pages_MB 
FROM sys.dm_os_memory_clerks WHERE type LIKE '%xtp%'";

const TABLES: &str = "SELECT object_name(t.object_id) AS [Table Name]
     , memory_allocated_for_table_kb
 , memory_allocated_for_indexes_kb
FROM sys.dm_db_xtp_table_memory_stats dms JOIN sys.tables t 
ON dms.object_id=t.object_id
WHERE t.type='U'";

const CONTAINERS: &str = "SELECT SUM(df.size) * 8 / 1024 AS [On-disk size in MB]
FROM sys.filegroups f JOIN sys.database_files df 
   ON f.data_space_id=df.data_space_id
WHERE f.type=N'FX'";

const FILES: &str = "SELECT SUM(CASE 
      WHEN state = 5 AND file_type=0 THEN 128*1024*1024 
      WHEN state = 5 AND file_type=1 THEN 8*1024*1024 
      WHEN state IN (6,7) THEN 68*1024*1024 
      ELSE file_size_in_bytes 
   END) / 1024 / 1024 as [On-disk size in MB]
FROM sys.dm_db_xtp_checkpoint_files";

/// The checkpoint files by their states, in the form of the documentation.
const STATES: &str = "SELECT state_desc, file_type_desc, COUNT(*) AS [count]
   , SUM(CASE 
      WHEN state = 5 AND file_type=0 THEN 128*1024*1024 
      WHEN state = 5 AND file_type=1 THEN 8*1024*1024 
      WHEN state IN (6,7) THEN 68*1024*1024 
      ELSE file_size_in_bytes 
   END) / 1024 / 1024 AS [on-disk size MB]
FROM sys.dm_db_xtp_checkpoint_files
GROUP BY state, state_desc, file_type, file_type_desc
ORDER BY state, file_type";

const TABLES_OF_SAMPLE: [&str; 7] = [
    "DemoSalesOrderDetailSeed",
    "DemoSalesOrderHeaderSeed",
    "Product_inmem",
    "SalesOrderDetail_inmem",
    "SalesOrderHeader_inmem",
    "SpecialOfferProduct_inmem",
    "SpecialOffer_inmem",
];

/// What the queries say.
#[derive(Clone, Copy, Debug)]
struct Figures {
    database_mb: i64,
    details_kb: i64,
    headers_kb: i64,
    indexes_kb: i64,
    disk_mb: i64,
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        other => panic!("{other:?} is not a number"),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Unicode(bytes) => {
            let units: Vec<u16> =
                bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&units).unwrap()
        }
        other => panic!("{other:?} is not a text"),
    }
}

fn figures(connection: &mut Connection) -> Figures {
    let clerks = connection.query(CLERKS).unwrap().rows;
    assert!(clerks.iter().all(|row| text(&row[0]) == "MEMORYCLERK_XTP"));
    let of =
        |name: &str| clerks.iter().find(|row| text(&row[1]) == name).map(|row| number(&row[2]));
    let id = number(&connection.query("SELECT DB_ID()").unwrap().rows[0][0]);
    assert!(of("Default").is_some());

    let mut tables = connection.query(TABLES).unwrap().rows;
    tables.sort_by_key(|row| text(&row[0]));
    let names: Vec<String> = tables.iter().map(|row| text(&row[0])).collect();
    assert_eq!(names, TABLES_OF_SAMPLE);
    assert!(tables.iter().all(|row| number(&row[1]) > 0 && number(&row[2]) > 0), "{tables:?}");

    let elsewhere = "select count(*) from sys.dm_db_xtp_checkpoint_files c where not exists \
                     (select * from sys.database_files f where f.file_id = c.container_id)";
    assert_eq!(sql::number(connection, elsewhere), 0);
    let on_disk = |connection: &mut Connection| {
        let of = |connection: &mut Connection, query| {
            number(&connection.query(query).unwrap().rows[0][0])
        };
        let states = connection.query(STATES).unwrap().rows;
        assert!(states.iter().all(|row| number(&row[2]) > 0 && number(&row[3]) >= 0), "{states:?}");
        (of(connection, CONTAINERS), of(connection, FILES))
    };
    // Files come and go between two queries, not for ever.
    let begin = Instant::now();
    let disk_mb = loop {
        let (container, files) = on_disk(connection);
        if container.abs_diff(files) <= 1 {
            break files;
        }
        assert!(begin.elapsed() < SOON, "{container} MB are not {files} MB");
    };
    Figures {
        database_mb: of(&format!("DB_ID_{id}")).expect("it is open"),
        details_kb: number(&tables[3][1]),
        headers_kb: number(&tables[4][1]),
        indexes_kb: number(&tables[3][2]) + number(&tables[4][2]),
        disk_mb,
    }
}

fn insert_orders(server: &TestServer) {
    let options = server.options().with_database(sample::DATABASE);
    let run = workload::run(&options, Way::Native, 8, Until::Batches(BATCHES)).unwrap();
    assert_eq!(
        (run.failed, run.orders()),
        (0, BATCHES * ORDERS_PER_BATCH),
        "{:?}",
        run.first_error
    );
}

/// Figures as soon as they are like this.
fn soon(connection: &mut Connection, is_right: impl Fn(Figures) -> bool) -> Figures {
    let begin = Instant::now();
    loop {
        let now = figures(connection);
        if is_right(now) {
            return now;
        }
        assert!(begin.elapsed() < SOON, "it stays so: {now:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn memory_and_files_follow_what_the_sample_holds() {
    let config = Config {
        allow_local_trusted: true,
        checkpoint_file_size: Some(Bytes(1 << 20)),
        ..Config::default()
    };
    let server = TestServer::with(config);
    sample::install(&server.options(), sample::DATABASE, DataSource::Generated, &mut |_| ())
        .unwrap();
    let options = server.options().with_database(sample::DATABASE);
    let mut connection = Connection::connect(&options).unwrap();
    let begin = figures(&mut connection);
    assert!(begin.database_mb > 0 && begin.disk_mb > 0, "{begin:?}");

    insert_orders(&server);
    let loaded = figures(&mut connection);
    assert!(loaded.details_kb > begin.details_kb && loaded.headers_kb > begin.headers_kb);
    assert!(loaded.database_mb > begin.database_mb, "{begin:?}, then {loaded:?}");
    assert!(connection.execute("CHECKPOINT").unwrap().first_error.is_none());
    let written = figures(&mut connection);
    assert!(written.disk_mb > begin.disk_mb, "{begin:?}, then {written:?}");

    // The server is idle after the reset.
    let reset = connection.execute("EXEC Demo.usp_DemoReset").unwrap();
    assert!(reset.first_error.is_none(), "{:?}", reset.first_error);
    let like_before = |now: Figures| {
        now.details_kb <= begin.details_kb + begin.details_kb / 10
            && now.headers_kb <= begin.headers_kb + begin.headers_kb / 10
            && now.database_mb <= begin.database_mb + begin.database_mb / 10 + 1
            && now.disk_mb <= begin.disk_mb + begin.disk_mb / 2
    };
    soon(&mut connection, like_before);

    insert_orders(&server);
    assert!(connection.execute("CHECKPOINT").unwrap().first_error.is_none());
    let like_first = |now: Figures| {
        now.details_kb.abs_diff(loaded.details_kb) <= loaded.details_kb.unsigned_abs() / 10
            && now.indexes_kb <= loaded.indexes_kb + loaded.indexes_kb / 10
            && now.disk_mb <= written.disk_mb + written.disk_mb / 2
    };
    soon(&mut connection, like_first);
}

/// The memory of rows was shown as if it were all that the server holds.
#[test]
fn what_the_server_holds_is_what_the_process_does() {
    // A process of its own, since other tests run in this one.
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let counter = |name: &str| {
        format!(
            "select cntr_value from sys.dm_os_performance_counters where counter_name = '{name}'"
        )
    };
    let held = [
        "select committed_kb from sys.dm_os_sys_info".to_owned(),
        "select physical_memory_in_use_kb from sys.dm_os_process_memory".to_owned(),
        counter("Total Server Memory (KB)"),
    ];
    for query in held {
        let told = sql::number(&mut connection, &query);
        let real = server.memory() as i64 >> 10;
        assert!((real / 2..real * 2).contains(&told), "{query}: {told} of {real}");
    }
    let limit = "exec sp_configure 'show advanced options', 1; reconfigure; \
                 exec sp_configure 'max server memory', 512; reconfigure";
    sql::run(&mut connection, limit);
    let targets = [
        "select committed_target_kb from sys.dm_os_sys_info",
        &counter("Target Server Memory (KB)"),
    ];
    for query in targets {
        assert_eq!(sql::number(&mut connection, query), 512 << 10, "{query}");
    }
}

/// What the rows of a database took comes back when it is dropped, though a session has used it,
/// and plans of other databases have.
#[test]
fn a_dropped_database_leaves_nothing_in_memory() {
    let server = TestServer::new();
    let mut connection = server.connect();
    let by_clerks = |connection: &mut Connection| {
        let kb = "select sum(pages_kb) from sys.dm_os_memory_clerks where type = 'MEMORYCLERK_XTP'";
        sql::number(connection, kb)
    };
    let before = by_clerks(&mut connection);
    for statements in [
        ["use gone", "insert t select value, replicate('a', 700) from generate_series(1, 5000)"],
        ["use master", "insert gone.dbo.t select value, 'a' from generate_series(1, 50000)"],
    ] {
        sql::run(&mut connection, "create database gone");
        sql::run(&mut connection, "create table gone.dbo.t (id int primary key, v varchar(800))");
        statements.iter().for_each(|statement| sql::run(&mut connection, statement));
        let kept = by_clerks(&mut connection) - before;
        assert!(kept > 2000, "{kept} KB");
        sql::run(&mut connection, "use master");
        sql::run(&mut connection, "drop database gone");
        let end = Instant::now() + SOON;
        while by_clerks(&mut connection) > before + 500 {
            assert!(Instant::now() < end, "{} KB are left", by_clerks(&mut connection) - before);
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

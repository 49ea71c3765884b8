//! Bits that flip in a database's file while the server is down.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;

use base::Value;
use tools::client::{Connection, Results};

use crate::sql::{number, refused, run};
use crate::support::{Process, TempDir, wait_until, wait_until_sunk};

const FLAGS: [&str; 2] = ["--disk-table-memory", "1MB"];
/// Disk tables sink beyond this, as the flags say.
const DISK_TABLES_KB: i64 = 1 << 10;

/// Numbers and texts of what the server says to a batch.
fn messages(connection: &mut Connection, text: &str) -> Vec<(i32, String)> {
    let mut results = Results::default();
    connection.batch(text, &mut results).unwrap();
    let said = |message: &tools::client::ServerMessage| {
        (message.error.number(), message.error.text().to_string())
    };
    results.messages.iter().map(said).collect()
}

fn page_of(row: &[Value]) -> u64 {
    match row[0] {
        Value::Int(page) => page as u64,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn checks_and_the_error_log_tell_of_all_damaged_pages() {
    let (dir, log) = (TempDir::new(), TempDir::new());
    std::fs::create_dir_all(log.path()).unwrap();
    let log = log.path().join("errorlog");
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d");
    run(
        &mut connection,
        "use d; create table t (id int not null primary key, note varchar(200) not null); \
         create table u (id int not null primary key); \
         insert u select value from generate_series(1, 1000); \
         insert t select value, replicate('x', 150) from generate_series(1, 60000)",
    );
    let pages = "from sys.dm_os_buffer_descriptors as b \
         join sys.allocation_units as a on a.allocation_unit_id = b.allocation_unit_id \
         join sys.partitions as p on p.hobt_id = a.container_id \
         where p.object_id = object_id('t') and b.page_type = 'DATA_PAGE' and b.is_modified = 0";
    wait_until("the table sinks", || {
        run(&mut connection, "checkpoint");
        number(&mut connection, &format!("select count(*) {pages}")) >= 500
    });
    wait_until_sunk(&mut connection, 2 * DISK_TABLES_KB);
    // Until two checkpoints leave all pages where they are: then there is nothing more to be
    // written.
    let mut places = Vec::new();
    wait_until("pages come to rest", || {
        run(&mut connection, "checkpoint");
        let query = format!("select page_id {pages} order by page_id");
        let found: Vec<u64> =
            connection.query(&query).unwrap().rows.iter().map(|row| page_of(row)).collect();
        std::mem::replace(&mut places, found) == places
    });
    let id = number(&mut connection, "select db_id('d')");
    let databases = std::fs::read_dir(dir.path().join("databases")).unwrap();
    let mut databases = databases.map(|entry| entry.unwrap().path());
    let own = databases.find(|path| path.to_string_lossy().contains("/d-")).unwrap();
    server.kill();
    let file = OpenOptions::new().read(true).write(true).open(own.join("rows.tpg")).unwrap();
    places = [places.len() / 3, places.len() / 2].map(|at| places[at]).into();
    for place in places {
        let (at, mut byte) = (place * 8192 + 4000, [0]);
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
    }
    drop(file);

    let server = Process::start_logged(dir.path(), &FLAGS, File::create(&log).unwrap().into());
    let mut connection = Connection::connect(&server.options()).unwrap();
    for _ in 0..2 {
        let said = messages(&mut connection, "dbcc checkdb (d)");
        let count = |wanted: i32| said.iter().filter(|(number, _)| *number == wanted).count();
        assert_eq!((count(8928), count(8939), count(824)), (2, 2, 0), "{said:?}");
        assert!(
            said.iter().any(|(_, text)| text.contains("There are 1000 rows in")
                && text.ends_with("for object \"u\".")),
            "{said:?}"
        );
        let result = "CHECKDB found 0 allocation errors and 4 consistency errors in database 'd'.";
        assert!(said.iter().any(|(_, text)| text == result), "{said:?}");
    }
    assert_eq!(number(&mut connection, "select count(*) from d.dbo.u"), 1000);
    assert_eq!(refused(&mut connection, "select sum(len(note)) from d.dbo.t"), 824);
    let line = "Error: 824, Severity: 24, State: 2. SQL Server detected a logical consistency-based I/O error: incorrect checksum. It occurred during a read of page (1:";
    let told = || {
        let log = std::fs::read_to_string(&log).unwrap();
        let own = |text: &&str| {
            text.contains(line)
                && text.contains("ERROR")
                && text.contains(&format!(" in database ID {id} at offset "))
        };
        log.lines().filter(own).count()
    };
    wait_until("the log tells of both", || told() >= 2);
    server.kill();
    assert_eq!(told(), 2, "each page is told of once");
}

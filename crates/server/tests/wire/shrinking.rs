//! The data file of disk tables becomes shorter on request, while other sessions use the tables.

use std::path::{Path, PathBuf};

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir};

/// Disk tables sink beyond this.
const FLAGS: [&str; 2] = ["--disk-table-memory", "1MB"];

fn data_file(dir: &Path) -> PathBuf {
    let databases = std::fs::read_dir(dir.join("databases")).unwrap();
    let files = databases.map(|entry| entry.unwrap().path().join("rows.tpg"));
    files.into_iter().find(|path| path.exists()).expect("something has sunk")
}

fn integers(connection: &mut Connection, text: &str) -> Vec<i64> {
    let rows = connection.query(text).unwrap().rows;
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        other => panic!("{other:?}"),
    };
    rows[0].iter().map(number).collect()
}

#[test]
fn a_data_file_shrinks_to_what_is_in_it_while_it_is_used() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.execute("create database d").unwrap();
    let options = server.options().with_database("d");
    let mut connection = {
        drop(connection);
        Connection::connect(&options).unwrap()
    };
    for table in ["gone", "stays"] {
        let columns = "(id int not null primary key, v char(500) not null)";
        connection.execute(&format!("create table {table} {columns}")).unwrap();
    }
    // Pages that stay lie after pages that are freed, and between them.
    for part in 0..8 {
        let fill = |table: &str, rows: i64| {
            let (first, last) = (part * rows, (part + 1) * rows - 1);
            format!(
                "insert {table} select cast(value as int), 'x' from generate_series({first}, {last})"
            )
        };
        connection.execute(&fill("gone", 5000)).unwrap();
        connection.execute(&fill("stays", 500)).unwrap();
        connection.execute("checkpoint").unwrap();
    }
    let path = data_file(dir.path());
    let bytes = || std::fs::metadata(&path).unwrap().len();
    let before = bytes();
    connection.execute("drop table gone; checkpoint").unwrap();
    let sum = "select count(*), sum(id) from stays";
    let expected = integers(&mut connection, sum);
    let worker = std::thread::spawn({
        let mut connection = Connection::connect(&options).unwrap();
        move || {
            for id in 0..2000 {
                let text = format!("update stays set v = 'y{id}' where id = {}", id * 2 % 4000);
                connection.execute(&text).unwrap();
            }
        }
    });
    for _ in 0..5 {
        connection.execute("dbcc shrinkfile (1, 1)").unwrap();
        assert_eq!(integers(&mut connection, sum), expected);
    }
    worker.join().unwrap();
    let sizes = integers(&mut connection, "dbcc shrinkfile (1, 1) with no_infomsgs");
    let after = bytes();
    assert!(after < before / 4, "{before} bytes, then {after}");
    // The file has pages of its own in front of the first.
    assert!((sizes[2] * 8192).abs_diff(after as i64) <= 1 << 20, "{sizes:?}, {after} bytes");
    let size = "select size, 0 from sys.database_files where file_id = 1";
    assert_eq!(integers(&mut connection, size)[0], sizes[2]);
    connection.execute("dbcc checkdb with no_infomsgs").unwrap();
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options().with_database("d")).unwrap();
    assert_eq!(integers(&mut connection, sum), expected);
    let changed = "select count(*), 0 from stays where v like 'y%'";
    assert_eq!(integers(&mut connection, changed)[0], 2000);
    let refused = connection.execute("dbcc shrinkfile (nofile, 1)").unwrap_err();
    assert_eq!(refused.server_message().expect("the server says why").error.number(), 8985);
}

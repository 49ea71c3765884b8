//! Databases that are detached and attached, over restarts, here and from elsewhere.

use std::path::{Path, PathBuf};

use base::Value;
use tools::client::Connection;

use crate::sql::{error, refused, run};
use crate::support::{Process, TempDir, wait_until};

const FLAGS: [&str; 2] = ["--disk-table-memory", "1MB"];

fn number(connection: &mut Connection, text: &str) -> i64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(number) => number,
        Value::Null => -1,
        ref other => panic!("{text}: {other:?}"),
    }
}

fn text(connection: &mut Connection, query: &str) -> String {
    match &connection.query(query).unwrap().rows[0][0] {
        Value::Unicode(bytes) => {
            let units: Vec<u16> =
                bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&units).unwrap()
        }
        other => panic!("{query}: {other:?}"),
    }
}

/// The path of the first file of a database, as the view shows it.
fn first_file(connection: &mut Connection, database: &str) -> PathBuf {
    let query =
        format!("select physical_name from {database}.sys.database_files where file_id = 1");
    text(connection, &query).into()
}

/// A database with rows in memory and rows that have sunk.
fn create(connection: &mut Connection, name: &str) -> PathBuf {
    run(connection, &format!("create database {name}"));
    for text in [
        "alter database $ add filegroup f contains memory_optimized_data",
        "alter database $ add file (name = 'f', filename = 'f') to filegroup f",
        "use $; create table hot (id int not null primary key nonclustered, n int not null) \
         with (memory_optimized = on); insert hot select value, value from generate_series(1, 1000)",
        "use $; create table cold (id int identity primary key, note varchar(200) not null); \
         insert cold select replicate('x', 150) from generate_series(1, 60000)",
        "use master",
    ] {
        run(connection, &text.replace('$', name));
    }
    let path = first_file(connection, name);
    let pages = path.with_file_name("rows.tpg");
    wait_until("the table begins to sink", || pages.exists());
    path
}

fn check(connection: &mut Connection, name: &str) {
    assert_eq!(number(connection, &format!("select sum(n) from {name}.dbo.hot")), 500_500);
    let cold = format!("select count(*) from {name}.dbo.cold where note = replicate('x', 150)");
    assert_eq!(number(connection, &cold), 60_000);
    let last = format!("select max(id) from {name}.dbo.cold");
    assert_eq!(number(connection, &last), 60_000);
}

fn attach(name: &str, path: &Path) -> String {
    format!("create database {name} on (filename = '{}') for attach", path.display())
}

#[test]
fn a_database_is_detached_and_comes_back_under_another_name() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let path = create(&mut connection, "d");
    let user = Connection::connect(&server.options().with_database("d")).unwrap();
    assert_eq!(refused(&mut connection, "exec sp_detach_db 'd'"), 3703);
    drop(user);
    assert_eq!(refused(&mut connection, "exec sp_detach_db 'master'"), 7940);
    assert_eq!(refused(&mut connection, "exec sp_detach_db 'nobody'"), 15010);
    assert_eq!(refused(&mut connection, "begin tran; exec sp_detach_db 'd'"), 15002);
    run(&mut connection, "if @@trancount > 0 rollback");
    assert_eq!(refused(&mut connection, &attach("e", &path)), 5120, "it is in use");
    // The session that has just left may still be on its way out.
    let detach = "exec sp_detach_db 'd', 'true'";
    wait_until("the database is detached", || error(&mut connection, detach).is_none());
    assert_eq!(number(&mut connection, "select db_id('d')"), -1);
    assert_eq!(refused(&mut connection, "use d"), 911);
    run(&mut connection, "create database other");
    server.kill();

    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(refused(&mut connection, &attach("e", Path::new("/no/where/d.mdf"))), 5133);
    let elsewhere = path.with_file_name("x.mdf");
    assert_eq!(refused(&mut connection, &attach("e", &elsewhere)), 5120);
    assert_eq!(refused(&mut connection, &attach("other", &path)), 1801);
    assert_eq!(refused(&mut connection, "create database e for attach"), 1827);
    run(&mut connection, &attach("e", &path));
    check(&mut connection, "e");
    assert_eq!(first_file(&mut connection, "e"), path);
    run(&mut connection, "insert e.dbo.hot values (1001, 0); insert e.dbo.cold values ('new')");
    assert_eq!(number(&mut connection, "select max(id) from e.dbo.cold"), 60_001);
    run(&mut connection, "delete e.dbo.cold where id > 60000");
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    check(&mut connection, "e");
    assert_eq!(refused(&mut connection, &attach("f", &path)), 5120, "it is in use");
}

/// A statement that opened a database whose tables had sunk brought the server down: it waited for
/// pages in the way of a thread.
#[test]
fn a_database_whose_tables_have_sunk_is_restored() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    create(&mut connection, "d");
    run(&mut connection, "backup database d to disk = 'd.bak'");
    run(&mut connection, "restore database copy from disk = 'd.bak'");
    check(&mut connection, "copy");
}

#[test]
fn a_database_is_taken_to_another_server() {
    let (here, there, moved) = (TempDir::new(), TempDir::new(), TempDir::new());
    let server = Process::start(here.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let path = create(&mut connection, "d");
    run(&mut connection, "exec sp_detach_db @dbname = 'd'");
    std::fs::rename(path.parent().unwrap(), moved.path()).unwrap();
    drop(server);
    let server = Process::start(there.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let path = moved.path().join("d.mdf");
    run(&mut connection, &format!("exec sp_attach_db 'd', '{}'", path.display()));
    check(&mut connection, "d");
    assert_eq!(first_file(&mut connection, "d"), path);
    server.kill();
    let server = Process::start(there.path(), &FLAGS);
    let mut connection = Connection::connect(&server.options()).unwrap();
    check(&mut connection, "d");
    // A path of another system counts by its last name.
    run(&mut connection, "exec sp_detach_db 'd'; ");
    let home = there.path().join("databases").join("d-moved");
    std::fs::rename(moved.path(), &home).unwrap();
    run(&mut connection, r"exec sp_attach_single_file_db 'back', 'C:\data\D.mdf'");
    check(&mut connection, "back");
    run(&mut connection, "drop database back");
    assert!(!home.exists());
}

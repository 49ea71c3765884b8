//! What logins that are not administrators can reach: their own database, and no file of the
//! server's.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use server::config::Config;
use tools::client::{Authentication, Connection};

use crate::sql::{number, refused, run};
use crate::support::{TempDir, TestServer};

const LOW_PASSWORD: &str = "Pwx-12345678";

fn log_in(server: &TestServer, user: &str, database: &str) -> Connection {
    let mut options = server.options().with_database(database);
    options.authentication =
        Authentication::Password { user: user.into(), password: LOW_PASSWORD.into() };
    Connection::connect(&options).unwrap()
}

/// A database whose owner has no role at the server.
fn with_owner(server: &TestServer) -> Connection {
    let mut sa = server.connect();
    run(&mut sa, &format!("create login low with password = '{LOW_PASSWORD}'"));
    run(&mut sa, "create database d1");
    run(&mut sa, "create database d2");
    run(&mut sa, "use d1; create user low for login low; alter role db_owner add member low");
    sa
}

#[test]
fn an_owner_of_a_database_is_no_administrator() {
    let server = TestServer::new();
    let mut sa = with_owner(&server);
    let mut low = log_in(&server, "low", "d1");
    run(&mut low, "execute as user = 'dbo'");
    assert_eq!(number(&mut low, "select is_srvrolemember('sysadmin')"), 0);
    for (text, error) in [
        ("exec sp_addsrvrolemember 'low', 'sysadmin'", 15151),
        ("alter login sa with password = 'Hacked-1234'", 15151),
        ("drop database d2", 3701),
        ("use d2", 916),
        ("alter database d1 set trustworthy on", 15247),
        ("shutdown", 6004),
    ] {
        let number = refused(&mut low, text);
        // SHUTDOWN is refused with the same error as for every login without the permission.
        assert!(number == error || error == 6004 && number == 297, "{text}: {number}");
    }
    run(&mut sa, "use master; alter database d1 set trustworthy on");
    assert_eq!(number(&mut low, "select is_srvrolemember('sysadmin')"), 1);
    run(&mut sa, "alter database d1 set trustworthy off");
    assert_eq!(number(&mut low, "select is_srvrolemember('sysadmin')"), 0);
    run(&mut low, "revert");
    assert_eq!(number(&mut low, "select is_srvrolemember('sysadmin')"), 0);
}

#[test]
fn backups_never_touch_what_is_not_theirs() {
    let server = TestServer::new();
    let mut sa = with_owner(&server);
    let data = server.data().to_path_buf();
    let elsewhere = TempDir::made();
    let at = |name: &str| elsewhere.path().join(name);
    fs::write(at("letter"), "dear reader").unwrap();
    fs::write(at("letter2.partial"), "dear reader").unwrap();
    fs::write(at("empty.bak"), "").unwrap();
    symlink(data.join("instance"), at("link")).unwrap();
    symlink(&data, at("linked")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let before = fs::read(data.join("instance")).unwrap();
    let mut low = log_in(&server, "low", "d1");
    let mut back_up = |path: &str, options: &str| {
        refused(&mut low, &format!("backup database d1 to disk = '{path}' {options}"))
    };
    for options in ["", "with format", "with init"] {
        for path in [
            data.join("instance"),
            data.join("server-key.pem"),
            data.join("databases/new.bak"),
            data.join("new.bak"),
            data.join("backup/../instance"),
            at("link"),
            at("linked/instance"),
            at("linked/backup/../new.bak"),
            at("pipe"),
            "/dev/full".into(),
            "/dev/null".into(),
            "/proc/self/comm".into(),
        ] {
            let path = path.to_str().unwrap();
            assert_eq!(back_up(path, options), 3201, "{path} {options}");
        }
    }
    assert_eq!(back_up(at("letter").to_str().unwrap(), "with format"), 3241);
    assert_eq!(back_up(at("letter2").to_str().unwrap(), "with format"), 3201);
    assert_eq!(fs::read(at("letter")).unwrap(), b"dear reader");
    assert_eq!(fs::read(at("letter2.partial")).unwrap(), b"dear reader");
    assert_eq!(fs::read(data.join("instance")).unwrap(), before);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    for (path, options) in [
        (at("empty.bak"), ""),
        (at("new.bak"), ""),
        (at("new.bak"), ""),
        (at("new.bak"), "with format"),
        (data.join("backup/new.bak"), "with init"),
        ("relative.bak".into(), ""),
    ] {
        let path = path.to_str().unwrap();
        run(&mut low, &format!("backup database d1 to disk = '{path}' {options}"));
    }
    // The server's files cannot be read either.
    for path in [data.join("instance"), at("link"), "/proc/self/environ".into()] {
        let path = path.to_str().unwrap();
        let restore = format!("restore headeronly from disk = '{path}'");
        assert_eq!(refused(&mut sa, &restore), 3201, "{path}");
        run(&mut sa, "if object_id('lines') is null create table lines (line varchar(max))");
        let load = format!("bulk insert lines from '{path}'");
        assert_eq!(refused(&mut sa, &load), 4861, "{path}");
        assert_eq!(number(&mut sa, "select count(*) from lines"), 0);
    }
    fs::write(at("bad.csv"), "1\nx\n").unwrap();
    run(&mut sa, "create table numbers (n int)");
    for errors in [data.join("errors"), at("letter")] {
        let (rows, errors) = (at("bad.csv"), errors.to_str().unwrap().to_owned());
        let rows = rows.to_str().unwrap();
        let load = format!("bulk insert numbers from '{rows}' with (errorfile = '{errors}')");
        refused(&mut sa, &load);
    }
    assert_eq!(fs::read(at("letter")).unwrap(), b"dear reader");
    assert!(!data.join("errors").exists());
}

#[test]
fn settings_narrow_where_backups_and_files_may_be() {
    let (allowed, other) = (TempDir::made(), TempDir::made());
    let server = TestServer::with(Config {
        backup_directories: vec![allowed.path().to_path_buf()],
        import_directories: vec![allowed.path().to_path_buf()],
        ..Config::default()
    });
    let mut sa = server.connect();
    run(&mut sa, "create database d1 create table numbers (n int)");
    let in_dir = |dir: &TempDir, name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    for dir in [&allowed, &other] {
        fs::write(in_dir(dir, "rows.csv"), "1\n").unwrap();
    }
    let back_up = |path: &str| format!("backup database d1 to disk = '{path}'");
    let load = |path: &str| format!("bulk insert numbers from '{path}'");
    run(&mut sa, &back_up(&in_dir(&allowed, "a.bak")));
    run(&mut sa, &back_up("a.bak"));
    run(&mut sa, &load(&in_dir(&allowed, "rows.csv")));
    assert_eq!(refused(&mut sa, &back_up(&in_dir(&other, "a.bak"))), 3201);
    assert_eq!(refused(&mut sa, &load(&in_dir(&other, "rows.csv"))), 4861);
}

/// One plan serves all sessions; what its user may is looked at each time.
#[test]
fn shared_plans_are_checked_for_each_session() {
    let server = TestServer::new();
    let mut sa = with_owner(&server);
    run(&mut sa, &format!("create login reader with password = '{LOW_PASSWORD}'"));
    run(&mut sa, "use d1; create user reader for login reader");
    run(&mut sa, "create table t (a int, b int)");
    run(&mut sa, "insert t values (1, 2)");
    run(&mut sa, "grant select on t to reader");
    let mut low = log_in(&server, "low", "d1");
    let mut reader = log_in(&server, "reader", "d1");
    let text = "select a from t where b = 2";
    for connection in [&mut low, &mut reader] {
        assert_eq!(number(connection, text), 1);
    }
    run(&mut sa, "deny select on t (b) to reader");
    assert_eq!(refused(&mut reader, text), 230);
    assert_eq!(number(&mut low, text), 1);
    assert_eq!(number(&mut reader, "select a from t"), 1);
    run(&mut sa, "grant select on t (b) to reader");
    assert_eq!(number(&mut reader, text), 1);
}

/// A login's default language is that of its sessions, after a restart as well.
#[test]
fn sessions_start_in_the_language_of_their_login() {
    let server = TestServer::new();
    let mut sa = server.connect();
    let create = format!("create login german with password = '{LOW_PASSWORD}'");
    run(&mut sa, &format!("{create}, default_language = Deutsch"));
    let asks = "select count(*) from (values (1)) t(a) where @@language = 'Deutsch' \
                and datename(month, '20240501') = 'Mai' and format(1.5, 'N1') = '1,5' \
                and cast('02.03.2024' as datetime) = '20240302'";
    assert_eq!(number(&mut log_in(&server, "german", "master"), asks), 1);
    assert_eq!(number(&mut sa, asks), 0);
    drop(sa);
    let config = Config { allow_local_trusted: true, ..Config::default() };
    let server = TestServer::in_directory(server.stop(), config);
    assert_eq!(number(&mut log_in(&server, "german", "master"), asks), 1);
    run(&mut server.connect(), "exec sp_defaultlanguage 'german', 'British'");
    assert_eq!(number(&mut log_in(&server, "german", "master"), "select @@langid"), 23);
}

//! Access to databases.

use env::sim::wait_until;

use crate::testing::TestServer;

const SETUP: &str = "create database d
go
create login reader with password = 'Str0ng-pass'
create login owner with password = 'Str0ng-pass'
create login maker with password = 'Str0ng-pass'
alter server role dbcreator add member maker
go
use d
create user reader
create user owner
create user maker
alter role db_owner add member owner
create table t (id int)
grant select on t to public
go
use master";

fn server() -> TestServer {
    let server = TestServer::new();
    let answer = server.session().script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    server
}

fn may_log_in(server: &TestServer, login: &str) -> bool {
    let who = server.instance.trust(login).unwrap();
    match server.instance.login_database(&who, "d") {
        Ok(_) => true,
        Err((error, _)) => {
            assert_eq!(error.number(), 4060);
            false
        }
    }
}

#[test]
fn a_restricted_database_admits_its_owners_and_makers_of_databases() {
    let server = server();
    let mut sa = server.session();
    assert!(may_log_in(&server, "reader"));
    assert_eq!(sa.run("alter database d set restricted_user"), "");
    for (login, may) in [("reader", false), ("owner", true), ("maker", true), ("sa", true)] {
        assert_eq!(may_log_in(&server, login), may, "{login}");
        let mut session = server.session_of(login);
        let used = session.run("use d");
        assert_eq!(!used.contains("Msg 923, Level 14, State 1"), may, "{login}: {used}");
        let read = session.run("select count(*) as n from d.dbo.t");
        assert_eq!(!read.contains("Msg "), may, "{login}: {read}");
    }
    assert_eq!(sa.run("alter database d set multi_user"), "");
    assert!(may_log_in(&server, "reader"));
}

#[test]
fn restricting_a_database_asks_others_alone_to_leave() {
    let server = server();
    let (mut reader, mut owner) = (server.session_of("reader"), server.session_of("owner"));
    reader.run("use d");
    owner.run("use d");
    let mut sa = server.session();
    let refused = sa.run("alter database d set restricted_user with no_wait");
    assert!(refused.starts_with("Msg 5070, Level 16"), "{refused}");
    assert_eq!(reader.run("use master"), "Changed database context to 'master'.");
    assert_eq!(sa.run("alter database d set restricted_user with no_wait"), "");
    assert_eq!(owner.run("select count(*) as n from t"), "n\n0\n(1 row)");
}

#[test]
fn a_single_user_keeps_others_out() {
    let server = server();
    let mut sa = server.session();
    assert_eq!(sa.run("alter database d set single_user"), "");
    let mut first = server.session();
    assert_eq!(first.run("use d"), "Changed database context to 'd'.");
    let mut second = server.session();
    let refused = second.run("use d");
    assert!(refused.starts_with("Msg 924, Level 14, State 1"), "{refused}");
    let refused = second.run("alter database d set restricted_user");
    assert!(refused.starts_with("Msg 5064, Level 16, State 1"), "{refused}");
    assert_eq!(first.run("use master"), "Changed database context to 'master'.");
    assert_eq!(second.run("use d"), "Changed database context to 'd'.");
    assert_eq!(second.run("alter database d set multi_user"), "");
    assert_eq!(first.run("use d"), "Changed database context to 'd'.");
}

#[test]
fn how_read_committed_reads_changes_when_no_other_session_is_there() {
    let server = server();
    let mut reader = server.session_of("reader");
    reader.run("use d");
    let mut sa = server.session();
    let is_on = "select is_read_committed_snapshot_on a from sys.databases where name = 'd'";
    // An option that does not change waits for no session.
    assert_eq!(sa.run("alter database d set read_committed_snapshot on with no_wait"), "");
    let refused = sa.run("alter database d set read_committed_snapshot off with no_wait");
    assert!(refused.starts_with("Msg 5070, Level 16, State 2"), "{refused}");
    assert_eq!(sa.run(is_on), "a\n1\n(1 row)");
    // The session that changes it may be there.
    let instance = server.instance.clone();
    let changer = std::thread::spawn(move || {
        let server = super::TestServer::of(instance);
        server.session().script(
            "use d
            go
            alter database d set read_committed_snapshot off",
        )
    });
    let changes = "select count(*) as n from sys.dm_exec_requests where command = 'ALTER DATABASE'";
    wait_until("it has begun", || sa.run(changes).starts_with("n\n1\n"));
    assert!(!changer.is_finished(), "it waits");
    assert_eq!(sa.run(is_on), "a\n1\n(1 row)");
    reader.run("use master");
    assert_eq!(changer.join().unwrap(), "Changed database context to 'd'.");
    assert_eq!(sa.run(is_on), "a\n0\n(1 row)");
    // Other sessions are let in again, and ended on demand.
    assert_eq!(reader.run("use d"), "Changed database context to 'd'.");
    let interrupt = reader.session().interrupt().clone();
    let instance = server.instance.clone();
    let changer = std::thread::spawn(move || {
        let text = "alter database d set read_committed_snapshot on with rollback immediate";
        super::TestServer::of(instance).session().run(text)
    });
    wait_until("the session is to end", || interrupt.raised().is_some());
    drop(reader);
    let answer = changer.join().unwrap();
    assert!(answer.contains("Nonqualified transactions are being rolled back"), "{answer}");
    assert_eq!(sa.run(is_on), "a\n1\n(1 row)");
}

#[test]
fn a_database_goes_off_line_when_others_have_left_it() {
    let server = server();
    let (mut sa, mut inside) = (server.session(), server.session());
    sa.run("insert d.dbo.t values (7)");
    inside.run("use d");
    inside.run("begin transaction; insert t values (8)");
    let refused = sa.run("alter database d set offline with no_wait");
    assert!(refused.starts_with("Msg 5070, Level 16, State 2"), "{refused}");
    assert!(refused.contains("Msg 5069, Level 16, State 1"), "{refused}");
    assert_eq!(inside.run("select count(*) as n from t"), "n\n2\n(1 row)");
    let interrupt = inside.session().interrupt().clone();
    let instance = server.instance.clone();
    let changer = std::thread::spawn(move || {
        let text = "alter database d set offline with rollback immediate";
        super::TestServer::of(instance).session().run(text)
    });
    wait_until("the session is to end", || interrupt.raised().is_some());
    drop(inside);
    let answer = changer.join().unwrap();
    assert!(answer.contains("Estimated rollback completion: 100%"), "{answer}");
    let state = "select state_desc as s from sys.databases where name = 'd'";
    assert_eq!(sa.run(state), "s\nOFFLINE\n(1 row)");
    for text in ["use d", "select * from d.dbo.t"] {
        let refused = sa.run(text);
        assert!(refused.contains("Msg 942, Level 14, State 4"), "{refused}");
    }
    let refused = sa.run("alter database d set recovery simple");
    assert!(refused.starts_with("Msg 5052, Level 16, State 1"), "{refused}");
    assert_eq!(sa.run("alter database d set offline"), "");
    assert_eq!(sa.run("alter database d set online"), "");
    assert_eq!(sa.run(state), "s\nONLINE\n(1 row)");
    assert_eq!(sa.run("select id from d.dbo.t"), "id\n7\n(1 row)", "the other was rolled back");
    assert_eq!(sa.run("alter database d set online"), "");
    assert_eq!(sa.run("insert d.dbo.t values (9)"), "(1 row)");
}

//! Contained users: logging in, and what their sessions may do.

use env::sim::SimEnv;

use crate::instance::login::LoginFailure;
use crate::testing::TestServer;

const SETUP: &str = "exec sp_configure 'show advanced options', 1
reconfigure
exec sp_configure 'contained database authentication', 1
reconfigure
go
create database d containment = partial
go
create database e
go
create login ann with password = 'Login-word-1'
go
use d
go
create table t (a int)
insert t values (1)
create user ann with password = 'User-word-1'
create user bob with password = 'User-word-2'
grant select on t to ann";

fn server() -> TestServer {
    let server = TestServer::new();
    let answer = server.session().script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    server
}

/// The state of the refusal, or the name and database of the session.
fn log_in(server: &TestServer, name: &str, password: &str, database: &str) -> Result<String, u8> {
    let mut session = server.log_in(name, password, database)?;
    let answer = session.run(
        "select concat(original_login(), ' ', suser_sname(), ' ', user_name(), ' ', db_name()) a",
    );
    Ok(answer.lines().nth(1).unwrap().to_owned())
}

#[test]
fn a_contained_user_comes_before_a_login_of_its_name() {
    let server = server();
    let ann = |password, database| log_in(&server, "ann", password, database);
    assert_eq!(ann("User-word-1", "d").as_deref(), Ok("ann ann ann d"));
    assert_eq!(ann("User-word-1", "D").as_deref(), Ok("ann ann ann d"));
    assert_eq!(ann("Login-word-1", "d"), Err(65));
    assert_eq!(ann("Login-word-1", "").as_deref(), Ok("ann ann guest master"));
    assert_eq!(ann("User-word-1", ""), Err(8));
    assert_eq!(ann("User-word-1", "e"), Err(8));
    assert_eq!(log_in(&server, "bob", "User-word-2", "").unwrap_err(), 5);
    assert_eq!(log_in(&server, "bob", "User-word-2", "nowhere").unwrap_err(), 5);
    assert_eq!(log_in(&server, "dbo", "", "d").unwrap_err(), 5);
}

#[test]
fn a_contained_user_needs_the_setting_and_connect() {
    let server = server();
    let mut sa = server.session();
    sa.run("use d deny connect to bob");
    assert_eq!(log_in(&server, "bob", "User-word-2", "d"), Err(38));
    sa.run("grant connect to bob");
    sa.run("alter database d set restricted_user");
    assert_eq!(log_in(&server, "bob", "User-word-2", "d"), Err(38));
    sa.run("alter database d set multi_user");
    sa.run("exec sp_configure 'contained database authentication', 0 reconfigure with override");
    assert_eq!(log_in(&server, "bob", "User-word-2", "d"), Err(5));
    assert_eq!(log_in(&server, "ann", "Login-word-1", "d"), Err(38));
}

#[test]
fn a_contained_session_is_confined_to_its_database() {
    let server = server();
    let mut ann = server.log_in("ann", "User-word-1", "d").ok().unwrap();
    assert_eq!(ann.run("select a from t"), "a\n1\n(1 row)");
    assert!(ann.run("insert t values (2)").starts_with("Msg 229,"));
    assert!(ann.run("use e").starts_with("Msg 916,"), "{}", ann.run("use e"));
    assert!(ann.run("select * from e.sys.objects").starts_with("Msg 916,"));
    assert!(ann.run("use master").contains("Changed database context"), "guest may");
    assert_eq!(ann.run("select user_name() u"), "u\nguest\n(1 row)");
    assert!(ann.run("kill 999").starts_with("Msg 297,"));
    assert!(ann.run("create database x").starts_with("Msg 262,"));
    assert!(ann.run("create login x with password = 'Login-word-1'").starts_with("Msg 15247,"));
    assert!(ann.run("execute as login = 'sa'").starts_with("Msg 15406,"));
    assert!(ann.run("select * from sys.dm_os_memory_clerks").contains("Msg 300,"));
    ann.run("use d");
    let shown =
        "select login_name l, original_login_name o, authenticating_database_id - db_id() d,
        iif(security_id = p.sid, 1, 0) s from sys.dm_exec_sessions, sys.database_principals p
        where session_id = @@spid and p.name = 'ann'";
    assert_eq!(ann.run(shown), "l|o|d|s\nann|ann|0|1\n(1 row)");
    assert_eq!(ann.run("execute as caller select user_name() u"), "u\nann\n(1 row)");
}

/// The database decides, once it is trusted and its owner may vouch.
#[test]
fn a_trusted_database_vouches_for_its_users_elsewhere() {
    let server = server();
    let mut sa = server.session();
    sa.script(
        "use d
        go
        create user cleo with password = 'User-word-3', sid = 0x0102030405060708090a0b0c0d0e0f10
        go
        exec sp_configure 'contained database authentication', 1
        create database f containment = partial
        go
        use f
        go
        create user cleo with password = 'User-word-4', sid = 0x0102030405060708090a0b0c0d0e0f10",
    );
    let mut cleo = server.log_in("cleo", "User-word-3", "d").ok().unwrap();
    assert!(cleo.run("use f").starts_with("Msg 916,"));
    sa.run("alter database d set trustworthy on");
    assert!(cleo.run("use f").contains("'f'"));
    assert_eq!(
        cleo.run("select user_name() u, is_srvrolemember('sysadmin') a"),
        "u|a\ncleo|0\n(1 row)"
    );
}

#[test]
fn rights_of_a_contained_session_follow_its_roles() {
    let server = server();
    let mut sa = server.session();
    sa.run("use d");
    let mut bob = server.log_in("bob", "User-word-2", "d").ok().unwrap();
    assert!(bob.run("select a from t").starts_with("Msg 229,"));
    sa.run("alter role db_datareader add member bob");
    assert_eq!(bob.run("select a from t"), "a\n1\n(1 row)");
    sa.run("alter role db_datareader drop member bob");
    assert!(bob.run("select a from t").starts_with("Msg 229,"));
    sa.run("alter user bob with name = robert");
    assert_eq!(bob.run("select user_name() u"), "u\nrobert\n(1 row)");
    sa.run("revoke connect from robert");
    assert!(bob.run("select a from t").starts_with("Msg 916,"));
}

#[test]
fn a_user_that_is_logged_in_is_not_dropped() {
    let server = server();
    let mut sa = server.session();
    sa.run("use d");
    let bob = server.log_in("bob", "User-word-2", "d").ok().unwrap();
    let refused = sa.run("drop user bob");
    assert!(refused.starts_with("Msg 15434,"), "{refused}");
    drop(bob);
    assert_eq!(sa.run("drop user bob"), "");
    assert!(sa.run("alter database d set containment = none").starts_with("Msg 12809,"));
    sa.run("drop user ann");
    let mut inside = server.session();
    inside.run("use d");
    let refused = sa.run("alter database d set containment = none with no_wait");
    assert!(refused.starts_with("Msg 5070,"), "{refused}");
    drop(inside);
    assert_eq!(sa.run("alter database d set containment = none"), "");
    assert!(sa.run("create user bob with password = 'User-word-2'").starts_with("Msg 33233,"));
}

#[test]
fn contained_users_outlive_a_power_cut() {
    let sim = SimEnv::new(37);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.script(SETUP);
        assert!(session.durable("alter user ann with password = 'User-word-9'").is_some());
    }
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    assert_eq!(log_in(&server, "ann", "User-word-9", "d").as_deref(), Ok("ann ann ann d"));
    assert_eq!(log_in(&server, "ann", "User-word-1", "d"), Err(65));
}

#[test]
fn a_failure_names_the_database_in_the_log_alone() {
    let server = server();
    let failure = server.instance.authenticate("ann", "wrong", "d").unwrap_err();
    let LoginFailure { error, log_state, reason } = failure;
    assert_eq!((error.number(), log_state), (18456, 65));
    assert_eq!(error.text(), "Login failed for user 'ann'.");
    assert_eq!(reason, "Password did not match that for the user provided. [Database: 'd']");
}

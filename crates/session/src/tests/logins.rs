//! The options of a session: after its login, and after a reset.

use crate::options::ClientKind;
use crate::response::After;
use crate::testing::{TestServer, TestSession};

#[test]
fn a_reset_session_is_as_after_its_login() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table #t (a int) set nocount on begin tran");
    session.reset();
    assert_eq!(session.run("select @@trancount as n"), "n\n0\n(1 row)");
    assert!(session.run("select * from #t").contains("Invalid object name '#t'"));
}

/// A pool must not hand the role on.
#[test]
fn a_session_in_an_application_role_ends_with_a_reset() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create application role r with password = 'S3cret-Word'");
    session.run("exec sp_setapprole 'r', 'S3cret-Word'");
    assert_eq!(session.run("select user_name() as u"), "u\nr\n(1 row)");
    session.reset();
    assert_eq!(session.after, After::Disconnect);
}

#[test]
fn sessions_of_old_libraries_have_the_options_of_their_database() {
    let server = TestServer::new();
    let mut session = server.session_by("sa", ClientKind::DbLibrary);
    session
        .script("create database d\ngo\nalter database d set ansi_nulls on, quoted_identifier on");
    session.run("alter database d set concat_null_yields_null on");
    let told = "select sessionproperty('ansi_nulls') n, sessionproperty('quoted_identifier') q,
        sessionproperty('concat_null_yields_null') c, sessionproperty('ansi_warnings') w, len('a' + null) l";
    let check = |session: &mut TestSession<'_>, expected: &str| {
        let answer = session.run(told);
        assert!(answer.contains(expected), "{expected}: {answer}");
    };
    check(&mut session, "0|0|0|0|1");
    session.run("use d");
    check(&mut session, "1|1|1|0|NULL");
    session.run("set ansi_warnings on");
    session.run("use master");
    check(&mut session, "0|0|0|1|1");
    // Another session alters the database that this one is in.
    session.run("use d");
    server.session().run("alter database d set ansi_nulls off, ansi_warnings off");
    check(&mut session, "0|1|1|1|NULL");
    // What an ODBC login sets stays as it is.
    let mut odbc = server.session();
    odbc.run("use d");
    check(&mut odbc, "1|1|1|1|NULL");
}

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

/// What the logon triggers say to a login.
fn log_on(server: &TestServer, login: &str) -> Result<String, String> {
    let mut session = server.session_of(login);
    let task = &server.task;
    match session.session().logon(task, false) {
        Ok(()) => {
            Ok(session.run("select @@trancount as n, isnull(object_id('tempdb..#t'), 0) as t"))
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn logon_triggers_run_before_the_login_is_confirmed_and_may_refuse_it() {
    let server = TestServer::new();
    let mut admin = server.session();
    assert!(!admin.session().has_logon_triggers());
    let made = admin.script(
        "create login guest1 with password = 'Aa1!aaaa', check_policy = off
         create table log (who sysname, what nvarchar(max))
         grant insert on log to public
         go
         create trigger watch on all server for logon as
         declare @e xml = eventdata()
         create table #t (a int) set xact_abort off
         insert master.dbo.log select suser_sname(), cast(@e.query('/EVENT_INSTANCE/*[not(local-name() = (\"PostTime\", \"SPID\"))]') as nvarchar(max))
         print 'goes to the error log'
         if suser_sname() = 'guest1' rollback
         go
         grant connect to guest",
    );
    assert!(!made.contains("Msg "), "{made}");
    assert!(admin.session().has_logon_triggers());
    assert_eq!(log_on(&server, "sa"), Ok("n|t\n0|0\n(1 row)".into()));
    let refused = log_on(&server, "guest1").unwrap_err();
    assert!(refused.contains("Msg 17892, Level 14"), "{refused}");
    let told = admin.run("select who, what from log");
    assert_eq!(
        told,
        "who|what\nsa|<EventType>LOGON</EventType><ServerName>TEST</ServerName>\
         <LoginName>sa</LoginName><LoginType>SQL Login</LoginType><SID>AQ==</SID>\
         <ClientHost>&lt;local machine&gt;</ClientHost><IsPooled>0</IsPooled>\n(1 row)"
    );
    let refusals = [
        "select 1 / 0",
        "throw 50001, 'no', 1",
        "select 1 as a",
        "commit",
        "exec nothing_of_the_kind",
    ];
    for body in refusals {
        admin.run(&format!("alter trigger watch on all server for logon as {body}"));
        assert!(log_on(&server, "sa").is_err(), "{body}");
    }
    admin.run("disable trigger watch on all server");
    assert!(!admin.session().has_logon_triggers());
    assert!(log_on(&server, "guest1").is_ok());
    admin.run(
        "alter trigger watch on all server with execute as 'guest1' for logon as
        if suser_sname() <> 'guest1' or db_name() <> 'master' or @@trancount <> 1 rollback",
    );
    admin.run("enable trigger all on all server");
    assert!(log_on(&server, "sa").is_ok());
}

#[test]
fn a_session_that_is_used_anew_logs_in_anew() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table pooled (n int)");
    server.session().run(
        "create trigger watch on all server for logon as insert master.dbo.pooled
         select eventdata().value('(/EVENT_INSTANCE/IsPooled)[1]', 'int')
         if (select count(*) from master.dbo.pooled) > 1 rollback",
    );
    session.reset();
    assert_eq!(session.after, crate::response::After::GoOn);
    assert_eq!(session.run("select n from pooled"), "n\n1\n(1 row)");
    session.reset();
    assert_eq!(session.after, crate::response::After::Disconnect);
}

#[test]
fn triggers_survive_a_crash_and_a_server_may_be_started_without_those_for_logins() {
    let sim = env::sim::SimEnv::new(7);
    {
        let server = TestServer::on(&sim);
        let mut session = server.session();
        session.durable("create trigger never on all server for logon as rollback").unwrap();
        session
            .durable("create trigger guard on database for create_table as print 'heard'")
            .unwrap();
        assert!(log_on(&server, "sa").is_err());
        sim.fs().power_off();
    }
    sim.fs().power_on();
    let server = TestServer::with(&sim, |options| options.logon_triggers = false);
    assert!(!server.session().session().has_logon_triggers());
    let mut session = server.session();
    assert_eq!(session.run("select name from sys.server_triggers"), "name\nnever\n(1 row)");
    assert_eq!(session.run("create table heard (a int)"), "heard");
}

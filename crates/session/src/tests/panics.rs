//! What a panic of a statement ends: its session and its transaction, and nothing else. One in each
//! layer.

use base::on_purpose::{self, Place};

use crate::response::After;
use crate::testing::{TestServer, TestSession};

const SETUP: &str = "create database d
    go
    use d
    go
    create table t (id int not null primary key, name varchar(20) not null)
    insert t values (1, 'one')
    go
    create procedure p as insert t values (3, 'three') select upper(name) from t
    go
    create function f(@id int) returns varchar(20) as begin
        declare @name varchar(20) = (select upper(name) from dbo.t where id = @id)
        return @name
    end
    go
    create trigger tr on t after update as declare @a varchar(20) = (select min(lower(name)) from inserted)";

/// Statements that reach a place.
const LAYERS: &[(Place, &str)] = &[
    (Place::Parser, "select 1 as parsed"),
    (Place::Parser, "exec ('select 1 as parsed')"),
    (Place::Binder, "select id, 1 as bound from t"),
    (Place::Planner, "select id, 1 as planned from t"),
    (Place::Lowering, "select id, 1 as lowered from t"),
    (Place::Interpreter, "insert t values (4, 'four')"),
    (Place::Interpreter, "exec p"),
    (
        Place::Interpreter,
        "begin try select id, 1 as caught from t end try begin catch print 'no' end catch",
    ),
    (Place::Function, "select upper(name) from t"),
    (Place::Function, "select dbo.f(id) from t"),
    (Place::Function, "update t set name = 'new'"),
    (Place::SystemView, "select name from sys.tables"),
    (Place::SystemView, "select count(*) from sys.dm_exec_sessions"),
    (Place::SystemProcedure, "exec sp_rename 't', 'u'"),
    (Place::Definition, "create table u (id int)"),
    (Place::SchemaEdit, "create table u (id int)"),
    (Place::SchemaEdit, "alter table t add more int null"),
];

const TOLD: &str = "Msg 3624, Level 20, State 1, Line 1: A system assertion check has failed.";

/// Runs a statement that panics, in a transaction that has written and locked.
fn panics(session: &mut TestSession<'_>, place: Place, text: &str) {
    assert_eq!(session.run("use d"), "Changed database context to 'd'.", "{place:?}: {text}");
    let begun = session.run(
        "create table #own (id int)
         begin tran
         insert t values (2, 'two')
         select count(*) from t with (tablockx)",
    );
    assert!(!begun.contains("Msg "), "{place:?}: {begun}");
    on_purpose::arm(place);
    let answer = session.run(text);
    assert!(!on_purpose::disarm(), "{place:?} is not reached by {text}: {answer}");
    assert!(answer.contains(TOLD), "{place:?}: {text}: {answer}");
    assert_eq!(session.after, After::Disconnect, "{place:?}: {text}");
}

#[test]
fn a_panic_in_any_layer_ends_its_session_alone() {
    let server = TestServer::new();
    let mut other = server.session();
    let answer = other.script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    let sessions = other.run("select count(*) as n from sys.dm_exec_sessions");
    for (place, text) in LAYERS {
        let mut session = server.session();
        panics(&mut session, *place, text);
        // Even before the session ends, other sessions read and lock what it has written, and
        // change what it has changed.
        let answer = other.run(
            "set lock_timeout 0
             select id, name from t with (tablockx)
             select count(*) as n from sys.dm_tran_locks where request_session_id <> @@spid
                and resource_type <> 'DATABASE'
             alter table t add more int null
             alter table t drop column more
             select object_id('u') as u",
        );
        let expected = "id|name\n1|one\n(1 row)\nn\n0\n(1 row)\nu\nNULL\n(1 row)";
        assert_eq!(answer, expected, "{place:?}: {text}");
        drop(session);
        let now = other.run("select count(*) as n from sys.dm_exec_sessions");
        assert_eq!(now, sessions, "{place:?}: {text}");
        let left = other.run("select name from tempdb.sys.tables where name like '#own%'");
        assert_eq!(left, "name\n(0 rows)", "{place:?}: {text}");
    }
    assert_eq!(other.run("exec p"), "(1 row)\n\nONE\nTHREE\n(2 rows)");
}

#[test]
fn a_session_that_panics_while_it_ends_is_gone_all_the_same() {
    let server = TestServer::new();
    let mut other = server.session();
    let before = other.run("select count(*) as n from sys.dm_exec_sessions");
    let mut session = server.session();
    session.run("create table #t (id int) insert #t values (1)");
    on_purpose::arm(Place::SchemaEdit);
    drop(session);
    assert!(!on_purpose::disarm(), "the temporary table is dropped");
    assert_eq!(other.run("select count(*) as n from sys.dm_exec_sessions"), before);
}

#[test]
fn the_error_log_says_which_session_panicked() {
    let noted = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = noted.clone();
    let server = TestServer::with(&env::sim::SimEnv::new(7), |options| {
        options.error_log = Box::new(move |message| log.lock().unwrap().push(message.clone()));
    });
    let mut session = server.session();
    let id = session.session().id().0;
    on_purpose::arm(Place::Binder);
    session.run("select name from sys.databases");
    let noted = noted.lock().unwrap();
    let [error] = &noted[..] else { panic!("{noted:?}") };
    assert_eq!((error.number(), error.severity()), (3624, 20));
    assert!(error.text().ends_with(&format!("Session {id}: on purpose: Binder")), "{error}");
}

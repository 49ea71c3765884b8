//! Definitions beside transactions that read, write or define something else: which of them wait,
//! for which session, and what the views show of that.

use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use tools::client::{ClientError, Connection};

use crate::sql::{error, number, refused, run};
use crate::support::{PATIENCE, TestServer, session_of};

/// A database of a test's own, with a table that has a row.
struct Place<'s> {
    server: &'s TestServer,
    name: &'static str,
}

impl<'s> Place<'s> {
    fn new(server: &'s TestServer, name: &'static str) -> Place<'s> {
        let mut connection = server.connect();
        run(&mut connection, &format!("create database {name}"));
        Place { server, name }
    }

    fn connect(&self) -> Connection {
        let mut connection = self.server.connect();
        run(&mut connection, &format!("use {}", self.name));
        connection
    }

    /// Performs something that waits, on a thread of its own.
    fn waiter(&self, before: &str, text: &str) -> Waiter {
        let mut connection = self.connect();
        if !before.is_empty() {
            run(&mut connection, before);
        }
        let session = session_of(&mut connection);
        let (said, answer) = channel();
        let text = text.to_string();
        let thread = std::thread::spawn(move || {
            let answer = match connection.execute(&text) {
                Ok(outcome) => outcome.first_error.map(|message| message.error.number()),
                Err(ClientError::Server(message)) => Some(message.error.number()),
                Err(_) => None, // it was killed
            };
            let _ = said.send(answer);
        });
        Waiter { session, answer, thread }
    }
}

struct Waiter {
    session: i64,
    answer: Receiver<Option<i32>>,
    thread: JoinHandle<()>,
}

impl Waiter {
    /// Waits until it is shown to wait like this for a session.
    fn is_blocked_by(&self, observer: &mut Connection, blocker: i64, wait_type: &str) {
        let session = self.session;
        let query = format!(
            "select count(*) from sys.dm_exec_requests r
             join sys.dm_os_waiting_tasks w on w.session_id = r.session_id
             join sys.sysprocesses p on p.spid = r.session_id
             where r.session_id = {session} and r.blocking_session_id = {blocker} and r.wait_type = '{wait_type}'
               and w.blocking_session_id = {blocker} and w.wait_type = '{wait_type}' and p.blocked = {blocker}
               and r.status = 'suspended' and r.wait_resource <> ''
               and exists (select * from sys.dm_tran_locks l where l.request_session_id = {session}
                           and l.request_status in ('WAIT', 'CONVERT'))"
        );
        let deadline = Instant::now() + PATIENCE;
        while number(observer, &query) != 1 {
            let shown = observer.query("select session_id, wait_type, blocking_session_id, resource_description from sys.dm_os_waiting_tasks");
            assert!(
                Instant::now() < deadline,
                "{wait_type} for {blocker}: {:?}",
                shown.unwrap().rows
            );
            assert!(!self.thread.is_finished(), "it does not wait: {:?}", self.answer.try_recv());
        }
    }

    /// How the statement ended: the number of its error.
    fn outcome(self) -> Option<i32> {
        let answer = self.answer.recv_timeout(PATIENCE).expect("it waits no more");
        self.thread.join().unwrap();
        answer
    }
}

const TABLE: &str = "create table t (a int); insert t values (1)";
const AGAIN: &str = "drop table if exists t, t2, made; drop procedure if exists p";

/// Each runs at once, whatever the other transaction has done.
#[test]
fn definitions_do_not_wait_for_transactions_that_do_not_concern_them() {
    let server = TestServer::shared();
    let place = Place::new(&server, "apart");
    let mut setup = place.connect();
    let cases = [
        ("select * from t", "drop table t"),
        ("select * from t", "alter table t add b int"),
        ("select * from t", "create index i on t (a)"),
        ("select * from t", "truncate table t"),
        ("select count(*) from t", "drop table t"),
        ("select * from t with (nolock)", "drop table t"),
        (
            "declare c cursor global for select a from t; open c; fetch c; close c; deallocate c",
            "drop table t",
        ),
        ("select * from t", "create table t2 (a int)"),
        ("insert t values (2)", "create table t2 (a int)"),
        ("insert t values (2)", "create procedure p as select * from t"),
        ("create table made (a int)", "create table t2 (a int)"),
        ("create table made (a int)", "create procedure p as select 1 as a"),
        ("create table made (a int)", "drop table t"),
        ("create table made (a int)", "create schema s"),
        ("create table made (a int)", "create type ty from int"),
        ("create user u without login", "create user u2 without login"),
        ("drop table t", "create table t2 (a int)"),
        ("alter table t add b int", "create table t2 (a int)"),
        ("create table #x (a int)", "create table t2 (a int)"),
        ("create table #x (a int)", "create table #y (a int)"),
        ("create table ##x (a int)", "create table ##y (a int); drop table ##y"),
        ("insert t values (3); commit; begin tran", "drop table t"),
    ];
    for versions in ["on", "off"] {
        let mut master = place.server.connect();
        drop(std::mem::replace(&mut setup, place.server.connect()));
        let text = format!(
            "alter database apart set read_committed_snapshot {versions} with rollback immediate"
        );
        run(&mut master, &text);
        run(&mut setup, "use apart");
        for (first, second) in cases {
            run(&mut setup, AGAIN);
            run(
                &mut setup,
                "drop schema if exists s; drop type if exists ty; drop user if exists u; drop user if exists u2",
            );
            run(&mut setup, TABLE);
            let (mut a, mut b) = (place.connect(), place.connect());
            run(&mut a, "begin tran");
            run(&mut a, first);
            run(&mut b, "set lock_timeout 0");
            assert_eq!(
                error(&mut b, second),
                None,
                "{second}, beside {first}, versions {versions}"
            );
            run(&mut a, "if @@trancount > 0 rollback");
        }
    }
}

/// What two transactions commit that have changed the schema side by side is there, both.
#[test]
fn definitions_of_two_transactions_come_together() {
    let server = TestServer::shared();
    let place = Place::new(&server, "together");
    let (mut a, mut b) = (place.connect(), place.connect());
    run(&mut a, "create table parent (id int primary key)");
    run(&mut a, "create schema s");
    run(&mut a, "begin tran; create table s.first (a int); alter table parent add x int");
    run(&mut b, "begin tran; create table s.second (a int)");
    run(&mut b, "create view s.v as select a from s.second");
    run(&mut a, "commit");
    // A transaction with changes of its own sees what other transactions commit.
    assert_eq!(number(&mut b, "select count(*) from s.first where a is null"), 0);
    assert_eq!(number(&mut b, "select count(*) from parent where x is null"), 0);
    run(&mut b, "insert s.second values (7); commit");
    assert_eq!(number(&mut a, "select a from s.v"), 7);
    assert_eq!(number(&mut a, "select count(*) from sys.tables"), 3);
    run(&mut a, "dbcc checkcatalog with no_infomsgs");
}

/// What the first session does, what the second does, how that waits, and its error where the first
/// is rolled back, and is committed.
type Case = (&'static str, &'static str, &'static str, Option<i32>, Option<i32>);

/// A statement waits for the transaction in its way, which the views name, and goes on according to
/// that one's outcome.
#[test]
fn definitions_wait_for_what_concerns_them_and_the_views_show_it() {
    let server = TestServer::shared();
    let place = Place::new(&server, "concerned");
    let mut setup = place.connect();
    run(&mut setup, "create type ty from int");
    let (sch_m, sch_s) = ("LCK_M_SCH_M", "LCK_M_SCH_S");
    let cases: [Case; 21] = [
        ("insert t values (2)", "drop table t", sch_m, None, None),
        ("insert t values (2)", "alter table t add b int", sch_m, None, None),
        ("insert t values (2)", "truncate table t", sch_m, None, None),
        ("insert t values (2)", "create index i on t (a)", sch_m, None, None),
        ("select * from t with (repeatableread)", "drop table t", sch_m, None, None),
        ("select * from t with (holdlock)", "alter table t add b int", sch_m, None, None),
        ("alter table t add b int", "select a from t", sch_s, None, None),
        ("alter table t add b int", "insert t (a) values (3)", sch_s, None, None),
        ("drop table t", "select a from t", sch_s, None, Some(208)),
        ("truncate table t", "select a from t", sch_s, None, None),
        ("alter table t add b int", "alter table t add c int", sch_m, None, None),
        ("alter table t add b int", "alter table t add b int", sch_m, None, Some(2705)),
        ("drop table t", "drop table t", sch_m, None, Some(3701)),
        ("drop table t", "create table t (z int)", "LCK_M_S", Some(2714), None),
        ("create table made (a int)", "create table made (a int)", "LCK_M_X", None, Some(2714)),
        ("create table made (a int)", "drop table made", "LCK_M_S", Some(3701), None),
        ("create table s.made (a int)", "drop schema s", sch_m, None, Some(3729)),
        ("drop schema s", "create table s.made (a int)", sch_s, None, Some(2760)),
        ("create table made (a ty)", "drop type ty", sch_m, None, Some(3732)),
        ("create table made (a int references p (id))", "drop table p", sch_m, None, Some(3726)),
        ("grant select on t to public", "drop table t", sch_m, None, None),
    ];
    for commits in [false, true] {
        for (first, second, wait, after_rollback, after_commit) in cases {
            let shown = format!("{first}; then {second}");
            run(&mut setup, "drop table if exists made, t, s.made; drop table if exists p");
            run(&mut setup, "if schema_id('s') is null exec ('create schema s')");
            run(&mut setup, "if type_id('ty') is null create type ty from int");
            run(&mut setup, "create table p (id int primary key)");
            run(&mut setup, TABLE);
            let mut a = place.connect();
            run(&mut a, "begin tran");
            run(&mut a, first);
            let blocker = session_of(&mut a);
            let mut impatient = place.connect();
            run(&mut impatient, "set lock_timeout 20");
            assert_eq!(refused(&mut impatient, second), 1222, "{shown}");
            let b = place.waiter("", second);
            b.is_blocked_by(&mut setup, blocker, wait);
            // Others go on meanwhile.
            let mut other = place.connect();
            run(&mut other, "create table beside (a int); drop table beside");
            let (end, expected) = match commits {
                true => ("commit", after_commit),
                false => ("rollback", after_rollback),
            };
            run(&mut a, end);
            assert_eq!(b.outcome(), expected, "{shown}, after {end}");
        }
    }
}

/// A reader that comes after a waiting definition waits, too; readers of other tables do not.
#[test]
fn readers_queue_behind_a_definition_that_waits() {
    let server = TestServer::shared();
    let place = Place::new(&server, "queued");
    let (mut a, mut observer) = (place.connect(), place.connect());
    run(&mut a, TABLE);
    run(&mut a, "create table other (a int)");
    run(&mut a, "begin tran; insert t values (2)");
    let writer = session_of(&mut a);
    let ddl = place.waiter("", "alter table t add b int");
    ddl.is_blocked_by(&mut observer, writer, "LCK_M_SCH_M");
    let reader = place.waiter("", "select a from t");
    reader.is_blocked_by(&mut observer, ddl.session, "LCK_M_SCH_S");
    run(&mut observer, "select a from other; alter table other add b int");
    // It gives up, and the reader goes on although the writer has not ended.
    run(&mut observer, &format!("kill {}", ddl.session));
    assert_eq!(reader.outcome(), None);
    run(&mut a, "rollback");
}

#[test]
fn deadlocks_among_definitions_are_found() {
    let server = TestServer::shared();
    let place = Place::new(&server, "circular");
    let (mut a, mut observer) = (place.connect(), place.connect());
    run(&mut a, "create table t1 (a int); create table t2 (a int)");
    run(&mut a, "begin tran; alter table t1 add b int");
    let first = session_of(&mut a);
    let b = place.waiter(
        "set deadlock_priority low; begin tran; alter table t2 add b int",
        "alter table t1 add c int",
    );
    b.is_blocked_by(&mut observer, first, "LCK_M_SCH_M");
    run(&mut a, "alter table t2 add c int");
    assert_eq!(b.outcome(), Some(1205));
    run(&mut a, "commit");
    // One that is inside a table, and one that waits for its end.
    run(&mut a, "begin tran; insert t1 (a) values (1)");
    let b = place.waiter(
        "set deadlock_priority low; begin tran; insert t2 (a) values (1)",
        "alter table t1 add d int",
    );
    b.is_blocked_by(&mut observer, first, "LCK_M_SCH_M");
    run(&mut a, "alter table t2 add d int");
    assert_eq!(b.outcome(), Some(1205));
    run(&mut a, "commit");
}

/// A snapshot that is older than a table's definition does not read it.
#[test]
fn an_old_snapshot_is_refused_a_table_that_was_changed() {
    let server = TestServer::shared();
    let place = Place::new(&server, "older");
    let (mut a, mut b) = (place.connect(), place.connect());
    run(&mut a, "alter database older set allow_snapshot_isolation on");
    run(&mut a, TABLE);
    run(&mut a, "set transaction isolation level snapshot; begin tran");
    assert_eq!(number(&mut a, "select a from t"), 1);
    run(&mut b, "set lock_timeout 0; truncate table t; insert t values (5)");
    assert_eq!(refused(&mut a, "select a from t"), 3961);
    run(&mut a, "if @@trancount > 0 rollback");
    run(&mut a, "begin tran");
    assert_eq!(number(&mut a, "select a from t"), 5);
    run(&mut b, "drop table t");
    assert_eq!(refused(&mut a, "select a from t"), 208);
    run(&mut a, "if @@trancount > 0 rollback");
}

/// What a transaction that defines something holds is shown.
#[test]
fn locks_of_definitions_are_shown() {
    let server = TestServer::shared();
    let place = Place::new(&server, "shown");
    let (mut a, mut observer) = (place.connect(), place.connect());
    run(&mut a, "begin tran; create table t (a int)");
    let (session, id) = (session_of(&mut a), number(&mut a, "select object_id('t')"));
    let mut count = |condition: &str| {
        let text = format!(
            "select count(*) from sys.dm_tran_locks where request_session_id = {session}
             and resource_database_id = db_id() and request_status = 'GRANT' and {condition}"
        );
        number(&mut observer, &text)
    };
    let object = format!(
        "resource_type = 'OBJECT' and resource_associated_entity_id = {id} and request_mode = 'Sch-M'"
    );
    assert_eq!(count(&object), 1);
    let schema = "resource_type = 'METADATA' and resource_subtype = 'SCHEMA' and resource_description = 'schema_id = 1'
                  and request_mode = 'Sch-S'";
    assert_eq!(count(schema), 1);
    assert_eq!(count("resource_type = 'KEY' and request_mode = 'X'"), 1, "the name");
    assert_eq!(
        count("resource_type = 'DATABASE' and resource_subtype = 'DDL' and request_mode = 'IX'"),
        1
    );
    run(&mut a, "commit");
}

/// A cursor that reads its rows anew keeps the definition of its table from other sessions until it
/// is closed, outside of transactions, too; one that has copied them does not.
#[test]
fn open_cursors_hold_the_definition_of_their_table() {
    let server = TestServer::shared();
    let place = Place::new(&server, "held_by_cursor");
    let (mut a, mut observer) = (place.connect(), place.connect());
    let blocker = session_of(&mut a);
    run(&mut a, "create table t (a int not null primary key); insert t values (1), (2)");
    run(&mut a, "declare c cursor global static for select a from t; open c; fetch next from c");
    run(&mut observer, "alter table t add b int");
    run(&mut a, "deallocate c");
    for ending in ["close c", "deallocate c", "begin tran; rollback"] {
        run(
            &mut a,
            "declare c cursor global keyset for select a from t; open c; fetch next from c",
        );
        let waiter = place.waiter("", "alter table t drop column b; alter table t add b int");
        waiter.is_blocked_by(&mut observer, blocker, "LCK_M_SCH_M");
        // Rows and what refers to the table change meanwhile.
        run(&mut observer, "insert t (a) select max(a) + 1 from t");
        assert_eq!(number(&mut a, "fetch next from c"), 2);
        assert_eq!(place.waiter("set lock_timeout 0", "truncate table t").outcome(), Some(1222));
        run(&mut a, ending);
        assert_eq!(waiter.outcome(), None);
        run(&mut a, "if cursor_status('global', 'c') > -3 deallocate c");
    }
    // A session that ends holds nothing.
    run(&mut a, "declare c cursor global keyset for select a from t; open c");
    let waiter = place.waiter("", "drop table t");
    waiter.is_blocked_by(&mut observer, blocker, "LCK_M_SCH_M");
    drop(a);
    assert_eq!(waiter.outcome(), None);
}

//! A panic of a statement ends its session with error 3624, and the server goes on.

use base::on_purpose;
use tools::client::{ClientError, Connection};

use crate::sql::{error, number, run};
use crate::support::TestServer;

/// Where the parser panics.
const MARK: &str = "/* the parser panics here */";

/// Whether a connection can no longer be used.
fn is_closed(connection: &mut Connection) -> bool {
    matches!(connection.execute("select 1"), Err(ClientError::Lost(_) | ClientError::Closed))
}

#[test]
fn a_panic_ends_its_session_and_no_other() {
    on_purpose::mark(MARK);
    let server = TestServer::new();
    let mut other = server.connect();
    run(&mut other, "create table t (id int primary key); insert t values (1)");
    let sessions = "select count(*) from sys.dm_exec_sessions where session_id > 50";
    let before = number(&mut other, sessions);
    for text in [
        format!("select 1 {MARK}"),
        format!("exec ('select 1 {MARK}')"),
        format!("begin try exec ('select 1 {MARK}') end try begin catch select 2 end catch"),
    ] {
        let mut session = server.connect();
        run(&mut session, "begin tran; insert t values (2); create table #t (id int)");
        assert_eq!(error(&mut session, &text), Some(3624), "{text}");
        assert!(is_closed(&mut session), "{text}");
        // The lock of the row is gone with the transaction.
        run(&mut other, "set lock_timeout 20000; insert t values (2); delete t where id = 2");
        assert_eq!(number(&mut other, "select count(*) from t"), 1, "{text}");
        let began = std::time::Instant::now();
        while number(&mut other, sessions) > before {
            assert!(began.elapsed().as_secs() < 60, "the session ends: {text}");
            std::thread::yield_now();
        }
    }
    let mut next = server.connect();
    assert_eq!(number(&mut next, "select count(*) from t"), 1, "others are let in");
}

#[test]
fn a_panic_behind_rows_that_were_sent_is_told_behind_them() {
    on_purpose::mark(MARK);
    let server = TestServer::new();
    let mut session = server.connect();
    let text = format!("select value from generate_series(1, 100000); exec ('select 1 {MARK}')");
    match session.query(&text) {
        Err(ClientError::Server(message)) => assert_eq!(message.error.number(), 3624),
        other => panic!("{:?}", other.map(|rows| rows.rows.len())),
    }
    assert!(is_closed(&mut session));
}

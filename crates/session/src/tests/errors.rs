//! Errors that end the connection, and those of a full log.

use env::OpKind;
use env::sim::{Fault, FaultKind, SimEnv};

use crate::response::After;
use crate::testing::TestServer;

#[test]
fn the_severest_errors_end_the_connection() {
    let server = TestServer::new();
    let mut session = server.session();
    let answer = session.run("raiserror('gone', 20, 1) with log print 'not'");
    assert_eq!(answer, "Msg 50000, Level 20, State 1, Line 1: gone");
    assert_eq!(session.after, After::Disconnect);
}

/// Error 9002 had neither the database nor what keeps its log.
#[test]
fn a_full_log_is_named_with_what_keeps_it() {
    let sim = SimEnv::new(11);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("create database shop; alter database shop set recovery full");
    session.run("use shop");
    session.run("create table t (id int not null identity primary key, v varchar(8000) not null)");
    for on in ["/log", "/checkpoint"] {
        let fault = Fault::next(OpKind::Write, FaultKind::DiskFull).on("/shop").on(on);
        let fault = if on == "/log" { fault.on(".new") } else { fault };
        sim.fs().inject(fault.forever());
    }
    let insert = "insert t (v) select replicate('x', 8000) from generate_series(1, 50)";
    let mut answers = (0..1000).map(|_| session.run(insert));
    let answer = answers.find(|answer| answer.contains("Msg ")).expect("the log has an end");
    sim.fs().clear_faults();
    let told = "Msg 9002, Level 17, State 2, Line 1: The transaction log for database 'shop' is full due to 'NOTHING'.";
    assert!(answer.contains(told), "{answer}");
}

use engine::wait::Interrupted;

use crate::testing::TestServer;

#[test]
fn open_transactions_are_not_waited_for() {
    let server = TestServer::new();
    let (mut writer, mut reader) = (server.session(), server.session());
    writer.run("create table t (id int identity primary key, a int, index ia (a)); insert t values (1), (2)");
    writer.run("begin tran; update t set a = 3 where id = 1; insert t values (4)");
    for level in ["read committed", "serializable", "snapshot"] {
        reader.run(&format!("set lock_timeout 0 set transaction isolation level {level}"));
        let answer = reader.run("dbcc show_statistics (t, ia) with histogram, no_infomsgs");
        assert!(!answer.contains("Msg "), "{level}: {answer}");
        assert!(answer.ends_with("2|0|1|0|1\n3|0|1|0|1\n4|0|1|0|1\n(3 rows)"), "{answer}");
    }
}

#[test]
fn a_cancelled_command_shows_nothing() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table t (a int); insert t select value from generate_series(1, 20000)");
    let command = "dbcc show_statistics (t, a) with histogram";
    let answer = session.run_interrupted(command, Interrupted::Attention);
    assert!(!answer.contains("RANGE_HI_KEY"), "{answer}");
    let answer = session.run(command);
    assert!(answer.contains("\n20000|"), "{answer}");
}

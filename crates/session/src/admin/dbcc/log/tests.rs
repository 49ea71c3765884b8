use crate::testing::{TestServer, TestSession};

/// The lowest number of a segment, how many are needed, and how many there are.
fn segments(session: &mut TestSession<'_>) -> [i64; 3] {
    session.run("truncate table #l; insert #l exec ('dbcc loginfo with no_infomsgs')");
    let answer = session.run("select min(number), sum(iif(status = 2, 1, 0)), count(*) from #l");
    let line = answer.lines().nth(1).unwrap_or_default();
    let values: Vec<i64> = line.split('|').map(|value| value.parse().unwrap()).collect();
    values.try_into().unwrap()
}

/// Writes until the log has come this many segments further.
fn fill(session: &mut TestSession<'_>, further: i64) {
    let [.., begun] = segments(session);
    for _ in 0..200 {
        session.run("insert t select 'x' from generate_series(1, 250)");
        if segments(session)[2] >= begun + further {
            return;
        }
    }
    panic!("200 MB of rows are in {:?} segments", segments(session));
}

#[test]
fn segments_are_told_of_as_long_as_they_are_needed() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d");
    session.run("create table t (filler char(4000))");
    session.run(
        "create table #l (unit int, files int, size bigint, begins bigint, number int, status int, parity int, made bigint)",
    );
    fill(&mut session, 2);
    let [first, needed, all] = segments(&mut session);
    assert!(needed >= 2 && all > needed, "one is prepared: {needed} of {all}");
    server.sink();
    session.run("checkpoint");
    let [later, fewer, _] = segments(&mut session);
    assert!(later > first && fewer < needed, "{first} {later} {needed} {fewer}");
    // From a backup on the log is kept for one of its own.
    session.run("backup database d to disk = 'd.bak'");
    session.run("checkpoint");
    let [kept, ..] = segments(&mut session);
    fill(&mut session, 2);
    server.sink();
    session.run("checkpoint");
    let [first, needed, _] = segments(&mut session);
    assert_eq!(first, kept);
    assert!(needed >= 2, "{needed}");
    session.run("alter database d set recovery simple");
    let [later, fewer, _] = segments(&mut session);
    assert!(later > first && fewer < needed, "{first} {later} {needed} {fewer}");
}

//! Batches that the client cancels, or whose session is killed.

use engine::wait::Interrupted;

use crate::response::After;
use crate::testing::TestServer;

#[test]
fn a_cancelled_batch_ends_at_once_and_keeps_its_transaction() {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d\ngo\ncreate table t (a int)");
    session.run("begin tran insert t values (1)");
    let endless = "begin try while 1 = 1 set rowcount 0 end try begin catch print 'not' end catch print 'not'";
    assert_eq!(session.run_interrupted(endless, Interrupted::Attention), "");
    assert_eq!(session.after, After::GoOn);
    assert_eq!(
        session.run_interrupted("waitfor delay '01:00' print 'not'", Interrupted::Attention),
        ""
    );
    assert_eq!(session.run("select @@trancount as tc, count(*) as n from t"), "tc|n\n1|1\n(1 row)");
    session.run("set xact_abort on");
    assert_eq!(session.run_interrupted(endless, Interrupted::Attention), "");
    assert_eq!(session.run("select @@trancount as tc, count(*) as n from t"), "tc|n\n0|0\n(1 row)");
    let counting = "select count(*) from generate_series(1, 9000000000000000000) print 'not'";
    assert_eq!(session.run_interrupted(counting, Interrupted::Attention), "");
    session.run_interrupted("print 'x' waitfor delay '01:00'", Interrupted::Kill);
    assert_eq!(session.after, After::Disconnect);
}

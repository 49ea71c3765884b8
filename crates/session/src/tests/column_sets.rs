//! Column sets after a restart.

use env::sim::SimEnv;

use crate::testing::TestServer;

#[test]
fn sets_show_sparse_columns_after_a_restart() {
    let sim = SimEnv::new(12);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("create database d");
    session.run("use d");
    session.run("create table t (id int primary key, a int sparse, b varchar(9) sparse, s xml column_set for all_sparse_columns)");
    session.run("insert t values (1, '<a>1</a><b>x</b>')");
    session.run("alter table t add c date sparse");
    session.run("insert t (id, c) values (2, '2024-01-02')");
    session.run("begin tran; update t set s = null");
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let shown = session.run("select * from t order by id");
    assert!(shown.contains("id|s\n1|<a>1</a><b>x</b>\n2|<c>2024-01-02</c>\n"), "{shown}");
    let set = session.run("update t set s = '<c>2024-05-06</c>' where id = 1; select a, c from t");
    assert!(set.contains("NULL|2024-05-06\n"), "{set}");
}

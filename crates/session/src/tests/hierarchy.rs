//! Nodes of trees after a restart.

use env::sim::SimEnv;

use crate::testing::TestServer;

#[test]
fn nodes_and_their_indexes_are_there_after_a_restart() {
    let sim = SimEnv::new(11);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("create database d");
    session.run("use d");
    session.run(
        "create table t (node hierarchyid primary key, up as node.GetAncestor(1) persisted, \
         level as node.GetLevel())",
    );
    session.run("create index i on t (up, level)");
    session.run("exec('create procedure p @h hierarchyid as select @h.ToString() as path')");
    session.run("insert t values ('/'), ('/2/'), ('/1/'), ('/1/1/'), ('/1.5/')");
    session.run("begin tran; delete t");
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    let below =
        session.run("select node.ToString() as p from t where node.IsDescendantOf('/1/') = 1");
    assert!(below.contains("p\n/1/\n/1/1/\n(2 rows)"), "{below}");
    let children = session.run("select node.ToString() as p from t where up = 0x order by node");
    assert!(children.contains("p\n/1/\n/1.5/\n/2/\n(3 rows)"), "{children}");
    let twice = session.run("insert t values ('/1.5/')");
    assert!(twice.contains("Msg 2627"), "{twice}");
    assert!(session.run("exec p 0x5AC0").contains("/1/1/"));
    let shown = session.run("select type_name(user_type_id) as type from sys.parameters");
    assert!(shown.contains("type\nhierarchyid\n"), "{shown}");
}

/// The bound above its descendants has more bytes than a value may have.
#[test]
fn the_longest_node_has_a_range_of_descendants() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table t (node hierarchyid primary key)");
    let longest = format!("/{}", "1/".repeat(1427));
    session.run(&format!("insert t values ('/'), ('/2/'), ('{longest}')"));
    let found = session.run(&format!(
        "select datalength(node) as n from t where node.IsDescendantOf('{longest}') = 1; \
         declare @h hierarchyid = '{longest}'; \
         select count(*) as n from t where node.IsDescendantOf(@h) = 1"
    ));
    assert!(found.contains("n\n892\n") && found.contains("n\n1\n"), "{found}");
}

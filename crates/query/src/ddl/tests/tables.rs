//! Tables: made, altered, dropped.

use crate::exec::testing::TestServer;

#[test]
fn what_was_defined_holds() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(
        "create table t (id int identity primary key, name varchar(20) not null default 'x', \
         twice as id * 2, constraint positive check (id > 0), index ix (name))",
    );
    assert_eq!(session.run("insert t (name) values ('a'), (default)"), "(2 rows)");
    assert_eq!(session.run("select * from t"), "id|name|twice\n1|a|2\n2|x|4\n(2 rows)");
    let answer = session.run("create table t (a int)");
    assert!(
        answer.starts_with("Msg 2714, Level 16, State 6, Line 1: There is already"),
        "{answer}"
    );
}

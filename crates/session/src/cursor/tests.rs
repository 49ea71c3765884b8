//! Cursors of clients.

use base::{Collation, SqlType, Value};

use crate::testing::TestServer;

#[test]
fn clients_fetch_blocks_and_change_rows_in_them() {
    const TEXT: SqlType = SqlType::nvarchar(100, Collation::DEFAULT);
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table t (id int primary key, v varchar(10))");
    session.run("insert t values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
    let int = |value: i64, output| ("", SqlType::int(), Value::Int(value), output);
    let text = |value: &str| ("", TEXT, Value::unicode(value), false);
    let null = ("", SqlType::int(), Value::Null, true);
    let query = text("select id, v from t order by id");
    let opened = session
        .call("sp_cursoropen", &[null.clone(), query, int(1, true), int(4, true), null.clone()]);
    assert_eq!(
        opened,
        "id|v|ROWSTAT\n(0 rows)\n@cursor = 180150003\n@scrollopt = 1\n@ccopt = 4\n@rowcount = 4"
    );
    let mut fetch = |kind: i64, row: i64, count: i64| {
        let handle = int(180_150_003, false);
        let args = [handle, int(kind, false), int(row, false), int(count, false)];
        session.call("sp_cursorfetch", &args).replace('\n', " / ")
    };
    assert_eq!(fetch(2, 0, 3), "id|v|ROWSTAT / 1|a|1 / 2|b|1 / 3|c|1 / (3 rows)");
    assert_eq!(fetch(2, 0, 3), "id|v|ROWSTAT / 4|d|1 / (1 row)");
    assert_eq!(fetch(4, 0, 2), "id|v|ROWSTAT / 2|b|1 / 3|c|1 / (2 rows)");
    let handle = int(180_150_003, false);
    let new = ("@v", TEXT, Value::unicode("new"), false);
    let update = [handle.clone(), int(1, false), int(2, false), text(""), new];
    session.call("sp_cursor", &update);
    let delete = [handle.clone(), int(2, false), int(1, false), text("")];
    session.call("sp_cursor", &delete);
    assert_eq!(session.run("select * from t"), "id|v\n1|a\n3|new\n4|d\n(3 rows)");
    let args = [handle.clone(), int(16, false), int(2, false), int(2, false)];
    let again = session.call("sp_cursorfetch", &args);
    assert_eq!(again, "id|v|ROWSTAT\nNULL|NULL|2\n3|new|1\n(2 rows)");
    session.call("sp_cursorclose", std::slice::from_ref(&handle));
    let closed = session.call("sp_cursorfetch", &[handle]);
    assert!(closed.starts_with("Msg 16909,"), "{closed}");
}

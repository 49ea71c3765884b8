//! Procedures that clients call by name, with arguments of their own.

use base::{Collation, SqlType, Value};

use crate::testing::TestServer;

#[test]
fn clients_call_and_prepare() {
    let server = TestServer::new();
    let mut session = server.session();
    let text = |text: &str| (SqlType::nvarchar_max(Collation::DEFAULT), Value::unicode(text));
    let (ty, statement) = text("select @a + 1 as b set @o = @a * 2");
    let (_, declared) = text("@a int, @o int output");
    let answer = session.call(
        "sp_executesql",
        &[
            ("", ty, statement.clone(), false),
            ("", ty, declared.clone(), false),
            ("@a", SqlType::int(), Value::Int(20), false),
            ("@o", SqlType::int(), Value::Null, true),
        ],
    );
    assert_eq!(answer, "b\n21\n(1 row)\n@o = 40");
    let answer = session.call(
        "sp_prepare",
        &[
            ("", SqlType::int(), Value::Null, true),
            ("", ty, declared, false),
            ("", ty, statement, false),
            ("", SqlType::int(), Value::Int(1), false),
        ],
    );
    assert_eq!(answer, "b\n(0 rows)\n@handle = 1");
    let answer = session.call(
        "sp_execute",
        &[
            ("", SqlType::int(), Value::Int(1), false),
            ("", SqlType::int(), Value::Int(3), false),
            ("", SqlType::int(), Value::Null, true),
        ],
    );
    assert_eq!(answer, "b\n4\n(1 row)\n@o = 6");
    assert_eq!(session.call("sp_unprepare", &[("", SqlType::int(), Value::Int(1), false)]), "");
    let answer = session.call("sp_execute", &[("", SqlType::int(), Value::Int(1), false)]);
    assert!(answer.starts_with("Msg 8179, Level 16, State 2"), "{answer}");
}

#[test]
fn a_remote_call_runs_in_the_database_of_its_name() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create database d");
    let text = Value::unicode("select db_name() as d");
    let text = ("", SqlType::nvarchar(40, Collation::DEFAULT), text, false);
    for name in ["d..sp_executesql", "[d].dbo.sp_executesql", "d.sys.sp_executesql"] {
        let answer = session.call(name, std::slice::from_ref(&text));
        assert!(answer.starts_with("d\nd\n(1 row)"), "{name}: {answer}");
    }
    assert_eq!(session.run("select db_name() as d"), "d\nmaster\n(1 row)");
}

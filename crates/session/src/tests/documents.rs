//! XML documents that a session has prepared.

use base::{SqlType, Value};
use env::sim::SimEnv;

use crate::instance::memory::StatementMemory;
use crate::testing::TestServer;

const PREPARE: &str =
    "DECLARE @h int; EXEC sp_xml_preparedocument @h OUTPUT, N'<r><a/></r>'; SELECT @h";
const COUNT: &str = "DECLARE @h int = 1; SELECT COUNT(*) FROM OPENXML(@h, '/r')";

#[test]
fn documents_last_until_the_session_is_reset() {
    let server = TestServer::new();
    let mut session = server.session();
    let mut other = server.session();
    assert!(session.run(PREPARE).contains("\n1\n"));
    assert!(session.run(COUNT).contains("\n2\n"), "a later batch sees it");
    assert!(other.run(COUNT).contains("Msg 8179, Level 16, State 5"), "others do not");
    session.reset();
    assert!(session.run(COUNT).contains("Msg 8179, Level 16, State 5"));
    assert!(session.run(PREPARE).contains("\n1\n"), "handles begin anew");
}

/// Many small documents once could have grown without limit.
#[test]
fn documents_are_charged_to_the_session() {
    let server = TestServer::new();
    let mut session = server.session();
    let used = |session: &mut crate::testing::TestSession<'_>| {
        session.session().runtime.grant.account().used()
    };
    let before = used(&mut session);
    session.run(
        "DECLARE @i int = 0, @h int; WHILE @i < 100 BEGIN \
         EXEC sp_xml_preparedocument @h OUTPUT, N'<r/>'; SET @i += 1 END",
    );
    let kept = used(&mut session);
    assert!(kept >= before + 100 * 4096, "{before} and then {kept}");
    session.run(
        "DECLARE @h int = 1; WHILE @h < 200 BEGIN EXEC sp_xml_removedocument @h; SET @h += 2 END",
    );
    assert_eq!(used(&mut session), before);
    session.run(PREPARE);
    session.reset();
    assert_eq!(used(&mut session), before);
}

#[test]
fn a_session_that_has_no_memory_prepares_nothing() {
    let sim = SimEnv::new(1);
    let server = TestServer::with(&sim, |options| {
        options.memory =
            Box::new(|_| StatementMemory { session: 4 << 20, query: 1 << 30, plans: 64 << 20 });
    });
    let mut session = server.session();
    let answer = session.run(
        "DECLARE @i int = 0, @h int; WHILE @i < 2000 BEGIN \
         EXEC sp_xml_preparedocument @h OUTPUT, N'<r/>'; IF @@ERROR <> 0 BREAK; SET @i += 1 END; \
         SELECT IIF(@i > 500, 'many', 'few')",
    );
    let refusal = "Msg 6624, Level 16, State 1, Procedure sp_xml_preparedocument";
    assert!(answer.contains(refusal) && answer.contains("many"), "{answer}");
}

/// Reading a large document without memory once was said to be a fault of its text (6602), and so
/// was a statement that was cancelled while it read one.
#[test]
fn memory_that_ends_while_a_text_is_read_is_no_fault_of_the_text() {
    let sim = SimEnv::new(1);
    let server = TestServer::with(&sim, |options| {
        options.memory =
            Box::new(|_| StatementMemory { session: 8 << 20, query: 1 << 30, plans: 64 << 20 });
    });
    let mut session = server.session();
    let answer = session.run(
        "DECLARE @h int, @x nvarchar(max) = \
         N'<r>' + REPLICATE(CAST(N'<a/>' AS nvarchar(max)), 250000) + N'</r>'; \
         EXEC sp_xml_preparedocument @h OUTPUT, @x; SELECT IIF(@h IS NULL, 'none', 'one')",
    );
    let refusal = "Msg 6624, Level 16, State 1, Procedure sp_xml_preparedocument";
    assert!(answer.contains(refusal) && answer.contains("none"), "{answer}");
}

/// Handle 4294967297 once removed the document of handle 1.
#[test]
fn handles_are_not_cut_to_those_of_documents() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run(PREPARE);
    let answer =
        session.run("DECLARE @h bigint = 4294967297; EXEC sp_xml_removedocument @h; SELECT 'on'");
    assert!(answer.contains("Msg 8179") && answer.contains("on"), "{answer}");
    assert!(session.run(COUNT).contains("\n2\n"));
}

#[test]
fn clients_call_the_procedures() {
    let server = TestServer::new();
    let mut session = server.session();
    let text = SqlType::nvarchar(4000, base::Collation::DEFAULT);
    let arguments = [
        ("@hdoc", SqlType::int(), Value::Null, true),
        ("@xmltext", text, Value::unicode("<r><a/></r>"), false),
    ];
    let answer = session.call("sp_xml_preparedocument", &arguments);
    assert!(answer.contains("@hdoc = 1"), "{answer}");
    let answer = session.run(COUNT);
    assert!(answer.contains("\n2\n"), "{answer}");
    let arguments = [("@hdoc", SqlType::int(), Value::Int(1), false)];
    let answer = session.call("sp_xml_removedocument", &arguments);
    assert!(!answer.contains("Msg"), "{answer}");
    assert!(session.run(COUNT).contains("Msg 8179"));
}

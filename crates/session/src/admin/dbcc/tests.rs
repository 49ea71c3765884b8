use super::*;
use crate::testing::TestServer;

/// A walk through the table of commands by a login to which nothing is granted.
#[test]
fn commands_are_for_their_callers() {
    let server = TestServer::new();
    let mut session = server.session();
    session.run("create table t (id int identity)");
    session.run("create login nothing with password = 'Pwx-12345678'");
    session.run("create user nothing for login nothing");
    session.run("execute as login = 'nothing'");
    for command in COMMANDS {
        let argument = match command.name {
            "CHECKIDENT" | "CHECKTABLE" | "DBREINDEX" | "SHOWCONTIG" => "('t')",
            "SHOW_STATISTICS" => "('t', 'id')",
            "INPUTBUFFER" | "SHRINKFILE" | "TRACEON" | "TRACEOFF" => "(1)",
            "SHRINKDATABASE" => "(0)",
            "SQLPERF" => "(logspace)",
            _ => "",
        };
        let answer = session.run(&format!("dbcc {} {argument}", command.name));
        let is_refused = answer.contains("Msg ");
        match command.needs {
            Needs::Nothing => assert!(!is_refused, "{}: {answer}", command.name),
            Needs::Argument => assert!(is_refused, "{}: {answer}", command.name),
            _ => assert!(answer.contains("Msg 2571"), "{}: {answer}", command.name),
        }
    }
}

//! What batches answer.

mod access;
mod backups;
mod cancellation;
mod damage;
mod errors;
mod golden;
mod grants;
mod memory;
mod modules;
mod panics;
mod plans;
mod power;
mod properties;
mod scopes;
mod starting;
mod suspect;
mod temporary;
mod transactions;

use super::testing::TestServer;

/// The answers to a script in a database of its own, whose set-up answers are left out.
fn answers_after(setup: &str, script: &str) -> String {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d");
    let answer = session.script(setup);
    assert!(!answer.contains("Msg "), "{answer}");
    session.script(script)
}

/// Checks the answers to scripts that run one after the other in one database.
fn check(setup: &str, cases: &[(&str, &str)]) {
    let server = TestServer::new();
    let mut session = server.session();
    session.script("create database d\ngo\nuse d");
    let answer = session.script(setup);
    assert!(!answer.contains("Msg "), "{answer}");
    let mut wrong = Vec::new();
    for (script, expected) in cases {
        let answer = session.script(script);
        let trimmed: Vec<&str> = expected.lines().map(str::trim).collect();
        if answer != trimmed.join("\n") {
            wrong.push(format!("--- {script}\n{answer}\n--- expected\n{}", trimmed.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

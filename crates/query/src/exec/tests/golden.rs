//! The scripts of `tests/sql`, with what is expected of them.

use std::path::PathBuf;

use crate::exec::testing::TestServer;
use crate::golden;

/// The scripts by name.
fn scripts() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(golden::file_of_crate("../../tests/sql")).unwrap();
    let mut scripts: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    scripts.sort();
    scripts
}

/// The answers to a script in an empty database of its own.
fn answers(server: &TestServer, name: &str, script: &str) -> String {
    let mut session = server.session();
    let made = session.script(&format!(
        "create database [{name}]
        alter database [{name}] add filegroup memory contains memory_optimized_data
        alter database [{name}] add file (name = '{name}_m', filename = '{name}_m') to filegroup memory
        go
        use [{name}]"
    ));
    assert!(!made.contains("Msg "), "{made}");
    let mut out = String::new();
    for batch in super::super::testing::batches(script) {
        out.push_str(&session.run(&batch));
        out.push_str("\n~\n");
    }
    out
}

#[test]
fn golden_scripts_are_answered_as_expected() {
    let server = TestServer::new();
    let mut wrong = Vec::new();
    for path in scripts() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let script = std::fs::read_to_string(&path).unwrap();
        let answer = answers(&server, name, &script);
        wrong.extend(golden::differences(&path.with_extension("out"), &answer, "~\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

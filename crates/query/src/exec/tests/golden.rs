//! The scripts of `tests/sql`, with what is expected of them.

use std::path::{Path, PathBuf};

use crate::exec::testing::TestServer;

/// The scripts by name.
fn scripts() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sql");
    let entries = std::fs::read_dir(dir).unwrap();
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
        let expected_path = path.with_extension("out");
        if std::env::var_os("THERMOCLINE_BLESS").is_some() {
            std::fs::write(&expected_path, &answer).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        for (at, (got, wanted)) in answer.split("~\n").zip(expected.split("~\n")).enumerate() {
            if got != wanted {
                wrong.push(format!("{name}, batch {}:\n{got}--- expected:\n{wanted}", at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Definitions from text to answers: transcripts of sessions.
//!
//! A transcript has batches, whose lines begin with `> `, and the answers to them as [`TestServer`]
//! shows them. Parts of names and paths that change from run to run are shown as `*`. [`golden`]
//! compares them, or writes them anew.

use std::fmt::Write;

use testkit::golden;

use crate::testing::TestServer;

fn transcript(name: &str) {
    let path = golden::file(env!("CARGO_MANIFEST_DIR"), "src/ddl/tests").join(name);
    let expected = std::fs::read_to_string(&path).unwrap();
    let server = TestServer::new();
    let mut session = server.session();
    let mut found = String::new();
    for batch in batches(&expected) {
        for line in batch.lines() {
            writeln!(found, "> {line}").unwrap();
        }
        let answer = session.run(&batch);
        if !answer.is_empty() {
            writeln!(found, "{}", steady(&answer)).unwrap();
        }
        found.push('\n');
    }
    golden::check(&path, &found, "\n\n");
}

fn batches(transcript: &str) -> Vec<String> {
    let mut batches: Vec<String> = Vec::new();
    let mut within = false;
    for line in transcript.lines() {
        match line.strip_prefix("> ") {
            Some(line) if within => {
                let batch = batches.last_mut().unwrap();
                batch.push('\n');
                batch.push_str(line);
            }
            Some(line) => batches.push(line.to_owned()),
            None => {}
        }
        within = line.starts_with("> ");
    }
    batches
}

/// An answer without ids in names (`FK__t__1234ABCD`) and directories of databases.
fn steady(answer: &str) -> String {
    let mut text = String::new();
    let mut rest = answer;
    while let Some(at) = rest.find("__").into_iter().chain(rest.find("/databases/")).min() {
        let path = rest[at..].starts_with("/databases/");
        let begin = at + if path { "/databases/".len() } else { 2 };
        text.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let part = |c: char| if path { c != '/' } else { c.is_ascii_hexdigit() };
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        if path || end == 8 || end == 16 {
            text.push('*');
            rest = &rest[end..];
        }
    }
    text + rest
}

macro_rules! transcripts {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            transcript(concat!(stringify!($name), ".txt"));
        }
    )*};
}

transcripts! {
    tables constraints altering memory_optimized modules objects databases security temporary
}

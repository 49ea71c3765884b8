use proptest::prelude::*;

use super::*;

proptest! {
    /// Nothing of a script is lost or changed but the lines that end batches.
    #[test]
    fn batches_are_the_scripts_lines(
        lines in proptest::collection::vec("(GO|[a-z$()']{0,3}|/\\*|\\*/|--|\\[|\"|é| ){0,4}", 0..12),
    ) {
        let mut batch = Batch::default();
        let (mut kept, mut expected) = (Vec::new(), Vec::new());
        for line in &lines {
            match batch.classify(line, "GO") {
                Line::Text => {
                    batch.push(line, None).unwrap();
                    expected.push(line.clone());
                }
                Line::Go(_) => kept.push(batch.take()),
                Line::BadGo | Line::Command(_) => {}
            }
        }
        kept.push(batch.take());
        let kept: Vec<&str> = kept.iter().filter(|b| !b.is_empty()).map(|b| &**b).collect();
        let expected = expected.join("\n");
        // Batches of empty lines alone count as none.
        prop_assert_eq!(
            kept.join("\n").replace('\n', ""),
            expected.replace('\n', "")
        );
    }
}

/// Runs a script and shows batches and commands.
fn read(script: &str) -> Vec<String> {
    let mut variables = Variables::default();
    variables.set("db", "Sales".into()).unwrap();
    let mut batch = Batch::default();
    let mut out = Vec::new();
    for line in script.lines() {
        match batch.classify(line, "GO") {
            Line::Text => match batch.push(line, Some(&variables)) {
                Ok(()) => {}
                Err(name) => out.push(format!("no {name}")),
            },
            Line::Go(count) => out.push(format!("{}x{count}", batch.take())),
            Line::BadGo => out.push("bad go".into()),
            Line::Command(command) => out.push(format!(":{command}")),
        }
    }
    out.push(batch.take());
    out
}

#[test]
fn batches_end_at_go_alone() {
    assert_eq!(read("a\nGO\nb\n go 5 -- five\nc"), ["ax1", "bx5", "c"]);
    assert_eq!(read("goto x\nGO;\nGO two\ngo_1"), ["goto xx1", "bad go", "go_1"]);
}

#[test]
fn go_within_texts_names_and_comments_is_text() {
    let within = |before: &str, after: &str| {
        let script = format!("{before}\nGO\n:r x\n{after}\nGO");
        let text = format!("{before}\nGO\n:r x\n{after}x1");
        assert_eq!(read(&script), [text, String::new()]);
    };
    within("'it''s", "'");
    within("/* a /* b */", "*/");
    within("[a]]", "]");
    within("\"a", "\"");
    assert_eq!(read("-- it's\nGO"), ["-- it'sx1", ""]);
    assert_eq!(read("'a' -- '\nGO"), ["'a' -- 'x1", ""]);
}

#[test]
fn variables_are_replaced_but_not_in_comments() {
    assert_eq!(
        read("USE $(DB); SELECT '$(db)', $(x) -- $(y)\n/* $(z)\n*/ $(db)"),
        ["no x", "USE Sales; SELECT 'Sales', \n/* $(z)\n*/ Sales"]
    );
    assert_eq!(read("SELECT $1, $(, $( )"), ["SELECT $1, $(, $( )"]);
}

#[test]
fn commands_are_known_at_the_start_of_lines() {
    assert_eq!(read(":r a.sql\n  :on error exit"), [":r a.sql", ":on error exit", ""]);
    assert_eq!(
        read("exit\nEXIT (SELECT 1)\nquit\nreset"),
        [":exit", ":EXIT (SELECT 1)", ":quit", ":reset", ""]
    );
    assert_eq!(read("quit now\n::x\nexit_code\n!!ls"), [":!!ls", "quit now\n::x\nexit_code"]);
}

use super::*;

#[test]
fn commands_are_read() {
    let set = |name: &str, value: Option<&str>| {
        Command::SetVariable(name.into(), value.map(str::to_owned))
    };
    let cases = [
        ("setvar a b c", set("a", Some("b c"))),
        ("SETVAR a \"say \"\"hi\"\"\"", set("a", Some("say \"hi\""))),
        (r#"setvar dir "d:\DBData\""#, set("dir", Some(r"d:\DBData\"))),
        ("setvar a", set("a", None)),
        ("r \"my file.sql\"", Command::Read("my file.sql".into())),
        ("r a.sql", Command::Read("a.sql".into())),
        ("On Error Exit", Command::OnError(true)),
        ("out stderr", Command::Out(Target::Stderr)),
        ("error x.log", Command::Error(Target::File("x.log".into()))),
        ("exit", Command::Exit(None)),
        ("exit(SELECT (1))", Command::Exit(Some("SELECT (1)".into()))),
        ("EXIT ()", Command::Exit(Some(String::new()))),
        ("!!dir x", Command::Shell("dir x".into())),
        (
            "connect db1,1500 -l 5 -Usa -P secret",
            Command::Connect {
                server: "db1,1500".into(),
                timeout: Some(5),
                user: Some("sa".into()),
                password: Some("secret".into()),
            },
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
    for wrong in ["", "nothing", "setvar", "r", "on error", "connect", "connect x -l y"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}

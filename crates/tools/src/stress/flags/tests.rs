use super::*;

fn flags(arguments: &[&str]) -> Result<Flags, String> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    match parse(&arguments)? {
        Asked::Run(flags) => Ok(*flags),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn command_lines_copied_from_the_web_are_understood() {
    let read = flags(&[
        "\u{2013}n100",
        "\u{2013}r5000",
        "-S.",
        "-E",
        "-dAdventureWorks2014",
        "-q",
        "-QDECLARE @i int = 0; EXEC p",
    ])
    .unwrap();
    assert_eq!((read.connections, read.iterations, read.quiet), (100, 5000, true));
    assert_eq!(read.connect.address, ServerAddress::local(1433));
    assert_eq!(read.connect.authentication, Authentication::Trusted);
    assert_eq!(read.connect.database, "AdventureWorks2014");
    assert_eq!(read.queries, ["DECLARE @i int = 0; EXEC p"]);
    let read = flags(&["-Q\u{201C}EXEC", "Demo.usp_DemoReset\u{201D}", "-d", "a"]).unwrap();
    assert_eq!(read.queries, ["EXEC Demo.usp_DemoReset"]);
    assert_eq!(read.connect.database, "a");
}

#[test]
fn values_may_stand_alone() {
    let read = flags(&["-S", "db,1500", "-U", "sa", "-P", "-x", "-n", "4", "-Q", "\"a\""]);
    let read = read.unwrap();
    assert_eq!(read.connect.address.port, 1500);
    assert_eq!(
        read.connect.authentication,
        Authentication::Password { user: "sa".into(), password: "-x".into() }
    );
    assert_eq!((read.connections, read.iterations), (4, 1));
    assert_eq!(read.queries, ["a"]);
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, expected) in [
        (&["-n5"][..], "nothing to run"),
        (&["-Qx", "-n0"], "-n: '0'"),
        (&["-Qx", "-E", "-Usa"], "exclude"),
        (&["-Qx", "-Z"], "'-Z' is unknown"),
        (&["-Qx", "y"], "'y' is not expected"),
        (&["-Q"], "missing"),
        (&["-Qx", "-mreplay"], "not supported"),
        (&["-i", "/nowhere/*.sql"], "/nowhere"),
    ] {
        let error = flags(arguments).unwrap_err();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn patterns_stand_for_names() {
    assert!(is_match(b"*.sql", b"A.SQL") && is_match(b"a?c*", b"abcd") && is_match(b"*", b""));
    assert!(!is_match(b"*.sql", b"a.txt") && !is_match(b"a?", b"a"));
}

//! Scripts against a scripted server.

use super::*;
use crate::client::Encrypt;
use crate::testing::{serve, usual};

/// Runs a script with flags; returns what is printed and how it ends.
fn run_script(arguments: &[&str], script: &str) -> (String, Result<i32, String>) {
    let options = serve(usual);
    let mut all = vec![OsString::from("-S"), options.address.to_string().into()];
    all.extend(arguments.iter().map(OsString::from));
    let Ok(Asked::Session(mut flags)) = flags::parse(&all, |_| None) else {
        panic!("{arguments:?}");
    };
    flags.encrypt = Encrypt::Never;
    let mut shell = Shell::new(*flags, Output::Memory(Vec::new()));
    shell.connect(|| Ok(String::new())).unwrap();
    let code = shell.run_text(script, 0).and_then(|flow| finished(flow, &mut shell));
    let code = code.map(|flow| match flow {
        Flow::Exit(code) => code,
        Flow::GoOn => shell.exit_code(),
    });
    let Output::Memory(bytes) = shell.output else { panic!("the script has changed the output") };
    (String::from_utf8(bytes).unwrap(), code.map_err(|error| error.to_string()))
}

#[test]
fn results_stand_in_columns() {
    let (printed, code) = run_script(&[], "SELECT 42\nGO\ninsert\nGO 2\nprint\n");
    let expected = "n          \n-----------\n         42\n\n(1 rows affected)\n\
                    \n(2 rows affected)\n\n(2 rows affected)\nHello.\n";
    assert_eq!((printed.as_str(), code), (expected, Ok(0)));
}

#[test]
fn programs_get_what_they_can_read() {
    let (printed, _) = run_script(&["-h-1", "-W", "-s", "|"], "SELECT 42");
    assert_eq!(printed, "42\n\n(1 rows affected)\n");
    let (printed, _) = run_script(&["-W"], "SELECT 42");
    assert_eq!(printed, "n\n-\n42\n\n(1 rows affected)\n");
}

#[test]
fn errors_end_scripts_only_where_they_are_to() {
    let script = "fail\nGO\nSELECT 1\nGO";
    let message = "Msg 50001, Level 16, State 1, Server fake, Line 3\nNo.\n";
    let (printed, code) = run_script(&[], script);
    assert!(printed.starts_with(message) && printed.contains("(1 rows affected)"), "{printed}");
    assert_eq!(code, Ok(0));
    let on_error = format!(":on error exit\n{script}");
    for (arguments, script, expected) in
        [(&["-b"][..], script, 1), (&["-b", "-V", "16"], script, 16), (&[], &on_error, 1)]
    {
        let (printed, code) = run_script(arguments, script);
        assert_eq!((printed.as_str(), code), (message, Ok(expected)), "{arguments:?}");
    }
    let (printed, code) = run_script(&["-V", "16"], script);
    assert!(printed.contains("(1 rows affected)"));
    assert_eq!(code, Ok(16));
    assert_eq!(run_script(&["-b", "-V17"], script).1, Ok(0));
    assert_eq!(run_script(&["-m17"], "fail").0, "");
    let (printed, _) = run_script(&["-m-1"], "print");
    assert_eq!(printed, "Msg 0, Level 0, State 1, Server fake, Line 3\nHello.\n");
}

#[test]
fn variables_come_from_flags_and_scripts() {
    let script = "SELECT $(a)\nGO\n:setvar A 2\nSELECT $(a)\nGO\n:setvar a\nSELECT $(a)\nGO";
    let (printed, code) = run_script(&["-h", "-1", "-W", "-v", "a=1", "b=\"x y\""], script);
    assert_eq!(printed, "1\n\n(1 rows affected)\n2\n\n(1 rows affected)\n");
    assert_eq!(code, Err("'a' scripting variable not defined.".into()));
    let (printed, _) = run_script(&["-x"], "$(a)");
    assert!(printed.contains("near '$(a)'"), "{printed}");
}

#[test]
fn exit_ends_with_a_querys_number() {
    assert_eq!(run_script(&[], "exit(SELECT 5)").1, Ok(5));
    assert_eq!(run_script(&[], "SELECT 5\nEXIT()").1, Ok(5));
    assert_eq!(run_script(&[], "exit(print)").1, Ok(-100));
    let (printed, code) = run_script(&[], "SELECT 5\nquit\nSELECT 6");
    assert_eq!((printed.as_str(), code), ("", Ok(0)));
}

#[test]
fn files_read_files_and_write_files() {
    let folder = std::env::temp_dir().join(format!("thermocline-sql-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let inner = folder.join("inner file.sql");
    std::fs::write(&inner, b"\xFF\xFEi\0n\0s\0e\0r\0t\0\n\0G\0O\0").unwrap();
    let output = folder.join("out.txt");
    let script = format!(":r \"{}\"\n:out {}\nSELECT 7\nGO\n", inner.display(), output.display());
    let options = serve(usual);
    let all = ["-S", &options.address.to_string(), "-h-1", "-W"].map(OsString::from);
    let Ok(Asked::Session(mut flags)) = flags::parse(&all, |_| None) else { panic!() };
    flags.encrypt = Encrypt::Never;
    let mut shell = Shell::new(*flags, Output::Memory(Vec::new()));
    shell.connect(|| Ok(String::new())).unwrap();
    assert_eq!(shell.run_text(&script, 0).unwrap(), Flow::GoOn);
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "7\n\n(1 rows affected)\n");
    let missing = shell.run_text(":r nowhere.sql", 0).unwrap_err();
    assert!(missing.to_string().contains("nowhere.sql"), "{missing}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn programs_run_only_where_they_may() {
    assert_eq!(run_script(&["-X1"], "!!exit 1\nSELECT 1").1, Ok(1));
    let (printed, code) = run_script(&[], "!!exit 1\nSELECT 1");
    assert!(printed.contains("(1 rows affected)"));
    assert_eq!(code, Ok(0));
    let (_, code) = run_script(&[], ":nothing\nSELECT 1");
    assert_eq!(code, Err("Sqlcmd: Error: Syntax error near command 'nothing'.".into()));
}

#[test]
fn a_session_that_the_server_ends_ends_the_script() {
    let (printed, code) = run_script(&[], "die\nGO\nSELECT 1\nGO");
    assert!(printed.starts_with("Msg 596, Level 21"), "{printed}");
    assert_eq!(code, Err("Sqlcmd: Error: the connection is closed".into()));
}

#[test]
fn command_lines_are_sqlcmds() {
    let read = |arguments: &[&str]| {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        flags::parse(&arguments, |name| (name == "SQLCMDUSER").then(|| "env".into()))
    };
    let Ok(Asked::Session(flags)) = read(&["\u{2013}S", ".", "\u{2013}E", "\u{2013}i", "a b.sql"])
    else {
        panic!();
    };
    assert!(flags.trusted);
    assert_eq!(flags.inputs, [std::path::PathBuf::from("a b.sql")]);
    let Ok(Asked::Session(flags)) = read(&["-ia.sql,b.sql", "-Psecret", "-N", "-C"]) else {
        panic!();
    };
    assert!(!flags.trusted && !flags.check_certificate);
    assert_eq!(flags.variables.own("SQLCMDUSER"), "env");
    assert_eq!((flags.inputs.len(), flags.password.as_deref()), (2, Some("secret")));
    assert_eq!(flags.encrypt, Encrypt::Mandatory);
    assert_eq!(read(&["-?"]), Ok(Asked::Help));
    for (wrong, expected) in [
        (&["-E", "-Usa"][..], "mutually exclusive"),
        (&["-Qa", "-ib"], "mutually exclusive"),
        (&["-h", "x"], "must be a number"),
        (&["-S"], "Missing argument"),
        (&["--what"], "Unknown Option"),
        (&["-EE"], "unexpected"),
        (&["x"], "Unexpected argument"),
    ] {
        let error = read(wrong).unwrap_err();
        assert!(error.to_string().contains(expected), "{wrong:?}: {error}");
    }
}

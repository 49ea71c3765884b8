use crate::func::testing::{check, check_errors, run};

/// `abc`, as another program packs it: with a name and the best compression.
const NAMED: &str = "0x1F8B08080000000002036E616D65004B4C4A0600C241243503000000";
/// `hello`, without compression at all.
const STORED: &str = "0x1F8B0800000000000003010500FAFF68656C6C6F86A6103605000000";

#[test]
fn what_was_packed_comes_back() {
    for text in ["'abc'", "N'abc'", "0x", "''", "0x00FF00FF"] {
        let packed = run("COMPRESS", &[text]).unwrap();
        assert!(packed.starts_with("0x1F8B0800000000000400"), "{packed}");
        let back = run("DECOMPRESS", &[&packed]).unwrap();
        let bytes = match text {
            "'abc'" => "0x616263",
            "N'abc'" => "0x610062006300",
            "''" => "0x",
            other => other,
        };
        assert_eq!(back, bytes, "{text}");
    }
}

#[test]
fn files_of_other_programs_are_read() {
    let twice = format!("{STORED}{}", &NAMED[2..]);
    check(&[
        ("DECOMPRESS", &[NAMED], "0x616263"),
        ("DECOMPRESS", &[STORED], "0x68656C6C6F"),
        ("DECOMPRESS", &[&twice], "0x68656C6C6F616263"),
    ]);
}

#[test]
fn files_of_nothing_are_read_however_many_there_are() {
    let nothing = "1F8B080000000000000303000000000000000000";
    let many = format!("0x{}{}", nothing.repeat(5000), &STORED[2..]);
    check(&[("DECOMPRESS", &[&many], "0x68656C6C6F")]);
}

#[test]
fn what_is_damaged_is_null() {
    for cut in (4..NAMED.len()).step_by(2) {
        let cut = &NAMED[..cut];
        assert_eq!(run("DECOMPRESS", &[cut]).unwrap(), "NULL", "{cut}");
    }
    for at in [2, 4, 6, 32, 44, 48, 52] {
        let mut damaged = NAMED.to_owned();
        let other = if &damaged[at..=at] == "7" { "8" } else { "7" };
        damaged.replace_range(at..=at, other);
        assert_eq!(run("DECOMPRESS", &[&damaged]).unwrap(), "NULL", "{damaged}");
    }
    let tail = format!("{NAMED}00");
    check(&[("DECOMPRESS", &["0x"], "NULL"), ("DECOMPRESS", &[&tail], "NULL")]);
}

#[test]
fn other_types_are_refused() {
    let refused = |function, kind| {
        format!("Argument data type {kind} is invalid for argument 1 of {function} function.")
    };
    check_errors(&[
        ("COMPRESS", &["5"], 8116, &refused("compress", "int")),
        ("COMPRESS", &["NULL"], 8116, &refused("compress", "NULL")),
        ("DECOMPRESS", &["'abc'"], 8116, &refused("decompress", "varchar")),
    ]);
}

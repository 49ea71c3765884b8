use crate::func::testing::{TestSession, check, check_errors, run, run_in};

#[test]
fn digests_have_their_known_values() {
    check(&[
        ("HASHBYTES", &["'MD5'", "'abc'"], "0x900150983CD24FB0D6963F7D28E17F72"),
        ("HASHBYTES", &["'sha1'", "'abc'"], "0xA9993E364706816ABA3E25717850C26C9CD0D89D"),
        (
            "HASHBYTES",
            &["'SHA2_256'", "'abc'"],
            "0xBA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        ),
        ("HASHBYTES", &["'SHA'", "N'a'"], "0x0A04B971B03DA607CE6C455184037B660CA89F78"),
        ("HASHBYTES", &["'SHA3'", "'abc'"], "NULL"),
        ("BINARY_CHECKSUM", &["'abc'"], "26435"),
        ("BINARY_CHECKSUM", &["'abc   '"], "26435"),
        ("BINARY_CHECKSUM", &["1"], "1"),
        ("BINARY_CHECKSUM", &["1", "2"], "18"),
        ("BINARY_CHECKSUM", &["NULL"], "2147483647"),
        ("CHECKSUM", &["1"], "1"),
        ("CHECKSUM", &["-1"], "-1"),
    ]);
    check_errors(&[(
        "HASHBYTES",
        &["'MD5'", "5"],
        8116,
        "Argument data type int is invalid for argument 2 of hashbytes function.",
    )]);
}

#[test]
fn checksums_are_equal_for_what_compares_equal() {
    assert_eq!(run("CHECKSUM", &["'Abc '"]), run("CHECKSUM", &["'aBC'"]));
    assert_ne!(run("BINARY_CHECKSUM", &["'Abc'"]), run("BINARY_CHECKSUM", &["'aBC'"]));
    assert_ne!(run("CHECKSUM", &["'abc'", "'x'"]), run("CHECKSUM", &["'x'", "'abc'"]));
}

#[test]
fn identifiers_are_of_version_4() {
    let id = run("NEWID", &[]).unwrap();
    assert_eq!(&id[14..15], "4", "{id}");
    assert!("89AB".contains(&id[19..20]), "{id}");
}

#[test]
fn passwords_are_compared_with_their_hashes() {
    let session = TestSession::default();
    let encrypt = || run_in(&session, "PWDENCRYPT", &["N'secret'"]).unwrap();
    let hash = encrypt();
    assert!(hash.starts_with("0x0200"), "{hash}");
    assert_eq!(hash.len(), 2 + 2 * (2 + 4 + 64));
    assert_ne!(encrypt(), hash, "each has a salt of its own");
    check(&[
        ("PWDCOMPARE", &["N'secret'", &hash], "1"),
        ("PWDCOMPARE", &["'secret'", &hash, "0"], "1"),
        ("PWDCOMPARE", &["N'Secret'", &hash], "0"),
        ("PWDCOMPARE", &["N'secret'", &hash[..40]], "0"),
        ("PWDCOMPARE", &["N'secret'", "0x"], "0"),
        ("PWDCOMPARE", &["N'secret'", "NULL"], "NULL"),
        ("PWDCOMPARE", &["N'other'", OLD_ABC], "0"),
        ("PWDCOMPARE", &["N'abc'", OLD_ABC], "1"),
    ]);
}

/// The hash of `abc` by SHA-1, with the salt 1, 2, 3, 4.
const OLD_ABC: &str = "0x010001020304726E6D249D357766F0ABFE5B9DFC4D3A535CEBCE";

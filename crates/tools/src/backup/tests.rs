use super::*;

#[test]
fn a_trusted_connection_can_be_asked_for_and_has_no_login() {
    assert!(BackupOptions::try_parse_from(["backup", "d", "f", "-E"]).is_ok());
    assert!(RestoreOptions::try_parse_from(["restore", "-E", "d", "f"]).is_ok());
    let both = ["restore", "-E", "-U", "sa", "d", "f"];
    assert!(RestoreOptions::try_parse_from(both).is_err());
}

#[test]
fn options_become_a_statement() {
    let of = |words: &[&str]| backup_text(&BackupOptions::parse_from(words));
    assert_eq!(
        of(&["backup", "a]b", "/x/it's.bak"]),
        "backup database [a]]b] to disk = N'/x/it''s.bak' with checksum, stats, compression, noinit"
    );
    let log = of(&["backup", "d", "f", "--log", "--plain", "--overwrite"]);
    assert_eq!(
        log,
        "backup log [d] to disk = N'f' with checksum, stats, no_compression, init, format"
    );
    assert!(
        of(&["backup", "-E", "d", "f", "--differential", "--copy-only"])
            .ends_with("differential, copy_only")
    );
}

use super::*;

fn admitted(rules: &FileRules, path: &str, used: FileUse) -> bool {
    let sim = env::sim::SimEnv::new(1);
    let place = rules.place(sim.env().fs(), Path::new(path), used);
    place.map_err(|error| assert_eq!(error.kind(), ErrorKind::PermissionDenied)).is_ok()
}

#[test]
fn the_servers_own_files_are_out_of_reach() {
    let rules = FileRules {
        data: "/srv/data".into(),
        private: vec!["/etc/tls/key.pem".into()],
        ..FileRules::default()
    };
    const ALL: [FileUse; 4] =
        [FileUse::Backup, FileUse::Import, FileUse::Extension, FileUse::Directory];
    for path in [
        "/srv/data",
        "/srv/data/instance",
        "/srv/data/server-key.pem",
        "/srv/data/databases/5/x",
        "/srv/data/backup/../instance",
        "/srv/./data//log/errorlog",
        "/etc/tls/key.pem",
        "/proc/self/environ",
        "/sys/kernel/x",
    ] {
        for used in ALL {
            assert!(!admitted(&rules, path, used), "{path} {used:?}");
        }
    }
    for path in ["/srv/data2/x", "/var/backups/a.bak", "/etc/tls/other.pem", "/processes/x"] {
        for used in ALL {
            assert!(admitted(&rules, path, used), "{path} {used:?}");
        }
    }
    assert!(admitted(&rules, "/srv/data/backup/a.bak", FileUse::Backup));
    assert!(!admitted(&rules, "/srv/data/backup/a.bak", FileUse::Import));
    assert!(admitted(&rules, "/srv/data/extension/a.bpe", FileUse::Extension));
    assert!(!admitted(&rules, "/srv/data/extension/a.bpe", FileUse::Backup));
}

#[test]
fn settings_narrow_where_files_may_be() {
    let rules = FileRules {
        data: "/srv/data".into(),
        backup_directories: vec!["/mnt/a".into(), "/mnt/b/".into()],
        import_directories: vec!["/import".into()],
        ..FileRules::default()
    };
    for (path, backup, import) in [
        ("/mnt/a/x.bak", true, false),
        ("/mnt/b/c/x.bak", true, false),
        ("/mnt/ab/x.bak", false, false),
        ("/mnt/a/../x.bak", false, false),
        ("/import/x.csv", false, true),
        ("/srv/data/backup/x.bak", true, false),
        ("/srv/data/instance", false, false),
    ] {
        assert_eq!(admitted(&rules, path, FileUse::Backup), backup, "{path}");
        assert_eq!(admitted(&rules, path, FileUse::Import), import, "{path}");
    }
}

#[test]
fn the_last_name_of_any_path_is_kept() {
    for (path, name) in [
        (r"C:\Data\aw_mod", "aw_mod"),
        (r"D:\x\", "x"),
        ("/var/opt/mssql/data/a.mdf", "a.mdf"),
        ("c:file.ndf", "file.ndf"),
        ("plain", "plain"),
    ] {
        assert_eq!(last_name(path), name);
    }
    assert_eq!(last_name(r"\\"), "");
}

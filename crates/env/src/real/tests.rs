use super::*;

struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        let name = format!("thermocline-env-{:016x}", RealRng::new().next_u64());
        let path = std::env::temp_dir().join(name);
        RealFs.create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = RealFs.remove_dir_all(&self.0);
    }
}

#[test]
fn bytes_come_back_from_where_they_were_written() {
    let scratch = Scratch::new();
    let path = scratch.0.join("a");
    let file = RealFs.open(&path, OpenMode::CreateNew).unwrap();
    file.write_all_at(b"world", 5).unwrap();
    file.write_all_at(b"hello", 0).unwrap();
    file.sync_data().unwrap();
    RealFs.sync_dir(&scratch.0).unwrap();
    assert_eq!(RealFs.read(&path).unwrap(), b"helloworld");
    let mut beyond = [0; 8];
    assert_eq!(file.read_at(&mut beyond, 7).unwrap(), 3);
    let error = file.read_exact_at(&mut beyond, 7).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    file.set_len(3).unwrap();
    assert_eq!(file.len().unwrap(), 3);
}

#[test]
fn paths_are_resolved_to_where_they_lead() {
    let scratch = Scratch::new();
    let root = fs::canonicalize(&scratch.0).unwrap();
    RealFs.create_dir_all(&root.join("real/sub")).unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    for (asked, leads) in [
        ("link/sub/new", "real/sub/new"),
        ("link/./new/file", "real/new/file"),
        ("link/sub/../file", "real/file"),
        ("real", "real"),
    ] {
        assert_eq!(RealFs.resolve(&root.join(asked)).unwrap(), root.join(leads), "{asked}");
    }
    assert!(RealFs.resolve(&root.join("none/../file")).unwrap_err().is_not_found());
}

#[test]
fn only_regular_files_are_opened_by_a_clients_name() {
    let scratch = Scratch::new();
    let root = fs::canonicalize(&scratch.0).unwrap();
    RealFs.create_dir_all(&root.join("real")).unwrap();
    let file = root.join("real/file");
    RealFs.open_named(&file, OpenMode::CreateNew).unwrap().write_all_at(b"x", 0).unwrap();
    assert_eq!(RealFs.open_named(&file, OpenMode::Read).unwrap().len().unwrap(), 1);
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    std::os::unix::fs::symlink("real/file", root.join("to_file")).unwrap();
    std::os::unix::fs::symlink("nothing", root.join("dangling")).unwrap();
    let pipe = root.join("pipe");
    let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: `name` is a string with its zero, which the call only reads.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let refused = ["link/file", "link/new", "to_file", "dangling", "pipe", "real"];
    for path in refused.map(|name| root.join(name)).into_iter().chain(["/dev/null".into()]) {
        for mode in [OpenMode::Read, OpenMode::Write, OpenMode::Create] {
            let missing = mode != OpenMode::Create && path.ends_with("link/new");
            let kind = match missing {
                true => io::ErrorKind::NotFound,
                false => io::ErrorKind::PermissionDenied,
            };
            let error = RealFs.open_named(&path, mode).unwrap_err();
            assert_eq!(error.kind(), kind, "{} {mode:?}", path.display());
        }
    }
    assert_eq!(RealFs.read(&file).unwrap(), b"x");
}

#[test]
fn a_directory_is_listed_while_files_in_it_are_removed() {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    let scratch = Scratch::new();
    RealFs.open(&scratch.0.join("stays"), OpenMode::CreateNew).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                for number in 0..50 {
                    let path = scratch.0.join(number.to_string());
                    RealFs.open(&path, OpenMode::CreateNew).unwrap();
                }
                for number in 0..50 {
                    RealFs.remove_file(&scratch.0.join(number.to_string())).unwrap();
                }
            }
        });
        let lists = (0..3000).map(|_| RealFs.list(&scratch.0)).collect::<Vec<_>>();
        done.store(true, Relaxed); // before anything is asserted, so that the thread ends
        for list in lists {
            assert!(list.unwrap().iter().any(|entry| entry.name == "stays"));
        }
    });
}

#[test]
fn bytes_past_the_cache_are_the_same_bytes() {
    use crate::memory::{AlignedBytes, DIRECT_ALIGN};
    let scratch = Scratch::new();
    let path = scratch.0.join("a");
    let file = RealFs.open_direct(&path, OpenMode::CreateNew).unwrap();
    let mut bytes = AlignedBytes::new(2 * DIRECT_ALIGN);
    bytes.fill(7);
    file.write_all_at(&bytes, DIRECT_ALIGN as u64).unwrap();
    file.sync_data().unwrap();
    bytes.fill(1);
    assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 2 * DIRECT_ALIGN);
    assert!(bytes[..DIRECT_ALIGN].iter().all(|&b| b == 0));
    assert!(bytes[DIRECT_ALIGN..].iter().all(|&b| b == 7));
    assert_eq!(file.read_at(&mut bytes, 2 * DIRECT_ALIGN as u64).unwrap(), DIRECT_ALIGN);
    assert_eq!(RealFs.read(&path).unwrap().len(), 3 * DIRECT_ALIGN);
}

#[test]
fn zeros_are_written_over_what_was_there() {
    const PAGE: usize = 4096;
    let scratch = Scratch::new();
    let path = scratch.0.join("a");
    let file = RealFs.open(&path, OpenMode::CreateNew).unwrap();
    file.write_all_at(&[7; 3 * PAGE], 0).unwrap();
    file.write_zeros_at(PAGE, PAGE as u64).unwrap();
    file.write_zeros_at(2 * PAGE, 3 * PAGE as u64).unwrap();
    RealFs.rename(&path, &scratch.0.join("b")).unwrap();
    file.write_zeros_at(PAGE, 5 * PAGE as u64).unwrap();
    file.sync_data().unwrap();
    let bytes = RealFs.read(&scratch.0.join("b")).unwrap();
    let parts = [(7, PAGE), (0, PAGE), (7, PAGE), (0, 3 * PAGE)];
    assert!(bytes.into_iter().eq(parts.into_iter().flat_map(|(b, n)| vec![b; n])));
}

#[test]
fn errors_name_operation_and_path() {
    let scratch = Scratch::new();
    let path = scratch.0.join("missing");
    let error = RealFs.open(&path, OpenMode::Read).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!((error.op(), error.path()), (OpKind::Open, path.as_path()));
    assert!(error.to_string().starts_with("cannot open "), "{error}");
    RealFs.write_new(&path, b"").unwrap();
    let error = RealFs.open(&path, OpenMode::CreateNew).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn listing_is_sorted_and_says_what_is_a_directory() {
    let scratch = Scratch::new();
    RealFs.write_new(&scratch.0.join("b"), b"12").unwrap();
    RealFs.create_dir_all(&scratch.0.join("a/deep")).unwrap();
    let entries = RealFs.list(&scratch.0).unwrap();
    let seen: Vec<_> = entries
        .iter()
        .map(|e| (e.name.to_str().unwrap(), e.metadata.len, e.metadata.is_dir))
        .collect();
    assert_eq!(seen, [("a", 0, true), ("b", 2, false)]);
    RealFs.rename(&scratch.0.join("b"), &scratch.0.join("c")).unwrap();
    assert!(!RealFs.exists(&scratch.0.join("b")).unwrap());
    RealFs.remove_file(&scratch.0.join("c")).unwrap();
    assert!(RealFs.free_space(&scratch.0).unwrap() > 0);
}

#[test]
fn a_directory_has_one_holder() {
    let scratch = Scratch::new();
    let held = RealFs.lock_dir(&scratch.0).unwrap();
    assert!(RealFs.lock_dir(&scratch.0).unwrap_err().is_locked());
    drop(held);
    RealFs.lock_dir(&scratch.0).unwrap();
}

#[test]
fn the_clock_stands_in_this_century_and_never_goes_back() {
    let clock = RealClock::new();
    let ticks = clock.utc_ticks();
    let year = ticks / TICKS_PER_SECOND / 86_400 / 365;
    assert!((2024..2200).contains(&year), "{year}");
    assert!(clock.local_offset_minutes(ticks).abs() <= 14 * 60);
    assert!(clock.local_zone().is_none_or(|name| !name.starts_with('/')));
    let before = clock.now_ns();
    clock.sleep_ns(1_000_000);
    assert!(clock.now_ns() >= before + 1_000_000);
}

#[test]
fn random_bytes_differ_in_every_request() {
    let rng = RealRng::new();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        assert!(seen.insert(rng.next_u64()));
    }
    let mut large = vec![0; 5000];
    rng.fill(&mut large);
    assert!(large.iter().filter(|&&b| b == 0).count() < 200);
}

#[test]
fn the_name_of_a_zone_is_what_its_file_is_called() {
    for (path, name) in [
        ("/usr/share/zoneinfo/Europe/Paris", Some("Europe/Paris")),
        ("../usr/share/zoneinfo/posix/Etc/UTC", Some("Etc/UTC")),
        ("Asia/Kolkata", Some("Asia/Kolkata")),
        ("/etc/zone", None),
        ("", None),
    ] {
        assert_eq!(sys::zone_in_path(path), name, "{path}");
    }
}

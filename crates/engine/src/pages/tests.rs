use env::sim::SimEnv;

use super::*;
use crate::cold::PAGE_BYTES;
use crate::wait::{RuntimeOptions, ThreadTimer};

fn pool(sim: &SimEnv) -> BufferPool {
    let collector = crossbeam_epoch::Collector::new();
    let timer = Arc::new(ThreadTimer::new());
    let runtime = Runtime::new(sim.env(), collector, timer, RuntimeOptions::default());
    let bytes = 64 * PAGE_BYTES as u64;
    let options = PoolOptions { reserve_bytes: bytes, limit_bytes: bytes, io_threads: 0 };
    BufferPool::new(runtime, options, Some("/data/extension".into()))
}

fn file() -> ExtensionFile {
    ExtensionFile { path: "/ssd/some file.bpe".into(), bytes: 1 << 20 }
}

#[test]
fn an_extension_is_there_again_after_a_restart_until_it_is_given_up() {
    let sim = SimEnv::new(5);
    let env = sim.env();
    let fs = env.fs();
    for dir in ["/data", "/ssd"] {
        fs.create_dir_all(Path::new(dir)).unwrap();
    }
    let first = pool(&sim);
    assert_eq!(first.reopen_extension().unwrap(), None);
    first.extend(file()).unwrap();
    first.close().unwrap();
    let second = pool(&sim);
    assert_eq!(second.reopen_extension().unwrap(), Some(file()));
    let (place, stats) = second.extension().unwrap();
    assert!(place == file() && stats.is_enabled && stats.slots > 0, "{stats:?}");
    assert!(second.retract().unwrap());
    assert!(!second.retract().unwrap());
    assert!(!fs.exists(&file().path).unwrap());
    assert_eq!(pool(&sim).reopen_extension().unwrap(), None);
    second.extend(file()).unwrap();
    fs.remove_file(&file().path).unwrap();
    assert!(second.retract().unwrap());
}

#[test]
fn notes_that_make_no_sense_are_none() {
    for text in ["", "\n", "12", "12 /a", "x /a\n", "-1 /a\n"] {
        assert_eq!(parse_note(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(parse_note(&[0xFF, b' ', b'\n']), None);
    assert_eq!(parse_note(b"1048576 /ssd/some file.bpe\n"), Some(file()));
}

use base::message;
use env::sim::SimEnv;
use session::instance::error_log::entries;

use super::*;

#[test]
fn a_name_cannot_write_lines() {
    assert_eq!(one_line("BACKUP ü\n2026 ERROR"), "BACKUP ü\\n2026 ERROR");
}

fn texts(log: &ErrorLog, number: u32) -> Vec<String> {
    entries(&log.read(number).unwrap()).into_iter().map(|entry| entry.text).collect()
}

#[test]
fn what_came_before_the_file_is_in_it() {
    let log = ErrorLog::embedded(&SimEnv::new(1).env(), Path::new("/data"));
    log.note(&SqlError::new(&message::SESSION_KILLED, &[]));
    log.note(&SqlError::custom(50_000, 10, 1, "two\nlines"));
    assert_eq!(log.cycle(), Err("there is no file".into()));
    log.open().unwrap();
    log.note(&SqlError::custom(50_000, 10, 1, "three"));
    let found = texts(&log, 0);
    assert!(found[0].starts_with("Error: 596, Severity: 21"), "{found:?}");
    assert_eq!(found[1..], ["two\\nlines", "three"]);
    log.cycle().unwrap();
    assert_eq!(texts(&log, 1), found);
    assert_eq!(log.archives().iter().map(|archive| archive.number).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(log.read(2), None);
}

use super::*;

#[test]
fn whoever_waits_makes_the_others_records_durable_too() {
    let log = Log::create(&std::env::temp_dir()).unwrap();
    log.append(0, b"one");
    log.append(1, b"two");
    log.append(1, b"three");
    assert_eq!((log.durable(0), log.durable(1)), (0, 0));
    log.wait(0, 0).unwrap();
    assert_eq!((log.durable(0), log.durable(1)), (1, 2));
    let written = std::fs::read(&log.path).unwrap();
    assert!(written.starts_with(b"onetwothree\0"));
    log.append(0, b"four");
    log.wait(0, 1).unwrap();
    assert!(std::fs::read(&log.path).unwrap().starts_with(b"onetwothreefour\0"));
}

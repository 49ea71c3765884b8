use super::*;

#[test]
fn each_phase_has_its_own_share() {
    let line = |stage| line("d", stage, Duration::from_secs(2));
    let log = RecoveryStage::Log { done: 50, total: 200, operations: 7 };
    assert_eq!(
        line(log).unwrap(),
        "Recovery of database 'd': phase 1 of 3 is 25% complete, reading the log: 7 operations."
    );
    let indexes = RecoveryStage::Indexes { done: 1, total: 3 };
    assert_eq!(
        line(indexes).unwrap(),
        "Recovery of database 'd': phase 2 of 3 is 33% complete, building indexes: 1 of 3 rows."
    );
    let tables = RecoveryStage::Tables { done: 3000, total: 4000 };
    assert_eq!(
        line(tables).unwrap(),
        "Recovery of database 'd': phase 3 of 3 is 75% complete, loading tables: 3000 of 4000 rows, \
         1500 rows/s."
    );
    assert_eq!(line(RecoveryStage::Waiting), None);
    let nothing = RecoveryStage::Log { done: 0, total: 0, operations: 0 };
    assert!(line(nothing).unwrap().contains(" 0% "));
}

#[test]
fn what_is_over_is_not_watched_any_more() {
    let (mut watch, progress) = (RecoveryWatch::default(), RecoveryProgress::default());
    watch.begin("d", &progress);
    let shared = watch.shared.clone();
    drop(watch);
    while Arc::strong_count(&shared) > 1 {
        std::thread::sleep(LOOK_EVERY);
    }
}

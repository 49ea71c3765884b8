//! Segment files: rolling, truncation, epochs, fences.

use env::sim::{Fault, FaultKind};
use env::{OpKind, OpenMode};

use super::*;

fn fill(log: &Log, task: &Task, numbers: std::ops::Range<u64>) -> Vec<Replayed> {
    numbers
        .map(|number| {
            let row = row(number, 3000);
            let stamp = commit_durably(log, task, &row).unwrap();
            Replayed { stamp, rows: vec![row] }
        })
        .collect()
}

fn segment_names(machine: &Machine) -> Vec<String> {
    let entries = machine.sim.fs().list(Path::new(DIR)).unwrap();
    entries.into_iter().map(|entry| entry.name.into_string().unwrap()).collect()
}

#[test]
fn the_log_goes_on_from_segment_to_segment_and_from_run_to_run() {
    let machine = Machine::new(1);
    let task = machine.task();
    let mut expected = Vec::new();
    let mut log = machine.create().unwrap();
    for run in 0..4 {
        expected.extend(fill(&log, &task, run * 50..(run + 1) * 50));
        match run % 2 {
            0 => log.shut_down().unwrap(),
            _ => drop(log),
        }
        let (transactions, reopened) = machine.reopen().unwrap();
        assert_eq!(transactions, expected);
        log = reopened;
    }
    assert!(segment_names(&machine).len() > 5);
    let stats = log.stats();
    assert!(stats.store_bytes > 600_000 && stats.room_bytes > 0, "{stats:?}");
}

#[test]
fn epochs_rise_with_every_opening_and_fence_the_one_before() {
    let machine = Machine::new(1);
    let task = machine.task();
    let first = machine.create().unwrap();
    commit_durably(&first, &task, &row(1, 10)).unwrap();
    drop(first);
    let store = machine.store().unwrap();
    let (_, end) = read_all(store.clone(), Log::START).unwrap();
    assert_eq!(end.end.epoch, 1);
    let env = machine.sim.env();
    let second = Log::open(&env, store.clone(), &end.end, log_options()).unwrap();
    commit_durably(&second, &task, &row(2, 10)).unwrap();
    let (_, end) = read_all(store.clone(), Log::START).unwrap();
    assert_eq!(end.end.epoch, 2);
    let third = Log::open(&env, store, &end.end, log_options()).unwrap();
    let error = commit_durably(&second, &task, &row(3, 10)).unwrap_err();
    assert!(error.is_fenced(), "{error}");
    assert!(matches!(commit(&second, &task, &row(4, 10)), Err(LogError::Fenced(_))));
    commit_durably(&third, &task, &row(5, 10)).unwrap();
    drop((second, third));
    let numbers: Vec<_> =
        machine.replay().unwrap().0.iter().map(|t| number_of(&t.rows[0])).collect();
    assert_eq!(numbers, [1, 2, 5]);
}

#[test]
fn truncation_gives_segments_up_and_reading_starts_behind_them() {
    let machine = Machine::new(1);
    let task = machine.task();
    let (store, log) = machine.create_with_store().unwrap();
    let transactions = fill(&log, &task, 0..200);
    // Else a segment that is given up may be made into the next one at once.
    wait_until_prepared(&store);
    let names = segment_names(&machine);
    let keep_from = transactions[150].stamp;
    log.truncate_before(keep_from).unwrap();
    let kept = segment_names(&machine);
    let reported = log.segments();
    let is_numbered = |at: usize| reported[at].number == reported[0].number + at as u64;
    assert!((0..reported.len()).all(is_numbered), "{reported:?}");
    assert!(reported[0].first.is_some_and(|first| first <= keep_from), "{reported:?}");
    assert!(reported[1].first.is_none_or(|first| first > keep_from), "{reported:?}");
    assert!(reported.is_sorted_by_key(|own| own.first.unwrap_or(Lsn(u64::MAX))), "{reported:?}");
    let bytes: u64 = reported.iter().map(|own| own.size_bytes).sum();
    assert_eq!(bytes, log.stats().store_bytes);
    assert!(kept.len() < names.len() && kept.iter().any(|name| name.ends_with(".spare")));
    let more = fill(&log, &task, 200..300);
    assert!(!segment_names(&machine).iter().any(|name| name.ends_with(".spare")), "used again");
    drop(log);

    machine.crash();
    let store = machine.store().unwrap();
    let (read, _) = read_all(store.clone(), keep_from).unwrap();
    assert_eq!(read[..50], transactions[150..]);
    assert_eq!(read[50..], more);
    match read_all(store.clone(), Log::START).unwrap_err() {
        LogError::Missing { wanted: Log::START, found, .. } => assert_eq!(found, store.first()),
        other => panic!("{other}"),
    }
    let (_, log) = machine.reopen().unwrap();
    fill(&log, &task, 300..310);
}

#[test]
fn a_failed_sync_ends_commits_and_leaves_durable_where_it_was() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    let stamp = commit_durably(&log, &task, &row(1, 10)).unwrap();
    let durable = log.durable();
    machine.sim.fs().inject(Fault::next(OpKind::Sync, FaultKind::Io).on(".tlog"));
    let error = commit_durably(&log, &task, &row(2, 10)).unwrap_err();
    assert!(matches!(&error, LogError::Fenced(why) if why.contains("sync")), "{error}");
    assert!(log.durable() == durable && durable > stamp);
    assert!(matches!(commit(&log, &task, &row(3, 10)), Err(LogError::Fenced(_))));
    assert!(matches!(log.shut_down(), Err(LogError::Fenced(_))));
}

#[test]
fn what_a_failed_sync_left_in_the_cache_is_made_durable_or_cut_at_the_next_opening() {
    for seed in 0..40 {
        let machine = Machine::new(seed);
        let task = machine.task();
        let log = machine.create().unwrap();
        commit_durably(&log, &task, &row(1, 10)).unwrap();
        machine.sim.fs().inject(Fault::next(OpKind::Sync, FaultKind::Io).on(".tlog"));
        commit_durably(&log, &task, &row(2, 4000)).unwrap_err();
        drop(log);
        // The process starts again on a machine that has not crashed: the batch is in the cache.
        let (transactions, log) = machine.reopen().unwrap();
        assert_eq!(transactions.len(), 2);
        let stamp = commit_durably(&log, &task, &row(3, 10)).unwrap();
        drop(log);
        machine.crash();
        let (mut after, _) = machine.replay().unwrap();
        let last = after.pop().unwrap();
        assert_eq!(last, Replayed { stamp, rows: vec![row(3, 10)] }, "seed {seed}");
        assert_eq!(after, transactions, "seed {seed}");
    }
}

/// The first batch of a segment is on its way when a checkpoint that covers all before it gives up
/// the segment in front: after a crash only prepared segments would be left.
#[test]
fn a_segment_is_not_given_up_before_the_one_behind_it_has_a_durable_batch() {
    for seed in 0..20 {
        let machine = Machine::new(seed);
        let task = machine.task();
        let (store, log) = machine.create_with_store().unwrap();
        let second = machine.segment(2);
        let second = second.file_name().unwrap().to_str().unwrap();
        machine.sim.fs().inject(Fault::next(OpKind::Sync, FaultKind::Io).on(second));
        let mut stamps = Vec::new();
        let error = loop {
            match commit_durably(&log, &task, &row(stamps.len() as u64, 3000)) {
                Ok(stamp) => stamps.push(stamp),
                Err(error) => break error,
            }
        };
        assert!(error.is_fenced(), "{error}");
        store.truncate_before(log.durable()).unwrap();
        drop((store, log));
        machine.crash();
        let (transactions, _) = machine.replay().unwrap();
        // What failed may have got there all the same.
        let found: Vec<_> = transactions.iter().map(|t| t.stamp).collect();
        assert!(found.starts_with(&stamps) && found.len() <= stamps.len() + 1, "seed {seed}");
    }
}

#[test]
fn a_failed_write_fences_too() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    machine.sim.fs().inject(Fault::next(OpKind::Write, FaultKind::Io).on(".tlog"));
    assert!(commit_durably(&log, &task, &row(2, 10)).unwrap_err().is_fenced());
    drop(log);
    // The disk may have got it all the same.
    let (transactions, log) = machine.reopen().unwrap();
    assert!(transactions.len() <= 1);
    commit_durably(&log, &task, &row(3, 10)).unwrap();
}

#[test]
fn missing_foreign_and_shortened_segments_are_named() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    fill(&log, &task, 0..100);
    drop(log);
    let fs = machine.sim.fs();
    let env = machine.sim.env();
    let foreign = LocalStore::open(&env, Path::new(DIR), 5, segment_options()).unwrap_err();
    assert!(matches!(foreign, LogError::ForeignDatabase { file } if *file == *machine.segment(1)));

    let second = machine.segment(2);
    let aside = Path::new("/data/aside");
    fs.rename(&second, aside).unwrap();
    assert!(matches!(machine.store().unwrap_err(),
        LogError::Missing { path, .. } if *path == *second));
    fs.rename(aside, &second).unwrap();
    machine.store().unwrap();

    let first = machine.segment(1);
    fs.rename(&first, aside).unwrap();
    assert!(matches!(read_all(machine.store().unwrap(), Log::START).unwrap_err(),
        LogError::Missing { path, found: Some(_), .. } if *path == *first));
    // Under another segment's name.
    let beyond = machine.segment(90);
    fs.rename(aside, &beyond).unwrap();
    assert!(matches!(machine.store().unwrap_err(), LogError::Missing { .. }));
    fs.rename(&beyond, &first).unwrap();
    machine.store().unwrap();

    let file = fs.open(&second, OpenMode::Write).unwrap();
    let len = file.len().unwrap();
    file.set_len(len - 4096).unwrap();
    assert!(matches!(machine.store().unwrap_err(),
        LogError::Damaged { file, offset, .. } if *file == *second && offset == len - 4096));
}

/// The only segment with batches was removed, and the prepared one after it passed for a new, empty
/// log.
#[test]
fn a_prepared_segment_alone_is_no_new_log() {
    let machine = Machine::new(1);
    let task = machine.task();
    let (store, log) = machine.create_with_store().unwrap();
    commit_durably(&log, &task, &row(1, 10)).unwrap();
    wait_until_prepared(&store);
    log.shut_down().unwrap();
    drop(log);
    let (first, fs) = (machine.segment(1), machine.sim.fs());
    fs.remove_file(&first).unwrap();
    assert!(matches!(machine.store().unwrap_err(),
        LogError::Missing { path, .. } if *path == *first));
    // Neither is the absence of all segments.
    fs.remove_file(&machine.segment(2)).unwrap();
    assert!(matches!(machine.store().unwrap_err(),
        LogError::Missing { path, .. } if *path == *first));
}

/// A checkpoint speaks of positions that a log without batches never had.
#[test]
fn an_empty_log_is_not_read_from_a_later_position() {
    let machine = Machine::new(1);
    let env = machine.sim.env();
    let store = LocalStore::create(&env, Path::new(DIR), DATABASE, segment_options()).unwrap();
    let store = Arc::new(store);
    let (read, _) = read_all(store.clone(), Log::START).unwrap();
    assert!(read.is_empty());
    let later = Lsn(Log::START.0 + 4096);
    assert!(matches!(read_all(store, later).unwrap_err(),
        LogError::Missing { wanted, found: None, .. } if wanted == later));
}

#[test]
fn creating_a_log_removes_an_earlier_one() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    fill(&log, &task, 0..60);
    drop(log);
    let log = machine.create().unwrap();
    let stamp = commit_durably(&log, &task, &row(7, 10)).unwrap();
    drop(log);
    assert_eq!(machine.replay().unwrap().0, [Replayed { stamp, rows: vec![row(7, 10)] }]);
}

#[test]
fn one_durable_commit_is_one_write_and_one_sync() {
    let machine = Machine::new(1);
    let task = machine.task();
    let (store, log) = machine.create_with_store().unwrap();
    commit_durably(&log, &task, &row(1, 10)).unwrap();
    wait_until_prepared(&store);
    machine.sim.fs().start_trace();
    commit_durably(&log, &task, &row(2, 10)).unwrap();
    commit_durably(&log, &task, &row(3, 5000)).unwrap();
    let segment = machine.segment(1);
    let segment = segment.display();
    let expected = [
        format!("write {segment} 12288+4096"),
        format!("sync {segment}"),
        format!("write {segment} 16384+8192"),
        format!("sync {segment}"),
    ];
    assert_eq!(machine.sim.fs().take_trace(), expected);
}

/// Indexes in pages are in the order of the collations by which they were made.
#[test]
fn a_log_of_other_collations_is_not_opened() {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    fill(&log, &task, 0..3);
    log.shut_down().unwrap();
    drop(log);
    let first = machine.segment(1);
    let env = machine.sim.env();
    let file = env.fs().open(&first, OpenMode::Write).unwrap();
    let mut page = [0; 4096];
    assert_eq!(file.read_at(&mut page, 0).unwrap(), page.len());
    page[12..16].copy_from_slice(&77u32.to_le_bytes());
    let sum = crc32c::crc32c_append(crc32c::crc32c(&page[..8]), &page[12..80]);
    page[8..12].copy_from_slice(&sum.to_le_bytes());
    file.write_all_at(&page, 0).unwrap();
    let error = machine.store().unwrap_err();
    assert!(matches!(&error, LogError::OtherCollations { version: 77, .. }), "{error}");
    assert!(error.to_string().contains("version 77 of the collations' data"), "{error}");
}

//! Damage, and telling it from the torn end of a crash.

use super::*;
use crate::log::batch::{BATCH_ALIGN, BATCH_HEADER};

/// A machine with a log of one-row commits, each in a batch of its own, and not shut down in order
/// unless `clean`.
fn machine_with_commits(commits: u64, clean: bool) -> Machine {
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    for number in 0..commits {
        commit_durably(&log, &task, &row(number, 100)).unwrap();
    }
    if clean {
        log.shut_down().unwrap();
    }
    drop(log);
    machine
}

/// Bytes of a batch with one such commit.
const BATCH: usize = BATCH_HEADER + record_len(16 + 100);

/// Where the batch of this commit starts: after the segment's header and the epoch's start.
fn batch_offset(number: u64) -> u64 {
    (number + 2) * BATCH_ALIGN as u64
}

fn flip(machine: &Machine, segment: u64, byte: u64) {
    machine.sim.fs().flip_bit(&machine.segment(segment), byte * 8 + byte % 8).unwrap();
}

#[test]
fn any_damage_to_a_batch_with_good_ones_behind_it_is_reported_by_file_and_offset() {
    let machine = machine_with_commits(5, false);
    for byte in 0..BATCH as u64 {
        flip(&machine, 1, batch_offset(2) + byte);
        let error = machine.replay().unwrap_err();
        let LogError::Damaged { file, offset, .. } = &error else { panic!("{byte}: {error}") };
        assert_eq!((&**file, *offset), (&*machine.segment(1), batch_offset(2)));
        assert!(error.to_string().contains("00000001.tlog is damaged at offset"), "{error}");
        flip(&machine, 1, batch_offset(2) + byte);
    }
    assert_eq!(machine.replay().unwrap().0.len(), 5);
}

#[test]
fn padding_between_batches_may_rot() {
    let machine = machine_with_commits(5, false);
    for byte in BATCH as u64..BATCH_ALIGN as u64 {
        flip(&machine, 1, batch_offset(2) + byte);
    }
    assert_eq!(machine.replay().unwrap().0.len(), 5);
}

#[test]
fn a_bad_last_batch_is_a_torn_end_and_the_log_goes_on_behind_the_cut() {
    for byte in 0..BATCH as u64 {
        let machine = machine_with_commits(5, false);
        let task = machine.task();
        flip(&machine, 1, batch_offset(4) + byte);
        let (transactions, log) = machine.reopen().unwrap();
        assert_eq!(transactions.len(), 4, "byte {byte}");
        commit_durably(&log, &task, &row(9, 100)).unwrap();
        drop(log);
        let (transactions, end) = machine.replay().unwrap();
        let numbers: Vec<_> = transactions.iter().map(|t| number_of(&t.rows[0])).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 9]);
        assert_eq!(end.end.epoch, 2);
    }
}

#[test]
fn after_a_clean_end_even_the_last_commit_cannot_rot_unnoticed() {
    let machine = machine_with_commits(5, true);
    for byte in [0, 10, 60, BATCH as u64 - 1] {
        flip(&machine, 1, batch_offset(4) + byte);
        assert!(matches!(machine.replay(), Err(LogError::Damaged { .. })), "byte {byte}");
        flip(&machine, 1, batch_offset(4) + byte);
    }
    // The mark itself may be damaged: then the end is not clean, and nothing else is wrong.
    flip(&machine, 1, batch_offset(5) + 20);
    let (transactions, end) = machine.replay().unwrap();
    assert_eq!((transactions.len(), end.end.clean), (5, false));
}

#[test]
fn a_wiped_stretch_of_several_batches_is_damage() {
    let machine = machine_with_commits(10, false);
    let file = machine.sim.fs().open(&machine.segment(1), env::OpenMode::Write).unwrap();
    file.write_all_at(&vec![0; 4 * BATCH_ALIGN], batch_offset(3)).unwrap();
    assert!(matches!(machine.replay().unwrap_err(),
        LogError::Damaged { offset, .. } if offset == batch_offset(3)));
}

#[test]
fn damage_at_the_end_of_a_segment_with_another_behind_it_is_not_a_torn_end() {
    let machine = machine_with_commits(20, false);
    // The first segment has 16 pages: header, epoch, 14 commits.
    flip(&machine, 1, batch_offset(13) + 50);
    assert!(matches!(machine.replay().unwrap_err(), LogError::Damaged { file, offset, .. }
        if *file == *machine.segment(1) && offset == batch_offset(13)));
}

#[test]
fn a_damaged_segment_header_is_reported() {
    for byte in 0..80 {
        if (12..16).contains(&byte) {
            continue; // unused, and part of the checksum all the same; covered by the others
        }
        let machine = machine_with_commits(20, false);
        // The third may or may not have been prepared by then.
        for segment in [1, 2] {
            flip(&machine, segment, byte);
            let error = machine.store().unwrap_err();
            assert!(
                matches!(&error, LogError::Damaged { file, .. } if **file == *machine.segment(segment)),
                "byte {byte} of {segment}: {error}"
            );
            flip(&machine, segment, byte);
        }
    }
}

#[test]
fn a_file_of_a_later_format_is_not_taken_for_damage() {
    let error = LogError::UnknownVersion { file: Path::new("x.tlog").into(), version: 9 };
    assert_eq!(error.to_string(), "x.tlog has format version 9, which is unknown");
}

#[test]
fn what_a_row_holds_can_not_pass_for_a_batch() {
    // A client stores the log's own bytes in a row, page by page, and then the end is torn.
    let machine = Machine::new(1);
    let task = machine.task();
    let log = machine.create().unwrap();
    for number in 0..3 {
        commit_durably(&log, &task, &row(number, 100)).unwrap();
    }
    let bytes = machine.sim.fs().read(&machine.segment(1)).unwrap();
    let page = BATCH_ALIGN - BATCH_HEADER - 16 - 16;
    let mut image = row(3, page);
    image.extend_from_slice(&bytes[batch_offset(2) as usize..][..BATCH]);
    commit_durably(&log, &task, &image).unwrap();
    drop(log);
    // The copy lies at a page's start within the batch of the last commit.
    let again = machine.sim.fs().read(&machine.segment(1)).unwrap();
    let copy = batch_offset(4) as usize;
    assert_eq!(again[copy..copy + BATCH], bytes[batch_offset(2) as usize..][..BATCH]);
    flip(&machine, 1, batch_offset(3) + 30);
    let (transactions, _) = machine.replay().unwrap();
    assert_eq!(transactions.len(), 3, "the torn end is cut");
}

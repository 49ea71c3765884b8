//! Reserving, publishing and group commit.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use env::OpKind;
use proptest::prelude::*;

use super::*;
use crate::log::record::{RECORD_HEADER, RecordHeader, RecordWriter};
use crate::log::ring::{BodyWriter, Full, Ring, Stamps};

#[test]
fn what_was_committed_is_read_back_in_order() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let mut expected = Vec::new();
    for number in 0..50 {
        let row = row(number, 8 + number as usize * 13);
        let stamp = commit_durably(&log, &task, &row).unwrap();
        assert!(log.durable() > stamp && log.committed() >= log.durable());
        expected.push(Replayed { stamp, rows: vec![row] });
    }
    log.shut_down().unwrap();
    let (transactions, end) = machine.replay().unwrap();
    assert_eq!(transactions, expected);
    assert!(end.end.clean && end.in_doubt.is_empty() && end.unfinished == 0);
}

#[test]
fn the_first_stamp_is_not_zero_and_stamps_are_multiples_of_sixteen() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    assert_eq!(log.committed(), Log::START);
    assert!(Log::START > Lsn::ZERO);
    for len in 8..30 {
        let (stamp, end) = commit(&log, &task, &row(0, len)).unwrap();
        assert!(stamp.0.is_multiple_of(16) && end.0.is_multiple_of(16) && stamp < end);
    }
}

#[test]
fn unused_space_becomes_filler_and_is_not_read_back() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let mut abandoned = log.reserve_waiting(&task, 160).unwrap();
    abandoned.put(b"half a row");
    let aborted = log.reserve_waiting(&task, 320).unwrap();
    let (stamp, end) = commit(&log, &task, &row(5, 20)).unwrap();
    assert_eq!(log.committed(), Log::START, "nothing is committed before what was reserved first");
    drop(abandoned);
    assert!(log.committed() < stamp);
    aborted.publish_filler();
    assert_eq!(log.committed(), end);
    log.wait_durable(&task, end).unwrap();
    drop(log);
    let (transactions, _) = machine.replay().unwrap();
    assert_eq!(transactions, [Replayed { stamp, rows: vec![row(5, 20)] }]);
}

#[test]
fn filler_alone_costs_no_write() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let before = machine.sim.fs().operations_of(OpKind::Sync);
    for _ in 0..20_000 {
        log.reserve_waiting(&task, 16).unwrap().publish_filler();
    }
    log.flush(&task).unwrap();
    assert_eq!(log.durable(), Lsn(Log::START.0 + 20_000 * 16));
    // The background may prepare a segment meanwhile, which is one sync.
    assert!(machine.sim.fs().operations_of(OpKind::Sync) <= before + 1);
    let stamp = commit_durably(&log, &task, &row(1, 9)).unwrap();
    drop(log);
    assert_eq!(machine.replay().unwrap().0, [Replayed { stamp, rows: vec![row(1, 9)] }]);
}

#[test]
fn an_idle_log_touches_no_file() {
    let machine = Machine::new(1);
    let (store, log) = machine.create_with_store().unwrap();
    let task = machine.task();
    commit_durably(&log, &task, &row(1, 9)).unwrap();
    wait_until_prepared(&store);
    let before = machine.sim.fs().operations();
    // If something touched files by and by, this is when it could; nothing has to have happened.
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(machine.sim.fs().operations(), before);
}

#[test]
fn a_commit_without_waiters_becomes_durable_all_the_same() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    for number in 0..3 {
        let (_, end) = commit(&log, &task, &row(number, 9)).unwrap();
        wait_until("it is flushed", || log.durable() >= end);
    }
}

#[test]
fn commits_during_a_sync_share_the_next_one() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    commit_durably(&log, &task, &row(0, 9)).unwrap();
    // Each may need a page of its own.
    wait_until("there is room for all", || log.stats().room_bytes >= 30 * 4096);
    let before = log.stats();
    machine.sim.fs().hold(OpKind::Sync);
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(OpKind::Sync);
        for number in 1..=20 {
            let (log, machine) = (&log, &machine);
            scope.spawn(move || {
                commit_durably(log, &machine.task(), &row(number, 100)).unwrap();
            });
        }
        let all = before.tail.0 + 20 * record_len(16 + 100) as u64;
        wait_until("all have committed", || log.committed() >= Lsn(all));
        assert_eq!(log.durable(), before.durable);
        machine.sim.fs().release(OpKind::Sync);
    });
    let after = log.stats();
    assert_eq!(after.records - before.records, 20);
    assert!(after.batches - before.batches <= 3, "{after:?}");
    assert_eq!(after.durable, after.tail);
}

#[test]
fn committers_on_many_threads_leave_one_log_without_gaps() {
    const THREADS: u64 = 4;
    const COMMITS: u64 = 1500;
    let machine = Machine::new(1);
    let log = machine.create().unwrap();
    let done = AtomicBool::new(false);
    let mut stamps: Vec<(u64, Lsn)> = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let (mut durable, mut committed) = (Lsn::ZERO, Lsn::ZERO);
            while !done.load(SeqCst) {
                let seen = (log.durable(), log.committed());
                assert!(seen.0 <= seen.1 && seen.0 >= durable && seen.1 >= committed);
                (durable, committed) = seen;
            }
        });
        let committers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (log, machine) = (&log, &machine);
                scope.spawn(move || {
                    let task = machine.task();
                    let mut stamps = Vec::new();
                    for i in 0..COMMITS {
                        let number = thread * COMMITS + i;
                        if i % 7 == 3 {
                            drop(log.reserve_waiting(&task, 48).unwrap());
                        }
                        let row = row(number, 8 + (number % 1500) as usize);
                        let (stamp, end) = commit(log, &task, &row).unwrap();
                        assert!(stamps.last().is_none_or(|&(_, last)| last < stamp));
                        stamps.push((number, stamp));
                        if i % 10 == 0 {
                            log.wait_durable(&task, end).unwrap();
                            assert!(log.durable() > stamp);
                        }
                    }
                    stamps
                })
            })
            .collect();
        let stamps = committers.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        done.store(true, SeqCst);
        watcher.join().unwrap();
        stamps
    });
    log.shut_down().unwrap();
    let (transactions, end) = machine.replay().unwrap();
    assert_eq!(end.end.end, log.tail());
    stamps.sort_by_key(|&(_, stamp)| stamp);
    assert_eq!(transactions.len(), stamps.len());
    for (replayed, (number, stamp)) in transactions.iter().zip(stamps) {
        assert_eq!(replayed.stamp, stamp);
        assert_eq!(replayed.rows, [row(number, 8 + (number % 1500) as usize)]);
    }
}

#[test]
fn a_ring_is_small_beside_what_rows_may_take() {
    let within = |memory: u64| LogOptions::default().within(memory).ring_bytes;
    let as_configured = LogOptions::default().ring_bytes;
    assert_eq!([u64::MAX, 1 << 30, 256 << 20].map(within), [as_configured; 3]);
    assert_eq!([250 << 20, 128 << 20, 100 << 20].map(within), [8 << 20, 8 << 20, 4 << 20]);
    assert_eq!([1 << 20, 0].map(within), [1 << 20; 2], "four records must go in");
    assert_eq!(log_options().within(0).ring_bytes, 32 << 10);
}

#[test]
fn a_full_ring_makes_committers_wait_and_not_fail() {
    let machine = Machine::new(1);
    let log = machine.create().unwrap();
    machine.sim.fs().hold(OpKind::Sync);
    std::thread::scope(|scope| {
        let _end = machine.sim.fs().release_at_end(OpKind::Sync);
        let committer = scope.spawn(|| {
            let task = machine.task();
            for number in 0..100 {
                commit(&log, &task, &row(number, 4000)).unwrap();
            }
        });
        wait_until("the ring is full", || log.waiting_for_room() == 1);
        assert!(!committer.is_finished(), "100 rows of 4000 bytes do not fit into 64 KB");
        machine.sim.fs().release(OpKind::Sync);
    });
    let task = machine.task();
    log.flush(&task).unwrap();
    drop(log);
    assert_eq!(machine.replay().unwrap().0.len(), 100);
}

#[test]
fn shutting_down_flushes_and_closes() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let (stamp, _) = commit(&log, &task, &row(0, 9)).unwrap();
    log.shut_down().unwrap();
    log.shut_down().unwrap();
    assert!(log.durable() > stamp);
    assert!(matches!(commit(&log, &task, &row(1, 9)), Err(LogError::Closed)));
    assert!(matches!(log.last_error(), Some(LogError::Closed)));
    assert!(machine.replay().unwrap().1.end.clean);
}

#[test]
fn too_long_a_record_is_refused() {
    let machine = Machine::new(1);
    let (log, task) = (machine.create().unwrap(), machine.task());
    assert_eq!(log.body_max(), (8 << 10) - 16);
    let result = log.reserve_waiting(&task, (8 << 10) + 16);
    assert!(matches!(result, Err(LogError::TooLong { .. })));
}

#[test]
fn an_unlogged_log_gives_unique_stamps_in_order_and_keeps_nothing() {
    let machine = Machine::new(1);
    let log = Log::unlogged();
    let before = machine.sim.fs().operations();
    let mut stamps: Vec<Lsn> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let task = machine.task();
                    let mut stamps = Vec::new();
                    for _ in 0..50_000 {
                        let space = log.reserve_waiting(&task, 16).unwrap();
                        stamps.push(space.stamp());
                        let end = space.publish(RecordKind::Commit, RecordFlags::NONE, Lsn::ZERO);
                        assert!(log.committed() <= log.tail());
                        if end.0.is_multiple_of(1024) {
                            log.wait_durable(&task, end).unwrap();
                            assert!(log.committed() >= end);
                        }
                    }
                    stamps
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    stamps.sort_unstable();
    assert!(stamps.windows(2).all(|pair| pair[1].0 == pair[0].0 + 16));
    assert_eq!(log.committed(), Lsn(stamps[0].0 + 200_000 * 16));
    assert_eq!(log.durable(), log.committed());
    assert_eq!(machine.sim.fs().operations(), before);
    log.shut_down().unwrap();
}

#[test]
fn the_ring_refuses_what_does_not_fit_and_what_the_store_has_no_pages_for() {
    let ring = Ring::new(1024, Lsn(16));
    assert_eq!(ring.reserve(16), Err(Full::Store));
    ring.grant_pages(2);
    assert_eq!(ring.reserve(1024), Err(Full::Ring), "one step stays free");
    assert_eq!(ring.reserve(512), Ok(Lsn(16)));
    assert_eq!(ring.reserve(496 + 16), Err(Full::Ring));
    assert_eq!(ring.reserve(496), Ok(Lsn(528)));
    assert_eq!(ring.has_room(16), Err(Full::Ring));
    ring.grant_pages(5);
    assert_eq!(ring.has_room(16), Err(Full::Ring));
    assert_eq!(ring.pages(), 5);
}

#[test]
fn stamps_can_be_reserved_ahead_by_a_lap_and_no_more() {
    let stamps = Stamps::new(4, Lsn(16));
    let all: Vec<_> = (0..4).map(|_| stamps.reserve().unwrap()).collect();
    assert_eq!(stamps.reserve(), Err(Full::Ring));
    assert_eq!(stamps.publish(all[1]), Lsn(16));
    assert_eq!(stamps.publish(all[0]), Lsn(48));
    assert_eq!(stamps.reserve(), Ok(Lsn(80)));
    assert_eq!(stamps.has_room(), Ok(()));
}

proptest! {
    /// Bodies written in pieces of any length come out as they went in, around the ring's end too.
    #[test]
    fn bodies_come_out_of_the_ring_as_they_went_in(
        records in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8), 1..60),
    ) {
        let ring = Ring::new(1024, Lsn(16));
        let mut taken = Lsn(16);
        for pieces in records {
            let body = pieces.concat();
            let len = record_len(body.len());
            ring.grant_pages(1);
            let lsn = ring.reserve(len).unwrap();
            let mut writer = BodyWriter::new(lsn);
            pieces.iter().for_each(|piece| writer.put(&ring, piece));
            writer.finish(&ring);
            let padding = (len - RECORD_HEADER - body.len()) as u8;
            let (kind, flags, related) = (RecordKind::Commit, RecordFlags::NONE, Lsn(7));
            let header = RecordHeader { len: len as u32, kind, flags, padding, related };
            prop_assert_eq!(ring.publish(lsn, &header), Lsn(lsn.0 + len as u64));
            prop_assert_eq!(ring.header(taken), header);
            let mut out = vec![9];
            ring.copy_out(taken, len, &mut out);
            prop_assert_eq!(&out[17..17 + body.len()], &body[..]);
            prop_assert!(out[17 + body.len()..].iter().all(|&byte| byte == 0));
            ring.release(taken, Lsn(taken.0 + len as u64));
            taken = Lsn(taken.0 + len as u64);
        }
    }
}

#[test]
fn the_log_works_on_a_real_disk() {
    let env = Env::real();
    let dir = std::env::temp_dir().join(format!("thermocline-log-{:016x}", env.rng().next_u64()));
    let runtime = runtime(&env);
    let task = Task::blocking(&runtime);
    let store = LocalStore::create(&env, &dir, DATABASE, SegmentOptions::default()).unwrap();
    let log = Log::open(&env, Arc::new(store), &Log::new_end(), LogOptions::default()).unwrap();
    let rows: Vec<_> = (0..100).map(|number| row(number, 2000)).collect();
    for row in &rows {
        commit(&log, &task, row).unwrap();
    }
    log.flush(&task).unwrap();
    drop(log);
    let store = LocalStore::open(&env, &dir, DATABASE, SegmentOptions::default()).unwrap();
    let (transactions, end) = read_all(Arc::new(store), Log::START).unwrap();
    assert!(transactions.iter().map(|t| &t.rows[0]).eq(&rows));
    assert!(!end.end.clean && !end.end.torn);
    env.fs().remove_dir_all(&dir).unwrap();
}

//! Chunks, prepared transactions, and putting them together again.

use super::*;
use crate::log::record::{RECORD_HEADER, RecordWriter};

/// Writes a record with this body.
fn append(
    log: &Log,
    task: &Task,
    kind: RecordKind,
    flags: RecordFlags,
    related: Lsn,
    body: &[u8],
) -> Lsn {
    let mut space = log.reserve_waiting(task, record_len(body.len())).unwrap();
    let stamp = space.stamp();
    space.put(body);
    space.publish(kind, flags, related);
    stamp
}

/// Streams a body in chunks of this length; the stream and what is left for the commit record.
fn stream<'b>(log: &Log, task: &Task, body: &'b [u8], chunk: usize) -> (Option<Lsn>, &'b [u8]) {
    let mut stream = None;
    let mut rest = body;
    while rest.len() > chunk {
        let (head, tail) = rest.split_at(chunk);
        stream = Some(log.append_chunk(task, stream, head).unwrap());
        rest = tail;
    }
    (stream, rest)
}

#[test]
fn a_transaction_in_chunks_comes_back_whole_wherever_it_was_cut() {
    let rows: Vec<_> = (0..40).map(|number| row(number, 20 + number as usize * 3)).collect();
    let body = body_of(&rows);
    for chunk in [1, 7, 16, 100, 1000] {
        for hold_bytes in [0, usize::MAX] {
            let machine = Machine::new(1);
            let (log, task) = (machine.create().unwrap(), machine.task());
            let (stream, rest) = stream(&log, &task, &body[..body.len().min(chunk * 200)], chunk);
            let rest = &body[body.len().min(chunk * 200) - rest.len()..];
            let rest = &rest[..rest.len().min(log.body_max())];
            let cut_short = chunk * 200 < body.len();
            let stamp = append(
                &log,
                &task,
                RecordKind::Commit,
                RecordFlags::CHUNKED,
                stream.unwrap(),
                rest,
            );
            log.shut_down().unwrap();
            let store = machine.store().unwrap();
            let mut replay = Replay::start(store, Log::START).unwrap().with_hold_bytes(hold_bytes);
            let committed = replay.next().unwrap().unwrap();
            assert_eq!(committed.lsn, stamp);
            match cut_short {
                true => assert_eq!(committed.body.len(), 200 * chunk - chunk + rest.len()),
                false => assert_eq!(super::rows(&committed.body).unwrap(), rows),
            }
            assert!(replay.next().unwrap().is_none());
        }
    }
}

#[test]
fn interleaved_streams_are_kept_apart_and_unfinished_ones_dropped() {
    let machine = Machine::new(2);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let bodies: Vec<_> = (0..3).map(|i| body_of(&[row(i, 500), row(10 + i, 700)])).collect();
    let mut streams = [None; 3];
    for part in 0..5 {
        for (body, stream) in bodies.iter().zip(&mut streams) {
            let piece = &body[part * 200..(part + 1) * 200];
            *stream = Some(log.append_chunk(&task, *stream, piece).unwrap());
        }
    }
    let chunked = RecordFlags::CHUNKED;
    let commit = |i: usize| {
        append(&log, &task, RecordKind::Commit, chunked, streams[i].unwrap(), &bodies[i][1000..])
    };
    let second = commit(2);
    log.append_abort(&task, RecordFlags::NONE, streams[1].unwrap()).unwrap();
    log.shut_down().unwrap();
    let (transactions, end) = machine.replay().unwrap();
    assert_eq!(transactions, [Replayed { stamp: second, rows: vec![row(2, 500), row(12, 700)] }]);
    assert_eq!(end.unfinished, 1);
}

#[test]
fn prepared_transactions_follow_their_decision_or_are_in_doubt() {
    let machine = Machine::new(3);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let prepare = |id: u64, flags: RecordFlags, related: Lsn, operations: &[u8]| {
        let global = GlobalTransaction { coordinator: 77, id };
        let mut body = global.encode().to_vec();
        body.extend_from_slice(operations);
        append(&log, &task, RecordKind::Prepare, flags.with(RecordFlags::GLOBAL), related, &body)
    };
    let body = body_of(&[row(1, 300), row(2, 300)]);
    let (chunks, rest) = stream(&log, &task, &body, 100);
    let first = prepare(1, RecordFlags::CHUNKED, chunks.unwrap(), rest);
    let second = prepare(2, RecordFlags::NONE, Lsn::ZERO, &body_of(&[row(3, 30)]));
    let third = prepare(3, RecordFlags::CATALOG, Lsn::ZERO, &body_of(&[row(4, 40)]));
    let fourth = prepare(4, RecordFlags::CATALOG, Lsn::ZERO, &body_of(&[row(5, 50)]));
    log.append_abort(&task, RecordFlags::PREPARED, second).unwrap();
    let prepared = RecordFlags::PREPARED;
    let one = append(&log, &task, RecordKind::Commit, prepared, first, &[]);
    let four = append(&log, &task, RecordKind::Commit, prepared, fourth, &[]);
    // A coordinator's decision names the transaction and may carry operations of its own.
    let decision = GlobalTransaction { coordinator: DATABASE, id: 9 };
    let mut body = decision.encode().to_vec();
    body.extend_from_slice(&body_of(&[row(6, 60)]));
    let five = append(&log, &task, RecordKind::Commit, RecordFlags::GLOBAL, Lsn::ZERO, &body);
    log.shut_down().unwrap();

    let mut replay = Replay::start(machine.store().unwrap(), Log::START).unwrap();
    let mut seen = Vec::new();
    while let Some(committed) = replay.next().unwrap() {
        let numbers: Vec<_> = rows(&committed.body).unwrap().iter().map(|r| number_of(r)).collect();
        let id = committed.global.unwrap().id;
        seen.push((committed.lsn, id, numbers, committed.flags.has(RecordFlags::CATALOG)));
    }
    let expected =
        [(one, 1, vec![1, 2], false), (four, 4, vec![5], true), (five, 9, vec![6], false)];
    assert_eq!(seen, expected);
    let end = replay.finish();
    let in_doubt: Vec<_> = end.in_doubt.iter().map(|p| (p.lsn, p.global.id)).collect();
    assert_eq!(in_doubt, [(third, 3)]);
    assert_eq!(rows(&end.in_doubt[0].body).unwrap(), [row(4, 40)]);
}

#[test]
fn a_commit_without_its_chunks_or_its_prepare_record_is_damage() {
    for flags in [RecordFlags::CHUNKED, RecordFlags::PREPARED] {
        let machine = Machine::new(4);
        let (log, task) = (machine.create().unwrap(), machine.task());
        append(&log, &task, RecordKind::Commit, flags, Lsn(160), &[]);
        log.shut_down().unwrap();
        assert!(matches!(machine.replay(), Err(LogError::Damaged { .. })));
    }
}

/// A checkpoint keeps the log from where the oldest transaction began that is open; others that
/// began before that may have ended after it.
#[test]
fn transactions_that_were_over_and_begin_before_what_is_read_are_passed_over() {
    let machine = Machine::new(7);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let begin = |number: u64| {
        let body = body_of(&[row(number, 300), row(number + 1, 300)]);
        let (chunks, rest) = stream(&log, &task, &body, 100);
        (chunks.expect("it is longer than a chunk"), rest.to_vec())
    };
    let over = begin(1);
    let global = GlobalTransaction { coordinator: 77, id: 1 }.encode();
    let prepared = begin(3);
    let open = begin(5);
    let chunked = RecordFlags::CHUNKED;
    let prepare = {
        let flags = chunked.with(RecordFlags::GLOBAL);
        let body = [&global[..], &prepared.1].concat();
        append(&log, &task, RecordKind::Prepare, flags, prepared.0, &body)
    };
    append(&log, &task, RecordKind::Commit, chunked, over.0, &over.1);
    let last = append(&log, &task, RecordKind::Commit, RecordFlags::PREPARED, prepare, &[]);
    let complete = Lsn(last.0 + RECORD_HEADER as u64);
    let commit = append(&log, &task, RecordKind::Commit, chunked, open.0, &open.1);
    log.shut_down().unwrap();

    let store = machine.store().unwrap();
    let mut replay = Replay::start_complete_to(store.clone(), open.0, complete).unwrap();
    let committed = replay.next().unwrap().unwrap();
    assert_eq!((committed.lsn, rows(&committed.body).unwrap().len()), (commit, 2));
    assert!(replay.next().unwrap().is_none());
    let end = replay.finish();
    assert!(end.in_doubt.is_empty() && end.unfinished == 0);
    // If they were not over they are needed.
    let mut replay = Replay::start_complete_to(store, open.0, open.0).unwrap();
    assert!(matches!(replay.next(), Err(LogError::Damaged { .. })));
}

#[test]
fn operations_that_make_no_sense_are_damage_with_a_place() {
    let good = body_of(&[row(1, 50)]);
    let mut unknown = good.clone();
    unknown[0] = 63;
    for (body, offset) in [(&good[..good.len() - 1], good.len() - 1), (&unknown[..], 16)] {
        let machine = Machine::new(4);
        let (log, task) = (machine.create().unwrap(), machine.task());
        append(&log, &task, RecordKind::Commit, RecordFlags::NONE, Lsn::ZERO, body);
        log.shut_down().unwrap();
        let LogError::Damaged { file, offset: at, .. } = machine.replay().unwrap_err() else {
            panic!("not damaged");
        };
        assert_eq!(&*file, machine.segment(1));
        // After the segment's header and the batch that starts the epoch.
        let batch = 2 * 4096 + crate::log::batch::BATCH_HEADER as u64;
        assert_eq!(at, batch + (RECORD_HEADER + offset) as u64);
    }
}

#[test]
fn every_kind_of_operation_comes_back() {
    use base::ids::ObjectId;
    let machine = Machine::new(5);
    let (log, task) = (machine.create().unwrap(), machine.task());
    let storage = StorageId(u64::MAX);
    let operations = [
        Operation::Delete { storage, replaces: Lsn(48), key: b"key" },
        Operation::DropStorage { storage },
        Operation::TruncateStorage { storage },
        Operation::IdentityCeiling { storage, ceiling: -(10i128.pow(37)) },
        Operation::SequenceCeiling { sequence: ObjectId(-5), ceiling: 1000 },
        Operation::Other { kind: 200, layout: 9, storage, payload: b"later" },
    ];
    let mut body = Vec::new();
    operations.iter().for_each(|operation| operation.encode(&mut body));
    append(&log, &task, RecordKind::Commit, RecordFlags::CATALOG, Lsn::ZERO, &body);
    log.shut_down().unwrap();
    let mut replay = Replay::start(machine.store().unwrap(), Log::START).unwrap();
    let committed = replay.next().unwrap().unwrap();
    assert!(committed.flags.has(RecordFlags::CATALOG));
    let mut read = committed.body.operations();
    for operation in operations {
        assert_eq!(read.next().unwrap(), Some(operation));
    }
    assert_eq!(read.next().unwrap(), None);
}

#[test]
fn a_replay_that_is_dropped_early_stops_reading() {
    let machine = Machine::new(6);
    let (log, task) = (machine.create().unwrap(), machine.task());
    for number in 0..200 {
        commit_durably(&log, &task, &row(number, 100)).unwrap();
    }
    log.shut_down().unwrap();
    let mut replay = Replay::start(machine.store().unwrap(), Log::START).unwrap();
    replay.next().unwrap().unwrap();
    drop(replay);
}

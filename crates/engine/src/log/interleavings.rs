//! The ring under all kinds of interleavings.

use base::ids::Lsn;
use shuttle::thread;

use super::record::{RECORD_HEADER, RecordFlags, RecordHeader, RecordKind};
use super::ring::{BodyWriter, Ring, Stamps};
use crate::sync::Arc;

const START: Lsn = Lsn(16);

fn header(len: usize, kind: RecordKind) -> RecordHeader {
    RecordHeader { len: len as u32, kind, flags: RecordFlags::NONE, padding: 0, related: Lsn(0) }
}

/// Reserves, writes a body of its stamp, and publishes.
fn commit(ring: &Ring, len: usize) -> Lsn {
    let lsn = loop {
        match ring.reserve(len) {
            Ok(lsn) => break lsn,
            Err(_) => thread::yield_now(),
        }
    };
    let mut body = BodyWriter::new(lsn);
    for _ in 0..(len - RECORD_HEADER) / 8 {
        body.put(ring, &lsn.0.to_le_bytes());
    }
    body.finish(ring);
    ring.publish(lsn, &header(len, RecordKind::Commit));
    lsn
}

/// Takes records out of the ring until it has seen up to `end`, checking each.
fn take_all(ring: &Ring, end: u64) -> Vec<Lsn> {
    let mut stamps = Vec::new();
    let mut taken = START;
    while taken.0 < end {
        let committed = ring.committed();
        if committed == taken {
            thread::yield_now();
            continue;
        }
        let mut at = taken;
        while at < committed {
            let header = ring.header(at);
            let mut bytes = Vec::new();
            ring.copy_out(at, header.len as usize, &mut bytes);
            if header.kind == RecordKind::Commit {
                for word in bytes[RECORD_HEADER..].chunks(8) {
                    assert_eq!(word, at.0.to_le_bytes(), "the body is the reserver's");
                }
                stamps.push(at);
            }
            at = Lsn(at.0 + u64::from(header.len));
        }
        assert_eq!(at, committed, "the horizon stands between records");
        ring.release(taken, at);
        taken = at;
    }
    stamps
}

#[test]
fn records_of_concurrent_committers_come_out_whole_in_order_and_none_is_lost() {
    shuttle::check_random(
        || {
            let ring = Arc::new(Ring::new(128, START));
            ring.grant_pages(1000);
            let lens: [&[usize]; 3] = [&[32, 48], &[48, 32], &[16, 64]];
            let total: usize = lens.iter().flat_map(|lens| lens.iter()).sum();
            let committers: Vec<_> = lens
                .into_iter()
                .map(|lens| {
                    let ring = ring.clone();
                    thread::spawn(move || {
                        lens.iter().map(|&len| commit(&ring, len)).collect::<Vec<_>>()
                    })
                })
                .collect();
            let taken = take_all(&ring, START.0 + total as u64);
            let mut stamps: Vec<_> =
                committers.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
            stamps.sort_unstable();
            assert_eq!(taken, stamps);
            assert_eq!(ring.committed(), ring.tail());
        },
        3_000,
    );
}

#[test]
fn the_last_to_publish_moves_the_horizon_over_all_records() {
    shuttle::check_random(
        || {
            let ring = Arc::new(Ring::new(256, START));
            ring.grant_pages(1000);
            let threads: Vec<_> = (0..3)
                .map(|i| {
                    let ring = ring.clone();
                    thread::spawn(move || {
                        let lsn = ring.reserve(16).unwrap();
                        let kind = if i == 0 { RecordKind::Filler } else { RecordKind::Commit };
                        ring.publish(lsn, &header(16, kind));
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(ring.committed(), Lsn(START.0 + 48), "no thread has to look again");
        },
        5_000,
    );
}

#[test]
fn pages_are_never_promised_twice() {
    shuttle::check_random(
        || {
            let ring = Arc::new(Ring::new(1024, START));
            ring.grant_pages(2);
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let ring = ring.clone();
                    thread::spawn(move || u32::from(ring.reserve(16).is_ok()))
                })
                .collect();
            let reserved: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
            assert_eq!(reserved, 2);
            assert_eq!(ring.pages(), 0);
        },
        3_000,
    );
}

#[test]
fn stamps_of_concurrent_committers_are_unique_and_the_horizon_covers_them() {
    shuttle::check_random(
        || {
            let stamps = Arc::new(Stamps::new(2, START));
            let threads: Vec<_> = (0..3)
                .map(|_| {
                    let stamps = stamps.clone();
                    thread::spawn(move || {
                        let mut own = Vec::new();
                        while own.len() < 2 {
                            match stamps.reserve() {
                                Ok(lsn) => {
                                    stamps.publish(lsn);
                                    own.push(lsn);
                                }
                                Err(_) => thread::yield_now(),
                            }
                        }
                        own
                    })
                })
                .collect();
            let mut all: Vec<_> =
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
            all.sort_unstable();
            assert_eq!(all, (0..6).map(|i| Lsn(START.0 + 16 * i)).collect::<Vec<_>>());
            assert_eq!(stamps.committed(), Lsn(START.0 + 96));
        },
        3_000,
    );
}

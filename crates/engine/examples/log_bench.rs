//! What the log takes: records of 1 KB from two threads, kept nowhere (the ring and the framing
//! alone) and in segment files; and durable commits, each waiting for its sync.
//!
//! `cargo run --release -p thermocline-engine --example log_bench [DIR]`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::ids::{Lsn, StorageId};
use crossbeam_epoch::Collector;
use engine::log::record::record_len;
use engine::log::store::{
    Batch, BatchReader, BatchWriter, LogEnd, LogStore, NewBatch, Outcome, Position, StoredSegment,
    WriterEvents,
};
use engine::log::{
    LocalStore, Log, LogError, LogOptions, Operation, RecordFlags, RecordKind, Replay,
    SegmentOptions,
};
use engine::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use env::Env;

const THREADS: usize = 2;
const ROW: usize = 1024 - 32;

fn main() -> Result<(), LogError> {
    let env = Env::real();
    let timer = Arc::new(ThreadTimer::new());
    let runtime = Runtime::new(env.clone(), Collector::new(), timer, RuntimeOptions::default());
    let dir = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = dir.join("thermocline-log-bench");

    let nowhere = open(&env, Arc::new(Nowhere))?;
    run(&runtime, &nowhere, "kept nowhere, not waited for", 1_000_000, 0, THREADS);
    drop(nowhere);

    for (what, commits, wait_every, threads) in [
        ("in files, not waited for", 300_000, 0, THREADS),
        ("in files, every 100th waited for", 200_000, 100, THREADS),
        ("in files, each waited for", 5_000, 1, THREADS),
        ("in files, each waited for", 500, 1, 64),
    ] {
        let store = LocalStore::create(&env, &dir, 1, SegmentOptions::default())?;
        let log = open(&env, Arc::new(store))?;
        run(&runtime, &log, what, commits, wait_every, threads);
        log.shut_down()?;
        drop(log);
        read_back(&env, &dir, commits * threads)?;
    }
    env.fs().remove_dir_all(&dir)?;
    Ok(())
}

fn open(env: &Env, store: Arc<dyn LogStore>) -> Result<Log, LogError> {
    Log::open(env, store, &Log::new_end(), LogOptions::default())
}

fn run(rt: &Runtime, log: &Log, what: &str, commits: usize, wait_every: usize, threads: usize) {
    let start_ns = rt.env().clock().now_ns();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let task = Task::blocking(rt);
                let row = [7; ROW];
                for i in 1..=commits {
                    let end = append(log, &task, &row);
                    if wait_every > 0 && i % wait_every == 0 {
                        log.wait_durable(&task, end).expect("the log goes on");
                    }
                }
            });
        }
    });
    let appended_ns = rt.env().clock().now_ns() - start_ns;
    log.flush(&Task::blocking(rt)).expect("the log goes on");
    let durable_ns = rt.env().clock().now_ns() - start_ns;
    let (stats, total) = (log.stats(), commits * threads);
    let per_s = |ns: u64| total as f64 / (ns as f64 / 1e9);
    println!(
        "{threads} threads, {what}: {:.0} appends/s, {:.0}/s until all durable; {} batches of {} \
         records, {:.0} us each",
        per_s(appended_ns),
        per_s(durable_ns),
        stats.batches,
        stats.records / stats.batches.max(1),
        stats.flush_ns as f64 / 1e3 / stats.batches.max(1) as f64,
    );
}

fn append(log: &Log, task: &Task, row: &[u8]) -> Lsn {
    let operation = Operation::Upsert { storage: StorageId(1), layout: 0, replaces: None, row };
    let len = record_len(operation.encoded_len());
    let mut space = log.reserve_waiting(task, len).expect("the log has room");
    operation.encode(&mut space);
    space.publish(RecordKind::Commit, RecordFlags::NONE, Lsn::ZERO)
}

fn read_back(env: &Env, dir: &Path, expected: usize) -> Result<(), LogError> {
    let start_ns = env.clock().now_ns();
    let store = LocalStore::open(env, dir, 1, SegmentOptions::default())?;
    let mut replay = Replay::start(Arc::new(store), Log::START)?;
    let (mut transactions, mut bytes) = (0, 0);
    while let Some(committed) = replay.next()? {
        let mut operations = committed.body.operations();
        while let Some(Operation::Upsert { row, .. }) = operations.next()? {
            bytes += row.len();
        }
        transactions += 1;
    }
    assert_eq!((transactions, bytes), (expected, expected * ROW));
    let elapsed_s = (env.clock().now_ns() - start_ns) as f64 / 1e9;
    println!("  read back: {:.0} transactions/s", transactions as f64 / elapsed_s);
    Ok(())
}

/// A store that forgets.
#[derive(Debug)]
struct Nowhere;

struct Forget(Arc<dyn WriterEvents>);

impl LogStore for Nowhere {
    fn read_from(&self, _: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        Err(LogError::Closed)
    }

    fn follow(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        self.read_from(from)
    }

    fn read_batch(&self, _: Position) -> Result<Arc<Batch>, LogError> {
        Err(LogError::Closed)
    }

    fn open_writer(
        &self,
        _: &LogEnd,
        events: Arc<dyn WriterEvents>,
    ) -> Result<Box<dyn BatchWriter>, LogError> {
        events.room(i64::MAX / 2);
        Ok(Box::new(Forget(events)))
    }

    fn truncate_before(&self, _: Lsn) -> Result<(), LogError> {
        Ok(())
    }

    fn size_bytes(&self) -> u64 {
        0
    }

    fn segments(&self) -> Vec<StoredSegment> {
        Vec::new()
    }
}

impl BatchWriter for Forget {
    fn batch_limit(&self) -> usize {
        engine::log::batch::BATCH_MAX
    }

    fn submit(&mut self, batch: &mut NewBatch) {
        self.0.outcome(Outcome::Durable(batch.end));
    }

    fn poke(&self) {}
}

//! The log against simulated disks, and what all of its tests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::ids::{Lsn, StorageId};
use crossbeam_epoch::Collector;
use env::sim::{SimEnv, wait_until};
use env::{Env, FileSystem};

use super::record::record_len;
use super::replay::ReplayEnd;
use super::store::LogStore;
use super::*;
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};

mod commit;
mod crash;
mod damage;
mod full;
mod segments;
mod transactions;

const DATABASE: u128 = 0xDB;
const DIR: &str = "/data/log";

fn segment_options() -> SegmentOptions {
    SegmentOptions {
        first_bytes: 64 << 10,
        max_bytes: 128 << 10,
        ahead: 1,
        record_max: 8 << 10,
        retry_ns: 1_000_000,
    }
}

fn log_options() -> LogOptions {
    LogOptions { ring_bytes: 64 << 10, record_max: 8 << 10, flush_within_ns: 2_000_000 }
}

fn runtime(env: &Env) -> Runtime {
    let timer = Arc::new(ThreadTimer::new());
    Runtime::new(env.clone(), Collector::new(), timer, RuntimeOptions::default())
}

/// A simulated machine with a log on it.
struct Machine {
    sim: SimEnv,
    runtime: Runtime,
}

impl Machine {
    fn new(seed: u64) -> Machine {
        let sim = SimEnv::new(seed);
        let runtime = runtime(&sim.env());
        Machine { sim, runtime }
    }

    fn task(&self) -> Task<'static> {
        Task::blocking(&self.runtime)
    }

    fn create(&self) -> Result<Log, LogError> {
        self.create_with_store().map(|(_, log)| log)
    }

    fn create_with_store(&self) -> Result<(LocalStore, Log), LogError> {
        let env = self.sim.env();
        let store = LocalStore::create(&env, Path::new(DIR), DATABASE, segment_options())?;
        env.fs().sync_dir(Path::new("/data"))?;
        env.fs().sync_dir(Path::new("/"))?;
        let log = Log::open(&env, Arc::new(store.clone()), &Log::new_end(), log_options())?;
        Ok((store, log))
    }

    fn store(&self) -> Result<Arc<LocalStore>, LogError> {
        let env = self.sim.env();
        LocalStore::open(&env, Path::new(DIR), DATABASE, segment_options()).map(Arc::new)
    }

    /// Reads the log from its beginning.
    fn replay(&self) -> Result<(Vec<Replayed>, ReplayEnd), LogError> {
        let store = self.store()?;
        let from = store.first().unwrap_or(Log::START);
        read_all(store, from)
    }

    /// Reads the log and opens it for writing.
    fn reopen(&self) -> Result<(Vec<Replayed>, Log), LogError> {
        let store = self.store()?;
        let from = store.first().unwrap_or(Log::START);
        let (transactions, end) = read_all(store.clone(), from)?;
        let log = Log::open(&self.sim.env(), store, &end.end, log_options())?;
        Ok((transactions, log))
    }

    fn crash(&self) {
        self.sim.fs().power_off();
        self.sim.fs().power_on();
    }

    fn segment(&self, number: u64) -> PathBuf {
        Path::new(DIR).join(format!("{number:08}.tlog"))
    }
}

/// Waits until the next segments of a log are prepared: the background does nothing more until one
/// is taken into use.
fn wait_until_prepared(store: &LocalStore) {
    wait_until("segments are prepared", || store.is_prepared());
}

/// A transaction as it was read back: its stamp, and the rows it wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Replayed {
    stamp: Lsn,
    rows: Vec<Vec<u8>>,
}

fn read_all(store: Arc<dyn LogStore>, from: Lsn) -> Result<(Vec<Replayed>, ReplayEnd), LogError> {
    let mut replay = Replay::start(store, from)?;
    let mut transactions = Vec::new();
    while let Some(committed) = replay.next()? {
        transactions.push(Replayed { stamp: committed.lsn, rows: rows(&committed.body)? });
    }
    let (done, total) = replay.progress().bytes();
    assert_eq!(done, total);
    Ok((transactions, replay.finish()))
}

fn rows(body: &replay::Body) -> Result<Vec<Vec<u8>>, LogError> {
    let mut rows = Vec::new();
    let mut operations = body.operations();
    while let Some(operation) = operations.next()? {
        match operation {
            Operation::Upsert { storage: StorageId(7), layout: 3, row, .. } => {
                rows.push(row.to_vec())
            }
            other => panic!("{other:?}"),
        }
    }
    Ok(rows)
}

/// A row that tells its number and is this long.
fn row(number: u64, len: usize) -> Vec<u8> {
    let mut row: Vec<u8> = (0..len).map(|i| (number as usize * 31 + i) as u8).collect();
    row[..8].copy_from_slice(&number.to_le_bytes());
    row
}

fn number_of(row: &[u8]) -> u64 {
    u64::from_le_bytes(row[..8].try_into().unwrap())
}

fn upsert(row: &[u8]) -> Operation<'_> {
    Operation::Upsert { storage: StorageId(7), layout: 3, replaces: None, row }
}

fn body_of(rows: &[Vec<u8>]) -> Vec<u8> {
    let mut body = Vec::new();
    rows.iter().for_each(|row| upsert(row).encode(&mut body));
    body
}

/// Commits one row; the stamp and the end of its record.
fn commit(log: &Log, task: &Task, row: &[u8]) -> Result<(Lsn, Lsn), LogError> {
    let operation = upsert(row);
    let mut space = log.reserve_waiting(task, record_len(operation.encoded_len()))?;
    let stamp = space.stamp();
    operation.encode(&mut space);
    let end = space.publish(RecordKind::Commit, RecordFlags::NONE, Lsn::ZERO);
    Ok((stamp, end))
}

fn commit_durably(log: &Log, task: &Task, row: &[u8]) -> Result<Lsn, LogError> {
    let (stamp, end) = commit(log, task, row)?;
    log.wait_durable(task, end)?;
    Ok(stamp)
}

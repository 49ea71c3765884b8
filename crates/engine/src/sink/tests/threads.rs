//! Writers, readers, rounds and the reclaimer at once: money goes from account to account, and
//! every reader finds all of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use base::ids::{DbId, SessionId};
use env::sim::SplitMix;

use super::counts::wait_until_gone;
use super::{FIRST, find, new_server, rows, rows_in};
use crate::hot::table::Table;
use crate::hot::visibility::{Isolation, Snapshot};
use crate::recovery::tests::{TestEnv, crash_seed_and_step};
use crate::txn::tests::{bytes, values};
use crate::txn::{DatabaseSession, Durability, ReadAt, Transaction, TxnError, TxnResult, Written};
use crate::wait::Task;

/// Tells that it is over, also if a thread has failed.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Release);
    }
}

const ACCOUNTS: i64 = 60;
const EACH: i64 = 1000;

/// Moves one unit from account to account.
fn transfer(
    task: &Task,
    txn: &mut Transaction,
    table: &Table,
    (from, to): (i64, i64),
) -> TxnResult<()> {
    for (id, change) in [(from, -1), (to, 1)] {
        let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let changed = add(task, txn, table, s.snapshot(), (id, change));
        txn.end_statement(&mut s);
        changed?;
    }
    Ok(())
}

/// Adds to the account's balance.
fn add(
    task: &Task,
    txn: &mut Transaction,
    table: &Table,
    snapshot: &Snapshot,
    (id, change): (i64, i64),
) -> TxnResult<()> {
    loop {
        let found = find(task, txn, table, snapshot, id)?;
        let row = found.unwrap_or_else(|| panic!("account {id} is lost"));
        let [id, k, v] = values(table, txn.row(row));
        let new = bytes(table, [id, k, v + change]);
        match txn.update(task, snapshot, row, &new)? {
            Written::Done(_) => return Ok(()),
            Written::Gone => {} // it has sunk since it was found
            other => panic!("snapshots do not follow: {other:?}"),
        }
    }
}

fn write(session: &Arc<DatabaseSession>, table: &Table, seed: u64, count: u32) {
    let task = Task::blocking(session.manager().runtime());
    let mut rng = SplitMix::new(seed);
    let mut done = 0;
    while done < count {
        let from = rng.below(ACCOUNTS as u64) as i64;
        let to = (from + 1 + rng.below(ACCOUNTS as u64 - 1) as i64) % ACCOUNTS;
        let mut txn = Transaction::begin(session, &task).expect("a slot is free");
        match transfer(&task, &mut txn, table, (from, to)) {
            Ok(()) if rng.below(10) == 0 => txn.rollback(&task),
            Ok(()) => {
                txn.commit(&task, Durability::Full).expect("there is room");
                done += 1;
            }
            Err(TxnError::SnapshotConflict { .. } | TxnError::Deadlock) => txn.rollback(&task),
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn nothing_is_lost_between_memory_and_trees() {
    let (seed, _) = crash_seed_and_step();
    let test_env = TestEnv::new(seed);
    let server = new_server(&test_env);
    let table = server.table(5, FIRST);
    let mut txn = server.begin(5);
    for id in 0..ACCOUNTS {
        server.insert(&mut txn, &table, [id, id, EACH]).expect("a fresh key");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    let database = server.engine.database(DbId(5)).expect("it is open");
    let over = AtomicBool::new(false);
    let session = || database.session(&server.engine.host().owner(SessionId(51)));
    let runtime = &server.engine.host().runtime;
    std::thread::scope(|scope| {
        let (database, table, over) = (&*database, &*table, &over);
        let writers: Vec<_> = (0..3)
            .map(|n| {
                let session = session();
                scope.spawn(move || write(&session, table, seed % 97 + n, 300))
            })
            .collect();
        scope.spawn(move || {
            let task = Task::blocking(runtime);
            while !over.load(Acquire) {
                database.sink_all(&task).expect("the disk works");
                database.reclaim(&task, 1000);
            }
        });
        let session = session();
        scope.spawn(move || {
            let task = Task::blocking(runtime);
            while !over.load(Acquire) {
                let total: i64 = rows_in(&session, &task, table).values().map(|row| row[2]).sum();
                assert_eq!(total, ACCOUNTS * EACH, "seed {seed}");
            }
        });
        let _over = Over(over);
        writers.into_iter().for_each(|writer| writer.join().expect("no writer fails"));
    });
    assert_eq!(rows(&server, FIRST).values().map(|row| row[2]).sum::<i64>(), ACCOUNTS * EACH);
    (0..3).for_each(|_| database.sink_all(&server.task).expect("the disk works"));
    let stats = database.sink_stats().expect("it has files");
    assert!(stats.rows >= ACCOUNTS as u64 && stats.failures == 0, "{stats:?}");
    wait_until_gone(&server, &table);
    assert_eq!(rows(&server, FIRST).values().map(|row| row[2]).sum::<i64>(), ACCOUNTS * EACH);
}

//! Random transactions, interleaved on one thread, against a model that is slow and plain: a list
//! of versions, each with the moment it began and the moment it ended.
//!
//! `THERMOCLINE_MODEL_STEPS` makes it run longer, `THERMOCLINE_MODEL_SEED` repeats one run.

use super::*;
use crate::hot::visibility::Isolation::*;

/// A column and the value that it has, or all rows.
type Range = Option<(usize, i64)>;

/// When something happened: in a commit, or in a transaction that goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum When {
    Commit(u64),
    Running(usize),
}

/// One version of one row. A row that changes its keys goes on as another row.
#[derive(Clone, Debug)]
struct Version {
    table: usize,
    uid: u64,
    row: Row,
    begin: When,
    end: Option<When>,
}

#[derive(Clone, Default)]
struct ModelTxn {
    isolation: Option<Isolation>,
    snapshot: Option<u64>,
    /// Versions read under REPEATABLE READ: their rows, and the begin of the version.
    reads: Vec<(u64, When)>,
    /// Ranges scanned under SERIALIZABLE: the table, the range, and since when.
    scans: Vec<(usize, Range, u64)>,
}

#[derive(Default)]
struct Model {
    versions: Vec<Version>,
    commits: u64,
    uids: u64,
    txns: Vec<ModelTxn>,
    /// Of each table, whether its writers wait.
    waits: Vec<bool>,
    /// Failures that the engine may report in place of the model's: where several rows hold a key,
    /// it meets them in any order and reports the first.
    key_failures: Vec<Failure>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Failure {
    WriteConflict,
    SnapshotConflict,
    Deadlock,
    Timeout,
    Duplicate(usize),
    RepeatableRead,
    Serializable,
}

fn failure(error: &TxnError) -> Failure {
    match error {
        TxnError::WriteConflict => Failure::WriteConflict,
        TxnError::SnapshotConflict { .. } => Failure::SnapshotConflict,
        TxnError::Deadlock => Failure::Deadlock,
        TxnError::LockTimeout => Failure::Timeout,
        TxnError::DuplicateKey { index, .. } => Failure::Duplicate(*index),
        TxnError::RepeatableRead => Failure::RepeatableRead,
        TxnError::Serializable => Failure::Serializable,
        other => panic!("unexpected: {other:?}"),
    }
}

impl Model {
    fn sees(&self, when: When, t: usize, snapshot: u64) -> bool {
        match when {
            When::Commit(at) => at <= snapshot,
            When::Running(other) => other == t,
        }
    }

    fn visible(&self, v: &Version, t: usize, snapshot: u64) -> bool {
        self.sees(v.begin, t, snapshot) && !v.end.is_some_and(|e| self.sees(e, t, snapshot))
    }

    /// The place in the list of a row's newest version.
    fn newest(&self, uid: u64) -> usize {
        self.versions.iter().rposition(|v| v.uid == uid).expect("the row exists")
    }

    fn rows(
        &self,
        t: usize,
        table: usize,
        snapshot: u64,
        range: Option<(usize, i64)>,
    ) -> Vec<Version> {
        let of_table = |v: &&Version| v.table == table;
        let inside = |v: &&Version| range.is_none_or(|(c, value)| v.row[c] == value);
        let seen = |v: &&Version| self.visible(v, t, snapshot);
        self.versions.iter().filter(of_table).filter(inside).filter(seen).cloned().collect()
    }

    fn snapshot(&mut self, t: usize) -> u64 {
        let now = self.commits;
        match self.txns[t].isolation.expect("running") {
            ReadCommitted => now,
            _ => *self.txns[t].snapshot.get_or_insert(now),
        }
    }

    fn select(&mut self, t: usize, table: usize, range: Option<(usize, i64)>) -> Vec<Row> {
        let snapshot = self.snapshot(t);
        let found = self.rows(t, table, snapshot, range);
        let txn = &mut self.txns[t];
        match txn.isolation {
            Some(RepeatableRead) => {
                let committed = |v: &&Version| v.begin != When::Running(t);
                txn.reads.extend(found.iter().filter(committed).map(|v| (v.uid, v.begin)));
            }
            Some(Serializable) => txn.scans.push((table, range, snapshot)),
            _ => {}
        }
        let mut rows: Vec<Row> = found.iter().map(|v| v.row).collect();
        rows.sort();
        rows
    }

    /// Whether the row with this newest version may be replaced.
    fn may_write(&self, t: usize, snapshot: u64, newest: &Version) -> Result<bool, Failure> {
        let last = newest.end.unwrap_or(newest.begin);
        match last {
            When::Running(other) if other == t => Ok(newest.end.is_none()),
            When::Running(_) if self.waits[newest.table] => Err(Failure::Timeout),
            When::Running(_) => Err(Failure::WriteConflict),
            When::Commit(at) if at <= snapshot => Ok(newest.end.is_none()),
            When::Commit(_) => match (self.waits[newest.table], self.txns[t].isolation) {
                (false, _) => Err(Failure::WriteConflict),
                (true, Some(RepeatableRead | Serializable)) => Err(Failure::Deadlock),
                (true, _) => Err(Failure::SnapshotConflict),
            },
        }
    }

    fn key_is_free(
        &mut self,
        (t, table): (usize, usize),
        snapshot: u64,
        column: usize,
        value: i64,
    ) -> Result<(), Failure> {
        let mut uids: Vec<u64> = self
            .versions
            .iter()
            .filter(|v| v.table == table && v.row[column] == value)
            .map(|v| v.uid)
            .collect();
        uids.sort();
        uids.dedup();
        self.key_failures.clear();
        let waits = self.waits[table];
        for uid in uids {
            let newest = &self.versions[self.newest(uid)];
            let last = newest.end.unwrap_or(newest.begin);
            let dead = newest.end.is_some();
            let seen = self.versions.iter().any(|v| v.uid == uid && self.visible(v, t, snapshot));
            let result = match last {
                When::Running(other) if other == t && dead => Ok(()),
                When::Running(other) if other == t => Err(Failure::Duplicate(column)),
                When::Running(_) if waits => Err(Failure::Timeout),
                When::Commit(_) if waits && dead => match self.txns[t].isolation {
                    Some(ReadCommitted) => Ok(()),
                    _ if !seen => Ok(()),
                    Some(Snapshot) => Err(Failure::SnapshotConflict),
                    _ => Err(Failure::Deadlock),
                },
                When::Commit(_) if waits => Err(Failure::Duplicate(column)),
                _ if seen => Err(Failure::Duplicate(column)),
                When::Commit(_) if dead => Ok(()),
                _ => Err(Failure::Serializable),
            };
            self.key_failures.extend(result.err());
        }
        self.key_failures.first().map_or(Ok(()), |f| Err(*f))
    }

    fn insert(&mut self, t: usize, table: usize, row: Row) -> Result<usize, Failure> {
        let snapshot = self.snapshot(t);
        self.key_is_free((t, table), snapshot, 0, row[0])?;
        self.key_is_free((t, table), snapshot, 1, row[1])?;
        self.uids += 1;
        let begin = When::Running(t);
        self.versions.push(Version { table, uid: self.uids, row, begin, end: None });
        Ok(1)
    }

    fn change(
        &mut self,
        t: usize,
        table: usize,
        id: i64,
        change: impl Fn(Row) -> Option<Row>,
    ) -> Result<usize, Failure> {
        let found = self.select_versions(t, table, id);
        let snapshot = self.snapshot(t);
        let undo = self.versions.clone();
        let uids: Vec<u64> = found.iter().map(|version| version.uid).collect();
        let result = self.change_found(t, snapshot, found, change);
        if result.is_err() {
            self.versions = undo;
        }
        // The engine may find that the row has changed since the snapshot before it waits for the
        // row's owner.
        let is_later = |v: &Version| matches!(v.begin, When::Commit(at) if at > snapshot);
        let is_lost = self.versions.iter().any(|v| uids.contains(&v.uid) && is_later(v));
        if result == Err(Failure::Timeout) && is_lost {
            self.key_failures.push(Failure::SnapshotConflict);
        }
        result
    }

    fn select_versions(&mut self, t: usize, table: usize, id: i64) -> Vec<Version> {
        self.select(t, table, Some((0, id)));
        let snapshot = self.snapshot(t);
        self.rows(t, table, snapshot, Some((0, id)))
    }

    fn change_found(
        &mut self,
        t: usize,
        snapshot: u64,
        found: Vec<Version>,
        change: impl Fn(Row) -> Option<Row>,
    ) -> Result<usize, Failure> {
        let mut count = 0;
        for version in found {
            let newest = self.newest(version.uid);
            if !self.may_write(t, snapshot, &self.versions[newest])? {
                continue;
            }
            let (now, table) = (When::Running(t), version.table);
            self.versions[newest].end = Some(now);
            count += 1;
            match change(version.row) {
                None => {}
                Some(row) if row == version.row => {
                    self.push(table, version.uid, row, now);
                }
                Some(row) => {
                    // All three columns are keys of some index.
                    self.key_is_free((t, table), snapshot, 0, row[0])?;
                    self.key_is_free((t, table), snapshot, 1, row[1])?;
                    self.uids += 1;
                    self.push(table, self.uids, row, now);
                }
            }
        }
        Ok(count)
    }

    fn push(&mut self, table: usize, uid: u64, row: Row, begin: When) {
        self.versions.push(Version { table, uid, row, begin, end: None });
    }

    fn commit(&mut self, t: usize) -> Result<(), Failure> {
        let txn = std::mem::take(&mut self.txns[t]);
        let writes = |v: &Version| v.begin == When::Running(t) || v.end == Some(When::Running(t));
        if !self.versions.iter().any(writes) {
            return Ok(());
        }
        let waits = self.waits.clone();
        let invalid = |table: usize, f| if waits[table] { Failure::Deadlock } else { f };
        for (uid, begin) in &txn.reads {
            // Not a version that was replaced by its own transaction.
            let read = |v: &&Version| v.uid == *uid && v.begin == *begin && v.end != Some(*begin);
            let version = self.versions.iter().find(read);
            let version = version.expect("versions that were read stay");
            if matches!(version.end, Some(When::Commit(_))) {
                let error = invalid(version.table, Failure::RepeatableRead);
                self.rollback(t);
                return Err(error);
            }
        }
        for (table, range, since) in &txn.scans {
            let changed = |w: When| matches!(w, When::Commit(at) if at > *since);
            let hit = self.versions.iter().any(|v| {
                v.table == *table
                    && range.is_none_or(|(c, value)| v.row[c] == value)
                    && (changed(v.begin) || v.end.is_some_and(changed))
            });
            if hit {
                let error = invalid(*table, Failure::Serializable);
                self.rollback(t);
                return Err(error);
            }
        }
        self.commits += 1;
        let stamp = When::Commit(self.commits);
        for v in &mut self.versions {
            if v.begin == When::Running(t) {
                v.begin = stamp;
            }
            if v.end == Some(When::Running(t)) {
                v.end = Some(stamp);
            }
        }
        Ok(())
    }

    fn rollback(&mut self, t: usize) {
        self.txns[t] = ModelTxn::default();
        self.versions.retain(|v| v.begin != When::Running(t));
        for v in &mut self.versions {
            if v.end == Some(When::Running(t)) {
                v.end = None;
            }
        }
    }
}

/// A small random number generator, whose seed can be printed.
pub(super) struct Rng(pub u64);

impl Rng {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides
    }
}

/// An environment in which random transactions run.
pub(super) trait Setting {
    fn harness(&self) -> &Harness;

    fn table(&self, conflicts: ConflictPolicy) -> Arc<Table>;

    /// The isolation levels of the transactions.
    fn levels(&self) -> &'static [Isolation];

    /// Does something that must not change any result.
    fn disturb(&self, task: &Task);
}

impl Setting for Harness {
    fn harness(&self) -> &Harness {
        self
    }

    fn table(&self, conflicts: ConflictPolicy) -> Arc<Table> {
        self.table(conflicts)
    }

    fn levels(&self) -> &'static [Isolation] {
        &[ReadCommitted, Snapshot, RepeatableRead, Serializable]
    }

    fn disturb(&self, task: &Task) {
        self.assert_counted();
        self.manager.reclaim(task, 10);
        self.assert_counted();
        self.manager.shrink_indexes(task, 10, true);
    }
}

fn run(seed: u64, steps: usize, policies: &[ConflictPolicy]) {
    run_in(&Harness::new(), seed, steps, policies);
}

pub(super) fn run_in(setting: &dyn Setting, seed: u64, steps: usize, policies: &[ConflictPolicy]) {
    println!("THERMOCLINE_MODEL_SEED={seed} under {policies:?}");
    let harness = setting.harness();
    let tables: Vec<_> = policies.iter().map(|p| setting.table(*p)).collect();
    let mut rng = Rng(seed | 1);
    let waits = policies.iter().map(|p| *p == ConflictPolicy::Wait).collect();
    let mut model = Model { waits, ..Model::default() };
    let mut clients: Vec<Client<'_>> = (0..4).map(|_| Client::new(harness, Snapshot)).collect();
    model.txns = vec![ModelTxn::default(); clients.len()];
    for client in &clients {
        client.session.owner().set_lock_timeout(0);
    }
    for step in 0..steps {
        let t = rng.roll(clients.len() as u64) as usize;
        let client = &mut clients[t];
        if client.txn.is_none() {
            let levels = setting.levels();
            client.isolation = levels[rng.roll(levels.len() as u64) as usize];
            model.txns[t].isolation = Some(client.isolation);
            client.begin();
        }
        let n = rng.roll(tables.len() as u64) as usize;
        run_step(setting, client, (&tables[n], n), &mut model, t, &mut rng, step);
    }
    for client in &mut clients {
        client.txn.take();
    }
    let mut last = Client::new(harness, Snapshot);
    last.begin();
    for table in &tables {
        let live = last.all(table).expect("reads succeed").len();
        assert_eq!(table.memory().rows as usize, live);
    }
}

/// One step of one transaction, in the engine and in the model.
fn run_step(
    setting: &dyn Setting,
    client: &mut Client<'_>,
    (table, n): (&Table, usize),
    model: &mut Model,
    t: usize,
    rng: &mut Rng,
    step: usize,
) {
    let context = format!("step {step} of transaction {t} ({:?}) on table {n}", client.isolation);
    let [id, k, v] = [rng.roll(12) as i64, rng.roll(12) as i64, rng.roll(4) as i64];
    let (got, want) = match rng.roll(20) {
        0..=2 => {
            let (got, want) = (client.commit(), model.commit(t));
            return assert_eq!(got.map_err(|e| failure(&e)), want, "commit: {context}");
        }
        3 => {
            client.rollback();
            return model.rollback(t);
        }
        4..=8 => (client.insert(table, [id, k, v]).map(|()| 1), model.insert(t, n, [id, k, v])),
        9..=11 => {
            let set = |r: Row| Some([r[0], r[1], v]);
            (client.update(table, id, set), model.change(t, n, id, set))
        }
        12 => {
            let set = |r: Row| Some([k, r[1], r[2]]);
            (client.update(table, id, set), model.change(t, n, id, set))
        }
        13..=14 => (client.delete(table, id), model.change(t, n, id, |_| None)),
        15..=16 => {
            let rows = client.all(table).expect("reads succeed");
            return assert_eq!(rows, model.select(t, n, None), "{context}");
        }
        17 => {
            return setting.disturb(&client.task);
        }
        _ => {
            let (index, value) = [(0, id), (1, k), (2, v)][rng.roll(3) as usize];
            let range = ScanRange::Key(key(table, index, value));
            let mut rows = client.select(table, index, range).expect("reads succeed");
            rows.sort();
            return assert_eq!(rows, model.select(t, n, Some((index, value))), "{context}");
        }
    };
    settle(client, model, t, got, want, &context);
}

/// Compares the outcome of a statement. If that is a failure that dooms the transaction, rolls it
/// back.
fn settle(
    client: &mut Client<'_>,
    model: &mut Model,
    t: usize,
    got: TxnResult<usize>,
    want: Result<usize, Failure>,
    context: &str,
) {
    let dooms = got.as_ref().is_err_and(TxnError::dooms);
    let got = got.map_err(|e| failure(&e));
    match got {
        Err(other) if want.is_err() && model.key_failures.contains(&other) => {}
        got => assert_eq!(got, want, "{context}"),
    }
    model.key_failures.clear();
    if dooms {
        client.rollback();
        model.rollback(t);
    }
}

pub(super) fn steps() -> usize {
    std::env::var("THERMOCLINE_MODEL_STEPS").ok().and_then(|s| s.parse().ok()).unwrap_or(3000)
}

pub(super) fn seeds() -> Vec<u64> {
    match std::env::var("THERMOCLINE_MODEL_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => vec![seed],
        None => {
            let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0_u64);
            vec![1, 2, 3, random]
        }
    }
}

#[test]
fn random_transactions_on_memory_optimized_tables_agree_with_the_model() {
    let policies = [ConflictPolicy::FirstWriterWins; 2];
    seeds().into_iter().for_each(|seed| run(seed, steps(), &policies));
}

#[test]
fn random_transactions_on_tables_whose_writers_wait_agree_with_the_model() {
    seeds().into_iter().for_each(|seed| run(seed, steps(), &[ConflictPolicy::Wait; 2]));
}

#[test]
fn random_transactions_on_both_kinds_of_table_agree_with_the_model() {
    let policies = [ConflictPolicy::FirstWriterWins, ConflictPolicy::Wait, ConflictPolicy::Wait];
    seeds().into_iter().for_each(|seed| run(seed, steps(), &policies));
}

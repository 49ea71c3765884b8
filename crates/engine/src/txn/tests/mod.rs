//! Tests of transactions on tables in memory, without a log.

mod anomalies;
mod conflicts;
mod locks;
mod memory;
mod model;
mod reads;
mod resident;
mod space;
pub(crate) mod sunk;
mod threads;
mod tracking;
mod written;

use std::sync::Arc;

use base::ids::{DbId, SessionId, StorageId};
use base::{Collation, SqlType, TypeKind, Value};
use crossbeam_epoch::Collector;
use env::Env;

use super::*;
use base::Arena;

use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::key::{KeyBuf, KeyColumn, SeekKey};
use crate::hot::reclaim::Tables;
use crate::hot::table::{ConflictPolicy, IndexKind, IndexSpec, Table, TableSpec};
use crate::hot::tally::Pool;
use crate::hot::visibility::Isolation;
use crate::log::Log;
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};

pub(crate) const INT: SqlType =
    SqlType { kind: TypeKind::Int, precision: 10, scale: 0, length: 4, collation: Collation(0) };

/// A database without a log, and sessions in it.
pub(crate) struct Harness {
    pub manager: Arc<Manager>,
    pub runtime: Runtime,
}

impl Harness {
    pub fn new() -> Harness {
        Harness::in_env(Env::real())
    }

    pub fn in_env(env: Env) -> Harness {
        let timer = Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let runtime = Runtime::new(env, Collector::new(), timer, options);
        let server = Arc::new(Pool::new(u64::MAX, None));
        let manager = Arc::new(Manager::new(ManagerParts {
            id: DbId(5),
            runtime: runtime.clone(),
            uuid: 5,
            log: Log::unlogged(),
            graph: Arc::default(),
            tables: Arc::new(Tables::new(2, Arc::new(Pool::new(u64::MAX, Some(server))))),
        }));
        Harness { manager, runtime }
    }

    pub fn task(&self) -> Task<'static> {
        Task::blocking(&self.runtime)
    }

    pub fn session(&self, id: i16) -> Arc<DatabaseSession> {
        let owner = self.manager.graph.owner(SessionId(id));
        DatabaseSession::new(self.manager.clone(), owner)
    }

    /// Asserts that all tables count their rows and versions in memory right. No other thread uses
    /// them.
    pub fn assert_counted(&self) {
        let (task, manager) = (self.task(), &self.manager);
        for table in manager.tables().all() {
            table.assert_counted(&task.worker().pin(), &manager.slots, &manager.reclaimer);
        }
    }

    /// A table `(id int, k int, v int)`: `id` unique and hashed, `k` unique and ordered, `v`
    /// ordered.
    pub fn table(&self, conflicts: ConflictPolicy) -> Arc<Table> {
        self.table_of(IndexKind::Hash { bucket_count: 16 }, conflicts)
    }

    /// As `table`, with another index on `id`.
    pub fn table_of(&self, first: IndexKind, conflicts: ConflictPolicy) -> Arc<Table> {
        let columns = |c: usize| vec![KeyColumn::ascending(c)];
        let index = |kind, c, unique| IndexSpec { kind, columns: columns(c), unique, filter: None };
        let indexes = vec![
            index(first, 0, true),
            index(IndexKind::Range, 1, true),
            index(IndexKind::Range, 2, false),
        ];
        let storage = StorageId(100 + self.manager.tables().all().len() as u64);
        let spec = TableSpec {
            conflicts,
            caches_rows: true,
            ..TableSpec::new(storage, vec![INT; 3], indexes)
        };
        self.manager.create_table(&spec)
    }
}

/// The three columns of a row.
pub(crate) type Row = [i64; 3];

pub(crate) fn bytes(table: &Table, row: Row) -> Vec<u8> {
    table.layout().build_owned(&row.map(Value::Int))
}

pub(crate) fn values(table: &Table, row: &[u8]) -> Row {
    [0, 1, 2].map(|c| match table.layout().get(row, c) {
        base::ValueRef::Int(v) => v,
        other => panic!("an int column holds {other:?}"),
    })
}

/// The encoded key of an index for a value of its column.
pub(crate) fn key(table: &Table, index: usize, value: i64) -> KeyBuf {
    let mut key = KeyBuf::default();
    table.key_spec(index).encode_row(table.layout(), &bytes(table, [value; 3]), &mut key);
    key
}

/// A transaction whose statements have one isolation level.
pub(crate) struct Client<'h> {
    pub task: Task<'static>,
    pub session: Arc<DatabaseSession>,
    pub txn: Option<Transaction>,
    pub isolation: Isolation,
    _harness: std::marker::PhantomData<&'h Harness>,
}

impl<'h> Client<'h> {
    pub fn new(harness: &'h Harness, isolation: Isolation) -> Client<'h> {
        let (task, session) = (harness.task(), harness.session(51));
        Client { task, session, txn: None, isolation, _harness: std::marker::PhantomData }
    }

    pub fn begin(&mut self) -> &mut Client<'h> {
        self.txn = Some(Transaction::begin(&self.session, &self.task).expect("a slot is free"));
        self
    }

    /// Runs a statement; undoes it if it fails.
    pub fn statement<T>(
        &mut self,
        body: impl FnOnce(&mut Transaction, &Task, &Statement) -> TxnResult<T>,
    ) -> TxnResult<T> {
        let txn = self.txn.as_mut().expect("begun");
        let mut statement = txn.begin_statement(self.isolation, ReadAt::Committed);
        let result = body(txn, &self.task, &statement);
        match result {
            Ok(_) => txn.end_statement(&mut statement),
            Err(_) => txn.rollback_statement(&self.task, &mut statement),
        }
        result
    }

    pub fn insert(&mut self, table: &Table, row: Row) -> TxnResult<()> {
        let row = bytes(table, row);
        self.statement(|txn, task, s| txn.insert(task, table, s.snapshot(), &row).map(drop))
    }

    /// The rows of a range, by value.
    pub fn select(&mut self, table: &Table, index: usize, range: ScanRange) -> TxnResult<Vec<Row>> {
        self.statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), index, range, Direction::Forward);
            let mut rows = Vec::new();
            while let Some(row) = cursor.next(txn, task, table)? {
                rows.push(values(table, txn.row(row)));
            }
            Ok(rows)
        })
    }

    pub fn all(&mut self, table: &Table) -> TxnResult<Vec<Row>> {
        let mut rows = self.select(table, 0, ScanRange::All)?;
        rows.sort();
        Ok(rows)
    }

    pub fn get(&mut self, table: &Table, id: i64) -> TxnResult<Option<Row>> {
        let rows = self.select(table, 0, ScanRange::Key(key(table, 0, id)))?;
        assert!(rows.len() <= 1, "{rows:?} share a unique key");
        if self.isolation != Isolation::ReadCommitted {
            assert_eq!(self.look_up(table, 0, id)?, rows.first().copied(), "the same snapshot");
        }
        Ok(rows.first().copied())
    }

    /// The row with this value in the column of a unique index.
    pub fn look_up(&mut self, table: &Table, index: usize, value: i64) -> TxnResult<Option<Row>> {
        self.statement(|txn, task, s| {
            let (key, arena) = (key(table, index, value), Arena::new());
            let found =
                txn.look_up(task, table, s.snapshot(), index, SeekKey::Bytes(&key), &arena)?;
            Ok(found.map(|row| values(table, txn.row(row))))
        })
    }

    /// Updates the row with this id, as an UPDATE statement does: newer versions are tried again.
    /// Returns how many rows were changed.
    pub fn update(
        &mut self,
        table: &Table,
        id: i64,
        mut change: impl FnMut(Row) -> Option<Row>,
    ) -> TxnResult<usize> {
        self.modify(table, id, |txn, task, s, row| {
            let old = values(table, txn.row(row));
            let Some(new) = change(old) else { return Ok(Written::Gone) };
            let new = bytes(table, new);
            txn.update(task, s.snapshot(), row, &new)
        })
    }

    pub fn delete(&mut self, table: &Table, id: i64) -> TxnResult<usize> {
        self.modify(table, id, |txn, task, s, row| txn.delete(task, s.snapshot(), row))
    }

    pub fn modify(
        &mut self,
        table: &Table,
        id: i64,
        mut write: impl for<'s> FnMut(
            &mut Transaction,
            &Task,
            &'s Statement,
            RowRef<'s>,
        ) -> TxnResult<Written<RowRef<'s>>>,
    ) -> TxnResult<usize> {
        let range = ScanRange::Key(key(table, 0, id));
        self.statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), 0, range, Direction::Forward);
            let mut count = 0;
            while let Some(mut row) = cursor.next(txn, task, table)? {
                count += loop {
                    match write(txn, task, s, row)? {
                        Written::Done(_) => break 1,
                        Written::Newer(newer) => row = newer,
                        Written::Gone | Written::Repeated => break 0,
                    }
                };
            }
            Ok(count)
        })
    }

    pub fn commit(&mut self) -> TxnResult<()> {
        let txn = self.txn.take().expect("begun");
        txn.commit(&self.task, Durability::Full).map(drop)
    }

    pub fn rollback(&mut self) {
        self.txn.take().expect("begun").rollback(&self.task);
    }

    /// One statement in a transaction of its own.
    pub fn autocommit(&mut self, body: impl FnOnce(&mut Self) -> TxnResult<()>) -> TxnResult<()> {
        self.begin();
        match body(self) {
            Ok(()) => self.commit(),
            Err(error) => {
                self.rollback();
                Err(error)
            }
        }
    }
}

/// Fills a table with rows `(i, 10 * i, i % 3)`.
pub(crate) fn fill(harness: &Harness, table: &Table, rows: std::ops::Range<i64>) {
    let mut client = Client::new(harness, Isolation::Snapshot);
    client.begin();
    for i in rows {
        client.insert(table, [i, 10 * i, i % 3]).expect("a fresh key");
    }
    client.commit().expect("no other writer");
}

#[test]
fn transactions_go_from_thread_to_thread_with_their_session() {
    fn is_send<T: Send>() {}
    is_send::<Transaction>();
    is_send::<TransactionGroup>();
    is_send::<Cursor>();
    is_send::<Arc<DatabaseSession>>();
}

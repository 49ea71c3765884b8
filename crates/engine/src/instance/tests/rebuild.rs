//! Tables that get another storage while other transactions write to them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::load::disk_table;
use super::*;
use crate::catalog::Rows;
use crate::txn::{Durability, Written};

type Model = BTreeMap<i64, i64>;

/// What kind of table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    MemoryOptimized,
    Disk,
    /// A disk table without a unique index.
    Heap,
}

fn definition(kind: Kind, id: ObjectId) -> TableDef {
    let mut def = match kind {
        Kind::MemoryOptimized => table(id, "T"),
        Kind::Disk | Kind::Heap => disk_table(id),
    };
    if kind == Kind::Heap {
        def.indexes.remove(0);
        // The first index has some of the rows alone.
        def.indexes[0].filter = Some(FilterDef {
            definition: "([v]>(1000))".into(),
            terms: vec![FilterTerm {
                column: ColumnId(2),
                test: FilterTest::Compare(Comparison::Greater, Value::Int(1000)),
            }],
        });
    }
    def
}

/// Another session, which writes to the table.
struct Writer<'s> {
    server: &'s Server,
    catalog: &'s Arc<Catalog>,
    owner: Arc<Owner>,
    id: ObjectId,
    rng: Rng,
    /// What is durable.
    model: Model,
    /// What else may be: a commit that is under way.
    after: Model,
}

impl<'s> Writer<'s> {
    fn new(
        server: &'s Server,
        catalog: &'s Arc<Catalog>,
        (id, rows): (ObjectId, i64),
        seed: u64,
    ) -> Self {
        let owner = server.instance.engine.host().owner(SessionId(52));
        let model: Model = (1..=rows).map(|v| (v, v)).collect();
        Writer { server, catalog, owner, id, rng: Rng::new(seed), after: model.clone(), model }
    }

    fn begin(&self) -> Transaction {
        let place = self.catalog.database().session(&self.owner);
        Transaction::begin(&place, &self.server.task).expect("a slot is free")
    }

    fn table(&self) -> Arc<Table> {
        let schema = self.catalog.current();
        let table = schema.table(self.id).expect("it exists");
        self.catalog.table(table).expect("it has a storage")
    }

    /// Some rows of all that there are change, go and come. Returns what the table has then.
    fn write(&mut self, txn: &mut Transaction) -> CatalogResult<Model> {
        let (task, table) = (&self.server.task, self.table());
        let (rng, mut after) = (&mut self.rng, self.model.clone());
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        for _ in 0..rng.below(30) {
            let id = 100_000 + rng.below(1_000_000) as i64;
            if let Entry::Vacant(place) = after.entry(id) {
                place.insert(-id);
                let row = table.layout().build_owned(&values(&table, id, -id));
                txn.insert(task, &table, &snapshot, &row)?;
            }
        }
        let index = table.log_index();
        let mut cursor = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
        while let Some(row) = cursor.next(txn, task, &table)? {
            if rng.below(40) > 0 {
                continue;
            }
            let old = integers(&table, txn.row(row));
            let (id, v) = (old[0], old[1]);
            let becomes = match rng.below(4) {
                0 => None,
                1 => Some((id + 10_000_000, v)).filter(|(id, _)| !after.contains_key(id)),
                _ => Some((id, v + 1)),
            };
            let written = match becomes {
                Some((id, v)) => {
                    let new = table.layout().build_owned(&values(&table, id, v));
                    txn.update(task, &snapshot, row, &new)?
                }
                None => txn.delete(task, &snapshot, row)?,
            };
            assert!(matches!(written, Written::Done(_)), "no other writer");
            after.remove(&id);
            after.extend(becomes);
        }
        txn.end_statement(&mut statement);
        Ok(after)
    }

    fn commit(&mut self, txn: Transaction, after: Model) -> CatalogResult<()> {
        self.after = after;
        let end = txn.commit(&self.server.task, Durability::Full)?;
        let log = self.catalog.database().manager().log();
        log.wait_durable(&self.server.task, end).map_err(crate::txn::TxnError::from)?;
        self.model = self.after.clone();
        Ok(())
    }

    /// A transaction, which may be rolled back.
    fn run(&mut self) -> CatalogResult<()> {
        let mut txn = self.begin();
        let after = self.write(&mut txn)?;
        match self.rng.below(5) {
            0 => {
                txn.rollback(&self.server.task);
                Ok(())
            }
            _ => self.commit(txn, after),
        }
    }

    /// Adds an index to the table, and a column that has the sum of the others, and writes between
    /// the steps.
    fn rebuild(&mut self, kind: Kind, sinks: bool) -> Result<(), InstanceError> {
        // Rows were changed before it begins, and are committed when some are copied.
        let mut early = self.begin();
        let after = self.write(&mut early)?;
        let (mut early, mut steps) = (Some((early, after)), 0);
        let (server, catalog, task) = (self.server, self.catalog, &self.server.task);
        server.ddl(catalog, |edit, txn| {
            let new = altered(kind, self.id);
            let mut rebuild = edit.begin_rebuild(task, txn, new, Some(|_| true))?;
            let (table, old) = (rebuild.table().clone(), self.table());
            let (mut rows, mut copies) = (Rows::default(), Rows::default());
            let mut copy = || -> Result<(), CatalogError> {
                while rebuild.next(edit, task, txn, &mut rows)? {
                    copies.clear();
                    for row in rows.iter() {
                        let values = integers(&old, row);
                        let values = [values[0], values[1], values[0] + values[1], 0];
                        let columns = table.layout().columns().len();
                        let values: Vec<Value> =
                            values.into_iter().take(columns).map(Value::Int).collect();
                        copies.append(|bytes| {
                            bytes.extend(table.layout().build_owned(&values));
                            Ok::<(), CatalogError>(())
                        })?;
                    }
                    rebuild.put(task, txn, &rows, &mut copies)?;
                    steps += 1;
                    match early.take() {
                        Some((early, after)) if self.rng.flip() => self.commit(early, after)?,
                        Some((early, _)) => early.rollback(task),
                        None if old.gate().closing().is_none() => {
                            for _ in 0..self.rng.below(if steps < 4 { 12 } else { 2 }) {
                                self.run()?;
                            }
                            match self.rng.below(6) {
                                0 if sinks => catalog.database().sink_all(task).map_err(strange)?,
                                1 => catalog.database().checkpoint(task).map_err(strange)?,
                                _ => {}
                            }
                        }
                        None => {}
                    }
                }
                Ok(())
            };
            if let Err(error) = copy() {
                rebuild.abandon(task, txn);
                return Err(error);
            }
            rebuild.finish(edit, task, txn).map(drop)
        })
    }
}

/// What fails only because the power is off.
fn strange<E>(_: E) -> crate::txn::TxnError {
    crate::txn::TxnError::Interrupted
}

/// The values of a row, whose hidden number the table fills in.
fn values(table: &Table, id: i64, v: i64) -> Vec<Value> {
    let columns = table.layout().columns().len();
    [id, v, 0].into_iter().take(columns).map(Value::Int).collect()
}

/// The table with a column more, and an index on it.
fn altered(kind: Kind, id: ObjectId) -> TableDef {
    let mut def = definition(kind, id);
    let mut column = ColumnDef::new(ColumnId(3), "sum".into(), SqlType::bigint(), UserTypeId(127));
    column.nullable = false;
    def.columns.push(column);
    def.max_column_id = ColumnId(3);
    let mut index = IndexDef::new(IndexId(7), "more".into(), IndexKind::NonClustered, false);
    index.key.push(KeyColumn { column: ColumnId(3), descending: false });
    def.indexes.push(index);
    def
}

/// The instance with a database that has the table, with this many rows.
fn started(
    (kind, sinks): (Kind, bool),
    rows: i64,
    seed: u64,
) -> (TestEnv, Server, Arc<Catalog>, ObjectId) {
    let (test_env, server) = TestEnv::started(seed);
    let catalog = server.create_database("A").expect("the disk works");
    let made = server.ddl(&catalog, |edit, txn| {
        let id = edit.new_object_id();
        let table = edit.create_table(&server.task, txn, definition(kind, id))?;
        let table = table.expect("it is no type's");
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        for v in 1..=rows {
            let row = table.layout().build_owned(&values(&table, v, v));
            txn.insert(&server.task, &table, statement.snapshot(), &row)?;
        }
        txn.end_statement(&mut statement);
        if sinks {
            assert!(edit.begin_load(&server.task, txn, id, 1)?, "disk tables have trees");
            edit.finish_load(&server.task, txn)?;
        }
        Ok(id)
    });
    let id = made.expect("the disk works");
    (test_env, server, catalog, id)
}

/// The rows, by each index that has all of them, which must agree; and whether the table is the
/// altered one.
fn found(server: &Server, catalog: &Arc<Catalog>, id: ObjectId) -> (Model, bool) {
    let schema = catalog.current();
    let def = schema.table(id).expect("it exists");
    let table = catalog.table(def).expect("it has a storage");
    let is_altered = def.columns.len() > 2;
    let place = catalog.database().session(&server.owner);
    let is_whole = |index: &usize| def.indexes.get(*index).is_none_or(|i| i.filter.is_none());
    let by_index = (0..table.links()).filter(is_whole).map(|index| {
        let mut txn = Transaction::begin(&place, &server.task).expect("a slot is free");
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        let mut cursor = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
        let mut rows = Vec::new();
        while let Some(row) = cursor.next(&mut txn, &server.task, &table).expect("no conflict") {
            let row = integers(&table, txn.row(row));
            assert!(!is_altered || row[2] == row[0] + row[1], "{row:?}");
            rows.push((row[0], row[1]));
        }
        txn.end_statement(&mut statement);
        txn.rollback(&server.task);
        rows.sort_unstable();
        rows
    });
    let mut by_index: Vec<Vec<(i64, i64)>> = by_index.collect();
    by_index.dedup();
    assert_eq!(by_index.len(), 1, "indexes agree");
    let rows = by_index.remove(0);
    let model: Model = rows.iter().copied().collect();
    assert_eq!(model.len(), rows.len(), "no row is there twice");
    (model, is_altered)
}

const KINDS: [(Kind, bool); 5] = [
    (Kind::MemoryOptimized, false),
    (Kind::Disk, false),
    (Kind::Disk, true),
    (Kind::Heap, false),
    (Kind::Heap, true),
];

fn is_long() -> bool {
    std::env::var_os("CATALOG_SEEDS").is_some()
}

#[test]
fn a_table_is_rebuilt_while_others_write_to_it() {
    for seed in 0..if is_long() { 40 } else { 4 } {
        for (kind, sinks) in KINDS {
            let (test_env, server, catalog, id) = started((kind, sinks), 3000, seed);
            let mut writer = Writer::new(&server, &catalog, (id, 3000), seed);
            writer.rebuild(kind, sinks).expect("the disk works");
            let model = writer.model;
            let is_there = |(rows, is_altered)| rows == model && is_altered;
            assert!(is_there(found(&server, &catalog, id)), "{kind:?}, {sinks}, seed {seed}");
            drop(catalog);
            let server = test_env.crash(server);
            let a = server.instance.find("A").expect("it was made");
            let catalog = server.instance.catalog(a.id).expect("check() has seen it");
            let rows = found(&server, &catalog, id);
            assert!(is_there(rows), "{kind:?}, {sinks}, seed {seed}, after a crash");
        }
    }
}

#[test]
fn a_crash_while_a_table_is_rebuilt_leaves_what_was_committed() {
    const ROWS: i64 = 300;
    let step = if is_long() { 1 } else { 11 };
    for kind in [(Kind::MemoryOptimized, false), (Kind::Disk, true)] {
        let (first, last) = {
            let (test_env, server, catalog, id) = started(kind, ROWS, 41);
            let first = test_env.sim.fs().operations();
            let mut writer = Writer::new(&server, &catalog, (id, ROWS), 41);
            writer.rebuild(kind.0, kind.1).expect("the disk works");
            (first, test_env.sim.fs().operations())
        };
        for at in (first..last).step_by(step) {
            let (test_env, server, catalog, id) = started(kind, ROWS, 41);
            test_env.sim.fs().power_off_at(at);
            let mut writer = Writer::new(&server, &catalog, (id, ROWS), 41);
            let is_rebuilt = writer.rebuild(kind.0, kind.1).is_ok();
            let (model, after) = (writer.model, writer.after);
            drop(catalog);
            let server = test_env.crash(server);
            let a = server.instance.find("A").expect("it was made");
            let catalog = server.instance.catalog(a.id).expect("check() has seen it");
            let (rows, is_altered) = found(&server, &catalog, id);
            assert!(rows == model || rows == after, "{kind:?}, off at {at}");
            assert!(is_altered || !is_rebuilt, "{kind:?}, off at {at}");
        }
    }
}

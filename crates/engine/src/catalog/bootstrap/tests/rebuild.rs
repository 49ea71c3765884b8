//! Tables that get another storage while others write to them.

use std::collections::BTreeMap;

use super::load::disk_table;
use super::*;
use crate::catalog::Rows;
use crate::txn::{Durability, Written};

type Model = BTreeMap<i64, i64>;

const ROWS: i64 = 3000;

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
}

impl Writer<'_> {
    fn begin(&self) -> Transaction {
        let place = self.catalog.database().session(&self.owner);
        Transaction::begin(&place, &self.server.task).expect("a slot is free")
    }

    fn table(&self) -> Arc<Table> {
        let schema = self.catalog.current();
        let table = schema.table(self.id).expect("it exists");
        self.catalog.table(table).expect("it has a storage")
    }

    /// Some rows of all that there are change, go and come, in the table and in a copy of the model.
    fn write(&self, txn: &mut Transaction, dice: &mut Dice, model: &Model) -> Model {
        let (task, table, mut after) = (&self.server.task, self.table(), model.clone());
        let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = statement.snapshot;
        for _ in 0..dice.below(30) {
            let id = 100_000 + dice.below(1_000_000) as i64;
            if let std::collections::btree_map::Entry::Vacant(place) = after.entry(id) {
                place.insert(-id);
                let row = table.layout().build_owned(&values(&table, id, -id));
                txn.insert(task, &table, &snapshot, &row).expect("the key is new");
            }
        }
        let index = table.log_index();
        let mut cursor = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
        while let Some(row) = cursor.next(txn, task, &table).expect("nobody else writes") {
            if dice.below(40) > 0 {
                continue;
            }
            let old = integers(&table, txn.row(&table, row));
            let (id, v) = (old[0], old[1]);
            let becomes = match dice.below(4) {
                0 => None,
                1 => Some((id + 10_000_000, v)).filter(|(id, _)| !after.contains_key(id)),
                _ => Some((id, v + 1)),
            };
            let written = match becomes {
                Some((id, v)) => {
                    let new = table.layout().build_owned(&values(&table, id, v));
                    txn.update(task, &table, &snapshot, row, &new)
                }
                None => txn.delete(task, &table, &snapshot, row),
            };
            assert!(matches!(written, Ok(Written::Done(_))), "nobody else writes");
            after.remove(&id);
            after.extend(becomes);
        }
        txn.end_statement(statement);
        after
    }

    fn commit(&self, txn: Transaction) {
        txn.commit(&self.server.task, Durability::Full).expect("the disk works");
    }
}

/// The values of a row, whose hidden number the table fills in.
fn values(table: &Table, id: i64, v: i64) -> Vec<Value> {
    let columns = table.layout().columns().len();
    [id, v, 0].into_iter().take(columns).map(Value::Int).collect()
}

/// Adds an index to the table, and a column that has the sum of the others, while a writer writes between the steps.
fn rebuilt_while_written(kind: Kind, sinks: bool, seed: u64) {
    let (world, server) = World::started(seed);
    let catalog = server.create_database("A").expect("the disk works");
    let mut dice = Dice::new(seed);
    let id = server
        .ddl(&catalog, |edit, txn| {
            let id = edit.new_object_id();
            let table = edit.create_table(&server.task, txn, definition(kind, id))?;
            let table = table.expect("it is no type's");
            let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
            for v in 1..=ROWS {
                let row = table.layout().build_owned(&values(&table, v, v));
                txn.insert(&server.task, &table, &statement.snapshot, &row)?;
            }
            txn.end_statement(statement);
            if sinks {
                assert!(edit.begin_load(&server.task, txn, (id, 1))?, "disk tables have trees");
                edit.finish_load(&server.task, txn)?;
            }
            Ok(id)
        })
        .expect("the disk works");
    let mut model: Model = (1..=ROWS).map(|v| (v, v)).collect();

    let owner = server.instance.engine.host().owner(SessionId(52));
    let writer = Writer { server: &server, catalog: &catalog, owner, id };
    // It has changed rows before the rebuild begins, and commits when some are copied.
    let mut early = writer.begin();
    let after_early = writer.write(&mut early, &mut dice, &model);
    let mut early = Some(early);
    let commits = dice.flip();

    let mut new = definition(kind, id);
    let mut column = ColumnDef::new(ColumnId(3), "sum".into(), SqlType::bigint(), UserTypeId(127));
    column.nullable = false;
    new.columns.push(column);
    new.max_column_id = ColumnId(3);
    let mut index = IndexDef::new(IndexId(7), "more".into(), IndexKind::NonClustered, false);
    index.key.push(KeyColumn { column: ColumnId(3), descending: false });
    new.indexes.push(index);
    let mut steps = 0;
    server
        .ddl(&catalog, |edit, txn| {
            let task = &server.task;
            edit.lock(task, txn)?;
            let mut rebuild = edit.begin_rebuild(task, txn, new, Some(|_| true))?;
            let (table, old) = (rebuild.table().clone(), writer.table());
            let (mut rows, mut copies) = (Rows::default(), Rows::default());
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
                    Some(early) if commits => {
                        writer.commit(early);
                        model = after_early.clone();
                    }
                    Some(early) => early.rollback(task),
                    None if old.gate().closing().is_none() => {
                        for _ in 0..dice.below(if steps < 4 { 12 } else { 2 }) {
                            let mut txn = writer.begin();
                            let after = writer.write(&mut txn, &mut dice, &model);
                            match dice.below(5) {
                                0 => txn.rollback(task),
                                _ => {
                                    writer.commit(txn);
                                    model = after;
                                }
                            }
                        }
                        match dice.below(6) {
                            0 if sinks => {
                                catalog.database().sink_all(task).expect("the disk works")
                            }
                            1 => catalog.database().checkpoint(task).expect("the disk works"),
                            _ => {}
                        }
                    }
                    None => {}
                }
            }
            rebuild.finish(edit, task, txn).map(drop)
        })
        .expect("the disk works");
    assert!(steps > 4, "others have written between copying and the last round");
    let expected: Vec<Vec<i64>> = model.iter().map(|(id, v)| vec![*id, *v, id + v]).collect();
    let found = |server: &Server, catalog: &Arc<Catalog>| {
        let schema = catalog.current();
        let def = schema.table(id).expect("it exists");
        let table = catalog.table(def).expect("it has a storage");
        let place = catalog.database().session(&server.owner);
        let mut all = Vec::new();
        for index in 0..table.links() {
            let is_filtered = def.indexes.get(index).is_some_and(|index| index.filter.is_some());
            if is_filtered {
                continue;
            }
            let mut txn = Transaction::begin(&place, &server.task).expect("a slot is free");
            let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
            let snapshot = statement.snapshot;
            let mut cursor = Cursor::new(&snapshot, index, ScanRange::All, Direction::Forward);
            let mut rows = Vec::new();
            while let Some(row) = cursor.next(&mut txn, &server.task, &table).expect("no one else")
            {
                let mut row = integers(&table, txn.row(&table, row));
                row.truncate(3);
                rows.push(row);
            }
            rows.sort();
            all.push(rows);
            txn.end_statement(statement);
            txn.rollback(&server.task);
        }
        all
    };
    for rows in found(&server, &catalog) {
        assert!(rows == expected, "{kind:?}, sinks: {sinks}, seed {seed}");
    }
    drop(writer);
    drop(catalog);
    let server = world.crash(server);
    let a = server.instance.find("A").expect("it was made");
    let catalog = server.instance.catalog(a.id).expect("check() has seen it");
    for rows in found(&server, &catalog) {
        assert!(rows == expected, "{kind:?}, sinks: {sinks}, seed {seed}, after a crash");
    }
}

#[test]
fn a_table_is_rebuilt_while_others_write_to_it() {
    for seed in 0..4 {
        for (kind, sinks) in [
            (Kind::MemoryOptimized, false),
            (Kind::Disk, false),
            (Kind::Disk, true),
            (Kind::Heap, false),
            (Kind::Heap, true),
        ] {
            rebuilt_while_written(kind, sinks, seed);
        }
    }
}

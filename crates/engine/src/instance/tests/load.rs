//! Disk tables that more rows are loaded into than a transaction may have in memory, while the
//! power fails.

use super::*;
use crate::txn::Written;

pub(super) const TABLE: &str = "T";
/// The rows after each step of the script.
const COUNTS: [i64; 4] = [5, 405, 406, 600];

type Rows = Vec<(i64, i64)>;

fn expected(step: usize) -> Rows {
    (1..=COUNTS[step]).map(|id| (id, 2 * id)).collect()
}

pub(super) fn disk_table(id: ObjectId) -> TableDef {
    let mut table = TableDef { kind: TableKind::Disk, ..table(id, TABLE) };
    table.indexes[0].id = IndexId(1);
    table.indexes[0].kind = IndexKind::Clustered;
    // Keys that are not the table's order, and are not unique.
    let mut index = IndexDef::new(IndexId(2), "ix".into(), IndexKind::NonClustered, false);
    index.key.push(KeyColumn { column: ColumnId(2), descending: true });
    table.indexes.push(index);
    table
}

impl Server {
    /// A table with the first rows.
    fn disk_table(&self, catalog: &Arc<Catalog>) -> Result<ObjectId, InstanceError> {
        self.ddl(catalog, |edit, txn| {
            let id = edit.new_object_id();
            let table = edit.create_table(&self.task, txn, disk_table(id))?;
            let table = table.expect("it is no type's");
            (1..=COUNTS[0]).try_for_each(|id| insert(catalog, &self.task, txn, &table, 2 * id))?;
            Ok(id)
        })
    }

    /// A statement that inserts this many rows into a successor of the table's storage; whether it
    /// succeeds is the result.
    fn load(
        &self,
        catalog: &Arc<Catalog>,
        id: ObjectId,
        rows: std::ops::RangeInclusive<i64>,
        succeeds: bool,
    ) -> Result<(), InstanceError> {
        self.ddl(catalog, |edit, txn| {
            let begun = edit.begin_load(&self.task, txn, id, 1)?;
            assert!(begun, "disk tables have trees");
            let table = edit.loads(1).expect("it has begun").clone();
            let rows_of = catalog.table(&table).expect("it has a storage");
            for v in rows {
                let id = catalog.database().manager().take_identity(&self.task, &rows_of, 1)?;
                let row = rows_of.layout().build_owned(&[Value::Int(id), Value::Int(2 * v)]);
                edit.load(&self.task, None, Some(&row))?;
            }
            edit.finish_load(&self.task, txn)?;
            match succeeds {
                true => Ok(()),
                false => Err(crate::txn::TxnError::Interrupted.into()),
            }
        })
    }

    fn run(
        &self,
        catalog: &Arc<Catalog>,
        id: ObjectId,
        done: &mut usize,
    ) -> Result<(), InstanceError> {
        self.load(catalog, id, COUNTS[0] + 1..=COUNTS[1], true)?;
        *done = 1;
        self.insert(catalog, id, 2 * COUNTS[2])?;
        *done = 2;
        catalog.database().checkpoint(&self.task)?;
        self.load(catalog, id, COUNTS[2] + 1..=COUNTS[3], true)?;
        *done = 3;
        Ok(())
    }
}

/// The instance with a database that has the table.
fn started(seed: u64) -> (TestEnv, Server, Arc<Catalog>, ObjectId) {
    let (test_env, server) = TestEnv::started(seed);
    let catalog = server.create_database("A").expect("the disk works");
    let id = server.disk_table(&catalog).expect("the disk works");
    (test_env, server, catalog, id)
}

/// The power fails, and comes back.
fn crash(test_env: &TestEnv, (server, catalog): (Server, Arc<Catalog>)) -> (Server, Arc<Catalog>) {
    drop(catalog);
    let server = test_env.crash(server);
    let a = server.instance.find("A").expect("it was made");
    let catalog = server.instance.catalog(a.id).expect("check() has seen it");
    (server, catalog)
}

#[test]
fn a_load_that_fails_leaves_the_table_as_it_was() {
    let (test_env, server, catalog, id) = started(31);
    server.load(&catalog, id, 1..=300, false).expect_err("it was told to fail");
    assert_eq!(server.select(&catalog, id), expected(0));
    let (server, catalog) = crash(&test_env, (server, catalog));
    assert_eq!(server.select(&catalog, id), expected(0));
}

#[test]
fn a_crash_while_a_table_is_loaded_leaves_all_of_its_new_rows_or_none() {
    let (first, last) = {
        let (test_env, server, catalog, id) = started(32);
        let first = test_env.sim.fs().operations();
        let mut done = 0;
        server.run(&catalog, id, &mut done).expect("the disk works");
        assert_eq!(server.select(&catalog, id), expected(done));
        (first, test_env.sim.fs().operations())
    };
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 7 };
    for at in (first..last).step_by(step) {
        let (test_env, server, catalog, id) = started(32);
        test_env.sim.fs().power_off_at(at);
        let mut done = 0;
        let _ = server.run(&catalog, id, &mut done);
        let (server, catalog) = crash(&test_env, (server, catalog));
        let found = server.select(&catalog, id);
        let next = (done + 1).min(COUNTS.len() - 1);
        assert!(
            found == expected(done) || found == expected(next),
            "off at {at} after step {done}: {} rows",
            found.len()
        );
        // The table takes rows, and is loaded into, as before.
        let count = found.len() as i64;
        server.load(&catalog, id, count + 1..=count + 50, true).expect("the disk works");
        let rows = server.select(&catalog, id);
        let values: Vec<i64> = rows.iter().map(|(_, v)| *v).collect();
        assert_eq!(values, (1..=count + 50).map(|n| 2 * n).collect::<Vec<_>>(), "off at {at}");
    }
}

impl Server {
    /// A statement that changes all rows: every third is deleted, of the others the second column
    /// becomes negative.
    fn change(&self, catalog: &Arc<Catalog>, id: ObjectId) -> Result<(), InstanceError> {
        self.ddl(catalog, |edit, txn| {
            assert!(edit.begin_load(&self.task, txn, id, 1)?, "disk tables have trees");
            let table = edit.loads(1).expect("it has begun").clone();
            let rows_of = catalog.table(&table).expect("it has a storage");
            let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
            let mut cursor =
                Cursor::new(statement.snapshot(), 0, ScanRange::All, Direction::Forward);
            while let Some(row) = cursor.next(txn, &self.task, &rows_of)? {
                let judged = txn.look_before_change(&self.task, statement.snapshot(), row)?;
                let Written::Done(old) = judged else { panic!("no other transaction") };
                let old = txn.row(old).to_vec();
                let number = |column| match rows_of.layout().get(&old, column) {
                    ValueRef::Int(number) => number,
                    other => panic!("{other:?}"),
                };
                let (id, v) = (number(0), number(1));
                let new = rows_of.layout().build_owned(&[Value::Int(id), Value::Int(-v)]);
                let new = (id % 3 > 0).then_some(&new[..]);
                edit.load(&self.task, Some(&old), new)?;
            }
            txn.end_statement(&mut statement);
            edit.finish_load(&self.task, txn)?;
            Ok(())
        })
    }
}

#[test]
fn a_crash_while_a_table_is_changed_leaves_all_changes_or_none() {
    const ROWS: i64 = 300;
    let before: Rows = (1..=ROWS).map(|id| (id, 2 * id)).collect();
    let after: Rows = (1..=ROWS).filter(|id| id % 3 > 0).map(|id| (id, -2 * id)).collect();
    let filled = |seed| {
        let (test_env, server, catalog, id) = started(seed);
        server.load(&catalog, id, COUNTS[0] + 1..=ROWS, true).expect("the disk works");
        catalog.database().checkpoint(&server.task).expect("the disk works");
        (test_env, server, catalog, id)
    };
    let (first, last) = {
        let (test_env, server, catalog, id) = filled(33);
        let first = test_env.sim.fs().operations();
        server.change(&catalog, id).expect("the disk works");
        assert_eq!(server.select(&catalog, id), after);
        catalog.database().checkpoint(&server.task).expect("the disk works");
        (first, test_env.sim.fs().operations())
    };
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 7 };
    for at in (first..last).step_by(step) {
        let (test_env, server, catalog, id) = filled(33);
        test_env.sim.fs().power_off_at(at);
        let changed = server.change(&catalog, id).is_ok();
        let _ = catalog.database().checkpoint(&server.task);
        let (server, catalog) = crash(&test_env, (server, catalog));
        let found = server.select(&catalog, id);
        assert!(found == after || (!changed && found == before), "off at {at}: {found:?}");
    }
}

/// What a transaction does to a table after a load, one part after the other.
const PARTS: i64 = 3;

impl Server {
    /// A load, and statements after it whose rows are settled, but for the last ones.
    fn change_in_parts(&self, catalog: &Arc<Catalog>, id: ObjectId) -> Result<(), InstanceError> {
        self.ddl(catalog, |edit, txn| {
            assert!(edit.begin_load(&self.task, txn, id, 1)?, "disk tables have trees");
            edit.finish_load(&self.task, txn)?;
            let schema = edit.schema();
            let table = schema.table(id).expect("it has a new storage");
            let table = catalog.table(table).expect("it has been made");
            for part in 0..=PARTS {
                for n in 0..20 {
                    insert(catalog, &self.task, txn, &table, 1000 * (part + 1) + n)?;
                }
                self.change_rows(txn, &table, |row| changed_in(part, row))?;
                if part < PARTS {
                    txn.settle(&self.task)?;
                }
            }
            Ok(())
        })
    }

    /// A statement that makes of each row what `changed` says, or deletes it.
    pub(super) fn change_rows(
        &self,
        txn: &mut Transaction,
        table: &Table,
        changed: impl Fn((i64, i64)) -> Option<(i64, i64)>,
    ) -> CatalogResult<()> {
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        let mut cursor = Cursor::new(&snapshot, 0, ScanRange::All, Direction::Forward);
        while let Some(row) = cursor.next(txn, &self.task, table)? {
            let old = integers(table, txn.row(row));
            let written = match changed((old[0], old[1])) {
                Some((_, v)) if v == old[1] => continue,
                Some((id, v)) => {
                    let new = table.layout().build_owned(&[Value::Int(id), Value::Int(v)]);
                    txn.update(&self.task, &snapshot, row, &new)?
                }
                None => txn.delete(&self.task, &snapshot, row)?,
            };
            assert!(matches!(written, Written::Done(_)), "no other transaction");
        }
        txn.end_statement(&mut statement);
        Ok(())
    }
}

/// What a part makes of a row.
fn changed_in(part: i64, (id, v): (i64, i64)) -> Option<(i64, i64)> {
    match id % 7 {
        n if n == part => Some((id, -v)),
        n if n == part + 3 && v % 3 == 0 => None,
        _ => Some((id, v)),
    }
}

#[test]
fn a_crash_while_rows_are_settled_leaves_all_of_a_transaction_or_nothing() {
    let (before, after) = (expected(0), after_parts());
    let (first, last) = {
        let (test_env, server, catalog, id) = started(34);
        let first = test_env.sim.fs().operations();
        server.change_in_parts(&catalog, id).expect("the disk works");
        assert_eq!(server.select(&catalog, id), after);
        catalog.database().checkpoint(&server.task).expect("the disk works");
        assert_eq!(server.select(&catalog, id), after);
        (first, test_env.sim.fs().operations())
    };
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 3 };
    for at in (first..last).step_by(step) {
        let (test_env, server, catalog, id) = started(34);
        test_env.sim.fs().power_off_at(at);
        let changed = server.change_in_parts(&catalog, id).is_ok();
        let _ = catalog.database().checkpoint(&server.task);
        let (server, catalog) = crash(&test_env, (server, catalog));
        let found = server.select(&catalog, id);
        assert!(found == after || (!changed && found == before), "off at {at}: {found:?}");
        server.insert(&catalog, id, 7).expect("the disk works");
    }
}

/// A snapshot that is older than what was settled keeps the sink from saying that the trees have
/// that. Then the transaction waits, and is refused if that takes too long.
#[test]
fn nothing_is_committed_that_an_old_snapshot_keeps_out_of_the_trees() {
    let (test_env, server, catalog, id) = started(35);
    let owner = server.instance.engine.host().owner(SessionId(52));
    let place = catalog.database().session(&owner);
    let mut reader = Transaction::begin(&place, &server.task).expect("a slot is free");
    let mut statement = reader.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    let changed = server.change_in_parts(&catalog, id).is_ok();
    reader.end_statement(&mut statement);
    reader.rollback(&server.task);
    let (server, catalog) = crash(&test_env, (server, catalog));
    let found = server.select(&catalog, id);
    assert_eq!(found == expected(0), !changed, "{found:?}");
    assert!(found == expected(0) || found == after_parts(), "{found:?}");
}

/// The rows after [`Server::change_in_parts`].
fn after_parts() -> Rows {
    let mut after = expected(0);
    let first = after.len() as i64 + 1;
    for part in 0..=PARTS {
        after.extend((0..20).map(|n| (first + 20 * part + n, 1000 * (part + 1) + n)));
        after = after.into_iter().filter_map(|row| changed_in(part, row)).collect();
    }
    after
}

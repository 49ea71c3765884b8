//! Databases whose log has more rows of disk tables than memory takes.

use std::collections::BTreeMap;

use super::load::disk_table;
use super::*;
use crate::catalog::builtin::MAX_SERVER_MEMORY;
use crate::catalog::def::ConfigurationDef;
use crate::txn::Durability;

/// What the rows of a database may take in memory when it is recovered.
const MEMORY: u64 = 6 << 20;
/// Transactions, and the rows that each inserts.
const STEPS: i64 = 1600;
const ROWS: i64 = 60;
/// One transaction in this many changes rows that came before.
const CHANGE_EVERY: i64 = 200;
const DISK: &str = super::load::TABLE;
const HOT: &str = "hot";

type Rows = BTreeMap<i64, i64>;

/// All stays in the log.
fn no_checkpoints() -> InstanceOptions {
    let InstanceOptions { database, .. } = options();
    let checkpoints = CheckpointOptions {
        log_bytes: u64::MAX,
        shutdown_bytes: u64::MAX,
        interval_ns: u64::MAX,
        ..database.checkpoints
    };
    let database = StoreOptions { checkpoints, ..database };
    InstanceOptions { database, ..options() }
}

fn little_memory() -> InstanceOptions {
    InstanceOptions { database_memory_limit: MEMORY, ..no_checkpoints() }
}

impl Server {
    /// A database with a disk table and a memory-optimized one, into which rows come, of which some
    /// are changed and some deleted; what is left of both.
    fn fill(&self) -> (Rows, Rows) {
        let catalog = self.create_database("A").expect("the disk works");
        let (disk, hot) = self
            .ddl(&catalog, |edit, txn| {
                let ids = (edit.new_object_id(), edit.new_object_id());
                edit.create_table(&self.task, txn, disk_table(ids.0))?;
                edit.create_table(&self.task, txn, table(ids.1, HOT))?;
                Ok(ids)
            })
            .expect("the disk works");
        let schema = catalog.current();
        let table_of = |id| catalog.table(schema.table(id).expect("it was made")).expect("it too");
        let (disk, hot) = (table_of(disk), table_of(hot));
        let (mut on_disk, mut in_memory) = (Rows::new(), Rows::new());
        for step in 0..STEPS {
            let place = catalog.database().session(&self.owner);
            let mut txn = Transaction::begin(&place, &self.task).expect("a slot is free");
            for id in step * ROWS + 1..=(step + 1) * ROWS {
                insert(&catalog, &self.task, &mut txn, &disk, id % 50).expect("no conflict");
                on_disk.insert(id, id % 50);
            }
            insert(&catalog, &self.task, &mut txn, &hot, step).expect("no conflict");
            in_memory.insert(step + 1, step);
            if step % CHANGE_EVERY == CHANGE_EVERY - 1 {
                let part = step / CHANGE_EVERY;
                self.change_rows(&mut txn, &disk, |row| changed(part, row)).expect("no conflict");
                on_disk.retain(|id, v| match changed(part, (*id, *v)) {
                    Some((_, now)) => {
                        *v = now;
                        true
                    }
                    None => false,
                });
            }
            txn.commit(&self.task, Durability::Full).expect("the disk works");
        }
        catalog.database().manager().log().flush(&self.task).expect("the disk works");
        (on_disk, in_memory)
    }

    /// Everything is there, in order, and goes on.
    fn check_rows(&self, (on_disk, in_memory): &(Rows, Rows)) {
        self.check();
        let a = self.instance.find("A").expect("it was made");
        let catalog = self.instance.catalog(a.id).expect("check() has seen it");
        for (name, expected) in [(DISK, on_disk), (HOT, in_memory)] {
            let schema = catalog.current();
            let found = schema.objects().find(|object| &*object.header().name == name);
            let id = found.expect("it was made").header().id;
            let rows: Rows = self.select(&catalog, id).into_iter().collect();
            let missing = expected.iter().find(|(id, v)| rows.get(id) != Some(v));
            let other = rows.iter().find(|(id, v)| expected.get(id) != Some(v));
            assert!(missing.is_none() && other.is_none(), "{name}: {missing:?}, {other:?}");
            let table = catalog.table(schema.table(id).expect("it is one"));
            assert_eq!(table.expect("it has a storage").row_count(), expected.len() as u64);
            self.insert(&catalog, id, 7).expect("the disk works");
            let last = *self.select(&catalog, id).last().expect("it was just inserted");
            let before = expected.last_key_value().expect("there are some").0;
            assert!(last.0 > *before && last.1 == 7, "{name}: {last:?}");
        }
        let memory = catalog.database().manager().tables().pool().total();
        assert!(memory < MEMORY, "{memory} bytes are in memory");
    }
}

/// What a part makes of a row.
fn changed(part: i64, (id, v): (i64, i64)) -> Option<(i64, i64)> {
    match id % 23 {
        n if n == part => Some((id, v - 100)),
        n if n == part + 8 => None,
        _ => Some((id, v)),
    }
}

/// An environment in which a server was killed while all its rows were in memory and in the log.
fn killed(seed: u64) -> (TestEnv, (Rows, Rows)) {
    let test_env = TestEnv::new(seed);
    test_env.create().expect("an empty disk");
    let server = test_env.open_with(no_checkpoints()).expect("it was just made");
    let rows = server.fill();
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
    (test_env, rows)
}

#[test]
fn a_log_with_more_rows_than_memory_takes_is_recovered_in_stages() {
    let (test_env, rows) = killed(41);
    let server = test_env.open_with(little_memory()).expect("it can be recovered");
    server.check_rows(&rows);
}

#[test]
fn a_recovery_in_stages_that_is_cut_off_again_and_again_loses_nothing() {
    let (test_env, rows) = killed(42);
    let mut operations = 3;
    loop {
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + operations);
        let opened = test_env.open_with(little_memory());
        let is_open = opened.as_ref().is_ok_and(|server| server.report.failed.is_empty());
        test_env.sim.fs().power_off();
        drop(opened);
        test_env.sim.fs().power_on();
        if is_open {
            break;
        }
        operations = operations * 5 / 4 + 1;
    }
    let server = test_env.open_with(little_memory()).expect("it can be recovered");
    server.check_rows(&rows);
}

#[test]
fn what_a_start_may_take_is_no_limit_any_more_when_it_is_over() {
    let (test_env, server) = TestEnv::started(43);
    let limits = |server: &Server| {
        let host = server.instance.engine().host();
        (host.pool.limit(), host.pages.limit_bytes())
    };
    let ring = |server: &Server| server.instance.master().database().manager().log().ring_bytes();
    let (before, ring_before) = (limits(&server), ring(&server));
    let setting = ConfigurationDef { id: MAX_SERVER_MEMORY, value: 1, in_use: 1 };
    let put = |edit: &mut SchemaEdit, txn: &mut Transaction| {
        edit.put(&server.task, txn, Definition::Configuration(setting))
    };
    server.ddl(server.instance.master(), put).expect("the disk works");
    let server = test_env.crash(server);
    assert!(ring(&server) < ring_before, "it was made by what a start may take");
    assert_eq!(limits(&server), before);
}

//! Instances in a simulated environment: made, crashed, opened again.

mod attach;
mod load;
mod rebuild;
mod stages;

use std::path::{Path, PathBuf};

use base::ids::{ObjectId, SessionId};
use base::{SqlType, Value, ValueRef};
use crossbeam_epoch::Collector;
use env::OpKind;
use env::sim::{Fault, FaultKind, SimEnv};

use super::*;
use crate::backup;
use crate::catalog::rng::{Change, Rng};
use crate::catalog::{CatalogResult, Definition, DefinitionKey, ObjectDef, Schema, rows_stay};
use crate::checkpoint::CheckpointOptions;
use crate::database::DatabaseOptions as StoreOptions;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::log::{LogOptions, SegmentOptions};
use crate::sink::SinkOptions;
use crate::txn::ReadAt;
use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

const DIR: &str = "/srv/data";

fn options() -> InstanceOptions {
    let record_max = 16 << 10;
    let database = StoreOptions {
        log: LogOptions { ring_bytes: 1 << 17, record_max, ..LogOptions::default() },
        segments: SegmentOptions {
            first_bytes: 256 << 10,
            max_bytes: 256 << 10,
            record_max,
            ..SegmentOptions::default()
        },
        // All the time.
        checkpoints: CheckpointOptions {
            data_bytes: 8 << 10,
            log_bytes: 32 << 10,
            shutdown_bytes: 1,
            interval_ns: 1_000_000,
            tidy_every: 5,
            merges: true,
        },
        sink: SinkOptions::default(),
    };
    InstanceOptions { database, recovery_threads: 2, ..InstanceOptions::default() }
}

/// A machine: its disk survives a crash.
struct TestEnv {
    sim: SimEnv,
}

/// A server process on it.
struct Server {
    instance: Databases,
    report: OpenReport,
    task: Task<'static>,
    owner: Arc<Owner>,
}

impl TestEnv {
    fn new(seed: u64) -> TestEnv {
        TestEnv { sim: SimEnv::new(seed) }
    }

    fn host(&self) -> Host {
        let timer = Arc::new(ThreadTimer::new());
        let runtime =
            Runtime::new(self.sim.env(), Collector::new(), timer, RuntimeOptions::default());
        Host::new(runtime, 2, u64::MAX)
    }

    fn create(&self) -> Result<(), InstanceError> {
        let host = self.host();
        let task = Task::blocking(&host.runtime);
        let new = NewInstance { collation: Collation::DEFAULT, sa_password_hash: None };
        Databases::create(&host, &PathBuf::from(DIR), &new, &options(), &task)
    }

    fn open(&self) -> Result<Server, InstanceError> {
        self.open_with(options())
    }

    fn open_with(&self, options: InstanceOptions) -> Result<Server, InstanceError> {
        let host = self.host();
        let task = Task::blocking(&host.runtime);
        let owner = host.owner(SessionId(51));
        let dir = PathBuf::from(DIR);
        let (instance, report) = Databases::open(host, &dir, options, &task, &mut |_, _| {})?;
        Ok(Server { instance, report, task, owner })
    }

    /// An environment with a new instance, which is open.
    fn started(seed: u64) -> (TestEnv, Server) {
        let test_env = TestEnv::new(seed);
        test_env.create().expect("an empty disk");
        let server = test_env.open().expect("it was just made");
        (test_env, server)
    }

    /// The power fails, and comes back.
    fn crash(&self, server: Server) -> Server {
        self.sim.fs().power_off();
        // A test may still hold a database, whose threads would go on with its files when there is
        // power.
        for catalog in server.instance.catalogs() {
            catalog.database().stop_threads();
            let _ = catalog.database().manager().log().shut_down(); // it cannot write
        }
        drop(server);
        self.sim.fs().power_on();
        let server = self.open().expect("it can be recovered");
        server.check();
        server
    }
}

impl Server {
    /// A database that is open.
    fn catalog(&self, id: DbId) -> Arc<Catalog> {
        let catalog = self.instance.catalog(id);
        catalog.unwrap_or_else(|why| panic!("{why:?}: {:?}", self.report.failed))
    }

    /// Every schema is what its rows say, and nothing is missing.
    fn check(&self) {
        assert!(self.report.failed.is_empty(), "{:?}", self.report.failed);
        assert!(self.report.strange.is_empty(), "{:?}", self.report.strange);
        for catalog in self.instance.catalogs() {
            let place = catalog.database().session(&self.owner);
            let mut txn = Transaction::begin(&place, &self.task).expect("a slot is free");
            let id = catalog.database().id();
            catalog.verify(&self.task, &mut txn).unwrap_or_else(|e| panic!("database {id}: {e}"));
            txn.rollback(&self.task);
        }
        let known = self.instance.master().current();
        let known = known.server().databases().iter().map(|d| d.id);
        assert!(known.eq(self.instance.catalogs().iter().map(|c| c.database().id())));
    }

    fn create_database(&self, name: &str) -> Result<Arc<Catalog>, InstanceError> {
        let new = NewDatabase {
            name: name.into(),
            owner_sid: [7, 7].into(),
            created: now(self.instance.env()),
            collation: Collation::LATIN1_BIN2,
            options: DatabaseOptions::default(),
            file_groups: Vec::new(),
            files: Vec::new(),
        };
        self.instance.create_database(&self.task, &self.owner, new)
    }

    fn drop_database(&self, name: &str) -> Result<(), InstanceError> {
        let def = self.instance.find(name).expect("the test made it");
        self.instance.drop_database(&self.task, &self.owner, &def)
    }

    fn ddl<T>(
        &self,
        catalog: &Arc<Catalog>,
        body: impl FnOnce(&mut SchemaEdit, &mut Transaction) -> CatalogResult<T>,
    ) -> Result<T, InstanceError> {
        change(catalog, &self.task, &self.owner, |edit, txn| Ok(body(edit, txn)?))
    }

    /// `CREATE TABLE name (id int IDENTITY PRIMARY KEY, v int)`, with these rows in the same
    /// transaction.
    fn create_table(
        &self,
        catalog: &Arc<Catalog>,
        name: &str,
        rows: &[i64],
    ) -> Result<ObjectId, InstanceError> {
        self.ddl(catalog, |edit, txn| {
            let id = edit.new_object_id();
            let table = edit.create_table(&self.task, txn, table(id, name))?;
            let table = table.expect("it is no type's");
            for v in rows {
                insert(catalog, &self.task, txn, &table, *v)?;
            }
            Ok(id)
        })
    }

    fn insert(&self, catalog: &Arc<Catalog>, id: ObjectId, v: i64) -> Result<(), InstanceError> {
        self.ddl(catalog, |edit, txn| {
            let table = catalog.table(edit.schema().table(id).expect("it exists"));
            insert(catalog, &self.task, txn, &table.expect("it has a storage"), v)
        })
    }

    /// The rows, by id.
    fn select(&self, catalog: &Arc<Catalog>, id: ObjectId) -> Vec<(i64, i64)> {
        let schema = catalog.current();
        let table = catalog.table(schema.table(id).expect("it exists")).expect("it has a storage");
        let place = catalog.database().session(&self.owner);
        let mut txn = Transaction::begin(&place, &self.task).expect("a slot is free");
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let mut cursor = Cursor::new(statement.snapshot(), 0, ScanRange::All, Direction::Forward);
        let mut rows = Vec::new();
        while let Some(row) = cursor.next(&mut txn, &self.task, &table).expect("no conflict") {
            let values = integers(&table, txn.row(row));
            rows.push((values[0], values[1]));
        }
        txn.end_statement(&mut statement);
        txn.rollback(&self.task);
        rows
    }

    fn shut_down(self) {
        self.instance.shut_down(&self.task).expect("the disk works");
    }
}

fn insert(
    catalog: &Arc<Catalog>,
    task: &Task,
    txn: &mut Transaction,
    table: &Table,
    v: i64,
) -> CatalogResult<()> {
    let id = catalog.database().manager().take_identity(task, table, 1)?;
    let row = table.layout().build_owned(&[Value::Int(id), Value::Int(v)]);
    let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    txn.insert(task, table, statement.snapshot(), &row)?;
    txn.end_statement(&mut statement);
    Ok(())
}

fn integers(table: &Table, row: &[u8]) -> Vec<i64> {
    let layout = table.layout();
    let int = |c| match layout.get(row, c) {
        ValueRef::Int(v) => v,
        other => panic!("an int column holds {other:?}"),
    };
    (0..layout.columns().len()).map(int).collect()
}

fn header(id: ObjectId, name: &str) -> ObjectHeader {
    let now = DateTime { days: 45_000, ticks: 0 };
    ObjectHeader {
        id,
        schema: SchemaId::DBO,
        name: name.into(),
        owner: None,
        created: now,
        modified: now,
        ms_shipped: false,
    }
}

fn table(id: ObjectId, name: &str) -> TableDef {
    let mut table = TableDef::new(header(id, name), TableKind::MemoryDurable, TableRole::Table);
    for (id, name) in [(1, "id"), (2, "v")] {
        let mut column = ColumnDef::new(ColumnId(id), name.into(), SqlType::int(), UserTypeId(56));
        column.nullable = false;
        table.columns.push(column);
    }
    table.columns[0].identity =
        Some(IdentityDef { seed: 1, increment: 1, not_for_replication: false });
    table.max_column_id = ColumnId(2);
    let mut key = IndexDef::new(IndexId(2), "pk".into(), IndexKind::NonClustered, true);
    key.key.push(KeyColumn { column: ColumnId(1), descending: false });
    table.indexes.push(key);
    table
}

fn sequence(id: ObjectId, name: &str) -> SequenceDef {
    SequenceDef {
        header: header(id, name),
        ty: SqlType::bigint(),
        user_type: UserTypeId(127),
        start: 1,
        restarts: 0,
        increment: 1,
        minimum: 1,
        maximum: 5000,
        cycle: false,
        cache: SequenceCache::Default,
    }
}

/// The next value of a sequence, which a client sees at once.
fn next_value(
    server: &Server,
    catalog: &Catalog,
    sequence: ObjectId,
) -> Result<i64, crate::catalog::SequenceError> {
    let place = catalog.database().session(&server.owner);
    let value = catalog.sequences().next(&server.task, &place, sequence)?;
    place.wait_shown(&server.task).map_err(crate::catalog::SequenceError::Transaction)?;
    Ok(value)
}

fn put_sequence(
    server: &Server,
    catalog: &Arc<Catalog>,
    def: &SequenceDef,
) -> Result<(), InstanceError> {
    let definition = Definition::Object(ObjectDef::Sequence(Arc::new(def.clone())));
    server.ddl(catalog, |edit, txn| edit.put(&server.task, txn, definition))
}

#[test]
fn a_new_instance_has_the_system_databases() {
    let (test_env, server) = TestEnv::started(1);
    server.check();
    let schema = server.instance.master().current();
    let names: Vec<&str> = schema.server().databases().iter().map(|d| &*d.name).collect();
    assert_eq!(names, ["master", "tempdb", "model", "msdb"]);
    assert!(schema.find_login("SA").is_some());
    for catalog in server.instance.catalogs() {
        let schema = catalog.current();
        assert!(schema.find_schema("dbo").is_some() && schema.find_principal("public").is_some());
        assert_eq!(schema.files().len(), 2);
    }
    assert!(matches!(test_env.create(), Err(InstanceError::InUse(_))));
    server.shut_down();
    assert!(matches!(test_env.create(), Err(InstanceError::Exists(_))));
    test_env.open().expect("it was shut down in order").check();
}

#[test]
fn an_unfinished_instance_is_made_anew() {
    let operations = {
        let test_env = TestEnv::new(0);
        test_env.create().expect("an empty disk");
        test_env.sim.fs().operations()
    };
    for at in (0..operations).step_by(7) {
        let test_env = TestEnv::new(at);
        test_env.sim.fs().power_off_at(at);
        let created = test_env.create();
        test_env.sim.fs().power_on();
        match test_env.open() {
            Ok(server) => server.check(),
            Err(InstanceError::NotInitialized(_)) => {
                assert!(created.is_err(), "acknowledged and lost, power off at {at}");
                test_env.create().expect("the disk works");
                test_env.open().expect("it was just made").check();
            }
            Err(other) => panic!("power off at {at}: {other}"),
        }
    }
}

#[test]
fn a_directory_in_use_is_refused() {
    let (test_env, _server) = TestEnv::started(2);
    assert!(matches!(test_env.open(), Err(InstanceError::InUse(_))));
}

#[test]
fn tables_and_rows_survive_crashes_and_restarts() {
    let (test_env, server) = TestEnv::started(3);
    let catalog = server.create_database("Sales").expect("the name is free");
    let id = server.create_table(&catalog, "T", &[10, 20]).expect("the name is free");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    assert_eq!(catalog.current().collation(), Collation::LATIN1_BIN2);
    assert_eq!(server.select(&catalog, id), [(1, 10), (2, 20)]);
    let storage = catalog.current().table(id).expect("it exists").storage;
    server
        .ddl(&catalog, |edit, txn| edit.truncate_table(&server.task, txn, id).map(drop))
        .expect("no conflict");
    server.insert(&catalog, id, 30).expect("no conflict");
    server.shut_down();
    let server = test_env.open().expect("it was shut down in order");
    server.check();
    let catalog = server.catalog(DbId(5));
    assert_eq!(server.select(&catalog, id), [(1, 30)]);
    let other = server.create_table(&catalog, "U", &[]).expect("the name is free");
    let schema = catalog.current();
    let storages = [id, other].map(|id| schema.table(id).expect("it exists").storage);
    assert!(storage < storages[0] && storages[0] < storages[1], "storages are used once");
    assert_ne!(id, other);
}

/// Recovery makes a table as its first definition says, and passes over what was switched later.
#[test]
fn row_caching_is_as_it_was_set_after_a_crash() {
    let (test_env, server) = TestEnv::started(5);
    let catalog = server.create_database("Sales").expect("the name is free");
    let create = |row_cached: bool| {
        let created = server.ddl(&catalog, |edit, txn| {
            let id = edit.new_object_id();
            let name = if row_cached { "On" } else { "Off" };
            let def = TableDef { kind: TableKind::Disk, row_cached, ..table(id, name) };
            edit.create_table(&server.task, txn, def)?;
            Ok(id)
        });
        created.expect("the name is free")
    };
    let ids = [true, false].map(create);
    let caches = |catalog: &Arc<Catalog>| {
        let schema = catalog.current();
        ids.map(|id| {
            let def = schema.table(id).expect("it exists");
            let table = catalog.table(def).expect("it has a storage");
            assert_eq!(table.caches_rows(), def.row_cached);
            table.caches_rows()
        })
    };
    assert_eq!(caches(&catalog), [true, false]);
    for (id, row_cached) in ids.into_iter().zip([false, true]) {
        let altered = server.ddl(&catalog, |edit, txn| {
            let def = TableDef::clone(edit.schema().table(id).expect("it exists"));
            edit.alter_table(&server.task, txn, TableDef { row_cached, ..def })
        });
        altered.expect("no conflict");
    }
    assert_eq!(caches(&catalog), [false, true]);
    drop(catalog);
    let server = test_env.crash(server);
    assert_eq!(caches(&server.catalog(DbId(5))), [false, true]);
    server.shut_down();
    let server = test_env.open().expect("it was shut down in order");
    assert_eq!(caches(&server.catalog(DbId(5))), [false, true]);
}

/// Ceilings of a table made in a transaction are logged before the transaction commits, so before
/// the log has changes of the table.
#[test]
fn identity_values_of_a_new_table_are_not_given_again_after_a_crash() {
    let (test_env, server) = TestEnv::started(4);
    let catalog = server.create_database("D").expect("the name is free");
    let id = server.create_table(&catalog, "T", &[1, 2, 3]).expect("the name is free");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    server.insert(&catalog, id, 4).expect("the key is new");
    let rows = server.select(&catalog, id);
    assert_eq!(rows.len(), 4);
    assert!(rows[3].0 > 3);
}

#[test]
fn a_rebuilt_table_goes_on_with_its_identity() {
    let (test_env, server) = TestEnv::started(5);
    let catalog = server.create_database("D").expect("the name is free");
    let id = server.create_table(&catalog, "T", &[1, 2]).expect("the name is free");
    let mut def = TableDef::clone(catalog.current().table(id).expect("it exists"));
    let mut index = IndexDef::new(IndexId(3), "ix".into(), IndexKind::Hash, false);
    index.key.push(KeyColumn { column: ColumnId(2), descending: false });
    index.bucket_count = Some(16);
    def.indexes.push(index);
    let copy = |_: &Table, row: &[u8], _: &Table, out: &mut Vec<u8>| {
        out.extend_from_slice(row);
        Ok::<(), CatalogError>(())
    };
    server
        .ddl(&catalog, |edit, txn| edit.rebuild_table(&server.task, txn, def, copy).map(drop))
        .expect("keys need not be unique");
    server.insert(&catalog, id, 3).expect("the key is new");
    assert_eq!(server.select(&catalog, id), [(1, 1), (2, 2), (3, 3)]);
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    server.insert(&catalog, id, 4).expect("the key is new");
    assert_eq!(server.select(&catalog, id).len(), 4);
}

#[test]
fn sequences_go_on_after_a_crash_and_start_anew_when_told() {
    let (test_env, server) = TestEnv::started(6);
    let catalog = server.create_database("D").expect("the name is free");
    let id = ObjectId(12_345);
    let mut def = sequence(id, "S");
    put_sequence(&server, &catalog, &def).expect("the name is free");
    let next = |server: &Server, catalog: &Catalog| next_value(server, catalog, id);
    assert_eq!(next(&server, &catalog), Ok(1));
    assert_eq!(next(&server, &catalog), Ok(2));
    assert_eq!(catalog.sequences().state(id).expect("it exists").last_used, Some(2));
    // What a value was used for makes the ceiling before it durable.
    server.create_table(&catalog, "T", &[]).expect("the name is free");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    let after = next(&server, &catalog).expect("there are more");
    assert!(after > 2);
    server.shut_down();
    let server = test_env.open().expect("it was shut down in order");
    let catalog = server.catalog(DbId(5));
    assert_eq!(next(&server, &catalog), Ok(after + 1), "a clean shutdown skips nothing");
    def.restarts += 1;
    def.start = 100;
    put_sequence(&server, &catalog, &def).expect("no conflict");
    assert_eq!(next(&server, &catalog), Ok(100));
    def.increment = -10;
    put_sequence(&server, &catalog, &def).expect("no conflict");
    assert_eq!(next(&server, &catalog), Ok(90));
    server.create_table(&catalog, "U", &[]).expect("the name is free");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    let state = catalog.sequences().state(id).expect("it exists");
    assert!(state.current <= 90, "{state:?}");
}

/// `NEXT VALUE FOR` outside of a transaction that commits left its ceiling in memory, so that the
/// power could go and the value come again. And NO CACHE and CACHE n were ignored.
#[test]
fn what_a_client_has_seen_never_comes_again_and_the_cache_is_what_is_skipped() {
    use SequenceCache::{Default, None, Size};
    for (cache, taken, then) in [
        (None, 1, 2),
        (None, 7, 8),
        (Size(1), 3, 4),
        (Size(10), 1, 11),
        (Size(10), 10, 11),
        (Size(10), 11, 21),
        (Default, 1, 51),
        (Default, 51, 101),
    ] {
        let (test_env, server) = TestEnv::started(41);
        let catalog = server.create_database("D").expect("the name is free");
        let id = ObjectId(12_345);
        let def = SequenceDef { cache, ..sequence(id, "S") };
        put_sequence(&server, &catalog, &def).expect("the name is free");
        for value in 1..=taken {
            assert_eq!(next_value(&server, &catalog, id), Ok(value));
        }
        let server = test_env.crash(server);
        let catalog = server.catalog(DbId(5));
        assert_eq!(next_value(&server, &catalog, id), Ok(then), "{cache:?}, {taken} taken");
        server.shut_down();
        let server = test_env.open().expect("it was shut down in order");
        let catalog = server.catalog(DbId(5));
        assert_eq!(next_value(&server, &catalog, id), Ok(then + 1), "nothing is skipped");
    }
}

#[test]
fn an_altered_sequence_goes_on_where_it_was_after_a_crash_too() {
    let (test_env, server) = TestEnv::started(42);
    let catalog = server.create_database("D").expect("the name is free");
    let id = ObjectId(12_345);
    let mut def = sequence(id, "S");
    put_sequence(&server, &catalog, &def).expect("the name is free");
    assert_eq!(next_value(&server, &catalog, id), Ok(1));
    catalog.sequences().give_back(&server.task, id).expect("there is room in the log");
    def.cache = SequenceCache::None;
    put_sequence(&server, &catalog, &def).expect("no conflict");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    assert_eq!(next_value(&server, &catalog, id), Ok(2));
    (def.restarts, def.start) = (1, 10);
    put_sequence(&server, &catalog, &def).expect("no conflict");
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    assert_eq!(next_value(&server, &catalog, id), Ok(10), "ceilings of its former life are over");
}

#[test]
fn a_sequence_ends_or_goes_round() {
    let (_test_env, server) = TestEnv::started(7);
    let catalog = server.create_database("D").expect("the name is free");
    let id = ObjectId(12_345);
    let mut def = SequenceDef { maximum: 5, increment: 2, ..sequence(id, "S") };
    put_sequence(&server, &catalog, &def).expect("the name is free");
    let next = || next_value(&server, &catalog, id);
    let exhausted = crate::catalog::SequenceError::Exhausted;
    assert_eq!([next(), next(), next()], [Ok(1), Ok(3), Ok(5)]);
    assert_eq!([next(), next()], [Err(exhausted.clone()), Err(exhausted)]);
    let state = catalog.sequences().state(id).expect("it exists");
    assert_eq!((state.current, state.exhausted), (5, true));
    def.cycle = true;
    put_sequence(&server, &catalog, &def).expect("no conflict");
    assert_eq!([next(), next()], [Ok(1), Ok(3)]);
    def.cycle = false;
    put_sequence(&server, &catalog, &def).expect("no conflict");
    let too_large = crate::catalog::SequenceError::RangeTooLarge;
    let place = catalog.database().session(&server.owner);
    let range = catalog.sequences().range(&server.task, &place, id, 2);
    assert_eq!(range, Err(too_large));
    assert_eq!(next(), Ok(5), "what was refused was not taken");
}

#[test]
fn a_dropped_sequence_or_a_rolled_back_one_has_no_counter() {
    let (_test_env, server) = TestEnv::started(8);
    let catalog = server.create_database("D").expect("the name is free");
    let def = sequence(ObjectId(12_345), "S");
    let failed: Result<(), InstanceError> = server.ddl(&catalog, |edit, txn| {
        let definition = Definition::Object(ObjectDef::Sequence(Arc::new(def.clone())));
        edit.put(&server.task, txn, definition)?;
        assert_eq!(next_value(&server, &catalog, def.header.id), Ok(1));
        Err(TxnError::LockTimeout.into())
    });
    assert!(failed.is_err());
    assert!(catalog.sequences().state(def.header.id).is_none());
    put_sequence(&server, &catalog, &def).expect("the name is free");
    let key = DefinitionKey::Object(def.header.id);
    server.ddl(&catalog, |edit, txn| edit.drop(&server.task, txn, key)).expect("no conflict");
    assert!(catalog.sequences().state(def.header.id).is_none());
}

#[test]
fn a_new_database_is_a_copy_of_model() {
    let (_test_env, server) = TestEnv::started(9);
    let model = server.catalog(DbId::MODEL);
    let id = server.create_table(&model, "FromModel", &[5, 6]).expect("the name is free");
    let catalog = server.create_database("Copy").expect("the name is free");
    let schema = catalog.current();
    assert!(schema.find_object(SchemaId::DBO, "FromModel").is_some());
    assert_eq!(server.select(&catalog, id), [(1, 5), (2, 6)]);
    assert_eq!(schema.user_with_sid(&[7, 7]).map(|p| p.id), Some(PrincipalId::DBO));
    let files: Vec<&str> = schema.files().iter().map(|f| &*f.name).collect();
    assert_eq!(files, ["Copy", "Copy_log"]);
    let path = &schema.find_file("Copy").expect("just seen").physical_name;
    assert!(path.starts_with("/srv/data/databases/copy-5-"), "{path}");
    server.check();
}

#[test]
fn tempdb_is_new_at_every_start() {
    let (test_env, server) = TestEnv::started(10);
    let tempdb = server.catalog(DbId::TEMPDB);
    server.create_table(&tempdb, "Gone", &[1]).expect("the name is free");
    let model = server.catalog(DbId::MODEL);
    server.create_table(&model, "Kept", &[1]).expect("the name is free");
    let before = server.instance.find("tempdb").expect("it exists").created;
    test_env.sim.clock().advance_ns(3_600_000_000_000);
    let server = test_env.crash(server);
    let tempdb = server.catalog(DbId::TEMPDB).current();
    assert!(tempdb.find_object(SchemaId::DBO, "Gone").is_none());
    assert!(tempdb.find_object(SchemaId::DBO, "Kept").is_some());
    assert!(server.instance.find("tempdb").expect("it exists").created > before);
}

#[test]
fn names_of_databases_are_unique_and_ids_are_used_again() {
    let (_test_env, server) = TestEnv::started(11);
    let id = |catalog: Result<Arc<Catalog>, _>| catalog.map(|c| c.database().id().0);
    assert_eq!(id(server.create_database("A")).expect("the name is free"), 5);
    assert_eq!(id(server.create_database("B")).expect("the name is free"), 6);
    let taken = server.create_database("a");
    assert!(matches!(taken, Err(InstanceError::Catalog(CatalogError::NameInUse { .. }))));
    server.drop_database("A").expect("it is not in use");
    assert!(server.instance.find("A").is_none());
    assert!(server.instance.catalog(DbId(5)).is_err());
    assert_eq!(id(server.create_database("C")).expect("the name is free"), 5);
    let fs = server.instance.env().fs();
    let left = fs.list(&PathBuf::from(DIR).join("databases")).expect("it is there");
    assert_eq!(left.len(), 6, "master, model, msdb, tempdb, B and C: {left:?}");
    server.check();
}

#[test]
fn a_database_that_cannot_be_made_leaves_nothing() {
    let (test_env, server) = TestEnv::started(12);
    test_env
        .sim
        .fs()
        .inject(Fault::next(OpKind::Write, FaultKind::Io).on("/a-5-").after(1).forever());
    assert!(server.create_database("A").is_err());
    test_env.sim.fs().clear_faults();
    assert!(server.instance.find("A").is_none());
    server.create_database("A").expect("the disk works again");
    test_env.crash(server);
}

/// What is left of databases that were not finished is removed. A directory that the server has not
/// made stays, though no row names it.
#[test]
fn directories_without_a_row_are_removed_if_they_say_that_they_may_go() {
    let (test_env, server) = TestEnv::started(13);
    let catalog = server.create_database("Kept").expect("the name is free");
    let kept = catalog.database().identity().dir.clone();
    drop(catalog);
    server.shut_down();
    let (env, databases) = (test_env.sim.env(), PathBuf::from(DIR).join("databases"));
    let (stray, copy) = (databases.join("stray-9-00000000/log"), databases.join("a.copy/log"));
    for dir in [&stray, &copy] {
        env.fs().create_dir_all(dir).expect("the disk works");
    }
    for mark in [databases.join("stray-9-00000000.disposable"), kept.with_extension("disposable")] {
        env.fs().write_new(&mark, b"").expect("the disk works");
    }
    let server = test_env.open().expect("it was shut down in order");
    assert_eq!(server.report.removed, [databases.join("stray-9-00000000")]);
    assert_eq!(server.report.strange, [databases.join("a.copy")]);
    let exists = |path: &Path| env.fs().exists(path).expect("the disk works");
    assert!(!exists(&stray) && exists(&copy) && exists(&kept));
    env.fs().remove_dir_all(&databases.join("a.copy")).expect("the disk works");
    let server = test_env.crash(server);
    assert!(server.report.removed.is_empty());
}

#[test]
fn a_damaged_database_is_left_out_and_the_others_open() {
    let (test_env, server) = TestEnv::started(14);
    let catalog = server.create_database("Bad").expect("the name is free");
    let dir = catalog.database().identity().dir.clone();
    drop(catalog);
    server.create_database("Good").expect("the name is free");
    server.shut_down();
    test_env.sim.env().fs().remove_dir_all(&dir).expect("the disk works");
    let server = test_env.open().expect("master is fine");
    let failed: Vec<&str> = server.report.failed.iter().map(|own| &*own.name).collect();
    assert_eq!(failed, ["Bad"]);
    let bad = server.instance.find("Bad").expect("master knows it");
    let state = server.instance.state(&bad);
    assert_eq!(state, DatabaseState::RecoveryPending, "its files are gone");
    let good = server.instance.find("Good").expect("master knows it");
    assert_eq!(server.instance.state(&good), DatabaseState::Online);
    server.drop_database("Bad").expect("that is what one does with it");
    let server = test_env.crash(server);
    assert!(server.instance.find("Bad").is_none());
}

/// The catalog is in checkpoint files like all else. The loader, which has found out why, reports
/// it to its reader only that the database is suspect.
#[test]
fn a_damaged_checkpoint_file_is_named_whatever_it_holds() {
    let (test_env, server) = TestEnv::started(16);
    let catalog = server.create_database("Bad").expect("the name is free");
    let id = server.create_table(&catalog, "T", &[1]).expect("the name is free");
    (2..100).for_each(|v| server.insert(&catalog, id, v).expect("there is room"));
    catalog.database().checkpoint(&server.task).expect("the disk works");
    let dir = catalog.database().identity().dir.join("checkpoint");
    drop(catalog);
    server.shut_down();
    let entries = test_env.sim.env().fs().list(&dir).expect("the disk works");
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| dir.join(entry.name)).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "data"));
    assert!(!files.is_empty());
    for path in files {
        let bits = test_env.sim.env().fs().read(&path).expect("it is there").len() as u64 * 8;
        for part in 1..20 {
            test_env.sim.fs().flip_bit(&path, bits * part / 20).expect("it is there");
            let server = test_env.open().expect("master is fine");
            let def = server.instance.find("Bad").expect("master knows it");
            let error = match server.report.failed.first() {
                Some(failed) => failed.error.to_string(),
                // It is found when the table is loaded.
                None => match server.instance.catalog(def.id) {
                    Ok(catalog) => {
                        let loaded = catalog.database().wait_until_loaded(&server.task);
                        loaded.expect_err("the file is damaged").to_string()
                    }
                    // It has been already.
                    Err(_) => server.instance.take_failures()[0].error.to_string(),
                },
            };
            assert!(error.contains(&*path.to_string_lossy()), "{part}: {error}");
            server.shut_down();
            test_env.sim.fs().flip_bit(&path, bits * part / 20).expect("it is there");
        }
    }
}

#[test]
fn a_database_can_be_closed_and_opened() {
    let (test_env, server) = TestEnv::started(15);
    let catalog = server.create_database("D").expect("the name is free");
    let id = server.create_table(&catalog, "T", &[1]).expect("the name is free");
    drop(catalog);
    let def = server.instance.find("D").expect("it exists");
    server.instance.take_offline(&server.task, &server.owner, &def).expect("it is open");
    let offline = server.instance.find("D").expect("it exists");
    assert_eq!(offline.options.state, DatabaseState::Offline);
    assert_eq!(server.instance.state(&offline), DatabaseState::Offline);
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
    let server = test_env.open().expect("it can be recovered");
    assert!(server.report.failed.is_empty());
    assert!(server.instance.catalog(def.id).is_err(), "it stays closed");
    server.instance.bring_online(&server.task, &server.owner, &offline).expect("it is whole");
    let opened = server.catalog(def.id);
    assert_eq!(server.select(&opened, id), [(1, 1)]);
    let online = server.instance.find("D").expect("it exists");
    assert_eq!(server.instance.state(&online), DatabaseState::Online);
    server.check();
}

#[test]
fn another_collation_tells_names_apart_in_another_way() {
    let (test_env, server) = TestEnv::started(17);
    let catalog = server.create_database("D").expect("the name is free");
    let lower = server.create_table(&catalog, "t", &[1]).expect("the name is free");
    let upper = server.create_table(&catalog, "T", &[]).expect("case counts here");
    let change = |server: &Server, collation| {
        let def = server.instance.find("D").expect("it exists");
        server.instance.change_collation(&server.task, &server.owner, &def, collation)
    };
    let refused = change(&server, Collation::DEFAULT);
    assert!(matches!(refused, Err(InstanceError::Catalog(CatalogError::NameInUse { .. }))));
    let key = DefinitionKey::Object(upper);
    server.ddl(&catalog, |edit, txn| edit.drop(&server.task, txn, key)).expect("no conflict");
    change(&server, Collation::DEFAULT).expect("no two names are one");
    let found = |catalog: &Catalog| {
        catalog.current().find_object(SchemaId::DBO, "T").map(|object| object.id())
    };
    assert_eq!(found(&catalog), Some(lower));
    drop(catalog);
    let server = test_env.crash(server);
    let catalog = server.catalog(DbId(5));
    assert_eq!(found(&catalog), Some(lower));
}

/// The power fails at every few operations of a script that makes and drops databases and tables.
/// Afterwards all that was acknowledged is there, what was not is there whole or not at all, and
/// every schema is what its rows say.
#[test]
fn a_crash_leaves_whole_databases_or_none() {
    let script = |server: &Server, done: &mut Vec<&'static str>| -> Result<(), InstanceError> {
        let a = server.create_database("A")?;
        done.push("create A");
        server.create_table(&a, "T", &[1, 2, 3])?;
        done.push("create A.T");
        drop(a);
        let b = server.create_database("B")?;
        done.push("create B");
        drop(b);
        server.drop_database("A")?;
        done.push("drop A");
        Ok(())
    };
    let (first, last) = {
        let (test_env, server) = TestEnv::started(16);
        let first = test_env.sim.fs().operations();
        script(&server, &mut Vec::new()).expect("the disk works");
        (first, test_env.sim.fs().operations())
    };
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 5 };
    for at in (first..last).step_by(step) {
        let (test_env, server) = TestEnv::started(16);
        test_env.sim.fs().power_off_at(at);
        let mut done = Vec::new();
        let _ = script(&server, &mut done);
        let server = test_env.crash(server);
        let has = |name| server.instance.find(name).is_some();
        let did = |what| done.contains(&what);
        assert!(has("A") || !did("create A") || did("create B"), "off at {at} after {done:?}");
        assert!(has("B") || !did("create B"), "off at {at} after {done:?}");
        assert!(!has("A") || !did("drop A"), "off at {at} after {done:?}");
        if let Some(a) = server.instance.find("A") {
            let a = server.instance.catalog(a.id).expect("check() has seen it");
            let schema = a.current();
            match schema.find_object(SchemaId::DBO, "T") {
                Some(t) => assert_eq!(server.select(&a, t.id()), [(1, 1), (2, 2), (3, 3)]),
                None => assert!(!did("create A.T"), "off at {at} after {done:?}"),
            }
        }
    }
}

/// The self-check over random DDL in a logged database, with crashes and restarts between and in
/// the middle of transactions.
#[test]
fn random_ddl_survives_crashes_and_restarts() {
    let seeds = std::env::var("CATALOG_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let (test_env, mut server) = TestEnv::started(seed);
        server.create_database("D").expect("the name is free");
        for _ in 0..12 {
            let catalog = server.catalog(DbId(5));
            let mut expected = catalog.current();
            if rng.below(4) == 0 {
                // In the middle of what comes next.
                let soon = test_env.sim.fs().operations() + rng.below(12) as u64;
                test_env.sim.fs().power_off_at(soon);
            }
            let mut wanted = None;
            for _ in 0..4 {
                let result = server.ddl(&catalog, |edit, txn| {
                    for _ in 0..1 + rng.below(5) {
                        random_change(&mut rng, &catalog, edit, &server.task, txn)?;
                    }
                    wanted = Some(edit.schema());
                    Ok(())
                });
                match result {
                    Ok(()) => expected = wanted.take().expect("the body has run"),
                    Err(InstanceError::Catalog(_)) if !test_env.sim.fs().is_off() => wanted = None,
                    Err(_) => break,
                }
            }
            drop(catalog);
            // A power cut may be due even now.
            let ended = rng.flip() && server.instance.shut_down(&server.task).is_ok();
            server = match ended && !test_env.sim.fs().is_off() {
                true => {
                    drop(server);
                    test_env.sim.fs().power_off_at(u64::MAX);
                    test_env.open().expect("it was shut down in order")
                }
                false => test_env.crash(server),
            };
            server.check();
            let found = server.catalog(DbId(5)).current();
            // Ids are reserved by transactions of their own.
            let all = |schema: &Schema| -> Vec<Definition> {
                let is_setting = |d: &Definition| matches!(d, Definition::Setting(_));
                schema.definitions().filter(|d| !is_setting(d)).collect()
            };
            let same = |schema: &Arc<Schema>| all(schema) == all(&found);
            assert!(same(&expected) || wanted.as_ref().is_some_and(same), "seed {seed}");
        }
    }
}

fn random_change(
    rng: &mut Rng,
    catalog: &Arc<Catalog>,
    edit: &mut SchemaEdit,
    task: &Task,
    txn: &mut Transaction,
) -> CatalogResult<()> {
    let schema = edit.schema();
    let mut next = || catalog.new_object_id(&schema);
    match rng.change(&schema, &mut next) {
        Change::Put(definition) if is_of_server(&definition.key()) => Ok(()),
        Change::Put(Definition::Object(ObjectDef::Table(def))) => {
            let def = TableDef::clone(&def);
            match schema.table(def.id()) {
                None => edit.create_table(task, txn, def).map(drop),
                Some(old) if rng.below(5) == 0 => {
                    edit.truncate_table(task, txn, old.id()).map(drop)
                }
                Some(old) if rows_stay(old, &def) => edit.alter_table(task, txn, def),
                Some(_) => edit
                    .rebuild_table(task, txn, def, |_, row, _, out| {
                        out.extend_from_slice(row);
                        Ok::<(), CatalogError>(())
                    })
                    .map(drop),
            }
        }
        Change::Put(definition) => edit.put(task, txn, definition),
        Change::Remove(key) => edit.drop(task, txn, key),
    }
}

fn is_of_server(key: &DefinitionKey) -> bool {
    use DefinitionKey as K;
    matches!(
        key,
        K::Database(_)
            | K::Login(_)
            | K::ServerPermissions(..)
            | K::Configuration(_)
            | K::ResourcePool(_)
            | K::RowCache(_)
            | K::Message(..)
    )
}

const BACKUP: &str = "/srv/e.bak";

/// Backs a database up to a file of its own.
fn back_up(test_env: &TestEnv, server: &Server, name: &str) {
    let def = server.instance.find(name).expect("it exists");
    let catalog = server.catalog(def.id);
    let (definition, files) = server.instance.describe(&def, &catalog);
    let header =
        backup::SetHeader { definition, files, ..backup::tests::header(backup::SetKind::Full) };
    let env = test_env.sim.env();
    let media = backup::new_media(&env, None, None);
    let media = backup::Media::create(&env, Path::new(BACKUP), media).expect("the disk works");
    let backup = catalog.database().begin_backup(&server.task, media, header);
    let mut backup = backup.expect("the disk works");
    while backup.step().expect("the disk works").1.is_none() {}
}

/// Restores the backup as this database, in the place of one that is there.
fn restore(test_env: &TestEnv, server: &Server, name: &str) -> Result<(), InstanceError> {
    let failed = |error: backup::BackupError| InstanceError::Engine(error.into());
    let (env, instance) = (test_env.sim.env(), &server.instance);
    let media =
        backup::Media::open(&env, Path::new(BACKUP), env::OpenMode::Read).map_err(failed)?;
    let set = media.set(1).map_err(failed)?;
    let described = Databases::described(&set.header)?;
    assert_eq!((&*described.def.name, described.files.len()), ("D", 2));
    let directory = instance.new_directory(name, DbId(0))?;
    let target = instance.restore_into(&directory, None);
    let mut restore = backup::Restore::begin(&env, &media, &set, target).map_err(failed)?;
    while !restore.step().map_err(failed)?.1 {}
    let old = instance.find(name);
    let make = |id| DatabaseDef {
        id,
        name: name.into(),
        directory: directory.name.clone(),
        guid: directory.uuid.to_le_bytes(),
        options: DatabaseOptions {
            state: DatabaseState::Restoring,
            ..described.def.options.clone()
        },
        ..DatabaseDef::clone(&described.def)
    };
    let def = instance.adopt_directory(&server.task, &server.owner, old.as_deref(), make)?;
    assert_eq!(instance.state(&def), DatabaseState::Restoring);
    instance.recover_restored(&server.task, &server.owner, &def, |file| {
        PathBuf::from(format!("/elsewhere/{}", file.name))
    })?;
    Ok(())
}

/// The power fails at every few operations of a restore over another database. Afterwards that is
/// what it was, or the database is being restored, or it is there as it was backed up.
#[test]
fn a_crash_during_a_restore_leaves_the_old_database_or_one_that_is_being_restored() {
    let prepared = || {
        let (test_env, server) = TestEnv::started(31);
        let d = server.create_database("D").expect("the name is free");
        let of_d = server.create_table(&d, "T", &[1, 2, 3]).expect("the name is free");
        let e = server.create_database("E").expect("the name is free");
        let of_e = server.create_table(&e, "T", &[9]).expect("the name is free");
        back_up(&test_env, &server, "D");
        assert_eq!(of_d, of_e, "ids go on in the same way in each database");
        (test_env, server, of_d)
    };
    let rows_of = |server: &Server, name: &str, table| {
        let def = server.instance.find(name).expect("it exists");
        let catalog = server.catalog(def.id);
        server.select(&catalog, table).into_iter().map(|(_, v)| v).collect::<Vec<_>>()
    };
    let (first, last) = {
        let (test_env, server, table) = prepared();
        let first = test_env.sim.fs().operations();
        restore(&test_env, &server, "E").expect("the disk works");
        assert_eq!(rows_of(&server, "E", table), [1, 2, 3]);
        server.check();
        (first, test_env.sim.fs().operations())
    };
    // A database is being restored for some seven operations, more or fewer as threads come by.
    let step = if std::env::var_os("CATALOG_SEEDS").is_some() { 1 } else { 2 };
    let mut found = [0; 3];
    for at in (first..last).step_by(step) {
        let (test_env, server, table) = prepared();
        test_env.sim.fs().power_off_at(at);
        let _ = restore(&test_env, &server, "E");
        test_env.sim.fs().power_off();
        drop(server);
        test_env.sim.fs().power_on();
        let server = test_env.open().expect("it can be recovered");
        assert!(server.report.failed.is_empty(), "off at {at}: {:?}", server.report.failed);
        assert_eq!(rows_of(&server, "D", table), [1, 2, 3]);
        let e = server.instance.find("E").expect("it is there under that name in any case");
        match server.instance.state(&e) {
            DatabaseState::Restoring => {
                found[0] += 1;
                let path = |file: &FileDef| PathBuf::from(&*file.physical_name);
                let recovered =
                    server.instance.recover_restored(&server.task, &server.owner, &e, path);
                recovered.unwrap_or_else(|error| panic!("off at {at}: {error}"));
                assert_eq!(rows_of(&server, "E", table), [1, 2, 3], "off at {at}");
            }
            DatabaseState::Online => match &rows_of(&server, "E", table)[..] {
                [9] => found[1] += 1,
                [1, 2, 3] => found[2] += 1,
                other => panic!("off at {at}: {other:?}"),
            },
            other => panic!("off at {at}: {other:?}"),
        }
    }
    assert!(found.iter().all(|count| *count > 0), "each is found: {found:?}");
}

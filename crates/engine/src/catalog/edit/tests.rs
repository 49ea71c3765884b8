use base::ids::{DbId, SessionId};
use base::{Collation, SqlType, Value};
use crossbeam_epoch::Collector;
use env::Env;

use super::*;
use crate::catalog::builtin;
use crate::catalog::name::temporary_name;
use crate::catalog::rng::{Change as Random, Rng};
use crate::catalog::spec::rows_stay;
use crate::catalog::store::create_system_tables;
use crate::database::{Database, Host};
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::visibility::Isolation;
use crate::txn::*;
use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

const NOW: DateTime = DateTime { days: 45_000, ticks: 0 };

/// A master database without a log, with the built-in users and schemas and two schemas of its own.
struct CatalogFixture {
    host: Host,
    catalog: Arc<Catalog>,
}

impl CatalogFixture {
    fn new() -> CatalogFixture {
        let options = RuntimeOptions::default();
        let timer = Arc::new(ThreadTimer::new());
        let runtime = Runtime::new(Env::real(), Collector::new(), timer, options);
        let host = Host::new(runtime, 2, u64::MAX);
        let tables = host.tables(u64::MAX);
        create_system_tables(&tables, DbId::MASTER, false);
        let database = Arc::new(Database::unlogged(&host, DbId::MASTER, tables));
        let fixture = CatalogFixture { catalog: Catalog::new(database, Collation::DEFAULT), host };
        let mut session = fixture.session(51);
        let mut definitions = builtin::database(DbId::MASTER, builtin::SA_SID, NOW);
        for (id, name) in [(5, "Sales"), (6, "Demo")] {
            let schema = SchemaDef { id: SchemaId(id), name: name.into(), owner: PrincipalId::DBO };
            definitions.push(Definition::Schema(Arc::new(schema)));
        }
        for definition in definitions {
            session.ddl(|e, task, txn| e.put(task, txn, definition)).expect("names are distinct");
        }
        session.commit();
        drop(session);
        fixture
    }

    fn session(&self, id: i16) -> Session<'_> {
        let task = Task::blocking(&self.host.runtime);
        let place = self.catalog.database().session(&self.host.owner(SessionId(id)));
        Session { fixture: self, task, place, open: None }
    }

    fn verify(&self) {
        let mut session = self.session(99);
        let (task, txn, _) = session.parts();
        self.catalog.verify(task, txn).expect("the schema is what the rows say");
        session.rollback();
    }

    fn current(&self) -> Arc<Schema> {
        self.catalog.current()
    }
}

/// A session with at most one transaction, which may change the schema.
struct Session<'f> {
    fixture: &'f CatalogFixture,
    task: Task<'static>,
    place: Arc<DatabaseSession>,
    open: Option<(Transaction, SchemaEdit)>,
}

impl Session<'_> {
    fn parts(&mut self) -> (&Task<'static>, &mut Transaction, &mut SchemaEdit) {
        let (place, task, catalog) = (&self.place, &self.task, &self.fixture.catalog);
        let (txn, edit) = self.open.get_or_insert_with(|| {
            let mut txn = Transaction::begin(place, task).expect("a slot is free");
            let edit = SchemaEdit::begin(catalog, &mut txn);
            (txn, edit)
        });
        (task, txn, edit)
    }

    /// A DDL statement: locks, does it, and undoes it if it fails.
    fn ddl<T>(
        &mut self,
        body: impl FnOnce(&mut SchemaEdit, &Task, &mut Transaction) -> CatalogResult<T>,
    ) -> CatalogResult<T> {
        self.statement(|edit, task, txn| {
            edit.lock(task, txn)?;
            body(edit, task, txn)
        })
    }

    /// As `ddl`, without the lock: for temporary objects.
    fn statement<T>(
        &mut self,
        body: impl FnOnce(&mut SchemaEdit, &Task, &mut Transaction) -> CatalogResult<T>,
    ) -> CatalogResult<T> {
        let (task, txn, edit) = self.parts();
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let result = body(edit, task, txn);
        edit.end_statement();
        match result {
            Ok(_) => txn.end_statement(&mut statement),
            Err(_) => {
                txn.rollback_statement(task, &mut statement);
                edit.rolled_back(txn);
            }
        }
        result
    }

    fn create(&mut self, def: TableDef) -> CatalogResult<ObjectId> {
        let id = def.id();
        self.ddl(|edit, task, txn| edit.create_table(task, txn, def)).map(|_| id)
    }

    fn drop_object(&mut self, id: ObjectId) -> CatalogResult<()> {
        self.ddl(|edit, task, txn| edit.drop(task, txn, DefinitionKey::Object(id)))
    }

    fn table(&mut self, name: &str) -> TableDef {
        let id = self.parts().2.new_object_id();
        table(id, name)
    }

    fn schema(&mut self) -> Arc<Schema> {
        self.parts().2.schema()
    }

    fn rows_of(&mut self, id: ObjectId) -> Arc<Table> {
        let schema = self.schema();
        self.fixture.catalog.table(schema.table(id).expect("it exists")).expect("it has a storage")
    }

    fn insert(&mut self, id: ObjectId, values: &[i64]) -> TxnResult<()> {
        let table = self.rows_of(id);
        let values: Vec<Value> = values.iter().map(|v| Value::Int(*v)).collect();
        let row = table.layout().build_owned(&values);
        let (task, txn, _) = self.parts();
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let result = txn.insert(task, &table, statement.snapshot(), &row).map(drop);
        match result {
            Ok(()) => txn.end_statement(&mut statement),
            Err(_) => txn.rollback_statement(task, &mut statement),
        }
        result
    }

    /// The rows, which hold integers, in ascending order.
    fn select(&mut self, id: ObjectId) -> TxnResult<Vec<Vec<i64>>> {
        let table = self.rows_of(id);
        self.select_from(&table)
    }

    fn select_from(&mut self, table: &Table) -> TxnResult<Vec<Vec<i64>>> {
        let (task, txn, _) = self.parts();
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let mut cursor = Cursor::new(statement.snapshot(), 0, ScanRange::All, Direction::Forward);
        let mut rows = Vec::new();
        let mut read = || -> TxnResult<()> {
            while let Some(row) = cursor.next(txn, task, table)? {
                rows.push(integers(table, txn.row(row)));
            }
            Ok(())
        };
        let result = read();
        txn.end_statement(&mut statement);
        result?;
        rows.sort();
        Ok(rows)
    }

    fn commit(&mut self) {
        if let Some((txn, _)) = self.open.take() {
            txn.commit(&self.task, Durability::Full).expect("nothing to validate");
        }
    }

    fn rollback(&mut self) {
        if let Some((txn, _)) = self.open.take() {
            txn.rollback(&self.task);
        }
    }
}

fn integers(table: &Table, row: &[u8]) -> Vec<i64> {
    let layout = table.layout();
    let int = |c| match layout.get(row, c) {
        base::ValueRef::Int(v) => v,
        other => panic!("an int column holds {other:?}"),
    };
    (0..layout.columns().len()).map(int).collect()
}

fn header(id: ObjectId, name: &str) -> ObjectHeader {
    ObjectHeader {
        id,
        schema: SchemaId::DBO,
        name: name.into(),
        owner: None,
        created: NOW,
        modified: NOW,
        ms_shipped: false,
    }
}

/// `name (id int PRIMARY KEY, v int)`.
fn table(id: ObjectId, name: &str) -> TableDef {
    let mut table = TableDef::new(header(id, name), TableKind::Disk, TableRole::Table);
    for (id, name) in [(1, "id"), (2, "v")] {
        let mut column = ColumnDef::new(ColumnId(id), name.into(), SqlType::int(), UserTypeId(56));
        column.nullable = false;
        table.columns.push(column);
    }
    table.max_column_id = ColumnId(2);
    let mut key = IndexDef::new(IndexId(1), "pk".into(), IndexKind::Clustered, true);
    key.key.push(KeyColumn { column: ColumnId(1), descending: false });
    table.indexes.push(key);
    table
}

fn constraint(id: ObjectId, name: &str) -> ConstraintHeader {
    ConstraintHeader { id, name: name.into(), system_named: false, created: NOW, modified: NOW }
}

fn foreign_key(id: ObjectId, name: &str, referenced: ObjectId) -> ForeignKeyDef {
    ForeignKeyDef {
        header: constraint(id, name),
        columns: vec![ForeignKeyColumn { own: ColumnId(2), referenced: ColumnId(1) }],
        referenced,
        referenced_index: IndexId(1),
        on_delete: ReferentialAction::NoAction,
        on_update: ReferentialAction::NoAction,
        disabled: false,
        not_for_replication: false,
        not_trusted: false,
    }
}

fn found(schema: &Schema, name: &str) -> bool {
    schema.find_object(SchemaId::DBO, name).is_some()
}

#[test]
fn other_sessions_do_not_see_a_change_before_it_is_committed() {
    let fixture = CatalogFixture::new();
    let version = fixture.catalog.version();
    let mut session = fixture.session(51);
    let def = session.table("T");
    session.create(def).unwrap();
    assert!(found(&session.schema(), "t"));
    assert!(session.schema().is_working());
    assert!(!found(&fixture.current(), "t"));
    assert_eq!(fixture.catalog.version(), version);
    session.commit();
    assert!(found(&fixture.current(), "t"));
    assert!(!fixture.current().is_working());
    assert!(fixture.catalog.version() > version);
    assert_eq!(fixture.catalog.version(), fixture.current().version());
    fixture.verify();
}

#[test]
fn a_rollback_leaves_nothing() {
    let fixture = CatalogFixture::new();
    let before = fixture.current();
    let tables = fixture.catalog.database().manager().tables().all().len();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    session.insert(id, &[1, 2]).unwrap();
    session.rollback();
    assert!(Arc::ptr_eq(&before, &fixture.current()));
    assert_eq!(fixture.catalog.database().manager().tables().all().len(), tables);
    fixture.verify();
}

#[test]
fn rolling_back_to_a_savepoint_undoes_what_came_after_it() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("Before");
    let before = session.create(def).unwrap();
    let (_, txn, _) = session.parts();
    let savepoint = txn.savepoint();
    let def = session.table("After");
    session.create(def).unwrap();
    session.drop_object(before).unwrap();
    assert!(!found(&session.schema(), "before"));
    let (task, txn, edit) = session.parts();
    txn.roll_back(task, savepoint);
    edit.rolled_back(txn);
    assert!(found(&session.schema(), "before") && !found(&session.schema(), "after"));
    session.insert(before, &[1, 1]).unwrap();
    session.commit();
    assert!(found(&fixture.current(), "before") && !found(&fixture.current(), "after"));
    assert_eq!(session.select(before).unwrap(), [[1, 1]]);
    fixture.verify();
}

#[test]
fn a_statement_that_fails_leaves_the_changes_before_it() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("A");
    session.create(def).unwrap();
    let (b, again) = (session.table("B"), session.table("a"));
    let failed = session.ddl(|edit, task, txn| {
        edit.create_table(task, txn, b)?;
        edit.create_table(task, txn, again)
    });
    assert!(matches!(failed, Err(CatalogError::NameInUse { .. })));
    assert!(found(&session.schema(), "A") && !found(&session.schema(), "B"));
    session.commit();
    assert!(found(&fixture.current(), "A") && !found(&fixture.current(), "B"));
    fixture.verify();
}

#[test]
fn a_table_and_its_rows_appear_together() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    session.insert(id, &[1, 10]).unwrap();
    session.commit();
    let schema = fixture.current();
    let stamp = schema.visible_from();
    assert_eq!(schema.object_visible_from(id), Some(stamp));
    let mut reader = fixture.session(52);
    let (_, txn, _) = reader.parts();
    let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    assert!(statement.snapshot().stamp >= stamp);
    txn.end_statement(&mut statement);
    assert_eq!(reader.select(id).unwrap(), [[1, 10]]);
}

#[test]
fn dropping_takes_what_hangs_on_the_object() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    let trigger_id = session.parts().2.new_object_id();
    let target = Securable { class: SecurableClass::Object, major: id.0, minor: 1 };
    let definitions = [
        Definition::Object(ObjectDef::Module(Arc::new(ModuleDef::new(
            header(trigger_id, "TR"),
            ModuleKind::Trigger(TriggerDef {
                parent: id,
                events: Vec::new(),
                instead_of: false,
                disabled: false,
                not_for_replication: false,
            }),
            "create trigger TR on T after insert as return".into(),
        )))),
        Definition::Permissions(Arc::new(PermissionSet {
            target,
            grantee: PrincipalId::GUEST,
            grants: Vec::new(),
        })),
        Definition::Properties(Arc::new(PropertySet { target, properties: Vec::new() })),
    ];
    for definition in definitions {
        session.ddl(|edit, task, txn| edit.put(task, txn, definition)).unwrap();
    }
    session.commit();
    assert_eq!(fixture.current().table(id).unwrap().triggers, [trigger_id]);
    session.drop_object(id).unwrap();
    session.commit();
    let schema = fixture.current();
    assert!(schema.object(id).is_none() && schema.object(trigger_id).is_none());
    assert!(schema.permission_set(target, PrincipalId::GUEST).is_none());
    assert!(schema.properties_of(target).is_none());
    fixture.verify();
}

#[test]
fn a_referenced_table_cannot_be_dropped() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("Parent");
    let parent = session.create(def).unwrap();
    let mut child = session.table("Child");
    child.indexes[0].name = "pk2".into();
    child.foreign_keys.push(foreign_key(session.parts().2.new_object_id(), "FK", parent));
    let child = session.create(child).unwrap();
    session.commit();
    let refused = session.drop_object(parent);
    assert!(matches!(refused, Err(CatalogError::ReferencedByKey { .. })));
    session.drop_object(child).unwrap();
    session.drop_object(parent).unwrap();
    session.commit();
    fixture.verify();
}

#[test]
fn truncating_gives_an_empty_storage_and_can_be_undone() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    session.insert(id, &[1, 1]).unwrap();
    session.commit();
    let storage = fixture.current().table(id).unwrap().storage;
    session.ddl(|edit, task, txn| edit.truncate_table(task, txn, id)).unwrap();
    session.insert(id, &[2, 2]).unwrap();
    assert_eq!(session.select(id).unwrap(), [[2, 2]]);
    session.rollback();
    assert_eq!(session.select(id).unwrap(), [[1, 1]]);
    session.commit();
    session.ddl(|edit, task, txn| edit.truncate_table(task, txn, id)).unwrap();
    session.commit();
    assert_eq!(session.select(id).unwrap(), Vec::<Vec<i64>>::new());
    assert!(fixture.current().table(id).unwrap().storage > storage);
    assert!(fixture.catalog.database().manager().tables().get(storage).is_none());
    fixture.verify();
}

#[test]
fn a_rebuild_maps_every_row() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    for i in 0..500 {
        session.insert(id, &[i, i * i]).unwrap();
    }
    session.commit();
    let mut new = TableDef::clone(fixture.current().table(id).unwrap());
    let mut column = ColumnDef::new(ColumnId(3), "sum".into(), SqlType::bigint(), UserTypeId(127));
    column.nullable = false;
    new.columns.push(column);
    session
        .ddl(|edit, task, txn| {
            edit.rebuild_table(task, txn, new, |old, row, new, out| {
                let mut values = integers(old, row);
                values.push(values.iter().sum());
                let values: Vec<Value> = values.into_iter().map(Value::Int).collect();
                out.extend(new.layout().build_owned(&values));
                Ok::<(), CatalogError>(())
            })
        })
        .unwrap();
    session.commit();
    let expected: Vec<Vec<i64>> = (0..500).map(|i| vec![i, i * i, i + i * i]).collect();
    assert_eq!(session.select(id).unwrap(), expected);
    fixture.verify();
}

#[test]
fn a_rebuild_that_finds_duplicates_changes_nothing() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let def = session.table("T");
    let id = session.create(def).unwrap();
    session.insert(id, &[1, 7]).unwrap();
    session.insert(id, &[2, 7]).unwrap();
    session.commit();
    let old = fixture.current().table(id).unwrap().clone();
    let mut new = TableDef::clone(&old);
    let mut index = IndexDef::new(IndexId(2), "ux".into(), IndexKind::NonClustered, true);
    index.key.push(KeyColumn { column: ColumnId(2), descending: false });
    new.indexes.push(index);
    let failed = session.ddl(|edit, task, txn| {
        edit.rebuild_table(task, txn, new, |_, row, _, out| {
            out.extend_from_slice(row);
            Ok::<(), CatalogError>(())
        })
    });
    let duplicate =
        matches!(failed, Err(CatalogError::Transaction(TxnError::DuplicateKey { index: 1, .. })));
    assert!(duplicate);
    session.commit();
    assert_eq!(fixture.current().table(id), Some(&old));
    assert_eq!(session.select(id).unwrap(), [[1, 7], [2, 7]]);
    fixture.verify();
}

fn is_timeout<T>(result: CatalogResult<T>) -> bool {
    matches!(result, Err(CatalogError::Transaction(TxnError::LockTimeout)))
}

#[test]
fn transactions_change_the_schema_side_by_side() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    second.place.owner().set_lock_timeout(0);
    let (a, b) = (first.table("A"), second.table("B"));
    first.create(a).unwrap();
    second.create(b).unwrap();
    assert!(!found(&second.schema(), "A"), "it is not committed");
    first.commit();
    assert!(found(&second.schema(), "A"), "what the first one did is taken over");
    second.commit();
    assert!(found(&fixture.current(), "A") && found(&fixture.current(), "B"));
    fixture.verify();
}

#[test]
fn a_name_that_another_transaction_takes_is_waited_for() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    second.place.owner().set_lock_timeout(0);
    let (one, other) = (first.table("A"), second.table("a"));
    first.create(one).unwrap();
    assert!(is_timeout(second.create(other.clone())));
    first.rollback();
    second.create(other.clone()).unwrap();
    let late = first.table("A");
    second.commit();
    assert!(matches!(first.create(late), Err(CatalogError::NameInUse { .. })));
    first.rollback();
    fixture.verify();
}

#[test]
fn what_a_definition_refers_to_stays() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    second.place.owner().set_lock_timeout(0);
    let mut def = first.table("T");
    def.header.schema = SchemaId(5);
    first.create(def.clone()).unwrap();
    let drop_schema = |session: &mut Session<'_>| {
        let key = DefinitionKey::Schema(SchemaId(5));
        session.ddl(|edit, task, txn| edit.drop(task, txn, key))
    };
    assert!(is_timeout(drop_schema(&mut second)), "the table is in it");
    first.rollback();
    drop_schema(&mut second).unwrap();
    first.place.owner().set_lock_timeout(0);
    assert!(is_timeout(first.create(def)), "it may be gone");
    second.rollback();
    first.rollback();
}

/// A statement that has read a definition which another transaction then changes does not undo that
/// change.
#[test]
fn a_statement_that_comes_too_late_changes_nothing() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    let def = first.table("T");
    let id = first.create(def).unwrap();
    first.commit();
    let rename = |session: &mut Session<'_>, name: &str| {
        let mut def = TableDef::clone(session.schema().table(id).unwrap());
        def.header.name = name.into();
        session.ddl(|edit, task, txn| edit.alter_table(task, txn, def))
    };
    let late = second.ddl(|edit, task, txn| {
        let mut def = TableDef::clone(edit.schema().table(id).unwrap());
        rename(&mut first, "Renamed").unwrap();
        first.commit();
        def.lock_escalation = LockEscalation::Disable;
        edit.alter_table(task, txn, def)
    });
    assert!(matches!(late, Err(CatalogError::Stale)), "{late:?}");
    assert!(second.parts().2.take_stale());
    second
        .ddl(|edit, task, txn| {
            let mut def = TableDef::clone(edit.schema().table(id).unwrap());
            def.lock_escalation = LockEscalation::Disable;
            edit.alter_table(task, txn, def)
        })
        .unwrap();
    second.commit();
    let schema = fixture.current();
    let now = schema.table(id).unwrap();
    assert_eq!((&*now.header.name, now.lock_escalation), ("Renamed", LockEscalation::Disable));
    fixture.verify();
}

/// Statements of other transactions read the copies as before until the switch is committed.
#[test]
fn row_caching_is_switched_by_the_commit() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let mut def = session.table("T");
    def.kind = TableKind::Disk;
    let id = session.create(def).unwrap();
    session.commit();
    let rows = session.rows_of(id);
    session.commit();
    let switch = |session: &mut Session<'_>, on: bool| {
        let mut def = TableDef::clone(session.schema().table(id).unwrap());
        def.row_cached = on;
        session.ddl(|edit, task, txn| edit.alter_table(task, txn, def)).unwrap();
    };
    switch(&mut session, true);
    assert!(!rows.caches_rows());
    session.rollback();
    assert!(!rows.caches_rows());
    switch(&mut session, true);
    session.commit();
    assert!(rows.caches_rows());
    // A table that takes its place keeps what was set.
    session.ddl(|edit, task, txn| edit.truncate_table(task, txn, id).map(drop)).unwrap();
    session.commit();
    assert!(session.rows_of(id).caches_rows());
    session.rollback();
    fixture.verify();
}

/// A change that comes too late only because of something else goes on.
#[test]
fn what_others_commit_in_between_does_not_matter_if_it_is_something_else() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    let (a, b) = (first.table("A"), second.table("B"));
    second
        .ddl(|edit, task, txn| {
            first.create(a).unwrap();
            first.commit();
            edit.create_table(task, txn, b)
        })
        .unwrap();
    second.commit();
    assert!(found(&fixture.current(), "A") && found(&fixture.current(), "B"));
    fixture.verify();
}

#[test]
fn temporary_tables_of_many_sessions_do_not_wait_for_each_other() {
    let fixture = CatalogFixture::new();
    let mut ddl = fixture.session(60);
    let def = ddl.table("Busy");
    ddl.create(def).unwrap();
    let mut sessions: Vec<Session<'_>> = (61..65).map(|id| fixture.session(id)).collect();
    let mut ids = Vec::new();
    for (i, session) in sessions.iter_mut().enumerate() {
        let id = session.parts().2.new_temporary_id();
        assert!(id.0 < 0);
        let def = table(id, &format!("#t_{i}"));
        session.statement(|edit, task, txn| edit.create_table(task, txn, def)).unwrap();
        session.insert(id, &[i as i64, 0]).unwrap();
        ids.push(id);
    }
    for (i, session) in sessions.iter_mut().enumerate().rev() {
        session.commit();
        assert!(found(&fixture.current(), &format!("#t_{i}")));
    }
    ddl.commit();
    assert!(found(&fixture.current(), "Busy") && found(&fixture.current(), "#t_2"));
    for (id, session) in ids.iter().zip(&mut sessions) {
        session
            .statement(|edit, task, txn| edit.drop(task, txn, DefinitionKey::Object(*id)))
            .unwrap();
        session.commit();
    }
    assert!(!found(&fixture.current(), "#t_2"));
    fixture.verify();
}

#[test]
fn temporary_tables_may_have_constraints_of_one_name() {
    let fixture = CatalogFixture::new();
    let (mut first, mut second) = (fixture.session(51), fixture.session(52));
    for session in [&mut first, &mut second] {
        let (id, key) = {
            let (_, _, edit) = session.parts();
            (edit.new_temporary_id(), edit.new_temporary_id())
        };
        let mut def = table(id, &temporary_name("#t", id.0.unsigned_abs()));
        let header = constraint(key, "PK_t");
        def.indexes[0].constraint = Some(KeyConstraintDef { header, primary: true });
        session.statement(|edit, task, txn| edit.create_table(task, txn, def)).unwrap();
        assert_eq!(session.schema().object(key).and_then(|c| c.parent()), Some(id));
    }
    first.commit();
    second.commit();
    fixture.verify();
}

#[test]
fn a_temporary_table_survives_the_lock_taken_after_it() {
    let fixture = CatalogFixture::new();
    let (mut session, mut other) = (fixture.session(51), fixture.session(52));
    let id = session.parts().2.new_temporary_id();
    let def = table(id, "#t");
    session.statement(|edit, task, txn| edit.create_table(task, txn, def)).unwrap();
    let def = other.table("Other");
    other.create(def).unwrap();
    other.commit();
    let def = session.table("Own");
    session.create(def).unwrap();
    let schema = session.schema();
    assert!(found(&schema, "#t") && found(&schema, "Own") && found(&schema, "Other"));
    session.commit();
    let schema = fixture.current();
    assert!(found(&schema, "#t") && found(&schema, "Own") && found(&schema, "Other"));
    fixture.verify();
}

#[test]
fn a_table_in_use_is_not_altered_until_its_users_are_done() {
    let fixture = CatalogFixture::new();
    let (mut user, mut altering) = (fixture.session(51), fixture.session(52));
    let def = user.table("T");
    let id = user.create(def).unwrap();
    user.commit();
    assert!(user.select(id).unwrap().is_empty());
    altering.place.owner().set_lock_timeout(0);
    assert!(is_timeout(altering.drop_object(id)), "the statement may go on reading it");
    user.parts().1.leave_tables();
    altering.drop_object(id).unwrap();
    altering.commit();
    user.commit();
}

#[test]
fn a_table_that_was_written_to_is_not_left_before_the_end() {
    let fixture = CatalogFixture::new();
    let (mut user, mut altering) = (fixture.session(51), fixture.session(52));
    let def = user.table("T");
    let id = user.create(def).unwrap();
    user.commit();
    user.insert(id, &[1, 7]).unwrap();
    user.parts().1.leave_tables();
    altering.place.owner().set_lock_timeout(0);
    assert!(is_timeout(altering.drop_object(id)));
    user.rollback();
    altering.drop_object(id).unwrap();
    altering.commit();
}

#[test]
fn a_reader_after_a_truncation_gets_an_error_that_the_table_changed() {
    let fixture = CatalogFixture::new();
    let (mut user, mut altering) = (fixture.session(51), fixture.session(52));
    let def = user.table("T");
    let id = user.create(def).unwrap();
    user.commit();
    let table = user.rows_of(id);
    altering.ddl(|edit, task, txn| edit.truncate_table(task, txn, id)).unwrap();
    altering.commit();
    let error = user.select_from(&table).expect_err("the table is retired");
    assert!(matches!(error, TxnError::TableChanged { .. }), "{error:?}");
    user.rollback();
    assert!(user.select(id).unwrap().is_empty());
}

#[test]
fn altering_a_constraint_closes_the_gates_of_both_tables() {
    let fixture = CatalogFixture::new();
    let (mut user, mut altering) = (fixture.session(51), fixture.session(52));
    let def = user.table("Parent");
    let parent = user.create(def).unwrap();
    let mut child = user.table("Child");
    child.indexes[0].name = "pk2".into();
    let child = user.create(child).unwrap();
    user.commit();
    assert!(user.select(parent).unwrap().is_empty());
    altering.place.owner().set_lock_timeout(0);
    let key = altering.parts().2.new_object_id();
    let add = |session: &mut Session<'_>| {
        let mut def = TableDef::clone(session.schema().table(child).unwrap());
        def.foreign_keys.push(foreign_key(key, "FK", parent));
        session.ddl(|edit, task, txn| edit.alter_table(task, txn, def))
    };
    let refused = add(&mut altering);
    assert!(matches!(refused, Err(CatalogError::Transaction(TxnError::LockTimeout))));
    user.commit();
    add(&mut altering).unwrap();
    altering.commit();
    assert_eq!(fixture.current().table(parent).unwrap().referenced_by.len(), 1);
    fixture.verify();
}

#[test]
fn ids_are_spread_and_given_once() {
    let fixture = CatalogFixture::new();
    let mut session = fixture.session(51);
    let (_, _, edit) = session.parts();
    let ids: Vec<i32> = (0..1000).map(|_| edit.new_object_id().0).collect();
    assert!(ids.iter().all(|id| *id > 0));
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
    assert_eq!(ids[1] - ids[0], 16_000_057);
    let temporary: Vec<i32> = (0..1000).map(|_| edit.new_temporary_id().0).collect();
    assert!(temporary.iter().all(|id| *id < 0));
}

/// Loads the rows of an environment into a new catalog, as after a restart.
fn reloaded(fixture: &CatalogFixture) -> CatalogFixture {
    let again = CatalogFixture::new();
    let mut old = fixture.session(98);
    let (task, txn, _) = old.parts();
    let rows = fixture.catalog.read_rows(task, txn).unwrap();
    old.rollback();
    let mut new = again.session(51);
    let (task, txn, _) = new.parts();
    for row in again.catalog.read_rows(task, txn).unwrap() {
        again.catalog.write_row(task, txn, row.table, &row.key, true, None).unwrap();
    }
    for row in rows {
        let bytes = row.bytes();
        again.catalog.write_row(task, txn, row.table, &row.key, false, Some(&bytes)).unwrap();
    }
    again.catalog.load(task, txn).unwrap();
    new.commit();
    drop(new);
    again
}

/// The self-check over random DDL: transactions of several changes, some rolled back to a
/// savepoint, some as a whole, beside sessions with temporary tables; now and then a restart.
#[test]
fn the_schema_stays_what_the_rows_say() {
    let seeds = std::env::var("CATALOG_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(6);
    for seed in 0..seeds {
        let mut rng = Rng::new(seed);
        let mut fixture = CatalogFixture::new();
        for _ in 0..40 {
            random_transaction(&mut rng, &fixture, seed);
            fixture.verify();
            if rng.below(10) == 0 {
                let again = reloaded(&fixture);
                assert_eq!(*again.current(), *fixture.current(), "seed {seed}");
                again.verify();
                fixture = again;
            }
        }
    }
}

fn random_transaction(rng: &mut Rng, fixture: &CatalogFixture, seed: u64) {
    let before = fixture.current();
    let (mut session, mut temporary) = (fixture.session(51), fixture.session(52));
    for _ in 0..1 + rng.below(8) {
        let savepoint = session.parts().1.savepoint();
        let at = session.schema();
        for _ in 0..1 + rng.below(3) {
            random_ddl(rng, &mut session, seed);
        }
        if rng.below(4) == 0 {
            let (task, txn, edit) = session.parts();
            txn.roll_back(task, savepoint);
            edit.rolled_back(txn);
            assert_eq!(*session.schema(), *at, "seed {seed}");
        }
        if rng.below(4) == 0 {
            random_temporary(rng, &mut temporary);
        }
    }
    match rng.below(3) {
        0 => {
            session.rollback();
            temporary.rollback();
            assert!(Arc::ptr_eq(&before, &fixture.current()), "seed {seed}");
        }
        _ if rng.flip() => {
            session.commit();
            temporary.commit();
        }
        _ => {
            temporary.commit();
            session.commit();
        }
    }
}

fn random_ddl(rng: &mut Rng, session: &mut Session<'_>, seed: u64) {
    let catalog = session.fixture.catalog.clone();
    let schema = session.schema();
    let change = rng.change(&schema, &mut || catalog.new_object_id(&schema));
    let result = session.ddl(|edit, task, txn| match change {
        Random::Put(Definition::Object(ObjectDef::Table(def))) => {
            put_table(edit, task, txn, TableDef::clone(&def), rng)
        }
        Random::Put(definition) => edit.put(task, txn, definition),
        Random::Remove(key) => edit.drop(task, txn, key),
    });
    match result {
        Ok(()) | Err(CatalogError::ReferencedBy { .. } | CatalogError::ReferencedByKey { .. }) => {}
        Err(other) => panic!("seed {seed}: {other}"),
    }
}

/// Creates or alters a table in the way that suits it; now and then truncates it.
fn put_table(
    edit: &mut SchemaEdit,
    task: &Task,
    txn: &mut Transaction,
    def: TableDef,
    rng: &mut Rng,
) -> CatalogResult<()> {
    let schema = edit.schema();
    match schema.table(def.id()) {
        None => edit.create_table(task, txn, def).map(drop),
        Some(old) if rng.below(5) == 0 => edit.truncate_table(task, txn, old.id()).map(drop),
        Some(old) if rows_stay(old, &def) => edit.alter_table(task, txn, def),
        Some(_) => {
            let map = |old: &Table, row: &[u8], new: &Table, out: &mut Vec<u8>| {
                let mut values = integers(old, row);
                values.resize(new.layout().columns().len(), 0);
                let values: Vec<Value> = values.into_iter().map(Value::Int).collect();
                out.extend(new.layout().build_owned(&values));
                Ok::<(), CatalogError>(())
            };
            edit.rebuild_table(task, txn, def, map).map(drop)
        }
    }
}

fn random_temporary(rng: &mut Rng, session: &mut Session<'_>) {
    let schema = session.schema();
    let mine: Vec<ObjectId> =
        schema.tables().filter(|t| t.is_temporary()).map(|t| t.id()).collect();
    if !mine.is_empty() && rng.flip() {
        let key = DefinitionKey::Object(rng.pick(&mine));
        session.statement(|edit, task, txn| edit.drop(task, txn, key)).unwrap();
    } else {
        let id = session.parts().2.new_temporary_id();
        let def = table(id, &format!("#t{id}"));
        session.statement(|edit, task, txn| edit.create_table(task, txn, def)).unwrap();
    }
}

impl SchemaEdit {
    /// Changes a table by copying its rows. `map` gets the old table and the bytes of one of its
    /// rows, the new table, and a buffer, to which it appends the bytes of the new row.
    pub(crate) fn rebuild_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
        map: impl Fn(&Table, &[u8], &Table, &mut Vec<u8>) -> CatalogResult<()>,
    ) -> CatalogResult<Arc<Table>> {
        let schema = self.schema();
        let old = schema.table(def.id()).expect("it exists");
        let old = self.catalog().table(old).expect("a table has its storage");
        let mut rebuild = self.begin_rebuild(task, txn, def, Some(|_| true))?;
        let (new, mut rows, mut copies) =
            (rebuild.table().clone(), Rows::default(), Rows::default());
        let mut copy = || -> CatalogResult<()> {
            while rebuild.next(self, task, txn, &mut rows)? {
                copies.clear();
                for row in rows.iter() {
                    copies.append(|bytes| map(&old, row, &new, bytes))?;
                }
                rebuild.put(task, txn, &rows, &mut copies)?;
            }
            Ok(())
        };
        match copy() {
            Ok(()) => rebuild.finish(self, task, txn),
            Err(error) => {
                rebuild.abandon(task, txn);
                Err(error)
            }
        }
    }
}

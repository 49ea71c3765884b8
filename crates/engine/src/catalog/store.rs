//! The catalog of one database: its system tables, its current schema, and its sources of ids.

use std::collections::BTreeSet;

use base::Collation;
use base::ids::{DbId, Lsn, ObjectId, StorageId};
use base::types::XmlUse;

use super::def::*;
use super::definition::Definition;
use super::error::{CatalogError, CatalogResult};
use super::replay::sequence_of;
use super::schema::Schema;
use super::sequences::Sequences;
use super::spec::table_spec;
use super::system_tables::{FIRST_USER_STORAGE, RowKey, SystemRow, SystemTable};
use crate::cold::rowcache::Naming;
use crate::database::Database;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::key::{KeyBuf, KeyColumn};
use crate::hot::reclaim::Tables;
use crate::hot::table::{ConflictPolicy, IndexKind, IndexSpec, RowCaching, Table, TableSpec};
use crate::hot::visibility::{Isolation, Snapshot};
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicI32, AtomicU64};
use crate::sync::{Arc, Mutex, RwLock};
use crate::txn::{ReadAt, RowRef, Transaction, TxnResult, Written};
use crate::wait::Task;

/// The catalog of one database.
///
/// # How a statement uses it
///
/// A session keeps the `Arc` of the schema that it last saw and compares [`Catalog::version`] at
/// the start of a statement, so that no session writes memory that all share. A statement enters
/// the gates of its tables, compares the version again, and only then trusts its plan: a change of
/// a table is published before its gate opens.
pub struct Catalog {
    database: Arc<Database>,
    /// In the order of [`SystemTable::of_database`].
    system: Vec<(SystemTable, Arc<Table>)>,
    sequences: Sequences,
    current: RwLock<Arc<Schema>>,
    /// The version of `current`, and its shared version; written after it.
    version: AtomicU64,
    shared_version: AtomicU64,
    /// Held while a schema is made current.
    publishing: Mutex<()>,
    last_version: AtomicU64,
    last_object: AtomicI32,
    last_temporary: AtomicI32,
    last_xml_collection: AtomicI32,
    last_storage: AtomicU64,
    ids: IdsGiven,
}

/// How many ids were given since the catalog was made, and how many may be before more are reserved
/// in the log.
#[derive(Default)]
struct IdsGiven {
    given: AtomicU64,
    reserved: AtomicU64,
}

/// How many ids are reserved at a time, of objects and storages each.
const IDS_RESERVED: u64 = 32;

/// Object ids lie this far apart, modulo 2^31, as in SQL Server: one object's id does not show what
/// another one's will be, or when it was made.
const OBJECT_ID_STEP: i32 = 16_000_057;
/// Where the ids of a new database begin.
const FIRST_OBJECT_ID: i32 = 549_576_996;
/// Ids up to here belong to what the server itself defines.
const LAST_SYSTEM_OBJECT: i32 = 1000;

/// The version before the first of a new catalog. No two catalogs have a version in common: a
/// database may be restored in another's place, under its id, and what depends on the other's
/// schema must notice.
fn before_first_version() -> u64 {
    static CATALOGS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    CATALOGS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) << 32
}

impl Catalog {
    /// The catalog of a database whose system tables exist ([`create_system_tables`]), with an
    /// empty schema; [`Catalog::load`] fills it from the rows. From here on the database makes
    /// checkpoints.
    pub fn new(database: Arc<Database>, collation: Collation) -> Arc<Catalog> {
        let table = |system: SystemTable| {
            let table = database.manager().tables().get(system.storage());
            (system, table.expect("system tables are made before anything else"))
        };
        let system = SystemTable::of_database(database.id()).map(table).collect();
        let sequences = Sequences::new(database.clone());
        database.start_checkpoints(sequence_of);
        Arc::new(Catalog {
            system,
            sequences,
            current: RwLock::new(Arc::new(Schema::new(database.id(), collation))),
            version: AtomicU64::new(0),
            shared_version: AtomicU64::new(0),
            publishing: Mutex::new(()),
            last_version: AtomicU64::new(before_first_version()),
            last_object: AtomicI32::new(FIRST_OBJECT_ID),
            last_temporary: AtomicI32::new(FIRST_OBJECT_ID),
            last_xml_collection: AtomicI32::new(0),
            last_storage: AtomicU64::new(FIRST_USER_STORAGE.0),
            ids: IdsGiven::default(),
            database,
        })
    }

    /// The database.
    pub fn database(&self) -> &Arc<Database> {
        &self.database
    }

    /// Whether the database has a log; tempdb has none.
    pub fn is_logged(&self) -> bool {
        self.database.manager().log().is_logged()
    }

    /// The tables of the database, those of uncommitted changes too.
    pub(super) fn tables(&self) -> &Tables {
        self.database.manager().tables()
    }

    /// The counters of sequences.
    pub fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// The current schema.
    pub fn current(&self) -> Arc<Schema> {
        self.current.read().expect("no panic under this lock").clone()
    }

    /// The version of the current schema.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Acquire) // pairs with make_current()
    }

    /// [`Schema::shared_version`] of the current schema.
    #[inline]
    pub(super) fn shared_version(&self) -> u64 {
        self.shared_version.load(Acquire) // pairs with publish()
    }

    /// The table that holds the rows of a definition. It may have been dropped in the meantime,
    /// together with the schema that the definition is from.
    pub fn table(&self, def: &TableDef) -> Option<Arc<Table>> {
        self.tables().get(def.storage)
    }

    /// A system table.
    ///
    /// # Panics
    /// If only master has it and this is another database.
    pub fn system_table(&self, table: SystemTable) -> &Arc<Table> {
        let found = self.system.iter().find(|(t, _)| *t == table);
        &found.expect("definitions of the server are in master").1
    }

    /// A version that no schema has had.
    pub(super) fn fresh_version(&self) -> u64 {
        self.last_version.fetch_add(1, Relaxed) + 1
    }

    /// Makes a schema current that `make` derives from the one that is current now.
    pub(super) fn publish(&self, make: impl FnOnce(&Arc<Schema>) -> Schema) {
        let _one_at_a_time = self.publishing.lock().expect("no panic while publishing");
        let schema = Arc::new(make(&self.current()));
        let (version, shared) = (schema.version(), schema.shared_version());
        *self.current.write().expect("no panic under this lock") = schema;
        self.shared_version.store(shared, Release); // pairs with shared_version()
        self.version.store(version, Release); // pairs with version()
    }

    /// Makes a schema current whose rows are visible from a position on. Requires locks that have
    /// kept the current schema as it was when this one was derived from it.
    pub(crate) fn replace(&self, mut schema: Schema, visible_from: Lsn) {
        self.publish(|_| {
            schema.publish(self.fresh_version(), visible_from);
            schema
        });
    }

    /// An id for an object that is about to be created.
    pub(crate) fn new_object_id(&self, schema: &Schema) -> ObjectId {
        loop {
            self.ids.given.fetch_add(1, Relaxed);
            let id = advance(&self.last_object);
            if id > LAST_SYSTEM_OBJECT && schema.object_id_is_free(ObjectId(id)) {
                return ObjectId(id);
            }
        }
    }

    /// An id for an XML schema collection that is about to be created; `None` if there are too
    /// many. Ids of dropped ones are not given again soon, since plans may still name them.
    pub fn new_xml_collection_id(&self, schema: &Schema) -> Option<XmlCollectionId> {
        let count = i32::from(XmlUse::COLLECTION_MAX);
        (0..count).find_map(|_| {
            let next = self.last_xml_collection.fetch_add(1, Relaxed).rem_euclid(count) + 1;
            let id = XmlCollectionId::of_number(next as u16);
            schema.xml_collections().get(id).is_none().then_some(id)
        })
    }

    /// An id for a local temporary object: negative, as in SQL Server.
    pub(super) fn new_temporary_id(&self, schema: &Schema) -> ObjectId {
        loop {
            let id = ObjectId(-advance(&self.last_temporary));
            if id.0 < 0 && schema.object_id_is_free(id) {
                return id;
            }
        }
    }

    /// A storage that was never used.
    pub(super) fn new_storage(&self) -> StorageId {
        self.ids.given.fetch_add(1, Relaxed);
        StorageId(self.last_storage.fetch_add(1, Relaxed) + 1)
    }

    /// Whether ids were given that are not reserved in the log.
    pub(super) fn needs_ids(&self) -> bool {
        self.ids.given.load(Relaxed) > self.ids.reserved.load(Relaxed)
    }

    /// What has to be remembered so that no id is given twice, by a transaction of which there is
    /// one at a time. The returned count is for [`Catalog::ids_reserved`] when that is committed.
    pub(super) fn ids_to_reserve(&self) -> ([SettingDef; 2], u64) {
        let given = self.ids.given.load(Relaxed);
        let first = self.last_object.load(Relaxed);
        let object = (0..IDS_RESERVED).fold(first, |id, _| next_object(id));
        let storage = self.last_storage.load(Relaxed) + IDS_RESERVED;
        let settings = [
            SettingDef { id: SettingId::LastObject, value: i64::from(object) },
            SettingDef { id: SettingId::LastStorage, value: storage as i64 },
        ];
        (settings, given + IDS_RESERVED)
    }

    /// Notes that ids up to this count are reserved in the log.
    pub(super) fn ids_reserved(&self, count: u64) {
        self.ids.reserved.fetch_max(count, Relaxed);
    }

    /// Goes on after the ids that a schema says were given.
    pub(super) fn take_over_ids(&self, schema: &Schema) {
        if let Some(object) = schema.setting(SettingId::LastObject) {
            self.last_object.store(object as i32, Relaxed);
        }
        let storage = schema.setting(SettingId::LastStorage).unwrap_or(0) as u64;
        let used = schema.tables().map(|t| t.storage.0).max().unwrap_or(0);
        // Trees may be there of a storage that was never committed.
        let sunk = self.database.manager().tables().last_storage_with_trees();
        self.last_storage.fetch_max(storage.max(used).max(sunk), Relaxed);
    }

    /// Makes the schema that the rows describe current, and whatever tables it needs and the
    /// database does not have. No session uses the catalog yet.
    pub fn load(&self, task: &Task, txn: &mut Transaction) -> CatalogResult<()> {
        let rows = self.read_rows(task, txn)?;
        let (id, collation) = (self.database.id(), self.current().collation());
        let mut schema = schema_of_rows(id, collation, self.fresh_version(), &rows)?;
        let has_rows = schema.tables().filter(|t| t.storage != NO_STORAGE);
        for def in has_rows.filter(|t| self.table(t).is_none()) {
            self.make_table(def);
        }
        // What was switched after a table was made, recovery has passed over.
        schema.tables().for_each(|def| self.switch_row_caching(def));
        self.database.warm_row_caches(schema.tables().any(|def| def.row_cached));
        self.take_over_ids(&schema);
        for sequence in schema.sequences() {
            self.sequences.follow(sequence);
        }
        let visible_from = self.database.manager().log().committed();
        self.publish(|_| {
            schema.publish(self.fresh_version(), visible_from);
            schema
        });
        Ok(())
    }

    /// Follows the options of the database that the engine itself knows: `IDENTITY_CACHE`. Returns
    /// what has to be durable before a change is acknowledged.
    pub fn configure(&self, task: &Task, def: &DatabaseDef) -> TxnResult<Lsn> {
        self.database.set_identity_cache(task, !def.options.identity_cache_off)
    }

    /// Switches row caching of a definition's table as the definition says.
    pub(super) fn switch_row_caching(&self, def: &TableDef) {
        if let Some(table) = self.table(def) {
            let naming = |index: &IndexDef| match index.hash_caching {
                HashCaching::Default => Naming::AsUseful,
                HashCaching::On => Naming::Always,
                HashCaching::Off => Naming::Never,
            };
            let naming = def.indexes.iter().map(naming).collect();
            table.set_row_caching(RowCaching { is_on: def.row_cached, naming });
        }
    }

    /// Makes the table of a definition.
    pub(super) fn make_table(&self, def: &TableDef) -> Arc<Table> {
        self.tables().create(&table_spec(def, self.is_logged()))
    }
}

/// The rows of the system tables.
impl Catalog {
    /// Every row of every system table that a new statement of the transaction sees.
    pub fn read_rows(&self, task: &Task, txn: &mut Transaction) -> TxnResult<Vec<SystemRow>> {
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let mut rows = Vec::new();
        let mut read = || {
            for (system, table) in &self.system {
                let mut cursor =
                    Cursor::new(statement.snapshot(), 0, ScanRange::All, Direction::Forward);
                while let Some(row) = cursor.next(txn, task, table)? {
                    rows.push(SystemRow::from_bytes(*system, txn.row(row)));
                }
            }
            Ok(())
        };
        let result = read();
        txn.end_statement(&mut statement);
        result.map(|()| rows)
    }

    /// Writes the row of a definition, or deletes it if there are no new bytes. `existed` says
    /// whether there is one already.
    pub(super) fn write_row(
        &self,
        task: &Task,
        txn: &mut Transaction,
        system: SystemTable,
        key: &RowKey,
        existed: bool,
        bytes: Option<&[u8]>,
    ) -> CatalogResult<()> {
        let table = self.system_table(system);
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        let result = match (existed, bytes) {
            (false, None) => Ok(()),
            (false, Some(bytes)) => txn.insert(task, table, &snapshot, bytes).map(drop),
            (true, bytes) => replace_row(task, txn, table, &snapshot, key, bytes),
        };
        match result {
            Ok(()) => txn.end_statement(&mut statement),
            Err(_) => txn.rollback_statement(task, &mut statement),
        }
        result.map_err(CatalogError::Transaction)
    }

    /// Checks that the current schema is what the rows say, byte for byte and derived fields
    /// included. For tests and `DBCC CHECKCATALOG`; no session may change the schema meanwhile.
    /// Says what is wrong.
    pub fn verify(&self, task: &Task, txn: &mut Transaction) -> Result<(), String> {
        let rows = self.read_rows(task, txn).map_err(|e| e.to_string())?;
        verify_rows(&self.current(), &rows)
    }
}

/// Checks that a schema is what these rows of system tables say.
pub(super) fn verify_rows(schema: &Schema, rows: &[SystemRow]) -> Result<(), String> {
    let expected: BTreeSet<_> =
        schema.definitions().map(|d| SystemRow::of(&d)).map(ordered).collect();
    let found: BTreeSet<_> = rows.iter().cloned().map(ordered).collect();
    if found.len() != rows.len() {
        return Err("a system table has a row twice".into());
    }
    if let Some((table, key, _)) = expected.symmetric_difference(&found).next() {
        return Err(format!("row {key:?} of {} is not what the schema says", table.name()));
    }
    let rebuilt = schema_of_rows(schema.database(), schema.collation(), 0, rows);
    match rebuilt {
        Ok(rebuilt) if rebuilt == *schema => Ok(()),
        Ok(_) => Err("derived data is not what the rows say".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn ordered(row: SystemRow) -> (SystemTable, RowKey, Vec<u8>) {
    (row.table, row.key, row.descriptor)
}

/// The schema that rows of system tables describe.
pub(super) fn schema_of_rows(
    database: DbId,
    collation: Collation,
    version: u64,
    rows: &[SystemRow],
) -> CatalogResult<Schema> {
    let definitions: Vec<Definition> =
        rows.iter().map(SystemRow::definition).collect::<CatalogResult<_>>()?;
    Schema::of_version(version, database, collation, definitions)
}

/// Replaces or deletes the row with this key.
fn replace_row(
    task: &Task,
    txn: &mut Transaction,
    table: &Arc<Table>,
    snapshot: &Snapshot,
    key: &RowKey,
    bytes: Option<&[u8]>,
) -> TxnResult<()> {
    let range = ScanRange::Key(encoded_key(table, key));
    let mut cursor = Cursor::new(snapshot, 0, range, Direction::Forward);
    let found = cursor.next(txn, task, table)?;
    let mut row: RowRef = found.expect("the schema says that there is a row");
    loop {
        let written = match bytes {
            Some(bytes) => txn.update(task, snapshot, row, bytes)?,
            None => txn.delete(task, snapshot, row)?,
        };
        match written {
            Written::Done(_) => return Ok(()),
            Written::Newer(newer) => row = newer,
            Written::Gone | Written::Repeated => {
                unreachable!("the definition's lock keeps others from this row")
            }
        }
    }
}

fn encoded_key(table: &Table, key: &RowKey) -> KeyBuf {
    let values: Vec<base::ValueRef<'_>> =
        key.iter().map(|k| base::ValueRef::Int((*k).into())).collect();
    let mut encoded = KeyBuf::default();
    table.key_spec(0).encode_values(&values, &mut encoded);
    encoded
}

/// Makes the system tables of a database, empty: the first thing that is done for it, before its
/// log is read.
pub fn create_system_tables(tables: &Tables, database: DbId, logged: bool) {
    for table in SystemTable::of_database(database) {
        tables.create(&system_table_spec(table, logged));
    }
}

fn system_table_spec(table: SystemTable, logged: bool) -> TableSpec {
    let keys = table.key_columns().len();
    let index = IndexSpec {
        kind: IndexKind::Range,
        columns: (0..keys).map(KeyColumn::ascending).collect(),
        unique: true,
        filter: None,
    };
    TableSpec {
        logged,
        catalog: true,
        conflicts: ConflictPolicy::Wait,
        ..TableSpec::new(table.storage(), table.column_types(), vec![index])
    }
}

/// The next number of the sequence of object ids.
fn advance(last: &AtomicI32) -> i32 {
    let before = last.fetch_update(AcqRel, Acquire, |id| Some(next_object(id)));
    next_object(before.expect("the closure always gives a number"))
}

fn next_object(id: i32) -> i32 {
    id.wrapping_add(OBJECT_ID_STEP) & i32::MAX
}

//! Making an instance; making and dropping databases.

use std::path::Path;

use base::Collation;
use base::ids::DbId;

use super::data_directory::{DataDirectory, MASTER_DIRECTORY, MasterRecord, directory_name};
use super::{Databases, InstanceError, InstanceOptions, NewInstance, change, now, own_session};
use crate::catalog::builtin::{self, SA_SID};
use crate::catalog::def::*;
use crate::catalog::{
    Catalog, Definition, DefinitionKey, ObjectDef, SchemaEdit, create_system_tables,
};
use crate::database::{Database, Host};
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::sync::Arc;
use crate::txn::{Owner, ReadAt, Transaction, TxnResult};
use crate::wait::Task;

/// What a database is made with.
#[derive(Clone, Debug)]
pub struct NewDatabase {
    /// The name.
    pub name: Name,
    /// The login that owns it.
    pub owner_sid: Sid,
    /// `create_date`.
    pub created: DateTime,
    /// Its collation.
    pub collation: Collation,
    /// Its options.
    pub options: DatabaseOptions,
    /// Filegroups other than `PRIMARY`.
    pub file_groups: Vec<FileGroupDef>,
    /// Its files; the usual two if there are none. A `physical_name` without directory is
    /// completed by the database's.
    pub files: Vec<FileDef>,
}

/// Pages that a file has at first, and by which it grows.
const FILE_PAGES: i32 = 1024;
const GROWTH_PAGES: i32 = 8192;

impl Databases {
    /// Whether the directory holds an instance.
    pub fn exists(host: &Host, dir: &Path) -> Result<bool, InstanceError> {
        DataDirectory::new(dir).is_initialized(host.env())
    }

    /// Makes master, model and msdb in a directory that holds no instance. If this fails or does
    /// not come to its end, the next attempt starts anew.
    pub fn create(
        host: &Host,
        dir: &Path,
        new: &NewInstance,
        options: &InstanceOptions,
        task: &Task,
    ) -> Result<(), InstanceError> {
        let (env, data) = (host.env(), DataDirectory::new(dir));
        data.create(env)?;
        let _lock = data.lock(env)?;
        if data.is_initialized(env)? {
            return Err(InstanceError::Exists(dir.into()));
        }
        let databases = data.databases();
        let clear = || {
            if env.fs().exists(&databases)? {
                env.fs().remove_dir_all(&databases)?;
            }
            env.fs().create_dir_all(&databases)
        };
        clear().map_err(InstanceError::of_file)?;
        let maker = Maker { host, data: &data, options, owner: &own_session(host) };
        let defs = system_databases(host, new.collation);
        for def in defs.iter().filter(|def| def.id != DbId::TEMPDB) {
            maker.make_system_database(task, def, &defs, new)?;
        }
        let sync = || {
            env.fs().sync_dir(&databases)?;
            env.fs().sync_dir(dir)
        };
        sync().map_err(InstanceError::of_file)?;
        let uuid = u128::from_le_bytes(defs[0].guid);
        data.write(env, &MasterRecord { uuid, collation: new.collation })
    }

    /// `CREATE DATABASE`: a copy of model. Not within a transaction; when it returns, the database
    /// is there for good. Fails with [`NameInUse`](crate::catalog::CatalogError::NameInUse) if the
    /// name is taken.
    pub fn create_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        new: NewDatabase,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let mut made = None;
        // One at a time: all of master's definitions are locked until the row is there.
        let result = change(&self.master, task, owner, |edit, txn| {
            let id = edit.schema().next_database_id();
            let uuid = self.env().rng().next_u128();
            let def = Arc::new(DatabaseDef {
                id,
                directory: directory_name(&new.name, id, uuid).into(),
                guid: uuid.to_le_bytes(),
                name: new.name.clone(),
                owner_sid: new.owner_sid.clone(),
                created: new.created,
                collation: new.collation,
                options: new.options.clone(),
            });
            // Refuses a name in use before anything is made.
            edit.put(task, txn, Definition::Database(def.clone()))?;
            made = Some(def.clone());
            self.make_database(task, owner, &def, &new)
        });
        match result {
            Ok(catalog) => {
                self.keep_directory(&catalog.database().identity().dir);
                if let Some(def) = &made {
                    catalog.configure(task, def)?;
                    self.set_row_cache(&catalog, def);
                }
                self.register(catalog.clone());
                Ok(catalog)
            }
            Err(error) => {
                // If the row is committed and only not known to be durable, a restart decides.
                let committed = |id| self.master.current().server().database(id).is_some();
                if let Some(def) = made.filter(|def| !committed(def.id)) {
                    self.unmake(task, &def);
                }
                Err(error)
            }
        }
    }

    /// `DROP DATABASE`. No session uses the database any more. When it returns, the database is
    /// gone for good, though its files may stay until the next start if they cannot be removed.
    pub fn drop_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<(), InstanceError> {
        self.giving_up(def, || {
            change(&self.master, task, owner, |edit, txn| {
                // Other databases that took part in a transaction that this one decided must not
                // need its decision any more.
                for database in self.engine.databases() {
                    database
                        .manager()
                        .log()
                        .flush(task)
                        .map_err(crate::error::EngineError::from)?;
                }
                Ok(edit.drop(task, txn, DefinitionKey::Database(def.id))?)
            })
        })?;
        self.unmake(task, def);
        Ok(())
    }

    /// `ALTER DATABASE … COLLATE`: names are told apart by another collation, which is also that of
    /// columns declared from now on. No other session uses the database. Fails, and changes
    /// nothing, if two names are one under it.
    pub fn change_collation(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
        collation: Collation,
    ) -> Result<(), InstanceError> {
        let catalog = self.catalog(def.id)?;
        // All definitions are locked, so that the schema stays as it is until master says so.
        change(&catalog, task, owner, |edit, _| {
            let schema = edit.schema().recollated(collation)?;
            let def = DatabaseDef { collation, ..def.clone() };
            change(&self.master, task, owner, |edit, txn| {
                Ok(edit.put(task, txn, Definition::Database(Arc::new(def)))?)
            })?;
            let visible_from = catalog.database().manager().log().committed();
            catalog.replace(schema, visible_from);
            Ok(())
        })
    }

    fn make_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
        new: &NewDatabase,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let host = self.engine.host();
        let maker = Maker { host, data: &self.data, options: &self.options, owner };
        self.mark_disposable(&self.directory_of(def))?;
        let database = maker.empty_database(def)?;
        let catalog = Catalog::new(self.engine.add(database)?, def.collation);
        let sync = || self.env().fs().sync_dir(&self.data.databases());
        sync().map_err(InstanceError::of_file)?;
        let model = self.catalog(DbId::MODEL)?;
        change(&catalog, task, owner, |edit, txn| {
            copy_model(task, owner, &model, edit, txn, &def.owner_sid)?;
            let mut definitions: Vec<Definition> = Vec::new();
            let groups = new.file_groups.iter().cloned().map(Arc::new);
            definitions.extend(groups.map(Definition::FileGroup));
            let dir = maker.data.identity(def).dir;
            let files = match &new.files[..] {
                [] => default_files(host, &new.name, &dir),
                files => files.iter().map(|file| placed(file, &dir)).collect(),
            };
            definitions.extend(files.into_iter().map(|f| Definition::File(Arc::new(f))));
            put_all(task, edit, txn, definitions)
        })?;
        Ok(catalog)
    }

    /// Takes a database out that has no row in master, and removes its files. What cannot be
    /// removed now is removed at the next start.
    pub(super) fn unmake(&self, task: &Task, def: &DatabaseDef) {
        self.unregister(def.id);
        if let Some(database) = self.engine.remove(def.id) {
            database.stop_threads();
            // A clean end is not needed, but the log writer must be done with the files.
            let _ = database.shut_down(task, &[]);
        }
        self.dispose(&self.directory_of(def));
    }

    /// Makes tempdb anew: built-in users and whatever model has.
    pub(super) fn make_tempdb(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let host = self.engine.host();
        let tables = host.tables(self.options.database_memory_limit);
        create_system_tables(&tables, DbId::TEMPDB, false);
        let (identity, sink) = (self.data.identity(def), self.options.database.sink);
        let database = Database::volatile(host, identity, tables, sink)?;
        let database = self.engine.add(database)?;
        let catalog = Catalog::new(database, def.collation);
        let model = self.catalog(DbId::MODEL).ok();
        change(&catalog, task, owner, |edit, txn| {
            let own = builtin::database(DbId::TEMPDB, SA_SID, now(self.env()));
            put_all(task, edit, txn, own)?;
            if let Some(model) = model {
                copy_model(task, owner, &model, edit, txn, SA_SID)?;
            }
            let files = system_files(host, def, &self.data.databases());
            put_all(task, edit, txn, files)
        })?;
        Ok(catalog)
    }
}

/// What is needed to make databases.
struct Maker<'a> {
    host: &'a Host,
    data: &'a DataDirectory,
    options: &'a InstanceOptions,
    owner: &'a Arc<Owner>,
}

impl Maker<'_> {
    fn empty_database(&self, def: &DatabaseDef) -> Result<Database, InstanceError> {
        let tables = self.host.tables(self.options.database_memory_limit);
        create_system_tables(&tables, def.id, true);
        let identity = self.data.identity(def);
        Ok(Database::create(self.host, identity, tables, &self.options.database)?)
    }

    fn make_system_database(
        &self,
        task: &Task,
        def: &Arc<DatabaseDef>,
        all: &[Arc<DatabaseDef>],
        new: &NewInstance,
    ) -> Result<(), InstanceError> {
        let database = Arc::new(self.empty_database(def)?);
        let catalog = Catalog::new(database.clone(), def.collation);
        change(&catalog, task, self.owner, |edit, txn| {
            let mut definitions = builtin::database(def.id, SA_SID, def.created);
            definitions.extend(system_files(self.host, def, &self.data.databases()));
            if def.id == DbId::MASTER {
                definitions.extend(builtin::server(new.sa_password_hash.clone(), def.created));
                definitions.extend(all.iter().cloned().map(Definition::Database));
            }
            put_all(task, edit, txn, definitions)
        })?;
        Ok(database.shut_down(task, &[])?)
    }
}

fn put_all(
    task: &Task,
    edit: &mut SchemaEdit,
    txn: &mut Transaction,
    definitions: Vec<Definition>,
) -> Result<(), InstanceError> {
    for definition in definitions {
        edit.put(task, txn, definition)?;
    }
    Ok(())
}

/// The rows of master for the databases that every server has, master first.
fn system_databases(host: &Host, collation: Collation) -> Vec<Arc<DatabaseDef>> {
    let databases = [
        (DbId::MASTER, MASTER_DIRECTORY),
        (DbId::TEMPDB, "tempdb"),
        (DbId::MODEL, "model"),
        (DbId::MSDB, "msdb"),
    ];
    let def = |(id, name): (DbId, &str)| {
        let simple = id != DbId::MODEL;
        let options = DatabaseOptions {
            recovery_model: if simple { RecoveryModel::Simple } else { RecoveryModel::Full },
            db_chaining: simple,
            trustworthy: id == DbId::MSDB,
            ..DatabaseOptions::default()
        };
        Arc::new(DatabaseDef {
            id,
            name: name.into(),
            directory: name.into(),
            guid: host.env().rng().next_u128().to_le_bytes(),
            owner_sid: SA_SID.into(),
            created: now(host.env()),
            collation,
            options,
        })
    };
    databases.into_iter().map(def).collect()
}

/// The files of a system database under SQL Server's names.
fn system_files(host: &Host, def: &DatabaseDef, databases: &Path) -> Vec<Definition> {
    let (rows, log) = match def.id {
        DbId::MASTER => (("master", "master.mdf"), ("mastlog", "mastlog.ldf")),
        DbId::TEMPDB => (("tempdev", "tempdb.mdf"), ("templog", "templog.ldf")),
        DbId::MODEL => (("modeldev", "model.mdf"), ("modellog", "modellog.ldf")),
        _ => (("MSDBData", "MSDBData.mdf"), ("MSDBLog", "MSDBLog.ldf")),
    };
    let dir = databases.join(&*def.directory);
    let files = [
        file(host, FileId(1), FileKind::Rows, rows.0, &dir.join(rows.1)),
        file(host, FileId(2), FileKind::Log, log.0, &dir.join(log.1)),
    ];
    files.into_iter().map(|file| Definition::File(Arc::new(file))).collect()
}

fn default_files(host: &Host, name: &str, dir: &Path) -> Vec<FileDef> {
    let log = format!("{name}_log");
    vec![
        file(host, FileId(1), FileKind::Rows, name, &dir.join(format!("{name}.mdf"))),
        file(host, FileId(2), FileKind::Log, &log, &dir.join(format!("{log}.ldf"))),
    ]
}

fn file(host: &Host, id: FileId, kind: FileKind, name: &str, path: &Path) -> FileDef {
    FileDef {
        id,
        guid: host.env().rng().next_u128().to_le_bytes(),
        kind,
        data_space: (kind != FileKind::Log).then_some(DataSpaceId::PRIMARY),
        name: name.into(),
        physical_name: path.to_string_lossy().as_ref().into(),
        size_pages: FILE_PAGES,
        max_size_pages: -1,
        growth: GROWTH_PAGES,
        percent_growth: false,
        read_only: false,
        offline: false,
    }
}

/// The file below the database's directory, unless its path says where it is.
fn placed(file: &FileDef, dir: &Path) -> FileDef {
    // join() keeps an absolute path as it is.
    let path = dir.join(&*file.physical_name);
    FileDef { physical_name: path.to_string_lossy().as_ref().into(), ..file.clone() }
}

/// Puts everything that model has into another database: definitions, and the rows of tables.
fn copy_model(
    task: &Task,
    owner: &Arc<Owner>,
    model: &Arc<Catalog>,
    edit: &mut SchemaEdit,
    txn: &mut Transaction,
    owner_sid: &[u8],
) -> Result<(), InstanceError> {
    let place = model.database().session(owner);
    let mut reader = Transaction::begin(&place, task)?;
    for definition in model.current().definitions() {
        match definition {
            Definition::Setting(_) | Definition::File(_) => {}
            Definition::Principal(p) if p.id == PrincipalId::DBO => {
                let dbo = PrincipalDef { sid: Some(owner_sid.into()), ..PrincipalDef::clone(&p) };
                edit.put(task, txn, Definition::Principal(Arc::new(dbo)))?;
            }
            Definition::Object(ObjectDef::Table(def)) => {
                let to = edit.create_table(task, txn, TableDef::clone(&def))?;
                if let (Some(from), Some(to)) = (model.table(&def), to) {
                    copy_rows(task, &mut reader, &from, txn, &to)?;
                }
            }
            other => edit.put(task, txn, other)?,
        }
    }
    reader.rollback(task);
    Ok(())
}

fn copy_rows(
    task: &Task,
    reader: &mut Transaction,
    from: &Table,
    writer: &mut Transaction,
    to: &Table,
) -> TxnResult<()> {
    let mut read = reader.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let mut write = writer.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let mut cursor = Cursor::new(read.snapshot(), 0, ScanRange::All, Direction::Forward);
    let mut copy = || {
        while let Some(row) = cursor.next(reader, task, from)? {
            writer.insert(task, to, write.snapshot(), reader.row(row))?;
        }
        Ok(())
    };
    let copied = copy();
    reader.end_statement(&mut read);
    writer.end_statement(&mut write);
    copied
}

//! The system tables: which definition lies in which row.
//!
//! A database has one system table per kind of definition, and each definition is one row: key
//! columns, all `int NOT NULL`, and its descriptor ([`super::descriptor`]). Constraints, columns
//! and indexes lie in their table's row, since they live and change with it.
//!
//! Storage ids below [`FIRST_USER_STORAGE`] belong to system tables; their layouts are fixed and
//! are known before anything is read. Growth happens within descriptors.

use std::sync::{Arc, LazyLock};

use base::ids::{DbId, ObjectId, StorageId};
use base::{SqlType, ValueRef};
use smallvec::SmallVec;

use super::def::*;
use super::definition::{Definition, DefinitionKey};
use super::descriptor::{self, Field, Malformed};
use super::error::CatalogError;
use crate::hot::row::RowLayout;

/// The first storage of a table that is not a system table.
pub const FIRST_USER_STORAGE: StorageId = StorageId(1024);

/// The key of a row: as many numbers as the system table has key columns.
pub type RowKey = SmallVec<[i32; 4]>;

/// A row of a system table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemRow {
    /// The system table.
    pub table: SystemTable,
    /// Its key.
    pub key: RowKey,
    /// The definition's bytes.
    pub descriptor: Vec<u8>,
}

macro_rules! system_tables {
    ($($(#[$doc:meta])* $variant:ident = $storage:literal $name:literal ($($key:literal),*),)*) => {
        /// A system table. Discriminants are storage ids and never change.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum SystemTable {
            $($(#[$doc])* $variant = $storage,)*
        }

        impl SystemTable {
            /// All system tables by ascending storage id.
            pub const ALL: &[SystemTable] = &[$(SystemTable::$variant),*];

            /// The table's name, for messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SystemTable::$variant => $name,)*
                }
            }

            /// The names of its key columns.
            pub const fn key_columns(self) -> &'static [&'static str] {
                match self {
                    $(SystemTable::$variant => &[$($key),*],)*
                }
            }
        }
    };
}

system_tables! {
    /// What the catalog itself remembers.
    Settings = 1 "sys.syssettings" ("setting_id"),
    /// Tables, modules, sequences and synonyms.
    Objects = 2 "sys.sysobjects" ("object_id"),
    /// Alias and table types.
    Types = 3 "sys.systypes" ("user_type_id"),
    /// Schemas.
    Schemas = 4 "sys.sysschemas" ("schema_id"),
    /// Users and roles, with the roles they are in.
    Principals = 5 "sys.sysprincipals" ("principal_id"),
    /// Permissions, by securable and grantee.
    Permissions = 6 "sys.syspermissions" ("class", "major_id", "minor_id", "grantee_principal_id"),
    /// Extended properties, by what they describe.
    Properties = 7 "sys.sysproperties" ("class", "major_id", "minor_id"),
    /// Filegroups.
    FileGroups = 8 "sys.sysfilegroups" ("data_space_id"),
    /// Files.
    Files = 9 "sys.sysfiles" ("file_id"),
    /// XML schema collections.
    XmlCollections = 10 "sys.sysxmlcollections" ("xml_collection_id"),
    /// Databases (master only).
    Databases = 32 "sys.sysdatabases" ("database_id"),
    /// Logins and server roles, with the roles they are in (master only).
    Logins = 33 "sys.syslogins" ("principal_id"),
    /// Permissions on the server, by securable and grantee (master only).
    ServerPermissions = 34 "sys.sysserverpermissions"
        ("class", "major_id", "minor_id", "grantee_principal_id"),
    /// Settings of `sp_configure` that were changed (master only).
    Configurations = 35 "sys.sysconfigurations" ("configuration_id"),
    /// Users' messages (master only).
    Messages = 36 "sys.sysmessages" ("message_id", "language_id"),
    /// Resource pools (master only).
    ResourcePools = 37 "sys.sysresourcepools" ("pool_id"),
    /// Named row caches (master only).
    RowCaches = 38 "sys.sysrowcaches" ("cache_id"),
}

/// The layouts by number of key columns less one.
static LAYOUTS: LazyLock<[RowLayout; 4]> = LazyLock::new(|| {
    [1, 2, 3, 4].map(|keys| {
        let mut types = vec![SqlType::int(); keys];
        types.push(SqlType::varbinary_max());
        RowLayout::new(&types)
    })
});

impl SystemTable {
    /// Where its rows are, in every database.
    pub const fn storage(self) -> StorageId {
        StorageId(self as u64)
    }

    /// The system table with this storage.
    pub fn of_storage(storage: StorageId) -> Option<SystemTable> {
        SystemTable::ALL.iter().copied().find(|table| table.storage() == storage)
    }

    /// Whether only master has it.
    pub const fn is_master_only(self) -> bool {
        self as u8 >= SystemTable::Databases as u8
    }

    /// The system tables of a database.
    pub fn of_database(database: DbId) -> impl Iterator<Item = SystemTable> {
        let all = SystemTable::ALL.iter().copied();
        all.filter(move |t| database == DbId::MASTER || !t.is_master_only())
    }

    /// How its rows lie: the key columns, then the descriptor.
    pub fn layout(self) -> &'static RowLayout {
        &LAYOUTS[self.key_columns().len() - 1]
    }

    /// The types of its columns.
    pub fn column_types(self) -> Vec<SqlType> {
        self.layout().columns().iter().map(|c| c.ty).collect()
    }

    fn damaged(self, key: &RowKey, reason: impl ToString) -> CatalogError {
        CatalogError::Damaged { table: self.name(), key: key.to_vec(), reason: reason.to_string() }
    }
}

impl SystemRow {
    /// The row of a definition.
    pub fn of(definition: &Definition) -> SystemRow {
        let (table, key) = address(&definition.key());
        SystemRow { table, key, descriptor: describe(definition) }
    }

    /// The definition of a row.
    pub fn definition(&self) -> Result<Definition, CatalogError> {
        let damaged = |reason: String| self.table.damaged(&self.key, reason);
        let definition = self.read().map_err(|malformed| damaged(malformed.to_string()))?;
        if address(&definition.key()) != (self.table, self.key.clone()) {
            return Err(damaged(format!("it describes {:?}", definition.key())));
        }
        Ok(definition)
    }

    /// The row's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut values: SmallVec<[ValueRef<'_>; 5]> =
            self.key.iter().map(|&k| ValueRef::Int(k.into())).collect();
        values.push(ValueRef::Bytes(&self.descriptor));
        let mut bytes = Vec::with_capacity(64 + self.descriptor.len());
        self.table.layout().build(&values, &mut bytes);
        bytes
    }

    /// The row in these bytes, which are whole.
    pub fn from_bytes(table: SystemTable, bytes: &[u8]) -> SystemRow {
        let layout = table.layout();
        let keys = table.key_columns().len();
        let key = (0..keys).map(|column| match layout.get(bytes, column) {
            ValueRef::Int(value) => value as i32,
            other => unreachable!("an int column holds {other:?}"),
        });
        SystemRow { table, key: key.collect(), descriptor: layout.bytes(bytes, keys).to_vec() }
    }

    fn read(&self) -> Result<Definition, Malformed> {
        fn shared<T: Field>(descriptor: &[u8]) -> Result<Arc<T>, Malformed> {
            descriptor::decode(descriptor)
        }
        let d = &self.descriptor[..];
        Ok(match self.table {
            SystemTable::Settings => Definition::Setting(descriptor::decode(d)?),
            SystemTable::Objects => Definition::Object(descriptor::decode(d)?),
            SystemTable::Types => Definition::Type(shared(d)?),
            SystemTable::Schemas => Definition::Schema(shared(d)?),
            SystemTable::Principals => Definition::Principal(shared(d)?),
            SystemTable::Permissions => Definition::Permissions(shared(d)?),
            SystemTable::Properties => Definition::Properties(shared(d)?),
            SystemTable::FileGroups => Definition::FileGroup(shared(d)?),
            SystemTable::Files => Definition::File(shared(d)?),
            SystemTable::XmlCollections => Definition::XmlCollection(shared(d)?),
            SystemTable::Databases => Definition::Database(shared(d)?),
            SystemTable::Logins => Definition::Login(shared(d)?),
            SystemTable::ServerPermissions => Definition::ServerPermissions(shared(d)?),
            SystemTable::Configurations => Definition::Configuration(descriptor::decode(d)?),
            SystemTable::Messages => Definition::Message(shared(d)?),
            SystemTable::ResourcePools => Definition::ResourcePool(shared(d)?),
            SystemTable::RowCaches => Definition::RowCache(shared(d)?),
        })
    }
}

fn describe(definition: &Definition) -> Vec<u8> {
    match definition {
        Definition::Object(d) => descriptor::encode(d),
        Definition::Type(d) => descriptor::encode(d),
        Definition::XmlCollection(d) => descriptor::encode(d),
        Definition::Schema(d) => descriptor::encode(d),
        Definition::Principal(d) => descriptor::encode(d),
        Definition::Permissions(d) | Definition::ServerPermissions(d) => descriptor::encode(d),
        Definition::Properties(d) => descriptor::encode(d),
        Definition::FileGroup(d) => descriptor::encode(d),
        Definition::File(d) => descriptor::encode(d),
        Definition::Database(d) => descriptor::encode(d),
        Definition::Login(d) => descriptor::encode(d),
        Definition::Configuration(d) => descriptor::encode(d),
        Definition::Message(d) => descriptor::encode(d),
        Definition::ResourcePool(d) => descriptor::encode(d),
        Definition::RowCache(d) => descriptor::encode(d),
        Definition::Setting(d) => descriptor::encode(d),
    }
}

/// The system table and row of a definition.
pub fn address(key: &DefinitionKey) -> (SystemTable, RowKey) {
    use DefinitionKey as K;
    let row = |key: &[i32]| RowKey::from_slice(key);
    let securable = |s: &Securable| [i32::from(s.class.code()), s.major, s.minor];
    let grant = |s: &Securable, grantee: &PrincipalId| {
        let [class, major, minor] = securable(s);
        row(&[class, major, minor, grantee.0])
    };
    match key {
        K::Setting(id) => (SystemTable::Settings, row(&[id.code().into()])),
        K::Object(ObjectId(id)) => (SystemTable::Objects, row(&[*id])),
        K::Type(id) => (SystemTable::Types, row(&[id.0])),
        K::XmlCollection(id) => (SystemTable::XmlCollections, row(&[id.0])),
        K::Schema(id) => (SystemTable::Schemas, row(&[id.0])),
        K::Principal(id) => (SystemTable::Principals, row(&[id.0])),
        K::Permissions(target, grantee) => (SystemTable::Permissions, grant(target, grantee)),
        K::Properties(target) => (SystemTable::Properties, row(&securable(target))),
        K::FileGroup(id) => (SystemTable::FileGroups, row(&[id.0])),
        K::File(id) => (SystemTable::Files, row(&[id.0])),
        K::Database(DbId(id)) => (SystemTable::Databases, row(&[*id])),
        K::Login(id) => (SystemTable::Logins, row(&[id.0])),
        K::ServerPermissions(target, grantee) => {
            (SystemTable::ServerPermissions, grant(target, grantee))
        }
        K::Configuration(id) => (SystemTable::Configurations, row(&[*id])),
        K::ResourcePool(id) => (SystemTable::ResourcePools, row(&[*id])),
        K::RowCache(id) => (SystemTable::RowCaches, row(&[*id])),
        K::Message(id, language) => (SystemTable::Messages, row(&[*id, (*language).into()])),
    }
}

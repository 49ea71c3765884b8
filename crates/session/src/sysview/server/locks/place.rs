//! What locks lie on, as SQL Server names it.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::sync::Arc;

use base::ids::{DbId, StorageId};
use engine::catalog::Schema;
use engine::catalog::def::TableDef;
use engine::txn::WaitPlace;
use engine::txn::locks::{DefinitionKind, LockedDefinition, Target};

use crate::instance::Instance;
use crate::instance::locks::LockName;
use crate::sysview::catalog::space::hobt_id;

/// What a lock lies on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct LockPlace {
    pub kind: PlaceKind,
    pub database: DbId,
    /// `resource_associated_entity_id`
    pub entity: i64,
    /// `resource_description`
    pub description: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PlaceKind {
    Database,
    /// All definitions of a database.
    Ddl,
    Object,
    /// A definition of this kind that is not an object.
    Metadata(&'static str),
    /// A row of a table with a clustered index, or a range of keys.
    Key,
    /// A row of a heap.
    Rid,
    Application,
}

impl PlaceKind {
    /// `resource_type` and `resource_subtype`
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            PlaceKind::Database => ("DATABASE", ""),
            PlaceKind::Ddl => ("DATABASE", "DDL"),
            PlaceKind::Object => ("OBJECT", ""),
            PlaceKind::Metadata(kind) => ("METADATA", kind),
            PlaceKind::Key => ("KEY", ""),
            PlaceKind::Rid => ("RID", ""),
            PlaceKind::Application => ("APPLICATION", ""),
        }
    }
}

impl LockPlace {
    /// A database, which sessions in it keep from being dropped.
    pub fn database(database: DbId) -> LockPlace {
        LockPlace { kind: PlaceKind::Database, database, entity: 0, description: String::new() }
    }

    /// What has a definition.
    pub fn definition(database: DbId, definition: &LockedDefinition) -> LockPlace {
        let place = |kind, entity, description| LockPlace { kind, database, entity, description };
        match definition {
            LockedDefinition::All => place(PlaceKind::Ddl, 0, String::new()),
            LockedDefinition::Kind(kind) => {
                place(PlaceKind::Metadata(kind_name(*kind)), 0, String::new())
            }
            LockedDefinition::One(DefinitionKind::Object, [id, ..]) => {
                place(PlaceKind::Object, i64::from(*id), String::new())
            }
            LockedDefinition::One(kind, ids) => {
                place(PlaceKind::Metadata(kind_name(*kind)), 0, ids_of(*kind, ids))
            }
            // A name is a key of the index by name in the system table of its kind.
            LockedDefinition::Name(kind, scope, name) => {
                let key = hash(name) ^ (*scope as u64) << 32;
                let description = format!("({:012x})", key & 0xFFFF_FFFF_FFFF);
                place(PlaceKind::Key, hobt_id(StorageId(*kind as u64 + 1), 2), description)
            }
        }
    }

    /// An application lock's name.
    pub fn name(name: &LockName) -> LockPlace {
        let shown: String = name.resource.chars().take(32).collect();
        let hash = hash(name.resource.as_bytes()) as u32;
        LockPlace {
            kind: PlaceKind::Application,
            database: name.database,
            entity: 0,
            description: format!("0:[{shown}]:({hash:08x})"),
        }
    }

    /// As `resource_description` of waiting tasks shows it, with the mode that is asked for.
    pub fn waiting(&self, mode: &str) -> String {
        let LockPlace { database, entity, description, .. } = self;
        let database = database.0;
        let id = hash(self.to_string().as_bytes());
        match self.kind {
            PlaceKind::Database | PlaceKind::Ddl => {
                let part = if self.kind == PlaceKind::Ddl { "DDL" } else { "FULL" };
                format!("databaselock subresource={part} dbid={database} id=lock{id:x} mode={mode}")
            }
            PlaceKind::Object => format!(
                "objectlock lockPartition=0 objid={entity} subresource=FULL dbid={database} id=lock{id:x} mode={mode} associatedObjectId={entity}"
            ),
            PlaceKind::Metadata(kind) => format!(
                "metadatalock subresource={kind} classid={description} dbid={database} id=lock{id:x} mode={mode}"
            ),
            PlaceKind::Key => format!(
                "keylock hobtid={entity} dbid={database} id=lock{id:x} mode={mode} associatedObjectId={entity}"
            ),
            PlaceKind::Rid => {
                let mut parts = description.split(':');
                let (file, page) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
                format!(
                    "ridlock fileid={file} pageid={page} dbid={database} id=lock{id:x} mode={mode} associatedObjectId={entity}"
                )
            }
            PlaceKind::Application => {
                let name = description.strip_prefix("0:").unwrap_or(description);
                format!(
                    "applicationlock hash={name} databasePrincipalId=0 dbid={database} id=lock{id:x} mode={mode}"
                )
            }
        }
    }
}

/// As `wait_resource` shows it.
impl Display for LockPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LockPlace { database: DbId(database), entity, description, .. } = self;
        match self.kind {
            PlaceKind::Database | PlaceKind::Ddl => write!(f, "DATABASE: {database}"),
            PlaceKind::Object => write!(f, "OBJECT: {database}:{entity}:0"),
            PlaceKind::Metadata(kind) => {
                write!(f, "METADATA: database_id = {database} {kind}({description})")
            }
            PlaceKind::Key => write!(f, "KEY: {database}:{entity} {description}"),
            PlaceKind::Rid => write!(f, "RID: {database}:{description}"),
            PlaceKind::Application => write!(f, "APPLICATION: {database}:{description}"),
        }
    }
}

/// Finds what the engine's places are called.
pub(super) struct Places<'a> {
    instance: &'a Instance,
    /// A database and its schema as the session sees it that asks.
    own: Option<(DbId, &'a Schema)>,
    tables: HashMap<(DbId, StorageId), Option<Arc<TableDef>>>,
}

impl<'a> Places<'a> {
    pub fn new(instance: &'a Instance, own: Option<(DbId, &'a Schema)>) -> Places<'a> {
        Places { instance, own, tables: HashMap::new() }
    }

    /// What a place is called; `None` for what is not shown: system tables.
    pub fn of(&mut self, place: &WaitPlace) -> Option<LockPlace> {
        match place {
            WaitPlace::Definition(database, definition) => {
                Some(LockPlace::definition(*database, definition))
            }
            WaitPlace::Part(database, storage, target) => self.of_part(*database, *storage, target),
            WaitPlace::Name(name) => Some(LockPlace::name(&LockName::of_key(name)?)),
        }
    }

    /// As `of`, for a table or a part of it.
    pub fn of_part(
        &mut self,
        database: DbId,
        storage: StorageId,
        target: &Target,
    ) -> Option<LockPlace> {
        let table = self.table(database, storage)?;
        let clustered = i32::from(table.clustered_index().is_some());
        let key = |index: i32, hash: u64| LockPlace {
            kind: PlaceKind::Key,
            database,
            entity: hobt_id(storage, index),
            description: format!("({:012x})", hash & 0xFFFF_FFFF_FFFF),
        };
        Some(match target {
            Target::Whole => LockPlace {
                kind: PlaceKind::Object,
                database,
                entity: i64::from(table.indexed_id().0),
                description: String::new(),
            },
            Target::Row(row) if clustered != 0 => key(clustered, *row),
            // A heap's rows have no place that stays theirs: what names one is shown in the form of
            // a place.
            Target::Row(row) => LockPlace {
                kind: PlaceKind::Rid,
                database,
                entity: hobt_id(storage, 0),
                description: format!("1:{}:{}", row >> 16 & 0xFFFF_FFFF, row & 0xFFFF),
            },
            Target::Span(span) => {
                let index = table.indexes.get(span.index).map_or(0, |index| index.id.0);
                key(index, hash(&span.lower) ^ span.index as u64)
            }
            // It may be in the way of a range of any index.
            Target::Insert => {
                LockPlace { description: "(ffffffffffff)".into(), ..key(clustered, 0) }
            }
            Target::Name(_) | Target::Definition(_) => return None,
        })
    }

    fn table(&mut self, database: DbId, storage: StorageId) -> Option<Arc<TableDef>> {
        let Places { instance, own, tables } = self;
        let find = || {
            let of = |schema: &Schema| schema.tables().find(|t| t.storage == storage).cloned();
            let own = own.filter(|(id, _)| *id == database).and_then(|(_, schema)| of(schema));
            own.or_else(|| of(&instance.catalog(database).ok()?.current()))
        };
        tables.entry((database, storage)).or_insert_with(find).clone()
    }
}

/// `resource_subtype` of a definition.
fn kind_name(kind: DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Object => "OBJECT",
        DefinitionKind::Type => "USER_TYPE",
        DefinitionKind::XmlCollection => "XML_COLLECTION",
        DefinitionKind::Schema => "SCHEMA",
        DefinitionKind::Principal | DefinitionKind::Sid => "DATABASE_PRINCIPAL",
        DefinitionKind::Permissions => "PERMISSIONS",
        DefinitionKind::Properties => "EXTENDED_PROPERTIES",
        DefinitionKind::FileGroup => "DATA_SPACE",
        DefinitionKind::File => "FILE",
        DefinitionKind::Database => "DATABASE",
        DefinitionKind::Login => "SERVER_PRINCIPAL",
        DefinitionKind::ServerPermissions => "SERVER_PERMISSIONS",
        DefinitionKind::Configuration => "CONFIGURATION",
        DefinitionKind::Message => "MESSAGE",
        DefinitionKind::ResourcePool => "RESOURCE_POOL",
        DefinitionKind::RowCache => "ROW_CACHE",
        DefinitionKind::Setting => "SETTING",
    }
}

/// `resource_description` of a definition.
fn ids_of(kind: DefinitionKind, [first, second, third, fourth]: &[i32; 4]) -> String {
    match kind {
        DefinitionKind::Type => format!("user_type_id = {first}"),
        DefinitionKind::XmlCollection => format!("xml_collection_id = {first}"),
        DefinitionKind::Schema => format!("schema_id = {first}"),
        DefinitionKind::Principal | DefinitionKind::Login => format!("principal_id = {first}"),
        DefinitionKind::FileGroup => format!("data_space_id = {first}"),
        DefinitionKind::Permissions | DefinitionKind::ServerPermissions => {
            format!("class = {first}, major_id = {second}, minor_id = {third}, grantee = {fourth}")
        }
        DefinitionKind::Properties => {
            format!("class = {first}, major_id = {second}, minor_id = {third}")
        }
        _ => format!("id = {first}"),
    }
}

/// Stands for what is not shown.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash: u64, byte| hash.rotate_left(5) ^ u64::from(*byte))
}

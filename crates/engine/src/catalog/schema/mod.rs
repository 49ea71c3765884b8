//! The schema of one database: every definition, by id and by name, at one moment.
//!
//! A [`Schema`] never changes. The catalog holds the current one behind an `Arc`; a statement takes
//! it when it starts and keeps it. A transaction that changes definitions has a working copy of its
//! own (`catalog::edit`); copies share whatever they have in common, so making one costs a few
//! reference counts.
//!
//! # Versions
//!
//! Every schema has a version, unequal to that of any other schema of this database, working copies
//! included, since the server started. An object remembers the version of the schema in which it
//! was last changed, itself or something derived from others (an incoming foreign key, a trigger).
//! So a plan made at one schema is good for another if the versions are equal, or if every name it
//! looked up still means the same object and every object has the same version.
//!
//! # Invariants
//!
//! * S1: a name means at most one thing: objects and their constraints share one set of names per
//!   schema, types have another.
//! * S2: derived data (`referenced_by`, `triggers`, `policies`, `indexed_views`, `rows`, uses) is a
//!   function of the stored definitions alone; building a schema from its rows gives an equal one.

mod change;
mod ids;
mod named;
mod server;

use std::sync::Arc;

use base::ids::{DbId, Lsn, ObjectId, StorageId};
use base::types::XmlCollectionName;
use base::{Collation, SqlType};

pub use named::{Named, NamedMap};
pub use server::ServerSchema;

use super::cow_map::CowMap;
use super::def::*;
use super::definition::{ObjectDef, UsedId};
use super::error::CatalogResult;
use super::name::NameKey;

/// All definitions of a database at one moment. See the module's header.
#[derive(Clone, Debug)]
pub struct Schema {
    database: DbId,
    collation: Collation,
    version: u64,
    /// The version of the last change that is not about local temporary objects alone.
    shared: u64,
    working: bool,
    visible_from: Lsn,
    objects: CowMap<ObjectId, Entry>,
    /// The table of every constraint.
    constraints: CowMap<ObjectId, ObjectId>,
    /// Objects and constraints by schema and name.
    names: CowMap<(SchemaId, NameKey), ObjectId>,
    /// Foreign keys by referenced table.
    incoming: CowMap<(ObjectId, IncomingKey), ()>,
    /// Triggers by their table or view.
    triggers: CowMap<(ObjectId, ObjectId), ()>,
    /// Security policies by the tables of their predicates.
    policies: CowMap<(ObjectId, ObjectId), ()>,
    /// The tables with rows of indexed views, by what these are on: the view and its tables.
    indexed_views: CowMap<(ObjectId, ObjectId), ()>,
    /// Uses: (used, user, column of the user) → whether the use binds.
    users: CowMap<(UsedId, ObjectId, Option<ColumnId>), bool>,
    types: NamedMap<TypeDef>,
    xml_collections: NamedMap<XmlCollectionDef>,
    schemas: NamedMap<SchemaDef>,
    principals: NamedMap<PrincipalDef>,
    permissions: CowMap<(Securable, PrincipalId), Arc<PermissionSet>>,
    properties: CowMap<Securable, Arc<PropertySet>>,
    file_groups: NamedMap<FileGroupDef>,
    files: NamedMap<FileDef>,
    settings: CowMap<SettingId, i64>,
    server: ServerSchema,
    /// In a working copy: the objects whose entries were replaced since it was made.
    replaced: Vec<ObjectId>,
}

/// An object and when it was last changed.
#[derive(Clone, Debug)]
struct Entry {
    def: ObjectDef,
    version: u64,
    visible_from: Lsn,
}

/// An object as a look-up finds it.
#[derive(Clone, Copy, Debug)]
pub enum Object<'s> {
    /// A table, or the hidden one behind a table type.
    Table(&'s Arc<TableDef>),
    /// A procedure, function, view or trigger.
    Module(&'s Arc<ModuleDef>),
    /// A sequence.
    Sequence(&'s Arc<SequenceDef>),
    /// A synonym.
    Synonym(&'s Arc<SynonymDef>),
    /// A security policy.
    SecurityPolicy(&'s Arc<SecurityPolicyDef>),
    /// A constraint of a table.
    Constraint {
        /// The table.
        table: &'s Arc<TableDef>,
        /// The two-letter kind.
        kind: ObjectKind,
        /// Id, name and dates.
        header: &'s ConstraintHeader,
    },
}

impl<'s> Object<'s> {
    /// The id.
    pub fn id(&self) -> ObjectId {
        match self {
            Object::Table(d) => d.header.id,
            Object::Module(d) => d.header.id,
            Object::Sequence(d) => d.header.id,
            Object::Synonym(d) => d.header.id,
            Object::SecurityPolicy(d) => d.header.id,
            Object::Constraint { header, .. } => header.id,
        }
    }

    /// The name.
    pub fn name(&self) -> &'s Name {
        match self {
            Object::Table(d) => &d.header.name,
            Object::Module(d) => &d.header.name,
            Object::Sequence(d) => &d.header.name,
            Object::Synonym(d) => &d.header.name,
            Object::SecurityPolicy(d) => &d.header.name,
            Object::Constraint { header, .. } => &header.name,
        }
    }

    /// The schema it is in; a constraint is in its table's.
    pub fn schema(&self) -> SchemaId {
        match self {
            Object::Table(d) => d.header.schema,
            Object::Module(d) => d.header.schema,
            Object::Sequence(d) => d.header.schema,
            Object::Synonym(d) => d.header.schema,
            Object::SecurityPolicy(d) => d.header.schema,
            Object::Constraint { table, .. } => table.header.schema,
        }
    }

    /// The two-letter kind.
    pub fn kind(&self) -> ObjectKind {
        match self {
            Object::Table(d) => d.object_kind(),
            Object::Module(d) => d.object_kind(),
            Object::Sequence(_) => ObjectKind::Sequence,
            Object::Synonym(_) => ObjectKind::Synonym,
            Object::SecurityPolicy(_) => ObjectKind::SecurityPolicy,
            Object::Constraint { kind, .. } => *kind,
        }
    }

    /// The object that it belongs to: a constraint's table, a trigger's table or view.
    pub fn parent(&self) -> Option<ObjectId> {
        match self {
            Object::Constraint { table, .. } => Some(table.header.id),
            Object::Module(d) => d.trigger().map(|t| t.parent),
            _ => None,
        }
    }
}

/// Something that uses an object or type, found by [`Schema::users_of`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct User {
    /// The table, module, sequence or constraint that uses it.
    pub object: ObjectId,
    /// The column that does, if it is one.
    pub column: Option<ColumnId>,
    /// Whether the use forbids to drop or change what is used.
    pub bound: bool,
}

/// The whole database, its versions, and objects.
impl Schema {
    /// An empty schema.
    pub fn new(database: DbId, collation: Collation) -> Schema {
        Schema {
            database,
            collation,
            version: 0,
            shared: 0,
            working: false,
            visible_from: Lsn::ZERO,
            objects: CowMap::default(),
            constraints: CowMap::default(),
            names: CowMap::default(),
            incoming: CowMap::default(),
            triggers: CowMap::default(),
            policies: CowMap::default(),
            indexed_views: CowMap::default(),
            users: CowMap::default(),
            types: NamedMap::default(),
            xml_collections: NamedMap::default(),
            schemas: NamedMap::default(),
            principals: NamedMap::default(),
            permissions: CowMap::default(),
            properties: CowMap::default(),
            file_groups: NamedMap::default(),
            files: NamedMap::default(),
            settings: CowMap::default(),
            server: ServerSchema::default(),
            replaced: Vec::new(),
        }
    }

    /// The database.
    pub fn database(&self) -> DbId {
        self.database
    }

    /// The database's collation, by which names are compared.
    pub fn collation(&self) -> Collation {
        self.collation
    }

    /// See the module's header.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The version in which it last changed for more than the session that changed it: other
    /// versions differ by local temporary objects, which only their sessions can name.
    pub fn shared_version(&self) -> u64 {
        self.shared
    }

    /// Whether this is a transaction's working copy, whose plans no other session may use.
    pub fn is_working(&self) -> bool {
        self.working
    }

    /// The lowest snapshot that sees the last commit that changed the schema. A statement that
    /// uses this schema must read there or later.
    pub fn visible_from(&self) -> Lsn {
        self.visible_from
    }

    /// The key of a name in this database.
    pub fn key(&self, name: &str) -> NameKey {
        NameKey::new(self.collation, name)
    }

    /// Whether two names are the same in this database.
    pub fn same_name(&self, a: &str, b: &str) -> bool {
        a == b || self.key(a) == self.key(b)
    }

    /// The same definitions under another collation: `ALTER DATABASE … COLLATE`. Fails if two names
    /// are one there.
    pub(crate) fn recollated(&self, collation: Collation) -> CatalogResult<Schema> {
        Schema::from_definitions(self.database, collation, self.definitions())
    }

    /// An object or constraint by id.
    pub fn object(&self, id: ObjectId) -> Option<Object<'_>> {
        if let Some(entry) = self.objects.get(&id) {
            return Some(match &entry.def {
                ObjectDef::Table(d) => Object::Table(d),
                ObjectDef::Module(d) => Object::Module(d),
                ObjectDef::Sequence(d) => Object::Sequence(d),
                ObjectDef::Synonym(d) => Object::Synonym(d),
                ObjectDef::SecurityPolicy(d) => Object::SecurityPolicy(d),
            });
        }
        let table = self.table(*self.constraints.get(&id)?)?;
        let (kind, header) = table.constraints().find(|(_, c)| c.id == id)?;
        Some(Object::Constraint { table, kind, header })
    }

    /// An object's definition by id; constraints have none of their own.
    pub fn object_def(&self, id: ObjectId) -> Option<&ObjectDef> {
        self.objects.get(&id).map(|entry| &entry.def)
    }

    /// An object or constraint by schema and name.
    pub fn find_object(&self, schema: SchemaId, name: &str) -> Option<Object<'_>> {
        self.names.get(&(schema, self.key(name))).and_then(|id| self.object(*id))
    }

    /// An object by a name without a schema: it is looked up in the user's default schema, then in
    /// `dbo`.
    pub fn resolve_object(&self, default: SchemaId, name: &str) -> Option<Object<'_>> {
        self.find_object(default, name).or_else(|| {
            (default != SchemaId::DBO).then(|| self.find_object(SchemaId::DBO, name)).flatten()
        })
    }

    /// A table by id.
    pub fn table(&self, id: ObjectId) -> Option<&Arc<TableDef>> {
        self.object_def(id).and_then(ObjectDef::as_table)
    }

    /// A module by id.
    pub fn module(&self, id: ObjectId) -> Option<&Arc<ModuleDef>> {
        self.object_def(id).and_then(ObjectDef::as_module)
    }

    /// A sequence by id.
    pub fn sequence(&self, id: ObjectId) -> Option<&Arc<SequenceDef>> {
        match self.object_def(id) {
            Some(ObjectDef::Sequence(d)) => Some(d),
            _ => None,
        }
    }

    /// A synonym by id.
    pub fn synonym(&self, id: ObjectId) -> Option<&Arc<SynonymDef>> {
        match self.object_def(id) {
            Some(ObjectDef::Synonym(d)) => Some(d),
            _ => None,
        }
    }

    /// A security policy by id.
    pub fn security_policy(&self, id: ObjectId) -> Option<&Arc<SecurityPolicyDef>> {
        self.object_def(id).and_then(ObjectDef::as_policy)
    }

    /// The table whose rows are in this storage. Looks at every table; for messages and tests.
    pub fn table_of_storage(&self, storage: StorageId) -> Option<&Arc<TableDef>> {
        self.tables().find(|t| t.storage == storage)
    }

    /// All objects by ascending id, without constraints.
    pub fn objects(&self) -> impl Iterator<Item = &ObjectDef> {
        self.objects.values().map(|entry| &entry.def)
    }

    /// All tables by ascending id, with the hidden ones behind table types.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        self.objects().filter_map(ObjectDef::as_table)
    }

    /// All modules by ascending id.
    pub fn modules(&self) -> impl Iterator<Item = &Arc<ModuleDef>> {
        self.objects().filter_map(ObjectDef::as_module)
    }

    /// All sequences by ascending id.
    pub fn sequences(&self) -> impl Iterator<Item = &Arc<SequenceDef>> {
        self.objects().filter_map(|object| match object {
            ObjectDef::Sequence(sequence) => Some(sequence),
            _ => None,
        })
    }

    /// All security policies by ascending id.
    pub fn security_policies(&self) -> impl Iterator<Item = &Arc<SecurityPolicyDef>> {
        self.objects().filter_map(ObjectDef::as_policy)
    }

    /// The security policies with predicates on a table or view.
    pub fn policies_on(&self, target: ObjectId) -> &[Arc<SecurityPolicyDef>] {
        match self.object(target) {
            Some(Object::Table(table)) => &table.policies,
            Some(Object::Module(view)) => &view.policies,
            _ => &[],
        }
    }

    /// The triggers on the database, or those on the server: what has a name there
    /// ([`SchemaId::DATABASE_TRIGGERS`], [`SchemaId::SERVER_TRIGGERS`]).
    pub fn event_triggers(&self, place: SchemaId) -> impl Iterator<Item = &Arc<ModuleDef>> {
        self.objects_in(place).filter_map(|object| match object {
            Object::Module(module) => Some(module),
            _ => None,
        })
    }

    /// The objects and constraints of a schema, in the order of their names' keys.
    pub fn objects_in(&self, schema: SchemaId) -> impl Iterator<Item = Object<'_>> {
        let first = (schema, NameKey::lowest());
        self.names
            .range_from(&first)
            .take_while(move |((s, _), _)| *s == schema)
            .filter_map(|(_, id)| self.object(*id))
    }

    /// The version of the schema in which an object was last changed.
    pub fn object_version(&self, id: ObjectId) -> Option<u64> {
        self.objects.get(&id).map(|entry| entry.version)
    }

    /// The lowest snapshot that sees the commit that last changed an object. A transaction whose
    /// fixed snapshot is older must not use the object (error 3961).
    pub fn object_visible_from(&self, id: ObjectId) -> Option<Lsn> {
        self.objects.get(&id).map(|entry| entry.visible_from)
    }

    /// What uses an object, in no particular order. Foreign keys and triggers are not among the
    /// users, see [`TableDef::referenced_by`] and [`TableDef::triggers`].
    pub fn users_of(&self, id: ObjectId) -> impl Iterator<Item = User> {
        self.users(UsedId { class: ReferenceClass::Object, id: id.0 })
    }

    /// What uses a type, in no particular order.
    pub fn users_of_type(&self, id: UserTypeId) -> impl Iterator<Item = User> {
        self.users(UsedId { class: ReferenceClass::Type, id: id.0 })
    }

    /// What uses an XML schema collection, in no particular order.
    pub fn users_of_xml_collection(&self, id: XmlCollectionId) -> impl Iterator<Item = User> {
        self.users(UsedId { class: ReferenceClass::XmlCollection, id: id.0 })
    }

    /// The first object that forbids to drop or change this one, and is not a part of it.
    pub fn first_bound_user(&self, id: ObjectId) -> Option<Object<'_>> {
        let bound = self.users_of(id).filter(|u| u.bound && u.object != id);
        bound.filter_map(|u| self.object(u.object)).find(|user| user.parent() != Some(id))
    }

    /// The schema-bound modules that use a column of a table, by id.
    pub fn modules_using_column(
        &self,
        table: ObjectId,
        column: ColumnId,
    ) -> impl Iterator<Item = &Arc<ModuleDef>> {
        let uses = move |r: &Reference| {
            r.schema_bound
                && r.class == ReferenceClass::Object
                && r.id == Some(table.0)
                && r.column == Some(column)
        };
        self.users_of(table)
            .filter_map(|user| self.module(user.object))
            .filter(move |module| module.references.iter().any(uses))
    }

    fn users(&self, used: UsedId) -> impl Iterator<Item = User> {
        let first = (used, ObjectId(i32::MIN), None);
        self.users
            .range_from(&first)
            .take_while(move |((u, _, _), _)| *u == used)
            .map(|(&(_, object, column), &bound)| User { object, column, bound })
    }

    /// Whether no object or constraint has this id.
    pub fn object_id_is_free(&self, id: ObjectId) -> bool {
        !self.objects.contains(&id) && !self.constraints.contains(&id)
    }
}

impl base::xml::schema::Collections for Schema {
    fn collection(
        &self,
        number: u16,
        pace: &dyn base::Pace,
    ) -> base::SqlResult<Arc<base::xml::schema::Collection>> {
        match self.xml_collections.get(XmlCollectionId::of_number(number)) {
            Some(def) => def.collection(pace),
            None => {
                let message = &base::message::COLLECTION_UNKNOWN;
                Err(base::SqlError::new(message, &[&number]))
            }
        }
    }
}

/// Everything that is not an object.
impl Schema {
    /// Schemas.
    pub fn schemas(&self) -> &NamedMap<SchemaDef> {
        &self.schemas
    }

    /// A schema by name.
    pub fn find_schema(&self, name: &str) -> Option<&Arc<SchemaDef>> {
        self.schemas.find((), self.key(name))
    }

    /// The schema in which a user's unqualified names are looked up first: its default schema if
    /// that exists, otherwise `dbo`.
    pub fn default_schema(&self, user: &PrincipalDef) -> SchemaId {
        let name = user.default_schema.as_deref();
        name.and_then(|name| self.find_schema(name)).map_or(SchemaId::DBO, |schema| schema.id)
    }

    /// Users' types. The built-in ones are not among them: they are the same everywhere, see
    /// [`base::types`].
    pub fn types(&self) -> &NamedMap<TypeDef> {
        &self.types
    }

    /// A user's type by schema and name.
    pub fn find_type(&self, schema: SchemaId, name: &str) -> Option<&Arc<TypeDef>> {
        self.types.find(schema, self.key(name))
    }

    /// A user's type by a name whose schema was not written.
    pub fn resolve_type(&self, default: SchemaId, name: &str) -> Option<&Arc<TypeDef>> {
        self.find_type(default, name).or_else(|| self.find_type(SchemaId::DBO, name))
    }

    /// XML schema collections.
    pub fn xml_collections(&self) -> &NamedMap<XmlCollectionDef> {
        &self.xml_collections
    }

    /// The name of the schema collection that a type `xml` of this database has, if it has one.
    pub fn xml_collection_name(
        &self,
        ty: &SqlType,
        database: &dyn Fn() -> Arc<str>,
    ) -> Option<Arc<XmlCollectionName>> {
        let id = XmlCollectionId::of_number(ty.xml_use()?.collection);
        let found = self.xml_collections.get(id)?;
        let schema = self.schemas.get(found.schema)?.name.clone();
        let name = found.name.clone();
        Some(Arc::new(XmlCollectionName { database: database(), schema, name }))
    }

    /// An XML schema collection by schema and name.
    pub fn find_xml_collection(
        &self,
        schema: SchemaId,
        name: &str,
    ) -> Option<&Arc<XmlCollectionDef>> {
        self.xml_collections.find(schema, self.key(name))
    }

    /// An XML schema collection by a name whose schema was not written.
    pub fn resolve_xml_collection(
        &self,
        default: SchemaId,
        name: &str,
    ) -> Option<&Arc<XmlCollectionDef>> {
        let found = self.find_xml_collection(default, name);
        found.or_else(|| self.find_xml_collection(SchemaId::DBO, name))
    }

    /// Users and roles.
    pub fn principals(&self) -> &NamedMap<PrincipalDef> {
        &self.principals
    }

    /// A user or role by name.
    pub fn find_principal(&self, name: &str) -> Option<&Arc<PrincipalDef>> {
        self.principals.find((), self.key(name))
    }

    /// The user for a login, by sid.
    pub fn user_with_sid(&self, sid: &[u8]) -> Option<&Arc<PrincipalDef>> {
        self.principals.iter().find(|p| p.sid.as_deref() == Some(sid))
    }

    /// Whether a user or role is in a role, directly or through others. All are in `public`.
    pub fn is_member(&self, principal: PrincipalId, role: PrincipalId) -> bool {
        role == PrincipalId::PUBLIC
            || server::is_member(principal, role, |id| Some(&*self.principals.get(id)?.roles))
    }

    /// Permission sets by securable and grantee.
    pub fn permissions(&self) -> impl Iterator<Item = &Arc<PermissionSet>> {
        self.permissions.values()
    }

    /// What a principal itself has been granted or denied on a thing.
    pub fn permission_set(
        &self,
        target: Securable,
        grantee: PrincipalId,
    ) -> Option<&Arc<PermissionSet>> {
        self.permissions.get(&(target, grantee))
    }

    /// What all principals have been granted or denied on a thing, parts of it included.
    pub fn permissions_on(
        &self,
        class: SecurableClass,
        major: i32,
    ) -> impl Iterator<Item = &Arc<PermissionSet>> {
        let first = (Securable { class, major, minor: i32::MIN }, PrincipalId(i32::MIN));
        self.permissions
            .range_from(&first)
            .take_while(move |((s, _), _)| s.class == class && s.major == major)
            .map(|(_, set)| set)
    }

    /// Extended properties by what they describe.
    pub fn properties(&self) -> impl Iterator<Item = &Arc<PropertySet>> {
        self.properties.values()
    }

    /// The extended properties of one thing.
    pub fn properties_of(&self, target: Securable) -> Option<&Arc<PropertySet>> {
        self.properties.get(&target)
    }

    /// The extended properties of a thing and of its parts.
    pub fn properties_on(
        &self,
        class: SecurableClass,
        major: i32,
    ) -> impl Iterator<Item = &Arc<PropertySet>> {
        let first = Securable { class, major, minor: i32::MIN };
        self.properties
            .range_from(&first)
            .take_while(move |(s, _)| s.class == class && s.major == major)
            .map(|(_, set)| set)
    }

    /// Filegroups.
    pub fn file_groups(&self) -> &NamedMap<FileGroupDef> {
        &self.file_groups
    }

    /// A filegroup by name.
    pub fn find_file_group(&self, name: &str) -> Option<&Arc<FileGroupDef>> {
        self.file_groups.find((), self.key(name))
    }

    /// The filegroup for memory-optimized tables, without which there are none (error 41337).
    pub fn memory_optimized_file_group(&self) -> Option<&Arc<FileGroupDef>> {
        self.file_groups.iter().find(|g| g.kind == FileGroupKind::MemoryOptimized)
    }

    /// Files.
    pub fn files(&self) -> &NamedMap<FileDef> {
        &self.files
    }

    /// A file by its logical name.
    pub fn find_file(&self, name: &str) -> Option<&Arc<FileDef>> {
        self.files.find((), self.key(name))
    }

    /// Something that the catalog itself remembers.
    pub(super) fn setting(&self, id: SettingId) -> Option<i64> {
        self.settings.get(&id).copied()
    }

    /// What belongs to the whole server; empty in all databases but master.
    pub fn server(&self) -> &ServerSchema {
        &self.server
    }

    /// A database by name (master only).
    pub fn find_database(&self, name: &str) -> Option<&Arc<DatabaseDef>> {
        self.server.databases.find((), self.key(name))
    }

    /// A login or server role by name (master only).
    pub fn find_login(&self, name: &str) -> Option<&Arc<LoginDef>> {
        self.server.logins.find((), self.key(name))
    }
}

/// Two schemas are equal if they define the same; versions and stamps do not count.
impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        self.database == other.database
            && self.collation == other.collation
            && self.objects().eq(other.objects())
            && self.constraints == other.constraints
            && self.names == other.names
            && self.incoming == other.incoming
            && self.triggers == other.triggers
            && self.policies == other.policies
            && self.users == other.users
            && self.types == other.types
            && self.xml_collections == other.xml_collections
            && self.schemas == other.schemas
            && self.principals == other.principals
            && self.permissions == other.permissions
            && self.properties == other.properties
            && self.file_groups == other.file_groups
            && self.files == other.files
            && self.settings == other.settings
            && self.server == other.server
    }
}

#[cfg(test)]
mod tests;

//! Changes to a schema that no other session has seen yet, and the upkeep of derived data.

use std::sync::Arc;

use base::Collation;
use base::ids::{DbId, Lsn, ObjectId};

use super::{Entry, Schema};
use crate::catalog::def::*;
use crate::catalog::definition::{Definition, DefinitionKey, ObjectDef};
use crate::catalog::error::{CatalogError, NameSpace};
use crate::catalog::name::NameKey;
use crate::txn::locks::DefinitionKind;

/// Where an object that was changed is visible from as long as its schema is a working copy.
const NOT_YET: Lsn = Lsn(u64::MAX);

/// Whether two definitions of a table say the same of its rows and of how they are found.
fn same_to_rows(before: &ObjectDef, after: &ObjectDef) -> bool {
    let (ObjectDef::Table(before), ObjectDef::Table(after)) = (before, after) else { return false };
    let mut before = TableDef::clone(before);
    before.statistics.clone_from(&after.statistics);
    before.header.modified = after.header.modified;
    before == **after
}

impl Schema {
    /// The schema with these definitions, in any order. Fails if two of them have one name.
    pub fn from_definitions(
        database: DbId,
        collation: Collation,
        definitions: impl IntoIterator<Item = Definition>,
    ) -> Result<Schema, CatalogError> {
        Schema::of_version(0, database, collation, definitions)
    }

    /// As `from_definitions`, with objects of this version.
    pub(in crate::catalog) fn of_version(
        version: u64,
        database: DbId,
        collation: Collation,
        definitions: impl IntoIterator<Item = Definition>,
    ) -> Result<Schema, CatalogError> {
        let mut schema = Schema::new(database, collation);
        schema.version = version;
        definitions.into_iter().try_for_each(|definition| schema.put(definition))?;
        Ok(schema)
    }

    /// A copy to work on, with a version of its own.
    pub(in crate::catalog) fn working_copy(&self, version: u64) -> Schema {
        Schema { version, working: true, replaced: Vec::new(), ..self.clone() }
    }

    /// Gives the schema a new version. What is changed from now on carries that version.
    pub(in crate::catalog) fn set_version(&mut self, version: u64) {
        self.version = version;
    }

    /// Makes a working copy a schema that other transactions see: snapshots from `visible_from` on
    /// see what was changed in it, as far as that means anything to them.
    pub(in crate::catalog) fn publish(&mut self, version: u64, visible_from: Lsn) {
        self.version = version;
        self.shared = version;
        let is_new = !std::mem::replace(&mut self.working, false);
        self.visible_from = self.visible_from.max(visible_from);
        for id in std::mem::take(&mut self.replaced) {
            let changed = |entry: &&Entry| is_new || entry.visible_from == NOT_YET;
            if let Some(entry) = self.objects.get(&id).filter(changed) {
                let entry = Entry { visible_from, ..entry.clone() };
                self.objects.insert(id, entry);
            }
        }
    }

    /// The same as another schema but for local temporary objects.
    pub(in crate::catalog) fn share_version(&mut self, other: &Schema) {
        self.shared = other.shared;
    }

    /// What has this name among definitions of a kind: its id.
    pub(in crate::catalog) fn find_by_key(
        &self,
        kind: DefinitionKind,
        scope: i32,
        name: &[u8],
    ) -> Option<i32> {
        let key = || NameKey::of_bytes(name);
        match kind {
            DefinitionKind::Object => self.names.get(&(SchemaId(scope), key())).map(|id| id.0),
            DefinitionKind::Type => self.types.find(SchemaId(scope), key()).map(|d| d.id.0),
            DefinitionKind::XmlCollection => {
                self.xml_collections.find(SchemaId(scope), key()).map(|d| d.id.0)
            }
            DefinitionKind::Schema => self.schemas.find((), key()).map(|d| d.id.0),
            DefinitionKind::Principal => self.principals.find((), key()).map(|d| d.id.0),
            DefinitionKind::Sid => self.user_with_sid(name).map(|d| d.id.0),
            DefinitionKind::FileGroup => self.file_groups.find((), key()).map(|d| d.id.0),
            DefinitionKind::File => self.files.find((), key()).map(|d| d.id.0),
            DefinitionKind::Database => self.server.databases.find((), key()).map(|d| d.id.0),
            DefinitionKind::Login => self.server.logins.find((), key()).map(|d| d.id.0),
            DefinitionKind::Permissions
            | DefinitionKind::Properties
            | DefinitionKind::ServerPermissions
            | DefinitionKind::Configuration
            | DefinitionKind::Message
            | DefinitionKind::ResourcePool
            | DefinitionKind::RowCache
            | DefinitionKind::Setting => None,
        }
    }

    /// The objects that were created, changed or dropped since the working copy was made.
    pub(in crate::catalog) fn replaced(&self) -> &[ObjectId] {
        &self.replaced
    }

    /// Puts a definition in, in place of the one with its key. Derived fields of the argument do
    /// not matter. Fails, and changes nothing, if another definition has its name.
    pub(in crate::catalog) fn put(&mut self, definition: Definition) -> Result<(), CatalogError> {
        let collation = self.collation;
        match definition {
            Definition::Object(d) => return self.put_object(d),
            Definition::Type(d) => return self.types.put(collation, d),
            Definition::XmlCollection(d) => return self.xml_collections.put(collation, d),
            Definition::Schema(d) => return self.schemas.put(collation, d),
            Definition::Principal(d) => return self.principals.put(collation, d),
            Definition::FileGroup(d) => return self.file_groups.put(collation, d),
            Definition::File(d) => return self.files.put(collation, d),
            Definition::Database(d) => return self.server.databases.put(collation, d),
            Definition::Login(d) => return self.server.logins.put(collation, d),
            Definition::Permissions(d) => {
                self.permissions.insert((d.target, d.grantee), d);
            }
            Definition::Properties(d) => {
                self.properties.insert(d.target, d);
            }
            Definition::ServerPermissions(d) => {
                self.server.permissions.insert((d.target, d.grantee), d);
            }
            Definition::Configuration(d) => {
                self.server.configurations.insert(d.id, d);
            }
            Definition::Message(d) => {
                self.server.messages.insert((d.id, d.language), d);
            }
            Definition::ResourcePool(d) => {
                self.server.resource_pools.insert(d.id, d);
            }
            Definition::RowCache(d) => {
                self.server.row_caches.insert(d.id, d);
            }
            Definition::Setting(d) => {
                self.settings.insert(d.id, d.value);
            }
        }
        Ok(())
    }

    /// Removes the definition with this key, if there is one.
    pub(in crate::catalog) fn remove(&mut self, key: DefinitionKey) {
        let collation = self.collation;
        match key {
            DefinitionKey::Object(id) => self.remove_object(id),
            DefinitionKey::Type(id) => drop(self.types.remove(collation, id)),
            DefinitionKey::XmlCollection(id) => {
                drop(self.xml_collections.remove(collation, id));
            }
            DefinitionKey::Schema(id) => drop(self.schemas.remove(collation, id)),
            DefinitionKey::Principal(id) => drop(self.principals.remove(collation, id)),
            DefinitionKey::FileGroup(id) => drop(self.file_groups.remove(collation, id)),
            DefinitionKey::File(id) => drop(self.files.remove(collation, id)),
            DefinitionKey::Database(id) => drop(self.server.databases.remove(collation, id)),
            DefinitionKey::Login(id) => drop(self.server.logins.remove(collation, id)),
            DefinitionKey::Permissions(target, grantee) => {
                self.permissions.remove(&(target, grantee));
            }
            DefinitionKey::Properties(target) => {
                self.properties.remove(&target);
            }
            DefinitionKey::ServerPermissions(target, grantee) => {
                self.server.permissions.remove(&(target, grantee));
            }
            DefinitionKey::Configuration(id) => {
                self.server.configurations.remove(&id);
            }
            DefinitionKey::Message(id, language) => {
                self.server.messages.remove(&(id, language));
            }
            DefinitionKey::ResourcePool(id) => {
                self.server.resource_pools.remove(&id);
            }
            DefinitionKey::RowCache(id) => {
                self.server.row_caches.remove(&id);
            }
            DefinitionKey::Setting(id) => {
                self.settings.remove(&id);
            }
        }
    }

    /// The definition with this key, derived fields included.
    pub(in crate::catalog) fn get(&self, key: DefinitionKey) -> Option<Definition> {
        Some(match key {
            DefinitionKey::Object(id) => Definition::Object(self.object_def(id)?.clone()),
            DefinitionKey::Type(id) => Definition::Type(Arc::clone(self.types.get(id)?)),
            DefinitionKey::XmlCollection(id) => {
                Definition::XmlCollection(Arc::clone(self.xml_collections.get(id)?))
            }
            DefinitionKey::Schema(id) => Definition::Schema(Arc::clone(self.schemas.get(id)?)),
            DefinitionKey::Principal(id) => {
                Definition::Principal(Arc::clone(self.principals.get(id)?))
            }
            DefinitionKey::FileGroup(id) => {
                Definition::FileGroup(Arc::clone(self.file_groups.get(id)?))
            }
            DefinitionKey::File(id) => Definition::File(Arc::clone(self.files.get(id)?)),
            DefinitionKey::Database(id) => {
                Definition::Database(Arc::clone(self.server.databases.get(id)?))
            }
            DefinitionKey::Login(id) => Definition::Login(Arc::clone(self.server.logins.get(id)?)),
            DefinitionKey::Permissions(target, grantee) => {
                Definition::Permissions(Arc::clone(self.permissions.get(&(target, grantee))?))
            }
            DefinitionKey::Properties(target) => {
                Definition::Properties(Arc::clone(self.properties.get(&target)?))
            }
            DefinitionKey::ServerPermissions(target, grantee) => {
                let set = self.server.permissions.get(&(target, grantee))?;
                Definition::ServerPermissions(Arc::clone(set))
            }
            DefinitionKey::Configuration(id) => {
                Definition::Configuration(*self.server.configurations.get(&id)?)
            }
            DefinitionKey::Message(id, language) => {
                Definition::Message(Arc::clone(self.server.messages.get(&(id, language))?))
            }
            DefinitionKey::ResourcePool(id) => {
                Definition::ResourcePool(Arc::clone(self.server.resource_pools.get(&id)?))
            }
            DefinitionKey::RowCache(id) => {
                Definition::RowCache(Arc::clone(self.server.row_caches.get(&id)?))
            }
            DefinitionKey::Setting(id) => {
                Definition::Setting(SettingDef { id, value: self.setting(id)? })
            }
        })
    }

    /// Every definition, kind by kind.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = Definition> {
        let server = &self.server;
        let objects = self.objects().cloned().map(Definition::Object);
        objects
            .chain(self.types.iter().cloned().map(Definition::Type))
            .chain(self.xml_collections.iter().cloned().map(Definition::XmlCollection))
            .chain(self.schemas.iter().cloned().map(Definition::Schema))
            .chain(self.principals.iter().cloned().map(Definition::Principal))
            .chain(self.permissions.values().cloned().map(Definition::Permissions))
            .chain(self.properties.values().cloned().map(Definition::Properties))
            .chain(self.file_groups.iter().cloned().map(Definition::FileGroup))
            .chain(self.files.iter().cloned().map(Definition::File))
            .chain(server.databases.iter().cloned().map(Definition::Database))
            .chain(server.logins.iter().cloned().map(Definition::Login))
            .chain(server.permissions.values().cloned().map(Definition::ServerPermissions))
            .chain(server.configurations.values().copied().map(Definition::Configuration))
            .chain(server.messages.values().cloned().map(Definition::Message))
            .chain(server.resource_pools.values().cloned().map(Definition::ResourcePool))
            .chain(server.row_caches.values().cloned().map(Definition::RowCache))
            .chain(
                self.settings
                    .iter()
                    .map(|(&id, &value)| Definition::Setting(SettingDef { id, value })),
            )
    }

    fn put_object(&mut self, def: ObjectDef) -> Result<(), CatalogError> {
        let id = def.header().id;
        self.check_names(&def)?;
        let mut touched = self.unlink(id);
        touched.extend(self.link(&def));
        let def = self.derived(&def).unwrap_or(def);
        self.set_entry(id, def);
        self.refresh(touched, id);
        Ok(())
    }

    fn remove_object(&mut self, id: ObjectId) {
        let touched = self.unlink(id);
        self.objects.remove(&id);
        self.replaced.push(id);
        self.refresh(touched, id);
    }

    fn set_entry(&mut self, id: ObjectId, def: ObjectDef) {
        // Other statistics make no difference to older snapshots.
        let before = self.objects.get(&id).filter(|before| same_to_rows(&before.def, &def));
        let visible_from = match before {
            Some(before) => before.visible_from,
            None if self.working => NOT_YET,
            None => self.visible_from,
        };
        self.objects.insert(id, Entry { def, version: self.version, visible_from });
        self.replaced.push(id);
    }

    /// Whether all names of an object are free, or its own already.
    fn check_names(&self, def: &ObjectDef) -> Result<(), CatalogError> {
        let schema = def.header().schema;
        let mut own: Vec<NameKey> = Vec::new();
        for (name, _) in def.names() {
            let key = self.key(name);
            let owner = self.names.get(&(schema, key.clone()));
            let owner = owner.map(|id| self.constraints.get(id).copied().unwrap_or(*id));
            let taken = owner.is_some_and(|owner| owner != def.header().id);
            if taken || own.contains(&key) {
                return Err(CatalogError::NameInUse {
                    space: NameSpace::Object,
                    name: name.clone(),
                });
            }
            own.push(key);
        }
        Ok(())
    }

    /// Enters an object's names, constraints, keys and uses. Returns the objects whose derived
    /// fields that may change.
    fn link(&mut self, def: &ObjectDef) -> Vec<ObjectId> {
        let header = def.header();
        for (name, id) in def.names() {
            self.names.insert((header.schema, self.key(name)), id);
        }
        for constraint in def.constraints() {
            self.constraints.insert(constraint.id, header.id);
        }
        for u in def.uses() {
            self.users.insert((u.target, u.user, u.column), u.bound);
        }
        let mut touched = Vec::new();
        if let ObjectDef::Table(table) = def {
            for key in &table.foreign_keys {
                let incoming = IncomingKey { constraint: key.header.id, table: header.id };
                self.incoming.insert((key.referenced, incoming), ());
                touched.push(key.referenced);
            }
            for on in indexed_by(table) {
                self.indexed_views.insert((on, header.id), ());
                touched.push(on);
            }
        }
        if let Some(parent) = def.parent() {
            self.triggers.insert((parent, header.id), ());
            touched.push(parent);
        }
        if let ObjectDef::SecurityPolicy(policy) = def {
            for table in policy.tables() {
                self.policies.insert((table, header.id), ());
                touched.push(table);
            }
        }
        touched
    }

    /// Takes back what [`Schema::link`] did for the object as it is now.
    fn unlink(&mut self, id: ObjectId) -> Vec<ObjectId> {
        let Some(entry) = self.objects.get(&id) else { return Vec::new() };
        let def = entry.def.clone();
        for (name, _) in def.names() {
            self.names.remove(&(def.header().schema, self.key(name)));
        }
        for constraint in def.constraints() {
            self.constraints.remove(&constraint.id);
        }
        for u in def.uses() {
            self.users.remove(&(u.target, u.user, u.column));
        }
        let mut touched = Vec::new();
        if let ObjectDef::Table(table) = &def {
            for key in &table.foreign_keys {
                let incoming = IncomingKey { constraint: key.header.id, table: id };
                self.incoming.remove(&(key.referenced, incoming));
                touched.push(key.referenced);
            }
            for on in indexed_by(table) {
                self.indexed_views.remove(&(on, id));
                touched.push(on);
            }
        }
        if let Some(parent) = def.parent() {
            self.triggers.remove(&(parent, id));
            touched.push(parent);
        }
        if let ObjectDef::SecurityPolicy(policy) = &def {
            for table in policy.tables() {
                self.policies.remove(&(table, id));
                touched.push(table);
            }
        }
        touched
    }

    /// Derives the fields of other objects anew, and counts those as changed that it changes.
    fn refresh(&mut self, touched: Vec<ObjectId>, except: ObjectId) {
        for id in touched.into_iter().filter(|id| *id != except) {
            let Some(entry) = self.objects.get(&id) else { continue };
            if let Some(def) = self.derived(&entry.def) {
                self.set_entry(id, def);
            }
        }
    }

    /// The definition with its derived fields as they must be, unless they are so already.
    fn derived(&self, def: &ObjectDef) -> Option<ObjectDef> {
        let id = def.header().id;
        let first = (id, ObjectId(i32::MIN));
        let triggers = self.triggers.range_from(&first);
        let triggers = triggers.take_while(|((on, _), ())| *on == id).map(|((_, t), ())| *t);
        let lowest = IncomingKey { constraint: ObjectId(i32::MIN), table: ObjectId(i32::MIN) };
        let incoming = self.incoming.range_from(&(id, lowest));
        let incoming = incoming.take_while(|((on, _), ())| *on == id).map(|((_, k), ())| *k);
        let policies = self.policies.range_from(&first);
        let policies = policies.take_while(|((on, _), ())| *on == id);
        let policies = policies.filter_map(|((_, policy), ())| self.security_policy(*policy));
        let (triggers, incoming) = (triggers.collect(), incoming.collect());
        let views = self.indexed_views.range_from(&first);
        let views = views.take_while(|((on, _), ())| *on == id).map(|((_, rows), ())| *rows);
        def.with_derived(triggers, incoming, policies.cloned().collect(), views.collect())
    }
}

/// What an indexed view is on, itself among them, if a table holds the rows of one.
fn indexed_by(table: &TableDef) -> impl Iterator<Item = ObjectId> + '_ {
    table.rows_of.iter().flat_map(|of| of.tables.iter().copied().chain([of.view]))
}

//! Any definition, and the key by which the catalog knows it.
//!
//! Edits, rows and the schema treat all kinds of definitions alike: a change puts a definition
//! under its key or removes the key.

use std::sync::Arc;

use base::SqlType;
use base::ids::{DbId, ObjectId};

use super::def::*;

/// One definition of any kind.
#[derive(Clone, PartialEq, Debug)]
pub enum Definition {
    /// A table, module, sequence, synonym or security policy.
    Object(ObjectDef),
    /// An alias or table type.
    Type(Arc<TypeDef>),
    /// An XML schema collection.
    XmlCollection(Arc<XmlCollectionDef>),
    /// A schema.
    Schema(Arc<SchemaDef>),
    /// A user or role.
    Principal(Arc<PrincipalDef>),
    /// Permissions in this database.
    Permissions(Arc<PermissionSet>),
    /// Extended properties.
    Properties(Arc<PropertySet>),
    /// A filegroup.
    FileGroup(Arc<FileGroupDef>),
    /// A file.
    File(Arc<FileDef>),
    /// A database (master only).
    Database(Arc<DatabaseDef>),
    /// A login or server role (master only).
    Login(Arc<LoginDef>),
    /// Permissions on the server (master only).
    ServerPermissions(Arc<PermissionSet>),
    /// A changed setting (master only).
    Configuration(ConfigurationDef),
    /// A user's message (master only).
    Message(Arc<MessageDef>),
    /// A resource pool (master only).
    ResourcePool(Arc<ResourcePoolDef>),
    /// A named row cache (master only).
    RowCache(Arc<RowCacheDef>),
    /// Something that the catalog itself remembers.
    Setting(SettingDef),
}

/// An object that is not part of another: the kinds that a schema holds.
#[derive(Clone, PartialEq, Debug)]
pub enum ObjectDef {
    /// A table, or the hidden one behind a table type.
    Table(Arc<TableDef>),
    /// A procedure, function, view or trigger.
    Module(Arc<ModuleDef>),
    /// A sequence.
    Sequence(Arc<SequenceDef>),
    /// A synonym.
    Synonym(Arc<SynonymDef>),
    /// A security policy.
    SecurityPolicy(Arc<SecurityPolicyDef>),
}

/// What identifies a definition within its database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DefinitionKey {
    /// A table, module, sequence, synonym or security policy.
    Object(ObjectId),
    /// An alias or table type.
    Type(UserTypeId),
    /// An XML schema collection.
    XmlCollection(XmlCollectionId),
    /// A schema.
    Schema(SchemaId),
    /// A user or role.
    Principal(PrincipalId),
    /// Permissions in this database.
    Permissions(Securable, PrincipalId),
    /// Extended properties.
    Properties(Securable),
    /// A filegroup.
    FileGroup(DataSpaceId),
    /// A file.
    File(FileId),
    /// A database.
    Database(DbId),
    /// A login or server role.
    Login(PrincipalId),
    /// Permissions on the server.
    ServerPermissions(Securable, PrincipalId),
    /// A changed setting.
    Configuration(i32),
    /// A user's message, by number and language.
    Message(i32, i16),
    /// A resource pool.
    ResourcePool(i32),
    /// A named row cache.
    RowCache(i32),
    /// Something that the catalog itself remembers.
    Setting(SettingId),
}

impl Definition {
    /// What identifies the definition.
    pub fn key(&self) -> DefinitionKey {
        match self {
            Definition::Object(d) => DefinitionKey::Object(d.header().id),
            Definition::Type(d) => DefinitionKey::Type(d.id),
            Definition::XmlCollection(d) => DefinitionKey::XmlCollection(d.id),
            Definition::Schema(d) => DefinitionKey::Schema(d.id),
            Definition::Principal(d) => DefinitionKey::Principal(d.id),
            Definition::Permissions(d) => DefinitionKey::Permissions(d.target, d.grantee),
            Definition::Properties(d) => DefinitionKey::Properties(d.target),
            Definition::FileGroup(d) => DefinitionKey::FileGroup(d.id),
            Definition::File(d) => DefinitionKey::File(d.id),
            Definition::Database(d) => DefinitionKey::Database(d.id),
            Definition::Login(d) => DefinitionKey::Login(d.id),
            Definition::ServerPermissions(d) => {
                DefinitionKey::ServerPermissions(d.target, d.grantee)
            }
            Definition::Configuration(d) => DefinitionKey::Configuration(d.id),
            Definition::Message(d) => DefinitionKey::Message(d.id, d.language),
            Definition::ResourcePool(d) => DefinitionKey::ResourcePool(d.id),
            Definition::RowCache(d) => DefinitionKey::RowCache(d.id),
            Definition::Setting(d) => DefinitionKey::Setting(d.id),
        }
    }
}

impl ObjectDef {
    /// Id, schema, name and dates.
    pub fn header(&self) -> &ObjectHeader {
        match self {
            ObjectDef::Table(d) => &d.header,
            ObjectDef::Module(d) => &d.header,
            ObjectDef::Sequence(d) => &d.header,
            ObjectDef::Synonym(d) => &d.header,
            ObjectDef::SecurityPolicy(d) => &d.header,
        }
    }

    /// The two-letter kind.
    pub fn kind(&self) -> ObjectKind {
        match self {
            ObjectDef::Table(d) => d.object_kind(),
            ObjectDef::Module(d) => d.object_kind(),
            ObjectDef::Sequence(_) => ObjectKind::Sequence,
            ObjectDef::Synonym(_) => ObjectKind::Synonym,
            ObjectDef::SecurityPolicy(_) => ObjectKind::SecurityPolicy,
        }
    }

    /// The table, if it is one (a table type's hidden one too).
    pub fn as_table(&self) -> Option<&Arc<TableDef>> {
        match self {
            ObjectDef::Table(d) => Some(d),
            _ => None,
        }
    }

    /// The module, if it is one.
    pub fn as_module(&self) -> Option<&Arc<ModuleDef>> {
        match self {
            ObjectDef::Module(d) => Some(d),
            _ => None,
        }
    }

    /// The security policy, if it is one.
    pub fn as_policy(&self) -> Option<&Arc<SecurityPolicyDef>> {
        match self {
            ObjectDef::SecurityPolicy(d) => Some(d),
            _ => None,
        }
    }

    /// The object that this one belongs to, `parent_object_id`: the table or view of a trigger.
    pub fn parent(&self) -> Option<ObjectId> {
        self.as_module().and_then(|m| m.trigger()).map(|t| t.parent)
    }

    /// The object with these derived fields, or `None` if it has them already.
    pub(super) fn with_derived(
        &self,
        triggers: Vec<ObjectId>,
        referenced_by: Vec<IncomingKey>,
        policies: Vec<Arc<SecurityPolicyDef>>,
        indexed_views: Vec<ObjectId>,
    ) -> Option<ObjectDef> {
        match self {
            ObjectDef::Table(d)
                if d.triggers != triggers
                    || d.referenced_by != referenced_by
                    || d.policies != policies
                    || d.indexed_views != indexed_views =>
            {
                let own = TableDef::clone(d);
                let table = TableDef { triggers, referenced_by, policies, indexed_views, ..own };
                Some(ObjectDef::Table(Arc::new(table)))
            }
            ObjectDef::Module(d)
                if d.triggers != triggers
                    || d.policies != policies
                    || d.rows.as_ref() != indexed_views.first() =>
            {
                let rows = indexed_views.first().copied();
                let own = ModuleDef::clone(d);
                let module = ModuleDef { triggers, policies, rows, ..own };
                Some(ObjectDef::Module(Arc::new(module)))
            }
            _ => None,
        }
    }

    /// Whether only the session that makes it can name it: a local temporary object.
    pub fn is_private(&self) -> bool {
        let name = &self.header().name;
        name.starts_with('#') && !name.starts_with("##")
    }

    /// All names that it takes in its schema: its own and its constraints'. A table type's hidden
    /// table takes a name too, as in SQL Server (`TT_…`). Constraints of a local temporary table
    /// take none, so that every session can use the same ones; and the rows of an indexed view none
    /// beside the view's.
    pub(super) fn names(&self) -> Vec<(&Name, ObjectId)> {
        if self.as_table().is_some_and(|table| table.rows_of.is_some()) {
            return Vec::new();
        }
        let mut names = vec![(&self.header().name, self.header().id)];
        if !self.is_private() {
            names.extend(self.constraints().map(|c| (&c.name, c.id)));
        }
        names
    }

    /// The constraints of a table.
    pub(super) fn constraints(&self) -> impl Iterator<Item = &ConstraintHeader> {
        self.as_table().into_iter().flat_map(|table| table.constraints()).map(|(_, c)| c)
    }

    /// What the object uses: each object or type once per part of it that uses it, with whether the
    /// use binds it.
    pub(super) fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        match self {
            ObjectDef::Table(table) => table_uses(table, &mut uses),
            ObjectDef::Module(module) => module_uses(module, &mut uses),
            ObjectDef::Sequence(sequence) => {
                uses.extend(Use::of_type(sequence.user_type, sequence.header.id, None));
            }
            ObjectDef::Synonym(_) => {}
            ObjectDef::SecurityPolicy(policy) => {
                let mentioned = policy.predicates.iter().flat_map(|p| &p.references);
                let id = policy.header.id;
                uses.extend(mentioned.filter_map(|r| Use::of_reference(r, id, None)));
            }
        }
        uses.sort_unstable_by_key(|u| (u.target, u.user, u.column, !u.bound));
        uses.dedup_by_key(|u| (u.target, u.user, u.column));
        uses
    }
}

/// Identifies what an object uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct UsedId {
    /// An object or a type.
    pub class: ReferenceClass,
    /// Its id.
    pub id: i32,
}

/// That one thing uses another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Use {
    /// What is used.
    pub target: UsedId,
    /// The object that uses it: a table, module, sequence or constraint.
    pub user: ObjectId,
    /// The column that uses it, if one does.
    pub column: Option<ColumnId>,
    /// Whether the target must stay while the user does.
    pub bound: bool,
}

impl Use {
    fn of_type(id: UserTypeId, user: ObjectId, column: Option<ColumnId>) -> Option<Use> {
        (id >= UserTypeId::FIRST_USER).then_some(Use {
            target: UsedId { class: ReferenceClass::Type, id: id.0 },
            user,
            column,
            bound: true,
        })
    }

    fn of_collection(ty: &SqlType, user: ObjectId, column: Option<ColumnId>) -> Option<Use> {
        ty.xml_use().map(|of| Use {
            target: UsedId {
                class: ReferenceClass::XmlCollection,
                id: XmlCollectionId::of_number(of.collection).0,
            },
            user,
            column,
            bound: true,
        })
    }

    fn of_reference(
        reference: &Reference,
        user: ObjectId,
        column: Option<ColumnId>,
    ) -> Option<Use> {
        reference.id.map(|id| Use {
            target: UsedId { class: reference.class, id },
            user,
            column,
            bound: reference.schema_bound,
        })
    }
}

fn table_uses(table: &TableDef, uses: &mut Vec<Use>) {
    let id = table.id();
    uses.extend(table.columns.iter().filter_map(|c| Use::of_type(c.user_type, id, Some(c.id))));
    uses.extend(table.columns.iter().filter_map(|c| Use::of_collection(&c.ty, id, Some(c.id))));
    uses.extend(
        table.references().filter_map(|(user, column, r)| Use::of_reference(r, user, column)),
    );
}

fn module_uses(module: &ModuleDef, uses: &mut Vec<Use>) {
    let id = module.id();
    uses.extend(module.parameters.iter().filter_map(|p| Use::of_type(p.user_type, id, None)));
    uses.extend(module.returns().and_then(|r| Use::of_type(r.user_type, id, None)));
    uses.extend(module.parameters.iter().filter_map(|p| Use::of_collection(&p.ty, id, None)));
    uses.extend(module.returns().and_then(|r| Use::of_collection(&r.ty, id, None)));
    uses.extend(module.references.iter().filter_map(|r| Use::of_reference(r, id, None)));
    if let ModuleKind::TableFunction { result, .. } = &module.kind {
        uses.extend(result.columns.iter().filter_map(|c| Use::of_type(c.user_type, id, None)));
        uses.extend(result.columns.iter().filter_map(|c| Use::of_collection(&c.ty, id, None)));
    }
}

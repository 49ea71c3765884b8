//! What a change of a definition locks, and how it finds out that it came too late.
//!
//! # Rules
//!
//! A change of a definition locks exclusively the definition, the names that it takes or frees, and
//! the objects whose derived fields change with it; and shared, what the definition refers to. So
//! of two transactions neither refers to what the other drops, nor do both take one name. Kinds
//! that are checked as a whole (the sum of what resource pools may take, the default among
//! filegroups) are locked as a whole.
//!
//! # Coming too late
//!
//! A definition statement reads the schema as it was when it began ([`SchemaEdit::lock`]), makes
//! new definitions of what it finds there, and locks them when it puts them in. Where another
//! transaction has changed one of them in between, what the statement has found is not true any
//! more: the change fails with [`CatalogError::Stale`], and the caller undoes the statement and
//! begins it once more, by then with the locks. What refers to a definition is not part of it:
//! where an existing one is to be changed or removed, anything that was committed in between makes
//! that stale.

use super::{SchemaEdit, is_private, lock};
use crate::catalog::def::*;
use crate::catalog::definition::{Definition, DefinitionKey, ObjectDef, UsedId};
use crate::catalog::error::{CatalogError, CatalogResult};
use crate::catalog::name::NameKey;
use crate::catalog::schema::Schema;
use crate::sync::Arc;
use crate::txn::Transaction;
use crate::txn::locks::{DefinitionKind, LockMode, LockedDefinition};
use crate::wait::Task;
use base::ids::ObjectId;

impl SchemaEdit {
    /// Locks a definition for a change that is to follow.
    pub(super) fn claim(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        key: DefinitionKey,
    ) -> CatalogResult<()> {
        self.take(task, txn, vec![Claim { locked: locked(key), mode: LockMode::EXCLUSIVE }])
    }

    /// Waits for a transaction that takes or frees a name of an object, if there is one: then what
    /// was found of it may not be true any more.
    pub fn wait_for_name(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        schema: SchemaId,
        name: &str,
    ) -> CatalogResult<()> {
        let key = self.schema().key(name);
        let locked = locked_name(DefinitionKind::Object, schema.0, &key);
        match txn.can_lock_definition(locked.clone(), LockMode::SHARED) {
            true => Ok(()),
            false => self.take(task, txn, vec![Claim { locked, mode: LockMode::SHARED }]),
        }
    }

    /// The first of these ids on that no other transaction is about to use for a definition of a
    /// kind.
    pub fn free_id(&self, txn: &Transaction, kind: DefinitionKind, mut id: i32) -> i32 {
        let schema = self.schema();
        let is_taken = |id| {
            let locked = LockedDefinition::One(kind, [id, 0, 0, 0]);
            let is_there = key_of(&locked).is_some_and(|key| schema.get(key).is_some());
            is_there || !txn.can_lock_definition(locked, LockMode::EXCLUSIVE)
        };
        while is_taken(id) {
            id += 1;
        }
        id
    }

    /// Takes the locks of a change.
    pub(super) fn take_claims(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        key: DefinitionKey,
        after: Option<&Definition>,
    ) -> CatalogResult<()> {
        let schema = self.schema();
        let before = schema.get(key);
        let mut known = [before.as_ref(), after].into_iter().flatten();
        if known.clone().next().is_none() || known.all(is_private) {
            return Ok(());
        }
        self.take(task, txn, claims(&schema, key, before.as_ref(), after))
    }

    fn take(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        claims: Vec<Claim>,
    ) -> CatalogResult<()> {
        let mut taken = Vec::new();
        for claim in claims {
            if !txn.lock_definition(task, claim.locked.clone(), claim.mode)?.covered {
                taken.push(claim);
            }
        }
        let base = lock(&self.state).base.clone();
        if base.shared_version() == self.catalog.shared_version() {
            return Ok(());
        }
        let current = self.catalog.current();
        let is_changed = |Claim { locked, mode }: &Claim| match mode.covers(LockMode::EXCLUSIVE) {
            true if has_referrers(&base, locked) => true,
            _ => is_changed(&base, &current, locked),
        };
        match taken.iter().any(is_changed) {
            false => Ok(()),
            true => {
                lock(&self.state).is_stale = true;
                Err(CatalogError::Stale)
            }
        }
    }
}

/// A lock on a definition.
pub(super) struct Claim {
    pub locked: LockedDefinition,
    pub mode: LockMode,
}

/// The locks of a change, in the order in which they are taken.
fn claims(
    schema: &Schema,
    key: DefinitionKey,
    before: Option<&Definition>,
    after: Option<&Definition>,
) -> Vec<Claim> {
    use DefinitionKey as Key;
    let shared = |locked| Claim { locked, mode: LockMode::SHARED };
    let exclusive = |locked| Claim { locked, mode: LockMode::EXCLUSIVE };
    let mut claims = vec![exclusive(locked(key))];
    let as_a_whole = matches!(
        key,
        Key::FileGroup(_)
            | Key::File(_)
            | Key::Configuration(_)
            | Key::ResourcePool(_)
            | Key::RowCache(_)
    );
    if as_a_whole {
        claims.push(exclusive(LockedDefinition::Kind(kind_of(key))));
    }
    let names = |d: Option<&Definition>| d.map_or_else(Vec::new, |d| names_of(schema, d));
    let (freed, taken) = (names(before), names(after));
    let once = |own: &[LockedDefinition], others: &[LockedDefinition]| -> Vec<LockedDefinition> {
        own.iter().filter(|name| !others.contains(name)).cloned().collect()
    };
    let changed = [once(&freed, &taken), once(&taken, &freed)].concat();
    claims.extend(changed.into_iter().map(exclusive));
    let derived = |d: Option<&Definition>| d.map_or_else(Vec::new, derived_of);
    let (gone, come) = (derived(before), derived(after));
    let touched =
        gone.iter().filter(|d| !come.contains(d)).chain(come.iter().filter(|d| !gone.contains(d)));
    claims.extend(touched.map(|(object, _)| exclusive(locked_object(*object))));
    let used = |d: Option<&Definition>| d.map_or_else(Vec::new, references_of);
    claims.extend(once(&used(after), &used(before)).into_iter().map(shared));
    let own = locked(key);
    let mut is_first = true;
    claims.retain(|claim| claim.locked != own || std::mem::take(&mut is_first));
    claims
}

/// Whether other definitions may refer to something that is there already.
fn has_referrers(base: &Schema, locked: &LockedDefinition) -> bool {
    match locked {
        LockedDefinition::One(DefinitionKind::Setting, _) => false,
        LockedDefinition::One(..) => key_of(locked).is_some_and(|key| base.get(key).is_some()),
        LockedDefinition::All | LockedDefinition::Kind(_) | LockedDefinition::Name(..) => false,
    }
}

/// Whether something that has just been locked is not what it was in `base` any more.
fn is_changed(base: &Schema, current: &Schema, locked: &LockedDefinition) -> bool {
    match locked {
        LockedDefinition::All => false,
        LockedDefinition::Kind(kind) => {
            let all = |schema: &Schema| -> Vec<Definition> {
                schema.definitions().filter(|d| kind_of(d.key()) == *kind).collect()
            };
            all(base) != all(current)
        }
        LockedDefinition::One(DefinitionKind::Object, [id, ..]) => {
            base.object_version(ObjectId(*id)) != current.object_version(ObjectId(*id))
        }
        LockedDefinition::One(..) => {
            let of = |schema: &Schema| key_of(locked).and_then(|key| schema.get(key));
            of(base) != of(current)
        }
        LockedDefinition::Name(kind, scope, name) => {
            let of = |schema: &Schema| schema.find_by_key(*kind, *scope, name);
            of(base) != of(current)
        }
    }
}

fn locked_object(id: ObjectId) -> LockedDefinition {
    LockedDefinition::One(DefinitionKind::Object, [id.0, 0, 0, 0])
}

fn locked_name(kind: DefinitionKind, scope: i32, name: &NameKey) -> LockedDefinition {
    LockedDefinition::Name(kind, scope, Arc::from(name.bytes()))
}

fn kind_of(key: DefinitionKey) -> DefinitionKind {
    use DefinitionKey as Key;
    match key {
        Key::Object(_) => DefinitionKind::Object,
        Key::Type(_) => DefinitionKind::Type,
        Key::XmlCollection(_) => DefinitionKind::XmlCollection,
        Key::Schema(_) => DefinitionKind::Schema,
        Key::Principal(_) => DefinitionKind::Principal,
        Key::Permissions(..) => DefinitionKind::Permissions,
        Key::Properties(_) => DefinitionKind::Properties,
        Key::FileGroup(_) => DefinitionKind::FileGroup,
        Key::File(_) => DefinitionKind::File,
        Key::Database(_) => DefinitionKind::Database,
        Key::Login(_) => DefinitionKind::Login,
        Key::ServerPermissions(..) => DefinitionKind::ServerPermissions,
        Key::Configuration(_) => DefinitionKind::Configuration,
        Key::Message(..) => DefinitionKind::Message,
        Key::ResourcePool(_) => DefinitionKind::ResourcePool,
        Key::RowCache(_) => DefinitionKind::RowCache,
        Key::Setting(_) => DefinitionKind::Setting,
    }
}

/// What stands for a definition among the locks.
fn locked(key: DefinitionKey) -> LockedDefinition {
    use DefinitionKey as Key;
    let securable =
        |s: Securable, grantee: i32| [i32::from(s.class.code()), s.major, s.minor, grantee];
    let ids = match key {
        Key::Object(id) => [id.0, 0, 0, 0],
        Key::Type(id) => [id.0, 0, 0, 0],
        Key::XmlCollection(id) => [id.0, 0, 0, 0],
        Key::Schema(id) => [id.0, 0, 0, 0],
        Key::Principal(id) | Key::Login(id) => [id.0, 0, 0, 0],
        Key::Permissions(target, grantee) | Key::ServerPermissions(target, grantee) => {
            securable(target, grantee.0)
        }
        Key::Properties(target) => securable(target, 0),
        Key::FileGroup(id) => [id.0, 0, 0, 0],
        Key::File(id) => [id.0, 0, 0, 0],
        Key::Database(id) => [id.0, 0, 0, 0],
        Key::Configuration(id) | Key::ResourcePool(id) | Key::RowCache(id) => [id, 0, 0, 0],
        Key::Message(id, language) => [id, i32::from(language), 0, 0],
        Key::Setting(id) => [i32::from(id.code()), 0, 0, 0],
    };
    LockedDefinition::One(kind_of(key), ids)
}

/// The other way round.
fn key_of(locked: &LockedDefinition) -> Option<DefinitionKey> {
    use DefinitionKey as Key;
    let LockedDefinition::One(kind, [first, second, third, fourth]) = *locked else { return None };
    let securable = || {
        let class = SecurableClass::from_code(u8::try_from(first).ok()?)?;
        Some(Securable { class, major: second, minor: third })
    };
    Some(match kind {
        DefinitionKind::Object => Key::Object(ObjectId(first)),
        DefinitionKind::Type => Key::Type(UserTypeId(first)),
        DefinitionKind::XmlCollection => Key::XmlCollection(XmlCollectionId(first)),
        DefinitionKind::Schema => Key::Schema(SchemaId(first)),
        DefinitionKind::Principal => Key::Principal(PrincipalId(first)),
        DefinitionKind::Permissions => Key::Permissions(securable()?, PrincipalId(fourth)),
        DefinitionKind::Properties => Key::Properties(securable()?),
        DefinitionKind::FileGroup => Key::FileGroup(DataSpaceId(first)),
        DefinitionKind::File => Key::File(FileId(first)),
        DefinitionKind::Database => Key::Database(base::ids::DbId(first)),
        DefinitionKind::Login => Key::Login(PrincipalId(first)),
        DefinitionKind::ServerPermissions => {
            Key::ServerPermissions(securable()?, PrincipalId(fourth))
        }
        DefinitionKind::Configuration => Key::Configuration(first),
        DefinitionKind::Message => Key::Message(first, i16::try_from(second).ok()?),
        DefinitionKind::ResourcePool => Key::ResourcePool(first),
        DefinitionKind::RowCache => Key::RowCache(first),
        DefinitionKind::Setting => Key::Setting(SettingId::from_code(u8::try_from(first).ok()?)?),
        DefinitionKind::Sid => return None,
    })
}

/// The names that a definition takes.
fn names_of(schema: &Schema, definition: &Definition) -> Vec<LockedDefinition> {
    let named = |kind, scope: i32, name: &str| locked_name(kind, scope, &schema.key(name));
    match definition {
        Definition::Object(d) => {
            let scope = d.header().schema.0;
            d.names().iter().map(|(name, _)| named(DefinitionKind::Object, scope, name)).collect()
        }
        Definition::Type(d) => vec![named(DefinitionKind::Type, d.schema.0, &d.name)],
        Definition::XmlCollection(d) => {
            vec![named(DefinitionKind::XmlCollection, d.schema.0, &d.name)]
        }
        Definition::Schema(d) => vec![named(DefinitionKind::Schema, 0, &d.name)],
        Definition::Principal(d) => {
            let sid = d
                .sid
                .as_ref()
                .map(|sid| LockedDefinition::Name(DefinitionKind::Sid, 0, Arc::from(&sid[..])));
            [named(DefinitionKind::Principal, 0, &d.name)].into_iter().chain(sid).collect()
        }
        Definition::FileGroup(d) => vec![named(DefinitionKind::FileGroup, 0, &d.name)],
        Definition::File(d) => vec![named(DefinitionKind::File, 0, &d.name)],
        Definition::Database(d) => vec![named(DefinitionKind::Database, 0, &d.name)],
        Definition::Login(d) => vec![named(DefinitionKind::Login, 0, &d.name)],
        Definition::Permissions(_)
        | Definition::Properties(_)
        | Definition::ServerPermissions(_)
        | Definition::Configuration(_)
        | Definition::Message(_)
        | Definition::ResourcePool(_)
        | Definition::RowCache(_)
        | Definition::Setting(_) => Vec::new(),
    }
}

/// Other objects with fields that are derived from a definition, and what of it they are derived
/// from.
fn derived_of(definition: &Definition) -> Vec<(ObjectId, ObjectId)> {
    let Definition::Object(object) = definition else { return Vec::new() };
    let own = object.header().id;
    let keys = object.as_table().into_iter().flat_map(|table| &table.foreign_keys);
    let referenced = keys.map(|key| (key.referenced, key.header.id));
    let parent = object.parent().map(|parent| (parent, own));
    let judged = object.as_policy().into_iter().flat_map(|policy| policy.tables());
    let judged = judged.map(|table| (table, own));
    referenced.chain(parent).chain(judged).filter(|(object, _)| *object != own).collect()
}

/// What must stay while a definition refers to it.
fn references_of(definition: &Definition) -> Vec<LockedDefinition> {
    use DefinitionKey as Key;
    let principal = |id: PrincipalId| locked(Key::Principal(id));
    let login = |id: PrincipalId| locked(Key::Login(id));
    match definition {
        Definition::Object(object) => references_of_object(object),
        Definition::Type(d) => {
            let owner = d.owner.map(principal);
            [locked(Key::Schema(d.schema))].into_iter().chain(owner).collect()
        }
        Definition::XmlCollection(d) => {
            let owner = d.owner.map(principal);
            [locked(Key::Schema(d.schema))].into_iter().chain(owner).collect()
        }
        Definition::Schema(d) => vec![principal(d.owner)],
        Definition::Principal(d) => {
            d.owner.iter().chain(&d.roles).copied().map(principal).collect()
        }
        Definition::Login(d) => d.owner.iter().chain(&d.roles).copied().map(login).collect(),
        Definition::Permissions(d) => {
            let grantors = d.grants.iter().map(|grant| principal(grant.grantor));
            let mut used: Vec<LockedDefinition> = grantors.chain([principal(d.grantee)]).collect();
            used.extend(target_of(d.target));
            used
        }
        Definition::ServerPermissions(d) => {
            let grantors = d.grants.iter().map(|grant| login(grant.grantor));
            let on = (d.target.class == SecurableClass::ServerPrincipal)
                .then(|| login(PrincipalId(d.target.major)));
            grantors.chain([login(d.grantee)]).chain(on).collect()
        }
        Definition::Properties(d) => target_of(d.target).into_iter().collect(),
        // Files and their groups are locked as a whole.
        Definition::FileGroup(_)
        | Definition::File(_)
        | Definition::Database(_)
        | Definition::Configuration(_)
        | Definition::Message(_)
        | Definition::ResourcePool(_)
        | Definition::RowCache(_)
        | Definition::Setting(_) => Vec::new(),
    }
}

fn references_of_object(object: &ObjectDef) -> Vec<LockedDefinition> {
    use DefinitionKey as Key;
    let header = object.header();
    // Triggers on the database or the server are in no schema.
    let schema = (header.schema >= SchemaId::DBO).then(|| locked(Key::Schema(header.schema)));
    let mut used: Vec<LockedDefinition> = schema.into_iter().collect();
    used.extend(header.owner.map(|owner| locked(Key::Principal(owner))));
    for own in object.uses().into_iter().filter(|own| own.bound) {
        let UsedId { class, id } = own.target;
        used.push(match class {
            ReferenceClass::Object => locked_object(ObjectId(id)),
            ReferenceClass::Type => locked(Key::Type(UserTypeId(id))),
            ReferenceClass::XmlCollection => locked(Key::XmlCollection(XmlCollectionId(id))),
        });
    }
    if let ObjectDef::Table(table) = object {
        let indexes = table.indexes.iter().map(|index| index.data_space);
        let spaces = indexes.chain([table.data_space]).chain(table.lob_data_space);
        used.extend(spaces.map(|space| locked(Key::FileGroup(space))));
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// What a permission or an extended property is about.
fn target_of(target: Securable) -> Option<LockedDefinition> {
    use DefinitionKey as Key;
    use SecurableClass as Class;
    let major = target.major;
    Some(match target.class {
        Class::Object | Class::Parameter | Class::Index => locked_object(ObjectId(major)),
        Class::Schema => locked(Key::Schema(SchemaId(major))),
        Class::DatabasePrincipal => locked(Key::Principal(PrincipalId(major))),
        Class::Type | Class::TypeColumn => locked(Key::Type(UserTypeId(major))),
        Class::XmlCollection => locked(Key::XmlCollection(XmlCollectionId(major))),
        Class::DataSpace => locked(Key::FileGroup(DataSpaceId(major))),
        Class::DatabaseFile => locked(Key::File(FileId(major))),
        Class::Database | Class::Server | Class::ServerPrincipal | Class::Endpoint => return None,
    })
}

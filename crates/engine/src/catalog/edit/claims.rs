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
use crate::catalog::definition::{Definition, DefinitionKey, ObjectDef};
use crate::catalog::error::{CatalogError, CatalogResult};
use crate::catalog::name::NameKey;
use crate::catalog::schema::Schema;
use crate::sync::Arc;
use crate::txn::Transaction;
use crate::txn::locks::{LockMode, Thing, ThingKind};
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
        self.take(task, txn, vec![(thing(key), LockMode::EXCLUSIVE)])
    }

    /// Waits for a transaction that takes or frees a name of an object, if there is one: then what
    /// was found of it may not be true any more.
    pub fn wait_for_name(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        (schema, name): (SchemaId, &str),
    ) -> CatalogResult<()> {
        let key = self.schema().key(name);
        let thing = name_thing(ThingKind::Object, schema.0, &key);
        match txn.can_lock_thing(thing.clone(), LockMode::SHARED) {
            true => Ok(()),
            false => self.take(task, txn, vec![(thing, LockMode::SHARED)]),
        }
    }

    /// The first of these ids on that no other transaction is about to use for a definition of a
    /// kind.
    pub fn free_id(&self, txn: &Transaction, kind: ThingKind, mut id: i32) -> i32 {
        let schema = self.schema();
        let is_taken = |id| {
            let thing = Thing::One(kind, [id, 0, 0, 0]);
            let is_there = key_of(&thing).is_some_and(|key| schema.get(key).is_some());
            is_there || !txn.can_lock_thing(thing, LockMode::EXCLUSIVE)
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
        claims: Vec<(Thing, LockMode)>,
    ) -> CatalogResult<()> {
        let mut taken = Vec::new();
        for (thing, mode) in claims {
            if !txn.lock_thing(task, thing.clone(), mode)?.covered {
                taken.push((thing, mode));
            }
        }
        let base = lock(&self.state).base.clone();
        if base.shared_version() == self.catalog.shared_version() {
            return Ok(());
        }
        let current = self.catalog.current();
        let is_changed = |(thing, mode): &(Thing, LockMode)| match mode.covers(LockMode::EXCLUSIVE)
        {
            true if has_referrers(&base, thing) => true,
            _ => is_changed(&base, &current, thing),
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

/// The locks of a change, in the order in which they are taken.
fn claims(
    schema: &Schema,
    key: DefinitionKey,
    before: Option<&Definition>,
    after: Option<&Definition>,
) -> Vec<(Thing, LockMode)> {
    use DefinitionKey as Key;
    let (shared, exclusive) = (LockMode::SHARED, LockMode::EXCLUSIVE);
    let mut claims = vec![(thing(key), exclusive)];
    let as_a_whole = matches!(
        key,
        Key::FileGroup(_) | Key::File(_) | Key::Configuration(_) | Key::ResourcePool(_)
    );
    if as_a_whole {
        claims.push((Thing::Kind(kind_of(key)), exclusive));
    }
    let names = |d: Option<&Definition>| d.map_or_else(Vec::new, |d| names_of(schema, d));
    let (freed, taken) = (names(before), names(after));
    let once = |own: &[Thing], others: &[Thing]| -> Vec<Thing> {
        own.iter().filter(|name| !others.contains(name)).cloned().collect()
    };
    let changed = [once(&freed, &taken), once(&taken, &freed)].concat();
    claims.extend(changed.into_iter().map(|name| (name, exclusive)));
    let derived = |d: Option<&Definition>| d.map_or_else(Vec::new, derived_of);
    let (gone, come) = (derived(before), derived(after));
    let touched =
        gone.iter().filter(|d| !come.contains(d)).chain(come.iter().filter(|d| !gone.contains(d)));
    claims.extend(touched.map(|(object, _)| (object_thing(*object), exclusive)));
    let used = |d: Option<&Definition>| d.map_or_else(Vec::new, references_of);
    claims.extend(once(&used(after), &used(before)).into_iter().map(|thing| (thing, shared)));
    let own = thing(key);
    let mut is_first = true;
    claims.retain(|(thing, _)| *thing != own || std::mem::take(&mut is_first));
    claims
}

/// Whether other definitions may refer to something that is there already.
fn has_referrers(base: &Schema, thing: &Thing) -> bool {
    match thing {
        Thing::One(ThingKind::Setting, _) => false,
        Thing::One(..) => key_of(thing).is_some_and(|key| base.get(key).is_some()),
        Thing::All | Thing::Kind(_) | Thing::Name(..) => false,
    }
}

/// Whether something that has just been locked is not what it was in `base` any more.
fn is_changed(base: &Schema, current: &Schema, thing: &Thing) -> bool {
    match thing {
        Thing::All => false,
        Thing::Kind(kind) => {
            let all = |schema: &Schema| -> Vec<Definition> {
                schema.definitions().filter(|d| kind_of(d.key()) == *kind).collect()
            };
            all(base) != all(current)
        }
        Thing::One(ThingKind::Object, [id, ..]) => {
            base.object_version(ObjectId(*id)) != current.object_version(ObjectId(*id))
        }
        Thing::One(..) => {
            let of = |schema: &Schema| key_of(thing).and_then(|key| schema.get(key));
            of(base) != of(current)
        }
        Thing::Name(kind, scope, name) => {
            let of = |schema: &Schema| schema.find_by_key(*kind, *scope, name);
            of(base) != of(current)
        }
    }
}

fn object_thing(id: ObjectId) -> Thing {
    Thing::One(ThingKind::Object, [id.0, 0, 0, 0])
}

fn name_thing(kind: ThingKind, scope: i32, name: &NameKey) -> Thing {
    Thing::Name(kind, scope, Arc::from(name.bytes()))
}

fn kind_of(key: DefinitionKey) -> ThingKind {
    use DefinitionKey as Key;
    match key {
        Key::Object(_) => ThingKind::Object,
        Key::Type(_) => ThingKind::Type,
        Key::Schema(_) => ThingKind::Schema,
        Key::Principal(_) => ThingKind::Principal,
        Key::Permissions(..) => ThingKind::Permissions,
        Key::Properties(_) => ThingKind::Properties,
        Key::FileGroup(_) => ThingKind::FileGroup,
        Key::File(_) => ThingKind::File,
        Key::Database(_) => ThingKind::Database,
        Key::Login(_) => ThingKind::Login,
        Key::ServerPermissions(..) => ThingKind::ServerPermissions,
        Key::Configuration(_) => ThingKind::Configuration,
        Key::Message(..) => ThingKind::Message,
        Key::ResourcePool(_) => ThingKind::ResourcePool,
        Key::Setting(_) => ThingKind::Setting,
    }
}

/// What stands for a definition among the locks.
fn thing(key: DefinitionKey) -> Thing {
    use DefinitionKey as Key;
    let securable =
        |s: Securable, grantee: i32| [i32::from(s.class.code()), s.major, s.minor, grantee];
    let ids = match key {
        Key::Object(id) => [id.0, 0, 0, 0],
        Key::Type(id) => [id.0, 0, 0, 0],
        Key::Schema(id) => [id.0, 0, 0, 0],
        Key::Principal(id) | Key::Login(id) => [id.0, 0, 0, 0],
        Key::Permissions(target, grantee) | Key::ServerPermissions(target, grantee) => {
            securable(target, grantee.0)
        }
        Key::Properties(target) => securable(target, 0),
        Key::FileGroup(id) => [id.0, 0, 0, 0],
        Key::File(id) => [id.0, 0, 0, 0],
        Key::Database(id) => [id.0, 0, 0, 0],
        Key::Configuration(id) | Key::ResourcePool(id) => [id, 0, 0, 0],
        Key::Message(id, language) => [id, i32::from(language), 0, 0],
        Key::Setting(id) => [i32::from(id.code()), 0, 0, 0],
    };
    Thing::One(kind_of(key), ids)
}

/// The other way round.
fn key_of(thing: &Thing) -> Option<DefinitionKey> {
    use DefinitionKey as Key;
    let Thing::One(kind, [first, second, third, fourth]) = *thing else { return None };
    let securable = || {
        let class = SecurableClass::from_code(u8::try_from(first).ok()?)?;
        Some(Securable { class, major: second, minor: third })
    };
    Some(match kind {
        ThingKind::Object => Key::Object(ObjectId(first)),
        ThingKind::Type => Key::Type(UserTypeId(first)),
        ThingKind::Schema => Key::Schema(SchemaId(first)),
        ThingKind::Principal => Key::Principal(PrincipalId(first)),
        ThingKind::Permissions => Key::Permissions(securable()?, PrincipalId(fourth)),
        ThingKind::Properties => Key::Properties(securable()?),
        ThingKind::FileGroup => Key::FileGroup(DataSpaceId(first)),
        ThingKind::File => Key::File(FileId(first)),
        ThingKind::Database => Key::Database(base::ids::DbId(first)),
        ThingKind::Login => Key::Login(PrincipalId(first)),
        ThingKind::ServerPermissions => Key::ServerPermissions(securable()?, PrincipalId(fourth)),
        ThingKind::Configuration => Key::Configuration(first),
        ThingKind::Message => Key::Message(first, i16::try_from(second).ok()?),
        ThingKind::ResourcePool => Key::ResourcePool(first),
        ThingKind::Setting => Key::Setting(SettingId::from_code(u8::try_from(first).ok()?)?),
        ThingKind::Sid => return None,
    })
}

/// The names that a definition takes.
fn names_of(schema: &Schema, definition: &Definition) -> Vec<Thing> {
    let named = |kind, scope: i32, name: &str| name_thing(kind, scope, &schema.key(name));
    match definition {
        Definition::Object(d) => {
            let scope = d.header().schema.0;
            d.names().iter().map(|(name, _)| named(ThingKind::Object, scope, name)).collect()
        }
        Definition::Type(d) => vec![named(ThingKind::Type, d.schema.0, &d.name)],
        Definition::Schema(d) => vec![named(ThingKind::Schema, 0, &d.name)],
        Definition::Principal(d) => {
            let sid = d.sid.as_ref().map(|sid| Thing::Name(ThingKind::Sid, 0, Arc::from(&sid[..])));
            [named(ThingKind::Principal, 0, &d.name)].into_iter().chain(sid).collect()
        }
        Definition::FileGroup(d) => vec![named(ThingKind::FileGroup, 0, &d.name)],
        Definition::File(d) => vec![named(ThingKind::File, 0, &d.name)],
        Definition::Database(d) => vec![named(ThingKind::Database, 0, &d.name)],
        Definition::Login(d) => vec![named(ThingKind::Login, 0, &d.name)],
        Definition::Permissions(_)
        | Definition::Properties(_)
        | Definition::ServerPermissions(_)
        | Definition::Configuration(_)
        | Definition::Message(_)
        | Definition::ResourcePool(_)
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
    referenced.chain(parent).filter(|(object, _)| *object != own).collect()
}

/// What must stay while a definition refers to it.
fn references_of(definition: &Definition) -> Vec<Thing> {
    use DefinitionKey as Key;
    let principal = |id: PrincipalId| thing(Key::Principal(id));
    let login = |id: PrincipalId| thing(Key::Login(id));
    match definition {
        Definition::Object(object) => references_of_object(object),
        Definition::Type(d) => {
            let owner = d.owner.map(principal);
            [thing(Key::Schema(d.schema))].into_iter().chain(owner).collect()
        }
        Definition::Schema(d) => vec![principal(d.owner)],
        Definition::Principal(d) => {
            d.owner.iter().chain(&d.roles).copied().map(principal).collect()
        }
        Definition::Login(d) => d.owner.iter().chain(&d.roles).copied().map(login).collect(),
        Definition::Permissions(d) => {
            let grantors = d.grants.iter().map(|grant| principal(grant.grantor));
            let mut used: Vec<Thing> = grantors.chain([principal(d.grantee)]).collect();
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
        | Definition::Setting(_) => Vec::new(),
    }
}

fn references_of_object(object: &ObjectDef) -> Vec<Thing> {
    use DefinitionKey as Key;
    let header = object.header();
    let mut used = vec![thing(Key::Schema(header.schema))];
    used.extend(header.owner.map(|owner| thing(Key::Principal(owner))));
    for own in object.uses().into_iter().filter(|own| own.bound) {
        let (class, id) = own.target;
        used.push(match class {
            ReferenceClass::Object => object_thing(ObjectId(id)),
            ReferenceClass::Type => thing(Key::Type(UserTypeId(id))),
        });
    }
    if let ObjectDef::Table(table) = object {
        let indexes = table.indexes.iter().map(|index| index.data_space);
        let spaces = indexes.chain([table.data_space]).chain(table.lob_data_space);
        used.extend(spaces.map(|space| thing(Key::FileGroup(space))));
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// What a permission or an extended property is about.
fn target_of(target: Securable) -> Option<Thing> {
    use DefinitionKey as Key;
    use SecurableClass as Class;
    let major = target.major;
    Some(match target.class {
        Class::Object | Class::Parameter | Class::Index => object_thing(ObjectId(major)),
        Class::Schema => thing(Key::Schema(SchemaId(major))),
        Class::DatabasePrincipal => thing(Key::Principal(PrincipalId(major))),
        Class::Type | Class::TypeColumn => thing(Key::Type(UserTypeId(major))),
        Class::DataSpace => thing(Key::FileGroup(DataSpaceId(major))),
        Class::DatabaseFile => thing(Key::File(FileId(major))),
        Class::Database | Class::Server | Class::ServerPrincipal | Class::Endpoint => return None,
    })
}

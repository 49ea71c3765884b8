//! Changing the schema in a transaction.
//!
//! # Life of a change
//!
//! A session whose transaction runs DDL makes a [`SchemaEdit`]: a working copy of the schema that
//! only this session sees. Every change is made in the working copy and written to the rows of the
//! system tables by the transaction. Commit makes what was changed part of the current schema, at
//! the commit's stamp and before the transaction lets go of any gate; rollback throws it away.
//!
//! # Locks
//!
//! Transactions change the schema side by side, and commit takes over only what was changed. Each
//! change locks what it changes and what it relies on until its transaction ends ([`claims`]), and
//! fails as stale if that was changed since the statement began: [`SchemaEdit::lock`] comes before
//! the checks that a definition statement makes, and from there to [`SchemaEdit::end_statement`]
//! the working copy is *pinned*: it does not take over what other transactions commit. Local
//! temporary objects (`#name`) need no locks, since other sessions cannot name them.
//!
//! Tables whose definition changes, derived fields included, have their gates closed until the
//! transaction ends: transactions that got in before are done, and those that get in afterwards
//! find the new schema.
//!
//! # Undoing
//!
//! Rows are undone by the transaction. The working copy follows when the session calls
//! [`SchemaEdit::rolled_back`] after it has rolled back a statement or to a savepoint.
//!
//! # Invariants
//!
//! * E1: the working copy is what a reader would build from the rows that the transaction sees.
//! * E2: a change that is recorded at a position of the transaction has written at least one row
//!   there, so that rolling back to the position or before it, and nothing else, undoes the change.
//! * E5: where the working copy is not pinned, it is made of what is current, but for local
//!   temporary objects of other sessions.

mod claims;
mod load;
mod rebuild;
mod tables;

pub use rebuild::{Rows, TableRebuild};

use std::mem;

use base::ids::{Lsn, ObjectId, StorageId};

use self::claims::Claim;
use super::def::*;
use super::definition::{Definition, DefinitionKey, ObjectDef};
use super::error::{CatalogError, CatalogResult};
use super::schema::Schema;
use super::store::Catalog;
use super::system_tables::{SystemRow, address};
use crate::hot::table::Table;
use crate::sync::Arc;
use crate::sync::plain::{Mutex, OwnGuard};
use crate::txn::locks::{DefinitionKind, LockMode, LockedDefinition};
use crate::txn::{Durability, Savepoint, Transaction};
use crate::wait::Task;

/// The working copy of a transaction that changes the schema. See the module's header.
pub struct SchemaEdit {
    catalog: Arc<Catalog>,
    /// Shared with the hook that the transaction calls at its end.
    state: Arc<Mutex<State>>,
    /// The table whose successor is being loaded.
    load: Option<Box<load::TableLoad>>,
}

struct State {
    /// What was current when the working copy was made.
    base: Arc<Schema>,
    working: Arc<Schema>,
    /// By ascending position.
    changes: Vec<Change>,
    /// Whether a definition statement relies on `base`.
    pinned: bool,
    /// Whether what it relied on has turned out to be changed.
    is_stale: bool,
    ended: bool,
}

/// One step from one working copy to the next.
struct Change {
    /// Where the transaction stood before.
    at: Savepoint,
    step: Step,
}

enum Step {
    /// The definition with this key was put or removed; before it was this.
    Definition(DefinitionKey, Option<Definition>),
    /// This storage was made.
    Created(StorageId),
    /// This storage is not in use any more.
    Dropped(StorageId),
}

/// What is left to do for a change after the working copy has it.
struct Pending {
    existed: bool,
    bytes: Option<Vec<u8>>,
    /// The tables whose gates have to be closed.
    gates: Vec<Arc<Table>>,
}

impl SchemaEdit {
    /// Begins to change the schema in this transaction, which must be in the catalog's database.
    /// A transaction has one edit, which the session keeps until it ends.
    pub fn begin(catalog: &Arc<Catalog>, txn: &mut Transaction) -> SchemaEdit {
        let base = catalog.current();
        let working = Arc::new(base.working_copy(catalog.fresh_version()));
        let state = State {
            base,
            working,
            changes: Vec::new(),
            pinned: false,
            is_stale: false,
            ended: false,
        };
        let state = Arc::new(Mutex::new(state));
        let edit = SchemaEdit { catalog: catalog.clone(), state: state.clone(), load: None };
        let catalog = catalog.clone();
        txn.on_end(move |stamp| lock(&state).end(&catalog, stamp));
        edit
    }

    /// Begins a definition statement that is not about local temporary objects alone: the schema is
    /// what is current now, with the transaction's own changes, until
    /// [`SchemaEdit::end_statement`]. Comes before the statement's checks. Does nothing within a
    /// statement.
    pub fn lock(&mut self, task: &Task, txn: &mut Transaction) -> CatalogResult<()> {
        self.pin(
            task,
            txn,
            &[Claim { locked: LockedDefinition::All, mode: LockMode::INTENT_EXCLUSIVE }],
        )
    }

    /// As `lock`, for a statement that changes the schema as a whole, or relies on all of it: no
    /// other transaction changes it until this one ends.
    pub fn lock_all(&mut self, task: &Task, txn: &mut Transaction) -> CatalogResult<()> {
        self.pin(task, txn, &[Claim { locked: LockedDefinition::All, mode: LockMode::EXCLUSIVE }])
    }

    /// As `lock`, for a statement that only looks at the schema as a whole.
    pub fn lock_to_verify(&mut self, task: &Task, txn: &mut Transaction) -> CatalogResult<()> {
        let settings = LockedDefinition::Kind(DefinitionKind::Setting);
        let shared = |locked| Claim { locked, mode: LockMode::SHARED };
        self.pin(task, txn, &[shared(LockedDefinition::All), shared(settings)])
    }

    fn pin(&mut self, task: &Task, txn: &mut Transaction, claims: &[Claim]) -> CatalogResult<()> {
        if lock(&self.state).pinned {
            return Ok(());
        }
        for claim in claims {
            txn.lock_definition(task, claim.locked.clone(), claim.mode)?;
        }
        let mut state = lock(&self.state);
        state.refresh(&self.catalog);
        state.pinned = true;
        Ok(())
    }

    /// The definition statement has ended, or is to begin once more.
    pub fn end_statement(&mut self) {
        lock(&self.state).pinned = false;
    }

    /// Whether a change has failed as stale since this was asked last.
    pub fn take_stale(&mut self) -> bool {
        mem::take(&mut lock(&self.state).is_stale)
    }

    /// The schema as the transaction sees it.
    pub fn schema(&self) -> Arc<Schema> {
        let mut state = lock(&self.state);
        if !state.pinned {
            state.refresh(&self.catalog);
        }
        state.working.clone()
    }

    /// Whether anything is changed, so that the session has to use [`SchemaEdit::schema`] instead
    /// of the current one.
    pub fn has_changes(&self) -> bool {
        !lock(&self.state).changes.is_empty()
    }

    /// The catalog that is changed.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// An id for a new object or constraint, given once.
    pub fn new_object_id(&mut self) -> ObjectId {
        self.catalog.new_object_id(&self.schema())
    }

    /// An id for a new local temporary object or a constraint of one, given once.
    pub fn new_temporary_id(&mut self) -> ObjectId {
        self.catalog.new_temporary_id(&self.schema())
    }

    /// Puts a definition in, new or in place of the one with its key. Tables with rows have
    /// functions of their own: [`SchemaEdit::create_table`] and those beside it.
    ///
    /// After any error the statement has to be rolled back.
    pub fn put(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        definition: Definition,
    ) -> CatalogResult<()> {
        let key = definition.key();
        self.change(task, txn, key, Some(definition))
    }

    /// Removes a definition together with what belongs to it: permissions, extended properties, the
    /// triggers of a table or view, a table's rows, a table type's hidden table.
    ///
    /// Refuses to drop what others are bound to; all other checks are the caller's. Does nothing
    /// if there is no such definition.
    pub fn drop(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        key: DefinitionKey,
    ) -> CatalogResult<()> {
        let schema = self.schema();
        match key {
            DefinitionKey::Object(id) => {
                check_droppable(&schema, id)?;
                for trigger in triggers_of(&schema, id).iter().filter(|t| **t != id) {
                    self.remove(task, txn, &schema, DefinitionKey::Object(*trigger))?;
                }
                let storage = schema.table(id).map(|t| t.storage).filter(|s| *s != NO_STORAGE);
                lock(&self.state).record(txn.savepoint(), storage.map(Step::Dropped));
            }
            DefinitionKey::Type(id) => {
                let def = schema.types().get(id).map(|t| &t.kind);
                if let Some(TypeDefKind::Table { table }) = def {
                    self.remove(task, txn, &schema, DefinitionKey::Object(*table))?;
                }
            }
            _ => {}
        }
        self.remove(task, txn, &schema, key)
    }

    /// Removes a definition with its permissions and extended properties.
    fn remove(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        schema: &Schema,
        key: DefinitionKey,
    ) -> CatalogResult<()> {
        let hanging = hanging_on(schema, key);
        if !hanging.is_empty() {
            // Others see them, even those of a local temporary table, which goes without the lock.
            self.lock(task, txn)?;
        }
        for hanging in hanging {
            self.change(task, txn, hanging, None)?;
        }
        self.change(task, txn, key, None)
    }

    /// Tells the edit that the transaction was rolled back to an earlier position: changes made
    /// since then are undone.
    pub fn rolled_back(&mut self, txn: &Transaction) {
        self.undo_load(txn.savepoint());
        lock(&self.state).undo(&self.catalog, txn.savepoint());
    }

    /// Changes one definition: in the working copy, on the gates, in the rows.
    fn change(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        key: DefinitionKey,
        after: Option<Definition>,
    ) -> CatalogResult<()> {
        self.take_claims(task, txn, key, after.as_ref())?;
        let at = txn.savepoint();
        let pending = lock(&self.state).change(&self.catalog, at, key, after)?;
        let Some(Pending { existed, bytes, gates }) = pending else { return Ok(()) };
        for table in gates {
            txn.close_gate(task, &table)?;
        }
        let (system, row) = address(&key);
        let catalog = self.catalog.clone();
        if !existed && let Some(sequence) = sequence_of(&self.schema(), key) {
            // No other transaction knows it, but this one may use it at once.
            catalog.sequences().follow(&sequence);
        }
        catalog.write_row(task, txn, system, &row, existed, bytes.as_deref())?;
        match key {
            DefinitionKey::Object(_) => self.reserve_ids(task, txn),
            _ => Ok(()),
        }
    }

    /// Writes a definition's row once more as it is, so that the transaction's position is a later
    /// one.
    fn write_again(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        definition: &Definition,
    ) -> CatalogResult<()> {
        let (system, row) = address(&definition.key());
        let bytes = SystemRow::of(definition).bytes();
        self.catalog.clone().write_row(task, txn, system, &row, true, Some(&bytes))
    }

    /// Writes down up to where ids may be given, in a transaction of its own: other transactions
    /// are about to do so as well, and none waits until this transaction ends.
    fn reserve_ids(&mut self, task: &Task, txn: &Transaction) -> CatalogResult<()> {
        // Without a log nothing of the database survives the server.
        if !self.catalog.is_logged() || !self.catalog.needs_ids() {
            return Ok(());
        }
        let place = txn.session().of_another_owner();
        let mut own = Transaction::begin(&place, task)?;
        let mut edit = SchemaEdit::begin(&self.catalog, &mut own);
        let settings = LockedDefinition::Kind(DefinitionKind::Setting);
        edit.pin(task, &mut own, &[Claim { locked: settings, mode: LockMode::EXCLUSIVE }])?;
        if !self.catalog.needs_ids() {
            own.rollback(task);
            return Ok(());
        }
        let (settings, reserved) = self.catalog.ids_to_reserve();
        for setting in settings {
            edit.put(task, &mut own, Definition::Setting(setting))?;
        }
        own.commit(task, Durability::Delayed)?;
        self.catalog.ids_reserved(reserved);
        Ok(())
    }
}

impl State {
    fn record(&mut self, at: Savepoint, step: impl IntoIterator<Item = Step>) {
        self.changes.extend(step.into_iter().map(|step| Change { at, step }));
    }

    /// Changes the working copy. Returns what is left to do, or `None` if nothing is different.
    fn change(
        &mut self,
        catalog: &Catalog,
        at: Savepoint,
        key: DefinitionKey,
        after: Option<Definition>,
    ) -> CatalogResult<Option<Pending>> {
        assert!(!self.ended, "an edit ends with its transaction");
        base::on_purpose::reached(base::on_purpose::Place::SchemaEdit);
        let before = self.working.get(key);
        assert!(
            self.pinned || [&before, &after].into_iter().flatten().all(is_private),
            "a change that others can see is made by a statement that has begun: {key:?}"
        );
        let row = |d: &Option<Definition>| d.as_ref().map(|d| SystemRow::of(d).bytes());
        let bytes = row(&after);
        if row(&before) == bytes {
            return Ok(None);
        }
        let working = Arc::make_mut(&mut self.working);
        working.set_version(catalog.fresh_version());
        let replaced = working.replaced().len();
        match after {
            Some(definition) => working.put(definition)?,
            None => working.remove(key),
        }
        let touched = working.replaced()[replaced..].to_vec();
        let existed = before.is_some();
        let gates = self.gates(catalog, &touched, before.as_ref());
        self.record(at, [Step::Definition(key, before)]);
        Ok(Some(Pending { existed, bytes, gates }))
    }

    /// The tables behind the objects that a change touches, as far as other transactions can see
    /// them.
    fn gates(
        &self,
        catalog: &Catalog,
        touched: &[ObjectId],
        before: Option<&Definition>,
    ) -> Vec<Arc<Table>> {
        let old = match before {
            Some(Definition::Object(ObjectDef::Table(table))) => Some(table),
            _ => None,
        };
        let tables = touched.iter().filter_map(|id| self.working.table(*id)).chain(old);
        let mut storages: Vec<StorageId> = tables.map(|t| t.storage).collect();
        storages.sort_unstable();
        storages.dedup();
        storages.retain(|storage| !self.is_created(*storage));
        storages.into_iter().filter_map(|s| catalog.tables().get(s)).collect()
    }

    fn is_created(&self, storage: StorageId) -> bool {
        self.changes.iter().any(|c| matches!(c.step, Step::Created(s) if s == storage))
    }

    /// Undoes the changes made at a position or after it.
    fn undo(&mut self, catalog: &Catalog, to: Savepoint) {
        let kept = self.changes.partition_point(|change| change.at < to);
        for change in self.changes.split_off(kept).into_iter().rev() {
            match change.step {
                Step::Definition(key, before) => {
                    let working = Arc::make_mut(&mut self.working);
                    working.set_version(catalog.fresh_version());
                    match before {
                        Some(before) => working.put(before).expect("it had its name before"),
                        None => {
                            working.remove(key);
                            self.forget_sequence(catalog, key);
                        }
                    }
                }
                Step::Created(storage) => catalog.database().manager().drop_table(storage),
                Step::Dropped(_) => {}
            }
        }
        if self.changes.is_empty() {
            self.working = Arc::new(self.base.working_copy(catalog.fresh_version()));
        }
    }

    /// Makes the working copy anew from what is current now, if other transactions have changed
    /// more than local temporary objects.
    fn refresh(&mut self, catalog: &Catalog) {
        if catalog.shared_version() == self.base.shared_version() || self.ended {
            return;
        }
        let current = catalog.current();
        let mut working = current.working_copy(catalog.fresh_version());
        self.transfer(&mut working);
        (self.base, self.working) = (current, Arc::new(working));
    }

    /// Makes all changes in another schema. What another transaction has changed there meanwhile
    /// has nothing to do with them, or their locks would have kept it out.
    fn transfer(&self, to: &mut Schema) {
        let mut keys: Vec<DefinitionKey> = Vec::new();
        for change in &self.changes {
            if let Step::Definition(key, _) = change.step {
                keys.push(key);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        // Names may have moved from one object to another, so all of them are freed first.
        for key in &keys {
            to.remove(*key);
        }
        for definition in keys.iter().filter_map(|key| self.working.get(*key)) {
            to.put(definition).expect("others cannot have taken its names");
        }
    }

    /// The transaction has ended: at this stamp, or by a rollback.
    fn end(&mut self, catalog: &Catalog, stamp: Option<Lsn>) {
        let changes = mem::take(&mut self.changes);
        match stamp {
            None => {
                for change in changes {
                    match change.step {
                        Step::Created(storage) => {
                            catalog.database().manager().drop_table(storage);
                        }
                        Step::Definition(key, None) => self.forget_sequence(catalog, key),
                        Step::Definition(..) | Step::Dropped(_) => {}
                    }
                }
            }
            Some(_) if changes.is_empty() => {}
            Some(stamp) => {
                self.changes = changes;
                self.publish(catalog, stamp);
                for change in mem::take(&mut self.changes) {
                    match change.step {
                        Step::Dropped(storage) => {
                            catalog.database().manager().drop_table(storage);
                        }
                        Step::Definition(key, _) => {
                            match sequence_of(&self.working, key) {
                                Some(sequence) => catalog.sequences().follow(&sequence),
                                None => self.forget_sequence(catalog, key),
                            }
                            if let DefinitionKey::Object(id) = key
                                && let Some(table) = self.working.table(id)
                            {
                                catalog.switch_row_caching(table);
                            }
                        }
                        Step::Created(_) => {}
                    }
                }
            }
        }
        self.ended = true;
    }

    /// There is no definition with this key any more.
    fn forget_sequence(&self, catalog: &Catalog, key: DefinitionKey) {
        if let DefinitionKey::Object(id) = key {
            catalog.sequences().forget(id);
        }
    }

    fn publish(&self, catalog: &Catalog, stamp: Lsn) {
        // A snapshot sees the stamps below it.
        let visible_from = Lsn(stamp.0 + 1);
        let is_shared = self.changes.iter().any(|change| match &change.step {
            Step::Definition(key, before) => {
                let after = self.working.get(*key);
                [before.as_ref(), after.as_ref()].into_iter().flatten().any(|d| !is_private(d))
            }
            Step::Created(_) | Step::Dropped(_) => false,
        });
        catalog.publish(|current| {
            let mut schema = match Arc::ptr_eq(current, &self.base) {
                true => Schema::clone(&self.working),
                false => {
                    let mut schema = current.working_copy(catalog.fresh_version());
                    self.transfer(&mut schema);
                    schema
                }
            };
            schema.publish(catalog.fresh_version(), visible_from);
            if !is_shared {
                schema.share_version(current);
            }
            schema
        });
    }
}

fn lock(state: &Mutex<State>) -> OwnGuard<'_, State> {
    state.lock_own()
}

fn sequence_of(schema: &Schema, key: DefinitionKey) -> Option<Arc<SequenceDef>> {
    match key {
        DefinitionKey::Object(id) => schema.sequence(id).cloned(),
        _ => None,
    }
}

fn is_private(definition: &Definition) -> bool {
    matches!(definition, Definition::Object(object) if object.is_private())
}

fn check_droppable(schema: &Schema, id: ObjectId) -> CatalogResult<()> {
    let Some(object) = schema.object_def(id) else { return Ok(()) };
    let name = object.header().name.clone();
    if let ObjectDef::Table(table) = object
        && table.referenced_by.iter().any(|key| key.table != id)
    {
        return Err(CatalogError::ReferencedByKey { name });
    }
    match schema.first_bound_user(id) {
        Some(user) => Err(CatalogError::ReferencedBy { name, user: user.name().clone() }),
        None => Ok(()),
    }
}

fn triggers_of(schema: &Schema, id: ObjectId) -> &[ObjectId] {
    match schema.object_def(id) {
        Some(ObjectDef::Table(table)) => &table.triggers,
        Some(ObjectDef::Module(module)) => &module.triggers,
        _ => &[],
    }
}

/// The permissions and extended properties of a definition and of its parts.
fn hanging_on(schema: &Schema, key: DefinitionKey) -> Vec<DefinitionKey> {
    use SecurableClass as Class;
    let mut securables: Vec<(Class, i32)> = match key {
        DefinitionKey::Object(id) => {
            vec![(Class::Object, id.0), (Class::Parameter, id.0), (Class::Index, id.0)]
        }
        DefinitionKey::Type(id) => vec![(Class::Type, id.0), (Class::TypeColumn, id.0)],
        DefinitionKey::XmlCollection(id) => vec![(Class::XmlCollection, id.0)],
        DefinitionKey::Schema(id) => vec![(Class::Schema, id.0)],
        DefinitionKey::Principal(id) => vec![(Class::DatabasePrincipal, id.0)],
        DefinitionKey::FileGroup(id) => vec![(Class::DataSpace, id.0)],
        DefinitionKey::File(id) => vec![(Class::DatabaseFile, id.0)],
        _ => Vec::new(),
    };
    if let DefinitionKey::Object(id) = key
        && let Some(table) = schema.table(id)
    {
        securables.extend(table.constraints().map(|(_, c)| (Class::Object, c.id.0)));
    }
    let mut keys = Vec::new();
    for (class, id) in securables {
        let sets = schema.permissions_on(class, id);
        keys.extend(sets.map(|s| DefinitionKey::Permissions(s.target, s.grantee)));
        let sets = schema.properties_on(class, id);
        keys.extend(sets.map(|s| DefinitionKey::Properties(s.target)));
    }
    match key {
        DefinitionKey::Principal(id) => {
            let sets = schema.permissions().filter(|s| s.grantee == id);
            keys.extend(sets.map(|s| DefinitionKey::Permissions(s.target, s.grantee)));
        }
        DefinitionKey::Login(id) => {
            let concerns = |s: &&Arc<PermissionSet>| {
                s.grantee == id
                    || (s.target.class == Class::ServerPrincipal && s.target.major == id.0)
            };
            let sets = schema.server().permissions().filter(concerns);
            keys.extend(sets.map(|s| DefinitionKey::ServerPermissions(s.target, s.grantee)));
        }
        _ => {}
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

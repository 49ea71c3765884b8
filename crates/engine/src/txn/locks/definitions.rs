//! Locks of changes of definitions: on what has a definition in a database, and on its name.
//!
//! A transaction that changes definitions locks each of them exclusively (Sch-M), its name where it
//! takes or frees one, and shared (Sch-S) what the definition refers to. It holds these locks until
//! it ends. Readers and writers of rows take none of them: the gates of tables keep them and
//! definitions apart. An open cursor that reads its rows anew holds its table shared from outside
//! of transactions ([`HeldDefinition`]).

use base::ids::ObjectId;

use crate::sync::Arc;
use crate::txn::error::TxnResult;
use crate::txn::locks::mode::LockMode;
use crate::txn::locks::queue::{Patience, Taken};
use crate::txn::locks::row_keys::NoKeys;
use crate::txn::locks::space::{LockSpace, Request};
use crate::txn::locks::target::{DefinitionKind, Lifetime, LockedDefinition, Target};
use crate::txn::manager::Manager;
use crate::txn::transaction::Transaction;
use crate::txn::waits::{Gates, Owner, OwnerId};
use crate::wait::Task;

impl Transaction {
    /// Locks something that has a definition until the transaction ends.
    pub fn lock_definition(
        &mut self,
        task: &Task,
        definition: LockedDefinition,
        mode: LockMode,
    ) -> TxnResult<Taken> {
        self.pass_baton();
        let session = self.session.clone();
        let owner = session.owner().clone();
        owner.set_cost(self.cost());
        self.locks_definitions = true;
        let request = self.request(definition, mode);
        let gates = self.gates().collect();
        let space = session.manager().definition_locks();
        let pause = || self.show_writes();
        Ok(space.take(task, request, &NoKeys, Patience::Session, gates, pause)?)
    }

    /// Whether the transaction could lock something without waiting.
    pub fn can_lock_definition(&self, definition: LockedDefinition, mode: LockMode) -> bool {
        let request = self.request(definition, mode);
        let space: &LockSpace = self.session.manager().definition_locks();
        space.is_available(&request, &NoKeys)
    }

    fn request(&self, definition: LockedDefinition, mode: LockMode) -> Request {
        Request {
            owner: self.session.owner().clone(),
            target: Target::Definition(definition),
            mode,
            lifetime: Lifetime::Transaction,
            established: false,
        }
    }

    pub(crate) fn end_definition_locks(&self) {
        if self.locks_definitions {
            self.manager().definition_locks().end(self.owner_id(), Lifetime::Transaction);
        }
    }
}

/// An object whose definition no other session changes until this is dropped.
pub struct HeldDefinition {
    manager: Arc<Manager>,
    owner: OwnerId,
    target: Target,
}

impl HeldDefinition {
    /// Holds an object's definition, after waiting for a session that changes it. `gates` are those
    /// that the owner's transaction is inside of.
    pub fn take(
        task: &Task,
        manager: &Arc<Manager>,
        owner: &Arc<Owner>,
        object: ObjectId,
        gates: Gates,
    ) -> TxnResult<HeldDefinition> {
        let target =
            Target::Definition(LockedDefinition::One(DefinitionKind::Object, [object.0, 0, 0, 0]));
        let (mode, lifetime) = (LockMode::SHARED, Lifetime::Session);
        let request = Request {
            owner: owner.clone(),
            target: target.clone(),
            mode,
            lifetime,
            established: false,
        };
        manager.definition_locks().take(task, request, &NoKeys, Patience::Session, gates, || ())?;
        Ok(HeldDefinition { manager: manager.clone(), owner: owner.id(), target })
    }
}

impl Drop for HeldDefinition {
    fn drop(&mut self) {
        self.manager.definition_locks().give_back(self.owner, &self.target, Lifetime::Session);
    }
}

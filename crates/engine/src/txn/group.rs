//! Transactions over several databases: one commit for all of them.
//!
//! # Life of a commit
//!
//! 1. One database is the *coordinator*. Each other one that has something to log *prepares*: it
//!    writes a record with all its operations, which does not count yet. All these records are made
//!    durable.
//! 2. The coordinator commits as any transaction does; its commit record names the transaction as a
//!    whole, and is the decision. It is made durable.
//! 3. The other databases commit: each writes a record that names its prepare record. The decision
//!    is made, so no error rolls the transaction back any more.
//!
//! After a crash, a prepared transaction without a commit or abort record is in doubt until its
//! coordinator's log has been read: it committed if the decision is there, and did not otherwise.
//!
//! Stamps and snapshots stay per database. Reads can be validated at commit in the coordinator
//! alone, since between the prepare record and the decision other transactions may commit. So the
//! coordinator is the database in which reads are protected; if that is more than one, the commit
//! fails.

use base::ids::{DbId, Lsn};

use crate::critical::{self, Section};
use crate::hot::status::Status;
use crate::log::record::{RECORD_HEADER, RecordWriter, record_len};
use crate::log::{GlobalTransaction, RecordFlags, RecordKind};
use crate::sync::Arc;
use crate::txn::commit::Durability;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::manager::Manager;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

/// The pause before space for a record that must be written is requested again.
const ROOM_POLL_NS: u64 = 10_000_000;

/// Why a transaction could not be committed, and in which database.
#[derive(Debug)]
pub struct CommitError {
    /// The database.
    pub database: DbId,
    /// Why.
    pub error: TxnError,
}

type CommitResult<T> = Result<T, CommitError>;

/// A session's transaction in all databases that it has touched.
#[derive(Default)]
pub struct TransactionGroup {
    parts: Vec<Transaction>,
}

impl TransactionGroup {
    /// A transaction that is in no database yet.
    pub fn new() -> TransactionGroup {
        TransactionGroup::default()
    }

    /// The part in a database, if the transaction has been there.
    pub fn part(&mut self, database: DbId) -> Option<&mut Transaction> {
        self.parts.iter_mut().find(|part| part.manager().id() == database)
    }

    /// Adds the part in another database.
    pub fn add(&mut self, part: Transaction) {
        debug_assert!(self.part(part.manager().id()).is_none(), "one part for each database");
        self.parts.reserve_exact(1); // mostly there is no other
        self.parts.push(part);
    }

    /// Takes the part in a database out. The caller gives it back by [`TransactionGroup::add`]
    /// before anything is done to the whole.
    pub fn take(&mut self, database: DbId) -> Option<Transaction> {
        let place = self.parts.iter().position(|part| part.manager().id() == database)?;
        Some(self.parts.swap_remove(place))
    }

    /// All parts.
    pub fn parts(&mut self) -> impl Iterator<Item = &mut Transaction> {
        self.parts.iter_mut()
    }

    /// Rolls all parts back.
    pub fn rollback(self, task: &Task) {
        self.parts.into_iter().for_each(|part| part.rollback(task));
    }

    /// Commits all parts or none.
    ///
    /// # Errors
    /// Any that a commit can have; all parts are rolled back then. One exception: if the
    /// coordinator's log fails while the decision is on its way to disk ([`TxnError::LogFailed`]),
    /// the outcome is unknown until its database has been restarted; the other parts keep their
    /// rows until they are restarted too.
    pub fn commit(mut self, task: &Task, durability: Durability) -> CommitResult<()> {
        for part in &mut self.parts {
            part.assert_between_statements();
            part.is_ending = true;
        }
        critical::section(Section::Commit, || self.commit_parts(task, durability))
    }

    fn commit_parts(mut self, task: &Task, durability: Durability) -> CommitResult<()> {
        // What commits need may fail, and parts without logged writes commit last. It may also take
        // long, and a part that has its turn holds up others.
        for part in &mut self.parts {
            if let Err(error) = part.run_preparations(task) {
                let failed = failed_in(part)(error);
                self.rollback(task);
                return Err(failed);
            }
        }
        let logged = self.parts.iter().filter(|part| part.has_logged_writes()).count();
        if logged < 2 {
            return self.commit_each(task, durability);
        }
        if self.parts.iter().filter(|part| part.has_protected()).count() > 1 {
            let database = self.parts[0].manager().id();
            self.rollback(task);
            return Err(CommitError { database, error: TxnError::ProtectedInSeveralDatabases });
        }
        if let Err(error) = self.take_versions(task) {
            self.rollback(task);
            return Err(error);
        }
        let coordinator = self.take_coordinator();
        let failed = failed_in(&coordinator);
        let global = GlobalTransaction {
            coordinator: coordinator.manager().uuid(),
            id: task.env().rng().next_u64(),
        };
        if let Err(error) = self.prepare(task, global) {
            coordinator.rollback(task);
            self.abort_prepared(task);
            return Err(error);
        }
        let session = coordinator.session().clone();
        let log_needs = &session.manager().log_needs;
        log_needs.begin(global);
        let end = match coordinator.commit_as(task, durability, Some(global)) {
            Ok(end) => end,
            Err(error) => {
                log_needs.cancel(&global);
                self.abort_prepared(task);
                return Err(failed(error));
            }
        };
        if let Err(error) = session.manager().log.wait_durable(task, end) {
            self.parts.into_iter().for_each(Transaction::leave_in_doubt);
            return Err(failed(error.into()));
        }
        let mut ends = Vec::new();
        for part in self.parts {
            let (manager, failed) = (part.session().manager().clone(), failed_in(&part));
            part.commit_prepared(task, durability).map_err(failed)?;
            let end = manager.log.tail();
            ends.push((manager, end));
        }
        let are_durable = move || {
            ends.iter().all(|(manager, end): &(Arc<Manager>, Lsn)| manager.log.durable() >= *end)
        };
        log_needs.settle(global, Box::new(are_durable));
        Ok(())
    }

    /// Commits parts of which at most one has something to log: if that one commits, so do the
    /// others.
    fn commit_each(mut self, task: &Task, durability: Durability) -> CommitResult<()> {
        // Parts whose commit can fail come first.
        self.parts.sort_by_key(|part| (!part.has_protected(), !part.has_logged_writes()));
        let mut parts = self.parts.into_iter();
        while let Some(part) = parts.next() {
            let failed = failed_in(&part);
            if let Err(error) = part.commit(task, durability) {
                parts.for_each(|rest| rest.rollback(task));
                return Err(failed(error));
            }
        }
        Ok(())
    }

    /// Takes out the coordinator: of the parts with logged writes, the one that has reads to
    /// validate, or else that of the lowest database.
    fn take_coordinator(&mut self) -> Transaction {
        let logged = self.parts.iter().enumerate().filter(|(_, part)| part.has_logged_writes());
        let (place, _) = logged
            .min_by_key(|(_, part)| (!part.has_protected(), part.manager().id()))
            .expect("several parts have something to log");
        self.parts.swap_remove(place)
    }

    /// Takes the versions of all parts that have changed tracked tables, in the order in which all
    /// transactions take turns; the coordinator comes last otherwise.
    fn take_versions(&mut self, task: &Task) -> CommitResult<()> {
        self.parts.sort_by_key(|part| part.manager().id());
        for part in &mut self.parts {
            let failed = failed_in(part);
            part.take_version(task).map_err(failed)?;
        }
        Ok(())
    }

    fn prepare(&mut self, task: &Task, global: GlobalTransaction) -> CommitResult<()> {
        let mut ends = Vec::new();
        for part in &mut self.parts {
            let failed = failed_in(part);
            ends.push(part.prepare(task, global).map_err(failed)?);
        }
        for (part, end) in self.parts.iter().zip(ends) {
            let durable = part.manager().log.wait_durable(task, end);
            durable.map_err(|error| failed_in(part)(error.into()))?;
        }
        Ok(())
    }

    fn abort_prepared(self, task: &Task) {
        for mut part in self.parts {
            if let Some(prepared) = part.prepared.take() {
                let manager = part.manager();
                // If the log takes no more records, the lack of a decision in the coordinator's log
                // says the same.
                if manager.log.append_abort(task, RecordFlags::PREPARED, prepared).is_err() {
                    manager.log_needs.note_abandoned(prepared);
                }
            }
            part.rollback(task);
        }
    }
}

/// Makes the error of a commit that has failed in this part's database.
fn failed_in(part: &Transaction) -> impl Fn(TxnError) -> CommitError + use<> {
    let database = part.manager().id();
    move |error| CommitError { database, error }
}

impl Transaction {
    /// Writes the prepare record, if there is something to log. Returns its end.
    fn prepare(&mut self, task: &Task, global: GlobalTransaction) -> TxnResult<Lsn> {
        if !self.has_logged_writes() {
            return Ok(Lsn::ZERO);
        }
        let redo = self.redo(task, Some(global))?;
        let session = self.session.clone();
        let log = &session.manager().log;
        let mut space = log.reserve_waiting(task, record_len(redo.body.len()))?;
        let (prepared, end) = (space.stamp(), space.end());
        space.put(&redo.body);
        space.publish(RecordKind::Prepare, redo.flags, redo.stream.unwrap_or(Lsn::ZERO));
        self.prepared = Some(prepared);
        self.publish_progress();
        self.reuse_redo(redo);
        Ok(end)
    }

    /// Commits what was prepared and decided. Waits for room in the log for as long as it takes.
    fn commit_prepared(mut self, task: &Task, durability: Durability) -> TxnResult<()> {
        let Some(prepared) = self.prepared.take() else {
            return self.commit(task, durability).map(drop);
        };
        self.pass_baton();
        self.protect_own();
        let session = self.session.clone();
        let (manager, slot) = (session.manager(), session.manager().slots.get(self.slot));
        let space = loop {
            match Transaction::reserve(manager, slot, task, RECORD_HEADER) {
                Ok(space) => break Ok((space.stamp(), space)),
                Err(TxnError::LogFull) => {
                    // Then try again: the log gets room, or the database is restarted.
                    let _ = task.sleep_ns(ROOM_POLL_NS);
                    task.yield_now();
                }
                Err(error) => break Err(error),
            }
        };
        let (stamp, end) = match space {
            Ok((stamp, space)) => {
                self.note_changes(stamp);
                slot.set_status(Status::Committed(stamp));
                (stamp, space.publish(RecordKind::Commit, RecordFlags::PREPARED, prepared))
            }
            Err(error) => {
                self.leave_in_doubt();
                return Err(error);
            }
        };
        self.complete(task, stamp, end, durability);
        Ok(())
    }

    /// Ends the transaction with an unknown fate: its rows stay as they are, owned, until the
    /// database is restarted and its log is read.
    fn leave_in_doubt(mut self) {
        // It may turn out to be committed, with its version.
        self.pass_turn();
        self.writes.hide();
        self.finished = true;
    }
}

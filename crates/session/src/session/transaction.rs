//! The session's transaction: what is open, how deep it is nested, whether it can still commit.
//!
//! # Life of a transaction
//!
//! It is begun by a user (`BEGIN TRANSACTION`, a request of the client), by a statement under
//! `IMPLICIT_TRANSACTIONS`, or by a statement for itself alone (*autocommit*). It enters a database
//! when a statement first touches that. It ends by commit or rollback in all databases at once.
//!
//! # Doomed
//!
//! An error that only rolling back can follow, caught by a `TRY`, *dooms* the transaction: it may
//! go on reading, and whatever would write is refused with 3930. Where the engine itself has given
//! the transaction up (a deadlock, a write conflict) its parts are rolled back at once, so that no
//! other transaction waits for them; the count of `BEGIN`s stays until the session executes
//! `ROLLBACK`.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::TableDef;
use engine::catalog::{Catalog, CatalogResult, Schema, SchemaEdit};
use engine::hot::visibility::Isolation;
use engine::txn::{
    CommitError, DatabaseSession, Durability, Gates, ReadAt, Savepoint, Statement, Transaction,
    TransactionGroup, TxnError,
};
use engine::wait::Task;
use smallvec::SmallVec;
use tsql::ast::IsolationLevel;

use crate::instance::sessions::TransactionStatus;
use crate::session::locking::DiskLevel;

/// What began a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// One statement, which commits it.
    Statement,
    /// A statement under `IMPLICIT_TRANSACTIONS`, or a user.
    User,
}

/// See the module's header.
#[derive(Default)]
pub struct TransactionState {
    open: Option<Open>,
    /// `@@TRANCOUNT`
    count: i32,
    /// How many marks are kept, to which the transaction may go back after further statements.
    kept_marks: u32,
    /// How many definition statements are in progress, one within another.
    definitions: u32,
}

/// An open transaction.
struct Open {
    group: TransactionGroup,
    /// The start of each part, to which a savepoint from before it rolls the part back.
    starts: SmallVec<[(DbId, Savepoint); 2]>,
    edits: Vec<(DbId, SchemaEdit)>,
    id: u64,
    name: Arc<str>,
    origin: Origin,
    doomed: bool,
    /// Whether it is validated though it has written nothing: the rule for a user's transactions.
    checks_reads: bool,
    began_utc: u64,
    /// The session's level when it began.
    isolation: IsolationLevel,
    savepoints: Vec<NamedSavepoint>,
    touched: Touched,
}

/// Which kinds of tables were touched, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Touched {
    /// Memory-optimized ones.
    pub memory_optimized: bool,
    /// Some of those at REPEATABLE READ or SERIALIZABLE.
    pub memory_optimized_strictly: bool,
    /// Disk tables at one of these levels.
    pub disk_strictly: bool,
}

impl Touched {
    /// What either has touched.
    pub fn union(self, other: Touched) -> Touched {
        Touched {
            memory_optimized: self.memory_optimized | other.memory_optimized,
            memory_optimized_strictly: self.memory_optimized_strictly
                | other.memory_optimized_strictly,
            disk_strictly: self.disk_strictly | other.disk_strictly,
        }
    }
}

/// A savepoint that a user has named, with the place in each part that there was.
struct NamedSavepoint {
    name: Arc<str>,
    parts: SmallVec<[(DbId, Savepoint); 2]>,
}

/// What the name in a `ROLLBACK` means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RollbackTarget {
    /// The name of the transaction: all of it.
    Transaction,
    /// A savepoint, by its place.
    Savepoint(usize),
}

impl TransactionState {
    /// Whether a transaction is open, a statement's own one included.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a user's transaction is open.
    pub fn is_user(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.origin == Origin::User)
    }

    /// `@@TRANCOUNT`
    pub fn count(&self) -> i32 {
        self.count
    }

    /// Sets `@@TRANCOUNT`: within triggers a statement's own transaction counts as one.
    pub fn set_count(&mut self, count: i32) {
        self.count = count;
    }

    /// What began the transaction, if one is open.
    pub fn origin(&self) -> Option<Origin> {
        self.open.as_ref().map(|open| open.origin)
    }

    /// How many databases other than tempdb and master it is in, once it has entered these, too.
    pub fn user_databases_with(&self, others: &[DbId]) -> usize {
        let entered = self.open.as_ref().map_or(&[][..], |open| &open.starts);
        let others = others.iter().filter(|id| !entered.iter().any(|start| start.0 == **id));
        let all = entered.iter().map(|start| &start.0).chain(others);
        all.filter(|id| **id != DbId::TEMPDB && **id != DbId::MASTER).count()
    }

    /// Whether the transaction can only be rolled back.
    pub fn is_doomed(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.doomed)
    }

    /// `XACT_STATE()`
    pub fn state(&self) -> i16 {
        match (self.count, self.is_doomed()) {
            (0, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        }
    }

    /// The transaction's id, as `CURRENT_TRANSACTION_ID()` and the wire name it; 0 for none.
    pub fn id(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.id)
    }

    /// What other sessions may see of the transaction.
    pub fn describe(&self) -> Option<TransactionStatus> {
        let open = self.open.as_ref()?;
        Some(TransactionStatus {
            id: open.id,
            name: open.name.clone(),
            began_utc: open.began_utc,
            is_user: open.origin == Origin::User,
        })
    }

    /// When it began, in ticks of 100 ns of UTC.
    pub fn began_utc(&self) -> Option<u64> {
        self.open.as_ref().map(|open| open.began_utc)
    }

    /// The level at which it began.
    pub fn began_at(&self) -> Option<IsolationLevel> {
        self.open.as_ref().map(|open| open.isolation)
    }

    /// The gates that it is inside of, in all databases.
    pub fn gates(&mut self) -> Gates {
        let parts = self.open.iter_mut().flat_map(|open| open.group.parts());
        parts.flat_map(|part| part.gates().collect::<Gates>()).collect()
    }

    /// Begins a transaction. None may be open.
    pub fn begin(
        &mut self,
        origin: Origin,
        id: u64,
        name: Arc<str>,
        now_utc: u64,
        isolation: IsolationLevel,
    ) {
        debug_assert!(self.open.is_none(), "one transaction at a time");
        self.open = Some(Open {
            group: TransactionGroup::new(),
            starts: SmallVec::new(),
            edits: Vec::new(),
            id,
            name,
            origin,
            doomed: false,
            checks_reads: false,
            began_utc: now_utc,
            isolation,
            savepoints: Vec::new(),
            touched: Touched::default(),
        });
        self.count = i32::from(origin == Origin::User);
    }

    /// A further `BEGIN TRANSACTION`.
    pub fn nest(&mut self) {
        self.count += 1;
    }

    /// A `COMMIT` that is not the outermost.
    pub fn unnest(&mut self) {
        self.count -= 1;
    }

    /// Dooms the transaction.
    pub fn doom(&mut self) {
        if let Some(open) = &mut self.open {
            open.doomed = true;
        }
    }

    /// Dooms the transaction, and rolls back at once what was done so far.
    pub fn give_up(&mut self, task: &Task) {
        if let Some(open) = &mut self.open {
            open.doomed = true;
            open.savepoints.clear();
            open.starts.clear();
            open.edits.clear();
            std::mem::take(&mut open.group).rollback(task);
        }
    }

    /// The part in a database, if the transaction has entered it.
    pub fn part(&mut self, database: DbId) -> Option<&mut Transaction> {
        self.open.as_mut()?.group.part(database)
    }

    /// Shows other sessions which rows it has changed, until it changes more. Called where it
    /// pauses.
    pub fn show_writes(&mut self) {
        if let Some(open) = &mut self.open {
            open.group.parts().for_each(Transaction::show_writes);
        }
    }

    /// Settles rows that parts have written to storages of their own, so that they can sink: where
    /// there are many, and no savepoint or mark goes back to a place among them. Called between
    /// statements.
    pub fn settle(&mut self, task: &Task) -> Result<(), CommitError> {
        if self.kept_marks > 0 {
            return Ok(());
        }
        let Some(Open { group, savepoints, .. }) = &mut self.open else { return Ok(()) };
        for part in group.parts() {
            let Some(from) = part.settles_from() else { continue };
            let id = part.session().manager().id();
            let mut places = savepoints.iter().flat_map(|savepoint| &savepoint.parts);
            if !places.any(|(database, at)| *database == id && *at > from) {
                part.settle(task).map_err(|error| CommitError { database: id, error })?;
            }
        }
        Ok(())
    }

    /// Takes the part in a database out, to lend it; [`TransactionState::take_back`] must follow
    /// before anything else is done.
    pub fn lend(&mut self, database: DbId) -> Option<Transaction> {
        self.open.as_mut()?.group.take(database)
    }

    /// Puts back the part that was lent.
    pub fn take_back(&mut self, part: Transaction) {
        let open = self.open.as_mut().expect("a transaction stays open while a part of it is lent");
        open.group.add(part);
    }

    /// The part in a database, which is entered now if it was not before.
    pub fn enter(
        &mut self,
        task: &Task,
        database: DbId,
        place: &Arc<DatabaseSession>,
    ) -> Result<&mut Transaction, TxnError> {
        let open = self.open.as_mut().expect("a transaction was begun");
        if open.group.part(database).is_none() {
            let part = Transaction::begin(place, task)?;
            open.starts.push((database, part.savepoint()));
            open.group.add(part);
        }
        Ok(open.group.part(database).expect("it has just been entered"))
    }

    /// The part in a database that has been entered, and the edit of its schema, which is begun
    /// if there is none.
    pub fn edit(
        &mut self,
        database: DbId,
        catalog: &Arc<Catalog>,
    ) -> (&mut Transaction, &mut SchemaEdit) {
        let Open { group, edits, .. } = self.open.as_mut().expect("a transaction was begun");
        let part = group.part(database).expect("the database was entered");
        let place = edits.iter().position(|(id, _)| *id == database).unwrap_or_else(|| {
            edits.push((database, SchemaEdit::begin(catalog, part)));
            edits.len() - 1
        });
        (part, &mut edits[place].1)
    }

    /// Ends a load that the statement at this level has begun, if there is one. Returns its table,
    /// and the result.
    pub fn finish_load(
        &mut self,
        task: &Task,
        level: usize,
    ) -> Option<(DbId, Arc<TableDef>, CatalogResult<()>)> {
        let Open { group, edits, .. } = self.open.as_mut()?;
        edits.iter_mut().find_map(|(database, edit)| {
            let table = edit.loads(level)?.clone();
            let part = group.part(*database)?;
            Some((*database, table, edit.finish_load(task, part)))
        })
    }

    /// The transaction's own schema of a database, if it has changed that.
    pub fn working_schema(&self, database: DbId) -> Option<Arc<Schema>> {
        let edits = &self.open.as_ref()?.edits;
        let (_, edit) = edits.iter().find(|(id, _)| *id == database)?;
        edit.has_changes().then(|| edit.schema())
    }

    /// Notes that a definition statement begins.
    pub fn begin_definition(&mut self) {
        self.definitions += 1;
    }

    /// Whether the definition statement that has failed runs again, since other transactions have
    /// changed what it found. Only the outermost one does.
    pub fn restarts_definition(&mut self) -> bool {
        if self.definitions > 1 {
            return false;
        }
        let mut is_stale = false;
        for (_, edit) in self.open.iter_mut().flat_map(|open| &mut open.edits) {
            if edit.take_stale() {
                edit.end_statement();
                is_stale = true;
            }
        }
        is_stale
    }

    /// Leaves the definition statements in progress while statements run that are no part of them.
    /// Returns the argument of [`TransactionState::return_to_definition`].
    pub fn leave_definition(&mut self) -> u32 {
        std::mem::take(&mut self.definitions)
    }

    /// Goes on with the definition statements.
    pub fn return_to_definition(&mut self, definitions: u32) {
        self.definitions = definitions;
    }

    /// Notes that the innermost definition statement ends.
    pub fn end_definition(&mut self) {
        self.definitions -= 1;
        if self.definitions == 0 {
            let edits = self.open.iter_mut().flat_map(|open| &mut open.edits);
            edits.for_each(|(_, edit)| edit.end_statement());
        }
    }

    /// Leaves the tables that were only read, so that other sessions may change them. Called where
    /// no statement is open.
    pub fn leave_tables(&mut self) {
        if self.definitions == 0
            && let Some(open) = &mut self.open
        {
            open.group.parts().for_each(Transaction::leave_tables);
        }
    }

    /// Whether the transaction has changed any schema.
    pub fn has_edits(&self) -> bool {
        self.open.as_ref().is_some_and(|open| !open.edits.is_empty())
    }

    /// Notes what a statement touches.
    pub fn note_tables(&mut self, touched: Touched) {
        if let Some(open) = &mut self.open {
            open.touched = open.touched.union(touched);
        }
    }

    /// What the transaction has touched.
    pub fn touched(&self) -> Touched {
        self.open.as_ref().map_or_else(Touched::default, |open| open.touched)
    }

    /// Sets a savepoint.
    pub fn save(&mut self, name: &str) {
        let Some(open) = &mut self.open else { return };
        let parts =
            open.group.parts().map(|part| (part.session().manager().id(), part.savepoint()));
        let parts = parts.collect();
        open.savepoints.push(NamedSavepoint { name: name.into(), parts });
    }

    /// What a name in a `ROLLBACK` means: the latest savepoint of that name, or the transaction.
    pub fn find_target(&self, name: &str) -> Option<RollbackTarget> {
        let open = self.open.as_ref()?;
        // Savepoints may share names; the latest counts. Case matters, as in SQL Server.
        let savepoint = open.savepoints.iter().rposition(|s| *s.name == *name);
        match savepoint {
            Some(place) => Some(RollbackTarget::Savepoint(place)),
            None => (!open.name.is_empty() && *open.name == *name)
                .then_some(RollbackTarget::Transaction),
        }
    }

    /// Where each part is now, for [`TransactionState::rollback_to_mark`].
    pub fn mark(&mut self) -> Mark {
        let Some(open) = &mut self.open else { return Mark::default() };
        let place = |part: &mut Transaction| (part.session().manager().id(), part.savepoint());
        Mark { parts: open.group.parts().map(place).collect() }
    }

    /// As `mark`, for work in the course of which statements run; [`TransactionState::drop_mark`]
    /// must follow.
    pub fn keep_mark(&mut self) -> Mark {
        self.kept_marks += 1;
        self.mark()
    }

    /// Forgets the mark that was kept last.
    pub fn drop_mark(&mut self) {
        self.kept_marks -= 1;
    }

    /// Undoes what was done since [`TransactionState::mark`].
    pub fn rollback_to_mark(&mut self, task: &Task, mark: &Mark) {
        let Some(open) = &mut self.open else { return };
        open.go_back(task, &mark.parts);
    }

    /// Goes back to a savepoint, which stays.
    pub fn rollback_to(&mut self, task: &Task, place: usize) {
        let Some(open) = &mut self.open else { return };
        open.savepoints.truncate(place + 1);
        let saved = open.savepoints[place].parts.clone();
        open.go_back(task, &saved);
    }

    /// Tells the edits of schemas that something was rolled back.
    pub fn tell_edits(&mut self) {
        if let Some(open) = &mut self.open {
            open.tell_edits();
        }
    }

    /// Commits. Whatever the result, no transaction is open afterwards.
    pub fn commit(&mut self, task: &Task, durability: Durability) -> Result<(), CommitError> {
        self.count = 0;
        let Some(mut open) = self.open.take() else { return Ok(()) };
        if open.checks_reads || open.origin == Origin::User {
            open.group.parts().for_each(Transaction::check_reads);
        }
        open.abandon_statements();
        open.group.commit(task, durability)
    }

    /// Makes the commit of a transaction of one call validate reads, as that of a user's does.
    pub fn check_reads(&mut self) {
        if let Some(open) = &mut self.open {
            open.checks_reads = true;
        }
    }

    /// Rolls everything back.
    pub fn rollback(&mut self, task: &Task) {
        self.count = 0;
        if let Some(mut open) = self.open.take() {
            open.abandon_statements();
            open.group.rollback(task);
        }
    }
}

/// A place in a transaction.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    parts: SmallVec<[(DbId, Savepoint); 2]>,
}

impl Open {
    /// Rolls each part back to where it was; one that there was not, to its start.
    fn go_back(&mut self, task: &Task, saved: &[(DbId, Savepoint)]) {
        for (database, start) in self.starts.clone() {
            let to = saved.iter().find(|(id, _)| *id == database).map_or(start, |(_, at)| *at);
            if let Some(part) = self.group.part(database) {
                // SAFETY: only runs of units have rows that the transaction has written, in their
                // registers. A run that goes on after this was begun before the savepoint, and
                // triggers and handlers, which alone go back under a run, come when its unit has
                // written its rows and reads them no more.
                unsafe { part.rollback_to(task, to) };
            }
        }
        self.tell_edits();
    }

    /// Ends the statements in progress, before the transaction ends.
    fn abandon_statements(&mut self) {
        for part in self.group.parts() {
            // SAFETY: only runs of units have rows and cursors of a statement, in their registers.
            // A transaction ends under a run through a trigger or a handler alone; then the run
            // ends without another look at them (`Context::run_granted`).
            unsafe { part.abandon_statements() };
        }
    }

    fn tell_edits(&mut self) {
        for (database, edit) in &mut self.edits {
            if let Some(part) = self.group.part(*database) {
                edit.rolled_back(part);
            }
        }
    }
}

/// A statement that is open in one or more databases.
pub struct OpenStatement {
    /// The database that its unit was compiled in.
    pub database: DbId,
    /// The engine's statements, several for one database after [`OpenStatement::push`].
    parts: SmallVec<[(DbId, Statement, OpenAs); 1]>,
}

impl OpenStatement {
    /// A statement that is open in no database yet.
    pub fn new(database: DbId) -> OpenStatement {
        OpenStatement { database, parts: SmallVec::new() }
    }

    /// Notes that the statement is open in a database; or once more, so that it sees what it has
    /// done so far.
    pub fn push(&mut self, database: DbId, statement: Statement, how: OpenAs) {
        self.parts.push((database, statement, how));
    }

    /// Ends what was opened last by [`OpenStatement::push`] in each database.
    pub fn pop(&mut self, transaction: &mut TransactionState) {
        for database in self.databases() {
            let of_it = |part: &(DbId, Statement, OpenAs)| part.0 == database;
            let (Some(first), Some(last)) =
                (self.parts.iter().position(of_it), self.parts.iter().rposition(of_it))
            else {
                continue;
            };
            if first == last {
                continue;
            }
            let (_, mut statement, _) = self.parts.remove(last);
            if let Some(part) = transaction.part(database) {
                part.end_statement(&mut statement);
            }
        }
    }

    /// How the statement is open in a database.
    pub fn opened_as(&self, database: DbId) -> Option<OpenAs> {
        self.parts.iter().find(|part| part.0 == database).map(|part| part.2)
    }

    /// What the statement locks in a database's disk tables.
    #[inline]
    pub fn disk_level(&self, database: DbId) -> DiskLevel {
        let part = self.parts.iter().find(|part| part.0 == database);
        part.map_or(DiskLevel::UNLOCKED, |part| part.2.disk)
    }

    /// The newest of the engine's statements in a database.
    #[inline]
    pub fn latest(&self, database: DbId) -> Option<&Statement> {
        self.parts.iter().rev().find(|part| part.0 == database).map(|part| &part.1)
    }

    /// The databases that it is open in, each once.
    pub fn databases(&self) -> SmallVec<[DbId; 2]> {
        let mut databases = SmallVec::new();
        for (database, ..) in &self.parts {
            if !databases.contains(database) {
                databases.push(*database);
            }
        }
        databases
    }

    /// The database that it is open in, if it is open just once, and how.
    pub fn only(&self) -> Option<(DbId, OpenAs)> {
        match &self.parts[..] {
            [(database, _, how)] => Some((*database, *how)),
            _ => None,
        }
    }

    /// Takes out the engine's only statement. An ended one is in its place until it or a newer one
    /// is [put back](OpenStatement::replace).
    pub fn take(&mut self) -> Option<Statement> {
        match &mut self.parts[..] {
            [(_, statement, _)] => Some(statement.take()),
            _ => None,
        }
    }

    /// Puts a statement of the engine in the place of the only one.
    pub fn replace(&mut self, newer: Statement) {
        if let [(_, statement, _)] = &mut self.parts[..] {
            *statement = newer;
        }
    }

    /// Ends it in all databases.
    pub fn end(mut self, transaction: &mut TransactionState) {
        self.end_in(transaction);
    }

    /// As [`OpenStatement::end`], for a value that will hold another statement.
    pub fn end_in(&mut self, transaction: &mut TransactionState) {
        for (database, statement, _) in self.parts.iter_mut().rev() {
            if let Some(part) = transaction.part(*database) {
                part.end_statement(statement);
            }
        }
    }

    /// Whether the statement can go on as the next statement of a module.
    pub fn can_reuse(&self, transaction: &mut TransactionState) -> bool {
        let [(database, statement, _)] = &self.parts[..] else { return false };
        transaction.part(*database).is_some_and(|part| part.can_reuse(statement))
    }

    /// Begins another statement after the one that has ended, open as its first part was.
    pub fn begin_again(&mut self, transaction: &mut TransactionState) {
        self.parts.truncate(1);
        for (database, statement, how) in &mut self.parts {
            if let Some(part) = transaction.part(*database) {
                *statement = part.begin_statement(how.isolation, how.at);
            }
        }
    }

    /// Undoes it in all databases.
    pub fn rollback(self, task: &Task, transaction: &mut TransactionState) {
        for (database, mut statement, _) in self.parts.into_iter().rev() {
            if let Some(part) = transaction.part(database) {
                part.rollback_statement(task, &mut statement);
            }
        }
        transaction.tell_edits();
    }

    /// Whether the statement is open in no database.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// How a statement is opened in a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenAs {
    /// The engine's level.
    pub isolation: Isolation,
    /// The log position at which it reads.
    pub at: ReadAt,
    /// What it locks in disk tables.
    pub disk: DiskLevel,
}

/// Error 3930: a statement would write in a transaction that cannot commit.
pub fn doomed() -> SqlError {
    SqlError::new(&message::TRANSACTION_DOOMED, &[])
}

/// Checks that the transaction may write.
pub fn check_may_write(transaction: &TransactionState) -> SqlResult<()> {
    match transaction.is_doomed() {
        true => Err(doomed()),
        false => Ok(()),
    }
}

//! The transaction of a native module, lent by the session to the run of its unit.
//!
//! A native module brackets each of its statements. While the session has lent its transaction, the
//! run brackets them itself, and reads and writes without asking the session for anything.
//! Everything else that the session does for a unit may need the transaction: [`Machine::host`]
//! gives it back first, and the next statement borrows it again.

use base::SqlResult;
use base::ids::DbId;
use engine::hot::visibility::Isolation;
use engine::txn::locks::Reading;
use engine::txn::{ReadAt, Statement, Transaction};
use ir::object::ReadPurpose;
use ir::read::ReadOptions;
use ir::unit::TableUse;

use crate::interp::host::{Host, Reader};
use crate::interp::machine::Machine;

/// The state of a native module's statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bracket {
    /// It is in progress.
    Open,
    /// It has succeeded without a change, and the next statement reuses it.
    Idle,
    /// It has succeeded and ended; the next statement replaces it.
    Ended,
}

/// A transaction on loan, with the statement of a native module that is open in it.
pub struct Lent {
    /// The database of the transaction.
    pub database: DbId,
    /// The session's transaction there.
    pub transaction: Transaction,
    /// The newest statement.
    pub statement: Statement,
    /// The isolation level at which the module reads.
    pub isolation: Isolation,
    /// The log position at which it reads.
    pub at: ReadAt,
    /// The state of the statement.
    pub bracket: Bracket,
}

impl Lent {
    /// Begins a statement of the module; the one before has succeeded.
    #[inline(always)]
    fn begin_statement(&mut self) {
        if self.bracket == Bracket::Open {
            self.end_statement();
        }
        if self.bracket == Bracket::Ended {
            self.statement = self.transaction.begin_statement(self.isolation, self.at);
        }
        self.bracket = Bracket::Open;
    }

    /// Ends the statement, which has succeeded.
    #[inline(always)]
    fn end_statement(&mut self) {
        self.bracket = match self.transaction.can_reuse(&self.statement) {
            true => Bracket::Idle,
            false => {
                self.transaction.end_statement(&mut self.statement);
                Bracket::Ended
            }
        };
    }
}

impl<'e> Machine<'_, 'e> {
    /// The session, after its transaction has been given back.
    #[inline]
    pub(super) fn host(&mut self) -> &mut (dyn Host + 'e) {
        self.give_back();
        &mut *self.exec.host
    }

    /// Gives the transaction back, if it was lent.
    #[inline]
    pub(super) fn give_back(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.exec.host.take_back(lent);
        }
    }

    /// Brackets the beginning of a native module's statement.
    #[inline(always)]
    pub(super) fn open_bracket(&mut self, statement: u32) -> SqlResult<()> {
        match &mut self.lent {
            Some(lent) => {
                lent.begin_statement();
                self.exec.host.statement_began();
            }
            None => {
                let site = &self.unit.statements[statement as usize];
                self.exec.host.begin_statement(self.exec.task, site)?;
                self.lent = self.exec.host.lend();
                if self.lent.as_ref().is_some_and(|lent| !self.unit.reads_only_in(lent.database)) {
                    self.give_back();
                }
            }
        }
        Ok(())
    }

    /// Brackets the end of a native module's statement, which has succeeded.
    #[inline(always)]
    pub(super) fn close_bracket(&mut self, statement: u32) -> SqlResult<()> {
        let site = &self.unit.statements[statement as usize];
        match &mut self.lent {
            Some(lent) => {
                lent.end_statement();
                self.exec.host.statement_succeeded(site, &self.outcome);
                Ok(())
            }
            None => self.exec.host.end_statement(self.exec.task, site, &self.outcome),
        }
    }
}

/// How a statement reads (or changes) a table, and the transaction in which it does.
#[inline(always)]
pub(super) fn reader<'t>(
    lent: &'t mut Option<Lent>,
    host: &'t mut dyn Host,
    used: &TableUse,
    options: &ReadOptions,
    purpose: ReadPurpose,
) -> SqlResult<Reader<'t>> {
    match lent {
        // A module's level is one at which all kinds of tables are read; see `Unit::reads_only_in`.
        Some(lent) => {
            debug_assert!(lent.database == used.database && options.isolation.is_none());
            let (snapshot, reading) = (*lent.statement.snapshot(), Reading::Versions);
            Ok(Reader { snapshot, reading, transaction: &mut lent.transaction })
        }
        None => host.reader(used.database, &used.table, options, purpose),
    }
}

/// The transaction in which a table is used.
#[inline]
pub(super) fn transaction<'t>(
    lent: &'t mut Option<Lent>,
    host: &'t mut dyn Host,
    used: &TableUse,
) -> SqlResult<&'t mut Transaction> {
    match lent {
        Some(lent) => {
            debug_assert_eq!(lent.database, used.database);
            Ok(&mut lent.transaction)
        }
        None => host.transaction(used.database),
    }
}

//! `BEGIN`, `COMMIT`, `ROLLBACK`, `SAVE TRANSACTION`.

use std::sync::Arc;

use base::{SqlError, SqlResult, TypeKind, message};
use engine::txn::Durability;
use engine::txn::locks::Lifetime;
use engine::wait::Task;
use run::interp::Frame;
use tsql::ast::{self, TransactionName};

use crate::context::Context;
use crate::fault::{Effect, Fault, Run};
use crate::program::{Program, Step};
use crate::response::{EnvironmentChange, command};
use crate::session::SessionState;
use crate::session::transaction::{Origin, RollbackTarget, doomed};

/// Characters that count of a transaction's name.
const NAME_MAX: usize = 32;

impl Context<'_> {
    /// `BEGIN TRANSACTION`.
    pub(super) fn begin(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        begin: &ast::BeginTransaction,
        frame: &mut Frame,
    ) -> Run<()> {
        let name = match &begin.name {
            Some(name) => self.transaction_name(program, step, name, frame)?,
            None => String::new(),
        };
        // Under IMPLICIT_TRANSACTIONS it goes one deeper into the one that it starts.
        self.begin_implicitly()?;
        self.begin_named(&name)?;
        self.session.left.row_count = 0;
        self.done(command::BEGIN_TRANSACTION, None).map_err(Fault::lost)
    }

    /// Begins a transaction under `IMPLICIT_TRANSACTIONS`, if none is open.
    pub(crate) fn begin_implicitly(&mut self) -> Run<()> {
        let implicit = self.session.options.settings.implicit_transactions
            && !self.session.level().is_function();
        if !implicit || self.session.transaction.is_open() {
            return Ok(());
        }
        self.begin_named("implicit_transaction")
    }

    /// Begins a transaction, or goes one deeper.
    pub(crate) fn begin_named(&mut self, name: &str) -> Run<()> {
        if self.session.transaction.is_open() {
            self.session.transaction.nest();
            self.session.tell_transaction();
            return Ok(());
        }
        let name = if name.is_empty() { "user_transaction" } else { name };
        self.session.begin_transaction(Origin::User, name);
        self.session.tell_transaction();
        let id = self.session.transaction.id();
        self.environment(&EnvironmentChange::TransactionBegun(id)).map_err(Fault::lost)
    }

    /// `COMMIT`.
    pub(super) fn commit(&mut self, commit: &ast::Commit) -> Run<()> {
        self.commit_one(commit.delayed_durability.unwrap_or(false))?;
        self.session.left.row_count = 0;
        self.done(command::COMMIT, None).map_err(Fault::lost)
    }

    /// Commits, or comes up one level. Errors 3902, 3916, 3930 and those of commits.
    pub(crate) fn commit_one(&mut self, delayed: bool) -> Run<()> {
        let transaction = &mut self.session.transaction;
        if transaction.count() == 0 {
            return Err(SqlError::new(&message::COMMIT_WITHOUT_BEGIN, &[]).into());
        }
        if transaction.is_doomed() {
            return Err(Fault::new(doomed(), Effect::Transaction));
        }
        if transaction.count() > 1 {
            transaction.unnest();
            self.session.tell_transaction();
            return Ok(());
        }
        let (id, was_user) = (transaction.id(), transaction.is_user());
        if self.session.level().insert_exec {
            return Err(SqlError::new(&message::COMMIT_IN_INSERT_EXEC, &[]).into());
        }
        let durability = self.session.durability(delayed);
        let committed = self.commit_as(durability);
        match committed {
            Ok(()) if was_user => {
                let change = EnvironmentChange::TransactionCommitted(id);
                self.environment(&change).map_err(Fault::lost)
            }
            Err(fault) if was_user => {
                let change = EnvironmentChange::TransactionRolledBack(id);
                self.environment(&change).map_err(Fault::lost)?;
                Err(fault)
            }
            other => other,
        }
    }

    fn commit_as(&mut self, durability: Durability) -> Run<()> {
        let committed = self.session.commit(self.task, durability);
        self.session.transaction_ended();
        self.close_cursors(false);
        Ok(committed?)
    }

    /// `ROLLBACK`, of everything or to a savepoint.
    pub(super) fn rollback(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        name: Option<&TransactionName>,
        frame: &mut Frame,
    ) -> Run<()> {
        let name = match name {
            Some(name) => self.transaction_name(program, step, name, frame)?,
            None => String::new(),
        };
        self.roll_back_named(&name)?;
        self.session.left.row_count = 0;
        self.done(command::ROLLBACK, None).map_err(Fault::lost)
    }

    /// Rolls back the transaction, or to a savepoint of this name. Errors 3903, 3915, 3931, 6401.
    pub(crate) fn roll_back_named(&mut self, name: &str) -> Run<()> {
        let transaction = &mut self.session.transaction;
        if transaction.count() == 0 {
            return Err(SqlError::new(&message::ROLLBACK_WITHOUT_BEGIN, &[]).into());
        }
        let target = match name {
            "" => RollbackTarget::Transaction,
            name => match transaction.find_target(name) {
                Some(target) => target,
                None if transaction.is_doomed() => {
                    return Err(SqlError::new(&message::DOOMED_NO_SAVEPOINT, &[]).into());
                }
                None => {
                    return Err(
                        SqlError::new(&message::TRANSACTION_NAME_NOT_FOUND, &[&name]).into()
                    );
                }
            },
        };
        match target {
            RollbackTarget::Savepoint(_) if transaction.is_doomed() => {
                Err(SqlError::new(&message::DOOMED_NO_SAVEPOINT, &[]).into())
            }
            RollbackTarget::Savepoint(place) => {
                transaction.rollback_to(self.task, place);
                Ok(())
            }
            RollbackTarget::Transaction if self.session.level().insert_exec => {
                Err(SqlError::new(&message::ROLLBACK_IN_INSERT_EXEC, &[]).into())
            }
            RollbackTarget::Transaction => self.roll_back_all(),
        }
    }

    /// `SAVE TRANSACTION`.
    pub(super) fn save(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        name: &TransactionName,
        frame: &mut Frame,
    ) -> Run<()> {
        let name = self.transaction_name(program, step, name, frame)?;
        self.save_named(&name)?;
        self.done(command::NONE, None).map_err(Fault::lost)
    }

    /// Sets a savepoint. Errors 628, 3931.
    pub(crate) fn save_named(&mut self, name: &str) -> Run<()> {
        let transaction = &mut self.session.transaction;
        if transaction.count() == 0 {
            return Err(SqlError::new(&message::SAVE_WITHOUT_TRANSACTION, &[]).into());
        }
        if transaction.is_doomed() {
            return Err(SqlError::new(&message::DOOMED_NO_SAVEPOINT, &[]).into());
        }
        transaction.save(name);
        Ok(())
    }

    /// A name as far as it counts. Error 3914.
    fn transaction_name(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        name: &TransactionName,
        frame: &mut Frame,
    ) -> Run<String> {
        let cut = |text: &str| text.chars().take(NAME_MAX).collect();
        let variable = match name {
            TransactionName::Name(name) => return Ok(cut(&name.name)),
            TransactionName::Variable(variable) => variable,
        };
        let (id, ty) = program.variables.find_scalar(&variable.name, step.declared)?;
        use TypeKind as K;
        if !matches!(ty.kind, K::Char | K::VarChar | K::NChar | K::NVarChar) {
            return Err(SqlError::new(&message::TRANSACTION_NAME_TYPE, &[&ty.kind]).into());
        }
        let value = frame.get(id);
        if value.is_null() {
            return Ok(String::new());
        }
        Ok(cut(&base::convert::display(value, &ty)))
    }
}

impl SessionState {
    /// Commits. Whatever the result, no transaction is open afterwards.
    pub(crate) fn commit(&mut self, task: &Task, durability: Durability) -> SqlResult<()> {
        let committed = self.transaction.commit(task, durability);
        committed.map_err(|failed| self.instance.engine_error(failed.database, &failed.error))
    }

    /// A transaction has ended.
    pub(crate) fn transaction_ended(&mut self) {
        self.instance.locks.release_all(&self.entry.owner, Lifetime::Transaction);
        self.tell_transaction();
    }

    /// Lets other sessions see the transaction.
    pub(crate) fn tell_transaction(&self) {
        let described = self.transaction.describe();
        let mut status = self.entry.status();
        status.transaction_count = self.transaction.count();
        status.transaction = described;
    }
}

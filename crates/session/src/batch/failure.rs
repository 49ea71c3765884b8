//! What happens to a statement that fails, and to what is around it.

use base::{SqlError, message};

use super::data::depends_on_session;
use crate::context::Context;
use crate::fault::effects::{heeds_xact_abort, is_arithmetic, is_given_up};
use crate::fault::{Effect, Fault, Run};
use crate::program::{Program, ProgramKind, Step, StepId, StepKind, located};
use crate::response::{EnvironmentChange, command};
use crate::session::transaction::Origin;

impl Context<'_> {
    /// A step has failed: where to go on, or what goes on to the caller.
    pub(super) fn fault(
        &mut self,
        program: &Program,
        step: &Step,
        at: StepId,
        mut fault: Fault,
    ) -> Run<StepId> {
        if fault.reported {
            return self.reported(step, at, fault);
        }
        fault.error = located(fault.error, program, step);
        self.session.left.error = fault.error.number();
        let settings = self.session.options.settings;
        if matches!(fault.effect, Effect::Cancelled | Effect::Session) {
            return Err(self.end_request(fault));
        }
        if is_arithmetic(&fault.error)
            && fault.effect == Effect::Statement
            && settings.arithabort
            && !settings.ansi_warnings
        {
            fault.effect = Effect::Transaction;
        }
        if fault.effect == Effect::Statement && writes_text(step) {
            fault.effect = Effect::Transaction;
        }
        // Within a TRY, XACT_ABORT dooms the transaction whatever the error is.
        let is_caught = step.handler.is_some() || self.is_protected();
        let heeds = fault.effect >= Effect::Statement && heeds_xact_abort(&fault.error);
        let rolls_back =
            fault.effect == Effect::Transaction || (settings.xact_abort && (is_caught || heeds));
        // What does not compile is not caught where it stands.
        if let Some(handler) = step.handler
            && fault.effect != Effect::Scope
        {
            self.doom(&fault, rolls_back);
            let catch = program.handlers[handler as usize].catch;
            let depth = program.steps[catch as usize].catch_depth;
            let level = self.session.level_mut();
            level.caught.truncate(usize::from(depth) - 1);
            level.caught.push(fault.error);
            return Ok(catch);
        }
        let in_statement = self
            .session
            .levels
            .iter()
            .any(|level| level.is_function() || level.kind == ProgramKind::Trigger);
        if in_statement && fault.effect == Effect::Nothing && !self.is_protected() {
            self.report(&fault.error)?;
            return Ok(at + 1);
        }
        if self.is_protected() || in_statement {
            self.doom(&fault, rolls_back && !in_statement);
            if fault.effect == Effect::Scope {
                fault.effect = Effect::Statement;
            }
            return Err(fault);
        }
        self.report(&fault.error)?;
        let ends_change = fault.effect == Effect::Statement
            && !rolls_back
            && !depends_on_session(&fault.error)
            && changes_data(step);
        if fault.effect == Effect::Transaction && writes_text(step) {
            let terminated = SqlError::new(&message::STATEMENT_TERMINATED, &[]).at_line(1);
            self.inform(terminated)?;
        } else if ends_change
            || (fault.effect >= Effect::Statement && changes_rows(step, &fault.error))
        {
            let terminated = SqlError::new(&message::STATEMENT_TERMINATED, &[]);
            self.inform(located(terminated, program, step))?;
        }
        if rolls_back {
            self.roll_back_all()?;
            self.failed(step)?;
            return Err(Fault { effect: Effect::Transaction, reported: true, ..fault });
        }
        self.failed(step)?;
        match fault.effect {
            Effect::Nothing | Effect::Statement => Ok(at + 1),
            _ => Err(Fault { reported: true, ..fault }),
        }
    }

    /// Whether a `TRY` is around what runs, here or in a caller.
    pub(crate) fn is_protected(&self) -> bool {
        self.session.left.handlers > 0
    }

    /// Something within has ended, and the client knows why.
    fn reported(&mut self, step: &Step, at: StepId, fault: Fault) -> Run<StepId> {
        // What ends a module does not end its caller.
        let called = matches!(step.kind, StepKind::Execute(_) | StepKind::InsertExecute(_));
        match fault.effect {
            Effect::Nothing | Effect::Statement => Ok(at + 1),
            Effect::Scope if called => Ok(at + 1),
            _ => Err(fault),
        }
    }

    /// The transaction cannot be committed any more, if the error says so.
    fn doom(&mut self, fault: &Fault, rolls_back: bool) {
        if is_given_up(fault.error.number()) {
            self.session.transaction.give_up(self.task);
        } else if rolls_back {
            self.session.transaction.doom();
        }
    }

    /// The request ends because the client asks for that, or with the connection.
    pub(super) fn end_request(&mut self, fault: Fault) -> Fault {
        let xact_abort = self.session.options.settings.xact_abort;
        if fault.effect == Effect::Session && !fault.reported {
            // A client that has gone gets no message.
            let _ = self.report(&fault.error);
        }
        if (fault.effect == Effect::Session || xact_abort) && self.session.transaction.is_open() {
            let _ = self.roll_back_all();
        }
        Fault { reported: true, ..fault }
    }

    /// Sends an error to the client.
    pub(crate) fn report(&mut self, error: &SqlError) -> Run<()> {
        self.session.instance.count_error();
        let level = self.session.level_mut();
        level.severity = level.severity.max(error.severity());
        self.writer.error(self.task, error).map_err(Fault::lost)
    }

    fn failed(&mut self, step: &Step) -> Run<()> {
        let command = match &step.kind {
            StepKind::Data(statement) => command_of(&statement.kind),
            StepKind::Execute(_) => return Ok(()),
            StepKind::Assign { .. } => command::SELECT,
            StepKind::JumpUnless(..) => command::CONDITION,
            _ => command::NONE,
        };
        self.session.left.row_count = 0;
        self.tell_done(command, None, true).map_err(Fault::lost)
    }

    /// Rolls back the transaction that is open, whatever it is.
    pub(crate) fn roll_back_all(&mut self) -> Run<()> {
        let transaction = &mut self.session.transaction;
        let (id, was_user) = (transaction.id(), transaction.origin() == Some(Origin::User));
        transaction.rollback(self.task);
        self.session.transaction_ended();
        if was_user {
            self.close_cursors(true);
            let change = EnvironmentChange::TransactionRolledBack(id);
            self.environment(&change).map_err(Fault::lost)?;
        }
        Ok(())
    }
}

/// Whether a step is one after whose failure 3621 says that it was terminated.
fn changes_data(step: &Step) -> bool {
    use tsql::ast::StatementKind as S;
    match &step.kind {
        StepKind::Data(statement) => {
            matches!(statement.kind, S::Insert(_) | S::Update(_) | S::Delete(_) | S::Merge(_))
        }
        StepKind::SelectInto(_) | StepKind::InsertExecute(_) => true,
        _ => false,
    }
}

/// Whether a step is `WRITETEXT` or `UPDATETEXT`, whose errors end the transaction.
fn writes_text(step: &Step) -> bool {
    use tsql::ast::{StatementKind, TextAction};
    let StepKind::Data(statement) = &step.kind else { return false };
    let StatementKind::Text(text) = &statement.kind else { return false };
    !matches!(text.action, TextAction::Read { .. })
}

/// As `changes_data`, for a definition that has failed over the rows of a table.
fn changes_rows(step: &Step, error: &SqlError) -> bool {
    matches!(step.kind, StepKind::Definition(_))
        && matches!(error.number(), 220 | 515 | 1505 | 2628 | 8115 | 8152)
}

/// What `DONE` says of a statement.
pub(super) fn command_of(kind: &tsql::ast::StatementKind) -> u16 {
    use tsql::ast::StatementKind as S;
    match kind {
        S::Select(_) => command::SELECT,
        S::Insert(_) => command::INSERT,
        S::Update(_) => command::UPDATE,
        S::Delete(_) => command::DELETE,
        S::Merge(_) => command::MERGE,
        _ => command::NONE,
    }
}

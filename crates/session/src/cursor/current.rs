//! The row that `WHERE CURRENT OF` means, and what `CURSOR_STATUS` says.

use std::sync::Arc;

use base::text::identifier::fold_identifier;
use base::{SqlError, message};
use compile::bind::CursorRow;
use ir::function::facts::CursorScope;
use ir::operator::VarId;
use ir::site::StatementKind as Kind;
use run::interp::local::RowId;
use run::interp::{Frame, Outcome};
use tsql::ast::{CursorRef, RowFilter, StatementKind};

use super::statements::shown;
use crate::context::Context;
use crate::fault::Run;
use crate::program::{Program, Step, StepKind};
use crate::session::SessionState;
use crate::session::cursors::{Cursor, CursorId, Key};

/// The cursor of a statement with `WHERE CURRENT OF`.
pub(crate) fn current_of(step: &Step) -> Option<&CursorRef> {
    let StepKind::Data(statement) = &step.kind else { return None };
    let filter = match &statement.kind {
        StatementKind::Update(update) => &update.filter,
        StatementKind::Delete(delete) => &delete.filter,
        _ => return None,
    };
    match filter {
        Some(RowFilter::CurrentOf(cursor)) => Some(cursor),
        _ => None,
    }
}

impl Context<'_> {
    /// Runs a statement with `WHERE CURRENT OF`. Its plan names variables that this frame alone
    /// has, so it is made anew. Errors 16917, 16929, 16931, 16943,
    /// 16947 and those of names.
    pub(crate) fn run_at_cursor(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        cursor: &CursorRef,
        frame: &mut Frame,
    ) -> Run<(Outcome, Kind)> {
        let id = self.find_cursor(program, step, cursor)?;
        let rows = self.with_cursor(id, &shown(cursor), |context, cursor| {
            context.current_rows(cursor, frame)
        })?;
        self.session.standing_on = rows;
        let StepKind::Data(statement) = &step.kind else {
            return Err(ir::internal("a data step").into());
        };
        let step = step.with_statement((**statement).clone());
        let ran = self.run_step(program, &step, frame, &[]);
        self.session.standing_on.clear();
        // The tables are those of a row, not of a text that does not fit the catalog.
        let (outcome, kind) = ran.map_err(|fault| match fault.error.number() {
            number if number == message::CURSOR_TABLE_NOT_UPDATABLE.number => fault.error.into(),
            _ => fault,
        })?;
        if outcome.rows == 0 {
            return Err(SqlError::new(&message::CURSOR_NO_ROWS_CHANGED, &[]).into());
        }
        Ok((outcome, kind))
    }

    /// The rows of tables that a cursor stands on, their keys in variables of the frame.
    fn current_rows(&mut self, cursor: &Cursor, frame: &mut Frame) -> Run<Vec<CursorRow>> {
        let Some(open) = &cursor.open else {
            return Err(SqlError::new(&message::CURSOR_NOT_OPEN, &[]).into());
        };
        let source = &cursor.source;
        if source.read_only || source.keys.is_empty() {
            return Err(SqlError::new(&message::CURSOR_READ_ONLY, &[]).into());
        }
        self.check_unchanged(&source.keys, open)?;
        let row = RowId((open.position - 1).max(0) as u32);
        let Some(bytes) = open.rows.visible(row).filter(|_| open.on_row) else {
            return Err(SqlError::new(&message::CURSOR_NO_CURRENT_ROW, &[]).into());
        };
        let variables = &mut self.session.level_mut().cursors.keys;
        let mut taken: Vec<VarId> = Vec::with_capacity(source.key_columns());
        for (at, (_, _, ty)) in source.keys.iter().flat_map(|key| &key.columns).enumerate() {
            let free = variables.iter().find(|(own, id)| own == ty && !taken.contains(id));
            let id = match free {
                Some((_, id)) => *id,
                None => {
                    let id = frame.declare(*ty);
                    variables.push((*ty, id));
                    id
                }
            };
            frame.set(id, open.rows.layout().get(bytes, open.columns.len() + at));
            taken.push(id);
        }
        let layout = open.rows.layout();
        let has_row = |key: &&Key| {
            let of_key = (0..key.columns.len()).map(|at| open.columns.len() + key.first + at);
            !key.optional || of_key.into_iter().any(|at| !layout.get(bytes, at).is_null())
        };
        let row_of = |key: &Key| {
            let columns = key.columns.iter().zip(&taken[key.first..]);
            let named = columns.map(|((column, _, _), id)| (*column, *id)).collect();
            CursorRow { database: key.database, table: key.table, key: named }
        };
        Ok(source.keys.iter().filter(has_row).map(row_of).collect())
    }
}

impl SessionState {
    /// `CURSOR_STATUS`: 1 open with rows, 0 open without, -1 closed, -2 a variable without a
    /// cursor, -3 nothing of that name.
    pub(crate) fn status_of_cursor(&self, scope: CursorScope, name: &str) -> i32 {
        let Some(level) = self.levels.last() else { return -3 };
        let id = match scope {
            CursorScope::Local => level.cursors.find(name),
            CursorScope::Global => self.cursors.find_global(name),
            CursorScope::Variable => {
                // A variable that was never set is as good as one without a cursor.
                let number = level.cursors.names.get(&*fold_identifier(name));
                match number.and_then(|number| level.cursors.variable(*number)) {
                    Some(id) => Some(id),
                    None => return -2,
                }
            }
        };
        id.map_or(-3, |id| self.status_of(id))
    }

    fn status_of(&self, id: CursorId) -> i32 {
        match self.cursors.get(id).and_then(|cursor| cursor.open.as_ref()) {
            Some(open) if open.count > 0 => 1,
            Some(_) => 0,
            None => -1,
        }
    }
}

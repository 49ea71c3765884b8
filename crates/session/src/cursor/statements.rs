//! The statements about cursors.

use std::sync::Arc;

use base::text::identifier::fold_identifier;
use base::{SqlError, message};
use run::interp::Frame;
use tsql::ast::{self, CursorRef, ExprKind};

use crate::context::Context;
use crate::fault::{Fault, Run};
use crate::program::variables::VariableKind;
use crate::program::{Program, Step, StepKind};
use crate::response::command;
use crate::session::arguments::{Argument, CalledCursor};
use crate::session::cursors::{Cursor, CursorId, Model};

impl Context<'_> {
    /// A step about a cursor.
    pub(crate) fn cursor(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        frame: &mut Frame,
    ) -> Run<()> {
        self.session.note_time();
        match &step.kind {
            StepKind::DeclareCursor(declare) => {
                self.declare_cursor(program, step, declare, frame)?
            }
            StepKind::SetCursor(set) => {
                let number = self.cursor_variable(program, step, &set.variable.name)?;
                let cursor = self.make_cursor(program, step, frame, &set.definition)?;
                let id = self.session.cursors.add(cursor);
                self.name_cursor_variable(&set.variable.name, number);
                self.set_cursor_variable(number, Some(id));
            }
            StepKind::AssignCursor(variable, value) => {
                let number = self.cursor_variable(program, step, &variable.name)?;
                let id = self.assigned_cursor(program, step, value)?;
                if let Some(id) = id {
                    self.session.cursors.refer(id);
                }
                self.name_cursor_variable(&variable.name, number);
                self.set_cursor_variable(number, id);
            }
            StepKind::OpenCursor(cursor) => {
                self.begin_implicitly()?;
                let id = self.find_cursor(program, step, cursor)?;
                self.open_cursor(id, &shown(cursor), frame)?;
            }
            StepKind::Fetch(fetch) => {
                self.begin_implicitly()?;
                return self.fetch(program, step, fetch, frame);
            }
            StepKind::CloseCursor(cursor) => {
                let id = self.find_cursor(program, step, cursor)?;
                let grant = &mut self.runtime.grant;
                let mut found = self.session.cursors.take(id, &shown(cursor))?;
                let was_open = found.close(grant);
                self.session.cursors.put_back(id, found, grant);
                if !was_open {
                    return Err(SqlError::new(&message::CURSOR_NOT_OPEN, &[]).into());
                }
            }
            StepKind::DeallocateCursor(cursor) => self.deallocate_cursor(program, step, cursor)?,
            _ => return Err(ir::internal("a step about no cursor").into()),
        }
        self.done(command::NONE, None).map_err(Fault::lost)
    }

    /// `DECLARE name CURSOR`. Error 16915.
    fn declare_cursor(
        &mut self,
        program: &Arc<Program>,
        step: &Step,
        declare: &ast::DeclareCursor,
        frame: &Frame,
    ) -> Run<()> {
        let name: Box<str> = fold_identifier(&declare.name.name).into();
        let global = match declare.definition.global {
            Some(global) => global,
            None => {
                let access = self.session.access(self.session.name_database())?;
                !access.with_def(&self.session.instance, |d| d.options.local_cursor_default)
            }
        };
        let taken = match global {
            true => self.session.cursors.global.contains_key(&name),
            false => self.session.level().cursors.named.contains_key(&name),
        };
        if taken {
            return Err(SqlError::new(&message::CURSOR_EXISTS, &[&declare.name.name]).into());
        }
        let cursor = self.make_cursor(program, step, frame, &declare.definition)?;
        let id = self.session.cursors.add(cursor);
        match global {
            true => self.session.cursors.global.insert(name, id),
            false => self.session.level_mut().cursors.named.insert(name, id),
        };
        Ok(())
    }

    /// `DEALLOCATE`.
    fn deallocate_cursor(&mut self, program: &Program, step: &Step, cursor: &CursorRef) -> Run<()> {
        let id = self.find_cursor(program, step, cursor)?;
        match cursor {
            CursorRef::Name { global, name } => {
                let name = fold_identifier(&name.name);
                let local = &mut self.session.level_mut().cursors.named;
                if *global || local.remove(&*name).is_none() {
                    self.session.cursors.global.remove(&*name);
                }
                self.session.cursors.release(id, &mut self.runtime.grant);
            }
            CursorRef::Variable(variable) => {
                let number = self.cursor_variable(program, step, &variable.name)?;
                self.set_cursor_variable(number, None);
            }
        }
        Ok(())
    }

    /// Remembers what a cursor variable is called, for `CURSOR_STATUS`.
    fn name_cursor_variable(&mut self, name: &str, number: usize) {
        let names = &mut self.session.level_mut().cursors.names;
        names.entry(fold_identifier(name).into()).or_insert(number);
    }

    /// Lets a cursor variable refer to a cursor.
    pub(crate) fn set_cursor_variable(&mut self, number: usize, id: Option<CursorId>) {
        let before = self.session.level_mut().cursors.set(number, id);
        if let Some(before) = before {
            self.session.cursors.release(before, &mut self.runtime.grant);
        }
    }

    /// The number of a cursor variable. Errors 137, 16948.
    fn cursor_variable(&self, program: &Program, step: &Step, name: &str) -> Run<usize> {
        match program.variables.find(name, step.declared).map(|v| &v.kind) {
            Some(VariableKind::Cursor(number)) => Ok(*number),
            Some(_) => Err(SqlError::new(&message::NOT_A_CURSOR_VARIABLE, &[&name]).into()),
            None => Err(SqlError::new(&message::UNDECLARED_VARIABLE, &[&name]).into()),
        }
    }

    /// What a cursor variable refers to.
    pub(crate) fn cursor_in(&self, number: usize) -> Option<CursorId> {
        self.session.level().cursors.variable(number)
    }

    /// The cursors that a module which ends gives back, each with a reference of its own: those of
    /// its output parameters.
    pub(crate) fn returned_cursors(
        &mut self,
        program: &Program,
        arguments: &[Argument],
    ) -> Vec<CalledCursor> {
        let mut returned = Vec::new();
        for (at, argument) in arguments.iter().enumerate().filter(|(_, a)| a.output) {
            let parameter = match &argument.name {
                Some(name) => program.variables.find(name, u32::MAX),
                None => program.variables.parameters().get(at),
            };
            if let Some(VariableKind::Cursor(number)) = parameter.map(|p| &p.kind)
                && let Some(id) = self.session.level().cursors.variable(*number)
            {
                self.session.cursors.refer(id);
                returned.push(CalledCursor { at, cursor: id });
            }
        }
        returned
    }

    /// Releases cursors that a module has given back and the caller does not take.
    pub(crate) fn drop_cursors(&mut self, returned: Vec<CalledCursor>) {
        for own in returned {
            self.session.cursors.release(own.cursor, &mut self.runtime.grant);
        }
    }

    /// A cursor variable takes over a reference. Errors 137, 16948.
    pub(crate) fn take_cursor(
        &mut self,
        program: &Program,
        step: &Step,
        name: &str,
        id: CursorId,
    ) -> Run<()> {
        let number = self.cursor_variable(program, step, name)?;
        self.name_cursor_variable(name, number);
        self.set_cursor_variable(number, Some(id));
        Ok(())
    }

    /// The cursor that `SET @v = …` refers to: another variable's, or one by name.
    fn assigned_cursor(
        &self,
        program: &Program,
        step: &Step,
        value: &ast::Expr,
    ) -> Run<Option<CursorId>> {
        match &value.kind {
            ExprKind::Variable(variable) => {
                let number = self.cursor_variable(program, step, variable)?;
                Ok(self.session.level().cursors.variable(number))
            }
            ExprKind::Column(column) => {
                let name = &column.column.name;
                self.find_named_cursor(false, name).map(Some)
            }
            _ => Err(SqlError::new(&message::CURSOR_NOT_DECLARED, &[]).into()),
        }
    }

    /// The cursor that a statement means. Errors 16916, 16950 and those of variables.
    pub(super) fn find_cursor(
        &self,
        program: &Program,
        step: &Step,
        cursor: &CursorRef,
    ) -> Run<CursorId> {
        match cursor {
            CursorRef::Name { global, name } => self.find_named_cursor(*global, &name.name),
            CursorRef::Variable(variable) => {
                let number = self.cursor_variable(program, step, &variable.name)?;
                let unset = || SqlError::new(&message::CURSOR_VARIABLE_UNSET, &[&variable.name]);
                Ok(self.session.level().cursors.variable(number).ok_or_else(unset)?)
            }
        }
    }

    /// A local cursor comes before a global one, unless that is asked for.
    fn find_named_cursor(&self, global: bool, name: &str) -> Run<CursorId> {
        let local = match global {
            true => None,
            false => self.session.level().cursors.find(name),
        };
        let found = local.or_else(|| self.session.cursors.find_global(name));
        Ok(found.ok_or_else(|| SqlError::new(&message::CURSOR_DOES_NOT_EXIST, &[&name]))?)
    }

    /// What runs has ended: the cursors that it has names for.
    pub(crate) fn end_cursors(&mut self) {
        if let Some(level) = self.session.levels.last_mut() {
            let local = std::mem::take(&mut level.cursors);
            self.session.cursors.end_level(local, &mut self.runtime.grant);
        }
    }

    /// A transaction has ended: under `CURSOR_CLOSE_ON_COMMIT` that closes all cursors, and rolling
    /// back closes those that are not static in any case.
    pub(crate) fn close_cursors(&mut self, rolled_back: bool) {
        let all = self.session.options.settings.cursor_close_on_commit;
        if all || rolled_back {
            let which = |cursor: &Cursor| all || cursor.source.model != Model::Static;
            self.session.cursors.close(which, &mut self.runtime.grant);
        }
    }

    /// Runs a function on a cursor, which nothing else can use meanwhile.
    pub(super) fn with_cursor<T>(
        &mut self,
        id: CursorId,
        name: &str,
        run: impl FnOnce(&mut Context<'_>, &mut Cursor) -> Run<T>,
    ) -> Run<T> {
        let mut cursor = self.session.cursors.take(id, name)?;
        let result = run(self, &mut cursor);
        self.session.cursors.put_back(id, cursor, &mut self.runtime.grant);
        result
    }
}

/// What messages call a cursor.
pub(super) fn shown(cursor: &CursorRef) -> Arc<str> {
    match cursor {
        CursorRef::Name { name, .. } => name.name.clone(),
        CursorRef::Variable(variable) => variable.name.clone(),
    }
}

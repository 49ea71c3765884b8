//! Going on after a name that means nothing, so that all such names of a statement are reported.
//!
//! A column that does not exist, or is ambiguous, is noted and taken for a NULL. What fails because
//! of that afterwards is not an error of the statement's; a clause, or an entry of a list, in which
//! something like this happens is left out. Nothing is made of a statement with noted errors.

use base::{SqlError, message};

use super::binder::Binder;
use super::context::{BindError, BindResult};

impl Binder<'_> {
    /// Binds a statement so that the errors about its columns are all found.
    pub fn collecting<T>(&mut self, f: impl FnOnce(&mut Self) -> BindResult<T>) -> BindResult<T> {
        self.noted = Some(Vec::new());
        let result = f(self);
        let mut errors = self.noted.take().unwrap_or_default();
        match result {
            Err(error) if error.missing || errors.is_empty() => return Err(error),
            Ok(bound) if errors.is_empty() => return Ok(bound),
            Err(error) if is_name_error(&error.error) => errors.push(error.error),
            Ok(_) | Err(_) => {}
        }
        Err(BindError::several(errors).expect("there is one at least"))
    }

    /// What was found; nothing if there is no such column and the binding goes on.
    pub fn known<T>(&mut self, found: BindResult<T>) -> BindResult<Option<T>> {
        match (found, &mut self.noted) {
            (Err(error), Some(noted)) if !error.missing && is_column_error(&error.error) => {
                noted.push(error.error);
                Ok(None)
            }
            (found, _) => found.map(Some),
        }
    }

    /// Binds a part of a statement; nothing if it has names in it that mean nothing and the binding
    /// goes on without it.
    pub fn part<T>(&mut self, f: impl FnOnce(&mut Self) -> BindResult<T>) -> BindResult<Option<T>> {
        let (blocks, references) = (self.blocks.len(), self.references.len());
        let before = self.noted.as_ref().map_or(0, Vec::len);
        let result = f(self);
        let bound = self.known(result);
        if !matches!(bound, Ok(Some(_))) {
            self.blocks.truncate(blocks);
            self.references.truncate(references);
        }
        match bound {
            Err(error) if !error.missing && !is_name_error(&error.error) => {
                let after = self.noted.as_ref().map_or(0, Vec::len);
                if after > before { Ok(None) } else { Err(error) }
            }
            bound => bound,
        }
    }

    /// The query of a view or inline function: errors in it name it, and are followed by error 4413
    /// at `line` of the statement.
    pub fn module_query<T>(
        &mut self,
        module: &str,
        shown: &str,
        line: u32,
        f: impl FnOnce(&mut Self) -> BindResult<T>,
    ) -> BindResult<T> {
        let before = self.noted.as_ref().map_or(0, Vec::len);
        let result = f(self);
        let Some(noted) = &mut self.noted else {
            return result.map_err(|e| e.in_procedure(module));
        };
        for error in &mut noted[before..] {
            *error = error.clone().in_procedure(module);
        }
        let unusable = SqlError::new(&message::VIEW_BINDING_ERRORS, &[&shown]).at_line(line);
        match result {
            Ok(bound) if noted.len() == before => return Ok(bound),
            Err(error) if error.missing => {
                return Err(error.in_procedure(module).followed_by(unusable));
            }
            Err(error) if noted.len() == before || is_name_error(&error.error) => {
                noted.push(error.error.in_procedure(module));
            }
            Ok(_) | Err(_) => {}
        }
        Err(unusable.into())
    }
}

/// Whether a name of a column means nothing.
fn is_column_error(error: &SqlError) -> bool {
    matches!(error.number(), 207 | 209 | 4104)
}

/// As `is_column_error`, or whether an unknown name is why a view cannot be used.
fn is_name_error(error: &SqlError) -> bool {
    is_column_error(error) || error.number() == 4413
}

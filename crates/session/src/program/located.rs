//! Errors with the place in a program that they arose in.

use base::SqlError;
use compile::bind::BindError;
use engine::catalog::without_number;

use super::{Program, Step};

/// Errors of binding with their lines, and the module they arose in.
pub(crate) fn located_all(error: BindError, program: &Program, step: &Step) -> BindError {
    let all = error.all().map(|error| located(error, program, step));
    BindError::several(all.collect()).expect("there were some before")
}

/// An error with its line, and the module it arose in.
pub(crate) fn located(error: SqlError, program: &Program, step: &Step) -> SqlError {
    // What a call is refused with names the callee, and no line of it.
    if error.procedure().is_some() {
        return error;
    }
    let error = error.at_line(step.line);
    match program.name() {
        Some(name) => error.in_procedure(without_number(name)),
        None => error,
    }
}

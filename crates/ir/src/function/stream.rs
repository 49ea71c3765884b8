//! Rows that come from outside of the databases, one by one.

use std::fmt;

use base::{SqlError, SqlResult};

use super::facts::{FnContext, SessionFacts};
use super::rowset::Emit;

/// Where such rows come from. A plan has it; each run of the plan opens it.
pub trait StreamSource: fmt::Debug + Send + Sync {
    /// What plans call it.
    fn name(&self) -> &str;

    /// Begins at the first row. The errors of a source that is not there, or that the session may
    /// not read.
    fn open(&self, facts: &dyn SessionFacts) -> SqlResult<Box<dyn Stream>>;
}

/// Takes an error that does not end the statement.
pub type Report<'r> = dyn FnMut(&SqlError) -> SqlResult<()> + 'r;

/// An open source.
pub trait Stream: fmt::Debug + Send {
    /// Emits the next row; `false` after the last one. Rows that are left out are reported.
    fn next(
        &mut self,
        context: &FnContext<'_>,
        report: &mut Report<'_>,
        emit: &mut Emit<'_>,
    ) -> SqlResult<bool>;
}

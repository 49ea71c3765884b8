//! Functions over the server's state: views that take arguments.

use base::{SqlResult, Value, ValueRef};
use engine::wait::Task;

use super::ViewColumn;
use crate::exec::instance::Instance;
use crate::func::facts::MetadataFacts;

/// Rows of values, one for each column.
pub type Rows = Vec<Vec<Value>>;

/// A function whose rows are made when it is called.
#[derive(Debug)]
pub struct ServerFunction {
    /// Its columns.
    pub columns: &'static [ViewColumn],
    /// Makes the rows from the arguments.
    pub rows: fn(&FunctionContext<'_>, &[ValueRef<'_>]) -> SqlResult<Rows>,
}

/// What such a function may ask.
pub struct FunctionContext<'a> {
    /// The statement that calls it.
    pub task: &'a Task<'a>,
    /// The server.
    pub instance: &'a Instance,
    /// The session.
    pub facts: &'a dyn MetadataFacts,
}

/// An integer, or nothing for NULL.
pub fn integer(argument: ValueRef<'_>) -> Option<i64> {
    match argument {
        ValueRef::Int(value) => Some(value),
        _ => None,
    }
}

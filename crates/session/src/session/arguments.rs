//! Arguments of calls, and the values that come back.

use std::sync::Arc;

use base::types::XmlCollectionName;
use base::{SqlType, Value};
use run::interp::local::LocalTable;

use super::cursors::CursorId;

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// `@name =`.
    pub name: Option<Arc<str>>,
    /// Its value.
    pub value: ArgumentIn,
    /// Its value is wanted back.
    pub output: bool,
}

/// The value of an argument.
#[derive(Clone, Debug)]
pub(crate) enum ArgumentIn {
    /// The parameter's default.
    Default,
    /// A scalar.
    Scalar(Value, SqlType),
    /// A table.
    Table(Arc<LocalTable>),
    /// A cursor variable, and what it refers to.
    Cursor(Option<CursorId>),
}

/// What a call gives back.
#[derive(Debug, Default)]
pub(crate) struct Called {
    /// The return status.
    pub status: i32,
    /// What a function returned.
    pub value: Option<(Value, SqlType)>,
    /// The output arguments.
    pub outputs: Vec<CalledOutput>,
    /// The output arguments of type cursor.
    pub cursors: Vec<CalledCursor>,
}

/// What an output argument gets.
#[derive(Debug)]
pub(crate) struct CalledOutput {
    /// The argument's place.
    pub at: usize,
    /// The name of the parameter.
    pub name: Arc<str>,
    /// Its value.
    pub value: Value,
    /// Its type.
    pub ty: SqlType,
    /// The schemas that values of a type xml follow.
    pub schemas: Option<Arc<XmlCollectionName>>,
}

/// What an output argument of type cursor gets.
#[derive(Debug)]
pub(crate) struct CalledCursor {
    /// The argument's place.
    pub at: usize,
    /// The cursor, with a reference of its own.
    pub cursor: CursorId,
}

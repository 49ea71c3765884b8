//! The shapes of what clients ask for beside batches of text.

use base::{SqlType, Value};
use tsql::ast::IsolationLevel;

/// A remote procedure call.
#[derive(Clone, Debug)]
pub struct RpcCall {
    /// What is called.
    pub procedure: RpcProcedure,
    /// The arguments in order.
    pub args: Vec<RpcArg>,
    /// `fNoMetaData` and `fReuseMetaData` are left to the server; this is `fWithRecomp`.
    pub recompile: bool,
}

/// What an RPC calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RpcProcedure {
    /// By name, as the client wrote it: `[db].[schema].[name]`.
    Name(String),
    /// One of the procedures that the wire knows by number.
    Id(u16),
}

/// The procedures that the wire knows by number.
pub mod procedure_id {
    /// `sp_cursor`
    pub const CURSOR: u16 = 1;
    /// `sp_cursoropen`
    pub const CURSOR_OPEN: u16 = 2;
    /// `sp_cursorprepare`
    pub const CURSOR_PREPARE: u16 = 3;
    /// `sp_cursorexecute`
    pub const CURSOR_EXECUTE: u16 = 4;
    /// `sp_cursorprepexec`
    pub const CURSOR_PREP_EXEC: u16 = 5;
    /// `sp_cursorunprepare`
    pub const CURSOR_UNPREPARE: u16 = 6;
    /// `sp_cursorfetch`
    pub const CURSOR_FETCH: u16 = 7;
    /// `sp_cursoroption`
    pub const CURSOR_OPTION: u16 = 8;
    /// `sp_cursorclose`
    pub const CURSOR_CLOSE: u16 = 9;
    /// `sp_executesql`
    pub const EXECUTE_SQL: u16 = 10;
    /// `sp_prepare`
    pub const PREPARE: u16 = 11;
    /// `sp_execute`
    pub const EXECUTE: u16 = 12;
    /// `sp_prepexec`
    pub const PREP_EXEC: u16 = 13;
    /// `sp_prepexecrpc`
    pub const PREP_EXEC_RPC: u16 = 14;
    /// `sp_unprepare`
    pub const UNPREPARE: u16 = 15;
}

/// An argument of an RPC.
#[derive(Clone, Debug)]
pub struct RpcArg {
    /// The parameter's name with its `@`; empty for positional arguments.
    pub name: String,
    /// The type of the value as the client sent it.
    pub ty: SqlType,
    /// The value.
    pub value: RpcValue,
    /// The client asks for the value back.
    pub output: bool,
}

/// The value of an argument.
#[derive(Clone, Debug)]
pub enum RpcValue {
    /// The parameter's default.
    Default,
    /// A scalar; a variant is in its encoded form.
    Scalar(Value),
    /// A table-valued parameter.
    Table(TableValue),
}

/// A table-valued parameter as the client sent it.
#[derive(Clone, Debug)]
pub struct TableValue {
    /// The schema of the table type; empty for the default one.
    pub schema: String,
    /// The name of the table type; empty if the client did not say.
    pub name: String,
    /// The types of the columns as sent, and whether the column takes its default instead.
    pub columns: Vec<(SqlType, bool)>,
    /// The rows: one value per column, whatever for columns that take their defaults.
    pub rows: Vec<Vec<Value>>,
}

/// A request of the transaction manager.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransactionRequest {
    /// Begins a transaction.
    Begin {
        /// The level that the session changes to.
        isolation: Option<IsolationLevel>,
        /// Its name, perhaps empty.
        name: String,
    },
    /// Commits.
    Commit {
        /// What begins at once afterwards.
        then_begin: Option<(Option<IsolationLevel>, String)>,
    },
    /// Rolls back, or goes back to a savepoint.
    Rollback {
        /// A savepoint or the transaction; empty for the transaction.
        name: String,
        /// What begins at once afterwards.
        then_begin: Option<(Option<IsolationLevel>, String)>,
    },
    /// Sets a savepoint.
    Save {
        /// Its name.
        name: String,
    },
}

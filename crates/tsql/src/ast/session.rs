//! `SET` of session options.

use super::{Expr, ObjectName};

/// `SET` of one or more options.
#[derive(Clone, Debug)]
pub enum SetOption {
    /// `SET a, b ON`; never empty.
    Switch {
        /// Which options.
        options: Vec<SwitchOption>,
        /// `ON` or `OFF`.
        on: bool,
    },
    /// `SET option value`.
    Value {
        /// Which option.
        option: ValueOption,
        /// A constant (words are strings), or a variable. Negative numbers keep their sign.
        value: Expr,
    },
    /// `SET STATISTICS IO, TIME ON`.
    Statistics {
        /// Which.
        kinds: Vec<StatisticsKind>,
        /// `ON` or `OFF`.
        on: bool,
    },
    /// `SET IDENTITY_INSERT table ON`.
    IdentityInsert {
        /// The table.
        table: ObjectName,
        /// `ON` or `OFF`.
        on: bool,
    },
    /// `SET TRANSACTION ISOLATION LEVEL`.
    Isolation(IsolationLevel),
    /// `SET OFFSETS words ON`, which nothing uses any more.
    Offsets {
        /// `ON` or `OFF`.
        on: bool,
    },
}

/// Options that are on or off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SwitchOption {
    AnsiDefaults,
    AnsiNullDfltOff,
    AnsiNullDfltOn,
    AnsiNulls,
    AnsiPadding,
    AnsiWarnings,
    ArithAbort,
    ArithIgnore,
    ConcatNullYieldsNull,
    CursorCloseOnCommit,
    DisableDefCnstChk,
    FmtOnly,
    ForcePlan,
    ImplicitTransactions,
    NoBrowseTable,
    NoCount,
    NoExec,
    NumericRoundAbort,
    ParseOnly,
    QuotedIdentifier,
    RemoteProcTransactions,
    ResultSetCaching,
    ShowPlanAll,
    ShowPlanText,
    ShowPlanXml,
    XactAbort,
}

/// Options with a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ValueOption {
    ContextInfo,
    DateFirst,
    DateFormat,
    DeadlockPriority,
    FipsFlagger,
    Language,
    LockTimeout,
    QueryGovernorCostLimit,
    RowCount,
    TextSize,
}

/// What `SET STATISTICS` shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum StatisticsKind {
    Io,
    Profile,
    Time,
    Xml,
}

/// Isolation levels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
    /// SAP ASE's `STATEMENT SNAPSHOT`: READ COMMITTED that reads versions, whatever the database's
    /// option says.
    StatementSnapshot,
}

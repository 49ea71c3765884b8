//! The server: backups, `DBCC`, `KILL`, the resource governor.

use super::{CreateAction, DatabaseOption, Expr, Ident, Literal, OptionValue, Span, Variable};

/// `BACKUP` and `RESTORE`.
#[derive(Clone, Debug)]
pub struct Backup {
    /// What is done.
    pub action: BackupAction,
    /// The database; missing for `RESTORE HEADERONLY` and the like.
    pub database: Option<NameOrVariable>,
    /// Which parts of it; empty for all.
    pub parts: Vec<BackupPart>,
    /// `TO` or `FROM`.
    pub devices: Vec<BackupDevice>,
    /// `WITH …`.
    pub options: Vec<BackupOption>,
}

/// `FILE = 'name'`, `FILEGROUP = 'name'`, `PAGE = 'text'`, `READ_WRITE_FILEGROUPS`.
#[derive(Clone, Debug)]
pub struct BackupPart {
    /// The word, in upper case.
    pub kind: Box<str>,
    /// What follows `=`.
    pub value: Option<Box<str>>,
}

/// What `BACKUP` and `RESTORE` do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum BackupAction {
    BackupDatabase,
    BackupLog,
    RestoreDatabase,
    RestoreLog,
    RestoreFileListOnly,
    RestoreHeaderOnly,
    RestoreLabelOnly,
    RestoreRewindOnly,
    RestoreVerifyOnly,
}

/// A name, or a variable that holds it.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum NameOrVariable {
    Name(Ident),
    Variable(Variable),
}

/// Where a backup goes to or comes from.
#[derive(Clone, Debug)]
pub struct BackupDevice {
    /// `DISK`, `TAPE`, `URL` …, in upper case; missing for a logical device.
    pub kind: Option<Box<str>>,
    /// Its name, or its path as a string or variable.
    pub name: Expr,
}

/// An option of `BACKUP` and `RESTORE`.
#[derive(Clone, Debug)]
pub struct BackupOption {
    /// Where it stands.
    pub span: Span,
    /// In upper case: `INIT`, `STATS`, `MOVE`.
    pub name: Box<str>,
    /// `= value`, or what `MOVE` moves.
    pub value: Option<Expr>,
    /// What stands after `TO` (of `MOVE`), `AFTER` (of `STOPATMARK`).
    pub second: Option<Expr>,
}

/// `DBCC name (arguments) WITH options`.
#[derive(Clone, Debug)]
pub struct Dbcc {
    /// The command in upper case.
    pub command: Box<str>,
    /// Where the command stands.
    pub command_span: Span,
    /// What stands in parentheses. Words are column references; negative numbers keep their sign.
    pub arguments: Vec<Expr>,
    /// `WITH …`, in upper case.
    pub options: Vec<Box<str>>,
}

/// `KILL`.
#[derive(Clone, Debug)]
pub struct Kill {
    /// A session number (perhaps negative), or the id of a distributed transaction as a string.
    pub target: Literal,
    /// `WITH STATUSONLY`.
    pub status_only: bool,
}

/// The resource governor's statements.
#[derive(Clone, Debug)]
pub enum ResourceGovernor {
    /// `CREATE` or `ALTER RESOURCE POOL`.
    Pool {
        /// `Create` or `Alter`.
        action: CreateAction,
        /// `EXTERNAL`.
        external: bool,
        /// Its name.
        name: Ident,
        /// `WITH (…)`.
        options: Vec<DatabaseOption>,
    },
    /// `DROP RESOURCE POOL`.
    DropPool {
        /// `EXTERNAL`.
        external: bool,
        /// Its name.
        name: Ident,
    },
    /// `CREATE` or `ALTER WORKLOAD GROUP`.
    Group {
        /// `Create` or `Alter`.
        action: CreateAction,
        /// Its name.
        name: Ident,
        /// `WITH (…)`.
        options: Vec<DatabaseOption>,
        /// `USING pool`, and the external pool.
        pools: Vec<Ident>,
    },
    /// `DROP WORKLOAD GROUP`.
    DropGroup(Ident),
    /// `ALTER RESOURCE GOVERNOR RECONFIGURE`.
    Reconfigure,
    /// `ALTER RESOURCE GOVERNOR DISABLE`.
    Disable,
    /// `ALTER RESOURCE GOVERNOR RESET STATISTICS`.
    ResetStatistics,
    /// `ALTER RESOURCE GOVERNOR WITH (…)`.
    Set(Vec<DatabaseOption>),
}

/// `ALTER SERVER CONFIGURATION SET …`.
#[derive(Clone, Debug)]
pub struct ServerConfiguration {
    /// What is set, in upper case with single blanks: `BUFFER POOL EXTENSION`, `PROCESS AFFINITY`,
    /// `MEMORY_OPTIMIZED`.
    pub name: Box<str>,
    /// The value, perhaps with options in parentheses after it. Ranges of processors are a word as
    /// written.
    pub value: OptionValue,
}

//! Databases, their files and options.

use super::{Expr, Ident, Span};

/// `CREATE DATABASE`.
#[derive(Clone, Debug)]
pub struct CreateDatabase {
    /// Its name.
    pub name: Ident,
    /// `CONTAINMENT = PARTIAL` (true) or `NONE` (false).
    pub containment: Option<bool>,
    /// `ON …`: the filegroups with their files; the first is the primary one.
    pub filegroups: Vec<FileGroup>,
    /// `LOG ON`.
    pub log: Vec<FileSpec>,
    /// `COLLATE`.
    pub collation: Option<Ident>,
    /// `WITH …` and the options of `FOR ATTACH`.
    pub options: Vec<DatabaseOption>,
    /// `FOR ATTACH` and the like.
    pub attach: Option<Attach>,
    /// `AS SNAPSHOT OF database`.
    pub snapshot_of: Option<Ident>,
    /// `AS COPY OF` another database: its name as written.
    pub copy_of: Option<super::ObjectName>,
}

/// How existing files become a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Attach {
    Attach,
    AttachRebuildLog,
    AttachForceRebuildLog,
}

/// A filegroup in `CREATE DATABASE`.
#[derive(Clone, Debug)]
pub struct FileGroup {
    /// Its name; `None` for the primary one.
    pub name: Option<Ident>,
    /// `CONTAINS …`.
    pub contains: FileGroupKind,
    /// `DEFAULT`.
    pub is_default: bool,
    /// Its files.
    pub files: Vec<FileSpec>,
}

/// What a filegroup contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FileGroupKind {
    Rows,
    FileStream,
    MemoryOptimizedData,
}

/// `(NAME = …, FILENAME = …, …)`.
#[derive(Clone, Debug)]
pub struct FileSpec {
    /// Where it stands.
    pub span: Span,
    /// `NAME`.
    pub name: Option<Box<str>>,
    /// `NEWNAME`.
    pub new_name: Option<Box<str>>,
    /// `FILENAME`.
    pub file_name: Option<Box<str>>,
    /// `SIZE`.
    pub size: Option<FileSize>,
    /// `MAXSIZE`.
    pub max_size: Option<FileSize>,
    /// `FILEGROWTH`.
    pub growth: Option<FileSize>,
    /// `OFFLINE`.
    pub offline: bool,
}

/// A file's size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FileSize {
    Unlimited,
    Percent(u64),
    Kilobytes(u64),
    /// Also for a size without a unit.
    Megabytes(u64),
    Gigabytes(u64),
    Terabytes(u64),
}

/// `ALTER DATABASE`.
#[derive(Clone, Debug)]
pub struct AlterDatabase {
    /// Its name; `None` for `CURRENT`.
    pub name: Option<Ident>,
    /// What is done.
    pub action: AlterDatabaseAction,
}

/// What `ALTER DATABASE` does.
#[derive(Clone, Debug)]
pub enum AlterDatabaseAction {
    /// `MODIFY NAME = name`.
    ModifyName(Ident),
    /// `COLLATE`.
    Collate(Ident),
    /// `ADD FILE … TO FILEGROUP name`.
    AddFile {
        /// The files.
        files: Vec<FileSpec>,
        /// The filegroup; the default one when missing.
        filegroup: Option<Ident>,
    },
    /// `ADD LOG FILE`.
    AddLogFile(Vec<FileSpec>),
    /// `REMOVE FILE`.
    RemoveFile(Ident),
    /// `MODIFY FILE`.
    ModifyFile(Box<FileSpec>),
    /// `ADD FILEGROUP name CONTAINS …`.
    AddFileGroup(Ident, FileGroupKind),
    /// `REMOVE FILEGROUP`.
    RemoveFileGroup(Ident),
    /// `MODIFY FILEGROUP`.
    ModifyFileGroup(Ident, FileGroupChange),
    /// `SET …`.
    Set {
        /// The options in order.
        options: Vec<DatabaseOption>,
        /// `WITH …`.
        termination: Option<Termination>,
    },
    /// `SET property ON FOR ALL TABLES`.
    SetAllTables {
        /// Which property.
        property: TableProperty,
        /// `ON` (true) or `OFF` (false).
        on: bool,
    },
    /// SAP ASE's `ROW STORAGE ON cache`; `OFF` names none.
    RowStorage(Option<Ident>),
    /// SAP ASE's `IMRSLOG ON device = size`.
    ImrsLog {
        /// `ON` (true) or `OFF` (false).
        on: bool,
    },
    /// `REBUILD LOG ON (…)`.
    RebuildLog(Option<Box<FileSpec>>),
}

/// A property of tables that a database sets for all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TableProperty {
    RowCaching,
    SnapshotIsolation,
}

/// What `MODIFY FILEGROUP` does.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum FileGroupChange {
    Default,
    Name(Ident),
    ReadOnly(bool),
    /// `AUTOGROW_ALL_FILES` (true) or `AUTOGROW_SINGLE_FILE` (false).
    AutogrowAllFiles(bool),
}

/// What happens to other sessions' transactions when a database changes its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    /// `ROLLBACK AFTER n SECONDS`.
    RollbackAfter(u32),
    /// `ROLLBACK IMMEDIATE`.
    RollbackImmediate,
    /// `NO_WAIT`.
    NoWait,
}

/// An option of a database.
#[derive(Clone, Debug)]
pub struct DatabaseOption {
    /// Where it stands.
    pub span: Span,
    /// Its name in upper case: `READ_COMMITTED_SNAPSHOT`, `SINGLE_USER`, `COMPATIBILITY_LEVEL`.
    pub name: Box<str>,
    /// What it is set to.
    pub value: OptionValue,
}

/// What an option is set to.
#[derive(Clone, Debug)]
pub enum OptionValue {
    /// Nothing: the name says it all.
    None,
    /// `ON` (true) or `OFF` (false).
    Switch(bool),
    /// A word, in upper case: `RECOVERY SIMPLE`, `PARAMETERIZATION FORCED`.
    Word(Box<str>),
    /// A number with its sign, and its unit in upper case if it has one:
    /// `TARGET_RECOVERY_TIME = 60 SECONDS`.
    Number(Box<str>, Option<Box<str>>),
    /// A string.
    String(Box<str>),
    /// A list of options, after a word or alone: `QUERY_STORE = ON (…)`.
    List(Option<Box<str>>, Vec<DatabaseOption>),
}

/// `ALTER DATABASE SCOPED CONFIGURATION`.
#[derive(Clone, Debug)]
pub struct ScopedConfiguration {
    /// `FOR SECONDARY`.
    pub secondary: bool,
    /// What is done.
    pub action: ScopedConfigurationAction,
}

/// What is done to a database's configuration.
#[derive(Clone, Debug)]
pub enum ScopedConfigurationAction {
    /// `SET name = value`; `PRIMARY` is a word.
    Set(DatabaseOption),
    /// `CLEAR PROCEDURE_CACHE [plan_handle]`.
    ClearProcedureCache(Option<Expr>),
}

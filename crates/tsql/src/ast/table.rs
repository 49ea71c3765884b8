//! Tables: their columns, constraints and inline indexes, and what `ALTER TABLE` does to them.

use super::{
    Condition, DataSpace, DataType, Expr, Ident, IdentityValues, IndexColumn, IndexOption,
    ObjectName, Span,
};

/// `CREATE TABLE`.
#[derive(Clone, Debug)]
pub struct CreateTable {
    /// Its name.
    pub name: ObjectName,
    /// What stands in the parentheses, and `WITH`.
    pub definition: TableDefinition,
    /// `ON filegroup`.
    pub on: Option<DataSpace>,
    /// `TEXTIMAGE_ON filegroup`.
    pub text_image_on: Option<Ident>,
    /// `FILESTREAM_ON filegroup`.
    pub filestream_on: Option<Ident>,
}

/// Columns, constraints and indexes: of a table, a table type, a table variable, or a function's
/// result.
#[derive(Clone, Debug)]
pub struct TableDefinition {
    /// From the opening parenthesis to the end of `WITH`.
    pub span: Span,
    /// In the order written.
    pub elements: Vec<TableElement>,
    /// `WITH (…)`.
    pub options: Vec<TableOption>,
}

/// What stands between the commas of a table definition.
#[derive(Clone, Debug)]
pub enum TableElement {
    /// A column.
    Column(Box<ColumnDefinition>),
    /// A constraint of the table.
    Constraint(Box<Constraint>),
    /// `INDEX name (…)`.
    Index(Box<InlineIndex>),
    /// `PERIOD FOR SYSTEM_TIME (start, end)`.
    Period {
        /// Where it stands.
        span: Span,
        /// The column with the start.
        start: Ident,
        /// The column with the end.
        end: Ident,
    },
}

/// A column.
#[derive(Clone, Debug)]
pub struct ColumnDefinition {
    /// Where it stands.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// Stored or computed.
    pub kind: ColumnKind,
    /// `NULL` or `NOT NULL`; otherwise session and database decide.
    pub nullable: Option<bool>,
    /// `COLLATE`.
    pub collation: Option<Ident>,
    /// `IDENTITY`.
    pub identity: Option<IdentityOption>,
    /// `ROWGUIDCOL`.
    pub row_guid: bool,
    /// `SPARSE`.
    pub sparse: bool,
    /// `COLUMN_SET FOR ALL_SPARSE_COLUMNS`.
    pub column_set: bool,
    /// `FILESTREAM`.
    pub filestream: bool,
    /// `HIDDEN`.
    pub hidden: bool,
    /// `GENERATED ALWAYS AS ROW START` (true) or `END` (false).
    pub generated: Option<bool>,
    /// `MASKED WITH (FUNCTION = 'text')`.
    pub masked: Option<Box<str>>,
    /// `DEFAULT`, keys, checks and references, in the order written.
    pub constraints: Vec<Constraint>,
    /// `INDEX name …` after the column; its list of columns is empty.
    pub index: Option<Box<InlineIndex>>,
}

impl ColumnDefinition {
    /// A column with only this property.
    pub fn new(name: Ident, kind: ColumnKind) -> ColumnDefinition {
        ColumnDefinition {
            span: name.span,
            name,
            kind,
            nullable: None,
            collation: None,
            identity: None,
            row_guid: false,
            sparse: false,
            column_set: false,
            filestream: false,
            hidden: false,
            generated: None,
            masked: None,
            constraints: Vec::new(),
            index: None,
        }
    }
}

/// What a column holds.
#[derive(Clone, Debug)]
pub enum ColumnKind {
    /// Values of a type.
    Stored(DataType),
    /// `AS expression`.
    Computed {
        /// The expression.
        expr: Expr,
        /// `PERSISTED`.
        persisted: bool,
    },
}

/// `IDENTITY (seed, increment) NOT FOR REPLICATION`.
#[derive(Clone, Debug)]
pub struct IdentityOption {
    /// Where it stands.
    pub span: Span,
    /// Seed and increment as written, with their signs; 1 and 1 when missing.
    pub values: Option<IdentityValues<Box<str>>>,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// A constraint of a column or of a table.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// From `CONSTRAINT` to its last word.
    pub span: Span,
    /// `CONSTRAINT name`.
    pub name: Option<Ident>,
    /// What it demands.
    pub kind: ConstraintKind,
}

/// What a constraint demands.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// `PRIMARY KEY` or `UNIQUE`.
    Key(KeyConstraint),
    /// `FOREIGN KEY … REFERENCES`.
    ForeignKey(ForeignKey),
    /// `CHECK`.
    Check {
        /// What must not be false.
        condition: Condition,
        /// `NOT FOR REPLICATION`.
        not_for_replication: bool,
    },
    /// `DEFAULT`.
    Default {
        /// The value.
        value: Expr,
        /// `FOR column`, in `ALTER TABLE … ADD CONSTRAINT`.
        column: Option<Ident>,
        /// `WITH VALUES`.
        with_values: bool,
    },
}

/// `PRIMARY KEY` or `UNIQUE`.
#[derive(Clone, Debug)]
pub struct KeyConstraint {
    /// `PRIMARY KEY`.
    pub primary: bool,
    /// `CLUSTERED` (true) or `NONCLUSTERED` (false).
    pub clustered: Option<bool>,
    /// `HASH`.
    pub hash: bool,
    /// The columns; empty when it stands after the column.
    pub columns: Vec<IndexColumn>,
    /// `WITH (…)`.
    pub options: Vec<IndexOption>,
    /// `ON filegroup`.
    pub on: Option<DataSpace>,
}

/// `FOREIGN KEY … REFERENCES`.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// The columns; empty when it stands after the column.
    pub columns: Vec<Ident>,
    /// The referenced table.
    pub table: ObjectName,
    /// The referenced columns; empty for the primary key.
    pub referenced: Vec<Ident>,
    /// `ON DELETE`.
    pub on_delete: ReferentialAction,
    /// `ON UPDATE`.
    pub on_update: ReferentialAction,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// What happens to referencing rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ReferentialAction {
    NoAction,
    Cascade,
    SetNull,
    SetDefault,
}

/// `INDEX name …` inside a table definition.
#[derive(Clone, Debug)]
pub struct InlineIndex {
    /// Where it stands.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// `UNIQUE`.
    pub unique: bool,
    /// `CLUSTERED` (true) or `NONCLUSTERED` (false).
    pub clustered: Option<bool>,
    /// `HASH`.
    pub hash: bool,
    /// `COLUMNSTORE`.
    pub columnstore: bool,
    /// The key columns; empty when it stands after the column.
    pub columns: Vec<IndexColumn>,
    /// `INCLUDE`.
    pub include: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Condition>,
    /// `WITH (…)`.
    pub options: Vec<IndexOption>,
    /// `ON filegroup`.
    pub on: Option<DataSpace>,
}

/// An option of a table.
#[derive(Clone, Debug)]
pub struct TableOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: TableOptionKind,
}

/// What SAP ASE locks in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum LockScheme {
    AllPages,
    DataPages,
    DataRows,
}

/// The options of a table.
#[derive(Clone, Debug)]
pub enum TableOptionKind {
    /// `MEMORY_OPTIMIZED = ON`.
    MemoryOptimized(bool),
    /// `DURABILITY = SCHEMA_AND_DATA` (true) or `SCHEMA_ONLY` (false).
    DurableData(bool),
    /// `DATA_COMPRESSION = kind`, in upper case.
    DataCompression(Box<str>),
    /// `LOCK_ESCALATION = AUTO | TABLE | DISABLE`, in upper case.
    LockEscalation(Box<str>),
    /// `ROW_CACHING = ON`, also `row_caching on` as SAP ASE writes it.
    RowCaching(bool),
    /// `SNAPSHOT_ISOLATION = ON`, of SAP ASE.
    SnapshotIsolation(bool),
    /// `DML_LOGGING = FULL` (true) or `MINIMAL` (false), of SAP ASE.
    FullLogging(bool),
    /// `LOCK scheme`, of SAP ASE.
    LockScheme(LockScheme),
    /// `SYSTEM_VERSIONING = ON (…)`; `None` for `OFF`.
    SystemVersioning(Option<Box<SystemVersioning>>),
    /// `REMOTE_DATA_ARCHIVE`, `LEDGER` and others that are a word and a value, in upper case.
    Other(Box<str>, Box<str>),
}

/// What stands in the parentheses of `SYSTEM_VERSIONING = ON (…)`.
#[derive(Clone, Debug, Default)]
pub struct SystemVersioning {
    /// `HISTORY_TABLE = name`.
    pub history: Option<ObjectName>,
    /// `DATA_CONSISTENCY_CHECK = ON` (true) or `OFF` (false).
    pub consistency_check: Option<bool>,
    /// `HISTORY_RETENTION_PERIOD = …`.
    pub retention: Option<HistoryRetention>,
}

/// `HISTORY_RETENTION_PERIOD`.
#[derive(Clone, Debug)]
pub enum HistoryRetention {
    /// `INFINITE`.
    Infinite,
    /// A number, as written, and a unit.
    Period(Box<str>, RetentionUnit),
}

/// The units of `HISTORY_RETENTION_PERIOD`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum RetentionUnit {
    Day,
    Week,
    Month,
    Year,
}

/// `ALTER TABLE`.
#[derive(Clone, Debug)]
pub struct AlterTable {
    /// The table.
    pub table: ObjectName,
    /// What is done.
    pub action: AlterTableAction,
}

/// What `ALTER TABLE` does.
#[derive(Clone, Debug)]
pub enum AlterTableAction {
    /// `[WITH CHECK | NOCHECK] ADD …`.
    Add {
        /// `WITH CHECK` (true) or `WITH NOCHECK` (false).
        check: Option<bool>,
        /// What is added.
        elements: Vec<TableElement>,
    },
    /// `ALTER COLUMN`.
    AlterColumn(Box<AlterColumn>),
    /// `DROP …`.
    Drop(Vec<AlterTableDrop>),
    /// `[WITH CHECK | NOCHECK] CHECK CONSTRAINT …` and `NOCHECK CONSTRAINT …`.
    ToggleConstraint {
        /// `WITH CHECK` (true) or `WITH NOCHECK` (false).
        check: Option<bool>,
        /// `CHECK` instead of `NOCHECK`.
        enable: bool,
        /// Which; empty for `ALL`.
        names: Vec<Ident>,
    },
    /// `ENABLE TRIGGER …` and `DISABLE TRIGGER …`.
    ToggleTrigger {
        /// `ENABLE`.
        enable: bool,
        /// Which; empty for `ALL`.
        names: Vec<Ident>,
    },
    /// `ENABLE CHANGE_TRACKING` and `DISABLE CHANGE_TRACKING`.
    ChangeTracking {
        /// `ENABLE`.
        enable: bool,
        /// `TRACK_COLUMNS_UPDATED = ON`.
        columns: bool,
    },
    /// `ALTER INDEX name REBUILD WITH (…)`.
    RebuildIndex {
        /// The index.
        index: Ident,
        /// `WITH (…)`: `BUCKET_COUNT`.
        options: Vec<IndexOption>,
    },
    /// `REBUILD`.
    Rebuild {
        /// `PARTITION = n`; `None` for all.
        partition: Option<Expr>,
        /// `WITH (…)`.
        options: Vec<IndexOption>,
    },
    /// `SWITCH PARTITION n TO table PARTITION m`.
    Switch {
        /// `PARTITION n`.
        partition: Option<Expr>,
        /// The table that receives the rows.
        target: ObjectName,
        /// Its `PARTITION m`.
        target_partition: Option<Expr>,
    },
    /// `SET (…)`, and SAP ASE's `SET option` and `LOCK scheme`.
    Set(Vec<TableOption>),
}

/// `ALTER COLUMN`.
#[derive(Clone, Debug)]
pub struct AlterColumn {
    /// Where it stands.
    pub span: Span,
    /// The column.
    pub name: Ident,
    /// What is done to it.
    pub change: ColumnChange,
    /// `WITH (ONLINE = ON)`.
    pub online: Option<bool>,
}

/// What `ALTER COLUMN` does.
#[derive(Clone, Debug)]
pub enum ColumnChange {
    /// A new type.
    Type {
        /// The type.
        ty: DataType,
        /// `COLLATE`.
        collation: Option<Ident>,
        /// `MASKED WITH (FUNCTION = 'text')`.
        masked: Option<Box<str>>,
        /// `NULL` or `NOT NULL`.
        nullable: Option<bool>,
        /// `SPARSE`.
        sparse: bool,
    },
    /// `ADD …` (true) or `DROP …` (false) of a property.
    Property(bool, ColumnProperty),
}

/// What can be added to and dropped from a column.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum ColumnProperty {
    RowGuidCol,
    Persisted,
    NotForReplication,
    Sparse,
    Hidden,
    /// With the function, when it is added.
    Masked(Option<Box<str>>),
}

/// One entry of `ALTER TABLE … DROP`.
#[derive(Clone, Debug)]
pub struct AlterTableDrop {
    /// What kind of thing.
    pub kind: AlterTableDropKind,
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Which.
    pub name: Ident,
    /// `WITH (ONLINE = ON)` after a constraint.
    pub options: Vec<IndexOption>,
}

/// What `ALTER TABLE … DROP` drops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum AlterTableDropKind {
    Constraint,
    Column,
    Index,
    Period,
}

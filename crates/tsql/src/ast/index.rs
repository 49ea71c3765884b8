//! Indexes and statistics.

use super::{Condition, DataType, Expr, Ident, ObjectName, Span, XmlNamespace};

/// A key column of an index.
#[derive(Clone, Debug)]
pub struct IndexColumn {
    /// The column.
    pub name: Ident,
    /// `DESC`.
    pub descending: bool,
}

/// `ON filegroup`, `ON partition_scheme (column)`.
#[derive(Clone, Debug)]
pub struct DataSpace {
    /// The filegroup or partition scheme.
    pub name: Ident,
    /// The partitioning column.
    pub column: Option<Ident>,
}

/// `CREATE INDEX`.
#[derive(Clone, Debug)]
pub struct CreateIndex {
    /// `UNIQUE`.
    pub unique: bool,
    /// `CLUSTERED` (true) or `NONCLUSTERED` (false).
    pub clustered: Option<bool>,
    /// `COLUMNSTORE`.
    pub columnstore: bool,
    /// Its name.
    pub name: Ident,
    /// The table or view.
    pub table: ObjectName,
    /// The key columns.
    pub columns: Vec<IndexColumn>,
    /// `INCLUDE`.
    pub include: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Condition>,
    /// `WITH (…)`.
    pub options: Vec<IndexOption>,
    /// `ON filegroup`.
    pub on: Option<DataSpace>,
    /// `FILESTREAM_ON filegroup`.
    pub filestream_on: Option<Ident>,
}

/// `CREATE XML INDEX`.
#[derive(Clone, Debug)]
pub struct CreateXmlIndex {
    /// `PRIMARY`.
    pub primary: bool,
    /// Its name.
    pub name: Ident,
    /// The table.
    pub table: ObjectName,
    /// The column.
    pub column: Ident,
    /// `USING XML INDEX name FOR …`.
    pub using: Option<XmlIndexUsing>,
    /// The paths of a `SELECTIVE` one.
    pub selective: Option<SelectiveXml<SelectivePath>>,
    /// `WITH (…)`.
    pub options: Vec<IndexOption>,
}

/// `WITH XMLNAMESPACES (…) FOR (…)` of selective XML indexes.
#[derive(Clone, Debug)]
pub struct SelectiveXml<T> {
    /// `WITH XMLNAMESPACES`.
    pub namespaces: Vec<XmlNamespace>,
    /// The paths, or what happens with them.
    pub items: Vec<T>,
}

/// A path of a selective XML index: `name = 'path' AS …`.
#[derive(Clone, Debug)]
pub struct SelectivePath {
    /// Its name.
    pub name: Ident,
    /// The path.
    pub path: Box<str>,
    /// What its values are.
    pub ty: SelectiveType,
    /// `SINGLETON`.
    pub is_singleton: bool,
}

/// What the values of a path are.
#[derive(Clone, Debug)]
pub enum SelectiveType {
    /// Nothing is said.
    None,
    /// `AS XQUERY 'type' MAXLENGTH (n)`.
    XQuery {
        /// `'type'`, `'node()'`.
        ty: Option<Box<str>>,
        /// `MAXLENGTH`.
        max_length: Option<u32>,
    },
    /// `AS SQL type`.
    Sql(DataType),
}

/// `ADD path` or `REMOVE name`.
#[derive(Clone, Debug)]
pub enum SelectiveChange {
    /// `ADD`.
    Add(SelectivePath),
    /// `REMOVE`.
    Remove(Ident),
}

/// `USING XML INDEX name FOR …`.
#[derive(Clone, Debug)]
pub struct XmlIndexUsing {
    /// The primary XML index.
    pub primary: Ident,
    /// What the secondary one is for.
    pub purpose: Option<XmlIndexPurpose>,
    /// The path of a selective one: `FOR (name)`.
    pub path: Option<Ident>,
}

/// What a secondary XML index is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum XmlIndexPurpose {
    Path,
    Value,
    Property,
}

/// `CREATE SPATIAL INDEX`.
#[derive(Clone, Debug)]
pub struct CreateSpatialIndex {
    /// Its name.
    pub name: Ident,
    /// The table.
    pub table: ObjectName,
    /// The column.
    pub column: Ident,
    /// `USING scheme`.
    pub using: Option<Ident>,
    /// What `WITH (…)` says of the tessellation, which comes first there.
    pub parameters: Vec<SpatialParameter>,
    /// What else it says.
    pub options: Vec<IndexOption>,
    /// `ON filegroup`.
    pub on: Option<DataSpace>,
}

/// A parameter of a tessellation.
#[derive(Clone, Debug)]
pub struct SpatialParameter {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: SpatialParameterKind,
    /// Whether an option of every index stands before it.
    pub is_late: bool,
}

/// The parameters of a tessellation.
#[derive(Clone, Debug)]
pub enum SpatialParameterKind {
    /// `BOUNDING_BOX = (…)`: four numbers, or some with their names.
    BoundingBox(Vec<(Option<Ident>, f64)>),
    /// `GRIDS = (…)`: four densities, or some with their levels.
    Grids(Vec<(Option<Ident>, Ident)>),
    /// `CELLS_PER_OBJECT = n`.
    CellsPerObject(i64),
}

/// An option of an index.
#[derive(Clone, Debug)]
pub struct IndexOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: IndexOptionKind,
}

/// The options of an index. The old form without parentheses (`WITH FILLFACTOR = 80, PAD_INDEX`)
/// gives the same.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum IndexOptionKind {
    AllowPageLocks(bool),
    AllowRowLocks(bool),
    /// As written, before it is rounded up.
    BucketCount(u64),
    CompressAllRowGroups(bool),
    CompressionDelay(u32),
    /// `NONE`, `ROW`, `PAGE`, `COLUMNSTORE`, `COLUMNSTORE_ARCHIVE`, in upper case.
    DataCompression(Box<str>),
    DropExisting(bool),
    FillFactor(u32),
    IgnoreDupKey(bool),
    /// `INDEX_COMPRESSION = PAGE` (true) or `NONE` (false), of SAP ASE.
    IndexCompression(bool),
    /// `INDEX_HASH_CACHING`.
    IndexHashCaching(HashCaching),
    /// `LATCH_FREE_INDEX`, of SAP ASE.
    LatchFreeIndex(bool),
    LobCompaction(bool),
    MaxDop(u32),
    /// In minutes.
    MaxDuration(u32),
    /// `MOVE TO filegroup`, when a clustered index is dropped.
    MoveTo(DataSpace),
    Online(bool),
    OptimizeForSequentialKey(bool),
    PadIndex(bool),
    Resumable(bool),
    SortInTempdb(bool),
    StatisticsIncremental(bool),
    StatisticsNoRecompute(bool),
    XmlCompression(bool),
}

/// What `INDEX_HASH_CACHING` is set to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum HashCaching {
    Default,
    On,
    Off,
}

/// `ALTER INDEX`.
#[derive(Clone, Debug)]
pub struct AlterIndex {
    /// The index; `None` for `ALL`.
    pub name: Option<Ident>,
    /// The table or view.
    pub table: ObjectName,
    /// What is done.
    pub action: AlterIndexAction,
}

/// What `ALTER INDEX` does.
#[derive(Clone, Debug)]
pub enum AlterIndexAction {
    /// `REBUILD`.
    Rebuild {
        /// `PARTITION = n`; `None` for all.
        partition: Option<Expr>,
        /// `WITH (…)`.
        options: Vec<IndexOption>,
    },
    /// `REORGANIZE`.
    Reorganize {
        /// `PARTITION = n`; `None` for all.
        partition: Option<Expr>,
        /// `WITH (…)`.
        options: Vec<IndexOption>,
    },
    /// `DISABLE`.
    Disable,
    /// `SET (…)`.
    Set(Vec<IndexOption>),
    /// `FOR (ADD …, REMOVE …)` of a selective XML index.
    Paths(SelectiveXml<SelectiveChange>),
    /// `RESUME`.
    Resume(Vec<IndexOption>),
    /// `PAUSE`.
    Pause,
    /// `ABORT`.
    Abort,
}

/// `DROP INDEX`.
#[derive(Clone, Debug)]
pub struct DropIndex {
    /// `IF EXISTS`.
    pub if_exists: bool,
    /// Which; never empty.
    pub indexes: Vec<DropIndexItem>,
}

/// One entry of `DROP INDEX`: `name ON table`, or `table.name` as of old.
#[derive(Clone, Debug)]
pub struct DropIndexItem {
    /// The index.
    pub name: Ident,
    /// The table or view.
    pub table: ObjectName,
    /// `WITH (…)`.
    pub options: Vec<IndexOption>,
}

/// `CREATE STATISTICS`.
#[derive(Clone, Debug)]
pub struct CreateStatistics {
    /// Its name.
    pub name: Ident,
    /// The table.
    pub table: ObjectName,
    /// The columns.
    pub columns: Vec<Ident>,
    /// `WHERE`.
    pub filter: Option<Condition>,
    /// `WITH …`.
    pub options: Vec<StatisticsOption>,
}

/// `UPDATE STATISTICS`.
#[derive(Clone, Debug)]
pub struct UpdateStatistics {
    /// The table.
    pub table: ObjectName,
    /// Which statistics or indexes; empty for all.
    pub names: Vec<Ident>,
    /// `WITH …`.
    pub options: Vec<StatisticsOption>,
}

/// An option of `CREATE STATISTICS` and `UPDATE STATISTICS`.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum StatisticsOption {
    FullScan,
    /// `SAMPLE n PERCENT` (true) or `SAMPLE n ROWS` (false).
    Sample(Expr, bool),
    Resample,
    All,
    Columns,
    Index,
    NoRecompute,
    PersistSamplePercent(bool),
    Incremental(bool),
    AutoDrop(bool),
    MaxDop(u32),
    RowCount(u64),
    PageCount(u64),
}

//! Tables: columns, indexes and constraints.

use std::sync::Arc;

use base::ids::{ObjectId, StorageId};
use base::types::Classification;
use base::{SqlType, TypeKind, Value};

use super::{
    ColumnId, ConstraintHeader, DataSpaceId, IndexId, Name, ObjectHeader, ObjectKind, Reference,
    SecurityPolicyDef, UserTypeId, coded,
};

/// A table: a user's, a temporary one, the hidden one behind a table type, or the shape of a table
/// variable.
#[derive(Clone, PartialEq, Debug)]
pub struct TableDef {
    /// Id, schema, name and dates.
    pub header: ObjectHeader,
    /// How its rows are kept.
    pub kind: TableKind,
    /// Whether it is a table or the hidden one of a table type.
    pub role: TableRole,
    /// Where its rows are in the engine. It changes when the table is truncated or rebuilt; a
    /// table without rows of its own (a table type's, a function's result) has [`NO_STORAGE`].
    pub storage: StorageId,
    /// The columns by ascending id, which is also their order for users.
    pub columns: Vec<ColumnDef>,
    /// The highest column id ever used, `max_column_id_used`.
    pub max_column_id: ColumnId,
    /// The indexes by ascending id. A heap has no entry for itself.
    pub indexes: Vec<IndexDef>,
    /// The statistics that users asked for, by ascending id. Indexes have theirs by themselves.
    pub statistics: Vec<StatisticsDef>,
    /// The check constraints, in the order of their creation.
    pub checks: Vec<CheckDef>,
    /// The foreign keys of this table, in the order of their creation.
    pub foreign_keys: Vec<ForeignKeyDef>,
    /// Foreign keys onto this table, its own included, by id. *Derived.*
    pub referenced_by: Vec<IncomingKey>,
    /// The triggers on this table, by id. *Derived.*
    pub triggers: Vec<ObjectId>,
    /// The security policies with predicates on this table, by id. *Derived.*
    pub policies: Vec<Arc<SecurityPolicyDef>>,
    /// The filegroup of the rows where there is no clustered index.
    pub data_space: DataSpaceId,
    /// The filegroup of large values, if there are any, `lob_data_space_id`.
    pub lob_data_space: Option<DataSpaceId>,
    /// `ANSI_NULLS` when it was created.
    pub ansi_nulls: bool,
    /// `QUOTED_IDENTIFIER` when it was created.
    pub quoted_identifier: bool,
    /// `LOCK_ESCALATION`.
    pub lock_escalation: LockEscalation,
    /// Whether row caching is on (disk tables only).
    pub row_cached: bool,
    /// `PERIOD FOR SYSTEM_TIME`.
    pub period: Option<PeriodDef>,
    /// `SYSTEM_VERSIONING`, while it is on.
    pub versioning: Option<VersioningDef>,
    /// The table of which this one holds the history.
    pub history_of: Option<ObjectId>,
    /// The XML and spatial indexes by ascending id.
    pub derived_indexes: Vec<DerivedIndexDef>,
    /// Change tracking, while it is enabled.
    pub tracking: Option<TrackingDef>,
    /// The table of which this one, an internal one, says what was changed.
    pub changes_of: Option<ObjectId>,
    /// The view whose rows this table, an internal one, holds.
    pub rows_of: Option<ViewRowsDef>,
    /// The internal tables with the rows of indexed views that use this table. *Derived.*
    pub indexed_views: Vec<ObjectId>,
}

/// An indexed view, as the table with its rows knows it. That table has the view's name and schema
/// and the view's columns, but takes no name: only the view leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewRowsDef {
    /// The view.
    pub view: ObjectId,
    /// The tables that it joins, by ascending id.
    pub tables: Vec<ObjectId>,
}

/// An index of what is derived from the values of a column: an XML or spatial one. Its entries are
/// rows of a table ([`TableRole::Internal`]); a secondary XML index is an index of that table.
#[derive(Clone, PartialEq, Debug)]
pub struct DerivedIndexDef {
    /// Its id within the table, [`DerivedIndexKind::first_id`] or more.
    pub id: IndexId,
    /// The name, unique among the table's indexes and statistics.
    pub name: Name,
    /// The column of type xml, geometry or geography.
    pub column: ColumnId,
    /// What it is for.
    pub kind: DerivedIndexKind,
    /// The primary XML index of a secondary one; its own id otherwise.
    pub primary: IndexId,
    /// The table with the entries.
    pub nodes: ObjectId,
    /// `FILLFACTOR`, 0 for the default.
    pub fill_factor: u8,
    /// `PAD_INDEX`.
    pub padded: bool,
    /// Disabled by `ALTER INDEX … DISABLE`.
    pub disabled: bool,
    /// `ALLOW_ROW_LOCKS`.
    pub allow_row_locks: bool,
    /// `ALLOW_PAGE_LOCKS`.
    pub allow_page_locks: bool,
    /// How a spatial index divides its space.
    pub tessellation: Option<TessellationDef>,
    /// The paths of a selective one, by ascending id.
    pub paths: Vec<XmlPathDef>,
    /// The prefixes of these paths.
    pub namespaces: Vec<XmlPrefixDef>,
    /// The path that a secondary selective one is for, 0 for others.
    pub path: i32,
}

/// A path of a selective XML index.
#[derive(Clone, PartialEq, Debug)]
pub struct XmlPathDef {
    /// Its id within the index, from 1.
    pub id: i32,
    /// Its name, unique within the index.
    pub name: Name,
    /// The path as it was written.
    pub path: Name,
    /// The type of XML Schema that was named.
    pub xquery_type: Option<Name>,
    /// The SQL type that was named.
    pub sql_type: Option<SqlType>,
    /// `MAXLENGTH`.
    pub max_length: Option<i32>,
    /// `node()`.
    pub is_node: bool,
    /// `SINGLETON`.
    pub is_singleton: bool,
}

/// A prefix of the paths of a selective XML index.
#[derive(Clone, PartialEq, Debug)]
pub struct XmlPrefixDef {
    /// The prefix; nothing for `DEFAULT`.
    pub prefix: Option<Name>,
    /// The namespace.
    pub uri: Name,
}

/// How a spatial index divides its space into cells.
#[derive(Clone, PartialEq, Debug)]
pub struct TessellationDef {
    /// `USING`.
    pub scheme: TessellationScheme,
    /// `BOUNDING_BOX`, of geometry.
    pub bounds: Option<BoundsDef>,
    /// `GRIDS`, of the four levels; none of automatic grids.
    pub grids: Vec<GridDensity>,
    /// `CELLS_PER_OBJECT`.
    pub cells_per_object: i32,
}

/// A box in the plane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoundsDef {
    /// `XMIN`.
    pub min_x: f64,
    /// `YMIN`.
    pub min_y: f64,
    /// `XMAX`.
    pub max_x: f64,
    /// `YMAX`.
    pub max_y: f64,
}

coded! {
    /// The tessellation scheme of a spatial index.
    TessellationScheme: u8 {
        /// Four levels over a box in the plane.
        GeometryGrid = 0 "GEOMETRY_GRID",
        /// Eight levels over a box in the plane.
        GeometryAutoGrid = 1 "GEOMETRY_AUTO_GRID",
        /// Four levels over the globe.
        GeographyGrid = 2 "GEOGRAPHY_GRID",
        /// Eight levels over the globe.
        GeographyAutoGrid = 3 "GEOGRAPHY_AUTO_GRID",
    }
}

coded! {
    /// How many cells a level of a grid has in each.
    GridDensity: u8 {
        /// 4 × 4.
        Low = 0 "LOW",
        /// 8 × 8.
        Medium = 1 "MEDIUM",
        /// 16 × 16.
        High = 2 "HIGH",
    }
}

impl TessellationScheme {
    /// Whether it is one of geography.
    pub const fn is_geographic(self) -> bool {
        matches!(self, TessellationScheme::GeographyGrid | TessellationScheme::GeographyAutoGrid)
    }

    /// Whether its levels are not declared.
    pub const fn is_automatic(self) -> bool {
        matches!(self, TessellationScheme::GeometryAutoGrid | TessellationScheme::GeographyAutoGrid)
    }
}

impl GridDensity {
    /// How many cells there are.
    pub const fn cells(self) -> i32 {
        match self {
            GridDensity::Low => 16,
            GridDensity::Medium => 64,
            GridDensity::High => 256,
        }
    }
}

impl DerivedIndexKind {
    /// Whether it has entries of its own.
    pub const fn has_entries(self) -> bool {
        use DerivedIndexKind::*;
        matches!(self, Primary | Selective | Spatial)
    }

    /// The first id of such indexes.
    pub const fn first_id(self) -> IndexId {
        match self {
            DerivedIndexKind::Spatial => IndexId(384_000),
            _ => IndexId(256_000),
        }
    }
}

coded! {
    /// What an index of derived entries is.
    DerivedIndexKind: u8 {
        /// The nodes of documents.
        Primary = 0 "PRIMARY",
        /// By path and value.
        Path = 1 "PATH",
        /// By value and path.
        Value = 2 "VALUE",
        /// By document, path and value.
        Property = 3 "PROPERTY",
        /// The cells of shapes.
        Spatial = 4 "SPATIAL",
        /// The nodes of some paths.
        Selective = 5 "SELECTIVE",
        /// By the values of one of these paths.
        SelectivePath = 6 "SECONDARY_SELECTIVE",
    }
}

/// The columns between whose values a row version counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PeriodDef {
    /// `GENERATED ALWAYS AS ROW START`.
    pub start: ColumnId,
    /// `GENERATED ALWAYS AS ROW END`.
    pub end: ColumnId,
}

/// What `SYSTEM_VERSIONING = ON` says. The history's columns are those of the table, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VersioningDef {
    /// The table with the replaced and deleted row versions.
    pub history: ObjectId,
    /// `HISTORY_RETENTION_PERIOD`; `None` is `INFINITE`.
    pub retention: Option<RetentionDef>,
}

/// What `ENABLE CHANGE_TRACKING` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrackingDef {
    /// The internal table that says what was changed.
    pub changes: ObjectId,
    /// `TRACK_COLUMNS_UPDATED`.
    pub columns: bool,
    /// The version after which all changes are known: when tracking was enabled, or the table
    /// truncated.
    pub begin: i64,
}

/// For how long row versions are kept after their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetentionDef {
    /// How many of the unit; positive.
    pub count: i32,
    /// The unit.
    pub unit: RetentionUnit,
}

coded! {
    /// `history_retention_period_unit` of a table.
    RetentionUnit: u8 {
        /// Days.
        Day = 3 "DAY",
        /// Weeks.
        Week = 4 "WEEK",
        /// Months.
        Month = 5 "MONTH",
        /// Years.
        Year = 6 "YEAR",
    }
}

coded! {
    /// `generated_always_type` of a column.
    Generated: u8 {
        /// Where the period of its row begins.
        RowStart = 1 "AS_ROW_START",
        /// Where the period of its row ends.
        RowEnd = 2 "AS_ROW_END",
    }
}

coded! {
    /// `temporal_type` of a table.
    TemporalType: u8 {
        /// A table like others.
        NonTemporal = 0 "NON_TEMPORAL_TABLE",
        /// It holds the history of another one.
        History = 1 "HISTORY_TABLE",
        /// `SYSTEM_VERSIONING` is on.
        SystemVersioned = 2 "SYSTEM_VERSIONED_TEMPORAL_TABLE",
    }
}

/// The storage of tables that have none.
pub const NO_STORAGE: StorageId = StorageId(0);

/// How the rows of a table are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TableKind {
    /// The default: on disk in the end.
    Disk,
    /// `MEMORY_OPTIMIZED = ON`, `DURABILITY = SCHEMA_AND_DATA`.
    MemoryDurable,
    /// `MEMORY_OPTIMIZED = ON`, `DURABILITY = SCHEMA_ONLY`: empty after a restart.
    MemorySchemaOnly,
}

impl TableKind {
    /// `is_memory_optimized`.
    pub const fn is_memory_optimized(self) -> bool {
        !matches!(self, TableKind::Disk)
    }

    /// `durability` and `durability_desc`.
    pub const fn durability(self) -> (u8, &'static str) {
        match self {
            TableKind::MemorySchemaOnly => (1, "SCHEMA_ONLY"),
            _ => (0, "SCHEMA_AND_DATA"),
        }
    }
}

/// What a [`TableDef`] is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TableRole {
    /// A table with a name; temporary if that starts with `#`.
    Table,
    /// The hidden table of a table type; table variables and parameters are made after it.
    Type,
    /// What the server keeps in a table of its own, which users cannot name: the nodes of a primary
    /// XML index, the changes of a tracked table, the commit table of change tracking, or the rows
    /// of an indexed view.
    Internal,
}

coded! {
    /// `lock_escalation` of a table.
    LockEscalation: u8 {
        /// To the table: the default.
        Table = 0 "TABLE",
        /// Never.
        Disable = 1 "DISABLE",
        /// To the partition if there are any.
        Auto = 2 "AUTO",
    }
}

/// A column of a table, a view or a function's result.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnDef {
    /// Stays the same for the column's life.
    pub id: ColumnId,
    /// The name, unique within the table.
    pub name: Name,
    /// The type, aliases resolved.
    pub ty: SqlType,
    /// The type as declared: an alias, or the built-in one.
    pub user_type: UserTypeId,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// `IDENTITY`.
    pub identity: Option<IdentityDef>,
    /// `ROWGUIDCOL`.
    pub rowguidcol: bool,
    /// For a computed column, how.
    pub computed: Option<ComputedDef>,
    /// The default constraint.
    pub default: Option<DefaultDef>,
    /// `SPARSE`.
    pub sparse: bool,
    /// `COLUMN_SET FOR ALL_SPARSE_COLUMNS`: a computed column, never stored, whose expression is
    /// not in its definition but follows from the table's sparse columns.
    pub column_set: bool,
    /// `HIDDEN`.
    pub hidden: bool,
    /// `ANSI_PADDING` when it was created.
    pub ansi_padded: bool,
    /// `MASKED WITH (FUNCTION = …)`.
    pub mask: Option<MaskDef>,
    /// `ADD SENSITIVITY CLASSIFICATION`.
    pub classification: Option<Classification>,
    /// The default that is bound to it; a column with one has no default constraint.
    pub bound_default: Option<BoundDefault>,
    /// The rule that is bound to it.
    pub bound_rule: Option<BoundRule>,
}

/// A default where it is bound. It cannot change as long as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundDefault {
    /// The default.
    pub object: ObjectId,
    /// Its value.
    pub expression: Name,
}

/// A rule where it is bound. It cannot change as long as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundRule {
    /// The rule.
    pub object: ObjectId,
    /// Its variable.
    pub variable: Name,
    /// Its condition.
    pub condition: Name,
}

/// What users that may not see a column are shown instead of its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaskDef {
    /// The function.
    pub function: MaskingFunction,
    /// Its arguments, each in its canonical form: numbers as they are written, strings without
    /// their quotes.
    pub arguments: Vec<Name>,
}

coded! {
    /// The functions that mask values.
    MaskingFunction: u8 {
        /// The same for all values of a type.
        Default = 1 "default",
        /// The first letter, and what looks like an address.
        Email = 2 "email",
        /// So many characters of the beginning and the end, and a text between them.
        Partial = 3 "partial",
        /// A number between two.
        Random = 4 "random",
        /// One part of a point in time is hidden.
        DateTime = 5 "datetime",
    }
}

/// What `sys.masked_columns` shows as `masking_function`.
impl std::fmt::Display for MaskDef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let is_text = |at: usize| match self.function {
            MaskingFunction::Partial => at == 1,
            MaskingFunction::DateTime => true,
            _ => false,
        };
        let shown = self.arguments.iter().enumerate().map(|(at, argument)| match is_text(at) {
            true => quoted(argument),
            false => argument.to_string(),
        });
        let shown: Vec<String> = shown.collect();
        write!(f, "{}({})", self.function.description(), shown.join(", "))
    }
}

/// `IDENTITY(seed, increment)`. The current value is a counter of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdentityDef {
    /// The first value.
    pub seed: i64,
    /// Added for each further value; not 0.
    pub increment: i64,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
}

/// A computed column's expression.
#[derive(Clone, PartialEq, Debug)]
pub struct ComputedDef {
    /// The text, in parentheses.
    pub definition: Name,
    /// `PERSISTED`.
    pub persisted: bool,
    /// Whether rows hold its value: it is persisted, or an index needs it.
    pub stored: bool,
    /// `uses_database_collation`.
    pub uses_database_collation: bool,
    /// Columns of the same table that it uses.
    pub columns: Vec<ColumnId>,
    /// Functions and types that it uses.
    pub references: Vec<Reference>,
}

/// A default constraint.
#[derive(Clone, PartialEq, Debug)]
pub struct DefaultDef {
    /// Id, name and dates.
    pub header: ConstraintHeader,
    /// The text, in parentheses.
    pub definition: Name,
    /// Functions, types and sequences that it uses.
    pub references: Vec<Reference>,
}

/// An index.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexDef {
    /// Its id within the table.
    pub id: IndexId,
    /// The name, unique within the table; the constraint's if it belongs to one.
    pub name: Name,
    /// Clustered, nonclustered or hash.
    pub kind: IndexKind,
    /// Whether it refuses equal keys.
    pub unique: bool,
    /// The key columns in order.
    pub key: Vec<KeyColumn>,
    /// `INCLUDE` columns in order.
    pub included: Vec<ColumnId>,
    /// The primary key or unique constraint that it enforces.
    pub constraint: Option<KeyConstraintDef>,
    /// `WHERE …`.
    pub filter: Option<FilterDef>,
    /// `BUCKET_COUNT` of a hash index, rounded up to a power of two.
    pub bucket_count: Option<u32>,
    /// `FILLFACTOR`, 0 for the default.
    pub fill_factor: u8,
    /// `PAD_INDEX`.
    pub padded: bool,
    /// `IGNORE_DUP_KEY`.
    pub ignore_dup_key: bool,
    /// Disabled by `ALTER INDEX … DISABLE`.
    pub disabled: bool,
    /// `ALLOW_ROW_LOCKS`.
    pub allow_row_locks: bool,
    /// `ALLOW_PAGE_LOCKS`.
    pub allow_page_locks: bool,
    /// `OPTIMIZE_FOR_SEQUENTIAL_KEY`.
    pub optimize_for_sequential_key: bool,
    /// `STATISTICS_NORECOMPUTE`.
    pub no_recompute: bool,
    /// The filegroup.
    pub data_space: DataSpaceId,
    /// `INDEX_HASH_CACHING`.
    pub hash_caching: HashCaching,
}

coded! {
    /// `index_hash_caching` of an index: whether a hash table in memory leads from its whole keys
    /// to rows of a table with row caching.
    HashCaching: u8 {
        /// As the server finds useful.
        Default = 0 "DEFAULT",
        /// Always.
        On = 1 "ON",
        /// Never.
        Off = 2 "OFF",
    }
}

coded! {
    /// `type` of an index.
    IndexKind: u8 {
        /// Orders the table itself.
        Clustered = 1 "CLUSTERED",
        /// A range index.
        NonClustered = 2 "NONCLUSTERED",
        /// A hash index (memory-optimized tables).
        Hash = 7 "NONCLUSTERED HASH",
    }
}

/// A key column of an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyColumn {
    /// Which column.
    pub column: ColumnId,
    /// `DESC`.
    pub descending: bool,
}

/// The primary key or unique constraint behind an index.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyConstraintDef {
    /// Id, name and dates.
    pub header: ConstraintHeader,
    /// `PRIMARY KEY` rather than `UNIQUE`.
    pub primary: bool,
}

/// The filter of an index.
#[derive(Clone, PartialEq, Debug)]
pub struct FilterDef {
    /// The text, in parentheses: `filter_definition`.
    pub definition: Name,
    /// The filter as a conjunction of simple terms.
    pub terms: Vec<FilterTerm>,
}

/// One term of a filter: a test of one column.
#[derive(Clone, PartialEq, Debug)]
pub struct FilterTerm {
    /// The column tested.
    pub column: ColumnId,
    /// The test. Its constants are of the column's type.
    pub test: FilterTest,
}

/// The test of a [`FilterTerm`].
#[derive(Clone, PartialEq, Debug)]
pub enum FilterTest {
    /// `IS NULL`.
    IsNull,
    /// `IS NOT NULL`.
    IsNotNull,
    /// A comparison with a constant, false for NULL.
    Compare(Comparison, Value),
    /// `IN (…)`, false for NULL.
    In(Vec<Value>),
}

coded! {
    /// A comparison operator.
    Comparison: u8 {
        /// `=`
        Equal = 1 "=",
        /// `<>`
        NotEqual = 2 "<>",
        /// `<`
        Less = 3 "<",
        /// `<=`
        LessOrEqual = 4 "<=",
        /// `>`
        Greater = 5 ">",
        /// `>=`
        GreaterOrEqual = 6 ">=",
    }
}

/// Statistics that a user asked for: `CREATE STATISTICS`.
#[derive(Clone, PartialEq, Debug)]
pub struct StatisticsDef {
    /// Its id, among those of the table's indexes.
    pub id: IndexId,
    /// The name, unique among indexes and statistics of the table.
    pub name: Name,
    /// The columns in order.
    pub columns: Vec<ColumnId>,
    /// `WHERE …`.
    pub filter: Option<FilterDef>,
    /// `NORECOMPUTE`.
    pub no_recompute: bool,
}

/// A check constraint.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckDef {
    /// Id, name and dates.
    pub header: ConstraintHeader,
    /// The column that it was declared on, or that alone it uses: `parent_column_id`.
    pub column: Option<ColumnId>,
    /// The text, in parentheses.
    pub definition: Name,
    /// `NOCHECK CONSTRAINT`.
    pub disabled: bool,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
    /// Added or enabled `WITH NOCHECK`, so that old rows may violate it.
    pub not_trusted: bool,
    /// `uses_database_collation`.
    pub uses_database_collation: bool,
    /// Columns of the table that it uses.
    pub columns: Vec<ColumnId>,
    /// Functions and types that it uses.
    pub references: Vec<Reference>,
}

/// A column of a foreign key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignKeyColumn {
    /// The column of this table.
    pub own: ColumnId,
    /// The column that it refers to.
    pub referenced: ColumnId,
}

/// A foreign key.
#[derive(Clone, PartialEq, Debug)]
pub struct ForeignKeyDef {
    /// Id, name and dates.
    pub header: ConstraintHeader,
    /// In key order.
    pub columns: Vec<ForeignKeyColumn>,
    /// The table it refers to.
    pub referenced: ObjectId,
    /// The unique index there that proves a referred row unique, `key_index_id`.
    pub referenced_index: IndexId,
    /// `ON DELETE`.
    pub on_delete: ReferentialAction,
    /// `ON UPDATE`.
    pub on_update: ReferentialAction,
    /// `NOCHECK CONSTRAINT`.
    pub disabled: bool,
    /// `NOT FOR REPLICATION`.
    pub not_for_replication: bool,
    /// Added or enabled `WITH NOCHECK`.
    pub not_trusted: bool,
}

/// A foreign key seen from the table that it refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct IncomingKey {
    /// The foreign key.
    pub constraint: ObjectId,
    /// The table it belongs to.
    pub table: ObjectId,
}

coded! {
    /// `ON DELETE` and `ON UPDATE` of a foreign key.
    ReferentialAction: u8 {
        /// Refused with 547: the default.
        NoAction = 0 "NO_ACTION",
        /// The referring rows follow.
        Cascade = 1 "CASCADE",
        /// Their columns become NULL.
        SetNull = 2 "SET_NULL",
        /// Their columns become the defaults.
        SetDefault = 3 "SET_DEFAULT",
    }
}

impl ColumnDef {
    /// The text of its default: of its constraint's, or of the one that is bound to it.
    pub fn default_text(&self) -> Option<&Name> {
        let constraint = self.default.as_ref().map(|default| &default.definition);
        constraint.or(self.bound_default.as_ref().map(|default| &default.expression))
    }

    /// A plain column: no identity, default or computation.
    pub fn new(id: ColumnId, name: Name, ty: SqlType, user_type: UserTypeId) -> ColumnDef {
        ColumnDef {
            id,
            name,
            ty,
            user_type,
            nullable: true,
            identity: None,
            rowguidcol: false,
            computed: None,
            default: None,
            sparse: false,
            column_set: false,
            hidden: false,
            ansi_padded: true,
            mask: None,
            classification: None,
            bound_default: None,
            bound_rule: None,
        }
    }

    /// The type as definitions show it. A `char` or `binary` of `ANSI_PADDING OFF` that may be NULL
    /// is kept without its padding: its type is varying, and only the built-in type of its
    /// declaration shows that.
    pub fn declared_type(&self) -> SqlType {
        let is = |kind: TypeKind| self.user_type == UserTypeId(kind.user_type_id().into());
        let kind = match self.ty.kind {
            TypeKind::VarChar if is(TypeKind::Char) => TypeKind::Char,
            TypeKind::VarBinary if is(TypeKind::Binary) => TypeKind::Binary,
            kind => kind,
        };
        SqlType { kind, ..self.ty }
    }

    /// Sets the column's padding to what `ANSI_PADDING` says, once its type and whether it may be
    /// NULL are known.
    pub fn set_padding(&mut self, on: bool) {
        self.ty = self.declared_type();
        self.ansi_padded = on || self.ty.kind.is_unicode();
        let is_built_in = self.user_type < UserTypeId::FIRST_USER;
        self.ty.kind = match self.ty.kind {
            TypeKind::Char if !on && self.nullable && is_built_in => TypeKind::VarChar,
            TypeKind::Binary if !on && self.nullable && is_built_in => TypeKind::VarBinary,
            kind => kind,
        };
    }

    /// Whether rows have a place for it: all but computed columns that nothing needs stored.
    pub fn is_stored(&self) -> bool {
        self.computed.as_ref().is_none_or(|c| c.stored)
    }
}

impl IndexDef {
    /// An index with the default options.
    pub fn new(id: IndexId, name: Name, kind: IndexKind, unique: bool) -> IndexDef {
        IndexDef {
            id,
            name,
            kind,
            unique,
            key: Vec::new(),
            included: Vec::new(),
            constraint: None,
            filter: None,
            bucket_count: None,
            fill_factor: 0,
            padded: false,
            ignore_dup_key: false,
            disabled: false,
            allow_row_locks: true,
            allow_page_locks: true,
            optimize_for_sequential_key: false,
            no_recompute: false,
            data_space: DataSpaceId::PRIMARY,
            hash_caching: HashCaching::Default,
        }
    }

    /// `is_primary_key`.
    pub fn is_primary_key(&self) -> bool {
        self.constraint.as_ref().is_some_and(|c| c.primary)
    }

    /// `is_unique_constraint`.
    pub fn is_unique_constraint(&self) -> bool {
        self.constraint.as_ref().is_some_and(|c| !c.primary)
    }
}

impl TableDef {
    /// A table with the default options and nothing in it.
    pub fn new(header: ObjectHeader, kind: TableKind, role: TableRole) -> TableDef {
        TableDef {
            header,
            kind,
            role,
            storage: NO_STORAGE,
            columns: Vec::new(),
            max_column_id: ColumnId(0),
            indexes: Vec::new(),
            statistics: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            referenced_by: Vec::new(),
            triggers: Vec::new(),
            policies: Vec::new(),
            data_space: DataSpaceId::PRIMARY,
            lob_data_space: None,
            ansi_nulls: true,
            quoted_identifier: true,
            lock_escalation: LockEscalation::Table,
            row_cached: false,
            period: None,
            versioning: None,
            history_of: None,
            derived_indexes: Vec::new(),
            tracking: None,
            changes_of: None,
            rows_of: None,
            indexed_views: Vec::new(),
        }
    }

    /// The object id.
    pub fn id(&self) -> ObjectId {
        self.header.id
    }

    /// The object that has the table's indexes, as users know it: the view whose rows it holds, or
    /// the table itself.
    pub fn indexed_id(&self) -> ObjectId {
        self.rows_of.as_ref().map_or(self.id(), |of| of.view)
    }

    /// `U`, `TT` or `IT`.
    pub fn object_kind(&self) -> ObjectKind {
        match self.role {
            TableRole::Table => ObjectKind::Table,
            TableRole::Type => ObjectKind::TypeTable,
            TableRole::Internal => ObjectKind::InternalTable,
        }
    }

    /// Whether the table is temporary, local or global.
    pub fn is_temporary(&self) -> bool {
        self.header.name.starts_with('#')
    }

    /// A column by id.
    pub fn column(&self, id: ColumnId) -> Option<&ColumnDef> {
        self.column_ordinal(id).map(|at| &self.columns[at])
    }

    /// The place of a column in [`TableDef::columns`].
    pub fn column_ordinal(&self, id: ColumnId) -> Option<usize> {
        self.columns.binary_search_by_key(&id, |c| c.id).ok()
    }

    /// The columns that rows have a place for, in the order of the row layout.
    pub fn stored_columns(&self) -> impl Iterator<Item = &ColumnDef> {
        self.columns.iter().filter(|c| c.is_stored())
    }

    /// The place in the row layout of the column at this place in [`TableDef::columns`]; `None`
    /// for a computed column that is not stored.
    pub fn layout_position(&self, ordinal: usize) -> Option<usize> {
        self.columns[ordinal]
            .is_stored()
            .then(|| self.columns[..ordinal].iter().filter(|c| c.is_stored()).count())
    }

    /// The column set and its place in [`TableDef::columns`].
    pub fn column_set(&self) -> Option<(usize, &ColumnDef)> {
        self.columns.iter().enumerate().find(|(_, c)| c.column_set)
    }

    /// Whether `*` leaves a column out: a hidden one, or a sparse one that the column set shows.
    pub fn is_left_out(&self, column: &ColumnDef) -> bool {
        column.hidden || column.sparse && self.column_set().is_some()
    }

    /// The identity column and its place in [`TableDef::columns`].
    pub fn identity_column(&self) -> Option<(usize, &ColumnDef)> {
        self.columns.iter().enumerate().find(|(_, c)| c.identity.is_some())
    }

    /// What the server itself puts into a column.
    pub fn generated(&self, column: ColumnId) -> Option<Generated> {
        let period = self.period?;
        match column {
            _ if column == period.start => Some(Generated::RowStart),
            _ if column == period.end => Some(Generated::RowEnd),
            _ => None,
        }
    }

    /// What the table is to system versioning.
    pub fn temporal_type(&self) -> TemporalType {
        match (self.versioning, self.history_of) {
            (Some(_), _) => TemporalType::SystemVersioned,
            (None, Some(_)) => TemporalType::History,
            (None, None) => TemporalType::NonTemporal,
        }
    }

    /// An index by id.
    pub fn index(&self, id: IndexId) -> Option<&IndexDef> {
        self.indexes.iter().find(|i| i.id == id)
    }

    /// The primary XML index of a column, if it is not disabled.
    pub fn nodes_of(&self, column: ColumnId) -> Option<&DerivedIndexDef> {
        let own = |i: &&DerivedIndexDef| i.kind == DerivedIndexKind::Primary && i.column == column;
        self.derived_indexes.iter().find(own).filter(|i| !i.disabled)
    }

    /// The selective XML index of a column, if it is not disabled.
    pub fn selective_of(&self, column: ColumnId) -> Option<&DerivedIndexDef> {
        let own =
            |i: &&DerivedIndexDef| i.kind == DerivedIndexKind::Selective && i.column == column;
        self.derived_indexes.iter().find(own).filter(|i| !i.disabled)
    }

    /// The spatial indexes of a column that are not disabled.
    pub fn spatial_indexes_of(&self, column: ColumnId) -> impl Iterator<Item = &DerivedIndexDef> {
        let own = move |i: &&DerivedIndexDef| {
            i.kind == DerivedIndexKind::Spatial && i.column == column && !i.disabled
        };
        self.derived_indexes.iter().filter(own)
    }

    /// The id that the next index of this kind gets.
    pub fn next_derived_index_id(&self, kind: DerivedIndexKind) -> IndexId {
        let free = |id: &IndexId| !self.derived_indexes.iter().any(|i| i.id == *id);
        let mut ids = (kind.first_id().0..).map(IndexId);
        ids.find(free).expect("a table does not have so many")
    }

    /// The primary key's index.
    pub fn primary_key(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|i| i.is_primary_key())
    }

    /// The clustered index; without one the table is a heap.
    pub fn clustered_index(&self) -> Option<&IndexDef> {
        self.indexes.iter().find(|i| i.kind == IndexKind::Clustered)
    }

    /// The id that the next index or statistics get: 1 for the clustered index, otherwise the first
    /// free from 2.
    pub fn next_index_id(&self, kind: IndexKind) -> IndexId {
        if kind == IndexKind::Clustered {
            return IndexId(1);
        }
        let statistics = self.statistics.iter().map(|s| s.id);
        let used: Vec<IndexId> = self.indexes.iter().map(|i| i.id).chain(statistics).collect();
        let free = (2..).map(IndexId).find(|id| !used.contains(id));
        free.expect("a table does not have so many")
    }

    /// All constraints with their kinds: keys, defaults, checks and foreign keys.
    pub fn constraints(&self) -> impl Iterator<Item = (ObjectKind, &ConstraintHeader)> {
        let keys = self.indexes.iter().filter_map(|i| i.constraint.as_ref()).map(|c| {
            let kind = if c.primary { ObjectKind::PrimaryKey } else { ObjectKind::Unique };
            (kind, &c.header)
        });
        let defaults = self.columns.iter().filter_map(|c| c.default.as_ref());
        keys.chain(defaults.map(|d| (ObjectKind::Default, &d.header)))
            .chain(self.checks.iter().map(|c| (ObjectKind::Check, &c.header)))
            .chain(self.foreign_keys.iter().map(|f| (ObjectKind::ForeignKey, &f.header)))
    }

    /// Everything that columns, defaults and checks of this table mention outside it, with the
    /// id of the object that mentions it and, for a computed column, that column.
    pub fn references(&self) -> impl Iterator<Item = (ObjectId, Option<ColumnId>, &Reference)> {
        let id = self.id();
        let computed = self.columns.iter().flat_map(move |c| {
            c.computed.iter().flat_map(|d| &d.references).map(move |r| (id, Some(c.id), r))
        });
        let defaults = self.columns.iter().filter_map(|c| c.default.as_ref());
        let defaults =
            defaults.flat_map(|d| d.references.iter().map(move |r| (d.header.id, None, r)));
        let checks = self
            .checks
            .iter()
            .flat_map(|c| c.references.iter().map(move |r| (c.header.id, None, r)));
        computed.chain(defaults).chain(checks)
    }

    /// A table that is only a shape: a function's result, a trigger's `inserted`.
    pub fn shape(header: ObjectHeader, columns: Vec<ColumnDef>) -> Arc<TableDef> {
        let mut table = TableDef::new(header, TableKind::Disk, TableRole::Type);
        table.max_column_id = columns.last().map_or(ColumnId(0), |c| c.id);
        table.columns = columns;
        Arc::new(table)
    }
}

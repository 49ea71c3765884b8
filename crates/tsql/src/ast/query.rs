//! Queries: `SELECT` and what may stand in its `FROM`.

use super::{
    Argument, BinaryOp, BulkOption, ColumnRef, Condition, DataType, Expr, Ident, MethodCall,
    ObjectName, Over, Span, Variable,
};

/// `SELECT` as a statement.
#[derive(Clone, Debug)]
pub struct SelectStatement {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// The query; its first [`Select`] may have `INTO`.
    pub query: Query,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `WITH`: the context of changes, namespaces and common table expressions.
#[derive(Clone, Debug)]
pub struct With {
    /// From `WITH` to the last parenthesis.
    pub span: Span,
    /// `CHANGE_TRACKING_CONTEXT`: a binary literal or a variable.
    pub context: Option<Box<Expr>>,
    /// `XMLNAMESPACES`.
    pub namespaces: Vec<XmlNamespace>,
    /// Each may use those before it, and itself.
    pub tables: Vec<CommonTable>,
}

/// A declaration of `XMLNAMESPACES`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct XmlNamespace {
    /// Its prefix; nothing for `DEFAULT`.
    pub prefix: Option<Box<str>>,
    /// The namespace.
    pub uri: Box<str>,
}

/// A common table expression.
#[derive(Clone, Debug)]
pub struct CommonTable {
    /// Its name.
    pub name: Ident,
    /// Its columns' names; empty when the query names them.
    pub columns: Vec<Ident>,
    /// What it stands for.
    pub query: Query,
}

/// A query with its order: a statement's, a subquery, a view's, an insert's.
#[derive(Clone, Debug)]
pub struct Query {
    /// Where it stands, without enclosing parentheses.
    pub span: Span,
    /// What makes the rows.
    pub body: QueryBody,
    /// `ORDER BY`.
    pub order_by: Vec<OrderItem>,
    /// `OFFSET … FETCH`; only with `order_by`.
    pub offset: Option<Box<Offset>>,
    /// `FOR BROWSE`, `FOR XML`, `FOR JSON`.
    pub for_clause: Option<Box<ForClause>>,
}

/// What makes a query's rows.
#[derive(Clone, Debug)]
pub enum QueryBody {
    /// `SELECT`.
    Select(Box<Select>),
    /// `(query)`.
    Nested(Box<Query>),
    /// `a UNION b EXCEPT c`.
    Set(Box<SetChain>),
}

/// Set operators of one precedence, from left to right: `((first op rest[0]) op rest[1]) …`.
/// `INTERSECT` binds tighter, so its chains are operands of the others'.
#[derive(Clone, Debug)]
pub struct SetChain {
    /// The leftmost operand.
    pub first: QueryBody,
    /// Each operator with its right operand; never empty.
    pub rest: Vec<(SetOperator, QueryBody)>,
}

/// Set operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum SetOperator {
    Union,
    UnionAll,
    Except,
    Intersect,
}

/// One `SELECT … FROM … WHERE …`.
#[derive(Clone, Debug)]
pub struct Select {
    /// From `SELECT` to the end of `HAVING`.
    pub span: Span,
    /// `DISTINCT`.
    pub distinct: bool,
    /// `TOP`.
    pub top: Option<Top>,
    /// The select list; never empty.
    pub items: Vec<SelectItem>,
    /// `INTO`.
    pub into: Option<Box<SelectInto>>,
    /// `FROM`, separated by commas; empty when absent.
    pub from: Vec<TableSource>,
    /// `WHERE`.
    pub filter: Option<Condition>,
    /// `GROUP BY`.
    pub group_by: Option<Box<GroupBy>>,
    /// `HAVING`.
    pub having: Option<Condition>,
    /// `WINDOW name AS (…)`.
    pub windows: Vec<NamedWindow>,
}

/// A window of the `WINDOW` clause.
#[derive(Clone, Debug)]
pub struct NamedWindow {
    /// Its name.
    pub name: Ident,
    /// What stands in its parentheses.
    pub over: Over,
}

/// `TOP`.
#[derive(Clone, Debug)]
pub struct Top {
    /// Where it stands.
    pub span: Span,
    /// How many.
    pub count: Expr,
    /// `PERCENT`.
    pub percent: bool,
    /// `WITH TIES`.
    pub with_ties: bool,
}

/// An entry of a select list.
#[derive(Clone, Debug)]
pub struct SelectItem {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: SelectItemKind,
}

/// What an entry of a select list is.
#[derive(Clone, Debug)]
pub enum SelectItemKind {
    /// `*` or `t.*`.
    Star(Option<Box<ObjectName>>),
    /// A column, with the name given by `AS x`, `x` or `x =`.
    Expr {
        /// Its value.
        expr: Expr,
        /// Its name; without one, a column keeps its own and the rest has none.
        alias: Option<Ident>,
    },
    /// `@v = a`, `@v += a`.
    Assign {
        /// The variable.
        variable: Variable,
        /// How it is assigned.
        op: AssignOp,
        /// The new value or the operand.
        value: Expr,
    },
}

/// `=` and the compound assignments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    /// `=`.
    Set,
    /// `+=` and the like.
    Compound(BinaryOp),
}

/// `INTO`.
#[derive(Clone, Debug)]
pub struct SelectInto {
    /// The new table.
    pub table: ObjectName,
    /// `ON filegroup`.
    pub filegroup: Option<Ident>,
}

/// `GROUP BY`.
#[derive(Clone, Debug)]
pub struct GroupBy {
    /// `GROUP BY ALL`.
    pub all: bool,
    /// What is grouped by; several sets are combined with each other.
    pub items: Vec<GroupingSet>,
    /// The old `WITH ROLLUP` or `WITH CUBE` after the list.
    pub with: Option<GroupingKind>,
}

/// `ROLLUP` or `CUBE`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum GroupingKind {
    Rollup,
    Cube,
}

/// What stands in a `GROUP BY` list.
#[derive(Clone, Debug)]
pub enum GroupingSet {
    /// A column, or a list in parentheses that counts as one; `()` is the grand total.
    Composite(Vec<Expr>),
    /// `ROLLUP (…)`: each entry is a column or a list in parentheses.
    Rollup(Vec<Vec<Expr>>),
    /// `CUBE (…)`: each entry is a column or a list in parentheses.
    Cube(Vec<Vec<Expr>>),
    /// `GROUPING SETS (…)`.
    Sets(Vec<GroupingSet>),
}

/// An entry of `ORDER BY`.
#[derive(Clone, Debug)]
pub struct OrderItem {
    /// What rows are ordered by: an expression, an alias or, as a constant, a position.
    pub expr: Expr,
    /// `DESC`.
    pub descending: bool,
}

/// `OFFSET n ROWS FETCH NEXT m ROWS ONLY`.
#[derive(Clone, Debug)]
pub struct Offset {
    /// How many rows are skipped.
    pub offset: Expr,
    /// How many follow.
    pub fetch: Option<Expr>,
}

/// `FOR BROWSE`, `FOR XML`, `FOR JSON`.
#[derive(Clone, Debug)]
pub struct ForClause {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: ForKind,
}

/// In which form rows are returned.
#[derive(Clone, Debug)]
pub enum ForKind {
    /// `BROWSE`.
    Browse,
    /// `XML mode, options`.
    Xml(Box<ForXml>),
    /// `JSON mode, options`.
    Json(ForJson),
}

/// `FOR JSON PATH` or `AUTO` with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForJson {
    /// `AUTO` instead of `PATH`.
    pub auto: bool,
    /// `ROOT`.
    pub root: Option<JsonRoot>,
    /// `INCLUDE_NULL_VALUES`.
    pub include_null_values: bool,
    /// `WITHOUT_ARRAY_WRAPPER`.
    pub without_array_wrapper: bool,
}

/// What `ROOT` calls the property that holds the rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JsonRoot {
    /// `ROOT`.
    Unnamed,
    /// `ROOT('name')`.
    Named(Box<str>),
}

/// `FOR XML` with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForXml {
    /// How rows become elements.
    pub mode: XmlMode,
    /// The name of a row's element; empty for none.
    pub row: Option<Box<str>>,
    /// `ROOT`; a name is in it if it is given.
    pub root: Option<Option<Box<str>>>,
    /// `ELEMENTS`.
    pub elements: Option<NullElements>,
    /// `TYPE`.
    pub typed: bool,
    /// `BINARY BASE64`.
    pub base64: bool,
    /// `XMLDATA` or `XMLSCHEMA`.
    pub schema: Option<XmlSchema>,
}

/// The modes of `FOR XML`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum XmlMode {
    Raw,
    Auto,
    Path,
    Explicit,
}

/// What becomes of NULL as an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullElements {
    /// Nothing: `ELEMENTS` and `ELEMENTS ABSENT`.
    Absent,
    /// An element that says so: `ELEMENTS XSINIL`.
    Nil,
}

/// The schema that a document begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum XmlSchema {
    /// `XMLDATA`.
    Data,
    /// `XMLSCHEMA`; its namespace if it is given.
    Schema(Option<Box<str>>),
}

/// A word of `FOR XML` or `FOR JSON`: `PATH('row')`, `ELEMENTS XSINIL`, `ROOT`.
#[derive(Clone, Debug)]
pub struct ForOption {
    /// The words in upper case, with single blanks.
    pub name: Box<str>,
    /// The string in parentheses.
    pub value: Option<Box<str>>,
}

/// A hint of `OPTION (…)`.
#[derive(Clone, Debug)]
pub struct QueryHint {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: QueryHintKind,
}

/// The query hints.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum QueryHintKind {
    HashJoin,
    LoopJoin,
    MergeJoin,
    HashGroup,
    OrderGroup,
    ConcatUnion,
    HashUnion,
    MergeUnion,
    ForceOrder,
    /// `MAXDOP n`.
    MaxDop(u32),
    /// `MAXRECURSION n`, 0 to 32,767.
    MaxRecursion(u32),
    /// `FAST n`.
    Fast(u32),
    Recompile,
    KeepPlan,
    KeepFixedPlan,
    ExpandViews,
    RobustPlan,
    NoPerformanceSpool,
    IgnoreNonclusteredColumnstoreIndex,
    ParameterizationSimple,
    ParameterizationForced,
    ForceExternalPushdown,
    DisableExternalPushdown,
    /// `MAX_GRANT_PERCENT = n`.
    MaxGrantPercent(Box<str>),
    /// `MIN_GRANT_PERCENT = n`.
    MinGrantPercent(Box<str>),
    QueryTraceOn(u32),
    /// `LABEL = 'text'`.
    Label(Box<str>),
    /// `OPTIMIZE FOR UNKNOWN`.
    OptimizeForUnknown,
    /// `OPTIMIZE FOR (@v = constant, @w UNKNOWN)`.
    OptimizeFor(Vec<(Variable, Option<Expr>)>),
    /// `USE HINT ('name', …)`.
    UseHint(Vec<Box<str>>),
    /// `USE PLAN N'xml'`.
    UsePlan(Box<str>),
    /// `TABLE HINT (name, hint, …)`.
    TableHint(Box<ObjectName>, Vec<TableHint>),
}

/// Something that yields rows in a `FROM`.
#[derive(Clone, Debug)]
pub struct TableSource {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: TableSourceKind,
}

/// What yields rows in a `FROM`.
#[derive(Clone, Debug)]
pub enum TableSourceKind {
    /// A table, view, synonym or common table expression.
    Table(Box<TableRef>),
    /// A call of a table-valued function.
    Function(Box<TableFunction>),
    /// A table variable or table-valued parameter.
    Variable {
        /// The variable.
        variable: Variable,
        /// Its alias.
        alias: Option<Ident>,
        /// Its hints.
        hints: Vec<TableHint>,
    },
    /// `@x.nodes('…') AS a (b)`; of a column it is a [`TableSourceKind::Function`] by its looks.
    Method(Box<TableMethod>),
    /// `OPENXML(@document, 'rows')`.
    OpenXml(Box<OpenXml>),
    /// `(SELECT …) AS a (b, c)`.
    Derived {
        /// The subquery.
        query: Box<Query>,
        /// Its name.
        alias: TableAlias,
    },
    /// `(VALUES (1, 2), (3, 4)) AS a (b, c)`.
    Values {
        /// The rows; never empty.
        rows: Vec<Vec<Expr>>,
        /// Its name.
        alias: TableAlias,
    },
    /// `OPENROWSET(BULK …)`.
    File(Box<TableFile>),
    /// `CHANGETABLE(…)`.
    Changes(Box<ChangeTable>),
    /// A join.
    Join(Box<Join>),
    /// `PIVOT`.
    Pivot(Box<Pivot>),
    /// `UNPIVOT`.
    Unpivot(Box<Unpivot>),
}

/// A table named in a `FROM`, or as the target of a change.
#[derive(Clone, Debug)]
pub struct TableRef {
    /// The table.
    pub name: ObjectName,
    /// `FOR SYSTEM_TIME …`.
    pub system_time: Option<Box<SystemTime>>,
    /// Its alias.
    pub alias: Option<Ident>,
    /// `TABLESAMPLE`.
    pub sample: Option<Box<TableSample>>,
    /// `WITH (…)`, or the old form without `WITH`.
    pub hints: Vec<TableHint>,
}

/// `FOR SYSTEM_TIME …`: which versions of rows are meant.
#[derive(Clone, Debug)]
pub struct SystemTime {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: SystemTimeKind,
}

/// Which versions of rows `FOR SYSTEM_TIME` means.
#[derive(Clone, Debug)]
pub enum SystemTimeKind {
    /// `ALL`.
    All,
    /// `AS OF t`.
    AsOf(Expr),
    /// `FROM a TO b`.
    FromTo(Expr, Expr),
    /// `BETWEEN a AND b`.
    Between(Expr, Expr),
    /// `CONTAINED IN (a, b)`.
    ContainedIn(Expr, Expr),
}

/// `TABLESAMPLE SYSTEM (n PERCENT) REPEATABLE (m)`.
#[derive(Clone, Debug)]
pub struct TableSample {
    /// How much.
    pub amount: Expr,
    /// `ROWS` instead of `PERCENT`.
    pub rows: bool,
    /// `REPEATABLE`.
    pub seed: Option<Expr>,
}

/// A call of a table-valued function in a `FROM`.
#[derive(Clone, Debug)]
pub struct TableFunction {
    /// The function; also one of the library (`OPENJSON`, `STRING_SPLIT`, `::fn_helpcollations`).
    /// When it names a table and every argument is a bare word, those are table hints of old.
    pub name: ObjectName,
    /// What it is called with.
    pub arguments: Vec<Argument>,
    /// `WITH (column type 'path', …)` after `OPENJSON`; empty when absent.
    pub schema: Vec<OpenJsonColumn>,
    /// Its name and the names of its columns.
    pub alias: Option<TableAlias>,
    /// `WITH (NOLOCK)` after the alias.
    pub hints: Vec<TableHint>,
}

/// `CHANGETABLE(…) AS name (column, …)`.
#[derive(Clone, Debug)]
pub struct ChangeTable {
    /// The tracked table.
    pub table: ObjectName,
    /// What is asked of its changes.
    pub kind: ChangeTableKind,
    /// `FORCESEEK`.
    pub force_seek: bool,
    /// Its name; binding requires one.
    pub alias: Option<TableAlias>,
}

/// What `CHANGETABLE` yields.
#[derive(Clone, Debug)]
pub enum ChangeTableKind {
    /// `CHANGES table, version`: the changes after a version, which is an integer, a variable or
    /// `NULL`.
    Changes(Expr),
    /// `VERSION table, (columns), (values)`: the last change of a row.
    Version(Vec<Ident>, Vec<Expr>),
}

/// `OPENROWSET(BULK 'path', …) AS name`.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// The file.
    pub path: Box<str>,
    /// What it is read as.
    pub reading: FileReading,
    /// Its name and those of its columns.
    pub alias: TableAlias,
}

/// How `OPENROWSET(BULK …)` reads a file.
#[derive(Clone, Debug)]
pub enum FileReading {
    /// As one value.
    Whole(FileContent),
    /// As rows that a format file describes.
    Rows(Vec<BulkOption>),
}

/// What a file is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileContent {
    /// `SINGLE_BLOB`.
    Bytes,
    /// `SINGLE_CLOB`.
    Narrow,
    /// `SINGLE_NCLOB`.
    Wide,
}

/// A method that yields rows.
#[derive(Clone, Debug)]
pub struct TableMethod {
    /// The call.
    pub call: MethodCall,
    /// Its name and the names of its columns.
    pub alias: Option<TableAlias>,
}

/// A column of the `WITH` after `OPENJSON`.
#[derive(Clone, Debug)]
pub struct OpenJsonColumn {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// `COLLATE name`.
    pub collation: Option<Ident>,
    /// Where it is found; `$.name` when missing.
    pub path: Option<Box<str>>,
    /// `AS JSON`.
    pub as_json: bool,
}

/// `OPENXML(@document, 'rows', flags) WITH (…)`.
#[derive(Clone, Debug)]
pub struct OpenXml {
    /// The variable with the document's handle.
    pub document: Variable,
    /// Which nodes are rows: a string or a variable.
    pub rows: Expr,
    /// How columns are found that say nothing of it: a number or a variable.
    pub flags: Option<Expr>,
    /// Its columns.
    pub schema: OpenXmlSchema,
    /// Its name and the names of its columns.
    pub alias: Option<TableAlias>,
}

/// The columns of an `OPENXML`.
#[derive(Clone, Debug)]
pub enum OpenXmlSchema {
    /// Those of an edge table.
    Edges,
    /// `WITH (column type 'pattern', …)`
    Columns(Vec<OpenXmlColumn>),
    /// `WITH table`
    Table(ObjectName),
}

/// A column of the `WITH` after `OPENXML`.
#[derive(Clone, Debug)]
pub struct OpenXmlColumn {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// Where it is found.
    pub pattern: Option<Box<str>>,
}

/// A name for rows that have none of their own, and names for their columns.
#[derive(Clone, Debug)]
pub struct TableAlias {
    /// The name.
    pub name: Ident,
    /// The columns' names; empty when they keep theirs.
    pub columns: Vec<Ident>,
}

/// A join.
#[derive(Clone, Debug)]
pub struct Join {
    /// What is joined how.
    pub kind: JoinKind,
    /// `LOOP`, `HASH`, `MERGE`, `REMOTE`.
    pub hint: Option<JoinHint>,
    /// The left side.
    pub left: TableSource,
    /// The right side.
    pub right: TableSource,
    /// `ON`; absent exactly for `CROSS JOIN` and both kinds of `APPLY`.
    pub on: Option<Condition>,
}

/// How two sides are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum JoinKind {
    Inner,
    LeftOuter,
    RightOuter,
    FullOuter,
    Cross,
    CrossApply,
    OuterApply,
}

/// How a join is to be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum JoinHint {
    Loop,
    Hash,
    Merge,
    Remote,
}

/// `PIVOT (aggregate(x) FOR y IN ([a], [b])) AS p`.
#[derive(Clone, Debug)]
pub struct Pivot {
    /// Where rows come from.
    pub source: TableSource,
    /// The aggregate.
    pub aggregate: Expr,
    /// The column whose values become columns.
    pub column: ColumnRef,
    /// The values, which are the new columns' names.
    pub values: Vec<Ident>,
    /// Its name.
    pub alias: TableAlias,
}

/// `UNPIVOT (x FOR y IN (a, b)) AS u`.
#[derive(Clone, Debug)]
pub struct Unpivot {
    /// Where rows come from.
    pub source: TableSource,
    /// The new column that receives the values.
    pub value: Ident,
    /// The new column that receives the old columns' names.
    pub column: Ident,
    /// The old columns.
    pub columns: Vec<ColumnRef>,
    /// Its name.
    pub alias: TableAlias,
}

/// A table hint.
#[derive(Clone, Debug)]
pub struct TableHint {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: TableHintKind,
}

/// The table hints.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TableHintKind {
    NoLock,
    ReadUncommitted,
    ReadCommitted,
    ReadCommittedLock,
    RepeatableRead,
    Serializable,
    HoldLock,
    Snapshot,
    UpdLock,
    XLock,
    TabLock,
    TabLockX,
    RowLock,
    PagLock,
    ReadPast,
    NoWait,
    NoExpand,
    ForceScan,
    /// With the index and the key columns to seek on, if given.
    ForceSeek(Option<(IndexRef, Vec<Ident>)>),
    /// `INDEX (a, 2)`, `INDEX = a`.
    Index(Vec<IndexRef>),
    KeepIdentity,
    KeepDefaults,
    IgnoreConstraints,
    IgnoreTriggers,
    FastFirstRow,
    SpatialWindowMaxCells(u32),
}

/// An index by name or by number (0 is the heap, 1 the clustered one).
#[derive(Clone, Debug)]
pub enum IndexRef {
    /// By name.
    Name(Ident),
    /// By number.
    Number(u32),
}

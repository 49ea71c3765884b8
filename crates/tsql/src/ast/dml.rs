//! Statements that change rows.

use super::{
    AssignOp, ColumnDefinition, ColumnRef, Condition, CursorRef, Execute, Expr, Ident, ObjectName,
    Query, QueryHint, SelectItem, Span, Statement, TableAlias, TableHint, TableSource, Top,
    Variable, With,
};

/// The target of a change, with its hints.
#[derive(Clone, Debug)]
pub struct Target {
    /// Where it stands.
    pub span: Span,
    /// What is changed.
    pub kind: TargetKind,
    /// `WITH (…)`.
    pub hints: Vec<TableHint>,
}

/// What a statement changes.
#[derive(Clone, Debug)]
pub enum TargetKind {
    /// A table or view by name, or by an alias of the statement's `FROM`.
    Name(Box<ObjectName>),
    /// A table variable.
    Variable(Variable),
}

/// `INSERT`.
#[derive(Clone, Debug)]
pub struct Insert {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP (n)`.
    pub top: Option<Top>,
    /// What receives the rows.
    pub target: Target,
    /// The columns that are given; `None` when no list is written, which means all.
    pub columns: Option<Vec<ColumnRef>>,
    /// `OUTPUT`.
    pub output: Option<Output>,
    /// Where the rows come from.
    pub source: InsertSource,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Where inserted rows come from.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// `VALUES (…), (…)`.
    Values(Vec<Vec<RowValue>>),
    /// A query.
    Query(Box<Query>),
    /// `EXEC …`: the result sets of a procedure or of dynamic SQL.
    Execute(Box<Execute>),
    /// `DEFAULT VALUES`.
    DefaultValues,
    /// `SELECT … FROM (UPDATE … OUTPUT …) AS name`: what another statement changes.
    Changes(Box<InsertedChanges>),
}

/// `SELECT items FROM (statement) AS name WHERE filter`, where rows for an `INSERT` come from.
#[derive(Clone, Debug)]
pub struct InsertedChanges {
    /// Where it stands.
    pub span: Span,
    /// The select list.
    pub items: Vec<SelectItem>,
    /// An `INSERT`, `UPDATE`, `DELETE` or `MERGE` with `OUTPUT`.
    pub statement: Statement,
    /// What the rows of its `OUTPUT` are called.
    pub alias: TableAlias,
    /// `WHERE`.
    pub filter: Option<Condition>,
}

/// A value for a column.
#[derive(Clone, Debug)]
pub enum RowValue {
    /// An expression.
    Expr(Expr),
    /// `DEFAULT`.
    Default(Span),
}

/// `OUTPUT … INTO …` and, after it, a second `OUTPUT` to the client.
#[derive(Clone, Debug)]
pub struct Output {
    /// Where it stands.
    pub span: Span,
    /// What goes to the client; empty when everything goes into a table.
    pub items: Vec<SelectItem>,
    /// What goes into a table.
    pub into: Option<Box<OutputInto>>,
}

/// `OUTPUT items INTO target (columns)`.
#[derive(Clone, Debug)]
pub struct OutputInto {
    /// What goes in.
    pub items: Vec<SelectItem>,
    /// Where it goes.
    pub target: TargetKind,
    /// The columns that receive it; empty for all.
    pub columns: Vec<Ident>,
}

/// `UPDATE`.
#[derive(Clone, Debug)]
pub struct Update {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP (n)`.
    pub top: Option<Top>,
    /// What is changed.
    pub target: Target,
    /// `SET`.
    pub set: Vec<SetClause>,
    /// `OUTPUT`.
    pub output: Option<Output>,
    /// `FROM`; empty when absent.
    pub from: Vec<TableSource>,
    /// `WHERE`.
    pub filter: Option<RowFilter>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// Which rows `UPDATE` and `DELETE` change.
#[derive(Clone, Debug)]
pub enum RowFilter {
    /// `WHERE condition`.
    Condition(Condition),
    /// `WHERE CURRENT OF cursor`.
    CurrentOf(CursorRef),
}

/// One assignment of an `UPDATE`.
#[derive(Clone, Debug)]
pub struct SetClause {
    /// Where it stands.
    pub span: Span,
    /// What is assigned.
    pub kind: SetClauseKind,
}

/// What an assignment of an `UPDATE` does.
#[derive(Clone, Debug)]
pub enum SetClauseKind {
    /// `column = value`, `column += value`.
    Column {
        /// The column.
        column: ColumnRef,
        /// How it is assigned.
        op: AssignOp,
        /// The new value or the operand.
        value: RowValue,
    },
    /// `@v = value`, `@v += value`.
    Variable {
        /// The variable.
        variable: Variable,
        /// How it is assigned.
        op: AssignOp,
        /// The new value or the operand.
        value: Expr,
    },
    /// `@v = column = value`, `@v = column += value`: both receive the new value.
    VariableAndColumn {
        /// The variable.
        variable: Variable,
        /// The column.
        column: ColumnRef,
        /// How the column is assigned.
        op: AssignOp,
        /// The new value or the operand.
        value: Expr,
    },
    /// `column.WRITE(value, offset, length)`.
    Write {
        /// A column of a `(max)` type.
        column: ColumnRef,
        /// What is put in.
        value: Expr,
        /// From where; NULL appends.
        offset: Expr,
        /// How much is replaced; NULL is everything after.
        length: Expr,
    },
}

/// `DELETE`.
#[derive(Clone, Debug)]
pub struct Delete {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP (n)`.
    pub top: Option<Top>,
    /// What is changed.
    pub target: Target,
    /// `OUTPUT`.
    pub output: Option<Output>,
    /// The second `FROM`; empty when absent.
    pub from: Vec<TableSource>,
    /// `WHERE`.
    pub filter: Option<RowFilter>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// `MERGE`.
#[derive(Clone, Debug)]
pub struct Merge {
    /// `WITH name AS (…)`.
    pub with: Option<With>,
    /// `TOP (n)`.
    pub top: Option<Top>,
    /// What is changed.
    pub target: Target,
    /// The target's alias.
    pub alias: Option<Ident>,
    /// `USING`.
    pub source: TableSource,
    /// `ON`.
    pub on: Condition,
    /// The `WHEN` clauses in order; never empty.
    pub clauses: Vec<MergeClause>,
    /// `OUTPUT`.
    pub output: Option<Output>,
    /// `OPTION (…)`.
    pub options: Vec<QueryHint>,
}

/// One `WHEN` of a `MERGE`.
#[derive(Clone, Debug)]
pub struct MergeClause {
    /// Where it stands.
    pub span: Span,
    /// To which rows it applies.
    pub when: MergeWhen,
    /// `AND condition`.
    pub condition: Option<Condition>,
    /// `THEN`.
    pub action: MergeAction,
}

/// To which rows a `WHEN` applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum MergeWhen {
    Matched,
    NotMatchedByTarget,
    NotMatchedBySource,
}

/// What a `WHEN` does.
#[derive(Clone, Debug)]
pub enum MergeAction {
    /// `UPDATE SET …`.
    Update(Vec<SetClause>),
    /// `DELETE`.
    Delete,
    /// `INSERT (columns) VALUES (…)`; no columns: all. No values: `DEFAULT VALUES`.
    Insert {
        /// The columns that are given.
        columns: Option<Vec<ColumnRef>>,
        /// Their values.
        values: Option<Vec<RowValue>>,
    },
}

/// `TRUNCATE TABLE`.
#[derive(Clone, Debug)]
pub struct TruncateTable {
    /// The table.
    pub table: ObjectName,
    /// `WITH (PARTITIONS (…))`: numbers and ranges; empty for all.
    pub partitions: Vec<PartitionRange>,
}

/// A partition, or several in a row.
#[derive(Clone, Debug)]
pub struct PartitionRange {
    /// The number of the first.
    pub first: Expr,
    /// `TO` that of the last.
    pub last: Option<Expr>,
}

/// `BULK INSERT`.
#[derive(Clone, Debug)]
pub struct BulkInsert {
    /// What receives the rows.
    pub table: ObjectName,
    /// The file, or a variable's or bare word's name as the statement gives it.
    pub file: Box<str>,
    /// Where the file's name stands.
    pub file_span: Span,
    /// `WITH (…)`.
    pub options: Vec<BulkOption>,
}

/// An option of `BULK INSERT`, `INSERT BULK` and `OPENROWSET(BULK …)`.
#[derive(Clone, Debug)]
pub struct BulkOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: BulkOptionKind,
}

/// The bulk options.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum BulkOptionKind {
    BatchSize(u64),
    CheckConstraints,
    /// A number, or `ACP`, `OEM`, `RAW`.
    CodePage(Box<str>),
    /// `char`, `native`, `widechar`, `widenative`.
    DataFileType(Box<str>),
    DataSource(Box<str>),
    ErrorFile(Box<str>),
    ErrorFileDataSource(Box<str>),
    EscapeChar(Box<str>),
    FieldQuote(Box<str>),
    FieldTerminator(Box<str>),
    FireTriggers,
    FirstRow(u64),
    /// `FORMAT = 'CSV'`.
    Format(Box<str>),
    FormatFile(Box<str>),
    FormatFileDataSource(Box<str>),
    KeepIdentity,
    KeepNulls,
    KilobytesPerBatch(u64),
    LastRow(u64),
    MaxErrors(u64),
    /// `ORDER (column DESC) UNIQUE`.
    Order {
        /// Columns, and whether each is descending.
        columns: Vec<(Ident, bool)>,
        unique: bool,
    },
    RowTerminator(Box<str>),
    RowsPerBatch(u64),
    TabLock,
}

/// `INSERT BULK table (columns) WITH (options)`: what clients send before bulk load packets.
#[derive(Clone, Debug)]
pub struct InsertBulk {
    /// What receives the rows.
    pub table: ObjectName,
    /// The columns in the order of the packets; empty for all.
    pub columns: Vec<ColumnDefinition>,
    /// `WITH (…)`.
    pub options: Vec<BulkOption>,
}

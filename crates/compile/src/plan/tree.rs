//! The operators of a plan, and the statements around them.
//!
//! The tree is what the planner decides: which index, which side is the outer one, where rows are
//! sorted. Lowering translates it operator by operator and decides nothing more.
//!
//! Every operator yields rows of columns named by [`ColId`]. An operator's inner parts may use the
//! columns of whatever encloses them (a nested loop's inner side sees the outer row; a subquery
//! sees the row it is evaluated for).

use std::sync::Arc;

use base::SqlType;
use base::ids::{DbId, ObjectId};
use engine::catalog::def::{BlockedOperation, IndexKind, TableDef};
use engine::catalog::naming_index;
use ir::function::RowsetFunction;
use ir::function::stream::StreamSource;
pub use ir::object::{Frame, FrameBound};
use ir::operator::{TableVarId, VarId};
pub use ir::read::{Isolation, ReadOptions};
use ir::rowset::SystemRowset;
pub use ir::site::{BaseColumn, ResultColumn};
pub use tsql::ast::MergeWhen;

use crate::plan::expr::{Aggregate, ColId, Expr, Pred, SortKey};
use crate::plan::hints::AccessHint;

/// An operator and its inputs.
#[derive(Clone, Debug)]
pub enum Node {
    /// One row without columns: `SELECT` without `FROM`.
    OneRow,
    /// Literal rows: `VALUES`, a folded-away scan (no rows).
    Values {
        /// The output columns.
        columns: Vec<ColId>,
        /// One expression per column in each row.
        rows: Vec<Vec<Expr>>,
    },
    /// Rows of a table, a local table or a rowset function.
    Scan(Box<Scan>),
    /// The rows for which the condition is true.
    Filter {
        /// Where rows come from.
        input: Box<Node>,
        /// The condition.
        predicate: Pred,
    },
    /// Adds computed columns; the input's columns stay visible.
    Compute {
        /// Where rows come from.
        input: Box<Node>,
        /// The new columns.
        columns: Vec<(ColId, Expr)>,
    },
    /// For each outer row, the inner side, evaluated anew: joins with seeks, `APPLY`.
    NestedLoop {
        /// Inner, left outer, semi or anti; not right or full.
        kind: JoinKind,
        /// The outer side.
        outer: Box<Node>,
        /// The inner side; may use the outer side's columns.
        inner: Box<Node>,
        /// The join condition, as far as the inner side has not taken it in.
        predicate: Option<Pred>,
    },
    /// The build side goes into a hash table, the probe side looks in.
    HashJoin {
        /// Any kind; "left" is the probe side.
        kind: JoinKind,
        /// The side that streams.
        probe: Box<Node>,
        /// The side that is held in memory.
        build: Box<Node>,
        /// Pairs of (probe, build) expressions that must be equal.
        keys: Vec<(Expr, Expr)>,
        /// NULL keys match each other: set operations.
        null_equal: bool,
        /// What must also hold for a match.
        residual: Option<Pred>,
    },
    /// Groups and aggregates. Without groups it yields exactly one row.
    Aggregate {
        /// Where rows come from.
        input: Box<Node>,
        /// The grouping columns.
        groups: Vec<(ColId, Expr)>,
        /// The aggregates.
        aggregates: Vec<(ColId, Aggregate)>,
        /// `GROUPING SETS`, `ROLLUP`, `CUBE`: for each set, which of `groups` it keeps; the others
        /// are NULL. Empty means one set with all groups.
        grouping_sets: Vec<Vec<bool>>,
        /// The column that receives the bit mask behind `GROUPING()`, if asked for: bit i is set
        /// when group i is aggregated away.
        grouping_id: Option<ColId>,
        /// The input is already ordered by the groups.
        ordered: bool,
    },
    /// Equal rows (by these columns, NULLs equal) once.
    Distinct {
        /// Where rows come from.
        input: Box<Node>,
        /// What makes rows equal, and all that remains visible.
        columns: Vec<ColId>,
    },
    /// Rows in order.
    Sort {
        /// Where rows come from.
        input: Box<Node>,
        /// The order.
        keys: Vec<SortKey>,
        /// Only the first n are needed (a `Top` above says so too).
        limit: Option<Expr>,
        /// The columns that must survive the sort.
        columns: Vec<ColId>,
    },
    /// The first rows.
    Top {
        /// Where rows come from.
        input: Box<Node>,
        /// How many: bigint, or float for a percentage; 1014, 1060 for bad values.
        count: Expr,
        /// Percent of all rows, rounded up.
        percent: bool,
        /// `WITH TIES`: further rows equal to the last in these columns.
        ties: Option<Vec<ColId>>,
    },
    /// `OFFSET … FETCH`.
    Offset {
        /// Where rows come from, in order.
        input: Box<Node>,
        /// How many are skipped: bigint.
        offset: Expr,
        /// How many follow: bigint.
        fetch: Option<Expr>,
    },
    /// The rows of the input, counted as the rows of the statement, instead of those that it
    /// returns: it returns pieces of a document that is made of them.
    Counted {
        /// Where rows come from.
        input: Box<Node>,
    },
    /// The rows of all inputs, one after the other: `UNION ALL`.
    Union {
        /// Each input with the columns it contributes, in the order of `columns`.
        inputs: Vec<(Node, Vec<ColId>)>,
        /// The output columns.
        columns: Vec<ColId>,
    },
    /// Window functions over the partitions of the input. What only numbers rows needs none but the
    /// current one, see [`Node::numbers_rows`].
    Window {
        /// Where rows come from.
        input: Box<Node>,
        /// `PARTITION BY`.
        partition: Vec<Expr>,
        /// `ORDER BY`.
        order: Vec<SortKey>,
        /// The functions, all over this partition and order.
        functions: Vec<(ColId, WindowFunction)>,
        /// The input's columns that must survive.
        columns: Vec<ColId>,
    },
    /// A recursive common table expression: the rows of `anchor`, then `step` evaluated on the rows
    /// of the round before, until a round is empty.
    Recursive {
        /// The worktable through which `step` sees the rows of the round before.
        worktable: WorktableId,
        /// The first round, and the columns it contributes.
        anchor: Box<(Node, Vec<ColId>)>,
        /// A further round, and the columns it contributes.
        step: Box<(Node, Vec<ColId>)>,
        /// The output columns.
        columns: Vec<ColId>,
        /// `MAXRECURSION`; 0 is unlimited. Beyond it: error 530.
        max_rounds: u32,
    },
    /// What the enclosing [`Node::Recursive`] put into its worktable in the round before, or what a
    /// [`Node::Spool`] holds.
    Worktable {
        /// Which.
        worktable: WorktableId,
        /// One output column per column of the worktable.
        columns: Vec<ColId>,
    },
    /// Evaluates `input` once, however often `body` reads the worktable.
    Spool {
        /// The worktable that holds the rows.
        worktable: WorktableId,
        /// What fills it, and the columns that are kept.
        input: Box<(Node, Vec<ColId>)>,
        /// What is evaluated with it.
        body: Box<Node>,
    },
}

impl Node {
    /// Whether this passes the rows of its input on as they come, with their numbers.
    pub fn numbers_rows(&self) -> bool {
        let Node::Window { partition, order, functions, .. } = self else { return false };
        partition.is_empty() && order.is_empty() && functions.iter().all(|f| f.1.is_row_number())
    }
}

/// Names a worktable within a statement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WorktableId(pub u32);

/// What a join yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinKind {
    /// Pairs that match.
    Inner,
    /// Pairs that match, and left rows without a match with NULLs.
    LeftOuter,
    /// Pairs that match, and right rows without a match with NULLs.
    RightOuter,
    /// Both.
    FullOuter,
    /// Left rows with a match, once.
    Semi,
    /// Left rows without a match (`NOT EXISTS`).
    Anti,
    /// Left rows for which no right row is equal or unknown (`NOT IN`).
    AntiNullAware,
}

/// Rows of one source.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Where they are.
    pub source: Source,
    /// Which columns are read: the source's column (by its place in the row layout) and its name
    /// here.
    pub columns: Vec<(usize, ColId)>,
    /// How they are found.
    pub access: Access,
    /// What else must hold; evaluated on the row before anything above sees it.
    pub residual: Option<Pred>,
    /// Names the row itself, for the statement that will change it.
    pub row: Option<ColId>,
    /// How it is read.
    pub options: ReadOptions,
    /// What the statement demands of `access`.
    pub hint: AccessHint,
}

/// What can be scanned.
#[derive(Clone, Debug)]
pub enum Source {
    /// A table, temporary or not.
    Table {
        /// The database it lives in.
        database: DbId,
        /// Its definition.
        table: Arc<TableDef>,
    },
    /// A table variable or table-valued parameter of the module.
    TableVar(TableVarId, Arc<TableDef>),
    /// A trigger's `inserted` (true) or `deleted` (false).
    Transition(bool, Arc<TableDef>),
    /// A view of the server's: rows made when asked for, about this database.
    System(DbId, SystemRowset),
    /// A table-valued function of the library.
    Function(&'static RowsetFunction, Vec<Expr>),
    /// A user's multi-statement table-valued function (inline ones are expanded by the binder).
    UserFunction(ObjectId, Vec<Option<Expr>>, Arc<TableDef>),
    /// Rows from outside of the databases, which are not kept: a loop reads them anew.
    Stream(Arc<dyn StreamSource>, Arc<TableDef>),
}

/// How rows are found.
#[derive(Clone, Debug)]
pub enum Access {
    /// All of them; in the order of [`scan_order`], if that is one.
    Full,
    /// All key columns of a hash index are given (or of any index of a table variable).
    Seek {
        /// The index, by its place in `TableDef::indexes`.
        index: usize,
        /// One expression per key column, of the column's type.
        key: Vec<Expr>,
    },
    /// The row with this whole key of a unique index, where NULL is a value like others.
    Key {
        /// The index, by its place in `TableDef::indexes`.
        index: usize,
        /// One expression per key column, of the column's type.
        key: Vec<Expr>,
    },
    /// The row of a table without a unique key that has this hidden number, a `bigint`.
    RowNumber(Expr),
    /// A range of an ordered index; without bounds it is an ordered scan.
    Range {
        /// The index, by its place in `TableDef::indexes`.
        index: usize,
        /// Leading key columns that equal these.
        prefix: Vec<Expr>,
        /// The lower bound on the next key column.
        lower: Option<Bound>,
        /// The upper bound on the next key column.
        upper: Option<Bound>,
        /// From the end to the start.
        backward: bool,
    },
    /// A range of an ordered index that holds, perhaps among others, the rows whose key column
    /// after the leading ones begins as a `LIKE` pattern does. They still have to be tested.
    Like {
        /// The index, by its place in `TableDef::indexes`.
        index: usize,
        /// Leading key columns that equal these.
        prefix: Vec<Expr>,
        /// The pattern, a string as the column is one.
        pattern: Expr,
    },
}

/// An ordered index that has all rows of a table: by it they are read while they are in memory.
pub fn ordered_index(table: &TableDef) -> Option<usize> {
    table.indexes.iter().position(|i| i.kind != IndexKind::Hash && i.filter.is_none())
}

/// The index in whose order [`Access::Full`] yields the rows of a table, wherever they are: rows
/// that have sunk are read by the index that names them, whose tree holds them.
pub fn scan_order(source: &Source) -> Option<usize> {
    let Source::Table { table, .. } = source else { return None };
    ordered_index(table).filter(|index| naming_index(table) == Some(*index))
}

/// A bound of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value, of the column's type; a NULL bound makes the range empty.
    pub value: Expr,
    /// Whether the value itself belongs to the range.
    pub inclusive: bool,
}

/// A window function.
#[derive(Clone, Debug)]
pub struct WindowFunction {
    /// What it computes.
    pub kind: WindowKind,
    /// The type of the result.
    pub ty: SqlType,
}

impl WindowFunction {
    /// Whether the function is `ROW_NUMBER()`.
    pub fn is_row_number(&self) -> bool {
        matches!(self.kind, WindowKind::RowNumber)
    }
}

/// What a window function computes.
#[derive(Clone, Debug)]
pub enum WindowKind {
    /// `ROW_NUMBER()`.
    RowNumber,
    /// `RANK()`.
    Rank,
    /// `DENSE_RANK()`.
    DenseRank,
    /// `NTILE(n)`.
    Ntile(Expr),
    /// `LAG` (negative) or `LEAD` of an expression by an offset, with a default.
    Shift {
        /// What is fetched.
        value: Expr,
        /// How many rows ahead.
        offset: Expr,
        /// `LAG` instead of `LEAD`.
        back: bool,
        /// `IGNORE NULLS`: rows whose value is NULL do not count.
        ignore_nulls: bool,
        /// What is yielded beyond the partition.
        default: Option<Expr>,
    },
    /// `PERCENTILE_CONT` or `PERCENTILE_DISC`.
    Percentile {
        /// The expression by which rows are ordered.
        value: Expr,
        /// Which part of the rows comes before the result.
        fraction: Expr,
        /// Between two values, where there is none.
        interpolates: bool,
    },
    /// `FIRST_VALUE` or `LAST_VALUE` over the frame.
    Edge {
        /// What is fetched.
        value: Expr,
        /// `LAST_VALUE`.
        last: bool,
        /// `IGNORE NULLS`: rows whose value is NULL do not count.
        ignore_nulls: bool,
        /// Over which rows.
        frame: Frame,
    },
    /// `PERCENT_RANK()` or `CUME_DIST()` (true).
    Distribution(bool),
    /// An aggregate over the frame.
    Aggregate(Aggregate, Frame),
}

/// A planned data statement.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for a statement")]
pub enum Plan {
    /// `SELECT` that returns rows or assigns variables.
    Select(SelectPlan),
    /// `INSERT`, and the second half of `SELECT INTO`.
    Insert(Box<InsertPlan>),
    /// `UPDATE`.
    Update(Box<UpdatePlan>),
    /// `DELETE`.
    Delete(Box<DeletePlan>),
    /// `MERGE`.
    Merge(Box<MergePlan>),
}

impl Plan {
    /// What is done for each row that it changes.
    pub fn effects(&self) -> Option<&RowEffects> {
        match self {
            Plan::Select(_) => None,
            Plan::Insert(plan) => Some(&plan.effects),
            Plan::Update(plan) => Some(&plan.effects),
            Plan::Delete(plan) => Some(&plan.effects),
            Plan::Merge(plan) => Some(&plan.effects),
        }
    }
}

/// A query and where its rows go.
#[derive(Clone, Debug)]
pub struct SelectPlan {
    /// The operators.
    pub root: Node,
    /// The visible columns, in order.
    pub output: Vec<OutputColumn>,
    /// Where the rows go.
    pub destination: Destination,
}

/// A column of a result set, and what its values are.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    /// Its values.
    pub column: ColId,
    /// The description of the column for the client.
    pub shown: ResultColumn,
}

/// Where the rows of a query go.
#[derive(Clone, Debug)]
pub enum Destination {
    /// To the client, or to whatever collects the module's result sets.
    Client,
    /// Into variables, row by row: `SELECT @a = …`.
    Variables(Vec<(VarId, ColId)>),
}

/// What a statement changes.
#[derive(Clone, Debug)]
pub enum Target {
    /// A table, temporary or not.
    Table {
        /// The database it lives in.
        database: DbId,
        /// Its definition.
        table: Arc<TableDef>,
    },
    /// A table variable.
    TableVar(TableVarId, Arc<TableDef>),
    /// A table or view whose `INSTEAD OF` triggers take the rows: they are kept for them, and
    /// nothing is written. Every column of the definition may be NULL. An update or delete has no
    /// `row`, and its `old_columns` are all the columns, from the input.
    Instead {
        /// The database it lives in.
        database: DbId,
        /// The columns that it shows.
        table: Arc<TableDef>,
    },
}

impl Target {
    /// The definition of what is changed.
    pub fn table(&self) -> &Arc<TableDef> {
        match self {
            Target::Table { table, .. }
            | Target::TableVar(_, table)
            | Target::Instead { table, .. } => table,
        }
    }
}

/// `INSERT`.
#[derive(Clone, Debug)]
pub struct InsertPlan {
    /// What receives the rows.
    pub target: Target,
    /// Where they come from; with `Top` inside for `INSERT TOP`.
    pub source: Node,
    /// For each column of the target, in layout order, its value from the source's columns.
    pub values: Vec<NewValue>,
    /// Columns that the source itself converts to those of the target at these places of the
    /// layout: what cannot be converted is reported like a value.
    pub converted: Vec<(ColId, usize)>,
    /// What every new row must satisfy, and what is done with it.
    pub effects: RowEffects,
    /// How the target is locked before anything is read, if a hint asks for that.
    pub lock: Option<ReadOptions>,
}

/// Where a new row's column comes from.
#[derive(Clone, Debug)]
pub enum NewValue {
    /// From this expression (over source columns, or for computed columns over
    /// [`RowEffects::new_columns`]), converted to the column's type.
    Expr(Expr),
    /// The next identity value.
    Identity,
    /// The next row version.
    RowVersion,
    /// The number of the transaction in change tracking, for which it gets a row in this commit
    /// table.
    ChangeNumber {
        /// The database of the table.
        database: DbId,
        /// The commit table.
        commits: Arc<TableDef>,
    },
    /// The place of the statement among those of its transaction.
    ChangeStep,
}

/// What is checked and done for each row that a statement writes.
#[derive(Clone, Debug, Default)]
pub struct RowEffects {
    /// The names under which the new row's columns are known to checks, keys and `OUTPUT`
    /// (`inserted.`), by layout position; empty for `DELETE`.
    pub new_columns: Vec<ColId>,
    /// The names of the old row's columns (`deleted.`); empty for `INSERT`.
    pub old_columns: Vec<ColId>,
    /// Columns that must not be NULL (error 515), by layout position.
    pub not_null: Vec<usize>,
    /// `CHECK` constraints, and a view's `WITH CHECK OPTION`.
    pub checks: Vec<CheckPlan>,
    /// What security policies ask of rows that are written.
    pub blocks: Vec<BlockPlan>,
    /// Foreign keys of this table that the new row must satisfy.
    pub references: Vec<ReferencePlan>,
    /// Foreign keys of other tables onto this one that the old row may be needed by.
    pub referenced_by: Vec<ReferencedPlan>,
    /// `OUTPUT` to the client.
    pub output: Option<Vec<(Expr, ResultColumn)>>,
    /// `OUTPUT … INTO`: a further insert for each row. Its source is made of [`Node::OneRow`] over
    /// the columns above.
    pub output_into: Option<Box<InsertPlan>>,
    /// The statement counts what `output_into` inserts, not what it changes itself.
    pub counts_into: bool,
    /// Where old rows of a system-versioned table go.
    pub history: Option<Box<HistoryPlan>>,
    /// What becomes of the entries of XML indexes.
    pub derived_indexes: Vec<DerivedIndexPlan>,
    /// What becomes of the rows of indexed views. It happens as soon as the row is written, before
    /// anything else is that a view might join to it: all of it together is what the views show.
    pub views: Vec<ViewPlan>,
    /// What is written down of the row's change if the table's changes are tracked.
    pub tracking: Option<Box<TrackingPlan>>,
    /// Keep old and new rows for the triggers that run when the statement is done.
    pub keep_transitions: bool,
    /// `IGNORE_DUP_KEY` indexes, by place in `TableDef::indexes`: warn 3604 and skip instead
    /// of 2601.
    pub ignore_duplicates: Vec<usize>,
}

impl RowEffects {
    /// Leaves `CHECK` and `FOREIGN KEY` constraints out of what new rows must satisfy.
    pub fn forget_constraints(&mut self) {
        self.checks.retain(|check| !matches!(check.by, CheckedBy::Constraint(_)));
        self.references.clear();
    }
}

/// What becomes of the old row of a system-versioned table.
#[derive(Clone, Debug)]
pub struct HistoryPlan {
    /// Its version does not begin after the transaction: error 13535. Over
    /// [`RowEffects::old_columns`].
    pub in_order: Pred,
    /// An insert into the history, whose source is [`Node::OneRow`] over the same columns.
    pub insert: InsertPlan,
}

/// What becomes of a row's entries in an XML index.
#[derive(Clone, Debug)]
pub struct DerivedIndexPlan {
    /// The columns that entries are made of, by layout position: an update that leaves them alone
    /// leaves the entries alone.
    pub columns: Vec<usize>,
    /// Deletes the entries of the old row, over [`RowEffects::old_columns`].
    pub delete: Option<DeletePlan>,
    /// Inserts those of the new row, over [`RowEffects::new_columns`].
    pub insert: Option<InsertPlan>,
}

/// What a row's change means for an indexed view: the view's query, with the row in the place of
/// its table and the other tables as they are now.
#[derive(Clone, Debug)]
pub struct ViewPlan {
    /// The columns that the view uses, by layout position: an update that leaves them alone leaves
    /// the view alone.
    pub columns: Vec<usize>,
    /// Where the row is inserted; over [`RowEffects::new_columns`].
    pub inserted: Vec<ViewChange>,
    /// Where it is deleted; over [`RowEffects::old_columns`].
    pub deleted: Vec<ViewChange>,
    /// Where it is updated; over both.
    pub updated: Vec<ViewChange>,
}

/// A change of an indexed view's rows.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few for a statement")]
pub enum ViewChange {
    /// Rows that the view does not show any more are deleted.
    Delete(DeletePlan),
    /// Rows that it has come to show are inserted.
    Insert(InsertPlan),
    /// Sums and counts of groups change.
    Add(GroupsPlan),
}

/// What is added to sums and counts of a view's groups. A group begins with its first row, and ends
/// when its count has become 0.
#[derive(Clone, Debug)]
pub struct GroupsPlan {
    /// The view's rows.
    pub target: Target,
    /// Yields groups and what is added to each: amounts may be negative.
    pub amounts: Node,
    /// Whether anything is added.
    pub changes: Pred,
    /// Whether rows are added, without which a group does not begin.
    pub begins: Pred,
    /// The look-up of the group's row by the view's key.
    pub found: Node,
    /// The column that names the row.
    pub row: ColId,
    /// The names of the row's columns, by layout position.
    pub old_columns: Vec<ColId>,
    /// Whether the row is the group's: the key may be a part of what the view groups by.
    pub same: Pred,
    /// Whether the group has no rows then; over the columns of both.
    pub ends: Pred,
    /// The row's columns as they become, by layout position; over the columns of both.
    pub values: Vec<Expr>,
    /// The columns of a new row, by layout position.
    pub first: Vec<Expr>,
    /// The place of the view's key in `TableDef::indexes`.
    pub index: usize,
}

/// What is written down of changes of a table. Each part is an insert into the table of changes,
/// whose source is [`Node::OneRow`] over [`RowEffects::old_columns`] or
/// [`RowEffects::new_columns`].
#[derive(Clone, Debug, Default)]
pub struct TrackingPlan {
    /// Where a row is inserted.
    pub inserted: Option<InsertPlan>,
    /// Where a row is deleted.
    pub deleted: Option<InsertPlan>,
    /// Where a row is updated: one entry, or, where its key is set, one for each of the keys.
    pub updated: Vec<InsertPlan>,
}

impl TrackingPlan {
    /// All inserts.
    pub fn inserts(&self) -> impl Iterator<Item = &InsertPlan> {
        self.inserted.iter().chain(&self.deleted).chain(&self.updated)
    }

    /// All inserts, to be changed.
    pub fn inserts_mut(&mut self) -> impl Iterator<Item = &mut InsertPlan> {
        self.inserted.iter_mut().chain(&mut self.deleted).chain(&mut self.updated)
    }
}

/// What asks for a condition of rows.
#[derive(Clone, Debug)]
pub enum CheckedBy {
    /// A constraint of this name: error 547.
    Constraint(Arc<str>),
    /// A rule that is bound to the column: error 513.
    Rule,
    /// A view's check option: error 550.
    CheckOption,
}

/// A condition that a new row must not make false.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// What asks for it.
    pub by: CheckedBy,
    /// The column it belongs to, if it was declared on one; for the message.
    pub column: Option<Arc<str>>,
    /// Over [`RowEffects::new_columns`]; unknown passes.
    pub predicate: Pred,
}

/// A condition that must be true of rows that an operation writes: error 33504.
#[derive(Clone, Debug)]
pub struct BlockPlan {
    /// The operation.
    pub operation: BlockedOperation,
    /// Over [`RowEffects::new_columns`] of what comes after, [`RowEffects::old_columns`] of what
    /// comes before.
    pub predicate: Pred,
}

/// A foreign key whose referenced row must exist (unless a key column is NULL).
#[derive(Clone, Debug)]
pub struct ReferencePlan {
    /// The constraint, for message 547.
    pub name: Arc<str>,
    /// The referenced table's name and column for the message.
    pub referenced_name: Arc<str>,
    /// The column named in the message when the key has one column.
    pub column_name: Option<Arc<str>>,
    /// The look-up: a scan with a seek on the referenced key over [`RowEffects::new_columns`].
    pub lookup: Node,
    /// The key columns, as expressions; any NULL passes.
    pub key: Vec<Expr>,
    /// The statement may change referenced rows, too: checked when it is done.
    pub deferred: bool,
    /// The referenced table is the target itself; for the message.
    pub same_table: bool,
    /// For updates: only when one of these columns (by layout position) changed.
    pub columns: Vec<usize>,
}

/// A foreign key of another table onto this one.
#[derive(Clone, Debug)]
pub struct ReferencedPlan {
    /// The constraint, for message 547.
    pub name: Arc<str>,
    /// The referencing table's name for the message.
    pub referencing_name: Arc<str>,
    /// The referencing column named in the message when the key has one column.
    pub column_name: Option<Arc<str>>,
    /// The columns of this table's key, by layout position; an update that leaves them alone needs
    /// no look.
    pub columns: Vec<usize>,
    /// It is what happens when a row is deleted.
    pub on_delete: bool,
    /// It is what happens when a row's key changes.
    pub on_update: bool,
    /// What happens to referencing rows.
    pub action: ReferencedAction,
}

/// What happens to the rows that reference a changed or deleted one. The nested plans use
/// [`RowEffects::old_columns`] (and `new_columns` for cascaded updates).
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for a foreign key")]
pub enum ReferencedAction {
    /// Error 547 if there are such rows when the statement is done, but nothing that they refer to.
    Refuse {
        /// The look-up of rows that refer to the old key.
        referencing: Node,
        /// The look-up of the row with the old key: another one may have taken it.
        referenced: Node,
    },
    /// They are deleted too.
    Delete(Box<DeletePlan>),
    /// Their key columns follow, become NULL, or take their defaults.
    Update(Box<UpdatePlan>),
}

/// `UPDATE`.
#[derive(Clone, Debug)]
pub struct UpdatePlan {
    /// What is changed.
    pub target: Target,
    /// Yields the rows to change; its scan of the target has `row` set. A row that comes several
    /// times (a join) is changed the first time only.
    pub input: Node,
    /// The column that names the row.
    pub row: ColId,
    /// The target's columns as the input yields them, by layout position: all of them.
    pub old_columns: Vec<ColId>,
    /// The columns that are set and their new values, by layout position; later entries may use
    /// [`RowEffects::new_columns`] of earlier ones only if they are computed columns.
    pub set: Vec<(usize, NewValue)>,
    /// Variables assigned on the way, in the order written: `@v = column = expr`.
    pub assign: Vec<(VarId, Expr)>,
    /// What must still hold when another transaction changed the row meanwhile and the newest
    /// version is looked at instead (READ COMMITTED): the statement's whole condition.
    pub recheck: Option<Pred>,
    /// What every changed row must satisfy, and what is done with it.
    pub effects: RowEffects,
}

/// `DELETE`.
#[derive(Clone, Debug)]
pub struct DeletePlan {
    /// What is changed.
    pub target: Target,
    /// As for [`UpdatePlan::input`].
    pub input: Node,
    /// The column that names the row.
    pub row: ColId,
    /// As for [`UpdatePlan::old_columns`]; only those that `effects` need, others may be missing.
    pub old_columns: Vec<(usize, ColId)>,
    /// As for [`UpdatePlan::recheck`].
    pub recheck: Option<Pred>,
    /// What is checked and done for each row.
    pub effects: RowEffects,
}

/// `MERGE`.
#[derive(Clone, Debug)]
pub struct MergePlan {
    /// What is changed.
    pub target: Target,
    /// Source and target joined (outer on the sides that the clauses need).
    pub input: Node,
    /// Names the target row, or, of a [`Target::Instead`], stands for it; NULL where only the
    /// source has a row.
    pub row: ColId,
    /// NULL exactly where only the target has a row.
    pub source_present: ColId,
    /// Of a [`Target::Instead`]: what a row of the input must be if a clause acts on its target
    /// row, which otherwise has been acted on (error 8672). Writes find that out by themselves.
    pub first: Option<Pred>,
    /// The target's columns as the input yields them, by layout position.
    pub old_columns: Vec<ColId>,
    /// When rows match, over the columns of both: for a row that another transaction has changed
    /// meanwhile.
    pub on: Pred,
    /// The `WHEN` clauses in order; the first that applies to a row is taken.
    pub clauses: Vec<MergeClause>,
    /// As for the other statements; `OUTPUT` may use `action`.
    pub effects: RowEffects,
    /// The column under which `OUTPUT` knows `$action`.
    pub action: Option<ColId>,
}

/// One `WHEN` of a `MERGE`.
#[derive(Clone, Debug)]
pub struct MergeClause {
    /// To which rows it applies.
    pub when: MergeWhen,
    /// `AND …`.
    pub condition: Option<Pred>,
    /// What is done.
    pub action: MergeAction,
}

/// What a `WHEN` does.
#[derive(Clone, Debug)]
pub enum MergeAction {
    /// Sets columns of the target row.
    Update(Vec<(usize, NewValue)>),
    /// Deletes the target row.
    Delete,
    /// Inserts a row, one value per column in layout order.
    Insert(Vec<NewValue>),
}

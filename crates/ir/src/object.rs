//! Descriptors of the objects that a unit works with: what is fixed about a cursor, a sorter, a
//! hash table when the unit is made. What changes while it runs is in `run::interp::objects`.

use std::sync::Arc;

use base::SqlType;
use engine::catalog::def::TableDef;

use crate::function::stream::StreamSource;
use crate::function::{AggregateFunction, CallTypes};
use crate::inst::{Reg, RegList};
use crate::key::KeyShape;
use crate::operator::TableVarId;
use crate::read::ReadOptions;

/// Names an object of a unit: its place in [`crate::Unit::objects`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjId(pub u16);

impl std::fmt::Debug for ObjId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// What an object is and what is fixed about it.
#[derive(Debug)]
pub enum ObjectDesc {
    /// A cursor over an engine table.
    Cursor(CursorDesc),
    /// A cursor over a local table.
    LocalCursor(LocalCursorDesc),
    /// A worktable: a local table that belongs to the unit.
    Work(WorkDesc),
    /// A sorter.
    Sort(SortDesc),
    /// A join's hash table.
    Hash(HashDesc),
    /// Groups and their aggregates.
    Groups(GroupsDesc),
    /// A set of values.
    Set(SetDesc),
    /// A window: sorted partitions and functions over them.
    Window(WindowDesc),
    /// Rows from outside of the databases.
    Stream(StreamDesc),
}

/// Rows from outside of the databases.
#[derive(Debug)]
pub struct StreamDesc {
    /// Where they come from.
    pub source: Arc<dyn StreamSource>,
    /// The layout of its rows: its place in [`crate::Unit::layouts`].
    pub layout: u16,
}

/// A cursor over an engine table.
#[derive(Debug)]
pub struct CursorDesc {
    /// Which table: its place in [`crate::Unit::tables`].
    pub table: u16,
    /// How rows are found.
    pub access: AccessDesc,
    /// Isolation level and locks asked for by hints.
    pub options: ReadOptions,
    /// What the rows are read for.
    pub purpose: ReadPurpose,
    /// Whether no instruction looks into the rows: all that counts is that they are there.
    pub unread: bool,
    /// Whether no instruction uses a row of it when the next is asked for, or when it is opened
    /// again: so rows are good for as long as the engine's cursor has them.
    pub fleeting: bool,
}

impl CursorDesc {
    /// Whether rows are read without more ado than their snapshot's, unless the session's level
    /// demands it.
    #[inline]
    pub fn reads_only(&self) -> bool {
        matches!(self.purpose, ReadPurpose::Query | ReadPurpose::Change)
            && !self.options.update_lock
            && !self.options.exclusive_lock
            && !self.options.table_lock
            && !self.options.read_past
            && !self.options.no_wait
            && !self.options.newest
    }

    /// Whether the cursor yields one row at most, the one with its key in a unique index.
    pub fn finds_one(&self, table: &TableDef) -> bool {
        matches!(self.access, AccessDesc::Seek { index, .. } if is_unique(table, index))
    }
}

/// Whether an index is unique; the one after those of the definition is that of hidden row numbers.
pub fn is_unique(table: &TableDef, index: usize) -> bool {
    table.indexes.get(index).is_none_or(|index| index.unique)
}

/// What the rows of a cursor are read for, which decides what a commit must find unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadPurpose {
    /// A query: the isolation level decides.
    Query,
    /// Rows that the same statement changes.
    Change,
    /// Rows that the same statement changes, or inserts others where it finds none.
    Merge,
    /// A foreign key requires the row that it finds to stay.
    MustStay,
    /// A foreign key requires that nothing is found, now and at commit.
    MustBeAbsent,
}

/// How rows are found; registers are of the index columns' types, and not NULL but in
/// [`AccessDesc::Key`].
#[derive(Clone, PartialEq, Debug)]
pub enum AccessDesc {
    /// All of them.
    Full {
        /// The index to go through while the rows are in memory, if it matters: neighbours in a
        /// hash index are far apart there, each after the one before, so an ordered one is faster.
        /// Rows that have sunk are read by the index that names them.
        index: Option<usize>,
    },
    /// All key columns of an index are given.
    Seek {
        /// The index's place in `TableDef::indexes`.
        index: usize,
        /// One register per key column.
        key: Box<[KeyPart]>,
    },
    /// All key columns of an index are given, and NULL is a value like others.
    Key {
        /// The index's place in `TableDef::indexes`.
        index: usize,
        /// One register per key column.
        key: Box<[KeyPart]>,
    },
    /// A range of an ordered index.
    Range {
        /// The index's place in `TableDef::indexes`.
        index: usize,
        /// Leading key columns.
        prefix: Box<[KeyPart]>,
        /// The column after them.
        next: NextColumn,
        /// The lower bound on it; whether it belongs to the range.
        lower: Option<(KeyPart, bool)>,
        /// The upper bound on it; whether it belongs to the range.
        upper: Option<(KeyPart, bool)>,
        /// From the end to the start.
        backward: bool,
    },
    /// What may match a `LIKE` pattern in the column after leading ones of an ordered index.
    Like {
        /// The index's place in `TableDef::indexes`.
        index: usize,
        /// Leading key columns.
        prefix: Box<[KeyPart]>,
        /// The pattern.
        pattern: KeyPart,
    },
}

/// The key column that bounds are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NextColumn {
    /// The index has its greatest values first.
    pub descending: bool,
    /// It can be NULL.
    pub nullable: bool,
}

impl AccessDesc {
    /// The registers that opening reads, with their types.
    pub fn parts(&self) -> impl Iterator<Item = KeyPart> + '_ {
        let (keys, lower, upper): (&[KeyPart], _, _) = match self {
            AccessDesc::Full { .. } => (&[], None, None),
            AccessDesc::Seek { key, .. } | AccessDesc::Key { key, .. } => (key, None, None),
            AccessDesc::Range { prefix, lower, upper, .. } => (prefix, *lower, *upper),
            AccessDesc::Like { prefix, pattern, .. } => (prefix, Some((*pattern, true)), None),
        };
        keys.iter().copied().chain(lower.map(|b| b.0)).chain(upper.map(|b| b.0))
    }
}

/// A cursor over a local table.
#[derive(Debug)]
pub struct LocalCursorDesc {
    /// Where its rows are.
    pub source: LocalSource,
    /// How they are found.
    pub access: AccessDesc,
}

/// A local table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalSource {
    /// A table variable or table-valued parameter of the frame.
    Variable(TableVarId),
    /// The `inserted` (true) or `deleted` rows that the frame's trigger is run for.
    Transition(bool),
    /// A worktable of the unit.
    Work(ObjId),
}

/// A worktable.
#[derive(Debug)]
pub struct WorkDesc {
    /// The layout of its rows: its place in [`crate::Unit::layouts`].
    pub layout: u16,
}

/// One key of an order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OrderKey {
    /// The register that holds it, NULL or not.
    pub reg: Reg,
    /// Its type.
    pub ty: SqlType,
    /// Largest first.
    pub descending: bool,
}

/// An order.
#[derive(Clone, Debug)]
pub struct Order {
    /// Its keys.
    pub keys: Box<[OrderKey]>,
    /// How they become bytes that compare as they do.
    pub shape: KeyShape,
}

impl Order {
    /// The order by these keys.
    pub fn new(keys: impl Into<Box<[OrderKey]>>) -> Order {
        let keys = keys.into();
        let shape = KeyShape::new(keys.iter().map(|k| (k.ty, k.descending)));
        Order { keys, shape }
    }

    /// No order.
    pub fn none() -> Order {
        Order::new([])
    }
}

/// A sorter.
#[derive(Debug)]
pub struct SortDesc {
    /// The order; rows that it makes equal keep the order in which they came.
    pub order: Order,
    /// The columns of a row.
    pub row: RegList,
    /// Their layout.
    pub layout: u16,
}

/// A key column of a hash table or set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyPart {
    /// The register that holds it.
    pub reg: Reg,
    /// Its type.
    pub ty: SqlType,
}

/// A join's hash table.
#[derive(Debug)]
pub struct HashDesc {
    /// The keys of a row that is added.
    pub build: Box<[KeyPart]>,
    /// The keys of a probe, of the same types.
    pub probe: Box<[KeyPart]>,
    /// How keys become bytes.
    pub shape: KeyShape,
    /// The columns of a row that is added.
    pub row: RegList,
    /// Their layout.
    pub layout: u16,
    /// The layout of a probe row that is put off.
    pub probe_layout: u16,
    /// Whether probe rows can be put off. Else all rows must find room in memory.
    pub spills: bool,
    /// Whether a probe row is done with when it has a match.
    pub matches_once: bool,
    /// Whether rows without a match are asked for.
    pub wants_unmatched: bool,
}

/// Groups.
#[derive(Debug)]
pub struct GroupsDesc {
    /// The types of the keys.
    pub keys: Box<[SqlType]>,
    /// How they become bytes.
    pub shape: KeyShape,
    /// The layout of the keys as a row.
    pub layout: u16,
    /// The aggregates.
    pub aggregates: Box<[AggregateDesc]>,
}

/// An aggregate of a group or window.
#[derive(Debug)]
pub struct AggregateDesc {
    /// Which.
    pub function: &'static AggregateFunction,
    /// The types of arguments and result.
    pub types: CallTypes,
    /// The registers of the arguments, NULL or not.
    pub args: RegList,
    /// Equal arguments count once: how they become bytes.
    pub distinct: Option<KeyShape>,
    /// The order in which rows are taken in; without keys it does not matter.
    pub order: Order,
}

/// A set of tuples of values.
#[derive(Debug)]
pub struct SetDesc {
    /// The types of the values.
    pub keys: Box<[SqlType]>,
    /// How they become bytes.
    pub shape: KeyShape,
    /// The layout of the values as a row.
    pub layout: u16,
}

/// A window.
#[derive(Debug)]
pub struct WindowDesc {
    /// Rows equal in these are one partition.
    pub partition: Order,
    /// The order within a partition.
    pub order: Order,
    /// The columns of a row: what survives, then the arguments of the functions.
    pub row: RegList,
    /// Their layout.
    pub layout: u16,
    /// The functions.
    pub functions: Box<[WindowFunctionDesc]>,
}

/// A window function; columns are counted in the window's row.
#[derive(Debug)]
pub struct WindowFunctionDesc {
    /// What it computes.
    pub kind: WindowOp,
    /// The type of the result.
    pub ty: SqlType,
}

/// What a window function computes.
#[derive(Debug)]
pub enum WindowOp {
    /// `ROW_NUMBER()`.
    RowNumber,
    /// `RANK()`.
    Rank,
    /// `DENSE_RANK()`.
    DenseRank,
    /// `NTILE(n)`, with n in this column.
    Ntile(u16),
    /// `PERCENT_RANK()`.
    PercentRank,
    /// `CUME_DIST()`.
    CumeDist,
    /// `LAG` and `LEAD`.
    Shift {
        /// The column that is fetched.
        value: u16,
        /// The column that says how many rows away.
        offset: u16,
        /// `LAG`.
        back: bool,
        /// Rows whose value is NULL do not count.
        ignore_nulls: bool,
        /// The column with the default.
        default: Option<u16>,
    },
    /// `FIRST_VALUE` and `LAST_VALUE`.
    Edge {
        /// The column that is fetched.
        value: u16,
        /// `LAST_VALUE`.
        last: bool,
        /// Rows whose value is NULL do not count.
        ignore_nulls: bool,
        /// Over which rows.
        frame: Frame,
    },
    /// `PERCENTILE_CONT` and `PERCENTILE_DISC`.
    Percentile {
        /// The column by which rows are ordered; rows without a value do not count.
        value: u16,
        /// The column that says which part of them comes before the result, from 0 to 1.
        fraction: u16,
        /// `PERCENTILE_CONT`: between two values, which are floats.
        interpolates: bool,
    },
    /// An aggregate.
    Aggregate {
        /// Which.
        function: &'static AggregateFunction,
        /// The types of arguments and result.
        types: CallTypes,
        /// The columns of the arguments.
        args: Box<[u16]>,
        /// Over which rows.
        frame: Frame,
    },
}

/// The rows around the current one that a window function looks at.
#[derive(Clone, Debug)]
pub struct Frame {
    /// `ROWS` instead of `RANGE`.
    pub rows: bool,
    /// Where it starts.
    pub start: FrameBound,
    /// Where it ends.
    pub end: FrameBound,
}

/// An end of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(u64),
    CurrentRow,
    Following(u64),
    UnboundedFollowing,
}

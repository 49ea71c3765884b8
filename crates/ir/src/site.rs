//! Sites: what an instruction refers to that is too wide to be part of it.

use std::ops::Range;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::types::{Classification, XmlCollectionName};
use base::{SqlResult, SqlType, Value};

use base::collation::like::LikePattern as Prepared;
use engine::catalog::def::TableDef;

use crate::function::rowset::Fill;
use crate::function::{CallTypes, Memo, ScalarFunction};
use crate::inst::{IntKind, Reg, RegList};
use crate::operator::{ArithOp, CastMode, TableVarId, VarId};
use crate::rowset::SystemRowset;
use crate::runs::Runs;

/// A constant that is not NULL.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// Its type.
    pub ty: SqlType,
    /// Its value.
    pub value: Value,
}

/// Arithmetic of other than plain integers and floats.
#[derive(Clone, PartialEq, Debug)]
pub struct ArithSite {
    /// The operator.
    pub op: ArithOp,
    /// The left operand's type.
    pub left: SqlType,
    /// The right operand's type.
    pub right: SqlType,
    /// The result's type.
    pub result: SqlType,
    /// Digits that the result has no place for are error 8115: `NUMERIC_ROUNDABORT` is on, and the
    /// rules of 38 digits have taken some of the scale.
    pub exact: bool,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `~`
    BitNot,
}

/// A unary operator on a type.
#[derive(Clone, PartialEq, Debug)]
pub struct UnarySite {
    /// The operator.
    pub op: UnaryOp,
    /// The operand's and result's type.
    pub ty: SqlType,
}

/// A comparison of two values of one type.
#[derive(Clone, PartialEq, Debug)]
pub struct CompareSite {
    /// The type; collation included.
    pub ty: SqlType,
}

/// A `LIKE`.
pub struct LikeSite {
    /// The type of the subject.
    pub ty: SqlType,
    /// The pattern, prepared once if it is constant.
    pub pattern: LikePattern,
}

/// The pattern of a `LIKE`.
pub enum LikePattern {
    /// Known when the unit is made.
    Constant(Prepared),
    /// In registers: the pattern (not NULL) and the escape character.
    Dynamic(Reg, Option<Reg>),
}

impl LikePattern {
    /// Prepares a constant pattern for subjects of a type; error 506 for a bad escape character.
    pub fn constant(
        subject: &SqlType,
        pattern: &Value,
        escape: Option<&Value>,
    ) -> SqlResult<LikePattern> {
        let escape = escape.map(Value::as_ref);
        Prepared::new(subject.collation, pattern.as_ref(), escape).map(LikePattern::Constant)
    }
}

impl std::fmt::Debug for LikeSite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.pattern {
            LikePattern::Constant(_) => write!(f, "constant pattern on {:?}", self.ty),
            LikePattern::Dynamic(pattern, escape) => write!(f, "pattern {pattern:?} {escape:?}"),
        }
    }
}

/// A conversion.
#[derive(Clone, PartialEq, Debug)]
pub struct CastSite {
    /// The operand's type.
    pub from: SqlType,
    /// The result's type.
    pub to: SqlType,
    /// What happens when the value does not fit.
    pub mode: CastMode,
    /// The style, an integer that is not NULL.
    pub style: Option<Reg>,
    /// For [`crate::Inst::CastInt`]: the width that is checked.
    pub int: IntKind,
    /// For [`crate::Inst::CastIntDecimal`]: 10 to the result's scale.
    pub factor: i128,
    /// For [`crate::Inst::CastIntDecimal`]: what the result's magnitude must stay below.
    pub bound: i128,
    /// Digits that would be rounded away are error 8115.
    pub exact: bool,
    /// The column that is assigned, for error 2628.
    pub column: Option<AssignedColumn>,
}

/// The column that a value is converted for.
#[derive(Clone, Debug)]
pub struct AssignedColumn {
    /// The database, if the table lives in one.
    pub database: Option<DbId>,
    /// Its table.
    pub table: Arc<TableDef>,
    /// Its name.
    pub name: Arc<str>,
}

impl PartialEq for AssignedColumn {
    fn eq(&self, other: &AssignedColumn) -> bool {
        self.database == other.database
            && Arc::ptr_eq(&self.table, &other.table)
            && self.name == other.name
    }
}

/// A concatenation.
#[derive(Clone, PartialEq, Debug)]
pub struct ConcatSite {
    /// The left operand's type.
    pub left: SqlType,
    /// The right operand's type.
    pub right: SqlType,
    /// The result's type.
    pub result: SqlType,
}

/// A call of a library function.
#[derive(Debug)]
pub struct CallSite {
    /// Which.
    pub function: &'static ScalarFunction,
    /// The arguments; not NULL if the function is strict.
    pub args: RegList,
    /// Their types and the result's.
    pub types: CallTypes,
    /// What the function keeps of constant arguments.
    pub memo: Memo,
}

/// A call of a user's function.
#[derive(Debug)]
pub struct UserCallSite {
    /// Which, in the unit's database.
    pub function: ObjectId,
    /// The arguments; `None` takes the default.
    pub args: Box<[Option<Reg>]>,
    /// The arguments' types; meaningless where there is none.
    pub types: Box<[SqlType]>,
    /// The result's type.
    pub result: SqlType,
}

/// A sequence.
#[derive(Debug)]
pub struct SequenceSite {
    /// Which, in the unit's database.
    pub sequence: ObjectId,
    /// The type of its values.
    pub ty: SqlType,
}

/// Where a variable-length column lies in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariablePlace {
    /// Where the column's own end offset is, from the start of the row.
    pub end_at: u32,
    /// Whether a column lies before it, whose end offset is its start.
    pub preceded: bool,
    /// Where the variable part starts.
    pub base: u32,
    /// Whether offsets take four bytes instead of two.
    pub wide: bool,
}

/// A row to be built.
#[derive(Clone, PartialEq, Debug)]
pub struct RowSite {
    /// Its layout: a place in [`crate::Unit::layouts`].
    pub layout: u16,
    /// One register per column, NULL or not.
    pub columns: RegList,
}

/// What fills a worktable.
#[derive(Debug)]
pub enum RowsetSite {
    /// A system view, about this database.
    System(DbId, SystemRowset),
    /// A table-valued function of the library.
    Function {
        /// Its name.
        name: &'static str,
        /// What makes the rows.
        fill: Fill,
        /// Its arguments, NULL or not.
        args: RegList,
        /// Their types.
        types: Box<[SqlType]>,
        /// What the function keeps of constant arguments.
        memo: Memo,
    },
    /// A user's multi-statement function.
    User {
        /// Which, in the unit's database.
        function: ObjectId,
        /// The arguments; `None` takes the default.
        args: Box<[Option<Reg>]>,
        /// Their types.
        types: Box<[SqlType]>,
    },
}

/// A result set.
#[derive(Clone, Debug)]
pub struct ResultSite {
    /// Its columns.
    pub columns: Box<[ResultColumn]>,
}

/// A column of a result set.
#[derive(Clone, Debug)]
pub struct ResultColumn {
    /// Its heading; empty when it has none.
    pub name: Arc<str>,
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// The base column that it shows unchanged, if any (identity and updatability flags, browse
    /// information).
    pub base: Option<BaseColumn>,
    /// The schemas that values of a type xml follow.
    pub schemas: Option<Arc<XmlCollectionName>>,
    /// The classifications of the columns that it is made of, if they have any.
    pub classified: Option<Arc<[Classification]>>,
}

/// The stored column behind a result column.
#[derive(Clone, Debug)]
pub struct BaseColumn {
    /// Its table.
    pub table: Arc<TableDef>,
    /// Its place in `TableDef::columns`.
    pub ordinal: usize,
}

/// Something that a unit changes.
#[derive(Clone, Debug)]
pub struct TargetSite {
    /// Where.
    pub table: TargetTable,
    /// A table variable's definition, for messages.
    pub definition: Option<Arc<TableDef>>,
    /// Unique indexes, by place in `TableDef::indexes`, whose duplicates are ignored.
    pub ignore_duplicates: Box<[usize]>,
    /// The unique index, by its place there, in which the code looks again for a row that it has
    /// not found before, if another transaction has inserted that meanwhile.
    pub looks_again: Option<usize>,
    /// The identity column, if there is one.
    pub identity: Option<IdentitySite>,
    /// The place in the layout of an identity column that gets explicit values, which the counter
    /// must not fall behind.
    pub explicit_identity: Option<usize>,
    /// Whether no update of this target changes the key of an index.
    pub keeps_keys: bool,
    /// Whether more changes than memory may take can go to a successor of the table's storage:
    /// nothing looks at rows that were changed before the statement is over.
    pub loads: bool,
    /// The layout of its rows: a place in [`crate::Unit::layouts`].
    pub layout: u16,
}

/// The identity column of a target.
#[derive(Clone, Copy, Debug)]
pub struct IdentitySite {
    /// Its type.
    pub ty: SqlType,
    /// The least and the greatest value of an integer type.
    pub range: Option<(i64, i64)>,
    /// The unique hash index whose key it is: as soon as the value is known, the memory where the
    /// row will be linked can be asked for.
    pub hash_index: Option<usize>,
}

/// Where rows are changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetTable {
    /// A place in [`crate::Unit::tables`].
    Table(u16),
    /// A table variable of the frame.
    Variable(TableVarId),
}

/// Rows that are kept for the triggers of a target.
#[derive(Clone, Debug)]
pub struct TransitionSite {
    /// The table, or the columns of a view.
    pub table: Arc<TableDef>,
    /// The database that it is in.
    pub database: Option<DbId>,
    /// The layout of the rows: its stored columns. A place in [`crate::Unit::layouts`].
    pub layout: u16,
    /// What is done to the table.
    pub kind: StatementKind,
    /// The triggers run in the place of the change.
    pub instead: bool,
    /// The columns that an `UPDATE` sets, by layout position, for triggers that ask.
    pub updated: Vec<usize>,
}

/// How a row can violate what its table demands. Names of databases and schemas are found when the
/// error is raised.
#[derive(Clone, Debug)]
pub struct Violation {
    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE`.
    pub statement: &'static str,
    /// The database, if the table lives in one.
    pub database: Option<DbId>,
    /// The table that is changed.
    pub table: Arc<TableDef>,
    /// What is violated.
    pub rule: Rule,
}

/// What a row violates.
#[derive(Clone, Debug)]
pub enum Rule {
    /// A column that cannot be NULL: error 515.
    NotNull(Arc<str>),
    /// A constraint: error 547.
    Constraint {
        /// `CHECK`, `FOREIGN KEY`, `REFERENCE` …
        kind: &'static str,
        /// Its name.
        name: Arc<str>,
        /// The table that the message names; `None` is the one that is changed.
        table: Option<Arc<str>>,
        /// The column that the message names.
        column: Option<Arc<str>>,
    },
    /// A rule that is bound to this column: error 513.
    Bound(Arc<str>),
    /// A view's `WITH CHECK OPTION`: error 550.
    CheckOption,
    /// A `BLOCK` predicate of a security policy: error 33504.
    BlockPredicate,
    /// The row's version begins after the transaction: error 13535.
    PeriodStart,
    /// An indexed view does not have the group that a row is taken from: error 8646.
    MissingGroup,
}

/// A call of another native module.
#[derive(Debug)]
pub struct ModuleCallSite {
    /// Which, in the unit's database.
    pub module: ObjectId,
    /// Its arguments.
    pub args: Box<[ModuleArg]>,
    /// Receives the return status.
    pub status: Option<VarId>,
}

/// An argument of a [`ModuleCallSite`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ModuleArg {
    /// The parameter's default.
    Default,
    /// A register, NULL or not, of this type.
    Value(Reg, SqlType),
    /// A variable, in and out.
    Output(VarId),
    /// A table variable, read only.
    Table(TableVarId),
}

/// A place where errors are caught: instructions `from..to` jump to `handler`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// The first protected instruction.
    pub from: u32,
    /// The first instruction that is not.
    pub to: u32,
    /// Where the `CATCH` block starts.
    pub handler: u32,
    /// How many atomic blocks enclose it.
    pub atomic_depth: u16,
}

/// A data statement of a native module.
#[derive(Debug)]
pub struct StatementSite {
    /// Its line in the module's text.
    pub line: u32,
    /// The bytes of that text that it is. Of expressions that are bracketed as statements are it is
    /// not known.
    pub place: Option<Range<u32>>,
    /// Its runs, if they are counted.
    pub runs: Runs,
    /// What it does, for row counts.
    pub kind: StatementKind,
    /// What it keeps for triggers: places in [`crate::Unit::transitions`].
    pub transitions: Box<[u16]>,
}

/// What a unit's statement does, as DONE tokens report it to clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StatementKind {
    Expression,
    Select,
    Assign,
    Insert,
    Update,
    Delete,
    Merge,
}

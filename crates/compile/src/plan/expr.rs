//! Bound expressions: names resolved, types decided, every conversion explicit.
//!
//! Scalars ([`Expr`]) and conditions ([`Pred`]) are different types, as in T-SQL: a condition has
//! three values and no type, and appears only where T-SQL allows one.
//!
//! # Invariants
//!
//! * E1: the operands of an operator have the types that the operator works on; the binder has
//!   inserted every [`ExprKind::Cast`]. Comparisons have one type on both sides. Decimal arithmetic
//!   is the exception: each operand keeps its own precision and scale.
//! * E2: `nullable == false` is a promise: the expression never evaluates to NULL.
//! * E3: a [`ColId`] is assigned by exactly one operator of the plan, and is used only above that
//!   operator or, for correlated parts, inside what is evaluated for each of its rows.

use base::{SqlType, Value};
use ir::function::{AggregateFunction, ScalarFunction};

use crate::plan::tree::Node;

pub use ir::operator::{ArithOp, CastMode, CompareOp, TableVarId, VarId};

/// A column of some operator's output, unique within a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ColId(pub u32);

/// A scalar expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// The type of the result.
    pub ty: SqlType,
    /// Whether the result may be NULL (E2).
    pub nullable: bool,
}

/// What a scalar expression computes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal, or an expression that was folded into one.
    Constant(Value),
    /// A column of a current row.
    Column(ColId),
    /// A variable or parameter of the module.
    Variable(VarId),
    /// A conversion to the expression's type.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// What happens when it does not fit or does not convert.
        mode: CastMode,
        /// `CONVERT`'s style, an integer expression.
        style: Option<Box<Expr>>,
    },
    /// A binary operator on numbers, dates (add and subtract) or bits.
    Arith {
        /// The operator.
        op: ArithOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// String or binary concatenation.
    Concat(Box<Expr>, Box<Expr>),
    /// Arithmetic negation.
    Negate(Box<Expr>),
    /// `~`.
    BitNot(Box<Expr>),
    /// The first branch whose condition is true, else `otherwise`, else NULL. `COALESCE`, `NULLIF`,
    /// `IIF` and `CHOOSE` are bound to this.
    Case {
        /// Conditions and results, in order; results have the expression's type.
        branches: Vec<(Pred, Expr)>,
        /// The `ELSE` result.
        otherwise: Option<Box<Expr>>,
    },
    /// A function of the library.
    Call {
        /// Which.
        function: &'static ScalarFunction,
        /// Its arguments, already of the types it asked for.
        args: Vec<Expr>,
    },
    /// A user's scalar function.
    UserFunction {
        /// Its object id, in the database that the plan was made for.
        function: base::ids::ObjectId,
        /// One argument per parameter, of the parameter's type; `None` takes the default.
        args: Vec<Option<Expr>>,
    },
    /// A scalar subquery: NULL without a row, error 512 with more than one.
    Subquery(Box<Subquery>),
    /// `NEXT VALUE FOR` a sequence; the same value for all of a row's references to it.
    NextValue(base::ids::ObjectId),
}

/// A condition: true, false or unknown.
#[derive(Clone, Debug)]
pub enum Pred {
    /// Always this; `None` is unknown.
    Const(Option<bool>),
    /// A comparison of two scalars of one type; strings by that type's collation.
    Compare(CompareOp, Expr, Expr),
    /// `IS NULL`; never unknown.
    IsNull(Expr),
    /// `IS NOT DISTINCT FROM`: equality that counts NULLs as equal; never unknown.
    NotDistinct(Expr, Expr),
    /// `LIKE`, by the subject's collation.
    Like {
        /// The string that is looked at.
        subject: Expr,
        /// The pattern, of the same representation.
        pattern: Expr,
        /// The escape character.
        escape: Option<Expr>,
    },
    /// `IN` a list of scalars, all of the subject's type.
    In(Expr, Vec<Expr>),
    /// `EXISTS`; never unknown.
    Exists(Box<Subquery>),
    /// `left op ANY (subquery)`, or `ALL`. `IN (subquery)` is `= ANY`.
    Quantified {
        /// The comparison.
        op: CompareOp,
        /// `ALL` instead of `ANY`.
        all: bool,
        /// The left side, of the type of the subquery's column.
        left: Expr,
        /// The right side.
        subquery: Box<Subquery>,
    },
    /// All of them.
    And(Vec<Pred>),
    /// One of them.
    Or(Vec<Pred>),
    /// Negation; unknown stays unknown.
    Not(Box<Pred>),
    /// A bit in a register: `UPDATE(column)` in a trigger, an outer join's match flag.
    Bit(Expr),
}

/// A plan evaluated inside an expression, once for each row that the expression is evaluated for.
#[derive(Clone, Debug)]
pub struct Subquery {
    /// The operators.
    pub plan: Node,
    /// The output column that counts (any one for `EXISTS`).
    pub column: ColId,
    /// Whether it refers to columns from outside; if not, it is evaluated once per statement.
    pub correlated: bool,
    /// As the query of an `EXISTS`: other conditions imply that there is a row. It is there for an
    /// index that finds rows by it, and is left out where that does not pay.
    pub implied: bool,
}

/// An aggregate over the rows of a group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// Which.
    pub function: &'static AggregateFunction,
    /// Its arguments; none for `COUNT(*)`.
    pub args: Vec<Expr>,
    /// `DISTINCT` arguments only.
    pub distinct: bool,
    /// `WITHIN GROUP (ORDER BY …)`.
    pub order: Vec<SortKey>,
    /// The type of the result.
    pub ty: SqlType,
}

/// One key of an order.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// What is compared.
    pub expr: Expr,
    /// Largest first; NULL is smallest.
    pub descending: bool,
}

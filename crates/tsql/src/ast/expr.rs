//! Scalar expressions and conditions.

use std::sync::Arc;

use super::{DataType, Ident, ObjectName, OrderItem, Query, Span};

/// A scalar expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it stands, without enclosing parentheses.
    pub span: Span,
    /// What it computes.
    pub kind: ExprKind,
}

/// What a scalar expression computes.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Literal(Literal),
    /// `@a`; also `@@rowcount`, unless a variable of that name is declared.
    Variable(Arc<str>),
    /// A column, or what else a bare word may mean: a date part, a word for `PRINT` to refuse.
    Column(ColumnRef),
    /// `$identity` and the like.
    PseudoColumn {
        /// The table or alias before the dot.
        qualifier: Option<Box<ObjectName>>,
        /// Which.
        column: PseudoColumn,
    },
    /// `+a`, `-a`, `~a`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it is applied to. `-` reaches over `*`, `/` and `%`: `-a * b` is `-(a * b)`.
        operand: Box<Expr>,
    },
    /// `a + b - c`: operators of one precedence, from left to right, `((a + b) - c)`.
    Chain {
        /// The leftmost operand.
        first: Box<Expr>,
        /// Each operator with its right operand; never empty.
        rest: Vec<(BinaryOp, Expr)>,
    },
    /// `a COLLATE name`.
    Collate {
        /// A string.
        operand: Box<Expr>,
        /// The collation, or `database_default`, `catalog_default`.
        collation: Ident,
    },
    /// `a AT TIME ZONE b`.
    AtTimeZone {
        /// A date and time.
        operand: Box<Expr>,
        /// The zone's name.
        zone: Box<Expr>,
    },
    /// `CASE … END`.
    Case(Box<Case>),
    /// `CAST`, `CONVERT` and the like.
    Cast(Box<Cast>),
    /// A function of the library or of a user; also a method of a column, which looks like a
    /// function in a schema. A property of a column looks like a column of a table.
    Call(Box<FunctionCall>),
    /// A method or property of a value.
    Method(Box<MethodCall>),
    /// A method or property of a type.
    StaticMember(Box<StaticMember>),
    /// A function that is called without parentheses.
    Niladic(Niladic),
    /// `(SELECT …)`.
    Subquery(Box<Query>),
    /// `NEXT VALUE FOR sequence`.
    NextValue(Box<NextValue>),
    /// `{d '…'}`, `{t '…'}`, `{ts '…'}`, `{guid '…'}`.
    Odbc(OdbcKind, Box<str>),
    /// `IDENTITY(type, seed, increment)`, only in `SELECT … INTO`.
    IdentityFunction(Box<IdentityFunction>),
}

/// A constant as written. Types follow from the text, see `base::types::literal`.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// `NULL`.
    Null,
    /// Digits that fit an `int`. Only the smallest one is negative; other signs are operators.
    Integer(i32),
    /// Digits with a point, or too many of them for an `int`.
    Numeric(Box<str>),
    /// Digits with an exponent.
    Float(Box<str>),
    /// A sign of currency and digits; the text is without the sign, and empty for a lone `$`.
    Money(Box<str>),
    /// `'…'`, unescaped.
    String(Arc<str>),
    /// `N'…'`, unescaped.
    National(Arc<str>),
    /// `0x…`; an odd number of digits is padded in front.
    Binary(Arc<[u8]>),
}

/// A reference to a column.
#[derive(Clone, Debug)]
pub struct ColumnRef {
    /// What stands before the last dot: an alias or a table.
    pub qualifier: Option<Box<ObjectName>>,
    /// The last part.
    pub column: Ident,
}

/// Columns that are named by their role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PseudoColumn {
    /// `$identity`, `IDENTITYCOL`.
    Identity,
    /// `$rowguid`, `ROWGUIDCOL`.
    RowGuid,
    /// `$action`, in the `OUTPUT` of a `MERGE`.
    Action,
    /// `$row_number`: what tells the rows of a table without a unique key apart.
    RowNumber,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `~`.
    BitNot,
}

/// Operators with two operands and a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`: a sum, or a concatenation.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
}

/// `CASE`.
#[derive(Clone, Debug)]
pub struct Case {
    /// The branches; never empty.
    pub branches: CaseBranches,
    /// `ELSE`.
    pub otherwise: Option<Expr>,
}

/// The two forms of `CASE`.
#[derive(Clone, Debug)]
pub enum CaseBranches {
    /// `CASE a WHEN b THEN c …`.
    Simple {
        /// What is compared.
        input: Expr,
        /// Values and results.
        branches: Vec<(Expr, Expr)>,
    },
    /// `CASE WHEN a = b THEN c …`: conditions and results.
    Searched(Vec<(Condition, Expr)>),
}

/// An explicit conversion.
#[derive(Clone, Debug)]
pub struct Cast {
    /// How it is written.
    pub kind: CastKind,
    /// NULL instead of an error: `TRY_CAST`, `TRY_CONVERT`, `TRY_PARSE`.
    pub is_try: bool,
    /// What is converted.
    pub operand: Expr,
    /// To what.
    pub ty: DataType,
    /// `CONVERT`'s style or `PARSE`'s culture.
    pub style: Option<Expr>,
}

/// The ways to write a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CastKind {
    /// `CAST(a AS t)`.
    Cast,
    /// `CONVERT(t, a, style)`.
    Convert,
    /// `PARSE(a AS t USING culture)`.
    Parse,
}

/// A call of a function, aggregate or window function.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// Its name.
    pub name: ObjectName,
    /// Written as `{fn name()}`, where some functions of the library have other names.
    pub odbc: bool,
    /// What it is called with.
    pub arguments: Arguments,
    /// `RETURNING type` behind the arguments.
    pub returning: Option<Box<DataType>>,
    /// `IGNORE NULLS` (true) or `RESPECT NULLS` (false).
    pub ignore_nulls: Option<bool>,
    /// `WITHIN GROUP (ORDER BY …)`; empty when absent.
    pub within_group: Vec<OrderItem>,
    /// `OVER`.
    pub over: Option<Box<Over>>,
}

/// `operand.name(arguments)`, `operand.name`.
#[derive(Clone, Debug)]
pub struct MethodCall {
    /// The value.
    pub operand: Expr,
    /// The method or property.
    pub name: Ident,
    /// What a method is called with; `None` for a property, unless that is assigned a value.
    pub arguments: Option<Vec<Expr>>,
    /// What it does with its operand.
    pub usage: MemberUse,
}

/// What a method or property does with its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberUse {
    /// It has a value.
    Read,
    /// It stands as a statement or an assignment of its own and changes its operand:
    /// `SET @x.modify(…)`.
    Mutate,
    /// The property is assigned its only argument: `SET @g.STSrid = 4326`.
    Assign,
}

/// `type::name(arguments)`, `type::name`.
#[derive(Clone, Debug)]
pub struct StaticMember {
    /// The type.
    pub ty: ObjectName,
    /// The method or property.
    pub name: Ident,
    /// What a method is called with; `None` for a property.
    pub arguments: Option<Vec<Expr>>,
}

/// What a function is called with.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// `(*)`.
    Star,
    /// `(a, b)`, `(ALL a)`, `(DISTINCT a)`.
    List {
        /// `DISTINCT`.
        distinct: bool,
        /// The arguments in order.
        items: Vec<Argument>,
    },
    /// `TRIM(x FROM y)`, `TRIM(LEADING x FROM y)`, `TRIM(LEADING y)`.
    Trim {
        /// Which end; both when missing.
        side: Option<TrimSide>,
        /// What is cut off; blanks when missing.
        characters: Option<Box<Expr>>,
        /// What it is cut from.
        source: Box<Expr>,
    },
    /// What `JSON_OBJECT`, `JSON_ARRAY` and their aggregates take.
    Json(Box<JsonArguments>),
}

/// `(a : b, c : d NULL ON NULL)`, `(a, b ABSENT ON NULL)`, `(a ORDER BY b)`.
#[derive(Clone, Debug)]
pub struct JsonArguments {
    /// The properties or elements in order.
    pub members: Vec<JsonMember>,
    /// `ORDER BY`; empty when absent.
    pub order_by: Vec<OrderItem>,
    /// `NULL ON NULL` (true) or `ABSENT ON NULL` (false).
    pub keeps_nulls: Option<bool>,
}

/// A property or an element of what such a function makes.
#[derive(Clone, Debug)]
pub struct JsonMember {
    /// The name of a property.
    pub key: Option<Expr>,
    /// The value.
    pub value: Expr,
}

/// One argument of a function.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value.
    Expr(Expr),
    /// `DEFAULT`.
    Default(Span),
}

/// Which end `TRIM` cuts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TrimSide {
    Leading,
    Trailing,
    Both,
}

/// Functions that are called without parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Niladic {
    CurrentTimestamp,
    CurrentDate,
    CurrentUser,
    SessionUser,
    SystemUser,
    User,
}

/// `NEXT VALUE FOR`.
#[derive(Clone, Debug)]
pub struct NextValue {
    /// The sequence.
    pub sequence: ObjectName,
    /// `OVER (ORDER BY …)`; empty when absent.
    pub over: Vec<OrderItem>,
}

/// What an ODBC escape of a constant stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OdbcKind {
    /// `{d '…'}`: a datetime without time.
    Date,
    /// `{t '…'}`: a datetime of today.
    Time,
    /// `{ts '…'}`: a datetime.
    Timestamp,
    /// `{guid '…'}`: a uniqueidentifier.
    Guid,
}

/// `IDENTITY(type, seed, increment)`.
#[derive(Clone, Debug)]
pub struct IdentityFunction {
    /// The column's type.
    pub ty: DataType,
    /// Seed and increment; 1 and 1 when missing.
    pub values: Option<IdentityValues<Expr>>,
}

/// Where the values of an identity column begin, and how far they are apart.
#[derive(Clone, Debug)]
pub struct IdentityValues<T> {
    /// The seed.
    pub seed: T,
    /// The increment.
    pub increment: T,
}

/// `OVER (…)`, or `OVER name`.
#[derive(Clone, Debug)]
pub struct Over {
    /// Where it stands.
    pub span: Span,
    /// A window of the `WINDOW` clause that this is, or that it refines.
    pub base: Option<Ident>,
    /// `PARTITION BY`.
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`.
    pub order_by: Vec<OrderItem>,
    /// `ROWS` or `RANGE`.
    pub frame: Option<Frame>,
}

/// The rows around the current one that a window function looks at.
#[derive(Clone, Debug)]
pub struct Frame {
    /// `ROWS` instead of `RANGE`.
    pub rows: bool,
    /// Where it starts.
    pub start: FrameBound,
    /// Where it ends; the current row when only a start is written.
    pub end: FrameBound,
}

/// An end of a frame.
#[derive(Clone, Debug)]
pub enum FrameBound {
    /// `UNBOUNDED PRECEDING`.
    UnboundedPreceding,
    /// `n PRECEDING`.
    Preceding(u64),
    /// `CURRENT ROW`.
    CurrentRow,
    /// `n FOLLOWING`.
    Following(u64),
    /// `UNBOUNDED FOLLOWING`.
    UnboundedFollowing,
}

/// A condition: true, false or unknown.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Where it stands, without enclosing parentheses.
    pub span: Span,
    /// What it asks.
    pub kind: ConditionKind,
}

/// What a condition asks.
#[derive(Clone, Debug)]
pub enum ConditionKind {
    /// All hold; at least two. Parenthesised conjunctions inside stay nodes of their own.
    And(Vec<Condition>),
    /// At least one holds; at least two.
    Or(Vec<Condition>),
    /// `NOT`.
    Not(Box<Condition>),
    /// `a = b`.
    Compare {
        /// The operator.
        op: CompareOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `a = ANY (SELECT …)`, `a < ALL (SELECT …)`.
    Quantified {
        /// The operator.
        op: CompareOp,
        /// The left operand.
        left: Box<Expr>,
        /// `ALL` instead of `ANY` or `SOME`.
        all: bool,
        /// The rows on the right.
        query: Box<Query>,
    },
    /// `a IS [NOT] NULL`.
    IsNull {
        /// What is looked at.
        operand: Box<Expr>,
        /// `NOT`.
        negated: bool,
    },
    /// `a IS [NOT] DISTINCT FROM b`.
    IsDistinct {
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
        /// `NOT`: equal, or both NULL.
        negated: bool,
    },
    /// `a [NOT] BETWEEN b AND c`.
    Between {
        /// What is looked at.
        operand: Box<Expr>,
        /// The lower bound.
        low: Box<Expr>,
        /// The upper bound.
        high: Box<Expr>,
        /// `NOT`.
        negated: bool,
    },
    /// `a [NOT] LIKE b ESCAPE c`.
    Like {
        /// What is looked at.
        operand: Box<Expr>,
        /// The pattern.
        pattern: Box<Expr>,
        /// The character that makes the next one ordinary.
        escape: Option<Box<Expr>>,
        /// `NOT`.
        negated: bool,
    },
    /// `a [NOT] IN (b, c)`.
    InList {
        /// What is looked at.
        operand: Box<Expr>,
        /// The values; never empty.
        list: Vec<Expr>,
        /// `NOT`.
        negated: bool,
    },
    /// `a [NOT] IN (SELECT …)`.
    InQuery {
        /// What is looked at.
        operand: Box<Expr>,
        /// The rows.
        query: Box<Query>,
        /// `NOT`.
        negated: bool,
    },
    /// `EXISTS (SELECT …)`.
    Exists(Box<Query>),
    /// `UPDATE(column)`, in a trigger.
    UpdatedColumn(Ident),
    /// `CONTAINS(…)` or `FREETEXT(…)`.
    FullText(Box<FullText>),
}

/// A full-text predicate.
#[derive(Clone, Debug)]
pub struct FullText {
    /// `FREETEXT` instead of `CONTAINS`.
    pub free_text: bool,
    /// The columns; empty for `*`.
    pub columns: Vec<ColumnRef>,
    /// The search condition.
    pub search: Expr,
    /// `LANGUAGE`.
    pub language: Option<Expr>,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    /// `=`.
    Equal,
    /// `<>`, `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`, `!>`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`, `!<`.
    GreaterOrEqual,
}

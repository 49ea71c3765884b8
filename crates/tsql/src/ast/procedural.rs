//! Control flow, variables, messages and calls.

use super::{
    AssignOp, Condition, DataType, Expr, Ident, Literal, ObjectName, Span, Statement,
    TableDefinition, Variable,
};

/// `BEGIN ATOMIC WITH (…) … END`.
#[derive(Clone, Debug)]
pub struct AtomicBlock {
    /// The options in order.
    pub options: Vec<AtomicOption>,
    /// The statements in order.
    pub statements: Vec<Statement>,
}

/// An option of an atomic block.
#[derive(Clone, Debug)]
pub struct AtomicOption {
    /// Where it stands.
    pub span: Span,
    /// Which.
    pub kind: AtomicOptionKind,
}

/// The options of an atomic block.
#[derive(Clone, Debug)]
pub enum AtomicOptionKind {
    /// `TRANSACTION ISOLATION LEVEL = SNAPSHOT`.
    Isolation(super::IsolationLevel),
    /// `LANGUAGE = N'us_english'`.
    Language(Box<str>),
    /// `DATEFIRST = n`.
    DateFirst(Box<str>),
    /// `DATEFORMAT = mdy`.
    DateFormat(Box<str>),
    /// `DELAYED_DURABILITY = ON`.
    DelayedDurability(bool),
}

/// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
#[derive(Clone, Debug)]
pub struct TryCatch {
    /// What is tried.
    pub body: Vec<Statement>,
    /// What happens after an error.
    pub handler: Vec<Statement>,
    /// `END TRY BEGIN CATCH`: where control is while the handler has not begun.
    pub catch: Span,
}

/// `IF`.
#[derive(Clone, Debug)]
pub struct If {
    /// `IF` and every `ELSE IF`, in order; never empty.
    pub branches: Vec<IfBranch>,
    /// `ELSE`.
    pub otherwise: Option<Statement>,
}

/// `IF condition statement`.
#[derive(Clone, Debug)]
pub struct IfBranch {
    /// From `IF` to the end of the condition; errors of the condition report its line.
    pub span: Span,
    /// The condition.
    pub condition: Condition,
    /// What is done when it is true.
    pub body: Statement,
}

/// `WHILE`.
#[derive(Clone, Debug)]
pub struct While {
    /// The condition.
    pub condition: Condition,
    /// What is repeated.
    pub body: Statement,
}

/// `THROW number, message, state`: each a constant or variable.
#[derive(Clone, Debug)]
pub struct Throw {
    /// From 50000.
    pub number: Expr,
    /// The text.
    pub message: Expr,
    /// 0 to 255.
    pub state: Expr,
}

/// `RAISERROR (message, severity, state, arguments …) WITH options`.
#[derive(Clone, Debug)]
pub struct RaiseError {
    /// A number of `sys.messages`, a text, or a variable with either.
    pub message: Expr,
    /// 0 to 25.
    pub severity: Expr,
    /// 0 to 255.
    pub state: Expr,
    /// What the text's placeholders stand for.
    pub arguments: Vec<Expr>,
    /// `WITH LOG`.
    pub log: bool,
    /// `WITH NOWAIT`.
    pub no_wait: bool,
    /// `WITH SETERROR`.
    pub set_error: bool,
}

/// `WAITFOR`.
#[derive(Clone, Debug)]
pub struct WaitFor {
    /// `TIME` instead of `DELAY`.
    pub until: bool,
    /// A string constant or a variable.
    pub time: Expr,
}

/// `DECLARE` of one variable.
#[derive(Clone, Debug)]
pub struct VariableDeclaration {
    /// Where it stands.
    pub span: Span,
    /// The name with its `@`.
    pub name: Variable,
    /// What is declared.
    pub kind: VariableKind,
}

/// What a variable is.
#[derive(Clone, Debug)]
pub enum VariableKind {
    /// A scalar, or a table if its type turns out to be a table type.
    Scalar {
        /// The type.
        ty: DataType,
        /// `NULL` or `NOT NULL`, which natively compiled modules may say.
        nullable: Option<bool>,
        /// The first value.
        value: Option<Expr>,
    },
    /// `TABLE (…)`.
    Table(Box<TableDefinition>),
    /// `CURSOR`.
    Cursor,
}

/// `SET @v = a`, `SET @v += a`.
#[derive(Clone, Debug)]
pub struct SetVariable {
    /// The variable.
    pub variable: Variable,
    /// How it is assigned.
    pub op: AssignOp,
    /// The new value or the operand. A bare name may be a cursor's, when the variable is one.
    pub value: Expr,
}

/// `EXEC`.
#[derive(Clone, Debug)]
pub struct Execute {
    /// `@status =`.
    pub status: Option<Variable>,
    /// What is executed.
    pub target: ExecuteTarget,
    /// `WITH RECOMPILE`.
    pub recompile: bool,
    /// `WITH RESULT SETS`.
    pub result_sets: Option<ResultSets>,
}

/// What `EXEC` executes.
#[derive(Clone, Debug)]
pub enum ExecuteTarget {
    /// A procedure, or a scalar function.
    Procedure {
        /// Its name.
        name: ProcedureName,
        /// The arguments in order.
        arguments: Vec<ExecuteArgument>,
    },
    /// `EXEC (text, arguments …)`.
    Text {
        /// String constants and variables that are put together; never empty.
        pieces: Vec<Expr>,
        /// What the text's `?` stand for, with `AT`; each with whether it is `OUTPUT`.
        arguments: Vec<ExecuteArgument>,
        /// `AS`.
        principal: Option<TextPrincipal>,
        /// `AT linked_server`.
        server: Option<Ident>,
    },
}

/// The login or user as which a text runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextPrincipal {
    /// `AS LOGIN = 'name'`.
    Login(Box<str>),
    /// `AS USER = 'name'`.
    User(Box<str>),
}

/// How a procedure is named.
#[derive(Clone, Debug)]
pub enum ProcedureName {
    /// By its name, with the number of `name;number`.
    Name(Box<ObjectName>, Option<i32>),
    /// By a variable that holds its name.
    Variable(Variable),
}

/// An argument of `EXEC`.
#[derive(Clone, Debug)]
pub struct ExecuteArgument {
    /// Where it stands.
    pub span: Span,
    /// `@name =`.
    pub name: Option<Variable>,
    /// What is passed.
    pub value: ArgumentValue,
    /// `OUTPUT`.
    pub output: bool,
}

/// What is passed to a procedure, or is a parameter's default.
#[derive(Clone, Debug)]
pub enum ArgumentValue {
    /// A constant, perhaps with a sign.
    Constant {
        /// Its value, without the sign.
        value: Literal,
        /// `-`.
        negative: bool,
        /// Where it stands.
        span: Span,
    },
    /// A variable, or `@@something`.
    Variable(Variable),
    /// A bare word, which stands for itself as a string.
    Word(Ident),
    /// `DEFAULT`.
    Default(Span),
    /// `{d '…'}` and the like.
    Odbc(super::OdbcKind, Box<str>, Span),
}

/// `WITH RESULT SETS`.
#[derive(Clone, Debug)]
pub enum ResultSets {
    /// `UNDEFINED`.
    Undefined,
    /// `NONE`.
    None,
    /// `((…), (…))`.
    Sets(Vec<ResultSet>),
}

/// One entry of `WITH RESULT SETS`.
#[derive(Clone, Debug)]
pub enum ResultSet {
    /// `(name type COLLATE c NULL, …)`.
    Columns(Vec<ResultColumn>),
    /// `AS OBJECT table`.
    Object(ObjectName),
    /// `AS TYPE table_type`.
    Type(ObjectName),
    /// `AS FOR XML`.
    ForXml,
}

/// A column of an entry of `WITH RESULT SETS`.
#[derive(Clone, Debug)]
pub struct ResultColumn {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: DataType,
    /// `COLLATE`.
    pub collation: Option<Ident>,
    /// `NULL` or `NOT NULL`.
    pub nullable: Option<bool>,
}

//! Bound bodies of natively compiled modules: everything is bound when the module is created, and
//! the whole body becomes one IR unit.

use std::sync::Arc;

use base::ids::ObjectId;
use base::{SqlError, SqlType};
use ir::operator::{TableVarId, VarId};
use ir::read::Isolation;
use tsql::ast::Span;

use crate::plan::expr::{Expr, Pred};
use crate::plan::tree::Plan;

/// A natively compiled procedure, function or trigger.
#[derive(Clone, Debug)]
pub struct NativeModule {
    /// The scalar variables of the frame, parameters first.
    pub variables: Vec<SqlType>,
    /// The body.
    pub body: Vec<NativeStatement>,
    /// `TRANSACTION ISOLATION LEVEL` of the atomic block.
    pub isolation: Isolation,
    /// The atomic block's `DELAYED_DURABILITY`.
    pub delayed_durability: bool,
}

/// One statement with its line.
#[derive(Clone, Debug)]
pub struct NativeStatement {
    /// The line in the module's text, for errors.
    pub line: u32,
    /// What it does.
    pub kind: NativeKind,
}

/// What a statement of a natively compiled module does.
#[derive(Clone, Debug)]
pub enum NativeKind {
    /// `SET @v = …`, initialisers, compound assignment.
    Assign(VarId, Expr),
    /// As `Assign`, for a variable that refuses NULL, with the error for that.
    AssignNotNull(VarId, Expr, SqlError),
    /// Raises an error if one of these variables is NULL.
    RefuseNull(Vec<(VarId, SqlType, SqlError)>),
    /// `IF … ELSE IF … ELSE …`: the branches in order, and what is done if none is taken.
    If(Vec<NativeBranch>, Vec<NativeStatement>),
    /// `WHILE`.
    While(Pred, Vec<NativeStatement>),
    /// `BREAK`.
    Break,
    /// `CONTINUE`.
    Continue,
    /// `RETURN`, in a function with its value.
    Return(Option<Expr>),
    /// A data statement, and where it stands in the module's text.
    Data(Box<Plan>, Span),
    /// `EXEC` of another natively compiled procedure.
    Call {
        /// Which.
        module: ObjectId,
        /// One per parameter.
        args: Vec<CallArg>,
        /// Receives the return status.
        status: Option<VarId>,
    },
    /// `BEGIN TRY … END TRY BEGIN CATCH … END CATCH`.
    TryCatch(Vec<NativeStatement>, Vec<NativeStatement>),
    /// `THROW` with number, message and state, or a rethrow.
    Throw(Option<Box<(Expr, Expr, Expr)>>),
    /// A nested atomic block: a savepoint.
    Atomic(Vec<NativeStatement>),
}

/// A branch of an `IF`.
#[derive(Clone, Debug)]
pub struct NativeBranch {
    /// The line of its `IF`.
    pub line: u32,
    /// When it is taken.
    pub condition: Pred,
    /// What it does.
    pub body: Vec<NativeStatement>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum CallArg {
    /// The parameter's default.
    Default,
    /// A value of the parameter's type.
    Value(Expr),
    /// A value in, and the parameter's value back into the variable.
    Output(VarId),
    /// A table variable, read only.
    Table(TableVarId),
}

/// A module that is compiled natively is replaced as a whole when what it depends on changes.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// Objects by id, with the version of the schema at which they were bound.
    pub objects: Vec<(ObjectId, u64)>,
    /// The names by which they were found, to see whether they would be found again.
    pub names: Vec<Arc<str>>,
}

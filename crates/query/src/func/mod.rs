//! The library of functions: what they are called, which types they take and give, how they are
//! evaluated.
//!
//! The binder asks a descriptor for types; the interpreter calls its evaluation with values that
//! already have the types that the descriptor asked for.

use base::arena::Arena;
use base::{SqlResult, SqlType, Value, ValueRef};

/// A scalar function of the library.
pub struct ScalarFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// What happens when an argument is NULL.
    pub nulls: NullBehaviour,
    /// When it must be evaluated anew.
    pub volatility: Volatility,
    /// Decides the types, or says what is wrong with the arguments.
    pub infer: fn(&[ArgType<'_>]) -> SqlResult<Inferred>,
    /// Computes the result. Values live in the context's arena, in the arguments, or for ever.
    pub eval: for<'a> fn(&mut FnContext<'a>, &[ValueRef<'a>], &CallTypes) -> SqlResult<ValueRef<'a>>,
}

/// What happens when an argument is NULL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NullBehaviour {
    /// The result is NULL; the function is not called.
    Strict,
    /// The function decides.
    Own,
}

/// When a function must be evaluated anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Volatility {
    /// Equal arguments give equal results.
    Deterministic,
    /// Once per statement: `GETDATE()`, `@@ROWCOUNT`.
    RuntimeConstant,
    /// For every row: `NEWID()`.
    Volatile,
}

/// What the binder knows about an argument.
#[derive(Clone, Copy, Debug)]
pub struct ArgType<'a> {
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Its value, if it is a literal.
    pub constant: Option<&'a Value>,
}

/// The types of a call.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The type of the result.
    pub ty: SqlType,
    /// Whether the result may be NULL.
    pub nullable: bool,
    /// What each argument is converted to.
    pub args: Vec<SqlType>,
}

/// The types of a bound call, for evaluation.
#[derive(Clone, Debug)]
pub struct CallTypes {
    /// The type of each argument.
    pub args: Box<[SqlType]>,
    /// The type of the result.
    pub result: SqlType,
}

/// What a function may use while it is evaluated.
pub struct FnContext<'a> {
    /// Where results are made.
    pub arena: &'a Arena,
    /// What it may ask about the session.
    pub facts: &'a dyn SessionFacts,
}

/// What functions may ask about the session and its surroundings.
pub trait SessionFacts {}

/// An aggregate function of the library.
pub struct AggregateFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// Decides the types, or says what is wrong with the arguments.
    pub infer: fn(&[ArgType<'_>]) -> SqlResult<Inferred>,
    /// The state before the first value.
    pub init: fn(&CallTypes) -> AggregateState,
    /// Takes in one row's arguments.
    pub add: fn(&mut AggregateState, &[ValueRef<'_>], &CallTypes) -> SqlResult<()>,
    /// Takes one row's arguments out again, where that is possible.
    pub remove: Option<fn(&mut AggregateState, &[ValueRef<'_>], &CallTypes) -> SqlResult<()>>,
    /// The result over what was taken in.
    pub finish: for<'a> fn(&AggregateState, &CallTypes, &'a Arena) -> SqlResult<ValueRef<'a>>,
}

/// What an aggregate remembers of one group.
#[derive(Clone, Debug, Default)]
pub enum AggregateState {
    /// Nothing yet.
    #[default]
    Empty,
    /// A count.
    Count(i64),
    /// A sum and how many values are in it.
    Sum(i128, i64),
    /// A value.
    Value(Value),
}

/// A table-valued function of the library.
pub struct RowsetFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// The names and types of its columns.
    pub columns: &'static [(&'static str, SqlType)],
}

macro_rules! debug_by_name {
    ($($ty:ty),*) => {$(
        impl std::fmt::Debug for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name)
            }
        }
    )*};
}

debug_by_name!(ScalarFunction, AggregateFunction, RowsetFunction);

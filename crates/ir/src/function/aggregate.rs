//! What is known of an aggregate before it is called, and how its parts are called.

use std::fmt;

use base::{Arena, SqlResult, ValueRef};

use super::descriptor::{ArgType, CallTypes, Inferred, Typing, Volatility, check_count};
use super::signature::Call;
use super::state::AggregateState;

/// Takes in one row's arguments, or takes them out again.
pub type Step = fn(&mut AggregateState, &[ValueRef<'_>], &CallTypes) -> SqlResult<()>;

/// Takes in what another state has taken in.
pub type Merge = fn(&mut AggregateState, &AggregateState, &CallTypes) -> SqlResult<()>;

/// The result over what was taken in.
pub type Finish = for<'a> fn(&AggregateState, &CallTypes, &'a Arena) -> SqlResult<ValueRef<'a>>;

/// An aggregate function of the library.
pub struct AggregateFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// The least and the most arguments that it takes; `*` counts as none.
    pub arguments: (u8, u8),
    /// Whether it may have `OVER`: error 4113 if not.
    pub windowed: bool,
    /// Whether it may have `WITHIN GROUP`.
    pub ordered: bool,
    /// Whether equal values change nothing, so that `DISTINCT` means nothing.
    pub ignores_duplicates: bool,
    /// Whether its result is JSON text.
    pub json: bool,
    /// Whether ignored NULLs make the statement warn (8153).
    pub warns_of_null: bool,
    /// The state before the first row.
    pub init: fn(&CallTypes) -> AggregateState,
    /// Takes in one row's arguments.
    pub add: Step,
    /// Takes out what was taken in, in any order; see [`AggregateFunction::can_remove`].
    pub remove: Option<Step>,
    /// Takes in what another state has taken in.
    pub merge: Option<Merge>,
    /// The result over what was taken in.
    pub finish: Finish,
    /// Decides the types of a call.
    pub infer: fn(&Call<'_>) -> SqlResult<Inferred>,
}

impl AggregateFunction {
    /// Decides the types of a call. Errors: 174 or 189 for a wrong number of arguments, 8117 for a
    /// type that the function does not take.
    pub fn bind(&self, args: &[ArgType<'_>], typing: Typing) -> SqlResult<Inferred> {
        check_count(self.name, self.arguments, args.len())?;
        let volatility = Volatility::Deterministic;
        (self.infer)(&Call { name: self.name, args, collation: typing.collation, volatility })
    }

    /// Whether rows can be taken out again: not where floats would pile up errors.
    pub fn can_remove(&self, types: &CallTypes) -> bool {
        self.remove.is_some() && !types.args.iter().any(|ty| ty.kind.is_float())
    }
}

impl fmt::Debug for AggregateFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

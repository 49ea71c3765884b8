//! What is known of a table-valued function before it is called.

use std::fmt;

use base::{SqlResult, SqlType, ValueRef};

use super::descriptor::{ArgType, Typing, Volatility, check_count};
use super::facts::FnContext;
use super::signature::Call;

/// Takes a row that a function makes; it need not live longer than the call.
pub type Emit<'e> = dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()> + 'e;

/// Makes the rows from arguments of the types that binding asked for, NULL or not.
pub type Fill =
    for<'a> fn(&mut FnContext<'a>, &[ValueRef<'a>], &[SqlType], &mut Emit<'_>) -> SqlResult<()>;

/// How the rows of a function are made.
#[derive(Clone, Copy)]
pub enum RowsetRows {
    /// All at once, before the first is used: their number is bounded by what the arguments and
    /// the server hold.
    Filled(Fill),
    /// From the first argument to the second, both included, by the third, or by 1 towards the
    /// second: the statement counts through them (`lower::series`). There are none if an argument
    /// is NULL.
    Series,
}

/// A table-valued function of the library.
pub struct RowsetFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// The least and the most arguments that it takes.
    pub arguments: (u8, u8),
    /// The columns of its rows, by the types of its converted arguments.
    pub columns: fn(&[SqlType]) -> Vec<RowsetColumn>,
    /// What makes the rows.
    pub rows: RowsetRows,
    /// Decides the types of a call.
    pub infer: fn(&Call<'_>) -> SqlResult<RowsetTypes>,
}

/// The types of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct RowsetTypes {
    /// What each argument is converted to.
    pub args: Vec<SqlType>,
    /// How many of the columns users see: the first ones.
    pub visible: usize,
}

/// A column of a result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowsetColumn {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
}

impl RowsetFunction {
    /// Decides the types of a call. Errors: 174 or 189 for a wrong number of arguments, 8116 for
    /// one of a wrong type.
    pub fn bind(&self, args: &[ArgType<'_>], typing: Typing) -> SqlResult<RowsetTypes> {
        check_count(self.name, self.arguments, args.len())?;
        let volatility = Volatility::Deterministic;
        (self.infer)(&Call { name: self.name, args, collation: typing.collation, volatility })
    }
}

impl fmt::Debug for RowsetFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A column of this name and type.
pub const fn column(name: &'static str, ty: SqlType, nullable: bool) -> RowsetColumn {
    RowsetColumn { name, ty, nullable }
}

//! Table-valued functions of the library.

mod permissions;
mod properties;
mod server;
mod texts;

use std::fmt;

use base::types::operators::unify;
use base::{Collation, Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};

use super::descriptor::{ArgType, Typing, Volatility, check_count};
use super::facts::FnContext;
use super::signature::{Call, unify_text};
use super::values::{bytes, in_form_of, string};

/// Takes a row that a function makes; it need not live longer than the call.
pub type Emit<'e> = dyn FnMut(&[ValueRef<'_>]) -> SqlResult<()> + 'e;

/// Makes the rows from arguments of the types that binding asked for, NULL or not.
pub type Fill =
    for<'a> fn(&mut FnContext<'a>, &[ValueRef<'a>], &[SqlType], &mut Emit<'_>) -> SqlResult<()>;

/// How the rows of a function come about.
#[derive(Clone, Copy)]
pub enum RowsetRows {
    /// All at once, before the first is looked at: their number is bounded by what the arguments and the server hold.
    Filled(Fill),
    /// From the first argument to the second, both included, by the third, or by 1 towards the second: the
    /// statement counts through them (`lower::series`). There are none if an argument is NULL.
    Series,
}

/// A table-valued function of the library.
pub struct RowsetFunction {
    /// Its name in upper case.
    pub name: &'static str,
    /// How few and how many arguments it takes.
    pub arguments: (u8, u8),
    /// The columns of its rows, by the types of its converted arguments.
    pub columns: fn(&[SqlType]) -> Vec<RowsetColumn>,
    /// What makes the rows.
    pub rows: RowsetRows,
    infer: fn(&Call<'_>) -> SqlResult<RowsetTypes>,
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

/// Every table-valued function but those over the catalog, which are views of their own.
pub(super) static FUNCTIONS: &[RowsetFunction] = &[
    RowsetFunction {
        name: "STRING_SPLIT",
        arguments: (2, 3),
        columns: columns_of_split,
        rows: RowsetRows::Filled(string_split),
        infer: types_of_split,
    },
    RowsetFunction {
        name: "GENERATE_SERIES",
        arguments: (2, 3),
        columns: columns_of_series,
        rows: RowsetRows::Series,
        infer: types_of_series,
    },
    RowsetFunction {
        name: "FN_HELPCOLLATIONS",
        arguments: (0, 0),
        columns: columns_of_collations,
        rows: RowsetRows::Filled(help_collations),
        infer: types_of_collations,
    },
    RowsetFunction {
        name: "FN_LISTEXTENDEDPROPERTY",
        arguments: (properties::ARGUMENTS, properties::ARGUMENTS),
        columns: properties::columns,
        rows: RowsetRows::Filled(properties::fill),
        infer: properties::types,
    },
    RowsetFunction {
        name: "FN_MY_PERMISSIONS",
        arguments: (2, 2),
        columns: permissions::columns,
        rows: RowsetRows::Filled(permissions::fill),
        infer: permissions::types,
    },
    RowsetFunction {
        name: "DM_EXEC_QUERY_PLAN",
        arguments: (1, 1),
        columns: texts::columns_of_plan,
        rows: RowsetRows::Filled(texts::fill_plan),
        infer: texts::types,
    },
    RowsetFunction {
        name: "DM_EXEC_TEXT_QUERY_PLAN",
        arguments: (3, 3),
        columns: texts::columns_of_plan,
        rows: RowsetRows::Filled(texts::fill_plan),
        infer: texts::types_of_part,
    },
    RowsetFunction {
        name: "DM_IO_VIRTUAL_FILE_STATS",
        arguments: (2, 2),
        columns: server::columns_of_files,
        rows: RowsetRows::Filled(server::fill_files),
        infer: server::types_of_files,
    },
    RowsetFunction {
        name: "DM_DB_INDEX_PHYSICAL_STATS",
        arguments: (5, 5),
        columns: server::columns_of_indexes,
        rows: RowsetRows::Filled(server::fill_indexes),
        infer: server::types_of_indexes,
    },
    RowsetFunction {
        name: "DM_DB_LOG_INFO",
        arguments: (1, 1),
        columns: server::columns_of_log,
        rows: RowsetRows::Filled(server::fill_log),
        infer: server::types_of_log,
    },
    RowsetFunction {
        name: "DM_EXEC_SQL_TEXT",
        arguments: (1, 1),
        columns: texts::columns,
        rows: RowsetRows::Filled(texts::fill),
        infer: texts::types,
    },
];

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

fn column(name: &'static str, ty: SqlType, nullable: bool) -> RowsetColumn {
    RowsetColumn { name, ty, nullable }
}

fn columns_of_split(args: &[SqlType]) -> Vec<RowsetColumn> {
    let mut columns = vec![column("value", args[0], false)];
    if args.len() == 3 {
        columns.push(column("ordinal", SqlType::bigint(), false));
    }
    columns
}

/// The ordinal is seen if the third argument is the constant 1.
fn types_of_split(call: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut args = vec![call.string(0)?, call.string(1)?];
    unify_text(&mut args);
    let mut visible = 1;
    if call.len() == 3 {
        args.push(SqlType::bit());
        visible += match (call.args[2].constant, call.constant_int(2)) {
            (Some(value), None) if value.is_null() => 0,
            (_, Some(wanted @ (0 | 1))) => wanted as usize,
            _ => return Err(call.refuse(2)),
        };
    }
    Ok(RowsetTypes { args, visible })
}

/// The pieces between separators; none for NULL. Error 214 unless the separator is one character.
fn string_split<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let collation = types[0].collation;
    // No character has more bytes.
    let one = !args[1].is_null()
        && bytes(args[1]).len() <= 4
        && base::collation::search::char_count(collation, args[1], ctx)? == 1;
    if !one {
        let expected = "nchar(1)/nvarchar(1)";
        return Err(SqlError::new(&message::PROCEDURE_PARAMETER_TYPE, &[&"separator", &expected])
            .with_state(11));
    }
    if args[0].is_null() {
        return Ok(());
    }
    let whole = bytes(args[0]);
    let mut finder = base::collation::search::Finder::new(collation, args[1]);
    let (mut start, mut ordinal) = (0, 0);
    loop {
        let found = finder.find(args[0], start, ctx)?;
        let end = found.as_ref().map_or(whole.len(), |range| range.start);
        ordinal += 1;
        if ordinal % 256 == 0 {
            ctx.pace()?;
        }
        let row = [in_form_of(args[0], &whole[start..end]), ValueRef::Int(ordinal)];
        emit(if types.len() == 3 { &row } else { &row[..1] })?;
        match found {
            Some(range) => start = range.end,
            None => return Ok(()),
        }
    }
}

/// Start, stop and step are of one type, an integer or decimal one.
fn types_of_series(call: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut ty: Option<SqlType> = None;
    for (at, arg) in call.args.iter().enumerate() {
        let kind = arg.ty.kind;
        let fits = kind.is_integer() && kind != TypeKind::Bit || kind.is_decimal();
        if arg.bare_null {
            continue;
        }
        if !fits {
            return Err(call.refuse(at));
        }
        ty = Some(match ty {
            None => arg.ty,
            Some(ty) => unify(&ty, &arg.ty)?,
        });
    }
    Ok(RowsetTypes { args: vec![ty.unwrap_or(SqlType::int()); call.len()], visible: 1 })
}

fn columns_of_series(args: &[SqlType]) -> Vec<RowsetColumn> {
    vec![column("value", args[0], false)]
}

fn types_of_collations(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    Ok(RowsetTypes { args: Vec::new(), visible: 2 })
}

fn columns_of_collations(_: &[SqlType]) -> Vec<RowsetColumn> {
    vec![
        column("name", SqlType::sysname(Collation::DEFAULT), false),
        column("description", SqlType::nvarchar(1000, Collation::DEFAULT), false),
    ]
}

fn help_collations<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let columns = columns_of_collations(&[]);
    let mut all: Vec<Collation> = Collation::all().collect();
    all.sort_by_key(|c| c.name());
    for collation in all {
        let name = string(ctx.arena, collation.name(), &columns[0].ty);
        let description = string(ctx.arena, &collation.description(), &columns[1].ty);
        emit(&[name, description])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Table-valued functions of the library.

mod files;
mod permissions;
mod properties;
mod texts;

use base::types::operators::unify;
use base::{Collation, Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetColumn, RowsetFunction, RowsetRows, RowsetTypes, column};
use ir::function::signature::{Call, unify_text};

pub(super) use self::files::function as file;
use super::values::{bytes, in_form_of, string};

/// The table-valued functions of the library. Those over the state of the server are in `sysview`.
pub static FUNCTIONS: &[RowsetFunction] = &[
    super::json::OPEN,
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
        name: "DM_EXEC_SQL_TEXT",
        arguments: (1, 1),
        columns: texts::columns,
        rows: RowsetRows::Filled(texts::fill),
        infer: texts::types,
    },
];

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
    if call.args.len() == 3 {
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
    Ok(RowsetTypes { args: vec![ty.unwrap_or(SqlType::int()); call.args.len()], visible: 1 })
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

//! JSON_OBJECT and JSON_ARRAY; elements and properties for JSON_ARRAYAGG and JSON_OBJECTAGG.

use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{ANY_NUMBER, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::json::{Marks, names};
use ir::function::signature::Call;

use super::render;
use crate::func::values::bytes;

/// What makes JSON of values.
pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("JSON_OBJECT", (0, ANY_NUMBER), types_of_object, object)
        .own_nulls()
        .marked()
        .json(),
    ScalarFunction::strict("JSON_ARRAY", (0, ANY_NUMBER), types_of_values, array)
        .own_nulls()
        .marked()
        .json(),
    ScalarFunction::strict(names::ELEMENT, (1, 1), types_of_part, element).own_nulls().marked(),
    ScalarFunction::strict(names::MEMBER, (2, 2), types_of_part, member).own_nulls().marked(),
];

/// A document from values of any type.
pub(super) fn types_of_values(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(types_of_part(call)?.not_null())
}

/// A part of a document, or NULL where a value is left out. Error 13604.
fn types_of_part(call: &Call<'_>) -> SqlResult<Inferred> {
    if call.args.iter().any(|arg| arg.ty.kind.is_clr()) {
        return Err(SqlError::new(&message::FOR_JSON_CLR, &[]));
    }
    let own = |arg: &ir::function::ArgType<'_>| match arg.bare_null {
        true => SqlType::nvarchar(4000, call.collation),
        false => arg.ty,
    };
    let args: Vec<SqlType> = call.args.iter().map(own).collect();
    Ok(call.types(SqlType::nvarchar_max(call.collation), &args))
}

/// Keys and values in turn, and the marks.
fn types_of_object(call: &Call<'_>) -> SqlResult<Inferred> {
    if call.args.len() % 2 == 0 {
        return Err(SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&")"]));
    }
    types_of_values(call)
}

fn object<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (args, marks) = marked(args);
    let mut out = ctx.arena.buffer();
    render::ascii(&mut out, "{")?;
    let mut comma = "";
    for (nth, pair) in args.chunks_exact(2).enumerate() {
        let types = &types.args[2 * nth..];
        refuse_null(pair[0])?;
        if pair[1].is_null() && !marks.keeps_nulls() {
            continue;
        }
        render::ascii(&mut out, comma)?;
        render::key(ctx, &mut out, &types[0], pair[0])?;
        render::value(ctx, &mut out, &types[1], pair[1], marks.is_json(2 * nth + 1))?;
        comma = ",";
    }
    render::ascii(&mut out, "}")?;
    Ok(ValueRef::Unicode(out.finish()))
}

fn array<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (args, marks) = marked(args);
    let mut out = ctx.arena.buffer();
    render::ascii(&mut out, "[")?;
    let mut comma = "";
    for (nth, (value, ty)) in args.iter().zip(&types.args).enumerate() {
        if value.is_null() && !marks.keeps_nulls() {
            continue;
        }
        render::ascii(&mut out, comma)?;
        render::value(ctx, &mut out, ty, *value, marks.is_json(nth))?;
        comma = ",";
    }
    render::ascii(&mut out, "]")?;
    Ok(ValueRef::Unicode(out.finish()))
}

/// `value,`; NULL for a value that is left out.
fn element<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (args, marks) = marked(args);
    if args[0].is_null() && !marks.keeps_nulls() {
        return Ok(ValueRef::Null);
    }
    let mut out = ctx.arena.buffer();
    render::value(ctx, &mut out, &types.args[0], args[0], marks.is_json(0))?;
    render::ascii(&mut out, ",")?;
    Ok(ValueRef::Unicode(out.finish()))
}

/// `"key":value,`; NULL for a value that is left out.
fn member<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (args, marks) = marked(args);
    refuse_null(args[0])?;
    if args[1].is_null() && !marks.keeps_nulls() {
        return Ok(ValueRef::Null);
    }
    let mut out = ctx.arena.buffer();
    render::key(ctx, &mut out, &types.args[0], args[0])?;
    render::value(ctx, &mut out, &types.args[1], args[1], marks.is_json(1))?;
    render::ascii(&mut out, ",")?;
    Ok(ValueRef::Unicode(out.finish()))
}

/// Error 13638: the name of a property is NULL.
fn refuse_null(key: ValueRef<'_>) -> SqlResult<()> {
    match key.is_null() {
        true => Err(SqlError::new(&message::JSON_KEY_NULL, &[&"json_object"])),
        false => Ok(()),
    }
}

/// The arguments that the text has, and what the binder says of them.
fn marked<'v, 'a>(args: &'v [ValueRef<'a>]) -> (&'v [ValueRef<'a>], Marks<'a>) {
    let (marks, args) = args.split_last().expect("the binder adds an argument");
    (args, Marks::of(bytes(*marks)))
}

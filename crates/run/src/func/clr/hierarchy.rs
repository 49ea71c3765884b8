//! The methods of hierarchyid.

use base::hierarchy::{self, UNITS_MAX};
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::clr::{hierarchyid as names, types_of_member};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use crate::func::values::{bytes, flag, int, string, text};

const NODE: SqlType = SqlType::hierarchyid();

pub(in crate::func) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict(names::GET_ANCESTOR, (2, 2), types_of_member, ancestor).own_nulls(),
    ScalarFunction::strict(names::GET_DESCENDANT, (3, 3), types_of_member, descendant).own_nulls(),
    ScalarFunction::strict(names::GET_LEVEL, (1, 1), types_of_member, level),
    ScalarFunction::strict(names::GET_REPARENTED, (3, 3), types_of_member, reparented),
    ScalarFunction::strict(names::IS_DESCENDANT, (2, 2), types_of_member, is_descendant),
    ScalarFunction::strict(names::TO_STRING, (1, 1), types_of_member, to_string),
    ScalarFunction::strict(names::GET_ROOT, (0, 0), types_of_member, root),
    ScalarFunction::strict(names::PARSE, (1, 1), types_of_member, parse),
    ScalarFunction::strict(names::DESCENDANT_LIMIT, (1, 1), types_of_limit, limit),
];

fn types_of_limit(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(NODE, &[NODE]))
}

fn node<'a>(ctx: &FnContext<'a>, node: &[u8]) -> ValueRef<'a> {
    ValueRef::Bytes(ctx.arena.alloc_bytes(node))
}

/// Error 6569 for a number that is NULL.
fn ancestor<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    match args {
        [ValueRef::Null, _] => Ok(ValueRef::Null),
        [_, ValueRef::Null] => {
            Err(SqlError::new(&message::CLR_NULL_ARGUMENT, &[&"GetAncestor", &1]))
        }
        _ => {
            let found = hierarchy::ancestor(bytes(args[0]), int(args[1]))?;
            Ok(found.map_or(ValueRef::Null, |found| node(ctx, &found)))
        }
    }
}

fn descendant<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let child = |at: usize| (!args[at].is_null()).then(|| bytes(args[at]));
    let made = hierarchy::descendant(bytes(args[0]), child(1), child(2))?;
    Ok(node(ctx, &made))
}

fn level<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Int(hierarchy::level(bytes(args[0]))? as i64))
}

fn reparented<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let moved = hierarchy::reparented(bytes(args[0]), bytes(args[1]), bytes(args[2]))?;
    Ok(node(ctx, &moved))
}

fn is_descendant<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(flag(hierarchy::is_descendant(bytes(args[0]), bytes(args[1]))))
}

fn to_string<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(string(ctx.arena, &hierarchy::text(bytes(args[0]))?, &types.result))
}

fn root<'a>(_: &mut FnContext<'a>, _: &[ValueRef<'a>], _: &CallTypes) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Bytes(&[]))
}

fn parse<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let written = bytes(args[0]);
    // More than any node's text has.
    let looked_at = &written[..written.len().min(4 * UNITS_MAX)];
    let written = text(ValueRef::Unicode(looked_at), types.args[0].collation);
    Ok(node(ctx, &hierarchy::parse(&written)?))
}

fn limit<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(node(ctx, &hierarchy::descendant_limit(bytes(args[0]))))
}

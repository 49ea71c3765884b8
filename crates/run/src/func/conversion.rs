//! What a value could become, and the choice between values: ISNUMERIC, ISNULL, GREATEST,
//! SQL_VARIANT_PROPERTY.

use std::cmp::Ordering;

use base::arithmetic::compare_paced;
use base::text::number::is_numeric;
use base::types::conversion::{check_implicit, may_overflow};
use base::types::operators::unify;
use base::{SqlResult, SqlType, TypeKind, ValueRef, variant as encoding};
use ir::function::descriptor::{ArgType, CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::{flag, string, text, variant, variant_int};

/// Conversion, and choice between values.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::strict("ISNUMERIC", (1, 1), types_of_isnumeric, isnumeric).own_nulls(),
    ScalarFunction::strict("ISNULL", (2, 2), types_of_isnull, isnull).first_known().native(),
    ScalarFunction::strict("GREATEST", (1, 254), types_of_extreme, greatest).own_nulls(),
    ScalarFunction::strict("LEAST", (1, 254), types_of_extreme, least).own_nulls(),
    ScalarFunction::strict(
        "SQL_VARIANT_PROPERTY",
        (2, 2),
        types_of_variant_property,
        variant_property,
    ),
];

fn types_of_isnumeric(call: &Call<'_>) -> SqlResult<Inferred> {
    let ty = call.args[0].ty;
    let asked = match ty.kind {
        TypeKind::Text => SqlType::varchar_max(call.collation),
        TypeKind::NText => SqlType::nvarchar_max(call.collation),
        TypeKind::Image => return Err(call.refuse(0)),
        kind if kind.is_opaque() => return Err(call.refuse(0)),
        _ => ty,
    };
    Ok(call.types(SqlType::int(), &[asked]).not_null())
}

fn isnumeric<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let collation = types.args[0].collation;
    Ok(flag(match args[0] {
        ValueRef::Null => false,
        // Line ends and tabs around a number do not matter here.
        own @ (ValueRef::Chars(_) | ValueRef::Unicode(_)) => {
            is_numeric(text(own, collation).trim_matches(['\t', '\n', '\r', '\u{B}', '\u{C}', ' ']))
        }
        own if types.args[0].kind == TypeKind::SqlVariant => {
            encoding::content(own).is_some_and(|(ty, _)| ty.kind.is_numeric())
        }
        _ => types.args[0].kind.is_numeric(),
    }))
}

fn types_of_isnull(call: &Call<'_>) -> SqlResult<Inferred> {
    let [value, other] = call.args else { unreachable!("the number of arguments was checked") };
    let mut ty = if value.bare_null { other.ty } else { value.ty };
    if ty.kind.is_character() {
        ty = ty.recollated(call.collation);
    }
    let mut inferred = call.types(ty, &[ty, ty]);
    inferred.nullable = value.nullable && other.nullable;
    Ok(inferred)
}

fn isnull<'a>(
    _: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(if args[0].is_null() { args[1] } else { args[0] })
}

fn types_of_extreme(call: &Call<'_>) -> SqlResult<Inferred> {
    let known = || call.args.iter().filter(|a| !a.bare_null);
    if let Some(at) = call.args.iter().position(|a| a.ty.kind.is_legacy_lob()) {
        return Err(call.refuse(at));
    }
    if let Some(at) = call.args.iter().position(|a| a.ty.kind.is_incomparable()) {
        return Err(call.refuse(at).with_state(4));
    }
    let mut ty = known().next().map_or(SqlType::int(), |a| a.ty);
    for arg in known().skip(1) {
        ty = unify(&ty, &arg.ty)?;
    }
    let ty = ty.recollated(call.collation);
    let mut inferred = call.types(ty, &vec![ty; call.args.len()]);
    let may_be_null = |arg: &ArgType<'_>| arg.nullable || may_overflow(&arg.ty, &ty);
    inferred.nullable = call.args.iter().all(may_be_null);
    Ok(inferred)
}

fn greatest<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    extreme(ctx, Ordering::Greater, args, &types.result)
}

fn least<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    extreme(ctx, Ordering::Less, args, &types.result)
}

/// The first of the values that none surpasses; NULLs do not count.
fn extreme<'a>(
    ctx: &FnContext<'a>,
    better: Ordering,
    args: &[ValueRef<'a>],
    ty: &SqlType,
) -> SqlResult<ValueRef<'a>> {
    let mut best = ValueRef::Null;
    for &value in args {
        let wins = compare_paced(value, best, ty, ctx)?.is_none_or(|o| o == better);
        if !value.is_null() && wins {
            best = value;
        }
    }
    Ok(best)
}

fn types_of_variant_property(call: &Call<'_>) -> SqlResult<Inferred> {
    let kind = call.kind(0);
    if kind.is_opaque() {
        check_implicit(kind, TypeKind::SqlVariant)?;
    }
    if kind.is_legacy_lob() || kind == TypeKind::RowVersion || call.args[0].ty.is_max() {
        return Err(call.refuse(0));
    }
    Ok(call.types(SqlType::sql_variant(), &[SqlType::sql_variant(), call.name_argument(1)?]))
}

fn variant_property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some((ty, _)) = encoding::content(args[0]) else { return Ok(ValueRef::Null) };
    let name = |text: &str| {
        let sysname = SqlType::nvarchar(128, types.args[1].collation);
        variant(ctx.arena, &sysname, string(ctx.arena, text, &sysname))
    };
    let property = text(args[1], types.args[1].collation).to_ascii_lowercase();
    Ok(match property.as_str() {
        "basetype" => name(ty.kind.name()),
        "precision" => variant_int(ctx, i64::from(ty.precision)),
        "scale" => variant_int(ctx, i64::from(ty.scale)),
        "maxlength" => variant_int(ctx, i64::from(ty.max_length())),
        "totalbytes" => match args[0] {
            ValueRef::Bytes(encoded) => variant_int(ctx, encoded.len() as i64),
            _ => ValueRef::Null,
        },
        "collation" if ty.kind.is_character() => name(ty.collation.name()),
        _ => ValueRef::Null,
    })
}

#[cfg(test)]
mod tests;

//! What a value could become, and the choice between values: ISNUMERIC, ISNULL, GREATEST,
//! SQL_VARIANT_PROPERTY.

use std::cmp::Ordering;

use base::arithmetic::compare_paced;
use base::text::number::is_numeric;
use base::types::conversion::may_overflow;
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
mod tests {
    use crate::func::testing::{check, check_errors, check_types};

    #[test]
    fn what_converts_to_a_number_is_numeric() {
        check(&[
            ("ISNUMERIC", &["'12.5'"], "1"),
            ("ISNUMERIC", &["'$1,000'"], "1"),
            ("ISNUMERIC", &["'1e5'"], "1"),
            ("ISNUMERIC", &["'abc'"], "0"),
            ("ISNUMERIC", &["''"], "0"),
            ("ISNUMERIC", &["'-'"], "1"),
            ("ISNUMERIC", &["'12a'"], "0"),
            ("ISNUMERIC", &["N' 5 '"], "1"),
            ("ISNUMERIC", &["5"], "1"),
            ("ISNUMERIC", &["bit:1"], "1"),
            ("ISNUMERIC", &["date:2020-01-01"], "0"),
            ("ISNUMERIC", &["0x05"], "0"),
            ("ISNUMERIC", &["NULL"], "0"),
            ("ISNUMERIC", &["sql_variant:x"], "0"),
        ]);
        check_types(&[("ISNUMERIC", &["'a'"], "int not null")]);
    }

    #[test]
    fn isnull_keeps_the_first_type() {
        check(&[
            ("ISNULL", &["NULL", "5"], "5"),
            ("ISNULL", &["varchar(2):NULL", "'abcdef'"], "ab"),
            ("ISNULL", &["3", "5"], "3"),
            ("ISNULL", &["int:NULL", "int:NULL"], "NULL"),
        ]);
        check_types(&[
            ("ISNULL", &["NULL", "'abc'"], "varchar(3) not null"),
            ("ISNULL", &["varchar(2):a", "'abcdef'"], "varchar(2) not null"),
            ("ISNULL", &["int:1", "int:2"], "int"),
            ("ISNULL", &["int:1", "1.5"], "int not null"),
            ("ISNULL", &["NULL", "NULL"], "int"),
        ]);
        check_errors(&[("ISNULL", &["1"], 174, "The isnull function requires 2 argument(s).")]);
    }

    #[test]
    fn the_greatest_and_the_least_are_chosen() {
        check(&[
            ("GREATEST", &["'6.62'", "3.1415", "'7'"], "7.0000"),
            ("GREATEST", &["1", "NULL", "3"], "3"),
            ("LEAST", &["'b'", "'A'", "'c'"], "A"),
            ("LEAST", &["date:2020-01-02", "date:2019-01-01"], "2019-01-01"),
            ("GREATEST", &["NULL", "NULL"], "NULL"),
            ("GREATEST", &["5"], "5"),
        ]);
        check_types(&[
            ("GREATEST", &["1", "2.5"], "numeric(11,1) not null"),
            ("LEAST", &["int:1", "int:2"], "int"),
            ("LEAST", &["varchar(5):a", "N'abcdefgh'"], "nvarchar(8) not null"),
        ]);
        check_errors(&[(
            "GREATEST",
            &["1", "date:2020-01-01"],
            206,
            "Operand type clash: int is incompatible with date",
        )]);
    }

    #[test]
    fn variants_say_what_they_hold() {
        check(&[
            ("SQL_VARIANT_PROPERTY", &["1.50", "'BaseType'"], "nvarchar(128) numeric"),
            ("SQL_VARIANT_PROPERTY", &["1.50", "'Precision'"], "int 3"),
            ("SQL_VARIANT_PROPERTY", &["1.50", "'Scale'"], "int 2"),
            ("SQL_VARIANT_PROPERTY", &["N'abc'", "'MaxLength'"], "int 6"),
            ("SQL_VARIANT_PROPERTY", &["5", "'basetype'"], "nvarchar(128) int"),
            (
                "SQL_VARIANT_PROPERTY",
                &["'a'", "'Collation'"],
                "nvarchar(128) SQL_Latin1_General_CP1_CI_AS",
            ),
            ("SQL_VARIANT_PROPERTY", &["5", "'Collation'"], "NULL"),
            ("SQL_VARIANT_PROPERTY", &["5", "'nonsense'"], "NULL"),
        ]);
        check_errors(&[(
            "SQL_VARIANT_PROPERTY",
            &["varchar(max):a", "'BaseType'"],
            8116,
            "Argument data type varchar is invalid for argument 1 of sql_variant_property function.",
        )]);
    }
}

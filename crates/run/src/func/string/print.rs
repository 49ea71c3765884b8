//! Numbers and messages as text: STR, STRING_ESCAPE, FORMATMESSAGE.

use base::datetime::US_ENGLISH;
use base::ids::DbId;
use base::json::escape::{ESCAPE_MAX, is_special, write_escape};
use base::message::{Message, PrintfArgument, printf, printf_translated};
use base::pace::Stride;
use base::text::number::str_function;
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::{BYTES_MAX, Call};

use crate::func::values::{bytes, float, int, optional_string, string, text};

/// What STR makes when it is given no length.
const STR_LENGTH: i64 = 10;

pub(super) fn types_of_str(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = vec![call.float(0)?];
    for at in 1..call.args.len() {
        types.push(call.int(at)?);
    }
    let length = match call.args.len() {
        1 => Some(STR_LENGTH),
        _ => call.constant_int(1),
    };
    let most = i64::from(BYTES_MAX);
    let length = length.map_or(most, |l| l.clamp(1, most)) as u16;
    Ok(call.types(SqlType::varchar(length, call.collation), &types))
}

pub(super) fn str<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let length = args.get(1).map_or(STR_LENGTH, |v| int(*v));
    let decimals = args.get(2).map_or(0, |v| int(*v));
    let text = str_function(float(args[0]), length, decimals);
    Ok(optional_string(ctx.arena, text.as_deref(), &types.result))
}

pub(super) fn types_of_string_escape(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = call.string(0)?;
    let kind = call.unicode(1, 128)?;
    let source = match text.is_max() {
        true => SqlType::nvarchar_max(call.collation),
        false => SqlType::nvarchar(4000, call.collation),
    };
    Ok(call.types(SqlType::nvarchar_max(call.collation), &[source, kind]))
}

pub(super) fn string_escape<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let kind = text(args[1], types.args[1].collation);
    if !kind.eq_ignore_ascii_case("json") {
        return Err(SqlError::new(
            &message::ARGUMENT_VALUE_INVALID,
            &[&kind, &2, &"string_escape"],
        ));
    }
    // What is escaped is ASCII, so it is done unit by unit.
    let source = bytes(args[0]);
    let mut out = ctx.room(source.len())?;
    let mut stride = Stride::new(ctx);
    for unit in source.chunks_exact(2) {
        stride.step(1)?;
        match unit[1] == 0 && is_special(unit[0]) {
            true => {
                out.admit(ESCAPE_MAX)?;
                write_escape(unit[0], &mut out);
            }
            false => out.try_extend(unit)?,
        }
    }
    let out = out.finish();
    Ok(ValueRef::Unicode(&out[..out.len().min(types.result.byte_limit() & !1)]))
}

/// Characters that a message may have.
const MESSAGE_MAX: usize = 2047;

pub(super) fn types_of_formatmessage(call: &Call<'_>) -> SqlResult<Inferred> {
    let mut types = Vec::with_capacity(call.args.len());
    for (at, arg) in call.args.iter().enumerate() {
        types.push(match arg.ty.kind {
            TypeKind::BigInt if at > 0 => SqlType::bigint(),
            TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int => SqlType::int(),
            kind if kind.is_character() && !kind.is_legacy_lob() => {
                SqlType::nvarchar(4000, call.collation)
            }
            _ if at == 0 => return Err(call.refuse(0)),
            kind => {
                let name = kind.name();
                return Err(SqlError::new(&message::RAISERROR_PARAMETER_TYPE, &[&name, &at]));
            }
        });
    }
    Ok(call.types(SqlType::nvarchar(MESSAGE_MAX as u16 + 1, call.collation), &types))
}

pub(super) fn formatmessage<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let format = match args[0] {
        ValueRef::Int(number) => message_text(ctx, number),
        ValueRef::Null => None,
        own => Some((text(own, types.args[0].collation), None)),
    };
    let Some((format, translation)) = format else { return Ok(ValueRef::Null) };
    // The server's own messages show every argument as text.
    let as_texts =
        matches!(args[0], ValueRef::Int(n) if n < i64::from(message::USER_DEFINED.number));
    let texts: Vec<String> = (args[1..].iter())
        .zip(&types.args[1..])
        .map(|(value, ty)| match value {
            ValueRef::Unicode(_) => text(*value, ty.collation),
            ValueRef::Int(number) => number.to_string(),
            _ => String::new(),
        })
        .collect();
    let arguments: Vec<PrintfArgument<'_>> = (args[1..].iter())
        .zip(&types.args[1..])
        .zip(&texts)
        .map(|((value, ty), text)| match value {
            ValueRef::Null => PrintfArgument::Null,
            ValueRef::Int(v) if ty.kind == TypeKind::BigInt && !as_texts => {
                PrintfArgument::BigInt(*v)
            }
            ValueRef::Int(v) if !as_texts => PrintfArgument::Int(*v as i32),
            _ => PrintfArgument::Text(text),
        })
        .collect();
    let mut out = match translation {
        Some(translation) => printf_translated(&format, &translation, &arguments)?,
        None => printf(&format, &arguments)?,
    };
    if out.chars().count() > MESSAGE_MAX {
        out = out.chars().take(MESSAGE_MAX - 3).chain("...".chars()).collect();
    }
    Ok(string(ctx.arena, &out, &types.result))
}

/// The text of a message that users have added, or of one of the server's own, and its translation
/// to the session's language.
fn message_text(ctx: &FnContext<'_>, number: i64) -> Option<(String, Option<String>)> {
    let number = i32::try_from(number).ok()?;
    if number <= message::USER_DEFINED.number {
        return Message::find(number).map(|m| (m.text.to_owned(), None));
    }
    let language = ctx.facts.dates().language.message_language;
    let master = ctx.facts.schema(DbId::MASTER)?;
    let original = master.server().message(number, US_ENGLISH.message_language)?;
    let spoken = master.server().message(number, language);
    let spoken = spoken.filter(|spoken| spoken.language != original.language);
    Some((original.text.to_string(), spoken.map(|spoken| spoken.text.to_string())))
}

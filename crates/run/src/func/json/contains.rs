//! JSON_CONTAINS.

use std::cmp::Ordering;

use base::arithmetic::compare_paced;
use base::collation::LikePattern;
use base::json::seek::visit;
use base::json::{Event, Path, Reader, Scalar, Text};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::{Call, as_unicode};

use super::document::{document, path_is_null};
use crate::func::values::{bytes, flag};

/// The state of what is wrong with a text.
const STATE: u8 = 1;

pub(super) fn types_of_json_contains(call: &Call<'_>) -> SqlResult<Inferred> {
    if !call.args[0].bare_null && call.kind(0) != TypeKind::Json {
        return Err(call.refuse(0));
    }
    let mut types = vec![SqlType::json(), type_of_value(call)?];
    if let Some(path) = call.args.get(2) {
        if path.bare_null && path.constant.is_some() {
            return Err(no_path());
        }
        types.push(as_unicode(&call.string(2)?));
    }
    if let Some(mode) = call.args.get(3) {
        if mode.ty.kind != TypeKind::Int {
            return Err(call.refuse(3));
        }
        types.push(SqlType::int());
    }
    Ok(call.types(SqlType::int(), &types))
}

/// What is looked for: a number, a bit or a string that is not a `(max)` one.
fn type_of_value(call: &Call<'_>) -> SqlResult<SqlType> {
    let arg = &call.args[1];
    let kind = arg.ty.kind;
    match kind {
        _ if arg.bare_null => Err(call.refuse(1)),
        TypeKind::Bit | TypeKind::Decimal | TypeKind::Numeric => Ok(arg.ty),
        _ if kind.is_integer() => Ok(SqlType::bigint()),
        _ if kind.is_character() && !arg.ty.is_max() => Ok(as_unicode(&call.string(1)?)),
        _ => Err(call.refuse(1)),
    }
}

/// Error 8116. The path is the third argument; the message speaks of another one.
fn no_path() -> SqlError {
    path_is_null("JSON_CONTAINS", 1)
}

/// Whether a scalar to which the path leads is this value; NULL if the path leads nowhere. Errors
/// 8116, 13607, 13692.
pub(super) fn json_contains<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let path = match args.get(2) {
        None => Path::ELEMENTS,
        Some(ValueRef::Null) => return Err(no_path()),
        Some(path) => Path::parse_repeated(bytes(*path))?,
    };
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    let wanted = Wanted::new(args[1], &types.args[1], args.get(3).copied())?;
    let text = document(ctx, args[0], &types.args[0])?;
    let mut reader = Reader::new(&text, ctx);
    let mut leads_anywhere = false;
    let is_found = visit(&mut reader, &text, &path, &mut |value| {
        leads_anywhere = true;
        Ok(wanted.is(ctx, &text, value)?)
    });
    match is_found {
        Ok(_) if !leads_anywhere => Ok(ValueRef::Null),
        Ok(is_found) => Ok(flag(is_found)),
        Err(fault) => Err(fault.error(&text, STATE)),
    }
}

/// What is looked for.
enum Wanted<'a> {
    Nothing,
    Bit(bool),
    Number(Number),
    Text(ValueRef<'a>, SqlType),
    Like(LikePattern),
}

impl<'a> Wanted<'a> {
    fn new(value: ValueRef<'a>, ty: &SqlType, mode: Option<ValueRef<'a>>) -> SqlResult<Wanted<'a>> {
        let is_like = match mode {
            None | Some(ValueRef::Null | ValueRef::Int(0)) => false,
            Some(ValueRef::Int(1)) => true,
            _ => return Err(SqlError::new(&message::JSON_CONTAINS_MODE, &[])),
        };
        Ok(match value {
            ValueRef::Int(bit) if ty.kind == TypeKind::Bit => Wanted::Bit(bit != 0),
            ValueRef::Int(value) => Wanted::Number(Number::new(value.into(), 0)),
            ValueRef::Decimal(units) => Wanted::Number(Number::new(units, ty.scale)),
            ValueRef::Null => Wanted::Nothing,
            _ if is_like => Wanted::Like(LikePattern::new(ty.collation, value, None)?),
            _ => Wanted::Text(value, *ty),
        })
    }

    /// Whether a value whose first event this is is the one.
    fn is(&self, ctx: &FnContext<'_>, text: &Text<'_>, value: &Event) -> SqlResult<bool> {
        let Event::Scalar(scalar, range) = value else { return Ok(false) };
        Ok(match (self, scalar) {
            (Wanted::Bit(bit), Scalar::True | Scalar::False) => *bit == (*scalar == Scalar::True),
            (Wanted::Number(number), Scalar::Number) => {
                Number::read(text.part(range)).as_ref() == Some(number)
            }
            (Wanted::Text(..) | Wanted::Like(_), Scalar::String) => {
                let memory = ctx.arena.beside();
                let row = FnContext { arena: &memory, ..*ctx };
                let mut out = row.room(2 * range.len())?;
                text.write_string(&(range.start + 1..range.end - 1), &row, &mut out)?;
                self.is_string(ctx, ValueRef::Unicode(out.finish()))?
            }
            _ => false,
        })
    }

    fn is_string(&self, ctx: &FnContext<'_>, string: ValueRef<'_>) -> SqlResult<bool> {
        match self {
            Wanted::Text(wanted, ty) => {
                Ok(compare_paced(*wanted, string, ty, ctx)? == Some(Ordering::Equal))
            }
            Wanted::Like(pattern) => pattern.matches(string, ctx),
            _ => Ok(false),
        }
    }
}

/// A decimal number without zeros at its end.
#[derive(PartialEq, Eq, Debug)]
struct Number {
    units: i128,
    scale: usize,
}

impl Number {
    fn new(mut units: i128, scale: u8) -> Number {
        let mut scale = usize::from(scale);
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        Number { units, scale }
    }

    /// A number of canonical JSON.
    fn read(token: &[u8]) -> Option<Number> {
        let text = std::str::from_utf8(token).ok()?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let units = format!("{whole}{fraction}").parse().ok()?;
        Some(Number { units, scale: fraction.len() })
    }
}

//! JSON_MODIFY: a text with one part replaced, taken out or added. All else stays as it is written.

use std::ops::Range;

use base::arena::ArenaBuffer;
use base::json::canonical;
use base::json::path::Step;
use base::json::seek::{Found, Nothing, Value, seek};
use base::json::{Event, Fault, Path, Reader, Text};
use base::{SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::json::Marks;
use ir::function::signature::Call;

use super::document::{document, path, type_of_document, type_of_path, utf8};
use super::read::NOWHERE_IN_JSON;
use super::render;
use crate::func::values::bytes;

/// The state of a text that is wrong.
const STATE: u8 = 7;

/// The state of a path that leads nowhere.
const NOT_FOUND: u8 = 2;

pub(super) fn types_of_json_modify(call: &Call<'_>) -> SqlResult<Inferred> {
    let value = &call.args[2];
    let document = type_of_document(call, 0)?;
    let is_json = document.kind == TypeKind::Json;
    let is_written = may_be_written(value.ty.kind) || is_json && value.ty.kind == TypeKind::Json;
    if !value.bare_null && !is_written {
        return Err(call.refuse(2));
    }
    let types = [document, type_of_path(call, 1)?, value.ty, call.args[3].ty];
    let ty = if is_json { document } else { SqlType::nvarchar_max(call.collation) };
    Ok(call.types(ty, &types))
}

/// Whether values of a kind can be put into a text.
fn may_be_written(kind: TypeKind) -> bool {
    use TypeKind::*;
    let is_text = kind.is_character() && !kind.is_legacy_lob();
    let is_number = matches!(kind, TinyInt | SmallInt | Int | BigInt | Numeric | Decimal);
    is_text || is_number || matches!(kind, Bit | Real | Float)
}

/// What becomes of a text.
enum Edit {
    /// Nothing, and it is not read to its end.
    Nothing,
    /// Nothing.
    Keep,
    /// This part goes.
    Delete(Range<usize>),
    /// This part becomes the value.
    Replace(Range<usize>),
    /// The value is put before the closing brace or bracket, behind a comma unless it is the first
    /// there; as a member of this name, and in an array of its own.
    Insert { close: usize, is_first: bool, name: Option<Range<usize>>, in_array: bool },
}

/// A text with a value at the place to which a path leads; NULL takes a member out in lax mode.
/// Errors 13606 to 13609, 13619, 13621.
pub(super) fn json_modify<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let path = path("JSON_MODIFY", 1, args[1])?;
    if args[0].is_null() {
        return Ok(ValueRef::Null);
    }
    if path.is_root() && !path.appends {
        return Err(SqlError::new(&message::JSON_MODIFY_PATH, &[&2]));
    }
    let text = document(ctx, args[0], &types.args[0])?;
    let mut reader = Reader::new(&text, ctx);
    let edit = edit(&mut reader, &text, &path, args[2].is_null());
    let edit = edit.map_err(|fault| fault.error(&text, STATE))?;
    if !matches!(edit, Ok(Edit::Nothing) | Err(NoWay::AtOnce)) {
        reader.finish().map_err(|fault| fault.error(&text, STATE))?;
    }
    let is_typed = types.result.kind == TypeKind::Json;
    let edit = edit.map_err(|no_way| no_way.error(is_typed))?;
    let is_json = Marks::of(bytes(args[3])).is_json(2);
    let mut out = ctx.room(2 * text.bytes().len())?;
    Writer { ctx, text: &text, path: &path, is_json }.write(
        &edit,
        args[2],
        &types.args[2],
        &mut out,
    )?;
    match is_typed {
        true => typed(ctx, out.finish()),
        false => Ok(ValueRef::Unicode(out.finish())),
    }
}

/// A text as a value of type json.
fn typed<'a>(ctx: &FnContext<'a>, text: &'a [u8]) -> SqlResult<ValueRef<'a>> {
    let text = utf8(ctx, text)?;
    let mut out = ctx.room(text.len())?;
    canonical::write(text, ctx, &mut out)?;
    Ok(ValueRef::Chars(out.finish()))
}

/// Why a strict path is an error.
enum NoWay {
    /// It leads nowhere, which was known before the text was read to its end.
    AtOnce,
    /// It leads to no member.
    NoMember,
    /// A value shall be appended to what is no array.
    NoArray,
}

impl NoWay {
    fn error(self, is_typed: bool) -> SqlError {
        let state = if is_typed { NOWHERE_IN_JSON } else { NOT_FOUND };
        match self {
            NoWay::NoArray => SqlError::new(&message::JSON_ARRAY_NOT_FOUND, &[]),
            NoWay::AtOnce | NoWay::NoMember => {
                SqlError::new(&message::JSON_PROPERTY_NOT_FOUND, &[]).with_state(state)
            }
        }
    }
}

/// Finds out what becomes of a text.
fn edit(
    reader: &mut Reader<'_, '_>,
    text: &Text<'_>,
    path: &Path<'_>,
    is_null: bool,
) -> Result<Result<Edit, NoWay>, Fault> {
    let is_strict = path.is_strict;
    Ok(match seek(reader, text, path)? {
        Found::Value(value) if path.appends => append(reader, &value, is_strict)?,
        Found::Value(value) => {
            let range = value.start..reader.pass(&value.first)?;
            Ok(match (value.name, is_null && !is_strict) {
                (Some(name), true) => Edit::Delete(member(text, name, value.comma, range.end)),
                _ => Edit::Replace(range),
            })
        }
        Found::Nothing(Nothing::NoMember { .. }) if is_strict => Err(NoWay::NoMember),
        Found::Nothing(Nothing::NoMember { .. }) if is_null && !path.appends => Ok(Edit::Keep),
        Found::Nothing(Nothing::NoMember { close, is_empty }) => {
            let name = match path.steps().last() {
                Some(Step::Member(name)) => Some(name),
                _ => None,
            };
            Ok(Edit::Insert { close, is_first: is_empty, name, in_array: path.appends })
        }
        Found::Nothing(Nothing::NoWay) if is_strict => Err(NoWay::AtOnce),
        Found::Nothing(Nothing::NoWay) => Ok(Edit::Nothing),
    })
}

/// What becomes of the value that was found, if that is an array.
fn append(
    reader: &mut Reader<'_, '_>,
    value: &Value,
    is_strict: bool,
) -> Result<Result<Edit, NoWay>, Fault> {
    if value.first != Event::Array {
        reader.pass(&value.first)?;
        return Ok(if is_strict { Err(NoWay::NoArray) } else { Ok(Edit::Keep) });
    }
    let outside = reader.depth() - 1;
    let is_first = reader.read()? == Event::Close;
    reader.leave(outside)?;
    let close = reader.offset() - 1;
    Ok(Ok(Edit::Insert { close, is_first, name: None, in_array: false }))
}

/// A member with a comma: the one before it, or the one behind it if it is the first.
fn member(text: &Text<'_>, name: usize, comma: Option<usize>, end: usize) -> Range<usize> {
    if let Some(comma) = comma {
        return comma..end;
    }
    let rest = text.bytes()[end..].iter().enumerate();
    let mut rest = rest.skip_while(|(_, byte)| byte.is_ascii_whitespace());
    match rest.next() {
        Some((at, b',')) => name..end + at + 1,
        _ => name..end,
    }
}

/// Writes a text that was changed.
struct Writer<'w, 'a> {
    ctx: &'w FnContext<'a>,
    text: &'w Text<'a>,
    path: &'w Path<'a>,
    is_json: bool,
}

impl<'a> Writer<'_, 'a> {
    fn write(
        &self,
        edit: &Edit,
        value: ValueRef<'_>,
        ty: &SqlType,
        out: &mut ArenaBuffer<'a>,
    ) -> SqlResult<()> {
        let len = self.text.bytes().len();
        match edit {
            Edit::Nothing | Edit::Keep => self.part(0..len, out),
            Edit::Delete(range) => {
                self.part(0..range.start, out)?;
                self.part(range.end..len, out)
            }
            Edit::Replace(range) => {
                self.part(0..range.start, out)?;
                render::value(self.ctx, out, ty, value, self.is_json)?;
                self.part(range.end..len, out)
            }
            Edit::Insert { close, is_first, name, in_array } => {
                self.part(0..*close, out)?;
                if !is_first {
                    put(out, ',')?;
                }
                if let Some(name) = name {
                    self.name(name, out)?;
                }
                if *in_array {
                    put(out, '[')?;
                }
                render::value(self.ctx, out, ty, value, self.is_json)?;
                if *in_array {
                    put(out, ']')?;
                }
                self.part(*close..len, out)
            }
        }
    }

    /// A part of the text as it was.
    fn part(&self, range: Range<usize>, out: &mut ArenaBuffer<'a>) -> SqlResult<()> {
        out.admit(2 * range.len())?;
        self.text.write_part(&range, self.ctx, out)
    }

    /// A name as the path writes it, and the colon.
    fn name(&self, name: &Range<usize>, out: &mut ArenaBuffer<'a>) -> SqlResult<()> {
        put(out, '"')?;
        for unit in self.path.name_units(name) {
            out.try_extend(&unit.to_le_bytes())?;
        }
        put(out, '"')?;
        put(out, ':')
    }
}

fn put(out: &mut ArenaBuffer<'_>, letter: char) -> SqlResult<()> {
    out.try_extend(&[letter as u8, 0])
}

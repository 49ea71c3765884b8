//! OPENJSON.
//!
//! With columns of its own (`OPENJSON(…) WITH (…)`) it is given a path for each
//! column after the document and the document's path. The type of a path says what the column is:
//! of an `nvarchar(max)` an object or array as it is written, of another `nvarchar` a scalar as
//! text, of a `varbinary` the bytes that a string writes in base 64. A `varbinary` is the column's
//! length in four bytes, and then the path.

use std::ops::Range;

use base::json::path::Step;
use base::json::seek::{Found, follow, seek};
use base::json::{Event, Fault, Path, Reader, Scalar, Text};
use base::{Arena, Collation, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetColumn, RowsetTypes, column};
use ir::function::signature::{Call, as_unicode};

use super::document::{document, path_is_null};
use super::read::part;
use crate::func::values::bytes;

/// The states of a text that is wrong: before what the document's path leads to, and in it.
const BEFORE: u8 = 3;
const INSIDE: u8 = 4;

/// The states of a path that leads nowhere: the document's, and a column's; in a string and in a
/// document of type json.
const NOWHERE: u8 = BEFORE;
const NOWHERE_IN_JSON: u8 = 7;
const NOWHERE_OF_COLUMN: u8 = 6;
const NOWHERE_OF_COLUMN_IN_JSON: u8 = 8;

/// Characters of a name that a row has.
const NAME_MAX: usize = 4000;

pub(in crate::func) fn columns(args: &[SqlType]) -> Vec<RowsetColumn> {
    let binary = Collation::by_name("Latin1_General_BIN2").unwrap_or_default();
    vec![
        column("key", SqlType::nvarchar(NAME_MAX as u16, binary), false),
        column("value", SqlType::nvarchar_max(args[0].collation), true),
        column("type", SqlType::tinyint(), false),
    ]
}

pub(in crate::func) fn types(call: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut args = vec![type_of_document(call)?];
    if call.args.len() == 2 {
        args.push(type_of_path(call)?);
    }
    Ok(RowsetTypes { args, visible: 3 })
}

/// What is no string is read as the Unicode string that it converts to. A document of type json has
/// the collation of the columns' strings; its own text is UTF-8 all the same.
fn type_of_document(call: &Call<'_>) -> SqlResult<SqlType> {
    if call.kind(0) == TypeKind::Json {
        return Ok(SqlType { collation: call.collation, ..SqlType::json() });
    }
    let text = call.text(0)?;
    let is_string = call.args[0].bare_null || call.kind(0).is_character();
    Ok(if is_string { text } else { as_unicode(&text) })
}

fn type_of_path(call: &Call<'_>) -> SqlResult<SqlType> {
    let arg = &call.args[1];
    match arg.bare_null && arg.constant.is_some() {
        true => Err(path_is_null("OPENJSON", 1).with_state(9)),
        false => Ok(as_unicode(&call.string(1)?)),
    }
}

/// A row for each member or element of what the document's path leads to.
pub(in crate::func) fn rows<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let Some(opened) = Opened::new(ctx, args, types, 1)? else { return Ok(()) };
    let Opened { text, mut reader, first, .. } = opened;
    let fail = |fault: Fault| fault.error(&text, INSIDE);
    let depth = reader.depth() - 1;
    let mut memory = ctx.arena.beside();
    for at in 0.. {
        memory.reset();
        let row = FnContext { arena: &memory, ..*ctx };
        let mut event = reader.read().map_err(fail)?;
        if reader.depth() == depth {
            break;
        }
        let key = match &event {
            Event::Name(name) => {
                let key = name_value(&row, &text, name)?;
                event = reader.read().map_err(fail)?;
                key
            }
            _ => index_value(&row, at),
        };
        let start = reader.start_of(&event);
        let range = start..reader.pass(&event).map_err(fail)?;
        let value = match &event {
            Event::Scalar(..) => scalar_value(&row, &text, &event)?,
            _ => part(&row, &text, &range)?,
        };
        emit(&[key, value, ValueRef::Int(type_number(&event))])?;
    }
    debug_assert!(matches!(first, Event::Object | Event::Array), "nothing else is opened");
    Ok(())
}

/// A member's name, cut to what the column takes.
fn name_value<'a>(
    ctx: &FnContext<'a>,
    text: &Text<'_>,
    name: &Range<usize>,
) -> SqlResult<ValueRef<'a>> {
    let mut out = ctx.room(2 * name.len())?;
    text.write_string(name, ctx, &mut out)?;
    let units = out.finish();
    Ok(ValueRef::Unicode(&units[..units.len().min(2 * NAME_MAX)]))
}

fn index_value<'a>(ctx: &FnContext<'a>, index: u64) -> ValueRef<'a> {
    let mut out = ctx.arena.buffer();
    base::collation::codepage::string_to_unicode(&index.to_string(), &mut out);
    ValueRef::Unicode(out.finish())
}

/// A scalar as text; NULL for `null`.
fn scalar_value<'a>(
    ctx: &FnContext<'a>,
    text: &Text<'_>,
    event: &Event,
) -> SqlResult<ValueRef<'a>> {
    match event {
        Event::Scalar(Scalar::Null, _) => Ok(ValueRef::Null),
        Event::Scalar(Scalar::String, range) => {
            let mut out = ctx.room(2 * range.len())?;
            text.write_string(&(range.start + 1..range.end - 1), ctx, &mut out)?;
            Ok(ValueRef::Unicode(out.finish()))
        }
        Event::Scalar(_, range) => part(ctx, text, range),
        other => unreachable!("{other:?} is no scalar"),
    }
}

/// The number of a value's kind.
fn type_number(event: &Event) -> i64 {
    match event {
        Event::Scalar(Scalar::Null, _) => 0,
        Event::Scalar(Scalar::String, _) => 1,
        Event::Scalar(Scalar::Number, _) => 2,
        Event::Scalar(Scalar::True | Scalar::False, _) => 3,
        Event::Array => 4,
        _ => 5,
    }
}

/// A document whose path leads to an object or array, which was opened.
struct Opened<'a, 'c> {
    text: Text<'a>,
    reader: Reader<'a, 'c>,
    first: Event,
    start: usize,
}

impl<'a, 'c> Opened<'a, 'c> {
    /// Follows the document's path, if there is one. `None` if there is nothing to open; in strict
    /// mode errors 13608, and 13611 with this state.
    fn new(
        ctx: &'c FnContext<'a>,
        args: &[ValueRef<'a>],
        types: &[SqlType],
        state: u8,
    ) -> SqlResult<Option<Opened<'a, 'c>>> {
        let path = match args.get(1) {
            None => Path::ROOT,
            Some(path) if path.is_null() => return Err(path_is_null("OPENJSON", 1).with_state(9)),
            Some(path) => Path::parse(bytes(*path), false)?,
        };
        if args[0].is_null() {
            return Ok(None);
        }
        let text = document(ctx, args[0], &types[0])?;
        let mut reader = Reader::new(&text, ctx);
        let in_root = if path.is_root() { INSIDE } else { BEFORE };
        match seek(&mut reader, &text, &path).map_err(|fault| fault.error(&text, in_root))? {
            Found::Value(value) if matches!(value.first, Event::Object | Event::Array) => {
                Ok(Some(Opened { text, reader, first: value.first, start: value.start }))
            }
            Found::Value(_) if path.is_strict => {
                Err(SqlError::new(&message::OPENJSON_OF_SCALAR, &[]).with_state(state))
            }
            Found::Nothing(_) if path.is_strict => {
                let error = SqlError::new(&message::JSON_PROPERTY_NOT_FOUND, &[]);
                let is_json = types[0].kind == TypeKind::Json;
                Err(error.with_state(if is_json { NOWHERE_IN_JSON } else { NOWHERE }))
            }
            _ => Ok(None),
        }
    }
}

/// The types of columns with these paths.
pub(in crate::func) fn columns_of_with(args: &[SqlType]) -> Vec<RowsetColumn> {
    let ty = |path: &SqlType| match path.kind.is_binary() {
        true => SqlType::varbinary(SqlType::MAX),
        false => SqlType::nvarchar_max(args[0].collation),
    };
    args[2..].iter().map(|path| column("", ty(path), true)).collect()
}

pub(in crate::func) fn types_of_with(call: &Call<'_>) -> SqlResult<RowsetTypes> {
    let mut args = vec![type_of_document(call)?, type_of_path(call)?];
    args.extend(call.args[2..].iter().map(|path| path.ty));
    Ok(RowsetTypes { visible: args.len() - 2, args })
}

/// A row for each element of the array to which the document's path leads, or one for the object.
pub(in crate::func) fn rows_with<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let wanted: Vec<Wanted<'a>> = args[2..]
        .iter()
        .zip(&types[2..])
        .map(|(path, ty)| Wanted::new(bytes(*path), ty))
        .collect::<SqlResult<_>>()?;
    let Some(opened) = Opened::new(ctx, args, types, 2)? else { return Ok(()) };
    let Opened { text, mut reader, first, start } = opened;
    let mut memory = ctx.arena.beside();
    let nowhere = match types[0].kind {
        TypeKind::Json => NOWHERE_OF_COLUMN_IN_JSON,
        _ => NOWHERE_OF_COLUMN,
    };
    let mut row = Row { text, wanted: &wanted, places: vec![None; wanted.len()], nowhere };
    let mut send = |row: &Row<'_, '_>, range: Range<usize>| {
        memory.reset();
        let values = row.values(&FnContext { arena: &memory, ..*ctx }, range)?;
        emit(&values)
    };
    if first == Event::Object {
        let end = row.read(&mut reader, &first)?;
        return send(&row, start..end);
    }
    let depth = reader.depth() - 1;
    loop {
        let event = reader.read().map_err(|fault| fault.error(&text, INSIDE))?;
        if reader.depth() == depth {
            return Ok(());
        }
        let start = reader.start_of(&event);
        let end = row.read(&mut reader, &event)?;
        send(&row, start..end)?;
    }
}

/// What a column is.
enum Kind {
    Text,
    Json,
    /// With the most bytes that it takes.
    Bytes(usize),
}

/// A column that is wanted.
struct Wanted<'a> {
    path: Path<'a>,
    kind: Kind,
    /// The path's first step, if that is to a member.
    member: Option<Range<usize>>,
}

impl<'a> Wanted<'a> {
    fn new(path: &'a [u8], ty: &SqlType) -> SqlResult<Wanted<'a>> {
        let (kind, path) = match (ty.kind.is_binary(), ty.is_max()) {
            (true, _) => {
                let (length, path) = path.split_first_chunk().expect("it begins with the length");
                (Kind::Bytes(u32::from_le_bytes(*length) as usize), path)
            }
            (false, true) => (Kind::Json, path),
            (false, false) => (Kind::Text, path),
        };
        let path = Path::parse(path, false)?;
        let member = match path.steps().next() {
            Some(Step::Member(name)) => Some(name),
            _ => None,
        };
        Ok(Wanted { path, kind, member })
    }
}

/// An object or element of which a row is made.
struct Row<'a, 'w> {
    text: Text<'a>,
    wanted: &'w [Wanted<'w>],
    /// Where the members to which the first steps of paths lead have their values.
    places: Vec<Option<Range<usize>>>,
    /// The state of a column's path that leads nowhere.
    nowhere: u8,
}

impl Row<'_, '_> {
    /// Reads the value whose first event this is, and keeps where its members are. Returns where
    /// it ends.
    fn read(&mut self, reader: &mut Reader<'_, '_>, first: &Event) -> SqlResult<usize> {
        self.places.iter_mut().for_each(|place| *place = None);
        let end = match first {
            Event::Object => self.read_members(reader),
            other => reader.pass(other),
        };
        end.map_err(|fault| fault.error(&self.text, INSIDE))
    }

    fn read_members(&mut self, reader: &mut Reader<'_, '_>) -> Result<usize, Fault> {
        while let Event::Name(name) = reader.read()? {
            let first = reader.read()?;
            let start = reader.start_of(&first);
            let range = start..reader.pass(&first)?;
            for (place, wanted) in self.places.iter_mut().zip(self.wanted) {
                let Some(member) = &wanted.member else { continue };
                if place.is_none() && wanted.path.names(member, &self.text, &name) {
                    *place = Some(range.clone());
                }
            }
        }
        Ok(reader.offset())
    }

    /// The columns of a row from the value at this place.
    fn values<'a>(&self, ctx: &FnContext<'a>, whole: Range<usize>) -> SqlResult<Vec<ValueRef<'a>>> {
        let columns = self.places.iter().zip(self.wanted);
        columns.map(|(place, wanted)| self.value(ctx, wanted, place, &whole)).collect()
    }

    fn value<'a>(
        &self,
        ctx: &FnContext<'a>,
        wanted: &Wanted<'_>,
        place: &Option<Range<usize>>,
        whole: &Range<usize>,
    ) -> SqlResult<ValueRef<'a>> {
        let (start, done) = match (&wanted.member, place) {
            (None, _) => (Some(whole), 0),
            (Some(_), place) => (place.as_ref(), 1),
        };
        let found = match start {
            Some(range) => {
                let mut reader = Reader::of_part(&self.text, range, ctx);
                let steps = wanted.path.steps().skip(done);
                match follow(&mut reader, &self.text, &wanted.path, steps) {
                    Ok(Found::Value(value)) => Some((value, reader)),
                    Ok(Found::Nothing(_)) => None,
                    Err(fault) => return Err(fault.error(&self.text, INSIDE)),
                }
            }
            None => None,
        };
        let Some((value, mut reader)) = found else {
            return super::read::not_found(&wanted.path, self.nowhere);
        };
        let is_scalar = matches!(value.first, Event::Scalar(..));
        let is_wanted = is_scalar != matches!(wanted.kind, Kind::Json);
        match (&value.first, &wanted.kind) {
            (Event::Scalar(Scalar::Null, _), _) => Ok(ValueRef::Null),
            _ if !is_wanted && wanted.path.is_strict => {
                Err(SqlError::new(&message::JSON_CONTAINER_NOT_FOUND, &[]).with_state(1))
            }
            _ if !is_wanted => Ok(ValueRef::Null),
            (_, Kind::Json) => {
                let end = reader.pass(&value.first).map_err(|f| f.error(&self.text, INSIDE))?;
                part(ctx, &self.text, &(value.start..end))
            }
            (_, Kind::Text) => scalar_value(ctx, &self.text, &value.first),
            (_, Kind::Bytes(most)) => {
                decoded(ctx, scalar_value(ctx, &self.text, &value.first)?, *most)
            }
        }
    }
}

/// The bytes that a string writes in base 64. Errors 13612, 13613.
fn decoded<'a>(ctx: &FnContext<'a>, text: ValueRef<'a>, most: usize) -> SqlResult<ValueRef<'a>> {
    let not_base64 = || SqlError::new(&message::JSON_NOT_BASE64, &[]);
    let letters = arena_letters(ctx.arena, bytes(text)).ok_or_else(not_base64)?;
    let room = ctx.arena.alloc_zeroed(base64::decoded_len_estimate(letters.len()));
    let len = BASE64_STANDARD.decode_slice(letters, room).map_err(|_| not_base64())?;
    match len > most {
        true => Err(SqlError::new(&message::JSON_BASE64_TOO_LONG, &[])),
        false => Ok(ValueRef::Bytes(&room[..len])),
    }
}

/// The bytes of a Unicode string that has only ASCII.
fn arena_letters<'a>(arena: &'a Arena, units: &[u8]) -> Option<&'a [u8]> {
    let letters = arena.alloc_zeroed(units.len() / 2);
    for (letter, unit) in letters.iter_mut().zip(units.chunks_exact(2)) {
        if unit[1] != 0 {
            return None;
        }
        *letter = unit[0];
    }
    Some(letters)
}

//! JSON_ARRAYAGG, JSON_OBJECTAGG and the document of `FOR JSON`. Scalar functions have made texts
//! of the values, each with a comma at its end; here they are put one after the other.

use base::{Arena, SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::json::Frame;
use ir::function::signature::Call;
use ir::function::state::{AggregateState, More};
use smallvec::SmallVec;

use crate::func::values::{bytes, bytes_or_none};

/// `,` in UTF-16LE.
const COMMA: usize = 2;

pub(super) fn types_of_parts(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::nvarchar_max(call.collation);
    Ok(call.types(text, &[text]))
}

/// Appends a part; a row without one counts.
pub(super) fn add_part(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    state.count += 1;
    if !args[0].is_null() {
        state.bytes().extend_from_slice(bytes(args[0]));
    }
    check_length(state, types)
}

pub(super) fn finish_array<'a>(
    state: &AggregateState,
    _: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    enclosed(state, "[", "]", arena)
}

pub(super) fn finish_object<'a>(
    state: &AggregateState,
    _: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    enclosed(state, "{", "}", arena)
}

/// The parts without the last comma; NULL if there was no row.
fn enclosed<'a>(
    state: &AggregateState,
    opening: &str,
    closing: &str,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if state.count == 0 {
        return Ok(ValueRef::Null);
    }
    let parts = collected(state);
    arena.admit(parts.len() + COMMA)?;
    let mut out = arena.buffer_of(parts.len() + COMMA);
    out.extend(&wide(opening));
    out.extend(&parts[..parts.len().saturating_sub(COMMA)]);
    out.extend(&wide(closing));
    Ok(ValueRef::Unicode(out.finish()))
}

/// (opening, frame, one text for each level): see [`ir::function::json::names::DOCUMENT`].
pub(super) fn types_of_document(call: &Call<'_>) -> SqlResult<Inferred> {
    let text = SqlType::nvarchar_max(call.collation);
    let mut args = vec![text; call.args.len()];
    args[1] = SqlType::varbinary_max();
    Ok(call.types(text, &args))
}

/// Where the text of a level lies in the document.
#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    end: u32,
}

impl Place {
    const BYTES: usize = 8;

    fn read(bytes: &[u8]) -> Place {
        let number = |at: usize| {
            let bytes = bytes[at..at + 4].try_into().expect("four bytes were taken");
            u32::from_le_bytes(bytes)
        };
        Place { start: number(0), end: number(4) }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start.to_le_bytes());
        out.extend_from_slice(&self.end.to_le_bytes());
    }

    fn of(self, document: &[u8]) -> &[u8] {
        &document[self.start as usize..self.end as usize]
    }
}

/// Appends a row: what its outer levels share with the row before is not written again, and the
/// objects that it is not part of are closed before.
///
/// Behind the document the state keeps the places of the outer levels' texts.
pub(super) fn add_row(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    let levels = &args[2..];
    let outer = levels.len() - 1;
    let is_first = state.count == 0;
    state.count += 1;
    if is_first {
        state.set_sum(i128::from(bytes_or_none(args[1]).first().copied().unwrap_or(0)));
    }
    let out = state.bytes();
    let mut places: SmallVec<[Place; 4]>;
    let changed = match is_first {
        true => {
            places = smallvec::smallvec![Place::default(); outer];
            out.extend_from_slice(bytes_or_none(args[0]));
            0
        }
        false => {
            places = take_places(out, outer);
            let differs = |level: &usize| places[*level].of(out) != bytes_or_none(levels[*level]);
            let changed = (0..outer).find(differs).unwrap_or(outer);
            close_levels(out, outer - changed);
            changed
        }
    };
    for (level, text) in levels.iter().enumerate().skip(changed) {
        let start = out.len() as u32;
        out.extend_from_slice(bytes_or_none(*text));
        if let Some(place) = places.get_mut(level) {
            *place = Place { start, end: out.len() as u32 };
        }
    }
    places.iter().for_each(|place| place.write(out));
    check_length(state, types)
}

fn take_places(out: &mut Vec<u8>, outer: usize) -> SmallVec<[Place; 4]> {
    let end = out.len() - outer * Place::BYTES;
    let places = out[end..].chunks_exact(Place::BYTES).map(Place::read).collect();
    out.truncate(end);
    places
}

/// Ends the arrays of some levels and the objects that they are in.
fn close_levels(out: &mut Vec<u8>, levels: usize) {
    for _ in 0..levels {
        out.truncate(out.len().saturating_sub(COMMA));
        out.extend_from_slice(&wide("]},"));
    }
}

pub(super) fn finish_document<'a>(
    state: &AggregateState,
    types: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if state.count == 0 {
        return Ok(ValueRef::Null);
    }
    let outer = types.args.len() - 3;
    let collected = collected(state);
    let end = collected.len() - outer * Place::BYTES;
    let document = &collected[..end.saturating_sub(COMMA)];
    let frame = Frame::of(state.sum() as u8);
    let mut closing = "]}".repeat(outer);
    closing.push_str(if frame.array { "]" } else { "" });
    closing.push_str(if frame.root { "}" } else { "" });
    arena.admit(document.len() + 2 * closing.len())?;
    let mut out = arena.buffer_of(document.len() + 2 * closing.len());
    out.extend(document);
    out.extend(&wide(&closing));
    Ok(ValueRef::Unicode(out.finish()))
}

fn collected(state: &AggregateState) -> &[u8] {
    match &state.more {
        More::Bytes(bytes) => bytes,
        _ => &[],
    }
}

/// Error 7119 for what is longer than a value may be.
fn check_length(state: &mut AggregateState, types: &CallTypes) -> SqlResult<()> {
    let limit = types.result.byte_limit();
    match collected(state).len() > limit {
        true => Err(SqlError::new(&message::LOB_TOO_LARGE, &[&limit])),
        false => Ok(()),
    }
}

/// ASCII as UTF-16LE.
fn wide(text: &str) -> SmallVec<[u8; 16]> {
    text.bytes().flat_map(|byte| [byte, 0]).collect()
}

//! The document of `FOR XML`. A scalar function has made a text of each row, or of each level of a
//! row; here they are put one after the other.
//!
//! The state keeps `[length of the frame][frame][document][entries][number of entries]`. Of levels
//! an entry is where the text of an outer one lies, of a universal table an open element.
//! Elements of these may have attributes that are lists, to which the rows after them add values.

use base::{Arena, SqlError, SqlResult, ValueRef, message};
use ir::function::descriptor::CallTypes;
use ir::function::state::{AggregateState, More};
use ir::function::xml::{Atoms, FrameView, Trailer};
use smallvec::SmallVec;

use crate::func::values::bytes_or_none;

/// Bytes of a number.
const NUMBER: usize = 4;

/// A place in the state; or a tag and where its start tag lies, with [`OPEN`] if that has no end.
#[derive(Clone, Copy, Default)]
struct Entry(u32, u32);

/// No state is that long.
const OPEN: u32 = 1 << 31;

type Entries = SmallVec<[Entry; 4]>;

fn number(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes[at..at + NUMBER].try_into().expect("four bytes were taken");
    u32::from_le_bytes(bytes)
}

/// The frame, and where the document begins.
fn frame_of(kept: &[u8]) -> (FrameView<'_>, usize) {
    let end = NUMBER + number(kept, 0) as usize;
    (FrameView::of(&kept[NUMBER..end]), end)
}

/// The entries, and where they begin.
fn entries_of(kept: &[u8]) -> (Entries, usize) {
    let count = number(kept, kept.len() - NUMBER) as usize;
    let start = kept.len() - NUMBER - count * 2 * NUMBER;
    let entries = kept[start..kept.len() - NUMBER].chunks_exact(2 * NUMBER);
    (entries.map(|entry| Entry(number(entry, 0), number(entry, NUMBER))).collect(), start)
}

fn put_entries(out: &mut Vec<u8>, entries: &Entries) {
    for Entry(first, second) in entries {
        out.extend_from_slice(&first.to_le_bytes());
        out.extend_from_slice(&second.to_le_bytes());
    }
    out.extend_from_slice(&(entries.len() as u32).to_le_bytes());
}

/// Appends a row. Errors 6805, 6826, 6833, 7119.
pub(super) fn add_row(
    state: &mut AggregateState,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> SqlResult<()> {
    let frame = bytes_or_none(args[1]);
    let is_first = state.count == 0;
    state.count += 1;
    let after_atom = state.sum() != 0;
    let out = state.bytes();
    let mut entries = Entries::new();
    if is_first {
        out.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        out.extend_from_slice(frame);
        out.extend_from_slice(bytes_or_none(args[0]));
    } else {
        let (found, start) = entries_of(out);
        entries = found;
        out.truncate(start);
    }
    let frame = FrameView::of(frame);
    let levels = &args[2..];
    if frame.universal {
        add_universal(out, &mut entries, frame, bytes_or_none(levels[0]))?;
    } else if frame.joined {
        let (text, atoms) = Atoms::split(bytes_or_none(levels[0]));
        if after_atom && atoms.first {
            out.extend_from_slice(&wide(" "));
        }
        out.extend_from_slice(text);
        put_entries(out, &entries);
        state.set_sum(i128::from(atoms.last || (after_atom && text.is_empty())));
        return check_length(state, types);
    } else {
        add_levels(out, &mut entries, frame, levels);
    }
    put_entries(out, &entries);
    check_length(state, types)
}

/// Appends what differs from the row before, and ends the elements that the row is not part of.
fn add_levels(
    out: &mut Vec<u8>,
    entries: &mut Entries,
    frame: FrameView<'_>,
    levels: &[ValueRef<'_>],
) {
    let outer = levels.len() - 1;
    let mut changed = 0;
    if entries.len() == outer && outer > 0 {
        let same = |(at, (key, _)): &(usize, (u32, &[u8]))| {
            let Entry(start, end) = entries[*at];
            *key == 0 && out[start as usize..end as usize] == *bytes_or_none(levels[*at])
        };
        changed = frame.elements().enumerate().take_while(same).count();
        for level in (changed..outer).rev() {
            out.extend_from_slice(frame.closing(level as u32));
        }
    }
    entries.resize(outer, Entry::default());
    for (level, text) in levels.iter().enumerate().skip(changed) {
        let start = out.len() as u32;
        out.extend_from_slice(bytes_or_none(*text));
        if let Some(entry) = entries.get_mut(level) {
            *entry = Entry(start, out.len() as u32);
        }
    }
}

/// Appends a row of a universal table below its parent, which must be open.
fn add_universal(
    out: &mut Vec<u8>,
    entries: &mut Entries,
    frame: FrameView<'_>,
    text: &[u8],
) -> SqlResult<()> {
    let Some((text, Trailer { tag, parent, is_open, is_list })) = Trailer::split(text) else {
        return Ok(());
    };
    if is_list {
        return add_list(out, entries, (tag, parent), text);
    }
    let kept = match parent {
        0 => 0,
        _ => match entries.iter().rposition(|entry| entry.0 == parent) {
            Some(at) => at + 1,
            None => {
                let message = &message::FOR_XML_EXPLICIT_PARENT_CLOSED;
                return Err(SqlError::new(message, &[&parent]));
            }
        },
    };
    while entries.len() > kept {
        close(out, entries, frame);
    }
    if entries.iter().any(|entry| entry.0 == tag) {
        return Err(SqlError::new(&message::FOR_XML_EXPLICIT_CIRCULAR, &[]));
    }
    if let Some(Entry(_, start)) = entries.last_mut()
        && *start & OPEN != 0
    {
        *start &= !OPEN;
        out.extend_from_slice(&wide(">"));
    }
    let start = out.len() as u32;
    out.extend_from_slice(text);
    entries.push(Entry(tag, if is_open { start | OPEN } else { start }));
    Ok(())
}

/// Adds a value to a list of the element before, which must have the row's tag and parent. Error
/// 6826.
fn add_list(
    out: &mut Vec<u8>,
    entries: &Entries,
    (tag, parent): (u32, u32),
    text: &[u8],
) -> SqlResult<()> {
    let misplaced = || SqlError::new(&message::FOR_XML_EXPLICIT_IDREFS, &[]);
    let (Entry(last, start), outer) = entries.split_last().ok_or_else(misplaced)?;
    if *last != tag || outer.last().map_or(0, |entry| entry.0) != parent {
        return Err(misplaced());
    }
    let mut lists = Trailer::attributes(text);
    let (Some((name, value)), None) = (lists.next(), lists.next()) else {
        return Err(misplaced());
    };
    let start = (*start & !OPEN) as usize;
    let end = start + Trailer::start_tag(&out[start..]);
    // The name of the element stands before that of its first attribute.
    let own = Trailer::attributes(&out[start..end]).find(|(own, _)| own.ends_with(name));
    match own {
        Some((_, own)) => {
            let end = start + own.end;
            out.splice(end..end, [&wide(" ")[..], &text[value]].concat());
        }
        None => {
            out.splice(end..end, text.iter().copied());
        }
    }
    Ok(())
}

/// Ends the innermost open element.
fn close(out: &mut Vec<u8>, entries: &mut Entries, frame: FrameView<'_>) {
    if let Some(Entry(tag, start)) = entries.pop() {
        match start & OPEN {
            0 => out.extend_from_slice(frame.closing(tag)),
            _ => out.extend_from_slice(&wide("/>")),
        }
    }
}

/// The document; NULL without rows.
pub(super) fn finish_document<'a>(
    state: &AggregateState,
    _: &CallTypes,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if state.count == 0 {
        return Ok(ValueRef::Null);
    }
    let More::Bytes(kept) = &state.more else {
        return Ok(ValueRef::Null);
    };
    let (frame, start) = frame_of(kept);
    let (mut entries, end) = entries_of(kept);
    let mut closing = Vec::new();
    match frame.universal {
        true => {
            while !entries.is_empty() {
                close(&mut closing, &mut entries, frame);
            }
        }
        false => {
            for level in (0..entries.len()).rev() {
                closing.extend_from_slice(frame.closing(level as u32));
            }
        }
    }
    closing.extend_from_slice(frame.end);
    let document = &kept[start..end];
    arena.admit(document.len() + closing.len())?;
    let mut out = arena.buffer_of(document.len() + closing.len());
    out.extend(document);
    out.extend(&closing);
    Ok(ValueRef::Unicode(out.finish()))
}

/// Error 7119 for what is longer than a value may be.
fn check_length(state: &mut AggregateState, types: &CallTypes) -> SqlResult<()> {
    let limit = types.result.byte_limit();
    let kept = match &state.more {
        More::Bytes(kept) => kept.len(),
        _ => 0,
    };
    match kept > limit {
        true => Err(SqlError::new(&message::LOB_TOO_LARGE, &[&limit])),
        false => Ok(()),
    }
}

/// ASCII as UTF-16LE.
fn wide(text: &str) -> SmallVec<[u8; 4]> {
    text.bytes().flat_map(|byte| [byte, 0]).collect()
}

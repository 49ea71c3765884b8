//! Where a path leads in a text.
//!
//! A reader stops where the answer is known (J1). It knows that a path leads nowhere
//!
//! * at the first member of an object of which an element is wanted, and at the first element of
//!   an array of which a member is wanted;
//! * else one event behind the container in which the step finds nothing, or behind the value that
//!   is no container; behind the root, that is the end of the text.

use std::ops::Range;

use super::path::{Path, Step};
use super::reader::{Event, Fault, Reader};
use super::text::Text;

/// What a path leads to.
#[derive(Debug)]
pub enum Found {
    /// A value. The reader is behind this first event of it.
    Value(Value),
    /// Nothing.
    Nothing(Nothing),
}

/// A value that was found.
#[derive(Debug)]
pub struct Value {
    /// The first event of the value.
    pub first: Event,
    /// Where the value begins.
    pub start: usize,
    /// Where the name of the member begins whose value it is; nothing for the root and for
    /// elements.
    pub name: Option<usize>,
    /// Where the comma before the member or element is, unless it is the first.
    pub comma: Option<usize>,
}

/// Why a path leads to nothing.
#[derive(Debug)]
pub enum Nothing {
    /// The object to which all steps but the last lead has no such member.
    NoMember {
        /// Where the object's closing brace is.
        close: usize,
        /// Whether it has no members.
        is_empty: bool,
    },
    /// Anything else.
    NoWay,
}

/// Follows a path from the root of a text that was not read yet.
pub fn seek(reader: &mut Reader<'_, '_>, text: &Text<'_>, path: &Path<'_>) -> Result<Found, Fault> {
    follow(reader, text, path, path.steps())
}

/// Follows some steps of a path from the value that the reader reads first.
pub fn follow(
    reader: &mut Reader<'_, '_>,
    text: &Text<'_>,
    path: &Path<'_>,
    steps: impl Iterator<Item = Step>,
) -> Result<Found, Fault> {
    let first = reader.read()?;
    let start = reader.start_of(&first);
    let mut value = Value { first, start, name: None, comma: None };
    let mut steps = steps.peekable();
    while let Some(step) = steps.next() {
        let is_last = steps.peek().is_none();
        let next = match (&step, &value.first) {
            (Step::Member(name), Event::Object) => member(reader, text, path, name, is_last)?,
            (Step::Element(index), Event::Array) => element(reader, *index)?,
            (_, first) => {
                let is_container = matches!(first, Event::Object | Event::Array);
                if !is_container || reader.read()? == Event::Close {
                    settle(reader)?;
                }
                Found::Nothing(Nothing::NoWay)
            }
        };
        match next {
            Found::Value(next) => value = next,
            nothing => return Ok(nothing),
        }
    }
    Ok(Found::Value(value))
}

/// Reads one event more, and behind the root the end of the text, too.
fn settle(reader: &mut Reader<'_, '_>) -> Result<(), Fault> {
    if reader.depth() > 0 {
        reader.read()?;
    }
    match reader.depth() {
        0 => reader.finish(),
        _ => Ok(()),
    }
}

/// The first member of this name in the object that was opened last.
fn member(
    reader: &mut Reader<'_, '_>,
    text: &Text<'_>,
    path: &Path<'_>,
    wanted: &Range<usize>,
    is_last: bool,
) -> Result<Found, Fault> {
    let depth = reader.depth() - 1;
    let mut is_empty = true;
    while let Event::Name(name) = reader.read()? {
        is_empty = false;
        let comma = reader.comma();
        let is_wanted = path.names(wanted, text, &name);
        let first = reader.read()?;
        if is_wanted {
            let start = reader.start_of(&first);
            let name = Some(name.start - 1);
            return Ok(Found::Value(Value { first, start, name, comma }));
        }
        reader.pass(&first)?;
    }
    debug_assert_eq!(reader.depth(), depth, "the object was closed");
    let close = reader.offset() - 1;
    settle(reader)?;
    Ok(Found::Nothing(match is_last {
        true => Nothing::NoMember { close, is_empty },
        false => Nothing::NoWay,
    }))
}

/// The element at this index of the array that was opened last.
fn element(reader: &mut Reader<'_, '_>, index: u32) -> Result<Found, Fault> {
    for at in 0.. {
        let first = reader.read()?;
        if first == Event::Close {
            break;
        }
        if at == index {
            let (start, comma) = (reader.start_of(&first), reader.comma());
            return Ok(Found::Value(Value { first, start, name: None, comma }));
        }
        reader.pass(&first)?;
    }
    settle(reader)?;
    Ok(Found::Nothing(Nothing::NoWay))
}

/// What is done with a value whose first event this is, read last: whether that is enough.
pub type Visit<'v> = dyn FnMut(&Event) -> Result<bool, Fault> + 'v;

/// Visits each value to which a path leads from the root of a text that was not read yet, until it
/// is enough, and returns whether it was.
pub fn visit(
    reader: &mut Reader<'_, '_>,
    text: &Text<'_>,
    path: &Path<'_>,
    found: &mut Visit<'_>,
) -> Result<bool, Fault> {
    let steps: Vec<Step> = path.steps().collect();
    let first = reader.read()?;
    visit_from(reader, text, path, &steps, &first, found)
}

/// Visits what some steps of a path lead to from the value whose first event this is, and reads the
/// rest of that value.
fn visit_from(
    reader: &mut Reader<'_, '_>,
    text: &Text<'_>,
    path: &Path<'_>,
    steps: &[Step],
    first: &Event,
    found: &mut Visit<'_>,
) -> Result<bool, Fault> {
    let Some((step, steps)) = steps.split_first() else {
        let enough = found(first)?;
        if !enough {
            reader.pass(first)?;
        }
        return Ok(enough);
    };
    if !matches!(
        (step, first),
        (Step::Member(_), Event::Object) | (Step::Element(_) | Step::Every, Event::Array)
    ) {
        reader.pass(first)?;
        return Ok(false);
    }
    let mut is_found = false;
    for at in 0.. {
        let mut event = reader.read()?;
        let is_wanted = match (step, &event) {
            (_, Event::Close) => break,
            (Step::Member(name), Event::Name(member)) => {
                let is_wanted = !is_found && path.names(name, text, member);
                event = reader.read()?;
                is_wanted
            }
            (Step::Element(index), _) => at == *index,
            _ => true,
        };
        is_found |= is_wanted;
        match is_wanted {
            true if visit_from(reader, text, path, steps, &event, found)? => return Ok(true),
            true => {}
            false => _ = reader.pass(&event)?,
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;

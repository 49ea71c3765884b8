//! The paths that a selective XML index knows: which of a document's nodes they lead to.

use base::error::{SqlError, SqlResult};
use base::message;

use super::{STEP_BYTES, step_number};
use crate::expr::*;
use crate::{Body, Context, NoExternal, NodeShape, Purpose, Query};

/// Why a path cannot be one of a selective index.
#[derive(Debug)]
pub enum Unfit {
    /// It is no query.
    Wrong(SqlError),
    /// It is more than a path from the document, or has predicates.
    NotSimple,
    /// It has a test that is not allowed.
    Contains(&'static str),
    /// `*` is its last step.
    LastStar,
    /// `*` stands for a part of a name.
    HalfStar,
}

/// A simple path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Step([u8; STEP_BYTES]),
    /// Any element.
    Any,
    /// Any number of elements.
    Deep,
}

/// A path of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Its name.
    pub name: String,
    /// What it leads to.
    pub pattern: Pattern,
    /// Whether a document has one such node at most.
    pub is_singleton: bool,
    /// The most characters that a value may have.
    pub max_length: Option<u32>,
}

/// The paths of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The name of the index.
    pub index: String,
    /// The paths.
    pub paths: Vec<Selected>,
}

impl Pattern {
    /// Reads a path, with prefixes and URIs as [`Context`] has them.
    pub fn parse(text: &str, namespaces: &[(&str, &str)]) -> Result<Pattern, Unfit> {
        let (external, shape) = (&NoExternal, &NodeShape::default());
        let receiver = "exist()";
        let context = Context { receiver, namespaces, external, shape, is_checked: false };
        let query = Query::compile(text, Purpose::Exist, &context).map_err(Unfit::Wrong)?;
        let Body::Expr(Expr::Path(path)) = &query.body else { return Err(Unfit::NotSimple) };
        let (mut paths, mut at) = (vec![&**path], &path.base);
        while let Expr::Path(inner) = at {
            paths.push(inner);
            at = &inner.base;
        }
        if !matches!(at, Expr::Root) {
            return Err(Unfit::NotSimple);
        }
        let mut parts = Vec::new();
        for step in paths.iter().rev().flat_map(|path| &path.steps) {
            put(&mut parts, step)?;
        }
        match parts.last() {
            Some(Part::Step(_)) => Ok(Pattern { parts }),
            Some(Part::Any) => Err(Unfit::LastStar),
            Some(Part::Deep) | None => Err(Unfit::NotSimple),
        }
    }

    /// Whether this is the path of a node, given as an entry has it.
    fn is_of(&self, path: &[u8]) -> bool {
        // The last step comes first in a path.
        let at = |step: usize| &path[path.len() - STEP_BYTES * (step + 1)..][..STEP_BYTES];
        let (mut part, mut step) = (0, 0);
        // Where to go on if what follows the last deep part does not fit.
        let mut again: Option<(usize, usize)> = None;
        while step < path.len() / STEP_BYTES {
            let fits = match self.parts.get(part) {
                Some(Part::Deep) => {
                    again = Some((part, step));
                    part += 1;
                    continue;
                }
                Some(Part::Any) => true,
                Some(Part::Step(wanted)) => wanted[..] == *at(step),
                None => false,
            };
            match (fits, again) {
                (true, _) => (part, step) = (part + 1, step + 1),
                (false, Some((deep, from))) => {
                    again = Some((deep, from + 1));
                    (part, step) = (deep + 1, from + 1);
                }
                (false, None) => return false,
            }
        }
        part == self.parts.len()
    }

    /// Whether all nodes that have a path, or a path with this end, are nodes of this one.
    pub fn covers(&self, path: &[u8], is_whole: bool) -> bool {
        if is_whole {
            return self.is_of(path);
        }
        let Some((Part::Deep, rest)) = self.parts.split_first() else { return false };
        let ends = rest.iter().rev().zip(path.chunks(STEP_BYTES));
        let is_same = |(part, step): (&Part, &[u8])| match part {
            Part::Step(own) => own[..] == *step,
            Part::Any | Part::Deep => false,
        };
        rest.len() <= path.len() / STEP_BYTES && ends.into_iter().all(is_same)
    }
}

fn put(parts: &mut Vec<Part>, step: &Step) -> Result<(), Unfit> {
    if !step.predicates.list.is_empty() {
        return Err(Unfit::NotSimple);
    }
    let mut named = |is_attribute, name: &NameTest| match (&name.uri, &name.local) {
        (Some(uri), Some(local)) => {
            parts.push(Part::Step(step_number(is_attribute, uri, local)));
            Ok(())
        }
        (None, None) if is_attribute => Err(Unfit::LastStar),
        (None, None) => {
            parts.push(Part::Any);
            Ok(())
        }
        _ => Err(Unfit::HalfStar),
    };
    match (step.axis, &step.test) {
        (Axis::Child, NodeTest::Name(name)) => named(false, name),
        (Axis::Attribute, NodeTest::Name(name)) => named(true, name),
        (Axis::Descendant, NodeTest::Name(name)) => {
            parts.push(Part::Deep);
            put_named(parts, name)
        }
        (Axis::DescendantOrSelf, NodeTest::Any) => {
            parts.push(Part::Deep);
            Ok(())
        }
        (_, NodeTest::Text) => Err(Unfit::Contains("text()")),
        (_, NodeTest::Comment) => Err(Unfit::Contains("comment()")),
        (_, NodeTest::Instruction(_)) => Err(Unfit::Contains("processing-instruction()")),
        (_, NodeTest::Any) => Err(Unfit::Contains("node()")),
        _ => Err(Unfit::NotSimple),
    }
}

/// An element's name behind `//`.
fn put_named(parts: &mut Vec<Part>, name: &NameTest) -> Result<(), Unfit> {
    match (&name.uri, &name.local) {
        (Some(uri), Some(local)) => parts.push(Part::Step(step_number(false, uri, local))),
        (None, None) => parts.push(Part::Any),
        _ => return Err(Unfit::HalfStar),
    }
    Ok(())
}

impl Selection {
    /// The constant for [`super::entries`].
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.index);
        for path in &self.paths {
            put_text(&mut out, &path.name);
            out.push(path.is_singleton.into());
            out.extend_from_slice(&path.max_length.unwrap_or(0).to_le_bytes());
            out.extend_from_slice(&(path.pattern.parts.len() as u32).to_le_bytes());
            for part in &path.pattern.parts {
                let (kind, step) = match part {
                    Part::Step(step) => (0, *step),
                    Part::Any => (1, [0; STEP_BYTES]),
                    Part::Deep => (2, [0; STEP_BYTES]),
                };
                out.push(kind);
                out.extend_from_slice(&step);
            }
        }
        out
    }

    /// What such a constant says; `None` if it is none.
    pub fn decode(bytes: &[u8]) -> Option<Selection> {
        let mut rest = bytes;
        let rest = &mut rest;
        let index = text(rest)?;
        let mut paths = Vec::new();
        while !rest.is_empty() {
            let name = text(rest)?;
            let is_singleton = take::<1>(rest)?[0] == 1;
            let max_length = Some(u32::from_le_bytes(take(rest)?)).filter(|length| *length > 0);
            let mut parts = Vec::new();
            for _ in 0..u32::from_le_bytes(take(rest)?) {
                let [kind] = take::<1>(rest)?;
                let step = take(rest)?;
                parts.push(match kind {
                    0 => Part::Step(step),
                    1 => Part::Any,
                    _ => Part::Deep,
                });
            }
            let pattern = Pattern { parts };
            paths.push(Selected { name, pattern, is_singleton, max_length });
        }
        Some(Selection { index, paths })
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*bytes)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let length = u32::from_le_bytes(take(rest)?) as usize;
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(std::str::from_utf8(bytes).ok()?.to_owned())
}

/// Which nodes of a document are those of a selection.
pub(super) struct Sieve<'s> {
    selection: &'s Selection,
    /// How many nodes of each path have come.
    counts: Vec<usize>,
    matched: Vec<usize>,
}

impl<'s> Sieve<'s> {
    pub(super) fn new(selection: &'s Selection) -> Sieve<'s> {
        Sieve { selection, counts: vec![0; selection.paths.len()], matched: Vec::new() }
    }

    /// How many paths there are.
    pub(super) fn paths(&self) -> usize {
        self.selection.paths.len()
    }

    /// Whether a node with a path is one; pieces of text do not count beside their elements. Error
    /// 6380.
    pub(super) fn lets_in(&mut self, path: &[u8], is_piece: bool) -> SqlResult<bool> {
        self.matched.clear();
        for (at, own) in self.selection.paths.iter().enumerate() {
            if !own.pattern.is_of(path) {
                continue;
            }
            self.matched.push(at);
            self.counts[at] += usize::from(!is_piece);
            if own.is_singleton && self.counts[at] > 1 {
                let args: [&dyn std::fmt::Display; 2] = [&own.name, &self.selection.index];
                return Err(SqlError::new(&message::SELECTIVE_SEVERAL, &args));
            }
        }
        Ok(!self.matched.is_empty())
    }

    /// Whether a value's length matters for the last node that was let in.
    pub(super) fn has_limit(&self) -> bool {
        self.matched.iter().any(|at| self.selection.paths[*at].max_length.is_some())
    }

    /// Error 6389 for a value of that node that is too long.
    pub(super) fn check_length(&self, length: usize) -> SqlResult<()> {
        for at in &self.matched {
            let own = &self.selection.paths[*at];
            let Some(most) = own.max_length.filter(|most| length > *most as usize) else {
                continue;
            };
            let args: [&dyn std::fmt::Display; 3] = [&most, &own.name, &self.selection.index];
            return Err(SqlError::new(&message::SELECTIVE_TOO_LONG, &args));
        }
        Ok(())
    }
}

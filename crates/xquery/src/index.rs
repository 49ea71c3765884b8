//! What an index of nodes knows of documents, and what it can tell of a query.
//!
//! # Entries
//!
//! A document has an [`Entry`] for each element and attribute: its path and the beginning of its
//! string value. An element with text beside other nodes has one more for each piece of text, since
//! a query may ask for `text()`.
//!
//! A path is a number of four bytes for each step, the last step first, so that paths that end
//! alike begin alike. Different names may have one number.
//!
//! # Invariant
//!
//! * N1: a document in which `exist()` finds something has an entry for the query's
//!   [`Condition`]. The reverse need not hold: the query itself decides.

use base::error::SqlResult;
use base::pace::{Pace, Stride};
use base::xml::{Document, NodeId, NodeKind};

use crate::atomic::Atomic;
use crate::expr::*;
use crate::types::{AtomicType, Class};
use crate::{Body, Query};

/// How many bytes of a value an entry has.
pub const VALUE_BYTES: usize = 128;

/// The longest path: elements nest 128 deep, and the last one may have an attribute.
pub const PATH_BYTES: usize = STEP_BYTES * 130;

const STEP_BYTES: usize = 4;

/// A node of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'e> {
    /// The number of the node in its document.
    pub node: u32,
    /// Its path.
    pub path: &'e [u8],
    /// The beginning of its value.
    pub value: &'e [u8],
}

/// What an index is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The path of a node, or what it begins with.
    pub path: Vec<u8>,
    /// Whether the path is all of it.
    pub is_whole: bool,
    /// The value of the node.
    pub value: Option<Sought>,
}

/// A value that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// This text.
    Text(String),
    /// An outer value, by the number that [`crate::External`] gave it.
    External(usize),
}

/// What an entry has of a value.
pub fn beginning(value: &[u8]) -> &[u8] {
    &value[..value.len().min(VALUE_BYTES)]
}

/// The number of a step: FNV-1a of its kind, URI and local name.
fn step_number(is_attribute: bool, uri: &str, local: &str) -> [u8; STEP_BYTES] {
    const OFFSET: u32 = 0x811C_9DC5;
    const PRIME: u32 = 0x0100_0193;
    let kind = [u8::from(is_attribute)];
    let bytes = kind.iter().chain(uri.as_bytes()).chain(&[0]).chain(local.as_bytes());
    bytes.fold(OFFSET, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME)).to_be_bytes()
}

/// Calls back with the entries of a document.
pub fn entries(
    document: &Document,
    pace: &dyn Pace,
    each: &mut dyn FnMut(Entry<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    let mut stride = Stride::new(pace);
    // The elements around a node, each with the first node behind it.
    let mut open: Vec<(NodeId, [u8; STEP_BYTES])> = Vec::new();
    let (mut path, mut value) = (Vec::new(), Vec::new());
    for node in document.nodes() {
        while open.last().is_some_and(|(after, _)| *after <= node) {
            open.pop();
        }
        let kind = document.kind(node);
        let is_mixed = kind == NodeKind::Text && is_piece(document, node);
        stride.step(STEP_BYTES * (open.len() + 1))?;
        if !is_mixed && !matches!(kind, NodeKind::Element | NodeKind::Attribute) {
            continue;
        }
        path.clear();
        if !is_mixed {
            let name = document.name(node);
            let step = step_number(kind == NodeKind::Attribute, name.uri, name.local);
            path.extend_from_slice(&step);
            if kind == NodeKind::Element {
                open.push((document.after(node), step));
            }
        }
        let around = open.len() - usize::from(kind == NodeKind::Element);
        open[..around].iter().rev().for_each(|(_, step)| path.extend_from_slice(step));
        value.clear();
        for text in document.texts(node) {
            let room = VALUE_BYTES - value.len();
            value.extend_from_slice(&text.as_bytes()[..text.len().min(room)]);
            stride.step(text.len().min(room) + 1)?;
            if value.len() == VALUE_BYTES {
                break;
            }
        }
        each(Entry { node: node.number(), path: &path, value: &value })?;
    }
    Ok(())
}

/// Whether a text is not the whole value of its element.
fn is_piece(document: &Document, text: NodeId) -> bool {
    let Some(element) = document.parent(text).filter(|parent| *parent != Document::ROOT) else {
        return false;
    };
    let first = document.children(element).next();
    first != Some(text) || document.after(text) != document.after(element)
}

/// See [`Query::condition`].
pub(crate) fn condition(query: &Query) -> Option<Condition> {
    let Body::Expr(expr) = &query.body else { return None };
    let mut found = Vec::new();
    let document = Place { steps: Vec::new(), is_whole: true };
    place_of(query, expr, Some(&document), &mut found);
    // The most telling one; the first of several.
    let worth = |c: &Condition| (c.value.is_some(), c.is_whole, c.path.len());
    found.into_iter().reduce(|best, other| if worth(&other) > worth(&best) { other } else { best })
}

/// Where nodes are: the steps that lead to them, the last ones at least.
#[derive(Clone, Debug)]
struct Place {
    steps: Vec<[u8; STEP_BYTES]>,
    /// Whether the steps begin at the document.
    is_whole: bool,
}

impl Place {
    fn condition(&self, value: Option<Sought>) -> Option<Condition> {
        let path: Vec<u8> = self.steps.iter().rev().flatten().copied().collect();
        let fits = path.len() <= PATH_BYTES;
        (fits && !path.is_empty()).then_some(Condition { path, is_whole: self.is_whole, value })
    }

    /// Goes anywhere below.
    fn lose(&mut self) {
        self.steps.clear();
        self.is_whole = false;
    }

    fn push(&mut self, is_attribute: bool, name: &NameTest) {
        match (&name.uri, &name.local) {
            (Some(uri), Some(local)) => self.steps.push(step_number(is_attribute, uri, local)),
            _ => self.lose(),
        }
    }
}

/// Where the nodes are that a path yields, from nodes at `focus`; `None` if that is not known.
/// Notes the conditions on the way.
fn place_of(
    query: &Query,
    expr: &Expr,
    focus: Option<&Place>,
    found: &mut Vec<Condition>,
) -> Option<Place> {
    match expr {
        Expr::Root => Some(Place { steps: Vec::new(), is_whole: true }),
        Expr::Context => focus.cloned(),
        Expr::Filter(inner, predicates) => {
            let place = place_of(query, inner, focus, found);
            note_predicates(query, predicates, place.as_ref(), found);
            place
        }
        Expr::Path(path) => {
            let mut place = place_of(query, &path.base, focus, found)?;
            for step in &path.steps {
                match take(step, &mut place) {
                    true => note_predicates(query, &step.predicates, Some(&place), found),
                    false => {
                        found.extend(place.condition(None));
                        return None;
                    }
                }
            }
            found.extend(place.condition(None));
            Some(place)
        }
        _ => None,
    }
}

/// Takes a step. Returns whether entries know the nodes that it leads to.
fn take(step: &Step, place: &mut Place) -> bool {
    match (step.axis, &step.test) {
        (Axis::Child, NodeTest::Name(name)) => place.push(false, name),
        (Axis::Child, NodeTest::Element) => place.lose(),
        (Axis::Attribute, NodeTest::Name(name)) => place.push(true, name),
        (Axis::Descendant, NodeTest::Name(name)) => {
            place.lose();
            place.push(false, name);
        }
        (Axis::Descendant | Axis::DescendantOrSelf, NodeTest::Any | NodeTest::Element) => {
            place.lose();
        }
        // A text has the path of its element.
        (Axis::Child, NodeTest::Text) | (Axis::Itself, NodeTest::Any) => {}
        _ => return false,
    }
    true
}

fn note_predicates(
    query: &Query,
    predicates: &Predicates,
    focus: Option<&Place>,
    found: &mut Vec<Condition>,
) {
    for predicate in &predicates.list {
        if let Predicate::Test(test) = predicate {
            note(query, test, focus, found);
        }
    }
}

/// Notes what must be there for a test to be true.
fn note(query: &Query, test: &Expr, focus: Option<&Place>, found: &mut Vec<Condition>) {
    match test {
        Expr::And(all) => all.iter().for_each(|one| note(query, one, focus, found)),
        Expr::Compare(compare) if compare.order == Order::Equal => {
            let sides = [(&compare.left, &compare.right), (&compare.right, &compare.left)];
            for (nodes, value) in sides {
                let Some(place) = place_of(query, nodes, focus, found) else { continue };
                let value = sought(query, compare.class, value);
                found.extend(value.and_then(|value| place.condition(Some(value))));
            }
        }
        Expr::Path(_) | Expr::Filter(..) => {
            place_of(query, test, focus, found);
        }
        _ => {}
    }
}

/// The text that something is compared with.
fn sought(query: &Query, class: Class, value: &Expr) -> Option<Sought> {
    if !matches!(class, Class::Text | Class::Untyped) {
        return None;
    }
    match value {
        Expr::Constant(Atomic::Text(_, text)) => Some(Sought::Text(text.to_string())),
        Expr::External(at) => {
            let is_text = query.types.get(*at).is_some_and(|ty| *ty == Some(AtomicType::String));
            is_text.then(|| Sought::External(query.externals[*at].index))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;

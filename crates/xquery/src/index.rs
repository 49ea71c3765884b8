//! What an index of nodes knows of documents, and what it can tell of a query.
//!
//! # Entries
//!
//! A document has an [`Entry`] for each element and attribute: its path, the beginning of its
//! string value, and the number or moment that the value says. An element with text beside other
//! nodes has one more for each piece of text, since a query may ask for `text()`.
//!
//! A path is a number of four bytes for each step, the last step first, so that paths that end
//! alike begin alike. Different names may have one number.
//!
//! # Invariant
//!
//! * N1: a document in which a query finds something has an entry for the query's [`Condition`].
//!   The reverse need not hold: the query itself decides.
//! * N2: [`number`] knows every text that a query or a conversion to a SQL type takes for a number,
//!   and grows with it. Bounds are widened by what conversions round.

use std::str;
pub mod selective;

use std::sync::Arc;

use base::account::Account;
use base::decimal;
use base::error::SqlResult;
use base::pace::{Pace, Stride};
use base::text::number::{parse_float, parse_integer, trim_blanks};
use base::xml::canonical::{self, MomentKind, SCALE};
use base::xml::{Document, NodeId, NodeKind};

use crate::atomic::Atomic;
use crate::expr::*;
use crate::meter::Meter;
use crate::types::{AtomicType, Class};
use crate::{Body, Query, Value};
use selective::{Selection, Sieve};

/// How many bytes of a value an entry has.
pub const VALUE_BYTES: usize = 128;

/// The longest path: elements nest 128 deep, and the last one may have an attribute.
pub const PATH_BYTES: usize = STEP_BYTES * 130;

const STEP_BYTES: usize = 4;

/// A node of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'e> {
    /// The number of the node in its document.
    pub node: u32,
    /// Its path.
    pub path: &'e [u8],
    /// The beginning of its value.
    pub value: &'e [u8],
    /// What [`number`] makes of its value.
    pub number: Option<f64>,
}

/// What an index is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The path of a node, or what it begins with.
    pub path: Vec<u8>,
    /// Whether the path is all of it.
    pub is_whole: bool,
    /// The value of the node.
    pub value: Option<Sought>,
}

/// A value that is looked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Sought {
    /// This text.
    Text(String),
    /// A text from outside, by the number that [`crate::External`] gave it.
    External(usize),
    /// A number or moment within bounds, which belong to it.
    Within {
        /// The lower one.
        low: Option<Limit>,
        /// The upper one.
        high: Option<Limit>,
    },
}

/// A bound of numbers or moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// This one.
    Number(f64),
    /// An outer value, as for [`Sought::External`].
    External(usize),
}

/// The value of `value()`, as an index knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Where its node is.
    pub condition: Condition,
    /// Its type.
    pub ty: AtomicType,
}

/// What bounds are widened by: so much of themselves, and so much more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Of the bound.
    pub relative: f64,
    /// In addition.
    pub absolute: f64,
}

impl Margin {
    /// What XQuery rounds.
    pub const QUERY: Margin = Margin { relative: 1e-14, absolute: 1e-9 };

    /// A bound, moved downwards or upwards.
    pub fn moved(self, bound: f64, is_upper: bool) -> f64 {
        let margin = bound.abs() * self.relative + self.absolute;
        finite(if is_upper { bound + margin } else { bound - margin })
    }
}

/// Numbers of entries are never infinite.
fn finite(value: f64) -> f64 {
    value.clamp(f64::MIN, f64::MAX)
}

/// What an entry has of a value.
pub fn beginning(value: &[u8]) -> &[u8] {
    &value[..value.len().min(VALUE_BYTES)]
}

/// The number that a text says, or the moment, in ticks; `None` if it says neither. Text that SQL
/// conversions take for a number is one.
pub fn number(text: &str) -> Option<f64> {
    if !text.is_ascii() {
        return None;
    }
    let bytes = text.as_bytes();
    let exact = |text| decimal::parse(trim_blanks(text), MOST_DIGITS, SCALE).ok();
    let found = canonical::parse_double(text)
        .or_else(|| parse_float(bytes))
        .or_else(|| parse_integer(bytes).ok().map(|value| value as f64))
        .or_else(|| exact(bytes).map(|value| decimal::to_f64(value, SCALE)));
    if let Some(found) = found {
        return Some(finite(found));
    }
    // Dates have digits and hyphens, times colons.
    if !bytes.iter().any(|byte| matches!(byte, b'-' | b':')) {
        return None;
    }
    moment(text)
}

fn moment(text: &str) -> Option<f64> {
    let kinds = [MomentKind::DateTime, MomentKind::Date, MomentKind::Time];
    let found = kinds.iter().find_map(|kind| canonical::moment(text, *kind));
    found.map(|moment| moment.ticks as f64)
}

const MOST_DIGITS: u8 = 38;

/// The number that an outer value is among those of entries; `None` for what is no number and no
/// moment.
pub fn number_of(value: &Value<'_>) -> Option<f64> {
    Some(finite(match *value {
        Value::Integer(value) => value as f64,
        Value::Decimal(value, scale) => decimal::to_f64(value, scale),
        Value::Double(value) => value,
        Value::Float(value) => f64::from(value),
        Value::Temporal(text) => moment(text)?,
        Value::Null | Value::Boolean(_) | Value::Text(_) | Value::Xml(_) => return None,
    }))
}

/// The number of a step: FNV-1a of its kind, URI and local name.
fn step_number(is_attribute: bool, uri: &str, local: &str) -> [u8; STEP_BYTES] {
    const OFFSET: u32 = 0x811C_9DC5;
    const PRIME: u32 = 0x0100_0193;
    let kind = [u8::from(is_attribute)];
    let bytes = kind.iter().chain(uri.as_bytes()).chain(&[0]).chain(local.as_bytes());
    bytes.fold(OFFSET, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME)).to_be_bytes()
}

/// Calls back with the entries of a document: of all nodes, or of those of a selection. Errors 6380
/// and 6389 for what a selection forbids.
pub fn entries(
    document: &Document,
    selection: Option<&Selection>,
    account: &Arc<Account>,
    pace: &dyn Pace,
    each: &mut dyn FnMut(Entry<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    let mut stride = Stride::new(pace);
    let meter = Meter::new(account, pace);
    let mut sieve = selection.map(Sieve::new);
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
        if let Some(sieve) = &mut sieve {
            stride.step(path.len() * sieve.paths())?;
            if !sieve.lets_in(&path, is_mixed)? {
                continue;
            }
            if sieve.has_limit() {
                let text = meter.string_value(document, node)?;
                sieve.check_length(text.encode_utf16().count())?;
            }
        }
        value.clear();
        for text in document.texts(node) {
            let room = VALUE_BYTES - value.len();
            value.extend_from_slice(&text.as_bytes()[..text.len().min(room)]);
            stride.step(text.len().min(room) + 1)?;
            if value.len() == VALUE_BYTES {
                break;
            }
        }
        let number = number_at(document, node, &value, &meter)?;
        each(Entry { node: node.number(), path: &path, value: &value, number })?;
    }
    Ok(())
}

/// The number of a node, whose value begins like this.
fn number_at(
    document: &Document,
    node: NodeId,
    beginning: &[u8],
    meter: &Meter<'_>,
) -> SqlResult<Option<f64>> {
    if beginning.len() < VALUE_BYTES {
        return Ok(str::from_utf8(beginning).ok().and_then(number));
    }
    // A number with many blanks or zeros.
    let may_be = |byte: &u8| byte.is_ascii_digit() || b" \t\r\n+-.eEdDINF:TZ".contains(byte);
    match beginning.iter().all(may_be) {
        true => Ok(number(&meter.string_value(document, node)?)),
        false => Ok(None),
    }
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
    let mut finder = Finder::new(query);
    if let Body::Expr(expr) = &query.body {
        finder.place_of(expr, query.place.as_ref());
    }
    // The most telling one; the first of several.
    let worth = |c: &Condition| {
        let value = match &c.value {
            None => 0,
            Some(Sought::Within { low: Some(_), high: None }) => 1,
            Some(Sought::Within { low: None, .. }) => 1,
            Some(_) => 2,
        };
        (value, c.is_whole, c.path.len())
    };
    let better = |best, other| if worth(&other) > worth(&best) { other } else { best };
    finder.found.into_iter().reduce(better)
}

/// See [`Query::target`].
pub(crate) fn target(query: &Query) -> Option<Target> {
    let Body::Expr(expr) = &query.body else { return None };
    if query.ty.has_parts {
        return None;
    }
    let place = Finder::new(query).place_of(expr, query.place.as_ref())?;
    if !place.has_number {
        return None;
    }
    Some(Target { condition: place.condition(None)?, ty: query.ty.atomic_type() })
}

/// See [`crate::NodeShape`].
pub(crate) fn place(query: &Query) -> Option<Place> {
    let Body::Expr(expr) = &query.body else { return None };
    Finder::new(query).place_of(expr, query.place.as_ref())
}

/// Where nodes are: the steps that lead to them, the last ones at least.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    steps: Vec<[u8; STEP_BYTES]>,
    /// Whether the steps begin at the document.
    is_whole: bool,
    /// Whether what is there has the text of its entry.
    has_text: bool,
    /// Whether it has the number of its entry.
    has_number: bool,
}

impl Place {
    pub(crate) fn document() -> Place {
        Place { steps: Vec::new(), is_whole: true, has_text: true, has_number: true }
    }

    /// What is there as of a type; `None` if entries do not know it any more.
    fn cast(mut self, to: AtomicType) -> Option<Place> {
        let keeps = to.is_numeric() || to.is_moment() || to.class() == Class::Text;
        // A second conversion may cut what the first one left.
        if !self.has_text || !keeps {
            return None;
        }
        self.has_text = matches!(to, AtomicType::String | AtomicType::Untyped);
        self.has_number = to != AtomicType::Float;
        Some(self)
    }

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

    /// Takes a step. Returns whether entries know the nodes that it leads to.
    fn take(&mut self, step: &Step) -> bool {
        match (step.axis, &step.test) {
            (Axis::Child, NodeTest::Name(name)) => self.push(false, name),
            (Axis::Child, NodeTest::Element) => self.lose(),
            (Axis::Attribute, NodeTest::Name(name)) => self.push(true, name),
            (Axis::Descendant, NodeTest::Name(name)) => {
                self.lose();
                self.push(false, name);
            }
            (Axis::Descendant | Axis::DescendantOrSelf, NodeTest::Any | NodeTest::Element) => {
                self.lose();
            }
            // A text has the path of its element.
            (Axis::Child, NodeTest::Text) | (Axis::Itself, NodeTest::Any) => {}
            _ => return false,
        }
        true
    }
}

/// Looks for what must be in a document for a query to find something.
struct Finder<'q> {
    query: &'q Query,
    found: Vec<Condition>,
    /// Where the nodes are that variables of loops stand for.
    variables: Vec<(usize, Place)>,
}

impl<'q> Finder<'q> {
    fn new(query: &'q Query) -> Finder<'q> {
        Finder { query, found: Vec::new(), variables: Vec::new() }
    }

    /// Where the nodes are that an expression yields, from nodes at `focus`; `None` if that is not
    /// known. Notes the conditions on the way.
    fn place_of(&mut self, expr: &Expr, focus: Option<&Place>) -> Option<Place> {
        match expr {
            Expr::Root => Some(Place::document()),
            Expr::Context => focus.cloned(),
            Expr::Variable(slot) => {
                let known = self.variables.iter().find(|(known, _)| known == slot);
                known.map(|(_, place)| place.clone())
            }
            Expr::Filter(inner, predicates) => {
                let place = self.place_of(inner, focus);
                self.note_predicates(predicates, place.as_ref());
                place
            }
            Expr::Path(path) => {
                let mut place = self.place_of(&path.base, focus)?;
                for step in &path.steps {
                    match place.take(step) {
                        true => self.note_predicates(&step.predicates, Some(&place)),
                        false => {
                            self.found.extend(place.condition(None));
                            return None;
                        }
                    }
                }
                self.found.extend(place.condition(None));
                Some(place)
            }
            Expr::Flwor(flwor) => {
                for clause in &flwor.clauses {
                    if !clause.is_loop {
                        continue;
                    }
                    if let Some(place) = self.place_of(&clause.source, focus) {
                        self.variables.push((clause.slot, place));
                    }
                }
                if let Some(condition) = &flwor.condition {
                    self.note(condition, focus);
                }
                self.place_of(&flwor.result, focus)
            }
            Expr::Call(Function::Data, _, arguments) => self.place_of(&arguments[0], focus),
            Expr::Values(values) => {
                let mut place = self.place_of(&values.nodes, focus)?;
                place.has_number = !values.members.contains(&AtomicType::Float);
                Some(place)
            }
            Expr::Cast(ty, operand) if !self.query.is_typed => {
                self.place_of(operand, focus)?.cast(*ty)
            }
            _ => None,
        }
    }

    fn note_predicates(&mut self, predicates: &Predicates, focus: Option<&Place>) {
        for predicate in &predicates.list {
            if let Predicate::Test(test) = predicate {
                self.note(test, focus);
            }
        }
    }

    /// Notes what must be there for a test to be true.
    fn note(&mut self, test: &Expr, focus: Option<&Place>) {
        match test {
            Expr::And(all) => {
                let first = self.found.len();
                all.iter().for_each(|one| self.note(one, focus));
                self.join_bounds(first, all);
            }
            Expr::Compare(compare) if !compare.has_parts => self.note_comparison(compare, focus),
            Expr::Path(_) | Expr::Filter(..) | Expr::Flwor(_) => {
                self.place_of(test, focus);
            }
            _ => {}
        }
    }

    fn note_comparison(&mut self, compare: &Compare, focus: Option<&Place>) {
        let Compare { order, class, left, right, .. } = compare;
        for (nodes, value, order) in [(left, right, *order), (right, left, order.reversed())] {
            let Some(place) = self.place_of(nodes, focus) else { continue };
            let value = match (class, order) {
                (Class::Text | Class::Untyped, Order::Equal) if place.has_text => self.text(value),
                (Class::Number, order) if place.has_number => self.within(value, order),
                (Class::Other(ty), order) if ty.is_moment() => self.within(value, order),
                _ => None,
            };
            self.found.extend(value.and_then(|value| place.condition(Some(value))));
        }
    }

    /// The text that something is compared with.
    fn text(&self, value: &Expr) -> Option<Sought> {
        match value {
            Expr::Constant(Atomic::Text(_, text)) => Some(Sought::Text(text.to_string())),
            Expr::External(at) => {
                let is_text = self.query.types.get(*at) == Some(&Some(AtomicType::String));
                is_text.then(|| Sought::External(self.query.externals[*at].index))
            }
            _ => None,
        }
    }

    /// The bounds that a comparison with a number or moment sets.
    fn within(&self, value: &Expr, order: Order) -> Option<Sought> {
        let limit = match value {
            Expr::Constant(Atomic::Temporal(_, ticks, _)) => Limit::Number(*ticks as f64),
            Expr::Constant(value) if value.ty().is_numeric() => Limit::Number(value.number()?),
            Expr::External(at) => {
                let ty = self.query.types.get(*at).copied().flatten()?;
                let is_known = ty.is_numeric() || ty.is_moment();
                is_known.then(|| Limit::External(self.query.externals[*at].index))?
            }
            _ => return None,
        };
        let (low, high) = match order {
            Order::Equal => (Some(limit), Some(limit)),
            Order::Less | Order::LessOrEqual => (None, Some(limit)),
            Order::Greater | Order::GreaterOrEqual => (Some(limit), None),
            Order::NotEqual => return None,
        };
        Some(Sought::Within { low, high })
    }

    /// Puts bounds of one attribute together: `[@n >= 1 and @n < 9]`. Elements may come several
    /// times, one for each bound.
    fn join_bounds(&mut self, first: usize, all: &[Expr]) {
        let is_attribute = |expr: &Expr| {
            let nodes = match expr {
                Expr::Values(values) => &values.nodes,
                nodes => nodes,
            };
            let Expr::Path(path) = nodes else { return false };
            let is_own = matches!(path.base, Expr::Context) && path.steps.len() == 1;
            is_own && path.steps[0].axis == Axis::Attribute
        };
        let is_plain = |one: &Expr| match one {
            Expr::Compare(compare) => is_attribute(&compare.left) || is_attribute(&compare.right),
            _ => false,
        };
        if !all.iter().all(is_plain) {
            return;
        }
        for at in first..self.found.len() {
            let Some(Sought::Within { low: Some(low), high: None }) = self.found[at].value else {
                continue;
            };
            let own = self.found[at].clone();
            let other = self.found[first..].iter().find_map(|other| match other.value {
                Some(Sought::Within { low: None, high })
                    if other.path == own.path && other.is_whole == own.is_whole =>
                {
                    high
                }
                _ => None,
            });
            if other.is_some() {
                let value = Some(Sought::Within { low: Some(low), high: other });
                self.found.push(Condition { value, ..own });
            }
        }
    }
}

#[cfg(test)]
mod tests;

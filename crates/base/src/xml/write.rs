//! Documents as canonical text: what a value of the type xml is.
//!
//! * No declaration and no DTD; empty elements as `<a/>`; attributes in double quotes.
//! * Namespace declarations come before the attributes of their element. One is added where a name
//!   needs it, and at the top all that are in scope above it and needed below.
//! * Of text that is only white space the last character is a reference, so that it stays when it
//!   is read without preserving white space.

use std::collections::HashSet;

use super::escape;
use super::tree::{Document, Name, NodeId, NodeKind, XML_URI};
use crate::arena::ArenaBuffer;
use crate::error::SqlResult;
use crate::pace::{Pace, STRIDE, Stride};

/// What takes text.
pub trait Sink {
    /// Takes the next bytes, which are UTF-8. Error 701 if there is no memory for them.
    fn put(&mut self, bytes: &[u8]) -> SqlResult<()>;
}

impl Sink for ArenaBuffer<'_> {
    fn put(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.try_extend(bytes)
    }
}

impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

/// Appends the text of a node with all below it; of the root, of all its children. An attribute
/// that stands alone is written as in a tag.
pub fn write(
    document: &Document,
    node: NodeId,
    out: &mut dyn Sink,
    pace: &dyn Pace,
) -> SqlResult<()> {
    let mut writer =
        Writer { document, out, stride: Stride::new(pace), open: Vec::new(), scope: Vec::new() };
    let mut at = document.subtree(node);
    let above = match document.parent(node) {
        Some(parent) if document.kind(node) == NodeKind::Element => {
            writer.needed_from_above(node, parent)?
        }
        _ => Vec::new(),
    };
    let mut above = Some(above);
    while let Some(next) = at.next() {
        writer.end_before(next)?;
        writer.stride.step(32)?;
        match document.kind(next) {
            NodeKind::Root | NodeKind::Namespace => {}
            NodeKind::Element => {
                let skipped = writer.start(next, above.take().unwrap_or_default())?;
                if skipped > 0 {
                    at.nth(skipped - 1);
                }
            }
            NodeKind::Attribute => {
                writer.attribute(document.name(next), document.value(next))?;
            }
            NodeKind::Text => writer.text(document.value(next))?,
            NodeKind::Comment => writer.put_all(&["<!--", document.value(next), "-->"])?,
            NodeKind::Instruction => {
                let (target, text) = (document.name(next).local, document.value(next));
                let blank = if text.is_empty() { "" } else { " " };
                writer.put_all(&["<?", target, blank, text, "?>"])?;
            }
        }
    }
    writer.end_all()
}

struct Open<'d> {
    name: Name<'d>,
    /// The first node behind it.
    after: NodeId,
    /// How many bindings there were before it.
    scope: usize,
}

struct Writer<'d, 'o, 'p> {
    document: &'d Document,
    out: &'o mut dyn Sink,
    stride: Stride<'p>,
    open: Vec<Open<'d>>,
    /// Prefixes and URIs that were declared by open elements, inner ones last.
    scope: Vec<(&'d str, &'d str)>,
}

impl<'d> Writer<'d, '_, '_> {
    fn put_all(&mut self, texts: &[&str]) -> SqlResult<()> {
        texts.iter().try_for_each(|text| {
            self.stride.step(text.len())?;
            self.out.put(text.as_bytes())
        })
    }

    fn name(&mut self, name: Name<'_>) -> SqlResult<()> {
        if !name.prefix.is_empty() {
            self.put_all(&[name.prefix, ":"])?;
        }
        self.put_all(&[name.local])
    }

    fn attribute(&mut self, name: Name<'_>, value: &str) -> SqlResult<()> {
        self.put_all(&[" "])?;
        self.name(name)?;
        self.quoted(value)
    }

    fn quoted(&mut self, value: &str) -> SqlResult<()> {
        self.put_all(&["=\""])?;
        for piece in pieces(value) {
            self.stride.step(piece.len())?;
            escape::attribute(piece, self.out)?;
        }
        self.put_all(&["\""])
    }

    fn text(&mut self, text: &str) -> SqlResult<()> {
        if is_white(text) {
            let (kept, last) = text.split_at(text.len() - 1);
            escape::text(kept, self.out)?;
            return self.put_all(&[match last {
                " " => "&#x20;",
                "\t" => "&#x09;",
                "\n" => "&#x0A;",
                _ => "&#x0D;",
            }]);
        }
        for piece in pieces(text) {
            self.stride.step(piece.len())?;
            escape::text(piece, self.out)?;
        }
        Ok(())
    }

    /// Bindings above a node that names in it and below it have.
    fn needed_from_above(
        &mut self,
        node: NodeId,
        parent: NodeId,
    ) -> SqlResult<Vec<(&'d str, &'d str)>> {
        let document = self.document;
        let mut seen = HashSet::new();
        let mut needed: Vec<(&str, &str)> = Vec::new();
        for at in document.subtree(node) {
            self.stride.step(8)?;
            let is_named = matches!(document.kind(at), NodeKind::Element | NodeKind::Attribute);
            if !is_named || !seen.insert(document.name_number(at)) {
                continue;
            }
            let Name { prefix, uri, .. } = document.name(at);
            let is_new = !uri.is_empty() && !needed.contains(&(prefix, uri));
            let is_above = || document.namespace_of(parent, prefix) == Some(uri);
            if is_new && uri != XML_URI && is_above() {
                needed.push((prefix, uri));
            }
        }
        Ok(needed)
    }

    /// Writes a start tag with its declarations and attributes, and returns how many nodes these
    /// are. An element without content ends at once.
    fn start(&mut self, node: NodeId, above: Vec<(&'d str, &'d str)>) -> SqlResult<usize> {
        let document = self.document;
        let (name, after) = (document.name(node), document.after(node));
        self.open.push(Open { name, after, scope: self.scope.len() });
        self.put_all(&["<"])?;
        self.name(name)?;
        let own = self.scope.len();
        let mut skipped = 0;
        for declared in document.namespaces(node) {
            self.declare(document.name(declared).local, document.value(declared))?;
            skipped += 1;
        }
        for (prefix, uri) in above {
            if !self.scope[own..].iter().any(|(declared, _)| *declared == prefix) {
                self.declare(prefix, uri)?;
            }
        }
        self.need(name)?;
        for attribute in document.attributes(node) {
            self.need_prefix(document.name(attribute))?;
        }
        for attribute in document.attributes(node) {
            self.attribute(document.name(attribute), document.value(attribute))?;
            skipped += 1;
        }
        let has_content = document.children(node).next().is_some();
        if has_content {
            self.put_all(&[">"])?;
        } else {
            self.put_all(&["/>"])?;
            let open = self.open.pop().expect("it was opened");
            self.scope.truncate(open.scope);
        }
        Ok(skipped)
    }

    fn declare(&mut self, prefix: &'d str, uri: &'d str) -> SqlResult<()> {
        self.scope.push((prefix, uri));
        match prefix {
            "" => self.put_all(&[" xmlns"])?,
            _ => self.put_all(&[" xmlns:", prefix])?,
        }
        self.quoted(uri)
    }

    /// Declares what an element's name needs.
    fn need(&mut self, name: Name<'d>) -> SqlResult<()> {
        if name.uri == XML_URI {
            return Ok(());
        }
        let bound = self.scope.iter().rev().find(|(prefix, _)| *prefix == name.prefix);
        match bound.map_or("", |(_, uri)| uri) {
            uri if uri == name.uri => Ok(()),
            _ => self.declare(name.prefix, name.uri),
        }
    }

    /// Declares what an attribute's name needs: without prefix it is in no namespace.
    fn need_prefix(&mut self, name: Name<'d>) -> SqlResult<()> {
        if name.prefix.is_empty() { Ok(()) } else { self.need(name) }
    }

    /// Ends the elements that do not contain a node.
    fn end_before(&mut self, node: NodeId) -> SqlResult<()> {
        while self.open.last().is_some_and(|open| open.after <= node) {
            self.end()?;
        }
        Ok(())
    }

    fn end_all(&mut self) -> SqlResult<()> {
        while !self.open.is_empty() {
            self.end()?;
        }
        Ok(())
    }

    fn end(&mut self) -> SqlResult<()> {
        let open = self.open.pop().expect("an element is open");
        self.scope.truncate(open.scope);
        self.put_all(&["</"])?;
        self.name(open.name)?;
        self.put_all(&[">"])
    }
}

/// Whether there is nothing but white space.
fn is_white(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Text in pieces of about a stride.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(STRIDE);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

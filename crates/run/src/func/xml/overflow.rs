//! The directive `xmltext` of `FOR XML EXPLICIT`: an element that OPENXML has left over becomes
//! part of another, or gets another name.

use base::arena::ArenaBuffer;
use base::convert::xml_text;
use base::xml::parse::is_of_text;
use base::xml::{Document, NodeId, NodeKind, ParseOptions, Sink, escape, parse, write};
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::facts::FnContext;

/// An element that was left over.
pub(super) struct Overflow {
    document: Document,
    element: NodeId,
}

impl Overflow {
    /// Reads a value of a column. Error 6834.
    pub fn read<'a>(
        ctx: &FnContext<'a>,
        value: ValueRef<'a>,
        ty: &SqlType,
        column: &str,
    ) -> SqlResult<Overflow> {
        let invalid = || SqlError::new(&message::FOR_XML_TEXT_INVALID, &[&column]);
        let refused = |error| if is_of_text(&error) { invalid() } else { error };
        let options = ParseOptions { preserve: true, internal_subset: false };
        let text = xml_text(value, ty, ctx, ctx.arena).map_err(refused)?;
        let document = parse(text, options, ctx.arena.account(), ctx).map_err(refused)?;
        let mut children = document.children(Document::ROOT);
        let element = children.next().filter(|_| children.next().is_none());
        let is_element = |node: &NodeId| document.kind(*node) == NodeKind::Element;
        let element = element.filter(is_element).ok_or_else(invalid)?;
        drop(children);
        Ok(Overflow { document, element })
    }

    /// Appends its declarations and attributes, but for those of these names.
    pub fn attributes<'a>(&self, ctx: &FnContext<'a>, without: &str) -> SqlResult<ArenaBuffer<'a>> {
        let mut out = ctx.arena.buffer();
        let document = &self.document;
        for at in document.namespaces(self.element) {
            let prefix = document.name(at).local;
            let name = if prefix.is_empty() { "xmlns".into() } else { format!("xmlns:{prefix}") };
            attribute(&mut out, &name, document.value(at))?;
        }
        for at in document.attributes(self.element) {
            let name = document.name(at);
            let shown = match name.prefix {
                "" => name.local.to_owned(),
                prefix => format!("{prefix}:{}", name.local),
            };
            if !without.split('\n').any(|other| other == shown) {
                attribute(&mut out, &shown, document.value(at))?;
            }
        }
        Ok(out)
    }

    /// Its content.
    pub fn content<'a>(&self, ctx: &FnContext<'a>) -> SqlResult<ArenaBuffer<'a>> {
        let mut out = ctx.arena.buffer();
        for child in self.document.children(self.element) {
            write(&self.document, child, &mut out, ctx)?;
        }
        Ok(out)
    }
}

fn attribute(out: &mut ArenaBuffer<'_>, name: &str, value: &str) -> SqlResult<()> {
    out.put(format!(" {name}=\"").as_bytes())?;
    escape::attribute(value, out)?;
    out.put(b"\"")
}

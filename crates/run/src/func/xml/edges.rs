//! Edge tables: a row for each node with its number, its name and its place.

use base::xml::{Document, NodeId, NodeKind};
use base::{Pace, SqlResult, ValueRef};
use ir::function::facts::FnContext;
use ir::function::prepared::PreparedDocument;
use ir::function::rowset::Emit;

use super::open::unicode;

/// The numbers of kinds of nodes in the DOM.
const ELEMENT: i64 = 1;
const ATTRIBUTE: i64 = 2;
const TEXT: i64 = 3;
const INSTRUCTION: i64 = 7;
const COMMENT: i64 = 8;

/// The number of the XML declaration, and that of its first attribute.
const DECLARATION: i64 = 1;
const DECLARED: i64 = 2;

/// What a node is called; what it lacks is NULL.
#[derive(Clone, Copy)]
pub(super) struct Names<'d> {
    pub local: Option<&'d str>,
    pub prefix: Option<&'d str>,
    pub uri: Option<&'d str>,
}

impl<'d> Names<'d> {
    /// The names of a node. A namespace declaration is an attribute with prefix xmlns.
    pub fn of(document: &'d Document, node: NodeId) -> Names<'d> {
        let name = document.name(node);
        let local = |local| Names { local: Some(local), prefix: None, uri: None };
        match document.kind(node) {
            NodeKind::Root => Names { local: None, prefix: None, uri: None },
            NodeKind::Text => local("#text"),
            NodeKind::Comment => local("#comment"),
            NodeKind::Instruction => local(name.local),
            NodeKind::Namespace => {
                let own = if name.local.is_empty() { "xmlns" } else { name.local };
                Names { prefix: Some("xmlns"), ..local(own) }
            }
            NodeKind::Element | NodeKind::Attribute => {
                let there = |part: &'d str| Some(part).filter(|part| !part.is_empty());
                Names { local: Some(name.local), prefix: there(name.prefix), uri: there(name.uri) }
            }
        }
    }
}

/// Finds what stands before nodes in their parents, quickly for nodes in document order.
#[derive(Default)]
pub(super) struct Siblings {
    /// A node, and the one before it.
    known: Option<(NodeId, Option<NodeId>)>,
}

impl Siblings {
    /// The node before this one. Attributes have none.
    pub fn before(
        &mut self,
        document: &Document,
        node: NodeId,
        pace: &dyn Pace,
    ) -> SqlResult<Option<NodeId>> {
        let is_attribute = matches!(document.kind(node), NodeKind::Attribute | NodeKind::Namespace);
        let Some(parent) = document.parent(node).filter(|_| !is_attribute) else { return Ok(None) };
        let known =
            self.known.filter(|(at, _)| *at <= node && document.parent(*at) == Some(parent));
        let (mut at, mut before) = match known {
            Some(known) => known,
            None => (document.children(parent).next().unwrap_or(node), None),
        };
        let mut count = 0_usize;
        while at < node {
            before = Some(at);
            at = document.after(at);
            count += 1;
            if count % 1024 == 0 {
                pace.pace()?;
            }
        }
        self.known = Some((node, before));
        Ok(before)
    }
}

/// The rows of an edge table.
pub(super) struct Edges<'c, 'a> {
    prepared: &'c PreparedDocument,
    ctx: &'c FnContext<'a>,
    memory: base::Arena,
    siblings: Siblings,
    /// How many nodes had their rows.
    count: usize,
    /// Nodes before this one have rows.
    done: NodeId,
}

impl<'c, 'a> Edges<'c, 'a> {
    pub fn new(prepared: &'c PreparedDocument, ctx: &'c FnContext<'a>) -> Edges<'c, 'a> {
        let memory = ctx.arena.beside();
        Edges {
            prepared,
            ctx,
            memory,
            siblings: Siblings::default(),
            count: 0,
            done: Document::ROOT,
        }
    }

    /// Rows for a node and all below it, unless there are some. Nodes come in document order.
    pub fn below(&mut self, node: NodeId, emit: &mut Emit<'_>) -> SqlResult<()> {
        let document = self.prepared.document();
        if node < self.done {
            return Ok(());
        }
        if node == Document::ROOT {
            self.declaration(emit)?;
        }
        // The last node at each depth, with the end of its parent.
        let mut last: Vec<(NodeId, Option<NodeId>)> = Vec::new();
        for at in document.subtree(node).filter(|at| *at != Document::ROOT) {
            let before = match at == node {
                true => self.siblings.before(document, at, self.ctx)?,
                false => {
                    while last.last().is_some_and(|(end, _)| *end <= at) {
                        last.pop();
                    }
                    last.last().and_then(|(_, before)| *before)
                }
            };
            self.node(at, before, emit)?;
            let is_attribute =
                matches!(document.kind(at), NodeKind::Attribute | NodeKind::Namespace);
            if !is_attribute {
                match last.last_mut() {
                    Some((_, before)) => *before = Some(at),
                    None => last.push((document.after(node), Some(at))),
                }
            }
            if document.kind(at) == NodeKind::Element {
                last.push((document.after(at), None));
            }
        }
        self.done = document.after(node);
        Ok(())
    }

    /// The rows of the XML declaration.
    fn declaration(&mut self, emit: &mut Emit<'_>) -> SqlResult<()> {
        let prepared = self.prepared;
        if prepared.declaration().is_empty() {
            return Ok(());
        }
        let local = |local| Names { local: Some(local), prefix: None, uri: None };
        self.row(Some(DECLARATION), None, INSTRUCTION, local("xml"), None, None, emit)?;
        for (at, (name, value)) in prepared.declaration().iter().enumerate() {
            let id = DECLARED + at as i64;
            self.row(Some(id), Some(DECLARATION), ATTRIBUTE, local(name), None, None, emit)?;
            let text = i64::from(prepared.declaration_text_number(at));
            self.row(Some(text), Some(id), TEXT, local("#text"), None, Some(value), emit)?;
        }
        Ok(())
    }

    fn node(&mut self, node: NodeId, before: Option<NodeId>, emit: &mut Emit<'_>) -> SqlResult<()> {
        const TURN: usize = 256;
        self.count += 1;
        if self.count % TURN == 0 {
            self.ctx.pace()?;
        }
        let prepared = self.prepared;
        let document = prepared.document();
        let number = |node| i64::from(prepared.number(node));
        let parent = document.parent(node).filter(|parent| *parent != Document::ROOT).map(number);
        let (kind, text) = match document.kind(node) {
            NodeKind::Root | NodeKind::Element => (ELEMENT, None),
            NodeKind::Namespace | NodeKind::Attribute => (ATTRIBUTE, None),
            NodeKind::Text => (TEXT, Some(document.value(node))),
            NodeKind::Comment => (COMMENT, Some(document.value(node))),
            NodeKind::Instruction => (INSTRUCTION, Some(document.value(node))),
        };
        let names = Names::of(document, node);
        let id = number(node);
        self.row(Some(id), parent, kind, names, before.map(number), text, emit)?;
        let value = document.value(node);
        if kind == ATTRIBUTE && !value.is_empty() {
            let own = i64::from(prepared.text_number(node));
            let names = Names { local: Some("#text"), prefix: None, uri: None };
            self.row(Some(own), Some(id), TEXT, names, None, Some(value), emit)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "they are the columns of an edge table")]
    fn row(
        &mut self,
        id: Option<i64>,
        parent: Option<i64>,
        kind: i64,
        names: Names<'_>,
        before: Option<i64>,
        text: Option<&str>,
        emit: &mut Emit<'_>,
    ) -> SqlResult<()> {
        self.memory.reset();
        let ctx = FnContext { arena: &self.memory, ..*self.ctx };
        let number = |number: Option<i64>| number.map_or(ValueRef::Null, ValueRef::Int);
        let string = |text: Option<&str>| match text {
            Some(text) => unicode(&ctx, &[text]),
            None => Ok(ValueRef::Null),
        };
        let name = |text: Option<&str>| string(text.map(cut));
        emit(&[
            number(id),
            number(parent),
            ValueRef::Int(kind),
            name(names.local)?,
            name(names.prefix)?,
            name(names.uri)?,
            ValueRef::Null,
            number(before),
            string(text)?,
        ])
    }
}

/// As much of a name as its column takes.
fn cut(text: &str) -> &str {
    const UNITS: usize = 4000;
    if text.len() <= UNITS {
        return text;
    }
    let mut units = 0;
    let fits = |(_, c): &(usize, char)| {
        units += c.len_utf16();
        units <= UNITS
    };
    let end = text.char_indices().take_while(fits).last().map_or(0, |(at, c)| at + c.len_utf8());
    &text[..end]
}

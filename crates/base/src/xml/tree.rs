//! Documents as arrays of nodes in document order.
//!
//! A node is followed by its namespace declarations, its attributes and its content, so that its
//! subtree is a range of numbers, and comparing numbers compares places in the document. All text
//! lies in one string. What a document takes is charged to an account before it is taken.

use std::collections::HashMap;
use std::mem::size_of;
use std::sync::Arc;

use crate::account::{Account, Charged, UNASKED, check_length};
use crate::error::SqlResult;

/// A node of a document; the order of ids is document order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The number of the node in its document.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The node right behind this one in document order, if the document has it.
    pub fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The document itself, of which any number of elements and texts are children.
    Root,
    /// An element.
    Element,
    /// A namespace declaration: its local name is the prefix, its value the URI.
    Namespace,
    /// An attribute.
    Attribute,
    /// Text.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction; its local name is the target.
    Instruction,
}

/// A qualified name. Two names are the same if their URIs and local names are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Name<'a> {
    /// Empty if there is none.
    pub prefix: &'a str,
    /// The name without prefix.
    pub local: &'a str,
    /// Empty for names in no namespace.
    pub uri: &'a str,
}

impl<'a> Name<'a> {
    /// A name in no namespace.
    pub fn local(local: &'a str) -> Name<'a> {
        Name { local, ..Name::default() }
    }

    /// Whether both are the same name, whatever their prefixes.
    pub fn is_same(&self, other: &Name<'_>) -> bool {
        self.local == other.local && self.uri == other.uri
    }
}

/// A range of the document's text.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: NodeKind,
    /// An index into the names; 0, the empty name, for what has none.
    name: u32,
    parent: u32,
    /// The first node behind this one's subtree.
    after: u32,
    value: Span,
}

#[derive(Clone, Copy, Debug, Default)]
struct NameSpans {
    prefix: Span,
    local: Span,
    uri: Span,
}

/// A document or fragment, which does not change any more.
#[derive(Debug)]
pub struct Document {
    nodes: Vec<Node>,
    names: Vec<NameSpans>,
    text: String,
    charge: Charge,
}

impl Document {
    /// The node above all others.
    pub const ROOT: NodeId = NodeId(0);

    fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    fn text(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The bytes that it takes beside those that it has charged.
    pub fn unasked_bytes(&self) -> usize {
        match self.charge.charged {
            Some(_) => 0,
            None => self.charge.bytes,
        }
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.node(node).kind
    }

    /// The name of a node; the empty name if it has none.
    pub fn name(&self, node: NodeId) -> Name<'_> {
        let spans = &self.names[self.node(node).name as usize];
        let [prefix, local, uri] =
            [spans.prefix, spans.local, spans.uri].map(|span| self.text(span));
        Name { prefix, local, uri }
    }

    /// A number for the name of a node: nodes of one document with the same number have the same
    /// name and prefix.
    pub fn name_number(&self, node: NodeId) -> u32 {
        self.node(node).name
    }

    /// The node's own text: that of an attribute, text, comment, instruction or declaration, and
    /// nothing for others.
    pub fn value(&self, node: NodeId) -> &str {
        self.text(self.node(node).value)
    }

    /// The node of this number, if there is one.
    pub fn numbered(&self, number: u32) -> Option<NodeId> {
        ((number as usize) < self.nodes.len()).then_some(NodeId(number))
    }

    /// The node that this one belongs to.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        (node != Document::ROOT).then(|| NodeId(self.node(node).parent))
    }

    /// The node and all below it, with their declarations and attributes.
    pub fn subtree(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (node.0..self.node(node).after).map(NodeId)
    }

    /// Whether a node is this one or below it.
    pub fn contains(&self, node: NodeId, other: NodeId) -> bool {
        node <= other && other.0 < self.node(node).after
    }

    /// The first node behind a node's subtree, or the number behind the last node.
    pub fn after(&self, node: NodeId) -> NodeId {
        NodeId(self.node(node).after)
    }

    /// The names of the document's nodes, in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = Name<'_>> {
        self.names.iter().map(|spans| {
            let [prefix, local, uri] =
                [spans.prefix, spans.local, spans.uri].map(|span| self.text(span));
            Name { prefix, local, uri }
        })
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.subtree(Document::ROOT)
    }

    /// What directly belongs to a node: declarations, attributes and children.
    pub fn below(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(node).after;
        let mut next = node.0 + 1;
        std::iter::from_fn(move || {
            let at = next;
            (at < end).then(|| {
                next = self.nodes[at as usize].after;
                NodeId(at)
            })
        })
    }

    /// The children: elements, texts, comments and instructions.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let is_child = |kind| !matches!(kind, NodeKind::Namespace | NodeKind::Attribute);
        self.below(node).skip_while(move |below| !is_child(self.kind(*below)))
    }

    /// The attributes of an element.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.below(node)
            .skip_while(|below| self.kind(*below) == NodeKind::Namespace)
            .take_while(|below| self.kind(*below) == NodeKind::Attribute)
    }

    /// The namespace declarations of an element.
    pub fn namespaces(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.below(node).take_while(|below| self.kind(*below) == NodeKind::Namespace)
    }

    /// The namespace that a prefix stands for at a node.
    pub fn namespace_of(&self, node: NodeId, prefix: &str) -> Option<&str> {
        if prefix == "xml" {
            return Some(XML_URI);
        }
        let mut at = Some(node);
        while let Some(node) = at {
            let mut declared = self.namespaces(node);
            if let Some(found) = declared.find(|declared| self.name(*declared).local == prefix) {
                return Some(self.value(found));
            }
            at = self.parent(node);
        }
        None
    }

    /// The pieces of a node's string value: all text below an element or the root, the own text of
    /// other nodes.
    pub fn texts(&self, node: NodeId) -> impl Iterator<Item = &str> {
        let is_whole = matches!(self.kind(node), NodeKind::Root | NodeKind::Element);
        let is_piece = move |at: &NodeId| !is_whole || self.kind(*at) == NodeKind::Text;
        self.subtree(node).filter(is_piece).map(|at| self.value(at))
    }
}

/// The namespace of the prefix xml.
pub const XML_URI: &str = "http://www.w3.org/XML/1998/namespace";

/// The bytes of a document that grows, charged beyond those that are taken unasked.
#[derive(Debug)]
struct Charge {
    account: Option<Arc<Account>>,
    charged: Option<Charged>,
    bytes: usize,
}

impl Charge {
    fn grow(&mut self, bytes: usize) -> SqlResult<()> {
        self.bytes += bytes;
        check_length(self.bytes)?;
        let Some(account) = self.account.as_ref().filter(|_| self.bytes > UNASKED) else {
            return Ok(());
        };
        match &mut self.charged {
            Some(charged) => charged.resize(self.bytes)?,
            None => self.charged = Some(Charged::take(account, self.bytes)?),
        }
        Ok(())
    }
}

/// Makes a document from its beginning to its end.
#[derive(Debug)]
pub struct Builder {
    nodes: Vec<Node>,
    names: Vec<NameSpans>,
    text: String,
    numbers: HashMap<u64, Vec<u32>>,
    hasher: std::hash::RandomState,
    open: Vec<u32>,
    charge: Charge,
}

impl Builder {
    /// An empty document, whose bytes are charged to this account.
    pub fn new(account: Option<&Arc<Account>>) -> Builder {
        let node = |kind| Node { kind, name: 0, parent: 0, after: 1, value: Span::default() };
        Builder {
            nodes: vec![node(NodeKind::Root)],
            names: vec![NameSpans::default()],
            text: String::new(),
            numbers: HashMap::new(),
            hasher: std::hash::RandomState::new(),
            open: vec![0],
            charge: Charge { account: account.cloned(), charged: None, bytes: 0 },
        }
    }

    fn span(&mut self, text: &str) -> SqlResult<Span> {
        let wanted = self.text.len() + text.len();
        if wanted > self.text.capacity() {
            let capacity = wanted.max(2 * self.text.capacity()).max(64);
            self.charge.grow(capacity - self.text.capacity())?;
            self.text.reserve_exact(capacity - self.text.len());
        }
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Ok(Span { start, end: self.text.len() as u32 })
    }

    /// The number of a name, which is taken up if it is new.
    fn number(&mut self, name: Name<'_>) -> SqlResult<u32> {
        use std::hash::BuildHasher;
        if name == Name::default() {
            return Ok(0);
        }
        let hash = self.hasher.hash_one(name);
        let known = self.numbers.get(&hash).map_or(&[][..], Vec::as_slice);
        let is_it = |number: &&u32| {
            let spans = &self.names[**number as usize];
            let text = |span: Span| &self.text[span.start as usize..span.end as usize];
            [spans.prefix, spans.local, spans.uri].map(text) == [name.prefix, name.local, name.uri]
        };
        if let Some(number) = known.iter().find(is_it) {
            return Ok(*number);
        }
        self.charge.grow(2 * (size_of::<NameSpans>() + 48))?; // with its entry in the map
        let spans = NameSpans {
            prefix: self.span(name.prefix)?,
            local: self.span(name.local)?,
            uri: self.span(name.uri)?,
        };
        let number = self.names.len() as u32;
        self.names.push(spans);
        self.numbers.entry(hash).or_default().push(number);
        Ok(number)
    }

    fn push(&mut self, kind: NodeKind, name: Name<'_>, value: &str) -> SqlResult<NodeId> {
        if self.nodes.len() == self.nodes.capacity() {
            let more = self.nodes.capacity().max(16);
            self.charge.grow(more * size_of::<Node>())?;
            self.nodes.reserve_exact(more);
        }
        let name = self.number(name)?;
        let value = if value.is_empty() { Span::default() } else { self.span(value)? };
        let id = self.nodes.len() as u32;
        let parent = *self.open.last().expect("the root is open");
        self.nodes.push(Node { kind, name, parent, after: id + 1, value });
        Ok(NodeId(id))
    }

    /// Begins an element.
    pub fn start(&mut self, name: Name<'_>) -> SqlResult<NodeId> {
        let id = self.push(NodeKind::Element, name, "")?;
        self.open.push(id.0);
        Ok(id)
    }

    /// Ends the element that began last and has not ended.
    ///
    /// # Panics
    /// If there is none.
    pub fn end(&mut self) {
        assert!(self.open.len() > 1, "no element is open");
        let id = self.open.pop().expect("it is open");
        self.nodes[id as usize].after = self.nodes.len() as u32;
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// Declares a namespace for the open element, to which nothing else has been added.
    pub fn namespace(&mut self, prefix: &str, uri: &str) -> SqlResult<NodeId> {
        debug_assert!(self.depth() > 0, "a declaration belongs to an element");
        self.push(NodeKind::Namespace, Name::local(prefix), uri)
    }

    /// Adds an attribute to the open element, which has no content yet. At the top it stands
    /// alone, as it may in the result of a query that is being put together.
    pub fn attribute(&mut self, name: Name<'_>, value: &str) -> SqlResult<NodeId> {
        self.push(NodeKind::Attribute, name, value)
    }

    /// Adds text. It becomes one with text right before it; nothing happens if it is empty.
    pub fn text(&mut self, text: &str) -> SqlResult<()> {
        if text.is_empty() {
            return Ok(());
        }
        let last = self.nodes.len() - 1;
        let parent = *self.open.last().expect("the root is open");
        let before = &self.nodes[last];
        let is_next = before.kind == NodeKind::Text && before.parent == parent;
        if is_next && before.value.end as usize == self.text.len() {
            self.nodes[last].value.end = self.span(text)?.end;
            return Ok(());
        }
        self.push(NodeKind::Text, Name::default(), text)?;
        Ok(())
    }

    /// Adds a comment.
    pub fn comment(&mut self, text: &str) -> SqlResult<NodeId> {
        self.push(NodeKind::Comment, Name::default(), text)
    }

    /// Adds a processing instruction.
    pub fn instruction(&mut self, target: &str, text: &str) -> SqlResult<NodeId> {
        self.push(NodeKind::Instruction, Name::local(target), text)
    }

    /// Adds a copy of a node with all below it; of the root, of all its children.
    pub fn copy(&mut self, document: &Document, node: NodeId) -> SqlResult<()> {
        let mut ends = Vec::new();
        for at in document.subtree(node) {
            while ends.last().is_some_and(|end| *end <= at) {
                ends.pop();
                self.end();
            }
            let (name, value) = (document.name(at), document.value(at));
            match document.kind(at) {
                NodeKind::Root => {}
                NodeKind::Element => {
                    self.start(name)?;
                    ends.push(NodeId(document.node(at).after));
                }
                NodeKind::Text => self.text(value)?,
                kind => {
                    self.push(kind, name, value)?;
                }
            }
        }
        ends.iter().for_each(|_| self.end());
        Ok(())
    }

    /// The document.
    ///
    /// # Panics
    /// If an element is open.
    pub fn finish(mut self) -> Document {
        assert!(self.open.len() == 1, "an element is open");
        self.nodes[0].after = self.nodes.len() as u32;
        let Builder { nodes, names, text, charge, .. } = self;
        Document { nodes, names, text, charge }
    }
}

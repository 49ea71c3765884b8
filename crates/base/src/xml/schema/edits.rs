//! What validation changes about a document: canonical values, and defaults.

use std::collections::HashMap;
use std::sync::Arc;

use super::Collection;
use super::model::{AttributeId, QName};
use crate::account::Account;
use crate::error::SqlResult;
use crate::pace::{Pace, Stride};
use crate::xml::tree::{Builder, Document, Name, NodeId, NodeKind};

/// What is changed about a node.
enum Edit {
    /// It has another text.
    Text(String),
    /// It is left out.
    Removed,
    /// These attributes follow its own.
    Attributes(Vec<(AttributeId, Arc<str>)>),
}

/// All changes of a document.
#[derive(Default)]
pub(super) struct Edits {
    nodes: HashMap<NodeId, Edit>,
    /// The texts of empty elements.
    filled: HashMap<NodeId, Arc<str>>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.filled.is_empty()
    }

    /// Whether something is changed about a node, other than a text that fills it.
    pub(super) fn is_edited(&self, node: NodeId) -> bool {
        self.nodes.contains_key(&node)
    }

    /// Gives a text or attribute another value.
    pub(super) fn replace(&mut self, node: NodeId, text: String) {
        self.nodes.insert(node, Edit::Text(text));
    }

    /// Leaves a node out.
    pub(super) fn remove(&mut self, node: NodeId) {
        self.nodes.insert(node, Edit::Removed);
    }

    /// Gives an element attributes behind its own.
    pub(super) fn add_attributes(&mut self, node: NodeId, all: Vec<(AttributeId, Arc<str>)>) {
        self.nodes.insert(node, Edit::Attributes(all));
    }

    /// Gives an empty element a text.
    pub(super) fn fill(&mut self, node: NodeId, text: Arc<str>) {
        self.filled.insert(node, text);
    }

    /// The document with all edits.
    pub(super) fn apply(
        mut self,
        collection: &Collection,
        document: &Document,
        account: Option<&Arc<Account>>,
        pace: &dyn Pace,
    ) -> SqlResult<Document> {
        let mut builder = Builder::new(account);
        let mut stride = Stride::new(pace);
        let mut ends: Vec<NodeId> = Vec::new();
        let mut waiting = Waiting::default();
        for node in document.nodes() {
            stride.step(64)?;
            let kind = document.kind(node);
            if kind != NodeKind::Attribute && kind != NodeKind::Namespace {
                std::mem::take(&mut waiting).add(&mut builder, collection, document)?;
            }
            while ends.last().is_some_and(|end| *end <= node) {
                ends.pop();
                builder.end();
            }
            let (name, value) = (document.name(node), document.value(node));
            stride.step(value.len())?;
            let edit = self.nodes.remove(&node);
            let text = match &edit {
                Some(Edit::Text(text)) => text,
                Some(Edit::Removed) => continue,
                _ => value,
            };
            match kind {
                NodeKind::Root => {}
                NodeKind::Element => {
                    builder.start(name)?;
                    ends.push(document.after(node));
                    waiting.element = Some(node);
                    waiting.text = self.filled.remove(&node);
                    if let Some(Edit::Attributes(all)) = edit {
                        waiting.attributes = all;
                    }
                }
                NodeKind::Namespace => drop(builder.namespace(name.local, value)?),
                NodeKind::Attribute => drop(builder.attribute(name, text)?),
                NodeKind::Text => builder.text(text)?,
                NodeKind::Comment => drop(builder.comment(value)?),
                NodeKind::Instruction => drop(builder.instruction(name.local, value)?),
            }
        }
        waiting.add(&mut builder, collection, document)?;
        ends.iter().for_each(|_| builder.end());
        Ok(builder.finish())
    }
}

/// What comes behind an element's own attributes.
#[derive(Default)]
struct Waiting {
    element: Option<NodeId>,
    attributes: Vec<(AttributeId, Arc<str>)>,
    text: Option<Arc<str>>,
}

impl Waiting {
    /// Adds attributes and text that an element has by default.
    fn add(
        self,
        builder: &mut Builder,
        collection: &Collection,
        document: &Document,
    ) -> SqlResult<()> {
        let Some(element) = self.element else { return Ok(()) };
        for (attribute, text) in &self.attributes {
            let QName { uri, local } = &collection.attribute(*attribute).name;
            let prefix = match uri.is_empty() {
                true => "",
                false => prefix_of(document, element, uri),
            };
            builder.attribute(Name { prefix, local, uri }, text)?;
        }
        if let Some(text) = &self.text {
            builder.text(text)?;
        }
        Ok(())
    }
}

/// A prefix for a namespace at an element; the writer declares one that is not there.
fn prefix_of<'d>(document: &'d Document, element: NodeId, uri: &str) -> &'d str {
    let mut at = Some(element);
    while let Some(node) = at {
        let mut declared = document.namespaces(node);
        let is_it =
            |one: &NodeId| document.value(*one) == uri && !document.name(*one).local.is_empty();
        if let Some(found) = declared.find(is_it) {
            let prefix = document.name(found).local;
            if document.namespace_of(element, prefix) == Some(uri) {
                return prefix;
            }
        }
        at = document.parent(node);
    }
    "p1"
}

//! The XML documents that a session has prepared for OPENXML (`sp_xml_preparedocument`).
//!
//! # Life of a document   parsed → kept under a handle → removed, or dropped with the session
//!
//! Handles are 1, 3, 5, and so on, and none is given twice. What a document takes is charged to the
//! session's account for as long as it is kept.
//!
//! # Numbers of nodes
//!
//! OPENXML shows nodes by numbers that SQL Server's parser gives them, which are not those of
//! [`NodeId`]:
//!
//! * The element of the document is 0, and uses up the number that it would have had. What stands
//!   before it is numbered from 1: the declaration, with its attributes, as well.
//! * A node's number is before those of its attributes, and these before those of its content.
//! * Text that is all of an element without attributes, and the text of an attribute, are parts of
//!   their nodes until something asks for their number. They get the next number then.
//! * Text with which an element without attributes begins, and which other content follows, is
//!   numbered after the first of that.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base::account::{Account, Charged};
use base::pace::Stride;
use base::xml::{Document, NodeId, NodeKind};
use base::{Pace, SqlError, SqlResult, message};

/// The namespace of the properties of nodes that OPENXML knows.
pub const PROPERTIES: &str = "urn:schemas-microsoft-com:xml-metaprop";

/// The prefix that always stands for [`PROPERTIES`], unless it is declared otherwise.
const PROPERTIES_PREFIX: &str = "mp";

/// What a document without content and its entry take, at most.
const SMALLEST: usize = 4 << 10;

/// What an entry among the namespaces takes beside its texts, at most.
const NAMESPACE: usize = 128;

/// The number of nodes that have none yet.
const UNNUMBERED: u32 = u32::MAX;

/// See the module's header. No borrow is held across a call.
#[derive(Debug)]
pub struct PreparedDocuments(RefCell<Handles>);

#[derive(Debug)]
struct Handles {
    next: i32,
    kept: BTreeMap<i32, Arc<PreparedDocument>>,
}

impl Default for PreparedDocuments {
    fn default() -> PreparedDocuments {
        PreparedDocuments(RefCell::new(Handles { next: 1, kept: BTreeMap::new() }))
    }
}

impl PreparedDocuments {
    /// Keeps a document: its handle. Error 6624 when all handles were given.
    pub fn add(&self, document: PreparedDocument) -> SqlResult<i32> {
        let mut handles = self.0.borrow_mut();
        let handle = handles.next;
        let next = handle.checked_add(2);
        handles.next = next.ok_or_else(|| SqlError::new(&message::XML_DOCUMENT_MEMORY, &[]))?;
        handles.kept.insert(handle, Arc::new(document));
        Ok(handle)
    }

    /// The document of a handle.
    pub fn get(&self, handle: i32) -> Option<Arc<PreparedDocument>> {
        self.0.borrow().kept.get(&handle).cloned()
    }

    /// Forgets a document. Returns whether there was one.
    pub fn remove(&self, handle: i32) -> bool {
        self.0.borrow_mut().kept.remove(&handle).is_some()
    }
}

/// A document that was prepared, or none at all.
#[derive(Debug)]
pub struct PreparedDocument {
    document: Document,
    /// The names and values of the XML declaration; empty if there is none.
    declaration: Vec<(Box<str>, Box<str>)>,
    /// Prefixes that patterns may use, and their namespaces.
    namespaces: BTreeMap<Box<str>, Box<str>>,
    /// Locked for no longer than a number takes.
    numbers: Mutex<Numbers>,
    _charged: Charged,
}

impl PreparedDocument {
    /// A document with what its declaration says. Error 701, and that of the pace.
    pub fn new(
        document: Document,
        declaration: Vec<(Box<str>, Box<str>)>,
        namespaces: BTreeMap<Box<str>, Box<str>>,
        account: &Arc<Account>,
        pace: &dyn Pace,
    ) -> SqlResult<PreparedDocument> {
        let nodes = document.after(Document::ROOT).number() as usize;
        let named = namespaces.iter().map(|(prefix, uri)| NAMESPACE + prefix.len() + uri.len());
        let names: usize = named.sum();
        let bytes = SMALLEST + names + nodes * size_of::<[u32; 2]>() + document.unasked_bytes();
        let charged = Charged::take(account, bytes)?;
        let numbers = Mutex::new(Numbers::new(&document, declaration.len(), pace)?);
        Ok(PreparedDocument { document, declaration, namespaces, numbers, _charged: charged })
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The names and values of the XML declaration, whose own number is 1.
    pub fn declaration(&self) -> &[(Box<str>, Box<str>)] {
        &self.declaration
    }

    /// The namespace that a prefix stands for in patterns.
    pub fn namespace(&self, prefix: &str) -> Option<String> {
        match (self.namespaces.get(prefix), prefix) {
            (Some(uri), _) => Some(uri.to_string()),
            (None, PROPERTIES_PREFIX) => Some(PROPERTIES.into()),
            (None, "xml") => Some(base::xml::tree::XML_URI.into()),
            _ => None,
        }
    }

    /// The number of a node, given now if it has none.
    ///
    /// # Panics
    /// For the root, which has none.
    pub fn number(&self, node: NodeId) -> u32 {
        assert!(node != Document::ROOT, "the root has no number");
        let mut numbers = self.numbers.lock().expect("no panic under this lock");
        numbers.of(node.number() as usize, |numbers| &mut numbers.nodes)
    }

    /// The number of the text of an attribute or namespace declaration.
    pub fn text_number(&self, attribute: NodeId) -> u32 {
        let mut numbers = self.numbers.lock().expect("no panic under this lock");
        numbers.of(attribute.number() as usize, |numbers| &mut numbers.texts)
    }

    /// The number of the text of an attribute of the XML declaration, by its place.
    pub fn declaration_text_number(&self, place: usize) -> u32 {
        let mut numbers = self.numbers.lock().expect("no panic under this lock");
        numbers.of(place, |numbers| &mut numbers.declaration_texts)
    }
}

#[derive(Debug)]
struct Numbers {
    next: u32,
    nodes: Vec<u32>,
    /// Of attributes, by the attribute.
    texts: Vec<u32>,
    declaration_texts: Vec<u32>,
}

impl Numbers {
    /// Numbers the nodes of a document whose declaration has so many attributes.
    fn new(document: &Document, declared: usize, pace: &dyn Pace) -> SqlResult<Numbers> {
        const WORK: usize = 8;
        let mut stride = Stride::new(pace);
        let count = document.after(Document::ROOT).number() as usize;
        let mut numbers = Numbers {
            next: 1,
            nodes: vec![UNNUMBERED; count],
            texts: vec![UNNUMBERED; count],
            declaration_texts: vec![UNNUMBERED; declared],
        };
        if declared > 0 {
            numbers.next += 1 + declared as u32;
        }
        let mut postponed = None;
        for node in document.nodes().skip(1) {
            stride.step(WORK)?;
            let parent = document.parent(node).unwrap_or(Document::ROOT);
            let is_first = parent != Document::ROOT && parent.next() == node;
            if document.kind(node) == NodeKind::Text && is_first {
                let is_all = document.after(node) == document.after(parent);
                postponed = (!is_all).then_some(node);
                continue;
            }
            let number = numbers.take();
            let is_top = parent == Document::ROOT && document.kind(node) == NodeKind::Element;
            numbers.nodes[node.number() as usize] = if is_top { 0 } else { number };
            if let Some(text) = postponed.take() {
                numbers.nodes[text.number() as usize] = numbers.take();
            }
        }
        Ok(numbers)
    }

    fn take(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn of(&mut self, at: usize, list: fn(&mut Numbers) -> &mut Vec<u32>) -> u32 {
        if list(self)[at] == UNNUMBERED {
            list(self)[at] = self.take();
        }
        list(self)[at]
    }
}

#[cfg(test)]
mod tests;

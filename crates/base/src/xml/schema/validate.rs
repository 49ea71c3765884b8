//! Documents against a collection.
//!
//! One pass in document order. For each open element there is what its type wants: the state of a
//! content model, the text of a simple type, or nothing. Canonical forms of values and defaults are
//! collected as edits, which are applied when all is valid.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::content::{Given, Matched, Matching, Model};
use super::edits::Edits;
use super::model::*;
use super::simple::{NoValue, Scope, Variety};
use super::{Collection, Identity};
use crate::account::{Account, Charged, UNASKED};
use crate::error::{SqlError, SqlResult};
use crate::message::{self, Message};
use crate::pace::{Pace, Stride};
use crate::xml::tree::{Document, Name, NodeId, NodeKind};

/// Characters of an `ID`.
const ID_MAX: usize = 1000;
/// Bytes that a value of a list takes beside its text.
const ITEM_BYTES: usize = 128;
/// Bytes of a text that a message shows.
const SHOWN_MAX: usize = 1000;

type Shown<'a> = &'a dyn std::fmt::Display;

/// Where a node is: the elements above it by name and place among their like.
pub(crate) fn path_of(document: &Document, node: NodeId) -> String {
    let mut steps = Vec::new();
    let mut at = Some(node).filter(|node| *node != Document::ROOT);
    while let Some(node) = at {
        let name = document.name(node);
        let above = document.parent(node);
        steps.push(match document.kind(node) {
            NodeKind::Attribute => format!("/@*:{}", name.local),
            _ => {
                let like = |other: &NodeId| {
                    document.kind(*other) == NodeKind::Element
                        && document.name(*other).local == name.local
                };
                let siblings = document.children(above.unwrap_or(Document::ROOT));
                let place = siblings.take_while(|other| *other <= node).filter(like).count();
                format!("/*:{}[{place}]", name.local)
            }
        });
        at = above.filter(|above| *above != Document::ROOT);
    }
    steps.reverse();
    steps.concat()
}

/// What is wanted of what stands in an element.
enum Inside<'c> {
    /// Nothing is looked at.
    Skipped,
    /// Elements are looked at if they are declared.
    Lax,
    /// Text of a type; the value that an empty element has.
    Text(TypeId),
    /// Elements by a model, and whether text may stand between.
    Elements(&'c Model, Matching, bool),
    /// No elements; text if the type is mixed.
    Nothing(bool),
    /// Nothing at all, since it is nil.
    Nil,
}

struct Open<'c> {
    node: NodeId,
    element: Option<ElementId>,
    inside: Inside<'c>,
}

struct Validator<'c, 'd> {
    collection: &'c Collection,
    document: &'d Document,
    stride: Stride<'d>,
    open: Vec<Open<'c>>,
    /// By numbers of the document's names.
    names: Vec<Option<NameId>>,
    edits: Edits,
    ids: HashSet<String>,
    /// References to ids, with their attributes' names.
    references: Vec<(String, String)>,
    account: Option<Arc<Account>>,
    charged: Option<Charged>,
    bytes: usize,
}

impl Collection {
    /// Checks a document or fragment. What the value is in canonical form, with its defaults;
    /// `None` if it is the document itself. The errors of validation.
    pub fn validate(
        &self,
        document: &Document,
        is_document: bool,
        account: Option<&Arc<Account>>,
        pace: &dyn Pace,
    ) -> SqlResult<Option<Document>> {
        if is_document {
            check_document(document)?;
        }
        let names = document.names().map(|name| model_name(self, &name)).collect();
        let mut validator = Validator {
            collection: self,
            document,
            stride: Stride::new(pace),
            open: Vec::new(),
            names,
            edits: Edits::default(),
            ids: HashSet::new(),
            references: Vec::new(),
            account: account.cloned(),
            charged: None,
            bytes: 0,
        };
        validator.run()?;
        match validator.edits.is_empty() {
            true => Ok(None),
            false => validator.edits.apply(self, document, account, pace).map(Some),
        }
    }
}

fn model_name(collection: &Collection, name: &Name<'_>) -> Option<NameId> {
    super::model::find(&collection.names, name.uri, name.local)
}

/// Error 6901.
fn check_document(document: &Document) -> SqlResult<()> {
    let mut elements = 0;
    for node in document.children(Document::ROOT) {
        match document.kind(node) {
            NodeKind::Element => elements += 1,
            NodeKind::Text => elements = 2,
            _ => {}
        }
    }
    match elements {
        1 => Ok(()),
        _ => Err(SqlError::new(&message::VALIDATION_NOT_DOCUMENT, &[])),
    }
}

/// As messages have names.
fn shown(name: &Name<'_>) -> String {
    match name.uri {
        "" => name.local.into(),
        uri => format!("{{{uri}}}{}", name.local),
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(SHOWN_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl<'c> Validator<'c, '_> {
    /// Charges what is kept until the end.
    fn keep(&mut self, bytes: usize) -> SqlResult<()> {
        self.bytes += bytes;
        let Some(account) = self.account.as_ref().filter(|_| self.bytes > UNASKED) else {
            return Ok(());
        };
        match &mut self.charged {
            Some(charged) if charged.bytes() >= self.bytes => {}
            Some(charged) => charged.resize(2 * self.bytes)?,
            None => self.charged = Some(Charged::take(account, self.bytes)?),
        }
        Ok(())
    }

    #[cold]
    fn fault(&self, message: &Message, what: &str, node: NodeId) -> SqlError {
        SqlError::new(message, &[&what, &path_of(self.document, node)])
    }

    /// An error that names the node.
    #[cold]
    fn fault_named(&self, message: &Message, node: NodeId) -> SqlError {
        self.fault(message, &shown(&self.document.name(node)), node)
    }

    #[cold]
    fn fault_at(&self, message: &Message, node: NodeId) -> SqlError {
        SqlError::new(message, &[&path_of(self.document, node)])
    }

    fn run(&mut self) -> SqlResult<()> {
        for node in self.document.nodes() {
            self.stride.step(64)?;
            while let Some(open) = self.open.last()
                && self.document.after(open.node) <= node
            {
                self.close()?;
            }
            match self.document.kind(node) {
                NodeKind::Element => self.begin(node)?,
                NodeKind::Text => self.text(node)?,
                _ => {}
            }
        }
        while !self.open.is_empty() {
            self.close()?;
        }
        for (name, id) in &self.references {
            if !self.ids.contains(id) {
                return Err(SqlError::new(&message::VALIDATION_IDREF, &[name, id]));
            }
        }
        Ok(())
    }

    /// Looks at an element's place in what is around it, then at its type and its attributes.
    fn begin(&mut self, node: NodeId) -> SqlResult<()> {
        let name = self.document.name(node);
        let given =
            Given { id: self.names[self.document.name_number(node) as usize], uri: name.uri };
        let matched = match self.open.last_mut().map(|open| &mut open.inside) {
            None => Matched::Any(Process::Strict),
            Some(Inside::Skipped) => Matched::Any(Process::Skip),
            Some(Inside::Lax) => Matched::Any(Process::Lax),
            Some(Inside::Elements(model, matching, _)) => match model.step(matching, given) {
                Some(matched) => matched,
                None => return Err(self.unexpected(node, given)),
            },
            Some(Inside::Text(_)) => {
                return Err(self.fault(&message::VALIDATION_ELEMENT_IN_TEXT, &shown(&name), node));
            }
            Some(Inside::Nothing(_)) => {
                return Err(self.fault(&message::VALIDATION_UNEXPECTED, &shown(&name), node));
            }
            Some(Inside::Nil) => return Err(self.nil_content()),
        };
        let global = || self.collection.find_element(name.uri, name.local);
        let (element, process) = match matched {
            Matched::Element(element) => (Some(element), Process::Strict),
            Matched::Any(Process::Skip) => (None, Process::Skip),
            Matched::Any(process) => (global(), process),
        };
        if element.is_none() && process == Process::Strict {
            return Err(self.fault(&message::VALIDATION_NOT_DECLARED, &shown(&name), node));
        }
        if process == Process::Skip {
            self.open.push(Open { node, element: None, inside: Inside::Skipped });
            return Ok(());
        }
        let inside = self.typed(node, element)?;
        self.open.push(Open { node, element, inside });
        Ok(())
    }

    /// Errors 6911, 6923, 6965: an element that the model does not want here.
    #[cold]
    fn unexpected(&self, node: NodeId, given: Given<'_>) -> SqlError {
        let found = shown(&self.document.name(node));
        let Some(Inside::Elements(model, matching, _)) = self.open.last().map(|o| &o.inside) else {
            return self.fault(&message::VALIDATION_UNEXPECTED, &found, node);
        };
        if model.came_already(matching, given) {
            return self.fault(&message::VALIDATION_ALL_TWICE, &found, node);
        }
        let expected = model.expected(self.collection, matching);
        if expected.is_empty() {
            return self.fault(&message::VALIDATION_UNEXPECTED, &found, node);
        }
        let expected = format!("'{}'", expected.join("','"));
        let args: [Shown<'_>; 3] = [&expected, &found, &path_of(self.document, node)];
        SqlError::new(&message::VALIDATION_CONTENT, &args)
    }

    /// Error 6918.
    #[cold]
    fn nil_content(&self) -> SqlError {
        let node = self.open.last().expect("it is nil").node;
        self.fault_named(&message::VALIDATION_NIL_CONTENT, node)
    }

    /// What an attribute about the schema says.
    fn instance_attribute(&self, node: NodeId, local: &str) -> Option<&str> {
        let mut all = self.document.attributes(node);
        let found = all.find(|at| {
            let name = self.document.name(*at);
            name.uri == INSTANCE_URI && name.local == local
        })?;
        Some(self.document.value(found))
    }

    /// What stands in an element by its type; attributes are checked.
    fn typed(&mut self, node: NodeId, element: Option<ElementId>) -> SqlResult<Inside<'c>> {
        let collection = self.collection;
        let declared = element.map(|id| collection.element(id));
        if declared.is_some_and(|element| element.is_abstract) {
            return Err(self.fault_named(&message::VALIDATION_ABSTRACT_ELEMENT, node));
        }
        let written = self.instance_attribute(node, "type");
        let cast = written.map(|written| self.named_type(written, node)).transpose()?;
        let Some(ty) = cast.or(declared.map(|element| element.ty)) else {
            return Ok(Inside::Lax);
        };
        if let (Some(element), Some(cast)) = (declared, cast) {
            self.check_cast(element, cast, node)?;
        }
        let own = collection.ty(ty);
        if own.is_abstract {
            return Err(self.fault_named(&message::VALIDATION_ABSTRACT_TYPE, node));
        }
        let is_nil = self.is_nil(node, declared)?;
        match &own.body {
            Body::Simple(_) => {
                self.attributes(node, &[], None)?;
                Ok(if is_nil { Inside::Nil } else { Inside::Text(ty) })
            }
            Body::Complex(complex) => {
                self.attributes(node, &complex.attributes, complex.any_attribute.as_ref())?;
                Ok(match &complex.content {
                    _ if is_nil => Inside::Nil,
                    Content::Simple(ty) => Inside::Text(*ty),
                    Content::Elements(model) => {
                        Inside::Elements(model, Matching::default(), complex.is_mixed)
                    }
                    Content::Empty => Inside::Nothing(complex.is_mixed),
                })
            }
        }
    }

    /// The type that `xsi:type` names. Errors 6914, 6922, 6929.
    fn named_type(&self, written: &str, node: NodeId) -> SqlResult<TypeId> {
        let written = written.trim_ascii();
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        if !super::is_name(local) || (!prefix.is_empty() && !super::is_name(prefix)) {
            return Err(SqlError::new(&message::VALIDATION_TYPE_NAME, &[&cut(written)]));
        }
        let uri = self.document.namespace_of(node, prefix);
        if uri.is_none() && !prefix.is_empty() {
            return Err(SqlError::new(&message::VALIDATION_PREFIX, &[&cut(prefix)]));
        }
        let uri = uri.unwrap_or("");
        self.collection.find_type(uri, local).ok_or_else(|| {
            let name = shown(&Name { prefix, local, uri });
            self.fault(&message::VALIDATION_TYPE_UNKNOWN, &name, node)
        })
    }

    /// Error 6936.
    fn check_cast(&self, element: &Element, cast: TypeId, node: NodeId) -> SqlResult<()> {
        let collection = self.collection;
        let block = |barred: Barred| {
            let steps = collection.derivation(cast, element.ty).unwrap_or_default();
            (barred.extension && steps.extension) || (barred.restriction && steps.restriction)
        };
        let is_allowed = collection.is_derived(cast, element.ty)
            && !block(element.block)
            && !block(collection.ty(element.ty).block);
        if is_allowed {
            return Ok(());
        }
        let (from, to) = (collection.ty(element.ty).shown(), collection.ty(cast).shown());
        let args: [Shown<'_>; 4] = [&element.name, &from, &to, &path_of(self.document, node)];
        Err(SqlError::new(&message::VALIDATION_CAST, &args))
    }

    /// Error 6917.
    fn is_nil(&self, node: NodeId, element: Option<&Element>) -> SqlResult<bool> {
        let value = self.instance_attribute(node, "nil").map(str::trim_ascii);
        let is_nil = matches!(value, Some("true" | "1"));
        if !is_nil && !matches!(value, None | Some("false" | "0")) {
            let args: [Shown<'_>; 2] =
                [&cut(value.unwrap_or_default()), &path_of(self.document, node)];
            return Err(SqlError::new(&message::VALIDATION_VALUE, &args));
        }
        let is_fixed = |element: &Element| element.value.as_ref().is_some_and(|v| v.is_fixed);
        if value.is_some() && element.is_some_and(|e| !e.is_nillable || is_fixed(e)) && is_nil {
            return Err(self.fault_named(&message::VALIDATION_NOT_NILLABLE, node));
        }
        Ok(is_nil)
    }

    // Attributes.

    fn attributes(
        &mut self,
        node: NodeId,
        uses: &'c [AttributeUse],
        any: Option<&'c Wildcard>,
    ) -> SqlResult<()> {
        let (collection, document) = (self.collection, self.document);
        let mut found = vec![false; uses.len()];
        let mut has_id = false;
        for attribute in document.attributes(node) {
            self.stride.step(64)?;
            let name = document.name(attribute);
            if name.uri == INSTANCE_URI {
                continue;
            }
            let place = uses.iter().position(|one| {
                let own = &collection.attribute(one.attribute).name;
                *own.local == *name.local && *own.uri == *name.uri
            });
            let (declared, value) = match place {
                Some(place) => {
                    found[place] = true;
                    (uses[place].attribute, uses[place].value.as_ref())
                }
                None => {
                    let process = any.filter(|any| any.allows(name.uri)).map(|any| any.process);
                    let global = collection.find_attribute(name.uri, name.local);
                    match (process, global) {
                        (Some(Process::Skip), _) | (Some(Process::Lax), None) => continue,
                        (Some(_), Some(global)) => {
                            (global, collection.attribute(global).value.as_ref())
                        }
                        _ => {
                            let message = &message::VALIDATION_ATTRIBUTE_NOT_PERMITTED;
                            return Err(self.fault(message, &shown(&name), attribute));
                        }
                    }
                }
            };
            let ty = collection.attribute(declared).ty;
            if self.id(attribute, ty)? && std::mem::replace(&mut has_id, true) {
                return Err(self.fault_at(&message::VALIDATION_IDS, node));
            }
            self.value(attribute, attribute, ty, Cow::Borrowed(document.value(attribute)), value)?;
        }
        let mut added = Vec::new();
        for (one, found) in uses.iter().zip(found) {
            if found {
                continue;
            }
            if one.is_required {
                let name = collection.attribute(one.attribute).name.to_string();
                return Err(self.fault(&message::VALIDATION_ATTRIBUTE_MISSING, &name, node));
            }
            if let Some(value) = &one.value {
                added.push((one.attribute, value.text.clone()));
            }
        }
        if !added.is_empty() {
            self.keep(64 * (1 + added.len()))?;
            self.edits.add_attributes(node, added);
        }
        Ok(())
    }

    /// Whether an attribute is an id. Errors 6930, 6935.
    fn id(&mut self, attribute: NodeId, ty: TypeId) -> SqlResult<bool> {
        let Some(identity) = self.collection.identity(ty) else { return Ok(false) };
        let is_id = identity == Identity::Id;
        let name = shown(&self.document.name(attribute));
        for word in self.document.value(attribute).split_ascii_whitespace() {
            if word.chars().count() > ID_MAX {
                return Err(self.fault_at(&message::VALIDATION_ID_LONG, attribute));
            }
            self.keep(word.len() + name.len() + 64)?;
            if !is_id {
                self.references.push((name.clone(), word.into()));
            } else if !self.ids.insert(word.into()) {
                let args: [Shown<'_>; 3] = [&name, &word, &path_of(self.document, attribute)];
                return Err(SqlError::new(&message::VALIDATION_ID_TWICE, &args));
            }
        }
        Ok(is_id)
    }

    /// Checks a value, which stands in a node or is put together of its texts, and notes its
    /// canonical form. Errors 6921, 6922, 6926, 6937.
    fn value(
        &mut self,
        node: NodeId,
        holder: NodeId,
        ty: TypeId,
        text: Cow<'_, str>,
        constraint: Option<&ValueConstraint>,
    ) -> SqlResult<()> {
        let _held = self.hold(ty, &text)?;
        let document = self.document;
        let uri = |prefix: &str| document.namespace_of(node, prefix).map(String::from);
        let mut scope = Scope { uri: &uri, stride: &mut self.stride };
        let parsed = match self.collection.read(ty, &text, &mut scope) {
            Err(NoValue::Stopped(error)) => return Err(error),
            Ok(parsed) => parsed,
            Err(NoValue::Invalid) => {
                return Err(self.fault(&message::VALIDATION_VALUE, cut(&text), node));
            }
            Err(NoValue::NotCanonical) => {
                return Err(self.fault(&message::VALIDATION_CANONICAL, cut(&text), node));
            }
            Err(NoValue::Prefix) => {
                let prefix = text.trim_ascii().split(':').next().unwrap_or_default();
                return Err(SqlError::new(&message::VALIDATION_PREFIX, &[&cut(prefix)]));
            }
        };
        if let Some(fixed) = constraint.filter(|value| value.is_fixed) {
            let wanted = self.collection.read(ty, &fixed.text, &mut scope);
            let is_same = match wanted {
                Ok(wanted) => wanted.value.is_same(&parsed.value),
                Err(_) => *fixed.text == *parsed.text,
            };
            if !is_same {
                return Err(self.fault_named(&message::VALIDATION_FIXED, node));
            }
        }
        if parsed.text != text {
            let text = parsed.text.into_owned();
            self.keep(64 + text.len())?;
            self.edits.replace(holder, text);
        }
        Ok(())
    }

    /// Charges what a long value takes while it is read.
    fn hold(&self, ty: TypeId, text: &str) -> SqlResult<Option<Charged>> {
        let Some(account) = self.account.as_ref().filter(|_| text.len() > UNASKED) else {
            return Ok(None);
        };
        let simple = self.collection.ty(ty).simple().expect("a value has a simple type");
        let values = match simple.variety {
            Variety::Atomic(_) => 1,
            Variety::List(_) | Variety::Union(_) => text.split_ascii_whitespace().count(),
        };
        Charged::take(account, 4 * text.len() + ITEM_BYTES * values).map(Some)
    }

    // Content.

    /// Text between tags. Errors 6909, 6918, 6924.
    fn text(&mut self, node: NodeId) -> SqlResult<()> {
        let text = self.document.value(node);
        let is_white = || text.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
        let Some(open) = self.open.last() else { return Ok(()) };
        match &open.inside {
            Inside::Skipped | Inside::Lax | Inside::Text(_) | Inside::Nothing(true) => Ok(()),
            Inside::Elements(_, _, true) => Ok(()),
            Inside::Elements(..) if is_white() => Ok(()),
            Inside::Elements(..) => {
                Err(self.fault_at(&message::VALIDATION_TEXT_NOT_ALLOWED, open.node))
            }
            Inside::Nothing(false) if is_white() => Ok(()),
            Inside::Nothing(false) => {
                Err(self.fault(&message::VALIDATION_TEXT_IN_EMPTY, cut(text), open.node))
            }
            Inside::Nil => Err(self.nil_content()),
        }
    }

    /// Ends an element. Errors 6908 and those of its value.
    fn close(&mut self) -> SqlResult<()> {
        let Open { node, element, inside } = self.open.pop().expect("it is open");
        let collection = self.collection;
        let value = element.and_then(|id| collection.element(id).value.as_ref());
        match inside {
            Inside::Text(ty) => self.text_value(node, ty, value),
            Inside::Elements(model, matching, is_mixed) => {
                if !model.may_end(&matching) {
                    let expected = model.expected(collection, &matching).join("','");
                    let expected = format!("'{expected}'");
                    return Err(self.fault(&message::VALIDATION_ELEMENT_MISSING, &expected, node));
                }
                match value.filter(|_| is_mixed) {
                    Some(value) => self.mixed_value(node, value),
                    None => Ok(()),
                }
            }
            Inside::Nothing(true) => match value {
                Some(value) => self.mixed_value(node, value),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The value of an element of text.
    fn text_value(
        &mut self,
        node: NodeId,
        ty: TypeId,
        value: Option<&'c ValueConstraint>,
    ) -> SqlResult<()> {
        let document = self.document;
        let texts: Vec<NodeId> =
            document.children(node).filter(|at| document.kind(*at) == NodeKind::Text).collect();
        let Some(first) = texts.first().copied() else {
            if let Some(value) = value {
                self.keep(64)?;
                self.edits.fill(node, value.text.clone());
                return Ok(());
            }
            // An element with nothing in it has the empty text.
            return self.empty_value(node, ty);
        };
        let text = match &texts[..] {
            [one] => Cow::Borrowed(document.value(*one)),
            all => {
                self.keep(all.iter().map(|at| document.value(*at).len()).sum())?;
                Cow::Owned(all.iter().map(|at| document.value(*at)).collect())
            }
        };
        self.value(node, first, ty, text, value)?;
        if self.edits.is_edited(first) {
            for other in &texts[1..] {
                self.edits.remove(*other);
            }
        }
        Ok(())
    }

    fn empty_value(&mut self, node: NodeId, ty: TypeId) -> SqlResult<()> {
        let mut scope = Scope { uri: &|_| None, stride: &mut self.stride };
        match self.collection.read(ty, "", &mut scope) {
            Ok(_) => Ok(()),
            Err(_) => Err(self.fault(&message::VALIDATION_VALUE, "", node)),
        }
    }

    /// The value of an element with mixed content. Errors 6921, 6939.
    fn mixed_value(&mut self, node: NodeId, value: &'c ValueConstraint) -> SqlResult<()> {
        let document = self.document;
        let has_elements = document.children(node).any(|at| document.kind(at) == NodeKind::Element);
        let is_empty = document.children(node).next().is_none();
        if is_empty {
            self.keep(64)?;
            self.edits.fill(node, value.text.clone());
            return Ok(());
        }
        if value.is_fixed && has_elements {
            return Err(self.fault_named(&message::VALIDATION_MIXED_FIXED, node));
        }
        let is_same = || document.texts(node).flat_map(str::bytes).eq(value.text.bytes());
        if value.is_fixed && !is_same() {
            return Err(self.fault_named(&message::VALIDATION_FIXED, node));
        }
        Ok(())
    }
}

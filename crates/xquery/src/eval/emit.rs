//! Writing what a query yields as a document.
//!
//! The begin of a constructed element is held until its first child or its end, since attributes
//! may still follow text. Prefixes that nodes bring from outside what is written are declared anew:
//! a declaration that is in scope is used, then one of the query's own prefixes, then `p1`, `p2` ….

use base::error::{SqlError, SqlResult};
use base::message;
use base::xml::tree::XML_URI;
use base::xml::{Builder, Document, Name, NodeId, NodeKind};

use super::{Focus, Item, ON, Run};
use crate::expr::{Element, Expr, QName};

/// How many levels there may be.
pub(super) const LEVELS_MAX: usize = 128;

pub(super) struct OwnName {
    pub(super) prefix: String,
    pub(super) local: String,
    pub(super) uri: String,
}

impl OwnName {
    pub(super) fn of(name: Name<'_>) -> OwnName {
        let [prefix, local, uri] = [name.prefix, name.local, name.uri].map(str::to_string);
        OwnName { prefix, local, uri }
    }

    fn new(name: &QName) -> OwnName {
        let [prefix, local, uri] = [&name.prefix, &name.local, &name.uri].map(|s| s.to_string());
        OwnName { prefix, local, uri }
    }

    pub(super) fn borrowed(&self) -> Name<'_> {
        Name { prefix: &self.prefix, local: &self.local, uri: &self.uri }
    }
}

/// An element that has begun and has no children yet.
pub(super) struct Tag {
    pub(super) name: OwnName,
    pub(super) namespaces: Vec<(String, String)>,
    pub(super) attributes: Vec<(OwnName, String)>,
    text: String,
}

impl Tag {
    pub(super) fn new(name: OwnName) -> Tag {
        Tag { name, namespaces: Vec::new(), attributes: Vec::new(), text: String::new() }
    }

    /// Error 6308 where the element has the attribute.
    pub(super) fn attribute(&mut self, name: OwnName, value: String) -> SqlResult<()> {
        check_new(&self.attributes, &name)?;
        self.attributes.push((name, value));
        Ok(())
    }
}

/// Error 6308 where the attribute is among these.
pub(super) fn check_new(known: &[(OwnName, String)], name: &OwnName) -> SqlResult<()> {
    match known.iter().any(|(other, _)| other.local == name.local && other.uri == name.uri) {
        true => Err(SqlError::new(&message::XQUERY_TWICE_ATTRIBUTE, &[&name.local])),
        false => Ok(()),
    }
}

/// What is written, and attributes that stand alone.
pub(super) type Written = (Document, Vec<(OwnName, String)>);

pub(super) struct Emitter<'e, 'r> {
    pub(super) run: &'e Run<'r>,
    builder: Builder,
    tag: Option<Tag>,
    /// Declarations in scope: prefix, URI, and the level of their element.
    scope: Vec<(String, String, usize)>,
    generated: usize,
    /// Whether the last item of this expression was an atomic value.
    after_atomic: bool,
    /// Attributes that belong to no element, if that is allowed.
    loose: Option<Vec<(OwnName, String)>>,
}

impl<'e, 'r> Emitter<'e, 'r> {
    /// `takes_loose`: attributes may stand alone, as they may where they are inserted.
    pub(super) fn new(run: &'e Run<'r>, takes_loose: bool) -> Emitter<'e, 'r> {
        Emitter {
            run,
            builder: Builder::new(Some(run.meter.account)),
            tag: None,
            scope: Vec::new(),
            generated: 0,
            after_atomic: false,
            loose: takes_loose.then(Vec::new),
        }
    }

    pub(super) fn finish(mut self) -> SqlResult<Written> {
        self.open()?;
        Ok((self.builder.finish(), self.loose.unwrap_or_default()))
    }

    /// Writes all items of an expression.
    pub(super) fn emit(&mut self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<()> {
        self.run.deeper()?;
        match expr {
            Expr::Sequence(all) => {
                for one in all {
                    self.emit(one, focus)?;
                }
                Ok(())
            }
            Expr::If(parts) => {
                let is_true = self.run.is_true(&parts[0], focus)?;
                self.emit(if is_true { &parts[1] } else { &parts[2] }, focus)
            }
            Expr::Flwor(flwor) => {
                let run = self.run;
                let _ =
                    run.flwor(flwor, focus, &mut || self.emit(&flwor.result, focus).map(|()| ON))?;
                Ok(())
            }
            Expr::Element(element) => self.element(element, focus),
            Expr::Attribute(name, value) => {
                let value = self.joined(value, focus)?.unwrap_or_default();
                self.after_atomic = false;
                self.attribute(OwnName::new(name), value)
            }
            Expr::Text(value) => {
                self.after_atomic = false;
                match self.joined(value, focus)? {
                    Some(text) => self.text(&text),
                    None => Ok(()),
                }
            }
            Expr::Literal(text) => self.text(text),
            Expr::Comment(text) => {
                self.child()?;
                self.builder.comment(text).map(|_| ())
            }
            Expr::Instruction(target, text) => {
                self.child()?;
                self.builder.instruction(target, text).map(|_| ())
            }
            Expr::External(number) => match self.run.externals.get(*number) {
                Some(crate::Value::Xml(document)) => {
                    let document: &Document = document;
                    self.copy(document, Document::ROOT)
                }
                _ => match self.run.external(*number) {
                    Some(value) => self.item(Item::Atomic(value)),
                    None => Ok(()),
                },
            },
            expr => {
                let run = self.run;
                let _ = run.each(expr, focus, &mut |item| self.item(item).map(|()| ON))?;
                Ok(())
            }
        }
    }

    fn item(&mut self, item: Item<'r>) -> SqlResult<()> {
        match item {
            Item::Node(node) => self.copy(self.run.document, node),
            Item::Atomic(value) => {
                if self.after_atomic {
                    self.text(" ")?;
                }
                self.text(&value.text())?;
                self.after_atomic = true;
                Ok(())
            }
        }
    }

    /// The atomic values with blanks between them; `None` if there are none.
    pub(super) fn joined(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Option<String>> {
        let mut out: Option<String> = None;
        let _ = self.run.each_atomic(expr, focus, &mut |value| {
            let text = value.text();
            match &mut out {
                Some(out) => {
                    self.run.meter.admit(out.len() + text.len())?;
                    out.push(' ');
                    out.push_str(&text);
                }
                None => out = Some(text.into_owned()),
            }
            Ok(ON)
        })?;
        Ok(out)
    }

    fn element(&mut self, element: &'r Element, focus: &Focus<'r>) -> SqlResult<()> {
        self.child()?;
        let mut tag = Tag::new(OwnName::new(&element.name));
        let own = element.namespaces.iter();
        tag.namespaces = own.map(|(p, u)| (p.to_string(), u.to_string())).collect();
        for (name, value) in &element.attributes {
            let value = self.joined(value, focus)?.unwrap_or_default();
            tag.attribute(OwnName::new(name), value)?;
        }
        self.begin(tag)?;
        for content in &element.content {
            self.emit(content, focus)?;
            self.after_atomic = false;
        }
        self.end()
    }

    /// Begins an element; its attributes may still come.
    pub(super) fn begin(&mut self, tag: Tag) -> SqlResult<()> {
        self.open()?;
        self.after_atomic = false;
        self.tag = Some(tag);
        Ok(())
    }

    /// Ends the element that began last.
    pub(super) fn end(&mut self) -> SqlResult<()> {
        self.open()?;
        self.after_atomic = false;
        self.close();
        Ok(())
    }

    fn close(&mut self) {
        let level = self.builder.depth();
        while self.scope.last().is_some_and(|(_, _, own)| *own == level) {
            self.scope.pop();
        }
        self.builder.end();
    }

    /// A node comes that is no attribute.
    fn child(&mut self) -> SqlResult<()> {
        self.after_atomic = false;
        self.open()
    }

    pub(super) fn text(&mut self, text: &str) -> SqlResult<()> {
        self.after_atomic = false;
        self.run.work(text.len().min(base::pace::STRIDE))?;
        match &mut self.tag {
            Some(tag) => {
                tag.text.push_str(text);
                Ok(())
            }
            None => self.builder.text(text),
        }
    }

    /// Adds an attribute to the element that has just begun. Errors 6307 and 6308.
    pub(super) fn attribute(&mut self, name: OwnName, value: String) -> SqlResult<()> {
        self.after_atomic = false;
        if let Some(tag) = &mut self.tag {
            return tag.attribute(name, value);
        }
        match &mut self.loose {
            Some(loose) if self.builder.depth() == 0 => {
                check_new(loose, &name)?;
                loose.push((name, value));
                Ok(())
            }
            _ => Err(SqlError::new(&message::XQUERY_LOOSE_ATTRIBUTE, &[])),
        }
    }

    /// Writes the element that has begun.
    fn open(&mut self) -> SqlResult<()> {
        let Some(mut tag) = self.tag.take() else {
            return Ok(());
        };
        self.check_level()?;
        let level = self.builder.depth() + 1;
        for (prefix, uri) in &tag.namespaces {
            self.scope.push((prefix.clone(), uri.clone(), level));
        }
        let own = self.scope.len();
        tag.name.prefix = self.prefix(tag.name.borrowed(), false, level);
        for (name, _) in &mut tag.attributes {
            name.prefix = self.prefix(name.borrowed(), true, level);
        }
        self.builder.start(tag.name.borrowed())?;
        for (prefix, uri) in &tag.namespaces {
            self.builder.namespace(prefix, uri)?;
        }
        // Where nodes are inserted later, what they need is declared there.
        let needed = if self.loose.is_some() { self.scope.len() } else { own };
        for (prefix, uri, _) in &self.scope[needed..] {
            self.builder.namespace(prefix, uri)?;
        }
        for (name, value) in &tag.attributes {
            self.builder.attribute(name.borrowed(), value)?;
        }
        self.builder.text(&tag.text)
    }

    fn check_level(&self) -> SqlResult<()> {
        match self.builder.depth() < LEVELS_MAX {
            true => Ok(()),
            false => Err(SqlError::new(&message::XML_TOO_DEEP, &[])),
        }
    }

    /// What a prefix stands for here.
    fn bound(&self, prefix: &str) -> Option<&str> {
        let found = self.scope.iter().rev().find(|(known, ..)| known == prefix);
        found.map(|(_, uri, _)| uri.as_str())
    }

    /// The prefix for a name, which is declared at this level if need be.
    fn prefix(&mut self, name: Name<'_>, is_attribute: bool, level: usize) -> String {
        let uri = name.uri;
        if uri == XML_URI {
            return "xml".into();
        }
        if uri.is_empty() {
            if !is_attribute && self.bound("").is_some_and(|uri| !uri.is_empty()) {
                self.scope.push((String::new(), String::new(), level));
            }
            return String::new();
        }
        let fits = |prefix: &str| !is_attribute || !prefix.is_empty();
        if fits(name.prefix) && self.bound(name.prefix) == Some(uri) {
            return name.prefix.into();
        }
        let known = self.scope.iter().rev().map(|(prefix, own, _)| (prefix.as_str(), own.as_str()));
        let found = known.filter(|(prefix, own)| *own == uri && fits(prefix));
        let found = found.map(|(prefix, _)| prefix.to_string());
        let mut usable = found.filter(|prefix| self.bound(prefix) == Some(uri));
        if let Some(prefix) = usable.next() {
            return prefix;
        }
        drop(usable);
        let is_free = |emitter: &Self, prefix: &str| {
            // An element declares a prefix once.
            !emitter.scope.iter().any(|(own, _, at)| *at == level && own == prefix)
        };
        let declared = self.run.query.prefixes.iter();
        let mut declared = declared.filter(|(prefix, own)| own == uri && fits(prefix));
        let own = declared.find(|(prefix, _)| is_free(self, prefix));
        let prefix = match own {
            Some((prefix, _)) => prefix.clone(),
            None => loop {
                self.generated += 1;
                let prefix = format!("p{}", self.generated);
                if self.bound(&prefix).is_none() {
                    break prefix;
                }
            },
        };
        self.scope.push((prefix.clone(), uri.to_string(), level));
        prefix
    }

    /// Copies a node with all below it; of the root, of all its children.
    pub(super) fn copy(&mut self, document: &Document, node: NodeId) -> SqlResult<()> {
        self.after_atomic = false;
        let mut ends: Vec<NodeId> = Vec::new();
        for at in document.subtree(node) {
            while ends.last().is_some_and(|end| *end <= at) {
                ends.pop();
                self.end()?;
            }
            if self.copy_one(document, at, at == node)? {
                ends.push(document.after(at));
            }
        }
        for _ in ends {
            self.end()?;
        }
        Ok(())
    }

    /// Copies a node without what is below it; an element begins, which is returned. Attributes and
    /// declarations go with their element.
    pub(super) fn copy_one(
        &mut self,
        document: &Document,
        node: NodeId,
        is_alone: bool,
    ) -> SqlResult<bool> {
        let (name, value) = (document.name(node), document.value(node));
        match document.kind(node) {
            NodeKind::Root | NodeKind::Namespace => {}
            NodeKind::Attribute => {
                if is_alone {
                    self.attribute(OwnName::of(name), value.to_string())?;
                }
            }
            NodeKind::Text => self.text(value)?,
            NodeKind::Comment => {
                self.child()?;
                self.builder.comment(value)?;
            }
            NodeKind::Instruction => {
                self.child()?;
                self.builder.instruction(name.local, value)?;
            }
            NodeKind::Element => {
                self.child()?;
                if self.is_plain(document, node) {
                    self.check_level()?;
                    self.builder.start(name)?;
                    for own in document.attributes(node) {
                        self.builder.attribute(document.name(own), document.value(own))?;
                    }
                } else {
                    self.begin(tag_of(document, node))?;
                    self.open()?;
                }
                self.run.work(1)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an element has nothing to do with namespaces here.
    fn is_plain(&self, document: &Document, node: NodeId) -> bool {
        document.name(node).uri.is_empty()
            && self.bound("").is_none_or(str::is_empty)
            && document.namespaces(node).next().is_none()
            && document.attributes(node).all(|own| document.name(own).uri.is_empty())
    }
}

/// An element as it stands in a document.
pub(super) fn tag_of(document: &Document, node: NodeId) -> Tag {
    let mut tag = Tag::new(OwnName::of(document.name(node)));
    for own in document.namespaces(node) {
        let (prefix, uri) = (document.name(own).local, document.value(own));
        tag.namespaces.push((prefix.to_string(), uri.to_string()));
    }
    for own in document.attributes(node) {
        tag.attributes.push((OwnName::of(document.name(own)), document.value(own).to_string()));
    }
    tag
}

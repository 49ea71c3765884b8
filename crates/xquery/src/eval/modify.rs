//! `modify()`: a copy of the document with changes.

use base::error::{SqlError, SqlResult};
use base::message;
use base::xml::schema::INSTANCE_URI;
use base::xml::{Document, NodeId, NodeKind};

use super::emit::{Emitter, OwnName, Tag, Written, check_new, tag_of};
use super::{Focus, Item, Run, start};
use crate::{Body, Input, Place, Query};

/// What changes.
enum Edit {
    /// Nodes in document order.
    Delete(Vec<NodeId>),
    Insert {
        target: NodeId,
        place: Place,
        content: Written,
    },
    Replace {
        target: NodeId,
        text: String,
        /// Whether the element becomes nil, or is no more.
        is_nil: bool,
    },
}

pub(crate) fn modify(query: &Query, input: Input<'_>) -> SqlResult<Option<Document>> {
    let (run, focus) = start(query, input);
    let Some(edit) = run.edit(&query.body, &focus)? else {
        return Ok(None);
    };
    let mut emitter = Emitter::new(&run, false);
    rebuild(&mut emitter, run.document, &edit)?;
    Ok(Some(emitter.finish()?.0))
}

impl<'r> Run<'r> {
    /// What the statement changes in this document, if anything.
    fn edit(&self, body: &'r Body, focus: &Focus<'r>) -> SqlResult<Option<Edit>> {
        match body {
            Body::Delete(target) => {
                let nodes = self.node_set(target, focus)?.items;
                Ok((!nodes.is_empty()).then_some(Edit::Delete(nodes)))
            }
            Body::Insert { content, place, target } => {
                let Some(Item::Node(target)) = self.first(target, focus)? else {
                    return Ok(None);
                };
                let mut emitter = Emitter::new(self, true);
                emitter.emit(content, focus)?;
                let content = emitter.finish()?;
                let is_empty = content.1.is_empty() && content.0.nodes().count() == 1;
                let is_beside = matches!(place, Place::Before | Place::After);
                self.check_place(target, is_beside, &content)?;
                let edit = Edit::Insert { target, place: *place, content };
                Ok((!is_empty).then_some(edit))
            }
            Body::Replace { target, value, is_written_empty, can_be_nil } => {
                let Some(Item::Node(target)) = self.first(target, focus)? else {
                    return Ok(None);
                };
                self.check_valued(target)?;
                let is_text = self.document.kind(target) == NodeKind::Text;
                let text = Emitter::new(self, false).joined(value, focus)?;
                let is_nil = *can_be_nil && text.is_none();
                let text = match text {
                    Some(text) => text,
                    None if is_nil => String::new(),
                    None if !is_text => {
                        return Err(SqlError::new(&message::XQUERY_REPLACE_EMPTY, &[]));
                    }
                    None if *is_written_empty => String::new(),
                    None => return Err(SqlError::new(&message::XQUERY_REPLACE_EMPTY_TEXT, &[])),
                };
                Ok(Some(Edit::Replace { target, text, is_nil }))
            }
            Body::Expr(_) => unreachable!("the query is for modify()"),
        }
    }

    /// Error 2356 for an element that has others in it.
    fn check_valued(&self, target: NodeId) -> SqlResult<()> {
        let is_element = |node: NodeId| self.document.kind(node) == NodeKind::Element;
        if !is_element(target) || !self.document.children(target).any(is_element) {
            return Ok(());
        }
        let found = format!("element({},xs:anyType)", self.document.name(target).local);
        let args: [&dyn std::fmt::Display; 2] = [&"XQuery: ", &found];
        Err(SqlError::new(&message::XQUERY_REPLACE_TARGET, &args))
    }

    /// Error 6307 where the target cannot take what is inserted, for types that leave it open.
    fn check_place(&self, target: NodeId, is_beside: bool, content: &Written) -> SqlResult<()> {
        let kind = self.document.kind(target);
        let has_attributes = !content.1.is_empty();
        let is_right = match is_beside {
            true => !has_attributes && !matches!(kind, NodeKind::Root | NodeKind::Attribute),
            false if has_attributes => kind == NodeKind::Element,
            false => matches!(kind, NodeKind::Root | NodeKind::Element),
        };
        match is_right {
            true => Ok(()),
            false => Err(SqlError::new(&message::XQUERY_LOOSE_ATTRIBUTE, &[])),
        }
    }
}

/// Writes the document with the change.
fn rebuild(emitter: &mut Emitter<'_, '_>, document: &Document, edit: &Edit) -> SqlResult<()> {
    // Where elements end, and whether what is inserted comes last in them.
    let mut ends: Vec<(NodeId, NodeId)> = Vec::new();
    let mut skipped = Document::ROOT;
    let mut deleted = match edit {
        Edit::Delete(nodes) => nodes.iter().copied().peekable(),
        _ => [].iter().copied().peekable(),
    };
    let insert = |emitter: &mut Emitter<'_, '_>, node: NodeId, wanted: Place| match edit {
        Edit::Insert { target, place, content } if *target == node && *place == wanted => {
            emitter.copy(&content.0, Document::ROOT)
        }
        _ => Ok(()),
    };
    let close = |emitter: &mut Emitter<'_, '_>, node: NodeId| {
        insert(emitter, node, Place::Last)?;
        if document.kind(node) == NodeKind::Element {
            emitter.end()?;
        }
        insert(emitter, node, Place::After)
    };
    for node in document.nodes() {
        while let Some((open, _)) = ends.last().copied().filter(|(_, end)| *end <= node) {
            ends.pop();
            close(emitter, open)?;
        }
        if node < skipped {
            continue;
        }
        let kind = document.kind(node);
        if matches!(kind, NodeKind::Namespace | NodeKind::Attribute) {
            // They went with their element.
            while deleted.peek().is_some_and(|next| *next <= node) {
                deleted.next();
            }
            continue;
        }
        if deleted.peek() == Some(&node) {
            skipped = document.after(node);
            while deleted.peek().is_some_and(|next| *next < skipped) {
                deleted.next();
            }
            continue;
        }
        insert(emitter, node, Place::Before)?;
        match (kind, edit) {
            (NodeKind::Element, edit) => {
                match changed_tag(document, node, edit)? {
                    Some(tag) => emitter.begin(tag)?,
                    None => {
                        emitter.copy_one(document, node, false)?;
                    }
                }
                insert(emitter, node, Place::First)?;
                ends.push((node, document.after(node)));
                if let Edit::Replace { target, text, .. } = edit
                    && *target == node
                {
                    emitter.text(text)?;
                    skipped = document.after(node);
                }
            }
            (NodeKind::Root, _) => {
                insert(emitter, node, Place::First)?;
                ends.push((node, document.after(node)));
            }
            (_, Edit::Replace { target, text, .. }) if *target == node => emitter.text(text)?,
            _ => {
                emitter.copy_one(document, node, false)?;
                insert(emitter, node, Place::After)?;
            }
        }
    }
    while let Some((open, _)) = ends.pop() {
        close(emitter, open)?;
    }
    Ok(())
}

/// The beginning of an element whose attributes change.
fn changed_tag(document: &Document, node: NodeId, edit: &Edit) -> SqlResult<Option<Tag>> {
    match edit {
        Edit::Replace { target, is_nil, .. } if *target == node => {
            let is_nil_attribute = |name: &OwnName| name.local == "nil" && name.uri == INSTANCE_URI;
            let mut tag = tag_of(document, node);
            tag.attributes.retain(|(name, _)| !is_nil_attribute(name));
            if *is_nil {
                let [prefix, local, uri] = ["xsi", "nil", INSTANCE_URI].map(str::to_string);
                tag.attribute(OwnName { prefix, local, uri }, "true".into())?;
            }
            Ok(Some(tag))
        }
        Edit::Replace { target, text, .. } => {
            let is_own = document.kind(*target) == NodeKind::Attribute
                && document.parent(*target) == Some(node);
            Ok(is_own.then(|| {
                let mut tag = tag_of(document, node);
                let at = document.attributes(node).position(|own| own == *target);
                if let Some((_, value)) = at.and_then(|at| tag.attributes.get_mut(at)) {
                    value.clone_from(text);
                }
                tag
            }))
        }
        Edit::Delete(nodes) => {
            let is_deleted = |own: &NodeId| nodes.binary_search(own).is_ok();
            if !document.attributes(node).any(|own| is_deleted(&own)) {
                return Ok(None);
            }
            let mut tag = tag_of(document, node);
            let mut own = document.attributes(node);
            tag.attributes.retain(|_| !own.next().is_some_and(|own| is_deleted(&own)));
            Ok(Some(tag))
        }
        Edit::Insert { target, content, .. } => {
            if *target != node || content.1.is_empty() {
                return Ok(None);
            }
            let mut tag = tag_of(document, node);
            interleave(&mut tag, &content.1)?;
            Ok(Some(tag))
        }
    }
}

/// Adds attributes: the first behind the first of the element's own attributes and declarations,
/// the second behind the second, and so on.
fn interleave(tag: &mut Tag, added: &[(OwnName, String)]) -> SqlResult<()> {
    let declared = tag.namespaces.len();
    let own = std::mem::take(&mut tag.attributes);
    let mut added = added.iter();
    let mut take = |tag: &mut Tag, count: usize| -> SqlResult<()> {
        for (name, value) in added.by_ref().take(count) {
            check_new(&tag.attributes, name)?;
            tag.attributes.push((OwnName::of(name.borrowed()), value.clone()));
        }
        Ok(())
    };
    take(tag, declared)?;
    for (name, value) in own {
        tag.attribute(name, value)?;
        take(tag, 1)?;
    }
    take(tag, usize::MAX)
}

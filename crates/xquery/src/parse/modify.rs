//! The statements of `modify()`.

use base::error::{SqlError, SqlResult};
use base::message;

use super::{Parser, Typed};
use crate::expr::Expr;
use crate::types::{ItemKind, NodeType, Type};
use crate::{Body, Place};

impl Parser<'_> {
    pub(super) fn modification(&mut self) -> SqlResult<(Body, Type)> {
        let start = self.at;
        if self.takes_word("insert")? {
            return self.insertion();
        } else if self.takes_word("delete")? {
            let target = self.expr()?;
            self.end()?;
            self.check_target("delete", &target.ty);
            let is_node = |ty: &NodeType| ty.all(|ty| *ty != NodeType::Document);
            if !target.ty.node_type().is_some_and(is_node) && !target.ty.is_empty() {
                self.keep(&message::XQUERY_DELETE_TARGET, &[&target.ty]);
            }
            return Ok((Body::Delete(target.expr), target.ty));
        } else if self.takes_words(&["replace", "value", "of"])? {
            return self.replacement();
        }
        self.at = start;
        self.expr()?;
        self.end()?;
        Err(SqlError::new(&message::XQUERY_NOT_DML, &[]))
    }

    fn check_target(&mut self, statement: &str, ty: &Type) {
        if ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED_TARGET, &[&statement]);
        }
    }

    fn insertion(&mut self) -> SqlResult<(Body, Type)> {
        let content = self.expr()?;
        let mut place = Place::Last;
        let mut has_order = false;
        if self.takes_word("as")? {
            has_order = true;
            if self.takes_word("first")? {
                place = Place::First;
            } else if !self.takes_word("last")? {
                return Err(self.error(&message::XQUERY_FIRST_LAST, &[]));
            }
        }
        let mut is_beside = false;
        if self.takes_word("into")? {
        } else if !has_order && self.takes_word("before")? {
            (place, is_beside) = (Place::Before, true);
        } else if !has_order && self.takes_word("after")? {
            (place, is_beside) = (Place::After, true);
        } else if has_order {
            return Err(self.error(&message::XQUERY_EXPECTED, &[&"into"]));
        } else {
            let token = self.token()?;
            return Err(self.error(&message::XQUERY_INSERT_PLACE, &[&token]));
        }
        let target = self.expr()?;
        self.end()?;
        self.check_insertion(&content.ty, &target.ty, is_beside);
        let body = Body::Insert { content: content.expr, place, target: target.expr };
        Ok((body, target.ty))
    }

    fn check_insertion(&mut self, content: &Type, target: &Type, is_beside: bool) {
        self.check_target("insert", target);
        let Some(node) = target.node_type().filter(|_| !target.occurs.is_many()) else {
            return self.keep(&message::XQUERY_INSERT_TARGET, &[target]);
        };
        match &content.item {
            ItemKind::Atomic(_) => return self.keep(&message::XQUERY_INSERT_CONTENT, &[content]),
            ItemKind::Node(ty) => {
                if ty.all(|ty| *ty == NodeType::Document) {
                    return self.keep(&message::XQUERY_INSERT_CONTENT, &[content]);
                }
                if is_beside && ty.is_attribute() {
                    return self.keep(&message::XQUERY_ATTRIBUTE_POSITION, &[content]);
                }
            }
            ItemKind::Empty | ItemKind::Xml => {}
        }
        let is_parent = |ty: &NodeType| matches!(ty, NodeType::Document | NodeType::Element(_));
        let is_sibling = |ty: &NodeType| !matches!(ty, NodeType::Document | NodeType::Attribute(_));
        if is_beside && node.all(|ty| !is_sibling(ty)) {
            self.keep(&message::XQUERY_INSERT_BESIDE, &[target]);
        } else if !is_beside && node.all(|ty| !is_parent(ty)) {
            self.keep(&message::XQUERY_INSERT_INTO, &[target]);
        }
    }

    fn replacement(&mut self) -> SqlResult<(Body, Type)> {
        let target = self.expr()?;
        if !self.takes_word("with")? {
            return Err(self.error(&message::XQUERY_EXPECTED, &[&"with"]));
        }
        let value: Typed = self.expr()?;
        self.end()?;
        self.check_target("replace", &target.ty);
        let value = self.values(value);
        let is_typed = self.context.shape.is_typed;
        let has_value = |ty: &NodeType| match ty {
            NodeType::Attribute(_) | NodeType::Text => true,
            // Whether it is one of text alone is seen when it is found.
            NodeType::Element(_) => is_typed,
            _ => false,
        };
        let is_valued = |ty: &NodeType| ty.all(has_value);
        if target.ty.occurs.is_many() {
            self.keep(&message::XQUERY_REPLACE_MANY, &[&target.ty]);
        } else if !target.ty.node_type().is_some_and(is_valued) {
            self.keep(&message::XQUERY_REPLACE_TARGET, &[&target.ty]);
        }
        if value.ty.is_constructed {
            self.keep(&message::XQUERY_REPLACE_CONSTRUCTED, &[]);
        }
        self.atomized(&value.ty);
        self.check_replacement(&target.ty, &value.ty);
        let is_written_empty = matches!(&value.expr, Expr::Sequence(all) if all.is_empty());
        let can_be_nil = target.ty.is_nillable;
        let (target, value, ty) = (target.expr, value.expr, target.ty);
        let body = Body::Replace { target, value, is_written_empty, can_be_nil };
        Ok((body, ty))
    }
}

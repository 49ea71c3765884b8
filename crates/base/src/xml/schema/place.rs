//! The nodes of schema documents: their attributes, their children, and the names in them.

use super::compile::{Compiler, Kind, Place};
use super::model::*;
use super::validate::path_of;
use super::{is_name, syntax};
use crate::error::{SqlError, SqlResult};
use crate::message::{self, Message};
use crate::xml::tree::{Document, NodeId};

impl<'d> Compiler<'d> {
    pub(super) fn document(&self, place: Place) -> &'d Document {
        self.sources[place.source].document
    }

    pub(super) fn attribute(&self, place: Place, name: &str) -> Option<&'d str> {
        syntax::attribute(self.document(place), place.node, name)
    }

    pub(super) fn local(&self, place: Place) -> &'d str {
        self.document(place).name(place.node).local
    }

    pub(super) fn path(&self, place: Place) -> String {
        path_of(self.document(place), place.node)
    }

    /// An error that says where it is.
    pub(super) fn at(&self, message: &Message, place: Place) -> SqlError {
        SqlError::new(message, &[&self.path(place)])
    }

    /// Error 2299 for an attribute that an element does not have.
    pub(super) fn missing(&self, place: Place, attribute: &str) -> SqlError {
        let args: [&dyn std::fmt::Display; 2] = [&attribute, &self.local(place)];
        SqlError::new(&message::SCHEMA_ATTRIBUTE_REQUIRED, &args)
    }

    /// Error 2298 for an element that has one of these attributes.
    pub(super) fn refuse(&self, place: Place, attributes: &[&str]) -> SqlResult<()> {
        match attributes.iter().find(|name| self.attribute(place, name).is_some()) {
            Some(wrong) => {
                let args: [&dyn std::fmt::Display; 2] = [wrong, &self.path(place)];
                Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_MISPLACED, &args))
            }
            None => Ok(()),
        }
    }

    /// Elements of XML Schema in an element, but annotations.
    pub(super) fn children(&self, place: Place) -> Vec<Place> {
        let document = self.document(place);
        let all = document.children(place.node);
        let is_ours = |node: &NodeId| {
            syntax::is_schema_element(document, *node) && document.name(*node).local != "annotation"
        };
        all.filter(is_ours).map(|node| Place { source: place.source, node }).collect()
    }

    /// The only child of one of these names. Error 2384 if there are several.
    pub(super) fn child(&self, place: Place, names: &[&str]) -> SqlResult<Option<Place>> {
        let all = self.children(place);
        let mut found = all.into_iter().filter(|child| names.contains(&self.local(*child)));
        let first = found.next();
        match found.next() {
            Some(second) => Err(SqlError::new(
                &message::SCHEMA_MULTIPLE,
                &[&self.local(second), &self.local(place)],
            )),
            None => Ok(first),
        }
    }

    pub(super) fn boolean(&self, place: Place, name: &str) -> SqlResult<bool> {
        match self.attribute(place, name).map(str::trim_ascii) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => Err(bad_value(name, other)),
        }
    }

    /// The name that a reference means. Error 2284.
    pub(super) fn resolve(&self, place: Place, written: &str) -> SqlResult<QName> {
        let written = written.trim_ascii();
        let (prefix, local) = written.split_once(':').unwrap_or(("", written));
        if !is_name(local) || (!prefix.is_empty() && !is_name(prefix)) {
            return Err(SqlError::new(&message::SCHEMA_NAME_INVALID, &[&written]));
        }
        match self.document(place).namespace_of(place.node, prefix) {
            Some(uri) => Ok(QName::new(uri, local)),
            None if prefix.is_empty() => Ok(QName::new("", local)),
            None => Err(SqlError::new(&message::SCHEMA_UNKNOWN_PREFIX, &[&prefix])),
        }
    }

    pub(super) fn place_of(&self, kind: Kind, name: &QName) -> SqlResult<Place> {
        self.globals.get(&(kind, name.clone())).copied().ok_or_else(|| undefined(name))
    }

    /// `final` or `block`, or the schema's default for it.
    pub(super) fn barred(&self, place: Place, name: &str) -> SqlResult<Barred> {
        let schema = Place { source: place.source, node: self.sources[place.source].schema };
        let own = self.attribute(place, name);
        let text = own.or_else(|| self.attribute(schema, &format!("{name}Default")));
        let mut barred = Barred::default();
        for word in text.unwrap_or("").split_ascii_whitespace() {
            match word {
                "#all" => {
                    barred = Barred {
                        extension: true,
                        restriction: true,
                        substitution: true,
                        list: true,
                        union: true,
                    }
                }
                "extension" => barred.extension = true,
                "restriction" => barred.restriction = true,
                "substitution" => barred.substitution = true,
                "list" => barred.list = true,
                "union" => barred.union = true,
                _ => return Err(bad_value(name, word)),
            }
        }
        Ok(barred)
    }

    /// Whether a local declaration's name is in the target namespace.
    pub(super) fn is_qualified(&self, place: Place, default: &str) -> SqlResult<bool> {
        let schema = Place { source: place.source, node: self.sources[place.source].schema };
        let own = self.attribute(place, "form").map(|form| ("form", form));
        match own.or(self.attribute(schema, default).map(|form| (default, form))) {
            None | Some((_, "unqualified")) => Ok(false),
            Some((_, "qualified")) => Ok(true),
            Some((name, other)) => Err(bad_value(name, other)),
        }
    }
}

/// Error 2307 or 2308.
pub(super) fn undefined(name: &QName) -> SqlError {
    match name.uri.is_empty() {
        true => SqlError::new(&message::SCHEMA_UNDEFINED, &[&name.local]),
        false => SqlError::new(&message::SCHEMA_UNDEFINED_IN, &[&name.local, &name.uri]),
    }
}

/// Error 2313.
pub(super) fn bad_value(attribute: &str, value: &str) -> SqlError {
    SqlError::new(&message::SCHEMA_ATTRIBUTE_VALUE, &[&attribute, &value])
}

/// Errors 2306, 2379.
pub(super) fn check_name(name: &str) -> SqlResult<()> {
    if is_name(name) {
        return Ok(());
    }
    let is_qualified = name.split_once(':').is_some_and(|(a, b)| is_name(a) && is_name(b));
    Err(match is_qualified {
        true => SqlError::new(&message::SCHEMA_NAME_QUALIFIED, &[&name]),
        false => SqlError::new(&message::SCHEMA_NAME_INVALID, &[&name]),
    })
}

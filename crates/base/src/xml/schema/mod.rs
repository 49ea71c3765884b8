//! XML Schema 1.0 as SQL Server takes it: collections of schemas, and values checked by them.
//!
//! # Life of a collection
//!
//! [`Collection::compile`] reads the texts that `CREATE` and `ALTER XML SCHEMA COLLECTION` were
//! given. Each document is checked for what may stand where (`syntax`); then types and declarations
//! are made, in the order in which they need each other (`compile`, with `declare`, `complex`,
//! `derive` and `facets`, which read nodes by `place`); then what needs all of them (`finish`),
//! content models (`content`) among it, and that restrictions let in no more than their bases
//! (`restrict`). The result does not change: what adds to a collection
//! compiles all texts anew.
//!
//! [`Collection::validate`] passes over a document once (`validate`), with the state of a content
//! model for each open element. What a value is in canonical form, and what defaults add to it, is
//! collected (`edits`) and applied in the end.
//!
//! # Limits
//! * Definitions follow each other as deep as the stack allows, models as `content` says, patterns
//!   as `pattern` does; a collection has at most [`COMPONENTS_MAX`] components and takes as much
//!   memory as `room` gives (error 2362). It belongs to the catalog, and no account holds it.
//!
//! # What is not there
//! * `include`, `redefine`, `key`, `keyref`, `unique` and `notation`, which SQL Server refuses,
//!   too.

mod compile;
mod complex;
mod content;
mod declare;
mod derive;
mod edits;
mod facets;
mod finish;
mod model;
mod pattern;
mod place;
mod restrict;
mod room;
mod simple;
mod syntax;
mod validate;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::error::SqlResult;
use crate::pace::Pace;

pub use content::Occurring;
pub use model::{
    Attribute, AttributeId, AttributeUse, Barred, Body, Complex, Content, Derivation, Element,
    ElementId, INSTANCE_URI, NameId, Named, Namespaces, Particle, Process, QName, SCHEMA_URI, Term,
    Type, TypeId, ValueConstraint, Wildcard,
};
pub use simple::{
    Bound, Identity, Lexical, NoValue, Parsed, Primitive, Scope, Simple, Value, Variety, WhiteSpace,
};

/// Declarations, types and groups of a collection.
pub const COMPONENTS_MAX: usize = 100_000;

/// A collection of schemas that is ready for use.
#[derive(Default)]
pub struct Collection {
    types: Vec<Type>,
    elements: Vec<Element>,
    attributes: Vec<Attribute>,
    element_names: Vec<QName>,
    names: Named<NameId>,
    global_types: Named<TypeId>,
    global_elements: Named<ElementId>,
    global_attributes: Named<AttributeId>,
    /// What can stand in the place of heads, without these themselves.
    substitutes: HashMap<ElementId, Vec<ElementId>>,
    /// Target namespaces in the order in which they came.
    namespaces: Vec<Arc<str>>,
    has_lax: bool,
}

/// What gives conversions the collection of a type.
pub trait Collections {
    /// The collection of this number in the database of the statement. Error 6314 if there is none.
    fn collection(&self, number: u16, pace: &dyn Pace) -> SqlResult<Arc<Collection>>;
}

impl fmt::Debug for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} types, {} elements", self.types.len(), self.elements.len())
    }
}

impl Collection {
    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.number()]
    }

    /// All types; those of XML Schema itself come first.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.types)
    }

    /// The declaration of an element.
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.number()]
    }

    /// All declarations of elements.
    pub fn elements(&self) -> impl Iterator<Item = (ElementId, &Element)> {
        (0..).map(ElementId).zip(&self.elements)
    }

    /// The declaration of an attribute.
    pub fn attribute(&self, id: AttributeId) -> &Attribute {
        &self.attributes[id.number()]
    }

    /// All declarations of attributes.
    pub fn attributes(&self) -> impl Iterator<Item = (AttributeId, &Attribute)> {
        (0..).map(AttributeId).zip(&self.attributes)
    }

    /// The target namespaces.
    pub fn namespaces(&self) -> &[Arc<str>] {
        &self.namespaces
    }

    /// A type at the top of a schema, or one of XML Schema's own.
    pub fn find_type(&self, uri: &str, local: &str) -> Option<TypeId> {
        model::find(&self.global_types, uri, local)
    }

    /// An element at the top of a schema.
    pub fn find_element(&self, uri: &str, local: &str) -> Option<ElementId> {
        model::find(&self.global_elements, uri, local)
    }

    /// An attribute at the top of a schema.
    pub fn find_attribute(&self, uri: &str, local: &str) -> Option<AttributeId> {
        model::find(&self.global_attributes, uri, local)
    }

    /// Whether a lax wildcard or an element of type `anyType` lets in what later schemas may
    /// declare.
    pub fn has_lax(&self) -> bool {
        self.has_lax
    }

    /// Whether a type is another one or comes from it.
    pub fn is_derived(&self, ty: TypeId, from: TypeId) -> bool {
        self.derivation(ty, from).is_some()
    }

    /// How a type comes from another: the derivations on the way. `None` if it does not.
    pub fn derivation(&self, ty: TypeId, from: TypeId) -> Option<Barred> {
        let mut steps = Barred::default();
        if let Body::Simple(simple) = &self.ty(from).body
            && let Variety::Union(members) = &simple.variety
            && members.iter().any(|member| self.is_derived(ty, *member))
        {
            return Some(steps);
        }
        let mut at = ty;
        loop {
            if at == from {
                return Some(steps);
            }
            let own = self.ty(at);
            if own.base == at {
                return None;
            }
            match own.derivation {
                Derivation::Extension => steps.extension = true,
                _ => steps.restriction = true,
            }
            at = own.base;
        }
    }

    /// The simple type of an element's content or an attribute's value: of its text alone.
    pub fn text_type(&self, ty: TypeId) -> Option<TypeId> {
        match &self.ty(ty).body {
            Body::Simple(_) => Some(ty),
            Body::Complex(complex) => match complex.content {
                Content::Simple(ty) => Some(ty),
                _ => None,
            },
        }
    }

    /// What a type has to do with ids.
    fn identity(&self, ty: TypeId) -> Option<Identity> {
        self.ty(ty).simple()?.identity
    }

    /// The name that elements have by this number.
    pub fn element_name(&self, name: NameId) -> &QName {
        &self.element_names[name.number()]
    }

    fn uri_of(&self, name: NameId) -> &str {
        &self.element_names[name.number()].uri
    }

    fn name_id(&mut self, name: &QName) -> NameId {
        if let Some(id) = model::find(&self.names, &name.uri, &name.local) {
            return id;
        }
        let id = NameId(self.element_names.len() as u32);
        self.element_names.push(name.clone());
        model::enter(&mut self.names, name, id);
        id
    }

    /// The elements that may stand for a declared one, by name, itself among them.
    fn substitutes(&self, id: ElementId) -> HashMap<NameId, ElementId> {
        let own = self.element(id);
        let others = self.substitutes.get(&id).into_iter().flatten();
        let others = others.map(|other| (self.element(*other).name_id, *other));
        [(own.name_id, id)].into_iter().chain(others).collect()
    }
}

/// Whether a text is a name without colon.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(crate::xml::parse::begins_name) && text.chars().all(continues_name)
}

pub(crate) fn continues_name(c: char) -> bool {
    crate::xml::parse::continues_name(c)
}

#[cfg(test)]
mod tests;

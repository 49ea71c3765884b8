//! What a schema collection says of the steps of a path: whether there is such an element or
//! attribute, how often it comes, and of which type it is.
//!
//! An element may name a type in a document that comes from the one that is declared. What that
//! type adds is not known here, as it is not to SQL Server.

use base::message;
use base::xml::schema::{Collection, Content, ElementId, TypeId};

use super::Parser;
use crate::expr::{Axis, NameTest, NodeTest};
use crate::types::{NodeType, Occurs, Type};

/// How often something comes in nodes of a type, and of which types it is.
enum Found {
    /// Whatever the document has.
    Unknown,
    /// There is none.
    Nothing,
    Some(Occurs, Vec<TypeId>),
}

impl Parser<'_> {
    /// How often a step leads to something for each node, and to which types; `None` if that is not
    /// known. Errors 2219, 2260 and 2261 if it leads nowhere.
    pub(super) fn by_schema(
        &mut self,
        axis: Axis,
        test: &NodeTest,
        shown: &str,
        focus: &Type,
    ) -> Option<(Occurs, Vec<TypeId>)> {
        if axis == Axis::Itself && matches!(test, NodeTest::Any) {
            return Some((Occurs::One, focus.schema.clone()));
        }
        let schema = self.context.shape.schema.as_ref()?;
        let collection = schema.collection.clone();
        let NodeTest::Name(NameTest { uri: Some(uri), local: Some(local) }) = test else {
            return None;
        };
        if axis == Axis::Child && focus.node_type() == Some(&NodeType::Document) {
            let Some(id) = collection.find_element(uri, local) else {
                self.keep(&message::XQUERY_NO_ELEMENT_IN_SCHEMA, &[&shown]);
                return None;
            };
            let is_only = collection.elements().filter(|(_, e)| e.is_global).count() == 1;
            let occurs = match (schema.is_document, is_only) {
                (true, true) => Occurs::One,
                (true, false) => Occurs::Optional,
                (false, _) => Occurs::Many,
            };
            return Some((occurs, vec![collection.element(id).ty]));
        }
        let find = match axis {
            Axis::Child => child,
            Axis::Attribute => attribute,
            _ => return None,
        };
        let mut all: Option<(Occurs, Vec<TypeId>)> = None;
        let mut is_everywhere = true;
        for ty in &focus.schema {
            match find(&collection, *ty, uri, local) {
                Found::Unknown => return None,
                Found::Nothing => is_everywhere = false,
                Found::Some(occurs, types) => match &mut all {
                    None => all = Some((occurs, types)),
                    Some((known, found)) => {
                        *known = known.either(occurs);
                        types.into_iter().for_each(|ty| add(found, ty));
                    }
                },
            }
        }
        if all.is_none() && !focus.schema.is_empty() {
            let message = match axis {
                Axis::Attribute => &message::XQUERY_NO_ATTRIBUTE,
                _ => &message::XQUERY_NO_ELEMENT,
            };
            self.keep(message, &[&shown, focus]);
        }
        all.map(|(occurs, types)| (if is_everywhere { occurs } else { occurs.thinned() }, types))
    }
}

fn add(types: &mut Vec<TypeId>, ty: TypeId) {
    if !types.contains(&ty) {
        types.push(ty);
    }
}

/// The elements of a name in elements of a type.
fn child(collection: &Collection, ty: TypeId, uri: &str, local: &str) -> Found {
    if ty == TypeId::ANY {
        return Found::Unknown;
    }
    let Some(complex) = collection.ty(ty).complex() else { return Found::Nothing };
    let Content::Elements(model) = &complex.content else { return Found::Nothing };
    let (elements, wildcards) = model.elements();
    if wildcards.iter().any(|wildcard| wildcard.allows(uri)) {
        return Found::Unknown;
    }
    let (mut count, mut is_single, mut is_required) = (0, true, true);
    let mut types = Vec::new();
    for occurring in elements {
        let declared = collection.element(occurring.element);
        let own = *declared.name.uri == *uri && *declared.name.local == *local;
        let substitute = match own {
            true => None,
            false => substitute(collection, occurring.element, uri, local),
        };
        if !own && substitute.is_none() {
            continue;
        }
        count += 1;
        is_single &= occurring.is_single;
        let may_be_another = substitute.is_some() || has_substitutes(collection, occurring.element);
        is_required &= occurring.is_required && !may_be_another;
        add(&mut types, substitute.map_or(declared.ty, |id| collection.element(id).ty));
    }
    let occurs = match (count, is_single, is_required) {
        (0, ..) => return Found::Nothing,
        (1, true, true) => Occurs::One,
        (1, true, false) => Occurs::Optional,
        (_, _, true) => Occurs::Plus,
        _ => Occurs::Many,
    };
    Found::Some(occurs, types)
}

/// The element of a name that may stand in the place of another one.
fn substitute(
    collection: &Collection,
    head: ElementId,
    uri: &str,
    local: &str,
) -> Option<ElementId> {
    let found = collection.find_element(uri, local)?;
    let mut at = collection.element(found).head;
    while let Some(above) = at {
        if above == head {
            return Some(found);
        }
        at = collection.element(above).head;
    }
    None
}

fn has_substitutes(collection: &Collection, head: ElementId) -> bool {
    collection.elements().any(|(_, element)| element.head == Some(head))
}

/// The attribute of a name of elements of a type.
fn attribute(collection: &Collection, ty: TypeId, uri: &str, local: &str) -> Found {
    if ty == TypeId::ANY {
        return Found::Unknown;
    }
    // Attributes that speak about the schema may stand everywhere.
    if uri == base::xml::schema::INSTANCE_URI {
        return Found::Unknown;
    }
    let Some(complex) = collection.ty(ty).complex() else { return Found::Nothing };
    let is_it = |id| {
        let name = &collection.attribute(id).name;
        *name.uri == *uri && *name.local == *local
    };
    let Some(found) = complex.attributes.iter().find(|one| is_it(one.attribute)) else {
        return match complex.any_attribute.as_ref().is_some_and(|any| any.allows(uri)) {
            true => Found::Unknown,
            false => Found::Nothing,
        };
    };
    let occurs = if found.is_required { Occurs::One } else { Occurs::Optional };
    Found::Some(occurs, vec![collection.attribute(found.attribute).ty])
}

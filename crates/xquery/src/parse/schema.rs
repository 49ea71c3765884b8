//! What a schema collection says of the steps of a path: whether there is such an element or
//! attribute, how often it comes, and of which type it is; and of the values of nodes.
//!
//! An element may name a type in a document that comes from the one that is declared. What that
//! type adds is not known here, as it is not to SQL Server.

use std::sync::Arc;

use base::error::SqlResult;
use base::message;
use base::pace::{Stride, Unpaced};
use base::stack;
use base::xml::schema::{
    Collection, Content, ElementId, Named, Primitive, Process, SCHEMA_URI, Scope, TypeId, Variety,
    Wildcard,
};

use super::scan::Written;
use super::{DATATYPES, Parser, Typed};
use crate::expr::{Axis, Expr, NameTest, NodeTest, Values};
use crate::types::{AtomicType, Class, ItemKind, NodeType, Occurs, Type};

/// A type that a query names.
#[derive(Clone, Copy)]
pub(super) enum TypeName {
    Atomic(AtomicType),
    OfSchema(TypeId),
}

/// What is known of the nodes that a step leads to.
#[derive(Debug, PartialEq)]
pub(super) struct Known {
    pub(super) occurs: Occurs,
    pub(super) types: Vec<TypeId>,
    pub(super) is_nillable: bool,
}

/// The elements of a collection by name, wherever they are declared.
#[derive(Default)]
pub(super) struct Declared {
    elements: Named<(Vec<TypeId>, bool)>,
    /// Wildcards that let in what is not declared.
    open: Vec<Wildcard>,
    /// Whether there are elements in which anything may be.
    has_any: bool,
}

/// How often something comes in nodes of a type, and of which types it is.
enum Found {
    /// Whatever the document has.
    Unknown,
    /// There is none.
    Nothing,
    Some(Known),
}

impl Parser<'_> {
    pub(super) fn schema(&self) -> Option<Arc<Collection>> {
        self.context.shape.schema.as_ref().map(|schema| schema.collection.clone())
    }

    /// How often a step leads to something for each node, and to which types; `None` if that is not
    /// known. Errors 2219, 2260 and 2261 if it leads nowhere.
    pub(super) fn by_schema(
        &mut self,
        axis: Axis,
        test: &NodeTest,
        shown: &str,
        focus: &Type,
    ) -> Option<Known> {
        if axis == Axis::Itself && matches!(test, NodeTest::Any) {
            let (types, is_nillable) = (focus.schema.clone(), focus.is_nillable);
            return Some(Known { occurs: Occurs::One, types, is_nillable });
        }
        let schema = self.context.shape.schema.as_ref()?;
        let (collection, is_document) = (schema.collection.clone(), schema.is_document);
        let NodeTest::Name(NameTest { uri: Some(uri), local: Some(local) }) = test else {
            return None;
        };
        if axis == Axis::Child && focus.node_type() == Some(&NodeType::Document) {
            let Some(id) = collection.find_element(uri, local) else {
                self.keep(&message::XQUERY_NO_ELEMENT_IN_SCHEMA, &[&shown]);
                return None;
            };
            let is_only = collection.elements().filter(|(_, e)| e.is_global).count() == 1;
            let occurs = match (is_document, is_only) {
                (true, true) => Occurs::One,
                (true, false) => Occurs::Optional,
                (false, _) => Occurs::Many,
            };
            let element = collection.element(id);
            let (types, is_nillable) = (vec![element.ty], element.is_nillable);
            return Some(Known { occurs, types, is_nillable });
        }
        let find = match axis {
            Axis::Child if !focus.schema.is_empty() => child,
            Axis::Child | Axis::Descendant => return self.anywhere(&collection, uri, local),
            Axis::Attribute => attribute,
            _ => return None,
        };
        let mut all: Option<Known> = None;
        let mut is_everywhere = true;
        for ty in &focus.schema {
            match find(&collection, *ty, uri, local) {
                Found::Unknown => return None,
                Found::Nothing => is_everywhere = false,
                Found::Some(found) => match &mut all {
                    None => all = Some(found),
                    Some(known) => {
                        known.occurs = known.occurs.either(found.occurs);
                        known.is_nillable |= found.is_nillable;
                        found.types.into_iter().for_each(|ty| add(&mut known.types, ty));
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
        let mut all = all?;
        if !is_everywhere {
            all.occurs = all.occurs.thinned();
        }
        Some(all)
    }

    /// The elements of a name below nodes of which nothing is known.
    fn anywhere(&mut self, collection: &Collection, uri: &str, local: &str) -> Option<Known> {
        let declared = self.declared.get_or_insert_with(|| Declared::of(collection));
        if declared.has_any || declared.open.iter().any(|wildcard| wildcard.allows(uri)) {
            return None;
        }
        let (types, is_nillable) = declared.elements.get(uri)?.get(local)?;
        let (types, is_nillable) = (types.clone(), *is_nillable);
        Some(Known { occurs: Occurs::Many, types, is_nillable })
    }

    /// Error 9312 for the texts of elements that have values.
    pub(super) fn check_text_step(&mut self, axis: Axis, test: &NodeTest, focus: &Type) {
        let is_text = matches!(test, NodeTest::Text) && axis == Axis::Child;
        let Some(collection) = self.schema().filter(|_| is_text && !focus.schema.is_empty()) else {
            return;
        };
        if focus.schema.iter().all(|ty| collection.text_type(*ty).is_some()) {
            let found = focus.clone().with_occurs(self.before);
            self.keep(&message::XQUERY_TYPED_TEXT, &[&"text()", &found]);
        }
    }

    /// The name and type of a node in messages, if it has one type.
    pub(super) fn shown_node(
        &self,
        test: &NodeTest,
        shown: &str,
        types: &[TypeId],
    ) -> Option<Arc<str>> {
        let (collection, [only]) = (self.schema()?, types) else { return None };
        let name = match (shown.split_once(':'), test) {
            (Some((prefix, local)), NodeTest::Name(NameTest { uri: Some(uri), .. })) => {
                format!("{prefix}{{{uri}}}:{local}")
            }
            _ => shown.to_string(),
        };
        Some(format!("{name},{}", self.shown_type(&collection, *only)).into())
    }

    fn shown_type(&self, collection: &Collection, ty: TypeId) -> String {
        let Some(name) = &collection.ty(ty).name else { return "#anonymous".into() };
        match &*name.uri {
            SCHEMA_URI => format!("xs:{}", name.local),
            "" => name.local.to_string(),
            uri => {
                let known = self.namespaces.iter().rev().find(|(_, own)| own == uri);
                let prefix = known.map_or("", |(prefix, _)| prefix);
                format!("{prefix}{{{uri}}}:{}", name.local)
            }
        }
    }

    /// The values of what may be nodes with types; anything else as it is. Error 9314.
    pub(super) fn values(&mut self, value: Typed) -> Typed {
        let is_valued = |ty: &NodeType| {
            ty.all(|ty| matches!(ty, NodeType::Element(_) | NodeType::Attribute(_)))
        };
        let has_types = !value.ty.schema.is_empty() && value.ty.node_type().is_some_and(is_valued);
        let Some(collection) = self.schema().filter(|_| has_types) else { return value };
        let mut known: Option<(Vec<AtomicType>, bool)> = None;
        for ty in &value.ty.schema {
            let own = match collection.text_type(*ty) {
                Some(simple) => atomic_types(&collection, simple),
                None => {
                    let complex = collection.ty(*ty).complex();
                    let has_elements = complex.is_some_and(|complex| {
                        matches!(complex.content, Content::Elements(_)) && !complex.is_mixed
                    });
                    if has_elements {
                        let shown = self.shown_type(&collection, *ty);
                        self.keep(&message::XQUERY_COMPLEX_DATA, &[&shown, &value.ty]);
                    }
                    None
                }
            };
            match (own, &known) {
                (Some(own), None) => known = Some(own),
                (Some(own), Some(others)) if own == *others => {}
                // Declarations disagree, or leave it open.
                _ => return value,
            }
        }
        let Some((members, is_list)) = known else { return value };
        let ty = members.iter().copied().reduce(|a, b| match () {
            () if a.is_derived_from(b) => b,
            () if b.is_derived_from(a) => a,
            () => AtomicType::Any,
        });
        let occurs = if is_list { Occurs::Many } else { value.ty.occurs };
        let mut ty = Type::atomic(ty.unwrap_or(AtomicType::Any), occurs);
        ty.has_parts = is_list;
        if let ([only], false) = (&value.ty.schema[..], is_list) {
            ty.schema = collection.text_type(*only).into_iter().collect();
            ty.shown = ty.schema.first().map(|ty| self.shown_type(&collection, *ty).into());
        }
        let values = Values { nodes: value.expr, members, is_list };
        Typed { expr: Expr::Values(Box::new(values)), ty }
    }

    /// A cast to a type of the schemas. Errors 2214, 2365 and 9319.
    pub(super) fn cast_to_schema(&mut self, to: TypeId, value: Typed) -> SqlResult<Typed> {
        let collection = self.schema();
        let found = collection.as_ref().and_then(|collection| {
            let simple = collection.ty(to).simple()?;
            let types = atomic_types(collection, to)?;
            matches!(simple.variety, Variety::Atomic(_)).then_some(types.0)
        });
        let (Some(collection), Some([base])) = (&collection, found.as_deref()) else {
            let shown = collection.map(|known| self.shown_type(&known, to)).unwrap_or_default();
            self.keep(&message::XQUERY_NOT_ATOMIC, &[&shown]);
            return Ok(value);
        };
        let Typed { expr, mut ty } = self.cast_to(*base, value)?;
        if let Expr::Constant(constant) = &expr {
            let text = constant.text();
            let mut scope = Scope { uri: &|_| None, stride: &mut Stride::new(&Unpaced) };
            if collection.read(to, &text, &mut scope).is_err() {
                self.keep(&message::XQUERY_SIMPLE_VALUE, &[&text]);
            }
        }
        ty.schema = vec![to];
        ty.shown = Some(self.shown_type(collection, to).into());
        Ok(Typed { expr: Expr::Conform(*base, to, Box::new(expr)), ty })
    }

    /// Whether all types that something may have come from a type.
    pub(super) fn are_derived(&self, of: &Type, from: TypeId) -> bool {
        let Some(collection) = self.schema() else { return false };
        !of.schema.is_empty() && of.schema.iter().all(|ty| collection.is_derived(*ty, from))
    }

    /// The type that may follow the name in `element(name, type)`: whether nodes have it.
    pub(super) fn kind_type(&mut self, kind: &Written, of: &Type) -> SqlResult<bool> {
        let takes_type = matches!(kind.local.as_str(), "element" | "attribute");
        if !takes_type || !self.takes(",")? {
            return Ok(true);
        }
        self.space()?;
        let start = self.at;
        if let Some(name) = self.name()
            && self.namespace(&name.prefix) == DATATYPES
            && matches!(name.local.as_str(), "untyped" | "untypedAtomic")
        {
            return Ok(of.schema.is_empty() && !self.context.shape.is_typed);
        }
        self.at = start;
        let wanted = match self.type_name()? {
            TypeName::OfSchema(ty) => Some(ty),
            TypeName::Atomic(ty) => {
                let local = ty.name().strip_prefix("xs:").unwrap_or_default();
                self.schema().and_then(|collection| collection.find_type(SCHEMA_URI, local))
            }
        };
        if kind.local == "element" {
            self.takes("?")?;
        }
        Ok(wanted.is_some_and(|ty| ty == TypeId::ANY || self.are_derived(of, ty)))
    }

    /// Errors 2247 and 9306 unless a value has the type of the node that it replaces.
    pub(super) fn check_replacement(&mut self, target: &Type, value: &Type) {
        let (Some(collection), [only]) = (self.schema(), &target.schema[..]) else { return };
        let Some(wanted) = collection.text_type(*only) else { return };
        let Some(simple) = collection.ty(wanted).simple() else { return };
        match simple.variety {
            Variety::Union(_) => {
                return self.keep(&message::XQUERY_REPLACE_UNION, &[target]);
            }
            Variety::List(_) | Variety::Atomic(Primitive::AnySimple) => return,
            Variety::Atomic(_) => {}
        }
        let ItemKind::Atomic(own) = value.item else { return };
        let Some((members, _)) = atomic_types(&collection, wanted) else { return };
        if matches!(own.class(), Class::Untyped | Class::Any) {
            return;
        }
        let is_own = collection.ty(wanted).name.as_ref().is_some_and(|n| &*n.uri == SCHEMA_URI);
        let fits = match value.schema.is_empty() {
            true => is_own && members.iter().all(|ty| own.is_derived_from(*ty)),
            false => self.are_derived(value, wanted),
        };
        if !fits || value.occurs.is_many() {
            let found = value.clone().with_occurs(match value.occurs {
                Occurs::Optional => Occurs::One,
                occurs => occurs,
            });
            let wanted = self.shown_type(&collection, wanted);
            self.keep(&message::XQUERY_REPLACE_TYPE, &[&found, &wanted]);
        }
    }
}

impl Declared {
    fn of(collection: &Collection) -> Declared {
        let mut made = Declared::default();
        for (_, element) in collection.elements() {
            let named = made.elements.entry(element.name.uri.clone()).or_default();
            let (types, is_nillable) = named.entry(element.name.local.clone()).or_default();
            add(types, element.ty);
            *is_nillable |= element.is_nillable;
            made.has_any |= element.ty == TypeId::ANY;
        }
        for (id, ty) in collection.types() {
            let Some(complex) = ty.complex().filter(|_| id != TypeId::ANY) else { continue };
            let Content::Elements(model) = &complex.content else { continue };
            let (_, wildcards) = model.particles();
            let open = wildcards.into_iter().map(|(wildcard, _)| wildcard);
            let open = open.filter(|wildcard| wildcard.process != Process::Strict);
            made.open.extend(open.cloned());
        }
        made
    }
}

/// The atomic types of the values of a simple type, and whether there may be several; `None` if
/// they are of no special type.
fn atomic_types(collection: &Collection, ty: TypeId) -> Option<(Vec<AtomicType>, bool)> {
    if !stack::deeper() {
        return None;
    }
    match &collection.ty(ty).simple()?.variety {
        Variety::Atomic(_) => {
            let mut at = ty;
            loop {
                let own = collection.ty(at);
                let name = own.name.as_ref().filter(|name| &*name.uri == SCHEMA_URI);
                if let Some(found) = name.and_then(|name| AtomicType::by_name(&name.local)) {
                    return Some((vec![found], false));
                }
                if own.base == at {
                    return None;
                }
                at = own.base;
            }
        }
        Variety::List(item) => {
            let (members, is_list) = atomic_types(collection, *item)?;
            (!is_list).then_some((members, true))
        }
        Variety::Union(parts) => {
            let mut members = Vec::new();
            for part in parts {
                let (own, is_list) = atomic_types(collection, *part)?;
                if is_list {
                    return None;
                }
                own.into_iter().for_each(|ty| {
                    if !members.contains(&ty) {
                        members.push(ty);
                    }
                });
            }
            Some((members, false))
        }
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
    let (elements, wildcards) = model.particles();
    let (mut count, mut is_single, mut is_required) = (0, true, true);
    let (mut types, mut is_nillable) = (Vec::new(), false);
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
        let found = substitute.map_or(declared, |id| collection.element(id));
        is_nillable |= found.is_nillable;
        add(&mut types, found.ty);
    }
    for (wildcard, takes_one) in wildcards {
        let declared = match wildcard.process {
            _ if !wildcard.allows(uri) => continue,
            Process::Skip => None,
            Process::Strict | Process::Lax => collection.find_element(uri, local),
        };
        if declared.is_none() && wildcard.process == Process::Strict {
            continue;
        }
        count += 1;
        is_single &= takes_one;
        is_required = false;
        let declared = declared.map(|id| collection.element(id));
        is_nillable |= declared.is_some_and(|element| element.is_nillable);
        add(&mut types, declared.map_or(TypeId::ANY, |element| element.ty));
    }
    let occurs = match (count, is_single, is_required) {
        (0, ..) => return Found::Nothing,
        (1, true, true) => Occurs::One,
        (1, true, false) => Occurs::Optional,
        (_, _, true) => Occurs::Plus,
        _ => Occurs::Many,
    };
    Found::Some(Known { occurs, types, is_nillable })
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
    let types = vec![collection.attribute(found.attribute).ty];
    Found::Some(Known { occurs, types, is_nillable: false })
}

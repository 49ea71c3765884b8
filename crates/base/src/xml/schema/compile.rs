//! From schema documents to components.
//!
//! What is at the top of schemas is entered by name first. Then each component is made once: at
//! once where another one needs to know it (a base, an item type, an attribute's type), else when
//! its turn comes, so that elements and types may refer to each other in circles.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::model::*;
use super::room::Room;
use super::simple::{self, NoValue, Scope};
use super::validate::path_of;
use super::{COMPONENTS_MAX, Collection, Identity, Primitive, is_name, syntax};
use crate::account::Account;
use crate::error::{SqlError, SqlResult};
use crate::message::{self, Message};
use crate::pace::{Pace, Stride, Unpaced};
use crate::stack;
use crate::xml::parse_value;
use crate::xml::tree::{Document, NodeId, XML_URI};
use crate::xml::write;

/// Characters of a default, a fixed value or a facet.
pub(super) const VALUE_MAX: usize = 4000;
/// Types that come from each other.
const DERIVATIONS_MAX: usize = 200;

/// The kinds of things at the top of a schema; each has names of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Element,
    Attribute,
    Type,
    Group,
    AttributeGroup,
}

impl Kind {
    fn of(local: &str) -> Option<Kind> {
        Some(match local {
            "element" => Kind::Element,
            "attribute" => Kind::Attribute,
            "simpleType" | "complexType" => Kind::Type,
            "group" => Kind::Group,
            "attributeGroup" => Kind::AttributeGroup,
            _ => return None,
        })
    }

    /// As error 6310 names it.
    fn shown(self) -> &'static str {
        match self {
            Kind::Element => "ELEMENT",
            Kind::Attribute => "ATTRIBUTE",
            Kind::Type => "TYPE",
            Kind::Group => "MODEL GROUP",
            Kind::AttributeGroup => "ATTRIBUTE GROUP",
        }
    }
}

/// A schema document.
pub(super) struct Source<'d> {
    pub(super) document: &'d Document,
    pub(super) target: Arc<str>,
    /// The text that it came in, counted from the first.
    piece: usize,
    schema: NodeId,
}

/// A node of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) source: usize,
    pub(super) node: NodeId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its turn has not come.
    Waiting(Place),
    InProgress,
    Done,
}

pub(super) struct Compiler<'d> {
    pub(super) sources: Vec<Source<'d>>,
    pub(super) made: Collection,
    pub(super) globals: HashMap<(Kind, QName), Place>,
    states: Vec<State>,
    pending_types: VecDeque<TypeId>,
    pending_elements: VecDeque<(ElementId, Place)>,
    /// Values that are read when all types are there.
    pub(super) values: Vec<(Target, Place)>,
    pub(super) heads: Vec<(ElementId, QName)>,
    /// Elements without a type, which have that of their head.
    pub(super) untyped: HashSet<ElementId>,
    pub(super) groups: HashMap<QName, Arc<Particle>>,
    /// Groups that are being read.
    pub(super) open_groups: Vec<(Kind, QName)>,
    /// Pieces in which global elements came.
    pub(super) pieces: HashMap<ElementId, usize>,
    count: usize,
    pub(super) room: Room<'d>,
    pub(super) pace: &'d dyn Pace,
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Element(ElementId),
    Attribute(AttributeId),
}

impl Collection {
    /// The collection of some texts, each of which is one or more schemas and was added to those
    /// before it. The errors of schemas.
    pub fn compile(
        texts: &[&str],
        account: Option<&Arc<Account>>,
        pace: &dyn Pace,
    ) -> SqlResult<Collection> {
        let mut documents = Vec::with_capacity(texts.len());
        for text in texts {
            documents.push(parse_value(text.as_bytes(), account, pace)?);
        }
        let mut compiler = Compiler {
            sources: Vec::new(),
            made: Collection::default(),
            globals: HashMap::new(),
            states: Vec::new(),
            pending_types: VecDeque::new(),
            pending_elements: VecDeque::new(),
            values: Vec::new(),
            heads: Vec::new(),
            untyped: HashSet::new(),
            groups: HashMap::new(),
            open_groups: Vec::new(),
            pieces: HashMap::new(),
            count: 0,
            room: Room::new(account),
            pace,
        };
        compiler.add_builtins();
        for (piece, document) in documents.iter().enumerate() {
            compiler.add_schemas(piece, document)?;
        }
        compiler.run()?;
        Ok(compiler.made)
    }
}

impl<'d> Compiler<'d> {
    fn add_builtins(&mut self) {
        let any = Particle {
            min: 0,
            max: None,
            term: Term::Any(Wildcard { namespaces: Namespaces::Any, process: Process::Lax }),
        };
        let any = Particle { min: 1, max: Some(1), term: Term::Sequence(vec![Arc::new(any)]) };
        let mut add = |name: QName, base, body| {
            let id = TypeId(self.made.types.len() as u32);
            enter(&mut self.made.global_types, &name, id);
            let derivation = Derivation::Restriction;
            self.made.types.push(Type {
                name: Some(name),
                base,
                derivation,
                is_abstract: false,
                is_final: Barred::default(),
                block: Barred::default(),
                body,
            });
            self.states.push(State::Done);
        };
        let complex = Complex {
            any_attribute: Some(Wildcard { namespaces: Namespaces::Any, process: Process::Lax }),
            is_mixed: true,
            particle: Some(Arc::new(any)),
            ..Complex::default()
        };
        add(QName::new(SCHEMA_URI, "anyType"), TypeId::ANY, Body::Complex(complex));
        for builtin in simple::builtins() {
            add(builtin.name, builtin.base, Body::Simple(builtin.simple));
        }
        for (local, ty) in [("lang", "language"), ("space", "NCName"), ("base", "anyURI")] {
            let ty = self.made.find_type(SCHEMA_URI, ty).expect("it is built in");
            let name = QName::new(XML_URI, local);
            let id = AttributeId(self.made.attributes.len() as u32);
            enter(&mut self.made.global_attributes, &name, id);
            self.made.attributes.push(Attribute { name, ty, is_global: true, value: None });
        }
    }

    /// Enters what is at the top of the schemas of a text. Errors 2302, 2378, 2385, 6310.
    fn add_schemas(&mut self, piece: usize, document: &'d Document) -> SqlResult<()> {
        use crate::xml::tree::NodeKind;
        for node in document.children(Document::ROOT) {
            let is_schema =
                syntax::is_schema_element(document, node) && document.name(node).local == "schema";
            match document.kind(node) {
                NodeKind::Element if is_schema => {}
                NodeKind::Comment | NodeKind::Instruction => continue,
                NodeKind::Text if document.value(node).trim_ascii().is_empty() => continue,
                _ => return Err(SqlError::new(&message::SCHEMA_DOCUMENT_EXPECTED, &[])),
            }
            self.pace.pace()?;
            syntax::check(document, node)?;
            let target = syntax::attribute(document, node, "targetNamespace");
            if target.is_some_and(|uri| uri.is_empty() || uri == SCHEMA_URI || uri == INSTANCE_URI)
            {
                return Err(SqlError::new(&message::SCHEMA_TARGET_NAMESPACE, &[]));
            }
            let target: Arc<str> = target.unwrap_or("").into();
            if !self.made.namespaces.contains(&target) {
                self.made.namespaces.push(target.clone());
            }
            let source = self.sources.len();
            self.sources.push(Source { document, target, piece, schema: node });
            for child in document.children(node) {
                let is_ours = syntax::is_schema_element(document, child);
                let kind = Kind::of(document.name(child).local).filter(|_| is_ours);
                if let Some(kind) = kind {
                    self.add_global(kind, Place { source, node: child })?;
                }
            }
        }
        Ok(())
    }

    fn add_global(&mut self, kind: Kind, place: Place) -> SqlResult<()> {
        let name = self.attribute(place, "name").ok_or_else(|| self.missing(place, "name"))?;
        self.refuse(place, &["ref", "minOccurs", "maxOccurs", "form", "use"])?;
        check_name(name)?;
        let name = QName { uri: self.sources[place.source].target.clone(), local: name.into() };
        self.count_one()?;
        let Some(known) = self.globals.get(&(kind, name.clone())).copied() else {
            self.globals.insert((kind, name), place);
            return Ok(());
        };
        // What is the same as before is passed over.
        let is_same = known.source != place.source && self.text(known)? == self.text(place)?;
        if is_same {
            return Ok(());
        }
        match self.sources[known.source].piece == self.sources[place.source].piece {
            true => Err(SqlError::new(&message::SCHEMA_NAME_TWICE, &[&name.local])),
            false => Err(SqlError::new(
                &message::COLLECTION_COMPONENT_CHANGED,
                &[&name.uri, &name.local, &kind.shown()],
            )),
        }
    }

    fn text(&self, place: Place) -> SqlResult<Vec<u8>> {
        let mut out = Vec::new();
        write(self.document(place), place.node, &mut out, &Unpaced)?;
        Ok(out)
    }

    /// Counts a component. Error 2362 if there are too many.
    pub(super) fn count_one(&mut self) -> SqlResult<()> {
        self.count += 1;
        match self.count <= COMPONENTS_MAX && stack::deeper() {
            true => Ok(()),
            false => Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[])),
        }
    }

    fn run(&mut self) -> SqlResult<()> {
        let mut globals: Vec<(Kind, QName, Place)> = self
            .globals
            .iter()
            .map(|((kind, name), place)| (*kind, name.clone(), *place))
            .collect();
        globals.sort_by_key(|(.., place)| (place.source, place.node));
        for (kind, name, place) in globals {
            self.pace.pace()?;
            match kind {
                Kind::Element => drop(self.element_named(place, &name)?),
                Kind::Attribute => drop(self.attribute_named(place, &name)?),
                Kind::Type => drop(self.type_named(place, &name)?),
                Kind::Group => drop(self.group_named(place, &name)?),
                Kind::AttributeGroup => {
                    self.attribute_group(place, &name)?;
                }
            }
        }
        loop {
            self.pace.pace()?;
            if let Some(id) = self.pending_types.pop_front() {
                self.need(id)?;
            } else if let Some((id, place)) = self.pending_elements.pop_front() {
                self.define_element(id, place)?;
            } else {
                break;
            }
        }
        self.link_heads()?;
        for (target, place) in std::mem::take(&mut self.values) {
            self.read_value(target, place)?;
        }
        self.check_elements()?;
        self.make_models()
    }

    // Nodes of sources.

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
    fn refuse(&self, place: Place, attributes: &[&str]) -> SqlResult<()> {
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
    fn is_qualified(&self, place: Place, default: &str) -> SqlResult<bool> {
        let schema = Place { source: place.source, node: self.sources[place.source].schema };
        let own = self.attribute(place, "form").map(|form| ("form", form));
        match own.or(self.attribute(schema, default).map(|form| (default, form))) {
            None | Some((_, "unqualified")) => Ok(false),
            Some((_, "qualified")) => Ok(true),
            Some((name, other)) => Err(bad_value(name, other)),
        }
    }

    // Types.

    /// A type by name, which may still have to be made. Errors 2307, 2308.
    pub(super) fn type_ref(&mut self, place: Place, written: &str) -> SqlResult<TypeId> {
        let name = self.resolve(place, written)?;
        if name.uri.as_ref() == SCHEMA_URI {
            return self.made.find_type(SCHEMA_URI, &name.local).ok_or_else(|| undefined(&name));
        }
        let place = self.place_of(Kind::Type, &name)?;
        self.type_named(place, &name)
    }

    fn type_named(&mut self, place: Place, name: &QName) -> SqlResult<TypeId> {
        if let Some(id) = self.made.find_type(&name.uri, &name.local) {
            return Ok(id);
        }
        let id = self.new_type(place, Some(name.clone()))?;
        enter(&mut self.made.global_types, name, id);
        Ok(id)
    }

    /// A type whose turn comes later.
    pub(super) fn new_type(&mut self, place: Place, name: Option<QName>) -> SqlResult<TypeId> {
        self.count_one()?;
        let id = TypeId(self.made.types.len() as u32);
        self.made.types.push(Type {
            name,
            base: TypeId::ANY,
            derivation: Derivation::Restriction,
            is_abstract: false,
            is_final: Barred::default(),
            block: Barred::default(),
            body: Body::Complex(Complex::default()),
        });
        self.states.push(State::Waiting(place));
        self.pending_types.push_back(id);
        Ok(id)
    }

    /// Makes a type now. Error 6953 if it is being made.
    pub(super) fn need(&mut self, id: TypeId) -> SqlResult<()> {
        let place = match self.states[id.number()] {
            State::Done => return Ok(()),
            State::InProgress => {
                let shown = self.made.ty(id).shown();
                return Err(SqlError::new(&message::SCHEMA_TYPE_RECURSIVE, &[&shown]));
            }
            State::Waiting(place) => place,
        };
        self.count_one()?;
        self.states[id.number()] = State::InProgress;
        match self.local(place) {
            "simpleType" => self.define_simple(id, place)?,
            _ => self.define_complex(id, place)?,
        }
        self.states[id.number()] = State::Done;
        self.check_derivations(id)
    }

    /// Says that a type was made by another's turn.
    pub(super) fn is_made(&mut self, id: TypeId) {
        self.states[id.number()] = State::Done;
    }

    /// Error 2362 if too many types come from each other, since what a type comes from is looked
    /// for along the way.
    fn check_derivations(&self, id: TypeId) -> SqlResult<()> {
        let mut at = id;
        for _ in 0..DERIVATIONS_MAX {
            let base = self.made.ty(at).base;
            if base == at {
                return Ok(());
            }
            at = base;
        }
        Err(SqlError::new(&message::SCHEMA_TOO_COMPLEX, &[]))
    }

    /// A simple type that is needed now: by name or as a child. `None` if there is neither. Error
    /// 2305 if there are both.
    pub(super) fn simple_of(&mut self, place: Place, by: &str) -> SqlResult<Option<TypeId>> {
        let child = self.child(place, &["simpleType"])?;
        let ty = match (self.attribute(place, by), child) {
            (Some(_), Some(_)) => return Err(self.at(&message::SCHEMA_TYPE_TWICE, place)),
            (Some(name), None) => self.type_ref(place, name)?,
            (None, Some(child)) => self.new_type(child, None)?,
            (None, None) => return Ok(None),
        };
        self.need(ty)?;
        Ok(Some(ty))
    }

    // Attributes.

    fn attribute_named(&mut self, place: Place, name: &QName) -> SqlResult<AttributeId> {
        if let Some(id) = self.made.find_attribute(&name.uri, &name.local) {
            return Ok(id);
        }
        let id = self.new_attribute(place, name.clone(), true)?;
        enter(&mut self.made.global_attributes, name, id);
        Ok(id)
    }

    fn new_attribute(
        &mut self,
        place: Place,
        name: QName,
        is_global: bool,
    ) -> SqlResult<AttributeId> {
        self.count_one()?;
        let ty = self.simple_of(place, "type")?.unwrap_or(TypeId::ANY_SIMPLE);
        if self.made.ty(ty).simple().is_none() {
            let shown = self.made.ty(ty).shown();
            return Err(SqlError::new(&message::SCHEMA_ATTRIBUTE_NOT_SIMPLE, &[&shown]));
        }
        let id = AttributeId(self.made.attributes.len() as u32);
        let value = self.value_of(place, ty, &name)?;
        self.made.attributes.push(Attribute { name, ty, is_global, value });
        if self.made.attributes[id.number()].value.is_some() {
            self.values.push((Target::Attribute(id), place));
        }
        Ok(id)
    }

    /// An attribute of a type; `None` if it is prohibited.
    pub(super) fn attribute_use(
        &mut self,
        place: Place,
    ) -> SqlResult<(AttributeId, Option<AttributeUse>)> {
        let id = match (self.attribute(place, "name"), self.attribute(place, "ref")) {
            (Some(_), Some(_)) => return Err(self.at(&message::SCHEMA_NAME_AND_REF, place)),
            (None, Some(reference)) => {
                if self.attribute(place, "type").is_some() {
                    return Err(self.at(&message::SCHEMA_REF_AND_TYPE, place));
                }
                let name = self.resolve(place, reference)?;
                match self.made.find_attribute(&name.uri, &name.local) {
                    Some(id) => id,
                    None => {
                        let global = self.place_of(Kind::Attribute, &name)?;
                        self.attribute_named(global, &name)?
                    }
                }
            }
            (Some(local), None) => {
                check_name(local)?;
                if local == "xmlns" {
                    return Err(SqlError::new(&message::SCHEMA_NAME_INVALID, &[&local]));
                }
                let uri = match self.is_qualified(place, "attributeFormDefault")? {
                    true => self.sources[place.source].target.clone(),
                    false => "".into(),
                };
                self.new_attribute(place, QName { uri, local: local.into() }, false)?
            }
            (None, None) => return Err(self.missing(place, "name")),
        };
        let is_required = match self.attribute(place, "use") {
            None | Some("optional") => false,
            Some("required") => true,
            Some("prohibited") => return Ok((id, None)),
            Some(other) => return Err(bad_value("use", other)),
        };
        if is_required && self.attribute(place, "default").is_some() {
            return Err(bad_value("use", "required"));
        }
        let declared = &self.made.attributes[id.number()];
        let (ty, name) = (declared.ty, declared.name.clone());
        let mut value = declared.value.clone();
        if self.attribute(place, "ref").is_some()
            && let Some(own) = self.value_of(place, ty, &name)?
        {
            value = Some(self.canonical(place, ty, own)?);
        } else if value.is_some() {
            // It is read now, since uses have it too.
            let own = value.take().expect("it was looked at");
            value = Some(self.canonical(place, ty, own)?);
        }
        Ok((id, Some(AttributeUse { attribute: id, is_required, value })))
    }

    /// `default` or `fixed` as written. Errors 6932, 6963, 6999.
    pub(super) fn value_of(
        &self,
        place: Place,
        ty: TypeId,
        name: &QName,
    ) -> SqlResult<Option<ValueConstraint>> {
        let (default, fixed) = (self.attribute(place, "default"), self.attribute(place, "fixed"));
        if default.is_some() {
            self.refuse(place, &["fixed"])?;
        }
        let Some(text) = default.or(fixed) else { return Ok(None) };
        if text.chars().count() > VALUE_MAX {
            return Err(SqlError::new(&message::SCHEMA_DEFAULT_LONG, &[&name]));
        }
        let text_type = self.made.text_type(ty).unwrap_or(ty);
        let simple = self.made.ty(text_type).simple();
        if simple.is_some_and(|simple| simple.identity == Some(Identity::Id)) {
            return Err(SqlError::new(&message::SCHEMA_ID_VALUE, &[&name]));
        }
        if simple.is_some_and(|simple| simple.primitive() == Some(Primitive::QName)) {
            return Err(SqlError::new(&message::SCHEMA_QNAME_VALUE, &[&name]));
        }
        Ok(Some(ValueConstraint { text: text.into(), is_fixed: fixed.is_some() }))
    }

    /// A value in canonical form. Errors 6927, 6938.
    pub(super) fn canonical(
        &self,
        place: Place,
        ty: TypeId,
        value: ValueConstraint,
    ) -> SqlResult<ValueConstraint> {
        let document = self.document(place);
        let uri = |prefix: &str| document.namespace_of(place.node, prefix).map(String::from);
        let mut scope = Scope { uri: &uri, stride: &mut Stride::new(self.pace) };
        let text = match self.made.read(ty, &value.text, &mut scope) {
            Ok(parsed) => parsed.text.as_ref().into(),
            Err(NoValue::Stopped(error)) => return Err(error),
            Err(NoValue::NotCanonical) => {
                return Err(SqlError::new(&message::SCHEMA_CANONICAL, &[&value.text]));
            }
            Err(_) => return Err(SqlError::new(&message::SCHEMA_VALUE, &[&value.text])),
        };
        Ok(ValueConstraint { text, ..value })
    }

    // Elements.

    fn element_named(&mut self, place: Place, name: &QName) -> SqlResult<ElementId> {
        if let Some(id) = self.made.find_element(&name.uri, &name.local) {
            return Ok(id);
        }
        let id = self.new_element(place, name.clone(), true)?;
        enter(&mut self.made.global_elements, name, id);
        self.pieces.insert(id, self.sources[place.source].piece);
        Ok(id)
    }

    fn new_element(&mut self, place: Place, name: QName, is_global: bool) -> SqlResult<ElementId> {
        self.count_one()?;
        let name_id = self.made.name_id(&name);
        let id = ElementId(self.made.elements.len() as u32);
        self.made.elements.push(Element {
            name,
            name_id,
            ty: TypeId::ANY,
            is_global,
            is_nillable: false,
            is_abstract: false,
            value: None,
            block: Barred::default(),
            is_final: Barred::default(),
            head: None,
        });
        self.pending_elements.push_back((id, place));
        Ok(id)
    }

    /// The element of a particle. Errors 2299, 2360, 2387.
    pub(super) fn element_ref(&mut self, place: Place) -> SqlResult<ElementId> {
        match (self.attribute(place, "name"), self.attribute(place, "ref")) {
            (Some(_), Some(_)) => Err(self.at(&message::SCHEMA_NAME_AND_REF, place)),
            (None, Some(reference)) => {
                if self.attribute(place, "type").is_some() {
                    return Err(self.at(&message::SCHEMA_REF_AND_TYPE, place));
                }
                self.refuse(place, &["nillable", "default", "fixed", "form", "block", "abstract"])?;
                let name = self.resolve(place, reference)?;
                let global = self.place_of(Kind::Element, &name)?;
                self.element_named(global, &name)
            }
            (Some(local), None) => {
                check_name(local)?;
                self.refuse(place, &["substitutionGroup", "final", "abstract"])?;
                let uri = match self.is_qualified(place, "elementFormDefault")? {
                    true => self.sources[place.source].target.clone(),
                    false => "".into(),
                };
                self.new_element(place, QName { uri, local: local.into() }, false)
            }
            (None, None) => Err(self.missing(place, "name")),
        }
    }

    fn define_element(&mut self, id: ElementId, place: Place) -> SqlResult<()> {
        let child = self.child(place, &["simpleType", "complexType"])?;
        let ty = match (self.attribute(place, "type"), child) {
            (Some(_), Some(_)) => return Err(self.at(&message::SCHEMA_TYPE_TWICE, place)),
            (Some(name), None) => Some(self.type_ref(place, name)?),
            (None, Some(child)) => Some(self.new_type(child, None)?),
            (None, None) => None,
        };
        let is_nillable = self.boolean(place, "nillable")?;
        let is_abstract = self.boolean(place, "abstract")?;
        let (block, is_final) = (self.barred(place, "block")?, self.barred(place, "final")?);
        if let Some(head) = self.attribute(place, "substitutionGroup") {
            let head = self.resolve(place, head)?;
            self.heads.push((id, head));
            if ty.is_none() {
                self.untyped.insert(id);
            }
        }
        let has_value =
            self.attribute(place, "default").is_some() || self.attribute(place, "fixed").is_some();
        if has_value {
            self.values.push((Target::Element(id), place));
        }
        let element = &mut self.made.elements[id.number()];
        element.ty = ty.unwrap_or(TypeId::ANY);
        element.is_nillable = is_nillable;
        element.is_abstract = is_abstract;
        (element.block, element.is_final) = (block, is_final);
        if is_nillable && self.attribute(place, "fixed").is_some() {
            let name = self.made.elements[id.number()].name.clone();
            return Err(SqlError::new(&message::SCHEMA_NIL_FIXED, &[&name]));
        }
        Ok(())
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

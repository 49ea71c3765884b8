//! From schema documents to components.
//!
//! What is at the top of schemas is entered by name first. Then each component is made once: at
//! once where another one needs to know it (a base, an item type, an attribute's type), else when
//! its turn comes, so that elements and types may refer to each other in circles.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::model::*;
use super::place::{check_name, undefined};
use super::room::Room;
use super::{COMPONENTS_MAX, Collection, simple, syntax};
use crate::account::Account;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, Unpaced};
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
    pub(super) piece: usize,
    pub(super) schema: NodeId,
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
    pub(super) pending_elements: VecDeque<(ElementId, Place)>,
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
        self.make_models()?;
        self.check_restrictions()
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
}

//! The components of a collection.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::content::Model;
use super::simple::Simple;

/// The namespace of XML Schema.
pub const SCHEMA_URI: &str = "http://www.w3.org/2001/XMLSchema";
/// The namespace of the attributes by which documents speak about their schema.
pub const INSTANCE_URI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A name with its namespace, empty if it is in none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QName {
    /// The namespace.
    pub uri: Arc<str>,
    /// The name in it.
    pub local: Arc<str>,
}

impl QName {
    /// A name.
    pub fn new(uri: &str, local: &str) -> QName {
        QName { uri: uri.into(), local: local.into() }
    }
}

impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.uri.is_empty() {
            true => f.write_str(&self.local),
            false => write!(f, "{{{}}}{}", self.uri, self.local),
        }
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(super) u32);

        impl $name {
            /// The number among its like.
            pub fn number(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A type.
    TypeId;
    /// An element's declaration.
    ElementId;
    /// An attribute's declaration.
    AttributeId;
    /// A name that elements of the collection have.
    NameId;
}

impl TypeId {
    /// `xs:anyType`
    pub const ANY: TypeId = TypeId(0);
    /// `xs:anySimpleType`
    pub const ANY_SIMPLE: TypeId = TypeId(1);
}

/// How a type comes from its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// It allows less.
    Restriction,
    /// It allows more.
    Extension,
    /// It is a list of another type.
    List,
    /// It is one of several types.
    Union,
}

/// Sets of derivations and of substitution, as `final` and `block` have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Barred {
    /// `extension`
    pub extension: bool,
    /// `restriction`
    pub restriction: bool,
    /// `substitution`
    pub substitution: bool,
    /// `list`
    pub list: bool,
    /// `union`
    pub union: bool,
}

impl Barred {
    /// Whether a derivation is in the set.
    pub fn bars(self, derivation: Derivation) -> bool {
        match derivation {
            Derivation::Restriction => self.restriction,
            Derivation::Extension => self.extension,
            Derivation::List => self.list,
            Derivation::Union => self.union,
        }
    }
}

/// A type.
#[derive(Debug)]
pub struct Type {
    /// Its name, unless it is a part of a declaration.
    pub name: Option<QName>,
    /// What it is derived from; itself for `anyType`.
    pub base: TypeId,
    /// How.
    pub derivation: Derivation,
    /// `abstract`
    pub is_abstract: bool,
    /// `final`
    pub is_final: Barred,
    /// `block`
    pub block: Barred,
    /// Simple or complex.
    pub body: Body,
}

impl Type {
    /// The name in messages.
    pub fn shown(&self) -> String {
        self.name.as_ref().map_or(String::new(), QName::to_string)
    }

    /// The simple type, if it is one.
    pub fn simple(&self) -> Option<&Simple> {
        match &self.body {
            Body::Simple(simple) => Some(simple),
            Body::Complex(_) => None,
        }
    }

    /// The complex type, if it is one.
    pub fn complex(&self) -> Option<&Complex> {
        match &self.body {
            Body::Complex(complex) => Some(complex),
            Body::Simple(_) => None,
        }
    }
}

/// What a type is.
#[derive(Debug)]
pub enum Body {
    /// Text alone.
    Simple(Simple),
    /// Attributes and content.
    Complex(Complex),
}

/// The own part of a complex type.
#[derive(Debug, Default)]
pub struct Complex {
    /// Attributes, by the order of their declaration; those of the base first.
    pub attributes: Vec<AttributeUse>,
    /// `anyAttribute`
    pub any_attribute: Option<Wildcard>,
    /// What stands between the tags.
    pub content: Content,
    /// Whether text stands between elements.
    pub is_mixed: bool,
    /// The particle of the content, of which derived types are made; the model has the same.
    pub particle: Option<Arc<Particle>>,
}

/// What stands between an element's tags.
#[derive(Debug, Default)]
pub enum Content {
    /// Nothing.
    #[default]
    Empty,
    /// Text of a simple type.
    Simple(TypeId),
    /// Elements.
    Elements(Box<Model>),
}

/// An attribute of a type.
#[derive(Clone, Debug)]
pub struct AttributeUse {
    /// Its declaration.
    pub attribute: AttributeId,
    /// `use="required"`
    pub is_required: bool,
    /// `default` or `fixed` of this use, else of the declaration.
    pub value: Option<ValueConstraint>,
}

/// `default` or `fixed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueConstraint {
    /// The value in canonical form.
    pub text: Arc<str>,
    /// `fixed`
    pub is_fixed: bool,
}

/// The declaration of an attribute.
#[derive(Debug)]
pub struct Attribute {
    /// Its name.
    pub name: QName,
    /// Its simple type.
    pub ty: TypeId,
    /// Whether it stands at the top of a schema.
    pub is_global: bool,
    /// Its value where it is left out.
    pub value: Option<ValueConstraint>,
}

/// The declaration of an element.
#[derive(Debug)]
pub struct Element {
    /// Its name.
    pub name: QName,
    /// Its name among those that elements have.
    pub name_id: NameId,
    /// Its type.
    pub ty: TypeId,
    /// Whether it stands at the top of a schema.
    pub is_global: bool,
    /// `nillable`
    pub is_nillable: bool,
    /// `abstract`
    pub is_abstract: bool,
    /// Its value where it is empty.
    pub value: Option<ValueConstraint>,
    /// What may not stand in its place.
    pub block: Barred,
    /// What may not be derived from it.
    pub is_final: Barred,
    /// The head of its substitution group.
    pub head: Option<ElementId>,
}

/// What is done with what a wildcard lets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// It must be declared and valid.
    Strict,
    /// It must be valid if it is declared.
    Lax,
    /// Nothing.
    Skip,
}

/// The namespaces that a wildcard lets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// `##any`
    Any,
    /// `##other`: all but this one and none.
    Other(Arc<str>),
    /// These; the empty one stands for none.
    These(Arc<[Arc<str>]>),
}

/// `any` or `anyAttribute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wildcard {
    /// What it lets in.
    pub namespaces: Namespaces,
    /// What happens with it.
    pub process: Process,
}

impl Wildcard {
    /// Whether it lets in names of a namespace.
    pub fn allows(&self, uri: &str) -> bool {
        match &self.namespaces {
            Namespaces::Any => true,
            Namespaces::Other(own) => !uri.is_empty() && uri != &**own,
            Namespaces::These(all) => all.iter().any(|one| **one == *uri),
        }
    }

    /// Whether some namespace is let in by both.
    pub fn overlaps(&self, other: &Wildcard) -> bool {
        use Namespaces as N;
        match (&self.namespaces, &other.namespaces) {
            (N::These(all), _) => all.iter().any(|one| other.allows(one)),
            (_, N::These(all)) => all.iter().any(|one| self.allows(one)),
            _ => true,
        }
    }

    /// As error 6965 lists it.
    pub fn shown(&self) -> String {
        match &self.namespaces {
            Namespaces::Any => "*".into(),
            Namespaces::Other(own) => format!("{{##other:{own}}}*"),
            Namespaces::These(all) => {
                let all: Vec<String> = all
                    .iter()
                    .map(|uri| match uri.is_empty() {
                        true => "*".into(),
                        false => format!("{{{uri}}}*"),
                    })
                    .collect();
                all.join("','")
            }
        }
    }
}

/// A part of a content model, and how often it may come.
#[derive(Clone, Debug)]
pub struct Particle {
    /// `minOccurs`
    pub min: u32,
    /// `maxOccurs`; unbounded if there is none.
    pub max: Option<u32>,
    /// What comes.
    pub term: Term,
}

/// What a particle is of.
#[derive(Clone, Debug)]
pub enum Term {
    /// An element.
    Element(ElementId),
    /// Any element of some namespaces.
    Any(Wildcard),
    /// One after the other.
    Sequence(Vec<Arc<Particle>>),
    /// One of them.
    Choice(Vec<Arc<Particle>>),
    /// All in any order.
    All(Vec<Arc<Particle>>),
}

/// What is at the top of schemas, by name.
pub type Named<I> = HashMap<Arc<str>, HashMap<Arc<str>, I>>;

/// A thing by name.
pub(super) fn find<I: Copy>(map: &Named<I>, uri: &str, local: &str) -> Option<I> {
    map.get(uri)?.get(local).copied()
}

pub(super) fn enter<I>(map: &mut Named<I>, name: &QName, id: I) {
    map.entry(name.uri.clone()).or_default().insert(name.local.clone(), id);
}

//! Static types: what an expression may yield, as errors name it.

use std::fmt;
use std::sync::Arc;

use base::xml::schema::TypeId;

/// The types of atomic values. Derived integers differ by their range alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicType {
    /// Values of several types.
    Any,
    /// Text of nodes, which takes the type that is wanted of it.
    Untyped,
    /// `xs:string`
    String,
    /// `xs:normalizedString`
    NormalizedString,
    /// `xs:token`
    Token,
    /// `xs:anyURI`
    AnyUri,
    /// `xs:language`
    Language,
    /// `xs:NMTOKEN`
    NameToken,
    /// `xs:Name`
    Name,
    /// `xs:NCName`
    NoColonName,
    /// `xs:ID`
    Id,
    /// `xs:IDREF`
    IdReference,
    /// `xs:ENTITY`
    Entity,
    /// `xs:boolean`
    Boolean,
    /// `xs:decimal`: 38 digits, ten of them behind the point.
    Decimal,
    /// `xs:integer`
    Integer,
    /// `xs:long`
    Long,
    /// `xs:int`
    Int,
    /// `xs:short`
    Short,
    /// `xs:byte`
    Byte,
    /// `xs:nonNegativeInteger`
    NonNegativeInteger,
    /// `xs:positiveInteger`
    PositiveInteger,
    /// `xs:nonPositiveInteger`
    NonPositiveInteger,
    /// `xs:negativeInteger`
    NegativeInteger,
    /// `xs:unsignedLong`
    UnsignedLong,
    /// `xs:unsignedInt`
    UnsignedInt,
    /// `xs:unsignedShort`
    UnsignedShort,
    /// `xs:unsignedByte`
    UnsignedByte,
    /// `xs:double`
    Double,
    /// `xs:float`
    Float,
    /// `xs:dateTime`
    DateTime,
    /// `xs:date`
    Date,
    /// `xs:time`
    Time,
    /// `xs:gYearMonth`
    YearMonth,
    /// `xs:gYear`
    Year,
    /// `xs:gMonthDay`
    MonthDay,
    /// `xs:gDay`
    Day,
    /// `xs:gMonth`
    Month,
    /// `xs:duration`
    Duration,
    /// `xs:base64Binary`
    Base64Binary,
    /// `xs:hexBinary`
    HexBinary,
    /// `xs:QName`
    QName,
}

/// Types whose values can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Any,
    Untyped,
    Text,
    Boolean,
    Number,
    Other(AtomicType),
}

use AtomicType::*;

const NAMES: &[(AtomicType, &str)] = &[
    (Any, "xdt:anyAtomicType"),
    (Untyped, "xdt:untypedAtomic"),
    (String, "xs:string"),
    (NormalizedString, "xs:normalizedString"),
    (Token, "xs:token"),
    (AnyUri, "xs:anyURI"),
    (Language, "xs:language"),
    (NameToken, "xs:NMTOKEN"),
    (Name, "xs:Name"),
    (NoColonName, "xs:NCName"),
    (Id, "xs:ID"),
    (IdReference, "xs:IDREF"),
    (Entity, "xs:ENTITY"),
    (Boolean, "xs:boolean"),
    (Decimal, "xs:decimal"),
    (Integer, "xs:integer"),
    (Long, "xs:long"),
    (Int, "xs:int"),
    (Short, "xs:short"),
    (Byte, "xs:byte"),
    (NonNegativeInteger, "xs:nonNegativeInteger"),
    (PositiveInteger, "xs:positiveInteger"),
    (NonPositiveInteger, "xs:nonPositiveInteger"),
    (NegativeInteger, "xs:negativeInteger"),
    (UnsignedLong, "xs:unsignedLong"),
    (UnsignedInt, "xs:unsignedInt"),
    (UnsignedShort, "xs:unsignedShort"),
    (UnsignedByte, "xs:unsignedByte"),
    (Double, "xs:double"),
    (Float, "xs:float"),
    (DateTime, "xs:dateTime"),
    (Date, "xs:date"),
    (Time, "xs:time"),
    (YearMonth, "xs:gYearMonth"),
    (Year, "xs:gYear"),
    (MonthDay, "xs:gMonthDay"),
    (Day, "xs:gDay"),
    (Month, "xs:gMonth"),
    (Duration, "xs:duration"),
    (Base64Binary, "xs:base64Binary"),
    (HexBinary, "xs:hexBinary"),
    (QName, "xs:QName"),
];

impl AtomicType {
    /// The name with the prefix that it always has in messages.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(ty, _)| *ty == self).map_or("", |(_, name)| name)
    }

    /// The type of this local name among those of XML Schema.
    pub(crate) fn by_name(local: &str) -> Option<AtomicType> {
        let is_it = |name: &str| name.strip_prefix("xs:") == Some(local);
        NAMES.iter().find(|(_, name)| is_it(name)).map(|(ty, _)| *ty)
    }

    pub(crate) fn class(self) -> Class {
        match self {
            Any => Class::Any,
            Untyped => Class::Untyped,
            String | AnyUri => Class::Text,
            ty if ty.text_base().is_some() => Class::Text,
            Boolean => Class::Boolean,
            ty if ty.is_numeric() => Class::Number,
            ty => Class::Other(ty),
        }
    }

    pub(crate) fn is_numeric(self) -> bool {
        matches!(self, Decimal | Double | Float) || self.is_integer()
    }

    pub(crate) fn is_integer(self) -> bool {
        self.range().is_some()
    }

    /// Whether the text of a value is read as a number.
    pub fn may_be_number(self) -> bool {
        self.is_numeric() || matches!(self.class(), Class::Untyped | Class::Text)
    }

    /// A date, time or both.
    pub(crate) fn is_moment(self) -> bool {
        matches!(self, Date | DateTime | Time)
    }

    /// The bounds of an integer type.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        let all = 10i128.pow(28);
        Some(match self {
            Integer => (-all, all),
            Long => (i64::MIN.into(), i64::MAX.into()),
            Int => (i32::MIN.into(), i32::MAX.into()),
            Short => (i16::MIN.into(), i16::MAX.into()),
            Byte => (i8::MIN.into(), i8::MAX.into()),
            NonNegativeInteger => (0, all),
            PositiveInteger => (1, all),
            NonPositiveInteger => (-all, 0),
            NegativeInteger => (-all, -1),
            UnsignedLong => (0, u64::MAX.into()),
            UnsignedInt => (0, u32::MAX.into()),
            UnsignedShort => (0, u16::MAX.into()),
            UnsignedByte => (0, u8::MAX.into()),
            _ => return None,
        })
    }

    /// Whether each value of this type is one of the other.
    pub(crate) fn is_derived_from(self, other: AtomicType) -> bool {
        if self == other {
            return true;
        }
        match (self.range(), other) {
            (Some(_), Decimal) => true,
            (Some((low, high)), other) => match other.range() {
                Some((least, most)) => low >= least && high <= most,
                None => false,
            },
            (None, other) => {
                let mut bases = std::iter::successors(self.text_base(), |ty| ty.text_base());
                bases.any(|ty| ty == other)
            }
        }
    }

    /// What a type of strings is derived from, if not `xs:string` itself.
    fn text_base(self) -> Option<AtomicType> {
        Some(match self {
            NormalizedString => String,
            Token => NormalizedString,
            Language | NameToken | Name => Token,
            NoColonName => Name,
            Id | IdReference | Entity => NoColonName,
            _ => return None,
        })
    }

    /// The type of what arithmetic with both yields.
    pub(crate) fn promoted(self, other: AtomicType) -> AtomicType {
        let is = |ty| self == ty || other == ty;
        let is_free = matches!(self, Untyped | Any) || matches!(other, Untyped | Any);
        if is(Double) || is_free {
            Double
        } else if is(Float) {
            Float
        } else if self.is_integer() && other.is_integer() {
            Integer
        } else {
            Decimal
        }
    }
}

/// How many items there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occurs {
    One,
    Optional,
    Many,
    Plus,
}

impl Occurs {
    /// Of so many for each of so many.
    pub(crate) fn times(self, other: Occurs) -> Occurs {
        use Occurs::*;
        match (self, other) {
            (One, occurs) | (occurs, One) => occurs,
            (Plus, Plus) => Plus,
            (Optional, Optional) => Optional,
            _ => Many,
        }
    }

    /// Of one or the other.
    pub(crate) fn either(self, other: Occurs) -> Occurs {
        use Occurs::*;
        match (self, other) {
            (a, b) if a == b => a,
            (One, Plus) | (Plus, One) => Plus,
            (One, Optional) | (Optional, One) => Optional,
            _ => Many,
        }
    }

    pub(crate) fn is_many(self) -> bool {
        matches!(self, Occurs::Many | Occurs::Plus)
    }

    /// As it is when items may be left out.
    pub(crate) fn thinned(self) -> Occurs {
        match self {
            Occurs::One | Occurs::Optional => Occurs::Optional,
            Occurs::Many | Occurs::Plus => Occurs::Many,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeType {
    Document,
    Element(std::string::String),
    Attribute(std::string::String),
    Text,
    Comment,
    Instruction,
    Union(Vec<NodeType>),
}

impl NodeType {
    /// Of any node that can be a child.
    pub(crate) fn any() -> NodeType {
        let element = NodeType::Element("*".into());
        NodeType::Union(vec![element, NodeType::Text, NodeType::Comment, NodeType::Instruction])
    }

    pub(crate) fn with(self, other: NodeType) -> NodeType {
        let mut all = self.parts();
        for part in other.parts() {
            if !all.contains(&part) {
                all.push(part);
            }
        }
        if all.len() == 1 { all.remove(0) } else { NodeType::Union(all) }
    }

    fn parts(self) -> Vec<NodeType> {
        match self {
            NodeType::Union(all) => all,
            one => vec![one],
        }
    }

    /// Whether all nodes of this type satisfy a condition.
    pub(crate) fn all(&self, is: impl Fn(&NodeType) -> bool) -> bool {
        match self {
            NodeType::Union(all) => all.iter().all(is),
            one => is(one),
        }
    }

    pub(crate) fn is_attribute(&self) -> bool {
        self.all(|ty| matches!(ty, NodeType::Attribute(_)))
    }

    pub(crate) fn has_children(&self) -> bool {
        !self.all(|ty| !matches!(ty, NodeType::Document | NodeType::Element(_)))
    }
}

impl fmt::Display for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeType::Document => f.write_str(
                "document { (element(*,xdt:untyped) ? & text ? & comment ? & \
                 processing-instruction ?) * }",
            ),
            NodeType::Element(name) => write!(f, "element({name},xdt:untyped)"),
            NodeType::Attribute(name) => write!(f, "attribute({name},xdt:untypedAtomic)"),
            NodeType::Text => f.write_str("text"),
            NodeType::Comment => f.write_str("comment"),
            NodeType::Instruction => f.write_str("processing-instruction"),
            NodeType::Union(all) => {
                for (i, one) in all.iter().enumerate() {
                    write!(f, "{}{one}", if i == 0 { "(" } else { " | " })?;
                }
                f.write_str(")")
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Empty,
    Node(NodeType),
    Atomic(AtomicType),
    /// A value of type xml from outside.
    Xml,
}

/// What an expression may yield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) item: ItemKind,
    pub(crate) occurs: Occurs,
    /// Whether nodes among it are made by the query.
    pub(crate) is_constructed: bool,
    /// Whether nodes come in document order, each once.
    pub(crate) is_sorted: bool,
    /// Whether no node is below another.
    pub(crate) is_disjoint: bool,
    /// The types of the schemas that the nodes may have; none if that is not known.
    pub(crate) schema: Vec<TypeId>,
    /// Whether a node may have several values, being of a list type.
    pub(crate) has_parts: bool,
    /// Whether elements may be nil.
    pub(crate) is_nillable: bool,
    /// What messages say of it: name and type of a node, the type of an atomic value.
    pub(crate) shown: Option<Arc<str>>,
}

impl Type {
    pub(crate) fn empty() -> Type {
        Type { item: ItemKind::Empty, ..Type::atomic(Untyped, Occurs::Optional) }
    }

    pub(crate) fn atomic(ty: AtomicType, occurs: Occurs) -> Type {
        let item = ItemKind::Atomic(ty);
        Type {
            item,
            occurs,
            is_constructed: false,
            is_sorted: false,
            is_disjoint: false,
            schema: Vec::new(),
            has_parts: false,
            is_nillable: false,
            shown: None,
        }
    }

    pub(crate) fn one(ty: AtomicType) -> Type {
        Type::atomic(ty, Occurs::One)
    }

    pub(crate) fn node(ty: NodeType) -> Type {
        let item = ItemKind::Node(ty);
        let occurs = Occurs::One;
        Type {
            item,
            occurs,
            is_constructed: false,
            is_sorted: true,
            is_disjoint: true,
            schema: Vec::new(),
            has_parts: false,
            is_nillable: false,
            shown: None,
        }
    }

    pub(crate) fn constructed(ty: NodeType) -> Type {
        Type { is_constructed: true, ..Type::node(ty) }
    }

    pub(crate) fn with_occurs(mut self, occurs: Occurs) -> Type {
        self.occurs = occurs;
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.item == ItemKind::Empty
    }

    pub(crate) fn node_type(&self) -> Option<&NodeType> {
        match &self.item {
            ItemKind::Node(ty) => Some(ty),
            _ => None,
        }
    }

    /// The type of the atomic values that these items have.
    pub(crate) fn data(&self) -> Type {
        match &self.item {
            ItemKind::Node(ty) => {
                let is_text = ty.all(|ty| matches!(ty, NodeType::Comment | NodeType::Instruction));
                Type::atomic(if is_text { String } else { Untyped }, self.occurs)
            }
            _ => self.clone(),
        }
    }

    pub(crate) fn atomic_type(&self) -> AtomicType {
        match self.data().item {
            ItemKind::Atomic(ty) => ty,
            _ => Untyped,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.item {
            ItemKind::Empty => return f.write_str("empty"),
            ItemKind::Node(ty) => match (ty, &self.shown) {
                (NodeType::Element(_), Some(shown)) => write!(f, "element({shown})")?,
                (NodeType::Attribute(_), Some(shown)) => write!(f, "attribute({shown})")?,
                _ => write!(f, "{ty}")?,
            },
            ItemKind::Atomic(ty) => f.write_str(self.shown.as_deref().unwrap_or(ty.name()))?,
            ItemKind::Xml => f.write_str("xml")?,
        }
        f.write_str(match self.occurs {
            Occurs::One => "",
            Occurs::Optional => " ?",
            Occurs::Many => " *",
            Occurs::Plus => " +",
        })
    }
}

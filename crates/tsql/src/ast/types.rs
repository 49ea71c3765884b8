//! Data types as written; what they mean depends on the catalog.

use super::{ObjectName, Span};

/// A type as a declaration names it.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Where it stands, arguments included.
    pub span: Span,
    /// A built-in, alias or table type. ISO names of several words are one name with single
    /// blanks: `double precision`, `national character varying`.
    pub name: ObjectName,
    /// What follows in parentheses.
    pub arguments: TypeArguments,
}

/// What stands in parentheses after a type's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeArguments {
    /// No parentheses.
    None,
    /// `(max)`.
    Max,
    /// Length, precision, or precision and scale. A number that does not fit is [`u32::MAX`], which
    /// no type takes.
    Numbers(Vec<u32>),
    /// The schema collection of an `xml`.
    Collection(Box<XmlCollectionName>),
}

/// `(collection)`, `(CONTENT collection)`, `(DOCUMENT collection)`.
#[derive(Clone, Debug)]
pub struct XmlCollectionName {
    /// `DOCUMENT`.
    pub is_document: bool,
    /// The collection.
    pub name: ObjectName,
}

/// One declaration of a parameter list, as `sp_executesql` takes it.
#[derive(Clone, Debug)]
pub struct ParameterDeclaration {
    /// From the name to the last word.
    pub span: Span,
    /// The name with its `@`.
    pub name: super::Variable,
    /// The declared type.
    pub ty: DataType,
    /// `NULL` or `NOT NULL`, which natively compiled modules may say.
    pub nullable: Option<bool>,
    /// The default: a constant, or a word that stands for itself.
    pub default: Option<super::ArgumentValue>,
    /// `VARYING`, on a cursor parameter.
    pub varying: bool,
    /// `OUTPUT` or `OUT`.
    pub output: bool,
    /// `READONLY`, which table-valued parameters must say.
    pub read_only: bool,
}

impl PartialEq for XmlCollectionName {
    fn eq(&self, other: &XmlCollectionName) -> bool {
        self.is_document == other.is_document && self.name.to_string() == other.name.to_string()
    }
}

impl Eq for XmlCollectionName {}

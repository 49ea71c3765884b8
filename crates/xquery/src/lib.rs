//! The XQuery of SQL Server's type xml: text in, an answer about a document out.
//!
//! # Life of a query
//!
//! [`Query::compile`] parses the text and settles names and static types in the same pass
//! (`parse`): what may be a sequence where one item is wanted is an error then, whatever the
//! documents hold. A syntax error anywhere in the text goes before errors of types. The result does
//! not change any more; a plan keeps it. What the query wants of the statement around it
//! (`sql:column`, `sql:variable`) is listed by [`Query::externals`].
//!
//! Each method is then a function on a query, a [`Document`] and one of its nodes (`eval`). Paths
//! are pulled node by node, without collecting what is in order anyway. Values that do not fit
//! while a query runs (a text that is no number) are no errors: the result is empty.
//!
//! `index` says what of a document and of a query an index of nodes knows.
//!
//! # Invariants
//!
//! * X1: constructed nodes are only written, never read: static checks refuse all else (2373). So
//!   all nodes that are read belong to the document.
//! * X2: recursion, of the parser and of evaluation, is bounded by the nesting of the text, which
//!   is at most 128 levels with room on the stack for each (2363). Chains of steps and operators
//!   are loops.

mod atomic;
mod eval;
mod expr;
pub mod index;
mod meter;
mod parse;
mod types;
pub mod xpath;

use std::borrow::Cow;
use std::sync::Arc;

use base::account::Account;
use base::error::SqlResult;
use base::pace::Pace;
use base::types::SqlType;
use base::xml::schema::Collection;
use base::xml::{Document, NodeId};

use expr::Expr;
pub use types::AtomicType;
use types::Type;

/// The method that a query is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `query()`: xml of what is selected.
    Query,
    /// `value()`: one atomic value.
    Value,
    /// `exist()`: whether anything is selected.
    Exist,
    /// `nodes()`: the nodes that are selected.
    Nodes,
    /// `modify()`: a changed document.
    Modify,
}

/// What a query may ask of the statement around it.
pub trait External {
    /// The number and type of a column of this name, which may have several parts. The binder's
    /// errors.
    fn column(&self, name: &str) -> SqlResult<(usize, SqlType)>;
    /// The number and type of a variable, whose name begins with `@`; `None` if it is not declared
    /// (error 9501).
    fn variable(&self, name: &str) -> SqlResult<Option<(usize, SqlType)>>;
}

/// For queries without a statement around them.
#[derive(Clone, Copy, Debug)]
pub struct NoExternal;

impl External for NoExternal {
    fn column(&self, name: &str) -> SqlResult<(usize, SqlType)> {
        Err(base::error::SqlError::new(&base::message::INVALID_COLUMN, &[&name]))
    }

    fn variable(&self, _: &str) -> SqlResult<Option<(usize, SqlType)>> {
        Ok(None)
    }
}

/// The static type of nodes that a query is applied to.
#[derive(Clone, Debug)]
pub struct NodeShape {
    ty: Type,
    /// Whether the document has a schema collection: elements may have values.
    is_typed: bool,
    /// The collection, if steps are checked by it.
    schema: Option<Schemas>,
    /// Where an index finds the nodes.
    place: Option<index::Place>,
}

/// A schema collection and how documents use it.
#[derive(Clone, Debug)]
pub(crate) struct Schemas {
    pub(crate) collection: Arc<Collection>,
    /// Whether exactly one element is at the top.
    pub(crate) is_document: bool,
}

impl Default for NodeShape {
    fn default() -> NodeShape {
        NodeShape {
            ty: Type::node(types::NodeType::Document),
            is_typed: false,
            schema: None,
            place: Some(index::Place::document()),
        }
    }
}

impl NodeShape {
    /// A document with a schema collection, or without.
    pub fn document(is_typed: bool) -> NodeShape {
        NodeShape { is_typed, ..NodeShape::default() }
    }

    /// A document of a schema collection, which says what elements and attributes there are; with
    /// `DOCUMENT` or without.
    pub fn of_collection(collection: Arc<Collection>, is_document: bool) -> NodeShape {
        let schema = Some(Schemas { collection, is_document });
        NodeShape { is_typed: true, schema, ..NodeShape::default() }
    }
}

/// What a query is compiled in.
pub struct Context<'a> {
    /// What stands in brackets in messages: `value()`, `dbo.t.c.value()`.
    pub receiver: &'a str,
    /// Prefixes and URIs of `WITH XMLNAMESPACES`; the prefix of the default namespace is empty.
    pub namespaces: &'a [(&'a str, &'a str)],
    /// The statement around.
    pub external: &'a dyn External,
    /// The nodes that `.` may be: a document, or what [`Query::shape`] of `nodes()` says.
    pub shape: &'a NodeShape,
    /// The text was compiled before, so that only its meaning is asked for and not what is wrong
    /// with its types.
    pub is_checked: bool,
}

/// Where an outer value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `sql:column`
    Column,
    /// `sql:variable`
    Variable,
}

/// An outer value that a query needs; each stands once in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outer {
    /// Where it comes from.
    pub origin: Origin,
    /// Its name as it is written.
    pub name: String,
    /// The number that [`External`] gave.
    pub index: usize,
}

/// An outer value.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// The empty sequence.
    Null,
    /// Of type bit.
    Boolean(bool),
    /// Of an integer type.
    Integer(i64),
    /// Of an exact type with this scale, among them money.
    Decimal(i128, u8),
    /// Of type float.
    Double(f64),
    /// Of type real.
    Float(f32),
    /// Characters; a uniqueidentifier, or bytes in base64, as text.
    Text(&'a str),
    /// A date, time, or both, as XML Schema writes it.
    Temporal(&'a str),
    /// A document to be inserted.
    Xml(&'a Document),
}

/// The document a query is applied to, and what it costs.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The document.
    pub document: &'a Document,
    /// The node that `.` is.
    pub node: NodeId,
    /// A value for each of [`Query::externals`].
    pub externals: &'a [Value<'a>],
    /// What long results are charged to.
    pub account: &'a Arc<Account>,
    /// How other sessions have their turn.
    pub pace: &'a dyn Pace,
}

/// Where nodes are inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    First,
    Last,
    Before,
    After,
}

pub(crate) enum Body {
    Expr(Expr),
    Insert { content: Expr, place: Place, target: Expr },
    Delete(Expr),
    Replace { target: Expr, value: Expr, is_written_empty: bool, can_be_nil: bool },
}

/// A compiled query; see the crate's header.
pub struct Query {
    body: Body,
    ty: Type,
    /// See [`NodeShape`].
    is_typed: bool,
    schema: Option<Schemas>,
    place: Option<index::Place>,
    externals: Vec<Outer>,
    types: Vec<Option<AtomicType>>,
    variables: usize,
    steps: usize,
    /// Prefixes that results may use, first those that the query itself declares.
    prefixes: Vec<(String, String)>,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").field("type", &self.ty.to_string()).finish_non_exhaustive()
    }
}

impl Query {
    /// Compiles the text for a method. Errors 22xx, 23xx and 93xx for what is wrong with it.
    pub fn compile(text: &str, purpose: Purpose, context: &Context<'_>) -> SqlResult<Query> {
        parse::compile(text, purpose, context)
    }

    /// The outer values that are needed.
    pub fn externals(&self) -> &[Outer] {
        &self.externals
    }

    /// What the nodes of `nodes()` are: the context of queries applied to them.
    pub fn shape(&self) -> NodeShape {
        let ty = self.ty.clone().with_occurs(types::Occurs::One);
        let (schema, place) = (self.schema.clone(), index::place(self));
        NodeShape { ty, is_typed: self.is_typed, schema, place }
    }

    /// What a document has if the query finds anything in it, as far as an index of nodes knows.
    /// `None` if that is nothing.
    pub fn condition(&self) -> Option<index::Condition> {
        index::condition(self)
    }

    /// Where an index finds the node of whose text `value()` is. `None` if it is not known.
    pub fn target(&self) -> Option<index::Target> {
        index::target(self)
    }

    /// The type of the value of `value()`.
    pub fn atomic_type(&self) -> AtomicType {
        self.ty.atomic_type()
    }

    /// The result of `query()`. Errors 6307, 6308, 6335; 701.
    pub fn query(&self, input: Input<'_>) -> SqlResult<Document> {
        eval::query(self, input)
    }

    /// The result of `value()` as text, with its type; `None` if it is empty.
    pub fn value<'a>(&'a self, input: Input<'a>) -> SqlResult<Option<(AtomicType, Cow<'a, str>)>> {
        eval::value(self, input)
    }

    /// The result of `exist()`.
    pub fn exist(&self, input: Input<'_>) -> SqlResult<bool> {
        eval::exist(self, input)
    }

    /// Calls back for each node of `nodes()` in its order.
    pub fn nodes(
        &self,
        input: Input<'_>,
        each: &mut dyn FnMut(NodeId) -> SqlResult<()>,
    ) -> SqlResult<()> {
        eval::nodes(self, input, each)
    }

    /// The document that `modify()` makes; `None` if nothing changes. Errors 6307, 6308, 6320,
    /// 6325, 6335; 701.
    pub fn modify(&self, input: Input<'_>) -> SqlResult<Option<Document>> {
        eval::modify(self, input)
    }
}

#[cfg(test)]
mod tests;

//! Expressions, as the parser makes them and as they are evaluated.
//!
//! Names are resolved, variables are numbers, and what an operation means is settled by the static
//! types. Chains of operators and steps are lists, so that a tree is no higher than its text is
//! nested.

use base::xml::schema::TypeId;

use crate::atomic::Atomic;
use crate::types::{AtomicType, Class, NodeType};

pub(crate) enum Expr {
    Constant(Atomic<'static>),
    Sequence(Vec<Expr>),
    Variable(usize),
    Context,
    /// The document.
    Root,
    Path(Box<Path>),
    Filter(Box<Expr>, Predicates),
    Flwor(Box<Flwor>),
    If(Box<[Expr; 3]>),
    Quantified(Box<Quantified>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Compare(Box<Compare>),
    NodeCompare(NodeOrder, Box<[Expr; 2]>),
    /// Each operation with the type of its result.
    Arithmetic(Box<Expr>, Vec<(Operator, AtomicType, Expr)>),
    Negate(AtomicType, Box<Expr>),
    Cast(AtomicType, Box<Expr>),
    /// A cast to a type of the schemas, which is derived from an atomic one.
    Conform(AtomicType, TypeId, Box<Expr>),
    /// The values of nodes of a type.
    Values(Box<Values>),
    InstanceOf(Box<Expr>, ItemTest),
    Call(Function, AtomicType, Vec<Expr>),
    External(usize),
    Element(Box<Element>),
    Attribute(Box<QName>, Box<Expr>),
    Text(Box<Expr>),
    /// Text as it stands in a constructed element.
    Literal(Box<str>),
    Comment(Box<str>),
    Instruction(Box<str>, Box<str>),
}

/// The values that nodes have by the schemas.
pub(crate) struct Values {
    pub(crate) nodes: Expr,
    /// The types that a value may have; the first one that takes its text counts.
    pub(crate) members: Vec<AtomicType>,
    /// Whether a text has several values.
    pub(crate) is_list: bool,
}

pub(crate) struct QName {
    pub(crate) prefix: Box<str>,
    pub(crate) local: Box<str>,
    pub(crate) uri: Box<str>,
}

pub(crate) struct Element {
    pub(crate) name: QName,
    pub(crate) namespaces: Vec<(Box<str>, Box<str>)>,
    pub(crate) attributes: Vec<(QName, Expr)>,
    pub(crate) content: Vec<Expr>,
}

pub(crate) struct Path {
    pub(crate) base: Expr,
    pub(crate) steps: Vec<Step>,
    /// Whether the steps may yield nodes twice or out of order.
    pub(crate) is_unsorted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    Child,
    Attribute,
    Itself,
    Parent,
    Descendant,
    DescendantOrSelf,
}

pub(crate) struct NameTest {
    /// Of any namespace if there is none.
    pub(crate) uri: Option<Box<str>>,
    pub(crate) local: Option<Box<str>>,
}

pub(crate) enum NodeTest {
    Any,
    /// Elements, or attributes on their axis.
    Name(NameTest),
    Element,
    Attribute,
    Document,
    Text,
    Comment,
    Instruction(Option<Box<str>>),
}

pub(crate) struct Step {
    pub(crate) axis: Axis,
    pub(crate) test: NodeTest,
    /// Steps of a query are numbered.
    pub(crate) number: usize,
    pub(crate) predicates: Predicates,
}

#[derive(Default)]
pub(crate) struct Predicates {
    pub(crate) list: Vec<Predicate>,
    /// Whether one asks how many items there are.
    pub(crate) needs_last: bool,
}

pub(crate) enum Predicate {
    Position(u64),
    Number(Expr),
    Test(Expr),
}

pub(crate) struct Clause {
    pub(crate) slot: usize,
    pub(crate) source: Expr,
    /// `for`, not `let`.
    pub(crate) is_loop: bool,
}

pub(crate) struct Key {
    pub(crate) expr: Expr,
    pub(crate) is_descending: bool,
}

pub(crate) struct Flwor {
    pub(crate) clauses: Vec<Clause>,
    pub(crate) condition: Option<Expr>,
    pub(crate) keys: Vec<Key>,
    pub(crate) result: Expr,
}

pub(crate) struct Quantified {
    pub(crate) is_every: bool,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) test: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Order {
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Order::Equal => order.is_eq(),
            Order::NotEqual => order.is_ne(),
            Order::Less => order.is_lt(),
            Order::LessOrEqual => order.is_le(),
            Order::Greater => order.is_gt(),
            Order::GreaterOrEqual => order.is_ge(),
        }
    }

    /// The order of the operands the other way round.
    pub(crate) fn reversed(self) -> Order {
        match self {
            Order::Less => Order::Greater,
            Order::LessOrEqual => Order::GreaterOrEqual,
            Order::Greater => Order::Less,
            Order::GreaterOrEqual => Order::LessOrEqual,
            same => same,
        }
    }
}

pub(crate) struct Compare {
    /// Whether any pair of items counts.
    pub(crate) is_general: bool,
    pub(crate) order: Order,
    /// As what the operands are compared.
    pub(crate) class: Class,
    /// Whether a node on one side may have several values.
    pub(crate) has_parts: bool,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeOrder {
    Is,
    Before,
    After,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

pub(crate) enum ItemTest {
    Empty,
    Item {
        empty: bool,
    },
    /// The answer is settled by the static type; an empty operand has its own.
    Atomic {
        matches: bool,
        empty: bool,
    },
    Node {
        ty: Option<NodeType>,
        name: Option<NameTest>,
        empty: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Avg,
    Ceiling,
    Concat,
    Contains,
    Count,
    Data,
    DistinctValues,
    Empty,
    ExpandedQName,
    False,
    Floor,
    Last,
    LocalName,
    LocalNameFromQName,
    LowerCase,
    Max,
    Min,
    NamespaceUri,
    NamespaceUriFromQName,
    Not,
    Number,
    Position,
    Round,
    String,
    StringLength,
    Substring,
    Sum,
    True,
    UpperCase,
}

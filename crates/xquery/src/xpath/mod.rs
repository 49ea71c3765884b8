//! XPath 1.0: the patterns of OPENXML. Text in, nodes of a document out.
//!
//! It shares names and operators with XQuery, but not the parser: XPath 1.0 has no static errors of
//! cardinality, names without a prefix are in no namespace, and values become what an operator
//! wants of them. The type of an expression is known from its text all the same, as there are no
//! variables: a pattern that does not select nodes is refused when it is compiled (6603).
//!
//! There is no namespace axis and no `id()`: documents keep no DTD.
//!
//! # Invariants
//!
//! * Recursion is bounded by the nesting of the text, which is at most [`DEPTH_MAX`] levels with
//!   room on the stack for each. Chains of steps and operators are loops.
//! * Nodes that a step selects are in document order and each once. What is kept of them is charged
//!   when there are many.
//! * Work is counted for each expression that is evaluated and each node that is passed over, so
//!   that no loop goes on for long without asking the pace.

mod eval;
mod parse;

use std::sync::Arc;

use base::account::Account;
use base::error::{SqlError, SqlResult};
use base::message;
use base::pace::Pace;
use base::xml::{Document, NodeId};

use crate::expr::{Operator, Order};
use crate::meter::Meter;

/// How deep parentheses, predicates and arguments may nest.
const DEPTH_MAX: usize = 64;

/// A compiled pattern.
#[derive(Debug)]
pub struct XPath(Expr);

/// The document that patterns are applied to, and what that costs.
pub struct PathInput<'a> {
    document: &'a Document,
    meter: Meter<'a>,
}

impl<'a> PathInput<'a> {
    /// Many nodes and long texts are charged to the account.
    pub fn new(
        document: &'a Document,
        account: &'a Arc<Account>,
        pace: &'a dyn Pace,
    ) -> PathInput<'a> {
        PathInput { document, meter: Meter::new(account, pace) }
    }

    /// Counts work beside that of patterns: nodes that are looked at.
    pub fn work(&self, amount: usize) -> SqlResult<()> {
        self.meter.work(amount)
    }
}

impl XPath {
    /// Compiles a pattern, whose prefixes stand for the namespaces that `resolve` gives. Error 6603
    /// for what is wrong with it.
    pub fn compile(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> SqlResult<XPath> {
        parse::compile(text, resolve).map(XPath)
    }

    /// The context node: what `.` selects.
    pub fn context() -> XPath {
        XPath(Expr::Path(Box::new(Path { start: Start::Context, steps: Vec::new() })))
    }

    /// If the last step is to an attribute of this namespace: the pattern before it, and the
    /// attribute's name.
    pub fn split_attribute(self, uri: &str) -> Result<(XPath, Box<str>), XPath> {
        let Expr::Path(mut path) = self.0 else { return Err(self) };
        let is_it = |step: &Step| match &step.test {
            Test::Name { uri: Some(own), local: Some(_) } => {
                step.axis == Axis::Attribute && **own == *uri && step.predicates.is_empty()
            }
            _ => false,
        };
        match path.steps.pop_if(|step| is_it(step)).map(|step| step.test) {
            Some(Test::Name { local: Some(local), .. }) => Ok((XPath(Expr::Path(path)), local)),
            _ => Err(XPath(Expr::Path(path))),
        }
    }

    /// Calls back for each node that is selected from a context node, in document order.
    pub fn each(
        &self,
        input: &PathInput<'_>,
        context: NodeId,
        visit: &mut dyn FnMut(NodeId) -> SqlResult<()>,
    ) -> SqlResult<()> {
        eval::nodes(&self.0, input, context)?.items.into_iter().try_for_each(visit)
    }

    /// The first node that is selected from a context node.
    pub fn first(&self, input: &PathInput<'_>, context: NodeId) -> SqlResult<Option<NodeId>> {
        eval::first(&self.0, input, context)
    }
}

#[derive(Debug)]
enum Expr {
    Number(f64),
    Literal(Box<str>),
    Path(Box<Path>),
    Union(Vec<Expr>),
    Or(Vec<Expr>),
    And(Vec<Expr>),
    Compare(Box<Expr>, Vec<(Order, Expr)>),
    Arithmetic(Box<Expr>, Vec<(Operator, Expr)>),
    Negate(Box<Expr>),
    Call(Function, Vec<Expr>),
}

/// What an expression yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Yields {
    Nodes,
    Number,
    Text,
    Truth,
}

impl Expr {
    fn yields(&self) -> Yields {
        match self {
            Expr::Number(_) | Expr::Arithmetic(..) | Expr::Negate(_) => Yields::Number,
            Expr::Literal(_) => Yields::Text,
            Expr::Path(path) => match &path.start {
                Start::Expr(expr, predicates) if path.steps.is_empty() && predicates.is_empty() => {
                    expr.yields()
                }
                _ => Yields::Nodes,
            },
            Expr::Union(_) => Yields::Nodes,
            Expr::Or(_) | Expr::And(_) | Expr::Compare(..) => Yields::Truth,
            Expr::Call(function, _) => function.yields(),
        }
    }
}

#[derive(Debug)]
struct Path {
    start: Start,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Start {
    Context,
    Root,
    /// The nodes of an expression that predicates leave, counted in document order.
    Expr(Expr, Vec<Expr>),
}

#[derive(Debug)]
struct Step {
    axis: Axis,
    test: Test,
    predicates: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

impl Axis {
    const ALL: [(&'static str, Axis); 12] = [
        ("ancestor", Axis::Ancestor),
        ("ancestor-or-self", Axis::AncestorOrSelf),
        ("attribute", Axis::Attribute),
        ("child", Axis::Child),
        ("descendant", Axis::Descendant),
        ("descendant-or-self", Axis::DescendantOrSelf),
        ("following", Axis::Following),
        ("following-sibling", Axis::FollowingSibling),
        ("parent", Axis::Parent),
        ("preceding", Axis::Preceding),
        ("preceding-sibling", Axis::PrecedingSibling),
        ("self", Axis::Itself),
    ];

    /// Whether positions count against document order.
    fn is_reverse(self) -> bool {
        use Axis::*;
        matches!(self, Ancestor | AncestorOrSelf | Preceding | PrecedingSibling)
    }
}

#[derive(Debug)]
enum Test {
    /// Elements, or attributes on their axis.
    Name {
        /// Any if there is none.
        uri: Option<Box<str>>,
        local: Option<Box<str>>,
    },
    Any,
    Text,
    Comment,
    Instruction(Option<Box<str>>),
}

/// A function, with what it yields and how many arguments it takes.
macro_rules! functions {
    ($($variant:ident $name:literal $yields:ident $least:literal..$most:expr;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Function {
            $($variant,)*
        }

        impl Function {
            fn find(name: &str) -> Option<Function> {
                match name {
                    $($name => Some(Function::$variant),)*
                    _ => None,
                }
            }

            fn yields(self) -> Yields {
                match self {
                    $(Function::$variant => Yields::$yields,)*
                }
            }

            fn arguments(self) -> std::ops::RangeInclusive<usize> {
                match self {
                    $(Function::$variant => $least..=$most,)*
                }
            }
        }
    };
}

functions! {
    Last "last" Number 0..0;
    Position "position" Number 0..0;
    Count "count" Number 1..1;
    LocalName "local-name" Text 0..1;
    NamespaceUri "namespace-uri" Text 0..1;
    Name "name" Text 0..1;
    String "string" Text 0..1;
    Concat "concat" Text 2..usize::MAX;
    StartsWith "starts-with" Truth 2..2;
    Contains "contains" Truth 2..2;
    SubstringBefore "substring-before" Text 2..2;
    SubstringAfter "substring-after" Text 2..2;
    Substring "substring" Text 2..3;
    StringLength "string-length" Number 0..1;
    NormalizeSpace "normalize-space" Text 0..1;
    Translate "translate" Text 3..3;
    Boolean "boolean" Truth 1..1;
    Not "not" Truth 1..1;
    True "true" Truth 0..0;
    False "false" Truth 0..0;
    Lang "lang" Truth 1..1;
    Number "number" Number 0..1;
    Sum "sum" Number 1..1;
    Floor "floor" Number 1..1;
    Ceiling "ceiling" Number 1..1;
    Round "round" Number 1..1;
}

impl Function {
    /// Whether its argument is a set of nodes.
    fn takes_nodes(self) -> bool {
        use Function::*;
        matches!(self, Count | Sum | LocalName | NamespaceUri | Name)
    }
}

/// Error 6603 for what is nested too deeply.
#[cold]
fn too_deep() -> SqlError {
    SqlError::new(&message::XML_PATTERN_INVALID, &[&"The expression is nested too deeply."])
}

#[cfg(test)]
mod tests;

//! From text to a typed expression, in one pass.
//!
//! A rule of the grammar returns an expression with its static type. An error of types or names is
//! kept and the parser goes on, since a syntax error further on goes before it.

mod call;
mod construct;
mod modify;
mod operate;
mod path;
pub(crate) mod scan;
mod schema;

use base::error::{SqlError, SqlResult};
use base::message::{self, Message};
use base::stack;

use crate::expr::*;
use crate::types::{AtomicType, ItemKind, NodeType, Occurs, Type};
use crate::{Body, Context, Outer, Purpose, Query};

/// How deep expressions may nest.
const DEPTH_MAX: usize = 128;
/// How many steps and clauses there may be.
const STEPS_MAX: usize = 4096;

pub(crate) const FUNCTIONS: &str = "http://www.w3.org/2004/07/xpath-functions";
pub(crate) const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
pub(crate) const DATATYPES: &str = "http://www.w3.org/2004/07/xpath-datatypes";
pub(crate) const SQL: &str = "urn:schemas-microsoft-com:xml-sql";

/// Prefixes that are always declared.
const PREDECLARED: [(&str, &str); 6] = [
    ("xml", base::xml::tree::XML_URI),
    ("xs", SCHEMA),
    ("xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xdt", DATATYPES),
    ("fn", FUNCTIONS),
    ("sql", SQL),
];

/// An expression and what it may yield.
struct Typed {
    expr: Expr,
    ty: Type,
}

struct Variable {
    name: String,
    slot: usize,
    ty: Type,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    context: &'a Context<'a>,
    /// The last declaration of a prefix counts.
    namespaces: Vec<(String, String)>,
    variables: Vec<Variable>,
    slots: usize,
    steps: usize,
    depth: usize,
    /// What `.` is.
    focus: Type,
    is_in_predicate: bool,
    saw_last: bool,
    /// How many nodes the steps before lead to.
    before: Occurs,
    /// The elements of the schemas by name; made when it is wanted.
    declared: Option<schema::Declared>,
    externals: Vec<Outer>,
    types: Vec<Option<AtomicType>>,
    /// The first error that is not of syntax.
    kept: Option<SqlError>,
}

pub(crate) fn compile(text: &str, purpose: Purpose, context: &Context<'_>) -> SqlResult<Query> {
    let mut parser = Parser {
        text,
        at: 0,
        context,
        namespaces: PREDECLARED.map(|(prefix, uri)| (prefix.into(), uri.into())).into(),
        variables: Vec::new(),
        slots: 0,
        steps: 0,
        depth: 0,
        focus: context.shape.ty.clone(),
        is_in_predicate: false,
        saw_last: false,
        before: Occurs::One,
        declared: None,
        externals: Vec::new(),
        types: Vec::new(),
        kept: None,
    };
    for (prefix, uri) in context.namespaces {
        parser.namespaces.push(((*prefix).into(), (*uri).into()));
    }
    parser.space()?;
    if parser.rest().is_empty() {
        return Err(SqlError::new(&message::XQUERY_EMPTY, &[]));
    }
    parser.prolog()?;
    let declared = parser.namespaces.clone();
    let (body, ty) = match purpose {
        Purpose::Modify => parser.modification()?,
        _ => {
            let mut result = parser.expr()?;
            parser.end()?;
            if purpose == Purpose::Value {
                result = parser.values(result);
            }
            parser.check_result(purpose, &result.ty);
            (Body::Expr(result.expr), result.ty)
        }
    };
    if let Some(error) = parser.kept {
        return Err(error);
    }
    let prefixes = declared.iter().skip(PREDECLARED.len()).rev();
    let prefixes = prefixes.chain(declared[..PREDECLARED.len()].iter()).cloned().collect();
    let Parser { externals, types, slots: variables, steps, .. } = parser;
    let is_typed = context.shape.is_typed;
    let (schema, place) = (context.shape.schema.clone(), context.shape.place.clone());
    Ok(Query { body, ty, is_typed, schema, place, externals, types, variables, steps, prefixes })
}

impl<'a> Parser<'a> {
    fn error(&self, message: &Message, args: &[&dyn std::fmt::Display]) -> SqlError {
        let bracket = format!("XQuery [{}]: ", self.context.receiver);
        let mut all: Vec<&dyn std::fmt::Display> = vec![&bracket];
        all.extend(args);
        SqlError::new(message, &all)
    }

    /// Keeps an error that is raised if the syntax is right.
    fn keep(&mut self, message: &Message, args: &[&dyn std::fmt::Display]) {
        if self.kept.is_none() && !self.context.is_checked {
            self.kept = Some(self.error(message, args));
        }
    }

    fn unsupported(&self, what: &str) -> SqlError {
        self.error(&message::XQUERY_UNSUPPORTED, &[&what])
    }

    fn too_complex(&self) -> SqlError {
        self.error(&message::XQUERY_TOO_COMPLEX, &[])
    }

    fn enter(&mut self) -> SqlResult<()> {
        self.depth += 1;
        match self.depth <= DEPTH_MAX && stack::deeper() {
            true => Ok(()),
            false => Err(self.too_complex()),
        }
    }

    fn count_step(&mut self) -> SqlResult<usize> {
        self.steps += 1;
        match self.steps <= STEPS_MAX {
            true => Ok(self.steps - 1),
            false => Err(self.too_complex()),
        }
    }

    fn end(&mut self) -> SqlResult<()> {
        self.space()?;
        match self.rest().is_empty() {
            true => Ok(()),
            false => Err(self.syntax()?),
        }
    }

    /// The URI that a prefix stands for; error 2229 is kept.
    fn namespace(&mut self, prefix: &str) -> String {
        let found = self.namespaces.iter().rev().find(|(known, _)| known == prefix);
        match found {
            Some((_, uri)) => uri.clone(),
            None if prefix.is_empty() => String::new(),
            None => {
                self.keep(&message::XQUERY_NO_NAMESPACE, &[&prefix]);
                String::new()
            }
        }
    }

    fn prolog(&mut self) -> SqlResult<()> {
        let start = self.at;
        if self.takes_word("xquery")? {
            if !self.takes_word("version")? {
                self.at = start;
                return Ok(());
            }
            if self.string_literal()? != "1.0" {
                return Err(self.error(&message::XQUERY_VERSION, &[]));
            }
            self.end_of_entry()?;
        }
        let mut declared: Vec<String> = Vec::new();
        loop {
            let start = self.at;
            if !self.takes_word("declare")? {
                return Ok(());
            }
            let prefix = if self.takes_word("namespace")? {
                self.space()?;
                let Some(prefix) = self.simple_name() else {
                    return Err(self.syntax()?);
                };
                if !self.takes("=")? {
                    return Err(self.error(&message::XQUERY_EXPECTED, &[&"="]));
                }
                prefix
            } else if self.takes_words(&["default", "element", "namespace"])? {
                let _ = self.takes("=")?;
                String::new()
            } else if self.takes_words(&["default", "function", "namespace"])? {
                let _ = self.takes("=")?;
                self.string_literal()?;
                self.end_of_entry()?;
                continue;
            } else if self.sees_word("function")? {
                return Err(self.unsupported("declare function"));
            } else if self.sees_word("variable")? {
                return Err(self.unsupported("declare variable"));
            } else {
                // A path may begin with this name.
                self.at = start;
                let is_name = self.text[self.at..].trim_start().strip_prefix("declare");
                let is_path =
                    is_name.is_some_and(|rest| !rest.trim_start().starts_with(scan::is_name_start));
                return if is_path { Ok(()) } else { Err(self.syntax()?) };
            };
            let uri = self.string_literal()?;
            self.end_of_entry()?;
            if declared.contains(&prefix) {
                self.keep(&message::XQUERY_REDEFINED_PREFIX, &[&prefix]);
            }
            if (prefix == "xml") != (uri == base::xml::tree::XML_URI) {
                self.keep(&message::XQUERY_XML_PREFIX, &[]);
            }
            declared.push(prefix.clone());
            self.namespaces.push((prefix, uri));
        }
    }

    fn end_of_entry(&mut self) -> SqlResult<()> {
        if self.takes(";")? {
            return Ok(());
        }
        let token = self.token()?;
        Err(self.error(&message::XQUERY_PROLOG_END, &[&token]))
    }

    /// What a method demands of its query.
    fn check_result(&mut self, purpose: Purpose, ty: &Type) {
        if ty.item == ItemKind::Xml {
            return self.keep(&message::XQUERY_XML_SOURCE, &[]);
        }
        match purpose {
            Purpose::Query => {
                if ty.node_type().is_some_and(NodeType::is_attribute) {
                    self.keep(&message::XQUERY_TOP_ATTRIBUTE, &[]);
                }
            }
            Purpose::Value => {
                self.atomized(ty);
                self.check_single("value()", &ty.data());
            }
            Purpose::Nodes if ty.is_constructed => {
                self.keep(&message::XQUERY_CONSTRUCTED, &[&"'nodes()'"]);
            }
            Purpose::Nodes => {
                if !ty.is_empty() && ty.node_type().is_none() {
                    self.keep(&message::XQUERY_NODES_REQUIRED, &[&"nodes()"]);
                }
            }
            Purpose::Exist | Purpose::Modify => {}
        }
    }

    /// Error 2389 unless there is one item at most.
    fn check_single(&mut self, what: &str, ty: &Type) {
        if ty.occurs.is_many() {
            self.keep(&message::XQUERY_SINGLETON, &[&what, ty]);
        }
    }

    /// The type of atomic values of items of this type. Errors 2373, 9342.
    fn atomized(&mut self, ty: &Type) -> Type {
        if ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED, &[&"data()"]);
        }
        if ty.item == ItemKind::Xml {
            self.keep(&message::XQUERY_XML_SOURCE, &[]);
        }
        ty.data()
    }

    /// Error 2204 unless this can be a condition.
    fn check_condition(&mut self, ty: &Type) {
        let is_condition = match &ty.item {
            ItemKind::Empty | ItemKind::Node(_) => true,
            ItemKind::Atomic(ty2) => *ty2 == AtomicType::Boolean && !ty.occurs.is_many(),
            ItemKind::Xml => false,
        };
        if !is_condition {
            self.keep(&message::XQUERY_CONDITION, &[ty]);
        }
    }

    /// Expressions with commas between them.
    fn expr(&mut self) -> SqlResult<Typed> {
        let first = self.single()?;
        if !self.sees(",")? {
            return Ok(first);
        }
        let mut ty = first.ty;
        let mut all = vec![first.expr];
        while self.takes(",")? {
            let next = self.single()?;
            ty = self.joined(ty, next.ty);
            all.push(next.expr);
        }
        Ok(Typed { expr: Expr::Sequence(all), ty })
    }

    /// The type of one sequence after another. Error 2210.
    fn joined(&mut self, first: Type, second: Type) -> Type {
        let occurs = match (first.occurs, second.occurs) {
            _ if first.is_empty() => return second,
            _ if second.is_empty() => return first,
            (Occurs::One | Occurs::Plus, _) | (_, Occurs::One | Occurs::Plus) => Occurs::Plus,
            _ => Occurs::Many,
        };
        let mut ty = self.united(first, second);
        (ty.occurs, ty.is_sorted, ty.is_disjoint) = (occurs, false, false);
        ty
    }

    /// The type of what has one type or the other. Error 2210.
    fn united(&mut self, first: Type, second: Type) -> Type {
        let occurs = first.occurs.either(second.occurs);
        let (a, b) = (first.is_sorted && second.is_sorted, first.is_disjoint && second.is_disjoint);
        let is_constructed = first.is_constructed || second.is_constructed;
        let schema = match first.schema.is_empty() || second.schema.is_empty() {
            true => Vec::new(),
            false => [&first.schema[..], &second.schema[..]].concat(),
        };
        let item = match (first.item.clone(), second.item.clone()) {
            (ItemKind::Empty, _) => return second.clone().with_occurs(second.occurs.thinned()),
            (_, ItemKind::Empty) => return first.clone().with_occurs(first.occurs.thinned()),
            (a, b) if a == b => a,
            (ItemKind::Node(a), ItemKind::Node(b)) => ItemKind::Node(a.with(b)),
            (ItemKind::Atomic(a), ItemKind::Atomic(b)) => ItemKind::Atomic(match () {
                () if a.is_derived_from(b) => b,
                () if b.is_derived_from(a) => a,
                () => AtomicType::Any,
            }),
            (ItemKind::Node(_), ItemKind::Atomic(_)) => {
                self.keep(&message::XQUERY_HETEROGENEOUS, &[&second, &first]);
                second.item
            }
            (ItemKind::Atomic(_), _) => {
                self.keep(&message::XQUERY_HETEROGENEOUS, &[&first, &second]);
                first.item
            }
            (ItemKind::Xml, other) | (other, ItemKind::Xml) => other,
        };
        let shown = first.shown.filter(|shown| Some(shown) == second.shown.as_ref());
        Type {
            item,
            occurs,
            is_constructed,
            is_sorted: a,
            is_disjoint: b,
            schema,
            has_parts: first.has_parts || second.has_parts,
            is_nillable: first.is_nillable || second.is_nillable,
            shown,
        }
    }

    /// One expression without commas around it.
    fn single(&mut self) -> SqlResult<Typed> {
        self.enter()?;
        self.space()?;
        let start = self.at;
        let word = self.simple_name().unwrap_or_default();
        self.space()?;
        let next = self.peek();
        self.at = start;
        let result = match (word.as_str(), next) {
            ("for" | "let", Some('$')) => self.flwor(),
            ("some" | "every", Some('$')) => self.quantified(),
            ("if", Some('(')) => self.conditional(),
            ("typeswitch", Some('(')) => Err(self.unsupported("typeswitch")),
            _ => self.disjunction(),
        };
        self.depth -= 1;
        result
    }

    /// The name of a variable, without its dollar sign.
    fn variable_name(&mut self) -> SqlResult<String> {
        if !self.takes("$")? {
            return Err(self.error(&message::XQUERY_VARIABLE_EXPECTED, &[]));
        }
        self.space()?;
        match self.name() {
            Some(name) if name.prefix.is_empty() => Ok(name.local),
            Some(_) => Err(self.error(&message::XQUERY_VARIABLE_COLON, &[])),
            None => Err(self.syntax()?),
        }
    }

    /// One variable of a clause. How many items it adds is returned as well.
    fn binding(&mut self, keyword: &str, joint: &str) -> SqlResult<(Clause, Occurs)> {
        self.count_step()?;
        let name = self.variable_name()?;
        let is_loop = keyword != "let";
        if self.sees_word("as")? {
            return Err(self.unsupported("as"));
        }
        if is_loop && self.sees_word("at")? {
            return Err(self.unsupported("at"));
        }
        let is_joint = if joint == "in" { self.takes_word("in")? } else { self.takes(joint)? };
        if !is_joint {
            return Err(match keyword {
                "some" | "every" => self.expected(joint)?,
                _ => self.error(&message::XQUERY_EXPECTED, &[&joint]),
            });
        }
        let Typed { expr, mut ty } = self.single()?;
        if ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED, &[&format!("'{keyword}'")]);
            ty.is_constructed = false;
        }
        if ty.item == ItemKind::Xml {
            self.keep(&message::XQUERY_XML_SOURCE, &[]);
        }
        let occurs = ty.occurs;
        if is_loop {
            ty = ty.with_occurs(Occurs::One);
            (ty.is_sorted, ty.is_disjoint) = (true, true);
        }
        let slot = self.slots;
        self.slots += 1;
        self.variables.push(Variable { name, slot, ty });
        Ok((Clause { slot, source: expr, is_loop }, if is_loop { occurs } else { Occurs::One }))
    }

    fn flwor(&mut self) -> SqlResult<Typed> {
        let scope = self.variables.len();
        let depth = self.depth;
        let mut clauses = Vec::new();
        let mut occurs = Occurs::One;
        loop {
            let (keyword, joint) = if self.takes_word("for")? {
                ("for", "in")
            } else if self.takes_word("let")? {
                ("let", ":=")
            } else {
                break;
            };
            loop {
                self.enter()?;
                let (clause, count) = self.binding(keyword, joint)?;
                occurs = occurs.times(count);
                clauses.push(clause);
                if !self.takes(",")? {
                    break;
                }
            }
        }
        let mut condition = None;
        let is_plain = !self.sees_word("where")?
            && !self.sees_word("stable")?
            && !self.sees_word("order")?
            && !self.sees_word("return")?;
        if is_plain {
            let token = self.token()?;
            return Err(self.error(&message::XQUERY_FLWOR_CLAUSE, &[&token]));
        }
        if self.takes_word("where")? {
            let Typed { expr, ty } = self.single()?;
            self.check_condition(&ty);
            condition = Some(expr);
        }
        let mut keys = Vec::new();
        if self.takes_words(&["stable", "order", "by"])? || self.takes_words(&["order", "by"])? {
            loop {
                keys.push(self.order_key()?);
                if !self.takes(",")? {
                    break;
                }
            }
        }
        if !self.takes_word("return")? {
            return Err(self.expected("return")?);
        }
        let Typed { expr: result, mut ty } = self.single()?;
        self.variables.truncate(scope);
        self.depth = depth;
        let is_one = clauses.iter().all(|clause| !clause.is_loop);
        ty.occurs = if ty.is_empty() { ty.occurs } else { ty.occurs.times(occurs) };
        (ty.is_sorted, ty.is_disjoint) = (ty.is_sorted && is_one, ty.is_disjoint && is_one);
        let flwor = Flwor { clauses, condition, keys, result };
        Ok(Typed { expr: Expr::Flwor(Box::new(flwor)), ty })
    }

    fn order_key(&mut self) -> SqlResult<Key> {
        let key = self.single()?;
        let Typed { expr, ty } = self.values(key);
        let data = self.atomized(&ty);
        self.check_single("order by", &data);
        let is_descending = self.takes_word("descending")?;
        if !is_descending {
            self.takes_word("ascending")?;
        }
        for words in [["empty", "greatest"], ["empty", "least"]] {
            if self.takes_words(&words)? {
                return Err(self.unsupported(&words.join(" ")));
            }
        }
        if self.sees_word("collation")? {
            return Err(self.unsupported("collation"));
        }
        Ok(Key { expr, is_descending })
    }

    fn quantified(&mut self) -> SqlResult<Typed> {
        let scope = self.variables.len();
        let depth = self.depth;
        let is_every = self.takes_word("every")?;
        if !is_every {
            self.takes_word("some")?;
        }
        let keyword = if is_every { "every" } else { "some" };
        let mut clauses = Vec::new();
        loop {
            self.enter()?;
            clauses.push(self.binding(keyword, "in")?.0);
            if !self.takes(",")? {
                break;
            }
        }
        if !self.takes_word("satisfies")? {
            return Err(self.expected("satisfies")?);
        }
        let Typed { expr: test, ty } = self.single()?;
        self.check_condition(&ty);
        self.variables.truncate(scope);
        self.depth = depth;
        let quantified = Quantified { is_every, clauses, test };
        let expr = Expr::Quantified(Box::new(quantified));
        Ok(Typed { expr, ty: Type::one(AtomicType::Boolean) })
    }

    fn conditional(&mut self) -> SqlResult<Typed> {
        self.takes_word("if")?;
        self.expect("(")?;
        let condition = self.expr()?;
        self.check_condition(&condition.ty);
        self.expect(")")?;
        if !self.takes_word("then")? {
            return Err(self.expected("then")?);
        }
        let yes = self.single()?;
        if !self.takes_word("else")? {
            return Err(self.expected("else")?);
        }
        let no = self.single()?;
        let ty = self.united(yes.ty, no.ty);
        Ok(Typed { expr: Expr::If(Box::new([condition.expr, yes.expr, no.expr])), ty })
    }
}

//! Paths, steps, predicates and the expressions that paths begin with.

use base::error::SqlResult;
use base::message;

use super::scan::{Written, is_name_start};
use super::{Parser, Typed};
use crate::atomic::{Atomic, UNIT};
use crate::expr::*;
use crate::types::{AtomicType, ItemKind, NodeType, Occurs, Type};

/// What a path begins with.
enum Start {
    Step(Step, Type),
    Primary(Typed),
}

/// A path that grows.
struct Growing {
    base: Expr,
    steps: Vec<Step>,
    is_unsorted: bool,
    ty: Type,
}

const KINDS: [&str; 4] = ["node", "text", "comment", "processing-instruction"];

impl Parser<'_> {
    pub(super) fn path(&mut self) -> SqlResult<Typed> {
        let depth = self.depth;
        let path = self.path_inside();
        self.depth = depth;
        path
    }

    fn path_inside(&mut self) -> SqlResult<Typed> {
        self.space()?;
        let document = || Type::node(NodeType::Document);
        let mut path = if self.rest().starts_with('/') {
            let is_deep = self.takes("//")?;
            if !is_deep {
                self.takes("/")?;
            }
            self.before = Occurs::One;
            let mut path = Growing::new(Expr::Root, document());
            if self.sees_step()? {
                self.step(&mut path, is_deep)?;
            } else if is_deep {
                return Err(self.no_step()?);
            }
            path
        } else if self.sees_step()? {
            let focus = self.focus.clone();
            self.before = focus.occurs;
            let start = self.start(&focus)?;
            match start {
                Start::Primary(Typed { expr, ty }) => Growing::new(expr, ty),
                Start::Step(step, ty) => {
                    let mut path = Growing::new(Expr::Context, focus);
                    self.check_path(&path.ty);
                    path.push(step, ty);
                    path
                }
            }
        } else {
            return Err(self.syntax()?);
        };
        loop {
            let is_deep = self.takes("//")?;
            if !is_deep && !self.takes("/")? {
                return Ok(path.finish());
            }
            if !self.sees_step()? {
                return Err(self.no_step()?);
            }
            self.check_path(&path.ty);
            self.step(&mut path, is_deep)?;
        }
    }

    fn no_step(&mut self) -> SqlResult<base::error::SqlError> {
        let token = self.token()?;
        Ok(self.error(&message::XQUERY_STEP, &[&token]))
    }

    /// Errors 2373 and 2374 unless steps can be taken from these items.
    fn check_path(&mut self, ty: &Type) {
        if ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED, &[&"'/'"]);
        } else if ty.node_type().is_none() && !ty.is_empty() {
            self.keep(&message::XQUERY_NODES_REQUIRED, &[&"'/'"]);
        }
    }

    fn sees_step(&mut self) -> SqlResult<bool> {
        self.space()?;
        Ok(match self.peek() {
            Some('@' | '.' | '*' | '(' | '$' | '"' | '\'' | '0'..='9') => true,
            Some('<') => {
                let next = self.rest()[1..].chars().next();
                next.is_some_and(|c| is_name_start(c) || matches!(c, '!' | '?'))
            }
            Some(c) => is_name_start(c),
            None => false,
        })
    }

    /// A step after a slash.
    fn step(&mut self, path: &mut Growing, is_deep: bool) -> SqlResult<()> {
        let mut focus = path.ty.clone().with_occurs(Occurs::One);
        self.before = path.ty.occurs;
        if is_deep {
            let whole = NodeType::any();
            let base = focus.node_type().cloned();
            focus = Type::node(base.map_or(whole.clone(), |base| base.with(whole)));
        }
        let (step, ty) = match self.start(&focus)? {
            Start::Step(step, ty) => (step, ty),
            Start::Primary(Typed { expr: Expr::Context, .. }) => {
                return if is_deep { self.descend(path) } else { Ok(()) };
            }
            Start::Primary(Typed { expr, .. }) => {
                return Err(self.unsupported(match expr {
                    Expr::Call(..) | Expr::Cast(..) => "/function()",
                    _ => "/()",
                }));
            }
        };
        let is_positional = |predicate: &Predicate| !matches!(predicate, Predicate::Test(_));
        let is_free = |step: &Step| {
            !step.predicates.needs_last
                && !step.predicates.list.iter().any(|p| is_positional(p) || uses_position(p))
        };
        if !is_deep {
            path.push(step, ty);
        } else if step.axis == Axis::Child && is_free(&step) {
            path.push(Step { axis: Axis::Descendant, ..step }, ty.with_occurs(Occurs::Many));
        } else {
            self.descend(path)?;
            path.push(step, ty);
        }
        Ok(())
    }

    /// The step that two slashes are short for.
    fn descend(&mut self, path: &mut Growing) -> SqlResult<()> {
        let (number, predicates) = (self.count_step()?, Predicates::default());
        let all = Step { axis: Axis::DescendantOrSelf, test: NodeTest::Any, number, predicates };
        let own = path.ty.node_type().cloned();
        let whole = own.map_or(NodeType::any(), |own| own.with(NodeType::any()));
        path.push(all, Type::node(whole).with_occurs(Occurs::Many));
        Ok(())
    }

    /// What a path begins with, or a step whose context is of this type.
    fn start(&mut self, focus: &Type) -> SqlResult<Start> {
        self.space()?;
        let start = self.at;
        match self.peek() {
            Some('@') => {
                self.at += 1;
                self.space()?;
                return self.axis_step(Axis::Attribute, focus);
            }
            Some('*') => return self.axis_step(Axis::Child, focus),
            Some('.') if self.rest().starts_with("..") => {
                self.at += 2;
                return self.finish_step(Axis::Parent, NodeTest::Any, "node()", focus);
            }
            Some('.') if !self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.at += 1;
                if self.rest().starts_with(super::scan::is_name_char) {
                    return Err(self.syntax()?);
                }
                // As a step, it keeps the nodes as they are.
                let typed = Typed { expr: Expr::Context, ty: focus.clone() };
                return match self.sees("[")? || !matches!(focus.item, ItemKind::Node(_)) {
                    true => self.primary(typed),
                    false => Ok(Start::Primary(typed)),
                };
            }
            Some('<') => {
                let constructed = self.direct_constructor()?;
                return self.primary(constructed);
            }
            Some('(') => {
                self.at += 1;
                let inner = if self.sees(")")? {
                    Typed { expr: Expr::Sequence(Vec::new()), ty: Type::empty() }
                } else {
                    self.expr()?
                };
                self.expect(")")?;
                return self.primary(inner);
            }
            Some('$') => {
                let name = self.variable_name()?;
                let known = self.variables.iter().rev().find(|known| known.name == name);
                let typed = match known {
                    Some(known) => Typed { expr: Expr::Variable(known.slot), ty: known.ty.clone() },
                    None => {
                        let name = format!("${name}");
                        self.keep(&message::XQUERY_NO_VARIABLE, &[&name]);
                        Typed { expr: Expr::Sequence(Vec::new()), ty: Type::empty() }
                    }
                };
                return self.primary(typed);
            }
            Some('"' | '\'') => {
                let text = self.string_literal()?;
                let expr = Expr::Constant(Atomic::string(text));
                return self.primary(Typed { expr, ty: Type::one(AtomicType::String) });
            }
            Some('0'..='9' | '.') => {
                let number = self.number()?;
                return self.primary(number);
            }
            _ => {}
        }
        let Some(name) = self.name() else {
            return Err(self.syntax()?);
        };
        if self.rest().starts_with(":*") {
            self.at = start;
            return self.axis_step(Axis::Child, focus);
        }
        if self.rest().starts_with("::") && name.prefix.is_empty() {
            self.at += 2;
            let axis = match name.local.as_str() {
                "child" => Axis::Child,
                "attribute" => Axis::Attribute,
                "self" => Axis::Itself,
                "parent" => Axis::Parent,
                "descendant" => Axis::Descendant,
                "descendant-or-self" => Axis::DescendantOrSelf,
                "ancestor" | "ancestor-or-self" | "following" | "following-sibling"
                | "preceding" | "preceding-sibling" => {
                    return Err(self.unsupported(&name.local));
                }
                other => return Err(self.error(&message::XQUERY_AXIS, &[&other])),
            };
            self.space()?;
            return self.axis_step(axis, focus);
        }
        if name.prefix.is_empty() {
            if let Some(typed) = self.computed_constructor(&name.local)? {
                return self.primary(typed);
            }
        }
        if self.sees("(")? {
            let is_kind = KINDS.contains(&name.local.as_str())
                || matches!(name.local.as_str(), "element" | "attribute" | "document-node");
            if is_kind && name.prefix.is_empty() {
                self.at = start;
                return self.axis_step(Axis::Child, focus);
            }
            let call = self.call(&name)?;
            return self.primary(call);
        }
        self.at = start;
        self.axis_step(Axis::Child, focus)
    }

    fn primary(&mut self, mut value: Typed) -> SqlResult<Start> {
        if !self.sees("[")? {
            return Ok(Start::Primary(value));
        }
        if value.ty.is_constructed {
            self.keep(&message::XQUERY_CONSTRUCTED, &[&"'[]'"]);
        }
        let focus = value.ty.clone().with_occurs(Occurs::One);
        let (predicates, narrows) = self.predicates(&focus)?;
        value.ty.occurs = if narrows { Occurs::Optional } else { value.ty.occurs.thinned() };
        let expr = Expr::Filter(Box::new(value.expr), predicates);
        Ok(Start::Primary(Typed { expr, ty: value.ty }))
    }

    fn number(&mut self) -> SqlResult<Typed> {
        let rest = self.rest();
        let whole = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let mut end = whole;
        if rest[end..].starts_with('.') {
            let fraction = &rest[end + 1..];
            end += 1 + fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        }
        let is_decimal = end > whole;
        let mut is_double = false;
        if rest[end..].starts_with(['e', 'E']) {
            let exponent = rest[end + 1..].trim_start_matches(['+', '-']);
            let sign = rest.len() - end - 1 - exponent.len();
            let digits = exponent.find(|c: char| !c.is_ascii_digit()).unwrap_or(exponent.len());
            if sign <= 1 && digits > 0 {
                end += 1 + sign + digits;
                is_double = true;
            }
        }
        let text = &rest[..end];
        let invalid = || self.error(&message::XQUERY_NUMBER, &[]);
        if rest[end..].starts_with(is_name_start) {
            return Err(invalid());
        }
        let ty = match (is_double, is_decimal) {
            (true, _) => AtomicType::Double,
            (_, true) => AtomicType::Decimal,
            _ => AtomicType::Integer,
        };
        if !is_double && text[..whole].trim_start_matches('0').len() > 28 {
            return Err(invalid());
        }
        let value = Atomic::string(text.to_string()).cast(ty).ok_or_else(invalid)?;
        self.at += end;
        Ok(Typed { expr: Expr::Constant(value), ty: Type::one(ty) })
    }

    /// What stands in the parentheses of a kind test.
    pub(super) fn kind_argument(&mut self, kind: &Written) -> SqlResult<Option<Written>> {
        if self.sees(")")? || self.takes("*")? {
            return Ok(None);
        }
        if kind.local == "processing-instruction" {
            if let Some(local) = self.string()? {
                return Ok(Some(Written { prefix: String::new(), local }));
            }
        }
        let takes_name =
            matches!(kind.local.as_str(), "processing-instruction" | "element" | "attribute");
        match takes_name.then(|| self.name()).flatten() {
            Some(name) => Ok(Some(name)),
            None => Err(self.expected(")")?),
        }
    }

    pub(super) fn name_test(&mut self, name: &Written, is_attribute: bool) -> NameTest {
        let uri = match is_attribute && name.prefix.is_empty() {
            true => String::new(),
            false => self.namespace(&name.prefix),
        };
        NameTest { uri: Some(uri.into()), local: Some(name.local.as_str().into()) }
    }

    /// A node test and predicates.
    fn axis_step(&mut self, axis: Axis, focus: &Type) -> SqlResult<Start> {
        let is_attribute = axis == Axis::Attribute;
        if self.takes("*")? {
            let mut local = None;
            let mut shown = "*".to_string();
            if self.rest().starts_with(':') && !self.rest().starts_with("::") {
                self.at += 1;
                let Some(name) = self.simple_name() else {
                    return Err(self.syntax()?);
                };
                shown = name.clone();
                local = Some(name.into_boxed_str());
            }
            let test = NodeTest::Name(NameTest { uri: None, local });
            return self.finish_step(axis, test, &shown, focus);
        }
        let Some(name) = self.name() else {
            let token = self.token()?;
            return Err(self.error(&message::XQUERY_NODE_TEST, &[&token]));
        };
        if self.rest().starts_with(":*") {
            self.at += 2;
            let uri = Some(self.namespace(&name.local).into_boxed_str());
            let test = NodeTest::Name(NameTest { uri, local: None });
            return self.finish_step(axis, test, &format!("{}:*", name.local), focus);
        }
        if name.prefix.is_empty() && self.takes("(")? {
            let argument = self.kind_argument(&name)?;
            self.expect(")")?;
            let shown = format!("{name}()");
            let test = match (name.local.as_str(), argument) {
                ("node", _) => NodeTest::Any,
                ("text", _) => NodeTest::Text,
                ("comment", _) => NodeTest::Comment,
                ("processing-instruction", name) => {
                    NodeTest::Instruction(name.map(|name| name.local.into()))
                }
                ("element", None) => NodeTest::Element,
                ("attribute", None) => NodeTest::Attribute,
                ("element" | "attribute", Some(_)) => {
                    return Err(self.unsupported(&format!("{name}(name)")));
                }
                ("document-node", _) => NodeTest::Document,
                _ => return Err(self.syntax()?),
            };
            return self.finish_step(axis, test, &shown, focus);
        }
        let test = NodeTest::Name(self.name_test(&name, is_attribute));
        self.finish_step(axis, test, &name.to_string(), focus)
    }

    fn finish_step(
        &mut self,
        axis: Axis,
        test: NodeTest,
        shown: &str,
        focus: &Type,
    ) -> SqlResult<Start> {
        let number = self.count_step()?;
        let own = focus.node_type().cloned().unwrap_or_else(NodeType::any);
        self.check_step(axis, &test, shown, &own, focus);
        let node = match (&test, axis) {
            (_, Axis::Attribute) => {
                NodeType::Attribute(if shown.ends_with(')') { "*" } else { shown }.into())
            }
            (NodeTest::Name(_), Axis::Itself | Axis::DescendantOrSelf) if own.is_attribute() => own,
            (NodeTest::Name(_), _) => NodeType::Element(shown.into()),
            (NodeTest::Element, _) => NodeType::Element("*".into()),
            (NodeTest::Attribute, _) => NodeType::Attribute("*".into()),
            (NodeTest::Document, _) => NodeType::Document,
            (NodeTest::Text, _) => NodeType::Text,
            (NodeTest::Comment, _) => NodeType::Comment,
            (NodeTest::Instruction(_), _) => NodeType::Instruction,
            (NodeTest::Any, Axis::Itself) => own,
            (NodeTest::Any, Axis::Parent) => NodeType::Element("*".into()).with(NodeType::Document),
            (NodeTest::Any, Axis::DescendantOrSelf) => own.with(NodeType::any()),
            (NodeTest::Any, _) => NodeType::any(),
        };
        let is_named =
            matches!(&test, NodeTest::Name(name) if name.local.is_some() && name.uri.is_some());
        let mut occurs = match axis {
            Axis::Child | Axis::Descendant | Axis::DescendantOrSelf => Occurs::Many,
            Axis::Attribute if is_named => Occurs::Optional,
            Axis::Attribute => Occurs::Many,
            Axis::Itself if matches!(test, NodeTest::Any) => Occurs::One,
            Axis::Itself | Axis::Parent => Occurs::Optional,
        };
        self.check_text_step(axis, &test, focus);
        let mut ty = Type::node(node);
        if let Some(known) = self.by_schema(axis, &test, shown, focus) {
            occurs = known.occurs;
            ty.shown = self.shown_node(&test, shown, &known.types);
            ty.is_nillable = known.is_nillable;
            ty.schema = known.types;
        }
        let (predicates, narrows) = self.predicates(&ty)?;
        if narrows {
            occurs = Occurs::Optional;
        } else if !predicates.list.is_empty() {
            occurs = occurs.thinned();
        }
        Ok(Start::Step(Step { axis, test, number, predicates }, ty.with_occurs(occurs)))
    }

    /// Errors for steps that lead nowhere.
    fn check_step(
        &mut self,
        axis: Axis,
        test: &NodeTest,
        shown: &str,
        own: &NodeType,
        focus: &Type,
    ) {
        let is_named = matches!(test, NodeTest::Name(_));
        let has_attributes = !own.all(|ty| !matches!(ty, NodeType::Element(_)));
        match axis {
            Axis::Parent if own.all(|ty| *ty == NodeType::Document) => {
                self.keep(&message::XQUERY_PARENT_OF_DOCUMENT, &[]);
            }
            Axis::Attribute if !has_attributes => {
                self.keep(&message::XQUERY_NO_ATTRIBUTE, &[&shown, focus]);
            }
            Axis::Child | Axis::Descendant if !own.has_children() => match is_named {
                true => self.keep(&message::XQUERY_NO_ELEMENT, &[&shown, focus]),
                false => self.keep(&message::XQUERY_STATICALLY_EMPTY, &[&shown]),
            },
            Axis::Itself if is_named => {
                let can = |ty: &NodeType| match ty {
                    NodeType::Element(name) => {
                        name == "*" || name == shown || shown.contains('*') || name.contains('*')
                    }
                    _ => false,
                };
                if own.all(|ty| !can(ty)) {
                    self.keep(&message::XQUERY_NO_ELEMENT, &[&shown, &focus]);
                }
            }
            _ => {}
        }
    }

    /// Predicates that follow, and whether one leaves a single item.
    fn predicates(&mut self, focus: &Type) -> SqlResult<(Predicates, bool)> {
        let mut predicates = Predicates::default();
        let mut narrows = false;
        while self.takes("[")? {
            let outer = (self.is_in_predicate, self.saw_last);
            let before = std::mem::replace(&mut self.focus, focus.clone());
            (self.is_in_predicate, self.saw_last) = (true, false);
            let Typed { expr, ty } = self.single()?;
            self.expect("]")?;
            self.focus = before;
            predicates.needs_last |= self.saw_last;
            (self.is_in_predicate, self.saw_last) = outer;
            let is_single = !ty.occurs.is_many();
            predicates.list.push(match &ty.item {
                ItemKind::Atomic(number) if number.is_numeric() && is_single => {
                    narrows = true;
                    match expr {
                        Expr::Constant(Atomic::Exact(_, value)) if value % UNIT == 0 => {
                            Predicate::Position(u64::try_from(value / UNIT).unwrap_or(0))
                        }
                        expr => Predicate::Number(expr),
                    }
                }
                ItemKind::Atomic(AtomicType::Boolean) if is_single => {
                    if let Expr::Compare(compare) = &expr {
                        let is_position =
                            |expr: &Expr| matches!(expr, Expr::Call(Function::Position, ..));
                        narrows |= compare.order == Order::Equal
                            && (is_position(&compare.left) || is_position(&compare.right));
                    }
                    Predicate::Test(expr)
                }
                ItemKind::Empty | ItemKind::Node(_) => Predicate::Test(expr),
                _ => {
                    self.keep(&message::XQUERY_PREDICATE, &[&ty]);
                    Predicate::Test(expr)
                }
            });
        }
        Ok((predicates, narrows))
    }
}

/// Whether a predicate may ask for the position of its item. Nested expressions count as if they
/// did.
fn uses_position(predicate: &Predicate) -> bool {
    fn is_free(expr: &Expr) -> bool {
        match expr {
            Expr::Constant(_) | Expr::Variable(_) | Expr::Context | Expr::Root => true,
            Expr::External(_) => true,
            Expr::Path(path) => is_free(&path.base),
            Expr::And(all) | Expr::Or(all) | Expr::Sequence(all) => all.iter().all(is_free),
            Expr::Compare(compare) => is_free(&compare.left) && is_free(&compare.right),
            Expr::Filter(base, _) => is_free(base),
            Expr::Values(values) => is_free(&values.nodes),
            Expr::Call(Function::Position | Function::Last, ..) => false,
            Expr::Call(_, _, arguments) => arguments.iter().all(is_free),
            _ => false,
        }
    }
    match predicate {
        Predicate::Position(_) => true,
        Predicate::Number(expr) | Predicate::Test(expr) => !is_free(expr),
    }
}

impl Growing {
    fn new(base: Expr, ty: Type) -> Growing {
        Growing { base, steps: Vec::new(), is_unsorted: false, ty }
    }

    /// Adds a step. Where it needs its context in order, what there is so far is sorted first.
    fn push(&mut self, step: Step, ty: Type) {
        let is_single = !self.ty.occurs.is_many();
        if !is_single && !self.ty.is_sorted {
            // The base's own order does not count: a path is in document order.
            self.split();
        }
        let (is_sorted, is_disjoint) = match step.axis {
            _ if is_single && matches!(step.axis, Axis::Parent) => (true, true),
            Axis::Child => (self.ty.is_disjoint || is_single, self.ty.is_disjoint || is_single),
            Axis::Attribute => (true, true),
            Axis::Itself => (true, self.ty.is_disjoint),
            Axis::Parent => (false, false),
            Axis::Descendant | Axis::DescendantOrSelf => (self.ty.is_disjoint || is_single, false),
        };
        self.steps.push(step);
        self.is_unsorted |= !is_sorted;
        let occurs = self.ty.occurs.times(ty.occurs);
        let ty = ty.with_occurs(occurs);
        self.ty = Type { is_sorted, is_disjoint, ..ty };
    }

    /// Makes what there is so far the base.
    fn split(&mut self) {
        let base = std::mem::replace(&mut self.base, Expr::Context);
        let steps = std::mem::take(&mut self.steps);
        self.base = Expr::Path(Box::new(Path { base, steps, is_unsorted: true }));
        self.is_unsorted = false;
        (self.ty.is_sorted, self.ty.is_disjoint) = (true, false);
    }

    fn finish(mut self) -> Typed {
        if self.steps.is_empty() {
            return Typed { expr: self.base, ty: self.ty };
        }
        if self.is_unsorted {
            (self.ty.is_sorted, self.ty.is_disjoint) = (true, false);
        }
        let Growing { base, steps, is_unsorted, ty } = self;
        Typed { expr: Expr::Path(Box::new(Path { base, steps, is_unsorted })), ty }
    }
}

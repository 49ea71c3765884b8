//! Expressions on a document.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use base::account::UNASKED;
use base::error::SqlResult;
use base::pace::STRIDE;
use base::stack;
use base::xml::{Document, NodeId, NodeKind};

use super::{Axis, Expr, Function, Path, PathInput, Start, Step, Test, Yields, too_deep};
use crate::eval::Bag;
use crate::expr::{Operator, Order};

/// How many nodes a step collects before it looks for those that it has twice.
const COLLECTED: usize = 1024;

/// The nodes that an expression yields, in document order.
pub(super) fn nodes(expr: &Expr, input: PathInput<'_>, context: NodeId) -> SqlResult<Bag<NodeId>> {
    let run = Run { input, document: input.document, left: Cell::new(STRIDE) };
    run.nodes(expr, &Focus { node: context, position: 1, last: 1 })
}

/// What `.`, `position()` and `last()` are.
struct Focus {
    node: NodeId,
    position: usize,
    last: usize,
}

struct Run<'r> {
    input: PathInput<'r>,
    document: &'r Document,
    /// How much may be looked at before the pace is asked.
    left: Cell<usize>,
}

enum Found<'r> {
    Nodes(Bag<NodeId>),
    Number(f64),
    Text(Cow<'r, str>),
    Truth(bool),
}

impl<'r> Run<'r> {
    fn work(&self, amount: usize) -> SqlResult<()> {
        match self.left.get().checked_sub(amount) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(STRIDE);
                self.input.pace.pace()
            }
        }
    }

    fn keep(&self, bag: &mut Bag<NodeId>, node: NodeId) -> SqlResult<()> {
        bag.push(node, 0, self.input.account)
    }

    fn nodes(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<Bag<NodeId>> {
        if !stack::deeper() {
            return Err(too_deep());
        }
        match expr {
            Expr::Path(path) => self.path(path, focus),
            Expr::Union(all) => {
                let mut bag = Bag::new();
                for one in all {
                    for node in self.nodes(one, focus)?.items {
                        self.keep(&mut bag, node)?;
                    }
                }
                in_order(&mut bag);
                Ok(bag)
            }
            other => unreachable!("{other:?} yields no nodes"),
        }
    }

    fn path(&self, path: &'r Path, focus: &Focus) -> SqlResult<Bag<NodeId>> {
        let mut current = match &path.start {
            Start::Context | Start::Root => {
                let is_root = matches!(path.start, Start::Root);
                let mut bag = Bag::new();
                self.keep(&mut bag, if is_root { Document::ROOT } else { focus.node })?;
                bag
            }
            Start::Expr(expr, predicates) => {
                let mut bag = self.nodes(expr, focus)?;
                self.filter(&mut bag, predicates)?;
                bag
            }
        };
        for step in &path.steps {
            current = self.step(step, current)?;
        }
        Ok(current)
    }

    fn step(&self, step: &'r Step, from: Bag<NodeId>) -> SqlResult<Bag<NodeId>> {
        let is_unsorted = from.items.len() > 1 || step.axis.is_reverse();
        let mut all = Bag::new();
        let mut limit = COLLECTED;
        for node in from.items {
            if step.predicates.is_empty() {
                self.on_axis(step, node, &mut all)?;
            } else {
                let mut own = Bag::new();
                self.on_axis(step, node, &mut own)?;
                self.filter(&mut own, &step.predicates)?;
                for node in own.items {
                    self.keep(&mut all, node)?;
                }
            }
            if all.items.len() > limit {
                self.work(all.items.len())?;
                in_order(&mut all);
                limit = COLLECTED.max(2 * all.items.len());
            }
        }
        if is_unsorted {
            in_order(&mut all);
        }
        Ok(all)
    }

    /// Leaves the nodes for which all predicates hold. They are in the order in which they count.
    fn filter(&self, bag: &mut Bag<NodeId>, predicates: &'r [Expr]) -> SqlResult<()> {
        for predicate in predicates {
            let last = bag.items.len();
            let mut kept = 0;
            for at in 0..last {
                let node = bag.items[at];
                let focus = Focus { node, position: at + 1, last };
                let passes = match predicate.yields() {
                    Yields::Number => self.number(predicate, &focus)? == focus.position as f64,
                    _ => self.truth(predicate, &focus)?,
                };
                self.work(1)?;
                if passes {
                    bag.items[kept] = node;
                    kept += 1;
                }
            }
            bag.items.truncate(kept);
        }
        Ok(())
    }

    /// Adds the nodes on an axis that pass the step's test, in the order of the axis.
    fn on_axis(&self, step: &Step, node: NodeId, bag: &mut Bag<NodeId>) -> SqlResult<()> {
        let document = self.document;
        let mut take = |found: NodeId| {
            self.work(1)?;
            match passes(document, step, found) {
                true => self.keep(bag, found),
                false => Ok(()),
            }
        };
        let is_content =
            |at: &NodeId| !matches!(document.kind(*at), NodeKind::Attribute | NodeKind::Namespace);
        let above =
            |first: Option<NodeId>| std::iter::successors(first, |node| document.parent(*node));
        let end = document.after(Document::ROOT);
        let siblings = document.parent(node).filter(|_| is_content(&node));
        match step.axis {
            Axis::Itself => take(node),
            Axis::Child => document.children(node).try_for_each(take),
            Axis::Attribute => match document.kind(node) {
                NodeKind::Element => document.attributes(node).try_for_each(take),
                _ => Ok(()),
            },
            Axis::Parent => document.parent(node).map_or(Ok(()), take),
            Axis::Ancestor => above(document.parent(node)).try_for_each(take),
            Axis::AncestorOrSelf => above(Some(node)).try_for_each(take),
            Axis::Descendant | Axis::DescendantOrSelf => {
                if step.axis == Axis::DescendantOrSelf {
                    take(node)?;
                }
                document.subtree(node).skip(1).filter(is_content).try_for_each(take)
            }
            Axis::Following => {
                let first = document.after(node);
                let rest = std::iter::successors(Some(first), |at| Some(at.next()));
                rest.take_while(|at| *at < end).filter(is_content).try_for_each(take)
            }
            Axis::FollowingSibling => {
                let Some(parent) = siblings else { return Ok(()) };
                let end = document.after(parent);
                let mut at = document.after(node);
                while at < end {
                    take(at)?;
                    at = document.after(at);
                }
                Ok(())
            }
            Axis::Preceding => {
                let numbers = (0..node.number()).rev();
                let before = numbers.filter_map(|number| document.numbered(number));
                let is_it = |at: &NodeId| is_content(at) && !document.contains(*at, node);
                before.filter(is_it).try_for_each(take)
            }
            Axis::PrecedingSibling => {
                let Some(parent) = siblings else { return Ok(()) };
                let before = document.children(parent).take_while(|at| *at < node);
                let mut own = Bag::new();
                for at in before {
                    self.work(1)?;
                    self.keep(&mut own, at)?;
                }
                own.items.into_iter().rev().try_for_each(take)
            }
        }
    }

    fn find(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<Found<'r>> {
        Ok(match expr.yields() {
            Yields::Nodes => Found::Nodes(self.nodes(expr, focus)?),
            Yields::Number => Found::Number(self.number(expr, focus)?),
            Yields::Text => Found::Text(self.text(expr, focus)?),
            Yields::Truth => Found::Truth(self.truth(expr, focus)?),
        })
    }

    fn truth(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<bool> {
        if !stack::deeper() {
            return Err(too_deep());
        }
        match expr {
            Expr::Or(all) => {
                for one in all {
                    if self.truth(one, focus)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::And(all) => {
                for one in all {
                    if !self.truth(one, focus)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Compare(first, rest) => {
                let mut left = self.find(first, focus)?;
                for (order, right) in rest {
                    let right = self.find(right, focus)?;
                    left = Found::Truth(self.compare(*order, &left, &right)?);
                }
                Ok(matches!(left, Found::Truth(true)))
            }
            Expr::Call(function, arguments) if expr.yields() == Yields::Truth => {
                self.truth_of_call(*function, arguments, focus)
            }
            other => Ok(match self.find(other, focus)? {
                Found::Nodes(nodes) => !nodes.items.is_empty(),
                Found::Number(number) => number != 0.0 && !number.is_nan(),
                Found::Text(text) => !text.is_empty(),
                Found::Truth(truth) => truth,
            }),
        }
    }

    fn truth_of_call(
        &self,
        function: Function,
        arguments: &'r [Expr],
        focus: &Focus,
    ) -> SqlResult<bool> {
        Ok(match function {
            Function::True => true,
            Function::False => false,
            Function::Not => !self.truth(&arguments[0], focus)?,
            Function::Boolean => self.truth(&arguments[0], focus)?,
            Function::Lang => {
                let wanted = self.text(&arguments[0], focus)?.to_ascii_lowercase();
                let language = self.language(focus.node).to_ascii_lowercase();
                let rest = language.strip_prefix(&wanted);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            }
            function => {
                let text = self.text(&arguments[0], focus)?;
                let part = self.text(&arguments[1], focus)?;
                self.work(text.len().min(STRIDE))?;
                match function {
                    Function::StartsWith => text.starts_with(&*part),
                    _ => self.position(&text, &part)?.is_some(),
                }
            }
        })
    }

    /// The nearest `xml:lang`.
    fn language(&self, node: NodeId) -> &'r str {
        let document = self.document;
        let above = std::iter::successors(Some(node), |node| document.parent(*node));
        let elements = above.filter(|node| document.kind(*node) == NodeKind::Element);
        let is_lang = |at: &NodeId| {
            let name = document.name(*at);
            name.local == "lang" && name.uri == base::xml::tree::XML_URI
        };
        let mut found = elements.filter_map(|element| document.attributes(element).find(is_lang));
        found.next().map_or("", |at| document.value(at))
    }

    fn compare(&self, order: Order, left: &Found<'r>, right: &Found<'r>) -> SqlResult<bool> {
        let is_equality = matches!(order, Order::Equal | Order::NotEqual);
        match (left, right) {
            (Found::Nodes(left), Found::Nodes(right)) => {
                for a in &left.items {
                    let a = Found::Text(self.string_value(*a)?);
                    for b in &right.items {
                        let b = Found::Text(self.string_value(*b)?);
                        self.work(1)?;
                        if self.compare(order, &a, &b)? {
                            return Ok(true);
                        }
                    }
                }
                Ok(false)
            }
            (Found::Nodes(nodes), Found::Truth(_)) => {
                self.compare(order, &Found::Truth(!nodes.items.is_empty()), right)
            }
            (Found::Truth(_), Found::Nodes(nodes)) => {
                self.compare(order, left, &Found::Truth(!nodes.items.is_empty()))
            }
            (Found::Nodes(nodes), _) => {
                for node in &nodes.items {
                    self.work(1)?;
                    if self.compare(order, &Found::Text(self.string_value(*node)?), right)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (_, Found::Nodes(nodes)) => {
                for node in &nodes.items {
                    self.work(1)?;
                    if self.compare(order, left, &Found::Text(self.string_value(*node)?))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Found::Text(a), Found::Text(b)) if is_equality => {
                Ok((a == b) == (order == Order::Equal))
            }
            (Found::Truth(_), _) | (_, Found::Truth(_)) if is_equality => {
                Ok((is_true(left) == is_true(right)) == (order == Order::Equal))
            }
            _ => Ok(match as_number(left).partial_cmp(&as_number(right)) {
                Some(found) => order.holds(found),
                None => order == Order::NotEqual,
            }),
        }
    }

    fn number(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<f64> {
        if !stack::deeper() {
            return Err(too_deep());
        }
        match expr {
            Expr::Number(value) => Ok(*value),
            Expr::Negate(operand) => Ok(-self.number(operand, focus)?),
            Expr::Arithmetic(first, rest) => {
                let mut value = self.number(first, focus)?;
                for (operator, operand) in rest {
                    let right = self.number(operand, focus)?;
                    value = match operator {
                        Operator::Add => value + right,
                        Operator::Subtract => value - right,
                        Operator::Multiply => value * right,
                        Operator::Divide => value / right,
                        Operator::Modulo => value % right,
                    };
                }
                Ok(value)
            }
            Expr::Call(function, arguments) if expr.yields() == Yields::Number => {
                self.number_of_call(*function, arguments, focus)
            }
            other => Ok(match self.find(other, focus)? {
                Found::Nodes(nodes) => match nodes.items.first() {
                    Some(first) => parse_number(&self.string_value(*first)?),
                    None => f64::NAN,
                },
                other => as_number(&other),
            }),
        }
    }

    fn number_of_call(
        &self,
        function: Function,
        arguments: &'r [Expr],
        focus: &Focus,
    ) -> SqlResult<f64> {
        Ok(match function {
            Function::Last => focus.last as f64,
            Function::Position => focus.position as f64,
            Function::Count => self.nodes(&arguments[0], focus)?.items.len() as f64,
            Function::Sum => {
                let mut sum = 0.0;
                for node in self.nodes(&arguments[0], focus)?.items {
                    sum += parse_number(&self.string_value(node)?);
                }
                sum
            }
            Function::StringLength => {
                let mut count = 0_usize;
                for _ in self.argument(arguments, focus)?.chars() {
                    self.work(1)?;
                    count += 1;
                }
                count as f64
            }
            Function::Number => match arguments.first() {
                Some(operand) => self.number(operand, focus)?,
                None => parse_number(&self.string_value(focus.node)?),
            },
            Function::Floor => self.number(&arguments[0], focus)?.floor(),
            Function::Ceiling => self.number(&arguments[0], focus)?.ceil(),
            _ => rounded(self.number(&arguments[0], focus)?),
        })
    }

    /// The text of the only argument; of the context node if there is none.
    fn argument(&self, arguments: &'r [Expr], focus: &Focus) -> SqlResult<Cow<'r, str>> {
        match arguments.first() {
            Some(operand) => self.text(operand, focus),
            None => self.string_value(focus.node),
        }
    }

    fn text(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<Cow<'r, str>> {
        if !stack::deeper() {
            return Err(too_deep());
        }
        match expr {
            Expr::Literal(text) => Ok(Cow::Borrowed(text)),
            Expr::Call(function, arguments) if expr.yields() == Yields::Text => {
                self.text_of_call(*function, arguments, focus)
            }
            other => Ok(match self.find(other, focus)? {
                Found::Nodes(nodes) => match nodes.items.first() {
                    Some(first) => self.string_value(*first)?,
                    None => Cow::Borrowed(""),
                },
                Found::Number(number) => Cow::Owned(number_text(number)),
                Found::Text(text) => text,
                Found::Truth(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
            }),
        }
    }

    fn text_of_call(
        &self,
        function: Function,
        arguments: &'r [Expr],
        focus: &Focus,
    ) -> SqlResult<Cow<'r, str>> {
        if matches!(function, Function::LocalName | Function::NamespaceUri | Function::Name) {
            return self.name_of(function, arguments, focus);
        }
        if function == Function::Concat {
            let mut all = String::new();
            for one in arguments {
                let text = self.text(one, focus)?;
                self.admit(all.len() + text.len())?;
                all.push_str(&text);
            }
            return Ok(Cow::Owned(all));
        }
        let text = self.argument(arguments, focus)?;
        self.work(text.len().min(STRIDE))?;
        self.admit(text.len())?;
        Ok(match function {
            Function::String => text,
            Function::NormalizeSpace => {
                let mut out = String::with_capacity(text.len());
                for word in text.split_ascii_whitespace() {
                    self.work(word.len().min(STRIDE))?;
                    if !out.is_empty() {
                        out.push(' ');
                    }
                    out.push_str(word);
                }
                Cow::Owned(out)
            }
            Function::SubstringBefore => {
                let part = self.text(&arguments[1], focus)?;
                let at = self.position(&text, &part)?;
                at.map_or(Cow::Borrowed(""), |at| Cow::Owned(text[..at].into()))
            }
            Function::SubstringAfter => {
                let part = self.text(&arguments[1], focus)?;
                let after = self.position(&text, &part)?.map(|at| at + part.len());
                after.map_or(Cow::Borrowed(""), |at| Cow::Owned(text[at..].into()))
            }
            Function::Translate => self.translated(&text, arguments, focus)?,
            _ => {
                let from = rounded(self.number(&arguments[1], focus)?);
                let end = match arguments.get(2) {
                    Some(length) => from + rounded(self.number(length, focus)?),
                    None => f64::INFINITY,
                };
                let mut out = String::new();
                for (c, at) in text.chars().zip(1_usize..) {
                    self.work(1)?;
                    if at as f64 >= from && (at as f64) < end {
                        out.push(c);
                    }
                }
                Cow::Owned(out)
            }
        })
    }

    /// A text in which characters are replaced by others, or left out.
    fn translated(
        &self,
        text: &str,
        arguments: &'r [Expr],
        focus: &Focus,
    ) -> SqlResult<Cow<'r, str>> {
        /// What a character and its entry in the map take, at most.
        const ENTRY: usize = 32;
        let (from, to) = (self.text(&arguments[1], focus)?, self.text(&arguments[2], focus)?);
        self.admit(ENTRY * from.len())?;
        let mut replaced = HashMap::new();
        let mut to = to.chars();
        for c in from.chars() {
            self.work(1)?;
            let other = to.next();
            replaced.entry(c).or_insert(other);
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            self.work(1)?;
            match replaced.get(&c) {
                Some(Some(other)) => out.push(*other),
                Some(None) => {}
                None => out.push(c),
            }
        }
        Ok(Cow::Owned(out))
    }

    /// Where a text first has another in it.
    fn position(&self, text: &str, part: &str) -> SqlResult<Option<usize>> {
        let window = STRIDE.max(part.len());
        let mut start = 0;
        loop {
            let end = (start + 2 * window..text.len()).find(|at| text.is_char_boundary(*at));
            let end = end.unwrap_or(text.len());
            if let Some(at) = text[start..end].find(part) {
                return Ok(Some(start + at));
            }
            if end == text.len() {
                return Ok(None);
            }
            self.work(window.min(STRIDE))?;
            let next = (start..=start + window).rev().find(|at| text.is_char_boundary(*at));
            start = next.unwrap_or(start);
        }
    }

    fn name_of(
        &self,
        function: Function,
        arguments: &'r [Expr],
        focus: &Focus,
    ) -> SqlResult<Cow<'r, str>> {
        let node = match arguments.first() {
            Some(nodes) => self.nodes(nodes, focus)?.items.first().copied(),
            None => Some(focus.node),
        };
        let Some(node) = node else { return Ok(Cow::Borrowed("")) };
        let name = self.document.name(node);
        Ok(match function {
            Function::LocalName => Cow::Borrowed(name.local),
            Function::NamespaceUri => Cow::Borrowed(name.uri),
            _ if name.prefix.is_empty() => Cow::Borrowed(name.local),
            _ => Cow::Owned(format!("{}:{}", name.prefix, name.local)),
        })
    }

    fn admit(&self, bytes: usize) -> SqlResult<()> {
        match bytes > UNASKED {
            true => self.input.account.admit(bytes),
            false => Ok(()),
        }
    }

    /// All text below a node.
    fn string_value(&self, node: NodeId) -> SqlResult<Cow<'r, str>> {
        let mut pieces = self.document.texts(node);
        let Some(first) = pieces.next() else { return Ok(Cow::Borrowed("")) };
        let Some(second) = pieces.next() else { return Ok(Cow::Borrowed(first)) };
        let bytes = self.document.text_len(node);
        self.admit(bytes)?;
        let mut text = String::with_capacity(bytes);
        for piece in [first, second].into_iter().chain(pieces) {
            self.work(piece.len().min(STRIDE))?;
            text.push_str(piece);
        }
        Ok(Cow::Owned(text))
    }
}

fn in_order(bag: &mut Bag<NodeId>) {
    bag.items.sort_unstable();
    bag.items.dedup();
}

/// Whether a node on the step's axis is one that the step selects.
fn passes(document: &Document, step: &Step, node: NodeId) -> bool {
    let kind = document.kind(node);
    match &step.test {
        Test::Any => true,
        Test::Text => kind == NodeKind::Text,
        Test::Comment => kind == NodeKind::Comment,
        Test::Instruction(target) => {
            let is_it = |target: &str| document.name(node).local == target;
            kind == NodeKind::Instruction && target.as_deref().is_none_or(is_it)
        }
        Test::Name { uri, local } => {
            let wanted = match step.axis {
                Axis::Attribute => NodeKind::Attribute,
                _ => NodeKind::Element,
            };
            let name = document.name(node);
            kind == wanted
                && local.as_deref().is_none_or(|local| local == name.local)
                && uri.as_deref().is_none_or(|uri| uri == name.uri)
        }
    }
}

fn is_true(found: &Found<'_>) -> bool {
    match found {
        Found::Nodes(nodes) => !nodes.items.is_empty(),
        Found::Number(number) => *number != 0.0 && !number.is_nan(),
        Found::Text(text) => !text.is_empty(),
        Found::Truth(truth) => *truth,
    }
}

/// The number of what is no set of nodes.
fn as_number(found: &Found<'_>) -> f64 {
    match found {
        Found::Number(number) => *number,
        Found::Text(text) => parse_number(text),
        Found::Truth(truth) => f64::from(u8::from(*truth)),
        Found::Nodes(_) => f64::NAN,
    }
}

/// The number that a text writes: digits with a point and a minus sign, and nothing else.
fn parse_number(text: &str) -> f64 {
    let text = text.trim_ascii();
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.bytes().all(|c| c.is_ascii_digit() || c == b'.') {
        true => text.parse().unwrap_or(f64::NAN),
        false => f64::NAN,
    }
}

fn number_text(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".into(),
        _ if number.is_infinite() => (if number > 0.0 { "Infinity" } else { "-Infinity" }).into(),
        0.0 => "0".into(),
        _ => number.to_string(),
    }
}

/// The nearest whole number; the greater one of two.
fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}

//! Expressions on a document.

use std::borrow::Cow;
use std::collections::HashMap;

use base::account::{Charged, UNASKED};
use base::error::{SqlError, SqlResult};
use base::pace::STRIDE;
use base::stack;
use base::xml::{Document, NodeId, NodeKind};

use super::{Axis, Expr, Function, Path, PathInput, Start, Step, Test, Yields, too_deep};
use crate::eval::Bag;
use crate::expr::{Operator, Order};
use crate::meter::Meter;

/// How many nodes a step collects before it looks for those that it has twice.
const COLLECTED: usize = 1024;

/// The nodes that an expression yields, in document order.
pub(super) fn nodes(expr: &Expr, input: &PathInput<'_>, context: NodeId) -> SqlResult<Bag<NodeId>> {
    Run::new(input).nodes(expr, &Focus::on(context), Wanted::All)
}

/// The first of the nodes that an expression yields.
pub(super) fn first(
    expr: &Expr,
    input: &PathInput<'_>,
    context: NodeId,
) -> SqlResult<Option<NodeId>> {
    Run::new(input).first(expr, &Focus::on(context))
}

/// What `.`, `position()` and `last()` are.
struct Focus {
    node: NodeId,
    position: usize,
    last: usize,
}

impl Focus {
    /// A node alone.
    fn on(node: NodeId) -> Focus {
        Focus { node, position: 1, last: 1 }
    }
}

/// How many nodes are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// The first, and perhaps others.
    First,
}

struct Run<'r> {
    document: &'r Document,
    meter: &'r Meter<'r>,
}

/// Why an axis is followed no further.
enum Stop {
    Enough,
    Failed(SqlError),
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Stop {
        Stop::Failed(error)
    }
}

enum Found<'r> {
    Nodes(Bag<NodeId>),
    Number(f64),
    Text(Cow<'r, str>),
    Truth(bool),
}

impl<'r> Run<'r> {
    fn new(input: &'r PathInput<'_>) -> Run<'r> {
        Run { document: input.document, meter: &input.meter }
    }

    fn work(&self, amount: usize) -> SqlResult<()> {
        self.meter.work(amount)
    }

    /// An expression is evaluated, which costs even if it looks at nothing.
    fn enter(&self) -> SqlResult<()> {
        match stack::deeper() {
            true => self.work(1),
            false => Err(too_deep()),
        }
    }

    fn keep(&self, bag: &mut Bag<NodeId>, node: NodeId) -> SqlResult<()> {
        bag.push(node, 0, self.meter.account)
    }

    /// Leaves each node once, in document order, when there are more than a limit, which is then
    /// set to what may come before that is worth it again.
    fn tidy(&self, bag: &mut Bag<NodeId>, limit: &mut usize) -> SqlResult<()> {
        if bag.items.len() > *limit {
            self.work(bag.items.len())?;
            in_order(bag);
            *limit = COLLECTED.max(2 * bag.items.len());
        }
        Ok(())
    }

    fn first(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<Option<NodeId>> {
        Ok(self.nodes(expr, focus, Wanted::First)?.items.first().copied())
    }

    fn nodes(&self, expr: &'r Expr, focus: &Focus, wanted: Wanted) -> SqlResult<Bag<NodeId>> {
        self.enter()?;
        match expr {
            Expr::Path(path) => self.path(path, focus, wanted),
            Expr::Union(all) => {
                let mut bag = Bag::new();
                let mut limit = COLLECTED;
                for one in all {
                    for node in self.nodes(one, focus, wanted)?.items {
                        self.keep(&mut bag, node)?;
                    }
                    self.tidy(&mut bag, &mut limit)?;
                }
                in_order(&mut bag);
                Ok(bag)
            }
            other => unreachable!("{other:?} yields no nodes"),
        }
    }

    fn path(&self, path: &'r Path, focus: &Focus, wanted: Wanted) -> SqlResult<Bag<NodeId>> {
        let mut current = match &path.start {
            Start::Context | Start::Root => {
                let is_root = matches!(path.start, Start::Root);
                let mut bag = Bag::new();
                self.keep(&mut bag, if is_root { Document::ROOT } else { focus.node })?;
                bag
            }
            Start::Expr(expr, predicates) => {
                let is_end = predicates.is_empty() && path.steps.is_empty();
                let mut bag = self.nodes(expr, focus, if is_end { wanted } else { Wanted::All })?;
                self.filter(&mut bag, predicates)?;
                bag
            }
        };
        for (step, after) in path.steps.iter().zip(1..) {
            let wanted = if after < path.steps.len() { Wanted::All } else { wanted };
            current = self.step(step, current, wanted)?;
        }
        Ok(current)
    }

    fn step(&self, step: &'r Step, from: Bag<NodeId>, wanted: Wanted) -> SqlResult<Bag<NodeId>> {
        let is_unsorted = from.items.len() > 1 || step.axis.is_reverse();
        let most = match step.predicates.first() {
            None if wanted == Wanted::First && !is_unsorted => 1,
            // Only the last of so many can pass.
            Some(Expr::Number(position)) => (*position as usize).max(1),
            _ => usize::MAX,
        };
        let mut all = Bag::new();
        let mut limit = COLLECTED;
        for node in from.items {
            self.work(1)?;
            if step.predicates.is_empty() {
                self.on_axis(step, node, &mut all, most)?;
            } else {
                let mut own = Bag::new();
                self.on_axis(step, node, &mut own, most)?;
                self.filter(&mut own, &step.predicates)?;
                for node in own.items {
                    self.keep(&mut all, node)?;
                }
            }
            self.tidy(&mut all, &mut limit)?;
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

    /// Adds the nodes on an axis that pass the step's test, in the order of the axis, until the bag
    /// has so many.
    fn on_axis(
        &self,
        step: &Step,
        node: NodeId,
        bag: &mut Bag<NodeId>,
        most: usize,
    ) -> SqlResult<()> {
        let take = |found: NodeId| {
            self.work(1)?;
            if passes(self.document, step, found) {
                self.keep(bag, found)?;
                if bag.items.len() == most {
                    return Err(Stop::Enough);
                }
            }
            Ok(())
        };
        match self.walk(step.axis, node, take) {
            Ok(()) | Err(Stop::Enough) => Ok(()),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    /// Calls back for the nodes on an axis. What is passed over costs as well.
    fn walk(
        &self,
        axis: Axis,
        node: NodeId,
        mut take: impl FnMut(NodeId) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let document = self.document;
        let is_content =
            |at: NodeId| !matches!(document.kind(at), NodeKind::Attribute | NodeKind::Namespace);
        let above =
            |first: Option<NodeId>| std::iter::successors(first, |node| document.parent(*node));
        let siblings = document.parent(node).filter(|_| is_content(node));
        if axis == Axis::DescendantOrSelf {
            take(node)?;
        }
        let mut content = |at: NodeId| match is_content(at) {
            true => take(at),
            false => Ok(self.work(1)?),
        };
        match axis {
            Axis::Itself => take(node),
            Axis::Child => document.below(node).try_for_each(content),
            Axis::Attribute => {
                let mut own = document.below(node).take_while(|at| !is_content(*at));
                own.try_for_each(|at| match document.kind(at) {
                    NodeKind::Attribute => take(at),
                    _ => Ok(self.work(1)?),
                })
            }
            Axis::Parent => document.parent(node).map_or(Ok(()), take),
            Axis::Ancestor => above(document.parent(node)).try_for_each(take),
            Axis::AncestorOrSelf => above(Some(node)).try_for_each(take),
            Axis::Descendant | Axis::DescendantOrSelf => {
                document.subtree(node).skip(1).try_for_each(content)
            }
            Axis::Following => {
                let rest = document.after(node).number()..document.after(Document::ROOT).number();
                rest.filter_map(|number| document.numbered(number)).try_for_each(content)
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
                let mut before = numbers.filter_map(|number| document.numbered(number));
                before.try_for_each(|at| match document.contains(at, node) {
                    true => Ok(()),
                    false => content(at),
                })
            }
            Axis::PrecedingSibling => {
                let Some(parent) = siblings else { return Ok(()) };
                let mut own = Bag::new();
                for at in document.below(parent).take_while(|at| *at < node) {
                    self.work(1)?;
                    if is_content(at) {
                        self.keep(&mut own, at)?;
                    }
                }
                own.items.into_iter().rev().try_for_each(take)
            }
        }
    }

    fn find(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<Found<'r>> {
        Ok(match expr.yields() {
            Yields::Nodes => Found::Nodes(self.nodes(expr, focus, Wanted::All)?),
            Yields::Number => Found::Number(self.number(expr, focus)?),
            Yields::Text => Found::Text(self.text(expr, focus)?),
            Yields::Truth => Found::Truth(self.truth(expr, focus)?),
        })
    }

    fn truth(&self, expr: &'r Expr, focus: &Focus) -> SqlResult<bool> {
        self.enter()?;
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
            other if other.yields() == Yields::Nodes => Ok(self.first(other, focus)?.is_some()),
            other => Ok(is_true(&self.find(other, focus)?)),
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
                let wanted = self.text(&arguments[0], focus)?;
                let language = self.language(focus.node)?.split_at_checked(wanted.len());
                language.is_some_and(|(head, rest)| {
                    let is_whole = rest.is_empty() || rest.starts_with('-');
                    is_whole && head.eq_ignore_ascii_case(&wanted)
                })
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
    fn language(&self, node: NodeId) -> SqlResult<&'r str> {
        let document = self.document;
        for above in std::iter::successors(Some(node), |node| document.parent(*node)) {
            if document.kind(above) != NodeKind::Element {
                continue;
            }
            for at in document.attributes(above) {
                self.work(1)?;
                let name = document.name(at);
                if name.local == "lang" && name.uri == base::xml::tree::XML_URI {
                    return Ok(document.value(at));
                }
            }
        }
        Ok("")
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
        self.enter()?;
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
            other if other.yields() == Yields::Nodes => {
                let first = self.first(other, focus)?;
                first.map_or(Ok(f64::NAN), |node| Ok(parse_number(&self.string_value(node)?)))
            }
            other => Ok(as_number(&self.find(other, focus)?)),
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
            Function::Count => self.nodes(&arguments[0], focus, Wanted::All)?.items.len() as f64,
            Function::Sum => {
                let mut sum = 0.0;
                for node in self.nodes(&arguments[0], focus, Wanted::All)?.items {
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
        self.enter()?;
        match expr {
            Expr::Literal(text) => Ok(Cow::Borrowed(text)),
            Expr::Call(function, arguments) if expr.yields() == Yields::Text => {
                self.text_of_call(*function, arguments, focus)
            }
            other if other.yields() == Yields::Nodes => {
                let first = self.first(other, focus)?;
                first.map_or(Ok(Cow::Borrowed("")), |node| self.string_value(node))
            }
            other => Ok(match self.find(other, focus)? {
                Found::Nodes(_) => Cow::Borrowed(""),
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
            return self.concat(arguments, focus);
        }
        let text = self.argument(arguments, focus)?;
        self.work(text.len().min(STRIDE))?;
        self.meter.admit(text.len())?;
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

    /// Texts one after another. What there is of them is charged while the others are found.
    fn concat(&self, arguments: &'r [Expr], focus: &Focus) -> SqlResult<Cow<'r, str>> {
        let mut all = String::new();
        let mut charged: Option<Charged> = None;
        for one in arguments {
            let text = self.text(one, focus)?;
            self.work(text.len().min(STRIDE))?;
            if text.len() > all.capacity() - all.len() {
                let capacity = (all.len() + text.len()).max(2 * all.capacity());
                match &mut charged {
                    Some(charged) => charged.resize(capacity)?,
                    None if capacity > UNASKED => {
                        charged = Some(Charged::take(self.meter.account, capacity)?);
                    }
                    None => {}
                }
                all.reserve_exact(capacity - all.len());
            }
            all.push_str(&text);
        }
        Ok(Cow::Owned(all))
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
        self.meter.admit(ENTRY * from.len())?;
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
            Some(nodes) => self.first(nodes, focus)?,
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

    fn string_value(&self, node: NodeId) -> SqlResult<Cow<'r, str>> {
        self.meter.string_value(self.document, node)
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

//! Evaluation: an expression visits its items one after another.
//!
//! [`Run::each`] calls back for each item and ends when the callback says so, so that what stops at
//! the first item looks no further. Paths are pulled from a [`walk::Walk`], which keeps its place
//! in a list rather than on the stack.

mod call;
mod emit;
mod modify;
mod walk;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::mem::size_of;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use base::account::{Account, Charged, UNASKED};
use base::decimal::{self, Rounding};
use base::error::{SqlError, SqlResult};
use base::message;
use base::pace::{STRIDE, Stride};
use base::stack;
use base::xml::schema::{INSTANCE_URI, NoValue, Scope, TypeId};
use base::xml::{Document, NodeId, NodeKind};

use crate::atomic::{self, Atomic, SCALE, UNIT};
use crate::expr::*;
use crate::meter::Meter;
use crate::types::{AtomicType, Class, NodeType};
use crate::{Body, Input, Query, Value};
pub(crate) use modify::modify;
use walk::{Numbers, Walk};

/// Whether items that follow are wanted.
pub(crate) type Flow = ControlFlow<()>;
const ON: Flow = ControlFlow::Continue(());
const STOP: Flow = ControlFlow::Break(());

#[derive(Clone, Debug)]
pub(crate) enum Item<'r> {
    Node(NodeId),
    Atomic(Atomic<'r>),
}

/// Items that are kept, charged when there are many.
pub(crate) struct Bag<T> {
    pub(crate) items: Vec<T>,
    bytes: usize,
    charged: Option<Charged>,
}

impl<T> Bag<T> {
    pub(crate) fn new() -> Bag<T> {
        Bag { items: Vec::new(), bytes: 0, charged: None }
    }

    /// Adds an item that takes so many bytes beside itself.
    pub(crate) fn push(&mut self, item: T, beside: usize, account: &Arc<Account>) -> SqlResult<()> {
        let before = self.bytes;
        self.bytes += beside;
        if self.items.len() == self.items.capacity() {
            let more = self.items.capacity().max(4);
            self.bytes += more * size_of::<T>();
            self.charge(account)?;
            self.items.reserve_exact(more);
        } else if self.bytes / UNASKED != before / UNASKED {
            self.charge(account)?;
        }
        self.items.push(item);
        Ok(())
    }

    fn charge(&mut self, account: &Arc<Account>) -> SqlResult<()> {
        if self.bytes > UNASKED {
            match &mut self.charged {
                Some(charged) => charged.resize(self.bytes)?,
                None => self.charged = Some(Charged::take(account, self.bytes)?),
            }
        }
        Ok(())
    }
}

/// What a variable stands for.
#[derive(Clone)]
enum Bound<'r> {
    Item(Item<'r>),
    Items(Rc<Bag<Item<'r>>>),
}

/// What `.`, `position()` and `last()` are.
pub(crate) struct Focus<'r> {
    item: Item<'r>,
    position: usize,
    last: usize,
}

/// One evaluation of a query.
pub(crate) struct Run<'r> {
    document: &'r Document,
    query: &'r Query,
    externals: &'r [Value<'r>],
    meter: Meter<'r>,
    /// For each step, the numbers of the names that it selects.
    numbers: Vec<OnceCell<Numbers>>,
    variables: RefCell<Vec<Bound<'r>>>,
}

type Visit<'v, 'r> = &'v mut dyn FnMut(Item<'r>) -> SqlResult<Flow>;

impl<'r> Run<'r> {
    fn new(query: &'r Query, input: Input<'r>) -> Run<'r> {
        let nothing = Bound::Item(Item::Node(Document::ROOT));
        Run {
            document: input.document,
            query,
            externals: input.externals,
            meter: Meter::new(input.account, input.pace),
            numbers: (0..query.steps).map(|_| OnceCell::new()).collect(),
            variables: RefCell::new(vec![nothing; query.variables]),
        }
    }

    /// Counts work, and lets others have their turn.
    fn work(&self, amount: usize) -> SqlResult<()> {
        self.meter.work(amount)
    }

    fn deeper(&self) -> SqlResult<()> {
        match stack::deeper() {
            true => Ok(()),
            false => Err(SqlError::new(&message::XQUERY_TOO_COMPLEX, &[&"XQuery: "])),
        }
    }

    /// Calls back for each item.
    fn each(&self, expr: &'r Expr, focus: &Focus<'r>, visit: Visit<'_, 'r>) -> SqlResult<Flow> {
        match expr {
            Expr::Sequence(all) => {
                self.deeper()?;
                for one in all {
                    if self.each(one, focus, visit)?.is_break() {
                        return Ok(STOP);
                    }
                }
                Ok(ON)
            }
            Expr::Context => visit(focus.item.clone()),
            Expr::Root => visit(Item::Node(Document::ROOT)),
            Expr::Variable(slot) => {
                let bound = self.variables.borrow()[*slot].clone();
                match bound {
                    Bound::Item(item) => visit(item),
                    Bound::Items(items) => {
                        for item in &items.items {
                            if visit(item.clone())?.is_break() {
                                return Ok(STOP);
                            }
                        }
                        Ok(ON)
                    }
                }
            }
            Expr::Path(path) => {
                self.deeper()?;
                if path.is_unsorted {
                    for node in self.sorted(path, focus)?.items {
                        if visit(Item::Node(node))?.is_break() {
                            return Ok(STOP);
                        }
                    }
                    return Ok(ON);
                }
                let mut walk = self.walk(path, focus)?;
                while let Some(node) = walk.next(self)? {
                    if visit(Item::Node(node))?.is_break() {
                        return Ok(STOP);
                    }
                }
                Ok(ON)
            }
            Expr::Filter(base, predicates) => {
                self.deeper()?;
                self.filter(base, predicates, focus, visit)
            }
            Expr::Flwor(flwor) => {
                self.deeper()?;
                self.flwor(flwor, focus, &mut || self.each(&flwor.result, focus, visit))
            }
            Expr::If(parts) => {
                self.deeper()?;
                let branch = if self.is_true(&parts[0], focus)? { &parts[1] } else { &parts[2] };
                self.each(branch, focus, visit)
            }
            Expr::Call(Function::Data, _, arguments) => {
                self.deeper()?;
                self.each_atomic(&arguments[0], focus, &mut |value| visit(Item::Atomic(value)))
            }
            Expr::Call(Function::DistinctValues, _, arguments) => {
                self.deeper()?;
                self.distinct(&arguments[0], focus, visit)
            }
            Expr::Values(values) => {
                self.deeper()?;
                self.values(values, focus, visit)
            }
            // What is constructed is only written, or counts as there (X1).
            Expr::Element(_)
            | Expr::Attribute(..)
            | Expr::Text(_)
            | Expr::Literal(_)
            | Expr::Comment(_)
            | Expr::Instruction(..) => visit(Item::Node(Document::ROOT)),
            expr => {
                self.deeper()?;
                match self.scalar(expr, focus)? {
                    Some(value) => visit(Item::Atomic(value)),
                    None => Ok(ON),
                }
            }
        }
    }

    /// Calls back for each item as an atomic value.
    fn each_atomic(
        &self,
        expr: &'r Expr,
        focus: &Focus<'r>,
        visit: &mut dyn FnMut(Atomic<'r>) -> SqlResult<Flow>,
    ) -> SqlResult<Flow> {
        self.each(expr, focus, &mut |item| visit(self.data(item)?))
    }

    /// All items.
    fn all(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Bag<Item<'r>>> {
        let mut bag = Bag::new();
        let _ = self.each(expr, focus, &mut |item| {
            let bytes = match &item {
                Item::Node(_) => 0,
                Item::Atomic(value) => value.bytes(),
            };
            bag.push(item, bytes, self.meter.account).map(|()| ON)
        })?;
        Ok(bag)
    }

    /// The first item.
    fn first(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Option<Item<'r>>> {
        match expr {
            Expr::Context => return Ok(Some(focus.item.clone())),
            Expr::Constant(value) => return Ok(Some(Item::Atomic(value.clone()))),
            _ => {}
        }
        let mut found = None;
        let _ = self.each(expr, focus, &mut |item| {
            found = Some(item);
            Ok(STOP)
        })?;
        Ok(found)
    }

    /// The first item as an atomic value.
    fn value(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Option<Atomic<'r>>> {
        self.first(expr, focus)?.map(|item| self.data(item)).transpose()
    }

    /// The text of the first item; none is empty.
    fn text(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Cow<'r, str>> {
        Ok(self.value(expr, focus)?.map_or(Cow::Borrowed(""), Atomic::into_text))
    }

    fn data(&self, item: Item<'r>) -> SqlResult<Atomic<'r>> {
        let node = match item {
            Item::Atomic(value) => return Ok(value),
            Item::Node(node) => node,
        };
        let ty = match self.document.kind(node) {
            NodeKind::Comment | NodeKind::Instruction => AtomicType::String,
            _ => AtomicType::Untyped,
        };
        Ok(Atomic::Text(ty, self.string_value(node)?))
    }

    /// Calls back for each value of typed nodes; those that are nil have none.
    fn values(
        &self,
        values: &'r Values,
        focus: &Focus<'r>,
        visit: Visit<'_, 'r>,
    ) -> SqlResult<Flow> {
        self.each(&values.nodes, focus, &mut |item| {
            let node = match item {
                Item::Atomic(_) => return visit(item),
                Item::Node(node) => node,
            };
            if self.is_nil(node) {
                return Ok(ON);
            }
            let text = self.string_value(node)?;
            if !values.is_list {
                let value = typed(text, &values.members);
                return value.map_or(Ok(ON), |value| visit(Item::Atomic(value)));
            }
            let mut at = 0;
            loop {
                let Some(part) = next_part(&text, &mut at) else { return Ok(ON) };
                self.work(1 + part.len().min(STRIDE))?;
                if let Some(value) = typed(part, &values.members)
                    && visit(Item::Atomic(value))?.is_break()
                {
                    return Ok(STOP);
                }
            }
        })
    }

    /// Whether an element says that it has no value.
    fn is_nil(&self, node: NodeId) -> bool {
        self.document.kind(node) == NodeKind::Element
            && self.document.attributes(node).any(|own| {
                let name = self.document.name(own);
                let is_true = matches!(self.document.value(own), "true" | "1");
                is_true && name.local == "nil" && name.uri == INSTANCE_URI
            })
    }

    /// A value as of a type of the schemas, which comes from an atomic one.
    fn conformed(
        &self,
        value: Atomic<'r>,
        ty: AtomicType,
        of: TypeId,
    ) -> SqlResult<Option<Atomic<'r>>> {
        let Some(schema) = &self.query.schema else { return Ok(None) };
        let text = value.into_text();
        self.work(text.len().min(STRIDE))?;
        let mut stride = Stride::new(self.meter.pace());
        let mut scope = Scope { uri: &|_| None, stride: &mut stride };
        let read = schema.collection.read(of, &text, &mut scope);
        match read {
            Ok(read) => {
                let text = Cow::Owned(read.text.into_owned());
                Ok(Atomic::Text(AtomicType::Untyped, text).cast(ty))
            }
            Err(NoValue::Stopped(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// All text below a node.
    fn string_value(&self, node: NodeId) -> SqlResult<Cow<'r, str>> {
        self.meter.string_value(self.document, node)
    }

    /// The effective boolean value.
    fn is_true(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<bool> {
        Ok(match self.first(expr, focus)? {
            None => false,
            Some(Item::Atomic(Atomic::Boolean(value))) => value,
            Some(_) => true,
        })
    }

    fn external(&self, number: usize) -> Option<Atomic<'r>> {
        let ty = self.query.types[number].unwrap_or(AtomicType::Untyped);
        let value = match *self.externals.get(number)? {
            Value::Null | Value::Xml(_) => return None,
            Value::Boolean(value) => Atomic::Boolean(value),
            Value::Integer(value) => Atomic::Exact(ty, i128::from(value) * UNIT),
            Value::Decimal(value, scale) => {
                Atomic::Exact(ty, decimal::rescale(value, scale, SCALE, Rounding::Round)?)
            }
            Value::Double(value) => Atomic::Double(value),
            Value::Float(value) => Atomic::Float(value),
            Value::Text(text) => return Some(Atomic::Text(ty, Cow::Borrowed(text))),
            Value::Temporal(text) => {
                // The text is kept as it is given, with all its digits.
                let parsed = Atomic::string(text).cast(ty)?;
                return Some(match parsed {
                    Atomic::Temporal(ty, ticks, _) => {
                        Atomic::Temporal(ty, ticks, Cow::Borrowed(text))
                    }
                    other => other,
                });
            }
        };
        value.cast(ty)
    }

    /// The value of an expression that has one at most.
    fn scalar(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Option<Atomic<'r>>> {
        let truth = |value| Ok(Some(Atomic::Boolean(value)));
        match expr {
            Expr::Constant(value) => Ok(Some(value.clone())),
            Expr::External(number) => Ok(self.external(*number)),
            Expr::And(all) => {
                for one in all {
                    if !self.is_true(one, focus)? {
                        return truth(false);
                    }
                }
                truth(true)
            }
            Expr::Or(all) => {
                for one in all {
                    if self.is_true(one, focus)? {
                        return truth(true);
                    }
                }
                truth(false)
            }
            Expr::Compare(compare) => self.compare(compare, focus),
            Expr::NodeCompare(order, operands) => {
                let [left, right] = &**operands;
                let pair = (self.first(left, focus)?, self.first(right, focus)?);
                let (Some(Item::Node(a)), Some(Item::Node(b))) = pair else {
                    return Ok(None);
                };
                truth(match order {
                    NodeOrder::Is => a == b,
                    NodeOrder::Before => a < b,
                    NodeOrder::After => a > b,
                })
            }
            Expr::Arithmetic(first, rest) => {
                let Some(mut value) = self.number(first, focus)? else {
                    return Ok(None);
                };
                for (operator, ty, operand) in rest {
                    let Some(right) = self.number(operand, focus)? else {
                        return Ok(None);
                    };
                    match atomic::calculate(*operator, *ty, &value, &right) {
                        Some(result) => value = result,
                        None => return Ok(None),
                    }
                }
                Ok(Some(value))
            }
            Expr::Negate(ty, operand) => Ok(match self.number(operand, focus)? {
                Some(Atomic::Exact(_, value)) => Some(Atomic::Exact(*ty, -value)),
                Some(Atomic::Double(value)) => Some(Atomic::Double(-value)),
                Some(Atomic::Float(value)) => Some(Atomic::Float(-value)),
                _ => None,
            }),
            Expr::Cast(ty, operand) => {
                Ok(self.value(operand, focus)?.and_then(|value| value.cast(*ty)))
            }
            Expr::Conform(ty, of, operand) => {
                let Some(value) = self.value(operand, focus)? else { return Ok(None) };
                self.conformed(value, *ty, *of)
            }
            Expr::InstanceOf(operand, test) => {
                let item = self.first(operand, focus)?;
                truth(self.is_instance(item, test))
            }
            Expr::Quantified(quantified) => {
                let is_every = quantified.is_every;
                let mut result = is_every;
                let _ = self.bind(&quantified.clauses, focus, &mut || {
                    let holds = self.is_true(&quantified.test, focus)?;
                    if holds == is_every {
                        return Ok(ON);
                    }
                    result = holds;
                    Ok(STOP)
                })?;
                truth(result)
            }
            Expr::Call(function, ty, arguments) => self.call(*function, *ty, arguments, focus),
            _ => Ok(None),
        }
    }

    /// An operand of arithmetic: untyped text counts as a double.
    fn number(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Option<Atomic<'r>>> {
        Ok(self.value(expr, focus)?.and_then(as_number))
    }

    fn is_instance(&self, item: Option<Item<'r>>, test: &ItemTest) -> bool {
        match (item, test) {
            (None, ItemTest::Empty) => true,
            (Some(_), ItemTest::Empty) => false,
            (None, ItemTest::Item { empty })
            | (None, ItemTest::Atomic { empty, .. })
            | (None, ItemTest::Node { empty, .. }) => *empty,
            (Some(_), ItemTest::Item { .. }) => true,
            (Some(item), ItemTest::Atomic { matches, .. }) => {
                *matches && matches!(item, Item::Atomic(_))
            }
            (Some(Item::Atomic(_)), ItemTest::Node { .. }) => false,
            (Some(Item::Node(node)), ItemTest::Node { ty, name, .. }) => {
                let kind = self.document.kind(node);
                let is_kind = match ty {
                    None => true,
                    Some(NodeType::Element(_)) => kind == NodeKind::Element,
                    Some(NodeType::Attribute(_)) => kind == NodeKind::Attribute,
                    Some(NodeType::Text) => kind == NodeKind::Text,
                    Some(NodeType::Comment) => kind == NodeKind::Comment,
                    Some(NodeType::Instruction) => kind == NodeKind::Instruction,
                    Some(NodeType::Document | NodeType::Union(_)) => kind == NodeKind::Root,
                };
                let own = self.document.name(node);
                let is_instruction = kind == NodeKind::Instruction;
                let is_named = name.as_ref().is_none_or(|name| {
                    name.local.as_deref().is_none_or(|local| local == own.local)
                        && (is_instruction || name.uri.as_deref().is_none_or(|uri| uri == own.uri))
                });
                is_kind && is_named
            }
        }
    }

    fn compare(&self, compare: &'r Compare, focus: &Focus<'r>) -> SqlResult<Option<Atomic<'r>>> {
        let Compare { is_general, order, class, left, right, .. } = compare;
        let holds =
            |a: &Atomic<'_>, b: &Atomic<'_>| a.compare(b, *class).map(|found| order.holds(found));
        if !is_general {
            let Some(a) = self.value(left, focus)? else {
                return Ok(None);
            };
            let b = self.value(right, focus)?;
            return Ok(b.and_then(|b| holds(&a, &b)).map(Atomic::Boolean));
        }
        let mut found = false;
        if let Expr::Constant(b) = right {
            let _ = self.each_atomic(left, focus, &mut |a| {
                found = holds(&a, b) == Some(true);
                Ok(if found { STOP } else { ON })
            })?;
            return Ok(Some(Atomic::Boolean(found)));
        }
        let mut others = Bag::new();
        let _ = self.each_atomic(right, focus, &mut |b| {
            let bytes = b.bytes();
            others.push(b, bytes, self.meter.account).map(|()| ON)
        })?;
        if others.items.is_empty() {
            return Ok(Some(Atomic::Boolean(false)));
        }
        let _ = self.each_atomic(left, focus, &mut |a| {
            for b in &others.items {
                self.work(1 + a.bytes().min(STRIDE))?;
                if holds(&a, b) == Some(true) {
                    found = true;
                    return Ok(STOP);
                }
            }
            Ok(ON)
        })?;
        Ok(Some(Atomic::Boolean(found)))
    }

    /// Runs the body for each combination of what the clauses bind.
    fn bind(
        &self,
        clauses: &'r [Clause],
        focus: &Focus<'r>,
        body: &mut dyn FnMut() -> SqlResult<Flow>,
    ) -> SqlResult<Flow> {
        let Some((clause, rest)) = clauses.split_first() else {
            return body();
        };
        self.deeper()?;
        let set = |bound| self.variables.borrow_mut()[clause.slot] = bound;
        match (&clause.source, clause.is_loop) {
            (Expr::Path(path), true) if !path.is_unsorted => {
                let mut walk = self.walk(path, focus)?;
                while let Some(node) = walk.next(self)? {
                    set(Bound::Item(Item::Node(node)));
                    if self.bind(rest, focus, body)?.is_break() {
                        return Ok(STOP);
                    }
                }
                Ok(ON)
            }
            (source, true) => {
                for item in self.all(source, focus)?.items {
                    self.work(1)?;
                    set(Bound::Item(item));
                    if self.bind(rest, focus, body)?.is_break() {
                        return Ok(STOP);
                    }
                }
                Ok(ON)
            }
            (source, false) => {
                let all = self.all(source, focus)?;
                set(Bound::Items(Rc::new(all)));
                self.bind(rest, focus, body)
            }
        }
    }

    /// Runs the body with the variables of each tuple that satisfies the condition, in order.
    fn flwor(
        &self,
        flwor: &'r Flwor,
        focus: &Focus<'r>,
        body: &mut dyn FnMut() -> SqlResult<Flow>,
    ) -> SqlResult<Flow> {
        let holds = || match &flwor.condition {
            Some(condition) => self.is_true(condition, focus),
            None => Ok(true),
        };
        if flwor.keys.is_empty() {
            return self.bind(&flwor.clauses, focus, &mut || match holds()? {
                true => body(),
                false => Ok(ON),
            });
        }
        let mut tuples = Bag::new();
        let _ = self.bind(&flwor.clauses, focus, &mut || {
            if !holds()? {
                return Ok(ON);
            }
            let mut bytes = 0;
            let mut keys = Vec::with_capacity(flwor.keys.len());
            for key in &flwor.keys {
                let value = self.value(&key.expr, focus)?;
                bytes += size_of::<Atomic<'_>>() + value.as_ref().map_or(0, Atomic::bytes);
                keys.push(value);
            }
            let variables = self.variables.borrow();
            let bound = flwor.clauses.iter().map(|clause| variables[clause.slot].clone());
            let bound: Vec<Bound<'r>> = bound.collect();
            bytes += bound.len() * size_of::<Bound<'_>>();
            tuples.push((keys, bound), bytes, self.meter.account).map(|()| ON)
        })?;
        let keys = &flwor.keys;
        tuples.items.sort_by(|(a, _), (b, _)| {
            let pairs = a.iter().zip(b).zip(keys);
            let mut orders = pairs.map(|((a, b), key)| {
                let order = match (a, b) {
                    (Some(a), Some(b)) => a.compare(b, a.ty().class()),
                    (a, b) => Some(a.is_some().cmp(&b.is_some())),
                };
                let order = order.unwrap_or(std::cmp::Ordering::Equal);
                if key.is_descending { order.reverse() } else { order }
            });
            orders.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        for (_, bound) in tuples.items {
            self.work(1)?;
            for (clause, bound) in flwor.clauses.iter().zip(bound) {
                self.variables.borrow_mut()[clause.slot] = bound;
            }
            if body()?.is_break() {
                return Ok(STOP);
            }
        }
        Ok(ON)
    }

    /// Whether an item passes a predicate.
    fn passes(&self, predicate: &'r Predicate, focus: &Focus<'r>) -> SqlResult<bool> {
        match predicate {
            Predicate::Position(wanted) => Ok(focus.position as u64 == *wanted),
            Predicate::Test(expr) => self.is_true(expr, focus),
            Predicate::Number(expr) => {
                let value = self.value(expr, focus)?;
                Ok(value.and_then(|value| value.number()) == Some(focus.position as f64))
            }
        }
    }

    fn filter(
        &self,
        base: &'r Expr,
        predicates: &'r Predicates,
        focus: &Focus<'r>,
        visit: Visit<'_, 'r>,
    ) -> SqlResult<Flow> {
        if !predicates.needs_last {
            let mut counts = vec![0; predicates.list.len()];
            let mut flow = ON;
            let _ = self.each(base, focus, &mut |item| {
                let (passes, is_over) = self.sift(predicates, &mut counts, &item)?;
                if passes {
                    flow = visit(item)?;
                }
                Ok(if is_over { STOP } else { flow })
            })?;
            return Ok(flow);
        }
        let mut items = self.all(base, focus)?.items;
        for predicate in &predicates.list {
            let last = items.len();
            let mut kept = Vec::new();
            for (at, item) in items.into_iter().enumerate() {
                let focus = Focus { item, position: at + 1, last };
                if self.passes(predicate, &focus)? {
                    kept.push(focus.item);
                }
            }
            items = kept;
        }
        for item in items {
            if visit(item)?.is_break() {
                return Ok(STOP);
            }
        }
        Ok(ON)
    }

    /// Whether the next item passes all predicates, and whether none after it can.
    fn sift(
        &self,
        predicates: &'r Predicates,
        counts: &mut [usize],
        item: &Item<'r>,
    ) -> SqlResult<(bool, bool)> {
        self.work(1)?;
        let mut is_over = false;
        for (predicate, count) in predicates.list.iter().zip(counts) {
            *count += 1;
            if let Predicate::Position(wanted) = predicate {
                is_over |= *count as u64 >= *wanted;
            }
            let focus = Focus { item: item.clone(), position: *count, last: 0 };
            if !self.passes(predicate, &focus)? {
                return Ok((false, is_over));
            }
        }
        Ok((true, is_over))
    }

    fn walk(&self, path: &'r Path, focus: &Focus<'r>) -> SqlResult<Walk<'r>> {
        let single = match &path.base {
            Expr::Context => match focus.item {
                Item::Node(node) => Some(node),
                Item::Atomic(_) => None,
            },
            Expr::Root => Some(Document::ROOT),
            Expr::Variable(slot) => match self.variables.borrow()[*slot] {
                Bound::Item(Item::Node(node)) => Some(node),
                _ => None,
            },
            _ => None,
        };
        if let Some(node) = single {
            return Ok(Walk::new(&path.steps, vec![node], None));
        }
        let bag = match &path.base {
            Expr::Path(inner) if inner.is_unsorted => self.sorted(inner, focus)?,
            base => self.node_bag(base, focus)?,
        };
        Ok(Walk::new(&path.steps, bag.items, bag.charged))
    }

    fn node_bag(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Bag<NodeId>> {
        let mut bag = Bag::new();
        let _ = self.each(expr, focus, &mut |item| {
            if let Item::Node(node) = item {
                bag.push(node, 0, self.meter.account)?;
            }
            Ok(ON)
        })?;
        Ok(bag)
    }

    /// The nodes of a path in document order, each once.
    fn sorted(&self, path: &'r Path, focus: &Focus<'r>) -> SqlResult<Bag<NodeId>> {
        let mut walk = self.walk(path, focus)?;
        let mut bag = Bag::new();
        while let Some(node) = walk.next(self)? {
            bag.push(node, 0, self.meter.account)?;
        }
        if !bag.items.is_sorted() {
            bag.items.sort_unstable();
        }
        bag.items.dedup();
        Ok(bag)
    }

    /// The nodes of an expression in document order, each once.
    fn node_set(&self, expr: &'r Expr, focus: &Focus<'r>) -> SqlResult<Bag<NodeId>> {
        let mut bag = self.node_bag(expr, focus)?;
        bag.items.sort_unstable();
        bag.items.dedup();
        Ok(bag)
    }
}

/// A text as of the first type that takes it.
fn typed<'r>(text: Cow<'r, str>, members: &[AtomicType]) -> Option<Atomic<'r>> {
    if let [only] = members
        && only.class() == Class::Text
    {
        return Some(Atomic::Text(*only, text));
    }
    members.iter().find_map(|ty| Atomic::Text(AtomicType::Untyped, text.clone()).cast(*ty))
}

/// The next word of a text from a place, which goes behind it.
fn next_part<'r>(text: &Cow<'r, str>, at: &mut usize) -> Option<Cow<'r, str>> {
    let rest = &text[*at..];
    let word = rest.trim_ascii_start();
    let start = *at + rest.len() - word.len();
    let length = word.find(|c: char| c.is_ascii_whitespace()).unwrap_or(word.len());
    *at = start + length;
    let range = start..*at;
    (length > 0).then(|| match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[range]),
        Cow::Owned(text) => Cow::Owned(text[range].to_string()),
    })
}

/// A value as a number, if it is one.
fn as_number(value: Atomic<'_>) -> Option<Atomic<'_>> {
    match value {
        Atomic::Text(AtomicType::Untyped, _) => value.cast(AtomicType::Double),
        Atomic::Exact(..) | Atomic::Double(_) | Atomic::Float(_) => Some(value),
        _ => None,
    }
}

fn start<'r>(query: &'r Query, input: Input<'r>) -> (Run<'r>, Focus<'r>) {
    let focus = Focus { item: Item::Node(input.node), position: 1, last: 1 };
    (Run::new(query, input), focus)
}

fn expr(query: &Query) -> &Expr {
    match &query.body {
        Body::Expr(expr) => expr,
        _ => unreachable!("the query is not for modify()"),
    }
}

pub(crate) fn query(query: &Query, input: Input<'_>) -> SqlResult<Document> {
    let (run, focus) = start(query, input);
    let mut emitter = emit::Emitter::new(&run, false);
    emitter.emit(expr(query), &focus)?;
    Ok(emitter.finish()?.0)
}

pub(crate) fn value<'a>(
    query: &'a Query,
    input: Input<'a>,
) -> SqlResult<Option<(AtomicType, Cow<'a, str>)>> {
    let (run, focus) = start(query, input);
    let value = run.value(expr(query), &focus)?;
    Ok(value.map(|value| (value.ty(), value.into_text())))
}

pub(crate) fn exist(query: &Query, input: Input<'_>) -> SqlResult<bool> {
    let (run, focus) = start(query, input);
    Ok(run.first(expr(query), &focus)?.is_some())
}

pub(crate) fn nodes(
    query: &Query,
    input: Input<'_>,
    each: &mut dyn FnMut(NodeId) -> SqlResult<()>,
) -> SqlResult<()> {
    let (run, focus) = start(query, input);
    let _ = run.each(expr(query), &focus, &mut |item| {
        if let Item::Node(node) = item {
            each(node)?;
        }
        Ok(ON)
    })?;
    Ok(())
}

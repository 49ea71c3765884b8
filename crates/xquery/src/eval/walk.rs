//! Steps of a path, pulled node by node.

use base::account::Charged;
use base::error::SqlResult;
use base::xml::{NodeId, NodeKind};

use super::{Bag, Focus, Item, Run};
use crate::expr::{Axis, NodeTest, Step};

/// The numbers that names which a test selects have in the document.
pub(super) enum Numbers {
    None,
    One(u32),
    Many(Vec<u32>),
}

impl Numbers {
    fn has(&self, number: u32) -> bool {
        match self {
            Numbers::None => false,
            Numbers::One(one) => *one == number,
            Numbers::Many(all) => all.binary_search(&number).is_ok(),
        }
    }
}

/// Where a step is among what it may select from one context node.
struct Level<'r> {
    step: &'r Step,
    context: NodeId,
    next: NodeId,
    end: NodeId,
    counts: Vec<usize>,
    is_over: bool,
    /// What is selected, where it had to be found as a whole.
    found: Option<std::vec::IntoIter<NodeId>>,
}

pub(super) struct Walk<'r> {
    steps: &'r [Step],
    bases: std::vec::IntoIter<NodeId>,
    levels: Vec<Level<'r>>,
    _charged: Option<Charged>,
}

impl<'r> Walk<'r> {
    pub(super) fn new(steps: &'r [Step], bases: Vec<NodeId>, charged: Option<Charged>) -> Walk<'r> {
        let levels = Vec::with_capacity(steps.len());
        Walk { steps, bases: bases.into_iter(), levels, _charged: charged }
    }

    /// The next node that the steps lead to.
    pub(super) fn next(&mut self, run: &Run<'r>) -> SqlResult<Option<NodeId>> {
        loop {
            let Some(level) = self.levels.last_mut() else {
                let Some(base) = self.bases.next() else {
                    return Ok(None);
                };
                let Some(step) = self.steps.first() else {
                    return Ok(Some(base));
                };
                self.levels.push(Level::new(step, base, run)?);
                continue;
            };
            match level.advance(run)? {
                None => {
                    self.levels.pop();
                }
                Some(node) => match self.steps.get(self.levels.len()) {
                    None => return Ok(Some(node)),
                    Some(step) => self.levels.push(Level::new(step, node, run)?),
                },
            }
        }
    }
}

impl<'r> Level<'r> {
    fn new(step: &'r Step, context: NodeId, run: &Run<'r>) -> SqlResult<Level<'r>> {
        let next = match step.axis {
            Axis::Child | Axis::Attribute | Axis::Descendant => context.next(),
            Axis::Itself | Axis::DescendantOrSelf | Axis::Parent => context,
        };
        let end = match step.axis {
            Axis::Itself | Axis::Parent => context.next(),
            _ => run.document.after(context),
        };
        let counts = vec![0; step.predicates.list.len()];
        let mut level = Level { step, context, next, end, counts, is_over: false, found: None };
        if step.predicates.needs_last {
            level.find_all(run)?;
        }
        Ok(level)
    }

    /// Selects all nodes at once, so that their number is known.
    fn find_all(&mut self, run: &Run<'r>) -> SqlResult<()> {
        let mut bag = Bag::new();
        while let Some(node) = self.candidate(run)? {
            bag.push(node, 0, run.meter.account)?;
        }
        for predicate in &self.step.predicates.list {
            let last = bag.items.len();
            let mut position = 0;
            let mut failure = None;
            bag.items.retain(|node| {
                position += 1;
                let focus = Focus { item: Item::Node(*node), position, last };
                failure.is_none()
                    && run.passes(predicate, &focus).unwrap_or_else(|error| {
                        failure = Some(error);
                        false
                    })
            });
            if let Some(error) = failure {
                return Err(error);
            }
        }
        self.found = Some(bag.items.into_iter());
        Ok(())
    }

    fn advance(&mut self, run: &Run<'r>) -> SqlResult<Option<NodeId>> {
        if let Some(found) = &mut self.found {
            return Ok(found.next());
        }
        while !self.is_over {
            let Some(node) = self.candidate(run)? else {
                return Ok(None);
            };
            if self.counts.is_empty() {
                return Ok(Some(node));
            }
            let item = Item::Node(node);
            let (passes, is_over) = run.sift(&self.step.predicates, &mut self.counts, &item)?;
            self.is_over = is_over;
            if passes {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// The next node that axis and test select.
    fn candidate(&mut self, run: &Run<'r>) -> SqlResult<Option<NodeId>> {
        let document = run.document;
        while self.next < self.end {
            let mut node = self.next;
            let kind = document.kind(node);
            let is_own = matches!(kind, NodeKind::Namespace | NodeKind::Attribute);
            self.next = node.next();
            match self.step.axis {
                Axis::Child => {
                    self.next = document.after(node);
                    if is_own {
                        continue;
                    }
                }
                Axis::Attribute => {
                    if !is_own {
                        self.next = self.end;
                        return Ok(None);
                    }
                    if kind == NodeKind::Namespace {
                        continue;
                    }
                }
                Axis::Descendant | Axis::DescendantOrSelf => {
                    if is_own && node != self.context {
                        continue;
                    }
                    run.work(1)?;
                }
                Axis::Itself => {}
                Axis::Parent => match document.parent(node) {
                    Some(parent) => node = parent,
                    None => return Ok(None),
                },
            }
            if self.selects(node, run) {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    fn selects(&self, node: NodeId, run: &Run<'r>) -> bool {
        let kind = run.document.kind(node);
        match &self.step.test {
            NodeTest::Any => true,
            NodeTest::Text => kind == NodeKind::Text,
            NodeTest::Comment => kind == NodeKind::Comment,
            NodeTest::Element => kind == NodeKind::Element,
            NodeTest::Attribute => kind == NodeKind::Attribute,
            NodeTest::Document => kind == NodeKind::Root,
            NodeTest::Instruction(target) => {
                kind == NodeKind::Instruction
                    && target.as_deref().is_none_or(|t| t == run.document.name(node).local)
            }
            NodeTest::Name(name) => {
                let wanted = match self.step.axis {
                    Axis::Attribute => NodeKind::Attribute,
                    _ => NodeKind::Element,
                };
                if kind != wanted {
                    return false;
                }
                if name.uri.is_none() && name.local.is_none() {
                    return true;
                }
                let numbers = run.numbers[self.step.number].get_or_init(|| {
                    let named = run.document.names().enumerate().filter(|(_, own)| {
                        name.local.as_deref().is_none_or(|local| local == own.local)
                            && name.uri.as_deref().is_none_or(|uri| uri == own.uri)
                    });
                    let mut all: Vec<u32> = named.map(|(number, _)| number as u32).collect();
                    match all.len() {
                        0 => Numbers::None,
                        1 => Numbers::One(all.remove(0)),
                        _ => Numbers::Many(all),
                    }
                });
                numbers.has(run.document.name_number(node))
            }
        }
    }
}

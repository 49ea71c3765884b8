//! Checks a whole tree that is not being changed: order, fences, links, levels, reachability,
//! chains.

use std::collections::HashSet;

use super::KEY_BYTES_MAX;
use super::Tree;
use super::descend::Waypoint;
use super::drop::chains;
use super::entry::{Chain, Payload};
use super::error::{Damage, TreeError};
use super::node::{Node, hints_are_right};
use super::overflow;
use super::statistics::Measures;
use crate::cold::ColdError;
use crate::cold::{Access, PageNumber, Pages};
use crate::wait::Task;

/// A defect of a tree.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The page where it was found.
    pub page: PageNumber,
    /// What is wrong.
    pub what: String,
}

/// The result of a check.
#[derive(Clone, Default, Debug)]
pub struct Verified {
    /// All defects, in the order in which they were found.
    pub findings: Vec<Finding>,
    /// The tree, as far as it could be read.
    pub measures: Measures,
}

/// A node as the one above it describes it: its page, level and fences.
#[derive(Clone, Copy)]
struct Expected<'a> {
    at: Waypoint,
    lower: &'a [u8],
    upper: Option<&'a [u8]>,
}

/// A check in progress, which goes from left to right.
struct Verifier<'v, 't, P> {
    tree: Tree,
    pages: &'v P,
    task: &'v Task<'t>,
    seen: HashSet<PageNumber>,
    /// By level, the node that was checked last.
    newest: Vec<Option<CheckedNode>>,
    verified: Verified,
}

/// A node that was checked.
#[derive(Clone, Copy)]
struct CheckedNode {
    page: PageNumber,
    /// Its right link.
    right: PageNumber,
}

impl Tree {
    /// Checks all pages of a tree that is not being changed. Defects are in the result; an error
    /// means that the task was interrupted.
    pub fn verify<P: Pages>(&self, pages: &P, task: &Task<'_>) -> Result<Verified, TreeError> {
        let mut verifier = Verifier {
            tree: *self,
            pages,
            task,
            seen: HashSet::new(),
            newest: Vec::new(),
            verified: Verified::default(),
        };
        verifier.node(Expected { at: self.start(), lower: &[], upper: None })?;
        for CheckedNode { page, right } in verifier.newest.clone().into_iter().flatten() {
            if right != PageNumber(0) {
                verifier.find(page, "the last node of a level has a right link");
            }
        }
        verifier.verified.measures.levels = verifier.newest.len() as u32;
        Ok(verifier.verified)
    }
}

impl<P: Pages> Verifier<'_, '_, P> {
    fn find(&mut self, page: PageNumber, what: impl Into<String>) {
        self.verified.findings.push(Finding { page, what: what.into() });
    }

    /// Adds an error to the findings, unless it says that the task was interrupted.
    fn keep(&mut self, page: PageNumber, error: TreeError) -> Result<(), TreeError> {
        match error {
            TreeError::Page(ColdError::Interrupted(_)) => return Err(error),
            TreeError::Damaged { page, what } => self.find(page, what),
            error => self.find(page, error.to_string()),
        }
        Ok(())
    }

    /// Checks a node and everything below it.
    fn node(&mut self, expected: Expected<'_>) -> Result<(), TreeError> {
        self.task.checkpoint().map_err(ColdError::Interrupted)?;
        let Waypoint { page, level } = expected.at;
        if !self.seen.insert(page) {
            self.find(page, "a page is used twice");
            return Ok(());
        }
        let pinned = match self.pages.load(self.task, page, Access::Scan) {
            Ok(pinned) => pinned,
            Err(error) => {
                self.pass_by(level);
                return self.keep(page, error.into());
            }
        };
        let node = match self.tree.open(&pinned, level) {
            Ok(node) => node,
            Err(damage) => {
                self.pass_by(level);
                return self.keep(page, damage.at(page));
            }
        };
        if node.lower() != expected.lower || node.upper() != expected.upper {
            self.find(page, "a node's fences are not what the node above says");
        }
        self.link(page, &node);
        let mut whole = true;
        for Damage(what) in faults(&node) {
            whole = false;
            self.find(page, what);
        }
        if let Err(damage) = self.verified.measures.add(&node) {
            return self.keep(page, damage.at(page));
        }
        match node.is_leaf() {
            true => self.chains(page, &node),
            false if whole => self.children(page, &node),
            false => {
                self.pass_by(node.level().checked_sub(1));
                Ok(())
            }
        }
    }

    /// Forgets the newest nodes of this level and of those below, when a node of this level cannot
    /// be read: its right link is unknown, and so are those of the nodes below it.
    fn pass_by(&mut self, level: Option<u8>) {
        let levels = level.map_or(0, |level| usize::from(level) + 1);
        self.newest.iter_mut().take(levels).for_each(|newest| *newest = None);
    }

    /// Checks that the node's left neighbour points to it.
    fn link(&mut self, page: PageNumber, node: &Node<'_>) {
        let level = usize::from(node.level());
        if self.newest.len() <= level {
            self.newest.resize(level + 1, None);
        }
        let checked = CheckedNode { page, right: node.right() };
        if let Some(left) = self.newest[level].replace(checked) {
            if left.right != page {
                self.find(left.page, "a right link leads to another node than the next");
            }
        }
    }

    fn children(&mut self, page: PageNumber, node: &Node<'_>) -> Result<(), TreeError> {
        let mut lower = node.lower().to_vec();
        for index in 0..=node.count() {
            let upper = match index < node.count() {
                true => Some(node.key(index).map_err(|damage| damage.at(page))?.to_vec()),
                false => node.upper().map(<[u8]>::to_vec),
            };
            match node.child(index) {
                Err(damage) => self.keep(page, damage.at(page))?,
                Ok(child) => {
                    let at = Waypoint { page: child, level: Some(node.level() - 1) };
                    self.node(Expected { at, lower: &lower, upper: upper.as_deref() })?;
                }
            }
            lower = upper.unwrap_or_default();
        }
        Ok(())
    }

    fn chains(&mut self, page: PageNumber, node: &Node<'_>) -> Result<(), TreeError> {
        match chains(node) {
            Err(damage) => self.keep(page, damage.at(page)),
            Ok(chains) => chains.into_iter().try_for_each(|chain| self.chain(chain)),
        }
    }

    fn chain(&mut self, chain: Chain) -> Result<(), TreeError> {
        let mut value = Vec::new();
        let mut twice = None;
        let (pages, task, seen) = (self.pages, self.task, &mut self.seen);
        let on_page = |page| {
            if !seen.insert(page) {
                twice = Some(page);
            }
        };
        let read =
            overflow::read_with_pages(pages, task, self.tree.root, chain, &mut value, on_page);
        if let Some(page) = twice {
            self.find(page, "a page is used twice");
        }
        match read {
            Ok(()) => Ok(()),
            Err(error) => self.keep(chain.first, error),
        }
    }
}

/// The defects of a node by itself.
pub(super) fn faults(node: &Node<'_>) -> Vec<Damage> {
    let checks = [keys_are_in_order, cells_lie_apart, payloads_make_sense, heads_are_right];
    checks.iter().filter_map(|check| check(node).err()).collect()
}

fn keys_are_in_order(node: &Node<'_>) -> Result<(), Damage> {
    let mut last: Option<Vec<u8>> = None;
    for index in 0..node.count() {
        let key = node.key(index)?.to_vec();
        if key.len() > KEY_BYTES_MAX {
            return Err(Damage("a key is too long"));
        }
        let ascends = match &last {
            Some(last) => *last < key,
            // The first child has the lower fence for a key.
            None if node.is_leaf() => *node.lower() <= *key,
            None => *node.lower() < *key,
        };
        if !ascends {
            return Err(Damage("keys do not ascend from the lower fence"));
        }
        last = Some(key);
    }
    let first_beyond = last.as_deref().unwrap_or(node.lower());
    match node.upper().is_none_or(|upper| first_beyond < upper) {
        true => Ok(()),
        false => Err(Damage("a key lies beyond the upper fence")),
    }
}

fn cells_lie_apart(node: &Node<'_>) -> Result<(), Damage> {
    let extents: Result<Vec<_>, _> = (0..node.count()).map(|index| node.extent(index)).collect();
    let mut extents = extents?;
    extents.sort_unstable();
    let mut end = node.heap();
    let mut used = 0;
    for (start, stop) in extents {
        if start < end {
            return Err(Damage("entries overlap"));
        }
        end = stop;
        used += stop - start;
    }
    if end > node.fences_at() {
        return Err(Damage("an entry reaches into the fences"));
    }
    match used + node.garbage() == node.fences_at() - node.heap() {
        true => Ok(()),
        false => Err(Damage("free space is not what the header says")),
    }
}

fn payloads_make_sense(node: &Node<'_>) -> Result<(), Damage> {
    for index in 0..node.count() {
        if node.is_leaf() {
            Payload::of(node, index)?;
        }
    }
    Ok(())
}

fn heads_are_right(node: &Node<'_>) -> Result<(), Damage> {
    for index in 0..node.count() {
        if !node.head_is_right(index)? {
            return Err(Damage("a slot's head is not its key's"));
        }
    }
    match hints_are_right(node) {
        true => Ok(()),
        false => Err(Damage("a hint is not its slot's head")),
    }
}

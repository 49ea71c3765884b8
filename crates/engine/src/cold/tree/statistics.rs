//! How large a tree is, how its keys are spread, and how many lie between two bounds.
//!
//! Nothing here counts as damage that a change in between explains; figures are estimates while the tree
//! is being changed.

use std::ops::Bound;

use super::Tree;
use super::descend::{Attempts, Waypoint, right_of};
use super::entry::{Entry, Payload, Stored};
use super::error::{Damage, TreeError};
use super::node::{Key, Node, Seek};
use super::scan::Range;
use super::{drop::chains, overflow};
use crate::cold::{Access, ColdError, PageNumber, Pages, Place};
use crate::wait::Task;

/// A tree, measured.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Measures {
    /// Entries in all leaves.
    pub entries: u64,
    /// Leaves.
    pub leaf_pages: u64,
    /// Nodes above the leaves.
    pub inner_pages: u64,
    /// Pages of overflow chains.
    pub overflow_pages: u64,
    /// Levels, one if the root is a leaf.
    pub levels: u32,
    /// Bytes of leaves that entries take.
    pub leaf_bytes_used: u64,
}

/// How the leaves of a tree lie in the files, in the order of their keys. Those that are on no disk yet are left out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LeafOrder {
    /// Leaves that have a place.
    pub placed: u64,
    /// Runs of leaves that lie one behind the other.
    pub fragments: u64,
    last: Option<Place>,
}

impl LeafOrder {
    fn add(&mut self, place: Place) {
        let follows = |last: Place| last.file == place.file && last.index + 1 == place.index;
        self.placed += 1;
        self.fragments += u64::from(!self.last.is_some_and(follows));
        self.last = Some(place);
    }
}

impl Tree {
    /// Counts everything, level by level along the right links. Reads all nodes, but no overflow pages.
    pub fn measure(&self, pages: &impl Pages, task: &Task<'_>) -> Result<Measures, TreeError> {
        Ok(self.measure_down_to(0, pages, task, &|_| None)?.0)
    }

    /// The same, or without reading leaves only levels and nodes, with how the leaves lie at the places that
    /// `place` knows.
    pub fn measure_order(
        &self,
        reads_leaves: bool,
        pages: &impl Pages,
        task: &Task<'_>,
        place: &dyn Fn(PageNumber) -> Option<Place>,
    ) -> Result<(Measures, LeafOrder), TreeError> {
        self.measure_down_to(u8::from(!reads_leaves), pages, task, place)
    }

    /// Counts levels and nodes, and nothing else. Reads what is above the leaves.
    pub fn measure_nodes(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
    ) -> Result<Measures, TreeError> {
        Ok(self.measure_down_to(1, pages, task, &|_| None)?.0)
    }

    fn measure_down_to(
        &self,
        lowest: u8,
        pages: &impl Pages,
        task: &Task<'_>,
        place: &dyn Fn(PageNumber) -> Option<Place>,
    ) -> Result<(Measures, LeafOrder), TreeError> {
        let mut attempts = Attempts::default();
        loop {
            match self.try_measure(lowest, pages, task, place) {
                Ok(measures) => return Ok(measures),
                Err(error) => attempts.again_after(error)?,
            }
        }
    }

    /// Reads the nodes of this level and of those above.
    fn try_measure(
        &self,
        lowest: u8,
        pages: &impl Pages,
        task: &Task<'_>,
        place: &dyn Fn(PageNumber) -> Option<Place>,
    ) -> Result<(Measures, LeafOrder), TreeError> {
        let (mut measures, mut order) = (Measures::default(), LeafOrder::default());
        let mut next_level = Some(self.start());
        while let Some(start) = next_level.take() {
            measures.levels += 1;
            let mut at = start;
            let mut lower = Vec::new();
            loop {
                task.checkpoint().map_err(ColdError::Interrupted)?;
                let pinned = pages.load(task, at.page, Access::Scan)?;
                let visited = self.open(&pinned, at.level).and_then(|node| {
                    // So that right links cannot go round in circles.
                    if *node.lower() != *lower || node.upper().is_some_and(|upper| *upper <= *lower)
                    {
                        return Err(Damage("fences do not meet"));
                    }
                    measures.add(&node)?;
                    if node.level() == 1 {
                        for leaf in node.children() {
                            place(leaf?).into_iter().for_each(|place| order.add(place));
                        }
                    } else if node.is_leaf() && measures.inner_pages == 0 {
                        place(at.page).into_iter().for_each(|place| order.add(place));
                    }
                    if node.level() > 0 && node.level() == lowest {
                        measures.leaf_pages += node.count() as u64 + 1;
                    } else if lower.is_empty() && !node.is_leaf() {
                        let level = Some(node.level() - 1);
                        next_level = Some(Waypoint { page: node.child(0)?, level });
                    }
                    Ok(node)
                });
                let node = visited.map_err(|damage| damage.at(at.page))?;
                let Some(upper) = node.upper() else { break };
                lower.clear();
                lower.extend_from_slice(upper);
                at = right_of(&node);
            }
        }
        if measures.inner_pages > 0 {
            measures.levels += u32::from(lowest); // not visited, but counted above
        }
        Ok((measures, order))
    }

    /// About how many entries lie in a range. Exact if its ends lie in one leaf or in neighbours under
    /// one node; otherwise what lies between them is taken to be as dense as what the ways to its ends
    /// show. Reads the pages on those ways.
    pub fn estimate(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        range: Range<'_>,
    ) -> Result<u64, TreeError> {
        let seek = match range.lower {
            Bound::Included(key) | Bound::Excluded(key) => Seek::At(key),
            Bound::Unbounded => Seek::At(&[]),
        };
        let low = self.way(pages, task, seek, |leaf| leaf.first_from(range.lower))?;
        let seek = match range.upper {
            Bound::Included(key) => Seek::At(key),
            Bound::Excluded(key) => Seek::Before(key),
            Bound::Unbounded => Seek::Last,
        };
        let high = self.way(pages, task, seek, |leaf| leaf.first_beyond(range.upper))?;
        Ok(between(&low, &high))
    }

    /// Hands about `count` entries to `take`, evenly spread and in order; as many as there are if there
    /// are fewer. Reads a leaf for each.
    pub fn sample(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        count: u32,
        mut take: impl FnMut(Entry<'_>),
    ) -> Result<(), TreeError> {
        let mut last = Vec::new();
        for number in 0..count {
            let share = (f64::from(number) + 0.5) / f64::from(count.max(1));
            self.at_share(pages, task, share, &mut |entry| {
                if last.is_empty() || entry.key.compare(&last).is_gt() {
                    last.clear();
                    entry.key.append_to(&mut last);
                    take(entry);
                }
            })?;
            task.checkpoint().map_err(ColdError::Interrupted)?;
        }
        Ok(())
    }

    /// The entry before which this share of the tree lies, if all subtrees are of one size.
    fn at_share(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        share: f64,
        take: &mut impl FnMut(Entry<'_>),
    ) -> Result<(), TreeError> {
        let mut attempts = Attempts::default();
        loop {
            match self.try_at_share(pages, task, share, take) {
                Ok(()) => return Ok(()),
                Err(error) => attempts.again_after(error)?,
            }
        }
    }

    fn try_at_share(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        share: f64,
        take: &mut impl FnMut(Entry<'_>),
    ) -> Result<(), TreeError> {
        let Waypoint { mut page, mut level } = self.start();
        let mut share = share;
        loop {
            let pinned = pages.load(task, page, Access::Scan)?;
            let at = |damage: Damage| damage.at(page);
            let node = self.open(&pinned, level).map_err(at)?;
            let places = node.count() + usize::from(!node.is_leaf());
            if places == 0 {
                return Ok(());
            }
            let place = share * places as f64;
            let index = (place as usize).min(places - 1);
            if node.is_leaf() {
                let (suffix, payload) = Payload::of(&node, index).map_err(at)?;
                let mut long = Vec::new();
                let value = match payload.value {
                    Stored::Inline(value) => value,
                    Stored::Chain(chain) => {
                        overflow::read(pages, task, self.root, chain, Access::Scan, &mut long)?;
                        &long
                    }
                };
                let key = Key { prefix: node.prefix(), suffix };
                take(Entry { key, stamp: payload.stamp, value });
                return Ok(());
            }
            share = (place - index as f64).clamp(0.0, 1.0);
            (page, level) = (node.child(index).map_err(at)?, Some(node.level() - 1));
        }
    }

    /// The way to a place in the tree: on each level from the root down, how many children or entries
    /// lie before it and how many there are.
    fn way(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        seek: Seek<'_>,
        in_leaf: impl Fn(&Node<'_>) -> Result<usize, Damage>,
    ) -> Result<Vec<Fork>, TreeError> {
        let mut way: Vec<Fork> = Vec::new();
        let mut at = self.start();
        let mut attempts = Attempts::default();
        loop {
            let step = pages.load(task, at.page, Access::Point).map_err(TreeError::from);
            let step = step.and_then(|pinned| {
                let read = self.open(&pinned, at.level).and_then(|node| {
                    let is_last = node.upper().is_none();
                    if node.is_leaf() {
                        let (before, of) = (in_leaf(&node)?, node.count());
                        return Ok((Fork { before, of, is_last }, None));
                    }
                    let before = node.child_index(seek)?;
                    let next =
                        Waypoint { page: node.child(before)?, level: Some(node.level() - 1) };
                    Ok((Fork { before, of: node.count() + 1, is_last }, Some(next)))
                });
                read.map_err(|damage| damage.at(at.page))
            });
            match step {
                Ok((fork, next)) => {
                    way.push(fork);
                    let Some(next) = next else { return Ok(way) };
                    at = next;
                }
                Err(error) => {
                    attempts.again_after(error)?;
                    way.clear();
                    at = self.start();
                }
            }
        }
    }
}

impl Measures {
    pub(super) fn add(&mut self, node: &Node<'_>) -> Result<(), Damage> {
        if !node.is_leaf() {
            self.inner_pages += 1;
            return Ok(());
        }
        self.leaf_pages += 1;
        self.entries += node.count() as u64;
        self.leaf_bytes_used += node.used() as u64;
        self.overflow_pages += chains(node)?.iter().map(overflow::pages_of).sum::<u64>();
        Ok(())
    }
}

/// A node on the way to a place.
#[derive(Clone, Copy, Debug)]
struct Fork {
    /// Children, or entries, before the place.
    before: usize,
    of: usize,
    /// Whether it is the last of its level, which may be as empty as can be.
    is_last: bool,
}

/// About how many entries lie between two places.
fn between(low: &[Fork], high: &[Fork]) -> u64 {
    let parts = low.iter().zip(high).position(|(low, high)| low.before != high.before);
    let Some(level) = parts else { return 0 };
    let (start, end) = (low[level].before, high[level].before);
    if end < start {
        return 0;
    }
    if level + 1 == low.len() {
        return (end - start) as u64;
    }
    let (low, high) = (&low[level + 1..], &high[level + 1..]);
    let typical: Vec<f64> = low.iter().zip(high).map(|(low, high)| typical(low, high)).collect();
    let amid = (end - start - 1) as f64 * typical.iter().product::<f64>();
    let before = high.iter().map(|fork| fork.before);
    let behind = low.iter().enumerate().map(|(level, fork)| {
        // A child on the way lies neither before nor behind; an entry at the place lies behind.
        let on_the_way = usize::from(level + 1 < low.len());
        fork.of.saturating_sub(fork.before + on_the_way)
    });
    (amid + below(before, &typical) + below(behind, &typical)).round() as u64
}

/// How many children or entries nodes of a level have.
fn typical(low: &Fork, high: &Fork) -> f64 {
    match (low.is_last, high.is_last) {
        (false, true) => low.of as f64,
        (true, false) => high.of as f64,
        _ => (low.of + high.of) as f64 / 2.0,
    }
}

/// Entries below so many nodes of each level.
fn below(nodes: impl Iterator<Item = usize>, typical: &[f64]) -> f64 {
    nodes
        .enumerate()
        .map(|(level, nodes)| nodes as f64 * typical[level + 1..].iter().product::<f64>())
        .sum()
}

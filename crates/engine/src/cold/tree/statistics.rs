//! Measures trees, and samples their entries.
//!
//! A state that a concurrent change explains does not count as damage; figures are estimates while
//! the tree is being changed.

use std::collections::BTreeMap;

use super::Tree;
use super::descend::{Attempts, Waypoint, right_of};
use super::entry::{Entry, Payload, Stored};
use super::error::{Damage, TreeError};
use super::node::{Key, Node};
use super::{drop::chains, overflow};
use crate::cold::{Access, ColdError, PageNumber, Pages, Place};
use crate::wait::Task;

/// The size of a tree.
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

/// Pages of an extent: consecutive pages of a file, from a multiple of this number on.
pub const EXTENT_PAGES: u32 = 8;

/// How the leaves of a tree lie in the files, in the order of their keys. Leaves that are not on
/// disk are left out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LeafOrder {
    /// Leaves that have a place.
    pub placed: u64,
    /// Runs of leaves at consecutive places.
    pub fragments: u64,
    /// Extents that they lie in.
    pub extents: u64,
    /// Runs of leaves in one extent.
    pub extent_runs: u64,
    /// Such runs whose extent does not follow that of the run before.
    pub extent_breaks: u64,
    last: Option<Place>,
    /// By file a bit for each extent: whether a leaf lies there.
    seen: BTreeMap<u8, Vec<u64>>,
}

impl LeafOrder {
    fn add(&mut self, place: Place) {
        let extent = |place: Place| place.index / EXTENT_PAGES;
        let last = self.last.filter(|last| last.file == place.file);
        self.placed += 1;
        self.fragments += u64::from(last.is_none_or(|last| last.index + 1 != place.index));
        if last.is_none_or(|last| extent(last) != extent(place)) {
            let follows = last.is_some_and(|last| extent(last) + 1 == extent(place));
            self.extent_runs += 1;
            self.extent_breaks += u64::from(self.last.is_some() && !follows);
            self.extents += u64::from(self.sees(place.file, extent(place)));
        }
        self.last = Some(place);
    }

    /// Notes an extent. Returns whether it is new.
    fn sees(&mut self, file: u8, extent: u32) -> bool {
        let words = self.seen.entry(file).or_default();
        let (word, bit) = ((extent / u64::BITS) as usize, 1 << (extent % u64::BITS));
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        let is_new = words[word] & bit == 0;
        words[word] |= bit;
        is_new
    }
}

impl Tree {
    /// Counts everything, level by level along the right links. Reads all nodes, but no overflow
    /// pages.
    pub fn measure(&self, pages: &impl Pages, task: &Task<'_>) -> Result<Measures, TreeError> {
        Ok(self.measure_down_to(0, pages, task, &|_| None)?.0)
    }

    /// As `measure`, and returns how the leaves lie, by the places that `place` returns. If it does
    /// not read leaves, it counts only levels and nodes.
    pub fn measure_order(
        &self,
        reads_leaves: bool,
        pages: &impl Pages,
        task: &Task<'_>,
        place: &dyn Fn(PageNumber) -> Option<Place>,
    ) -> Result<(Measures, LeafOrder), TreeError> {
        self.measure_down_to(u8::from(!reads_leaves), pages, task, place)
    }

    /// Counts only levels and nodes. Reads only the nodes above the leaves.
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

    /// Reads the nodes of the level `lowest` and of those above.
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
                    // Fences that ascend rule out cycles of right links.
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

    /// Calls `take` with the entries of about `leaves` leaves, which are evenly spread, or of all
    /// leaves if there are fewer: in order, and with the leaf's number. Entries whose values are in
    /// chains are left out.
    pub fn sample(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        leaves: u32,
        mut take: impl FnMut(u32, Entry<'_>),
    ) -> Result<(), TreeError> {
        let mut last = Vec::new();
        for number in 0..leaves {
            let share = (f64::from(number) + 0.5) / f64::from(leaves);
            let mut attempts = Attempts::default();
            // The same leaf may be read twice, and may change in between.
            let mut take_next = |entry: Entry<'_>| {
                if entry.key.compare(&last).is_gt() {
                    last.clear();
                    entry.key.append_to(&mut last);
                    take(number, entry);
                }
            };
            while let Err(error) = self.leaf_at(pages, task, share, &mut take_next) {
                attempts.again_after(error)?;
            }
            task.checkpoint().map_err(ColdError::Interrupted)?;
        }
        Ok(())
    }

    /// Calls `take` with the entries of the leaf at this share of the tree (0 to 1), as if all
    /// subtrees were of one size.
    fn leaf_at(
        &self,
        pages: &impl Pages,
        task: &Task<'_>,
        mut share: f64,
        take: &mut impl FnMut(Entry<'_>),
    ) -> Result<(), TreeError> {
        let Waypoint { mut page, mut level } = self.start();
        loop {
            let pinned = pages.load(task, page, Access::Point)?;
            let at = |damage: Damage| damage.at(page);
            let node = self.open(&pinned, level).map_err(at)?;
            if node.is_leaf() {
                for index in 0..node.count() {
                    let (suffix, Payload { stamp, value }) =
                        Payload::of(&node, index).map_err(at)?;
                    if let Stored::Inline(value) = value {
                        take(Entry { key: Key { prefix: node.prefix(), suffix }, stamp, value });
                    }
                }
                return Ok(());
            }
            let children = node.count() + 1;
            let place = share * children as f64;
            let index = (place as usize).min(children - 1);
            share = (place - index as f64).clamp(0.0, 1.0);
            (page, level) = (node.child(index).map_err(at)?, Some(node.level() - 1));
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

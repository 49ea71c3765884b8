//! Finds the parts of a tree that cannot be read, for DBCC CHECKTABLE, while writers change the
//! tree.
//!
//! The walk follows keys, not pages: it goes down from the root for each leaf, to the first key
//! that it has not seen. A page that cannot be read is a *gap* in the keys, which ends where the
//! node above says that the next page begins; there the walk goes on. The gap of an inner node
//! includes all pages below it.

use super::Tree;
use super::descend::{Attempts, STEPS_MAX, Waypoint, right_of};
use super::entry::{Payload, Stored};
use super::error::{Damage, TreeError};
use super::node::{Node, Seek};
use super::overflow;
use super::verify::faults;
use crate::cold::{Access, ColdError, PageNumber, Pages, RUN_PAGES};
use crate::wait::Task;

/// The walk ends when it has found this many gaps.
const GAPS_MAX: usize = 100_000;

/// A page that cannot be read.
#[derive(Clone, Debug)]
pub struct Gap {
    /// The page.
    pub page: PageNumber,
    /// Why it cannot be read.
    pub error: TreeError,
    /// Whether the page has part of a long value: then only that value is lost.
    pub is_overflow: bool,
    /// The first key that may be lost.
    pub lower: Vec<u8>,
    /// The first key after the gap; `None` if the gap goes to the end of the tree.
    pub upper: Option<Vec<u8>>,
}

/// A page on the way down, and the upper bound of its keys.
struct BoundedWaypoint {
    at: Waypoint,
    upper: Option<Vec<u8>>,
}

impl BoundedWaypoint {
    /// The gap that the page leaves, for a walk that has come to this key.
    fn lost(self, error: TreeError, from: &[u8]) -> Box<Gap> {
        let (page, lower) = (self.at.page, from.to_vec());
        Box::new(Gap { page, error, is_overflow: false, lower, upper: self.upper })
    }
}

impl Tree {
    /// Finds all pages that cannot be read or are inconsistent, in the order of their keys. An
    /// error means that the walk ended for another reason.
    pub fn gaps<P: Pages>(&self, pages: &P, task: &Task<'_>) -> Result<Vec<Gap>, TreeError> {
        let mut gaps = Vec::new();
        let mut next = Some(Vec::new());
        while let Some(from) = next.take().filter(|_| gaps.len() < GAPS_MAX) {
            next = match self.pass_leaf(pages, task, &from)? {
                Ok(upper) => upper,
                Err(gap) => {
                    let upper = gap.upper.clone();
                    gaps.push(*gap);
                    upper
                }
            };
        }
        Ok(gaps)
    }

    /// Reads the leaf that the key `from` belongs to. Returns the leaf's upper fence, or the gap
    /// that is there.
    fn pass_leaf<P: Pages>(
        &self,
        pages: &P,
        task: &Task<'_>,
        from: &[u8],
    ) -> Result<Result<Option<Vec<u8>>, Box<Gap>>, TreeError> {
        let mut attempts = Attempts::default();
        loop {
            task.checkpoint().map_err(ColdError::Interrupted)?;
            let mut gap = match self.try_leaf(pages, task, from) {
                Ok(upper) => return Ok(Ok(upper)),
                Err(gap) => gap,
            };
            // A page that was freed or used again since its number was read is not a gap.
            if let Err(error) = attempts.again_after(gap.error.clone()) {
                gap.error = error;
                return match &gap.error {
                    TreeError::Damaged { .. }
                    | TreeError::Page(ColdError::Checksum { .. } | ColdError::Read(_)) => {
                        Ok(Err(gap))
                    }
                    _ => Err(gap.error),
                };
            }
        }
    }

    fn try_leaf<P: Pages>(
        &self,
        pages: &P,
        task: &Task<'_>,
        from: &[u8],
    ) -> Result<Option<Vec<u8>>, Box<Gap>> {
        let mut waypoint = BoundedWaypoint { at: self.start(), upper: None };
        for _ in 0..STEPS_MAX {
            let page = waypoint.at.page;
            let pinned = match pages.load(task, page, Access::Scan) {
                Ok(pinned) => pinned,
                Err(error) => return Err(waypoint.lost(error.into(), from)),
            };
            let visited = self.open(&pinned, waypoint.at.level).and_then(|node| {
                let next = next(&node, from, &waypoint)?;
                Ok((node, next))
            });
            let (node, next) = match visited {
                Ok(visited) => visited,
                Err(damage) => return Err(waypoint.lost(damage.at(page), from)),
            };
            match next {
                Some((next, index)) => {
                    if let Some(index) = index.filter(|_| node.level() == 1) {
                        read_ahead(pages, &node, index);
                    }
                    waypoint = next;
                }
                None => {
                    self.pass_chains(pages, task, page, &node, from)?;
                    return Ok(node.upper().map(<[u8]>::to_vec));
                }
            }
        }
        let damage = Damage("right links go round in circles").at(waypoint.at.page);
        Err(waypoint.lost(damage, from))
    }

    /// Reads the long values of a leaf, from this key on.
    fn pass_chains<P: Pages>(
        &self,
        pages: &P,
        task: &Task<'_>,
        page: PageNumber,
        leaf: &Node<'_>,
        from: &[u8],
    ) -> Result<(), Box<Gap>> {
        let mut value = Vec::new();
        for index in 0..leaf.count() {
            let entry = leaf.key(index).and_then(|key| Ok((key, Payload::of(leaf, index)?.1)));
            let (key, payload) = entry.map_err(|damage| {
                let upper = leaf.upper().map(<[u8]>::to_vec);
                BoundedWaypoint { at: Waypoint { page, level: Some(0) }, upper }
                    .lost(damage.at(page), from)
            })?;
            let Stored::Chain(chain) = payload.value else { continue };
            let key = key.to_vec();
            if *key < *from {
                continue;
            }
            let mut last = chain.first;
            let on_page = |page| last = page;
            overflow::read_with_pages(pages, task, self.root, chain, &mut value, on_page).map_err(
                |error| {
                    let upper = Some([&key[..], &[0]].concat());
                    Box::new(Gap { page: last, error, is_overflow: true, lower: key, upper })
                },
            )?;
        }
        Ok(())
    }
}

/// The page that follows a sound node, with its index if it is a child; `None` if the node is the
/// leaf. Fails if the node is not sound.
fn next(
    node: &Node<'_>,
    from: &[u8],
    waypoint: &BoundedWaypoint,
) -> Result<Option<(BoundedWaypoint, Option<usize>)>, Damage> {
    let seek = Seek::At(from);
    if node.is_right_of(seek) {
        return Err(Damage("a node holds other keys than the one above it says"));
    }
    if let Some(damage) = faults(node).into_iter().next() {
        return Err(damage);
    }
    if node.is_left_of(seek) {
        let right = BoundedWaypoint { at: right_of(node), upper: waypoint.upper.clone() };
        return Ok(Some((right, None)));
    }
    if node.is_leaf() {
        return Ok(None);
    }
    let index = node.child_index(seek)?;
    let upper = match index < node.count() {
        true => Some(node.key(index)?.to_vec()),
        false => node.upper().map(<[u8]>::to_vec),
    };
    let at = Waypoint { page: node.child(index)?, level: Some(node.level() - 1) };
    Ok(Some((BoundedWaypoint { at, upper }, Some(index))))
}

/// Requests this child and those that follow, once for each [`RUN_PAGES`] children.
fn read_ahead(pages: &impl Pages, node: &Node<'_>, index: usize) {
    if index % RUN_PAGES != 0 {
        return;
    }
    let wanted: Vec<PageNumber> =
        node.children().skip(index).take(RUN_PAGES).filter_map(Result::ok).collect();
    if !wanted.is_empty() {
        pages.read_ahead(&wanted);
    }
}

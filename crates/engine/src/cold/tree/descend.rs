//! Descends from the root to a leaf, for readers.
//!
//! A descent goes on under an epoch guard as far as pages are in memory. From the first page that
//! is not, it goes on with pinned images and without a guard. The pages that it reads under the
//! guard are consistent, except for splits and merges that are half published; fences and right
//! links lead it through those. Without the guard a page may have been freed and used again before
//! it is loaded. So the descent checks that every node can lead to the key; if one cannot, it
//! starts again from the root.

use crossbeam_epoch::Guard;

use super::Tree;
use super::error::{Damage, TreeError};
use super::node::{Node, Seek};
use crate::cold::ColdError;
use crate::cold::{Absent, Access, Body, PageNumber, Pages};
use crate::wait::Task;

/// The most steps of a descent: if it takes more, right links form a cycle.
pub(super) const STEPS_MAX: u32 = 100_000;
/// The number of descents after which an error that stops them counts as damage.
pub(super) const ATTEMPTS_MAX: u32 = 32;

/// A page that a descent comes to, and its level; `None` for the root, whose level is not known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waypoint {
    pub(super) page: PageNumber,
    pub(super) level: Option<u8>,
}

/// How far a descent under a guard got.
pub(super) enum Reached<'g> {
    Leaf(PageNumber, Node<'g>),
    /// This page has to be loaded.
    Evicted(Waypoint),
    /// Start again from the root.
    Freed,
}

/// A descent: its target and its options.
pub(super) struct Descent<'k, F> {
    pub(super) seek: Seek<'k>,
    /// Called with each inner node and the index of the child that the descent takes.
    pub(super) on_way: F,
    /// Whether the descent goes on from a leaf to its right neighbour if the target lies beyond it.
    /// A caller that searches the leaf anyway finds out there.
    pub(super) follows_right: bool,
}

impl<'k> Descent<'k, fn(&Node<'_>, usize)> {
    pub(super) fn to(seek: Seek<'k>) -> Self {
        Descent { seek, on_way: |_, _| {}, follows_right: true }
    }
}

impl<F: FnMut(&Node<'_>, usize)> Descent<'_, F> {
    /// The page that follows a node; `None` if the node is the leaf.
    #[inline]
    fn next(&mut self, node: &Node<'_>) -> Result<Option<Waypoint>, Damage> {
        let level = node.level();
        if level == 0 {
            let beyond = self.follows_right && node.is_left_of(self.seek);
            return Ok(beyond.then(|| right_of(node)));
        }
        let index = node.child_index(self.seek)?;
        if index == node.count() && node.is_left_of(self.seek) {
            return Ok(Some(right_of(node)));
        }
        (self.on_way)(node, index);
        Ok(Some(Waypoint { page: node.child(index)?, level: Some(level - 1) }))
    }
}

/// The right neighbour.
pub(super) fn right_of(node: &Node<'_>) -> Waypoint {
    Waypoint { page: node.right(), level: Some(node.level()) }
}

impl Tree {
    pub(super) fn start(&self) -> Waypoint {
        Waypoint { page: self.root, level: None }
    }

    /// Opens the node in these bytes. Fails if it is not a node of this tree on the expected level.
    #[inline]
    pub(super) fn open<'a>(&self, body: &'a Body, level: Option<u8>) -> Result<Node<'a>, Damage> {
        let node = Node::open(body)?;
        if node.tree() != self.root {
            return Err(Damage("a node of another tree"));
        }
        if level.is_some_and(|level| level != node.level()) {
            return Err(Damage("a node of another level"));
        }
        Ok(node)
    }

    /// Descends as far as pages are in memory.
    #[inline]
    pub(super) fn descend_resident<'g, F: FnMut(&Node<'_>, usize)>(
        &self,
        pages: &impl Pages,
        guard: &'g Guard,
        descent: &mut Descent<'_, F>,
        from: Waypoint,
    ) -> Result<Reached<'g>, TreeError> {
        let mut at = from;
        let mut moves = 0;
        loop {
            let body = match pages.resident(at.page, guard) {
                Ok(body) => body,
                Err(Absent::Evicted) => return Ok(Reached::Evicted(at)),
                Err(Absent::Freed) => return Ok(Reached::Freed),
            };
            let next = self
                .open(body, at.level)
                .and_then(|node| Ok((node, descent.next(&node)?)))
                .map_err(|damage| damage.at(at.page))?;
            match next {
                (node, None) => return Ok(Reached::Leaf(at.page, node)),
                (_, Some(next)) => at = next,
            }
            moves += 1;
            if moves > STEPS_MAX {
                return Err(Damage("right links go round in circles").at(at.page));
            }
        }
    }

    /// Descends to the leaf, and loads pages that are not in memory. No epoch guard may be alive.
    pub(super) fn descend_loaded<P: Pages, F: FnMut(&Node<'_>, usize)>(
        &self,
        pages: &P,
        task: &Task<'_>,
        descent: &mut Descent<'_, F>,
        from: Waypoint,
        hint: Access,
    ) -> Result<(PageNumber, P::Pinned), TreeError> {
        let mut at = from;
        let mut attempts = Attempts::default();
        let mut moves = 0;
        loop {
            let visited =
                pages.load(task, at.page, hint).map_err(TreeError::from).and_then(|pinned| {
                    let next =
                        self.visit(&pinned, at, descent).map_err(|damage| damage.at(at.page))?;
                    Ok((pinned, next))
                });
            match visited {
                Ok((pinned, None)) => return Ok((at.page, pinned)),
                Ok((_, Some(next))) => at = next,
                Err(error) => {
                    attempts.again_after(error)?;
                    at = self.start();
                }
            }
            moves += 1;
            if moves > STEPS_MAX {
                return Err(Damage("right links go round in circles").at(at.page));
            }
        }
    }

    fn visit<F: FnMut(&Node<'_>, usize)>(
        &self,
        body: &Body,
        at: Waypoint,
        descent: &mut Descent<'_, F>,
    ) -> Result<Option<Waypoint>, Damage> {
        let node = self.open(body, at.level)?;
        if node.is_right_of(descent.seek) {
            return Err(Damage("a node holds other keys than the one above it says"));
        }
        descent.next(&node)
    }
}

/// Counts how often a reader without a guard had to start again.
#[derive(Default)]
pub(super) struct Attempts(u32);

impl Attempts {
    /// Returns `Ok` if the reader may start again after this error: a page that was freed, or whose
    /// bytes are inconsistent, may have been used for something else since its number was read.
    pub(super) fn again_after(&mut self, error: TreeError) -> Result<(), TreeError> {
        self.0 += 1;
        match error {
            TreeError::Page(ColdError::Freed(_)) | TreeError::Damaged { .. }
                if self.0 < ATTEMPTS_MAX =>
            {
                Ok(())
            }
            TreeError::Page(ColdError::Freed(page)) => {
                Err(Damage("a page that is pointed to was freed").at(page))
            }
            error => Err(error),
        }
    }
}

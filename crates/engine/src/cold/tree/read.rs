//! Looks up single keys.

use crossbeam_epoch::Guard;

use super::Tree;
use super::descend::{Attempts, Descent, Reached, Waypoint, right_of};
use super::entry::{Chain, Entry, Payload, Stored};
use super::error::TreeError;
use super::node::{Key, Node, Seek};
use super::overflow;
use crate::cold::{Access, Pages};
use crate::wait::Task;

/// The result of a look-up under a guard.
enum Looked<'g> {
    Found(u64, &'g [u8]),
    /// The entry was found, and its value is in a chain; with the leaf.
    Chained(u64, Chain, Waypoint),
    Nothing,
    /// A page is not in memory: the look-up goes on from here by loading.
    Absent(Waypoint),
}

impl Tree {
    /// Looks a key up, and calls `take` with its entry if there is one. `take` may run under an
    /// epoch guard and must not wait.
    ///
    /// If all pages on the way are in memory and the value is in the leaf, a look-up in the tree
    /// allocates and copies nothing, and writes no shared memory.
    pub fn find<P: Pages, R>(
        &self,
        pages: &P,
        task: &Task<'_>,
        key: &[u8],
        take: impl FnOnce(Entry<'_>) -> R,
    ) -> Result<Option<R>, TreeError> {
        let from = {
            let guard = task.pin();
            match self.look(pages, &guard, key)? {
                Looked::Found(stamp, value) => {
                    return Ok(Some(take(Entry { key: Key::whole(key), stamp, value })));
                }
                Looked::Nothing => return Ok(None),
                Looked::Absent(waypoint) => waypoint,
                Looked::Chained(stamp, chain, leaf) => {
                    let mut value = Vec::new();
                    if overflow::read_resident(pages, &guard, self.root, chain, &mut value)? {
                        let key = Key::whole(key);
                        return Ok(Some(take(Entry { key, stamp, value: &value })));
                    }
                    leaf
                }
            }
        };
        self.find_loading(pages, task, key, from, take)
    }

    #[inline]
    fn look<'g>(
        &self,
        pages: &impl Pages,
        guard: &'g Guard,
        key: &[u8],
    ) -> Result<Looked<'g>, TreeError> {
        let mut descent = Descent { follows_right: false, ..Descent::to(Seek::At(key)) };
        let mut from = self.start();
        loop {
            let (page, node) = match self.descend_resident(pages, guard, &mut descent, from)? {
                Reached::Leaf(page, node) => (page, node),
                Reached::Evicted(waypoint) => return Ok(Looked::Absent(waypoint)),
                Reached::Freed => return Ok(Looked::Absent(self.start())),
            };
            let (at, equal) = node.lower_bound(key).map_err(|damage| damage.at(page))?;
            if !equal {
                // The upper fence is on another cache line, and rarely needed.
                if at == node.count() && node.is_left_of(Seek::At(key)) {
                    from = right_of(&node);
                    descent.follows_right = true;
                    continue;
                }
                return Ok(Looked::Nothing);
            }
            let (_, payload) = Payload::of(&node, at).map_err(|damage| damage.at(page))?;
            return Ok(match payload.value {
                Stored::Inline(value) => Looked::Found(payload.stamp, value),
                Stored::Chain(chain) => {
                    let leaf = Waypoint { page, level: Some(0) };
                    Looked::Chained(payload.stamp, chain, leaf)
                }
            });
        }
    }

    #[cold]
    fn find_loading<P: Pages, R>(
        &self,
        pages: &P,
        task: &Task<'_>,
        key: &[u8],
        from: Waypoint,
        take: impl FnOnce(Entry<'_>) -> R,
    ) -> Result<Option<R>, TreeError> {
        let mut from = from;
        let mut attempts = Attempts::default();
        let mut long = Vec::new();
        loop {
            let mut descent = Descent::to(Seek::At(key));
            let (page, pinned) =
                self.descend_loaded(pages, task, &mut descent, from, Access::Point)?;
            let found = Node::open(&pinned)
                .and_then(|node| match node.lower_bound(key)? {
                    (at, true) => Payload::of(&node, at).map(|(_, payload)| Some(payload)),
                    (_, false) => Ok(None),
                })
                .map_err(|damage| damage.at(page))?;
            let Some(Payload { stamp, value }) = found else { return Ok(None) };
            let key = Key::whole(key);
            match value {
                Stored::Inline(value) => return Ok(Some(take(Entry { key, stamp, value }))),
                Stored::Chain(chain) => {
                    let root = self.root;
                    match overflow::read(pages, task, root, chain, Access::Point, &mut long) {
                        Ok(()) => return Ok(Some(take(Entry { key, stamp, value: &long }))),
                        Err(error) => attempts.again_after(error)?,
                    }
                }
            }
            from = self.start();
        }
    }
}

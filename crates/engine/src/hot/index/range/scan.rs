//! Scans of a range index: leaf by leaf, by copying a leaf's entries.

use std::ops::ControlFlow;

use crossbeam_epoch::Guard;

use super::node::{CAPACITY, NodeRef};
use super::version::{Retry, Seen};
use super::{RangeIndex, Side};
use crate::hot::index::postings::GroupPtr;
use crate::hot::index::scan::{Direction, Scan, Visit};
use crate::hot::key::{KeyBuf, KeyRange};
use crate::prefetch::prefetch_row;

/// How many entries ahead a scan prefetches their targets.
const PREFETCH_AHEAD: usize = 8;

/// Pointers of a leaf's entries, in the order in which they are visited.
struct Batch {
    pointers: [u64; CAPACITY],
    len: usize,
}

impl RangeIndex {
    /// See [`Index::scan`](crate::hot::index::Index::scan).
    pub fn scan(&self, guard: &Guard, scan: &mut Scan, visit: Visit<'_>) -> bool {
        let mut batch = Batch { pointers: [0; CAPACITY], len: 0 };
        while !scan.done {
            let leaf = loop {
                if let Ok(leaf) = self.read_leaf(guard, scan, &mut batch) {
                    break leaf;
                }
                self.read_again(guard);
            };
            for (i, &pointer) in batch.pointers[..batch.len].iter().enumerate() {
                if let Some(&ahead) = batch.pointers[..batch.len].get(i + PREFETCH_AHEAD) {
                    prefetch_row(ahead);
                }
                // SAFETY: read at a checked version, under this guard.
                if unsafe { self.visit_key(pointer, scan, visit) }.is_break() {
                    return true;
                }
            }
            pass_leaf(scan, leaf);
        }
        false
    }

    /// Copies the entries of the next leaf that are in the range.
    fn read_leaf<'g>(
        &'g self,
        guard: &'g Guard,
        scan: &Scan,
        batch: &mut Batch,
    ) -> Result<NodeRef<'g>, Retry> {
        let leaf = match (scan.direction, &scan.range.upper) {
            (Direction::Forward, _) => self.descend(guard, &scan.range.lower, Side::From, 0)?,
            (Direction::Backward, Some(upper)) => self.descend(guard, upper, Side::Below, 0)?,
            (Direction::Backward, None) => self.descend_to_last(guard)?,
        };
        let (node, seen) = (leaf.node, leaf.seen);
        let (from, to) = self.bounds(guard, node, seen, &scan.range)?;
        batch.len = 0;
        for index in from..to {
            batch.pointers[batch.len] = node.pointer(index);
            batch.len += 1;
        }
        node.version.check(seen)?;
        if scan.direction == Direction::Backward {
            batch.pointers[..batch.len].reverse();
        }
        Ok(node)
    }

    /// The entries of a leaf that are in a range.
    fn bounds(
        &self,
        guard: &Guard,
        node: NodeRef<'_>,
        seen: Seen,
        range: &KeyRange,
    ) -> Result<(usize, usize), Retry> {
        let from = match &range.lower {
            lower if **lower <= *node.lower() => 0,
            lower => self.search(guard, node, seen, lower)?.0,
        };
        let to = match (&range.upper, node.upper()) {
            (None, _) => node.count(),
            (Some(end), Some(upper)) if **end >= *upper => node.count(),
            (Some(end), _) => self.search(guard, node, seen, end)?.0,
        };
        Ok((from, to))
    }

    fn descend_to_last<'g>(&'g self, guard: &'g Guard) -> Result<super::Leaf<'g>, Retry> {
        let (mut node, mut seen) = self.root(guard)?;
        let mut parent = None;
        while node.level() > 0 {
            let last = node.count() - 1;
            (node, seen, parent) = self.step(node, seen, last)?;
        }
        Ok(super::Leaf { node, seen, parent })
    }

    /// Visits the anchors of one entry. After a break the scan's position is after the anchors that
    /// were visited.
    ///
    /// # Safety
    /// The pointer was an entry of a leaf under a guard that is still held.
    unsafe fn visit_key(&self, pointer: u64, scan: &mut Scan, visit: Visit<'_>) -> ControlFlow<()> {
        // SAFETY: the caller's guard protects the anchor or group.
        unsafe {
            if !self.unique {
                let group = GroupPtr::from_address(pointer);
                let flow = scan.visit_group(group, visit);
                if flow.is_break() {
                    keep_key(scan, group.key());
                }
                return flow;
            }
            let mut flow = ControlFlow::Continue(());
            for anchor in self.chain(pointer) {
                // The scan's position is a key, so the rest of the chain is visited even after a
                // break.
                if visit(anchor).is_break() {
                    flow = ControlFlow::Break(());
                }
            }
            if flow.is_break() {
                let mut key = KeyBuf::new();
                self.key_of(pointer, &mut key);
                pass_key(scan, &key);
            }
            flow
        }
    }
}

/// Sets the range that is left to begin with a key in whose postings the scan has stopped.
fn keep_key(scan: &mut Scan, key: &[u8]) {
    match scan.direction {
        Direction::Forward => scan.range.lower.set(key),
        Direction::Backward => {
            let end = scan.range.upper.get_or_insert_default();
            end.set(key);
            end.step();
        }
    }
}

/// Removes a key, and all that the scan has visited before it, from the range that is left.
fn pass_key(scan: &mut Scan, key: &[u8]) {
    match scan.direction {
        Direction::Forward => {
            scan.range.lower.set(key);
            scan.range.lower.step();
        }
        Direction::Backward => scan.range.upper.get_or_insert_default().set(key),
    }
    scan.done = scan.range.is_empty();
}

/// Removes the keys of a leaf from the range that is left.
fn pass_leaf(scan: &mut Scan, leaf: NodeRef<'_>) {
    match (scan.direction, leaf.upper()) {
        (Direction::Forward, Some(upper)) => scan.range.lower.set(upper),
        (Direction::Forward, None) => scan.done = true,
        (Direction::Backward, _) => {
            scan.range.upper.get_or_insert_default().set(leaf.lower());
        }
    }
    scan.done |= scan.range.is_empty();
}

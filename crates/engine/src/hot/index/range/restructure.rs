//! Splitting full nodes and merging sparse ones.

use crossbeam_epoch::Guard;

use super::node::{CAPACITY, Entry, Fences, HEAD, NodeRef, common_len, head, is_sparse};
use super::version::{Locked, Retry};
use super::{ENTRY_WORDS, Leaf, RangeIndex, Side, Step};
use crate::hot::key::KeyBuf;
use crate::sync::atomic::Ordering::{Relaxed, Release};

/// Nodes are merged if the result has at most this many entries, so that it is not split again
/// soon.
const MERGED_MAX: usize = CAPACITY * 3 / 4;
/// Room that a split at an end of the tree leaves in the node that inserts have filled, since keys
/// need not come exactly in order.
const MARGIN: usize = CAPACITY.div_ceil(10);
/// A prefix is lengthened by at least this, since all heads must then be computed again.
const PREFIX_STEP: usize = HEAD / 2;

/// Whether a sparse node should be merged with a neighbour, by their numbers of entries.
fn should_merge(sparse: usize, other: usize) -> bool {
    // A nearly empty node is merged even if its neighbour is rather full.
    let nearly_empty = sparse <= CAPACITY / 8;
    sparse + other <= if nearly_empty { CAPACITY - MARGIN } else { MERGED_MAX }
}

/// A node that is locked.
struct LockedNode<'g> {
    node: NodeRef<'g>,
    lock: Locked<'g>,
}

impl RangeIndex {
    /// Replaces a full node by two, before an insert at `index`. The parent must have room.
    pub(super) fn split(&self, guard: &Guard, full: &Leaf<'_>, index: usize) -> Result<(), Retry> {
        self.try_split(guard, full, index)
            .inspect_err(|_| _ = self.activity.splits_again.fetch_add(1, Relaxed))
    }

    fn try_split(&self, guard: &Guard, full: &Leaf<'_>, index: usize) -> Result<(), Retry> {
        let node = full.node;
        let parent = full.parent.map(|p| Ok((p, p.node.lock(p.seen)?))).transpose()?;
        let locked = node.lock(full.seen)?;
        let (left, right) = self.halves(node, split_at(node, index));
        match parent {
            Some((Step { node: above, child, .. }, above_locked)) => {
                above.set_pointer(child, left.address());
                let fence = head(right.lower(), above.prefix_len());
                above.insert(child + 1, Entry { head: fence, pointer: right.address() });
                above_locked.unlock();
                self.counts.take(right.address(), ENTRY_WORDS);
            }
            None => self.grow_root(node, left, right),
        }
        locked.retire();
        self.activity.splits.fetch_add(1, Relaxed);
        // SAFETY: the node has been replaced in its parent, or as the root, and retired under its
        // lock.
        unsafe { self.retire_node(guard, node) };
        Ok(())
    }

    /// Two new nodes with the entries of a locked one, the first with `at` of them.
    fn halves<'g>(&self, node: NodeRef<'g>, at: usize) -> (NodeRef<'g>, NodeRef<'g>) {
        let fences = node.fences();
        let middle = self.separator(node, at);
        let left = Fences { lower: fences.lower, upper: Some(middle.clone()) };
        let right = Fences { lower: middle, upper: fences.upper };
        let make = |fences: &Fences, skip: usize, take: usize| {
            let prefix_len = self.longer_prefix(node, fences);
            let entries = node.entries().skip(skip).take(take).map(|entry| {
                if prefix_len == node.prefix_len() {
                    return entry;
                }
                // SAFETY: the entry is one of a locked node.
                unsafe { self.with_head(node.level(), entry, prefix_len) }
            });
            let part = NodeRef::create(node.level(), prefix_len, fences, entries);
            self.charge_node(part);
            part
        };
        (make(&left, 0, at), make(&right, at, node.count() - at))
    }

    /// The fence between the entries `at - 1` and `at`: greater than the key of the first, and not
    /// greater than that of the second. It is the shortest such key, unless heads are whole keys.
    fn separator(&self, node: NodeRef<'_>, at: usize) -> Box<[u8]> {
        if let (0, Some(len)) = (node.level(), self.exact_len) {
            // A whole key, so that heads of fences are whole keys, too.
            return node.head(at).to_be_bytes()[..len].into();
        }
        // SAFETY: the entries are those of a locked node.
        unsafe {
            if node.level() > 0 {
                return NodeRef::from_address(node.pointer(at)).lower().into();
            }
            let (mut before, mut after) = (KeyBuf::new(), KeyBuf::new());
            self.key_of(node.pointer(at - 1), &mut before);
            self.key_of(node.pointer(at), &mut after);
            after[..=common_len(&before, &after)].into()
        }
    }

    /// The prefix length for a part of a node: that of the node, or the longer one that the
    /// narrower fences allow if it is worth it.
    fn longer_prefix(&self, node: NodeRef<'_>, fences: &Fences) -> usize {
        let common = fences.common_len();
        let worth_it = self.exact_len.is_none() && common >= node.prefix_len() + PREFIX_STEP;
        if worth_it { common } else { node.prefix_len() }
    }

    /// An entry with the head for another prefix.
    ///
    /// # Safety
    /// It is an entry of a locked node of this level.
    unsafe fn with_head(&self, level: u32, entry: Entry, prefix_len: usize) -> Entry {
        // SAFETY: the caller promises that the entry is one of a locked node of this level.
        unsafe {
            let head = if level > 0 {
                head(NodeRef::from_address(entry.pointer).lower(), prefix_len)
            } else {
                let mut key = KeyBuf::new();
                self.key_of(entry.pointer, &mut key);
                head(&key, prefix_len)
            };
            Entry { head, ..entry }
        }
    }

    /// Makes a new root above the two parts of the old one, which is locked.
    fn grow_root(&self, old: NodeRef<'_>, left: NodeRef<'_>, right: NodeRef<'_>) {
        let entries =
            [left, right].map(|n| Entry { head: head(n.lower(), 0), pointer: n.address() });
        let root = NodeRef::create(old.level() + 1, 0, &old.fences(), entries);
        self.charge_node(root);
        self.counts.take(root.address(), 2 * ENTRY_WORDS);
        // Release: pairs with the Acquire in `root`. The old node is locked, not obsolete and
        // without a parent, so it is the root, and no other thread can replace it.
        self.root.store(root.address(), Release);
    }

    /// Merges the node of this level at a key with a neighbour, if it is sparse, and goes on with
    /// the level above.
    pub(super) fn merge_sparse(&self, guard: &Guard, key: &[u8], mut level: u32) {
        loop {
            match self.try_merge(guard, key, level) {
                Ok(true) => level += 1,
                Ok(false) => return,
                Err(Retry) => _ = self.activity.merges_again.fetch_add(1, Relaxed),
            }
        }
    }

    /// As [`RangeIndex::merge_sparse`], for one level, once. Returns whether to go on with the
    /// level above.
    fn try_merge(&self, guard: &Guard, key: &[u8], level: u32) -> Result<bool, Retry> {
        let found = self.descend(guard, key, Side::From, level)?;
        let node = found.node;
        if node.level() != level {
            return Ok(false);
        }
        let count = node.count();
        node.version.check(found.seen)?;
        let Some(parent) = found.parent else {
            if level > 0 && count == 1 {
                self.shrink_root(guard, &found)?;
            }
            return Ok(false);
        };
        if !is_sparse(count) {
            return Ok(false);
        }
        let siblings = parent.node.count();
        let neighbours = [parent.child.checked_add(1), parent.child.checked_sub(1)];
        for other in neighbours.into_iter().flatten().filter(|&other| other < siblings) {
            let neighbour = parent.node.child(other, parent.seen)?;
            let seen = neighbour.version.read()?;
            parent.node.version.check(parent.seen)?;
            if should_merge(count, neighbour.count()) {
                let above = parent.node.lock(parent.seen)?;
                let this = LockedNode { node, lock: node.lock(found.seen)? };
                let that = LockedNode { node: neighbour, lock: neighbour.lock(seen)? };
                let (left, right) = if other > parent.child { (this, that) } else { (that, this) };
                let at = parent.child.min(other);
                let above = LockedNode { node: parent.node, lock: above };
                self.merge(guard, above, at, left, right);
                return Ok(true);
            }
        }
        // An only child can be merged only after its parent has been.
        Ok(siblings == 1)
    }

    /// Replaces two locked neighbours by one node. The left one is the child number `at` of their
    /// parent `above`.
    fn merge(
        &self,
        guard: &Guard,
        LockedNode { node: above, lock: above_lock }: LockedNode<'_>,
        at: usize,
        LockedNode { node: left, lock: left_lock }: LockedNode<'_>,
        LockedNode { node: right, lock: right_lock }: LockedNode<'_>,
    ) {
        let fences = Fences { lower: left.lower().into(), upper: right.upper().map(Into::into) };
        let prefix_len = fences.common_len().min(left.prefix_len()).min(right.prefix_len());
        let entries = [left, right].into_iter().flat_map(|node| {
            node.entries().map(move |entry| {
                let head = shorter_prefix(entry.head, node, prefix_len);
                Entry { head, ..entry }
            })
        });
        let merged = NodeRef::create(left.level(), prefix_len, &fences, entries);
        self.charge_node(merged);
        above.set_pointer(at, merged.address());
        above.remove(at + 1);
        self.counts.take(merged.address(), -ENTRY_WORDS);
        above_lock.unlock();
        left_lock.retire();
        right_lock.retire();
        self.activity.merges.fetch_add(1, Relaxed);
        // SAFETY: the nodes have been replaced in their parent, and retired under their locks.
        unsafe {
            self.retire_node(guard, left);
            self.retire_node(guard, right);
        }
    }

    /// Replaces the root by its only child.
    fn shrink_root(&self, guard: &Guard, root: &Leaf<'_>) -> Result<(), Retry> {
        let child = root.node.child(0, root.seen)?;
        let locked = root.node.lock(root.seen)?;
        // Release: pairs with the Acquire in `root`.
        self.root.store(child.address(), Release);
        locked.retire();
        self.counts.take(root.node.address(), -ENTRY_WORDS);
        // SAFETY: the node is out of the tree, and was retired under its lock.
        unsafe { self.retire_node(guard, root.node) };
        Ok(())
    }
}

/// How many entries of a full node stay on the left when one is to be inserted at `index`.
fn split_at(node: NodeRef<'_>, index: usize) -> usize {
    let count = node.count();
    if node.upper().is_none() && index == count {
        count - MARGIN
    } else if node.lower().is_empty() && index == 0 {
        MARGIN
    } else {
        count / 2
    }
}

/// The head that an entry of `node` has in a node with a shorter prefix. The bytes between the two
/// prefixes come from the fence of `node`.
pub(super) fn shorter_prefix(head: u64, node: NodeRef<'_>, prefix_len: usize) -> u64 {
    let mut bytes = [0; 2 * HEAD];
    let between = &node.lower()[prefix_len..node.prefix_len()];
    let n = between.len().min(HEAD);
    bytes[..n].copy_from_slice(&between[..n]);
    bytes[n..n + HEAD].copy_from_slice(&head.to_be_bytes());
    super::node::head(&bytes, 0)
}

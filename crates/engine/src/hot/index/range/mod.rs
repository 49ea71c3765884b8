//! Range index: keys in order, in a B+tree that readers never write to.
//!
//! # Shape
//!
//! A leaf entry is the head of a key (eight bytes of it, see [`node`]) and a pointer. In a unique
//! index it points to the newest anchor with the key, from which the link words lead to the others;
//! in one that is not unique, to the group of the key (see [`postings`](super::postings)). Where
//! the head does not decide, the rest of the key is read from the row or the group. An inner node
//! has the same form; the key of a child is its lower fence.
//!
//! # How it is read and written
//!
//! The tree uses optimistic lock coupling (Leis, Haubenschild, Neumann, 2019): every node has a
//! version. A reader notes the version, reads, and checks the version again before it uses what it
//! has read, or follows a pointer. A writer locks the one to three nodes that it changes, if they
//! still have the versions at which it has read them. No thread waits for a node while it holds
//! another, and a lock is held for a few dozen instructions.
//!
//! Groups change without their leaf: an anchor joins one without any lock.
//!
//! # Splitting and merging
//!
//! Both make new nodes and replace the old ones, so that a node's fences and prefix never change.
//! Writers split full inner nodes on their way down, so that a parent always has room. A leaf is
//! split evenly, except at the ends of the tree, where ascending (or descending) inserts fill
//! leaves. A node that becomes sparse is merged with a neighbour if both fit well into one.
//!
//! # Invariants
//!
//! * B1: a key is only in the leaf between whose fences it lies; neighbours share a fence.
//! * B2: a node that is out of the tree is obsolete, and never locked again.
//! * B3: a thread follows a pointer that it has read only after it has checked the version. So the
//!   pointer was in the node while the guard was held, and its target is protected.
//!
//! A scan copies a leaf's pointers, and finds the next leaf by the fence.

mod chain;
mod entries;
mod node;
mod restructure;
mod scan;
mod version;

use crossbeam_epoch::Guard;

use crate::hot::account::Striped;
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::count::Counts;
use crate::hot::index::dismantle::Dismantling;
use crate::hot::index::matches::{Found, Matches};
use crate::hot::index::postings::GroupPtr;
use crate::hot::index::rows::Rows;
use crate::hot::index::shape::{IndexMemory, IndexShape, InsertCheck};
use crate::hot::key::SeekKey;
use crate::prefetch::prefetch_row;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::{Acquire, Relaxed};
use crate::sync::{Arc, Word};
pub(super) use chain::Chain;
use node::{CAPACITY, Entry, Fences, NodeRef, head};
use version::{Retry, Seen};

/// Words that an entry takes in a node.
const ENTRY_WORDS: i64 = 2;

/// See the module's header.
#[derive(Debug)]
pub struct RangeIndex {
    rows: Rows,
    unique: bool,
    /// The constant length of keys, if heads hold whole keys.
    exact_len: Option<usize>,
    root: Word,
    counts: Counts,
    /// In memory of its own, since readers read the root all the time. Shared, since a node may be
    /// freed after the index.
    activity: Arc<Activity>,
}

/// The header of a group in a range index, which has none.
struct NoHeader;

/// Counts of the tree's nodes and of their changes.
#[derive(Debug, Default)]
struct Activity {
    leaves: AtomicU64,
    inner: AtomicU64,
    splits: AtomicU64,
    merges: AtomicU64,
    /// Reads that began again because another thread changed a node meanwhile. Only an operation
    /// that begins again writes to this count and those that follow.
    reads_again: Striped,
    /// Inserts and removals that began again.
    updates_again: AtomicU64,
    /// Splits that were given up because of such a change.
    splits_again: AtomicU64,
    /// Merges that began again.
    merges_again: AtomicU64,
    /// Nodes out of the tree that readers may still be in.
    retired: AtomicU64,
}

/// Shape and activity of the tree, for `sys.dm_db_xtp_nonclustered_index_stats`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RangeStats {
    /// Nodes with entries of rows.
    pub leaf_nodes: u64,
    /// Nodes above the leaves.
    pub inner_nodes: u64,
    /// Nodes from the root to a leaf.
    pub height: u32,
    /// Nodes split since the index was made.
    pub splits: u64,
    /// Pairs of nodes merged since the index was made.
    pub merges: u64,
    /// Searches that began again because another thread changed a node meanwhile.
    pub reads_again: u64,
    /// Inserts and removals that began again for this reason.
    pub updates_again: u64,
    /// Splits that began again for this reason, or were given up in favour of another thread's.
    pub splits_again: u64,
    /// Merges that began again for this reason, or were given up in favour of another thread's.
    pub merges_again: u64,
    /// Nodes that are out of the tree and not freed yet, since readers may be in them.
    pub retired_nodes: u64,
}

/// A node on the way down, the version at which it was read, and the child that was taken.
#[derive(Clone, Copy)]
struct Step<'g> {
    node: NodeRef<'g>,
    seen: Seen,
    child: usize,
}

/// The node at which a descent has ended.
struct Leaf<'g> {
    node: NodeRef<'g>,
    seen: Seen,
    parent: Option<Step<'g>>,
}

/// Which of two neighbours a descent goes to if the key is the fence between them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The one that begins with the key.
    From,
    /// The one that ends below the key.
    Below,
}

impl RangeIndex {
    /// An empty index.
    pub fn new(shape: IndexShape) -> RangeIndex {
        let rows = Rows::new(&shape);
        let exact_len = rows.constant_len().filter(|&len| len <= node::HEAD);
        let root = NodeRef::create(0, 0, &Fences { lower: [].into(), upper: None }, []);
        let index = RangeIndex {
            rows,
            unique: shape.unique,
            exact_len,
            root: Word::new(root.address()),
            counts: Counts::new(shape.account, shape.unique),
            activity: Arc::default(),
        };
        index.charge_node(root);
        index
    }

    /// See [`Index::insert`](super::Index::insert).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn insert(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        row: &[u8],
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        let inserted = self.rows.with_key(row, |key| {
            loop {
                // SAFETY: the caller inserts the anchor once, under the guard (X1, X2).
                if let Ok(inserted) = unsafe { self.try_insert(guard, anchor, key, check) } {
                    return inserted;
                }
                self.activity.updates_again.fetch_add(1, Relaxed);
            }
        });
        if inserted {
            self.count_row(anchor, 1);
        }
        inserted
    }

    fn count_row(&self, anchor: AnchorPtr, n: i64) {
        match self.unique {
            true => _ = self.counts.add_rows(anchor.address(), n),
            false => self.counts.add_posted(anchor.address(), n),
        }
    }

    /// # Safety
    /// As for [`RangeIndex::insert`].
    unsafe fn try_insert(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        key: &[u8],
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> Result<bool, Retry> {
        let leaf = self.descend_with_room(guard, key)?;
        let (node, seen) = (leaf.node, leaf.seen);
        let (index, found) = self.search(guard, node, seen, key)?;
        // SAFETY: the caller inserts the anchor once (X2); pointers are followed at a checked
        // version (B3).
        unsafe {
            let link = self.rows.link(anchor);
            if found {
                let pointer = node.pointer(index);
                node.version.check(seen)?;
                if !self.unique {
                    return self.join(guard, &leaf, index, pointer, anchor, link);
                }
                for other in self.chain(pointer) {
                    if check(other) == InsertCheck::Refuse {
                        return Ok(false);
                    }
                }
                // Fails if another insert of the key has come first, which changes the version
                // (X5).
                let locked = node.lock(seen)?;
                link.store(pointer, Relaxed);
                node.set_pointer(index, anchor.address());
                locked.unlock();
                return Ok(true);
            }
            if node.count() == CAPACITY {
                self.split(guard, &leaf, index)?;
                return Err(Retry);
            }
            let locked = node.lock(seen)?;
            let pointer = self.fresh(key, anchor, link);
            node.insert(index, Entry { head: head(key, node.prefix_len()), pointer });
            locked.unlock();
            self.counts.take(pointer, ENTRY_WORDS);
        }
        Ok(true)
    }

    /// Makes the target of a leaf entry for a new key: the anchor, or a group with it. Returns its
    /// address.
    ///
    /// # Safety
    /// `link` is the anchor's link word.
    unsafe fn fresh(&self, key: &[u8], anchor: AnchorPtr, link: &Word) -> u64 {
        if self.unique {
            link.store(0, Relaxed);
            return anchor.address();
        }
        let group = GroupPtr::create(NoHeader, key, anchor, link, &self.counts);
        self.counts.add_keys(group.address(), 1);
        group.address()
    }

    /// Adds an anchor to the group that the leaf's entry at `index` points to, or replaces a dead
    /// group.
    ///
    /// # Safety
    /// As for [`RangeIndex::insert`]; the entry was read at a checked version.
    unsafe fn join(
        &self,
        _guard: &Guard,
        leaf: &Leaf<'_>,
        index: usize,
        pointer: u64,
        anchor: AnchorPtr,
        link: &Word,
    ) -> Result<bool, Retry> {
        let group = GroupPtr::from_address(pointer);
        // SAFETY: the group was read at a checked version (B3), and the caller inserts the anchor
        // once (X2).
        unsafe {
            if group.append(anchor, link, &self.counts).is_err() {
                // The group is dead. The thread that has killed it will find it replaced.
                let locked = leaf.node.lock(leaf.seen)?;
                leaf.node.set_pointer(index, self.fresh(group.key(), anchor, link));
                locked.unlock();
            }
        }
        Ok(true)
    }

    /// See [`Index::remove`](super::Index::remove).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn remove(&self, guard: &Guard, anchor: AnchorPtr, row: &[u8]) {
        self.count_row(anchor, -1);
        // SAFETY: the caller removes the anchor once (X2). `unlink` returns a dead group to one
        // call only, which owns the group.
        self.rows.with_key(row, |key| unsafe {
            if self.unique {
                self.remove_entry(guard, key, anchor.address());
                return;
            }
            let link = self.rows.link(anchor);
            if let Some(group) = GroupPtr::unlink(link, guard, &self.counts) {
                self.counts.add_keys(group.address(), -1);
                self.remove_entry(guard, key, group.address());
                group.retire::<NoHeader>(guard, &self.counts);
            }
        });
    }

    /// Removes an anchor or a dead group from the tree.
    fn remove_entry(&self, guard: &Guard, key: &[u8], pointer: u64) {
        let sparse = loop {
            if let Ok(sparse) = self.try_remove(guard, key, pointer) {
                break sparse;
            }
            self.activity.updates_again.fetch_add(1, Relaxed);
        };
        if sparse {
            self.merge_sparse(guard, key, 0);
        }
    }

    /// As [`RangeIndex::remove_entry`], once. Returns whether the leaf has become sparse.
    fn try_remove(&self, guard: &Guard, key: &[u8], pointer: u64) -> Result<bool, Retry> {
        let leaf = self.descend(guard, key, Side::From, 0)?;
        let (node, seen) = (leaf.node, leaf.seen);
        let (index, found) = self.search(guard, node, seen, key)?;
        let head = if found { node.pointer(index) } else { 0 };
        let locked = node.lock(seen)?;
        if head == pointer {
            // SAFETY: in a unique index the entry points to an anchor, which the guard protects.
            let next = if self.unique { unsafe { self.next_in_chain(pointer) } } else { 0 };
            if next != 0 {
                node.set_pointer(index, next);
            } else {
                node.remove(index);
                self.counts.take(pointer, -ENTRY_WORDS);
            }
        } else if self.unique {
            assert!(found, "an anchor to be removed is under its key");
            // SAFETY: as above; under the lock no other thread changes the chain.
            unsafe { self.remove_from_chain(head, pointer) };
        } else {
            // Another insert has replaced the dead group.
            return Ok(false);
        }
        let sparse = node::is_sparse(node.count()) && leaf.parent.is_some();
        locked.unlock();
        Ok(sparse)
    }

    /// See [`Index::seek`](super::Index::seek).
    #[inline]
    pub fn seek<'g>(&'g self, guard: &'g Guard, key: &[u8]) -> Matches<'g> {
        loop {
            if let Ok(matches) = self.try_seek(guard, key) {
                return Matches(matches);
            }
            self.read_again(guard);
        }
    }

    /// See [`Index::find_map`](super::Index::find_map).
    #[inline]
    pub fn find_map<T>(
        &self,
        guard: &Guard,
        key: SeekKey<'_>,
        look: impl FnMut(AnchorPtr) -> Option<T>,
    ) -> Option<T> {
        self.rows.with_bytes(key, |key| {
            if !self.unique {
                return self.seek(guard, key).find_map(look);
            }
            loop {
                if let Ok(pointer) = self.try_find(guard, key) {
                    // SAFETY: read at a checked version (B3).
                    return unsafe { self.chain(pointer) }.find_map(look);
                }
                self.read_again(guard);
            }
        })
    }

    /// See [`Index::prefetch_ahead`](super::Index::prefetch_ahead). Gives up if another thread
    /// changes a node meanwhile.
    #[inline]
    pub fn prefetch_ahead(&self, guard: &Guard, next: SeekKey<'_>, after: SeekKey<'_>) {
        if self.unique {
            let row = self.rows.with_bytes(next, |key| self.try_find(guard, key));
            row.into_iter().for_each(prefetch_row);
        }
        let _ = self.rows.with_bytes(after, |key| self.prefetch_leaf(guard, key));
    }

    /// Prefetches the part of a key's leaf that a search begins with.
    #[inline]
    fn prefetch_leaf(&self, guard: &Guard, key: &[u8]) -> Result<(), Retry> {
        let Leaf { node, seen, .. } = self.descend(guard, key, Side::From, 1)?;
        if node.level() > 0 {
            node.child(self.child_index(node, seen, key, Side::From)?, seen)?.prefetch_heads();
        }
        Ok(())
    }

    /// The address that the entry of a key points to, or 0 if the key has none.
    #[inline]
    fn try_find(&self, guard: &Guard, key: &[u8]) -> Result<u64, Retry> {
        let leaf = self.descend(guard, key, Side::From, 0)?;
        let (index, found) = self.search(guard, leaf.node, leaf.seen, key)?;
        let pointer = if found { leaf.node.pointer(index) } else { 0 };
        leaf.node.version.check(leaf.seen)?;
        Ok(pointer)
    }

    #[inline]
    fn try_seek<'g>(&'g self, guard: &'g Guard, key: &[u8]) -> Result<Found<'g>, Retry> {
        let pointer = self.try_find(guard, key)?;
        if pointer == 0 {
            return Ok(Found::Nothing);
        }
        // SAFETY: read at a checked version (B3).
        Ok(unsafe {
            if self.unique {
                Found::Chain(self.chain(pointer))
            } else {
                Found::Postings(GroupPtr::from_address(pointer).postings(0))
            }
        })
    }

    /// The node of this level between whose fences a key lies, or the root if the tree is not that
    /// high.
    #[inline]
    fn descend<'g>(
        &'g self,
        guard: &'g Guard,
        key: &[u8],
        side: Side,
        level: u32,
    ) -> Result<Leaf<'g>, Retry> {
        let (mut node, mut seen) = self.root(guard)?;
        let mut parent = None;
        while node.level() > level {
            let child = self.child_index(node, seen, key, side)?;
            (node, seen, parent) = self.step(node, seen, child)?;
        }
        Ok(Leaf { node, seen, parent })
    }

    /// As [`RangeIndex::descend`] to a leaf, splitting full inner nodes.
    fn descend_with_room<'g>(&'g self, guard: &'g Guard, key: &[u8]) -> Result<Leaf<'g>, Retry> {
        let (mut node, mut seen) = self.root(guard)?;
        let mut parent = None;
        while node.level() > 0 {
            let child = self.child_index(node, seen, key, Side::From)?;
            if node.count() == CAPACITY {
                self.split(guard, &Leaf { node, seen, parent }, child + 1)?;
                return Err(Retry);
            }
            (node, seen, parent) = self.step(node, seen, child)?;
        }
        Ok(Leaf { node, seen, parent })
    }

    fn root<'g>(&'g self, _guard: &'g Guard) -> Result<(NodeRef<'g>, Seen), Retry> {
        // SAFETY: the root was in the tree after the guard was taken. Acquire: pairs with the
        // Release of the thread that has replaced it.
        let root = unsafe { NodeRef::from_address(self.root.load(Acquire)) };
        // Fails if the root has been replaced, since then it is obsolete.
        Ok((root, root.version.read()?))
    }

    #[inline]
    fn step<'g>(
        &self,
        node: NodeRef<'g>,
        seen: Seen,
        child: usize,
    ) -> Result<(NodeRef<'g>, Seen, Option<Step<'g>>), Retry> {
        let below = node.child(child, seen)?;
        below.prefetch_heads();
        // If the child is not obsolete, it is in the tree, and its fences never change (B1, B2). So
        // it does not matter whether this node has changed meanwhile.
        let below_seen = below.version.read()?;
        Ok((below, below_seen, Some(Step { node, seen, child })))
    }

    /// Shape and activity of the tree.
    pub fn stats(&self, guard: &Guard) -> RangeStats {
        let height = loop {
            if let Ok((root, _)) = self.root(guard) {
                break root.level() + 1;
            }
        };
        let splits = self.activity.splits.load(Relaxed);
        let splits_again = self.activity.splits_again.load(Relaxed);
        // An insert that has split a node, or has failed to, begins again in any case.
        let again = self.activity.updates_again.load(Relaxed);
        RangeStats {
            leaf_nodes: self.activity.leaves.load(Relaxed),
            inner_nodes: self.activity.inner.load(Relaxed),
            height,
            splits,
            merges: self.activity.merges.load(Relaxed),
            reads_again: self.activity.reads_again.sum(),
            updates_again: again.saturating_sub(splits + splits_again),
            splits_again,
            merges_again: self.activity.merges_again.load(Relaxed),
            retired_nodes: self.activity.retired.load(Relaxed),
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// See [`Index::memory`](super::Index::memory).
    pub fn memory(&self) -> IndexMemory {
        self.counts.memory()
    }

    /// Whether at most one live row has a key.
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// Counts a search that begins again. The guard's address spreads threads over the stripes.
    #[cold]
    fn read_again(&self, guard: &Guard) {
        self.activity.reads_again.add(std::ptr::from_ref(guard) as u64, 1);
    }

    /// Counts and charges a new node.
    fn charge_node(&self, node: NodeRef<'_>) {
        self.counts.charge(node.address(), node.size_bytes(), CAPACITY * ENTRY_WORDS as usize);
        self.nodes_of(node).fetch_add(1, Relaxed);
    }

    /// Frees a node that is out of the tree, once no reader can be in it.
    ///
    /// # Safety
    /// The node is obsolete, and this is called once.
    unsafe fn retire_node(&self, guard: &Guard, node: NodeRef<'_>) {
        self.counts.discharge(node.address(), node.size_bytes(), CAPACITY * ENTRY_WORDS as usize);
        self.nodes_of(node).fetch_sub(1, Relaxed);
        let (address, activity) = (node.address(), self.activity.clone());
        activity.retired.fetch_add(1, Relaxed);
        let free = move || {
            // SAFETY: nothing in the tree points to the node (B2), and the guards of its readers
            // are gone.
            unsafe { NodeRef::from_address(address).free() };
            activity.retired.fetch_sub(1, Relaxed);
        };
        // SAFETY: as above; the closure keeps the counts alive.
        unsafe { guard.defer_unchecked(free) };
    }

    /// See [`Index::dismantle`](super::Index::dismantle).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn dismantle(
        &self,
        state: &mut Dismantling,
        budget: usize,
        free: Option<&mut dyn FnMut(AnchorPtr)>,
    ) -> usize {
        if let Dismantling::Whole = state {
            let root = NodeRef::create(0, 0, &Fences { lower: [].into(), upper: None }, []);
            self.charge_node(root);
            *state = Dismantling::Nodes(vec![self.root.load(Relaxed)]);
            self.root.store(root.address(), Relaxed);
        }
        let Dismantling::Nodes(nodes) = state else { return 0 };
        // SAFETY: the caller promises that no other thread uses the index.
        let done = unsafe { self.free_nodes(nodes, budget, free) };
        if nodes.is_empty() {
            *state = Dismantling::Over;
        }
        done
    }

    /// Frees nodes and all below them, the last node first, until the budget of entries is used up.
    /// Returns how many entries there were.
    ///
    /// # Safety
    /// No other thread uses the nodes.
    unsafe fn free_nodes(
        &self,
        nodes: &mut Vec<u64>,
        budget: usize,
        mut free: Option<&mut dyn FnMut(AnchorPtr)>,
    ) -> usize {
        let mut done = 0;
        // SAFETY: the caller promises that no other thread uses the nodes; all addresses come from
        // the tree.
        unsafe {
            let guard = crossbeam_epoch::unprotected();
            while done < budget
                && let Some(address) = nodes.pop()
            {
                let node = NodeRef::from_address(address);
                done += node.count().max(1);
                let entries = node.entries().map(|entry| entry.pointer);
                match &mut free {
                    // Pushed in reverse, so that rows are freed in order.
                    _ if node.level() > 0 => nodes.extend(entries.collect::<Vec<_>>().iter().rev()),
                    _ if !self.unique => {
                        let group = |pointer| GroupPtr::from_address(pointer);
                        entries.for_each(|e| group(e).retire::<NoHeader>(guard, &self.counts));
                    }
                    Some(free) => entries.flat_map(|first| self.chain(first)).for_each(free),
                    None => {}
                }
                self.retire_node(guard, node);
            }
        }
        done
    }

    fn nodes_of(&self, node: NodeRef<'_>) -> &AtomicU64 {
        if node.level() == 0 { &self.activity.leaves } else { &self.activity.inner }
    }
}

impl Drop for RangeIndex {
    fn drop(&mut self) {
        let mut nodes = vec![self.root.load(Relaxed)];
        // SAFETY: no other thread has access to the index any more. Anchors belong to the table.
        unsafe { self.free_nodes(&mut nodes, usize::MAX, None) };
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

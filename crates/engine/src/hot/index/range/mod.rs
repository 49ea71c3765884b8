//! Range index: keys in order, in a B+tree that readers never write to.
//!
//! # Shape
//!
//! A leaf entry is the head of a key (eight bytes of it, see [`node`]) and a pointer: in a unique
//! index to the newest anchor with the key, from which the link words lead to the others; in one
//! that is not unique to the group of the key (see [`postings`](super::postings)). Where the head
//! does not decide, the rest of the key is read from the row or the group. An inner node has the
//! same form; the key of a child is its lower fence.
//!
//! # How it is read and written
//!
//! By optimistic lock coupling (Leis, Haubenschild, Neumann, 2019): every node has a version. A
//! reader notes it, reads, and checks it again before it believes what it has read, or follows a
//! pointer. A writer locks the one to three nodes that it changes, if they still have the versions
//! at which it has read them. No thread waits for a node while holding another, and a lock is held
//! for a few dozen instructions.
//!
//! Postings and what hangs on a leaf entry change without the leaf: an anchor joins a group
//! without a lock at all.
//!
//! # Splitting and merging
//!
//! Both make new nodes and replace the old ones, so that a node's fences and prefix never change.
//! Writers on the way down split full inner nodes, so that a parent always has room; a leaf is
//! split evenly, but at the ends of the tree so that the keys that ascend (or descend) fill it. A
//! node that becomes sparse is merged with a neighbour if they fit well into one.
//!
//! # Invariants
//!
//! * B1: a key is only in the leaf between whose fences it lies; the fences of neighbours are
//!   equal.
//! * B2: a node that is out of the tree is obsolete, and never locked again.
//! * B3: a pointer that was read is followed only after the version was checked. Then it was in the
//!   node while the guard was held, and what it points to is protected.
//!
//! A scan continues by key: it copies a leaf's pointers, and finds the next leaf by the fence.

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
use crate::hot::index::prefetch::prefetch_row;
use crate::hot::index::rows::Rows;
use crate::hot::index::shape::{Admit, IndexMemory, IndexShape};
use crate::hot::key::SeekKey;
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
    /// Keys have this length and no head leaves any of it out.
    exact_len: Option<usize>,
    root: Word,
    counts: Counts,
    /// Apart, since readers look at the root all the time; shared, since a node may be freed after
    /// the index has gone.
    activity: Arc<Activity>,
}

/// Groups of a range index have nothing before them.
struct NoHeader;

/// What has happened to the tree's nodes.
#[derive(Debug, Default)]
struct Activity {
    leaves: AtomicU64,
    inner: AtomicU64,
    splits: AtomicU64,
    merges: AtomicU64,
    /// Searches begun again because another thread changed a node meanwhile: by readers, by inserts
    /// and removals, by splits, and by merges. Only an operation that begins again writes here.
    reads_again: Striped,
    updates_again: AtomicU64,
    splits_again: AtomicU64,
    merges_again: AtomicU64,
    /// Nodes out of the tree that readers may still be in.
    retired: AtomicU64,
}

/// The form of the tree: for `sys.dm_db_xtp_nonclustered_index_stats`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RangeStats {
    /// Nodes with entries of rows.
    pub leaf_nodes: u64,
    /// Nodes above them.
    pub inner_nodes: u64,
    /// Nodes from the root to a leaf.
    pub height: u32,
    /// Nodes split since the index was made.
    pub splits: u64,
    /// Pairs of nodes merged since the index was made.
    pub merges: u64,
    /// Searches that had to begin again because of a change of a node at the same time.
    pub reads_again: u64,
    /// Inserts and removals that had to.
    pub updates_again: u64,
    /// Splits that had to, or were given up in favour of another.
    pub splits_again: u64,
    /// Merges that had to, or were given up in favour of another.
    pub merges_again: u64,
    /// Nodes that are out of the tree and not freed yet, as readers may be in them.
    pub retired_nodes: u64,
}

/// A node on the way down, the version at which it was read, and which child was taken.
#[derive(Clone, Copy)]
struct Step<'g> {
    node: NodeRef<'g>,
    seen: Seen,
    child: usize,
}

/// Where a search has ended.
struct Leaf<'g> {
    node: NodeRef<'g>,
    seen: Seen,
    parent: Option<Step<'g>>,
}

/// Which leaf is meant when a key is a fence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The one that begins with it.
    From,
    /// The one that ends with it.
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
        check: &mut dyn FnMut(AnchorPtr) -> Admit,
    ) -> bool {
        let inserted = self.rows.with_key(row, |key| {
            loop {
                // SAFETY: the caller's promise.
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
        check: &mut dyn FnMut(AnchorPtr) -> Admit,
    ) -> Result<bool, Retry> {
        let leaf = self.descend_with_room(guard, key)?;
        let (node, seen) = (leaf.node, leaf.seen);
        let (index, found) = self.search(guard, node, seen, key)?;
        // SAFETY: the caller's promise for the anchor; what is found was read at a checked version.
        unsafe {
            let link = self.rows.link(anchor);
            if found {
                let pointer = node.pointer(index);
                node.version.check(seen)?;
                if !self.unique {
                    return self.join(guard, node, seen, (index, pointer), (anchor, link));
                }
                for other in self.chain(pointer) {
                    if check(other) == Admit::Refuse {
                        return Ok(false);
                    }
                }
                // An insert of the key since then has changed the version (X5).
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

    /// What a leaf entry for a new key points to.
    ///
    /// # Safety
    /// This is the anchor's link word.
    unsafe fn fresh(&self, key: &[u8], anchor: AnchorPtr, link: &Word) -> u64 {
        if self.unique {
            link.store(0, Relaxed);
            return anchor.address();
        }
        let group = GroupPtr::create(NoHeader, key, anchor, link, &self.counts);
        self.counts.add_keys(group.address(), 1);
        group.address()
    }

    /// Adds an anchor to the group that an entry points to, or replaces a dead group.
    ///
    /// # Safety
    /// As for [`RangeIndex::insert`]; the entry was read at a checked version.
    unsafe fn join(
        &self,
        _guard: &Guard,
        node: NodeRef<'_>,
        seen: Seen,
        (index, pointer): (usize, u64),
        (anchor, link): (AnchorPtr, &Word),
    ) -> Result<bool, Retry> {
        let group = GroupPtr::from_address(pointer);
        // SAFETY: the caller's promise.
        unsafe {
            if group.append(anchor, link, &self.counts).is_err() {
                // Its killer will find it replaced.
                let locked = node.lock(seen)?;
                node.set_pointer(index, self.fresh(group.key(), anchor, link));
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
        // SAFETY: the caller's promise; the call that is told that a group died owns it.
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

    /// Takes an anchor or a dead group out of the tree.
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

    /// Returns whether the leaf has become sparse.
    fn try_remove(&self, guard: &Guard, key: &[u8], pointer: u64) -> Result<bool, Retry> {
        let leaf = self.descend(guard, key, Side::From, 0)?;
        let (node, seen) = (leaf.node, leaf.seen);
        let (index, found) = self.search(guard, node, seen, key)?;
        let head = if found { node.pointer(index) } else { 0 };
        let locked = node.lock(seen)?;
        if head == pointer {
            // SAFETY: the entry points to an anchor if the index is unique, protected by the guard.
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

    /// See [`Index::prefetch_ahead`](super::Index::prefetch_ahead). Gives up where another thread
    /// changes a node.
    #[inline]
    pub fn prefetch_ahead(&self, guard: &Guard, next: SeekKey<'_>, after: SeekKey<'_>) {
        if self.unique {
            let row = self.rows.with_bytes(next, |key| self.try_find(guard, key));
            row.into_iter().for_each(prefetch_row);
        }
        let _ = self.rows.with_bytes(after, |key| self.prefetch_leaf(guard, key));
    }

    /// Asks for the part of a key's leaf that a search begins with.
    #[inline]
    fn prefetch_leaf(&self, guard: &Guard, key: &[u8]) -> Result<(), Retry> {
        let Leaf { node, seen, .. } = self.descend(guard, key, Side::From, 1)?;
        if node.level() > 0 {
            node.child(self.child_index(node, seen, key, Side::From)?, seen)?.prefetch_heads();
        }
        Ok(())
    }

    /// What the entry of a key points to, or 0.
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

    /// The node of a level between whose fences a key lies, at most one above the leaves' level
    /// that there is.
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
        // If it has been replaced it is obsolete.
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
        // Unless it is obsolete it is in the tree, and its fences are what they were (B1, B2); so
        // it does not matter whether this node has changed in the meantime.
        let below_seen = below.version.read()?;
        Ok((below, below_seen, Some(Step { node, seen, child })))
    }

    /// Height, nodes and what has happened to them.
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

    /// Counts a search that begins again. Its place in memory tells searches of different threads
    /// apart.
    #[cold]
    fn read_again(&self, guard: &Guard) {
        self.activity.reads_again.add(std::ptr::from_ref(guard) as u64, 1);
    }

    /// Counts a node that has come into being.
    fn charge_node(&self, node: NodeRef<'_>) {
        self.counts.charge(node.address(), node.size_bytes(), CAPACITY * ENTRY_WORDS as usize);
        self.nodes_of(node).fetch_add(1, Relaxed);
    }

    /// Gives a node back that is out of the tree.
    ///
    /// # Safety
    /// It is obsolete, and this is called once.
    unsafe fn retire_node(&self, guard: &Guard, node: NodeRef<'_>) {
        self.counts.discharge(node.address(), node.size_bytes(), CAPACITY * ENTRY_WORDS as usize);
        self.nodes_of(node).fetch_sub(1, Relaxed);
        let (address, activity) = (node.address(), self.activity.clone());
        activity.retired.fetch_add(1, Relaxed);
        let free = move || {
            // SAFETY: nothing in the tree points to it (B2); readers go with the epoch.
            unsafe { NodeRef::from_address(address).free() };
            activity.retired.fetch_sub(1, Relaxed);
        };
        // SAFETY: as above; what it counts in is kept alive by the function.
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
        // SAFETY: the caller's promise.
        let done = unsafe { self.free_nodes(nodes, budget, free) };
        if nodes.is_empty() {
            *state = Dismantling::Over;
        }
        done
    }

    /// Frees nodes and what is below them, the last first, until the budget of entries is used up.
    /// Returns how many there were.
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
        // SAFETY: the caller's promise; all that is there was reached through the tree.
        unsafe {
            let guard = crossbeam_epoch::unprotected();
            while done < budget
                && let Some(address) = nodes.pop()
            {
                let node = NodeRef::from_address(address);
                done += node.count().max(1);
                let entries = node.entries().map(|entry| entry.pointer);
                match &mut free {
                    // The first comes last, so that rows are freed in order.
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

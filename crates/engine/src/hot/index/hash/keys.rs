//! The entries of a hash index that is not unique: the first few rows of a key are nodes of the
//! list, further ones are in postings.
//!
//! The anchors of a key's first [`RUN_MAX`] rows are nodes of the list themselves, next to each
//! other, so that a key with few rows takes no memory of its own. For further rows the key gets a
//! node with postings. So searches do not pass all rows of a key with many, and removal of such a
//! row needs no search. An anchor never moves from one to the other; its link word says where it is
//! ([`is_place`]).
//!
//! # Invariants
//!
//! * K1: an insert links a node before all nodes with its hash, after it has looked at all of them.
//!   So of two inserts of a key one must look again. A key has at most one live group, which
//!   precedes the key's anchors.

use smallvec::SmallVec;

use super::list::{SplitList, Target, is_marked, target};
use super::nodes::{AnchorNodes, KeyHeader, KeyNodes, Nodes};
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::count::Counts;
use crate::hot::index::postings::{GroupPtr, Postings, is_place};
use crate::hot::index::rows::Probe;
use crate::hot::key::KeyBuf;
use crate::sync::atomic::Ordering::{Acquire, Relaxed};
use crossbeam_epoch::Guard;

/// Rows of a key that are nodes themselves. Low for the interleaving checker, so that keys get
/// postings.
const RUN_MAX: usize = if cfg!(feature = "shuttle") { 1 } else { 8 };

/// Where a new row of a key belongs: in its group, or as a node beside this many others.
enum Place {
    Group(GroupPtr),
    Anchors(usize),
}

/// The nodes with one hash.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) groups: SmallVec<[GroupPtr; 1]>,
    pub(super) anchors: SmallVec<[AnchorPtr; RUN_MAX]>,
}

impl SplitList<KeyNodes> {
    /// Adds an anchor with the probe's key. Returns whether the hash is new.
    ///
    /// # Safety
    /// The caller holds a guard; the anchor is not in the index and is inserted once (X2).
    pub(super) unsafe fn insert(
        &self,
        anchor: AnchorPtr,
        probe: &Probe<'_>,
        counts: &Counts,
    ) -> bool {
        // SAFETY: the caller's guard protects what is reached through the list, and the anchor is
        // inserted once. A fresh group belongs to this thread until it is linked.
        unsafe {
            let link = self.nodes().rows().link(anchor);
            loop {
                let spot = self.find(probe.hash, |_| false);
                let linked = match self.place_of(spot.word, probe) {
                    Place::Group(group) => {
                        if group.append(anchor, link, counts).is_ok() {
                            counts.add_posted(anchor.address(), 1);
                            return false;
                        }
                        // The group is dead. The thread that removed its last anchor is about to
                        // mark it, too. The next search skips it.
                        self.mark(KeyNodes::node(group));
                        continue;
                    }
                    Place::Anchors(rows) if rows < RUN_MAX => {
                        let linked = self.link(&spot, probe.hash, anchor.address(), link);
                        counts.add_rows(anchor.address(), i64::from(linked));
                        linked
                    }
                    Place::Anchors(_) => {
                        let (header, mut key) = (KeyHeader::new(probe.hash), KeyBuf::new());
                        self.nodes().rows().encode_key(anchor, &mut key);
                        let group = GroupPtr::create(header, &key, anchor, link, counts);
                        let node = KeyNodes::node(group);
                        let linked = self.link(&spot, probe.hash, node, self.nodes().link(node));
                        counts.add_posted(anchor.address(), i64::from(linked));
                        if !linked {
                            group.discard::<KeyHeader>(counts);
                        }
                        linked
                    }
                };
                if linked {
                    return !self.points_to(spot.word, probe.hash);
                }
            }
        }
    }

    /// Where a row with the probe's key belongs, among the nodes from the one on that a word points
    /// to.
    ///
    /// # Safety
    /// The caller holds a guard; the word points to the first node with the hash or beyond.
    unsafe fn place_of(&self, mut word: u64, probe: &Probe<'_>) -> Place {
        let mut rows = 0;
        while let Target::Node(node) = target(word) {
            // SAFETY: reached under the caller's guard (L2).
            unsafe {
                if self.compare_tags(word, probe.hash).is_gt() {
                    break;
                }
                word = self.nodes().link(node).load(Acquire);
                match KeyNodes::group(node) {
                    Some(group) if self.nodes().hash(node) == probe.hash => {
                        if !is_marked(word) && self.nodes().rows().is_key(group.key(), probe) {
                            return Place::Group(group);
                        }
                    }
                    None if self.nodes().rows().has_key(AnchorNodes::anchor(node), probe) => {
                        rows += usize::from(!is_marked(word));
                    }
                    _ if self.nodes().hash(node) == probe.hash => {}
                    _ => break,
                }
            }
        }
        Place::Anchors(rows)
    }

    /// Removes an anchor that was inserted.
    ///
    /// # Safety
    /// The caller holds the guard; this is the anchor's hash, and it is removed once.
    pub(super) unsafe fn remove_anchor(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        hash: impl FnOnce() -> u64,
        counts: &Counts,
    ) {
        // SAFETY: the caller holds the guard and removes the anchor once. `unlink` returns a dead
        // group to one call only, which owns the group.
        unsafe {
            let link = self.nodes().rows().link(anchor);
            if !is_place(link.load(Relaxed)) {
                counts.add_rows(anchor.address(), -1);
                self.remove(anchor.address(), hash());
                return;
            }
            counts.add_posted(anchor.address(), -1);
            if let Some(group) = GroupPtr::unlink(link, guard, counts) {
                let node = KeyNodes::node(group);
                self.remove(node, self.nodes().hash(node));
                group.retire::<KeyHeader>(guard, counts);
            }
        }
    }

    /// Collects the nodes with this hash, from the one on that a word points to. The word becomes
    /// the one that points to the node after them.
    ///
    /// # Safety
    /// The caller holds a guard, which protects what is returned; the word points to the first of
    /// them or beyond.
    pub(super) unsafe fn gather(&self, word: &mut u64, hash: u64) -> Gathered {
        let mut gathered = Gathered::default();
        // SAFETY: reached under the caller's guard (L2).
        unsafe {
            while self.points_to(*word, hash) {
                let Target::Node(node) = target(*word) else { break };
                *word = self.nodes().link(node).load(Acquire);
                match KeyNodes::group(node) {
                    _ if is_marked(*word) => {}
                    Some(group) => gathered.groups.push(group),
                    None => gathered.anchors.push(AnchorNodes::anchor(node)),
                }
            }
            if gathered.groups.len() > 1 {
                gathered.groups.sort_unstable_by(|a, b| a.key().cmp(b.key()));
            }
        }
        gathered
    }

    /// The word that points to the first node with this hash or beyond. Changes nothing in the
    /// list.
    ///
    /// # Safety
    /// The caller holds a guard.
    pub(super) unsafe fn first(&self, hash: u64) -> u64 {
        let mut word = self.start(hash);
        loop {
            match target(word) {
                Target::Bucket(border) if border <= hash => word = self.follow(border),
                // SAFETY: reached under the caller's guard (L2).
                Target::Node(node) if unsafe { self.precedes(word, node, hash) } => {
                    // SAFETY: as above.
                    word = unsafe { self.nodes().link(node) }.load(Acquire);
                }
                _ => return word,
            }
        }
    }

    unsafe fn precedes(&self, word: u64, node: u64, hash: u64) -> bool {
        // SAFETY: the caller holds a guard under which it reached the node.
        self.compare_tags(word, hash)
            .then_with(|| unsafe { self.nodes().hash(node) }.cmp(&hash))
            .is_lt()
    }
}

/// The anchors with one key in an index that is not unique.
pub(in crate::hot::index) struct KeyRun<'g> {
    list: &'g SplitList<KeyNodes>,
    probe: Probe<'g>,
    word: u64,
    postings: Option<Postings<'g>>,
}

impl std::fmt::Debug for KeyRun<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeyRun({:#x})", self.word)
    }
}

impl<'g> KeyRun<'g> {
    /// An iterator over the anchors with this key.
    ///
    /// # Safety
    /// The caller holds a guard for `'g`.
    #[inline]
    pub(super) unsafe fn new(list: &'g SplitList<KeyNodes>, probe: Probe<'g>) -> KeyRun<'g> {
        KeyRun { list, word: list.start(probe.hash), probe, postings: None }
    }
}

impl Iterator for KeyRun<'_> {
    type Item = AnchorPtr;

    #[inline]
    fn next(&mut self) -> Option<AnchorPtr> {
        if let Some(anchor) = self.postings.as_mut().and_then(Iterator::next) {
            return Some(anchor);
        }
        let (list, hash) = (self.list, self.probe.hash);
        loop {
            let node = match target(self.word) {
                Target::End => return None,
                Target::Bucket(border) if border > hash => return None,
                Target::Bucket(border) => {
                    self.word = list.follow(border);
                    continue;
                }
                Target::Node(node) => node,
            };
            let tags = list.compare_tags(self.word, hash);
            if tags.is_gt() {
                return None;
            }
            // SAFETY: reached under the guard that the caller of `new` holds (L2).
            unsafe {
                self.word = list.nodes().link(node).load(Acquire);
                if tags.is_ne() || is_marked(self.word) {
                    continue;
                }
                match KeyNodes::group(node) {
                    Some(group)
                        if list.nodes().hash(node) == hash
                            && list.nodes().rows().is_key(group.key(), &self.probe) =>
                    {
                        let mut postings = group.postings(0);
                        if let Some(anchor) = postings.next() {
                            self.postings = Some(postings);
                            return Some(anchor);
                        }
                    }
                    Some(_) => {}
                    None => {
                        let anchor = AnchorNodes::anchor(node);
                        if list.nodes().rows().has_key(anchor, &self.probe) {
                            return Some(anchor);
                        }
                    }
                }
            }
        }
    }
}

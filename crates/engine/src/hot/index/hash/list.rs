//! A lock-free list ordered by hash, entered through buckets: a split-ordered list (Shalev, Shavit:
//! *Split-Ordered Lists*, 2006), with the order taken from the first bits instead of the reversed
//! last ones, and with deletion marks (Harris 2001, Michael 2002).
//!
//! # Words of the list
//!
//! | bits | in a link to a node | in a link to a bucket |
//! |---|---|---|
//! | 63–48 | 16 bits of the node's hash, the **tag** | border |
//! | 47–4 | address | border (zeros at the end) |
//! | 3 | 0 | border (zero) |
//! | 2 [`KEY`] | the node is a key with postings | border (zero) |
//! | 1 [`TO_BUCKET`] | 0 | 1 |
//! | 0 [`MARK`] | the node whose word this is has been removed | same |
//!
//! The tag holds the bits after those that all hashes of a bucket of the first level have in
//! common. So among the nodes that a search meets, tags are ordered as hashes are. Mostly they tell
//! that a node lies before or beyond the wanted one without a look at the node.
//!
//! # Life of a bucket
//!
//! The buckets of the first level are in the list from the beginning. When a level is added,
//! inserts put the words of its buckets into the list, a few at a time ([`SplitList::help_grow`]).
//! A bucket splits from the one whose border lacks the last set bit: the search for its place
//! begins there, and passes the nodes with smaller hashes. When all buckets are in the list the
//! level is published, and from then on searches enter through them. So a search never finds a
//! bucket that is not ready.
//!
//! A bucket through which no search enters any more may be taken out as a node is: its word is
//! marked, and then it is unlinked ([`SplitList::unlink_bucket`]).
//!
//! # Invariants
//!
//! * L1: nodes and buckets are ordered by hash and border; a bucket precedes the nodes with its
//!   border as their hash. A bucket through which a search may enter is not marked.
//! * L2: the word of a marked node or bucket never changes again. So a reader that stands on one
//!   goes on to the nodes that followed when it was removed, all of which are protected by its
//!   guard or still in the list.
//! * L3: a node or bucket is unlinked by changing the word that points to it, which must not be
//!   marked. When [`SplitList::remove`] or [`SplitList::unlink_bucket`] returns, nothing in the
//!   list points to it.

use std::cmp::Ordering;

use super::buckets::Buckets;
use super::nodes::{AnchorNodes, KEY, Nodes};
use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr};
use crate::hot::index::dismantle::Dismantling;
use crate::hot::index::rows::Probe;
use crate::prefetch::{prefetch, prefetch_row};
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

const MARK: u64 = 1;
const TO_BUCKET: u64 = 2;
const FLAGS: u64 = 0xF;
const TAG_SHIFT: u32 = 48;

/// How many buckets ahead a scan prefetches first nodes.
const PREFETCH_AHEAD: u64 = 12;

/// What a link word points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    End,
    /// The bucket with this border.
    Bucket(u64),
    Node(u64),
}

#[inline]
pub(super) fn target(word: u64) -> Target {
    if word & TO_BUCKET != 0 {
        Target::Bucket(word & !FLAGS)
    } else if word & ADDRESS_MASK != 0 {
        Target::Node(word & (ADDRESS_MASK | KEY))
    } else {
        Target::End
    }
}

/// Whether this is the word of a node or bucket that has been removed.
#[inline]
pub(super) fn is_marked(word: u64) -> bool {
    word & MARK != 0
}

/// A place in the list: a word, and what it held.
pub(super) struct Spot<'g> {
    pred: &'g Word,
    /// The value of `pred`, which points to what follows the place.
    pub(super) word: u64,
}

/// See the module's header. The caller of a search must hold a guard, which protects what the
/// search reaches.
#[derive(Debug)]
pub(super) struct SplitList<N> {
    buckets: Buckets,
    /// How far a hash is shifted for its tag to come first.
    skipped_bits: u32,
    nodes: N,
}

impl<N> SplitList<N> {
    /// An empty list.
    pub(super) fn new(buckets: Buckets, nodes: N) -> SplitList<N> {
        let skipped_bits = buckets.first_level();
        let mut border = Some(0);
        while let Some(this) = border {
            border = buckets.ahead(this, 1);
            buckets.word(this).store(border.map_or(0, |next| next | TO_BUCKET), Relaxed);
        }
        SplitList { buckets, skipped_bits, nodes }
    }

    pub(super) fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    pub(super) fn nodes(&self) -> &N {
        &self.nodes
    }

    /// How the tag in a link to a node compares with that of a hash in the same bucket of the first
    /// level. If they differ, the hashes compare in the same way.
    #[inline]
    pub(super) fn compare_tags(&self, word: u64, hash: u64) -> Ordering {
        (word >> TAG_SHIFT).cmp(&(hash << self.skipped_bits >> TAG_SHIFT))
    }

    /// Empties the list without a look at its nodes. Requires exclusive access, and that no node
    /// must be freed.
    pub(super) fn forget(&self, state: &mut Dismantling) -> usize {
        self.buckets.word(0).store(0, Relaxed);
        *state = Dismantling::Over;
        0
    }

    /// Prefetches what a scan that has come to this bucket will need soon.
    #[inline]
    fn prefetch_ahead(&self, border: u64) {
        if let Some(ahead) = self.buckets.ahead(border, PREFETCH_AHEAD) {
            Self::prefetch_behind(self.buckets.word(ahead));
        }
    }

    /// Prefetches the first node of a bucket. Needs no guard, since it reads only the bucket's
    /// word, whose address stays mapped.
    #[inline]
    fn prefetch_behind(bucket: &Word) {
        let word = bucket.load(Relaxed);
        if word & TO_BUCKET == 0 {
            prefetch_row(word & ADDRESS_MASK);
        }
    }

    /// The word with which a scan that has come to this bucket goes on; skips empty buckets if that
    /// is cheap. Prefetches what the scan will need soon.
    #[inline]
    pub(super) fn pass(&self, border: u64) -> u64 {
        let level = self.skipped_bits;
        if self.buckets.count() != 1 << level || border << level != 0 {
            self.prefetch_ahead(border);
            return self.follow(border);
        }
        // Before a level is added, buckets that are adjacent in the list are adjacent in memory.
        let (words, shift) = (self.buckets.first_words(), u64::BITS - level);
        let mut at = (border >> shift) as usize;
        loop {
            if let Some(ahead) = words.get(at + PREFETCH_AHEAD as usize) {
                Self::prefetch_behind(ahead);
            }
            // Acquire: pairs with the exchange that linked what the word points to.
            let word = words[at].load(Acquire);
            at += 1;
            if word != (at as u64) << shift | TO_BUCKET {
                return word;
            }
        }
    }

    /// The word of the bucket with this border.
    #[inline]
    pub(super) fn follow(&self, border: u64) -> u64 {
        // Acquire: pairs with the exchange that linked what the word points to.
        self.buckets.word(border).load(Acquire)
    }
}

impl<N: Nodes> SplitList<N> {
    /// The word at which a search for a hash enters the list.
    #[inline]
    fn entry(&self, hash: u64) -> &Word {
        self.buckets.word(self.buckets.border(hash))
    }

    /// The value of the word at which a search for a hash enters the list.
    #[inline]
    pub(super) fn start(&self, hash: u64) -> u64 {
        // Acquire: pairs with the exchange that linked what the word points to.
        self.entry(hash).load(Acquire)
    }

    /// Prefetches the bucket that a hash falls into.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(std::ptr::from_ref(self.entry(hash)) as u64);
    }

    /// Prefetches the first node of the bucket that a hash falls into.
    #[inline]
    pub(super) fn prefetch_first(&self, hash: u64) {
        Self::prefetch_behind(self.entry(hash));
    }

    /// Prefetches the buckets that hashes fall into, and then the first nodes of those.
    pub(super) fn prefetch_all(&self, hashes: &[u64]) {
        hashes.iter().for_each(|hash| self.prefetch(*hash));
        hashes.iter().for_each(|hash| self.prefetch_first(*hash));
    }

    /// If a level is being added, puts some of its buckets into the list. Returns how many.
    ///
    /// # Safety
    /// The caller holds a guard.
    pub(super) unsafe fn help_grow(&self) -> usize {
        let Some(share) = self.buckets.claim_share() else { return 0 };
        for border in share.borders() {
            // The search for its place passes the nodes after the bucket that it splits from.
            let word = self.buckets.word(border & (border - 1)).load(Relaxed);
            if word & TO_BUCKET == 0 && self.compare_tags(word, border) == Ordering::Less {
                prefetch_row(word & ADDRESS_MASK);
            }
        }
        for border in share.borders() {
            // SAFETY: the caller holds a guard; each share is claimed once.
            unsafe { self.link_bucket(border) };
        }
        self.buckets.finish_share(share)
    }

    /// # Safety
    /// The caller holds a guard, and is the only one to link this bucket.
    unsafe fn link_bucket(&self, border: u64) {
        let (bucket, before) =
            (self.buckets.word(border), self.buckets.word(border & (border - 1)));
        loop {
            // SAFETY: the caller holds a guard.
            let Some(spot) = (unsafe { self.find_from(before, border, |_| false) }) else {
                continue;
            };
            // No other thread knows the bucket until the exchange succeeds.
            bucket.store(spot.word, Relaxed);
            let link = border | TO_BUCKET;
            if spot.pred.compare_exchange(spot.word, link, AcqRel, Relaxed).is_ok() {
                return;
            }
        }
    }

    /// Takes a bucket out of the list.
    ///
    /// # Safety
    /// The caller holds a guard; no thread enters through the bucket any more or puts it into the
    /// list, and the bucket with the border `before` comes before it and stays.
    pub(super) unsafe fn unlink_bucket(&self, border: u64, before: u64) {
        self.buckets.word(border).fetch_or(MARK, AcqRel);
        let entry = self.buckets.word(before);
        // SAFETY: the caller holds a guard. The search passes all that precedes the bucket, and so
        // meets it (L3).
        while unsafe { self.find_from(entry, border, |_| false) }.is_none() {}
    }

    /// The place before the first node with a greater hash, or with this hash if `passes` returns
    /// `false` for it. Unlinks removed nodes on the way.
    ///
    /// # Safety
    /// The caller holds a guard.
    pub(super) unsafe fn find(&self, hash: u64, mut passes: impl FnMut(u64) -> bool) -> Spot<'_> {
        let entry = self.entry(hash);
        loop {
            // SAFETY: the caller holds a guard.
            if let Some(spot) = unsafe { self.find_from(entry, hash, &mut passes) } {
                return spot;
            }
        }
    }

    /// As [`SplitList::find`], from this bucket on. `None` if another thread changed the list here.
    unsafe fn find_from<'g>(
        &'g self,
        entry: &'g Word,
        hash: u64,
        mut passes: impl FnMut(u64) -> bool,
    ) -> Option<Spot<'g>> {
        let mut pred = entry;
        let mut word = pred.load(Acquire);
        // The node that `pred` is the word of; `None` for a bucket.
        let mut before = None;
        loop {
            match target(word) {
                Target::End => return Some(Spot { pred, word }),
                Target::Bucket(border) if border > hash => return Some(Spot { pred, word }),
                Target::Bucket(border) => {
                    let bucket = self.buckets.word(border);
                    let next = bucket.load(Acquire);
                    if is_marked(next) {
                        let skip = next & !MARK;
                        // As for a node.
                        pred.compare_exchange(word, skip, AcqRel, Relaxed).ok()?;
                        word = skip;
                        continue;
                    }
                    (pred, word, before) = (bucket, next, None);
                }
                // SAFETY: the caller holds a guard, under which the node was reached (L2).
                Target::Node(node) => unsafe {
                    let tags = self.compare_tags(word, hash);
                    if tags == Ordering::Greater {
                        return Some(Spot { pred, word });
                    }
                    let link = self.nodes.link(node);
                    let next = link.load(Acquire);
                    if is_marked(next) {
                        let skip = next & !MARK;
                        // Fails if the predecessor has been marked, too (L3).
                        pred.compare_exchange(word, skip, AcqRel, Relaxed).ok()?;
                        if N::COUNTS_HASHES {
                            self.count_unlinked(before, node, skip);
                        }
                        word = skip;
                        continue;
                    }
                    match tags.then_with(|| self.nodes.hash(node).cmp(&hash)) {
                        Ordering::Greater => return Some(Spot { pred, word }),
                        Ordering::Equal if !passes(node) => return Some(Spot { pred, word }),
                        _ => (pred, word, before) = (link, next, Some(node)),
                    }
                },
            }
        }
    }

    /// Counts the loss of a hash, if a node that has just been unlinked between `before` and the
    /// target of `next` was the only one with its hash. The count is exact, since no neighbour
    /// could come or go at the moment of the exchange that unlinked the node.
    ///
    /// # Safety
    /// The caller holds a guard under which it reached all three.
    unsafe fn count_unlinked(&self, before: Option<u64>, node: u64, next: u64) {
        // SAFETY: the caller's guard protects the three nodes.
        unsafe {
            let hash = self.nodes.hash(node);
            let follows = self.points_to(next, hash);
            if !follows && before.is_none_or(|before| self.nodes.hash(before) != hash) {
                self.nodes.lost_hash(hash);
            }
        }
    }

    /// Whether a word points to a node with this hash, removed or not.
    ///
    /// # Safety
    /// The caller holds a guard under which it reached the node.
    #[inline]
    pub(super) unsafe fn points_to(&self, word: u64, hash: u64) -> bool {
        let Target::Node(node) = target(word) else { return false };
        // SAFETY: the caller's guard protects the node.
        self.compare_tags(word, hash).is_eq() && unsafe { self.nodes.hash(node) } == hash
    }

    /// Links a node, whose word is `link`, at a spot. Returns `false` if the spot has changed.
    ///
    /// # Safety
    /// The caller has held a guard since it found the spot; the spot is that of the node's hash,
    /// and the node is in no list.
    pub(super) unsafe fn link(&self, spot: &Spot<'_>, hash: u64, node: u64, link: &Word) -> bool {
        link.store(spot.word, Relaxed);
        let tag = hash << self.skipped_bits >> TAG_SHIFT << TAG_SHIFT;
        let word = node | tag;
        // Release: pairs with the Acquire of threads that follow the word to the node.
        spot.pred.compare_exchange(spot.word, word, AcqRel, Relaxed).is_ok()
    }

    /// Removes a node.
    ///
    /// # Safety
    /// The caller holds a guard; the node is in the list, and this is its hash.
    pub(super) unsafe fn remove(&self, node: u64, hash: u64) {
        // SAFETY: the caller holds a guard, and the node is in the list.
        unsafe {
            self.mark(node);
            // This search passes all nodes with this hash, so that it meets this one if it is still
            // linked (L3).
            self.find(hash, |_| true);
        }
    }

    /// Marks a node as removed. It may have been marked already.
    ///
    /// # Safety
    /// The caller holds a guard under which it reached the node.
    pub(super) unsafe fn mark(&self, node: u64) {
        // SAFETY: the caller's guard protects the node.
        unsafe { self.nodes.link(node) }.fetch_or(MARK, AcqRel);
    }

    /// Empties the list step by step: calls `f` for at most `budget` further nodes, which it may
    /// free. Returns how many there were.
    ///
    /// # Safety
    /// The caller has exclusive access to the list.
    pub(super) unsafe fn dismantle(
        &self,
        state: &mut Dismantling,
        budget: usize,
        mut f: impl FnMut(u64),
    ) -> usize {
        let mut word = match state {
            Dismantling::List(word) => *word,
            Dismantling::Whole => {
                let first = self.pass(0);
                self.buckets.word(0).store(0, Relaxed);
                first
            }
            _ => return 0,
        };
        for done in 0..budget {
            let node = loop {
                match target(word) {
                    Target::Bucket(border) => word = self.pass(border),
                    Target::Node(node) => break node,
                    Target::End => {
                        *state = Dismantling::Over;
                        return done;
                    }
                }
            };
            // SAFETY: the caller has exclusive access, and `f` has not got the node yet.
            word = unsafe { self.nodes.link(node) }.load(Relaxed);
            f(node);
        }
        *state = Dismantling::List(word);
        budget
    }
}

/// The anchors with one key in a unique index, newest first.
#[derive(Debug)]
pub(in crate::hot::index) struct Run<'g> {
    list: &'g SplitList<AnchorNodes>,
    probe: Probe<'g>,
    word: u64,
}

impl<'g> Run<'g> {
    /// The anchors with the probe's key, from the target of a word on, which must not lie after the
    /// first of them.
    ///
    /// # Safety
    /// A guard protects what the word points to for `'g`.
    pub(super) unsafe fn new(
        list: &'g SplitList<AnchorNodes>,
        probe: Probe<'g>,
        word: u64,
    ) -> Run<'g> {
        Run { list, probe, word }
    }
}

impl Iterator for Run<'_> {
    type Item = AnchorPtr;

    #[inline]
    fn next(&mut self) -> Option<AnchorPtr> {
        // SAFETY: the caller of `new` holds a guard for `'g`.
        unsafe { self.list.next_match(&mut self.word, &self.probe) }
    }
}

impl SplitList<AnchorNodes> {
    /// The next anchor with the probe's key from the target of `word` on, which must not lie after
    /// the first of them. `word` becomes the anchor's word. Changes nothing in the list.
    ///
    /// # Safety
    /// A guard protects what the word points to.
    #[inline(always)]
    pub(super) unsafe fn next_match(&self, word: &mut u64, probe: &Probe<'_>) -> Option<AnchorPtr> {
        let rows = self.nodes.rows();
        loop {
            let node = match target(*word) {
                Target::End => return None,
                Target::Bucket(border) if border > probe.hash => return None,
                Target::Bucket(border) => {
                    *word = self.follow(border);
                    continue;
                }
                Target::Node(node) => node,
            };
            let tags = self.compare_tags(*word, probe.hash);
            if tags == Ordering::Greater {
                return None;
            }
            let anchor = AnchorNodes::anchor(node);
            // SAFETY: reached under the guard (L2).
            unsafe {
                *word = rows.link(anchor).load(Acquire);
                if tags == Ordering::Equal && rows.has_key(anchor, probe) && !is_marked(*word) {
                    return Some(anchor);
                }
            }
        }
    }
}

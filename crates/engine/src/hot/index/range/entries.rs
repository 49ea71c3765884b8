//! The targets of a leaf's entries, and searches among entries.

use std::cmp::Ordering;
use std::ops::Range;

use crossbeam_epoch::Guard;

use super::chain::Chain;
use super::node::{NodeRef, head};
use super::version::{Retry, Seen};
use super::{RangeIndex, Side};
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::postings::GroupPtr;
use crate::hot::key::KeyBuf;
use crate::sync::atomic::Ordering::{Relaxed, Release};

impl RangeIndex {
    /// The chain that begins with the anchor at this address.
    ///
    /// # Safety
    /// It was an entry of a leaf while a guard was held that lives for `'g`.
    #[inline]
    pub(super) unsafe fn chain(&self, pointer: u64) -> Chain<'_> {
        // SAFETY: the caller promises that a guard protects the anchor.
        unsafe { Chain::new(&self.rows, pointer) }
    }

    /// The anchor after this one, or 0.
    ///
    /// # Safety
    /// It is the address of a protected anchor of the chain.
    pub(super) unsafe fn next_in_chain(&self, pointer: u64) -> u64 {
        let anchor = AnchorPtr::from_address(pointer).expect("an entry points to an anchor");
        // SAFETY: the caller promises that the anchor is protected.
        unsafe { self.rows.link(anchor) }.load(Relaxed)
    }

    /// Removes an anchor from a chain whose first one it is not.
    ///
    /// # Safety
    /// Both are addresses of protected anchors, and the leaf is locked.
    pub(super) unsafe fn remove_from_chain(&self, first: u64, removed: u64) {
        let mut at = first;
        // SAFETY: anchors in the chain are protected, and the caller has locked the leaf.
        unsafe {
            loop {
                let next = self.next_in_chain(at);
                assert_ne!(next, 0, "an anchor to be removed is in its key's chain");
                if next == removed {
                    break;
                }
                at = next;
            }
            let anchor = AnchorPtr::from_address(at).expect("just followed");
            // Release: pairs with the Acquire in `Chain`.
            self.rows.link(anchor).store(self.next_in_chain(removed), Release);
        }
    }

    /// Encodes the key of a leaf entry.
    ///
    /// # Safety
    /// The pointer was an entry of a leaf under a guard that is still held.
    pub(super) unsafe fn key_of(&self, pointer: u64, out: &mut KeyBuf) {
        // SAFETY: the caller's guard protects the anchor or group.
        unsafe {
            if self.unique {
                let anchor =
                    AnchorPtr::from_address(pointer).expect("an entry points to an anchor");
                self.rows.encode_key(anchor, out);
            } else {
                out.set(GroupPtr::from_address(pointer).key());
            }
        }
    }

    /// How the key of a leaf entry compares with a key.
    ///
    /// # Safety
    /// As for [`RangeIndex::key_of`].
    unsafe fn compare(&self, pointer: u64, key: &[u8], scratch: &mut KeyBuf) -> Ordering {
        // SAFETY: the caller's guard protects the anchor or group.
        unsafe {
            if !self.unique {
                return GroupPtr::from_address(pointer).key().cmp(key);
            }
            self.key_of(pointer, scratch);
        }
        (**scratch).cmp(key)
    }

    /// The place of a key, or of the first greater one, in a leaf between whose fences it lies; and
    /// whether the key is there. The caller must check the version before it uses the result.
    #[inline]
    pub(super) fn search(
        &self,
        _guard: &Guard,
        node: NodeRef<'_>,
        seen: Seen,
        key: &[u8],
    ) -> Result<(usize, bool), Retry> {
        let ties = node.ties(0, head(key, node.prefix_len()));
        if let Some(len) = self.exact_len {
            // Heads are whole keys. A longer key (a bound of a scan) is greater than the key that
            // it starts with. A shorter one is less than the keys with its head, and its place is
            // the first of them.
            let passed = !ties.is_empty() && key.len() > len;
            return Ok((ties.start + usize::from(passed), !ties.is_empty() && key.len() == len));
        }
        if ties.is_empty() {
            return Ok((ties.start, false));
        }
        let mut scratch = KeyBuf::new();
        let mut range = ties;
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            let pointer = node.pointer(middle);
            node.version.check(seen)?;
            // SAFETY: read at a checked version (B3).
            match unsafe { self.compare(pointer, key, &mut scratch) } {
                Ordering::Less => range.start = middle + 1,
                Ordering::Equal => return Ok((middle, true)),
                Ordering::Greater => range.end = middle,
            }
        }
        Ok((range.start, false))
    }

    /// The child of an inner node that a key belongs to.
    #[inline]
    pub(super) fn child_index(
        &self,
        node: NodeRef<'_>,
        seen: Seen,
        key: &[u8],
        side: Side,
    ) -> Result<usize, Retry> {
        // The first child's fence counts as less than everything.
        let ties = node.ties(1, head(key, node.prefix_len()));
        let after = match self.exact_len {
            _ if ties.is_empty() => ties.start,
            Some(len) => {
                // As in `search`; fences are whole keys, too.
                let passed = side == Side::From || key.len() > len;
                if passed { ties.end } else { ties.start }
            }
            None => self.first_beyond(node, seen, ties, key, side)?,
        };
        Ok(after - 1)
    }

    /// The first of these children that lies beyond the key.
    #[cold]
    fn first_beyond(
        &self,
        node: NodeRef<'_>,
        seen: Seen,
        mut range: Range<usize>,
        key: &[u8],
        side: Side,
    ) -> Result<usize, Retry> {
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            let fence = node.child(middle, seen)?.lower();
            if fence < key || fence == key && side == Side::From {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        Ok(range.start)
    }
}

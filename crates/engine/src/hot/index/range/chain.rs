//! The anchors that share a key of a unique range index.

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::rows::Rows;
use crate::sync::atomic::Ordering::Acquire;

/// An iterator over the anchors of a key in a unique index, newest first, along their link words.
///
/// An anchor that is removed keeps its link word, so that a reader that stands on it goes on to the
/// anchor that followed then: that is still in the chain, or was removed later and is protected,
/// too.
#[derive(Debug)]
pub(in crate::hot::index) struct Chain<'g> {
    rows: &'g Rows,
    next: u64,
}

impl Iterator for Chain<'_> {
    type Item = AnchorPtr;

    #[inline]
    fn next(&mut self) -> Option<AnchorPtr> {
        let anchor = AnchorPtr::from_address(self.next)?;
        // SAFETY: protected by the guard under which the chain was entered, see above. Acquire:
        // pairs with the Release of the removal of the anchor after it.
        self.next = unsafe { self.rows.link(anchor) }.load(Acquire);
        Some(anchor)
    }
}

impl<'g> Chain<'g> {
    /// The chain that begins with the anchor at this address; empty if that is 0.
    ///
    /// # Safety
    /// The anchor was reached under a guard that lives for `'g`.
    #[inline]
    pub(super) unsafe fn new(rows: &'g Rows, first: u64) -> Chain<'g> {
        Chain { rows, next: first }
    }
}

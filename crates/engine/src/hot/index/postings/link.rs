//! The link word of an anchor in postings, which names its place.

/// Where the slot is in a link word. The word has the address of the group or chunk, [`PLACE`], and
/// from this bit on the slot plus one, or zero for the group itself.
pub(super) const SLOT_SHIFT: u32 = 48;
/// Tag of a link word: it names a place.
pub(super) const PLACE: u64 = 1;

/// Whether a link word names a place in postings. If not, the anchor is a node of a list; it must
/// not have been removed, since the list marks removed nodes with the same bit.
pub(in crate::hot::index) fn is_place(link: u64) -> bool {
    link & PLACE != 0
}

//! What the link word of an anchor in postings says: its place.

/// A link word has the address of the group or chunk, [`PLACE`], and in these bits the slot plus
/// one, or zero for the group itself.
pub(super) const SLOT_SHIFT: u32 = 48;
/// Tag of a link word: it names a place.
pub(super) const PLACE: u64 = 1;

/// Whether a link word names a place in postings, rather than what follows in a list of which the
/// anchor has not been removed.
pub(in crate::hot::index) fn is_place(link: u64) -> bool {
    link & PLACE != 0
}

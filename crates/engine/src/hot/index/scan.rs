//! Scans and their positions.

use std::ops::ControlFlow;

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::postings::GroupPtr;
use crate::hot::key::{KeyBuf, KeyRange};

/// Called for each anchor; returns whether to go on.
pub(super) type Visit<'v> = &'v mut dyn FnMut(AnchorPtr) -> ControlFlow<()>;

/// The direction of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Direction {
    /// In the order of the index.
    #[default]
    Forward,
    /// In the opposite order. Anchors that share a key still come in any order.
    Backward,
}

/// A scan and its position.
#[derive(Clone, Default, Debug)]
pub struct Scan {
    /// Keys still to be visited, in a range index.
    pub(super) range: KeyRange,
    pub(super) direction: Direction,
    /// The first hash still to be visited, in a hash index.
    pub(super) hash: u64,
    /// Whether the range is that of one key, its lower bound. A hash index cannot tell otherwise.
    pub(super) is_key: bool,
    /// Set if the scan stopped within the postings of a key: it goes on there.
    pub(super) inside: Option<Posting>,
    pub(super) done: bool,
}

/// A place in the postings of a key.
#[derive(Clone, Debug)]
pub(super) struct Posting {
    pub key: KeyBuf,
    pub ordinal: u64,
}

impl Scan {
    /// Everything, in the order of the index.
    pub fn all() -> Scan {
        Scan::default()
    }

    /// Everything from a hash on, in a hash index.
    pub fn from_hash(hash: u64) -> Scan {
        Scan { hash, ..Scan::default() }
    }

    /// The keys of a range. A hash index has no order and scans everything instead.
    pub fn range(range: KeyRange, direction: Direction) -> Scan {
        let done = range.is_empty();
        Scan { range, direction, done, ..Scan::default() }
    }

    /// The anchors with this whole key: what [`Index::seek`] finds, in chunks.
    pub fn key(key: &[u8]) -> Scan {
        Scan { range: KeyRange::prefix(key), is_key: true, ..Scan::default() }
    }

    /// Visits the anchors of a group, from the place on where the scan has stopped in it, if it
    /// has. Remembers the place after a break.
    ///
    /// # Safety
    /// The group is protected.
    pub(super) unsafe fn visit_group(
        &mut self,
        group: GroupPtr,
        visit: Visit<'_>,
    ) -> ControlFlow<()> {
        // SAFETY: the caller promises that the group is protected.
        unsafe {
            let from = match self.inside.take() {
                Some(last) if *last.key == *group.key() => last.ordinal,
                _ => 0,
            };
            let mut postings = group.postings(from);
            while let Some(anchor) = postings.next() {
                if visit(anchor).is_break() {
                    let key = KeyBuf::from(group.key());
                    self.inside = Some(Posting { key, ordinal: postings.ordinal() });
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

//! B+trees over the pages of the cold store: they map byte-string keys to a stamp and a value.
//!
//! # Shape
//!
//! Every node has a lower and an upper fence and a link to its right neighbour (a B-link tree).
//! Leaves are level 0. The root is the same page for the tree's life; its number identifies the
//! tree, and every page of the tree carries it. The format of nodes is in `node`, of entries in
//! `entry`, of values longer than a quarter of a page in `overflow`.
//!
//! # Life of a change
//!
//! [`Tree::apply`] takes operations sorted by key, goes down once for each leaf, changes a private
//! copy of the leaf, and publishes it. If the leaf is full, its entries and the remaining
//! operations for it are packed into several pages, and the pages above are changed as far up as
//! need be, all in private; then all these pages are published from the bottom up. Steps that can
//! fail (reading, allocating) come before the first of these publications.
//!
//! # Invariants
//!
//! * T1: between any two publications every entry that is not being changed can be found, and one
//!   that is being changed is found as it was or as it will be. A split publishes the new right
//!   siblings from right to left, then the page that was split, then the page above. A merge
//!   publishes the left page with both pages' entries, then the page above; the right page is freed
//!   at the end of the batch.
//! * T2: the lower fence of a page never changes. So a right link leads to the keys from the upper
//!   fence on, whatever has happened meanwhile.
//! * T3: one writer per tree at a time. The writer comes to every page from the page above, never
//!   by a right link: no split or merge is half done when a batch has been published or dropped.
//! * T4: a page's bytes are checked before they are used. Inconsistent bytes give
//!   [`TreeError::Damaged`], never a panic or an access beyond the page.
//! * T5: an overflow chain never changes.
//! * T6: a page is freed after the page that pointed to it has been published without it. So the
//!   store may free it even if the batch then fails and is dropped.
//!
//! # Readers
//!
//! See `descend`. They take no latch and write nothing. Only older images lead to a page that was
//! freed, and its number must not be used again while a guard is alive that could have seen such an
//! image. Without a guard, a reader checks the tree, level and fences of each page (and the
//! checksum of a chain), and starts again from the root if it is another page.

mod builder;
mod bulk;
mod change;
mod contents;
mod descend;
mod directory;
mod drop;
mod entry;
mod error;
mod gaps;
mod merge;
mod node;
mod overflow;
mod pack;
mod read;
mod scan;
mod split;
mod statistics;
mod verify;
mod write;

pub use bulk::BulkLoad;
pub use contents::Contents;
pub use directory::{Directory, TreeEntry, TreeId, TreeRecord};
pub use drop::{Dropped, Unread};
pub use entry::Entry;
pub use error::TreeError;
pub use gaps::Gap;
pub use node::Key;
pub use scan::{Chunk, Cursor, Direction, LeafSpan, Range, Visit};
pub use statistics::{EXTENT_PAGES, Measures};
pub use verify::{Finding, Verified};
pub use write::{Action, Applied, Change};

use crate::cold::PageNumber;

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

/// Bytes of the longest key: more than the 1,700 that an index takes, since normalized keys are
/// longer than their columns. A node has room for two such keys between two such fences.
pub const KEY_BYTES_MAX: usize = 2000;

/// A tree, identified by its root. It holds nothing else, so that it can be copied freely.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tree {
    root: PageNumber,
}

impl Tree {
    /// The tree with this root, which was made by [`Tree::create`] or a bulk load.
    pub const fn at(root: PageNumber) -> Tree {
        Tree { root }
    }

    /// The root's page, which is the same for the tree's life.
    pub const fn root(&self) -> PageNumber {
        self.root
    }
}

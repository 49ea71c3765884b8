//! B+trees over the pages of the cold store: byte-string keys to a stamp and a value.
//!
//! # Shape
//!
//! Every node has a lower and an upper fence and a link to its right neighbour (a B-link tree).
//! Leaves are level 0. The root is the same page for the tree's life; its number is the tree's
//! name, which every page of the tree carries. The format of nodes is in `node`, of entries in
//! `entry`, of values longer than a quarter of a page in `overflow`.
//!
//! # Life of a change
//!
//! [`Tree::apply`] takes operations sorted by key, goes down once for each leaf, changes a private
//! copy of the leaf, and publishes it. If the leaf is full, it is packed into several pages
//! together with what is still to come for it, and the pages above are changed as far up as need
//! be, all in private; then all of it is published from the bottom up. What can fail (reading,
//! allocating) is done before the first of these is published.
//!
//! # Invariants
//!
//! * T1: between any two publications every entry that is not being changed can be found, and one
//!   that is being changed is found as it was or as it will be. A split publishes the new right
//!   siblings from right to left, then the page that was split, then the page above. A merge
//!   publishes the left page with both pages' entries, then the page above; the right page is freed
//!   at the end of the batch.
//! * T2: the lower fence of a page never changes. So a right link leads to where the upper fence
//!   said, whatever has happened meanwhile.
//! * T3: one writer per tree at a time. It finds every page by way of the page above, never by a
//!   right link: nothing is left half done when a batch has been published or dropped.
//! * T4: what a page says is checked before it is believed. Bytes that make no sense give
//!   [`TreeError::Damaged`], not a panic and no access beyond the page.
//! * T5: an overflow chain never changes.
//! * T6: a page is freed after the publication of what pointed to it. So the store may free it even
//!   if the batch then fails and is dropped.
//!
//! # Readers
//!
//! See `descend`. They take no latch and write nothing. A page that was freed is reached only by
//! images that are older, and its number must not be used again while a guard is alive that could
//! have seen such an image. Without a guard, a page is checked by tree, level, fences (and a chain
//! by its checksum), and the reader starts again from the root if it is another one.

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
pub use directory::{Directory, TreeId, TreeRecord};
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

/// A tree, by its root. Knows nothing else, so that it can be copied freely.
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

//! The kinds of nodes in the list.

use crate::hot::account::Striped;
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::postings::GroupPtr;
use crate::hot::index::rows::Rows;
use crate::sync::{Arc, Word};

/// How the list reads its nodes, which it identifies by address.
pub(super) trait Nodes {
    /// A node's word.
    ///
    /// # Safety
    /// The node is protected for `'g`.
    unsafe fn link<'g>(&self, node: u64) -> &'g Word;

    /// A node's hash.
    ///
    /// # Safety
    /// The node is protected.
    unsafe fn hash(&self, node: u64) -> u64;

    /// Whether the list must call [`Nodes::lost_hash`].
    const COUNTS_HASHES: bool = false;

    /// Called when the last node with this hash has been unlinked.
    fn lost_hash(&self, _hash: u64) {}
}

/// Anchors as nodes.
#[derive(Debug)]
pub(super) struct AnchorNodes(pub(super) Rows);

impl AnchorNodes {
    pub(super) fn rows(&self) -> &Rows {
        &self.0
    }

    #[inline]
    pub(super) fn anchor(node: u64) -> AnchorPtr {
        AnchorPtr::from_address(node).expect("a node is not null")
    }
}

impl Nodes for AnchorNodes {
    #[inline]
    unsafe fn link<'g>(&self, node: u64) -> &'g Word {
        // SAFETY: the caller promises that the node is protected.
        unsafe { self.0.link(AnchorNodes::anchor(node)) }
    }

    #[inline]
    unsafe fn hash(&self, node: u64) -> u64 {
        // SAFETY: the caller promises that the node is protected.
        unsafe { self.0.hash(AnchorNodes::anchor(node)) }
    }
}

/// Tag of a node's address, in words and in arguments: the node is a key with postings, not an
/// anchor.
pub(super) const KEY: u64 = 4;

/// The header before the group in the node of a key with postings.
#[repr(C)]
pub(super) struct KeyHeader {
    link: Word,
    hash: u64,
}

impl KeyHeader {
    pub(super) fn new(hash: u64) -> KeyHeader {
        KeyHeader { link: Word::new(0), hash }
    }
}

/// Anchors as nodes, and keys with postings, each a [`KeyHeader`] and a group.
#[derive(Debug)]
pub(super) struct KeyNodes {
    rows: Rows,
    /// Number of distinct hashes in the list, which stands for the number of keys.
    keys: Arc<Striped>,
}

impl KeyNodes {
    pub(super) fn new(rows: Rows, keys: Arc<Striped>) -> KeyNodes {
        KeyNodes { rows, keys }
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(super) fn node(group: GroupPtr) -> u64 {
        (group.address() - size_of::<KeyHeader>() as u64) | KEY
    }

    /// The group of a node, if the node is a key with postings.
    #[inline]
    pub(super) fn group(node: u64) -> Option<GroupPtr> {
        (node & KEY != 0)
            .then(|| GroupPtr::from_address((node & !KEY) + size_of::<KeyHeader>() as u64))
    }

    fn header(node: u64) -> *const KeyHeader {
        (node & !KEY) as *const KeyHeader
    }
}

impl Nodes for KeyNodes {
    #[inline]
    unsafe fn link<'g>(&self, node: u64) -> &'g Word {
        // SAFETY: the caller promises that the node is protected; the tag says what it is.
        unsafe {
            match node & KEY {
                0 => self.rows.link(AnchorNodes::anchor(node)),
                _ => &(*KeyNodes::header(node)).link,
            }
        }
    }

    #[inline]
    unsafe fn hash(&self, node: u64) -> u64 {
        // SAFETY: the caller promises that the node is protected; the tag says what it is.
        unsafe {
            match node & KEY {
                0 => self.rows.hash(AnchorNodes::anchor(node)),
                _ => (*KeyNodes::header(node)).hash,
            }
        }
    }

    const COUNTS_HASHES: bool = true;

    fn lost_hash(&self, hash: u64) {
        self.keys.add(hash, -1);
    }
}

//! What the list's nodes are.

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::postings::GroupPtr;
use crate::hot::index::rows::Rows;
use crate::sync::Word;

/// How the list reads its nodes, which it names by address.
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
        // SAFETY: the caller's promise.
        unsafe { self.0.link(AnchorNodes::anchor(node)) }
    }

    #[inline]
    unsafe fn hash(&self, node: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.0.hash(AnchorNodes::anchor(node)) }
    }
}

/// What precedes the group in a key node.
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

/// Distinct keys as nodes: a [`KeyHeader`] and a group.
#[derive(Debug)]
pub(super) struct KeyNodes;

impl KeyNodes {
    pub(super) fn node(group: GroupPtr) -> u64 {
        group.address() - size_of::<KeyHeader>() as u64
    }

    pub(super) fn group(node: u64) -> GroupPtr {
        GroupPtr::from_address(node + size_of::<KeyHeader>() as u64)
    }
}

impl Nodes for KeyNodes {
    #[inline]
    unsafe fn link<'g>(&self, node: u64) -> &'g Word {
        // SAFETY: the caller's promise.
        unsafe { &(*(node as *const KeyHeader)).link }
    }

    #[inline]
    unsafe fn hash(&self, node: u64) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { (*(node as *const KeyHeader)).hash }
    }
}

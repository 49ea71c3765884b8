//! Reports what a page holds.

use super::node::{COUNT, KIND, KIND_OVERFLOW, Node, TREE, u16_at, u64_at};
use super::overflow::{CHAIN_PAGE_BYTES, LEN};
use crate::cold::{Body, PageNumber};

/// What a page holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// A node of a tree.
    Node {
        /// The tree's root.
        tree: PageNumber,
        /// Its level: 0 for a leaf.
        level: u8,
        /// Entries.
        count: u16,
        /// Bytes that are free for entries.
        free: u16,
    },
    /// A part of a long value.
    Overflow {
        /// The root of the tree that has the value.
        tree: PageNumber,
        /// Bytes that are not used.
        free: u16,
    },
}

impl Contents {
    /// Reads what this page holds; `None` if its bytes are inconsistent.
    pub fn of(body: &Body) -> Option<Contents> {
        let tree = PageNumber(u64_at(body, TREE));
        if body[KIND] == KIND_OVERFLOW {
            let free = CHAIN_PAGE_BYTES.checked_sub(usize::from(u16_at(body, LEN)))?;
            return Some(Contents::Overflow { tree, free: free as u16 });
        }
        let node = Node::open(body).ok()?;
        let free = (node.room() + node.garbage()).min(body.len()) as u16;
        Some(Contents::Node { tree, level: node.level(), count: u16_at(body, COUNT), free })
    }

    /// The root of the tree that the page belongs to.
    pub fn tree(&self) -> PageNumber {
        match self {
            Contents::Node { tree, .. } | Contents::Overflow { tree, .. } => *tree,
        }
    }
}

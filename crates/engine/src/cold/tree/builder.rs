//! Builds whole nodes from sorted entries: for splits, merges, compaction and bulk loads.

use super::error::Damage;
use super::node::*;
use crate::cold::{BODY_BYTES, Body, PageNumber};

/// The entries of a node that is being built.
pub(super) struct NodeBuilder {
    level: u8,
    lower: Vec<u8>,
    first_child: PageNumber,
    /// Key and payload of each entry, one after another.
    bytes: Vec<u8>,
    items: Vec<Item>,
    /// How many bytes all keys have in common.
    common: usize,
}

/// An entry in the builder's bytes.
#[derive(Clone, Copy)]
struct Item {
    start: usize,
    key_len: usize,
    payload_len: usize,
}

impl NodeBuilder {
    /// Bytes of a leaf's entry besides key and payload.
    pub(super) const LEAF_OVERHEAD: usize = SLOT + size_of::<u16>();
    /// Bytes of an inner node's entry besides the key.
    pub(super) const INNER_ENTRY: usize = SLOT + CHILD;

    /// Starts a node. A leaf has no first child.
    pub(super) fn new(level: u8, lower: &[u8], first_child: PageNumber) -> NodeBuilder {
        NodeBuilder {
            level,
            lower: lower.to_vec(),
            first_child,
            bytes: Vec::new(),
            items: Vec::new(),
            common: 0,
        }
    }

    /// Starts the next node of the level.
    pub(super) fn restart(&mut self, lower: &[u8], first_child: PageNumber) {
        self.lower.clear();
        self.lower.extend_from_slice(lower);
        self.first_child = first_child;
        self.bytes.clear();
        self.items.clear();
        self.common = 0;
    }

    pub(super) fn count(&self) -> usize {
        self.items.len()
    }

    /// The key that was pushed last.
    pub(super) fn last_key(&self) -> Option<&[u8]> {
        self.items.last().map(|item| self.key(item))
    }

    fn key(&self, item: &Item) -> &[u8] {
        &self.bytes[item.start..item.start + item.key_len]
    }

    fn payload(&self, item: &Item) -> &[u8] {
        let at = item.start + item.key_len;
        &self.bytes[at..at + item.payload_len]
    }

    fn overhead(&self) -> usize {
        if self.level == 0 { NodeBuilder::LEAF_OVERHEAD } else { SLOT }
    }

    /// Bytes of slots and cells with whole keys.
    pub(super) fn raw_size(&self) -> usize {
        self.bytes.len() + self.items.len() * self.overhead()
    }

    /// Bytes that the node takes besides its upper fence.
    pub(super) fn size(&self) -> usize {
        HEADER + self.lower.len() + self.raw_size() + self.common - self.items.len() * self.common
    }

    /// Bytes that the node would take with another entry, besides its upper fence.
    pub(super) fn size_with(&self, key: Key<'_>, payload_len: usize) -> usize {
        let common = self.common_with(key);
        let count = self.items.len() + 1;
        let raw = self.raw_size() + self.overhead() + key.len() + payload_len;
        HEADER + self.lower.len() + raw + common - count * common
    }

    fn common_with(&self, key: Key<'_>) -> usize {
        let Some(first) = self.items.first() else { return key.len() };
        // Keys come in order: what the first and the last share, all share.
        let known = &self.key(first)[..self.common];
        let in_prefix = common_len(known, key.prefix);
        match in_prefix == key.prefix.len() {
            true => in_prefix + common_len(&known[in_prefix..], key.suffix),
            false => in_prefix,
        }
    }

    /// Adds the next entry, whose payload is in two parts.
    pub(super) fn push(&mut self, key: Key<'_>, payload: [&[u8]; 2]) {
        self.common = self.common_with(key);
        let start = self.bytes.len();
        key.append_to(&mut self.bytes);
        payload.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let payload_len = payload[0].len() + payload[1].len();
        self.items.push(Item { start, key_len: key.len(), payload_len });
    }

    /// Adds all entries of a node.
    pub(super) fn push_node(&mut self, node: &Node<'_>) -> Result<(), Damage> {
        for index in 0..node.count() {
            let cell = node.cell(index)?;
            let key = Key { prefix: node.prefix(), suffix: cell.suffix };
            self.push(key, [cell.payload, &[]]);
        }
        Ok(())
    }

    /// Writes the node. If the node does not fit, this fails and leaves `body` in any state; then
    /// the bytes that it was made from were damaged.
    pub(super) fn build(
        &self,
        body: &mut Body,
        tree: PageNumber,
        right: PageNumber,
        upper: Option<&[u8]>,
    ) -> Result<(), Damage> {
        const TOO_MUCH: Damage = Damage("a node's entries do not fit a page");
        if self.size() + upper.map_or(0, <[u8]>::len) > BODY_BYTES {
            return Err(TOO_MUCH);
        }
        format(body, self.level, tree, Fences { lower: &self.lower, upper });
        put_u64(body, RIGHT, right.0);
        put_u64(body, FIRST_CHILD, self.first_child.0);
        put_u16(body, COUNT, self.items.len());
        put_u16(body, PREFIX_LEN, self.common);
        if let Some(first) = self.items.first() {
            let prefix = &self.key(first)[..self.common];
            body[HEADER..HEADER + self.common].copy_from_slice(prefix);
        }
        let mut heap = usize::from(u16_at(body, HEAP));
        let mut slot_at = HEADER + self.common;
        for item in &self.items {
            let suffix = &self.key(item)[self.common..];
            heap = write_cell(body, heap, suffix, [self.payload(item), &[]]).ok_or(TOO_MUCH)?;
            put_slot(body, slot_at, heap, suffix);
            slot_at += SLOT;
        }
        put_u16(body, HEAP, heap);
        set_hints(body);
        Ok(())
    }
}

/// The bounds of a node's keys: from the lower fence on, and below the upper one.
#[derive(Clone, Copy)]
pub(super) struct Fences<'a> {
    pub(super) lower: &'a [u8],
    pub(super) upper: Option<&'a [u8]>,
}

impl Fences<'_> {
    /// The fences of a root.
    pub(super) const ALL: Fences<'static> = Fences { lower: &[], upper: None };
}

/// Writes an empty node without a right neighbour.
pub(super) fn format(body: &mut Body, level: u8, tree: PageNumber, fences: Fences<'_>) {
    body[..HEADER].fill(0);
    body[KIND] = KIND_NODE;
    body[LEVEL] = level;
    put_u64(body, TREE, tree.0);
    let mut at = BODY_BYTES - fences.lower.len();
    body[at..].copy_from_slice(fences.lower);
    put_u16(body, LOWER_LEN, fences.lower.len());
    body[UPPER_LEN..UPPER_LEN + 2].copy_from_slice(&UNBOUNDED.to_le_bytes());
    if let Some(upper) = fences.upper {
        at -= upper.len();
        body[at..at + upper.len()].copy_from_slice(upper);
        put_u16(body, UPPER_LEN, upper.len());
    }
    put_u16(body, HEAP, at);
}

pub(super) fn put_u16(body: &mut Body, at: usize, value: usize) {
    body[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

pub(super) fn put_u64(body: &mut Body, at: usize, value: u64) {
    body[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

pub(super) fn put_slot(body: &mut Body, at: usize, offset: usize, suffix: &[u8]) {
    put_u16(body, at, offset);
    put_u16(body, at + 2, suffix.len());
    body[at + 4..at + 8].copy_from_slice(&head_of(suffix).to_le_bytes());
}

/// Writes a cell that ends where the heap begins. Returns where the cell begins; `None` if there is
/// no room.
pub(super) fn write_cell(
    body: &mut Body,
    heap: usize,
    suffix: &[u8],
    payload: [&[u8]; 2],
) -> Option<usize> {
    let payload_len = payload[0].len() + payload[1].len();
    let is_leaf = body[LEVEL] == 0;
    let overhead = if is_leaf { size_of::<u16>() } else { 0 };
    let start = heap.checked_sub(suffix.len() + overhead + payload_len)?;
    let (key, rest) = body.get_mut(start..heap)?.split_at_mut(suffix.len());
    key.copy_from_slice(suffix);
    let rest = match is_leaf {
        true => {
            let (len, rest) = rest.split_at_mut(size_of::<u16>());
            len.copy_from_slice(&(payload_len as u16).to_le_bytes());
            rest
        }
        false => rest,
    };
    let (first, second) = rest.split_at_mut(payload[0].len());
    first.copy_from_slice(payload[0]);
    second.copy_from_slice(payload[1]);
    Some(start)
}

//! Changes nodes in place.

use std::cmp::Ordering;

use super::builder::{NodeBuilder, put_slot, put_u16, put_u64, write_cell};
use super::error::Damage;
use super::node::*;
use crate::cold::{BODY_BYTES, Body, PageNumber};

/// Whether an entry fits into the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(super) enum Fit {
    Done,
    /// The node has to be split first.
    Full,
}

/// Inserts an entry in front of the one at `at`, which is its place in the order.
pub(super) fn insert(
    body: &mut Body,
    at: usize,
    key: &[u8],
    payload: [&[u8]; 2],
) -> Result<Fit, Damage> {
    let node = Node::open(body)?;
    let payload_len = payload[0].len() + payload[1].len();
    let Ok(suffix) = node.strip(key) else {
        return insert_and_rebuild(body, at, key, payload);
    };
    let overhead = if node.is_leaf() { size_of::<u16>() } else { 0 };
    if node.room() < SLOT + suffix.len() + overhead + payload_len {
        return insert_and_rebuild(body, at, key, payload);
    }
    let (count, heap) = (node.count(), node.heap());
    let slots_at = HEADER + node.prefix().len();
    let Some(start) = write_cell(body, heap, suffix, payload) else {
        return Err(Damage("a node's header makes no sense"));
    };
    let slot = slots_at + at * SLOT;
    body.copy_within(slot..slots_at + count * SLOT, slot + SLOT);
    put_slot(body, slot, start, suffix);
    put_u16(body, COUNT, count + 1);
    put_u16(body, HEAP, start);
    set_hints(body);
    Ok(Fit::Done)
}

/// Rebuilds the node with the new entry: with the prefix that all its keys then have in common, and
/// without garbage. Returns `Full` if that does not make room enough.
fn insert_and_rebuild(
    body: &mut Body,
    at: usize,
    key: &[u8],
    payload: [&[u8]; 2],
) -> Result<Fit, Damage> {
    let node = Node::open(body)?;
    let payload_len = payload[0].len() + payload[1].len();
    if size_with(&node, at, key, payload_len)? > BODY_BYTES {
        return Ok(Fit::Full);
    }
    let image = *body;
    let node = Node::open(&image)?;
    let mut builder = NodeBuilder::new(node.level(), node.lower(), first_child(&node));
    for index in 0..=node.count() {
        if index == at {
            builder.push(Key::whole(key), payload);
        }
        if index < node.count() {
            let cell = node.cell(index)?;
            builder.push(Key { prefix: node.prefix(), suffix: cell.suffix }, [cell.payload, &[]]);
        }
    }
    builder.build(body, node.tree(), node.right(), node.upper())?;
    Ok(Fit::Done)
}

/// Bytes that a node takes when it has been rebuilt with another entry.
fn size_with(node: &Node<'_>, at: usize, key: &[u8], payload_len: usize) -> Result<usize, Damage> {
    let count = node.count();
    let old = node.prefix().len();
    let mut prefix = key.len();
    if count > 0 {
        let first = node.key(0)?;
        let last = node.key(count - 1)?;
        let neighbours = if at == 0 { [last, last] } else { [first, last] };
        for other in neighbours {
            prefix = prefix.min(common_with(other, key));
        }
    }
    let overhead = SLOT + if node.is_leaf() { size_of::<u16>() } else { 0 };
    let fences = BODY_BYTES - node.fences_at();
    let kept = node.used() + count * old;
    let all = kept + overhead + key.len() + payload_len;
    Ok((HEADER + prefix + fences + all).saturating_sub((count + 1) * prefix))
}

fn common_with(stored: Key<'_>, key: &[u8]) -> usize {
    match key.split_at_checked(stored.prefix.len()) {
        Some((start, rest)) if start == stored.prefix => {
            stored.prefix.len() + common_len(stored.suffix, rest)
        }
        _ => common_len(stored.prefix, key),
    }
}

/// Replaces the payload of the entry at `at`, which has this key. If the new payload does not fit,
/// the entry has been removed, and the caller inserts it again with the split.
pub(super) fn replace(
    body: &mut Body,
    at: usize,
    key: &[u8],
    payload: [&[u8]; 2],
) -> Result<Fit, Damage> {
    let node = Node::open(body)?;
    let payload_len = payload[0].len() + payload[1].len();
    if node.cell(at)?.payload.len() != payload_len {
        remove(body, at)?;
        return insert(body, at, key, payload);
    }
    let (_, end) = node.extent(at)?;
    let (first, second) = body[end - payload_len..end].split_at_mut(payload[0].len());
    first.copy_from_slice(payload[0]);
    second.copy_from_slice(payload[1]);
    Ok(Fit::Done)
}

/// Removes an entry.
pub(super) fn remove(body: &mut Body, at: usize) -> Result<(), Damage> {
    let node = Node::open(body)?;
    let (start, end) = node.extent(at)?;
    let (count, heap, fences) = (node.count(), node.heap(), node.fences_at());
    let mut garbage = node.garbage();
    let slots_at = HEADER + node.prefix().len();
    let slot = slots_at + at * SLOT;
    body.copy_within(slot + SLOT..slots_at + count * SLOT, slot);
    put_u16(body, COUNT, count - 1);
    match heap.cmp(&start) {
        _ if count == 1 => {
            garbage = 0;
            put_u16(body, HEAP, fences);
        }
        Ordering::Equal => put_u16(body, HEAP, end),
        _ => garbage += end - start,
    }
    put_u16(body, GARBAGE, garbage.min(BODY_BYTES));
    set_hints(body);
    Ok(())
}

/// Cuts an inner node down to its first `children` children, at least one.
pub(super) fn truncate_children(body: &mut Body, children: usize) -> Result<(), Damage> {
    let node = Node::open(body)?;
    let count = node.count();
    if children == 0 || children > count + 1 {
        return Err(Damage("an inner node has other children than it had"));
    }
    let mut gone = 0;
    for index in children - 1..count {
        let (start, end) = node.extent(index)?;
        gone += end - start;
    }
    let garbage = node.garbage() + gone;
    put_u16(body, COUNT, children - 1);
    put_u16(body, GARBAGE, garbage.min(BODY_BYTES));
    set_hints(body);
    Ok(())
}

/// The child of an inner node below its first entry; none in a leaf.
pub(super) fn first_child(node: &Node<'_>) -> PageNumber {
    PageNumber(u64_at(node.body(), FIRST_CHILD))
}

/// Links a node to its right neighbour.
pub(super) fn set_right(body: &mut Body, right: PageNumber) {
    put_u64(body, RIGHT, right.0);
}

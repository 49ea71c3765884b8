//! Nodes, and how they are read: slotted pages of sorted entries.
//!
//! ```text
//! kind u8 | level u8 | count u16 | heap u16 | garbage u16 | tree u64 | right u64 | first child u64
//! prefix_len u16 | lower_len u16 | upper_len u16 | 2 bytes | hints 14 × u32
//! prefix | slots → … ← heap | upper | lower
//! slot        offset u16 | suffix_len u16 | head u32
//! leaf cell   key suffix | payload_len u16 | payload (see `entry`)
//! inner cell  key suffix | child u64
//! ```
//!
//! Keys are stored without the **prefix** that all keys of the node have in common. A slot's
//! **head** is the first four bytes of the suffix as a number; **hints** are the heads of entries
//! at even distances. So a search reads the hints, which share two cache lines with the header,
//! then the slots between two hints, and goes to the heap only where heads are equal. An inner node
//! with n entries has n + 1 children: the first child takes the keys below the first entry's, and
//! each entry's child those from its key on. Offsets are from the start of the body; the heap grows
//! down from the fences.
//!
//! Reading a node does not panic, whatever its bytes are: [`Node::open`] checks that the parts of
//! the page follow each other, and each cell is checked when it is read.

use std::cmp::Ordering;
use std::ops::Bound;

use super::error::Damage;
use crate::cold::{BODY_BYTES, Body, PAGE_HEADER_BYTES, PageNumber};

/// The first byte of a node.
pub(super) const KIND_NODE: u8 = 1;
/// The first byte of a page of an overflow chain.
pub(super) const KIND_OVERFLOW: u8 = 2;

/// Offsets of the header's fields.
pub(super) const KIND: usize = 0;
pub(super) const LEVEL: usize = 1;
pub(super) const COUNT: usize = 2;
pub(super) const HEAP: usize = 4;
pub(super) const GARBAGE: usize = 6;
pub(super) const TREE: usize = 8;
pub(super) const RIGHT: usize = 16;
pub(super) const FIRST_CHILD: usize = 24;
pub(super) const PREFIX_LEN: usize = 32;
pub(super) const LOWER_LEN: usize = 34;
pub(super) const UPPER_LEN: usize = 36;
const HINTS_AT: usize = 40;
/// Hints of a node: as many as make the header, with the store's in front, end a cache line.
pub(super) const HINTS: usize = 14;
/// Bytes of the header; the prefix follows.
pub(super) const HEADER: usize = HINTS_AT + 4 * HINTS;
const _: () = assert!((PAGE_HEADER_BYTES + HEADER) % 64 == 0, "the hints end a cache line");

/// Bytes of a slot.
pub(super) const SLOT: usize = 8;
/// Bytes of a child's number.
pub(super) const CHILD: usize = 8;
/// The length that stands for no upper fence.
pub(super) const UNBOUNDED: u16 = u16::MAX;
/// No tree has more levels.
pub(super) const LEVELS_MAX: u8 = 32;

/// The target of a search in the key space.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seek<'k> {
    /// The place of a key.
    At(&'k [u8]),
    /// The last place before a key.
    Before(&'k [u8]),
    /// The last place of all.
    Last,
}

/// A key as a node stores it: a prefix and the rest.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The prefix of all keys of the node.
    pub prefix: &'a [u8],
    /// What follows.
    pub suffix: &'a [u8],
}

impl<'a> Key<'a> {
    /// A key in one piece.
    pub fn whole(key: &'a [u8]) -> Key<'a> {
        Key { prefix: &[], suffix: key }
    }

    /// Length in bytes.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a key is never empty")]
    pub fn len(&self) -> usize {
        self.prefix.len() + self.suffix.len()
    }

    /// Appends the key's bytes.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefix);
        out.extend_from_slice(self.suffix);
    }

    /// The key's bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        [self.prefix, self.suffix].concat()
    }

    /// Compares with a key in one piece.
    pub fn compare(&self, other: &[u8]) -> Ordering {
        match other.split_at_checked(self.prefix.len()) {
            Some((start, rest)) => self.prefix.cmp(start).then_with(|| self.suffix.cmp(rest)),
            None => match self.prefix.cmp(other) {
                Ordering::Equal => Ordering::Greater,
                unequal => unequal,
            },
        }
    }
}

/// How many bytes two keys have in common at their start.
pub(super) fn common_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The shortest separator of two neighbours: greater than the left one, and a prefix of the right
/// one.
pub(super) fn separator<'r>(left: &[u8], right: &'r [u8]) -> &'r [u8] {
    let len = common_len(left, right) + 1;
    right.get(..len).unwrap_or(right)
}

/// Whether two byte strings of equal length are equal; without a call if they are short.
#[inline]
fn equal(a: &[u8], b: &[u8]) -> bool {
    match (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        (Some(_), Some(_)) => a == b,
        _ => match (a.first_chunk::<4>(), b.first_chunk::<4>()) {
            (Some(first), Some(other)) => first == other && a.last_chunk::<4>() == b.last_chunk(),
            _ => a.iter().eq(b),
        },
    }
}

/// How many entries lie between two hints; 0 if there are too few for hints.
#[inline]
fn hint_distance(count: usize) -> usize {
    count / (HINTS + 1)
}

/// Whether the hints are what [`set_hints`] sets.
pub(super) fn hints_are_right(node: &Node<'_>) -> bool {
    let mut copy = Box::new(*node.body);
    set_hints(&mut copy);
    copy[HINTS_AT..HEADER] == node.body[HINTS_AT..HEADER]
}

/// Sets the hints, after entries were inserted or removed.
pub(super) fn set_hints(body: &mut Body) {
    let count = usize::from(u16_at(body, COUNT));
    let distance = hint_distance(count);
    if distance == 0 {
        return;
    }
    let slots_at = HEADER + usize::from(u16_at(body, PREFIX_LEN));
    for hint in 0..HINTS {
        let head = slots_at + (hint + 1) * distance * SLOT + 4;
        if head + 4 <= BODY_BYTES {
            body.copy_within(head..head + 4, HINTS_AT + 4 * hint);
        }
    }
}

/// The head of a suffix.
#[inline]
pub(super) fn head_of(suffix: &[u8]) -> u32 {
    match suffix.first_chunk() {
        Some(bytes) => u32::from_be_bytes(*bytes),
        None => {
            let short = suffix.iter().fold(0, |head, &byte| head << 8 | u32::from(byte));
            short.checked_shl(8 * (4 - suffix.len() as u32)).unwrap_or(0)
        }
    }
}

#[inline]
pub(super) fn u16_at(body: &Body, at: usize) -> u16 {
    u16::from_le_bytes([body[at], body[at + 1]])
}

#[inline]
pub(super) fn u64_at(body: &Body, at: usize) -> u64 {
    body.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The child in the payload of an inner cell.
#[inline]
pub(super) fn child_of(payload: &[u8]) -> PageNumber {
    PageNumber(payload.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
}

/// A node that is open for reading.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    body: &'a Body,
    /// The slots, eight bytes each.
    slots: &'a [u8],
    prefix: &'a [u8],
    count: usize,
}

/// An entry as it lies in the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    pub(super) suffix: &'a [u8],
    pub(super) payload: &'a [u8],
}

impl<'a> Node<'a> {
    /// Opens the node in these bytes.
    #[inline]
    pub(super) fn open(body: &'a Body) -> Result<Node<'a>, Damage> {
        if body[KIND] != KIND_NODE {
            return Err(Damage("not a node"));
        }
        let count = usize::from(u16_at(body, COUNT));
        let slots_at = HEADER + usize::from(u16_at(body, PREFIX_LEN));
        let slots_end = slots_at + count * SLOT;
        let heap = usize::from(u16_at(body, HEAP));
        let mut fences = usize::from(u16_at(body, LOWER_LEN));
        if u16_at(body, UPPER_LEN) != UNBOUNDED {
            fences += usize::from(u16_at(body, UPPER_LEN));
        }
        if slots_end > heap || heap + fences > BODY_BYTES || body[LEVEL] >= LEVELS_MAX {
            return Err(Damage("a node's header makes no sense"));
        }
        let (Some(prefix), Some(slots)) =
            (body.get(HEADER..slots_at), body.get(slots_at..slots_end))
        else {
            return Err(Damage("a node's header makes no sense"));
        };
        Ok(Node { body, slots, prefix, count })
    }

    pub(super) fn body(&self) -> &'a Body {
        self.body
    }

    /// The number of entries; an inner node has one child more.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The node's level: 0 for a leaf.
    #[inline]
    pub(super) fn level(&self) -> u8 {
        self.body[LEVEL]
    }

    #[inline]
    pub(super) fn is_leaf(&self) -> bool {
        self.level() == 0
    }

    /// The root of the tree that the node belongs to.
    #[inline]
    pub(super) fn tree(&self) -> PageNumber {
        PageNumber(u64_at(self.body, TREE))
    }

    /// The next node of the level; 0 if there is none.
    pub(super) fn right(&self) -> PageNumber {
        PageNumber(u64_at(self.body, RIGHT))
    }

    pub(super) fn prefix(&self) -> &'a [u8] {
        self.prefix
    }

    fn lower_len(&self) -> usize {
        usize::from(u16_at(self.body, LOWER_LEN))
    }

    /// The lower fence: the first key that belongs to the node.
    pub(super) fn lower(&self) -> &'a [u8] {
        self.body.get(BODY_BYTES - self.lower_len()..).unwrap_or_default()
    }

    /// The upper fence: the first key beyond the node; `None` if there is no bound.
    pub(super) fn upper(&self) -> Option<&'a [u8]> {
        let len = match u16_at(self.body, UPPER_LEN) {
            UNBOUNDED => return None,
            len => usize::from(len),
        };
        let end = BODY_BYTES - self.lower_len();
        Some(self.body.get(end - len..end).unwrap_or_default())
    }

    /// Where the fences begin.
    pub(super) fn fences_at(&self) -> usize {
        BODY_BYTES - self.lower_len() - self.upper().map_or(0, <[u8]>::len)
    }

    /// The lowest byte of the heap that is in use.
    pub(super) fn heap(&self) -> usize {
        usize::from(u16_at(self.body, HEAP))
    }

    /// Bytes of the heap between cells.
    pub(super) fn garbage(&self) -> usize {
        usize::from(u16_at(self.body, GARBAGE))
    }

    /// Bytes between the slots and the heap.
    pub(super) fn room(&self) -> usize {
        self.heap() - HEADER - self.prefix.len() - self.slots.len()
    }

    /// Bytes of slots and cells.
    pub(super) fn used(&self) -> usize {
        (self.slots.len() + self.fences_at() - self.heap()).saturating_sub(self.garbage())
    }

    /// Whether this node lies to the left of the target.
    pub(super) fn is_left_of(&self, seek: Seek<'_>) -> bool {
        self.upper().is_some_and(|upper| match seek {
            Seek::At(key) => key >= upper,
            Seek::Before(key) => key > upper,
            Seek::Last => true,
        })
    }

    /// Whether this node lies to the right of the target.
    pub(super) fn is_right_of(&self, seek: Seek<'_>) -> bool {
        match seek {
            Seek::At(key) => key < self.lower(),
            Seek::Before(key) => key <= self.lower() && !self.lower().is_empty(),
            Seek::Last => false,
        }
    }

    /// The suffix that the node stores of a key; or, if the key does not start with the prefix, on
    /// which side of all entries it lies.
    #[inline]
    pub(super) fn strip<'k>(&self, key: &'k [u8]) -> Result<&'k [u8], Ordering> {
        match key.split_at_checked(self.prefix.len()) {
            Some((start, suffix)) if equal(start, self.prefix) => Ok(suffix),
            _ => Err(key.cmp(self.prefix)),
        }
    }

    #[inline]
    fn slot(&self, index: usize) -> u64 {
        let bytes = self.slots.get(index * SLOT..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    #[inline]
    fn head(&self, index: usize) -> u32 {
        (self.slot(index) >> 32) as u32
    }

    /// The first entry that is not less than a key, and whether it equals the key.
    #[inline]
    pub(super) fn lower_bound(&self, key: &[u8]) -> Result<(usize, bool), Damage> {
        let suffix = match self.strip(key) {
            Ok(suffix) => suffix,
            Err(Ordering::Greater) => return Ok((self.count, false)),
            Err(_) => return Ok((0, false)),
        };
        let head = head_of(suffix);
        let at = self.first_head_from(head);
        match at < self.count && self.head(at) == head {
            true => self.lower_bound_in_equal_heads(at, head, suffix),
            false => Ok((at, false)),
        }
    }

    /// The first entry whose head is not less. Counts instead of branching on comparisons: the
    /// processor could not predict the branches, and so no load depends on the one before it.
    #[inline]
    fn first_head_from(&self, head: u32) -> usize {
        let hints: &[u8; 4 * HINTS] =
            self.body[HINTS_AT..].first_chunk().expect("the header is as long");
        let is_less =
            |hint: &[u8]| hint.first_chunk().is_some_and(|h| u32::from_le_bytes(*h) < head);
        let distance = hint_distance(self.count);
        let (mut from, mut to) = (0, self.count);
        if distance > 0 {
            let passed = hints.chunks_exact(4).filter(|hint| is_less(hint)).count();
            from = passed * distance;
            if passed < HINTS {
                to = from + distance;
            }
        }
        let slots = self.slots.get(from * SLOT..to * SLOT).unwrap_or_default();
        from + slots.chunks_exact(SLOT).filter(|slot| is_less(&slot[4..])).count()
    }

    #[inline]
    fn lower_bound_in_equal_heads(
        &self,
        first: usize,
        head: u32,
        suffix: &[u8],
    ) -> Result<(usize, bool), Damage> {
        // Mostly one entry has the head.
        match self.compare_rest(first, suffix)? {
            Ordering::Equal => return Ok((first, true)),
            Ordering::Greater => return Ok((first, false)),
            Ordering::Less => {}
        }
        let (mut low, mut high) = (first + 1, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let order = match self.head(middle) == head {
                true => self.compare_rest(middle, suffix)?,
                false => Ordering::Greater,
            };
            match order {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok((middle, true)),
                Ordering::Greater => high = middle,
            }
        }
        Ok((low, false))
    }

    /// Compares an entry with a suffix of the same head.
    #[inline]
    fn compare_rest(&self, index: usize, suffix: &[u8]) -> Result<Ordering, Damage> {
        let (_, len) = self.place(index);
        if len <= 4 && suffix.len() <= 4 {
            return Ok(len.cmp(&suffix.len()));
        }
        Ok(self.suffix(index)?.cmp(suffix))
    }

    /// The first entry that is greater than a key.
    #[inline]
    pub(super) fn upper_bound(&self, key: &[u8]) -> Result<usize, Damage> {
        self.lower_bound(key).map(|(at, equal)| at + usize::from(equal))
    }

    /// The first entry inside a lower bound.
    pub(super) fn first_from(&self, bound: Bound<&[u8]>) -> Result<usize, Damage> {
        match bound {
            Bound::Included(key) => Ok(self.lower_bound(key)?.0),
            Bound::Excluded(key) => self.upper_bound(key),
            Bound::Unbounded => Ok(0),
        }
    }

    /// The first entry beyond an upper bound.
    pub(super) fn first_beyond(&self, bound: Bound<&[u8]>) -> Result<usize, Damage> {
        match bound {
            Bound::Included(key) => self.upper_bound(key),
            Bound::Excluded(key) => Ok(self.lower_bound(key)?.0),
            Bound::Unbounded => Ok(self.count),
        }
    }

    #[inline]
    fn place(&self, index: usize) -> (usize, usize) {
        let slot = self.slot(index);
        (usize::from(slot as u16), usize::from((slot >> 16) as u16))
    }

    /// An entry's key after the prefix.
    #[inline]
    pub(super) fn suffix(&self, index: usize) -> Result<&'a [u8], Damage> {
        let (offset, len) = self.place(index);
        self.body.get(offset..offset + len).ok_or(Damage("a key reaches beyond its page"))
    }

    /// Whether a slot's head is the one of its key.
    pub(super) fn head_is_right(&self, index: usize) -> Result<bool, Damage> {
        Ok(self.head(index) == head_of(self.suffix(index)?))
    }

    /// An entry's key.
    pub(super) fn key(&self, index: usize) -> Result<Key<'a>, Damage> {
        Ok(Key { prefix: self.prefix, suffix: self.suffix(index)? })
    }

    /// An entry.
    #[inline]
    pub(super) fn cell(&self, index: usize) -> Result<Cell<'a>, Damage> {
        const BEYOND: Damage = Damage("an entry reaches beyond its page");
        let (offset, len) = self.place(index);
        let (suffix, rest) =
            self.body.get(offset..).and_then(|cell| cell.split_at_checked(len)).ok_or(BEYOND)?;
        let payload = match self.is_leaf() {
            true => {
                let (len, rest) = rest.split_first_chunk().ok_or(BEYOND)?;
                rest.get(..usize::from(u16::from_le_bytes(*len)))
            }
            false => rest.get(..CHILD),
        };
        Ok(Cell { suffix, payload: payload.ok_or(BEYOND)? })
    }

    /// Where an entry's cell begins and ends.
    pub(super) fn extent(&self, index: usize) -> Result<(usize, usize), Damage> {
        let cell = self.cell(index)?;
        let (offset, _) = self.place(index);
        let overhead = if self.is_leaf() { size_of::<u16>() } else { 0 };
        Ok((offset, offset + cell.suffix.len() + overhead + cell.payload.len()))
    }

    /// The index of the child of an inner node that leads to the target.
    #[inline]
    pub(super) fn child_index(&self, seek: Seek<'_>) -> Result<usize, Damage> {
        match seek {
            Seek::At(key) => self.upper_bound(key),
            Seek::Before(key) => Ok(self.lower_bound(key)?.0),
            Seek::Last => Ok(self.count),
        }
    }

    /// A child of an inner node.
    #[inline]
    pub(super) fn child(&self, index: usize) -> Result<PageNumber, Damage> {
        let child = match index.checked_sub(1) {
            None => PageNumber(u64_at(self.body, FIRST_CHILD)),
            Some(entry) => child_of(self.cell(entry)?.payload),
        };
        match child {
            PageNumber(0) => Err(Damage("a child is missing")),
            child => Ok(child),
        }
    }

    /// The children of an inner node, from left to right.
    pub(super) fn children(&self) -> impl Iterator<Item = Result<PageNumber, Damage>> + use<'a> {
        let node = *self;
        (0..=node.count).map(move |index| node.child(index))
    }
}

//! Nodes of the tree: a sorted array of eight-byte key heads, and one of pointers.

use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::slice;

use super::version::{Locked, Retry, Seen, Version};
use crate::hot::heap::{free, rounded};
use crate::hot::index::memory::allocate;
use crate::prefetch::prefetch;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Entries of a node: as many as fit into 1 KB with short fences. Small under test, so that little
/// data makes a deep tree.
pub(super) const CAPACITY: usize = match () {
    _ if cfg!(feature = "shuttle") => 4,
    _ if cfg!(test) => 8,
    _ => 58,
};

/// Entries in a block: a search finds the block by the hints, and then searches in the block.
const BLOCK: usize = if CAPACITY < 16 { 3 } else { 16 };
const HINTS: usize = CAPACITY.div_ceil(BLOCK) - 1;
/// A node with fewer entries is sparse.
const SPARSE: usize = CAPACITY / 4;

/// `upper_len` of a node without an upper fence.
const UNBOUNDED: u32 = u32::MAX;
/// Words in a cache line.
const LINE_WORDS: usize = 8;
/// Bytes of a head.
pub(super) const HEAD: usize = 8;

/// The fixed part of a node. The lower fence and then the upper one follow.
///
/// Level, prefix and fences never change: a node that is split or merged is replaced. The rest is
/// changed only under the lock, and read under the version.
///
/// A search reads one cache line before the heads, two of the heads, and two of the pointers.
#[repr(C)]
pub(super) struct Node {
    pub(super) version: Version,
    count: Word,
    /// 0 in leaves.
    level: u32,
    /// Length of the prefix that all keys in the node have in common, and that heads leave out.
    prefix_len: u32,
    lower_len: u32,
    upper_len: u32,
    /// The first head of each block but the first, or the greatest number if the node does not
    /// reach that block.
    hints: [Word; HINTS],
    /// For each entry eight bytes of its key after the prefix, as a number; padded with zeros.
    heads: [Word; CAPACITY],
    /// In a leaf anchors or groups, in an inner node children. The key of a child is its lower
    /// fence; that of the first one counts as less than everything.
    pointers: [Word; CAPACITY],
}

// Two heads are the length of the fences of a bigint key.
const _: () = assert!(size_of::<Node>() + 2 * HEAD <= 1024, "a node fits a size class");

/// The bounds of the keys that belong into a node: from the lower fence on, below the upper one.
#[derive(Clone, Debug)]
pub(super) struct Fences {
    pub(super) lower: Box<[u8]>,
    pub(super) upper: Option<Box<[u8]>>,
}

impl Fences {
    /// How many bytes all keys between the fences have in common.
    pub(super) fn common_len(&self) -> usize {
        self.upper.as_ref().map_or(0, |upper| common_len(&self.lower, upper))
    }
}

/// Points to a node for as long as a guard protects it.
#[derive(Clone, Copy)]
pub(super) struct NodeRef<'g> {
    node: NonNull<Node>,
    guard: PhantomData<&'g Node>,
}

/// An entry of a node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Entry {
    pub(super) head: u64,
    pub(super) pointer: u64,
}

/// How many bytes two keys have in common.
pub(super) fn common_len(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// The head of a key in a node with a prefix of this length.
#[inline]
pub(super) fn head(key: &[u8], prefix_len: usize) -> u64 {
    let rest = key.get(prefix_len..).unwrap_or_default();
    if let Some(bytes) = rest.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    // Built in registers: a wide load of bytes that were stored in pieces would stall.
    let shift = 8 * (HEAD - rest.len()) as u32;
    match (rest.first_chunk(), rest.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_be_bytes(*first)) << 32
                | u64::from(u32::from_be_bytes(*last)) << shift
        }
        _ => rest
            .iter()
            .fold(0, |head, &byte| head << 8 | u64::from(byte))
            .checked_shl(shift)
            .unwrap_or(0),
    }
}

impl<'g> NodeRef<'g> {
    /// Allocates a node with these entries, which are in order.
    pub(super) fn create(
        level: u32,
        prefix_len: usize,
        fences: &Fences,
        entries: impl IntoIterator<Item = Entry>,
    ) -> NodeRef<'g> {
        let upper_len = fences.upper.as_ref().map_or(UNBOUNDED, |upper| upper.len() as u32);
        // SAFETY: all writes are inside the memory, which this thread alone has.
        let this: NodeRef<'g> = unsafe {
            let node = allocate(size(fences.lower.len() as u32, upper_len)).cast::<Node>();
            node.write(Node {
                version: Version::new(),
                count: Word::new(0),
                level,
                prefix_len: prefix_len as u32,
                lower_len: fences.lower.len() as u32,
                upper_len,
                hints: [const { Word::new(u64::MAX) }; HINTS],
                heads: [const { Word::new(0) }; CAPACITY],
                pointers: [const { Word::new(0) }; CAPACITY],
            });
            let end = node.add(1).cast::<u8>().as_ptr();
            end.copy_from_nonoverlapping(fences.lower.as_ptr(), fences.lower.len());
            if let Some(upper) = &fences.upper {
                let at = end.add(fences.lower.len());
                at.copy_from_nonoverlapping(upper.as_ptr(), upper.len());
            }
            NodeRef { node, guard: PhantomData }
        };
        let mut count = 0;
        for entry in entries {
            this.set(count, entry);
            count += 1;
        }
        this.set_count(count, 0);
        this
    }

    /// The node at this address.
    ///
    /// # Safety
    /// A node is at the address, and is protected for `'g`.
    #[inline]
    pub(super) unsafe fn from_address(address: u64) -> NodeRef<'g> {
        let node = NonNull::new(address as *mut Node).expect("the address of a node");
        NodeRef { node, guard: PhantomData }
    }

    pub(super) fn address(self) -> u64 {
        self.node.as_ptr() as u64
    }

    pub(super) fn size_bytes(self) -> usize {
        rounded(size(self.lower_len, self.upper_len))
    }

    /// Frees the node, but not the targets of its entries.
    ///
    /// # Safety
    /// The node is not used any more.
    pub(super) unsafe fn free(self) {
        // SAFETY: the caller promises that nothing uses the node; it was allocated with this size.
        unsafe { free(self.node.cast(), size(self.lower_len, self.upper_len)) }
    }

    pub(super) fn entries(self) -> impl Iterator<Item = Entry> + 'g {
        (0..self.count()).map(move |index| self.entry(index))
    }

    /// Locks the node if its version is still `seen`.
    pub(super) fn lock(self, seen: Seen) -> Result<Locked<'g>, Retry> {
        // SAFETY: protected for `'g`.
        let node: &'g Node = unsafe { self.node.as_ref() };
        node.version.lock(seen)
    }

    /// The lower fence: the first key that belongs here.
    pub(super) fn lower(self) -> &'g [u8] {
        // SAFETY: the fences follow the fixed part in the same allocation, and never change.
        unsafe { slice::from_raw_parts(self.node.add(1).cast().as_ptr(), self.lower_len as usize) }
    }

    /// The upper fence: the first key above those that belong here.
    pub(super) fn upper(self) -> Option<&'g [u8]> {
        if self.upper_len == UNBOUNDED {
            return None;
        }
        // SAFETY: as in `lower`.
        Some(unsafe {
            let start = self.node.add(1).cast::<u8>().add(self.lower_len as usize);
            slice::from_raw_parts(start.as_ptr(), self.upper_len as usize)
        })
    }

    pub(super) fn fences(self) -> Fences {
        Fences { lower: self.lower().into(), upper: self.upper().map(Into::into) }
    }

    /// A child, if the node still has the version `seen`.
    pub(super) fn child(self, index: usize, seen: Seen) -> Result<NodeRef<'g>, Retry> {
        debug_assert!(self.level > 0);
        let address = self.pointer(index);
        // A pointer that was read while the node was being changed may lead to freed memory.
        self.version.check(seen)?;
        // SAFETY: the child was in this node while the guard was held (B3).
        Ok(unsafe { NodeRef::from_address(address) })
    }

    /// Prefetches all of the node's heads. A search knows which of them it needs only after it has
    /// waited for the line in front of them, and then would wait for the heads as well.
    #[inline]
    pub(super) fn prefetch_heads(self) {
        // SAFETY: only the address of the field is taken.
        let heads = unsafe { &raw const (*self.node.as_ptr()).heads } as u64;
        let lines = (CAPACITY / LINE_WORDS) as u64;
        (0..=lines).for_each(|line| prefetch(heads + 64 * line));
    }
}

impl Deref for NodeRef<'_> {
    type Target = Node;

    #[inline]
    fn deref(&self) -> &Node {
        // SAFETY: protected for the lifetime of the reference, and initialised in `create`.
        unsafe { self.node.as_ref() }
    }
}

impl Node {
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    #[inline]
    pub(super) fn prefix_len(&self) -> usize {
        self.prefix_len as usize
    }

    /// The number of entries. Never more than [`CAPACITY`], even while the node is being changed.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count.load(Relaxed) as usize
    }

    #[inline]
    pub(super) fn head(&self, index: usize) -> u64 {
        self.heads[index].load(Relaxed)
    }

    #[inline]
    pub(super) fn pointer(&self, index: usize) -> u64 {
        // Acquire: pairs with the Release in `set_pointer`, so that the target's contents are seen.
        self.pointers[index].load(Acquire)
    }

    pub(super) fn entry(&self, index: usize) -> Entry {
        Entry { head: self.head(index), pointer: self.pointer(index) }
    }

    /// Sets the pointer of an entry. Requires the lock.
    pub(super) fn set_pointer(&self, index: usize, pointer: u64) {
        self.pointers[index].store(pointer, Release);
    }

    /// Sets the number of entries, and the hints, after entries from `changed` on have changed.
    /// Requires the lock.
    fn set_count(&self, count: usize, changed: usize) {
        let before = self.count();
        self.count.store(count as u64, Relaxed);
        for block in changed.div_ceil(BLOCK).max(1)..count.max(before).div_ceil(BLOCK) {
            let first = block * BLOCK;
            let hint = if first < count { self.head(first) } else { u64::MAX };
            self.hints[block - 1].store(hint, Relaxed);
        }
    }

    fn set(&self, index: usize, entry: Entry) {
        self.heads[index].store(entry.head, Relaxed);
        self.set_pointer(index, entry.pointer);
    }

    /// Inserts an entry into a node that has room. Requires the lock.
    pub(super) fn insert(&self, index: usize, entry: Entry) {
        let count = self.count();
        for to in (index + 1..=count).rev() {
            self.set(to, self.entry(to - 1));
        }
        self.set(index, entry);
        self.set_count(count + 1, index);
    }

    /// Removes an entry. Requires the lock.
    pub(super) fn remove(&self, index: usize) {
        let count = self.count();
        for to in index..count - 1 {
            self.set(to, self.entry(to + 1));
        }
        self.set_count(count - 1, index);
    }

    /// The entries from `from` on that have this head. Entries before the range have lower heads.
    #[inline]
    pub(super) fn ties(&self, from: usize, head: u64) -> Range<usize> {
        let count = self.count();
        let start = self.lower_bound(head, count).max(from);
        let mut end = start;
        while end < count && self.head(end) == head {
            end += 1;
        }
        start..end
    }

    /// How many of the heads are lower than this one.
    #[inline]
    fn lower_bound(&self, head: u64, count: usize) -> usize {
        // Keys that are inserted in ascending order go after all others.
        if count.checked_sub(1).is_some_and(|last| self.head(last) < head) {
            return count;
        }
        // No branch depends on keys from here on, since the processor could not predict it.
        let first = BLOCK * lower_count(&self.hints, head);
        let pointers = &raw const self.pointers[first];
        (0..BLOCK / LINE_WORDS).for_each(|line| prefetch(pointers as u64 + 64 * line as u64));
        // While the node is being changed, hints and count may contradict each other.
        let heads = self.heads.get(first..count.min(first + BLOCK)).unwrap_or_default();
        first + lower_count(heads, head)
    }
}

/// How many of these heads are lower than this one.
#[inline]
fn lower_count(heads: &[Word], head: u64) -> usize {
    heads.iter().map(|h| usize::from(h.load(Relaxed) < head)).sum()
}

fn size(lower_len: u32, upper_len: u32) -> usize {
    let upper_len = if upper_len == UNBOUNDED { 0 } else { upper_len };
    size_of::<Node>() + lower_len as usize + upper_len as usize
}

/// Whether a node with this many entries should be merged with another.
pub(super) fn is_sparse(count: usize) -> bool {
    count < SPARSE
}

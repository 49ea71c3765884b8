//! A bump allocator for the values of one statement.
//!
//! # Life of an allocation   bumped off the current chunk → read through `&'a Arena` → forgotten at
//! once with all others by [`Arena::reset`] or [`Arena::reset_to`]
//!
//! # Invariants
//!
//! * AR1: a chunk's memory never moves and is freed only by `Drop` or by [`Arena::reset`], which
//!   need the arena exclusively.
//! * AR2: no byte is handed out twice between two resets: `position` only grows within a chunk, and
//!   a chunk is entered only at its start.
//!
//! Nothing is dropped: only bytes and `Copy` values live here.

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::ptr::NonNull;
use std::slice;

/// The first chunk's size; each further one doubles until [`CHUNK_MAX`].
const CHUNK_MIN: usize = 4 << 10;
const CHUNK_MAX: usize = 1 << 20;
/// Every chunk starts at this alignment, which is the largest that is handed out.
const ALIGNMENT: usize = 16;

/// See the module.
pub struct Arena {
    chunks: UnsafeCell<Vec<Chunk>>,
    /// Index of the chunk that is being filled; equal to the number of chunks when there is none.
    current: Cell<usize>,
    /// Bytes used of that chunk.
    position: Cell<usize>,
    /// Sum of the chunks' sizes.
    reserved: Cell<usize>,
}

struct Chunk {
    memory: NonNull<u8>,
    size: usize,
}

// SAFETY: a chunk is plain memory that only its arena refers to; nothing in it is bound to a thread.
unsafe impl Send for Chunk {}

/// A place to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    current: usize,
    position: usize,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena::new()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").field("reserved", &self.reserved.get()).finish_non_exhaustive()
    }
}

impl Arena {
    /// An arena that has allocated nothing yet.
    pub const fn new() -> Arena {
        Arena {
            chunks: UnsafeCell::new(Vec::new()),
            current: Cell::new(0),
            position: Cell::new(0),
            reserved: Cell::new(0),
        }
    }

    /// Bytes taken from the heap, for memory accounting.
    pub fn allocated_bytes(&self) -> usize {
        self.reserved.get()
    }

    /// A copy of `bytes`.
    pub fn alloc_bytes(&self, bytes: &[u8]) -> &[u8] {
        self.alloc_slice(bytes)
    }

    /// A copy of `text`.
    pub fn alloc_str(&self, text: &str) -> &str {
        std::str::from_utf8(self.alloc_bytes(text.as_bytes())).expect("a copy of a str is UTF-8")
    }

    /// `len` zero bytes to be filled in.
    #[expect(clippy::mut_from_ref, reason = "every call hands out other bytes (AR2)")]
    pub fn alloc_zeroed(&self, len: usize) -> &mut [u8] {
        if len == 0 {
            return &mut [];
        }
        let memory = self.bump(len, 1);
        // SAFETY: `bump` returns `len` bytes that nobody else has (AR2) and that live as long as
        // the borrow of the arena (AR1); the bytes are initialized before the slice is made.
        unsafe {
            memory.write_bytes(0, len);
            slice::from_raw_parts_mut(memory.as_ptr(), len)
        }
    }

    /// `len` zero words to be filled in.
    #[expect(clippy::mut_from_ref, reason = "every call hands out other bytes (AR2)")]
    pub fn alloc_zeroed_words(&self, len: usize) -> &mut [u64] {
        if len == 0 {
            return &mut [];
        }
        let memory = self.bump(len * size_of::<u64>(), align_of::<u64>()).cast::<u64>();
        // SAFETY: as in `alloc_zeroed`; the memory is aligned for words.
        unsafe {
            memory.write_bytes(0, len);
            slice::from_raw_parts_mut(memory.as_ptr(), len)
        }
    }

    /// A copy of a slice of plain values.
    pub fn alloc_slice<T: Copy>(&self, values: &[T]) -> &[T] {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        if values.is_empty() || size_of::<T>() == 0 {
            // A zero-sized copy needs no memory of its own.
            return empty_slice(values.len());
        }
        let memory = self.bump(size_of_val(values), align_of::<T>()).cast::<T>();
        // SAFETY: the memory is aligned for `T`, large enough, ours alone (AR2) and alive as long as
        // the borrow (AR1); the source cannot overlap memory that was never handed out before.
        unsafe {
            memory.copy_from_nonoverlapping(NonNull::from(values).cast::<T>(), values.len());
            slice::from_raw_parts(memory.as_ptr(), values.len())
        }
    }

    /// A plain value.
    pub fn alloc<T: Copy>(&self, value: T) -> &T {
        &self.alloc_slice(slice::from_ref(&value))[0]
    }

    /// An empty buffer that grows in the arena.
    pub fn buffer(&self) -> ArenaBuffer<'_> {
        self.buffer_of(0)
    }

    /// An empty buffer with room for this many bytes before it has to grow.
    pub fn buffer_of(&self, capacity: usize) -> ArenaBuffer<'_> {
        ArenaBuffer { arena: self, memory: self.alloc_zeroed(capacity), len: 0 }
    }

    /// Where the arena is now.
    pub fn mark(&self) -> Mark {
        Mark { current: self.current.get(), position: self.position.get() }
    }

    /// Forgets everything that was allocated after `mark` was taken. The memory stays reserved.
    pub fn reset_to(&mut self, mark: Mark) {
        self.current.set(mark.current);
        self.position.set(mark.position);
    }

    /// [`Arena::reset_to`] through a shared reference, for owners that keep values of before the
    /// mark borrowed.
    ///
    /// # Safety
    ///
    /// Nothing that was allocated after `mark` was taken may be used any more, and `mark` must be of
    /// this arena and not older than its last reset.
    pub unsafe fn rewind(&self, mark: Mark) {
        self.current.set(mark.current);
        self.position.set(mark.position);
    }

    /// Forgets everything, and gives back all but the first chunk.
    pub fn reset(&mut self) {
        let chunks = self.chunks.get_mut();
        chunks.truncate(1);
        self.reserved.set(chunks.iter().map(|c| c.size).sum());
        self.current.set(0);
        self.position.set(0);
    }

    #[inline]
    fn bump(&self, len: usize, align: usize) -> NonNull<u8> {
        // SAFETY: the vector is not borrowed elsewhere: no method hands out a reference into it.
        let chunks = unsafe { &*self.chunks.get() };
        if let Some(chunk) = chunks.get(self.current.get()) {
            let start = self.position.get().next_multiple_of(align);
            if start <= chunk.size && len <= chunk.size - start {
                self.position.set(start + len);
                // SAFETY: `start + len` is within the chunk.
                return unsafe { chunk.memory.add(start) };
            }
        }
        self.bump_next_chunk(len)
    }

    #[cold]
    fn bump_next_chunk(&self, len: usize) -> NonNull<u8> {
        // SAFETY: as in `bump`; the exclusive borrow ends before anything else runs.
        let chunks = unsafe { &mut *self.chunks.get() };
        let mut next = if chunks.is_empty() { 0 } else { self.current.get() + 1 };
        // Chunks left over from before a reset are used again if they are large enough.
        while next < chunks.len() && chunks[next].size < len {
            next += 1;
        }
        if next >= chunks.len() {
            let last = chunks.last().map_or(CHUNK_MIN / 2, |c| c.size);
            let size = (2 * last).clamp(CHUNK_MIN, CHUNK_MAX).max(len);
            chunks.push(Chunk::new(size));
            self.reserved.set(self.reserved.get() + size);
            next = chunks.len() - 1;
        }
        self.current.set(next);
        self.position.set(len);
        chunks[next].memory
    }
}

/// An empty slice, or one of values without size.
fn empty_slice<'a, T: Copy>(len: usize) -> &'a [T] {
    // SAFETY: either no element or elements of no size are behind a well-aligned pointer.
    unsafe { slice::from_raw_parts(NonNull::dangling().as_ptr(), len) }
}

impl Chunk {
    fn layout(size: usize) -> std::alloc::Layout {
        std::alloc::Layout::from_size_align(size, ALIGNMENT)
            .expect("a chunk is far below isize::MAX")
    }

    fn new(size: usize) -> Chunk {
        let layout = Chunk::layout(size);
        // SAFETY: the layout's size is not zero: at least `CHUNK_MIN`.
        let memory = unsafe { std::alloc::alloc(layout) };
        let memory = NonNull::new(memory).unwrap_or_else(|| std::alloc::handle_alloc_error(layout));
        Chunk { memory, size }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with the same layout, and nobody has a reference any more (AR1).
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), Chunk::layout(self.size)) }
    }
}

/// A growing string of bytes in an arena. Growing copies; what is left behind is reclaimed with the
/// arena.
pub struct ArenaBuffer<'a> {
    arena: &'a Arena,
    memory: &'a mut [u8],
    len: usize,
}

impl<'a> ArenaBuffer<'a> {
    /// Appends bytes.
    pub fn extend(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end > self.memory.len() {
            let grown = self.arena.alloc_zeroed(end.max(2 * self.memory.len()).max(32));
            grown[..self.len].copy_from_slice(&self.memory[..self.len]);
            self.memory = grown;
        }
        self.memory[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    /// Appends one byte.
    pub fn push(&mut self, byte: u8) {
        self.extend(&[byte]);
    }

    /// What was appended so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }

    /// Bytes appended so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was appended yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes, for as long as the arena is borrowed.
    pub fn finish(self) -> &'a [u8] {
        &self.memory[..self.len]
    }
}

impl fmt::Write for ArenaBuffer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.extend(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn allocations_do_not_overlap_and_are_aligned() {
        let arena = Arena::new();
        let mut pieces: Vec<(&[u8], u8)> = Vec::new();
        for i in 0..2000usize {
            let piece = arena.alloc_zeroed(i % 97);
            piece.fill(i as u8);
            pieces.push((piece, i as u8));
            assert_eq!(std::ptr::from_ref(arena.alloc(i as u128)).addr() % 16, 0);
        }
        assert!(pieces.iter().all(|(piece, value)| piece.iter().all(|b| b == value)));
    }

    #[test]
    fn large_allocations_get_a_chunk_of_their_own() {
        let arena = Arena::new();
        let large = arena.alloc_zeroed(3 << 20);
        assert_eq!(large.len(), 3 << 20);
        assert!(arena.allocated_bytes() >= 3 << 20);
    }

    #[test]
    fn reset_to_a_mark_reuses_memory() {
        let mut arena = Arena::new();
        arena.alloc_bytes(b"before");
        let mark = arena.mark();
        for _ in 0..10_000 {
            arena.alloc_zeroed(100);
            arena.reset_to(mark);
        }
        assert_eq!(arena.allocated_bytes(), CHUNK_MIN);
        for _ in 0..1000 {
            arena.alloc_zeroed(100);
        }
        let reserved = arena.allocated_bytes();
        arena.reset_to(mark);
        for _ in 0..1000 {
            arena.alloc_zeroed(100);
        }
        assert_eq!(arena.allocated_bytes(), reserved, "chunks are used again");
        arena.reset();
        assert_eq!(arena.allocated_bytes(), CHUNK_MIN);
    }

    #[test]
    fn buffers_grow() {
        let arena = Arena::new();
        let mut buffer = arena.buffer();
        for i in 0..100 {
            write!(buffer, "{i},").unwrap();
        }
        let text = std::str::from_utf8(buffer.finish()).unwrap();
        assert!(text.starts_with("0,1,2,") && text.ends_with("98,99,"));
        assert_eq!(arena.alloc_str("abc"), "abc");
        assert_eq!(arena.alloc_slice(&[1u64, 2]), &[1, 2]);
    }
}

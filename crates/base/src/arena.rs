//! A bump allocator for the values of one statement.
//!
//! # Life of an allocation
//!
//! bumped off the current chunk → read through `&'a Arena` → forgotten at
//! once with all others by [`Arena::reset`] or [`Arena::reset_to`]
//!
//! # Invariants
//!
//! * AR1: a chunk's memory never moves and is freed only where nothing refers to it: by `Drop` and
//!   [`Arena::reset`], which need the arena exclusively, by going back to a mark, which forgets
//!   what was allocated after it, and by a buffer that has a chunk for itself and has moved to a
//!   larger one.
//! * AR2: no byte is handed out twice between two resets: `position` only grows within a chunk, and
//!   a chunk is entered only at its start.
//!
//! Nothing is dropped: only bytes and `Copy` values live here.
//!
//! Chunks are charged to the arena's [`Account`], if it has one. An allocation itself does not
//! fail: what a client can make large is asked for first ([`Arena::admit`]).

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use crate::account::{Account, UNASKED, check_length};
use crate::error::SqlResult;

/// The first chunk's size; each further one doubles until [`CHUNK_MAX`].
const CHUNK_MIN: usize = 4 << 10;
const CHUNK_MAX: usize = 1 << 20;
/// Chunks that are larger were made for one value and go when it is forgotten.
const CHUNK_KEPT: usize = 4 << 20;
/// Every chunk starts at this alignment, which is the largest that is handed out.
const ALIGNMENT: usize = 16;

/// See the module's header.
pub struct Arena {
    chunks: UnsafeCell<Vec<Chunk>>,
    /// Index of the chunk that is being filled; equal to the number of chunks when there is none.
    current: Cell<usize>,
    /// Bytes used of that chunk.
    position: Cell<usize>,
    /// Sum of the chunks' sizes.
    reserved: Cell<usize>,
    /// How many chunks are larger than [`CHUNK_KEPT`].
    large: Cell<usize>,
    /// What the chunks are charged to.
    account: Option<Arc<Account>>,
}

struct Chunk {
    memory: NonNull<u8>,
    size: usize,
}

// SAFETY: a chunk is plain memory that only its arena refers to; nothing in it is bound to a
// thread.
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
            large: Cell::new(0),
            account: None,
        }
    }

    /// An arena that has allocated nothing yet and is charged to an account.
    pub fn charged_to(account: Arc<Account>) -> Arena {
        let mut arena = Arena::new();
        arena.account = Some(account);
        arena
    }

    /// An arena that has allocated nothing yet and is charged as this one is.
    pub fn beside(&self) -> Arena {
        let mut arena = Arena::new();
        arena.account = self.account.clone();
        arena
    }

    /// What it is charged to.
    pub fn account(&self) -> Option<&Arc<Account>> {
        self.account.as_ref()
    }

    /// Asks for room for this many bytes, before they are allocated. Error 701 where the account
    /// does not have them, 7119 where no value can be that long.
    #[inline]
    pub fn admit(&self, bytes: usize) -> SqlResult<()> {
        if bytes <= UNASKED { Ok(()) } else { self.admit_many(bytes) }
    }

    #[cold]
    fn admit_many(&self, bytes: usize) -> SqlResult<()> {
        check_length(bytes)?;
        self.account.as_ref().map_or(Ok(()), |account| account.admit(bytes))
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
        // SAFETY: `bump` returns `len` bytes that are handed out once (AR2) and that live as long
        // as the borrow of the arena (AR1); the bytes are initialized before the slice is made.
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
        let bytes = len.checked_mul(size_of::<u64>()).expect("memory is not as large");
        let memory = self.bump(bytes, align_of::<u64>()).cast::<u64>();
        // SAFETY: `bump` returns `len` words, aligned, that are handed out once (AR2) and that live
        // as long as the borrow of the arena (AR1); they are initialized before the slice is made.
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
        // SAFETY: the memory is aligned for `T`, large enough, not shared (AR2) and alive as long
        // as the borrow (AR1); the source cannot overlap memory that was never handed out before.
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
        let memory = if capacity == 0 { NonNull::dangling() } else { self.bump(capacity, 1) };
        ArenaBuffer { arena: self, memory, capacity, len: 0 }
    }

    /// Where the arena is now.
    pub fn mark(&self) -> Mark {
        Mark { current: self.current.get(), position: self.position.get() }
    }

    /// Forgets everything that was allocated after `mark` was taken. The memory stays reserved, but
    /// for that of single large values.
    #[inline]
    pub fn reset_to(&mut self, mark: Mark) {
        // SAFETY: the exclusive borrow says that nothing is borrowed from the arena.
        unsafe { self.rewind(mark) }
    }

    /// [`Arena::reset_to`] through a shared reference, for owners that keep values of before the
    /// mark borrowed.
    ///
    /// # Safety
    ///
    /// Nothing that was allocated after `mark` was taken may be used any more, and `mark` must be
    /// of this arena and not older than its last reset.
    #[inline]
    pub unsafe fn rewind(&self, mark: Mark) {
        self.current.set(mark.current);
        self.position.set(mark.position);
        if self.large.get() > 0 {
            // SAFETY: the caller uses nothing any more that is younger than the mark.
            unsafe { self.free_large(mark) };
        }
    }

    /// Frees the large chunks that hold nothing of before the mark.
    ///
    /// # Safety
    /// As for [`Arena::rewind`].
    #[cold]
    unsafe fn free_large(&self, mark: Mark) {
        let all_goes = mark.current == 0 && mark.position == 0;
        // SAFETY: the vector is not borrowed elsewhere: no method hands out a reference into it.
        // The chunks that go below hold nothing of before the mark, and the caller of `rewind`
        // ensures that nothing of after it is used.
        let chunks = unsafe { &mut *self.chunks.get() };
        let (mut at, mut freed, mut count) = (0, 0, 0);
        chunks.retain(|chunk| {
            let goes = (all_goes || at > mark.current) && chunk.size > CHUNK_KEPT;
            at += 1;
            freed += if goes { chunk.size } else { 0 };
            count += usize::from(goes);
            !goes
        });
        self.large.set(self.large.get() - count);
        self.release(freed);
    }

    /// Chunks of this many bytes are gone.
    #[inline]
    fn release(&self, bytes: usize) {
        // The account is shared: most runs have nothing to tell it.
        if bytes == 0 {
            return;
        }
        self.reserved.set(self.reserved.get() - bytes);
        if let Some(account) = &self.account {
            account.give(bytes);
        }
    }

    /// Frees the chunk that a buffer had for itself, if it had one, and is not the current one.
    ///
    /// # Safety
    /// The buffer's bytes have moved: nothing in this memory is used any more.
    #[cold]
    unsafe fn free_chunk_of(&self, memory: NonNull<u8>, capacity: usize) {
        if capacity <= CHUNK_MAX {
            return;
        }
        // SAFETY: the vector is not borrowed elsewhere: no method hands out a reference into it.
        // The chunk that goes below held the bytes of one buffer alone, which has moved.
        let chunks = unsafe { &mut *self.chunks.get() };
        let own = |chunk: &Chunk| chunk.memory == memory && chunk.size == capacity;
        let Some(at) = chunks.iter().position(own).filter(|at| *at < self.current.get()) else {
            return;
        };
        chunks.remove(at);
        self.current.set(self.current.get() - 1);
        self.large.set(self.large.get() - usize::from(capacity > CHUNK_KEPT));
        self.release(capacity);
    }

    /// Forgets everything, and gives back all but the first chunk.
    pub fn reset(&mut self) {
        let chunks = self.chunks.get_mut();
        let first_is_kept = chunks.first().is_some_and(|first| first.size <= CHUNK_KEPT);
        chunks.truncate(usize::from(first_is_kept));
        let kept = chunks.iter().map(|c| c.size).sum::<usize>();
        self.release(self.reserved.get() - kept);
        self.large.set(0);
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
        // SAFETY: the vector is not borrowed elsewhere: no method hands out a reference into it,
        // and what is called while it is borrowed here does not reach the arena.
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
            self.large.set(self.large.get() + usize::from(size > CHUNK_KEPT));
            if let Some(account) = &self.account {
                account.take(size);
            }
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

impl Drop for Arena {
    fn drop(&mut self) {
        self.release(self.reserved.get());
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with the same layout, and no reference is left (AR1).
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), Chunk::layout(self.size)) }
    }
}

/// A growing string of bytes in an arena. Growing copies; what is left behind is reclaimed at once
/// where it was a chunk of its own, else with the arena.
pub struct ArenaBuffer<'a> {
    arena: &'a Arena,
    /// `capacity` bytes that only this buffer has (AR2), of which the first `len` are written.
    memory: NonNull<u8>,
    capacity: usize,
    len: usize,
}

impl<'a> ArenaBuffer<'a> {
    /// Appends bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        if bytes.len() > self.capacity - self.len {
            self.grow(self.grown(bytes.len()));
        }
        // SAFETY: there is room after the first `len` bytes, and nothing else refers to it, so that
        // the source does not overlap it.
        unsafe {
            let end = self.memory.add(self.len);
            end.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len());
        }
        self.len += bytes.len();
    }

    /// Appends bytes of what a client can make large. Error 701 where the arena's account has no
    /// room.
    #[inline]
    pub fn try_extend(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.admit(bytes.len())?;
        self.extend(bytes);
        Ok(())
    }

    /// Asks for room for this many bytes more. Error 701 as for [`ArenaBuffer::try_extend`].
    #[inline]
    pub fn admit(&self, more: usize) -> SqlResult<()> {
        if more <= self.capacity - self.len { Ok(()) } else { self.arena.admit(self.grown(more)) }
    }

    /// The capacity that makes room for this many bytes more.
    fn grown(&self, more: usize) -> usize {
        let half = if self.capacity > CHUNK_MAX { self.capacity / 2 } else { self.capacity };
        (self.len + more).max(self.capacity + half).max(32)
    }

    #[cold]
    fn grow(&mut self, capacity: usize) {
        let memory = self.arena.bump(capacity, 1);
        // SAFETY: the new memory is larger than what was written, and nothing else refers to
        // either.
        unsafe { memory.copy_from_nonoverlapping(self.memory, self.len) };
        // SAFETY: the buffer's bytes were copied, and it goes on with the copy.
        unsafe { self.arena.free_chunk_of(self.memory, self.capacity) };
        (self.memory, self.capacity) = (memory, capacity);
    }

    /// Appends one byte.
    pub fn push(&mut self, byte: u8) {
        self.extend(&[byte]);
    }

    /// What was appended so far.
    pub fn as_bytes(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are written, and stay where they are while the buffer is
        // borrowed.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.len) }
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
        // SAFETY: the first `len` bytes are written; nothing writes to them any more, and they live
        // as long as the arena is borrowed (AR1).
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.len) }
    }

    /// The bytes, to be changed, for as long as the arena is borrowed.
    pub fn finish_mut(self) -> &'a mut [u8] {
        // SAFETY: the first `len` bytes are written and live as long as the arena is borrowed
        // (AR1); only this buffer has them (AR2), and it ends here.
        unsafe { slice::from_raw_parts_mut(self.memory.as_ptr(), self.len) }
    }
}

impl fmt::Write for ArenaBuffer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.extend(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests;

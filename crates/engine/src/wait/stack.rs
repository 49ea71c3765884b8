//! Stacks for coroutines, and the pool that keeps them.
//!
//! A stack is a range of reserved addresses of which the upper end is accessible. Code that
//! recurses makes it grow downwards in place ([`base::stack`]); a free stack has its first size
//! again.

use std::fmt;
use std::io;

use base::stack::Bounds;
use corosensei::stack::{Stack, StackPointer};
use parking_lot::Mutex;

/// There is no memory, or no room in the system's tables, for another stack.
#[derive(Debug)]
pub struct OutOfStacks(io::Error);

impl fmt::Display for OutOfStacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no stack for another statement: {}", self.0)
    }
}

impl std::error::Error for OutOfStacks {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// A coroutine's stack.
pub(super) struct GrowingStack {
    /// The lowest address of the reserved range. A guard of a grain above it is never accessible.
    start: usize,
    /// The end of the range, where the stack begins.
    base: usize,
    /// Where the accessible part ends when the stack is free.
    first_limit: usize,
}

/// Sizes are multiples of this, which every system's page size divides.
const GRAIN: usize = 64 << 10;

impl GrowingStack {
    /// A stack with this many accessible bytes, which can grow to `most_bytes`.
    fn new(bytes: usize, most_bytes: usize) -> io::Result<GrowingStack> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let bytes = bytes.checked_next_multiple_of(GRAIN).ok_or_else(too_large)?;
        let most = most_bytes.max(bytes).checked_next_multiple_of(GRAIN);
        let length = most.and_then(|most| most.checked_add(GRAIN)).ok_or_else(too_large)?;
        let start = reserve(std::ptr::null_mut(), length, 0)?;
        let base = start + length;
        let stack = GrowingStack { start, base, first_limit: base - bytes };
        let first = std::ptr::with_exposed_provenance_mut(stack.first_limit);
        // SAFETY: the range lies within what was just mapped, and nothing uses it yet.
        match unsafe { libc::mprotect(first, bytes, libc::PROT_READ | libc::PROT_WRITE) } {
            0 => Ok(stack),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Where the stack ends while nothing has grown it.
    pub fn bounds(&self) -> Bounds {
        // SAFETY: from the floor to the first limit the range is reserved without access and
        // belongs to this stack, which lives as long as the coroutine on it; `shrink` runs when no
        // code does.
        unsafe { Bounds::new(self.first_limit, self.start + GRAIN) }
    }

    /// Takes back what the statement that has ended on it made the stack grow by. `None` if the
    /// system refuses: the stack is unmapped.
    pub fn shrunk(self, bounds: Bounds) -> Option<GrowingStack> {
        let grown = self.first_limit - bounds.limit();
        if grown > 0 {
            // Mapped anew rather than protected, so that neither memory nor a claim to it remains.
            let place = std::ptr::with_exposed_provenance_mut(bounds.limit());
            reserve(place, grown, libc::MAP_FIXED).ok()?;
        }
        Some(self)
    }
}

/// Reserves addresses without access.
fn reserve(place: *mut libc::c_void, length: usize, flags: libc::c_int) -> io::Result<usize> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without MAP_FIXED the system chooses free addresses; with it, the caller owns the
    // range and nothing lives there.
    let mapped = unsafe { libc::mmap(place, length, libc::PROT_NONE, flags, -1, 0) };
    match mapped == libc::MAP_FAILED {
        true => Err(io::Error::last_os_error()),
        false => Ok(mapped.expose_provenance()),
    }
}

impl Drop for GrowingStack {
    fn drop(&mut self) {
        let length = self.base - self.start;
        let start = std::ptr::with_exposed_provenance_mut(self.start);
        // SAFETY: the range is this stack's own, and no coroutine runs on it any more.
        let result = unsafe { libc::munmap(start, length) };
        debug_assert_eq!(result, 0, "munmap: {}", io::Error::last_os_error());
    }
}

// SAFETY: the memory from the first limit to the base is mapped, readable and writable, used by
// nothing else, and stays so as long as the stack lives. Below is a guard without access.
unsafe impl Stack for GrowingStack {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.base).expect("a mapping does not begin at 0")
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.start).expect("a mapping does not begin at 0")
    }
}

/// Free stacks. What is in use is not bounded here: a statement that waits keeps its stack, and
/// the one that it waits for must always get one.
pub(super) struct StackPool {
    size_bytes: usize,
    most_bytes: usize,
    keep: usize,
    free: Mutex<Vec<GrowingStack>>,
}

/// Of a trimmed stack, the part that nearly every statement touches keeps its memory.
const HOT_BYTES: usize = 32 << 10;
/// A pool with more free stacks than this trims those that come back.
const TRIM_ABOVE: usize = 64;

impl StackPool {
    pub fn new(size_bytes: usize, most_bytes: usize, keep: usize) -> StackPool {
        StackPool { size_bytes, most_bytes, keep, free: Mutex::new(Vec::new()) }
    }

    /// A free stack, or a new one.
    pub fn take(&self) -> Result<GrowingStack, OutOfStacks> {
        if let Some(stack) = self.free.lock().pop() {
            return Ok(stack);
        }
        GrowingStack::new(self.size_bytes, self.most_bytes).map_err(OutOfStacks)
    }

    /// Keeps the stack for the next statement, or unmaps it if there are plenty.
    pub fn give_back(&self, stack: GrowingStack) {
        let crowd = self.free.lock().len();
        if crowd >= self.keep {
            return drop(stack);
        }
        if crowd >= TRIM_ABOVE {
            trim(&stack);
        }
        self.free.lock().push(stack);
    }

    #[cfg(test)]
    #[cfg(not(feature = "shuttle"))]
    pub fn free_count(&self) -> usize {
        self.free.lock().len()
    }
}

/// Gives the memory of a free stack back to the system, except for its hot end. The addresses stay
/// mapped and read as zeros.
fn trim(stack: &GrowingStack) {
    let cold = stack.first_limit..stack.base - HOT_BYTES;
    if cold.is_empty() {
        return;
    }
    // SAFETY: the range is page-aligned, lies within the mapping that `stack` owns, and nothing
    // lives there, since no coroutine runs on a free stack.
    let result = unsafe { libc::madvise(cold.start as *mut _, cold.len(), libc::MADV_DONTNEED) };
    debug_assert_eq!(result, 0, "madvise: {}", io::Error::last_os_error());
}

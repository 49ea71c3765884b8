//! Stacks for coroutines, and the pool that keeps them.

use std::fmt;
use std::io;

use corosensei::stack::{DefaultStack, Stack};
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

/// Free stacks. What is in use is not bounded here: a statement that waits keeps its stack, and
/// the one that it waits for must always get one.
pub(super) struct StackPool {
    size_bytes: usize,
    keep: usize,
    free: Mutex<Vec<DefaultStack>>,
}

/// Of a trimmed stack, the part that nearly every statement touches keeps its memory.
const HOT_BYTES: usize = 32 << 10;
/// A pool with more free stacks than this trims those that come back.
const TRIM_ABOVE: usize = 64;

impl StackPool {
    pub fn new(size_bytes: usize, keep: usize) -> StackPool {
        StackPool { size_bytes, keep, free: Mutex::new(Vec::new()) }
    }

    /// A free stack, or a new one.
    pub fn take(&self) -> Result<DefaultStack, OutOfStacks> {
        if let Some(stack) = self.free.lock().pop() {
            return Ok(stack);
        }
        DefaultStack::new(self.size_bytes).map_err(OutOfStacks)
    }

    /// Keeps the stack for the next statement, or unmaps it if there are plenty.
    pub fn give_back(&self, stack: DefaultStack) {
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
fn trim(stack: &DefaultStack) {
    // The lowest page is the guard; it has no memory to give back.
    let cold = stack.limit().get()..stack.base().get() - HOT_BYTES;
    if cold.is_empty() {
        return;
    }
    // SAFETY: the range is page-aligned, lies within the mapping that `stack` owns, and nothing
    // lives there, since no coroutine runs on a free stack.
    let result = unsafe { libc::madvise(cold.start as *mut _, cold.len(), libc::MADV_DONTNEED) };
    debug_assert_eq!(result, 0, "madvise: {}", io::Error::last_os_error());
}

//! Memory straight from the system, for who divides it up himself.

use std::ops::{Deref, DerefMut};

pub use crate::sys::{discard_memory as discard, map_memory as map, unmap_memory as unmap};

/// What a processor's table of addresses can cover by one entry, if the system has huge pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// An alignment of memory, offsets and lengths that every block device takes.
pub const DIRECT_ALIGN: usize = 4096;

/// Bytes whose first lies at a multiple of [`DIRECT_ALIGN`].
#[derive(Debug)]
pub struct AlignedBytes {
    memory: Box<[u8]>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// So many zeros.
    pub fn new(len: usize) -> AlignedBytes {
        let memory = vec![0; len + DIRECT_ALIGN].into_boxed_slice();
        let start = memory.as_ptr().align_offset(DIRECT_ALIGN);
        AlignedBytes { memory, start, len }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.start..self.start + self.len]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer pool that could have had the whole machine, and some more, got no address space.
    #[test]
    fn address_space_may_be_larger_than_the_machine() {
        const LEN: usize = 1 << 40;
        let start = map(LEN, HUGE_PAGE).expect("there is address space");
        // SAFETY: the mapping is that long, and this test's alone.
        unsafe {
            start.add(LEN - 1).write(1);
            unmap(start, LEN);
        }
    }

    #[test]
    fn memory_is_aligned_and_zeros_again_after_it_was_given_back() {
        const LEN: usize = 4 << 20;
        let start = map(LEN, 2 << 20).expect("there is address space");
        assert_eq!(start.as_ptr() as usize % (2 << 20), 0);
        // SAFETY: the mapping is that long, and this test's alone.
        unsafe {
            let last = start.add(LEN - 1);
            assert_eq!(last.read(), 0);
            last.write(7);
            assert_eq!(last.read(), 7);
            discard(start, LEN);
            assert_eq!(last.read(), 0);
            unmap(start, LEN);
        }
    }
}

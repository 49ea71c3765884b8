//! Memory of blocks: pieces of one range of address space, which the system gets back as soon as
//! they are free. So what blocks take is what the process takes for them, whatever threads allocate
//! and free them.
//!
//! The address sanitizer, Miri and the interleaving checker watch only memory of the program's
//! allocator, so under them blocks come from there.

use std::alloc::{Layout, alloc, dealloc};
use std::io;
use std::ptr::NonNull;

use super::blocks::BLOCK_BYTES;
use crate::sync::Arc;
use crate::sync::parking::Mutex;

/// Whether blocks come from the program's allocator.
const ALLOCATED: bool = cfg!(any(feature = "sanitizer", feature = "shuttle", miri));

const LAYOUT: Layout = match Layout::from_size_align(BLOCK_BYTES, align_of::<u64>()) {
    Ok(layout) => layout,
    Err(_) => panic!("a block has a layout"),
};

/// Address space for blocks.
pub struct BlockSpace {
    start: NonNull<u8>,
    /// Bytes of the range.
    len: usize,
    free: Mutex<Free>,
}

/// Blocks that are not in use.
#[derive(Default)]
struct Free {
    /// Where the blocks begin that never were.
    fresh: usize,
    given_back: Vec<NonNull<u8>>,
}

/// The memory of one block, which goes back when this is dropped.
pub struct BlockMemory {
    start: NonNull<u8>,
    space: Arc<BlockSpace>,
}

// SAFETY: a space owns its range; what is in it belongs to those who have taken blocks.
unsafe impl Send for BlockSpace {}
// SAFETY: as above; the list of free blocks is behind a lock.
unsafe impl Sync for BlockSpace {}
// SAFETY: a block owns its memory.
unsafe impl Send for BlockMemory {}

impl BlockSpace {
    /// Address space for so many bytes of blocks.
    pub fn new(bytes: u64) -> io::Result<Arc<BlockSpace>> {
        let len = usize::try_from(bytes).unwrap_or(usize::MAX / 2).next_multiple_of(BLOCK_BYTES);
        let start = match ALLOCATED {
            true => NonNull::dangling(),
            false => env::memory::map(len, BLOCK_BYTES)?,
        };
        Ok(Arc::new(BlockSpace { start, len, free: Mutex::default() }))
    }

    /// The memory of a block; `None` if there is none.
    pub fn take(self: &Arc<BlockSpace>) -> Option<BlockMemory> {
        let start = match ALLOCATED {
            // SAFETY: the layout has a size.
            true => NonNull::new(unsafe { alloc(LAYOUT) })?,
            false => self.take_free()?,
        };
        Some(BlockMemory { start, space: self.clone() })
    }

    fn take_free(&self) -> Option<NonNull<u8>> {
        let mut free = self.free.lock();
        if let Some(block) = free.given_back.pop() {
            return Some(block);
        }
        let at = free.fresh;
        (at < self.len).then(|| {
            free.fresh += BLOCK_BYTES;
            // SAFETY: the block lies in the range.
            unsafe { self.start.add(at) }
        })
    }
}

impl Drop for BlockSpace {
    fn drop(&mut self) {
        if !ALLOCATED {
            // SAFETY: this is the range that `new` mapped; no block is in use, since each has a
            // share in the space.
            unsafe { env::memory::unmap(self.start, self.len) };
        }
    }
}

impl BlockMemory {
    pub fn start(&self) -> NonNull<u64> {
        self.start.cast()
    }
}

impl Drop for BlockMemory {
    fn drop(&mut self) {
        if ALLOCATED {
            // SAFETY: `take` has allocated it by this layout.
            unsafe { dealloc(self.start.as_ptr(), LAYOUT) };
            return;
        }
        // SAFETY: the block consists of whole pages of the range, and is not used any more.
        unsafe { env::memory::discard(self.start, BLOCK_BYTES) };
        self.space.free.lock().given_back.push(self.start);
    }
}

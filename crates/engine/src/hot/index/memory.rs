//! Memory for the parts of indexes.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

use crate::hot::anchor::ALIGN;
use crate::hot::heap;

/// Memory for a part of an index. Without it an index could be neither left as it was nor changed.
pub(super) fn allocate(size: usize) -> NonNull<u8> {
    heap::allocate(size).unwrap_or_else(|| {
        let layout = Layout::from_size_align(size, ALIGN);
        alloc::handle_alloc_error(layout.expect("keys are far below isize::MAX"))
    })
}

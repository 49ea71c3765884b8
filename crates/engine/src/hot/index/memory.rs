//! Memory for the parts of indexes.

use std::alloc::{self, Layout};
use std::ptr::NonNull;

use crate::hot::anchor::ALIGN;
use crate::hot::heap;

/// Allocates memory for a part of an index. If there is none the process ends, since a change of an
/// index could neither go on nor be rolled back.
pub(super) fn allocate(size: usize) -> NonNull<u8> {
    heap::allocate(size).unwrap_or_else(|| {
        let layout = Layout::from_size_align(size, ALIGN);
        alloc::handle_alloc_error(layout.expect("keys are far below isize::MAX"))
    })
}

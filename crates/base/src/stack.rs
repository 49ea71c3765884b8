//! The stack that is left, for what recurses over what a client has written.
//!
//! A statement runs on a coroutine whose stack is a little memory above a large range of reserved
//! addresses. What recurses calls [`reserve`] at every level: usually that is a subtraction; when
//! the memory is about to end, the stack grows downwards in place. When the addresses end as well,
//! or on the stack of an ordinary thread, which cannot grow, it says no, and the caller raises the
//! error of its subject (191 in the parser, 8631 after it).
//!
//! # Invariants
//!
//! * K1: what builds a tree level by level takes more stack for a level than what walks, copies or
//!   drops it. A stack never shrinks while something runs on it, so walks need no check of their
//!   own on the stack where the tree was built. Where a tree is walked on another stack, or was
//!   built by a loop, the caller reserves room for the walk by the tree's height.
//! * K2: the bounds are those of the stack that runs on this thread now: the executor sets them
//!   before it resumes a coroutine and takes them back after it ([`Running`]). No function that
//!   reads them is inlined, so no address of a thread-local variable is kept across a suspension.

use std::cell::Cell;

/// What a level of a recursion may take, with all that it calls and that does not look for itself.
pub const ROOM: usize = if cfg!(debug_assertions) { 128 << 10 } else { 96 << 10 };
/// By how much a stack grows at least.
const STEP: usize = 1 << 20;
/// The unit in which memory becomes accessible: a multiple of every system's page size.
const GRAIN: usize = 64 << 10;
/// What an ordinary thread is believed to have below the place where it first asked, if the system
/// does not say.
#[cfg(not(target_os = "linux"))]
const THREAD_BYTES: usize = 256 << 10;

/// Where a stack ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The lowest address that can be used now; 0 if not known yet.
    limit: usize,
    /// The lowest address that it can grow to.
    floor: usize,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds { limit: 0, floor: 0 };

    /// The bounds of a stack that is accessible from `limit` up and may grow down to `floor`.
    ///
    /// # Safety
    /// While code runs between [`Running::new`] with these bounds and its drop, it runs on a stack
    /// whose memory ends at `limit`; what lies from `floor`, the beginning of a page, to `limit` is
    /// mapped without access, belongs to that stack, and nothing else changes it.
    pub unsafe fn new(limit: usize, floor: usize) -> Bounds {
        assert!(floor <= limit && (limit - floor) % GRAIN == 0);
        Bounds { limit, floor }
    }

    /// The lowest address that can be used.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

thread_local! {
    static BOUNDS: Cell<Bounds> = const { Cell::new(Bounds::UNKNOWN) };
}

/// A stack with these bounds runs on this thread, until this is dropped (K2).
#[derive(Debug)]
pub struct Running<'b> {
    bounds: &'b mut Bounds,
    before: Bounds,
}

impl<'b> Running<'b> {
    /// Sets the bounds for what runs now. They are brought up to date when this is dropped.
    #[inline(never)]
    pub fn new(bounds: &'b mut Bounds) -> Running<'b> {
        let before = BOUNDS.replace(*bounds);
        Running { bounds, before }
    }
}

impl Drop for Running<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        *self.bounds = BOUNDS.replace(self.before);
    }
}

/// How many bytes are left on this stack before it has to grow.
#[inline(never)]
pub fn left() -> usize {
    let here = 0u8;
    let here = (&raw const here).addr();
    let mut bounds = BOUNDS.get();
    if bounds == Bounds::UNKNOWN {
        bounds = thread_bounds(here);
        BOUNDS.set(bounds);
    }
    here.saturating_sub(bounds.limit)
}

/// Whether a recursion may go a level deeper: [`ROOM`] is left, or could be had.
#[inline]
pub fn deeper() -> bool {
    reserve(ROOM)
}

/// Whether this many bytes are left, after growing if need be.
#[inline]
pub fn reserve(bytes: usize) -> bool {
    left() >= bytes || grow(bytes)
}

/// How many bytes could be had on this stack at most.
#[inline(never)]
pub fn capacity() -> usize {
    let left = left();
    let bounds = BOUNDS.get();
    left + (bounds.limit - bounds.floor)
}

/// Makes more of the stack accessible.
#[cold]
#[inline(never)]
fn grow(bytes: usize) -> bool {
    let missing = bytes.saturating_sub(left()).max(STEP).next_multiple_of(GRAIN);
    let bounds = BOUNDS.get();
    let Some(limit) = bounds.limit.checked_sub(missing).filter(|&limit| limit >= bounds.floor)
    else {
        // The last piece may be shorter than a step.
        return bounds.limit > bounds.floor
            && make_accessible(bounds.floor, bounds)
            && left() >= bytes;
    };
    make_accessible(limit, bounds)
}

fn make_accessible(limit: usize, bounds: Bounds) -> bool {
    let length = bounds.limit - limit;
    // SAFETY: the range lies between the stack's floor and its limit, which `Bounds::new` demands
    // to be the stack's own, mapped without access, and used by nothing else.
    let result = unsafe {
        let start = std::ptr::with_exposed_provenance_mut(limit);
        libc::mprotect(start, length, libc::PROT_READ | libc::PROT_WRITE)
    };
    if result == 0 {
        BOUNDS.set(Bounds { limit, ..bounds });
    }
    result == 0
}

/// The bounds of the calling thread's own stack.
#[cfg(target_os = "linux")]
#[cold]
fn thread_bounds(here: usize) -> Bounds {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the calls are given places of their own to write to, and the attributes are read and
    // destroyed only if the first call has filled them.
    let (limit, known) = unsafe {
        let found = libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) == 0;
        let known = found && {
            let attributes = attributes.as_mut_ptr();
            let read = libc::pthread_attr_getstack(attributes, &raw mut low, &raw mut size) == 0;
            libc::pthread_attr_destroy(attributes);
            read
        };
        (low.addr(), known)
    };
    // The main thread's stack may be said to be larger than what the system lets it become.
    let limit = if known { limit.max(here.saturating_sub(size)) } else { here };
    Bounds { limit, floor: limit }
}

/// The bounds of the calling thread's own stack, as far as they are known.
#[cfg(not(target_os = "linux"))]
#[cold]
fn thread_bounds(here: usize) -> Bounds {
    let limit = here.saturating_sub(THREAD_BYTES);
    Bounds { limit, floor: limit }
}

#[cfg(test)]
mod tests;

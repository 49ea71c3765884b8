//! Memory straight from the system, for callers that divide it up themselves.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use crate::{Env, OpenMode};

pub use crate::sys::{discard_memory as discard, map_memory as map, unmap_memory as unmap};

/// What a processor's table of addresses can cover by one entry, if the system has huge pages.
pub const HUGE_PAGE: usize = 2 << 20;

/// An alignment of memory, offsets and lengths that every block device takes.
pub const DIRECT_ALIGN: usize = 4096;

/// Bytes of memory that this process uses now; `None` where the system does not say, or is
/// simulated.
pub fn resident_bytes(env: &Env) -> Option<u64> {
    of_process(env, RESIDENT)
}

/// Bytes of addresses that this process has taken, whether or not there is memory behind them;
/// `None` as above.
pub fn reserved_bytes(env: &Env) -> Option<u64> {
    of_process(env, RESERVED)
}

const RESIDENT: &str = "VmRSS:";
const RESERVED: &str = "VmSize:";

fn of_process(env: &Env, what: &str) -> Option<u64> {
    let file = env.fs().open(Path::new("/proc/self/status"), OpenMode::Read).ok()?;
    let mut text = [0; 4096]; // what the kernel makes up has no length; the line is among the first
    let length = file.read_at(&mut text, 0).ok()?;
    bytes_in(&String::from_utf8_lossy(&text[..length]), what)
}

/// Makes the allocator give its free memory back to the system, which it would else keep for a
/// while. Takes as long as a walk through all that it manages.
pub fn give_back() {
    crate::sys::collect_free_memory();
}

fn bytes_in(status: &str, what: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(what))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Bytes whose first lies at a multiple of [`DIRECT_ALIGN`].
#[derive(Debug)]
pub struct AlignedBytes {
    start: NonNull<u8>,
    len: usize,
    _memory: Memory,
}

/// What keeps them. Each owner of a mapping has a part of it that no other has.
#[derive(Debug)]
enum Memory {
    Heap(#[expect(dead_code, reason = "it is there to be dropped")] Vec<u8>),
    Mapped(#[expect(dead_code, reason = "it is there to be dropped")] Arc<Mapping>),
}

#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the bytes are the owner's alone, as those of a vector.
unsafe impl Send for AlignedBytes {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for AlignedBytes {}

// SAFETY: a mapping is only kept, and dropped once, by any thread.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl AlignedBytes {
    /// `len` zeros.
    pub fn new(len: usize) -> AlignedBytes {
        let mut memory = vec![0; len + DIRECT_ALIGN];
        let skipped = memory.as_ptr().align_offset(DIRECT_ALIGN);
        let start = NonNull::from(&mut memory[skipped..skipped + len]).cast();
        AlignedBytes { start, len, _memory: Memory::Heap(memory) }
    }

    /// This many buffers of this many zeros for long reads, in huge pages if the system has some:
    /// what lies in one piece of the machine's memory a device fills by one transfer. Virtual disks
    /// are two to three times as fast then.
    pub fn for_long_reads(count: usize, len: usize) -> Vec<AlignedBytes> {
        assert!(len % DIRECT_ALIGN == 0, "one begins where another ends");
        let whole = count.checked_mul(len).expect("memory is not as large");
        let whole = whole.next_multiple_of(HUGE_PAGE);
        let mapped = if count == 0 { None } else { map(whole, HUGE_PAGE).ok() };
        let Some(start) = mapped else {
            return (0..count).map(|_| AlignedBytes::new(len)).collect();
        };
        let mapping = Arc::new(Mapping { start, len: whole });
        let part = |n: usize| {
            // SAFETY: the mapping is long enough for all of them.
            let start = unsafe { start.add(n * len) };
            AlignedBytes { start, len, _memory: Memory::Mapped(mapping.clone()) }
        };
        (0..count).map(part).collect()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and the last owner of a part of it has gone.
        unsafe { unmap(self.start, self.len) };
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the memory is kept as long as this, is initialised, and this one's alone.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is kept as long as this, is initialised, and belongs to this one
        // alone, which is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests;

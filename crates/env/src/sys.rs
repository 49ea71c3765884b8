//! The system's calls that the standard library does not wrap, and one of the program's allocator.

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};

/// Takes an exclusive advisory lock on the open file; `WouldBlock` if another process holds one. It
/// ends when the last copy of the descriptor is closed.
pub fn lock_exclusive(file: &std::fs::File) -> io::Result<()> {
    // SAFETY: the descriptor is open for as long as `file` is borrowed; flock touches no memory.
    match unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes reads and writes through this descriptor go past the system's cache from now on. Fails
/// where the file system cannot do that; does nothing where the system has no such option.
pub fn bypass_cache(file: &std::fs::File) -> io::Result<()> {
    let descriptor = file.as_raw_fd();
    #[cfg(target_os = "linux")]
    // SAFETY: the descriptor is open for as long as `file` is borrowed; these touch no memory.
    let result = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_DIRECT)
    };
    #[cfg(target_os = "macos")]
    // SAFETY: the descriptor is open for as long as `file` is borrowed; fcntl touches no memory.
    let result = unsafe { libc::fcntl(descriptor, libc::F_NOCACHE, 1) };
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    let result = descriptor.min(0);
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The path of an open file, with links resolved. `opened` is the path by which it was opened.
pub fn path_of(file: &std::fs::File, opened: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    match std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
        // Without /proc, only `opened` can be resolved.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
    std::fs::canonicalize(opened)
}

/// Raises the soft limit of open files, sockets among them, to the hard limit. Returns the limit
/// that is in force then; `None` if there is none, or the system does not say.
pub fn raise_open_files_limit() -> Option<u64> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: `limit` has room for the result.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, limit.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: getrlimit fills the structure when it returns 0.
    let mut limit = unsafe { limit.assume_init() };
    let before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    // SAFETY: `limit` is readable.
    if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) } != 0 {
        limit.rlim_cur = before; // some systems allow less than they say
    }
    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as u64)
}

/// Bytes that an unprivileged user can still write to the file system that holds this path.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut stat = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: `path` ends with NUL and `stat` has room for the result.
    if unsafe { libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: statvfs fills the structure when it returns 0.
    let stat = unsafe { stat.assume_init() };
    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    Ok((stat.f_bavail as u64).saturating_mul(stat.f_frsize as u64))
}

/// Seconds to add to UTC for local time at this moment, given in seconds since 1970.
pub fn local_offset_seconds(unix_seconds: i64) -> i64 {
    let time = unix_seconds as libc::time_t;
    let mut local = MaybeUninit::<libc::tm>::uninit();
    // SAFETY: `time` is readable and `local` has room for the result.
    let filled = unsafe { libc::localtime_r(&time, local.as_mut_ptr()) };
    if filled.is_null() {
        return 0; // a year that does not fit has no local time
    }
    // SAFETY: localtime_r fills the structure when it returns its address.
    #[allow(clippy::unnecessary_cast, reason = "the widths differ between systems")]
    unsafe {
        local.assume_init().tm_gmtoff as i64
    }
}

/// IANA's name of the local time zone, from the variable `TZ` or the link `/etc/localtime`.
pub fn local_zone() -> Option<String> {
    let path = match std::env::var("TZ") {
        Ok(set) => set.trim_start_matches(':').to_owned(),
        Err(_) => std::fs::read_link("/etc/localtime").ok()?.to_str()?.to_owned(),
    };
    zone_in_path(&path).map(str::to_owned)
}

/// The name in `Europe/Paris` or `/usr/share/zoneinfo/Europe/Paris`.
pub(crate) fn zone_in_path(path: &str) -> Option<&str> {
    let name = path.rsplit_once("zoneinfo/").map_or(path, |(_, name)| name);
    let name = name.strip_prefix("posix/").unwrap_or(name);
    (!name.is_empty() && !name.starts_with('/')).then_some(name)
}

/// Nanoseconds that the calling thread has spent on a processor; 0 if the system does not count
/// them.
pub fn thread_cpu_ns() -> u64 {
    let (seconds, ns) = clock(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default();
    seconds as u64 * 1_000_000_000 + ns as u64
}

/// The system's number of the calling thread.
pub fn thread_number() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    (unsafe { libc::gettid() }) as u32
}

/// Seconds, and nanoseconds within the second, since 1970 in UTC.
pub fn wall_clock() -> (i64, i64) {
    clock(libc::CLOCK_REALTIME).expect("every system has this clock")
}

#[inline]
fn clock(which: libc::clockid_t) -> Option<(i64, i64)> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` has room for the result.
    if unsafe { libc::clock_gettime(which, time.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: clock_gettime fills the structure when it returns 0.
    let time = unsafe { time.assume_init() };
    Some((time.tv_sec, time.tv_nsec))
}

/// Fills the slice with random bytes fit for keys.
///
/// # Panics
/// If the kernel has none to give, which it always has once the machine has booted.
pub fn random_bytes(bytes: &mut [u8]) {
    const ONE_CALL: usize = 256;
    for part in bytes.chunks_mut(ONE_CALL) {
        // SAFETY: the pointer and length are those of a writable slice.
        let result = unsafe { libc::getentropy(part.as_mut_ptr().cast(), part.len()) };
        assert_eq!(result, 0, "getentropy: {}", io::Error::last_os_error());
    }
}

/// Address space of this length (whole pages), zeros when it is touched and nothing before. It
/// starts at a multiple of `align`, a power of two of whole pages: huge ones if that is a multiple
/// of theirs and the system has some, and else never, so that what is touched here and there takes
/// little memory.
pub fn map_memory(len: usize, align: usize) -> io::Result<NonNull<u8>> {
    // Without MAP_NORESERVE Linux refuses more than the machine has, however little of it will be
    // touched.
    let kind = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping anywhere; it touches no memory that is in use.
    let start = unsafe { libc::mmap(ptr::null_mut(), len + align, access, kind, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let mapped = start.cast::<u8>();
    let skipped = mapped.align_offset(align);
    // SAFETY: the mapping is longer than the range by `align`; what lies before and after the range
    // is given back, and no reference is left.
    let start = unsafe {
        let start = mapped.add(skipped);
        libc::munmap(mapped.cast(), skipped);
        libc::munmap(start.add(len).cast(), align - skipped);
        start
    };
    #[cfg(target_os = "linux")]
    // SAFETY: the range lies in the new mapping. Systems without huge pages refuse, which is as
    // well.
    unsafe {
        let huge = align >= crate::memory::HUGE_PAGE;
        let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
        libc::madvise(start.cast(), len, advice)
    };
    NonNull::new(start).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))
}

/// Gives back address space and memory.
///
/// # Safety
/// `start` is the result of [`map_memory`] for this length, unmapped so far, and the memory is not
/// used any more: no reference or pointer into it is followed.
pub unsafe fn unmap_memory(start: NonNull<u8>, len: usize) {
    // SAFETY: the caller ensures that the range is one whole mapping, and that its memory is not
    // used any more.
    let result = unsafe { libc::munmap(start.as_ptr().cast(), len) };
    debug_assert_eq!(result, 0, "munmap: {}", io::Error::last_os_error());
}

/// Gives the memory of mapped pages back to the system. They are zeros when they are touched again.
///
/// # Safety
/// The range consists of whole pages of memory that [`map_memory`] gave and that is still mapped.
/// No reference into it is alive, except to atomics whose readers expect that they become zero, and
/// what it holds is not needed any more.
pub unsafe fn discard_memory(start: NonNull<u8>, len: usize) {
    // SAFETY: the caller ensures that these are whole mapped pages, that what they hold is not
    // needed, and that no reference relies on it.
    let result = unsafe { libc::madvise(start.as_ptr().cast(), len, libc::MADV_DONTNEED) };
    debug_assert_eq!(result, 0, "madvise: {}", io::Error::last_os_error());
}

/// Writes zeros to a range of whole pages of this file past the system's cache, which spares
/// copying them. Fails where the file system cannot do that, or if the path names another file by
/// now.
#[cfg(target_os = "linux")]
pub fn write_zeros_directly(
    path: &Path,
    file: &std::fs::File,
    len: usize,
    offset: u64,
) -> io::Result<()> {
    use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};

    let direct = std::fs::OpenOptions::new().write(true).custom_flags(libc::O_DIRECT).open(path)?;
    let (this, that) = (file.metadata()?, direct.metadata()?);
    if (this.dev(), this.ino()) != (that.dev(), that.ino()) {
        return Err(io::ErrorKind::NotFound.into());
    }
    // Devices want their blocks' alignment of memory, too.
    direct.write_all_at(&crate::memory::AlignedBytes::new(len), offset)
}

/// Makes the program's allocator give its free memory back to the system.
pub fn collect_free_memory() {
    // SAFETY: any thread may call it at any time; it does nothing where another allocator is used.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

//! Threads of this process, as the system numbers them.

use std::path::PathBuf;

use crate::{Env, OpenMode};

pub use crate::sys::thread_number as current;

/// Nanoseconds that a thread has spent on a processor; `None` where the thread is gone, or the
/// system does not say or is simulated.
pub fn cpu_ns(env: &Env, thread: u32) -> Option<u64> {
    let path = PathBuf::from(format!("/proc/self/task/{thread}/schedstat"));
    let file = env.fs().open(&path, OpenMode::Read).ok()?;
    let mut text = [0; 128]; // three numbers; what the kernel makes up has no length
    let length = file.read_at(&mut text, 0).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests;

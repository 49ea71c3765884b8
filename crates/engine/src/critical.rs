//! Critical sections: where a panic ends the process rather than the statement.
//!
//! A panic unwinds. Outside critical sections it ends the statement it arose in: the session is
//! sent error 3624, its transaction is rolled back and its connection closed, and the server goes
//! on. Inside one, shared data may be half changed; if the statement alone ended, other sessions
//! would read that data and log it. There the process ends before anything else runs, and recovery
//! starts from the log.
//!
//! # Which sections are critical
//!
//! * K1: everything that [`Section`] names. Code enters a section through [`section`].
//! * K2: every line at which a guard of [`crate::sync`]'s mutexes, or one that may write of its
//!   read-write locks, is alive. What such a lock guards is shared, and half changed until the
//!   guard is dropped.
//! * K3: a thread of the engine's own ([`thread`]): nothing else does its work when it is gone.
//! * K4: waiting while a panic unwinds ([`crate::wait::Task`]): the unwinding would go on on
//!   another thread. Destructors never wait.
//! * K5: what machine code calls without a way to report an error (`run::interp::machine_code`): an
//!   unwinding never passes through machine code.
//!
//! Not critical, though in the engine: the edit of a schema before it is published, sorting,
//! encoding of keys and rows before a write, views of what the engine does. They work on what is
//! the statement's own.
//!
//! # Cost
//!
//! A section costs a landing pad, which runs only while a panic unwinds. A lock's guard looks at
//! the standard library's count of panics twice, as its mutexes do for poisoning.

use std::fmt;
use std::io::Write;
use std::mem;
use std::sync::OnceLock;

/// A part of the engine in which a panic ends the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// From the reservation of log space to the last begin word that becomes a stamp.
    Commit,
    /// Undoing what a transaction or statement has written, and letting go of what it holds.
    Rollback,
    /// A row on its way into or out of the store, the write set and the indexes.
    Write,
    /// Following the chains of versions, indexes and pages: what does not fit there is broken data.
    Read,
    /// A wait for another transaction, and the gate that is closed meanwhile.
    Wait,
    /// Rows on their way between memory and pages, and the root that names the pages.
    Sink,
    /// Memory on its way back to the heap.
    Reclaim,
    /// A thread of the engine's own: the log writer, checkpoints, sinking, the buffer pool.
    Thread(&'static str),
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Section::Commit => f.write_str("a commit"),
            Section::Rollback => f.write_str("a rollback"),
            Section::Write => f.write_str("a write to the store"),
            Section::Read => f.write_str("a read of the store"),
            Section::Wait => f.write_str("a wait for another transaction"),
            Section::Sink => f.write_str("a change of pages"),
            Section::Reclaim => f.write_str("the reclamation of memory"),
            Section::Thread(name) => write!(f, "the thread '{name}'"),
        }
    }
}

/// Ends the process if it is dropped, which happens only when a panic unwinds through its section.
struct Armed(Section);

impl Drop for Armed {
    fn drop(&mut self) {
        end_process(&self.0);
    }
}

/// Runs the body of a critical section.
#[inline(always)]
pub fn section<T>(section: Section, body: impl FnOnce() -> T) -> T {
    let armed = Armed(section);
    base::on_purpose::reached(base::on_purpose::Place::Critical);
    let done = body();
    mem::forget(armed);
    done
}

/// The body of a thread without which the engine cannot go on.
pub fn thread<T>(name: &'static str, body: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || section(Section::Thread(name), body)
}

/// What is done with the reason before the process ends.
type ReasonWriter = fn(&str);

static REASON_WRITER: OnceLock<ReasonWriter> = OnceLock::new();

/// Sets the function that logs the reason when a panic ends the process: the error log's. The first
/// call counts.
pub fn set_reason_writer(write: fn(&str)) {
    // A second server in the same process has the same log.
    let _ = REASON_WRITER.set(write);
}

/// Ends the process because of a panic in `place`.
#[cold]
pub fn end_process(place: &dyn fmt::Display) -> ! {
    let reason =
        format!("The process ends: it panicked in {place}, where data may be half changed.");
    match REASON_WRITER.get() {
        Some(write) => write(&reason),
        // Nothing is left to be done if that cannot be written.
        None => drop(writeln!(std::io::stderr(), "{reason}")),
    }
    std::process::abort()
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

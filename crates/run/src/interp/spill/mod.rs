//! What statements keep in files when their grant of memory is used up.
//!
//! # Life of a spill file
//!
//! An object (a sorter, groups, a set) whose charge is refused makes a [`SpillFile`] in the
//! server's [`SpillSpace`] and writes records to [`Stream`]s in it: a run of a sort, a partition of
//! groups. A stream is a list of blocks of its file; a [`Reader`] reads them one after the other,
//! the next one while the current one is worked on, and gives each back to the file, which writes
//! the next stream over it. The file and its name are removed when the object is emptied, which
//! every statement does, however it ends. What a crash left is removed when the space is opened.
//!
//! # Invariants
//!
//! * D1: no worker waits for a disk. Files are read and written by the threads of an
//!   [`engine::wait::OffLoad`], and the statement is suspended meanwhile.
//! * D2: a block says which block of which file it is, how much of it is used, and the checksum of
//!   all that. One that does not match is error 824, never rows.
//! * D3: a row read from a stream stays where it is until the reader's next step.
//! * D4: spill files are never synced: no recovery needs them.
//!
//! # Failure
//!
//! A full disk, or a space that has reached its limit, is error 1105 about tempdb; a file that
//! cannot be read or written is error 823. The statement ends, and with it the file.

mod file;
mod merge;
mod pairs;
mod partitions;
mod space;
mod stream;
#[cfg(test)]
mod tests;

pub use file::SpillFile;
pub use merge::Runs;
pub use pairs::{FAN_OUT, Pair, Pairs, Side};
pub use partitions::{Fields, Partitions, put, put_number};
pub use space::{SpillOptions, SpillSpace, SpillUsage};
pub use stream::{Reader, Stream};

//! Checkpoints: the rows of a database in files, so that its log need not be kept, and the next
//! start need not replay it.
//!
//! # Life of a checkpoint file pair
//!
//! 1. A thread follows the durable part of the log, off the way of commits ([`gather`]). The rows
//!    that commits write go to a *data file*, table by table ([`data`]): the pair is under
//!    construction.
//! 2. What commits end is noted for the pair that holds the row; the log says by which commit it
//!    was written, so that nothing is searched.
//! 3. When the data file is large enough, or a checkpoint is asked for, the pair is closed at the
//!    end of what was read. What has ended goes to *delta files* ([`ended`]), and a *manifest*
//!    ([`manifest`]) makes all of it count: the pair is active. What the log holds before is given
//!    up.
//! 4. Neighbours that have thinned out are merged into one ([`merge`]). What no manifest names any
//!    more is removed one checkpoint later.
//!
//! [`load`] reads the files back into tables at the next start; the log's tail follows.
//!
//! # Invariants
//!
//! * K1: files are written once, under numbers that are never used again, and never changed.
//! * K2: a manifest is made durable after everything that it names; log and files that it does not
//!   need are given up after that.
//! * K3: a pair holds the rows that commits with stamps in its range wrote, all of them but those
//!   that had ended when it was merged, and those of tables that were gone. Every row that has
//!   ended and is in a data file is in one of its delta files; so all others are live, if their
//!   table is.
//! * K4: nothing is gathered but what is durable in the log.
//! * K5: neither files nor log that a backup has pinned are given up, nor log that is still to be
//!   backed up.
//! * K6: a table is gone when whatever dropped it lies before the end of a durable manifest. The
//!   files do without its rows only then.
//!
//! # Locks
//!
//! One round at a time holds the state. Commits never wait for it.
//!
//! # Failure
//!
//! Whatever goes wrong while files are written, the state goes back to the last manifest, and what
//! was gathered is read from the log again later: so a full disk stops checkpoints, not commits,
//! until the log has no room either. A damaged file makes the database suspect at the next start.

mod counters;
mod data;
mod ended;
mod error;
mod gather;
mod load;
mod manifest;
mod merge;
mod names;
mod objects;
mod pins;
mod round;
mod thread;
mod view;
mod weigh;

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

use base::ids::{ObjectId, StorageId};

pub use counters::Effort;
pub(crate) use data::adopt;
pub use error::CheckpointError;
pub(crate) use load::{
    Block, BlockLoader, EndedLater, Files, Loaded, TableBlocks, keep_only, open,
};
pub use manifest::{CommitRange, Delta, Manifest, Pair};
pub use names::FileId;
pub(crate) use names::manifest as manifest_name;
pub use objects::{LocalObjects, NewObject, ObjectStore};
pub(crate) use pins::{Pin, Pins};
pub(crate) use round::CoreParts;
pub(crate) use thread::{Checkpoints, Order};
pub use view::{CheckpointFile, CheckpointStats, FileKind, FileState};
pub(crate) use weigh::Contents;

/// The sequence that a row of a catalog table defines, if it defines one.
pub type SequenceOf = fn(StorageId, &[u8]) -> Option<DefinedSequence>;

/// A sequence as a row of the catalog defines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DefinedSequence {
    /// The sequence.
    pub id: ObjectId,
    /// How often it has been restarted.
    pub restarts: u32,
}

/// When checkpoints are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckpointOptions {
    /// Bytes of a data file.
    pub data_bytes: u64,
    /// Bytes of log since the last checkpoint that make another.
    pub log_bytes: u64,
    /// Bytes of log that make a clean shutdown worth a checkpoint.
    pub shutdown_bytes: u64,
    /// How often the log is looked at.
    pub interval_ns: u64,
    /// After this many reads of the log the thread checks whether much of the files has ended.
    pub tidy_every: u32,
    /// Whether pairs are merged when they have thinned out.
    pub merges: bool,
}

impl Default for CheckpointOptions {
    fn default() -> CheckpointOptions {
        CheckpointOptions {
            data_bytes: 128 << 20,
            log_bytes: 1536 << 20,
            shutdown_bytes: 1 << 20,
            interval_ns: 1_000_000_000,
            tidy_every: 10,
            merges: true,
        }
    }
}

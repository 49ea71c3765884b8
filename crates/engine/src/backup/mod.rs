//! Backups: a database in a file, made while transactions go on; and from there back to a database.
//!
//! # What a backup holds
//!
//! A *full* backup has the files of the last checkpoint, with the manifest that names them, the
//! pages of tables that have sunk, and the log from where those need it to the end of the backup. A
//! *differential* one has the same without the files that the full backup before it has: checkpoint
//! files never change. A backup of the *log* has what was committed since the last of its kind, or
//! since the full backup that began the chain.
//!
//! # Life of a backup
//!
//! 1. The manifest is pinned ([`crate::checkpoint`]), so that merging and truncation leave what it
//!    needs; and the durable root of the pages ([`crate::cold`]), which is the one that goes with
//!    it or a later one.
//! 2. [`Backup`] copies pages and files in blocks with checksums ([`block`]), then the log
//!    ([`take`]).
//! 3. The set is ended, and the file's directory says that it counts ([`media`]).
//! 4. The database's [`Chain`] says what later backups build on, and from where on the log is kept.
//!
//! Of a database that cannot be opened the log can be backed up all the same ([`tail`]).
//!
//! # Life of a restore
//!
//! 1. [`Restore`] writes a full set into a directory of its own, under a new guid; then others are
//!    added. The chain says how far it has come. All the while the database is not open.
//! 2. The instance, which knows the databases, makes the directory that of the database, and
//!    recovers it as after a crash: so nothing but recovery ever puts rows in tables.
//! 3. When it is open its chain has a new [`Fork`]: what it does from then on is another
//!    database's.
//!
//! # Invariants
//!
//! * U1: a set that is not whole is not in its file's directory; nothing reads it.
//! * U2: a restore changes nothing that counted before, until the chain says so.
//! * U3: log that a chain needs is kept: it is given up after the backup of it is durable, and the
//!   chain says so.
//!
//! # Points in time
//!
//! Each batch of the log has the time at which it was written. A transaction whose commit was
//! acknowledged before that time is not in it, nor is one that began later: to stop at a time is to
//! leave out the batches that were written later, and so whole transactions. A restore has come to
//! the time when it has met such a batch, or the end of a backup of the log that was begun later:
//! all that was acknowledged before is in that.
//!
//! # Failure
//!
//! A backup that fails leaves nothing; the database goes on as if it had never begun. Blocks are
//! checked before anything of them is used: damage is named by file and offset.

mod block;
mod chain;
mod error;
pub(crate) mod fields;
mod media;
mod pages;
mod read;
mod restore;
mod set;
mod tail;
mod take;
mod writing;

#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) mod tests;

pub use chain::{Base, Chain, FileMove, Fork, Restored};
pub use error::BackupError;
pub use media::{Media, MediaHeader};
pub use read::Verification;
pub use restore::{Restore, RestoreTarget};
pub use set::{BackupSet, BaseSet, SetEnd, SetHeader, SetKind};
pub use tail::TailBackup;
pub use take::{Backup, new_media};
pub use writing::{WritesAlone, Writing};

pub(crate) use chain::ChainStore;
pub(crate) use restore::{CHECKPOINT_DIR, LOG_DIR, remove_strays};
pub(crate) use tail::Remains;
pub(crate) use take::Source;

/// Bytes that a step goes through, about.
const STEP_BYTES: u64 = 4 << 20;

/// The progress of a backup or restore, in bytes; the total of a backup is an estimate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Done.
    pub done: u64,
    /// In all.
    pub total: u64,
}

impl Progress {
    /// Per cent done.
    pub fn percent(self) -> u8 {
        let done = u128::from(self.done.min(self.total)) * 100;
        (done / u128::from(self.total.max(1))) as u8
    }
}

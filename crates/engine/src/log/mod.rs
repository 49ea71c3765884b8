//! The log: what committed transactions did, as whole row images, in one sequence per database.
//!
//! # Life of a commit record
//!
//! 1. The committer knows its length. [`Log::admit`] waits until the ring and the store have room,
//!    or fails with [`LogError::Full`]; [`Log::reserve`] takes the space with one exchange. The
//!    position it gets is the transaction's stamp.
//! 2. It decides whether it commits. It writes the body and publishes the record, or publishes
//!    filler; a [`Reservation`] that is dropped publishes filler by itself. Publishing moves the
//!    `committed` horizon over whatever is contiguous.
//! 3. The writer thread copies what is committed out of the ring into a batch, gives the space
//!    back, and hands the batch to the batch writer, which writes and syncs it; then `durable`
//!    moves, and the tasks that wait for it are woken.
//! 4. After a restart, [`Replay`] reads the batches back, puts chunks and commits together and
//!    delivers transactions in order.
//!
//! * [`record`]: records and operations. [`batch`]: what is checked and acknowledged as a whole.
//! * `ring`: reserving, publishing, the horizons. `writer`: group commit.
//! * [`store`]: the interface to the log's storage; [`local`]: segment files; `prefix`: a log up to
//!   some place.
//! * [`replay`]: reading back.
//!
//! # Invariants
//!
//! * L1: positions are handed out in commit order, and records lie in the log in that order (A2).
//! * L2: `durable ≤ committed ≤ tail`; all three only grow.
//! * L3: a batch holds whole records and is durable as a whole; so a record at `stamp` is durable
//!   as soon as `durable > stamp`.
//! * L4: no space is reserved that the store could not take: the disk being full refuses
//!   reservations and never a published record.
//! * L5: after a failed write or sync nothing more becomes durable until the log is opened again.
//!
//! # Failure
//!
//! A full disk is [`LogError::Full`] until there is room again. A failed write fences the log (A7).
//! Damage found while reading is [`LogError::Damaged`] with file and offset; a torn end is cut.

mod error;
mod facade;
mod prefix;
mod ring;
mod writer;

pub mod batch;
pub mod local;
pub mod record;
pub mod replay;
pub mod store;

pub use error::LogError;
pub use facade::{Log, LogOptions, LogStats, NoSpace, Reservation};
pub use local::{LocalStore, SegmentOptions};
pub(crate) use prefix::Prefix;
pub use record::{GlobalTransaction, Operation, PROMOTED, RecordFlags, RecordKind};
pub use replay::{CommittedTransaction, PreparedTransaction, Replay, ReplayEnd};

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
